/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report.c - the dashboard and its document as one HTML file.
 */
#include "web_files.h"
#include "writer.h"

static void put_head(etr_writer *writer, etr_unit unit) {
  etr_putf(writer, "<!doctype html>\n<html lang=\"en\" data-unit=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n", etr_unit_name(unit));
  etr_puts(writer, "<meta http-equiv=\"Content-Security-Policy\" content=\"");
  etr_put(writer, etr_web_policy);
  etr_puts(writer, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>ExecuTorch profile</title>\n<style>");
  etr_put(writer, etr_web_style);
  etr_puts(writer, "</style>\n</head>\n<body>\n<script type=\"application/json\" id=\"profile\">\n");
}

static void put_tail(etr_writer *writer) {
  etr_puts(writer, "</script>\n<script type=\"module\">");
  etr_put(writer, etr_web_script);
  etr_puts(writer, "</script>\n</body>\n</html>\n");
}

etr_status etr_emit_report(const etr_profile *profile, etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_writer_init(&writer, sink);
  put_head(&writer, unit);
  ETR_TRY(etr_writer_finish(&writer, error));
  ETR_TRY(etr_emit_profile_json(profile, sink, error));
  put_tail(&writer);
  return etr_writer_finish(&writer, error);
}
