/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utf8.h - characters of texts. Layer 0.
 *
 * Texts of a profile are valid UTF-8; bytes from elsewhere may be anything, and etr_utf8_size() tells.
 */
#ifndef ETR_UTF8_H
#define ETR_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of the valid sequence at the start of a text of `left` bytes, at least one; 0 if there is none. RFC 3629: no
 * overlong forms, no surrogates. */
size_t etr_utf8_size(const char *text, size_t left);

/** The first character of a valid text that ends with a NUL; *size: its bytes. */
uint32_t etr_character_at(const char *text, size_t *size);

/** True of a byte that is not the first one of its character. */
static inline bool etr_utf8_continues(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

/** The last place, at or before `at`, that is not inside a character. */
static inline size_t etr_utf8_floor(const char *text, size_t at) {
  while (at > 0 && etr_utf8_continues(text[at])) at--;
  return at;
}

#endif
