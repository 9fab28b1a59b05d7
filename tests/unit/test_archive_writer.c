/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_archive_writer.c - what lib/formats/archive_writer.c writes is what lib/formats/archive.c
 * reads.
 */
#include "formats/archive_writer.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* A sink in memory that refuses more than `most` bytes. */
typedef struct taken {
  char *data;
  size_t size, most;
} taken;

static bool take_bytes(void *context, const void *data, size_t size) {
  taken *t = context;
  if (t->size + size > t->most)
    return false;
  t->data = realloc(t->data, t->size + size);
  memcpy(t->data + t->size, data, size);
  t->size += size;
  return true;
}

static etr_slice bytes_of(const taken *t) {
  return (etr_slice){t->data, t->size};
}

static etr_status write_three(taken *t, etr_error *error) {
  etr_archive_writer *writer = etr_archive_writer_new(&(etr_sink){take_bytes, t});
  etr_status status = etr_archive_writer_add_bytes(writer, "empty", (etr_slice){0}, error);
  if (status == ETR_OK)
    status = etr_archive_writer_add_bytes(writer, "a/b", ETR_SLICE("text"), error);
  if (status == ETR_OK)
    status = etr_archive_writer_add_bytes(writer, "n\xC3\xA4me", ETR_SLICE("more"), error);
  if (status == ETR_OK)
    status = etr_archive_writer_finish(writer, error);
  etr_archive_writer_close(writer);
  return status;
}

static void expect_entry(etr_archive *archive, const char *name, const char *text) {
  etr_file file;
  size_t index = etr_archive_find(archive, name);
  cr_assert_neq(index, SIZE_MAX, "%s is missing", name);
  cr_assert_eq(etr_archive_read(&file, archive, index, 0, NULL), ETR_OK);
  cr_expect(etr_slice_equal(etr_file_bytes(&file), etr_slice_of(text)), "%s", name);
  etr_file_clear(&file);
}

Test(archive_writer, written_entries_can_be_read) {
  taken t = {.most = SIZE_MAX};
  etr_archive *archive;
  cr_assert_eq(write_three(&t, NULL), ETR_OK);
  cr_assert_eq(etr_archive_open_memory(&archive, bytes_of(&t), "zip", NULL), ETR_OK);
  cr_expect_eq(etr_archive_count(archive), 3);
  expect_entry(archive, "empty", "");
  expect_entry(archive, "a/b", "text");
  expect_entry(archive, "n\xC3\xA4me", "more");
  etr_archive_close(archive);
  free(t.data);
}

/* If the sink stops anywhere, that is an error and never a shorter zip. */
Test(archive_writer, a_full_sink_is_an_error) {
  taken whole = {.most = SIZE_MAX};
  cr_assert_eq(write_three(&whole, NULL), ETR_OK);
  for (size_t most = 0; most < whole.size; most++) {
    taken t = {.most = most};
    cr_expect_eq(write_three(&t, NULL), ETR_ERROR_IO);
    free(t.data);
  }
  free(whole.data);
}

/* An emitter that writes different bytes the second time. */
static etr_status emit_counter(void *context, const etr_sink *sink, etr_error *error) {
  int *calls = context;
  char text = (char)('0' + (*calls)++);
  return sink->write(sink->context, &text, 1) ? ETR_OK : etr_fail_sink(error);
}

Test(archive_writer, an_emitter_that_changes_its_output_is_refused) {
  taken t = {.most = SIZE_MAX};
  etr_error error;
  int calls = 0;
  etr_archive_writer *writer = etr_archive_writer_new(&(etr_sink){take_bytes, &t});
  cr_expect_eq(etr_archive_writer_add(writer, "x", emit_counter, &calls, &error), ETR_ERROR_FORMAT);
  cr_expect(strstr(error.message, "changed") && strcmp(error.entry, "x") == 0);
  etr_archive_writer_close(writer);
  free(t.data);
}

/* Compressed entries are copied unchanged, stored ones are checked. */
Test(archive_writer, copied_entries_are_checked) {
  static const char *const records[] = {"add_mul/etrecord.bin", "hostile/deflated.etrecord",
                                        "hostile/crc_mismatch.etrecord"};
  for (size_t i = 0; i < ETR_COUNT(records); i++) {
    char path[256];
    taken t = {.most = SIZE_MAX};
    etr_archive *archive, *copy;
    etr_status status = ETR_OK;
    (void)snprintf(path, sizeof path, FIXTURES "/%s", records[i]);
    cr_assert_eq(etr_archive_open(&archive, path, NULL), ETR_OK);
    etr_archive_writer *writer = etr_archive_writer_new(&(etr_sink){take_bytes, &t});
    for (size_t k = 0; status == ETR_OK && k < etr_archive_count(archive); k++)
      status = etr_archive_writer_copy(writer, etr_archive_name(archive, k), archive, k, NULL);
    cr_expect_eq(status, i == 2 ? ETR_ERROR_FORMAT : ETR_OK, "%s", path);
    if (status == ETR_OK)
      status = etr_archive_writer_finish(writer, NULL);
    if (status == ETR_OK) {
      cr_assert_eq(etr_archive_open_memory(&copy, bytes_of(&t), "zip", NULL), ETR_OK);
      cr_expect_eq(etr_archive_count(copy), etr_archive_count(archive));
      for (size_t k = 0; k < etr_archive_count(copy); k++) {
        etr_file file;
        cr_expect_eq(etr_archive_size(copy, k), etr_archive_size(archive, k));
        cr_assert_eq(etr_archive_read(&file, copy, k, 0, NULL), ETR_OK);
        etr_file_clear(&file);
      }
      etr_archive_close(copy);
    }
    etr_archive_writer_close(writer);
    etr_archive_close(archive);
    free(t.data);
  }
}

/* Writes more than 4 GiB and keeps only the last bytes, which contain the end of the zip. */
typedef struct last_bytes {
  uint64_t count;
  char data[512];
} last_bytes;

static bool take_last(void *context, const void *data, size_t size) {
  last_bytes *last = context;
  size_t kept = size < sizeof last->data ? size : sizeof last->data;
  memmove(last->data, last->data + kept, sizeof last->data - kept);
  memcpy(last->data + sizeof last->data - kept, (const char *)data + size - kept, kept);
  last->count += size;
  return true;
}

static etr_status emit_beyond_four_gib(void *context, const etr_sink *sink, etr_error *error) {
  static const char zeros[1 << 20];
  (void)context;
  for (int i = 0; i <= 4 << 10; i++)
    if (!sink->write(sink->context, zeros, sizeof zeros))
      return etr_fail_sink(error);
  return ETR_OK;
}

Test(archive_writer, entries_beyond_4_gib_use_zip64, .timeout = 120) {
  last_bytes last = {.count = 0};
  etr_archive_writer *writer = etr_archive_writer_new(&(etr_sink){take_last, &last});
  cr_assert_eq(etr_archive_writer_add(writer, "large", emit_beyond_four_gib, NULL, NULL), ETR_OK);
  cr_assert_eq(etr_archive_writer_add_bytes(writer, "behind", ETR_SLICE("x"), NULL), ETR_OK);
  cr_assert_eq(etr_archive_writer_finish(writer, NULL), ETR_OK);
  const char *end = last.data + sizeof last.data;
  cr_expect_eq(etr_load_le(end - 22, 4), 0x06054b50);
  cr_expect_eq(etr_load_le(end - 6, 4), UINT32_MAX);
  cr_expect_eq(etr_load_le(end - 42, 4), 0x07064b50);
  uint64_t end64 = etr_load_le(end - 34, 8), start = etr_load_le(end - 98 + 48, 8);
  cr_expect_eq(end64, last.count - 98);
  cr_expect_eq(etr_load_le(end - 98, 4), 0x06064b50);
  cr_expect_eq(start, (((uint64_t)4 << 10) + 1) * (1 << 20) + 30 + 5 + 20 + 30 + 6 + 1);
  cr_expect_eq(end64 - start, etr_load_le(end - 98 + 40, 8));
  etr_archive_writer_close(writer);
}
