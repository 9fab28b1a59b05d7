/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_decoder.c - findings about decoders: writes of whole caches, and what each step computes
 * of positions alone.
 */
#include "base/method_parts.h"
#include "views/cost_figures.h"
#include "views/decoder.h"
#include "views/finder.h"
#include "views/finding_rules.h"
#include "views/memory_findings.h"
#include "views/phases.h"

#include <math.h>

/* ---- Caches that are written as a whole ---- */

/* The copies that ExecuTorch adds at the end of a method, which give buffers their new values. They
 * are on no node. */
typedef struct copies_back {
  size_t count;
  double ticks;    /* in the typical run, without interruptions */
  bool are_caches; /* the graph says that what they write are caches */
} copies_back;

/* Caches, and the operators that return a whole one to write a few positions. */
typedef struct cache_writes {
  bool *marked; /* per node */
  size_t caches, operators;
  uint64_t bytes, per_token; /* of all caches */
  copies_back back;
} cache_writes;

/* Returns true if two values have the same number of dimensions, at least one, and the same sizes.
 */
static bool has_same_sizes(const etr_value *a, const etr_value *b) {
  bool is_same = a->rank == b->rank && a->rank > 0;
  for (int32_t i = 0; is_same && i < a->rank; i++)
    is_same = a->dims[i].size == b->dims[i].size;
  return is_same;
}

/* Returns the buffer whose next value a concatenation makes from a part of the old one and
 * something new; ETR_NONE if it makes none. A cache is written so by torch.cat([cache[:, :i], new,
 * cache[:, i + 1:]]). */
static uint32_t concatenated_buffer(const etr_graph *graph, const etr_node *node) {
  if (node->output_count == 0 || node->input_count < 2)
    return ETR_NONE;
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t source = etr_graph_behind_copies(graph, node->inputs[i].node);
    const etr_node *buffer = &graph->nodes[source];
    if (buffer->kind == ETR_NODE_BUFFER && buffer->is_written && buffer->output_count &&
        has_same_sizes(&buffer->outputs[0], &node->outputs[0]))
      return source;
  }
  return ETR_NONE;
}

/* Marks an operator that writes a cache, and counts it if it was not marked. */
static void mark_write(cache_writes *writes, uint32_t node) {
  writes->operators += !writes->marked[node];
  writes->marked[node] = true;
}

/* Marks the concatenations that write a cache, and the copies of it that they read. Counts the
 * caches, and adds up their bytes in writes->bytes, and in writes->per_token the bytes of what is
 * appended, which is all that had to be written. */
static void mark_concatenations(cache_writes *writes, const etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    uint32_t buffer = etr_is_operator(finder, node, "cat") ? concatenated_buffer(graph, node)
                                                           : ETR_NONE;
    uint64_t buffer_bytes = 0, written_bytes = 0;
    if (buffer == ETR_NONE || !etr_value_bytes(&graph->nodes[buffer].outputs[0], &buffer_bytes))
      continue;
    mark_write(writes, i);
    for (size_t k = 0; k < node->input_count; k++) {
      uint32_t input = node->inputs[k].node;
      uint64_t size = 0;
      bool is_old = etr_graph_behind_copies(graph, input) == buffer;
      if (is_old && graph->nodes[input].kind == ETR_NODE_OP)
        mark_write(writes, input);
      if (!is_old && graph->nodes[input].output_count &&
          etr_value_bytes(&graph->nodes[input].outputs[node->inputs[k].output], &size))
        written_bytes += size;
    }
    writes->caches++;
    writes->bytes += buffer_bytes;
    writes->per_token += written_bytes;
  }
}

/* Returns true if a time slice is of a copy on no node, as those at the end of a method are. */
static bool is_copy_back(const etr_time_slice *slice) {
  const char *name = slice->event->kernel ? slice->event->kernel : slice->event->label;
  return slice->node == ETR_NONE && !etr_time_slice_is_in_delegate(slice) && name &&
         etr_slice_ends(etr_slice_of(name), ETR_SLICE("copy_"));
}

/* Returns true if the new value of the buffer that a graph writes as number `index` is what writes
 * a cache. */
static bool is_new_cache(const etr_graph *graph, const etr_kv_cache *cache, size_t index) {
  for (size_t i = graph->node_count; i-- > 0;) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_OUTPUT || node->subgraph != ETR_NONE)
      continue;
    for (size_t k = 0; index < node->input_count && k < cache->count; k++)
      if (cache->buffers[k].writer == node->inputs[index].node)
        return true;
    return false;
  }
  return false;
}

/* Returns the copies back of caches. They are in the order in which the graph returns new values,
 * one for each; where they are not so many, all are returned, of whatever buffers. */
static copies_back find_copies_back(const etr_finder *finder, const etr_kv_cache *cache) {
  copies_back of_caches = {.are_caches = true}, all = {0};
  const etr_method *method = finder->method;
  int32_t first = INT32_MAX, last = -1;
  etr_map seen;
  etr_map_init(&seen, finder->arena);
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    if (!is_copy_back(slice))
      continue;
    first = ETR_MIN(first, slice->event->instruction_id);
    last = ETR_MAX(last, slice->event->instruction_id);
    all.count += etr_map_count(&seen, ETR_BYTES(slice->event->instruction_id)) == 0;
    all.ticks += etr_slice_uninterrupted(method, i);
  }
  if (all.count != finder->graph->mutation_count || first + (int64_t)all.count != last + 1)
    return all;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    if (is_copy_back(slice) &&
        is_new_cache(finder->graph, cache, (size_t)(slice->event->instruction_id - first)))
      of_caches.ticks += etr_slice_uninterrupted(method, i);
  }
  for (size_t i = 0; i < all.count; i++)
    of_caches.count += is_new_cache(finder->graph, cache, i);
  return of_caches;
}

/* Marks the kernels that write caches at some positions, but return whole caches. Returns false
 * when out of memory. */
static bool mark_writes(cache_writes *writes, const etr_finder *finder, const etr_layers *layers) {
  static const char *const names[] = {"index_put", "slice_scatter", "select_scatter", "copy_"};
  etr_kv_cache cache;
  *writes = (cache_writes){.marked = etr_finder_node_flags(finder)};
  if (!writes->marked || !etr_kv_cache_find(&cache, finder->arena, finder->profile, finder->method))
    return false;
  for (uint32_t i = 0; cache.count && i < finder->graph->node_count; i++)
    if (layers->of_node[i] == ETR_LAYER_CACHE && finder->is_kernel[i] &&
        etr_is_one_of(finder, &finder->graph->nodes[i], names, ETR_COUNT(names)))
      mark_write(writes, i);
  if (writes->operators) {
    writes->back = find_copies_back(finder, &cache);
    writes->caches = cache.count;
    writes->bytes = cache.bytes;
    writes->per_token = cache.per_token;
  }
  mark_concatenations(writes, finder);
  return true;
}

/* Adds the finding about writes of whole caches for one token, if there are any. Times are with the
 * calls around kernels (true). Returns false when out of memory. */
static bool add_cache_copy_finding(etr_finder *finder, const etr_layers *layers) {
  cache_writes writes;
  if (!mark_writes(&writes, finder, layers))
    return false;
  const copies_back *back = &writes.back;
  uint64_t copying = etr_finder_over_runs(finder, back->ticks);
  uint64_t ticks = etr_finder_marked_ticks(finder, writes.marked) +
                   (back->are_caches ? copying : 0);
  etr_finding *added = writes.operators ? etr_finder_add_if_large(finder, ETR_FINDING_CACHE_COPIES,
                                                                  ticks, (double)ticks)
                                        : NULL;
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, writes.marked))
    return false;
  added->title = etr_arena_format(finder->arena, "Write %zu cache%s in place, by update_cache",
                                  writes.caches, etr_plural(writes.caches));
  /* Writing the new positions remains, and what makes room for them. */
  etr_finding_set_least_saving(finder, added, (double)ticks / 2);
  added->fact = "each write copies a whole cache, not what is new";
  const char *copies = "";
  if (back->count)
    copies = etr_arena_format(finder->arena, ", and %zu cop%s back%s, %s%s", back->count,
                              back->count == 1 ? "y" : "ies", back->are_caches ? "" : " of buffers",
                              etr_finder_time_per_run(finder, copying),
                              back->are_caches ? "" : ", not counted");
  added->evidence = etr_arena_format(
      finder->arena,
      "%s %s: %s%s. They return whole caches, %zu bytes in all, to write %zu bytes a token. "
      "llama.update_cache of extension/llm writes the new positions alone.",
      etr_they_take(writes.operators), etr_finder_time_per_run(finder, ticks),
      etr_finder_operators_text(finder, writes.marked, true), etr_or_empty(copies),
      (size_t)writes.bytes, (size_t)writes.per_token);
  etr_finding_set_sureness(added, ETR_LIKELY,
                           "if the runtime does not write them in place already");
  return true;
}

/* ---- What depends on positions alone ---- */

/* Marks the operators whose results depend on positions (integer inputs of at most one dimension)
 * and constants alone, never on other inputs or on buffers that are written. depends_on_data: a
 * flag for each node, all false at first. Nodes are in execution order, so a node that reads a
 * later one is in a damaged graph and counts as depending on data. */
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

/* Adds the finding about work that depends on positions alone, and could be looked up, if there is
 * any. Times are with the calls around kernels (true). Returns false when out of memory. */
static bool add_position_finding(etr_finder *finder) {
  bool *marked = etr_finder_node_flags(finder), *depends_on_data = etr_finder_node_flags(finder);
  size_t count = 0;
  if (!marked || !depends_on_data)
    return false;
  mark_positions(finder, marked, depends_on_data);
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    marked[i] = marked[i] && finder->graph->times[i].runs > 0;
    count += marked[i];
  }
  uint64_t ticks = etr_finder_marked_ticks(finder, marked);
  etr_finding *added = count ? etr_finder_add_if_large(finder, ETR_FINDING_POSITIONS, ticks,
                                                       (double)ticks)
                             : NULL;
  if (!added)
    return !etr_arena_failed(finder->arena);
  if (!etr_finding_set_nodes(finder, added, marked))
    return false;
  etr_finding_set_least_saving(finder, added, (double)ticks / 2); /* a lookup takes some of it */
  added->title = "Look up masks and rotary tables by position";
  added->fact = etr_arena_format(finder->arena, "%s %s in each run, and depend on positions alone",
                                 etr_they_take(count), etr_finder_time_per_run(finder, ticks));
  added->evidence = etr_arena_format(
      finder->arena,
      "%s %s in each run, and depend on positions alone: %s. A table that is computed once, at "
      "export, and indexed by the position has the same numbers.",
      etr_they_take(count), etr_finder_time_per_run(finder, ticks),
      etr_finder_operators_text(finder, marked, true));
  etr_finding_set_sureness(added, ETR_LIKELY,
                           "the table takes memory, and the lookup some of the time");
  return true;
}

/* ---- Weights ---- */

/* What the weights of a decoder's operators take, in bytes. */
typedef struct weight_sum {
  double bytes;       /* read for a run */
  double float_bytes; /* by products of floating-point numbers */
  uint32_t largest;   /* the operator that reads the most; ETR_NONE */
  double most;        /* what it reads */
} weight_sum;

/* Returns the bytes of weights that operators read in a run, and the operator that reads most.
 * Marks those that compute in floating point. Embeddings do not count: they read a row. */
static weight_sum sum_weights(const etr_finder *finder, bool *marked) {
  weight_sum sum = {.largest = ETR_NONE};
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    const etr_node *node = &finder->graph->nodes[i];
    if (node->kind != ETR_NODE_OP || finder->graph->times[i].runs == 0 ||
        strstr(node->target, "embedding"))
      continue;
    const etr_cost_figures figures = etr_cost_figures_of_node(finder->profile, finder->graph, i);
    if (!(figures.weight_bytes > 0) || !figures.arithmetic)
      continue;
    bool is_float = strcmp(figures.arithmetic, "float") == 0;
    marked[i] = is_float;
    sum.bytes += figures.weight_bytes;
    sum.float_bytes += is_float ? figures.weight_bytes : 0;
    if (figures.weight_bytes > sum.most) {
      sum.most = figures.weight_bytes;
      sum.largest = i;
    }
  }
  return sum;
}

/* Adds the finding that reading the weights, at the bandwidth that was given, takes a good part of
 * the time of a token. There is none without a bandwidth, or if a run computes several tokens.
 * Returns false when out of memory. */
static bool add_weight_finding(etr_finder *finder) {
  static const double MUCH = .25, SAVED = .75; /* int8 has a quarter of float32's bytes */
  const etr_throughput *throughput = finder->method->throughput;
  double bandwidth = finder->profile->peaks.bandwidth;
  bool *marked = etr_finder_node_flags(finder);
  bool is_step = throughput && throughput->tokens_per_run <= 1;
  if (!marked)
    return false;
  if (!is_step || !(bandwidth > 0))
    return true;
  const weight_sum sum = sum_weights(finder, marked);
  double ticks = sum.bytes / bandwidth * finder->profile->ticks_per_second;
  if (sum.largest == ETR_NONE || ticks < MUCH * finder->method->execute.typical)
    return true;
  double runs = (double)finder->method->run_count;
  double float_share = sum.float_bytes / sum.bytes;
  uint64_t all_ticks = (uint64_t)(ticks * runs);
  etr_finding *added = etr_finder_add_if_large(
      finder, ETR_FINDING_WEIGHTS, all_ticks,
      sum.float_bytes > 0 ? SAVED * float_share * (double)all_ticks : NAN);
  if (!added)
    return !etr_arena_failed(finder->arena);
  const char *rate = etr_finder_amount_text(finder, bandwidth, "B/s");
  double longest = sum.most / bandwidth * finder->profile->ticks_per_second;
  added->title = sum.float_bytes > 0 ? "Store the weights in fewer bits"
                                     : "Expect no faster token than its weights";
  added->fact = etr_arena_format(finder->arena, "a token reads %s of weights: at %s at least %s",
                                 etr_finder_amount_text(finder, sum.bytes, "B"), rate,
                                 etr_finder_time_text(finder, ticks));
  added->evidence = etr_arena_format(
      finder->arena,
      "Each token reads %.0f bytes of weights. At %s a token cannot be faster than %s; the "
      "layer with the most, %s, cannot be faster than %s.",
      sum.bytes, rate, etr_finder_time_text(finder, ticks),
      etr_finder_node_name(finder, sum.largest), etr_finder_time_text(finder, longest));
  etr_finding_set_sureness(added, ETR_POSSIBLE, "caches may hold weights of small models");
  return etr_finding_set_nodes(finder, added, marked);
}

/* Returns the bytes of all weights, as the program stores them. */
static double all_weight_bytes(const etr_finder *finder) {
  size_t count;
  const etr_weight *weights = etr_weights_of(&count, finder->arena, finder->profile,
                                             finder->method);
  double sum = 0;
  for (size_t i = 0; weights && i < count; i++)
    sum += (double)weights[i].bytes;
  return sum;
}

/* Returns the bytes of the table in floating point that an embedding looks rows up in; 0 for an
 * operator that is none, or did not run. */
static double float_table_bytes(const etr_graph *graph, uint32_t node) {
  const etr_node *lookup = &graph->nodes[node];
  bool is_lookup = lookup->kind == ETR_NODE_OP && strstr(lookup->target, ".embedding.") &&
                   lookup->input_count && graph->times[node].runs;
  if (!is_lookup)
    return 0;
  const etr_node *table = &graph->nodes[lookup->inputs[0].node];
  bool is_float = table->kind == ETR_NODE_PARAMETER && table->output_count &&
                  table->outputs[0].dtype && strstr(table->outputs[0].dtype, "float");
  uint64_t bytes;
  return is_float && etr_value_bytes(&table->outputs[0], &bytes) ? (double)bytes : 0;
}

/* Adds the finding about an embedding in floating point that has a quarter of the bytes of all
 * weights or more, if there is one. Its rows are looked up, so it takes memory and no time: it is
 * added whatever its time is. Returns false when out of memory. */
static bool add_embedding_finding(etr_finder *finder) {
  static const double MUCH = .25;
  const etr_graph *graph = finder->graph;
  bool *marked = etr_finder_node_flags(finder);
  double all_bytes = all_weight_bytes(finder), table_bytes = 0;
  uint32_t table = ETR_NONE, reader = ETR_NONE;
  if (!marked)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    double bytes = float_table_bytes(graph, i);
    if (bytes <= table_bytes)
      continue;
    table_bytes = bytes;
    table = graph->nodes[i].inputs[0].node;
    reader = i;
  }
  if (table == ETR_NONE || table_bytes < MUCH * all_bytes)
    return true;
  etr_finding *added = etr_vec_push(finder->arena, &finder->found);
  if (!added)
    return false;
  *added = (etr_finding){.kind = ETR_FINDING_EMBEDDING,
                         .caveat = "",
                         .cost = 0,
                         .share = NAN,
                         .least = NAN,
                         .potential = NAN,
                         .potential_share = NAN,
                         .slope = NAN};
  added->title = "Quantize the embedding";
  added->fact = etr_arena_format(
      finder->arena, "its table has %s in %s, %.0f %% of the weights; no time",
      etr_finder_amount_text(finder, table_bytes, "B"), graph->nodes[table].outputs[0].dtype,
      100 * table_bytes / all_bytes);
  added->evidence = etr_arena_format(finder->arena,
                                     "The table that %s looks rows up in has %.0f bytes. With 8 or "
                                     "4 bits it takes less memory and "
                                     "a smaller file; looking up a row takes no less time.",
                                     etr_finder_node_name(finder, reader), table_bytes);
  etr_finding_set_sureness(added, ETR_POSSIBLE, "if it is not tied to a layer that multiplies");
  marked[reader] = true;
  return etr_finding_set_nodes(finder, added, marked);
}

/* ---- Together ---- */

/* Adds the findings that are about decoders only. Returns false when out of memory. */
bool etr_add_decoder_findings(etr_finder *finder) {
  etr_layers layers;
  if (!etr_layers_find(&layers, finder->arena, finder->profile, finder->method))
    return false;
  if (!layers.is_decoder)
    return true;
  return add_cache_copy_finding(finder, &layers) && add_position_finding(finder) &&
         add_weight_finding(finder) && add_embedding_finding(finder);
}
