/* SPDX-License-Identifier: BSD-3-Clause
 *
 * info_inputs.h - what is told of inputs besides graphs and runs: logged values, tests of a BundledProgram, weights
 * outside of the program. Layer 5.
 */
#ifndef ETR_INFO_INPUTS_H
#define ETR_INFO_INPUTS_H

#include "output/sheet.h"

typedef struct etr_value_counts {
  size_t tensors, scalars, outputs, read, with_nan, with_inf;
  size_t runs; /* that logged any */
} etr_value_counts;

etr_value_counts etr_value_counts_of(const etr_profile *profile);

/** "105 tensors, 3 scalars in 3 runs"; NULL if nothing was logged. */
const char *etr_info_logged(etr_arena *arena, const etr_profile *profile);

/** "has 3 tests of forward" */
const char *etr_info_tests(etr_arena *arena, const etr_test_set *set);

/** "external weights: 5 tensors, 236 bytes" */
const char *etr_info_weights(etr_arena *arena, const etr_weights *weights);

#endif
