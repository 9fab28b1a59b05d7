/* SPDX-License-Identifier: BSD-3-Clause
 *
 * part.c - parts by name.
 */
#include "records/part.h"

#include "formats/json.h"
#include "inputs/pickle.h"
#include "inputs/record.h"

#include <errno.h>
#include <stdlib.h>

/* ---- Bytes ---- */

/* Returns ETR_ERROR_IO with what errno says about a file. */
static etr_status fail_with_errno(const char *path, etr_error *error) {
  return etr_fail(error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET, "cannot read: %s",
                  strerror(errno));
}

/* Writes the bytes of a regular file into a sink. Fails if the file cannot be read, or if the sink
 * fails, which alone is then reported. */
static etr_status emit_file(const char *path, const etr_sink *sink, etr_error *error) {
  char bytes[32 * 1024];
  size_t got;
  bool is_written = true;
  FILE *file = etr_file_open_regular(path);
  if (!file)
    return fail_with_errno(path, error);
  while (is_written && (got = fread(bytes, 1, sizeof bytes, file)) > 0)
    is_written = sink->write(sink->context, bytes, got);
  etr_status status = ferror(file) ? fail_with_errno(path, error) : ETR_OK;
  fclose(file);
  return is_written ? status : etr_fail_sink(error);
}

/* Writes the content of a planned entry into a sink: from an archive, a file or memory. Fails if
 * it cannot be read or written. */
etr_status etr_planned_emit(void *context, const etr_sink *sink, etr_error *error) {
  const etr_planned *planned = context;
  if (planned->archive) {
    etr_archive_entry *entry;
    ETR_TRY(etr_archive_entry_open(&entry, planned->archive, planned->index, 0, error));
    etr_status status = etr_archive_entry_pour(entry, sink, error);
    etr_archive_entry_close(entry);
    return status;
  }
  if (planned->path)
    return emit_file(planned->path, sink, error);
  bool is_written = planned->bytes.size == 0 ||
                    sink->write(sink->context, planned->bytes.data, planned->bytes.size);
  return is_written ? ETR_OK : etr_fail_sink(error);
}

/* ---- Names ---- */

/* Returns ETR_ERROR_CHOICE, because of what is wrong with the name of a part. */
static etr_status fail_name(const char *name, const char *what, etr_error *error) {
  return etr_fail(error, ETR_ERROR_CHOICE, NULL, name, ETR_NO_OFFSET, "%s", what);
}

/* Makes the name of a program's entry from the part's name: "edge/forward" and "edge" stand for
 * ETR_EDGE_ENTRY/forward, "aten" for the exported program, and a module's name without a method for
 * its `forward`. Names of entries stay. *out is `name`, static or in the arena. Fails for a
 * module's name that contains one of the ETRecord's own, or when out of memory. */
static etr_status name_of_program_entry(const char **out, etr_arena *arena, const char *name,
                                        etr_error *error) {
  static const char edge[] = "edge/";
  *out = name;
  if (etr_entry_kind_of(name, ETR_EDGE_ENTRY) == ETR_ENTRY_EDGE_PROGRAM ||
      strcmp(name, ETR_ATEN_ENTRY) == 0)
    return ETR_OK;
  if (strcmp(name, "aten") == 0)
    *out = ETR_ATEN_ENTRY;
  else if (strcmp(name, "edge") == 0)
    *out = ETR_EDGE_ENTRY "/forward";
  else if (strncmp(name, edge, sizeof edge - 1) == 0)
    *out = etr_arena_format(arena, ETR_EDGE_ENTRY "/%s", name + sizeof edge - 1);
  else if (etr_entry_is_reserved(name))
    return fail_name(
        name, "a module cannot be called so: the name contains one of the ETRecord's own", error);
  else if (!strchr(name, '/'))
    *out = etr_arena_format(arena, "%s/forward", name);
  return *out ? ETR_OK : etr_fail_memory(error);
}

/* Names of maps and of other fixed entries stay. The name of weights, constants or example inputs
 * is that of their program's entry with its suffix. Fails for an empty or reserved name, or when
 * out of memory. */
etr_status etr_part_entry(const char **out, etr_arena *arena, const char *name, etr_error *error) {
  etr_sibling sibling;
  etr_entry_kind kind = etr_entry_kind_of(name, ETR_EDGE_ENTRY);
  etr_slice program = etr_entry_program(etr_slice_of(name), &sibling);
  *out = name;
  if (!name[0])
    return fail_name(name, "a part needs a name: edge/forward=FILE", error);
  if (kind == ETR_ENTRY_IDENTIFIER)
    return fail_name(name, "this name is reserved: every ETRecord has it", error);
  bool is_known = !(kind & (ETR_ENTRY_UNKNOWN | ETR_ENTRY_WEIGHTS | ETR_ENTRY_PROGRAM));
  if (is_known)
    return ETR_OK;
  if (kind != ETR_ENTRY_WEIGHTS)
    return name_of_program_entry(out, arena, name, error);
  const char *owner = etr_arena_copy(arena, program);
  if (!owner)
    return etr_fail_memory(error);
  ETR_TRY(name_of_program_entry(&owner, arena, owner, error));
  *out = etr_arena_format(arena, "%s%s", owner, etr_sibling_suffixes[sibling]);
  return *out ? ETR_OK : etr_fail_memory(error);
}

/* ---- Versions ---- */

/* Reads up to `size` bytes of a FILE *, for etr_json_open(). Returns their number; 0 at the end, -1
 * if the file cannot be read. */
static int64_t read_from_file(void *context, char *into, size_t size) {
  size_t got = fread(into, 1, size, context);
  return got == 0 && ferror((FILE *)context) ? -1 : (int64_t)got;
}

/* Reads the member schema_version of a serialized program, major and minor, and closes the reader.
 * Both are 0 if there is none or the document is damaged. `json` is NULL when out of memory. Fails
 * when out of memory. */
static etr_status read_schema_version(int64_t version[2], etr_json *json, etr_error *error) {
  if (!json)
    return etr_fail_memory(error);
  /* "schema_version": {"major": 5, "minor": 4} */
  etr_slice key;
  int64_t found[2] = {0, 0};
  version[0] = version[1] = 0;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (!etr_slice_is(key, "schema_version") || etr_json_peek(json) != ETR_JSON_OBJECT) {
      etr_json_skip(json);
      continue;
    }
    etr_json_object(json);
    while (etr_json_key(json, &key))
      if (etr_slice_is(key, "major"))
        found[0] = etr_json_int(json);
      else if (etr_slice_is(key, "minor"))
        found[1] = etr_json_int(json);
      else
        etr_json_skip(json);
  }
  if (!etr_json_failed(json))
    memcpy(version, found, sizeof found);
  bool has_memory = !etr_json_out_of_memory(json);
  etr_json_close(json);
  return has_memory ? ETR_OK : etr_fail_memory(error);
}

/* Reads the version of a program's schema, major and minor, from an entry of an archive, with the
 * reader's default limits (NULL). Fails if the entry cannot be opened, or when out of memory. */
static etr_status read_schema_of_entry(int64_t version[2], const etr_planned *planned,
                                       etr_error *error) {
  etr_archive_entry *entry;
  ETR_TRY(etr_archive_entry_open(&entry, planned->archive, planned->index, 0, error));
  etr_status status = read_schema_version(
      version, etr_json_open(etr_archive_entry_read, entry, NULL), error);
  etr_archive_entry_close(entry);
  return status;
}

/* Reads the version from wherever the program's content is: an archive, bytes in memory or a file.
 * Fails if that cannot be opened, or when out of memory. */
etr_status etr_planned_schema(int64_t version[2], const etr_planned *planned, etr_error *error) {
  if (planned->archive)
    return read_schema_of_entry(version, planned, error);
  if (!planned->path)
    return read_schema_version(version, etr_json_open_memory(planned->bytes, NULL), error);
  FILE *file = etr_file_open_regular(planned->path);
  if (!file)
    return fail_with_errno(planned->path, error);
  etr_status status = read_schema_version(version, etr_json_open(read_from_file, file, NULL),
                                          error);
  fclose(file);
  return status;
}

/* ---- What a part is ---- */

enum { HEAD_BYTES = 64 };

/* The first bytes of an entry. */
typedef struct head {
  char bytes[HEAD_BYTES];
  size_t size;
} head;

/* A sink's write function that keeps the first HEAD_BYTES bytes. Returns false once it has these,
 * which ends the writing. */
static bool keep_first_bytes(void *context, const void *data, size_t size) {
  head *h = context;
  size_t piece = ETR_MIN(size, sizeof h->bytes - h->size);
  memcpy(h->bytes + h->size, data, piece);
  h->size += piece;
  return h->size < sizeof h->bytes;
}

/* Returns true if these bytes are at an offset of the entry. */
static bool has_text_at(const head *h, size_t at, const char *text) {
  size_t size = strlen(text);
  return h->size >= at + size && memcmp(h->bytes + at, text, size) == 0;
}

/* Returns what is wrong with an entry of a kind that starts with these bytes, a static text for the
 * user; NULL if nothing is. A zip starts with "PK". The identifier of a .pte ("ET12") or
 * BundledProgram ("BP08") is behind the first four bytes. */
static const char *fault_of_first_bytes(etr_entry_kind kind, const head *h) {
  bool is_object = h->size > 0 && h->bytes[0] == '{', is_zip = has_text_at(h, 0, "PK");
  switch (kind) {
  case ETR_ENTRY_EDGE_PROGRAM:
  case ETR_ENTRY_OTHER_PROGRAM:
    if (is_zip)
      return "a zip, not a serialized program; of a .pt2, unpack serialized_exported_program.json";
    return is_object ? NULL : "not a program as torch.export serializes it: a JSON object";
  case ETR_ENTRY_HANDLE_MAP:
  case ETR_ENTRY_DELEGATE_MAP:
  case ETR_ENTRY_OUTPUT_COUNTS:
  case ETR_ENTRY_DELEGATE_INFO:
    return is_object ? NULL : "not a map: a JSON object";
  case ETR_ENTRY_REFERENCE_OUTPUTS:
  case ETR_ENTRY_REPRESENTATIVE_INPUTS:
    return is_zip || etr_is_pickle((etr_slice){h->bytes, h->size})
               ? NULL
               : "written neither by torch.save nor by pickle";
  case ETR_ENTRY_PTE:
    if (has_text_at(h, 4, "BP08"))
      return "a BundledProgram, not a program; give it with --bundled";
    return has_text_at(h, 4, "ET12") ? NULL
                                     : "not an ExecuTorch program: identifier ET12 is missing";
  default:
    return NULL;
  }
}

/* Only the first HEAD_BYTES bytes are read: the sink that keeps them then refuses more, and that
 * failure counts as success. */
etr_status etr_planned_check(const etr_planned *planned, etr_error *error) {
  head h = {.size = 0};
  etr_planned copy = *planned;
  etr_error failure = {.offset = ETR_NO_OFFSET};
  etr_status status = etr_planned_emit(&copy, &(etr_sink){keep_first_bytes, &h}, &failure);
  bool is_full = h.size == sizeof h.bytes; /* then the sink stopped it */
  if (status != ETR_OK && !is_full) {
    if (error)
      *error = failure;
    return status;
  }
  const char *fault = fault_of_first_bytes(etr_entry_kind_of(planned->name, ETR_EDGE_ENTRY), &h);
  if (!fault)
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_FORMAT, planned->path, planned->name, ETR_NO_OFFSET, "%s",
                  fault);
}
