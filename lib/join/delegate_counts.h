/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_counts.h - how many operators of each class a delegate of XNNPACK can run: what tells apart methods that
 * look alike from outside. Layer 3.
 */
#ifndef ETR_DELEGATE_COUNTS_H
#define ETR_DELEGATE_COUNTS_H

#include "join.h"
#include "xnnpack.h"

/** By class as etr_counted_class() gives it. */
typedef struct etr_delegate_counts {
  uint32_t least[ETR_XNN_CLASSES], most[ETR_XNN_CLASSES]; /* they differ where other delegates share a handle */
} etr_delegate_counts;

/** The nodes of one handle and class. */
typedef struct etr_handle_class {
  uint32_t handle;
  etr_xnn_class class_; /* as etr_counted_class() gives it */
  uint32_t nodes, sure; /* all, and those that run for themselves: a batch norm mostly becomes part of another */
} etr_handle_class;

/** The operators of a graph, by handle, then class. */
typedef struct etr_handle_classes {
  etr_handle_class *list;
  size_t count;
} etr_handle_classes;

/** Kinds of convolution, which the runtime names by shape, count as one class, x * x as a product; others as they are. */
etr_xnn_class etr_counted_class(etr_xnn_class class_);

/**
 * Whether XNNPACK runs as many operators of a class as there are, at most: of others it makes more (a clamp of an
 * activation) or fewer (one lookup of several unary operators), or they are inserted and dropped.
 */
bool etr_class_is_countable(etr_xnn_class class_);

/** Counts the operators of a graph, which may be NULL. False: out of memory. */
bool etr_handle_classes_of(etr_handle_classes *out, etr_arena *arena, const etr_graph *graph);

/** Counts by the payload in the .pte. False, *out zeroed: it is none of XNNPACK, or out of memory. */
bool etr_delegate_counts_of_payload(etr_delegate_counts *out, etr_slice payload);

/** Counts by the nodes of the delegate's handles. False, *out zeroed: they are not known, or out of memory. */
bool etr_delegate_counts_of_nodes(etr_delegate_counts *out, const etr_handle_classes *nodes,
                                  const etr_map_instruction *map, etr_arena *scratch);

#endif
