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

/* ---- Mistyped words ---- */

const char *option_table_nearest(const char *name) {
  const char *best = NULL;
  for (const cli_command *c = commands; c->name; c++) best = etr_nearer_word(name, strlen(name), best, c->name);
  return best;
}

const char *option_table_nearest_option(const cli_command *command, const char *name, size_t size) {
  const char *best = NULL;
  for (const option_spec *spec = options; spec->name; spec++)
    if (option_table_has(spec, command)) best = etr_nearer_word(name, size, best, spec->name);
  return best;
}

exit_status option_table_no_command(const char *name) {
  const char *near = option_table_nearest(name);
  if (near) return message_usage(NULL, "unknown command \"%s\"; did you mean %s?", name, near);
  return message_usage(NULL, "unknown command \"%s\"", name);
}
