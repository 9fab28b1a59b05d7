/* SPDX-License-Identifier: BSD-3-Clause
 *
 * taps.h - taps.json, the list of TapSpecs of ExecuTorch's intermediate_output_tap, and the
 * statistics that a tap returns instead of a tensor. Layer 3.
 *
 * The file is an array of objects: "node_name" (an ATen node), "output_index" (which of the values
 * that the program returns), "reducer_name" and "fields" (names of the statistics, none for a
 * complete tensor). Other keys are ignored.
 */
#ifndef ETR_TAPS_H
#define ETR_TAPS_H

#include "base/warnings.h"
#include "etrecord_accuracy.h"
#include "inputs/tensor_data.h"

typedef struct etr_tap_spec {
  const char *node;          /* name of the ATen node */
  const char *const *fields; /* names of the statistics; none for a complete tensor */
  size_t field_count;
} etr_tap_spec;

typedef struct etr_taps {
  etr_vec(etr_tap_spec) specs;
  etr_map by_output; /* uint32_t output_index -> index into specs */
} etr_taps;

/** Reads a file into the arena of the warnings. If it is damaged, it has no specs, and a warning
 * says why. Lack of memory shows on the arena. */
void etr_taps_read(etr_taps *out, const char *path, etr_warnings *warnings);

/** Reads a taps.json from memory, into the arena of the warnings, which keep the path. */
void etr_taps_parse(etr_taps *out, etr_slice document, const char *path, etr_warnings *warnings);

/** Returns the spec of a value that the program returns, or NULL. */
const etr_tap_spec *etr_taps_find(const etr_taps *taps, uint32_t output);

/** Returns the statistics of a spec, with names only, in the arena; NULL when out of memory. */
etr_tap_statistic *etr_tap_statistics_of(etr_arena *arena, const etr_tap_spec *spec);

/** Sets the values of the statistics to what the device computed, the elements of `view`. Returns
 * NULL on success, or the reason why they cannot be read, for the user. */
const char *etr_tap_set_values(etr_tap_statistic *statistics, size_t count,
                               const etr_tensor_view *view);

/** Computes the statistics min, max, mean, std, abs_max, abs_mean, rms, l1_norm, l2_norm and the
 * counts of NaN, infinities and zeros of a complete tensor of the reference, reading it once. Sets
 * the references of statistics with these names, and their relative differences: 0.01 is 1 %.
 * Returns NULL on success, or the reason why the tensor cannot be read, for the user: a tensor
 * without elements cannot. */
const char *etr_tap_set_references(etr_tap_statistic *statistics, size_t count,
                                   const etr_tensor_view *view);

#endif
