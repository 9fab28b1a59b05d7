/* SPDX-License-Identifier: BSD-3-Clause
 *
 * warnings.c - collecting them.
 */
#include "base/warnings.h"

#include <stdarg.h>
#include <stdio.h>

/* Returns the warning that was added, NULL when out of memory. The message is made valid UTF-8, and
 * cut if it is longer than 511 bytes. */
static etr_warning *add_warning(etr_warnings *warnings, const char *file, const char *entry,
                                uint64_t offset, const char *format, va_list arguments) {
  char message[512];
  vsnprintf(message, sizeof message, format, arguments);
  etr_warning *warning = etr_vec_push(warnings->arena, &warnings->list);
  if (!warning)
    return NULL;
  *warning = (etr_warning){
      .file = file ? etr_arena_copy(warnings->arena, etr_slice_of(file)) : "",
      .entry = entry ? etr_arena_copy(warnings->arena, etr_slice_of(entry)) : "",
      .offset = offset,
      .message = etr_arena_text(warnings->arena, etr_slice_of(message)),
  };
  return warning;
}

void etr_warn(etr_warnings *warnings, const char *file, const char *entry, uint64_t offset,
              const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)add_warning(warnings, file, entry, offset, format, arguments);
  va_end(arguments);
}

void etr_caution(etr_warnings *warnings, const char *file, const char *entry, uint64_t offset,
                 const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  etr_warning *added = add_warning(warnings, file, entry, offset, format, arguments);
  va_end(arguments);
  if (added)
    added->is_caution = true;
}

void etr_warn_of_cut_names(etr_warnings *warnings, const char *file, const char *entry,
                           etr_cut_names *cut) {
  enum { SHOWN = 60 };
  if (cut->first && cut->count == 1)
    etr_warn(warnings, file, entry, ETR_NO_OFFSET,
             "a name longer than 64 KiB was cut; it begins with %.*s", ETR_HEAD(cut->first, SHOWN));
  else if (cut->first)
    etr_warn(warnings, file, entry, ETR_NO_OFFSET,
             "%zu names longer than 64 KiB were cut; the first begins with %.*s", cut->count,
             ETR_HEAD(cut->first, SHOWN));
  *cut = (etr_cut_names){0};
}
