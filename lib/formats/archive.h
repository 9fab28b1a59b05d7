/* SPDX-License-Identifier: BSD-3-Clause
 *
 * archive.h - the entries of an ETRecord: a zip file, or a directory that one was unpacked into. Layer 1. Only
 * archive.c sees <zip.h>.
 *
 * Reads as Python's zipfile does where the two differ from libzip: of entries with the same name the last counts, and
 * bytes before the first header are passed over. Never reads an entry that was not asked for, so weights cost nothing.
 */
#ifndef ETR_ARCHIVE_H
#define ETR_ARCHIVE_H

#include "base/arena.h"
#include "base/file.h"
#include "etrecord_file.h"

typedef struct etr_archive etr_archive;
typedef struct etr_archive_entry etr_archive_entry; /* an entry being read */

/**
 * Opens a zip file or a directory. On success *out is to be closed; on failure it is NULL.
 * Errors: ETR_ERROR_IO (cannot be read), ETR_ERROR_FORMAT (not a zip, truncated, no central directory, entries that
 * share bytes: the message says which), ETR_ERROR_MEMORY. Does not look for ETRECORD_V0: that is the record's business.
 */
etr_status etr_archive_open(etr_archive **out, const char *path, etr_error *error);
void etr_archive_close(etr_archive *archive);

/** Opens a zip in memory, borrowed until it is closed. `path` stands for it in errors. Errors: ETR_ERROR_FORMAT,
 * ETR_ERROR_MEMORY. */
etr_status etr_archive_open_memory(etr_archive **out, etr_slice bytes, const char *path, etr_error *error);

/** True of an unpacked record. */
bool etr_archive_is_directory(const etr_archive *archive);

/** Number of distinct names; directories in the zip are no entries. */
size_t etr_archive_count(const etr_archive *archive);
/** Name of an entry, sanitised text, in the order of the central directory (of duplicates: the place of the last). For
 * an unpacked record the relative path with '/', in strcmp order. */
const char *etr_archive_name(const etr_archive *archive, size_t index);
/** Uncompressed size as the directory says. */
uint64_t etr_archive_size(const etr_archive *archive, size_t index);
/** Index by exact name, or SIZE_MAX. */
size_t etr_archive_find(const etr_archive *archive, const char *name);

/**
 * Opens an entry to read its bytes in a stream, decompressed. What comes out is capped at the size in the directory and
 * at max_bytes (0: no own cap), so a lying directory cannot make it grow. Close with etr_archive_entry_close(). Errors:
 * ETR_ERROR_FORMAT (unsupported compression or encryption, larger than max_bytes, damaged local header, a zip bomb:
 * more than 64 MiB at more than 200 times its compressed size, or the zip's for all entries opened so far),
 * ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
etr_status etr_archive_entry_open(etr_archive_entry **out, etr_archive *archive, size_t index, uint64_t max_bytes,
                                  etr_error *error);

/** How the bytes of an entry lie in a zip. */
typedef struct etr_archive_form {
  bool is_known;   /* false: in a directory, so that only the sizes are known */
  uint16_t method; /* of compression; 0: stored */
  uint32_t crc;    /* of the bytes decompressed, as the zip's directory says */
  uint64_t size, packed;
} etr_archive_form;

/** Opens an entry to read its bytes as they are in the zip, for copying: compressed bytes are neither decompressed nor
 * checked. An empty entry has the form of a stored one. Errors: as for etr_archive_entry_open(). */
etr_status etr_archive_entry_open_as_is(etr_archive_entry **out, etr_archive_form *form, etr_archive *archive,
                                        size_t index, etr_error *error);

/** An etr_read; the context is the entry. -1 on failure, which etr_archive_entry_finish() describes. */
int64_t etr_archive_entry_read(void *entry, char *into, size_t size);

/** Reads and discards the rest, so that the CRC is checked. Gives the status and error of a read that failed (a wrong
 * CRC, data that ends early, ...), with file, entry and offset; otherwise ETR_OK. */
etr_status etr_archive_entry_finish(etr_archive_entry *entry, etr_error *error);
void etr_archive_entry_close(etr_archive_entry *entry);

/** Reads the rest into a sink, checked as by etr_archive_entry_finish(). Errors: of the entry; ETR_ERROR_IO if the sink
 * takes no more. */
etr_status etr_archive_entry_pour(etr_archive_entry *entry, const etr_sink *sink, etr_error *error);

/** Reads a whole entry into memory, checked; free with etr_file_clear(). max_bytes and errors as above. */
etr_status etr_archive_read(etr_file *out, etr_archive *archive, size_t index, uint64_t max_bytes, etr_error *error);

#endif
