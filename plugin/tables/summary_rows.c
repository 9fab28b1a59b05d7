/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_rows.c - rows of all sections with the same columns.
 */
#include "summary_rows.h"

#include <math.h>

static const etr_column columns[] = {{"method", false, false}, {"section", false, false}, {"key", false, false}, {"avg", true, false},
                                     {"unit", false, false},   {"share", true, false},    {"p50", true, false},  {"p90", true, false},
                                     {"nodes", true, false},   {"note", false, false}};

/* A row; a time that is not known is NaN, an unknown count 0. */
typedef struct row {
  const char *method, *section, *key, *note;
  double avg, share, p50, p90; /* ticks */
  size_t nodes;
} row;

typedef struct adder {
  etr_table *table;
  const etr_profile *profile;
  etr_unit unit;
} adder;

static void add_number(const adder *a, double value, bool is_time) {
  etr_table_add_number(a->table, is_time ? etr_ticks_to_unit(a->profile, value, a->unit) : value, is_time ? 9 : 6);
}

static void add(const adder *a, const row *r) {
  etr_table_add(a->table, r->method);
  etr_table_add(a->table, r->section);
  etr_table_add(a->table, r->key);
  add_number(a, r->avg, true);
  etr_table_add(a->table, etr_unit_name(a->unit));
  add_number(a, r->share, false);
  add_number(a, r->p50, true);
  add_number(a, r->p90, true);
  etr_table_add(a->table, r->nodes ? etr_arena_format(a->table->arena, "%zu", r->nodes) : "");
  etr_table_add(a->table, r->note);
}

static row row_of(const etr_summary *s, const char *section, const char *key, uint64_t ticks) {
  return (row){.method = s->method->name,
               .section = section,
               .key = key,
               .note = "",
               .avg = (double)ticks / (double)s->method->run_count,
               .share = s->method->execute_ticks ? (double)ticks / (double)s->method->execute_ticks : NAN,
               .p50 = NAN,
               .p90 = NAN};
}

static void add_with_stats(const adder *a, row r, const etr_stats *stats) {
  if (stats && stats->count) r.p50 = stats->p50, r.p90 = stats->p90;
  add(a, &r);
}

static void add_balance(const adder *a, const etr_summary *s) {
  etr_balance_part parts[ETR_BALANCE_PARTS];
  add_with_stats(a, row_of(s, "execute", "", s->method->execute_ticks), &s->method->execute);
  etr_balance_list(s->method, parts);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++) {
    row r = row_of(s, parts[i].name, "", parts[i].ticks);
    add(a, &r);
  }
  row hidden = row_of(s, "clock_hidden", "", s->method->clock_hidden_ticks);
  add(a, &hidden);
  if (s->is_part) {
    row r = row_of(s, "filtered", "", s->part_ticks);
    r.nodes = s->node_count;
    add(a, &r);
  }
  if (s->first_run.rest.count == 0) return;
  row first = row_of(s, "first_run", "", 0);
  first.avg = s->first_run.ticks;
  first.share = NAN;
  add(a, &first);
  first.section = "other_runs";
  first.avg = s->first_run.rest.avg;
  add_with_stats(a, first, &s->first_run.rest);
}

static void add_nodes(const adder *a, const etr_summary *s, size_t top) {
  for (size_t i = 0; i < s->node_count && (top == 0 || i < top); i++) {
    const etr_node *node = &s->graph->nodes[s->nodes[i]];
    const etr_node_time *time = &s->graph->times[s->nodes[i]];
    row r = row_of(s, "node", node->name, time->total_ticks);
    r.nodes = 1;
    r.note = time->runs_as;
    add_with_stats(a, r, &time->per_run);
  }
}

static const char *key_of(const adder *a, const etr_breakdown_row *r, etr_breakdown_by by) {
  if (by != ETR_BY_SOURCE || !r->source) return r->key;
  return etr_arena_format(a->table->arena, "%s:%lld", r->source->file, (long long)r->source->line);
}

static void add_breakdown(const adder *a, const etr_summary *s, etr_breakdown_by by, size_t top) {
  for (size_t i = 0; i < s->by[by].count && (top == 0 || i < top); i++) {
    const etr_breakdown_row *from = &s->by[by].rows[i];
    row r = row_of(s, etr_breakdown_name(by), key_of(a, from, by), from->total_ticks);
    r.nodes = from->node_count;
    if (from->source) r.note = from->source->code;
    add_with_stats(a, r, &s->stats[by][from->number]);
  }
}

/* With what is below each module. */
static void add_modules(const adder *a, const etr_summary *s, size_t top) {
  for (size_t i = 0; i < s->modules.count && (top == 0 || i < top); i++) {
    row r = row_of(s, "module_total", s->modules.rows[i].path, s->modules.rows[i].total_ticks);
    r.nodes = s->modules.rows[i].node_count;
    r.note = s->modules.rows[i].type;
    add(a, &r);
  }
}

static void add_findings(const adder *a, const etr_summary *s) {
  for (size_t i = 0; i < s->findings.count; i++) {
    const etr_finding *finding = &s->findings.list[i];
    row r = row_of(s, "finding", etr_finding_kind_name(finding->kind), 0);
    r.avg = finding->cost;
    r.share = finding->share;
    r.nodes = finding->node_count;
    r.note = etr_arena_format(a->table->arena, "%s: %s", finding->title, finding->evidence);
    add(a, &r);
  }
}

void etr_summary_rows_init(etr_table *table, etr_arena *arena) { etr_table_init(table, arena, columns, ETR_COUNT(columns)); }

void etr_summary_rows_add(etr_table *table, const etr_summary *summary, const etr_table_options *options) {
  const adder a = {table, summary->profile, options->unit};
  add_balance(&a, summary);
  add_nodes(&a, summary, options->top);
  for (etr_breakdown_by by = ETR_BY_OP; by <= ETR_BY_SOURCE; by++) {
    add_breakdown(&a, summary, by, options->top);
    if (by == ETR_BY_MODULE) add_modules(&a, summary, options->top);
  }
  add_findings(&a, summary);
}

void etr_summary_rows_add_loads(etr_table *table, const etr_profile *profile, const etr_loads *loads, const etr_table_options *options) {
  const adder a = {table, profile, options->unit};
  for (size_t i = 0; i < loads->count; i++) {
    row r = {.method = "", .section = "load", .key = loads->list[i].name, .note = "", .avg = loads->list[i].stats.avg, .share = NAN};
    add_with_stats(&a, r, &loads->list[i].stats);
  }
}
