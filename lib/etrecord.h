/* SPDX-License-Identifier: BSD-3-Clause
 *
 * etrecord.h - read ExecuTorch's ETRecord, ETDump and .pte files and join run times to graph nodes.
 *
 * One call, etr_profile_open(), reads the files, joins them and returns the *profile*: a read-only
 * tree of plain structs. Do not free its members: every pointer is valid until etr_profile_close().
 * Profiles share no state, so several may be open at once, and any number of threads may read one.
 *
 *   etr_inputs inputs;
 *   etr_error error;
 *   etr_profile *profile;
 *   if (etr_inputs_find(&inputs, "record_dir", NULL, &error) == ETR_OK &&
 *       etr_profile_open(&profile, &inputs, NULL, &error) == ETR_OK) {
 *     for (size_t i = 0; i < profile->graph_count; i++) puts(profile->graphs[i].method);
 *     etr_profile_close(profile);
 *   }
 *   etr_inputs_clear(&inputs);
 *
 * etr_inputs_find_all() takes several files or directories that belong to one record.
 *
 * Conventions
 *   - Strings are NUL-terminated UTF-8; bytes of the input that are not valid UTF-8, and NULs, are
 * replaced by U+FFFD. Otherwise they are exactly what the file holds and may be hostile: code that
 * prints them must escape them for its output format.
 *   - Paths are UTF-8. On Windows a backslash also separates their parts.
 *   - A pointer may be NULL only where its comment says so. Arrays with a count of 0 may be NULL.
 *   - Times are *ticks* of the ETDump's clock: nanoseconds unless the runtime was built with
 * another clock; etr_profile.ticks_per_second is the rate that was assumed. Sizes are bytes.
 *   - Zero the structs that you fill (inputs, options, filters, sinks) first: a later version may
 * add members, and zero selects the previous behavior. Only the library creates the other structs.
 * Until 1.0 any release may change the layout of a struct; the soname then changes with it.
 *   - Terms are ExecuTorch's: debug handle, instruction id, delegate, backend, run, event block,
 * method, entry point.
 */
#ifndef ETRECORD_H
#define ETRECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks the functions that the library exports; it exports no others. ETR_EXPORTS is defined while
 * the library is built. */
#if defined _WIN32 && defined ETR_EXPORTS
#define ETR_API __declspec(dllexport)
#elif defined _WIN32
#define ETR_API
#else
#define ETR_API __attribute__((visibility("default")))
#endif

/* ---- Errors ---- */

/** The kind of failure, as far as a caller would act differently; the message describes the rest.
 */
typedef enum etr_status {
  ETR_OK = 0,
  ETR_ERROR_IO, /**< a file could not be opened, read or written; the operating system's reason is
                   in the message */
  ETR_ERROR_FORMAT, /**< the input is damaged, is not of the expected kind, or exceeds a limit */
  ETR_ERROR_CHOICE, /**< the inputs are ambiguous or incomplete: the caller must choose (two records
                       in one directory, no record at all) */
  ETR_ERROR_MEMORY, /**< out of memory */
  ETR_ERROR_OPTION, /**< an option has a value that does not exist, such as an unknown column name
                     */
} etr_status;

/** Offset of an error that is at no known position in the file. */
#define ETR_NO_OFFSET UINT64_MAX

/** Where and why a call failed. The caller owns it, and any `etr_error *` parameter may be NULL.
 * Functions fill it only when they return a status other than ETR_OK. */
typedef struct etr_error {
  char message[512]; /**< one line: what is wrong and, where that helps, what to do */
  char file[512];    /**< path as given; "" if none */
  char entry[256];   /**< the zip entry or table inside the file; "" if none */
  uint64_t offset;   /**< byte offset inside the entry, or inside the file if entry is "";
                        ETR_NO_OFFSET if unknown */
} etr_error;

/* ---- Inputs ---- */

/** ETDumps that were decoded from logs. Opaque. */
typedef struct etr_decoded_logs etr_decoded_logs;

/** The content of a file, in memory. The bytes stay the caller's: they are not copied, and must not
 * change or be freed until everything that reads them is closed or cleared: the inputs that
 * etr_inputs_find() filled, the record of etr_open_record(), the profile. */
typedef struct etr_buffer {
  const char *name; /**< what messages call it, as "memory:/NAME"; not empty. A debug buffer is
                       called debug_buffer.bin, unless etr_inputs.debug_buffer names it. Copied */
  const void *data; /**< may be NULL if size is 0 */
  size_t size;
} etr_buffer;

/** How the library reads buffers. Opaque. */
typedef struct etr_held_buffers etr_held_buffers;

/** The files to read. Fill it by hand, with strings that you own and without calling
 * etr_inputs_clear(), or call etr_inputs_find(). */
typedef struct etr_inputs {
  const char *etrecord; /**< the ETRecord: a zip file, or a directory that holds an unpacked one.
                           May be NULL if an ETDump or a .pte is given */
  const char *const *etdumps; /**< ETDumps, or text logs that contain ETDumps as base64; LOG#2 is
                                 the second ETDump in LOG; "-" is standard input */
  size_t etdump_count;
  const char *pte; /**< the program, a .pte or .bpte; NULL: the program inside the ETRecord is used,
                      if there is one */
  const char *debug_buffer; /**< debug_buffer.bin; may be NULL: then the buffer in a log is used, if
                               there is one */
  const char *folder; /**< the directory whose files these are, which names the record; NULL if
                         files are given by themselves */
  const char **passed_over; /**< pipes, sockets and devices whose names look like inputs:
                               etr_inputs_find() lists them so that opening can warn */
  size_t passed_over_count;
  const char **repeated; /**< files left out because another file of their kind has the same
                            content: etr_inputs_find() lists them so that opening can warn */
  size_t repeated_count;
  const char *const
      *weights; /**< .ptd files: constants stored outside the program; there may be none */
  size_t weight_count;
  const char *const *references; /**< files that `etrecord-tb reference` wrote, for
                                    etr_accuracy_open(). Opening a profile ignores them */
  size_t reference_count;
  const char *taps; /**< taps.json: what the outputs are that intermediate_output_tap added, for
                       etr_accuracy_open(). NULL: there is none, or there are several */
  etr_decoded_logs
      *logs; /**< logs that etr_inputs_find() decoded, so that opening does not read them again.
                NULL in a struct that you fill by hand: logs are then read when they are needed */
  const etr_buffer *buffers; /**< files in memory. Like files of a directory, each is what its
                                content says, wherever buffers are given: in a struct that is filled
                                by hand, or in `chosen` of etr_inputs_find(). Where etrecord,
                                etdumps, pte or debug_buffer is the name of a buffer, that buffer is
                                meant */
  size_t buffer_count;
  etr_held_buffers *held; /**< the buffers that etr_inputs_find() prepared; NULL in a struct that
                             you fill by hand */
} etr_inputs;

/**
 * Finds the files that belong to the record at `path`: a single file (ETRecord, ETDump or .pte), or
 * a directory. Files in a directory are identified by content, not by name: a zip with the entry
 * ETRECORD_V0 is an ETRecord; the identifier ED00 at byte 8 marks an ETDump, ET12 at byte 4 a .pte,
 * BP08 a .bpte, FT01 a .ptd; a text with an ETDump as base64 is a log; a safetensors file of
 * `etrecord-tb reference` is a reference. debug_buffer.bin and taps.json are identified by their
 * names. A .bpte is used if there is no .pte. A log with several ETDumps is listed as LOG#1, LOG#2,
 * ... A directory that contains a file ETRECORD_V0 is itself an unpacked ETRecord. Subdirectories
 * are not searched. Files are read in name order, so the result does not depend on the file system.
 * A damaged file with a record's name
 * (.etrecord, etrecord.bin) is still taken as the record, so that opening it reports what is wrong
 * with it. In a directory only files, and links to files, are opened; pipes, sockets and devices
 * whose names look like inputs are listed in passed_over, and etr_profile_open() warns about them.
 * A file of a directory that cannot be opened is an error, because it may belong to the record, and
 * so is a pointer of Git LFS, or a file of another kind, that has the name of a part of a record.
 * (A .ptd only gives a warning when it is read.) An ETDump may be compressed with gzip. Of several
 * ETRecords or programs with the same content one counts; the others are listed in `repeated`.
 * If `path` itself is a pipe, it is read as an ETDump.
 *
 * Buffers of `chosen` are found like files of a directory. Other members set in `chosen` (may be
 * NULL) replace what is found; it is then no error to find several files of that kind.
 *
 * On success free *out with etr_inputs_clear(); on failure *out is empty. Errors: ETR_ERROR_IO (the
 * path, or a file of the directory, cannot be read), ETR_ERROR_FORMAT (a file is known to be
 * something else, such as a Git LFS pointer or an HTML page; the message says what to do),
 * ETR_ERROR_CHOICE (there is more than one ETRecord or .pte, and the message
 * lists them and names the option that chooses; or nothing readable was found), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_inputs_find(etr_inputs *out, const char *path, const etr_inputs *chosen,
                                   etr_error *error);

/**
 * Finds the files of one record among several paths, each a file or a directory, as
 * etr_inputs_find() does. With buffers there need not be any path. A file of an unknown kind is an
 * error (ETR_ERROR_CHOICE), because otherwise it would be ignored silently.
 */
ETR_API etr_status etr_inputs_find_all(etr_inputs *out, const char *const *paths, size_t path_count,
                                       const etr_inputs *chosen, etr_error *error);

/**
 * Splits a path such as LOG#2, the second ETDump of LOG, unless a file called LOG#2 exists: returns
 * the length of LOG in bytes and sets *number to 2. For other paths returns the whole length and
 * sets *number to 0.
 */
ETR_API size_t etr_input_file(const char *path, size_t *number);

/** Frees what etr_inputs_find() or etr_inputs_find_all() allocated and empties *inputs. Safe on a
 * zeroed struct. */
ETR_API void etr_inputs_clear(etr_inputs *inputs);

/* ---- Options ---- */

/** Names the method of a run, or of consecutive runs, for files that do not identify it. It does
 * not change loads. */
typedef struct etr_method_choice {
  size_t run; /**< index into etr_profile.runs */
  const char *method;
  size_t last; /**< the last run that it applies to; 0, or less than run: only `run` */
} etr_method_choice;

/** The numbers of the rule for warm-up, see ETR_SKIP_AUTO. The second factor keeps a first run that
 * takes the slower of two times which runs take in turns. */
#define ETR_WARM_UP_FACTOR 1.5
#define ETR_WARM_UP_LONG_FACTOR 1.2
enum { ETR_WARM_UP_LEAST_BEHIND = 3 };

/** Which inferences a profile's times include. The others are excluded from all times. Loads are
 * never excluded. */
typedef enum etr_skip {
  ETR_SKIP_AUTO,  /**< excludes warm-up: each leading run that takes more than
                     ETR_WARM_UP_FACTOR times the median of the runs after it, and more than
                     ETR_WARM_UP_LONG_FACTOR times their 80th percentile (the ceil(0.8 n)-th
                     smallest of n); at least ETR_WARM_UP_LEAST_BEHIND runs must follow. Leading
                     runs are those at the start of each ETDump and after each load, separately
                     for each method or, if it has phases (etr_run_phase), for each phase */
  ETR_SKIP_NONE,  /**< includes all inferences, as ExecuTorch's Inspector does */
  ETR_SKIP_FIRST, /**< excludes the first etr_options.skip_count leading runs, as ETR_SKIP_AUTO
                     defines leading */
  ETR_SKIP_RANGE, /**< includes only etr_options.first_run to last_run */
} etr_skip;

/** The statistic that outputs show first, rank by and compute shares from. */
typedef enum etr_statistic {
  ETR_STATISTIC_TYPICAL, /**< the time in the typical run, see etr_typical_run; shares are of the
                            typical time of Method::execute */
  ETR_STATISTIC_AVG, /**< the average per inference; shares are of the average of Method::execute */
  ETR_STATISTIC_P50, /**< the median; medians do not add up: shares are of the sum of the medians of
                        a table's rows, and the parts of a method are shown with typical times */
} etr_statistic;

/** Returns the name of a statistic as written in JSON: "typical", "avg", "p50". The string is
 * static. */
ETR_API const char *etr_statistic_name(etr_statistic statistic);

/** The peak rates of the device, with which outputs show how close a run came to them. 0: not
 * known. */
typedef struct etr_peaks {
  double flops;       /**< floating-point operations per second; a multiply-accumulate is two */
  double integer_ops; /**< integer operations per second; a multiply-accumulate is two */
  double bandwidth;   /**< bytes per second, read and written */
} etr_peaks;

/** Parts of a profile that a caller may not need. */
typedef enum etr_without {
  ETR_WITHOUT_COSTS = 1 << 0,         /**< etr_graph.costs */
  ETR_WITHOUT_MEMORY = 1 << 1,        /**< etr_method.memory, etr_profile.program_memory */
  ETR_WITHOUT_SOURCES = 1 << 2,       /**< etr_node.source */
  ETR_WITHOUT_TIES = 1 << 3,          /**< warnings of runs that may be of several methods */
  ETR_WITHOUT_INTERRUPTIONS = 1 << 4, /**< etr_method.interruptions */
} etr_without;

/** How to read and join the inputs. A zeroed struct selects the defaults. */
typedef struct etr_options {
  double ticks_per_second; /**< rate of the ETDump's clock, 1e-6 to 1e18; 0: 1e9, so that ticks are
                              nanoseconds */
  const etr_method_choice *choices; /**< methods of runs, chosen by the caller; if two name the same
                                       run, the last applies */
  size_t choice_count;
  size_t run_offset;      /**< added to runs in messages that ask for choices: the number of runs in
                             ETDumps before these, if several are read one by one but numbered
                             together */
  uint64_t max_bytes;     /**< limit on all bytes read from files and from the record's entries,
                             decompressed; 0: 16 GiB, and 1 GiB for a single file that is read
                             whole. Weights do not count, because they are not read */
  uint32_t max_nodes;     /**< limit on the nodes of all graphs together; 0: 2 Mi */
  uint32_t max_events;    /**< limit on the events of all ETDumps together; 0: 16 Mi */
  uint32_t max_delegates; /**< limit on the delegates of one method of a .pte; 0: 8192 */
  uint32_t max_comparisons; /**< limit on the rows of runs that are compared with rows of methods to
                               identify which method ran; 0: 32 Mi. Runs beyond that have no method,
                               and a warning says so */
  bool edge_only;   /**< reads only the graphs to which times are joined, usually the Edge programs.
                       This is cheaper for callers that need no others. Other graphs then have only
                       their names, no node has an aten_node, and damage in programs that are not
                       read is not noticed. If no Edge program can be read, the record's other
                       programs are read as usual */
  unsigned without; /**< etr_without flags: parts that are neither computed nor warned about, which
                       is cheaper for callers that do not need them. 0: all parts are computed */
  etr_skip skip;    /**< which inferences are included; zeroed: all but warm-up */
  uint32_t skip_count;
  size_t first_run, last_run; /**< indices into etr_profile.runs, both included; opening
                                 fails with ETR_ERROR_CHOICE if first_run is above last_run */
  etr_statistic statistic;    /**< copied to the profile, from which outputs read it */
  etr_peaks peaks;            /**< copied to the profile, from which outputs read them */
  const char *instructions;   /**< instructions of the device's processor that matter for speed, as
                                 Linux names them, between blanks: "avx512f avx512_vnni". Only read
                                 while the profile is opened. NULL: those of record.json beside the
                                 record, if there is one */
  const char *source_root;    /**< folder whose files are preferred as source lines, as recorded; a
                                 relative one is looked for anywhere in a path, such as
                                 "torchvision/models". NULL: none. It is only read while the profile
                                 is opened */
} etr_options;

/* ---- Graphs ---- */

/** Marks "no node", "no module", "no subgraph" in index fields. */
#define ETR_NONE UINT32_MAX

/** Size of a symbolic dimension, one that is not a plain number. */
#define ETR_DIM_SYMBOLIC INT64_MIN

/** The sizes that a symbol of a graph may take (range_constraints). */
typedef struct etr_symbol_range {
  const char *symbol;     /**< "s77" */
  int64_t least, largest; /**< INT64_MIN and INT64_MAX: the file gives no bound */
} etr_symbol_range;

/** One dimension of a tensor. */
typedef struct etr_dim {
  int64_t size;       /**< number of elements, or ETR_DIM_SYMBOLIC */
  const char *symbol; /**< expression such as "s77" or "2*s77" for a symbolic size, else NULL */
  int64_t hint;       /**< example value recorded for a symbolic size, -1 if none */
} etr_dim;

/** A value that a node defines: a tensor, or a symbolic number. */
typedef struct etr_value {
  const char *name;
  const char *dtype;   /**< torch's name without "torch.": "float32"; "int", "bool" or "float" for
                          symbolic numbers; NULL if the file does not say */
  const etr_dim *dims; /**< rank entries */
  int32_t rank;        /**< -1: not a tensor, or shape unknown */
  bool is_bound; /**< in program/METHOD: the shape is dynamic, and the sizes are upper bounds */
} etr_value;

typedef enum etr_node_kind {
  ETR_NODE_OP,     /**< calls an operator */
  ETR_NODE_INPUT,  /**< user input, or argument of a nested graph */
  ETR_NODE_OUTPUT, /**< what the graph returns: one node, named "output", in each graph and nested
                      graph */
  ETR_NODE_PARAMETER, /**< this and the following kinds are weights, but for buffers that are
                         written: etr_node_is_weight() */
  ETR_NODE_BUFFER,
  ETR_NODE_CONSTANT, /**< lifted tensor constant or custom object */
} etr_node_kind;

/** Returns the name of a kind as written in JSON: "op", "input", "output", "parameter", "buffer",
 * "constant". The string is static. */
ETR_API const char *etr_node_kind_name(etr_node_kind kind);

/** One use of a value by a node. */
typedef struct etr_edge {
  uint32_t node;   /**< index of the producer in etr_graph.nodes */
  uint32_t output; /**< index of the value in the producer's outputs */
} etr_edge;

/**
 * A module of the model, from nn_module_stack. The modules of a graph form a tree whose root is
 * modules[0], with path
 * "". Other modules with path "" are names that torch.export made up for the root; their contents
 * belong to their parent.
 */
typedef struct etr_module {
  const char *path; /**< "encoder.layers.0.mlp"; "" for the root */
  const char
      *recorded;    /**< the path as the record spells it; torch 2.6 puts "L['self']." in front */
  const char *type; /**< "torch.nn.modules.linear.Linear"; "" if unknown */
  uint32_t parent;  /**< index of the enclosing module; ETR_NONE for the root */
  const char *pattern; /**< the path with '*' for numbers that only count repetitions: all layers of
                          one structure have "encoder.layers.*.mlp". It is the path itself if
                          nothing repeats. Modules with the same pattern are never nested */
} etr_module;

typedef enum etr_subgraph_kind {
  ETR_SUBGRAPH_BODY,    /**< body of cond, map, scan, while */
  ETR_SUBGRAPH_LOWERED, /**< original module of an executorch_call_delegate */
} etr_subgraph_kind;

/** A graph nested in a node: the body of a control-flow operator, or the module that a delegate was
 * lowered from. */
typedef struct etr_subgraph {
  const char *name; /**< "true_graph_0", "lowered_module_0" */
  const char *path; /**< names from the outermost subgraph inwards, joined by '/':
                       "true_graph_0/false_graph_0" */
  etr_subgraph_kind kind;
  uint32_t parent;     /**< index of the enclosing subgraph; ETR_NONE: the graph itself */
  uint32_t owner;      /**< node that holds it */
  const char *backend; /**< of a lowered module: "XnnpackBackend"; else NULL */
  bool is_numbered;    /**< in program/METHOD: Model Explorer's adapter for programs shows this
                          delegate, and its n-th operator there has the id n, from 0 on */
} etr_subgraph;

/** One frame of a stack trace. */
typedef struct etr_source {
  const char *file; /**< as recorded */
  int64_t line;
  const char *function;
  const char *code; /**< the source line's text, stripped; "" if not recorded */
  const struct etr_source
      *library_line; /**< where the line leads into a library of models (transformers): the
                        innermost frame inside that library; NULL: it leads into none, or it is
                        itself in such a library or below etr_options.source_root */
} etr_source;

/**
 * An argument of a node that is not a tensor: the stride of a convolution, a dim, a scale. A
 * program stores only the arguments that were given, so one with its default value may be missing.
 * At most 64 arguments of a node are kept, and only the first of several with the same name.
 *
 * Values are JSON on one line: true, [1, 1], 0.5, "mean". Types, memory formats, layouts and
 * devices are strings: "float32", "contiguous_format", "strided", "cuda:0"; so are "NaN" and
 * "Infinity". A symbolic number is written as its expression: [1, "2*s77"]. Long values are cut and
 * remain valid JSON: a list after about 256 bytes, a string after 200; "..." replaces the rest.
 */
typedef struct etr_argument {
  const char *name; /**< name in the operator's schema: "stride" */
  const char *value;
} etr_argument;

/** A node of a graph. */
typedef struct etr_node {
  const char *name;
  const char *target;  /**< "aten.add.Tensor", "higher_order.cond", "_operator.add"; for nodes that
                          are not operators, their name */
  const char *op_type; /**< what ExecuTorch's Inspector calls the operator: the target of an Edge
                          operator, or the name without namespace of any other: "mul" */
  etr_node_kind kind;
  uint32_t subgraph;      /**< index into etr_graph.subgraphs; ETR_NONE: the graph itself */
  const etr_edge *inputs; /**< every use, in argument order; a value that is used twice is listed
                             twice. Uses of unknown names are left out */
  size_t input_count;
  size_t other_input_count;     /**< in program/METHOD: as many more edges follow in `inputs`, from
                                   producers that the node may read in place of those before,
                                   because of jumps: the end of another branch, or the previous
                                   pass of a loop, whose producer may be a later node or the
                                   node itself. Those before are each the last producer
                                   before the node */
  const uint32_t *other_places; /**< of each of these, the index of the input that it may replace;
                                   ETR_NONE: there is none, because all producers are later nodes */
  const etr_argument *
      arguments; /**< in argument order; tensors, graphs and None are left out. A program has no
                     argument names: in program/METHOD well-known operators have ATen's names,
                    other arguments are named by position, "arg_3", and in delegates constants
                    have "bytes", the size of their data, and XNNPACK's convolutions ATen's names */
  size_t argument_count;
  const etr_value *outputs;
  size_t output_count;
  uint32_t module; /**< index into etr_graph.modules; 0 (the root) also if no module was recorded.
                      Its `parent`s are the levels around it, each with its class in `type` */
  uint32_t debug_handle; /**< 0: unset */
  const etr_source
      *source; /**< the model's line: the innermost frame below etr_options.source_root, or else
                  outside torch, torchao, ExecuTorch and transformers; of a line that held the whole
                  model, its library_line (see etr_graph.wrapper). Of a node of an Edge program from
                  a region such as torch.no_grad(), whose own frames are generated code, it is the
                  line that the exported program has for it; so are its frames and its module. NULL
                  if none was recorded */
  const etr_source *frames; /**< the whole stack trace, innermost frame first. Nodes with the same
                               trace share it */
  size_t frame_count;
  const char *weight_name; /**< of a parameter, buffer or constant: "a.weight"; else NULL */
  bool is_written; /**< of a buffer: inferences write a new value to it, so that it is a state, such
                      as a cache, and no weight */
  const char *const
      *edge_nodes; /**< in program/METHOD: names of the Edge nodes that the instruction runs */
  size_t edge_node_count;
  const char *aten_node; /**< name of the node of aten/forward from which this one was lowered,
                            found by from_node and export_graph_id; for a node in a body, its name
                            in the corresponding body of that graph. NULL if unknown */
} etr_node;

/** Returns true for a parameter, a constant, or a buffer that inferences only read. */
static inline bool etr_node_is_weight(const etr_node *node) {
  return node->kind >= ETR_NODE_PARAMETER && !node->is_written;
}

/** Returns true for an operator that moves, repeats or converts data and computes nothing, such as
 * "aten.permute_copy.default". */
ETR_API bool etr_node_only_copies(const etr_node *node);

/** Returns true for an operator whose result is the data of its first input in another shape, or a
 * copy of it, so that memory planning may merge both: no kernel runs then. */
ETR_API bool etr_is_view(const etr_node *node);

/** Returns true for an operator that draws random numbers: torch tags it as
 * nondeterministic_seeded, and its arguments do not say that it draws none, as those of a dropout
 * in inference mode do. */
ETR_API bool etr_node_draws(const etr_node *node);

/** Returns whether the node wraps an operator that changes an argument in place, so that it returns
 * the new value. Its target is the operator, and its op_type auto_functionalized or
 * auto_functionalized_v2. */
ETR_API bool etr_is_functionalized(const etr_node *node);

/** Returns the value of the node's argument of this name; NULL if it has none. */
ETR_API const char *etr_node_argument(const etr_node *node, const char *name);

/** How an operator of program/METHOD computes, as far as its cost depends on it. Its inputs are in
 * the order named here. */
typedef enum etr_work {
  ETR_WORK_BY_NAME,    /**< as ATen's operator of that name */
  ETR_WORK_NO_PRODUCT, /**< reads and writes its tensors without multiplying them by each other */
  ETR_WORK_ELSEWHERE,  /**< no work of its own: the nodes inside it do the work, or it is control
                          flow */
  ETR_WORK_HIDDEN, /**< unknown: an opaque delegate, or an operator whose tensors are not recorded
                    */
  ETR_WORK_ODD_PRODUCT, /**< multiplies in a way that is not known */
  ETR_WORK_CONVOLUTION, /**< convolution of an input with a filter, channels last: multiplies at
                           each position of the output */
  ETR_WORK_TRANSPOSED,  /**< transposed convolution, channels last: multiplies at each position of
                           the input */
  ETR_WORK_CONVOLUTION_FIRST, /**< convolution, channels first, as ATen's */
  ETR_WORK_TRANSPOSED_FIRST,  /**< transposed convolution, channels first */
  ETR_WORK_LINEAR, /**< rows of the input times a matrix of weights, which may be stored transposed
                    */
  ETR_WORK_MATMUL, /**< product of matrices, batch by batch */
  ETR_WORK_ATTENTION, /**< attention over queries, keys and values */
} etr_work;

/** An unknown number, in members for which 0 is a valid value. */
#define ETR_UNKNOWN UINT64_MAX

/**
 * What one call of a node computes, reads and writes, derived from the shapes of its tensors alone.
 * Nodes that a delegate fused into another (etr_node_time.carried_by) count for that node and have
 * 0 themselves: multiply-accumulates add up, and only the bytes that cross the boundary of the
 * whole group count. Without times it is not known what is fused.
 *
 * Multiply-accumulates are counted as in torch/utils/flop_counter.py, whose FLOP are twice as many:
 * products of matrices, convolutions and attention; products with vectors (mv, dot, outer), which
 * FlopCounterMode leaves out, count like those of matrices. A convolution counts each position of
 * its output, padding included, and a transposed convolution each position of its input; masks
 * reduce nothing. Every other operator counts 0, additions and activations included. Bytes count
 * each tensor once, whatever caches do. A lookup in a table (embedding, slice) counts only the
 * bytes taken from it. ATen's views count 0; the Edge dialect's view operators copy and therefore
 * count.
 */
typedef struct etr_cost {
  uint64_t macs;       /**< ETR_UNKNOWN: the operator has no known formula, or sizes are missing */
  uint64_t read_bytes; /**< ETR_UNKNOWN, here and below: sizes or types are missing */
  uint64_t weight_bytes; /**< the part of read_bytes that is weights: etr_node_is_weight() */
  uint64_t written_bytes;
  uint64_t executions; /**< calls over all included runs of the method; 0 if none was timed.
                          ETR_UNKNOWN for operators of delegates in bodies of loops and branches,
                          where several may make up one call */
  bool never_ran; /**< the method ran and this node did not: it is in a branch that was never taken,
                     or it is a view for which memory planning needed no copy. Sums per inference
                     leave it out */
  bool is_integer; /**< it multiplies integers: both factors are integers, before any dequantization
                      inside the fused group */
  bool from_hints; /**< a size is symbolic: the example recorded by the export was used for it */
} etr_cost;

/** A graph of the record: one entry point, named MODULE/METHOD. */
typedef struct etr_graph {
  const char *module; /**< "edge", "aten", "program", or the name of an extra module; "edge~2" if
                         that name is one of the former or edge/METHOD already exists. Module and
                         method together are unique */
  const char *method;
  const char
      *entry; /**< the zip entry it was read from; for program/METHOD, the .pte's path or entry */
  const char *dialect; /**< "edge", "aten", "program"; "" if the operators do not identify it */
  const char *schema_version; /**< of the serialized program: "5.4"; "" if absent */
  const etr_node *nodes; /**< in execution order: inputs and weights, operators, each followed by
                            its nested graphs, then the output */
  size_t node_count;
  const etr_module *modules; /**< parents come before their children */
  size_t module_count;
  const etr_subgraph *subgraphs; /**< parents come before children, and owners before the nodes of
                                    their subgraphs */
  size_t subgraph_count;
  uint32_t profile_method; /**< index into etr_profile.methods of the method whose times are joined
                              to this graph; ETR_NONE if none */
  const struct etr_node_time *times; /**< node_count entries; NULL if it is not known how the nodes
                                        run. Without runs they still name the delegates */
  const etr_cost *costs; /**< node_count entries, zeroed for nodes that are not operators */
  const uint8_t *works; /**< in program/METHOD: node_count entries, values of etr_work; else NULL */
  const etr_value *const
      *views; /**< in program/METHOD: node_count lists, else NULL. A list has input_count entries:
                 the shapes in which the node sees its inputs, where memory planning made a view of
                 another shape of one of them. Entries with name NULL are seen as they were written.
                 The list is NULL for nodes without such views */
  const etr_symbol_range *ranges; /**< of the symbols in its dimensions, as the export was told */
  size_t range_count;
  size_t mutation_count; /**< number of buffers and inputs to which an inference writes a new value,
                            by the program's output_specs */
  const etr_source *wrapper; /**< the user's line that held the whole model, because it only calls a
                                model of a library: 90 % or more of the operators' time, or of the
                                operators where no graph of the profile has times. Its nodes have
                                its library_line as `source` instead. NULL: there is no such line */
  bool is_changed; /**< to_executorch() changed it, because its author did not copy it before: it
                      has memory.alloc or operators that write to an argument `out`. The debug
                      handles of its own nodes belong to other nodes then; its nodes stand in the
                      order in which the program runs them */
} etr_graph;

/** Returns the index of the node whose values a node has, behind operators that only copy: the node
 * itself if it is none of these. Follows first inputs, and only back, so that a graph with a circle
 * ends. */
ETR_API uint32_t etr_graph_behind_copies(const etr_graph *graph, uint32_t node);

/**
 * Returns the input of which the elements are tokens: the integer input of rank 2; of several the
 * one named "tokens", "input_ids" or "ids", or with "tok" in its name, else the first. NULL: the
 * graph reads no tokens.
 */
ETR_API const etr_value *etr_token_input(const etr_graph *graph);

/** Returns the short name of a backend that people read, "XNNPACK" for "XnnpackBackend"; NULL if it
 * is not known. The string is static. */
ETR_API const char *etr_backend_label(const char *backend);

/** Returns the id of a backend that runs on any CPU and whose partitioner's rules are known, for
 * graphs that use no backend: "XnnpackBackend". The string is static. */
ETR_API const char *etr_known_partitioner(void);

/** Returns whether the rules of a backend's partitioner are known for a graph, which must be of the
 * Edge dialect. They are those of ExecuTorch 1.5: for a graph that torch.export wrote in a format
 * before 5.4, as for ExecuTorch 1.2 and before, they are not known. */
ETR_API bool etr_partitioner_is_known(const char *backend, const etr_graph *graph);

/** Returns true if the rules of a backend's partitioner are known and it takes operators of a
 * kernel, "convolution.out", as far as their name decides; their types and shapes do, too. The
 * rules are those of ExecuTorch 1.5. */
ETR_API bool etr_partitioner_takes_kernel(const char *backend, const char *kernel);

/** Returns true for a kernel, "permute_copy.out", that moves, repeats or converts data and computes
 * nothing. */
ETR_API bool etr_kernel_only_copies(const char *kernel);

/**
 * Sets reasons[i], for each node of an Edge graph, to why the partitioner of a backend leaves the
 * node to kernels: one line whose subject is the partitioner, "takes no empty tensors", and behind
 * a colon what to write instead, if that is known. It is NULL for a node that the partitioner
 * takes, for nodes that are not operators, and for nodes whose flag in `wanted` is false; `wanted`
 * may be NULL. `reasons` and `wanted` have graph->node_count entries; the strings are static. The
 * rules are those of ExecuTorch 1.5. It leaves `reasons` alone if the rules are not known: see
 * etr_partitioner_is_known(). Returns false when out of memory.
 */
ETR_API bool etr_partition_refusals(const char **reasons, const char *backend,
                                    const etr_graph *graph, const bool *wanted);

/**
 * Sets aten_of[i], for each node of an Edge graph, to the index of the ATen operator that its
 * aten_node names; ETR_NONE if there is none. Names are unique only within a body: a node in the
 * second body of a cond came from a node in the second body of the cond's own ATen node. The
 * original module of a delegate belongs to the graph that contains it. `aten_of` has
 * edge->node_count entries. Returns false when out of memory.
 */
ETR_API bool etr_find_aten_nodes(uint32_t *aten_of, const etr_graph *edge, const etr_graph *aten);

/* ---- Memory ---- */

/** The role of a planned tensor in its method, which decides how long its memory is in use. */
typedef enum etr_tensor_role {
  ETR_TENSOR_ACTIVATION, /**< in use from the first to the last instruction that uses it */
  ETR_TENSOR_INPUT, /**< in use from the first instruction of the method to the last that uses it */
  ETR_TENSOR_OUTPUT, /**< in use from the first instruction that uses it to the end */
  ETR_TENSOR_STATE,  /**< always in use: it keeps its value from one inference to the next, as a
                        mutable buffer does. It has initial data in the program, or is read before
                        anything writes it */
} etr_tensor_role;

/** Returns the name of a role as written in JSON: "activation", "input", "output", "state". The
 * string is static. */
ETR_API const char *etr_tensor_role_name(etr_tensor_role role);

/** Sets *bytes to the size of a tensor's elements. Returns false and leaves *bytes alone if the
 * dtype is unknown or does not have a whole number of bytes, a dimension has neither size nor hint,
 * or the product does not fit in 64 bits.
 */
ETR_API bool etr_value_bytes(const etr_value *value, uint64_t *bytes);

/** Returns the type of the numbers that a delegate stores of a weight if it is another one than in
 * the graph, and sets *bytes to their size: "int4" for weights of four bits, which take a byte each
 * in the graph; in XNNPACK "bfloat16" for the scales of their groups, and "", with 0 bytes, for
 * zero points, which it does not store. The weight is the input `position` of `reader`. Returns
 * NULL if the type is that of the graph. The string is static. */
ETR_API const char *etr_packed_weight(const etr_graph *graph, const etr_node *reader,
                                      size_t position, uint64_t *bytes);

/**
 * A tensor to which the program assigns a position in a planned buffer (Tensor.allocation_info in
 * exir/_serialize/program.fbs). Instructions are those of the first chain; both ends of a lifetime
 * are included, as in exir/memory_planning.py. A tensor that exists before a loop and is used in it
 * lives until the loop ends.
 */
typedef struct etr_planned_tensor {
  uint32_t value;   /**< index into the method's values */
  etr_value tensor; /**< the name is that of the Edge node that computes it, or of the weight;
                       "value_7" if neither is known. Sizes are those that memory planning used */
  bool is_bound;    /**< its shape is dynamic, and the sizes are upper bounds */
  uint32_t buffer;  /**< index into etr_memory_plan.buffers; ETR_NONE: the buffer does not exist */
  uint64_t offset_bytes; /**< from the buffer's start */
  uint64_t
      size_bytes; /**< size of its elements; the file does not record padding between tensors */
  etr_tensor_role role;
  int32_t first_instruction,
      last_instruction; /**< first and last use, through views too. -1: no instruction uses it
                           (an input that is not read), so that its memory may be reused */
  int32_t made_by;  /**< instruction that first writes it; -1: none does, as for inputs and views */
  uint32_t view_of; /**< index of the tensor whose memory it shares on purpose, as a view or by an
                       in-place operator; its bytes belong to that tensor. ETR_NONE: it has its own
                       memory */
  bool is_misplaced; /**< it lies outside its buffer or has an invalid size: it is left out of all
                        sums, and a warning says why */
  uint32_t node;     /**< node of the method's Edge graph that computes it; ETR_NONE if unknown */
  uint32_t module; /**< module of that node in the Edge graph, or the innermost module that contains
                      all nodes of its delegate; 0 if unknown */
  const uint32_t *users; /**< instructions that read or write it or a view of it, in their order,
                            each once. Empty for a view, and for all tensors if the program's lists
                            of tensors are too long to follow */
  size_t user_count;
} etr_planned_tensor;

/** A buffer that the runtime allocates for a method's tensors
 * (ExecutionPlan.non_const_buffer_sizes). */
typedef struct etr_planned_buffer {
  uint32_t
      id; /**< index in non_const_buffer_sizes, which is the memory_id of tensors; starts at 1 */
  const char *device;  /**< "cpu", "cuda:0" (non_const_buffer_device); "device 7:0" if the device
                          type is unknown */
  uint64_t size_bytes; /**< size that memory planning gave it */
  uint64_t top_bytes;  /**< end of its highest tensor, in bytes from its start */
  uint64_t peak_bytes; /**< largest number of bytes live at one instruction */
  int32_t peak_instruction; /**< the first instruction at that peak; -1: none */
  size_t tensor_count; /**< tensors planned into it, views included. Their lifetimes and sizes say
                          how many bytes are live at each instruction */
} etr_planned_buffer;

/** An input or output of a method that is a tensor. */
typedef struct etr_boundary_tensor {
  etr_tensor_role role; /**< ETR_TENSOR_INPUT or ETR_TENSOR_OUTPUT */
  uint32_t index;       /**< index among the method's inputs or outputs */
  etr_value tensor;     /**< as in etr_planned_tensor */
  bool is_bound;
  uint64_t size_bytes;
  bool is_planned; /**< it is in a planned buffer; else the caller provides its memory */
} etr_boundary_tensor;

/** One instruction of a method. */
typedef struct etr_memory_step {
  const char *op; /**< "aten::add.out", "XnnpackBackend"; "move", "jump", "free" for control flow */
  bool is_delegate;
  uint32_t node; /**< node of the method's Edge graph that a kernel computes; ETR_NONE if unknown */
  uint32_t module; /**< module, as in etr_planned_tensor */
} etr_memory_step;

/** Processed bytes that a program passes to its delegates. Several delegates may share a blob. */
typedef struct etr_delegate_blob {
  const char *backend;
  int32_t instruction;   /**< the first instruction that calls a delegate with it; -1: none does */
  size_t delegate_count; /**< delegates of the method that use it */
  uint64_t size_bytes;
  uint32_t segment; /**< index into etr_program_memory.segments; ETR_NONE: inside the program's own
                       bytes */
} etr_delegate_blob;

/** The memory of one method, as far as its program describes it. */
typedef struct etr_memory_plan {
  const etr_planned_buffer *buffers; /**< buffers that have bytes or tensors, sorted by id */
  size_t buffer_count;
  const etr_planned_tensor *tensors; /**< in the order in which the program uses them */
  size_t tensor_count;
  const etr_memory_step *steps; /**< instruction_count entries */
  size_t instruction_count;
  const uint64_t *live_bytes; /**< instruction_count entries: bytes live at each instruction, in all
                                 buffers together */
  uint64_t planned_bytes;     /**< size of all buffers */
  uint64_t peak_bytes;        /**< largest of live_bytes */
  int32_t peak_instruction;   /**< first instruction at the peak; -1: nothing is planned */
  const etr_boundary_tensor *boundary; /**< inputs, then outputs */
  size_t boundary_count;
  const char *returned; /**< of a method without instructions, which computes nothing: the values
                           that it returns, "2048", "true, [1, 2]"; NULL for other methods */
  const etr_delegate_blob *blobs;
  size_t blob_count;
  size_t unplanned_count; /**< tensors without an upper bound, which the runtime allocates while the
                             method runs */
  uint64_t allocator_bytes_32,
      allocator_bytes_64; /**< least size of the runtime's method allocator on a processor with
                             pointers of 32 and of 64 bits: what Method::init of ExecuTorch 1.5
                             makes of values, tensors' metadata and instructions
                             (runtime/executor/method.cpp). What a backend's init takes from the
                             same allocator comes on top, and no file says how much it is */
} etr_memory_plan;

/** What a segment of a program holds. */
typedef enum etr_segment_kind {
  ETR_SEGMENT_UNUSED,    /**< nothing known refers to it */
  ETR_SEGMENT_CONSTANTS, /**< constants: weights that kernels read */
  ETR_SEGMENT_MUTABLE,   /**< initial data of mutable tensors */
  ETR_SEGMENT_DELEGATE,  /**< processed bytes of a delegate */
  ETR_SEGMENT_NAMED,     /**< named data, which backends may share */
} etr_segment_kind;

/** Returns the name of a kind as written in JSON: "unused", "constants", "mutable", "delegate",
 * "named". The string is static. */
ETR_API const char *etr_segment_kind_name(etr_segment_kind kind);

/** A segment of data that follows a program in its file (Program.segments). */
typedef struct etr_segment {
  uint64_t offset_bytes; /**< from the start of the segments */
  uint64_t size_bytes;
  etr_segment_kind kind;
  const char *name; /**< the first key of named data; NULL for other kinds */
} etr_segment;

/** Where the data of a constant is. */
typedef enum etr_constant_place {
  ETR_CONSTANT_INLINE,   /**< inside the program's own bytes */
  ETR_CONSTANT_SEGMENT,  /**< in a segment */
  ETR_CONSTANT_EXTERNAL, /**< in another file, by name */
} etr_constant_place;

/** Returns the name of a place as written in JSON: "inline", "segment", "external". The string is
 * static. */
ETR_API const char *etr_constant_place_name(etr_constant_place place);

/** A constant that kernels read. Several tensors and methods may share its data. */
typedef struct etr_constant {
  etr_value
      tensor; /**< the first tensor with this data. Its name is the weight's, as in
                 etr_node.weight_name, or the program's name; "constant_3" if neither is known */
  uint64_t size_bytes;
  etr_constant_place place;
  uint32_t
      segment; /**< index into etr_program_memory.segments; ETR_NONE unless ETR_CONSTANT_SEGMENT */
  uint64_t offset_bytes; /**< of its data in the file; ETR_UNKNOWN: it is in another file, or the
                            offset is invalid */
  const char
      *module; /**< of a weight whose name is known: the name up to its last dot; NULL: not known */
  bool is_mutable; /**< it is the initial data of a planned tensor */
  uint32_t method; /**< index into etr_profile.methods of the first method that uses it */
  size_t uses;     /**< number of tensors in all methods that use it */
} etr_constant;

/** What a part of a program's file holds. */
typedef enum etr_content {
  ETR_CONTENT_PROGRAM,  /**< the program itself: methods, instructions, values, names */
  ETR_CONTENT_CONSTANT, /**< a constant that kernels read */
  ETR_CONTENT_MUTABLE,  /**< initial data of a mutable tensor */
  ETR_CONTENT_WEIGHT,   /**< a constant of a delegate, in its processed bytes or in named data */
  ETR_CONTENT_DELEGATE, /**< the remaining processed bytes of a delegate: its graph */
  ETR_CONTENT_CLOSED,   /**< processed bytes of a delegate in a format that cannot be read here: its
                           weights are included, and how many bytes they take is not known */
  ETR_CONTENT_NAMED,    /**< named data that no delegate is known to read */
  ETR_CONTENT_UNUSED,   /**< a segment to which nothing refers */
  ETR_CONTENT_TESTS,    /**< in a BundledProgram: everything around the program */
  ETR_CONTENT_PADDING,  /**< bytes between the others, which align them */
} etr_content;

/** Returns the name of a kind as written in JSON: "program", "constant", "mutable", "weight",
 * "delegate", "closed", "named", "unused", "tests", "padding". The string is static. */
ETR_API const char *etr_content_name(etr_content kind);

/** An instruction that calls a delegate. */
typedef struct etr_delegate_use {
  uint32_t method; /**< index into etr_profile.methods */
  int32_t instruction;
} etr_delegate_use;

/** A part of a program's file. Parts inside it, such as the weights in the bytes of a delegate, are
 * parts of their own and not counted in it, so the sizes of all parts add up to the size of the
 * file. */
typedef struct etr_file_part {
  etr_content kind;
  uint64_t offset_bytes; /**< where it begins */
  uint64_t size_bytes;
  uint64_t extent_bytes; /**< the same with the parts inside it */
  etr_value tensor;   /**< of a constant, mutable data or weight: its name, as in etr_constant or in
                         the delegate's graph, "constant_12", and its type. Of named data the name
                         is its key. Otherwise NULL */
  const char *module; /**< module of the weight, or of the node that reads it; NULL: not known */
  const char *backend; /**< of a delegate and its weights; else NULL */
  const char *format;  /**< of a delegate: what the program says about format, version and target:
                          "XN01", "VGF 0.5.0", "SoC model 57, HTP v75"; NULL: nothing */
  const etr_delegate_use *calls; /**< of a delegate: each instruction that calls one with these
                                    bytes, by method */
  size_t call_count;
  uint32_t method; /**< index into etr_profile.methods of the first method that uses it; ETR_NONE:
                      none */
  int32_t instruction; /**< of a delegate and its weights: the first instruction that calls it; -1:
                          none */
  size_t uses; /**< number of tensors of methods, or of delegates, that use it; 0 if that is not
                  what it holds */
} etr_file_part;

/** What a program contains besides its methods. */
typedef struct etr_program_memory {
  uint64_t file_bytes; /**< size of the file that the program was read from; of a program in an
                          ETRecord, of that entry */
  const etr_file_part *parts; /**< all bytes of the file, by offset */
  size_t part_count;
  uint64_t program_bytes; /**< size of the program without its segments */
  const etr_segment *segments;
  size_t segment_count;
  const etr_constant
      *constants; /**< in the order in which the values of the methods refer to them */
  size_t constant_count;
} etr_program_memory;

/** What a run allocated from one allocator, by the AllocationEvents of its ETDump. */
typedef struct etr_allocations {
  const char *allocator;  /**< the runtime's name for it; "" if it gave none */
  size_t count;           /**< allocations */
  uint64_t total_bytes;   /**< of all allocations; capped at UINT64_MAX */
  uint64_t largest_bytes; /**< size of the largest allocation */
} etr_allocations;

/* ---- Times ---- */

/** How the node of an event was found, or why it has none. */
typedef enum etr_match {
  ETR_MATCH_NONE,   /**< no node was identified */
  ETR_MATCH_HANDLE, /**< debug handle map: the node of the handle with this operator or, if the
                       operator was replaced, the only node of the handle that is left */
  ETR_MATCH_DELEGATE_MAP, /**< the backend's delegate map, from its ids to debug handles */
  ETR_MATCH_PAYLOAD,      /**< the delegate's payload in the .pte */
  ETR_MATCH_ORDER,     /**< the order of the lowering, which handle lists and events prove, left one
                          node of those with its handle and operator, or of those of its delegate */
  ETR_MATCH_ALIGNED,   /**< estimated: order-preserving alignment of operator classes */
  ETR_MATCH_DELEGATE,  /**< no node: the delegate as a whole, or an operator that its lowering
                          inserted */
  ETR_MATCH_NAME,      /**< the delegate's event has the node's name */
  ETR_MATCH_FRAMEWORK, /**< no node: Method::*, an OPERATOR_CALL around a kernel, control flow */
  ETR_MATCH_INSTRUCTION, /**< in program/METHOD: the number of the instruction that ran */
} etr_match;

/** Returns the name of a match as written in JSON: "none", "handle", "delegate_map", "payload",
 * "order", "aligned", "delegate", "name", "framework", "instruction". The string is static. */
ETR_API const char *etr_match_name(etr_match match);

/** Statistics over samples, in ticks. Percentiles interpolate linearly between the sorted samples
 * at rank p/100 * (count - 1), as numpy's do. */
typedef struct etr_stats {
  size_t count;   /**< number of samples; if it is 0, the other members are 0 */
  double typical; /**< time in the typical run (etr_typical_run) of the method, the phase or, of an
                     event, the runs of its block: a run without a sample counts as 0, so that
                     typical times add up */
  double avg, min, max, p10, p50, p90;
} etr_stats;

/**
 * The runs of which the *typical run* is the mean. Of each recording, which is an ETDump with an
 * included run of the method, these are the runs in the middle third by Method::execute:
 * floor(n / 3) of its n runs are left out at either end, and of runs with equal times the earlier
 * one counts as the shorter. The typical time of anything is its mean over these runs of a
 * recording, and then the mean over the recordings:
 *
 *   sum of weights[run] * its ticks in that run, divided by `divisor`
 *
 * So the typical times of parts add up to that of the whole. With fewer than three runs in each
 * recording it is the average. A recording that differs from the others (etr_odd_recording) is left
 * out. Of loads it is the median over the recordings, since the first process often takes longer.
 */
typedef struct etr_typical_run {
  const double *weights; /**< one entry for each included run of the method, in the order of
                            etr_method.runs; 0: the run is left out */
  double divisor;        /**< sum of the weights; 0 without runs */
} etr_typical_run;

/** A recording whose typical run differs from those of the others: of five recordings or more of a
 * method, the logarithm of its time is farther from the median of all than 4 * 1.4826 times the
 * median distance from it, and than ln 1.05. */
typedef struct etr_odd_recording {
  uint32_t dump; /**< index into etr_profile.etdumps */
  double change; /**< its typical run divided by that of the other recordings, minus 1 */
} etr_odd_recording;

/** Returns half the distance between p10 and p90, rounded up to a multiple of the step of the clock
 * in ticks (0: one tick): the spread that outputs write behind a time as "± 0.02". Returns NaN for
 * fewer than five samples. */
ETR_API double etr_stats_spread(const etr_stats *stats, double step);

/** The least number of runs whose noise is judged; fewer get ETR_NOISE_FEW_RUNS. */
enum { ETR_NOISE_LEAST_TO_JUDGE = 10 };
/** The largest coefficient of variation that counts as steady. */
#define ETR_NOISE_MOST_STEADY 0.05

/** How steady runs of one kind are. Modes, steps and drifts are detected only in at least 20 runs.
 */
typedef enum etr_noise_verdict {
  ETR_NOISE_FEW_RUNS,  /**< fewer than ETR_NOISE_LEAST_TO_JUDGE */
  ETR_NOISE_STEADY,    /**< cv is at most ETR_NOISE_MOST_STEADY */
  ETR_NOISE_NOISY,     /**< cv is larger, and none of the verdicts below explains it */
  ETR_NOISE_TWO_MODES, /**< each run takes one of two times, and the runs alternate between them */
  ETR_NOISE_STEP, /**< from one run on, all runs are slower, or all are faster, than the runs before
                   */
  ETR_NOISE_DRIFT, /**< runs become gradually slower or faster */
} etr_noise_verdict;

/** Returns the name of a verdict as written in JSON: "few_runs", "steady", "noisy", "two_modes",
 * "step", "drift". The string is static. */
ETR_API const char *etr_noise_verdict_name(etr_noise_verdict verdict);

/** One of the two times that runs take. */
typedef struct etr_noise_mode {
  size_t run_count; /**< 0 unless the verdict is ETR_NOISE_TWO_MODES */
  double p50;       /**< median of its runs, in ticks */
} etr_noise_mode;

/** How much the times of runs of one kind vary, and how. */
typedef struct etr_noise {
  double
      cv; /**< robust coefficient of variation: 1.4826 times the median distance of the logarithms
             of the times from their median. It is about standard deviation / mean if no run is far
             out. Outliers are left out of it. If more than a fifth of the runs would be outliers,
             it is the standard deviation of the logarithms. NaN for fewer than two runs */
  size_t run_count; /**< runs that were judged: all runs with a time */
  size_t outliers;  /**< runs whose time differs from the median by more than five times cv and by
                       more than 18 %, in logarithms; 0 if these would be more than a fifth of the
                       runs, or if there are too few runs. They belong to no mode, step or drift */
  double least_outlier,
      most_outlier; /**< shortest and longest outlier, in medians; 0 without any */
  etr_noise_verdict verdict;
  etr_noise_mode modes[2]; /**< the faster and the slower of two modes */
  bool in_stretches;       /**< for two modes: a mode usually lasts for several runs */
  double change; /**< for a step: the time after it divided by the time before it, minus 1. For a
                    drift: the time of the last run in the longest stretch divided by that of its
                    first run, minus 1. 0 otherwise */
  uint32_t from_run; /**< for a step: index into etr_profile.runs of the first run after it;
                        ETR_NONE otherwise */
  size_t over_runs;  /**< for a step: number of runs after it; for a drift: number of runs in the
                        longest stretch. 0 otherwise */
  size_t
      stretches; /**< for a drift: number of stretches. A new one starts at each load and after runs
                    of another kind, so 1 means that the drift never restarts. 0 otherwise */
  double start; /**< for a drift: time of the first run of a stretch on the fitted line, in ticks; 0
                   otherwise */
  bool is_unsure; /**< for a step or a drift: there are fewer than 50 runs, and the change is less
                     than four standard deviations of the residuals, so that times which wander
                     slowly could look the same */
} etr_noise;

/** A time in one run. */
typedef struct etr_run_ticks {
  uint32_t run; /**< index among the method's included runs, as in etr_method.execute_per_run */
  uint64_t ticks;
} etr_run_ticks;

/** The time on one node. A node that was never timed has runs == 0. */
typedef struct etr_node_time {
  uint64_t total_ticks; /**< over all runs of the method; the sum over a graph's nodes is the
                           method's ETR_TIME_OPERATORS */
  uint32_t runs;        /**< runs in which it ran */
  uint64_t calls;       /**< number of times it ran, over all runs */
  double avg;           /**< ticks per inference: total_ticks / runs of the method */
  double typical;       /**< ticks per inference in the method's typical run */
  etr_stats per_run;    /**< statistics of its total in each run, over the runs in which it ran */
  const etr_run_ticks
      *each_run; /**< `runs` entries: its total in each run in which it ran, in run order. Set only
                    in the graph that etr_method.graph names; else NULL */
  etr_match match;   /**< match of the event that runs_as names */
  double confidence; /**< confidence of that match */
  bool is_estimated; /**< that match is an estimate, or the time of that event is */
  bool has_cycles;   /**< its backend counted cycles: total_cycles is set, with or without a time */
  uint64_t total_cycles;  /**< total over all runs of the method */
  unsigned compute_units; /**< 1 << etr_compute_unit for each unit on which its operators ran; 0:
                             unknown */
  const char *backend; /**< "XnnpackBackend" if it runs in a delegate; NULL for a kernel, or if that
                          is unknown */
  int32_t delegate_instruction; /**< instruction that calls that delegate; -1 if none */
  int32_t instruction; /**< first instruction that runs it or its delegate; instructions run in the
                          order of their numbers. -1: unknown */
  uint32_t carried_by; /**< the node into which this one was fused, and whose time includes it;
                          ETR_NONE if it was not fused */
  const char *runs_as; /**< the runtime's name for it: "native_call_add.out", "Convolution (NHWC,
                          F32) IGEMM #3"; if it has several events, the one with the longest median;
                          NULL if it was not timed */
  uint64_t first_start_ticks; /**< start of its first event in the first run in which it ran, in
                                 ticks after that run's first event */
} etr_node_time;

/** What an event measures. */
typedef enum etr_event_kind {
  ETR_EVENT_FRAMEWORK, /**< the runtime itself: Method::*, Program::*, control flow,
                          executorch_prim, the OPERATOR_CALL around a kernel that logged its name */
  ETR_EVENT_KERNEL, /**< a kernel: native_call_*, or an OPERATOR_CALL whose kernel logged no name */
  ETR_EVENT_DELEGATE_CALL,     /**< a delegate as a whole */
  ETR_EVENT_DELEGATE_OPERATOR, /**< one operator inside a delegate */
} etr_event_kind;

/** How an event counts in sums. Times are summed over operators and phases; events with other roles
 * contain these, or are not times. */
typedef enum etr_event_role {
  ETR_ROLE_NONE,      /**< an event of the runtime itself, or of a load */
  ETR_ROLE_OPERATOR,  /**< work, on a node or a delegate's own */
  ETR_ROLE_CONTAINER, /**< contains other events, whose times are part of it: a delegate's call, a
                         total */
  ETR_ROLE_PHASE,     /**< time of a delegate outside operators: copying, waiting */
  ETR_ROLE_COUNTER,   /**< a number, not work */
} etr_event_role;

/** Returns the name of a role as written in JSON: "operator", "container", "phase", "counter"; NULL
 * for ETR_ROLE_NONE. The string is static. */
ETR_API const char *etr_event_role_name(etr_event_role role);

/** What a delegate spent its own time on. */
typedef enum etr_phase {
  ETR_PHASE_NONE,
  ETR_PHASE_COPY_IN,
  ETR_PHASE_COMPUTE,
  ETR_PHASE_WAIT,
  ETR_PHASE_COPY_OUT,
  ETR_PHASE_OTHER,
} etr_phase;

/** Returns the name of a phase as written in JSON: "copy_in", "compute", "wait", "copy_out",
 * "other"; NULL for ETR_PHASE_NONE. The string is static. */
ETR_API const char *etr_phase_name(etr_phase phase);

/** The unit of an event's durations. */
typedef enum etr_event_unit {
  ETR_EVENT_UNIT_TIME, /**< ticks */
  ETR_EVENT_UNIT_CYCLES,
  ETR_EVENT_UNIT_COUNT,
  ETR_EVENT_UNIT_BYTES,
} etr_event_unit;

/** Returns the name of a unit as written in JSON: "ns" for times, "cycles", "count", "bytes". The
 * string is static. */
ETR_API const char *etr_event_unit_name(etr_event_unit unit);

/** The processor on which an operator runs, or a delegate computes. */
typedef enum etr_compute_unit {
  ETR_COMPUTE_UNIT_NONE, /**< its backend does not say */
  ETR_COMPUTE_UNIT_NPU,
  ETR_COMPUTE_UNIT_GPU,
  ETR_COMPUTE_UNIT_CPU,
} etr_compute_unit;

/** Returns the name of a compute unit as written in JSON: "NPU", "GPU", "CPU"; NULL for
 * ETR_COMPUTE_UNIT_NONE. The string is static. */
ETR_API const char *etr_compute_unit_name(etr_compute_unit unit);

/** Bytes exactly as a file holds them. */
typedef struct etr_bytes {
  const char *data;
  size_t size;
} etr_bytes;

/** One event signature of a block: a row of the Inspector's table. */
typedef struct etr_event {
  const char
      *name; /**< "native_call_add.out"; for a delegate's event without a name, its delegate id */
  const char
      *label; /**< name for people: `name`, or the kernel's name within a backend's long id */
  const char *kernel; /**< of a kernel and of an operator in a delegate: its name without what tells
                         equal ones apart, such as a number: "add.out", "Convolution (NHWC, F32)
                         IGEMM". NULL for other events */
  etr_event_kind kind;
  int32_t instruction_id;  /**< -1: none */
  const char *delegate_id; /**< the delegate debug identifier as text; NULL if it is not a
                              delegate's event */
  bool delegate_id_is_int; /**< the file stores delegate_id as a number */
  bool is_logged_only;     /**< the run logged values for it, but no event */
  bool is_inserted;    /**< an operator without a node, of a kind that a lowering inserts: layout,
                          conversion, copy */
  const char *backend; /**< delegate_backend_name; NULL if none */
  const uint32_t *handles; /**< debug handles as listed in the maps, duplicates included */
  size_t handle_count;
  const uint32_t
      *nodes; /**< nodes of the method's graph to which its time is attributed: at most one today */
  size_t node_count;
  uint32_t payload_operator; /**< for an event in a delegate: index of its operator in the payload
                                of the .pte; ETR_NONE if unknown */
  bool is_operator_unsure;   /**< another operator of the payload matches equally well */
  etr_match match;
  double
      confidence; /**< confidence in its nodes: 1 if its match is not an estimate; for an estimate,
                     the share of such time that is attributed correctly; 0 without nodes */
  etr_event_role role;
  etr_phase phase;     /**< set for a phase, and for an operator that is the delegate's own */
  etr_event_unit unit; /**< unit of `durations` and `stats` */
  bool is_in_sums; /**< its time is part of its delegate's time; false for everything that is not a
                      time */
  bool is_estimated; /**< its time is an estimate: the backend's own, or a share by cycles of a
                        measured time */
  bool has_no_place; /**< `starts` are meaningless: they were not recorded, or are times of another
                        clock */
  /** Depth of an event that encloses others in a delegate's call; starts at 1. 0: it encloses none.
   */
  uint8_t wrapper;
  /** Depth of the event that encloses this one; 0: it is directly in the call. If the call also
   * encloses a total in cycles, operators that were counted in cycles get a share of its time, as
   * an estimate: those with nodes, or all without a graph. */
  uint8_t inside;
  /** What an enclosing event spent its time on outside the events in it. */
  etr_phase wrapper_phase;
  etr_compute_unit compute_unit;
  bool is_unit_planned; /**< compute_unit is the unit that the backend planned; it may have run on
                           another */
  const char *note; /**< what its metadata say, one line for people; NULL: nothing that is known */
  const etr_bytes *
      metadata; /**< delegate_debug_metadata, sample_count entries; NULL if all entries are empty */
  const uint64_t *durations; /**< in `unit`: one entry for each occurrence that has a time, in
                                included runs, in run order; repetitions within a run follow each
                                other. A warning reports occurrences without a time */
  const uint64_t *starts;    /**< sample_count entries: when each sample started, in ticks */
  const uint32_t
      *sample_runs; /**< sample_count entries: index into etr_profile.runs of each sample */
  size_t sample_count;
  size_t excluded_count; /**< entries of `durations` and `sample_runs` behind these, of excluded
                            runs */
  etr_stats stats; /**< statistics of `durations`; `typical` is that of the block's runs: what of
                      them is in the method's typical run is in etr_method.time_slices */
} etr_event;

/**
 * Runs with the same sequence of event signatures, grouped as the Inspector does, except that runs
 * before and after a load that may have loaded another method are never in one block.
 */
typedef struct etr_block {
  const char *name;     /**< "Default", "Execute" */
  const uint32_t *runs; /**< indices into etr_profile.runs: first the included runs, ascending, then
                           the excluded runs, ascending */
  size_t run_count, skipped_run_count;
  uint32_t method; /**< index into etr_profile.methods; ETR_NONE if no method ran (a load) */
  const char *method_rule;     /**< one line: the rule that chose the method, or why none could.
                                  "likely, by time" and "likely, by loads and time" if the times of
                                  kernels distinguished methods that are equal otherwise,
                                  "known by record.json" if that did */
  const char *method_evidence; /**< one line: what that rule is based on; "" if it says all */
  const uint32_t *candidates;  /**< candidate_count entries, ascending: indices into
                                  etr_profile.methods of the methods that its runs may be of, if
                                  nothing decides between them; then `method` is an entry without a
                                  name */
  size_t candidate_count;      /**< 0: its method is known, or it fits none */
  const etr_event *events;     /**< events of one instruction are consecutive */
  size_t event_count;
} etr_block;

/** Returns the index after the last event of the instruction that events[first] belongs to. */
ETR_API size_t etr_block_instruction_end(const etr_block *block, size_t first);

/** One RunData table of an ETDump: a load, or one inference. */
typedef struct etr_run {
  const char *name;
  uint32_t dump; /**< index into etr_profile.etdumps */
  uint32_t index_in_dump;
  uint32_t block;              /**< index into etr_profile.blocks */
  int32_t bundled_input_index; /**< -1: none */
  uint64_t execute_ticks;      /**< Method::execute; 0 if it has no time */
  uint64_t token_count; /**< tokens that it read: elements of its method's etr_token_input(); 0: its
                           method reads none, or a size is symbolic and was not logged */
  uint32_t series; /**< number that increases with each ETDump and each load: runs of one series
                      follow the same load */
  uint32_t phase;  /**< index into etr_method.run_phases; ETR_NONE: not an inference, or its method
                      has no phases */
  bool is_skipped; /**< an inference that is excluded by etr_skip: events have no samples from it */
  size_t profile_events, debug_events, allocation_events;
  const etr_allocations
      *allocations; /**< one entry for each allocator, in the order of their first allocations */
  size_t allocation_count;
} etr_run;

/** A delegate call of a method. */
typedef struct etr_delegate {
  int32_t instruction_id;
  const char *backend;
  size_t handle_count; /**< entries in the debug handle map, that is, its nodes */
} etr_delegate;

/** The parts of a method's time. */
typedef enum etr_time_part {
  ETR_TIME_OPERATORS, /**< kernels and operators of delegates on graph nodes */
  ETR_TIME_UNPLACED,  /**< kernels and operators of delegates whose node is unknown, or of which
                         there is no graph */
  ETR_TIME_INSERTED,  /**< operators that a lowering inserted: Transpose, Convert, Copy without a
                         node */
  ETR_TIME_DELEGATE_PHASES, /**< what delegates recorded besides operators: computing, waiting,
                               copying */
  ETR_TIME_OPAQUE,          /**< calls of delegates that recorded no time inside */
  ETR_TIME_CALL_OVERHEAD,   /**< calls of delegates, minus the time that these recorded inside */
  ETR_TIME_RUNTIME,         /**< the runtime, outside kernels and delegate calls */
  ETR_TIME_UNEXPLAINED,     /**< events inside delegates that are neither operators nor phases */
  ETR_TIME_PARTS,           /**< number of parts */
} etr_time_part;

/** Returns the name of a part as written in JSON: "operators", "operators_unplaced", "inserted",
 * "delegate_phases", "opaque_delegates", "call_overhead", "runtime", "unexplained". The string is
 * static. */
ETR_API const char *etr_time_part_name(etr_time_part part);

/** Stands for the name of a delegate's backend that the files do not say. */
#define ETR_UNKNOWN_BACKEND "unknown"

/** The time of one part, of one backend. */
typedef struct etr_part_time {
  etr_time_part part;
  const char *backend; /**< NULL for operators on nodes, for kernels and for the runtime;
                          ETR_UNKNOWN_BACKEND for a delegate whose backend is not named */
  uint64_t ticks;      /**< total over all included runs; more than 0 */
  double typical;      /**< ticks per inference in the method's typical run */
  size_t call_count;   /**< for ETR_TIME_OPAQUE and ETR_TIME_CALL_OVERHEAD: number of delegates,
                          counted by their instructions; 0 for other parts */
} etr_part_time;

/** A part of a method's time: the time in one run of an event, or of a delegate's call outside its
 * events. */
typedef struct etr_time_slice {
  uint64_t ticks;
  const etr_event *event; /**< the event that recorded it; for the rest of a delegate, its call; for
                             what the runtime takes to call a kernel, the OPERATOR_CALL around it;
                             NULL for the rest of the runtime */
  uint32_t run;           /**< index among the method's included runs, and into execute_per_run */
  uint32_t node; /**< node of the method's graph that took it or, for ETR_TIME_RUNTIME, whose kernel
                    was called; ETR_NONE in other parts than these and ETR_TIME_OPERATORS */
  etr_time_part part;
  etr_phase phase; /**< set for the time of a delegate on no node */
  etr_compute_unit compute_unit;
} etr_time_slice;

/** How the phases of a method's runs were distinguished. */
typedef enum etr_phase_rule {
  ETR_PHASE_BY_SIZES,  /**< certain: the runs logged values of different sizes */
  ETR_PHASE_BY_EVENTS, /**< certain: the runs have different events */
  ETR_PHASE_BY_TIMES,  /**< estimated: some runs take at least 1.5 times as long as all others, and
                          in all of them the same operators take longer, some of these 2.5 times as
                          much longer as others: so they do other work. Runs that are slow for
                          another reason are in etr_method.slow_runs */
} etr_phase_rule;

/** Returns the name of a rule as written in JSON: "sizes", "events", "times". The string is static.
 */
ETR_API const char *etr_phase_rule_name(etr_phase_rule rule);

/** Tokens that runs of a language model read, and how fast, in their typical run. */
typedef struct etr_throughput {
  double tokens_per_run;    /**< mean over the runs of the typical run; NaN: not known */
  double ms_per_token;      /**< milliseconds; NaN: not known */
  double tokens_per_second; /**< NaN: not known */
  double slowest_per_second,
      fastest_per_second; /**< tokens per second of single included runs; NaN: not known */
  const char *why; /**< why it is not known, in words; NULL if it is known. The string is static */
} etr_throughput;

/** Runs of one kind, if a method has several kinds. The averages and medians over all its runs then
 * mix the kinds. */
typedef struct etr_run_phase {
  const char *name; /**< "prefill" and "decode" if the sizes of logged values say so; else "long
                       runs" and "short runs", which may be longer inputs, or memory contention. In
                       the order of their first runs */
  etr_phase_rule told_by;
  const uint32_t
      *runs; /**< included runs: indices into etr_profile.runs, ascending; there may be none */
  size_t run_count;
  etr_stats execute;       /**< statistics of Method::execute over these runs, in ticks */
  etr_typical_run typical; /**< runs of the phase's own typical run */
  etr_noise noise;
  const etr_throughput *throughput; /**< NULL: the method reads no tokens */
} etr_run_phase;

/** Why some of a method's runs are slower than the others, although they do the same work. */
typedef enum etr_slow_runs_kind {
  ETR_SLOW_RUNS_NONE,
  ETR_SLOW_RUNS_ANY,      /**< they occur at random, or the cause is unknown */
  ETR_SLOW_RUNS_PERIODIC, /**< they occur at equal intervals */
  ETR_SLOW_RUNS_OPERATOR, /**< in each of them at least half of the excess time is in one operator
                           */
} etr_slow_runs_kind;

/** Included runs that take at least 1.5 times as long as all other runs of their method. A method
 * with phases has none.
 */
typedef struct etr_slow_runs {
  etr_slow_runs_kind kind; /**< if ETR_SLOW_RUNS_NONE, the other members are 0 */
  const uint32_t *runs;    /**< indices into etr_profile.runs, ascending */
  size_t run_count;
  double usual;            /**< median of the other runs, in ticks */
  double p50, least, most; /**< median, shortest and longest slow run, in ticks */
  uint64_t excess_ticks;   /**< time that the slow runs together take beyond `usual` */
  size_t period;         /**< if they occur at equal intervals: of this many consecutive runs ... */
  size_t runs_of_period; /**< ... this many are slow; both are 0 otherwise */
  const etr_event
      *event; /**< the operator that makes them slow, if it is the same in all; else NULL */
} etr_slow_runs;

/** The time of runs that may be of several methods, by operator and module: as if they were runs of
 * the first of these. Only the paths of modules, the operators and the times are those of all. */
typedef struct etr_shared_times {
  const etr_graph *graph;          /**< with times; it is none of etr_profile.graphs */
  const struct etr_method *method; /**< with the runs and time slices; its graph is 0, that graph */
} etr_shared_times;

/** A method and where its time went. Totals are over its included runs. The parts add up to
 * execute_ticks exactly, and their typical times to execute.typical. */
typedef struct etr_method {
  const char *name; /**< "" for runs whose method is unknown. Runs that may be of the same methods
                       are one such entry; every other block of such runs is one of its own */
  uint32_t
      graph; /**< index into etr_profile.graphs of the graph to which its time is joined: its Edge
                graph; if there is none, program/METHOD if that runs anything; else ETR_NONE */
  bool computes_nothing; /**< its program has no instructions: it returns constants. There is no
                            program/METHOD of it */
  size_t run_count;      /**< included inferences that have events */
  const uint32_t *runs;  /**< run_count entries, indices into etr_profile.runs, ascending */
  const uint32_t *skipped_runs; /**< skipped_run_count entries, indices into etr_profile.runs,
                                   ascending: excluded inferences that have events */
  size_t skipped_run_count;
  uint64_t skipped_ticks;          /**< time of Method::execute in the excluded runs */
  const uint64_t *execute_per_run; /**< run_count entries: time of Method::execute in each included
                                      run, in ticks */
  etr_stats execute;               /**< statistics of execute_per_run */
  bool has_dynamic_inputs; /**< a shape of its graph or program is dynamic, so that inferences can
                              do different work. No run is then excluded as warm-up */
  bool starts_with_prompt; /**< with dynamic inputs: the first run had a longer input, by the sizes
                              that runs logged, or because a later long run stretches the same
                              operators */
  bool is_execute_logged;  /**< false: no run has the time of Method::execute, and execute_per_run
                              has the sums of its events */
  etr_typical_run typical; /**< runs of its typical run; a method with phases has one over all of
                              its runs, too */
  const etr_odd_recording *odd_recordings; /**< recordings that are left out of typical times */
  size_t odd_recording_count;
  etr_noise noise;    /**< noise of execute_per_run. If mixed_phase_count is above 1, it has only
                         spread and outliers, computed from each run divided by the median of its
                         phase; etr_run_phase.noise has the rest */
  double interrupted; /**< the part of execute.typical that is interruptions, 0.33 for a third: see
                         etr_method.interruptions. A document has that of its writer */
  bool are_medians_interrupted;    /**< an operator was interrupted in half of its runs or more, so
                                      that    its median is no time without interruptions */
  etr_slow_runs slow_runs;         /**< there are none if the method has phases */
  const etr_run_phase *run_phases; /**< the kinds of runs that were distinguished, two or more;
                                      excluded runs were taken into account too */
  size_t run_phase_count;          /**< 0: no kinds were distinguished */
  size_t mixed_phase_count;        /**< number of phases with included runs; if it is 2 or more, all
                                      figures of the method mix them */
  const etr_throughput *throughput; /**< over all its runs, as execute.typical; NULL: it has no
                                       token input, or its graph is not known */
  uint64_t execute_ticks;
  const etr_part_time *parts; /**< in the order of etr_time_part; parts that took no time are left
                                 out */
  size_t part_count;
  uint64_t estimated_ticks;      /**< the part of ETR_TIME_OPERATORS of which the node
                                    (ETR_MATCH_ALIGNED) or the time is an estimate */
  double estimated_typical;      /**< estimated_ticks in the typical run */
  uint64_t estimated_time_ticks; /**< the part of estimated_ticks of which the time is an estimate
                                    (etr_event.is_estimated) */
  uint64_t shared_ticks;       /**< the part of estimated_time_ticks that is a share by cycles of a
                                  measured time */
  double estimated_confidence; /**< average confidence of estimated_ticks, weighted by time; 0 if
                                  these are 0 */
  uint64_t clock_hidden_ticks; /**< time of operators that may be counted as calling delegates
                                  because the clock counts whole microseconds, as XNNPACK's does:
                                  n/2 steps of the clock for a call with n operators, and at most
                                  its whole call overhead */
  double clock_hidden_typical; /**< clock_hidden_ticks in the typical run */
  bool logs_values; /**< runs that count logged values of instructions: an unknown part of the time
                       of calls outside their operators is that of logging */
  const etr_delegate *delegates;
  size_t delegate_count;
  size_t
      ambiguous_node_count; /**< nodes of which debug handles do not say whether they are inside a
                               delegate or outside all delegates; the likelier one is assumed */
  /** All of its time except ETR_TIME_RUNTIME: the slices add up to the other parts. They are sorted
   * by node, and for one node by run; slices without a node come last. */
  const etr_time_slice *time_slices;
  size_t time_slice_count;
  size_t runtime_slice_count; /**< slices of ETR_TIME_RUNTIME, which follow those in time_slices:
                                 with them the slices add up to execute_per_run */
  /**
   * For each time slice, those of the runtime included, how many of its ticks are an interruption;
   * NULL if there are none. The typical run leaves out whole runs that are slow, but where each run
   * is interrupted somewhere it contains a part of it: one operator that waits for 30 ms in one of
   * four runs seems to take 7.5 ms.
   *
   * An operator was interrupted in a run if it takes at least twice its fast time and loses at
   * least 10 us, while most others in that run take about their usual time: a slow clock, or more
   * work, stretches all of them. The fast time is that of the fastest twentieth of the runs, or of
   * the fastest three; the usual time is the median, or that of the fastest quarter if the median
   * is twice as long, and takes its place if times change smoothly from run to run. What it takes
   * beyond its fast time is counted, if that is a tenth of the typical time or more in all: else
   * times are as they are shown. A method whose runs are of several phases has none that are known,
   * and fewer than three runs have no median that an interruption would not move.
   */
  const double *interruptions;
  const uint32_t
      *blocks; /**< indices into etr_profile.blocks of the blocks of this method, ascending */
  size_t block_count;
  const etr_memory_plan *memory;  /**< NULL: there is no program (.pte) that describes it */
  const etr_shared_times *shared; /**< of runs that may be of several methods, if all of these have
                                     the same operators in modules of the same paths; else NULL */
} etr_method;

/** Returns true if a time slice is the time of a kernel or an operator of a delegate: its part is
 * ETR_TIME_OPERATORS, ETR_TIME_UNPLACED or ETR_TIME_INSERTED. */
ETR_API bool etr_time_slice_is_work(const etr_time_slice *slice);

/** Returns the name of the kernel or operator that took the time of a slice, without its number or
 * id. */
ETR_API const char *etr_time_slice_kernel(const etr_time_slice *slice);

/** Returns the backend of the delegate in which a slice was spent, ETR_UNKNOWN_BACKEND if it is not
 * named; NULL outside delegates. */
ETR_API const char *etr_time_slice_backend(const etr_time_slice *slice);

/** Returns the time of a part over all backends, in ticks over all included runs. */
ETR_API uint64_t etr_method_part_ticks(const etr_method *method, etr_time_part part);

/* ---- Logged values ---- */

/** The kind of value in a DebugEvent of an ETDump. */
typedef enum etr_debug_kind {
  ETR_DEBUG_NONE, /**< nothing, or a kind that the file format cannot hold (a string) */
  ETR_DEBUG_TENSOR,
  ETR_DEBUG_INT,
  ETR_DEBUG_DOUBLE,
  ETR_DEBUG_BOOL,
} etr_debug_kind;

/** Returns the name of a kind as written in JSON: "none", "tensor", "int", "double", "bool". The
 * string is static. */
ETR_API const char *etr_debug_kind_name(etr_debug_kind kind);

/** Statistics over the elements of a tensor, computed as doubles: 64-bit integers are rounded to 53
 * bits, true is 1, and quantized numbers are used as stored. A tensor without elements has counts
 * of 0. */
typedef struct etr_tensor_stats {
  uint64_t element_count;
  uint64_t nan_count, inf_count,
      zero_count;  /**< number of NaN, of infinities of either sign, and of zeros */
  double min, max; /**< smallest and largest finite element; NaN if there are none */
  double mean;     /**< mean of the finite elements; NaN if there are none or their sum overflows a
                      double */
} etr_tensor_stats;

/**
 * A value that the runtime logged: a tensor, or a scalar. A kernel logs its outputs. A delegate
 * call logs all its arguments, inputs first; the runtime cannot distinguish inputs from outputs,
 * but the record and the graph can. A delegate that supports it also logs the results of its
 * operators. A method logs what it returns. The tensors of a list are separate values. ExecuTorch
 * marks the tensors that a method returns; scalars logged outside any instruction are assumed to be
 * returned too.
 */
typedef struct etr_debug_value {
  uint32_t run;           /**< index into etr_profile.runs */
  int32_t instruction_id; /**< -1: none */
  const char
      *delegate_id; /**< the delegate debug identifier as text; NULL if no delegate logged the
                       value. Within a profile equal ids, of events too, are the same pointer */
  const char *name; /**< name as logged, usually "" */
  bool is_output;   /**< the method returns it */
  bool is_argument; /**< it is an argument of a delegate call: an input, or an output that was not
                       identified */
  uint32_t index; /**< index among the values of this run with the same instruction, delegate id and
                     is_output */
  uint32_t method; /**< index into etr_profile.methods; ETR_NONE if unknown */
  uint32_t node; /**< index into the nodes of the method's graph: the node that computed it, or the
                    node `output` if the method returns it; ETR_NONE if unknown, and for arguments
                    of a delegate call */
  uint32_t output; /**< index into etr_node.outputs of that node, where each tensor of a list is one
                      output; for the node `output`, index into its inputs; ETR_NONE if unknown */
  etr_debug_kind kind;
  const char *dtype;      /**< dtype of a tensor: "float32"; NULL if unknown */
  const int64_t *sizes;   /**< rank entries, as in the file */
  const int64_t *strides; /**< rank entries, in elements; NULL if the file has another number of
                             them: the tensor is then read as contiguous */
  int32_t rank;
  uint64_t offset; /**< byte offset of the tensor in the debug buffer; meaningless if it has no
                      elements */
  uint64_t
      byte_size; /**< size of the tensor; 0 also if its sizes are invalid or its dtype is unknown */
  const etr_tensor_stats *stats; /**< NULL: there is no debug buffer, or the tensor could not be
                                    read from it (a warning says why) */
  int64_t int_value;             /**< set for ETR_DEBUG_INT and ETR_DEBUG_BOOL */
  double double_value;           /**< set for ETR_DEBUG_DOUBLE */
} etr_debug_value;

/**
 * How far the elements of a tensor are from those of a reference, computed in doubles as by
 * ExecuTorch's comparators (devtools/inspector/numerical_comparator). The comparators replace NaN
 * by 0 and infinities by the largest double; here a pair with an element that is not finite is left
 * out and counted.
 */
typedef struct etr_numeric_gap {
  uint64_t element_count; /**< number of pairs, including those left out */
  uint64_t left_out;      /**< pairs in which one or both elements are NaN or infinite */
  uint64_t unlike; /**< pairs left out whose elements differ: NaN equals NaN, and infinities of one
                      sign are equal */
  double mse; /**< mean of (reference - actual)^2. This and the members below are NaN if nothing
                 finite is left to compare and some pairs are unlike */
  double l1;  /**< sum of |reference - actual| */
  double max_abs_error;
  double snr_db;   /**< 10 * log10(mean of reference^2 / mse); infinity if there is no difference,
                      -infinity if the reference is all 0 */
  double psnr_db;  /**< 10 * log10(largest reference^2 / mse); infinite as snr_db is */
  double cosine;   /**< sum of reference * actual / (norm of reference * norm of actual); 1 if both
                      are all 0, 0 if one is */
  double rel_l2;   /**< sqrt(mse / mean of reference^2); infinity if the reference is all 0 and the
                      value is not */
  double bias;     /**< mean of actual - reference */
  uint64_t max_at; /**< index of the element with max_abs_error, in the order of the dimensions, the
                      last one fastest */
  uint64_t broken; /**< pairs left out whose reference is finite: the actual element is NaN or
                      infinite */
} etr_numeric_gap;

/** Compares two gaps: the worse one has differing NaN or infinities, or else the lower SNR. Returns
 * a positive number if a is worse, a negative number if b is, 0 if neither is. */
ETR_API int etr_gap_worse(const etr_numeric_gap *a, const etr_numeric_gap *b);

/** An output of a run compared with the record's reference for it. */
typedef struct etr_output_gap {
  uint32_t method, run; /**< indices into the profile */
  uint32_t set;         /**< index of the set of reference outputs, among the method's sets */
  uint32_t output;      /**< index of the output in the set */
  const char *rule;     /**< one line: why this set was chosen */
  const etr_debug_value *value; /**< the value that the run returned; NULL if it logged fewer
                                   outputs than the set has */
  const char *problem; /**< why the output could not be compared; NULL if it was compared */
  etr_numeric_gap gap; /**< set if the output was compared */
} etr_output_gap;

/* ---- Rates ---- */

typedef struct etr_profile etr_profile;

/** Returns the node that computed a logged value, and which of its outputs the value is: for a
 * value that the method returns, what the node `output` reads. Both are ETR_NONE if unknown. */
ETR_API etr_edge etr_debug_value_origin(const etr_profile *profile, const etr_debug_value *value);

/** The largest share of a rate that the resolution of the clock may explain. Rates that are less
 * certain are not given.
 */
#define ETR_RATE_MOST_ERROR 0.1

/** What nodes compute, read and write per inference: the cost of each node times the number of its
 * calls; a node that was not timed counts as one call, unless it never ran. A zeroed struct is an
 * empty sum. */
typedef struct etr_cost_sum {
  double macs;          /**< multiply-accumulates of the nodes for which they are known */
  double integer_macs;  /**< the part of macs that multiplies integers */
  double bytes;         /**< bytes read and written by the nodes for which they are known */
  double weight_bytes;  /**< the part of bytes that is weights */
  size_t unknown_macs;  /**< nodes whose multiply-accumulates are unknown */
  size_t unknown_bytes; /**< nodes whose bytes are unknown */
  size_t hinted;        /**< nodes with symbolic sizes, for which the recorded examples were used */
  double ns;            /**< time on these nodes in the typical run, in ns per inference */
  double variance; /**< variance that the resolution of the clocks adds to their time over all runs,
                      in ns^2 */
  double runs;     /**< included runs of the method */
} etr_cost_sum;

/** Adds the cost and the time of a node to *sum. Does nothing if the graph has no costs. */
ETR_API void etr_cost_add(etr_cost_sum *sum, const etr_profile *profile, const etr_graph *graph,
                          size_t node);

/** Adds to *sum the sum of other nodes of the same method. */
ETR_API void etr_cost_add_sum(etr_cost_sum *sum, const etr_cost_sum *other);

/** Return the multiply-accumulates and the bytes per inference; NaN if those of any node are
 * unknown. */
ETR_API double etr_cost_macs(const etr_cost_sum *sum);
ETR_API double etr_cost_bytes(const etr_cost_sum *sum);

/** Returns FLOP (integer operations for integers) per byte; NaN if either is unknown, or no bytes
 * are read or written.
 */
ETR_API double etr_cost_intensity(const etr_cost_sum *sum);

/** Return the achieved rates, in 1e9 per second: FLOP (integer operations for integers), and bytes.
 * NaN if the cost or the time is unknown, or the resolution of the clock may explain more than
 * ETR_RATE_MOST_ERROR of the time. */
ETR_API double etr_cost_gflops(const etr_cost_sum *sum);
ETR_API double etr_cost_gbs(const etr_cost_sum *sum);

/** Returns why the cost of a node is not known, wholly or in part: "no formula for this library",
 * "products do not follow from shapes", "sizes are upper bounds", "a symbolic size has no
 * example", "the format of the delegate is closed", "sizes or types are not recorded", "too large
 * to count". NULL if it is known, or the node is no operator. The string is static. */
ETR_API const char *etr_cost_unknown_reason(const etr_graph *graph, size_t node);

/** Returns what is multiplied: "float", "integer" or "mixed"; NULL if nothing is. The string is
 * static. */
ETR_API const char *etr_cost_arithmetic(const etr_cost_sum *sum);

/** The peak rates that outputs compare with, in 1e9 per second; 0: unknown. */
typedef struct etr_effective_peaks {
  double gflops, integer_gops, gbs;
  bool flops_given, integer_given, bandwidth_given; /**< given in etr_options.peaks; else the rate
                                                       is the best among the record's large nodes */
  bool is_estimated; /**< a best rate is that of a node whose time is an estimate, because no other
                        large node has one */
} etr_effective_peaks;

/** The peak that limits nodes; unknown unless the peaks that decide it were given. */
typedef enum etr_bound { ETR_BOUND_UNKNOWN, ETR_BOUND_COMPUTE, ETR_BOUND_MEMORY } etr_bound;

/** Returns the name of a bound as written in JSON: "compute", "memory"; NULL if unknown. The string
 * is static. */
ETR_API const char *etr_bound_name(etr_bound bound);

/** Returns the shortest time that the peaks allow, in ns per inference, and sets *bound (may be
 * NULL) to the peak that limits it. Returns NaN if costs or peaks are unknown. */
ETR_API double etr_cost_least_ns(const etr_cost_sum *sum,
                                 const etr_effective_peaks *effective_peaks, etr_bound *bound);

/** Returns the shortest time that the peaks allow divided by the time taken: 1 at the peak, and
 * more only if a peak, a cost or a match is wrong. Returns NaN if rates are unknown. Sets *bound as
 * etr_cost_least_ns() does. */
ETR_API double etr_cost_of_peak(const etr_cost_sum *sum, const etr_effective_peaks *effective_peaks,
                                etr_bound *bound);

/* ---- The profile ---- */

/** The tests that a BundledProgram has for a method. A test is a set of inputs and the outputs
 * expected for them. */
typedef struct etr_test_set {
  const char *method;
  size_t count;
} etr_test_set;

/** The contents of a .ptd file: constants stored outside the program. */
typedef struct etr_weights {
  const char *path;
  size_t tensor_count;
  size_t blob_count;   /**< pieces of data for delegates, which only their backends can read */
  uint64_t byte_count; /**< of all data */
  uint64_t file_size;
} etr_weights;

/** The time until a language model's first token. It is that of the run that reads the prompt: of
 * the method, or of the phase, that reads the most tokens in a run. */
typedef struct etr_first_token {
  uint32_t method;  /**< index into etr_profile.methods */
  uint32_t phase;   /**< index into etr_method.run_phases; ETR_NONE: all runs of the method */
  double ticks;     /**< of the typical run */
  double with_load; /**< ticks together with those of the typical load, once for each method that
                       ran; NaN: no load was recorded */
} etr_first_token;

/** The time of a token at some positions in the cache. */
typedef struct etr_position_time {
  double position; /**< mean number of tokens before it in its sequence, rounded down */
  double ms;       /**< median of the runs, in milliseconds */
  size_t run_count;
} etr_position_time;

/** How the time of a token changes with its position in the cache. */
typedef struct etr_cache_growth {
  uint32_t method;    /**< index into etr_profile.methods of the method that reads single tokens */
  double ms_per_1000; /**< milliseconds that a token takes longer for each 1000 positions: the
                         median slope over all pairs of runs (Theil and Sen) */
  double low, high;   /**< its 95 % interval, by the distribution of Kendall's tau */
  size_t sequence_count; /**< sequences of tokens that the runs are of: one begins with each prompt
                            and each recording. With one of them a token at a later position is also
                            one at a later time, and a device that slows down looks the same */
  bool has_drift; /**< the method's runs became slower or faster by a step or a drift, which looks
                     the same */
  bool is_noisy; /**< the runs differ too much, or take one of two times: the slope may be chance */
  const etr_position_time *curve; /**< by position, ascending: equal ranges of positions */
  size_t curve_count;
} etr_cache_growth;

/** Something that was missing, odd or assumed, and deserves one line to the user. */
typedef struct etr_warning {
  const char *file;  /**< "" if none */
  const char *entry; /**< "" if none */
  uint64_t offset;   /**< ETR_NO_OFFSET if none */
  const char *message;
  bool is_caution; /**< it changes what the times mean: show it above them */
} etr_warning;

/** Whether the processor of a recording has AVX-512 VNNI, which multiplies int8 fast. */
typedef enum etr_vnni {
  ETR_VNNI_UNKNOWN,
  ETR_VNNI_LACKING, /**< an x86-64 processor whose instructions are known; it has AVX-512 */
  ETR_VNNI_AVX2,    /**< one without AVX-512, too, as of AMD before Zen 4 */
  ETR_VNNI_THERE,
} etr_vnni;

/** Everything that was read, joined. It is read-only. */
struct etr_profile {
  const char *folder;   /**< the directory that was given as the record; NULL: files were given */
  const char *etrecord; /**< path as given; NULL if none was read */
  const char *pte; /**< path of the program: a .pte, or the ETRecord that contains it; NULL if there
                      is none */
  const char *pte_entry; /**< the ETRecord's entry that is the program; NULL if the program is a
                            separate file */
  bool is_bundled;       /**< the program was read from a BundledProgram (.bpte) */
  const etr_test_set *test_sets; /**< tests of a BundledProgram, in the order of the file */
  size_t test_set_count;
  const char *const
      *etdumps; /**< paths as given; LOG#2 is the second ETDump of a log that contains several */
  size_t etdump_count;
  const etr_weights *weights; /**< one entry for each .ptd */
  size_t weight_count;
  double ticks_per_second; /**< rate of the ETDump's clock, as assumed */
  bool takes_cycles_as_ns; /**< the ETDump has events of a backend or of kernels (Ethos-U, Neutron,
                              Cortex-M) whose runners read a clock that counts cycles, while a tick
                              is taken as 1 ns, because no other rate was given. The format stores
                              no rate. Times are then no times, but their ratios are right */
  const etr_graph *graphs; /**< in order of usefulness: timed Edge graphs, other Edge graphs,
                              program, aten, extra modules */
  size_t graph_count;
  const etr_method
      *methods; /**< in the order of the record's maps, then of its graphs, then of the .pte */
  size_t method_count;
  const etr_run *runs;
  size_t run_count;
  etr_skip skip;              /**< from the options */
  etr_statistic statistic;    /**< from the options */
  etr_peaks peaks;            /**< from the options */
  etr_vnni vnni;              /**< whether its processor is like those on which the ratios between
                                 kernels were measured that findings rest on */
  bool has_optimized_kernels; /**< record.json says that a Python package of ExecuTorch ran it,
                                 which has the optimized kernels */
  double recorded_at; /**< when record.json says that it was made, in seconds since 1970; NaN
                         if unknown */
  uint32_t threads;   /**< of the runtime, as record.json says; 0 if unknown */
  bool is_in_turns;   /**< record.json says that it was made in turns with another one, which
                         has the same time */
  /** The peaks, where each one that was not given is replaced by the best rate among the profile's
   * nodes that take at least 50 us and move 1 MB (bandwidth) or compute a million
   * multiply-accumulates in a call; 0 if there is none. */
  etr_effective_peaks effective_peaks;
  const etr_block *blocks;
  size_t block_count;
  const char *const *unknown_entries; /**< zip entries of unknown purpose */
  size_t unknown_entry_count;
  const char *taps; /**< path of taps.json as given, which etr_accuracy_open() reads; NULL if there
                       is none */
  const char
      *debug_buffer; /**< path as given; NULL if there is none, or it belongs to no ETDump read. It
                        is read piece by piece and never kept in memory, unless it is in a log */
  etr_bytes debug_buffer_bytes; /**< contents of a debug buffer in a log; data is NULL if it is a
                                   separate file */
  const etr_debug_value
      *debug_values; /**< sorted by run, then in the order in which they were logged */
  size_t debug_value_count;
  const etr_output_gap
      *output_gaps; /**< outputs of the runs compared with the record's reference_outputs, sorted by
                       method, then by run. There are none if either is missing, or if it is unknown
                       which belong together (a warning says so) */
  size_t output_gap_count;
  bool has_reference_outputs, has_representative_inputs;
  const etr_event *load;              /**< the longest event of loads, which contains the others:
                                         Program::load_method; NULL if no load was recorded */
  const etr_first_token *first_token; /**< NULL: no method or phase is known to read more tokens in
                                         a run than another one */
  const etr_cache_growth *cache_growth;     /**< NULL: no method with a cache is known to have read
                                               single tokens at different positions in ten runs */
  const char *export_graph_id;              /**< NULL if absent */
  const etr_program_memory *program_memory; /**< NULL: there is no program */
  const etr_warning *warnings;
  size_t warning_count;
  size_t foreign_run_count; /**< inferences that match no method of the record or program: the
                               ETDump is probably from another model */
  struct etr_accuracy
      *accuracy; /**< the only member that a caller may set: a comparison by etr_accuracy_open(),
                    which emitters then show. Borrowed; NULL: none */
};

/**
 * Reads the inputs, joins them and sets *out to the profile. `options` may be NULL, which selects
 * the defaults.
 *
 * On success close *out with etr_profile_close(); its warnings list inputs that could not be read
 * but are not essential. On failure *out is NULL. Errors: ETR_ERROR_IO (a file cannot be read),
 * ETR_ERROR_FORMAT (an input is of the wrong kind, is damaged or exceeds a limit, or the record
 * contains no graph), ETR_ERROR_CHOICE (no ETRecord, ETDump or .pte was given, a method choice or a
 * range names an unknown run or method, or ticks_per_second is out of range), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_profile_open(etr_profile **out, const etr_inputs *inputs,
                                    const etr_options *options, etr_error *error);

/* ---- One record, many ETDumps ---- */

/** A record that was read once, with its program and weights. Any number of ETDumps can be joined
 * to it. */
typedef struct etr_opened_record etr_opened_record;

/**
 * Reads the ETRecord, the .pte and the weights of `inputs`, and sets *out. ETDumps and the debug
 * buffer in `inputs` are ignored. Of the options only the limits, `edge_only`, `without` and
 * `source_root` matter. If `inputs` has no record and no program, the events of ETDumps joined
 * later get no nodes.
 *
 * On success close *out with etr_close_record(); on failure *out is NULL. Errors are those of
 * etr_profile_open().
 */
ETR_API etr_status etr_open_record(etr_opened_record **out, const etr_inputs *inputs,
                                   const etr_options *options, etr_error *error);

/**
 * Joins the ETDumps and the debug buffer of `dumps` to an opened record, and sets *out to a
 * profile, as etr_profile_open() would make it. The members `etrecord`, `pte` and `weights` of
 * `dumps` are ignored, and so are the limits, `edge_only`, `without` and `source_root` of the
 * options, which etr_open_record() had. The limits apply to the record and the ETDumps of one
 * profile together.
 *
 * Several threads may join ETDumps to one record at once. The profile refers to the record: close
 * the profile first. Errors are those of etr_profile_open().
 */
ETR_API etr_status etr_join_dumps(etr_profile **out, const etr_opened_record *opened,
                                  const etr_inputs *dumps, const etr_options *options,
                                  etr_error *error);

/** Frees the record. `opened` may be NULL. */
ETR_API void etr_close_record(etr_opened_record *opened);

/** Frees the profile and everything that it points to. `profile` may be NULL. */
ETR_API void etr_profile_close(etr_profile *profile);

/** Converts ticks to nanoseconds with the profile's ticks_per_second. */
ETR_API double etr_ticks_to_ns(const etr_profile *profile, double ticks);

/** Returns the resolution, in ticks, of the clock that times a backend's operators, if it is
 * coarser than the ETDump's (XNNPACK's counts whole microseconds); otherwise 0. If `backend` is
 * NULL, the `delegate_id` of an event identifies it. If both are NULL, the clock is that of kernels
 * and delegate calls. */
ETR_API double etr_clock_step(const etr_profile *profile, const char *backend,
                              const char *delegate_id);

#ifdef __cplusplus
}
#endif

#endif
