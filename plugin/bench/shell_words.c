/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shell_words.c - reads a line from left to right, and writes the words one behind the other.
 */
#include "bench/shell_words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct splitting {
  const char *at; /* what is read next */
  char *to;       /* where the next character of a word goes */
  const char *problem;
} splitting;

static bool is_blank(char character) { return character == ' ' || character == '\t' || character == '\n'; }

static void take_single_quoted(splitting *s) {
  for (s->at++; *s->at != '\'' && *s->at != '\0';) *s->to++ = *s->at++;
  if (*s->at == '\0') s->problem = "a quote is not closed";
  if (*s->at != '\0') s->at++;
}

/* A backslash with a line break behind it stands for nothing. */
static void take_escaped(splitting *s) {
  s->at++;
  if (*s->at == '\0') s->problem = "it ends with a backslash";
  if (*s->at != '\0' && *s->at != '\n') *s->to++ = *s->at;
  if (*s->at != '\0') s->at++;
}

static void take_double_quoted(splitting *s) {
  for (s->at++; *s->at != '"' && *s->at != '\0';) {
    if (*s->at == '\\' && s->at[1] != '\0' && strchr("$`\"\\\n", s->at[1]) != NULL)
      take_escaped(s);
    else
      *s->to++ = *s->at++;
  }
  if (*s->at == '\0') s->problem = "a quote is not closed";
  if (*s->at != '\0') s->at++;
}

static void take_word(splitting *s) {
  while (*s->at != '\0' && !is_blank(*s->at) && s->problem == NULL) {
    if (*s->at == '\'')
      take_single_quoted(s);
    else if (*s->at == '"')
      take_double_quoted(s);
    else if (*s->at == '\\')
      take_escaped(s);
    else
      *s->to++ = *s->at++;
  }
  *s->to++ = '\0';
}

/* A line break that is escaped separates nothing and begins no word. */
static void skip_blanks(splitting *s) {
  while (is_blank(*s->at) || (s->at[0] == '\\' && s->at[1] == '\n')) s->at += *s->at == '\\' ? 2 : 1;
}

const char **shell_words_split(const char *line, const char **problem) {
  size_t size = strlen(line), most = size / 2 + 2, count = 0; /* words need a blank between them; and the last NULL */
  const char **words = malloc(most * sizeof *words + size + 1);
  splitting s = {.at = line, .to = (char *)(words + most)};
  *problem = words == NULL ? "out of memory" : NULL;
  if (words == NULL) return NULL;
  for (skip_blanks(&s); *s.at != '\0' && s.problem == NULL; skip_blanks(&s)) {
    words[count++] = s.to;
    take_word(&s);
  }
  words[count] = NULL;
  *problem = s.problem;
  if (s.problem == NULL) return words;
  free(words);
  return NULL;
}
