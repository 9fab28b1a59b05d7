/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fx_graph.h - a graph with the nodes that torch.fx has, whose order a lowering changes. Layer 3.
 *
 * FX has a node `getitem` for each result of an operator that has several; files do not. Nested graphs are left out:
 * what lowers them does not move the nodes around them.
 */
#ifndef ETR_FX_GRAPH_H
#define ETR_FX_GRAPH_H

#include "base/arena.h"

/** A node of FX. */
typedef struct etr_fx_vertex {
  uint32_t node;                     /* of the graph; ETR_NONE: a delegate's call, or a result of it */
  uint32_t output;                   /* of a getitem: which; ETR_NONE */
  uint32_t first_input, input_count; /* in input_pool, each producer once */
  bool is_prioritized;               /* legalize_graph's PRIORITIZED_OPS */
} etr_fx_vertex;

/** A graph as FX has it. All lists live in the arena. */
typedef struct etr_fx_graph {
  const etr_graph *graph;
  etr_fx_vertex *vertices;
  size_t vertex_count, vertex_capacity;
  etr_vec(uint32_t) input_pool;
  uint32_t *order;         /* slots: vertices that are in the graph, or ETR_NONE. No slot is empty until sorting */
  size_t order_count;      /* slots */
  etr_vec(uint32_t) users; /* lists, one for each vertex */
  uint32_t *user_starts, *user_counts, *user_room; /* per vertex: where its list is, how long, how long it can get */
  uint32_t *positions, next_position;              /* per vertex: its slot */
  bool *is_gone;       /* per vertex: it left with a part. The order has it until etr_fx_compact() */
  bool is_sorted;      /* the order is one that sorting gave */
  uint32_t resume;     /* what stands before this slot sorting would leave as it is */
  uint32_t last_gone;  /* the last slot of what was replaced last */
  size_t steps;        /* that sorting took so far: vertices and slots that it looked at */
  uint32_t late_call;  /* the call made before the last: a later user of its inputs than its place says. ETR_NONE */
  uint32_t *vertex_of; /* per node; its getitems stand behind it. ETR_NONE: nested */
  uint32_t *first_output, *getitem_of;      /* per node: where its outputs start; per output: its getitem */
  uint32_t last_call;                       /* the call made last; ETR_NONE */
  uint32_t *waiting;                        /* per vertex, while sorting: inputs that are not sorted yet */
  uint32_t *met_by, *sorted_by, sort_count; /* per vertex: the last sort that filled `waiting`, and that placed it */
  uint32_t *sorted, *stamps, stamp, *queue; /* of those that walk the graph */
  etr_arena *arena;
} etr_fx_graph;

/** The graph as it is recorded. `calls`: how many times etr_fx_replace() will be called at most. False: out of memory.
 */
bool etr_fx_build(etr_fx_graph *out, const etr_graph *graph, size_t calls, etr_arena *arena);

/**
 * Replaces vertices, in their order in the graph, by one call and a getitem for each of their results that is used
 * outside; gives the call. ETR_NONE: out of memory.
 */
uint32_t etr_fx_replace(etr_fx_graph *fx, const uint32_t *part, size_t count);

/**
 * Sorts as legalize_graph does, a vertex's users in the order in which they became users: first in, first out, but
 * arithmetic on symbolic numbers first. Once sorted, only what a replacement moves is sorted again: from fx->resume on,
 * until those that wait are the same, in the same order, as they were there before. False: a circle.
 */
bool etr_fx_sort(etr_fx_graph *fx);

/** Per node of a graph, how many nodes FX has for it: itself, and a getitem for each result that is used; 0 of nested
 * ones. NULL: out of memory. */
uint32_t *etr_fx_count(const etr_graph *graph, etr_arena *arena);

/** Takes what is gone out of the order. */
void etr_fx_compact(etr_fx_graph *fx);

/** The node of a vertex; NULL of a delegate's call and its results. */
static inline const etr_node *etr_fx_node(const etr_fx_graph *fx, uint32_t vertex) {
  return fx->vertices[vertex].node == ETR_NONE ? NULL : &fx->graph->nodes[fx->vertices[vertex].node];
}

/** Whether it is one result of an operator that has several. */
static inline bool etr_fx_is_getitem(const etr_fx_graph *fx, uint32_t vertex) {
  return fx->vertices[vertex].output != ETR_NONE;
}

/** Whether it is an operator of the graph, or a getitem of one. */
static inline bool etr_fx_is_operator(const etr_fx_graph *fx, uint32_t vertex) {
  const etr_node *node = etr_fx_node(fx, vertex);
  return node && node->kind == ETR_NODE_OP;
}

/** Whether it is a weight. */
static inline bool etr_fx_is_constant(const etr_fx_graph *fx, uint32_t vertex) {
  const etr_node *node = etr_fx_node(fx, vertex);
  return node && node->kind >= ETR_NODE_PARAMETER;
}

/** Whether a program may have no instruction for it: getitems, views, copies that change nothing, symbolic numbers. */
bool etr_fx_may_vanish(const etr_fx_graph *fx, uint32_t vertex);

#endif
