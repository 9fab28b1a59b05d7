/* SPDX-License-Identifier: BSD-3-Clause
 *
 * help.c - the tables as text for a terminal.
 */
#include "help.h"

#include "option_table.h"

#include <string.h>

enum { WIDTH = 80 };

const char *help_introduction(void) {
  return "Reads ExecuTorch's ETRecord and ETDump, joins run times to graph nodes, and writes TensorBoard event files and Graphviz DOT, or answers in "
         "the "
         "terminal. RECORD is an ETRecord file, or a directory with one and what goes with it: ETDumps, the .pte. Without a command, `write` is "
         "meant.";
}

/* Prints a paragraph, broken at blanks so that lines fit; lines after the first are indented. `column`: where the first begins. Gives what follows.
 */
static const char *print_paragraph(FILE *out, const char *text, size_t column, size_t indent) {
  for (bool first = true; *text && *text != '\n'; first = false) {
    size_t size = strcspn(text, " \n");
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
    if (*text == ' ') text++;
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

/* A name, and what it is in a column of its own. */
static void print_item(FILE *out, const char *name, size_t width, const char *text) {
  fprintf(out, "  %-*s", (int)width, name);
  if (strlen(name) + 2 > width) fprintf(out, "\n  %*s", (int)width, "");
  print_paragraph(out, text, width + 2, width + 2);
}

static void print_examples(FILE *out, const cli_command *command) {
  if (command->examples[0].line) fputs("\nexamples:\n", out);
  for (const cli_example *e = command->examples; e->line; e++) {
    fprintf(out, "  etrecord-tb %s\n      ", e->line);
    print_paragraph(out, e->what, 6, 6);
  }
}

static void print_options(FILE *out, unsigned bit) {
  fputs("\noptions:\n", out);
  for (const option_spec *spec = options; spec->name; spec++) {
    char left[64], right[512];
    if (!(spec->commands & bit)) continue;
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", spec->letter ? '-' : ' ', spec->letter ? spec->letter : ' ', spec->letter ? ", " : "  ", spec->name,
             spec->argument ? " " : "", spec->argument ? spec->argument : "");
    snprintf(right, sizeof right, "%s%s%s", spec->help, spec->words ? ": " : "", spec->words ? spec->words : "");
    print_item(out, left, 26, right);
  }
}

static void print_exit_statuses(FILE *out, unsigned commands_asked) {
  char text[512];
  size_t used = 0;
  for (const exit_spec *e = exit_statuses; e->meaning && used < sizeof text; e++)
    if (e->commands & commands_asked) used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s", used ? ", " : "", e->status, e->meaning);
  fputs("\nexit status: ", out);
  print_paragraph(out, text, 13, 2);
}

static void print_program(FILE *out) {
  fputs("usage: etrecord-tb [COMMAND] RECORD [options]\n\n", out);
  print_paragraphs(out, help_introduction());
  fputs("\ncommands:\n", out);
  for (const cli_command *c = commands; c->name; c++) print_item(out, c->name, 12, c->summary);
  print_examples(out, &commands[0]);
  print_exit_statuses(out, ~0u);
  fputs("\n`etrecord-tb help COMMAND` tells a command's options and examples.\n", out);
}

void help_print(FILE *out, const cli_command *command) {
  if (!command) {
    print_program(out);
    return;
  }
  fprintf(out, "usage: etrecord-tb %s %s [options]\n\n", command->name, command->arguments);
  print_paragraphs(out, command->help);
  print_examples(out, command);
  print_options(out, command->bit);
  print_exit_statuses(out, command->bit);
}
