/* SPDX-License-Identifier: BSD-3-Clause
 *
 * findings.h - what in a method's times is worth a look, most expensive first. Layer 4.
 *
 * A finding says what was recorded and what it costs, not what would help: the data shows no other way of running the
 * model. What is below the thresholds here is not worth a line and is left out.
 */
#ifndef ETR_FINDINGS_H
#define ETR_FINDINGS_H

#include "base/arena.h"
#include "etrecord_tb.h"

typedef enum etr_finding_kind {
  ETR_FINDING_FALLBACK,      /* kernels fed by one delegate of a backend and feeding another */
  ETR_FINDING_LAYOUT,        /* transposes, conversions and copies inside delegates that no node stands for */
  ETR_FINDING_COPIES,        /* the same operator several times that only moves or converts data */
  ETR_FINDING_CALLS,         /* kernels that take longer to be called than to run */
  ETR_FINDING_OUTLIER,       /* operators that took many times their median in one run */
  ETR_FINDING_FIRST_RUN,     /* a first run far above the rest */
  ETR_FINDING_LOAD,          /* loading takes as long as many inferences */
  ETR_FINDING_DRIFT,         /* runs get slower or faster, one after the other */
  ETR_FINDING_WAITING,       /* delegates that wait and copy longer than they compute */
  ETR_FINDING_CPU_FALLBACK,  /* operators of delegates on the CPU, where others run on a GPU or an NPU */
  ETR_FINDING_SMALL_CALLS,   /* many calls of delegates that take longer around their operators than in them */
  ETR_FINDING_MEMORY_BOUND,  /* operators that run near the peak bandwidth */
  ETR_FINDING_SLOW_RATE,     /* operators far below the rate of others that run as the same */
  ETR_FINDING_ABOVE_PEAK,    /* operators faster than the peaks allow */
  ETR_FINDING_STEP,          /* all runs from one on are slower, or faster */
  ETR_FINDING_MODES,         /* runs take one of two times, and switch between them */
  ETR_FINDING_SLOW_RUNS,     /* some runs take much longer than the others, for no reason that their events show */
  ETR_FINDING_PERIODIC,      /* every so many runs one does */
  ETR_FINDING_SLOW_OPERATOR, /* one operator makes some runs slow, or one at a time */
} etr_finding_kind;

/** Least part of Method::execute's median that a finding costs: less is lost in what measuring varies. */
#define ETR_FINDING_LEAST_SHARE 0.01
/** How many times the others' median a first run takes at least: caches and lazily made things, not chance. */
#define ETR_FINDING_FIRST_RUN_FACTOR 1.5
/** How many times its median an operator takes at least in a run that stands out. */
#define ETR_FINDING_OUTLIER_FACTOR 10.0
/** Runs it takes to tell a first one from the rest. */
enum { ETR_FINDING_LEAST_RUNS = 3 };
/** How many calls that do little there are at least per inference: a few are no pattern. */
enum { ETR_FINDING_LEAST_SMALL_CALLS = 8 };
/** Least part of what the peaks allow that operators limited by memory reach. */
#define ETR_FINDING_NEAR_PEAK 0.5
/** Operators that run as the same whose rates tell what is usual. */
enum { ETR_FINDING_LEAST_ALIKE = 5 };
/** How many inferences a load takes at least. */
#define ETR_FINDING_LOAD_FACTOR 10.0

typedef struct etr_finding {
  etr_finding_kind kind;
  const char *title;    /* "2 Transpose in delegate 0 that no node stands for"; no times */
  const char *evidence; /* which events say so, and what they cannot say; times in the unit asked for */
  double cost; /* ticks per inference, sums of medians; of ETR_FINDING_OUTLIER, _FIRST_RUN and _LOAD ticks that were
                  spent once; of runs that differ what the slow ones take longer, spread over all */
  double
      slope; /* of ETR_FINDING_DRIFT: ticks per run, its cost being half of what that adds up to; NaN of all others */
  double share;          /* cost as a part of Method::execute's median; NaN where it was spent once */
  const uint32_t *nodes; /* of profile->graphs[method->graph], longest first; none where node_count is 0 */
  size_t node_count;
  const int32_t *instructions; /* ids of delegates' calls, ascending */
  size_t instruction_count;
} etr_finding;

typedef struct etr_findings {
  const etr_finding *list; /* most of a share first, what was spent once last */
  size_t count;
} etr_findings;

/** Finds what is worth a look in one method; unit is that of the evidence. None for a method without times. False when
 * out of memory. */
bool etr_findings_make(etr_findings *out, etr_arena *arena, const etr_profile *profile, const etr_method *method,
                       etr_unit unit);

/** "fallback", "layout", "copies", "calls", "outlier", "first_run", "load", "drift", "waiting", "cpu_fallback",
 * "small_calls", "memory_bound", "slow_rate", "above_peak", "step", "modes", "slow_runs", "periodic", "slow_operator":
 * the kind as the JSON has it. Static. */
const char *etr_finding_kind_name(etr_finding_kind kind);

#endif
