/* SPDX-License-Identifier: BSD-3-Clause
 *
 * etrecord_tb.h - writes a profile (etrecord.h) as TensorBoard event files, Graphviz DOT and JSON.
 *
 * Emitters are pure functions of the profile and their options: no clock, host name, locale,
 * randomness or hash order, so the same input gives the same bytes. They stream into a sink.
 * etr_write_logdir() does the main job with them: it names the files, writes them under temporary
 * names and renames them once all are complete.
 *
 * No emitter changes the profile; any number may run on one profile at the same time.
 */
#ifndef ETRECORD_TB_H
#define ETRECORD_TB_H

#include "etrecord.h"
#include "etrecord_accuracy.h"
#include "etrecord_compare.h"
#include "etrecord_file.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the library and the command, "MAJOR.MINOR.PATCH". Static. */
ETR_API const char *etr_version(void);

/* ---- Sinks ---- */

/**
 * Writes a text that may come from a file, such as a name or a path, so that it cannot steer a
 * terminal or break a line: control characters, characters that change the direction of writing and
 * bytes that are not UTF-8 become '?'. Returns false if the sink refused.
 */
ETR_API bool etr_write_plain(const etr_sink *sink, const char *text);

/**
 * Writes the output of `emit` to the file `path`: first to a temporary file in the same folder,
 * which is renamed once complete, so that a half-written file never appears; it gets the
 * permissions of the file that it replaces, or only those that the umask allows, if the process
 * must not change permissions. Pipes, terminals and devices are written to directly. Removes
 * temporary files that a killed process left in that folder
 * (.etrecord-tb.*.tmp).
 *
 * Errors: ETR_ERROR_IO with the path and the reason, ETR_ERROR_MEMORY, and what `emit` returns.
 * After an error the file is unchanged.
 */
ETR_API etr_status etr_write_file(const char *path, etr_emitter emit, void *context,
                                  etr_error *error);

/**
 * A file that is being written, for a process that gives up rights before it writes: it opens the
 * file first, and another process puts it in place. etr_write_file() does all at once.
 */
typedef struct etr_new_file etr_new_file;

/**
 * Opens a temporary file that will replace the file `path`, as etr_write_file() does, or a pipe,
 * terminal or device itself. Close it with etr_new_file_close(). Errors: ETR_ERROR_IO with the path
 * and the reason, also of a link that leads nowhere; ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_new_file_open(etr_new_file **out, const char *path, etr_error *error);

/** Returns the descriptor that is written to. It belongs to the file; -1: the file was filled. */
ETR_API int etr_new_file_descriptor(const etr_new_file *file);

/** Returns the path of the file that will be replaced, with links resolved if it exists. Lives as
 * long as the file. NULL: a pipe, terminal or device. */
ETR_API const char *etr_new_file_target(const etr_new_file *file);

/** Writes the output of `emit` to the file and flushes it to the disk. Only once for each file.
 * Errors: ETR_ERROR_IO with the path and the reason, and what `emit` returns. */
ETR_API etr_status etr_new_file_fill(etr_new_file *file, etr_emitter emit, void *context,
                                     etr_error *error);

/**
 * Puts the file in place if `keep` is true, or removes it, and frees it. After a fork() each of the
 * two processes has the file: one of them must close it, the other one must not. Errors:
 * ETR_ERROR_IO with the path and the reason; the file is then removed.
 */
ETR_API etr_status etr_new_file_close(etr_new_file *file, bool keep, etr_error *error);

/** An emitter with limited output, since a small input can produce a large one. */
typedef struct etr_limited {
  etr_emitter emit;
  void *context;
  uint64_t max_bytes; /**< limit on the bytes of all calls together; 0: 4 GiB */
  uint64_t written;   /**< bytes written so far; set it to 0 before the first call */
} etr_limited;

/**
 * An etr_emitter whose context is an etr_limited. Calls the emitter of the context and stops it at
 * the limit with ETR_ERROR_FORMAT and a message that names the command's option. Other errors are
 * those of the emitter. After an error, etr_write_file() leaves the file unchanged.
 */
ETR_API etr_status etr_emit_limited(void *limited, const etr_sink *sink, etr_error *error);

/* ---- Units ---- */

typedef enum etr_unit {
  ETR_UNIT_MS,
  ETR_UNIT_NS,
  ETR_UNIT_US,
  ETR_UNIT_S,
  ETR_UNIT_CYCLES,
  ETR_UNIT_AUTO /**< reports only: the page chooses by the time of an inference */
} etr_unit;

/** Returns "ms", "ns", "us", "s", "cycles" or "auto". Static. */
ETR_API const char *etr_unit_name(etr_unit unit);

/** Converts ticks to a unit, milliseconds for ETR_UNIT_MS; ETR_UNIT_CYCLES returns the ticks
 * themselves. */
ETR_API double etr_ticks_to_unit(const etr_profile *profile, double ticks, etr_unit unit);

/* ---- Facts that no file contains ---- */

/** A fact about the record, the device or the build. */
typedef struct etr_tag {
  const char *name;  /**< "device" */
  const char *value; /**< "pixel8" */
} etr_tag;

/* ---- TensorBoard event file ---- */

typedef struct etr_events_options {
  double wall_time;       /**< seconds since 1970, put into every event; finite */
  const etr_tag *hparams; /**< columns of the dashboard's Fleet tab and of TensorBoard's HParams
                             table. They are added to the columns made from the profile (backend,
                             quantization, inputs, method) and replace columns with the same name. A
                             value that reads as a number, true or false is stored as one */
  size_t hparam_count;
  const char
      *name;       /**< what the page of text calls the record; NULL: made from the record's path */
  double recorded; /**< when it was recorded, in seconds since 1970; 0: unknown */
} etr_events_options;

#define ETR_WHOLE_RECORD SIZE_MAX /**< all graphs of a record in one run, see etr_emit_events() */

/**
 * Writes the event file of one entry point. It contains the graph and, if the graph was timed, one
 * tagged_run_metadata per statistic: profile/typical, profile/avg, profile/p50, profile/p90 and
 * profile/max in whole microseconds, with starts laid out so that the span of every group is the
 * sum of its nodes, and profile/timeline with real starts. The bytes are a sequence of TFRecords of
 * tensorflow.Event. The file of the profile's first graph also contains everything about the
 * record:
 *   - for each method that ran: curves over the inferences (1_inference_ms, 2_parts_ms,
 * 3_delegate_ms, 3_op_type_ms) and over the instructions (5_timeline_ms), and with at least 20
 * inferences histograms (9_inference_spread_ms);
 *   - for each method of the program: 4_memory_bytes/live and planned over the instructions;
 *   - if a method ran: a layout of charts for CUSTOM SCALARS, a page of text (1_summary), the
 * metrics of the HParams table (~metrics/typical_ms, p90_ms, load_ms, peak_mb, delegated_percent,
 * uninterrupted_ms), and one row of it;
 *   - the dashboard's documents: the record's document, and the few figures that its list of all
 * records shows. If the record has several methods, the tags of curves and histograms end in
 * "/METHOD"; page, metrics and row are about the method that takes longest.
 *
 * graph: index into profile->graphs, or ETR_WHOLE_RECORD for one file of the whole record: of its
 * graphs that of the method that takes longest is written as above, and each other one is a value
 * of the plugin `graph_run_metadata` with the tag MODULE/METHOD and its typical times. options may
 * be NULL (wall_time 0). Errors: ETR_ERROR_IO (the sink refused), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_events(const etr_profile *profile, size_t graph,
                                   const etr_events_options *options, const etr_sink *sink,
                                   etr_error *error);

/* ---- Graphviz DOT ---- */

/** The part of a graph to draw. Zeroed: all of it, expanded as far as it stays readable. Strings
 * are borrowed. */
typedef struct etr_dot_options {
  int depth; /**< levels of modules to expand; 0: as many as give at most about 150 boxes; negative:
                all levels */
  const char
      *focus; /**< draw only this module of the model ("layers.0" contains "layers.0.mlp") and its
                 neighbors as boxes; depth then counts from the module. NULL: draw everything */
  size_t top; /**< number of nodes, the slowest, that are drawn as boxes of their own. The others
                 become one box for each sequence of operators between these nodes, and one for each
                 module without such a node. depth 0 then expands the modules that contain one. 0:
                 draw all nodes */
  bool by_accuracy; /**< color by etr_profile.accuracy, which must be set, instead of time: the SNR
                       of the worst value of each node, or in each box */
  bool fold; /**< draw equal blocks (same etr_module.pattern, operators, types, wiring, shapes and
                backends) once, with their total time; depth 0 then gives at most about 40 boxes, so
                that a model fits a page */
} etr_dot_options;

/**
 * Writes one entry point as DOT. Modules are clusters, time is the color, delegates are marked,
 * and labels have shapes and times. Below `depth`, each module is one box with its total time.
 * Boxes outside the focus, or not among the top nodes, are not colored by time.
 *
 * Times are those of etr_profile.statistic. The median of several nodes is the sum of their
 * medians.
 *
 * graph: index into profile->graphs. options may be NULL.
 * Errors: ETR_ERROR_CHOICE (no node is in module `focus`, and the message names modules; or `top`
 * is set and no node was timed; or by_accuracy is set and no value of the graph was compared;
 * nothing was written), ETR_ERROR_IO (the sink refused), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_dot(const etr_profile *profile, size_t graph,
                                const etr_dot_options *options, const etr_sink *sink,
                                etr_error *error);

/* ---- Trace ---- */

/** The format of a trace. */
typedef enum etr_trace_format {
  ETR_TRACE_CHROME,     /**< Chrome trace events, for Perfetto and chrome://tracing */
  ETR_TRACE_SPEEDSCOPE, /**< speedscope's own JSON: a profile for each method of each ETDump */
  ETR_TRACE_FOLDED,     /**< folded stacks, for flame graphs: a line "method;module;operator ns" for
                           each stack, with the time of all runs, without that of events inside */
} etr_trace_format;

/** Zeroed: every run, as Chrome trace events. Strings are borrowed. */
typedef struct etr_trace_options {
  const char *method; /**< only runs of this method; NULL: all runs, and loads */
  bool gzip;          /**< compress with gzip; Perfetto opens that, too */
  etr_trace_format format;
} etr_trace_options;

/**
 * Writes the runs, by default as Chrome trace events (schema/trace.schema.json), for Perfetto or
 * chrome://tracing. Each method of each ETDump is a process, with one track for calls and kernels
 * and one for each backend. Bars are named by the node's module and operator, if there is a node;
 * args.event is the event's own name. ts is in microseconds since the first run of the dump began;
 * each dump has its own clock.
 *
 * Events are placed where they were measured. If events of a delegate are outside its call, because
 * its clock is a different one, they are placed one after the other from the start of the call, and
 * scaled down if they add up to more than the call. This is always done for XNNPACK. The names of
 * tracks with such starts say so. args.start is "measured", "synthetic" (placed one after the
 * other) or "moved" (the run's clock went back, so the run follows the run before it). args.ticks
 * is the duration as recorded. args.scale and args.recorded_us are present if it was shortened. A
 * 32-bit counter that wraps is unwrapped.
 *
 * In the other formats, what runs in a delegate is inside its call, and equal operators of equal
 * modules have one name, so that viewers add them up.
 *
 * options may be NULL. Errors: ETR_ERROR_CHOICE (nothing was timed; nothing has been written),
 * ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_trace(const etr_profile *profile, const etr_trace_options *options,
                                  const etr_sink *sink, etr_error *error);

/* ---- Model Explorer ---- */

/** The value of each node. */
typedef enum etr_node_statistic {
  ETR_NODE_TYPICAL,
  ETR_NODE_AVG,
  ETR_NODE_P50,
  ETR_NODE_P90,
  ETR_NODE_MAX,
  ETR_NODE_BACKEND,
  ETR_NODE_SNR /**< SNR of the worst input in dB, at most ETR_EQUAL_DB; needs etr_profile.accuracy
                */
} etr_node_statistic;

/** The adapter that shows the graph in Model Explorer; each has its own ids of nodes. */
typedef enum etr_node_adapter {
  ETR_ADAPTER_AUTO, /**< PT2 for the record's exported program, PTE for program/METHOD; otherwise
                       ETRECORD */
  ETR_ADAPTER_ETRECORD, /**< Arm's adapter for ETRecords (etrecord-adapter-model-explorer); its ids
                           are NAME_ */
  ETR_ADAPTER_PT2, /**< Model Explorer's own adapter for programs saved by torch.export.save(); its
                      ids are NAME */
  ETR_ADAPTER_PTE  /**< Arm's adapter for programs (pte-adapter-model-explorer); ids are
                      METHOD_CHAIN_INSTRUCTION, and  in the graph of a delegate the numbers of its
                      operators. Shows program/METHOD only */
} etr_node_adapter;

/** Zeroed: the typical time in milliseconds. */
typedef struct etr_node_data_options {
  etr_node_statistic statistic;
  etr_unit unit; /**< of times */
  etr_node_adapter adapter;
} etr_node_data_options;

/**
 * Writes one value for each node of an entry point as "custom node data" of Google's Model Explorer
 * (schema/model_explorer.schema.json): times with a gradient, or names of backends, which are "cpu"
 * for kernels. One file is one column in the viewer; another statistic needs another file. Keys are
 * the ids that the adapter gives to nodes. The adapters for ETRecords and exported programs show
 * the top level only, so nodes of nested graphs have no key; their average counts for the node that
 * contains the graph. The file then names no graph, so the viewer applies it to the open graph. For
 * a program it names the method and the delegates that the adapter opens; their ids contain the
 * name of the .pte. Nodes without a time, and nodes that were fused into another node, have no key.
 *
 * graph: index into profile->graphs. options may be NULL.
 * Errors: ETR_ERROR_CHOICE (a graph that the adapter does not show, or one without values; nothing
 * has been written), ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_node_data(const etr_profile *profile, size_t graph,
                                      const etr_node_data_options *options, const etr_sink *sink,
                                      etr_error *error);

/* ---- Tables and JSON ---- */

/* etr_profile.statistic is the statistic that lists show first, rank by and compute shares of.
 * Documents name it under "stat". */

/**
 * Selects nodes. Zeroed: all nodes. Strings are borrowed. An event is selected if its node is; an
 * event without a node is selected by its backend only. Sums then cover the selection, and the
 * output says so.
 */
typedef struct etr_node_filter {
  const char *method;       /**< only graphs of this method */
  const char *graph_module; /**< only entry points of this module: "edge", "aten", ... */
  const char *module;       /**< only nodes in this module of the model or below it: "layers.0" has
                               "layers.0.mlp", but not       "layers.01" */
  const char *op;           /**< glob over the target, '*' and '?': "aten.conv*", or over its short
                               name: "convolution" */
  const char
      *backend; /**< only nodes that run in this backend; "cpu": only those that ran as kernels */
} etr_node_filter;

/** Returns the number of nodes of all graphs that the filter selects. 0 means that the name of a
 * module or operator is probably mistyped. filter may be NULL. */
ETR_API size_t etr_count_nodes(const etr_profile *profile, const etr_node_filter *filter);

/** Returns the number of events of all blocks that the filter selects, as etr_count_nodes(). */
ETR_API size_t etr_count_events(const etr_profile *profile, const etr_node_filter *filter);

/**
 * Returns the word that is more like a mistyped text: `best`, which may be NULL, or `word`.
 * Likeness is the number of letters that are left out, inserted, changed or swapped with a
 * neighbor; a word that begins with the text is like it. Returns NULL if neither word is like the
 * text. Call it with each word of a list to find the most similar one.
 */
ETR_API const char *etr_nearer_word(const char *text, size_t size, const char *best,
                                    const char *word);

/**
 * Writes the nodes of every graph with their times, schema "etrecord-tb/nodes/1"
 * (schema/nodes.schema.json). filter may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_nodes_json(const etr_profile *profile, const etr_node_filter *filter,
                                       etr_unit unit, const etr_sink *sink, etr_error *error);

/**
 * Writes the event blocks as ExecuTorch's Inspector has them, joined, schema "etrecord-tb/events/1"
 * (schema/events.schema.json). filter may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_events_json(const etr_profile *profile, const etr_node_filter *filter,
                                        etr_unit unit, const etr_sink *sink, etr_error *error);

/** Format of a table. */
typedef enum etr_table_format {
  ETR_TABLE_TEXT, /**< for people: columns are cut to fit the width */
  ETR_TABLE_CSV,  /**< RFC 4180, with a quote before anything that a spreadsheet would run as a
                     formula */
  ETR_TABLE_TSV,
  ETR_TABLE_MARKDOWN,
  ETR_TABLE_JSON_LINES, /**< one object per row, with CSV's columns, typed numbers and null for
                           empty cells; rows of nodes and events begin with `record` and `run`, the
                           names of the ETRecord and the ETDump */
} etr_table_format;

/** Order of a table's rows. Numbers in names are compared as numbers. A table that does not have
 * the order keeps its own. */
typedef enum etr_node_order {
  ETR_ORDER_TIME,
  ETR_ORDER_NAME,
  ETR_ORDER_OP,
  ETR_ORDER_MODULE,
  ETR_ORDER_GRAPH,
  ETR_ORDER_EXECUTION, /**< of nodes: by etr_node_time.instruction */
  ETR_ORDER_MACS,      /**< of nodes: the most multiply-accumulates first, unknown ones last */
  ETR_ORDER_BYTES      /**< of nodes: the most bytes read and written first, unknown ones last */
} etr_node_order;

/** One table of a summary. */
typedef enum etr_sum_by {
  ETR_SUM_BY_ALL, /**< for people: everything that a summary has except ETR_SUM_BY_PATTERN; there is
                     no table for programs */
  ETR_SUM_BY_OP,
  ETR_SUM_BY_MODULE,
  ETR_SUM_BY_PATTERN, /**< modules that repeat together, by etr_module.pattern */
  ETR_SUM_BY_BACKEND,
  ETR_SUM_BY_SOURCE,
  ETR_SUM_BY_KERNEL,  /**< kernels and operators of delegates that ran, on graph nodes or not */
  ETR_SUM_BY_METHOD,  /**< a row for each method: its runs, and what loading and the first run took
                       */
  ETR_SUM_BY_PART,    /**< what Method::execute consists of */
  ETR_SUM_BY_FINDING, /**< what to do next */
  ETR_SUM_BY_LAYER_KIND, /**< of a decoder: attention, projections, feed-forward layers, ... */
} etr_sum_by;

/** The width of text that is not for a terminal: names are not cut, no column is hidden, and
 * running text has lines of 100 columns. */
#define ETR_ANY_WIDTH SIZE_MAX

/** Whether CSV and TSV are one of several tables of the same columns, written one after the other.
 */
typedef enum etr_stack {
  ETR_STACK_NONE,  /**< the table is alone; if `columns` chooses columns and there are no tags, it
                      has only these, and  `record`, `run` in front if either is chosen */
  ETR_STACK_FIRST, /**< the first table: `record`, `run` and the tags are in front of chosen
                      columns, too */
  ETR_STACK_NEXT,  /**< a further table: it also has no line with the names of the columns */
} etr_stack;

/** Zeroed: text, milliseconds, by time, all rows, 100 columns. */
typedef struct etr_table_options {
  etr_table_format format;
  etr_unit unit;
  etr_node_order order; /**< longest time, or alphabetical, first */
  size_t top;           /**< rows at most; 0: all */
  int depth;            /**< levels of a module tree; 0: as many as stay readable */
  size_t width;         /**< columns of text; 0: 100; or ETR_ANY_WIDTH */
  bool color;           /**< for a terminal: bold headings, large shares in color, estimates dim */
  bool ascii;           /**< replace characters that are not ASCII */
  const char *columns;  /**< of nodes, events, values, delegation and memory: only these columns,
                           named as in CSV, in  this order: "node,avg"; NULL: the usual columns */
  const etr_tag *tags;  /**< columns of tables for programs, after `record` and `run`, that have
                           these values in every  row; tags with these two names replace them. A
                           comparison has none of these columns */
  size_t tag_count;
  etr_sum_by by;    /**< of a summary: only this table; of delegation, ETR_SUM_BY_OP: only operator
                       types */
  bool by_delegate; /**< of delegation: delegates with their phases and compute units instead of
                       operator types */
  etr_stack stack;
  bool typed; /**< JSON Lines: a column has one type, a value of another type is null, and the first
                 line is an object with the types: "string", "bool", "int64" or "double". A table of
                 ETR_STACK_NEXT lacks this line */
  size_t findings; /**< in text and Markdown, findings at most; 0: four in a summary, none in a
                      comparison */
  bool all;        /**< of a summary: all of its tables behind the first screen */
  size_t explain;  /**< of a summary: the number of the finding to explain, from 1 on; SIZE_MAX: all
                      of them; 0: none */
  const char *record; /**< of a summary: what a person types for the record, in the commands that it
                         names: "out/resnet"; NULL: RECORD */
  bool full_names;    /**< of a summary: "aten.linear.default" instead of "linear" */
  bool has_unit; /**< `unit` was chosen; else the first screen of a summary is in us below 1 ms, in
                    ms below 10 s, and in s above */
} etr_table_options;

/**
 * Writes the operators as a table: the timed ones, or all if none was timed. filter and options may
 * be NULL. Errors: ETR_ERROR_OPTION (there is no column of that name, and the message lists the
 * columns; or a tag has the name of a column; nothing was written), ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_nodes_table(const etr_profile *profile, const etr_node_filter *filter,
                                        const etr_table_options *options, const etr_sink *sink,
                                        etr_error *error);

/**
 * Writes the logged values as a table: one row for each tensor and scalar that an instruction, a
 * delegate's operator or the method produced, with its statistics over all runs, in the order of
 * logging. filter selects the values of nodes; it selects values without a node (arguments of a
 * delegate call) only if it selects by method alone. NULL: all values. options.order is ignored.
 * Errors: those of etr_emit_nodes_table().
 */
ETR_API etr_status etr_emit_values_table(const etr_profile *profile, const etr_node_filter *filter,
                                         const etr_table_options *options, const etr_sink *sink,
                                         etr_error *error);

/** Writes the events as a table, block by block. filter and options may be NULL. Errors: those of
 * etr_emit_nodes_table(). */
ETR_API etr_status etr_emit_events_table(const etr_profile *profile, const etr_node_filter *filter,
                                         const etr_table_options *options, const etr_sink *sink,
                                         etr_error *error);

/**
 * Writes where each method's time goes, schema "etrecord-tb/summary/1"
 * (schema/summary.schema.json): nodes + delegate_only + framework + unexplained = the average of
 * execute, and inserted + rest_of_calls = delegate_only. filter chooses the methods, and the nodes
 * that the lists add up; it may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_summary_json(const etr_profile *profile, const etr_node_filter *filter,
                                         etr_unit unit, const etr_sink *sink, etr_error *error);

/**
 * Writes the summary as text or Markdown, or the table that options->by names in any format.
 * options->top: rows of each list. filter and options may be NULL. Errors: those of
 * etr_emit_nodes_table(), and ETR_ERROR_OPTION if a table for programs is asked for without
 * options->by.
 */
ETR_API etr_status etr_emit_summary_tables(const etr_profile *profile,
                                           const etr_node_filter *filter,
                                           const etr_table_options *options, const etr_sink *sink,
                                           etr_error *error);

/** How to find the model's source files. Zeroed: no file is read. */
typedef struct etr_source_options {
  bool read_files;  /**< reads the files that the record names, if they are regular files of at most
                       4 MiB and contain  the recorded code at the recorded line */
  const char *root; /**< directory in which the files are looked for, with leading folders of the
                       recorded paths dropped one by one; NULL: the recorded paths */
  bool by_pattern; /**< splits each line by the modules that it runs for; repeated modules are added
                      up by etr_module.pattern */
} etr_source_options;

/**
 * Writes the model's own source lines with their time, schema "etrecord-tb/source/1"
 * (schema/source.schema.json). filter may be NULL. A method's lines add up to its time on the
 * selected nodes. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_source_json(const etr_profile *profile, const etr_node_filter *filter,
                                        etr_unit unit, const etr_sink *sink, etr_error *error);

/**
 * Writes the source lines as text, file by file with surrounding lines, or as one table without
 * these. options->top: the number of lines of each method, slowest first. filter, source and
 * options may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. Unreadable files are not an error.
 */
ETR_API etr_status etr_emit_source_tables(const etr_profile *profile, const etr_node_filter *filter,
                                          const etr_source_options *source,
                                          const etr_table_options *options, const etr_sink *sink,
                                          etr_error *error);

/**
 * Writes the delegation per operator type, counted as by ExecuTorch's print_delegation_info, with
 * times, schema "etrecord-tb/delegation/1" (schema/delegation.schema.json). Nodes in bodies of
 * control flow are not counted; their time counts for the node that contains the body, as delegated
 * or not depending on where they ran. An unknown time, such as that of operators fused into others,
 * is null. filter selects the nodes to count; it may be NULL. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_delegation_json(const etr_profile *profile,
                                            const etr_node_filter *filter, etr_unit unit,
                                            const etr_sink *sink, etr_error *error);

/** Writes the delegation as tables. filter and options may be NULL. Errors: those of
 * etr_emit_nodes_table(). */
ETR_API etr_status etr_emit_delegation_tables(const etr_profile *profile,
                                              const etr_node_filter *filter,
                                              const etr_table_options *options,
                                              const etr_sink *sink, etr_error *error);

/**
 * Writes the memory of each method as the program plans it, schema "etrecord-tb/memory/1"
 * (schema/memory.schema.json): buffers, each planned tensor with its offset and lifetime, the bytes
 * live at each instruction and at the peak, inputs and outputs, the bytes given to delegates,
 * weights, allocations that the ETDumps logged, memory that the program does not describe, and
 * findings; then constants and segments. Of the filter only the method is used; it may be NULL.
 * Without a .pte there is no plan, only weights. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_memory_json(const etr_profile *profile, const etr_node_filter *filter,
                                        etr_unit unit, const etr_sink *sink, etr_error *error);

/**
 * Writes the memory as text or Markdown, with options.top rows in each list. In other formats, or
 * with options.columns, writes one table with a row for each planned tensor and each constant.
 * filter and options may be NULL. Errors: those of etr_emit_nodes_table().
 */
ETR_API etr_status etr_emit_memory_tables(const etr_profile *profile, const etr_node_filter *filter,
                                          const etr_table_options *options, const etr_sink *sink,
                                          etr_error *error);

/**
 * Writes one line with the operators that the kernels of a program need,
 * "aten::add.out,aten::mul.out", as the option --root_ops of ExecuTorch's gen_oplist takes them; an
 * empty line without a .pte. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_operators(const etr_profile *profile, const etr_sink *sink,
                                      etr_error *error);

/**
 * Writes the contents of the inputs: for people as tables, for programs as one table with the
 * columns section, key and value, where a key is ROW.COLUMN of a table for people. options may be
 * NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_info_tables(const etr_profile *profile,
                                        const etr_table_options *options, const etr_sink *sink,
                                        etr_error *error);

/** Writes the contents of the inputs, with each run and the costs of all modules, schema
 * "etrecord-tb/info/1" (schema/info.schema.json). Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_info_json(const etr_profile *profile, etr_unit unit,
                                      const etr_sink *sink, etr_error *error);

/** Writes where the bytes of the program's file are: for people as sums by content and weights
 * outside of the program, all rows of both, then at most options.top rows of each of the sums by
 * module and type, the delegates and the largest parts; for programs as one table with a row for
 * each part. options may be NULL. Errors: ETR_ERROR_CHOICE (there is no program, or it was opened
 * with ETR_WITHOUT_MEMORY), ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_sizes_tables(const etr_profile *profile,
                                         const etr_table_options *options, const etr_sink *sink,
                                         etr_error *error);

/** Writes where the bytes of the program's file are, with all parts, schema "etrecord-tb/sizes/1"
 * (schema/sizes.schema.json). `unit` is ignored: there are no times. Errors: those of
 * etr_emit_sizes_tables(). */
ETR_API etr_status etr_emit_sizes_json(const etr_profile *profile, etr_unit unit,
                                       const etr_sink *sink, etr_error *error);

/** Writes what differs between two programs, schema "etrecord-tb/program_diff/1"
 * (schema/program_diff.schema.json). Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_program_diff_json(const etr_program_diff *diff, const etr_sink *sink,
                                              etr_error *error);

/** Writes what differs between two programs: for people as tables of all bytes by content and of
 * the structure and the parts that differ, at most options.top rows of these, and how many parts
 * are equal; for programs as one table with a row for each part, also equal ones. options may be
 * NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_program_diff_tables(const etr_program_diff *diff,
                                                const etr_table_options *options,
                                                const etr_sink *sink, etr_error *error);

/* ---- Accuracy ---- */

/** What has a row in a table of accuracy. */
typedef enum etr_accuracy_by {
  ETR_ACCURACY_OF_VALUE,
  ETR_ACCURACY_OF_MODULE,
  ETR_ACCURACY_OF_OP,
  ETR_ACCURACY_OF_SOURCE,
  ETR_ACCURACY_OF_BACKEND,
} etr_accuracy_by;

/** Order of the rows. */
typedef enum etr_accuracy_order {
  ETR_ACCURACY_BY_SUSPICION, /**< as etr_accuracy.ranked */
  ETR_ACCURACY_BY_LOCAL,     /**< lowest local SNR first */
  ETR_ACCURACY_BY_DROP,      /**< largest drop first */
  ETR_ACCURACY_BY_SNR,       /**< lowest SNR first */
  ETR_ACCURACY_BY_EXECUTION, /**< as they were logged */
} etr_accuracy_order;

/** Which rows a table of accuracy has. Zeroed: for people the worst input of each value, for
 * programs all. */
typedef struct etr_accuracy_choice {
  etr_accuracy_by by;
  etr_accuracy_order order;
  bool has_input; /**< only this input of the reference */
  uint32_t input;
} etr_accuracy_choice;

/** Writes the values as a table; for people the worst output and three candidates come first.
 * filter, choice and options may be NULL. Errors: those of etr_emit_nodes_table(). */
ETR_API etr_status etr_emit_accuracy_table(const etr_accuracy *accuracy,
                                           const etr_node_filter *filter,
                                           const etr_accuracy_choice *choice,
                                           const etr_table_options *options, const etr_sink *sink,
                                           etr_error *error);

/** Writes all values, schema "etrecord-tb/accuracy/1" (schema/accuracy.schema.json). Errors:
 * ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_accuracy_json(const etr_accuracy *accuracy, const etr_sink *sink,
                                          etr_error *error);

/** Records that are put side by side: all are compared with the same reference. */
typedef struct etr_accuracy_variants {
  const etr_accuracy *const *accuracies;
  const char *const *names;            /**< titles of the columns */
  size_t count;                        /**< at most ETR_MOST_VARIANTS */
  const etr_profile *reference_record; /**< the record of the reference */
} etr_accuracy_variants;

enum { ETR_MOST_VARIANTS = 8 };

/** Writes a row for each node of the reference's aten/METHOD that some record has (for people at
 * least two records), in order of execution or as `choice` says, with the SNR in dB of each
 * record's worst input: a rounded column for people, or an exact one for programs. choice and
 * options may be NULL. Errors: those of etr_emit_nodes_table(). */
ETR_API etr_status etr_emit_accuracy_variants(const etr_accuracy_variants *variants,
                                              const etr_accuracy_choice *choice,
                                              const etr_table_options *options,
                                              const etr_sink *sink, etr_error *error);

/** Writes the rows of etr_emit_accuracy_variants() for programs, also nodes that one record has,
 * schema "etrecord-tb/accuracy_variants/1" (schema/accuracy_variants.schema.json). An SNR is null
 * if the record did not log the node, or if it is infinite, as that of values that are equal, which
 * "equal" tells. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_accuracy_variants_json(const etr_accuracy_variants *variants,
                                                   const etr_accuracy_choice *choice,
                                                   const etr_sink *sink, etr_error *error);

/** Writes what is wrong with a record, schema "etrecord-tb/validate/1"
 * (schema/validate.schema.json). Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_validation_json(const etr_validation *validation, const etr_sink *sink,
                                            etr_error *error);

/** Writes what is wrong with a record as a table. options may be NULL. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_validation_table(const etr_validation *validation,
                                             const etr_table_options *options, const etr_sink *sink,
                                             etr_error *error);

/* ---- The dashboard ---- */

/**
 * Writes the dashboard's document, schema "etrecord-tb/profile/1" (schema/profile.schema.json). For
 * every method it has the balance, operators with their times, modules, source lines, delegation,
 * the events of its runs with their positions, its graphs, its planned memory, and what
 * etr_compare_documents() needs. It is compact: operators and events are stored by column, and
 * repeated texts once at the end. Times are in nanoseconds. etr_emit_events() puts it into the
 * event file of the first entry point. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_profile_json(const etr_profile *profile, const etr_sink *sink,
                                         etr_error *error);

/**
 * Writes the dashboard with that document as one self-contained HTML file. The document is
 * compressed, in sections that the page reads when it shows them, and without what only
 * etr_compare_documents() needs. The file opens from a disk, without a server, and its content
 * security policy forbids the network. unit: the unit in which times are shown
 * first, or ETR_UNIT_AUTO. Errors:
 * ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_report(const etr_profile *profile, etr_unit unit, const etr_sink *sink,
                                   etr_error *error);

/**
 * Writes the dashboard for several records, at least two, of which the first is the base: all
 * documents, and the comparison of each record with the base. Of three and more it also has the
 * records side by side, as etr_emit_compare_json() writes them, with the times of operators, and
 * verdicts that are corrected for their number. `names` are what people call the records; those of
 * two records are not used and may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_report_of(const etr_profile *const *profiles, const char *const *names,
                                      size_t count, etr_unit unit, const etr_sink *sink,
                                      etr_error *error);

/**
 * Returns the bytes of a file of the dashboard's page, compressed by gzip, for a server that shows
 * records by other means than a report: "page.js", its script, or "page.css", its style sheet.
 * NULL, and a size of 0, for any other name. size: bytes. Static.
 */
ETR_API const void *etr_page_file(const char *name, size_t *size);

/* ---- Comparisons ---- */

/** The part of a comparison to write. */
typedef enum etr_diff_by {
  ETR_DIFF_BY_ALL,
  ETR_DIFF_BY_NODE,
  ETR_DIFF_BY_OP,
  ETR_DIFF_BY_MODULE,
  ETR_DIFF_BY_PATTERN, /**< modules added up by etr_module.pattern */
  ETR_DIFF_BY_BACKEND,
  ETR_DIFF_BY_SOURCE, /**< the model's source lines */
  ETR_DIFF_BY_KERNEL, /**< kernels and operators of delegates by name, on nodes and on none */
  ETR_DIFF_BY_VALUE,
  ETR_DIFF_BY_PART,  /**< what Method::execute consists of */
  ETR_DIFF_BY_METHOD /**< Method::execute alone */
} etr_diff_by;

/** Zeroed: everything. Strings are borrowed. */
typedef struct etr_diff_filter {
  const char *method; /**< only this method; NULL: all methods */
  etr_diff_by by;
} etr_diff_filter;

/**
 * Writes a comparison, schema "etrecord-tb/diff/2" (schema/diff.schema.json): for each method the
 * times, the interval and the verdict of its Method::execute, its parts, all nodes, sums by
 * operator, module, pattern, backend, source line and kernel, and the numeric gap of the values
 * logged on both sides. filter may be NULL. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_diff_json(const etr_comparison *comparison,
                                      const etr_diff_filter *filter, etr_unit unit,
                                      const etr_sink *sink, etr_error *error);

/**
 * Describes a change in words and, if the data do not decide, gives the reason: "12.3 % slower
 * (between 10.1 and 14.5
 * %)",
 * "+4.1 % (between -4.3 and +13.2 %); one recording a side: ...; record 5 on each side, in turns".
 * The text is ASCII, ends with NUL and is cut to `size` bytes (1 or more); 512 are enough. change:
 * a change of this comparison.
 */
ETR_API void etr_describe_change(char *room, size_t size, const etr_comparison *comparison,
                                 const etr_change *change);

/**
 * Writes a comparison as tables. Text and Markdown list the changes that exceed the noise, largest
 * change of the typical time first, options->top rows of each kind (0: all rows, also those within
 * the noise). Markdown starts with the verdict and folds the details. CSV and TSV are one table of
 * all times or, with ETR_DIFF_BY_VALUE, of the numeric gap, with options->top rows of each kind (0:
 * all), within the noise or not. filter and options may be NULL. Errors: ETR_ERROR_IO,
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_emit_diff_tables(const etr_comparison *comparison,
                                        const etr_diff_filter *filter,
                                        const etr_table_options *options, const etr_sink *sink,
                                        etr_error *error);

/* ---- Records side by side ---- */

/** What has a row, with a time of each record. */
typedef enum etr_records_by {
  ETR_RECORDS_ALONE, /**< nothing: records have rows */
  ETR_RECORDS_BY_OP, /**< kernels if the first record is a profile without a graph */
  ETR_RECORDS_BY_MODULE,
  ETR_RECORDS_BY_KERNEL,
  ETR_RECORDS_BY_PATTERN,
} etr_records_by;

/** How records are put side by side. Zeroed: the defaults. */
typedef struct etr_record_set_options {
  etr_compare_options compare;
  etr_records_by by;
  const char *method;     /**< only this method; NULL: all */
  const char *reference;  /**< file of a reference that was made from the first record, to which all
                             logged outputs are compared; NULL: those of the first record are */
  bool keeps_comparisons; /**< for etr_record_set_comparison(); profiles must then stay open as
                             long as the set */
} etr_record_set_options;

/** Records side by side. The first one is the base of all verdicts (see etr_verdicts). */
typedef struct etr_record_set etr_record_set;

/** Makes an empty set. Strings of `options` are borrowed until the set is closed. On success close
 * it with etr_record_set_close(); otherwise *out is NULL. Errors: ETR_ERROR_MEMORY. */
ETR_API etr_status etr_record_set_open(etr_record_set **out, const etr_record_set_options *options,
                                       etr_error *error);

/**
 * Takes what the tables show of a record: the typical time of each method with its range (the least
 * and the most of the recordings' typical runs, or, of one recording with five runs or more, p10
 * and p90 of its runs), load, first run, time of a token, bytes, delegation, multiply-accumulates.
 * The lowest SNR of its outputs is against the reference of the options or, without one, against
 * the values that the first record logged. `name` is what people call the record.
 *
 * The first profile that is added must stay open as long as the set. The others may be closed.
 * Errors: ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_record_set_add(etr_record_set *set, const etr_profile *profile,
                                      const char *name, const char *path, etr_error *error);

/**
 * Takes a record by the document that etr_emit_profile_json() wrote of it, which TensorBoard's
 * event files contain; its name is the record's. The document is not needed after the call. Answers
 * are those of etr_record_set_add(), times to a picosecond, but documents contain neither kernels
 * nor logged values, and a method that has a graph in one of two documents alone is not compared.
 * All records of a set are either profiles or documents. On failure the set can be used further,
 * unless memory is exhausted. Errors: those of etr_side_read().
 */
ETR_API etr_status etr_record_set_add_document(etr_record_set *set, const etr_document *document,
                                               etr_error *error);

/** Takes a record that could not be read, and why. Without the first record there are no verdicts.
 * Errors: ETR_ERROR_MEMORY. */
ETR_API etr_status etr_record_set_add_problem(etr_record_set *set, const char *name,
                                              const char *path, const char *problem,
                                              etr_error *error);

/** Judges the records, once all are there: sets the changes of their methods against the first
 * record and the answers about the limit, writes the notes on what cannot be compared, and sorts
 * the rows by time, the longest first. Call it once. Errors: ETR_ERROR_MEMORY. */
ETR_API etr_status etr_record_set_finish(etr_record_set *set, etr_error *error);

/** Returns the comparison of the record number `record`, from 0, with the first one, whose verdicts
 * on Method::execute are those of the set. It lives as long as the set. NULL if the options do not
 * ask for it, of the first record, and of records that were not compared. */
ETR_API const etr_comparison *etr_record_set_comparison(const etr_record_set *set, size_t record);

/** Returns the number of changes against the first record that are surely above the limit of the
 * options, surely below it, or undecided. */
ETR_API size_t etr_record_set_limits(const etr_record_set *set, etr_limit_answer answer);

/** Returns the index-th sentence about what cannot be compared, from 0; NULL behind the last. It
 * lives as long as the set. */
ETR_API const char *etr_record_set_note(const etr_record_set *set, size_t index);

/** Writes the records, schema "etrecord-tb/compare/1" (schema/compare.schema.json). At least one of
 * them must have been read. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_compare_json(const etr_record_set *set, etr_unit unit,
                                         const etr_sink *sink, etr_error *error);

/** Writes the records as a table with a row for each record and method (ETR_RECORDS_ALONE) or, with
 * the `by` of the set, as one with a column for each record. Text and Markdown say what cannot be
 * compared. options may be NULL. Errors: those of etr_emit_nodes_table(). */
ETR_API etr_status etr_emit_compare_table(const etr_record_set *set, etr_records_by by,
                                          const etr_table_options *options, const etr_sink *sink,
                                          etr_error *error);

/** Writes the typical times as a list for github-action-benchmark (its tool customSmallerIsBetter):
 * `name` (the method; of several records RECORD/METHOD), `unit`, `value`, `range` (half of it) and
 * `extra`, one for each method that ran. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
ETR_API etr_status etr_emit_benchmark_json(const etr_record_set *set, const etr_sink *sink,
                                           etr_error *error);

/** Frees the set, but not its first profile. NULL is allowed. */
ETR_API void etr_record_set_close(etr_record_set *set);

/* ---- The main job ---- */

/** Where files are written, and their names. Zeroed: below "runs", named by the record. Strings are
 * borrowed. */
typedef struct etr_logdir_options {
  const char *logdir; /**< directory, created if missing; NULL: "runs" */
  const char *name; /**< folder below logdir, or "a/b" for a folder in a folder; NULL: made from the
                       record's path. It is   percent-encoded where a file system requires that, and
                       never leads out of logdir */
  double wall_time; /**< as in etr_events_options; also used in the names of files */
  const char *host; /**< host in the names of files, as in those of TensorBoard's writers; NULL:
                       "localhost" */
  long pid;         /**< process id in the names of files */
  int dot_depth;    /**< as in etr_dot_options.depth */
  const etr_tag *hparams; /**< as in etr_events_options */
  size_t hparam_count;
  /** Is called for each file once all files are in place; may be NULL. entry_point: "edge/forward",
   * a text from the record, or "build STEP". kind: "events" or "dot". */
  void (*on_file)(void *context, const char *path, const char *entry_point, const char *kind);
  void *context;
  uint64_t max_bytes; /**< limit on the bytes of all files together; 0: 4 GiB */
  const char *graphs; /**< modules of the graphs to write: "edge" or "edge,aten"; "all": all of
                         them, each in a run folder of its own; NULL: all of them in one run */
  bool has_step;      /**< the record is a build, and its run has all builds */
  int64_t step;       /**< of the build, from 0 on */
  const etr_profile *before; /**< of a build: an earlier one, with which it is compared as
                                etr_compare() does. Where it surely got slower or faster the curve
                                is marked. NULL: nothing is marked */
  bool *replaced; /**< set to true if the run's data of an earlier call were replaced, of which a
                     TensorBoard that is running keeps some; may be NULL */
} etr_logdir_options;

/** The step of a build is when it was recorded, in seconds since 1970: the time in record.json
 * beside the ETDumps, or else when the newest ETDump was changed last. */
#define ETR_STEP_OF_TIME (-1)

/**
 * Writes LOGDIR/NAME/events.out.tfevents.SECONDS.HOST.PID.0, one run with all graphs of the record
 * (see ETR_WHOLE_RECORD), and LOGDIR/NAME/dot/MODULE/METHOD.dot for every entry point. With graphs
 * "all" each entry point has a run, LOGDIR/NAME/K_MODULE/METHOD/, where K counts from 1 in the
 * profile's order. All files are written under temporary names and renamed when all are complete
 * and on disk. If anything fails, existing files stay unchanged and no temporary file is left. For
 * signals that end the process, see etr_remove_unfinished().
 *
 * LOGDIR/NAME/.etrecord-tb lists the files written. Only these files are ever replaced or removed,
 * and no symbolic link below LOGDIR is followed. If anything else is in the way, nothing is
 * written. If the list is lost, files that begin like DOT files of this library are taken for such
 * files. DOT files remain until they are replaced. A call replaces everything that earlier calls
 * wrote into LOGDIR/NAME, even while TensorBoard is running. Event files of runs that no longer
 * exist are removed. Event files of other runs are emptied and remain, up to seven per run, because
 * TensorBoard's loader looks for a newer file only while the file that it read last exists. The
 * name of a new file sorts last for the same reason: SECONDS is wall_time, or a larger number if an
 * earlier file has that number. One process at a time writes into LOGDIR/NAME; others wait, up to a
 * minute. The next process removes the temporary files of a killed one. On a file system without
 * locks (flock), several processes may write at once, and temporary files of killed ones remain.
 *
 * With has_step the run has curves over builds, to which each call adds the points of its step, or
 * replaces them. A step has the file events.out.tfevents.STEP.SECONDS.HOST.PID.0, with 20 digits of
 * the step: TensorBoard's data server keeps only points whose steps rise in the order of the names.
 * A second file, which ends in .1, has graphs, text and documents; only the highest step has one. A
 * call without has_step is refused where there are builds.
 *
 * options may be NULL.
 * Without a graph, as with an ETDump alone, the only file is
 * LOGDIR/NAME/events.out.tfevents...: scalars, text and the document of the dashboard.
 * Errors: ETR_ERROR_CHOICE (neither a graph nor an inference; builds, but no step; a step, but no
 * inference or no file with a time), ETR_ERROR_FORMAT (more than max_bytes, or .etrecord-tb is not
 * a list of this library), ETR_ERROR_IO with the path, ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_write_logdir(const etr_profile *profile, const etr_logdir_options *options,
                                    etr_error *error);

/**
 * Does the work of etr_write_logdir() for several ETDumps of one record. Each ETDump becomes runs
 * of its own; profiles are added one after the other, and their files are put in place together.
 * options are borrowed until the end. From the first etr_logdir_add() to the end, other processes
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

/** Begins a log directory, which etr_logdir_finish() or etr_logdir_discard() ends. options are
 * borrowed until then, and may be NULL. Errors: ETR_ERROR_MEMORY. */
ETR_API etr_status etr_logdir_begin(etr_logdir **out, const etr_logdir_options *options,
                                    etr_error *error);

/**
 * Writes a profile's files under temporary names. dump: a unique name for its ETDump; NULL if it is
 * the only one. With a name, event files are LOGDIR/NAME/DUMP/events..., DOT files
 * are in LOGDIR/NAME/dot/DUMP/MODULE/, and the HParams table has a column `etdump`. Errors: those
 * of etr_write_logdir(); call etr_logdir_discard() then.
 */
ETR_API etr_status etr_logdir_add(etr_logdir *logdir, const etr_profile *profile, const char *dump,
                                  etr_error *error);

/** Returns the number of bytes of an ETDump's file name before its usual ending (.etdp, .etdump,
 * .bin), or all bytes if the name has no such ending or nothing precedes it. */
ETR_API size_t etr_dump_name_stem(const char *name);

/**
 * Puts all files in place, which replaces what earlier calls wrote, and frees the logdir in any
 * case. Signals are held back meanwhile. Errors: ETR_ERROR_IO with the path, ETR_ERROR_MEMORY.
 * After an error existing files are unchanged, except for DOT files if one of them cannot be
 * replaced.
 */
ETR_API etr_status etr_logdir_finish(etr_logdir *logdir, etr_error *error);

/** Removes everything written since etr_logdir_begin(), and frees the logdir. NULL is allowed. */
ETR_API void etr_logdir_discard(etr_logdir *logdir);

/**
 * Removes the temporary files and new folders of all calls in progress, including etr_write_file().
 * It is async-signal-safe, for handlers of signals that end the process, and the process must end
 * after it. The library itself handles no signals.
 */
ETR_API void etr_remove_unfinished(void);

#ifdef __cplusplus
}
#endif

#endif
