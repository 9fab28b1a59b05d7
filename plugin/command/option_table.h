/* SPDX-License-Identifier: BSD-3-Clause
 *
 * option_table.h - the commands and their options as data: the parser, --help, the manual pages and
 * the completions all read these tables. Layer 6.
 *
 * A new command is a row of `commands`; a new option is a row of `option_specs` and a member of
 * cli_settings.
 */
#ifndef ETR_OPTION_TABLE_H
#define ETR_OPTION_TABLE_H

#include "command/command.h"

/** Sets of commands, to which options and exit statuses are limited. */
enum {
  FOR_WRITE = 1 << 0,
  FOR_INFO = 1 << 1,
  FOR_NODES = 1 << 2,
  FOR_EVENTS = 1 << 3,
  FOR_SUMMARY = 1 << 4,
  FOR_SOURCE = 1 << 5,
  FOR_DELEGATION = 1 << 6,
  FOR_MEMORY = 1 << 7,
  FOR_DOT = 1 << 8,
  FOR_REPORT = 1 << 9,
  FOR_DIFF = 1 << 10,
  FOR_TRACE = 1 << 11,
  FOR_EXPORT = 1 << 12,
  FOR_STRIP = 1 << 13,
  FOR_PACK = 1 << 14,
  FOR_VALIDATE = 1 << 15,
  FOR_BENCH = 1 << 16,
  FOR_WATCH = 1 << 17,
  FOR_HELP = 1 << 18,
  FOR_ACCURACY = 1 << 19,
  FOR_REFERENCE = 1 << 20,
  FOR_RECORD = 1 << 21,
  FOR_COMPARE = 1 << 22,
  /* Commands that refuse a filter that selects nothing, and an ETDump of another model, unless
     --force is given. */
  FORCIBLE = FOR_WRITE | FOR_NODES | FOR_EVENTS | FOR_SUMMARY | FOR_SOURCE | FOR_DELEGATION |
             FOR_DIFF | FOR_DOT | FOR_TRACE | FOR_EXPORT | FOR_REPORT | FOR_ACCURACY | FOR_COMPARE,
};

/** The commands, ended by one without a name. The first is the default. */
extern const cli_command commands[];

/** How an option's value is parsed, and the type of its member of cli_settings. */
typedef enum option_kind {
  OPTION_FLAG,    /* bool; takes no value */
  OPTION_TEXT,    /* const char * */
  OPTION_LIST,    /* const char *[MAX_LIST], and its size_t count at `offset2` */
  OPTION_FILES,   /* const char **, as long as the command line has words, and its size_t count at
                     `offset2` */
  OPTION_COUNT,   /* int64_t */
  OPTION_NUMBER,  /* double */
  OPTION_PERCENT, /* double */
  OPTION_DECIBEL, /* double */
  OPTION_WORD,    /* an enum; `words` has its values 0, 1, ... */
} option_kind;

/** What an option takes in some of its commands. */
typedef struct option_values {
  unsigned commands; /* FOR_ bits */
  const char *words; /* as in option_spec */
  const char *help;  /* NULL: that of the option */
} option_values;

/**
 * An option of the commands in `commands`. Rows for different commands may share a name or a letter
 * if they differ in member or meaning: `--graph` of nodes and of accuracy.
 */
typedef struct option_spec {
  const char *name;
  char letter;          /* 0: none */
  const char *argument; /* NULL: a flag. FILE and DIR complete as such */
  option_kind kind;
  size_t offset;     /* offset of the member of cli_settings */
  unsigned commands; /* FOR_ bits; 0: every command */
  const char *help;
  const char *words; /* values of OPTION_WORD: "text|json" */
  size_t offset2;    /* offset of the count of a list, or of a bool that the option sets to true; 0:
                        none */
  const option_values *values; /* if its words or help differ by command: ended by one without
                                  commands */
} option_spec;

/** The options, ended by one without a name. */
extern const option_spec option_specs[];

/** Returns true if the command has the option. With command = NULL, returns true if every command
 * has it. */
bool option_table_has(const option_spec *spec, const cli_command *command);

/** Sets *out to the index-th option as it is shown: an option whose values differ by command counts
 * once for each of its values, with their commands, words and help. Returns false after the last.
 */
bool option_table_shown(option_spec *out, size_t index);

/** Returns the words that the value of an option can be in this command, "op|module", or NULL if it
 * is no choice of words. */
const char *option_table_words(const option_spec *spec, const cli_command *command);

/** The meaning of an exit status, and the commands that it is limited to (0: every command). */
typedef struct exit_spec {
  int status;
  unsigned commands;
  const char *meaning;
} exit_spec;

/** The exit statuses, ended by one without a meaning. */
extern const exit_spec exit_statuses[];

/** Returns true if a command (NULL: any command) can end with this status. */
bool option_table_exits(const exit_spec *spec, const cli_command *command);

enum { EXIT_MEANING_ROOM = 256 };

/** Returns the meaning of a status for a command. With command = NULL, the commands that the status
 * is limited to come first: "diff, bench: ...". */
const char *option_table_exit_meaning(const exit_spec *spec, const cli_command *command,
                                      char room[EXIT_MEANING_ROOM]);

/** Returns the command of that name, or NULL. */
const cli_command *option_table_command(const char *name);

/** Return the smallest and the largest number of arguments of a command. */
size_t option_table_needed(const cli_command *command);
size_t option_table_allowed(const cli_command *command);

/** Returns the name of a command that is most like a mistyped one, or NULL if none is like it. */
const char *option_table_nearest(const char *name);

/** Returns the option of a command that is most like a mistyped one of `size` bytes, or NULL if
 * none is like it. */
const char *option_table_nearest_option(const cli_command *command, const char *name, size_t size);

/** Prints "unknown command x; did you mean y?" and returns EXIT_USAGE. */
exit_status option_table_refuse_command(const char *name);

/* ---- The text of --help ---- */

/** Prints what --help or the command `help` asks for, in at most 80 columns. Returns EXIT_USAGE for
 * an unknown command. No row of the table of commands points to it, because it reads that table. */
exit_status command_help(const cli_settings *settings);

/** Returns the first paragraph of --help and of the manual, which says what the program does.
 * Static. */
const char *help_introduction(void);

enum { HELP_ROOM = 4096 };

/** Returns the description of a command, with a line break between paragraphs. The last paragraph
 * lists the columns of its table, if the command has the option --columns. The text is in `room`,
 * or static. */
const char *help_text(const cli_command *command, char room[HELP_ROOM]);

#endif
