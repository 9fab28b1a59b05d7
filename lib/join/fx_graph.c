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

/* Returns the largest number of vertices that a graph can have: one for each node, and a getitem
 * for each result, used or not. */
static size_t count_most_vertices(const etr_graph *graph) {
  size_t count = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    count += 1 + (has_getitems(&graph->nodes[i]) ? graph->nodes[i].output_count : 0);
  return count;
}

/* Numbers the results of all nodes and marks in getitem_of those that a node reads, because FX has
 * no getitem for others. Returns false when out of memory. */
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

/* Counts only results that a node reads. */
uint32_t *etr_fx_count_vertices(const etr_graph *graph, etr_arena *arena) {
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

/* Adds a vertex: for a node of the file, or for one of its results (`output`; ETR_NONE: the node
 * itself); `node` is ETR_NONE for a call and its results. Returns its index. Its position is the
 * next number: while the graph is built that is its slot in the order; later it is a number beyond
 * all slots, because only sorting gives it a slot. */
static uint32_t add_vertex(etr_fx_graph *fx, uint32_t node, uint32_t output) {
  uint32_t vertex = (uint32_t)fx->vertex_count++;
  fx->positions[vertex] = fx->next_position++;
  fx->vertices[vertex] = (etr_fx_vertex){
      .node = node, .output = output, .first_input = (uint32_t)fx->input_pool.count};
  return vertex;
}

/* Adds a producer to the inputs of a vertex, unless the producer has the current stamp: it is an
 * input already. Returns false when out of memory. */
static bool add_input_once(etr_fx_graph *fx, uint32_t vertex, uint32_t producer) {
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
  /* Operators of the Edge dialect, whose op_type is the target, are not prioritized. */
  return strcmp(node->op_type, node->target) != 0 &&
         etr_operator_is_one_of(target, own, ETR_COUNT(own));
}

/* Adds the vertex of a node and of each getitem that uses one of its outputs. A producer that has
 * no earlier vertex, because it is in a nested graph, is no input. Returns false when out of
 * memory. */
static bool add_node_vertices(etr_fx_graph *fx, uint32_t index) {
  const etr_node *node = &fx->graph->nodes[index];
  uint32_t vertex = fx->vertex_of[index] = add_vertex(fx, index, ETR_NONE);
  fx->vertices[vertex].is_prioritized = is_prioritized(node);
  fx->stamp++;
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t producer = vertex_of_edge(fx, &node->inputs[i]);
    bool is_before = producer != ETR_NONE && producer < vertex;
    if (is_before && !add_input_once(fx, vertex, producer))
      return false;
  }
  for (uint32_t i = 0; has_getitems(node) && i < node->output_count; i++) {
    uint32_t *getitem = &fx->getitem_of[fx->first_output[index] + i];
    if (*getitem != USED)
      continue;
    fx->stamp++;
    *getitem = add_vertex(fx, index, i);
    if (!add_input_once(fx, *getitem, vertex))
      return false;
  }
  return true;
}

/* Returns the largest number of slots: two for each vertex, and one for each vertex that is added.
 */
static size_t most_slots(const etr_fx_graph *fx) {
  return 3 * fx->vertex_capacity;
}

/* Allocates all lists of the graph. The queue has room for twice the vertices, because it grows at
 * both ends. Returns false when out of memory. */
static bool allocate_lists(etr_fx_graph *fx) {
  fx->vertices = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->vertices);
  fx->order = etr_arena_alloc_array(fx->arena, most_slots(fx), sizeof *fx->order);
  fx->user_starts = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->user_starts);
  fx->user_room = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->user_room);
  fx->positions = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->positions);
  fx->is_gone = etr_arena_alloc_array(fx->arena, fx->vertex_capacity, sizeof *fx->is_gone);
  fx->unsorted_inputs = etr_arena_alloc_array(fx->arena, fx->vertex_capacity,
                                              sizeof *fx->unsorted_inputs);
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

/* Lists the users of each vertex in the order of the graph, and fills fx->order with all vertices
 * in that order. Returns false when out of memory. */
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

/* Removes from a producer's users those that have this stamp: the vertices that a call replaces. */
static void drop_stamped_users(etr_fx_graph *fx, uint32_t producer, uint32_t stamp) {
  uint32_t *users = &fx->users.data[fx->user_starts[producer]], kept = 0;
  for (uint32_t i = 0; i < fx->user_counts[producer]; i++)
    if (fx->stamps[users[i]] != stamp)
      users[kept++] = users[i];
  fx->user_counts[producer] = kept;
}

static uint32_t insertion_slot(const etr_fx_graph *fx, uint32_t user) {
  return user == fx->late_call ? (uint32_t)most_slots(fx) : fx->positions[user];
}

/* Adds the vertices of all nodes outside subgraphs. */
bool etr_fx_build(etr_fx_graph *out, const etr_graph *graph, size_t calls, etr_arena *arena) {
  /* each vertex becomes a delegate's result at most once */
  *out = (etr_fx_graph){.graph = graph,
                        .arena = arena,
                        .last_call = ETR_NONE,
                        .late_call = ETR_NONE,
                        .vertex_capacity = 2 * count_most_vertices(graph) + calls + 1};
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

/* Returns the last slot among the inputs of a vertex. A vertex is sorted after its inputs, so the
 * slots before this one stay as they are. */
static uint32_t slot_of_last_input(const etr_fx_graph *fx, uint32_t vertex) {
  const etr_fx_vertex *v = &fx->vertices[vertex];
  uint32_t last_slot = 0;
  for (uint32_t i = 0; i < v->input_count; i++)
    last_slot = ETR_MAX(last_slot, fx->positions[fx->input_pool.data[v->first_input + i]]);
  return last_slot;
}

/* Adds a vertex for a result of a call, and makes it the input of all users of a replaced vertex.
 * Sorting must start again at the first of these users. Returns false when out of memory. */
static bool redirect_users(etr_fx_graph *fx, uint32_t vertex, uint32_t call) {
  uint32_t result = add_vertex(fx, ETR_NONE, ETR_NONE),
           *input = etr_vec_push(fx->arena, &fx->input_pool);
  if (!input || !add_user(fx, call, result))
    return false;
  *input = call;
  fx->vertices[result].input_count = 1;
  fx->user_starts[result] = fx->user_starts[vertex];
  fx->user_counts[result] = fx->user_counts[vertex];
  fx->user_room[result] = fx->user_counts[vertex];
  for (uint32_t i = 0; i < fx->user_counts[result]; i++) {
    uint32_t index = fx->users.data[fx->user_starts[result] + i];
    const etr_fx_vertex *user = &fx->vertices[index];
    fx->first_to_sort = ETR_MIN(fx->first_to_sort, fx->positions[index]);
    for (uint32_t k = 0; k < user->input_count; k++) {
      uint32_t *producer = &fx->input_pool.data[user->first_input + k];
      if (*producer == vertex)
        *producer = result;
    }
  }
  return true;
}

/* Takes the members out of the graph, which sorting then leaves out, and adds a call that reads
 * what they read and whose results are read instead of theirs. Returns the call's vertex; ETR_NONE
 * when out of memory. */
uint32_t etr_fx_replace(etr_fx_graph *fx, const uint32_t *members, size_t count) {
  uint32_t member_stamp = ++fx->stamp;
  fx->late_call = fx->last_call;
  fx->first_to_sort = fx->is_sorted ? (uint32_t)fx->order_count : 0;
  fx->next_position = (uint32_t)most_slots(fx) + 1;
  fx->last_gone = 0;
  for (size_t i = 0; i < count; i++) {
    fx->stamps[members[i]] = member_stamp;
    fx->is_gone[members[i]] = true;
    fx->last_gone = ETR_MAX(fx->last_gone, fx->positions[members[i]]);
  }
  uint32_t call = fx->last_call = add_vertex(fx, ETR_NONE, ETR_NONE);
  /* The call reads the inputs of the members that are no members: members, and inputs that the call
   * already has, are stamped. */
  for (size_t i = 0; i < count; i++) {
    const etr_fx_vertex *member = &fx->vertices[members[i]];
    for (uint32_t k = 0; k < member->input_count; k++)
      if (!add_input_once(fx, call, fx->input_pool.data[member->first_input + k]))
        return ETR_NONE;
  }
  const uint32_t *inputs = &fx->input_pool.data[fx->vertices[call].first_input];
  for (uint32_t k = 0; k < fx->vertices[call].input_count; k++)
    fx->stamps[inputs[k]] = 0;
  for (uint32_t k = 0; k < fx->vertices[call].input_count; k++) {
    drop_stamped_users(fx, inputs[k], member_stamp);
    if (!add_user(fx, inputs[k], call))
      return ETR_NONE;
  }
  fx->first_to_sort = ETR_MIN(fx->first_to_sort, slot_of_last_input(fx, call));
  for (size_t i = 0; i < count; i++) {
    drop_stamped_users(fx, members[i], member_stamp);
    if (fx->user_counts[members[i]] && !redirect_users(fx, members[i], call))
      return ETR_NONE;
  }
  return etr_arena_failed(fx->arena) ? ETR_NONE : call;
}

/* Also removes empty slots. */
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

/* Returns whether a node is a cond, map or scan, so that the nodes of its bodies have instructions
 * and it has none. */
static bool has_bodies(const etr_node *node) {
  return strncmp(node->target, "higher_order.", 13) == 0 &&
         strcmp(node->target, "higher_order.executorch_call_delegate") != 0;
}

bool etr_fx_may_vanish(const etr_fx_graph *fx, uint32_t vertex) {
  const etr_node *node = etr_fx_node(fx, vertex);
  return !node || etr_fx_is_getitem(fx, vertex) || node->kind != ETR_NODE_OP || etr_is_view(node) ||
         !etr_has_tensor(node) || has_bodies(node) || etr_is_functionalized(node);
}

/* State of one sort. Vertices before slot `from` keep their slots. */
typedef struct sorter {
  etr_fx_graph *fx;
  uint32_t number, from;
  uint32_t next_slot;  /* all vertices in slots before this are sorted or gone */
  uint32_t unfilled;   /* number of sorted vertices whose old slot is not before `next_slot` */
  uint32_t new_count;  /* number of vertices without a slot that are not sorted yet */
  uint32_t first, end; /* bounds of the queue */
  uint32_t count,
      next_check; /* sorted vertices; the number of them at which the queue is checked again */
} sorter;

/* Returns whether a vertex has no slot, because it was added after the last sort. */
static bool is_new(const etr_fx_graph *fx, uint32_t vertex) {
  return fx->positions[vertex] > most_slots(fx);
}

/* Sets the number of inputs of a vertex that are not sorted yet. Returns whether it reads a vertex
 * that was added after the last sort. */
static bool count_unsorted_inputs(sorter *s, uint32_t vertex) {
  const etr_fx_vertex *v = &s->fx->vertices[vertex];
  const uint32_t *inputs = &s->fx->input_pool.data[v->first_input];
  bool reads_new = false;
  s->fx->met_by[vertex] = s->number;
  s->fx->unsorted_inputs[vertex] = 0;
  for (uint32_t i = 0; i < v->input_count; i++) {
    bool is_kept = s->fx->positions[inputs[i]] < s->from;
    bool is_sorted = s->fx->sorted_by[inputs[i]] == s->number;
    s->fx->unsorted_inputs[vertex] += !is_kept && !is_sorted;
    reads_new |= is_new(s->fx, inputs[i]);
  }
  return reads_new;
}

static void enqueue_if_ready(sorter *s, uint32_t vertex) {
  if (s->fx->unsorted_inputs[vertex] == 0)
    s->fx->queue[s->end++] = vertex;
}

/* Fills the queue with the vertices from slot `from` on that have no unsorted inputs. In a sorted
 * order they precede all others, except for prioritized vertices and for vertices that now read
 * results of the call: so the first other vertex ends the search. Vertices that the last call added
 * have no slots yet and are looked at afterwards. */
static void fill_queue(sorter *s) {
  etr_fx_graph *fx = s->fx;
  for (uint32_t i = s->from; i < fx->order_count; i++) {
    uint32_t vertex = fx->order[i];
    fx->steps++;
    if (vertex == ETR_NONE || fx->is_gone[vertex])
      continue;
    bool reads_new = count_unsorted_inputs(s, vertex);
    enqueue_if_ready(s, vertex);
    bool is_exception = reads_new || fx->vertices[vertex].is_prioritized;
    if (fx->is_sorted && fx->unsorted_inputs[vertex] && !is_exception)
      break;
  }
  for (uint32_t vertex = fx->last_call; vertex < fx->vertex_count; vertex++) {
    s->new_count++;
    count_unsorted_inputs(s, vertex);
    enqueue_if_ready(s, vertex);
  }
}

/* Moves `next_slot` past all slots whose vertices are sorted or gone, up to the first one that is
 * not. */
static void pass_sorted_slots(sorter *s) {
  const etr_fx_graph *fx = s->fx;
  for (; s->next_slot < fx->order_count; s->next_slot++) {
    uint32_t vertex = fx->order[s->next_slot];
    if (vertex == ETR_NONE || fx->is_gone[vertex])
      continue;
    if (fx->sorted_by[vertex] != s->number)
      return;
    s->unfilled--;
  }
}

/* Takes the next vertex from the queue, as the stable sort of torch's graph passes does, and queues
 * its users that have no other unsorted input: prioritized ones at the front, others at the end. */
static void sort_next_vertex(sorter *s) {
  etr_fx_graph *fx = s->fx;
  uint32_t vertex = fx->queue[s->first++];
  fx->sorted[s->count++] = vertex;
  fx->sorted_by[vertex] = s->number;
  if (is_new(fx, vertex))
    s->new_count--;
  else
    s->unfilled++;
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
      count_unsorted_inputs(s, user);
    else
      fx->unsorted_inputs[user]--;
    if (fx->vertices[user].is_prioritized && fx->unsorted_inputs[user] == 0)
      fx->queue[--s->first] = user;
    else
      enqueue_if_ready(s, user);
  }
  pass_sorted_slots(s);
}

/* Returns whether the vertices in the queue are in the order of the last sort, so that sorting
 * would continue as then. After a failed check the next one waits until as many vertices have left
 * the queue as are before the one that was out of order. */
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

/* Returns whether sorting may stop, because all further vertices are in sorted order already: the
 * sorted vertices are those that had the slots before `next_slot`, those slots hold them all,
 * nothing behind was replaced, and the queue is as it was. */
static bool is_settled(sorter *s) {
  const etr_fx_graph *fx = s->fx;
  bool are_same_vertices = s->unfilled == 0 && s->new_count == 0;
  bool have_slots = s->count <= s->next_slot - s->from;
  return fx->is_sorted && are_same_vertices && s->next_slot > fx->last_gone && have_slots &&
         queue_is_as_before(s);
}

/* Assigns the slots from `from` on to the sorted vertices. If these are all up to the end of the
 * order, each also gets an empty slot behind it, while there is room: a later sort can then place
 * vertices that are added without moving those behind them. */
static void assign_slots(sorter *s) {
  etr_fx_graph *fx = s->fx;
  bool is_to_end = s->next_slot == fx->order_count;
  bool has_room = s->from + 2 * s->count <= 2 * fx->vertex_capacity;
  uint32_t step = is_to_end && has_room ? 2 : 1;
  if (is_to_end)
    fx->order_count = s->next_slot = s->from + step * s->count;
  for (uint32_t i = s->from; i < s->next_slot; i++)
    fx->order[i] = ETR_NONE;
  for (uint32_t i = 0; i < s->count; i++) {
    fx->positions[fx->sorted[i]] = s->from + step * i;
    fx->order[s->from + step * i] = fx->sorted[i];
  }
}

/* Sorts the vertices from slot `first_to_sort` on, until the queue is as it was before. The queue
 * starts in the middle of its memory, because it grows at both ends. */
bool etr_fx_sort(etr_fx_graph *fx) {
  uint32_t middle = (uint32_t)fx->vertex_capacity;
  sorter s = {.fx = fx,
              .number = ++fx->sort_count,
              .from = fx->first_to_sort,
              .next_slot = fx->first_to_sort,
              .first = middle,
              .end = middle};
  fill_queue(&s);
  pass_sorted_slots(&s);
  while (s.first < s.end && !is_settled(&s))
    sort_next_vertex(&s);
  bool is_everything_sorted = s.first < s.end || s.next_slot == fx->order_count;
  if (s.unfilled || s.new_count || !is_everything_sorted)
    return false;
  fx->steps += s.next_slot - s.from + s.count;
  assign_slots(&s);
  fx->is_sorted = true;
  return true;
}
