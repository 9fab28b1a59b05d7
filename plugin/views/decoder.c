/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoder.c - finds attentions, the products around them, and buffers that are written by position.
 */
#include "views/decoder.h"

#include "output/label.h"
#include "views/memory_findings.h"

#include <inttypes.h>
#include <stdlib.h>

const char *etr_layer_kind_name(etr_layer_kind kind) {
  static const char *const names[] = {"attention", "projections", "feed_forward", "embedding",
                                      "output",    "cache",       "norm",         "other"};
  return names[kind];
}

/* ---- The graph ---- */

enum { UNDECIDED = ETR_LAYER_KINDS };

/* What a value is computed from, apart from weights and positions. The larger one counts where an
 * operator reads both. */
typedef enum origin {
  FROM_NOTHING_ELSE,
  FROM_LAYERS,     /* from results of layers alone, as queries and keys are */
  FROM_EMBEDDINGS, /* also from those of an embedding, which residuals pass on to all layers */
} origin;

/* Gives each node of a graph its kind of layer. */
typedef struct marking {
  const etr_graph *graph;
  int *kinds; /* per node: an etr_layer_kind, or UNDECIDED */
  uint32_t *starts,
      *readers;    /* the readers of node i are readers[starts[i]] to starts[i + 1] - 1 */
  uint32_t *stack; /* nodes that a walk still visits */
  bool *seen;      /* per node: a walk pushed it onto the stack */
  bool *is_layer;  /* per node: it is a product with a weight */
  origin *origins; /* per node */
  size_t attention_count;
} marking;

/* Returns the name of an operator without namespace, leading underscores and overload: "softmax".
 */
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

/* Returns true for an operator whose name, namespace and overload contain a text. */
static bool has_in_name(const etr_node *node, const char *part) {
  return node->kind == ETR_NODE_OP && strstr(node->target, part);
}

/* Returns true for an operator that multiplies matrices. */
static bool is_product(const etr_node *node) {
  return IS(node, "mm", "bmm", "addmm", "matmul", "baddbmm", "linear") ||
         has_in_name(node, "linear");
}

static bool is_fused_attention(const etr_node *node) {
  return has_in_name(node, "sdpa") || has_in_name(node, "scaled_dot_product") ||
         has_in_name(node, "flash_attention");
}

static bool is_quantizing(const etr_node *node) {
  return has_in_name(node, "quantize_") || has_in_name(node, "choose_qparams");
}

/* Returns true if a value is made of parameters and constants alone, at most `depth` operators away
 * from them: a weight that is dequantized or transposed. */
static bool is_weight(const etr_graph *graph, uint32_t node, int depth) {
  const etr_node *tested = &graph->nodes[node];
  if (tested->kind != ETR_NODE_OP)
    return etr_node_is_weight(tested);
  if (depth == 0 || tested->input_count == 0)
    return false;
  for (size_t i = 0; i < tested->input_count; i++)
    if (!is_weight(graph, tested->inputs[i].node, depth - 1))
      return false;
  return true;
}

/* Returns true if a node reads a weight. */
static bool has_weight(const etr_graph *graph, const etr_node *node) {
  enum { NEAR = 3 }; /* operators from a parameter to a weight: it may be dequantized, transposed */
  for (size_t i = 0; i < node->input_count; i++)
    if (is_weight(graph, node->inputs[i].node, NEAR))
      return true;
  return false;
}

uint32_t etr_scaled_value(const etr_graph *graph, uint32_t node) {
  enum { NEAR = 1 }; /* operators from a constant to what is read: a cast */
  const etr_node *tested = &graph->nodes[node];
  uint32_t found = ETR_NONE;
  if (!IS(tested, "mul", "div", "tanh"))
    return ETR_NONE;
  for (size_t i = 0; i < tested->input_count; i++) {
    uint32_t input = tested->inputs[i].node;
    if (is_weight(graph, input, NEAR))
      continue;
    if (found != ETR_NONE || input >= node)
      return ETR_NONE;
    found = input;
  }
  return found;
}

/* Prepares a marking in which no node has a kind: lists the readers of each node, and finds the
 * layers, which are products with a weight. Returns false when out of memory. */
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
                 .is_layer = etr_arena_alloc_array(arena, count, sizeof *m->is_layer),
                 .origins = etr_arena_alloc_array(arena, count, sizeof *m->origins)};
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < count; i++) {
    m->kinds[i] = UNDECIDED;
    m->is_layer[i] = is_product(&graph->nodes[i]) && has_weight(graph, &graph->nodes[i]);
    /* Counts two indices ahead, so that filling moves each start to where it belongs. */
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

/* What a walk does at a node. */
typedef enum step {
  STEP_STOP, /* not at all */
  STEP_MARK, /* it marks the node and stops */
  STEP_ON,   /* it marks the node and goes on */
} step;

/* A walk from a node to its readers, or back to what it reads. */
typedef struct walk {
  bool forward;        /* to readers */
  etr_layer_kind kind; /* of the operators that it visits */
  step (*decide)(const marking *m, uint32_t node);
  etr_layer_kind layer_kind; /* of layers that it reaches, where it stops */
} walk;

/* Pushes the operators that read a node (walks forward), or that it reads, onto the stack, unless
 * they were seen. depth: number of nodes on the stack. Returns the new depth. */
static size_t push_neighbors(marking *m, const walk *rule, uint32_t node, size_t depth) {
  const etr_node *visited = &m->graph->nodes[node];
  size_t count = rule->forward ? m->starts[node + 1] - m->starts[node] : visited->input_count;
  for (size_t i = 0; i < count; i++) {
    uint32_t next = rule->forward ? m->readers[m->starts[node] + i] : visited->inputs[i].node;
    if (m->seen[next] || m->graph->nodes[next].kind != ETR_NODE_OP)
      continue;
    m->seen[next] = true;
    m->stack[depth++] = next;
  }
  return depth;
}

/* Returns true for an operator of a norm that normalizes results of layers, as those of queries and
 * keys do, and no sum with a residual. */
static bool is_norm_of_layers(const marking *m, uint32_t node) {
  return m->kinds[node] == ETR_LAYER_NORM && m->origins[node] == FROM_LAYERS;
}

/* Walks from a node, in the direction and as far as the rule says, and gives operators without a
 * kind that of the rule. A walk goes on behind norms of layers, which stay norms. It ends at
 * operators of another kind, and at layers, which get the rule's layer_kind if they have no kind.
 * The node itself stays as it is. */
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
    if (is_norm_of_layers(m, next)) {
      depth = push_neighbors(m, rule, next, depth);
      continue;
    }
    bool is_free = m->kinds[next] == UNDECIDED || m->kinds[next] == (int)rule->kind;
    step decision = is_free ? rule->decide(m, next) : STEP_STOP;
    if (decision == STEP_STOP)
      continue;
    m->kinds[next] = (int)rule->kind;
    if (decision == STEP_ON)
      depth = push_neighbors(m, rule, next, depth);
  }
}

/* Decides that a walk marks each operator and goes on, so that it ends only at layers. */
static step over_all(const marking *m, uint32_t node) {
  (void)m;
  (void)node;
  return STEP_ON;
}

/* A walk over operators that only copy or quantize: from the result of an attention it ends at the
 * projection, or before what adds the residual. */
static step over_copies(const marking *m, uint32_t node) {
  const etr_node *visited = &m->graph->nodes[node];
  return etr_node_only_copies(visited) || is_quantizing(visited) ? STEP_ON : STEP_STOP;
}

/* A walk from what a method returns back to the output layer, whose logits may be scaled. */
static step to_output_layer(const marking *m, uint32_t node) {
  return etr_scaled_value(m->graph, node) != ETR_NONE ? STEP_ON : over_copies(m, node);
}

/* A walk up to and including products: from a softmax to the two products of an attention. */
static step to_products(const marking *m, uint32_t node) {
  return is_product(&m->graph->nodes[node]) ? STEP_MARK : STEP_ON;
}

/* ---- The kinds ---- */

/* Marks embeddings and norms that are one operator, by their names. */
static void mark_embeddings_and_norms(marking *m) {
  for (size_t i = 0; i < m->graph->node_count; i++) {
    const etr_node *node = &m->graph->nodes[i];
    if (has_in_name(node, "embedding"))
      m->kinds[i] = ETR_LAYER_EMBEDDING;
    else if (has_in_name(node, "layer_norm") || has_in_name(node, "rms_norm"))
      m->kinds[i] = ETR_LAYER_NORM;
  }
}

/* Marks the operators of a module as a norm if one of them is a reciprocal root and none multiplies
 * matrices: an RMSNorm that is written with single operators. Returns false when out of memory. */
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
    /* Module 0 is the top level, which has operators of everything. */
    bool is_in_module = node->kind == ETR_NODE_OP && node->module > 0 && node->module < count;
    bool is_norm = is_in_module && has_root[node->module] && !has_product[node->module];
    if (is_norm && m->kinds[i] == UNDECIDED)
      m->kinds[i] = ETR_LAYER_NORM;
  }
  return true;
}

/* Finds what each value is computed from. Inputs come before the nodes that read them. */
static void find_origins(marking *m) {
  for (uint32_t i = 0; i < m->graph->node_count; i++) {
    const etr_node *node = &m->graph->nodes[i];
    origin *found = &m->origins[i];
    if (m->kinds[i] == ETR_LAYER_EMBEDDING)
      *found = FROM_EMBEDDINGS;
    else if (m->is_layer[i])
      *found = FROM_LAYERS;
    else
      for (size_t k = 0; k < node->input_count; k++)
        *found = ETR_MAX(*found, m->origins[node->inputs[k].node]);
  }
}

/* Marks what a node of an attention or a cache reads as attention, back to the projections, which
 * get their own kind, and to operators that have a kind already. */
static void mark_sources(marking *m, uint32_t node) {
  mark_from(m, node,
            &(walk){.kind = ETR_LAYER_ATTENTION,
                    .decide = over_all,
                    .layer_kind = ETR_LAYER_PROJECTIONS});
}

/* Marks the copies that read the result of an attention as attention, and the projection behind
 * them. */
static void mark_results(marking *m, uint32_t node) {
  mark_from(m, node,
            &(walk){.forward = true,
                    .kind = ETR_LAYER_ATTENTION,
                    .decide = over_copies,
                    .layer_kind = ETR_LAYER_PROJECTIONS});
}

/* Marks fused attentions, and each softmax with the operators around it as far as the products that
 * compute the scores and apply them to the values. */
static void mark_attention_cores(marking *m) {
  for (uint32_t i = 0; i < m->graph->node_count; i++) {
    const etr_node *node = &m->graph->nodes[i];
    bool is_fused = is_fused_attention(node);
    if (!is_fused && !IS(node, "softmax", "safe_softmax"))
      continue;
    m->kinds[i] = ETR_LAYER_ATTENTION;
    m->attention_count++;
    if (is_fused)
      continue;
    walk rule = {
        .kind = ETR_LAYER_ATTENTION, .decide = to_products, .layer_kind = ETR_LAYER_PROJECTIONS};
    mark_from(m, i, &rule);
    rule.forward = true;
    mark_from(m, i, &rule);
  }
}

/* Marks all attentions, and the projections whose results they and the cache read, or which read
 * theirs. The walks to these begin at the products and fused operators of the attentions, and at
 * writes into the cache. */
static void mark_attentions(marking *m) {
  mark_attention_cores(m);
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

/* Marks the layers that compute what the method returns, and the copies and scales behind them. An
 * output node reads the buffers that the method changes first, which are not returned. */
static void mark_output(marking *m) {
  const etr_graph *graph = m->graph;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_OUTPUT || node->subgraph != ETR_NONE)
      continue;
    for (size_t k = graph->mutation_count; k < node->input_count; k++) {
      uint32_t from = node->inputs[k].node;
      const walk rule = {
          .kind = ETR_LAYER_OUTPUT, .decide = to_output_layer, .layer_kind = ETR_LAYER_OUTPUT};
      bool is_output = m->is_layer[from] || to_output_layer(m, from) == STEP_ON;
      if (is_output && m->kinds[from] == UNDECIDED)
        m->kinds[from] = ETR_LAYER_OUTPUT;
      if (!m->is_layer[from])
        mark_from(m, from, &rule);
    }
  }
}

/* Returns true if an operator computes with results of feed-forward layers and weights alone, as
 * activations do; the sum with the residual reads something else. */
static bool is_activation(const marking *m, uint32_t node) {
  enum { NEAR = 3 }; /* operators from a parameter to a weight: it may be dequantized, transposed */
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

/* Marks all layers without a kind as feed-forward, and the activations between them. Then gives the
 * copies that a layer reads the kind of the layer. */
static void mark_feed_forward(marking *m) {
  for (uint32_t i = 0; i < m->graph->node_count; i++)
    if (m->is_layer[i] && m->kinds[i] == UNDECIDED)
      m->kinds[i] = ETR_LAYER_FEED_FORWARD;
  for (uint32_t i = 0; i < m->graph->node_count; i++)
    if (m->kinds[i] == UNDECIDED && is_activation(m, i))
      m->kinds[i] = ETR_LAYER_FEED_FORWARD;
  for (uint32_t i = 0; i < m->graph->node_count; i++) {
    walk rule = {.kind = (etr_layer_kind)m->kinds[i], .decide = over_copies};
    rule.layer_kind = rule.kind;
    if (m->is_layer[i])
      mark_from(m, i, &rule);
  }
}

/* ---- Caches ---- */

/* Returns the buffer that an operator writes at a position, which it also reads, perhaps through
 * copies; ETR_NONE if there is none. */
static uint32_t written_buffer(const etr_graph *graph, const etr_node *node) {
  bool is_by_position = has_in_name(node, "update_cache") ||
                        has_in_name(node, "sdpa_with_kv_cache") || etr_is_functionalized(node);
  if (!is_by_position &&
      !IS(node, "index_put", "index_put_", "slice_scatter", "select_scatter", "copy_"))
    return ETR_NONE;
  /* The others read the buffer first, and then what they write. */
  size_t input_count = is_by_position ? node->input_count : ETR_MIN(node->input_count, (size_t)1);
  for (size_t i = 0; i < input_count; i++) {
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
    bool is_known = false; /* another operator writes it, too */
    for (size_t k = 0; k < list.count && !is_known; k++)
      is_known = list.data[k].node == buffer;
    if (is_known)
      continue;
    etr_cache_buffer *added = etr_vec_push(arena, &list);
    if (!added)
      return false;
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

/* Returns true if the program plans a method's cache in memory that no other method uses. */
static bool has_own_memory(const etr_method *method, const etr_kv_cache *cache) {
  const etr_memory_plan *plan = method->memory;
  uint32_t buffer = ETR_NONE;
  for (size_t i = 0; plan && i < plan->tensor_count; i++)
    if (plan->tensors[i].role == ETR_TENSOR_STATE &&
        plan->tensors[i].size_bytes == cache->buffers[0].bytes)
      buffer = plan->tensors[i].buffer;
  return buffer != ETR_NONE && !etr_is_shared_memory(plan, buffer);
}

/* Returns how many methods have a cache of the same size, this one included, in memory of their
 * own. */
static size_t count_own_caches(etr_arena *arena, const etr_profile *profile,
                               const etr_kv_cache *cache) {
  size_t count = 0;
  for (size_t i = 0; i < profile->method_count; i++) {
    etr_kv_cache other;
    const etr_method *method = &profile->methods[i];
    count += etr_kv_cache_find(&other, arena, profile, method) && other.count == cache->count &&
             other.bytes == cache->bytes && other.context == cache->context &&
             has_own_memory(method, &other);
  }
  return count;
}

/* ---- Twice the context ---- */

/* Returns how many dimensions of a value have a size. */
static size_t count_dims(const etr_value *value, uint64_t size) {
  size_t count = 0;
  for (int32_t i = 0; i < value->rank; i++)
    count += value->dims[i].size > 0 && (uint64_t)value->dims[i].size == size;
  return count;
}

/* Returns true if a result of a node has a dimension of a size. */
static bool has_dim(const etr_node *node, uint64_t size) {
  for (size_t i = 0; i < node->output_count; i++)
    if (count_dims(&node->outputs[i], size))
      return true;
  return false;
}

/* Returns the buffer that a node is, or that it writes; NULL if there is none, or if the buffer has
 * fewer positions than others, as the window of an attention does, which does not grow. */
static const etr_cache_buffer *growing_buffer(const etr_kv_cache *cache, uint32_t node) {
  for (size_t i = 0; i < cache->count; i++) {
    const etr_cache_buffer *buffer = &cache->buffers[i];
    if (buffer->context == cache->context && (buffer->node == node || buffer->writer == node))
      return buffer;
  }
  return NULL;
}

/* Returns true if the number of positions is also another size, by which tensors of positions
 * cannot be told: of the caches' own dimensions, or of the tokens that a run reads. */
static bool is_ambiguous(const etr_graph *graph, const etr_kv_cache *cache) {
  const etr_value *tokens = etr_token_input(graph);
  if (tokens && count_dims(tokens, cache->context))
    return true;
  for (size_t i = 0; i < cache->count; i++)
    if (count_dims(&graph->nodes[cache->buffers[i].node].outputs[0], cache->context) > 1)
      return true;
  return false;
}

/* Returns true if a node begins what layers compute, whose sizes do not follow the context. */
static bool begins_layers(const etr_graph *graph, const etr_node *node) {
  return node->kind == ETR_NODE_PARAMETER || has_in_name(node, "embedding") ||
         (is_product(node) && has_weight(graph, node));
}

/* Which results have a dimension that is the context. */
typedef struct positional_nodes {
  bool *are;     /* per node */
  bool is_least; /* others may have, too */
} positional_nodes;

/* Finds the nodes whose results have a dimension that is the context: it has that size, and the
 * node computes with the caches, or, as those of masks do, with no result of a layer. Others may
 * have the size by chance, such as the hidden size. Not all are known if a copy makes another size
 * of the context, as a slice up to the position does. Returns false when out of memory. */
static bool find_positional(positional_nodes *out, etr_arena *arena, const etr_graph *graph,
                            const etr_kv_cache *cache) {
  bool *is_cached = etr_arena_alloc_array(arena, graph->node_count, sizeof *is_cached);
  bool *is_layer = etr_arena_alloc_array(arena, graph->node_count, sizeof *is_layer);
  out->are = etr_arena_alloc_array(arena, graph->node_count, sizeof *out->are);
  if (etr_arena_failed(arena))
    return false;
  bool is_only_own = is_ambiguous(graph, cache);
  out->is_least = is_only_own;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    bool is_own = growing_buffer(cache, i), reads_cache = is_own;
    is_layer[i] = begins_layers(graph, node);
    for (size_t k = 0; k < node->input_count; k++) {
      reads_cache |= is_cached[node->inputs[k].node];
      is_layer[i] |= is_layer[node->inputs[k].node];
    }
    bool has_context = has_dim(node, cache->context);
    is_cached[i] = reads_cache && has_context;
    is_layer[i] = (is_layer[i] || reads_cache) && !is_cached[i];
    out->are[i] = has_context && !is_layer[i] && (is_own || !is_only_own);
    out->is_least |= reads_cache && !has_context && etr_node_only_copies(node);
  }
  return true;
}

/* What twice the context adds to the peak. */
typedef struct context_growth {
  uint64_t bytes;        /* 0: no plan is known */
  bool is_least;         /* it may be more */
  size_t copies, others; /* tensors live at the new peak: results of writes, and others that grow */
} context_growth;

/* Returns the bytes by which twice the context makes a tensor larger. */
static uint64_t tensor_growth(const etr_planned_tensor *tensor, const etr_kv_cache *cache,
                              const positional_nodes *positional) {
  bool is_state = false;
  for (size_t i = 0; tensor->role == ETR_TENSOR_STATE && i < cache->count; i++)
    is_state |= cache->buffers[i].context == cache->context &&
                cache->buffers[i].bytes == tensor->size_bytes;
  bool is_live = tensor->view_of == ETR_NONE && !tensor->is_misplaced &&
                 tensor->first_instruction >= 0;
  if (!is_live || !(is_state || (tensor->node != ETR_NONE && positional->are[tensor->node])))
    return 0;
  uint64_t bytes = tensor->size_bytes;
  for (size_t i = count_dims(&tensor->tensor, cache->context); i; i--)
    bytes += bytes;
  return bytes - tensor->size_bytes;
}

/* Finds how much larger the peak is for twice the context, wherever it is then. Returns false when
 * out of memory. */
static bool find_growth(context_growth *out, etr_arena *arena, const etr_profile *profile,
                        const etr_method *method, const etr_kv_cache *cache) {
  const etr_memory_plan *plan = method->memory;
  *out = (context_growth){0};
  if (!plan || plan->peak_instruction < 0)
    return true;
  positional_nodes positional;
  /* Per instruction: bytes that begin to be live there, less those that ended before. */
  uint64_t *steps = etr_arena_alloc_array(arena, plan->instruction_count + 1, sizeof *steps);
  if (!steps || !find_positional(&positional, arena, &profile->graphs[method->graph], cache))
    return false;
  for (size_t i = 0; i < plan->tensor_count; i++) {
    const etr_planned_tensor *tensor = &plan->tensors[i];
    uint64_t bytes = tensor_growth(tensor, cache, &positional);
    if (!bytes)
      continue;
    steps[tensor->first_instruction] += bytes;
    steps[tensor->last_instruction + 1] -= bytes;
  }
  uint64_t bytes = 0, peak = 0;
  int32_t at = 0;
  for (size_t i = 0; i < plan->instruction_count; i++) {
    bytes += steps[i];
    if (plan->live_bytes[i] + bytes <= peak)
      continue;
    peak = plan->live_bytes[i] + bytes;
    at = (int32_t)i;
  }
  out->bytes = peak - plan->peak_bytes;
  out->is_least = positional.is_least;
  for (size_t i = 0; i < plan->tensor_count; i++) {
    const etr_planned_tensor *tensor = &plan->tensors[i];
    if (tensor->role == ETR_TENSOR_STATE || tensor->first_instruction > at ||
        tensor->last_instruction < at || !tensor_growth(tensor, cache, &positional))
      continue;
    const etr_cache_buffer *written = growing_buffer(cache, tensor->node);
    bool is_copy = written && written->bytes == tensor->size_bytes;
    out->copies += is_copy;
    out->others += !is_copy;
  }
  return true;
}

/* Returns what twice the context adds to the peak, in words; "" if no plan is known. */
static const char *text_of_growth(etr_arena *arena, const etr_profile *profile,
                                  const etr_method *method, const etr_kv_cache *cache) {
  context_growth growth;
  if (!find_growth(&growth, arena, profile, method, cache) || !growth.bytes)
    return "";
  const char *copies = "", *others = "";
  if (growth.copies)
    copies = etr_arena_format(arena, ", with %zu cop%s of the cache", growth.copies,
                              growth.copies == 1 ? "y" : "ies");
  if (growth.others)
    others = etr_arena_format(arena, "%s %zu other tensor%s of %" PRIu64 " positions",
                              growth.copies ? " and" : ", with", growth.others,
                              etr_plural(growth.others), cache->context);
  return etr_arena_format(arena, ", and all at the peak %s %s more%s%s",
                          growth.is_least ? "at least" : "about",
                          etr_or_empty(etr_count_text(arena, growth.bytes)), etr_or_empty(copies),
                          etr_or_empty(others));
}

const char *etr_kv_cache_text(etr_arena *arena, const etr_profile *profile,
                              const etr_method *method) {
  etr_kv_cache cache;
  if (!etr_kv_cache_find(&cache, arena, profile, method) || cache.count == 0)
    return NULL;
  uint64_t growing = 0;
  for (size_t i = 0; i < cache.count; i++)
    growing += cache.buffers[i].context == cache.context ? cache.buffers[i].bytes : 0;
  size_t methods = has_own_memory(method, &cache) ? count_own_caches(arena, profile, &cache) : 0;
  const char *own = methods < 2
                        ? ""
                        : etr_arena_format(arena, "; each of %zu methods has its own", methods);
  return etr_arena_format(
      arena,
      "cache of keys and values: %s bytes in %zu buffer%s for %" PRIu64
      " positions, %s bytes a position in all; for twice the context the cache "
      "alone takes %s bytes more%s%s",
      etr_or_empty(etr_count_text(arena, cache.bytes)), cache.count, etr_plural(cache.count),
      cache.context, etr_or_empty(etr_count_text(arena, cache.per_token)),
      etr_or_empty(etr_count_text(arena, growing)),
      etr_or_empty(text_of_growth(arena, profile, method, &cache)), etr_or_empty(own));
}

/* ---- Together ---- */

bool etr_layers_find(etr_layers *out, etr_arena *arena, const etr_profile *profile,
                     const etr_method *method) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  marking m;
  *out = (etr_layers){.is_decoder = false};
  if (!graph || !etr_token_input(graph))
    return true;
  if (!begin_marking(&m, graph, arena))
    return false;
  mark_embeddings_and_norms(&m);
  if (!mark_decomposed_norms(&m, arena))
    return false;
  find_origins(&m);
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
