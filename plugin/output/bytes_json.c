/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bytes_json.c - text where it is text, base64 where it is not.
 */
#include "output/bytes_json.h"

#include "base/utf8.h"

/* A NUL is text too, but none that a program expects. */
static bool is_text(etr_bytes bytes) {
  for (size_t at = 0, size; at < bytes.size; at += size) {
    size = bytes.data[at] ? etr_utf8_size(bytes.data + at, bytes.size - at) : 0;
    if (size == 0) return false;
  }
  return true;
}

static char *base64_of(etr_arena *arena, etr_bytes bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const char prefix[] = "base64:";
  char *text = etr_arena_alloc(arena, sizeof prefix + (bytes.size + 2) / 3 * 4), *at = text + sizeof prefix - 1;
  if (!text) return NULL;
  memcpy(text, prefix, sizeof prefix);
  for (size_t i = 0; i < bytes.size; i += 3) {
    uint32_t bits = 0;
    size_t left = ETR_MIN(bytes.size - i, 3);
    for (size_t k = 0; k < left; k++) bits |= (uint32_t)(unsigned char)bytes.data[i + k] << (16 - 8 * k);
    for (size_t k = 0; k < 4; k++) *at++ = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

void etr_jw_bytes(etr_jw *json, etr_arena *arena, etr_bytes bytes) {
  if (bytes.size && is_text(bytes))
    etr_jw_slice(json, (etr_slice){bytes.data, bytes.size});
  else
    etr_jw_string(json, bytes.size ? base64_of(arena, bytes) : NULL);
}
