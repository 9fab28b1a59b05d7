/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fault.c - the wrapped functions. Globals: a test is one thread.
 */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

static struct {
  fault_kind kind;
  long left;
  bool is_lasting, happened;
} plan;

void fault_plan(fault_kind kind, long number, bool is_lasting) {
  plan.kind = kind;
  plan.left = number;
  plan.is_lasting = is_lasting;
  plan.happened = false;
}

bool fault_happened(void) { return plan.happened; }

static bool fails(fault_kind kind, int reason) {
  if (plan.kind != kind || (plan.happened && !plan.is_lasting) || plan.left-- > 0) return false;
  plan.happened = true;
  plan.left = 0;
  errno = reason;
  return true;
}

static void maybe_killed(void) {
  if (fails(FAULT_KILL, 0)) raise(SIGKILL);
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) { return fails(FAULT_MEMORY, ENOMEM) ? NULL : __real_malloc(size); }

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) { return fails(FAULT_MEMORY, ENOMEM) ? NULL : __real_calloc(count, size); }

void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size) { return fails(FAULT_MEMORY, ENOMEM) ? NULL : __real_realloc(block, size); }

ssize_t __real_write(int descriptor, const void *data, size_t size);
ssize_t __wrap_write(int descriptor, const void *data, size_t size);
ssize_t __wrap_write(int descriptor, const void *data, size_t size) {
  maybe_killed();
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
  if (fails(FAULT_SHRINK, 0) && truncate(shrinking.path, shrinking.size) != 0) abort();
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

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & O_CREAT ? va_arg(list, int) : 0; /* NOLINT(clang-analyzer-valist.Uninitialized): it does not see va_start() */
  va_end(list);
  return flags & O_CREAT && fails(FAULT_OPEN, EACCES) ? -1 : __real_open(path, flags, mode);
}

int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __wrap_close(int descriptor) {
  maybe_killed();
  if (!fails(FAULT_CLOSE, ENOSPC)) return __real_close(descriptor);
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

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path) {
  maybe_killed();
  return __real_unlink(path);
}

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode) { return fails(FAULT_MKDIR, EACCES) ? -1 : __real_mkdir(path, mode); }
