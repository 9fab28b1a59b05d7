/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base64.c - three bytes are four characters of six bits each.
 */
#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void etr_base64_encode(char *out, etr_slice bytes) {
  for (size_t i = 0; i < bytes.size; i += 3) {
    uint32_t bits = 0;
    size_t left = ETR_MIN(bytes.size - i, 3);
    for (size_t k = 0; k < left; k++) bits |= (uint32_t)(unsigned char)bytes.data[i + k] << (16 - 8 * k);
    for (size_t k = 0; k < 4; k++) *out++ = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
  }
}

/* -1: none. */
static int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

bool etr_base64_is_digit(char c) { return value_of(c) >= 0; }

static size_t padding_of(etr_slice text) {
  size_t padding = 0;
  while (padding < 2 && padding < text.size && text.data[text.size - 1 - padding] == '=') padding++;
  return padding;
}

bool etr_base64_decode(void *out, size_t *size, etr_slice text) {
  uint8_t *to = out;
  uint32_t bits = 0;
  size_t padding = padding_of(text);
  *size = 0;
  if (text.size % 4 != 0) return false;
  for (size_t i = 0; i < text.size; i++) {
    int value = i < text.size - padding ? value_of(text.data[i]) : 0;
    if (value < 0) return false;
    bits = bits << 6 | (uint32_t)value;
    if (i % 4 != 3) continue;
    size_t left = i + 1 == text.size ? 3 - padding : 3;
    if (bits & ((1u << 8 * (3 - left)) - 1)) return false;
    for (size_t k = 0; k < left; k++) *to++ = (uint8_t)(bits >> (16 - 8 * k));
    bits = 0;
  }
  *size = (size_t)(to - (uint8_t *)out);
  return true;
}
