/* SPDX-License-Identifier: BSD-3-Clause
 *
 * regions.h - nodes from regions such as `with torch.no_grad():` and `with torch.autocast():`.
 *
 * torch.export makes such a region the body of an operator higher_order.wrap_with_*. Lowering puts
 * the body's operators into the graph around it, and takes the text that torch.fx generated for the
 * body as their stack trace, and the module of the operator as theirs. The exported program still
 * has the body, with the lines and modules of its nodes. Layer 2.
 */
#ifndef ETR_REGIONS_H
#define ETR_REGIONS_H

#include "inputs/metadata.h"

/** A node of a program that comes from a region. */
typedef struct etr_region_node {
  uint32_t node;            /* its index in the graph */
  etr_region_ancestor from; /* a node of the region's body in the exported program */
} etr_region_node;

/** The nodes of one program that come from regions, and what is changed if they get lines and
 * modules. */
typedef struct etr_region_nodes {
  etr_vec(etr_region_node) list;
  etr_node *nodes; /* of the graph */
  etr_module_tree modules;
} etr_region_nodes;

/**
 * Gives each node of a graph that comes from a region the module of its ancestor in the exported
 * program, and its source and frames where it has only frames of generated code. An ancestor counts
 * if it is the only operator of its name in all regions of the exported program, and has the
 * recorded target; other nodes stay as they are. Returns false when out of memory.
 */
bool etr_regions_resolve(etr_graph *graph, etr_region_nodes *regions, const etr_graph *exported,
                         etr_map *strings);

#endif
