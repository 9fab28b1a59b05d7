/* SPDX-License-Identifier: BSD-3-Clause
 *
 * zip_layout.c - the end of a zip, its central directory, and the bytes that each entry takes.
 */
#include "formats/zip_layout.h"

#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>

/* ---- The end of a zip ---- */

enum {
  END_BYTES = 22,     /* end-of-central-directory record, without its comment */
  LOCATOR_BYTES = 20, /* zip64: stands before that record */
  END64_BYTES = 56,   /* zip64: stands before the locator */
  COMMENT_BYTES = 65535,
  TAIL_BYTES = COMMENT_BYTES + END_BYTES + LOCATOR_BYTES + END64_BYTES,
  HEADER_BYTES = 46,      /* of an entry in the central directory, without its name, extra fields and comment */
  REST_BYTES = 3 * 65535, /* of these at most */
  LOCAL_BYTES = 30,       /* of the header in front of an entry's data, without its name */
};

#define LOCAL_MAGIC "PK\3\4"
#define DIRECTORY_MAGIC "PK\1\2"
#define END_MAGIC "PK\5\6"
#define LOCATOR_MAGIC "PK\6\7"
#define END64_MAGIC "PK\6\6"

typedef struct zip_end {
  uint64_t at; /* where the central directory ends */
  uint64_t entries, directory_size, directory_offset;
} zip_end;

static bool is_magic(etr_slice bytes, size_t at, const char magic[4]) {
  return at <= bytes.size && bytes.size - at >= 4 && memcmp(bytes.data + at, magic, 4) == 0;
}

static bool holds_magic(etr_slice bytes, const char magic[4]) {
  for (size_t at = 0; at + 4 <= bytes.size; at++)
    if (is_magic(bytes, at, magic)) return true;
  return false;
}

static uint64_t load(etr_slice bytes, size_t at, size_t width) { return etr_load_le(bytes.data + at, width); }

/* Reads the last end record in the tail, which starts at tail_at of the file; false if there is none. */
static bool parse_end(zip_end *out, etr_slice tail, uint64_t tail_at) {
  if (tail.size < END_BYTES) return false;
  size_t at = tail.size - END_BYTES;
  while (!is_magic(tail, at, END_MAGIC))
    if (at-- == 0) return false;
  *out = (zip_end){tail_at + at, load(tail, at + 10, 2), load(tail, at + 12, 4), load(tail, at + 16, 4)};
  if (at < LOCATOR_BYTES + END64_BYTES || !is_magic(tail, at - LOCATOR_BYTES, LOCATOR_MAGIC)) return true;
  at -= LOCATOR_BYTES + END64_BYTES;
  if (is_magic(tail, at, END64_MAGIC))
    *out = (zip_end){tail_at + at, load(tail, at + 32, 8), load(tail, at + 40, 8), load(tail, at + 48, 8)};
  return true;
}

static etr_status fail_without_end(const etr_seekable *file, etr_slice tail, const char *path, etr_error *error) {
  char head[4096];
  size_t head_size = (size_t)ETR_MIN(file->size, (uint64_t)sizeof head);
  if (file->size == 0) return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0, "the file is empty");
  bool was_zip = (etr_seekable_read(file, 0, head, head_size) &&
                  holds_magic((etr_slice){head, head_size}, LOCAL_MAGIC)) ||
                 holds_magic(tail, LOCAL_MAGIC);
  if (was_zip)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, file->size,
                    "truncated: the zip has no central directory at its end");
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0, "not a zip file");
}

/* How many bytes stand before the zip, by which all its offsets are too small. */
static etr_status find_prefix(uint64_t *prefix, const etr_seekable *file, const zip_end *end, const char *path,
                              etr_error *error) {
  if (end->directory_size > end->at || end->directory_offset > end->at - end->directory_size)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, end->at,
                    "damaged zip: the central directory does not fit into the file");
  if (end->entries > end->directory_size / HEADER_BYTES)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, end->at,
                    "damaged zip: the central directory is too small for its entries");
  char magic[4];
  uint64_t start = end->at - end->directory_size;
  bool starts_there = end->directory_size && etr_seekable_read(file, start, magic, 4) &&
                      memcmp(magic, DIRECTORY_MAGIC, 4) == 0;
  /* Something between directory and end record: then the offset is all there is to go by. */
  *prefix = starts_there || end->directory_size == 0 ? start - end->directory_offset : 0;
  return ETR_OK;
}

static etr_status locate(zip_end *end, const etr_seekable *file, const char *path, etr_error *error) {
  uint64_t size = file->size;
  size_t tail_size = (size_t)ETR_MIN(size, (uint64_t)TAIL_BYTES);
  char *tail = malloc(tail_size + 1);
  etr_status status = ETR_OK;
  if (!tail)
    status = etr_fail_memory_of(error, path, NULL);
  else if (!etr_seekable_read(file, size - tail_size, tail, tail_size))
    status = etr_fail(error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET, "cannot read: %s", strerror(errno));
  else if (!parse_end(end, (etr_slice){tail, tail_size}, size - tail_size))
    status = fail_without_end(file, (etr_slice){tail, tail_size}, path, error);
  free(tail);
  return status;
}

/* ---- Entries that overlap ---- */

/* The bytes that an entry takes at least: what else its own header may hold is left out, and so are more data than the
 * zip has, which are refused when they are read. */
typedef struct span {
  uint64_t start, end;
  uint64_t at; /* of its entry in the directory */
  size_t directory_bytes, name_size;
} span;

/* A size or offset of a directory's entry, which zip64 has among the extra fields, one behind the other. */
static uint64_t load_wide(etr_slice header, size_t at, etr_slice *wide) {
  uint64_t value = load(header, at, 4);
  if (value != UINT32_MAX || wide->size < 8) return value;
  value = load(*wide, 0, 8);
  *wide = (etr_slice){wide->data + 8, wide->size - 8};
  return value;
}

/* The extra field of zip64; empty if there is none. */
static etr_slice find_zip64(etr_slice extra) {
  enum { ZIP64 = 1, HEAD = 4 };
  while (extra.size >= HEAD) {
    size_t size = (size_t)load(extra, 2, 2);
    if (size > extra.size - HEAD) break;
    if (load(extra, 0, 2) == ZIP64) return (etr_slice){extra.data + HEAD, size};
    extra = (etr_slice){extra.data + HEAD + size, extra.size - HEAD - size};
  }
  return (etr_slice){0};
}

/* Reads the entry that is at a place of the directory. rest: room for its name, extra fields and comment. False: there
 * is none. */
static bool next_span(span *out, const etr_seekable *file, uint64_t at, char *rest, uint64_t zip_size) {
  char bytes[HEADER_BYTES];
  etr_slice header = {bytes, sizeof bytes};
  if (!etr_seekable_read(file, at, bytes, sizeof bytes) || !is_magic(header, 0, DIRECTORY_MAGIC)) return false;
  size_t name = (size_t)load(header, 28, 2), extra = (size_t)load(header, 30, 2), comment = (size_t)load(header, 32, 2);
  if (!etr_seekable_read(file, at + sizeof bytes, rest, name + extra + comment)) return false;
  etr_slice wide = find_zip64((etr_slice){rest + name, extra});
  load_wide(header, 24, &wide); /* the size of what it expands to stands first */
  uint64_t compressed = load_wide(header, 20, &wide), start = load_wide(header, 42, &wide);
  *out = (span){
      .start = ETR_MIN(start, zip_size), .directory_bytes = sizeof bytes + name + extra + comment, .name_size = name};
  out->end = out->start + LOCAL_BYTES + name + (compressed <= zip_size ? compressed : 0);
  return true;
}

static int by_start(const void *a, const void *b) {
  const span *x = a, *y = b;
  return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : (x->end > y->end) - (x->end < y->end);
}

static etr_status fail_overlap(const etr_seekable *file, const span *entry, const span *other, const char *path,
                               etr_error *error) {
  char names[2][sizeof error->entry] = {"", ""};
  const span *const spans[] = {entry, other};
  for (size_t i = 0; i < 2; i++)
    etr_seekable_read(file, spans[i]->at + HEADER_BYTES, names[i], ETR_MIN(spans[i]->name_size, sizeof names[i] - 1));
  return etr_fail(error, ETR_ERROR_FORMAT, path, names[0], ETR_NO_OFFSET,
                  "it overlaps with %s: overlapping entries are refused", names[1]);
}

static etr_status check_spans(const etr_seekable *file, span *spans, size_t count, const char *path, etr_error *error) {
  etr_sort(spans, count, sizeof *spans, by_start);
  for (size_t i = 1; i < count; i++)
    if (spans[i].start < spans[i - 1].end) return fail_overlap(file, &spans[i], &spans[i - 1], path, error);
  return ETR_OK;
}

/* zip_size: from its first header on. A directory that is damaged is libzip's to refuse. */
static etr_status check_entries(etr_arena *arena, const etr_seekable *file, uint64_t directory_at, uint64_t zip_size,
                                const char *path, etr_error *error) {
  etr_vec(span) spans = {0};
  span next;
  char *rest = etr_arena_alloc_raw(arena, REST_BYTES);
  for (uint64_t at = directory_at; rest && next_span(&next, file, at, rest, zip_size); at += next.directory_bytes) {
    span *added = etr_vec_push(arena, &spans);
    if (!added) break;
    *added = next;
    added->at = at;
  }
  return etr_arena_failed(arena) ? etr_fail_memory_of(error, path, NULL)
                                 : check_spans(file, spans.data, spans.count, path, error);
}

etr_status etr_zip_measure(uint64_t *prefix, const etr_seekable *file, const char *path, etr_error *error) {
  zip_end end = {0};
  ETR_TRY(locate(&end, file, path, error));
  ETR_TRY(find_prefix(prefix, file, &end, path, error));
  etr_arena arena = {0};
  etr_status status = check_entries(&arena, file, *prefix + end.directory_offset, file->size - *prefix, path, error);
  etr_arena_clear(&arena);
  return status;
}
