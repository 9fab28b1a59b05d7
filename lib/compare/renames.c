/* SPDX-License-Identifier: BSD-3-Clause
 *
 * renames.c - the partners of modules, by the votes of their paired nodes.
 */
#include "compare/renames.h"

#include "base/module_path.h"

#include <string.h>

void etr_renames_init(etr_renames *renames, etr_arena *arena) {
  *renames = (etr_renames){.arena = arena, .key = {.arena = arena}};
  etr_map_init(&renames->votes, arena);
  etr_map_init(&renames->partners, arena);
  etr_map_init(&renames->taken, arena);
}

/* Returns the path of a module's parent: "a" of "a.b", and "" of "a". */
static etr_slice parent_of(etr_slice path) {
  while (path.size > 0 && path.data[path.size - 1] != '.')
    path.size--;
  return (etr_slice){path.data, path.size > 0 ? path.size - 1 : 0};
}

/* Returns how many modules a path names, from the outermost to its own; 0 for the top level. */
static size_t depth_of(etr_slice path) {
  size_t depth = path.size > 0;
  for (size_t i = 0; i < path.size; i++)
    depth += path.data[i] == '.';
  return depth;
}

/* Counts a pair of nodes that are in, or below, these modules. Returns false when out of memory. */
static bool count_vote(etr_renames *renames, etr_slice base, etr_slice newer) {
  renames->key.size = 0;
  if (!etr_text_add(&renames->key, base) || !etr_text_add(&renames->key, ETR_SLICE("\n")) ||
      !etr_text_add(&renames->key, newer))
    return false;
  (void)etr_map_count(&renames->votes, (etr_slice){renames->key.data, renames->key.size});
  return !etr_arena_failed(renames->arena);
}

bool etr_renames_add(etr_renames *renames, const char *base, const char *newer) {
  size_t base_level = 0, base_end = 0, newer_level = 0, newer_end = 0;
  if (depth_of(etr_slice_of(base)) != depth_of(etr_slice_of(newer)))
    return true;
  while (etr_next_module_around(base, &base_level, &base_end) &&
         etr_next_module_around(newer, &newer_level, &newer_end))
    if (!count_vote(renames, (etr_slice){base, base_end}, (etr_slice){newer, newer_end}))
      return false;
  return true;
}

/* Two names that some pairs of nodes are in. */
typedef struct ballot {
  etr_slice base, newer;
  uint32_t votes;
} ballot;

static bool keeps_name(const ballot *of) {
  return etr_slice_equal(of->base, of->newer);
}

/* Compares for qsort(): by depth, the outermost first, then by votes, the most first, then those
 * that keep their name, then by names. */
static int by_depth_and_votes(const void *a, const void *b) {
  const ballot *x = a, *y = b;
  size_t depth = depth_of(x->base), other = depth_of(y->base);
  if (depth != other)
    return depth < other ? -1 : 1;
  if (x->votes != y->votes)
    return x->votes < y->votes ? 1 : -1;
  if (keeps_name(x) != keeps_name(y))
    return keeps_name(x) ? -1 : 1;
  return strcmp(x->base.data, y->base.data); /* both names, as they are one text */
}

const char *etr_renames_of(etr_renames *renames, const char *base) {
  etr_text *name = &renames->key;
  size_t level = 0, end = 0, start = 0;
  bool is_good = true;
  name->size = 0;
  while (is_good && etr_next_module_around(base, &level, &end)) {
    uint32_t partner = etr_map_get(&renames->partners, (etr_slice){base, end});
    if (partner != ETR_NONE) {
      name->size = 0;
      is_good = etr_text_add(name, etr_slice_of(renames->names.data[partner]));
    } else if (end > 0) {
      is_good = (name->size == 0 || etr_text_add(name, ETR_SLICE("."))) &&
                etr_text_add(name, (etr_slice){base + start, end - start});
      if (etr_map_get(&renames->taken, (etr_slice){name->data, name->size}) != ETR_NONE)
        is_good = is_good && etr_text_add(name, ETR_SLICE(" (base)"));
    }
    start = end > 0 ? end + 1 : 0;
  }
  if (!is_good || name->size == 0)
    return "";
  return etr_or_empty(etr_arena_copy(renames->arena, (etr_slice){name->data, name->size}));
}

/* Returns true if the modules around two names are partners. Returns false also when out of memory.
 */
static bool have_same_parent(etr_renames *renames, const ballot *of) {
  const char *parent = etr_arena_copy(renames->arena, parent_of(of->base));
  return parent &&
         etr_slice_equal(etr_slice_of(etr_renames_of(renames, parent)), parent_of(of->newer));
}

/* Makes two names partners, unless one of them has a partner, or they are not in modules that are
 * partners. Returns false when out of memory. */
static bool make_partners(etr_renames *renames, const ballot *of) {
  if (etr_map_get(&renames->partners, of->base) != ETR_NONE ||
      etr_map_get(&renames->taken, of->newer) != ETR_NONE || !have_same_parent(renames, of))
    return !etr_arena_failed(renames->arena);
  const char **name = etr_vec_push(renames->arena, &renames->names);
  if (!name)
    return false;
  *name = etr_arena_copy(renames->arena, of->newer);
  return *name && etr_map_set(&renames->taken, of->newer, 0) &&
         etr_map_set(&renames->partners, of->base, (uint32_t)(renames->names.count - 1));
}

bool etr_renames_find(etr_renames *renames) {
  ballot *ballots = etr_arena_alloc_array(renames->arena, renames->votes.count, sizeof *ballots);
  size_t count = 0;
  if (!ballots)
    return false;
  for (size_t i = 0; i < renames->votes.capacity; i++) {
    const etr_map_slot *slot = &renames->votes.slots[i];
    if (!slot->key)
      continue;
    const char *end = memchr(slot->key, '\n', slot->size);
    size_t size = (size_t)(end - slot->key);
    ballots[count++] = (ballot){
        .base = {slot->key, size}, .newer = {end + 1, slot->size - size - 1}, .votes = slot->value};
  }
  etr_sort(ballots, count, sizeof *ballots, by_depth_and_votes);
  for (size_t i = 0; i < count; i++)
    if (!make_partners(renames, &ballots[i]))
      return false;
  return true;
}
