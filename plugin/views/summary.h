/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary.h - where a method's time goes: everything that the outputs about it show. Layer 4.
 */
#ifndef ETR_SUMMARY_H
#define ETR_SUMMARY_H

#include "views/balance.h"
#include "views/breakdown.h"
#include "views/findings.h"
#include "views/loads.h"
#include "views/module_tree.h"

typedef struct etr_summary {
  const etr_profile *profile;
  const etr_method *method;
  const etr_graph *graph; /* the method's Edge graph with its times; may be NULL */
  bool is_part;        /* a filter selects some of the nodes, and all that follows is about these */
  uint64_t part_ticks; /* time on the selected nodes, over all runs */
  double part_typical; /* the same per inference, in the typical run */
  const uint32_t *nodes; /* the selected nodes that ran */
  size_t node_count;
  double summed_p50; /* sum of the medians of these nodes */
  etr_breakdown by[ETR_BREAKDOWNS];
  etr_module_tree modules;
  etr_module_patterns patterns;
  etr_first_run first_run;
  etr_findings findings; /* with a filter, only findings about the selected nodes */
} etr_summary;

/** Returns a breakdown's name in JSON and in tables for programs: "by_op", "by_module",
 * "by_pattern", "by_backend" or "by_source". Static. */
const char *etr_breakdown_name(etr_breakdown_by by);

/** The parts of a summary, as bits: these, and 1u << ETR_BY_OP and so on for the breakdowns.
 * ETR_BY_MODULE also makes `modules`, and ETR_BY_PATTERN together with ETR_BY_MODULE makes
 * `patterns`. */
enum {
  ETR_SUMMARY_FINDINGS = 1 << ETR_BREAKDOWNS,
  ETR_SUMMARY_ALL = (1 << (ETR_BREAKDOWNS + 1)) - 1,
};

/** What a summary contains, and in which order and unit. */
typedef struct etr_summary_choice {
  const etr_node_filter *filter; /* NULL selects everything */
  etr_unit unit;                 /* unit of times in the findings' evidence */
  etr_node_order
      order; /* order of nodes, modules and the breakdowns' rows: ETR_ORDER_NAME, or else by time */
  unsigned parts; /* the parts to make; others stay zeroed */
} etr_summary_choice;

/** Replaces a profile by one for summaries: runs that may be of several methods have the operators
 * and modules that these share, on a graph that is added behind the others. It stays as it is if
 * there are no such runs. The copy lives in the arena, and as long as the profile. Returns false
 * when out of memory. */
bool etr_summary_share(const etr_profile **profile, etr_arena *arena);

/** Makes the parts of a method's summary that the choice asks for, of the nodes that its filter
 * selects. Returns false when out of memory. */
bool etr_summary_make(etr_summary *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method, etr_summary_choice choice);

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

/** Divides the time of each source line by the patterns of the modules whose nodes come from it.
 * The patterns of a line add up to its row in the breakdown ETR_BY_SOURCE. Returns false when out
 * of memory. */
bool etr_line_patterns_make(etr_line_patterns *out, etr_arena *arena, const etr_summary *summary);

#endif
