/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_archive.c - lib/formats/archive.c on all real records, on damaged ones, on zips written by
 * hand, and on unpacked records.
 */
#include "base/file.h"
#include "formats/archive.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Real records ---- */

Test(archive, all_fixtures_are_read_to_the_end) {
  static const struct {
    const char *fixture;
    size_t count;
    uint64_t bytes;
    const char *last;
  } rows[] = {
      {"add_mul", 13, 122703, "export_graph_id"},
      {"add_mul_debug", 13, 122703, "export_graph_id"},
      {"bundled_update", 15, 124079, "export_graph_id"},
      {"control_flow", 13, 57311, "export_graph_id"},
      {"control_flow_map", 13, 22257, "export_graph_id"},
      {"coreml", 13, 45998, "export_graph_id"},
      {"cpp_rich", 13, 36617, "export_graph_id"},
      {"demo_delegate_int", 13, 36617, "export_graph_id"},
      {"dynamic_xnnpack", 13, 38935, "export_graph_id"},
      {"extra_modules", 33, 224612, "export_graph_id"},
      {"llama_portable", 13, 8557385, "export_graph_id"},
      {"llama_xnnpack", 13, 3979959, "export_graph_id"},
      {"lowered_in_record", 13, 155357, "export_graph_id"},
      {"masked_attention", 13, 148021, "export_graph_id"},
      {"multi_method", 12, 36442, "instruction_id_to_num_outs_map"},
      {"mv2_portable", 13, 1758565, "export_graph_id"},
      {"mv2_xnnpack", 13, 1943575, "export_graph_id"},
      {"old_0_6_add_mul", 11, 98383, "delegate_map"},
      {"old_1_0_1_add_mul", 17, 152519, "export_graph_id"},
      {"quantized_xnnpack", 13, 218435, "export_graph_id"},
      {"vit_xnnpack", 13, 3852447, "export_graph_id"},
      {"vulkan", 13, 51985, "export_graph_id"},
      {"from_executorch/record_2023", 7, 14943, "delegate_map"},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    char path[256];
    etr_archive *archive;
    etr_error error = {0};
    uint64_t bytes = 0;
    snprintf(path, sizeof path, FIXTURES "/%s/etrecord.bin", rows[i].fixture);
    cr_assert_eq(etr_archive_open(&archive, path, &error), ETR_OK, "%s: %s", path, error.message);
    size_t count = etr_archive_count(archive);
    cr_expect_eq(count, rows[i].count, "%s: %zu", rows[i].fixture, count);
    cr_expect_str_eq(etr_archive_name(archive, count - 1), rows[i].last);
    cr_expect_eq(etr_archive_find(archive, "ETRECORD_V0"), 0);
    cr_expect_eq(etr_archive_find(archive, rows[i].last), count - 1);
    cr_expect_eq(etr_archive_find(archive, "ETRECORD"), SIZE_MAX);
    for (size_t j = 0; j < count; j++) {
      etr_archive_entry *entry;
      cr_assert_eq(etr_archive_entry_open(&entry, archive, j, 0, &error), ETR_OK, "%s: %s", path,
                   error.message);
      cr_expect_eq(etr_archive_entry_finish(entry, &error), ETR_OK, "%s %s: %s", path, error.entry,
                   error.message);
      bytes += etr_archive_size(archive, j);
      etr_archive_entry_close(entry);
    }
    cr_expect_eq(bytes, rows[i].bytes, "%s: %llu", rows[i].fixture, (unsigned long long)bytes);
    etr_archive_close(archive);
  }
}

/* Opens a fixture and reads all its entries. Returns the first failure. */
static etr_status read_all(const char *path, size_t *count, etr_error *error) {
  etr_archive *archive;
  etr_error_clear(error);
  *count = 0;
  ETR_TRY(etr_archive_open(&archive, path, error));
  etr_status status = ETR_OK;
  *count = etr_archive_count(archive);
  for (size_t i = 0; i < *count && status == ETR_OK; i++) {
    etr_archive_entry *entry;
    status = etr_archive_entry_open(&entry, archive, i, 1 << 20, error);
    if (status != ETR_OK)
      break;
    status = etr_archive_entry_finish(entry, error);
    etr_archive_entry_close(entry);
  }
  etr_archive_close(archive);
  return status;
}

Test(archive, hostile_files_are_refused_or_read) {
  static const struct {
    const char *file;
    etr_status status;
    size_t count;
    const char *entry, *message;
  } cases[] = {
      {"empty.etrecord", ETR_ERROR_FORMAT, 0, "", "empty"},
      {"not_zip.etrecord", ETR_ERROR_FORMAT, 0, "", "not a zip"},
      {"trunc_half.etrecord", ETR_OK, 8, "",
       ""}, /* the last whole zip is inside a stored entry: it is a zip, but not a record */
      {"trunc_no_eocd.etrecord", ETR_OK, 8, "", ""},
      {"crc_mismatch.etrecord", ETR_ERROR_FORMAT, 13, "exported_program", "CRC"},
      {"deflated.etrecord", ETR_OK, 13, "", ""},
      {"prefix_junk.etrecord", ETR_OK, 13, "", ""},
      {"traversal_names.etrecord", ETR_OK, 13, "", ""},
      {"missing_ETRECORD_V0.etrecord", ETR_OK, 12, "", ""},
      {"missing_exported_program.etrecord", ETR_OK, 12, "", ""},
      {"partial_save_cond.etrecord", ETR_OK, 5, "", ""},
      {"bad_json_edge.etrecord", ETR_OK, 13, "", ""},
      {"deep_json.etrecord", ETR_OK, 13, "", ""},
      {"no such file", ETR_ERROR_IO, 0, "", "cannot open"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char path[256];
    etr_error error;
    size_t count;
    snprintf(path, sizeof path, FIXTURES "/hostile/%s", cases[i].file);
    etr_status status = read_all(path, &count, &error);
    cr_expect(status == cases[i].status && count == cases[i].count, "%s: %d, %zu entries, %s",
              cases[i].file, status, count, error.message);
    cr_expect_str_eq(error.entry, cases[i].entry);
    cr_expect(strstr(error.message, cases[i].message), "%s: %s", cases[i].file, error.message);
    if (status != ETR_OK)
      cr_expect_str_eq(error.file, path);
  }
}

/* ---- Zips written by hand
 * --------------------------------------------------------------------------------
 */

/** An entry; members that are UINT32_MAX get their correct value. */
typedef struct hand_entry {
  const char *name, *data;
  uint32_t size, compressed_size, crc; /* as written in the directory */
  uint16_t flags, method;
} hand_entry;

#define ENTRY(name, data) {name, data, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, 0}

typedef struct hand_zip {
  uint8_t bytes[4096];
  size_t size;
  uint32_t offsets[8];
} hand_zip;

static void append_number(hand_zip *zip, unsigned width, uint64_t value) {
  for (unsigned i = 0; i < width && zip->size < sizeof zip->bytes; i++)
    zip->bytes[zip->size++] = (uint8_t)(value >> (8 * i));
}

static void append_text(hand_zip *zip, const char *text) {
  while (*text)
    append_number(zip, 1, (uint8_t)*text++);
}

static uint32_t crc32_of(const char *data) {
  uint32_t crc = UINT32_MAX;
  for (; *data; data++) {
    crc ^= (uint8_t)*data;
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

/* Writes the part that local headers and directory entries share, from the version needed to the
 * length of the extra field. */
static void append_common(hand_zip *zip, const hand_entry *entry) {
  uint32_t length = (uint32_t)strlen(entry->data);
  append_number(zip, 2, 20);
  append_number(zip, 2, entry->flags);
  append_number(zip, 2, entry->method);
  append_number(zip, 4, 0x00210000); /* time and date */
  append_number(zip, 4, entry->crc == UINT32_MAX ? crc32_of(entry->data) : entry->crc);
  append_number(zip, 4, entry->compressed_size == UINT32_MAX ? length : entry->compressed_size);
  append_number(zip, 4, entry->size == UINT32_MAX ? length : entry->size);
  append_number(zip, 2, strlen(entry->name));
  append_number(zip, 2, 0);
}

static void append_entries(hand_zip *zip, const hand_entry *entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    zip->offsets[i] = (uint32_t)zip->size;
    append_text(zip, "PK\3\4");
    append_common(zip, &entries[i]);
    append_text(zip, entries[i].name);
    append_text(zip, entries[i].data);
  }
}

static void append_directory(hand_zip *zip, const hand_entry *entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    append_text(zip, "PK\1\2");
    append_number(zip, 2, 20);
    append_common(zip, &entries[i]);
    append_number(zip, 8, 0);
    append_number(zip, 2, 0); /* comment, disk, attributes */
    append_number(zip, 4, zip->offsets[i]);
    append_text(zip, entries[i].name);
  }
}

typedef struct hand_end {
  uint64_t entries, size, offset;
} hand_end;

static void append_end64(hand_zip *zip, const hand_end *end) {
  uint64_t at = zip->size;
  append_text(zip, "PK\6\6");
  append_number(zip, 8, 44);
  append_number(zip, 4, 0x002D002D);
  append_number(zip, 8, 0);
  append_number(zip, 8, end->entries);
  append_number(zip, 8, end->entries);
  append_number(zip, 8, end->size);
  append_number(zip, 8, end->offset);
  append_text(zip, "PK\6\7");
  append_number(zip, 4, 0);
  append_number(zip, 8, at);
  append_number(zip, 4, 1);
}

static void append_end(hand_zip *zip, const hand_end *end, const char *comment) {
  append_text(zip, "PK\5\6");
  append_number(zip, 4, 0);
  append_number(zip, 2, ETR_MIN(end->entries, UINT16_MAX));
  append_number(zip, 2, ETR_MIN(end->entries, UINT16_MAX));
  append_number(zip, 4, ETR_MIN(end->size, UINT32_MAX));
  append_number(zip, 4, ETR_MIN(end->offset, UINT32_MAX));
  append_number(zip, 2, strlen(comment));
  append_text(zip, comment);
}

static void write_zip(hand_zip *zip, const hand_entry *entries, size_t count) {
  *zip = (hand_zip){0};
  append_entries(zip, entries, count);
  size_t directory = zip->size;
  append_directory(zip, entries, count);
  append_end(zip, &(hand_end){count, zip->size - directory, directory}, "");
}

/* Makes a name for another file in /tmp, for the calling test. */
static void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  cr_assert(file && fwrite(bytes, 1, size, file) == size);
  fclose(file);
}

static void make_directory(char *path, size_t size) {
  snprintf(path, size, "/tmp/test_archive.XXXXXX");
  cr_assert(mkdtemp(path));
}

/** An open zip in its own file. */
typedef struct opened {
  char directory[64], path[80];
  etr_archive *archive;
  etr_error error;
  etr_status status;
} opened;

static void open_bytes(opened *out, const uint8_t *bytes, size_t size) {
  make_directory(out->directory, sizeof out->directory);
  snprintf(out->path, sizeof out->path, "%s/zip", out->directory);
  write_file(out->path, bytes, size);
  etr_error_clear(&out->error);
  out->status = etr_archive_open(&out->archive, out->path, &out->error);
}

static void close_opened(opened *it) {
  etr_archive_close(it->archive);
  unlink(it->path);
  rmdir(it->directory);
}

/* Reads an entry in pieces of three bytes. Returns the bytes, NUL-terminated. */
static etr_status read_entry(etr_archive *archive, const char *name, uint64_t max_bytes, char *into,
                             size_t size, etr_error *error) {
  etr_archive_entry *entry;
  size_t at = 0;
  into[0] = 0;
  size_t index = etr_archive_find(archive, name);
  cr_assert_neq(index, SIZE_MAX, "%s", name);
  ETR_TRY(etr_archive_entry_open(&entry, archive, index, max_bytes, error));
  for (int64_t got = 1; got > 0 && at + 4 < size; at += (size_t)got) {
    got = etr_archive_entry_read(entry, into + at, 3);
    if (got <= 0)
      break;
  }
  into[at] = 0;
  etr_status status = etr_archive_entry_finish(entry, error);
  cr_expect_eq(status, etr_archive_entry_finish(entry, NULL));
  if (status != ETR_OK)
    cr_expect_eq(etr_archive_entry_read(entry, into + at, 1), -1, "a failure stays");
  etr_archive_entry_close(entry);
  return status;
}

static void expect_entries(etr_archive *archive, const char *const (*pairs)[2], size_t count) {
  cr_assert_eq(etr_archive_count(archive), count);
  for (size_t i = 0; i < count; i++) {
    char data[64];
    cr_expect_str_eq(etr_archive_name(archive, i), pairs[i][0]);
    cr_expect_eq(etr_archive_size(archive, i), strlen(pairs[i][1]));
    cr_expect_eq(read_entry(archive, pairs[i][0], 0, data, sizeof data, NULL), ETR_OK);
    cr_expect_str_eq(data, pairs[i][1]);
  }
}

Test(archive, the_last_of_equal_names_counts_and_directories_do_not) {
  static const hand_entry entries[] = {
      ENTRY("a", "first"),      ENTRY("dir/", ""),    ENTRY("b", "bee"),    ENTRY("a", "second"),
      ENTRY("dir/\xFF", "odd"), ENTRY("", "no name"), ENTRY("a", "third!"),
  };
  static const char *const expected[][2] = {
      {"b", "bee"}, {"dir/\xC2\xA0", "odd"}, {"", "no name"}, {"a", "third!"}};
  hand_zip zip;
  opened it;
  write_zip(&zip, entries, ETR_COUNT(entries));
  open_bytes(&it, zip.bytes, zip.size);
  cr_assert_eq(it.status, ETR_OK, "%s", it.error.message);
  expect_entries(it.archive, expected,
                 ETR_COUNT(expected)); /* 0xFF is a no-break space in code page 437 */
  close_opened(&it);
}

Test(archive, lying_directories_are_found) {
  static const struct {
    hand_entry entry;
    uint64_t max_bytes;
    etr_status status;
    uint64_t offset;
    const char *message, *read;
  } cases[] = {
      {ENTRY("e", "0123456789"), 0, ETR_OK, ETR_NO_OFFSET, "", "0123456789"},
      {ENTRY("e", "0123456789"), 10, ETR_OK, ETR_NO_OFFSET, "", "0123456789"},
      {ENTRY("e", "0123456789"), 9, ETR_ERROR_FORMAT, 0, "exceed the limit of 9", ""},
      {{"e", "0123456789", 1000000, UINT32_MAX, UINT32_MAX, 0, 0},
       0,
       ETR_ERROR_FORMAT,
       0,
       "past the end",
       ""},
      {{"e", "0123456789", 1000000, 1000000, UINT32_MAX, 0, 0},
       0,
       ETR_ERROR_FORMAT,
       0,
       "past the end",
       ""},
      {{"e", "0123456789", 7, UINT32_MAX, UINT32_MAX, 0, 0},
       0,
       ETR_ERROR_FORMAT,
       7,
       "more data",
       "0123456"},
      {{"e", "0123456789", 12, UINT32_MAX, UINT32_MAX, 0, 0},
       0,
       ETR_ERROR_FORMAT,
       10,
       "less data",
       "0123456789"},
      {{"e", "0123456789", UINT32_MAX, UINT32_MAX, 1, 0, 0},
       0,
       ETR_ERROR_FORMAT,
       10,
       "CRC",
       "0123456789"},
      {{"e", "0123456789", UINT32_MAX, UINT32_MAX, UINT32_MAX, 1, 0},
       0,
       ETR_ERROR_FORMAT,
       0,
       "encrypted",
       ""},
      {{"e", "0123456789", UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, 77},
       0,
       ETR_ERROR_FORMAT,
       0,
       "compression",
       ""},
      {{"e", "\x4B\x04\x02", 1000, UINT32_MAX, 0xAD98E545, 0, 8},
       0,
       ETR_ERROR_FORMAT,
       4,
       "less data",
       "aaaa"}, /* deflated "aaaa" */
      {{"e", "0123456789", UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, 8},
       0,
       ETR_ERROR_FORMAT,
       0,
       "damaged",
       ""},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    hand_zip zip;
    opened it;
    char data[64];
    write_zip(&zip, &cases[i].entry, 1);
    open_bytes(&it, zip.bytes, zip.size);
    cr_assert_eq(it.status, ETR_OK, "case %zu: %s", i, it.error.message);
    etr_status status = read_entry(it.archive, "e", cases[i].max_bytes, data, sizeof data,
                                   &it.error);
    cr_expect_eq(status, cases[i].status, "case %zu: %s", i, it.error.message);
    cr_expect(strstr(it.error.message, cases[i].message) && it.error.offset == cases[i].offset,
              "case %zu: %s at %d", i, it.error.message, (int)it.error.offset);
    cr_expect_str_eq(it.error.entry, cases[i].status == ETR_OK ? "" : "e");
    cr_expect_str_eq(data, cases[i].read);
    close_opened(&it);
  }
}

/* Versions of libzip treat an empty deflated entry differently, so it is opened as a stored one.
 */
Test(archive, compressed_entries_can_be_copied_as_they_are) {
  static const struct {
    const char *what;
    hand_entry entry;
    uint16_t method;
    uint64_t size, packed;
  } cases[] = {
      {"stored", ENTRY("e", "aaaa"), .method = 0, .size = 4, .packed = 4},
      {"stored, empty", ENTRY("e", ""), .method = 0, .size = 0, .packed = 0},
      {"deflated",
       {"e", "\x4B\x04\x02", 4, 3, 0xAD98E545, .method = 8},
       .method = 8,
       .size = 4,
       .packed = 3},
      {"deflated, empty",
       {"e", "\x03\xFC", 0, 2, 0, .method = 8},
       .method = 0,
       .size = 0,
       .packed = 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    hand_zip zip;
    opened it;
    etr_archive_entry *entry;
    etr_archive_form form;
    write_zip(&zip, &cases[i].entry, 1);
    open_bytes(&it, zip.bytes, zip.size);
    cr_assert_eq(it.status, ETR_OK, "%s: %s", cases[i].what, it.error.message);
    cr_assert_eq(etr_archive_entry_open_as_is(&entry, &form, it.archive, 0, &it.error), ETR_OK,
                 "%s", cases[i].what);
    cr_expect(form.is_known && form.method == cases[i].method, "%s", cases[i].what);
    cr_expect(form.size == cases[i].size && form.packed == cases[i].packed, "%s", cases[i].what);
    cr_expect_eq(etr_archive_entry_finish(entry, &it.error), ETR_OK, "%s: %s", cases[i].what,
                 it.error.message);
    etr_archive_entry_close(entry);
    close_opened(&it);
  }
}

/* Makes a zip of two entries behind other bytes, a directory and an end. True offsets are `shift`
 * larger than the written ones. */
static void write_variant(hand_zip *zip, const char *before, size_t shift, bool zip64,
                          const char *comment) {
  static const hand_entry entries[] = {ENTRY("x", "ex"), ENTRY("y", "why")};
  *zip = (hand_zip){0};
  append_text(zip, before);
  append_entries(zip, entries, 2);
  for (size_t i = 0; i < 2; i++)
    zip->offsets[i] -= (uint32_t)shift;
  size_t directory = zip->size;
  append_directory(zip, entries, 2);
  hand_end end = {2, zip->size - directory, directory - shift};
  if (zip64)
    append_end64(zip, &end);
  append_end(zip, zip64 ? &(hand_end){UINT16_MAX, UINT32_MAX, UINT32_MAX} : &end, comment);
}

Test(archive, zips_with_zip64_and_leading_bytes_are_read) {
  static const struct {
    const char *before;
    size_t shift;
    bool zip64;
    const char *comment;
  } cases[] = {
      {"", 0, false, ""},
      {"", 0, false, "a comment, PK\3\4 and all"},
      {"#!/bin/sh\n", 10, false, ""},
      {"#!/bin/sh\n", 0, false, ""},
      {"PK\5\6", 4, false, ""},
      {"", 0, true, ""},
      {"", 0, true, "comment"},
  };
  static const char *const expected[][2] = {{"x", "ex"}, {"y", "why"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    hand_zip zip;
    opened it;
    write_variant(&zip, cases[i].before, cases[i].shift, cases[i].zip64, cases[i].comment);
    open_bytes(&it, zip.bytes, zip.size);
    cr_assert_eq(it.status, ETR_OK, "case %zu: %s", i, it.error.message);
    expect_entries(it.archive, expected, 2);
    close_opened(&it);
  }
}

/* Makes a directory whose sizes and offsets are in the extra field of zip64. */
static void put_wide_directory(hand_zip *zip, const hand_entry *entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    hand_entry wide = entries[i];
    wide.size = wide.compressed_size = UINT32_MAX - 1;
    size_t at = zip->size;
    append_text(zip, "PK\1\2");
    append_number(zip, 2, 45);
    append_common(zip, &wide);
    memset(zip->bytes + at + 20, 0xFF, 8);
    zip->bytes[at + 30] = 4 + 24;
    append_number(zip, 8, 0);
    append_number(zip, 2, 0);
    append_number(zip, 4, UINT32_MAX);
    append_text(zip, entries[i].name);
    append_number(zip, 2, 1);
    append_number(zip, 2, 24);
    append_number(zip, 8, strlen(entries[i].data));
    append_number(zip, 8, strlen(entries[i].data));
    append_number(zip, 8, zip->offsets[i]);
  }
}

Test(archive, entries_that_overlap_are_refused) {
  enum { HEAD = 31, DATA = 3 }; /* sizes for an entry with a name of one letter */
  static const hand_entry entries[] = {ENTRY("x", "one"), ENTRY("y", "two"), ENTRY("z", "end")};
  static const struct {
    int32_t shift; /* added to the second entry's true offset */
    bool overlaps;
  } cases[] = {{0, false},           {-1, true}, {-DATA, true},
               {-DATA - HEAD, true}, {1, true},  {HEAD + DATA, true}};
  for (size_t i = 0; i < 2 * ETR_COUNT(cases); i++) {
    hand_zip zip = {0};
    opened it;
    bool wide = i % 2;
    append_entries(&zip, entries, 3);
    zip.offsets[1] += (uint32_t)cases[i / 2].shift;
    size_t directory = zip.size;
    (wide ? put_wide_directory : append_directory)(&zip, entries, 3);
    append_end(&zip, &(hand_end){3, zip.size - directory, directory}, "");
    open_bytes(&it, zip.bytes, zip.size);
    cr_expect_eq(it.status, cases[i / 2].overlaps ? ETR_ERROR_FORMAT : ETR_OK, "case %zu: %s", i,
                 it.error.message);
    cr_expect(!cases[i / 2].overlaps || strstr(it.error.message, "overlap"), "case %zu: %s", i,
              it.error.message);
    close_opened(&it);
  }
}

Test(archive, ends_that_lie_are_refused) {
  static const struct {
    hand_end end;
    const char *message;
  } cases[] = {
      {{1, 1000, 0}, "does not fit"},
      {{1, 0, 1000}, "does not fit"},
      {{60000, 47, 0}, "too small"},
      {{UINT16_MAX - 1, UINT32_MAX, UINT32_MAX}, "does not fit"},
      {{0, 47, 0}, ""},
      {{1, 46, 1}, ""},
  };
  static const hand_entry entry = ENTRY("e", "");
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    hand_zip zip = {0};
    opened it;
    append_directory(&zip, &entry, 1);
    append_end(&zip, &cases[i].end, "");
    open_bytes(&it, zip.bytes, zip.size);
    cr_expect(it.status == ETR_ERROR_FORMAT && strstr(it.error.message, cases[i].message) &&
                  *it.error.message,
              "case %zu: %s", i, it.error.message);
    cr_expect_null(it.archive);
    close_opened(&it);
  }
}

Test(archive, every_truncation_is_refused) {
  hand_zip zip;
  write_variant(&zip, "", 0, false, "");
  for (size_t size = 0; size < zip.size; size++) {
    opened it;
    open_bytes(&it, zip.bytes, size);
    cr_expect(it.status == ETR_ERROR_FORMAT && !it.archive, "%zu bytes: %s", size,
              it.error.message);
    cr_expect(strstr(it.error.message, size == 0  ? "empty"
                                       : size < 4 ? "not a zip"
                                                  : "cut short"),
              "%zu bytes: %s", size, it.error.message);
    close_opened(&it);
  }
}

/* ---- Unpacked records
 * --------------------------------------------------------------------------------
 */

static void remove_tree(const char *path) {
  DIR *directory = opendir(path);
  for (struct dirent *found; directory && (found = readdir(directory));) {
    char child[1024];
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
      continue;
    snprintf(child, sizeof child, "%s/%s", path, found->d_name);
    if (unlink(child) != 0)
      remove_tree(child);
  }
  if (directory)
    closedir(directory);
  rmdir(path);
}

Test(archive, an_unpacked_record_is_listed_in_order) {
  static const char *const expected[][2] = {
      {"B", "bee"}, {"a/b/c", "see"}, {"a/z", ""}, {"b", "B"}};
  char root[64], path[256];
  etr_archive *archive;
  etr_error error = {0};
  make_directory(root, sizeof root);
  snprintf(path, sizeof path, "%s/a", root);
  cr_assert(mkdir(path, 0700) == 0);
  snprintf(path, sizeof path, "%s/a/b", root);
  cr_assert(mkdir(path, 0700) == 0);
  for (size_t i = ETR_COUNT(expected); i-- > 0;) {
    snprintf(path, sizeof path, "%s/%s", root, expected[i][0]);
    write_file(path, expected[i][1], strlen(expected[i][1]));
  }
  snprintf(path, sizeof path, "%s/link", root);
  cr_assert(symlink("/etc/passwd", path) ==
            0); /* points outside of the record: ignored, as is the loop */
  snprintf(path, sizeof path, "%s/loop", root);
  cr_assert(symlink("..", path) == 0);
  cr_assert_eq(etr_archive_open(&archive, root, &error), ETR_OK, "%s", error.message);
  expect_entries(archive, expected, ETR_COUNT(expected));
  cr_expect_eq(etr_archive_find(archive, "link"), SIZE_MAX);

  char data[64];
  snprintf(path, sizeof path, "%s/B", root);
  write_file(path, "be", 2); /* the file shrinks after it was listed */
  cr_expect_eq(read_entry(archive, "B", 0, data, sizeof data, &error), ETR_ERROR_FORMAT);
  cr_expect(error.offset == 2 && strcmp(error.entry, "B") == 0 &&
                strstr(error.message, "less data"),
            "%s", error.message);
  unlink(path);
  cr_expect_eq(read_entry(archive, "B", 0, data, sizeof data, &error), ETR_ERROR_IO);
  etr_archive_close(archive);
  remove_tree(root);
}

Test(archive, directories_nested_too_deeply_are_refused) {
  char root[64], path[256];
  etr_archive *archive;
  etr_error error = {0};
  make_directory(root, sizeof root);
  snprintf(path, sizeof path, "%s", root);
  for (int depth = 0; depth < 20; depth++) {
    size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, "/d");
    cr_assert(mkdir(path, 0700) == 0);
  }
  cr_expect_eq(etr_archive_open(&archive, root, &error), ETR_ERROR_FORMAT);
  cr_expect(strstr(error.message, "deep") && !archive, "%s", error.message);
  remove_tree(root);
}
