/* SPDX-License-Identifier: BSD-3-Clause
 *
 * archive_writer.h - writes a zip into a sink, entry by entry, as Python's zipfile does: stored, sizes in front of the
 * bytes; zip64 where it has to be. Layer 1. Only archive_writer.c sees <zlib.h>, for the CRC.
 */
#ifndef ETR_ARCHIVE_WRITER_H
#define ETR_ARCHIVE_WRITER_H

#include "formats/archive.h"

typedef struct etr_archive_writer etr_archive_writer;

/** Begins a zip. The sink is copied, its context borrowed until the writer is closed. NULL when out of memory. */
etr_archive_writer *etr_archive_writer_new(const etr_sink *sink);

/** Adds what an emitter writes. It is called twice, to learn the size first, and must write the same. Errors: the
 * emitter's, ETR_ERROR_FORMAT (it did not), ETR_ERROR_IO (the sink takes no more), ETR_ERROR_MEMORY. */
etr_status etr_archive_writer_add(etr_archive_writer *writer, const char *name, etr_emitter emit, void *context,
                                  etr_error *error);

/** Adds these bytes. */
etr_status etr_archive_writer_add_bytes(etr_archive_writer *writer, const char *name, etr_slice bytes,
                                        etr_error *error);

/** Adds an entry of another archive, compressed if it is. Errors: as above, and those of reading it. */
etr_status etr_archive_writer_copy(etr_archive_writer *writer, const char *name, etr_archive *from, size_t index,
                                   etr_error *error);

/** Ends the zip. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
etr_status etr_archive_writer_finish(etr_archive_writer *writer, etr_error *error);

/** Frees the writer. NULL is allowed. */
void etr_archive_writer_close(etr_archive_writer *writer);

#endif
