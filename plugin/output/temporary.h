/* SPDX-License-Identifier: BSD-3-Clause
 *
 * temporary.h - names temporary files and removes the ones that killed writers left. Layer 4.
 */
#ifndef ETR_TEMPORARY_H
#define ETR_TEMPORARY_H

#include <stdbool.h>

/** The lock that shows whether the writer is alive: the lock of the run folder, or that of the file
 * itself. */
typedef enum etr_temporary_kind {
  ETR_TEMPORARY_OF_RUN_FOLDER,
  ETR_TEMPORARY_OF_FILE
} etr_temporary_kind;

enum { ETR_TEMPORARY_ROOM = 64 };

/** Makes a random, unpredictable, hidden name. Returns false on failure and sets errno. */
bool etr_temporary_name(char name[ETR_TEMPORARY_ROOM], etr_temporary_kind kind);

/**
 * Removes the temporary files of dead writers in a folder. With ETR_TEMPORARY_OF_RUN_FOLDER it
 * removes all files of that kind, so the caller must hold the folder's lock. Files that cannot be
 * removed remain.
 */
void etr_temporary_sweep(int folder, etr_temporary_kind kind);

/** Locks a new temporary file until its last descriptor is closed. Returns false if a sweep has
 * taken it for a dead writer's file; the caller then makes another one. */
bool etr_temporary_lock(int file);

#endif
