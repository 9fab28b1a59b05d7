/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report.c - writes the dashboard and its documents as one HTML file.
 */
#include "base/base64.h"
#include "etrecord_compare.h"
#include "output/gzip.h"
#include "output/text_table.h"
#include "report/profile_doc.h"
#include "report/web_files.h"

#include <stdio.h>
#include <string.h>

const void *etr_page_file(const char *name, size_t *size) {
  etr_slice file = {0};
  if (strcmp(name, "page.js") == 0)
    file = etr_web_script;
  else if (strcmp(name, "page.css") == 0)
    file = etr_web_style;
  *size = file.size;
  return file.data;
}

/* Writes the start of the page up to its body: language, unit, content security policy and title.
 * */
static void put_head(etr_writer *writer, etr_unit unit) {
  etr_putf(
      writer,
      "<!doctype html>\n<html lang=\"en\" data-unit=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
      etr_unit_name(unit));
  etr_puts(writer, "<meta http-equiv=\"Content-Security-Policy\" content=\"");
  etr_put(writer, etr_web_policy);
  etr_puts(writer, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<title>ExecuTorch profile</title>\n</head>\n<body>\n");
}

/* ---- A document in the page: JSON, compressed by gzip, in base64 ---- */

typedef struct base64_sink {
  const etr_sink *sink;
  char bytes[3 * 1024]; /* encoded when it is full, so that only the last piece is padded */
  size_t used;
} base64_sink;

/* Writes the gathered bytes in base64 and empties the block. Returns false if the sink refuses. */
static bool flush_encoded(base64_sink *encoder) {
  char text[4 * 1024];
  etr_base64_encode(text, (etr_slice){encoder->bytes, encoder->used});
  size_t size = etr_base64_size(encoder->used);
  encoder->used = 0;
  return size == 0 || encoder->sink->write(encoder->sink->context, text, size);
}

/* Gathers bytes in a block, as the function of a sink, and writes them in base64 whenever the block
 * is full. Returns false if the sink refuses. */
static bool encode_bytes(void *context, const void *data, size_t size) {
  base64_sink *encoder = context;
  for (const char *rest = data; size > 0;) {
    size_t taken = ETR_MIN(size, sizeof encoder->bytes - encoder->used);
    memcpy(encoder->bytes + encoder->used, rest, taken);
    encoder->used += taken;
    rest += taken;
    size -= taken;
    if (encoder->used == sizeof encoder->bytes && !flush_encoded(encoder))
      return false;
  }
  return true;
}

static void put_element(etr_writer *writer, const etr_sink *sink, const char *id) {
  etr_writer_init(writer, sink);
  etr_putf(writer, "<script type=\"application/octet-stream;base64\" id=\"%s\">", id);
}

/* What a document is made from. */
typedef struct document {
  const etr_profile *profile;
  const etr_method *method; /* of a section */
  etr_profile_part part;
  const etr_text *made; /* a document that was made before; the other members are not used then */
} document;

/* Writes a document: the text that was made before, or else a section of a method, or else the
 * document of a profile. */
static etr_status write_document(const document *written, const etr_sink *sink, etr_error *error) {
  if (written->made)
    return sink->write(sink->context, written->made->data, written->made->size)
               ? ETR_OK
               : etr_fail_sink(error);
  if (written->method)
    return etr_profile_write_section(written->profile, written->method, written->part, sink, error);
  return etr_profile_write(written->profile, written->part, NULL, sink, error);
}

/* Writes a document as a script element of the page, compressed with gzip, in base64. */
static etr_status put_document(const etr_sink *sink, const char *id, const document *written,
                               etr_error *error) {
  etr_writer writer;
  base64_sink encoded = {.sink = sink};
  put_element(&writer, sink, id);
  ETR_TRY(etr_writer_finish(&writer, error));
  etr_gzip *gzip = etr_gzip_new(&(etr_sink){encode_bytes, &encoded});
  if (!gzip)
    return etr_fail_memory(error);
  const etr_sink compressed = etr_gzip_sink(gzip);
  etr_status status = write_document(written, &compressed, error);
  bool is_whole = etr_gzip_end(gzip) && flush_encoded(&encoded);
  if (status == ETR_OK && !is_whole)
    status = etr_fail_sink(error);
  if (status != ETR_OK)
    return status;
  etr_puts(&writer, "</script>\n");
  return etr_writer_finish(&writer, error);
}

/* Writes a record as script elements of the page: the document that it shows first, with this id,
 * and each part of each method as a section "ID.METHOD.PART", which it decompresses only when it
 * shows it. */
static etr_status put_record(const etr_sink *sink, const char *id, const etr_profile *profile,
                             etr_error *error) {
  char section[64];
  size_t shown_index = 0; /* number of the method in the document */
  ETR_TRY(
      put_document(sink, id, &(document){.profile = profile, .part = ETR_PROFILE_SHOWN}, error));
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (!etr_profile_shows(method))
      continue;
    for (unsigned part = 1; part < ETR_PROFILE_ALL; part <<= 1) {
      if (!etr_profile_has_part(profile, method, part))
        continue;
      (void)snprintf(section, sizeof section, "%s.%zu.%s", id, shown_index,
                     etr_profile_part_name(part));
      ETR_TRY(put_document(sink, section,
                           &(document){.profile = profile, .method = method, .part = part}, error));
    }
    shown_index++;
  }
  return ETR_OK;
}

/* Writes the start of the page, down to where its documents follow. */
static etr_status begin_page(const etr_sink *sink, etr_unit unit, etr_error *error) {
  etr_writer writer;
  etr_writer_init(&writer, sink);
  put_head(&writer, unit);
  return etr_writer_finish(&writer, error);
}

/* Writes the script or the style of the page, which is compressed already, as a script element in
 * base64. The loader at the end of the page opens it. */
static etr_status put_page_file(const etr_sink *sink, const char *id, etr_slice packed,
                                etr_error *error) {
  etr_writer writer;
  base64_sink encoded = {.sink = sink};
  put_element(&writer, sink, id);
  ETR_TRY(etr_writer_finish(&writer, error));
  if (!encode_bytes(&encoded, packed.data, packed.size) || !flush_encoded(&encoded))
    return etr_fail_sink(error);
  etr_puts(&writer, "</script>\n");
  return etr_writer_finish(&writer, error);
}

/* Writes the style, the script and the loader that opens them, and ends the page. */
static etr_status end_page(const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  ETR_TRY(put_page_file(sink, "style", etr_web_style, error));
  ETR_TRY(put_page_file(sink, "page", etr_web_script, error));
  etr_writer_init(&writer, sink);
  etr_puts(&writer, "<script type=\"module\">");
  etr_put(&writer, etr_web_loader);
  etr_puts(&writer, "</script>\n</body>\n</html>\n");
  return etr_writer_finish(&writer, error);
}

/* Rows of each list in a comment, as the commands print them. */
enum { COMMENT_ROWS = 10 };

/* Writes what the page copies as a comment for a pull request: the Markdown of `summary`. */
static etr_status put_comment(const etr_sink *sink, const etr_text *comment, etr_error *error) {
  return put_document(sink, "comment", &(document){.made = comment}, error);
}

/* Writes the page of one record, and the Markdown that it copies as a comment for a pull request.
 */
static etr_status put_page(const etr_sink *sink, etr_unit unit, const etr_profile *profile,
                           const etr_text *comment, etr_error *error) {
  ETR_TRY(begin_page(sink, unit, error));
  ETR_TRY(put_record(sink, "profile", profile, error));
  ETR_TRY(put_comment(sink, comment, error));
  return end_page(sink, error);
}

/* The unit of a comment, which has no page that could choose. */
static etr_unit comment_unit(etr_unit unit) {
  return unit == ETR_UNIT_AUTO ? ETR_UNIT_MS : unit;
}

etr_status etr_emit_report(const etr_profile *profile, etr_unit unit, const etr_sink *sink,
                           etr_error *error) {
  etr_arena arena = {0};
  etr_text comment = {.arena = &arena}; /* Markdown that the page copies for a pull request */
  const etr_table_options options = {
      .format = ETR_TABLE_MARKDOWN, .unit = comment_unit(unit), .top = COMMENT_ROWS};
  etr_status status = etr_emit_summary_tables(profile, NULL, &options,
                                              &(etr_sink){etr_text_write, &comment}, error);
  bool out_of_memory = etr_arena_failed(&arena); /* the emitters report it as a sink that refuses */
  if (status == ETR_OK)
    status = put_page(sink, unit, profile, &comment, error);
  etr_arena_clear(&arena);
  return out_of_memory ? etr_fail_memory(error) : status;
}

/* ---- A record and its base ---- */

/* The page shows operators, numbered as in its documents, and has no values, findings or graphs
 * with the comparison: it has them in the documents. So what it gets is a comparison of profiles
 * that have no graphs and no events. */

/* Returns a copy of a profile without graphs and blocks, so that a comparison of it is written
 * without what the documents already have. NULL when out of memory. */
static const etr_profile *without_graphs(etr_arena *arena, const etr_profile *profile) {
  etr_profile *out = etr_arena_alloc(arena, sizeof *out);
  etr_method *methods = etr_arena_alloc_array(arena, profile->method_count, sizeof *methods);
  if (etr_arena_failed(arena))
    return NULL;
  *out = *profile;
  out->graph_count = out->block_count = 0;
  out->methods = methods;
  for (size_t i = 0; i < profile->method_count; i++) {
    methods[i] = profile->methods[i];
    methods[i].graph = ETR_NONE;
  }
  return out;
}

/* Returns the row of each node of a method's graph among the operators of its document. NULL when
 * out of memory, and without a graph. */
static const uint32_t *rows_of_nodes(etr_arena *arena, const etr_profile *profile,
                                     uint32_t method) {
  uint32_t graph = method == ETR_NONE ? ETR_NONE : profile->methods[method].graph;
  size_t count;
  return graph == ETR_NONE ? NULL : etr_profile_rows(&count, arena, &profile->graphs[graph]);
}

static uint32_t row_at(const uint32_t *rows, uint32_t node) {
  return rows && node != ETR_NONE ? rows[node] : ETR_NONE;
}

/* Returns a copy of a method's comparison for the page: its pairs have the rows of operators in the
 * documents instead of nodes, since the page has no nodes, and the gaps of logged values, which the
 * page does not show, are left out. When out of memory, the arena has failed. */
static etr_method_pair replace_pair_nodes(etr_arena *arena, const etr_comparison *comparison,
                                          const etr_method_pair *method) {
  const uint32_t *base_rows = rows_of_nodes(arena, comparison->base, method->base_method);
  const uint32_t *new_rows = rows_of_nodes(arena, comparison->newer, method->new_method);
  etr_node_pair *pairs = etr_arena_alloc_array(arena, method->pair_count, sizeof *pairs);
  etr_method_pair in_rows = *method;
  for (size_t i = 0; pairs && i < method->pair_count; i++) {
    pairs[i] = method->pairs[i];
    pairs[i].base_node = row_at(base_rows, pairs[i].base_node);
    pairs[i].new_node = row_at(new_rows, pairs[i].new_node);
  }
  in_rows.pairs = pairs;
  in_rows.gap_count = 0;
  return in_rows;
}

static bool shows(const etr_profile *profile, uint32_t method) {
  return method != ETR_NONE && etr_profile_shows(&profile->methods[method]);
}

/* Sets *out to the comparison that the page shows, in the arena: without graphs, with rows instead
 * of nodes. Its methods are those of the newer document in its order, then those that only the base
 * has. Returns false when out of memory. */
static bool replace_nodes_by_rows(etr_comparison *out, etr_arena *arena,
                                  const etr_comparison *comparison) {
  etr_method_pair *methods = etr_arena_alloc_array(arena, comparison->method_count,
                                                   sizeof *methods);
  *out = *comparison;
  out->base = without_graphs(arena, comparison->base);
  out->newer = without_graphs(arena, comparison->newer);
  out->methods = methods;
  out->method_count = 0;
  for (int base_alone = 0; methods && base_alone < 2; base_alone++)
    for (size_t i = 0; i < comparison->method_count; i++) {
      const etr_method_pair *method = &comparison->methods[i];
      bool is_in_newer = shows(comparison->newer, method->new_method);
      if (base_alone ? !is_in_newer && shows(comparison->base, method->base_method) : is_in_newer)
        methods[out->method_count++] = replace_pair_nodes(arena, comparison, method);
    }
  return !etr_arena_failed(arena);
}

/* ---- Several records ---- */

/* What a report of several records is made from: a base, which is the first, and the others.
 */
typedef struct records_report {
  const etr_profile *const *profiles;
  const char *const *names;
  size_t count;
  etr_table_options markdown; /* of the comment */
  etr_text *comparisons;      /* of each record with the base; the first is empty */
  etr_text side_by_side;      /* empty of two records */
  etr_text comment;
} records_report;

/* GitHub takes comments of 65,536 characters. */
enum { MOST_OF_A_COMMENT = 60000 };

static etr_sink into(etr_text *text) {
  return (etr_sink){etr_text_write, text};
}

/* Writes a comparison with the base as JSON for the page into a text: all of it (NULL: no filter),
 * with times in nanoseconds. Returns ETR_ERROR_MEMORY, without a message, when out of memory. */
static etr_status put_comparison(etr_text *out, const etr_comparison *comparison,
                                 etr_error *error) {
  etr_comparison shown;
  const etr_sink sink = into(out);
  return replace_nodes_by_rows(&shown, out->arena, comparison)
             ? etr_emit_diff_json(&shown, NULL, ETR_UNIT_NS, &sink, error)
             : ETR_ERROR_MEMORY;
}

/* Adds to the comment the tables that `diff` prints for a record, under a heading that opens them.
 * Sets *is_full, and adds nothing, if the comment would become too long for GitHub. */
static etr_status add_collapsed_diff(records_report *report, const etr_comparison *comparison,
                                     size_t record, bool *is_full, etr_error *error) {
  etr_text text = {.arena = report->comment.arena};
  etr_writer writer;
  const etr_sink own_sink = into(&text), sink = into(&report->comment);
  etr_writer_init(&writer, &own_sink);
  etr_puts(&writer, "\n<details><summary>");
  etr_put_markdown(&writer, report->names[record]);
  etr_puts(&writer, " against ");
  etr_put_markdown(&writer, report->names[0]);
  etr_puts(&writer, "</summary>\n\n");
  ETR_TRY(etr_writer_finish(&writer, error));
  ETR_TRY(etr_emit_diff_tables(comparison, NULL, &report->markdown, &own_sink, error));
  etr_writer_init(&writer, &own_sink);
  etr_puts(&writer, "\n</details>\n");
  ETR_TRY(etr_writer_finish(&writer, error));
  *is_full = report->comment.size + text.size > MOST_OF_A_COMMENT;
  if (!*is_full && !sink.write(sink.context, text.data, text.size))
    return ETR_ERROR_MEMORY;
  return ETR_OK;
}

/* Makes the Markdown that the page copies as a comment for a pull request: for two records that of
 * `diff`; for more that of `compare`, then that of `diff` for each record, as long as GitHub takes
 * it. */
static etr_status make_comment(records_report *report, const etr_record_set *set,
                               etr_error *error) {
  const etr_sink sink = into(&report->comment);
  bool is_full = false;
  if (report->count == 2)
    return etr_emit_diff_tables(etr_record_set_comparison(set, 1), NULL, &report->markdown, &sink,
                                error);
  ETR_TRY(etr_emit_compare_table(set, ETR_RECORDS_ALONE, &report->markdown, &sink, error));
  for (size_t i = 1; i < report->count && !is_full; i++)
    ETR_TRY(add_collapsed_diff(report, etr_record_set_comparison(set, i), i, &is_full, error));
  return ETR_OK;
}

/* Makes the comparison of each record with the base as `diff` writes it and, for more than two
 * records, the one of all side by side as `compare` writes it; then the comment. */
static etr_status make_comparison_documents(records_report *report, const etr_record_set *set,
                                            etr_error *error) {
  const etr_sink sink = into(&report->side_by_side);
  for (size_t i = 1; i < report->count; i++)
    ETR_TRY(put_comparison(&report->comparisons[i], etr_record_set_comparison(set, i), error));
  if (report->count > 2)
    ETR_TRY(etr_emit_compare_json(set, ETR_UNIT_NS, &sink, error));
  return make_comment(report, set, error);
}

/* Compares all records side by side and each with the base, in one set, so that their verdicts are
 * corrected for the same number of comparisons. Makes the documents of the page from it. The name
 * of a record stands for its path, too. */
static etr_status compare_all(records_report *report, etr_error *error) {
  const etr_record_set_options options = {.by = ETR_RECORDS_BY_OP, .keeps_comparisons = true};
  etr_record_set *set;
  ETR_TRY(etr_record_set_open(&set, &options, error));
  etr_status status = ETR_OK;
  for (size_t i = 0; status == ETR_OK && i < report->count; i++)
    status = etr_record_set_add(set, report->profiles[i], report->names[i], report->names[i],
                                error);
  if (status == ETR_OK)
    status = etr_record_set_finish(set, error);
  if (status == ETR_OK)
    status = make_comparison_documents(report, set, error);
  etr_record_set_close(set);
  return status;
}

/* Returns the id of the element of a record or comparison: `name` itself for record 1, as on a page
 * of one record, and "NAME2" and so on, written to `id`, for the others. */
static const char *element_id(char id[32], const char *name, size_t record) {
  if (record == 1)
    return name;
  (void)snprintf(id, 32, "%s%zu", name, record);
  return id;
}

/* Writes the page of several records: each of them, its comparison with the base, all side by side,
 * and the comment for a pull request. */
static etr_status put_records_page(const etr_sink *sink, const records_report *report,
                                   etr_unit unit, etr_error *error) {
  char id[32];
  ETR_TRY(begin_page(sink, unit, error));
  for (size_t i = 1; i < report->count; i++) {
    ETR_TRY(put_record(sink, element_id(id, "profile", i), report->profiles[i], error));
    ETR_TRY(put_document(sink, element_id(id, "comparison", i),
                         &(document){.made = &report->comparisons[i]}, error));
  }
  ETR_TRY(put_record(sink, "base", report->profiles[0], error));
  if (report->count > 2)
    ETR_TRY(put_document(sink, "records", &(document){.made = &report->side_by_side}, error));
  ETR_TRY(put_comment(sink, &report->comment, error));
  return end_page(sink, error);
}

etr_status etr_emit_report_of(const etr_profile *const *profiles, const char *const *names,
                              size_t count, etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_arena arena = {0};
  records_report several_records = {
      .profiles = profiles,
      .names = names,
      .count = count,
      .markdown = {.format = ETR_TABLE_MARKDOWN, .unit = comment_unit(unit), .top = COMMENT_ROWS},
      .comparisons = etr_arena_alloc_array(&arena, count, sizeof *several_records.comparisons),
      .side_by_side = {.arena = &arena},
      .comment = {.arena = &arena}};
  for (size_t i = 0; several_records.comparisons && i < count; i++)
    several_records.comparisons[i] = (etr_text){.arena = &arena};
  etr_status status = several_records.comparisons ? compare_all(&several_records, error)
                                                  : etr_fail_memory(error);
  bool out_of_memory = etr_arena_failed(&arena); /* the emitters report it as a sink that refuses */
  if (status == ETR_OK)
    status = put_records_page(sink, &several_records, unit, error);
  etr_arena_clear(&arena);
  return out_of_memory ? etr_fail_memory(error) : status;
}
