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
 * A comparison is read-only and lends everything it points to, as a profile does. It borrows both profiles: close it before them.
 *
 * Averages and medians
 * Every change has both. *Averages* (per inference: total over all runs / runs) add up: the changes of all nodes and those of the method's
 * delegate_only, framework and unexplained time are the change of the average of Method::execute. Averages also count what happens once, such as a
 * cold first run; so whether something changed is told from *medians* over the runs, which do not add up.
 *
 * Noise
 * The standard error of a median of n runs is taken as 1.2533 * s / sqrt(n), where s = 1.4826 * b(n) * MAD: the median distance from the median,
 * made consistent with the standard deviation of normal samples (Hampel 1974; b(n) for few samples: Croux and Rousseeuw, "Time-efficient algorithms
 * for two highly robust estimators of scale", 1992; 1.2533 = sqrt(pi / 2), the price of the median: Kendall and Stuart). Both sides' errors and what
 * the clock's step leaves open (step / sqrt(12): JCGM 100:2008, F.2.2.1) add in quadrature; the change divided by the sum is compared with Student's
 * t of the smaller number of runs less one degrees of freedom, which errs towards "within noise". Where many rows are looked at together (all nodes
 * of a method; all its operators, ...) the level is that of Benjamini and Hochberg (1995): of the rows found to have changed, at most 5 % are
 * expected to be there by chance; etr_change.noise is the interval of the same level (Benjamini and Yekutieli 2005). Method::execute stands for
 * itself, at 5 %. A change of a clock step or less is always within noise. The step is the largest power of ten that divides all durations of the
 * method's kernels, or of one backend's operators (XNNPACK counts whole microseconds), in a profile.
 *
 * This knows the spread of the runs *within* each recording. It does not know what differed between the recordings: clock frequency, temperature,
 * other load, placement in memory. Recordings that are to be compared should be taken in turns on a quiet machine.
 */
#ifndef ETRECORD_COMPARE_H
#define ETRECORD_COMPARE_H

#include "etrecord.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What can be said of a change. */
typedef enum etr_verdict {
  ETR_VERDICT_UNTIMED,  /**< timed on neither side */
  ETR_VERDICT_GONE,     /**< only in the base */
  ETR_VERDICT_NEW,      /**< only in the newer profile */
  ETR_VERDICT_ONE_SIDE, /**< on both sides, timed on one: it was fused into another node, or its backend tells no times */
  ETR_VERDICT_FEW_RUNS, /**< fewer than 3 runs on a side: it cannot be told from noise */
  ETR_VERDICT_WITHIN_NOISE,
  ETR_VERDICT_FASTER,
  ETR_VERDICT_SLOWER,
} etr_verdict;

/** "untimed", "gone", "new", "one_side", "few_runs", "within_noise", "faster", "slower". Static. */
ETR_API const char *etr_verdict_name(etr_verdict verdict);

/** Two times of the same thing, in ticks of the newer profile's clock. */
typedef struct etr_change {
  double base_avg, new_avg;   /**< per inference; 0 on a side where it was not timed */
  double base_p50, new_p50;   /**< median over the runs in which it ran; of sums, over all runs of the method. 0 likewise */
  size_t base_runs, new_runs; /**< that the medians are over; 0: not timed on that side */
  double noise;               /**< a change of medians by more than this is beyond the noise; negative where that cannot be told */
  etr_verdict verdict;
} etr_change;

/**
 * How two nodes were found to be the same. Every rule wants the same operator. "Module" includes the body of a control-flow operator; nodes inside
 * a lowered module count as if they stood where the delegate's call stands. Rules are tried from the surest to the weakest, in this order:
 * the module's nodes of that operator have the same names on both sides (numbers in names shift when a node is put in, so names alone tell nothing);
 * as many with the same shapes; as many; then in order, what stands between pairs that are sure: same module and shapes, same shapes, same module.
 */
typedef enum etr_pair_rule {
  ETR_PAIR_NONE,   /**< not paired */
  ETR_PAIR_NAME,   /**< name and module */
  ETR_PAIR_SHAPE,  /**< module and output shapes; the name differs */
  ETR_PAIR_MODULE, /**< module, and order in it; name and shapes differ */
  ETR_PAIR_ORDER,  /**< output shapes and order; the module differs */
} etr_pair_rule;

/** "none", "name", "shape", "module", "order". Static. */
ETR_API const char *etr_pair_rule_name(etr_pair_rule rule);

/** One operator of the model on both sides, or on one; where a side has no graph, one event instead of a node. */
typedef struct etr_node_pair {
  uint32_t base_node, new_node; /**< indices into the nodes of both methods' Edge graphs; ETR_NONE where it is missing, and of events */
  etr_pair_rule rule;
  const char *base_name, *new_name;       /**< of the nodes, or of the events with their instruction: "native_call_add.out (3)"; NULL where missing */
  const char *op;                         /**< target of the node; name of the event */
  const char *base_module, *new_module;   /**< paths, "" for the model itself and of events; NULL where missing */
  const char *base_backend, *new_backend; /**< NULL where it runs as a kernel, that is unknown, or it is missing; "delegate": of an event, in one
                                               without name */
  etr_change change;
} etr_node_pair;

/** Nodes with something in common. */
typedef struct etr_node_group {
  /** Operator; path of the module, "" for the model itself; backend, "cpu" for kernels, "delegate" for events in one without name. */
  const char *key;
  size_t base_nodes, new_nodes; /**< that were timed */
  etr_change change;            /**< of their sum */
} etr_node_group;

typedef struct etr_node_groups {
  const etr_node_group *rows;
  size_t count;
} etr_node_groups;

/**
 * A value that both sides logged, the base taken as the reference. Values are paired by node (or as what the method returns; by instruction, where
 * both sides have the same delegates at the same instructions, or there are no graphs), and the k-th run that logged values with the other side's
 * k-th: that these had the same inputs is not recorded. Of several pairs of runs it is the worst: what is NaN or infinite on one side only, then the
 * lowest SNR.
 */
typedef struct etr_value_gap {
  const etr_debug_value *base, *newer; /**< of the worst pair of runs */
  uint32_t pair; /**< index into etr_method_pair.pairs; ETR_NONE: what the method returns, or what is known by its instruction only */
  size_t run_pairs;
  const char *problem; /**< why they could not be compared (no debug buffer, another shape); NULL if they were */
  etr_numeric_gap gap; /**< if they were */
} etr_value_gap;

/** A method of both profiles, or of one. */
typedef struct etr_method_pair {
  const char *name;                 /**< "" if no side tells it */
  uint32_t base_method, new_method; /**< indices into the profiles' methods; ETR_NONE where it is missing */
  bool by_events;                   /**< a side has no graph with times: pairs are of events, and there are no modules */
  etr_change execute;               /**< Method::execute */
  const etr_node_pair *pairs;       /**< operators of the newer graph in its order, then those that are gone in theirs */
  size_t pair_count;
  size_t timed_nodes;        /**< of both sides together */
  size_t timed_paired;       /**< those of them that have a partner */
  bool may_differ;           /**< these may be different models: less than half of the timed nodes line up, and less than half of the
                                  modules that were timed were so on both sides */
  const etr_value_gap *gaps; /**< values that both sides logged, in the newer side's order */
  size_t gap_count;
  etr_node_groups ops, modules, backends; /**< each adds up to the nodes' time; largest change of the average first */
} etr_method_pair;

/** A load event: no part of an inference. */
typedef struct etr_load_pair {
  const char *name; /**< "Method::init" */
  etr_change change;
} etr_load_pair;

/** Two profiles, lined up. Read-only. */
typedef struct etr_comparison {
  const etr_profile *base, *newer;
  double base_scale;              /**< ticks of the newer profile's clock in a tick of the base's */
  const etr_method_pair *methods; /**< in the newer profile's order, then those that are gone */
  size_t method_count;
  const etr_load_pair *loads;
  size_t load_count;
} etr_comparison;

/**
 * Compares two profiles, which may be the same. Methods are paired by name; where both profiles ran just one, these are paired whatever their names.
 *
 * On success *out is to be closed with etr_comparison_close() before the profiles; on failure it is NULL. Errors: ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_compare(etr_comparison **out, const etr_profile *base, const etr_profile *newer, etr_error *error);

/** Frees the comparison, not the profiles. NULL is allowed. */
ETR_API void etr_comparison_close(etr_comparison *comparison);

#ifdef __cplusplus
}
#endif

#endif
