/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tfrecord.h - the framing of event files: length, its CRC, data, its CRC. Layer 4.
 */
#ifndef ETR_TFRECORD_H
#define ETR_TFRECORD_H

#include "base.h"
#include "etrecord_tb.h"

/** Writes records into a sink. Once the sink refuses, later calls do nothing; look at `failed` in the end. */
typedef struct etr_tfrecord {
  const etr_sink *sink;
  bool failed;
} etr_tfrecord;

/** Writes one record, its data given in pieces that follow each other. */
void etr_tfrecord_write(etr_tfrecord *writer, const etr_slice *pieces, size_t count);

#endif
