/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base64.c - three bytes are four characters of six bits each.
 */
#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void etr_base64_encode(char *out, etr_slice bytes) {
  for (size_t i = 0; i < bytes.size; i += 3) {
    uint32_t bits = 0;
    size_t byte_count = ETR_MIN(bytes.size - i, 3);
    for (size_t k = 0; k < byte_count; k++)
      bits |= (uint32_t)(unsigned char)bytes.data[i + k] << (16 - 8 * k);
    for (size_t k = 0; k < 4; k++)
      *out++ = k <= byte_count ? digits[bits >> (18 - 6 * k) & 63] : '=';
  }
}

/* Per character: its six bits, plus 1; 0 for characters that are not base64. */
static const uint8_t values[UINT8_MAX + 1] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64};

/* Returns the six bits of a character; -1 if it is not base64. */
static inline int value_of(char c) {
  return values[(unsigned char)c] - 1;
}

bool etr_base64_is_digit(char c) {
  return value_of(c) >= 0;
}

/* The bits that padding leaves over must be 0, as encoders write them. */
bool etr_base64_decode(void *out, size_t *size, etr_slice text) {
  uint8_t *next = out;
  uint32_t bits = 0;
  size_t padding = 0;
  while (padding < 2 && padding < text.size && text.data[text.size - 1 - padding] == '=')
    padding++;

  *size = 0;
  if (text.size % 4 != 0)
    return false;
  for (size_t i = 0; i < text.size; i++) {
    int value = i < text.size - padding ? value_of(text.data[i]) : 0;
    if (value < 0)
      return false;
    bits = bits << 6 | (uint32_t)value;
    if (i % 4 != 3)
      continue;
    size_t byte_count = i + 1 == text.size ? 3 - padding : 3;
    if (bits & ((1u << 8 * (3 - byte_count)) - 1))
      return false;
    for (size_t k = 0; k < byte_count; k++)
      *next++ = (uint8_t)(bits >> (16 - 8 * k));
    bits = 0;
  }
  *size = (size_t)(next - (uint8_t *)out);
  return true;
}
