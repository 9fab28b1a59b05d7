/* SPDX-License-Identifier: BSD-3-Clause
 *
 * data_flow.c - values of the program as values of the graph.
 */
#include "place/data_flow.h"

#include "backends/backends.h"
#include "method/uses.h"
#include "place/candidates.h"
#include "place/lowering.h"

/* ---- Which node an operator is that has no handle in its payload ---- */

/* A lowering that makes a new node of others (a linear layer of `addmm`) forgets the debug handle. What is left: the
 * delegate lists the handles of all its nodes, the operator reads what the node reads, and its result has the node's
 * shape. Of several such nodes it is the next in the order of the lowering. Fixtures: attention_addmm, resnext_pre,
 * bn_unfused. */

/* What is known of the method's operators without handle. */
typedef struct lost_handles lost_handles;

/* A node that loses its handle. */
typedef struct held_node {
  uint32_t rank, node;
} held_node;

struct lost_handles {
  const etr_placement *placement;
  const etr_lowering *order;
  const etr_assignment *assignment;
  etr_arena *arena;
  const etr_placed *call; /* that is looked at */
  const etr_backend *backend;
  const etr_payload *payload;
  etr_vec(held_node) held; /* of the call, by rank */
  bool is_listed;          /* held is filled */
  bool *contested;         /* per node: it had a equally good candidate, be that taken by now */
  size_t budget;           /* steps left: calls may share lists of handles, and handles their nodes */
  bool is_cut;
};

enum { BUDGET = 1 << 22 }; /* steps: calls may share payloads and lists of handles */

/* For the calls of a method; all are borrowed. NULL: out of memory. */
static lost_handles *lost_handles_new(const etr_placement *placement, const etr_lowering *order,
                                      const etr_assignment *assignment, etr_arena *arena) {
  lost_handles *l = etr_arena_alloc(arena, sizeof *l);
  if (!l) return NULL;
  *l = (lost_handles){
      .placement = placement, .order = order, .assignment = assignment, .arena = arena, .budget = BUDGET};
  l->contested = etr_arena_alloc_array(arena, placement->method->graph->node_count, sizeof *l->contested);
  return l->contested ? l : NULL;
}

static bool spend(lost_handles *l, size_t steps) {
  bool enough = etr_spend(&l->budget, steps);
  l->is_cut |= !enough;
  return enough;
}

/* ---- The nodes of a call ---- */

static etr_handle_loss loss_of(const lost_handles *l, uint32_t node) {
  const etr_method_inputs *method = l->placement->method;
  return l->backend->loses_handle(method->graph, method->uses, &method->graph->nodes[node]);
}

/* Where order is proven it says which nodes the delegate holds. */
static void list_node(lost_handles *l, uint32_t node) {
  bool is_elsewhere = l->order->is_proven && l->order->delegate_of[node] != l->call->id;
  if (is_elsewhere || loss_of(l, node) == ETR_KEEPS_HANDLE) return;
  held_node *added = etr_vec_push(l->arena, &l->held);
  if (added) *added = (held_node){etr_assignment_rank(l->assignment, node), node};
}

static void list_held(lost_handles *l) {
  const etr_method_inputs *method = l->placement->method;
  const etr_map_instruction *map = l->call->map;
  l->held.count = 0;
  l->is_listed = true;
  for (size_t i = 0; i < map->handle_count; i++)
    for (size_t at = etr_method_first_of_handle(method, map->handles[i]);
         at < method->by_handle_count && method->by_handle[at].handle == map->handles[i] && spend(l, 1); at++)
      list_node(l, method->by_handle[at].node);
  etr_sort(l->held.data, l->held.count, sizeof *l->held.data, etr_by_two_numbers);
}

/* ---- The choice ---- */

/* Products are of two dimensions; the linear layer that they become keeps those in front of the last. */
static bool agrees_with(const etr_payload_value *result, const etr_node *node) {
  uint64_t mark = node->output_count ? etr_value_shape_mark(&node->outputs[0]) : 0;
  return !result || !mark || !result->shape || mark == result->shape || mark == result->rows_shape;
}

/* The first input that is no weight: a bias may stand before it. */
static uint32_t first_read(const etr_graph_values *values, const etr_node *node) {
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t value = etr_value_of_edge(values, &node->inputs[i]);
    if (!values->constant[value]) return value;
  }
  return ETR_NONE;
}

/* How surely a node is the operator's; ETR_KEEPS_HANDLE: it is not. */
static etr_handle_loss claim_of(const lost_handles *l, uint32_t node, const etr_payload_operator *o, uint32_t read) {
  const etr_graph_values *values = l->assignment->values;
  const etr_node *n = &values->graph->nodes[node];
  const etr_payload_value *result = o->whole == ETR_NONE ? NULL : &l->payload->values[o->whole];
  if (l->assignment->taken[node] || l->backend->class_of_node(values->graph, n) != o->class_ || !agrees_with(result, n))
    return ETR_KEEPS_HANDLE;
  uint32_t own = first_read(values, n);
  bool reads_it = read == ETR_NONE || (own != ETR_NONE && values->source[own] == values->source[read]);
  return reads_it ? loss_of(l, node) : ETR_KEEPS_HANDLE;
}

/* The node of the call's operator `index`, whose first input is the graph's value `read`, ETR_NONE: it is not known
 * which; ETR_NONE if there is none. *equally good candidates: others have the same claim, and order decided:
 * assignment's rank, or the graph's. */
static uint32_t lost_handles_choose(lost_handles *l, uint32_t index, uint32_t read, bool *equal_candidates) {
  const etr_payload_operator *o = &l->payload->operators[index];
  etr_handle_loss best = ETR_KEEPS_HANDLE;
  uint32_t found = ETR_NONE;
  *equal_candidates = false;
  if (!(l->backend->traits(o->class_) & ETR_CLASS_COMPUTES)) return ETR_NONE;
  if (!l->is_listed) list_held(l);
  if (!spend(l, l->held.count)) return ETR_NONE;
  for (size_t i = 0; i < l->held.count; i++) {
    etr_handle_loss claim = claim_of(l, l->held.data[i].node, o, read);
    uint32_t node = l->held.data[i].node;
    if (claim == ETR_KEEPS_HANDLE || claim < best) continue;
    if (claim == best) l->contested[node] = l->contested[found] = true;
    if (claim > best) found = node;
    best = claim;
  }
  *equal_candidates = found != ETR_NONE && l->contested[found];
  if (*equal_candidates) etr_assignment_uncertainty(l->assignment, found);
  return found;
}

/* ---- Values of the program as values of the graph ---- */

/* What writes a value of the program, or of a payload, as far as it is a value of the graph. */
enum { UNKNOWN = UINT32_MAX, WEIGHT = UINT32_MAX - 1 };

typedef struct flow {
  etr_placement *placement;
  const etr_pte_method *program;
  const etr_lowering *order;
  const uint32_t *rank; /* of the order; NULL: it is not proven */
  bool *taken;
  etr_assignment assignment;
  etr_arena *arena, *scratch;
  etr_graph_values values;
  etr_candidates *kernels;
  const etr_backend *backend; /* whose classes `delegated` has */
  etr_candidates *delegated;
  uint32_t *origin; /* per value of the program: value of the graph, UNKNOWN or WEIGHT */
  etr_storages storages;
  etr_vec(uint32_t) inputs; /* of the operator looked at */
  size_t budget;            /* of payloads, which several delegates can share: what may still be read */
  lost_handles *lost;
  etr_uses uses;         /* of the instruction looked at */
  uint32_t *returned_as; /* per value of the graph: its owner's result, if a body returns it; else itself */
} flow;

/* ---- Values of the program ---- */

static void write_tensor(flow *f, int32_t index, uint32_t origin) {
  if (!etr_tensor_at(f->program, index)) return;
  f->origin[index] = origin;
  etr_storages_write(&f->storages, index);
}

static uint32_t origin_of(flow *f, int32_t index) {
  const etr_pte_value *tensor = etr_tensor_at(f->program, index);
  if (!tensor) return UNKNOWN;
  if (tensor->constant) return WEIGHT;
  if (f->origin[index] != UNKNOWN) return f->origin[index];
  int32_t viewed = etr_storages_viewed(&f->storages, index);
  return f->origin[index] = viewed < 0 ? UNKNOWN : f->origin[viewed];
}

static void read_tensor(flow *f, uint32_t origin) {
  uint32_t *slot = origin == WEIGHT || (origin != UNKNOWN && f->values.constant[origin])
                       ? NULL
                       : etr_vec_push(f->scratch, &f->inputs);
  if (slot) *slot = origin == UNKNOWN ? ETR_NONE : origin;
}

/* ---- Kernels ---- */

/* context: the kernel's first result */
static bool agrees_with_tensor(const void *context, const etr_node *node) { return etr_tensor_agrees(context, node); }

static void join_kernel(flow *f, etr_placed *known) {
  bool equal_candidates;
  size_t count = f->uses.result_count;
  uint32_t op = known->map && !known->is_prim ? etr_map_get(&f->placement->method->operators, known->op) : ETR_NONE;
  if (op == ETR_NONE || known->node != ETR_NONE) return;
  /* The values of the graph that the kernel reads. */
  f->inputs.count = 0;
  for (size_t i = 0; i < f->uses.list.count; i++) {
    const etr_use *use = &f->uses.list.data[i];
    if (use->is_read && !use->is_list) read_tensor(f, origin_of(f, use->value));
  }
  size_t index = (size_t)(known - f->placement->instructions.data);
  etr_wanted wanted = {.expected = f->rank ? f->order->node_of[index] : ETR_NONE,
                       .handles = known->map->handles,
                       .handle_count = known->map->handle_count,
                       .kind = op,
                       .inputs = f->inputs.data,
                       .input_count = f->inputs.count,
                       .agrees = agrees_with_tensor,
                       .context = count ? etr_tensor_at(f->program, f->uses.results[0]) : NULL};
  uint32_t node = etr_candidates_choose(f->kernels, &wanted, &equal_candidates, &known->is_contradicted);
  if (node == ETR_NONE) return;
  f->taken[node] = true;
  known->node = node;
  known->match = f->rank ? ETR_MATCH_ORDER : ETR_MATCH_ALIGNED;
  if (!equal_candidates) known->match = ETR_MATCH_HANDLE;
}

static uint32_t origin_of_result(flow *f, const etr_placed *known, size_t result) {
  if (f->uses.handed_on >= 0) return origin_of(f, f->uses.handed_on);
  const etr_node *node = known->node == ETR_NONE ? NULL : &f->placement->method->graph->nodes[known->node];
  return node && result < node->output_count ? f->values.first[known->node] + (uint32_t)result : UNKNOWN;
}

/* ---- Moves ---- */

/* What a body returns is its owner's result: of whichever body ran. */
static bool find_returned(flow *f) {
  const etr_graph *graph = f->placement->method->graph;
  f->returned_as = etr_arena_alloc_array(f->scratch, f->values.count, sizeof *f->returned_as);
  for (uint32_t i = 0; f->returned_as && i < f->values.count; i++) f->returned_as[i] = i;
  for (size_t i = 0; f->returned_as && i < graph->node_count; i++) {
    const etr_node *output = &graph->nodes[i];
    if (output->kind != ETR_NODE_OUTPUT || output->subgraph == ETR_NONE) continue;
    uint32_t owner = graph->subgraphs[output->subgraph].owner;
    for (size_t k = 0; k < output->input_count && k < graph->nodes[owner].output_count; k++)
      f->returned_as[etr_value_of_edge(&f->values, &output->inputs[k])] = f->values.first[owner] + (uint32_t)k;
  }
  return f->returned_as != NULL;
}

static void follow_move(flow *f, const etr_instruction *instruction) {
  if (f->uses.handed_on < 0) return;
  uint32_t origin = origin_of(f, f->uses.handed_on);
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
  bool *by_order;    /* per operator: equally good candidates had the same claim */
} call;

/* What an operator is held against a node by. */
typedef struct delegated {
  const flow *f;
  const etr_payload_value *result;
} delegated;

/* Only what converts tells quantised numbers from others: elsewhere the graph has quantisation apart. */
static bool converts(const flow *f, const etr_node *node) {
  if (node->input_count == 0 || node->output_count == 0) return false;
  const etr_edge *edge = &node->inputs[0];
  const char *from = f->placement->method->graph->nodes[edge->node].outputs[edge->output].dtype,
             *to = node->outputs[0].dtype;
  return from && to && strcmp(from, to) != 0;
}

static bool is_integer(const char *dtype) { return strncmp(dtype, "int", 3) == 0 || strncmp(dtype, "uint", 4) == 0; }

static bool agrees_with_value(const void *context, const etr_node *node) {
  const delegated *d = context;
  if (!d->result || node->output_count == 0) return true;
  uint64_t mark = etr_value_shape_mark(&node->outputs[0]);
  if (mark && d->result->shape && mark != d->result->shape) return false;
  return !converts(d->f, node) || is_integer(node->outputs[0].dtype) == d->result->is_quantized;
}

static bool index_classes(flow *f, const etr_backend *backend) {
  const etr_graph *graph = f->placement->method->graph;
  etr_node_index *index = etr_arena_alloc(f->scratch, sizeof *index);
  if (f->backend == backend) return true;
  if (!index) return false;
  index->slots = etr_arena_alloc_array(f->scratch, graph->node_count, sizeof *index->slots);
  for (uint32_t i = 0; index->slots && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    uint16_t class_ = node->kind == ETR_NODE_OP ? backend->class_of_node(graph, node) : 0;
    if (class_ && node->debug_handle) index->slots[index->count++] = (etr_node_slot){node->debug_handle, class_, i};
  }
  if (!index->slots) return false;
  etr_node_index_sort(index);
  f->backend = backend;
  f->delegated = etr_candidates_new(index, &f->assignment, f->scratch);
  return f->delegated != NULL;
}

static uint32_t node_without_handle(flow *f, const call *c, size_t index, bool *equal_candidates) {
  const etr_payload_operator *o = &c->payload->operators[index];
  uint32_t origin = o->input_count && o->inputs[0] != ETR_NONE ? c->origins[o->inputs[0]] : UNKNOWN;
  if (origin == WEIGHT) return ETR_NONE;
  return lost_handles_choose(f->lost, (uint32_t)index, origin == UNKNOWN ? ETR_NONE : origin, equal_candidates);
}

static uint32_t node_with_handle(flow *f, const call *c, const etr_payload_operator *o, bool *equal_candidates) {
  delegated d = {f, o->whole == ETR_NONE ? NULL : &c->payload->values[o->whole]};
  f->inputs.count = 0;
  for (uint8_t i = 0; i < o->input_count; i++)
    if (o->inputs[i] != ETR_NONE) read_tensor(f, c->origins[o->inputs[i]]);
  etr_wanted wanted = {.expected = ETR_NONE,
                       .handles = &o->handle,
                       .handle_count = 1,
                       .kind = o->class_,
                       .inputs = f->inputs.data,
                       .input_count = f->inputs.count,
                       .agrees = agrees_with_value,
                       .context = &d};
  bool is_contradicted;
  return etr_candidates_choose(f->delegated, &wanted, equal_candidates, &is_contradicted);
}

static uint32_t node_of_operator(flow *f, const call *c, size_t index, bool *equal_candidates) {
  const etr_payload_operator *o = &c->payload->operators[index];
  if (o->completes != ETR_NONE) return c->nodes[o->completes];
  if (o->class_ == 0) return ETR_NONE;
  return o->handle ? node_with_handle(f, c, o, equal_candidates) : node_without_handle(f, c, index, equal_candidates);
}

/* What has no node leaves its value as it is: a conversion, a transpose, a copy. */
static void join_operator(flow *f, const call *c, size_t index) {
  const etr_payload_operator *o = &c->payload->operators[index];
  bool equal_candidates = false;
  uint32_t node = node_of_operator(f, c, index, &equal_candidates);
  bool passes_on = node == ETR_NONE && o->input_count && o->inputs[0] != ETR_NONE &&
                   (f->backend->traits(o->class_) & ETR_CLASS_FUSES ||
                    f->backend->traits(o->class_) & ETR_CLASS_INSERTED);
  c->nodes[index] = node;
  c->by_order[index] = equal_candidates;
  if (node != ETR_NONE) f->taken[node] = true;
  if (o->output == ETR_NONE) return;
  c->origins[o->output] = passes_on ? c->origins[o->inputs[0]] : UNKNOWN;
  if (node == ETR_NONE) return;
  bool has_result = f->placement->method->graph->nodes[node].output_count >
                    0; /* or what stands there is the next node's */
  c->origins[o->output] = has_result ? f->values.first[node] : UNKNOWN;
}

static int32_t argument_of(const call *c, const etr_payload_value *value) {
  return value->argument >= 0 && (size_t)value->argument < c->instruction->arg_count
             ? c->instruction->args[value->argument]
             : -1;
}

static bool join_operators(flow *f, const call *c) {
  const etr_payload *payload = c->payload;
  for (size_t i = 0; i < payload->value_count; i++) {
    const etr_payload_value *value = &payload->values[i];
    c->origins[i] = value->is_constant ? WEIGHT : UNKNOWN;
    if (!value->is_constant && value->argument >= 0) c->origins[i] = origin_of(f, argument_of(c, value));
  }
  for (size_t i = 0; i < payload->count; i++) join_operator(f, c, i);
  for (size_t i = 0; i < payload->count; i++) {
    uint32_t output = payload->operators[i].output;
    if (output != ETR_NONE && payload->values[output].argument >= 0)
      write_tensor(f, argument_of(c, &payload->values[output]), c->origins[output]);
  }
  return !etr_arena_failed(f->scratch);
}

enum { STEPS_PER_OPERATOR = 4 };

static bool join_delegate(flow *f, etr_placed *known, const etr_instruction *instruction) {
  const etr_backend *backend = etr_backend_of(known->backend);
  bool is_wanted = backend && known->map && !known->map->id_count && f->budget > 0;
  const etr_payload *payload = is_wanted ? etr_payloads_read(f->placement->method->payloads, backend,
                                                             etr_method_payload(f->placement->method, known->id))
                                         : NULL;
  bool is_read = payload && etr_spend(&f->budget, STEPS_PER_OPERATOR * (payload->count + payload->value_count));
  for (size_t i = 0; !is_read && i < instruction->arg_count; i++) /* what lay where it writes is gone */
    if (instruction->args[i] >= 0 && f->origin[instruction->args[i]] == UNKNOWN)
      write_tensor(f, instruction->args[i], UNKNOWN);
  if (!is_read) return !etr_arena_failed(f->arena);
  call c = {.known = known, .instruction = instruction, .payload = payload};
  c.origins = etr_arena_alloc_array(f->scratch, payload->value_count, sizeof *c.origins);
  c.nodes = etr_arena_alloc_array(f->arena, payload->count, sizeof *c.nodes);
  c.by_order = etr_arena_alloc_array(f->arena, payload->count, sizeof *c.by_order);
  if (!c.origins || !c.nodes || !c.by_order || !index_classes(f, backend)) return false;
  /* Turns to another call, which the record's maps list and whose payload is the backend's. */
  f->lost->call = known;
  f->lost->backend = backend;
  f->lost->payload = payload;
  f->lost->is_listed = false;
  known->payload = payload;
  known->operator_nodes = c.nodes;
  known->operator_by_order = c.by_order;
  return join_operators(f, &c);
}

/* ---- All ---- */

static bool follow(flow *f, int32_t id) {
  const etr_instruction *instruction = &f->program->instructions[id];
  etr_placed *known = etr_placed_instruction(f->placement, id);
  if (instruction->kind != ETR_INSTRUCTION_DELEGATE) etr_uses_list(&f->uses, id);
  if (instruction->kind == ETR_INSTRUCTION_MOVE) follow_move(f, instruction);
  if (instruction->kind == ETR_INSTRUCTION_KERNEL && known && known->is_kernel) {
    join_kernel(f, known);
    for (size_t i = 0; i < f->uses.result_count; i++)
      write_tensor(f, f->uses.results[i], origin_of_result(f, known, i));
  }
  return instruction->kind != ETR_INSTRUCTION_DELEGATE || !known || !known->is_delegate ||
         join_delegate(f, known, instruction);
}

static bool follow_all(flow *f) {
  for (size_t i = 0; i < f->program->instruction_count && i < INT32_MAX; i++)
    if (!follow(f, (int32_t)i)) return false;
  return !etr_arena_failed(f->scratch);
}

bool etr_data_flow_find(etr_placement *placement, const etr_lowering *order, bool *taken, bool *is_cut,
                        etr_arena *arena, etr_arena *scratch) {
  flow f = {.placement = placement,
            .program = placement->method->program,
            .order = order,
            .rank = order->is_proven ? order->rank : NULL,
            .taken = taken,
            .arena = arena,
            .scratch = scratch,
            .budget = BUDGET};
  etr_storages_init(&f.storages, placement->method->program, scratch);
  f.origin = etr_arena_alloc_array(scratch, placement->method->program->value_count, sizeof *f.origin);
  if (!f.origin || !etr_graph_values_find(&f.values, placement->method->graph, scratch)) return false;
  for (size_t i = 0; i < placement->method->program->value_count; i++) f.origin[i] = UNKNOWN;
  f.assignment = (etr_assignment){.values = &f.values, .taken = taken, .rank = f.rank};
  f.assignment.uncertain = etr_arena_alloc_array(scratch, f.values.count, sizeof *f.assignment.uncertain);
  f.kernels = f.assignment.uncertain ? etr_candidates_new(&placement->method->by_operator, &f.assignment, scratch)
                                     : NULL;
  f.lost = lost_handles_new(placement, order, &f.assignment, scratch);
  if (!f.kernels || !f.lost || !find_returned(&f)) return false;
  if (!etr_uses_init(&f.uses, placement->method, NULL, scratch)) return false;
  /* The program's inputs are the graph's, in order. */
  size_t count = 0, at = 0;
  const etr_graph *graph = f.placement->method->graph;
  for (size_t i = 0; i < graph->node_count; i++)
    count += graph->nodes[i].kind == ETR_NODE_INPUT && graph->nodes[i].subgraph == ETR_NONE;
  for (uint32_t i = 0; i < graph->node_count && count == f.program->input_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_INPUT && graph->nodes[i].subgraph == ETR_NONE)
      write_tensor(&f, f.program->inputs[at++], f.values.first[i]);
  bool good = follow_all(&f);
  *is_cut = f.budget == 0 || f.uses.is_cut || f.lost->is_cut;
  return good;
}
