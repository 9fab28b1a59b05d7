/* SPDX-License-Identifier: BSD-3-Clause
 *
 * static_costs.h - what a graph computes and moves, by module, whether it ran or not. Layer 4.
 */
#ifndef ETR_STATIC_COSTS_H
#define ETR_STATIC_COSTS_H

#include "base/arena.h"
#include "views/cost_figures.h"

typedef struct etr_static_cost {
  const char *method;
  const char *module;    /* path; "" is the model itself, with all there is */
  uint32_t level;        /* 0: the model itself */
  uint64_t operators;    /* with those of all modules below, as the figures */
  etr_cost_figures cost; /* of one call of each node: bodies of loops and branches count once */
} etr_static_cost;

/** The modules of a graph that have operators, in the order of its modules, parents first: the first is the model
 * itself. NULL when out of memory. */
const etr_static_cost *etr_static_costs_make(size_t *count, etr_arena *arena, const etr_profile *profile,
                                             const etr_graph *graph);

#endif
