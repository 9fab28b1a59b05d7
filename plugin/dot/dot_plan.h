/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_plan.h - decides what a picture of a graph shows: which boxes, in which clusters, with which times and edges.
 * Layer 4.
 *
 * Weights are not drawn. Scopes are opened down to a level: an open scope is a cluster, a closed one a single box. A
 * scope with one node in it is neither: it would only be a frame around that node, which stands in the enclosing
 * cluster instead.
 *
 * Where blocks are folded, the one that is drawn has the time of all of them. Its nodes are counted once.
 *
 * With a module in focus, scopes around it are open, those without any of its nodes closed, and levels count from the
 * module on. With a top, only scopes that have one of its nodes are open; the other operators in them are drawn as one
 * box for each run of consecutive ones.
 */
#ifndef ETR_DOT_PLAN_H
#define ETR_DOT_PLAN_H

#include "dot/dot_fold.h"

/** Sums over the nodes of a box or scope. */
typedef struct etr_dot_sum {
  double ticks;     /* per inference; what ranks: averages, or the sum of the nodes' medians */
  double step;      /* of the coarsest clock that timed it; ticks */
  uint32_t drawn;   /* nodes that are drawn, or would be if all scopes were open */
  uint32_t focused; /* of drawn, those in focus */
  uint32_t ranked;  /* nodes of the top */
  uint32_t ops;
  uint32_t guests;        /* of ops, quantizers that stand with their operators and are in no module */
  double guest_ticks;     /* of ticks, theirs: what sums by module do not count here */
  uint32_t delegated;     /* operators that run in a delegate */
  uint32_t delegate;      /* index into delegates: the first that occurs; ETR_NONE if none */
  bool several_delegates; /* and others than that */
  bool timed;             /* at least one node was */
  bool estimated;         /* part of ticks is estimated */
} etr_dot_sum;

/** A box: one node, a run of nodes that are not in the top, or a closed scope. */
typedef struct etr_dot_box {
  uint32_t node;    /* the first; ETR_NONE: a closed scope */
  uint32_t scope;   /* innermost scope of the node, or the closed scope; ETR_NONE: on top */
  uint32_t cluster; /* scope in whose cluster it is drawn; ETR_NONE: on top */
  uint32_t last;    /* the last node of a run; of one node the same as node */
  uint32_t rank;    /* of a node in the top; 0: it is not */
  bool is_context;  /* around the focus or the top: not coloured by time */
  etr_dot_sum sum;
} etr_dot_box;

/** All data that flows from one box into another. */
typedef struct etr_dot_edge {
  uint32_t tail, head; /* indices of boxes */
  uint32_t uses; /* uses of a value that it stands for; 0: no data, but head begins a graph that is nested in tail */
  bool is_next;  /* from one of several blocks that are drawn as one into the next; tail and head may be the same */
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
  etr_dot_choice choice;
  etr_dot_fold fold;
  uint32_t levels;               /* of scopes that are open */
  uint32_t deepest;              /* levels there are */
  const etr_dot_sum *scope_sums; /* one per scope */
  const uint32_t *cluster_of;    /* one per scope: the innermost cluster around or at it, ETR_NONE: on top. Scope s is a
                                    cluster if cluster_of[s] == s */
  const etr_dot_box *boxes;      /* in execution order of what is first in them */
  size_t box_count;
  const etr_dot_edge *edges; /* data flow by tail and head, then into next blocks, then nested graphs */
  size_t edge_count;
  const etr_dot_delegate *delegates; /* by first occurrence */
  size_t delegate_count;
  etr_dot_sum total;
  uint32_t folded; /* operators that are not drawn because a block that is the same is */
  bool has_closed; /* a box stands for a scope */
  double hottest;  /* most ticks of a box that is coloured by time */
} etr_dot_plan;

/** A box that stands for several nodes. */
static inline bool etr_dot_is_run(const etr_dot_box *box) { return box->node != box->last; }

/**
 * options may be NULL. Everything lives in the arena, but the scopes, which are the graph's, are borrowed.
 * Errors: those of etr_dot_choose(), ETR_ERROR_MEMORY (without a message).
 */
etr_status etr_dot_plan_build(etr_dot_plan *out, etr_arena *arena, const etr_profile *profile, const etr_graph *graph,
                              const etr_scopes *scopes, const etr_dot_options *options, etr_error *error);

#endif
