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
typedef struct handleless_node {
  uint32_t rank, node;
} handleless_node;

struct missing_handles {
  const etr_placement *placement;
  const etr_lowering *lowering;
  const etr_assignment *assignment;
  etr_arena *arena;
  const etr_placed *call; /* the call that is examined */
  const etr_backend *backend;
  const etr_payload *payload;
  etr_vec(handleless_node)
      handleless;  /* nodes of the call whose debug handles are missing, by rank */
  bool is_listed;  /* handleless is filled */
  bool *had_equal; /* per node: another node was an equally good candidate at some point */
  size_t budget;   /* steps left: calls may share lists of handles, and handles their nodes */
  bool is_cut;
};

enum { BUDGET = 1 << 22 }; /* limit in steps: calls may share payloads and lists of handles */

/* Creates the search for the nodes of operators that have no debug handle in a payload, for all
 * delegate calls of a method. It borrows all arguments. Returns NULL when out of memory. */
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

/* Spends steps of the search. Returns false, and notes that it was cut short, if too few are left.
 */
static bool spend_search_steps(missing_handles *search, size_t steps) {
  bool enough = etr_spend(&search->budget, steps);
  search->is_cut |= !enough;
  return enough;
}

/* ---- The nodes of a call ---- */

static etr_handle_loss loss_of(const missing_handles *search, uint32_t node) {
  const etr_method_inputs *method = search->placement->method;
  return search->backend->loses_handle(method->graph, method->uses, &method->graph->nodes[node]);
}

/* Adds a node as a candidate if a lowering may have removed its handle. Its rank is its position in
 * the lowering if that is proven, which then also says whether the call contains the node. Else it
 * is `entry`, the index of its handle in the call's list, which is in the order of the nodes. */
static void append_handleless_node(missing_handles *search, uint32_t node, uint32_t entry) {
  bool is_elsewhere = search->lowering->is_proven &&
                      search->lowering->delegate_of[node] != search->call->id;
  if (is_elsewhere || loss_of(search, node) == ETR_KEEPS_HANDLE)
    return;
  handleless_node *added = etr_vec_push(search->arena, &search->handleless);
  if (added)
    *added = (handleless_node){
        search->lowering->is_proven ? etr_assignment_rank(search->assignment, node) : entry, node};
}

/* Lists the candidates for operators without a handle: the nodes whose handles are in the call's
 * list and that a lowering may have made lose them. They are sorted by rank, which
 * append_handleless_node() gives them. */
static void list_handleless_nodes(missing_handles *search) {
  const etr_method_inputs *method = search->placement->method;
  const etr_map_instruction *map = search->call->map;
  etr_map seen; /* a list has a handle once for each of its nodes */
  etr_map_init(&seen, search->arena);
  search->handleless.count = 0;
  search->is_listed = true;
  for (size_t i = 0; i < map->handle_count; i++) {
    etr_map_slot *slot = etr_map_at(&seen, ETR_BYTES(map->handles[i]));
    bool is_new = slot && slot->value == ETR_NONE;
    if (is_new)
      slot->value = 1;
    for (size_t entry = etr_method_first_of_handle(method, map->handles[i]);
         is_new && entry < method->by_handle_count &&
         method->by_handle[entry].handle == map->handles[i] && spend_search_steps(search, 1);
         entry++)
      append_handleless_node(search, method->by_handle[entry].node, (uint32_t)i);
  }
  etr_sort(search->handleless.data, search->handleless.count, sizeof *search->handleless.data,
           etr_by_two_numbers);
}

/* ---- The choice ---- */

/* Returns whether a node's shape can be that of an operator's result; true if either is unknown.
 * A node that is a matrix product has two dimensions, while the linear layer made from it keeps all
 * dimensions before the last, so the result's shape as rows counts, too. */
static bool has_shape_of(const etr_payload_value *result, const etr_node *node) {
  uint64_t shape = node->output_count ? etr_value_shape_hash(&node->outputs[0]) : 0;
  if (!result || !shape || !result->shape)
    return true;
  return shape == result->shape || shape == result->rows_shape;
}

/* Returns the first input of a node that is no weight, because a bias may come before it; ETR_NONE
 * if there is none. */
static uint32_t first_value_read(const etr_graph_values *values, const etr_node *node) {
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t value = etr_value_of_edge(values, &node->inputs[i]);
    if (!values->constant[value])
      return value;
  }
  return ETR_NONE;
}

/* Returns how a lowering makes a node lose its handle, if the node may be the operator's: not
 * taken, of its class and shape, and reading `read` first. Greater values are more certain
 * ways; ETR_KEEPS_HANDLE says that it cannot be the operator's. */
static etr_handle_loss loss_as_operator(const missing_handles *search, uint32_t node,
                                        const etr_payload_operator *operator_, uint32_t read) {
  const etr_graph_values *values = search->assignment->values;
  const etr_node *n = &values->graph->nodes[node];
  const etr_payload_value *result = operator_->whole == ETR_NONE
                                        ? NULL
                                        : &search->payload->values[operator_->whole];
  if (search->assignment->taken[node] || !has_shape_of(result, n))
    return ETR_KEEPS_HANDLE;
  if (search->backend->class_of_node(values->graph, n) != operator_->class_)
    return ETR_KEEPS_HANDLE;
  uint32_t read_by_node = first_value_read(values, n);
  bool reads_same = read_by_node != ETR_NONE && read != ETR_NONE &&
                    values->source[read_by_node] == values->source[read];
  return reads_same || read == ETR_NONE ? loss_of(search, node) : ETR_KEEPS_HANDLE;
}

/* Returns the node of the current call's operator `index`, which has no debug handle: the first of
 * those that lost theirs in the most certain way. ETR_NONE if there is none, or if the operator
 * computes nothing of the model, such as a copy. `read` is the graph's value that is the operator's
 * first input; ETR_NONE if unknown. Sets *equal_candidates if other nodes match equally well, so
 * that their rank decided. */
static uint32_t choose_missing_handle(missing_handles *search, uint32_t index, uint32_t read,
                                      bool *equal_candidates) {
  const etr_payload_operator *operator_ = &search->payload->operators[index];
  etr_handle_loss best = ETR_KEEPS_HANDLE;
  uint32_t found = ETR_NONE;
  *equal_candidates = false;
  if (!(search->backend->traits(operator_->class_) & ETR_CLASS_COMPUTES))
    return ETR_NONE;
  if (!search->is_listed)
    list_handleless_nodes(search);
  if (!spend_search_steps(search, search->handleless.count))
    return ETR_NONE;
  for (size_t i = 0; i < search->handleless.count; i++) {
    etr_handle_loss loss = loss_as_operator(search, search->handleless.data[i].node, operator_,
                                            read);
    uint32_t node = search->handleless.data[i].node;
    if (loss == ETR_KEEPS_HANDLE || loss < best)
      continue;
    if (loss == best)
      search->had_equal[node] = search->had_equal[found] = true;
    if (loss > best)
      found = node;
    best = loss;
  }
  *equal_candidates = found != ETR_NONE && search->had_equal[found];
  if (*equal_candidates)
    etr_assignment_mark_uncertain(search->assignment, found);
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

/* Records that an instruction writes a value of the graph, `origin`, to a tensor of the program. */
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

/* Adds a value of the graph to the inputs (f->inputs) of the current kernel or operator; an unknown
 * one is ETR_NONE. Weights are left out, because payloads and nodes list them differently. */
static void add_input_value(flow *f, uint32_t origin) {
  bool is_weight = origin == WEIGHT || (origin != UNKNOWN && f->values.constant[origin]);
  uint32_t *added = is_weight ? NULL : etr_vec_push(f->scratch, &f->inputs);
  if (added)
    *added = origin == UNKNOWN ? ETR_NONE : origin;
}

/* ---- Kernels ---- */

/* Returns true if a node agrees with the kernel's first result, which is the context. */
static bool agrees_with_tensor(const void *context, const etr_node *node) {
  return etr_tensor_agrees(context, node);
}

/* Sets the node of a kernel: of those with its handle and operator, the one that reads the same
 * values. Does nothing if no map lists its handles, if its node is known already, or if no node
 * fits. If several nodes fit equally well, the match says that order decided: that of the lowering,
 * or else of the graph. */
static void find_node_of_kernel(flow *f, etr_placed *placed) {
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

/* Returns the value of the graph that a kernel's result is: an output of its node or, for a view,
 * the value that it views. UNKNOWN if the kernel has no node. */
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

/* Fills f->returned_as: per value of the graph, the result of cond, map or scan that it becomes if
 * a body returns it; other values stay themselves. Returns false when out of memory. */
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
    for (uint32_t k = 0; k < output->input_count && k < graph->nodes[owner].output_count; k++) {
      uint32_t returned = etr_value_of_edge(&f->values, &output->inputs[k]);
      f->returned_as[returned] = f->values.first[owner] + k;
    }
  }
  return f->returned_as != NULL;
}

/* Records that a move writes the value of its source (handed_on) to its target, the second
 * argument. Moves end the bodies of a cond, so what a body returns becomes the result of the cond.
 */
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
  bool *is_by_order; /* per operator: other nodes matched equally well */
} call;

/* What a node is compared with: the result of an operator in a delegate, or NULL if unknown. */
typedef struct operator_result {
  const flow *flow;
  const etr_payload_value *result;
} operator_result;

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

static bool is_int_or_uint(const char *dtype) {
  return strncmp(dtype, "int", 3) == 0 || strncmp(dtype, "uint", 4) == 0;
}

/* Returns true if a node's output can be the value that a payload's operator (`context`) computes,
 * by shape and, for conversions, by whether it is quantized. Unknown shapes agree with any. */
static bool agrees_with_value(const void *context, const etr_node *node) {
  const operator_result *computed = context;
  if (!computed->result || node->output_count == 0)
    return true;
  uint64_t shape = etr_value_shape_hash(&node->outputs[0]);
  if (shape && computed->result->shape && shape != computed->result->shape)
    return false;
  if (!converts(computed->flow, node))
    return true;
  return is_int_or_uint(node->outputs[0].dtype) == computed->result->is_quantized;
}

/* Indexes the nodes of the graph by debug handle and by class, the backend's number for a kind of
 * operator, unless this backend's index is there already. Returns false when out of memory. */
static bool index_nodes_by_class(flow *f, const etr_backend *backend) {
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

/* Returns the node of a payload's operator that has no debug handle, by the value that it reads
 * first; ETR_NONE if none fits, or if that value is a weight, which may be a bias. Sets
 * *equal_candidates if other nodes matched equally well. */
static uint32_t find_node_without_handle(flow *f, const call *c, size_t index,
                                         bool *equal_candidates) {
  const etr_payload_operator *operator_ = &c->payload->operators[index];
  uint32_t origin = operator_->input_count && operator_->inputs[0] != ETR_NONE
                        ? c->origins[operator_->inputs[0]]
                        : UNKNOWN;
  if (origin == WEIGHT)
    return ETR_NONE;
  return choose_missing_handle(f->missing, (uint32_t)index, origin == UNKNOWN ? ETR_NONE : origin,
                               equal_candidates);
}

/* Returns the node of a payload's operator among those with its debug handle and class that reads
 * the same values; ETR_NONE if none fits, for whatever reason. Sets *equal_candidates if other
 * nodes matched equally well, so that order decided. */
static uint32_t find_node_by_handle(flow *f, const call *c, const etr_payload_operator *operator_,
                                    bool *equal_candidates) {
  operator_result result = {
      f, operator_->whole == ETR_NONE ? NULL : &c->payload->values[operator_->whole]};
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
                       .context = &result};
  bool is_contradicted;
  return etr_candidates_choose(f->delegated, &wanted, equal_candidates, &is_contradicted);
}

/* Returns the node of a payload's operator. An operator that completes another, because both are
 * one node, has the other's node. ETR_NONE if no node is found. */
static uint32_t find_node_of_operator(flow *f, const call *c, size_t index,
                                      bool *equal_candidates) {
  const etr_payload_operator *operator_ = &c->payload->operators[index];
  if (operator_->completes != ETR_NONE)
    return c->nodes[operator_->completes];
  if (operator_->class_ == 0)
    return ETR_NONE;
  return operator_->handle ? find_node_by_handle(f, c, operator_, equal_candidates)
                           : find_node_without_handle(f, c, index, equal_candidates);
}

/* Sets the node of a payload's operator, and which value of the graph its output is. An operator
 * without a node that a lowering fuses or inserts, such as a conversion, a transpose or a copy,
 * passes its first input on as the same value. */
static void follow_operator(flow *f, const call *c, size_t index) {
  const etr_payload_operator *operator_ = &c->payload->operators[index];
  bool equal_candidates = false;
  uint32_t node = find_node_of_operator(f, c, index, &equal_candidates);
  bool has_input = operator_->input_count && operator_->inputs[0] != ETR_NONE;
  bool changes_no_value = f->backend->traits(operator_->class_) &
                          (ETR_CLASS_FUSES | ETR_CLASS_INSERTED);
  bool passes_on = node == ETR_NONE && has_input && changes_no_value;
  c->nodes[index] = node;
  c->is_by_order[index] = equal_candidates;
  if (node != ETR_NONE)
    f->taken[node] = true;
  if (operator_->output == ETR_NONE)
    return;
  c->origins[operator_->output] = passes_on ? c->origins[operator_->inputs[0]] : UNKNOWN;
  if (node == ETR_NONE)
    return;
  /* Without an output, values.first would be the next node's value. */
  bool has_result = f->placement->method->graph->nodes[node].output_count > 0;
  c->origins[operator_->output] = has_result ? f->values.first[node] : UNKNOWN;
}

/* Returns the program's value that the call has as an argument, if this value of the payload is the
 * argument. Returns -1 if it is none. */
static int32_t argument_of(const call *c, const etr_payload_value *value) {
  return value->argument >= 0 && (size_t)value->argument < c->instruction->arg_count
             ? c->instruction->args[value->argument]
             : -1;
}

/* Finds the nodes of a payload's operators, in their order. The values that the call reads come
 * from the program, and those that it writes go there. Returns false when out of memory. */
static bool follow_operators(flow *f, const call *c) {
  const etr_payload *payload = c->payload;
  for (size_t i = 0; i < payload->value_count; i++) {
    const etr_payload_value *value = &payload->values[i];
    c->origins[i] = value->is_constant ? WEIGHT : UNKNOWN;
    if (!value->is_constant && value->argument >= 0)
      c->origins[i] = origin_of_value(f, argument_of(c, value));
  }
  for (size_t i = 0; i < payload->count; i++)
    follow_operator(f, c, i);
  for (size_t i = 0; i < payload->count; i++) {
    uint32_t output = payload->operators[i].output;
    if (output != ETR_NONE && payload->values[output].argument >= 0)
      write_tensor(f, argument_of(c, &payload->values[output]), c->origins[output]);
  }
  return !etr_arena_failed(f->scratch);
}

enum { STEPS_PER_OPERATOR = 4 };

/* Returns the payload of a delegate call; NULL if it cannot be read, if it is not needed because a
 * delegate map names the events' nodes, or if too many steps were spent on payloads. */
static const etr_payload *read_payload(flow *f, const etr_backend *backend,
                                       const etr_placed *placed) {
  if (!backend || !placed->map || placed->map->id_count || f->budget == 0)
    return NULL;
  const etr_method_inputs *method = f->placement->method;
  const etr_payload *payload = etr_payloads_read(method->payloads, backend,
                                                 etr_method_payload(method, placed->id));
  if (!payload)
    return NULL;
  size_t steps = STEPS_PER_OPERATOR * (payload->count + payload->value_count);
  return etr_spend(&f->budget, steps) ? payload : NULL;
}

/* Finds the nodes of a delegate's operators, if its payload can be read, and stores both in
 * `placed`; else what the delegate writes is unknown. Returns false when out of memory. */
static bool follow_delegate(flow *f, etr_placed *placed, const etr_instruction *instruction) {
  const etr_backend *backend = etr_backend_of(placed->backend);
  const etr_payload *payload = read_payload(f, backend, placed);
  /* Without a payload any argument that has no known value may be an output: what shares its memory
   * is overwritten. */
  for (size_t i = 0; !payload && i < instruction->arg_count; i++) {
    int32_t value = instruction->args[i];
    if (value >= 0 && f->origin[value] == UNKNOWN)
      write_tensor(f, value, UNKNOWN);
  }
  if (!payload)
    return !etr_arena_failed(f->arena);
  call c = {.known = placed, .instruction = instruction, .payload = payload};
  c.origins = etr_arena_alloc_array(f->scratch, payload->value_count, sizeof *c.origins);
  c.nodes = etr_arena_alloc_array(f->arena, payload->count, sizeof *c.nodes);
  c.is_by_order = etr_arena_alloc_array(f->arena, payload->count, sizeof *c.is_by_order);
  if (!c.origins || !c.nodes || !c.is_by_order || !index_nodes_by_class(f, backend))
    return false;
  /* Sets the current call for operators without a handle. */
  f->missing->call = placed;
  f->missing->backend = backend;
  f->missing->payload = payload;
  f->missing->is_listed = false;
  placed->payload = payload;
  placed->operator_nodes = c.nodes;
  placed->operator_by_order = c.is_by_order;
  return follow_operators(f, &c);
}

/* ---- All ---- */

/* Finds the node of a kernel, or the nodes of a delegate's operators, and which values of the graph
 * the instruction writes. Returns false when out of memory. */
static bool follow_instruction(flow *f, int32_t id) {
  const etr_instruction *instruction = &f->program->instructions[id];
  etr_placed *placed = etr_placed_instruction(f->placement, id);
  if (instruction->kind != ETR_INSTRUCTION_DELEGATE)
    etr_uses_list(&f->uses, id);
  if (instruction->kind == ETR_INSTRUCTION_MOVE)
    follow_move(f, instruction);
  if (instruction->kind == ETR_INSTRUCTION_KERNEL && placed && placed->is_kernel) {
    find_node_of_kernel(f, placed);
    for (size_t i = 0; i < f->uses.result_count; i++)
      write_tensor(f, f->uses.results[i], origin_of_result(f, placed, i));
  }
  return instruction->kind != ETR_INSTRUCTION_DELEGATE || !placed || !placed->is_delegate ||
         follow_delegate(f, placed, instruction);
}

/* Follows all instructions in their order, whatever jumps do. Returns false when out of memory. */
static bool follow_all_instructions(flow *f) {
  for (size_t i = 0; i < f->program->instruction_count && i < INT32_MAX; i++)
    if (!follow_instruction(f, (int32_t)i))
      return false;
  return !etr_arena_failed(f->scratch);
}

static bool is_input_of_method(const etr_node *node) {
  return node->kind == ETR_NODE_INPUT && node->subgraph == ETR_NONE;
}

/* Records which inputs of the graph the program's inputs are: the same ones in order, if there are
 * equally many. */
static void write_inputs(flow *f) {
  size_t count = 0, input_index = 0;
  const etr_graph *graph = f->placement->method->graph;
  for (size_t i = 0; i < graph->node_count; i++)
    count += is_input_of_method(&graph->nodes[i]);
  if (count != f->program->input_count)
    return;
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (is_input_of_method(&graph->nodes[i]))
      write_tensor(f, f->program->inputs[input_index++], f->values.first[i]);
}

/* Follows values from the program's inputs, which are those of the graph in the same order, through
 * all instructions. */
bool etr_data_flow_find(etr_placement *placement, const etr_lowering *lowering, bool *taken,
                        bool *is_cut, etr_arena *arena, etr_arena *scratch) {
  const etr_pte_method *program = placement->method->program;
  flow f = {.placement = placement,
            .program = program,
            .lowering = lowering,
            .rank = lowering->is_proven ? lowering->rank : NULL,
            .taken = taken,
            .arena = arena,
            .scratch = scratch,
            .budget = BUDGET};
  etr_storages_init(&f.storages, program, scratch);
  f.origin = etr_arena_alloc_array(scratch, program->value_count, sizeof *f.origin);
  if (!f.origin || !etr_graph_values_find(&f.values, placement->method->graph, scratch))
    return false;
  for (size_t i = 0; i < program->value_count; i++)
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
  write_inputs(&f);
  bool good = follow_all_instructions(&f);
  *is_cut = f.budget == 0 || f.uses.is_cut || f.missing->is_cut;
  return good;
}
