/* SPDX-License-Identifier: BSD-3-Clause
 *
 * differences.c - other models, inputs, types, backends.
 */
#include "compare/differences.h"

#include <stdlib.h>

const char *etr_difference_name(etr_difference_kind kind) {
  static const char *const names[] = {"model", "input", "dtype", "backend"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "model";
}

/* ---- Models ---- */

/* How many weights of both sides have the same shapes. */
static bool count_shared(size_t *out, const etr_side_method *base, const etr_side_method *newer, etr_arena *scratch) {
  etr_map counts;
  etr_map_init(&counts, scratch);
  *out = 0;
  for (size_t i = 0; i < base->weight_count; i++) (void)etr_map_count(&counts, etr_slice_of(base->weights[i]));
  for (size_t i = 0; i < newer->weight_count; i++) {
    const etr_slice shape = etr_slice_of(newer->weights[i]);
    uint32_t left = etr_map_get(&counts, shape);
    if (left == ETR_NONE || left == 0) continue;
    if (!etr_map_set(&counts, shape, left - 1)) return false;
    ++*out;
  }
  return !etr_arena_failed(scratch);
}

/* Some rewritten operators are no other model as long as the modules inside it are there. */
static bool has_other_modules(const etr_method_pair *pair) {
  size_t both = 0, inner = 0;
  for (size_t i = 0; i < pair->modules.count; i++) {
    const etr_node_group *module = &pair->modules.rows[i];
    bool is_inner = module->key[0] != '\0';
    inner += is_inner;
    both += is_inner && module->base_nodes && module->new_nodes;
  }
  return inner == 0 || both * 2 < inner;
}

static bool may_differ(const etr_method_pair *pair, const etr_side_method *base, const etr_side_method *newer,
                       size_t shared) {
  size_t weights = ETR_MAX(base->weight_count, newer->weight_count);
  bool few = pair->timed_paired * 2 < pair->timed_nodes, hardly_any = pair->timed_paired * 4 < pair->timed_nodes;
  if (base->weight_count && newer->weight_count)
    return shared * 2 < weights || (pair->timed_nodes && !pair->timed_paired);
  return hardly_any || (few && has_other_modules(pair));
}

/* ---- Inputs, types, backends ---- */

typedef struct finder {
  etr_vec(etr_difference) list;
  etr_arena *arena;
} finder;

static bool add(finder *f, etr_difference_kind kind, const char *name, const char *base, const char *newer) {
  if (base && newer && strcmp(base, newer) == 0) return true;
  etr_difference *added = etr_vec_push(f->arena, &f->list);
  if (added) *added = (etr_difference){kind, name, base, newer};
  return added != NULL;
}

/* By place: names may change. */
static bool add_inputs(finder *f, const etr_side_method *base, const etr_side_method *newer) {
  for (size_t i = 0; i < ETR_MAX(base->input_count, newer->input_count); i++) {
    const etr_side_input *old = i < base->input_count ? &base->inputs[i] : NULL,
                         *now = i < newer->input_count ? &newer->inputs[i] : NULL;
    const char *name = now ? now->name : old->name;
    if (!add(f, ETR_DIFFERS_INPUT, name, old ? old->type : NULL, now ? now->type : NULL)) return false;
  }
  return true;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* What items are lowered to, in alphabetical order: "" of nothing. NULL when out of memory. */
static const char *backends_of(const etr_side_method *side, etr_arena *arena, etr_arena *scratch) {
  enum { MOST_TOLD = 8 };
  etr_map known;
  etr_vec(const char *) names = {0};
  const char *text = "";
  etr_map_init(&known, scratch);
  for (size_t i = 0; i < side->item_count; i++) {
    const char *backend = side->items[i].backend;
    if (!backend || etr_map_count(&known, etr_slice_of(backend)) > 0) continue;
    const char **added = etr_vec_push(scratch, &names);
    if (added) *added = backend;
  }
  if (etr_arena_failed(scratch)) return NULL;
  if (names.count) qsort(names.data, names.count, sizeof *names.data, by_text);
  for (size_t i = 0; text && i < ETR_MIN(names.count, (size_t)MOST_TOLD); i++)
    text = etr_arena_format(arena, "%s%s%s", text, i ? ", " : "", names.data[i]);
  return text;
}

static bool add_backends(finder *f, const etr_side_method *base, const etr_side_method *newer, etr_arena *scratch) {
  const char *old = backends_of(base, f->arena, scratch), *now = backends_of(newer, f->arena, scratch);
  if (!old || !now || strcmp(old, now) == 0) return old && now;
  return add(f, ETR_DIFFERS_BACKEND, NULL, old[0] ? old : NULL, now[0] ? now : NULL);
}

bool etr_differences_find(etr_method_pair *pair, const etr_method_side sides[ETR_SIDES], etr_arena *arena,
                          etr_arena *scratch) {
  const etr_side_method *base = sides[ETR_BASE].compared, *newer = sides[ETR_NEWER].compared;
  finder f = {.arena = arena};
  size_t shared;
  if (!sides[ETR_BASE].method || !sides[ETR_NEWER].method) return true;
  if (!count_shared(&shared, base, newer, scratch)) return false;
  pair->may_differ = may_differ(pair, base, newer, shared);
  if (pair->may_differ && !add(&f, ETR_DIFFERS_MODEL, NULL, NULL, NULL)) return false;
  bool have_graphs = base->has_graph && newer->has_graph;
  if (have_graphs && (!add_inputs(&f, base, newer) || !add(&f, ETR_DIFFERS_DTYPE, NULL, base->dtypes, newer->dtypes)))
    return false;
  if (!add_backends(&f, base, newer, scratch)) return false;
  pair->differences = f.list.data;
  pair->difference_count = f.list.count;
  return true;
}
