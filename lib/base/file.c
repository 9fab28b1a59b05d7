/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file.c - whole files in memory, and pieces of large ones.
 */
#include "base/file.h"

#include "base/memory_file.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_CAPACITY = 64 * 1024 };

etr_status etr_fail_io(etr_error *error, const char *path, const char *entry, const char *what,
                       int reason) {
  char text[128];
  if (strerror_r(reason, text, sizeof text) != 0)
    snprintf(text, sizeof text, "error %d", reason);
  return etr_fail(error, ETR_ERROR_IO, path, entry, ETR_NO_OFFSET, "%s: %s", what, text);
}

/* Returns an errno that says why a descriptor cannot be read as a file; 0 if it can. Pipes and
 * devices can only if may_be_pipe is set. Sets *status. */
static int errno_if_unreadable(int descriptor, struct stat *status, bool may_be_pipe) {
  if (fstat(descriptor, status) != 0)
    return errno;
  if (S_ISDIR(status->st_mode))
    return EISDIR;
  return may_be_pipe || S_ISREG(status->st_mode) ? 0 : ESPIPE;
}

/* Opens a file, or standard input ("-"), for reading, and sets *size to the bytes that a regular
 * file has now; 0 for a pipe or device, which is read, too (true: may be one). Fails if it cannot
 * be opened or is a directory. */
static etr_status open_file(FILE **out, const char *path, uint64_t *size, etr_error *error) {
  bool is_standard_input = strcmp(path, "-") == 0;
  struct stat status;
  FILE *stream = is_standard_input ? stdin : fopen(path, "rb");
  *out = NULL;
  if (!stream)
    return etr_fail_io(error, path, NULL, "cannot open", errno);
  int reason = errno_if_unreadable(fileno(stream), &status, true);
  if (reason) {
    if (!is_standard_input)
      fclose(stream);
    return etr_fail_io(error, path, NULL, "cannot read", reason);
  }
  *size = S_ISREG(status.st_mode) && status.st_size > 0 ? (uint64_t)status.st_size : 0;
  *out = stream;
  return ETR_OK;
}

static etr_status fail_too_large(etr_error *error, const char *path, uint64_t max_bytes) {
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                  "more than the %" PRIu64 " bytes left to read; raise this limit with --max-bytes",
                  max_bytes);
}

/* Reads a stream to its end into *out. The size that the file had when it was opened is only a hint
 * for the first allocation, because it may have grown, and a pipe has none (0). Fails if there are
 * more than max_bytes, if it cannot be read, or when out of memory. */
static etr_status read_all(etr_file *out, FILE *stream, const char *path, uint64_t expected_size,
                           uint64_t max_bytes, etr_error *error) {
  size_t capacity = 0;
  for (;;) {
    if (out->size == capacity) {
      uint64_t new_capacity = capacity ? (uint64_t)capacity * 2
                                       : ETR_MAX(expected_size + 1, FIRST_CAPACITY);
      uint8_t *grown = new_capacity <= SIZE_MAX / 2 ? realloc(out->data, (size_t)new_capacity)
                                                    : NULL;
      if (!grown)
        return etr_fail_memory_of(error, path, NULL);
      out->data = grown;
      capacity = (size_t)new_capacity;
    }
    errno = 0;
    size_t got = fread(out->data + out->size, 1, capacity - out->size, stream);
    out->size += got;
    if (out->size > max_bytes)
      return fail_too_large(error, path, max_bytes);
    if (ferror(stream))
      return etr_fail_io(error, path, NULL, "cannot read", errno);
    if (got == 0)
      return ETR_OK;
  }
}

/* A path may also be that of bytes in memory. These are borrowed: *out points to them, and
 * etr_file_clear() does not free them. */
etr_status etr_file_read(etr_file *out, const char *path, uint64_t max_bytes, etr_error *error) {
  FILE *stream;
  uint64_t expected_size = 0;
  etr_slice held_bytes;
  *out = (etr_file){0};
  if (etr_memory_file_find(path, &held_bytes)) {
    if (held_bytes.size > max_bytes)
      return fail_too_large(error, path, max_bytes);
    *out = (etr_file){etr_for_foreign(held_bytes.data), held_bytes.size, true};
    return ETR_OK;
  }
  ETR_TRY(open_file(&stream, path, &expected_size, error));
  etr_status status = expected_size > max_bytes
                          ? fail_too_large(error, path, max_bytes)
                          : read_all(out, stream, path, expected_size, max_bytes, error);
  if (stream != stdin)
    fclose(stream);
  if (status != ETR_OK)
    etr_file_clear(out);
  return status;
}

/* Another file may take the place of a regular one before it is opened, so it is opened without
 * waiting and checked again. */
FILE *etr_file_open_regular(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0)
    return NULL;
  bool is_regular = S_ISREG(status.st_mode);
  int file = is_regular ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
  if (is_regular && file < 0)
    return NULL;
  is_regular = is_regular && fstat(file, &status) == 0 && S_ISREG(status.st_mode); /* still */
  FILE *stream = is_regular ? fdopen(file, "rb") : NULL;
  if (!stream && file >= 0)
    close(file);
  if (!is_regular)
    errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
  return stream;
}

bool etr_file_read_head(const char *path, char *into, size_t size, size_t *got) {
  etr_slice held_bytes;
  if (etr_memory_file_find(path, &held_bytes)) {
    *got = ETR_MIN(size, held_bytes.size);
    memcpy(into, held_bytes.data, *got);
    return true;
  }
  FILE *file = etr_file_open_regular(path);
  if (!file)
    return false;
  *got = fread(into, 1, size, file);
  bool is_read = !ferror(file);
  fclose(file);
  return is_read;
}

/* Bytes in memory count as a regular file. */
bool etr_file_is_regular(const char *path) {
  struct stat status;
  etr_slice held_bytes;
  if (etr_memory_file_find(path, &held_bytes))
    return true;
  return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

double etr_newest_change(const char *const *paths, size_t count) {
  double newest = 0;
  for (size_t i = 0; i < count; i++) {
    struct stat status;
    if (stat(paths[i], &status) == 0 && S_ISREG(status.st_mode))
      newest = ETR_MAX(newest, (double)etr_changed_at(&status).tv_sec);
  }
  return newest;
}

/* Frees the bytes, unless they are borrowed, and empties *file. */
void etr_file_clear(etr_file *file) {
  if (!file->is_borrowed)
    free(file->data);
  *file = (etr_file){0};
}

/* The path may also be that of bytes in memory. A pipe or device is refused (false: may be none),
 * because it has no offsets. */
etr_status etr_seekable_open(etr_seekable *out, const char *path, etr_error *error) {
  struct stat status;
  etr_slice held_bytes;
  if (etr_memory_file_find(path, &held_bytes)) {
    *out = etr_seekable_of(held_bytes);
    return ETR_OK;
  }
  /* O_NONBLOCK, because opening a pipe without a writer would wait. */
  *out = (etr_seekable){.descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (out->descriptor < 0)
    return etr_fail_io(error, path, NULL, "cannot open", errno);
  int reason = errno_if_unreadable(out->descriptor, &status, false);
  if (reason) {
    etr_seekable_close(out);
    return etr_fail_io(error, path, NULL, "cannot read", reason);
  }
  out->size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
  return ETR_OK;
}

bool etr_seekable_read(const etr_seekable *file, uint64_t offset, void *into, size_t size) {
  char *next = into;
  if (file->bytes) {
    bool is_inside = offset <= file->size && size <= file->size - offset;
    if (is_inside && size)
      memcpy(into, file->bytes + offset, size);
    return is_inside;
  }
  if (offset > INT64_MAX - size)
    return false;
  while (size > 0) {
    ssize_t got = pread(file->descriptor, next, size, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    next += got;
    offset += (uint64_t)got;
    size -= (size_t)got;
  }
  return true;
}

etr_status etr_seekable_load(etr_file *out, const etr_seekable *file, uint64_t offset, size_t size,
                             const char *path, etr_error *error) {
  *out = (etr_file){.data = malloc(size ? size : 1), .size = size};
  if (!out->data)
    return etr_fail_memory_of(error, path, NULL);
  if (etr_seekable_read(file, offset, out->data, size))
    return ETR_OK;
  etr_file_clear(out);
  return etr_fail(error, ETR_ERROR_IO, path, NULL, offset,
                  "the file shrank while it was being read");
}

/* Closes the file; for bytes in memory there is nothing to close. */
void etr_seekable_close(etr_seekable *file) {
  if (file->descriptor >= 0)
    close(file->descriptor);
  *file = (etr_seekable){.descriptor = -1};
}

/* Returns true if two files of one size have the same bytes; false also if one cannot be read. */
static bool have_equal_bytes(const etr_seekable *a, const etr_seekable *b) {
  char bytes[2][16 * 1024];
  for (uint64_t offset = 0; offset < a->size;) {
    size_t size = (size_t)ETR_MIN(a->size - offset, (uint64_t)sizeof bytes[0]);
    if (!etr_seekable_read(a, offset, bytes[0], size) ||
        !etr_seekable_read(b, offset, bytes[1], size))
      return false;
    if (memcmp(bytes[0], bytes[1], size) != 0)
      return false;
    offset += size;
  }
  return true;
}

bool etr_files_are_equal(const char *a, const char *b) {
  etr_seekable left, right;
  if (etr_seekable_open(&left, a, NULL) != ETR_OK)
    return false;
  bool is_equal = false;
  if (etr_seekable_open(&right, b, NULL) == ETR_OK) {
    is_equal = left.size == right.size && have_equal_bytes(&left, &right);
    etr_seekable_close(&right);
  }
  etr_seekable_close(&left);
  return is_equal;
}

/* ---- Source files ---- */

enum {
  MAX_SOURCE_BYTES = 4 << 20, /* of a source file */
  MAX_FOLDERS = 32,           /* of a recorded path that are left out one after the other */
  TAB_WIDTH = 4,
};

/* Returns true for a regular file with a size above 0: no device, nor a file that the kernel
 * generates, whose size is 0. */
static bool is_nonempty_regular_file(const char *path) {
  struct stat status;
  return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_size > 0;
}

/* Returns true if a component of the path is "..", which could lead out of the root. */
static bool has_parent_folder(const char *path) {
  for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
    if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
      return true;
  return false;
}

/* Returns a line as it is shown: valid UTF-8, spaces instead of tabs, no carriage return at its
 * end. NULL when out of memory. */
static const char *line_to_show(etr_arena *arena, const char *text, size_t size) {
  if (size > 0 && text[size - 1] == '\r')
    size--;
  size_t tabs = 0, used = 0;
  for (size_t i = 0; i < size; i++)
    tabs += text[i] == '\t';
  char *expanded = etr_arena_alloc(arena, size + tabs * TAB_WIDTH + 1);
  for (size_t i = 0; expanded && i < size; i++) {
    if (text[i] != '\t') {
      expanded[used++] = text[i];
      continue;
    }
    for (size_t blanks = TAB_WIDTH - used % TAB_WIDTH; blanks > 0; blanks--)
      expanded[used++] = ' ';
  }
  return expanded ? etr_arena_text(arena, (etr_slice){expanded, used}) : NULL;
}

/* Splits a text into lines, without their ends. Returns false when out of memory. */
static bool split_lines(etr_source_file *out, etr_arena *arena, const char *text, size_t size) {
  etr_vec(const char *) lines = {0};
  for (size_t line_start = 0; line_start < size;) {
    const char *end = memchr(text + line_start, '\n', size - line_start);
    size_t length = end ? (size_t)(end - text) - line_start : size - line_start;
    const char **line = etr_vec_push(arena, &lines);
    if (!line)
      return false;
    *line = line_to_show(arena, text + line_start, length);
    line_start += length + 1;
  }
  *out = (etr_source_file){lines.data, lines.count};
  return !etr_arena_failed(arena);
}

/* Reads the lines of a source file. Returns false if it is not a regular file, too large,
 * unreadable or empty, or when out of memory, which fails the arena. */
static bool read_source_lines(etr_source_file *out, etr_arena *arena, const char *path) {
  etr_file file;
  etr_status status = is_nonempty_regular_file(path)
                          ? etr_file_read(&file, path, MAX_SOURCE_BYTES, NULL)
                          : ETR_ERROR_IO;
  if (status == ETR_ERROR_MEMORY)
    etr_arena_fail(arena); /* distinguishes it from an absent file */
  if (status != ETR_OK)
    return false;
  bool good = split_lines(out, arena, (const char *)file.data, file.size);
  etr_file_clear(&file);
  return good && out->line_count > 0;
}

/* Returns true if a line of a file, without the spaces around it, is the recorded code, from which
 * Python stripped them. */
static bool is_equal_code(const char *line, const char *code) {
  line += strspn(line, " ");
  size_t size = strlen(line);
  size_t code_size = strlen(code);
  while (size > 0 && line[size - 1] == ' ')
    size--;
  return size == code_size && memcmp(line, code, size) == 0;
}

/* Returns true if the file has the code of each of the recorded lines at that line. Lines recorded
 * without code do not count, but at least one must have some. */
static bool has_recorded_code(const etr_source_file *file, etr_arena *arena,
                              const etr_source *const *lines, size_t count) {
  bool has_code = false;
  for (size_t i = 0; i < count; i++) {
    if (lines[i]->code[0] == '\0')
      continue;
    if (lines[i]->line < 1 || (uint64_t)lines[i]->line > file->line_count)
      return false;
    const char *code = line_to_show(arena, lines[i]->code, strlen(lines[i]->code));
    if (!code || !is_equal_code(file->lines[lines[i]->line - 1], code))
      return false;
    has_code = true;
  }
  return has_code;
}

/* Below the root, the whole path is tried first, then without its first folder, and so on. */
etr_source_state etr_source_file_read(etr_source_file *out, etr_arena *arena, const char *path,
                                      const char *root, const etr_source *const *lines,
                                      size_t count) {
  etr_source_state state = ETR_SOURCE_ABSENT;
  if (!root) {
    if (!read_source_lines(out, arena, path))
      return ETR_SOURCE_ABSENT;
    return has_recorded_code(out, arena, lines, count) ? ETR_SOURCE_FOUND : ETR_SOURCE_DIFFERENT;
  }
  if (has_parent_folder(path))
    return ETR_SOURCE_ABSENT;
  const char *rest = path + strspn(path, "/");
  for (int i = 0; i < MAX_FOLDERS && rest[0]; i++) {
    const char *moved_path = etr_arena_format(arena, "%s/%s", root, rest);
    const char *slash = strchr(rest, '/');
    if (moved_path && read_source_lines(out, arena, moved_path)) {
      if (has_recorded_code(out, arena, lines, count))
        return ETR_SOURCE_FOUND;
      state = ETR_SOURCE_DIFFERENT;
    }
    if (!slash)
      break;
    rest = slash + strspn(slash, "/");
  }
  return state;
}
