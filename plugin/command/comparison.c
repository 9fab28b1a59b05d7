/* SPDX-License-Identifier: BSD-3-Clause
 *
 * comparison.c - prints a comparison and checks it against limits, for `diff` and `bench`.
 */
#include "command/command.h"

#include <string.h>

static bool is_selected(const etr_method_pair *method, const cli_settings *settings) {
  return !settings->method || strcmp(method->name, settings->method) == 0;
}

static const char *name_of(const etr_method_pair *method) {
  return method->name[0] ? method->name : "a method";
}

exit_status command_check_limits(const etr_comparison *comparison, const cli_settings *settings) {
  size_t compared = 0, exceeded = 0, undecided = 0;
  if (!settings->has_fail_above)
    return EXIT_DONE;
  for (size_t i = 0; i < comparison->method_count; i++) {
    const etr_method_pair *method = &comparison->methods[i];
    const etr_change *execute = &method->execute;
    char text[512];
    if (!is_selected(method, settings) || !execute->base_runs || !execute->new_runs)
      continue;
    compared++;
    etr_limit_answer answer = etr_change_against_limit(comparison, execute);
    if (answer == ETR_LIMIT_BELOW)
      continue;
    etr_describe_change(text, sizeof text, comparison, execute);
    message_failed("%s: %s the limit of %g %%: %s", name_of(method),
                   answer == ETR_LIMIT_ABOVE ? "above" : "cannot tell whether it is above",
                   settings->fail_above, text);
    if (answer == ETR_LIMIT_ABOVE)
      exceeded++;
    else
      undecided++;
  }
  if (exceeded)
    return EXIT_ABOVE_LIMIT;
  if (undecided)
    return EXIT_CANNOT_TELL;
  if (!compared) {
    message_failed("--fail-above: no method was timed in both records");
    return EXIT_CANNOT_TELL;
  }
  return EXIT_DONE;
}

exit_status command_check_noise(const cli_settings *settings, const char *command) {
  bool good = !settings->has_recording_noise ||
              (settings->recording_noise > 0 && settings->recording_noise <= 100);
  return good ? EXIT_DONE
              : message_usage(command, "--recording-noise takes a percentage above 0, up to 100");
}

etr_compare_options command_compare_options(const cli_settings *settings) {
  return (etr_compare_options){.limit = settings->has_fail_above ? settings->fail_above / 100 : 0,
                               .recording_noise = settings->recording_noise / 100,
                               .is_in_turns = settings->in_turns};
}

/* Warns for each method if the two sides look like different models or had different inputs. Text
 * and Markdown say this themselves. */
static void warn_of_differences(const etr_comparison *comparison, const cli_settings *settings) {
  if (settings->format == FORMAT_TEXT || settings->format == FORMAT_MARKDOWN)
    return;
  for (size_t i = 0; i < comparison->method_count; i++) {
    const etr_method_pair *method = &comparison->methods[i];
    if (!is_selected(method, settings) || !method->execute.base_runs || !method->execute.new_runs)
      continue;
    if (method->may_differ)
      message_warning("%s: these look like two different models: %zu of %zu timed nodes match",
                      name_of(method), method->timed_paired, method->timed_nodes);
    for (size_t difference = 0; difference < method->difference_count; difference++)
      if (method->differences[difference].kind == ETR_DIFFERS_INPUT) {
        message_warning("%s: the inputs of the two sides differ", name_of(method));
        break;
      }
  }
}

typedef struct program_question {
  const etr_program_diff *diff;
  const cli_settings *settings;
} program_question;

typedef struct compared {
  const etr_comparison *comparison;
  const cli_settings *settings;
} compared;

/* Writes a comparison in the format that was chosen. The words of --by are in the order of
 * etr_diff_by, from ETR_DIFF_BY_NODE on. */
static etr_status emit_comparison(void *context, const etr_sink *sink, etr_error *error) {
  const etr_comparison *comparison = ((const compared *)context)->comparison;
  const cli_settings *settings = ((const compared *)context)->settings;
  etr_diff_filter filter = {.method = settings->method,
                            .by = settings->has_by ? ETR_DIFF_BY_NODE + settings->by
                                                   : ETR_DIFF_BY_ALL};
  etr_table_options options = command_table_options(settings);
  return settings->format == FORMAT_JSON
             ? etr_emit_diff_json(comparison, &filter, settings->unit, sink, error)
             : etr_emit_diff_tables(comparison, &filter, &options, sink, error);
}

/* Writes the comparison of two programs' sizes in the format that was chosen. */
static etr_status emit_programs(void *context, const etr_sink *sink, etr_error *error) {
  const program_question *asked = context;
  etr_table_options options = command_table_options(asked->settings);
  return asked->settings->format == FORMAT_JSON
             ? etr_emit_program_diff_json(asked->diff, sink, error)
             : etr_emit_program_diff_tables(asked->diff, &options, sink, error);
}

exit_status command_diff_programs(const etr_profile *base, const etr_profile *newer,
                                  const cli_settings *settings) {
  etr_error error;
  etr_program_diff *diff;
  if (etr_program_diff_open(&diff, base, newer, &error) != ETR_OK)
    return message_error(&error);
  exit_status result = command_emit(settings, emit_programs, &(program_question){diff, settings});
  etr_program_diff_close(diff);
  return result;
}

exit_status command_print_diff(const etr_comparison *comparison, const cli_settings *settings) {
  bool is_there = !settings->method;
  for (size_t i = 0; i < comparison->method_count && !is_there; i++)
    is_there = is_selected(&comparison->methods[i], settings);
  if (!is_there)
    return message_failed("neither record has a method named %s", settings->method);
  warn_of_differences(comparison, settings);
  return command_emit(settings, emit_comparison, &(compared){comparison, settings});
}
