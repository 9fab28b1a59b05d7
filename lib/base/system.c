/* SPDX-License-Identifier: BSD-3-Clause
 *
 * system.c - functions that differ between systems. On Windows, the functions of POSIX are in
 * windows/, whose headers precede the system's.
 */
#define _GNU_SOURCE /* memrchr, memmem, syscall() */
#include "base/system.h"

#include <string.h>

#if defined __linux__
#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <sys/random.h>
#include <unistd.h>
#endif

#if defined __APPLE__ || defined _WIN32
const char *etr_find_last(const char *text, size_t size, char wanted) {
  while (size > 0)
    if (text[--size] == wanted)
      return text + size;
  return NULL;
}
#else
const char *etr_find_last(const char *text, size_t size, char wanted) {
  return size ? memrchr(text, wanted, size) : NULL;
}
#endif

const char *etr_find_bytes(const char *text, size_t size, const char *wanted, size_t wanted_size) {
  return size ? memmem(text, size, wanted, wanted_size) : NULL;
}

#if defined __linux__

/* Fills memory with random bytes from the system's device, because Linux before 3.17 has no
 * getrandom(). Returns false if that fails. Up to 256 bytes come with one read(). */
static bool read_random(void *into, size_t size) {
  int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  bool is_read = file >= 0 && read(file, into, size) == (ssize_t)size;
  if (file >= 0)
    (void)close(file);
  return is_read;
}

/* Uses the system call, because glibc before 2.25 has no function for it. Up to 256 bytes come at
 * once. */
bool etr_random(void *into, size_t size) {
  long got;
  do
    got = syscall(SYS_getrandom, into, size, 0);
  while (got < 0 && errno == EINTR);
  return got == (long)size || (got < 0 && errno == ENOSYS && read_random(into, size));
}

#else

bool etr_random(void *to, size_t size) {
  return getentropy(to, size) == 0;
}

#endif

#if defined __aarch64__ && defined __linux__
enum { HAS_CRC32 = 1 << 7 /* HWCAP_CRC32 of the kernel's asm/hwcap.h */ };
bool etr_has_crc32c(void) {
  return (getauxval(AT_HWCAP) & HAS_CRC32) != 0;
}
#elif defined __aarch64__
bool etr_has_crc32c(void) {
  return true;
} /* every Mac with such a processor */
#else
bool etr_has_crc32c(void) {
  return false;
}
#endif
