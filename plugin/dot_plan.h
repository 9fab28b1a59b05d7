/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_plan.h - decides what a picture of a graph shows: which boxes, in which clusters, with which times and edges. Layer 4.
 *
 * Weights are not drawn. Scopes are opened down to a level: an open scope is a cluster, a closed one a single box. A scope with one node in it
 * is neither: it would only be a frame around that node, which stands in the enclosing cluster instead.
 */
#ifndef ETR_DOT_PLAN_H
#define ETR_DOT_PLAN_H

#include "scope.h"

/** Sums over the nodes of a box or scope. */
typedef struct etr_dot_sum {
  double ticks;   /* per inference */
  uint32_t drawn; /* nodes that are drawn, or would be if all scopes were open */
  uint32_t ops;
  uint32_t delegated;     /* operators that run in a delegate */
  uint32_t delegate;      /* index into delegates: the first that occurs; ETR_NONE if none */
  bool several_delegates; /* and others than that */
  bool timed;             /* at least one node was */
  bool estimated;         /* part of ticks was matched as ETR_MATCH_ALIGNED */
} etr_dot_sum;

/** A box: one node, or a closed scope. */
typedef struct etr_dot_box {
  uint32_t node;    /* ETR_NONE: a closed scope */
  uint32_t scope;   /* innermost scope of the node, or the closed scope; ETR_NONE: on top */
  uint32_t cluster; /* scope in whose cluster it is drawn; ETR_NONE: on top */
  etr_dot_sum sum;
} etr_dot_box;

/** All data that flows from one box into another. */
typedef struct etr_dot_edge {
  uint32_t tail, head; /* indices of boxes */
  uint32_t uses;       /* uses of a value that it stands for; 0: no data, but head begins a graph that is nested in tail */
} etr_dot_edge;

/** A delegate of the graph: a call to it, or a lowered module where nothing was timed. */
typedef struct etr_dot_delegate {
  const char *backend;
  int32_t instruction; /* -1: not known */
  uint32_t ops;
  double ticks; /* of its nodes, per inference */
} etr_dot_delegate;

typedef struct etr_dot_plan {
  etr_scopes scopes;
  uint32_t levels;               /* of scopes that are open */
  uint32_t deepest;              /* levels there are */
  const etr_dot_sum *scope_sums; /* one per scope */
  const uint32_t *cluster_of; /* one per scope: the innermost cluster around or at it, ETR_NONE: on top. Scope s is a cluster if cluster_of[s] == s */
  const etr_dot_box *boxes;   /* in execution order of what is first in them */
  size_t box_count;
  const etr_dot_edge *edges; /* data flow by tail and head, then nested graphs */
  size_t edge_count;
  const etr_dot_delegate *delegates; /* by first occurrence */
  size_t delegate_count;
  etr_dot_sum total;
  double hottest; /* most ticks of a box */
} etr_dot_plan;

/**
 * depth: see etr_dot_options. Everything lives in the arena.
 * Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_dot_plan_build(etr_dot_plan *out, etr_arena *arena, const etr_graph *graph, int depth);

#endif
