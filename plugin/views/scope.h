/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scope.h - the hierarchy in which a graph's nodes are shown: a tree of boxes made from modules and
 * nested graphs. Layer 4.
 *
 * TensorBoard's graph tab and DOT's clusters use the same tree, so that a box has the same nodes
 * and the same time in both. The rules come from how the graph tab lays out and colors (few boxes
 * on top, no common root, bounded children per box).
 */
#ifndef ETR_SCOPE_H
#define ETR_SCOPE_H

#include "base/arena.h"

typedef enum etr_scope_kind {
  ETR_SCOPE_MODULE,   /* a module of the model, or a prefix that several share */
  ETR_SCOPE_SUBGRAPH, /* the body of a control-flow operator, or a lowered module */
  ETR_SCOPE_BUCKET,   /* consecutive nodes whose box would be too full, or that have no module */
  ETR_SCOPE_STEP, /* the operators of a step of an unrolled loop; only pictures that fold have them
                   */
} etr_scope_kind;

typedef struct etr_scope {
  const char *label; /* fits into a box, and is unique among siblings: "layers.0", or "layer_2" if
                        the path is longer. It may contain any characters, so each emitter escapes
                        it for its format */
  uint32_t
      parent; /* index of the box around it, which comes earlier in the list; ETR_NONE at the top */
  uint32_t depth; /* 0 at the top */
  etr_scope_kind kind;
  uint32_t module;   /* index into etr_graph.modules; ETR_NONE if the box is not a module */
  uint32_t op_count; /* operators inside, at any depth */
} etr_scope;

typedef struct etr_scopes {
  const etr_scope *list;
  size_t count;
  const uint32_t *of_node; /* per node: its scope, or ETR_NONE at the top. A weight is in the scope
                              of its first consumer */
  const bool *is_guest; /* per node: a quantizer, which has no module and is shown in the box of its
                           operator; sums by module do not count it there */
} etr_scopes;

/** Returns the name of a scope for people and options: the full path of its module, or else its
 * label. */
static inline const char *etr_scope_name(const etr_scope *scope, const etr_graph *graph) {
  return scope->module == ETR_NONE ? scope->label : graph->modules[scope->module].path;
}

/**
 * Builds the tree of a graph; everything lives in the arena.
 *   - A node's scope is its chain of modules in nn_module_stack; list containers join their member
 * ("layers.0").
 *   - Nodes of nested graphs are in a scope of that nested graph below their owner's scope.
 *   - A common root, and a box on top that holds most of the operators, is dissolved while the top
 * stays within 30 boxes; not one of several alike ("stages.2"), nor beside others one without boxes
 * whose nodes would fill the top, such as a loop that is unrolled.
 *   - A label is the path below the box around it, or, where that is long, the end that
 * distinguishes siblings: "layers.0", "layer_2".
 *   - Quantizers and dequantizers, which have no module, are put with the operator before them or
 * the module after them.
 *   - More than 32 children on top, or more than 100 in a box, are put in buckets ("layers.0-15";
 * by execution order where names do not help). Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_scopes_build(etr_scopes *out, etr_arena *arena, const etr_graph *graph);

/** Builds the tree as etr_scopes_build() does, but without buckets, so that siblings that repeat
 * remain siblings. Errors: ETR_ERROR_MEMORY. */
etr_status etr_scopes_build_to_fold(etr_scopes *out, etr_arena *arena, const etr_graph *graph);

#endif
