/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_decoder.c - findings about decoders: writes of whole caches, and what each step computes
 * of positions alone.
 */
#include "views/decoder.h"
#include "views/finder.h"
#include "views/finding_rules.h"

static bool *flags_of(const etr_finder *finder) {
  return etr_arena_alloc_array(finder->arena, finder->graph->node_count, sizeof(bool));
}

/* Adds up the kernels of marked nodes, with the calls around them. */
static uint64_t ticks_of(const etr_finder *finder, const bool *marked) {
  uint64_t ticks = 0;
  for (uint32_t i = 0; i < finder->graph->node_count; i++)
    if (marked[i])
      ticks += etr_finder_kernel_ticks(finder, i);
  return ticks;
}

/* ---- Caches that are written as a whole ---- */

static bool find_cache_copies(etr_finder *finder, const etr_layers *layers) {
  static const char *const names[] = {"index_put", "slice_scatter", "select_scatter", "copy_"};
  bool *marked = flags_of(finder);
  etr_kv_cache cache;
  if (!marked || !etr_kv_cache_find(&cache, finder->arena, finder->profile, finder->method))
    return false;
  size_t count = 0;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    marked[i] = layers->of_node[i] == ETR_LAYER_CACHE && finder->is_kernel[i] &&
                etr_is_one_of(finder, &finder->graph->nodes[i], names, ETR_COUNT(names));
    count += marked[i];
  }
  if (cache.count == 0 || count == 0)
    return true;
  uint64_t ticks = ticks_of(finder, marked);
  etr_finding *added = etr_finder_add(finder, ETR_FINDING_CACHE_COPIES, ticks, (double)ticks);
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finder_list_nodes(finder, added, marked))
    return false;
  added->title = etr_arena_format(finder->arena, "Write %zu cache%s in place, by update_cache",
                                  cache.count, etr_plural(cache.count));
  added->fact = "each write copies a whole cache for one token";
  added->evidence = etr_arena_format(
      finder->arena,
      "%s %s: %s. Each returns a whole cache, %zu bytes in all, to write %zu bytes a token. "
      "llama.update_cache of extension/llm writes the new positions alone.",
      etr_they_take(count), etr_finder_time(finder, ticks),
      etr_finder_by_operator(finder, marked, true), (size_t)cache.bytes, (size_t)cache.per_token);
  etr_finding_judge(added, ETR_LIKELY, "if the runtime does not write them in place already");
  return true;
}

/* ---- What depends on positions alone ---- */

/* Marks the operators whose results depend on inputs other than tokens and on constants, never on
 * tokens or buffers that are written. */
static void mark_positions(const etr_finder *finder, bool *marked, bool *depends_on_data) {
  const etr_graph *graph = finder->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    bool is_position = node->kind == ETR_NODE_INPUT && node->output_count > 0 &&
                       node->outputs[0].rank <= 1 && node->outputs[0].dtype &&
                       strncmp(node->outputs[0].dtype, "int", 3) == 0;
    depends_on_data[i] = (node->kind == ETR_NODE_INPUT && !is_position) ||
                         (node->kind == ETR_NODE_BUFFER && node->is_written);
    for (size_t k = 0; node->kind == ETR_NODE_OP && k < node->input_count; k++)
      depends_on_data[i] |= node->inputs[k].node >= i || depends_on_data[node->inputs[k].node];
    marked[i] = node->kind == ETR_NODE_OP && !depends_on_data[i] && !finder->is_constant[i] &&
                node->input_count > 0 && node->subgraph == ETR_NONE;
  }
}

static bool find_position_work(etr_finder *finder) {
  bool *marked = flags_of(finder), *depends_on_data = flags_of(finder);
  size_t count = 0;
  if (!marked || !depends_on_data)
    return false;
  mark_positions(finder, marked, depends_on_data);
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    marked[i] = marked[i] && finder->graph->times[i].runs > 0;
    count += marked[i];
  }
  uint64_t ticks = ticks_of(finder, marked);
  etr_finding *added = count ? etr_finder_add(finder, ETR_FINDING_POSITIONS, ticks, (double)ticks)
                             : NULL;
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finder_list_nodes(finder, added, marked))
    return false;
  added->title = "Look up masks and rotary tables by position";
  added->fact = etr_arena_format(finder->arena, "%s %s in each run, and depend on positions alone",
                                 etr_they_take(count), etr_finder_time(finder, ticks));
  added->evidence = etr_arena_format(
      finder->arena,
      "%s %s in each run, and depend on positions alone: %s. A table that is computed once, at "
      "export, and indexed by the position has the same numbers.",
      etr_they_take(count), etr_finder_time(finder, ticks),
      etr_finder_by_operator(finder, marked, true));
  etr_finding_judge(added, ETR_LIKELY, "the table takes memory, and the lookup some of the time");
  return true;
}

/* ---- Together ---- */

bool etr_find_decoder(etr_finder *finder) {
  etr_layers layers;
  if (!etr_layers_find(&layers, finder->arena, finder->profile, finder->method))
    return false;
  if (!layers.is_decoder)
    return true;
  return find_cache_copies(finder, &layers) && find_position_work(finder);
}
