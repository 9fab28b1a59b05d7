/* SPDX-License-Identifier: BSD-3-Clause
 *
 * candidates.c - rates the unassigned nodes of a handle and kind by the values that they read.
 */
#include "join/candidates.h"

/* Nodes of one handle and kind are assigned in order, so the right node is among the first that are
 * unassigned. */
enum { MOST_LOOKED_AT = 32 };

typedef struct ranked_slot {
  uint32_t handle, kind, rank, node;
} ranked_slot;

struct etr_candidates {
  const etr_node_index *index;
  const etr_assignment *assignment;
  const uint32_t *nodes; /* per slot of the index: its node, where nodes of one handle and kind are
                            sorted by rank */
  bool *had_equal;       /* per node: another node was an equally good candidate at some point */
  uint32_t *first_free;  /* per slot that starts a range: how many of it are known to be taken */
};

/* Orders nodes by debug handle, operator and rank, the position at which the lowering's order, or
 * else the graph, has the node. */
static int by_rank(const void *a, const void *b) {
  const ranked_slot *x = a, *y = b;
  if (x->handle != y->handle)
    return x->handle < y->handle ? -1 : 1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Sorts the nodes of each handle and kind by rank. */
etr_candidates *etr_candidates_new(const etr_node_index *index, const etr_assignment *assignment,
                                   etr_arena *arena) {
  etr_candidates *c = etr_arena_alloc(arena, sizeof *c);
  ranked_slot *slots = etr_arena_alloc_array(arena, index->count, sizeof *slots);
  uint32_t *nodes = etr_arena_alloc_array(arena, index->count, sizeof *nodes);
  if (etr_arena_failed(arena))
    return NULL;
  for (size_t i = 0; i < index->count; i++) {
    const etr_node_slot *slot = &index->slots[i];
    slots[i] = (ranked_slot){slot->handle, slot->kind, etr_assignment_rank(assignment, slot->node),
                             slot->node};
  }
  etr_sort(slots, index->count, sizeof *slots, by_rank);
  for (size_t i = 0; i < index->count; i++)
    nodes[i] = slots[i].node;
  *c = (etr_candidates){.index = index, .assignment = assignment, .nodes = nodes};
  c->had_equal = etr_arena_alloc_array(arena, assignment->values->graph->node_count,
                                       sizeof *c->had_equal);
  c->first_free = etr_arena_alloc_array(arena, index->count, sizeof *c->first_free);
  return etr_arena_failed(arena) ? NULL : c;
}

/* ---- How well a node fits ---- */

/* Scores of one input as evidence for a node. Only their order matters: one contradicting input
 * outweighs any that agrees, the same value counts more than one that a lowering fuses with it, and
 * the position of the input only decides between nodes that are otherwise equal. UNREAD: the node
 * reads more values than the operator, as after a constant was folded. */
enum { EXACTLY = 8, IN_PLACE = 1, BY_SOURCE = 4, BY_ORDER = 0, CONTRADICTS = -16, UNREAD = -2 };

/* Compares an input of the operator with an input of the node: the same value, the same value
 * before fusion, or another. A value that was found by order alone among equal ones may be another
 * of these, and contradicts nothing. */
static int compare_input(const etr_candidates *c, uint32_t value, const etr_edge *edge) {
  const etr_graph_values *values = c->assignment->values;
  uint32_t other = etr_value_of_edge(values, edge);
  if (values->same[value] == values->same[other])
    return EXACTLY;
  if (values->source[value] == values->source[other])
    return BY_SOURCE;
  return c->assignment->uncertain[value] ? BY_ORDER : CONTRADICTS;
}

/* Returns the best score of an operator's input (`value`, at index `input`) among the node's
 * inputs; the input at the same position comes first. `where` has the indices of the `count` inputs
 * of the node that are no weights. */
static int rate_input(const etr_candidates *c, const etr_node *node, uint32_t value, size_t input,
                      const uint8_t *where, size_t count) {
  int best = CONTRADICTS;
  if (input < count && compare_input(c, value, &node->inputs[where[input]]) == EXACTLY)
    return EXACTLY + IN_PLACE;
  for (size_t i = 0; i < count; i++)
    best = ETR_MAX(best, compare_input(c, value, &node->inputs[where[i]]));
  return best;
}

enum { MOST_INPUTS = 16 };

/* Returns how well a node's inputs fit the values that the operator reads: the sum of their scores,
 * of which less than UNREAD is a contradiction. Weights are left out. */
static int rate_node(const etr_candidates *c, uint32_t node_index, const etr_wanted *wanted) {
  const etr_node *node = &c->assignment->values->graph->nodes[node_index];
  const etr_graph_values *values = c->assignment->values;
  uint8_t where[MOST_INPUTS]; /* indices of the node's inputs that are not weights */
  size_t count = 0;
  int rating = 0;
  for (size_t i = 0; i < node->input_count && count < MOST_INPUTS && i < UINT8_MAX; i++)
    if (!values->constant[etr_value_of_edge(values, &node->inputs[i])])
      where[count++] = (uint8_t)i;
  for (size_t i = 0; i < wanted->input_count && i < MOST_INPUTS; i++)
    if (wanted->inputs[i] != ETR_NONE)
      rating += rate_input(c, node, wanted->inputs[i], i, where, count);
  return rating + (count > wanted->input_count ? UNREAD : 0);
}

/* The best so far. */
typedef struct choice {
  uint32_t node;
  int rating;
  bool is_contradicted; /* a node was unassigned, but its result is not what the operator writes */
} choice;

/* Makes a node the best candidate if it is rated higher, or equally high and ranked earlier.
 * Records that equal candidates had an equal one. A node that is taken, or whose shape or type
 * cannot be the operator's, is no candidate; the latter sets best->is_contradicted. */
static void consider_node(const etr_candidates *c, choice *best, uint32_t node,
                          const etr_wanted *wanted) {
  if (c->assignment->taken[node] || node == best->node)
    return;
  if (wanted->agrees &&
      !wanted->agrees(wanted->context, &c->assignment->values->graph->nodes[node])) {
    best->is_contradicted = true;
    return;
  }
  int rating = rate_node(c, node, wanted);
  if (best->node != ETR_NONE && rating < best->rating)
    return;
  bool equal = best->node != ETR_NONE && rating == best->rating;
  if (equal)
    c->had_equal[node] = c->had_equal[best->node] = true;
  if (!equal ||
      etr_assignment_rank(c->assignment, node) < etr_assignment_rank(c->assignment, best->node))
    best->node = node;
  best->rating = rating;
}

/* ---- The choice ---- */

/* Returns whether the operator reads a value whose node was only chosen by order. That counts only
 * without a rank: a rank is the order of the lowering, which is proven. */
static bool reads_uncertain(const etr_candidates *c, const etr_wanted *wanted) {
  for (size_t i = 0; !c->assignment->rank && i < wanted->input_count; i++)
    if (wanted->inputs[i] != ETR_NONE && c->assignment->uncertain[wanted->inputs[i]])
      return true;
  return false;
}

void etr_assignment_mark_uncertain(const etr_assignment *assignment, uint32_t node) {
  for (size_t i = 0; i < assignment->values->graph->nodes[node].output_count; i++)
    assignment->uncertain[assignment->values->first[node] + i] = true;
}

/* Returns how many nodes at the start of a range of the index are taken. The range is the nodes of
 * one handle and kind. The number only grows, so that no node is looked at twice. */
static uint32_t count_taken(etr_candidates *c, size_t first, size_t count) {
  if (count == 0)
    return 0;
  uint32_t *taken = &c->first_free[first];
  while (*taken < count && c->assignment->taken[c->nodes[first + *taken]])
    ++*taken;
  return *taken;
}

/* Rates the expected node, and of each handle the first nodes that are not taken. A single
 * candidate is returned whatever it reads; of several, none that the inputs contradict. */
uint32_t etr_candidates_choose(etr_candidates *c, const etr_wanted *wanted, bool *equal_candidates,
                               bool *is_contradicted) {
  choice best = {.node = ETR_NONE};
  size_t all = 0;
  if (wanted->expected != ETR_NONE)
    consider_node(c, &best, wanted->expected, wanted);
  for (size_t i = 0; i < wanted->handle_count; i++) {
    size_t count, first = etr_node_index_find(c->index, wanted->handles[i], wanted->kind, &count);
    all += count;
    size_t taken = count_taken(c, first, count);
    size_t end = ETR_MIN(count, taken + MOST_LOOKED_AT);
    for (size_t k = taken; k < end; k++)
      consider_node(c, &best, c->nodes[first + k], wanted);
  }
  /* A rating below UNREAD is that of a node that reads another value than the operator. */
  bool is_best_wrong = best.node == ETR_NONE ? best.is_contradicted : best.rating < UNREAD;
  *is_contradicted = all > 1 && is_best_wrong;
  if (*is_contradicted)
    best.node = ETR_NONE;
  *equal_candidates = best.node != ETR_NONE &&
                      (c->had_equal[best.node] || (all > 1 && reads_uncertain(c, wanted)));
  if (*equal_candidates)
    etr_assignment_mark_uncertain(c->assignment, best.node);
  return best.node;
}
