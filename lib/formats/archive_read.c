/* SPDX-License-Identifier: BSD-3-Clause
 *
 * archive_read.c - whole entries: into memory, or into a sink.
 */
#include "formats/archive.h"

#include <stdlib.h>

etr_status etr_archive_read(etr_file *out, etr_archive *archive, size_t index, uint64_t max_bytes, etr_error *error) {
  etr_archive_entry *entry;
  *out = (etr_file){0};
  ETR_TRY(etr_archive_entry_open(&entry, archive, index, max_bytes, error));
  uint64_t size = etr_archive_size(archive, index);
  etr_status status = size < SIZE_MAX && (out->data = malloc((size_t)size + 1)) ? ETR_OK : etr_fail_memory(error);
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

etr_status etr_archive_entry_pour(etr_archive_entry *entry, const etr_sink *sink, etr_error *error) {
  char bytes[32 * 1024];
  for (int64_t got; (got = etr_archive_entry_read(entry, bytes, sizeof bytes)) > 0;)
    if (!sink->write(sink->context, bytes, (size_t)got)) return etr_fail_sink(error);
  return etr_archive_entry_finish(entry, error);
}
