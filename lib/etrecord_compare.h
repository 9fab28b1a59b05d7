/* SPDX-License-Identifier: BSD-3-Clause
 *
 * etrecord_compare.h - compare two profiles (etrecord.h): what became slower or faster.
 *
 *   etr_comparison *comparison;
 *   if (etr_compare(&comparison, base, newer, &error) == ETR_OK) {
 *     for (size_t i = 0; i < comparison->method_count; i++) {
 *       const etr_change *execute = &comparison->methods[i].execute;
 *       printf("%s: %s\n", comparison->methods[i].name, etr_verdict_name(execute->verdict));
 *     }
 *     etr_comparison_close(comparison);
 *   }
 *
 * A comparison is read-only and lends everything it points to, as a profile does. It borrows both profiles: close it
 * before them.
 *
 * Averages and medians
 * Every change has both. *Averages* (per inference: total over all runs / runs) add up: the changes of all nodes and
 * those of the method's delegate_only, framework and unexplained time are the change of the average of Method::execute.
 * Averages also count what happens once, such as a cold first run; so whether something changed is told from *medians*
 * over the runs, which do not add up.
 *
 * Noise
 * The standard error of a median of n runs is taken as 1.2533 * s / sqrt(n), where s = 1.4826 * b(n) * MAD: the median
 * distance from the median, made consistent with the standard deviation of normal samples (Hampel 1974; b(n) for few
 * samples: Croux and Rousseeuw, "Time-efficient algorithms for two highly robust estimators of scale", 1992; 1.2533 =
 * sqrt(pi / 2), the price of the median: Kendall and Stuart). Both sides' errors and what the clock's step leaves open
 * (step / sqrt(12): JCGM 100:2008, F.2.2.1) add in quadrature; the change divided by the sum is compared with Student's
 * t of the smaller number of runs less one degrees of freedom, which errs towards "within noise". Where many rows are
 * looked at together (all nodes of a method; all its operators, ...) the level is that of Benjamini and Hochberg
 * (1995): of the rows found to have changed, at most 5 % are expected to be there by chance; etr_change.noise is the
 * interval of the same level (Benjamini and Yekutieli 2005). Method::execute stands for itself, at 5 %. A change of a
 * clock step or less is always within noise. The step is the largest power of ten that divides all durations of the
 * method's kernels, or of one backend's operators (XNNPACK counts whole microseconds), in a profile.
 *
 * This knows the spread of the runs *within* each recording. It does not know what differed between the recordings:
 * clock frequency, temperature, other load, placement in memory. Recordings that are to be compared should be taken in
 * turns on a quiet machine.
 */
#ifndef ETRECORD_COMPARE_H
#define ETRECORD_COMPARE_H

#include "etrecord.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sides ---- */

/** A time over the runs of a method, in ticks of its profile. */
typedef struct etr_side_time {
  double total; /**< over all runs */
  size_t runs;  /**< that the median is over: in which it ran; of sums, all of the method. 0: not timed, and all else is
                   0 */
  double p50;   /**< median */
  double deviation; /**< median distance from it */
  double step;      /**< what the clock cannot tell apart */
} etr_side_time;

/** An operator of a method's graph, in order of execution; of a method without graph, an event. */
typedef struct etr_side_item {
  uint32_t node;         /**< index into the nodes of the method's Edge graph; ETR_NONE of an event */
  const char *name, *op; /**< of the node, and its target; of an event with its instruction, "native_call_add.out (3)",
                            and its name */
  const char *module;    /**< its path, "" for the model itself and of events */
  const char *pattern;   /**< of the module, likewise: see etr_module */
  const char *body; /**< of control flow: path of the subgraph that it is in, "" for none; what was lowered is where its
                       delegate is called */
  const etr_node *of;          /**< whose outputs' types and shapes tell it; NULL of events and where `shape` does */
  const char *shape;           /**< of a side that was read from a document: these as text; NULL otherwise */
  const char *backend;         /**< NULL: a kernel, or unknown */
  const char *function, *code; /**< of its source line; NULL where that is unknown, and of events */
  const uint32_t *producers;   /**< places of the items that make what it reads, smaller than its own; ETR_NONE: an
                                  input of the method. Weights are left out */
  size_t producer_count;
  const char *weight; /**< shape of the weight that it reads, as the record stores it: "[64,3,7,7]"; of several, the one
                         with the most dimensions. NULL where it reads none, or that is unknown */
  etr_side_time time;
} etr_side_item;

/** Items with something in common. */
typedef struct etr_side_sum {
  const char *key; /**< as in etr_node_group */
  size_t timed;    /**< items that were timed */
  etr_side_time time;
} etr_side_sum;

typedef struct etr_side_sums {
  const etr_side_sum *rows;
  size_t count;
} etr_side_sums;

/** What a clock cannot tell apart. */
typedef struct etr_side_clock {
  const char *backend; /**< whose operators it times; "": kernels and calls */
  double step;         /**< ticks */
} etr_side_clock;

/** What a method is called with. */
typedef struct etr_side_input {
  const char *name;
  const char *type; /**< "float32[1,3,64,64]" */
} etr_side_input;

/** What is compared of a method. */
typedef struct etr_side_method {
  bool has_graph; /**< items are operators; otherwise events, and what is not of items is empty */
  const etr_side_input *inputs;
  size_t input_count;
  const char *dtypes;         /**< that its operators compute in, floating or of 8 bits: "float32, int8" */
  const char *const *weights; /**< shapes of those with two dimensions or more: "[64,3,7,7]" */
  size_t weight_count;
  const etr_side_item *items;
  size_t item_count;
  etr_side_sums ops, modules, patterns, backends; /**< of the items; modules and patterns are those of operators */
  const etr_side_clock *clocks;
  size_t clock_count;
} etr_side_method;

/** An event of a load, over all times that it happened. */
typedef struct etr_side_load {
  const char *name; /**< "Method::init" */
  etr_side_time time;
} etr_side_load;

/** What a comparison needs of one side: medians and how far the runs lie from them, no runs. Read-only. */
typedef struct etr_side {
  const etr_profile *profile; /**< of a side that was read from a document: its methods' names, runs, noise, balances,
                                 its clock, no more */
  const etr_side_method *methods; /**< as many as the profile has, in its order */
  const etr_side_load *loads;
  size_t load_count;
} etr_side;

/** Makes a side of a profile, which it borrows: close it before that. Errors: ETR_ERROR_MEMORY; *out is NULL then. */
ETR_API etr_status etr_side_open(etr_side **out, const etr_profile *profile, etr_error *error);

/**
 * Makes a side of a document that etr_emit_profile_json() wrote, of `size` bytes, which are not needed later. name:
 * what errors call it; may be NULL. Errors: ETR_ERROR_FORMAT (it is none, is damaged, or an earlier version wrote it,
 * without what a comparison needs), ETR_ERROR_MEMORY; *out is NULL.
 */
ETR_API etr_status etr_side_read(etr_side **out, const char *document, size_t size, const char *name, etr_error *error);

/** Frees the side, not its profile. NULL is allowed. */
ETR_API void etr_side_close(etr_side *side);

/* ---- Comparisons ---- */

/** What can be said of a change. */
typedef enum etr_verdict {
  ETR_VERDICT_UNTIMED,  /**< timed on neither side */
  ETR_VERDICT_GONE,     /**< only in the base */
  ETR_VERDICT_NEW,      /**< only in the newer profile */
  ETR_VERDICT_ONE_SIDE, /**< on both sides, timed on one: it was fused into another node, or its backend tells no times
                         */
  ETR_VERDICT_FEW_RUNS, /**< fewer than 3 runs on a side: it cannot be told from noise */
  ETR_VERDICT_WITHIN_NOISE,
  ETR_VERDICT_FASTER,
  ETR_VERDICT_SLOWER,
} etr_verdict;

/** "untimed", "gone", "new", "one_side", "few_runs", "within_noise", "faster", "slower". Static. */
ETR_API const char *etr_verdict_name(etr_verdict verdict);

/** Two times of the same thing, in ticks of the newer profile's clock. */
typedef struct etr_change {
  double base_avg, new_avg; /**< per inference; 0 on a side where it was not timed */
  double base_p50,
      new_p50; /**< median over the runs in which it ran; of sums, over all runs of the method. 0 likewise */
  size_t base_runs, new_runs; /**< that the medians are over; 0: not timed on that side */
  double noise; /**< a change of medians by more than this is beyond the noise; negative where that cannot be told */
  etr_verdict verdict;
} etr_change;

/**
 * How two nodes were found to be the same. Every rule wants the same operator, or another name that lowerings give to
 * it: a linear layer is aten.addmm in a record of portable kernels, and aten.linear in one of XNNPACK. "Module"
 * includes the body of a control-flow operator; nodes inside a lowered module count as if they stood where the
 * delegate's call stands. Rules are tried from the surest to the weakest: same module, source line, producers and
 * consumers; then less and less of it; in the end by names, shapes and what stands between pairs that are sure. Numbers
 * in names shift when a node is put in, so that names count only where all of a module's are on both sides.
 *
 * Numbers in the paths of modules shift, too: a layer that is put in at features.4 turns the old features.4 into
 * features.5. If modules of one numbered path have other weights or operators, the numbered modules next to each other
 * are aligned in order, by the weights and operators that are in them; a module is then the same although its path is
 * not. Where equal layers are put in or taken out, nothing says which ones, and paths decide as far as they can.
 *
 * What contradicts forbids a pair, whatever the rule:
 * - Both nodes are layers (products, convolutions, norms, embeddings) with weights of different shapes. So a layer
 * whose width was changed is gone and new, and so are operators next to it whose outputs have other shapes.
 * - Both nodes are layers with a weight, and the module of one is on both sides, but is not the module of the other.
 * - Their outputs, or what they read, have different shapes, and nothing explains it. Explained is what comes from an
 *   input of the method, a cache or a mask that has another shape, or from an operator whose weight is the same and
 * whose output is not (a stride was changed); then the outputs must have as many dimensions. Types do not matter. What
 * a node multiplies and adds follows from the shapes of its weight, of what it reads and of its output.
 * - On the same source line of the same module (its text: line numbers shift), neither producers nor consumers are the
 *   same kinds of operators, unless the operator is the only one of its kind there. On different source lines, both
 * must be, or one of them if it is the only one of its kind in the module. Operators that move, convert or quantize
 * data are looked through.
 *
 * Unknown shapes and weights contradict nothing: symbolic sizes, documents that earlier versions wrote.
 */
typedef enum etr_pair_rule {
  ETR_PAIR_NONE,   /**< not paired */
  ETR_PAIR_NAME,   /**< name and module, whose path may have shifted */
  ETR_PAIR_SHAPE,  /**< module and output shapes; the name differs */
  ETR_PAIR_MODULE, /**< module, and order in it; name and shapes differ */
  ETR_PAIR_FLOW,   /**< producers and consumers, three operators deep; the module differs */
  ETR_PAIR_ORDER,  /**< output shapes and order; the module differs */
} etr_pair_rule;

/** "none", "name", "shape", "module", "flow", "order". Static. */
ETR_API const char *etr_pair_rule_name(etr_pair_rule rule);

/** One operator of the model on both sides, or on one; where a side has no graph, one event instead of a node. */
typedef struct etr_node_pair {
  uint32_t base_node,
      new_node; /**< indices into the nodes of both methods' Edge graphs; ETR_NONE where it is missing, and of events */
  etr_pair_rule rule;
  const char *base_name, *new_name;     /**< of the nodes, or of the events with their instruction: "native_call_add.out
                                           (3)"; NULL where missing */
  const char *op;                       /**< target of the node; name of the event */
  const char *base_module, *new_module; /**< paths, "" for the model itself and of events; NULL where missing */
  const char *base_backend, *new_backend; /**< NULL where it runs as a kernel, that is unknown, or it is missing;
                                             "delegate": of an event, in one without name */
  etr_change change;
} etr_node_pair;

/** Nodes with something in common. */
typedef struct etr_node_group {
  /** Operator; path of the module, "" for the model itself, or its pattern; backend, "cpu" for kernels, "delegate" for
   * events in one without name. */
  const char *key;
  size_t base_nodes, new_nodes; /**< that were timed */
  etr_change change;            /**< of their sum */
} etr_node_group;

typedef struct etr_node_groups {
  const etr_node_group *rows;
  size_t count;
} etr_node_groups;

/**
 * A value that both sides logged, the base taken as the reference. Values are paired by node (or as what the method
 * returns; by instruction, where both sides have the same delegates at the same instructions, or there are no graphs),
 * and the k-th run that logged values with the other side's k-th: that these had the same inputs is not recorded. Of
 * several pairs of runs it is the worst: what is NaN or infinite on one side only, then the lowest SNR.
 */
typedef struct etr_value_gap {
  const etr_debug_value *base, *newer; /**< of the worst pair of runs */
  uint32_t pair; /**< index into etr_method_pair.pairs; ETR_NONE: what the method returns, or what is known by its
                    instruction only */
  size_t run_pairs;
  const char *problem; /**< why they could not be compared (no debug buffer, another shape); NULL if they were */
  etr_numeric_gap gap; /**< if they were */
} etr_value_gap;

/** What may make times of two methods no like with like. */
typedef enum etr_difference_kind {
  ETR_DIFFERS_MODEL,   /**< may_differ */
  ETR_DIFFERS_INPUT,   /**< what the method is called with: shapes, types, or how many */
  ETR_DIFFERS_DTYPE,   /**< what operators compute in */
  ETR_DIFFERS_BACKEND, /**< what they are lowered to */
} etr_difference_kind;

/** "model", "input", "dtype", "backend". Static. */
ETR_API const char *etr_difference_name(etr_difference_kind kind);

typedef struct etr_difference {
  etr_difference_kind kind;
  const char *name;         /**< of the input; NULL of all else */
  const char *base, *newer; /**< "float32[1,3,64,64]", "float32, int8", "XnnpackBackend"; NULL where there is nothing of
                               the kind, and of models */
} etr_difference;

/** A method of both profiles, or of one. */
typedef struct etr_method_pair {
  const char *name;                 /**< "" if no side tells it */
  uint32_t base_method, new_method; /**< indices into the profiles' methods; ETR_NONE where it is missing */
  bool by_events;     /**< a side has no graph with times: pairs are of events, and there are no modules or patterns */
  etr_change execute; /**< Method::execute */
  const etr_node_pair *pairs; /**< operators of the newer graph in its order, then those that are gone in theirs */
  size_t pair_count;
  size_t timed_nodes;  /**< of both sides together */
  size_t timed_paired; /**< those of them that have a partner */
  bool may_differ; /**< these may be different models: fewer than half of the weights have the same shapes, or no timed
                      node matches. Without weights on both sides: fewer than a quarter of the timed nodes match; or
                      fewer than half, and fewer than half of the modules inside the model that were timed were so on
                      both sides */
  const etr_difference *differences; /**< of a method on both sides */
  size_t difference_count;
  const etr_value_gap *gaps; /**< values that both sides logged, in the newer side's order */
  size_t gap_count;
  etr_node_groups ops, modules, patterns,
      backends; /**< each adds up to the nodes' time; largest change of the average first */
} etr_method_pair;

/** A load event: no part of an inference. */
typedef struct etr_load_pair {
  const char *name; /**< "Method::init" */
  etr_change change;
} etr_load_pair;

/** Two profiles, lined up. Read-only. */
typedef struct etr_comparison {
  const etr_profile *base, *newer; /**< of documents: as in etr_side */
  double base_scale;               /**< ticks of the newer profile's clock in a tick of the base's */
  const etr_method_pair *methods;  /**< in the newer profile's order, then those that are gone */
  size_t method_count;
  const etr_load_pair *loads;
  size_t load_count;
} etr_comparison;

/**
 * Compares two profiles, which may be the same. Methods are paired by name; where both profiles ran just one, these are
 * paired whatever their names.
 *
 * On success *out is to be closed with etr_comparison_close() before the profiles; on failure it is NULL. Errors:
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_compare(etr_comparison **out, const etr_profile *base, const etr_profile *newer,
                               etr_error *error);

/**
 * Compares two documents of etr_emit_profile_json(), as TensorBoard's event files hold them: names, times, verdicts and
 * noise are those of etr_compare() on the records. Indices of nodes count the document's operators; values that were
 * logged are in no document, so that there are no gaps; methods that neither have a graph nor ran are left out.
 * base_name and new_name are what errors call them; they may be NULL.
 *
 * On success *out is to be closed with etr_comparison_close(); on failure it is NULL. Errors: those of etr_side_read();
 * ETR_ERROR_CHOICE: a method has a graph on one side only, so its events would have to be compared, which a document
 * with a graph does not hold.
 */
ETR_API etr_status etr_compare_documents(etr_comparison **out, const char *base, size_t base_size,
                                         const char *base_name, const char *newer, size_t new_size,
                                         const char *new_name, etr_error *error);

/** Frees the comparison, not the profiles. NULL is allowed. */
ETR_API void etr_comparison_close(etr_comparison *comparison);

#ifdef __cplusplus
}
#endif

#endif
