/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utf8.h - finds the characters of texts. Layer 0.
 *
 * Texts of a profile are valid UTF-8. Bytes from elsewhere may be anything; etr_utf8_size() checks
 * them.
 */
#ifndef ETR_UTF8_H
#define ETR_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Returns the size of the valid sequence at the start of a text, which has at least one byte
 * (`left`); 0 if there is none. By RFC 3629 overlong forms and surrogates are invalid. */
size_t etr_utf8_size(const char *text, size_t left);

/** Returns the code point of a valid UTF-8 sequence of `size` bytes. */
uint32_t etr_utf8_code(const char *text, size_t size);

/** Returns the first character of a valid, NUL-terminated text, and sets *size to its size in
 * bytes. */
uint32_t etr_character_at(const char *text, size_t *size);

/** Returns true for control characters, line ends, marks that change the writing direction, and
 * characters that are invisible but read by programs. */
bool etr_is_control(uint32_t character);

/** Returns true for a byte that is not the first one of its character. */
static inline bool etr_utf8_continues(char byte) {
  return ((unsigned char)byte & 0xC0) == 0x80;
}

/** Returns the last index, at or before `at`, that is not inside a character. */
static inline size_t etr_utf8_floor(const char *text, size_t at) {
  while (at > 0 && etr_utf8_continues(text[at]))
    at--;
  return at;
}

#endif
