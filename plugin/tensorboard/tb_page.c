/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_page.c - writes the page of a record for TensorBoard's text tab, as Markdown.
 *
 * TensorBoard shows about 14 lines of a page and scrolls the rest, so what to look at comes before
 * any table.
 */
#include "output/answer.h"
#include "output/label.h"
#include "tables/sums.h"
#include "tensorboard/tb_tags.h"
#include "tensorboard/tb_view.h"
#include "views/loads.h"
#include "views/steadiness.h"

enum { MOST_FINDINGS = 3, MOST_OPERATORS = 5, MOST_METHODS = 8 };

/* A row of operators with less than this share would only show zeros. */
static const double least_share = 0.005;

/* ---- Head ---- */

/* Writes "NAME, forward: **82.4 ms ± 1.0** per inference", and what the runs are like. */
static void put_method(etr_answer *answer, const char *name, const etr_method *method,
                       bool is_first) {
  etr_writer *w = &answer->writer;
  const char *excluded = etr_excluded_runs_text(&answer->arena, answer->profile, method,
                                                ETR_UNIT_MS);
  const char *steadiness = etr_steadiness_text(&answer->arena, answer->profile, method,
                                               ETR_UNIT_MS);
  etr_puts(w, is_first ? "## " : "\n### ");
  if (is_first)
    etr_put_markdown(w, name);
  if (answer->profile->method_count > 1) {
    etr_puts(w, is_first ? ", " : "");
    etr_put_markdown(w, etr_label_method(method->name));
  }
  etr_puts(w, ": **");
  etr_put_execute(w, answer->profile, method, ETR_UNIT_MS);
  etr_putf(w, "** per inference\n\n%s of %zu run%s", etr_statistic_word(answer->profile),
           method->run_count, etr_plural(method->run_count));
  if (method->run_count > 1) {
    etr_puts(w, ", 90th percentile ");
    etr_put_time(w, answer->profile, method->execute.p90, ETR_UNIT_MS);
    etr_puts(w, " ms");
  }
  if (excluded && excluded[0])
    etr_putf(w, "; %s", excluded);
  if (steadiness && steadiness[0])
    etr_putf(w, "; %s", steadiness);
  const char *clock = is_first ? etr_label_clock(answer->profile, ETR_UNIT_MS) : NULL;
  if (clock)
    etr_putf(w, "; **%s**", clock);
  etr_puts(w, "\n");
}

/* Writes the method that takes longest, then the others. */
static void put_methods(etr_answer *answer, const char *name, const etr_method *longest) {
  size_t shown = 1;
  put_method(answer, name, longest, true);
  for (uint32_t i = 0; i < answer->profile->method_count; i++)
    if (&answer->profile->methods[i] != longest && etr_tb_shows_method(answer->profile, i) &&
        shown++ < MOST_METHODS)
      put_method(answer, name, &answer->profile->methods[i], false);
}

static void put_findings(etr_answer *answer, etr_findings findings) {
  if (findings.count)
    etr_puts(&answer->writer, "\n### Look at first\n\n");
  for (size_t i = 0; i < ETR_MIN(findings.count, (size_t)MOST_FINDINGS); i++) {
    etr_putf(&answer->writer, "%zu. **", i + 1);
    etr_put_markdown(&answer->writer, findings.list[i].title);
    etr_puts(&answer->writer, "**: ");
    etr_put_markdown(&answer->writer, findings.list[i].evidence);
    etr_puts(&answer->writer, " ");
    etr_put_markdown(&answer->writer, findings.list[i].saving);
    etr_puts(&answer->writer, "\n");
  }
}

/* ---- Tables ---- */

static void put_balance(etr_answer *answer, const etr_method *method) {
  etr_table table;
  etr_sum_table_init(&table, answer, ETR_IN_BALANCE, "where the time goes");
  table.top = 0;
  etr_balance_add(&table, method);
  if (table.rows.count) {
    etr_puts(&answer->writer, "\n");
    etr_table_finish(&table);
  }
  const char *notes[ETR_BALANCE_MOST_NOTES];
  size_t count = etr_balance_notes(notes, &answer->arena, answer->profile, method);
  for (size_t i = 0; i < count; i++)
    etr_putf(&answer->writer, "\n%s\n", notes[i]);
}

static bool put_operators(etr_answer *answer, const etr_method *method) {
  etr_breakdown rows;
  etr_table table;
  if (!etr_breakdown_make(&rows, &answer->arena, answer->profile, method, ETR_BY_OP, NULL))
    return false;
  double least = least_share * (double)method->execute_ticks;
  size_t shown = 0;
  while (shown < ETR_MIN(rows.count, (size_t)MOST_OPERATORS) &&
         (double)rows.rows[shown].total_ticks >= least)
    shown++;
  rows.count = shown;
  if (shown == 0)
    return true;
  etr_sum_table_init(&table, answer, ETR_IN_TEXT, "largest operator types");
  etr_sum_table_add_all(&table, method, ETR_BY_OP, &rows);
  etr_puts(&answer->writer, "\n");
  etr_table_finish(&table);
  return true;
}

/* ---- The page ---- */

typedef struct page {
  const etr_profile *profile;
  const etr_method_findings *found;
  const char *name;
} page;

static etr_status emit_page(void *context, const etr_sink *sink, etr_error *error) {
  static const etr_table_options options = {
      .format = ETR_TABLE_MARKDOWN, .unit = ETR_UNIT_MS, .top = MOST_OPERATORS};
  const page *p = context;
  const etr_method *method = p->found->method;
  etr_answer answer;
  etr_answer_begin(&answer, p->profile, NULL, &options, sink);
  put_methods(&answer, p->name, method);
  put_findings(&answer, p->found->findings);
  etr_puts(&answer.writer,
           "\n**See it in colour**: open [GRAPHS](#graphs), choose **Tag** `profile/typical`, then "
           "**Color by** *Compute time*.\n");
  put_balance(&answer, method);
  bool good = put_operators(&answer, method);
  etr_puts(&answer.writer,
           "\n[Curves without smoothing](?smoothing=0#timeseries) \xC2\xB7 "
           "[operator types only](?tagFilter=op_type&smoothing=0#timeseries) \xC2\xB7 "
           "[charts of curves that belong together](#custom_scalars&_smoothingWeight=0) \xC2\xB7 "
           "[all records in one table](#hparams) \xC2\xB7 [ExecuTorch dashboard](#etrecord), if it "
           "is installed\n\n"
           "`etrecord-tb summary RECORD` prints more; `etrecord-tb report RECORD` makes a page of "
           "everything.\n");
  return etr_answer_end(&answer, good, error);
}

bool etr_tb_page_make(etr_tb_page *out, etr_arena *arena, double wall_time,
                      const etr_profile *profile, const etr_method_findings *found,
                      const char *name) {
  page about = {profile, found, name ? name : etr_label_record(arena, profile)};
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  etr_status status = about.name ? emit_page(&about, &writer.sink, NULL) : ETR_ERROR_MEMORY;
  if (status == ETR_ERROR_MEMORY)
    etr_arena_fail(arena); /* the error is of the answer's arena */
  const char *markdown = status == ETR_OK ? etr_text_end(&text, &writer) : NULL;
  if (!markdown)
    return false;
  etr_tb_summary_init(&out->summary, wall_time, ETR_TB_TEXT, 0, "text",
                      TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  out->text = (ProtobufCBinaryData){strlen(markdown), (uint8_t *)(uintptr_t)markdown};
  out->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_STRING;
  out->summary.tensor.n_string_val = 1;
  out->summary.tensor.string_val = &out->text;
  return true;
}
