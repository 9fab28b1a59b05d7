/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command.c - opening the inputs, and the size of the terminal.
 */
#include "command.h"

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
  if (!settings->record || etr_inputs_find(out, settings->record, &chosen, &error) == ETR_OK) return EXIT_DONE;
  return message_error(&error);
}

exit_status command_open(etr_profile **out, const cli_settings *settings) {
  etr_error error;
  etr_inputs inputs;
  *out = NULL;
  exit_status found = command_find(&inputs, settings);
  if (found != EXIT_DONE) return found;
  etr_options options = {.ticks_per_second = settings->ticks_per_second, .choices = settings->choices, .choice_count = settings->map_count};
  etr_status status = etr_profile_open(out, &inputs, &options, &error);
  if (settings->record) etr_inputs_clear(&inputs);
  if (status != ETR_OK) return message_error(&error);
  message_warnings(*out);
  return EXIT_DONE;
}

static exit_status check_method(const etr_profile *profile, const char *method) {
  bool known = !method;
  for (size_t i = 0; i < profile->method_count && !known; i++) known = strcmp(profile->methods[i].name, method) == 0;
  for (size_t i = 0; i < profile->graph_count && !known; i++) known = strcmp(profile->graphs[i].method, method) == 0;
  if (known) return EXIT_DONE;
  etr_error error = {.offset = ETR_NO_OFFSET};
  size_t used = (size_t)snprintf(error.message, sizeof error.message, "there is no method %s here; there are:", method);
  for (size_t i = 0; i < profile->method_count && used < sizeof error.message; i++)
    used += (size_t)snprintf(error.message + used, sizeof error.message - used, " %s", profile->methods[i].name);
  return message_error(&error);
}

static bool is_entry(const etr_graph *graph, const char *entry) {
  size_t size = strlen(graph->module);
  return strncmp(graph->module, entry, size) == 0 && entry[size] == '/' && strcmp(graph->method, entry + size + 1) == 0;
}

etr_status command_entry(size_t *graph, const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  for (size_t i = 0; i < profile->graph_count; i++) {
    const etr_graph *g = &profile->graphs[i];
    if ((settings->entry && !is_entry(g, settings->entry)) || (settings->method && strcmp(g->method, settings->method) != 0)) continue;
    *graph = i;
    return ETR_OK;
  }
  *error = (etr_error){.offset = ETR_NO_OFFSET};
  if (profile->graph_count == 0) {
    (void)snprintf(error->message, sizeof error->message, "there is no graph here: an ETDump alone has none, give its ETRecord too");
    return ETR_ERROR_CHOICE;
  }
  size_t used = (size_t)snprintf(error->message, sizeof error->message,
                                 "there is no entry point %s%s%s here; there are:", settings->entry ? settings->entry : "",
                                 settings->entry && settings->method ? " of method " : "", settings->method ? settings->method : "");
  for (size_t i = 0; i < profile->graph_count && used < sizeof error->message; i++)
    used += (size_t)snprintf(error->message + used, sizeof error->message - used, " %s/%s", profile->graphs[i].module, profile->graphs[i].method);
  return ETR_ERROR_CHOICE;
}

bool command_has_file(const cli_settings *settings) { return settings->output && strcmp(settings->output, "-") != 0; }

etr_status command_put(const cli_settings *settings, etr_emitter emit, void *context, etr_error *error) {
  etr_sink sink = message_stdout();
  return command_has_file(settings) ? etr_write_file(settings->output, emit, context, error) : emit(context, &sink, error);
}

static exit_status finish(const cli_settings *settings, etr_status status, const etr_error *error) {
  if (status != ETR_OK && command_has_file(settings)) return message_error(error);
  return message_written(status, error);
}

exit_status command_run(const cli_settings *settings, command_answer answer) {
  etr_profile *profile;
  etr_error error = {.offset = ETR_NO_OFFSET};
  exit_status result = command_open(&profile, settings);
  if (result != EXIT_DONE) return result;
  result = check_method(profile, settings->method);
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
