/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gunzip.c - zlib does the work; limits and errors are ours. Format: RFC 1952.
 */
#include "formats/gunzip.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum {
  GZIP_ALONE = 16 + MAX_WBITS, /* tells zlib to expect gzip's header and no other */
  FIRST_CAPACITY = 64 * 1024,
};

bool etr_gzip_is(etr_slice head) {
  return head.size >= 3 && memcmp(head.data, "\x1f\x8b\x08", 3) == 0;
}

/* Gives zlib the next part of the input, because its counts have 32 bits. *given_bytes is how much
 * of `packed` it got so far. */
static void give_input(z_stream *stream, etr_slice packed, size_t *given_bytes) {
  size_t size = ETR_MIN(packed.size - *given_bytes, (size_t)INT_MAX);
  stream->next_in = (Bytef *)etr_for_foreign(packed.data) + *given_bytes;
  stream->avail_in = (uInt)size;
  *given_bytes += size;
}

size_t etr_gunzip_head(etr_slice packed, char *into, size_t size) {
  z_stream stream = {0};
  size_t given_bytes = 0;
  if (inflateInit2(&stream, GZIP_ALONE) != Z_OK)
    return 0;
  give_input(&stream, packed, &given_bytes);
  stream.next_out = (Bytef *)into;
  stream.avail_out = (uInt)size;
  (void)inflate(&stream, Z_SYNC_FLUSH);
  size_t got = size - stream.avail_out;
  inflateEnd(&stream);
  return got;
}

/* Doubles the memory of the output and gives zlib the new half, or the part of it that zlib can
 * count in 32 bits. Returns false when out of memory. */
static bool grow_output(etr_file *out, size_t *capacity, z_stream *stream) {
  size_t new_capacity = *capacity ? *capacity * 2 : FIRST_CAPACITY;
  uint8_t *grown = *capacity <= SIZE_MAX / 4 ? realloc(out->data, new_capacity) : NULL;
  if (!grown)
    return false;
  out->data = grown;
  *capacity = new_capacity;
  stream->next_out = grown + out->size;
  stream->avail_out = (uInt)ETR_MIN(new_capacity - out->size, (size_t)INT_MAX);
  return true;
}

/* Unpacks all members of a gzip file, or stops once out->size is more than max_bytes. Returns
 * Z_STREAM_END at the end, Z_MEM_ERROR when out of memory, Z_BUF_ERROR if the input is cut short,
 * or zlib's code for damage. */
static int unpack_members(etr_file *out, z_stream *stream, etr_slice packed, uint64_t max_bytes) {
  size_t capacity = 0, given_bytes = 0;
  for (;;) {
    if (stream->avail_out == 0 && !grow_output(out, &capacity, stream))
      return Z_MEM_ERROR;
    if (stream->avail_in == 0)
      give_input(stream, packed, &given_bytes);
    size_t room = stream->avail_out;
    int result = inflate(stream, Z_NO_FLUSH);
    out->size += room - stream->avail_out;
    if (out->size > max_bytes)
      return result;
    bool is_input_used_up = stream->avail_in == 0 && given_bytes == packed.size;
    if (result == Z_STREAM_END) {
      if (is_input_used_up)
        return Z_STREAM_END;
      result = inflateReset(stream); /* another member follows */
    }
    if (result != Z_OK && !(result == Z_BUF_ERROR && stream->avail_out == 0))
      return result;
    if (is_input_used_up && stream->avail_out > 0)
      return Z_BUF_ERROR;
  }
}

static etr_status fail_too_large(const char *path, uint64_t max_bytes, etr_error *error) {
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                  "unpacks to more than the %" PRIu64 " bytes left to read; raise this limit with "
                  "--max-bytes",
                  max_bytes);
}

/* Fails for the reason that unpack_members() returned as `result`. */
static etr_status fail_to_unpack(int result, const char *path, size_t packed_bytes,
                                 etr_error *error) {
  if (result == Z_MEM_ERROR)
    return etr_fail_memory_of(error, path, NULL);
  if (result == Z_BUF_ERROR)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                    "compressed with gzip and cut short (it has %zu bytes); was it copied "
                    "completely?",
                    packed_bytes);
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                  "compressed with gzip and damaged; was it copied as binary?");
}

etr_status etr_gunzip(etr_file *out, etr_slice packed, const char *path, uint64_t max_bytes,
                      etr_error *error) {
  z_stream stream = {0};
  *out = (etr_file){0};
  if (inflateInit2(&stream, GZIP_ALONE) != Z_OK)
    return etr_fail_memory_of(error, path, NULL);
  int result = unpack_members(out, &stream, packed, max_bytes);
  inflateEnd(&stream);
  bool is_too_large = out->size > max_bytes;
  if (result == Z_STREAM_END && !is_too_large)
    return ETR_OK;
  etr_file_clear(out);
  return is_too_large ? fail_too_large(path, max_bytes, error)
                      : fail_to_unpack(result, path, packed.size, error);
}
