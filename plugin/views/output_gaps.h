/* SPDX-License-Identifier: BSD-3-Clause
 *
 * output_gaps.h - what a method returned beside the record's reference outputs. Layer 4.
 */
#ifndef ETR_OUTPUT_GAPS_H
#define ETR_OUTPUT_GAPS_H

#include "output/sheet.h"

/** Writes a section of a text: for each output the run that is furthest from its reference. Nothing if none was
 * compared. */
void etr_put_output_gaps(etr_answer *answer, uint32_t method);

/** Writes the key output_gaps: a list of all runs' outputs. */
void etr_field_output_gaps(const etr_fields *fields, uint32_t method);

/** Writes the keys of a gap: mse, l1, max_abs_error, snr_db, elements, left_out, unlike. NULL: nulls. */
void etr_field_gap(const etr_fields *fields, const etr_numeric_gap *gap);

enum { ETR_GAP_DIGITS = 4 }; /* of errors, for people */

/** The signal-to-noise ratio for people: "equal" where nothing differs, or how many NaN or infinities differ. gap may
 * be NULL: not known. */
etr_cell etr_gap_snr(etr_arena *arena, const etr_numeric_gap *gap);

#endif
