/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_memory.c - writes the memory that a method's program plans: every tensor with its place,
 * its lifetime and what uses it.
 */
#include "output/label.h"
#include "report/profile_doc.h"
#include "tables/summary_output.h"
#include "views/memory_findings.h"

/* A planned tensor. */
typedef struct tensor_row {
  etr_arena *arena;
  const etr_memory_plan *plan;
  const etr_planned_tensor *tensor;
  const char *operator_name;   /* NULL: none */
  uint32_t operator;           /* ETR_NONE: none */
  double view_back, over_back; /* NAN: none */
} tensor_row;

static const tensor_row *as_row(const void *row) {
  return row;
}

/* Returns the cell with the name of a tensor; without a text if the operator has the same name,
 * which another column shows. */
static etr_cell name(const void *row) {
  const char *own = as_row(row)->tensor->tensor.name;
  const char *of_operator = as_row(row)->operator_name;
  return etr_cell_text(of_operator && strcmp(own, of_operator) == 0 ? NULL : own);
}

/* Returns the cell with the number of instructions from a tensor's first use to its last. */
static etr_cell lifetime(const void *row) {
  const etr_planned_tensor *tensor = as_row(row)->tensor;
  if (tensor->first_instruction < 0)
    return etr_cell_none();
  return etr_cell_number(tensor->last_instruction - tensor->first_instruction);
}

static etr_cell role(const void *row) {
  return etr_cell_text(etr_tensor_role_name(as_row(row)->tensor->role));
}

static etr_cell type(const void *row) {
  return etr_cell_text(etr_label_shape(as_row(row)->arena, &as_row(row)->tensor->tensor));
}

/* Returns the cell with the id of the planned buffer that a tensor is in. */
static etr_cell buffer_id(const void *row) {
  uint32_t index = as_row(row)->tensor->buffer;
  return index == ETR_NONE ? etr_cell_none()
                           : etr_cell_number(as_row(row)->plan->buffers[index].id);
}

#define TENSOR(kind, member)                                                                       \
  NULL, kind, ETR_IN_DOCUMENT, ETR_VIA(tensor_row, tensor, etr_planned_tensor, member)
#define ROW(kind, member) NULL, kind, ETR_IN_DOCUMENT, ETR_AT(tensor_row, member)

static const etr_field fields[] = {
    {"name", NULL, ETR_CELL_ITEM, ETR_IN_DOCUMENT, .get = name,
     .says = ETR_SAYS("of the weight, or \"value_\" and a number; null: its operator's"),
     .type = "text"},
    {"role", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, .get = role,
     .says = ETR_SAYS("activation, input, output, state")},
    {"type", NULL, ETR_CELL_NAME, ETR_IN_DOCUMENT, .get = type, .says = ETR_SAYS("\"f32[1,8]\"")},
    {"bytes", TENSOR(ETR_CELL_COUNT, size_bytes)},
    {"buffer", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, .get = buffer_id,
     .says = ETR_SAYS("id, as in buffers")},
    {"offset", TENSOR(ETR_CELL_COUNT, offset_bytes), .says = ETR_SAYS("in its buffer")},
    {"first_instruction_step", TENSOR(ETR_CELL_STEP, first_instruction),
     .says = ETR_SAYS("instruction from which on its bytes are in use")},
    {"life", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, .get = lifetime,
     .says = ETR_SAYS("number of instructions after that one, to the last that needs them")},
    {"made_by_step", TENSOR(ETR_CELL_STEP, made_by),
     .says = ETR_SAYS("instruction that first writes it")},
    {"module", TENSOR(ETR_CELL_COUNT, module), .says = ETR_SAYS("index into modules")},
    {"operator_step", ROW(ETR_CELL_STEP, operator), .says = ETR_SAYS("operator that computes it")},
    {"view_back", ROW(ETR_CELL_NUMBER, view_back),
     .says = ETR_SAYS(
         "of a tensor that shares memory on purpose: how many rows before it the tensor is "
         "whose memory that is. Its "
         "bytes count there, and it is never live itself")},
    {"misplaced", TENSOR(ETR_CELL_FLAG, is_misplaced),
     .says = ETR_SAYS("contradicts the program: in no sum")},
    {"largest_shape", TENSOR(ETR_CELL_FLAG, is_bound),
     .says = ETR_SAYS("the shape is dynamic, and this the largest")},
    {"over_back", ROW(ETR_CELL_NUMBER, over_back),
     .says = ETR_SAYS(
         "how many rows before it a tensor is that nothing needs afterwards, and over which "
         "its operator could write "
         "this one")},
    {"users", TENSOR(ETR_CELL_COUNT, user_count),
     .says = ETR_SAYS("number of instructions that read or write it; 0 for all: not known")},
};
ETR_ROW_TYPE(document_tensor, fields);

/* Returns how many rows before a row another one is. */
static double back(uint32_t row, uint32_t other) {
  return other == ETR_NONE ? NAN : (double)row - (double)other;
}

/* Writes the planned tensors as columns, then "users": the instructions that use each tensor, each
 * as the difference to the one before it, the first one to the instruction that makes the tensor.
 * Returns false when out of memory. */
static bool put_tensors(etr_profile_doc *doc, const etr_memory_plan *plan,
                        const etr_profile_operators *ops) {
  size_t count = plan->tensor_count;
  tensor_row *rows = etr_arena_alloc_array(&doc->arena, count, sizeof *rows);
  const uint32_t *in_place_of = etr_memory_in_place_make(&doc->arena, plan);
  if (!rows || !in_place_of)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    const etr_planned_tensor *tensor = &plan->tensors[i];
    bool has_operator = tensor->node != ETR_NONE && ops->row_of &&
                        ops->row_of[tensor->node] != ETR_NONE;
    rows[i] = (tensor_row){.arena = &doc->arena,
                           .plan = plan,
                           .tensor = tensor,
                           .operator_name = has_operator ? ops->graph->nodes[tensor->node].name
                                                         : NULL,
                           .operator = has_operator ? ops->row_of[tensor->node] : ETR_NONE,
                           .view_back = back(i, tensor->view_of),
                           .over_back = back(i, in_place_of[i])};
  }
  etr_profile_put_columns(doc, "tensors", &etr_document_tensor_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(rows, count));
  etr_field_begin_list(&doc->fields, "users");
  for (size_t i = 0; i < count; i++) {
    const etr_planned_tensor *tensor = &plan->tensors[i];
    int64_t last_user = ETR_MAX(tensor->first_instruction, 0);
    for (size_t k = 0; k < tensor->user_count; last_user = tensor->users[k++])
      etr_jw_int(doc->fields.json, (int64_t)tensor->users[k] - last_user);
  }
  etr_jw_end(doc->fields.json);
  return true;
}

bool etr_profile_put_memory(etr_profile_doc *doc, const etr_method *method,
                            const etr_profile_operators *ops) {
  etr_jw_object(doc->fields.json);
  etr_memory_put_document(&doc->fields, &doc->arena, method);
  bool good = put_tensors(doc, method->memory, ops);
  etr_jw_end(doc->fields.json);
  return good;
}
