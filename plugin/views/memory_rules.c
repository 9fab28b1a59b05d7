/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_rules.c - results that could take the place of an argument; weights.
 */
#include "views/memory_rules.h"

#include "output/writer.h"

/* ---- In place ---- */

/* Operators that compute each element of their result from the elements in the same place, or that only give data
 * another shape: their result may take the place of an argument. */
static const char *const elementwise[] = {
    "abs",          "add",         "clamp",   "clone",          "cos",       "div",         "elu",
    "erf",          "exp",         "gelu",    "hardtanh",       "hardswish", "hardsigmoid", "leaky_relu",
    "log",          "logical_not", "maximum", "minimum",        "mul",       "neg",         "pow",
    "reciprocal",   "relu",        "rsqrt",   "sigmoid",        "silu",      "sin",         "sqrt",
    "squeeze_copy", "sub",         "tanh",    "unsqueeze_copy", "view_copy"};

/* Of "aten::add.out". */
static bool is_elementwise(const etr_memory_step *step) {
  const char *colons = step->is_delegate ? NULL : strstr(step->op, "::");
  etr_slice name = colons ? (etr_slice){colons + 2, strcspn(colons + 2, ".")} : (etr_slice){0};
  for (size_t i = 0; i < ETR_COUNT(elementwise); i++)
    if (name.size && etr_slice_equal(name, etr_slice_of(elementwise[i]))) return true;
  return false;
}

/* The tensor that an instruction is the last to use and whose size and type are those of its result: what it reads, as
 * nothing else ends there. */
typedef struct last_use {
  const etr_planned_tensor *tensor; /* NULL: none */
} last_use;

static bool is_alike(const etr_planned_tensor *a, const etr_planned_tensor *b) {
  return a->size_bytes == b->size_bytes && a->buffer == b->buffer && a->tensor.dtype == b->tensor.dtype;
}

static bool has_own_memory(const etr_planned_tensor *tensor) {
  return tensor->view_of == ETR_NONE && !tensor->is_misplaced && tensor->size_bytes > 0;
}

/* The largest activation that each instruction is the last to use. */
static last_use *find_last_uses(const etr_memory_finder *f) {
  last_use *uses = etr_arena_alloc_array(f->arena, f->plan->instruction_count, sizeof *uses);
  for (size_t i = 0; uses && i < f->plan->tensor_count; i++) {
    const etr_planned_tensor *tensor = &f->plan->tensors[i];
    if (tensor->role != ETR_TENSOR_ACTIVATION || !has_own_memory(tensor) || tensor->last_instruction < 0) continue;
    last_use *use = &uses[tensor->last_instruction];
    if (tensor->first_instruction < tensor->last_instruction &&
        (!use->tensor || use->tensor->size_bytes < tensor->size_bytes))
      use->tensor = tensor;
  }
  return uses;
}

void etr_memory_find_in_place(etr_memory_finder *f) {
  const etr_memory_plan *plan = f->plan;
  const last_use *uses = find_last_uses(f);
  uint64_t *spared = etr_arena_alloc_array(f->arena, plan->instruction_count, sizeof *spared), peak = 0;
  size_t operators = 0;
  if (!uses || !spared) return;
  for (size_t i = 0; i < plan->tensor_count; i++) {
    const etr_planned_tensor *result = &plan->tensors[i];
    if (!has_own_memory(result) || result->made_by < 0 || result->made_by != result->first_instruction) continue;
    const etr_planned_tensor *argument = uses[result->made_by].tensor;
    if (!argument || !is_elementwise(&plan->steps[result->made_by]) || !is_alike(result, argument)) continue;
    if (spared[result->made_by]) continue;
    spared[result->made_by] = result->size_bytes;
    operators++;
  }
  for (size_t i = 0; i < plan->instruction_count; i++)
    peak = ETR_MAX(peak, plan->live_bytes[i] - ETR_MIN(spared[i], plan->live_bytes[i]));
  etr_memory_finding *added = etr_memory_finder_add(f, ETR_MEMORY_IN_PLACE, plan->peak_bytes - peak, plan->peak_bytes);
  if (!added) return;
  added->title = etr_arena_format(f->arena, "writing results in place would lower the peak to %s bytes",
                                  etr_bytes_text(f->arena, peak));
  added->evidence = etr_arena_format(
      f->arena, "%zu elementwise operator%s write%s a result as large as an argument that nothing needs afterwards",
      operators, operators == 1 ? "" : "s", operators == 1 ? "s" : "");
}

/* ---- Weights stored twice ---- */

/* The delegates, by instruction, that nodes with a weight run in; -1 stands for kernels. */
enum { MOST_USERS = 8 };

typedef struct users {
  int32_t list[MOST_USERS];
  size_t count;
} users;

static void note_user(users *u, int32_t instruction) {
  for (size_t i = 0; i < u->count; i++)
    if (u->list[i] == instruction) return;
  if (u->count < MOST_USERS) u->list[u->count++] = instruction;
}

static bool shares_named_data(const etr_program_memory *memory) {
  for (size_t i = 0; memory && i < memory->segment_count; i++)
    if (memory->segments[i].kind == ETR_SEGMENT_NAMED) return true;
  return false;
}

/* Who uses each weight: per node of the graph. */
static users *find_users(const etr_memory_finder *f, const etr_graph *graph) {
  users *all = etr_arena_alloc_array(f->arena, graph->node_count, sizeof *all);
  for (size_t i = 0; all && i < graph->node_count; i++) {
    if (graph->nodes[i].kind != ETR_NODE_OP) continue;
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      uint32_t input = graph->nodes[i].inputs[k].node;
      if (graph->nodes[input].weight_name) note_user(&all[input], graph->times[i].delegate_instruction);
    }
  }
  return all;
}

void etr_memory_find_stored_twice(etr_memory_finder *f) {
  const etr_graph *graph = etr_memory_graph(f->profile, f->method);
  const users *all = f->plan && graph && graph->times ? find_users(f, graph) : NULL;
  size_t weight_count, copies = 0;
  const etr_weight *weights = etr_weights_of(&weight_count, f->arena, f->profile, f->method);
  uint64_t bytes = 0, whole = 0;
  const etr_weight *first = NULL;
  if (!all || !weights || shares_named_data(f->profile->program_memory)) return;
  for (size_t i = 0; i < weight_count; i++) {
    const users *u = &all[weights[i].node - graph->nodes];
    whole = etr_add_up_to_most(whole, weights[i].bytes);
    if (u->count < 2 || !weights[i].is_known) continue;
    if (!first || first->bytes < weights[i].bytes) first = &weights[i];
    copies++;
    bytes = etr_add_up_to_most(bytes, (u->count - 1) * weights[i].bytes);
  }
  etr_memory_finding *added = first ? etr_memory_finder_add(f, ETR_MEMORY_STORED_TWICE, bytes, whole) : NULL;
  if (!added) return;
  added->title = etr_arena_format(f->arena, "%zu weight%s used in several delegates, or by kernels as well", copies,
                                  copies == 1 ? " is" : "s are");
  added->evidence = etr_arena_format(
      f->arena, "the largest is %.*s, %s bytes; each delegate may hold a copy, as the program shares no named data",
      ETR_HEAD(first->node->weight_name, 96), etr_bytes_text(f->arena, first->bytes));
}

/* ---- float32 beside int8 ---- */

typedef struct by_type {
  uint64_t floats, bytes; /* float32; int8 and uint8 */
  const char *largest;
  uint64_t largest_bytes;
} by_type;

static void add_type(by_type *sums, const etr_value *value, const char *name, uint64_t bytes) {
  const char *dtype = value->dtype ? value->dtype : "";
  if (strcmp(dtype, "int8") == 0 || strcmp(dtype, "uint8") == 0) sums->bytes = etr_add_up_to_most(sums->bytes, bytes);
  if (strcmp(dtype, "float32") != 0) return;
  sums->floats = etr_add_up_to_most(sums->floats, bytes);
  if (bytes <= sums->largest_bytes) return;
  sums->largest = name;
  sums->largest_bytes = bytes;
}

/* Of the graph's weights; without a graph, of the constants. */
static by_type sum_types(etr_memory_finder *f) {
  const etr_program_memory *memory = f->profile->program_memory;
  size_t count;
  by_type sums = {0};
  const etr_weight *weights = etr_weights_of(&count, f->arena, f->profile, f->method);
  for (size_t i = 0; weights && i < count; i++)
    add_type(&sums, weights[i].value, weights[i].node->weight_name, weights[i].bytes);
  if (etr_memory_graph(f->profile, f->method)) return sums;
  for (size_t i = 0; memory && i < memory->constant_count; i++)
    add_type(&sums, &memory->constants[i].tensor, memory->constants[i].tensor.name, memory->constants[i].size_bytes);
  return sums;
}

void etr_memory_find_float_beside(etr_memory_finder *f) {
  const by_type sums = sum_types(f);
  if (sums.bytes == 0 || !sums.largest) return;
  etr_memory_finding *added = etr_memory_finder_add(f, ETR_MEMORY_FLOAT_BESIDE, sums.floats,
                                                    etr_add_up_to_most(sums.floats, sums.bytes));
  if (!added) return;
  added->title = "float32 weights beside int8 ones";
  added->evidence = etr_arena_format(f->arena, "%s bytes of float32, %s of 8 bits; the largest float32 one is %.*s, %s",
                                     etr_bytes_text(f->arena, sums.floats), etr_bytes_text(f->arena, sums.bytes),
                                     ETR_HEAD(sums.largest, 96), etr_bytes_text(f->arena, sums.largest_bytes));
}
