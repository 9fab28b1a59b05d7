/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file_name.c - percent-encoding of path components.
 */
#include "file_name.h"

enum { MAX_BYTES = 180 };

static bool is_c1(const char *at) { return (unsigned char)at[0] == 0xC2 && (unsigned char)at[1] >= 0x80 && (unsigned char)at[1] < 0xA0; }

/* c1: the byte belongs to a control character of two bytes, U+0080 to U+009F. */
static bool is_safe(unsigned char c, bool c1, bool at_edge, bool at_end) {
  if (c < 0x20 || c == 0x7F || c1 || strchr("/%\\:*?\"<>|", c)) return false;
  return !(at_edge && c == '.') && !(at_end && c == ' ');
}

static uint32_t hash_of(const char *text) {
  uint32_t hash = 2166136261u;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash;
}

char *etr_file_name(etr_arena *arena, const char *text) {
  static const char digits[] = "0123456789ABCDEF";
  size_t size = strlen(text), used = 0;
  if (size == 0) return etr_arena_copy(arena, ETR_SLICE("%"));
  char *name = etr_arena_alloc_array(arena, size + 1, 3);
  if (!name) return NULL;
  for (size_t i = 0; i < size && used <= MAX_BYTES; i++) {
    unsigned char c = (unsigned char)text[i];
    bool at_end = i + 1 == size, c1 = is_c1(text + i) || (i > 0 && is_c1(text + i - 1));
    if (is_safe(c, c1, i == 0 || at_end, at_end)) {
      name[used++] = (char)c;
      continue;
    }
    name[used++] = '%';
    name[used++] = digits[c >> 4];
    name[used++] = digits[c & 15];
  }
  name[used] = '\0';
  if (used <= MAX_BYTES) return name;
  for (used = MAX_BYTES - 10; used > 0 && ((unsigned char)name[used] & 0xC0) == 0x80;) used--; /* not inside a UTF-8 character */
  return etr_arena_format(arena, "%.*s~%08x", (int)used, name, hash_of(text));
}
