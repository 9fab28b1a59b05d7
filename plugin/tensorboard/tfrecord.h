/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tfrecord.h - the framing of event files: length, its CRC, data, its CRC. Layer 5.
 */
#ifndef ETR_TFRECORD_H
#define ETR_TFRECORD_H

#include "base/base.h"
#include "etrecord_tb.h"

/** Writes records into a sink. Once the sink has refused, calls do nothing: check `failed` at the
 * end. */
typedef struct etr_tfrecord {
  const etr_sink *sink;
  bool failed;
} etr_tfrecord;

/** Writes one TFRecord: the size and its masked CRC, the data and their masked CRC. A sink that
 * refuses sets writer->failed. */
void etr_tfrecord_write(etr_tfrecord *writer, etr_slice data);

/** Returns the CRC-32C (Castagnoli; zlib's crc32 has another polynomial) of bytes that follow
 * others whose CRC is `crc`, which is 0 at the start. */
uint32_t etr_crc32c(uint32_t crc, const void *data, size_t size);

/** Computes etr_crc32c() without the processor's instructions. For etr_crc32c() and its test. */
uint32_t etr_crc32c_portable(uint32_t crc, const void *data, size_t size);

/** Returns the CRC in the form that TFRecords store, because a CRC of data that contain CRCs would
 * be weak. */
static inline uint32_t etr_crc32c_masked(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

#endif
