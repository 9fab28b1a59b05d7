/* SPDX-License-Identifier: BSD-3-Clause
 *
 * archive.h - reads the entries of an ETRecord: a zip file, or a directory into which one was
 * unpacked. Layer 1. Only archive.c includes <zip.h>.
 *
 * Where Python's zipfile and libzip differ, this reads like zipfile: of several entries with the
 * same name the last one counts, and bytes before the first header are ignored. Only requested
 * entries are read, so weights cost nothing.
 */
#ifndef ETR_ARCHIVE_H
#define ETR_ARCHIVE_H

#include "base/arena.h"
#include "base/file.h"
#include "etrecord_file.h"

typedef struct etr_archive etr_archive;
typedef struct etr_archive_entry etr_archive_entry; /* an entry being read */

/**
 * Opens a zip file or a directory. On success close *out with etr_archive_close(); on failure it is
 * NULL. Errors: ETR_ERROR_IO (cannot be read), ETR_ERROR_FORMAT (not a zip, truncated, no central
 * directory, entries that share bytes: the message says which), ETR_ERROR_MEMORY. Does not look for
 * ETRECORD_V0, which etr_record_read() does.
 */
etr_status etr_archive_open(etr_archive **out, const char *path, etr_error *error);
/** Closes an archive; NULL is allowed. */
void etr_archive_close(etr_archive *archive);

/** Opens a zip in memory, which is borrowed until the archive is closed. Errors name it by `path`.
 * Errors: ETR_ERROR_FORMAT, ETR_ERROR_MEMORY. */
etr_status etr_archive_open_memory(etr_archive **out, etr_slice bytes, const char *path,
                                   etr_error *error);

/** Returns true if the archive is a directory into which a record was unpacked. */
bool etr_archive_is_directory(const etr_archive *archive);

/** Returns the number of distinct names; directories in the zip do not count. */
size_t etr_archive_count(const etr_archive *archive);
/** Returns the name of an entry, as sanitized text. Entries are in the order of the central
 * directory; a duplicate name is at the position of its last entry. In an unpacked record names are
 * relative paths with '/', in strcmp order. */
const char *etr_archive_name(const etr_archive *archive, size_t index);
/** Returns the uncompressed size of an entry, as the directory says. */
uint64_t etr_archive_size(const etr_archive *archive, size_t index);
/** Returns the index of the entry with exactly this name, or SIZE_MAX. */
size_t etr_archive_find(const etr_archive *archive, const char *name);

/**
 * Opens an entry to read its decompressed bytes as a stream. The output is limited to the size in
 * the directory and to max_bytes (0: no limit), so that a wrong directory cannot make it grow.
 * Close it with etr_archive_entry_close(). Errors: ETR_ERROR_FORMAT (unsupported compression or
 * encryption, larger than max_bytes, damaged local header, a zip bomb: more than 64 MiB at more
 * than 200 times its compressed size, or the zip's for all entries opened so far), ETR_ERROR_IO,
 * ETR_ERROR_MEMORY.
 */
etr_status etr_archive_entry_open(etr_archive_entry **out, etr_archive *archive, size_t index,
                                  uint64_t max_bytes, etr_error *error);

/** How an entry is stored in a zip. */
typedef struct etr_archive_form {
  bool is_known;   /* false for an entry of a directory, for which only the sizes are known */
  uint16_t method; /* compression method; 0: stored */
  uint32_t crc;    /* CRC of the decompressed bytes, as the zip's directory says */
  uint64_t size, packed;
} etr_archive_form;

/** Opens an entry to read its bytes unchanged, for copying: compressed bytes are neither
 * decompressed nor checked. An empty entry has the form of a stored one. Errors: those of
 * etr_archive_entry_open(). */
etr_status etr_archive_entry_open_as_is(etr_archive_entry **out, etr_archive_form *form,
                                        etr_archive *archive, size_t index, etr_error *error);

/** An etr_read() function whose context is the entry. Returns -1 on failure, which
 * etr_archive_entry_finish() describes. */
int64_t etr_archive_entry_read(void *entry, char *into, size_t size);

/** Reads and discards the rest of the entry, so that the CRC is checked. Returns ETR_OK, or the
 * status and the error of a read that failed (a wrong CRC, data that ends early, ...), with file,
 * entry and offset. */
etr_status etr_archive_entry_finish(etr_archive_entry *entry, etr_error *error);
/** Closes an entry; NULL is allowed. */
void etr_archive_entry_close(etr_archive_entry *entry);

/** Writes the rest of the entry to a sink, and checks it like etr_archive_entry_finish(). Errors:
 * those of reading the entry; ETR_ERROR_IO if the sink fails. */
etr_status etr_archive_entry_pour(etr_archive_entry *entry, const etr_sink *sink, etr_error *error);

/** Reads a complete entry into memory and checks it. Free it with etr_file_clear(). max_bytes and
 * errors are those of etr_archive_entry_open(). */
etr_status etr_archive_read(etr_file *out, etr_archive *archive, size_t index, uint64_t max_bytes,
                            etr_error *error);

#endif
