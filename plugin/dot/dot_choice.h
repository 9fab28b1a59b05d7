/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_choice.h - which nodes a picture is about: those of a module in focus, those that take most time. Layer 5.
 */
#ifndef ETR_DOT_CHOICE_H
#define ETR_DOT_CHOICE_H

#include "base/arena.h"
#include "etrecord_tb.h"

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

#endif
