/* SPDX-License-Identifier: BSD-3-Clause
 *
 * window.c - moving the window on.
 */
#include "formats/window.h"

bool etr_window_fail_at(etr_window *w, uint64_t offset, const char *message) {
  if (!w->message) {
    w->message = message;
    w->error_offset = offset;
  }
  return false;
}

bool etr_window_fail(etr_window *w, const char *message) {
  return etr_window_fail_at(w, etr_window_offset(w), message);
}

bool etr_window_fail_at_end(etr_window *w) { return etr_window_fail(w, "unexpected end of document"); }

bool etr_window_refuse(etr_window *w, const char *message) {
  return etr_window_fill(w, 1) ? etr_window_fail(w, message) : etr_window_fail_at_end(w);
}

bool etr_window_refill(etr_window *w, size_t need) {
  if (!w->read || w->message) return false;
  size_t have = (size_t)(w->end - w->at);
  memmove(w->buffer, w->at, have);
  w->offset = etr_window_offset(w);
  w->start = w->at = w->buffer;
  while (have < need && w->read) {
    size_t room = ETR_WINDOW_BYTES - have;
    int64_t got = w->read(w->context, w->buffer + have, room);
    bool sane = got >= 0 && (uint64_t)got <= room;
    if (sane) have += (size_t)got;
    if (!sane || got == 0) w->read = NULL;
    if (!sane) w->source_failed = true;
  }
  w->end = w->buffer + have;
  if (w->source_failed) etr_window_fail_at(w, w->offset + have, "the document cannot be read on");
  return have >= need;
}
