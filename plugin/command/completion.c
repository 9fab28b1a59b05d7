/* SPDX-License-Identifier: BSD-3-Clause
 *
 * completion.c - the scripts in completion/ are frames; this fills them.
 */
#include "completion.h"

#include "option_table.h"

#include <string.h>

/* Text inside single quotes, as shells understand it; characters of `escaped` get a backslash. */
static void put_quoted(FILE *out, const char *text, const char *escaped) {
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", out);
    else
      fprintf(out, "%s%c", strchr(escaped, *text) ? "\\" : "", *text);
  }
}

/* "a|b" with something else between the words. */
static void put_words(FILE *out, const char *words, const char *between) {
  for (; *words; words++) {
    if (*words == '|')
      fputs(between, out);
    else
      fputc(*words, out);
  }
}

static void put_commands(FILE *out, unsigned bits, const char *between) {
  const char *before = "";
  for (const cli_command *c = commands; c->name; c++) {
    if (!(c->bit & bits)) continue;
    fprintf(out, "%s%s", before, c->name);
    before = between;
  }
}

static void put_options_with_value(FILE *out, const char *between) {
  const char *before = "";
  for (const option_spec *spec = options; spec->name; spec++) {
    if (!spec->argument) continue;
    fprintf(out, "%s--%s", before, spec->name);
    before = between;
    if (spec->letter) fprintf(out, "%s-%c", before, spec->letter);
  }
}

static bool takes_file(const option_spec *spec) { return spec->argument && strcmp(spec->argument, "FILE") == 0; }
static bool takes_directory(const option_spec *spec) { return spec->argument && strcmp(spec->argument, "DIR") == 0; }

static void put_commands_with_bars(FILE *out) { put_commands(out, ~0u, "|"); }
static void put_commands_with_blanks(FILE *out) { put_commands(out, ~0u, " "); }
static void put_options_with_bars(FILE *out) { put_options_with_value(out, "|"); }
static void put_options_with_blanks(FILE *out) { put_options_with_value(out, " "); }

/* ---- bash ---- */

/* An arm of `case $command:$option`. */
static void put_bash_value(FILE *out, const option_spec *spec) {
  const char *before = "    ";
  for (const cli_command *c = commands; c->name; c++) {
    if (!(spec->commands & c->bit)) continue;
    fprintf(out, "%s%s:--%s", before, c->name, spec->name);
    before = "|";
    if (spec->letter) fprintf(out, "|%s:-%c", c->name, spec->letter);
  }
  fputs(")\n", out);
  if (spec->words) {
    fputs("      _etrecord_tb_words '", out);
    put_words(out, spec->words, " ");
    fputs("'\n", out);
  } else if (takes_file(spec) || takes_directory(spec)) {
    fprintf(out, "      _etrecord_tb_paths %s\n", takes_file(spec) ? "-f" : "-d");
  }
  fputs("      return\n      ;;\n", out);
}

static void put_bash_values(FILE *out) {
  for (const option_spec *spec = options; spec->name; spec++)
    if (spec->argument) put_bash_value(out, spec);
}

static void put_bash_options(FILE *out) {
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, "      %s) _etrecord_tb_words '", c->name);
    for (const option_spec *spec = options; spec->name; spec++)
      if (spec->commands & c->bit) fprintf(out, "--%s ", spec->name);
    fputs("' ;;\n", out);
  }
}

/* ---- zsh ---- */

static void put_zsh_commands(FILE *out) {
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, "    '%s:", c->name);
    put_quoted(out, c->summary, "");
    fputs("'\n", out);
  }
}

/* A specification of _arguments: '(--format -f)'{--format,-f}'[help]:FORMAT:(text json)'. */
static void put_zsh_option(FILE *out, const option_spec *spec) {
  const char *again = spec->kind == OPTION_LIST ? "*" : "";
  fputs("        ", out);
  if (spec->letter)
    fprintf(out, "'(--%s -%c)'{--%s%s,-%c%s}'[", spec->name, spec->letter, spec->name, spec->argument ? "=" : "", spec->letter,
            spec->argument ? "+" : "");
  else
    fprintf(out, "'%s--%s%s[", again, spec->name, spec->argument ? "=" : "");
  put_quoted(out, spec->help, "[]:\\");
  fputc(']', out);
  if (spec->argument) fprintf(out, ":%s:", spec->argument);
  if (spec->words) {
    fputc('(', out);
    put_words(out, spec->words, " ");
    fputc(')', out);
  } else if (takes_file(spec) || takes_directory(spec)) {
    fputs(takes_file(spec) ? "_files" : "_files -/", out);
  }
  fputs("' \\\n", out);
}

static void put_zsh_options(FILE *out) {
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, "    (%s)\n      _arguments -s -S \\\n", c->name);
    for (const option_spec *spec = options; spec->name; spec++)
      if (spec->commands & c->bit) put_zsh_option(out, spec);
    fputs("        $argument\n      ;;\n", out);
  }
}

/* ---- fish ---- */

static void put_fish_commands(FILE *out) {
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, "complete -c etrecord-tb -n __etrecord_tb_is_first -a %s -d '", c->name);
    put_quoted(out, c->summary, "\\");
    fputs("'\n", out);
    fprintf(out, "complete -c etrecord-tb -n '__etrecord_tb_is help' -f -a %s -d '", c->name);
    put_quoted(out, c->summary, "\\");
    fputs("'\n", out);
  }
}

static void put_fish_options(FILE *out) {
  for (const option_spec *spec = options; spec->name; spec++) {
    fputs("complete -c etrecord-tb -n '__etrecord_tb_is ", out);
    put_commands(out, spec->commands, " ");
    fprintf(out, "' -l %s", spec->name);
    if (spec->letter) fprintf(out, " -s %c", spec->letter);
    if (takes_file(spec)) fputs(" -r -F", out);
    if (takes_directory(spec)) fputs(" -x -a '(__fish_complete_directories)'", out);
    if (spec->words) {
      fputs(" -x -a '", out);
      put_words(out, spec->words, " ");
      fputs("'", out);
    } else if (spec->argument && !takes_file(spec) && !takes_directory(spec)) {
      fputs(" -x", out);
    }
    fputs(" -d '", out);
    put_quoted(out, spec->help, "\\");
    fputs("'\n", out);
  }
}

/* ---- Filling ---- */

static const struct {
  const char *name;
  void (*put)(FILE *out);
} pieces[] = {
    {"commands|", put_commands_with_bars},
    {"commands ", put_commands_with_blanks},
    {"options_with_value|", put_options_with_bars},
    {"options_with_value ", put_options_with_blanks},
    {"bash_values", put_bash_values},
    {"bash_options", put_bash_options},
    {"zsh_commands", put_zsh_commands},
    {"zsh_options", put_zsh_options},
    {"fish_commands", put_fish_commands},
    {"fish_options", put_fish_options},
};

static bool put_piece(FILE *out, const char *name, size_t size) {
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
    if (strlen(pieces[i].name) != size || memcmp(pieces[i].name, name, size) != 0) continue;
    pieces[i].put(out);
    return true;
  }
  return false;
}

/* A name stands between two @, on one line, with no quote in it: "$@" is none. */
static bool fill_line(FILE *out, const char *line) {
  for (const char *at; (at = strchr(line, '@'));) {
    const char *end = at + 1 + strcspn(at + 1, "@\"\n");
    fwrite(line, 1, (size_t)(at - line), out);
    if (*end != '@') {
      fputc('@', out);
      line = at + 1;
      continue;
    }
    if (!put_piece(out, at + 1, (size_t)(end - at - 1))) return false;
    line = end + 1;
  }
  fputs(line, out);
  return true;
}

bool completion_fill(FILE *out, FILE *script) {
  char line[1024];
  while (fgets(line, sizeof line, script))
    if (!fill_line(out, line)) return false;
  return true;
}
