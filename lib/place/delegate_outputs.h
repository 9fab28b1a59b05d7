/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_outputs.h - what the calls of delegates return: the results of their nodes that are used outside of them.
 * Layer 3.
 *
 * A lowered module returns them in the order of its nodes (torch/fx/passes/utils/fuser_utils.py), which is that of the
 * delegate's handle list. The runtime logs a call's arguments without telling inputs from outputs; outputs stand last.
 */
#ifndef ETR_DELEGATE_OUTPUTS_H
#define ETR_DELEGATE_OUTPUTS_H

#include "method/uses.h"
#include "place/placement.h"

/** One result of a node. */
typedef struct etr_node_output {
  uint32_t node, output;
} etr_node_output;

/** The results of a method's nodes that leave the delegates, by delegate. */
typedef struct etr_delegate_outputs {
  const etr_placement *placement;
  const bool *leaves;  /* per result of the graph, node by node: whether something outside of its delegate uses it */
  const size_t *first; /* per node: number of its first result */
} etr_delegate_outputs;

/** Finds what leaves. Without a graph nothing does. False: out of memory. */
bool etr_delegate_outputs_find(etr_delegate_outputs *out, const etr_placement *placement, etr_arena *arena);

/** What a delegate returns, in order. NULL without any, or when out of memory, which shows on the arena. */
const etr_node_output *etr_outputs_of_delegate(const etr_delegate_outputs *outputs, int32_t instruction_id,
                                               size_t *count, etr_arena *arena);

/** Starts listing what instructions use (uses.h), with the number of results of delegates that nothing looks into.
 * False: out of memory. */
bool etr_uses_of_placement(etr_uses *uses, const etr_placement *placement, etr_arena *arena);

/** Whether a logged tensor may be this result: neither number type nor shape contradicts. What is symbolic, or not
 * known, does not. */
bool etr_value_may_be(const etr_debug_value *value, const etr_value *result);

#endif
