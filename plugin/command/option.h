/* SPDX-License-Identifier: BSD-3-Clause
 *
 * option.h - reading the command's arguments into settings. Layer 6.
 */
#ifndef ETR_OPTION_H
#define ETR_OPTION_H

#include "message.h"

/** What the reading commands print. */
typedef enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_TSV, FORMAT_MARKDOWN } output_format;

enum { MAX_LIST = 64, TOP_DEFAULT = -1 };

/** When text is coloured. */
typedef enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_choice;

/** What `dot` writes. */
typedef enum drawing_format { DRAWING_DOT, DRAWING_SVG, DRAWING_PNG } drawing_format;

/** What `export` writes for. */
typedef enum export_target { TARGET_MODEL_EXPLORER } export_target;

/** A command of the program; option_table.h has them. */
typedef struct cli_command cli_command;

/** All that the options say. Zeroed: defaults. Strings are argv's. */
typedef struct cli_settings {
  const cli_command *command; /* NULL where only the program's help or version is asked for */
  bool help, version;
  const char *record;         /* the first argument */
  const char *more[MAX_LIST]; /* those that follow it, for a command that takes several */
  size_t more_count;
  const char *etrecord, *pte, *debug_buffer;
  bool without_buffer; /* set by commands, not by an option: of which dump the debug buffer is cannot be told */
  const char *etdumps[MAX_LIST];
  size_t etdump_count;
  const char *map_texts[MAX_LIST]; /* RUNS=METHOD */
  size_t map_count;
  const char *hparam_texts[MAX_LIST]; /* NAME=VALUE */
  size_t hparam_count;
  etr_hparam hparams[MAX_LIST];
  etr_method_choice choices[MAX_LIST];
  etr_unit unit, source_unit;
  bool has_source_unit;
  double ticks_per_second;
  output_format format;
  color_choice color;
  const char *logdir, *name;
  double max_bytes; /* 0: default */
  int64_t max_nodes;
  int64_t depth, top; /* TOP_DEFAULT: as many rows as the command finds fit */
  const char *method, *graph, *module, *op, *backend, *source_root;
  bool values; /* what was logged instead of times */
  etr_node_order order;
  const char *output, *entry;
  drawing_format drawing;
  bool has_drawing;
  const char *focus;
  export_target target;
  bool has_target;
  etr_node_statistic statistic;
  int64_t most_expensive; /* nodes that `dot` draws by themselves */
  unsigned by;            /* etr_diff_by, from ETR_DIFF_BY_NODE on */
  bool has_by;
  double fail_above; /* percent */
  bool has_fail_above;
} cli_settings;

/**
 * Reads the arguments; the command is the one named by the first argument that is no option, `write` if that is none. Gives EXIT_DONE, or says what
 * is wrong and gives EXIT_USAGE.
 */
exit_status option_parse(cli_settings *out, int argc, char **argv);

#endif
