/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utf8.c - checking and decoding.
 */
#include "base/utf8.h"

static size_t size_by_first(unsigned char first) {
  if (first < 0x80)
    return 1;
  if (first < 0xC2 || first > 0xF4)
    return 0;
  if (first < 0xE0)
    return 2;
  return first < 0xF0 ? 3 : 4;
}

/* Returns true if a second byte may follow the first. The first byte may restrict its range, to
 * exclude overlong forms, surrogates, and codes above U+10FFFF. */
static bool may_follow(unsigned char first, unsigned char second) {
  switch (first) {
  case 0xE0:
    return second >= 0xA0;
  case 0xED:
    return second < 0xA0;
  case 0xF0:
    return second >= 0x90;
  case 0xF4:
    return second < 0x90;
  default:
    return true;
  }
}

size_t etr_utf8_size(const char *text, size_t left) {
  const unsigned char *bytes = (const unsigned char *)text;
  size_t size = size_by_first(bytes[0]);
  if (size < 2)
    return size;
  if (size > left || !may_follow(bytes[0], bytes[1]))
    return 0;
  for (size_t i = 1; i < size; i++)
    if (!etr_utf8_continues(text[i]))
      return 0;
  return size;
}

uint32_t etr_character_at(const char *text, size_t *size) {
  const unsigned char *at = (const unsigned char *)text;
  size_t bytes = size_by_first(at[0]);
  uint32_t code = bytes < 2 ? at[0] : at[0] & (0xFFu >> (bytes + 1));
  *size = 1;
  while (etr_utf8_continues(text[*size]))
    code = code << 6 | (at[(*size)++] & 0x3F);
  return code;
}
