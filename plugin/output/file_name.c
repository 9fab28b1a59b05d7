/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file_name.c - percent-encodes path components.
 */
#include "output/file_name.h"

#include "output/plain_text.h"

enum { MAX_BYTES = 180 }; /* file systems take 255, and callers add endings */

/* Returns true if a character may stand in a name of a file as it is, on every system: no control
 * character, none that Windows or '%' escapes need, no '.' at either end, no blank at the end. */
static bool needs_no_escape(uint32_t character, bool at_start, bool at_end) {
  if (etr_is_control(character) || (character < 0x80 && strchr("/%\\:*?\"<>|", (int)character)))
    return false;
  return !((at_start || at_end) && character == '.') && !(at_end && character == ' ');
}

/* Returns the FNV-1a hash of a text, which is the same on every system. */
static uint32_t fnv1a_hash(const char *text) {
  uint32_t hash = 2166136261u;
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash;
}

char *etr_file_name(etr_arena *arena, const char *text) {
  static const char digits[] = "0123456789ABCDEF";
  size_t size = strlen(text), used = 0, bytes;
  if (size == 0)
    return etr_arena_copy(arena, ETR_SLICE("%"));
  char *name = etr_arena_alloc_array(arena, size + 1, 3);
  if (!name)
    return NULL;
  for (size_t at = 0; at < size && used <= MAX_BYTES; at += bytes) {
    uint32_t character = etr_character_at(text + at, &bytes);
    bool safe = needs_no_escape(character, at == 0, at + bytes == size);
    for (size_t i = 0; i < bytes; i++) {
      unsigned char byte = (unsigned char)text[at + i];
      if (!safe) {
        name[used++] = '%';
        name[used++] = digits[byte >> 4];
      }
      name[used++] = safe ? (char)byte : digits[byte & 15];
    }
  }
  name[used] = '\0';
  if (used <= MAX_BYTES)
    return name;
  /* Different long texts keep different names by the hash of the whole text, 8 digits after '~'. */
  return etr_arena_format(arena, "%.*s~%08x", (int)etr_utf8_floor(name, MAX_BYTES - 10), name,
                          fnv1a_hash(text));
}
