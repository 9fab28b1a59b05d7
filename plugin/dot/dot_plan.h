/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_plan.h - decides what a picture of a graph shows: which boxes, in which clusters, with which times, edges and
 * texts. Layer 4.
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

#include "base/arena.h"
#include "etrecord_tb.h"
#include "views/scope.h"

/* ---- Which nodes a picture is about: those of a module in focus, those that take most time ---- */

typedef struct etr_dot_choice {
  const char *focus; /* module in focus; NULL: none, all nodes are in focus */
  bool *focused;     /* one per node */
  bool *drawn;       /* one per node: in focus, or an operator or input next to one that is. Weights never are */
  uint32_t *rank;    /* one per node: 1 for the one that takes most time; 0: not among the top */
  size_t top;        /* nodes that have a rank; 0: none was asked for */
  double top_ticks;  /* of these, per inference */
} etr_dot_choice;

/**
 * Everything lives in the arena. options may be NULL.
 * Errors: ETR_ERROR_CHOICE (no node is in the module in focus; nothing was timed to choose the top from),
 * ETR_ERROR_MEMORY.
 */
etr_status etr_dot_choose(etr_dot_choice *out, etr_arena *arena, const etr_profile *profile, const etr_graph *graph,
                          const etr_dot_options *options, etr_error *error);

/** Weights are not drawn. */
bool etr_dot_is_weight(const etr_node *node);

/** The lowered module that a nested graph is or lies in; ETR_NONE if none. A parent's index is smaller than its
 * child's.
 */
uint32_t etr_dot_lowered_around(const etr_graph *graph, uint32_t subgraph);

/* ---- Blocks of a model that are the same, of which a picture shows one ---- */

/* Blocks are scopes of modules that repeat (etr_module.pattern) beside each other. They are the same if their nodes
 * are, in order: operator, output types and shapes, backend, and what each reads, inside the block, from weights by
 * their shapes, or from outside. The first of them stands for all. */

typedef struct etr_dot_fold {
  const uint32_t *stand_in; /* of each node, the one that is drawn for it: mostly itself */
  const uint32_t *alike;    /* of each node, how many it is drawn for, with itself */
  const uint32_t *same_as;  /* of each scope, the sibling that is drawn for it: mostly itself */
  const uint32_t *copies;   /* of each scope, how many siblings it is drawn for, with itself */
  const uint32_t *last;     /* of each scope, the last of these siblings */
  const double *median;     /* of each scope that is drawn for others: of the times of all, per inference */
} etr_dot_fold;

/** Finds the blocks, and takes those that are not drawn out of the choice. A zeroed fold folds nothing. False when out
 * of memory. */
bool etr_dot_fold_make(etr_dot_fold *out, etr_arena *arena, const etr_graph *graph, const etr_scopes *scopes,
                       etr_dot_choice *choice);

/** True if data flows from one block into another one that is the same. */
bool etr_dot_fold_is_next(const etr_dot_fold *fold, const etr_scopes *scopes, uint32_t from, uint32_t to);

/** The node that is drawn for another one, or for itself. */
static inline uint32_t etr_dot_stand_in(const etr_dot_fold *fold, uint32_t node) {
  return fold->stand_in != NULL ? fold->stand_in[node] : node;
}

/** How many of a scope a picture draws as one; 1: only itself. */
static inline uint32_t etr_dot_copies(const etr_dot_fold *fold, uint32_t scope) {
  return fold->copies != NULL && scope != ETR_NONE && fold->copies[scope] > 1 ? fold->copies[scope] : 1;
}

/* ---- Decides what a picture of a graph shows: which boxes, in which clusters, with which times and edges ---- */

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
                              const etr_dot_options *options, etr_error *error);

/* ---- The texts in a picture: labels, tooltips, legend ---- */

/* All are escaped: whatever a record calls its nodes, nothing of it is taken for one of DOT's escape sequences, an
 * entity or a tag. (Only '"' is left for cgraph to escape.) They are in the view's arena, and NULL when out of memory.
 */

/** What the texts are about. */
typedef struct etr_dot_view {
  const etr_profile *profile;
  const etr_graph *graph;
  const etr_method *method; /* whose times are on the graph; NULL if none */
  const etr_dot_plan *plan;
  etr_arena *arena;
} etr_dot_view;

char *etr_dot_box_label(const etr_dot_view *view, const etr_dot_box *box);
char *etr_dot_box_tooltip(const etr_dot_view *view, const etr_dot_box *box);
char *etr_dot_cluster_label(const etr_dot_view *view, uint32_t scope);
char *etr_dot_scope_tooltip(const etr_dot_view *view, uint32_t scope);

/** What the picture shows and what its colours mean, as an HTML-like label. */
char *etr_dot_legend(const etr_dot_view *view);

/** Share of the ramp of heat.h that stands for so many ticks; its square root, so that small times can still be told
 * from none. */
double etr_dot_heat(const etr_dot_plan *plan, double ticks);

#endif
