/* SPDX-License-Identifier: BSD-3-Clause
 *
 * option.c - parses the command line by the tables of commands and options.
 */
#include "command/command.h"
#include "command/option_table.h"

#include "base/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- Values ---- */

/* Parses a whole number of at most nine digits. Returns false for any other text. */
static bool parse_count(const char *text, int64_t *out) {
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 9 || text[digits])
    return false;
  *out = strtoll(text, NULL, 10);
  return true;
}

/* Parses a number above 0, or with a unit a number of at least 0, after which the unit may follow:
 * "5%" or "5", "30dB". Returns false for any other text, also for "inf" and "0x10", which strtod()
 * would take. Its decimal point is that of the C locale, which the command never changes. */
static bool parse_number(const char *text, const char *unit, double *out) {
  char *value_end;
  double value = strtod(text, &value_end);
  if (value_end == text || strspn(text, "0123456789.eE+-") < (size_t)(value_end - text) ||
      !isfinite(value))
    return false;
  if (unit && strcmp(value_end, unit) == 0)
    value_end += strlen(unit);
  if (*value_end || (unit ? value < 0 : value <= 0))
    return false;
  *out = value;
  return true;
}

/* Finds a word in a list such as "ms|us|ns", and sets *out to its index. Returns false if it is not
 * in the list. */
static bool parse_word(const char *words, const char *text, unsigned *out) {
  size_t size = strlen(text);
  unsigned index = 0;
  for (const char *word = words; word; index++) {
    const char *word_end = strchr(word, '|');
    size_t length = word_end ? (size_t)(word_end - word) : strlen(word);
    if (length == size && memcmp(word, text, size) == 0) {
      *out = index;
      return true;
    }
    word = word_end ? word_end + 1 : NULL;
  }
  return false;
}

typedef struct parser {
  cli_settings *out;
  const cli_command *command;
  const char *named; /* the command's name if it was given, for hints */
  int named_at;      /* its index in argv; 0: none */
  int argc, at;
  char **argv;
} parser;

/* Appends a value to a list of settings. The list is made here if it is NULL, with room for all
 * words of the command line, so that it never grows; like the settings, it lives until the process
 * ends. */
static exit_status append_file(const parser *p, const char ***files, size_t *count,
                               const char *value) {
  if (!*files)
    *files = calloc((size_t)p->argc, sizeof **files);
  if (!*files)
    return message_failed("out of memory");
  (*files)[(*count)++] = value;
  return EXIT_DONE;
}

/* Parses a value into the option's member of the settings, and notes in its second member, if it
 * has one (offset2 is not 0), that it was given; a list has its count there. Fails with a message
 * if the value is not of the option's kind. */
static exit_status store_value(const parser *p, const option_spec *spec, const char *value) {
  static const char *const descriptions[] = {[OPTION_COUNT] = "a whole number from 0 to 999999999",
                                             [OPTION_NUMBER] = "a number above 0",
                                             [OPTION_PERCENT] = "a percentage such as 5%",
                                             [OPTION_DECIBEL] = "an SNR such as 30dB"};
  const char *words = option_table_words(spec, p->command);
  void *member = (char *)p->out + spec->offset, *second_member = (char *)p->out + spec->offset2;
  bool is_good = true;
  switch (spec->kind) {
  case OPTION_LIST:
    if (*(size_t *)second_member == MAX_LIST)
      return message_usage(p->named, "--%s given more than %d times", spec->name, (int)MAX_LIST);
    ((const char **)member)[(*(size_t *)second_member)++] = value;
    return EXIT_DONE;
  case OPTION_FILES:
    return append_file(p, member, second_member, value);
  case OPTION_FLAG:
    *(bool *)member = true;
    break;
  case OPTION_TEXT:
    *(const char **)member = value;
    break;
  case OPTION_COUNT:
    is_good = parse_count(value, member);
    break;
  case OPTION_NUMBER:
    is_good = parse_number(value, NULL, member);
    break;
  case OPTION_PERCENT:
    is_good = parse_number(value, "%", member);
    break;
  case OPTION_DECIBEL:
    is_good = parse_number(value, "dB", member);
    break;
  case OPTION_WORD:
    is_good = parse_word(words, value, member);
    break;
  }
  if (!is_good)
    return message_usage(p->named, "--%s takes %s, not \"%s\"", spec->name,
                         words ? words : descriptions[spec->kind], value);
  if (spec->offset2)
    *(bool *)second_member = true;
  return EXIT_DONE;
}

/* ---- Arguments ---- */

/* An option as it is written: --name, --name=value, -n or -nvalue. */
typedef struct written_option {
  const char *name;
  size_t size;
  const char *value; /* NULL: the value is the next word, or there is none */
} written_option;

static bool is_option(const char *text) {
  return text[0] == '-' && text[1];
}

/* Splits an option as it is written into its name, its length, and the value that is part of it:
 * "-n5", "--name=5". The value is NULL if there is none. */
static written_option split_option(const char *text) {
  if (text[1] != '-')
    return (written_option){text + 1, 1, text[2] ? text + 2 : NULL};
  const char *equals = strchr(text, '=');
  return (written_option){text + 2, equals ? (size_t)(equals - text - 2) : strlen(text + 2),
                          equals ? equals + 1 : NULL};
}

/* Returns the row of the option that a text names, "-n" or "--name", for a command, or for any if
 * `command` is NULL. Returns NULL if it has no such option. */
static const option_spec *find_option(const char *text, const cli_command *command) {
  written_option written = split_option(text);
  for (const option_spec *spec = option_specs; spec->name; spec++) {
    bool is_written = text[1] != '-' ? spec->letter == text[1]
                                     : strlen(spec->name) == written.size &&
                                           memcmp(spec->name, written.name, written.size) == 0;
    if (is_written && (!command || option_table_has(spec, command)))
      return spec;
  }
  return NULL;
}

/* Returns the index of the next word from `index` on that is neither an option nor the value of
 * one, or argc at the end or at "--". Whether an option takes a value is the same for all commands.
 * */
static int next_argument(const parser *p, int index) {
  for (; index < p->argc && strcmp(p->argv[index], "--") != 0; index++) {
    if (!is_option(p->argv[index]))
      return index;
    const option_spec *spec = find_option(p->argv[index], NULL);
    if (spec && spec->argument && !split_option(p->argv[index]).value)
      index++;
  }
  return p->argc;
}

/* Finds the command before the options are parsed, because it decides what they mean: the first
 * argument, if that names one, or else the default command. */
static void find_command(parser *p) {
  int first_argument = next_argument(p, 1);
  const cli_command *named_command = first_argument < p->argc
                                         ? option_table_command(p->argv[first_argument])
                                         : NULL;
  p->command = named_command ? named_command : &commands[0];
  if (!named_command)
    return;
  p->named = named_command->name;
  p->named_at = first_argument;
}

/* Returns the name of the command that a word after the record names or, if no command was given,
 * resembles. Returns NULL if the word names a file that exists, or looks like a path or NAME=FILE.
 */
static const char *misplaced_command(const parser *p, const char *text) {
  const cli_command *named_command = option_table_command(text);
  if (access(text, F_OK) == 0)
    return NULL;
  if (named_command)
    return named_command->name;
  return p->named || strpbrk(text, "./\\=") ? NULL : option_table_nearest(text);
}

/* Refuses a command after the record, where it would be taken for a file of the record. The message
 * has the line with the command in its place. */
static exit_status check_order(const parser *p) {
  char line[512] = "";
  size_t used = 0;
  if (p->command->runs_program || p->command->bit == FOR_HELP)
    return EXIT_DONE;
  for (int index = next_argument(p, next_argument(p, 1) + 1); index < p->argc;
       index = next_argument(p, index + 1)) {
    const char *name = misplaced_command(p, p->argv[index]);
    if (!name)
      continue;
    for (int i = 1; i < p->argc && used < sizeof line; i++)
      if (i != index && i != p->named_at)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", p->argv[i]);
    return message_usage(name, "the command comes first: etrecord-tb %s%s", name, line);
  }
  return EXIT_DONE;
}

/* Refuses an option that the command does not have, and returns EXIT_USAGE. The message says which
 * commands have it, or which option may be meant. */
static exit_status refuse_option(const parser *p, const char *text) {
  written_option written = split_option(text);
  const option_spec *spec = find_option(text, NULL);
  char other_commands[256] = "";
  size_t used = 0, count = 0;
  for (const cli_command *c = commands; spec && c->name && used < sizeof other_commands; c++) {
    const option_spec *same_letter = find_option(text, c);
    if (!same_letter || strcmp(same_letter->name, spec->name) != 0)
      continue;
    used += (size_t)snprintf(other_commands + used, sizeof other_commands - used, "%s%s",
                             count ? ", " : "", c->name);
    count++;
  }
  if (spec)
    return message_usage(p->named, "%s has no option --%s (%s %s)", p->command->name, spec->name,
                         other_commands, count == 1 ? "does" : "do");
  const char *nearest = option_table_nearest_option(p->command, written.name,
                                                    text[1] == '-' ? written.size : 0);
  if (nearest)
    return message_usage(p->named, "unknown option --%.*s; did you mean --%s?", (int)written.size,
                         written.name, nearest);
  return message_usage(p->named, "unknown option %.*s", (int)(written.name + written.size - text),
                       text);
}

/* Parses the option at argv[at], and its value, into the settings. `at` ends on its last word. */
static exit_status parse_option(parser *p) {
  const char *text = p->argv[p->at], *value = split_option(text).value;
  const option_spec *spec = find_option(text, p->command);
  if (!spec)
    return refuse_option(p, text);
  if (!spec->argument && value)
    return message_usage(p->named, "--%s takes no value", spec->name);
  if (spec->argument && !value)
    value = p->at + 1 < p->argc ? p->argv[++p->at] : "";
  if (spec->argument && !value[0])
    return message_usage(p->named, "--%s needs a value: %s", spec->name, spec->argument);
  if (spec->offset == offsetof(cli_settings, help))
    p->out->is_help_short = text[1] != '-';
  return store_value(p, spec, value);
}

/* Takes an argument that is no option: the record, or a further one for commands that allow it. The
 * name of the command itself is passed over. If there is none, and the first argument names no
 * file, a second argument shows that the first one is a mistyped command. Fails with a message for
 * that, for an empty argument, and for one too many. */
static exit_status parse_positional(parser *p) {
  const char *text = p->argv[p->at];
  if (p->command->runs_program && p->at != p->named_at)
    return message_usage(p->named, "the command to run needs -- in front of it: -- %s", text);
  cli_settings *out = p->out;
  size_t taken = (out->record != NULL) + out->more_count;
  if (p->at == p->named_at)
    return EXIT_DONE;
  if (!p->named && taken == 1 && access(out->record, F_OK) != 0 && strcmp(out->record, "-") != 0)
    return option_table_refuse_command(out->record);
  if (!text[0])
    return message_usage(p->named, "empty argument: is a shell variable unset?");
  if (taken >= option_table_allowed(p->command))
    return message_usage(p->named, "unexpected argument \"%s\"", text);
  /* Arguments are gathered at the start of argv, where all words were read before. */
  p->argv[1 + taken] = p->argv[p->at];
  out->more = (const char *const *)(void *)(p->argv + 2);
  out->record = p->argv[1];
  out->more_count = taken;
  return EXIT_DONE;
}

/* Parses all words of the command line; after "--" they are no options, or the command line of the
 * program that the command runs. */
static exit_status parse_arguments(parser *p) {
  bool is_after_dashes = false;
  for (p->at = 1; p->at < p->argc; p->at++) {
    const char *text = p->argv[p->at];
    exit_status status = EXIT_DONE;
    if (!is_after_dashes && strcmp(text, "--") == 0) {
      if (p->command->runs_program) { /* everything after it belongs to the program */
        p->out->program = (const char *const *)(void *)(p->argv + p->at + 1);
        return EXIT_DONE;
      }
      is_after_dashes = true;
    } else if (!is_after_dashes && is_option(text))
      status = parse_option(p);
    else
      status = parse_positional(p);
    if (status != EXIT_DONE)
      return status;
  }
  return EXIT_DONE;
}

/* ---- Checks of the whole command line ---- */

/* Checks that there are as many arguments as the command needs, and that a single word which names
 * no file is not a mistyped command. Returns EXIT_USAGE, with a message, otherwise. */
static exit_status check_arguments(const parser *p) {
  const cli_settings *out = p->out;
  if (p->command->runs_program) {
    if (!out->record && !out->etrecord)
      return message_usage(p->named, "no record given: name it with --record DIR");
    if (out->program && out->program[0] && out->program[0][0])
      return EXIT_DONE;
    return message_usage(
        p->named,
        "no command to run: put it after --, as in -- ./executor_runner --model_path m.pte");
  }
  size_t argument_count = (out->record != NULL) + out->more_count;
  size_t needed_count = option_table_needed(p->command);
  const char *nearest_command = !p->named && argument_count == 1 && access(out->record, F_OK) != 0
                                    ? option_table_nearest(out->record)
                                    : NULL;
  if (nearest_command)
    return message_usage(NULL, "\"%s\" is neither a command nor a file; did you mean %s?",
                         out->record, nearest_command);
  if (argument_count >= needed_count)
    return EXIT_DONE;
  if (needed_count > 1)
    return message_usage(p->named, "%s needs %s", p->named, p->command->arguments);
  if (out->etrecord || out->pte || out->etdump_count > 0)
    return EXIT_DONE;
  return message_usage(p->named, "no record given: name a file or a directory");
}

/* Parses "3" or "3-8", a text of `size` bytes, into the first and the last run. Returns false for
 * any other text. */
static bool parse_runs(const char *text, size_t size, size_t *out, size_t *out_last) {
  char first_text[24] = "";
  int64_t run, last;
  if (size >= sizeof first_text)
    return false;
  memcpy(first_text, text, size);
  char *dash = strchr(first_text, '-');
  if (dash)
    *dash = '\0';
  if (!parse_count(first_text, &run) || !parse_count(dash ? dash + 1 : first_text, &last) ||
      last < run)
    return false;
  *out = (size_t)run;
  *out_last = (size_t)last;
  return true;
}

/* Parses the texts of --map, "RUN=METHOD" or "FIRST-LAST=METHOD", into the choices of the settings.
 * */
static exit_status parse_choices(cli_settings *out, const char *command) {
  for (size_t i = 0; i < out->map_count; i++) {
    const char *text = out->map_texts[i], *equals = strchr(text, '=');
    etr_method_choice *choice = &out->choices[i];
    if (!equals || !equals[1] ||
        !parse_runs(text, (size_t)(equals - text), &choice->run, &choice->last))
      return message_usage(command, "--map takes RUN=METHOD or FIRST-LAST=METHOD, not \"%s\"",
                           text);
    choice->method = equals + 1;
  }
  return EXIT_DONE;
}

/* Chooses the runs that count, by --skip-runs or --runs. Without either, warm-up is left out,
 * except by commands that show all runs. */
static exit_status choose_runs(cli_settings *out, const char *command) {
  const char *skip = out->skip_text, *runs = out->runs_text;
  if (skip && runs)
    return message_usage(command, "give --skip-runs or --runs, not both");
  out->skip = out->command->shows_all ? ETR_SKIP_NONE : ETR_SKIP_AUTO;
  if (runs) {
    out->skip = ETR_SKIP_RANGE;
    return parse_runs(runs, strlen(runs), &out->first_run, &out->last_run)
               ? EXIT_DONE
               : message_usage(command, "--runs takes a run or FIRST-LAST, not \"%s\"", runs);
  }
  if (!skip || strcmp(skip, "auto") == 0) {
    if (skip)
      out->skip = ETR_SKIP_AUTO;
    return EXIT_DONE;
  }
  out->skip = ETR_SKIP_FIRST;
  return parse_count(skip, &out->skip_count)
             ? EXIT_DONE
             : message_usage(command, "--skip-runs takes auto or a number, not \"%s\"", skip);
}

/* Cuts texts "NAME=VALUE" in two, in place, and sets the tags. Fails with a message that names the
 * option. */
static exit_status parse_tags(etr_tag *tags, const char **texts, size_t count, const char *option,
                              const char *command) {
  for (size_t i = 0; i < count; i++) {
    char *equals = strchr(texts[i], '=');
    if (!equals || equals == texts[i])
      return message_usage(command, "--%s takes NAME=VALUE, not \"%s\"", option, texts[i]);
    *equals = '\0';
    tags[i] = (etr_tag){.name = texts[i], .value = equals + 1};
  }
  return EXIT_DONE;
}

/* Takes the arguments NAME=FILE of `pack` out of the other arguments, and cuts them in two, in
 * place. An argument that names an existing file is not one of them. */
static exit_status take_parts(cli_settings *out, const char *command) {
  if (!out->command->takes_parts || !out->record)
    return EXIT_DONE;
  const char *const *arguments = out->more - 1; /* the first argument is in front of the others */
  size_t count = 1 + out->more_count;
  if (count > MAX_LIST)
    return message_usage(command, "more than %d parts", (int)MAX_LIST);
  out->record = NULL;
  out->more_count = 0;
  for (size_t i = 0; i < count; i++) {
    char *equals = access(arguments[i], F_OK) == 0 ? NULL : strchr(arguments[i], '=');
    if (!equals && out->record)
      return message_usage(command, "unexpected argument \"%s\"", arguments[i]);
    if (!equals) {
      out->record = arguments[i];
      continue;
    }
    if (equals == arguments[i] || !equals[1])
      return message_usage(command, "a part is NAME=FILE, not \"%s\"", arguments[i]);
    *equals = '\0';
    out->parts[out->part_count++] = (etr_part){.name = arguments[i], .path = equals + 1};
  }
  return EXIT_DONE;
}

/* Returns true if --format of a command is that of a table. */
static bool has_tables(const cli_command *command) {
  return !command->draws && command->bit != FOR_TRACE && find_option("--format", command);
}

/* Chooses the format by the extension of --output, unless --format is given or the command writes
 * no tables. The format stays as it is for other extensions. */
static void choose_format(cli_settings *out) {
  static const struct {
    const char *extension;
    output_format format;
  } formats[] = {{".csv", FORMAT_CSV},          {".tsv", FORMAT_TSV},
                 {".json", FORMAT_JSON},        {".md", FORMAT_MARKDOWN},
                 {".jsonl", FORMAT_JSON_LINES}, {".ndjson", FORMAT_JSON_LINES},
                 {".parquet", FORMAT_PARQUET},  {".arrow", FORMAT_ARROW}};
  bool has_choice = !out->has_format && has_tables(out->command);
  for (size_t i = 0; has_choice && i < sizeof formats / sizeof *formats; i++)
    if (strcmp(command_extension(out), formats[i].extension) == 0)
      out->format = formats[i].format;
}

/* Refuses an output file whose extension promises what a command with tables does not write. */
static exit_status check_extension(const cli_settings *settings) {
  static const char *const other_extensions[] = {
      ".pdf",  ".xlsx", ".xls",  ".ods", ".html", ".htm", ".svg",    ".png", ".jpg",
      ".docx", ".xml",  ".yaml", ".yml", ".zip",  ".db",  ".sqlite", ".npy", ".pkl"};
  if (!has_tables(settings->command) || settings->has_format || !settings->output)
    return EXIT_DONE;
  if (!command_extension_is_one_of(settings, other_extensions,
                                   sizeof other_extensions / sizeof *other_extensions))
    return EXIT_DONE;
  return message_usage(settings->command->name,
                       "cannot write %s files: name FILE .csv, .tsv, .json, .jsonl, .md, .parquet "
                       "or .arrow, or give --format",
                       command_extension(settings));
}

/* Refuses a --source-root that is written as a path of this machine and is no folder. A part of
 * recorded paths, such as torch/nn, begins with a name and need not exist. */
static exit_status check_source_root(const cli_settings *settings) {
  const char *root = settings->source_root;
  bool is_path = root && (etr_is_slash(root[0]) || root[0] == '.' || root[0] == '~');
  if (!is_path || command_is_folder(root))
    return EXIT_DONE;
  return message_usage(settings->command->name,
                       "--source-root %s: no such folder; a part of the recorded paths is written "
                       "without a slash in front (%s)",
                       root, root + strspn(root, "/\\.~"));
}

/* Parses --explain: the number of a finding, from 1 on and of at most five digits, or "all", which
 * becomes SIZE_MAX. */
static exit_status read_explain(cli_settings *out, const char *command) {
  const char *text = out->explain_text;
  if (!text)
    return EXIT_DONE;
  char *number_end = NULL;
  unsigned long number = strtoul(text, &number_end, 10);
  bool is_number = text[0] >= '1' && text[0] <= '9' && *number_end == '\0' && number < 100000;
  if (!is_number && strcmp(text, "all") != 0)
    return message_usage(command, "--explain takes the number of a finding, or all, not %s", text);
  out->explain = is_number ? (size_t)number : SIZE_MAX;
  return EXIT_DONE;
}

/* Sets the ticks per second from --source-unit, which excludes --ticks-per-second. */
static exit_status set_clock(cli_settings *out, const char *command) {
  static const double per_second[] = {
      [ETR_UNIT_MS] = 1e3, [ETR_UNIT_NS] = 1e9, [ETR_UNIT_US] = 1e6, [ETR_UNIT_S] = 1};
  if (!out->has_source_unit)
    return EXIT_DONE;
  if (out->ticks_per_second > 0)
    return message_usage(command, "give --source-unit or --ticks-per-second, not both");
  out->ticks_per_second = per_second[out->source_unit];
  return EXIT_DONE;
}

exit_status option_parse(cli_settings *out, int argc, char **argv) {
  *out = (cli_settings){.top = TOP_DEFAULT, .findings = TOP_DEFAULT};
  parser p = {.out = out, .argc = argc, .argv = argv};
  find_command(&p);
  out->command = p.named ? p.command : NULL; /* NULL: --help is about the program */
  exit_status status = check_order(&p);
  if (status == EXIT_DONE)
    status = parse_arguments(&p);
  if (status != EXIT_DONE || out->help || out->version)
    return status;
  out->command = p.command;
  choose_format(out);
  status = check_arguments(&p);
  if (status == EXIT_DONE)
    status = check_extension(out);
  if (status == EXIT_DONE)
    status = check_source_root(out);
  if (status == EXIT_DONE)
    status = read_explain(out, out->command->name);
  if (status == EXIT_DONE)
    status = set_clock(out, p.named);
  if (status == EXIT_DONE)
    status = parse_tags(out->hparams, out->hparam_texts, out->hparam_count, "hparam", p.named);
  if (status == EXIT_DONE)
    status = parse_tags(out->given_tags, out->tag_texts, out->tag_count, "tag", p.named);
  out->tags = out->given_tags;
  if (status == EXIT_DONE)
    status = take_parts(out, p.named);
  if (status == EXIT_DONE)
    status = choose_runs(out, p.named);
  return status == EXIT_DONE ? parse_choices(out, p.named) : status;
}
