/* SPDX-License-Identifier: BSD-3-Clause
 *
 * archive.h - the entries of an ETRecord: a zip file, or a directory that one was unpacked into. Layer 1. Only archive.c sees <zip.h>.
 *
 * Reads as Python's zipfile does where the two differ from libzip: of entries with the same name the last counts, and bytes before the first
 * header are passed over. Never reads an entry that was not asked for, so weights cost nothing.
 */
#ifndef ETR_ARCHIVE_H
#define ETR_ARCHIVE_H

#include "arena.h"
#include "file.h"

typedef struct etr_archive etr_archive;
typedef struct etr_archive_entry etr_archive_entry; /* an entry being read */

/**
 * Opens a zip file or a directory. On success *out is to be closed; on failure it is NULL.
 * Errors: ETR_ERROR_IO (cannot be read), ETR_ERROR_FORMAT (not a zip, truncated, no central directory: the message says which),
 * ETR_ERROR_MEMORY. Does not look for ETRECORD_V0: that is the record's business.
 */
etr_status etr_archive_open(etr_archive **out, const char *path, etr_error *error);
void etr_archive_close(etr_archive *archive);

/** Opens a zip in memory, borrowed until it is closed. `path` stands for it in errors. Errors: ETR_ERROR_FORMAT, ETR_ERROR_MEMORY. */
etr_status etr_archive_open_memory(etr_archive **out, etr_slice bytes, const char *path, etr_error *error);

/** Number of distinct names; directories in the zip are no entries. */
size_t etr_archive_count(const etr_archive *archive);
/** Name of an entry, sanitised text, in the order of the central directory (of duplicates: the place of the last). For an unpacked record the
 *  relative path with '/', in strcmp order. */
const char *etr_archive_name(const etr_archive *archive, size_t index);
/** Uncompressed size as the directory says. */
uint64_t etr_archive_size(const etr_archive *archive, size_t index);
/** Index by exact name, or SIZE_MAX. */
size_t etr_archive_find(const etr_archive *archive, const char *name);

/**
 * Opens an entry to read its bytes in a stream, decompressed. What comes out is capped at the size in the directory and at max_bytes
 * (0: no own cap), so a lying directory cannot make it grow. Close with etr_archive_entry_close().
 * Errors: ETR_ERROR_FORMAT (unsupported compression or encryption, larger than max_bytes, damaged local header, a zip bomb: more than 64 MiB at more
 * than 200 times its compressed size), ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
etr_status etr_archive_entry_open(etr_archive_entry **out, etr_archive *archive, size_t index, uint64_t max_bytes, etr_error *error);

/** An etr_json_read: context is the etr_archive_entry. -1 on failure, which etr_archive_entry_error() describes. */
int64_t etr_archive_entry_read(void *entry, char *into, size_t size);

/** Status and error of a failed read (a wrong CRC, data that ends early, ...), with file, entry and offset; ETR_OK if none failed. */
etr_status etr_archive_entry_error(const etr_archive_entry *entry, etr_error *error);

/** Reads the rest and throws it away, so that the CRC is checked. ETR_OK if all is well, otherwise as etr_archive_entry_error(). */
etr_status etr_archive_entry_finish(etr_archive_entry *entry, etr_error *error);
void etr_archive_entry_close(etr_archive_entry *entry);

/** Reads a whole entry into memory, checked; free with etr_file_clear(). max_bytes and errors as above. */
etr_status etr_archive_read(etr_file *out, etr_archive *archive, size_t index, uint64_t max_bytes, etr_error *error);

#endif
