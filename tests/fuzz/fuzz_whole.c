/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_whole.c - all inputs at once: read, join, write, read again. Sections, each behind a line "== NAME": the entries of an unpacked record, and
 * the files `dump` and `pte`. Without the zip around them a changed byte is no wrong checksum, and gets as far as the join.
 */
#include "scratch.h"
#include "walk.h"

static const struct {
  const char *mark, *file;
} sections[] = {
    {"\n== program\n", "record/edge_dialect_exported_program/forward"},
    {"\n== aten\n", "record/exported_program"},
    {"\n== handles\n", "record/debug_handle_map"},
    {"\n== delegates\n", "record/delegate_map"},
    {"\n== dump\n", "dump"},
    {"\n== pte\n", "pte"},
};
enum { SECTION_COUNT = sizeof sections / sizeof *sections, DUMP = 4, PTE = 5 };

/* The bytes from a section's mark up to the next mark. NULL if there is none. */
static const uint8_t *find_section(size_t section, const uint8_t *data, size_t size, size_t *found) {
  const uint8_t *end = data + size, *start = memmem(data, size, sections[section].mark, strlen(sections[section].mark));
  if (!start) return NULL;
  start += strlen(sections[section].mark);
  for (size_t i = 0; i < SECTION_COUNT; i++) {
    const uint8_t *next = memmem(start, (size_t)(end - start), sections[i].mark, strlen(sections[i].mark));
    if (next) end = next;
  }
  *found = (size_t)(end - start);
  return start;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *paths[SECTION_COUNT] = {NULL};
  char record[256];
  etr_profile *profile = NULL;
  etr_error error = {.offset = ETR_NO_OFFSET};
  for (size_t i = 0; i < SECTION_COUNT; i++) {
    size_t found = 0;
    const uint8_t *section = find_section(i, data, size, &found);
    if (section)
      paths[i] = scratch_file(sections[i].file, section, found);
    else
      scratch_remove(sections[i].file);
  }
  snprintf(record, sizeof record, "%s", scratch_file("record/ETRECORD_V0", data, 0));
  *strrchr(record, '/') = '\0';
  etr_inputs inputs = {.etrecord = record, .etdumps = &paths[DUMP], .etdump_count = paths[DUMP] != NULL, .pte = paths[PTE]};
  etr_status status = etr_profile_open(&profile, &inputs, NULL, &error);
  if ((status == ETR_OK) != (profile != NULL) || (status != ETR_OK && !error.message[0])) abort();
  if (profile) walk_profile(profile);
  etr_profile_close(profile);
  return 0;
}
