/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nearest.h - what a mistyped word may have been meant to be. Layer 6.
 */
#ifndef ETR_NEAREST_H
#define ETR_NEAREST_H

#include <stddef.h>

/** Start with the text and zeroes, show it the words there are; `best` is then the most alike, NULL if none is near. */
typedef struct nearest {
  const char *text;
  size_t size; /* of text */
  const char *best;
  size_t distance; /* of best */
} nearest;

void nearest_try(nearest *n, const char *word);

#endif
