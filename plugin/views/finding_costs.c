/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_costs.c - findings by what operators compute and move: what memory limits, what lags behind its like, what
 * cannot be.
 */
#include "base/stats.h"
#include "output/label.h"
#include "views/cost_figures.h"
#include "views/finding_rules.h"

#include <math.h>
#include <stdlib.h>

static etr_cost_figures figures_of(const etr_finder *finder, uint32_t node) {
  return etr_cost_figures_of_node(finder->profile, finder->graph, node);
}

/* A rate in the median run, which one slow run does not move, instead of on average. NaN if that took no time. */
static double usual_rate(const etr_finder *finder, uint32_t node, double rate) {
  const etr_node_time *time = &finder->graph->times[node];
  double average = time->avg * (double)finder->method->run_count / (double)time->runs;
  return time->per_run.p50 > 0 ? rate * average / time->per_run.p50 : NAN;
}

static const char *longest_of(const etr_finder *finder, const etr_finding *finding) {
  const char *name = etr_label_node(finder->arena, finder->graph, finding->nodes[0]);
  return name ? name : "";
}

static const char *amount_text(const etr_finder *finder, double value) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_put_significant(&writer, value);
  const char *made = etr_text_end(&text, &writer);
  return made ? made : "";
}

/* ---- What the peaks say ---- */

/* What some operators have in common. */
typedef struct marks {
  bool *marked; /* per node */
  uint64_t ticks;
} marks;

static void mark(marks *of, const etr_finder *finder, uint32_t node) {
  of->marked[node] = true;
  of->ticks += etr_finder_node_ticks(finder, node);
}

/* Adds a finding of what they take; *out NULL: there is none. */
static bool add_of(etr_finder *finder, etr_finding_kind kind, const marks *of, etr_finding **out) {
  *out = etr_finder_add(finder, kind, of->ticks);
  return !*out || etr_finder_list_nodes(finder, *out, of->marked);
}

static bool find_memory_bound(etr_finder *finder, const marks *bound) {
  etr_finding *added;
  if (!add_of(finder, ETR_FINDING_MEMORY_BOUND, bound, &added)) return false;
  if (!added) return true;
  const etr_cost_figures longest = figures_of(finder, added->nodes[0]);
  added->title = etr_arena_format(finder->arena, "%zu memory-bound operator%s near the peak bandwidth",
                                  added->node_count, added->node_count == 1 ? " runs" : "s run");
  added->evidence = etr_arena_format(finder->arena,
                                     "they take at most twice as long as their bytes take at the peak bandwidth; "
                                     "longest: %s, %s FLOP per byte, %s GB/s",
                                     longest_of(finder, added), amount_text(finder, longest.intensity),
                                     amount_text(finder, usual_rate(finder, added->nodes[0], longest.gbs)));
  return true;
}

static bool find_above_peak(etr_finder *finder, const marks *above) {
  etr_finding *added;
  if (!add_of(finder, ETR_FINDING_ABOVE_PEAK, above, &added)) return false;
  if (!added) return true;
  const etr_cost_figures longest = figures_of(finder, added->nodes[0]);
  added->title = etr_arena_format(finder->arena, "%zu operator%s faster than the peaks allow", added->node_count,
                                  added->node_count == 1 ? " is" : "s are");
  added->evidence = etr_arena_format(
      finder->arena,
      "a peak is too low, caches spared the memory, the operator skipped work, or its match is wrong; longest: %s, %s "
      "GFLOP/s, %s GB/s",
      longest_of(finder, added), amount_text(finder, usual_rate(finder, added->nodes[0], longest.gflops)),
      amount_text(finder, usual_rate(finder, added->nodes[0], longest.gbs)));
  return true;
}

/* ---- What its like do ---- */

/* An operator whose rate is known; `kind` is the same of those that run as the same. */
typedef struct rated {
  uint32_t kind, node;
  double gflops, intensity;
} rated;

static int by_kind_and_rate(const void *a, const void *b) {
  const rated *x = a, *y = b;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->gflops != y->gflops) return x->gflops < y->gflops ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/* The name of the kernel that a node runs as, without the number of several. */
static etr_slice kernel_of(const etr_finder *finder, uint32_t node) {
  const char *kernel = etr_label_kernel(finder->graph->times[node].runs_as);
  size_t size = strlen(kernel), digits = size;
  while (digits > 0 && kernel[digits - 1] >= '0' && kernel[digits - 1] <= '9') digits--;
  if (digits > 1 && digits < size && kernel[digits - 1] == '#') size = digits - 2;
  return (etr_slice){kernel, size};
}

/* Puts "aten.convolution.default as Convolution (NHWC, F32) IGEMM" into a text: operators of one kind have the same. */
static etr_slice kind_of(etr_text *text, const etr_finder *finder, uint32_t node) {
  text->size = 0;
  etr_text_add(text, etr_slice_of(finder->graph->nodes[node].target));
  etr_text_add(text, ETR_SLICE(" as "));
  etr_text_add(text, kernel_of(finder, node));
  return (etr_slice){text->data, text->size};
}

static const char *kind_text(const etr_finder *finder, uint32_t node) {
  etr_text text = {.arena = finder->arena};
  const char *copy = etr_arena_copy(finder->arena, kind_of(&text, finder, node));
  return copy ? copy : "";
}

static double median_intensity(const etr_finder *finder, const rated *list, size_t count) {
  uint64_t *sorted = etr_arena_alloc_array(finder->arena, count, sizeof *sorted);
  for (size_t i = 0; sorted && i < count; i++) sorted[i] = (uint64_t)(list[i].intensity * 1000);
  return sorted ? etr_stats_of(sorted, count).p50 / 1000 : NAN;
}

/* Those at less than half the median rate of their kind, though they have as much to compute for each byte. */
static bool add_slow(etr_finder *finder, const rated *list, size_t count) {
  bool *marked = etr_arena_alloc_array(finder->arena, finder->graph->node_count, sizeof *marked);
  double rate = (list[(count - 1) / 2].gflops + list[count / 2].gflops) / 2,
         intensity = median_intensity(finder, list, count);
  uint64_t ticks = 0, gain = 0;
  if (!marked) return false;
  for (size_t i = 0; i < count; i++) {
    uint32_t node = list[i].node;
    if (list[i].gflops * 2 >= rate || list[i].intensity * 2 < intensity) continue;
    marked[node] = true;
    ticks += etr_finder_node_ticks(finder, node);
    gain += (uint64_t)((double)etr_finder_node_ticks(finder, node) * (1 - list[i].gflops / rate));
  }
  etr_finding *added = etr_finder_add(finder, ETR_FINDING_SLOW_RATE, gain);
  if (!added) return true;
  if (!etr_finder_list_nodes(finder, added, marked)) return false;
  added->title = etr_arena_format(finder->arena, "%zu of %zu %s %s at less than half the others' rate",
                                  added->node_count, count, kind_text(finder, list[0].node),
                                  added->node_count == 1 ? "runs" : "run");
  const etr_cost_figures longest = figures_of(finder, added->nodes[0]);
  const char *of_peak = "";
  if (longest.bound && !isnan(longest.of_peak))
    of_peak = etr_arena_format(finder->arena, " (%s-bound, %s %% of what the peaks allow)", longest.bound,
                               amount_text(finder, 100 * longest.of_peak));
  added->evidence = etr_arena_format(
      finder->arena,
      "could save up to %s of %s at the median rate of these %zu, %s GFLOP/s; longest: %s at %s GFLOP/s%s. Sizes and "
      "strides differ, so perhaps not all of it is within reach",
      etr_finder_time(finder, gain), etr_finder_time(finder, ticks), count, amount_text(finder, rate),
      longest_of(finder, added), amount_text(finder, usual_rate(finder, added->nodes[0], longest.gflops)),
      of_peak ? of_peak : "");
  return true;
}

static bool find_slow(etr_finder *finder, rated *list, size_t count) {
  etr_sort(list, count, sizeof *list, by_kind_and_rate);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && list[end].kind == list[first].kind;) end++;
    if (end - first >= ETR_FINDING_LEAST_ALIKE && !add_slow(finder, list + first, end - first)) return false;
  }
  return true;
}

/* ---- All ---- */

/* What the rules go by: figures of every operator, looked at once. */
typedef struct rates {
  marks bound, above;
  etr_map kinds;
  etr_text kind; /* of the operator looked at */
  rated *list;
  size_t count;
} rates;

static void look_at(rates *r, const etr_finder *finder, uint32_t node) {
  const etr_cost_figures figures = figures_of(finder, node);
  if (figures.bound && strcmp(figures.bound, "memory") == 0 && figures.of_peak >= ETR_FINDING_NEAR_PEAK)
    mark(&r->bound, finder, node);
  if (figures.exceeds_peak) mark(&r->above, finder, node);
  double gflops = usual_rate(finder, node, figures.gflops);
  if (!(gflops > 0) || isnan(figures.intensity)) return;
  uint32_t kind = etr_map_number(&r->kinds, kind_of(&r->kind, finder, node));
  if (kind != ETR_NONE) r->list[r->count++] = (rated){kind, node, gflops, figures.intensity};
}

bool etr_find_costs(etr_finder *finder) {
  rates r = {.kind = {.arena = finder->arena}};
  r.bound.marked = etr_arena_alloc_array(finder->arena, finder->graph->node_count, sizeof *r.bound.marked);
  r.above.marked = etr_arena_alloc_array(finder->arena, finder->graph->node_count, sizeof *r.above.marked);
  r.list = etr_arena_alloc_array(finder->arena, finder->graph->node_count, sizeof *r.list);
  etr_map_init(&r.kinds, finder->arena);
  if (!r.bound.marked || !r.above.marked || !r.list) return false;
  for (uint32_t i = 0; i < finder->graph->node_count; i++)
    if (finder->graph->times[i].runs > 0) look_at(&r, finder, i);
  return find_memory_bound(finder, &r.bound) && find_above_peak(finder, &r.above) && find_slow(finder, r.list, r.count);
}
