/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side_graph.c - producers and weights across the borders of lowered modules; inputs, weights and types of a graph.
 */
#include "compare/side_graph.h"

#include "backends/operator.h"

#include <inttypes.h>

/* ---- Producers ---- */

typedef struct tracer {
  const etr_graph *graph;
  uint32_t *item_of; /* per node: place of the item; of a delegate's call, of its lowered module's output node */
  uint32_t *place;   /* per node: of an input, its place among those of its subgraph */
  uint32_t *lowered; /* per node: the lowered module that it calls; ETR_NONE */
  uint32_t *output;  /* per subgraph: its output node; ETR_NONE */
  etr_arena *scratch;
} tracer;

static bool tracer_init(tracer *t, const etr_graph *graph, etr_arena *scratch) {
  *t = (tracer){.graph = graph, .scratch = scratch};
  t->item_of = etr_arena_alloc_array(scratch, graph->node_count, sizeof *t->item_of);
  t->place = etr_arena_alloc_array(scratch, graph->node_count, sizeof *t->place);
  t->lowered = etr_arena_alloc_array(scratch, graph->node_count, sizeof *t->lowered);
  t->output = etr_arena_alloc_array(scratch, graph->subgraph_count, sizeof *t->output);
  uint32_t *inputs = etr_arena_alloc_array(scratch, graph->subgraph_count, sizeof *inputs), items = 0;
  if (!t->item_of || !t->place || !t->lowered || !t->output || !inputs) return false;
  for (size_t i = 0; i < graph->node_count; i++) t->lowered[i] = ETR_NONE;
  for (uint32_t i = 0; i < graph->subgraph_count; i++) {
    t->output[i] = ETR_NONE;
    if (graph->subgraphs[i].kind == ETR_SUBGRAPH_LOWERED) t->lowered[graph->subgraphs[i].owner] = i;
  }
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    t->item_of[i] = node->kind == ETR_NODE_OP ? items++ : ETR_NONE;
    if (node->subgraph == ETR_NONE) continue;
    if (node->kind == ETR_NODE_INPUT) t->place[i] = inputs[node->subgraph]++;
    if (node->kind == ETR_NODE_OUTPUT) t->output[node->subgraph] = i;
  }
  return true;
}

/* The next edge towards what made a value: out of a lowered module, or into it. NULL: this is it. */
static const etr_edge *step(const tracer *t, const etr_edge *edge) {
  const etr_node *node = &t->graph->nodes[edge->node];
  if (node->kind == ETR_NODE_INPUT && node->subgraph != ETR_NONE) {
    const etr_subgraph *inside = &t->graph->subgraphs[node->subgraph];
    const etr_node *owner = &t->graph->nodes[inside->owner];
    bool is_told = inside->kind == ETR_SUBGRAPH_LOWERED && t->place[edge->node] < owner->input_count;
    return is_told ? &owner->inputs[t->place[edge->node]] : NULL;
  }
  uint32_t lowered = t->lowered[edge->node], end = lowered == ETR_NONE ? ETR_NONE : t->output[lowered];
  if (end == ETR_NONE || edge->output >= t->graph->nodes[end].input_count) return NULL;
  return &t->graph->nodes[end].inputs[edge->output];
}

/* The item that made a value that an item uses; ETR_NONE: an input. False: a weight. */
static bool find_producer(const tracer *t, const etr_edge *edge, uint32_t user, uint32_t *item) {
  enum { MOST_STEPS = 16 }; /* borders in a row: no lowering has more than two */
  const etr_edge *next;
  for (int i = 0; i < MOST_STEPS && (next = step(t, edge)); i++) edge = next;
  *item = t->item_of[edge->node];
  if (*item != ETR_NONE && *item >= user) *item = ETR_NONE;
  return t->graph->nodes[edge->node].kind < ETR_NODE_PARAMETER;
}

/* ---- Weights ---- */

/* "[1,s77]"; "" of what is no tensor. NULL when out of memory. */
static const char *shape_of(const etr_value *value, etr_arena *arena) {
  enum { MOST_TOLD = 16 };
  const char *text = value->rank < 0 ? "" : "[";
  for (int32_t k = 0; text && k < ETR_MIN(value->rank, MOST_TOLD); k++) {
    const char *comma = k ? "," : "", *symbol = value->dims[k].symbol;
    text = symbol ? etr_arena_format(arena, "%s%s%s", text, comma, symbol)
                  : etr_arena_format(arena, "%s%s%" PRId64, text, comma, value->dims[k].size);
  }
  return text && value->rank >= 0 ? etr_arena_format(arena, "%s]", text) : text;
}

/* The weight behind an edge. Operators that move, convert or dequantize it are looked through, so that every lowering
 * of a layer has the weight that the model stores. NULL: a value that operators compute. */
static const etr_value *find_weight(const tracer *t, const etr_edge *edge) {
  enum { MOST_STEPS = 16 }; /* a dequantization, a permutation and the borders of a lowered module are 4 */
  for (int i = 0; i < MOST_STEPS; i++) {
    const etr_node *node = &t->graph->nodes[edge->node];
    const etr_edge *next = step(t, edge);
    if (node->kind >= ETR_NODE_PARAMETER)
      return edge->output < node->output_count ? &node->outputs[edge->output] : NULL;
    if (!next && node->kind == ETR_NODE_OP && node->input_count && etr_operator_only_moves(node->target))
      next = &node->inputs[0]; /* the others are scales and zero points */
    if (!next) return NULL;
    edge = next;
  }
  return NULL;
}

/* Of several weights, biases and statistics have fewer dimensions. */
static bool put_weight(const tracer *t, etr_side_item *item, etr_map *texts, etr_arena *arena) {
  const etr_node *node = &t->graph->nodes[item->node];
  const etr_value *most = NULL;
  for (size_t i = 0; i < node->input_count; i++) {
    const etr_value *weight = find_weight(t, &node->inputs[i]);
    if (weight && weight->rank > (most ? most->rank : 0)) most = weight;
  }
  if (!most) return true;
  const char *text = shape_of(most, arena);
  item->weight = text ? etr_intern(texts, etr_slice_of(text)) : NULL;
  return item->weight != NULL;
}

bool etr_side_flow(etr_side_item *items, size_t count, const etr_graph *graph, etr_arena *arena, etr_arena *scratch) {
  tracer t;
  etr_map texts;
  etr_map_init(&texts, arena);
  if (!tracer_init(&t, graph, scratch)) return false;
  for (uint32_t i = 0; i < count; i++) {
    const etr_node *node = &graph->nodes[items[i].node];
    uint32_t *producers = etr_arena_alloc_array(arena, node->input_count, sizeof *producers);
    if (!producers) return false;
    for (size_t k = 0; k < node->input_count; k++)
      items[i].producer_count += find_producer(&t, &node->inputs[k], i, &producers[items[i].producer_count]);
    items[i].producers = producers;
    if (!put_weight(&t, &items[i], &texts, scratch)) return false;
  }
  return true;
}

/* ---- Facts ---- */

static bool list_inputs(etr_side_method *out, const etr_graph *graph, etr_arena *arena, etr_arena *scratch) {
  etr_vec(etr_side_input) inputs = {0};
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_INPUT || node->subgraph != ETR_NONE || node->output_count == 0) continue;
    const char *shape = shape_of(&node->outputs[0], scratch), *dtype = node->outputs[0].dtype;
    etr_side_input *added = shape ? etr_vec_push(arena, &inputs) : NULL;
    if (!added) return false;
    *added = (etr_side_input){node->name, etr_arena_format(arena, "%s%s", dtype ? dtype : "", shape)};
  }
  out->inputs = inputs.data;
  out->input_count = inputs.count;
  return true;
}

static bool list_weights(etr_side_method *out, const etr_graph *graph, etr_arena *arena) {
  etr_vec(const char *) weights = {0};
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind < ETR_NODE_PARAMETER || node->output_count == 0 || node->outputs[0].rank < 2) continue;
    const char **added = etr_vec_push(arena, &weights);
    if (!added) return false;
    *added = shape_of(&node->outputs[0], arena);
  }
  out->weights = weights.data;
  out->weight_count = weights.count;
  return true;
}

/* What a model computes in; other integers and bools are of indices and masks. */
static bool list_dtypes(etr_side_method *out, const etr_graph *graph, etr_arena *arena) {
  static const char *const told[] = {"float64", "float32", "float16", "bfloat16", "int8", "uint8"};
  bool has[ETR_COUNT(told)] = {false};
  for (size_t i = 0; i < graph->node_count; i++)
    for (size_t k = 0; graph->nodes[i].kind == ETR_NODE_OP && k < graph->nodes[i].output_count; k++)
      for (size_t t = 0; graph->nodes[i].outputs[k].dtype && t < ETR_COUNT(told); t++)
        has[t] |= strcmp(graph->nodes[i].outputs[k].dtype, told[t]) == 0;
  out->dtypes = "";
  for (size_t t = 0; out->dtypes && t < ETR_COUNT(told); t++)
    if (has[t]) out->dtypes = etr_arena_format(arena, "%s%s%s", out->dtypes, out->dtypes[0] ? ", " : "", told[t]);
  return out->dtypes != NULL;
}

bool etr_side_facts(etr_side_method *out, const etr_graph *graph, etr_arena *arena, etr_arena *scratch) {
  return list_inputs(out, graph, arena, scratch) && list_weights(out, graph, arena) && list_dtypes(out, graph, arena);
}
