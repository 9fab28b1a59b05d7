/* SPDX-License-Identifier: BSD-3-Clause
 *
 * source_file.c - finds a source file, and checks that it has the recorded code.
 */
#include "base/source_file.h"

#include "base/file.h"

#include <sys/stat.h>

enum {
  MAX_BYTES = 4 << 20, /* of a source file */
  MAX_FOLDERS = 32,    /* of a recorded path that are left out one after the other */
  TAB = 4,
};

/* Returns true for a regular file that states its size: neither a device nor a file that the kernel
 * generates. */
static bool is_plain_file(const char *path) {
  struct stat status;
  return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_size > 0;
}

static bool has_parent_folder(const char *path) {
  for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
    if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
      return true;
  return false;
}

/* Returns a line as it is shown, with blanks for tabs. */
static const char *line_text(etr_arena *arena, const char *text, size_t size) {
  if (size > 0 && text[size - 1] == '\r')
    size--;
  size_t tabs = 0, used = 0;
  for (size_t i = 0; i < size; i++)
    tabs += text[i] == '\t';
  char *spread = etr_arena_alloc(arena, size + tabs * TAB + 1);
  for (size_t i = 0; spread && i < size; i++) {
    if (text[i] != '\t') {
      spread[used++] = text[i];
      continue;
    }
    for (size_t blanks = TAB - used % TAB; blanks > 0; blanks--)
      spread[used++] = ' ';
  }
  return spread ? etr_arena_text(arena, (etr_slice){spread, used}) : NULL;
}

static bool split_lines(etr_source_file *out, etr_arena *arena, const char *text, size_t size) {
  etr_vec(const char *) lines = {0};
  for (size_t at = 0; at < size;) {
    const char *end = memchr(text + at, '\n', size - at);
    size_t length = end ? (size_t)(end - text) - at : size - at;
    const char **line = etr_vec_push(arena, &lines);
    if (!line)
      return false;
    *line = line_text(arena, text + at, length);
    at += length + 1;
  }
  *out = (etr_source_file){lines.data, lines.count};
  return !etr_arena_failed(arena);
}

static bool read_lines(etr_source_file *out, etr_arena *arena, const char *path) {
  etr_file file;
  etr_status status = is_plain_file(path) ? etr_file_read(&file, path, MAX_BYTES, NULL)
                                          : ETR_ERROR_IO;
  if (status == ETR_ERROR_MEMORY)
    etr_arena_fail(arena); /* not the same as a file that is not there */
  if (status != ETR_OK)
    return false;
  bool good = split_lines(out, arena, (const char *)file.data, file.size);
  etr_file_clear(&file);
  return good && out->line_count > 0;
}

/* Returns true if two lines are equal without the blanks around them, because recorded code is
 * stripped. */
static bool is_code(const char *line, const char *code) {
  line += strspn(line, " ");
  size_t size = strlen(line), code_size = strlen(code);
  while (size > 0 && line[size - 1] == ' ')
    size--;
  return size == code_size && memcmp(line, code, size) == 0;
}

static bool has_recorded_code(const etr_source_file *file, etr_arena *arena,
                              const etr_source *const *lines, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    if (lines[i]->code[0] == '\0')
      continue;
    if (lines[i]->line < 1 || (uint64_t)lines[i]->line > file->line_count)
      return false;
    const char *code = line_text(arena, lines[i]->code, strlen(lines[i]->code));
    if (!code || !is_code(file->lines[lines[i]->line - 1], code))
      return false;
    any = true;
  }
  return any;
}

etr_source_state etr_source_file_read(etr_source_file *out, etr_arena *arena, const char *path,
                                      const char *root, const etr_source *const *lines,
                                      size_t count) {
  etr_source_state state = ETR_SOURCE_ABSENT;
  if (!root) {
    if (!read_lines(out, arena, path))
      return ETR_SOURCE_ABSENT;
    return has_recorded_code(out, arena, lines, count) ? ETR_SOURCE_FOUND : ETR_SOURCE_DIFFERENT;
  }
  if (has_parent_folder(path))
    return ETR_SOURCE_ABSENT;
  const char *rest = path + strspn(path, "/");
  for (int i = 0; i < MAX_FOLDERS && rest[0]; i++) {
    const char *moved = etr_arena_format(arena, "%s/%s", root, rest), *slash = strchr(rest, '/');
    if (moved && read_lines(out, arena, moved)) {
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
