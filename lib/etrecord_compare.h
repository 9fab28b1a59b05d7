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
 * A comparison is read-only and owns everything that it points to, except for the two profiles,
 * which it borrows: close it before them.
 *
 * Typical times
 * Every change has the *typical time* of both sides (etr_typical_run), which adds up: the typical
 * times of all nodes, plus the parts of the method that are on no node, equal the typical time of
 * Method::execute. Averages add up, too; medians do not. With several recordings the typical time
 * is the mean over those that are not odd (etr_odd_recording).
 *
 * Runs and recordings
 * A *run* is one inference. A *recording* is one ETDump: one process that loaded the program. The
 * runs of a recording share clock speed, placement in memory, temperature and neighbors. More runs
 * make the typical time of a recording more exact, but they say nothing about the next recording.
 * The recording is therefore the unit of a comparison, not the run.
 *
 * When a change counts
 * Times are compared by their natural logarithms, because noise multiplies times. D is the number
 * of recordings of a side, m is the logarithm of a recording's typical time, var is the variance of
 * the m of a side (D - 1 in the denominator), and step is the resolution of the clock in ticks.
 *
 * The obvious comes first. Method::execute surely changed if all runs of one side take at least
 * 4 times as long as all runs of the other, and each side has two runs or more. Of ten runs or more
 * the tenth at either end is left out. A side of fewer than four runs, with its warm-up, may be
 * nothing but warm-up: as many first runs of the other side must then be as far away, too.
 *
 * Rule R applies with three recordings or more on both sides. It is Welch's t-test (1947) over m.
 *   change:   mean(m_new) - mean(m_base)
 *   v:        of each side var(m) / D, at least (step / typical)^2 / 12 / D
 *             (JCGM 100:2008, F.2.2.1)
 *   freedom:  (v_base + v_new)^2 / (v_base^2 / (D_base - 1) + v_new^2 / (D_new - 1)), rounded down,
 *             1 to 200
 *   interval: change -+ t(0.975, freedom) * sqrt(v_base + v_new)
 * If a side has an odd recording, Method::execute has the interval of Hodges and Lehmann (1963)
 * instead, over all recordings: of the sorted differences between an m_new and an m_base it leaves
 * out k at either end, the most with P(U <= k) <= 0.025 by the exact distribution of Mann and
 * Whitney (1947).
 *
 * Rule S applies with fewer recordings on a side, and needs 10 runs on each side. lo and hi are the
 * floor(n / 10)-th smallest and largest of the n runs, counted from 0. Distances to lo and hi
 * replace standard errors. The bounds are combined by the method of Zou and Donner (2008).
 *   change:   ln(typical_new / typical_base)
 *   f:        1.96^2 * (noise^2 * (1 / D_base + 1 / D_new)
 *             + ((step / typical)_base^2 + (step / typical)_new^2) / 12)
 *   interval: change - sqrt(ln(typical_new / lo_new)^2 + ln(hi_base / typical_base)^2 + f)
 *             to change + sqrt(ln(hi_new / typical_new)^2 + ln(typical_base / lo_base)^2 + f)
 * noise is the standard deviation between recordings of one program: what the caller gave
 * (etr_compare_options.recording_noise), or the largest of 0.03, which is assumed, and of those of
 * the sides that have two recordings or more. Nothing inside one recording shows how much the next
 * one differs, so a verdict of rule S is at most likely.
 *
 * Where a part of a side's typical run is interruptions (etr_method.interrupted), the interval of a
 * method contains the change without them, too: interruptions alone make no verdict.
 *
 * Either interval extends at least one step of the clock to both sides, so that a change of one
 * step never counts. The step is the largest power of ten that divides all durations of the
 * method's kernels, or of one backend's operators, in a profile. For example, XNNPACK counts whole
 * microseconds.
 *
 * Recordings that were taken one side after the other differ by whatever changed meanwhile. A
 * verdict of rule R therefore assumes that they were taken in turns. The times of the files decide
 * it if they can be times of recordings, that is, if each is later than the one before by at least
 * the length of its recording: if one side is older than the other, verdicts are likely at best; if
 * the sides alternate, nothing is assumed.
 *
 * If the files' times cannot be, the times count at which the sides' record.json say that they were
 * made (etr_profile.recorded_at).
 *
 * Method::execute and loads are each judged at 5 %. Rows that a reader looks at together, such as
 * all nodes of a method or all its operators, are a family. With rule R the variance of each row,
 * pooled over both sides, is moved towards the variance of the family (Smyth 2004, "moderated t").
 * With rule S the probability of a row is 2 * (1 - Phi(1.96 * |change| / h)), where h is the
 * distance from the change to the bound that is nearer to 0. The level of the family is chosen by
 * the procedure of Benjamini and Hochberg (1995): at most 5 % of the rows that are called slower or
 * faster are expected to be called so by chance. The interval of a row has the level that this
 * procedure chose. A row's verdict is withdrawn if the sum of its operators' medians
 * (etr_side_time.steady) changed the other way or, as a logarithm, by less than a quarter of the
 * change, and by less than half of it if the clock rounded them as far as it can: interruptions in
 * several runs make a sum longer, but no operator.
 *
 * How many recordings would decide is the least N on each side, those that are there included, with
 *   (t(0.975, 2 N - 2) + t(0.80, 2 N - 2)) * s * sqrt(2 / N) < |change - x|
 * where s is the standard deviation of m, pooled over both sides, and x is the limit or 0. So many
 * decide in four of five cases. With fewer than three recordings on a side it is 3.
 *
 * tests/noise measures how often these rules are wrong and which changes they find.
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
  double total; /**< sum over all runs */
  size_t runs; /**< number of runs that the median is over: the runs in which it ran, or all runs of
                  the method for a sum. 0: not timed; all other members are 0 then */
  double typical;   /**< time in the method's typical run, without odd recordings */
  double p50;       /**< median over `runs` */
  double steady;    /**< of a sum, its items' medians together, which single slow runs of an item do
                       not move */
  double rounding;  /**< by how much the clock may have rounded `steady`, in both directions: half a
                       step for each item */
  double low, high; /**< the floor(n / 10)-th shortest and longest of all n runs of the method,
                       counted from 0, in which a run without it counts as 0: the middle 80 % */
  size_t recordings; /**< number of ETDumps that contain such a run */
  double offset;     /**< mean over all recordings of ln(typical time of the recording / typical); 0
                        with one recording, NaN if a recording's typical time is 0 */
  double spread; /**< standard deviation of the logarithms that `offset` is the mean of; 0 with one
                    recording, NaN if a recording's typical time is 0 */
  double step;   /**< resolution of the clock */
} etr_side_time;

/** A recording that differs from the others of its side. */
typedef struct etr_side_odd {
  const char *file; /**< of the ETDump; "" if it is unknown */
  double change;    /**< as in etr_odd_recording */
} etr_side_odd;

/** What only the verdict on Method::execute needs. */
typedef struct etr_side_recordings {
  const double *typical; /**< of each recording, in ticks: odd ones, too */
  size_t count;
  const etr_side_odd *odd; /**< recordings that are left out of typical times */
  size_t odd_count;
  double first[3];    /**< the first runs of the side, warm-up included, in ticks */
  size_t first_count; /**< runs of the side, warm-up included, but at most 4: with more, `first` is
                         not needed */
} etr_side_recordings;

/** When an ETDump was recorded. */
typedef struct etr_side_clocking {
  double written; /**< when its file was last changed, in seconds since 1970; NaN if unknown */
  double length;  /**< from its first event to its last, in seconds */
} etr_side_clocking;

/** An operator of a method's graph, or an event if the method has no graph. Items are in order of
 * execution. */
typedef struct etr_side_item {
  uint32_t node; /**< index into the nodes of the method's Edge graph; ETR_NONE for an event */
  const char *name, *op; /**< name and target of a node; for an event its name with its instruction,
                            "native_call_add.out (3)", and its name alone */
  const char *module;    /**< path of its module; "" for the top level and for events */
  const char
      *pattern; /**< pattern of its module, see etr_module; "" for the top level and for events */
  const char *body;   /**< path of the body of a control-flow operator that it is in, "" for none. A
                         node in a delegate is in the body that calls the delegate */
  const etr_node *of; /**< node whose outputs have the types and shapes of the item; NULL for
                         events, and if `shape` is set */
  const char *shape;  /**< types and shapes as text, on a side that was read from a document; NULL
                         otherwise */
  const char *backend; /**< backend of its delegate; NULL for a kernel, or if it is unknown */
  const char *line; /**< its source line, "model.py:12"; "" if it is unknown. NULL for events, and
                       on a side that was read from a document */
  const char *function, *code; /**< function and text of its source line; NULL for events, and if
                                  the line is unknown */
  const uint32_t
      *producers; /**< indices of the items that compute what it reads, each smaller than its own
                     index; ETR_NONE stands for an input of the method. Weights are not listed */
  size_t producer_count;
  const char *weight; /**< shape of the weight that it reads, as the record stores it: "[64,3,7,7]".
                         If it reads several weights, this is the one with the most dimensions. NULL
                         if it reads none, or if the shape is unknown */
  etr_side_time time;
} etr_side_item;

/** Sum of the items with one key. */
typedef struct etr_side_sum {
  const char *key;     /**< what the items have in common, as in etr_node_group */
  const char *op;      /**< as in etr_node_group */
  const char *backend; /**< as in etr_node_group */
  size_t timed;        /**< number of items that were timed */
  etr_side_time time;
} etr_side_sum;

typedef struct etr_side_sums {
  const etr_side_sum *rows;
  size_t count;
} etr_side_sums;

/** Resolution of a clock. */
typedef struct etr_side_clock {
  const char
      *backend; /**< backend whose operators the clock times; "": kernels and delegate calls */
  double step;  /**< ticks */
} etr_side_clock;

/** An input of a method. */
typedef struct etr_side_input {
  const char *name;
  const char *type; /**< "float32[1,3,64,64]" */
} etr_side_input;

/** Figures of a method that stand beside its time in a table of records. NaN: not known. */
typedef struct etr_side_figures {
  double low, high; /**< of several recordings the least and the most of their typical times; of one
                       recording with five runs or more p10 and p90 of its runs. In ticks */
  double load, first_run; /**< time of the load, and of the first run, warm-up included, in ticks;
                             of several ETDumps the median of their first runs */
  double ms_per_token;
  double delegated_nodes; /**< share of the Edge graph's operators */
  double delegated_time;  /**< share of the typical run without interruptions, calling the
                             delegates included */
  double macs;            /**< multiply-accumulates per inference */
} etr_side_figures;

/** What a comparison needs of one method. */
typedef struct etr_side_method {
  bool has_graph; /**< items are operators. If false, items are events, and everything that only a
                     graph has is empty */
  etr_side_time execute;          /**< time of Method::execute */
  etr_side_recordings recordings; /**< of Method::execute */
  const etr_side_input *inputs;
  size_t input_count;
  const char *dtypes; /**< types that its operators compute in, floating-point or of 8 bits:
                         "float32, int8" */
  const char *const
      *weights; /**< shapes of its weights with two dimensions or more: "[64,3,7,7]" */
  size_t weight_count;
  const etr_side_item *items;
  size_t item_count;
  etr_side_sums ops, modules, patterns, backends,
      sources; /**< sums of the items. Events have neither modules, patterns nor source lines, and
                  documents have no source lines */
  etr_side_sums pattern_ops; /**< sums of each operator in the modules of a pattern */
  etr_side_sums module_trees, pattern_trees; /**< sums of modules and of patterns with everything
                                                below them, of the empty path too */
  etr_side_sums kernels; /**< sums of kernels and operators of delegates by name and backend, on
                            nodes and on none; documents have none */
  etr_side_sums parts;   /**< the parts of Method::execute: `key` is the name of the part, `backend`
                            as in etr_part_time, and the step is that of its backend's clock. Old
                            documents have none */
  const etr_side_clock *clocks;
  size_t clock_count;
  etr_side_figures figures; /**< of a document; on a side that was made of a profile all are NaN,
                               since etr_record_set_add() finds them */
} etr_side_method;

/** An event of a load, over all its occurrences. */
typedef struct etr_side_load {
  const char *name; /**< "Method::init" */
  etr_side_time time;
} etr_side_load;

/** What a comparison needs of one side: times and their spread, but no single runs. Read-only. */
typedef struct etr_side {
  const etr_profile *profile; /**< the profile that the side was made of. If the side was read from
                                 a document, it has only the clock, when it was recorded, and the
                                 names, runs, noise and balances of the methods */
  const etr_side_method *methods; /**< one for each method of the profile, in its order */
  const etr_side_load *loads;
  size_t load_count;
  const etr_side_clocking *clockings; /**< one for each ETDump; of a document all are unknown, so
                                         that what is written does not depend on when a file was
                                         copied: it has profile->recorded_at */
  size_t clocking_count;
  const char
      *first_dump;     /**< path of an ETDump, of a document only its end; NULL if there is none */
  bool is_of_document; /**< the side was made by etr_side_read() */
  double pte_bytes, planned_bytes; /**< of a document: size of the program's file, and planned
                                      memory of all methods together; NaN if they are not known */
} etr_side;

/** Makes a side of a profile, which it borrows: close the side before the profile. On failure *out
 * is NULL. Errors: ETR_ERROR_MEMORY. */
ETR_API etr_status etr_side_open(etr_side **out, const etr_profile *profile, etr_error *error);

/** Makes a side that has only the clocks of each method, which takes far less time. Otherwise like
 * etr_side_open(). */
ETR_API etr_status etr_side_open_clocks(etr_side **out, const etr_profile *profile,
                                        etr_error *error);

/**
 * Makes a side of a document that etr_emit_profile_json() wrote. The document has `size` bytes,
 * which are not needed after the call. `name` is the file that errors name; it may be NULL. On
 * failure *out is NULL. Errors: ETR_ERROR_FORMAT (this is no such document, or it is damaged),
 * ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_side_read(etr_side **out, const char *document, size_t size,
                                 const char *name, etr_error *error);

/** Frees the side, not its profile. NULL is allowed. */
ETR_API void etr_side_close(etr_side *side);

/* ---- Comparisons ---- */

/** How much data it takes to detect a change. */
enum {
  ETR_LEAST_RECORDINGS = 3, /**< recordings on both sides for rule R: with two there is one degree
                               of freedom, and the interval is 12.7 standard errors wide */
  ETR_LEAST_RUNS = 10, /**< runs on both sides for rule S: with 5 runs, two modes that alternate in
                          stretches are taken for a change in 23 % of pairs */
  ETR_MOST_RECORDINGS =
      50, /**< recordings on each side: a comparison that needs more is not worth making */
};

/** How to compare. Zeroed means defaults. */
typedef struct etr_compare_options {
  double limit; /**< changes within this limit are equal: 0.05 for 5 %. 0 or less: no limit */
  double recording_noise; /**< assumed standard deviation between recordings of one program, which
                             rule S uses: 0.01 for 1 %. 0: the default, 0.03 */
  bool is_in_turns; /**< the recordings are known to have been taken in turns: the times of their
                       files are not asked */
} etr_compare_options;

/** The result of comparing two times. */
typedef enum etr_verdict {
  ETR_VERDICT_UNTIMED, /**< it exists on both sides, but was not timed on both. If one side has a
                          time, the other side fused it into another node, or its backend records no
                          times there */
  ETR_VERDICT_GONE,    /**< it exists in the base only */
  ETR_VERDICT_NEW,     /**< it exists in the newer profile only */
  ETR_VERDICT_CANNOT_TELL, /**< the interval contains 0; etr_change.reason says why no more is known
                            */
  ETR_VERDICT_LIKELY_EQUAL, /**< as the following three, if what etr_change assumes is true */
  ETR_VERDICT_EQUAL,        /**< the interval contains 0 and lies within the limit */
  ETR_VERDICT_LIKELY_FASTER,
  ETR_VERDICT_LIKELY_SLOWER,
  ETR_VERDICT_FASTER, /**< the interval lies below 0, or it is obvious */
  ETR_VERDICT_SLOWER, /**< the interval lies above 0, or it is obvious */
} etr_verdict;

/** Returns the name of a verdict: "untimed", "gone", "new", "cannot_tell", "likely_equal", "equal",
 * "likely_faster", "likely_slower", "faster", "slower". Static. */
ETR_API const char *etr_verdict_name(etr_verdict verdict);

/** Returns true for verdicts that are likely, but not sure. */
ETR_API bool etr_verdict_is_likely(etr_verdict verdict);

/** Why the data do not surely decide whether something changed. If several reasons apply, the first
 * one counts. */
typedef enum etr_reason {
  ETR_REASON_NONE,  /**< the verdict is sure */
  ETR_REASON_CLOCK, /**< a time, or that of a recording, is 0 or below the step of the clock; or one
                       step of the clock adds more uncertainty than the runs and recordings do */
  ETR_REASON_FEW_RUNS,      /**< a side has fewer than 10 runs and fewer than 3 recordings */
  ETR_REASON_ONE_RECORDING, /**< a side has fewer than 3 recordings */
  ETR_REASON_NOT_IN_TURNS,  /**< by the times of the files, one side is older than the other */
  ETR_REASON_TOO_NEAR, /**< the change is so near to the limit, or to 0, that it would take more
                          than 50 recordings to decide, although the bounds are less than 10 % away
                          from it */
  ETR_REASON_SPREAD,   /**< the recordings differ too much */
} etr_reason;

/** Returns the name of a reason: "clock", "few_runs", "one_recording", "not_in_turns", "too_near",
 * "spread". NULL for ETR_REASON_NONE. Static. */
ETR_API const char *etr_reason_name(etr_reason reason);

/** What is seen in the runs of either side that explains why the data do not surely decide. If
 * several causes apply, the first one counts. */
typedef enum etr_cause {
  ETR_CAUSE_NONE,          /**< none is seen, or the verdict is sure */
  ETR_CAUSE_ODD_RECORDING, /**< a recording differs from the others of its side */
  ETR_CAUSE_WARM_UP,       /**< so many first runs are warm-up that too few are left */
  ETR_CAUSE_INTERRUPTIONS, /**< a part of a side's typical run is interruptions (etr_method) */
  ETR_CAUSE_MODES,         /**< the runs have two modes */
  ETR_CAUSE_STEP,          /**< from one run on they take longer, or shorter */
  ETR_CAUSE_DRIFT,         /**< they drift */
} etr_cause;

/** Returns the name of a cause: "odd_recording", "warm_up", "modes", "step", "drift". NULL for
 * ETR_CAUSE_NONE. Static. */
ETR_API const char *etr_cause_name(etr_cause cause);

/** How a verdict may be wrong. */
enum {
  ETR_ASSUMES_IN_TURNS = 1,        /**< it assumes that the recordings were taken in turns */
  ETR_ASSUMES_RECORDING_NOISE = 2, /**< it assumes by how much recordings of one program differ */
};

/** Two times of the same thing, in ticks of the newer profile's clock. */
typedef struct etr_change {
  double base_typical, new_typical; /**< typical time; 0 on a side where it was not timed */
  double base_avg, new_avg; /**< average per inference; 0 on a side where it was not timed */
  double base_p50, new_p50; /**< median over the runs in which it ran, or over all runs of the
                               method for a sum. 0 on a side where it was not timed */
  size_t base_runs,
      new_runs; /**< number of runs that the medians are over; 0: not timed on that side */
  size_t base_recordings, new_recordings; /**< number of recordings that contain these runs */
  double relative;  /**< new_typical / base_typical - 1; NaN if one of them is 0 */
  double low, high; /**< interval of `relative`: -0.043 and 0.132 stand for -4.3 to +13.2 %. A bound
                       that does not exist is -1 or infinity. Both are NaN if there is no interval,
                       because it was not timed on both sides, because the change is obvious, or
                       because the reason is the clock or the number of runs */
  etr_verdict verdict;
  bool is_obvious;    /**< all runs of one side take at least 4 times as long as all of the other */
  double least, most; /**< of an obvious change the bounds of `relative` by the fastest and slowest
                         recordings of both sides; one recording is as far from others as twice the
                         noise of rule S. Else NaN */
  etr_reason reason;
  etr_cause cause;                        /**< of Method::execute */
  unsigned assumes;                       /**< ETR_ASSUMES_…, of an interval */
  double recording_noise;                 /**< noise of rule S; 0 by rule R */
  const etr_side_odd *base_odd, *new_odd; /**< of Method::execute: recordings that differ from the
                                             others of their side; they are in the verdict, but not
                                             in typical times */
  size_t base_odd_count, new_odd_count;
  size_t recordings_needed; /**< for a method or load: number of recordings on each side, in all,
                               that would distinguish the change from the limit if the interval
                               contains the limit, or else from no change, in four of five cases; 3
                               where a side has fewer. 0 if the change is decided, if the number is
                               not known, or if it is more than 50 */
} etr_change;

/**
 * How two nodes were found to be the same. Every rule requires the same operator, or another name
 * that lowerings give to it: a linear layer is aten.addmm in a record of portable kernels and
 * aten.linear in one of XNNPACK. "Module" includes the body of a control-flow operator. Nodes
 * inside a lowered module count as if they were at the call of their delegate. Rules are tried from
 * the surest to the weakest: first the same module, source line, producers and consumers, then less
 * and less of it, and finally names, shapes and the order between pairs that are sure. Numbers in
 * names shift when a node is inserted, so names count only if all names of a module are on both
 * sides.
 *
 * Numbers in the paths of modules shift, too: a layer that is inserted at features.4 turns the old
 * features.4 into features.5. If modules with the same numbered path have different weights or
 * operators, all numbered children of their parent are aligned in order, by the weights and
 * operators that they contain. A module is then the same although its path is not. If equal layers
 * are inserted or removed, nothing says which ones, so paths decide as far as they can.
 *
 * A contradiction forbids a pair, whatever the rule. These are contradictions:
 * - Both nodes are layers (products, convolutions, norms, embeddings) with weights of different
 * shapes. A layer whose width was changed is therefore gone and new, and so are operators next to
 * it whose outputs have other shapes.
 * - Both nodes are layers with a weight, and the module of one is on both sides but is not the
 * module of the other.
 * - Their outputs, or what they read, have different shapes, and nothing explains the difference.
 * It is explained by an input of the method, a cache or a mask that has another shape, or by an
 * operator with another output and the same weight (a stride was changed) or no input at all, as an
 * arange over the context; the outputs must then have the same number of dimensions. Types do not
 * matter. What a node multiplies and adds follows from the shapes of its weight, of what it reads
 * and of its output.
 * - They are on the same source line of the same module (by its text, because line numbers shift),
 * and neither their producers nor their consumers are operators of the same kinds, unless the
 * operator is the only one of its kind there. If they are on different source lines, both producers
 * and consumers must be of the same kinds, or one of them if the operator is the only one of its
 * kind in the module. Operators that move, convert or quantize data are skipped when producers and
 * consumers are determined.
 *
 * Unknown shapes, such as symbolic sizes, and unknown weights contradict nothing. Neither do
 * weights and what is read if one of the nodes reads fewer computed values: a lowering folded the
 * others.
 */
typedef enum etr_pair_rule {
  ETR_PAIR_NONE,   /**< not paired */
  ETR_PAIR_NAME,   /**< the name and the module, whose path may have shifted */
  ETR_PAIR_SHAPE,  /**< the module and the output shapes; the name differs */
  ETR_PAIR_MODULE, /**< the module and the order in it; name and shapes differ */
  ETR_PAIR_FLOW,   /**< the producers and consumers, three operators deep; the module differs */
  ETR_PAIR_ORDER,  /**< the output shapes and the order; the module differs */
} etr_pair_rule;

/** Returns the name of a rule: "none", "name", "shape", "module", "flow", "order". Static. */
ETR_API const char *etr_pair_rule_name(etr_pair_rule rule);

/** An operator of the model on both sides, or on one side only. If a side has no graph, it is an
 * event instead of a node. */
typedef struct etr_node_pair {
  uint32_t base_node, new_node; /**< indices into the nodes of the Edge graphs of both methods;
                                   ETR_NONE on a side where it is missing, and for events */
  etr_pair_rule rule;
  const char *base_name,
      *new_name;  /**< names of the nodes, or of the events with their instruction:
                     "native_call_add.out (3)"; NULL on a side where it is missing */
  const char *op; /**< target of the node, or name of the event */
  const char *base_module, *new_module; /**< paths of the modules; "" for the top level and for
                                           events; NULL on a side where it is missing */
  const char *base_backend,
      *new_backend; /**< NULL for a kernel, if the backend is unknown, or if it is missing;
                       ETR_UNKNOWN_BACKEND for an event in a delegate without a name */
  etr_change change;
} etr_node_pair;

/** Sum of the nodes with one key. */
typedef struct etr_node_group {
  /** What the nodes have in common: the operator; the path or the pattern of the module, "" for the
   * top level; the backend, "cpu" for kernels and ETR_UNKNOWN_BACKEND for events in a delegate
   * without a name; the source line, "model.py:12", "" if it is unknown; or the name of the kernel.
   */
  const char *key;
  const char *base_key; /**< of a module or a pattern that has another name in the base, because the
                           nodes that were paired show that it is this one; NULL of others. The key
                           of one that only the base has, of a name that another one has on the
                           newer side, ends with " (base)". */
  const char *op;      /**< of the sum of an operator in the modules of a pattern; NULL of others */
  const char *backend; /**< of a kernel or a part; NULL outside delegates, and for other sums */
  size_t base_nodes, new_nodes;               /**< that were timed */
  etr_change change;                          /**< change of their sum */
  const struct etr_node_group *with_children; /**< of a module or a pattern: with everything below
                                                 it, which is itself if no timed node is below;
                                                 NULL of others */
} etr_node_group;

typedef struct etr_node_groups {
  const etr_node_group *rows;
  size_t count;
} etr_node_groups;

/**
 * A value that both sides logged. The base is the reference. Values are paired by node, or by
 * output for what the method returns. If both sides call the same delegates at the same
 * instructions, or there are no graphs, values are also paired by instruction. The k-th run that
 * logged values is paired with the k-th such run of the other side; whether both had the same
 * inputs is not recorded. If there are several pairs of runs, this is the worst one: first by
 * values that are NaN or infinite on one side only, then by the lowest SNR.
 */
typedef struct etr_value_gap {
  const etr_debug_value *base, *newer; /**< values of the worst pair of runs */
  uint32_t pair; /**< index into etr_method_pair.pairs; ETR_NONE for what the method returns, and
                    for a value of which only the instruction is known */
  size_t run_pairs;
  const char *problem; /**< why the values could not be compared, such as a missing debug buffer or
                          another shape; NULL if they were compared */
  etr_numeric_gap gap; /**< the result, if they were compared */
} etr_value_gap;

/** A difference that may make the times of two methods incomparable. */
typedef enum etr_difference_kind {
  ETR_DIFFERS_MODEL,   /**< the models, see etr_method_pair.may_differ */
  ETR_DIFFERS_INPUT,   /**< the shapes, the types or the number of the method's inputs */
  ETR_DIFFERS_DTYPE,   /**< the number types that operators compute in */
  ETR_DIFFERS_BACKEND, /**< the backends that operators are lowered to */
  ETR_DIFFERS_THREADS, /**< the runtime's threads, as record.json of both sides says */
} etr_difference_kind;

/** Returns the name of a kind: "model", "input", "dtype", "backend", "threads". Static. */
ETR_API const char *etr_difference_name(etr_difference_kind kind);

typedef struct etr_difference {
  etr_difference_kind kind;
  const char *name;         /**< name of the input; NULL for other kinds */
  const char *base, *newer; /**< what each side has: "float32[1,3,64,64]", "float32, int8",
                               "XnnpackBackend". NULL for models, and if a side has none */
} etr_difference;

/** The side of a method that alone names no backends of its delegates, as an ETDump alone. If there
 * is one, pairs are events, and delegates of both sides are of ETR_UNKNOWN_BACKEND. */
typedef enum etr_unnamed_side {
  ETR_UNNAMED_NEITHER, /**< both sides name them, neither does, or a side calls no delegates */
  ETR_UNNAMED_BASE,
  ETR_UNNAMED_NEWER,
} etr_unnamed_side;

/** A method of both profiles, or of one profile only. */
typedef struct etr_method_pair {
  const char *name; /**< "" if neither side knows it */
  uint32_t base_method,
      new_method; /**< indices into the profiles' methods; ETR_NONE on a side where it is missing */
  bool by_events; /**< true if a side has no graph with times, or one that of a .pte and the other
                     that of an ETRecord: pairs are events then, which add up to the parts of
                     operators, and there are no modules, patterns and source lines */
  etr_unnamed_side unnamed_side;
  etr_change execute;         /**< Method::execute */
  const etr_node_pair *pairs; /**< operators of the newer graph in its order, then the removed
                                 operators in the order of the base */
  size_t pair_count;
  size_t timed_nodes;  /**< number of timed nodes of both sides together */
  size_t timed_paired; /**< number of timed nodes that have a partner */
  bool may_differ; /**< true if these may be different models: fewer than half of the weights have
                      the same shapes and types and fewer than half of the timed nodes match, or no
                      timed node matches. Without weights on both sides it is
                      true if fewer than a quarter of the timed nodes match, or if fewer than half
                      of them match and fewer than half of the timed modules below the top level
                      were timed on both sides. False if only events are compared and a side has
                      none, or the backends differ: these cannot match, whatever the models are */
  const etr_difference *differences; /**< filled for a method on both sides */
  size_t difference_count;
  const etr_value_gap *gaps; /**< values that both sides logged, in the newer side's order */
  size_t gap_count;
  etr_node_groups ops, modules, patterns, backends,
      sources; /**< the typical times of each list add up to those of the pairs; sorted by the
                  change of the typical time, the largest first */
  etr_node_groups pattern_ops; /**< each operator in the modules of a pattern */
  etr_node_groups modules_above,
      patterns_above; /**< modules and patterns that have timed nodes only below them, the largest
                         change first; their own change is untimed */
  etr_node_groups kernels; /**< kernels and operators of delegates, on nodes and on none: they add
                              up to the parts operators, operators_unplaced and inserted */
  etr_node_groups parts;   /**< the parts of Method::execute, as in etr_side_method */
} etr_method_pair;

/** An event of a load, which is not part of an inference. */
typedef struct etr_load_pair {
  const char *name; /**< "Method::init" */
  etr_change change;
} etr_load_pair;

/** Whether the recordings of a comparison were taken in turns. */
typedef enum etr_turns {
  ETR_TURNS_UNKNOWN,
  ETR_TURNS_YES,        /**< the options, or the times of the files, say so */
  ETR_TURNS_BASE_FIRST, /**< by the times of the files, all of the base are older than all of the
                           newer side */
  ETR_TURNS_NEW_FIRST,
} etr_turns;

/** Returns the name as written in JSON: "unknown", "yes", "base_first", "new_first". Static. */
ETR_API const char *etr_turns_name(etr_turns turns);

/** The comparison of two profiles. Read-only. */
typedef struct etr_comparison {
  const etr_profile *base, *newer; /**< for documents with as much as etr_side.profile has */
  double base_scale; /**< ticks of the newer profile's clock per tick of the base's clock */
  const etr_method_pair
      *methods; /**< in the order of the newer profile, then the removed methods */
  size_t method_count;
  const etr_load_pair *loads;
  size_t load_count;
  double limit;           /**< the limit of the options; 0: none */
  double recording_noise; /**< the least value that rule S used */
  etr_turns turns;        /**< whether the recordings were taken in turns */
  bool is_one_program;    /**< both sides are recordings of one record, and no noise was given: of
                             too few recordings, none is faster or slower */
} etr_comparison;

/**
 * Compares two profiles, which may be the same one. Methods are paired by name. If both profiles
 * ran exactly one method, these two are paired whatever their names are. `options` may be NULL for
 * the defaults and is not needed after the call.
 *
 * On success close *out with etr_comparison_close() before you close the profiles. On failure *out
 * is NULL. Errors: ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_compare(etr_comparison **out, const etr_profile *base,
                               const etr_profile *newer, const etr_compare_options *options,
                               etr_error *error);

/** Compares two sides that were made of profiles, as etr_compare() does. Both are borrowed: close
 * the comparison before them. */
ETR_API etr_status etr_compare_sides(etr_comparison **out, const etr_side *base,
                                     const etr_side *newer, const etr_compare_options *options,
                                     etr_error *error);

/** A document of etr_emit_profile_json(). */
typedef struct etr_document {
  const char *text;
  size_t size;      /**< bytes */
  const char *name; /**< file that errors name; may be NULL */
} etr_document;

/**
 * Compares two documents of etr_emit_profile_json(), which TensorBoard's event files contain.
 * Names, averages, medians and verdicts are the same as those of etr_compare() on the records;
 * typical times and intervals are the same to a picosecond.
 * Indices of nodes count the operators of the document. Documents do not contain logged values, so
 * there are no gaps. Methods that have no graph and did not run are left out.
 *
 * On success close *out with etr_comparison_close(). On failure *out is NULL. Errors: those of
 * etr_side_read(), and ETR_ERROR_CHOICE if a method has a graph on one side only: its events would
 * have to be compared, and a document with a graph does not contain events.
 */
ETR_API etr_status etr_compare_documents(etr_comparison **out, const etr_document *base,
                                         const etr_document *newer,
                                         const etr_compare_options *options, etr_error *error);

/** Whether a change is above a limit. */
typedef enum etr_limit_answer {
  ETR_LIMIT_OPEN, /**< the data do not surely decide it */
  ETR_LIMIT_ABOVE,
  ETR_LIMIT_BELOW,
} etr_limit_answer;

/** Returns whether the change of a method is surely above the limit of the comparison's options, or
 * surely below it. What is only likely leaves it open. */
ETR_API etr_limit_answer etr_change_against_limit(const etr_comparison *comparison,
                                                  const etr_change *change);

/** Frees the comparison, but not the profiles. NULL is allowed. */
ETR_API void etr_comparison_close(etr_comparison *comparison);

/* ---- Several profiles against one base ---- */

/**
 * Verdicts on several comparisons with one base. Each method is judged as by etr_compare(), but
 * with several comparisons its changes are a family: the procedure of Holm (1979) keeps the
 * probability at 5 % that any of them is called slower or faster by chance. The change with the
 * least probability of k changes is judged at 5 % / k, the next one at 5 % / (k - 1), and so on,
 * until one is not decided. The intervals have these levels, too.
 *
 * Nothing of a comparison is borrowed: it may be closed, with its newer profile, as soon as it was
 * added.
 */
typedef struct etr_verdicts etr_verdicts;

/** Makes an object without changes. `options` are those of the comparisons; NULL: the defaults. On
 * success close it with etr_verdicts_close(). Errors: ETR_ERROR_MEMORY. */
ETR_API etr_status etr_verdicts_open(etr_verdicts **out, const etr_compare_options *options,
                                     etr_error *error);

/** Adds the change of a method, an index into the methods of the comparison. Sets *index to the
 * number of the change, from 0. Errors: ETR_ERROR_MEMORY. */
ETR_API etr_status etr_verdicts_add(etr_verdicts *verdicts, const etr_comparison *comparison,
                                    size_t method, size_t *index, etr_error *error);

/** Judges all changes that were added. Until then each has the verdict that its comparison gave.
 * Errors: ETR_ERROR_MEMORY. */
ETR_API etr_status etr_verdicts_judge(etr_verdicts *verdicts, etr_error *error);

/** Returns a change, in ticks of its newer profile's clock. It lives as long as the object. */
ETR_API const etr_change *etr_verdicts_change(const etr_verdicts *verdicts, size_t index);

/** Returns whether a change is above the limit of the options, as etr_change_against_limit() does.
 */
ETR_API etr_limit_answer etr_verdicts_against_limit(const etr_verdicts *verdicts, size_t index);

/** Frees the object. NULL is allowed. */
ETR_API void etr_verdicts_close(etr_verdicts *verdicts);

/* ---- Programs: their bytes and their structure ---- */

/** What became of a part of a program's file. */
typedef enum etr_part_verdict {
  ETR_PART_SAME,    /**< both programs have these bytes, of the same type */
  ETR_PART_CHANGED, /**< the bytes or the type differ; the name or place in the model is the same */
  ETR_PART_ADDED,
  ETR_PART_REMOVED,
} etr_part_verdict;

/** Returns the name of a verdict as written in JSON: "same", "changed", "added", "removed". The
 * string is static. */
ETR_API const char *etr_part_verdict_name(etr_part_verdict verdict);

/** A part of either file, or of both; padding is left out. */
typedef struct etr_part_change {
  etr_part_verdict verdict;
  const etr_file_part *base, *newer; /**< NULL: that program does not have it */
} etr_part_change;

/** What is counted in each method. */
typedef enum etr_structure_kind {
  ETR_STRUCTURE_INSTRUCTIONS,
  ETR_STRUCTURE_OPERATOR, /**< calls of one kernel, "aten.add.out", or control flow,
                             "control.jump_false" */
  ETR_STRUCTURE_DELEGATE, /**< calls of delegates of one backend */
  ETR_STRUCTURE_INSIDE,   /**< operators of one kind in delegates whose payload can be read */
  ETR_STRUCTURE_PLANNED,  /**< bytes of planned memory */
} etr_structure_kind;

/** Returns the name of a kind as written in JSON: "instructions", "operator", "delegate", "operator
 * in delegates", "planned bytes". The string is static. */
ETR_API const char *etr_structure_kind_name(etr_structure_kind kind);

/** How often something is in one method of each program. */
typedef struct etr_structure_change {
  const char *method;
  etr_structure_kind kind;
  const char *name; /**< of the operator or backend; "" for instructions and planned bytes */
  uint64_t base_count, new_count;
} etr_structure_change;

/** The comparison of two programs. Read-only. */
typedef struct etr_program_diff {
  const etr_profile *base, *newer;
  const etr_structure_change
      *structure; /**< by method, then kind, then name; also what did not change */
  size_t structure_count;
  const etr_part_change *parts; /**< what differs first, then by size, the largest first */
  size_t part_count;
} etr_program_diff;

/**
 * Compares the programs of two profiles, which were opened without ETR_WITHOUT_MEMORY and without
 * `edge_only`. Reads the files again, to compare their bytes. Parts are paired by their bytes, then
 * by names, then in order within a module.
 *
 * On success close *out with etr_program_diff_close() before you close the profiles. On failure
 * *out is NULL. Errors: ETR_ERROR_CHOICE (a profile has no program), ETR_ERROR_IO, ETR_ERROR_FORMAT
 * (an ETRecord that contains the program), ETR_ERROR_MEMORY.
 */
ETR_API etr_status etr_program_diff_open(etr_program_diff **out, const etr_profile *base,
                                         const etr_profile *newer, etr_error *error);

/** Frees the comparison, but not the profiles. NULL is allowed. */
ETR_API void etr_program_diff_close(etr_program_diff *diff);

#ifdef __cplusplus
}
#endif

#endif
