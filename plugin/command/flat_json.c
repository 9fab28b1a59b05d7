/* SPDX-License-Identifier: BSD-3-Clause
 *
 * flat_json.c - reads and writes objects on one line. It goes through an object once for each key,
 * because lines are short. Values that are objects or arrays are skipped.
 */
#include "command/flat_json.h"

#include "command/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

static const char *skip_blanks(const char *at) {
  return at + strspn(at, " \t\r");
}

/* Returns the position after a string that begins at `at`, or NULL if the string does not end on
 * this line. */
static const char *skip_string(const char *at) {
  for (at++; *at != '"'; at++) {
    if (*at == '\\' && at[1] != '\0')
      at++;
    if (*at == '\0' || *at == '\n')
      return NULL;
  }
  return at + 1;
}

/* Returns the position after a value, or NULL if the value does not end on this line. */
static const char *skip_value(const char *at) {
  size_t depth = 0;
  if (*at == '\0' || strchr(",}]", *at) != NULL)
    return NULL;
  for (; *at != '\0' && *at != '\n'; at++) {
    if (*at == '"') {
      at = skip_string(at);
      if (at == NULL)
        return NULL;
      at--;
    } else if (strchr("{[", *at) != NULL) {
      if (++depth > DEEPEST)
        return NULL;
    } else if (strchr("}]", *at) != NULL) {
      if (depth == 0)
        return at;
      depth--;
    } else if (*at == ',' && depth == 0) {
      return at;
    }
  }
  return NULL;
}

/* Returns the position after the next member, or after the object. Returns NULL if the line is not
 * an object. */
static const char *next_member(const char *at, const char **key, const char **value) {
  at = skip_blanks(at);
  *key = at;
  if (*at == '}')
    return at;
  if (*at != '"')
    return NULL;
  at = skip_string(at);
  if (at == NULL)
    return NULL;
  at = skip_blanks(at);
  if (*at != ':')
    return NULL;
  *value = skip_blanks(at + 1);
  at = skip_value(*value);
  if (at == NULL || strchr(",}", *at) == NULL)
    return NULL;
  if (*at == '}')
    return at;
  return *skip_blanks(at + 1) != '}' ? at + 1 : NULL;
}

/* Returns the value of a key, or NULL if there is none. Sets *whole to whether the line is a whole
 * object, also if the key is NULL, which matches no member. */
static const char *find_member(const char *line, const char *wanted, bool *whole) {
  const char *at = skip_blanks(line), *key, *value = NULL, *found = NULL;
  *whole = false;
  if (*at != '{')
    return NULL;
  for (at++; at != NULL && !*whole;) {
    at = next_member(at, &key, &value);
    if (at == NULL)
      return NULL;
    *whole = *at == '}' && (at == key || value != NULL);
    size_t size = wanted != NULL ? strlen(wanted) : 0;
    if (at != key && wanted != NULL && strncmp(key + 1, wanted, size) == 0 && key[1 + size] == '"')
      found = value;
  }
  return found;
}

bool flat_json_is_object(const char *line) {
  bool whole;
  (void)find_member(line, NULL, &whole);
  return whole;
}

bool flat_json_has(const char *line, const char *key) {
  bool whole;
  return find_member(line, key, &whole) != NULL && whole;
}

bool flat_json_number(const char *line, const char *key, double *out) {
  bool whole;
  const char *value = find_member(line, key, &whole);
  if (!whole || value == NULL || strchr("-0123456789", *value) == NULL)
    return false;
  char *end;
  *out = strtod(value, &end); /* the locale is never set */
  return isfinite(*out) && end == value + strspn(value, "+-.0123456789eE") &&
         strchr(" \t\r,}", *end) != NULL;
}

/* Copies a string that begins at `at` and ends on the line. */
static bool copy_string(const char *at, char *room, size_t size) {
  size_t used = 0;
  for (at++; *at != '"'; at++) {
    if (*at == '\\')
      at++;
    if (used + 1 >= size)
      return false;
    room[used++] = *at;
  }
  room[used] = '\0';
  return true;
}

bool flat_json_text(const char *line, const char *key, char *room, size_t size) {
  bool whole;
  const char *at = find_member(line, key, &whole);
  return whole && at != NULL && *at == '"' && copy_string(at, room, size);
}

/* ---- Writing ---- */

static bool put_escaped(void *context, const void *data, size_t size) {
  FILE *out = context;
  for (const char *at = data; at < (const char *)data + size; at++) {
    if (*at == '"' || *at == '\\')
      fputc('\\', out);
    fputc(*at, out);
  }
  return true;
}

/* Writes a text as a JSON string: characters that could steer a terminal, and bytes that are not
 * UTF-8, become '?'. */
static void put_text(FILE *out, const char *text) {
  fputc('"', out);
  (void)etr_write_plain(&(etr_sink){put_escaped, out}, text);
  fputc('"', out);
}

void flat_json_begin(flat_json *object, FILE *out) {
  *object = (flat_json){.out = out};
  fputc('{', out);
}

static void add_key(flat_json *object, const char *key) {
  fputs(object->has_members ? ", " : "", object->out);
  object->has_members = true;
  put_text(object->out, key);
  fputs(": ", object->out);
}

void flat_json_add_text(flat_json *object, const char *key, const char *text) {
  add_key(object, key);
  put_text(object->out, text);
}

void flat_json_end(flat_json *object) {
  fputc('}', object->out);
}
