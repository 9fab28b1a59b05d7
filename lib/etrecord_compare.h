/* SPDX-License-Identifier: BSD-3-Clause
 *
 * etrecord_compare.h - compare two profiles (etrecord.h): what became slower or faster.
 *
 *   etr_comparison *comparison;
 *   if (etr_compare(&comparison, base, newer, NULL, &error) == ETR_OK) {
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
 * Averages also count what happens once, such as a cold first run; so whether something changed is decided by *medians*
 * over the runs, which do not add up.
 *
 * Runs and recordings
 * A *run* is one inference. A *recording* is one ETDump: one process that loaded the program. The runs of a recording
 * share clock speed, placement in memory, temperature and neighbours, so more runs make a recording's median exact and
 * say nothing about the next recording. The recording is therefore the unit of a comparison, not the run.
 *
 * When a change counts
 * Times are compared by their logarithms, as noise multiplies. D is the number of recordings of a side, m the logarithm
 * of a recording's median, var their variance (D - 1 in the denominator), step what the clock cannot resolve.
 *
 * Rule R, with three recordings or more on both sides: Welch's t (1947) over the recordings' medians.
 *   change:   mean(m_new) - mean(m_base), so that base_p50 and new_p50 are the geometric means of the medians
 *   v:        of each side var(m) / D, at least (step / p50)^2 / 12 / D (JCGM 100:2008, F.2.2.1)
 *   freedom:  (v_base + v_new)^2 / (v_base^2 / (D_base - 1) + v_new^2 / (D_new - 1)), rounded down, 1 to 200
 *   interval: change -+ t(0.975, freedom) * sqrt(v_base + v_new)
 *
 * Rule S, with fewer on a side: the medians over all runs of a side, each of which must have 10 runs; lo and hi are the
 * floor(n / 10)-th smallest and largest run, counted from 0. Distances stand in for standard errors, as the median of
 * runs in two modes jumps from one to the other; the bounds are combined as Zou and Donner do (2008).
 *   f:        1.96^2 * (0.03^2 * (1 / D_base + 1 / D_new) + ((step / p50)_base^2 + (step / p50)_new^2) / 12)
 *   interval: change - sqrt((p50_new - lo_new)^2 + (hi_base - p50_base)^2 + f)
 *             to change + sqrt((hi_new - p50_new)^2 + (p50_base - lo_base)^2 + f)
 * 0.03 is how much recordings of one program are assumed to differ (etr_compare_options.recording_noise).
 *
 * Either interval reaches at least one step of the clock to both sides, so that a change of one step never counts. The
 * step is the largest power of ten that divides all durations of the method's kernels, or of one backend's operators
 * (XNNPACK counts whole microseconds), in a profile.
 *
 * Method::execute and loads are each judged at 5 %. Rows that are looked at together (all nodes of a method; all its
 * operators, ...) are a family. With rule R each row's variance, pooled over both sides, is moved towards that of the
 * family (Smyth 2004, "moderated t"); with rule S its chance is 2 * (1 - Phi(1.96 * |change| / h)), where h is the
 * distance from the change to the bound that is nearer to 0. The family's level is that of Benjamini and Hochberg
 * (1995): of the rows that are called slower or faster at most 5 % are expected to be so by chance. A row's interval
 * has the level that this left.
 *
 * Against an earlier session (etr_compare_options.is_other_session) there is one session a side, however many
 * recordings each has. With medians of eight benches or more, s = 1.4826 * b(k) * median |D_i| over the k steps D_i
 * between successive ones (b: Croux and Rousseeuw 1992), a change must also exceed t(0.975, (k + 1) / 2) * s; with
 * fewer, f of rule S with one recording a side is added under rule R's root. Rows always have that f.
 *
 * How often these rules are wrong, and what they find, is measured in tests/noise.
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
  double total;      /**< over all runs */
  size_t runs;       /**< that the median is over: those in which it ran; of sums, all of the method. 0: not timed, and
                        all else is 0 */
  double p50;        /**< median over all runs */
  double low, high;  /**< the floor(runs / 10)-th shortest and longest run, counted from 0: the middle 80 % */
  size_t recordings; /**< ETDumps that have such a run */
  double offset;     /**< mean over the recordings of ln(median of a recording / p50); 0 with one recording, NaN where a
                        median is 0 */
  double spread;     /**< standard deviation of these logarithms; 0 with one recording, NaN where a median is 0 */
  double step;       /**< what the clock cannot resolve */
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

/** Parts of Method::execute that are on no operator of its graph. */
typedef enum etr_side_part {
  ETR_SIDE_DELEGATE_ONLY, /**< as in etr_method: delegates' calls, beyond their operators */
  ETR_SIDE_FRAMEWORK,     /**< between and around kernels and delegates */
  ETR_SIDE_UNEXPLAINED,   /**< timed, but of no known node */
  ETR_SIDE_PARTS
} etr_side_part;

/** What is compared of a method. */
typedef struct etr_side_method {
  bool has_graph;                      /**< items are operators; otherwise events, and what is not of items is empty */
  etr_side_time execute;               /**< of Method::execute */
  etr_side_time parts[ETR_SIDE_PARTS]; /**< not timed in documents of older versions */
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

/** What a comparison needs of one side: medians and how they vary, no runs. Read-only. */
typedef struct etr_side {
  const etr_profile *profile; /**< of a side that was read from a document: its methods' names, runs, noise, balances,
                                 its clock, no more */
  const etr_side_method *methods; /**< as many as the profile has, in its order */
  const etr_side_load *loads;
  size_t load_count;
  bool is_of_older_version; /**< it was read from a document without recordings: all its runs count as one recording,
                               and low and high are estimated */
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

/** What it takes to tell a change. */
enum {
  ETR_LEAST_RECORDINGS = 3, /**< on both sides, for rule R: two have one degree of freedom, and an interval 12.7
                               standard errors wide */
  ETR_LEAST_RUNS = 10, /**< on both sides, for rule S: with 5 runs, two modes that come in stretches pass for a change
                          in 23 % of pairs */
  ETR_MOST_RECORDINGS = 50, /**< on each side, that anybody would still make */
  ETR_LEAST_BENCHES = 8,    /**< whose steps say how sessions differ: with 5, +10 % is found in 18 % of cases */
};

/** How to compare. Zeroed means defaults. */
typedef struct etr_compare_options {
  double limit;           /**< changes within it are equal: 0.05 for 5 %; 0: no limit. Below 0 counts as 0 */
  double recording_noise; /**< what recordings of one program are assumed to differ by, as a standard deviation: 0.01
                             for 1 %; 0: 0.03. Rule S uses it */
  bool is_other_session;  /**< the base was recorded earlier, not in turns with the newer side */
  bool is_in_turns;       /**< the recordings are known to have been taken in turns */
  const struct etr_bench_history
      *histories; /**< of methods, if is_other_session; of those without one nothing is known */
  size_t history_count;
} etr_compare_options;

/** Medians of a method's earlier benches, of the same host, device and command. */
typedef struct etr_bench_history {
  const char *method;
  const double *medians; /**< in any unit, all above 0, the oldest first; the last is the base's */
  size_t count;
} etr_bench_history;

/** What can be said of a change. */
typedef enum etr_verdict {
  ETR_VERDICT_UNTIMED,     /**< on both sides, not timed on both: was it timed on one, it was fused into another node on
                              the other, or its backend records no times there */
  ETR_VERDICT_GONE,        /**< only in the base */
  ETR_VERDICT_NEW,         /**< only in the newer profile */
  ETR_VERDICT_CANNOT_TELL, /**< the interval holds 0; etr_change.reason says why no more is known */
  ETR_VERDICT_EQUAL,       /**< the interval holds 0 and lies within the limit */
  ETR_VERDICT_FASTER,      /**< the interval lies below 0 */
  ETR_VERDICT_SLOWER,      /**< the interval lies above 0 */
} etr_verdict;

/** "untimed", "gone", "new", "cannot_tell", "equal", "faster", "slower". Static. */
ETR_API const char *etr_verdict_name(etr_verdict verdict);

/** Why it cannot be told whether something changed: the first that holds. */
typedef enum etr_reason {
  ETR_REASON_NONE,          /**< of other verdicts */
  ETR_REASON_CLOCK,         /**< a time, or a recording's median, is 0 or below the clock's step; or one step of the
                               clock leaves more open than the runs and recordings do */
  ETR_REASON_FEW_RUNS,      /**< fewer than 10 runs on a side that has fewer than 3 recordings */
  ETR_REASON_ONE_SESSION,   /**< the sides are of different sessions */
  ETR_REASON_ONE_RECORDING, /**< fewer than 3 recordings on a side */
  ETR_REASON_TOO_NEAR,      /**< the change is so near the limit, or 0, that it would take more than 50 recordings */
  ETR_REASON_SPREAD,        /**< the recordings differ too much */
} etr_reason;

/** "clock", "few_runs", "one_session", "one_recording", "too_near", "spread"; NULL of none. Static. */
ETR_API const char *etr_reason_name(etr_reason reason);

/** Two times of the same thing, in ticks of the newer profile's clock. */
typedef struct etr_change {
  double base_avg, new_avg; /**< per inference; 0 on a side where it was not timed */
  double base_p50, new_p50; /**< median over the runs in which it ran (of sums, over all runs of the method); with three
                               recordings or more, on both sides if it has both, the geometric mean of the recordings'
                               medians. 0 where it was not timed */
  size_t base_runs, new_runs;             /**< that the medians are over; 0: not timed on that side */
  size_t base_recordings, new_recordings; /**< that these runs are of */
  double relative;                        /**< new_p50 / base_p50 - 1; NaN where one of them is 0 */
  double low, high; /**< the interval of `relative`: -0.043 and 0.132 for -4.3 to +13.2 %. -1 and infinity where it has
                       no bound; NaN where there is no interval: not timed twice, or the reason is the clock or the
                       number of runs */
  etr_verdict verdict;
  etr_reason reason;
  size_t recordings_needed; /**< of a method or load: how many recordings on each side would tell it from the limit,
                               while the interval holds the limit, or else from no change, by what is known now; 0 if it
                               is told, if that is not known, or more than 50 */
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
  etr_change parts[ETR_SIDE_PARTS]; /**< judged one by one; not timed if by_events */
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
      backends; /**< averages of each add up to the nodes' time; largest change of the median first */
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
  double limit;                       /**< of the options; 0: none */
  double recording_noise;             /**< that rule S used */
  bool is_other_session, is_in_turns; /**< of the options */
  bool has_older_document;            /**< a side is_of_older_version */
} etr_comparison;

/**
 * Compares two profiles, which may be the same. Methods are paired by name; where both profiles ran just one, these are
 * paired whatever their names. options: NULL for defaults; not needed later.
 *
 * On success *out is to be closed with etr_comparison_close() before the profiles; on failure it is NULL. Errors:
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_compare(etr_comparison **out, const etr_profile *base, const etr_profile *newer,
                               const etr_compare_options *options, etr_error *error);

/** A document of etr_emit_profile_json(). */
typedef struct etr_document {
  const char *text;
  size_t size;      /**< bytes */
  const char *name; /**< what errors call it; may be NULL */
} etr_document;

/**
 * Compares two documents of etr_emit_profile_json(), as TensorBoard's event files hold them: names, times, verdicts and
 * intervals are those of etr_compare() on the records. Indices of nodes count the document's operators; values that
 * were logged are in no document, so that there are no gaps; methods that neither have a graph nor ran are left out.
 *
 * On success *out is to be closed with etr_comparison_close(); on failure it is NULL. Errors: those of etr_side_read();
 * ETR_ERROR_CHOICE: a method has a graph on one side only, so its events would have to be compared, which a document
 * with a graph does not hold.
 */
ETR_API etr_status etr_compare_documents(etr_comparison **out, const etr_document *base, const etr_document *newer,
                                         const etr_compare_options *options, etr_error *error);

/** Frees the comparison, not the profiles. NULL is allowed. */
ETR_API void etr_comparison_close(etr_comparison *comparison);

#ifdef __cplusplus
}
#endif

#endif
