/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_output.c - memory: rows and columns, as a JSON document, on one screen or for an issue, as
 * a page; for programs, a row for each tensor.
 */
#include "tables/summary_output.h"

#include "output/label.h"
#include "output/node_filter.h"
#include "output/section.h"
#include "output/statistics.h"
#include "tables/decoder_output.h"
#include "views/decoder.h"
#include "views/delegate_payload.h"
#include "views/memory_findings.h"

#include <inttypes.h>

/* A method whose memory is shown, or the program: what the rows of its sections are found by. */
typedef struct memory {
  etr_arena *arena;
  const etr_profile *profile;
  const etr_program_memory *program; /* NULL: not known */
  const etr_method *method;          /* NULL: the program */
  const etr_memory_plan *plan;       /* the method's; NULL: not known */
  bool is_short;                     /* the page has no room for long lists */
} memory;

static const memory *as_memory(const void *row) {
  return row;
}

/* Gathers what the rows about memory are made from. method: NULL for those of the program as a
 * whole. */
static memory gather_memory(etr_arena *arena, const etr_profile *profile,
                            const etr_method *method) {
  return (memory){.arena = arena,
                  .profile = profile,
                  .program = profile->program_memory,
                  .method = method,
                  .plan = method ? method->memory : NULL};
}

/* The parts of documents: ETR_IN_JSON has all there is, ETR_IN_DOCUMENT what the dashboard has room
 * for. */
enum {
  MOST_SHOWN = 100,
  PROGRAMS = ETR_IN_JSON | ETR_IN_DATA,
  READ = ETR_IN_TEXT | ETR_IN_MARKDOWN,
  BOTH = ETR_IN_JSON | ETR_IN_DOCUMENT,
};

/* Returns the first MOST_SHOWN rows if the dashboard's page is written, which has no room for long
 * lists; else all. */
static etr_rows first_rows_shown(const memory *subject, etr_rows rows) {
  if (subject->is_short)
    rows.count = ETR_MIN(rows.count, (size_t)MOST_SHOWN);
  return rows;
}

/* ---- Tensors ---- */

/* A tensor that is planned, constant, or at the method's boundary. */
typedef struct tensor_row {
  memory subject;
  const etr_value *tensor;
  const char *role;
  uint64_t bytes;
  uint64_t whole;                    /* bytes of all tensors that it is listed with; 0: no share */
  int64_t buffer;                    /* id of its buffer; -1: none */
  const char *op, *module;           /* of what made it */
  const char *view_of;               /* tensor in whose memory it lies on purpose */
  const char *place;                 /* of a constant */
  const etr_planned_tensor *planned; /* or NULL */
  const etr_constant *constant;      /* or NULL */
  const etr_boundary_tensor *boundary; /* or NULL */
} tensor_row;

static const tensor_row *as_row(const void *row) {
  return row;
}

/* Makes the row of the i-th planned tensor of a method. Its buffer is -1 if it has none, its
 * operator NULL if no instruction makes it, and view_of NULL if it is no view of another tensor. */
static tensor_row make_planned_row(const memory *subject, size_t i) {
  const etr_planned_tensor *planned = &subject->plan->tensors[i];
  return (tensor_row){
      .subject = *subject,
      .tensor = &planned->tensor,
      .role = etr_tensor_role_name(planned->role),
      .bytes = planned->size_bytes,
      .buffer = planned->buffer == ETR_NONE ? -1
                                            : (int64_t)subject->plan->buffers[planned->buffer].id,
      .op = planned->made_by < 0
                ? NULL
                : etr_memory_step_op(subject->profile, subject->method, planned->made_by),
      .module = etr_memory_module(subject->profile, subject->method, planned->module),
      .view_of = planned->view_of == ETR_NONE
                     ? NULL
                     : subject->plan->tensors[planned->view_of].tensor.name,
      .planned = planned};
}

/* Lists the tensors whose bytes are needed at the instruction with the most live bytes, most bytes
 * first, each with the sum of all (`whole`), of which it is a share; none if nothing is planned.
 * The dashboard's page has only the first ones. row: a `memory` with a plan. */
static etr_rows list_live_at_peak(const void *row) {
  const memory *subject = row;
  const etr_memory_plan *plan = subject->plan;
  size_t count = 0;
  const uint32_t *live = etr_live_tensors_make(&count, subject->arena, plan,
                                               plan->peak_instruction);
  tensor_row *rows = live ? etr_arena_alloc_array(subject->arena, count, sizeof *rows) : NULL;
  for (size_t i = 0; rows && i < count; i++) {
    rows[i] = make_planned_row(subject, live[i]);
    rows[i].whole = plan->live_bytes[plan->peak_instruction];
  }
  return first_rows_shown(subject, ETR_ROWS(rows, rows ? count : 0));
}

/* Lists the tensors for which the method plans memory. row: a `memory` with a plan. */
static etr_rows list_planned_tensors(const void *row) {
  const memory *subject = row;
  size_t count = subject->plan->tensor_count;
  tensor_row *rows = etr_arena_alloc_array(subject->arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < count; i++)
    rows[i] = make_planned_row(subject, i);
  return ETR_ROWS(rows, rows ? count : 0);
}

/* Lists the constants of the program, with where each is stored. They are in no planned buffer
 * (-1). Returns no rows when out of memory. row: a `memory` with a program. */
static etr_rows list_constants(const void *row) {
  const memory *subject = row;
  size_t count = subject->program->constant_count;
  tensor_row *rows = etr_arena_alloc_array(subject->arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < count; i++) {
    const etr_constant *constant = &subject->program->constants[i];
    rows[i] = (tensor_row){.subject = *subject,
                           .tensor = &constant->tensor,
                           .role = "constant",
                           .bytes = constant->size_bytes,
                           .buffer = -1,
                           .place = etr_constant_place_name(constant->place),
                           .constant = constant};
  }
  return ETR_ROWS(rows, rows ? count : 0);
}

/* Lists the inputs and outputs of the method and their bytes. Returns no rows when out of memory.
 * row: a `memory` with a plan. */
static etr_rows list_inputs_and_outputs(const void *row) {
  const memory *subject = row;
  size_t count = subject->plan->boundary_count;
  tensor_row *rows = etr_arena_alloc_array(subject->arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < count; i++) {
    const etr_boundary_tensor *boundary = &subject->plan->boundary[i];
    rows[i] = (tensor_row){.subject = *subject,
                           .tensor = &boundary->tensor,
                           .role = etr_tensor_role_name(boundary->role),
                           .bytes = boundary->size_bytes,
                           .boundary = boundary};
  }
  return ETR_ROWS(rows, rows ? count : 0);
}

static etr_cell type(const void *row) {
  return etr_cell_text(etr_label_shape(as_row(row)->subject.arena, as_row(row)->tensor));
}
static etr_cell share(const void *row) {
  return as_row(row)->whole ? etr_cell_share((double)as_row(row)->bytes, (double)as_row(row)->whole)
                            : etr_cell_none();
}

/* Returns the label of the node that computes a planned tensor; no cell if it is unknown. */
static etr_cell node(const void *row) {
  const etr_planned_tensor *planned = as_row(row)->planned;
  const memory *subject = &as_row(row)->subject;
  const etr_graph *graph = planned ? etr_memory_graph(subject->profile, subject->method) : NULL;
  if (!graph || planned->node == ETR_NONE)
    return etr_cell_none();
  return etr_cell_text(etr_label_node(subject->arena, graph, planned->node));
}

/* Returns the first and the last instruction that need a tensor, "3-9"; no cell for a tensor
 * without any. */
static etr_cell lifetime(const void *row) {
  const etr_planned_tensor *planned = as_row(row)->planned;
  if (!planned || planned->first_instruction < 0)
    return etr_cell_none();
  return etr_cell_text(etr_arena_format(as_row(row)->subject.arena, "%d-%d",
                                        (int)planned->first_instruction,
                                        (int)planned->last_instruction));
}

static void put_shape(const etr_fields *f, const void *row) {
  etr_field_shape(f, as_row(row)->tensor);
}

#define PLANNED(name) ETR_VIA(tensor_row, planned, etr_planned_tensor, name)
#define TENSOR(name) ETR_VIA(tensor_row, tensor, etr_value, name)
#define CONSTANT(name) ETR_VIA(tensor_row, constant, etr_constant, name)
#define BOUNDARY(name) ETR_VIA(tensor_row, boundary, etr_boundary_tensor, name)

static const etr_field tensor_fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_DATA,
     ETR_VIA(tensor_row, subject.method, etr_method, name)},
    {"name", "tensor", ETR_CELL_NAME, ETR_IN_TEXT | PROGRAMS, TENSOR(name),
     .says = ETR_SAYS("of the node's result or the weight; else \"value_\" and a number")},
    {"role", "role", ETR_CELL_WORD, PROGRAMS, ETR_AT(tensor_row, role), .type = "tensor_role"},
    {NULL, "bytes", ETR_CELL_BYTES, ETR_IN_TEXT, ETR_AT(tensor_row, bytes)},
    {NULL, "share", ETR_CELL_SHARE, ETR_IN_TEXT, .get = share},
    {NULL, "type", ETR_CELL_NAME, ETR_IN_TEXT | ETR_IN_DATA, .get = type},
    {"dtype", NULL, ETR_CELL_WORD, ETR_IN_JSON, TENSOR(dtype), .nullable = true},
    {"shape", .in = ETR_IN_JSON, .put = put_shape,
     .says = ETR_SAYS("sizes; the expression of a symbolic one; null: unknown"), .type = "shape",
     .nullable = true},
    {"bytes", "bytes", ETR_CELL_COUNT, PROGRAMS, ETR_AT(tensor_row, bytes)},
    {"buffer", "buffer", ETR_CELL_COUNT, PROGRAMS, ETR_AT(tensor_row, buffer),
     .says = ETR_SAYS("id; null: the method has no such buffer"), .nullable = true},
    {"offset", "offset", ETR_CELL_COUNT, PROGRAMS, PLANNED(offset_bytes)},
    {"first_instruction", "first instruction", ETR_CELL_COUNT, PROGRAMS, PLANNED(first_instruction),
     .nullable = true},
    {"last_instruction", "last instruction", ETR_CELL_COUNT, PROGRAMS, PLANNED(last_instruction),
     .says = ETR_SAYS("both included"), .nullable = true},
    {"made_by", "made by", ETR_CELL_COUNT, PROGRAMS, PLANNED(made_by),
     .says = ETR_SAYS("instruction that first writes it; null: none, as of inputs and views"),
     .nullable = true},
    {NULL, "live", ETR_CELL_WORD, ETR_IN_TEXT, .get = lifetime},
    {"op", "operator", ETR_CELL_NAME, PROGRAMS | ETR_IN_TEXT, ETR_AT(tensor_row, op),
     .says = ETR_SAYS("what made it"), .nullable = true},
    {"module", "module", ETR_CELL_NAME, PROGRAMS | ETR_IN_TEXT, ETR_AT(tensor_row, module),
     .nullable = true},
    {"node", "node", ETR_CELL_NAME, PROGRAMS, .get = node, .nullable = true},
    {"view_of", "view of", ETR_CELL_NAME, PROGRAMS, ETR_AT(tensor_row, view_of),
     .says = ETR_SAYS("the tensor in whose memory it lies on purpose; its bytes count there"),
     .nullable = true},
    {NULL, "place", ETR_CELL_WORD, ETR_IN_DATA, ETR_AT(tensor_row, place)},
    {NULL, "segment", ETR_CELL_COUNT, ETR_IN_DATA, CONSTANT(segment)},
    {"largest_shape", NULL, ETR_CELL_FLAG, ETR_IN_JSON, PLANNED(is_bound),
     .says = ETR_SAYS("the shape is dynamic, and this the largest")},
    {"misplaced", NULL, ETR_CELL_FLAG, ETR_IN_JSON, PLANNED(is_misplaced),
     .says = ETR_SAYS("contradicts the program: in no sum")},
};
ETR_ROW_TYPE(tensor, tensor_fields);

static const etr_field constant_fields[] = {
    {"name", NULL, ETR_CELL_NAME, ETR_IN_JSON, TENSOR(name),
     .says = ETR_SAYS(
         "the weight's, or what the program calls it; else \"constant_\" and a number")},
    {"dtype", NULL, ETR_CELL_WORD, ETR_IN_JSON, TENSOR(dtype), .nullable = true},
    {"shape", .in = ETR_IN_JSON, .put = put_shape,
     .says = ETR_SAYS("sizes; the expression of a symbolic one; null: unknown"), .type = "shape",
     .nullable = true},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(tensor_row, bytes)},
    {"place", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(tensor_row, place),
     .type = "constant_place"},
    {"segment", NULL, ETR_CELL_COUNT, ETR_IN_JSON, CONSTANT(segment),
     .says = ETR_SAYS("index into segments"), .nullable = true},
    {"uses", NULL, ETR_CELL_COUNT, ETR_IN_JSON, CONSTANT(uses),
     .says = ETR_SAYS("tensors that have this data")},
    {"mutable", NULL, ETR_CELL_FLAG, ETR_IN_JSON, CONSTANT(is_mutable),
     .says = ETR_SAYS("what a planned tensor starts with")},
};
ETR_ROW_TYPE(constant, constant_fields);

static const etr_field boundary_fields[] = {
    {"role", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(tensor_row, role), .type = "boundary_role"},
    {"index", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BOUNDARY(index)},
    {"name", NULL, ETR_CELL_NAME, ETR_IN_JSON, TENSOR(name)},
    {"dtype", NULL, ETR_CELL_WORD, ETR_IN_JSON, TENSOR(dtype), .nullable = true},
    {"shape", .in = ETR_IN_JSON, .put = put_shape,
     .says = ETR_SAYS("sizes; the expression of a symbolic one; null: unknown"), .type = "shape",
     .nullable = true},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(tensor_row, bytes)},
    {"largest_shape", NULL, ETR_CELL_FLAG, ETR_IN_JSON, BOUNDARY(is_bound)},
    {"planned", NULL, ETR_CELL_FLAG, ETR_IN_JSON, BOUNDARY(is_planned),
     .says = ETR_SAYS("false: the application provides the memory")},
};
ETR_ROW_TYPE(boundary, boundary_fields);

/* ---- Buffers, sums, allocations ---- */

/* Returns the bytes that are planned for a buffer, but not live at the buffer's peak. */
static etr_cell not_live_at_peak(const void *row) {
  const etr_planned_buffer *b = row;
  return etr_cell_number(b->size_bytes > b->peak_bytes ? (double)(b->size_bytes - b->peak_bytes)
                                                       : 0);
}

/* Returns which share of a buffer's planned bytes is live at its peak; no cell for an empty one. */
static etr_cell peak_share(const void *row) {
  const etr_planned_buffer *b = row;
  return b->size_bytes ? etr_cell_share((double)b->peak_bytes, (double)b->size_bytes)
                       : etr_cell_none();
}

#define BUFFER(name) ETR_AT(etr_planned_buffer, name)

static const etr_field buffer_fields[] = {
    {"id", "buffer", ETR_CELL_COUNT, READ | ETR_IN_JSON, BUFFER(id),
     .says = ETR_SAYS("memory_id of tensors")},
    {"device", "device", ETR_CELL_WORD, READ | ETR_IN_JSON, BUFFER(device), .spare = 1,
     .says = ETR_SAYS("\"cpu\", \"cuda:0\"")},
    {"planned_bytes", "planned", ETR_CELL_BYTES, READ | ETR_IN_JSON, BUFFER(size_bytes)},
    {"top_bytes", NULL, ETR_CELL_BYTES, ETR_IN_JSON, BUFFER(top_bytes),
     .says = ETR_SAYS("end of the tensor that lies highest")},
    {"peak_bytes", "live at peak", ETR_CELL_BYTES, READ | ETR_IN_JSON, BUFFER(peak_bytes),
     .says = ETR_SAYS("most that is live at one instruction")},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = peak_share},
    {"unused_bytes", "not live then", ETR_CELL_BYTES, READ | ETR_IN_JSON, .get = not_live_at_peak,
     .spare = 4, .says = ETR_SAYS("planned, but not live then")},
    {"peak_instruction", "instruction", ETR_CELL_COUNT, READ | ETR_IN_JSON,
     BUFFER(peak_instruction), .spare = 2, .nullable = true},
    {"tensors", "tensors", ETR_CELL_COUNT, READ | ETR_IN_JSON, BUFFER(tensor_count), .spare = 3},
};
ETR_ROW_TYPE(buffer, buffer_fields);

/* Weights or constants that are summed up, and the bytes of all of the list. */
typedef struct sum_row {
  etr_weight_sum sum;
  uint64_t whole;
} sum_row;

/* Makes rows of sums, each with the bytes of all of them together, of which the row is a share,
 * but none if `sums` is NULL: memory ran out. */
static etr_rows make_sum_rows(const memory *subject, const etr_weight_sum *sums, size_t count) {
  sum_row *rows = sums ? etr_arena_alloc_array(subject->arena, count, sizeof *rows) : NULL;
  uint64_t total_bytes = 0;
  for (size_t i = 0; rows && i < count; i++)
    total_bytes = etr_add_up_to_most(total_bytes, sums[i].bytes);
  for (size_t i = 0; rows && i < count; i++)
    rows[i] = (sum_row){sums[i], total_bytes};
  return ETR_ROWS(rows, rows ? count : 0);
}

/* Lists the program's constants, in number and bytes, summed up by number type and by where the
 * data is: a segment of the .pte, inline in its program, or an external file. row: a `memory`. */
static etr_rows list_constant_sums(const void *row) {
  size_t count = 0;
  const memory *subject = row;
  const etr_weight_sum *sums = etr_constant_sums_make(&count, subject->arena, subject->program);
  return make_sum_rows(subject, sums, count);
}

/* Lists the weights of a method's graph. row: a `memory`. None when out of memory: the arena has
 * failed. */
static etr_rows list_weights(const void *row) {
  size_t count = 0;
  const etr_weight *weights = etr_weights_of(&count, as_memory(row)->arena, as_memory(row)->profile,
                                             as_memory(row)->method);
  return ETR_ROWS(weights, weights ? count : 0);
}

/* Lists the sums of a method's weights by module and number type; only the first ones for the
 * dashboard's page. */
static etr_rows list_weight_sums(const void *row) {
  size_t count = 0;
  const memory *subject = row;
  const etr_rows weights = list_weights(row);
  const etr_weight_sum *sums = etr_weight_sums_make(&count, subject->arena, weights.first,
                                                    weights.count);
  return first_rows_shown(subject, make_sum_rows(subject, sums, count));
}

static etr_cell sum_share(const void *row) {
  const sum_row *r = row;
  return r->whole ? etr_cell_share((double)r->sum.bytes, (double)r->whole) : etr_cell_none();
}

static etr_cell module_or_model(const void *row) {
  const char *module = ((const sum_row *)row)->sum.module;
  return etr_cell_text(module[0] ? module : "(top level)");
}

#define SUM(name) ETR_AT(sum_row, sum.name)

static const etr_field constant_sum_fields[] = {
    {"place", "constants in", ETR_CELL_WORD, READ | ETR_IN_JSON, SUM(place),
     .says = ETR_SAYS("\"segment 0\", \"inline\" or \"external\"")},
    {"dtype", "dtype", ETR_CELL_WORD, READ | ETR_IN_JSON, SUM(dtype),
     .says = ETR_SAYS("\"\" if unknown")},
    {"count", "tensors", ETR_CELL_COUNT, READ | ETR_IN_JSON, SUM(count),
     .says = ETR_SAYS("tensors")},
    {"bytes", "bytes", ETR_CELL_BYTES, READ | ETR_IN_JSON, SUM(bytes)},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = sum_share},
};
ETR_ROW_TYPE(constant_sum, constant_sum_fields);

static const etr_field weight_sum_fields[] = {
    {NULL, "weights of", ETR_CELL_NAME, READ, .get = module_or_model},
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, SUM(module),
     .says = ETR_SAYS("by the weights' names; \"\": the top level")},
    {"dtype", "dtype", ETR_CELL_WORD, READ | ETR_IN_JSON, SUM(dtype),
     .says = ETR_SAYS("\"\" if unknown")},
    {"count", "tensors", ETR_CELL_COUNT, READ | ETR_IN_JSON, SUM(count),
     .says = ETR_SAYS("tensors")},
    {"bytes", "bytes", ETR_CELL_BYTES, READ | ETR_IN_JSON, SUM(bytes)},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = sum_share},
};
ETR_ROW_TYPE(weight_sum, weight_sum_fields);

/* Processed bytes that a method passes to its delegates, and the weights in them. */
typedef struct blob_row {
  const etr_delegate_blob *blob;
  const etr_delegate_payload *payload; /* NULL: not known */
} blob_row;

static bool has_known_weights(const void *row) {
  const etr_delegate_payload *payload = ((const blob_row *)row)->payload;
  return payload && !payload->is_closed;
}

/* Lists the payloads (processed bytes) that the method passes to its delegates. row: a `memory`
 * with a plan. */
static etr_rows list_payloads(const void *row) {
  const memory *subject = row;
  const etr_delegate_payloads payloads = etr_delegate_payloads_make(subject->arena,
                                                                    subject->profile);
  blob_row *rows = etr_arena_alloc_array(subject->arena, subject->plan->blob_count, sizeof *rows);
  for (size_t i = 0; rows && i < subject->plan->blob_count; i++) {
    const etr_delegate_blob *blob = &subject->plan->blobs[i];
    rows[i] = (blob_row){blob, etr_delegate_payload_of(&payloads, subject->profile, subject->method,
                                                       blob->instruction)};
  }
  return ETR_ROWS(rows, rows ? subject->plan->blob_count : 0);
}

#define BLOB(name) ETR_VIA(blob_row, blob, etr_delegate_blob, name)
#define PAYLOAD(name) ETR_VIA(blob_row, payload, etr_delegate_payload, name)

static const etr_field blob_fields[] = {
    {"backend", NULL, ETR_CELL_NAME, ETR_IN_JSON, BLOB(backend)},
    {"instruction", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BLOB(instruction),
     .says = ETR_SAYS("the first that calls a delegate with these bytes"), .nullable = true},
    {"delegates", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BLOB(delegate_count),
     .says = ETR_SAYS("that have them")},
    {"bytes", NULL, ETR_CELL_BYTES, ETR_IN_JSON, BLOB(size_bytes)},
    {"weight_bytes", NULL, ETR_CELL_BYTES, ETR_IN_JSON, PAYLOAD(weight_bytes),
     .has = has_known_weights,
     .says = ETR_SAYS(
         "of its weights, in these bytes or in named data; null: the format is closed, and they "
         "are part of `bytes`"),
     .nullable = true},
    {"segment", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BLOB(segment),
     .says = ETR_SAYS("index into the program's segments; null: inside the program"),
     .nullable = true},
};
ETR_ROW_TYPE(blob, blob_fields);

/* The payloads of one backend, and the weights in them. */
typedef struct blob_sum_row {
  etr_blob_sum sum;
  uint64_t weight_bytes;
  bool is_closed; /* the weights of one payload or more are not known */
} blob_sum_row;

static bool has_all_weights_known(const void *row) {
  return !((const blob_sum_row *)row)->is_closed;
}
static etr_cell sum_weights(const void *row) {
  const blob_sum_row *r = row;
  return r->is_closed ? etr_cell_text(ETR_CLOSED_FORMAT) : etr_cell_number((double)r->weight_bytes);
}

#define BLOBS(name) ETR_AT(blob_sum_row, sum.name)

static const etr_field blob_sum_fields[] = {
    {"backend", "given to", ETR_CELL_NAME, READ | ETR_IN_JSON, BLOBS(backend)},
    {"delegates", "delegates", ETR_CELL_COUNT, READ | ETR_IN_JSON, BLOBS(delegates)},
    {"bytes", "bytes", ETR_CELL_BYTES, READ | ETR_IN_JSON, BLOBS(bytes)},
    {NULL, "weight bytes", ETR_CELL_BYTES, READ, .get = sum_weights},
    {"weight_bytes", NULL, ETR_CELL_BYTES, ETR_IN_JSON, ETR_AT(blob_sum_row, weight_bytes),
     .has = has_all_weights_known,
     .says = ETR_SAYS(
         "of known weights, in these bytes or in named data; null: a format is closed, and they "
         "are part of `bytes`"),
     .nullable = true},
    {"largest_bytes", "largest", ETR_CELL_BYTES, READ | ETR_IN_JSON, BLOBS(largest_bytes)},
    {"largest_instruction", "at instruction", ETR_CELL_COUNT, READ | ETR_IN_JSON,
     BLOBS(largest_instruction)},
};
ETR_ROW_TYPE(blob_sum, blob_sum_fields);

/* Lists the sums of payloads by backend, with the bytes of the weights in them. A sum is closed if
 * the format of one of its payloads is not known, so that these bytes are not all known. The
 * dashboard's page has only the first ones. row: a `memory` with a plan. */
static etr_rows list_payload_sums(const void *row) {
  size_t count = 0;
  const memory *subject = row;
  const etr_blob_sum *sums = etr_blob_sums_make(&count, subject->arena, subject->plan);
  const etr_rows blobs = list_payloads(row);
  const blob_row *payloads = blobs.first;
  blob_sum_row *rows = sums ? etr_arena_alloc_array(subject->arena, count, sizeof *rows) : NULL;
  for (size_t i = 0; rows && i < count; i++) {
    rows[i].sum = sums[i];
    for (size_t k = 0; k < blobs.count; k++) {
      const blob_row *passed = &payloads[k];
      if (strcmp(passed->blob->backend, sums[i].backend) != 0)
        continue;
      rows[i].is_closed |= !has_known_weights(passed);
      rows[i].weight_bytes += passed->payload ? passed->payload->weight_bytes : 0;
    }
  }
  return first_rows_shown(subject, ETR_ROWS(rows, rows ? count : 0));
}

/* Equal allocations of several runs. */
typedef struct allocation_row {
  const etr_allocations *logged;
  const char *method; /* NULL if the runs are of no method */
  size_t runs;        /* number of runs that logged exactly these */
} allocation_row;

#define LOGGED(name) ETR_VIA(allocation_row, logged, etr_allocations, name)

static const etr_field allocation_fields[] = {
    {"method", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(allocation_row, method),
     .says = ETR_SAYS("null: loads, and runs of none"), .nullable = true},
    {"allocator", "logged allocations of", ETR_CELL_NAME, READ | ETR_IN_JSON, LOGGED(allocator),
     .says = ETR_SAYS("as the runtime named it")},
    {"runs", "runs", ETR_CELL_COUNT, READ | ETR_IN_JSON, ETR_AT(allocation_row, runs),
     .says = ETR_SAYS("that logged just these")},
    {"count", "each run", ETR_CELL_COUNT, READ | ETR_IN_JSON, LOGGED(count),
     .says = ETR_SAYS("allocations of each such run")},
    {"bytes", "bytes", ETR_CELL_BYTES, READ | ETR_IN_JSON, LOGGED(total_bytes),
     .says = ETR_SAYS("of each such run, in all")},
    {"largest_bytes", "largest", ETR_CELL_BYTES, READ | ETR_IN_JSON, LOGGED(largest_bytes)},
};
ETR_ROW_TYPE(allocation, allocation_fields);

typedef struct allocation_list {
  etr_vec(allocation_row) rows;
  etr_map known; /* text of a row's facts -> its index */
} allocation_list;

/* Adds what one allocator gave in a run as a row, or counts the run in the row of an earlier one
 * with the same method, allocator, count and bytes. When out of memory, the arena has failed. */
static void add_allocations(etr_arena *arena, allocation_list *list, const char *method,
                            const etr_allocations *allocations) {
  const char *key = etr_arena_format(
      arena, "%s\n%zu %" PRIu64 " %" PRIu64 "\n%s", allocations->allocator, allocations->count,
      allocations->total_bytes, allocations->largest_bytes, method ? method : "");
  uint32_t index = key ? etr_map_get(&list->known, etr_slice_of(key)) : ETR_NONE;
  if (index != ETR_NONE)
    list->rows.data[index].runs++;
  if (!key || index != ETR_NONE)
    return;
  allocation_row *new_row = etr_vec_push(arena, &list->rows);
  if (new_row)
    *new_row = (allocation_row){allocations, method, 1};
  if (new_row)
    (void)etr_map_set(&list->known, etr_slice_of(key), (uint32_t)(list->rows.count - 1));
}

/* Lists the allocations that the runs of a method logged; without a method, those of loads and of
 * runs of no method; or, with is_for_all, of every run. Equal allocations of a method are one row,
 * with the number of runs. */
static etr_rows list_allocations(const memory *subject, bool is_for_all) {
  const etr_profile *profile = subject->profile;
  allocation_list list = {0};
  etr_map_init(&list.known, subject->arena);
  for (size_t i = 0; i < profile->run_count; i++) {
    const etr_run *run = &profile->runs[i];
    uint32_t index = profile->blocks[run->block].method;
    const etr_method *method_of_run = index == ETR_NONE ? NULL : &profile->methods[index];
    if (!is_for_all && method_of_run != subject->method)
      continue;
    for (size_t k = 0; k < run->allocation_count; k++)
      add_allocations(subject->arena, &list, method_of_run ? method_of_run->name : NULL,
                      &run->allocations[k]);
  }
  return ETR_ROWS(list.rows.data, list.rows.count);
}

static etr_rows all_allocations(const void *row) {
  return list_allocations(row, true);
}

/* ---- Documents ---- */

static etr_cell segment_kind(const void *row) {
  return etr_cell_text(etr_segment_kind_name(((const etr_segment *)row)->kind));
}

static const etr_field segment_fields[] = {
    {"offset", NULL, ETR_CELL_BYTES, ETR_IN_JSON, ETR_AT(etr_segment, offset_bytes)},
    {"bytes", NULL, ETR_CELL_BYTES, ETR_IN_JSON, ETR_AT(etr_segment, size_bytes)},
    {"kind", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = segment_kind},
    {"name", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_segment, name)},
};

#define PROGRAM(name) ETR_VIA(memory, program, etr_program_memory, name)

static etr_cell planned_by_all(const void *row) {
  return etr_cell_number(etr_planned_bytes(as_memory(row)->profile));
}

static const etr_field program_fields[] = {
    {"program_bytes", NULL, ETR_CELL_BYTES, ETR_IN_JSON, PROGRAM(program_bytes)},
    {"planned_bytes", NULL, ETR_CELL_BYTES, ETR_IN_JSON, .get = planned_by_all, .nullable = true},
    {"segments", NULL, ETR_CELL_LIST, ETR_IN_JSON, .parts = ETR_FIELDS(segment_fields),
     ETR_ARRAY_VIA(memory, program, etr_program_memory, segments, segment_count)},
    {"constants", NULL, ETR_CELL_LIST, ETR_IN_JSON, .rows = list_constants,
     .parts = &etr_constant_fields},
    {"constant_sums", NULL, ETR_CELL_LIST, ETR_IN_JSON, .rows = list_constant_sums,
     .parts = &etr_constant_sum_fields},
};

static etr_rows program_row(const void *row) {
  return (etr_rows){row, as_memory(row)->program != NULL, sizeof(memory)};
}

static const etr_field record_fields[] = {
    {"allocations", NULL, ETR_CELL_LIST, ETR_IN_JSON, .rows = all_allocations,
     .parts = &etr_allocation_fields},
    {"program", NULL, ETR_CELL_OBJECT, ETR_IN_JSON, .rows = program_row,
     .parts = ETR_FIELDS(program_fields)},
};

/* The instruction at which most is live. */
typedef struct peak_step {
  uint64_t bytes;
  int32_t instruction;
  const char *op, *module;
  const uint32_t *tensors;
  size_t tensor_count;
} peak_step;

/* Returns the row of the instruction at which most memory is live, with its operator, its module
 * and the tensors that are live there. Returns no row if nothing is planned, or when out of memory.
 * row: a `memory` with a plan. */
static etr_rows make_peak_row(const void *row) {
  const memory *subject = row;
  const etr_memory_plan *plan = subject->plan;
  int32_t peak = plan->peak_instruction;
  peak_step *step = peak < 0 ? NULL : etr_arena_alloc_array(subject->arena, 1, sizeof *step);
  if (!step)
    return (etr_rows){0};
  *step = (peak_step){.bytes = plan->peak_bytes,
                      .instruction = peak,
                      .op = etr_memory_step_op(subject->profile, subject->method, peak)};
  step->module = etr_memory_module(subject->profile, subject->method, plan->steps[peak].module);
  step->tensors = etr_live_tensors_make(&step->tensor_count, subject->arena, plan, peak);
  return ETR_ROWS(step, 1);
}

static const etr_field peak_fields[] = {
    {"bytes", NULL, ETR_CELL_BYTES, ETR_IN_JSON, ETR_AT(peak_step, bytes)},
    {"instruction", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(peak_step, instruction)},
    {"op", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(peak_step, op)},
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(peak_step, module)},
    {"tensors", NULL, ETR_CELL_VALUES, ETR_IN_JSON, ETR_ARRAY_AT(peak_step, tensors, tensor_count),
     .parts = &etr_values_u32},
};

/* Columns over the instructions. Names of operators and modules, which many have in common, are
 * indices into `names`.
 */
typedef struct instructions {
  const uint64_t *live_bytes;
  uint32_t *ops, *modules;
  size_t count;
  etr_map name_indices; /* of texts, by their address, in `names` */
  etr_vec(const char *) names;
} instructions;

/* Returns the index of a name in list->names, to which it is added if it is new. Names are
 * interned, so that their addresses are compared instead of their text. ETR_NONE when out of
 * memory. */
static uint32_t name_index(etr_arena *arena, instructions *list, const char *text) {
  etr_map_slot *slot = etr_map_at(&list->name_indices, ETR_BYTES(text));
  if (slot && slot->value == ETR_NONE) {
    const char **added = etr_vec_push(arena, &list->names);
    if (!added)
      return ETR_NONE;
    slot->value = (uint32_t)(list->names.count - 1);
    *added = text;
  }
  return slot ? slot->value : ETR_NONE;
}

/* Returns one row that has all instructions of the plan as columns: live bytes, and operator and
 * module as indices into a list of names. No row when out of memory. */
static etr_rows make_instructions_row(const void *row) {
  const memory *subject = row;
  const etr_memory_plan *plan = as_memory(row)->plan;
  size_t count = plan->instruction_count;
  instructions *list = etr_arena_alloc_array(subject->arena, 1, sizeof *list);
  uint32_t *ops = etr_arena_alloc_array(subject->arena, count, sizeof *ops),
           *modules = etr_arena_alloc_array(subject->arena, count, sizeof *modules);
  if (etr_arena_failed(subject->arena))
    return (etr_rows){0};
  *list = (instructions){
      .live_bytes = plan->live_bytes, .ops = ops, .modules = modules, .count = count};
  etr_map_init(&list->name_indices, subject->arena);
  for (size_t i = 0; i < count; i++)
    ops[i] = name_index(subject->arena, list,
                        etr_memory_step_op(subject->profile, subject->method, (int32_t)i));
  for (size_t i = 0; i < count; i++)
    modules[i] = name_index(
        subject->arena, list,
        etr_memory_module(subject->profile, subject->method, plan->steps[i].module));
  return ETR_ROWS(list, 1);
}

static const etr_field instruction_fields[] = {
    {"count", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(instructions, count)},
    {"live_bytes", NULL, ETR_CELL_VALUES, ETR_IN_JSON,
     ETR_ARRAY_AT(instructions, live_bytes, count), .parts = &etr_values_u64},
    {"op", NULL, ETR_CELL_VALUES, ETR_IN_JSON, ETR_ARRAY_AT(instructions, ops, count),
     .parts = &etr_values_u32},
    {"module", NULL, ETR_CELL_VALUES, ETR_IN_JSON, ETR_ARRAY_AT(instructions, modules, count),
     .parts = &etr_values_u32},
    {"names", NULL, ETR_CELL_VALUES, ETR_IN_JSON,
     ETR_ARRAY_AT(instructions, names.data, names.count), .parts = &etr_values_text},
};

#define PLAN(list, count) ETR_ARRAY_VIA(memory, plan, etr_memory_plan, list, count)

static const etr_field allocator_fields[] = {
    {"least_bytes_32_bits", NULL, ETR_CELL_BYTES, ETR_IN_JSON,
     ETR_VIA(memory, plan, etr_memory_plan, allocator_bytes_32),
     .says = ETR_SAYS(
         "on a processor with pointers of 32 bits, without what backends' init takes")},
    {"least_bytes_64_bits", NULL, ETR_CELL_BYTES, ETR_IN_JSON,
     ETR_VIA(memory, plan, etr_memory_plan, allocator_bytes_64)},
};

static etr_rows allocator_row(const void *row) {
  return (etr_rows){row, as_memory(row)->plan != NULL, sizeof(memory)};
}

static const etr_field plan_fields[] = {
    {"planned_bytes", NULL, ETR_CELL_BYTES, BOTH,
     ETR_VIA(memory, plan, etr_memory_plan, planned_bytes)},
    {"peak", NULL, ETR_CELL_OBJECT, BOTH, .rows = make_peak_row, .parts = ETR_FIELDS(peak_fields)},
    {"buffers", NULL, ETR_CELL_LIST, BOTH, PLAN(buffers, buffer_count),
     .parts = &etr_buffer_fields},
    {"instructions", NULL, ETR_CELL_OBJECT, BOTH, .rows = make_instructions_row,
     .parts = ETR_FIELDS(instruction_fields)},
    {"tensors", NULL, ETR_CELL_LIST, ETR_IN_JSON, .rows = list_planned_tensors,
     .parts = &etr_tensor_fields},
    {"inputs_and_outputs", NULL, ETR_CELL_LIST, ETR_IN_JSON, .rows = list_inputs_and_outputs,
     .parts = &etr_boundary_fields},
    {"delegates", NULL, ETR_CELL_LIST, ETR_IN_JSON, .rows = list_payloads,
     .parts = &etr_blob_fields},
    {"method_allocator", NULL, ETR_CELL_OBJECT, ETR_IN_JSON, .rows = allocator_row,
     .parts = ETR_FIELDS(allocator_fields)},
    {"delegates", NULL, ETR_CELL_LIST, ETR_IN_DOCUMENT, .rows = list_payload_sums,
     .parts = &etr_blob_sum_fields},
};

static etr_cell weight_kind(const void *row) {
  return etr_cell_text(etr_node_kind_name(((const etr_weight *)row)->node->kind));
}
static bool has_bytes(const void *row) {
  return ((const etr_weight *)row)->is_known;
}
static void put_weight_shape(const etr_fields *f, const void *row) {
  etr_field_shape(f, ((const etr_weight *)row)->value);
}

static const etr_field weight_fields[] = {
    {"name", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_VIA(etr_weight, node, etr_node, weight_name)},
    {"kind", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = weight_kind},
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_weight, module)},
    {"dtype", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(etr_weight, dtype)},
    {"shape", .in = ETR_IN_JSON, .put = put_weight_shape},
    {"bytes", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, ETR_AT(etr_weight, bytes), .has = has_bytes},
};

static const etr_field unknown_fields[] = {
    {"what", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(etr_memory_unknown, what)},
    {"text", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_memory_unknown, text)},
};

/* Lists the memory that the program does not describe; none without a plan. */
static etr_rows list_undescribed_memory(const void *row) {
  size_t count = 0;
  if (!as_memory(row)->plan)
    return (etr_rows){0};
  const etr_memory_unknown *list = etr_memory_unknowns_make(&count, as_memory(row)->arena,
                                                            as_memory(row)->plan);
  return ETR_ROWS(list, list ? count : 0);
}

static etr_cell finding_kind(const void *row) {
  return etr_cell_text(etr_memory_finding_kind_name(((const etr_memory_finding *)row)->kind));
}

#define FINDING(name) ETR_AT(etr_memory_finding, name)

static const etr_field finding_fields[] = {
    {"kind", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = finding_kind},
    {"title", NULL, ETR_CELL_NAME, ETR_IN_JSON, FINDING(title)},
    {"evidence", NULL, ETR_CELL_NAME, ETR_IN_JSON, FINDING(evidence)},
    {"bytes", NULL, ETR_CELL_BYTES, ETR_IN_JSON, FINDING(bytes)},
    {"instruction", NULL, ETR_CELL_COUNT, ETR_IN_JSON, FINDING(instruction)},
};

/* Lists the findings about the method's memory. */
static etr_rows list_memory_findings(const void *row) {
  size_t count = 0;
  const memory *subject = row;
  const etr_memory_finding *list = etr_memory_findings_make(&count, subject->arena,
                                                            subject->profile, subject->method);
  return ETR_ROWS(list, list ? count : 0);
}

static etr_rows plan_row(const void *row) {
  return (etr_rows){row, as_memory(row)->plan != NULL, sizeof(memory)};
}

static const etr_field method_fields[] = {
    {"method", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_VIA(memory, method, etr_method, name)},
    {"plan", NULL, ETR_CELL_OBJECT, ETR_IN_JSON, .rows = plan_row,
     .parts = ETR_FIELDS(plan_fields)},
    {"weights", NULL, ETR_CELL_LIST, ETR_IN_JSON, .rows = list_weights,
     .parts = ETR_FIELDS(weight_fields)},
    {"weight_sums", NULL, ETR_CELL_LIST, BOTH, .rows = list_weight_sums,
     .parts = &etr_weight_sum_fields},
    {"not_in_program", NULL, ETR_CELL_LIST, BOTH, .rows = list_undescribed_memory,
     .parts = ETR_FIELDS(unknown_fields)},
    {"findings", NULL, ETR_CELL_LIST, BOTH, .rows = list_memory_findings,
     .parts = ETR_FIELDS(finding_fields)},
};

void etr_memory_put_document(const etr_fields *f, etr_arena *arena, const etr_method *shown) {
  memory subject = gather_memory(arena, f->profile, shown);
  subject.is_short = true;
  etr_field_put_members_in(f, ETR_FIELDS(plan_fields), ETR_IN_DOCUMENT, &subject);
  etr_field_put_members_in(f, ETR_FIELDS(method_fields), ETR_IN_DOCUMENT, &subject);
  const char *cache = etr_kv_cache_text(arena, f->profile, shown);
  if (cache)
    etr_field_text(f, "cache", cache);
}

/* Writes the memory of a method as a JSON object. Returns false when out of memory. The cache of
 * keys and values comes last. */
static bool put_method_members(etr_answer *answer, const etr_method *shown) {
  const memory subject = gather_memory(&answer->arena, answer->profile, shown);
  etr_jw_object(&answer->json);
  etr_field_put_members(&answer->fields, ETR_FIELDS(method_fields), &subject);
  bool is_good = etr_decoder_put_cache(&answer->fields, &answer->arena, shown);
  etr_jw_end(&answer->json);
  return is_good;
}

etr_status etr_emit_memory_json(const etr_profile *profile, const etr_node_filter *filter,
                                etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_answer answer;
  etr_answer_begin_document(&answer, NULL, filter, unit, sink, "memory/1"); /* it has no times */
  const memory subject = gather_memory(&answer.arena, profile, NULL);
  answer.profile = answer.fields.profile = profile;
  etr_field_put_members(&answer.fields, ETR_FIELDS(record_fields), &subject);
  (void)etr_answer_put_methods(&answer, put_method_members);
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&answer, true, error);
}

/* ---- For people ---- */

#define DOT " \xC2\xB7 "

enum { DEFAULT_ROWS = 10 };

typedef struct memory_report {
  etr_answer answer;
  unsigned medium; /* of tables: ETR_IN_TEXT or ETR_IN_MARKDOWN */
} memory_report;

/* Writes a subheading, which is bold; nothing if it is NULL because memory ran out: the arena has
 * failed then, and so will the answer. */
static void put_subheading(memory_report *report, const char *text) {
  bool is_text = report->medium == ETR_IN_TEXT;
  if (!text)
    return;
  etr_puts(&report->answer.writer, is_text ? "\n" : "\n**");
  etr_put_style(&report->answer.writer, ETR_STYLE_BOLD);
  (is_text ? etr_put_sanitized : etr_put_markdown)(&report->answer.writer, text);
  etr_put_style(&report->answer.writer, ETR_STYLE_PLAIN);
  etr_puts(&report->answer.writer, is_text ? "\n" : "**\n\n");
}

/* Writes an empty line and a table; nothing if there are no rows. */
static void put_table_after_blank_line(memory_report *r, const etr_row_type *columns,
                                       etr_rows rows) {
  if (rows.count)
    etr_puts(&r->answer.writer, "\n");
  etr_section_table(&r->answer, columns, r->medium, rows);
}

static const char *bytes(memory_report *r, uint64_t number) {
  return etr_count_text(&r->answer.arena, number);
}

/* Writes a line with the numbers and bytes of inputs and outputs: "2 inputs, 602,112 bytes · 1
 * output, 4,000 bytes". */
static void put_input_output_bytes(memory_report *report, const etr_memory_plan *plan) {
  uint64_t sums[2] = {0}; /* of inputs, of outputs */
  size_t counts[2] = {0};
  for (size_t i = 0; i < plan->boundary_count; i++) {
    bool is_output = plan->boundary[i].role == ETR_TENSOR_OUTPUT;
    counts[is_output]++;
    sums[is_output] = etr_add_up_to_most(sums[is_output], plan->boundary[i].size_bytes);
  }
  etr_section_line(&report->answer, ETR_STYLE_PLAIN, 0,
                   etr_arena_format(&report->answer.arena,
                                    "%zu input%s, %s bytes" DOT "%zu output%s, %s bytes", counts[0],
                                    etr_plural(counts[0]), bytes(report, sums[0]), counts[1],
                                    etr_plural(counts[1]), bytes(report, sums[1])));
}

/* Writes the memory that a method plans: inputs and outputs, buffers, the tensors that are live at
 * the peak with the instruction that it is at, and the payloads of delegates; no peak if nothing is
 * planned. */
static void put_planned_memory(memory_report *report, const memory *subject) {
  const etr_memory_plan *plan = subject->plan;
  int32_t peak = plan->peak_instruction;
  put_input_output_bytes(report, plan);
  put_table_after_blank_line(report, &etr_buffer_fields,
                             ETR_ROWS(plan->buffers, plan->buffer_count));
  if (peak >= 0) {
    const char *module = etr_memory_module(subject->profile, subject->method,
                                           plan->steps[peak].module);
    put_subheading(
        report, etr_arena_format(subject->arena, "live at the peak: instruction %d of %zu, %s%s%s",
                                 (int)peak, plan->instruction_count,
                                 etr_memory_step_op(subject->profile, subject->method, peak),
                                 module[0] ? " in " : "", module));
    /* ETR_IN_TEXT also in Markdown, for which tensors have no other columns. */
    etr_section_table(&report->answer, &etr_tensor_fields, ETR_IN_TEXT, list_live_at_peak(subject));
  }
  put_table_after_blank_line(report, &etr_blob_sum_fields, list_payload_sums(subject));
}

/* Writes the heading of a method, with the bytes that are planned and those that are live at the
 * peak, or that there is no plan. */
static void put_method_heading(memory_report *report, const memory *subject, bool is_first) {
  const etr_memory_plan *plan = subject->plan;
  const char *record = etr_label_recordings(subject->arena, subject->profile, subject->method),
             *name = etr_label_method(subject->method->name);
  etr_puts(&report->answer.writer, is_first ? "" : "\n");
  if (report->medium == ETR_IN_MARKDOWN)
    etr_puts(&report->answer.writer, "### ");
  etr_section_line(&report->answer, ETR_STYLE_BOLD, 0,
                   plan ? etr_arena_format(subject->arena,
                                           "%s, %s: %s bytes are planned, %s are live at the peak",
                                           record, name, bytes(report, plan->planned_bytes),
                                           bytes(report, plan->peak_bytes))
                        : etr_arena_format(subject->arena, "%s, %s: no memory plan: give the .pte",
                                           record, name));
}

/* Writes the line about the cache of keys and values. Nothing without a cache. */
static void put_kv_cache(memory_report *report, const etr_method *shown) {
  const char *text = etr_kv_cache_text(&report->answer.arena, report->answer.profile, shown);
  if (!text)
    return;
  etr_section_line(&report->answer, ETR_STYLE_PLAIN, 2, text);
  etr_section_end_list(&report->answer);
}

/* Writes the memory of a method for people: its cache of keys and values, plan, weights and the
 * allocations that its own runs logged (false), what the program does not describe, and
 * findings. */
static void put_method_memory(memory_report *report, const etr_method *shown, bool is_first) {
  const memory subject = gather_memory(&report->answer.arena, report->answer.profile, shown);
  put_method_heading(report, &subject, is_first);
  put_kv_cache(report, shown);
  if (shown->memory)
    put_planned_memory(report, &subject);
  put_table_after_blank_line(report, &etr_weight_sum_fields, list_weight_sums(&subject));
  put_table_after_blank_line(report, &etr_allocation_fields, list_allocations(&subject, false));
  etr_rows unknown = list_undescribed_memory(&subject), found = list_memory_findings(&subject);
  const etr_memory_unknown *unknowns = unknown.first;
  const etr_memory_finding *findings = found.first;
  if (unknown.count)
    put_subheading(report, "memory that the program does not describe");
  for (size_t i = 0; i < unknown.count; i++)
    etr_section_line(&report->answer, ETR_STYLE_PLAIN, 2, unknowns[i].text);
  if (found.count)
    put_subheading(report, "findings");
  for (size_t i = 0; i < found.count; i++)
    etr_section_finding(&report->answer,
                        etr_arena_format(subject.arena, "%s: %s bytes", findings[i].title,
                                         bytes(report, findings[i].bytes)),
                        findings[i].evidence);
}

/* Writes what all methods plan together, if several do. */
static void put_planned_by_all(memory_report *report) {
  const etr_profile *profile = report->answer.profile;
  size_t count = 0;
  double sum = 0, planned = etr_planned_bytes(profile);
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_memory_plan *plan = profile->methods[i].memory;
    count += plan != NULL;
    sum += plan ? (double)plan->planned_bytes : 0;
  }
  if (count > 1)
    etr_section_line(&report->answer, ETR_STYLE_PLAIN, 2,
                     etr_arena_format(&report->answer.arena,
                                      "%zu methods loaded together plan %s bytes: %s", count,
                                      bytes(report, (uint64_t)planned),
                                      planned < sum ? "they share their buffers"
                                                    : "each has buffers of its own"));
}

/* Writes the bytes of the program and of its segments, and a table of the sums of its constants.
 * Writes nothing without a program. The sum of damaged sizes stops at the largest number. */
static void put_program_memory(memory_report *report, const memory *subject) {
  const etr_program_memory *program = subject->program;
  uint64_t segment_bytes = 0;
  if (!program)
    return;
  for (size_t i = 0; i < program->segment_count; i++)
    segment_bytes = etr_add_up_to_most(segment_bytes, program->segments[i].size_bytes);
  put_subheading(report, etr_arena_format(
                             subject->arena, "the program: %s bytes" DOT "%zu segment%s, %s bytes",
                             bytes(report, program->program_bytes), program->segment_count,
                             etr_plural(program->segment_count), bytes(report, segment_bytes)));
  put_planned_by_all(report);
  etr_section_table(&report->answer, &etr_constant_sum_fields, report->medium,
                    list_constant_sums(subject));
}

/* Writes the memory of all methods that the filter takes, for people, then that of the program, and
 * the allocations of loads and of runs of no method (false: not those of all runs). */
static void write_report(memory_report *report) {
  const etr_profile *profile = report->answer.profile;
  const memory subject = gather_memory(&report->answer.arena, profile, NULL);
  bool is_first = true;
  for (size_t i = 0; i < profile->method_count; i++) {
    if (!etr_filter_takes_method(report->answer.filter, &profile->methods[i]))
      continue;
    put_method_memory(report, &profile->methods[i], is_first);
    is_first = false;
  }
  put_program_memory(report, &subject);
  put_table_after_blank_line(report, &etr_allocation_fields, list_allocations(&subject, false));
}

/* Writes one table of all tensors, those that the methods that the filter takes plan and all
 * constants of the program, for programs or because columns were chosen. Constants are of no method
 * (NULL). */
static void write_tensor_table(memory_report *report) {
  const etr_profile *profile = report->answer.profile;
  etr_table table;
  etr_table_init(&table, &report->answer, &etr_tensor_fields);
  etr_table_choose_columns(&table);
  etr_table_add_origin_columns(&table);
  for (size_t i = 0; i < profile->method_count; i++) {
    const memory subject = gather_memory(&report->answer.arena, profile, &profile->methods[i]);
    if (subject.plan && etr_filter_takes_method(report->answer.filter, subject.method))
      etr_table_add_rows(&table, list_planned_tensors(&subject));
  }
  const memory whole = gather_memory(&report->answer.arena, profile, NULL);
  if (profile->program_memory)
    etr_table_add_rows(&table, list_constants(&whole));
  etr_table_finish(&table);
}

etr_status etr_emit_memory_tables(const etr_profile *profile, const etr_node_filter *filter,
                                  const etr_table_options *options, const etr_sink *sink,
                                  etr_error *error) {
  static const etr_table_options defaults = {.top = DEFAULT_ROWS};
  memory_report r = {0};
  etr_answer_begin(&r.answer, profile, filter, options ? options : &defaults, sink);
  etr_table_format format = r.answer.options->format;
  r.medium = format == ETR_TABLE_TEXT ? ETR_IN_TEXT : ETR_IN_MARKDOWN;
  bool is_report = (format == ETR_TABLE_TEXT || format == ETR_TABLE_MARKDOWN) &&
                   !r.answer.options->columns;
  (is_report ? write_report : write_tensor_table)(&r);
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&r.answer, true, error);
}
