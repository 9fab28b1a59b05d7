/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_lines.h - the lines of source files with their times, and the modules that each line is run for. Layer 4.
 */
#ifndef ETR_SOURCE_LINES_H
#define ETR_SOURCE_LINES_H

#include "base/arena.h"
#include "views/summary.h"

/* ---- The lines of a model's source file, where it is still on disk ---- */

typedef struct etr_source_file {
  const char *const *lines; /* without line ends, tabs as blanks; [0] is line 1 */
  size_t line_count;
} etr_source_file;

typedef enum etr_source_state {
  ETR_SOURCE_ABSENT,    /* not there, too large, or nothing to read */
  ETR_SOURCE_DIFFERENT, /* there is a file, but it does not have the recorded code */
  ETR_SOURCE_FOUND,
} etr_source_state;

/**
 * Reads the file that lines were recorded from. root: the directory that the recorded paths moved to, where path is
 * looked for with ever fewer of its folders; NULL: where it was. What a record names is not read for its own sake: only
 * regular files, and only one that has each recorded line's code where it was recorded is ETR_SOURCE_FOUND. lines:
 * `count` frames of this file. Memory shows on the arena.
 */
etr_source_state etr_source_file_read(etr_source_file *out, etr_arena *arena, const char *path, const char *root,
                                      const etr_source *const *lines, size_t count);

/* ---- A method's time by file and line of the model's source ---- */

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

/* ---- Which modules a source line is run for: its time by pattern ---- */

typedef struct etr_line_pattern {
  const char *pattern;  /* etr_module.pattern; "" is the top level */
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
