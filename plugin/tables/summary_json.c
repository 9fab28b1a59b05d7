/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_json.c - where each method's time goes, as JSON.
 */
#include "summary_json.h"

#include "label.h"
#include "node_filter.h"
#include "output_gaps.h"
#include "summary.h"

#include <math.h>

typedef struct emitter {
  etr_fields fields;
  etr_arena arena;
  const etr_node_filter *filter;
} emitter;

static double share_of(const etr_method *method, uint64_t ticks) { return method->execute_ticks ? (double)ticks / (double)method->execute_ticks : 0; }

static double per_run(const etr_method *method, uint64_t ticks) { return method->run_count ? (double)ticks / (double)method->run_count : 0; }

void etr_summary_put_time(const etr_fields *f, const etr_method *method, uint64_t ticks) {
  etr_field_ticks(f, "avg", per_run(method, ticks));
  etr_field_number(f, "share", share_of(method, ticks));
}

/* What all rows have: the time of the row's nodes. stats may be NULL. */
static void put_times(const etr_fields *f, const etr_method *method, uint64_t ticks, uint64_t estimated, size_t nodes, const etr_stats *stats) {
  etr_summary_put_time(f, method, ticks);
  etr_field_ticks(f, "estimated", per_run(method, estimated));
  etr_field_count(f, "count", nodes);
  for (int i = 0; i < 2; i++) {
    const char *key = i == 0 ? "p50" : "p90";
    if (stats && stats->count)
      etr_field_ticks(f, key, i == 0 ? stats->p50 : stats->p90);
    else
      etr_field_text(f, key, NULL);
  }
}

void etr_summary_put_source(const etr_fields *f, const etr_source *source) {
  etr_field_text(f, "file", source ? source->file : NULL);
  etr_jw_key(f->json, "line");
  if (source)
    etr_jw_int(f->json, source->line);
  else
    etr_jw_null(f->json);
  etr_field_text(f, "function", source ? source->function : NULL);
  etr_field_text(f, "code", source ? source->code : NULL);
}

void etr_summary_put_row(const etr_fields *f, const etr_summary *s, etr_breakdown_by by, const etr_breakdown_row *row) {
  put_times(f, s->method, row->total_ticks, row->estimated_ticks, row->node_count, &s->stats[by][row->number]);
}

static void put_breakdown(const etr_fields *f, const etr_summary *s, etr_breakdown_by by) {
  etr_field_list(f, etr_breakdown_name(by));
  for (size_t i = 0; i < s->by[by].count; i++) {
    const etr_breakdown_row *row = &s->by[by].rows[i];
    etr_jw_object(f->json);
    if (by == ETR_BY_SOURCE)
      etr_summary_put_source(f, row->source);
    else
      etr_field_text(f, by == ETR_BY_OP ? "op" : "backend", row->key);
    etr_summary_put_row(f, s, by, row);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

static void put_modules(const etr_fields *f, const etr_summary *s) {
  etr_field_list(f, etr_breakdown_name(ETR_BY_MODULE));
  for (size_t i = 0; i < s->modules.count; i++) {
    const etr_module_row *row = &s->modules.rows[i];
    etr_jw_object(f->json);
    etr_field_text(f, "module", row->path);
    etr_field_text(f, "module_type", row->type[0] ? row->type : NULL);
    etr_field_count(f, "level", row->level);
    put_times(f, s->method, row->own_ticks, row->estimated_ticks, row->own_count,
              row->number == ETR_NONE ? NULL : &s->stats[ETR_BY_MODULE][row->number]);
    etr_field_ticks(f, "total", per_run(s->method, row->total_ticks));
    etr_field_number(f, "total_share", share_of(s->method, row->total_ticks));
    etr_field_count(f, "total_count", row->node_count);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

static void put_first_run(const etr_fields *f, const etr_summary *s) {
  etr_jw_key(f->json, "first_run");
  if (s->first_run.rest.count == 0) {
    etr_jw_null(f->json);
    return;
  }
  etr_jw_object(f->json);
  etr_field_ticks(f, "execute", s->first_run.ticks);
  etr_field_number(f, "factor", s->first_run.rest.p50 > 0 ? s->first_run.ticks / s->first_run.rest.p50 : NAN);
  etr_jw_key(f->json, "rest");
  etr_jw_object(f->json);
  etr_field_stats(f, &s->first_run.rest);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

static void put_finding(emitter *e, const etr_summary *s, const etr_finding *finding) {
  const etr_fields *f = &e->fields;
  etr_jw_object(f->json);
  etr_field_text(f, "kind", etr_finding_kind_name(finding->kind));
  etr_field_text(f, "title", finding->title);
  etr_field_ticks(f, "cost", finding->cost);
  etr_field_number(f, "share", finding->share);
  etr_field_list(f, "nodes");
  for (size_t k = 0; k < finding->node_count; k++)
    etr_jw_string(f->json, etr_label_node(&e->arena, s->graph, finding->nodes[k]));
  etr_jw_end(f->json);
  etr_field_list(f, "instructions");
  for (size_t k = 0; k < finding->instruction_count; k++) etr_jw_int(f->json, finding->instructions[k]);
  etr_jw_end(f->json);
  etr_field_text(f, "evidence", finding->evidence);
  etr_jw_end(f->json);
}

static bool put_method(emitter *e, const etr_method *method) {
  const etr_fields *f = &e->fields;
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_summary s;
  if (!etr_summary_make(&s, &e->arena, f->profile, method, e->filter, f->unit, ETR_ORDER_TIME)) return false;
  etr_jw_object(f->json);
  etr_field_text(f, "method", method->name[0] ? method->name : NULL);
  etr_field_count(f, "runs", method->run_count);
  etr_jw_key(f->json, "execute");
  etr_jw_object(f->json);
  etr_field_stats(f, &method->execute);
  etr_jw_end(f->json);
  etr_balance_list(method, parts);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++) etr_field_ticks(f, parts[i].name, per_run(method, parts[i].ticks));
  etr_field_number(f, "estimated_confidence", method->estimated_ticks ? method->estimated_confidence : NAN);
  etr_field_ticks(f, "clock_hidden", per_run(method, method->clock_hidden_ticks));
  etr_field_ticks(f, "filtered", per_run(method, s.part_ticks));
  put_first_run(f, &s);
  put_breakdown(f, &s, ETR_BY_OP);
  put_modules(f, &s);
  put_breakdown(f, &s, ETR_BY_BACKEND);
  put_breakdown(f, &s, ETR_BY_SOURCE);
  etr_field_list(f, "findings");
  for (size_t i = 0; i < s.findings.count; i++) put_finding(e, &s, &s.findings.list[i]);
  etr_jw_end(f->json);
  etr_field_output_gaps(f, (uint32_t)(method - f->profile->methods));
  etr_jw_end(f->json);
  return true;
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
  emitter e = {.fields = {profile, unit, &json}, .filter = filter};
  bool good = true;
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer);
  etr_jw_object(&json);
  etr_field_text(&e.fields, "schema", "etrecord-tb/summary/1");
  etr_field_text(&e.fields, "time_unit", etr_unit_name(unit));
  etr_field_text(&e.fields, "filter", etr_filter_is_active(filter) ? etr_filter_text(&e.arena, filter) : NULL);
  etr_field_list(&e.fields, "methods");
  for (size_t i = 0; good && i < profile->method_count; i++)
    if (etr_filter_takes_method(filter, &profile->methods[i])) good = put_method(&e, &profile->methods[i]);
  etr_jw_end(&json);
  good = good && etr_summary_put_loads(&e.fields, &e.arena);
  etr_jw_end(&json);
  if (!good) writer.status = ETR_ERROR_MEMORY;
  return etr_writer_finish_with(&writer, &e.arena, error);
}
