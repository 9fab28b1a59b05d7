/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_whole.c - all inputs at once: read, join, write, read again. Sections, each behind a line
 * "== NAME": "entry NAME" is an entry of the record, `program`, `aten`, `handles` and `delegates`
 * are short for usual ones; each `dump` is an ETDump, `pte` the program. A changed byte is no wrong
 * checksum, for the zip is made of the sections, and gets as far as the join.
 */
#include "scratch.h"
#include "stored_zip.h"
#include "walk.h"

#define MARK "\n== "

enum { MOST_ENTRIES = 16, MOST_DUMPS = 4 };

typedef struct parts {
  zip_entry entries[MOST_ENTRIES]; /* the first is the identifier */
  const char *dumps[MOST_DUMPS], *pte;
  size_t entry_count, dump_count;
} parts;

/* What lies in front of the next mark, or all. */
static etr_slice before_mark(etr_slice bytes) {
  const char *mark = bytes.size ? memmem(bytes.data, bytes.size, MARK, strlen(MARK)) : NULL;
  return (etr_slice){bytes.data, mark ? (size_t)(mark - bytes.data) : bytes.size};
}

static etr_slice behind(etr_slice bytes, size_t size) {
  return (etr_slice){bytes.data + size, bytes.size - size};
}

/* The entry that a section is, or nothing. */
static etr_slice entry_of(etr_slice name) {
  static const char *const usual[][2] = {
      {"program", "edge_dialect_exported_program/forward"},
      {"aten", "exported_program"},
      {"handles", "debug_handle_map"},
      {"delegates", "delegate_map"},
  };
  for (size_t i = 0; i < ETR_COUNT(usual); i++)
    if (etr_slice_equal(name, etr_slice_of(usual[i][0])))
      return etr_slice_of(usual[i][1]);
  bool is_named = name.size > strlen("entry ") &&
                  memcmp(name.data, "entry ", strlen("entry ")) == 0 && name.size <= UINT16_MAX;
  return is_named ? behind(name, strlen("entry ")) : (etr_slice){0};
}

static void add_section(parts *p, etr_slice name, etr_slice data) {
  static const char *const dump_files[MOST_DUMPS] = {"dump", "dump2", "dump3", "dump4"};
  etr_slice entry = entry_of(name);
  if (entry.size && p->entry_count < MOST_ENTRIES)
    p->entries[p->entry_count++] = (zip_entry){entry, data};
  else if (etr_slice_is(name, "dump") && p->dump_count < MOST_DUMPS) {
    p->dumps[p->dump_count] = scratch_file(dump_files[p->dump_count], data.data, data.size);
    p->dump_count++;
  } else if (etr_slice_is(name, "pte"))
    p->pte = scratch_file("pte", data.data, data.size);
}

static void take_apart(parts *p, etr_slice input) {
  *p = (parts){.entries = {{ETR_SLICE("ETRECORD_V0"), {0}}}, .entry_count = 1};
  for (etr_slice rest = behind(input, before_mark(input).size); rest.size;) {
    rest = behind(rest, strlen(MARK));
    etr_slice section = before_mark(rest);
    const char *line_end = section.size ? memchr(section.data, '\n', section.size) : NULL;
    size_t name_size = line_end ? (size_t)(line_end - section.data) : section.size;
    if (line_end)
      add_section(p, (etr_slice){section.data, name_size}, behind(section, name_size + 1));
    rest = behind(rest, section.size);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  parts p;
  size_t zip_size;
  etr_profile *profile = NULL;
  etr_error error = {.offset = ETR_NO_OFFSET};
  take_apart(&p, (etr_slice){(const char *)data, size});
  char *zip = stored_zip(p.entries, p.entry_count, &zip_size);
  const char *record = p.entry_count > 1 ? scratch_file("record", zip, zip_size) : NULL;
  free(zip);
  etr_inputs inputs = {
      .etrecord = record, .etdumps = p.dumps, .etdump_count = p.dump_count, .pte = p.pte};
  etr_status status = etr_profile_open(&profile, &inputs, NULL, &error);
  if ((status == ETR_OK) != (profile != NULL) || (status != ETR_OK && !error.message[0]))
    abort();
  if (profile)
    walk_profile(profile);
  etr_profile_close(profile);
  return 0;
}
