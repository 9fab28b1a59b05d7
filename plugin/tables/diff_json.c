/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_json.c - a comparison as JSON.
 */
#include "balance.h"
#include "gap_output.h"

typedef struct emitter {
  const etr_comparison *comparison;
  const etr_diff_filter *filter;
  etr_fields fields;
} emitter;

static void put_known(const etr_fields *f, const char *key, double ticks, bool known) {
  if (known)
    etr_field_ticks(f, key, ticks);
  else
    etr_field_text(f, key, NULL);
}

static void put_change(const etr_fields *f, const etr_change *c) {
  etr_field_ticks(f, "base_avg", c->base_avg);
  etr_field_ticks(f, "new_avg", c->new_avg);
  etr_field_ticks(f, "change_avg", etr_diff_average(c));
  put_known(f, "base_p50", c->base_p50, c->base_runs > 0);
  put_known(f, "new_p50", c->new_p50, c->new_runs > 0);
  put_known(f, "change_p50", etr_diff_median(c), c->base_runs && c->new_runs);
  put_known(f, "noise", c->noise, c->noise >= 0);
  etr_field_count(f, "base_runs", c->base_runs);
  etr_field_count(f, "new_runs", c->new_runs);
  etr_field_text(f, "verdict", etr_verdict_name(c->verdict));
}

static void put_index(const etr_fields *f, const char *key, uint32_t index) {
  etr_jw_key(f->json, key);
  if (index == ETR_NONE)
    etr_jw_null(f->json);
  else
    etr_jw_uint(f->json, index);
}

static void put_pairs(const emitter *e, const etr_method_pair *method) {
  const etr_fields *f = &e->fields;
  etr_field_list(f, "nodes");
  for (size_t i = 0; i < method->pair_count; i++) {
    const etr_node_pair *pair = &method->pairs[i];
    etr_jw_object(f->json);
    etr_field_text(f, "base_name", pair->base_name);
    etr_field_text(f, "new_name", pair->new_name);
    put_index(f, "base_node", pair->base_node);
    put_index(f, "new_node", pair->new_node);
    etr_field_text(f, "rule", etr_pair_rule_name(pair->rule));
    etr_field_text(f, "op", pair->op);
    etr_field_text(f, "base_module", pair->base_module);
    etr_field_text(f, "new_module", pair->new_module);
    etr_field_text(f, "base_backend", pair->base_backend);
    etr_field_text(f, "new_backend", pair->new_backend);
    put_change(f, &pair->change);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

static void put_groups(const emitter *e, const char *list, const char *key, const etr_node_groups *groups) {
  const etr_fields *f = &e->fields;
  etr_field_list(f, list);
  for (size_t i = 0; i < groups->count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, key, groups->rows[i].key);
    etr_field_count(f, "base_nodes", groups->rows[i].base_nodes);
    etr_field_count(f, "new_nodes", groups->rows[i].new_nodes);
    put_change(f, &groups->rows[i].change);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

static double part_average(const etr_profile *profile, uint32_t method, size_t part) {
  etr_balance_part parts[ETR_BALANCE_PARTS];
  if (method == ETR_NONE || profile->methods[method].run_count == 0) return 0;
  etr_balance_list(&profile->methods[method], parts);
  return (double)parts[part].ticks / (double)profile->methods[method].run_count;
}

/* The parts of Method::execute, averages. */
static void put_parts(const emitter *e, const etr_method_pair *method) {
  const etr_fields *f = &e->fields;
  etr_balance_part names[ETR_BALANCE_PARTS];
  etr_balance_list(&(etr_method){0}, names);
  etr_jw_key(f->json, "parts");
  etr_jw_object(f->json);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++) {
    double base = part_average(e->comparison->base, method->base_method, i) * e->comparison->base_scale;
    double newer = part_average(e->comparison->newer, method->new_method, i);
    etr_jw_key(f->json, names[i].name);
    etr_jw_object(f->json);
    etr_field_ticks(f, "base_avg", base);
    etr_field_ticks(f, "new_avg", newer);
    etr_field_ticks(f, "change_avg", newer - base);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

static void put_method(const emitter *e, const etr_method_pair *method) {
  const etr_fields *f = &e->fields;
  etr_jw_object(f->json);
  etr_field_text(f, "method", method->name[0] ? method->name : NULL);
  etr_jw_key(f->json, "execute");
  etr_jw_object(f->json);
  put_change(f, &method->execute);
  etr_jw_end(f->json);
  put_parts(e, method);
  etr_field_ticks(f, "rest", etr_diff_rest(method));
  etr_field_flag(f, "by_events", method->by_events);
  etr_field_count(f, "timed_nodes", method->timed_nodes);
  etr_field_count(f, "timed_paired", method->timed_paired);
  etr_field_flag(f, "may_differ", method->may_differ);
  if (etr_diff_takes_section(e->filter, ETR_DIFF_SECTION_NODES)) put_pairs(e, method);
  if (etr_diff_takes_section(e->filter, ETR_DIFF_SECTION_OPS)) put_groups(e, "by_op", "op", &method->ops);
  if (etr_diff_takes_section(e->filter, ETR_DIFF_SECTION_MODULES)) put_groups(e, "by_module", "module", &method->modules);
  if (etr_diff_takes_section(e->filter, ETR_DIFF_SECTION_BACKENDS)) put_groups(e, "by_backend", "backend", &method->backends);
  if (etr_diff_takes_gaps(e->filter)) etr_field_gaps(f, method);
  etr_jw_end(f->json);
}

static void put_loads(const emitter *e) {
  const etr_fields *f = &e->fields;
  etr_field_list(f, "load");
  for (size_t i = 0; i < e->comparison->load_count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "event_name", e->comparison->loads[i].name);
    put_change(f, &e->comparison->loads[i].change);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

etr_status etr_emit_diff_json(const etr_comparison *comparison, const etr_diff_filter *filter, etr_unit unit, const etr_sink *sink,
                              etr_error *error) {
  etr_writer writer;
  etr_jw json;
  const emitter e = {.comparison = comparison, .filter = filter, .fields = {comparison->newer, unit, &json}};
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer);
  etr_jw_object(&json);
  etr_field_text(&e.fields, "schema", "etrecord-tb/diff/1");
  etr_field_text(&e.fields, "time_unit", etr_unit_name(unit));
  etr_field_list(&e.fields, "methods");
  for (size_t i = 0; i < comparison->method_count; i++)
    if (etr_diff_takes_method(filter, &comparison->methods[i])) put_method(&e, &comparison->methods[i]);
  etr_jw_end(&json);
  put_loads(&e);
  etr_jw_end(&json);
  return etr_writer_finish(&writer, error);
}
