/* SPDX-License-Identifier: BSD-3-Clause
 *
 * man_page.c - roff with the macros of man(7).
 */
#include "man_page.h"

#include "help.h"

#include <string.h>

/* Longer lines of a page's source would be shown just as well; they are what linters of roff complain about. */
enum { LINE = 60 };

/* ---- Text ---- */

/* Puts a piece of text as it is to be read: roff gives these characters another meaning. */
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

/* Puts text, what stands between ` in bold, a paragraph per line of it, a new line after each sentence. */
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

static void put_synopsis(FILE *out, const char *command, const char *arguments) {
  put_heading(out, "SYNOPSIS");
  fprintf(out, "\\fBetrecord\\-tb\\fR %s", command);
  fprintf(out, "%s\\fI%s\\fR [\\fIoptions\\fR]\n", command[0] ? " " : "", arguments);
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

static void put_options(FILE *out, unsigned commands_of, unsigned all_of) {
  put_heading(out, "OPTIONS");
  for (const option_spec *spec = options; spec->name; spec++)
    if (spec->commands & commands_of && (spec->commands & all_of) == all_of) put_option(out, spec);
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

static void put_exit_statuses(FILE *out, unsigned commands_of) {
  put_heading(out, "EXIT STATUS");
  for (const exit_spec *e = exit_statuses; e->meaning; e++) {
    if (!(e->commands & commands_of)) continue;
    fprintf(out, ".TP\n\\fB%d\\fR\n", e->status);
    put_text(out, e->meaning);
  }
}

static void put_see_also(FILE *out, const cli_command *command) {
  put_heading(out, "SEE ALSO");
  if (command) fputs("\\fBetrecord\\-tb\\fR(1)\n", out);
  for (const cli_command *c = commands; !command && c->name; c++) fprintf(out, "\\fBetrecord\\-tb\\-%s\\fR(1)%s\n", c->name, c[1].name ? "," : "");
}

/* ---- Pages ---- */

typedef struct manual_item {
  const char *name, *text;
} manual_item;

/* What holds for every command, each a section of the main page. */
static const struct {
  const char *heading, *text;
  manual_item items[10];
} topics[] = {
    {"INPUTS",
     "In a directory files are told apart by content, not by name: an ETRecord, any number of ETDumps, a .pte, and a file called debug_buffer.bin. "
     "Where there are several ETRecords or .pte files, `--etrecord` or `--pte` chooses.\n"
     "An ETRecord alone gives the graphs without times, an ETDump alone the events without graphs. With the .pte at hand the operators inside an "
     "XNNPACK delegate are matched exactly, without it by order.\n"
     "Nothing is read but these files; neither Python nor torch is needed.",
     {{NULL, NULL}}},
    {"HOW EVENTS COME TO NODES",
     "Each event, and each node with a time, says in `match` how the two were brought together. Where there is no node it says why.",
     {{"handle", "by the debug handle map, the operator and, with the .pte, what it reads; or, by elimination, what is left"},
      {"delegate_map", "by the backend's own map from its ids to debug handles"},
      {"payload", "by the delegate's payload in the .pte, and by what its operators read"},
      {"order", "several nodes have the handle and operator: by the order in which the model is lowered, proved by the handle lists and the events"},
      {"aligned", "estimated: by the order of operator classes"},
      {"delegate", "no node: a delegate's call as a whole, or what a lowering inserted"},
      {"framework", "no node: between and around kernels and delegates"},
      {"none", "no node: it could not be told"}}},
    {"OUTPUT",
     "Data goes to standard output, everything else to standard error, one line each: etrecord-tb: FILE: ENTRY@OFFSET: what is wrong. A reader that "
     "has seen enough may close the pipe.",
     {{NULL, NULL}}},
    {"ENVIRONMENT",
     "What a terminal is taken to show:",
     {{"NO_COLOR", "if it is set and not empty, no colour, unless `--color` says otherwise"},
      {"TERM", "no colour either where it is dumb"},
      {"LC_ALL, LC_CTYPE, LANG", "the first that is set says whether text may be UTF-8; otherwise it is kept to ASCII"}}},
};

static void put_topics(FILE *out) {
  for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++) {
    put_heading(out, topics[i].heading);
    put_text(out, topics[i].text);
    for (const manual_item *item = topics[i].items; item->name; item++) {
      fprintf(out, ".TP\n\\fB%s\\fR\n", item->name);
      put_text(out, item->text);
    }
  }
}

static void put_program(FILE *out, const char *version, const char *date) {
  put_title(out, "", "which line of a PyTorch model costs what on a device", version, date);
  put_synopsis(out, "", "[COMMAND] RECORD");
  put_heading(out, "DESCRIPTION");
  put_text(out, help_introduction());
  put_heading(out, "COMMANDS");
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, ".TP\n\\fBetrecord\\-tb\\-%s\\fR(1)\n", c->name);
    put_text(out, c->summary);
  }
  put_options(out, ~0u, ~0u);
  put_topics(out);
  put_exit_statuses(out, ~0u);
  put_examples(out, &commands[0]);
  put_see_also(out, NULL);
}

static void put_command(FILE *out, const cli_command *command, const char *version, const char *date) {
  char name[64];
  snprintf(name, sizeof name, "-%s", command->name);
  put_title(out, name, command->summary, version, date);
  put_synopsis(out, command->name, command->arguments);
  put_heading(out, "DESCRIPTION");
  put_text(out, command->help);
  put_options(out, command->bit, command->bit);
  put_examples(out, command);
  put_exit_statuses(out, command->bit);
  put_see_also(out, command);
}

void man_page_write(FILE *out, const cli_command *command, const char *version, const char *date) {
  if (command)
    put_command(out, command, version, date);
  else
    put_program(out, version, date);
}
