/* SPDX-License-Identifier: BSD-3-Clause
 *
 * system.h - what Linux, macOS, Windows, their C libraries and processors differ in. Layer 0. The command, which links
 * nothing of base/, may use what is inline.
 */
#ifndef ETR_SYSTEM_H
#define ETR_SYSTEM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <time.h>

/** Whether a character stands between the parts of a path: '/', on Windows also '\\'. */
static inline bool etr_is_slash(char character) {
#if defined _WIN32
  if (character == '\\') return true;
#endif
  return character == '/';
}

/** The last part of a path; "" if it ends in a slash. */
static inline const char *etr_last_part(const char *path) {
  const char *part = path;
  for (; *path != '\0'; path++)
    if (etr_is_slash(*path)) part = path + 1;
  return part;
}

/** When a file, or what the system knows of it, was last changed. */
static inline struct timespec etr_touched_at(const struct stat *status) {
#if defined __APPLE__
  return status->st_ctimespec;
#else
  return status->st_ctim;
#endif
}

/** When the bytes of a file were last changed. */
static inline struct timespec etr_changed_at(const struct stat *status) {
#if defined __APPLE__
  return status->st_mtimespec;
#else
  return status->st_mtim;
#endif
}

/** Waits until one of these signals comes, which are held, or time is up. Where the system cannot do that, it waits
 * 10 ms at most. */
static inline void etr_wait_for_signal(const sigset_t *signals, const struct timespec *most) {
#if defined __APPLE__ || defined _WIN32
  enum { TURN = 10 * 1000 * 1000 };
  struct timespec turn = {.tv_nsec = most->tv_sec == 0 && most->tv_nsec < TURN ? most->tv_nsec : TURN};
  (void)signals;
  (void)nanosleep(&turn, NULL);
#else
  (void)sigtimedwait(signals, NULL, most);
#endif
}

/** The last place of a byte, or NULL (memrchr). */
const char *etr_find_last(const char *text, size_t size, char wanted);

/** The first place of some bytes among others, or NULL (memmem). */
const char *etr_find_bytes(const char *text, size_t size, const char *wanted, size_t wanted_size);

/** Fills up to 256 bytes with ones that nobody can guess. False: the system has none. */
bool etr_random(void *to, size_t size);

/** Whether this processor has instructions for CRC-32C, on machines where the compiler cannot ask. */
bool etr_has_crc32c(void);

#endif
