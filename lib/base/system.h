/* SPDX-License-Identifier: BSD-3-Clause
 *
 * system.h - hides differences between Linux, macOS, Windows, their C libraries and processors.
 * Layer 0. The command does not link base/, but may use the inline functions.
 */
#ifndef ETR_SYSTEM_H
#define ETR_SYSTEM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>

/** Returns true for the characters that separate the parts of a path: '/', on Windows also '\\'. */
static inline bool etr_is_slash(char character) {
#if defined _WIN32
  if (character == '\\')
    return true;
#endif
  return character == '/';
}

/** Returns the last part of a path; "" if it ends in a slash. */
static inline const char *etr_last_part(const char *path) {
  const char *part = path;
  for (; *path != '\0'; path++)
    if (etr_is_slash(*path))
      part = path + 1;
  return part;
}

/** Returns when a file or its metadata was last changed. */
static inline struct timespec etr_touched_at(const struct stat *status) {
#if defined __APPLE__
  return status->st_ctimespec;
#else
  return status->st_ctim;
#endif
}

/** Returns when the bytes of a file were last changed. */
static inline struct timespec etr_changed_at(const struct stat *status) {
#if defined __APPLE__
  return status->st_mtimespec;
#else
  return status->st_mtim;
#endif
}

/** Waits until one of these signals, which must be blocked, arrives, or until the time is up. If
 * the system cannot do that, it waits at most 10 ms. */
static inline void etr_wait_for_signal(const sigset_t *signals, const struct timespec *most) {
#if defined __APPLE__ || defined _WIN32
  enum { TURN = 10 * 1000 * 1000 };
  struct timespec turn = {.tv_nsec = most->tv_sec == 0 && most->tv_nsec < TURN ? most->tv_nsec
                                                                               : TURN};
  (void)signals;
  (void)nanosleep(&turn, NULL);
#else
  (void)sigtimedwait(signals, NULL, most);
#endif
}

/** Returns the last occurrence of a byte, or NULL (memrchr). */
const char *etr_find_last(const char *text, size_t size, char wanted);

/** Returns the first occurrence of bytes in a text, or NULL (memmem). */
const char *etr_find_bytes(const char *text, size_t size, const char *wanted, size_t wanted_size);

/** Fills up to 256 bytes with random bytes that nobody can guess. Returns false if the system has
 * none. */
bool etr_random(void *into, size_t size);

/** Returns true if this processor has instructions for CRC-32C, on systems where the compiler
 * cannot ask. */
bool etr_has_crc32c(void);

#endif
