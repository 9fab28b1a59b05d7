/* SPDX-License-Identifier: BSD-3-Clause
 *
 * archive.c - the entries of an ETRecord, through libzip or from a directory.
 */
#include "formats/archive.h"

#include "base/file.h"
#include "formats/zip_layout.h"

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
  uint64_t expanded; /* what was opened so far, decompressed */
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
  bool ended;
  etr_status status;
  etr_error error;
};

/* ---- Opening ---- */

/* What libzip says, as a status: damage, unless the system or memory failed. */
static etr_status fail_zip(etr_error *error, const char *path, const char *entry, uint64_t offset,
                           zip_error_t *reason) {
  switch (zip_error_code_zip(reason)) {
  case ZIP_ER_MEMORY: return etr_fail_memory_of(error, path, NULL);
  case ZIP_ER_OPEN:
  case ZIP_ER_READ:
  case ZIP_ER_SEEK:
  case ZIP_ER_TELL:
    return etr_fail(error, ETR_ERROR_IO, path, entry, offset, "cannot read: %s", zip_error_strerror(reason));
  case ZIP_ER_CRC: return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset, "damaged: the CRC-32 is wrong");
  case ZIP_ER_COMPNOTSUPP:
    return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset, "unsupported compression method");
  case ZIP_ER_NOPASSWD:
  case ZIP_ER_ENCRNOTSUPP:
    return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset, "encrypted, which is not supported");
  default:
    return etr_fail(error, ETR_ERROR_FORMAT, path, entry, offset,
                    entry ? "damaged: %s" : "damaged zip: its central directory cannot be read (%s)",
                    zip_error_strerror(reason));
  }
}

/* Keeps of entries with one name the last. */
static void index_names(etr_archive *archive) {
  size_t kept = 0;
  for (size_t i = 0; i < archive->entries.count; i++)
    etr_map_set(&archive->by_name, etr_slice_of(archive->entries.data[i].name), (uint32_t)i);
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
  if (count >= (zip_int64_t)ETR_NONE)
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, NULL, ETR_NO_OFFSET, "too many entries");
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

/* Looks at the zip before libzip does. */
static etr_status measure_zip(etr_archive *archive, uint64_t *prefix, const etr_seekable *file, etr_error *error) {
  etr_status status = etr_zip_measure(prefix, file, archive->path, error);
  archive->zip_size = file->size - *prefix;
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

static etr_status open_zip(etr_archive *archive, etr_error *error) {
  uint64_t prefix = 0;
  zip_error_t reason;
  etr_seekable file;
  ETR_TRY(etr_seekable_open(&file, archive->path, error));
  etr_status status = measure_zip(archive, &prefix, &file, error);
  etr_seekable_close(&file);
  if (status != ETR_OK) return status;
  zip_error_init(&reason);
  return open_source(archive, zip_source_file_create(archive->path, prefix, -1, &reason), &reason, error);
}

static etr_status open_memory(etr_archive *archive, etr_slice bytes, etr_error *error) {
  uint64_t prefix = 0;
  zip_error_t reason;
  if (bytes.size == 0) return etr_fail(error, ETR_ERROR_FORMAT, archive->path, NULL, 0, "it is empty");
  const etr_seekable file = etr_seekable_of(bytes);
  ETR_TRY(measure_zip(archive, &prefix, &file, error));
  zip_error_init(&reason);
  return open_source(archive, zip_source_buffer_create(bytes.data + prefix, bytes.size - prefix, 0, &reason), &reason,
                     error);
}

/* Adds the files below a directory. Links are passed over, so that nothing outside the record is read. */
static etr_status list_directory(etr_archive *archive, const char *path, const char *prefix, int depth,
                                 etr_error *error) {
  if (depth > MAX_DEPTH)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET, "directories are nested too deeply");
  DIR *directory = opendir(path);
  if (!directory) return etr_fail_io(error, path, NULL, "cannot open directory", errno);
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

static int compare_names(const void *a, const void *b) {
  return strcmp(((const archive_entry *)a)->name, ((const archive_entry *)b)->name);
}

static etr_status open_directory(etr_archive *archive, etr_error *error) {
  ETR_TRY(list_directory(archive, archive->path, "", 0, error));
  if (archive->entries.count && !etr_arena_failed(&archive->arena))
    qsort(archive->entries.data, archive->entries.count, sizeof *archive->entries.data, compare_names);
  return ETR_OK;
}

static etr_status open_path(etr_archive *archive, const char *path, etr_error *error) {
  struct stat about;
  if (stat(path, &about) != 0) return etr_fail_io(error, path, NULL, "cannot open", errno);
  bool directory = S_ISDIR(about.st_mode);
  if (!directory && !S_ISREG(about.st_mode))
    return etr_fail(error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET, "neither a file nor a directory");
  return directory ? open_directory(archive, error) : open_zip(archive, error);
}

/* bytes NULL: what is at the path. */
static etr_status open_any(etr_archive *archive, const char *path, const etr_slice *bytes, etr_error *error) {
  archive->path = etr_arena_copy(&archive->arena, etr_slice_of(path));
  if (!archive->path) return etr_fail_memory_of(error, path, NULL);
  ETR_TRY(bytes ? open_memory(archive, *bytes, error) : open_path(archive, path, error));
  if (!etr_arena_failed(&archive->arena)) index_names(archive);
  return etr_arena_failed(&archive->arena) ? etr_fail_memory_of(error, path, NULL) : ETR_OK;
}

static etr_status open_new(etr_archive **out, const char *path, const etr_slice *bytes, etr_error *error) {
  *out = NULL;
  etr_archive *archive = calloc(1, sizeof *archive);
  if (!archive) return etr_fail_memory_of(error, path, NULL);
  etr_map_init(&archive->by_name, &archive->arena);
  etr_status status = open_any(archive, path, bytes, error);
  if (status == ETR_OK)
    *out = archive;
  else
    etr_archive_close(archive);
  return status;
}

etr_status etr_archive_open(etr_archive **out, const char *path, etr_error *error) {
  return open_new(out, path, NULL, error);
}

etr_status etr_archive_open_memory(etr_archive **out, etr_slice bytes, const char *path, etr_error *error) {
  return open_new(out, path, &bytes, error);
}

void etr_archive_close(etr_archive *archive) {
  if (!archive) return;
  if (archive->zip) zip_discard(archive->zip);
  etr_arena_clear(&archive->arena);
  free(archive);
}

bool etr_archive_is_directory(const etr_archive *archive) { return !archive->zip; }

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

static bool is_bomb(uint64_t size, uint64_t compressed) {
  return size > MOST_BOMB_BYTES && size / MOST_BOMB_RATIO > compressed;
}

static etr_status check_sizes(etr_archive *archive, const archive_entry *entry, uint64_t max_bytes, etr_error *error) {
  zip_stat_t stat;
  if (max_bytes && entry->size > max_bytes)
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0,
                    "%" PRIu64 " bytes exceed the limit of %" PRIu64, entry->size, max_bytes);
  if (!archive->zip) return ETR_OK;
  if (zip_stat_index(archive->zip, entry->zip_index, ZIP_FL_UNCHANGED, &stat) != 0)
    return fail_zip(error, archive->path, entry->name, 0, zip_get_error(archive->zip));
  bool stored = stat.comp_method == ZIP_CM_STORE && stat.encryption_method == ZIP_EM_NONE;
  if (stat.comp_size > archive->zip_size || (stored && stat.size > archive->zip_size))
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0, "it extends past the end of the file");
  if (is_bomb(stat.size, stat.comp_size))
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0,
                    "it would expand from %" PRIu64 " to %" PRIu64 " bytes, as a zip bomb does",
                    (uint64_t)stat.comp_size, (uint64_t)stat.size);
  archive->expanded += ETR_MIN(stat.size, UINT64_MAX - archive->expanded);
  if (is_bomb(archive->expanded, archive->zip_size))
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, entry->name, 0,
                    "with it the zip would expand from %" PRIu64 " to %" PRIu64 " bytes, as a zip bomb does",
                    archive->zip_size, archive->expanded);
  return ETR_OK;
}

/* flags: libzip's. */
static etr_status open_entry(etr_archive_entry **out, etr_archive *archive, const archive_entry *entry, uint64_t size,
                             zip_flags_t flags, etr_error *error) {
  etr_archive_entry *opened = calloc(1, sizeof *opened);
  if (!opened) return etr_fail_memory_of(error, archive->path, NULL);
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
  return archive->zip ? fail_zip(error, archive->path, entry->name, 0, zip_get_error(archive->zip))
                      : etr_fail_io(error, archive->path, entry->name, "cannot open", errno);
}

etr_status etr_archive_entry_open(etr_archive_entry **out, etr_archive *archive, size_t index, uint64_t max_bytes,
                                  etr_error *error) {
  const archive_entry *entry = &archive->entries.data[index];
  *out = NULL;
  ETR_TRY(check_sizes(archive, entry, max_bytes, error));
  return open_entry(out, archive, entry, entry->size, 0, error);
}

etr_status etr_archive_entry_open_as_is(etr_archive_entry **out, etr_archive_form *form, etr_archive *archive,
                                        size_t index, etr_error *error) {
  const archive_entry *entry = &archive->entries.data[index];
  zip_stat_t stat;
  *out = NULL;
  ETR_TRY(check_sizes(archive, entry, 0, error));
  *form = (etr_archive_form){.size = entry->size, .packed = entry->size};
  if (!archive->zip || zip_stat_index(archive->zip, entry->zip_index, ZIP_FL_UNCHANGED, &stat) != 0)
    return open_entry(out, archive, entry, entry->size, 0, error);
  bool is_plain = stat.comp_method == ZIP_CM_STORE || stat.encryption_method != ZIP_EM_NONE; /* libzip refuses these */
  *form = (etr_archive_form){
      .is_known = true, .method = stat.comp_method, .crc = stat.crc, .size = stat.size, .packed = stat.comp_size};
  return open_entry(out, archive, entry, form->packed, is_plain ? 0 : ZIP_FL_COMPRESSED, error);
}

/* Marks the entry as failed, with a message or what libzip or the system say. */
static int64_t fail_entry(etr_archive_entry *entry, const char *message) {
  const char *path = entry->archive->path, *name = entry->entry->name;
  if (message)
    entry->status = etr_fail(&entry->error, ETR_ERROR_FORMAT, path, name, entry->offset, "%s", message);
  else if (entry->zip_file)
    entry->status = fail_zip(&entry->error, path, name, entry->offset, zip_file_get_error(entry->zip_file));
  else
    entry->status = etr_fail_io(&entry->error, path, name, "cannot read", errno);
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
  uint64_t left = entry->size - entry->offset;
  /* With nothing left there must be an end, and only libzip's reaching it checks the CRC. */
  int64_t got = left ? read_some(entry, into, (size_t)ETR_MIN(left, (uint64_t)size)) : read_some(entry, &probe, 1);
  bool early = left && (got == 0 || (got < 0 && is_wrong_size(entry)));
  if (early) return fail_entry(entry, "less data than the zip directory states");
  if (got < 0) return fail_entry(entry, NULL);
  if (got > 0 && !left) return fail_entry(entry, "more data than the zip directory states");
  entry->ended = got == 0;
  entry->offset += (uint64_t)got;
  return got;
}

etr_status etr_archive_entry_finish(etr_archive_entry *entry, etr_error *error) {
  char rest[16 * 1024];
  while (etr_archive_entry_read(entry, rest, sizeof rest) > 0) continue;
  if (entry->status != ETR_OK && error) *error = entry->error;
  return entry->status;
}

void etr_archive_entry_close(etr_archive_entry *entry) {
  if (!entry) return;
  if (entry->zip_file) zip_fclose(entry->zip_file);
  if (entry->file) fclose(entry->file);
  free(entry);
}
