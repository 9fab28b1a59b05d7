/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gunzip.h - unpacks what gzip compressed. Layer 1.
 */
#ifndef ETR_GUNZIP_H
#define ETR_GUNZIP_H

#include "base/file.h"

/** Returns true if a file that starts with these bytes was compressed with gzip. */
bool etr_gzip_is(etr_slice head);

/** Unpacks the first bytes of a gzip file, of which `packed` is the start. Returns how many bytes
 * it wrote: at most `size`, and fewer if `packed` does not give more or is damaged. */
size_t etr_gunzip_head(etr_slice packed, char *into, size_t size);

/**
 * Unpacks a whole gzip file, with all its members, and checks their sums. Free *out with
 * etr_file_clear(); on failure it is empty. Errors: ETR_ERROR_FORMAT (damaged, cut short, or more
 * than max_bytes come out), ETR_ERROR_MEMORY.
 */
etr_status etr_gunzip(etr_file *out, etr_slice packed, const char *path, uint64_t max_bytes,
                      etr_error *error);

#endif
