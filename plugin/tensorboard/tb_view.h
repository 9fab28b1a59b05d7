/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_view.h - names, devices and shapes, which a graph's event file contains several times and
 * which are found once. Layer 5.
 */
#ifndef ETR_TB_VIEW_H
#define ETR_TB_VIEW_H

#include "base/arena.h"
#include "etrecord_tb.h"
#include "tensorboard/pack.h"
#include "tensorboard/tb_summary.h"
#include "views/findings.h"
#include "views/scope.h"

/* ---- Names, devices and shapes of a graph ---- */

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
  const char **names;   /* per node */
  const char **devices; /* "/device:XNNPACK:0", "/device:COREML-NPU:0" */
  uint32_t device_count;
  uint32_t *device_of_node; /* index into devices; ETR_NONE: unknown, or the node did not run */
  size_t *first_value;      /* per node: index of its first output in shapes */
  etr_tb_shape **shapes;    /* per output */
} etr_tb_view;

/** Builds the view of a graph in the arena. The graph's scopes are borrowed. Errors:
 * ETR_ERROR_MEMORY. */
etr_status etr_tb_view_build(etr_tb_view *out, etr_arena *arena, const etr_profile *profile,
                             const etr_graph *graph, const etr_scopes *scopes);

/** Returns the backend that a node ran in, or was lowered to; NULL if it is a kernel or nothing is
 * known. */
const char *etr_tb_backend(const etr_graph *graph, size_t node);

/** Returns the node's time; NULL if it has none, or never ran. */
static inline const etr_node_time *etr_tb_time(const etr_graph *graph, size_t node) {
  return graph->times && graph->times[node].runs > 0 ? &graph->times[node] : NULL;
}

/* ---- TensorBoard's hparams tab, which has one row for each record with a method that ran ---- */

/** Returns the method that takes longest of those that etr_tb_shows_method() shows; NULL if there
 * is none. The functions below are about this method, and need it. */
const etr_method *etr_tb_main_method(const etr_profile *profile);

enum { ETR_TB_METRIC_COUNT = 6 };

/** Computes the metrics of the HParams table, in the order of their columns: typical time, 90th
 * percentile and load in ms, peak memory in MB, delegated time in percent. NaN: unknown. Returns
 * false when out of memory. */
bool etr_tb_metrics_make(double out[ETR_TB_METRIC_COUNT], etr_arena *arena,
                         const etr_profile *profile);

/** Returns the tag of the scalar with a metric. Static. */
const char *etr_tb_metric_tag(size_t metric);

/** Fills the event of the experiment, which lists columns and metrics. The event must not move
 * afterwards, since its parts point to each other. TensorBoard takes the experiment of any one
 * record, and shows only the columns that it lists: those that all records have, and those of the
 * given facts of this one. When out of memory, the arena fails. */
void etr_tb_experiment(etr_tb_summary *event, etr_arena *arena, double wall_time,
                       const etr_profile *profile, const etr_tag *given, size_t given_count);

/** Fills the event of a session's start, which is the row of the HParams table: the hyperparameters
 * that the user gave and those of the record. The event must not move afterwards, since its parts
 * point to each other; its contents are in the arena. When out of memory, the arena fails. */
void etr_tb_session_start(etr_tb_summary *session, etr_arena *arena, double wall_time,
                          const etr_profile *profile, const etr_tag *given, size_t given_count);

/** Fills the event of the session's end, with the status of success. */
void etr_tb_session_end(etr_tb_summary *session, etr_arena *arena, double wall_time);

/* ---- The page of Markdown of a record, for TensorBoard's text tab ---- */

/** The page. */
typedef struct etr_tb_page {
  etr_tb_summary summary;
  ProtobufCBinaryData text;
} etr_tb_page;

/** Fills the page about a record of this name, which needs etr_tb_main_method(); `found` has that
 * method and its findings. It must not be moved afterwards; its contents are in the arena. Returns
 * false when out of memory; the arena has failed then. */
bool etr_tb_page_make(etr_tb_page *page, etr_arena *arena, double wall_time,
                      const etr_profile *profile, const etr_method_findings *found,
                      const char *name);

/** Fills a text of Markdown under a tag of its own. It must not be moved afterwards. */
void etr_tb_text_init(etr_tb_page *page, double wall_time, const char *tag, int64_t step,
                      const char *markdown);

/* ---- A graph as TensorFlow's GraphDef ---- */

/** Packs the GraphDef of a view in front of the packed data, node by node, without a struct for
 * each node. When out of memory, the packer's arena fails. */
void etr_tb_graph_pack(etr_packer *out, const etr_tb_view *view);

#endif
