/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_graph.h - a graph as TensorFlow's GraphDef. Layer 5.
 */
#ifndef ETR_TB_GRAPH_H
#define ETR_TB_GRAPH_H

#include "pieces.h"
#include "tb_view.h"

/** Appends the packed GraphDef, one node behind the other; there is never a tree of all of them. */
void etr_tb_graph_pack(etr_pieces *out, const etr_tb_view *view);

#endif
