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
typedef struct written {
  const char *name;
  etr_archive_form form;
  uint64_t offset;
} written;

struct etr_archive_writer {
  etr_arena arena;
  etr_sink sink;
  uint64_t offset;
  etr_vec(written) entries;
};

/* ---- Numbers ---- */

enum { HEADER_ROOM = 128 };

/* A header while it is put together. */
typedef struct header {
  uint8_t bytes[HEADER_ROOM];
  size_t size;
} header;

static void put_number(header *h, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; i++)
    h->bytes[h->size++] = (uint8_t)(value >> (8 * i));
}

static bool is_wide(uint64_t value) {
  return value >= UINT32_MAX;
}

static uint64_t narrow(uint64_t value) {
  return is_wide(value) ? UINT32_MAX : value;
}

static bool write_bytes(etr_archive_writer *writer, const void *data, size_t size) {
  writer->offset += size;
  return size == 0 || writer->sink.write(writer->sink.context, data, size);
}

/* Writes a header, the name, which may be empty, and the extra fields. */
static etr_status write_header(etr_archive_writer *writer, const header *h, const char *name,
                               const header *extra, etr_error *error) {
  bool good = write_bytes(writer, h->bytes, h->size) && write_bytes(writer, name, strlen(name)) &&
              write_bytes(writer, extra->bytes, extra->size);
  return good ? ETR_OK : etr_fail_sink(error);
}

/* ---- Headers ---- */

/* Puts the fields that the local header of an entry and its entry in the directory have in
 * common. */
static void put_common_fields(header *h, const written *entry, size_t extra_size) {
  const etr_archive_form *form = &entry->form;
  bool is_ascii = true;
  for (const char *character = entry->name; *character; character++)
    is_ascii &= (unsigned char)*character < 0x80;
  put_number(h, extra_size ? ZIP64_VERSION : PLAIN_VERSION, 2);
  put_number(h, is_ascii ? 0 : NAMED_IN_UTF8, 2);
  put_number(h, form->method, 2);
  put_number(h, 0, 2);
  put_number(h, FIRST_DAY, 2);
  put_number(h, form->crc, 4);
  put_number(h, narrow(form->packed), 4);
  put_number(h, narrow(form->size), 4);
  put_number(h, strlen(entry->name), 2);
  put_number(h, extra_size, 2);
}

/* Puts the numbers that are too large for their 32-bit fields as an extra field; none if all fit.
 * The local header has both sizes or none. */
static void put_zip64_fields(header *extra, const written *entry, bool is_local) {
  header values = {.size = 0};
  const etr_archive_form *form = &entry->form;
  bool both = is_local && (is_wide(form->size) || is_wide(form->packed));
  if (both || is_wide(form->size))
    put_number(&values, form->size, 8);
  if (both || is_wide(form->packed))
    put_number(&values, form->packed, 8);
  if (!is_local && is_wide(entry->offset))
    put_number(&values, entry->offset, 8);
  if (values.size == 0)
    return;
  put_number(extra, ZIP64_EXTRA, 2);
  put_number(extra, values.size, 2);
  memcpy(extra->bytes + extra->size, values.bytes, values.size);
  extra->size += values.size;
}

/* Writes the record of an entry in the central directory. Fails if the sink does. */
static etr_status write_directory_entry(etr_archive_writer *writer, const written *entry,
                                        etr_error *error) {
  header h = {.size = 0}, extra = {.size = 0};
  put_zip64_fields(&extra, entry, false);
  put_number(&h, DIRECTORY_SIGNATURE, 4);
  put_number(&h, MADE_ON_UNIX | ZIP64_VERSION, 2);
  put_common_fields(&h, entry, extra.size);
  put_number(&h, 0, 2); /* of a comment */
  put_number(&h, 0, 2); /* number of the disk */
  put_number(&h, 0, 2);
  put_number(&h, OWNER_MAY_READ_AND_WRITE, 4);
  put_number(&h, narrow(entry->offset), 4);
  return write_header(writer, &h, entry->name, &extra, error);
}

/* Writes the central directory and the end record, with those of zip64 if a number needs more
 * than 32 bits. Fails if the sink does. */
etr_status etr_archive_writer_finish(etr_archive_writer *writer, etr_error *error) {
  header h = {.size = 0}, none = {.size = 0};
  uint64_t start = writer->offset, count = writer->entries.count;
  for (size_t i = 0; i < count; i++)
    ETR_TRY(write_directory_entry(writer, &writer->entries.data[i], error));
  uint64_t end = writer->offset, size = end - start, shown = ETR_MIN(count, UINT16_MAX);
  if (is_wide(start) || is_wide(size) || count >= UINT16_MAX) {
    enum { REST_OF_END64 = 44 };
    put_number(&h, END64_SIGNATURE, 4);
    put_number(&h, REST_OF_END64, 8);
    put_number(&h, MADE_ON_UNIX | ZIP64_VERSION, 2);
    put_number(&h, ZIP64_VERSION, 2);
    put_number(&h, 0, 8); /* numbers of disks */
    put_number(&h, count, 8);
    put_number(&h, count, 8);
    put_number(&h, end - start, 8);
    put_number(&h, start, 8);
    put_number(&h, LOCATOR_SIGNATURE, 4);
    put_number(&h, 0, 4);
    put_number(&h, end, 8);
    put_number(&h, 1, 4);
  }
  put_number(&h, END_SIGNATURE, 4);
  put_number(&h, 0, 4); /* numbers of disks */
  put_number(&h, shown, 2);
  put_number(&h, shown, 2);
  put_number(&h, narrow(size), 4);
  put_number(&h, narrow(start), 4);
  put_number(&h, 0, 2); /* of a comment */
  return write_header(writer, &h, "", &none, error);
}

/* ---- Entries ---- */

/* A sink that counts bytes and, if it has a writer, passes them on. */
typedef struct measure {
  uint64_t size;
  uint32_t crc;
  etr_archive_writer *writer;
} measure;

/* Adds bytes to the size and CRC of an entry, and writes them if there is a writer. Returns false
 * if they cannot be written. */
static bool measure_bytes(void *context, const void *data, size_t size) {
  measure *m = context;
  m->size += size;
  for (size_t done = 0; done < size;) { /* zlib counts in 32 bits */
    size_t piece = ETR_MIN(size - done, (size_t)1 << 30);
    m->crc = (uint32_t)crc32(m->crc, (const Bytef *)data + done, (uInt)piece);
    done += piece;
  }
  return !m->writer || write_bytes(m->writer, data, size);
}

/* Writes the header of an entry and its data, which must have the size and the checksum that the
 * form announces. Fails if they have not, if the sink does, or when out of memory. */
static etr_status write_data(etr_archive_writer *writer, const char *name,
                             const etr_archive_form *form, etr_emitter emit, void *context,
                             etr_error *error) {
  measure m = {.writer = writer};
  written *entry = etr_vec_push(&writer->arena, &writer->entries);
  char *kept = etr_arena_copy(&writer->arena, etr_slice_of(name));
  if (etr_arena_failed(&writer->arena))
    return etr_fail_memory(error);
  if (strlen(name) > UINT16_MAX)
    return etr_fail(error, ETR_ERROR_FORMAT, NULL, name, ETR_NO_OFFSET,
                    "this name is too long for a zip");
  *entry = (written){.name = kept, .form = *form, .offset = writer->offset};
  header h = {.size = 0}, extra = {.size = 0};
  put_zip64_fields(&extra, entry, true);
  put_number(&h, LOCAL_SIGNATURE, 4);
  put_common_fields(&h, entry, extra.size);
  ETR_TRY(write_header(writer, &h, entry->name, &extra, error));
  ETR_TRY(emit(context, &(etr_sink){measure_bytes, &m}, error));
  bool same = m.size == form->packed && (form->method != 0 || m.crc == form->crc);
  return same ? ETR_OK
              : etr_fail(error, ETR_ERROR_FORMAT, NULL, name, ETR_NO_OFFSET,
                         "it changed while it was being copied");
}

etr_status etr_archive_writer_add(etr_archive_writer *writer, const char *name, etr_emitter emit,
                                  void *context, etr_error *error) {
  measure m = {.size = 0};
  ETR_TRY(emit(context, &(etr_sink){measure_bytes, &m}, error));
  const etr_archive_form form = {.crc = m.crc, .size = m.size, .packed = m.size};
  return write_data(writer, name, &form, emit, context, error);
}

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
typedef struct original {
  etr_archive *archive;
  size_t index;
} original;

/* Writes the bytes of an entry of another archive as they are stored. Fails if they cannot be
 * read or written. */
static etr_status emit_original(void *context, const etr_sink *sink, etr_error *error) {
  const original *o = context;
  etr_archive_form form;
  etr_archive_entry *entry;
  ETR_TRY(etr_archive_entry_open_as_is(&entry, &form, o->archive, o->index, error));
  etr_status status = etr_archive_entry_pour(entry, sink, error);
  etr_archive_entry_close(entry);
  return status;
}

/* Reads an entry once, so that its CRC is checked: a copy of damaged bytes would look intact.
 * Fails if it is damaged. */
static etr_status check_entry(etr_archive *archive, size_t index, etr_error *error) {
  etr_archive_entry *entry;
  ETR_TRY(etr_archive_entry_open(&entry, archive, index, 0, error));
  etr_status status = etr_archive_entry_finish(entry, error);
  etr_archive_entry_close(entry);
  return status;
}

/* Copies an entry of another archive as it is stored, after checking it. Fails if it is damaged,
 * or if the sink fails. */
etr_status etr_archive_writer_copy(etr_archive_writer *writer, const char *name,
                                   etr_archive *source, size_t index, etr_error *error) {
  etr_archive_form form;
  etr_archive_entry *entry;
  original o = {source, index};
  ETR_TRY(check_entry(source, index, error));
  ETR_TRY(etr_archive_entry_open_as_is(&entry, &form, source, index, error));
  etr_archive_entry_close(entry);
  return form.is_known ? write_data(writer, name, &form, emit_original, &o, error)
                       : etr_archive_writer_add(writer, name, emit_original, &o, error);
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
