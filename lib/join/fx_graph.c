/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fx_graph.c - builds, changes and sorts the graph. Lists of users and the order are kept from one
 * sort to the next.
 */
#include "join/fx_graph.h"

#include "backends/operator.h"
#include "inputs/graph_values.h"

enum { USED = UINT32_MAX - 1 }; /* a result that will have a getitem */

/* ---- Building ---- */

/* Returns whether FX has getitems for a node: it does if the file's names of the results differ
 * from the node's name.
 */
static bool has_getitems(const etr_node *node) {
  if (node->kind != ETR_NODE_OP || node->output_count == 0)
    return false;
  return node->output_count > 1 || strcmp(node->outputs[0].name, node->name) != 0;
}

static size_t count_vertices(const etr_graph *graph) {
  size_t count = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    count += 1 + (has_getitems(&graph->nodes[i]) ? graph->nodes[i].output_count : 0);
  return count;
}

/* Marks the results that are used, because FX has no getitem for others. Returns false when out
 * of memory. */
static bool find_used_results(etr_fx_graph *fx) {
  size_t count = 0;
  uint32_t *first = etr_arena_alloc_array(fx->arena, fx->graph->node_count, sizeof *first);
  for (size_t i = 0; first && i < fx->graph->node_count; i++) {
    first[i] = (uint32_t)count;
    count += fx->graph->nodes[i].output_count;
  }
  fx->getitem_of = etr_arena_alloc_array(fx->arena, count, sizeof *fx->getitem_of);
  if (etr_arena_failed(fx->arena))
    return false;
  for (size_t i = 0; i < count; i++)
    fx->getitem_of[i] = ETR_NONE;
  for (size_t i = 0; i < fx->graph->node_count; i++) {
    const etr_node *node = &fx->graph->nodes[i];
    for (size_t k = 0; k < node->input_count; k++)
      fx->getitem_of[first[node->inputs[k].node] + node->inputs[k].output] = USED;
  }
  fx->first_output = first;
  return true;
}

/* Returns for each node of the graph itself 1 and the number of its getitems, for nodes in
 * subgraphs 0; NULL when out of memory. */
uint32_t *etr_fx_count(const etr_graph *graph, etr_arena *arena) {
  etr_fx_graph fx = {.graph = graph, .arena = arena};
  uint32_t *counts = etr_arena_alloc_array(arena, graph->node_count, sizeof *counts);
  if (!counts || !find_used_results(&fx))
    return NULL;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    counts[i] = node->subgraph == ETR_NONE;
    for (uint32_t k = 0; counts[i] && has_getitems(node) && k < node->output_count; k++)
      counts[i] += fx.getitem_of[fx.first_output[i] + k] == USED;
  }
  return counts;
}

/* Adds a vertex without a place in the order, and returns its index. */
static uint32_t add_vertex(etr_fx_graph *fx, uint32_t node, uint32_t output) {
  uint32_t vertex = (uint32_t)fx->vertex_count++;
  fx->positions[vertex] = fx->next_position++;
  fx->vertices[vertex] = (etr_fx_vertex){
      .node = node, .output = output, .first_input = (uint32_t)fx->input_pool.count};
  return vertex;
}

/* Adds a producer to a vertex unless the vertex has it already. Returns false when out of
 * memory. */
static bool add_input(etr_fx_graph *fx, uint32_t vertex, uint32_t producer) {
  if (fx->stamps[producer] == fx->stamp)
    return true;
  fx->stamps[producer] = fx->stamp;
  uint32_t *slot = etr_vec_push(fx->arena, &fx->input_pool);
  if (slot)
    *slot = producer;
  fx->vertices[vertex].input_count++;
  return slot != NULL;
}

/* Returns the vertex that an edge comes from: the getitem of that output where the node has
 * getitems, else the vertex of the node. */
static uint32_t vertex_of_edge(const etr_fx_graph *fx, const etr_edge *edge) {
  uint32_t vertex = fx->vertex_of[edge->node];
  bool is_result = vertex != ETR_NONE && has_getitems(&fx->graph->nodes[edge->node]);
  return is_result ? fx->getitem_of[fx->first_output[edge->node] + edge->output] : vertex;
}

/* Returns true for the operators in legalize_graph's PRIORITIZED_OPS: Python's operators on
 * symbolic numbers, and torch's own assertions. */
static bool is_prioritized(const etr_node *node) {
  static const char *const operators[] = {
      "_operator.add", "_operator.mul",     "_operator.sub", "_operator.floordiv",
      "_operator.mod", "_operator.truediv", "_operator.le",  "_operator.lt",
      "_operator.ge",  "_operator.gt",      "_operator.eq",  "_operator.ne"};
  static const char *const own[] = {
      "aten.sym_constrain_range.default", "aten.sym_constrain_range_for_size.default",
      "aten._assert_async.msg", "aten.scalar_tensor.default", "aten._assert_scalar.default"};
  etr_slice target = etr_slice_of(node->target);
  if (etr_operator_is_one_of(target, operators, ETR_COUNT(operators)))
    return true;
  /* operators of the Edge dialect with these names are not prioritized */
  return strcmp(node->op_type, node->target) != 0 &&
         etr_operator_is_one_of(target, own, ETR_COUNT(own));
}

/* Adds the vertex of a node and of each getitem that uses one of its outputs. Returns false when
 * out of memory. */
static bool add_node_vertices(etr_fx_graph *fx, uint32_t index) {
  const etr_node *node = &fx->graph->nodes[index];
  uint32_t vertex = fx->vertex_of[index] = add_vertex(fx, index, ETR_NONE);
  fx->vertices[vertex].is_prioritized = is_prioritized(node);
  fx->stamp++;
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t producer = vertex_of_edge(fx, &node->inputs[i]);
    if (producer != ETR_NONE && producer < vertex && !add_input(fx, vertex, producer))
      return false;
  }
  for (uint32_t i = 0; has_getitems(node) && i < node->output_count; i++) {
    uint32_t *getitem = &fx->getitem_of[fx->first_output[index] + i];
    if (*getitem != USED)
      continue;
    fx->stamp++;
    *getitem = add_vertex(fx, index, i);
    if (!add_input(fx, *getitem, vertex))
      return false;
  }
  return true;
}

/* Returns the largest number of slots: two for each vertex, and one for each vertex that is added.
 */
static size_t most_slots(const etr_fx_graph *fx) {
  return 3 * fx->vertex_capacity;
}

/* Allocates all lists of the graph. Returns false when out of memory. */
static bool allocate_lists(etr_fx_graph *fx) {
  fx->vertices = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->vertices);
  fx->order = etr_arena_alloc_array(fx->arena, most_slots(fx), sizeof *fx->order);
  fx->user_starts = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->user_starts);
  fx->user_room = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->user_room);
  fx->positions = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->positions);
  fx->is_gone = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->is_gone);
  fx->waiting = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->waiting);
  fx->user_counts = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->user_counts);
  fx->sorted = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->sorted);
  fx->met_by = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->met_by);
  fx->sorted_by = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->sorted_by);
  fx->queue = etr_arena_alloc_array(fx->arena, 2 * fx->vertex_capacity, sizeof *fx->queue);
  fx->stamps = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->stamps);
  fx->vertex_of = etr_arena_alloc_array(fx->arena, fx->graph->node_count, sizeof *fx->vertex_of);
  return !etr_arena_failed(fx->arena);
}

/* ---- Users ---- */

/* Lists the users of each vertex in the order of the graph. Returns false when out of memory. */
static bool find_users(etr_fx_graph *fx) {
  uint32_t start = 0;
  fx->users.count = 0;
  for (size_t i = 0; i < fx->input_pool.count; i++)
    if (!etr_vec_push(fx->arena, &fx->users))
      return false;
  for (size_t i = 0; i < fx->input_pool.count; i++)
    fx->user_room[fx->input_pool.data[i]]++;
  for (uint32_t v = 0; v < fx->vertex_count; v++) {
    fx->user_starts[v] = start;
    start += fx->user_room[v];
  }
  for (uint32_t v = 0; v < fx->vertex_count; v++) {
    const etr_fx_vertex *vertex = &fx->vertices[v];
    fx->order[fx->order_count++] = v;
    for (uint32_t k = 0; k < vertex->input_count; k++) {
      uint32_t producer = fx->input_pool.data[vertex->first_input + k];
      fx->users.data[fx->user_starts[producer] + fx->user_counts[producer]++] = v;
    }
  }
  return true;
}

/* Adds a user to a producer's list. A full list is moved to the end of `users` with twice the
 * capacity. Returns false when out of memory. */
static bool add_user(etr_fx_graph *fx, uint32_t producer, uint32_t user) {
  if (fx->user_counts[producer] == fx->user_room[producer]) {
    uint32_t start = (uint32_t)fx->users.count, room = 2 * fx->user_room[producer] + 2;
    for (uint32_t i = 0; i < room; i++)
      if (!etr_vec_push(fx->arena, &fx->users))
        return false;
    for (uint32_t i = 0; i < fx->user_counts[producer]; i++)
      fx->users.data[start + i] = fx->users.data[fx->user_starts[producer] + i];
    fx->user_starts[producer] = start;
    fx->user_room[producer] = room;
  }
  fx->users.data[fx->user_starts[producer] + fx->user_counts[producer]++] = user;
  return true;
}

/* Removes from a producer's users those that have this stamp. */
static void drop_users(etr_fx_graph *fx, uint32_t producer, uint32_t stamp) {
  uint32_t *users = &fx->users.data[fx->user_starts[producer]], kept = 0;
  for (uint32_t i = 0; i < fx->user_counts[producer]; i++)
    if (fx->stamps[users[i]] != stamp)
      users[kept++] = users[i];
  fx->user_counts[producer] = kept;
}

static uint32_t insertion_slot(const etr_fx_graph *fx, uint32_t user) {
  return user == fx->late_call ? (uint32_t)most_slots(fx) : fx->positions[user];
}

/* Adds the vertices of all nodes outside subgraphs, with room for each vertex to become a
 * delegate's result once. Returns false when out of memory. */
bool etr_fx_build(etr_fx_graph *out, const etr_graph *graph, size_t calls, etr_arena *arena) {
  /* each vertex becomes a delegate's result at most once */
  *out = (etr_fx_graph){.graph = graph,
                        .arena = arena,
                        .last_call = ETR_NONE,
                        .late_call = ETR_NONE,
                        .vertex_capacity = 2 * count_vertices(graph) + calls + 1};
  if (!allocate_lists(out) || !find_used_results(out))
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    out->vertex_of[i] = ETR_NONE;
    if (graph->nodes[i].subgraph == ETR_NONE && !add_node_vertices(out, i))
      return false;
  }
  return find_users(out) && !etr_arena_failed(arena);
}

/* ---- Replacing ---- */

/* Returns the slot of the last input of a vertex; before it the vertex does not affect sorting. */
static uint32_t slot_of_last_input(const etr_fx_graph *fx, uint32_t vertex) {
  const etr_fx_vertex *v = &fx->vertices[vertex];
  uint32_t last_slot = 0;
  for (uint32_t i = 0; i < v->input_count; i++)
    last_slot = ETR_MAX(last_slot, fx->positions[fx->input_pool.data[v->first_input + i]]);
  return last_slot;
}

/* Lets the users of a replaced vertex read a result of the call instead. Returns false when out
 * of memory. */
static bool redirect_users(etr_fx_graph *fx, uint32_t vertex, uint32_t call) {
  uint32_t result = add_vertex(fx, ETR_NONE, ETR_NONE),
           *slot = etr_vec_push(fx->arena, &fx->input_pool);
  if (!slot || !add_user(fx, call, result))
    return false;
  *slot = call;
  fx->vertices[result].input_count = 1;
  fx->user_starts[result] = fx->user_starts[vertex];
  fx->user_counts[result] = fx->user_counts[vertex];
  fx->user_room[result] = fx->user_counts[vertex];
  for (uint32_t i = 0; i < fx->user_counts[result]; i++) {
    uint32_t index = fx->users.data[fx->user_starts[result] + i];
    const etr_fx_vertex *user = &fx->vertices[index];
    fx->resume = ETR_MIN(fx->resume, fx->positions[index]);
    for (uint32_t k = 0; k < user->input_count; k++) {
      uint32_t *producer = &fx->input_pool.data[user->first_input + k];
      if (*producer == vertex)
        *producer = result;
    }
  }
  return true;
}

/* Takes the members out of the graph, which sorting then leaves out, and adds a call that reads
 * what they read and whose results are read instead of theirs. Returns the call's vertex;
 * ETR_NONE when out of memory. */
uint32_t etr_fx_replace(etr_fx_graph *fx, const uint32_t *members, size_t count) {
  uint32_t part_stamp = ++fx->stamp;
  fx->late_call = fx->last_call;
  fx->resume = fx->is_sorted ? (uint32_t)fx->order_count : 0;
  fx->next_position = (uint32_t)most_slots(fx) + 1;
  fx->last_gone = 0;
  for (size_t i = 0; i < count; i++) {
    fx->stamps[members[i]] = part_stamp;
    fx->is_gone[members[i]] = true;
    fx->last_gone = ETR_MAX(fx->last_gone, fx->positions[members[i]]);
  }
  uint32_t call = fx->last_call = add_vertex(fx, ETR_NONE, ETR_NONE);
  /* The call reads the inputs of the part that are outside it: vertices inside, and inputs that the
   * call already has, are stamped. */
  for (size_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < fx->vertices[members[i]].input_count; k++)
      if (!add_input(fx, call, fx->input_pool.data[fx->vertices[members[i]].first_input + k]))
        return ETR_NONE;
  const uint32_t *inputs = &fx->input_pool.data[fx->vertices[call].first_input];
  for (uint32_t k = 0; k < fx->vertices[call].input_count; k++)
    fx->stamps[inputs[k]] = 0;
  for (uint32_t k = 0; k < fx->vertices[call].input_count; k++) {
    drop_users(fx, inputs[k], part_stamp);
    if (!add_user(fx, inputs[k], call))
      return ETR_NONE;
  }
  fx->resume = ETR_MIN(fx->resume, slot_of_last_input(fx, call));
  for (size_t i = 0; i < count; i++) {
    drop_users(fx, members[i], part_stamp);
    if (fx->user_counts[members[i]] && !redirect_users(fx, members[i], call))
      return ETR_NONE;
  }
  return etr_arena_failed(fx->arena) ? ETR_NONE : call;
}

/* Removes the empty slots and those of vertices that are gone from the order. */
void etr_fx_compact(etr_fx_graph *fx) {
  size_t kept = 0;
  for (size_t i = 0; i < fx->order_count; i++) {
    if (fx->order[i] == ETR_NONE || fx->is_gone[fx->order[i]])
      continue;
    fx->positions[fx->order[i]] = (uint32_t)kept;
    fx->order[kept++] = fx->order[i];
  }
  fx->order_count = kept;
}

/* ---- Sorting ---- */

/* Returns whether only the nodes of its bodies have instructions: cond, map, scan. */
static bool has_bodies(const etr_node *node) {
  return strncmp(node->target, "higher_order.", 13) == 0 &&
         strcmp(node->target, "higher_order.executorch_call_delegate") != 0;
}

bool etr_fx_may_vanish(const etr_fx_graph *fx, uint32_t vertex) {
  const etr_node *node = etr_fx_node(fx, vertex);
  return !node || etr_fx_is_getitem(fx, vertex) || node->kind != ETR_NODE_OP || etr_is_view(node) ||
         !etr_has_tensor(node) || has_bodies(node);
}

/* State of one sort. Vertices before slot `from` keep their slots. */
typedef struct sorter {
  etr_fx_graph *fx;
  uint32_t number, from;
  uint32_t at;         /* all vertices in slots before this are sorted or gone */
  uint32_t unfilled;   /* sorted vertices whose old slot is not before `at` */
  uint32_t fresh;      /* vertices without a slot that are not sorted yet */
  uint32_t first, end; /* bounds of the queue */
  uint32_t count,
      next_check; /* sorted vertices; the number of them at which the queue is checked again */
} sorter;

static bool is_fresh(const etr_fx_graph *fx, uint32_t vertex) {
  return fx->positions[vertex] > most_slots(fx);
}

/* Counts the inputs for which a vertex waits. Returns whether it has a fresh vertex as input. */
static bool count_waiting(sorter *s, uint32_t vertex) {
  const etr_fx_vertex *v = &s->fx->vertices[vertex];
  const uint32_t *inputs = &s->fx->input_pool.data[v->first_input];
  bool reads_fresh = false;
  s->fx->met_by[vertex] = s->number;
  s->fx->waiting[vertex] = 0;
  for (uint32_t i = 0; i < v->input_count; i++) {
    s->fx->waiting[vertex] += s->fx->positions[inputs[i]] >= s->from &&
                              s->fx->sorted_by[inputs[i]] != s->number;
    reads_fresh |= is_fresh(s->fx, inputs[i]);
  }
  return reads_fresh;
}

static void enqueue_if_ready(sorter *s, uint32_t vertex) {
  if (s->fx->waiting[vertex] == 0)
    s->fx->queue[s->end++] = vertex;
}

/* Fills the queue with the vertices from slot `from` on that wait for nothing. In a sorted order
 * they precede all vertices that wait, except for prioritized vertices and for vertices that now
 * read results of the call. */
static void start_queue(sorter *s) {
  etr_fx_graph *fx = s->fx;
  for (uint32_t i = s->from; i < fx->order_count; i++) {
    uint32_t vertex = fx->order[i];
    fx->steps++;
    if (vertex == ETR_NONE || fx->is_gone[vertex])
      continue;
    bool reads_fresh = count_waiting(s, vertex);
    enqueue_if_ready(s, vertex);
    if (fx->is_sorted && fx->waiting[vertex] && !reads_fresh &&
        !fx->vertices[vertex].is_prioritized)
      break;
  }
  for (uint32_t vertex = fx->last_call; vertex < fx->vertex_count; vertex++) {
    s->fresh++;
    count_waiting(s, vertex);
    enqueue_if_ready(s, vertex);
  }
}

/* Moves `at` past all vertices that are sorted or gone, up to the first one that is not. */
static void pass_sorted_slots(sorter *s) {
  const etr_fx_graph *fx = s->fx;
  for (; s->at < fx->order_count; s->at++) {
    uint32_t vertex = fx->order[s->at];
    if (vertex == ETR_NONE || fx->is_gone[vertex])
      continue;
    if (fx->sorted_by[vertex] != s->number)
      return;
    s->unfilled--;
  }
}

/* Takes the next vertex from the queue, as the stable sort of torch's graph passes does, and queues
 * the users that are ready. */
static void sort_next_vertex(sorter *s) {
  etr_fx_graph *fx = s->fx;
  uint32_t vertex = fx->queue[s->first++];
  fx->sorted[s->count++] = vertex;
  fx->sorted_by[vertex] = s->number;
  *(is_fresh(fx, vertex) ? &s->fresh : &s->unfilled) += is_fresh(fx, vertex) ? UINT32_MAX : 1;
  /* Sorts the users by the order in which they became users, which hardly changes from one sort to
   * the next. */
  uint32_t *users = &fx->users.data[fx->user_starts[vertex]];
  for (uint32_t i = 1; i < fx->user_counts[vertex]; i++) {
    uint32_t user = users[i], k = i;
    for (; k > 0 && insertion_slot(fx, users[k - 1]) > insertion_slot(fx, user); k--)
      users[k] = users[k - 1];
    users[k] = user;
  }
  for (uint32_t i = 0; i < fx->user_counts[vertex]; i++) {
    uint32_t user = fx->users.data[fx->user_starts[vertex] + i];
    if (fx->met_by[user] != s->number)
      count_waiting(s, user);
    else
      fx->waiting[user]--;
    if (fx->vertices[user].is_prioritized && fx->waiting[user] == 0)
      fx->queue[--s->first] = user;
    else
      enqueue_if_ready(s, user);
  }
  pass_sorted_slots(s);
}

/* Returns whether the vertices in the queue have the same order as before, so that sorting would
 * continue as before. After a failed check the next one waits until the queue can have changed
 * enough. */
static bool queue_is_as_before(sorter *s) {
  if (s->count < s->next_check)
    return false;
  for (uint32_t i = s->first + 1; i < s->end; i++) {
    if (s->fx->positions[s->fx->queue[i - 1]] < s->fx->positions[s->fx->queue[i]])
      continue;
    s->next_check = s->count + (i - s->first);
    return false;
  }
  return true;
}

/* Returns whether the remaining vertices are already in sorted order, and the sorted ones have
 * enough slots before them. */
static bool is_settled(sorter *s) {
  const etr_fx_graph *fx = s->fx;
  return fx->is_sorted && s->unfilled == 0 && s->fresh == 0 && s->at > fx->last_gone &&
         s->count <= s->at - s->from && queue_is_as_before(s);
}

/* Assigns slots to the sorted vertices. At the end of the order each gets a second, empty slot for
 * vertices that may be added. */
static void assign_slots(sorter *s) {
  etr_fx_graph *fx = s->fx;
  bool is_rest = s->at == fx->order_count;
  uint32_t step = is_rest && s->from + 2 * s->count <= 2 * fx->vertex_capacity ? 2 : 1;
  if (is_rest)
    fx->order_count = s->at = s->from + step * s->count;
  for (uint32_t i = s->from; i < s->at; i++)
    fx->order[i] = ETR_NONE;
  for (uint32_t i = 0; i < s->count; i++) {
    fx->positions[fx->sorted[i]] = s->from + step * i;
    fx->order[s->from + step * i] = fx->sorted[i];
  }
}

/* Sorts the vertices from slot `resume` on, until the queue is as it was before. Returns false if
 * some vertices wait for each other. */
bool etr_fx_sort(etr_fx_graph *fx) {
  uint32_t middle = (uint32_t)fx->vertex_capacity;
  sorter s = {.fx = fx,
              .number = ++fx->sort_count,
              .from = fx->resume,
              .at = fx->resume,
              .first = middle,
              .end = middle};
  start_queue(&s);
  pass_sorted_slots(&s);
  while (s.first < s.end && !is_settled(&s))
    sort_next_vertex(&s);
  bool is_whole = s.unfilled == 0 && s.fresh == 0 && (s.first < s.end || s.at == fx->order_count);
  if (!is_whole)
    return false;
  fx->steps += s.at - s.from + s.count;
  assign_slots(&s);
  fx->is_sorted = true;
  return true;
}
