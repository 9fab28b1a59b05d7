/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finder.h - what the rules of findings share: what they know of the method, and how they add a
 * finding. Layer 4.
 */
#ifndef ETR_FINDER_H
#define ETR_FINDER_H

#include "base/writer.h"
#include "output/label.h"
#include "views/breakdown.h"
#include "views/finding.h"
#include "views/groups.h"

#include <math.h>

/** What a delegate's time is spent on: its operators, copying inputs and outputs, waiting for a
 * device. ETR_SPENT_AROUND is in no event: preparing, and what the backend does not measure. */
typedef enum etr_spending {
  ETR_SPENT_WORK,
  ETR_SPENT_COPY,
  ETR_SPENT_WAIT,
  ETR_SPENT_AROUND,
  ETR_SPENDINGS
} etr_spending;

/** A delegate of the method, in ticks over all runs: typical times, as often as runs. */
typedef struct etr_delegate_spending {
  const etr_delegate *delegate;
  uint64_t ticks[ETR_SPENDINGS];
  uint64_t hidden; /* the part of ETR_SPENT_AROUND that is probably operator time, because their
                      clock is coarse; all of it if values were logged there */
  size_t operators, calls; /* events of operators; calls over all runs */
} etr_delegate_spending;

/** Transposes that may go where delegates become one: those at the start or the end of one, but for
 * those at inputs and outputs of the model. Without an Edge graph, those of delegates between the
 * first and the last one. */
typedef struct etr_inner_transposes {
  size_t count;
  uint64_t ticks; /* over all runs */
} etr_inner_transposes;

/** What the rules work on, and what they found. */
typedef struct etr_finder {
  const etr_profile *profile;
  const etr_method *method;
  const etr_graph *graph; /* the method's Edge graph with its times; NULL if there is none */
  etr_unit unit;
  etr_arena *arena;
  const etr_delegate_spending *delegates; /* of each of the method's delegates */
  const etr_groups *groups;               /* all of the method's time */
  const etr_inner_transposes *inner;      /* NULL: etr_find_inner_transposes() has not searched */
  /* Per node; NULL without graph: */
  const double *uninterrupted; /* ticks in the typical run, without interruptions */
  const double *calls;         /* the same of OPERATOR_CALL beyond its kernel */
  const etr_slice *ops;    /* the operator without namespace and overload; empty for what is none */
  const uint32_t *by_time; /* the nodes that ran, longest first; timed_count of them */
  size_t timed_count;
  const bool *is_constant;     /* depends on parameters and constants only */
  const bool *is_kernel;       /* an operator that ran outside delegates */
  const uint32_t *delegate_of; /* index of the delegate that it is in or calls; ETR_NONE */
  etr_vec(etr_finding) found;
  etr_delegate_facts
      *facts; /* of each of the method's delegates; set by etr_add_partition_findings() */
} etr_finder;

/** Returns true if the method has an Edge graph, which says what the model asks for. */
static inline bool etr_finder_has_edge(const etr_finder *finder) {
  uint32_t graph = finder->method->graph;
  return graph != ETR_NONE && !etr_is_program(&finder->profile->graphs[graph]);
}

/** Returns what something takes over all runs, in ticks, if each run is like the typical one.
 * typical: ticks in that. */
uint64_t etr_finder_over_runs(const etr_finder *finder, double typical);

/** Returns what a node takes over all runs without interruptions, in ticks, if each run is like the
 * typical one: what a change can save. */
uint64_t etr_finder_node_ticks(const etr_finder *finder, uint32_t node);

/** What single events take in the typical run, without interruptions. */
typedef struct etr_event_ticks {
  etr_map numbers;         /* of the events that have time slices, by address */
  etr_vec(double) typical; /* by number */
} etr_event_ticks;

/** Sets *out to what the events of the method take. Returns false when out of memory. */
bool etr_event_ticks_make(etr_event_ticks *out, const etr_finder *finder);

/** Returns what an event takes in the typical run without interruptions, in ticks over all runs. */
uint64_t etr_event_ticks_of(const etr_event_ticks *ticks, const etr_finder *finder,
                            const etr_event *event);

/** Returns etr_finder_node_ticks() of a node and of the call around its kernel. */
uint64_t etr_finder_kernel_ticks(const etr_finder *finder, uint32_t node);

/** Returns the sum of etr_finder_kernel_ticks() of the marked nodes. marked: a flag for each node
 * of the graph. */
uint64_t etr_finder_marked_ticks(const etr_finder *finder, const bool *marked);

/** Returns a flag for each node of the graph, all false; NULL when out of memory. */
bool *etr_finder_node_flags(const etr_finder *finder);

/** Sets finder->uninterrupted and finder->calls if there is a graph. Returns false when out of
 * memory. */
bool etr_finder_measure_nodes(etr_finder *finder);

/** Returns the method's typical time without interruptions, in ticks; with them if nothing else is
 * left. */
double etr_finder_uninterrupted(const etr_finder *finder);

/** Adds a finding about `cost` ticks over all runs, of which a change could save `potential` (NaN:
 * not known). The finding gets both per inference, and at most the method's time. None is added if
 * what is saved (or the cost, if that is not known) is below ETR_FINDING_LEAST_SHARE of the
 * method's time without interruptions. Returns NULL then, or when out of memory, which
 * etr_arena_failed() distinguishes. */
etr_finding *etr_finder_add_if_large(etr_finder *finder, etr_finding_kind kind, uint64_t cost,
                                     double potential);

/** Sets how sure a finding is. caveat: what follows that after a colon; NULL for none. */
void etr_finding_set_sureness(etr_finding *finding, etr_sureness sureness, const char *caveat);

/** Sets what a finding saves at least, in ticks over all runs; 0 or less: not known. */
void etr_finding_set_least_saving(const etr_finder *finder, etr_finding *finding, double ticks);

/** Returns true if a finding of this kind was added before. */
bool etr_finder_has_kind(const etr_finder *finder, etr_finding_kind kind);

/** Returns how many rows a layer's result has, such as the tokens of a linear layer: the product of
 * all its sizes but the last; 0 if it is not known, or too large. */
int64_t etr_layer_rows(const etr_node *layer);

/** Returns true for a linear layer whose inputs are a multiple of 32, which 8da4w in groups of 32
 * needs. */
bool etr_layer_has_groups(const etr_finder *finder, uint32_t layer);

/** Returns the value that a node reads first; NULL if it reads none, or nothing is known of it. */
const etr_value *etr_finder_first_input(const etr_graph *graph, const etr_node *node);

/** Returns true if two values have the same known shape. */
bool etr_finder_has_same_shape(const etr_value *a, const etr_value *b);

/** Returns true for an operator that returns what it reads: an alias, or a clone, an expand, a
 * slice or a view to the shape that its input has. */
bool etr_finder_changes_nothing(const etr_finder *finder, const etr_node *node);

/** Returns the weight of a convolution, which is its second input, with the shape (filters,
 * channels of each filter, height, width); NULL if there is none. */
const etr_value *etr_finder_convolution_weight(const etr_finder *finder, const etr_node *node);

/** The filters of a depthwise convolution, each of which sees one channel. */
typedef struct etr_filters {
  int64_t count, rows, columns; /* rows, columns: of one filter */
} etr_filters;

/** XNNPACK's kernels for depthwise convolutions take at most so many weights of a filter, 5 x 5. It
 * computes others as matrix products, in int8 more slowly than in floating point. */
enum { ETR_MOST_FILTER_WEIGHTS = 25 };

/** Finds the filters of a depthwise convolution: an Edge operator, or one of XNNPACK's payload.
 * Returns false for another node. */
bool etr_finder_depthwise_filters(const etr_finder *finder, const etr_node *node,
                                  etr_filters *filters);

/** Returns true for a depthwise convolution. */
bool etr_finder_is_depthwise(const etr_finder *finder, const etr_node *node);

/** Returns the class of the module that a node is of, "LSTM"; "" if it is not known. */
const char *etr_finder_module_class(const etr_finder *finder, uint32_t node);

/** Returns true for the class of a layer that computes step by step: LSTM, GRU, RNN. */
bool etr_is_recurrent(const char *name);

/** Returns the operator of a node without namespace and overload, "linear"; "" when out of memory.
 */
const char *etr_finder_short_op(const etr_finder *finder, const char *target);

/** Returns the short name of a backend; "" when out of memory. */
const char *etr_finder_backend_name(const etr_finder *finder, const char *backend);

/** Makes a finding be about the marked nodes that ran, longest first. marked: a flag for each node
 * of the graph. Returns false when out of memory. */
bool etr_finding_set_nodes(const etr_finder *finder, etr_finding *finding, const bool *marked);

/** Returns ticks over all runs as a time per inference, with unit: "0.0266 ms"; "" when out of
 * memory. */
const char *etr_finder_time_per_run(const etr_finder *finder, uint64_t ticks);

/** Returns ticks as a time with unit: "0.0266 ms"; "" when out of memory. */
const char *etr_finder_time_text(const etr_finder *finder, double ticks);

/** Returns a figure with a decimal prefix and its unit: "90.5 GFLOP/s", "312 B"; "" when out of
 * memory. */
const char *etr_finder_amount_text(const etr_finder *finder, double figure, const char *unit);

/** Adds up, by operator, what the marked nodes take without interruptions, longest first. marked: a
 * flag for each node of the graph; NULL: all nodes. with_calls: with the calls around kernels. The
 * total_ticks of the rows are over all runs. Returns false when out of memory. */
bool etr_finder_sum_by_operator(const etr_finder *finder, etr_breakdown *rows, const bool *marked,
                                bool with_calls);

/** Returns "3 aten.a.default 0.2000 ms, 1 aten.b.default 0.1000 ms": the marked nodes that ran, by
 * operator, with the calls around kernels or without them; "" when out of memory. */
const char *etr_finder_operators_text(const etr_finder *finder, const bool *marked,
                                      bool with_calls);

/** Returns "It takes" for one, "They take" for more. Static. */
static inline const char *etr_they_take(size_t count) {
  return count == 1 ? "It takes" : "They take";
}

/** Returns ticks over all runs in ns per inference. */
double etr_finder_ns_per_run(const etr_finder *finder, uint64_t ticks);

/** Returns the name of a node; "" when out of memory. */
const char *etr_finder_node_name(const etr_finder *finder, uint32_t node);

/** Returns true if a node is one of these operators, named without namespace and overload:
 * "convolution". */
bool etr_is_one_of(const etr_finder *finder, const etr_node *node, const char *const *names,
                   size_t count);
static inline bool etr_is_operator(const etr_finder *finder, const etr_node *node,
                                   const char *name) {
  return etr_is_one_of(finder, node, &name, 1);
}

#endif
