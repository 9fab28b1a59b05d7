/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_plan.h - decides what a picture of a graph shows: which boxes, in which clusters, with which
 * times, edges and texts. Layer 4.
 *
 * Weights are not drawn. Scopes are opened down to a level: an open scope is a cluster, a closed
 * one a single box. A scope with one node is neither, because it would only be a frame around that
 * node; the node is drawn in the enclosing cluster.
 *
 * If blocks are folded, the block that is drawn has the time of all of them. Its nodes are counted
 * once.
 *
 * With a module in focus, scopes around it are open, scopes without any of its nodes are closed,
 * and levels count from the module. With a top, only scopes that contain one of its nodes are open;
 * other operators in them are drawn as one box for each sequence of consecutive ones.
 */
#ifndef ETR_DOT_PLAN_H
#define ETR_DOT_PLAN_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "views/accuracy_view.h"
#include "views/scope.h"

/* ---- The nodes of a picture: the nodes of a module in focus, and the nodes that take most time
 * ---- */

typedef struct etr_dot_choice {
  const char *focus; /* module in focus; NULL: none, all nodes are in focus */
  bool *focused;     /* one per node */
  bool *drawn; /* one per node: in focus, or an operator or input next to one that is. Weights never
                  are */
  uint32_t *rank;   /* one per node: 1 for the node that takes most time; 0: not among the top */
  size_t top;       /* number of nodes that have a rank; 0: no top was requested */
  double top_ticks; /* ticks of these nodes, per inference */
} etr_dot_choice;

/**
 * Chooses the nodes. Everything is in the arena. options may be NULL.
 * Errors: ETR_ERROR_CHOICE (no node is in the module in focus, or no node was timed to choose the
 * top from), ETR_ERROR_MEMORY.
 */
etr_status etr_dot_choose(etr_dot_choice *out, etr_arena *arena, const etr_profile *profile,
                          const etr_graph *graph, const etr_dot_options *options, etr_error *error);

/** Returns the lowered module that a nested graph is, or is in; ETR_NONE if there is none. A
 * parent's index is smaller than its child's. */
uint32_t etr_dot_lowered_around(const etr_graph *graph, uint32_t subgraph);

/* ---- Equal blocks of a model, of which a picture shows one ---- */

/* Blocks are sibling scopes of modules that repeat (etr_module.pattern), and the steps of unrolled
 * loops: at least three sequences of at least three operators that follow each other directly in
 * one scope. Blocks are equal if their nodes are equal, in order: operator, output types and
 * shapes, backend, and inputs, which are nodes in the block, weights (compared by shape) or nodes
 * outside. The first of the equal blocks is drawn for all. */

typedef struct etr_dot_fold {
  const uint32_t *stand_in; /* per node: the node that is drawn for it, mostly itself */
  const uint32_t *alike;    /* per node: number of nodes that it is drawn for, including itself */
  const uint32_t *same_as;  /* per scope: the sibling that is drawn for it, mostly itself */
  const uint32_t *copies; /* per scope: number of siblings that it is drawn for, including itself */
  const uint32_t *last;   /* per scope: the last of these siblings */
  const double *median; /* per scope that is drawn for others: median of their times per inference,
                           by the profile's statistic, in ticks */
} etr_dot_fold;

/** Adds a scope for each step of a loop, finds equal blocks, and removes blocks that are not drawn
 * from the choice. A zeroed fold folds nothing. Returns false when out of memory. */
bool etr_dot_fold_make(etr_dot_fold *out, etr_arena *arena, const etr_profile *profile,
                       const etr_graph *graph, etr_scopes *scopes, etr_dot_choice *choice);

/** Returns true if two nodes, of which one reads the other, are in equal blocks that are siblings:
 * data flows from one block into the next. */
bool etr_dot_fold_is_next(const etr_dot_fold *fold, const etr_scopes *scopes, uint32_t from,
                          uint32_t to);

/** Returns the node that is drawn for a node, which may be itself. */
static inline uint32_t etr_dot_stand_in(const etr_dot_fold *fold, uint32_t node) {
  return fold->stand_in != NULL ? fold->stand_in[node] : node;
}

/** Returns the number of scopes that a picture draws as this one; 1: only itself. */
static inline uint32_t etr_dot_copies(const etr_dot_fold *fold, uint32_t scope) {
  return fold->copies != NULL && scope != ETR_NONE && fold->copies[scope] > 1 ? fold->copies[scope]
                                                                              : 1;
}

/* ---- The plan: boxes, clusters, times and edges ---- */

/** Sums over the nodes of a box or scope. A node that is drawn for others has their time, too. */
typedef struct etr_dot_sum {
  double ticks; /* ticks per inference: average, or the sum of the nodes' medians if medians rank */
  double step;  /* step of the coarsest clock that timed it, in ticks */
  uint32_t drawn;   /* nodes that are drawn, or would be if all scopes were open */
  uint32_t focused; /* nodes of `drawn` that are in focus */
  uint32_t ranked;  /* nodes of the top */
  uint32_t ops;
  uint32_t
      guests; /* quantizers among ops, which are in no module and are drawn with their operators */
  double guest_ticks;         /* ticks of the guests, which sums by module do not count here */
  uint32_t delegated;         /* operators that run in a delegate */
  uint32_t delegate;          /* index into delegates: the first that occurs; ETR_NONE if none */
  bool several_delegates;     /* there are also other delegates */
  bool timed;                 /* at least one node was timed */
  bool estimated;             /* part of ticks is estimated */
  const etr_numeric_gap *gap; /* with the lowest SNR of its nodes; NULL: none was compared */
} etr_dot_sum;

/** A box: one node, a sequence of nodes that are not in the top, or a closed scope. */
typedef struct etr_dot_box {
  uint32_t node;    /* the first; ETR_NONE: a closed scope */
  uint32_t scope;   /* innermost scope of the node, or the closed scope; ETR_NONE: on top */
  uint32_t cluster; /* scope in whose cluster it is drawn; ETR_NONE: on top */
  uint32_t last;    /* the last node of a sequence; `node` if there is one node */
  uint32_t rank;    /* rank of a node in the top; 0: it is not in the top */
  bool is_context;  /* outside the focus or the top, and not colored by time */
  etr_dot_sum sum;
} etr_dot_box;

/** All data that flows from one box into another. */
typedef struct etr_dot_edge {
  uint32_t tail, head; /* indices of boxes */
  uint32_t uses; /* number of uses of values that it represents; 0: head begins a graph that is
                    nested in tail */
  bool is_next;  /* from one of several blocks that are drawn as one into the next */
  bool is_loop;  /* from one pass of a loop into the next: tail is behind head in the program */
} etr_dot_edge;

/** A delegate of the graph: a call to it, or a lowered module if nothing was timed. */
typedef struct etr_dot_delegate {
  const char *backend;
  int32_t instruction; /* -1: not known */
  uint32_t ops;
  double ticks; /* ticks of its nodes, per inference */
} etr_dot_delegate;

typedef struct etr_dot_plan {
  etr_scopes scopes;
  etr_dot_choice choice;
  etr_dot_fold fold;
  uint32_t levels;               /* number of levels of scopes that are open */
  uint32_t deepest;              /* number of levels of the graph */
  const etr_dot_sum *scope_sums; /* one per scope */
  const uint32_t *cluster_of; /* one per scope: the innermost cluster around or at it, ETR_NONE: on
                                 top. Scope s is a cluster if cluster_of[s] == s */
  const etr_dot_box *boxes;   /* in execution order of their first nodes */
  size_t box_count;
  const etr_dot_edge
      *edges; /* data flow by tail and head, then into next blocks and passes, then nested graphs */
  size_t edge_count;
  const etr_dot_delegate *delegates; /* by first occurrence */
  size_t delegate_count;
  etr_dot_sum total;
  uint32_t folded; /* operators that are not drawn because an equal block is drawn */
  bool has_closed; /* some box is a closed scope */
  bool has_loops;  /* some edge goes into the next pass of a loop */
  double hottest;  /* most ticks of a box that is colored by time */
  const etr_node_accuracy *accuracy; /* per node; NULL: no values were compared */
  bool by_accuracy;                  /* boxes are colored by their SNR */
} etr_dot_plan;

/** Returns true if a box is a sequence of several nodes. */
static inline bool etr_dot_is_run(const etr_dot_box *box) {
  return box->node != box->last;
}

/**
 * Plans the picture of a graph. options may be NULL. Everything is in the arena, except the graph's
 * scopes, which are borrowed. Errors: those of etr_dot_choose(), ETR_ERROR_MEMORY (without a
 * message).
 */
etr_status etr_dot_plan_build(etr_dot_plan *out, etr_arena *arena, const etr_profile *profile,
                              const etr_graph *graph, const etr_dot_options *options,
                              etr_error *error);

/* ---- The texts in a picture: labels, tooltips, legend ---- */

/* All texts are escaped, so that no name in a record is read as an escape sequence of DOT, an
 * entity or a tag. Only '"' is left to cgraph, which escapes it. Texts are in the view's arena, and
 * NULL when out of memory. */

/** The subject of the texts. */
typedef struct etr_dot_view {
  const etr_profile *profile;
  const etr_graph *graph;
  const etr_method *method; /* method whose times are on the graph; NULL if there is none */
  const etr_dot_plan *plan;
  etr_arena *arena;
} etr_dot_view;

char *etr_dot_box_label(const etr_dot_view *view, const etr_dot_box *box);
char *etr_dot_box_tooltip(const etr_dot_view *view, const etr_dot_box *box);
char *etr_dot_cluster_label(const etr_dot_view *view, uint32_t scope);
char *etr_dot_scope_tooltip(const etr_dot_view *view, uint32_t scope);

/** Returns the legend, which says what the picture shows and what its colors mean, as an HTML-like
 * label. */
char *etr_dot_legend(const etr_dot_view *view);

/** Returns the position of so many ticks on the ramp of heat.h, from 0 to 1: the square root of
 * their share, so that small times can still be distinguished from none. */
double etr_dot_heat(const etr_dot_plan *plan, double ticks);

/** Returns true if a box has a color of the ramp: it was timed or, if colors are those of
 * accuracy, compared. */
static inline bool etr_dot_is_colored(const etr_dot_plan *plan, const etr_dot_box *box) {
  return plan->by_accuracy ? box->sum.gap != NULL : box->sum.timed && !box->is_context;
}

/* ---- Writing, for callers that already have the scopes of a graph ---- */

/** Writes a graph like etr_emit_dot(), with its errors. scopes: the scopes of the graph, which stay
 * unchanged. Only one thread at a time draws, since Graphviz has global state. */
etr_status etr_dot_write(const etr_profile *profile, size_t graph, const etr_scopes *scopes,
                         const etr_dot_options *options, const etr_sink *sink, etr_error *error);

#endif
