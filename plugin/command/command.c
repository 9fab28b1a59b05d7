/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command.c - what commands share: their inputs, their output, the terminal.
 */
#include "command/command.h"
#include "command/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

bool command_ends_with(const char *text, const char *end) {
  size_t size = strlen(text), end_size = strlen(end);
  return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

exit_status command_find_inputs(etr_inputs *out, const cli_settings *settings) {
  etr_error error;
  const etr_inputs chosen = {.etrecord = settings->etrecord,
                             .etdumps = settings->etdumps,
                             .etdump_count = settings->etdump_count,
                             .pte = settings->pte,
                             .debug_buffer = settings->debug_buffer};
  const char **paths = calloc(1 + settings->more_count, sizeof *paths);
  if (!paths)
    return message_failed("out of memory");
  paths[0] = settings->record;
  for (size_t i = 0; i < settings->more_count; i++)
    paths[1 + i] = settings->more[i];
  *out = chosen;
  bool is_found = !settings->record || etr_inputs_find_all(out, paths, 1 + settings->more_count,
                                                           &chosen, &error) == ETR_OK;
  free(paths);
  if (!is_found)
    return message_error(&error);
  if (settings->without_buffer)
    out->debug_buffer = NULL;
  exit_status checked = output_check_inputs(out);
  if (checked != EXIT_DONE && settings->record)
    etr_inputs_clear(out);
  return checked;
}

uint64_t command_bytes(double number) {
  return number < 9e18 ? (uint64_t)number : UINT64_MAX;
}

etr_options command_reading_options(const cli_settings *settings) {
  return (etr_options){
      .ticks_per_second = settings->ticks_per_second,
      .choices = settings->choices,
      .choice_count = settings->map_count,
      .max_bytes = command_bytes(settings->max_bytes),
      .max_nodes = (uint32_t)settings->max_nodes,
      .max_events = (uint32_t)settings->max_events,
      .max_delegates = (uint32_t)settings->max_delegates,
      .max_comparisons = (uint32_t)settings->max_comparisons,
      .edge_only = settings->command->edge_only && !settings->sizes,
      .without = settings->command->without & ~(settings->sizes ? (unsigned)ETR_WITHOUT_MEMORY : 0),
      .skip = settings->skip,
      .skip_count = (uint32_t)settings->skip_count,
      .first_run = settings->first_run,
      .last_run = settings->last_run,
      .statistic = settings->ranking,
      .instructions = settings->instructions[0] ? settings->instructions : NULL,
      .peaks = {settings->peak_flops, settings->peak_int_ops, settings->peak_bandwidth},
      .source_root = settings->source_root};
}

bool command_is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

FILE *command_open_file(const char *path, const char **reason) {
  struct stat about;
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool is_file = descriptor >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  FILE *file = is_file ? fdopen(descriptor, "rb") : NULL;
  *reason = descriptor >= 0 && !is_file ? "not a file" : strerror(errno);
  if (file == NULL && descriptor >= 0) {
    (void)close(descriptor);
    errno = EIO;
  }
  return file;
}

bool command_part_file(char out[PATH_MAX], const char *path, size_t index) {
  static const char *const ends[COMMAND_PART_FILES] = {"", "_state_dict", "_constants",
                                                       "_example_inputs"};
  int size = snprintf(out, PATH_MAX, "%s%s", path, ends[index]);
  return size > 0 && size < PATH_MAX;
}

/* ---- Outputs ---- */

const char *command_logdir(const cli_settings *settings) {
  return settings->logdir ? settings->logdir : "runs";
}

bool writer_is_wanted(const cli_settings *settings) {
  return settings->format == FORMAT_PARQUET || settings->format == FORMAT_ARROW;
}

bool command_has_file(const cli_settings *settings) {
  return settings->output && strcmp(settings->output, "-") != 0 && !writer_is_wanted(settings);
}

const char *command_extension(const cli_settings *settings) {
  const char *dot = settings->output ? strrchr(settings->output, '.') : NULL;
  return dot && !strpbrk(dot, "/\\") ? dot : "";
}

bool command_extension_is_one_of(const cli_settings *settings, const char *const *extensions,
                                 size_t count) {
  const char *extension = command_extension(settings);
  for (size_t i = 0; i < count; i++)
    if (strcasecmp(extension, extensions[i]) == 0)
      return true;
  return false;
}

drawing_format command_drawing(const cli_settings *settings) {
  const char *extension = settings->has_format ? "" : command_extension(settings);
  if (strcmp(extension, ".svg") == 0)
    return DRAWING_SVG;
  if (strcmp(extension, ".png") == 0)
    return DRAWING_PNG;
  return strcmp(extension, ".pdf") == 0 ? DRAWING_PDF : (drawing_format)settings->format;
}

bool command_draws_picture(const cli_settings *settings) {
  return settings->command->draws && command_drawing(settings) != DRAWING_DOT;
}

bool command_fills_terminal(const cli_settings *settings) {
  return !command_has_file(settings) && isatty(STDOUT_FILENO);
}

exit_status command_emit(const cli_settings *settings, etr_emitter emit, void *context) {
  etr_error error = {.offset = ETR_NO_OFFSET};
  etr_limited limited = {
      .emit = emit, .context = context, .max_bytes = command_bytes(settings->max_output)};
  if (!command_has_file(settings)) {
    exit_status printed = message_written(message_print(etr_emit_limited, &limited, &error),
                                          &error);
    if (printed == EXIT_DONE && writer_is_wanted(settings) && puts("") >= 0)
      (void)fflush(stdout); /* ends the answer */
    if (printed == EXIT_DONE)
      output_note_answer();
    return printed;
  }
  return output_write(etr_emit_limited, &limited);
}

typedef struct question {
  const etr_profile *profile;
  const cli_settings *settings;
} question;

static etr_status emit_answer(void *context, const etr_sink *sink, etr_error *error) {
  const question *q = context;
  return q->settings->command->answer(q->profile, q->settings, sink, error);
}

exit_status command_emit_answer(const etr_profile *profile, const cli_settings *settings) {
  return command_emit(settings, emit_answer, &(question){profile, settings});
}

/* ---- Tables ---- */

/* Returns the width of a line of text in columns: by --width, or else by the variable COLUMNS, or
 * else by the terminal. ETR_ANY_WIDTH for "--width 0" and files; 0 if the terminal does not say. */
static size_t text_width(const cli_settings *settings) {
  struct winsize size;
  const char *columns_text = getenv("COLUMNS");
  size_t digits = columns_text ? strspn(columns_text, "0123456789") : 0;
  if (settings->has_width)
    return settings->width ? (size_t)settings->width : ETR_ANY_WIDTH;
  if (digits > 0 && digits < 10 && !columns_text[digits] && atoi(columns_text) > 0)
    return (size_t)atoi(columns_text);
  if (!isatty(STDOUT_FILENO))
    return ETR_ANY_WIDTH;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Returns true if text is colored: as --color says, or else NO_COLOR (no-color.org), or else
 * FORCE_COLOR (force-color.org), or else if the output is a terminal that knows colors. */
static bool wants_color(const cli_settings *settings) {
  const char *no_color = getenv("NO_COLOR");
  const char *force_color = getenv("FORCE_COLOR");
  const char *terminal = getenv("TERM");
  if (settings->color != COLOR_AUTO)
    return settings->color == COLOR_ALWAYS;
  if (no_color && no_color[0])
    return false;
  if (force_color && force_color[0] && strcmp(force_color, "0") != 0)
    return true;
  return isatty(STDOUT_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
}

/* Returns true if the encoding of the locale is UTF-8. As in POSIX, the first of the variables that
 * is set and not empty decides; without any of them it is assumed. */
static bool is_utf8(void) {
  static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  const char *locale = NULL;
  for (size_t i = 0; i < sizeof variables / sizeof variables[0] && !(locale && locale[0]); i++)
    locale = getenv(variables[i]);
  if (!locale || !locale[0])
    return true;
  const char *encoding = strchr(locale, '.');
  return encoding &&
         (strncasecmp(encoding, ".utf-8", 6) == 0 || strncasecmp(encoding, ".utf8", 5) == 0);
}

/* Returns the number of rows of a table without --top: the command's own number or 30 in text, its
 * own number or all in Markdown, all for programs (0 means all). */
static size_t usual_rows(const cli_settings *settings) {
  enum { ROWS = 30 };
  size_t command_rows = settings->command->rows;
  if (settings->format == FORMAT_TEXT)
    return command_rows ? command_rows : ROWS;
  return settings->format == FORMAT_MARKDOWN ? command_rows : 0;
}

/* Returns how many findings to show, as etr_table_options has it: 0 for the usual number, SIZE_MAX
 * for all, which --findings 0 asks for. */
static size_t number_of_findings(int64_t given) {
  if (given == TOP_DEFAULT)
    return 0;
  return given ? (size_t)given : SIZE_MAX;
}

bool command_quote(char *out, size_t room, const char *word) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+@%-";
  const char *quote = word[0] && !word[strspn(word, plain)] ? "" : "'";
  size_t used = (size_t)snprintf(out, room, "%s", quote);
  for (; *word && used + sizeof "'\\'''" <= room; word++)
    used += (size_t)snprintf(out + used, room - used, *word == '\'' ? "'\\'%c" : "%c", *word);
  (void)snprintf(out + used, room - used, "%s", quote);
  return *word == '\0';
}

/* Returns the record as a person types it, "a.pte b.etdp", for command lines that an answer
 * suggests. NULL if options name its files, or if it is long. Static, until the next call. */
static const char *record_as_typed(const cli_settings *settings) {
  static char typed[1024];
  size_t used = 0;
  bool has_options = settings->etrecord || settings->pte || settings->etdump_count ||
                     settings->each;
  if (!settings->record || has_options)
    return NULL;
  for (size_t i = 0; i <= settings->more_count; i++) {
    const char *name = i ? settings->more[i - 1] : settings->record;
    if (i && used + 1 < sizeof typed)
      typed[used++] = ' ';
    if (name[0] == '-' || !command_quote(typed + used, sizeof typed - used, name))
      return NULL;
    used += strlen(typed + used);
  }
  return typed;
}

etr_table_options command_table_options(const cli_settings *settings) {
  static const etr_table_format formats[] = {[FORMAT_TEXT] = ETR_TABLE_TEXT,
                                             [FORMAT_JSON] = ETR_TABLE_TEXT,
                                             [FORMAT_CSV] = ETR_TABLE_CSV,
                                             [FORMAT_TSV] = ETR_TABLE_TSV,
                                             [FORMAT_MARKDOWN] = ETR_TABLE_MARKDOWN,
                                             [FORMAT_JSON_LINES] = ETR_TABLE_JSON_LINES,
                                             [FORMAT_PARQUET] = ETR_TABLE_JSON_LINES,
                                             [FORMAT_ARROW] = ETR_TABLE_JSON_LINES,
                                             [FORMAT_BENCHMARK] = ETR_TABLE_TEXT};
  return (etr_table_options){
      .format = formats[settings->format],
      .unit = settings->unit,
      .order = (etr_node_order)settings->order,
      .top = settings->top == TOP_DEFAULT ? usual_rows(settings) : (size_t)settings->top,
      .depth = (int)settings->depth,
      .findings = number_of_findings(settings->findings),
      .all = settings->all,
      .explain = settings->explain,
      .record = record_as_typed(settings),
      .full_names = settings->full_names,
      .has_unit = settings->has_unit,
      .width = text_width(settings),
      .color = wants_color(settings),
      .ascii = !is_utf8(),
      .columns = settings->columns,
      .tags = settings->tags,
      .tag_count = settings->tag_count,
      .by = settings->has_by ? (etr_sum_by)(ETR_SUM_BY_OP + settings->by) : ETR_SUM_BY_ALL,
      .by_delegate = settings->has_by && settings->by == 1,
      .stack = settings->stack,
      .typed = writer_is_wanted(settings)};
}
