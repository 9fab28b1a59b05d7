/* SPDX-License-Identifier: BSD-3-Clause
 *
 * flat_tensor.c - the table of a .ptd.
 */
#include "inputs/flat_tensor.h"

#include "base/file.h"
#include "formats/flatbuf.h"

#define IDENTIFIER "FT01"

/* Fields, in the order of the schema. */
enum { FILE_SEGMENTS = 1, FILE_NAMED_DATA };
enum { SEGMENT_OFFSET, SEGMENT_SIZE };
enum { DATA_KEY, DATA_SEGMENT, DATA_LAYOUT };

/* The header follows the identifier: magic, length, then the offset and size of the table and the
 * offset of the segments, as u64. */
enum { HEADER_AT = 8, HEADER_SEGMENT_BASE = 24, HEADER_BYTES = 40 };

bool etr_flat_tensor_is(etr_slice head) {
  return head.size >= 8 && memcmp(head.data + 4, IDENTIFIER, 4) == 0;
}

/* Returns the bytes of a .ptd's table, which ends where the segments with the data begin. Without a
 * header or segments, the table is the whole file. */
static uint64_t table_size(etr_slice head, uint64_t file_size) {
  if (head.size < HEADER_AT + HEADER_BYTES || memcmp(head.data + HEADER_AT, "FH01", 4) != 0)
    return file_size;
  uint64_t base = etr_load_le(head.data + HEADER_AT + HEADER_SEGMENT_BASE, 8);
  return base ? ETR_MIN(base, file_size) : file_size;
}

/* Data with a layout is a tensor, other data is a blob. */
etr_status etr_flat_tensor_count(etr_weights *out, etr_slice table, const char *path,
                                 etr_error *error) {
  etr_fb fb;
  etr_fb_init(&fb, table.data, table.size);
  uint32_t count, segments;
  etr_fb_at root = etr_fb_root(&fb);
  etr_fb_at data = etr_fb_vector(&fb, root, FILE_NAMED_DATA, 4, &count);
  for (uint32_t i = 0; i < count && !etr_fb_failed(&fb); i++) {
    bool is_tensor = etr_fb_table(&fb, etr_fb_table_at(&fb, data, i), DATA_LAYOUT) != 0;
    out->tensor_count += is_tensor;
    out->blob_count += !is_tensor;
  }
  data = etr_fb_vector(&fb, root, FILE_SEGMENTS, 4, &segments);
  for (uint32_t i = 0; i < segments && !etr_fb_failed(&fb); i++) {
    uint64_t size = etr_fb_u64(&fb, etr_fb_table_at(&fb, data, i), SEGMENT_SIZE, 0);
    if (size > out->file_size - out->byte_count)
      etr_fb_fail(&fb, data, "its segments are larger than the file");
    else
      out->byte_count += size;
  }
  if (!etr_fb_failed(&fb))
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, fb.offset, "damaged .ptd: %s", fb.message);
}

/* Loads the table of a .ptd and sets *out to the counts of what the table lists; the data stay in
 * the file. Stores `path` without copying it. Fails if the file is no .ptd, if its table is larger
 * than max_bytes, or if it is damaged. */
static etr_status read_table(etr_weights *out, const etr_seekable *file, const char *path,
                             uint64_t max_bytes, etr_error *error) {
  etr_file table;
  char bytes[HEADER_AT + HEADER_BYTES];
  etr_slice head = {bytes, (size_t)ETR_MIN(file->size, (uint64_t)sizeof bytes)};
  if (!etr_seekable_read(file, 0, bytes, head.size) || !etr_flat_tensor_is(head))
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 4,
                    "not a .ptd: the identifier " IDENTIFIER " is missing");
  uint64_t size = table_size(head, file->size);
  if (size > max_bytes)
    return etr_fail(
        error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
        "its table is more than the bytes left to read; raise this limit with --max-bytes");
  ETR_TRY(etr_seekable_load(&table, file, 0, (size_t)size, path, error));
  *out = (etr_weights){.path = path, .file_size = file->size};
  etr_status status = etr_flat_tensor_count(out, etr_file_bytes(&table), path, error);
  etr_file_clear(&table);
  return status;
}

etr_status etr_flat_tensor_read(etr_weights *out, const char *path, uint64_t max_bytes,
                                etr_error *error) {
  etr_seekable file;
  ETR_TRY(etr_seekable_open(&file, path, error));
  etr_status status = read_table(out, &file, path, max_bytes, error);
  etr_seekable_close(&file);
  return status;
}
