/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_json.c - memory as a JSON document.
 */
#include "output/node_filter.h"
#include "tables/memory_fields.h"
#include "tables/memory_output.h"
#include "views/memory_findings.h"

static void put_rows(const etr_fields *f, const char *key, const etr_row_type *columns, etr_rows rows) {
  etr_field_put_rows(f, key, columns, rows);
}

/* ---- The program ---- */

static void put_segments(const etr_fields *f, const etr_program_memory *memory) {
  etr_field_list(f, "segments");
  for (size_t i = 0; i < memory->segment_count; i++) {
    const etr_segment *segment = &memory->segments[i];
    etr_jw_object(f->json);
    etr_field_count(f, "offset", segment->offset_bytes);
    etr_field_count(f, "bytes", segment->size_bytes);
    etr_field_text(f, "kind", etr_segment_kind_name(segment->kind));
    etr_field_text(f, "name", segment->name);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

void etr_memory_put_program(const etr_fields *f, etr_arena *arena) {
  const etr_program_memory *memory = f->profile->program_memory;
  size_t count;
  put_rows(f, "allocations", &etr_allocation_fields, etr_memory_all_allocation_parts(arena, f->profile));
  if (!memory) {
    etr_field_text(f, "program", NULL);
    return;
  }
  etr_field_object(f, "program");
  etr_field_count(f, "program_bytes", memory->program_bytes);
  put_segments(f, memory);
  put_rows(f, "constants", &etr_constant_fields, etr_memory_constant_rows(arena, f->profile));
  const etr_weight_sum *sums = etr_constant_sums_make(&count, arena, memory);
  put_rows(f, "constant_sums", &etr_constant_sum_fields, etr_memory_sum_parts(arena, sums, sums ? count : 0));
  etr_jw_end(f->json);
}

/* ---- A method ---- */

static void put_peak(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  const etr_memory_plan *plan = method->memory;
  int32_t peak = plan->peak_instruction;
  size_t count = 0;
  if (peak < 0) {
    etr_field_text(f, "peak", NULL);
    return;
  }
  etr_field_object(f, "peak");
  etr_field_count(f, "bytes", plan->peak_bytes);
  etr_field_count(f, "instruction", (uint64_t)peak);
  etr_field_text(f, "op", etr_memory_step_op(f->profile, method, peak));
  etr_field_text(f, "module", etr_memory_module(f->profile, method, plan->steps[peak].module));
  const uint32_t *live = etr_live_tensors_make(&count, arena, plan, peak);
  etr_field_list(f, "tensors");
  for (size_t i = 0; live && i < count; i++) etr_jw_uint(f->json, live[i]);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

/* Names of operators and modules, each once: many instructions have the same. */
typedef struct step_names {
  etr_map places; /* of texts, by their address, in the list */
  etr_vec(const char *) list;
} step_names;

static void put_name(const etr_fields *f, etr_arena *arena, step_names *names, const char *text) {
  etr_map_slot *slot = etr_map_at(&names->places, (etr_slice){(const char *)&text, sizeof text});
  if (slot && slot->value == ETR_NONE) {
    const char **added = etr_vec_push(arena, &names->list);
    if (!added) return;
    slot->value = (uint32_t)(names->list.count - 1);
    *added = text;
  }
  if (slot) etr_jw_uint(f->json, slot->value);
}

/* Columns over the instructions. */
static void put_instructions(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  step_names names = {0};
  etr_map_init(&names.places, arena);
  const etr_memory_plan *plan = method->memory;
  etr_field_object(f, "instructions");
  etr_field_count(f, "count", plan->instruction_count);
  etr_field_list(f, "live_bytes");
  for (size_t i = 0; i < plan->instruction_count; i++) etr_jw_uint(f->json, plan->live_bytes[i]);
  etr_jw_end(f->json);
  etr_field_list(f, "op");
  for (size_t i = 0; i < plan->instruction_count; i++)
    put_name(f, arena, &names, etr_memory_step_op(f->profile, method, (int32_t)i));
  etr_jw_end(f->json);
  etr_field_list(f, "module");
  for (size_t i = 0; i < plan->instruction_count; i++)
    put_name(f, arena, &names, etr_memory_module(f->profile, method, plan->steps[i].module));
  etr_jw_end(f->json);
  etr_field_texts(f, "names", names.list.data, names.list.count);
  etr_jw_end(f->json);
}

static void put_plan(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  if (!method->memory) {
    etr_field_text(f, "plan", NULL);
    return;
  }
  etr_field_object(f, "plan");
  etr_field_count(f, "planned_bytes", method->memory->planned_bytes);
  put_peak(f, arena, method);
  put_rows(f, "buffers", &etr_buffer_fields, etr_memory_buffer_parts(arena, method->memory));
  put_instructions(f, arena, method);
  put_rows(f, "tensors", &etr_tensor_fields, etr_memory_planned_rows(arena, f->profile, method));
  put_rows(f, "inputs_and_outputs", &etr_boundary_fields, etr_memory_boundary_rows(arena, f->profile, method));
  put_rows(f, "delegates", &etr_blob_fields, etr_memory_blob_parts(arena, method->memory));
  etr_jw_end(f->json);
}

/* ---- What a page has room for ---- */

enum { MOST_SHOWN = 100 };

static etr_rows first_rows(etr_rows rows) {
  rows.count = ETR_MIN(rows.count, (size_t)MOST_SHOWN);
  return rows;
}

static bool put_weights(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  size_t count, sum_count;
  const etr_weight *weights = etr_weights_of(&count, arena, f->profile, method);
  const etr_weight_sum *sums = weights ? etr_weight_sums_make(&sum_count, arena, weights, count) : NULL;
  if (!sums) return false;
  etr_field_list(f, "weights");
  for (size_t i = 0; i < count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "name", weights[i].node->weight_name);
    etr_field_text(f, "kind", etr_node_kind_name(weights[i].node->kind));
    etr_field_text(f, "module", weights[i].module);
    etr_field_text(f, "dtype", weights[i].value->dtype);
    etr_field_shape(f, weights[i].value);
    etr_field_number(f, "bytes", weights[i].is_known ? (double)weights[i].bytes : (double)NAN);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  put_rows(f, "weight_sums", &etr_weight_sum_fields, etr_memory_sum_parts(arena, sums, sum_count));
  return true;
}

static bool put_unknowns(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  size_t count = 0;
  const etr_memory_unknown *list = NULL;
  if (method->memory && !(list = etr_memory_unknowns_make(&count, arena, method->memory))) return false;
  etr_field_list(f, "not_in_program");
  for (size_t i = 0; i < count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "what", list[i].what);
    etr_field_text(f, "text", list[i].text);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

/* Of a finding about another order; empty of others. */
static void put_order(const etr_fields *f, const etr_memory_order *order, const etr_memory_plan *plan) {
  etr_field_list(f, "moves");
  for (size_t i = 0; order && i < order->move_count; i++) {
    etr_jw_object(f->json);
    etr_field_count(f, "first", (uint64_t)order->moves[i].first);
    etr_field_count(f, "last", (uint64_t)order->moves[i].last);
    etr_field_number(f, "after", order->moves[i].after >= 0 ? (double)order->moves[i].after : (double)NAN);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  etr_field_list(f, "order");
  for (size_t i = 0; order && i < plan->instruction_count; i++) etr_jw_uint(f->json, order->steps[i]);
  etr_jw_end(f->json);
}

static bool put_findings(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  size_t count;
  const etr_memory_finding *list = etr_memory_findings_make(&count, arena, f->profile, method);
  if (!list) return false;
  etr_field_list(f, "findings");
  for (size_t i = 0; i < count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "kind", etr_memory_finding_kind_name(list[i].kind));
    etr_field_text(f, "title", list[i].title);
    etr_field_text(f, "evidence", list[i].evidence);
    etr_field_count(f, "bytes", list[i].bytes);
    etr_field_number(f, "instruction", list[i].instruction >= 0 ? (double)list[i].instruction : (double)NAN);
    put_order(f, list[i].order, method->memory);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

bool etr_memory_put_method(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  put_plan(f, arena, method);
  if (!put_weights(f, arena, method)) return false;
  return put_unknowns(f, arena, method) && put_findings(f, arena, method);
}

bool etr_memory_put_shown(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  const etr_memory_plan *plan = method->memory;
  size_t count, sum_count;
  if (!plan) {
    etr_jw_null(f->json);
    return true;
  }
  const etr_weight *weights = etr_weights_of(&count, arena, f->profile, method);
  const etr_weight_sum *sums = weights ? etr_weight_sums_make(&sum_count, arena, weights, count) : NULL;
  if (!sums) return false;
  etr_jw_object(f->json);
  etr_field_count(f, "planned_bytes", plan->planned_bytes);
  put_peak(f, arena, method);
  put_rows(f, "peak_tensors", &etr_tensor_fields,
           first_rows(etr_memory_live_rows(arena, f->profile, method, plan->peak_instruction)));
  put_rows(f, "buffers", &etr_buffer_fields, etr_memory_buffer_parts(arena, plan));
  put_instructions(f, arena, method);
  put_rows(f, "delegates", &etr_blob_sum_fields, first_rows(etr_memory_blob_sum_parts(arena, plan)));
  put_rows(f, "weight_sums", &etr_weight_sum_fields, first_rows(etr_memory_sum_parts(arena, sums, sum_count)));
  bool good = put_unknowns(f, arena, method) && put_findings(f, arena, method);
  etr_jw_end(f->json);
  return good;
}

/* ---- The document ---- */

static bool put_method(etr_answer *answer, const etr_method *method) {
  etr_jw_object(&answer->json);
  etr_field_text(&answer->fields, "method", method->name);
  bool good = etr_memory_put_method(&answer->fields, &answer->arena, method);
  etr_jw_end(&answer->json);
  return good;
}

etr_status etr_emit_memory_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit,
                                const etr_sink *sink, etr_error *error) {
  etr_answer answer;
  etr_answer_begin_document(&answer, NULL, filter, unit, sink, "memory/1"); /* it has no times */
  answer.profile = answer.fields.profile = profile;
  etr_answer_put_filter(&answer);
  etr_memory_put_program(&answer.fields, &answer.arena);
  bool good = etr_answer_put_methods(&answer, put_method);
  return etr_answer_end(&answer, good && !etr_arena_failed(&answer.arena), error);
}
