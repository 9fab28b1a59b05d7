/* SPDX-License-Identifier: BSD-3-Clause
 *
 * archive.c - the entries of an ETRecord, through libzip or from a directory.
 */
#include "formats/archive.h"

#include "base/memory_file.h"

#include "base/arena.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zip.h>

/* ---- Where the parts of a zip lie, before libzip sees it ---- */

/* libzip takes offsets literally, its one word for every damage is "not a zip archive", and it
 * reads entries that share their bytes. */

/* ---- The end of a zip ---- */

enum {
  END_BYTES = 22,     /* end-of-central-directory record, without its comment */
  LOCATOR_BYTES = 20, /* zip64: precedes that record */
  END64_BYTES = 56,   /* zip64: precedes the locator */
  COMMENT_BYTES = 65535,
  TAIL_BYTES = COMMENT_BYTES + END_BYTES + LOCATOR_BYTES + END64_BYTES,
  HEADER_BYTES =
      46, /* of an entry in the central directory, without its name, extra fields and comment */
  REST_BYTES = 3 * 65535, /* greatest size of name, extra fields and comment together */
  LOCAL_BYTES = 30,       /* of the header in front of an entry's data, without its name */
};

#define LOCAL_MAGIC "PK\3\4"
#define DIRECTORY_MAGIC "PK\1\2"
#define END_MAGIC "PK\5\6"
#define LOCATOR_MAGIC "PK\6\7"
#define END64_MAGIC "PK\6\6"

typedef struct zip_end {
  uint64_t directory_end; /* offset in the file at which the central directory ends */
  uint64_t entries, directory_size, directory_offset; /* as the record says, sizes in bytes */
} zip_end;

static bool is_magic(etr_slice bytes, size_t at, const char magic[4]) {
  return at <= bytes.size && bytes.size - at >= 4 && memcmp(bytes.data + at, magic, 4) == 0;
}

/* Returns true if bytes contain a zip's magic number anywhere. */
static bool contains_magic(etr_slice bytes, const char magic[4]) {
  for (size_t at = 0; at + 4 <= bytes.size; at++)
    if (is_magic(bytes, at, magic))
      return true;
  return false;
}

static uint64_t load_number(etr_slice bytes, size_t at, size_t width) {
  return etr_load_le(bytes.data + at, width);
}

/* Finds the last end-of-central-directory record in `tail`, the last bytes of a file, which start
 * at the offset tail_at. Sets *out to the offset of the record in the file, the number of entries,
 * and size and offset of the directory. The record of zip64 before it counts instead if there is
 * one. Returns false if the tail has no end record. */
static bool find_end_record(zip_end *out, etr_slice tail, uint64_t tail_at) {
  if (tail.size < END_BYTES)
    return false;
  size_t position = tail.size - END_BYTES;
  while (!is_magic(tail, position, END_MAGIC))
    if (position-- == 0)
      return false;
  *out = (zip_end){tail_at + position, load_number(tail, position + 10, 2),
                   load_number(tail, position + 12, 4), load_number(tail, position + 16, 4)};
  if (position < LOCATOR_BYTES + END64_BYTES ||
      !is_magic(tail, position - LOCATOR_BYTES, LOCATOR_MAGIC))
    return true;
  position -= LOCATOR_BYTES + END64_BYTES;
  if (is_magic(tail, position, END64_MAGIC))
    *out = (zip_end){tail_at + position, load_number(tail, position + 32, 8),
                     load_number(tail, position + 40, 8), load_number(tail, position + 48, 8)};
  return true;
}

/* Fails because a file has no end record, and says why: it is empty, a zip that is cut short (it
 * has headers of entries), or no zip. */
static etr_status fail_without_end(const etr_seekable *file, etr_slice tail, const char *path,
                                   etr_error *error) {
  char head[4096];
  size_t head_size = (size_t)ETR_MIN(file->size, (uint64_t)sizeof head);
  if (file->size == 0)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0, "the file is empty");
  bool was_zip = (etr_seekable_read(file, 0, head, head_size) &&
                  contains_magic((etr_slice){head, head_size}, LOCAL_MAGIC)) ||
                 contains_magic(tail, LOCAL_MAGIC);
  if (was_zip)
    return etr_fail(
        error, ETR_ERROR_FORMAT, path, NULL, file->size,
        "the zip is cut short: it has no central directory at its end; was it copied completely?");
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0,
                  "not a zip file, which every ETRecord is: name the etrecord.bin of the export");
}

/* Reads the end record of a zip. A comment of up to 64 KiB may follow it, so it is searched in the
 * last bytes of the file. Fails if there is none, if the file cannot be read, or when out of
 * memory. */
static etr_status read_end_record(zip_end *end, const etr_seekable *file, const char *path,
                                  etr_error *error) {
  uint64_t size = file->size;
  size_t tail_size = (size_t)ETR_MIN(size, (uint64_t)TAIL_BYTES);
  char *tail = malloc(tail_size + 1);
  etr_status status = ETR_OK;
  if (!tail)
    status = etr_fail_memory_of(error, path, NULL);
  else if (!etr_seekable_read(file, size - tail_size, tail, tail_size))
    status = etr_fail(error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET, "cannot read: %s",
                      strerror(errno));
  else if (!find_end_record(end, (etr_slice){tail, tail_size}, size - tail_size))
    status = fail_without_end(file, (etr_slice){tail, tail_size}, path, error);
  free(tail);
  return status;
}

/* ---- Entries that overlap ---- */

/* The bytes that an entry takes at least. Further fields of its own header do not count, nor do
 * data beyond the end of the zip, which are refused when they are read. */
typedef struct entry_span {
  uint64_t start, end;
  uint64_t header_offset; /* of its header in the central directory, in the file */
  size_t directory_bytes, name_size;
} entry_span;

/* Returns the size or offset at a position of an entry's header in the directory. If it does not
 * fit into 32 bits, it is the next number of the zip64 extra field, and is removed from
 * *zip64_rest, what is left of that field. */
static uint64_t load_size_or_offset(etr_slice header, size_t position, etr_slice *zip64_rest) {
  uint64_t value = load_number(header, position, 4);
  if (value != UINT32_MAX || zip64_rest->size < 8)
    return value;
  value = load_number(*zip64_rest, 0, 8);
  *zip64_rest = (etr_slice){zip64_rest->data + 8, zip64_rest->size - 8};
  return value;
}

/* Returns the content of the zip64 field among an entry's extra fields; empty if there is none. */
static etr_slice find_zip64(etr_slice extra) {
  enum { ZIP64 = 1, HEAD = 4 };
  while (extra.size >= HEAD) {
    size_t size = (size_t)load_number(extra, 2, 2);
    if (size > extra.size - HEAD)
      break;
    if (load_number(extra, 0, 2) == ZIP64)
      return (etr_slice){extra.data + HEAD, size};
    extra = (etr_slice){extra.data + HEAD + size, extra.size - HEAD - size};
  }
  return (etr_slice){0};
}

/* Reads the entry header at an offset of the central directory, and sets *out to the bytes of the
 * zip that the entry takes. `rest` has room for its name, extra fields and comment. A start beyond
 * the zip becomes its end, and a compressed size larger than the zip becomes 0, so that no sum
 * overflows. Returns false if there is no header, which is the end of the directory. */
static bool read_entry_span(entry_span *out, const etr_seekable *file, uint64_t offset, char *rest,
                            uint64_t zip_size) {
  char bytes[HEADER_BYTES];
  etr_slice header = {bytes, sizeof bytes};
  if (!etr_seekable_read(file, offset, bytes, sizeof bytes) ||
      !is_magic(header, 0, DIRECTORY_MAGIC))
    return false;
  size_t name = (size_t)load_number(header, 28, 2);
  size_t extra = (size_t)load_number(header, 30, 2);
  size_t comment = (size_t)load_number(header, 32, 2);
  if (!etr_seekable_read(file, offset + sizeof bytes, rest, name + extra + comment))
    return false;
  etr_slice wide = find_zip64((etr_slice){rest + name, extra});
  load_size_or_offset(header, 24, &wide); /* the uncompressed size, which comes first in zip64 */
  uint64_t compressed = load_size_or_offset(header, 20, &wide);
  uint64_t start = load_size_or_offset(header, 42, &wide);
  *out = (entry_span){
      .start = ETR_MIN(start, zip_size),
      .directory_bytes = sizeof bytes + name + extra + comment,
      .name_size = name,
  };
  out->end = out->start + LOCAL_BYTES + name + (compressed <= zip_size ? compressed : 0);
  return true;
}

/* Compares spans for sorting: by their start, then by their end. */
static int compare_spans(const void *a, const void *b) {
  const entry_span *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

/* Fails because two entries overlap, and names both, as the central directory calls them. A name
 * that cannot be read stays empty in the message. */
static etr_status fail_as_overlapping(const etr_seekable *file, const entry_span *entry,
                                      const entry_span *other, const char *path, etr_error *error) {
  char names[2][sizeof error->entry] = {"", ""};
  const entry_span *const spans[] = {entry, other};
  for (size_t i = 0; i < 2; i++)
    etr_seekable_read(file, spans[i]->header_offset + HEADER_BYTES, names[i],
                      ETR_MIN(spans[i]->name_size, sizeof names[i] - 1));
  return etr_fail(error, ETR_ERROR_FORMAT, path, names[0], ETR_NO_OFFSET,
                  "it overlaps with %s: overlapping entries are refused", names[1]);
}

/* Fails if entries share bytes: no zip tool writes that, but a few kilobytes could so expand to
 * gigabytes. Sorts the spans by their start. */
static etr_status fail_if_overlapping(const etr_seekable *file, entry_span *spans, size_t count,
                                      const char *path, etr_error *error) {
  etr_sort(spans, count, sizeof *spans, compare_spans);
  for (size_t i = 1; i < count; i++)
    if (spans[i].start < spans[i - 1].end)
      return fail_as_overlapping(file, &spans[i], &spans[i - 1], path, error);
  return ETR_OK;
}

/* Sets *prefix to the number of bytes in front of a zip, such as the program of a self-extracting
 * one. All offsets in the zip are too small by that number, and it is the difference between where
 * the central directory is and where the end record says that it is. Fails if the directory does
 * not fit into the file, or is too small for its entries. */
static etr_status measure_prefix(uint64_t *prefix, const zip_end *end, const etr_seekable *file,
                                 const char *path, etr_error *error) {
  if (end->directory_size > end->directory_end ||
      end->directory_offset > end->directory_end - end->directory_size)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, end->directory_end,
                    "damaged zip: the central directory does not fit into the file");
  if (end->entries > end->directory_size / HEADER_BYTES)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, end->directory_end,
                    "damaged zip: the central directory is too small for its entries");
  char magic[4];
  uint64_t start = end->directory_end - end->directory_size;
  bool starts_there = end->directory_size && etr_seekable_read(file, start, magic, 4) &&
                      memcmp(magic, DIRECTORY_MAGIC, 4) == 0;
  /* If the directory does not end at the end record, something is between them: then its offset
   * must be right, and nothing precedes the zip. */
  *prefix = starts_there || end->directory_size == 0 ? start - end->directory_offset : 0;
  return ETR_OK;
}

/* Fails if two entries of the central directory, which starts at an offset of the file, share
 * bytes, or when out of memory. A directory that is damaged is read up to the damage, and libzip
 * refuses it later. */
static etr_status check_entries(const etr_seekable *file, uint64_t directory_start,
                                uint64_t zip_size, const char *path, etr_error *error) {
  etr_arena arena = {0};
  etr_vec(entry_span) spans = {0};
  entry_span next;
  char *rest = etr_arena_alloc_raw(&arena, REST_BYTES);
  uint64_t offset = directory_start;
  while (rest && read_entry_span(&next, file, offset, rest, zip_size)) {
    entry_span *added = etr_vec_push(&arena, &spans);
    if (!added)
      break;
    *added = next;
    added->header_offset = offset;
    offset += next.directory_bytes;
  }
  etr_status status = etr_arena_failed(&arena)
                          ? etr_fail_memory_of(error, path, NULL)
                          : fail_if_overlapping(file, spans.data, spans.count, path, error);
  etr_arena_clear(&arena);
  return status;
}

/* Checks where the parts of a zip are before libzip sees it, and sets *prefix to the number of
 * bytes before the zip. Fails if it is no zip or is cut short, if entries overlap, if it cannot be
 * read, or when out of memory. */
static etr_status check_layout(uint64_t *prefix, const etr_seekable *file, const char *path,
                               etr_error *error) {
  zip_end end = {0};
  ETR_TRY(read_end_record(&end, file, path, error));
  ETR_TRY(measure_prefix(prefix, &end, file, path, error));
  uint64_t directory_start = *prefix + end.directory_offset;
  return check_entries(file, directory_start, file->size - *prefix, path, error);
}

/* ---- The entries of an ETRecord, through libzip or from a directory ---- */

enum { MAX_DEPTH = 16 }; /* of an unpacked record's directories */

typedef struct archive_entry {
  const char *name;
  const char *path;   /* of an unpacked record; else NULL */
  uint64_t zip_index; /* of a zip */
  uint64_t size;
} archive_entry;

struct etr_archive {
  etr_arena arena;
  const char *path;
  zip_t *zip;              /* NULL: an unpacked record */
  uint64_t zip_size;       /* from the first header on */
  uint64_t expanded_bytes; /* what was opened so far, decompressed */
  etr_vec(archive_entry) entries;
  etr_map by_name;
};

struct etr_archive_entry {
  const etr_archive *archive;
  const archive_entry *entry;
  zip_file_t *zip_file;
  FILE *file;
  uint64_t size;   /* of all that is to be read */
  uint64_t offset; /* what was read */
  bool is_at_end;
  etr_status status;
  etr_error error;
};

/* ---- Opening ---- */

/* Fails for the reason that libzip gives. `entry` is the name of the entry that was read, and
 * `offset` a position in its content in bytes; NULL stands for the whole zip. The status is
 * ETR_ERROR_FORMAT unless reading the file failed (ETR_ERROR_IO), or memory ran out. */
static etr_status fail_as_libzip_says(etr_error *error, const char *path, const char *entry,
                                      uint64_t offset, zip_error_t *reason) {
  switch (zip_error_code_zip(reason)) {
  case ZIP_ER_MEMORY:
    return etr_fail_memory_of(error, path, NULL);
  case ZIP_ER_OPEN:
  case ZIP_ER_READ:
  case ZIP_ER_SEEK:
  case ZIP_ER_TELL:
    return etr_fail(error, ETR_ERROR_IO, path, entry, offset, "cannot read: %s",
                    zip_error_strerror(reason));
  case ZIP_ER_CRC:
    return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset, "damaged: the CRC-32 is wrong");
  case ZIP_ER_COMPNOTSUPP:
    return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset, "unsupported compression method");
  case ZIP_ER_NOPASSWD:
  case ZIP_ER_ENCRNOTSUPP:
    return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset,
                    "encrypted, which is not supported");
  default:
    return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset,
                    entry ? "damaged: %s"
                          : "damaged zip: its central directory cannot be read (%s)",
                    zip_error_strerror(reason));
  }
}

/* Adds the entries of the zip, without its directories. A name that libzip cannot convert to UTF-8
 * is taken as it is. Fails if the central directory is damaged. When out of memory, the archive's
 * arena has failed. */
static etr_status list_zip_entries(etr_archive *archive, etr_error *error) {
  zip_int64_t count = zip_get_num_entries(archive->zip, 0);
  if (count >= (zip_int64_t)ETR_NONE)
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, NULL, ETR_NO_OFFSET,
                    "too many entries");
  for (zip_int64_t i = 0; i < count; i++) {
    zip_uint64_t index = (zip_uint64_t)i;
    zip_stat_t stat;
    const char *name = zip_get_name(archive->zip, index, ZIP_FL_ENC_GUESS);
    if (!name)
      name = zip_get_name(archive->zip, index, ZIP_FL_ENC_RAW);
    if (!name || zip_stat_index(archive->zip, index, ZIP_FL_UNCHANGED, &stat) != 0)
      return fail_as_libzip_says(error, archive->path, NULL, ETR_NO_OFFSET,
                                 zip_get_error(archive->zip));
    if (etr_slice_ends(etr_slice_of(name), ETR_SLICE("/")))
      continue;
    const char *text = etr_arena_text(&archive->arena, etr_slice_of(name));
    archive_entry *entry = text ? etr_vec_push(&archive->arena, &archive->entries) : NULL;
    if (!entry)
      break;
    *entry = (archive_entry){
        .name = text,
        .zip_index = index,
        .size = stat.valid & ZIP_STAT_SIZE ? stat.size : 0,
    };
  }
  return ETR_OK;
}

/* Checks the layout of a zip before libzip sees it. Sets *prefix to the bytes before the zip, and
 * the zip's size in the archive. Fails as check_layout() does. */
static etr_status measure_zip(etr_archive *archive, uint64_t *prefix, const etr_seekable *file,
                              etr_error *error) {
  etr_status status = check_layout(prefix, file, archive->path, error);
  archive->zip_size = file->size - *prefix;
  return status;
}

/* Opens the zip in a source of libzip and lists its entries. Takes over the source, which is NULL
 * if making it failed; `reason` then says why. Fails if the zip is damaged. */
static etr_status open_zip_source(etr_archive *archive, zip_source_t *source, zip_error_t *reason,
                                  etr_error *error) {
  etr_status status = ETR_OK;
  archive->zip = source ? zip_open_from_source(source, ZIP_RDONLY, reason) : NULL;
  if (!archive->zip)
    status = fail_as_libzip_says(error, archive->path, NULL, ETR_NO_OFFSET, reason);
  if (!archive->zip && source)
    zip_source_free(source);
  zip_error_fini(reason);
  return status == ETR_OK ? list_zip_entries(archive, error) : status;
}

/* Opens the zip file at archive->path. Bytes before the zip are skipped; -1 means that it goes to
 * the end of the file. Fails if it cannot be read or is damaged. */
static etr_status open_zip(etr_archive *archive, etr_error *error) {
  uint64_t prefix = 0;
  zip_error_t reason;
  etr_seekable file;
  ETR_TRY(etr_seekable_open(&file, archive->path, error));
  etr_status status = measure_zip(archive, &prefix, &file, error);
  etr_seekable_close(&file);
  if (status != ETR_OK)
    return status;
  zip_error_init(&reason);
  return open_zip_source(archive, zip_source_file_create(archive->path, prefix, -1, &reason),
                         &reason, error);
}

/* Opens a zip in memory, of which libzip takes no copy and which it does not free (0); bytes in
 * front of it are skipped. Fails if it is damaged. */
static etr_status open_zip_in_memory(etr_archive *archive, etr_slice bytes, etr_error *error) {
  uint64_t prefix = 0;
  zip_error_t reason;
  if (bytes.size == 0)
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, NULL, 0, "it is empty");
  const etr_seekable file = etr_seekable_of(bytes);
  ETR_TRY(measure_zip(archive, &prefix, &file, error));
  zip_error_init(&reason);
  return open_zip_source(
      archive, zip_source_buffer_create(bytes.data + prefix, bytes.size - prefix, 0, &reason),
      &reason, error);
}

/* Adds the regular files below the directory `path` to archive->entries, at any depth. Their names
 * start with `prefix`, the path from the record's directory. Links are ignored, so that nothing
 * outside the record is read, and so are files that vanish meanwhile. Fails if a directory cannot
 * be read or is nested too deeply. When out of memory, the archive's arena has failed. */
static etr_status list_directory(etr_archive *archive, const char *path, const char *prefix,
                                 int depth, etr_error *error) {
  if (depth > MAX_DEPTH)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                    "directories are nested too deeply");
  DIR *directory = opendir(path);
  if (!directory)
    return etr_fail_io(error, path, NULL, "cannot open directory", errno);
  etr_status status = ETR_OK;
  for (struct dirent *found; status == ETR_OK && (found = readdir(directory));) {
    struct stat file_status;
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
      continue;
    const char *child = etr_arena_format(&archive->arena, "%s/%s", path, found->d_name);
    const char *name = etr_arena_format(&archive->arena, "%s%s%s", prefix, *prefix ? "/" : "",
                                        found->d_name);
    if (!child || !name || lstat(child, &file_status) != 0)
      continue;
    if (S_ISDIR(file_status.st_mode))
      status = list_directory(archive, child, name, depth + 1, error);
    else if (S_ISREG(file_status.st_mode)) {
      archive_entry *entry = etr_vec_push(&archive->arena, &archive->entries);
      const char *text = etr_arena_text(&archive->arena, etr_slice_of(name));
      if (entry)
        *entry = (archive_entry){
            .name = text,
            .path = child,
            .size = (uint64_t)file_status.st_size,
        };
    }
  }
  closedir(directory);
  return status;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(((const archive_entry *)a)->name, ((const archive_entry *)b)->name);
}

/* Opens a directory as if it was a zip: its files are sorted by name. Fails if it cannot be
 * read. */
static etr_status open_directory(etr_archive *archive, etr_error *error) {
  ETR_TRY(list_directory(archive, archive->path, "", 0, error));
  if (archive->entries.count && !etr_arena_failed(&archive->arena))
    etr_sort(archive->entries.data, archive->entries.count, sizeof *archive->entries.data,
             compare_names);
  return ETR_OK;
}

/* Opens a zip file, or a directory as if it was one. Fails if it is neither or cannot be read. */
static etr_status open_path(etr_archive *archive, const char *path, etr_error *error) {
  struct stat file_status;
  if (stat(path, &file_status) != 0)
    return etr_fail_io(error, path, NULL, "cannot open", errno);
  bool directory = S_ISDIR(file_status.st_mode);
  if (!directory && !S_ISREG(file_status.st_mode))
    return etr_fail(error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET,
                    "neither a file nor a directory");
  return directory ? open_directory(archive, error) : open_zip(archive, error);
}

/* Of entries with one name, removes all but the last, as Python's zipfile does, and fills by_name.
 * When out of memory, the arena has failed. */
static void keep_last_of_each_name(etr_archive *archive) {
  size_t kept = 0;
  for (size_t i = 0; i < archive->entries.count; i++)
    etr_map_set(&archive->by_name, etr_slice_of(archive->entries.data[i].name), (uint32_t)i);
  for (size_t i = 0; i < archive->entries.count; i++) {
    etr_slice name = etr_slice_of(archive->entries.data[i].name);
    if (etr_map_get(&archive->by_name, name) != i)
      continue;
    etr_map_set(&archive->by_name, name, (uint32_t)kept);
    archive->entries.data[kept++] = archive->entries.data[i];
  }
  archive->entries.count = kept;
}

/* Opens the zip in `bytes`, or if that is NULL the zip or directory at the path, which names it in
 * errors. Fails if it cannot be read or is damaged, or when out of memory. */
static etr_status open_bytes_or_path(etr_archive *archive, const char *path, const etr_slice *bytes,
                                     etr_error *error) {
  archive->path = etr_arena_copy(&archive->arena, etr_slice_of(path));
  if (!archive->path)
    return etr_fail_memory_of(error, path, NULL);
  ETR_TRY(bytes ? open_zip_in_memory(archive, *bytes, error) : open_path(archive, path, error));
  if (!etr_arena_failed(&archive->arena))
    keep_last_of_each_name(archive);
  return etr_arena_failed(&archive->arena) ? etr_fail_memory_of(error, path, NULL) : ETR_OK;
}

/* Allocates an archive and opens it as open_bytes_or_path() does; *out is NULL if that fails. */
static etr_status new_archive(etr_archive **out, const char *path, const etr_slice *bytes,
                              etr_error *error) {
  *out = NULL;
  etr_archive *archive = calloc(1, sizeof *archive);
  if (!archive)
    return etr_fail_memory_of(error, path, NULL);
  etr_map_init(&archive->by_name, &archive->arena);
  etr_status status = open_bytes_or_path(archive, path, bytes, error);
  if (status == ETR_OK)
    *out = archive;
  else
    etr_archive_close(archive);
  return status;
}

etr_status etr_archive_open(etr_archive **out, const char *path, etr_error *error) {
  etr_slice held;
  return new_archive(out, path, etr_memory_file_find(path, &held) ? &held : NULL, error);
}

etr_status etr_archive_open_memory(etr_archive **out, etr_slice bytes, const char *path,
                                   etr_error *error) {
  return new_archive(out, path, &bytes, error);
}

void etr_archive_close(etr_archive *archive) {
  if (!archive)
    return;
  if (archive->zip)
    zip_discard(archive->zip);
  etr_arena_clear(&archive->arena);
  free(archive);
}

bool etr_archive_is_directory(const etr_archive *archive) {
  return !archive->zip;
}

size_t etr_archive_count(const etr_archive *archive) {
  return archive->entries.count;
}

const char *etr_archive_name(const etr_archive *archive, size_t index) {
  return archive->entries.data[index].name;
}

uint64_t etr_archive_size(const etr_archive *archive, size_t index) {
  return archive->entries.data[index].size;
}

size_t etr_archive_find(const etr_archive *archive, const char *name) {
  uint32_t index = etr_map_get(&archive->by_name, etr_slice_of(name));
  return index == ETR_NONE ? SIZE_MAX : index;
}

/* ---- Reading an entry ---- */

/* A deflated program shrinks to about a tenth, and deflate can shrink at most to a thousandth. */
enum { MOST_BOMB_BYTES = 64 << 20, MOST_BOMB_RATIO = 200 };

/* Returns whether compressed bytes expand so much to `size` bytes that it must be a zip bomb. */
static bool expands_like_bomb(uint64_t size, uint64_t compressed) {
  return size > MOST_BOMB_BYTES && size / MOST_BOMB_RATIO > compressed;
}

/* Fails if an entry is larger than max_bytes (0: no limit), extends past the end of the file, or
 * would expand like a zip bomb, alone or together with the entries opened before. For the latter,
 * adds the entry's uncompressed size to archive->expanded_bytes. A file of a directory has only the
 * limit. */
static etr_status fail_if_implausible(etr_archive *archive, const archive_entry *entry,
                                      uint64_t max_bytes, etr_error *error) {
  zip_stat_t stat;
  if (max_bytes && entry->size > max_bytes)
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0,
                    "%" PRIu64 " bytes exceed the limit of %" PRIu64, entry->size, max_bytes);
  if (!archive->zip)
    return ETR_OK;
  if (zip_stat_index(archive->zip, entry->zip_index, ZIP_FL_UNCHANGED, &stat) != 0)
    return fail_as_libzip_says(error, archive->path, entry->name, 0, zip_get_error(archive->zip));
  bool is_stored = stat.comp_method == ZIP_CM_STORE && stat.encryption_method == ZIP_EM_NONE;
  if (stat.comp_size > archive->zip_size || (is_stored && stat.size > archive->zip_size))
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0,
                    "it extends past the end of the file");
  if (expands_like_bomb(stat.size, stat.comp_size))
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0,
                    "it would expand from %" PRIu64 " to %" PRIu64 " bytes, as a zip bomb does",
                    (uint64_t)stat.comp_size, (uint64_t)stat.size);
  archive->expanded_bytes += ETR_MIN(stat.size, UINT64_MAX - archive->expanded_bytes);
  if (expands_like_bomb(archive->expanded_bytes, archive->zip_size))
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0,
                    "with it the zip would expand from %" PRIu64 " to %" PRIu64
                    " bytes, as a zip bomb does",
                    archive->zip_size, archive->expanded_bytes);
  return ETR_OK;
}

/* Opens an entry of which `size` bytes are to be read. `flags` are those of libzip's
 * zip_fopen_index(). Fails if it cannot be read, or when out of memory. */
static etr_status open_entry(etr_archive_entry **out, etr_archive *archive,
                             const archive_entry *entry, uint64_t size, zip_flags_t flags,
                             etr_error *error) {
  etr_archive_entry *opened = calloc(1, sizeof *opened);
  if (!opened)
    return etr_fail_memory_of(error, archive->path, NULL);
  opened->archive = archive;
  opened->entry = entry;
  opened->size = size;
  if (archive->zip)
    opened->zip_file = zip_fopen_index(archive->zip, entry->zip_index, flags);
  else
    opened->file = etr_file_open_regular(entry->path);
  if (opened->zip_file || opened->file) {
    *out = opened;
    return ETR_OK;
  }
  free(opened);
  return archive->zip ? fail_as_libzip_says(error, archive->path, entry->name, 0,
                                            zip_get_error(archive->zip))
                      : etr_fail_io(error, archive->path, entry->name, "cannot open", errno);
}

etr_status etr_archive_entry_open(etr_archive_entry **out, etr_archive *archive, size_t index,
                                  uint64_t max_bytes, etr_error *error) {
  const archive_entry *entry = &archive->entries.data[index];
  *out = NULL;
  ETR_TRY(fail_if_implausible(archive, entry, max_bytes, error));
  return open_entry(out, archive, entry, entry->size, 0, error);
}

etr_status etr_archive_entry_open_as_is(etr_archive_entry **out, etr_archive_form *form,
                                        etr_archive *archive, size_t index, etr_error *error) {
  const archive_entry *entry = &archive->entries.data[index];
  zip_stat_t stat;
  *out = NULL;
  ETR_TRY(fail_if_implausible(archive, entry, 0, error));
  *form = (etr_archive_form){.size = entry->size, .packed = entry->size};
  if (!archive->zip || zip_stat_index(archive->zip, entry->zip_index, ZIP_FL_UNCHANGED, &stat) != 0)
    return open_entry(out, archive, entry, entry->size, 0, error);
  /* An encrypted entry is opened as others are, since libzip then refuses it with the reason. An
   * empty entry takes two bytes when it is deflated; libzip gives none of them from 1.10.1 on, so
   * it is copied as a stored entry. */
  bool is_packed = stat.comp_method != ZIP_CM_STORE && stat.encryption_method == ZIP_EM_NONE &&
                   stat.size > 0;
  *form = (etr_archive_form){
      .is_known = true,
      .method = is_packed ? stat.comp_method : ZIP_CM_STORE,
      .crc = stat.crc,
      .size = stat.size,
      .packed = is_packed ? stat.comp_size : stat.size,
  };
  return open_entry(out, archive, entry, form->packed, is_packed ? ZIP_FL_COMPRESSED : 0, error);
}

/* Makes the entry fail, with a message, or if that is NULL with what libzip or errno says. Returns
 * -1. */
static int64_t fail_entry(etr_archive_entry *entry, const char *message) {
  const char *path = entry->archive->path;
  const char *name = entry->entry->name;
  if (message)
    entry->status = etr_fail(&entry->error, ETR_ERROR_FORMAT, path, name, entry->offset, "%s",
                             message);
  else if (entry->zip_file)
    entry->status = fail_as_libzip_says(&entry->error, path, name, entry->offset,
                                        zip_file_get_error(entry->zip_file));
  else
    entry->status = etr_fail_io(&entry->error, path, name, "cannot read", errno);
  return -1;
}

/* Reads up to `size` bytes of the entry from the zip or the file. Returns their number, 0 at its
 * end; -1 on failure. */
static int64_t read_raw_bytes(etr_archive_entry *entry, char *into, size_t size) {
  if (entry->zip_file)
    return zip_fread(entry->zip_file, into, size);
  size_t got = fread(into, 1, size, entry->file);
  return got == 0 && ferror(entry->file) ? -1 : (int64_t)got;
}

/* Returns true if libzip has failed because the entry's data end too early. */
static bool says_size_is_wrong(const etr_archive_entry *entry) {
  return entry->zip_file &&
         zip_error_code_zip(zip_file_get_error(entry->zip_file)) == ZIP_ER_INCONS;
}

/* An entry fails if it has more or fewer bytes than the central directory says. */
int64_t etr_archive_entry_read(void *context, char *into, size_t size) {
  etr_archive_entry *entry = context;
  char probe;
  if (entry->status != ETR_OK)
    return -1;
  if (entry->is_at_end || size == 0)
    return 0;
  uint64_t bytes_left = entry->size - entry->offset;
  /* When all is read, tries one byte more: there must be none, and libzip checks the CRC only at
   * the end. */
  int64_t got = bytes_left
                    ? read_raw_bytes(entry, into, (size_t)ETR_MIN(bytes_left, (uint64_t)size))
                    : read_raw_bytes(entry, &probe, 1);
  bool ends_early = bytes_left && (got == 0 || (got < 0 && says_size_is_wrong(entry)));
  if (ends_early)
    return fail_entry(entry, "less data than the zip directory states");
  if (got < 0)
    return fail_entry(entry, NULL);
  if (got > 0 && !bytes_left)
    return fail_entry(entry, "more data than the zip directory states");
  entry->is_at_end = got == 0;
  entry->offset += (uint64_t)got;
  return got;
}

etr_status etr_archive_entry_finish(etr_archive_entry *entry, etr_error *error) {
  char rest[16 * 1024];
  while (etr_archive_entry_read(entry, rest, sizeof rest) > 0)
    continue;
  if (entry->status != ETR_OK && error)
    *error = entry->error;
  return entry->status;
}

void etr_archive_entry_close(etr_archive_entry *entry) {
  if (!entry)
    return;
  if (entry->zip_file)
    zip_fclose(entry->zip_file);
  if (entry->file)
    fclose(entry->file);
  free(entry);
}

/* ---- Whole entries: into memory, or into a sink ---- */

etr_status etr_archive_read(etr_file *out, etr_archive *archive, size_t index, uint64_t max_bytes,
                            etr_error *error) {
  etr_archive_entry *entry;
  *out = (etr_file){0};
  ETR_TRY(etr_archive_entry_open(&entry, archive, index, max_bytes, error));
  uint64_t size = etr_archive_size(archive, index);
  etr_status status = size < SIZE_MAX && (out->data = malloc((size_t)size + 1))
                          ? ETR_OK
                          : etr_fail_memory(error);
  while (status == ETR_OK && out->size < size) {
    int64_t got = etr_archive_entry_read(entry, (char *)out->data + out->size,
                                         (size_t)size - out->size);
    if (got <= 0)
      break;
    out->size += (size_t)got;
  }
  if (status == ETR_OK)
    status = etr_archive_entry_finish(entry, error);
  etr_archive_entry_close(entry);
  if (status != ETR_OK)
    etr_file_clear(out);
  return status;
}

etr_status etr_archive_entry_pour(etr_archive_entry *entry, const etr_sink *sink,
                                  etr_error *error) {
  char bytes[32 * 1024];
  for (int64_t got; (got = etr_archive_entry_read(entry, bytes, sizeof bytes)) > 0;)
    if (!sink->write(sink->context, bytes, (size_t)got))
      return etr_fail_sink(error);
  return etr_archive_entry_finish(entry, error);
}
