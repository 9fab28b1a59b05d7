/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gzip.h - a sink that compresses what goes into another one. Layer 4.
 */
#ifndef ETR_GZIP_H
#define ETR_GZIP_H

#include "etrecord_tb.h"

typedef struct etr_gzip etr_gzip;

/** Compresses into *sink, which is copied. NULL when out of memory. The header has no time and no name: equal input
 * gives equal output. */
etr_gzip *etr_gzip_new(const etr_sink *sink);

/** The sink that takes what to compress. */
etr_sink etr_gzip_sink(etr_gzip *gzip);

/** Ends the stream, if nothing has failed, and frees everything. False if anything could not be written. */
bool etr_gzip_end(etr_gzip *gzip);

#endif
