/* SPDX-License-Identifier: BSD-3-Clause
 *
 * groups.h - a method's time as rows that add up to Method::execute: operators of one kind in
 * repeated modules, and a row for each other part. Layer 4.
 */
#ifndef ETR_GROUPS_H
#define ETR_GROUPS_H

#include "base/arena.h"
#include "base/writer.h"
#include "etrecord_tb.h"

/** Time slices that are one row: operators on nodes by pattern, operator, type and backend; kernels
 * on no node and inserted copies by name; other parts by backend, and phases by phase. Times are
 * without interruptions, which are a row of their own. */
typedef struct etr_group {
  etr_time_part part;    /* ETR_TIME_UNEXPLAINED of the row of interruptions */
  bool is_interruptions; /* what interruptions added to all other rows */
  etr_phase phase;       /* of ETR_TIME_DELEGATE_PHASES */
  const char *pattern;   /* pattern of the module, "" for the top level; NULL: it is on no node */
  const char *op;        /* "aten.linear.default"; of what is on no node the kernel's name; NULL for
                            parts that are no operators */
  const char *dtype;     /* type of the weight, or else of the first output; "int8" or "8da4w" where
                            the kernel computes so; NULL: not known */
  const char *backend;   /* NULL: the CPU, or the runtime */
  uint32_t number;       /* of the row, see etr_groups.row_of_node */
  bool has_weight;       /* an operator that reads a weight: a layer */
  double between;        /* the part of the typical time that kernels took between two calls of
                            delegates */
  size_t count;     /* nodes, distinct events, or delegates; 0 for the runtime and interruptions */
  etr_stats stats;  /* over the runs in which any of it ran, as recorded; but the typical time is
                       without interruptions. Typical times add up. */
  double largest;   /* typical time of what takes most among what it counts */
  double estimated; /* the part of the typical time of which the node or the time is an estimate */
  double interrupted; /* what interruptions added to the typical time as it was recorded:
                         see etr_method.interruptions. It is not in stats.typical. */
  double hidden; /* the part of the typical time that may be of operators, because a clock counts
                    whole microseconds, or of logging values */
} etr_group;

/** The rows, the longest typical time first. */
typedef struct etr_groups {
  const etr_group *list;
  size_t count;
  const uint32_t *row_of_node; /* per node of the method's graph: etr_group.number of its row;
                                  ETR_NONE if it has no time. NULL without a graph */
  double whole;                /* typical time of Method::execute, in ticks: the sum of the rows,
                                  unless some nodes were chosen */
  double interrupted;          /* the part of it in which something else ran: of the row of
                                  interruptions */
} etr_groups;

/** Makes the rows of a method; none if it has no runs. chosen: a flag for each node of the method's
 * graph: only these nodes have rows, which then add up to their time; NULL: everything has a row.
 * Returns false when out of memory. */
bool etr_groups_make(etr_groups *out, etr_arena *arena, const etr_profile *profile,
                     const etr_method *method, const bool *chosen);

/** Returns true if a sum of `ticks`, of which `estimated` are, is marked as estimated: if at least
 * 1 % of it is. */
static inline bool etr_is_estimated(double estimated, double ticks) {
  return estimated > 0 && estimated >= 0.01 * ticks;
}

/** Returns true for an operator that multiplies its input by a weight: a linear layer. On nodes the
 * operator decides (addmm and mm with a weight), in other parts the name of the backend's kernel.
 */
bool etr_group_is_linear(const etr_group *group);

/** Returns true for a convolution: on nodes by its operator, in other parts by the name of the
 * backend's kernel. */
bool etr_group_is_convolution(const etr_group *group);

#endif
