/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_depthwise.c - the finding about depthwise convolutions with more weights than XNNPACK's
 * kernels for them take.
 */
#include "views/finding_rules.h"
#include "views/kernel_ratio.h"

/** Weights of one channel that XNNPACK's kernels for depthwise convolutions take at most: 5 x 5. */
enum { MOST_WEIGHTS = 25 };

/** How many times as fast four depthwise convolutions with every second weight were as one of 7 x 7
 * or 9 x 9: docs/findings.md has the table. */
static const etr_ratio split_ratio = {3, 14};

/* Returns true if a filter is too large for those kernels, and a quarter of it is not. */
static bool is_wide(const etr_value *weight) {
  int64_t rows = weight->dims[2].size, columns = weight->rank > 3 ? weight->dims[3].size : 1;
  if (rows <= 0 || columns <= 0 || rows > INT16_MAX || columns > INT16_MAX)
    return false;
  bool fits_split = (rows + 1) / 2 * ((columns + 1) / 2) <= MOST_WEIGHTS;
  return rows * columns > MOST_WEIGHTS && fits_split;
}

/* Returns true for a wide depthwise convolution in float32 that ran as a matrix product. */
static bool is_slow(const etr_finder *finder, uint32_t node) {
  const char *kernel = finder->graph->times[node].runs_as;
  const etr_value *weight = etr_finder_depthwise_weight(finder, &finder->graph->nodes[node]);
  return weight && kernel && strncmp(kernel, "Convolution", 11) == 0 && strstr(kernel, "F32") &&
         strstr(kernel, "IGEMM") && is_wide(weight);
}

bool etr_find_wide_depthwise(etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  bool *marked = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *marked);
  uint64_t ticks = 0;
  size_t count = 0;
  const etr_value *weight = NULL;
  if (!marked)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    marked[i] = is_slow(finder, i);
    if (!marked[i])
      continue;
    weight = etr_finder_depthwise_weight(finder, &graph->nodes[i]);
    ticks += etr_finder_node_ticks(finder, i);
    count++;
  }
  double most_saved = (double)ticks * etr_saved_at(split_ratio.high);
  etr_finding *added = count
                           ? etr_finder_add(finder, ETR_FINDING_SPLIT_DEPTHWISE, ticks, most_saved)
                           : NULL;
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finder_list_nodes(finder, added, marked))
    return false;
  etr_finding_save_at_least(finder, added, (double)ticks * etr_saved_at(split_ratio.low));
  const char *time = etr_finder_time(finder, ticks);
  added->title = etr_arena_format(finder->arena, "Split %zu depthwise convolution%s in four", count,
                                  etr_plural(count));
  int rows = (int)weight->dims[2].size, columns = weight->rank > 3 ? (int)weight->dims[3].size : 1;
  added->fact = etr_arena_format(
      finder->arena,
      "%s %s: %d x %d has no fast kernel; the sum of four %d x %d with dilation 2 is the same",
      etr_they_take(count), time, rows, columns, (rows + 1) / 2, (columns + 1) / 2);
  added->evidence = etr_arena_format(
      finder->arena,
      "%s %s. XNNPACK's kernels for depthwise convolutions take at most %d weights for each "
      "channel; a larger filter runs as a matrix product for each channel (%s). Four depthwise "
      "convolutions with every second weight and a dilation of 2 add up to the same result, and "
      "were %g to %g times as fast.",
      etr_they_take(count), time, MOST_WEIGHTS,
      etr_or_empty(finder->graph->times[added->nodes[0]].runs_as), split_ratio.low,
      split_ratio.high);
  bool is_like = finder->profile->has_vnni;
  etr_finding_judge(added, is_like ? ETR_LIKELY : ETR_RULE_OF_THUMB,
                    is_like ? "results differ by rounding"
                            : "the ratio is of another processor; results differ by rounding");
  return true;
}
