/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_name.c - short names of ETDumps.
 */
#include "dump_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Start and size of a path's last part, of what is left of it. */
static const char *last_part(const char *path, size_t *size) {
  while (*size > 0 && path[*size - 1] == '/') (*size)--;
  size_t start = *size;
  while (start > 0 && path[start - 1] != '/') start--;
  *size -= start;
  return path + start;
}

/* True if all paths, as far as they are left, end in the same part and have another one before it. */
static bool end_alike(const dump_name *names, size_t count) {
  size_t size = names[0].left;
  const char *first = last_part(names[0].path, &size);
  for (size_t i = 0; i < count; i++) {
    size_t other_size = names[i].left;
    const char *other = last_part(names[i].path, &other_size);
    if (other == names[i].path || other_size != size || memcmp(other, first, size) != 0) return false;
  }
  return true;
}

/* Without what ETDumps' names end in. */
static size_t stem_size(const char *part, size_t size) {
  static const char *const endings[] = {".etdp", ".etdump", ".bin"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t ending = strlen(endings[i]);
    if (size > ending && memcmp(part + size - ending, endings[i], ending) == 0) return size - ending;
  }
  return size;
}

static void set_text(dump_name *name) {
  enum { ROOM_FOR_NUMBER = 16 };
  size_t size = name->left;
  const char *part = last_part(name->path, &size);
  size = stem_size(part, size);
  if (size > DUMP_NAME_ROOM - ROOM_FOR_NUMBER) size = DUMP_NAME_ROOM - ROOM_FOR_NUMBER;
  snprintf(name->text, sizeof name->text, "%.*s", (int)size, part);
  if (strcmp(name->path, "-") == 0) snprintf(name->text, sizeof name->text, "stdin");
  if (name->text[strspn(name->text, ".")] == '\0') snprintf(name->text, sizeof name->text, "etdump");
}

static bool is_taken(const dump_name *names, size_t count, const char *text) {
  if (strcmp(text, "dot") == 0) return true; /* the folder of DOT files */
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i].text, text) == 0) return true;
  return false;
}

void dump_names_fill(dump_name *names, size_t count) {
  for (size_t i = 0; i < count; i++) names[i].left = strlen(names[i].path);
  while (count > 1 && end_alike(names, count))
    for (size_t i = 0; i < count; i++) {
      size_t size = names[i].left;
      names[i].left = (size_t)(last_part(names[i].path, &size) - names[i].path);
    }
  for (size_t i = 0; i < count; i++) {
    set_text(&names[i]);
    size_t size = strlen(names[i].text);
    for (unsigned number = 2; is_taken(names, i, names[i].text); number++) snprintf(names[i].text + size, sizeof names[i].text - size, "~%u", number);
  }
}
