/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_entry.c - a program that an ETRecord holds.
 */
#include "formats/archive.h"
#include "inputs/pte.h"

etr_status etr_pte_read_entry(etr_pte *out, etr_arena *arena, const char *record, const char *entry,
                              const etr_pte_limits *limits, etr_error *error) {
  etr_archive *archive;
  etr_file program = {0};
  *out = (etr_pte){0};
  ETR_TRY(etr_archive_open(&archive, record, error));
  size_t index = etr_archive_find(archive, entry);
  etr_status status = index == SIZE_MAX
                          ? etr_fail(error, ETR_ERROR_IO, record, entry, ETR_NO_OFFSET, "the entry is gone")
                          : etr_archive_read(&program, archive, index, limits->max_bytes, error);
  etr_archive_close(archive);
  ETR_TRY(status);
  etr_error failure = {.offset = ETR_NO_OFFSET};
  etr_pte_source source = {.path = record, .bytes = etr_file_bytes(&program)};
  status = etr_pte_read(out, arena, &source, limits, &failure);
  out->file = program;
  if (status == ETR_OK) return ETR_OK;
  return etr_fail(error, status, record, entry, failure.offset, "%s", failure.message);
}
