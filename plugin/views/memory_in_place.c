/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_in_place.c - results that could take the place of an argument.
 */
#include "views/memory_rules.h"

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

void etr_memory_find_in_place(etr_memory_finder *f) {
  const etr_memory_plan *plan = f->plan;
  /* The largest activation that each instruction is the last to use. */
  last_use *uses = etr_arena_alloc_array(f->arena, f->plan->instruction_count, sizeof *uses);
  for (size_t i = 0; uses && i < f->plan->tensor_count; i++) {
    const etr_planned_tensor *tensor = &f->plan->tensors[i];
    if (tensor->role != ETR_TENSOR_ACTIVATION || !has_own_memory(tensor) || tensor->last_instruction < 0) continue;
    last_use *use = &uses[tensor->last_instruction];
    if (tensor->first_instruction < tensor->last_instruction &&
        (!use->tensor || use->tensor->size_bytes < tensor->size_bytes))
      use->tensor = tensor;
  }
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
