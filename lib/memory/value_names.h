/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_names.h - what the graph calls the values of a program. Layer 3.
 */
#ifndef ETR_VALUE_NAMES_H
#define ETR_VALUE_NAMES_H

#include "place/placement.h"

/** What is known of one value. */
typedef struct etr_value_name {
  const char *name; /* of the result, or of the weight; NULL: not known */
  uint32_t node;    /* of the Edge graph: what computes it; of inputs and weights, theirs; ETR_NONE: not known */
  bool is_computed; /* by that node */
} etr_value_name;

/** Names a program's values: results of kernels and delegates whose nodes are known, inputs, and the weights that those
 * kernels read. One entry for each value, in the arena; NULL when out of memory. */
const etr_value_name *etr_value_names_make(const etr_placement *placement, etr_arena *arena, etr_arena *scratch);

#endif
