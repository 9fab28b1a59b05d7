/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_side_document.c - comparing documents gives the same result as comparing the records; other
 * documents are refused.
 */
#include "base/arena.h"
#include "base/writer.h"
#include "etrecord_compare.h"
#include "open_fixture.h"
#include "views/interruptions.h"
#include "views/record_set.h"
#include "views/steadiness.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

static bool add_bytes(void *text, const void *bytes, size_t size) {
  return etr_text_add(text, (etr_slice){bytes, size});
}

static etr_text document_of(etr_arena *arena, const char *name, const etr_options *options) {
  etr_text text = {.arena = arena};
  etr_profile *profile = open_fixture(name, options);
  cr_assert_eq(etr_emit_profile_json(profile, &(etr_sink){add_bytes, &text}, NULL), ETR_OK);
  etr_profile_close(profile);
  return text;
}

static etr_status compare_documents(etr_comparison **out, const etr_text *base,
                                    const etr_text *newer, etr_error *error) {
  const etr_document sides[] = {{base->data, base->size, NULL}, {newer->data, newer->size, NULL}};
  return etr_compare_documents(out, &sides[0], &sides[1], NULL, error);
}

/* ---- Documents compare like records ---- */

static void expect_change(const etr_change *got, const etr_change *want, const char *what) {
  const double a[] = {got->base_avg, got->new_avg,      got->base_p50,
                      got->new_p50,  got->base_typical, got->new_typical,
                      got->low,      got->high,         got->relative};
  const double b[] = {want->base_avg, want->new_avg,      want->base_p50,
                      want->new_p50,  want->base_typical, want->new_typical,
                      want->low,      want->high,         want->relative};
  enum { EXACT = 4 }; /* averages and medians; the others follow from typical times */
  for (size_t i = 0; i < ETR_COUNT(a); i++)
    cr_expect(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])) ||
                  (i >= EXACT && fabs(a[i] - b[i]) <= 1e-5 * fmax(1, fabs(b[i]))),
              "%s, number %zu: %.17g instead of %.17g", what, i, a[i], b[i]);
  cr_expect(got->base_runs == want->base_runs && got->new_runs == want->new_runs, "%s: runs", what);
  cr_expect(got->base_recordings == want->base_recordings &&
                got->new_recordings == want->new_recordings,
            "%s", what);
  cr_expect(got->reason == want->reason && got->recordings_needed == want->recordings_needed,
            "%s: reason", what);
  cr_expect_eq(got->verdict, want->verdict, "%s: %s instead of %s", what,
               etr_verdict_name(got->verdict), etr_verdict_name(want->verdict));
}

static bool is_same_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static void expect_pairs(const etr_method_pair *got, const etr_method_pair *want) {
  cr_assert_eq(got->pair_count, want->pair_count, "%s: %zu pairs instead of %zu", want->name,
               got->pair_count, want->pair_count);
  for (size_t i = 0; i < got->pair_count; i++) {
    const etr_node_pair *a = &got->pairs[i], *b = &want->pairs[i];
    cr_expect(is_same_text(a->base_name, b->base_name) && is_same_text(a->new_name, b->new_name) &&
              a->rule == b->rule && strcmp(a->op, b->op) == 0);
    cr_expect(is_same_text(a->base_module, b->base_module) &&
              is_same_text(a->new_module, b->new_module));
    cr_expect(is_same_text(a->base_backend, b->base_backend) &&
              is_same_text(a->new_backend, b->new_backend));
    expect_change(&a->change, &b->change, b->new_name ? b->new_name : b->base_name);
  }
}

static void expect_groups(const etr_node_groups *got, const etr_node_groups *want) {
  cr_assert_eq(got->count, want->count);
  for (size_t i = 0; i < got->count; i++) {
    const etr_node_group *a = &got->rows[i], *b = &want->rows[i];
    cr_expect_str_eq(a->key, b->key);
    cr_expect(a->base_nodes == b->base_nodes && a->new_nodes == b->new_nodes, "%s", b->key);
    expect_change(&a->change, &b->change, b->key);
    cr_assert_eq(!a->with_children, !b->with_children, "%s", b->key);
    if (a->with_children)
      expect_change(&a->with_children->change, &b->with_children->change, b->key);
  }
}

static void expect_method(const etr_method_pair *got, const etr_method_pair *want) {
  expect_change(&got->execute, &want->execute, want->name);
  cr_expect(got->by_events == want->by_events && got->may_differ == want->may_differ, "%s",
            want->name);
  cr_expect(got->timed_nodes == want->timed_nodes && got->timed_paired == want->timed_paired, "%s",
            want->name);
  expect_pairs(got, want);
  expect_groups(&got->ops, &want->ops);
  expect_groups(&got->modules, &want->modules);
  expect_groups(&got->modules_above, &want->modules_above);
  expect_groups(&got->patterns, &want->patterns);
  expect_groups(&got->pattern_ops, &want->pattern_ops);
  expect_groups(&got->patterns_above, &want->patterns_above);
  expect_groups(&got->backends, &want->backends);
}

/* Methods without a graph and without runs are not in documents. */
static bool is_in_documents(const etr_comparison *c, const etr_method_pair *pair) {
  const etr_method *base = pair->base_method == ETR_NONE ? NULL
                                                         : &c->base->methods[pair->base_method];
  const etr_method *newer = pair->new_method == ETR_NONE ? NULL
                                                         : &c->newer->methods[pair->new_method];
  return (base && (base->graph != ETR_NONE || base->run_count > 0)) ||
         (newer && (newer->graph != ETR_NONE || newer->run_count > 0));
}

static void expect_noise(const etr_profile *got, uint32_t got_method, const etr_profile *want,
                         uint32_t want_method) {
  if (want_method == ETR_NONE)
    return;
  etr_arena arena = {0};
  const etr_noise *a = &got->methods[got_method].noise, *b = &want->methods[want_method].noise;
  cr_expect(a->verdict == b->verdict && a->outliers == b->outliers && a->run_count == b->run_count);
  cr_expect(isnan(b->cv) ? isnan(a->cv) : fabs(a->cv - b->cv) < 1e-9);
  /* A document does not say which runs are slow, so that their spread is said instead. */
  if (!want->methods[want_method].slow_runs.run_count)
    cr_expect_str_eq(etr_steadiness_text(&arena, got, &got->methods[got_method], ETR_UNIT_MS),
                     etr_steadiness_text(&arena, want, &want->methods[want_method], ETR_UNIT_MS));
  const char *got_text = etr_interrupted_text(&arena, got, &got->methods[got_method]),
             *want_text = etr_interrupted_text(&arena, want, &want->methods[want_method]);
  cr_expect_str_eq(got_text ? got_text : "", want_text ? want_text : "");
  etr_arena_clear(&arena);
}

/* Documents have no parts of methods that share their times. */
static bool shares_times(const etr_profile *profile, uint32_t method) {
  return method != ETR_NONE && profile->methods[method].shared;
}

static void expect_comparison(const etr_comparison *got, const etr_comparison *want) {
  size_t next = 0;
  cr_expect_eq(got->base_scale, want->base_scale);
  for (size_t i = 0; i < want->method_count; i++) {
    if (!is_in_documents(want, &want->methods[i]))
      continue;
    cr_assert_lt(next, got->method_count);
    cr_expect_str_eq(got->methods[next].name, want->methods[i].name);
    const etr_method_pair *a = &got->methods[next++], *b = &want->methods[i];
    expect_method(a, b);
    if (!shares_times(want->base, b->base_method) && !shares_times(want->newer, b->new_method))
      expect_groups(&a->parts, &b->parts);
    expect_noise(got->base, a->base_method, want->base, b->base_method);
    expect_noise(got->newer, a->new_method, want->newer, b->new_method);
  }
  cr_expect_eq(next, got->method_count);
  cr_assert_eq(got->load_count, want->load_count);
  for (size_t i = 0; i < got->load_count; i++) {
    cr_expect_str_eq(got->loads[i].name, want->loads[i].name);
    expect_change(&got->loads[i].change, &want->loads[i].change, want->loads[i].name);
  }
}

Test(side_document, documents_compare_like_their_records) {
  static const struct {
    const char *base, *newer;
    double clock; /* ticks per second of the newer side; 0: nanoseconds */
  } cases[] = {
      {"mv2_portable", "mv2_xnnpack", 0},
      {"add_mul", "old_1_0_1_add_mul", 0},
      {"llama_portable", "llama_xnnpack", 0},
      {"vit_xnnpack", "mv2_xnnpack", 1.79e9 /* no whole number of picoseconds */},
      {"mv2_xnnpack", "mv2_xnnpack", 32768},
      {"mv2_portable/etdump.etdp", "mv2_xnnpack/etdump.etdp", 0},
      {"mv2_xnnpack/etdump.etdp", "mv2_xnnpack/etdump.etdp", 24e6},
      {"../../examples/tutorial/before", "../../examples/tutorial/after", 0},
      {"control_flow_map", "control_flow", 0},
      {"p_cond_names", "p_cond_names", 3e9},
      {"quantized_xnnpack", "dynamic_xnnpack", 0},
      {"multi_method", "twin_methods", 0},
      {"coreml", "vulkan", 0},
      {"inserted_before", "inserted_after", 0},
      {"inserted_after", "inserted_xnnpack", 0},
      {"two_partitioners", "mv2_xnnpack", 0}, /* with interruptions */
      {"drift", "prefill_decode", 0},         /* with phases, one of which drifts */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_options options = {.ticks_per_second = cases[i].clock};
    etr_arena arena = {0};
    etr_comparison *got, *want;
    etr_error error;
    etr_profile *base = open_fixture(cases[i].base, NULL),
                *newer = open_fixture(cases[i].newer, &options);
    etr_text documents[] = {document_of(&arena, cases[i].base, NULL),
                            document_of(&arena, cases[i].newer, &options)};
    cr_assert_eq(etr_compare(&want, base, newer, NULL, &error), ETR_OK);
    cr_assert_eq(compare_documents(&got, &documents[0], &documents[1], &error), ETR_OK,
                 "%s and %s: %s", cases[i].base, cases[i].newer, error.message);
    expect_comparison(got, want);
    etr_comparison_close(got);
    etr_comparison_close(want);
    etr_profile_close(newer);
    etr_profile_close(base);
    etr_arena_clear(&arena);
  }
}

/* Returns the document of a record with five recordings, which record.json says were made then, or
 * then in turns with another one. */
static etr_text document_of_time(etr_arena *arena, const char *name, double recorded_at,
                                 bool is_in_turns) {
  etr_text text = {.arena = arena};
  etr_profile *profile = open_fixture(name, NULL);
  profile->recorded_at = recorded_at;
  profile->is_in_turns = is_in_turns;
  cr_assert_eq(etr_emit_profile_json(profile, &(etr_sink){add_bytes, &text}, NULL), ETR_OK);
  etr_profile_close(profile);
  return text;
}

Test(side_document, documents_know_which_side_was_recorded_first) {
  static const struct {
    double base, newer;
    bool is_base_in_turns, is_newer_in_turns;
    etr_turns want;
  } cases[] = {{1796057000, 1796057001, false, false, ETR_TURNS_BASE_FIRST},
               {1796057001.5, 1796057001.25, false, false, ETR_TURNS_NEW_FIRST},
               {1796057000, 1796057000, true, true, ETR_TURNS_YES},
               {1796057000, 1796057000, true, false, ETR_TURNS_UNKNOWN},
               {1796057000, 1796057001, true, true, ETR_TURNS_BASE_FIRST},
               {1796057000, NAN, false, false, ETR_TURNS_UNKNOWN},
               {NAN, NAN, true, true, ETR_TURNS_UNKNOWN}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_comparison *got;
    etr_error error;
    etr_text base = document_of_time(&arena, "../../examples/turns/base", cases[i].base,
                                     cases[i].is_base_in_turns),
             newer = document_of_time(&arena, "../../examples/turns/new", cases[i].newer,
                                      cases[i].is_newer_in_turns);
    cr_assert_eq(compare_documents(&got, &base, &newer, &error), ETR_OK, "%s", error.message);
    const etr_change *change = &got->methods[0].execute;
    bool is_one_first = cases[i].want == ETR_TURNS_BASE_FIRST ||
                        cases[i].want == ETR_TURNS_NEW_FIRST,
         is_unknown = cases[i].want == ETR_TURNS_UNKNOWN;
    cr_expect_eq(got->turns, cases[i].want, "case %zu: %s", i, etr_turns_name(got->turns));
    cr_expect_eq(change->reason == ETR_REASON_NOT_IN_TURNS, is_one_first, "case %zu", i);
    cr_expect_eq((change->assumes & ETR_ASSUMES_IN_TURNS) != 0, is_unknown, "case %zu", i);
    etr_comparison_close(got);
    etr_arena_clear(&arena);
  }
}

/* ---- Documents side by side ---- */

static void expect_figure(double got, double want, const char *what) {
  cr_expect(isnan(got) == isnan(want) && !(fabs(got - want) > 1e-3 + 1e-9 * fabs(want)),
            "%s: %.9g, not %.9g", what, got, want);
}

static void expect_set_method(const etr_set_method *got, const etr_set_method *want) {
  const double *a = &got->figures.low, *b = &want->figures.low;
  cr_expect_str_eq(got->name, want->name);
  expect_figure(got->typical, want->typical, want->name);
  for (size_t i = 0; i < sizeof got->figures / sizeof *a; i++)
    expect_figure(a[i], b[i], want->name);
  cr_expect(got->runs == want->runs && got->recordings == want->recordings);
  cr_assert((got->change == NULL) == (want->change == NULL));
  if (want->change)
    expect_change(got->change, want->change, want->name);
}

/* Expects two sets that were made of documents and of their records to say the same. */
static void expect_set(const etr_record_set *got, const etr_record_set *want) {
  for (size_t i = 0; i < want->records.count; i++) {
    const etr_set_record *a = &got->records.data[i], *b = &want->records.data[i];
    expect_figure(a->pte_bytes, b->pte_bytes, "size of the program");
    expect_figure(a->planned_bytes, b->planned_bytes, "planned memory");
    cr_assert_eq(a->methods.count, b->methods.count);
    for (size_t k = 0; k < b->methods.count; k++)
      expect_set_method(&a->methods.data[k], &b->methods.data[k]);
  }
  cr_assert_eq(got->rows.count, want->rows.count);
  for (size_t i = 0; i < want->rows.count; i++) {
    cr_expect_str_eq(got->rows.data[i].name, want->rows.data[i].name);
    for (size_t k = 0; k < want->records.count; k++)
      expect_figure(etr_set_row_time(&got->rows.data[i], k),
                    etr_set_row_time(&want->rows.data[i], k), want->rows.data[i].name);
  }
  for (size_t i = 0; want->notes.count == got->notes.count && i < want->notes.count; i++)
    cr_expect_str_eq(got->notes.data[i], want->notes.data[i]);
  cr_expect_eq(got->notes.count, want->notes.count);
}

Test(side_document, documents_stand_side_by_side_like_their_records) {
  static const char *const sets[][3] = {
      {"turns_base", "turns_new", "turns_same"},
      {"mv2_portable", "mv2_xnnpack", "turns_base"},
      {"prefill_decode", "multi_method", "gru_both"},
      {"mv2_portable/etdump.etdp", "mv2_xnnpack/etdump.etdp", "drift/etdump.etdp"},
  };
  for (size_t i = 0; i < ETR_COUNT(sets); i++) {
    /* Of ETDumps alone, whose operators are kernels, documents have no rows. */
    bool has_graph = strstr(sets[i][0], ".etdp") == NULL;
    const etr_record_set_options options = {.by = has_graph ? ETR_RECORDS_BY_OP
                                                            : ETR_RECORDS_BY_MODULE};
    etr_arena arena = {0};
    etr_record_set *got, *want;
    etr_profile *profiles[3];
    cr_assert_eq(etr_record_set_open(&got, &options, NULL), ETR_OK);
    cr_assert_eq(etr_record_set_open(&want, &options, NULL), ETR_OK);
    for (size_t k = 0; k < 3; k++) {
      const char *name = sets[i][k];
      etr_text text = document_of(&arena, name, NULL);
      profiles[k] = open_fixture(name, NULL);
      cr_assert_eq(etr_record_set_add(want, profiles[k], name, name, NULL), ETR_OK);
      cr_assert_eq(
          etr_record_set_add_document(got, &(etr_document){text.data, text.size, name}, NULL),
          ETR_OK);
    }
    cr_assert_eq(etr_record_set_finish(got, NULL), ETR_OK);
    cr_assert_eq(etr_record_set_finish(want, NULL), ETR_OK);
    expect_set(got, want);
    etr_record_set_close(got);
    etr_record_set_close(want);
    for (size_t k = 0; k < 3; k++)
      etr_profile_close(profiles[k]);
    etr_arena_clear(&arena);
  }
}

/* A comparison that a set keeps says what the set says: of three records its intervals are wider
 * than those of a pair. */
Test(side_document, a_set_keeps_comparisons_with_its_own_verdicts) {
  static const char *const names[] = {"turns_base", "turns_new", "turns_same"};
  const etr_record_set_options options = {.keeps_comparisons = true};
  etr_profile *profiles[3];
  etr_record_set *set;
  etr_comparison *pair;
  cr_assert_eq(etr_record_set_open(&set, &options, NULL), ETR_OK);
  for (size_t k = 0; k < 3; k++) {
    profiles[k] = open_fixture(names[k], NULL);
    cr_assert_eq(etr_record_set_add(set, profiles[k], names[k], "", NULL), ETR_OK);
  }
  cr_assert_eq(etr_record_set_finish(set, NULL), ETR_OK);
  cr_assert_eq(etr_compare(&pair, profiles[0], profiles[1], NULL, NULL), ETR_OK);
  cr_expect_null(etr_record_set_comparison(set, 0));
  cr_expect_null(etr_record_set_comparison(set, 3));
  const etr_change *kept = &etr_record_set_comparison(set, 1)->methods[0].execute,
                   *said = set->records.data[1].methods.data[0].change,
                   *alone = &pair->methods[0].execute;
  cr_expect(kept->low == said->low && kept->high == said->high && kept->verdict == said->verdict);
  cr_expect(kept->low < alone->low && kept->high > alone->high, "%g, %g", kept->low, alone->low);
  etr_comparison_close(pair);
  etr_record_set_close(set);
  for (size_t k = 0; k < 3; k++)
    etr_profile_close(profiles[k]);
}

/* ---- Refused ---- */

/* Replaces `from` in the text of a document. */
static etr_text changed(etr_arena *arena, const etr_text *document, const char *from,
                        const char *to) {
  etr_text out = {.arena = arena};
  const char *text = etr_arena_copy(arena, (etr_slice){document->data, document->size}),
             *at = strstr(text, from);
  cr_assert_not_null(at, "%s", from);
  cr_assert(etr_text_add(&out, (etr_slice){text, (size_t)(at - text)}) &&
            etr_text_add(&out, etr_slice_of(to)) &&
            etr_text_add(&out, etr_slice_of(at + strlen(from))));
  return out;
}

Test(side_document, unsuitable_documents_are_refused) {
  static const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"\"sums\"", "\"other\"", "lacks what a comparison needs"},
      {"\"recordings\":[20]", "\"other\":[20]", "recordings do not match"},
      {"\"recordings\":[20]", "\"recordings\":[19]", "recordings do not match"},
      {"\"recordings\":[20]", "\"recordings\":[21]", "recordings do not match"},
      {"\"recordings\":[20]", "\"recordings\":[20,0]", "recordings do not match"},
      {"\"recordings\":[20]", "\"recordings\":[10,10]", "a count is not"},
      {"\"low\":[", "\"low\":[1,", "differ in length"},
      {"profile/1", "profile/9", "not an etrecord-tb/profile/1 document"},
      {"{\"schema\"", "[{\"schema\"", "object"},
      {"\"ticks_per_second\":1000000000", "\"ticks_per_second\":0", "ticks_per_second"},
      {"\"ticks_per_second\"", "\"other\"", "not an etrecord-tb/profile/1 document"},
      {"\"runs\":20,", "\"runs\":21,", "the times of the runs"},
      {"\"runs\":20,", "\"runs\":-1,", "count"},
      {"\"runs\":20,", "\"runs\":\"\",", "number"},
      {"\"ran_in\":20", "\"ran_in\":[20,20,20]", "differ in length"},
      {"\"ran_in\":20", "\"ran_in\":21", "more runs than there are"},
      {"\"ran_in\":20", "\"ran_in\":null", "count"},
      {"\"operators\":{\"count\":33", "\"operators\":{\"count\":3", "differ in length"},
      {"\"operators\":{\"count\":33", "\"operators\":{\"other\":33", "a count is not"},
      {"\"operators\":{\"count\":33", "\"operators\":{\"count\":4000000000", "differ in length"},
      {"\"modules\":{\"count\":21", "\"modules\":{\"count\":4000000000", "differ in length"},
      {"\"called_with\":{\"count\":2", "\"called_with\":{\"count\":4000000000", "differ in length"},
      {"\"op\":{\"count\":9,\"typical\":[", "\"op\":{\"count\":9,\"typical\":[1,", "sums"},
      {"\"balance\"", "\"other\"", "add up"},
      {"\"operator_weights\"", "\"other\"", "lacks what a comparison needs"},
      {"\"operator_weights\":[", "\"operator_weights\":[0,", "differ in length"},
      {"\"texts\":[", "\"texts\":[[", "string"},
  };
  etr_arena arena = {0};
  etr_text document = document_of(&arena, "add_mul", &(etr_options){.skip = ETR_SKIP_NONE});
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_text other = changed(&arena, &document, cases[i].from, cases[i].to);
    etr_error error;
    etr_side *side;
    etr_comparison *comparison;
    cr_expect_eq(etr_side_read(&side, other.data, other.size, "RUN", &error), ETR_ERROR_FORMAT,
                 "case %zu", i);
    cr_expect_null(side);
    cr_expect_str_eq(error.file, "RUN");
    cr_expect_not_null(strstr(error.message, cases[i].message), "case %zu: %s", i, error.message);
    cr_expect_eq(compare_documents(&comparison, &document, &other, &error), ETR_ERROR_FORMAT);
    cr_expect_null(comparison);
  }
  etr_arena_clear(&arena);
}

/* One run has a least and a greatest time, too. */
Test(side_document, times_of_a_single_run_are_checked) {
  etr_arena arena = {0};
  etr_side *side;
  etr_error error;
  etr_text document = document_of(
      &arena, "add_mul", &(etr_options){.skip = ETR_SKIP_RANGE, .first_run = 3, .last_run = 3});
  cr_assert_eq(etr_side_read(&side, document.data, document.size, NULL, &error), ETR_OK, "%s",
               error.message);
  etr_side_close(side);
  etr_text other = changed(&arena, &document, "\"low\":[", "\"low\":[1,");
  cr_expect_eq(etr_side_read(&side, other.data, other.size, NULL, &error), ETR_ERROR_FORMAT);
  cr_expect_not_null(strstr(error.message, "differ in length"), "%s", error.message);
  etr_arena_clear(&arena);
}

/* A document cut at any point is refused, and indices beyond a list are never read. Both are tried
 * in steps that no pattern of the document has, larger ones where sanitizers watch. */
#ifdef ETR_CHECKS
enum { CUT_STEP = 61, BYTE_STEP = 7 };
#else
enum { CUT_STEP = 31, BYTE_STEP = 3 };
#endif

Test(side_document, damaged_documents_are_refused) {
  etr_arena arena = {0};
  etr_text document = document_of(&arena, "control_flow", NULL);
  etr_side *side;
  for (size_t size = 0; size + 2 < document.size; size += CUT_STEP)
    cr_expect_neq(etr_side_read(&side, document.data, size, NULL, NULL), ETR_OK, "%zu", size);
  for (size_t i = 0; i < document.size; i += BYTE_STEP) {
    char byte = document.data[i];
    if (byte < '0' || byte > '8')
      continue;
    document.data[i] = '9';
    if (etr_side_read(&side, document.data, document.size, NULL, NULL) == ETR_OK)
      etr_side_close(side);
    document.data[i] = byte;
  }
  etr_arena_clear(&arena);
}

/* A document with a graph has no events. */
Test(side_document, a_graph_on_one_side_only_is_refused) {
  etr_arena arena = {0};
  etr_error error;
  etr_comparison *comparison;
  etr_text with = document_of(&arena, "mv2_xnnpack", NULL),
           without = document_of(&arena, "mv2_xnnpack/etdump.etdp", NULL);
  cr_expect_eq(compare_documents(&comparison, &without, &with, &error), ETR_ERROR_CHOICE);
  cr_expect_not_null(strstr(error.message, "etrecord-tb diff"), "%s", error.message);
  cr_expect_null(comparison);
  etr_arena_clear(&arena);
}

/* A set says so, and goes on; a document that cannot be read leaves it as it was. */
Test(side_document, a_set_goes_on_without_what_it_cannot_use) {
  etr_arena arena = {0};
  etr_record_set *set;
  etr_error error;
  const etr_text with = document_of(&arena, "mv2_xnnpack", NULL),
                 without = document_of(&arena, "mv2_xnnpack/etdump.etdp", NULL);
  cr_assert_eq(
      etr_record_set_open(&set, &(etr_record_set_options){.keeps_comparisons = true}, NULL),
      ETR_OK);
  cr_expect_eq(etr_record_set_add_document(set, &(etr_document){"{}", 2, "none"}, &error),
               ETR_ERROR_FORMAT);
  cr_assert_eq(
      etr_record_set_add_document(set, &(etr_document){with.data, with.size, "with"}, &error),
      ETR_OK);
  cr_assert_eq(etr_record_set_add_document(
                   set, &(etr_document){without.data, without.size, "without"}, &error),
               ETR_OK);
  cr_assert_eq(etr_record_set_finish(set, &error), ETR_OK);
  cr_expect_eq(set->records.count, 2);
  cr_expect_null(etr_record_set_comparison(set, 1));
  cr_expect_not_null(strstr(etr_record_set_note(set, 0), "without: method \"forward\" has a graph"),
                     "%s", etr_record_set_note(set, 0));
  etr_record_set_close(set);
  etr_arena_clear(&arena);
}
