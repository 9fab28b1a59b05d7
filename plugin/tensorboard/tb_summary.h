/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_summary.h - TensorFlow events that hold one value under a tag: points of curves,
 * distributions, pages of text, documents. Layer 5.
 */
#ifndef ETR_TB_SUMMARY_H
#define ETR_TB_SUMMARY_H

#include "base/base.h"
#include "tensorboard.pb-c.h"
#include "tensorboard/tb_curves.h"

/** The dashboard's plugin name, which is also the tag of its document. */
#define ETR_TB_DASHBOARD "etrecord"
/** The tag of the few figures that the dashboard's list of records shows. The figures are a blob
 * and not metadata, because TensorBoard keeps the first metadata of a tag even if a record is
 * written again. */
#define ETR_TB_DASHBOARD_HEAD "etrecord_head"

/** An event and the messages that it points to. */
typedef struct etr_tb_summary {
  Tensorboard__Event event;
  Tensorboard__Summary summary;
  Tensorboard__Summary__Value value, *values;
  Tensorboard__SummaryMetadata metadata;
  Tensorboard__SummaryMetadata__PluginData plugin;
  Tensorboard__TensorProto tensor; /* has rank 0; the caller sets type and value */
  Tensorboard__TensorShapeProto shape;
  Tensorboard__TensorShapeProto__Dim dims[2],
      *dim_list[2]; /* sizes for a higher rank, with shape.n_dim */
} etr_tb_summary;

/** Fills an event with one value that is a tensor of one plugin, which must not move afterwards,
 * since its parts point to each other. Tag and plugin name are borrowed. Steps of a tag must
 * increase, or TensorBoard drops values. */
void etr_tb_summary_init(etr_tb_summary *summary, double wall_time, const char *tag, int64_t step,
                         const char *plugin, Tensorboard__DataClass data_class);

/**
 * A point of a curve, as a simple value with metadata: the only form that TensorBoard's pages draw
 * with a description and that other readers (EventAccumulator.Scalars(), tbparse) find as well.
 */
typedef struct etr_tb_point {
  etr_tb_summary summary;
  bool is_used; /* the first point, which has the metadata, was set */
} etr_tb_point;

/** Begins a curve. The point must not move afterwards. The tag is borrowed. Steps and values are
 * set by etr_tb_point_set(), one event for each. */
void etr_tb_point_init(etr_tb_point *point, double wall_time, const char *tag);

/** Sets the next point of the curve. Only the first point has the metadata, which TensorBoard takes
 * from there. Returns false, and sets nothing, if the value is not a finite float. */
bool etr_tb_point_set(etr_tb_point *point, int64_t step, double value);

/** A distribution. */
typedef struct etr_tb_histogram {
  etr_tb_summary summary;
  Tensorboard__HistogramProto histo;
  double limits[ETR_TB_BUCKETS],
      counts[ETR_TB_BUCKETS]; /* per bucket: its upper end, its number of values */
} etr_tb_histogram;

/** Fills the event of a histogram: per bucket its upper end and its number of values, and of all
 * values their number, their sum and the sum of their squares, for which each counts as the middle
 * of its bucket, as `spread` has no single values. It must not move afterwards, since its parts
 * point to each other. The tag is borrowed. */
void etr_tb_histogram_init(etr_tb_histogram *histogram, double wall_time, const char *tag,
                           int64_t step, const etr_tb_spread *spread);

/** The layout of the charts of curves. */
typedef struct etr_tb_layout {
  etr_tb_summary summary;
  ProtobufCBinaryData packed;
} etr_tb_layout;

/** Fills a layout, packed by a function of tb_tags.h. It must not move afterwards, since its parts
 * point to each other. `packed` is borrowed. */
void etr_tb_layout_init(etr_tb_layout *layout, double wall_time, etr_slice packed);

/** A document for the ExecuTorch dashboard. */
typedef struct etr_tb_document {
  etr_tb_summary summary;
  ProtobufCBinaryData blob;
} etr_tb_document;

/** Fills a document. It must not move afterwards, since its parts point to each other. Tag, content
 * and JSON are borrowed. content: content of the plugin's metadata, which names the schema. The
 * document is a blob sequence with one blob, which must be a tensor of rank 1. TensorBoard serves
 * it by run and tag, whether it reads the files itself or through a data server. */
void etr_tb_document_init(etr_tb_document *document, double wall_time, const char *tag,
                          const char *content, etr_slice json);

#endif
