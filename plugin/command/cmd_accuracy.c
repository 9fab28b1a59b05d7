/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_accuracy.c - `etrecord-tb accuracy` and `etrecord-tb reference`.
 */
#include "command/command.h"
#include "command/python.h"
#include "command/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- accuracy ---- */

static etr_accuracy_choice choice_of(const cli_settings *settings) {
  return (etr_accuracy_choice){.by = settings->has_by ? ETR_ACCURACY_OF_MODULE + settings->by
                                                      : ETR_ACCURACY_OF_VALUE,
                               .order = settings->accuracy_order,
                               .has_input = settings->has_input,
                               .input = (uint32_t)settings->input};
}

etr_status command_accuracy_table(const etr_profile *profile, const etr_node_filter *filter,
                                  const etr_table_options *options, const etr_sink *sink,
                                  etr_error *error) {
  const etr_accuracy none = {.profile = profile, .method = ETR_NONE};
  return etr_emit_accuracy_table(&none, filter, NULL, options, sink, error);
}

/* The records that are compared, and the one that the reference is of. */
typedef struct accuracy_job {
  const cli_settings *settings;
  etr_profile *profiles[ETR_MOST_VARIANTS],
      *reference_record; /* reference_record: NULL if it is not given */
  etr_accuracy *accuracies[ETR_MOST_VARIANTS];
  const char *names[ETR_MOST_VARIANTS];
  size_t count;
} accuracy_job;

static etr_status emit_job(void *context, const etr_sink *sink, etr_error *error) {
  const accuracy_job *job = context;
  const etr_accuracy_choice choice = choice_of(job->settings);
  const etr_node_filter filter = command_filter(job->settings);
  const etr_table_options options = command_table_options(job->settings);
  bool json = job->settings->format == FORMAT_JSON;
  if (job->count == 1)
    return json ? etr_emit_accuracy_json(job->accuracies[0], sink, error)
                : etr_emit_accuracy_table(job->accuracies[0], &filter, &choice, &options, sink,
                                          error);
  const etr_accuracy_variants variants = {
      .accuracies = (const etr_accuracy *const *)job->accuracies,
      .names = job->names,
      .count = job->count,
      .reference_record = job->reference_record ? job->reference_record : job->profiles[0]};
  return json ? etr_emit_accuracy_variants_json(&variants, &choice, sink, error)
              : etr_emit_accuracy_variants(&variants, &choice, &options, sink, error);
}

/* Returns true if the arguments are records of their own, and not files of one record. */
static bool are_several(const cli_settings *settings) {
  etr_inputs found;
  if (settings->more_count == 0)
    return false;
  const char *const *all = settings->more - 1; /* the first argument is in front of the others */
  if (etr_inputs_find_all(&found, all, 1 + settings->more_count, NULL, NULL) != ETR_OK)
    return true;
  etr_inputs_clear(&found);
  return false;
}

/* ---- Several records ---- */

/* Returns the last part of a path, "int8" of "out/int8/". */
static const char *name_of(const char *path) {
  const char *name = path;
  for (const char *at = path; *at; at++)
    if (*at == '/' && at[1] && at[1] != '/')
      name = at + 1;
  return name;
}

static exit_status open_records(accuracy_job *job) {
  cli_settings own = *job->settings;
  cli_command command = *job->settings->command;
  bool several = are_several(job->settings);
  size_t count = several ? 1 + job->settings->more_count : 1;
  if (count > ETR_MOST_VARIANTS)
    return message_usage("accuracy", "at most %d records are put side by side",
                         (int)ETR_MOST_VARIANTS);
  if (several && !job->settings->reference)
    return message_usage("accuracy",
                         "several records need --reference FILE, with which all are compared");
  if (several)
    own.more_count = 0;
  own.command = &command;
  own.reference = NULL;
  command.compares_values = !job->settings->reference; /* with a reference among the files */
  for (size_t i = 0; i < count; i++) {
    if (i > 0)
      own.record = job->settings->more[i - 1];
    exit_status status = command_open(&job->profiles[i], &own);
    if (status != EXIT_DONE)
      return status;
    job->names[i] = name_of(own.record);
    job->count++;
  }
  if (!job->settings->reference_record)
    return EXIT_DONE;
  return command_open_reference(&job->reference_record, job->settings);
}

static exit_status compare_all(accuracy_job *job) {
  etr_error error;
  for (size_t i = 0; i < job->count; i++) {
    job->accuracies[i] = job->profiles[i]->accuracy;
    job->profiles[i]->accuracy = NULL;
    if (job->accuracies[i])
      continue;
    const etr_accuracy_options options = {.reference = job->settings->reference,
                                          .on_aten = job->settings->accuracy_graph == 1,
                                          .reference_record = job->reference_record || i == 0
                                                                  ? job->reference_record
                                                                  : job->profiles[0]};
    if (etr_accuracy_open(&job->accuracies[i], job->profiles[i], &options, &error) != ETR_OK)
      return message_error(&error);
    message_accuracy_warnings(job->accuracies[i]);
  }
  return EXIT_DONE;
}

/* Returns EXIT_ABOVE_LIMIT or EXIT_CANNOT_TELL, with a message, if --fail-below says so. */
static exit_status check_limit(const accuracy_job *job) {
  exit_status result = EXIT_DONE;
  for (size_t i = 0; job->settings->has_fail_below && i < job->count; i++) {
    const etr_value_accuracy *output = etr_accuracy_worst_output(job->accuracies[i]);
    if (!output) {
      message_failed("%s: --fail-below: no output of the model was compared", job->names[i]);
      if (result == EXIT_DONE)
        result = EXIT_CANNOT_TELL;
    } else if (output->gap.unlike > 0 || output->gap.snr_db < job->settings->fail_below) {
      char why[64];
      if (output->gap.unlike > 0)
        (void)snprintf(why, sizeof why, "%llu wrong NaN or infinities",
                       (unsigned long long)output->gap.unlike);
      else
        (void)snprintf(why, sizeof why, "%.1f dB", output->gap.snr_db);
      message_failed("%s: output %s is below the limit of %g dB: %s", job->names[i], output->name,
                     job->settings->fail_below, why);
      result = EXIT_ABOVE_LIMIT;
    }
  }
  return result;
}

/* Returns EXIT_CANNOT_TELL, with a message, if nothing of a record was compared. */
static exit_status check_compared(const accuracy_job *job) {
  exit_status result = EXIT_DONE;
  for (size_t i = 0; i < job->count; i++) {
    if (job->accuracies[i]->ranked_count > 0)
      continue;
    message_failed("%s: no value was compared", job->names[i]);
    result = EXIT_CANNOT_TELL;
  }
  return result;
}

exit_status command_accuracy(const cli_settings *settings) {
  accuracy_job job = {.settings = settings};
  exit_status result = EXIT_DONE;
  if (settings->columns && settings->format == FORMAT_JSON)
    return message_usage("accuracy", "--columns applies to tables; JSON has all columns");
  if (settings->reference_record && !settings->reference)
    return message_usage("accuracy", "--reference-record needs --reference FILE");
  result = open_records(&job);
  if (result == EXIT_DONE)
    result = command_check_names(job.profiles[0], settings);
  if (result == EXIT_DONE)
    result = compare_all(&job);
  if (result == EXIT_DONE)
    result = command_put(settings, emit_job, &job);
  if (result == EXIT_DONE)
    result = settings->has_fail_below ? check_limit(&job) : check_compared(&job);
  for (size_t i = 0; i < ETR_MOST_VARIANTS; i++) {
    etr_accuracy_close(job.accuracies[i]);
    etr_profile_close(job.profiles[i]);
  }
  etr_profile_close(job.reference_record);
  return result;
}

/* ---- reference ---- */

enum { OWN_ARGUMENTS = 24, A_YEAR = 366 * 24 * 3600 };

static void add_option(const char **arguments, size_t *count, const char *name, const char *value) {
  if (!value)
    return;
  arguments[(*count)++] = name;
  arguments[(*count)++] = value;
}

exit_status command_make_reference(cli_settings *settings) {
  python_start python;
  runner_outcome outcome;
  size_t count = PYTHON_ARGUMENTS;
  if (!settings->output)
    return message_usage("reference", "reference needs the file to write: -o REF.safetensors");
  const char **arguments = calloc(OWN_ARGUMENTS + 2 * settings->etdump_count + settings->more_count,
                                  sizeof *arguments);
  if (!arguments)
    return message_failed("out of memory");
  python_prepare(&python, "reference", "`reference` needs", "reference");
  memcpy(arguments, python.arguments, sizeof python.arguments);
  add_option(arguments, &count, "--output", settings->output);
  add_option(arguments, &count, "--inputs", settings->inputs_file);
  add_option(arguments, &count, "--for", settings->reference_for);
  add_option(arguments, &count, "--etrecord", settings->etrecord);
  add_option(arguments, &count, "--pte", settings->pte);
  add_option(arguments, &count, "--debug-buffer", settings->debug_buffer);
  for (size_t i = 0; i < settings->etdump_count; i++)
    add_option(arguments, &count, "--etdump", settings->etdumps[i]);
  if (settings->all_nodes)
    arguments[count++] = "--all";
  if (settings->local)
    arguments[count++] = "--local";
  arguments[count++] = "--";
  if (settings->record)
    arguments[count++] = settings->record;
  for (size_t i = 0; i < settings->more_count; i++)
    arguments[count++] = settings->more[i];
  arguments[count] = NULL;
  runner_run(&outcome,
             &(runner_program){.arguments = arguments, .seconds = A_YEAR, .shows_errors = true});
  exit_status result = EXIT_DONE;
  if (outcome.start_error)
    result = message_failed(
        "cannot start %s: %s: install Python and `pip install \"etrecord-tb[reference]\"`, or name "
        "a Python with ETRECORD_TB_PYTHON",
        arguments[0], strerror(outcome.start_error));
  else if (!runner_succeeded(&outcome))
    result = EXIT_BAD_INPUT; /* it has said why, unless a signal ended it */
  if (outcome.signal_number > 0)
    result = message_failed(
        "%s was killed by signal %d: perhaps there is too little memory for the model",
        arguments[0], outcome.signal_number);
  runner_clear(&outcome);
  free(arguments);
  return result;
}

exit_status command_reference(const cli_settings *settings) {
  const char *of = settings->record, *device = settings->reference_for;
  if (!of)
    of = settings->etrecord ? settings->etrecord : "RECORD";
  printf("etrecord-tb accuracy %s --reference %s%s%s\n", device ? device : of, settings->output,
         device ? " --reference-record " : "", device ? of : "");
  return message_written(ETR_OK, NULL);
}
