/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_metadata.h - where the nodes of a program come from: source lines, modules, debug handles and ancestors.
 * Layer 2.
 */
#ifndef ETR_NODE_METADATA_H
#define ETR_NODE_METADATA_H

#include "inputs/memo.h"
#include "inputs/metadata.h"

/** What the metadata of one program's nodes says while it is read. */
typedef struct etr_node_metadata {
  etr_map *strings; /* interns texts; sources and modules live in its arena, too */
  etr_arena *scratch;
  int64_t graph_id; /* of the graph that ancestors are looked for in; 0: in none */
  const char *escaped_graph_id;
  etr_module_tree modules;
  etr_map traces, stacks; /* memos of: */
  etr_vec(const etr_source *) sources;
  etr_vec(uint32_t) innermost;
} etr_node_metadata;

/** No node read yet; false when out of memory. */
bool etr_node_metadata_init(etr_node_metadata *metadata, etr_map *strings, etr_arena *scratch, int64_t graph_id);

/**
 * Reads {stack_trace, nn_module_stack, debug_handle, from_node, ...} into source, module, debug_handle and aten_node of
 * a node. in_body: the node is in the body of a cond, map, ..., whose graph ids are not known: its oldest ancestor
 * counts then. Failures are the reader's and the arenas'.
 */
void etr_node_metadata_read(etr_node_metadata *metadata, etr_node *node, bool in_body, etr_json *json);

#endif
