/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_json.c - where each method's time goes, as JSON.
 */
#include "summary_json.h"

#include "breakdown.h"
#include "findings.h"
#include "loads.h"
#include "node_filter.h"
#include "output_gaps.h"

typedef struct emitter {
  etr_fields fields;
  etr_arena arena;
} emitter;

static void put_row(emitter *e, const etr_method *method, const etr_breakdown_row *row, etr_breakdown_by by) {
  static const char *const keys[] = {"op", "module", "backend", "file"};
  const etr_fields *f = &e->fields;
  double runs = (double)method->run_count;
  etr_jw_object(f->json);
  etr_field_text(f, keys[by], row->key[0] || by == ETR_BY_MODULE ? row->key : NULL);
  if (by == ETR_BY_MODULE) etr_field_text(f, "module_type", row->module_type[0] ? row->module_type : NULL);
  if (by == ETR_BY_SOURCE) {
    etr_jw_key(f->json, "line");
    if (row->source)
      etr_jw_int(f->json, row->source->line);
    else
      etr_jw_null(f->json);
    etr_field_text(f, "function", row->source ? row->source->function : NULL);
    etr_field_text(f, "code", row->source ? row->source->code : NULL);
  }
  etr_field_ticks(f, "avg", (double)row->total_ticks / runs);
  etr_field_number(f, "share", method->execute_ticks ? (double)row->total_ticks / (double)method->execute_ticks : 0);
  etr_field_ticks(f, "estimated", (double)row->estimated_ticks / runs);
  etr_field_count(f, "count", row->node_count);
  etr_jw_end(f->json);
}

static bool put_breakdowns(emitter *e, const etr_method *method) {
  static const char *const lists[] = {"by_op", "by_module", "by_backend", "by_source"};
  for (etr_breakdown_by by = ETR_BY_OP; by <= ETR_BY_SOURCE; by++) {
    etr_breakdown rows;
    if (!etr_breakdown_make(&rows, &e->arena, e->fields.profile, method, by, NULL)) return false;
    etr_field_list(&e->fields, lists[by]);
    for (size_t i = 0; i < rows.count; i++) put_row(e, method, &rows.rows[i], by);
    etr_jw_end(e->fields.json);
  }
  return true;
}

static bool put_findings(emitter *e, const etr_method *method) {
  const etr_fields *f = &e->fields;
  etr_findings found;
  if (!etr_findings_make(&found, &e->arena, f->profile, method, f->unit)) return false;
  etr_field_list(f, "findings");
  for (size_t i = 0; i < found.count; i++) {
    const etr_finding *finding = &found.list[i];
    etr_jw_object(f->json);
    etr_field_text(f, "kind", etr_finding_kind_name(finding->kind));
    etr_field_text(f, "title", finding->title);
    etr_field_ticks(f, "cost", finding->cost);
    etr_field_number(f, "share", finding->share);
    etr_field_list(f, "nodes");
    for (size_t k = 0; k < finding->node_count; k++) etr_jw_string(f->json, f->profile->graphs[method->graph].nodes[finding->nodes[k]].name);
    etr_jw_end(f->json);
    etr_field_list(f, "instructions");
    for (size_t k = 0; k < finding->instruction_count; k++) etr_jw_int(f->json, finding->instructions[k]);
    etr_jw_end(f->json);
    etr_field_text(f, "evidence", finding->evidence);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

static bool put_method(emitter *e, const etr_method *method) {
  const etr_fields *f = &e->fields;
  double runs = method->run_count ? (double)method->run_count : 1;
  etr_jw_object(f->json);
  etr_field_text(f, "method", method->name[0] ? method->name : NULL);
  etr_field_count(f, "runs", method->run_count);
  etr_jw_key(f->json, "execute");
  etr_jw_object(f->json);
  etr_field_stats(f, &method->execute);
  etr_jw_end(f->json);
  etr_field_ticks(f, "nodes", (double)method->nodes_ticks / runs);
  etr_field_ticks(f, "estimated", (double)method->estimated_ticks / runs);
  etr_field_ticks(f, "delegate_only", (double)method->delegate_only_ticks / runs);
  etr_field_ticks(f, "framework", (double)method->framework_ticks / runs);
  etr_field_ticks(f, "unexplained", (double)method->unexplained_ticks / runs);
  bool good = put_breakdowns(e, method) && put_findings(e, method);
  etr_field_output_gaps(f, (uint32_t)(method - f->profile->methods));
  etr_jw_end(f->json);
  return good;
}

bool etr_summary_put_loads(const etr_fields *f, etr_arena *arena) {
  etr_loads loads;
  if (!etr_loads_make(&loads, arena, f->profile)) return false;
  etr_field_list(f, "load");
  for (size_t i = 0; i < loads.count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "event_block_name", loads.list[i].block);
    etr_field_text(f, "event_name", loads.list[i].name);
    etr_field_stats(f, &loads.list[i].stats);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

etr_status etr_emit_summary_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_jw json;
  emitter e = {.fields = {profile, unit, &json}};
  bool good = true;
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer);
  etr_jw_object(&json);
  etr_field_text(&e.fields, "schema", "etrecord-tb/summary/1");
  etr_field_text(&e.fields, "time_unit", etr_unit_name(unit));
  etr_field_list(&e.fields, "methods");
  for (size_t i = 0; good && i < profile->method_count; i++)
    if (etr_filter_takes_method(filter, &profile->methods[i])) good = put_method(&e, &profile->methods[i]);
  etr_jw_end(&json);
  good = good && etr_summary_put_loads(&e.fields, &e.arena);
  etr_jw_end(&json);
  if (!good) writer.status = ETR_ERROR_MEMORY;
  etr_arena_clear(&e.arena);
  return etr_writer_finish(&writer, error);
}
