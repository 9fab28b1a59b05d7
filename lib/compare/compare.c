/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare.c - joins two sides: methods by name, what is in them by compare_rows.c; loads.
 */
#include "compare/differences.h"
#include "compare/value_gaps.h"

#include <stdlib.h>

/* The comparison and what it lends from: one arena, and both sides. */
typedef struct comparison_box {
  etr_comparison comparison; /* first: an etr_comparison * is a comparison_box * */
  etr_arena arena;
  etr_side *sides[ETR_SIDES];
} comparison_box;

typedef struct comparator {
  etr_comparison *out;
  const etr_side *sides[ETR_SIDES];
  bool has_events; /* both sides are profiles, so that events can be listed of methods with a graph */
  const etr_compare_options *options;
  etr_arena *arena;
  etr_arena scratch; /* of one method */
  etr_error *error;
} comparator;

const char *etr_verdict_name(etr_verdict verdict) {
  static const char *const names[] = {"untimed", "gone", "new", "cannot_tell", "equal", "faster", "slower"};
  return (size_t)verdict < ETR_COUNT(names) ? names[verdict] : "untimed";
}

const char *etr_reason_name(etr_reason reason) {
  static const char *const names[] = {NULL, "clock", "few_runs", "one_session", "one_recording", "too_near", "spread"};
  return (size_t)reason < ETR_COUNT(names) ? names[reason] : NULL;
}

const char *etr_pair_rule_name(etr_pair_rule rule) {
  static const char *const names[] = {"none", "name", "shape", "module", "flow", "order"};
  return (size_t)rule < ETR_COUNT(names) ? names[rule] : "none";
}

/* ---- Methods ---- */

static const etr_method *method_of(const etr_profile *profile, uint32_t method) {
  return method == ETR_NONE ? NULL : &profile->methods[method];
}

/* Earlier benches of a method; NULL: nothing is known of them. */
static const etr_bench_history *history_of(const etr_compare_options *options, const char *method) {
  for (size_t i = 0; i < options->history_count; i++)
    if (strcmp(options->histories[i].method, method) == 0) return &options->histories[i];
  return NULL;
}

static bool compare_execute(comparator *c, etr_method_pair *pair, const etr_method_side sides[ETR_SIDES]) {
  etr_measure measures[ETR_SIDES];
  etr_family f = {.scratch = &c->scratch, .base_scale = c->out->base_scale, .options = c->options};
  for (int k = 0; k < ETR_SIDES; k++)
    measures[k] = etr_side_measure(&sides[k], sides[k].method ? &sides[k].compared->execute : NULL);
  if (!etr_family_add(&f, &pair->execute, &measures[ETR_BASE], &measures[ETR_NEWER])) return false;
  etr_family_judge_each(&f, history_of(c->options, pair->name));
  return true;
}

/* Events have no parts. */
static bool compare_parts(comparator *c, etr_method_pair *pair, const etr_method_side sides[ETR_SIDES]) {
  etr_family f = {.scratch = &c->scratch, .base_scale = c->out->base_scale, .options = c->options};
  for (int part = 0; part < ETR_SIDE_PARTS; part++) {
    etr_measure measures[ETR_SIDES];
    for (int k = 0; k < ETR_SIDES; k++)
      measures[k] = etr_side_measure(&sides[k], sides[k].method ? &sides[k].compared->parts[part] : NULL);
    if (!etr_family_add(&f, &pair->parts[part], &measures[ETR_BASE], &measures[ETR_NEWER])) return false;
  }
  etr_family_judge_each(&f, NULL);
  return true;
}

/* Events of a method whose graph has no partner: not compared then, where there are none. */
static etr_status list_events(comparator *c, const etr_side_method **out, const etr_side *side, uint32_t method) {
  const char *name = side->profile->methods[method].name;
  etr_side_method *listed = etr_arena_alloc(c->arena, sizeof *listed);
  if (!c->has_events)
    return etr_fail(
        c->error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
        "method \"%.*s\" has a graph on one side only; to compare its events, run \"etrecord-tb diff\" on the records",
        ETR_HEAD(name, 80));
  if (!listed || !etr_side_list(listed, side->profile, method, true, c->arena)) return ETR_ERROR_MEMORY;
  *out = listed;
  return ETR_OK;
}

/* What is compared of the method on each side: operators if both have them, else events. */
static etr_status find_sides(comparator *c, etr_method_pair *pair, etr_method_side sides[ETR_SIDES]) {
  static const etr_side_method nothing = {0};
  const uint32_t indices[ETR_SIDES] = {pair->base_method, pair->new_method};
  for (int k = 0; k < ETR_SIDES; k++) {
    bool exists = indices[k] != ETR_NONE;
    sides[k] = (etr_method_side){method_of(c->sides[k]->profile, indices[k]),
                                 exists ? &c->sides[k]->methods[indices[k]] : &nothing};
    pair->by_events |= exists && !sides[k].compared->has_graph;
  }
  for (int k = 0; k < ETR_SIDES; k++)
    if (pair->by_events && sides[k].compared->has_graph)
      ETR_TRY(list_events(c, &sides[k].compared, c->sides[k], indices[k]));
  return ETR_OK;
}

static etr_status compare_method(comparator *c, etr_method_pair *pair) {
  etr_method_side sides[ETR_SIDES];
  ETR_TRY(find_sides(c, pair, sides));
  etr_rows rows = {c->out->base_scale, c->options, c->arena, &c->scratch};
  bool good = compare_execute(c, pair, sides) && compare_parts(c, pair, sides) && etr_rows_pair(&rows, pair, sides) &&
              etr_rows_add_up(&rows, pair, sides) && etr_differences_find(pair, sides, c->arena, &c->scratch);
  good = good && !etr_arena_failed(&c->scratch) && etr_value_gaps_make(pair, c->out, c->arena);
  etr_arena_clear(&c->scratch);
  return good ? ETR_OK : ETR_ERROR_MEMORY;
}

/* The only method that ran; ETR_NONE if it is not the only one. */
static uint32_t only_run(const etr_profile *profile) {
  uint32_t only = ETR_NONE;
  for (uint32_t i = 0; i < profile->method_count; i++) {
    if (profile->methods[i].run_count == 0) continue;
    if (only != ETR_NONE) return ETR_NONE;
    only = i;
  }
  return only;
}

/* By name; of those without name, the k-th with the k-th. Then the only ones that ran. */
static bool pair_methods(comparator *c, uint32_t *base_of, uint32_t *new_of) {
  const etr_profile *base = c->out->base, *newer = c->out->newer;
  etr_map index;
  etr_map_init(&index, &c->scratch);
  for (uint32_t i = 0, unnamed = 0; i < base->method_count; i++) {
    const char *name = base->methods[i].name;
    const char *key = name[0] ? name : etr_arena_format(&c->scratch, "\n%u", (unsigned)unnamed++);
    new_of[i] = ETR_NONE;
    if (!key || !etr_map_set(&index, etr_slice_of(key), i)) return false;
  }
  for (uint32_t i = 0, unnamed = 0; i < newer->method_count; i++) {
    const char *name = newer->methods[i].name;
    const char *key = name[0] ? name : etr_arena_format(&c->scratch, "\n%u", (unsigned)unnamed++);
    if (!key) return false;
    base_of[i] = etr_map_get(&index, etr_slice_of(key));
    if (base_of[i] != ETR_NONE) new_of[base_of[i]] = i;
  }
  uint32_t old = only_run(base), now = only_run(newer);
  if (old != ETR_NONE && now != ETR_NONE && base_of[now] == ETR_NONE && new_of[old] == ETR_NONE) {
    base_of[now] = old;
    new_of[old] = now;
  }
  return true;
}

static etr_status compare_methods(comparator *c) {
  const etr_profile *base = c->out->base, *newer = c->out->newer;
  uint32_t *base_of = etr_arena_alloc_array(c->arena, newer->method_count, sizeof *base_of);
  uint32_t *new_of = etr_arena_alloc_array(c->arena, base->method_count, sizeof *new_of);
  etr_method_pair *pairs = etr_arena_alloc_array(c->arena, base->method_count + newer->method_count, sizeof *pairs);
  if (!base_of || !new_of || !pairs || !pair_methods(c, base_of, new_of)) return ETR_ERROR_MEMORY;
  c->out->methods = pairs;
  for (uint32_t i = 0; i < newer->method_count; i++)
    pairs[c->out->method_count++] = (etr_method_pair){
        .name = newer->methods[i].name, .base_method = base_of[i], .new_method = i};
  for (uint32_t i = 0; i < base->method_count; i++)
    if (new_of[i] == ETR_NONE)
      pairs[c->out->method_count++] = (etr_method_pair){
          .name = base->methods[i].name, .base_method = i, .new_method = ETR_NONE};
  for (size_t i = 0; i < c->out->method_count; i++) {
    const etr_method *other = method_of(base, pairs[i].base_method);
    if (!pairs[i].name[0] && other) pairs[i].name = other->name;
    ETR_TRY(compare_method(c, &pairs[i]));
  }
  return ETR_OK;
}

/* ---- Loads ---- */

static bool compare_load(etr_load_pair *out, const etr_side_load *base, const etr_side_load *newer, etr_family *f) {
  const etr_side_load *const loads[ETR_SIDES] = {base, newer};
  etr_measure measures[ETR_SIDES] = {0};
  *out = (etr_load_pair){.name = newer ? newer->name : base->name};
  for (int k = 0; k < ETR_SIDES; k++)
    if (loads[k])
      measures[k] = (etr_measure){
          .exists = true, .avg = loads[k]->time.total / (double)loads[k]->time.runs, .time = &loads[k]->time};
  return etr_family_add(f, &out->change, &measures[ETR_BASE], &measures[ETR_NEWER]);
}

/* Loads by name. False when out of memory. */
static bool index_loads(etr_map *index, const etr_side *side, etr_arena *scratch) {
  etr_map_init(index, scratch);
  for (uint32_t i = 0; i < side->load_count; i++)
    if (!etr_map_set(index, etr_slice_of(side->loads[i].name), i)) return false;
  return true;
}

static bool compare_loads(comparator *c) {
  const etr_side *base = c->sides[ETR_BASE], *newer = c->sides[ETR_NEWER];
  etr_map base_index, new_index;
  etr_family f = {.scratch = &c->scratch, .base_scale = c->out->base_scale, .options = c->options};
  etr_load_pair *pairs = etr_arena_alloc_array(c->arena, base->load_count + newer->load_count, sizeof *pairs);
  if (!pairs || !index_loads(&base_index, base, &c->scratch) || !index_loads(&new_index, newer, &c->scratch))
    return false;
  for (size_t i = 0; i < newer->load_count; i++) {
    uint32_t partner = etr_map_get(&base_index, etr_slice_of(newer->loads[i].name));
    if (!compare_load(&pairs[c->out->load_count++], partner == ETR_NONE ? NULL : &base->loads[partner],
                      &newer->loads[i], &f))
      return false;
  }
  for (size_t i = 0; i < base->load_count; i++)
    if (etr_map_get(&new_index, etr_slice_of(base->loads[i].name)) == ETR_NONE &&
        !compare_load(&pairs[c->out->load_count++], &base->loads[i], NULL, &f))
      return false;
  c->out->loads = pairs;
  etr_family_judge_each(&f, NULL);
  return true;
}

/* ---- Together ---- */

static etr_status compare_sides(comparison_box *box, bool has_events, const etr_compare_options *options,
                                etr_error *error) {
  static const etr_compare_options defaults = {0};
  const etr_side *base = box->sides[ETR_BASE], *newer = box->sides[ETR_NEWER];
  comparator c = {.out = &box->comparison,
                  .sides = {base, newer},
                  .has_events = has_events,
                  .options = options ? options : &defaults,
                  .arena = &box->arena,
                  .error = error};
  box->comparison = (etr_comparison){.base = base->profile,
                                     .newer = newer->profile,
                                     .base_scale = newer->profile->ticks_per_second / base->profile->ticks_per_second,
                                     .limit = c.options->limit > 0 ? c.options->limit : 0,
                                     .recording_noise = etr_noise_between_recordings(c.options),
                                     .is_other_session = c.options->is_other_session,
                                     .is_in_turns = c.options->is_in_turns,
                                     .has_older_document = base->is_of_older_version || newer->is_of_older_version};
  etr_status status = compare_methods(&c);
  if (status == ETR_OK && (!compare_loads(&c) || etr_arena_failed(&box->arena))) status = ETR_ERROR_MEMORY;
  etr_arena_clear(&c.scratch);
  return status;
}

/* What was opened so far becomes a comparison, or is closed. */
static etr_status finish(etr_comparison **out, comparison_box *box, etr_status status, bool has_events,
                         const etr_compare_options *options, etr_error *error) {
  if (status == ETR_OK) status = compare_sides(box, has_events, options, error);
  if (status == ETR_OK) *out = &box->comparison;
  if (status != ETR_OK) etr_comparison_close(&box->comparison);
  if (status == ETR_ERROR_MEMORY) return etr_fail_memory(error);
  return status;
}

etr_status etr_compare(etr_comparison **out, const etr_profile *base, const etr_profile *newer,
                       const etr_compare_options *options, etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  comparison_box *box = calloc(1, sizeof *box);
  if (!box) return etr_fail_memory(error);
  etr_status status = etr_side_open(&box->sides[ETR_BASE], base, error);
  if (status == ETR_OK) status = etr_side_open(&box->sides[ETR_NEWER], newer, error);
  return finish(out, box, status, true, options, error);
}

static etr_status read_side(etr_side **out, const etr_document *document, etr_error *error) {
  return etr_side_read(out, document->text, document->size, document->name, error);
}

etr_status etr_compare_documents(etr_comparison **out, const etr_document *base, const etr_document *newer,
                                 const etr_compare_options *options, etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  comparison_box *box = calloc(1, sizeof *box);
  if (!box) return etr_fail_memory(error);
  etr_status status = read_side(&box->sides[ETR_BASE], base, error);
  if (status == ETR_OK) status = read_side(&box->sides[ETR_NEWER], newer, error);
  return finish(out, box, status, false, options, error);
}

void etr_comparison_close(etr_comparison *comparison) {
  if (!comparison) return;
  comparison_box *box = (comparison_box *)comparison;
  for (int k = 0; k < ETR_SIDES; k++) etr_side_close(box->sides[k]);
  etr_arena_clear(&box->arena);
  free(box);
}
