/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bytes_json.c - text where it is text, base64 where it is not.
 */
#include "output/bytes_json.h"

#include "base/base64.h"
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
  static const char prefix[] = "base64:";
  char *text = etr_arena_alloc(arena, sizeof prefix + etr_base64_size(bytes.size));
  if (!text) return NULL;
  memcpy(text, prefix, sizeof prefix);
  etr_base64_encode(text + sizeof prefix - 1, (etr_slice){bytes.data, bytes.size});
  return text;
}

void etr_jw_bytes(etr_jw *json, etr_arena *arena, etr_bytes bytes) {
  if (bytes.size && is_text(bytes))
    etr_jw_slice(json, (etr_slice){bytes.data, bytes.size});
  else
    etr_jw_string(json, bytes.size ? base64_of(arena, bytes) : NULL);
}
