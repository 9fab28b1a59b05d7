/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_text.h - the bytes JSON is written in: searching them, and decoding escapes and numbers. Knows nothing of readers. Layer 1.
 */
#ifndef ETR_JSON_TEXT_H
#define ETR_JSON_TEXT_H

#include "base.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
  ETR_JSON_MAX_NUMBER = 400, /* bytes of a number */
  ETR_JSON_MAX_ESCAPE = 12,  /* bytes of an escape: a surrogate pair */
  ETR_JSON_MAX_UTF8 = 4,     /* bytes an escape decodes to */
};

/** The first quote or backslash in [at, end), or end. */
static inline const char *etr_json_find_quote(const char *at, const char *end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  for (; end - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    int found = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
    if (found) return at + __builtin_ctz((unsigned)found);
  }
#endif
  while (at < end && *at != '"' && *at != '\\') at++;
  return at;
}

/** True if the byte at `at` is escaped: an odd number of backslashes stands in front of it, not counting what is before `start`. */
static inline bool etr_json_is_escaped(const char *start, const char *at) {
  const char *run = at;
  while (run > start && run[-1] == '\\') run--;
  return (at - run) % 2 != 0;
}

/** The quote that ends a string, or end: looks in [at, end); the string starts at `start`. */
static inline const char *etr_json_find_end(const char *start, const char *at, const char *end) {
  for (; at < end; at++) {
    at = memchr(at, '"', (size_t)(end - at));
    if (!at) return end;
    if (!etr_json_is_escaped(start, at)) return at;
  }
  return end;
}

/** '[' and '{', ']' and '}' differ in one bit, which this sets: of each pair the brace is left. */
static inline char etr_json_to_brace(char c) { return (char)(c | 0x20); }

/** The first quote or bracket of any kind in [at, end), or end. */
static inline const char *etr_json_find_bracket(const char *at, const char *end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'), brace_bit = _mm_set1_epi8(0x20);
  for (; end - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at), braces = _mm_or_si128(bytes, brace_bit);
    __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(braces, open), _mm_cmpeq_epi8(braces, close));
    int found = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), brackets));
    if (found) return at + __builtin_ctz((unsigned)found);
  }
#endif
  while (at < end && *at != '"' && etr_json_to_brace(*at) != '{' && etr_json_to_brace(*at) != '}') at++;
  return at;
}

/**
 * Decodes the escape at `at`, a backslash, into at most ETR_JSON_MAX_UTF8 bytes: *written. Returns the bytes it took, 0 if it is not one. A pair
 * of surrogates is one escape; a single surrogate becomes U+FFFD.
 */
size_t etr_json_unescape(const char *at, const char *end, char *into, size_t *written);

/** True if all of the text is a number as RFC 8259 has it. */
bool etr_json_is_number(etr_slice text);

/** The value of a text that etr_json_is_number(), of at most ETR_JSON_MAX_NUMBER bytes, in any locale. */
double etr_json_to_double(etr_slice number);

#endif
