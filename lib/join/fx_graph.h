/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fx_graph.h - a graph with the nodes that torch.fx has; a lowering changes their order. Layer 3.
 *
 * For an operator with several results FX has a node `getitem` for each result; files do not.
 * Nested graphs are left out, because lowering them does not move the nodes around them.
 */
#ifndef ETR_FX_GRAPH_H
#define ETR_FX_GRAPH_H

#include "base/arena.h"

/** A node of FX. */
typedef struct etr_fx_vertex {
  uint32_t node;   /* node of the graph; ETR_NONE: a delegate call, or a result of one */
  uint32_t output; /* for a getitem: index of the result; else ETR_NONE */
  uint32_t first_input, input_count; /* slice of input_pool: each producer once */
  bool is_prioritized;               /* one of legalize_graph's PRIORITIZED_OPS */
} etr_fx_vertex;

/** A graph as FX has it. All lists live in the arena. */
typedef struct etr_fx_graph {
  const etr_graph *graph;
  etr_fx_vertex *vertices;
  size_t vertex_count, vertex_capacity;
  etr_vec(uint32_t) input_pool;
  uint32_t
      *order; /* per slot: a vertex of the graph, or ETR_NONE. Slots become empty only by sorting */
  size_t order_count;      /* number of slots */
  etr_vec(uint32_t) users; /* lists, one for each vertex */
  uint32_t *user_starts, *user_counts,
      *user_room; /* per vertex: start, length and capacity of its list in users */
  uint32_t *positions, next_position; /* per vertex: its slot */
  bool *is_gone;          /* per vertex: it was replaced by a call. The order contains it until
                             etr_fx_compact() */
  bool is_sorted;         /* the order is the result of sorting */
  uint32_t first_to_sort; /* first slot that sorting could change */
  uint32_t last_gone;     /* last slot among the vertices replaced last */
  size_t steps;           /* cost of sorting so far: vertices and slots that were visited */
  uint32_t late_call;  /* the call made before the last one, which became a user of its inputs later
                          than its position  says; ETR_NONE: none */
  uint32_t *vertex_of; /* per node: its vertex, which its getitems follow. ETR_NONE: the node is in
                          a nested graph */
  uint32_t *first_output,
      *getitem_of; /* per node: index of its first output in getitem_of; per output: its getitem */
  uint32_t last_call; /* the call made last; ETR_NONE: none */
  uint32_t
      *unsorted_inputs; /* per vertex, while sorting: number of inputs that are not sorted yet */
  uint32_t *met_by, *sorted_by, sort_count; /* per vertex: number of the last sort that filled
                                               `unsorted_inputs`, and of the last that placed the
                                               vertex */
  uint32_t *sorted, *stamps, stamp, *queue; /* working memory of graph traversals */
  etr_arena *arena;
} etr_fx_graph;

/** Builds the graph as recorded. `calls` is the largest number of calls of etr_fx_replace() that
 * will follow. Returns false when out of memory.
 */
bool etr_fx_build(etr_fx_graph *out, const etr_graph *graph, size_t calls, etr_arena *arena);

/**
 * Replaces the vertices `members`, given in graph order, by one call and a getitem for each of
 * their results that is used outside. Returns the call; ETR_NONE when out of memory.
 */
uint32_t etr_fx_replace(etr_fx_graph *fx, const uint32_t *members, size_t count);

/**
 * Sorts topologically as legalize_graph does: first in, first out, the users of a vertex in the
 * order in which they became users, but arithmetic on symbolic numbers first. A sorted graph is
 * sorted again only where a replacement moved something: from fx->first_to_sort until the queue is
 * the same, in the same order, as it was at that slot before. Returns false if the graph has a
 * cycle.
 */
bool etr_fx_sort(etr_fx_graph *fx);

/** Returns for each node of a graph how many nodes FX has for it: one, plus a getitem for each
 * result that is used; 0 for nested nodes. Returns NULL when out of memory. */
uint32_t *etr_fx_count_vertices(const etr_graph *graph, etr_arena *arena);

/** Removes replaced vertices from the order. */
void etr_fx_compact(etr_fx_graph *fx);

/** Returns the node of a vertex; NULL for a delegate call and its results. */
static inline const etr_node *etr_fx_node(const etr_fx_graph *fx, uint32_t vertex) {
  return fx->vertices[vertex].node == ETR_NONE ? NULL
                                               : &fx->graph->nodes[fx->vertices[vertex].node];
}

/** Returns whether the vertex is one result of an operator with several. */
static inline bool etr_fx_is_getitem(const etr_fx_graph *fx, uint32_t vertex) {
  return fx->vertices[vertex].output != ETR_NONE;
}

/** Returns whether the vertex is an operator of the graph, or a getitem of one. */
static inline bool etr_fx_is_operator(const etr_fx_graph *fx, uint32_t vertex) {
  const etr_node *node = etr_fx_node(fx, vertex);
  return node && node->kind == ETR_NODE_OP;
}

/** Returns whether the vertex is a weight. */
static inline bool etr_fx_is_constant(const etr_fx_graph *fx, uint32_t vertex) {
  const etr_node *node = etr_fx_node(fx, vertex);
  return node && node->kind >= ETR_NODE_PARAMETER;
}

/** Returns whether a program may have no instruction for the vertex: getitems, views, copies that
 * change nothing, symbolic numbers; cond, map and scan, whose bodies alone have some. */
bool etr_fx_may_vanish(const etr_fx_graph *fx, uint32_t vertex);

#endif
