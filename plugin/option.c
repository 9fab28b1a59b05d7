/* SPDX-License-Identifier: BSD-3-Clause
 *
 * option.c - parsing by table.
 */
#include "option.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_LIST, OPTION_COUNT, OPTION_NUMBER, OPTION_WORD } option_kind;

typedef struct option_spec {
  const char *name;
  char letter;            /* 0: none */
  const char *argument;   /* NULL: a flag */
  option_kind kind;
  size_t offset, offset2; /* into settings; of a list its count, of a word the flag that it was given */
  const char *words;      /* of OPTION_WORD: "text|json", values 0, 1, ... */
  unsigned commands;
  const char *help;
} option_spec;

enum { ALL = ~0u, READING = ALL & ~(unsigned)COMMAND_WRITE, PER_METHOD = READING & ~(unsigned)COMMAND_INFO };

#define AT(member) offsetof(cli_settings, member)

static const option_spec specs[] = {
    {"etrecord", 0, "FILE", OPTION_TEXT, AT(etrecord), 0, NULL, ALL, "the ETRecord, where RECORD has several or none"},
    {"etdump", 0, "FILE", OPTION_LIST, AT(etdumps), AT(etdump_count), NULL, ALL, "an ETDump instead of RECORD's; may be repeated, - is standard input"},
    {"pte", 0, "FILE", OPTION_TEXT, AT(pte), 0, NULL, ALL, "the program instead of RECORD's"},
    {"debug-buffer", 0, "FILE", OPTION_TEXT, AT(debug_buffer), 0, NULL, ALL, "the debug buffer instead of RECORD's"},
    {"map", 0, "RUN=METHOD", OPTION_LIST, AT(map_texts), AT(map_count), NULL, ALL, "the method of a run that the files cannot tell; may be repeated"},
    {"ticks-per-second", 0, "N", OPTION_NUMBER, AT(ticks_per_second), 0, NULL, ALL, "clock of the ETDump (default: its ticks are nanoseconds)"},
    {"source-unit", 0, "UNIT", OPTION_WORD, AT(source_unit), AT(has_source_unit), "ms|ns|us|s", ALL, "the same as a unit"},
    {"logdir", 'o', "DIR", OPTION_TEXT, AT(logdir), 0, NULL, COMMAND_WRITE, "where to write (default: runs)"},
    {"name", 0, "NAME", OPTION_TEXT, AT(name), 0, NULL, COMMAND_WRITE, "folder below it (default: the record directory's name)"},
    {"depth", 0, "N", OPTION_COUNT, AT(depth), 0, NULL, COMMAND_WRITE, "levels of modules opened in DOT files (default: what stays readable)"},
    {"format", 'f', "FORMAT", OPTION_WORD, AT(format), 0, "text|json|csv|tsv|markdown", READING, "how to print"},
    {"unit", 'u', "UNIT", OPTION_WORD, AT(unit), 0, "ms|ns|us|s|cycles", READING, "unit of times (default: ms)"},
    {"method", 'm', "METHOD", OPTION_TEXT, AT(method), 0, NULL, PER_METHOD, "only this method"},
    {"graph", 'g', "MODULE", OPTION_TEXT, AT(graph), 0, NULL, COMMAND_NODES, "only entry points of this module: edge, aten, ..."},
    {"module", 0, "PREFIX", OPTION_TEXT, AT(module), 0, NULL, COMMAND_NODES, "only nodes in this module of the model or below it"},
    {"op", 0, "GLOB", OPTION_TEXT, AT(op), 0, NULL, COMMAND_NODES, "only these operators: 'aten.conv*'"},
    {"backend", 0, "GLOB", OPTION_TEXT, AT(backend), 0, NULL, COMMAND_NODES, "only nodes that run in this backend; cpu: as kernels"},
    {"sort", 0, "KEY", OPTION_WORD, AT(order), 0, "time|name|op|module|graph", COMMAND_NODES | COMMAND_EVENTS, "order of the rows (default: time)"},
    {"top", 'n', "N", OPTION_COUNT, AT(top), 0, NULL, PER_METHOD, "only the first N rows (default: 30; 0: all)"},
    {"help", 'h', NULL, OPTION_FLAG, AT(help), 0, NULL, ALL, "print this"},
    {"version", 0, NULL, OPTION_FLAG, AT(version), 0, NULL, ALL, "print the version"},
};

enum { SPEC_COUNT = sizeof specs / sizeof specs[0] };

/* ---- Values ---- */

static bool parse_count(const char *text, int64_t *out) {
  char *end;
  long long value = strtoll(text, &end, 10);
  if (end == text || *end || value < 0 || value > 1000000000) return false;
  *out = value;
  return true;
}

/* Digits with at most one point and an exponent; strtod's point depends on the locale, which the command never sets. */
static bool parse_number(const char *text, double *out) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !isfinite(value) || value <= 0) return false;
  *out = value;
  return true;
}

static bool parse_word(const char *words, const char *text, unsigned *out) {
  size_t size = strlen(text);
  unsigned index = 0;
  for (const char *at = words; at; index++) {
    const char *bar = strchr(at, '|');
    size_t length = bar ? (size_t)(bar - at) : strlen(at);
    if (length == size && memcmp(at, text, size) == 0) {
      *out = index;
      return true;
    }
    at = bar ? bar + 1 : NULL;
  }
  return false;
}

static exit_status add_to_list(cli_settings *out, const option_spec *spec, const char *value, const char *command) {
  size_t *count = (size_t *)(void *)((char *)out + spec->offset2);
  if (*count == MAX_LIST) return message_usage(command, "--%s was given more than %d times", spec->name, (int)MAX_LIST);
  ((const char **)(void *)((char *)out + spec->offset))[(*count)++] = value;
  return EXIT_DONE;
}

static exit_status store(cli_settings *out, const option_spec *spec, const char *value, const char *command) {
  void *at = (char *)out + spec->offset;
  unsigned word;
  switch (spec->kind) {
  case OPTION_FLAG: *(bool *)at = true; return EXIT_DONE;
  case OPTION_TEXT: *(const char **)at = value; return EXIT_DONE;
  case OPTION_LIST: return add_to_list(out, spec, value, command);
  case OPTION_COUNT:
    if (!parse_count(value, at)) return message_usage(command, "--%s takes a whole number from 0 on, not \"%s\"", spec->name, value);
    return EXIT_DONE;
  case OPTION_NUMBER:
    if (!parse_number(value, at)) return message_usage(command, "--%s takes a number above 0, not \"%s\"", spec->name, value);
    return EXIT_DONE;
  case OPTION_WORD:
    if (!parse_word(spec->words, value, &word)) return message_usage(command, "--%s is one of %s, not \"%s\"", spec->name, spec->words, value);
    *(unsigned *)at = word;
    if (spec->offset2) *(bool *)(void *)((char *)out + spec->offset2) = true;
    return EXIT_DONE;
  }
  return EXIT_DONE;
}

/* ---- Arguments ---- */

static const option_spec *find_long(const char *name, size_t size) {
  for (size_t i = 0; i < SPEC_COUNT; i++)
    if (strlen(specs[i].name) == size && memcmp(specs[i].name, name, size) == 0) return &specs[i];
  return NULL;
}

static const option_spec *find_letter(char letter) {
  for (size_t i = 0; i < SPEC_COUNT; i++)
    if (specs[i].letter == letter) return &specs[i];
  return NULL;
}

static const cli_command *find_command(const char *name) {
  for (const cli_command *c = commands; c->name; c++)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

typedef struct parser {
  cli_settings *out;
  const cli_command *command;
  unsigned used[SPEC_COUNT]; /* specs that were given */
  size_t positional;
  int argc, at;
  char **argv;
} parser;

/* Reads the option at argv[at]; `at` ends on its last word. */
static exit_status parse_option(parser *p) {
  const char *text = p->argv[p->at], *value = NULL, *command = p->command ? p->command->name : NULL;
  const option_spec *spec;
  if (text[1] == '-') {
    const char *equals = strchr(text, '=');
    spec = find_long(text + 2, equals ? (size_t)(equals - text - 2) : strlen(text + 2));
    value = equals ? equals + 1 : NULL;
  } else {
    spec = find_letter(text[1]);
    value = text[2] ? text + 2 : NULL;
  }
  if (!spec) return message_usage(command, "unknown option %s", text);
  if (!spec->argument && value) return message_usage(command, "--%s takes no value", spec->name);
  if (spec->argument && !value) {
    value = p->at + 1 < p->argc ? p->argv[++p->at] : "";
  }
  if (spec->argument && !value[0]) return message_usage(command, "--%s needs a value: %s", spec->name, spec->argument);
  p->used[spec - specs] = 1;
  return store(p->out, spec, value, command);
}

static exit_status parse_positional(parser *p) {
  const char *text = p->argv[p->at];
  if (p->positional == 0 && !p->command) {
    p->command = find_command(text);
    if (p->command) return EXIT_DONE;
  }
  if (p->positional++ > 0) {
    if (!p->command) return message_usage(NULL, "unexpected argument \"%s\": \"%s\" is no command", text, p->out->record);
    return message_usage(p->command->name, "unexpected argument \"%s\"", text);
  }
  p->out->record = text;
  return EXIT_DONE;
}

static exit_status parse_arguments(parser *p) {
  bool only_positional = false;
  for (p->at = 1; p->at < p->argc; p->at++) {
    const char *text = p->argv[p->at];
    exit_status status = EXIT_DONE;
    if (!only_positional && strcmp(text, "--") == 0)
      only_positional = true;
    else if (!only_positional && text[0] == '-' && text[1])
      status = parse_option(p);
    else
      status = parse_positional(p);
    if (status != EXIT_DONE) return status;
  }
  return EXIT_DONE;
}

/* RUN=METHOD texts become choices. */
static exit_status parse_choices(cli_settings *out) {
  for (size_t i = 0; i < out->map_count; i++) {
    const char *equals = strchr(out->map_texts[i], '=');
    char digits[24] = "";
    int64_t run;
    if (equals && (size_t)(equals - out->map_texts[i]) < sizeof digits) memcpy(digits, out->map_texts[i], (size_t)(equals - out->map_texts[i]));
    if (!equals || !equals[1] || !parse_count(digits, &run)) return message_usage(NULL, "--map takes RUN=METHOD, not \"%s\"", out->map_texts[i]);
    out->choices[i] = (etr_method_choice){.run = (size_t)run, .method = equals + 1};
  }
  return EXIT_DONE;
}

static void set_clock(cli_settings *out) {
  static const double per_second[] = {[ETR_UNIT_MS] = 1e3, [ETR_UNIT_NS] = 1e9, [ETR_UNIT_US] = 1e6, [ETR_UNIT_S] = 1};
  if (out->has_source_unit && out->ticks_per_second <= 0) out->ticks_per_second = per_second[out->source_unit];
}

exit_status option_parse(cli_settings *out, const cli_command **chosen, int argc, char **argv) {
  *out = (cli_settings){.top = 30};
  parser p = {.out = out, .argc = argc, .argv = argv};
  exit_status status = parse_arguments(&p);
  *chosen = p.command;
  if (status != EXIT_DONE || out->help || out->version) return status;
  *chosen = p.command ? p.command : &commands[0];
  for (size_t i = 0; i < SPEC_COUNT; i++)
    if (p.used[i] && !(specs[i].commands & (*chosen)->bit)) return message_usage((*chosen)->name, "--%s is no option of %s", specs[i].name, (*chosen)->name);
  if (!out->record && !out->etrecord && out->etdump_count == 0) return message_usage(p.command ? p.command->name : NULL, "which record? give a file or a directory");
  set_clock(out);
  return parse_choices(out);
}

/* ---- Help ---- */

static void print_options(FILE *out, unsigned bit) {
  for (size_t i = 0; i < SPEC_COUNT; i++) {
    const option_spec *spec = &specs[i];
    char left[64];
    if (!(spec->commands & bit)) continue;
    snprintf(left, sizeof left, "%c%c%s--%s%s%s", spec->letter ? '-' : ' ', spec->letter ? spec->letter : ' ', spec->letter ? ", " : "  ", spec->name,
             spec->argument ? " " : "", spec->argument ? spec->argument : "");
    fprintf(out, "  %-26s %s", left, spec->help);
    if (spec->words) fprintf(out, ": %s", spec->words);
    fputc('\n', out);
  }
}

void option_print_help(FILE *out, const cli_command *command) {
  if (command) {
    fprintf(out, "usage: etrecord-tb %s %s [options]\n\n%s\n\noptions:\n", command->name, command->arguments, command->help);
    print_options(out, command->bit);
    return;
  }
  fputs("usage: etrecord-tb [COMMAND] RECORD [options]\n\n"
        "Reads ExecuTorch's ETRecord and ETDump, joins run times to graph nodes, and writes TensorBoard\n"
        "event files and Graphviz DOT. RECORD is an ETRecord file, or a directory with one and what goes\n"
        "with it: ETDumps, the .pte. Without a command, `write` is meant.\n\ncommands:\n",
        out);
  for (size_t i = 0; commands[i].name; i++) fprintf(out, "  %-10s  %s\n", commands[i].name, commands[i].summary);
  fputs("\n`etrecord-tb COMMAND --help` tells a command's options.\n"
        "Exit status: 0 done, 1 bad input or could not write, 2 wrong usage.\n",
        out);
}
