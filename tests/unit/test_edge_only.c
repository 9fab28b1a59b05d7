/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_edge_only.c - answers about Edge programs are the same if only Edge programs are read.
 */
#include "base/writer.h"
#include "etrecord_tb.h"
#include "report/profile_doc.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef etr_status (*emitter)(const etr_profile *profile, const etr_sink *sink, etr_error *error);

static etr_status emit_events(const etr_profile *p, const etr_sink *s, etr_error *e) {
  return etr_emit_events_json(p, NULL, ETR_UNIT_NS, s, e);
}
static etr_status emit_summary(const etr_profile *p, const etr_sink *s, etr_error *e) {
  return etr_emit_summary_json(p, NULL, ETR_UNIT_NS, s, e);
}
static etr_status emit_source(const etr_profile *p, const etr_sink *s, etr_error *e) {
  return etr_emit_source_json(p, NULL, ETR_UNIT_NS, s, e);
}
static etr_status emit_delegation(const etr_profile *p, const etr_sink *s, etr_error *e) {
  return etr_emit_delegation_json(p, NULL, ETR_UNIT_NS, s, e);
}
static etr_status emit_trace(const etr_profile *p, const etr_sink *s, etr_error *e) {
  return etr_emit_trace(p, NULL, s, e);
}
static etr_status emit_values(const etr_profile *p, const etr_sink *s, etr_error *e) {
  return etr_emit_values_table(p, NULL, NULL, s, e);
}
static etr_status emit_diff(const etr_profile *p, const etr_sink *s, etr_error *e) {
  etr_comparison *comparison;
  cr_assert_eq(etr_compare(&comparison, p, p, NULL, e), ETR_OK);
  etr_status status = etr_emit_diff_json(comparison, NULL, ETR_UNIT_NS, s, e);
  etr_comparison_close(comparison);
  return status;
}

static etr_status emit_document(const etr_profile *p, const etr_sink *s, etr_error *e) {
  return etr_profile_write(p, ETR_PROFILE_ALL & ~(unsigned)ETR_PROFILE_GRAPHS, NULL, s, e);
}

static const emitter emitters[] = {emit_events, emit_summary, emit_source, emit_delegation,
                                   emit_trace,  emit_values,  emit_diff,   emit_document};

static bool append(void *context, const void *data, size_t size) {
  etr_put(context, (etr_slice){data, size});
  return true;
}

/* Returns the answer, or the error message. */
static const char *emit(emitter emit_one, const etr_profile *profile, etr_arena *arena) {
  etr_text text;
  etr_writer writer;
  etr_error error;
  etr_text_begin(&text, arena, &writer);
  if (emit_one(profile, &(etr_sink){append, &writer}, &error) != ETR_OK)
    etr_put(&writer, etr_slice_of(error.message));
  return etr_text_end(&text, &writer);
}

static etr_profile *open(const char *fixture, bool edge_only) {
  char path[512];
  etr_inputs inputs;
  etr_error error;
  etr_profile *profile;
  snprintf(path, sizeof path, FIXTURES "/%s", fixture);
  cr_assert_eq(etr_inputs_find(&inputs, path, NULL, &error), ETR_OK, "%s", error.message);
  cr_assert_eq(etr_profile_open(&profile, &inputs, &(etr_options){.edge_only = edge_only}, &error),
               ETR_OK, "%s", error.message);
  etr_inputs_clear(&inputs);
  return profile;
}

static bool has_times_joined(const etr_profile *profile, const etr_graph *graph) {
  bool is_joined = strcmp(graph->module, "edge") == 0;
  for (size_t i = 0; i < profile->method_count; i++)
    is_joined |= profile->methods[i].graph != ETR_NONE &&
                 &profile->graphs[profile->methods[i].graph] == graph;
  return is_joined;
}

static void expect_names_alone(const char *fixture, const etr_profile *all,
                               const etr_profile *some) {
  cr_assert_eq(all->graph_count, some->graph_count, "%s", fixture);
  for (size_t i = 0; i < all->graph_count; i++) {
    const etr_graph *read = &all->graphs[i], *left = &some->graphs[i];
    cr_expect_str_eq(read->module, left->module);
    cr_expect_str_eq(read->method, left->method);
    cr_expect_str_eq(read->entry, left->entry);
    cr_expect_eq(left->node_count, has_times_joined(some, left) ? read->node_count : 0, "%s: %s",
                 fixture, read->module);
    for (size_t k = 0; k < left->node_count; k++)
      cr_expect_null(left->nodes[k].aten_node);
  }
}

Test(edge_only, edge_only_gives_the_same_answers) {
  static const char *const fixtures[] = {"add_mul",           "add_mul_debug",   "bundled_update",
                                         "control_flow",      "coreml",          "extra_modules",
                                         "llama_xnnpack",     "multi_method",    "mv2_xnnpack",
                                         "quantized_xnnpack", "old_0_6_add_mul", "regions"};
  for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
    etr_profile *all = open(fixtures[i], false), *some = open(fixtures[i], true);
    expect_names_alone(fixtures[i], all, some);
    for (size_t k = 0; k < sizeof emitters / sizeof *emitters; k++) {
      etr_arena arena = {0};
      cr_expect(strcmp(emit(emitters[k], all, &arena), emit(emitters[k], some, &arena)) == 0,
                "%s: answer %zu differs", fixtures[i], k);
      etr_arena_clear(&arena);
    }
    etr_profile_close(some);
    etr_profile_close(all);
  }
}
