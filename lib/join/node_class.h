/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_class.h - which operator of XNNPACK a node of the graph would become. Layer 3.
 */
#ifndef ETR_NODE_CLASS_H
#define ETR_NODE_CLASS_H

#include "etrecord.h"
#include "xnnpack.h"

/** As etr_xnn_class_of_operator(), with convolutions told apart by the shape of their weights. */
etr_xnn_class etr_node_class(const etr_graph *graph, const etr_node *node);

/** How many elements the node's first output has; 0: not known, or not the same each time. */
uint64_t etr_node_elements(const etr_node *node);

/** Whether XNNPACK runs operators of this class for themselves in any case: others may be fused, or vanish. */
bool etr_class_always_runs(etr_xnn_class class_);

#endif
