/* SPDX-License-Identifier: BSD-3-Clause
 *
 * evidence.c - signatures of the operators around a node; contradictions.
 */
#include "compare/evidence.h"

/* ---- What is around ---- */

enum { DEPTH = 3 };

/* Spreads bits, so that sums of such numbers tell sets apart (splitmix64). */
static uint64_t mixed(uint64_t number) {
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

/* Per item, the sum of its producers' values. Of those that only move data, their own sum stands in. */
static void sum_producers(const etr_pairing_side *side, const uint64_t *value, uint64_t *sum) {
  static const uint64_t of_input = 1;
  for (size_t i = 0; i < side->count; i++) {
    const etr_pairing_item *item = &side->items[i];
    sum[i] = 0;
    for (size_t k = 0; k < item->producer_count; k++) {
      uint32_t from = item->producers[k];
      if (from == ETR_NONE)
        sum[i] += of_input;
      else
        sum[i] += side->items[from].only_moves ? sum[from] : value[from];
    }
  }
}

/* The same of consumers, which stand behind. */
static void sum_consumers(const etr_pairing_side *side, const uint64_t *value, uint64_t *sum) {
  if (side->count) memset(sum, 0, side->count * sizeof *sum);
  for (size_t i = side->count; i-- > 0;) {
    const etr_pairing_item *item = &side->items[i];
    for (size_t k = 0; k < item->producer_count; k++)
      if (item->producers[k] != ETR_NONE) sum[item->producers[k]] += item->only_moves ? sum[i] : value[i];
  }
}

typedef void (*summer)(const etr_pairing_side *side, const uint64_t *value, uint64_t *sum);

/* Finds what is next to each item in one direction, and adds what is deeper to its surroundings. */
static bool look(uint64_t **next, uint64_t *around, const etr_pairing_side *side, summer add_up, etr_arena *arena) {
  uint64_t *value = etr_arena_alloc_array(arena, side->count, sizeof *value),
           *sum = etr_arena_alloc_array(arena, side->count, sizeof *sum);
  *next = etr_arena_alloc_array(arena, side->count, sizeof **next);
  if (!value || !sum || !*next) return false;
  for (size_t i = 0; i < side->count; i++) value[i] = mixed(side->items[i].op);
  add_up(side, value, *next);
  for (int depth = 1; depth < DEPTH; depth++) {
    const uint64_t *nearer = depth == 1 ? *next : sum;
    for (size_t i = 0; i < side->count; i++) value[i] = mixed(side->items[i].op ^ mixed(nearer[i]));
    add_up(side, value, sum);
  }
  for (size_t i = 0; i < side->count; i++) around[i] = mixed(around[i] ^ sum[i]);
  return true;
}

static bool find_flow(etr_evidence *e, etr_arena *arena) {
  e->flow.around = etr_arena_alloc_array(arena, e->of->count, sizeof *e->flow.around);
  for (size_t i = 0; i < e->of->count; i++) e->has_flow |= e->of->items[i].producer_count > 0;
  return e->flow.around && look(&e->flow.producers, e->flow.around, e->of, sum_producers, arena) &&
         look(&e->flow.consumers, e->flow.around, e->of, sum_consumers, arena);
}

/* ---- Alone ---- */

typedef struct place_key {
  uint32_t op, module, place, source;
} place_key;
ETR_NO_PADDING(place_key, 4 * sizeof(uint32_t));

/* Tells the items that are the only ones of their operator in their module, or on a line of it. */
static bool find_alone(bool **out, const etr_pairing_side *side, bool on_line, etr_arena *arena) {
  etr_map counts;
  etr_map_init(&counts, arena);
  *out = etr_arena_alloc_array(arena, side->count, sizeof **out);
  place_key *keys = etr_arena_alloc_array(arena, side->count, sizeof *keys);
  for (size_t i = 0; keys && i < side->count; i++) {
    const etr_pairing_item *item = &side->items[i];
    keys[i] = (place_key){item->op, item->module, item->place, on_line ? item->source : 0};
    (void)etr_map_count(&counts, (etr_slice){(const char *)&keys[i], sizeof *keys});
  }
  if (etr_arena_failed(arena)) return false;
  for (size_t i = 0; i < side->count; i++)
    (*out)[i] = etr_map_get(&counts, (etr_slice){(const char *)&keys[i], sizeof *keys}) == 1;
  return true;
}

bool etr_evidence_find(etr_evidence *out, const etr_pairing_side *side, etr_arena *arena) {
  *out = (etr_evidence){.of = side};
  return find_flow(out, arena) && find_alone(&out->alone_in_module, side, false, arena) &&
         find_alone(&out->alone_on_line, side, true, arena);
}

/* ---- Contradictions ---- */

/* Evidence for a pair: how many of producers and consumers are the same kinds of operators. */
static int flows_alike(const etr_evidence sides[ETR_SIDES], size_t base, size_t newer) {
  const etr_flow *a = &sides[ETR_BASE].flow, *b = &sides[ETR_NEWER].flow;
  return (a->producers[base] == b->producers[newer]) + (a->consumers[base] == b->consumers[newer]);
}

bool etr_evidence_contradicts(const etr_evidence sides[ETR_SIDES], size_t base, size_t newer) {
  const etr_evidence *a = &sides[ETR_BASE], *b = &sides[ETR_NEWER];
  const etr_pairing_item *x = &a->of->items[base], *y = &b->of->items[newer];
  bool same_module = x->module == y->module && x->place == y->place;
  if (!a->has_flow || !b->has_flow) return x->source && y->source && x->source != y->source;
  int alike = flows_alike(sides, base, newer);
  if (x->source && y->source && x->source != y->source)
    return alike + (same_module && a->alone_in_module[base] && b->alone_in_module[newer]) < 2;
  return alike == 0 && !(same_module && a->alone_on_line[base] && b->alone_on_line[newer]);
}
