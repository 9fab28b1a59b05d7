/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tfrecord.c - the framing of event files.
 */
#include "tfrecord.h"

#include "crc32c.h"

static void put(etr_tfrecord *writer, const void *data, size_t size) {
  if (!writer->failed && size > 0) writer->failed = !writer->sink->write(writer->sink->context, data, size);
}

static void put_little_endian(unsigned char *to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) to[i] = (unsigned char)(value >> (8 * i));
}

void etr_tfrecord_write(etr_tfrecord *writer, const etr_slice *pieces, size_t count) {
  uint64_t size = 0;
  uint32_t crc = 0;
  for (size_t i = 0; i < count; i++) {
    size += pieces[i].size;
    crc = etr_crc32c(crc, pieces[i].data, pieces[i].size);
  }
  unsigned char header[12], footer[4];
  put_little_endian(header, size, 8);
  put_little_endian(header + 8, etr_crc32c_masked(etr_crc32c(0, header, 8)), 4);
  put_little_endian(footer, etr_crc32c_masked(crc), 4);
  put(writer, header, sizeof header);
  for (size_t i = 0; i < count; i++) put(writer, pieces[i].data, pieces[i].size);
  put(writer, footer, sizeof footer);
}
