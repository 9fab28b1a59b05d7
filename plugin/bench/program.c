/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.c - reads a runner's arguments as ExecuTorch's runners do (gflags: one dash or two, "="
 * or a blank), and splits command lines.
 */
#include "bench/program.h"

#include "base/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of an option, ended by NULL. */
static const char *const dump_options[] = {"etdump_path", "etdump-path", "etdump", NULL};
static const char *const model_options[] = {"model_path", "model-path", NULL};

/* Returns how many of the first arguments are one of the options with its value: 1 for
 * "--name=value", 2 for "--name value", 0 if the first is none of them. Sets *value if it is one.
 */
static size_t match_option(const char *const *arguments, const char *const *names,
                           const char **value) {
  const char *text = arguments[0];
  if (text[0] != '-')
    return 0;
  text += strspn(text, "-");
  for (; *names != NULL; names++) {
    size_t size = strlen(*names);
    if (strncmp(text, *names, size) != 0)
      continue;
    if (text[size] == '=') {
      *value = text + size + 1;
      return 1;
    }
    if (text[size] == '\0' && arguments[1] != NULL) {
      *value = arguments[1];
      return 2;
    }
  }
  return 0;
}

/* Returns the value of the first argument that is one of the options; NULL if there is none. */
static const char *find_option(const char *const *arguments, const char *const *names) {
  const char *value = NULL;
  for (; *arguments != NULL; arguments++)
    if (match_option(arguments, names, &value) > 0)
      return value;
  return NULL;
}

const char *program_model_path(const char *const *arguments) {
  return find_option(arguments, model_options);
}
const char *program_dump_path(const char *const *arguments) {
  return find_option(arguments, dump_options);
}

bool program_has_same_model(const char *const *arguments, const char *const *others) {
  const char *path = program_model_path(arguments);
  const char *path_of_other = program_model_path(others);
  if (path == NULL || path_of_other == NULL || strcmp(path, path_of_other) == 0)
    return true;
  FILE *file = fopen(path, "rb"), *other = fopen(path_of_other, "rb");
  char piece[65536], piece_of_other[sizeof piece];
  bool is_same = file != NULL && other != NULL;
  for (size_t got = sizeof piece; is_same && got == sizeof piece;) {
    got = fread(piece, 1, sizeof piece, file);
    is_same = fread(piece_of_other, 1, sizeof piece, other) == got &&
              memcmp(piece, piece_of_other, got) == 0;
  }
  is_same = is_same && ferror(file) == 0 && ferror(other) == 0;
  if (file != NULL)
    (void)fclose(file);
  if (other != NULL)
    (void)fclose(other);
  return is_same;
}

const char **program_without_dump(const char *const *arguments) {
  size_t count = 0, used = 0;
  const char *value;
  while (arguments[count] != NULL)
    count++;
  const char **out = program_dump_path(arguments) != NULL ? calloc(count + 1, sizeof *out) : NULL;
  for (size_t i = 0; out != NULL && i < count;) {
    size_t taken = match_option(arguments + i, dump_options, &value);
    if (taken == 0)
      out[used++] = arguments[i];
    i += taken > 0 ? taken : 1;
  }
  return out;
}

bool program_is_adb(const char *const *arguments) {
  const char *name = etr_last_part(arguments[0]);
  return strcmp(name, "adb") == 0 || strcmp(name, "adb.exe") == 0;
}

void program_adb(const char *out[MOST_ADB_ARGUMENTS + 1], const char *const *arguments,
                 const char *const *more) {
  size_t used = 0, shell = 0;
  while (arguments[shell] != NULL && strcmp(arguments[shell], "shell") != 0)
    shell++;
  if (arguments[shell] == NULL)
    shell = 1;
  for (size_t i = 0; i < shell && used < MOST_ADB_ARGUMENTS; i++)
    out[used++] = arguments[i];
  for (; *more != NULL && used < MOST_ADB_ARGUMENTS; more++)
    out[used++] = *more;
  out[used] = NULL;
}

/* ---- Words: a line is read from left to right, and its words are written one after the other ----
 */

typedef struct splitting {
  const char *at; /* next character to read */
  char *to;       /* position of the next character to write */
  const char *problem;
} splitting;

static bool is_blank(char character) {
  return character == ' ' || character == '\t' || character == '\n';
}

/* Passes over the backslash at s->at and copies the character after it. A backslash before a line
 * break is dropped together with it, as in a shell. One at the end of the line sets s->problem. */
static void copy_escaped(splitting *s) {
  s->at++;
  if (*s->at == '\0')
    s->problem = "it ends with a backslash";
  if (*s->at != '\0' && *s->at != '\n')
    *s->to++ = *s->at;
  if (*s->at != '\0')
    s->at++;
}

/* Copies the word at s->at, which ends at a blank, to s->to without its quotes and backslashes, by
 * the rules of a shell: in '...' all is literal, in "..." a backslash escapes only $ ` " \ and a
 * line break. Sets s->problem if a quote is not closed or a backslash ends the line. */
static void copy_word(splitting *s) {
  while (*s->at != '\0' && !is_blank(*s->at) && s->problem == NULL) {
    char quote = *s->at;
    if (quote == '\\') {
      copy_escaped(s);
    } else if (quote == '\'' || quote == '"') {
      for (s->at++; *s->at != quote && *s->at != '\0';) {
        if (quote == '"' && *s->at == '\\' && s->at[1] != '\0' &&
            strchr("$`\"\\\n", s->at[1]) != NULL)
          copy_escaped(s);
        else
          *s->to++ = *s->at++;
      }
      if (*s->at == '\0')
        s->problem = "a quote is not closed";
      else
        s->at++;
    } else {
      *s->to++ = *s->at++;
    }
  }
  *s->to++ = '\0';
}

/* Skips blanks between words. An escaped line break neither separates words nor begins one. */
static void skip_blanks(splitting *s) {
  while (is_blank(*s->at) || (s->at[0] == '\\' && s->at[1] == '\n'))
    s->at += *s->at == '\\' ? 2 : 1;
}

const char **program_words(const char *line, const char **problem) {
  size_t size = strlen(line), count = 0;
  size_t most = size / 2 + 2; /* words have a blank between them; one more is for NULL */
  const char **words = malloc(most * sizeof *words + size + 1);
  splitting s = {.at = line, .to = (char *)(words + most)};
  *problem = words == NULL ? "out of memory" : NULL;
  if (words == NULL)
    return NULL;
  for (skip_blanks(&s); *s.at != '\0' && s.problem == NULL; skip_blanks(&s)) {
    words[count++] = s.to;
    copy_word(&s);
  }
  words[count] = NULL;
  *problem = s.problem;
  if (s.problem == NULL)
    return words;
  free(words);
  return NULL;
}
