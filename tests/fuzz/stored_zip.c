/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stored_zip.c - local headers and data, the directory, its end.
 */
#include "stored_zip.h"

#include <stdlib.h>
#include <zlib.h>

enum { LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22 };

typedef struct writer {
  char *at;
} writer;

static void put_bytes(writer *w, const void *data, size_t size) {
  if (size)
    memcpy(w->at, data, size);
  w->at += size;
}

static void put_number(writer *w, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++)
    *w->at++ = (char)(value >> 8 * i);
}

/* What both headers of an entry have: version 2.0, names in UTF-8, stored. */
static void put_common(writer *w, const zip_entry *entry) {
  static const char start[] = "\x14\0\0\x08\0\0\0\0\x21\0";
  put_bytes(w, start, sizeof start - 1);
  put_number(w, (uint32_t)crc32(0, (const Bytef *)entry->data.data, (uInt)entry->data.size), 4);
  put_number(w, (uint32_t)entry->data.size, 4);
  put_number(w, (uint32_t)entry->data.size, 4);
  put_number(w, (uint32_t)entry->name.size, 2);
  put_number(w, 0, 2);
}

static void put_central(writer *w, const zip_entry *entry, uint32_t local) {
  put_bytes(w, "PK\1\2\x14\0", 6);
  put_common(w, entry);
  put_number(w, 0, 2); /* comment, disk, attributes */
  put_number(w, 0, 4);
  put_number(w, 0, 4);
  put_number(w, local, 4);
  put_bytes(w, entry->name.data, entry->name.size);
}

static void put_end(writer *w, size_t count, uint32_t directory, uint32_t size) {
  put_bytes(w, "PK\5\6\0\0\0\0", 8);
  put_number(w, (uint32_t)count, 2);
  put_number(w, (uint32_t)count, 2);
  put_number(w, size, 4);
  put_number(w, directory, 4);
  put_number(w, 0, 2);
}

char *stored_zip(const zip_entry *entries, size_t count, size_t *size) {
  uint32_t *locals = calloc(count + 1, sizeof *locals);
  *size = END_SIZE;
  for (size_t i = 0; i < count; i++)
    *size += LOCAL_SIZE + CENTRAL_SIZE + 2 * entries[i].name.size + entries[i].data.size;
  char *zip = malloc(*size);
  if (!locals || !zip)
    abort();
  writer w = {zip};
  for (size_t i = 0; i < count; i++) {
    locals[i] = (uint32_t)(w.at - zip);
    put_bytes(&w, "PK\3\4", 4);
    put_common(&w, &entries[i]);
    put_bytes(&w, entries[i].name.data, entries[i].name.size);
    put_bytes(&w, entries[i].data.data, entries[i].data.size);
  }
  uint32_t directory = (uint32_t)(w.at - zip);
  for (size_t i = 0; i < count; i++)
    put_central(&w, &entries[i], locals[i]);
  put_end(&w, count, directory, (uint32_t)(w.at - zip) - directory);
  free(locals);
  return zip;
}
