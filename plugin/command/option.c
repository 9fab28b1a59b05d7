/* SPDX-License-Identifier: BSD-3-Clause
 *
 * option.c - parsing by table.
 */
#include "nearest.h"
#include "option_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Values ---- */

static bool parse_count(const char *text, int64_t *out) {
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 9 || text[digits]) return false;
  *out = strtoll(text, NULL, 10);
  return true;
}

/* Decimal, so that neither "inf" nor "0x10" is one; strtod's point depends on the locale, which the command never sets. Gives the first character
 * behind it, NULL if there is no number. */
static const char *read_number(const char *text, double *out) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || strspn(text, "0123456789.eE+-") < (size_t)(end - text) || !isfinite(value)) return NULL;
  *out = value;
  return end;
}

static bool parse_number(const char *text, double *out) {
  double value;
  const char *end = read_number(text, &value);
  if (!end || *end || value <= 0) return false;
  *out = value;
  return true;
}

/* "5%" or "5". */
static bool parse_percent(const char *text, double *out) {
  double value;
  const char *end = read_number(text, &value);
  if (!end || strcmp(end + (*end == '%'), "") != 0 || value < 0) return false;
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
    if (!parse_count(value, at)) return message_usage(command, "--%s takes a whole number from 0 to 999999999, not \"%s\"", spec->name, value);
    return EXIT_DONE;
  case OPTION_NUMBER:
    if (!parse_number(value, at)) return message_usage(command, "--%s takes a number above 0, not \"%s\"", spec->name, value);
    return EXIT_DONE;
  case OPTION_PERCENT:
    if (!parse_percent(value, at)) return message_usage(command, "--%s takes a percentage from 0 on, such as 5%%, not \"%s\"", spec->name, value);
    break;
  case OPTION_WORD:
    if (!parse_word(spec->words, value, &word)) return message_usage(command, "--%s is one of %s, not \"%s\"", spec->name, spec->words, value);
    *(unsigned *)at = word;
    break;
  }
  if (spec->offset2) *(bool *)(void *)((char *)out + spec->offset2) = true;
  return EXIT_DONE;
}

/* ---- Arguments ---- */

typedef struct parser {
  cli_settings *out;
  const cli_command *command;
  const char *named; /* the command's name if it was given, for hints */
  int named_at;      /* where in argv; 0: nowhere */
  int argc, at;
  char **argv;
} parser;

/* An option as it was written: --name, --name=value, -n, -nvalue. */
typedef struct written_option {
  const char *name;
  size_t size;
  const char *value; /* NULL: not joined to it */
} written_option;

static bool is_option(const char *text) { return text[0] == '-' && text[1]; }

static written_option split_option(const char *text) {
  if (text[1] != '-') return (written_option){text + 1, 1, text[2] ? text + 2 : NULL};
  const char *equals = strchr(text, '=');
  return (written_option){text + 2, equals ? (size_t)(equals - text - 2) : strlen(text + 2), equals ? equals + 1 : NULL};
}

/* The row of an option, for commands of these bits; a letter is written as "-n", with one dash. */
static const option_spec *find_option(const char *text, unsigned bits) {
  written_option written = split_option(text);
  for (const option_spec *spec = options; spec->name; spec++) {
    bool is_it = text[1] == '-' ? strlen(spec->name) == written.size && memcmp(spec->name, written.name, written.size) == 0 : spec->letter == text[1];
    if (is_it && spec->commands & bits) return spec;
  }
  return NULL;
}

/* Finds the command before anything is read, since it decides what options mean; whether an option takes a value is the same for all commands. */
static void find_command(parser *p) {
  p->command = &commands[0];
  for (int i = 1; i < p->argc && strcmp(p->argv[i], "--") != 0; i++) {
    const char *text = p->argv[i];
    if (!is_option(text)) {
      const cli_command *found = option_table_command(text);
      if (!found) return;
      p->command = found;
      p->named = found->name;
      p->named_at = i;
      return;
    }
    const option_spec *spec = find_option(text, ~0u);
    if (spec && spec->argument && !split_option(text).value) i++;
  }
}

static exit_status option_of_others(const parser *p, const option_spec *spec, const char *text) {
  char others[256] = "";
  size_t used = 0;
  for (const cli_command *c = commands; c->name && used < sizeof others; c++) {
    const option_spec *its = find_option(text, c->bit);
    if (its && strcmp(its->name, spec->name) == 0) used += (size_t)snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "", c->name);
  }
  return message_usage(p->named, "--%s is no option of %s, but of %s", spec->name, p->command->name, others);
}

static exit_status wrong_option(const parser *p, const char *text) {
  written_option written = split_option(text);
  const option_spec *spec = find_option(text, ~0u);
  if (spec) return option_of_others(p, spec, text);
  nearest near = {.text = written.name, .size = text[1] == '-' ? written.size : 0};
  for (spec = options; spec->name; spec++)
    if (spec->commands & p->command->bit) nearest_try(&near, spec->name);
  if (near.best) return message_usage(p->named, "unknown option --%.*s; did you mean --%s?", (int)written.size, written.name, near.best);
  return message_usage(p->named, "unknown option %.*s", (int)(written.name + written.size - text), text);
}

/* Reads the option at argv[at]; `at` ends on its last word. */
static exit_status parse_option(parser *p) {
  const char *text = p->argv[p->at], *value = split_option(text).value;
  const option_spec *spec = find_option(text, p->command->bit);
  if (!spec) return wrong_option(p, text);
  if (!spec->argument && value) return message_usage(p->named, "--%s takes no value", spec->name);
  if (spec->argument && !value) value = p->at + 1 < p->argc ? p->argv[++p->at] : "";
  if (spec->argument && !value[0]) return message_usage(p->named, "--%s needs a value: %s", spec->name, spec->argument);
  return store(p->out, spec, value, p->named);
}

static exit_status parse_positional(parser *p) {
  const char *text = p->argv[p->at];
  cli_settings *out = p->out;
  size_t taken = (out->record != NULL) + out->more_count;
  if (p->at == p->named_at) return EXIT_DONE;
  if (!text[0]) return message_usage(p->named, "an argument is empty: a shell variable that is not set?");
  if (taken >= option_table_allowed(p->command) || out->more_count == MAX_LIST) {
    if (!p->named) return option_table_no_command(out->record);
    return message_usage(p->named, "unexpected argument \"%s\"", text);
  }
  if (!out->record)
    out->record = text;
  else
    out->more[out->more_count++] = text;
  return EXIT_DONE;
}

static exit_status parse_arguments(parser *p) {
  bool only_positional = false;
  for (p->at = 1; p->at < p->argc; p->at++) {
    const char *text = p->argv[p->at];
    exit_status status = EXIT_DONE;
    if (!only_positional && strcmp(text, "--") == 0)
      only_positional = true;
    else if (!only_positional && is_option(text))
      status = parse_option(p);
    else
      status = parse_positional(p);
    if (status != EXIT_DONE) return status;
  }
  return EXIT_DONE;
}

/* ---- What was read, as a whole ---- */

static exit_status check_arguments(const parser *p) {
  const cli_settings *out = p->out;
  size_t taken = (out->record != NULL) + out->more_count, needed = option_table_needed(p->command);
  const char *meant = !p->named && taken == 1 && access(out->record, F_OK) != 0 ? option_table_nearest(out->record) : NULL;
  if (meant) return message_usage(NULL, "\"%s\" is no command and no file; did you mean %s?", out->record, meant);
  if (taken >= needed) return EXIT_DONE;
  if (needed > 1) return message_usage(p->named, "%s takes %s", p->named, p->command->arguments);
  if (out->etrecord || out->etdump_count > 0) return EXIT_DONE;
  return message_usage(p->named, "which record? give a file or a directory");
}

/* "3" or "3-8", up to the '='. */
static bool parse_runs(const char *text, size_t size, etr_method_choice *out) {
  char first[24] = "";
  int64_t run, last;
  if (size >= sizeof first) return false;
  memcpy(first, text, size);
  char *dash = strchr(first, '-');
  if (dash) *dash = '\0';
  if (!parse_count(first, &run) || !parse_count(dash ? dash + 1 : first, &last) || last < run) return false;
  out->run = (size_t)run;
  out->last = (size_t)last;
  return true;
}

/* RUNS=METHOD texts become choices. */
static exit_status parse_choices(cli_settings *out, const char *command) {
  for (size_t i = 0; i < out->map_count; i++) {
    const char *text = out->map_texts[i], *equals = strchr(text, '=');
    if (!equals || !equals[1] || !parse_runs(text, (size_t)(equals - text), &out->choices[i]))
      return message_usage(command, "--map takes RUN=METHOD or FIRST-LAST=METHOD, not \"%s\"", text);
    out->choices[i].method = equals + 1;
  }
  return EXIT_DONE;
}

/* NAME=VALUE texts are cut in two, where they are. */
static exit_status parse_hparams(cli_settings *out, const char *command) {
  for (size_t i = 0; i < out->hparam_count; i++) {
    char *equals = strchr(out->hparam_texts[i], '=');
    if (!equals || equals == out->hparam_texts[i]) return message_usage(command, "--hparam takes NAME=VALUE, not \"%s\"", out->hparam_texts[i]);
    *equals = '\0';
    out->hparams[i] = (etr_hparam){.name = out->hparam_texts[i], .value = equals + 1};
  }
  return EXIT_DONE;
}

static exit_status set_clock(cli_settings *out, const char *command) {
  static const double per_second[] = {[ETR_UNIT_MS] = 1e3, [ETR_UNIT_NS] = 1e9, [ETR_UNIT_US] = 1e6, [ETR_UNIT_S] = 1};
  if (!out->has_source_unit) return EXIT_DONE;
  if (out->ticks_per_second > 0) return message_usage(command, "--source-unit and --ticks-per-second both say what a tick is: give one");
  out->ticks_per_second = per_second[out->source_unit];
  return EXIT_DONE;
}

exit_status option_parse(cli_settings *out, int argc, char **argv) {
  *out = (cli_settings){.top = TOP_DEFAULT};
  parser p = {.out = out, .argc = argc, .argv = argv};
  find_command(&p);
  out->command = p.named ? p.command : NULL;
  exit_status status = parse_arguments(&p);
  if (status != EXIT_DONE || out->help || out->version) return status;
  out->command = p.command;
  status = check_arguments(&p);
  if (status == EXIT_DONE) status = set_clock(out, p.named);
  if (status == EXIT_DONE) status = parse_hparams(out, p.named);
  return status == EXIT_DONE ? parse_choices(out, p.named) : status;
}
