/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_fold.h - blocks of a model that are the same, of which a picture shows one. Layer 4.
 *
 * Blocks are scopes of modules that repeat (etr_module.pattern) beside each other. They are the same if their nodes
 * are, in order: operator, output types and shapes, backend, and what each reads, inside the block, from weights by
 * their shapes, or from outside. The first of them stands for all.
 */
#ifndef ETR_DOT_FOLD_H
#define ETR_DOT_FOLD_H

#include "dot/dot_choice.h"
#include "views/scope.h"

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

#endif
