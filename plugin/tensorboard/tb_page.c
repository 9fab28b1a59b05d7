/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_page.c - pages of Markdown as TensorFlow's events.
 */
#include "tb_page.h"

#include "balance.h"
#include "breakdown.h"
#include "delegation.h"
#include "findings.h"
#include "label.h"
#include "table.h"

#include <math.h>

enum { BREAKDOWN_ROWS = 10 };

void etr_tb_page_init(etr_tb_page *page, double wall_time, const char *tag, const char *markdown) {
  etr_tb_summary_init(&page->summary, wall_time, tag, 0, "text", TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  page->text = (ProtobufCBinaryData){strlen(markdown), (uint8_t *)(uintptr_t)markdown};
  page->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_STRING;
  page->summary.tensor.n_string_val = 1;
  page->summary.tensor.string_val = &page->text;
}

/* ---- Summary ---- */

static void add_row(etr_table *table, const etr_profile *profile, const etr_method *method, const char *text, uint64_t ticks) {
  etr_table_add(table, text);
  etr_table_add_number(table, etr_ticks_to_ns(profile, (double)ticks / (double)method->run_count), 3);
  etr_table_add_share(table, (double)ticks, (double)method->execute_ticks);
}

/* A table, and how many rows were left out of it. */
static void put_table(etr_writer *writer, etr_table *table, size_t hidden) {
  etr_table_write(table, writer, ETR_TABLE_MARKDOWN, 0);
  if (hidden) etr_putf(writer, "\n%zu more\n", hidden);
}

static const char *row_text(etr_arena *arena, const etr_breakdown_row *row, etr_breakdown_by by) {
  if (by == ETR_BY_SOURCE) return row->source ? etr_label_source(arena, row->source) : "(not recorded)";
  return by == ETR_BY_MODULE && !row->key[0] ? "(the model itself)" : row->key;
}

static void put_breakdown(etr_writer *writer, etr_arena *arena, const etr_profile *profile, const etr_method *method, etr_breakdown_by by) {
  static const char *const titles[] = {"operator", "module", "backend", "source line"};
  const etr_column columns[] = {{titles[by], false, false}, {"avg ns", true, false}, {"share", true, false}, {"nodes", true, false}};
  etr_breakdown rows;
  etr_table table;
  if (!etr_breakdown_make(&rows, arena, profile, method, by, NULL) || rows.count == 0) return;
  etr_table_init(&table, arena, columns, ETR_COUNT(columns));
  size_t shown = ETR_MIN(rows.count, (size_t)BREAKDOWN_ROWS);
  for (size_t i = 0; i < shown; i++) {
    add_row(&table, profile, method, row_text(arena, &rows.rows[i], by), rows.rows[i].total_ticks);
    etr_table_add_number(&table, (double)rows.rows[i].node_count, 0);
  }
  etr_puts(writer, "\n");
  put_table(writer, &table, rows.count - shown);
}

char *etr_tb_summary_page(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  static const etr_column columns[] = {{"where the time goes", false, false}, {"avg ns", true, false}, {"share", true, false}};
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_text text;
  etr_writer writer;
  etr_table table;
  etr_table_init(&table, arena, columns, ETR_COUNT(columns));
  etr_balance_list(method, parts);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++)
    if (etr_balance_tells(parts, i)) add_row(&table, profile, method, parts[i].text, parts[i].ticks);
  add_row(&table, profile, method, "Method::execute", method->execute_ticks);
  etr_text_begin(&text, arena, &writer);
  etr_putf(&writer, "%zu run%s\n\n", method->run_count, method->run_count == 1 ? "" : "s");
  put_table(&writer, &table, 0);
  const char *note = etr_balance_note(arena, profile, method, ETR_UNIT_NS);
  if (note) etr_putf(&writer, "\n%s\n", note);
  for (etr_breakdown_by by = ETR_BY_OP; by <= ETR_BY_SOURCE; by++) put_breakdown(&writer, arena, profile, method, by);
  return etr_text_end(&text, &writer);
}

/* ---- Operators ---- */

char *etr_tb_operators_page(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  const etr_node_filter filter = {.method = method->name};
  const etr_table_options options = {.format = ETR_TABLE_MARKDOWN, .unit = ETR_UNIT_US, .top = ETR_TB_PAGE_ROWS};
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  etr_status status = etr_emit_nodes_table(profile, &filter, &options, &writer.sink, NULL);
  if (status == ETR_ERROR_MEMORY) arena->failed = true; /* of an arena of its own */
  return status == ETR_OK ? etr_text_end(&text, &writer) : NULL;
}

/* ---- Delegation ---- */

static void add_average(etr_table *table, const etr_profile *profile, const etr_method *method, const etr_delegation_side *side) {
  if (side->timed)
    etr_table_add_time(table, profile, (double)side->ticks / (double)method->run_count, ETR_UNIT_US);
  else
    etr_table_add(table, "");
}

char *etr_tb_delegation_page(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  static const etr_column columns[] = {{"operator", false, false},
                                       {"delegated", true, false},
                                       {"not delegated", true, false},
                                       {"delegated avg us", true, false},
                                       {"not delegated avg us", true, false}};
  etr_delegation delegation;
  etr_text text;
  etr_writer writer;
  etr_table table;
  if (!etr_delegation_make(&delegation, arena, profile, method, NULL) || delegation.count == 0) return NULL;
  etr_table_init(&table, arena, columns, ETR_COUNT(columns));
  size_t shown = ETR_MIN(delegation.count, (size_t)ETR_TB_MOST_ROWS);
  for (size_t i = 0; i < shown; i++) {
    const etr_delegation_row *row = &delegation.rows[i];
    etr_table_add(&table, row->op_type);
    etr_table_add_number(&table, (double)row->delegated.nodes, 0);
    etr_table_add_number(&table, (double)row->rest.nodes, 0);
    add_average(&table, profile, method, &row->delegated);
    add_average(&table, profile, method, &row->rest);
  }
  etr_text_begin(&text, arena, &writer);
  etr_putf(&writer, "%zu delegated subgraph%s: %zu nodes delegated, %zu not\n\n", delegation.subgraphs, delegation.subgraphs == 1 ? "" : "s",
           delegation.delegated_nodes, delegation.non_delegated_nodes);
  put_table(&writer, &table, delegation.count - shown);
  return etr_text_end(&text, &writer);
}

/* ---- Findings ---- */

char *etr_tb_findings_page(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  static const etr_column columns[] = {{"what", false, false}, {"avg us", true, false}, {"share", true, false}, {"what says so", false, false}};
  etr_findings findings;
  etr_text text;
  etr_writer writer;
  etr_table table;
  if (!etr_findings_make(&findings, arena, profile, method, ETR_UNIT_US) || findings.count == 0) return NULL;
  etr_table_init(&table, arena, columns, ETR_COUNT(columns));
  size_t shown = ETR_MIN(findings.count, (size_t)ETR_TB_MOST_ROWS);
  for (size_t i = 0; i < shown; i++) {
    const etr_finding *finding = &findings.list[i];
    etr_table_add(&table, finding->title);
    etr_table_add_time(&table, profile, finding->cost, ETR_UNIT_US);
    if (isnan(finding->share))
      etr_table_add(&table, "once");
    else
      etr_table_add_share(&table, finding->share, 1);
    etr_table_add(&table, finding->evidence);
  }
  etr_text_begin(&text, arena, &writer);
  put_table(&writer, &table, findings.count - shown);
  return etr_text_end(&text, &writer);
}
