/* SPDX-License-Identifier: BSD-3-Clause
 *
 * etrecord.h - read ExecuTorch's ETRecord, ETDump and .pte files and join run times to graph nodes.
 *
 * One call, etr_profile_open(), reads everything and joins it; what it returns is a read-only tree of plain structs,
 * the *profile*. Do not free its members: every pointer lives until etr_profile_close(). A profile holds no global
 * state, so several may be open at once, each used by any number of threads that only read.
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
 * etr_inputs_find_all() takes several files, or directories, of one record.
 *
 * Conventions
 *   - Strings are NUL-terminated UTF-8; bytes of the input that are not valid UTF-8, and NULs, are replaced by U+FFFD.
 *     Otherwise they are as the file has them, that is, hostile: an emitter must escape them for its format.
 *   - Paths are UTF-8; on Windows their parts may be told apart by a backslash, too.
 *   - "May be NULL" is said where it is so; all other pointers are set. Arrays with a count of 0 may be NULL.
 *   - Times are *ticks* of the ETDump's clock: nanoseconds unless the runtime was built with another clock;
 *     etr_profile.ticks_per_second says what was assumed. Sizes are bytes.
 *   - Zero structs that you fill (inputs, options, filters, sinks) first: a later version may add members, for which
 *     zero means what was done before. Only the library makes the others. Until 1.0 any release may change a struct's
 *     layout, and the soname with it.
 *   - Terms are ExecuTorch's: debug handle, instruction id, delegate, backend, run, event block, method, entry point.
 */
#ifndef ETRECORD_H
#define ETRECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the library exports; nothing else is. ETR_EXPORTS: it is being built. */
#if defined _WIN32 && defined ETR_EXPORTS
#define ETR_API __declspec(dllexport)
#elif defined _WIN32
#define ETR_API
#else
#define ETR_API __attribute__((visibility("default")))
#endif

/* ---- Errors ---- */

/** What went wrong, as far as a caller would act differently; the message tells the rest. */
typedef enum etr_status {
  ETR_OK = 0,
  ETR_ERROR_IO,     /**< a file could not be opened, read or written; the operating system's reason is in the message */
  ETR_ERROR_FORMAT, /**< the input is damaged, is not what it was taken for, or exceeds a limit */
  ETR_ERROR_CHOICE, /**< the inputs are ambiguous or incomplete: the caller must choose (two records in one directory,
                       no record at all) */
  ETR_ERROR_MEMORY, /**< out of memory */
  ETR_ERROR_OPTION, /**< an option has a value that does not exist, such as the name of a column */
} etr_status;

/** A member that changed its name: both names are the same member. The old one stays for one release. */
#define ETR_RENAMED(type, name, old_name)                                                                              \
  union {                                                                                                              \
    type name;                                                                                                         \
    type old_name;                                                                                                     \
  }

/** Offset of an error that has no place in the file. */
#define ETR_NO_OFFSET UINT64_MAX

/** Where and why a call failed. Owned by the caller; any `etr_error *` parameter may be NULL. Filled only when the
 * status is not ETR_OK. */
typedef struct etr_error {
  char message[512]; /**< one line: what is wrong and, where that helps, what to do */
  char file[512];    /**< path as given, "" if none */
  char entry[256];   /**< the zip entry or table inside the file, "" if none */
  uint64_t offset;   /**< byte inside the entry, or the file where there is no entry; ETR_NO_OFFSET if unknown */
} etr_error;

/* ---- Inputs ---- */

/** The files to read. Fill it by hand (borrowed strings, no etr_inputs_clear), or with etr_inputs_find(). */
typedef struct etr_inputs {
  const char *etrecord; /**< ETRecord: a zip, or a directory holding an unpacked one. May be NULL with an ETDump or a
                           .pte */
  const char *const *etdumps; /**< ETDumps, or logs with ETDumps as base64 in them; LOG#2 is the second of one; "-" is
                                 standard input */
  size_t etdump_count;
  const char *pte;          /**< the program, a .pte or .bpte; NULL: the one that the ETRecord holds, if it does */
  const char *debug_buffer; /**< debug_buffer.bin; may be NULL: then one that a log holds is taken */
  const char **passed_over; /**< pipes, sockets and devices that are called like an input: for a warning, see
                               etr_inputs_find() */
  size_t passed_over_count;
  const char *const *weights; /**< .ptd files: constants that the program keeps outside; may be none */
  size_t weight_count;
} etr_inputs;

/**
 * Finds the files that belong to RECORD: a record file itself, or a directory whose files are told apart by content (a
 * zip with the entry ETRECORD_V0 is an ETRecord, identifier ED00 at byte 8 an ETDump, ET12 at byte 4 a .pte, BP08 a
 * .bpte, FT01 a .ptd; a text with an ETDump as base64 is a log; debug_buffer.bin goes by its name), not by name. A
 * .bpte is taken where there is no .pte. A log with several ETDumps gives LOG#1, LOG#2, ... A directory with an
 * ETRECORD_V0 file in it is an unpacked ETRecord itself. A single ETDump, or a .pte, is accepted too. Subdirectories
 * are not searched. Files are taken in name order, so the result does not depend on the file system. A file that only
 * ends like a record (.etrecord, etrecord.bin) but is damaged is still taken as the record, so that opening it says
 * what is wrong with it. In a directory only files, and links to files, are opened; what else is called like an input
 * is in passed_over, and etr_profile_open() warns of it. A pipe given as RECORD itself is an ETDump.
 *
 * chosen (may be NULL) overrides: what is set in it is taken instead of what is found, and several of that kind are no
 * error then.
 *
 * On success free with etr_inputs_clear(); on failure *out is empty.
 * Errors: ETR_ERROR_IO (path cannot be read), ETR_ERROR_CHOICE (more than one ETRecord or .pte: the message lists them
 * and names the option that chooses; or nothing readable in there), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_inputs_find(etr_inputs *out, const char *path, const etr_inputs *chosen, etr_error *error);

/**
 * The same of several paths: the files of one record, told apart by content as in a directory, or such directories.
 * A file that is none of these kinds is an error then (ETR_ERROR_CHOICE), because it would be left out in silence.
 */
ETR_API etr_status etr_inputs_find_all(etr_inputs *out, const char *const *paths, size_t path_count,
                                       const etr_inputs *chosen, etr_error *error);

/**
 * LOG#2 is the second ETDump of LOG, unless there is a file called LOG#2: returns the size of LOG in such a path, and
 * sets *number. Of another path its whole size, and 0.
 */
ETR_API size_t etr_input_file(const char *path, size_t *number);

/** Frees what etr_inputs_find() or etr_inputs_find_all() allocated and empties *inputs. Safe on a zeroed struct. */
ETR_API void etr_inputs_clear(etr_inputs *inputs);

/* ---- Options ---- */

/** RUN=METHOD: decides the method of a run, or of several in a row, where the files cannot tell. Loads stay loads. */
typedef struct etr_method_choice {
  size_t run; /**< index into etr_profile.runs */
  const char *method;
  size_t last; /**< the last run that it decides; 0, or less than run: only `run` */
} etr_method_choice;

/** Which inferences a profile's times are about. The others are left out: no time of theirs counts. Loads stay. */
typedef enum etr_skip {
  ETR_SKIP_NONE,  /**< all count */
  ETR_SKIP_AUTO,  /**< leaves out warm-up: each leading run that takes more than 1.5 times the median of the runs behind
                     it, and more than 1.2 times what four fifths of these take at most (the ceil(0.8 n)-th smallest of
                     n), with three behind it at least. Runs lead in each ETDump, behind each load, of each method, or
                     of each of its phases, see etr_run_phase */
  ETR_SKIP_FIRST, /**< leaves out etr_options.skip_count leading runs, likewise */
  ETR_SKIP_RANGE, /**< only etr_options.first_run to last_run count */
} etr_skip;

/** The statistic that outputs show first, rank by and give shares of. Balances, whose parts add up, are averages with
 * either. */
typedef enum etr_statistic {
  ETR_STATISTIC_AVG, /**< the average per inference; shares are of the average of Method::execute */
  ETR_STATISTIC_P50, /**< the median; medians do not add up: shares are of the sum of the medians of a table's rows */
} etr_statistic;

/** Name of a statistic as the JSON has it: "avg", "p50". Static. */
ETR_API const char *etr_statistic_name(etr_statistic statistic);

/** The most that a device can do, for outputs that say how close a run came. 0: not known. */
typedef struct etr_peaks {
  double flops;       /**< floating-point operations per second; a multiply-accumulate is two */
  double integer_ops; /**< the same of integers */
  double bandwidth;   /**< bytes per second, read and written */
} etr_peaks;

/** Parts of a profile that a caller may do without. */
typedef enum etr_without {
  ETR_WITHOUT_COSTS = 1 << 0,   /**< etr_graph.costs */
  ETR_WITHOUT_MEMORY = 1 << 1,  /**< etr_method.memory, etr_profile.program_memory */
  ETR_WITHOUT_SOURCES = 1 << 2, /**< etr_node.source */
} etr_without;

/** How to read. Zeroed means defaults. */
typedef struct etr_options {
  double ticks_per_second;          /**< clock of the ETDump, 1e-6 to 1e18; 0: 1e9, that is, ticks are nanoseconds */
  const etr_method_choice *choices; /**< methods of runs, decided by the caller; of two for a run the last counts */
  size_t choice_count;
  uint64_t max_bytes;  /**< most bytes that are read, in all: of files, and of a record's entries, decompressed; 0: 16
                          GiB, and 1 GiB of one file  that is read whole. Weights do not count: they are not read */
  uint32_t max_nodes;  /**< most nodes of all graphs together; 0: 2 Mi */
  uint32_t max_events; /**< most events of all ETDumps together; 0: 16 Mi */
  uint32_t max_delegates;   /**< most delegates of one method of a .pte; 0: 8192 */
  uint32_t max_comparisons; /**< most rows of runs that are held against rows of methods, to tell which method ran; 0:
                               32 Mi. Runs beyond that stay without a method, and a warning says so */
  bool edge_only; /**< has no nodes but those of the graphs to which times are joined, Edge programs for the most part:
                     cheaper, for callers that look at no others. Other graphs have their names alone, no node has an
                     aten_node, and damage in programs that are not read goes unnoticed. Where no Edge program can be
                     read, the record's other programs are read as usual */
  unsigned without; /**< etr_without: what is not found, and not warned of: cheaper, for callers that do not look at
                       it. 0: all is found */
  etr_skip skip;    /**< the inferences that count; zeroed: all */
  uint32_t skip_count;
  size_t first_run, last_run; /**< indices into etr_profile.runs, both included; first above last: none */
  etr_statistic statistic;    /**< for outputs: they read it from the profile */
  etr_peaks peaks;            /**< likewise */
} etr_options;

/* ---- Graphs ---- */

/** Marks "no node", "no module", "no subgraph" in index fields. */
#define ETR_NONE UINT32_MAX

/** Size of a dimension that is not a plain number. */
#define ETR_DIM_SYMBOLIC INT64_MIN

/** One dimension of a tensor. */
typedef struct etr_dim {
  int64_t size;       /**< number of elements, or ETR_DIM_SYMBOLIC */
  const char *symbol; /**< expression such as "s77" or "2*s77" for a symbolic size, else NULL */
  int64_t hint;       /**< example value recorded for a symbolic size, -1 if none */
} etr_dim;

/** One value that a node defines: a tensor, or a symbolic number. */
typedef struct etr_value {
  const char *name;
  const char *dtype;   /**< torch's name without "torch.": "float32"; "int"/"bool"/"float" for symbolic numbers; NULL if
                          the file does not say */
  const etr_dim *dims; /**< rank entries */
  int32_t rank;        /**< -1: not a tensor, or shape unknown */
  bool is_bound;       /**< in program/METHOD: the sizes are the most that there can be, of a tensor whose shape is not
                          static */
} etr_value;

typedef enum etr_node_kind {
  ETR_NODE_OP,     /**< calls an operator */
  ETR_NODE_INPUT,  /**< user input, or argument of a nested graph */
  ETR_NODE_OUTPUT, /**< what the graph returns; one node, named "output", per graph and nested graph */
  ETR_NODE_PARAMETER,
  ETR_NODE_BUFFER,
  ETR_NODE_CONSTANT, /**< lifted tensor constant or custom object */
} etr_node_kind;

/** Name of a kind as the JSON has it: "op", "input", "output", "parameter", "buffer", "constant". Static. */
ETR_API const char *etr_node_kind_name(etr_node_kind kind);

/** One use of a value by a node. */
typedef struct etr_edge {
  uint32_t node;   /**< index of the producer in etr_graph.nodes */
  uint32_t output; /**< which of its outputs */
} etr_edge;

/**
 * A module of the model, as nn_module_stack tells: a tree per graph. modules[0] is the root: path "". Others with that
 * path are a name that torch.export made up for the root; what is in them is in their parent.
 */
typedef struct etr_module {
  const char *path;     /**< "encoder.layers.0.mlp"; "" for the root */
  const char *recorded; /**< likewise as the record spells it; torch 2.6 puts "L['self']." in front */
  const char *type;     /**< "torch.nn.modules.linear.Linear"; "" if not told */
  uint32_t parent;      /**< index of the enclosing module; ETR_NONE for the root */
  const char *pattern;  /**< the path with '*' for numbers that only count repetitions: "encoder.layers.*.mlp", of all
                           layers of one structure. The path itself where nothing repeats. Of two modules with the same
                           pattern none is inside the other */
} etr_module;

typedef enum etr_subgraph_kind {
  ETR_SUBGRAPH_BODY,    /**< body of cond, map, scan, while */
  ETR_SUBGRAPH_LOWERED, /**< original module of an executorch_call_delegate */
} etr_subgraph_kind;

/** A graph nested in a node: body of a control-flow operator, or what a delegate was lowered from. */
typedef struct etr_subgraph {
  const char *name; /**< "true_graph_0", "lowered_module_0" */
  const char *path; /**< names from the outermost in, joined by '/': "true_graph_0/false_graph_0" */
  etr_subgraph_kind kind;
  uint32_t parent;     /**< index of the enclosing subgraph; ETR_NONE: the graph itself */
  uint32_t owner;      /**< node that holds it */
  const char *backend; /**< of a lowered module: "XnnpackBackend"; else NULL */
} etr_subgraph;

/** One frame of a stack trace. */
typedef struct etr_source {
  const char *file; /**< as recorded */
  int64_t line;
  const char *function;
  const char *code; /**< the source line's text, stripped; "" if not recorded */
} etr_source;

/**
 * An argument of a node that is no tensor: the stride of a convolution, a dim, a scale. A program tells only those that
 * were given, so that one with its default value may be missing. At most 64 of a node are kept, and of several with one
 * name the first.
 *
 * Values are JSON on one line: true, [1, 1], 0.5, "mean". Types, memory formats, layouts and devices are strings:
 * "float32", "contiguous_format", "strided", "cuda:0"; so are "NaN" and "Infinity". A symbolic number is its
 * expression: [1, "2*s77"]. What is long is cut and stays JSON: a list behind some 256 bytes, a text behind 200;
 * "..." stands for the rest.
 */
typedef struct etr_argument {
  const char *name; /**< as the operator's schema has it: "stride" */
  const char *value;
} etr_argument;

/** A node of a graph. */
typedef struct etr_node {
  const char *name;
  const char *target;  /**< "aten.add.Tensor", "higher_order.cond", "_operator.add"; for nodes that are no operators,
                          their name */
  const char *op_type; /**< what ExecuTorch's Inspector calls the operator: of Edge operators the target, of others
                          without namespace: "mul" */
  etr_node_kind kind;
  uint32_t subgraph;      /**< index into etr_graph.subgraphs; ETR_NONE: the graph itself */
  const etr_edge *inputs; /**< every use in argument order; a value used twice stands there twice. Uses of unknown names
                             are left out */
  size_t input_count;
  const etr_argument *arguments; /**< likewise; without tensors, graphs and None. A program has no names: in
                                    program/METHOD those of well-known operators are ATen's, others are called by their
                                    place, "arg_3", and delegates' constants have "bytes", the size of their data */
  size_t argument_count;
  const etr_value *outputs;
  size_t output_count;
  uint32_t module;               /**< index into etr_graph.modules; 0 (the root) also where nothing was recorded */
  uint32_t debug_handle;         /**< 0: unset */
  const etr_source *source;      /**< innermost frame outside torch itself; NULL if none was recorded */
  const char *weight_name;       /**< of a parameter, buffer or constant: "a.weight"; else NULL */
  const char *const *edge_nodes; /**< in program/METHOD: names of the Edge nodes that the instruction stands for */
  size_t edge_node_count;
  const char *aten_node; /**< name of the node of aten/forward this one came from, through from_node and
                              export_graph_id; of a node in a body, the name in the body of that graph that became
                              this one. NULL if not told */
} etr_node;

/** True of an operator that moves, repeats or converts data and computes nothing: "aten.permute_copy.default". */
ETR_API bool etr_node_only_copies(const etr_node *node);

/** The value of a node's argument; NULL if it has none of this name. */
ETR_API const char *etr_node_argument(const etr_node *node, const char *name);

/** How an operator of program/METHOD works, as far as its cost depends on it. Its inputs stand in the order given. */
typedef enum etr_work {
  ETR_WORK_BY_NAME,           /**< as ATen's operator of that name */
  ETR_WORK_NO_PRODUCT,        /**< reads and writes its tensors, and multiplies none by another */
  ETR_WORK_ELSEWHERE,         /**< none: the nodes inside it work, or it only steers */
  ETR_WORK_HIDDEN,            /**< not known: a delegate that nothing can look into, an operator without its tensors */
  ETR_WORK_ODD_PRODUCT,       /**< multiplies in a way that is not known */
  ETR_WORK_CONVOLUTION,       /**< channels last: of an input with a filter, at each place of the output */
  ETR_WORK_TRANSPOSED,        /**< likewise, at each place of the input */
  ETR_WORK_CONVOLUTION_FIRST, /**< channels first, as ATen's */
  ETR_WORK_TRANSPOSED_FIRST,
  ETR_WORK_LINEAR,    /**< rows of the input times a matrix of weights, whichever way it lies */
  ETR_WORK_MATMUL,    /**< matrices, batch by batch */
  ETR_WORK_ATTENTION, /**< queries, keys, values */
} etr_work;

/** A number that is not known, where 0 is one. */
#define ETR_UNKNOWN UINT64_MAX

/**
 * What one call of a node computes and moves, by the shapes of its tensors alone. What a delegate fused into a node
 * (etr_node_time.carried_by) counts for that node: multiplications add up, of the bytes those count that cross the
 * boundary of the whole group; the fused nodes themselves have 0. Without times nothing is known to be fused.
 *
 * Multiply-accumulates are those that torch counts (torch/utils/flop_counter.py, which gives FLOP, twice as many):
 * products of matrices, convolutions, attention. A convolution has them at each place of its output, padding included,
 * a transposed one at each place of its input; masks leave nothing out. All else has 0, additions and activations
 * too. Bytes are each tensor once, whatever caches do; of a table that is looked up (embedding, slice) as many as are
 * taken from it; 0 of views in ATen's sense, whereas the Edge dialect's copy.
 */
typedef struct etr_cost {
  uint64_t macs;         /**< ETR_UNKNOWN: of an operator that no formula is known of, or sizes are missing */
  uint64_t read_bytes;   /**< ETR_UNKNOWN, here and below: sizes or types are missing */
  uint64_t weight_bytes; /**< the part of these that are parameters, buffers and constants */
  uint64_t written_bytes;
  uint64_t executions; /**< calls over all runs of the method that count; 0 if none was timed. ETR_UNKNOWN of delegates'
                          operators in bodies of loops and branches: several may make up one call */
  bool is_integer;     /**< it multiplies integers: both factors are, before what the group dequantizes */
  bool from_hints;     /**< a size is symbolic: the example that the export recorded stands for it */
} etr_cost;

/** One entry point, MODULE/METHOD: a graph of the record. */
typedef struct etr_graph {
  const char *module; /**< "edge", "aten", "program", or an extra module's own name ("edge~2" if it is called like one
                         of these, or if there is an edge/METHOD already). Module and method together are unique */
  const char *method;
  const char *entry;          /**< the zip entry it was read from; for program/METHOD, the .pte's path or entry */
  const char *dialect;        /**< "edge", "aten", "program", or "" where operators tell nothing */
  const char *schema_version; /**< of the serialized program: "5.4"; "" if absent */
  const etr_node *nodes; /**< in execution order: inputs and weights, operators with their nested graphs right behind
                            them, then the output */
  size_t node_count;
  const etr_module *modules; /**< parents stand before their children */
  size_t module_count;
  const etr_subgraph *subgraphs; /**< likewise; an owner stands before the nodes of its subgraph */
  size_t subgraph_count;
  uint32_t profile_method; /**< index into etr_profile.methods of the method whose times are on it; ETR_NONE if none */
  const struct etr_node_time *times; /**< node_count entries; NULL if nothing is known of how the nodes run. With no
                                        runs they tell the delegates */
  const etr_cost *costs;             /**< node_count entries, zeroed for nodes that are no operators */
  const uint8_t *works;              /**< of program/METHOD: node_count entries, etr_work; else NULL */
  const etr_value *const *views;     /**< likewise: what a node sees its inputs as, input_count entries, where memory
                                        planning made a view of another shape of one. NULL of other nodes; those with
                                        name NULL are seen as they were written */
  size_t mutation_count; /**< buffers and inputs that an inference gives a new value, by the program's output_specs */
} etr_graph;

/* ---- Memory ---- */

/** What a planned tensor is to its method; it decides how long its memory is taken. */
typedef enum etr_tensor_role {
  ETR_TENSOR_ACTIVATION, /**< from the instruction that first uses it to the last that does */
  ETR_TENSOR_INPUT,      /**< from the first instruction to the last that uses it */
  ETR_TENSOR_OUTPUT,     /**< from the instruction that first uses it to the end */
  ETR_TENSOR_STATE,      /**< all the time: it keeps its value from one inference to the next, as a mutable buffer does.
                            It has data in the program, or is read before anything wrote it */
} etr_tensor_role;

/** Name of a role as the JSON has it: "activation", "input", "output", "state". Static. */
ETR_API const char *etr_tensor_role_name(etr_tensor_role role);

/** Bytes of a tensor's elements. False, *bytes untouched: the dtype has no whole bytes or is unknown, a dimension has
 * no size and no hint, or the product does not fit 64 bits. */
ETR_API bool etr_value_bytes(const etr_value *value, uint64_t *bytes);

/**
 * A tensor that the program gives a place in a planned buffer (Tensor.allocation_info in exir/_serialize/program.fbs).
 * Instructions are those of the first chain; both ends are included, as in exir/memory_planning.py. Inside a loop, what
 * was there before it stays until the loop ends.
 */
typedef struct etr_planned_tensor {
  uint32_t value;        /**< index into the method's values */
  etr_value tensor;      /**< name: of the Edge node that computes it, or of the weight; "value_7" where neither is
                            known. Sizes are those planned for */
  bool is_bound;         /**< its shape is dynamic: the sizes are its largest */
  uint32_t buffer;       /**< index into etr_memory_plan.buffers; ETR_NONE: there is no such buffer */
  uint64_t offset_bytes; /**< from the buffer's start */
  uint64_t size_bytes;   /**< of its elements; padding between tensors is not in the file */
  etr_tensor_role role;
  int32_t first_instruction, last_instruction; /**< views of it included. -1: no instruction uses it (an input
                                                  that is not read), so that its memory may serve others */
  int32_t made_by;   /**< instruction that first writes it; -1: none does, as of inputs and views */
  uint32_t view_of;  /**< index of the tensor in whose memory it lies on purpose, by a view or in place; its bytes are
                        that tensor's. ETR_NONE: it has its own */
  bool is_misplaced; /**< it is not inside its buffer, or has no sensible size: in no sum; a warning says how */
  bool is_kept;      /**< it is needed after the last instruction: an output, a state, or what an output is a view of */
  uint32_t node;     /**< of the method's Edge graph: the node that computes it; ETR_NONE if not told */
  uint32_t module;   /**< of that graph: the module of the node, or that which holds all of a delegate's nodes; 0 where
                        nothing is told */
} etr_planned_tensor;

/** A buffer that the runtime allocates for a method's tensors (ExecutionPlan.non_const_buffer_sizes). */
typedef struct etr_planned_buffer {
  uint32_t id;              /**< place in non_const_buffer_sizes, that is, memory_id of tensors: from 1 */
  const char *device;       /**< "cpu", "cuda:0" (non_const_buffer_device); "device 7:0" where the type is not known */
  uint64_t size_bytes;      /**< as planned */
  uint64_t top_bytes;       /**< end of the tensor that lies highest */
  uint64_t peak_bytes;      /**< most that is live at one instruction */
  int32_t peak_instruction; /**< the first with as much; -1: none */
  const uint64_t *live_bytes; /**< per instruction */
  size_t tensor_count;        /**< planned into it; views included */
} etr_planned_buffer;

/** An input or output of a method that is a tensor. */
typedef struct etr_boundary_tensor {
  etr_tensor_role role; /**< ETR_TENSOR_INPUT or ETR_TENSOR_OUTPUT */
  uint32_t index;       /**< among the method's inputs or outputs */
  etr_value tensor;     /**< as in etr_planned_tensor */
  bool is_bound;
  uint64_t size_bytes;
  bool is_planned; /**< has a place in a planned buffer; else the caller provides its memory */
} etr_boundary_tensor;

/** What runs as one instruction. */
typedef struct etr_memory_step {
  const char *op; /**< "aten::add.out", "XnnpackBackend"; "move", "jump", "free" for control flow */
  bool is_delegate;
  uint32_t node;           /**< of the method's Edge graph: what a kernel computes; ETR_NONE if not told */
  uint32_t module;         /**< as in etr_planned_tensor */
  const uint32_t *tensors; /**< that it reads or writes, each once: indices into etr_memory_plan.tensors; in place of a
                              view what it is a view of. None, as of needs, where etr_memory_plan.has_needs is false */
  size_t tensor_count;
  const uint32_t *needs; /**< instructions before this one that have to run before it in any order, each once: they
                            write what it reads or writes, read what it writes, or have effects that keep their order.
                            What follows from others may be left out */
  size_t need_count;
} etr_memory_step;

/** The processed bytes that a program gives its delegates; several may share one. */
typedef struct etr_delegate_blob {
  const char *backend;
  int32_t instruction;   /**< the first that calls a delegate with it; -1: none does */
  size_t delegate_count; /**< delegates of the method that have it */
  uint64_t size_bytes;
  uint32_t segment; /**< index into etr_program_memory.segments; ETR_NONE: inside the program's own bytes */
} etr_delegate_blob;

/** The memory of one method, as far as its program tells. */
typedef struct etr_memory_plan {
  const etr_planned_buffer *buffers; /**< those with bytes or tensors; by id */
  size_t buffer_count;
  const etr_planned_tensor *tensors; /**< in the order in which the program uses them */
  size_t tensor_count;
  const etr_memory_step *steps; /**< instruction_count entries */
  size_t instruction_count;
  const uint64_t *live_bytes; /**< instruction_count entries: of all buffers together */
  uint64_t planned_bytes;     /**< of all buffers */
  uint64_t peak_bytes;
  int32_t peak_instruction;            /**< -1: nothing is planned */
  const etr_boundary_tensor *boundary; /**< inputs, then outputs */
  size_t boundary_count;
  const etr_delegate_blob *blobs;
  size_t blob_count;
  size_t unplanned_count; /**< tensors without a bound: the runtime allocates them while the method runs */
  bool has_needs; /**< the instructions tell what has to run before what. False with control flow, a tensor without a
                     bound, a plan that contradicts itself, or an instruction of which not all arguments are known */
} etr_memory_plan;

/** What a segment of a program holds. */
typedef enum etr_segment_kind {
  ETR_SEGMENT_UNUSED,    /**< nothing that is known refers to it */
  ETR_SEGMENT_CONSTANTS, /**< constants: weights that kernels read */
  ETR_SEGMENT_MUTABLE,   /**< what mutable tensors start with */
  ETR_SEGMENT_DELEGATE,  /**< processed bytes of a delegate */
  ETR_SEGMENT_NAMED,     /**< named data, as backends share it */
} etr_segment_kind;

/** Name of a kind as the JSON has it: "unused", "constants", "mutable", "delegate", "named". Static. */
ETR_API const char *etr_segment_kind_name(etr_segment_kind kind);

/** A segment behind a program (Program.segments). */
typedef struct etr_segment {
  uint64_t offset_bytes; /**< from the start of the segments */
  uint64_t size_bytes;
  etr_segment_kind kind;
  const char *name; /**< of named data: the first key; NULL of others */
} etr_segment;

/** Where the data of a constant is. */
typedef enum etr_constant_place {
  ETR_CONSTANT_INLINE,   /**< inside the program's own bytes */
  ETR_CONSTANT_SEGMENT,  /**< in a segment */
  ETR_CONSTANT_EXTERNAL, /**< in another file, by name */
} etr_constant_place;

/** Name of a place as the JSON has it: "inline", "segment", "external". Static. */
ETR_API const char *etr_constant_place_name(etr_constant_place place);

/** A constant that kernels read: data in the file, which several tensors and methods may share. */
typedef struct etr_constant {
  etr_value tensor; /**< of the first tensor with this data; name: the weight's, as in etr_node.weight_name, or what the
                       program calls it; "constant_3" where neither is known */
  uint64_t size_bytes;
  etr_constant_place place;
  uint32_t segment; /**< index into etr_program_memory.segments; ETR_NONE unless ETR_CONSTANT_SEGMENT */
  bool is_mutable;  /**< what a planned tensor starts with */
  uint32_t method;  /**< index into etr_profile.methods: the first that has it */
  size_t uses;      /**< tensors, of all methods, that have it */
} etr_constant;

/** What a program holds besides methods. */
typedef struct etr_program_memory {
  uint64_t program_bytes; /**< without segments */
  const etr_segment *segments;
  size_t segment_count;
  const etr_constant *constants; /**< in the order in which the methods' values have them */
  size_t constant_count;
} etr_program_memory;

/** What a run's ETDump says of one allocator (AllocationEvent). */
typedef struct etr_allocations {
  const char *allocator; /**< as the runtime named it; "" if it did not */
  size_t count;
  uint64_t total_bytes; /**< of all allocations; at most UINT64_MAX */
  uint64_t largest_bytes;
} etr_allocations;

/* ---- Times ---- */

/** How an event came to its node, or why it came to none. */
typedef enum etr_match {
  ETR_MATCH_NONE,   /**< could not be told */
  ETR_MATCH_HANDLE, /**< debug handle map: the handle's node with this operator or, by elimination, the one left (the
                       operator was replaced) */
  ETR_MATCH_DELEGATE_MAP, /**< the backend's own map from its ids to debug handles */
  ETR_MATCH_PAYLOAD,      /**< the delegate's payload in the .pte */
  ETR_MATCH_ORDER,     /**< several nodes have its handle and operator: the order of the lowering, proved by the handle
                          lists and the events */
  ETR_MATCH_ALIGNED,   /**< estimated: order-preserving alignment of operator classes */
  ETR_MATCH_DELEGATE,  /**< the delegate as a whole, or something its lowering inserted: no node */
  ETR_MATCH_NAME,      /**< the delegate's event has the node's name */
  ETR_MATCH_FRAMEWORK, /**< Method::*, an OPERATOR_CALL around a kernel, control flow: no node */
  ETR_MATCH_INSTRUCTION, /**< in program/METHOD: the number of the instruction that ran it */
} etr_match;

/** Name of a match as the JSON has it: "none", "handle", "delegate_map", "payload", "order", "aligned", "delegate",
 * "name", "framework", "instruction". Static. */
ETR_API const char *etr_match_name(etr_match match);

/** Statistics over samples, in ticks. Percentiles are numpy's: linear interpolation between the sorted samples at rank
 * p/100 * (count - 1). */
typedef struct etr_stats {
  size_t count; /**< number of samples; all else is 0 when this is 0 */
  double avg, min, max, p10, p50, p90;
} etr_stats;

/** Fewer runs than this are not judged. */
enum { ETR_NOISE_LEAST_TO_JUDGE = 10 };
/** The largest coefficient of variation of runs that are steady. */
#define ETR_NOISE_MOST_STEADY 0.05

/** How steady runs of one kind are. Modes, steps and drifts take 20 runs. */
typedef enum etr_noise_verdict {
  ETR_NOISE_FEW_RUNS,  /**< fewer than ETR_NOISE_LEAST_TO_JUDGE */
  ETR_NOISE_STEADY,    /**< cv is at most ETR_NOISE_MOST_STEADY */
  ETR_NOISE_NOISY,     /**< cv is larger, and none of what follows explains it */
  ETR_NOISE_TWO_MODES, /**< each run takes one of two times, and the runs switch between them */
  ETR_NOISE_STEP,      /**< all runs from one on take longer, or less long, than those before */
  ETR_NOISE_DRIFT,     /**< runs get slower or faster one after the other */
} etr_noise_verdict;

/** Name of a verdict as the JSON has it: "few_runs", "steady", "noisy", "two_modes", "step", "drift". Static. */
ETR_API const char *etr_noise_verdict_name(etr_noise_verdict verdict);

/** One of the two times that runs take. */
typedef struct etr_noise_mode {
  size_t run_count; /**< 0 unless the verdict is ETR_NOISE_TWO_MODES */
  double p50;       /**< ticks */
} etr_noise_mode;

/** How much runs of one kind vary, and in what way. */
typedef struct etr_noise {
  double cv; /**< coefficient of variation, robust: 1.4826 times the median distance of the times' logarithms from the
                median of these, which is about standard deviation / mean where no run is far out. Outliers are not part
                of it. Where they would be more than a fifth of the runs it is the standard deviation of the
                logarithms. NaN of less than two runs */
  size_t run_count; /**< runs that were judged: those with a time */
  size_t outliers;  /**< runs whose logarithm is farther from the median's than five times cv, and than 18 %; 0 if they
                       are more than a fifth of the runs, or these are too few. They are no part of a mode, a step or a
                       drift */
  double least_outlier, most_outlier; /**< what these take at least and at most, in medians; 0 without any */
  etr_noise_verdict verdict;
  etr_noise_mode modes[2]; /**< of two modes: the faster, the slower */
  bool in_stretches;       /**< of two modes: a mode mostly lasts for several runs */
  double change;     /**< of a step: the time behind it in times before it, less 1; of a drift: that of the last run in
                        the longest stretch in times of its first, less 1. 0 otherwise */
  uint32_t from_run; /**< of a step: index into etr_profile.runs of the first run behind it; ETR_NONE otherwise */
  size_t over_runs;  /**< of a step: runs behind it; of a drift: runs in the longest stretch. 0 otherwise */
  size_t stretches;  /**< of a drift: how often it starts anew, at a load or behind runs of another kind; 1 is never. 0
                        otherwise */
  double start;      /**< of a drift: ticks of the first run of a stretch, on the line; 0 otherwise */
  bool is_unsure; /**< of a step or a drift: there are less than 50 runs, and it is less than four standard deviations
                     of what it leaves: times that wander slowly may look the same */
} etr_noise;

/** Time in one run. */
typedef struct etr_run_ticks {
  uint32_t run; /**< place among the method's runs that count, as in etr_method.execute_per_run */
  uint64_t ticks;
} etr_run_ticks;

/** The time on one node. A node that was never timed has runs == 0. */
typedef struct etr_node_time {
  uint64_t total_ticks; /**< over all runs of the method; the sum over a graph's nodes is the method's nodes_ticks */
  uint32_t runs;        /**< runs in which it ran */
  uint64_t calls;       /**< times it ran, over all runs */
  double avg;           /**< per inference: total_ticks / runs of the method */
  etr_stats per_run;    /**< over the runs in which it ran, of its total in that run */
  const etr_run_ticks *each_run; /**< `runs` entries: its total in each run in which it ran, in order; only on a
                                    method's own graph, NULL elsewhere */
  etr_match match;               /**< of the event that runs_as names */
  double confidence;             /**< likewise */
  bool is_estimated;             /**< likewise: the match is an estimate, or the time is */
  bool has_cycles;               /**< its backend counted cycles: total_cycles tells, be there a time or not */
  uint64_t total_cycles;         /**< over all runs of the method */
  unsigned compute_units;        /**< 1 << etr_compute_unit for each that its operators ran on; 0: not told */
  const char *backend; /**< "XnnpackBackend" where it runs in a delegate; NULL of a kernel, or where that is unknown */
  int32_t delegate_instruction; /**< instruction of that delegate's call; -1 if none */
  int32_t instruction; /**< the first that runs it, or its delegate; they run in the order of their numbers. -1: not
                          known */
  uint32_t carried_by; /**< of a node that was fused into another: the node that carries its time; ETR_NONE */
  const char *runs_as; /**< what the runtime calls it: "native_call_add.out", "Convolution (NHWC, F32) IGEMM #3"; of
                          several events the longest, by their medians; NULL if it was not timed */
  uint64_t first_start_ticks; /**< start of its first event in the first run it ran in, from that run's first event */
} etr_node_time;

/** What an event is about. */
typedef enum etr_event_kind {
  ETR_EVENT_FRAMEWORK, /**< the runtime itself: Method::*, Program::*, control flow, executorch_prim, the OPERATOR_CALL
                          around a kernel that logged its name */
  ETR_EVENT_KERNEL,    /**< a kernel: native_call_*, or an OPERATOR_CALL whose kernel logged none */
  ETR_EVENT_DELEGATE_CALL,     /**< a delegate as a whole */
  ETR_EVENT_DELEGATE_OPERATOR, /**< one operator inside a delegate */
} etr_event_kind;

/** What an event counts as. Sums of time are over operators and phases; the others contain these, or are no time. */
typedef enum etr_event_role {
  ETR_ROLE_NONE,      /**< the runtime's own, or a load's */
  ETR_ROLE_OPERATOR,  /**< work: on a node, or a delegate's own */
  ETR_ROLE_CONTAINER, /**< wraps others, which have its time: a delegate's call, a total */
  ETR_ROLE_PHASE,     /**< a delegate's own time: copying, waiting */
  ETR_ROLE_COUNTER,   /**< no work: a number */
} etr_event_role;

/** Name of a role as the JSON has it: "operator", "container", "phase", "counter"; NULL of none. Static. */
ETR_API const char *etr_event_role_name(etr_event_role role);

/** What a delegate's own time was spent on. */
typedef enum etr_phase {
  ETR_PHASE_NONE,
  ETR_PHASE_COPY_IN,
  ETR_PHASE_COMPUTE,
  ETR_PHASE_WAIT,
  ETR_PHASE_COPY_OUT,
  ETR_PHASE_OTHER,
} etr_phase;

/** Name of a phase as the JSON has it: "copy_in", "compute", "wait", "copy_out", "other"; NULL of none. Static. */
ETR_API const char *etr_phase_name(etr_phase phase);

/** What an event's durations are. */
typedef enum etr_event_unit {
  ETR_EVENT_UNIT_TIME, /**< ticks */
  ETR_EVENT_UNIT_CYCLES,
  ETR_EVENT_UNIT_COUNT,
  ETR_EVENT_UNIT_BYTES,
} etr_event_unit;

/** Name of such a unit as the JSON has it: "ns" of time, "cycles", "count", "bytes". Static. */
ETR_API const char *etr_event_unit_name(etr_event_unit unit);

/** What computes: where an operator runs, or a delegate's computing was done. */
typedef enum etr_compute_unit {
  ETR_COMPUTE_UNIT_NONE, /**< its backend does not say */
  ETR_COMPUTE_UNIT_NPU,
  ETR_COMPUTE_UNIT_GPU,
  ETR_COMPUTE_UNIT_CPU,
} etr_compute_unit;

/** Name of a compute unit as the JSON has it: "NPU", "GPU", "CPU"; NULL of none. Static. */
ETR_API const char *etr_compute_unit_name(etr_compute_unit unit);

/** Bytes of a file, as they are there. */
typedef struct etr_bytes {
  const char *data;
  size_t size;
} etr_bytes;

/** One event signature of a block: the Inspector's row. */
typedef struct etr_event {
  const char *name;  /**< "native_call_add.out"; for a delegate's event without a name, its id */
  const char *label; /**< what people read: the name, or what a backend's long id says of it: the kernel */
  etr_event_kind kind;
  int32_t instruction_id;  /**< -1: none */
  const char *delegate_id; /**< the delegate debug identifier as text; NULL if it is not a delegate's event */
  bool delegate_id_is_int; /**< the file holds it as a number */
  bool is_logged_only;     /**< values were logged of it, but no event */
  bool is_inserted;        /**< an operator without a node that a lowering inserts: layout, conversion, copy */
  const char *backend;     /**< delegate_backend_name; NULL if none */
  const uint32_t *handles; /**< debug handles as the maps have them, duplicates included */
  size_t handle_count;
  const uint32_t *nodes; /**< nodes of the method's graph that its time is attributed to: at most one today */
  size_t node_count;
  uint32_t payload_operator; /**< of what ran in a delegate, its place among the operators of the payload in the .pte;
                                ETR_NONE if not told */
  bool is_operator_unsure;   /**< another operator of the payload could be it as well */
  etr_match match;
  double confidence; /**< of its nodes: 1 where its match is no estimate; of an estimate the share of such time that is
                        right; 0 without nodes */
  etr_event_role role;
  etr_phase phase;     /**< of a phase, and of an operator that is the delegate's own */
  etr_event_unit unit; /**< of `durations` and `stats` */
  bool is_in_sums;     /**< its time is part of its delegate's; false of all that is no time */
  bool is_estimated;   /**< its time is an estimate: its backend's own, or its part of a time that was shared out by
                          cycles */
  bool has_no_place;   /**< `starts` tell nothing: not recorded, or by another clock */
  /** Depth of an event that encloses others in a delegate's call, from 1 on; 0: it encloses none. */
  ETR_RENAMED(uint8_t, wrapper, shell);
  /** The depth of the event that encloses this one; 0: it is in the call itself. If the call encloses a total in cycles
   * too, operators counted in cycles get their share of its time, as an estimate: of nodes, or without a graph. */
  uint8_t inside;
  /** What an enclosing event spent the time on that none of its own events took. */
  ETR_RENAMED(etr_phase, wrapper_phase, shell_phase);
  etr_compute_unit compute_unit;
  bool is_unit_planned;        /**< compute_unit is what its backend planned, and may not be where it ran */
  const etr_bytes *metadata;   /**< delegate_debug_metadata, sample_count entries; NULL if all are empty */
  const uint64_t *durations;   /**< ticks, one per occurrence that has a time (a warning tells of those that have none),
                                  of runs that count, in order; repetitions within a run behind each other */
  const uint64_t *starts;      /**< ticks, likewise */
  const uint32_t *sample_runs; /**< index into etr_profile.runs, likewise */
  size_t sample_count;
  etr_stats stats; /**< over durations */
} etr_event;

/**
 * Runs with the same sequence of event signatures, as the Inspector groups them; but never runs on both sides of a load
 * that may have brought another method.
 */
typedef struct etr_block {
  const char *name;     /**< "Default", "Execute" */
  const uint32_t *runs; /**< indices into etr_profile.runs: those that count, ascending; behind them those that are
                             skipped, likewise */
  size_t run_count, skipped_run_count;
  uint32_t method;         /**< index into etr_profile.methods; ETR_NONE if none ran in it (a load) */
  const char *method_rule; /**< one line: which rule decided, or why none could */
  const etr_event *events; /**< those of one instruction stand together */
  size_t event_count;
} etr_block;

/** End of the events that have the same instruction as events[first]. */
ETR_API size_t etr_block_instruction_end(const etr_block *block, size_t first);

/** One RunData table of an ETDump: a load, or one inference. */
typedef struct etr_run {
  const char *name;
  uint32_t dump; /**< index into etr_profile.etdumps */
  uint32_t index_in_dump;
  uint32_t block;              /**< index into etr_profile.blocks */
  int32_t bundled_input_index; /**< -1: none */
  uint64_t execute_ticks;      /**< Method::execute; 0 if it has no time */
  uint32_t series;             /**< counts ETDumps and the loads in them: those of one stand behind the same load */
  uint32_t phase;              /**< index into etr_method.run_phases; ETR_NONE: no inference, or its method has none */
  bool is_skipped;             /**< an inference that does not count, see etr_skip: no sample of an event is of it */
  size_t profile_events, debug_events, allocation_events;
  const etr_allocations *allocations; /**< by allocator, in the order in which they first allocated */
  size_t allocation_count;
} etr_run;

/** A delegate call of a method. */
typedef struct etr_delegate {
  int32_t instruction_id;
  const char *backend;
  size_t handle_count; /**< entries in the debug handle map: its nodes */
  uint64_t call_ticks; /**< DELEGATE_CALL, total over the method's runs */
} etr_delegate;

/** What a time slice was spent on. */
typedef enum etr_time_slice_kind {
  ETR_TIME_SLICE_NODE,        /**< a node */
  ETR_TIME_SLICE_DELEGATE,    /**< a delegate, beyond what is on nodes */
  ETR_TIME_SLICE_UNEXPLAINED, /**< could not be told */
} etr_time_slice_kind;

/** A piece of a method's time: what one event, or a delegate's call beyond its events, took in one run. */
typedef struct etr_time_slice {
  uint64_t ticks;
  const etr_event *event; /**< that recorded it; of a delegate's rest, its call */
  uint32_t run;           /**< place among the method's runs: index into execute_per_run */
  uint32_t node;          /**< of the method's graph; ETR_NONE unless ETR_TIME_SLICE_NODE */
  etr_time_slice_kind kind;
  etr_phase phase; /**< of ETR_TIME_SLICE_DELEGATE */
  etr_compute_unit compute_unit;
} etr_time_slice;

/** Names that changed; the old ones stay for one release. */
typedef etr_time_slice etr_portion;
typedef etr_time_slice_kind etr_portion_kind;
#define ETR_PORTION_NODE ETR_TIME_SLICE_NODE
#define ETR_PORTION_DELEGATE ETR_TIME_SLICE_DELEGATE
#define ETR_PORTION_UNEXPLAINED ETR_TIME_SLICE_UNEXPLAINED

/** What told the phases of a method's runs. */
typedef enum etr_phase_rule {
  ETR_PHASE_BY_SIZES,  /**< the runs logged values of different sizes: certain */
  ETR_PHASE_BY_EVENTS, /**< different events: certain */
  ETR_PHASE_BY_TIMES,  /**< estimated: some runs take 1.5 times as long as all others at least, and all of these stretch
                          the same operators, some 2.5 times as much as others: they do other work. Runs that are slow
                          for another reason are etr_method.slow_runs */
} etr_phase_rule;

/** Name of a rule as the JSON has it: "sizes", "events", "times". Static. */
ETR_API const char *etr_phase_rule_name(etr_phase_rule rule);

/** Runs of one kind, where a method has several kinds: the averages and medians of all its runs mix these. */
typedef struct etr_run_phase {
  const char *name; /**< "prefill" and "decode" of a method whose longer runs come first and are fewer, and are told by
                       sizes or times; else "phase 1", ... in the order of their first run, or "kind 1" and "kind 2" of
                       runs that are told by times */
  etr_phase_rule told_by;
  const uint32_t *runs; /**< those that count, indices into etr_profile.runs, ascending; there may be none */
  size_t run_count;
  etr_stats execute; /**< over these */
  etr_noise noise;
} etr_run_phase;

/** Why some of a method's runs take longer than the others, though they do the same work. */
typedef enum etr_slow_runs_kind {
  ETR_SLOW_RUNS_NONE,
  ETR_SLOW_RUNS_ANY,      /**< they come by chance, or nothing tells */
  ETR_SLOW_RUNS_PERIODIC, /**< they come in equal distances */
  ETR_SLOW_RUNS_OPERATOR, /**< half or more of what each takes longer is in one operator */
} etr_slow_runs_kind;

/** Runs that count and take at least 1.5 times as long as all others of their method, which has no phases. */
typedef struct etr_slow_runs {
  etr_slow_runs_kind kind; /**< all else is 0 where there are none */
  const uint32_t *runs;    /**< indices into etr_profile.runs, ascending */
  size_t run_count;
  double usual;            /**< median of the others, in ticks */
  double p50, least, most; /**< of the slow ones, in ticks */
  uint64_t excess_ticks;   /**< what they take beyond that median, together */
  size_t period;           /**< where they come in equal distances: of so many runs behind each other ... */
  size_t runs_of_period;   /**< ... so many are slow; both are 0 otherwise */
  const etr_event *event;  /**< the operator that makes them slow, if it is the same in all; NULL */
} etr_slow_runs;

/** A method and where its time went. Totals are over its runs that count; nodes + delegate_only + framework +
 * unexplained = execute, exactly. */
typedef struct etr_method {
  const char *name; /**< "" for runs that no method could be told for: each such block is a method of its own */
  uint32_t graph; /**< the graph that its time is joined to, in etr_profile.graphs: its Edge graph; where the record has
                     none, or there is no record, program/METHOD if that runs anything; else ETR_NONE */
  size_t run_count;             /**< inferences with events that count */
  const uint32_t *runs;         /**< run_count entries, indices into etr_profile.runs, ascending */
  const uint32_t *skipped_runs; /**< skipped_run_count entries, likewise: inferences with events that do not count */
  size_t skipped_run_count;
  uint64_t skipped_ticks;          /**< Method::execute of these */
  const uint64_t *execute_per_run; /**< run_count entries, ticks */
  etr_stats execute;
  etr_noise noise; /**< over these; where mixed_phase_count is above 1, spread and outliers alone, each run in parts of
                      its phase's median: etr_run_phase.noise has the rest */
  etr_slow_runs slow_runs;         /**< none where the method has phases */
  const etr_run_phase *run_phases; /**< the kinds of runs that were told apart, two or more; skipped runs helped */
  size_t run_phase_count;          /**< 0: none were */
  size_t mixed_phase_count; /**< phases with runs that count; from 2 on, all that is said of the method mixes them */
  uint64_t execute_ticks;
  uint64_t nodes_ticks;          /**< on graph nodes */
  uint64_t estimated_ticks;      /**< the part of nodes_ticks whose node is estimated (ETR_MATCH_ALIGNED), or whose time
                                      is */
  uint64_t estimated_time_ticks; /**< the part of these whose time is: etr_event.is_estimated */
  uint64_t shared_ticks;         /**< the part of these that is a share by cycles of a time that was measured */
  double estimated_confidence;   /**< the average of its events' confidence, by time; 0 if nothing is estimated */
  uint64_t delegate_only_ticks;  /**< delegates' calls, beyond what is on nodes */
  uint64_t inserted_ticks;       /**< the part of delegate_only_ticks measured on operators that a lowering inserted:
                                      Transpose, Convert, Copy without a node. The rest of the calls is the other */
  uint64_t clock_hidden_ticks; /**< what a clock of whole microseconds, as XNNPACK's, can hide of operators' time in the
                                    rest of the calls: of a call with n operators n/2 steps, at most all of its rest */
  uint64_t framework_ticks;    /**< between and around kernels and delegates */
  uint64_t unexplained_ticks;  /**< timed, but could not be told */
  const etr_delegate *delegates;
  size_t delegate_count;
  size_t ambiguous_node_count; /**< nodes that could as well be in a delegate as outside of all: debug handles do not
                                    say, the likelier side is counted */
  /** All of its time but the runtime's own: the slices add up to nodes_ticks, delegate_only_ticks and
   * unexplained_ticks. Sorted by node, and for one node by run; those without a node come last. */
  ETR_RENAMED(const etr_time_slice *, time_slices, portions);
  ETR_RENAMED(size_t, time_slice_count, portion_count);
  const uint32_t *blocks; /**< indices into etr_profile.blocks: those whose method it is, in their order */
  size_t block_count;
  const etr_memory_plan *memory; /**< NULL: no program (.pte) tells */
} etr_method;

/* ---- Logged values ---- */

/** What a DebugEvent of an ETDump holds. */
typedef enum etr_debug_kind {
  ETR_DEBUG_NONE, /**< nothing, or what the file has no room for (a string) */
  ETR_DEBUG_TENSOR,
  ETR_DEBUG_INT,
  ETR_DEBUG_DOUBLE,
  ETR_DEBUG_BOOL,
} etr_debug_kind;

/** Name of a kind as the JSON has it: "none", "tensor", "int", "double", "bool". Static. */
ETR_API const char *etr_debug_kind_name(etr_debug_kind kind);

/** Statistics over the elements of a tensor, as doubles: 64-bit integers are rounded to 53 bits, of a bool true is 1,
 * quantized numbers are as they are stored. A tensor without elements has counts of 0. */
typedef struct etr_tensor_stats {
  uint64_t element_count;
  uint64_t nan_count, inf_count, zero_count; /**< inf_count: of either sign */
  double min, max;                           /**< over the finite elements; NaN if there are none */
  double mean;                               /**< likewise; NaN also where their sum is beyond a double */
} etr_tensor_stats;

/**
 * A value that the runtime logged: a tensor, or a scalar. A kernel logs its outputs; the call of a delegate all its
 * arguments, inputs first (the runtime cannot tell them from outputs, but the record and the graph can); a delegate
 * that supports it the results of its operators; a method what it returns. The tensors of a list are values of their
 * own. ExecuTorch marks tensors that a method returns; scalars logged outside of any instruction are taken for such,
 * too.
 */
typedef struct etr_debug_value {
  uint32_t run;            /**< index into etr_profile.runs */
  int32_t instruction_id;  /**< -1: none */
  const char *delegate_id; /**< the delegate debug identifier as text; NULL if a delegate did not log it. In one profile
                              equal ids, also those of events, are the same pointer */
  const char *name;        /**< as logged, mostly "" */
  bool is_output;          /**< what the method returns */
  bool is_argument;        /**< an argument of a delegate's call: an input, or it could not be told which output */
  uint32_t index;  /**< place among the values of this run with the same instruction, delegate id and is_output */
  uint32_t method; /**< index into etr_profile.methods; ETR_NONE if not told */
  uint32_t node;   /**< index into the nodes of the method's graph: the node that computed it, the node `output` for
                      what the method returns; ETR_NONE if unknown, and for arguments of a delegate's call */
  uint32_t output; /**< which of the node's outputs, whose number and names the node has: a tensor of a list is one; of
                      the node `output` which of its inputs; ETR_NONE if unknown */
  etr_debug_kind kind;
  const char *dtype;      /**< of a tensor: "float32"; NULL if unknown */
  const int64_t *sizes;   /**< rank entries, as the file has them */
  const int64_t *strides; /**< likewise, in elements; NULL if the file does not have as many: then as if contiguous */
  int32_t rank;
  uint64_t offset;               /**< of the tensor in the debug buffer; meaningless if it has no elements */
  uint64_t byte_size;            /**< 0 also if the sizes are senseless or the dtype is unknown */
  const etr_tensor_stats *stats; /**< NULL: no debug buffer, or it cannot be read from it (a warning says why) */
  int64_t int_value;             /**< of ETR_DEBUG_INT and ETR_DEBUG_BOOL */
  double double_value;           /**< of ETR_DEBUG_DOUBLE */
} etr_debug_value;

/**
 * How far the numbers of a tensor are from those of a reference, as ExecuTorch's comparators compute it in doubles
 * (devtools/inspector/numerical_comparator). They take NaN for 0, and with it infinities for the largest double; here
 * pairs in which one is not finite are left out and counted.
 */
typedef struct etr_numeric_gap {
  uint64_t element_count; /**< pairs; those left out included */
  uint64_t left_out;      /**< pairs in which one or both are NaN or infinite */
  uint64_t unlike;        /**< those of them that are not the same: NaN and NaN are, infinities of one sign are */
  double mse;             /**< mean of (reference - actual)^2; NaN, as all below, if all pairs were left out */
  double l1;              /**< sum of |reference - actual| */
  double max_abs_error;
  double snr_db; /**< 10 * log10(mean of reference^2 / mse); infinity if there is no difference, -infinity if the
                    reference is all 0 */
} etr_numeric_gap;

/** Which of two gaps is worse: the one with differing NaN or infinities, then the one with the lower SNR. Positive: a;
 * negative: b; 0: neither. */
ETR_API int etr_gap_worse(const etr_numeric_gap *a, const etr_numeric_gap *b);

/** An output of a run beside the record's reference for it. */
typedef struct etr_output_gap {
  uint32_t method, run; /**< indices into the profile */
  uint32_t set;         /**< which of the method's sets of reference outputs */
  uint32_t output;
  const char *rule;             /**< one line: why this set */
  const etr_debug_value *value; /**< what the run returned; NULL if it logged fewer outputs than the set has */
  const char *problem;          /**< why it could not be compared; NULL if it was */
  etr_numeric_gap gap;          /**< if it was */
} etr_output_gap;

/* ---- Rates ---- */

typedef struct etr_profile etr_profile;

/** The most of a rate that reading the clock may have added or taken away: what is less sure is no rate. */
#define ETR_RATE_MOST_ERROR 0.1

/** What nodes compute and move per inference: each node's cost times how often it ran; of a node that was not timed,
 * one call. Zeroed: nothing. */
typedef struct etr_cost_sum {
  double macs;         /**< of those that are known, as the bytes are */
  double integer_macs; /**< the part of these that multiplies integers */
  double bytes;        /**< read and written */
  double weight_bytes; /**< the part of these that are weights */
  size_t unknown_macs; /**< nodes whose multiply-accumulates are not known */
  size_t unknown_bytes;
  size_t hinted;   /**< nodes whose sizes are examples */
  double ns;       /**< time on these nodes, on average */
  double variance; /**< what the steps of the clocks add to their time over all runs; square of ns */
  double runs;     /**< runs of the method */
} etr_cost_sum;

/** Adds a node's cost and time; nothing of a graph without costs. */
ETR_API void etr_cost_add(etr_cost_sum *sum, const etr_profile *profile, const etr_graph *graph, size_t node);

/** Adds a sum of other nodes of the method. */
ETR_API void etr_cost_add_sum(etr_cost_sum *sum, const etr_cost_sum *other);

/** Multiply-accumulates and bytes per inference; NaN where a node's are not known. */
ETR_API double etr_cost_macs(const etr_cost_sum *sum);
ETR_API double etr_cost_bytes(const etr_cost_sum *sum);

/** FLOP (of integers: operations) per byte; NaN where either is unknown, or nothing is moved. */
ETR_API double etr_cost_intensity(const etr_cost_sum *sum);

/** Achieved rates, in 1e9 per second: FLOP (of integers: operations), and bytes. NaN where the cost or the time is not
 * known, or the step of its clock may have made more than ETR_RATE_MOST_ERROR of it. */
ETR_API double etr_cost_gflops(const etr_cost_sum *sum);
ETR_API double etr_cost_gbs(const etr_cost_sum *sum);

/** "float", "integer" or "mixed": what is multiplied; NULL if nothing is. Static. */
ETR_API const char *etr_cost_arithmetic(const etr_cost_sum *sum);

/** The most that can be reached, in 1e9 per second; 0: not known. */
typedef struct etr_effective_peaks {
  double gflops, integer_gops, gbs;
  bool flops_given, integer_given, bandwidth_given; /**< as a peak; else it is the best of the record's nodes */
} etr_effective_peaks;
typedef etr_effective_peaks etr_roofs; /**< the old name, for one release */

/** What limits nodes at the peaks; unknown unless the peaks that it depends on were given. */
typedef enum etr_bound { ETR_BOUND_UNKNOWN, ETR_BOUND_COMPUTE, ETR_BOUND_MEMORY } etr_bound;

/** Name of a bound as the JSON has it: "compute", "memory"; NULL if unknown. Static. */
ETR_API const char *etr_bound_name(etr_bound bound);

/** The least time that the peaks allow, in ns per inference, and what sets it (may be NULL). NaN where costs or peaks
 * are unknown. */
ETR_API double etr_cost_least_ns(const etr_cost_sum *sum, const etr_effective_peaks *effective_peaks, etr_bound *bound);

/** That as a part of the time taken: 1 at the peak, more if a peak, a cost or a match is wrong. NaN where rates are
 * unknown. */
ETR_API double etr_cost_of_peak(const etr_cost_sum *sum, const etr_effective_peaks *effective_peaks, etr_bound *bound);

/* ---- The profile ---- */

/** How many tests a BundledProgram has for a method: inputs, and the outputs expected of them. */
typedef struct etr_test_set {
  const char *method;
  size_t count;
} etr_test_set;

/** What a .ptd holds: constants outside of the program. */
typedef struct etr_weights {
  const char *path;
  size_t tensor_count;
  size_t blob_count;   /**< data of delegates, which only their backends can read */
  uint64_t byte_count; /**< of all data */
  uint64_t file_size;
} etr_weights;

/** Something that was lost, odd or assumed, worth one line to the user. */
typedef struct etr_warning {
  const char *file;  /**< "" if none */
  const char *entry; /**< "" if none */
  uint64_t offset;   /**< ETR_NO_OFFSET if none */
  const char *message;
} etr_warning;

/** Everything that was read, joined. Read-only. */
struct etr_profile {
  const char *etrecord;  /**< paths as given; NULL if not read */
  const char *pte;       /**< where the program is: a .pte, or the ETRecord that holds it; NULL if there is none */
  const char *pte_entry; /**< the ETRecord's entry that is the program; NULL if it is a file of its own */
  bool is_bundled;       /**< the program is in a BundledProgram (.bpte) */
  const etr_test_set *test_sets; /**< of a BundledProgram, in the file's order */
  size_t test_set_count;
  const char *const *etdumps; /**< LOG#2 is the second ETDump of a log that holds several */
  size_t etdump_count;
  const etr_weights *weights; /**< of each .ptd */
  size_t weight_count;
  double ticks_per_second;
  const etr_graph *graphs; /**< the one with the most to say first: timed Edge graphs, other Edge graphs, program, aten,
                              extra modules */
  size_t graph_count;
  const etr_method *methods; /**< in the order of the record's maps, then graphs, then the .pte */
  size_t method_count;
  const etr_run *runs;
  size_t run_count;
  etr_skip skip;           /**< as the options chose */
  etr_statistic statistic; /**< likewise */
  etr_peaks peaks;         /**< likewise */
  /** The peaks; in place of those that were not given, the best rates of its nodes. */
  ETR_RENAMED(etr_effective_peaks, effective_peaks, roofs);
  const etr_block *blocks;
  size_t block_count;
  const char *const *unknown_entries; /**< zip entries that nothing is known about */
  size_t unknown_entry_count;
  const char *debug_buffer; /**< path as given; NULL if there is none, or it belongs to no ETDump here. Read piece by
                               piece, never held, unless it is in a log */
  etr_bytes debug_buffer_bytes;        /**< of a debug buffer that a log holds; data NULL for others */
  const etr_debug_value *debug_values; /**< run by run, in the order in which they were logged */
  size_t debug_value_count;
  const etr_output_gap *output_gaps; /**< outputs of the runs beside the record's reference_outputs, by method, then run
                                        by run; none without either of them, or where it is not known which belong
                                        together (a warning says so) */
  size_t output_gap_count;
  bool has_reference_outputs, has_representative_inputs;
  const char *export_graph_id;              /**< NULL if absent */
  const etr_program_memory *program_memory; /**< NULL: there is no program */
  const etr_warning *warnings;
  size_t warning_count;
  size_t foreign_run_count; /**< inferences that fit no method of the record or program: the ETDump is probably of
                               another model */
};

/**
 * Reads the inputs, joins them and returns the profile. `options` may be NULL.
 *
 * On success close *out with etr_profile_close(); what could not be read but is not essential is in its warnings. On
 * failure *out is NULL. Errors:
 *   ETR_ERROR_IO      a file cannot be read
 *   ETR_ERROR_FORMAT  an input is not what it should be, is damaged, exceeds a limit, or the record holds no graph
 *   ETR_ERROR_CHOICE  neither an ETRecord nor an ETDump nor a .pte was given, a method choice or a range names an
 *                     unknown run or method, or there is no such clock
 *   ETR_ERROR_MEMORY
 */
ETR_API etr_status etr_profile_open(etr_profile **out, const etr_inputs *inputs, const etr_options *options,
                                    etr_error *error);

/** Frees the profile and everything it lent. NULL is allowed. */
ETR_API void etr_profile_close(etr_profile *profile);

/** Converts ticks to nanoseconds by the profile's ticks_per_second. */
ETR_API double etr_ticks_to_ns(const etr_profile *profile, double ticks);

/** The step, in ticks, of the clock that times a backend's operators, if it is coarser than the ETDump's: XNNPACK's
 * counts whole microseconds; otherwise 0. delegate_id, of an event, tells the backend where that is NULL; NULL of both:
 * kernels and calls of delegates. */
ETR_API double etr_clock_step(const etr_profile *profile, const char *backend, const char *delegate_id);

#ifdef __cplusplus
}
#endif

#endif
