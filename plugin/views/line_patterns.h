/* SPDX-License-Identifier: BSD-3-Clause
 *
 * line_patterns.h - which modules a source line is run for: its time by pattern. Layer 4.
 */
#ifndef ETR_LINE_PATTERNS_H
#define ETR_LINE_PATTERNS_H

#include "views/summary.h"

typedef struct etr_line_pattern {
  const char *pattern;  /* etr_module.pattern; "" is the model itself */
  uint32_t line;        /* number of the row in the summary's ETR_BY_SOURCE */
  size_t module_count;  /* modules whose own nodes the line is of */
  uint64_t total_ticks; /* over all runs */
  size_t node_count;
} etr_line_pattern;

/** By number of the line, most time first. */
typedef struct etr_line_patterns {
  const etr_line_pattern *rows;
  const size_t *first; /* of each line number; one more for the end */
} etr_line_patterns;

/** The patterns of a line add up to its row. False when out of memory. */
bool etr_line_patterns_make(etr_line_patterns *out, etr_arena *arena, const etr_summary *summary);

#endif
