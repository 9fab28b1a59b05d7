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
  const etr_node *node;
  const etr_numeric_gap *gap, *local; /* NULL: not compared */
} etr_accuracy_row;

etr_accuracy_row etr_accuracy_row_of(etr_arena *arena, const etr_accuracy *accuracy, const etr_value_accuracy *value);

/** Returns "aten_softmax_default in layers.0 (models.py:78)". */
const char *etr_accuracy_place(const etr_accuracy_row *row);

/** Returns an SNR for people: "12.9", "equal", "3 NaN/inf". */
etr_cell etr_accuracy_snr(etr_arena *arena, const etr_numeric_gap *gap);

/** Returns one line about the worst output and the value that is most suspicious: "output 22.0 dB from the program of
 * f32.etrecord; aten_softmax_default in layers.0 adds most: 12.9 dB". NULL if no value was compared. */
const char *etr_accuracy_line(etr_arena *arena, const etr_accuracy *accuracy);

#endif
