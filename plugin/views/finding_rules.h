/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_rules.h - the rules behind findings.h, each in a file finding_*.c. Layer 4.
 */
#ifndef ETR_FINDING_RULES_H
#define ETR_FINDING_RULES_H

#include "views/finder.h"

/** Sets finder->delegates: what the time of each delegate is spent on, in ticks over all runs as if
 * each were like the typical one without interruptions, and its numbers of calls and operators.
 * Returns false when out of memory. */
bool etr_finder_measure_delegates(etr_finder *finder);
/** Sets what the finder knows of each node: delegate_of, is_constant, is_kernel, ops; and by_time.
 * Returns false when out of memory. */
bool etr_finder_classify_nodes(etr_finder *finder);

/* Each rule adds the findings of some kinds to finder->found, if there is reason to. They return
 * false when out of memory. */
bool etr_add_partition_findings(etr_finder *finder);
bool etr_add_softmax_check_findings(etr_finder *finder);
bool etr_add_constant_findings(etr_finder *finder);
bool etr_add_copy_findings(etr_finder *finder);
bool etr_add_pattern_findings(etr_finder *finder);
bool etr_add_decoder_findings(etr_finder *finder);
bool etr_add_depthwise_findings(etr_finder *finder);
bool etr_add_branch_findings(etr_finder *finder);
bool etr_add_layout_findings(etr_finder *finder);
bool etr_add_float_between_findings(etr_finder *finder);
bool etr_add_slow_call_findings(etr_finder *finder);
bool etr_add_outlier_findings(etr_finder *finder);
bool etr_add_run_findings(etr_finder *finder);
bool etr_add_delegate_findings(etr_finder *finder);
bool etr_add_cost_findings(etr_finder *finder);
bool etr_add_accuracy_findings(etr_finder *finder);
bool etr_add_lever_findings(etr_finder *finder);
bool etr_add_kernel_findings(etr_finder *finder);

/** What an event is to the groups of operators that a call computes in floating point between int8
 * ones. */
typedef enum etr_between {
  ETR_BETWEEN_NOT,
  ETR_BETWEEN_LEFT, /* a Convert of a group with a convolution, which quantizers leave out only if
                       they are told to */
  ETR_BETWEEN_CONVERT,  /* a Convert around such a group, or in it */
  ETR_BETWEEN_OPERATOR, /* an operator of such a group */
} etr_between;

/** Returns true for a delegate's operator that computes in int8, as its name says. */
bool etr_event_is_int8(const etr_event *event);

/** Returns for each of the rows [first, end) of a block, which are those of a delegate's call, what
 * it is; NULL when out of memory. */
const etr_between *etr_find_between(const etr_finder *finder, const etr_block *block, size_t first,
                                    size_t end);

/** Sets *out to the inner transposes of the method, which are searched once. Returns false when out
 * of memory. */
bool etr_find_inner_transposes(etr_inner_transposes *out, etr_finder *finder);

/** Adds the finding about kernels between delegates of a method without a graph: each may read what
 * ran before it. backend: which they are taken to be of, whose partitioner is known. Counts the
 * kernels of the finding in `joined`, by name: "mean.out". Returns false when out of memory. */
bool etr_add_order_finding(etr_finder *finder, const char *backend, etr_map *joined);

/** Calls of delegates that go if some become one. */
typedef struct etr_merged_calls {
  size_t before, after; /* delegates */
  double least, most;   /* what calling takes less, in ticks over all runs; `most` has what a coarse
                           clock may hide of the operators inside */
  double shortest, longest;        /* call of those before, in ticks, without its operators */
  etr_inner_transposes transposes; /* which may go, too, if all delegates become one */
  double transposes_share;         /* of these, as of the delegates that go */
} etr_merged_calls;

/** Sets *out to what calling delegates takes less if their backends also run the marked nodes, or
 * if these are removed. marked: a flag for each node of the graph. Returns false when out of
 * memory. */
bool etr_find_merged_calls(etr_finder *finder, const bool *marked, etr_merged_calls *out);

/** Returns a text that ends with how many delegates would remain, and what calling takes less;
 * `text` as it is if none goes. */
const char *etr_with_merged_calls(const etr_finder *finder, const char *text,
                                  const etr_merged_calls *merged);

/** Counts findings that join delegates again, of which removing copies, another finding, is at
 * least half: what is left after that, if it is large enough. Returns false when out of memory. */
bool etr_recount_joins(etr_finder *finder);

/** Returns true for an operator ("softmax") that ExecuTorch's optimized library has, whose name is
 * etr_optimized_library. */
bool etr_is_optimized(etr_slice op);
extern const char etr_optimized_library[];

/** The largest part of the time of delegates that is on no node. */
typedef struct etr_delegates_time {
  uint64_t ticks;    /* 0: there is none */
  const char *where; /* "OpenVINO, which records no operators", after "62.1 % is in" */
} etr_delegates_time;

/** Sets *out to the largest part of the time of delegates that is on no node, over all runs, with
 * words for where it is. Returns false when out of memory. */
bool etr_find_time_of_delegates(const etr_finder *finder, etr_delegates_time *out);

#endif
