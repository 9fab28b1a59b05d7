/* SPDX-License-Identifier: BSD-3-Clause
 *
 * archive_writer.c - headers of a zip. Format: PKWARE's APPNOTE.TXT, 4.3 to 4.5.
 */
#include "formats/archive_writer.h"

#include <stdlib.h>
#include <zlib.h>

enum {
  LOCAL_SIGNATURE = 0x04034b50,
  DIRECTORY_SIGNATURE = 0x02014b50,
  END_SIGNATURE = 0x06054b50,
  END64_SIGNATURE = 0x06064b50,
  LOCATOR_SIGNATURE = 0x07064b50,
  PLAIN_VERSION = 20, /* of the format that a reader has to know */
  ZIP64_VERSION = 45,
  MADE_ON_UNIX = 3 << 8,
  NAMED_IN_UTF8 = 1 << 11,
  FIRST_DAY = 1 << 5 | 1, /* 1980-01-01, the first that a zip knows */
  ZIP64_EXTRA = 1,
};

#define OWNER_MAY_READ_AND_WRITE (0600u << 16)

/* An entry that is written. */
typedef struct written_entry {
  const char *name;
  etr_archive_form form;
  uint64_t offset;
} written_entry;

struct etr_archive_writer {
  etr_arena arena;
  etr_sink sink;
  uint64_t offset;
  etr_vec(written_entry) entries;
};

/* ---- Numbers ---- */

enum { HEADER_ROOM = 128 };

/* A header while it is put together. */
typedef struct header {
  uint8_t bytes[HEADER_ROOM];
  size_t size;
} header;

/* Appends a number of `width` bytes to a header, little-endian as a zip has it. */
static void append_number(header *h, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; i++)
    h->bytes[h->size++] = (uint8_t)(value >> (8 * i));
}

static bool needs_zip64(uint64_t value) {
  return value >= UINT32_MAX;
}

static uint64_t to_32_bits(uint64_t value) {
  return needs_zip64(value) ? UINT32_MAX : value;
}

static bool write_bytes(etr_archive_writer *writer, const void *data, size_t size) {
  writer->offset += size;
  return size == 0 || writer->sink.write(writer->sink.context, data, size);
}

/* Writes a header, then the name, which may be empty, then the extra fields. Fails if the sink
 * does. */
static etr_status write_header(etr_archive_writer *writer, const header *h, const char *name,
                               const header *extra, etr_error *error) {
  bool good = write_bytes(writer, h->bytes, h->size) && write_bytes(writer, name, strlen(name)) &&
              write_bytes(writer, extra->bytes, extra->size);
  return good ? ETR_OK : etr_fail_sink(error);
}

/* ---- Headers ---- */

/* Appends the fields that an entry's local header and its header in the central directory have in
 * common. The time is always the first that a zip can have, so that equal contents give equal zips.
 */
static void append_common_fields(header *h, const written_entry *entry, size_t extra_size) {
  const etr_archive_form *form = &entry->form;
  bool is_ascii = true;
  for (const char *character = entry->name; *character; character++)
    is_ascii &= (unsigned char)*character < 0x80;
  append_number(h, extra_size ? ZIP64_VERSION : PLAIN_VERSION, 2);
  append_number(h, is_ascii ? 0 : NAMED_IN_UTF8, 2);
  append_number(h, form->method, 2);
  append_number(h, 0, 2);
  append_number(h, FIRST_DAY, 2);
  append_number(h, form->crc, 4);
  append_number(h, to_32_bits(form->packed), 4);
  append_number(h, to_32_bits(form->size), 4);
  append_number(h, strlen(entry->name), 2);
  append_number(h, extra_size, 2);
}

/* Appends to `extra` a zip64 field with the numbers of the entry that are too large for their
 * 32-bit fields; nothing if all fit. is_local chooses the local header, whose field must have both
 * sizes or none, and no offset. */
static void append_zip64_field(header *extra, const written_entry *entry, bool is_local) {
  header values = {.size = 0};
  const etr_archive_form *form = &entry->form;
  bool has_both_sizes = is_local && (needs_zip64(form->size) || needs_zip64(form->packed));
  if (has_both_sizes || needs_zip64(form->size))
    append_number(&values, form->size, 8);
  if (has_both_sizes || needs_zip64(form->packed))
    append_number(&values, form->packed, 8);
  if (!is_local && needs_zip64(entry->offset))
    append_number(&values, entry->offset, 8);
  if (values.size == 0)
    return;
  append_number(extra, ZIP64_EXTRA, 2);
  append_number(extra, values.size, 2);
  memcpy(extra->bytes + extra->size, values.bytes, values.size);
  extra->size += values.size;
}

/* Writes an entry's header in the central directory, whose zip64 field (false: not of a local
 * header) has the offset of the entry, too. Fails if the sink does. */
static etr_status write_directory_entry(etr_archive_writer *writer, const written_entry *entry,
                                        etr_error *error) {
  header h = {.size = 0};
  header extra = {.size = 0};
  append_zip64_field(&extra, entry, false);
  append_number(&h, DIRECTORY_SIGNATURE, 4);
  append_number(&h, MADE_ON_UNIX | ZIP64_VERSION, 2);
  append_common_fields(&h, entry, extra.size);
  append_number(&h, 0, 2); /* of a comment */
  append_number(&h, 0, 2); /* number of the disk */
  append_number(&h, 0, 2);
  append_number(&h, OWNER_MAY_READ_AND_WRITE, 4);
  append_number(&h, to_32_bits(entry->offset), 4);
  return write_header(writer, &h, entry->name, &extra, error);
}

/* Writes the central directory and the end record, and those of zip64 before it if a number does
 * not fit into the end record. */
etr_status etr_archive_writer_finish(etr_archive_writer *writer, etr_error *error) {
  header h = {.size = 0};
  header none = {.size = 0};
  uint64_t start = writer->offset;
  uint64_t count = writer->entries.count;
  for (size_t i = 0; i < count; i++)
    ETR_TRY(write_directory_entry(writer, &writer->entries.data[i], error));
  uint64_t end = writer->offset;
  uint64_t size = end - start;
  uint64_t short_count = ETR_MIN(count, UINT16_MAX);
  if (needs_zip64(start) || needs_zip64(size) || count >= UINT16_MAX) {
    enum { REST_OF_END64 = 44 };
    append_number(&h, END64_SIGNATURE, 4);
    append_number(&h, REST_OF_END64, 8);
    append_number(&h, MADE_ON_UNIX | ZIP64_VERSION, 2);
    append_number(&h, ZIP64_VERSION, 2);
    append_number(&h, 0, 8); /* numbers of disks */
    append_number(&h, count, 8);
    append_number(&h, count, 8);
    append_number(&h, size, 8);
    append_number(&h, start, 8);
    append_number(&h, LOCATOR_SIGNATURE, 4);
    append_number(&h, 0, 4);
    append_number(&h, end, 8);
    append_number(&h, 1, 4);
  }
  append_number(&h, END_SIGNATURE, 4);
  append_number(&h, 0, 4); /* numbers of disks */
  append_number(&h, short_count, 2);
  append_number(&h, short_count, 2);
  append_number(&h, to_32_bits(size), 4);
  append_number(&h, to_32_bits(start), 4);
  append_number(&h, 0, 2); /* of a comment */
  return write_header(writer, &h, "", &none, error);
}

/* ---- Entries ---- */

/* A sink that counts bytes and, if it has a writer, passes them on. */
typedef struct measuring_sink {
  uint64_t size;
  uint32_t crc;
  etr_archive_writer *writer;
} measuring_sink;

/* Counts bytes in the size and CRC of an entry, and writes them if there is a writer. Returns false
 * if they cannot be written. This is an etr_sink's write; the context is a measuring_sink. */
static bool count_and_write(void *context, const void *data, size_t size) {
  measuring_sink *m = context;
  m->size += size;
  for (size_t done = 0; done < size;) { /* crc32() takes at most 32 bits of size */
    size_t piece = ETR_MIN(size - done, (size_t)1 << 30);
    m->crc = (uint32_t)crc32(m->crc, (const Bytef *)data + done, (uInt)piece);
    done += piece;
  }
  return !m->writer || write_bytes(m->writer, data, size);
}

/* Writes an entry: its local header, which says size and CRC, and then what `emit` emits. Fails if
 * that has another size than `form` says, or if stored, another CRC; if the sink fails; or when out
 * of memory. */
static etr_status write_entry(etr_archive_writer *writer, const char *name,
                              const etr_archive_form *form, etr_emitter emit, void *context,
                              etr_error *error) {
  measuring_sink m = {.writer = writer};
  written_entry *entry = etr_vec_push(&writer->arena, &writer->entries);
  char *kept = etr_arena_copy(&writer->arena, etr_slice_of(name));
  if (etr_arena_failed(&writer->arena))
    return etr_fail_memory(error);
  if (strlen(name) > UINT16_MAX)
    return etr_fail(error, ETR_ERROR_FORMAT, NULL, name, ETR_NO_OFFSET,
                    "this name is too long for a zip");
  *entry = (written_entry){
      .name = kept,
      .form = *form,
      .offset = writer->offset,
  };
  header h = {.size = 0};
  header extra = {.size = 0};
  append_zip64_field(&extra, entry, true);
  append_number(&h, LOCAL_SIGNATURE, 4);
  append_common_fields(&h, entry, extra.size);
  ETR_TRY(write_header(writer, &h, entry->name, &extra, error));
  ETR_TRY(emit(context, &(etr_sink){count_and_write, &m}, error));
  bool is_as_announced = m.size == form->packed && (form->method != 0 || m.crc == form->crc);
  return is_as_announced ? ETR_OK
                         : etr_fail(error, ETR_ERROR_FORMAT, NULL, name, ETR_NO_OFFSET,
                                    "it changed while it was being copied");
}

etr_status etr_archive_writer_add(etr_archive_writer *writer, const char *name, etr_emitter emit,
                                  void *context, etr_error *error) {
  measuring_sink m = {.size = 0};
  ETR_TRY(emit(context, &(etr_sink){count_and_write, &m}, error));
  const etr_archive_form form = {
      .crc = m.crc,
      .size = m.size,
      .packed = m.size,
  };
  return write_entry(writer, name, &form, emit, context, error);
}

/* Emits an etr_slice, the context, as an etr_emitter. Fails if the sink does. */
static etr_status emit_bytes(void *context, const etr_sink *sink, etr_error *error) {
  const etr_slice *bytes = context;
  bool good = bytes->size == 0 || sink->write(sink->context, bytes->data, bytes->size);
  return good ? ETR_OK : etr_fail_sink(error);
}

etr_status etr_archive_writer_add_bytes(etr_archive_writer *writer, const char *name,
                                        etr_slice bytes, etr_error *error) {
  return etr_archive_writer_add(writer, name, emit_bytes, &bytes, error);
}

/* An entry of another archive; opened anew each time. */
typedef struct copied_entry {
  etr_archive *archive;
  size_t index;
} copied_entry;

/* Emits the bytes of an entry of another archive as they are stored. Fails if they cannot be read
 * or written. This is an etr_emitter; the context is a copied_entry. */
static etr_status emit_stored_bytes(void *context, const etr_sink *sink, etr_error *error) {
  const copied_entry *o = context;
  etr_archive_form form;
  etr_archive_entry *entry;
  ETR_TRY(etr_archive_entry_open_as_is(&entry, &form, o->archive, o->index, error));
  etr_status status = etr_archive_entry_pour(entry, sink, error);
  etr_archive_entry_close(entry);
  return status;
}

/* Reads an entry once, so that its CRC is checked: copied bytes get a new CRC, with which damaged
 * ones would look intact. Fails if it is damaged. */
static etr_status check_entry(etr_archive *archive, size_t index, etr_error *error) {
  etr_archive_entry *entry;
  ETR_TRY(etr_archive_entry_open(&entry, archive, index, 0, error));
  etr_status status = etr_archive_entry_finish(entry, error);
  etr_archive_entry_close(entry);
  return status;
}

/* An entry of a directory has no CRC so far, and is written like new bytes. */
etr_status etr_archive_writer_copy(etr_archive_writer *writer, const char *name,
                                   etr_archive *source, size_t index, etr_error *error) {
  etr_archive_form form;
  etr_archive_entry *entry;
  copied_entry o = {source, index};
  ETR_TRY(check_entry(source, index, error));
  ETR_TRY(etr_archive_entry_open_as_is(&entry, &form, source, index, error));
  etr_archive_entry_close(entry);
  return form.is_known ? write_entry(writer, name, &form, emit_stored_bytes, &o, error)
                       : etr_archive_writer_add(writer, name, emit_stored_bytes, &o, error);
}

/* ---- Beginning and end ---- */

etr_archive_writer *etr_archive_writer_new(const etr_sink *sink) {
  etr_archive_writer *writer = calloc(1, sizeof *writer);
  if (writer)
    writer->sink = *sink;
  return writer;
}

void etr_archive_writer_close(etr_archive_writer *writer) {
  if (!writer)
    return;
  etr_arena_clear(&writer->arena);
  free(writer);
}
