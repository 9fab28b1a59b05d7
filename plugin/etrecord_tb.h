/* SPDX-License-Identifier: BSD-3-Clause
 *
 * etrecord_tb.h - writes a profile (etrecord.h) as TensorBoard event files, Graphviz DOT and JSON.
 *
 * Emitters are pure functions of the profile and their options: no clock, host name, locale, randomness or hash order,
 * so the same input gives the same bytes. They stream into a sink. etr_write_logdir() does the main job with them: it
 * names the files, writes them under temporary names and renames them once all are complete.
 *
 * No emitter changes the profile; any number may run on one profile at the same time.
 */
#ifndef ETRECORD_TB_H
#define ETRECORD_TB_H

#include "etrecord.h"
#include "etrecord_compare.h"
#include "etrecord_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the library and the command, "MAJOR.MINOR.PATCH". Static. */
ETR_API const char *etr_version(void);

/* ---- Sinks ---- */

/**
 * Writes a text that may come from a file, such as a name or a path, so that it cannot steer a terminal or break a
 * line: control characters, characters that turn the direction of writing and bytes that are not UTF-8 become '?'.
 * False: the sink refused.
 */
ETR_API bool etr_write_plain(const etr_sink *sink, const char *text);

/**
 * Writes the output of `emit` to the file `path`: first to a temporary file in the same folder, which is renamed once
 * complete, so that a half-written file never appears; it gets the permissions of the file that it replaces. Pipes,
 * terminals and the like are written to directly. Removes temporary files that a killed process left in that folder
 * (.etrecord-tb.*.tmp).
 *
 * Errors: ETR_ERROR_IO with the path and the reason, ETR_ERROR_MEMORY, and what `emit` returns. After an error the file
 * is unchanged.
 */
ETR_API etr_status etr_write_file(const char *path, etr_emitter emit, void *context, etr_error *error);

/** An emitter with limited output, since a small input can produce a large one. */
typedef struct etr_limited {
  etr_emitter emit;
  void *context;
  uint64_t max_bytes; /**< limit on the bytes of all calls together; 0: 4 GiB */
  uint64_t written;   /**< so far; zero it before the first call */
} etr_limited;

/**
 * An etr_emitter whose context is an etr_limited. Calls its emitter, and stops it at the limit with ETR_ERROR_FORMAT
 * and a message that names the command's option; other errors are the emitter's. etr_write_file() then leaves the file
 * unchanged.
 */
ETR_API etr_status etr_emit_limited(void *limited, const etr_sink *sink, etr_error *error);

/* ---- Units ---- */

typedef enum etr_unit { ETR_UNIT_MS, ETR_UNIT_NS, ETR_UNIT_US, ETR_UNIT_S, ETR_UNIT_CYCLES } etr_unit;

/** "ms", "ns", "us", "s", "cycles". Static. */
ETR_API const char *etr_unit_name(etr_unit unit);

/** Converts ticks to a unit; ETR_UNIT_CYCLES returns the ticks themselves. */
ETR_API double etr_ticks_to_unit(const etr_profile *profile, double ticks, etr_unit unit);

/* ---- What no file says ---- */

/** A fact about the record, the device or the build. */
typedef struct etr_tag {
  const char *name;  /**< "device" */
  const char *value; /**< "pixel8" */
} etr_tag;

/* ---- TensorBoard event file ---- */

typedef struct etr_events_options {
  double wall_time;       /**< seconds since 1970, put into every event; finite */
  const etr_tag *hparams; /**< columns of the dashboard's Fleet tab and of TensorBoard's HParams table, there in
                             addition to those from the profile (method, backends, dtype, quantized, ...), or replacing
                             them; a value that reads as a number, true or false becomes one */
  size_t hparam_count;
} etr_events_options;

/**
 * Writes the event file of one entry point: the graph; if it was timed, one tagged_run_metadata per statistic
 * (profile/avg, profile/p50, profile/p90, profile/max in whole microseconds with starts packed so that every group's
 * span is the sum of its nodes, and profile/timeline with real starts). The bytes are a sequence of TFRecords of
 * tensorflow.Event.
 *
 * The profile's first graph also gets everything about the record: for each method that ran, curves over the inferences
 * (latency_ms/METHOD, parts_us, op_type_us, delegate_us) and over the instructions (timeline_us), benchmark_ms/avg|max|
 * min|p50|p90, histograms from five inferences on (iteration_us, iteration_op_type_us), and pages of text: summary,
 * findings, operators, delegation; of each method that the program has memory_bytes/live over the instructions, peak
 * and planned, and a page of memory; one row of the HParams table; and the dashboard's documents: the record's, and the
 * few figures that its list of all records shows. Where there are several methods, all these tags end in "/METHOD".
 *
 * graph: index into profile->graphs. options may be NULL (wall_time 0).
 * Errors: ETR_ERROR_IO (the sink refused), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_events(const etr_profile *profile, size_t graph, const etr_events_options *options,
                                   const etr_sink *sink, etr_error *error);

/* ---- Graphviz DOT ---- */

/** Which part of a graph to draw. Zeroed: all of it, expanded as far as it stays readable. Borrowed strings. */
typedef struct etr_dot_options {
  int depth; /**< levels of modules to expand; 0: as many as give at most about 150 boxes (all of a small graph);
                negative: all */
  const char *focus; /**< draw only this module of the model ("layers.0" contains "layers.0.mlp"), and its neighbours as
                        boxes; depth counts from it. NULL: everything */
  size_t top;        /**< draw only so many nodes, the slowest, by themselves; the rest becomes one box for each run of
                        operators between them and for each module without any. depth 0 then expands what contains one.
                        0: off */
  bool fold;         /**< draw blocks that are the same (etr_module.pattern; operators, types, wiring, shapes, backends)
                        once, with the time of all of them; depth 0 then expands at most about 40 boxes, so that a model
                        fits a page */
} etr_dot_options;

/**
 * Writes one entry point as DOT: modules as clusters, time as heat, delegates marked, shapes and times in the labels.
 * Below `depth`, each module is one box with its total time. Boxes around a focus or a top have no heat.
 *
 * Times are averages or, where etr_profile.statistic says so, medians; of several nodes then the sum of theirs.
 *
 * graph: index into profile->graphs. options may be NULL.
 * Errors: ETR_ERROR_CHOICE (no node is in module `focus`, or `top` has no timed node to choose; the message
 * names the modules), ETR_ERROR_IO (the sink refused), ETR_ERROR_MEMORY. On ETR_ERROR_CHOICE
 * nothing was written.
 */
ETR_API etr_status etr_emit_dot(const etr_profile *profile, size_t graph, const etr_dot_options *options,
                                const etr_sink *sink, etr_error *error);

/* ---- Trace ---- */

/** Zeroed: every run, as text. Borrowed strings. */
typedef struct etr_trace_options {
  const char *method; /**< only runs of this method; NULL: all, and loads */
  bool gzip;          /**< compressed, which Perfetto opens, too */
} etr_trace_options;

/**
 * Writes the runs as Chrome trace events (schema/trace.schema.json), for Perfetto or chrome://tracing: a process for
 * each method of each ETDump, in it a track for the calls and kernels, and one for each backend. Bars are named by the
 * node's module and operator, if there is a node; args.event is the event's own name. ts is in microseconds
 * since the dump's first run began; each dump has its own clock. Events stand where they were measured. Events of a
 * delegate that lie outside its call, because its clock is a different one, are laid end to end from the start of the
 * call, and scaled down if they add up to more than the call; XNNPACK's always are. args:
 * "start": "measured", "synthetic" (laid out), "moved" (the run's clock went back: it follows the run before), "ticks":
 * the duration as recorded, "scale" and "recorded_us" where it was shortened. The names of
 * tracks with such starts say so. A wrapping 32-bit counter is unwrapped.
 *
 * options may be NULL. Errors: ETR_ERROR_CHOICE (nothing was timed; nothing has been written), ETR_ERROR_IO,
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_trace(const etr_profile *profile, const etr_trace_options *options, const etr_sink *sink,
                                  etr_error *error);

/* ---- Model Explorer ---- */

/** The value of each node. */
typedef enum etr_node_statistic {
  ETR_NODE_AVG,
  ETR_NODE_P50,
  ETR_NODE_P90,
  ETR_NODE_MAX,
  ETR_NODE_BACKEND
} etr_node_statistic;

/** The adapter that shows the graph in Model Explorer; each has its own ids of nodes. */
typedef enum etr_node_adapter {
  ETR_ADAPTER_AUTO,     /**< PT2 for the record's exported program, which the other one does not show; else ETRECORD */
  ETR_ADAPTER_ETRECORD, /**< Arm's, for ETRecords (etrecord-adapter-model-explorer): NAME_ */
  ETR_ADAPTER_PT2       /**< Model Explorer's own, for exported programs saved by torch.export.save(): NAME */
} etr_node_adapter;

/** Zeroed: the average in milliseconds. */
typedef struct etr_node_data_options {
  etr_node_statistic statistic;
  etr_unit unit; /**< of times */
  etr_node_adapter adapter;
} etr_node_data_options;

/**
 * Writes one value for each node of an entry point as "custom node data" of Google's Model Explorer
 * (schema/model_explorer.schema.json): times with a gradient, or backends as text, "cpu" of kernels. One file is one
 * column there; another statistic is another file. It names no graph, so the viewer applies it to the open
 * graph.
 *
 * Keys are the ids that the adapter gives to nodes. Both adapters show the top level only: nodes of nested graphs have
 * no key; their average counts for the node that holds them. Nodes without a time, and those whose time another node
 * carries, have no key either. The ids of other adapters (for a .pte) are unknown.
 *
 * graph: index into profile->graphs. options may be NULL.
 * Errors: ETR_ERROR_CHOICE (a graph of a .pte, or a graph without values; nothing has been written),
 * ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_node_data(const etr_profile *profile, size_t graph, const etr_node_data_options *options,
                                      const etr_sink *sink, etr_error *error);

/* ---- Tables and JSON ---- */

/* What lists lead with, rank by and give shares of is etr_profile.statistic; documents name it under "stat". */

/**
 * Selects nodes. Zeroed: all. Borrowed strings. An event is selected with its node; without one, by its backend only.
 * Sums then cover the selection, and the output says so.
 */
typedef struct etr_node_filter {
  const char *method;       /**< only graphs of this method */
  const char *graph_module; /**< only entry points of this module: "edge", "aten", ... */
  const char *
      module; /**< only nodes in this module of the model or below it: "layers.0" has "layers.0.mlp", not "layers.01" */
  const char *op;      /**< glob over the target, '*' and '?': "aten.conv*" */
  const char *backend; /**< only nodes that run in this backend; "cpu": only those that ran as kernels */
} etr_node_filter;

/** How many nodes of all graphs the filter selects, and how many events of all blocks; 0: the name of a module or
 * operator is probably mistyped. filter may be NULL. */
ETR_API size_t etr_count_nodes(const etr_profile *profile, const etr_node_filter *filter);
ETR_API size_t etr_count_events(const etr_profile *profile, const etr_node_filter *filter);

/**
 * Returns the word that is more like a mistyped text: `best`, which may be NULL, or `word`. Likeness is the number of
 * letters that are left out, inserted, changed or swapped with a neighbour; a word that begins with the text is like
 * it. Returns NULL if neither word is like the text. Call it with each word of a list to find the most similar one.
 */
ETR_API const char *etr_nearer_word(const char *text, size_t size, const char *best, const char *word);

/**
 * Writes the nodes of every graph with their times, schema "etrecord-tb/nodes/1" (schema/nodes.schema.json). filter may
 * be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_nodes_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit,
                                       const etr_sink *sink, etr_error *error);

/**
 * Writes the event blocks as ExecuTorch's Inspector has them, joined, schema "etrecord-tb/events/1"
 * (schema/events.schema.json). filter may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_events_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit,
                                        const etr_sink *sink, etr_error *error);

/** Format of a table. */
typedef enum etr_table_format {
  ETR_TABLE_TEXT, /**< for people: columns are cut to fit the width */
  ETR_TABLE_CSV,  /**< RFC 4180, with a quote before anything that a spreadsheet would run as a formula */
  ETR_TABLE_TSV,
  ETR_TABLE_MARKDOWN,
  ETR_TABLE_JSON_LINES, /**< one object per row, with CSV's columns, typed numbers and null for empty cells; rows of
                           nodes and events begin with `record` and `run`, the names of the ETRecord and the ETDump */
} etr_table_format;

/** Order of a table's rows; in names, numbers count as such. A table without that order keeps its own. */
typedef enum etr_node_order {
  ETR_ORDER_TIME,
  ETR_ORDER_NAME,
  ETR_ORDER_OP,
  ETR_ORDER_MODULE,
  ETR_ORDER_GRAPH,
  ETR_ORDER_EXECUTION, /**< of nodes: by etr_node_time.instruction */
  ETR_ORDER_MACS,      /**< of nodes: the most first; where they are not known, last */
  ETR_ORDER_BYTES      /**< likewise of what they move */
} etr_node_order;

/** One breakdown of a summary. */
typedef enum etr_sum_by {
  ETR_SUM_BY_ALL, /**< no choice: everything a summary has, but for ETR_SUM_BY_PATTERN */
  ETR_SUM_BY_OP,
  ETR_SUM_BY_MODULE,
  ETR_SUM_BY_PATTERN, /**< modules that repeat together, by etr_module.pattern */
  ETR_SUM_BY_BACKEND,
  ETR_SUM_BY_SOURCE,
} etr_sum_by;

/** A width for text that nobody reads on a terminal: names are never cut, columns never left out, and lines of running
 * text have 100 columns. */
#define ETR_ANY_WIDTH SIZE_MAX

/** Zeroed: text, milliseconds, by time, all rows, 100 columns. */
typedef struct etr_table_options {
  etr_table_format format;
  etr_unit unit;
  etr_node_order order; /**< longest time, or alphabetical, first */
  size_t top;           /**< rows at most; 0: all */
  int depth;            /**< levels of a module tree; 0: as many as stay readable */
  size_t width;         /**< columns of text; 0: 100; or ETR_ANY_WIDTH */
  bool color;           /**< for a terminal: bold headings, large shares in colour, estimates dim */
  bool ascii;           /**< replace all other characters */
  const char *columns;  /**< of nodes, events, values, delegation, memory: only these columns of CSV, in this order,
                           with '_' for blanks: "node,avg"; NULL: the usual */
  const etr_tag *tags;  /**< of nodes and events: columns of JSON Lines behind `record` and `run`, with these values in
                           every row; tags of these two names replace them */
  size_t tag_count;
  etr_sum_by by;    /**< of a summary: only this breakdown; of delegation ETR_SUM_BY_OP: only operator types */
  bool by_delegate; /**< of delegation: each delegate with its phases and compute units instead of operator types */
} etr_table_options;

/**
 * Writes the operators as a table: those that were timed, or all if none was. filter and options may be
 * NULL. Errors: ETR_ERROR_OPTION (no such column: the message lists them; or a tag that is called like one; nothing has
 * been written), ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_nodes_table(const etr_profile *profile, const etr_node_filter *filter,
                                        const etr_table_options *options, const etr_sink *sink, etr_error *error);

/**
 * Writes the logged values as a table: one row for each tensor and scalar that an instruction, a delegate's operator or
 * the method produced, with its statistics over all runs, in the order of logging. filter: only values of the selected
 * nodes; values without a node (arguments of a delegate call) only if it selects by method alone; NULL: all.
 * options.order is ignored. Errors: as etr_emit_nodes_table().
 */
ETR_API etr_status etr_emit_values_table(const etr_profile *profile, const etr_node_filter *filter,
                                         const etr_table_options *options, const etr_sink *sink, etr_error *error);

/** Writes the events as a table, block by block. filter and options may be NULL. Errors: as
 * etr_emit_nodes_table(). */
ETR_API etr_status etr_emit_events_table(const etr_profile *profile, const etr_node_filter *filter,
                                         const etr_table_options *options, const etr_sink *sink, etr_error *error);

/**
 * Writes where each method's time goes, schema "etrecord-tb/summary/1" (schema/summary.schema.json): nodes +
 * delegate_only + framework + unexplained = the average of execute, inserted + rest_of_calls = delegate_only. filter
 * (may be NULL) chooses methods, and the nodes that its lists add up. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_summary_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit,
                                         const etr_sink *sink, etr_error *error);

/**
 * The same as text or Markdown, or as one long table for programs. options->top: rows of each list. filter and
 * options may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_summary_tables(const etr_profile *profile, const etr_node_filter *filter,
                                           const etr_table_options *options, const etr_sink *sink, etr_error *error);

/** How to find the model's source files. Zeroed: do not. */
typedef struct etr_source_options {
  bool read_files;  /**< reads files that the record names, if they are regular files of at most 4 MiB and have the
                       recorded code in its place */
  const char *root; /**< looks for them in this directory, dropping leading folders of the recorded paths one by one;
                       NULL: at the recorded paths */
  bool
      by_pattern; /**< splits each line by the modules that it is run for, repeated ones together: etr_module.pattern */
} etr_source_options;

/**
 * Writes the model's own source lines with their time, schema "etrecord-tb/source/1" (schema/source.schema.json).
 * filter may be NULL. A method's lines add up to its time on the selected nodes. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_source_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit,
                                        const etr_sink *sink, etr_error *error);

/**
 * The same as text, file by file with surrounding lines, or as one table without them. options->top: the slowest lines
 * of each method. filter, source and options may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 * Unreadable files are not an error.
 */
ETR_API etr_status etr_emit_source_tables(const etr_profile *profile, const etr_node_filter *filter,
                                          const etr_source_options *source, const etr_table_options *options,
                                          const etr_sink *sink, etr_error *error);

/**
 * Writes the delegation per operator type, counted as by ExecuTorch's print_delegation_info, with times, schema
 * "etrecord-tb/delegation/1" (schema/delegation.schema.json). Bodies of control flow are not counted; their time
 * counts for the node that holds them, on the side where they ran. A side without a known time, like that of operators
 * fused into others, has null. filter (may be NULL): the nodes to count. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_delegation_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit,
                                            const etr_sink *sink, etr_error *error);

/** The same as tables. filter and options may be NULL. Errors: as etr_emit_nodes_table(). */
ETR_API etr_status etr_emit_delegation_tables(const etr_profile *profile, const etr_node_filter *filter,
                                              const etr_table_options *options, const etr_sink *sink, etr_error *error);

/**
 * Writes the memory of each method as the program plans it: buffers, each planned tensor with its place and lifetime,
 * what is live at each instruction and at the peak, inputs and outputs, delegates' bytes, weights, allocations that the
 * ETDumps logged, what the program does not say, and findings; then constants and segments. Schema
 * "etrecord-tb/memory/1" (schema/memory.schema.json). Only filter's method counts; filter may be NULL. Without a .pte
 * there is no plan, only weights. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_memory_json(const etr_profile *profile, const etr_node_filter *filter, etr_unit unit,
                                        const etr_sink *sink, etr_error *error);

/**
 * Writes the same as text or Markdown, lists with options.top rows; in other formats, or with options.columns, one
 * table with a row for each planned tensor and each constant. filter and options may be NULL. Errors: as
 * etr_emit_nodes_table().
 */
ETR_API etr_status etr_emit_memory_tables(const etr_profile *profile, const etr_node_filter *filter,
                                          const etr_table_options *options, const etr_sink *sink, etr_error *error);

/** Writes the contents of the inputs: for people as tables; for programs as one table with the columns section, key and
 * value, a key being ROW.COLUMN of such a table. options may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_info_tables(const etr_profile *profile, const etr_table_options *options,
                                        const etr_sink *sink, etr_error *error);

/** Writes the contents of the inputs, schema "etrecord-tb/info/1" (schema/info.schema.json). Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_info_json(const etr_profile *profile, etr_unit unit, const etr_sink *sink,
                                      etr_error *error);

/** Writes what is wrong with a record, schema "etrecord-tb/validate/1" (schema/validate.schema.json). Errors:
 * ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_validation_json(const etr_validation *validation, const etr_sink *sink, etr_error *error);

/** The same as a table. options may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_validation_table(const etr_validation *validation, const etr_table_options *options,
                                             const etr_sink *sink, etr_error *error);

/* ---- The dashboard ---- */

/**
 * Writes the dashboard's document, with every method: balance, operators with their times, modules, source lines,
 * delegation, the events of the median run and where they are drawn, and what etr_compare_documents() needs, schema
 * "etrecord-tb/profile/1" (schema/profile.schema.json). Compact: operators and events are stored by column, repeated
 * texts once at the end. Times are nanoseconds. etr_emit_events() puts it into the event file of the first entry
 * point. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_profile_json(const etr_profile *profile, const etr_sink *sink, etr_error *error);

/**
 * Writes the dashboard with that document as one self-contained HTML file: it opens from a disk, without a server; its
 * content security policy forbids the network. unit: the unit of times at first. Errors:
 * ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_report(const etr_profile *profile, etr_unit unit, const etr_sink *sink, etr_error *error);

/**
 * The same for a record and a base: both documents, and their comparison by etr_compare_documents().
 * Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY; ETR_ERROR_CHOICE: as etr_compare_documents().
 */
ETR_API etr_status etr_emit_report_of_two(const etr_profile *base, const etr_profile *newer, etr_unit unit,
                                          const etr_sink *sink, etr_error *error);

/* ---- Comparisons ---- */

/** The part of a comparison to write. */
typedef enum etr_diff_by {
  ETR_DIFF_BY_ALL,
  ETR_DIFF_BY_NODE,
  ETR_DIFF_BY_OP,
  ETR_DIFF_BY_MODULE,
  ETR_DIFF_BY_PATTERN, /**< of modules: see etr_module */
  ETR_DIFF_BY_BACKEND,
  ETR_DIFF_BY_VALUE
} etr_diff_by;

/** Zeroed: everything. Borrowed strings. */
typedef struct etr_diff_filter {
  const char *method; /**< only this one */
  etr_diff_by by;
} etr_diff_filter;

/**
 * Writes a comparison, schema "etrecord-tb/diff/2" (schema/diff.schema.json): for each method the medians, the
 * interval and the verdict of its Method::execute, the averages of its parts, all nodes, sums by operator, module and
 * backend, and the numeric gap of the values logged on both sides. filter may be NULL. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_diff_json(const etr_comparison *comparison, const etr_diff_filter *filter, etr_unit unit,
                                      const etr_sink *sink, etr_error *error);

/**
 * Writes what is said of a change, and why it cannot be told: "12.3 % slower (between 10.1 and 14.5 %)", "+4.1 %
 * (between -4.3 and +13.2 %); one recording a side: ...; record 5 on each side, in turns". Plain ASCII, ended by
 * NUL, cut to `size` bytes (1 or more); 512 are enough. change: of this comparison.
 */
ETR_API void etr_describe_change(char *room, size_t size, const etr_comparison *comparison, const etr_change *change);

/**
 * The same as tables. Text and Markdown list changes beyond the noise, options->top rows of each kind (0: all rows,
 * within noise too), largest change of the median first; Markdown starts with the verdict and folds the details.
 * CSV and TSV are one table of all times, or, with ETR_DIFF_BY_VALUE, of the numeric gap; options->top rows of each
 * kind (0: all), within noise or not. filter and options may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_diff_tables(const etr_comparison *comparison, const etr_diff_filter *filter,
                                        const etr_table_options *options, const etr_sink *sink, etr_error *error);

/* ---- The main job ---- */

/** Where files go, and their names. Zeroed: below "runs", by the record's name. Borrowed strings. */
typedef struct etr_logdir_options {
  const char *logdir;     /**< directory, created if missing; NULL: "runs" */
  const char *name;       /**< folder below it, or "a/b" for one in another; NULL: made from the record's path.
                             Percent-encoded where a file system requires it; nothing leads out of logdir */
  double wall_time;       /**< as in etr_events_options, and in the files' names */
  const char *host;       /**< for the files' names, as TensorBoard's own writers have it; NULL: "localhost" */
  long pid;               /**< likewise */
  int dot_depth;          /**< as etr_dot_options.depth */
  const etr_tag *hparams; /**< as in etr_events_options */
  size_t hparam_count;
  /** Called for each file once all are in place; may be NULL. entry_point: "edge/forward"; comes from the record.
   * kind: "events" or "dot". */
  void (*on_file)(void *context, const char *path, const char *entry_point, const char *kind);
  void *context;
  uint64_t max_bytes; /**< limit on the bytes of all files together; 0: 4 GiB */
  const char *graphs; /**< modules of the graphs to write, "edge" or "edge,aten"; NULL: all */
} etr_logdir_options;

/**
 * Writes LOGDIR/NAME/K_MODULE/METHOD/events.out.tfevents.SECONDS.HOST.PID.0 and LOGDIR/NAME/dot/MODULE/METHOD.dot for
 * every entry point, K counting from 1 in the profile's order. All files are written under temporary names first, and
 * renamed when every one is complete and on disk. If anything fails, existing files stay unchanged and no temporary
 * file is left. For signals that end the process, see etr_remove_unfinished().
 *
 * LOGDIR/NAME/.etrecord-tb lists the files written. Only those are ever replaced or removed, and no symbolic link below
 * LOGDIR is followed: if anything else is in the way, nothing is written. If the list is lost, files that begin like
 * our DOT files are taken for ours. DOT files stay until they are replaced.
 *
 * A call replaces everything that earlier calls wrote into LOGDIR/NAME, even while TensorBoard is running. Event files
 * of runs that no longer exist are removed. Those of other runs are emptied and stay, up to seven per run, because
 * TensorBoard's loader looks for a newer file only while the one it read last exists. For the same reason the name of a
 * new file sorts last: SECONDS is wall_time, or more if an earlier file has as much.
 *
 * One process at a time writes into LOGDIR/NAME; others wait, up to a minute. The next process removes what a killed
 * one left. On a file system without locks (flock), writers are not kept apart, and such leftovers stay.
 *
 * options may be NULL.
 * Errors: ETR_ERROR_CHOICE (no graph to write: an ETDump has none), ETR_ERROR_FORMAT (more than
 * max_bytes, or the list is not ours), ETR_ERROR_IO with the path, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_write_logdir(const etr_profile *profile, const etr_logdir_options *options, etr_error *error);

/**
 * The same for several ETDumps of one record, each of which becomes separate runs: one profile after the other, all put
 * in place together. options are borrowed until the end. From the first etr_logdir_add() to the end, other processes
 * wait for LOGDIR/NAME.
 *
 *   etr_logdir_begin(&logdir, &options, &error);
 *   for each ETDump:
 *     etr_profile_open(&profile, ...);
 *     etr_logdir_add(logdir, profile, "pixel8", &error);
 *     etr_profile_close(profile);
 *   etr_logdir_finish(logdir, &error);
 */
typedef struct etr_logdir etr_logdir;

/** Starts; end with etr_logdir_finish() or etr_logdir_discard(). options may be NULL. Errors: ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_logdir_begin(etr_logdir **out, const etr_logdir_options *options, etr_error *error);

/**
 * Writes a profile's files under temporary names. dump: a unique name for its ETDump:
 * LOGDIR/NAME/DUMP/K_MODULE/METHOD/events..., DOT in LOGDIR/NAME/dot/DUMP/MODULE/, and a column `etdump` in the HParams
 * table; NULL if it is the only one. Errors: as etr_write_logdir(); then discard.
 */
ETR_API etr_status etr_logdir_add(etr_logdir *logdir, const etr_profile *profile, const char *dump, etr_error *error);

/** Bytes of an ETDump's file name before its usual ending (.etdp, .etdump, .bin); all of them if it has none, or if
 * nothing precedes it. */
ETR_API size_t etr_dump_name_stem(const char *name);

/**
 * Puts everything in place, replacing what earlier calls wrote for one ETDump or several; frees the logdir in any case.
 * Signals wait meanwhile. Errors: ETR_ERROR_IO with the path, ETR_ERROR_MEMORY; existing files are then unchanged,
 * except for DOT files if one of them cannot be replaced.
 */
ETR_API etr_status etr_logdir_finish(etr_logdir *logdir, etr_error *error);

/** Removes everything written since etr_logdir_begin(), and frees the logdir. NULL is allowed. */
ETR_API void etr_logdir_discard(etr_logdir *logdir);

/**
 * Removes the temporary files and new folders of all calls in progress, including etr_write_file(). It is
 * async-signal-safe, for handlers of signals that end the process, and the process must end after it. The library
 * itself handles no signals.
 */
ETR_API void etr_remove_unfinished(void);

#ifdef __cplusplus
}
#endif

#endif
