/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_names.h - names of nodes for TensorBoard's graph tab, which makes its hierarchy from them: '/' separates the boxes. Layer 5.
 */
#ifndef ETR_TB_NAMES_H
#define ETR_TB_NAMES_H

#include "scope.h"

/**
 * One name for each node of the graph, in the arena; NULL when out of memory.
 *   - "layers.0/attn/softmax": the boxes of scope.h, then the operator; repeated ones are "add", "add_1_", "add_2_".
 *   - A module with nothing but one operator in it is no box: the operator is called like it, "layers.0/fc1", or "0_relu" if that is but a number.
 *   - A weight is "NAME/weight" with the name of the first node that uses it.
 *   - Names are unique, printable ASCII, and none is a box as well as a node.
 *   - No five siblings end in consecutive numbers only: the page would stack them.
 */
const char **etr_tb_names(etr_arena *arena, const etr_graph *graph, const etr_scopes *scopes);

#endif
