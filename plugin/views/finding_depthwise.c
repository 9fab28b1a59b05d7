/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_depthwise.c - the finding about depthwise convolutions with more weights than XNNPACK's
 * kernels for them take.
 */
#include "views/finding_rules.h"
#include "views/kernel_ratio.h"

#include <stdlib.h>

/** How many times as fast four depthwise convolutions with every second weight were as one of 7 x
 * 7. Of 9 x 9 it was more: docs/findings.md has the table. */
static const etr_ratio split_ratio = {3, 14};

/* Returns true if a filter has more weights than XNNPACK's fast kernels take, and a quarter of it,
 * with every second row and column, has not. Only odd sizes: the four parts of an even one have
 * results of different sizes. */
static bool is_splittable(const etr_filters *filters) {
  int64_t rows = filters->rows, columns = filters->columns;
  if (rows < 3 || columns < 3 || rows > INT16_MAX || columns > INT16_MAX || rows % 2 == 0 ||
      columns % 2 == 0)
    return false;
  int64_t quarter = (rows + 1) / 2 * ((columns + 1) / 2);
  return rows * columns > ETR_MOST_FILTER_WEIGHTS && quarter <= ETR_MOST_FILTER_WEIGHTS;
}

/* Returns true if a node's argument has this text. */
static bool has_argument(const etr_node *node, const char *name, const char *text) {
  const char *value = etr_node_argument(node, name);
  return value && strcmp(value, text) == 0;
}

/* Returns true for a convolution whose parts are convolutions, too: not dilated, and with padding
 * at all sides, of which the parts without the first row or column need one less. With more outputs
 * than inputs the parts have no fast kernel either. filters: its number of outputs. */
static bool has_simple_parts(const etr_node *node, int64_t filters) {
  const char *padding = etr_node_argument(node, "padding");
  const char *groups = etr_node_argument(node, "groups");
  char *end = NULL;
  if (!padding || padding[0] != '[' || !groups || strtoll(groups, NULL, 10) != filters)
    return false;
  if (strtol(padding + 1, &end, 10) < 1 || *end != ',' || strtol(end + 1, NULL, 10) < 1)
    return false;
  return has_argument(node, "dilation", "[1, 1]") && !has_argument(node, "transposed", "true");
}

/* Returns true for a depthwise convolution in float32 that ran as a matrix product (IGEMM), because
 * of its large filter, and that can be split into four with fast kernels. Sets *filters. */
static bool has_slow_kernel(const etr_finder *finder, uint32_t node, etr_filters *filters) {
  const char *kernel = finder->graph->times[node].runs_as;
  return kernel && strncmp(kernel, "Convolution", 11) == 0 && strstr(kernel, "F32") &&
         strstr(kernel, "IGEMM") &&
         etr_finder_depthwise_filters(finder, &finder->graph->nodes[node], filters) &&
         is_splittable(filters) && has_simple_parts(&finder->graph->nodes[node], filters->count);
}

/* Returns true if a batch norm reads the result of a marked node. */
static bool has_norm_behind(const etr_finder *finder, const bool *marked) {
  for (size_t i = 0; i < finder->graph->node_count; i++) {
    const etr_node *node = &finder->graph->nodes[i];
    if (strstr(node->target, "batch_norm") && node->input_count && marked[node->inputs[0].node])
      return true;
  }
  return false;
}

/* Returns the fact of the finding: what convolutions with such filters can become, with the sizes
 * of `filter` if all have the same. NULL when out of memory. */
static const char *split_text(etr_finder *finder, const etr_filters *filter, bool is_one_size) {
  int rows = (int)filter->rows, columns = (int)filter->columns;
  if (!is_one_size)
    return "their filters have no fast kernel; the sum of four of half the size with dilation 2 is "
           "the same";
  return etr_arena_format(
      finder->arena,
      "%d x %d has no fast kernel; the sum of four up to %d x %d with dilation 2 is the same", rows,
      columns, (rows + 1) / 2, (columns + 1) / 2);
}

/* Adds the finding about depthwise convolutions whose filters are too large for XNNPACK's fast
 * kernels, if there are any. It saves what the measured ratio of speeds says, which is surer on a
 * processor like the measured one (etr_profile.vnni). Returns false when out of memory. */
bool etr_add_depthwise_findings(etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  bool *marked = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *marked);
  uint64_t ticks = 0;
  size_t count = 0;
  etr_filters last = {0}; /* of the last one */
  bool is_one_size = true;
  if (!marked)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    etr_filters filters;
    marked[i] = has_slow_kernel(finder, i, &filters);
    if (!marked[i])
      continue;
    is_one_size &= count == 0 || (filters.rows == last.rows && filters.columns == last.columns);
    last = filters;
    ticks += etr_finder_node_ticks(finder, i);
    count++;
  }
  double most_saved = (double)ticks * etr_saved_at(split_ratio.high);
  etr_finding *added = count ? etr_finder_add_if_large(finder, ETR_FINDING_SPLIT_DEPTHWISE, ticks,
                                                       most_saved)
                             : NULL;
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, marked))
    return false;
  etr_finding_set_least_saving(finder, added, (double)ticks * etr_saved_at(split_ratio.low));
  const char *time = etr_finder_time_per_run(finder, ticks);
  added->title = etr_arena_format(finder->arena, "Split %zu depthwise convolution%s in four", count,
                                  etr_plural(count));
  const char *split = etr_or_empty(split_text(finder, &last, is_one_size));
  added->fact = etr_arena_format(finder->arena, "%s %s: %s", etr_they_take(count), time, split);
  added->evidence = etr_arena_format(
      finder->arena,
      "%s %s. XNNPACK's kernels for depthwise convolutions take at most %d weights for each "
      "channel; a larger filter runs as a matrix product for each channel (IGEMM). Four depthwise "
      "convolutions with every second weight and a dilation of 2 add up to the same result, and "
      "were %g to %g times as fast with filters of 7 x 7, and more with 9 x 9.%s",
      etr_they_take(count), time, ETR_MOST_FILTER_WEIGHTS, split_ratio.low, split_ratio.high,
      has_norm_behind(finder, marked)
          ? " First fold the batch norms behind them (fuse_conv_bn_eval): the lowering folds none "
            "into a sum."
          : "");
  bool is_like = finder->profile->vnni == ETR_VNNI_THERE;
  etr_finding_set_sureness(added, is_like ? ETR_LIKELY : ETR_RULE_OF_THUMB,
                           is_like
                               ? "results differ by rounding"
                               : "the ratio is of an x86-64 processor; results differ by rounding");
  return true;
}
