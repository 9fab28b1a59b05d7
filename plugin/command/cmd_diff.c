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
  double percent;
  size_t compared, exceeded, untold;
} limit;

/* Prints an error if the method exceeds the limit, or if too few runs hide whether it does. */
static void check_limit(limit *l, const etr_comparison *comparison, const etr_method_pair *method, etr_unit unit) {
  const etr_change *execute = &method->execute;
  if (!execute->base_runs || !execute->new_runs) return;
  double slower = execute->new_p50 - execute->base_p50;
  double percent = execute->base_p50 > 0 ? 100 * slower / execute->base_p50 : 0;
  l->compared++;
  if (execute->verdict == ETR_VERDICT_FEW_RUNS) {
    message_failed("%s: %+.1f %%, but %zu and %zu runs are too few to tell that from noise; record at least 3",
                   name_of(method), percent, execute->base_runs, execute->new_runs);
    l->untold++;
  } else if (percent > l->percent && execute->verdict == ETR_VERDICT_SLOWER) {
    message_failed("%s: the median of Method::execute rose from %.4f to %.4f %s: %.1f %% slower, the limit is %g %%",
                   name_of(method), etr_ticks_to_unit(comparison->newer, execute->base_p50, unit),
                   etr_ticks_to_unit(comparison->newer, execute->new_p50, unit), etr_unit_name(unit), percent,
                   l->percent);
    l->exceeded++;
  }
}

exit_status command_check_limits(const etr_comparison *comparison, const cli_settings *settings) {
  limit l = {.percent = settings->fail_above};
  if (!settings->has_fail_above) return EXIT_DONE;
  for (size_t i = 0; i < comparison->method_count; i++)
    if (is_asked_for(&comparison->methods[i], settings))
      check_limit(&l, comparison, &comparison->methods[i], settings->unit);
  if (l.exceeded) return EXIT_ABOVE_LIMIT;
  if (l.untold) return EXIT_TOO_FEW_RUNS;
  return l.compared ? EXIT_DONE : message_failed("--fail-above: no method was timed in both records");
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
  if (etr_compare(&comparison, base, newer, &error) != ETR_OK) return message_error(&error);
  exit_status result = command_print_diff(comparison, settings);
  if (result == EXIT_DONE) result = command_check_limits(comparison, settings);
  etr_comparison_close(comparison);
  return result;
}
