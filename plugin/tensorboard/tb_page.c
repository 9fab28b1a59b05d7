/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_page.c - writes pages of Markdown as TensorFlow's events.
 */
#include "tables/delegation_output.h"
#include "tables/memory_output.h"
#include "tables/sums.h"
#include "tensorboard/tb_view.h"
#include "views/findings.h"
#include "views/loads.h"

#include <math.h>

enum {
  BREAKDOWN_ROWS = 10,
  PAGE_ROWS = 50,
  MOST_ROWS = 100
}; /* TensorBoard turns Markdown into HTML whenever the page is looked at */

/* The context of the emitter that writes a page. */
typedef struct method_page {
  const etr_profile *profile;
  const etr_method *method;
} method_page;

/* ---- Summary ---- */

static void put_breakdown(etr_answer *answer, const etr_method *method, etr_breakdown_by by) {
  static const char *const titles[] = {"operator", "module", "pattern", "backend", "source line"};
  etr_breakdown rows;
  etr_table table;
  if (!etr_breakdown_make(&rows, &answer->arena, answer->profile, method, by, NULL) || rows.count == 0) return;
  etr_sum_table_init(&table, answer, ETR_IN_PAGE, titles[by]);
  etr_sum_table_add_all(&table, method, by, &rows);
  etr_puts(&answer->writer, "\n");
  etr_table_finish(&table);
}

static void put_balance(etr_answer *answer, const etr_method *method) {
  etr_sum whole = etr_sum_make(method, method->execute_ticks);
  etr_table table;
  etr_sum_table_init(&table, answer, ETR_IN_BALANCE_PAGE, etr_balance_title(answer->profile));
  table.top = 0;
  etr_balance_add(&table, method);
  whole.text = "Method::execute";
  etr_sum_table_add(&table, whole);
  etr_table_finish(&table);
  const char *notes[ETR_BALANCE_MOST_NOTES];
  size_t count = etr_balance_notes(notes, &answer->arena, answer->profile, method);
  for (size_t i = 0; i < count; i++) etr_putf(&answer->writer, "\n%s\n", notes[i]);
  const char *note = etr_balance_note(&answer->arena, answer->profile, method, ETR_UNIT_MS);
  if (note) etr_putf(&answer->writer, "\n%s\n", note);
}

/* Writes phases or compute units of delegates, unless no backend recorded any. */
static void put_delegate_parts(etr_answer *answer, const etr_method *method, const char *title,
                               const etr_delegate_parts *parts) {
  etr_table table;
  if (!parts->tells) return;
  etr_sum_table_init(&table, answer, ETR_IN_BALANCE_PAGE, title);
  table.top = 0;
  etr_sum_table_add_parts(&table, method, parts);
  etr_puts(&answer->writer, "\n");
  etr_table_finish(&table);
}

static etr_status emit_summary(void *context, const etr_sink *sink, etr_error *error) {
  const method_page *page = context;
  const etr_table_options options = {.format = ETR_TABLE_MARKDOWN, .unit = ETR_UNIT_MS, .top = BREAKDOWN_ROWS};
  etr_answer answer;
  etr_answer_begin(&answer, page->profile, NULL, &options, sink);
  const char *runs = etr_runs_text(&answer.arena, page->profile, page->method, ETR_UNIT_MS);
  etr_putf(&answer.writer, "%s\n\n", runs ? runs : "");
  put_balance(&answer, page->method);
  etr_delegate_parts phases, units;
  if (etr_delegate_phases_make(&phases, &answer.arena, page->method) &&
      etr_compute_units_make(&units, &answer.arena, page->method)) {
    put_delegate_parts(&answer, page->method, "delegate overhead by phase", &phases);
    put_delegate_parts(&answer, page->method, "delegate time by compute unit", &units);
  }
  for (etr_breakdown_by by = ETR_BY_OP; by <= ETR_BY_SOURCE; by++)
    if (by != ETR_BY_PATTERN) put_breakdown(&answer, page->method, by);
  return etr_answer_end(&answer, true, error);
}

/* ---- Pages that other outputs have, too ---- */

static etr_status emit_operators(void *context, const etr_sink *sink, etr_error *error) {
  const method_page *page = context;
  static const char none[] = "no operator has a time of its own";
  const etr_graph *graph = page->method->graph == ETR_NONE ? NULL : &page->profile->graphs[page->method->graph];
  bool any = false; /* only some delegates record times of their operators */
  for (size_t i = 0; graph && graph->times && i < graph->node_count; i++) any |= graph->times[i].runs > 0;
  if (!any)
    return sink->write(sink->context, none, sizeof none - 1)
               ? ETR_OK
               : etr_fail(error, ETR_ERROR_IO, NULL, NULL, ETR_NO_OFFSET, "the output could not be written");
  const etr_node_filter filter = {.method = page->method->name};
  const etr_table_options options = {.format = ETR_TABLE_MARKDOWN, .unit = ETR_UNIT_MS, .top = PAGE_ROWS};
  return etr_emit_nodes_table(page->profile, &filter, &options, sink, error);
}

static etr_status emit_delegation(void *context, const etr_sink *sink, etr_error *error) {
  const method_page *page = context;
  const etr_table_options options = {
      .format = ETR_TABLE_MARKDOWN, .unit = ETR_UNIT_MS, .order = ETR_ORDER_NAME, .top = MOST_ROWS};
  return etr_delegation_page(page->profile, page->method, &options, sink, error);
}

static etr_status emit_memory(void *context, const etr_sink *sink, etr_error *error) {
  const method_page *page = context;
  const etr_table_options options = {.format = ETR_TABLE_MARKDOWN, .top = PAGE_ROWS};
  return etr_memory_page(page->profile, page->method, &options, sink, error);
}

static etr_cell potential_share(const void *row) {
  const etr_finding *finding = row;
  if (finding->is_once) return etr_cell_text("once");
  return isnan(finding->potential_share) ? etr_cell_none() : etr_cell_share(finding->potential_share, 1);
}

static etr_cell finding_sureness(const void *row) {
  return etr_cell_text(etr_sureness_name(((const etr_finding *)row)->sureness));
}

static etr_status emit_findings(void *context, const etr_sink *sink, etr_error *error) {
  static const etr_field fields[] = {
      {NULL, "what to do", ETR_CELL_NAME, ETR_IN_PAGE, ETR_AT(etr_finding, title)},
      {NULL, "why", ETR_CELL_NAME, ETR_IN_PAGE, ETR_AT(etr_finding, evidence)},
      {NULL, "could save", ETR_CELL_TIME, ETR_IN_PAGE, ETR_AT(etr_finding, potential), .unit_in = ETR_IN_PAGE},
      {NULL, "share", ETR_CELL_SHARE, ETR_IN_PAGE, .get = potential_share},
      {NULL, "sure?", ETR_CELL_NAME, ETR_IN_PAGE, .get = finding_sureness},
      {NULL, "but", ETR_CELL_NAME, ETR_IN_PAGE, ETR_AT(etr_finding, caveat)},
      {NULL, "is about", ETR_CELL_TIME, ETR_IN_PAGE, ETR_AT(etr_finding, cost), .unit_in = ETR_IN_PAGE},
  };
  static const etr_table_options options = {.format = ETR_TABLE_MARKDOWN, .unit = ETR_UNIT_MS, .top = MOST_ROWS};
  const method_page *page = context;
  etr_answer answer;
  etr_table table;
  etr_findings findings;
  etr_answer_begin(&answer, page->profile, NULL, &options, sink);
  bool good = etr_findings_make(&findings, &answer.arena, page->profile, page->method, ETR_UNIT_MS);
  etr_table_init(&table, &answer, ETR_FIELDS(fields));
  table.medium = ETR_IN_PAGE;
  if (good && findings.count) {
    etr_table_add_rows(&table, ETR_ROWS(findings.list, findings.count));
    etr_table_finish(&table);
  }
  return etr_answer_end(&answer, good, error);
}

bool etr_tb_page_make(etr_tb_page *page, etr_arena *arena, double wall_time, const etr_profile *profile,
                      const etr_method *method, etr_tb_page_kind kind) {
  static const struct {
    const char *title; /* numbered, because TensorBoard sorts pages by name */
    etr_emitter emit;
  } kinds[] = {[ETR_TB_SUMMARY] = {"1_summary", emit_summary},
               [ETR_TB_FINDINGS] = {"2_findings", emit_findings},
               [ETR_TB_OPERATORS] = {"3_operators", emit_operators},
               [ETR_TB_DELEGATION] = {"4_delegation", emit_delegation},
               [ETR_TB_MEMORY] = {"5_memory", emit_memory}};
  const char *tag = etr_arena_format(arena, "text/%s/%s", kinds[kind].title, method->name);
  method_page about = {profile, method};
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  etr_status status = kinds[kind].emit(&about, &writer.sink, NULL);
  if (status == ETR_ERROR_MEMORY) etr_arena_fail(arena); /* the error is of the answer's arena */
  const char *markdown = status == ETR_OK && text.size > 0 ? etr_text_end(&text, &writer) : NULL;
  if (!tag || !markdown) return false;
  etr_tb_summary_init(&page->summary, wall_time, tag, 0, "text", TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  page->text = (ProtobufCBinaryData){strlen(markdown), (uint8_t *)(uintptr_t)markdown};
  page->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_STRING;
  page->summary.tensor.n_string_val = 1;
  page->summary.tensor.string_val = &page->text;
  return true;
}
