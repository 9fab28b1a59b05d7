/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_json.c - all that the dashboard and the report show, as one compact JSON document.
 */
#include "balance.h"
#include "delegation_output.h"
#include "findings.h"
#include "profile_doc.h"
#include "summary_json.h"

#include <math.h>
#include <stddef.h>

void etr_profile_put_index(etr_profile_doc *e, uint32_t index) { etr_jw_int(e->fields.json, index == ETR_NONE ? -1 : (int64_t)index); }

/* Adds a text that lives as long as the document. */
static uint32_t add_text(etr_profile_doc *e, const char *text) {
  uint32_t index = (uint32_t)e->list.count;
  const char **added = text ? etr_vec_push(&e->arena, &e->list) : NULL;
  if (!added || !etr_map_set(&e->texts, etr_slice_of(text), index)) return ETR_NONE;
  *added = text;
  return index;
}

static uint32_t index_of(etr_profile_doc *e, const char *text) {
  size_t place = (size_t)((uintptr_t)text / sizeof(max_align_t)) % ETR_PROFILE_RECENT;
  if (e->recent[place].text == text) return e->recent[place].index;
  uint32_t index = etr_map_get(&e->texts, etr_slice_of(text));
  if (index == ETR_NONE) index = add_text(e, text);
  e->recent[place].text = text;
  e->recent[place].index = index;
  return index;
}

void etr_profile_put_text(etr_profile_doc *e, const char *text) { etr_profile_put_index(e, text ? index_of(e, text) : ETR_NONE); }

void etr_profile_put_copy(etr_profile_doc *e, etr_slice text) {
  uint32_t index = text.size > 0 ? etr_map_get(&e->texts, text) : ETR_NONE;
  if (index == ETR_NONE && text.size > 0) index = add_text(e, etr_arena_copy(&e->arena, text));
  etr_profile_put_index(e, index);
}

/* To the picosecond: the rest of an interpolated percentile is noise of its arithmetic. */
void etr_profile_put_ns(etr_profile_doc *e, double ticks) {
  etr_jw_double(e->fields.json, round(etr_ticks_to_ns(e->fields.profile, ticks) * 1e3) / 1e3);
}

/* The last folder and name of a path: which file it is, not where its owner keeps it. */
static void put_path(const etr_fields *f, const char *path) {
  const char *from = path;
  int slashes = 0;
  for (const char *at = path + strlen(path); at > path && slashes < 2; at--)
    if (at[-1] == '/' && ++slashes == 2) from = at;
  etr_jw_string(f->json, from);
}

static void put_inputs(const etr_fields *f) {
  const etr_profile *profile = f->profile;
  etr_field_list(f, "inputs");
  if (profile->etrecord) put_path(f, profile->etrecord);
  for (size_t i = 0; i < profile->etdump_count; i++) put_path(f, profile->etdumps[i]);
  if (profile->pte) put_path(f, profile->pte);
  etr_jw_end(f->json);
}

static void put_warnings(const etr_fields *f) {
  etr_field_list(f, "warnings");
  for (size_t i = 0; i < f->profile->warning_count; i++) {
    const etr_warning *warning = &f->profile->warnings[i];
    etr_jw_object(f->json);
    etr_jw_key(f->json, "file"), put_path(f, warning->file);
    etr_field_text(f, "entry", warning->entry);
    etr_field_text(f, "message", warning->message);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

static void put_balance(etr_profile_doc *e, const etr_method *method) {
  const etr_fields *f = &e->fields;
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_balance_list(method, parts);
  etr_field_list(f, "balance");
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "part", parts[i].name);
    etr_field_text(f, "text", parts[i].text);
    etr_field_flag(f, "of_previous", parts[i].is_part_of_previous);
    etr_field_ticks(f, "total", (double)parts[i].ticks);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

static void put_delegates(etr_profile_doc *e, const etr_method *method) {
  const etr_fields *f = &e->fields;
  etr_field_list(f, "delegates");
  for (size_t i = 0; i < method->delegate_count; i++) {
    const etr_delegate *delegate = &method->delegates[i];
    etr_jw_object(f->json);
    etr_jw_key(f->json, "instruction"), etr_jw_int(f->json, delegate->instruction_id);
    etr_field_text(f, "backend", delegate->backend);
    etr_field_count(f, "handles", delegate->handle_count);
    etr_field_ticks(f, "call", (double)delegate->call_ticks);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

static bool put_findings(etr_profile_doc *e, const etr_method *method, const etr_profile_operators *ops) {
  const etr_fields *f = &e->fields;
  etr_findings found;
  if (!etr_findings_make(&found, &e->arena, f->profile, method, ETR_UNIT_MS)) return false;
  etr_field_list(f, "findings");
  for (size_t i = 0; i < found.count; i++) {
    const etr_finding *finding = &found.list[i];
    etr_jw_object(f->json);
    etr_field_text(f, "title", finding->title);
    etr_field_text(f, "evidence", finding->evidence);
    etr_field_ticks(f, "cost", finding->cost);
    etr_field_number(f, "share", finding->share);
    etr_field_list(f, "operators");
    for (size_t k = 0; k < finding->node_count; k++) etr_profile_put_index(e, ops->row_of[finding->nodes[k]]);
    etr_jw_end(f->json);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

static bool put_method(etr_profile_doc *e, const etr_method *method) {
  const etr_fields *f = &e->fields;
  etr_profile_operators ops = {0};
  etr_jw_object(f->json);
  etr_field_text(f, "method", method->name[0] ? method->name : NULL);
  etr_field_count(f, "runs", method->run_count);
  etr_jw_key(f->json, "execute");
  etr_jw_object(f->json);
  etr_field_stats(f, &method->execute);
  etr_field_ticks(f, "total", (double)method->execute_ticks);
  etr_jw_end(f->json);
  etr_field_list(f, "execute_per_run");
  for (size_t i = 0; i < method->run_count; i++) etr_profile_put_ns(e, (double)method->execute_per_run[i]);
  etr_jw_end(f->json);
  put_balance(e, method);
  etr_field_ticks(f, "clock_hidden", (double)method->clock_hidden_ticks);
  put_delegates(e, method);
  bool good = etr_profile_put_graph(e, &ops, method);
  etr_jw_key(f->json, "delegation");
  good = good && etr_delegation_put(f, &e->arena, method, NULL) && put_findings(e, method, &ops);
  etr_profile_put_timeline(e, method, &ops);
  etr_jw_end(f->json);
  return good;
}

/* Not a name in the maps that neither has a graph nor ever ran. */
static bool has_something_to_show(const etr_method *method) { return method->graph != ETR_NONE || method->run_count > 0; }

etr_status etr_emit_profile_json(const etr_profile *profile, const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_jw json;
  etr_profile_doc e = {.fields = {profile, ETR_UNIT_NS, &json}};
  bool good = true;
  etr_error_clear(error);
  etr_map_init(&e.texts, &e.arena);
  e.joined.arena = &e.arena;
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer);
  etr_jw_object(&json);
  etr_field_text(&e.fields, "schema", "etrecord-tb/profile/1");
  etr_field_text(&e.fields, "time_unit", etr_unit_name(ETR_UNIT_NS));
  etr_field_text(&e.fields, "version", etr_version());
  etr_field_number(&e.fields, "ticks_per_second", profile->ticks_per_second);
  put_inputs(&e.fields);
  etr_field_list(&e.fields, "methods");
  for (size_t i = 0; good && i < profile->method_count; i++)
    if (has_something_to_show(&profile->methods[i])) good = put_method(&e, &profile->methods[i]);
  etr_jw_end(&json);
  good = good && etr_summary_put_loads(&e.fields, &e.arena);
  put_warnings(&e.fields);
  etr_field_list(&e.fields, "texts");
  for (size_t i = 0; i < e.list.count; i++) etr_jw_string(&json, e.list.data[i]);
  etr_jw_end(&json);
  etr_jw_end(&json);
  if (!good || etr_arena_failed(&e.arena)) writer.status = ETR_ERROR_MEMORY;
  etr_arena_clear(&e.arena);
  return etr_writer_finish(&writer, error);
}
