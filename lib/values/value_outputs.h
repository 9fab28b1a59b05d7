/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_outputs.h - which of a node's outputs each logged value is. Layer 3.
 */
#ifndef ETR_VALUE_OUTPUTS_H
#define ETR_VALUE_OUTPUTS_H

#include "place/placement.h"

/**
 * Fills `output` of values that have a node. Of the arguments of a delegate's call, those that it returns get their
 * node as well, and are no arguments any more, unless the delegate logged what its operators compute: then the call
 * repeats some of that. Values stand run by run, in the order in which they were logged. False: out of memory.
 */
bool etr_value_outputs_tell(etr_debug_value *values, size_t count, const etr_placement *placements,
                            size_t method_count);

#endif
