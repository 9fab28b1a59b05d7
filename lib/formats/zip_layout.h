/* SPDX-License-Identifier: BSD-3-Clause
 *
 * zip_layout.h - where the parts of a zip lie, before libzip sees it. Layer 1.
 *
 * libzip takes offsets literally, its one word for every damage is "not a zip archive", and it reads entries that share
 * their bytes.
 */
#ifndef ETR_ZIP_LAYOUT_H
#define ETR_ZIP_LAYOUT_H

#include "base/file.h"

/**
 * Finds how many bytes stand before the zip, by which all its offsets are too small, and checks that no two entries
 * share bytes, as no zip tool writes them: a few kilobytes could expand to gigabytes. Errors:
 * ETR_ERROR_FORMAT (not a zip, truncated, no central directory, entries that overlap: the message says which),
 * ETR_ERROR_IO, ETR_ERROR_MEMORY.
 */
etr_status etr_zip_measure(uint64_t *prefix, const etr_seekable *file, const char *path, etr_error *error);

#endif
