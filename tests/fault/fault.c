/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fault.c - the wrapped functions. Globals: a test is one thread.
 */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>
#include <zip.h>

#ifdef __GLIBC__ /* whose headers call these functions by other names where offsets have 64 bits   \
                  */
#define __wrap_openat __wrap_openat64
#define __real_openat __real_openat64
#define __wrap_pread __wrap_pread64
#define __real_pread __real_pread64
#endif

static struct {
  fault_kind kind;
  long left;
  bool is_lasting, happened, is_watched;
} plan;

/* Places by the hash of their callers, with how many calls came from there, and the numbers of
 * those that stand for all. */
enum { CALLERS = 16, MOST_PLACES = 1 << 16, MOST_NUMBERS = 1 << 18 };
static struct {
  uint64_t callers[MOST_PLACES];
  uint32_t calls[MOST_PLACES];
  long numbers[MOST_NUMBERS], call_count;
  size_t place_count, number_count;
} watched;

/* Calls that stood for all in any watch so far, by the hash of place, number of calls from it and
 * name of the watch; 0 is an empty slot. */
enum { MOST_STOOD = 1 << 20 };
static struct {
  uint64_t calls[MOST_STOOD], name;
  size_t count;
} stood;

void fault_plan(fault_kind kind, long number, bool is_lasting) {
  plan.kind = kind;
  plan.left = number;
  plan.is_lasting = is_lasting;
  plan.happened = plan.is_watched = false;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

void fault_watch(fault_kind kind, const char *name) {
  fault_plan(kind, 0, false);
  memset(&watched, 0, sizeof watched);
  stood.name = 1;
  for (; *name; name++)
    stood.name = mix(stood.name, (unsigned char)*name);
  plan.is_watched = true;
}

const long *fault_places(size_t *count) {
  *count = watched.number_count;
  return watched.numbers;
}

typedef struct walk {
  uint64_t hash;
  int left;
} walk;

static _Unwind_Reason_Code add_caller(struct _Unwind_Context *context, void *of) {
  walk *w = of;
  w->hash = mix(w->hash, _Unwind_GetIP(context));
  return --w->left > 0 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/* Where a hash stands in a table of `size` slots, or the empty slot for it. */
static size_t find_slot(const uint64_t *table, size_t size, uint64_t hash) {
  size_t at = hash % size;
  while (table[at] && table[at] != hash)
    at = (at + 1) % size;
  return at;
}

/* Gives the slot of the place that calls now, in `watched`. */
static size_t find_place(void) {
  walk w = {.hash = 1, .left = CALLERS};
  _Unwind_Backtrace(add_caller, &w);
  size_t at = find_slot(watched.callers, MOST_PLACES, w.hash);
  if (!watched.callers[at] && ++watched.place_count == MOST_PLACES)
    abort();
  watched.callers[at] = w.hash;
  return at;
}

/* Whether a call from there stands for others for the first time under this name. */
static bool stands_first(uint64_t callers, uint32_t calls) {
  uint64_t hash = mix(mix(stood.name, callers), calls);
  size_t at = find_slot(stood.calls, MOST_STOOD, hash);
  if (stood.calls[at])
    return false;
  if (++stood.count == MOST_STOOD)
    abort();
  stood.calls[at] = hash;
  return true;
}

static void watch(void) {
  size_t place = find_place();
  uint32_t calls = ++watched.calls[place];
  if ((calls & (calls - 1)) == 0 && stands_first(watched.callers[place], calls) &&
      watched.number_count < MOST_NUMBERS)
    watched.numbers[watched.number_count++] = watched.call_count;
  watched.call_count++;
}

bool fault_happened(void) {
  return plan.happened;
}

static bool fails(fault_kind kind, int reason) {
  if (plan.kind == kind && plan.is_watched)
    watch();
  if (plan.is_watched || plan.kind != kind || (plan.happened && !plan.is_lasting) ||
      plan.left-- > 0)
    return false;
  plan.happened = true;
  plan.left = 0;
  errno = reason;
  return true;
}

static void maybe_killed(void) {
  if (fails(FAULT_KILL, 0))
    raise(SIGKILL);
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
  return fails(FAULT_MEMORY, ENOMEM) ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) {
  return fails(FAULT_MEMORY, ENOMEM) ? NULL : __real_calloc(count, size);
}

void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size) {
  return fails(FAULT_MEMORY, ENOMEM) ? NULL : __real_realloc(block, size);
}

/* Files, by descriptor, that something was written to. */
static bool written[1024];

ssize_t __real_write(int descriptor, const void *data, size_t size);
ssize_t __wrap_write(int descriptor, const void *data, size_t size);
ssize_t __wrap_write(int descriptor, const void *data, size_t size) {
  maybe_killed();
  if (descriptor >= 0 && descriptor < 1024)
    written[descriptor] = true;
  return fails(FAULT_WRITE, ENOSPC) ? -1 : __real_write(descriptor, data, size);
}

static struct {
  const char *path;
  off_t size;
} shrinking;

void fault_shrink(const char *path, off_t size) {
  shrinking.path = path;
  shrinking.size = size;
}

static void maybe_shrunk(void) {
  if (fails(FAULT_SHRINK, 0) && truncate(shrinking.path, shrinking.size) != 0)
    abort();
}

size_t __real_fread(void *into, size_t size, size_t count, FILE *file);
size_t __wrap_fread(void *into, size_t size, size_t count, FILE *file);
size_t __wrap_fread(void *into, size_t size, size_t count, FILE *file) {
  maybe_shrunk();
  return __real_fread(into, size, count, file);
}

ssize_t __real_pread(int descriptor, void *into, size_t size, off_t at);
ssize_t __wrap_pread(int descriptor, void *into, size_t size, off_t at);
ssize_t __wrap_pread(int descriptor, void *into, size_t size, off_t at) {
  maybe_shrunk();
  return __real_pread(descriptor, into, size, at);
}

zip_int64_t __real_zip_fread(zip_file_t *file, void *into, zip_uint64_t size);
zip_int64_t __wrap_zip_fread(zip_file_t *file, void *into, zip_uint64_t size);
zip_int64_t __wrap_zip_fread(zip_file_t *file, void *into, zip_uint64_t size) {
  maybe_shrunk();
  return __real_zip_fread(file, into, size);
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & O_CREAT
                 ? va_arg(list, int)
                 : 0; /* NOLINT(clang-analyzer-valist.Uninitialized): it does not see va_start() */
  va_end(list);
  return flags & O_CREAT && fails(FAULT_OPEN, EACCES) ? -1
                                                      : __real_openat(folder, path, flags, mode);
}

int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor) {
  maybe_killed();
  return fails(FAULT_FSYNC, EIO) ? -1 : __real_fsync(descriptor);
}

/* Of what nothing was written to, closing loses nothing. */
int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __wrap_close(int descriptor) {
  bool was_written = descriptor >= 0 && descriptor < 1024 && written[descriptor];
  if (was_written)
    written[descriptor] = false;
  maybe_killed();
  if (!was_written || !fails(FAULT_CLOSE, ENOSPC))
    return __real_close(descriptor);
  __real_close(descriptor);
  errno = ENOSPC;
  return -1;
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
  maybe_killed();
  return fails(FAULT_RENAME, EACCES) ? -1 : __real_rename(from, to);
}

int __real_renameat(int from_folder, const char *from, int to_folder, const char *to);
int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to);
int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to) {
  maybe_killed();
  return fails(FAULT_RENAME, EACCES) ? -1 : __real_renameat(from_folder, from, to_folder, to);
}

int __real_unlinkat(int folder, const char *path, int flags);
int __wrap_unlinkat(int folder, const char *path, int flags);
int __wrap_unlinkat(int folder, const char *path, int flags) {
  maybe_killed();
  return __real_unlinkat(folder, path, flags);
}

int __real_mkdirat(int folder, const char *path, mode_t mode);
int __wrap_mkdirat(int folder, const char *path, mode_t mode);
int __wrap_mkdirat(int folder, const char *path, mode_t mode) {
  maybe_killed();
  return fails(FAULT_MKDIR, EACCES) ? -1 : __real_mkdirat(folder, path, mode);
}
