/* SPDX-License-Identifier: BSD-3-Clause
 *
 * settings.h - what a command line asks for. Layer 6.
 */
#ifndef ETR_SETTINGS_H
#define ETR_SETTINGS_H

#include "command/message.h"

/** Output format of the commands that print. */
typedef enum output_format {
  FORMAT_TEXT,
  FORMAT_JSON,
  FORMAT_CSV,
  FORMAT_TSV,
  FORMAT_MARKDOWN,
  FORMAT_JSON_LINES
} output_format;

enum { MAX_LIST = 64, TOP_DEFAULT = -1 };

/** When to colour text. */
typedef enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_choice;

/** Output format of `dot`. */
typedef enum drawing_format { DRAWING_DOT, DRAWING_SVG, DRAWING_PNG } drawing_format;

/** The viewer that `export` writes for. */
typedef enum export_target { TARGET_MODEL_EXPLORER } export_target;

/** The system that `bench` writes for. */
typedef enum bench_target { BENCH_TARGET_OBSERVER, BENCH_TARGET_HUD } bench_target;

/** A command of the program; see command.h. */
typedef struct cli_command cli_command;

/** The values of all options. Zeroed: the defaults, but for `top`. Strings are argv's. */
typedef struct cli_settings {
  const cli_command *command; /* NULL with --help or --version and no command */
  bool help, version;
  const char *record;         /* the first argument */
  const char *more[MAX_LIST]; /* further arguments: files of the same record, or the record to compare with */
  size_t more_count;
  const char *etrecord, *pte, *debug_buffer;
  bool without_buffer; /* set by commands, not by an option: with several dumps, the buffer's owner is unknown */
  const char *etdumps[MAX_LIST];
  size_t etdump_count;
  const char *map_texts[MAX_LIST]; /* RUNS=METHOD */
  size_t map_count;
  const char *skip_text, *runs_text; /* of --skip-runs and --runs */
  etr_skip skip;                     /* parsed from them */
  int64_t skip_count;
  size_t first_run, last_run;
  const char *hparam_texts[MAX_LIST], *tag_texts[MAX_LIST]; /* NAME=VALUE */
  size_t hparam_count, tag_count;
  etr_tag hparams[MAX_LIST], tags[MAX_LIST]; /* parsed from these texts */
  etr_method_choice choices[MAX_LIST];       /* parsed from map_texts */
  etr_unit unit, source_unit;
  bool has_source_unit;
  double ticks_per_second;
  double peak_flops, peak_int_ops, peak_bandwidth; /* per second; 0: not known */
  const char *device, *devices;                    /* its name; the file that has it, NULL: the user's own */
  output_format format;
  color_choice color;
  int64_t width; /* 0: not limited */
  bool has_width;
  const char *logdir, *name;
  double max_bytes, max_output; /* 0: the library's default */
  int64_t max_nodes, max_events, max_delegates, max_comparisons;
  int64_t depth, top; /* TOP_DEFAULT: the command's own number of rows */
  const char *method, *graph, *module, *op, *backend, *source_root;
  bool force;          /* goes on where a filter selects nothing, or a dump is another model's */
  bool values;         /* logged values instead of times */
  const char *graphs;  /* to write: "edge,aten" */
  const char *columns; /* of tables: "node,avg" */
  etr_node_order order;
  etr_statistic ranking; /* of --stat */
  const char *output, *entry;
  drawing_format drawing;
  bool has_drawing;
  const char *focus;
  export_target target;
  bool has_target;
  etr_node_statistic statistic;
  etr_node_adapter adapter;
  bool fold;              /* `dot` draws blocks that are the same once */
  int64_t most_expensive; /* nodes that `dot` draws by themselves */
  unsigned by; /* of diff: etr_diff_by, from ETR_DIFF_BY_NODE on; of summary: etr_sum_by, from ETR_SUM_BY_OP on; of
                  source: 1 is by pattern */
  bool has_by;
  bool no_source, rename_modules; /* of `strip` */
  etr_part parts[MAX_LIST + 1];   /* of `pack`: NAME=FILE, taken from the arguments */
  size_t part_count;
  const char *bundled;
  double fail_above; /* percent */
  bool has_fail_above;
  double recording_noise; /* percent; 0: the library's own */
  bool has_recording_noise;
  const char *const *program; /* what stands behind "--", with its arguments, ended by NULL; NULL: nothing */
  int64_t repeat, warmup;
  bool has_repeat, has_warmup;
  double timeout; /* seconds; 0: the usual */
  const char *pull, *tensorboard;
  bench_target bench_target;
  bool has_bench_target;
  const char *against, *against_record; /* the base's command line, and its record */
  struct bench_job *job;                /* of bench_collect() */
} cli_settings;

#endif
