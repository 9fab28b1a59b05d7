/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gzip.h - a sink that compresses its input and passes it to another sink. Layer 4.
 */
#ifndef ETR_GZIP_H
#define ETR_GZIP_H

#include "etrecord_tb.h"

typedef struct etr_gzip etr_gzip;

/** Begins to compress into *sink, which is copied. Returns NULL when out of memory. The gzip header
 * has no time and no name, so equal input gives equal output. */
etr_gzip *etr_gzip_new(const etr_sink *sink);

/** Returns the sink that takes the data to compress. */
etr_sink etr_gzip_sink(etr_gzip *gzip);

/** Ends the stream, if nothing has failed, and frees everything. Returns false if any data could
 * not be written. */
bool etr_gzip_end(etr_gzip *gzip);

#endif
