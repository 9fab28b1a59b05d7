/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_run.h - which graphs a run of TensorBoard has. Layer 5.
 */
#ifndef ETR_TB_RUN_H
#define ETR_TB_RUN_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "views/scope.h"

/** The graphs of a run. GRAPHS opens with one of them, which has the statistics; the others are
 * values of the run. */
typedef struct etr_tb_run {
  size_t graph;   /* in etr_profile.graphs; ETR_NONE: there is no graph */
  size_t *others; /* in the order of the profile */
  size_t other_count;
  etr_scopes *scopes; /* by graph, of those that are chosen */
} etr_tb_run;

/** Returns true if the module of a graph is in a list of modules, "edge,aten". NULL stands for all
 * modules. */
bool etr_tb_is_chosen_graph(const char *modules, const etr_graph *graph);

/** Chooses the graphs of the run of a record, and builds their scopes in the arena. It opens with
 * the graph of the method that takes longest or, if that is not chosen, with the first one that has
 * operators. Errors: ETR_ERROR_MEMORY. */
etr_status etr_tb_run_make(etr_tb_run *out, etr_arena *arena, const etr_profile *profile,
                           const char *modules);

/** Returns true if there is anything to draw: the method of a program may only move values. */
bool etr_tb_has_operators(const etr_graph *graph);

#endif
