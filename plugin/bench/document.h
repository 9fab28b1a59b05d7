/* SPDX-License-Identifier: BSD-3-Clause
 *
 * document.h - a file's text in memory: profile.json, which each bench leaves for the next one to compare with.
 * Layer 6.
 */
#ifndef ETR_DOCUMENT_H
#define ETR_DOCUMENT_H

#include "etrecord_tb.h"

/** Zeroed: empty. */
typedef struct bench_document {
  char *text; /* not ended by NUL */
  size_t size;
} bench_document;

/** A sink's function; context: the document. False when out of memory. */
bool bench_document_add(void *context, const void *data, size_t size);

/** Reads a file. False, with errno: it cannot be read, or memory is out. */
bool bench_document_read(bench_document *out, const char *path);

/** Writes a file, which appears as a whole or not at all. Errors: those of etr_write_file(). */
etr_status bench_document_write(const bench_document *document, const char *path, etr_error *error);

void bench_document_clear(bench_document *document);

#endif
