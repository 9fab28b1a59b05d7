/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reference.h - compares what the runs returned with the reference_outputs of the ETRecord.
 * Layer 3.
 *
 * The entry is {METHOD: [set of outputs, ...]}. The set of a run is found by its bundled input
 * index, if it has one (ExecuTorch's runtime does not set it); else it is the only set; else runs
 * and sets are paired in order, if the method has as many sets as runs that logged outputs.
 * Otherwise nothing is compared.
 */
#ifndef ETR_REFERENCE_H
#define ETR_REFERENCE_H

#include "accuracy/debug_data.h"

/**
 * Fills output_gaps of a profile whose debug values are measured. Warns about references that
 * cannot be read or paired. Errors: ETR_ERROR_IO (the record or the debug buffer vanished),
 * ETR_ERROR_MEMORY.
 */
etr_status etr_reference_compare(etr_profile *profile, etr_arena *arena, etr_warnings *warnings,
                                 etr_error *error);

/** Returns how many values the exported program of an Edge graph returns, without those that it
 * writes to buffers; 0 if the profile does not have it. */
size_t etr_count_exported_outputs(const etr_profile *profile, const etr_graph *edge);

/** Warns of methods that return more than their exported programs: intermediate_output_tap added
 * outputs, and operators around these were not fused. */
void etr_warn_of_taps(const etr_profile *profile, etr_warnings *warnings);

#endif
