/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heat.c - the color ramp and the palette.
 */
#include "views/heat.h"

#include "base/base.h"

#include <stdio.h>

/* Light half of ColorBrewer's sequential scheme OrRd, from white. */
static const unsigned char ramp[][3] = {{255, 255, 255}, {254, 232, 200}, {253, 212, 158},
                                        {253, 187, 132}, {252, 141, 89},  {239, 101, 72}};

etr_color etr_heat_color(double heat) {
  const size_t steps = ETR_COUNT(ramp) - 1;
  double position = heat > 0 ? ETR_MIN(heat, 1.0) * (double)steps : 0;
  size_t step = ETR_MIN((size_t)position, steps - 1);
  double within = position - (double)step;
  unsigned mixed[3];
  for (size_t i = 0; i < 3; i++)
    mixed[i] = (unsigned)(ramp[step][i] + (ramp[step + 1][i] - ramp[step][i]) * within + 0.5) &
               0xFF;
  etr_color color;
  snprintf(color.text, sizeof color.text, "#%02x%02x%02x", mixed[0], mixed[1], mixed[2]);
  return color;
}

const char *etr_delegate_color(size_t delegate) {
  /* Paul Tol's "muted" and Okabe and Ito's palettes, without their reds, oranges and yellows. */
  static const char *const palette[] = {"#0072b2", "#009e73", "#aa4499", "#332288",
                                        "#56b4e9", "#999933", "#44aa99", "#882255"};
  return palette[delegate % ETR_COUNT(palette)];
}
