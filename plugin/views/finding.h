/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding.h - a finding about a method: what to do next. Layer 4.
 *
 * A finding is an action: what to change, why, what it could save, and how sure that is. Its title
 * is an imperative. Its times are those of the typical run, unless it is about single runs. The
 * saving is a range for this finding alone: those of several findings overlap where they are about
 * the same operators or delegates, and then the later finding names the earlier ones. A finding
 * about accuracy has no times and comes first: wrong results matter more than slow ones.
 */
#ifndef ETR_FINDING_H
#define ETR_FINDING_H

#include "base/arena.h"
#include "etrecord_tb.h"

/** Address of the documents: a program that was installed alone has none of them beside it. */
#define ETR_DOCS "https://example.org/etrecord-tb/docs/"

typedef enum etr_finding_kind {
  ETR_FINDING_FALLBACK,      /* kernels between delegates of a backend, which cut them apart */
  ETR_FINDING_NOT_DELEGATED, /* kernels that a known partitioner takes, not between delegates */
  ETR_FINDING_LIBRARY, /* kernels that an optimized library has, and that the known partitioner does
                          not take */
  ETR_FINDING_CONSTANTS, /* kernels whose result depends on parameters and constants only */
  ETR_FINDING_LAYOUT, /* transposes, conversions and copies inside delegates that no node stands for
                       */
  ETR_FINDING_COPIES, /* kernels of one operator that only move or convert data */
  ETR_FINDING_QUANTIZE_PAIRS, /* a dequantization followed by the same quantization */
  ETR_FINDING_BATCH_NORM,     /* batch norms that could be folded into the layer before them */
  ETR_FINDING_ATTENTION,      /* attention as separate operators */
  ETR_FINDING_OUTPUT_LAYER,   /* the layer that makes a decoder's logits takes much of its time */
  ETR_FINDING_FLOAT_BESIDE,   /* layers that multiply floating-point numbers beside quantized ones,
                                 or operators of a delegate between int8 ones */
  ETR_FINDING_CALLS,          /* kernels that take longer to be called than to run */
  ETR_FINDING_OUTLIER,        /* operators that took many times their median in one run */
  ETR_FINDING_FIRST_RUN,      /* a first run far above the rest */
  ETR_FINDING_LOAD,           /* loading takes as long as many inferences */
  ETR_FINDING_DRIFT,          /* runs get slower or faster, one after the other */
  ETR_FINDING_WAITING,        /* delegates that wait, or copy */
  ETR_FINDING_CPU_FALLBACK,   /* operators of delegates on the CPU, where others run on a GPU or an
                                 NPU */
  ETR_FINDING_SMALL_CALLS,    /* many calls of delegates that spend more time on overhead than on
                                 operators */
  ETR_FINDING_MEMORY_BOUND,   /* operators that run near the peak bandwidth */
  ETR_FINDING_SLOW_RATE,      /* operators far below the rate of others of the same kind and size */
  ETR_FINDING_ABOVE_PEAK,     /* operators faster than the peaks allow */
  ETR_FINDING_STEP,           /* all runs from one on are slower, or faster */
  ETR_FINDING_MODES,          /* runs take one of two times, and switch between them */
  ETR_FINDING_SLOW_RUNS,     /* some runs take much longer than the others, for no reason that their
                                events show */
  ETR_FINDING_PERIODIC,      /* every so many runs one does */
  ETR_FINDING_SLOW_OPERATOR, /* one operator makes some runs slow, or one at a time */
  ETR_FINDING_INACCURATE, /* operators that make the outputs inexact, if values were compared with a
                             reference */
  ETR_FINDING_CACHE_COPIES,   /* kernels of a decoder that write a whole cache for one position */
  ETR_FINDING_POSITIONS,      /* kernels of a decoder that depend on positions alone */
  ETR_FINDING_MERGE,          /* small equal layers of one input, which one product computes */
  ETR_FINDING_REPEATED_HEADS, /* keys and values that are repeated for each head of a group */
  ETR_FINDING_WEIGHTS,       /* weights that a decoder reads for each token, which bound its time */
  ETR_FINDING_EMBEDDING,     /* a large embedding in floating point */
  ETR_FINDING_SOFTMAX_CHECK, /* kernels that look for rows that a mask hides whole */
  ETR_FINDING_SPLIT_DEPTHWISE, /* depthwise convolutions with more weights than fast kernels take */
  ETR_FINDING_BRANCHES,        /* branches of one value whose sum is one convolution */
  ETR_FINDING_REWRITE, /* kernels that a partitioner takes if they are written in another way */
  /* Levers: the next step for what takes most of the time. They rest on ratios between kernels, and
   * not on something that is wrong with the model. */
  ETR_FINDING_QUANTIZE,      /* layers in float32 that have faster kernels in int8 or 8da4w */
  ETR_FINDING_DELEGATE,      /* kernels on the CPU that a backend may run faster */
  ETR_FINDING_MORE_PER_CALL, /* time around operators, which more work in each call makes smaller */
  ETR_FINDING_PROFILER,      /* a backend that does not record its operators */
  ETR_FINDING_LESS_WORK,     /* operators that only less work makes faster */
} etr_finding_kind;

/** How sure it is that the change is possible and saves time. */
typedef enum etr_sureness {
  ETR_SURE,          /* what was measured, and the graph, leave no doubt */
  ETR_LIKELY,        /* published rules or rates say so */
  ETR_RULE_OF_THUMB, /* ratios that were measured on another processor */
  ETR_POSSIBLE,      /* something that is not recorded decides */
} etr_sureness;

/** What a change takes. */
typedef enum etr_effort {
  ETR_EFFORT_LINK_FLAG,    /* link another library */
  ETR_EFFORT_RE_EXPORT,    /* export again, with other passes or another recipe */
  ETR_EFFORT_CHANGE_MODEL, /* change the model's code */
  ETR_EFFORT_CHANGE_APP,   /* change the program that calls the model */
  ETR_EFFORT_RECORD_AGAIN, /* measure again, in another way */
} etr_effort;

/** What decides, beside the kind, which code a finding is about and what the change takes. */
typedef enum etr_finding_variant {
  ETR_VARIANT_USUAL,
  ETR_VARIANT_EXPORT, /* copies: the export makes them (without a graph: perhaps), and no line of
                         the model */
  ETR_VARIANT_MOVES,  /* copies, layout, float_beside: no example code fits them; most move or
                         convert data, and  cannot just be removed */
  ETR_VARIANT_DIMS,   /* layout: most transposes are for values with fewer than four dimensions */
  ETR_VARIANT_POOLS,  /* layout, fallback: channels-last inputs with pools to 1 x 1 */
  ETR_VARIANT_LATE,   /* constants: the lowering makes most of them, which no pass at the export
                         sees */
  ETR_VARIANT_LEFT,   /* not_delegated: a partitioner has left them, so example code has no use */
  ETR_VARIANT_8DA4W,  /* quantize: to 8da4w, and not to int8; output_layer: so, for its one token */
  ETR_VARIANT_DEPTHWISE, /* quantize: all but depthwise convolutions, which would lose more than the
                            others gain */
  ETR_VARIANT_LAYERS,    /* quantize: quantizers do not see the layers as linear layers */
  ETR_VARIANT_SPLITS,    /* fallback: some of the operators are splits of a tensor, */
  ETR_VARIANT_MEANS,     /* means over height and width, */
  ETR_VARIANT_SPLITS_MEANS, /* or both; */
  ETR_VARIANT_PADDED,       /* or none of these, but average pools with padding, */
  ETR_VARIANT_SUMS,         /* or sums over height and width, which take longer than such means, */
  ETR_VARIANT_SOFTMAX,      /* or else a softmax over another than the last dimension;
                               rewrite: so, or means */
  ETR_VARIANT_SLOW_CALLS, /* more_per_call: calls take much longer than usual, for an unknown reason
                           */
} etr_finding_variant;

/** Characters that a title and a fact have at most. */
enum { ETR_TITLE_LONGEST = 44, ETR_FACT_LONGEST = 120 };

/** Smallest part of Method::execute's typical time that a finding could save, or costs if that is
 * not known. Less than this is within the variation of measurements. */
#define ETR_FINDING_LEAST_SHARE 0.01
/** Part of the time that some change must be able to save, or else a note says that nothing stands
 * out. */
#define ETR_FINDING_MUCH 0.1
/** How many times the others' median a first run takes at least: caches and lazily made things, not
 * chance. */
#define ETR_FINDING_FIRST_RUN_FACTOR 1.5
/** How many times its median an operator takes at least in a run that stands out. */
#define ETR_FINDING_OUTLIER_FACTOR 10.0
/** Runs that are needed to compare a first one with the rest. */
enum { ETR_FINDING_LEAST_RUNS = 3 };
/** How many calls that do little there are at least per inference: a few are no pattern. */
enum { ETR_FINDING_LEAST_SMALL_CALLS = 8 };
/** Least part of what the peaks allow that operators limited by memory reach. */
#define ETR_FINDING_NEAR_PEAK 0.5
/** Operators of one kind and size whose rates say what is usual. */
enum { ETR_FINDING_LEAST_ALIKE = 5 };
/** How many inferences a load takes at least. */
#define ETR_FINDING_LOAD_FACTOR 10.0
/** Part of its delegates' calls that a backend spends on waiting and copying at least. */
#define ETR_FINDING_WAITING_PART 0.1
/** Time, in ns per inference, that kernels take at least before a delegate or another library is
 * worth it: a call of a delegate alone takes several microseconds. */
#define ETR_FINDING_LEAST_KERNELS_NS 1e5
/** Time, in ns, that calling a delegate is assumed to take at least; calls of delegates on CPUs
 * take 3 to 10 us on desktops. */
#define ETR_FINDING_DELEGATE_CALL_NS 5e3
/** Time, in ns, from which on calling a delegate takes too long to be usual: twenty times the most
 * of ETR_FINDING_DELEGATE_CALL_NS. */
#define ETR_FINDING_SLOW_CALL_NS 2e5
/** Findings that answers for people show unless asked for more. */
enum { ETR_FINDINGS_SHOWN = 4 };

typedef struct etr_finding {
  etr_finding_kind kind;
  const char *title;    /* what to change, as an imperative of ETR_TITLE_LONGEST characters */
  const char *fact;     /* the reason, in ETR_FACT_LONGEST characters; "" if the title says all */
  const char *evidence; /* why, in sentences; times in the unit asked for */
  const char *saving;   /* "Could save up to 0.45 ms, 22.1 % of the time; likely: it still computes
                           them." */
  const char
      *caveat; /* what limits the saving, or what is not known; "" if there is nothing to say */
  etr_sureness sureness;
  etr_effort effort;
  etr_finding_variant variant; /* which code it is about */
  const char *saves_words; /* of measuring again: "a surer time" where the typical run contains no
                              interruptions, "1.81 ms or more" where most runs were interrupted;
                              NULL: it saves time */
  double least;     /* ticks that the change saves at least; NaN: nothing is known of the least */
  double potential; /* ticks that the change could save at most: per inference, or once if is_once;
                       NaN: not known */
  double potential_share; /* potential as a part of Method::execute's typical time; NaN if it is not
                             known or is_once */
  double cost;  /* NaN: it is not about time. Ticks per inference that it is about, in the typical
                   run;  of is_once ticks  that were spent once; of runs  that differ what the slow
                   ones  take longer, spread over all */
  double share; /* cost as a part of Method::execute's typical time; NaN if is_once */
  bool may_save_nothing; /* by something that is not recorded, as likely as not: it ranks by half */
  bool is_once;          /* the time was spent once, not in every inference */
  double slope; /* of ETR_FINDING_DRIFT: ticks per run, its cost being half of what that adds up to;
                   NaN of all others */
  const uint32_t
      *nodes; /* of profile->graphs[method->graph], longest first; none where node_count is 0 */
  size_t node_count;
  const int32_t *instructions; /* ids of delegates' calls, ascending */
  size_t instruction_count;
  const uint32_t
      *overlaps; /* indices of earlier findings that are about some of the same time, ascending */
  size_t overlap_count;
} etr_finding;

/** What was found out about a delegate. */
typedef struct etr_delegate_facts {
  uint32_t cut_by; /* the first operator outside delegates that reads its result, and on which a
                      later delegate of the backend depends; ETR_NONE if there is none */
  const char *cut_reason; /* why the partitioner leaves that operator out; NULL if its rules are not
                             known */
  size_t calls;           /* over all runs */
  uint64_t overhead; /* time of its calls that is in no event, in ticks: their median times runs */
  uint64_t hidden; /* the part of `overhead` that is probably operator time, because their clock is
                      coarse */
} etr_delegate_facts;

#endif
