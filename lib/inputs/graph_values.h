/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph_values.h - numbers the values of a graph, and finds which of them are the same data.
 * Layer 2.
 */
#ifndef ETR_GRAPH_VALUES_H
#define ETR_GRAPH_VALUES_H

#include "base/arena.h"

/** Returns whether the node computes a tensor, not a symbolic number. */
bool etr_has_tensor(const etr_node *node);

/** Returns whether a logged tensor can be this result: number type and shape agree. Symbolic or
 * unknown sizes agree with any. */
bool etr_value_may_be(const etr_debug_value *value, const etr_value *result);

/** The values of a graph, numbered node by node, output by output. */
typedef struct etr_graph_values {
  const etr_graph *graph;
  uint32_t *first;  /* per node: number of its first output */
  uint32_t *same;   /* per value: the value that it is a view or a copy of, or itself */
  uint32_t *source; /* per value: as `same`, but also followed through operators that lowerings fuse
                       into its producer (quantization, batch norms, activations, transposes) */
  bool *constant;   /* per value: its source is a weight */
  uint32_t count;
} etr_graph_values;

/** Numbers the values of a graph, which are the outputs of its nodes, node by node, and finds which
 * of them is a view of which other (`same`), or is fused with it (`source`). All arrays are in the
 * arena. Returns false when out of memory. */
bool etr_graph_values_find(etr_graph_values *out, const etr_graph *graph, etr_arena *arena);

/** Returns the number of the value that an edge uses. */
static inline uint32_t etr_value_of_edge(const etr_graph_values *values, const etr_edge *edge) {
  return values->first[edge->node] + edge->output;
}

#endif
