/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fx_graph.c - vertices, users, sorting.
 */
#include "place/fx_graph.h"

#include "backends/operator.h"
#include "method/graph_values.h"

enum { USED = UINT32_MAX - 1 }; /* a result that will have a getitem */

/* ---- Building ---- */

/* FX has getitems where the file names the results apart from the node. */
static bool has_getitems(const etr_node *node) {
  if (node->kind != ETR_NODE_OP || node->output_count == 0) return false;
  return node->output_count > 1 || strcmp(node->outputs[0].name, node->name) != 0;
}

static size_t count_vertices(const etr_graph *graph) {
  size_t count = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    count += 1 + (has_getitems(&graph->nodes[i]) ? graph->nodes[i].output_count : 0);
  return count;
}

/* FX has no getitem for a result that nothing uses. */
static bool find_used_results(etr_fx_graph *fx) {
  size_t count = 0;
  uint32_t *first = etr_arena_alloc_array(fx->arena, fx->graph->node_count, sizeof *first);
  for (size_t i = 0; first && i < fx->graph->node_count; i++) {
    first[i] = (uint32_t)count;
    count += fx->graph->nodes[i].output_count;
  }
  fx->getitem_of = etr_arena_alloc_array(fx->arena, count, sizeof *fx->getitem_of);
  if (!first || !fx->getitem_of) return false;
  for (size_t i = 0; i < count; i++) fx->getitem_of[i] = ETR_NONE;
  for (size_t i = 0; i < fx->graph->node_count; i++) {
    const etr_node *node = &fx->graph->nodes[i];
    for (size_t k = 0; k < node->input_count; k++)
      fx->getitem_of[first[node->inputs[k].node] + node->inputs[k].output] = USED;
  }
  fx->first_output = first;
  return true;
}

static uint32_t add_vertex(etr_fx_graph *fx, uint32_t node, uint32_t output) {
  uint32_t vertex = (uint32_t)fx->vertex_count++;
  fx->vertices[vertex] = (etr_fx_vertex){.node = node, .output = output, .first_input = (uint32_t)fx->input_pool.count};
  fx->order[fx->order_count++] = vertex;
  return vertex;
}

/* Adds a producer unless the vertex has it. */
static bool add_input(etr_fx_graph *fx, uint32_t vertex, uint32_t producer) {
  if (fx->stamps[producer] == fx->stamp) return true;
  fx->stamps[producer] = fx->stamp;
  uint32_t *slot = etr_vec_push(fx->arena, &fx->input_pool);
  if (slot) *slot = producer;
  fx->vertices[vertex].input_count++;
  return slot != NULL;
}

static uint32_t vertex_of_edge(const etr_fx_graph *fx, const etr_edge *edge) {
  uint32_t vertex = fx->vertex_of[edge->node];
  bool is_result = vertex != ETR_NONE && has_getitems(&fx->graph->nodes[edge->node]);
  return is_result ? fx->getitem_of[fx->first_output[edge->node] + edge->output] : vertex;
}

/* legalize_graph's PRIORITIZED_OPS: Python's operators on symbolic numbers, and torch's own assertions. */
static bool is_prioritized(const etr_node *node) {
  static const char *const operators[] = {"_operator.add", "_operator.mul",     "_operator.sub", "_operator.floordiv",
                                          "_operator.mod", "_operator.truediv", "_operator.le",  "_operator.lt",
                                          "_operator.ge",  "_operator.gt",      "_operator.eq",  "_operator.ne"};
  static const char *const own[] = {"aten.sym_constrain_range.default", "aten.sym_constrain_range_for_size.default",
                                    "aten._assert_async.msg", "aten.scalar_tensor.default",
                                    "aten._assert_scalar.default"};
  etr_slice target = etr_slice_of(node->target);
  if (etr_operator_is_one_of(target, operators, ETR_COUNT(operators))) return true;
  /* of the Edge dialect it is another */
  return etr_operator_is_one_of(target, own, ETR_COUNT(own)) && strcmp(node->op_type, node->target) != 0;
}

static bool add_node(etr_fx_graph *fx, uint32_t index) {
  const etr_node *node = &fx->graph->nodes[index];
  uint32_t vertex = fx->vertex_of[index] = add_vertex(fx, index, ETR_NONE);
  fx->vertices[vertex].is_prioritized = is_prioritized(node);
  fx->stamp++;
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t producer = vertex_of_edge(fx, &node->inputs[i]);
    if (producer != ETR_NONE && producer < vertex && !add_input(fx, vertex, producer)) return false;
  }
  for (uint32_t i = 0; has_getitems(node) && i < node->output_count; i++) {
    uint32_t *getitem = &fx->getitem_of[fx->first_output[index] + i];
    if (*getitem != USED) continue;
    fx->stamp++;
    *getitem = add_vertex(fx, index, i);
    if (!add_input(fx, *getitem, vertex)) return false;
  }
  return true;
}

static bool allocate(etr_fx_graph *fx) {
  fx->vertices = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->vertices);
  fx->order = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->order);
  fx->user_starts = etr_arena_alloc_array(fx->arena, fx->vertex_capacity + 1, sizeof *fx->user_starts);
  fx->user_counts = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->user_counts);
  fx->spare = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->spare);
  fx->queue = etr_arena_alloc_array(fx->arena, 2 * fx->vertex_capacity, sizeof *fx->queue);
  fx->stamps = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->stamps);
  fx->vertex_of = etr_arena_alloc_array(fx->arena, fx->graph->node_count, sizeof *fx->vertex_of);
  return !etr_arena_failed(fx->arena);
}

bool etr_fx_build(etr_fx_graph *out, const etr_graph *graph, size_t calls, etr_arena *arena) {
  /* each vertex becomes a delegate's result at most once */
  *out = (etr_fx_graph){
      .graph = graph, .arena = arena, .last_call = ETR_NONE, .vertex_capacity = 2 * count_vertices(graph) + calls + 1};
  if (!allocate(out) || !find_used_results(out)) return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    out->vertex_of[i] = ETR_NONE;
    if (graph->nodes[i].subgraph == ETR_NONE && !add_node(out, i)) return false;
  }
  return !etr_arena_failed(arena);
}

/* ---- Users ---- */

static bool make_room_for_users(etr_fx_graph *fx) {
  if (fx->input_pool.count <= fx->user_capacity) return true;
  fx->user_capacity = 2 * fx->input_pool.count;
  fx->users = etr_arena_alloc_array(fx->arena, fx->user_capacity, sizeof *fx->users);
  return fx->users != NULL;
}

bool etr_fx_find_users(etr_fx_graph *fx) {
  const uint32_t *pool = fx->input_pool.data;
  uint32_t at = 0;
  if (!make_room_for_users(fx)) return false;
  for (size_t i = 0; i < fx->order_count; i++) fx->user_counts[fx->order[i]] = 0;
  for (size_t i = 0; i < fx->order_count; i++) {
    const etr_fx_vertex *v = &fx->vertices[fx->order[i]];
    for (uint32_t k = 0; k < v->input_count; k++) fx->user_counts[pool[v->first_input + k]]++;
  }
  for (size_t i = 0; i < fx->order_count; i++) {
    uint32_t vertex = fx->order[i];
    fx->user_starts[vertex] = at;
    at += fx->user_counts[vertex];
    fx->user_counts[vertex] = 0;
  }
  for (size_t i = 0; i < fx->order_count; i++) {
    const etr_fx_vertex *v = &fx->vertices[fx->order[i]];
    for (uint32_t k = 0; k < v->input_count; k++) {
      uint32_t producer = pool[v->first_input + k];
      fx->users[fx->user_starts[producer] + fx->user_counts[producer]++] = fx->order[i];
    }
  }
  return true;
}

/* ---- Replacing ---- */

/* A getitem of the call for each vertex of the part that is used outside. */
static void add_results(etr_fx_graph *fx, const uint32_t *part, size_t count, uint32_t call) {
  for (size_t i = 0; i < count; i++) {
    if (fx->spare[part[i]] != USED) continue;
    uint32_t result = add_vertex(fx, ETR_NONE, ETR_NONE);
    uint32_t *slot = etr_vec_push(fx->arena, &fx->input_pool);
    if (slot) *slot = call;
    fx->vertices[result].input_count = 1;
    fx->spare[part[i]] = result;
  }
}

/* Takes the part out of the order. The call made last is a later user of its inputs than its place says: it moves to
 * the end. */
static void leave_out(etr_fx_graph *fx, uint32_t inside) {
  size_t kept = 0;
  bool has_call = fx->last_call != ETR_NONE;
  for (size_t i = 0; i < fx->order_count; i++)
    if (fx->stamps[fx->order[i]] != inside && fx->order[i] != fx->last_call) fx->order[kept++] = fx->order[i];
  if (has_call) fx->order[kept++] = fx->last_call;
  fx->order_count = kept;
}

/* The call reads what the part reads from outside: what is inside is stamped, and so is what it has. */
static bool add_call_inputs(etr_fx_graph *fx, uint32_t call, const uint32_t *part, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < fx->vertices[part[i]].input_count; k++)
      if (!add_input(fx, call, fx->input_pool.data[fx->vertices[part[i]].first_input + k])) return false;
  const etr_fx_vertex *v = &fx->vertices[call];
  for (uint32_t k = 0; k < v->input_count; k++) fx->stamps[fx->input_pool.data[v->first_input + k]] = 0;
  return true;
}

/* What is read from outside: notes it first, then reads the call's results instead. */
static void find_reads(etr_fx_graph *fx, size_t outside, uint32_t inside, bool redirect) {
  for (size_t i = 0; i < outside; i++) {
    const etr_fx_vertex *v = &fx->vertices[fx->order[i]];
    for (uint32_t k = 0; k < v->input_count; k++) {
      uint32_t *producer = &fx->input_pool.data[v->first_input + k];
      if (fx->stamps[*producer] != inside) continue;
      if (redirect)
        *producer = fx->spare[*producer];
      else
        fx->spare[*producer] = USED;
    }
  }
}

uint32_t etr_fx_replace(etr_fx_graph *fx, const uint32_t *part, size_t count) {
  uint32_t inside = ++fx->stamp;
  for (size_t i = 0; i < count; i++) {
    fx->stamps[part[i]] = inside;
    fx->spare[part[i]] = ETR_NONE;
  }
  leave_out(fx, inside);
  size_t outside = fx->order_count;
  uint32_t call = fx->last_call = add_vertex(fx, ETR_NONE, ETR_NONE);
  if (!add_call_inputs(fx, call, part, count)) return ETR_NONE;
  find_reads(fx, outside, inside, false);
  add_results(fx, part, count, call);
  find_reads(fx, outside, inside, true);
  return etr_arena_failed(fx->arena) ? ETR_NONE : call;
}

/* ---- Sorting ---- */

bool etr_fx_may_vanish(const etr_fx_graph *fx, uint32_t vertex) {
  const etr_node *node = etr_fx_node(fx, vertex);
  return !node || etr_fx_is_getitem(fx, vertex) || node->kind != ETR_NODE_OP || etr_is_view(node) ||
         !etr_has_tensor(node);
}

bool etr_fx_sort(etr_fx_graph *fx) {
  uint32_t *left = fx->spare, count = (uint32_t)fx->order_count; /* per vertex: producers that are not sorted yet */
  uint32_t *queue = fx->queue, first = count, end = count, sorted = 0;
  if (!etr_fx_find_users(fx)) return false;
  for (uint32_t i = 0; i < count; i++) {
    left[fx->order[i]] = fx->vertices[fx->order[i]].input_count;
    if (left[fx->order[i]] == 0) queue[end++] = fx->order[i];
  }
  while (first < end) {
    uint32_t vertex = queue[first++];
    fx->order[sorted++] = vertex;
    for (uint32_t i = 0; i < fx->user_counts[vertex]; i++) {
      uint32_t user = fx->users[fx->user_starts[vertex] + i];
      if (--left[user]) continue;
      if (fx->vertices[user].is_prioritized)
        queue[--first] = user;
      else
        queue[end++] = user;
    }
  }
  return sorted == count;
}
