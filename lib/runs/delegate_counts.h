/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_counts.h - how many operators of each class a delegate can run: what tells apart methods that look alike
 * from outside. Layer 3.
 */
#ifndef ETR_DELEGATE_COUNTS_H
#define ETR_DELEGATE_COUNTS_H

#include "method/method.h"

/** By class of the backend. */
typedef struct etr_delegate_counts {
  uint32_t least[ETR_MOST_CLASSES], most[ETR_MOST_CLASSES]; /* they differ where other delegates share a handle */
} etr_delegate_counts;

/** The nodes of one handle and class. */
typedef struct etr_handle_class {
  uint32_t handle;
  uint16_t class_;
  uint32_t nodes, sure; /* all, and those that run for themselves: others may become part of another */
} etr_handle_class;

/** The operators of a graph, by handle, then class. */
typedef struct etr_handle_classes {
  etr_handle_class *list;
  size_t count;
} etr_handle_classes;

/** Counts the operators of a graph, which may be NULL, as may the backend. False: out of memory. */
bool etr_handle_classes_of(etr_handle_classes *out, etr_arena *arena, const etr_backend *backend,
                           const etr_graph *graph);

/** Counts by the payload in the .pte. False, *out zeroed: there is none that the backend can read (NULL). */
bool etr_delegate_counts_of_payload(etr_delegate_counts *out, const etr_payload *payload);

/** Counts by the nodes of the delegate's handles. False, *out zeroed: they are not known, or out of memory. */
bool etr_delegate_counts_of_nodes(etr_delegate_counts *out, const etr_handle_classes *nodes,
                                  const etr_map_instruction *map, etr_arena *scratch);

#endif
