/* SPDX-License-Identifier: BSD-3-Clause
 *
 * archive_writer.h - writes a zip to a sink, entry by entry, like Python's zipfile: entries are
 * stored, sizes are in front of the bytes, and zip64 is used only where it is needed. Layer 1. Only
 * archive_writer.c includes <zlib.h>, for the CRC.
 */
#ifndef ETR_ARCHIVE_WRITER_H
#define ETR_ARCHIVE_WRITER_H

#include "formats/archive.h"

typedef struct etr_archive_writer etr_archive_writer;

/** Starts a zip. The sink is copied; its context is borrowed until the writer is closed. NULL when
 * out of memory. */
etr_archive_writer *etr_archive_writer_new(const etr_sink *sink);

/** Adds an entry with the output of an emitter. The emitter is called twice, first to learn the
 * size, and must write the same bytes both times. Errors: those of the emitter, ETR_ERROR_FORMAT
 * (it wrote different bytes), ETR_ERROR_IO (the sink fails), ETR_ERROR_MEMORY. */
etr_status etr_archive_writer_add(etr_archive_writer *writer, const char *name, etr_emitter emit,
                                  void *context, etr_error *error);

/** Adds an entry with these bytes. Errors: ETR_ERROR_IO (the sink fails), ETR_ERROR_MEMORY. */
etr_status etr_archive_writer_add_bytes(etr_archive_writer *writer, const char *name,
                                        etr_slice bytes, etr_error *error);

/** Copies an entry of another archive, which stays compressed if it is, and checks its CRC. Errors:
 * those of reading it, ETR_ERROR_IO (the sink fails), ETR_ERROR_MEMORY. */
etr_status etr_archive_writer_copy(etr_archive_writer *writer, const char *name,
                                   etr_archive *source, size_t index, etr_error *error);

/** Finishes the zip. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
etr_status etr_archive_writer_finish(etr_archive_writer *writer, etr_error *error);

/** Frees the writer. NULL is allowed. */
void etr_archive_writer_close(etr_archive_writer *writer);

#endif
