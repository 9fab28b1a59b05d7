/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stored_zip.h - a zip whose entries are not compressed and whose checksums fit, so that what is in
 * it gets as far as its reader.
 */
#ifndef ETR_FUZZ_STORED_ZIP_H
#define ETR_FUZZ_STORED_ZIP_H

#include "base/base.h"

typedef struct zip_entry {
  etr_slice name, data;
} zip_entry;

/** Makes the zip, to be freed by the caller. Aborts when out of memory. */
char *stored_zip(const zip_entry *entries, size_t count, size_t *size);

#endif
