/* SPDX-License-Identifier: BSD-3-Clause
 *
 * man_page.c - roff with the macros of man(7).
 */
#include "command/help.h"
#include "command/manual.h"

#include <string.h>

/* Linters of roff complain about longer lines. */
enum { LINE = 60 };

/* ---- Text ---- */

/* Escapes the characters that roff gives another meaning. */
static void put_characters(FILE *out, const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    switch (text[i]) {
    case '\\': fputs("\\e", out); break;
    case '-': fputs("\\-", out); break;
    case '\'': fputs("\\(aq", out); break;
    case '^': fputs("\\(ha", out); break;
    case '~': fputs("\\(ti", out); break;
    case '"': fputs("\\(dq", out); break;
    default: fputc(text[i], out);
    }
  }
}

static void put_word(FILE *out, const char *word, size_t size, bool *bold) {
  if (word[0] == '.') fputs("\\&", out);
  for (size_t at = 0; at < size;) {
    size_t plain = 0;
    while (at + plain < size && word[at + plain] != '`') plain++;
    put_characters(out, word + at, plain);
    at += plain;
    if (at == size) break;
    *bold = !*bold;
    fputs(*bold ? "\\fB" : "\\fR", out);
    at++;
  }
}

/* Puts text: `code` in bold, a paragraph per line, a line break after each sentence. */
static void put_text(FILE *out, const char *text) {
  bool bold = false;
  size_t column = 0;
  for (size_t size; *text; text += size + (text[size] == ' ')) {
    size = strcspn(text, " \n");
    if (size == 0) {
      fputs("\n.PP\n", out);
      column = 0;
      text++;
      continue;
    }
    if (column > 0 && (column + size > LINE || (text[-2] == '.' && column > 1))) {
      fputc('\n', out);
      column = 0;
    } else if (column > 0) {
      fputc(' ', out);
    }
    put_word(out, text, size, &bold);
    column += size + 1;
  }
  fputc('\n', out);
}

static void put_heading(FILE *out, const char *heading) { fprintf(out, ".SH %s\n", heading); }

static void put_code(FILE *out, const char *line) {
  fputs("\\fBetrecord\\-tb ", out);
  put_characters(out, line, strlen(line));
  fputs("\\fR\n", out);
}

/* ---- Sections ---- */

static void put_title(FILE *out, const char *command, const char *summary, const char *version, const char *date) {
  fprintf(out, ".\\\" Made from the command's own tables.\n.TH ETRECORD\\-TB");
  for (const char *c = command; *c; c++) fputc(*c == '-' ? '-' : *c - 'a' + 'A', out);
  fprintf(out, " 1 %s \"etrecord\\-tb %s\" \"User Commands\"\n.nh\n.ad l\n", date, version);
  put_heading(out, "NAME");
  fprintf(out, "etrecord\\-tb%s%s \\-\n", command[0] ? "\\" : "", command);
  put_text(out, summary);
}

static void put_synopsis(FILE *out, const char *command, const char *arguments, bool options_first) {
  put_heading(out, "SYNOPSIS");
  fprintf(out, "\\fBetrecord\\-tb\\fR %s%s", command, command[0] ? " " : "");
  if (options_first)
    fprintf(out, "[\\fIoptions\\fR] \\-\\-\\fI%s\\fR\n", arguments + strlen("--"));
  else
    fprintf(out, "\\fI%s\\fR [\\fIoptions\\fR]\n", arguments);
}

static void put_option(FILE *out, const option_spec *spec) {
  fputs(".TP\n", out);
  if (spec->letter) fprintf(out, "\\fB\\-%c\\fR, ", spec->letter);
  fputs("\\fB\\-\\-", out);
  put_characters(out, spec->name, strlen(spec->name));
  fputs("\\fR", out);
  if (spec->argument) fprintf(out, " \\fI%s\\fR", spec->argument);
  fputc('\n', out);
  put_text(out, spec->help);
  if (!spec->words) return;
  fputs("(", out);
  for (const char *at = spec->words; *at; at++) fprintf(out, *at == '|' ? ", " : "%c", *at);
  fputs(")\n", out);
}

/* Options of a command; NULL: of every command. */
static void put_options(FILE *out, const cli_command *command) {
  put_heading(out, "OPTIONS");
  for (const option_spec *spec = options; spec->name; spec++)
    if (option_table_has(spec, command)) put_option(out, spec);
}

static void put_examples(FILE *out, const cli_command *command) {
  if (!command->examples[0].line) return;
  put_heading(out, "EXAMPLES");
  for (const cli_example *e = command->examples; e->line; e++) {
    fputs(".TP\n", out);
    put_code(out, e->line);
    put_text(out, e->what);
  }
}

static void put_exit_statuses(FILE *out, const cli_command *command) {
  char room[EXIT_MEANING_ROOM];
  put_heading(out, "EXIT STATUS");
  for (const exit_spec *e = exit_statuses; e->meaning; e++) {
    if (!option_table_exits(e, command)) continue;
    fprintf(out, ".TP\n\\fB%d\\fR\n", e->status);
    put_text(out, option_table_exit_meaning(e, command, room));
  }
}

static void put_see_also(FILE *out, const cli_command *command) {
  put_heading(out, "SEE ALSO");
  if (command) fputs("\\fBetrecord\\-tb\\fR(1)\n", out);
  for (const cli_command *c = commands; !command && c->name; c++)
    fprintf(out, "\\fBetrecord\\-tb\\-%s\\fR(1)%s\n", c->name, c[1].name ? "," : "");
}

/* ---- Pages ---- */

static void copy(FILE *out, FILE *from) {
  char line[1024];
  while (fgets(line, sizeof line, from)) fputs(line, out);
}

static void put_program(FILE *out, FILE *topics, const char *version, const char *date) {
  put_title(out, "", "find out which line of a PyTorch model costs what on a device", version, date);
  put_synopsis(out, "", "[COMMAND] RECORD...", false);
  put_heading(out, "DESCRIPTION");
  put_text(out, help_introduction());
  put_heading(out, "COMMANDS");
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, ".TP\n\\fBetrecord\\-tb\\-%s\\fR(1)\n", c->name);
    put_text(out, c->summary);
  }
  put_options(out, NULL);
  copy(out, topics);
  put_exit_statuses(out, NULL);
  put_examples(out, &commands[0]);
  put_see_also(out, NULL);
}

static void put_command(FILE *out, const cli_command *command, const char *version, const char *date) {
  char name[64], room[HELP_ROOM];
  snprintf(name, sizeof name, "-%s", command->name);
  put_title(out, name, command->summary, version, date);
  put_synopsis(out, command->name, command->arguments, command->runs_program);
  put_heading(out, "DESCRIPTION");
  put_text(out, help_text(command, room));
  put_options(out, command);
  put_examples(out, command);
  put_exit_statuses(out, command);
  put_see_also(out, command);
}

void man_page_write(FILE *out, const cli_command *command, FILE *topics, const char *version, const char *date) {
  if (command)
    put_command(out, command, version, date);
  else
    put_program(out, topics, version, date);
}
