/* SPDX-License-Identifier: BSD-3-Clause
 *
 * redaction.h - replaces names in a record that say something about its model: files and functions,
 * modules, classes and weights. Layer 3.
 *
 * Each name gets one new name everywhere, so that whatever was joined by the old name is still
 * joined by the new one. New names are assigned in the order in which the functions below see the
 * old ones, so that the same record always gives the same names.
 */
#ifndef ETR_REDACTION_H
#define ETR_REDACTION_H

#include "base/arena.h"

typedef struct etr_redaction {
  etr_arena arena;
  etr_map files, parts, classes; /* old name -> number of the new name */
  etr_map values,
      taken; /* names of weights in graphs -> index in new_values; new names that are in use */
  etr_vec(const char *) new_values;
  bool renames;       /* false: only files and functions get new names */
  etr_vec(char) text; /* result of the last call */
} etr_redaction;

/** Starts a redaction that has no names yet. `renames`: modules and weights get new names, too.
 * Otherwise only source files and functions do. Clear it with etr_redaction_clear(). */
void etr_redaction_init(etr_redaction *redaction, bool renames);
void etr_redaction_clear(etr_redaction *redaction);

/** Assigns new names to the modules and weights of a graph. Call it for all graphs first, because a
 * program lists its weights only after it used them. */
void etr_redaction_learn(etr_redaction *redaction, const etr_graph *graph);

/* The functions below return the redacted text, which lives until the next call. Empty when out of
 * memory; the arena has failed then. */

/** Redacts a stack trace: keeps its frames, without code. */
etr_slice etr_redact_trace(etr_redaction *redaction, etr_slice trace);

/** Redacts an nn_module_stack. */
etr_slice etr_redact_module_stack(etr_redaction *redaction, etr_slice stack);

/** Redacts the path of a module or of a weight. */
etr_slice etr_redact_path(etr_redaction *redaction, etr_slice path);

/** Redacts any other text of a program, which may be the name of a weight in a graph. */
etr_slice etr_redact_name(etr_redaction *redaction, etr_slice name);

#endif
