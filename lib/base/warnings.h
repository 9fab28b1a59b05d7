/* SPDX-License-Identifier: BSD-3-Clause
 *
 * warnings.h - collects what was left out of a result, and why. Layer 0.
 */
#ifndef ETR_WARNINGS_H
#define ETR_WARNINGS_H

#include "base/arena.h"

/** Collects warnings into the arena; the profile takes them over. */
typedef struct etr_warnings {
  etr_arena *arena;
  etr_vec(etr_warning) list;
} etr_warnings;

/** Adds a warning; file and entry may be NULL. Lack of memory shows on the arena. */
void etr_warn(etr_warnings *warnings, const char *file, const char *entry, uint64_t offset,
              const char *format, ...) ETR_PRINTF(5, 6);

/** Adds a warning that is a caution (etr_warning.is_caution), as etr_warn(). */
void etr_caution(etr_warnings *warnings, const char *file, const char *entry, uint64_t offset,
                 const char *format, ...) ETR_PRINTF(5, 6);

/** Warns if names are longer than ETR_MOST_NAME_BYTES, and resets the count. `entry` contains the
 * first such name; it may be NULL. */
void etr_warn_of_cut_names(etr_warnings *warnings, const char *file, const char *entry,
                           etr_cut_names *cut);

#endif
