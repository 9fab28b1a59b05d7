/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_view.h - what a graph's event file says more than once, worked out once: names, devices, shapes. Layer 5.
 */
#ifndef ETR_TB_VIEW_H
#define ETR_TB_VIEW_H

#include "etrecord_tb.h"
#include "views/scope.h"

/** The shape of an output; shared by all outputs of that shape. */
typedef struct etr_tb_shape {
  etr_slice packed; /* TensorShapeProto */
  etr_slice label;  /* "f32[1,16,64]", as etr_tb_clean_text() cleans it */
} etr_tb_shape;

typedef struct etr_tb_view {
  etr_arena *arena;
  const etr_profile *profile;
  const etr_graph *graph;
  etr_scopes scopes;
  const char **names;   /* of each node */
  const char **devices; /* "/device:XNNPACK:0" */
  uint32_t device_count;
  uint32_t *device_of_node; /* index into devices; ETR_NONE: not known, or not run at all */
  size_t *first_value;      /* of each node: its first output in shapes */
  etr_tb_shape **shapes;    /* of each output */
} etr_tb_view;

/** Works it out; everything lives in the arena, but the scopes, which are the graph's, are borrowed. Errors:
 * ETR_ERROR_MEMORY. */
etr_status etr_tb_view_build(etr_tb_view *out, etr_arena *arena, const etr_profile *profile, const etr_graph *graph,
                             const etr_scopes *scopes);

/** The backend that a node runs in, or was lowered to; NULL if it is a kernel or nothing is known. */
const char *etr_tb_backend(const etr_graph *graph, size_t node);

/** True of a method that is told of: it ran, and its times are on a graph. */
static inline bool etr_tb_tells_of(const etr_profile *profile, uint32_t method) {
  size_t i = 0;
  while (i < profile->graph_count && profile->graphs[i].profile_method != method) i++;
  return i < profile->graph_count && profile->methods[method].run_count > 0;
}

/** The node's time; NULL if it has none, or never ran. */
static inline const etr_node_time *etr_tb_time(const etr_graph *graph, size_t node) {
  return graph->times && graph->times[node].runs > 0 ? &graph->times[node] : NULL;
}

#endif
