/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base64.h - base64 as in RFC 4648, section 4. Layer 0.
 */
#ifndef ETR_BASE64_H
#define ETR_BASE64_H

#include "base/base.h"

/** Characters that stand for so many bytes, padding included. */
static inline size_t etr_base64_size(size_t size) { return (size + 2) / 3 * 4; }

/** Writes etr_base64_size() characters, and no NUL. */
void etr_base64_encode(char *out, etr_slice bytes);

/** True for the characters that stand for six bits: not for the padding. */
bool etr_base64_is_digit(char c);

/**
 * Writes what a text stands for, at most three bytes for four characters, and sets *size. Strict: false, and *size 0,
 * for another character, a length that is no multiple of four, or padding that is not at the end or hides bits.
 */
bool etr_base64_decode(void *out, size_t *size, etr_slice text);

#endif
