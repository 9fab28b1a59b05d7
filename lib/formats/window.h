/* SPDX-License-Identifier: BSD-3-Clause
 *
 * window.h - the part of a document that is in memory while it is read from front to back. Layer 1.
 *
 * A document that lies in memory is its own window. Of any other, a buffer holds ETR_WINDOW_BYTES, and filling it moves
 * what is unread to its beginning: pointers into the window do not outlive the next call that may fill it. The first
 * error stays, and nothing is read after it.
 */
#ifndef ETR_WINDOW_H
#define ETR_WINDOW_H

#include "base/base.h"

enum { ETR_WINDOW_BYTES = 64 * 1024 };

/** Gives the next bytes of a document: up to `size` into `into`; the number given, 0 at the end, or -1 on failure (the
 * source knows why). */
typedef int64_t (*etr_read)(void *context, char *into, size_t size);

typedef struct etr_window {
  const char *at, *end; /* the unread part */
  const char *start;
  uint64_t offset; /* of the start in the document */
  etr_read read;   /* NULL once nothing more will come */
  void *context;
  char *buffer;        /* of ETR_WINDOW_BYTES, borrowed; NULL for a document in memory */
  const char *message; /* static; NULL until something is wrong */
  uint64_t error_offset;
  bool source_failed;
} etr_window;

/** Offset in the document of what is read next. */
static inline uint64_t etr_window_offset(const etr_window *w) { return w->offset + (uint64_t)(w->at - w->start); }

/** Fails at a place, unless an error is there already. Gives false. */
bool etr_window_fail_at(etr_window *w, uint64_t offset, const char *message);

/** The same at what is read next. */
bool etr_window_fail(etr_window *w, const char *message);

/** The same for a byte that does not match: at the end of the document that is the error. */
bool etr_window_refuse(etr_window *w, const char *message);

/** The same because the document ends. */
bool etr_window_fail_at_end(etr_window *w);

/** etr_window_fill() where the window does not have the bytes already. */
bool etr_window_refill(etr_window *w, size_t need);

/** Brings at least `need` bytes into the window at `at`; false where the document ends before. */
static inline bool etr_window_fill(etr_window *w, size_t need) {
  return (size_t)(w->end - w->at) >= need || etr_window_refill(w, need);
}

/** Brings the byte at `at` + size into the window; false where the document ends before, or the window cannot show as
 * much. */
static inline bool etr_window_fill_to_show(etr_window *w, size_t size) {
  return size < (size_t)(w->end - w->at) || (size < ETR_WINDOW_BYTES && etr_window_fill(w, size + 1));
}

#endif
