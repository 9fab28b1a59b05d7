/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fit.h - how well a block of runs fits each method. Layer 3.
 *
 * With the .pte each row is held against the method's instruction list: it fits or it does not. Without it a row speaks
 * for a method (its operator is at a node of the instruction's handles, its delegate id is in the delegate map) or
 * against it (an unknown delegate, another operator). ExecuTorch inserts instructions that have no node, after the
 * record's graph was written: copies into the buffers that a method updates, views, custom operators. Methods that look
 * alike so far may differ inside their delegates: what ran there is counted by class and compared with the payload in
 * the .pte, or else with the nodes of the delegate's handles.
 */
#ifndef ETR_FIT_H
#define ETR_FIT_H

#include "method/method.h"
#include "runs/blocks.h"

/* ---- How well a block of runs fits each method ---- */

/** How a block fits a method. */
typedef struct etr_fit {
  uint32_t against, agreeing; /* rows */
  uint32_t strange;           /* operators of delegates more than these have */
  uint32_t missing;           /* instructions, operators of delegates and updates of buffers that no row has */
  uint32_t unchecked;         /* kernels of a method that the record has no graph of: their operators are unknown */
  bool exact;                 /* held against the .pte's instruction list */
} etr_fit;

/** What tells two fits apart; the first that differs decides. */
typedef enum etr_fit_part {
  ETR_FIT_AGAINST,
  ETR_FIT_STRANGE,
  ETR_FIT_MISSING,
  ETR_FIT_UNCHECKED,
  ETR_FIT_PARTS, /* nothing does */
} etr_fit_part;

/** What is known of the methods, prepared for many blocks. */
typedef struct etr_fitter etr_fitter;

/** Prepares the methods; in the arena. The inputs must live as long; their nodes are indexed, their instructions need
 * not be found yet. max_comparisons: of rows with rows, in all; 0: the default of etr_options. NULL when out of memory.
 */
etr_fitter *etr_fitter_new(etr_arena *arena, const etr_method_inputs *inputs, size_t count, size_t max_comparisons);

/** How a block fits one method. */
typedef struct etr_method_fit {
  uint32_t method;
  etr_fit fit;
} etr_method_fit;

/** The fits of one block, until the next. */
typedef struct etr_fits {
  etr_method_fit *list; /* by ascending method, at least one. Those of other methods are worse, for rows against them */
  size_t count;
  size_t best; /* place of the first that none is better than */
} etr_fits;

/**
 * Holds a block against the methods that it may be. False: out of memory (the fitter's arena failed), or all of
 * max_comparisons were made.
 */
bool etr_fitter_fit(etr_fitter *fitter, const etr_block *block, etr_fits *out);

/** Negative: a fits better than b; positive: worse. decided_by (may be NULL): what told them apart. */
int etr_fit_compare(const etr_fit *a, const etr_fit *b, etr_fit_part *decided_by);

/** False: the method is another model's, as it disagrees with as much as it agrees with; or nothing agrees, and
 * instructions are missing. */
bool etr_fit_is_any(const etr_fit *fit);

/* ---- Which of many methods a block can be, told by one of its rows ---- */

/** For each instruction id and what it runs there, the methods that have it. */
typedef struct etr_fit_index etr_fit_index;

/** The instructions of all methods, by what they run. NULL when out of memory. */
etr_fit_index *etr_fit_index_new(etr_arena *arena, const etr_method_inputs *inputs, size_t count);

/**
 * The methods that one row of the block does not speak against, ascending: of the row for which they are fewest. Every
 * method beside these has a row against it. NULL if no row tells, or when out of memory (scratch failed). The list
 * lives in scratch.
 */
const uint32_t *etr_fit_index_find(const etr_fit_index *index, const etr_block *block, etr_arena *scratch,
                                   size_t *count);

/** True of a method whose instructions are not all known: an unknown kernel does not speak against it. */
bool etr_fit_is_partial(const etr_method_inputs *inputs);

/* ---- How many operators of each class a delegate can run: what tells apart methods that look alike from outside ----
 */

/** By class of the backend. */
typedef struct etr_delegate_counts {
  uint32_t least[ETR_MOST_CLASSES], most[ETR_MOST_CLASSES]; /* they differ where other delegates share a handle */
} etr_delegate_counts;

/** The nodes of one handle and class. */
typedef struct etr_handle_class {
  uint32_t handle;
  uint16_t class_;
  uint32_t nodes, sure; /* all, and those that run for themselves: others may become part of another */
} etr_handle_class;

/** The operators of a graph, by handle, then class. */
typedef struct etr_handle_classes {
  etr_handle_class *list;
  size_t count;
} etr_handle_classes;

/** Counts the operators of a graph, which may be NULL, as may the backend. False: out of memory. */
bool etr_handle_classes_of(etr_handle_classes *out, etr_arena *arena, const etr_backend *backend,
                           const etr_graph *graph);

/** Counts by the payload in the .pte. False, *out zeroed: there is none that the backend can read (NULL). */
bool etr_delegate_counts_of_payload(etr_delegate_counts *out, const etr_payload *payload);

/** Counts by the nodes of the delegate's handles. False, *out zeroed: they are not known, or out of memory. */
bool etr_delegate_counts_of_nodes(etr_delegate_counts *out, const etr_handle_classes *nodes,
                                  const etr_map_instruction *map, etr_arena *scratch);

#endif
