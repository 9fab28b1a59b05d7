/* SPDX-License-Identifier: BSD-3-Clause
 *
 * option_table.h - the commands and their options, as data: parsing, --help, the manual pages and the completions all read these two tables. Layer 6.
 *
 * A new command is a row of `commands` and a COMMAND_ bit; a new option is a row of `options` and a member of cli_settings.
 */
#ifndef ETR_OPTION_TABLE_H
#define ETR_OPTION_TABLE_H

#include "option.h"

/** A command line, behind "etrecord-tb ", and what it does. */
typedef struct cli_example {
  const char *line;
  const char *what;
} cli_example;

enum { MAX_EXAMPLES = 6 };

typedef enum command_need { NEEDS_NOTHING, NEEDS_RUNS, NEEDS_GRAPHS } command_need;

/** A command of the program. */
struct cli_command {
  const char *name;
  unsigned bit;                           /* what the `commands` of options and exit statuses are made of */
  const char *arguments;                  /* "RECORD", "BASE NEW": as many as it takes; "[COMMAND]": may be left out; "ARGUMENTS...": any number */
  command_need need;                      /* what it has nothing to say without */
  bool edge_only;                         /* looks at no nodes but those that times are joined to, as in etr_options */
  const char *summary;                    /* one line */
  const char *help;                       /* what it does; a line break between paragraphs */
  cli_example examples[MAX_EXAMPLES + 1]; /* ended by one without line */
  exit_status (*run)(const cli_settings *settings);
};

/** The commands, ended by one without name. The first is meant where none is named. */
extern const cli_command commands[];

enum {
  COMMAND_WRITE = 1 << 0,
  COMMAND_INFO = 1 << 1,
  COMMAND_NODES = 1 << 2,
  COMMAND_EVENTS = 1 << 3,
  COMMAND_SUMMARY = 1 << 4,
  COMMAND_DELEGATION = 1 << 5,
  COMMAND_DOT = 1 << 6,
  COMMAND_REPORT = 1 << 12,
  COMMAND_DIFF = 1 << 8,
  COMMAND_TRACE = 1 << 7,
  COMMAND_EXPORT = 1 << 13,
  COMMAND_SOURCE = 1 << 9,
  COMMAND_HELP = 1 << 30,
};

typedef enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_LIST, OPTION_COUNT, OPTION_NUMBER, OPTION_PERCENT, OPTION_WORD } option_kind;

/**
 * An option of the commands in `commands`. Several rows may have one name or letter, for different commands, if they differ in no more than words,
 * member or help: `--format` of a table and of a drawing.
 */
typedef struct option_spec {
  const char *name;
  char letter;          /* 0: none */
  const char *argument; /* NULL: a flag. FILE and DIR are completed as such */
  option_kind kind;
  size_t offset, offset2; /* into cli_settings; of a list its count, of a percentage or a word the flag that it was given */
  const char *words;      /* of OPTION_WORD: "text|json", values 0, 1, ... */
  unsigned commands;
  const char *help;
} option_spec;

/** The options, ended by one without name. */
extern const option_spec options[];

/** What an exit status means, and of which commands. */
typedef struct exit_spec {
  int status;
  unsigned commands;
  const char *meaning;
} exit_spec;

/** Ended by one without meaning. */
extern const exit_spec exit_statuses[];

/** The command of that name; NULL: none. */
const cli_command *option_table_command(const char *name);

/** How many arguments a command needs, and how many it takes at most. */
size_t option_table_needed(const cli_command *command);
size_t option_table_allowed(const cli_command *command);

/** The name of the command that a mistyped one may have been meant to be; NULL: none is near. */
const char *option_table_nearest(const char *name);

/** "x is no command; did you mean y?" Gives EXIT_USAGE. */
exit_status option_table_no_command(const char *name);

#endif
