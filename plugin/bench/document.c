/* SPDX-License-Identifier: BSD-3-Clause
 *
 * document.c - reads and writes whole files.
 */
#include "bench/base.h"
#include "command/message.h"

#include <stdlib.h>
#include <string.h>

bool bench_document_add(void *context, const void *data, size_t size) {
  bench_document *d = context;
  char *more = realloc(d->text, d->size + size + 1);
  if (more == NULL) return false;
  d->text = more;
  memcpy(more + d->size, data, size);
  d->size += size;
  return true;
}

bool bench_document_read(bench_document *out, const char *path) {
  char piece[65536];
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  bool is_whole = true;
  for (size_t got; is_whole && (got = fread(piece, 1, sizeof piece, file)) > 0;)
    is_whole = bench_document_add(out, piece, got);
  is_whole = is_whole && ferror(file) == 0;
  (void)fclose(file);
  return is_whole;
}

static etr_status emit_document(void *context, const etr_sink *sink, etr_error *error) {
  const bench_document *d = context;
  return sink->write(sink->context, d->text, d->size) ? ETR_OK : message_fail(error, ETR_ERROR_IO, "cannot write");
}

etr_status bench_document_write(const bench_document *document, const char *path, etr_error *error) {
  bench_document borrowed = *document;
  return etr_write_file(path, emit_document, &borrowed, error);
}

void bench_document_clear(bench_document *document) {
  free(document->text);
  *document = (bench_document){0};
}
