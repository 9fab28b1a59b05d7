/* SPDX-License-Identifier: BSD-3-Clause
 *
 * random.h - random numbers, which are the same in each test run.
 */
#ifndef ETR_TEST_RANDOM_H
#define ETR_TEST_RANDOM_H

#include <math.h>
#include <stdint.h>

/* Returns a number from 0 to below 1, by the generator of Knuth's MMIX. */
static inline double random_real(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Returns a number of the standard normal distribution, by the method of Box and Muller. */
static inline double random_normal(uint64_t *seed) {
  double radius = sqrt(-2 * log(1 - random_real(seed)));
  return radius * cos(6.283185307179586 * random_real(seed));
}

#endif
