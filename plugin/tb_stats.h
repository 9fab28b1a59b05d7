/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_stats.h - times on a graph as TensorFlow's RunMetadata, which the graph tab colours by. Layer 5.
 *
 * The page counts in whole microseconds and takes the span from a group's first start to its last end for the group's time. So for statistics the
 * starts are laid out in a way that no run has: every box is contiguous, its span is the sum of what is in it.
 */
#ifndef ETR_TB_STATS_H
#define ETR_TB_STATS_H

#include "pieces.h"
#include "tb_view.h"

typedef enum etr_tb_statistic {
  ETR_TB_AVG,
  ETR_TB_P50,
  ETR_TB_P90,
  ETR_TB_MAX,
  ETR_TB_TIMELINE, /* real starts; lengths are the average */
  ETR_TB_STATISTIC_COUNT,
} etr_tb_statistic;

/** "profile/avg". Static. */
const char *etr_tb_statistic_tag(etr_tb_statistic statistic);

/** The timed nodes as messages; packed once for each statistic. */
typedef struct etr_tb_stats {
  const etr_tb_view *view;
  Tensorboard__NodeExecStats *nodes; /* of each timed node */
  uint32_t *graph_nodes;             /* which they are */
  size_t count;
  Tensorboard__DeviceStepStats *devices, **device_list;
  etr_tb_shape no_shape;
} etr_tb_stats;

/** Collects the timed nodes; none if nothing was timed. *out must not be moved then. A failed allocation is the arena's. */
void etr_tb_stats_build(etr_tb_stats *out, const etr_tb_view *view);

/** Appends the packed RunMetadata of one statistic. */
void etr_tb_stats_pack(etr_pieces *out, etr_tb_stats *stats, etr_tb_statistic statistic);

#endif
