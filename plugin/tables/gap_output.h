/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gap_output.h - the numeric gap in the outputs of a comparison. Layer 5.
 */
#ifndef ETR_GAP_OUTPUT_H
#define ETR_GAP_OUTPUT_H

#include "diff_cells.h"
#include "fields.h"

/** Writes the section of a method as text or Markdown: what differs, the worst first, and where it starts. Nothing if neither side logged values. */
void etr_gap_put_section(etr_diff_output *o, const etr_method_pair *method, etr_table_format format);

/** Writes all methods' gaps as one table: what CSV and TSV have where only values are asked for. */
void etr_gap_write_table(etr_diff_output *o);

/** Writes the key numeric_gap. */
void etr_field_gaps(const etr_fields *fields, const etr_method_pair *method);

#endif
