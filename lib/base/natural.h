/* SPDX-License-Identifier: BSD-3-Clause
 *
 * natural.h - the order of names as people expect it. Layer 0.
 */
#ifndef ETR_NATURAL_H
#define ETR_NATURAL_H

/** As strcmp(), but digits count as the number that they write: "layer_2" stands before "layer_10". 0 only for texts
 * that are the same. */
int etr_natural_compare(const char *a, const char *b);

#endif
