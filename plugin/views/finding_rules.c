/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_rules.c - collects findings; what the rules share, and those about whole runs.
 */
#include "views/finding_rules.h"

#include "base/natural.h"
#include "base/stats.h"
#include "output/text_table.h"
#include "views/breakdown.h"
#include "views/loads.h"
#include "views/timed_node.h"

#include <math.h>
#include <stdlib.h>

const char *etr_finding_kind_name(etr_finding_kind kind) {
  static const char *const names[] = {"fallback",    "layout",       "copies",    "calls",        "outlier",
                                      "first_run",   "load",         "drift",     "waiting",      "cpu_fallback",
                                      "small_calls", "memory_bound", "slow_rate", "above_peak",   "step",
                                      "modes",       "slow_runs",    "periodic",  "slow_operator"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "";
}

/* ---- What the rules share ---- */

uint64_t etr_finder_usual(const etr_stats *stats, size_t count) { return (uint64_t)(stats->p50 * (double)count); }

etr_finding *etr_finder_add(etr_finder *finder, etr_finding_kind kind, uint64_t ticks) {
  const etr_method *method = finder->method;
  uint64_t usual = etr_finder_usual(&method->execute, method->run_count);
  uint64_t whole = usual ? usual : method->execute_ticks;
  ticks = ETR_MIN(ticks, whole); /* medians need not add up: an operator may run in the slow runs alone */
  double share = (double)ticks / (double)whole;
  etr_finding *added = share >= ETR_FINDING_LEAST_SHARE ? etr_vec_push(finder->arena, &finder->found) : NULL;
  if (added)
    *added = (etr_finding){.kind = kind,
                           .title = "",
                           .evidence = "",
                           .cost = (double)ticks / (double)finder->method->run_count,
                           .slope = NAN,
                           .share = share};
  return added;
}

/* Of what goes into another text: the arena has failed where it is NULL. */
static const char *or_empty(const char *text) { return text ? text : ""; }

const char *etr_finder_time_of(const etr_finder *finder, double ticks) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_put_time(&writer, finder->profile, ticks, finder->unit);
  etr_putf(&writer, " %s", etr_unit_name(finder->unit));
  return or_empty(etr_text_end(&text, &writer));
}

const char *etr_finder_time(const etr_finder *finder, uint64_t ticks) {
  return etr_finder_time_of(finder, (double)ticks / (double)finder->method->run_count);
}

uint64_t etr_finder_node_ticks(const etr_finder *finder, uint32_t node) {
  const etr_node_time *time = &finder->graph->times[node];
  return etr_finder_usual(&time->per_run, time->runs);
}

bool etr_finder_list_nodes(const etr_finder *finder, etr_finding *finding, const bool *marked) {
  etr_vec(etr_timed_node) list = {0};
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    etr_timed_node *added = marked[i] && finder->graph->times[i].runs > 0 ? etr_vec_push(finder->arena, &list) : NULL;
    if (added) *added = (etr_timed_node){.ticks = (double)etr_finder_node_ticks(finder, i), .node = i};
  }
  uint32_t *nodes = etr_arena_alloc_array(finder->arena, list.count, sizeof *nodes);
  if (etr_arena_failed(finder->arena)) return false;
  etr_sort(list.data, list.count, sizeof *list.data, etr_timed_node_order);
  for (size_t i = 0; i < list.count; i++) nodes[i] = list.data[i].node;
  finding->nodes = nodes;
  finding->node_count = list.count;
  return true;
}

static int by_total(const void *a, const void *b) {
  const etr_breakdown_row *x = a, *y = b;
  if (x->total_ticks != y->total_ticks) return x->total_ticks < y->total_ticks ? 1 : -1;
  return etr_natural_compare(x->key, y->key);
}

/* Gives a breakdown's rows what their nodes usually take. */
static bool take_usual(const etr_finder *finder, etr_breakdown *rows) {
  uint64_t *usual = etr_arena_alloc_array(finder->arena, rows->count, sizeof *usual);
  for (uint32_t i = 0; usual && i < finder->graph->node_count; i++)
    if (rows->row_of_node[i] != ETR_NONE) usual[rows->row_of_node[i]] += etr_finder_node_ticks(finder, i);
  for (size_t i = 0; usual && i < rows->count; i++) rows->rows[i].total_ticks = usual[rows->rows[i].number];
  etr_sort(rows->rows, rows->count, sizeof *rows->rows, by_total);
  return usual != NULL;
}

const char *etr_finder_by_operator(const etr_finder *finder, const bool *marked) {
  enum { LISTED = 4 };
  etr_breakdown rows;
  etr_text text;
  etr_writer writer;
  if (!etr_breakdown_make(&rows, finder->arena, finder->profile, finder->method, ETR_BY_OP, marked) ||
      !take_usual(finder, &rows))
    return "";
  etr_text_begin(&text, finder->arena, &writer);
  for (size_t i = 0; i < rows.count && i < LISTED; i++)
    etr_putf(&writer, "%s%zu %s %s", i ? ", " : "", rows.rows[i].node_count, rows.rows[i].key,
             etr_finder_time(finder, rows.rows[i].total_ticks));
  if (rows.count > LISTED)
    etr_putf(&writer, ", %zu other kind%s", rows.count - LISTED, rows.count - LISTED == 1 ? "" : "s");
  return or_empty(etr_text_end(&text, &writer));
}

/* ---- Whole runs ---- */

/* A finding about ticks that were spent once. */
static etr_finding *add_once(etr_finder *finder, etr_finding_kind kind, double ticks) {
  etr_finding *added = etr_vec_push(finder->arena, &finder->found);
  if (added)
    *added = (etr_finding){.kind = kind, .title = "", .evidence = "", .cost = ticks, .slope = NAN, .share = NAN};
  return added;
}

static const char *factor_text(const etr_finder *finder, double factor) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_put_fixed(&writer, factor, factor < 10 ? 1 : 0);
  return or_empty(etr_text_end(&text, &writer));
}

static double average_with(const etr_first_run *first) {
  double rest = (double)first->rest.count;
  return (first->ticks + first->rest.avg * rest) / (rest + 1);
}

static bool find_first_run(etr_finder *finder) {
  etr_first_run first;
  if (!etr_first_run_of(&first, finder->arena, finder->profile, finder->method)) return false;
  if (first.rest.count + 1 < ETR_FINDING_LEAST_RUNS || first.rest.p50 <= 0) return true;
  double factor = first.ticks / first.rest.p50;
  if (factor < ETR_FINDING_FIRST_RUN_FACTOR) return true;
  etr_finding *added = add_once(finder, ETR_FINDING_FIRST_RUN, first.ticks - first.rest.p50);
  if (!added) return false;
  added->title = etr_arena_format(finder->arena, "the first %s%srun takes %s times the median of the others",
                                  first.phase, first.phase[0] ? " " : "", factor_text(finder, factor));
  added->evidence = etr_arena_format(
      finder->arena,
      "Method::execute: first run %s, median of the other %zu %s; the average of all is %s, without the first %s",
      etr_finder_time_of(finder, first.ticks), first.rest.count, etr_finder_time_of(finder, first.rest.p50),
      etr_finder_time_of(finder, average_with(&first)), etr_finder_time_of(finder, first.rest.avg));
  return true;
}

/* Whose load it was cannot be told where several methods ran. */
static bool find_load(etr_finder *finder) {
  etr_loads loads;
  /* Looks from the method on, so that all methods together look at each but once or twice. */
  const etr_profile *profile = finder->profile;
  size_t mine = (size_t)(finder->method - profile->methods);
  for (size_t i = 1; i < profile->method_count; i++)
    if (profile->methods[(mine + i) % profile->method_count].run_count) return true;
  if (!etr_loads_make(&loads, finder->arena, finder->profile)) return false;
  if (!loads.whole || finder->method->execute.p50 <= 0) return true;
  double factor = loads.whole->stats.avg / finder->method->execute.p50;
  if (factor < ETR_FINDING_LOAD_FACTOR) return true;
  etr_finding *added = add_once(finder, ETR_FINDING_LOAD, loads.whole->stats.avg);
  if (!added) return false;
  added->title = etr_arena_format(finder->arena, "loading takes as long as %s inferences", factor_text(finder, factor));
  added->evidence = etr_arena_format(finder->arena, "%s %s, median of Method::execute %s", loads.whole->name,
                                     etr_finder_time_of(finder, loads.whole->stats.avg),
                                     etr_finder_time_of(finder, finder->method->execute.p50));
  return true;
}

/* ---- All ---- */

static int by_share(const void *a, const void *b) {
  const etr_finding *x = a, *y = b;
  bool once_x = isnan(x->share), once_y = isnan(y->share);
  if (once_x != once_y) return once_x ? 1 : -1;
  if (!once_x && x->share != y->share) return x->share < y->share ? 1 : -1;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  return etr_natural_compare(x->title, y->title);
}

bool etr_findings_make(etr_findings *out, etr_arena *arena, const etr_profile *profile, const etr_method *method,
                       etr_unit unit) {
  etr_finder finder = {.profile = profile, .method = method, .unit = unit, .arena = arena};
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  *out = (etr_findings){0};
  if (method->run_count == 0 || method->execute_ticks == 0) return true;
  if (graph && graph->times) finder.graph = graph;
  bool good = etr_find_layouts(&finder) && etr_find_delegates(&finder) && find_first_run(&finder) &&
              find_load(&finder) && etr_find_unsteady(&finder);
  if (good && finder.graph)
    good = etr_finder_measure_calls(&finder) && etr_find_fallbacks(&finder) && etr_find_copies(&finder) &&
           etr_find_slow_calls(&finder) && etr_find_outliers(&finder) && etr_find_costs(&finder);
  if (!good || etr_arena_failed(arena)) return false;
  etr_sort(finder.found.data, finder.found.count, sizeof *finder.found.data, by_share);
  *out = (etr_findings){finder.found.data, finder.found.count};
  return true;
}
