/* SPDX-License-Identifier: BSD-3-Clause
 *
 * hiding.h - other names for what a record tells of its model: files and functions, modules, classes and weights.
 * Layer 3.
 *
 * One name becomes one name, wherever it stands, so that whatever was joined by it still is. Names are given in the
 * order in which etr_hiding_learn() and the other calls meet them, so that reading again gives the same.
 */
#ifndef ETR_HIDING_H
#define ETR_HIDING_H

#include "base/arena.h"

typedef struct etr_hiding {
  etr_arena arena;
  etr_map files, parts, classes; /* numbers of their new names */
  etr_map values, taken;         /* of weights in graphs: numbers in new_values; names that are given */
  etr_vec(const char *) new_values;
  bool renames;       /* false: only files and functions get other names */
  etr_vec(char) text; /* what the last call gave */
} etr_hiding;

void etr_hiding_init(etr_hiding *hiding, bool renames);
void etr_hiding_clear(etr_hiding *hiding);

/** Learns the names of a graph's modules and weights. */
void etr_hiding_learn(etr_hiding *hiding, const etr_graph *graph);

/* What the text becomes; lives until the next call. Empty when out of memory: the arena has failed then. */

/** A stack trace: its frames, without code. */
etr_slice etr_hide_trace(etr_hiding *hiding, etr_slice trace);

/** An nn_module_stack. */
etr_slice etr_hide_module_stack(etr_hiding *hiding, etr_slice stack);

/** The path of a module, or of a weight. */
etr_slice etr_hide_path(etr_hiding *hiding, etr_slice path);

/** Any other text of a program, which may be the name of a weight in a graph. */
etr_slice etr_hide_name(etr_hiding *hiding, etr_slice name);

#endif
