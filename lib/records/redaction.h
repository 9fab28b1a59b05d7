/* SPDX-License-Identifier: BSD-3-Clause
 *
 * redaction.h - other names for what a record tells of its model: files and functions, modules, classes and weights.
 * Layer 3.
 *
 * One name becomes one name, wherever it stands, so that whatever was joined by it still is. Names are given in the
 * order in which etr_redaction_learn() and the other calls meet them, so that reading again gives the same.
 */
#ifndef ETR_REDACTION_H
#define ETR_REDACTION_H

#include "base/arena.h"

typedef struct etr_redaction {
  etr_arena arena;
  etr_map files, parts, classes; /* numbers of their new names */
  etr_map values, taken;         /* of weights in graphs: numbers in new_values; names that are given */
  etr_vec(const char *) new_values;
  bool renames;       /* false: only files and functions get other names */
  etr_vec(char) text; /* what the last call gave */
} etr_redaction;

void etr_redaction_init(etr_redaction *redaction, bool renames);
void etr_redaction_clear(etr_redaction *redaction);

/** Learns the names of a graph's modules and weights. */
void etr_redaction_learn(etr_redaction *redaction, const etr_graph *graph);

/* What the text becomes; lives until the next call. Empty when out of memory: the arena has failed then. */

/** A stack trace: its frames, without code. */
etr_slice etr_redact_trace(etr_redaction *redaction, etr_slice trace);

/** An nn_module_stack. */
etr_slice etr_redact_module_stack(etr_redaction *redaction, etr_slice stack);

/** The path of a module, or of a weight. */
etr_slice etr_redact_path(etr_redaction *redaction, etr_slice path);

/** Any other text of a program, which may be the name of a weight in a graph. */
etr_slice etr_redact_name(etr_redaction *redaction, etr_slice name);

#endif
