/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_lines.h - the lines of the model's source files with their times, and the modules for
 * which each line runs. Layer 4.
 */
#ifndef ETR_SOURCE_LINES_H
#define ETR_SOURCE_LINES_H

#include "base/arena.h"
#include "views/summary.h"

/* ---- A method's time by file and line of the model's source ---- */

/** The lines of one file. */
typedef struct etr_source_lines {
  const char *path; /* path as recorded; NULL for nodes whose source was not recorded, which are one
                       row without a line */
  const etr_breakdown_row *const
      *rows; /* rows of the summary's breakdown ETR_BY_SOURCE, sorted by line */
  const etr_source *const
      *sources; /* their source lines; an element is NULL if it was not recorded */
  size_t count;
  uint64_t total_ticks; /* over all runs */
  double typical;       /* per inference, in the typical run */
  double p50;           /* sum of the medians of its lines */
  double summed_p50;    /* sum of the medians of the lines of all files */
  double weight;        /* files are ranked by this time */
  size_t node_count;
} etr_source_lines;

/** Lists the files by weight, the largest first, or by path. Their ticks add up to the summary's
 * part_ticks. Returns NULL when out of memory. */
const etr_source_lines *etr_source_lines_make(size_t *count, etr_arena *arena,
                                              const etr_summary *summary, bool by_path);

/* ---- Which modules a source line is run for: its time by pattern ---- */

typedef struct etr_line_pattern {
  const char *pattern;  /* pattern of modules (etr_module.pattern); "" is the top level */
  uint32_t line;        /* number of the line's row in the summary's breakdown ETR_BY_SOURCE */
  size_t module_count;  /* number of modules that have own nodes from this line */
  uint64_t total_ticks; /* over all runs */
  double typical;       /* per inference, in the typical run */
  size_t node_count;
} etr_line_pattern;

/** The patterns of all lines, sorted by the number of the line, then by time, the longest first. */
typedef struct etr_line_patterns {
  const etr_line_pattern *rows;
  const size_t *first; /* per line number: index of its first row; one more element for the end */
} etr_line_patterns;

/** Divides each line by patterns. The patterns of a line add up to its row. Returns false when out
 * of memory. */
bool etr_line_patterns_make(etr_line_patterns *out, etr_arena *arena, const etr_summary *summary);

#endif
