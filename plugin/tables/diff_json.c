/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_json.c - a comparison as JSON.
 */
#include "tables/diff_output.h"

#include "tables/cost_fields.h"
#include "tables/finding_output.h"
#include "views/diff_view.h"
#include "views/headline.h"
#include "views/throughput.h"

#include <math.h>

static etr_cell rule(const void *row) {
  return etr_cell_text(etr_pair_rule_name(((const etr_diff_row *)row)->pair->rule));
}
static void put_change(const etr_fields *f, const void *row) {
  etr_diff_put_change(f, ((const etr_diff_row *)row)->change);
}

#define PAIR(kind, name) NULL, kind, ETR_IN_JSON, ETR_VIA(etr_diff_row, pair, etr_node_pair, name)
#define GROUP(kind, name)                                                                          \
  NULL, kind, ETR_IN_JSON, ETR_VIA(etr_diff_row, group, etr_node_group, name)
#define BASE(name) ETR_VIA(etr_diff_row, base_cost, etr_cost_figures, name)
#define NEW(name) ETR_VIA(etr_diff_row, new_cost, etr_cost_figures, name)

/* Units of rates are the arithmetic's in JSON. */
#define COSTS                                                                                      \
  ETR_DIFF_COST_FIELDS(BASE, NEW, ETR_IN_JSON, NULL, NULL),                                        \
      {"base_arithmetic",                                                                          \
       NULL,                                                                                       \
       ETR_CELL_WORD,                                                                              \
       ETR_IN_JSON,                                                                                \
       BASE(arithmetic),                                                                           \
       .type = "arithmetic",                                                                       \
       .nullable = true,                                                                           \
       .says = ETR_SAYS("what is multiplied; null: nothing, or it is not known")},                 \
  {                                                                                                \
    "new_arithmetic", NULL, ETR_CELL_WORD, ETR_IN_JSON, NEW(arithmetic), .type = "arithmetic",     \
        .nullable = true                                                                           \
  }

static const etr_field pair_fields[] = {
    {"base_name", PAIR(ETR_CELL_NAME, base_name), .says = ETR_SAYS("null: the node is new"),
     .nullable = true},
    {"new_name", PAIR(ETR_CELL_NAME, new_name), .says = ETR_SAYS("null: the node is gone"),
     .nullable = true},
    {"base_node", PAIR(ETR_CELL_COUNT, base_node),
     .says = ETR_SAYS(
         "index into the nodes of the method's Edge graph; null if missing, and for events"),
     .nullable = true},
    {"new_node", PAIR(ETR_CELL_COUNT, new_node), .nullable = true},
    {"rule", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = rule,
     .says = ETR_SAYS("how the two were matched"), .type = "pair_rule"},
    {"op", PAIR(ETR_CELL_NAME, op)},
    {"base_module", PAIR(ETR_CELL_NAME, base_module), .nullable = true},
    {"new_module", PAIR(ETR_CELL_NAME, new_module), .nullable = true},
    {"base_backend", PAIR(ETR_CELL_NAME, base_backend), .nullable = true},
    {"new_backend", PAIR(ETR_CELL_NAME, new_backend), .nullable = true},
    {"", .in = ETR_IN_JSON, .put = put_change, .type = "change"},
    COSTS,
};
ETR_ROW_TYPE(node_change, pair_fields);

static const etr_field group_fields[] = {
    {"base_key", GROUP(ETR_CELL_NAME, base_key), .nullable = true,
     .says = ETR_SAYS(
         "of a module or pattern that the base calls otherwise: its name there; else null")},
    {"base_nodes", GROUP(ETR_CELL_COUNT, base_nodes), .says = ETR_SAYS("timed nodes")},
    {"new_nodes", GROUP(ETR_CELL_COUNT, new_nodes)},
    {"", .in = ETR_IN_JSON, .put = put_change, .type = "change"},
    COSTS,
};
ETR_ROW_TYPE(group_change, group_fields);

/* Writes "with_children": the change of a module or pattern together with everything below it, and
 * the costs of both on either side, but nothing for other groups. */
static void put_with_children(const etr_fields *f, const etr_diff_row *row) {
  const etr_node_group *whole = row->group->with_children;
  if (!whole)
    return;
  etr_field_begin_object(f, "with_children");
  etr_field_put_members(f, &etr_group_change_fields,
                        &(etr_diff_row){.change = &whole->change,
                                        .group = whole,
                                        .base_cost = row->base_tree_cost,
                                        .new_cost = row->new_tree_cost});
  etr_jw_end(f->json);
}

/* Writes a section of a method's comparison (its nodes, or sums by operator, module, ...) as a list
 * of changes, if the filter takes it. Returns false when out of memory. */
static bool put_section_list(etr_diff_output *o, const etr_method_pair *method,
                             etr_diff_section section) {
  const char *key = etr_diff_section_names[section].key;
  etr_diff_rows rows;
  if (!etr_diff_takes_section(o->filter, section))
    return true;
  if (!etr_diff_rows_list(&rows, &o->answer.arena, method, section) ||
      !etr_diff_costs_add(&rows, &o->answer.arena, o->comparison, method, section))
    return false;
  const etr_fields *f = &o->answer.fields;
  etr_field_begin_list(f, etr_diff_section_names[section].list);
  for (size_t i = 0; i < rows.count; i++) {
    etr_jw_object(f->json);
    if (key)
      etr_field_text(f, key, rows.rows[i].group->key);
    if (section == ETR_DIFF_SECTION_PATTERN_OPS)
      etr_field_text(f, "op", rows.rows[i].group->op);
    if (section == ETR_DIFF_SECTION_KERNELS)
      etr_field_text(f, "backend", rows.rows[i].group->backend);
    etr_field_put_members(f, key ? &etr_group_change_fields : &etr_node_change_fields,
                          &rows.rows[i]);
    if (key)
      put_with_children(f, &rows.rows[i]);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

/* Writes how the parts of Method::execute changed. Returns false when out of memory. */
static bool put_part_list(etr_diff_output *o, const etr_method_pair *method) {
  etr_rows rows;
  if (!etr_part_rows_make(&rows, o, method))
    return false;
  etr_field_put_rows(&o->answer.fields, "parts", &etr_balance_change_fields, rows);
  return true;
}

/* Writes how many runs a side has of a method, and how steady they are; null if the side lacks the
 * method. */
static void put_run_counts(etr_diff_output *o, const char *key, const etr_method_pair *pair,
                           bool is_newer) {
  const etr_fields *f = &o->answer.fields;
  const etr_profile *profile = is_newer ? o->comparison->newer : o->comparison->base;
  uint32_t method = is_newer ? pair->new_method : pair->base_method;
  if (method == ETR_NONE) {
    etr_field_text(f, key, NULL);
    return;
  }
  etr_field_begin_object(f, key);
  etr_field_count(f, "runs", profile->methods[method].run_count);
  etr_field_count(f, "skipped_runs", profile->methods[method].skipped_run_count);
  const char *steadiness = etr_diff_steadiness_text(o, pair, is_newer);
  etr_field_text(f, "steadiness", steadiness[0] ? steadiness : NULL);
  etr_jw_end(f->json);
}

static etr_cell difference_kind(const void *row) {
  return etr_cell_text(etr_difference_name(((const etr_difference *)row)->kind));
}

static const etr_field difference_fields[] = {
    {"kind", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = difference_kind, .type = "difference_kind"},
    {"name", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_difference, name),
     .says = ETR_SAYS("of the input"), .nullable = true},
    {"base", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_difference, base),
     .says = ETR_SAYS("null: nothing of the kind"), .nullable = true},
    {"new", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_difference, newer), .nullable = true},
};
ETR_ROW_TYPE(difference, difference_fields);

/* Writes the findings about the newer side. Returns false when out of memory. */
static bool put_findings(etr_diff_output *o, const etr_method_pair *method) {
  const etr_profile *profile = o->comparison->newer;
  const etr_method *newer = method->new_method == ETR_NONE ? NULL
                                                           : &profile->methods[method->new_method];
  etr_findings findings;
  if (!etr_diff_findings(&findings, o, method, o->answer.fields.unit))
    return false;
  etr_field_put_findings(&o->answer, &findings,
                         newer && newer->graph != ETR_NONE ? &profile->graphs[newer->graph] : NULL);
  return true;
}

#define TOKENS(kind, name) NULL, kind, ETR_IN_JSON, ETR_AT(etr_throughput_change, name)

static const etr_field throughput_change_fields[] = {
    {"base_tokens_per_run", TOKENS(ETR_CELL_NUMBER, base_tokens_per_run), .nullable = true},
    {"new_tokens_per_run", TOKENS(ETR_CELL_NUMBER, new_tokens_per_run), .nullable = true},
    {"base_ms_per_token", TOKENS(ETR_CELL_NUMBER, base_ms_per_token), .nullable = true,
     .says = ETR_SAYS("milliseconds of the typical run, whatever time_unit is")},
    {"new_ms_per_token", TOKENS(ETR_CELL_NUMBER, new_ms_per_token), .nullable = true},
    {"base_tokens_per_second", TOKENS(ETR_CELL_NUMBER, base_tokens_per_second), .nullable = true},
    {"new_tokens_per_second", TOKENS(ETR_CELL_NUMBER, new_tokens_per_second), .nullable = true},
    {"verdict", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(etr_throughput_change, verdict),
     .says = ETR_SAYS(
         "that of execute; null if runs of one side read more tokens than those of the other"),
     .type = "verdict", .nullable = true},
    {"text", TOKENS(ETR_CELL_NAME, text), .says = ETR_SAYS("for people")},
};
ETR_ROW_TYPE(throughput_change, throughput_change_fields);

/* Writes "throughput": tokens and times per token of both sides; null if the runs of neither are
 * known to read tokens. */
static void put_throughput(etr_diff_output *o, const etr_method_pair *method) {
  etr_throughput_change change;
  bool is_known = etr_throughput_change_of(&change, &o->answer.arena, o->comparison, method);
  etr_field_put_row_or_null(&o->answer.fields, "throughput", &etr_throughput_change_fields,
                            is_known ? &change : NULL);
}

/* Writes a key and a text; null for an empty one. */
static void put_text_or_null(const etr_fields *f, const char *key, const char *text) {
  etr_field_text(f, key, text[0] ? text : NULL);
}

/* Writes "answer", the sentence that says what changed, whose times have the unit in which people
 * read those of the method; null if there is nothing to say. */
static void put_answer_object(etr_diff_output *o, const etr_method_pair *method) {
  const etr_fields *f = &o->answer.fields;
  const etr_change *execute = &method->execute;
  double time = execute->new_runs ? execute->new_typical : execute->base_typical;
  etr_unit unit = f->unit == ETR_UNIT_CYCLES ? f->unit
                                             : etr_unit_of_ticks(o->comparison->newer, time);
  const char *text = etr_diff_sentence_text(o, method, unit);
  if (!text[0]) {
    etr_field_text(f, "answer", NULL);
    return;
  }
  etr_field_begin_object(f, "answer");
  etr_field_text(f, "text", text);
  etr_jw_end(f->json);
}

/* Writes the comparison of a method as an object: its verdict in words and numbers, the parts of
 * its time, the sections that the filter takes, and findings about the newer side. Returns false
 * when out of memory. */
static bool put_method_object(etr_diff_output *o, const etr_method_pair *method) {
  const etr_fields *f = &o->answer.fields;
  etr_jw_object(f->json);
  etr_field_text(f, "method", method->name[0] ? method->name : NULL);
  etr_field_begin_object(f, "execute");
  etr_diff_put_change(f, &method->execute);
  etr_jw_end(f->json);
  etr_field_text(f, "verdict_text", etr_diff_method_text(o, method));
  put_answer_object(o, method);
  put_text_or_null(f, "reason_text", etr_diff_method_reason_text(o, method));
  put_text_or_null(f, "odd_text", etr_diff_odd_text(o, &method->execute));
  put_text_or_null(f, "unlike_text", etr_diff_unlike_text(o, method));
  put_throughput(o, method);
  put_run_counts(o, "base", method, false);
  put_run_counts(o, "new", method, true);
  etr_field_put_rows(f, "differences", &etr_difference_fields,
                     ETR_ROWS(method->differences, method->difference_count));
  bool is_good = put_part_list(o, method);
  etr_field_flag(f, "by_events", method->by_events);
  etr_field_count(f, "timed_nodes", method->timed_nodes);
  etr_field_count(f, "timed_paired", method->timed_paired);
  etr_field_flag(f, "may_differ", method->may_differ);
  for (etr_diff_section section = 0; is_good && section < ETR_DIFF_SECTIONS; section++)
    is_good = put_section_list(o, method, section);
  is_good = is_good && put_findings(o, method);
  if (etr_diff_takes_gaps(o->filter))
    etr_field_put_gaps(f, method);
  etr_jw_end(f->json);
  return is_good;
}

/* Writes "load": a list of the events that load a program or method, with their changes. */
static void put_load_list(etr_diff_output *o) {
  const etr_fields *f = &o->answer.fields;
  etr_field_begin_list(f, "load");
  for (size_t i = 0; i < o->comparison->load_count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "event_name", o->comparison->loads[i].name);
    etr_diff_put_change(f, &o->comparison->loads[i].change);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

etr_status etr_emit_diff_json(const etr_comparison *comparison, const etr_diff_filter *filter,
                              etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_diff_output o = {.comparison = comparison, .filter = filter};
  /* NULL: no filter of nodes, since a diff chooses sections and methods. */
  etr_answer_begin_document(&o.answer, comparison->newer, NULL, unit, sink, "diff/2");
  etr_field_number(&o.answer.fields, "limit", comparison->limit > 0 ? comparison->limit : NAN);
  etr_field_number(&o.answer.fields, "recording_noise", comparison->recording_noise);
  etr_field_text(&o.answer.fields, "turns", etr_turns_name(comparison->turns));
  etr_field_begin_list(&o.answer.fields, "methods");
  bool good = true;
  for (size_t i = 0; good && i < comparison->method_count; i++)
    if (etr_diff_takes_method(filter, &comparison->methods[i]))
      good = put_method_object(&o, &comparison->methods[i]);
  etr_jw_end(&o.answer.json);
  put_load_list(&o);
  return etr_answer_end(&o.answer, good, error);
}
