/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_diff.c - `etrecord-tb diff`: what became slower or faster.
 */
#include "command/command.h"

#include <string.h>

static bool is_asked_for(const etr_method_pair *method, const cli_settings *settings) {
  return !settings->method || strcmp(method->name, settings->method) == 0;
}

static const char *name_of(const etr_method_pair *method) { return method->name[0] ? method->name : "a method"; }

static exit_status check_method(const etr_comparison *comparison, const cli_settings *settings) {
  for (size_t i = 0; i < comparison->method_count; i++)
    if (is_asked_for(&comparison->methods[i], settings)) return EXIT_DONE;
  return settings->method ? message_failed("neither record has a method named %s", settings->method) : EXIT_DONE;
}

/* ---- The limit ---- */

typedef struct limit {
  double part; /* 0.05 for 5 % */
  size_t compared, exceeded, untold;
} limit;

/* Prints an error if the method is surely above the limit, or if it cannot be told. */
static void check_limit(limit *l, const etr_comparison *comparison, const etr_method_pair *method) {
  const etr_change *execute = &method->execute;
  char text[512];
  if (!execute->base_runs || !execute->new_runs) return;
  l->compared++;
  bool is_above = execute->low > l->part, is_below = execute->high < l->part; /* both false without an interval */
  if (is_below) return;
  etr_describe_change(text, sizeof text, comparison, execute);
  message_failed("%s: %s the limit of %g %%: %s", name_of(method),
                 is_above ? "above" : "cannot tell whether it is above", 100 * l->part, text);
  *(is_above ? &l->exceeded : &l->untold) += 1;
}

exit_status command_check_limits(const etr_comparison *comparison, const cli_settings *settings) {
  limit l = {.part = settings->fail_above / 100};
  if (!settings->has_fail_above) return EXIT_DONE;
  for (size_t i = 0; i < comparison->method_count; i++)
    if (is_asked_for(&comparison->methods[i], settings)) check_limit(&l, comparison, &comparison->methods[i]);
  if (l.exceeded) return EXIT_ABOVE_LIMIT;
  if (l.untold) return EXIT_CANNOT_TELL;
  return l.compared ? EXIT_DONE : message_failed("--fail-above: no method was timed in both records");
}

exit_status command_check_noise(const cli_settings *settings, const char *command) {
  bool good = !settings->has_recording_noise || (settings->recording_noise > 0 && settings->recording_noise <= 100);
  return good ? EXIT_DONE : message_usage(command, "--recording-noise takes a percentage above 0, up to 100");
}

etr_compare_options command_compare_options(const cli_settings *settings) {
  return (etr_compare_options){.limit = settings->has_fail_above ? settings->fail_above / 100 : 0,
                               .recording_noise = settings->recording_noise / 100};
}

/* ---- Together ---- */

/* Text and Markdown begin with that. */
static void warn_of_differences(const etr_comparison *comparison, const cli_settings *settings) {
  if (settings->format == FORMAT_TEXT || settings->format == FORMAT_MARKDOWN) return;
  for (size_t i = 0; i < comparison->method_count; i++) {
    const etr_method_pair *method = &comparison->methods[i];
    if (!is_asked_for(method, settings) || !method->execute.base_runs || !method->execute.new_runs) continue;
    if (method->may_differ)
      message_warning("%s: only %zu of %zu timed nodes match: these may be different models", name_of(method),
                      method->timed_paired, method->timed_nodes);
    for (size_t k = 0; k < method->difference_count; k++)
      if (method->differences[k].kind == ETR_DIFFERS_INPUT) {
        message_warning("%s: inputs are not the same on both sides", name_of(method));
        break;
      }
  }
}

typedef struct compared {
  const etr_comparison *comparison;
  const cli_settings *settings;
} compared;

static etr_status emit_comparison(void *context, const etr_sink *sink, etr_error *error) {
  const etr_comparison *comparison = ((const compared *)context)->comparison;
  const cli_settings *settings = ((const compared *)context)->settings;
  etr_diff_filter filter = {.method = settings->method,
                            .by = settings->has_by ? ETR_DIFF_BY_NODE + settings->by : ETR_DIFF_BY_ALL};
  etr_table_options options = command_table_options(settings);
  return settings->format == FORMAT_JSON ? etr_emit_diff_json(comparison, &filter, settings->unit, sink, error)
                                         : etr_emit_diff_tables(comparison, &filter, &options, sink, error);
}

exit_status command_print_diff(const etr_comparison *comparison, const cli_settings *settings) {
  exit_status result = check_method(comparison, settings);
  if (result != EXIT_DONE) return result;
  warn_of_differences(comparison, settings);
  return command_put(settings, emit_comparison, &(compared){comparison, settings});
}

exit_status command_diff(const etr_profile *base, const etr_profile *newer, const cli_settings *settings) {
  etr_error error;
  etr_comparison *comparison;
  const etr_compare_options options = command_compare_options(settings);
  exit_status checked = command_check_noise(settings, "diff");
  if (checked != EXIT_DONE) return checked;
  if (etr_compare(&comparison, base, newer, &options, &error) != ETR_OK) return message_error(&error);
  exit_status result = command_print_diff(comparison, settings);
  if (result == EXIT_DONE) result = command_check_limits(comparison, settings);
  etr_comparison_close(comparison);
  return result;
}
