/* SPDX-License-Identifier: BSD-3-Clause
 *
 * metadata.h - the texts that torch.export keeps on a node: stack_trace, nn_module_stack, from_node. Layer 2.
 */
#ifndef ETR_METADATA_H
#define ETR_METADATA_H

#include "base/arena.h"

/** The tree of modules of one graph while it is being read. */
typedef struct etr_module_tree {
  etr_vec(etr_module) list; /* [0] is the root */
  etr_map by_child;         /* parent, and interned text of path and type -> module */
} etr_module_tree;

/** An empty tree with its root; false when out of memory. */
bool etr_module_tree_init(etr_module_tree *tree, etr_arena *arena);

/**
 * The innermost module of an nn_module_stack text, "KEY,PATH,TYPE" joined by ';', outermost first; added to the tree if
 * it is new. A level whose path is empty is the root. Strings are interned in `strings`. Gives 0 (the root) for a text
 * that cannot be read.
 */
uint32_t etr_module_tree_add(etr_module_tree *tree, etr_map *strings, etr_slice stack);

/** Sets the patterns of a tree that is complete. Failures are the arenas'. */
void etr_module_tree_fold(etr_module_tree *tree, etr_map *strings, etr_arena *scratch);

/** A line of a traceback that names a place: `File "PATH", line N, in FUNCTION`. */
typedef struct etr_frame {
  etr_slice file, function; /* no function: data is NULL */
  int64_t line;
} etr_frame;

/** Reads such a line, which may be indented. False if it is none. */
bool etr_frame_read(etr_frame *out, etr_slice line);

/** True of torch's own files (site-packages/torch/) and of generated code such as <eval_with_key>. */
bool etr_is_torch_file(etr_slice file);

/**
 * The innermost frame of a Python traceback text whose file is not torch's. NULL if there is none.
 */
const etr_source *etr_source_of_trace(etr_arena *arena, etr_map *strings, etr_slice trace);

/**
 * Name of the ancestor that a from_node text names under the graph id; empty if there is none. The text is JSON: a list
 * of {name, graph_id, from_node: [...]}, nested towards the oldest ancestor. The name is interned in `strings`.
 */
const char *etr_ancestor_in_graph(etr_map *strings, etr_slice from_node, int64_t graph_id);

/** Name of the oldest ancestor in such a text; NULL if it names none. The ids of bodies of cond, map, ... nothing
 * tells. */
const char *etr_oldest_ancestor(etr_map *strings, etr_slice from_node);

/** A graph id as it stands in a text with every quote escaped; NULL when out of memory. */
const char *etr_escaped_graph_id(etr_arena *arena, int64_t graph_id);

/**
 * etr_ancestor_in_graph() from the text as it stands in the document, every quote escaped: from_node is half of a
 * document, and what is wanted one name in it. False if it does not look as Python writes it; then it has to be read.
 */
bool etr_ancestor_in_escaped(const char **name, etr_map *strings, etr_slice escaped, const char *escaped_graph_id);

#endif
