/* SPDX-License-Identifier: BSD-3-Clause
 *
 * findings.c - collecting findings, and those about whole runs.
 */
#include "finding_rules.h"

#include "breakdown.h"
#include "loads.h"
#include "stats.h"
#include "table.h"
#include "timed_node.h"

#include <math.h>
#include <stdlib.h>

const char *etr_finding_kind_name(etr_finding_kind kind) {
  static const char *const names[] = {"fallback", "layout", "copies", "calls", "outlier", "first_run", "load"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "";
}

/* ---- What the rules share ---- */

etr_finding *etr_finder_add(etr_finder *finder, etr_finding_kind kind, uint64_t ticks) {
  double share = (double)ticks / (double)finder->method->execute_ticks;
  etr_finding *added = share >= ETR_FINDING_LEAST_SHARE ? etr_vec_push(finder->arena, &finder->found) : NULL;
  if (added)
    *added = (etr_finding){.kind = kind, .title = "", .evidence = "", .cost = (double)ticks / (double)finder->method->run_count, .share = share};
  return added;
}

const char *etr_finder_time_of(const etr_finder *finder, double ticks) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_put_time(&writer, finder->profile, ticks, finder->unit);
  etr_putf(&writer, " %s", etr_unit_name(finder->unit));
  const char *done = etr_text_end(&text, &writer);
  return done ? done : ""; /* the arena has failed then */
}

const char *etr_finder_time(const etr_finder *finder, uint64_t ticks) {
  return etr_finder_time_of(finder, (double)ticks / (double)finder->method->run_count);
}

bool etr_finder_list_nodes(const etr_finder *finder, etr_finding *finding, const bool *marked) {
  etr_vec(etr_timed_node) list = {0};
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    etr_timed_node *added = marked[i] && finder->graph->times[i].runs > 0 ? etr_vec_push(finder->arena, &list) : NULL;
    if (added) *added = (etr_timed_node){.ticks = finder->graph->times[i].total_ticks, .node = i};
  }
  uint32_t *nodes = etr_arena_alloc_array(finder->arena, list.count, sizeof *nodes);
  if (etr_arena_failed(finder->arena)) return false;
  if (list.count) qsort(list.data, list.count, sizeof *list.data, etr_timed_node_order);
  for (size_t i = 0; i < list.count; i++) nodes[i] = list.data[i].node;
  finding->nodes = nodes;
  finding->node_count = list.count;
  return true;
}

const char *etr_finder_by_operator(const etr_finder *finder, const bool *marked) {
  enum { LISTED = 4 };
  etr_breakdown rows;
  etr_text text;
  etr_writer writer;
  if (!etr_breakdown_make(&rows, finder->arena, finder->profile, finder->method, ETR_BY_OP, marked)) return "";
  etr_text_begin(&text, finder->arena, &writer);
  for (size_t i = 0; i < rows.count && i < LISTED; i++)
    etr_putf(&writer, "%s%zu %s %s", i ? ", " : "", rows.rows[i].node_count, rows.rows[i].key, etr_finder_time(finder, rows.rows[i].total_ticks));
  if (rows.count > LISTED) etr_putf(&writer, ", %zu other kind%s", rows.count - LISTED, rows.count - LISTED == 1 ? "" : "s");
  return etr_text_end(&text, &writer);
}

/* ---- Whole runs ---- */

/* A finding about ticks that were spent once. */
static etr_finding *add_once(etr_finder *finder, etr_finding_kind kind, double ticks) {
  etr_finding *added = etr_vec_push(finder->arena, &finder->found);
  if (added) *added = (etr_finding){.kind = kind, .title = "", .evidence = "", .cost = ticks, .share = NAN};
  return added;
}

static const char *factor_text(const etr_finder *finder, double factor) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_put_fixed(&writer, factor, factor < 10 ? 1 : 0);
  return etr_text_end(&text, &writer);
}

static bool find_first_run(etr_finder *finder) {
  etr_first_run first;
  if (!etr_first_run_of(&first, finder->arena, finder->method)) return false;
  if (finder->method->run_count < ETR_FINDING_LEAST_RUNS || first.rest.p50 <= 0) return true;
  double factor = first.ticks / first.rest.p50;
  if (factor < ETR_FINDING_FIRST_RUN_FACTOR) return true;
  etr_finding *added = add_once(finder, ETR_FINDING_FIRST_RUN, first.ticks - first.rest.p50);
  if (!added) return false;
  added->title = etr_arena_format(finder->arena, "the first run takes %s times the others' median", factor_text(finder, factor));
  added->evidence = etr_arena_format(finder->arena,
                                     "Method::execute: first run %s, median of the other %zu %s; the average of all is %s, without the first %s",
                                     etr_finder_time_of(finder, first.ticks), first.rest.count, etr_finder_time_of(finder, first.rest.p50),
                                     etr_finder_time_of(finder, finder->method->execute.avg), etr_finder_time_of(finder, first.rest.avg));
  return true;
}

/* Whose load it was cannot be told where several methods ran. */
static bool find_load(etr_finder *finder) {
  etr_loads loads;
  if (!etr_loads_make(&loads, finder->arena, finder->profile)) return false;
  if (!loads.whole || loads.timed_methods != 1 || finder->method->execute.p50 <= 0) return true;
  double factor = loads.whole->stats.avg / finder->method->execute.p50;
  if (factor < ETR_FINDING_LOAD_FACTOR) return true;
  etr_finding *added = add_once(finder, ETR_FINDING_LOAD, loads.whole->stats.avg);
  if (!added) return false;
  added->title = etr_arena_format(finder->arena, "loading takes as long as %s inferences", factor_text(finder, factor));
  added->evidence = etr_arena_format(finder->arena, "%s %s, median of Method::execute %s", loads.whole->name,
                                     etr_finder_time_of(finder, loads.whole->stats.avg), etr_finder_time_of(finder, finder->method->execute.p50));
  return true;
}

/* ---- All ---- */

static int by_share(const void *a, const void *b) {
  const etr_finding *x = a, *y = b;
  bool once_x = isnan(x->share), once_y = isnan(y->share);
  if (once_x != once_y) return once_x ? 1 : -1;
  if (!once_x && x->share != y->share) return x->share < y->share ? 1 : -1;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  return strcmp(x->title, y->title);
}

bool etr_findings_make(etr_findings *out, etr_arena *arena, const etr_profile *profile, const etr_method *method, etr_unit unit) {
  etr_finder finder = {.profile = profile, .method = method, .unit = unit, .arena = arena};
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  *out = (etr_findings){0};
  if (method->run_count == 0 || method->execute_ticks == 0) return true;
  if (graph && graph->times) finder.graph = graph;
  bool good = etr_find_layouts(&finder) && find_first_run(&finder) && find_load(&finder);
  if (good && finder.graph)
    good = etr_finder_measure_calls(&finder) && etr_find_fallbacks(&finder) && etr_find_copies(&finder) && etr_find_slow_calls(&finder) &&
           etr_find_outliers(&finder);
  if (!good || etr_arena_failed(arena)) return false;
  if (finder.found.count) qsort(finder.found.data, finder.found.count, sizeof *finder.found.data, by_share);
  *out = (etr_findings){finder.found.data, finder.found.count};
  return true;
}
