/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tfrecord.h - the framing of event files: length, its CRC, data, its CRC. Layer 5.
 */
#ifndef ETR_TFRECORD_H
#define ETR_TFRECORD_H

#include "base/base.h"
#include "etrecord_tb.h"

/** Writes records into a sink. Once the sink has refused, calls do nothing: check `failed` at the end. */
typedef struct etr_tfrecord {
  const etr_sink *sink;
  bool failed;
} etr_tfrecord;

/** Writes one record. */
void etr_tfrecord_write(etr_tfrecord *writer, etr_slice data);

/** The CRC-32C (Castagnoli; zlib's crc32 is another polynomial) of bytes that follow others whose CRC is `crc`; 0 to
 * start. */
uint32_t etr_crc32c(uint32_t crc, const void *data, size_t size);

/** The same without the processor's instruction. For etr_crc32c() and its test. */
uint32_t etr_crc32c_portable(uint32_t crc, const void *data, size_t size);

/** As TFRecords store it: a CRC of data that holds CRCs would be a weak one. */
static inline uint32_t etr_crc32c_masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

#endif
