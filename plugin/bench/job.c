/* SPDX-License-Identifier: BSD-3-Clause
 *
 * job.c - names, records and run folders of `bench` and `watch`; the measures of a bench.
 * Statistics of methods are those of the profile; statistics of a runner's figures are computed
 * here.
 */
#include "bench/job.h"

#include "base/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The default is that of `write`: the name of the folder that the record is, or is in. */
void bench_default_name(const cli_settings *settings, char name[BENCH_NAME_ROOM]) {
  const char *record = settings->record != NULL ? settings->record : settings->etrecord;
  char *path = settings->name == NULL && record != NULL ? realpath(record, NULL) : NULL;
  if (path != NULL && !command_is_folder(path))
    *strrchr(path, '/') = '\0';
  const char *found = path != NULL ? etr_last_part(path) : "record";
  (void)snprintf(name, BENCH_NAME_ROOM, "%s", settings->name != NULL ? settings->name : found);
  if (name[0] == '\0')
    (void)snprintf(name, BENCH_NAME_ROOM, "record");
  free(path);
}

/* command_find() keeps the caller's ETDumps instead of those that it finds. */
exit_status bench_find(etr_inputs *out, const cli_settings *settings, const char *dump) {
  cli_settings own = *settings;
  own.etdumps = &dump;
  own.etdump_count = 1;
  own.without_buffer = true;
  return command_find(out, &own);
}

exit_status bench_open_found(etr_profile **out, const cli_settings *settings,
                             const etr_inputs *found, const char *const *dumps, size_t count) {
  etr_error error;
  etr_inputs inputs = *found;
  *out = NULL;
  inputs.etdumps = dumps;
  inputs.etdump_count = count;
  const etr_options reading = command_reading_options(settings);
  if (etr_profile_open(out, &inputs, &reading, &error) != ETR_OK)
    return message_error(&error);
  message_warnings(*out);
  return EXIT_DONE;
}

void bench_forget(etr_inputs *found, const cli_settings *settings) {
  if (settings->record != NULL)
    etr_inputs_clear(found);
  *found = (etr_inputs){0};
}

exit_status bench_open(etr_profile **out, const cli_settings *settings, const char *const *dumps,
                       size_t count) {
  etr_inputs found;
  *out = NULL;
  exit_status status = bench_find(&found, settings, dumps[0]);
  if (status != EXIT_DONE)
    return status;
  status = bench_open_found(out, settings, &found, dumps, count);
  bench_forget(&found, settings);
  return status;
}

exit_status bench_open_side(etr_profile **out, const cli_settings *settings,
                            const bench_side *side) {
  const char **dumps = calloc(side->count + 1, sizeof *dumps);
  *out = NULL;
  if (dumps == NULL)
    return message_failed("out of memory");
  for (size_t i = 0; i < side->count; i++)
    dumps[i] = side->recordings[i].dump;
  exit_status status = bench_open(out, settings, dumps, side->count);
  free(dumps);
  return status;
}

void bench_logdir_options(etr_logdir_options *out, const cli_settings *settings, char *host) {
  (void)gethostname(host, 255);
  *out = (etr_logdir_options){.wall_time = command_now(),
                              .host = host,
                              .pid = (long)getpid(),
                              .max_bytes = command_bytes(settings->max_output)};
}

/* ---- Measures ---- */

static bench_measure *add_measure(bench_measures *measures, size_t count) {
  bench_measure *more = realloc(measures->list, (measures->count + 1) * sizeof *more);
  if (more == NULL)
    return NULL;
  measures->list = more;
  more += measures->count;
  *more = (bench_measure){.values = calloc(count, sizeof *more->values)};
  if (more->values == NULL)
    return NULL;
  measures->count++;
  return more;
}

static double to_ms(const etr_profile *profile, double ticks) {
  return etr_ticks_to_unit(profile, ticks, ETR_UNIT_MS);
}

const char *bench_kind_name(measure_kind kind) {
  static const char *const names[] = {"method", "runner", "wall"};
  return names[kind];
}

const char *bench_method_name(const char *method) {
  return method[0] != '\0' ? method : "unknown method";
}

bool bench_measures_add_methods(bench_measures *measures, const etr_profile *profile) {
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (method->run_count == 0)
      continue;
    bench_measure *added = add_measure(measures, method->run_count);
    if (added == NULL)
      return false;
    added->name = bench_method_name(method->name);
    added->unit = "ms";
    added->count = method->run_count;
    for (size_t k = 0; k < added->count; k++)
      added->values[k] = to_ms(profile, (double)method->execute_per_run[k]);
    added->p50 = to_ms(profile, method->execute.p50);
    added->avg = to_ms(profile, method->execute.avg);
    added->min = to_ms(profile, method->execute.min);
    added->max = to_ms(profile, method->execute.max);
  }
  return true;
}

static int by_size(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

bool bench_measures_add(bench_measures *measures, measure_kind kind, const char *name,
                        const char *unit, const double *values, size_t count) {
  size_t known = 0;
  for (size_t i = 0; i < count; i++)
    known += (size_t)(isfinite(values[i]) != 0);
  if (known == 0)
    return true;
  bench_measure *added = add_measure(measures, known);
  if (added == NULL)
    return false;
  added->kind = kind;
  added->name = name;
  added->unit = unit;
  for (size_t i = 0; i < count; i++)
    if (isfinite(values[i]))
      added->values[added->count++] = values[i];
  double *sorted = calloc(known, sizeof *sorted), sum = 0;
  if (sorted == NULL)
    return false;
  memcpy(sorted, added->values, known * sizeof *sorted);
  qsort(sorted, known, sizeof *sorted, by_size);
  for (size_t i = 0; i < known; i++)
    sum += sorted[i];
  added->min = sorted[0];
  added->max = sorted[known - 1];
  added->avg = sum / (double)known;
  added->p50 = (sorted[(known - 1) / 2] + sorted[known / 2]) / 2;
  free(sorted);
  return true;
}

void bench_measures_clear(bench_measures *measures) {
  for (size_t i = 0; i < measures->count; i++)
    free(measures->list[i].values);
  free(measures->list);
  *measures = (bench_measures){0};
}
