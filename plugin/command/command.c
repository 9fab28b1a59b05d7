/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command.c - opening the inputs, and the size of the terminal.
 */
#include "command.h"
#include "option_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

exit_status command_find(etr_inputs *out, const cli_settings *settings) {
  etr_error error;
  const etr_inputs chosen = {.etrecord = settings->etrecord,
                             .etdumps = (const char **)settings->etdumps,
                             .etdump_count = settings->etdump_count,
                             .pte = settings->pte,
                             .debug_buffer = settings->debug_buffer};
  *out = chosen;
  if (settings->record && etr_inputs_find(out, settings->record, &chosen, &error) != ETR_OK) return message_error(&error);
  if (settings->without_buffer) out->debug_buffer = NULL;
  return EXIT_DONE;
}

etr_options command_reading_options(const cli_settings *settings) {
  return (etr_options){.ticks_per_second = settings->ticks_per_second,
                       .choices = settings->choices,
                       .choice_count = settings->map_count,
                       .max_entry_bytes = settings->max_bytes < 9e18 ? (uint64_t)settings->max_bytes : UINT64_MAX,
                       .max_nodes = (uint32_t)settings->max_nodes,
                       .edge_only = settings->command->edge_only};
}

exit_status command_open(etr_profile **out, const cli_settings *settings) {
  etr_error error;
  etr_inputs inputs;
  *out = NULL;
  exit_status found = command_find(&inputs, settings);
  if (found != EXIT_DONE) return found;
  const etr_options reading = command_reading_options(settings);
  etr_status status = etr_profile_open(out, &inputs, &reading, &error);
  if (settings->record) etr_inputs_clear(&inputs);
  if (status != ETR_OK) return message_error(&error);
  message_warnings(*out);
  return EXIT_DONE;
}

bool command_has_file(const cli_settings *settings) { return settings->output && strcmp(settings->output, "-") != 0; }

bool command_fills_terminal(const cli_settings *settings) { return !command_has_file(settings) && isatty(STDOUT_FILENO); }

etr_status command_put(const cli_settings *settings, etr_emitter emit, void *context, etr_error *error) {
  etr_sink sink = message_stdout();
  return command_has_file(settings) ? etr_write_file(settings->output, emit, context, error) : emit(context, &sink, error);
}

static exit_status finish(const cli_settings *settings, etr_status status, const etr_error *error) {
  if (status != ETR_OK && command_has_file(settings)) return message_error(error);
  return message_written(status, error);
}

/* An answer about nothing is empty; this says why. */
static void say_what_is_missing(const etr_profile *profile, command_need need) {
  if (need == NEEDS_RUNS && profile->run_count == 0) message_warning("nothing was timed: there is no run of an ETDump here");
  if (need == NEEDS_GRAPHS && profile->graph_count == 0) message_warning("there is no graph: an ETDump alone has none, give its ETRecord too");
}

exit_status command_run(const cli_settings *settings, command_answer answer) {
  etr_profile *profile;
  etr_error error = {.offset = ETR_NO_OFFSET};
  exit_status result = command_open(&profile, settings);
  if (result != EXIT_DONE) return result;
  result = command_check_names(profile, settings);
  if (result == EXIT_DONE) {
    say_what_is_missing(profile, settings->command->need);
    command_hint(profile, settings);
  }
  if (result == EXIT_DONE) result = finish(settings, answer(profile, settings, &error), &error);
  etr_profile_close(profile);
  return result;
}

static size_t terminal_width(void) {
  struct winsize size;
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

/* What no-color.org and terminfo agree on. */
static bool wants_color(const cli_settings *settings) {
  const char *never = getenv("NO_COLOR"), *terminal = getenv("TERM");
  if (settings->color != COLOR_AUTO) return settings->color == COLOR_ALWAYS;
  return isatty(STDOUT_FILENO) && !(never && never[0]) && !(terminal && strcmp(terminal, "dumb") == 0);
}

/* The locale's encoding as POSIX has it: the first of these that is set and not empty names it. Where none says anything, UTF-8 is taken for granted.
 */
static bool is_utf8(void) {
  static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  const char *locale = NULL;
  for (size_t i = 0; i < sizeof variables / sizeof variables[0] && !(locale && locale[0]); i++) locale = getenv(variables[i]);
  if (!locale || !locale[0]) return true;
  const char *encoding = strchr(locale, '.');
  return encoding && (strncasecmp(encoding, ".utf-8", 6) == 0 || strncasecmp(encoding, ".utf8", 5) == 0);
}

etr_node_filter command_filter(const cli_settings *settings) {
  return (etr_node_filter){
      .method = settings->method, .graph_module = settings->graph, .module = settings->module, .op = settings->op, .backend = settings->backend};
}

etr_table_options command_table_options(const cli_settings *settings) {
  enum { ROWS = 30 };
  static const etr_table_format formats[] = {[FORMAT_CSV] = ETR_TABLE_CSV, [FORMAT_TSV] = ETR_TABLE_TSV, [FORMAT_MARKDOWN] = ETR_TABLE_MARKDOWN};
  bool is_table = settings->format == FORMAT_CSV || settings->format == FORMAT_TSV || settings->format == FORMAT_MARKDOWN;
  return (etr_table_options){.format = is_table ? formats[settings->format] : ETR_TABLE_TEXT,
                             .unit = settings->unit,
                             .order = settings->order,
                             .top = settings->top == TOP_DEFAULT ? (is_table ? 0 : ROWS) : (size_t)settings->top,
                             .width = terminal_width(),
                             .color = wants_color(settings),
                             .ascii = !is_utf8()};
}
