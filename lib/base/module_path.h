/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module_path.h - the modules around a module, by its path "layers.0.attention". Layer 0.
 */
#ifndef ETR_MODULE_PATH_H
#define ETR_MODULE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/** Levels of a path that are stepped through. Deeper ones are not, but the module itself is: nobody
 * nests modules so deep, and a path may be hostile. */
enum { ETR_MOST_MODULE_LEVELS = 64 };

/** Steps through the modules that a module is in: the empty path of the model, then each longer
 * prefix, then the module itself. `level` and `end` are 0 at first; `end` is the length of the
 * prefix after each step. Returns false when there are no more. */
static inline bool etr_next_module_around(const char *path, size_t *level, size_t *end) {
  if (*level > 0 && path[*end] == '\0')
    return false;
  if ((*level)++ == 0)
    return true;
  const char *from = path + *end + (*end > 0),
             *dot = *level > ETR_MOST_MODULE_LEVELS ? NULL : strchr(from, '.');
  *end = dot ? (size_t)(dot - path) : (size_t)(from - path) + strlen(from);
  return true;
}

#endif
