/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_view.h - what a graph's event file says more than once, worked out once: names, devices, shapes. Layer 5.
 */
#ifndef ETR_TB_VIEW_H
#define ETR_TB_VIEW_H

#include "etrecord_tb.h"
#include "scope.h"

/** What is said of the shape of an output, or of many that are alike. */
typedef struct etr_tb_shape {
  etr_slice packed; /* a TensorShapeProto */
  etr_slice label;  /* "f32[1,16,64]", clean as tb_text.h has it */
} etr_tb_shape;

typedef struct etr_tb_view {
  etr_arena *arena;
  const etr_profile *profile;
  const etr_graph *graph;
  etr_scopes scopes;
  const char **names;   /* of each node */
  const char **devices; /* "/device:XNNPACK:0" */
  uint32_t device_count;
  uint32_t *device_of_node;    /* index into devices; ETR_NONE: not known, or not run at all */
  size_t *first_value;         /* of each node: its first output in shapes */
  const etr_tb_shape **shapes; /* of each output */
} etr_tb_view;

/** Works it out; everything lives in the arena, but the scopes, which are the graph's, are borrowed. Errors: ETR_ERROR_MEMORY. */
etr_status etr_tb_view_build(etr_tb_view *out, etr_arena *arena, const etr_profile *profile, const etr_graph *graph, const etr_scopes *scopes);

/** The backend that a node runs in, or was lowered to; NULL if it is a kernel or nothing is known. */
const char *etr_tb_backend(const etr_graph *graph, size_t node);

/** The node's time; NULL if it has none, or never ran. */
static inline const etr_node_time *etr_tb_time(const etr_graph *graph, size_t node) {
  return graph->times && graph->times[node].runs > 0 ? &graph->times[node] : NULL;
}

#endif
