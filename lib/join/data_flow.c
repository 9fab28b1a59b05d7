/* SPDX-License-Identifier: BSD-3-Clause
 *
 * data_flow.c - follows the values of the program as values of the graph.
 */
#include "join/data_flow.h"

#include "backends/backends.h"
#include "inputs/uses.h"
#include "join/candidates.h"
#include "join/lowering.h"

/* ---- Missing debug handles: the node of an operator without a handle in its payload ---- */

/* A lowering that makes a new node from others (a linear layer from `addmm`) loses the debug
 * handle. Other evidence remains: the delegate lists the handles of all its nodes, the operator
 * reads what the node reads, and its result has the node's shape. If several nodes match, the next
 * in the order of the lowering is chosen. Fixtures: attention_addmm, resnext_pre, bn_unfused. */

/* The search for the nodes of a method's operators without a handle. */
typedef struct missing_handles missing_handles;

/* A node whose handle the lowering loses. */
typedef struct held_node {
  uint32_t rank, node;
} held_node;

struct missing_handles {
  const etr_placement *placement;
  const etr_lowering *lowering;
  const etr_assignment *assignment;
  etr_arena *arena;
  const etr_placed *call; /* the call that is examined */
  const etr_backend *backend;
  const etr_payload *payload;
  etr_vec(held_node) held; /* nodes of the call whose debug handles are missing, by rank */
  bool is_listed;          /* held is filled */
  bool *had_equal;         /* per node: another node was an equally good candidate at some point */
  size_t budget; /* steps left: calls may share lists of handles, and handles their nodes */
  bool is_cut;
};

enum { BUDGET = 1 << 22 }; /* limit in steps: calls may share payloads and lists of handles */

/* Creates the search for all calls of a method; it borrows all arguments. Returns NULL when out of
 * memory. */
static missing_handles *new_missing_handles(const etr_placement *placement,
                                            const etr_lowering *lowering,
                                            const etr_assignment *assignment, etr_arena *arena) {
  missing_handles *search = etr_arena_alloc(arena, sizeof *search);
  if (!search)
    return NULL;
  *search = (missing_handles){.placement = placement,
                              .lowering = lowering,
                              .assignment = assignment,
                              .arena = arena,
                              .budget = BUDGET};
  search->had_equal = etr_arena_alloc_array(arena, placement->method->graph->node_count,
                                            sizeof *search->had_equal);
  return search->had_equal ? search : NULL;
}

static bool spend(missing_handles *l, size_t steps) {
  bool enough = etr_spend(&l->budget, steps);
  l->is_cut |= !enough;
  return enough;
}

/* ---- The nodes of a call ---- */

static etr_handle_loss loss_of(const missing_handles *l, uint32_t node) {
  const etr_method_inputs *method = l->placement->method;
  return l->backend->loses_handle(method->graph, method->uses, &method->graph->nodes[node]);
}

/* Adds a node whose handle is the list's entry `entry`, if a lowering may have removed the node's
 * handle. If the order is proven, it says which nodes the delegate contains, and where; else the
 * list does, because it follows the delegate's nodes. */
static void append_held_node(missing_handles *l, uint32_t node, uint32_t entry) {
  bool is_elsewhere = l->lowering->is_proven && l->lowering->delegate_of[node] != l->call->id;
  if (is_elsewhere || loss_of(l, node) == ETR_KEEPS_HANDLE)
    return;
  held_node *added = etr_vec_push(l->arena, &l->held);
  if (added)
    *added = (held_node){l->lowering->is_proven ? etr_assignment_rank(l->assignment, node) : entry,
                         node};
}

/* Lists the nodes whose handles are in the call's list, for operators that have no handle of
 * their own. They are sorted by the index of their handle in that list, or by rank if the order
 * is proven. */
static void list_held_nodes(missing_handles *l) {
  const etr_method_inputs *method = l->placement->method;
  const etr_map_instruction *map = l->call->map;
  etr_map seen; /* a list has a handle once for each of its nodes */
  etr_map_init(&seen, l->arena);
  l->held.count = 0;
  l->is_listed = true;
  for (size_t i = 0; i < map->handle_count; i++) {
    etr_map_slot *slot = etr_map_at(&seen, ETR_BYTES(map->handles[i]));
    bool is_new = slot && slot->value == ETR_NONE;
    if (is_new)
      slot->value = 1;
    for (size_t entry = etr_method_first_of_handle(method, map->handles[i]);
         is_new && entry < method->by_handle_count &&
         method->by_handle[entry].handle == map->handles[i] && spend(l, 1);
         entry++)
      append_held_node(l, method->by_handle[entry].node, (uint32_t)i);
  }
  etr_sort(l->held.data, l->held.count, sizeof *l->held.data, etr_by_two_numbers);
}

/* ---- The choice ---- */

/* Products have two dimensions; the linear layer that is made from them keeps all dimensions before
 * the last. */
static bool agrees_with(const etr_payload_value *result, const etr_node *node) {
  uint64_t mark = node->output_count ? etr_value_shape_hash(&node->outputs[0]) : 0;
  return !result || !mark || !result->shape || mark == result->shape || mark == result->rows_shape;
}

/* Returns the first input of a node that is no weight, because a bias may come before it;
 * ETR_NONE if there is none. */
static uint32_t first_value_read(const etr_graph_values *values, const etr_node *node) {
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t value = etr_value_of_edge(values, &node->inputs[i]);
    if (!values->constant[value])
      return value;
  }
  return ETR_NONE;
}

/* Returns how a node loses its handle, if the node may be the operator's: more certain ways are
 * greater. ETR_KEEPS_HANDLE says that it may not. */
static etr_handle_loss loss_as_operator(const missing_handles *l, uint32_t node,
                                        const etr_payload_operator *operator_, uint32_t read) {
  const etr_graph_values *values = l->assignment->values;
  const etr_node *n = &values->graph->nodes[node];
  const etr_payload_value *result = operator_->whole == ETR_NONE
                                        ? NULL
                                        : &l->payload->values[operator_->whole];
  if (l->assignment->taken[node] ||
      l->backend->class_of_node(values->graph, n) != operator_->class_ || !agrees_with(result, n))
    return ETR_KEEPS_HANDLE;
  uint32_t own = first_value_read(values, n);
  bool reads_it = read == ETR_NONE ||
                  (own != ETR_NONE && values->source[own] == values->source[read]);
  return reads_it ? loss_of(l, node) : ETR_KEEPS_HANDLE;
}

/* Returns the node of the call's operator `index`; ETR_NONE if there is none. `read` is the graph's
 * value that is the operator's first input; ETR_NONE if unknown. Sets *equal_candidates if other
 * nodes match equally well, so that order decided: the assignment's rank, or graph order. */
static uint32_t choose_missing_handle(missing_handles *l, uint32_t index, uint32_t read,
                                      bool *equal_candidates) {
  const etr_payload_operator *operator_ = &l->payload->operators[index];
  etr_handle_loss best = ETR_KEEPS_HANDLE;
  uint32_t found = ETR_NONE;
  *equal_candidates = false;
  if (!(l->backend->traits(operator_->class_) & ETR_CLASS_COMPUTES))
    return ETR_NONE;
  if (!l->is_listed)
    list_held_nodes(l);
  if (!spend(l, l->held.count))
    return ETR_NONE;
  for (size_t i = 0; i < l->held.count; i++) {
    etr_handle_loss loss = loss_as_operator(l, l->held.data[i].node, operator_, read);
    uint32_t node = l->held.data[i].node;
    if (loss == ETR_KEEPS_HANDLE || loss < best)
      continue;
    if (loss == best)
      l->had_equal[node] = l->had_equal[found] = true;
    if (loss > best)
      found = node;
    best = loss;
  }
  *equal_candidates = found != ETR_NONE && l->had_equal[found];
  if (*equal_candidates)
    etr_assignment_mark_uncertain(l->assignment, found);
  return found;
}

/* ---- Values of the program as values of the graph ---- */

/* Origins of values of a program or a payload that are not computed values of the graph. */
enum { UNKNOWN = UINT32_MAX, WEIGHT = UINT32_MAX - 1 };

typedef struct flow {
  etr_placement *placement;
  const etr_pte_method *program;
  const etr_lowering *lowering;
  const uint32_t *rank; /* rank of the order; NULL: it is not proven */
  bool *taken;
  etr_assignment assignment;
  etr_arena *arena, *scratch;
  etr_graph_values values;
  etr_candidates *kernels;
  const etr_backend *backend; /* whose classes `delegated` has */
  etr_candidates *delegated;
  uint32_t *origin; /* per value of the program: value of the graph, UNKNOWN or WEIGHT */
  etr_storages storages;
  etr_vec(uint32_t) inputs; /* inputs of the current operator */
  size_t budget;            /* steps left for reading payloads, which several delegates can share */
  missing_handles *missing;
  etr_uses uses;         /* uses of the current instruction */
  uint32_t *returned_as; /* per value of the graph: its owner's result, if a body returns it; else
                            itself */
} flow;

/* ---- Values of the program ---- */

static void write_tensor(flow *f, int32_t index, uint32_t origin) {
  if (!etr_tensor_at(f->program, index))
    return;
  f->origin[index] = origin;
  etr_storages_write(&f->storages, index);
}

/* Returns the value of the graph that a value of the program is, or WEIGHT or UNKNOWN. A view has
 * the origin of what it views. */
static uint32_t origin_of_value(flow *f, int32_t index) {
  const etr_pte_value *tensor = etr_tensor_at(f->program, index);
  if (!tensor)
    return UNKNOWN;
  if (tensor->constant)
    return WEIGHT;
  if (f->origin[index] != UNKNOWN)
    return f->origin[index];
  int32_t viewed = etr_storages_viewed(&f->storages, index);
  f->origin[index] = viewed < 0 ? UNKNOWN : f->origin[viewed];
  return f->origin[index];
}

/* Adds a value to the inputs of the instruction at hand; weights are left out, and an unknown
 * value is ETR_NONE. */
static void add_input_value(flow *f, uint32_t origin) {
  uint32_t *slot = origin == WEIGHT || (origin != UNKNOWN && f->values.constant[origin])
                       ? NULL
                       : etr_vec_push(f->scratch, &f->inputs);
  if (slot)
    *slot = origin == UNKNOWN ? ETR_NONE : origin;
}

/* ---- Kernels ---- */

/* Returns true if a node agrees with the kernel's first result, which is the context. */
static bool agrees_with_tensor(const void *context, const etr_node *node) {
  return etr_tensor_agrees(context, node);
}

/* Finds the node of a kernel among those with its handle and operator, by the values that it reads.
 */
static void join_kernel(flow *f, etr_placed *placed) {
  bool equal_candidates;
  size_t count = f->uses.result_count;
  bool has_handles = placed->map && !f->placement->method->graph->is_changed;
  uint32_t op = has_handles && !placed->is_prim
                    ? etr_map_get(&f->placement->method->operators, placed->op)
                    : ETR_NONE;
  if (op == ETR_NONE || placed->node != ETR_NONE)
    return;
  /* Lists the values of the graph that the kernel reads. */
  f->inputs.count = 0;
  for (size_t i = 0; i < f->uses.list.count; i++) {
    const etr_use *use = &f->uses.list.data[i];
    if (use->is_read && !use->is_list)
      add_input_value(f, origin_of_value(f, use->value));
  }
  size_t index = (size_t)(placed - f->placement->instructions.data);
  etr_wanted wanted = {.expected = f->rank ? f->lowering->node_of[index] : ETR_NONE,
                       .handles = placed->map->handles,
                       .handle_count = placed->map->handle_count,
                       .kind = op,
                       .inputs = f->inputs.data,
                       .input_count = f->inputs.count,
                       .agrees = agrees_with_tensor,
                       .context = count ? etr_tensor_at(f->program, f->uses.results[0]) : NULL};
  uint32_t node = etr_candidates_choose(f->kernels, &wanted, &equal_candidates,
                                        &placed->is_contradicted);
  if (node == ETR_NONE)
    return;
  f->taken[node] = true;
  placed->node = node;
  placed->match = f->rank ? ETR_MATCH_ORDER : ETR_MATCH_ALIGNED;
  if (!equal_candidates)
    placed->match = ETR_MATCH_HANDLE;
}

/* Returns the value of the graph that a kernel's result is: that of its node, or what it hands on.
 */
static uint32_t origin_of_result(flow *f, const etr_placed *placed, size_t result) {
  if (f->uses.handed_on >= 0)
    return origin_of_value(f, f->uses.handed_on);
  const etr_node *node = placed->node == ETR_NONE
                             ? NULL
                             : &f->placement->method->graph->nodes[placed->node];
  return node && result < node->output_count ? f->values.first[placed->node] + (uint32_t)result
                                             : UNKNOWN;
}

/* ---- Moves ---- */

/* Maps what a body returns to the result of the body's owner, whichever body ran. Returns false
 * when out of memory. */
static bool map_returned_values(flow *f) {
  const etr_graph *graph = f->placement->method->graph;
  f->returned_as = etr_arena_alloc_array(f->scratch, f->values.count, sizeof *f->returned_as);
  for (uint32_t i = 0; f->returned_as && i < f->values.count; i++)
    f->returned_as[i] = i;
  for (size_t i = 0; f->returned_as && i < graph->node_count; i++) {
    const etr_node *output = &graph->nodes[i];
    if (output->kind != ETR_NODE_OUTPUT || output->subgraph == ETR_NONE)
      continue;
    uint32_t owner = graph->subgraphs[output->subgraph].owner;
    for (size_t k = 0; k < output->input_count && k < graph->nodes[owner].output_count; k++)
      f->returned_as[etr_value_of_edge(&f->values, &output->inputs[k])] = f->values.first[owner] +
                                                                          (uint32_t)k;
  }
  return f->returned_as != NULL;
}

/* Lets the target of a move have the value of its source. What a body returns becomes the result
 * of the body's owner. */
static void follow_move(flow *f, const etr_instruction *instruction) {
  if (f->uses.handed_on < 0)
    return;
  uint32_t origin = origin_of_value(f, f->uses.handed_on);
  bool is_known = origin != UNKNOWN && origin != WEIGHT;
  write_tensor(f, instruction->args[1], is_known ? f->returned_as[origin] : origin);
}

/* ---- Operators of a delegate ---- */

typedef struct call {
  etr_placed *known;
  const etr_instruction *instruction;
  const etr_payload *payload;
  uint32_t *origins; /* per value of the payload */
  uint32_t *nodes;   /* per operator */
  bool *by_order;    /* per operator: other nodes matched equally well */
} call;

/* What an operator is compared with a node by. */
typedef struct delegated {
  const flow *f;
  const etr_payload_value *result;
} delegated;

/* Returns whether a node converts its input to another type. Only conversions distinguish quantized
 * numbers from others; elsewhere the graph has separate nodes for quantization. */
static bool converts(const flow *f, const etr_node *node) {
  if (node->input_count == 0 || node->output_count == 0)
    return false;
  const etr_edge *edge = &node->inputs[0];
  const char *from = f->placement->method->graph->nodes[edge->node].outputs[edge->output].dtype,
             *to = node->outputs[0].dtype;
  return from && to && strcmp(from, to) != 0;
}

static bool is_integer(const char *dtype) {
  return strncmp(dtype, "int", 3) == 0 || strncmp(dtype, "uint", 4) == 0;
}

/* Returns true if a node's output can be the value that a payload's operator computes, by shape and
 * type. */
static bool agrees_with_value(const void *context, const etr_node *node) {
  const delegated *d = context;
  if (!d->result || node->output_count == 0)
    return true;
  uint64_t shape = etr_value_shape_hash(&node->outputs[0]);
  if (shape && d->result->shape && shape != d->result->shape)
    return false;
  return !converts(d->f, node) || is_integer(node->outputs[0].dtype) == d->result->is_quantized;
}

/* Indexes the nodes of the graph by handle and class of a backend's operators, once for each
 * backend. Returns false when out of memory. */
static bool index_classes(flow *f, const etr_backend *backend) {
  const etr_graph *graph = f->placement->method->graph;
  etr_node_index *index = etr_arena_alloc(f->scratch, sizeof *index);
  if (f->backend == backend)
    return true;
  if (!index)
    return false;
  index->slots = etr_arena_alloc_array(f->scratch, graph->node_count, sizeof *index->slots);
  for (uint32_t i = 0; index->slots && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    uint16_t class_ = node->kind == ETR_NODE_OP ? backend->class_of_node(graph, node) : 0;
    uint32_t handle = etr_debug_handle_of(graph, node);
    if (class_ && handle)
      index->slots[index->count++] = (etr_node_slot){handle, class_, i};
  }
  if (!index->slots)
    return false;
  etr_node_index_sort(index);
  f->backend = backend;
  f->delegated = etr_candidates_new(index, &f->assignment, f->scratch);
  return f->delegated != NULL;
}

/* Returns the node of a payload's operator that has no debug handle, by the value that it reads;
 * ETR_NONE if none fits. */
static uint32_t node_without_handle(flow *f, const call *c, size_t index, bool *equal_candidates) {
  const etr_payload_operator *operator_ = &c->payload->operators[index];
  uint32_t origin = operator_->input_count && operator_->inputs[0] != ETR_NONE
                        ? c->origins[operator_->inputs[0]]
                        : UNKNOWN;
  if (origin == WEIGHT)
    return ETR_NONE;
  return choose_missing_handle(f->missing, (uint32_t)index, origin == UNKNOWN ? ETR_NONE : origin,
                               equal_candidates);
}

/* Returns the node of a payload's operator among those with its debug handle and class; ETR_NONE
 * if none fits. */
static uint32_t node_with_handle(flow *f, const call *c, const etr_payload_operator *operator_,
                                 bool *equal_candidates) {
  delegated d = {f, operator_->whole == ETR_NONE ? NULL : &c->payload->values[operator_->whole]};
  f->inputs.count = 0;
  for (uint8_t i = 0; i < operator_->input_count; i++)
    if (operator_->inputs[i] != ETR_NONE)
      add_input_value(f, c->origins[operator_->inputs[i]]);
  etr_wanted wanted = {.expected = ETR_NONE,
                       .handles = &operator_->handle,
                       .handle_count = 1,
                       .kind = operator_->class_,
                       .inputs = f->inputs.data,
                       .input_count = f->inputs.count,
                       .agrees = agrees_with_value,
                       .context = &d};
  bool is_contradicted;
  return etr_candidates_choose(f->delegated, &wanted, equal_candidates, &is_contradicted);
}

/* Returns the node of a payload's operator; one that completes another has the other's node.
 * ETR_NONE if no node is known. */
static uint32_t node_of_operator(flow *f, const call *c, size_t index, bool *equal_candidates) {
  const etr_payload_operator *operator_ = &c->payload->operators[index];
  if (operator_->completes != ETR_NONE)
    return c->nodes[operator_->completes];
  if (operator_->class_ == 0)
    return ETR_NONE;
  return operator_->handle ? node_with_handle(f, c, operator_, equal_candidates)
                           : node_without_handle(f, c, index, equal_candidates);
}

/* Finds the node of an operator. An operator without a node, such as a conversion, a transpose or a
 * copy, passes its value on unchanged. */
static void join_operator(flow *f, const call *c, size_t index) {
  const etr_payload_operator *operator_ = &c->payload->operators[index];
  bool equal_candidates = false;
  uint32_t node = node_of_operator(f, c, index, &equal_candidates);
  bool passes_on = node == ETR_NONE && operator_->input_count && operator_->inputs[0] != ETR_NONE &&
                   (f->backend->traits(operator_->class_) & ETR_CLASS_FUSES ||
                    f->backend->traits(operator_->class_) & ETR_CLASS_INSERTED);
  c->nodes[index] = node;
  c->by_order[index] = equal_candidates;
  if (node != ETR_NONE)
    f->taken[node] = true;
  if (operator_->output == ETR_NONE)
    return;
  c->origins[operator_->output] = passes_on ? c->origins[operator_->inputs[0]] : UNKNOWN;
  if (node == ETR_NONE)
    return;
  bool has_result = f->placement->method->graph->nodes[node].output_count >
                    0; /* else the index is that of the next node's value */
  c->origins[operator_->output] = has_result ? f->values.first[node] : UNKNOWN;
}

static int32_t argument_of(const call *c, const etr_payload_value *value) {
  return value->argument >= 0 && (size_t)value->argument < c->instruction->arg_count
             ? c->instruction->args[value->argument]
             : -1;
}

/* Finds the nodes of a payload's operators, in their order, and passes values on to what follows
 * the call. Returns false when out of memory. */
static bool join_operators(flow *f, const call *c) {
  const etr_payload *payload = c->payload;
  for (size_t i = 0; i < payload->value_count; i++) {
    const etr_payload_value *value = &payload->values[i];
    c->origins[i] = value->is_constant ? WEIGHT : UNKNOWN;
    if (!value->is_constant && value->argument >= 0)
      c->origins[i] = origin_of_value(f, argument_of(c, value));
  }
  for (size_t i = 0; i < payload->count; i++)
    join_operator(f, c, i);
  for (size_t i = 0; i < payload->count; i++) {
    uint32_t output = payload->operators[i].output;
    if (output != ETR_NONE && payload->values[output].argument >= 0)
      write_tensor(f, argument_of(c, &payload->values[output]), c->origins[output]);
  }
  return !etr_arena_failed(f->scratch);
}

enum { STEPS_PER_OPERATOR = 4 };

/* Finds the nodes of a delegate's operators, if its payload can be read; else what it writes is
 * unknown. Returns false when out of memory. */
static bool join_delegate(flow *f, etr_placed *placed, const etr_instruction *instruction) {
  const etr_backend *backend = etr_backend_of(placed->backend);
  bool is_wanted = backend && placed->map && !placed->map->id_count && f->budget > 0;
  const etr_payload *payload = is_wanted ? etr_payloads_read(
                                               f->placement->method->payloads, backend,
                                               etr_method_payload(f->placement->method, placed->id))
                                         : NULL;
  bool is_read = payload && etr_spend(&f->budget,
                                      STEPS_PER_OPERATOR * (payload->count + payload->value_count));
  for (size_t i = 0; !is_read && i < instruction->arg_count;
       i++) /* the values at the locations that it writes are overwritten */
    if (instruction->args[i] >= 0 && f->origin[instruction->args[i]] == UNKNOWN)
      write_tensor(f, instruction->args[i], UNKNOWN);
  if (!is_read)
    return !etr_arena_failed(f->arena);
  call c = {.known = placed, .instruction = instruction, .payload = payload};
  c.origins = etr_arena_alloc_array(f->scratch, payload->value_count, sizeof *c.origins);
  c.nodes = etr_arena_alloc_array(f->arena, payload->count, sizeof *c.nodes);
  c.by_order = etr_arena_alloc_array(f->arena, payload->count, sizeof *c.by_order);
  if (!c.origins || !c.nodes || !c.by_order || !index_classes(f, backend))
    return false;
  /* Sets the current call for operators without a handle. */
  f->missing->call = placed;
  f->missing->backend = backend;
  f->missing->payload = payload;
  f->missing->is_listed = false;
  placed->payload = payload;
  placed->operator_nodes = c.nodes;
  placed->operator_by_order = c.by_order;
  return join_operators(f, &c);
}

/* ---- All ---- */

/* Finds the nodes of an instruction and what the values that it writes are. Returns false when
 * out of memory. */
static bool follow_instruction(flow *f, int32_t id) {
  const etr_instruction *instruction = &f->program->instructions[id];
  etr_placed *placed = etr_placed_instruction(f->placement, id);
  if (instruction->kind != ETR_INSTRUCTION_DELEGATE)
    etr_uses_list(&f->uses, id);
  if (instruction->kind == ETR_INSTRUCTION_MOVE)
    follow_move(f, instruction);
  if (instruction->kind == ETR_INSTRUCTION_KERNEL && placed && placed->is_kernel) {
    join_kernel(f, placed);
    for (size_t i = 0; i < f->uses.result_count; i++)
      write_tensor(f, f->uses.results[i], origin_of_result(f, placed, i));
  }
  return instruction->kind != ETR_INSTRUCTION_DELEGATE || !placed || !placed->is_delegate ||
         join_delegate(f, placed, instruction);
}

static bool follow_all(flow *f) {
  for (size_t i = 0; i < f->program->instruction_count && i < INT32_MAX; i++)
    if (!follow_instruction(f, (int32_t)i))
      return false;
  return !etr_arena_failed(f->scratch);
}

/* Follows values from the program's inputs through all instructions. Returns false when out of
 * memory. */
bool etr_data_flow_find(etr_placement *placement, const etr_lowering *lowering, bool *taken,
                        bool *is_cut, etr_arena *arena, etr_arena *scratch) {
  flow f = {.placement = placement,
            .program = placement->method->program,
            .lowering = lowering,
            .rank = lowering->is_proven ? lowering->rank : NULL,
            .taken = taken,
            .arena = arena,
            .scratch = scratch,
            .budget = BUDGET};
  etr_storages_init(&f.storages, placement->method->program, scratch);
  f.origin = etr_arena_alloc_array(scratch, placement->method->program->value_count,
                                   sizeof *f.origin);
  if (!f.origin || !etr_graph_values_find(&f.values, placement->method->graph, scratch))
    return false;
  for (size_t i = 0; i < placement->method->program->value_count; i++)
    f.origin[i] = UNKNOWN;
  f.assignment = (etr_assignment){.values = &f.values, .taken = taken, .rank = f.rank};
  f.assignment.uncertain = etr_arena_alloc_array(scratch, f.values.count,
                                                 sizeof *f.assignment.uncertain);
  f.kernels = f.assignment.uncertain
                  ? etr_candidates_new(&placement->method->by_operator, &f.assignment, scratch)
                  : NULL;
  f.missing = new_missing_handles(placement, lowering, &f.assignment, scratch);
  if (!f.kernels || !f.missing || !map_returned_values(&f))
    return false;
  if (!etr_uses_init(&f.uses, placement->method, NULL, scratch))
    return false;
  /* The program's inputs are the graph's, in order. */
  size_t count = 0, input_index = 0;
  const etr_graph *graph = f.placement->method->graph;
  for (size_t i = 0; i < graph->node_count; i++)
    count += graph->nodes[i].kind == ETR_NODE_INPUT && graph->nodes[i].subgraph == ETR_NONE;
  for (uint32_t i = 0; i < graph->node_count && count == f.program->input_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_INPUT && graph->nodes[i].subgraph == ETR_NONE)
      write_tensor(&f, f.program->inputs[input_index++], f.values.first[i]);
  bool good = follow_all(&f);
  *is_cut = f.budget == 0 || f.uses.is_cut || f.missing->is_cut;
  return good;
}
