/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_graph.h - a graph as TensorFlow's GraphDef. Layer 5.
 */
#ifndef ETR_TB_GRAPH_H
#define ETR_TB_GRAPH_H

#include "tensorboard/pack.h"
#include "tensorboard/tb_view.h"

/** Packs the GraphDef in front of what is packed, node by node; there is never a tree of all of them. A failed
 * allocation is that of the packer's arena. */
void etr_tb_graph_pack(etr_packer *out, const etr_tb_view *view);

#endif
