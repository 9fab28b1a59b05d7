/* SPDX-License-Identifier: BSD-3-Clause
 *
 * completion.c - fills in the scripts of completion/.
 */
#include "command/manual.h"

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

/* The names of all commands, or of those that have an option. */
static void put_names(FILE *out, const option_spec *spec, const char *between) {
  const char *before = "";
  for (const cli_command *c = commands; c->name; c++) {
    if (spec && !option_table_has(spec, c)) continue;
    fprintf(out, "%s%s", before, c->name);
    before = between;
  }
}

static void put_commands(FILE *out, const char *between) { put_names(out, NULL, between); }

static void put_options_with_value(FILE *out, const char *between) {
  const char *before = "";
  for (const option_spec *spec = options; spec->name; spec++) {
    if (!spec->argument) continue;
    fprintf(out, "%s--%s", before, spec->name);
    before = between;
    if (spec->letter) fprintf(out, "%s-%c", before, spec->letter);
  }
}

/* How a shell is told what completes a value. */
typedef struct value_syntax {
  const char *words, *after_words; /* around "text json" */
  const char *file, *directory, *other;
} value_syntax;

static void put_value(FILE *out, const option_spec *spec, const value_syntax *syntax) {
  if (spec->words) {
    fputs(syntax->words, out);
    for (const char *at = spec->words; *at; at++) fputc(*at == '|' ? ' ' : *at, out);
    fputs(syntax->after_words, out);
  } else if (strcmp(spec->argument, "FILE") == 0) {
    fputs(syntax->file, out);
  } else {
    fputs(strcmp(spec->argument, "DIR") == 0 ? syntax->directory : syntax->other, out);
  }
}

/* ---- bash ---- */

/* An arm of `case $command:$option`. */
static void put_bash_value(FILE *out, const option_spec *spec) {
  static const value_syntax syntax = {"      _etrecord_tb_words '", "'\n", "      _etrecord_tb_paths -f\n",
                                      "      _etrecord_tb_paths -d\n", ""};
  const char *before = "    ";
  for (const cli_command *c = commands; c->name; c++) {
    if (!option_table_has(spec, c)) continue;
    fprintf(out, "%s%s:--%s", before, c->name, spec->name);
    before = "|";
    if (spec->letter) fprintf(out, "|%s:-%c", c->name, spec->letter);
  }
  fputs(")\n", out);
  put_value(out, spec, &syntax);
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
      if (option_table_has(spec, c)) fprintf(out, "--%s ", spec->name);
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
  static const value_syntax syntax = {"(", ")", "_files", "_files -/", ""};
  const char *again = spec->kind == OPTION_LIST ? "*" : "";
  fputs("        ", out);
  if (spec->letter)
    fprintf(out, "'(--%s -%c)'{--%s%s,-%c%s}'[", spec->name, spec->letter, spec->name, spec->argument ? "=" : "",
            spec->letter, spec->argument ? "+" : "");
  else
    fprintf(out, "'%s--%s%s[", again, spec->name, spec->argument ? "=" : "");
  put_quoted(out, spec->help, "[]:\\");
  fputc(']', out);
  if (spec->argument) {
    fprintf(out, ":%s:", spec->argument);
    put_value(out, spec, &syntax);
  }
  fputs("' \\\n", out);
}

static void put_zsh_options(FILE *out) {
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, "    (%s)\n      _arguments -s -S \\\n", c->name);
    for (const option_spec *spec = options; spec->name; spec++)
      if (option_table_has(spec, c)) put_zsh_option(out, spec);
    fputs("        $argument\n      ;;\n", out);
  }
}

/* ---- fish ---- */

static void put_fish_commands(FILE *out) {
  for (const cli_command *c = commands; c->name; c++) {
    fprintf(out, "complete -c etrecord-tb -n __etrecord_tb_is_first -a %s -d '", c->name);
    put_quoted(out, c->summary, "\\");
    fprintf(out, "'\ncomplete -c etrecord-tb -n '__etrecord_tb_is help' -f -a %s -d '", c->name);
    put_quoted(out, c->summary, "\\");
    fputs("'\n", out);
  }
}

static void put_fish_options(FILE *out) {
  static const value_syntax syntax = {" -x -a '", "'", " -r -F", " -x -a '(__fish_complete_directories)'", " -x"};
  for (const option_spec *spec = options; spec->name; spec++) {
    fputs("complete -c etrecord-tb -n '__etrecord_tb_is ", out);
    put_names(out, spec, " ");
    fprintf(out, "' -l %s", spec->name);
    if (spec->letter) fprintf(out, " -s %c", spec->letter);
    if (spec->argument) put_value(out, spec, &syntax);
    fputs(" -d '", out);
    put_quoted(out, spec->help, "\\");
    fputs("'\n", out);
  }
}

/* ---- Filling ---- */

static const struct {
  const char *name;
  void (*put)(FILE *out);
  void (*put_list)(FILE *out, const char *between); /* of names that end with what stands between */
} pieces[] = {
    {"commands", NULL, put_commands},           {"options_with_value", NULL, put_options_with_value},
    {"bash_values", put_bash_values, NULL},     {"bash_options", put_bash_options, NULL},
    {"zsh_commands", put_zsh_commands, NULL},   {"zsh_options", put_zsh_options, NULL},
    {"fish_commands", put_fish_commands, NULL}, {"fish_options", put_fish_options, NULL},
};

static bool put_piece(FILE *out, const char *name, size_t size) {
  for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
    size_t length = strlen(pieces[i].name);
    if (length + (pieces[i].put_list != NULL) != size || memcmp(pieces[i].name, name, length) != 0) continue;
    if (pieces[i].put)
      pieces[i].put(out);
    else
      pieces[i].put_list(out, (const char[]){name[length], '\0'});
    return true;
  }
  return false;
}

/* A name is between two @ on one line, without a quote: "$@" is none. */
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
