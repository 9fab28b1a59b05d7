/* SPDX-License-Identifier: BSD-3-Clause
 *
 * evidence.c - signatures of the operators around a node; which shapes say something;
 * contradictions.
 */
#include "compare/evidence.h"

/* ---- What is around ---- */

enum { DEPTH = 3 };

/* Computes, per item, the sum of its producers' values; an input of the method counts as 1. A
 * producer that only moves data is replaced by its own sum. */
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

/* Computes, per item, the sum of its consumers' values, which come later in the order. */
static void sum_consumers(const etr_pairing_side *side, const uint64_t *value, uint64_t *sum) {
  if (side->count)
    memset(sum, 0, side->count * sizeof *sum);
  for (size_t i = side->count; i-- > 0;) {
    const etr_pairing_item *item = &side->items[i];
    for (size_t k = 0; k < item->producer_count; k++)
      if (item->producers[k] != ETR_NONE)
        sum[item->producers[k]] += item->only_moves ? sum[i] : value[i];
  }
}

typedef void (*summer)(const etr_pairing_side *side, const uint64_t *value, uint64_t *sum);

/* Hashes the neighbors of each item in one direction into *nearest, and adds those at greater
 * distances to the hash of its surroundings. Returns false when out of memory. */
static bool hash_neighbors(uint64_t **nearest, uint64_t *around, const etr_pairing_side *side,
                           summer add_up, etr_arena *arena) {
  uint64_t *value = etr_arena_alloc_array(arena, side->count, sizeof *value),
           *sum = etr_arena_alloc_array(arena, side->count, sizeof *sum);
  *nearest = etr_arena_alloc_array(arena, side->count, sizeof **nearest);
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < side->count; i++)
    value[i] = etr_mixed(side->items[i].op);
  add_up(side, value, *nearest);
  for (int depth = 1; depth < DEPTH; depth++) {
    const uint64_t *nearer = depth == 1 ? *nearest : sum;
    for (size_t i = 0; i < side->count; i++)
      value[i] = etr_mixed(side->items[i].op ^ etr_mixed(nearer[i]));
    add_up(side, value, sum);
  }
  for (size_t i = 0; i < side->count; i++)
    around[i] = etr_mixed(around[i] ^ sum[i]);
  return true;
}

/* Computes a hash of the producers and of the consumers around each item, by which items are
 * paired. Returns false when out of memory. */
static bool find_flow(etr_evidence *e, etr_arena *arena) {
  e->flow.around = etr_arena_alloc_array(arena, e->of->count, sizeof *e->flow.around);
  for (size_t i = 0; i < e->of->count; i++)
    e->has_flow |= e->of->items[i].producer_count > 0;
  return e->flow.around &&
         hash_neighbors(&e->flow.producers, e->flow.around, e->of, sum_producers, arena) &&
         hash_neighbors(&e->flow.consumers, e->flow.around, e->of, sum_consumers, arena);
}

/* ---- Alone ---- */

typedef struct body_key {
  uint32_t op, module, body, source;
} body_key;
ETR_NO_PADDING(body_key, 4 * sizeof(uint32_t));

/* Finds the items that are the only ones with their operator in their module, or with `on_line`
 * on a source line of it. Returns false when out of memory. */
static bool find_only_operators(bool **is_only, const etr_evidence *e, bool on_line,
                                etr_arena *arena) {
  const etr_pairing_side *side = e->of;
  etr_map counts;
  etr_map_init(&counts, arena);
  *is_only = etr_arena_alloc_array(arena, side->count, sizeof **is_only);
  body_key *keys = etr_arena_alloc_array(arena, side->count, sizeof *keys);
  for (size_t i = 0; keys && i < side->count; i++) {
    const etr_pairing_item *item = &side->items[i];
    keys[i] = (body_key){item->op, e->modules.number[i], item->body, on_line ? item->source : 0};
    (void)etr_map_count(&counts, (etr_slice){(const char *)&keys[i], sizeof *keys});
  }
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < side->count; i++)
    (*is_only)[i] = etr_map_get(&counts, (etr_slice){(const char *)&keys[i], sizeof *keys}) == 1;
  return true;
}

/* ---- Shapes ---- */

typedef struct weight_key {
  uint32_t op, weight, state, dims;
} weight_key;
ETR_NO_PADDING(weight_key, 4 * sizeof(uint32_t));

static uint32_t count_of(const etr_map *counts, weight_key key) {
  uint32_t count = etr_map_get(counts, ETR_BYTES(key));
  return count == ETR_NONE ? 0 : count;
}

/* Returns true if an operator's output has another shape on the other side: there, as many
 * operators have its weight, but fewer of them have its output. That is the case if a stride
 * changed, but not if a layer was inserted. It is also true if no operator there reads a state of
 * the same shape, as with a cache for a longer context. */
static bool is_resized_itself(const etr_map counts[ETR_SIDES], int side,
                              const etr_pairing_item *item) {
  const weight_key all = {item->op, item->weight, item->state, 0},
                   alike = {item->op, item->weight, item->state, item->dims};
  if (item->state)
    return item->dims && count_of(&counts[!side], all) == 0;
  if (!item->weight || !item->dims)
    return false;
  return count_of(&counts[side], all) == count_of(&counts[!side], all) &&
         count_of(&counts[side], alike) > count_of(&counts[!side], alike);
}

/* Finds items whose shapes follow from the method's inputs, or from operators that make something
 * larger or smaller. Returns false when out of memory. */
static bool find_resized(etr_evidence sides[ETR_SIDES], etr_arena *arena) {
  etr_map counts[ETR_SIDES];
  for (int s = 0; s < ETR_SIDES; s++) {
    /* Counts operators with weights or states: by these, and by these and their output. */
    const etr_pairing_side *side = sides[s].of;
    etr_map_init(&counts[s], arena);
    for (size_t i = 0; i < side->count; i++) {
      const etr_pairing_item *item = &side->items[i];
      weight_key keys[] = {{item->op, item->weight, item->state, 0},
                           {item->op, item->weight, item->state, item->dims}};
      if ((!item->weight && !item->state) || !item->dims)
        continue;
      for (size_t k = 0; k < ETR_COUNT(keys); k++)
        (void)etr_map_count(&counts[s], ETR_BYTES(keys[k]));
    }
    if (etr_arena_failed(arena))
      return false;
  }
  for (int s = 0; s < ETR_SIDES; s++) {
    const etr_pairing_side *side = sides[s].of;
    bool *is_resized = sides[s].is_resized = etr_arena_alloc_array(arena, side->count,
                                                                   sizeof *is_resized);
    if (!is_resized)
      return false;
    for (size_t i = 0; i < side->count; i++) {
      const etr_pairing_item *item = &side->items[i];
      is_resized[i] = is_resized_itself(counts, s, item);
      for (size_t k = 0; k < item->producer_count; k++)
        is_resized[i] |= item->producers[k] == ETR_NONE ? side->has_other_inputs
                                                        : is_resized[item->producers[k]];
    }
  }
  return true;
}

/* Looks through operators that only move data. */
enum { FROM_WEIGHT, FROM_OPERATOR, FROM_INPUT };

/* Returns what an operator that only moves data moves; for an operator that computes, the operator
 * itself. */
static uint8_t origin_of_item(const etr_pairing_item *item, const uint8_t *origins) {
  uint8_t origin = FROM_WEIGHT; /* weights are left out of the producers */
  for (size_t k = 0; item->only_moves && k < item->producer_count; k++) {
    uint8_t producer_origin = item->producers[k] == ETR_NONE ? FROM_INPUT
                                                             : origins[item->producers[k]];
    origin = ETR_MAX(origin, producer_origin);
  }
  return item->only_moves ? origin : FROM_OPERATOR;
}

/* Adds up the hashed dimensions of what operators read, weights aside; the order does not matter,
 * as a + b is b + a. The sum is 0 (unknown) for what reads an input of the method, as items do
 * not say which input it is. Returns false when out of memory. */
static bool find_read_dims(etr_evidence *e, etr_arena *arena) {
  uint8_t *origins = etr_arena_alloc_array(arena, e->of->count, sizeof *origins);
  e->reads = etr_arena_alloc_array(arena, e->of->count, sizeof *e->reads);
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < e->of->count; i++) {
    const etr_pairing_item *item = &e->of->items[i];
    bool is_known = true;
    origins[i] = origin_of_item(item, origins);
    for (size_t k = 0; k < item->producer_count; k++) {
      uint32_t producer = item->producers[k];
      uint8_t origin = producer == ETR_NONE ? FROM_INPUT : origins[producer];
      if (origin == FROM_WEIGHT)
        continue;
      is_known &= origin == FROM_OPERATOR && e->of->items[producer].dims;
      e->reads[i] += is_known ? etr_mixed(e->of->items[producer].dims) : 0;
    }
    if (!is_known)
      e->reads[i] = 0;
  }
  return true;
}

/* Finds for both sides what speaks for and against pairs: modules, shapes, data flow. Returns
 * false when out of memory. */
bool etr_evidence_find(etr_evidence out[ETR_SIDES], const etr_pairing_side *const sides[ETR_SIDES],
                       etr_arena *arena) {
  etr_item_modules modules[ETR_SIDES];
  if (!etr_pairing_find_modules(modules, sides, arena))
    return false;
  for (int s = 0; s < ETR_SIDES; s++)
    out[s] = (etr_evidence){.of = sides[s], .modules = modules[s]};
  if (!find_resized(out, arena))
    return false;
  for (int s = 0; s < ETR_SIDES; s++)
    if (!find_flow(&out[s], arena) || !find_read_dims(&out[s], arena) ||
        !find_only_operators(&out[s].alone_in_module, &out[s], false, arena) ||
        !find_only_operators(&out[s].alone_on_line, &out[s], true, arena))
      return false;
  return true;
}

/* ---- Contradictions ---- */

/* Returns the evidence for a pair: 1 if the producers are of the same kinds, plus 1 if the
 * consumers are. */
static int flows_alike(const etr_evidence sides[ETR_SIDES], size_t base, size_t newer) {
  const etr_flow *a = &sides[ETR_BASE].flow, *b = &sides[ETR_NEWER].flow;
  return (a->producers[base] == b->producers[newer]) + (a->consumers[base] == b->consumers[newer]);
}

/* Returns true if the shapes of the weights, outputs or inputs of two nodes contradict each other.
 * These shapes determine what an operator multiplies. */
static bool shapes_contradict(const etr_evidence sides[ETR_SIDES], size_t base, size_t newer) {
  const etr_evidence *a = &sides[ETR_BASE], *b = &sides[ETR_NEWER];
  const etr_pairing_item *x = &a->of->items[base], *y = &b->of->items[newer];
  if (x->weight && y->weight && x->weight != y->weight)
    return true;
  if (!x->dims || !y->dims || x->target != y->target)
    return false; /* addmm's output is one of linear's, flattened */
  if (a->is_resized[base] && b->is_resized[newer])
    return x->rank != y->rank && !x->only_moves;
  bool reads_others = a->reads[base] && b->reads[newer] && a->reads[base] != b->reads[newer];
  return x->dims != y->dims || (reads_others && !x->only_moves);
}

/* Returns whether the two items cannot be the same operator: their shapes or modules differ, or
 * source and data flow do not agree enough. */
bool etr_evidence_contradicts(const etr_evidence sides[ETR_SIDES], size_t base, size_t newer) {
  const etr_evidence *a = &sides[ETR_BASE], *b = &sides[ETR_NEWER];
  const etr_pairing_item *x = &a->of->items[base], *y = &b->of->items[newer];
  bool same_module = a->modules.number[base] == b->modules.number[newer] && x->body == y->body;
  if (shapes_contradict(sides, base, newer))
    return true;
  bool has_module = a->modules.has_partner[base] || b->modules.has_partner[newer];
  if (x->weight && y->weight && has_module && !same_module)
    return true; /* a weight belongs to its module */
  if (!a->has_flow || !b->has_flow)
    return x->source && y->source && x->source != y->source;
  int alike = flows_alike(sides, base, newer);
  if (x->source && y->source && x->source != y->source)
    return alike + (same_module && a->alone_in_module[base] && b->alone_in_module[newer]) < 2;
  return alike == 0 && !(same_module && a->alone_on_line[base] && b->alone_on_line[newer]);
}
