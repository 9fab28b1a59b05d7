/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_lines.h - a method's time by file and line of the model's source. Layer 4.
 */
#ifndef ETR_SOURCE_LINES_H
#define ETR_SOURCE_LINES_H

#include "views/summary.h"

/** The lines of one file. */
typedef struct etr_source_lines {
  const char *path; /* as recorded; NULL: nodes whose source was not recorded, as one row without line */
  const etr_breakdown_row *const *rows; /* of the summary's ETR_BY_SOURCE, by line */
  const etr_source *const *sources;     /* their lines; NULL in it for what was not recorded */
  size_t count;
  uint64_t total_ticks; /* over all runs */
  double p50;           /* of its lines together */
  double summed_p50;    /* of all files */
  double weight;        /* what it ranks by: total_ticks or p50 */
  size_t node_count;
} etr_source_lines;

/** Files with the largest weight first, or by path; their ticks add up to the summary's part_ticks. NULL when out of
 * memory.
 */
const etr_source_lines *etr_source_lines_make(size_t *count, etr_arena *arena, const etr_summary *summary,
                                              bool by_path);

#endif
