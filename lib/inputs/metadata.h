/* SPDX-License-Identifier: BSD-3-Clause
 *
 * metadata.h - the texts that torch.export keeps on a node, except for stack_trace:
 * nn_module_stack, from_node. Layer 2.
 */
#ifndef ETR_METADATA_H
#define ETR_METADATA_H

#include "base/arena.h"

/** The tree of modules of one graph while it is read. */
typedef struct etr_module_tree {
  etr_vec(etr_module) list; /* [0] is the root */
  etr_map by_child;         /* parent, and interned text of path and type -> module */
} etr_module_tree;

/** Makes a tree that contains only its root. Returns false when out of memory. */
bool etr_module_tree_init(etr_module_tree *tree, etr_arena *arena);

/**
 * Returns the innermost module of an nn_module_stack text, and adds it to the tree if it is new.
 * The text is "KEY,PATH,TYPE" for each level, joined by ';', outermost first. A level whose path is
 * empty is the root. Strings are interned in `strings`. Returns 0 (the root) for a text that cannot
 * be read.
 */
uint32_t etr_module_tree_add(etr_module_tree *tree, etr_map *strings, etr_slice stack);

/**
 * Returns the name of the ancestor with this graph id in a from_node text; empty if there is none.
 * The text is JSON: a list of {name, graph_id, from_node: [...]}, nested towards the oldest
 * ancestor. The name is interned in `strings`.
 */
const char *etr_ancestor_in_graph(etr_map *strings, etr_slice from_node, int64_t graph_id);

/** Returns the name of the oldest ancestor in a from_node text; NULL if it names none. It is used
 * for bodies of cond, map, ..., whose graph ids are not recorded. */
const char *etr_oldest_ancestor(etr_map *strings, etr_slice from_node);

/** Returns a graph id as it is written in a text with escaped quotes; NULL when out of memory. */
const char *etr_escaped_graph_id(etr_arena *arena, int64_t graph_id);

/**
 * Does what etr_ancestor_in_graph() does, but on the text as it is written in the document, with
 * escaped quotes. This is fast: from_node takes half of a document, and only one name in it is
 * needed. Returns false if the text does not look like Python writes it; it must then be decoded.
 */
bool etr_ancestor_in_escaped(const char **name, etr_map *strings, etr_slice escaped,
                             const char *escaped_graph_id);

#endif
