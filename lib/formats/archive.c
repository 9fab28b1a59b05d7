/* SPDX-License-Identifier: BSD-3-Clause
 *
 * archive.c - the entries of an ETRecord, through libzip or from a directory. Where a zip ends and how far its start is off is found out here,
 * before libzip sees it: libzip takes offsets literally, and its one word for every damage is "not a zip archive".
 */
#include "archive.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zip.h>

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
  zip_t *zip;        /* NULL: an unpacked record */
  uint64_t zip_size; /* from the first header on */
  etr_vec(archive_entry) entries;
  etr_map by_name;
};

struct etr_archive_entry {
  const etr_archive *archive;
  const archive_entry *entry;
  zip_file_t *zip_file;
  FILE *file;
  uint64_t offset; /* what was read, decompressed */
  bool ended;
  etr_status status;
  etr_error error;
};

static etr_status fail_system(etr_error *error, const char *path, const char *entry, const char *what, int reason) {
  char text[128];
  if (strerror_r(reason, text, sizeof text) != 0) snprintf(text, sizeof text, "error %d", reason);
  return etr_fail(error, ETR_ERROR_IO, path, entry, ETR_NO_OFFSET, "%s: %s", what, text);
}

static etr_status fail_memory(etr_error *error, const char *path) {
  return etr_fail(error, ETR_ERROR_MEMORY, path, NULL, ETR_NO_OFFSET, "out of memory");
}

/* ---- The end of a zip ---- */

enum {
  END_BYTES = 22,     /* end-of-central-directory record, without its comment */
  LOCATOR_BYTES = 20, /* zip64: stands before that record */
  END64_BYTES = 56,   /* zip64: stands before the locator */
  COMMENT_BYTES = 65535,
  TAIL_BYTES = COMMENT_BYTES + END_BYTES + LOCATOR_BYTES + END64_BYTES,
  HEADER_BYTES = 46, /* smallest entry of a central directory */
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

static uint64_t load(etr_slice bytes, size_t at, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; i++) value |= (uint64_t)(unsigned char)bytes.data[at + i] << (8 * i);
  return value;
}

/* Reads the last end record in the tail, which starts at tail_at of the file; false if there is none. */
static bool parse_end(zip_end *out, etr_slice tail, uint64_t tail_at) {
  if (tail.size < END_BYTES) return false;
  size_t at = tail.size - END_BYTES;
  while (!is_magic(tail, at, END_MAGIC))
    if (at-- == 0) return false;
  *out = (zip_end){tail_at + at, load(tail, at + 10, 2), load(tail, at + 12, 4), load(tail, at + 16, 4)};
  if (at < LOCATOR_BYTES + END64_BYTES || !is_magic(tail, at - LOCATOR_BYTES, LOCATOR_MAGIC)) return true;
  at -= LOCATOR_BYTES + END64_BYTES;
  if (is_magic(tail, at, END64_MAGIC)) *out = (zip_end){tail_at + at, load(tail, at + 32, 8), load(tail, at + 40, 8), load(tail, at + 48, 8)};
  return true;
}

static bool read_at(FILE *file, uint64_t at, char *into, size_t size) {
  return fseeko(file, (off_t)at, SEEK_SET) == 0 && fread(into, 1, size, file) == size;
}

static etr_status fail_without_end(FILE *file, etr_slice tail, const char *path, uint64_t size, etr_error *error) {
  char head[4096];
  size_t head_size = (size_t)ETR_MIN(size, (uint64_t)sizeof head);
  if (size == 0) return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0, "the file is empty");
  bool was_zip = (read_at(file, 0, head, head_size) && holds_magic((etr_slice){head, head_size}, LOCAL_MAGIC)) || holds_magic(tail, LOCAL_MAGIC);
  if (was_zip) return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, size, "truncated: the zip has no central directory at its end");
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0, "not a zip file");
}

/* How many bytes stand before the zip, by which all its offsets are too small. */
static etr_status find_prefix(uint64_t *prefix, FILE *file, const zip_end *end, const char *path, etr_error *error) {
  if (end->directory_size > end->at || end->directory_offset > end->at - end->directory_size)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, end->at, "damaged zip: the central directory does not fit into the file");
  if (end->entries > end->directory_size / HEADER_BYTES)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, end->at, "damaged zip: the central directory is too small for its entries");
  char magic[4];
  uint64_t start = end->at - end->directory_size;
  bool starts_there = end->directory_size && read_at(file, start, magic, 4) && memcmp(magic, DIRECTORY_MAGIC, 4) == 0;
  /* Something between directory and end record: then the offset is all there is to go by. */
  *prefix = starts_there || end->directory_size == 0 ? start - end->directory_offset : 0;
  return ETR_OK;
}

static etr_status locate_zip(uint64_t *prefix, FILE *file, uint64_t size, const char *path, etr_error *error) {
  size_t tail_size = (size_t)ETR_MIN(size, (uint64_t)TAIL_BYTES);
  char *tail = malloc(tail_size + 1);
  zip_end end;
  etr_status status;
  if (!tail)
    status = fail_memory(error, path);
  else if (!read_at(file, size - tail_size, tail, tail_size))
    status = fail_system(error, path, NULL, "cannot read", errno);
  else if (parse_end(&end, (etr_slice){tail, tail_size}, size - tail_size))
    status = find_prefix(prefix, file, &end, path, error);
  else
    status = fail_without_end(file, (etr_slice){tail, tail_size}, path, size, error);
  free(tail);
  return status;
}

/* ---- Opening ---- */

/* What libzip says, as a status: damage, unless the system or memory failed. */
static etr_status fail_zip(etr_error *error, const char *path, const char *entry, uint64_t offset, zip_error_t *reason) {
  switch (zip_error_code_zip(reason)) {
  case ZIP_ER_MEMORY: return fail_memory(error, path);
  case ZIP_ER_OPEN:
  case ZIP_ER_READ:
  case ZIP_ER_SEEK:
  case ZIP_ER_TELL: return etr_fail(error, ETR_ERROR_IO, path, entry, offset, "cannot read: %s", zip_error_strerror(reason));
  case ZIP_ER_CRC: return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset, "damaged: the CRC-32 is wrong");
  case ZIP_ER_COMPNOTSUPP: return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset, "compressed in a way that is not supported");
  case ZIP_ER_NOPASSWD:
  case ZIP_ER_ENCRNOTSUPP: return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset, "encrypted: that is not supported");
  default:
    return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset, entry ? "damaged: %s" : "damaged zip: its central directory cannot be read (%s)",
                    zip_error_strerror(reason));
  }
}

/* Keeps of entries with one name the last. */
static void index_names(etr_archive *archive) {
  size_t kept = 0;
  for (size_t i = 0; i < archive->entries.count; i++) etr_map_set(&archive->by_name, etr_slice_of(archive->entries.data[i].name), (uint32_t)i);
  for (size_t i = 0; i < archive->entries.count; i++) {
    etr_slice name = etr_slice_of(archive->entries.data[i].name);
    if (etr_map_get(&archive->by_name, name) != i) continue;
    etr_map_set(&archive->by_name, name, (uint32_t)kept);
    archive->entries.data[kept++] = archive->entries.data[i];
  }
  archive->entries.count = kept;
}

static etr_status list_zip(etr_archive *archive, etr_error *error) {
  zip_int64_t count = zip_get_num_entries(archive->zip, 0);
  if (count >= (zip_int64_t)ETR_NONE) return etr_fail(error, ETR_ERROR_FORMAT, archive->path, NULL, ETR_NO_OFFSET, "too many entries");
  for (zip_int64_t i = 0; i < count; i++) {
    zip_uint64_t index = (zip_uint64_t)i;
    zip_stat_t stat;
    const char *name = zip_get_name(archive->zip, index, ZIP_FL_ENC_GUESS);
    if (!name) name = zip_get_name(archive->zip, index, ZIP_FL_ENC_RAW);
    if (!name || zip_stat_index(archive->zip, index, ZIP_FL_UNCHANGED, &stat) != 0)
      return fail_zip(error, archive->path, NULL, ETR_NO_OFFSET, zip_get_error(archive->zip));
    if (etr_slice_ends(etr_slice_of(name), ETR_SLICE("/"))) continue;
    const char *text = etr_arena_text(&archive->arena, etr_slice_of(name));
    archive_entry *entry = text ? etr_vec_push(&archive->arena, &archive->entries) : NULL;
    if (!entry) break;
    *entry = (archive_entry){.name = text, .zip_index = index, .size = stat.valid & ZIP_STAT_SIZE ? stat.size : 0};
  }
  return ETR_OK;
}

/* Finds where the zip begins, in a file that it closes. */
static etr_status measure_zip(etr_archive *archive, uint64_t *prefix, FILE *file, uint64_t size, etr_error *error) {
  if (!file) return fail_system(error, archive->path, NULL, "cannot open", errno);
  etr_status status = locate_zip(prefix, file, size, archive->path, error);
  fclose(file);
  archive->zip_size = size - *prefix;
  return status;
}

/* Takes the source, which may be NULL, and the error that making it gave. */
static etr_status open_source(etr_archive *archive, zip_source_t *source, zip_error_t *reason, etr_error *error) {
  etr_status status = ETR_OK;
  archive->zip = source ? zip_open_from_source(source, ZIP_RDONLY, reason) : NULL;
  if (!archive->zip) status = fail_zip(error, archive->path, NULL, ETR_NO_OFFSET, reason);
  if (!archive->zip && source) zip_source_free(source);
  zip_error_fini(reason);
  return status == ETR_OK ? list_zip(archive, error) : status;
}

static etr_status open_zip(etr_archive *archive, uint64_t size, etr_error *error) {
  uint64_t prefix = 0;
  zip_error_t reason;
  ETR_TRY(measure_zip(archive, &prefix, fopen(archive->path, "rb"), size, error));
  zip_error_init(&reason);
  return open_source(archive, zip_source_file_create(archive->path, prefix, -1, &reason), &reason, error);
}

static etr_status open_memory(etr_archive *archive, etr_slice bytes, etr_error *error) {
  uint64_t prefix = 0;
  zip_error_t reason;
  if (bytes.size == 0) return etr_fail(error, ETR_ERROR_FORMAT, archive->path, NULL, 0, "it is empty");
  ETR_TRY(measure_zip(archive, &prefix, fmemopen((void *)bytes.data, bytes.size, "rb"), bytes.size, error));
  zip_error_init(&reason);
  return open_source(archive, zip_source_buffer_create(bytes.data + prefix, bytes.size - prefix, 0, &reason), &reason, error);
}

/* Adds the files below a directory. Links are passed over, so that nothing outside the record is read. */
static etr_status list_directory(etr_archive *archive, const char *path, const char *prefix, int depth, etr_error *error) {
  if (depth > MAX_DEPTH) return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET, "directories are nested too deeply");
  DIR *directory = opendir(path);
  if (!directory) return fail_system(error, path, NULL, "cannot open directory", errno);
  etr_status status = ETR_OK;
  for (struct dirent *found; status == ETR_OK && (found = readdir(directory));) {
    struct stat about;
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
    const char *child = etr_arena_format(&archive->arena, "%s/%s", path, found->d_name);
    const char *name = etr_arena_format(&archive->arena, "%s%s%s", prefix, *prefix ? "/" : "", found->d_name);
    if (!child || !name || lstat(child, &about) != 0) continue;
    if (S_ISDIR(about.st_mode))
      status = list_directory(archive, child, name, depth + 1, error);
    else if (S_ISREG(about.st_mode)) {
      archive_entry *entry = etr_vec_push(&archive->arena, &archive->entries);
      const char *text = etr_arena_text(&archive->arena, etr_slice_of(name));
      if (entry) *entry = (archive_entry){.name = text, .path = child, .size = (uint64_t)about.st_size};
    }
  }
  closedir(directory);
  return status;
}

static int compare_names(const void *a, const void *b) { return strcmp(((const archive_entry *)a)->name, ((const archive_entry *)b)->name); }

static etr_status open_directory(etr_archive *archive, etr_error *error) {
  ETR_TRY(list_directory(archive, archive->path, "", 0, error));
  if (archive->entries.count && !etr_arena_failed(&archive->arena))
    qsort(archive->entries.data, archive->entries.count, sizeof *archive->entries.data, compare_names);
  return ETR_OK;
}

static etr_status open_path(etr_archive *archive, const char *path, etr_error *error) {
  struct stat about;
  if (stat(path, &about) != 0) return fail_system(error, path, NULL, "cannot open", errno);
  bool directory = S_ISDIR(about.st_mode);
  if (!directory && !S_ISREG(about.st_mode)) return etr_fail(error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET, "neither a file nor a directory");
  return directory ? open_directory(archive, error) : open_zip(archive, (uint64_t)about.st_size, error);
}

/* bytes NULL: what is at the path. */
static etr_status open_any(etr_archive *archive, const char *path, const etr_slice *bytes, etr_error *error) {
  archive->path = etr_arena_copy(&archive->arena, etr_slice_of(path));
  if (!archive->path) return fail_memory(error, path);
  ETR_TRY(bytes ? open_memory(archive, *bytes, error) : open_path(archive, path, error));
  if (!etr_arena_failed(&archive->arena)) index_names(archive);
  return etr_arena_failed(&archive->arena) ? fail_memory(error, path) : ETR_OK;
}

static etr_status open_new(etr_archive **out, const char *path, const etr_slice *bytes, etr_error *error) {
  *out = NULL;
  etr_archive *archive = calloc(1, sizeof *archive);
  if (!archive) return fail_memory(error, path);
  etr_map_init(&archive->by_name, &archive->arena);
  etr_status status = open_any(archive, path, bytes, error);
  if (status == ETR_OK)
    *out = archive;
  else
    etr_archive_close(archive);
  return status;
}

etr_status etr_archive_open(etr_archive **out, const char *path, etr_error *error) { return open_new(out, path, NULL, error); }

etr_status etr_archive_open_memory(etr_archive **out, etr_slice bytes, const char *path, etr_error *error) {
  return open_new(out, path, &bytes, error);
}

void etr_archive_close(etr_archive *archive) {
  if (!archive) return;
  if (archive->zip) zip_discard(archive->zip);
  etr_arena_clear(&archive->arena);
  free(archive);
}

size_t etr_archive_count(const etr_archive *archive) { return archive->entries.count; }

const char *etr_archive_name(const etr_archive *archive, size_t index) { return archive->entries.data[index].name; }

uint64_t etr_archive_size(const etr_archive *archive, size_t index) { return archive->entries.data[index].size; }

size_t etr_archive_find(const etr_archive *archive, const char *name) {
  uint32_t index = etr_map_get(&archive->by_name, etr_slice_of(name));
  return index == ETR_NONE ? SIZE_MAX : index;
}

/* ---- Reading an entry ---- */

/* A deflated program shrinks to a tenth or so; deflate itself can do a thousandth. */
enum { MOST_BOMB_BYTES = 64 << 20, MOST_BOMB_RATIO = 200 };

static etr_status check_sizes(const etr_archive *archive, const archive_entry *entry, uint64_t max_bytes, etr_error *error) {
  zip_stat_t stat;
  if (max_bytes && entry->size > max_bytes)
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0,
                    "%" PRIu64 " bytes are more than the limit of %" PRIu64 ", which --max-bytes raises", entry->size, max_bytes);
  if (!archive->zip) return ETR_OK;
  if (zip_stat_index(archive->zip, entry->zip_index, ZIP_FL_UNCHANGED, &stat) != 0)
    return fail_zip(error, archive->path, entry->name, 0, zip_get_error(archive->zip));
  bool stored = stat.comp_method == ZIP_CM_STORE && stat.encryption_method == ZIP_EM_NONE;
  if (stat.comp_size > archive->zip_size || (stored && stat.size > archive->zip_size))
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0, "its size is beyond the end of the file");
  if (stat.size > MOST_BOMB_BYTES && stat.size / MOST_BOMB_RATIO > stat.comp_size)
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0,
                    "it would expand from %" PRIu64 " to %" PRIu64 " bytes: no real program does", (uint64_t)stat.comp_size, (uint64_t)stat.size);
  return ETR_OK;
}

etr_status etr_archive_entry_open(etr_archive_entry **out, etr_archive *archive, size_t index, uint64_t max_bytes, etr_error *error) {
  *out = NULL;
  const archive_entry *entry = &archive->entries.data[index];
  ETR_TRY(check_sizes(archive, entry, max_bytes, error));
  etr_archive_entry *opened = calloc(1, sizeof *opened);
  if (!opened) return fail_memory(error, archive->path);
  opened->archive = archive;
  opened->entry = entry;
  if (archive->zip)
    opened->zip_file = zip_fopen_index(archive->zip, entry->zip_index, 0);
  else
    opened->file = fopen(entry->path, "rb");
  if (opened->zip_file || opened->file) {
    *out = opened;
    return ETR_OK;
  }
  free(opened);
  return archive->zip ? fail_zip(error, archive->path, entry->name, 0, zip_get_error(archive->zip))
                      : fail_system(error, archive->path, entry->name, "cannot open", errno);
}

/* Marks the entry as failed, with a message or what libzip or the system say. */
static int64_t fail_entry(etr_archive_entry *entry, const char *message) {
  const char *path = entry->archive->path, *name = entry->entry->name;
  if (message)
    entry->status = etr_fail(&entry->error, ETR_ERROR_FORMAT, path, name, entry->offset, "%s", message);
  else if (entry->zip_file)
    entry->status = fail_zip(&entry->error, path, name, entry->offset, zip_file_get_error(entry->zip_file));
  else
    entry->status = fail_system(&entry->error, path, name, "cannot read", errno);
  return -1;
}

static int64_t read_some(etr_archive_entry *entry, char *into, size_t size) {
  if (entry->zip_file) return zip_fread(entry->zip_file, into, size);
  size_t got = fread(into, 1, size, entry->file);
  return got == 0 && ferror(entry->file) ? -1 : (int64_t)got;
}

/* libzip's word for data that ends early: it checks the size itself. */
static bool is_wrong_size(const etr_archive_entry *entry) {
  return entry->zip_file && zip_error_code_zip(zip_file_get_error(entry->zip_file)) == ZIP_ER_INCONS;
}

int64_t etr_archive_entry_read(void *context, char *into, size_t size) {
  etr_archive_entry *entry = context;
  char probe;
  if (entry->status != ETR_OK) return -1;
  if (entry->ended || size == 0) return 0;
  uint64_t left = entry->entry->size - entry->offset;
  /* With nothing left there must be an end, and only libzip's reaching it checks the CRC. */
  int64_t got = left ? read_some(entry, into, (size_t)ETR_MIN(left, (uint64_t)size)) : read_some(entry, &probe, 1);
  bool early = left && (got == 0 || (got < 0 && is_wrong_size(entry)));
  if (early) return fail_entry(entry, "the data ends before the size that the directory gives");
  if (got < 0) return fail_entry(entry, NULL);
  if (got > 0 && !left) return fail_entry(entry, "there is more data than the size that the directory gives");
  entry->ended = got == 0;
  entry->offset += (uint64_t)got;
  return got;
}

etr_status etr_archive_entry_error(const etr_archive_entry *entry, etr_error *error) {
  if (entry->status != ETR_OK && error) *error = entry->error;
  return entry->status;
}

etr_status etr_archive_entry_finish(etr_archive_entry *entry, etr_error *error) {
  char rest[16 * 1024];
  while (etr_archive_entry_read(entry, rest, sizeof rest) > 0) continue;
  return etr_archive_entry_error(entry, error);
}

void etr_archive_entry_close(etr_archive_entry *entry) {
  if (!entry) return;
  if (entry->zip_file) zip_fclose(entry->zip_file);
  if (entry->file) fclose(entry->file);
  free(entry);
}

etr_status etr_archive_read(etr_file *out, etr_archive *archive, size_t index, uint64_t max_bytes, etr_error *error) {
  etr_archive_entry *entry;
  *out = (etr_file){0};
  ETR_TRY(etr_archive_entry_open(&entry, archive, index, max_bytes, error));
  uint64_t size = etr_archive_size(archive, index);
  etr_status status = size < SIZE_MAX && (out->data = malloc((size_t)size + 1)) ? ETR_OK : fail_memory(error, archive->path);
  while (status == ETR_OK && out->size < size) {
    int64_t got = etr_archive_entry_read(entry, (char *)out->data + out->size, (size_t)size - out->size);
    if (got <= 0) break;
    out->size += (size_t)got;
  }
  if (status == ETR_OK) status = etr_archive_entry_finish(entry, error);
  etr_archive_entry_close(entry);
  if (status != ETR_OK) etr_file_clear(out);
  return status;
}
