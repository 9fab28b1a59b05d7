/* SPDX-License-Identifier: BSD-3-Clause
 *
 * temporary.h - names temporary files and sweeps those that killed writers left. Layer 4.
 */
#ifndef ETR_TEMPORARY_H
#define ETR_TEMPORARY_H

#include <stdbool.h>

/** Which lock shows that the writer is alive: the run folder's, or the file's own. */
typedef enum etr_temporary_kind { ETR_TEMPORARY_OF_RUN_FOLDER, ETR_TEMPORARY_OF_FILE } etr_temporary_kind;

enum { ETR_TEMPORARY_ROOM = 64 };

/** Makes a random, unpredictable, hidden name. False on failure: see errno. */
bool etr_temporary_name(char name[ETR_TEMPORARY_ROOM], etr_temporary_kind kind);

/**
 * Removes the temporary files of dead writers in a folder. For ETR_TEMPORARY_OF_RUN_FOLDER these are all files of the
 * kind, so the caller must hold the folder's lock. Files that cannot be removed stay.
 */
void etr_temporary_sweep(int folder, etr_temporary_kind kind);

/** Locks a new temporary file until its last descriptor is closed. False: a sweep has taken it for dead; make another.
 */
bool etr_temporary_lock(int file);

#endif
