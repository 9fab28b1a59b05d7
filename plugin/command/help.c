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

/* Returns the length of the first word of a text; of "op|module|..." that is longer than a line, of
 * what fits. */
static size_t word_size(const char *text, size_t line) {
  size_t size = strcspn(text, " \n"), fits = 0;
  for (size_t i = 0; i < size && i < line; i++)
    if (text[i] == '|')
      fits = i + 1;
  return size > line && fits ? fits : size;
}

/* Prints a paragraph that starts at `column`, wrapped at blanks; lines after the first are
 * indented. Returns the text that follows the paragraph. */
static const char *print_paragraph(FILE *out, const char *text, size_t column, size_t indent) {
  for (bool first = true; *text && *text != '\n'; first = false) {
    size_t size = word_size(text, WIDTH - indent);
    if (!first && column + 1 + size > WIDTH) {
      fprintf(out, "\n%*s", (int)indent, "");
      column = indent;
    } else if (!first) {
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

static void print_paragraphs(FILE *out, const char *text) {
  text = print_paragraph(out, text, 0, 0);
  while (*text == '\n') {
    fputc('\n', out);
    text = print_paragraph(out, text + 1, 0, 0);
  }
}

/* Prints a name and, in a second column, its text. */
static void print_item(FILE *out, const char *name, size_t width, const char *text) {
  fprintf(out, "  %-*s", (int)width, name);
  if (strlen(name) + 2 > width)
    fprintf(out, "\n  %*s", (int)width, "");
  print_paragraph(out, text, width + 2, width + 2);
}

static void print_examples(FILE *out, const cli_command *command) {
  if (command->examples[0].line)
    fputs("\nexamples:\n", out);
  for (const cli_example *e = command->examples; e->line; e++) {
    fprintf(out, "  etrecord-tb %s\n      ", e->line);
    print_paragraph(out, e->what, 6, 6);
  }
}

static void print_options(FILE *out, const cli_command *command) {
  option_spec shown, *const spec = &shown;
  fputs("\noptions:\n", out);
  for (size_t i = 0; option_table_shown(&shown, i); i++) {
    char left[64], right[512];
    if (!option_table_has(spec, command))
      continue;
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", spec->letter ? '-' : ' ',
             spec->letter ? spec->letter : ' ', spec->letter ? ", " : "  ", spec->name,
             spec->argument ? " " : "", spec->argument ? spec->argument : "");
    snprintf(right, sizeof right, "%s%s%s", spec->help, spec->words ? ": " : "",
             spec->words ? spec->words : "");
    print_item(out, left, 26, right);
  }
}

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

/* Takes a line of CSV as a sink's function, and writes it for people: "graph,runs_as\r\n" becomes
 * "graph, runs_as". */
static bool add_columns(void *context, const void *data, size_t size) {
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
  (void)command->table(&(etr_profile){0}, NULL, &csv, &(etr_sink){add_columns, &c},
                       NULL); /* the line of titles */
  c.text[c.size++] = '.';
  c.text[c.size] = '\0';
  return room;
}

static void print_help(FILE *out, const cli_command *command) {
  char room[HELP_ROOM];
  if (!command) {
    fputs("usage: etrecord-tb [COMMAND] RECORD... [options]\n\n", out);
    print_paragraphs(out, help_introduction());
    fputs("\ncommands:\n", out);
    for (const cli_command *c = commands; c->name; c++)
      print_item(out, c->name, 12, c->summary);
    print_examples(out, &commands[0]);
    print_exit_statuses(out, NULL);
    fputs("\nRun `etrecord-tb help COMMAND` for options and examples of a command.\n", out);
    return;
  }
  fprintf(out,
          command->runs_program ? "usage: etrecord-tb %s [options] %s\n\n"
                                : "usage: etrecord-tb %s %s [options]\n\n",
          command->name, command->arguments);
  print_paragraphs(out, help_text(command, room));
  print_examples(out, command);
  print_options(out, command);
  print_exit_statuses(out, command);
}

exit_status command_help(const cli_settings *settings) {
  bool is_named = !settings->help && settings->record;
  const cli_command *asked = settings->help ? settings->command : NULL;
  if (is_named)
    asked = option_table_command(settings->record);
  if (is_named && !asked)
    return option_table_no_command(settings->record);
  print_help(stdout, asked);
  return message_written(ETR_OK, NULL);
}
