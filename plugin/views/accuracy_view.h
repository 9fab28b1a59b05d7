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
  const etr_graph *graph;
  const etr_node *node;               /* the operator that computed it: not the quantize node that carries its value */
  const etr_numeric_gap *gap, *local; /* NULL: not compared */
} etr_accuracy_row;

etr_accuracy_row etr_accuracy_row_of(etr_arena *arena, const etr_accuracy *accuracy, const etr_value_accuracy *value);

/** Returns the name of a value for people: "aten_add_tensor", "aten_add_tensor, quantized" for what a quantize node
 * makes of it. */
const char *etr_accuracy_name(const etr_accuracy_row *row);

/** Returns what the values were compared with: "this record's own program", "the program of f32", "the record's
 * reference outputs". */
const char *etr_accuracy_of(etr_arena *arena, const etr_accuracy *accuracy);

/** Returns "aten_softmax_default in layers.0 (models.py:78)". */
const char *etr_accuracy_place(const etr_accuracy_row *row);

/** Return an SNR for people: "12.9", "equal", "3 NaN/inf"; as text with its unit, "12.9 dB". */
etr_cell etr_accuracy_snr(etr_arena *arena, const etr_numeric_gap *gap);
const char *etr_accuracy_snr_text(etr_arena *arena, const etr_numeric_gap *gap);

/** Returns the last part of a source file's path and the line as a cell, "models.py:63"; an empty one if source is
 * NULL. */
etr_cell etr_accuracy_source(etr_arena *arena, const etr_source *source);

/** Returns true if a value has an error of its own, as far as that is known. */
bool etr_accuracy_is_suspicious(const etr_value_accuracy *value);

/** Returns one line about the worst output and the value that is most suspicious: "output 22.0 dB;
 * aten_softmax_default in layers.0 (models.py:78) drops most: it has 12.9 dB". NULL if no value was compared. */
const char *etr_accuracy_line(etr_arena *arena, const etr_accuracy *accuracy);

#endif
