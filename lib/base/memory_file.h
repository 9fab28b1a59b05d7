/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_file.h - bytes in memory that are read like files, by a path that stands for them. Layer
 * 0.
 *
 * All functions that read files look up their path here first, so that no other part of the library
 * knows where bytes are. Paths begin with "memory:", and are known while somebody holds them.
 */
#ifndef ETR_MEMORY_FILE_H
#define ETR_MEMORY_FILE_H

#include "base/base.h"

/** Bytes that several holders may share. Opaque. */
typedef struct etr_memory_file etr_memory_file;

/** Makes bytes readable as a file, or adds a holder if the bytes at this address already are under
 * this name. The path is "memory:/NAME", or "memory:2/NAME", ... where other bytes have that path,
 * so that its last part is the name. The bytes are not copied: they must outlive the last holder.
 * Returns NULL when out of memory. Safe to call from several threads. */
etr_memory_file *etr_memory_file_hold(const char *name, etr_slice bytes);

/** Adds a holder to a file in memory that is held. */
void etr_memory_file_share(etr_memory_file *file);

/** Returns the path; it is valid as long as the file is held. */
const char *etr_memory_file_path(const etr_memory_file *file);

/** Ends one holder's use of a file in memory. NULL is ignored. */
void etr_memory_file_release(etr_memory_file *file);

/** Returns true for the path of a file in memory, and sets *bytes. */
bool etr_memory_file_find(const char *path, etr_slice *bytes);

#endif
