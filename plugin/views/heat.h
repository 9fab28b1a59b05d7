/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heat.h - colours. Heat is how long something took, from 0 (no time) to 1 (the longest), shown as a fill colour;
 * delegates have border colours from a fixed palette. Layer 4.
 */
#ifndef ETR_HEAT_H
#define ETR_HEAT_H

#include <stddef.h>

/** "#rrggbb". */
typedef struct etr_color {
  char text[8];
} etr_color;

/**
 * From white at 0 to a strong orange-red at 1 (anything else is taken for the nearer end). Lightness falls all the way,
 * so the order can be seen by colour-blind readers and in print, and black text can be read on all of it.
 */
etr_color etr_heat_color(double heat);

/** Colour of a delegate's border: none of the heat's hues. After eight they repeat. Static. */
const char *etr_delegate_color(size_t delegate);

#endif
