/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report.c - writes the dashboard and its documents as one HTML file.
 */
#include "etrecord_compare.h"
#include "output/writer.h"
#include "report/web_files.h"

static void put_head(etr_writer *writer, etr_unit unit) {
  etr_putf(writer, "<!doctype html>\n<html lang=\"en\" data-unit=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
           etr_unit_name(unit));
  etr_puts(writer, "<meta http-equiv=\"Content-Security-Policy\" content=\"");
  etr_put(writer, etr_web_policy);
  etr_puts(writer, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>ExecuTorch "
                   "profile</title>\n<style>");
  etr_put(writer, etr_web_style);
  etr_puts(writer, "</style>\n</head>\n<body>\n");
}

static void put_document_head(etr_writer *writer, const char *id) {
  etr_putf(writer, "<script type=\"application/json\" id=\"%s\">\n", id);
}

static void put_document_tail(etr_writer *writer) { etr_puts(writer, "</script>\n"); }

static void put_tail(etr_writer *writer) {
  etr_puts(writer, "<script type=\"module\">");
  etr_put(writer, etr_web_script);
  etr_puts(writer, "</script>\n</body>\n</html>\n");
}

etr_status etr_emit_report(const etr_profile *profile, etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_writer_init(&writer, sink);
  put_head(&writer, unit);
  put_document_head(&writer, "profile");
  ETR_TRY(etr_writer_finish(&writer, error));
  ETR_TRY(etr_emit_profile_json(profile, sink, error));
  put_document_tail(&writer);
  put_tail(&writer);
  return etr_writer_finish(&writer, error);
}

/* ---- Two records ---- */

static bool add_bytes(void *text, const void *bytes, size_t size) {
  return etr_text_add(text, (etr_slice){bytes, size});
}

static etr_status make_document(etr_text *out, const etr_profile *profile, etr_error *error) {
  return etr_emit_profile_json(profile, &(etr_sink){add_bytes, out}, error);
}

static void put_document(etr_writer *writer, const char *id, const etr_text *document) {
  put_document_head(writer, id);
  etr_put(writer, (etr_slice){document->data, document->size});
  put_document_tail(writer);
}

/* The records as documents, and their comparison by the library. */
typedef struct compared {
  etr_text base, newer, comparison;
} compared;

static etr_status compare(compared *out, const etr_profile *base, const etr_profile *newer, etr_error *error) {
  etr_comparison *comparison;
  ETR_TRY(make_document(&out->base, base, error));
  ETR_TRY(make_document(&out->newer, newer, error));
  const etr_document old = {out->base.data, out->base.size, NULL}, now = {out->newer.data, out->newer.size, NULL};
  ETR_TRY(etr_compare_documents(&comparison, &old, &now, NULL, error));
  etr_status status = etr_emit_diff_json(comparison, NULL, ETR_UNIT_NS, &(etr_sink){add_bytes, &out->comparison},
                                         error);
  etr_comparison_close(comparison);
  return status;
}

etr_status etr_emit_report_of_two(const etr_profile *base, const etr_profile *newer, etr_unit unit,
                                  const etr_sink *sink, etr_error *error) {
  etr_arena arena = {0};
  etr_writer writer;
  compared made = {{.arena = &arena}, {.arena = &arena}, {.arena = &arena}};
  etr_status status = compare(&made, base, newer, error);
  if (status == ETR_OK) {
    etr_writer_init(&writer, sink);
    put_head(&writer, unit);
    put_document(&writer, "profile", &made.newer);
    put_document(&writer, "base", &made.base);
    put_document(&writer, "comparison", &made.comparison);
    put_tail(&writer);
    status = etr_writer_finish(&writer, error);
  }
  bool out_of_memory = etr_arena_failed(&arena); /* the emitters report it as a sink that refuses */
  etr_arena_clear(&arena);
  return out_of_memory ? etr_fail_memory(error) : status;
}
