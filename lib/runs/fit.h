/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fit.h - measures how well a block of runs fits each method. Layer 3.
 *
 * With the .pte each row is compared with the method's instruction list and either fits or does
 * not. Without it a row is evidence for a method (its operator is at a node of the instruction's
 * handles, its delegate id is in the delegate map) or against it (an unknown delegate, another
 * operator). After the record's graph was written, ExecuTorch inserts instructions that have no
 * node: copies into the buffers that a method updates, views, custom operators. Methods that are
 * equal so far may differ inside their delegates: the operators that ran there are counted by class
 * and compared with the payload in the .pte, or else with the nodes of the delegate's handles.
 */
#ifndef ETR_FIT_H
#define ETR_FIT_H

#include "inputs/method.h"
#include "runs/blocks.h"

/* ---- How well a block of runs fits each method ---- */

/** How a block fits a method. */
typedef struct etr_fit {
  uint32_t against, agreeing; /* rows that contradict the method, and rows that agree with it */
  uint32_t
      strange; /* operators of delegates that ran beyond the number that the delegates contain */
  uint32_t missing; /* instructions, operators of delegates and updates of buffers without a row */
  uint32_t unchecked; /* kernels whose operators are unknown, because the record has no graph of the
                         method */
  bool exact;         /* compared with the .pte's instruction list */
} etr_fit;

/** The parts in which two fits are compared; the first part that differs decides. */
typedef enum etr_fit_part {
  ETR_FIT_AGAINST,
  ETR_FIT_STRANGE,
  ETR_FIT_MISSING,
  ETR_FIT_UNCHECKED,
  ETR_FIT_PARTS, /* number of parts: the fits are equal */
} etr_fit_part;

/** The methods, prepared for comparing many blocks with them. */
typedef struct etr_fitter etr_fitter;

/** Prepares the methods, in the arena. The inputs must live as long as the fitter; their nodes must
 * be indexed, but their instructions need not be known yet. max_comparisons limits all comparisons
 * of rows with rows; 0: the default of etr_options. Returns NULL when out of memory.
 */
etr_fitter *etr_fitter_new(etr_arena *arena, const etr_method_inputs *inputs, size_t count,
                           size_t max_comparisons);

/** How a block fits one method. */
typedef struct etr_method_fit {
  uint32_t method;
  etr_fit fit;
} etr_method_fit;

/** The fits of one block; valid until the next call of etr_fitter_fit(). */
typedef struct etr_fits {
  etr_method_fit *list; /* at least one, by ascending method. Other methods fit worse, because rows
                           contradict them */
  size_t count;
  size_t best; /* index in `list` of the best fit, the first of equal ones */
} etr_fits;

/**
 * Compares a block with the methods that it may be. Returns false when out of memory (the fitter's
 * arena failed), or when all of max_comparisons were made.
 */
bool etr_fitter_fit(etr_fitter *fitter, const etr_block *block, etr_fits *out);

/** Compares two fits: returns a negative number if a fits better than b, a positive one if it fits
 * worse. Sets *decided_by (may be NULL) to the part that differs. */
int etr_fit_compare(const etr_fit *a, const etr_fit *b, etr_fit_part *decided_by);

/** Returns whether the fit is plausible at all. It is not if at least as many rows contradict the
 * method as agree with it, so that it belongs to another model, or if nothing agrees and
 * instructions are missing. */
bool etr_fit_is_any(const etr_fit *fit);

/* ---- The methods that a block can be, found by one of its rows ---- */

/** An index from an instruction id and what the instruction runs to the methods that have it. */
typedef struct etr_fit_index etr_fit_index;

/** Indexes the instructions of all methods by what they run, in the arena. Returns NULL when out of
 * memory. */
etr_fit_index *etr_fit_index_new(etr_arena *arena, const etr_method_inputs *inputs, size_t count);

/**
 * Returns the methods, ascending, that the most selective row of the block does not contradict, and
 * sets *count. Every other method is contradicted by a row. Returns NULL if no row is selective, or
 * when out of memory (scratch failed). The list lives in scratch.
 */
const uint32_t *etr_fit_index_find(const etr_fit_index *index, const etr_block *block,
                                   etr_arena *scratch, size_t *count);

/* ---- How many operators of each class a delegate can run: distinguishes methods with equal
 * instructions ---- */

/** Numbers of operators, by class of the backend. */
typedef struct etr_delegate_counts {
  uint32_t least[ETR_MOST_CLASSES],
      most[ETR_MOST_CLASSES]; /* these differ if other delegates list the same handle */
} etr_delegate_counts;

/** The nodes of one handle and class. */
typedef struct etr_handle_class {
  uint32_t handle;
  uint16_t class_;
  uint32_t nodes,
      sure; /* all nodes, and those that run as an operator of their own; others may be fused */
} etr_handle_class;

/** The operators of a graph, by handle, then class. */
typedef struct etr_handle_classes {
  etr_handle_class *list;
  size_t count;
} etr_handle_classes;

/** Counts the operators of a graph. Graph and backend may be NULL. Returns false when out of
 * memory. */
bool etr_handle_classes_of(etr_handle_classes *out, etr_arena *arena, const etr_backend *backend,
                           const etr_graph *graph);

/** Counts the nodes of the delegate's handles. Returns false and zeroes *out if they are unknown,
 * or when out of memory. */
bool etr_delegate_counts_of_nodes(etr_delegate_counts *out, const etr_handle_classes *nodes,
                                  const etr_map_instruction *map, etr_arena *scratch);

/* ---- How the sizes of logged values fit a method ---- */

/** How a logged value agrees with a method. */
typedef enum etr_size_vote {
  ETR_SIZE_UNKNOWN, /* the files do not say which sizes the method has there */
  ETR_SIZE_AGREES,
  ETR_SIZE_CONTRADICTS,
} etr_size_vote;

/** Compares a logged value with the tensors of its instruction, or with what the method returns. */
etr_size_vote etr_logged_size_vote(const etr_method_inputs *method, const etr_debug_value *value);

/** Returns how many tokens a run read, by one of the values that it logged: a kernel's result whose
 * shape contains the symbolic size of the token input. -1: the value does not show it. */
int64_t etr_logged_tokens(const etr_method_inputs *method, const etr_debug_value *value);

/* ---- How the times of kernels distinguish two methods of equal structure ---- */

/* The times of whole runs do not distinguish methods: a stalled thread makes a run of the cheaper
 * one as long as one of the dearer. Kernels outside delegates run on one thread. Those that work on
 * more data in one method take longer there, those that work on the same data in both do not, and a
 * slow clock or a neighboring process lengthens both. So the ratio between these two groups of
 * kernels distinguishes the methods, whatever the machine did. */

/** How times distinguished the runs of two methods. */
typedef enum etr_time_rule {
  ETR_TIME_RULE_NONE,  /* not at all */
  ETR_TIME_RULE_TIMES, /* the runs that are not behind a load are in two groups */
  ETR_TIME_RULE_LOADS, /* of the two runs behind loads, one is unlike all other runs */
} etr_time_rule;

/** Returns the rule as users read it: "likely, by time"; "" for none. Static. */
const char *etr_time_rule_name(etr_time_rule rule);

/** What times say of one run. */
typedef enum etr_time_label {
  ETR_TIME_LABEL_UNKNOWN,
  ETR_TIME_LABEL_DEARER, /* it is a run of the method that computes more */
  ETR_TIME_LABEL_CHEAPER,
} etr_time_label;

/** The times of kernels in the runs of two methods of one recording. */
typedef struct etr_kernel_times {
  size_t run_count, kernel_count;
  const double *us;        /* run by run: kernel_count times in microseconds */
  const double *ratios;    /* per kernel: bytes that it reads and writes in the dearer method,
                              divided by those in the cheaper one; 0: not known */
  const bool *behind_load; /* per run: the run directly follows a load */
  double cost_ratio;       /* multiply-accumulates of the dearer method by those of the cheaper */
} etr_kernel_times;

/**
 * Fills `labels`, one for each run, and *rule. Nothing is decided if the methods' costs are too
 * near to each other, if too few kernels are outside delegates, or if the runs are not in two
 * groups. Returns false when out of memory.
 */
bool etr_label_runs_by_times(etr_time_label *labels, etr_time_rule *rule,
                             const etr_kernel_times *times);

/** The runs of one recording that may be of either of two methods. */
typedef struct etr_time_question {
  const etr_blocks *blocks;
  const etr_method_inputs *dearer, *cheaper;
  const uint32_t *runs; /* indices into blocks->runs, ascending; their blocks have equal rows */
  const bool *behind_load;
  size_t run_count;
} etr_time_question;

/** Answers as etr_label_runs_by_times() does, with the times of the runs and the sizes that the
 * program or the graphs give. Returns false when out of memory. */
bool etr_methods_by_time(etr_time_label *labels, etr_time_rule *rule,
                         const etr_time_question *question);

#endif
