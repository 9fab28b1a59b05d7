/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base64.h - base64 as in RFC 4648, section 4. Layer 0.
 */
#ifndef ETR_BASE64_H
#define ETR_BASE64_H

#include "base/base.h"

/** Returns the number of characters that encode `size` bytes, including padding. */
static inline size_t etr_base64_size(size_t size) {
  return (size + 2) / 3 * 4;
}

/** Encodes bytes: writes etr_base64_size() characters, and no NUL. */
void etr_base64_encode(char *out, etr_slice bytes);

/** Returns true for the characters that encode six bits, which does not include the padding. */
bool etr_base64_is_digit(char c);

/**
 * Decodes a text: writes at most three bytes for four characters, and sets *size. It is strict: it
 * returns false, with *size 0, for any other character, for a length that is not a multiple of
 * four, and for padding that is not at the end or hides bits.
 */
bool etr_base64_decode(void *out, size_t *size, etr_slice text);

#endif
