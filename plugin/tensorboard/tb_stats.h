/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_stats.h - times on a graph as TensorFlow's RunMetadata, which the graph tab colors by.
 * Layer 5.
 *
 * The page counts in whole microseconds, and the time of a group is the span from its first start
 * to its last end. For statistics, the starts are therefore not those of any run: every box is
 * contiguous, and its span is the sum of its contents within 2 us. A node alone may be 1 us off;
 * its exact time is an attribute of the graph.
 */
#ifndef ETR_TB_STATS_H
#define ETR_TB_STATS_H

#include "tensorboard/pack.h"
#include "tensorboard/tb_view.h"

typedef enum etr_tb_statistic {
  ETR_TB_TYPICAL,
  ETR_TB_AVG,
  ETR_TB_P50,
  ETR_TB_P90,
  ETR_TB_MAX,
  ETR_TB_TIMELINE, /* real starts; lengths are the average */
  ETR_TB_STATISTIC_COUNT,
} etr_tb_statistic;

/** Returns the tag of a statistic: "profile/typical". Static. */
const char *etr_tb_statistic_tag(etr_tb_statistic statistic);

/** A timed node. */
typedef struct etr_tb_timed {
  uint32_t node; /* index into the graph's nodes */
  int64_t memory_bytes;
  double micros;                       /* exact time in the statistic that was packed last */
  int64_t start_micros, length_micros; /* in the same statistic */
} etr_tb_timed;

typedef struct etr_tb_stats {
  const etr_tb_view *view;
  etr_tb_timed *nodes;
  size_t count;
  uint32_t *by_device; /* indices into nodes, grouped by device */
  size_t *device_end;  /* per device: end of its part of by_device */
} etr_tb_stats;

/** Collects the timed nodes and the bytes of their outputs. count is 0 if nothing was timed. When
 * out of memory, the arena fails. */
void etr_tb_stats_build(etr_tb_stats *out, const etr_tb_view *view);

/** Packs the RunMetadata of one statistic in front of the packed data. */
void etr_tb_stats_pack(etr_packer *out, etr_tb_stats *stats, etr_tb_statistic statistic);

#endif
