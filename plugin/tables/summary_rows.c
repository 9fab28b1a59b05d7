/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_rows.c - the sections of a summary under each other.
 */
#include "tables/summary_output.h"

#include "views/phases.h"

static void add_row(etr_sheet *sheet, const char *section, const char *key, const char *note, etr_sum sum) {
  sum.section = section;
  sum.key = key;
  sum.note = note;
  etr_sum_sheet_add(sheet, sum);
}

/* Times that are no share of anything. */
static etr_sum time_of(const etr_method *method, double ticks, const etr_stats *stats) {
  etr_sum sum = etr_sum_of_stats(ticks, stats);
  sum.method = method;
  return sum;
}

static void add_balance(etr_sheet *sheet, const etr_summary *s) {
  const etr_method *method = s->method;
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_sum whole = etr_sum_make(method, method->execute_ticks), part = etr_sum_make(method, s->part_ticks);
  whole.stats = &method->execute;
  part.nodes = s->node_count;
  add_row(sheet, "execute", "", "", whole);
  etr_balance_list(method, parts);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++)
    add_row(sheet, parts[i].name, "", "", etr_sum_make(method, parts[i].ticks));
  add_row(sheet, "clock_hidden", "", "", etr_sum_make(method, method->clock_hidden_ticks));
  if (s->is_part) add_row(sheet, "filtered", "", "", part);
  if (s->first_run.rest.count == 0) return;
  add_row(sheet, "first_run", "", "", time_of(method, s->first_run.ticks, NULL));
  add_row(sheet, "other_runs", "", "", time_of(method, s->first_run.rest.avg, &s->first_run.rest));
}

static void add_delegate_parts(etr_sheet *sheet, const etr_method *method, const char *section,
                               const etr_delegate_parts *parts) {
  for (size_t i = 0; parts->tells && i < parts->list.count; i++)
    add_row(sheet, section, parts->list.data[i].text, parts->list.data[i].backend,
            etr_sum_make(method, parts->list.data[i].ticks));
}

static void add_delegates(etr_sheet *sheet, const etr_method *method) {
  etr_delegate_parts phases, units;
  if (!etr_delegate_phases_make(&phases, &sheet->answer->arena, method) ||
      !etr_compute_units_make(&units, &sheet->answer->arena, method))
    return;
  add_delegate_parts(sheet, method, "delegate_phase", &phases);
  add_delegate_parts(sheet, method, "compute_unit", &units);
}

static void add_phases(etr_sheet *sheet, const etr_method *method) {
  for (size_t i = 0; method->mixed_phase_count > 1 && i < method->run_phase_count; i++) {
    const etr_run_phase *phase = &method->run_phases[i];
    const char *note = etr_arena_format(&sheet->answer->arena, "%zu runs, told by %s", phase->run_count,
                                        etr_phase_rule_name(phase->told_by));
    if (phase->run_count)
      add_row(sheet, "phase_of_runs", phase->name, note, time_of(method, phase->execute.avg, &phase->execute));
  }
}

/* In the answer's arena; NULL when out of memory. */
static const etr_cost_figures *cost_of(etr_sheet *sheet, const etr_summary *s, uint32_t node) {
  etr_cost_figures *cost = etr_arena_alloc_array(&sheet->answer->arena, 1, sizeof *cost);
  if (cost) *cost = etr_cost_figures_of_node(s->profile, s->graph, node);
  return cost;
}

static void add_nodes(etr_sheet *sheet, const etr_summary *s, size_t top) {
  for (size_t i = 0; i < ETR_MIN(s->node_count, top); i++) {
    const etr_node_time *time = &s->graph->times[s->nodes[i]];
    etr_sum sum = etr_sum_make(s->method, time->total_ticks);
    sum.nodes = 1;
    sum.stats = &time->per_run;
    sum.cost = cost_of(sheet, s, s->nodes[i]);
    sum.summed_p50 = s->summed_p50;
    add_row(sheet, "node", s->graph->nodes[s->nodes[i]].name, time->runs_as, sum);
  }
}

static void add_breakdown(etr_sheet *sheet, const etr_summary *s, etr_breakdown_by by, size_t top) {
  for (size_t i = 0; i < ETR_MIN(s->by[by].count, top); i++) {
    const etr_source *source = s->by[by].rows[i].source;
    etr_sum sum = etr_sum_of(s->method, by, &s->by[by], &s->by[by].rows[i]);
    const char *key = source ? etr_arena_format(&sheet->answer->arena, "%s:%lld", source->file, (long long)source->line)
                             : sum.key;
    add_row(sheet, etr_breakdown_name(by), key, source ? source->code : "", sum);
  }
}

/* With what is below each module. */
static void add_modules(etr_sheet *sheet, const etr_summary *s, size_t top) {
  for (size_t i = 0; i < ETR_MIN(s->modules.count, top); i++) {
    const etr_module_row *row = &s->modules.rows[i];
    etr_sum sum = etr_sum_make(s->method, row->total_ticks);
    sum.nodes = row->node_count;
    sum.p50 = row->total_p50;
    sum.summed_p50 = s->modules.summed_p50;
    sum.cost = &row->cost;
    add_row(sheet, "module_total", row->path, row->type, sum);
  }
}

static void add_findings(etr_sheet *sheet, const etr_summary *s) {
  for (size_t i = 0; i < s->findings.count; i++) {
    const etr_finding *finding = &s->findings.list[i];
    etr_sum sum = {
        .method = s->method, .ticks = finding->cost, .p50 = finding->cost, .part = finding->share, .whole = 1};
    sum.nodes = finding->node_count;
    add_row(sheet, "finding", etr_finding_kind_name(finding->kind),
            etr_arena_format(&sheet->answer->arena, "%s: %s", finding->title, finding->evidence), sum);
  }
}

void etr_summary_rows_add(etr_sheet *sheet, const etr_summary *summary) {
  size_t top = sheet->answer->options->top ? sheet->answer->options->top : SIZE_MAX;
  etr_sum_by only = sheet->answer->options->by;
  if (!only) add_balance(sheet, summary);
  if (!only) add_delegates(sheet, summary->method);
  if (!only) add_phases(sheet, summary->method);
  if (!only) add_nodes(sheet, summary, top);
  for (etr_breakdown_by by = ETR_BY_OP; by <= ETR_BY_SOURCE; by++) {
    if (only && etr_breakdown_of(only) != by) continue;
    add_breakdown(sheet, summary, by, top);
    if (by == ETR_BY_MODULE) add_modules(sheet, summary, top);
  }
  if (!only) add_findings(sheet, summary);
}

void etr_summary_rows_add_patterns(etr_sheet *sheet, const etr_summary *summary) {
  size_t top = sheet->answer->options->top ? sheet->answer->options->top : SIZE_MAX;
  for (size_t i = 0; i < ETR_MIN(summary->patterns.count, top); i++)
    etr_sum_sheet_add(sheet, etr_sum_of_pattern(summary->method, &summary->patterns.rows[i], false));
}

void etr_summary_rows_add_loads(etr_sheet *sheet, const etr_loads *loads) {
  static const etr_method none = {.name = ""};
  for (size_t i = 0; i < loads->count; i++)
    add_row(sheet, "load", loads->list[i].name, "", time_of(&none, loads->list[i].stats.avg, &loads->list[i].stats));
}
