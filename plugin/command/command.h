/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command.h - the settings of a command line, the description of a command, and functions that
 * commands share. Layer 6.
 *
 * Functions that return an exit_status have printed an error unless it is EXIT_DONE.
 */
#ifndef ETR_COMMAND_H
#define ETR_COMMAND_H

#include "command/message.h"

#include <limits.h>

/* ---- The settings of a command line ---- */

/** Output format of the commands that print. */
typedef enum output_format {
  FORMAT_TEXT,
  FORMAT_JSON,
  FORMAT_CSV,
  FORMAT_TSV,
  FORMAT_MARKDOWN,
  FORMAT_JSON_LINES,
  FORMAT_PARQUET, /* this one and the next are written by a program: see writer_start() */
  FORMAT_ARROW,
  FORMAT_BENCHMARK /* a list for github-action-benchmark */
} output_format;

enum { MAX_LIST = 64, TOP_DEFAULT = -1 };

/** When to color text. */
typedef enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_choice;

/** Output format of `dot`. */
typedef enum drawing_format { DRAWING_DOT, DRAWING_SVG, DRAWING_PNG, DRAWING_PDF } drawing_format;

/** The viewer that `export` writes for. */
typedef enum export_target { TARGET_MODEL_EXPLORER } export_target;

/** A command of the program; see below. */
typedef struct cli_command cli_command;

/** The values of all options. Zeroed: the defaults, except for `top`. Strings are those of argv. */
typedef struct cli_settings {
  const cli_command *command; /* NULL with --help or --version and no command */
  bool help, version;
  bool is_help_short;      /* with help: it was asked for by -h */
  const char *record;      /* the first argument */
  const char *const *more; /* further arguments: files of the same record, the record to compare
                              with, or ETDumps of
                              --each; in argv */
  size_t more_count;
  bool each; /* an answer for each ETDump */
  const char *each_from,
      *problems;   /* of --each: list of ETDumps, and the file for those that failed */
  etr_stack stack; /* set by commands */
  const char *etrecord, *pte, *debug_buffer;
  bool without_buffer;  /* set by commands, not by an option: with several ETDumps it is unknown
                           which one the buffer is  of */
  const char **etdumps; /* of --etdump */
  size_t etdump_count;
  const char *map_texts[MAX_LIST]; /* RUNS=METHOD */
  size_t map_count;
  const char *skip_text, *runs_text; /* of --skip-runs and --runs */
  etr_skip skip;                     /* parsed from skip_text and runs_text */
  int64_t skip_count;
  size_t first_run, last_run;
  const char *hparam_texts[MAX_LIST], *tag_texts[MAX_LIST]; /* NAME=VALUE */
  size_t hparam_count, tag_count;
  etr_tag hparams[MAX_LIST], given_tags[MAX_LIST]; /* parsed from these texts */
  const etr_tag *tags;                 /* the given ones, or those of an ETDump of --each */
  etr_method_choice choices[MAX_LIST]; /* parsed from map_texts */
  etr_unit unit, source_unit;
  bool has_source_unit, has_unit;
  bool full_names;          /* of a summary */
  const char *explain_text; /* of --explain: a number or "all" */
  size_t explain;           /* what it means, as in etr_table_options */
  double ticks_per_second;
  char instructions[256]; /* of the processor of --device; "" if not known */
  double peak_flops, peak_int_ops, peak_bandwidth; /* per second; 0: unknown */
  const char *device, *devices; /* name of the device; file of devices, NULL: the user's own file */
  unsigned format;              /* output_format; of `dot`: drawing_format */
  bool has_format;
  color_choice color;
  int64_t width; /* 0: not limited */
  bool has_width;
  const char *logdir, *name;
  double max_bytes, max_output; /* 0: the library's default */
  int64_t max_nodes, max_events, max_delegates, max_comparisons;
  int64_t depth, top, findings; /* TOP_DEFAULT: the command's own number */
  const char *method, *graph, *module, *op, *backend, *source_root;
  bool force;     /* continue if a filter selects nothing, or if an ETDump is of another model */
  bool values;    /* logged values instead of times */
  bool operators; /* `info`: only the operators that kernels need */
  bool sizes;     /* `info` and `diff`: about the bytes of the programs */
  const char *graphs;    /* modules of the graphs to write: "edge,aten", or "all" */
  const char *step_text; /* of --step */
  unsigned step_from;    /* 0: git, 1: time */
  bool has_step_from;
  bool has_step; /* `write`: the record is a build, and what follows is known */
  int64_t step;
  const char *columns;   /* columns of tables: "node,avg" */
  unsigned order;        /* of accuracy: etr_accuracy_order; else etr_node_order */
  etr_statistic ranking; /* of --stat */
  const char *output, *entry;
  const char *focus;
  export_target target;
  bool has_target;
  etr_node_statistic statistic;
  etr_node_adapter adapter;
  unsigned color_by; /* of `dot`: 1 is by accuracy */
  bool has_color_by;
  bool fold;              /* `dot` draws equal blocks once */
  bool no_fold;           /* `dot` draws all of them */
  int64_t most_expensive; /* number of nodes, the slowest, that `dot` draws as boxes of their own */
  unsigned by; /* of diff: etr_diff_by, from ETR_DIFF_BY_NODE on; of summary: etr_sum_by, from
                  ETR_SUM_BY_OP on; of source: 1 is by pattern */
  bool has_by;
  bool no_source, rename_modules; /* of `strip` */
  etr_part parts[MAX_LIST + 1];   /* of `pack`: NAME=FILE, taken from the arguments */
  size_t part_count;
  const char *bundled;
  double fail_above; /* percent */
  bool has_fail_above;
  double recording_noise; /* percent; 0: the library's default */
  bool has_recording_noise;
  bool in_turns;
  const char *reference, *reference_record;
  int64_t input;
  bool has_input;
  unsigned accuracy_graph; /* 1: aten */
  double fail_below;       /* dB */
  bool has_fail_below;
  const char *inputs_file;            /* of reference */
  const char *device_texts[MAX_LIST]; /* of --for: the record that logged values, or its files */
  size_t device_count;
  bool all, local, no_keep;
  const char *kept; /* the hash that a reference which `accuracy` keeps begins with; NULL: none */
  const char *const *program; /* the program after "--" with its arguments, ended by NULL; NULL:
                                 there is no "--" */
  int64_t repeat, warmup;
  int64_t inferences, threads; /* of `record` */
  bool has_inferences, has_threads;
  unsigned recipe, record_on;           /* of `record`: index into the words of the option */
  const char *folder, *runner, *serial; /* of `record`: what it makes; the program that is pushed
                                           to the device, and the device's serial number */
  bool logs_values;                     /* --debug-buffer of `record` */
  bool has_repeat, has_warmup;
  double timeout; /* seconds; 0: the default */
  const char *pull;
  const char *against, *against_record; /* the base's command line, and its record */
  struct bench_job *job;                /* result of bench_collect() */
} cli_settings;

/* ---- The description of a command ---- */

/** An example: a command line without "etrecord-tb ", and its meaning. */
typedef struct cli_example {
  const char *line;
  const char *what;
} cli_example;

enum { MAX_EXAMPLES = 6 };

/** Inputs without which the answer of a command is empty. The command then warns. */
typedef enum command_need { NEEDS_NOTHING, NEEDS_RUNS, NEEDS_GRAPHS, NEEDS_PROGRAM } command_need;

/** Writes an answer about a profile to a sink. */
typedef etr_status (*command_answer)(const etr_profile *profile, const cli_settings *settings,
                                     const etr_sink *sink, etr_error *error);
typedef etr_status (*json_emitter)(const etr_profile *profile, const etr_node_filter *filter,
                                   etr_unit unit, const etr_sink *sink, etr_error *error);
typedef etr_status (*table_emitter)(const etr_profile *profile, const etr_node_filter *filter,
                                    const etr_table_options *options, const etr_sink *sink,
                                    etr_error *error);

/** Records that are put side by side, each opened. The first is the base. */
typedef struct command_records {
  const etr_profile *const *profiles;
  const char *const *names;
  size_t count;
  etr_unit unit; /* of a report */
} command_records;

/** A command of the program; option_table.h has the table. */
struct cli_command {
  const char *name;
  unsigned bit; /* FOR_ of option_table.h */
  const char
      *arguments;      /* "RECORD", "BASE NEW"; in brackets: optional; "ARGUMENTS...": any number */
  const char *summary; /* one line */
  const char *help;    /* a line break between paragraphs */
  cli_example examples[MAX_EXAMPLES + 1];         /* ended by one without a line */
  exit_status (*prepare)(cli_settings *settings); /* does the work that needs the rights that
                                                     sandbox_enter() gives up */
  exit_status (*run)(
      const cli_settings *settings); /* NULL: command_run(), and for `help` command_help(), but
                                        nothing more if there is a prepare() */
  exit_status (*check)(const cli_settings *settings); /* for command_run(): rejects settings before
                                                         anything is read */
  command_answer answer;                              /* for command_run() with one record */
  exit_status (*compare)(const etr_profile *base, const etr_profile *newer,
                         const cli_settings *settings); /* for command_run() with two records */
  exit_status (*several)(command_records *records,
                         const cli_settings *settings); /* likewise with two records or more */
  json_emitter json;                                    /* for command_print() */
  table_emitter table;                                  /* for command_print() */
  size_t rows; /* rows of each text table without --top; 0: 30 */
  command_need need;
  unsigned without;   /* as in etr_options */
  bool edge_only;     /* as in etr_options: needs only the nodes that times are joined to */
  bool writes_logdir; /* writes into the folder of --logdir */
  bool runs_program;  /* its only arguments are a program and the program's arguments, after "--" */
  bool takes_parts;   /* its arguments may be NAME=FILE */
  bool reads_sources; /* reads source files of the model, which may be anywhere */
  bool draws;         /* writes a graph, or a picture of it */
  bool compares_values; /* shows etr_profile.accuracy */
  size_t spreads;       /* as in etr_accuracy_options */
  bool shows_all;       /* --skip-runs is 0 unless it is given, otherwise auto */
};

/* ---- Functions of commands, for the rows of the table ---- */

/** Runs `write`: adds the runs to the logdir, all or nothing, and prints the line that starts
 * TensorBoard. */
exit_status command_write(const cli_settings *settings);

/** Sets the step, the x coordinate of a build in TensorBoard: that of --step or, for --step-from
 * git, the number of commits, for which it runs git. Returns EXIT_USAGE or EXIT_BAD_INPUT, with a
 * message, on failure. */
exit_status command_choose_step(cli_settings *settings);
/** Runs `bench` after bench_collect(): reads the ETDumps, writes the run for TensorBoard, prints
 * the results, and compares them with the base. Returns the exit status of --fail-above, or
 * EXIT_SOME_FAILED if a recording failed. */
exit_status command_bench(const cli_settings *settings);
/** Runs `watch`: writes the runs of each ETDump that appears in the folder of the record, until
 * SIGINT ends it. It learns of files by inotify or, where that does not work, by a look each
 * second. */
exit_status command_watch(const cli_settings *settings);
/** Runs `accuracy`: compares the logged values of one record or several with a reference and prints
 * the answer. Returns an exit status by --fail-below, or EXIT_CANNOT_TELL if a record had no value
 * to compare. */
exit_status command_accuracy(const cli_settings *settings);
/** Runs `compare`: prints a table with a column for each record. Returns the exit status that
 * --fail-above gives, or EXIT_SOME_FAILED if some records could not be opened. */
exit_status command_compare(const cli_settings *settings);

/** Writes the name of a record among several to a room of PATH_MAX bytes: the last part of its
 * path, or all of the path if another record has the same last part, or if that is empty or hidden.
 * The second record of one path gets " (2)". */
void command_name_record(char *name, const cli_settings *settings, size_t index);
/** Returns the path of a record of several, from 0. */
const char *command_record_path(const cli_settings *settings, size_t index);

/** Writes the table of `compare` for the list of its columns, whose titles are the first line.
 * profile: without methods. filter: not used. */
etr_status command_compare_table(const etr_profile *profile, const etr_node_filter *filter,
                                 const etr_table_options *options, const etr_sink *sink,
                                 etr_error *error);

/** Sets profile->accuracy, if the command shows it, to the comparison with the reference of
 * --reference, or else with one among the inputs that was made from the record, and prints its
 * warnings. Runs without logged values are no failure, only a warning with --reference. The
 * comparison borrows the profile of --reference-record, so close the profile with command_close(),
 * which closes both. */
exit_status command_compare_values(etr_profile *profile, const cli_settings *settings,
                                   const etr_inputs *inputs);

/** Closes a profile, its comparison with a reference, and the profile of the reference's record,
 * which the comparison only borrows. NULL is allowed. */
void command_close(etr_profile *profile);

/** Writes the table of `accuracy` without rows, for the list of its columns. */
etr_status command_accuracy_table(const etr_profile *profile, const etr_node_filter *filter,
                                  const etr_table_options *options, const etr_sink *sink,
                                  etr_error *error);

/** Writes the reference of --output by the Python package, which runs the model of the record.
 * Returns EXIT_DONE, or EXIT_USAGE or EXIT_BAD_INPUT after a message. */
exit_status command_make_reference(cli_settings *settings);

/** Returns true if a text ends with another. */
bool command_ends_with(const char *text, const char *end);

/** How the names of references end that `accuracy` makes and keeps beside a record. */
#define COMMAND_KEPT_REFERENCE ".reference.safetensors"

/** If --reference-record is given without --reference, makes a reference from that record with the
 * values that operators of the other record read, and sets it. A reference that was kept is used
 * again if all that it was made from is the same. */
exit_status command_prepare_accuracy(cli_settings *settings);
/** Prints the command line of `accuracy` that uses the reference that was made. */
exit_status command_reference(const cli_settings *settings);

/** Makes a record in the folder of -o by the Python package, which exports and runs the model, and
 * prints the command line that shows it. Returns EXIT_DONE, or EXIT_USAGE or EXIT_BAD_INPUT after a
 * message. */
exit_status command_make_record(cli_settings *settings);

/** Records the programs that `bench` measures, before rights are given up, and sets settings->job.
 * Fails with a message, and then keeps no files. */
exit_status bench_collect(cli_settings *settings);

/** Runs a command that answers about records: checks the settings, opens one record, two or
 * several, warns about what is missing, and writes the answer. */
exit_status command_run(const cli_settings *settings);

/** Prints a comparison as `diff` does. */
exit_status command_print_diff(const etr_comparison *comparison, const cli_settings *settings);

/** Returns EXIT_USAGE, with a message, if the value of --recording-noise is out of range. */
exit_status command_check_noise(const cli_settings *settings, const char *command);

/** Returns the options of a comparison that the settings ask for: fractions where the settings have
 * percent. 0 is no limit, or the library's own noise. */
etr_compare_options command_compare_options(const cli_settings *settings);

/** Prints the times of a record as JSON that github-action-benchmark reads, whatever the format of
 * the settings. */
exit_status command_print_benchmark(const etr_profile *profile, const cli_settings *settings);

/** Compares the programs of two profiles and prints what differs. Returns EXIT_DONE, or a failure
 * with its message. */
exit_status command_diff_programs(const etr_profile *base, const etr_profile *newer,
                                  const cli_settings *settings);

/** Returns EXIT_ABOVE_LIMIT, with a message, if a method surely got slower than --fail-above
 * allows, or EXIT_CANNOT_TELL, with a message, if the data do not decide that or no method was
 * timed on both sides. */
exit_status command_check_limits(const etr_comparison *comparison, const cli_settings *settings);

/* ---- The named device ---- */

/** Looks up the device that --device names, in the file of --devices or in the user's own one, and
 * takes the values that no option sets. The user's is $XDG_CONFIG_HOME/etrecord-tb/devices.jsonl,
 * by default in ~/.config. "here" without --devices is this machine, of which only the processor's
 * instructions are taken, with a warning if the system does not name them. Does nothing if no
 * device is named. Fails with a message if the file or its line cannot be read, has no such device,
 * or has a value that is wrong. */
exit_status device_take(cli_settings *settings);

/* ---- One record and many ETDumps ---- */

/** Returns true if the command prints an answer for each ETDump: --each or --each-from was given.
 */
bool each_is_wanted(const cli_settings *settings);

/** Returns EXIT_USAGE, with a message, if an option is given that needs --each. */
exit_status each_check(const cli_settings *settings);

/**
 * Reads the record once, joins one ETDump after the other to it, and prints the answer about each.
 * ETDumps are the further arguments, the lines of --each-from or, without either, those of the
 * record's directory. Directories are searched with all directories below them. An ETDump that
 * cannot be read or does not fit is reported, also in the file of --problems, and the others are
 * printed.
 *
 * Returns EXIT_SOME_FAILED if some ETDumps failed, EXIT_BAD_INPUT if all did.
 */
exit_status each_run(const cli_settings *settings);

/* ---- Parquet and Arrow ---- */

/** Returns true if the format is one that the Python package writes with pyarrow. */
bool writer_is_wanted(const cli_settings *settings);

/**
 * Starts the package's writer if it is wanted, before rights are given up. From then on it gets
 * what is printed to standard output: typed JSON Lines (see etr_table_options.typed), with an empty
 * line after each answer.
 */
exit_status writer_start(const cli_settings *settings);

/** Ends the output and waits until the writer is done. Returns EXIT_BAD_INPUT if it failed, of
 * which it has printed the reason, and otherwise `status`. EXIT_USAGE stays, because it
 * is then the cause. */
exit_status writer_finish(exit_status status);

/* ---- Inputs ---- */

/** Finds the files that the settings name, and checks that --output replaces none of them. *out
 * borrows strings of the settings; free it with etr_inputs_clear() if settings->record is set.
 * Returns EXIT_BAD_INPUT, with a message, on failure. */
exit_status command_find_inputs(etr_inputs *out, const cli_settings *settings);

/** Opens the record that the settings name, compares its values if the command shows that, and
 * prints warnings. Close it with command_close(), also on failure. */
exit_status command_open(etr_profile **out, const cli_settings *settings);

/** Opens the record of --reference-record with all its graphs, and without comparing its values. It
 * may be of another model, as with --force. Close it with etr_profile_close(). */
exit_status command_open_reference(etr_profile **out, const cli_settings *settings);

enum { COMMAND_PART_FILES = 4 };

/** Fills the path of one of the files of a part of `pack`: itself, or one next to it that belongs
 * to it. index: below COMMAND_PART_FILES. Returns false if the path is too long. */
bool command_part_file(char out[PATH_MAX], const char *path, size_t index);

/** Returns a limit in bytes from the number of an option, clamped to the range of the integer. */
uint64_t command_bytes(double number);

/** Returns the options for reading that the settings ask for. With --sizes, all graphs and the
 * memory plan are read, also for a command that usually does without them. */
etr_options command_reading_options(const cli_settings *settings);

/* ---- Names ---- */

/** Checks that the names of options exist in the profile, except an empty path of a module, which
 * is the whole model, and names with wildcards. Otherwise prints an error that lists or suggests
 * names, and returns EXIT_BAD_INPUT. With --force, an unknown --op, --module or --backend is a
 * warning. */
exit_status command_check_names(const etr_profile *profile, const cli_settings *settings);

/** Returns the filter of nodes that the settings ask for. */
etr_node_filter command_filter(const cli_settings *settings);

/** Checks that --op, --module and --backend together select a node, or an event where the command
 * lists events. Returns EXIT_BAD_INPUT, with a message, if they select nothing, unless --force is
 * given. */
exit_status command_check_filter(const etr_profile *profile, const cli_settings *settings);

/** Checks that the ETDump fits the record. Returns EXIT_BAD_INPUT, with a message, if none of its
 * inferences fits a method. Commands without the option --force, and --force itself, accept it. */
exit_status command_check_dump(const etr_profile *profile, const cli_settings *settings);

/** Sets *graph to the index in profile->graphs of the first entry point (a graph module and a
 * method) that --entry and --method select. Errors: ETR_ERROR_CHOICE if there is none; the message
 * lists the entry points. */
etr_status command_find_entry_point(size_t *graph, const etr_profile *profile,
                                    const cli_settings *settings, etr_error *error);

/** Returns true if a path names a folder. */
bool command_is_folder(const char *path);

/** Opens a file for reading. Returns NULL and the reason if it cannot be opened, or if it is a
 * folder, a pipe or a device, which could wait forever; errno is ENOENT only if there is no such
 * file. */
FILE *command_open_file(const char *path, const char **reason);

/* ---- Outputs ---- */

/** Returns true if --output names a file that this process writes; "-" is standard output. */
bool command_has_file(const cli_settings *settings);

/** Returns the end of the name in --output from the last '.' on; "" if it has none. */
const char *command_extension(const cli_settings *settings);

/** Returns true if the extension of --output is one of `count` extensions, in any case. */
bool command_extension_is_one_of(const cli_settings *settings, const char *const *extensions,
                                 size_t count);

/** Returns true if the output would go to a terminal. */
bool command_fills_terminal(const cli_settings *settings);

/** Copies a word into `room` bytes as a person types it, in single quotes if a shell would read it
 * as something else. Returns false if there is no room for all of it. */
bool command_quote(char *out, size_t room, const char *word);

/** Returns the folder of --logdir, or its default. */
const char *command_logdir(const cli_settings *settings);

/** Returns the current time in seconds since 1970, with microseconds. */
double command_seconds_since_1970(void);

/** Returns the format of --format, or else the one of the file's extension. */
drawing_format command_drawing(const cli_settings *settings);

/** Returns true if `dot` is to write a picture, for which it runs Graphviz. */
bool command_draws_picture(const cli_settings *settings);

/** Writes the output of `emit` to --output or standard output, within --max-output. Returns
 * EXIT_DONE, or another status after a message. */
exit_status command_emit(const cli_settings *settings, etr_emitter emit, void *context);

/** Writes the answer of the settings' command about a profile as command_emit() does. */
exit_status command_emit_answer(const etr_profile *profile, const cli_settings *settings);

/** Returns the layout of a table by the options and by the terminal's width, color and encoding.
 * The words of --by are in the order of etr_sum_by, from ETR_SUM_BY_OP on; only in `delegation`,
 * the second one is `delegate`. */
etr_table_options command_table_options(const cli_settings *settings);

/* ---- Parsing the command line ---- */

/**
 * Parses the arguments. The command is the first argument that is not an option, or `write` if that
 * names no command. Cuts the texts NAME=VALUE and NAME=FILE of argv in two. Returns EXIT_DONE, or
 * prints what is wrong and returns EXIT_USAGE.
 */
exit_status option_parse(cli_settings *out, int argc, char **argv);

#endif
