/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_softmax.c - the finding about softmaxes with a check for rows that a mask hides whole.
 */
#include "views/finding_rules.h"
#include "views/softmax_check.h"

/* Adds the finding about kernels that look for rows that a mask hides whole, if there are any.
 * Without them, delegates that they cut apart may become one, so calls of delegates are saved, too.
 * Times are with the calls around kernels (true). Returns false when out of memory. */
bool etr_add_softmax_check_findings(etr_finder *finder) {
  bool *marked = etr_arena_alloc_array(finder->arena, finder->graph->node_count, sizeof *marked);
  if (!marked)
    return false;
  size_t count = etr_mark_softmax_checks(finder, marked);
  etr_merged_calls merged;
  if (count == 0)
    return true;
  if (!etr_find_merged_calls(finder, marked, &merged))
    return false;
  uint64_t ticks = etr_finder_marked_ticks(finder, marked);
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_SOFTMAX_CHECK, ticks,
                                               (double)ticks + merged.most);
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, marked))
    return false;
  const char *time = etr_finder_time_per_run(finder, ticks);
  added->title = etr_arena_format(finder->arena, "Write %zu attention%s with a plain softmax",
                                  count, etr_plural(count));
  added->fact = etr_arena_format(finder->arena, "%s take %s to check for fully masked rows",
                                 etr_arena_format(finder->arena, "%zu kernels", added->node_count),
                                 time);
  if (merged.after < merged.before)
    added->fact = etr_arena_format(finder->arena, "%s; without them %zu of %zu delegates remain",
                                   added->fact, merged.after, merged.before);
  added->evidence = etr_arena_format(
      finder->arena,
      "torch exports scaled_dot_product_attention as a softmax that returns 0 for rows that a mask "
      "hides whole: %s. softmax(q @ k.transpose(-2, -1) * scale + mask) @ v does without. "
      "In transformers that is attn_implementation=\"eager\", in timm "
      "timm.layers.set_fused_attn(False). The least has a fifth less, for the products and the "
      "scaling that remain.",
      etr_finder_operators_text(finder, marked, true));
  added->evidence = etr_with_merged_calls(finder, added->evidence, &merged);
  etr_finding_set_least_saving(finder, added,
                               (1 - ETR_SOFTMAX_CHECK_REPLACED) * (double)ticks + merged.least);
  etr_finding_set_sureness(added, ETR_LIKELY,
                           "a row that is masked whole becomes NaN, and no longer 0");
  return true;
}
