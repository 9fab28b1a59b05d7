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

/** Finds or adds the child of a module, an index in `tree`, that a module of another tree with the
 * same strings is, and returns its index; 0 when out of memory. */
uint32_t etr_module_tree_add_child(etr_module_tree *tree, etr_map *strings, uint32_t parent,
                                   const etr_module *module);

/** Returns the name of the ancestor with this graph id in a from_node text; NULL if there is none.
 * The text is JSON: a list of {name, graph_id, from_node: [...]}, nested towards the oldest
 * ancestor. The name is interned in `strings`. */
const char *etr_ancestor_in_graph(etr_map *strings, etr_slice from_node, int64_t graph_id);

/** Returns the name of the oldest ancestor in a from_node text; NULL if it names none. It is used
 * for bodies of cond, map, ..., whose graph ids are not recorded. */
const char *etr_oldest_ancestor(etr_map *strings, etr_slice from_node);

/** How the target of an operator that wraps a region begins in a from_node text:
 * "wrap_with_autocast", "wrap_with_set_grad_enabled". */
#define ETR_REGION_TARGET "wrap_with_"

/** A node in the body of a region: see regions.h. */
typedef struct etr_region_ancestor {
  const char *name;   /* NULL: there is none */
  const char *target; /* "aten.matmul.default"; NULL if it is not recorded */
} etr_region_ancestor;

/** Returns the ancestor in a from_node text that was in a region of the graph with this id: the one
 * right before the operator that wraps the region, the innermost of several. Its texts are interned
 * in `strings`. */
etr_region_ancestor etr_ancestor_in_region(etr_map *strings, etr_slice from_node, int64_t graph_id);

/** Returns whether a from_node text, escaped or not, may name an operator that wraps a region. */
bool etr_may_be_in_region(etr_slice from_node);

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
