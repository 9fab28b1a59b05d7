/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shortest.h - the shortest decimal number that reads back as a double. Layer 0.
 */
#ifndef ETR_SHORTEST_H
#define ETR_SHORTEST_H

#include <stdint.h>

/** digits * 10^exponent. */
typedef struct etr_decimal {
  uint64_t digits;
  int exponent;
} etr_decimal;

/** Returns the decimal number with the fewest digits that is read as this value and, of those, the
 * nearest to it. The last digit is not 0, unless the number is. value: finite and not negative. */
etr_decimal etr_shortest(double value);

#endif
