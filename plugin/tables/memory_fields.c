/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_fields.c - columns about tensors and what they are in.
 */
#include "tables/memory_fields.h"

#include "output/label.h"

static const etr_memory_row *as_row(const void *row) { return row; }
static const etr_memory_part *part(const void *row) { return row; }

/* Bytes for people: with separators. */
static etr_cell bytes_cell(etr_arena *arena, uint64_t bytes) { return etr_cell_text(etr_bytes_text(arena, bytes)); }

/* ---- Tensors ---- */

static etr_cell type(const void *row) {
  return etr_cell_text(etr_label_shape(as_row(row)->arena, as_row(row)->tensor));
}
static etr_cell bytes_text(const void *row) { return bytes_cell(as_row(row)->arena, as_row(row)->bytes); }
static etr_cell share(const void *row) {
  return as_row(row)->whole ? etr_cell_share((double)as_row(row)->bytes, (double)as_row(row)->whole) : etr_cell_none();
}

static etr_cell method(const void *row) {
  return etr_cell_text(as_row(row)->method ? as_row(row)->method->name : NULL);
}

static etr_cell buffer(const void *row) {
  const etr_planned_tensor *planned = as_row(row)->planned;
  if (!planned || planned->buffer == ETR_NONE) return etr_cell_none();
  return etr_cell_number((double)as_row(row)->method->memory->buffers[planned->buffer].id);
}

static etr_cell op(const void *row) {
  const etr_planned_tensor *planned = as_row(row)->planned;
  if (!planned || planned->made_by < 0) return etr_cell_none();
  return etr_cell_text(etr_memory_step_op(as_row(row)->profile, as_row(row)->method, planned->made_by));
}

static etr_cell module(const void *row) {
  const etr_planned_tensor *planned = as_row(row)->planned;
  return etr_cell_text(planned ? etr_memory_module(as_row(row)->profile, as_row(row)->method, planned->module) : NULL);
}

static etr_cell node(const void *row) {
  const etr_planned_tensor *planned = as_row(row)->planned;
  const etr_graph *graph = planned ? etr_memory_graph(as_row(row)->profile, as_row(row)->method) : NULL;
  if (!graph || planned->node == ETR_NONE) return etr_cell_none();
  return etr_cell_text(etr_label_node(as_row(row)->arena, graph, planned->node));
}

static etr_cell view_of(const void *row) {
  const etr_planned_tensor *planned = as_row(row)->planned;
  if (!planned || planned->view_of == ETR_NONE) return etr_cell_none();
  return etr_cell_text(as_row(row)->method->memory->tensors[planned->view_of].tensor.name);
}

/* "made at 3, last used at 9": the instructions in short. */
static etr_cell life(const void *row) {
  const etr_planned_tensor *planned = as_row(row)->planned;
  if (!planned || planned->first_instruction < 0) return etr_cell_none();
  return etr_cell_text(
      etr_arena_format(as_row(row)->arena, "%d-%d", (int)planned->first_instruction, (int)planned->last_instruction));
}

static etr_cell place(const void *row) {
  return etr_cell_text(as_row(row)->constant ? etr_constant_place_name(as_row(row)->constant->place) : NULL);
}

static etr_cell segment(const void *row) {
  const etr_constant *constant = as_row(row)->constant;
  return constant && constant->segment != ETR_NONE ? etr_cell_number(constant->segment) : etr_cell_none();
}

static void put_shape(const etr_fields *f, const void *row) { etr_field_shape(f, as_row(row)->tensor); }

enum { PEOPLE = ETR_IN_TEXT | ETR_IN_PAGE, PROGRAMS = ETR_IN_JSON | ETR_IN_DATA };

#define PLANNED(name) ETR_VIA(etr_memory_row, planned, etr_planned_tensor, name)
#define TENSOR(name) ETR_VIA(etr_memory_row, tensor, etr_value, name)
#define CONSTANT(name) ETR_VIA(etr_memory_row, constant, etr_constant, name)
#define BOUNDARY(name) ETR_VIA(etr_memory_row, boundary, etr_boundary_tensor, name)

static const etr_field tensor_fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_DATA, .get = method},
    {"name", "tensor", ETR_CELL_NAME, PEOPLE | PROGRAMS, TENSOR(name),
     .says = "of the node's result or the weight; else \"value_\" and a number"},
    {"role", "role", ETR_CELL_WORD, PROGRAMS, ETR_AT(etr_memory_row, role), .type = "tensor_role"},
    {NULL, "bytes", ETR_CELL_COUNT, PEOPLE, .get = bytes_text},
    {NULL, "share", ETR_CELL_SHARE, PEOPLE, .get = share},
    {NULL, "type", ETR_CELL_NAME, PEOPLE | ETR_IN_DATA, .get = type},
    {"dtype", NULL, ETR_CELL_WORD, ETR_IN_JSON, TENSOR(dtype), .nullable = true},
    {"shape", .in = ETR_IN_JSON, .put = put_shape, .says = "sizes; the expression of a symbolic one; null: unknown",
     .type = "shape", .nullable = true},
    {"bytes", "bytes", ETR_CELL_COUNT, PROGRAMS, ETR_AT(etr_memory_row, bytes)},
    {"buffer", "buffer", ETR_CELL_COUNT, PROGRAMS, .get = buffer, .says = "id; null: the method has no such buffer",
     .nullable = true},
    {"offset", "offset", ETR_CELL_COUNT, PROGRAMS, PLANNED(offset_bytes)},
    {"first_instruction", "first instruction", ETR_CELL_COUNT, PROGRAMS, PLANNED(first_instruction), .nullable = true},
    {"last_instruction", "last instruction", ETR_CELL_COUNT, PROGRAMS, PLANNED(last_instruction),
     .says = "both included", .nullable = true},
    {"made_by", "made by", ETR_CELL_COUNT, PROGRAMS, PLANNED(made_by),
     .says = "instruction that first writes it; null: none, as of inputs and views", .nullable = true},
    {NULL, "live", ETR_CELL_WORD, PEOPLE, .get = life},
    {"op", "operator", ETR_CELL_NAME, PROGRAMS | PEOPLE, .get = op, .says = "what made it", .nullable = true},
    {"module", "module", ETR_CELL_NAME, PROGRAMS | PEOPLE, .get = module, .nullable = true},
    {"node", "node", ETR_CELL_NAME, PROGRAMS, .get = node, .nullable = true},
    {"view_of", "view of", ETR_CELL_NAME, PROGRAMS, .get = view_of,
     .says = "the tensor in whose memory it lies on purpose; its bytes count there", .nullable = true},
    {NULL, "place", ETR_CELL_WORD, ETR_IN_DATA, .get = place},
    {NULL, "segment", ETR_CELL_COUNT, ETR_IN_DATA, .get = segment},
    {"largest_shape", NULL, ETR_CELL_FLAG, ETR_IN_JSON, PLANNED(is_bound),
     .says = "the shape is dynamic, and this the largest"},
    {"misplaced", NULL, ETR_CELL_FLAG, ETR_IN_JSON, PLANNED(is_misplaced),
     .says = "contradicts the program: in no sum"},
};
ETR_ROW_TYPE(tensor, tensor_fields);

static const etr_field constant_fields[] = {
    {"name", NULL, ETR_CELL_NAME, ETR_IN_JSON, TENSOR(name),
     .says = "the weight's, or what the program calls it; else \"constant_\" and a number"},
    {"dtype", NULL, ETR_CELL_WORD, ETR_IN_JSON, TENSOR(dtype), .nullable = true},
    {"shape", .in = ETR_IN_JSON, .put = put_shape, .says = "sizes; the expression of a symbolic one; null: unknown",
     .type = "shape", .nullable = true},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_memory_row, bytes)},
    {"place", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = place, .type = "constant_place"},
    {"segment", NULL, ETR_CELL_COUNT, ETR_IN_JSON, .get = segment, .says = "index into segments", .nullable = true},
    {"uses", NULL, ETR_CELL_COUNT, ETR_IN_JSON, CONSTANT(uses), .says = "tensors that have this data"},
    {"mutable", NULL, ETR_CELL_FLAG, ETR_IN_JSON, CONSTANT(is_mutable), .says = "what a planned tensor starts with"},
};
ETR_ROW_TYPE(constant, constant_fields);

static const etr_field boundary_fields[] = {
    {"role", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(etr_memory_row, role), .type = "boundary_role"},
    {"index", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BOUNDARY(index)},
    {"name", NULL, ETR_CELL_NAME, ETR_IN_JSON, TENSOR(name)},
    {"dtype", NULL, ETR_CELL_WORD, ETR_IN_JSON, TENSOR(dtype), .nullable = true},
    {"shape", .in = ETR_IN_JSON, .put = put_shape, .says = "sizes; the expression of a symbolic one; null: unknown",
     .type = "shape", .nullable = true},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_memory_row, bytes)},
    {"largest_shape", NULL, ETR_CELL_FLAG, ETR_IN_JSON, BOUNDARY(is_bound)},
    {"planned", NULL, ETR_CELL_FLAG, ETR_IN_JSON, BOUNDARY(is_planned),
     .says = "false: the application provides the memory"},
};
ETR_ROW_TYPE(boundary, boundary_fields);

/* ---- Parts ---- */

#define BUFFER(name) ETR_VIA(etr_memory_part, buffer, etr_planned_buffer, name)
#define SUM(name) ETR_VIA(etr_memory_part, sum, etr_weight_sum, name)
#define BLOB(name) ETR_VIA(etr_memory_part, blob, etr_delegate_blob, name)
#define BLOBS(name) ETR_VIA(etr_memory_part, blobs, etr_blob_sum, name)
#define LOGGED(name) ETR_VIA(etr_memory_part, allocations, etr_allocations, name)

enum { READ = ETR_IN_TEXT | ETR_IN_MARKDOWN | ETR_IN_PAGE };

static etr_cell planned_text(const void *row) { return bytes_cell(part(row)->arena, part(row)->buffer->size_bytes); }
static etr_cell peak_text(const void *row) { return bytes_cell(part(row)->arena, part(row)->buffer->peak_bytes); }
static etr_cell sum_text(const void *row) { return bytes_cell(part(row)->arena, part(row)->sum->bytes); }
static etr_cell blob_text(const void *row) { return bytes_cell(part(row)->arena, part(row)->blobs->bytes); }
static etr_cell largest_blob_text(const void *row) {
  return bytes_cell(part(row)->arena, part(row)->blobs->largest_bytes);
}
static etr_cell total_text(const void *row) {
  return bytes_cell(part(row)->arena, part(row)->allocations->total_bytes);
}
static etr_cell largest_text(const void *row) {
  return bytes_cell(part(row)->arena, part(row)->allocations->largest_bytes);
}

static etr_cell live_share(const void *row) {
  const etr_planned_buffer *b = part(row)->buffer;
  return b->size_bytes ? etr_cell_share((double)b->peak_bytes, (double)b->size_bytes) : etr_cell_none();
}

/* Planned, but not live at the peak. */
static uint64_t unused_of(const etr_planned_buffer *b) {
  return b->size_bytes > b->peak_bytes ? b->size_bytes - b->peak_bytes : 0;
}

static etr_cell unused_text(const void *row) { return bytes_cell(part(row)->arena, unused_of(part(row)->buffer)); }
static etr_cell unused(const void *row) { return etr_cell_number((double)unused_of(part(row)->buffer)); }

static etr_cell sum_share(const void *row) {
  return part(row)->whole ? etr_cell_share((double)part(row)->sum->bytes, (double)part(row)->whole) : etr_cell_none();
}

static etr_cell module_or_model(const void *row) {
  return etr_cell_text(part(row)->sum->module[0] ? part(row)->sum->module : "(the model itself)");
}

static const etr_field buffer_fields[] = {
    {"id", "buffer", ETR_CELL_COUNT, READ | ETR_IN_JSON, BUFFER(id), .says = "memory_id of tensors"},
    {"device", "device", ETR_CELL_WORD, READ | ETR_IN_JSON, BUFFER(device), .says = "\"cpu\", \"cuda:0\""},
    {NULL, "planned", ETR_CELL_COUNT, READ, .get = planned_text},
    {NULL, "live at peak", ETR_CELL_COUNT, READ, .get = peak_text},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = live_share},
    {NULL, "not live then", ETR_CELL_COUNT, READ, .get = unused_text},
    {"planned_bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BUFFER(size_bytes)},
    {"top_bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BUFFER(top_bytes), .says = "end of the tensor that lies highest"},
    {"peak_bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BUFFER(peak_bytes),
     .says = "most that is live at one instruction"},
    {"unused_bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, .get = unused, .says = "planned, but not live then"},
    {"peak_instruction", "instruction", ETR_CELL_COUNT, READ | ETR_IN_JSON, BUFFER(peak_instruction), .nullable = true},
    {"tensors", "tensors", ETR_CELL_COUNT, READ | ETR_IN_JSON, BUFFER(tensor_count)},
};
ETR_ROW_TYPE(buffer, buffer_fields);

static const etr_field constant_sum_fields[] = {
    {"place", "constants in", ETR_CELL_WORD, READ | ETR_IN_JSON, SUM(place),
     .says = "\"segment 0\", \"inline\" or \"external\""},
    {"dtype", "dtype", ETR_CELL_WORD, READ | ETR_IN_JSON, SUM(dtype), .says = "\"\" if unknown"},
    {"count", "tensors", ETR_CELL_COUNT, READ | ETR_IN_JSON, SUM(count), .says = "tensors"},
    {NULL, "bytes", ETR_CELL_COUNT, READ, .get = sum_text},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = sum_share},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, SUM(bytes)},
};
ETR_ROW_TYPE(constant_sum, constant_sum_fields);

static const etr_field weight_sum_fields[] = {
    {NULL, "weights of", ETR_CELL_NAME, READ, .get = module_or_model},
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, SUM(module), .says = "by the weights' names; \"\": the model itself"},
    {"dtype", "dtype", ETR_CELL_WORD, READ | ETR_IN_JSON, SUM(dtype), .says = "\"\" if unknown"},
    {"count", "tensors", ETR_CELL_COUNT, READ | ETR_IN_JSON, SUM(count), .says = "tensors"},
    {NULL, "bytes", ETR_CELL_COUNT, READ, .get = sum_text},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = sum_share},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, SUM(bytes)},
};
ETR_ROW_TYPE(weight_sum, weight_sum_fields);

static const etr_field blob_fields[] = {
    {"backend", NULL, ETR_CELL_NAME, ETR_IN_JSON, BLOB(backend)},
    {"instruction", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BLOB(instruction),
     .says = "the first that calls a delegate with these bytes", .nullable = true},
    {"delegates", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BLOB(delegate_count), .says = "that have them"},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BLOB(size_bytes)},
    {"segment", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BLOB(segment),
     .says = "index into the program's segments; null: inside the program", .nullable = true},
};
ETR_ROW_TYPE(blob, blob_fields);

static const etr_field blob_sum_fields[] = {
    {"backend", "given to", ETR_CELL_NAME, READ | ETR_IN_JSON, BLOBS(backend)},
    {"delegates", "delegates", ETR_CELL_COUNT, READ | ETR_IN_JSON, BLOBS(delegates)},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BLOBS(bytes)},
    {"largest_bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, BLOBS(largest_bytes)},
    {NULL, "bytes", ETR_CELL_COUNT, READ, .get = blob_text},
    {NULL, "largest", ETR_CELL_COUNT, READ, .get = largest_blob_text},
    {"largest_instruction", "at instruction", ETR_CELL_COUNT, READ | ETR_IN_JSON, BLOBS(largest_instruction)},
};
ETR_ROW_TYPE(blob_sum, blob_sum_fields);

static const etr_field allocation_fields[] = {
    {"method", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_memory_part, method),
     .says = "null: loads, and runs of none", .nullable = true},
    {"allocator", "logged allocations of", ETR_CELL_NAME, READ | ETR_IN_JSON, LOGGED(allocator),
     .says = "as the runtime named it"},
    {"runs", "runs", ETR_CELL_COUNT, READ | ETR_IN_JSON, ETR_AT(etr_memory_part, runs),
     .says = "that logged just these"},
    {"count", "each run", ETR_CELL_COUNT, READ | ETR_IN_JSON, LOGGED(count), .says = "allocations of each such run"},
    {NULL, "bytes", ETR_CELL_COUNT, READ, .get = total_text},
    {NULL, "largest", ETR_CELL_COUNT, READ, .get = largest_text},
    {"bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, LOGGED(total_bytes), .says = "of each such run, in all"},
    {"largest_bytes", NULL, ETR_CELL_COUNT, ETR_IN_JSON, LOGGED(largest_bytes)},
};
ETR_ROW_TYPE(allocation, allocation_fields);
