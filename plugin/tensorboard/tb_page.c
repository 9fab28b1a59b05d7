/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_page.c - writes the page of a record for TensorBoard's text tab, as Markdown.
 *
 * TensorBoard shows about 14 lines of a page and scrolls the rest, so what to look at comes before
 * any table.
 */
#include "base/method_parts.h"
#include "output/answer.h"
#include "output/label.h"
#include "output/ranking.h"
#include "output/text_table.h"
#include "tables/first_screen.h"
#include "tensorboard/tb_summary.h"
#include "tensorboard/tb_tags.h"
#include "tensorboard/tb_view.h"
#include "views/balance.h"
#include "views/interruptions.h"
#include "views/loads.h"
#include "views/steadiness.h"

/* Of fewer runs, the 90th percentile is the longest one. */
enum { LEAST_OF_PERCENTILE = 10 };
enum { MOST_OPERATORS = 5, MOST_METHODS = 8 };

/* ---- Head ---- */

/* Writes the heading of a method's section, "NAME, METHOD: **82.4 ms ± 1.0** per inference".
 * is_first: it is the section of the record's longest method, which names the record. If runs take
 * one of two times, both are there, and the typical one, which no run takes, is added. */
static void put_method_heading(etr_answer *answer, const char *name, const etr_method *method,
                               bool is_first) {
  etr_writer *writer = &answer->writer;
  etr_unit unit = etr_unit_of_method(answer->profile, method);
  etr_puts(writer, is_first ? "## " : "\n### ");
  if (is_first)
    etr_put_markdown(writer, name);
  if (etr_tb_has_several_methods(answer->profile)) {
    etr_puts(writer, is_first ? ", " : "");
    etr_put_markdown(writer, etr_label_method(method->name));
  }
  etr_puts(writer, ": **");
  etr_put_execute(writer, answer->profile, method, unit);
  etr_puts(writer, "** per inference");
  if (etr_is_between_modes(method)) {
    etr_puts(writer, " (typical ");
    etr_put_time(writer, answer->profile, method->execute.typical, unit);
    etr_putf(writer, " %s)", etr_unit_name(unit));
  }
  etr_puts(writer, "\n\n");
}

/* Writes of how many runs a method's time is, with their 90th percentile if there are enough. */
static void put_run_count(etr_answer *answer, const etr_method *method) {
  etr_writer *writer = &answer->writer;
  etr_unit unit = etr_unit_of_method(answer->profile, method);
  if (method->run_count == 1)
    etr_puts(writer, "one run");
  else
    etr_putf(writer, "%s of %zu runs", etr_statistic_word(answer->profile), method->run_count);
  if (method->run_count < LEAST_OF_PERCENTILE)
    return;
  etr_puts(writer, ", 90th percentile ");
  etr_put_time(writer, answer->profile, method->execute.p90, unit);
  etr_putf(writer, " %s", etr_unit_name(unit));
}

/* Writes what a method's runs are like: their number, which are excluded, and how much they differ.
 * How much they differ is their steadiness or, without one, a note on few runs. Where they differ
 * much, it says that times are not sure. */
static void put_run_facts(etr_answer *answer, const etr_method *method) {
  etr_writer *writer = &answer->writer;
  etr_unit unit = etr_unit_of_method(answer->profile, method);
  const char *excluded = etr_excluded_runs_text(answer, method);
  const char *steadiness = etr_steadiness_text(&answer->arena, answer->profile, method, unit);
  const char *recordings = etr_recordings_text(&answer->arena, answer->profile, method, unit);
  bool says_steadiness = steadiness && steadiness[0];
  put_run_count(answer, method);
  if (excluded && excluded[0])
    etr_putf(writer, "; %s", excluded);
  if (says_steadiness)
    etr_putf(writer, "; %s", steadiness);
  if (etr_few_runs_text(method)[0] && !says_steadiness)
    etr_putf(writer, "; %s", etr_few_runs_text(method));
  if (etr_runs_differ_much(method))
    etr_puts(writer,
             says_steadiness ? ETR_TIMES_NOT_SURE : "; the runs differ much" ETR_TIMES_NOT_SURE);
  if (recordings && recordings[0]) {
    etr_puts(writer, "; ");
    etr_put_markdown(writer, recordings);
  }
}

/* Writes the section of a method. screen: the first screen of the record for its longest method,
 * whose sentence is added, without the method's name (false), which the heading has. NULL for other
 * methods. */
static void put_method_section(etr_answer *answer, const char *name, const etr_method *method,
                               const etr_first_screen *screen) {
  etr_writer *writer = &answer->writer;
  const etr_graph *graph = method->graph == ETR_NONE ? NULL
                                                     : &answer->profile->graphs[method->graph];
  bool is_first = screen != NULL;
  put_method_heading(answer, name, method, is_first);
  if (graph && graph->is_changed)
    etr_puts(writer, ETR_CHANGED_PROGRAM "\n\n");
  if (is_first) {
    etr_first_screen_put_sentence(answer, screen, false);
    etr_puts(writer, "\n");
  }
  put_run_facts(answer, method);
  if (is_first && answer->profile->takes_cycles_as_ns)
    etr_puts(writer, "; **" ETR_CYCLES_HAVE_NO_RATE "**");
  etr_puts(writer, "\n");
}

/* Writes the section of the method that takes longest, to which `screen` belongs, and then those of
 * the others, which have none (NULL), MOST_METHODS in all. */
static void put_method_sections(etr_answer *answer, const char *name, const etr_method *longest,
                                const etr_first_screen *screen) {
  size_t shown = 1;
  put_method_section(answer, name, longest, screen);
  for (uint32_t i = 0; i < answer->profile->method_count; i++)
    if (&answer->profile->methods[i] != longest && etr_tb_shows_method(answer->profile, i) &&
        shown++ < MOST_METHODS)
      put_method_section(answer, name, &answer->profile->methods[i], NULL);
}

/* Writes what limits the numbers, as sentences below the tables. They are about times on nodes,
 * compute units and missing files. */
static void put_notes(etr_answer *answer, const etr_method *method) {
  const char *notes[ETR_BALANCE_MOST_NOTES];
  size_t count = etr_balance_notes(notes, &answer->arena, answer->profile, method);
  for (size_t i = 0; i < count; i++)
    etr_putf(&answer->writer, "\n%s\n", notes[i]);
}

/* Writes how to color the graph, whose times are as they were recorded: with interruptions, which
 * the page's own numbers are without. */
static void put_graph_hint(etr_answer *answer, const etr_method *method) {
  etr_puts(&answer->writer,
           "\n**See it in color**: open [GRAPHS](#graphs), choose **Tag** `profile/typical`, then "
           "**Color by** *Compute time*");
  double interrupted = etr_times_of_method(answer->profile, method).method->interrupted;
  if (interrupted > 0)
    etr_putf(&answer->writer, ETR_WITH_INTERRUPTIONS ", %.0f %% of the typical run",
             100 * interrupted);
  etr_puts(&answer->writer, ".\n");
}

/* Returns true if --map said which method a run was of. */
static bool is_any_run_mapped(const etr_profile *profile) {
  bool found = false;
  for (size_t i = 0; i < profile->block_count; i++)
    found |= strncmp(etr_or_empty(profile->blocks[i].method_rule), "--map", 5) == 0;
  return found;
}

/* ---- The page ---- */

typedef struct page {
  const etr_profile *profile;
  const etr_method_findings *found;
  const char *name;
} page;

/* Writes the text page of a record, in Markdown: its methods, what to do, the largest operators,
 * and links to other tabs of TensorBoard. The first screen is of all nodes (NULL). */
static etr_status emit_page(void *context, const etr_sink *sink, etr_error *error) {
  static const etr_table_options options = {
      .format = ETR_TABLE_MARKDOWN, .unit = ETR_UNIT_MS, .top = MOST_OPERATORS};
  const page *about = context;
  const etr_method *method = about->found->method;
  etr_answer answer;
  etr_answer_begin(&answer, about->profile, NULL, &options, sink);
  etr_first_screen screen;
  bool is_good = etr_first_screen_make(&screen, &answer, method, &about->found->findings,
                                       etr_unit_of_method(about->profile, method), NULL);
  screen.most_findings = ETR_FINDINGS_SHOWN;
  screen.most_rows = MOST_OPERATORS;
  put_method_sections(&answer, about->name, method, is_good ? &screen : NULL);
  if (is_good) {
    etr_first_screen_put_findings(&answer, &screen);
    const char *note = etr_findings_note(&about->found->findings);
    if (note)
      etr_putf(&answer.writer, "\n%s\n", note);
    etr_first_screen_put_rows(&answer, &screen);
    put_notes(&answer, method);
  }
  if (about->profile->graph_count > 0)
    put_graph_hint(&answer, method);
  else
    etr_puts(&answer.writer,
             "\nThis record is not in GRAPHS, because an ETDump alone has no graph.\n");
  etr_puts(&answer.writer,
           "\n[Curves without smoothing](?smoothing=0#timeseries) \xC2\xB7 "
           "[operator types only](?tagFilter=op_type&smoothing=0#timeseries) \xC2\xB7 "
           "[charts of curves that belong together](#custom_scalars&_smoothingWeight=0) \xC2\xB7 "
           "[all records in one table](#hparams) \xC2\xB7 [ExecuTorch dashboard](#etrecord), if it "
           "is installed\n\n");
  etr_putf(&answer.writer,
           "`etrecord-tb summary RECORD` prints more; `etrecord-tb report RECORD` makes a page of "
           "everything%s.\n",
           is_any_run_mapped(about->profile) ? " (both with the same `--map`)" : "");
  return etr_answer_end(&answer, is_good, error);
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
  if (markdown)
    etr_tb_text_init(out, wall_time, ETR_TB_TEXT, 0, markdown);
  return markdown != NULL;
}

void etr_tb_text_init(etr_tb_page *out, double wall_time, const char *tag, int64_t step,
                      const char *markdown) {
  etr_tb_summary_init(&out->summary, wall_time, tag, step, "text",
                      TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  out->text = (ProtobufCBinaryData){strlen(markdown), (uint8_t *)(uintptr_t)markdown};
  out->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_STRING;
  out->summary.tensor.n_string_val = 1;
  out->summary.tensor.string_val = &out->text;
}
