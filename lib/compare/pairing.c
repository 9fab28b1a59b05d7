/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairing.c - passes over two sequences, each pairing what has the same key and does not
 * contradict.
 */
#include "compare/pairing.h"

#include "base/base.h"
#include "compare/evidence.h"

/* The parts of a key, as bits. */
enum {
  KEY_NAME = 1,
  KEY_OP = 2,
  KEY_MODULE = 4, /* and the body of control flow */
  KEY_SHAPE = 8,
  KEY_NEIGHBORS = 16, /* the operators before and after it */
  KEY_GAP = 32,       /* the pairs that it is between, so that order is kept */
  KEY_SOURCE = 64,
  KEY_FLOW = 128,   /* producers and consumers */
  KEY_AROUND = 256, /* three deep */
  KEY_WEIGHT = 512,
};

/* The condition under which nodes with the same key are paired. */
typedef enum pass_mode {
  PASS_ALL_NAMES, /* by name, where all of the key's nodes have the same names on both sides:
                     numbers in names shift when a node is put in */
  PASS_EVEN,      /* in order, where there are as many on both sides */
  PASS_ONLY,      /* where there is just one on both sides, keeping the order of all */
  PASS_ORDER,     /* in order, keeping the order of all */
} pass_mode;

typedef struct pass {
  pass_mode mode;
  unsigned key;
  etr_pair_rule rule;
} pass;

static const pass passes[] = {
    {PASS_ALL_NAMES, KEY_OP | KEY_MODULE | KEY_SOURCE | KEY_FLOW, ETR_PAIR_NAME},
    {PASS_EVEN, KEY_OP | KEY_MODULE | KEY_SOURCE | KEY_SHAPE | KEY_AROUND, ETR_PAIR_SHAPE},
    {PASS_EVEN, KEY_OP | KEY_MODULE | KEY_SOURCE | KEY_AROUND, ETR_PAIR_MODULE},
    {PASS_EVEN, KEY_OP | KEY_MODULE | KEY_SOURCE | KEY_SHAPE | KEY_FLOW, ETR_PAIR_SHAPE},
    {PASS_EVEN, KEY_OP | KEY_MODULE | KEY_SOURCE | KEY_FLOW, ETR_PAIR_MODULE},
    {PASS_ALL_NAMES, KEY_OP | KEY_MODULE, ETR_PAIR_NAME},
    {PASS_EVEN, KEY_OP | KEY_MODULE | KEY_SOURCE | KEY_SHAPE, ETR_PAIR_SHAPE},
    {PASS_EVEN, KEY_OP | KEY_MODULE | KEY_SOURCE, ETR_PAIR_MODULE},
    {PASS_EVEN, KEY_OP | KEY_MODULE | KEY_SHAPE, ETR_PAIR_SHAPE},
    {PASS_EVEN, KEY_OP | KEY_MODULE | KEY_WEIGHT | KEY_SHAPE, ETR_PAIR_SHAPE},
    {PASS_EVEN, KEY_OP | KEY_MODULE | KEY_WEIGHT, ETR_PAIR_MODULE},
    {PASS_EVEN, KEY_OP | KEY_MODULE, ETR_PAIR_MODULE},
    {PASS_EVEN, KEY_OP | KEY_SHAPE | KEY_SOURCE | KEY_AROUND, ETR_PAIR_FLOW},
    {PASS_EVEN, KEY_OP | KEY_SHAPE | KEY_AROUND, ETR_PAIR_FLOW},
    {PASS_ONLY, KEY_OP | KEY_MODULE | KEY_SHAPE | KEY_NEIGHBORS | KEY_GAP, ETR_PAIR_SHAPE},
    {PASS_ONLY, KEY_OP | KEY_MODULE | KEY_SHAPE | KEY_NAME | KEY_GAP, ETR_PAIR_NAME},
    {PASS_ORDER, KEY_OP | KEY_MODULE | KEY_SHAPE | KEY_FLOW | KEY_GAP, ETR_PAIR_SHAPE},
    {PASS_ORDER, KEY_OP | KEY_MODULE | KEY_SHAPE | KEY_GAP, ETR_PAIR_SHAPE},
    {PASS_ONLY, KEY_OP | KEY_SHAPE | KEY_NEIGHBORS | KEY_GAP, ETR_PAIR_ORDER},
    {PASS_ONLY, KEY_OP | KEY_SHAPE | KEY_GAP, ETR_PAIR_ORDER},
    {PASS_ORDER, KEY_OP | KEY_SHAPE | KEY_FLOW | KEY_GAP, ETR_PAIR_ORDER},
    {PASS_ORDER, KEY_OP | KEY_SHAPE | KEY_GAP, ETR_PAIR_ORDER},
    {PASS_ORDER, KEY_OP | KEY_MODULE | KEY_WEIGHT | KEY_GAP, ETR_PAIR_MODULE},
    {PASS_ORDER, KEY_OP | KEY_MODULE | KEY_GAP, ETR_PAIR_MODULE},
};

/* The items with one key. */
typedef struct group {
  uint32_t count[ETR_SIDES];
  uint32_t next[ETR_SIDES]; /* how many were proposed or listed so far */
  uint32_t first;           /* index in `items_of_groups` of the group's first item of the base */
  uint32_t shared_names;    /* for PASS_ALL_NAMES: number of items whose name is on both sides */
} group;

typedef struct pairer {
  etr_pairing_side *side[ETR_SIDES];
  etr_evidence evidence[ETR_SIDES];
  uint32_t *gap[ETR_SIDES];   /* per item: pairs before it that keep the order */
  uint32_t *group[ETR_SIDES]; /* per item: index into groups, ETR_NONE if it is paired already */
  uint32_t *candidate;        /* per base item: partner that this pass proposes */
  uint32_t *scratch[2];       /* as long as the base */
  etr_vec(group) groups;
  etr_arena arena; /* of the pass */
} pairer;

/* ---- Order ---- */

/* Sets the gap of each item of both sides: how many of the pairs that keep the order come before
 * it. Items in gaps of one number lie between the same pairs on both sides. Uses `candidate` as
 * scratch memory. */
static void find_gaps(const pairer *p) {
  const etr_pairing_side *base = p->side[ETR_BASE], *newer = p->side[ETR_NEWER];
  if (base->count)
    memcpy(p->candidate, base->partner, base->count * sizeof *p->candidate);
  etr_keep_increasing(p->candidate, base->count, p->scratch);
  uint32_t gap = 0;
  size_t next = 0;
  for (size_t i = 0; i < base->count; i++) {
    p->gap[ETR_BASE][i] = gap;
    if (p->candidate[i] == ETR_NONE)
      continue;
    while (next <= p->candidate[i])
      p->gap[ETR_NEWER][next++] = gap;
    gap++;
  }
  while (next < newer->count)
    p->gap[ETR_NEWER][next++] = gap;
}

/* ---- Keys ---- */

/* What a pass compares of an item; facts that it does not compare are 0. */
typedef struct item_key {
  uint64_t producers, consumers;
  uint32_t name, op, module, body, shape, source, before, behind, gap, weight;
} item_key;
ETR_NO_PADDING(item_key, 2 * sizeof(uint64_t) + 10 * sizeof(uint32_t));

/* Returns the key of item `i` of a side, made of its operator, which is in every key, and of the
 * parts that the KEY_... flags `parts` choose. */
static item_key key_of_item(const pairer *p, int side, size_t i, unsigned parts) {
  const etr_pairing_side *list = p->side[side];
  const etr_pairing_item *item = &list->items[i];
  const etr_flow *flow = &p->evidence[side].flow;
  item_key key = {.op = item->op};
  if (parts & KEY_NAME)
    key.name = item->name;
  if (parts & KEY_MODULE) {
    key.module = p->evidence[side].modules.number[i];
    key.body = item->body;
  }
  if (parts & KEY_SHAPE)
    key.shape = item->shape;
  if (parts & KEY_WEIGHT)
    key.weight = item->weight;
  if (parts & KEY_SOURCE)
    key.source = item->source;
  if (parts & KEY_FLOW) {
    key.producers = flow->producers[i];
    key.consumers = flow->consumers[i];
  }
  if (parts & KEY_AROUND)
    key.producers = flow->around[i];
  if (parts & KEY_NEIGHBORS) {
    key.before = i > 0 ? list->items[i - 1].op : ETR_NONE;
    key.behind = i + 1 < list->count ? list->items[i + 1].op : ETR_NONE;
  }
  if (parts & KEY_GAP)
    key.gap = p->gap[side][i];
  return key;
}

/* Puts each item of a side that has no partner yet into the group of its key, which is added if it
 * is new. `index` has the group of each key. Returns false when out of memory. */
static bool add_items_to_groups(pairer *p, etr_map *index, int side, unsigned parts) {
  for (size_t i = 0; i < p->side[side]->count; i++) {
    p->group[side][i] = ETR_NONE;
    if (p->side[side]->partner[i] != ETR_NONE)
      continue;
    item_key key = key_of_item(p, side, i, parts);
    etr_slice bytes = ETR_BYTES(key);
    uint32_t found = etr_map_get(index, bytes);
    if (found == ETR_NONE) {
      group *added = etr_vec_push(&p->arena, &p->groups);
      found = (uint32_t)(p->groups.count - 1);
      if (!added || !etr_map_set(index, bytes, found))
        return false;
    }
    p->group[side][i] = found;
    p->groups.data[found].count[side]++;
  }
  return true;
}

/* ---- Passes ---- */

/* Returns true if the numbers of a group's items on both sides allow a mode to pair them in order:
 * PASS_ONLY needs one on each side, PASS_EVEN equally many, and other modes at least one. */
static bool is_group_pairable(const group *g, pass_mode mode) {
  uint32_t base = g->count[ETR_BASE], newer = g->count[ETR_NEWER];
  if (mode == PASS_ONLY)
    return base == 1 && newer == 1;
  return mode == PASS_EVEN ? base == newer : base && newer;
}

/* Returns the group of an item; NULL if the item is paired already. */
static group *group_of(const pairer *p, int side, uint32_t item) {
  uint32_t index = p->group[side][item];
  return index == ETR_NONE ? NULL : &p->groups.data[index];
}

/* Proposes pairs as candidates: the k-th item of a group on one side and the k-th on the other,
 * unless the evidence contradicts, in the groups that the mode allows to be paired. Returns false
 * when out of memory. */
static bool propose_in_order(pairer *p, pass_mode mode) {
  uint32_t *items_of_groups = etr_arena_alloc_array(&p->arena, p->side[ETR_BASE]->count,
                                                    sizeof *items_of_groups),
           used = 0;
  if (!items_of_groups)
    return false;
  for (size_t i = 0; i < p->groups.count; i++) {
    p->groups.data[i].first = used;
    used += p->groups.data[i].count[ETR_BASE];
  }
  for (uint32_t i = 0; i < p->side[ETR_BASE]->count; i++) {
    group *g = group_of(p, ETR_BASE, i);
    if (g)
      items_of_groups[g->first + g->next[ETR_BASE]++] = i;
  }
  for (uint32_t i = 0; i < p->side[ETR_NEWER]->count; i++) {
    group *g = group_of(p, ETR_NEWER, i);
    if (!g || !is_group_pairable(g, mode) || g->next[ETR_NEWER] >= g->count[ETR_BASE])
      continue;
    uint32_t base = items_of_groups[g->first + g->next[ETR_NEWER]++];
    if (!etr_evidence_contradicts(p->evidence, base, i))
      p->candidate[base] = i;
  }
  return true;
}

/* Proposes pairs as candidates: items of one name, in groups in which every name is on both sides,
 * unless the evidence contradicts. Returns false when out of memory. */
static bool propose_by_name(pairer *p, unsigned parts) {
  etr_map item_of_base; /* key with the name -> item */
  etr_map_init(&item_of_base, &p->arena);
  for (uint32_t i = 0; i < p->side[ETR_BASE]->count; i++) {
    item_key key = key_of_item(p, ETR_BASE, i, parts | KEY_NAME);
    if (group_of(p, ETR_BASE, i) && !etr_map_set(&item_of_base, ETR_BYTES(key), i))
      return false;
  }
  for (uint32_t i = 0; i < p->side[ETR_NEWER]->count; i++) {
    item_key key = key_of_item(p, ETR_NEWER, i, parts | KEY_NAME);
    group *g = group_of(p, ETR_NEWER, i);
    uint32_t partner = g ? etr_map_get(&item_of_base, ETR_BYTES(key)) : ETR_NONE;
    if (partner == ETR_NONE || p->candidate[partner] != ETR_NONE)
      continue;
    p->candidate[partner] = i;
    g->shared_names++;
  }
  /* Withdraws the candidates of groups in which a name is on one side only. */
  for (uint32_t i = 0; i < p->side[ETR_BASE]->count; i++) {
    if (p->candidate[i] == ETR_NONE)
      continue;
    const group *g = group_of(p, ETR_BASE, i);
    bool are_all_shared = g->shared_names == g->count[ETR_BASE] &&
                          g->shared_names == g->count[ETR_NEWER];
    if (!are_all_shared || etr_evidence_contradicts(p->evidence, i, p->candidate[i]))
      p->candidate[i] = ETR_NONE;
  }
  return true;
}

/* Makes partners of all candidates of a pass. A pair is said to be by name if the pass did not ask
 * for the name, but name and module are the same anyway. */
static void accept_candidates(pairer *p, const pass *step) {
  etr_pairing_side *base = p->side[ETR_BASE], *newer = p->side[ETR_NEWER];
  for (uint32_t i = 0; i < base->count; i++) {
    uint32_t partner = p->candidate[i];
    if (partner == ETR_NONE)
      continue;
    bool has_same_name = base->items[i].name == newer->items[partner].name;
    etr_pair_rule rule = has_same_name && step->key & KEY_MODULE ? ETR_PAIR_NAME : step->rule;
    base->partner[i] = partner;
    newer->partner[partner] = i;
    base->rules[i] = rule;
    newer->rules[partner] = rule;
  }
}

/* Pairs items whose keys are equal, as one pass says: groups the items that have no partner yet by
 * their keys, proposes pairs by name or in order, and accepts those that the pass allows. With
 * KEY_GAP, only pairs that keep the order of both sides are accepted. Returns false when out of
 * memory. */
static bool run_pass(pairer *p, const pass *step) {
  if (step->key & KEY_GAP)
    find_gaps(p);
  etr_map index;
  etr_map_init(&index, &p->arena);
  p->groups.data = NULL;
  p->groups.count = p->groups.capacity = 0;
  if (!add_items_to_groups(p, &index, ETR_BASE, step->key) ||
      !add_items_to_groups(p, &index, ETR_NEWER, step->key))
    return false;
  size_t count = p->side[ETR_BASE]->count;
  for (size_t i = 0; i < count; i++)
    p->candidate[i] = ETR_NONE;
  bool good = step->mode == PASS_ALL_NAMES ? propose_by_name(p, step->key)
                                           : propose_in_order(p, step->mode);
  if (!good)
    return false;
  if (step->key & KEY_GAP)
    etr_keep_increasing(p->candidate, count, p->scratch);
  accept_candidates(p, step);
  return true;
}

/* Runs all passes, those with the surest evidence first; those by data flow only if both sides have
 * it. Each gives partners to items that earlier passes left over. Returns false when out of
 * memory. */
bool etr_pair_items(etr_pairing_side *base, etr_pairing_side *newer) {
  etr_arena arena = {0};
  pairer p = {.side = {base, newer}};
  for (int s = 0; s < ETR_SIDES; s++) {
    size_t count = p.side[s]->count;
    p.gap[s] = etr_arena_alloc_array(&arena, count, sizeof *p.gap[s]);
    p.group[s] = etr_arena_alloc_array(&arena, count, sizeof *p.group[s]);
    p.scratch[s] = etr_arena_alloc_array(&arena, p.side[ETR_BASE]->count, sizeof *p.scratch[s]);
    for (size_t i = 0; i < count; i++) {
      p.side[s]->partner[i] = ETR_NONE;
      p.side[s]->rules[i] = ETR_PAIR_NONE;
    }
  }
  p.candidate = etr_arena_alloc_array(&arena, p.side[ETR_BASE]->count, sizeof *p.candidate);
  const etr_pairing_side *const sides[] = {p.side[ETR_BASE], p.side[ETR_NEWER]};
  bool good = etr_evidence_find(p.evidence, sides, &arena) && !etr_arena_failed(&arena);
  for (size_t i = 0; good && i < ETR_COUNT(passes); i++) {
    bool has_flow = p.evidence[ETR_BASE].has_flow && p.evidence[ETR_NEWER].has_flow;
    if (has_flow || !(passes[i].key & (KEY_FLOW | KEY_AROUND)))
      good = run_pass(&p, &passes[i]);
    etr_arena_clear(&p.arena);
  }
  etr_arena_clear(&arena);
  return good;
}
