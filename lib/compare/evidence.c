/* SPDX-License-Identifier: BSD-3-Clause
 *
 * evidence.c - signatures of the operators around a node; which shapes say
 * something; contradictions.
 */
#include "compare/evidence.h"

/* ---- What is around ---- */

/* How many operators deep a hash of what is around an item reaches, in each direction: fewer are
 * alike in many blocks of a model, and more differ after a small change. */
enum { DEPTH = 3 };

/* Computes, per item, the sum of its producers' hashes; their order does not matter in a sum, and
 * the sum may wrap. An input of the method counts as 1. A producer that only moves data is skipped:
 * its own sum counts in its place, which is known because producers come first. */
static void sum_producers(const etr_pairing_side *side, const uint64_t *hashes, uint64_t *sums) {
  static const uint64_t of_input = 1;
  for (size_t i = 0; i < side->count; i++) {
    const etr_pairing_item *item = &side->items[i];
    sums[i] = 0;
    for (size_t k = 0; k < item->producer_count; k++) {
      uint32_t from = item->producers[k];
      if (from == ETR_NONE)
        sums[i] += of_input;
      else
        sums[i] += side->items[from].only_moves ? sums[from] : hashes[from];
    }
  }
}

/* Computes, per item, the sum of its consumers' hashes. A consumer that only moves data is skipped:
 * its own sum counts in its place. Consumers come later, so the last item is the first whose sum is
 * complete. */
static void sum_consumers(const etr_pairing_side *side, const uint64_t *hashes, uint64_t *sums) {
  if (side->count)
    memset(sums, 0, side->count * sizeof *sums);
  for (size_t i = side->count; i-- > 0;) {
    const etr_pairing_item *item = &side->items[i];
    uint64_t as_consumer = item->only_moves ? sums[i] : hashes[i];
    for (size_t k = 0; k < item->producer_count; k++)
      if (item->producers[k] != ETR_NONE)
        sums[item->producers[k]] += as_consumer;
  }
}

/* Sums hashes of what is next to each item, in one direction of the data flow. */
typedef void (*neighbor_sum)(const etr_pairing_side *side, const uint64_t *hashes, uint64_t *sums);

/* Sets *nearest to a hash of the operators next to each item in one direction, and adds a hash of
 * those up to DEPTH operators away to `around`: each round hashes an operator with the sum of the
 * round before. Returns false when out of memory. */
static bool hash_neighbors(uint64_t **nearest, uint64_t *around, const etr_pairing_side *side,
                           neighbor_sum sum_neighbors, etr_arena *arena) {
  uint64_t *hashes = etr_arena_alloc_array(arena, side->count, sizeof *hashes),
           *sum = etr_arena_alloc_array(arena, side->count, sizeof *sum);
  *nearest = etr_arena_alloc_array(arena, side->count, sizeof **nearest);
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < side->count; i++)
    hashes[i] = etr_mixed(side->items[i].op);
  sum_neighbors(side, hashes, *nearest);
  for (int depth = 1; depth < DEPTH; depth++) {
    const uint64_t *nearer = depth == 1 ? *nearest : sum;
    for (size_t i = 0; i < side->count; i++)
      hashes[i] = etr_mixed(side->items[i].op ^ etr_mixed(nearer[i]));
    sum_neighbors(side, hashes, sum);
  }
  for (size_t i = 0; i < side->count; i++)
    around[i] = etr_mixed(around[i] ^ sum[i]);
  return true;
}

/* Computes hashes of the producers and of the consumers around each item, by which items are
 * paired. Items that are events have no producers, so that has_flow stays false for their side.
 * Returns false when out of memory. */
static bool hash_data_flow(etr_evidence *e, etr_arena *arena) {
  e->flow.around = etr_arena_alloc_array(arena, e->of->count, sizeof *e->flow.around);
  for (size_t i = 0; i < e->of->count; i++)
    e->has_flow |= e->of->items[i].producer_count > 0;
  return e->flow.around &&
         hash_neighbors(&e->flow.producers, e->flow.around, e->of, sum_producers, arena) &&
         hash_neighbors(&e->flow.consumers, e->flow.around, e->of, sum_consumers, arena);
}

/* ---- Alone ---- */

/* An operator in a module; `source` is 0 for all lines of it. */
typedef struct operator_key {
  uint32_t op, module, body, source;
} operator_key;
ETR_NO_PADDING(operator_key, 4 * sizeof(uint32_t));

/* Finds the items that are the only ones with their operator in their module, or, with `on_line`,
 * on their source line in it. Nothing else there can be confused with them. Returns false when out
 * of memory. */
static bool find_only_operators(bool **is_only, const etr_evidence *e, bool on_line,
                                etr_arena *arena) {
  const etr_pairing_side *side = e->of;
  etr_map counts;
  etr_map_init(&counts, arena);
  *is_only = etr_arena_alloc_array(arena, side->count, sizeof **is_only);
  operator_key *keys = etr_arena_alloc_array(arena, side->count, sizeof *keys);
  for (size_t i = 0; keys && i < side->count; i++) {
    const etr_pairing_item *item = &side->items[i];
    uint32_t source = on_line ? item->source : 0;
    keys[i] = (operator_key){item->op, e->modules.number[i], item->body, source};
    (void)etr_map_count(&counts, (etr_slice){(const char *)&keys[i], sizeof *keys});
  }
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < side->count; i++)
    (*is_only)[i] = etr_map_get(&counts, (etr_slice){(const char *)&keys[i], sizeof *keys}) == 1;
  return true;
}

/* ---- Shapes ---- */

/* An operator with its weight or state; `dims` is 0 for all dimensions of its output. */
typedef struct weight_key {
  uint32_t op, weight, state, dims;
} weight_key;
ETR_NO_PADDING(weight_key, 4 * sizeof(uint32_t));

static uint32_t count_of_operators(const etr_map *counts, weight_key key) {
  uint32_t count = etr_map_get(counts, ETR_BYTES(key));
  return count == ETR_NONE ? 0 : count;
}

/* Returns true if only a known change of the model can change the shape of what an operator
 * returns: it reads a weight or a state, or nothing at all, as an arange. */
static bool has_own_shape(const etr_pairing_item *item) {
  return item->dims && (item->weight || item->state || item->producer_count == 0);
}

/* Returns true if an operator of `side` was made larger or smaller: as many operators of the other
 * side have its weight, or read nothing, but fewer of them have its output's dimensions, too. That
 * is so if a stride changed, but not if a layer was inserted. An operator that reads a state was
 * resized if no operator of the other side reads a state of that shape, as with a cache for a
 * longer context. */
static bool is_resized_itself(const etr_map counts[ETR_SIDES], int side,
                              const etr_pairing_item *item) {
  const weight_key all = {item->op, item->weight, item->state, 0},
                   alike = {item->op, item->weight, item->state, item->dims};
  const etr_map *here = &counts[side], *there = &counts[!side];
  if (!has_own_shape(item))
    return false;
  if (item->state)
    return count_of_operators(there, all) == 0;
  return count_of_operators(here, all) == count_of_operators(there, all) &&
         count_of_operators(here, alike) > count_of_operators(there, alike);
}

/* Counts the operators of a side that have a weight or a state, or read nothing: by that, and by
 * that and the dimensions of their output. Returns false when out of memory. */
static bool count_operators_by_weight(etr_map *counts, const etr_pairing_side *side,
                                      etr_arena *arena) {
  etr_map_init(counts, arena);
  for (size_t i = 0; i < side->count; i++) {
    const etr_pairing_item *item = &side->items[i];
    weight_key keys[] = {{item->op, item->weight, item->state, 0},
                         {item->op, item->weight, item->state, item->dims}};
    if (!has_own_shape(item))
      continue;
    for (size_t k = 0; k < ETR_COUNT(keys); k++)
      (void)etr_map_count(counts, ETR_BYTES(keys[k]));
  }
  return !etr_arena_failed(arena);
}

/* Finds the items whose shapes differ between the sides for a known reason, so that shapes are no
 * evidence against a pair: operators that were resized, and all that compute with their outputs, or
 * with inputs of the method of another shape. Returns false when out of memory. */
static bool find_resized(etr_evidence sides[ETR_SIDES], etr_arena *arena) {
  etr_map counts[ETR_SIDES];
  for (int s = 0; s < ETR_SIDES; s++)
    if (!count_operators_by_weight(&counts[s], sides[s].of, arena))
      return false;
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

/* Where the data comes from that an item outputs, past operators that only move it. If it comes
 * from several, the last of these counts. */
enum { FROM_WEIGHT, FROM_OPERATOR, FROM_INPUT };

/* Returns where an item's data comes from. It is from an operator if the item computes it itself.
 * Otherwise it is the last origin (weight, operator, input) of what the item reads. `origins` has
 * the origins of the items before it. */
static uint8_t origin_of_item(const etr_pairing_item *item, const uint8_t *origins) {
  uint8_t origin = FROM_WEIGHT; /* weights are left out of the producers */
  for (size_t k = 0; item->only_moves && k < item->producer_count; k++) {
    uint8_t producer_origin = item->producers[k] == ETR_NONE ? FROM_INPUT
                                                             : origins[item->producers[k]];
    origin = ETR_MAX(origin, producer_origin);
  }
  return item->only_moves ? origin : FROM_OPERATOR;
}

/* Sets `reads` of each item to the sum of the hashed dimensions of what it reads, without
 * weights; in a sum the order does not matter, because a + b is b + a. The sum is 0 (unknown) for
 * an item that reads an input of the method, as items do not say which input it is. Returns false
 * when out of memory. */
static bool hash_read_dims(etr_evidence *e, etr_arena *arena) {
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

/* The modules of both sides are aligned first, because operators are sought within their modules:
 * those that are alone there (false), and those that are alone on their source line (true). Returns
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
    if (!hash_data_flow(&out[s], arena) || !hash_read_dims(&out[s], arena) ||
        !find_only_operators(&out[s].alone_in_module, &out[s], false, arena) ||
        !find_only_operators(&out[s].alone_on_line, &out[s], true, arena))
      return false;
  return true;
}

/* ---- Contradictions ---- */

/* Counts the directions in which the data flow around two items is alike, 0 to 2: 1 if their
 * producers are the same kinds of operators, and 1 if their consumers are. */
static int count_alike_directions(const etr_evidence sides[ETR_SIDES], size_t base, size_t newer) {
  const etr_flow *old = &sides[ETR_BASE].flow, *now = &sides[ETR_NEWER].flow;
  bool are_producers_alike = old->producers[base] == now->producers[newer];
  bool are_consumers_alike = old->consumers[base] == now->consumers[newer];
  return are_producers_alike + are_consumers_alike;
}

/* Returns true if the shapes of the weights, outputs or inputs of two items contradict each other.
 * These shapes determine what an operator multiplies. Unknown shapes contradict nothing. Of resized
 * items only the numbers of dimensions are compared, and what an item reads that only moves data is
 * not compared. Neither are weights and inputs if one item has fewer producers: what a lowering
 * computes once becomes a constant, as the weight of a weight norm. */
static bool do_shapes_contradict(const etr_evidence sides[ETR_SIDES], size_t base, size_t newer) {
  const etr_evidence *old = &sides[ETR_BASE], *now = &sides[ETR_NEWER];
  const etr_pairing_item *x = &old->of->items[base], *y = &now->of->items[newer];
  bool read_as_many = x->producer_count == y->producer_count;
  if (read_as_many && x->weight && y->weight && x->weight != y->weight)
    return true;
  if (!x->dims || !y->dims || x->target != y->target)
    return false; /* operators of one kind have different outputs: addmm flattens linear's */
  if (old->is_resized[base] && now->is_resized[newer])
    return x->rank != y->rank && !x->only_moves;
  bool are_reads_known = read_as_many && old->reads[base] && now->reads[newer];
  bool reads_other_dims = are_reads_known && old->reads[base] != now->reads[newer];
  return x->dims != y->dims || (reads_other_dims && !x->only_moves);
}

/* Shapes and modules of weights contradict alone. Beyond that, items of different source lines need
 * two of three signs that they are the same: the same producers, the same consumers, or being the
 * only operator of their kind in the module. Items of one line need one, where being the only one
 * on the line counts. Events have no data flow, so that only the line can contradict. */
bool etr_evidence_contradicts(const etr_evidence sides[ETR_SIDES], size_t base, size_t newer) {
  const etr_evidence *old = &sides[ETR_BASE], *now = &sides[ETR_NEWER];
  const etr_pairing_item *x = &old->of->items[base], *y = &now->of->items[newer];
  bool is_same_module = old->modules.number[base] == now->modules.number[newer] &&
                        x->body == y->body;
  bool is_other_line = x->source && y->source && x->source != y->source;
  if (do_shapes_contradict(sides, base, newer))
    return true;
  bool has_module = old->modules.has_partner[base] || now->modules.has_partner[newer];
  if (x->weight && y->weight && has_module && !is_same_module)
    return true; /* a weight belongs to its module */
  if (!old->has_flow || !now->has_flow)
    return is_other_line;
  int alike = count_alike_directions(sides, base, newer);
  if (is_other_line) {
    bool are_alone = old->alone_in_module[base] && now->alone_in_module[newer];
    return alike + (is_same_module && are_alone) < 2;
  }
  bool are_alone = old->alone_on_line[base] && now->alone_on_line[newer];
  return alike == 0 && !(is_same_module && are_alone);
}
