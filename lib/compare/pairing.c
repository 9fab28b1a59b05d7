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
  uint32_t next[ETR_SIDES]; /* how many were taken */
  uint32_t first; /* for PASS_ALL_NAMES: number of nodes whose name is on both sides; otherwise
                     index in `items_of_groups` of the first node of the base */
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

/* Sets for each item of both sides how many of the pairs that keep the order come before it. */
static void count_pairs_before(const pairer *p) {
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

typedef struct key_text {
  uint64_t producers, consumers;
  uint32_t name, op, module, body, shape, source, before, behind, gap, weight;
} key_text;
ETR_NO_PADDING(key_text, 2 * sizeof(uint64_t) + 10 * sizeof(uint32_t));

/* Returns the facts of an item that a pass compares, chosen by KEY_... flags. */
static key_text facts_of_item(const pairer *p, int side, size_t i, unsigned key) {
  const etr_pairing_side *list = p->side[side];
  const etr_pairing_item *item = &list->items[i];
  const etr_flow *flow = &p->evidence[side].flow;
  key_text text = {.op = item->op};
  if (key & KEY_NAME)
    text.name = item->name;
  if (key & KEY_MODULE) {
    text.module = p->evidence[side].modules.number[i];
    text.body = item->body;
  }
  if (key & KEY_SHAPE)
    text.shape = item->shape;
  if (key & KEY_WEIGHT)
    text.weight = item->weight;
  if (key & KEY_SOURCE)
    text.source = item->source;
  if (key & KEY_FLOW) {
    text.producers = flow->producers[i];
    text.consumers = flow->consumers[i];
  }
  if (key & KEY_AROUND)
    text.producers = flow->around[i];
  if (key & KEY_NEIGHBORS) {
    text.before = i > 0 ? list->items[i - 1].op : ETR_NONE;
    text.behind = i + 1 < list->count ? list->items[i + 1].op : ETR_NONE;
  }
  if (key & KEY_GAP)
    text.gap = p->gap[side][i];
  return text;
}

/* Puts each unpaired item of a side into the group of its key. Returns false when out of memory. */
static bool add_to_groups(pairer *p, etr_map *index, int side, unsigned key) {
  for (size_t i = 0; i < p->side[side]->count; i++) {
    p->group[side][i] = ETR_NONE;
    if (p->side[side]->partner[i] != ETR_NONE)
      continue;
    key_text text = facts_of_item(p, side, i, key);
    etr_slice bytes = {(const char *)&text, sizeof text};
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

static bool takes(const group *g, pass_mode mode) {
  if (mode == PASS_ONLY)
    return g->count[ETR_BASE] == 1 && g->count[ETR_NEWER] == 1;
  return mode == PASS_EVEN ? g->count[ETR_BASE] == g->count[ETR_NEWER]
                           : g->count[ETR_BASE] && g->count[ETR_NEWER];
}

/* Proposes the k-th of a group on one side for the k-th on the other, unless the evidence
 * contradicts. Returns false when out of memory. */
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
    group *g = p->group[ETR_BASE][i] == ETR_NONE ? NULL : &p->groups.data[p->group[ETR_BASE][i]];
    if (g)
      items_of_groups[g->first + g->next[ETR_BASE]++] = i;
  }
  for (uint32_t i = 0; i < p->side[ETR_NEWER]->count; i++) {
    group *g = p->group[ETR_NEWER][i] == ETR_NONE ? NULL : &p->groups.data[p->group[ETR_NEWER][i]];
    if (g && takes(g, mode) && g->next[ETR_NEWER] < g->count[ETR_BASE]) {
      uint32_t base = items_of_groups[g->first + g->next[ETR_NEWER]++];
      if (!etr_evidence_contradicts(p->evidence, base, i))
        p->candidate[base] = i;
    }
  }
  return true;
}

/* Proposes nodes of the same name in groups in which every name is on both sides, unless the
 * evidence contradicts. Returns false when out of memory. */
static bool propose_by_name(pairer *p, unsigned key) {
  etr_map named;
  etr_map_init(&named, &p->arena);
  for (uint32_t i = 0; i < p->side[ETR_BASE]->count; i++) {
    key_text text = facts_of_item(p, ETR_BASE, i, key | KEY_NAME);
    if (p->group[ETR_BASE][i] != ETR_NONE && !etr_map_set(&named, ETR_BYTES(text), i))
      return false;
  }
  for (uint32_t i = 0; i < p->side[ETR_NEWER]->count; i++) {
    key_text text = facts_of_item(p, ETR_NEWER, i, key | KEY_NAME);
    uint32_t partner = p->group[ETR_NEWER][i] == ETR_NONE ? ETR_NONE
                                                          : etr_map_get(&named, ETR_BYTES(text));
    if (partner == ETR_NONE || p->candidate[partner] != ETR_NONE)
      continue;
    p->candidate[partner] = i;
    p->groups.data[p->group[ETR_NEWER][i]].first++;
  }
  for (size_t i = 0; i < p->side[ETR_BASE]->count; i++) {
    if (p->candidate[i] == ETR_NONE)
      continue;
    const group *g = &p->groups.data[p->group[ETR_BASE][i]];
    bool all_are_named = g->first == g->count[ETR_BASE] && g->first == g->count[ETR_NEWER];
    if (!all_are_named || etr_evidence_contradicts(p->evidence, i, p->candidate[i]))
      p->candidate[i] = ETR_NONE;
  }
  return true;
}

/* Pairs items whose keys are equal as one pass says, by name or in order. Returns false when out
 * of memory. */
static bool run_pass(pairer *p, const pass *step) {
  etr_pairing_side *base = p->side[ETR_BASE], *newer = p->side[ETR_NEWER];
  if (step->key & KEY_GAP)
    count_pairs_before(p);
  etr_map index;
  etr_map_init(&index, &p->arena);
  p->groups.data = NULL;
  p->groups.count = p->groups.capacity = 0;
  if (!(add_to_groups(p, &index, ETR_BASE, step->key) &&
        add_to_groups(p, &index, ETR_NEWER, step->key)))
    return false;
  for (size_t i = 0; i < base->count; i++)
    p->candidate[i] = ETR_NONE;
  if (!(step->mode == PASS_ALL_NAMES ? propose_by_name(p, step->key)
                                     : propose_in_order(p, step->mode)))
    return false;
  if (step->key & KEY_GAP)
    etr_keep_increasing(p->candidate, base->count, p->scratch);
  for (uint32_t i = 0; i < base->count; i++) {
    uint32_t partner = p->candidate[i];
    if (partner == ETR_NONE)
      continue;
    base->partner[i] = partner;
    newer->partner[partner] = i;
    base->rules[i] = newer->rules[partner] = base->items[i].name == newer->items[partner].name &&
                                                     step->key & KEY_MODULE
                                                 ? ETR_PAIR_NAME
                                                 : step->rule;
  }
  return true;
}

/* Runs all passes, the strongest first; those by data flow only if both sides have it. Returns
 * false when out of memory. */
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
