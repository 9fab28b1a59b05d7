/* SPDX-License-Identifier: BSD-3-Clause
 *
 * candidates.c - few candidates are all looked at; many are looked up by what they read.
 */
#include "place/candidates.h"

/* Where a handle and kind have more nodes than this, they are looked up by what they read, and at most this many of
 * those are looked at. */
enum { FEW = 32 };

struct etr_candidates {
  const etr_node_index *index;
  bool *contested; /* per node: it had a twin, be that taken by now */
  const etr_dealing *dealing;
  etr_arena *arena;
  etr_map by_inputs[2]; /* range and inputs, exactly and by source -> first slot of a chain */
  uint32_t *next[2];    /* per slot: the next of its chain */
  uint32_t *first_free; /* per slot that starts a range: how many of it are known to be taken */
  bool *is_chained;     /* per slot that starts a range */
};

etr_candidates *etr_candidates_new(const etr_node_index *index, const etr_dealing *dealing, etr_arena *arena) {
  etr_candidates *c = etr_arena_alloc(arena, sizeof *c);
  if (!c) return NULL;
  *c = (etr_candidates){.index = index, .dealing = dealing, .arena = arena};
  for (int i = 0; i < 2; i++) {
    etr_map_init(&c->by_inputs[i], arena);
    c->next[i] = etr_arena_alloc_array(arena, index->count, sizeof *c->next[i]);
  }
  c->contested = etr_arena_alloc_array(arena, dealing->values->graph->node_count, sizeof *c->contested);
  c->first_free = etr_arena_alloc_array(arena, index->count, sizeof *c->first_free);
  c->is_chained = etr_arena_alloc_array(arena, index->count, sizeof *c->is_chained);
  return etr_arena_failed(arena) ? NULL : c;
}

/* ---- How well a node fits ---- */

enum { EXACTLY = 8, IN_PLACE = 1, BY_SOURCE = 4, CONTRADICTS = -16, UNREAD = -2 };

static const uint32_t *identity(const etr_candidates *c, bool by_source) {
  return by_source ? c->dealing->values->source : c->dealing->values->same;
}

/* How an input of the operator stands to the node's k-th: the same, the same before fusion, another. */
static int compare(const etr_candidates *c, uint32_t value, const etr_edge *edge) {
  uint32_t other = etr_value_of_edge(c->dealing->values, edge);
  if (c->dealing->values->same[value] == c->dealing->values->same[other]) return EXACTLY;
  return c->dealing->values->source[value] == c->dealing->values->source[other] ? BY_SOURCE : CONTRADICTS;
}

/* The best that an input finds among the node's: in its own place first. */
static int rate_input(const etr_candidates *c, const etr_node *node, uint32_t value, size_t place, const uint8_t *where,
                      size_t count) {
  int best = CONTRADICTS;
  if (place < count && compare(c, value, &node->inputs[where[place]]) == EXACTLY) return EXACTLY + IN_PLACE;
  for (size_t i = 0; i < count; i++) best = ETR_MAX(best, compare(c, value, &node->inputs[where[i]]));
  return best;
}

enum { MOST_INPUTS = 16 };

static int rate(const etr_candidates *c, uint32_t node_index, const etr_wanted *wanted) {
  const etr_node *node = &c->dealing->values->graph->nodes[node_index];
  uint8_t where[MOST_INPUTS]; /* the node's inputs that are no weights */
  size_t count = 0;
  int rating = 0;
  for (size_t i = 0; i < node->input_count && count < MOST_INPUTS && i < UINT8_MAX; i++)
    if (!c->dealing->values->constant[etr_value_of_edge(c->dealing->values, &node->inputs[i])])
      where[count++] = (uint8_t)i;
  for (size_t i = 0; i < wanted->input_count && i < MOST_INPUTS; i++)
    if (wanted->inputs[i] != ETR_NONE) rating += rate_input(c, node, wanted->inputs[i], i, where, count);
  return rating + (count > wanted->input_count ? UNREAD : 0);
}

/* The best so far. */
typedef struct choice {
  uint32_t node;
  int rating;
  bool is_contradicted; /* some node was left, but what the operator writes is not its result */
} choice;

static void consider(const etr_candidates *c, choice *best, uint32_t node, const etr_wanted *wanted) {
  if (c->dealing->taken[node] || node == best->node) return;
  if (wanted->agrees && !wanted->agrees(wanted->context, &c->dealing->values->graph->nodes[node])) {
    best->is_contradicted = true;
    return;
  }
  int rating = rate(c, node, wanted);
  if (best->node != ETR_NONE && rating < best->rating) return;
  bool equal = best->node != ETR_NONE && rating == best->rating;
  if (equal) c->contested[node] = c->contested[best->node] = true;
  if (!equal || etr_dealing_rank(c->dealing, node) < etr_dealing_rank(c->dealing, best->node)) best->node = node;
  best->rating = rating;
}

/* ---- Many nodes ---- */

typedef struct chain_key {
  uint64_t range, inputs;
} chain_key;
ETR_NO_PADDING(chain_key, 2 * sizeof(uint64_t));

static uint64_t mark_of(uint32_t identity) {
  uint64_t x = (identity + 1) * 0x9e3779b97f4a7c15;
  return x ^ (x >> 29);
}

static chain_key key_of_node(const etr_candidates *c, size_t range, uint32_t node_index, bool by_source) {
  const etr_node *node = &c->dealing->values->graph->nodes[node_index];
  chain_key key = {range, 0};
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t value = etr_value_of_edge(c->dealing->values, &node->inputs[i]);
    if (!c->dealing->values->constant[value]) key.inputs += mark_of(identity(c, by_source)[value]);
  }
  return key;
}

static chain_key key_of_wanted(const etr_candidates *c, size_t range, const etr_wanted *wanted, bool by_source) {
  chain_key key = {range, 0};
  for (size_t i = 0; i < wanted->input_count; i++)
    if (wanted->inputs[i] != ETR_NONE) key.inputs += mark_of(identity(c, by_source)[wanted->inputs[i]]);
  return key;
}

static etr_slice bytes_of(const chain_key *key) { return (etr_slice){(const char *)key, sizeof *key}; }

typedef struct ranked_slot {
  uint32_t rank, slot;
} ranked_slot;

/* Chains the nodes of a range, the last first, so that each chain is in order. */
static bool chain_range(etr_candidates *c, size_t first, size_t count) {
  ranked_slot *order = etr_arena_alloc_array(c->arena, count, sizeof *order);
  if (!order) return false;
  for (size_t i = 0; i < count; i++)
    order[i] = (ranked_slot){etr_dealing_rank(c->dealing, c->index->slots[first + i].node), (uint32_t)(first + i)};
  etr_sort(order, count, sizeof *order, etr_by_number);
  for (size_t i = count; i-- > 0;) {
    for (int by_source = 0; by_source < 2; by_source++) {
      chain_key key = key_of_node(c, first, c->index->slots[order[i].slot].node, by_source);
      etr_map_slot *head = etr_map_at(&c->by_inputs[by_source], bytes_of(&key));
      if (!head) return false;
      c->next[by_source][order[i].slot] = head->value;
      head->value = order[i].slot;
    }
  }
  c->is_chained[first] = true;
  return true;
}

/* Looks at the first nodes of a chain that are left; what is taken leaves it. */
static void consider_chain(etr_candidates *c, choice *best, size_t range, const etr_wanted *wanted, bool by_source) {
  chain_key key = key_of_wanted(c, range, wanted, by_source);
  if (etr_map_get(&c->by_inputs[by_source], bytes_of(&key)) == ETR_NONE) return;
  etr_map_slot *head = etr_map_at(&c->by_inputs[by_source], bytes_of(&key));
  while (head && head->value != ETR_NONE && c->dealing->taken[c->index->slots[head->value].node])
    head->value = c->next[by_source][head->value];
  uint32_t at = head ? head->value : ETR_NONE;
  for (int i = 0; i < FEW && at != ETR_NONE; i++, at = c->next[by_source][at])
    consider(c, best, c->index->slots[at].node, wanted);
}

static void consider_many(etr_candidates *c, choice *best, size_t first, size_t count, const etr_wanted *wanted) {
  if (!c->is_chained[first] && !chain_range(c, first, count)) return;
  for (int by_source = 0; by_source < 2 && best->node == ETR_NONE; by_source++)
    consider_chain(c, best, first, wanted, by_source);
  if (best->node != ETR_NONE) return;
  uint32_t *skip = &c->first_free[first];
  while (*skip < count && c->dealing->taken[c->index->slots[first + *skip].node]) ++*skip;
  for (size_t i = *skip; i < count && i < *skip + (size_t)FEW; i++)
    consider(c, best, c->index->slots[first + i].node, wanted);
}

/* ---- The choice ---- */

static bool reads_doubtful(const etr_candidates *c, const etr_wanted *wanted) {
  for (size_t i = 0; !c->dealing->rank && i < wanted->input_count; i++)
    if (wanted->inputs[i] != ETR_NONE && c->dealing->doubtful[wanted->inputs[i]]) return true;
  return false;
}

void etr_dealing_doubt(const etr_dealing *dealing, uint32_t node) {
  for (size_t i = 0; i < dealing->values->graph->nodes[node].output_count; i++)
    dealing->doubtful[dealing->values->first[node] + i] = true;
}

uint32_t etr_candidates_choose(etr_candidates *c, const etr_wanted *wanted, bool *twins, bool *is_contradicted) {
  choice best = {.node = ETR_NONE};
  size_t all = 0;
  for (size_t i = 0; i < wanted->handle_count; i++) {
    size_t count, first = etr_node_index_find(c->index, wanted->handles[i], wanted->kind, &count);
    all += count;
    if (count > FEW)
      consider_many(c, &best, first, count, wanted);
    else
      for (size_t k = 0; k < count; k++) consider(c, &best, c->index->slots[first + k].node, wanted);
  }
  *is_contradicted = all > 1 && (best.node == ETR_NONE ? best.is_contradicted : best.rating < UNREAD);
  if (*is_contradicted) best.node = ETR_NONE;
  *twins = best.node != ETR_NONE && (c->contested[best.node] || (all > 1 && reads_doubtful(c, wanted)));
  if (*twins) etr_dealing_doubt(c->dealing, best.node);
  return best.node;
}
