/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoder.c - finds attentions, the products around them, and buffers that are written by position.
 */
#include "views/decoder.h"

#include <stdlib.h>

const char *etr_layer_kind_name(etr_layer_kind kind) {
  static const char *const names[] = {"attention", "projections", "feed_forward", "embedding",
                                      "output",    "cache",       "norm",         "other"};
  return names[kind];
}

/* ---- The graph ---- */

enum { UNDECIDED = ETR_LAYER_KINDS };

typedef struct marking {
  const etr_graph *graph;
  int *kinds; /* per node: an etr_layer_kind, or UNDECIDED */
  uint32_t *starts,
      *readers; /* the readers of node i are readers[starts[i]] to starts[i + 1] - 1 */
  uint32_t *stack;
  bool *seen;
  bool *is_layer; /* a product with a weight */
  size_t attention_count;
} marking;

/* Returns the name of an operator without namespace, leading underscores and overload: "softmax".
 * */
static etr_slice plain_op(const etr_node *node) {
  const char *start = strchr(node->target, '.');
  start = start ? start + 1 : node->target;
  while (*start == '_')
    start++;
  size_t size = strcspn(start, ".");
  return (etr_slice){start, size};
}

/* Returns true if a node is an operator with one of these names. */
static bool is_any_op(const etr_node *node, const char *const *names, size_t count) {
  etr_slice op = plain_op(node);
  for (size_t i = 0; i < count; i++)
    if (strlen(names[i]) == op.size && memcmp(names[i], op.data, op.size) == 0)
      return node->kind == ETR_NODE_OP;
  return false;
}

#define IS(node, ...)                                                                              \
  is_any_op(node, (const char *const[]){__VA_ARGS__},                                              \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static bool contains(const etr_node *node, const char *part) {
  return node->kind == ETR_NODE_OP && strstr(node->target, part);
}

static bool is_product(const etr_node *node) {
  return IS(node, "mm", "bmm", "addmm", "matmul", "baddbmm", "linear") || contains(node, "linear");
}

static bool is_fused_attention(const etr_node *node) {
  return contains(node, "sdpa") || contains(node, "scaled_dot_product") ||
         contains(node, "flash_attention");
}

static bool is_quantizing(const etr_node *node) {
  return contains(node, "quantize_") || contains(node, "choose_qparams");
}

/* Returns true if a value is made of parameters and constants alone, at most `depth` operators away
 * from them: a weight that is dequantized or transposed. */
static bool is_weight(const etr_graph *graph, uint32_t node, int depth) {
  const etr_node *tested = &graph->nodes[node];
  if (tested->kind != ETR_NODE_OP)
    return tested->kind != ETR_NODE_INPUT && !tested->is_written;
  if (depth == 0 || tested->input_count == 0)
    return false;
  for (size_t i = 0; i < tested->input_count; i++)
    if (!is_weight(graph, tested->inputs[i].node, depth - 1))
      return false;
  return true;
}

/* Returns true if a node reads a weight. */
static bool has_weight(const etr_graph *graph, const etr_node *node) {
  enum { NEAR = 3 };
  for (size_t i = 0; i < node->input_count; i++)
    if (is_weight(graph, node->inputs[i].node, NEAR))
      return true;
  return false;
}

/* Lists the readers of each node and finds the layers: products with a weight. Returns false when
 * out of memory. */
static bool begin_marking(marking *m, const etr_graph *graph, etr_arena *arena) {
  size_t count = graph->node_count, use_count = 0;
  for (size_t i = 0; i < count; i++)
    use_count += graph->nodes[i].input_count;
  *m = (marking){.graph = graph,
                 .kinds = etr_arena_alloc_array(arena, count, sizeof *m->kinds),
                 .starts = etr_arena_alloc_array(arena, count + 2, sizeof *m->starts),
                 .readers = etr_arena_alloc_array(arena, use_count, sizeof *m->readers),
                 .stack = etr_arena_alloc_array(arena, use_count + count, sizeof *m->stack),
                 .seen = etr_arena_alloc_array(arena, count, sizeof *m->seen),
                 .is_layer = etr_arena_alloc_array(arena, count, sizeof *m->is_layer)};
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < count; i++) {
    m->kinds[i] = UNDECIDED;
    m->is_layer[i] = is_product(&graph->nodes[i]) && has_weight(graph, &graph->nodes[i]);
    for (size_t input = 0; input < graph->nodes[i].input_count; input++)
      m->starts[graph->nodes[i].inputs[input].node + 2]++;
  }
  for (size_t i = 0; i < count; i++)
    m->starts[i + 2] += m->starts[i + 1];
  for (uint32_t i = 0; i < count; i++)
    for (size_t input = 0; input < graph->nodes[i].input_count; input++)
      m->readers[m->starts[graph->nodes[i].inputs[input].node + 1]++] = i;
  return true;
}

/* ---- Walks ---- */

/* How a walk goes on from a node. */
typedef enum step {
  STEP_STOP, /* not at all */
  STEP_MARK, /* it marks the node and stops */
  STEP_ON,   /* it marks the node and goes on */
} step;

typedef struct walk {
  bool forward;
  etr_layer_kind kind;
  step (*at)(const marking *m, uint32_t node);
  etr_layer_kind layer_kind; /* of a layer that the walk reaches */
} walk;

/* Pushes the operators that read a node, or that it reads, and that were not seen. Returns the new
 * depth of the stack. */
static size_t push_neighbors(marking *m, const walk *direction, uint32_t node, size_t depth) {
  const etr_node *visited = &m->graph->nodes[node];
  size_t count = direction->forward ? m->starts[node + 1] - m->starts[node] : visited->input_count;
  for (size_t i = 0; i < count; i++) {
    uint32_t next = direction->forward ? m->readers[m->starts[node] + i] : visited->inputs[i].node;
    if (m->seen[next] || m->graph->nodes[next].kind != ETR_NODE_OP)
      continue;
    m->seen[next] = true;
    m->stack[depth++] = next;
  }
  return depth;
}

/* Marks undecided operators from a node on, in the direction and as far as the rule says. The node
 * itself stays as it is. */
static void mark_from(marking *m, uint32_t node, const walk *rule) {
  memset(m->seen, 0, m->graph->node_count * sizeof *m->seen);
  m->seen[node] = true;
  size_t depth = push_neighbors(m, rule, node, 0);
  while (depth) {
    uint32_t next = m->stack[--depth];
    if (m->is_layer[next]) {
      if (m->kinds[next] == UNDECIDED)
        m->kinds[next] = (int)rule->layer_kind;
      continue;
    }
    step decision = m->kinds[next] == UNDECIDED || m->kinds[next] == (int)rule->kind
                        ? rule->at(m, next)
                        : STEP_STOP;
    if (decision == STEP_STOP)
      continue;
    m->kinds[next] = (int)rule->kind;
    if (decision == STEP_ON)
      depth = push_neighbors(m, rule, next, depth);
  }
}

static step over_all(const marking *m, uint32_t node) {
  (void)m;
  (void)node;
  return STEP_ON;
}

/* Behind an attention's values: up to the projection, or to what adds the residual. */
static step over_copies(const marking *m, uint32_t node) {
  const etr_node *at = &m->graph->nodes[node];
  return etr_node_only_copies(at) || is_quantizing(at) ? STEP_ON : STEP_STOP;
}

/* From a softmax to the products of an attention. */
static step to_products(const marking *m, uint32_t node) {
  return is_product(&m->graph->nodes[node]) ? STEP_MARK : STEP_ON;
}

/* ---- The kinds ---- */

/* Marks embeddings and norms that are one operator, by their names. */
static void mark_embeddings_and_norms(marking *m) {
  for (size_t i = 0; i < m->graph->node_count; i++) {
    const etr_node *node = &m->graph->nodes[i];
    if (contains(node, "embedding"))
      m->kinds[i] = ETR_LAYER_EMBEDDING;
    else if (contains(node, "layer_norm") || contains(node, "rms_norm"))
      m->kinds[i] = ETR_LAYER_NORM;
  }
}

/* Marks the operators of modules that take a reciprocal root and multiply no matrices as norms.
 * Returns false when out of memory. */
static bool mark_decomposed_norms(marking *m, etr_arena *arena) {
  size_t count = m->graph->module_count;
  bool *has_root = etr_arena_alloc_array(arena, count, sizeof *has_root);
  bool *has_product = etr_arena_alloc_array(arena, count, sizeof *has_product);
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < m->graph->node_count; i++) {
    const etr_node *node = &m->graph->nodes[i];
    if (node->module >= count)
      continue;
    has_root[node->module] |= IS(node, "rsqrt");
    has_product[node->module] |= is_product(node) || is_fused_attention(node);
  }
  for (size_t i = 0; i < m->graph->node_count; i++) {
    const etr_node *node = &m->graph->nodes[i];
    bool is_norm = node->kind == ETR_NODE_OP && node->module > 0 && node->module < count &&
                   has_root[node->module] && !has_product[node->module];
    if (is_norm && m->kinds[i] == UNDECIDED)
      m->kinds[i] = ETR_LAYER_NORM;
  }
  return true;
}

/* Marks what an attention reads, back to the projections and the cache. */
static void mark_sources(marking *m, uint32_t node) {
  mark_from(
      m, node,
      &(walk){.kind = ETR_LAYER_ATTENTION, .at = over_all, .layer_kind = ETR_LAYER_PROJECTIONS});
}

/* Marks what is computed from the result of an attention, up to the projection. */
static void mark_results(marking *m, uint32_t node) {
  mark_from(m, node,
            &(walk){.forward = true,
                    .kind = ETR_LAYER_ATTENTION,
                    .at = over_copies,
                    .layer_kind = ETR_LAYER_PROJECTIONS});
}

/* Marks the attention around each softmax or fused attention, and the projections that it and the
 * cache read and write. */
static void mark_attentions(marking *m) {
  for (uint32_t i = 0; i < m->graph->node_count; i++) {
    const etr_node *node = &m->graph->nodes[i];
    bool is_fused = is_fused_attention(node);
    if (!is_fused && !IS(node, "softmax", "safe_softmax"))
      continue;
    m->kinds[i] = ETR_LAYER_ATTENTION;
    m->attention_count++;
    walk w = {.kind = ETR_LAYER_ATTENTION, .at = to_products, .layer_kind = ETR_LAYER_PROJECTIONS};
    if (!is_fused) {
      mark_from(m, i, &w);
      w.forward = true;
      mark_from(m, i, &w);
    }
  }
  for (uint32_t i = 0; i < m->graph->node_count; i++) {
    const etr_node *node = &m->graph->nodes[i];
    bool is_core = m->kinds[i] == ETR_LAYER_ATTENTION &&
                   (is_product(node) || is_fused_attention(node));
    if (is_core)
      mark_sources(m, i);
    if (is_core)
      mark_results(m, i);
    if (m->kinds[i] == ETR_LAYER_CACHE)
      mark_sources(m, i);
  }
}

/* Marks the layers that make what the method returns, apart from buffers that it changes, and what
 * is between. */
static void mark_output(marking *m) {
  const etr_graph *graph = m->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_OUTPUT || node->subgraph != ETR_NONE)
      continue;
    for (size_t k = graph->mutation_count; k < node->input_count; k++) {
      uint32_t from = node->inputs[k].node;
      const walk w = {.kind = ETR_LAYER_OUTPUT, .at = over_copies, .layer_kind = ETR_LAYER_OUTPUT};
      if (m->is_layer[from] && m->kinds[from] == UNDECIDED)
        m->kinds[from] = ETR_LAYER_OUTPUT;
      else if (!m->is_layer[from])
        mark_from(m, from, &w);
    }
  }
}

/* Returns true if an operator computes with results of feed-forward layers and weights alone, as
 * activations do; the sum with the residual reads something else. */
static bool is_activation(const marking *m, uint32_t node) {
  enum { NEAR = 3 };
  const etr_node *tested = &m->graph->nodes[node];
  bool has_any = false;
  for (size_t i = 0; i < tested->input_count; i++) {
    uint32_t input = tested->inputs[i].node;
    bool is_feed_forward = input < node && m->kinds[input] == ETR_LAYER_FEED_FORWARD;
    if (!is_feed_forward && !is_weight(m->graph, input, NEAR))
      return false;
    has_any |= is_feed_forward;
  }
  return has_any && tested->kind == ETR_NODE_OP;
}

/* Marks all layers that are still undecided as feed-forward, with the activations between them. */
static void mark_feed_forward(marking *m) {
  for (uint32_t i = 0; i < m->graph->node_count; i++)
    if (m->is_layer[i] && m->kinds[i] == UNDECIDED)
      m->kinds[i] = ETR_LAYER_FEED_FORWARD;
  for (uint32_t i = 0; i < m->graph->node_count; i++)
    if (m->kinds[i] == UNDECIDED && is_activation(m, i))
      m->kinds[i] = ETR_LAYER_FEED_FORWARD;
  for (uint32_t i = 0; i < m->graph->node_count; i++) {
    walk w = {.kind = (etr_layer_kind)m->kinds[i], .at = over_copies};
    w.layer_kind = w.kind;
    if (m->is_layer[i])
      mark_from(m, i, &w);
  }
}

/* ---- Caches ---- */

/* Returns the buffer that an operator writes at a position, which it also reads, perhaps through
 * copies; ETR_NONE if there is none. */
static uint32_t written_buffer(const etr_graph *graph, const etr_node *node) {
  bool is_by_position = contains(node, "update_cache") || contains(node, "sdpa_with_kv_cache") ||
                        contains(node, "auto_functionalized");
  if (!is_by_position &&
      !IS(node, "index_put", "index_put_", "slice_scatter", "select_scatter", "copy_"))
    return ETR_NONE;
  for (size_t i = 0;
       i < (is_by_position ? node->input_count : ETR_MIN(node->input_count, (size_t)1)); i++) {
    uint32_t source = etr_graph_behind_copies(graph, node->inputs[i].node);
    if (graph->nodes[source].kind == ETR_NODE_BUFFER &&
        (graph->nodes[source].is_written || is_by_position))
      return source;
  }
  return ETR_NONE;
}

/* Returns the dimension of the buffer that a write indexes; -1 if it is not known. */
static int32_t indexed_dim(const etr_graph *graph, const etr_node *node, const etr_value *buffer) {
  const char *dim = etr_node_argument(node, "dim");
  if (IS(node, "slice_scatter", "select_scatter")) {
    long value = dim ? strtol(dim, NULL, 10) : 0;
    return (int32_t)(value < 0 ? value + buffer->rank : value);
  }
  /* The dimension in which the written values are smaller than the buffer. They may have fewer
   * dimensions, which are the last ones. */
  const etr_value *values = NULL;
  for (size_t i = 0; i < node->input_count; i++) {
    const etr_node *input = &graph->nodes[node->inputs[i].node];
    if (node->inputs[i].output >= input->output_count || input->kind == ETR_NODE_BUFFER)
      continue;
    const etr_value *value = &input->outputs[node->inputs[i].output];
    bool is_type = value->dtype && buffer->dtype && strcmp(value->dtype, buffer->dtype) == 0;
    if (is_type && value->rank >= 0 && value->rank <= buffer->rank)
      values = value;
  }
  for (int32_t i = 0; values && i < buffer->rank; i++) {
    int32_t own_dim = i - (buffer->rank - values->rank);
    int64_t size = own_dim < 0 ? 1 : values->dims[own_dim].size;
    if (size != buffer->dims[i].size)
      return i;
  }
  return -1;
}

bool etr_kv_cache_find(etr_kv_cache *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  etr_vec(etr_cache_buffer) list = {0};
  *out = (etr_kv_cache){0};
  for (uint32_t i = 0; graph && i < graph->node_count; i++) {
    uint64_t bytes;
    uint32_t buffer = written_buffer(graph, &graph->nodes[i]);
    const etr_value *value = buffer == ETR_NONE ? NULL : &graph->nodes[buffer].outputs[0];
    int32_t dim = value ? indexed_dim(graph, &graph->nodes[i], value) : -1;
    if (dim < 0 || dim >= value->rank || value->dims[dim].size <= 1 ||
        !etr_value_bytes(value, &bytes))
      continue;
    bool is_known = false;
    for (size_t k = 0; k < list.count && !is_known; k++)
      is_known = list.data[k].node == buffer;
    etr_cache_buffer *added = is_known ? NULL : etr_vec_push(arena, &list);
    if (!is_known && !added)
      return false;
    if (added)
      *added = (etr_cache_buffer){buffer, i, bytes, (uint64_t)value->dims[dim].size};
  }
  out->buffers = list.data;
  out->count = list.count;
  for (size_t i = 0; i < list.count; i++) {
    out->bytes += list.data[i].bytes;
    out->per_token += list.data[i].bytes / list.data[i].context;
    out->context = ETR_MAX(out->context, list.data[i].context);
  }
  return true;
}

/* ---- Together ---- */

bool etr_layers_find(etr_layers *out, etr_arena *arena, const etr_profile *profile,
                     const etr_method *method) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  marking m;
  *out = (etr_layers){0};
  if (!graph || !etr_token_input(graph))
    return true;
  if (!begin_marking(&m, graph, arena))
    return false;
  mark_embeddings_and_norms(&m);
  if (!mark_decomposed_norms(&m, arena))
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (written_buffer(graph, &graph->nodes[i]) != ETR_NONE)
      m.kinds[i] = ETR_LAYER_CACHE;
  mark_attentions(&m);
  if (m.attention_count == 0)
    return true;
  mark_output(&m);
  mark_feed_forward(&m);
  out->of_node = etr_arena_alloc_array(arena, graph->node_count, sizeof *out->of_node);
  if (!out->of_node)
    return false;
  out->is_decoder = true;
  for (int kind = 0; kind < ETR_LAYER_KINDS; kind++)
    out->sums[kind].kind = (etr_layer_kind)kind;
  for (size_t i = 0; i < graph->node_count; i++) {
    out->of_node[i] = m.kinds[i] == UNDECIDED ? ETR_LAYER_OTHER : (etr_layer_kind)m.kinds[i];
    if (!graph->times || graph->times[i].runs == 0)
      continue;
    etr_layer_sum *sum = &out->sums[out->of_node[i]];
    sum->ticks += graph->times[i].total_ticks;
    sum->typical += graph->times[i].typical;
    sum->count++;
  }
  return true;
}
