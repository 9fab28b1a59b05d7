/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_text.h - the bytes JSON is written in: searching them, and decoding escapes. Knows nothing of
 * readers. Layer 1.
 */
#ifndef ETR_JSON_TEXT_H
#define ETR_JSON_TEXT_H

#include "base/base.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
  ETR_JSON_MAX_ESCAPE = 12, /* bytes of an escape: a surrogate pair */
  ETR_JSON_MAX_UTF8 = 4,    /* bytes an escape decodes to */
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

#if defined(__SSE2__)
/** A bit for each of 64 bytes that is `wanted`. */
static inline uint64_t etr_json_find_64(const char *at, char wanted) {
  const __m128i each = _mm_set1_epi8(wanted);
  uint64_t found = 0;
  for (int i = 0; i < 4; i++) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
    found |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, each)) << (16 * i);
  }
  return found;
}
#endif

/**
 * A bit for each of 64 bytes that is escaped, given one for each backslash. *carry: whether the first is, and then,
 * whether the one behind the last is. Of a run of backslashes every other one escapes what follows. Subtracting the run
 * from the bits behind its backslashes borrows through the run, and leaves bits whose place, even or odd, tells which
 * those are.
 */
static inline uint64_t etr_json_escaped_64(uint64_t backslashes, uint64_t *carry) {
  const uint64_t odd = 0xAAAAAAAAAAAAAAAAu;
  uint64_t runs = backslashes & ~*carry;
  uint64_t codes = (((runs << 1) | odd) - runs) ^ odd;
  uint64_t escaped = codes ^ (backslashes | *carry);
  *carry = (codes & backslashes) >> 63;
  return escaped;
}

/** The quote that ends a string, in [at, end), or end. *carry: whether the first byte is escaped, and then, whether the
 * one at the end is; 0 or 1. */
static inline const char *etr_json_find_end(const char *at, const char *end, uint64_t *carry) {
#if defined(__SSE2__)
  for (; end - at >= 64; at += 64) {
    uint64_t quotes = etr_json_find_64(at, '"') & ~etr_json_escaped_64(etr_json_find_64(at, '\\'), carry);
    if (quotes) return at + __builtin_ctzll(quotes);
  }
#endif
  for (; at < end; at++) {
    if (*carry == 0 && *at == '"') return at;
    *carry = *carry == 0 && *at == '\\';
  }
  return end;
}

/** '[' and '{', ']' and '}' differ in one bit, which this sets: of each pair the brace is left. */
static inline char etr_json_to_brace(char c) { return (char)(c | 0x20); }

/** The first quote or bracket of any kind in [at, end), or end. */
static inline const char *etr_json_find_bracket(const char *at, const char *end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"'), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'),
                brace_bit = _mm_set1_epi8(0x20);
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
 * Decodes the escape at `at`, a backslash, into at most ETR_JSON_MAX_UTF8 bytes: *written. Returns the bytes it took, 0
 * if it is not one. A pair of surrogates is one escape; a single surrogate becomes U+FFFD.
 */
size_t etr_json_unescape(const char *at, const char *end, char *into, size_t *written);

#endif
