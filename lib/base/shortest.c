/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shortest.c - the shortest decimal number that reads back as a double, by Raffaele Giulietti's
 * Schubfach ("The Schubfach way to render doubles", 2020).
 *
 * A double is c * 2^q. Every number between the middles to its two neighbors is read as it; a
 * middle itself only if c is even. Schubfach scales the double and both middles by a power of ten
 * so that at least two and at most a few integers lie between the middles, and takes the multiple
 * of ten if there is one, or else the nearest integer. 128 bits of the power decide that exactly,
 * as long as what is cut off a product leaves a trace in its last bit.
 */
#include "base/shortest.h"

#include "base/base.h"

#include <string.h>

/* The first 128 bits of a number whose highest bit is set. */
typedef struct bits128 {
  uint64_t high, low;
} bits128;

__extension__ typedef unsigned __int128 product;

enum {
  LEAST_POWER = -304,
  STEP = 16,
  LAST_EXACT = 80,    /* of the powers below, the last of which 192 bits are all */
  FRACTION_BITS = 52, /* of a double */
  EXPONENT_BIAS = 1023 + FRACTION_BITS,
  MOST_EXPONENT = 0x7ff
};

/* floor(10^k * 2^(191 - floor(log2(10^k)))) for each k from LEAST_POWER to 320 in steps of STEP,
 * the highest bits first. In Python, with n = 10**abs(k): n << (192 - n.bit_length()), and for
 * negative k (1 << (n.bit_length() + 191)) // n. */
static const uint64_t powers[][3] = {
    {0x8c71dcd9ba0b4925, 0x9ff0c08b7f1d0b14, 0x855abfaa06f9495a},
    {0x9becce62836ac577, 0x4ee367f9430aec32, 0xbefa78253027da9d},
    {0xad1c8eab5ee43b66, 0xda3243650005eecf, 0x19dea11e79a5dfcc},
    {0xc0314325637a1939, 0xfa911155fefb5308, 0xa23e2ed27766e8cc},
    {0xd5605fcdcf32e1d6, 0xfb1e4a9a90880a64, 0xeb30854f603da8fc},
    {0xece53cec4a314ebd, 0xa4f8bf5635246428, 0x4609ac5c7899ca36},
    {0x8380dea93da4bc60, 0x4247cb9e59f71e6d, 0x78b7ab3af34a60c2},
    {0x91ff83775423cc06, 0x7b6306a34627ddcf, 0x1c5a40917d0fa664},
    {0xa21727db38cb002f, 0xb8ada00e5a506a7c, 0xf1218f2b86615f63},
    {0xb3f4e093db73a093, 0x59ed216765690f56, 0x8fe5b452e6b166cd},
    {0xc7caba6e7c5382c8, 0xfe64a52ee96b8fc0, 0xcbeb481c23d5e711},
    {0xddd0467c64bce4a0, 0xac7cb3f6d05ddbde, 0xe26ca6063461fffa},
    {0xf64335bcf065d37d, 0x4d4617b5ff4a16d5, 0xaa09501d5954a559},
    {0x88b402f7fd75539b, 0x11dbcb0218ebb414, 0x690c0db23e2755ee},
    {0x97c560ba6b0919a5, 0xdccd879fc967d41a, 0x021da8c6f15375a1},
    {0xa87fea27a539e9a5, 0x3f2398d747b36224, 0x2a1fee40d90aab31},
    {0xbb127c53b17ec159, 0x5560c018580d5d52, 0x3a63263a538df733},
    {0xcfb11ead453994ba, 0x67de18eda5814af2, 0x0b5b1aa028ccd99e},
    {0xe69594bec44de15b, 0x4c2ebe687989a9b3, 0xbf716c1add27f085},
    {0x8000000000000000, 0x0000000000000000, 0x0000000000000000},
    {0x8e1bc9bf04000000, 0x0000000000000000, 0x0000000000000000},
    {0x9dc5ada82b70b59d, 0xf020000000000000, 0x0000000000000000},
    {0xaf298d050e4395d6, 0x9670b12b7f410000, 0x0000000000000000},
    {0xc2781f49ffcfa6d5, 0x3cbf6b71c76b25fb, 0x50f8080000000000},
    {0xd7e77a8f87daf7fb, 0xdc33745ec97be906, 0x3298e889d933b040},
    {0xefb3ab16c59b14a2, 0xc5cfe94ef3ea101e, 0x388da035c8f16477},
    {0x850fadc09923329e, 0x03e2cf6bc604ddb0, 0x74a7ef0198791097},
    {0x93ba47c980e98cdf, 0xc66f336c36b10137, 0x0234f3fd7b08dd39},
    {0xa402b9c5a8d3a6e7, 0x5f16206c9c6209a6, 0x39caef6ed62f905b},
    {0xb616a12b7fe617aa, 0x577b986b314d6009, 0x2381cf8591999d63},
    {0xca28a291859bbf93, 0x7d7b8f7503cfdcfe, 0xd11f91ff10629770},
    {0xe070f78d3927556a, 0x85bbe253f47b1417, 0x0f118a2758e233b1},
    {0xf92e0c3537826145, 0xa7709a56ccdf8a82, 0x866caba98a7e2dab},
    {0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f, 0xbc10c5c5cda97c8d},
    {0x9991a6f3d6bf1765, 0xacca6da1e0a8ef29, 0x036ee4519d59a838},
    {0xaa7eebfb9df9de8d, 0xddbb901b98feeab7, 0x851e4cbf3de2f98a},
    {0xbd49d14aa79dbc82, 0x4b2d8644d8a74e18, 0x902215c04ce2a1a9},
    {0xd226fc195c6a2f8c, 0x73832eec6fff3111, 0xe2228cbf49612182},
    {0xe950df20247c83fd, 0x47c6b82ef32a2069, 0x6dfd4ec02564b6b9},
    {0x81842f29f2cce375, 0xe6a1158300d46640, 0x21ceb9ec7b8c62ed},
};

/* ---- Logarithms, exact for the exponents of doubles ---- */

/* Returns floor(log2(10^k)). */
static int floor_log2_of_power(int k) {
  return (k * 1741647) >> 19;
}

/* Returns floor(log10(2^q)), or of 3/4 * 2^q if the lower neighbor is nearer. */
static int floor_log10(int q, bool is_lower_nearer) {
  return (q * 1262611 - (is_lower_nearer ? 524031 : 0)) >> 22;
}

/* ---- Powers of ten ---- */

/* Returns ceil(10^k * 2^(127 - floor(log2(10^k)))) for k from LEAST_POWER to 324: the nearest power
 * of the table below it, times one that fits into 50 bits. What the table leaves out is too little
 * to change the bits that remain, which was tried for each k. */
static bits128 power_of_ten(int k) {
  int step = (k - LEAST_POWER) / STEP, from = LEAST_POWER + step * STEP;
  const uint64_t *power = powers[step];
  uint64_t factor = 1;
  for (int i = from; i < k; i++)
    factor *= 10;
  product low = (product)power[2] * factor, middle = (product)power[1] * factor + (low >> 64),
          high = (product)power[0] * factor + (middle >> 64);
  /* The product has 128 bits more than `shift`, below which are the 64 bits of `low`. */
  int shift = floor_log2_of_power(k) - floor_log2_of_power(from);
  product bits = high << (64 - shift) | (uint64_t)middle >> shift;
  if (shift == 0)
    bits = high << 64 | (uint64_t)middle;
  bool is_exact = from >= 0 && from <= LAST_EXACT && (uint64_t)low == 0 &&
                  ((uint64_t)middle & (((uint64_t)1 << shift) - 1)) == 0;
  bits += !is_exact;
  return (bits128){(uint64_t)(bits >> 64), (uint64_t)bits};
}

/* ---- Scaling ---- */

/* Returns floor(power * factor / 2^128). The last bit is set, too, if what is cut off is not 0, so
 * that comparisons with the result are exact. The power is rounded up, which alone can leave a 1
 * there, but no more. */
static uint64_t multiply_by_power(const bits128 *power, uint64_t factor) {
  product low = (product)power->low * factor;
  product high = (product)power->high * factor;
  high += (uint64_t)(low >> 64);
  return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* A number that 10^exponent makes an integer or nearly so, in quarters, with the middles to its
 * neighbors. */
typedef struct scaled {
  uint64_t lower, value, upper; /* lower, upper: the outermost that are read as this double */
  int exponent;
} scaled;

/* Scales c * 2^q, and the middles between it and its neighbors, to quarters of 10^k, so that the
 * shortest decimal between the middles can be chosen; 10^k is the largest power of ten that is not
 * more than the distance of the neighbors. is_lower_nearer is true if c is a power of two: the
 * double below is then half as far away as the one above. */
static scaled scale_double(uint64_t c, int q, bool is_lower_nearer) {
  int k = floor_log10(q, is_lower_nearer);
  int shift = q + floor_log2_of_power(-k) + 1;
  const bits128 scale = power_of_ten(-k), *power = &scale;
  uint64_t odd = c & 1; /* the middles are not read as this double */
  return (scaled){.lower = multiply_by_power(power, (4 * c - 2 + is_lower_nearer) << shift) + odd,
                  .value = multiply_by_power(power, (4 * c) << shift),
                  .upper = multiply_by_power(power, (4 * c + 2) << shift) - odd,
                  .exponent = k};
}

/* Returns the shortest decimal between the middles, and of those with equally many digits the
 * nearest. Members of *s are quarters, so that 40 of them are ten. There is at most one multiple of
 * ten between the middles, which has a digit less, and which is tried first. Of two equally near
 * ones, the even one is chosen. */
static etr_decimal choose_shortest(const scaled *s) {
  uint64_t whole = s->value / 4;
  uint64_t tens = whole / 10;
  bool fits_tens = s->lower <= 40 * tens;
  bool fits_next_tens = 40 * tens + 40 <= s->upper;
  if (whole >= 10 && fits_tens != fits_next_tens)
    return (etr_decimal){tens + fits_next_tens, s->exponent + 1};
  bool fits_whole = s->lower <= 4 * whole;
  bool fits_next = 4 * whole + 4 <= s->upper;
  if (fits_whole != fits_next)
    return (etr_decimal){whole + fits_next, s->exponent};
  uint64_t middle = 4 * whole + 2;
  bool is_up = s->value > middle || (s->value == middle && (whole & 1));
  return (etr_decimal){whole + is_up, s->exponent};
}

/* ---- Doubles ---- */

/* Moves zeros at the end of the digits into the exponent. */
static etr_decimal without_zeros(etr_decimal decimal) {
  while (decimal.digits > 0 && decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    decimal.exponent++;
  }
  return decimal;
}

/* Takes the double apart into c * 2^q. */
etr_decimal etr_shortest(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint64_t fraction = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
  int exponent = (int)(bits >> FRACTION_BITS & MOST_EXPONENT);
  uint64_t c = exponent > 0 ? fraction | (uint64_t)1 << FRACTION_BITS : fraction;
  int q = (exponent > 0 ? exponent : 1) - EXPONENT_BIAS;
  if (c == 0)
    return (etr_decimal){0, 0};
  if (q <= 0 && q > -FRACTION_BITS - 1 && (c & (((uint64_t)1 << -q) - 1)) == 0)
    return without_zeros((etr_decimal){c >> -q, 0}); /* a small integer */
  const scaled s = scale_double(c, q, fraction == 0 && exponent > 1);
  return without_zeros(choose_shortest(&s));
}
