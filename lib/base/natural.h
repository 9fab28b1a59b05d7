/* SPDX-License-Identifier: BSD-3-Clause
 *
 * natural.h - natural sort: the order of names with numbers that people expect. Layer 0.
 */
#ifndef ETR_NATURAL_H
#define ETR_NATURAL_H

#include "base/base.h"

/** Compares digits as numbers, of any length. Returns 0 also if only zeros in front differ. */
int etr_compare_digits(etr_slice a, etr_slice b);

/** Compares like strcmp(), but digits count as numbers: "layer_2" comes before "layer_10". Returns
 * 0 only for equal texts. */
int etr_natural_compare(const char *a, const char *b);

#endif
