/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_diff.c - `etrecord-tb diff`: what became slower or faster.
 */
#include "command.h"

#include <stdio.h>
#include <string.h>

/* Rows of each table where --top does not say: a comment on a pull request is to stay short. */
enum { ROWS = 10 };

/* ---- Which two ---- */

/* The settings of one side: a record of its own, or one dump of a record that both have. */
static exit_status split(cli_settings *base, cli_settings *newer, const cli_settings *settings) {
  *base = *newer = *settings;
  if (settings->more_count > 0) {
    if (settings->etdump_count)
      return message_usage("diff", "--etdump goes with one record; two are given, \"%s\" and \"%s\"", settings->record, settings->more[0]);
    newer->record = settings->more[0];
    return EXIT_DONE;
  }
  if (settings->etdump_count != 2) return message_usage("diff", "compare with what? give NEW behind BASE, or --etdump twice");
  base->without_buffer = newer->without_buffer = true;
  base->etdump_count = newer->etdump_count = 1;
  newer->etdumps[0] = settings->etdumps[1];
  return EXIT_DONE;
}

static exit_status check_method(const etr_comparison *comparison, const char *method) {
  etr_error error = {.offset = ETR_NO_OFFSET};
  for (size_t i = 0; i < comparison->method_count; i++)
    if (!method || strcmp(comparison->methods[i].name, method) == 0) return EXIT_DONE;
  if (!method) return EXIT_DONE;
  snprintf(error.message, sizeof error.message, "neither side has a method %s", method);
  return message_error(&error);
}

/* ---- The limit ---- */

typedef struct limit {
  double percent;
  size_t compared, exceeded;
} limit;

static double percent_of(const etr_change *execute) {
  return execute->base_p50 > 0 ? 100 * (execute->new_p50 - execute->base_p50) / execute->base_p50 : 0;
}

/* Says which method exceeds the limit, or would if noise could be told. */
static void check_limit(limit *l, const etr_comparison *comparison, const cli_settings *settings, const etr_method_pair *method) {
  const etr_change *execute = &method->execute;
  double percent = percent_of(execute), base = etr_ticks_to_unit(comparison->newer, execute->base_p50, settings->unit);
  double newer = etr_ticks_to_unit(comparison->newer, execute->new_p50, settings->unit);
  if (!execute->base_runs || !execute->new_runs) return;
  l->compared++;
  if (percent <= l->percent) return;
  const char *unit = etr_unit_name(settings->unit);
  const char *name = method->name[0] ? method->name : "a method";
  if (execute->verdict == ETR_VERDICT_SLOWER) {
    etr_error error = {.offset = ETR_NO_OFFSET};
    snprintf(error.message, sizeof error.message, "%s: the median of Method::execute went from %.4f to %.4f %s, %.1f %% slower: the limit is %g %%",
             name, base, newer, unit, percent, l->percent);
    message_error(&error);
    l->exceeded++;
  } else if (execute->verdict == ETR_VERDICT_FEW_RUNS)
    message_warning("%s: %.1f %% slower, but with %zu and %zu runs that cannot be told from noise; 3 runs are the least", name, percent,
                    execute->base_runs, execute->new_runs);
}

static exit_status check_limits(const etr_comparison *comparison, const cli_settings *settings) {
  limit l = {.percent = settings->fail_above};
  if (!settings->has_fail_above) return EXIT_DONE;
  for (size_t i = 0; i < comparison->method_count; i++)
    if (!settings->method || strcmp(comparison->methods[i].name, settings->method) == 0)
      check_limit(&l, comparison, settings, &comparison->methods[i]);
  if (l.exceeded) return EXIT_ABOVE_LIMIT;
  if (l.compared) return EXIT_DONE;
  etr_error error = {.message = "no method was timed on both sides: --fail-above has nothing to check", .offset = ETR_NO_OFFSET};
  return message_error(&error);
}

/* ---- Together ---- */

static void warn_of_other_models(const etr_comparison *comparison) {
  for (size_t i = 0; i < comparison->method_count; i++) {
    const etr_method_pair *method = &comparison->methods[i];
    if (!method->may_differ || !method->execute.base_runs || !method->execute.new_runs) continue;
    message_warning("%s: only %zu of %zu timed nodes of both sides line up: these may be different models",
                    method->name[0] ? method->name : "a method", method->timed_paired, method->timed_nodes);
  }
}

static exit_status write_comparison(const etr_comparison *comparison, const cli_settings *settings) {
  etr_error error = {.offset = ETR_NO_OFFSET};
  etr_sink sink = message_stdout();
  etr_diff_filter filter = {.method = settings->method, .by = settings->has_by ? ETR_DIFF_BY_NODE + settings->by : ETR_DIFF_BY_ALL};
  etr_table_options options = command_table_options(settings);
  if (settings->top == TOP_DEFAULT && (settings->format == FORMAT_TEXT || settings->format == FORMAT_MARKDOWN)) options.top = ROWS;
  etr_status status = settings->format == FORMAT_JSON ? etr_emit_diff_json(comparison, &filter, settings->unit, &sink, &error)
                                                      : etr_emit_diff_tables(comparison, &filter, &options, &sink, &error);
  return message_written(status, &error);
}

static exit_status compare(const etr_profile *base, const etr_profile *newer, const cli_settings *settings) {
  etr_error error;
  etr_comparison *comparison;
  if (etr_compare(&comparison, base, newer, &error) != ETR_OK) return message_error(&error);
  exit_status result = check_method(comparison, settings->method);
  if (result == EXIT_DONE) {
    warn_of_other_models(comparison);
    result = write_comparison(comparison, settings);
  }
  if (result == EXIT_DONE) result = check_limits(comparison, settings);
  etr_comparison_close(comparison);
  return result;
}

exit_status command_diff(const cli_settings *settings) {
  cli_settings base_settings, new_settings;
  etr_profile *base, *newer;
  exit_status result = split(&base_settings, &new_settings, settings);
  if (result == EXIT_DONE) result = command_open(&base, &base_settings);
  if (result != EXIT_DONE) return result;
  result = command_open(&newer, &new_settings);
  if (result == EXIT_DONE) {
    result = compare(base, newer, settings);
    etr_profile_close(newer);
  }
  etr_profile_close(base);
  return result;
}
