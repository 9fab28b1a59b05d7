/* SPDX-License-Identifier: BSD-3-Clause
 *
 * help.c - prints the tables of commands and options for a terminal.
 */
#include "command/option_table.h"

#include <string.h>

enum { WIDTH = 80 };

const char *help_introduction(void) {
  return "Shows what each line of a PyTorch model costs on a device. Reads ExecuTorch's ETRecord "
         "and ETDump, joins "
         "run times to graph nodes, and writes TensorBoard event files and Graphviz DOT, or "
         "answers in the terminal. "
         "RECORD is an ETRecord file, or a directory that also holds its ETDumps and .pte; or give "
         "these files one "
         "after the other. A .pte alone is enough. The default command is `write`.";
}

/* Returns the length of the first word of a text. A word such as "op|module|..." that is longer
 * than `max_size` is cut after the last '|' that fits. */
static size_t word_size(const char *text, size_t max_size) {
  size_t size = strcspn(text, " \n"), fitting_size = 0;
  for (size_t i = 0; i < size && i < max_size; i++)
    if (text[i] == '|')
      fitting_size = i + 1;
  return size > max_size && fitting_size ? fitting_size : size;
}

/* Prints a paragraph that starts at `column`, wrapped at blanks; lines after the first are
 * indented. Returns the text that follows the paragraph. */
static const char *print_paragraph(FILE *out, const char *text, size_t column, size_t indent) {
  for (bool is_first = true; *text && *text != '\n'; is_first = false) {
    size_t size = word_size(text, WIDTH - indent);
    if (!is_first && column + 1 + size > WIDTH) {
      fprintf(out, "\n%*s", (int)indent, "");
      column = indent;
    } else if (!is_first) {
      fputc(' ', out);
      column++;
    }
    fwrite(text, 1, size, out);
    column += size;
    text += size;
    if (*text == ' ')
      text++;
  }
  fputc('\n', out);
  return text;
}

/* Prints a text whose paragraphs end at line breaks, with an empty line between them. */
static void print_paragraphs(FILE *out, const char *text) {
  text = print_paragraph(out, text, 0, 0);
  while (*text == '\n') {
    fputc('\n', out);
    text = print_paragraph(out, text + 1, 0, 0);
  }
}

/* Prints a name and, in a second column that begins after `width` characters, its text; on a new
 * line if the name is longer. */
static void print_item(FILE *out, const char *name, size_t width, const char *text) {
  fprintf(out, "  %-*s", (int)width, name);
  if (strlen(name) + 2 > width)
    fprintf(out, "\n  %*s", (int)width, "");
  print_paragraph(out, text, width + 2, width + 2);
}

/* Prints the first `max_count` examples of a command under a heading, if it has any. */
static void print_examples(FILE *out, const cli_command *command, size_t max_count) {
  if (command->examples[0].line)
    fputs("\nexamples:\n", out);
  for (const cli_example *example = command->examples; example->line && max_count > 0;
       example++, max_count--) {
    fprintf(out, "  etrecord-tb %s\n      ", example->line);
    print_paragraph(out, example->what, 6, 6);
  }
}

/* A group of options under a heading of its own. An option that no group names belongs to what its
 * command is for. */
typedef struct option_group {
  const char *heading;
  const char *names; /* between blanks; a name that ends in '-' stands for all that begin so */
} option_group;

static const option_group groups[] = {
    {"options", NULL},
    {"input",
     " etrecord etdump pte debug-buffer reference reference-record inputs each each-from problems "
     "source-root "},
    {"what counts", " map runs skip-runs stat force "},
    {"selection", " method graph module op backend entry input "},
    {"output", " output logdir name format columns color width unit top sort findings tag hparam "},
    {"clock and peaks", " ticks-per-second source-unit peak- device devices "},
    {"limits", " max- "},
    {NULL, NULL},
};

/* Options that matter most: -h prints the first ten that a command has. */
static const char *const matter_most[] = {
    "record", "against",        "repeat",  "fail-above", "output", "logdir", "format",    "by",
    "to",     "fold",           "focus",   "reference",  "local",  "for",    "no-source", "etdump",
    "pte",    "rename-modules", "bundled", "method",     "module", "op",     "top",       "sort",
    "unit",   "name",           "runs",    "skip-runs",  NULL};
enum { MOST_SHORT = 10, MOST_WORDS = 72 /* characters */ };

/* Returns true if a name is in a list of names separated by blanks, in which a name that ends in
 * '-' stands for all that begin with it. */
static bool is_in_names(const char *names, const char *name) {
  size_t size = strlen(name);
  for (const char *listed = names; *listed; listed += strcspn(listed, " ")) {
    listed += strspn(listed, " ");
    size_t length = strcspn(listed, " ");
    bool is_prefix = length > 0 && listed[length - 1] == '-' && strncmp(listed, name, length) == 0;
    if (is_prefix || (length == size && strncmp(listed, name, size) == 0))
      return true;
  }
  return false;
}

/* Returns the group of options whose list has this option. The first group has no list: it takes
 * those that no other group has. */
static const option_group *group_of(const option_spec *spec) {
  const option_group *group = &groups[1];
  while (group->heading && !is_in_names(group->names, spec->name))
    group++;
  return group->heading ? group : &groups[0];
}

/* Prints an option with its help. A brief one has its help up to the end of the first sentence or
 * to a parenthesis, and its words only if they are few. */
static void print_option(FILE *out, const option_spec *spec, bool is_brief) {
  char left_text[64], right_text[512];
  size_t size = strlen(spec->help);
  for (size_t i = 0; is_brief && i < size; i++)
    if (strchr(";.(", spec->help[i]) &&
        (i + 1 == size || spec->help[i] == '(' || spec->help[i + 1] == ' '))
      size = i;
  while (size > 0 && spec->help[size - 1] == ' ')
    size--;
  bool has_words = spec->words && (!is_brief || strlen(spec->words) <= MOST_WORDS);
  const char short_name[] = {'-', spec->letter, ',', ' ', '\0'};
  const char *argument = spec->argument ? spec->argument : "";
  snprintf(left_text, sizeof left_text, "%s--%s%s%s", spec->letter ? short_name : "    ",
           spec->name, argument[0] ? " " : "", argument);
  snprintf(right_text, sizeof right_text, "%.*s%s%s", (int)size, spec->help, has_words ? ": " : "",
           has_words ? spec->words : "");
  print_item(out, left_text, 26, right_text);
}

/* Prints all options of a command, with their whole help (false: not briefly), under the headings
 * of their groups. Groups without any are left out. Options without a list of commands belong to
 * all commands. */
static void print_options(FILE *out, const cli_command *command) {
  option_spec spec;
  for (const option_group *group = groups; group->heading; group++) {
    bool is_empty = true;
    for (size_t i = 0; option_table_shown(&spec, i); i++) {
      if (!option_table_has(&spec, command) && spec.commands)
        continue;
      if (group_of(&spec) != group)
        continue;
      if (is_empty)
        fprintf(out, "\n%s:\n", group->heading);
      is_empty = false;
      print_option(out, &spec, false);
    }
  }
}

/* Prints the options of a command that users need most often, briefly (true): the first MOST_SHORT
 * of `matter_most` that the command has. */
static void print_short_options(FILE *out, const cli_command *command) {
  option_spec spec;
  size_t count = 0;
  fputs("\noptions:\n", out);
  for (const char *const *name = matter_most; *name && count < MOST_SHORT; name++)
    for (size_t i = 0; option_table_shown(&spec, i); i++) {
      if (strcmp(spec.name, *name) != 0 || !option_table_has(&spec, command))
        continue;
      print_option(out, &spec, true);
      count++;
    }
}

/* Prints the exit statuses that a command can have, with their meanings. */
static void print_exit_statuses(FILE *out, const cli_command *command) {
  char room[EXIT_MEANING_ROOM], status[16];
  fputs("\nexit status:\n", out);
  for (const exit_spec *e = exit_statuses; e->meaning; e++) {
    if (!option_table_exits(e, command))
      continue;
    snprintf(status, sizeof status, "%d", e->status);
    print_item(out, status, 3, option_table_exit_meaning(e, command, room));
  }
}

typedef struct columns {
  char *text; /* HELP_ROOM */
  size_t size;
} columns;

/* Adds bytes of CSV's first line to a text for people, as a sink's function: "graph,runs_as\r\n"
 * becomes "graph, runs_as". Returns true. */
static bool append_columns(void *context, const void *data, size_t size) {
  columns *c = context;
  for (const char *at = data;
       at < (const char *)data + size && c->size + 2 < HELP_ROOM && *at != '\r'; at++) {
    c->text[c->size++] = *at;
    if (*at == ',')
      c->text[c->size++] = ' ';
  }
  return true;
}

const char *help_text(const cli_command *command, char room[HELP_ROOM]) {
  columns c = {room, 0};
  const option_spec *spec = option_specs;
  while (strcmp(spec->name, "columns") != 0)
    spec++;
  if (!option_table_has(spec, command) || !command->table)
    return command->help;
  c.size = (size_t)snprintf(room, HELP_ROOM, "%s\nColumns: ", command->help);
  const etr_table_options csv = {.format = ETR_TABLE_CSV, .by = ETR_SUM_BY_OP};
  /* Without rows, the answer is the line of titles. */
  (void)command->table(&(etr_profile){0}, NULL, &csv, &(etr_sink){append_columns, &c}, NULL);
  c.text[c.size++] = '.';
  c.text[c.size] = '\0';
  return room;
}

/* Prints the line that says how a command is called. A command that runs a program has its options
 * first, since everything after "--" belongs to the program. */
static void print_usage(FILE *out, const cli_command *command) {
  fprintf(out,
          command->runs_program ? "usage: etrecord-tb %s [options] %s\n\n"
                                : "usage: etrecord-tb %s %s [options]\n\n",
          command->name, command->arguments);
}

/* Prints what a command does, with two examples and the options that matter most; or for NULL what
 * the program does, with its commands. Each fits on a screen. */
static void print_short_help(FILE *out, const cli_command *command) {
  if (command) {
    print_usage(out, command);
    print_paragraph(out, command->summary, 0, 0);
    print_examples(out, command, 2);
    print_short_options(out, command);
    fprintf(out, "\n`etrecord-tb help %s` has all options, and says what they mean.\n",
            command->name);
    return;
  }
  fputs("usage: etrecord-tb [COMMAND] RECORD... [options]\n\n"
        "Shows what each line of a PyTorch model costs on a device.\n\ncommands:\n",
        out);
  for (const cli_command *c = commands; c->name; c++)
    print_item(out, c->name, 12, c->summary);
  print_examples(out, &commands[0], 2);
  fputs("\n`etrecord-tb help` says more, `etrecord-tb COMMAND -h` what a command takes.\n", out);
}

/* Prints all that there is to say about a command, or for NULL about the program. */
static void print_help(FILE *out, const cli_command *command) {
  char room[HELP_ROOM];
  if (!command) {
    fputs("usage: etrecord-tb [COMMAND] RECORD... [options]\n\n", out);
    print_paragraphs(out, help_introduction());
    fputs("\ncommands:\n", out);
    for (const cli_command *c = commands; c->name; c++)
      print_item(out, c->name, 12, c->summary);
    print_examples(out, &commands[0], SIZE_MAX);
    print_exit_statuses(out, NULL);
    fputs("\nRun `etrecord-tb help COMMAND` for options and examples of a command.\n", out);
    return;
  }
  print_usage(out, command);
  print_paragraphs(out, help_text(command, room));
  print_examples(out, command, SIZE_MAX);
  print_options(out, command);
  print_exit_statuses(out, command);
}

exit_status command_help(const cli_settings *settings) {
  bool is_in_names = !settings->help && settings->record;
  const cli_command *asked = settings->help ? settings->command : NULL;
  if (is_in_names)
    asked = option_table_command(settings->record);
  if (is_in_names && !asked)
    return option_table_refuse_command(settings->record);
  (settings->help && settings->is_help_short ? print_short_help : print_help)(stdout, asked);
  return message_written(ETR_OK, NULL);
}
