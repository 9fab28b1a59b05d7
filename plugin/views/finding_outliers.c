/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_outliers.c - operators that one run makes look slow: something came in between, and the average does not say so.
 */
#include "finding_rules.h"

#include "label.h"

/* A node's longest run but for the first, which is cold and a finding of its own; NULL if it does not stand out. Of a node whose median is below its
 * clock's step, any tick would. */
static const etr_run_ticks *outlying_run(const etr_node_time *time) {
  const etr_run_ticks *longest = NULL;
  for (uint32_t i = 0; time->each_run && i < time->runs; i++) {
    const etr_run_ticks *run = &time->each_run[i];
    if (run->run > 0 && (!longest || run->ticks > longest->ticks)) longest = run;
  }
  bool is_known = time->runs >= ETR_FINDING_LEAST_RUNS && longest && time->per_run.p50 > 0;
  return is_known && (double)longest->ticks > ETR_FINDING_OUTLIER_FACTOR * time->per_run.p50 ? longest : NULL;
}

static uint64_t excess_of(const etr_node_time *time, const etr_run_ticks *run) { return run->ticks - (uint64_t)time->per_run.p50; }

bool etr_find_outliers(etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  bool *marked = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *marked);
  const etr_run_ticks *worst_run = NULL;
  size_t worst = 0;
  uint64_t ticks = 0;
  if (!marked) return false;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_run_ticks *run = outlying_run(&graph->times[i]);
    if (!run) continue;
    marked[i] = true;
    ticks += excess_of(&graph->times[i], run);
    if (worst_run && excess_of(&graph->times[i], run) <= excess_of(&graph->times[worst], worst_run)) continue;
    worst = i;
    worst_run = run;
  }
  etr_finding *added = worst_run ? etr_finder_add(finder, ETR_FINDING_OUTLIER, ticks) : NULL;
  if (!added) return true;
  if (!etr_finder_list_nodes(finder, added, marked)) return false;
  const etr_node_time *time = &graph->times[worst];
  const char *whose = added->node_count == 1 ? " took over ten times its" : "s took over ten times their";
  added->title = etr_arena_format(finder->arena, "%zu operator%s median in one run", added->node_count, whose);
  added->evidence = etr_arena_format(finder->arena, "most: %s %s in run %u of %zu; its median is %s, its average %s",
                                     etr_label_node(finder->arena, graph, (uint32_t)worst),
                                     etr_finder_time_of(finder, (double)worst_run->ticks), (unsigned)worst_run->run + 1,
                                     finder->method->run_count, etr_finder_time_of(finder, time->per_run.p50),
                                     etr_finder_time_of(finder, time->avg));
  return true;
}
