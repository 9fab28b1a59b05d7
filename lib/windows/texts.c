/* SPDX-License-Identifier: BSD-3-Clause
 *
 * texts.c - texts in memory, and what the system's errors are called.
 */
#include "windows/handle.h"

#undef fclose

/* Returns the first place in `text` at which the wanted bytes are, as GNU's function does; NULL if
 * there is none. */
void *memmem(const void *text, size_t size, const void *wanted, size_t wanted_size) {
  const char *at = text, *end = at + size, *first = wanted;
  if (wanted_size == 0)
    return (void *)(uintptr_t)text;
  while ((size_t)(end - at) >= wanted_size) {
    at = memchr(at, *first, (size_t)(end - at) - wanted_size + 1);
    if (at == NULL)
      return NULL;
    if (memcmp(at, wanted, wanted_size) == 0)
      return (void *)(uintptr_t)at;
    at++;
  }
  return NULL;
}

int strerror_r(int reason, char *room, size_t size) {
  return strerror_s(room, size, reason);
}

/* ---- A stream into memory: a temporary file until it is closed ---- */

static struct {
  FILE *stream; /* NULL: none */
  char **text;
  size_t *size;
} memory;

/* Opens a stream whose content becomes a text when it is closed, as POSIX's function does. Only one
 * can be open at a time: a second one fails with EMFILE. */
FILE *open_memstream(char **text, size_t *size) {
  errno = EMFILE;
  if (memory.stream != NULL)
    return NULL;
  memory.stream = tmpfile();
  memory.text = text;
  memory.size = size;
  *text = NULL;
  return memory.stream;
}

/* Copies the content of a memory stream, which is a temporary file, to the caller's text and size.
 * Returns false if that fails. */
static bool copy_to_text(FILE *stream) {
  long size = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
  char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
  rewind(stream);
  if (text == NULL || fread(text, 1, (size_t)size, stream) != (size_t)size) {
    free(text);
    return false;
  }
  text[size] = '\0';
  *memory.text = text;
  *memory.size = (size_t)size;
  return true;
}

/* Closes a stream. If it is that of open_memstream(), the caller of that gets its content as text.
 * Returns 0; EOF on failure. */
int etr_win_fclose(FILE *stream) {
  bool is_memory = stream == memory.stream,
       is_good = !is_memory || (!ferror(stream) && copy_to_text(stream));
  if (is_memory)
    memory.stream = NULL;
  return fclose(stream) == 0 && is_good ? 0 : EOF;
}

/* Makes a line that has `size` characters long enough for one more and its end; *room is how many
 * it can have. Returns false when out of memory. */
static bool make_room(char **line, size_t *room, size_t size) {
  enum { FIRST_ROOM = 128 };
  if (*line != NULL && size + 1 < *room)
    return true;
  size_t wanted = *line != NULL && *room > 0 ? *room * 2 : FIRST_ROOM;
  char *longer = realloc(*line, wanted);
  if (longer == NULL)
    return false;
  *line = longer;
  *room = wanted;
  return true;
}

/* Reads a line as POSIX's function does. Returns its size, or -1 at the end and when out of
 * memory. */
ssize_t getline(char **line, size_t *room, FILE *stream) {
  size_t size = 0;
  for (int c = 0; c != '\n' && (c = fgetc(stream)) != EOF;) {
    if (!make_room(line, room, size)) {
      errno = ENOMEM;
      return -1;
    }
    (*line)[size++] = (char)c;
  }
  if (size == 0)
    return -1;
  (*line)[size] = '\0';
  return (ssize_t)size;
}
