/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method.c - indexes nodes by debug handle, and reads payloads of the program's delegates.
 */
#include "inputs/method.h"

#include "backends/operator.h"
#include "inputs/graph_values.h"
#include "inputs/program_values.h"

static bool is_delegate_call(const etr_node *node) {
  return strcmp(node->target, "higher_order.executorch_call_delegate") == 0;
}

static bool is_in_lowered_module(const etr_graph *graph, const etr_node *node) {
  return node->subgraph != ETR_NONE &&
         graph->subgraphs[node->subgraph].kind == ETR_SUBGRAPH_LOWERED;
}

/* to_executorch() gave the nodes of a changed graph new handles, which the maps do not mean, except
 * in lowered modules, which it leaves as they are. */
uint32_t etr_debug_handle_of(const etr_graph *graph, const etr_node *node) {
  return !graph->is_changed || is_in_lowered_module(graph, node) ? node->debug_handle : 0;
}

/* Calls of delegates are left out. Operators without a debug handle (0) are in neither index. In a
 * graph that to_executorch() changed, where handles of most nodes mean nothing, they still get
 * their number in method->operators. */
bool etr_method_index_nodes(etr_method_inputs *method, etr_arena *arena) {
  const etr_graph *graph = method->graph;
  size_t node_count = graph ? graph->node_count : 0;
  size_t count = 0;
  if (!graph)
    return true;
  etr_handle_node *by_handle = etr_arena_alloc_array(arena, node_count, sizeof *by_handle);
  etr_node_slot *slots = etr_arena_alloc_array(arena, node_count, sizeof *slots);
  method->uses = etr_count_uses(graph, arena);
  etr_map_init(&method->operators, arena);
  if (!by_handle || !slots || !method->uses)
    return false;
  for (uint32_t i = 0; i < node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    uint32_t handle = etr_debug_handle_of(graph, n);
    if (n->kind != ETR_NODE_OP || is_delegate_call(n) || (handle == 0 && !graph->is_changed))
      continue;
    uint32_t op = etr_map_number(&method->operators, etr_operator_of_target(n->target));
    if (handle == 0)
      continue;
    slots[count] = (etr_node_slot){handle, op, i};
    by_handle[count++] = (etr_handle_node){handle, i};
  }
  etr_sort(by_handle, count, sizeof *by_handle, etr_by_two_numbers);
  method->by_handle = by_handle;
  method->by_handle_count = count;
  method->by_operator = (etr_node_index){slots, count};
  etr_node_index_sort(&method->by_operator);
  return !etr_arena_failed(arena);
}

/* ---- Whether all inferences do the same work ---- */

/* Returns true for cond and while_loop, where the values of tensors decide what runs. map and scan
 * run their bodies as often as the shapes say. */
static bool branches_on_data(const etr_node *node) {
  return strcmp(node->target, "higher_order.cond") == 0 ||
         strncmp(node->target, "higher_order.while_loop", 23) == 0;
}

/* Returns whether an output of a node has a size that depends on the input. */
static bool has_symbolic_size(const etr_node *node) {
  for (size_t i = 0; i < node->output_count; i++)
    for (int32_t k = 0; k < node->outputs[i].rank; k++)
      if (node->outputs[i].dims[k].size == ETR_DIM_SYMBOLIC)
        return true;
  return false;
}

etr_work_varies etr_method_work_varies(const etr_method_inputs *method) {
  const etr_graph *graph = method->graph;
  const etr_pte_method *program = method->program;
  bool has_branches = false;
  for (size_t i = 0; graph && i < graph->node_count; i++) {
    if (has_symbolic_size(&graph->nodes[i]))
      return ETR_WORK_FOLLOWS_INPUT;
    has_branches |= branches_on_data(&graph->nodes[i]);
  }
  for (size_t i = 0; program && i < program->value_count; i++)
    if (program->values[i].kind == ETR_PTE_VALUE_TENSOR && program->values[i].dynamic)
      return ETR_WORK_FOLLOWS_INPUT;
  /* A program's jumps may also be loops, which a graph distinguishes: they count only without one.
   */
  for (size_t i = 0; !graph && program && i < program->instruction_count; i++)
    has_branches |= program->instructions[i].kind == ETR_INSTRUCTION_JUMP_FALSE;
  if (!graph && !program)
    return ETR_WORK_IS_UNKNOWN;
  return has_branches ? ETR_WORK_HAS_BRANCHES : ETR_WORK_IS_THE_SAME;
}

size_t etr_method_first_of_handle(const etr_method_inputs *method, uint32_t handle) {
  etr_handle_node wanted = {handle, 0};
  return etr_lower_bound(&wanted, method->by_handle, method->by_handle_count,
                         sizeof *method->by_handle, etr_by_two_numbers);
}

bool etr_method_shares_handle(const etr_method_inputs *method, uint32_t handle) {
  size_t first = etr_method_first_of_handle(method, handle);
  return first + 1 < method->by_handle_count && method->by_handle[first + 1].handle == handle;
}

/* skip[i] belongs to the handle whose first node has the index i in by_handle: so many of its nodes
 * are known to be taken and need not be looked at again. */
uint32_t etr_method_next_free(const etr_method_inputs *method, const bool *is_taken, size_t *skip,
                              uint32_t handle) {
  size_t first = etr_method_first_of_handle(method, handle);
  size_t end = method->by_handle_count;
  if (first == end)
    return ETR_NONE;
  for (size_t slot = first + skip[first]; slot < end && method->by_handle[slot].handle == handle;
       slot++, skip[first]++)
    if (!is_taken[method->by_handle[slot].node])
      return method->by_handle[slot].node;
  return ETR_NONE;
}

uint32_t *etr_count_uses(const etr_graph *graph, etr_arena *arena) {
  uint32_t *uses = etr_arena_alloc_array(arena, graph->node_count, sizeof *uses);
  for (size_t i = 0; uses && i < graph->node_count; i++)
    for (size_t k = 0; k < graph->nodes[i].input_count; k++)
      uses[graph->nodes[i].inputs[k].node]++;
  return uses;
}

etr_slice etr_method_payload(const etr_method_inputs *method, int32_t instruction_id) {
  const etr_instruction *instruction = etr_instruction_at(method->program, instruction_id);
  const etr_pte_delegate *delegate = etr_delegate_of(method->program, instruction);
  return delegate ? delegate->payload : (etr_slice){0};
}

const etr_own_graph *etr_method_own_graph(const etr_method_inputs *method, int32_t instruction_id) {
  const etr_instruction *instruction = etr_instruction_at(method->program, instruction_id);
  const etr_pte_delegate *delegate = etr_delegate_of(method->program, instruction);
  if (!delegate || !method->payloads)
    return NULL;
  return etr_payloads_graph(method->payloads, delegate->backend, delegate->payload);
}

const char *etr_program_unlike(const etr_graph *graph, const etr_pte_method *program,
                               etr_arena *arena) {
  bool in_graph = false, in_program = false, in_delegates = false, is_known = true;
  etr_arena scratch = {0};
  for (size_t i = 0; i < graph->node_count; i++)
    in_graph |= graph->nodes[i].target && strstr(graph->nodes[i].target, "quantize");
  for (size_t i = 0; i < program->instruction_count; i++)
    in_program |= program->instructions[i].op && strstr(program->instructions[i].op, "quantize");
  for (size_t i = 0; i < program->delegate_count; i++) {
    const etr_backend *backend = etr_backend_of(program->delegates[i].backend);
    etr_payload payload = {0};
    is_known &= backend && backend->read_payload(&payload, &scratch, program->delegates[i].payload);
    for (size_t k = 0; k < payload.value_count; k++)
      in_delegates |= payload.values[k].is_quantized;
  }
  arena->failed |= scratch.failed;
  etr_arena_clear(&scratch);
  if (in_delegates && !in_graph)
    return "delegates of the program multiply quantized numbers, which the Edge program lacks";
  bool lacks_them = in_graph && is_known && !in_delegates && !in_program;
  return lacks_them ? "the Edge program has quantized numbers, which the program lacks" : NULL;
}

/* Returns whether a node is read, cannot vanish as a view does, and is taken by no backend. */
static bool must_be_kernel(const etr_pte_method *program, const etr_graph *graph,
                           const uint32_t *uses, const etr_node *node) {
  if (node->kind != ETR_NODE_OP || strncmp(node->target, "aten.", 5) != 0 || etr_is_view(node) ||
      !etr_has_tensor(node) || uses[node - graph->nodes] == 0 || is_in_lowered_module(graph, node))
    return false;
  for (size_t i = 0; i < program->delegate_count; i++) {
    const etr_backend *backend = etr_backend_of(program->delegates[i].backend);
    if (!backend || !backend->takes || backend->takes(graph, uses, node))
      return false;
  }
  return true;
}

const char *etr_program_lacks(const etr_graph *graph, const etr_pte_method *program,
                              etr_arena *arena) {
  etr_map kernels;
  etr_slice first = {0};
  size_t count = 0, others = 0;
  const uint32_t *uses = etr_count_uses(graph, arena);
  etr_map_init(&kernels, arena);
  for (size_t i = 0; i < program->instruction_count; i++) {
    etr_slice op = etr_operator_of_kernel(etr_or_empty(program->instructions[i].op));
    op.size -= etr_operator_is_in_place(op); /* without the underscore, as in the graph */
    etr_map_set(&kernels, op, 1);
    if (etr_slice_starts(op, ETR_SLICE("embedding_"))) /* of a quantized table, fused from it */
      etr_map_set(&kernels, ETR_SLICE("embedding"), 1);
  }
  for (size_t i = 0; uses && !graph->is_changed && i < graph->node_count; i++) {
    etr_slice op = etr_operator_of_target(graph->nodes[i].target);
    if (!must_be_kernel(program, graph, uses, &graph->nodes[i]) ||
        etr_map_get(&kernels, op) != ETR_NONE)
      continue;
    first = count ? first : op;
    *(etr_slice_equal(op, first) ? &count : &others) += 1;
  }
  if (count == 0)
    return NULL;
  bool is_one = count + others == 1;
  return etr_arena_format(
      arena,
      "%zu %.*s%s of the Edge program %s not in the program, as if a pass took %s out after the "
      "ETRecord's copy was made: %s did not run",
      count, (int)first.size, first.data, others ? " and others" : "", is_one ? "is" : "are",
      is_one ? "it" : "them", is_one ? "it" : "they");
}

void etr_payloads_warn(const etr_payloads *payloads, const char *path, etr_warnings *warnings) {
  if (payloads->hidden)
    etr_warn(warnings, path, NULL, ETR_NO_OFFSET,
             "%zu delegates share large payloads with others; their operators are not shown again",
             payloads->hidden);
  for (size_t i = 0; i < payloads->unread.count; i++)
    etr_warn(
        warnings, path, NULL, ETR_NO_OFFSET,
        "a payload of %.*s is not what this backend is known to write: its delegate stays one node",
        ETR_HEAD(payloads->unread.data[i], 80));
}

/* ---- A sorted list ---- */

/* Orders slots by handle, then by kind, then by node. */
static int compare_slots(const void *a, const void *b) {
  const etr_node_slot *x = a, *y = b;
  if (x->handle != y->handle)
    return x->handle < y->handle ? -1 : 1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

enum { FEW_SLOTS = 4 };

void etr_node_index_sort(etr_node_index *index) {
  etr_sort(index->slots, index->count, sizeof *index->slots, compare_slots);
}

/* Most nodes are the only one of their kind, so the first few slots are counted one by one, which
 * is faster than a second search. */
size_t etr_node_index_find(const etr_node_index *index, uint32_t handle, uint32_t kind,
                           size_t *count) {
  etr_node_slot wanted = {handle, kind, 0};
  const etr_node_slot *slots = index->slots;
  size_t first = etr_lower_bound(&wanted, slots, index->count, sizeof *slots, compare_slots);
  size_t end = first;
  while (end < index->count && end < first + FEW_SLOTS && slots[end].handle == handle &&
         slots[end].kind == kind)
    end++;
  wanted.node = UINT32_MAX;
  if (end == first + FEW_SLOTS)
    end = etr_lower_bound(&wanted, slots, index->count, sizeof *slots, compare_slots);
  *count = end - first;
  return first;
}
