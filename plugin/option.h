/* SPDX-License-Identifier: BSD-3-Clause
 *
 * option.h - the command's options: one table drives parsing, usage and --help. Layer 6.
 */
#ifndef ETR_OPTION_H
#define ETR_OPTION_H

#include "message.h"

#include <stdio.h>

/** What the reading commands print. */
typedef enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_TSV, FORMAT_MARKDOWN } output_format;

enum { MAX_LIST = 64 };

/** All that the options say. Zeroed: defaults. Strings are argv's. */
typedef struct cli_settings {
  bool help, version;
  const char *record;
  const char *etrecord, *pte, *debug_buffer;
  const char *etdumps[MAX_LIST];
  size_t etdump_count;
  const char *map_texts[MAX_LIST]; /* RUN=METHOD */
  size_t map_count;
  etr_method_choice choices[MAX_LIST];
  etr_unit unit, source_unit;
  bool has_source_unit;
  double ticks_per_second;
  output_format format;
  const char *logdir, *name;
  int64_t depth, top;
  const char *method, *graph, *module, *op, *backend;
  etr_node_order order;
} cli_settings;

/** A command of the program. */
typedef struct cli_command {
  const char *name;
  unsigned bit;          /* what option_specs' `commands` is made of */
  const char *arguments; /* "RECORD" */
  const char *summary;   /* one line */
  const char *help;      /* paragraphs for --help */
  exit_status (*run)(const cli_settings *settings);
} cli_command;

/** The commands, ended by one without name. */
extern const cli_command commands[];

enum { COMMAND_WRITE = 1, COMMAND_INFO = 2, COMMAND_NODES = 4, COMMAND_EVENTS = 8, COMMAND_SUMMARY = 16, COMMAND_DELEGATION = 32 };

/**
 * Reads the arguments: *chosen is the command named by the first argument that is no option, `write` if that is none. Gives EXIT_DONE, or says what
 * is wrong and gives EXIT_USAGE.
 */
exit_status option_parse(cli_settings *out, const cli_command **chosen, int argc, char **argv);


/** Prints the help of one command, or of the program (NULL). */
void option_print_help(FILE *out, const cli_command *command);

#endif
