/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lookup.c - finding commands and options in the tables, mistyped ones too.
 */
#include "command/option_table.h"

#include <stdio.h>
#include <string.h>

bool option_table_has(const option_spec *spec, const cli_command *command) {
  return spec->commands && command ? (spec->commands & command->bit) != 0 : !spec->commands;
}

bool option_table_exits(const exit_spec *spec, const cli_command *command) {
  return !command || !spec->commands || (spec->commands & command->bit) != 0;
}

const char *option_table_exit_meaning(const exit_spec *spec, const cli_command *command, char room[EXIT_MEANING_ROOM]) {
  size_t used = 0;
  if (command || !spec->commands) return spec->meaning;
  for (const cli_command *c = commands; c->name && used < EXIT_MEANING_ROOM; c++)
    if (spec->commands & c->bit)
      used += (size_t)snprintf(room + used, EXIT_MEANING_ROOM - used, "%s%s", used ? ", " : "", c->name);
  if (used < EXIT_MEANING_ROOM) (void)snprintf(room + used, EXIT_MEANING_ROOM - used, ": %s", spec->meaning);
  return room;
}

const cli_command *option_table_command(const char *name) {
  for (const cli_command *c = commands; c->name; c++)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

static size_t count_words(const char *text, bool needed_only) {
  size_t count = 0;
  for (; *text; text += strspn(text, " ")) {
    if (!needed_only || text[0] != '[') count++;
    text += strcspn(text, " ");
  }
  return count;
}

size_t option_table_needed(const cli_command *command) { return count_words(command->arguments, true); }

size_t option_table_allowed(const cli_command *command) {
  return strstr(command->arguments, "...") ? SIZE_MAX : count_words(command->arguments, false);
}

/* ---- The nearest word, by edit distance: letters left out, inserted, changed, or swapped with a neighbour ---- */

enum { LONGEST = 32 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Of the table of distances between beginnings only three rows are kept: swapping looks back two. */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size) {
  size_t rows[3][LONGEST + 1];
  for (size_t j = 0; j <= b_size; j++) rows[0][j] = j;
  for (size_t i = 1; i <= a_size; i++) {
    size_t *row = rows[i % 3], *before = rows[(i - 1) % 3], *two_before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_size; j++) {
      row[j] = smaller(smaller(before[j], row[j - 1]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = smaller(row[j], two_before[j - 2] + 1);
    }
  }
  return rows[a_size % 3][b_size];
}

/* The largest distance that is near. A short word has many neighbours at distance 2. */
static size_t limit(size_t size) {
  if (size < 4) return 1;
  return size < 9 ? 2 : 3;
}

typedef struct search {
  const char *text;
  size_t size;
  const char *best; /* NULL: none is near */
  size_t distance;  /* of best */
} search;

/* A word that begins with the text is at distance 0. */
static void try_word(search *s, const char *word) {
  size_t size = strlen(word);
  if (s->size == 0 || s->size > LONGEST || size > LONGEST) return;
  bool begins = s->size >= 3 && strncmp(word, s->text, s->size) == 0;
  size_t found = begins ? 0 : distance(s->text, s->size, word, size);
  if (found > limit(s->size) || (s->best && found >= s->distance)) return;
  s->best = word;
  s->distance = found;
}

const char *option_table_nearest(const char *name) {
  search s = {.text = name, .size = strlen(name)};
  for (const cli_command *c = commands; c->name; c++) try_word(&s, c->name);
  return s.best;
}

const char *option_table_nearest_option(const cli_command *command, const char *name, size_t size) {
  search s = {.text = name, .size = size};
  for (const option_spec *spec = options; spec->name; spec++)
    if (option_table_has(spec, command)) try_word(&s, spec->name);
  return s.best;
}

exit_status option_table_no_command(const char *name) {
  const char *near = option_table_nearest(name);
  if (near) return message_usage(NULL, "unknown command \"%s\"; did you mean %s?", name, near);
  return message_usage(NULL, "unknown command \"%s\"", name);
}
