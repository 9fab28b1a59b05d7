/* SPDX-License-Identifier: BSD-3-Clause
 *
 * accuracy_view.h - what outputs say about the accuracy of a value. Layer 4.
 */
#ifndef ETR_ACCURACY_VIEW_H
#define ETR_ACCURACY_VIEW_H

#include "etrecord_accuracy.h"
#include "output/table.h"

/** A value of a comparison, for its fields. */
typedef struct etr_accuracy_row {
  etr_arena *arena;
  const etr_accuracy *accuracy;
  const etr_value_accuracy *value;
  const etr_debug_value *logged; /* as it was logged */
  const etr_graph *graph;
  const etr_node
      *node; /* the operator that computed it: not the quantize node that carries its value */
  const etr_numeric_gap *gap, *local; /* NULL: not compared */
  const char *name; /* for people: "aten_add_tensor", "aten_add_tensor, quantized" for what a
                       quantize node makes of it */
  const char *method, *module, *role, *input_evidence, *reference_evidence;
  const char *backend; /* of the node that logged it; NULL: a kernel */
} etr_accuracy_row;

/** Returns what outputs show of a value that was compared: its name, its node and what was found
 * out about it. Its name is NULL when out of memory. */
etr_accuracy_row etr_accuracy_row_of(etr_arena *arena, const etr_accuracy *accuracy,
                                     const etr_value_accuracy *value);

/** The most suspicious value that the runs logged of a node, of all its outputs and inputs: the
 * first in the ranking. If only a quantize node logged the result of an operator, it is that value.
 */
typedef struct etr_node_accuracy {
  const etr_numeric_gap *gap;   /* NULL: no value of the node was compared */
  const etr_numeric_gap *local; /* NULL: unknown */
  double drop_db;               /* NaN: unknown */
} etr_node_accuracy;

/** Returns an entry for each node of a graph: the method's Edge graph, or its aten/METHOD, where
 * values belong to the nodes that the Edge nodes were lowered from. NULL if the profile has no
 * comparison of this graph's method, or when out of memory. */
const etr_node_accuracy *etr_accuracy_of_nodes(etr_arena *arena, const etr_profile *profile,
                                               const etr_graph *graph);

/** Returns an SNR as a number between -ETR_EQUAL_DB and ETR_EQUAL_DB, for colors and curves:
 * values that differ by NaN or infinities have the lowest. NaN if nothing finite is left to
 * compare. */
double etr_accuracy_capped_snr(const etr_numeric_gap *gap);

/** Returns the heat (see heat.h) of a gap: 1 at 0 dB and below, 0 from ETR_COOL_DB on. */
double etr_accuracy_heat(const etr_numeric_gap *gap);

/** From this SNR on, in dB, nodes have no color: quantization to 8 bits leaves 25 to 45 dB, and
 * what a picture shows should be what is worse than that. */
#define ETR_COOL_DB 60.0

/** Returns the comparison of the values of a graph's method; NULL if there is none. */
const etr_accuracy *etr_accuracy_of_graph(const etr_profile *profile, const etr_graph *graph);

/** Returns the values that people see, in the order of execution: one for each node and output, of
 * several inputs and runs the first in the ranking. NULL when out of memory. */
const etr_value_accuracy *const *
etr_accuracy_worst_inputs(etr_arena *arena, const etr_accuracy *accuracy, size_t *count);

/** Returns what the values were compared with: "this record's own program", "the program of f32",
 * "the record's reference outputs". */
const char *etr_accuracy_of(etr_arena *arena, const etr_accuracy *accuracy);

/** Returns where a value is computed, for people: "aten_softmax_default in layers.0
 * (models.py:78)"; with several methods "aten_softmax_default of decode in layers.0
 * (models.py:78)". NULL when out of memory. */
const char *etr_accuracy_place(const etr_accuracy_row *row);

/** Return an SNR, in dB, for people: as a cell with the number 12.9, or the text "equal" or "3
 * NaN/inf" (gap NULL: an empty cell); as text with its unit, "12.9 dB". */
etr_cell etr_accuracy_snr(etr_arena *arena, const etr_numeric_gap *gap);
const char *etr_accuracy_snr_text(etr_arena *arena, const etr_numeric_gap *gap);

/** Returns the last part of a source file's path and the line as a cell, "models.py:63"; an empty
 * one if source is NULL. */
etr_cell etr_accuracy_source(etr_arena *arena, const etr_source *source);

enum {
  ETR_ACCURACY_CANDIDATES = 3
}; /* suspicious values that are named: the culprit is nearly always among three */

/** Fills `out` with indices of the most suspicious values, of a node's inputs and runs the worst.
 * Returns their number: 0 if no value stands out, which names no layer. */
size_t etr_accuracy_candidates(uint32_t out[ETR_ACCURACY_CANDIDATES], const etr_accuracy *accuracy);

/** Returns true if so many operators computed a value since the last one that was compared that
 * nothing says which of them added an error: its source line does not lead to it. */
bool etr_accuracy_is_vague(const etr_value_accuracy *value);

/** Returns true if a value has an error of its own, and not only those of what it reads, as far as
 * that is known: it is an origin or breaks (see etr_value_accuracy), its local gap is not equal or,
 * where that is not known, its SNR is below that of what it reads. */
bool etr_accuracy_is_suspicious(const etr_value_accuracy *value);

/** Returns why nothing was compared, with what to do: "The runs logged no values: record them with
 * a debug buffer (docs/recording.md)."; NULL if something was. */
const char *etr_accuracy_why_none(etr_arena *arena, const etr_accuracy *accuracy);

/** Returns why a suspicious value is one: "local 12.9 dB, alone it leaves the output 24.1 dB",
 * "24.2 dB below what it reads"; of a value with NaN or infinities that the reference does not
 * have, whether what it reads has some, too. */
const char *etr_accuracy_score(etr_arena *arena, const etr_value_accuracy *value);

/** Returns what values were compared with: "against the program of f32 (f32.safetensors)", or
 * "against the record's reference outputs"; NULL when out of memory. */
const char *etr_accuracy_against(etr_arena *arena, const etr_accuracy *accuracy);

/** Returns one line about the worst output and the value that is most suspicious: "output 22.0 dB;
 * aten_softmax_default in layers.0 (models.py:78) drops most: it has 12.9 dB". NULL if no value was
 * compared. */
const char *etr_accuracy_line(etr_arena *arena, const etr_accuracy *accuracy);

/** Up to this difference statistics are called equal, as values are above ETR_EQUAL_DB. */
#define ETR_EQUAL_STATISTICS 1e-5

/** Returns the largest difference of a value's statistics, see etr_tap_statistic; NaN if none was
 * compared. */
double etr_accuracy_tap_difference(const etr_value_accuracy *value);

/** Returns the statistic with the largest difference in words: "std: 0.5708, reference 0.5711", "12
 * equal", or why none was compared. */
const char *etr_accuracy_tap_text(etr_arena *arena, const etr_value_accuracy *value);

#endif
