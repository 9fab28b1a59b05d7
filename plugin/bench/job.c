/* SPDX-License-Identifier: BSD-3-Clause
 *
 * job.c - names, records and run folders of `bench` and `watch`.
 */
#include "bench/job.h"

#include "base/system.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The default is that of `write`: the name of the folder that the record is, or is in; "record" if
 * there is no such name. */
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

/* command_find_inputs() keeps the caller's ETDumps instead of those that it finds. */
exit_status bench_find_record(etr_inputs *out, const cli_settings *settings, const char *dump) {
  cli_settings own = *settings;
  own.etdumps = &dump;
  own.etdump_count = 1;
  own.without_buffer = true;
  return command_find_inputs(out, &own);
}

exit_status bench_open_record(etr_profile **out, const cli_settings *settings,
                              const etr_inputs *found, const char *const *dumps, size_t count) {
  etr_error error;
  etr_inputs inputs = *found;
  *out = NULL;
  inputs.etdumps = dumps;
  inputs.etdump_count = count;
  const etr_options reading = command_reading_options(settings);
  if (etr_profile_open(out, &inputs, &reading, &error) != ETR_OK)
    return message_error(&error);
  message_warnings(*out, NULL);
  return EXIT_DONE;
}

void bench_clear_record(etr_inputs *found, const cli_settings *settings) {
  if (settings->record != NULL)
    etr_inputs_clear(found);
  *found = (etr_inputs){0};
}

exit_status bench_open_side(etr_profile **out, const cli_settings *settings,
                            const bench_side *side) {
  const char **dumps = calloc(side->count + 1, sizeof *dumps);
  etr_inputs found;
  *out = NULL;
  if (dumps == NULL)
    return message_failed("out of memory");
  for (size_t i = 0; i < side->count; i++)
    dumps[i] = side->recordings[i].dump;
  exit_status status = bench_find_record(&found, settings, dumps[0]);
  if (status == EXIT_DONE) {
    status = bench_open_record(out, settings, &found, dumps, side->count);
    bench_clear_record(&found, settings);
  }
  free(dumps);
  return status;
}

void bench_logdir_options(etr_logdir_options *out, const cli_settings *settings, char *host) {
  (void)gethostname(host, 255);
  *out = (etr_logdir_options){.wall_time = command_seconds_since_1970(),
                              .host = host,
                              .pid = (long)getpid(),
                              .max_bytes = command_bytes(settings->max_output)};
}
