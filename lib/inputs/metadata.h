/* SPDX-License-Identifier: BSD-3-Clause
 *
 * metadata.h - the texts that torch.export keeps on a node, except for stack_trace:
 * nn_module_stack, from_node. Layer 2.
 */
#ifndef ETR_METADATA_H
#define ETR_METADATA_H

#include "base/arena.h"
#include "inputs/text_cache.h"

/** The tree of modules of one graph while it is read. */
typedef struct etr_module_tree {
  etr_vec(etr_module) list; /* [0] is the root */
  etr_map by_child;         /* parent, and interned text of path and type -> module */
} etr_module_tree;

/** Makes a tree that contains only its root, the model itself, which has the index 0. Returns false
 * when out of memory. */
bool etr_module_tree_init(etr_module_tree *tree, etr_arena *arena);

/**
 * Returns the innermost module of an nn_module_stack text, and adds it to the tree if it is new.
 * The text is "KEY,PATH,TYPE" for each level, joined by ';', outermost first. A level whose path is
 * empty is the root. Strings are interned in `strings`. Returns 0 (the root) for a text that cannot
 * be read.
 */
uint32_t etr_module_tree_add(etr_module_tree *tree, etr_map *strings, etr_slice stack);

/** Returns the name of the ancestor with this graph id in a from_node text; NULL if there is none.
 * The text is JSON: a list of {name, graph_id, from_node: [...]}, nested towards the oldest
 * ancestor. The name is interned in `strings`. */
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

/* ---- Types and sizes of tensors ---- */

/** The tensors of one program while it is read. Many are equal, so each text is read once. */
typedef struct etr_tensor_metas {
  etr_map *strings; /* interns texts; sizes live in its arena */
  etr_arena *scratch;
  etr_text_cache known; /* numbers `values` */
  etr_vec(etr_value) values;
} etr_tensor_metas;

void etr_tensor_metas_init(etr_tensor_metas *metas, etr_map *strings, etr_arena *scratch);

/** Reads one value of tensor_values, {dtype, sizes, ...}, into dtype, dims and rank of *meta; its
 * name stays. Failures show on the reader or on the arenas. */
void etr_tensor_metas_read(etr_tensor_metas *metas, etr_value *meta, etr_json *json);

/**
 * Reads a size, or another symbolic number: {as_int} or {as_expr}. The caller sets the size of *dim
 * to ETR_DIM_SYMBOLIC, which stays if the file has no number. The symbol is interned in `strings`.
 */
void etr_dim_read(etr_dim *dim, etr_map *strings, etr_json *json);

#endif
