/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_outputs.h - lists what delegate calls return: results of their nodes that are used
 * outside the delegate. Layer 3.
 *
 * A lowered module returns them in the order of its nodes (torch/fx/passes/utils/fuser_utils.py),
 * which is the order of the delegate's handle list. The runtime logs the arguments of a call
 * without distinguishing inputs from outputs; outputs come last.
 */
#ifndef ETR_DELEGATE_OUTPUTS_H
#define ETR_DELEGATE_OUTPUTS_H

#include "inputs/uses.h"
#include "join/placement.h"

/** One result of a node. */
typedef struct etr_node_output {
  uint32_t node, output;
} etr_node_output;

/** The results of a method's nodes that leave the delegates, by delegate. */
typedef struct etr_delegate_outputs {
  const etr_placement *placement;
  const bool
      *leaves; /* per result of the graph, node by node: something outside its delegate uses it */
  const size_t *first; /* per node: index of its first result in `leaves` */
} etr_delegate_outputs;

/** Finds the results that leave their delegates; there are none without a graph. Returns false when
 * out of memory. */
bool etr_delegate_outputs_find(etr_delegate_outputs *out, const etr_placement *placement,
                               etr_arena *arena);

/** Returns what a delegate returns, in order, in the arena. Returns NULL if it returns nothing, or
 * when out of memory, which etr_arena_failed() reports. */
const etr_node_output *etr_outputs_of_delegate(const etr_delegate_outputs *outputs,
                                               int32_t instruction_id, size_t *count,
                                               etr_arena *arena);

/** Initializes the listing of what instructions use (uses.h) with the number of results of opaque
 * delegates. Returns false when out of memory. */
bool etr_uses_of_placement(etr_uses *uses, const etr_placement *placement, etr_arena *arena);

#endif
