/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_inputs.h - which input of the reference each run had. Layer 3.
 */
#ifndef ETR_RUN_INPUTS_H
#define ETR_RUN_INPUTS_H

#include "accuracy/reference_file.h"
#include "base/warnings.h"

/** The input of a run. */
typedef struct etr_run_input {
  uint32_t input; /* ETR_NONE: none is known */
  etr_input_evidence evidence;
} etr_run_input;

/**
 * Finds the input of every run of a method that logged values, in the arena; *out has one entry per run of the profile.
 * `buffer` is the profile's debug buffer; NULL if there is none. Warns about what is doubtful. Errors: ETR_ERROR_MEMORY.
 */
etr_status etr_run_inputs_find(etr_run_input **out, const etr_profile *profile, uint32_t method,
                               const etr_reference_file *reference, const etr_seekable *buffer, etr_warnings *warnings);

#endif
