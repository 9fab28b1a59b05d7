/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_compare.c - `etrecord-tb compare`: reads one record after the other, and keeps only the
 * first.
 */
#include "command/command.h"

#include <string.h>

typedef struct compare_job {
  const cli_settings *settings;
  etr_record_set *set;
  etr_profile *first; /* the first record that could be read */
  size_t failed;
} compare_job;

/* Returns what has a row, with a column for each record. */
static etr_records_by rows_of(const cli_settings *settings) {
  return settings->has_by ? (etr_records_by)(ETR_RECORDS_BY_OP + settings->by) : ETR_RECORDS_ALONE;
}

/* Writes the set of records in the format that was chosen. */
static etr_status emit_set(void *context, const etr_sink *sink, etr_error *error) {
  const compare_job *job = context;
  const etr_table_options options = command_table_options(job->settings);
  if (job->settings->format == FORMAT_BENCHMARK)
    return etr_emit_benchmark_json(job->set, sink, error);
  return job->settings->format == FORMAT_JSON
             ? etr_emit_compare_json(job->set, job->settings->unit, sink, error)
             : etr_emit_compare_table(job->set, rows_of(job->settings), &options, sink, error);
}

exit_status command_print_benchmark(const etr_profile *profile, const cli_settings *settings) {
  compare_job job = {.settings = settings};
  cli_settings own = *settings;
  etr_error error;
  own.format = FORMAT_BENCHMARK;
  job.settings = &own;
  const etr_record_set_options options = {.method = settings->method};
  etr_status status = etr_record_set_open(&job.set, &options, &error);
  if (status == ETR_OK)
    status = etr_record_set_add(job.set, profile, "", "", &error);
  exit_status result = status == ETR_OK ? command_emit(&own, emit_set, &job)
                                        : message_error(&error);
  etr_record_set_close(job.set);
  return result;
}

etr_status command_compare_table(const etr_profile *profile, const etr_node_filter *filter,
                                 const etr_table_options *options, const etr_sink *sink,
                                 etr_error *error) {
  etr_record_set *set;
  (void)filter;
  etr_status status = etr_record_set_open(&set, &(etr_record_set_options){0}, error);
  if (status == ETR_OK)
    status = etr_record_set_add(set, profile, "", "", error);
  if (status == ETR_OK)
    status = etr_emit_compare_table(set, ETR_RECORDS_ALONE, options, sink, error);
  etr_record_set_close(set);
  return status;
}

/* ---- Names ---- */

const char *command_record_path(const cli_settings *settings, size_t index) {
  return index == 0 ? settings->record : settings->more[index - 1];
}

/* Copies the last part of a path without slashes at its end, "int8" of "out/int8/". */
static void copy_last_part(char name[PATH_MAX], const char *path) {
  size_t size = strlen(path);
  while (size > 1 && path[size - 1] == '/')
    size--;
  size_t start = size;
  while (start > 0 && path[start - 1] != '/')
    start--;
  (void)snprintf(name, PATH_MAX, "%.*s", (int)(size - start), path + start);
}

void command_name_record(char *name, const cli_settings *settings, size_t index) {
  char other[PATH_MAX];
  const char *path = command_record_path(settings, index);
  bool is_alone = true;
  copy_last_part(name, path);
  for (size_t i = 0; i <= settings->more_count; i++) {
    copy_last_part(other, command_record_path(settings, i));
    is_alone &= i == index || strcmp(other, name) != 0;
  }
  if (!is_alone || name[0] == '\0' || name[0] == '.')
    (void)snprintf(name, PATH_MAX, "%s", path);
  size_t same = 1;
  for (size_t i = 0; i < index; i++)
    same += strcmp(command_record_path(settings, i), path) == 0;
  size_t size = strlen(name);
  if (same > 1)
    (void)snprintf(name + size, PATH_MAX - size, " (%zu)", same);
}

/* ---- Records ---- */

/* Adds a record to the set; one that cannot be opened is added with its problem and counted. The
 * first that can be opened stays open as job->first, because the set needs it until its end. */
static exit_status add_record(compare_job *job, size_t index) {
  etr_error error;
  etr_profile *profile = NULL;
  cli_settings own_settings = *job->settings;
  char name[PATH_MAX];
  own_settings.record = command_record_path(job->settings, index);
  own_settings.more_count = 0;
  own_settings.reference = NULL; /* the set compares with it: it is of the first record */
  command_name_record(name, job->settings, index);
  if (command_open(&profile, &own_settings) != EXIT_DONE) {
    job->failed++;
    etr_profile_close(profile);
    etr_status status = etr_record_set_add_problem(job->set, name, own_settings.record,
                                                   message_last(), &error);
    return status == ETR_OK ? EXIT_DONE : message_error(&error);
  }
  if (!job->first)
    job->first = profile;
  etr_status status = etr_record_set_add(job->set, profile, name, own_settings.record, &error);
  if (profile != job->first)
    etr_profile_close(profile);
  return status == ETR_OK ? EXIT_DONE : message_error(&error);
}

/* Prints as warnings what cannot be compared. Text, Markdown and JSON contain it themselves. */
static void warn_of_notes(const compare_job *job) {
  output_format format = job->settings->format;
  if (format == FORMAT_TEXT || format == FORMAT_MARKDOWN || format == FORMAT_JSON)
    return;
  for (size_t i = 0; etr_record_set_note(job->set, i); i++)
    message_warning("%s", etr_record_set_note(job->set, i));
}

/* ---- Exit status ---- */

/* Returns the exit status of --fail-above: EXIT_ABOVE_LIMIT if a time became that much longer,
 * EXIT_CANNOT_TELL if that cannot be said of some or nothing was compared, each with a message,
 * else EXIT_DONE. */
static exit_status check_limit(const compare_job *job) {
  size_t above_count = etr_record_set_limits(job->set, ETR_LIMIT_ABOVE);
  size_t undecided_count = etr_record_set_limits(job->set, ETR_LIMIT_OPEN);
  size_t below_count = etr_record_set_limits(job->set, ETR_LIMIT_BELOW);
  if (!job->settings->has_fail_above)
    return EXIT_DONE;
  if (above_count) {
    (void)message_failed("%zu of %zu are above the limit of %g %%", above_count,
                         above_count + undecided_count + below_count, job->settings->fail_above);
    return EXIT_ABOVE_LIMIT;
  }
  if (undecided_count || !below_count) {
    (void)message_failed(undecided_count
                             ? "cannot tell of %zu of %zu whether they are above the limit of %g %%"
                             : "--fail-above: nothing was timed in two records (%zu of %zu, %g %%)",
                         undecided_count, undecided_count + below_count, job->settings->fail_above);
    return EXIT_CANNOT_TELL;
  }
  return EXIT_DONE;
}

exit_status command_compare(const cli_settings *settings) {
  compare_job job = {.settings = settings};
  etr_error error;
  const etr_record_set_options options = {.compare = command_compare_options(settings),
                                          .by = rows_of(settings),
                                          .method = settings->method,
                                          .reference = settings->reference};
  exit_status result = command_check_noise(settings, "compare");
  if (result != EXIT_DONE)
    return result;
  if (settings->more_count == 0)
    return message_usage("compare", "compare needs two records or more; for one, see summary");
  if (settings->columns && settings->format == FORMAT_JSON)
    return message_usage("compare", "--columns applies to tables; JSON has all columns");
  if (etr_record_set_open(&job.set, &options, &error) != ETR_OK)
    result = message_error(&error);
  for (size_t i = 0; result == EXIT_DONE && i <= settings->more_count; i++)
    result = add_record(&job, i);
  if (result == EXIT_DONE && !job.first)
    result = EXIT_BAD_INPUT; /* each problem was printed */
  if (result == EXIT_DONE && etr_record_set_finish(job.set, &error) != ETR_OK)
    result = message_error(&error);
  if (result == EXIT_DONE) {
    warn_of_notes(&job);
    result = command_emit(settings, emit_set, &job);
  }
  if (result == EXIT_DONE)
    result = check_limit(&job);
  if (result == EXIT_DONE && job.failed)
    result = EXIT_SOME_FAILED;
  etr_record_set_close(job.set);
  etr_profile_close(job.first);
  return result;
}
