/* SPDX-License-Identifier: BSD-3-Clause
 *
 * etrecord_tb.h - writes a profile (etrecord.h) as TensorBoard event files, Graphviz DOT and JSON.
 *
 * Emitters are pure functions of the profile and their options: no clock, host name, locale, randomness or hash order, so that the same input
 * gives the same bytes. They stream into a sink. etr_write_logdir() is the whole main job on top of them: it names the files, writes them under
 * temporary names and renames them once all are complete.
 *
 * No emitter changes the profile; any number of them may run on one profile at the same time.
 */
#ifndef ETRECORD_TB_H
#define ETRECORD_TB_H

#include "etrecord.h"
#include "etrecord_compare.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the library and the command, "MAJOR.MINOR.PATCH". Static. */
ETR_API const char *etr_version(void);

/* ---- Sinks ---------------------------------------------------------------------------------------------------------------------------- */

/** Where bytes go. */
typedef struct etr_sink {
  /** Takes `size` bytes. False: cannot take them (a full disk, a closed pipe); the emitter then stops and returns ETR_ERROR_IO. */
  bool (*write)(void *context, const void *data, size_t size);
  void *context;
} etr_sink;

/** Gives bytes to a sink: an emitter below with its arguments in `context`. */
typedef etr_status (*etr_emitter)(void *context, const etr_sink *sink, etr_error *error);

/**
 * Writes what `emit` gives into the file `path`: under a temporary name in the same folder first, which is renamed once all is written, so that
 * nothing half-written is ever there. What is no regular file (a pipe, a terminal) is written to as it is.
 *
 * Errors: ETR_ERROR_IO with the path and the reason, ETR_ERROR_MEMORY, and what `emit` returns. After an error the file is as it was.
 */
ETR_API etr_status etr_write_file(const char *path, etr_emitter emit, void *context, etr_error *error);

/* ---- Units ---------------------------------------------------------------------------------------------------------------------------- */

typedef enum etr_unit { ETR_UNIT_MS, ETR_UNIT_NS, ETR_UNIT_US, ETR_UNIT_S, ETR_UNIT_CYCLES } etr_unit;

/** "ms", "ns", "us", "s", "cycles". Static. */
ETR_API const char *etr_unit_name(etr_unit unit);

/** Ticks as a number of that unit; ETR_UNIT_CYCLES gives the ticks themselves. */
ETR_API double etr_ticks_to_unit(const etr_profile *profile, double ticks, etr_unit unit);

/* ---- TensorBoard event file ----------------------------------------------------------------------------------------------------------- */

/** A fact about how the record was made or where it ran: a column of TensorBoard's HParams table. */
typedef struct etr_hparam {
  const char *name;  /**< "device" */
  const char *value; /**< "pixel8"; what reads as a number, or as true or false, is one */
} etr_hparam;

typedef struct etr_events_options {
  double wall_time;          /**< seconds since 1970, put into every event; finite */
  const etr_hparam *hparams; /**< besides, or instead of, what the profile tells: method, backends, dtype, quantized, ... */
  size_t hparam_count;
} etr_events_options;

/**
 * Writes the event file of one entry point: the graph; if it was timed, one tagged_run_metadata per statistic (profile/avg, profile/p50,
 * profile/p90, profile/max in whole microseconds with starts packed so that every group's span is the sum of its nodes, and profile/timeline with
 * real starts); latency_ms/METHOD with one step per inference; with the first entry point, what the dashboard shows of the whole record. The bytes
 * are a sequence of TFRecords of tensorflow.Event.
 *
 * The first graph that a method's times are on has all that is told of the method besides: curves over the inferences (parts_us, op_type_us,
 * delegate_us) and over the instructions (timeline_us), histograms from five inferences on (iteration_us, iteration_op_type_us), a row of the HParams
 * table with benchmark_ms/avg|max|min|p50|p90, and pages of text: summary, operators, findings, delegation.
 *
 * graph: index into profile->graphs. options may be NULL (wall_time 0).
 * Errors: ETR_ERROR_IO (the sink refused), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_events(const etr_profile *profile, size_t graph, const etr_events_options *options, const etr_sink *sink,
                                   etr_error *error);

/* ---- Graphviz DOT --------------------------------------------------------------------------------------------------------------------- */

/** Which part of a graph is drawn. Zeroed: all of it, opened as far as it stays readable. Borrowed strings. */
typedef struct etr_dot_options {
  int depth; /**< levels of modules that are opened; 0: chosen so that at most about 150 boxes are drawn (all of a small graph); negative: all */
  const char *focus; /**< only this module of the model ("layers.0" has "layers.0.mlp") is drawn, and as boxes around it what it takes from and gives
                          to; depth counts from it. NULL: everything */
  size_t top; /**< only so many nodes, those that take most time, are drawn by themselves; the rest is one box for each run of operators between
                   them and for each module without any. depth 0 then opens whatever holds one. 0: no such choice */
} etr_dot_options;

/**
 * Writes one entry point as DOT: modules as clusters, time as heat, delegates marked, shapes and times in the labels. What lies deeper than
 * `depth` is one box per module with its summed time. Boxes around a focus or a top have no heat.
 *
 * graph: index into profile->graphs. options may be NULL.
 * Errors: ETR_ERROR_CHOICE (nothing in the graph is in module `focus`, or no such node was timed that `top` could choose; the message names the
 * modules), ETR_ERROR_IO (the sink refused), ETR_ERROR_MEMORY. On ETR_ERROR_CHOICE nothing was written.
 */
ETR_API etr_status etr_emit_dot(const etr_profile *profile, size_t graph, const etr_dot_options *options, const etr_sink *sink, etr_error *error);

/* ---- Trace ---------------------------------------------------------------------------------------------------------------------------- */

/** Zeroed: every run, as text. Borrowed strings. */
typedef struct etr_trace_options {
  const char *method; /**< only runs of this method; NULL: all, and loads */
  bool gzip;          /**< compressed, as Perfetto opens it, too */
} etr_trace_options;

/**
 * Writes the runs as Chrome trace events (schema/trace.schema.json), for Perfetto or chrome://tracing: a process for each method of each ETDump, in
 * it a track for the calls and kernels, and one for each delegate. ts is in microseconds since the dump's first run began; dumps have clocks of their
 * own. Events stand where they were measured. Those of a delegate that do not lie inside its call, because its clock is another one, are laid end to
 * end from the call's start on, and are shortened in proportion where they add up to more than the call; XNNPACK does so itself. args tell:
 * "start": "measured", "synthetic" (laid out), "moved" (the run's clock went back: it follows the run before), "ticks": the duration as recorded,
 * "scale" and "recorded_us" where it was shortened. Tracks with such starts say so in their names. A 32-bit counter that wraps is unfolded.
 *
 * options may be NULL. Errors: ETR_ERROR_CHOICE (nothing was timed; nothing was written then), ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_trace(const etr_profile *profile, const etr_trace_options *options, const etr_sink *sink, etr_error *error);

/* ---- Model Explorer ------------------------------------------------------------------------------------------------------------------- */

/** What is told of each node. */
typedef enum etr_node_statistic { ETR_NODE_AVG, ETR_NODE_P50, ETR_NODE_P90, ETR_NODE_MAX, ETR_NODE_BACKEND } etr_node_statistic;

/** Zeroed: the average in milliseconds. */
typedef struct etr_node_data_options {
  etr_node_statistic statistic;
  etr_unit unit; /**< of times */
} etr_node_data_options;

/**
 * Writes one value for each node of an entry point as "custom node data" of Google's Model Explorer (schema/model_explorer.schema.json): times with a
 * gradient, or backends as text, "cpu" of kernels. One file is one column there; another statistic is another file. It holds no graph's id, so the
 * viewer lays it over the graph that is open.
 *
 * Keys are the names of the graph's nodes: those are the ids that Model Explorer's adapter for PyTorch exported programs gives nodes (both of an ATen
 * and of an Edge program), and Arm's ETRecord adapter as well. Both show the top level only: nodes of nested graphs have no key; their average is
 * added to the node that holds them. Nodes that were not timed, or whose time another node carries, have none either. Ids that other adapters give
 * (of a .pte) are not known here.
 *
 * graph: index into profile->graphs. options may be NULL.
 * Errors: ETR_ERROR_CHOICE (a graph of a .pte, or nothing is known of its nodes; nothing was written then), ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_node_data(const etr_profile *profile, size_t graph, const etr_node_data_options *options, const etr_sink *sink,
                                      etr_error *error);

/* ---- Tables and JSON ------------------------------------------------------------------------------------------------------------------ */

/**
 * Which nodes an answer is about. Zeroed: all. Borrowed strings. An event is its node's; where it has none, it is nobody's but its backend's. Where
 * less than all is asked for, sums are of what is shown, and the answer says so.
 */
typedef struct etr_node_filter {
  const char *method;       /**< only graphs of this method */
  const char *graph_module; /**< only entry points of this module: "edge", "aten", ... */
  const char *module;       /**< only nodes in this module of the model or below it: "layers.0" has "layers.0.mlp", not "layers.01" */
  const char *op;           /**< glob over the target, '*' and '?': "aten.conv*" */
  const char *backend;      /**< only nodes that run in this backend; "cpu": only those that ran as kernels */
} etr_node_filter;

/**
 * Writes the nodes of every graph with their times, schema "etrecord-tb/nodes/1" (schema/nodes.schema.json). filter may be NULL.
 * Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_nodes_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit, const etr_sink *sink,
                                       etr_error *error);

/**
 * Writes the event blocks as ExecuTorch's Inspector has them, joined, schema "etrecord-tb/events/1" (schema/events.schema.json). filter may be NULL.
 * Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_events_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit, const etr_sink *sink,
                                        etr_error *error);

/** How a table is laid out. */
typedef enum etr_table_format {
  ETR_TABLE_TEXT, /**< for people: columns cut so that a line fits the width */
  ETR_TABLE_CSV,  /**< RFC 4180, with a quote before what a spreadsheet would run as a formula */
  ETR_TABLE_TSV,
  ETR_TABLE_MARKDOWN,
} etr_table_format;

/** Order of a table's rows; one that has no such order stays as it is. */
typedef enum etr_node_order { ETR_ORDER_TIME, ETR_ORDER_NAME, ETR_ORDER_OP, ETR_ORDER_MODULE, ETR_ORDER_GRAPH } etr_node_order;

/** Zeroed: text, milliseconds, by time, all rows, 100 columns. */
typedef struct etr_table_options {
  etr_table_format format;
  etr_unit unit;
  etr_node_order order; /**< longest time, or alphabetical, first */
  size_t top;           /**< rows at most; 0: all */
  int depth;            /**< levels of a tree of modules; 0: chosen so that it stays readable */
  size_t width;         /**< columns of text; 0: 100 */
  bool color;           /**< text for a terminal: headings bold, large shares in colour, what is estimated dim */
  bool ascii;           /**< text for a reader that shows nothing else: other characters are replaced */
} etr_table_options;

/**
 * Writes the operators as a table: where something was timed, those that ran; otherwise all. filter and options may be NULL.
 * Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_nodes_table(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                                        const etr_sink *sink, etr_error *error);

/**
 * Writes what the runs logged as a table: one row for each tensor and scalar that an instruction, a delegate's operator or the method gave, with
 * its numbers over all runs, in the order in which they were logged. filter: only values of the nodes it takes, and what belongs to no node (the
 * arguments of a delegate's call) only where it restricts nothing but the method; NULL: all. options.order is not used. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_values_table(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                                         const etr_sink *sink, etr_error *error);

/** Writes the events as a table, block by block. filter and options may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_events_table(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                                         const etr_sink *sink, etr_error *error);

/**
 * Writes where each method's time goes, schema "etrecord-tb/summary/1" (schema/summary.schema.json): nodes +
 * delegate_only + framework + unexplained = the average of execute, inserted + rest_of_calls = delegate_only. filter (may
 * be NULL) chooses methods, and the nodes that its lists add up. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_summary_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit, const etr_sink *sink,
                                         etr_error *error);

/**
 * The same for people as text or Markdown, for programs as one long table. options->top: rows of each list. filter and options may be NULL.
 * Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_summary_tables(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                                           const etr_sink *sink, etr_error *error);

/** Where the model's source files are. Zeroed: they are not looked for. */
typedef struct etr_source_options {
  bool read_files;  /**< reads files that the record names, as far as they are regular files of at most 4 MiB with the recorded code in its place */
  const char *root; /**< looks for them in this directory, with ever fewer of the folders that were recorded; NULL: where they were */
} etr_source_options;

/**
 * Writes the model's own source lines with their time, schema "etrecord-tb/source/1" (schema/source.schema.json). filter may be NULL. A method's
 * lines add up to its time on the nodes asked for. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_source_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit, const etr_sink *sink,
                                        etr_error *error);

/**
 * The same as text, file by file with the lines around, or as one table without them. options->top: lines of each method, those with the most time.
 * filter, source and options may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. Files that cannot be read are no error.
 */
ETR_API etr_status etr_emit_source_tables(const etr_profile *profile, const etr_node_filter *filter, const etr_source_options *source,
                                          const etr_table_options *options, const etr_sink *sink, etr_error *error);

/**
 * Writes what is delegated, per operator type, as ExecuTorch's print_delegation_info counts it, with times, schema "etrecord-tb/delegation/1"
 * (schema/delegation.schema.json). Bodies of control flow are not counted; their time is that of the node that holds them, on the side where they
 * ran. A side of which no time is known, as of operators that were fused into others, has null. filter (may be NULL): the nodes that are counted.
 * Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_delegation_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit, const etr_sink *sink,
                                            etr_error *error);

/** The same as tables. filter and options may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_delegation_tables(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                                              const etr_sink *sink, etr_error *error);

/** Writes what is in the inputs as tables. options may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_info_tables(const etr_profile *profile, const etr_table_options *options, const etr_sink *sink, etr_error *error);

/** Writes what is in the inputs, schema "etrecord-tb/info/1" (schema/info.schema.json). Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_info_json(const etr_profile *profile, etr_unit unit, const etr_sink *sink, etr_error *error);

/* ---- The dashboard -------------------------------------------------------------------------------------------------------------------- */

/**
 * Writes all that the dashboard shows of every method: balance, operators with their times, modules, source lines, delegation, the events of the
 * median run, schema "etrecord-tb/profile/1" (schema/profile.schema.json). Compact: operators and events stand column by column, texts that repeat
 * once at the end. Times are nanoseconds. etr_emit_events() puts it into the event file of the first entry point.
 * Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_profile_json(const etr_profile *profile, const etr_sink *sink, etr_error *error);

/**
 * Writes the dashboard with that document as one HTML file that needs nothing else: it opens from a disk, without a server or a network, which its
 * content security policy forbids. unit: what times are shown in at first. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_report(const etr_profile *profile, etr_unit unit, const etr_sink *sink, etr_error *error);

/* ---- Comparisons ---------------------------------------------------------------------------------------------------------------------- */

/** Which part of a comparison to write. */
typedef enum etr_diff_by {
  ETR_DIFF_BY_ALL,
  ETR_DIFF_BY_NODE,
  ETR_DIFF_BY_OP,
  ETR_DIFF_BY_MODULE,
  ETR_DIFF_BY_BACKEND,
  ETR_DIFF_BY_VALUE
} etr_diff_by;

/** Zeroed: everything. Borrowed strings. */
typedef struct etr_diff_filter {
  const char *method; /**< only this one */
  etr_diff_by by;
} etr_diff_filter;

/**
 * Writes a comparison, schema "etrecord-tb/diff/1" (schema/diff.schema.json): for each method the medians and the verdict of its Method::execute, the
 * averages of its parts, all nodes, sums by operator, module and backend, and the numeric gap of what both sides logged. filter may be NULL. Errors:
 * ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_diff_json(const etr_comparison *comparison, const etr_diff_filter *filter, etr_unit unit, const etr_sink *sink,
                                      etr_error *error);

/**
 * The same as tables. Text and Markdown list what is not within noise, options->top rows of each kind (0: all there is, within noise too), largest
 * change of the median first; Markdown starts with the verdict and folds the details away. CSV and TSV are one table of all times, or, with
 * ETR_DIFF_BY_VALUE, of the numeric gap; options->top rows of each kind (0: all), within noise or not. filter and options may be NULL.
 * Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_diff_tables(const etr_comparison *comparison, const etr_diff_filter *filter, const etr_table_options *options,
                                        const etr_sink *sink, etr_error *error);

/* ---- The main job --------------------------------------------------------------------------------------------------------------------- */

/** Where files go and what they are called. Zeroed: below "runs", by the record's name. Borrowed strings. */
typedef struct etr_logdir_options {
  const char *logdir;        /**< directory, made if it is not there; NULL: "runs" */
  const char *name;          /**< folder below it; NULL: made from the record's path. Percent-encoded where a file system would mind */
  double wall_time;          /**< as in etr_events_options, and in the files' names */
  const char *host;          /**< for the files' names, as TensorBoard's own writers have it; NULL: "localhost" */
  long pid;                  /**< likewise */
  int dot_depth;             /**< as etr_dot_options.depth */
  const etr_hparam *hparams; /**< as in etr_events_options */
  size_t hparam_count;
  /** Told of each file once all are in place; may be NULL. entry_point: "edge/forward", hostile. kind: "events" or "dot". */
  void (*on_file)(void *context, const char *path, const char *entry_point, const char *kind);
  void *context;
} etr_logdir_options;

/**
 * Writes LOGDIR/NAME/K_MODULE/METHOD/events.out.tfevents.SECONDS.HOST.PID.0 and LOGDIR/NAME/dot/MODULE/METHOD.dot for every entry point, K
 * counting from 1 in the profile's order. All files are written under temporary names first and renamed when every one is complete; event files
 * that an earlier call left in these run folders are then removed, so that TensorBoard never shows a mix. When anything fails, nothing
 * that was there before is changed and no temporary file is left.
 *
 * options may be NULL.
 * Errors: ETR_ERROR_CHOICE (there is no graph to write: an ETDump alone has none), ETR_ERROR_IO with the path, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_write_logdir(const etr_profile *profile, const etr_logdir_options *options, etr_error *error);

/**
 * The same for several ETDumps of one record, each of which becomes runs of its own: a profile for each, one after the other, all put in place
 * together. options are borrowed until the end.
 *
 *   etr_logdir_begin(&logdir, &options, &error);
 *   for each ETDump: etr_profile_open(&profile, ...); etr_logdir_add(logdir, profile, "pixel8", &error); etr_profile_close(profile);
 *   etr_logdir_finish(logdir, &error);
 */
typedef struct etr_logdir etr_logdir;

/** Starts; *out ends with etr_logdir_finish() or etr_logdir_discard(). options may be NULL. Errors: ETR_ERROR_MEMORY. */
ETR_API etr_status etr_logdir_begin(etr_logdir **out, const etr_logdir_options *options, etr_error *error);

/**
 * Writes a profile's files under temporary names. dump: a name for its ETDump, which no other one has: LOGDIR/NAME/DUMP/K_MODULE/METHOD/events...,
 * DOT in LOGDIR/NAME/dot/DUMP/MODULE/, and a column `etdump` in the HParams table; NULL if it is the only one. Errors: as etr_write_logdir(); discard
 * it then.
 */
ETR_API etr_status etr_logdir_add(etr_logdir *logdir, const etr_profile *profile, const char *dump, etr_error *error);

/**
 * Puts everything in place and removes the event files that earlier calls left, of single ETDumps and of several; frees the logdir in any case.
 * Errors: ETR_ERROR_IO with the path, ETR_ERROR_MEMORY; then nothing that was there before is changed.
 */
ETR_API etr_status etr_logdir_finish(etr_logdir *logdir, etr_error *error);

/** Removes everything that was written since etr_logdir_begin(), and frees the logdir. NULL is allowed. */
ETR_API void etr_logdir_discard(etr_logdir *logdir);

#ifdef __cplusplus
}
#endif

#endif
