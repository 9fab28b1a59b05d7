/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utf8.c - checking and decoding.
 */
#include "base/utf8.h"

/* Returns the size of a character by its first byte; 0 if no character begins with it. */
static size_t size_by_first_byte(unsigned char first) {
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
static bool may_be_second_byte(unsigned char first, unsigned char second) {
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
  size_t size = size_by_first_byte(bytes[0]);
  if (size < 2)
    return size;
  if (size > left || !may_be_second_byte(bytes[0], bytes[1]))
    return 0;
  for (size_t i = 1; i < size; i++)
    if (!etr_utf8_continues(text[i]))
      return 0;
  return size;
}

uint32_t etr_utf8_code(const char *text, size_t size) {
  const unsigned char *bytes = (const unsigned char *)text;
  uint32_t code = size < 2 ? bytes[0] : bytes[0] & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; i++)
    code = code << 6 | (bytes[i] & 0x3F);
  return code;
}

uint32_t etr_character_at(const char *text, size_t *size) {
  *size = 1;
  while (etr_utf8_continues(text[*size]))
    ++*size;
  return etr_utf8_code(text, *size);
}

typedef struct code_range {
  uint32_t first, last;
} code_range;

/* The ranges are C0, DEL and C1; marks, overrides and isolates of the writing direction; line and
 * paragraph separators; the byte order mark; and tag characters, which are invisible. They ascend,
 * so that the search can stop at the first range that starts above the code. */
bool etr_is_control(uint32_t code) {
  static const code_range controls[] = {{0, 0x1F},        {0x7F, 0x9F},      {0x61C, 0x61C},
                                        {0x200E, 0x200F}, {0x2028, 0x202E},  {0x2066, 0x2069},
                                        {0xFEFF, 0xFEFF}, {0xE0000, 0xE007F}};
  for (size_t i = 0; i < sizeof controls / sizeof *controls && controls[i].first <= code; i++)
    if (code <= controls[i].last)
      return true;
  return false;
}
