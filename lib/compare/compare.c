/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare.c - joins two profiles: methods by name, nodes by pairing.c, sums by what nodes have in common; verdicts by noise.c.
 */
#include "compare_change.h"
#include "compare_side.h"
#include "value_gaps.h"

#include <math.h>
#include <stdlib.h>

/* The comparison and what it lends from: one arena. */
typedef struct comparison_box {
  etr_comparison comparison; /* first: an etr_comparison * is a comparison_box * */
  etr_arena arena;
} comparison_box;

typedef struct comparator {
  etr_comparison *out;
  etr_arena *arena;
  etr_arena scratch; /* of one method */
} comparator;

enum { BASE, NEWER, SIDES };

const char *etr_verdict_name(etr_verdict verdict) {
  static const char *const names[] = {"untimed", "gone", "new", "one_side", "few_runs", "within_noise", "faster", "slower"};
  return (size_t)verdict < ETR_COUNT(names) ? names[verdict] : "untimed";
}

const char *etr_pair_rule_name(etr_pair_rule rule) {
  static const char *const names[] = {"none", "name", "shape", "module", "order"};
  return (size_t)rule < ETR_COUNT(names) ? names[rule] : "none";
}

/* ---- Nodes ---- */

static bool measure_item(comparator *c, etr_measure *out, const etr_side *side, const etr_side_item *item) {
  *out = (etr_measure){.exists = item != NULL};
  if (!item || !item->runs) return true;
  etr_run_ticks *runs = etr_arena_alloc_array(&c->scratch, item->runs, sizeof *runs);
  if (!runs) return false;
  memcpy(runs, item->each_run, item->runs * sizeof *runs);
  return etr_measure_runs(out, runs, item->runs, side->run_count, false, item->step, &c->scratch);
}

static bool fill_pair(comparator *c, etr_node_pair *pair, const etr_side sides[SIDES], const etr_side_item *items[SIDES], etr_pair_rule rule,
                      etr_family *f) {
  const etr_side_item *base = items[BASE], *newer = items[NEWER];
  etr_measure measures[SIDES];
  *pair = (etr_node_pair){.base_node = base ? base->node : ETR_NONE,
                          .new_node = newer ? newer->node : ETR_NONE,
                          .rule = rule,
                          .base_name = base ? base->name : NULL,
                          .new_name = newer ? newer->name : NULL,
                          .op = newer ? newer->op : base->op,
                          .base_module = base ? base->module : NULL,
                          .new_module = newer ? newer->module : NULL,
                          .base_backend = base ? base->backend : NULL,
                          .new_backend = newer ? newer->backend : NULL};
  return measure_item(c, &measures[BASE], &sides[BASE], base) && measure_item(c, &measures[NEWER], &sides[NEWER], newer) &&
         etr_family_add(f, &pair->change, &measures[BASE], &measures[NEWER]);
}

static void count_timed(etr_method_pair *method, const etr_node_pair *pair) {
  size_t timed = (pair->change.base_runs > 0) + (pair->change.new_runs > 0);
  method->timed_nodes += timed;
  if (pair->base_name && pair->new_name) method->timed_paired += timed;
}

static bool pair_nodes(comparator *c, etr_method_pair *method, const etr_side sides[SIDES]) {
  etr_pairing_side lists[SIDES];
  etr_family f = {.scratch = &c->scratch, .base_scale = c->out->base_scale};
  for (int s = 0; s < SIDES; s++)
    lists[s] = (etr_pairing_side){.items = sides[s].keys,
                                  .count = sides[s].count,
                                  .partner = etr_arena_alloc_array(&c->scratch, sides[s].count, sizeof(uint32_t)),
                                  .rules = etr_arena_alloc_array(&c->scratch, sides[s].count, sizeof(etr_pair_rule))};
  etr_node_pair *pairs = etr_arena_alloc_array(c->arena, sides[BASE].count + sides[NEWER].count, sizeof *pairs);
  if (!pairs || etr_arena_failed(&c->scratch) || !etr_pair_items(&lists[BASE], &lists[NEWER])) return false;
  method->pairs = pairs;
  for (size_t i = 0; i < sides[NEWER].count + sides[BASE].count; i++) {
    bool gone = i >= sides[NEWER].count;
    size_t place = gone ? i - sides[NEWER].count : i;
    const etr_pairing_side *list = &lists[gone ? BASE : NEWER];
    uint32_t partner = list->partner[place];
    if (gone && partner != ETR_NONE) continue;
    const etr_side_item *items[SIDES] = {gone                  ? &sides[BASE].items[place]
                                         : partner == ETR_NONE ? NULL
                                                               : &sides[BASE].items[partner],
                                         gone ? NULL : &sides[NEWER].items[place]};
    etr_node_pair *pair = &pairs[method->pair_count++];
    if (!fill_pair(c, pair, sides, items, list->rules[place], &f)) return false;
    count_timed(method, pair);
  }
  return etr_family_decide(&f);
}

/* ---- Sums ---- */

typedef const char *(*group_key)(const etr_side_item *item);

static const char *key_op(const etr_side_item *item) { return item->op; }
static const char *key_module(const etr_side_item *item) { return item->module; }
static const char *key_backend(const etr_side_item *item) { return item->backend ? item->backend : "cpu"; }

/* A group that is being summed up. */
typedef struct sum {
  const char *key;
  etr_vec(etr_run_ticks) runs[SIDES]; /* of all its nodes */
  bool exists[SIDES];                 /* timed or not */
  double steps[SIDES];                /* squares, added up */
  size_t nodes[SIDES];
} sum;

typedef struct sums {
  etr_vec(sum) list;
  etr_map index;
} sums;

static bool add_to_sum(comparator *c, sums *s, int which, const etr_side_item *item, const char *key) {
  uint32_t known = etr_map_get(&s->index, etr_slice_of(key));
  if (known == ETR_NONE) {
    sum *added = etr_vec_push(&c->scratch, &s->list);
    known = (uint32_t)(s->list.count - 1);
    if (!added || !etr_map_set(&s->index, etr_slice_of(key), known)) return false;
    added->key = key;
  }
  sum *to = &s->list.data[known];
  to->exists[which] = true;
  if (item->runs == 0) return true;
  for (size_t i = 0; i < item->runs; i++) {
    etr_run_ticks *added = etr_vec_push(&c->scratch, &to->runs[which]);
    if (!added) return false;
    *added = item->each_run[i];
  }
  to->steps[which] += item->step * item->step;
  to->nodes[which]++;
  return true;
}

static double moved(const etr_node_group *group) { return fabs(group->change.new_avg - group->change.base_avg); }

static int by_change(const void *a, const void *b) {
  double x = moved(a), y = moved(b);
  if (x != y) return x < y ? 1 : -1;
  return strcmp(((const etr_node_group *)a)->key, ((const etr_node_group *)b)->key);
}

/* Where a node without time runs is not known, so it does not make its group exist if that is a backend. */
static bool add_up(comparator *c, sums *s, const etr_side sides[SIDES], group_key key) {
  etr_map_init(&s->index, &c->scratch);
  for (int k = 0; k < SIDES; k++)
    for (size_t i = 0; i < sides[k].count; i++) {
      const etr_side_item *item = &sides[k].items[i];
      if ((item->runs || key != key_backend) && !add_to_sum(c, s, k, item, key(item))) return false;
    }
  return true;
}

static bool group_nodes(comparator *c, etr_node_groups *out, const etr_side sides[SIDES], group_key key) {
  sums s = {0};
  etr_family f = {.scratch = &c->scratch, .base_scale = c->out->base_scale};
  size_t count = 0;
  if (!add_up(c, &s, sides, key)) return false;
  etr_node_group *rows = etr_arena_alloc_array(c->arena, s.list.count, sizeof *rows);
  if (!rows) return false;
  for (size_t i = 0; i < s.list.count; i++) {
    sum *from = &s.list.data[i];
    etr_measure measures[SIDES];
    if (!from->nodes[BASE] && !from->nodes[NEWER]) continue;
    etr_node_group *row = &rows[count++];
    *row = (etr_node_group){.key = from->key, .base_nodes = from->nodes[BASE], .new_nodes = from->nodes[NEWER]};
    for (int k = 0; k < SIDES; k++) {
      if (!etr_measure_runs(&measures[k], from->runs[k].data, from->runs[k].count, sides[k].run_count, true, sqrt(from->steps[k]), &c->scratch))
        return false;
      measures[k].exists = from->exists[k];
    }
    if (!etr_family_add(&f, &row->change, &measures[BASE], &measures[NEWER])) return false;
  }
  if (!etr_family_decide(&f)) return false;
  if (count) qsort(rows, count, sizeof *rows, by_change);
  *out = (etr_node_groups){rows, count};
  return true;
}

/* ---- Methods ---- */

static const etr_method *method_of(const etr_profile *profile, uint32_t method) { return method == ETR_NONE ? NULL : &profile->methods[method]; }

static bool compare_execute(comparator *c, etr_method_pair *pair, const etr_method *methods[SIDES]) {
  etr_measure measures[SIDES];
  etr_family f = {.scratch = &c->scratch, .base_scale = c->out->base_scale};
  for (int k = 0; k < SIDES; k++) {
    size_t runs = methods[k] ? methods[k]->run_count : 0;
    uint64_t divisor = 0;
    for (size_t i = 0; i < runs; i++) divisor = etr_noise_divisor(methods[k]->execute_per_run[i], divisor);
    if (!etr_measure_ticks(&measures[k], runs ? methods[k]->execute_per_run : NULL, runs, etr_noise_step(divisor), &c->scratch)) return false;
    measures[k].exists = methods[k] != NULL;
  }
  return etr_family_add(&f, &pair->execute, &measures[BASE], &measures[NEWER]) && etr_family_decide(&f);
}

/* Rewritten operators are no other model as long as the modules are there. */
static bool may_differ(const etr_method_pair *pair) {
  size_t both = 0;
  for (size_t i = 0; i < pair->modules.count; i++) both += pair->modules.rows[i].base_nodes && pair->modules.rows[i].new_nodes;
  return pair->timed_paired * 2 < pair->timed_nodes && (pair->modules.count == 0 || both * 2 < pair->modules.count);
}

static bool compare_method(comparator *c, etr_method_pair *pair) {
  const etr_profile *profiles[SIDES] = {c->out->base, c->out->newer};
  const uint32_t indices[SIDES] = {pair->base_method, pair->new_method};
  const etr_method *methods[SIDES] = {method_of(profiles[BASE], indices[BASE]), method_of(profiles[NEWER], indices[NEWER])};
  etr_side sides[SIDES];
  etr_map numbers;
  etr_map_init(&numbers, &c->scratch);
  for (int k = 0; k < SIDES; k++) pair->by_events |= methods[k] && !etr_side_has_graph(profiles[k], indices[k]);
  for (int k = 0; k < SIDES; k++)
    if (!etr_side_make(&sides[k], profiles[k], indices[k], pair->by_events, &numbers, c->arena)) return false;
  bool good = compare_execute(c, pair, methods) && pair_nodes(c, pair, sides) && group_nodes(c, &pair->ops, sides, key_op) &&
              (pair->by_events || group_nodes(c, &pair->modules, sides, key_module)) && group_nodes(c, &pair->backends, sides, key_backend);
  good = good && !etr_arena_failed(&c->scratch) && etr_value_gaps_make(pair, c->out, c->arena);
  pair->may_differ = methods[BASE] && methods[NEWER] && may_differ(pair);
  etr_arena_clear(&c->scratch);
  return good;
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

static bool compare_methods(comparator *c) {
  const etr_profile *base = c->out->base, *newer = c->out->newer;
  uint32_t *base_of = etr_arena_alloc_array(c->arena, newer->method_count, sizeof *base_of);
  uint32_t *new_of = etr_arena_alloc_array(c->arena, base->method_count, sizeof *new_of);
  etr_method_pair *pairs = etr_arena_alloc_array(c->arena, base->method_count + newer->method_count, sizeof *pairs);
  if (!base_of || !new_of || !pairs || !pair_methods(c, base_of, new_of)) return false;
  c->out->methods = pairs;
  for (uint32_t i = 0; i < newer->method_count; i++)
    pairs[c->out->method_count++] = (etr_method_pair){.name = newer->methods[i].name, .base_method = base_of[i], .new_method = i};
  for (uint32_t i = 0; i < base->method_count; i++)
    if (new_of[i] == ETR_NONE)
      pairs[c->out->method_count++] = (etr_method_pair){.name = base->methods[i].name, .base_method = i, .new_method = ETR_NONE};
  for (size_t i = 0; i < c->out->method_count; i++) {
    const etr_method *other = method_of(base, pairs[i].base_method);
    if (!pairs[i].name[0] && other) pairs[i].name = other->name;
    if (!compare_method(c, &pairs[i])) return false;
  }
  return true;
}

/* ---- Loads ---- */

typedef struct load {
  const char *name;
  etr_vec(uint64_t) ticks;
} load;

typedef struct loads {
  etr_vec(load) list;
  etr_map index;
} loads;

static bool add_load(comparator *c, loads *out, const etr_event *e) {
  uint32_t known = etr_map_get(&out->index, etr_slice_of(e->name));
  if (known == ETR_NONE) {
    known = (uint32_t)out->list.count;
    load *added = etr_vec_push(&c->scratch, &out->list);
    if (!added || !etr_map_set(&out->index, etr_slice_of(e->name), known)) return false;
    added->name = e->name;
  }
  load *to = &out->list.data[known];
  for (size_t i = 0; i < e->sample_count; i++) {
    uint64_t *ticks = etr_vec_push(&c->scratch, &to->ticks);
    if (ticks == NULL) return false;
    *ticks = e->durations[i];
  }
  return true;
}

/* Durations by event name, of the blocks in which nothing ran. */
static bool collect_loads(comparator *c, loads *out, const etr_profile *profile) {
  etr_map_init(&out->index, &c->scratch);
  for (size_t i = 0; i < profile->block_count; i++) {
    const etr_block *block = &profile->blocks[i];
    for (size_t k = 0; block->method == ETR_NONE && k < block->event_count; k++)
      if (!add_load(c, out, &block->events[k])) return false;
  }
  return true;
}

static bool compare_load(comparator *c, etr_load_pair *out, const load *base, const load *newer, etr_family *f) {
  etr_measure measures[SIDES];
  *out = (etr_load_pair){.name = newer ? newer->name : base->name};
  return etr_measure_ticks(&measures[BASE], base ? base->ticks.data : NULL, base ? base->ticks.count : 0, 1, &c->scratch) &&
         etr_measure_ticks(&measures[NEWER], newer ? newer->ticks.data : NULL, newer ? newer->ticks.count : 0, 1, &c->scratch) &&
         etr_family_add(f, &out->change, &measures[BASE], &measures[NEWER]);
}

static bool compare_loads(comparator *c) {
  loads base = {0}, newer = {0};
  etr_family f = {.scratch = &c->scratch, .base_scale = c->out->base_scale};
  if (!collect_loads(c, &base, c->out->base) || !collect_loads(c, &newer, c->out->newer)) return false;
  etr_load_pair *pairs = etr_arena_alloc_array(c->arena, base.list.count + newer.list.count, sizeof *pairs);
  if (!pairs) return false;
  for (size_t i = 0; i < newer.list.count; i++) {
    uint32_t partner = etr_map_get(&base.index, etr_slice_of(newer.list.data[i].name));
    if (!compare_load(c, &pairs[c->out->load_count++], partner == ETR_NONE ? NULL : &base.list.data[partner], &newer.list.data[i], &f)) return false;
  }
  for (size_t i = 0; i < base.list.count; i++)
    if (etr_map_get(&newer.index, etr_slice_of(base.list.data[i].name)) == ETR_NONE &&
        !compare_load(c, &pairs[c->out->load_count++], &base.list.data[i], NULL, &f))
      return false;
  c->out->loads = pairs;
  return etr_family_decide(&f);
}

/* ---- Together ---- */

etr_status etr_compare(etr_comparison **out, const etr_profile *base, const etr_profile *newer, etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  comparison_box *box = calloc(1, sizeof *box);
  if (!box) return etr_fail(error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory");
  box->comparison = (etr_comparison){.base = base, .newer = newer, .base_scale = newer->ticks_per_second / base->ticks_per_second};
  comparator c = {.out = &box->comparison, .arena = &box->arena};
  bool good = compare_methods(&c) && compare_loads(&c) && !etr_arena_failed(&box->arena);
  etr_arena_clear(&c.scratch);
  if (!good) {
    etr_comparison_close(&box->comparison);
    return etr_fail(error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory");
  }
  *out = &box->comparison;
  return ETR_OK;
}

void etr_comparison_close(etr_comparison *comparison) {
  if (!comparison) return;
  comparison_box *box = (comparison_box *)comparison;
  etr_arena_clear(&box->arena);
  free(box);
}
