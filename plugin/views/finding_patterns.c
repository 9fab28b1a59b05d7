/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_patterns.c - findings about groups of operators that one operator, or none, could
 * replace.
 */
#include "output/label.h"
#include "views/decoder.h"
#include "views/finder.h"
#include "views/finding_rules.h"
#include "views/kernel_ratio.h"
#include "views/softmax_check.h"

/* ---- What the patterns share ---- */

/* The graph and who reads its nodes. The readers of node i are readers[starts[i]] to
 * readers[starts[i + 1] - 1]. */
typedef struct patterns {
  etr_finder *finder;
  const etr_graph *graph;
  uint32_t *starts, *readers;
  uint32_t output_layer; /* the linear layer whose result is returned; ETR_NONE */
  uint32_t logits;       /* what the method returns of that result */
  bool is_decoder;
} patterns;

/* Sets *p to a graph, with the readers of each node: those of node i are readers[starts[i]] to
 * readers[starts[i + 1] - 1]. Returns false when out of memory. */
static bool find_readers(patterns *p, etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  size_t uses = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    uses += graph->nodes[i].input_count;
  *p = (patterns){
      .finder = finder,
      .graph = graph,
      .starts = etr_arena_alloc_array(finder->arena, graph->node_count + 2, sizeof *p->starts),
      .readers = etr_arena_alloc_array(finder->arena, uses, sizeof *p->readers)};
  if (!p->starts || !p->readers)
    return false;
  /* Counts two indices ahead, so that filling moves each start to where it belongs. */
  for (size_t i = 0; i < graph->node_count; i++)
    for (size_t k = 0; k < graph->nodes[i].input_count; k++)
      p->starts[graph->nodes[i].inputs[k].node + 2]++;
  for (size_t i = 0; i < graph->node_count; i++)
    p->starts[i + 2] += p->starts[i + 1];
  for (uint32_t i = 0; i < graph->node_count; i++)
    for (size_t k = 0; k < graph->nodes[i].input_count; k++)
      p->readers[p->starts[graph->nodes[i].inputs[k].node + 1]++] = i;
  return true;
}

static size_t reader_count(const patterns *p, uint32_t node) {
  return p->starts[node + 1] - p->starts[node];
}

/* Returns the node that made a node's first input; ETR_NONE if there is none, or if the record has
 * it later: following it could go around in a circle. */
static uint32_t first_source(const patterns *p, uint32_t node) {
  const etr_node *reader = &p->graph->nodes[node];
  bool has_earlier = reader->input_count && reader->inputs[0].node < node;
  return has_earlier ? reader->inputs[0].node : ETR_NONE;
}

/* Goes back over operators that only copy and that one node reads, from a node's first input on.
 * Returns the node behind them; ETR_NONE if there is none. */
static uint32_t skip_own_copies(const patterns *p, uint32_t node) {
  do
    node = first_source(p, node);
  while (node != ETR_NONE && etr_node_only_copies(&p->graph->nodes[node]) &&
         reader_count(p, node) == 1);
  return node;
}

/* Returns the node that made an input of a node; NULL if it has fewer inputs. */
static const etr_node *input_of(const patterns *p, const etr_node *node, size_t index) {
  return index < node->input_count ? &p->graph->nodes[node->inputs[index].node] : NULL;
}

/* Returns true for an operator that multiplies matrices. */
static bool is_product(const patterns *p, const etr_node *node) {
  static const char *const names[] = {"mm", "bmm", "addmm", "matmul", "baddbmm"};
  return etr_is_one_of(p->finder, node, names, ETR_COUNT(names));
}

static bool is_layer(const patterns *p, const etr_node *node) {
  static const char *const names[] = {"convolution", "linear", "addmm", "mm"};
  return etr_is_one_of(p->finder, node, names, ETR_COUNT(names));
}

/* Returns true if a node ran and its time is its own: a match that was estimated from the order of
 * events is no evidence about a node. */
static bool is_timed(const patterns *p, uint32_t node) {
  return p->graph->times[node].runs > 0 && p->graph->times[node].match != ETR_MATCH_ALIGNED;
}

/* ---- A dequantization followed by the same quantization ---- */

/* Returns true if two nodes quantize in the same way: all arguments but the type of the result are
 * equal, and so are all inputs but the first, which is what they quantize. Without any of them
 * nothing is known, and it returns false. */
static bool has_same_arguments(const patterns *p, const etr_node *a, const etr_node *b) {
  if (a->argument_count == 0 && a->input_count < 2)
    return false;
  for (size_t i = 0; i < a->argument_count; i++) {
    const char *name = a->arguments[i].name, *other = etr_node_argument(b, name);
    bool is_result_type = strcmp(name, "out_dtype") == 0 || strcmp(name, "output_dtype") == 0;
    if (!is_result_type && (!other || strcmp(other, a->arguments[i].value) != 0))
      return false;
  }
  for (size_t i = 1; i < a->input_count && i < b->input_count; i++)
    if (input_of(p, a, i) != input_of(p, b, i))
      return false;
  return a->input_count == b->input_count;
}

/* Marks a quantization, and the dequantization that it undoes unless others read it, too. Copies
 * may lie between them, which could move quantized numbers as well. Returns false, with nothing
 * marked, if there is none. */
static bool mark_quantize_pair(const patterns *p, uint32_t node, bool *marked) {
  const etr_slice *ops = p->finder->ops;
  if (!p->finder->is_kernel[node] || !etr_slice_starts(ops[node], ETR_SLICE("quantize_")))
    return false;
  uint32_t undone = skip_own_copies(p, node);
  if (undone == ETR_NONE)
    return false;
  bool is_undone = etr_slice_starts(ops[undone], ETR_SLICE("dequantize_"));
  if (!is_undone || !p->finder->is_kernel[undone] ||
      !has_same_arguments(p, &p->graph->nodes[undone], &p->graph->nodes[node]))
    return false;
  marked[node] = true;
  if (reader_count(p, undone) == 1)
    marked[undone] = true;
  return true;
}

/* Adds the finding about dequantize and quantize nodes that cancel, if there are any: all of their
 * time can be saved, with the calls around kernels (true). Returns false when out of memory. */
static bool add_quantize_pair_finding(patterns *p) {
  bool *marked = etr_finder_node_flags(p->finder);
  size_t pairs = 0;
  if (!marked)
    return false;
  for (uint32_t i = 0; i < p->graph->node_count; i++)
    pairs += mark_quantize_pair(p, i, marked);
  uint64_t ticks = etr_finder_marked_ticks(p->finder, marked);
  etr_finding *added = pairs ? etr_finder_add_if_large(p->finder, ETR_FINDING_QUANTIZE_PAIRS, ticks,
                                                       (double)ticks)
                             : NULL;
  if (!added)
    return !etr_arena_failed(p->finder->arena);
  added->title = etr_arena_format(p->finder->arena, "Remove %zu dequantize/quantize pair%s", pairs,
                                  etr_plural(pairs));
  added->fact = "they cancel: nothing but copies is between them";
  etr_finding_set_least_saving(p->finder, added, (double)ticks);
  added->evidence = etr_arena_format(
      p->finder->arena,
      "Each quantizes again with the scale, zero point and type that it had, around "
      "nothing but copies, which can move quantized numbers: %s.",
      etr_finder_operators_text(p->finder, marked, true));
  etr_finding_set_sureness(added, ETR_SURE, NULL);
  return etr_finding_set_nodes(p->finder, added, marked);
}

/* ---- Batch norms ---- */

/* Returns the index of a layer's weight among its inputs. */
static size_t weight_index(const patterns *p, const etr_node *layer) {
  return etr_is_operator(p->finder, layer, "addmm") ? 2 : 1; /* bias, input, weight */
}

/* Returns true for a batch norm that can be folded into the layer before it: it alone reads the
 * layer, whose weight is constant. */
static bool is_foldable_norm(const patterns *p, uint32_t node) {
  const etr_node *layer = input_of(p, &p->graph->nodes[node], 0);
  static const char *const layers[] = {"convolution", "linear", "addmm"};
  if (!strstr(p->graph->nodes[node].target, "batch_norm") || !layer ||
      !etr_is_one_of(p->finder, layer, layers, ETR_COUNT(layers)))
    return false;
  uint32_t layer_index = p->graph->nodes[node].inputs[0].node;
  size_t weight = weight_index(p, layer);
  return reader_count(p, layer_index) == 1 && weight < layer->input_count &&
         p->finder->is_constant[layer->inputs[weight].node];
}

/* Adds the finding about batch norms that could be folded into the layer before, if there are any:
 * all of their time can be saved, with the calls around kernels (true). Returns false when out of
 * memory. */
static bool add_batch_norm_finding(patterns *p) {
  bool *marked = etr_finder_node_flags(p->finder);
  size_t count = 0;
  if (!marked)
    return false;
  for (uint32_t i = 0; i < p->graph->node_count; i++) {
    marked[i] = is_timed(p, i) && is_foldable_norm(p, i);
    count += marked[i];
  }
  uint64_t ticks = etr_finder_marked_ticks(p->finder, marked);
  etr_finding *added = count ? etr_finder_add_if_large(p->finder, ETR_FINDING_BATCH_NORM, ticks,
                                                       (double)ticks)
                             : NULL;
  if (!added)
    return !etr_arena_failed(p->finder->arena);
  added->title = etr_arena_format(p->finder->arena,
                                  "Merge %zu batch norm%s into the layer%s before", count,
                                  etr_plural(count), etr_plural(count));
  added->fact = "before the export, with torch.nn.utils.fusion.fuse_conv_bn_eval";
  etr_finding_set_least_saving(p->finder, added, (double)ticks);
  added->evidence = etr_arena_format(
      p->finder->arena,
      "Each is the only reader of a layer with constant weights, and takes time of its "
      "own: %s. Before the export: torch.nn.utils.fusion.fuse_conv_bn_eval.",
      etr_finder_operators_text(p->finder, marked, true));
  etr_finding_set_sureness(added, ETR_SURE, NULL);
  return etr_finding_set_nodes(p->finder, added, marked);
}

/* ---- The output layer of a decoder ---- */

/* Starts at a node and follows copies and scales back. Returns the first node that does more. */
static uint32_t behind_scales(const etr_graph *graph, uint32_t node) {
  for (uint32_t next = node; next != ETR_NONE; next = etr_scaled_value(graph, node))
    node = etr_graph_behind_copies(graph, next);
  return node;
}

/* Sets p->output_layer to the linear layer whose result, through copies and scales, is returned by
 * the method, and p->logits to what is returned of it; ETR_NONE if there is none. */
static void find_output_layer(patterns *p) {
  p->output_layer = p->logits = ETR_NONE;
  for (uint32_t i = (uint32_t)p->graph->node_count; i-- > 0;) {
    const etr_node *output = &p->graph->nodes[i];
    if (output->kind != ETR_NODE_OUTPUT || output->subgraph != ETR_NONE)
      continue;
    for (size_t k = 0; k < output->input_count; k++) {
      uint32_t layer = behind_scales(p->graph, output->inputs[k].node);
      if (!is_layer(p, &p->graph->nodes[layer]) ||
          etr_is_operator(p->finder, &p->graph->nodes[layer], "convolution"))
        continue;
      p->output_layer = layer;
      p->logits = output->inputs[k].node;
      return;
    }
  }
}

/* Returns the size of a dimension of a node's first result, counted from the end: 1 is the last. 0
 * if it is not known. */
static int64_t size_from_end(const etr_node *node, int32_t from_end) {
  const etr_value *result = node->output_count ? &node->outputs[0] : NULL;
  return result && result->rank >= from_end ? result->dims[result->rank - from_end].size : 0;
}

/* Returns true if the graph is a decoder: it has an embedding, and a cache or an output layer with
 * as many results as the embedding's table (rows, columns) has rows, which are its second size from
 * the end. */
static bool is_decoder(const patterns *p) {
  for (uint32_t i = 0; i < p->graph->node_count; i++) {
    const etr_node *node = &p->graph->nodes[i];
    if (node->kind != ETR_NODE_OP || node->input_count == 0 || !strstr(node->target, "embedding"))
      continue;
    if (p->graph->mutation_count) /* it writes a buffer */
      return true;
    if (p->output_layer == ETR_NONE)
      continue;
    int64_t vocabulary_size = size_from_end(input_of(p, node, 0), 2);
    if (vocabulary_size == size_from_end(&p->graph->nodes[p->output_layer], 1))
      return true;
  }
  return false;
}

/* Adds the finding about an output layer of a decoder: to compute the last row only if it has many
 * and that is worth it, and otherwise, if it takes much of the decoder's time, to quantize it or to
 * compute the last of its few rows. Returns false when out of memory. */
static bool add_output_layer_finding(patterns *p) {
  /* A quarter: below that, the layers of the decoder matter more. */
  enum { MUCH_OF_DECODER = 4 };
  /* Reading the weights takes the time of one row, and about as long as computing four. */
  enum { ROWS_OF_READING = 4 };
  uint32_t layer = p->output_layer;
  bool *marked = etr_finder_node_flags(p->finder);
  if (!marked)
    return false;
  if (layer == ETR_NONE || !p->is_decoder)
    return true;
  uint64_t ticks = etr_finder_kernel_ticks(p->finder, layer);
  double whole = etr_finder_uninterrupted(p->finder) * (double)p->finder->method->run_count;
  int64_t rows = etr_layer_rows(&p->graph->nodes[layer]);
  bool is_integer = p->graph->costs && p->graph->costs[layer].is_integer;
  bool is_enough = rows > ROWS_OF_READING || (double)ticks * MUCH_OF_DECODER >= whole;
  if (!is_enough || (rows <= 1 && is_integer))
    return true;
  const etr_type_ratio *type = etr_type_named(p->finder->profile->vnni, ETR_RATIO_LINEAR_ROW,
                                              "8da4w");
  const double QUARTER = 0.75; /* saved if int8 is read in place of float32 */
  double saved_share = ETR_MIN(QUARTER, etr_saved_at(type ? type->high : 1));
  if (rows > 1)
    saved_share = (double)(rows - 1) / (double)rows;
  etr_finding *added = etr_finder_add_if_large(p->finder, ETR_FINDING_OUTPUT_LAYER, ticks,
                                               saved_share * (double)ticks);
  if (!added)
    return !etr_arena_failed(p->finder->arena);
  added->title = rows > 1 ? "Compute the logits of the last token only"
                          : "Quantize the output layer";
  if (rows <= 1)
    added->variant = ETR_VARIANT_8DA4W;
  added->fact = etr_arena_format(p->finder->arena, "the output layer takes %s for %lld token%s",
                                 etr_finder_time_per_run(p->finder, ticks), (long long)rows,
                                 etr_plural((size_t)rows));
  added->evidence = etr_arena_format(
      p->finder->arena, "The output layer %s takes %s for %lld token%s.",
      etr_finder_node_name(p->finder, layer), etr_finder_time_per_run(p->finder, ticks),
      (long long)rows, etr_plural((size_t)rows));
  double least_share = type ? etr_saved_at(type->low) : 0;
  if (rows > 1)
    least_share = 1 - ROWS_OF_READING / (double)rows;
  etr_finding_set_least_saving(p->finder, added, least_share * (double)ticks);
  if (rows > 1 && etr_layer_rows(&p->graph->nodes[p->logits]) == 1)
    etr_finding_set_sureness(added, ETR_LIKELY, "the method returns the logits of one token");
  else
    etr_finding_set_sureness(added, ETR_POSSIBLE,
                             rows > 1 ? "if only the last token's logits are read"
                                      : "int8 reads a quarter");
  marked[layer] = true;
  return etr_finding_set_nodes(p->finder, added, marked);
}

/* ---- Attention ---- */

enum {
  MOST_STEPS = 12
}; /* operators between a softmax and a product: scale, mask, views, copies */

/* The operators of one attention, as nodes of the graph. */
typedef struct attention_nodes {
  uint32_t nodes[2 * MOST_STEPS];
  size_t count;
} attention_nodes;

/* Returns the first operator that a node reads and that is not constant; ETR_NONE if there is none.
 */
static uint32_t first_data_source(const patterns *p, const etr_node *node) {
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t source = node->inputs[i].node;
    if (!p->finder->is_constant[source] && p->graph->nodes[source].kind == ETR_NODE_OP)
      return source;
  }
  return ETR_NONE;
}

/* Adds the operators from a softmax back to the product that makes its scores, at most MOST_STEPS.
 * Returns false, with some added, if there is none so near. */
static bool add_up_to_product(const patterns *p, uint32_t node, attention_nodes *out) {
  for (int steps = 0; steps < MOST_STEPS; steps++) {
    const etr_node *operator = &p->graph->nodes[node];
    if (operator->kind != ETR_NODE_OP)
      return false;
    out->nodes[out->count++] = node;
    if (is_product(p, operator))
      return true;
    node = first_data_source(p, operator);
    if (node == ETR_NONE)
      return false;
  }
  return false;
}

/* Adds the operators from a softmax, along the first reader of each, down to the product with the
 * values, at most MOST_STEPS. Returns false, with some added, if there is none so near. */
static bool add_down_to_product(const patterns *p, uint32_t node, attention_nodes *out) {
  for (int steps = 0; steps < MOST_STEPS; steps++) {
    out->nodes[out->count++] = node;
    if (is_product(p, &p->graph->nodes[node]))
      return true;
    if (reader_count(p, node) == 0)
      return false;
    node = p->readers[p->starts[node]];
    if (p->graph->nodes[node].kind != ETR_NODE_OP)
      return false;
  }
  return false;
}

/* Returns true for an operator that only copies for one reader, and not a constant. */
static bool is_own_copy(const patterns *p, uint32_t node) {
  return etr_node_only_copies(&p->graph->nodes[node]) && !p->finder->is_constant[node] &&
         reader_count(p, node) == 1;
}

/* Marks the operators that only copy what a marked product reads: the expands and views before it.
 */
static void mark_copies(const patterns *p, bool *marked) {
  for (uint32_t i = (uint32_t)p->graph->node_count; i-- > 0;) {
    const etr_node *product = &p->graph->nodes[i];
    if (!marked[i] || !is_product(p, product))
      continue;
    for (size_t k = 0; k < product->input_count; k++) {
      uint32_t copy = product->inputs[k].node;
      while (copy != ETR_NONE && is_own_copy(p, copy)) {
        marked[copy] = true;
        copy = first_source(p, copy);
      }
    }
  }
}

/* Adds the finding about a decoder's attention that is computed by single operators, if some of
 * these are kernels: custom_sdpa does the same in one operator, so that delegates may be merged,
 * too. Times are with the calls around kernels (true). Returns false when out of memory. */
static bool add_attention_finding(patterns *p) {
  bool *marked = etr_finder_node_flags(p->finder), has_kernel = false;
  size_t count = 0;
  if (!marked)
    return false;
  if (!p->is_decoder)
    return true;
  for (uint32_t i = 0; i < p->graph->node_count; i++) {
    static const char *const softmax[] = {"softmax", "safe_softmax"};
    if (!etr_is_one_of(p->finder, &p->graph->nodes[i], softmax, ETR_COUNT(softmax)))
      continue;
    attention_nodes attention = {.count = 0};
    if (!add_up_to_product(p, i, &attention) || !add_down_to_product(p, i, &attention))
      continue;
    count++;
    for (size_t k = 0; k < attention.count; k++)
      marked[attention.nodes[k]] = true;
  }
  if (count == 0)
    return true;
  mark_copies(p, marked);
  for (uint32_t i = 0; i < p->graph->node_count; i++)
    has_kernel |= marked[i] && p->finder->is_kernel[i];
  uint64_t ticks = etr_finder_marked_ticks(p->finder, marked), product_ticks = 0;
  /* The products remain. */
  for (uint32_t i = 0; i < p->graph->node_count; i++)
    if (marked[i] && is_product(p, &p->graph->nodes[i]))
      product_ticks += etr_finder_kernel_ticks(p->finder, i);
  /* custom_sdpa multiplies only the positions of a cache that are filled, so that the products may
   * be saved nearly whole. */
  etr_merged_calls merged = {0};
  if (has_kernel && !etr_find_merged_calls(p->finder, marked, &merged))
    return false;
  etr_finding *added = has_kernel ? etr_finder_add_if_large(p->finder, ETR_FINDING_ATTENTION, ticks,
                                                            (double)ticks + merged.most)
                                  : NULL;
  if (!added)
    return !etr_arena_failed(p->finder->arena);
  if (!etr_finding_set_nodes(p->finder, added, marked))
    return false;
  etr_finding_set_least_saving(p->finder, added, (double)(ticks - product_ticks) + merged.least);
  added->title = etr_arena_format(p->finder->arena, "Replace %zu attention%s by custom_sdpa", count,
                                  etr_plural(count));
  added->fact = etr_arena_format(p->finder->arena,
                                 "%zu operators (products, mask, softmax, copies) become %zu",
                                 added->node_count, count);
  added->evidence = etr_arena_format(
      p->finder->arena,
      "Products, scale, mask, softmax and copies take %s one by one, some as kernels: %s. "
      "llama.custom_sdpa of extension/llm does them in one pass.",
      etr_finder_time_per_run(p->finder, ticks),
      etr_finder_operators_text(p->finder, marked, true));
  added->evidence = etr_with_merged_calls(p->finder, added->evidence, &merged);
  etr_finding_set_sureness(
      added, ETR_POSSIBLE,
      "of the products it saves those of places that are not filled; it is made for "
      "causal decoders on CPUs");
  return true;
}

/* ---- Layers in floating point beside quantized ones ---- */

/* Adds the finding about layers that compute in floating point beside quantized ones, if these
 * multiply faster. The saving is at their rate of multiplications. Returns false when out of
 * memory. */
static bool add_float_layer_finding(patterns *p) {
  bool *marked = etr_finder_node_flags(p->finder);
  uint64_t float_ticks = 0, integer_ticks = 0;
  double float_macs = 0, integer_macs = 0;
  size_t quantized = 0;
  if (!marked)
    return false;
  if (!p->graph->costs)
    return true;
  for (uint32_t i = 0; i < p->graph->node_count; i++) {
    const etr_cost *cost = &p->graph->costs[i];
    if (!is_timed(p, i) || !is_layer(p, &p->graph->nodes[i]) || cost->macs == ETR_UNKNOWN ||
        !cost->macs)
      continue;
    if (etr_finder_is_depthwise(p->finder, &p->graph->nodes[i]))
      continue; /* which may be slower in int8 */
    uint64_t ticks = etr_finder_kernel_ticks(p->finder, i);
    marked[i] = !cost->is_integer;
    if (cost->is_integer) {
      quantized++;
      integer_ticks += ticks;
      integer_macs += (double)cost->macs;
    } else {
      float_ticks += ticks;
      float_macs += (double)cost->macs;
    }
  }
  if (quantized == 0 || integer_ticks == 0 || float_ticks == 0)
    return true;
  double saved = (double)float_ticks - float_macs * (double)integer_ticks / integer_macs;
  etr_finding *added = saved > 0 ? etr_finder_add_if_large(p->finder, ETR_FINDING_FLOAT_BESIDE,
                                                           float_ticks, saved)
                                 : NULL;
  if (!added)
    return !etr_arena_failed(p->finder->arena);
  if (!etr_finding_set_nodes(p->finder, added, marked))
    return false;
  added->title = etr_arena_format(p->finder->arena, "Quantize the other %zu layer%s",
                                  added->node_count, etr_plural(added->node_count));
  added->fact = etr_arena_format(
      p->finder->arena, "%s in floating point, beside %zu quantized ones",
      added->node_count == 1 ? "it multiplies" : "they multiply", quantized);
  added->evidence = etr_arena_format(
      p->finder->arena,
      "%zu other layers are quantized. The saving is at their rate; longest: %s of %s.", quantized,
      etr_finder_node_name(p->finder, added->nodes[0]),
      etr_finder_time_per_run(p->finder, etr_finder_kernel_ticks(p->finder, added->nodes[0])));
  bool has_groups = false; /* so that 8da4w could have taken one */
  for (size_t i = 0; i < added->node_count; i++)
    has_groups |= etr_layer_has_groups(p->finder, added->nodes[i]);
  etr_finding_set_sureness(added, ETR_POSSIBLE,
                           has_groups ? "accuracy may be why they are not quantized"
                                      : "in int8, as their inputs are no multiple of 32, which "
                                        "groups of 32 need; accuracy may suffer");
  return true;
}

/* ---- Small layers of one input ---- */

/* Layers that read one value, run in the same delegate or as kernels, and have results of one type.
 */
typedef struct layer_set {
  size_t count;
  double ticks;      /* of all, over all runs */
  double call_ticks; /* the part of `ticks` that their calls take whatever they compute */
} layer_set;

/* Returns how many of a layer's ticks are surely no multiplications, even if a core is so slow that
 * it multiplies four numbers in a ns; 0 if its multiplications are not known. ticks, and the
 * result: over all runs. */
static double ticks_without_computing(const patterns *p, uint32_t node, double ticks) {
  enum { MACS_PER_NS = 4 };
  uint64_t macs = p->graph->costs ? p->graph->costs[node].macs : ETR_UNKNOWN;
  if (macs == ETR_UNKNOWN)
    return 0;
  double computing = (double)macs / MACS_PER_NS / etr_ticks_to_ns(p->finder->profile, 1) *
                     (double)p->finder->method->run_count;
  return ETR_MAX(ticks - computing, 0);
}

/* Returns what an operator takes, in ticks over all runs, with its part of the operator time that a
 * clock of whole microseconds hides in the delegate's call: less than that is recorded as 0. */
static double ticks_with_hidden(const patterns *p, uint32_t node) {
  const etr_finder *finder = p->finder;
  double ticks = (double)etr_finder_kernel_ticks(finder, node);
  uint32_t delegate = finder->delegate_of[node];
  if (delegate == ETR_NONE || finder->delegates[delegate].operators == 0)
    return ticks;
  const etr_delegate_spending *spent = &finder->delegates[delegate];
  double hidden = (double)ETR_MIN(spent->hidden, spent->ticks[ETR_SPENT_AROUND]);
  return ticks + hidden / (double)spent->operators;
}

/* Returns true for a linear layer that could be computed with others in one product: its weight is
 * constant, and it takes so little that the call may be most of it. */
static bool is_small_layer(const patterns *p, uint32_t node) {
  enum { MOST_NS = 20000 }; /* a call takes several microseconds */
  static const char *const names[] = {"linear", "addmm", "mm"};
  const etr_node *layer = &p->graph->nodes[node];
  if (p->graph->times[node].runs == 0 || p->finder->is_constant[node] ||
      !etr_is_one_of(p->finder, layer, names, ETR_COUNT(names)))
    return false;
  size_t weight = weight_index(p, layer);
  return weight < layer->input_count && p->finder->is_constant[layer->inputs[weight].node] &&
         etr_finder_ns_per_run(p->finder, etr_finder_node_ticks(p->finder, node)) < MOST_NS;
}

/* Returns the node whose result a linear layer multiplies, behind copies: the input before its
 * weight. */
static uint32_t source_of_layer(const patterns *p, uint32_t node) {
  const etr_node *layer = &p->graph->nodes[node];
  size_t input = weight_index(p, layer) - 1;
  return etr_graph_behind_copies(p->graph, layer->inputs[input].node);
}

/* Returns true if one layer could compute the results of both: they run in the same delegate, or
 * both in none, and are of one operator, number type and number of dimensions. */
static bool are_mergeable(const patterns *p, uint32_t a, uint32_t b) {
  const etr_value *x = p->graph->nodes[a].outputs, *y = p->graph->nodes[b].outputs;
  return p->finder->delegate_of[a] == p->finder->delegate_of[b] &&
         strcmp(p->graph->nodes[a].target, p->graph->nodes[b].target) == 0 && x && y &&
         x->rank == y->rank && strcmp(etr_or_empty(x->dtype), etr_or_empty(y->dtype)) == 0;
}

/* Marks a small layer and the later ones that could be computed with it, and returns their count
 * and times. source: per node, what a small layer multiplies; ETR_NONE for other nodes. */
static layer_set collect_layers(const patterns *p, const uint32_t *source, uint32_t first,
                                bool *marked) {
  layer_set set = {0};
  for (uint32_t i = first; i < p->graph->node_count; i++) {
    if (source[i] != source[first] || !are_mergeable(p, i, first))
      continue;
    double ticks = ticks_with_hidden(p, i);
    set.count++;
    set.ticks += ticks;
    set.call_ticks += ticks_without_computing(p, i, ticks);
    marked[i] = true;
  }
  return set;
}

/* Adds the finding about small linear layers that read one value and could be one, if most of their
 * time is calls, of which all but one could be saved: at least what the calls surely take, at most
 * all that the others take. Operators are listed with the calls around kernels (true). Returns
 * false when out of memory. */
static bool add_merge_finding(patterns *p) {
  enum { LEAST_LAYERS = 4 }; /* q, k and v in one product saved nothing when measured */
  etr_arena *arena = p->finder->arena;
  size_t nodes = p->graph->node_count, layers = 0, products = 0;
  bool *marked = etr_finder_node_flags(p->finder), *seen = etr_finder_node_flags(p->finder);
  uint32_t *source = etr_arena_alloc_array(arena, nodes, sizeof *source);
  double least_saved = 0, most_saved = 0, all_ticks = 0;
  if (!marked || !seen || !source)
    return false;
  for (uint32_t i = 0; i < nodes; i++)
    source[i] = is_small_layer(p, i) ? source_of_layer(p, i) : ETR_NONE;
  for (uint32_t i = 0; i < nodes; i++) {
    if (source[i] == ETR_NONE || seen[i])
      continue;
    bool *in_set = etr_finder_node_flags(p->finder);
    if (!in_set)
      return false;
    layer_set set = collect_layers(p, source, i, in_set);
    bool is_worth = set.count >= LEAST_LAYERS && set.call_ticks * 2 > set.ticks;
    for (uint32_t k = i; k < nodes; k++) {
      seen[k] |= in_set[k];
      marked[k] |= is_worth && in_set[k];
    }
    if (!is_worth)
      continue;
    double saved_share = (double)(set.count - 1) / (double)set.count;
    layers += set.count;
    products++;
    all_ticks += set.ticks;
    least_saved += set.call_ticks * saved_share;
    most_saved += set.ticks * saved_share;
  }
  etr_finding *added = products ? etr_finder_add_if_large(p->finder, ETR_FINDING_MERGE,
                                                          (uint64_t)all_ticks, most_saved)
                                : NULL;
  if (!added)
    return !etr_arena_failed(arena);
  if (!etr_finding_set_nodes(p->finder, added, marked))
    return false;
  etr_finding_set_least_saving(p->finder, added, least_saved);
  added->title = products == 1 ? etr_arena_format(arena, "Compute %zu linear layers as one", layers)
                               : etr_arena_format(arena, "Compute %zu linear layers as %zu", layers,
                                                  products);
  added->fact = products == 1
                    ? "they read one value, and calls, not computing, take their time"
                    : "each reads what others read, and calls, not computing, take their time";
  added->evidence = etr_arena_format(
      arena,
      "They take %s, most of which a call of each takes whatever it computes: %s. One layer whose "
      "weight is all of theirs, one below the other, has the same results in one call.",
      etr_finder_time_per_run(p->finder, (uint64_t)all_ticks),
      etr_finder_operators_text(p->finder, marked, true));
  etr_finding_set_sureness(added, ETR_LIKELY, "splitting the result may take some of it");
  return true;
}

/* ---- Keys and values that are repeated for each head ---- */

/* Returns the number of elements of a value; 0 if a size is not known or there are too many. */
static int64_t element_count(const etr_value *value) {
  int64_t count = 1;
  for (int32_t i = 0; i < value->rank; i++) {
    int64_t size = value->dims[i].size;
    bool is_counted = size > 0 && size <= INT32_MAX && count <= INT32_MAX;
    count *= is_counted ? size : 0;
  }
  return count;
}

/* Returns how many times the result of an operator that only copies has what it reads; 1 for
 * another operator, or if nothing is repeated. */
static int64_t count_repeats(const patterns *p, uint32_t node) {
  static const char *const names[] = {"expand_copy",  "repeat", "repeat_interleave",
                                      "index_select", "index",  "cat"};
  const etr_node *copier = &p->graph->nodes[node];
  const etr_node *from = input_of(p, copier, 0);
  if (!from || !etr_is_one_of(p->finder, copier, names, ETR_COUNT(names)) ||
      copier->output_count == 0 || from->output_count == 0)
    return 1;
  int64_t count_before = element_count(&from->outputs[0]);
  int64_t count_after = element_count(&copier->outputs[0]);
  bool is_whole = count_before > 1 && count_after > count_before && count_after % count_before == 0;
  return is_whole && !p->finder->is_constant[node] ? count_after / count_before : 1;
}

/* Attentions in which several heads share keys and values, and what is left out of them if these
 * heads are rows of one product. Flags for each node of the graph. */
typedef struct shared_heads {
  bool *copies;   /* repeat keys or values for each head, or copy what was repeated */
  bool *products; /* read them */
  bool *expands;  /* before these products, to the shape that there is */
  bool *checks;   /* for rows that a mask hides whole: etr_mark_softmax_checks() */
  size_t product_count, check_count;
  int64_t heads_per_group;
} shared_heads;

/* Returns true for an expand to the shape that there is. */
static bool is_needless_expand(const patterns *p, uint32_t node) {
  return etr_slice_is(p->finder->ops[node], "expand_copy") &&
         etr_finder_changes_nothing(p->finder, &p->graph->nodes[node]);
}

/* Marks an operator that copies as an expand or as another copy, so that its time counts once;
 * neither if it is one of a check. */
static void mark_copy(const patterns *p, uint32_t node, const shared_heads *heads) {
  bool *marked = is_needless_expand(p, node) ? heads->expands : heads->copies;
  marked[node] = !heads->checks[node];
}

/* Marks the operators from a product's operand back to the one that repeats a cache or a projection
 * for each head. Returns how often that repeats; 1, with nothing marked, if there is none. A check
 * may scale what was repeated, and is marked already. */
static int64_t mark_repeating_copies(const patterns *p, uint32_t node, const shared_heads *heads) {
  uint32_t step = node;
  for (int steps = 0; steps < MOST_STEPS && step != ETR_NONE; steps++) {
    int64_t repeats = count_repeats(p, step);
    if (repeats > 1) {
      for (uint32_t k = node; k != step; k = first_source(p, k))
        mark_copy(p, k, heads);
      mark_copy(p, step, heads);
      while ((step = first_source(p, step)) != ETR_NONE && is_own_copy(p, step))
        mark_copy(p, step, heads); /* to the shape that is repeated */
      return repeats;
    }
    bool only_copies = p->graph->nodes[step].kind == ETR_NODE_OP &&
                       etr_node_only_copies(&p->graph->nodes[step]);
    if (!only_copies && !heads->checks[step])
      return 1;
    step = first_source(p, step);
  }
  return 1;
}

/* Marks the needless expands before a product, which one of three dimensions does without. */
static void mark_needless_expands(const patterns *p, const etr_node *product,
                                  const shared_heads *heads) {
  for (size_t k = 0; k < product->input_count; k++)
    for (uint32_t copy = product->inputs[k].node; copy != ETR_NONE && is_own_copy(p, copy);
         copy = first_source(p, copy))
      if (is_needless_expand(p, copy))
        mark_copy(p, copy, heads);
}

/* Finds the products whose keys or values are repeated for several heads, and what is left out with
 * the repeats. Returns false when out of memory. */
static bool find_shared_heads(const patterns *p, shared_heads *heads) {
  static const char *const names[] = {"bmm", "matmul", "baddbmm"};
  *heads = (shared_heads){.copies = etr_finder_node_flags(p->finder),
                          .products = etr_finder_node_flags(p->finder),
                          .expands = etr_finder_node_flags(p->finder),
                          .checks = etr_finder_node_flags(p->finder),
                          .heads_per_group = 1};
  if (!heads->copies || !heads->products || !heads->expands || !heads->checks)
    return false;
  heads->check_count = etr_mark_softmax_checks(p->finder, heads->checks);
  for (uint32_t i = 0; i < p->graph->node_count; i++) {
    const etr_node *node = &p->graph->nodes[i];
    if (!etr_is_one_of(p->finder, node, names, ETR_COUNT(names)) || node->input_count < 2)
      continue;
    int64_t repeats = mark_repeating_copies(p, node->inputs[node->input_count - 1].node, heads);
    if (repeats <= 1)
      continue;
    heads->products[i] = true;
    heads->product_count++;
    heads->heads_per_group = ETR_MAX(heads->heads_per_group, repeats);
    mark_needless_expands(p, node, heads);
  }
  return true;
}

/* Describes what is copied, multiplied, expanded and checked. all: flags for all of these nodes. */
static const char *shared_heads_evidence(const patterns *p, const shared_heads *heads,
                                         const bool *all) {
  etr_finder *finder = p->finder;
  long long heads_per_group = heads->heads_per_group;
  const char *text = etr_arena_format(
      finder->arena,
      "%zu products read keys or values that are repeated for %lld heads: %s. Copies take %s, "
      "products %s, expands to the shape that there is %s",
      heads->product_count, heads_per_group, etr_finder_operators_text(finder, all, true),
      etr_finder_time_per_run(finder, etr_finder_marked_ticks(finder, heads->copies)),
      etr_finder_time_per_run(finder, etr_finder_marked_ticks(finder, heads->products)),
      etr_finder_time_per_run(finder, etr_finder_marked_ticks(finder, heads->expands)));
  if (heads->check_count)
    text = etr_arena_format(
        finder->arena, "%s, looking for rows that a mask hides whole %s", etr_or_empty(text),
        etr_finder_time_per_run(finder, etr_finder_marked_ticks(finder, heads->checks)));
  return etr_arena_format(
      finder->arena,
      "%s. With the heads of a group as rows of one torch.bmm, what is still copied is %lld times "
      "smaller. A whole attention for transformers: " ETR_DOCS
      "language-models.md#attention-that-repeats-nothing.",
      etr_or_empty(text), heads_per_group);
}

/* Adds the finding about attentions whose keys or values are repeated for several heads, if there
 * are any. Written anew they repeat, expand and check nothing. It saves at least what copies of all
 * heads of a group but one take, and at most all copies and as much of the products; what delegates
 * take less to call counts, too. Times are with the calls around kernels. Returns false when out of
 * memory. */
static bool add_repeated_heads_finding(patterns *p) {
  shared_heads heads;
  bool *all = etr_finder_node_flags(p->finder);
  etr_merged_calls merged = {0};
  if (!all || !find_shared_heads(p, &heads))
    return false;
  if (heads.product_count == 0)
    return true;
  for (uint32_t i = 0; i < p->graph->node_count; i++)
    all[i] = heads.copies[i] || heads.products[i] || heads.expands[i] || heads.checks[i];
  if (!etr_find_merged_calls(p->finder, all, &merged))
    return false;
  double copying = (double)etr_finder_marked_ticks(p->finder, heads.copies),
         multiplying = (double)etr_finder_marked_ticks(p->finder, heads.products),
         expanding = (double)etr_finder_marked_ticks(p->finder, heads.expands),
         checking = (double)etr_finder_marked_ticks(p->finder, heads.checks);
  /* What one head of each group takes may stay. */
  double spare = 1 - 1 / (double)heads.heads_per_group;
  etr_finding *added = etr_finder_add_if_large(
      p->finder, ETR_FINDING_REPEATED_HEADS, etr_finder_marked_ticks(p->finder, all),
      copying + multiplying * spare + expanding + checking + merged.most);
  if (!added)
    return !etr_arena_failed(p->finder->arena);
  if (!etr_finding_set_nodes(p->finder, added, all))
    return false;
  etr_finding_set_least_saving(p->finder, added,
                               copying * spare + expanding +
                                   (1 - ETR_SOFTMAX_CHECK_REPLACED) * checking + merged.least);
  added->title = heads.check_count
                     ? etr_arena_format(p->finder->arena,
                                        "Rewrite %zu attention%s to repeat nothing",
                                        heads.check_count, etr_plural(heads.check_count))
                     : "Do not repeat keys and values";
  added->fact = etr_arena_format(
      p->finder->arena, "%lld heads read the same: as rows of one product%s",
      (long long)heads.heads_per_group, heads.check_count ? ", with a plain softmax" : "");
  added->evidence = etr_with_merged_calls(p->finder, shared_heads_evidence(p, &heads, all),
                                          &merged);
  etr_finding_set_sureness(added, ETR_LIKELY,
                           "copies and products keep a part of their time, others may take less");
  return true;
}

/* ---- All ---- */

/* Adds the findings about groups of operators. Returns false when out of memory. */
bool etr_add_pattern_findings(etr_finder *finder) {
  patterns p;
  if (!find_readers(&p, finder))
    return false;
  find_output_layer(&p);
  p.is_decoder = is_decoder(&p);
  return add_quantize_pair_finding(&p) && add_batch_norm_finding(&p) && add_attention_finding(&p) &&
         add_output_layer_finding(&p) && add_float_layer_finding(&p) && add_merge_finding(&p) &&
         add_repeated_heads_finding(&p);
}
