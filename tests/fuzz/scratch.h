/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scratch.h - files for the fuzz targets whose code takes paths: a folder of this process in memory
 * where there is such, removed in the end.
 */
#ifndef ETR_FUZZ_SCRATCH_H
#define ETR_FUZZ_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/** Writes a file of that name, which may lie in folders. Returns its path, which lives until the
 * process ends. Aborts if it cannot. */
const char *scratch_file(const char *name, const void *data, size_t size);

/** Removes it if it is there. */
void scratch_remove(const char *name);

#endif
