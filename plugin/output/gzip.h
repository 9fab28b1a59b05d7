/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gzip.h - a sink that compresses what goes into another one. Layer 4.
 */
#ifndef ETR_GZIP_H
#define ETR_GZIP_H

#include "etrecord_tb.h"

typedef struct etr_gzip etr_gzip;

/** Compresses into *sink, which is copied. NULL when out of memory. The same bytes always give the same bytes: no time, no name in the header. */
etr_gzip *etr_gzip_new(const etr_sink *sink);

/** Where to write what is to be compressed. */
etr_sink etr_gzip_sink(etr_gzip *gzip);

/** Writes the end, if all went well so far, and frees everything. False: something could not be written. */
bool etr_gzip_end(etr_gzip *gzip);

#endif
