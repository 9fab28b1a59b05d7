/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heat.h - colors. Heat is how long something took, from 0 (no time) to 1 (the longest), shown as
 * a fill color; delegates have border colors from a fixed palette. Layer 4.
 */
#ifndef ETR_HEAT_H
#define ETR_HEAT_H

#include <stddef.h>

/** A color as "#rrggbb". */
typedef struct etr_color {
  char text[8];
} etr_color;

/** Returns a color from white for 0 to a strong orange-red for 1; other values count as the nearer
 * end. Lightness decreases steadily, so that color-blind readers and readers of prints see the
 * order, and black text is legible on every color. */
etr_color etr_heat_color(double heat);

/** Returns the color of a delegate's border. No color has a hue of the heat, and after eight
 * delegates the colors repeat. Static. */
const char *etr_delegate_color(size_t delegate);

#endif
