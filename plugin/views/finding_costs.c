/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_costs.c - findings by what operators compute and move: what memory limits, what lags
 * behind its like, what cannot be.
 */
#include "base/stats.h"
#include "output/label.h"
#include "views/cost_figures.h"
#include "views/finder.h"
#include "views/finding_rules.h"

#include <math.h>
#include <stdlib.h>

/* Figures are in 10⁹ FLOP and bytes per second. */
#define GIGA 1e9

static etr_cost_figures figures_of(const etr_finder *finder, uint32_t node) {
  return etr_cost_figures_of_node(finder->profile, finder->graph, node);
}

/* Returns the name of a finding's first node, which is the longest; "" when out of memory. */
static const char *longest_node_name(const etr_finder *finder, const etr_finding *finding) {
  const char *name = etr_label_node(finder->arena, finder->graph, finding->nodes[0]);
  return name ? name : "";
}

/* ---- What the peaks say ---- */

/* The operators that a finding is about. */
typedef struct marks {
  bool *marked;   /* per node of the graph */
  uint64_t ticks; /* of the marked ones, over all runs */
} marks;

/* Marks a node and adds its ticks. */
static void mark_node(marks *bound, const etr_finder *finder, uint32_t node) {
  bound->marked[node] = true;
  bound->ticks += etr_finder_node_ticks(finder, node);
}

/* Adds a finding about the marked operators, and sets *out to it, or to NULL if they take too
 * little time for one. potential: ticks over all runs that it could save; NaN: not known. Returns
 * false when out of memory. */
static bool add_finding_of_marks(etr_finder *finder, etr_finding_kind kind, const marks *bound,
                                 double potential, etr_finding **out) {
  *out = etr_finder_add_if_large(finder, kind, bound->ticks, potential);
  return *out ? etr_finding_set_nodes(finder, *out, bound->marked)
              : !etr_arena_failed(finder->arena);
}

/* Returns how many ticks, over all runs, reading weights as int8 instead of float32 could save:
 * three quarters of what their bytes take. NaN if that is below the threshold of findings: then
 * most of the bytes are not of weights. */
static double saved_by_quantizing(const etr_finder *finder, const marks *bound) {
  double saved = 0;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    if (!bound->marked[i])
      continue;
    const etr_cost_figures figures = figures_of(finder, i);
    bool is_float = figures.arithmetic && strcmp(figures.arithmetic, "float") == 0;
    double ticks = (double)etr_finder_node_ticks(finder, i);
    if (is_float && figures.bytes > 0)
      saved += 0.75 * ticks * figures.weight_bytes / figures.bytes;
  }
  double whole = finder->method->execute.typical * (double)finder->method->run_count;
  return saved >= ETR_FINDING_LEAST_SHARE * whole ? saved : NAN;
}

/* Adds the finding about operators that are limited by the memory's bandwidth, if there are any.
 * What int8 weights would save of their bytes is its saving, if that is enough for a finding; else
 * it is not known (NaN). Returns false when out of memory. */
static bool add_memory_bound_finding(etr_finder *finder, const marks *bound) {
  etr_finding *added;
  double saved = saved_by_quantizing(finder, bound);
  if (!add_finding_of_marks(finder, ETR_FINDING_MEMORY_BOUND, bound, saved, &added))
    return false;
  if (!added)
    return true;
  const etr_cost_figures longest = figures_of(finder, added->nodes[0]);
  added->title = etr_arena_format(finder->arena, "Move fewer bytes in %zu operator%s",
                                  added->node_count, etr_plural(added->node_count));
  added->fact = isnan(saved) ? "they run near the peak bandwidth"
                             : "they run near the peak bandwidth: quantize their weights";
  added->evidence = etr_arena_format(
      finder->arena,
      "They take at most twice as long as their bytes take at the peak bandwidth. "
      "Longest: %s, %s per byte, %s.",
      longest_node_name(finder, added), etr_finder_amount_text(finder, longest.intensity, "FLOP"),
      etr_finder_amount_text(finder, longest.gbs * GIGA, "B/s"));
  etr_finding_set_sureness(added, ETR_LIKELY,
                           isnan(saved) ? "a faster kernel would not help"
                                        : "int8 weights have a quarter of the bytes");
  return true;
}

/* Adds the finding about operators that were faster than the peaks allow, if there are any. Returns
 * false when out of memory. */
static bool add_above_peak_finding(etr_finder *finder, const marks *above) {
  etr_finding *added;
  if (!add_finding_of_marks(finder, ETR_FINDING_ABOVE_PEAK, above, NAN, &added))
    return false;
  if (!added)
    return true;
  const etr_cost_figures longest = figures_of(finder, added->nodes[0]);
  added->title = "Check the peaks that were given";
  added->fact = etr_arena_format(finder->arena, "%zu operator%s faster than they allow",
                                 added->node_count, added->node_count == 1 ? " is" : "s are");
  added->evidence = etr_arena_format(
      finder->arena,
      "A peak is too low, caches spared the memory, the operator skipped work, or its match is "
      "wrong. Longest: %s, %s, "
      "%s.",
      longest_node_name(finder, added),
      etr_finder_amount_text(finder, longest.gflops * GIGA, "FLOP/s"),
      etr_finder_amount_text(finder, longest.gbs * GIGA, "B/s"));
  etr_finding_set_sureness(added, ETR_SURE, NULL);
  return true;
}

/* ---- What its like do ---- */

/* An operator whose rate is known. Those of one kind are the same operator and run as the same
 * kernel. intensity: FLOP per byte; channels: that one filter of a convolution sees, or 1. */
typedef struct rated {
  uint32_t kind, node;
  double gflops, intensity, macs, channels;
} rated;

/* Compares operators for qsort(): by kind, then the slowest first, then by node. */
static int by_kind_and_rate(const void *a, const void *b) {
  const rated *x = a, *y = b;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  if (x->gflops != y->gflops)
    return x->gflops < y->gflops ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/* Returns the name of the kernel that a node runs as, without a number such as " #2", by which
 * XNNPACK distinguishes several of one name in a delegate. */
static etr_slice kernel_family(const etr_finder *finder, uint32_t node) {
  const char *kernel = etr_label_kernel(finder->graph->times[node].runs_as);
  size_t size = strlen(kernel), stem_size = size;
  while (stem_size > 0 && kernel[stem_size - 1] >= '0' && kernel[stem_size - 1] <= '9')
    stem_size--;
  if (stem_size > 1 && stem_size < size && kernel[stem_size - 1] == '#')
    size = stem_size - 2;
  return (etr_slice){kernel, size};
}

/* Writes what operators of one kind have in common into a text and returns it:
 * "aten.convolution.default as Convolution (NHWC, F32) IGEMM". */
static etr_slice kind_key(etr_text *text, const etr_finder *finder, uint32_t node) {
  text->size = 0;
  etr_text_add(text, etr_slice_of(finder->graph->nodes[node].target));
  etr_text_add(text, ETR_SLICE(" as "));
  etr_text_add(text, kernel_family(finder, node));
  return (etr_slice){text->data, text->size};
}

/* Returns the name of the kernel that a node runs as, as a text; "" when out of memory. */
static const char *kernel_text(const etr_finder *finder, uint32_t node) {
  return etr_or_empty(etr_arena_copy(finder->arena, kernel_family(finder, node)));
}

/* Returns "2 convolutions", "1 linear layer", "3 bmm". */
static const char *counted_operators(const etr_finder *finder, uint32_t node, size_t count) {
  static const char *const linear[] = {"linear", "addmm", "mm"};
  const etr_node *layer = &finder->graph->nodes[node];
  bool is_linear = etr_is_one_of(finder, layer, linear, ETR_COUNT(linear));
  const char *name = is_linear ? "linear layer" : etr_finder_short_op(finder, layer->target);
  bool is_word = is_linear || strcmp(name, "convolution") == 0;
  return etr_or_empty(
      etr_arena_format(finder->arena, "%zu %s%s", count, name, is_word ? etr_plural(count) : ""));
}

/* Returns the rate of an operator in its fastest run, which nothing interrupted, in GFLOP/s: its
 * rate in the typical run times the typical time divided by the shortest. */
static double best_rate(const etr_finder *finder, uint32_t node) {
  const etr_node_time *time = &finder->graph->times[node];
  double rate = figures_of(finder, node).gflops;
  return time->per_run.min > 0 ? rate * time->typical / time->per_run.min : rate;
}

/* Returns how many channels one filter of a convolution sees; 1 for another operator. */
static double channels_of_filter(const etr_finder *finder, uint32_t node) {
  const etr_value *weight = etr_finder_convolution_weight(finder, &finder->graph->nodes[node]);
  bool is_convolution = weight && weight->rank > 2 &&
                        etr_slice_is(finder->ops[node], "convolution");
  return is_convolution ? (double)ETR_MAX(weight->dims[1].size, (int64_t)1) : 1;
}

/* Returns true if two operators compute about as much, in all and for each byte: both within a
 * factor of two. Their rates can then be compared, unless one is a convolution of far fewer
 * channels, such as the three of an image: these fill no vector. */
static bool are_alike(const rated *a, const rated *b) {
  enum { MOST_TIMES = 8 };
  return a->channels <= MOST_TIMES * b->channels && b->channels <= MOST_TIMES * a->channels &&
         a->intensity <= 2 * b->intensity && b->intensity <= 2 * a->intensity &&
         a->macs <= 2 * b->macs && b->macs <= 2 * a->macs;
}

/* Returns the median rate, in GFLOP/s, of the operators that compute about as much as a given one,
 * which is among them, and sets their number. rated_operators: of one kind, sorted by rate. */
static double median_rate(const rated *rated_operators, size_t count, const rated *compared,
                          size_t *alike_count) {
  double rate = 0;
  size_t seen_count = 0;
  *alike_count = 0;
  for (size_t i = 0; i < count; i++)
    *alike_count += are_alike(&rated_operators[i], compared);
  for (size_t i = 0; i < count; i++) {
    if (!are_alike(&rated_operators[i], compared))
      continue;
    /* The one in the middle, or of an even number the mean of the two. */
    if (seen_count == (*alike_count - 1) / 2 || seen_count == *alike_count / 2)
      rate += rated_operators[i].gflops / (*alike_count % 2 ? 1 : 2);
    seen_count++;
  }
  return rate;
}

/* Adds the finding about operators of one kind that run at less than half the median rate of those
 * that compute about as much, if there are any. It saves what they take longer than at that rate.
 * rated_operators: of one kind, the slowest first. Returns false when out of memory. */
static bool add_slow_rate_finding(etr_finder *finder, const rated *rated_operators, size_t count) {
  enum { MOST_COMPARED = 512 }; /* comparing each with each takes the square of their number */
  bool *marked = etr_arena_alloc_array(finder->arena, finder->graph->node_count, sizeof *marked);
  double saved_ticks = 0, rate = 0;
  uint64_t ticks = 0;
  size_t alike_count = 0;
  if (!marked)
    return false;
  count = ETR_MIN(count, (size_t)MOST_COMPARED);
  /* From the end on, so that the rate and number in the texts are those of the slowest one. */
  for (size_t i = count; i-- > 0;) {
    const rated *compared = &rated_operators[i];
    size_t other_count;
    double median = median_rate(rated_operators, count, compared, &other_count);
    if (other_count < ETR_FINDING_LEAST_ALIKE || compared->gflops * 2 >= median)
      continue;
    uint64_t node_ticks = etr_finder_node_ticks(finder, compared->node);
    marked[compared->node] = true;
    ticks += node_ticks;
    saved_ticks += (double)node_ticks * (1 - compared->gflops / median);
    rate = median;
    alike_count = other_count;
  }
  etr_finding *added = ticks ? etr_finder_add_if_large(finder, ETR_FINDING_SLOW_RATE, ticks,
                                                       saved_ticks)
                             : NULL;
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, marked))
    return false;
  added->title = etr_arena_format(finder->arena, "See why %s %s slow",
                                  counted_operators(finder, added->nodes[0], added->node_count),
                                  added->node_count == 1 ? "is" : "are");
  added->fact = etr_arena_format(finder->arena, "%s at less than half the rate of %zu similar ones",
                                 added->node_count == 1 ? "it runs" : "they run", alike_count);
  const double rate_of_slowest = best_rate(finder, added->nodes[0]);
  added->evidence = etr_arena_format(
      finder->arena,
      "%zu that run as %s compute as much, in all and for each byte, within a factor of two; the "
      "median of their rates is %s. Longest: %s at %s. Rates are those of each one's fastest run, "
      "so that interruptions do not count.",
      alike_count, kernel_text(finder, added->nodes[0]),
      etr_finder_amount_text(finder, rate * GIGA, "FLOP/s"), longest_node_name(finder, added),
      etr_finder_amount_text(finder, rate_of_slowest * GIGA, "FLOP/s"));
  etr_finding_set_sureness(
      added, ETR_POSSIBLE,
      "strides, groups and padding differ, so perhaps not all of it is within reach");
  return true;
}

/* Adds, for each kind, the finding about operators that are slow compared with others of it. Sorts
 * the list. Returns false when out of memory. */
static bool add_slow_rate_findings(etr_finder *finder, rated *list, size_t count) {
  etr_sort(list, count, sizeof *list, by_kind_and_rate);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && list[end].kind == list[first].kind;)
      end++;
    if (end - first >= ETR_FINDING_LEAST_ALIKE &&
        !add_slow_rate_finding(finder, list + first, end - first))
      return false;
  }
  return true;
}

/* ---- All ---- */

enum { LEAST_STEPS = 10 }; /* of the clock: fewer make a rate uncertain by more than a tenth */
enum { LEAST_NS = 10000 }; /* a kernel: below that, calling it and reading the clock matter */

/* What the rules need to know of all operators. */
typedef struct rates {
  marks bound;   /* operators that the memory's bandwidth limits */
  marks above;   /* operators faster than a peak */
  etr_map kinds; /* kind_key() -> number of the kind */
  etr_text kind; /* memory for the key of one operator */
  rated *list;   /* those that were timed well enough */
  size_t count;
} rates;

/* Marks an operator that is limited by the memory or was faster than a peak and, if it was timed
 * well enough, adds it to the operators whose rates are compared. */
static void rate_operator(rates *r, const etr_finder *finder, uint32_t node) {
  const etr_node_time *time = &finder->graph->times[node];
  double median = time->per_run.p50;
  /* The backend alone says which clock timed the operator; without one it is the kernels' clock. */
  double step = etr_clock_step(finder->profile, time->backend, NULL);
  bool is_well_timed = median >= LEAST_STEPS * step &&
                       etr_ticks_to_ns(finder->profile, median) >= LEAST_NS;
  /* Without a bandwidth nothing is known to be limited by the memory, or above a peak. */
  if (!is_well_timed && !finder->profile->effective_peaks.bandwidth_given)
    return;
  const etr_cost_figures figures = figures_of(finder, node);
  if (figures.bound && strcmp(figures.bound, "memory") == 0 &&
      figures.of_peak >= ETR_FINDING_NEAR_PEAK)
    mark_node(&r->bound, finder, node);
  if (figures.exceeds_peak)
    mark_node(&r->above, finder, node);
  double gflops = best_rate(finder, node);
  if (!(gflops > 0) || isnan(figures.intensity) || !is_well_timed)
    return;
  uint32_t kind = etr_map_number(&r->kinds, kind_key(&r->kind, finder, node));
  if (kind != ETR_NONE)
    r->list[r->count++] = (rated){
        kind, node, gflops, figures.intensity, figures.macs, channels_of_filter(finder, node)};
}

/* Adds the findings by what operators compute and move, without those whose match was estimated
 * from the order of events. Returns false when out of memory. */
bool etr_add_cost_findings(etr_finder *finder) {
  rates r = {.kind = {.arena = finder->arena}};
  r.bound.marked = etr_arena_alloc_array(finder->arena, finder->graph->node_count,
                                         sizeof *r.bound.marked);
  r.above.marked = etr_arena_alloc_array(finder->arena, finder->graph->node_count,
                                         sizeof *r.above.marked);
  r.list = etr_arena_alloc_array(finder->arena, finder->graph->node_count, sizeof *r.list);
  etr_map_init(&r.kinds, finder->arena);
  if (!r.bound.marked || !r.above.marked || !r.list)
    return false;
  for (uint32_t i = 0; i < finder->graph->node_count; i++)
    if (finder->graph->times[i].runs > 0 && finder->graph->times[i].match != ETR_MATCH_ALIGNED)
      rate_operator(&r, finder, i);
  return add_memory_bound_finding(finder, &r.bound) && add_above_peak_finding(finder, &r.above) &&
         add_slow_rate_findings(finder, r.list, r.count);
}
