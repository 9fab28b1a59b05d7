/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared.c - names, records and run folders of `bench` and `watch`.
 */
#include "bench/shared.h"

#include "base/system.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As `write` calls it: the folder that the record is, or is in. */
void bench_default_name(const cli_settings *settings, char name[BENCH_NAME_ROOM]) {
  const char *record = settings->record != NULL ? settings->record : settings->etrecord;
  char *path = settings->name == NULL && record != NULL ? realpath(record, NULL) : NULL;
  struct stat about;
  if (path != NULL && stat(path, &about) == 0 && !S_ISDIR(about.st_mode)) *strrchr(path, '/') = '\0';
  const char *found = path != NULL ? etr_last_part(path) : "record";
  (void)snprintf(name, BENCH_NAME_ROOM, "%s", settings->name != NULL ? settings->name : found);
  if (name[0] == '\0') (void)snprintf(name, BENCH_NAME_ROOM, "record");
  free(path);
}

/* command_find() frees and lends the dumps that it finds; those here stand in for them. */
exit_status bench_open(etr_profile **out, const cli_settings *settings, const char *const *dumps, size_t count) {
  etr_error error;
  etr_inputs found;
  cli_settings own = *settings;
  *out = NULL;
  own.etdumps[0] = dumps[0];
  own.etdump_count = 1;
  own.without_buffer = true;
  exit_status status = command_find(&found, &own);
  if (status != EXIT_DONE) return status;
  etr_inputs inputs = found;
  inputs.etdumps = dumps;
  inputs.etdump_count = count;
  const etr_options reading = command_reading_options(settings);
  if (etr_profile_open(out, &inputs, &reading, &error) != ETR_OK) status = message_error(&error);
  if (own.record != NULL) etr_inputs_clear(&found);
  if (status == EXIT_DONE) message_warnings(*out);
  return status;
}

exit_status bench_open_side(etr_profile **out, const cli_settings *settings, const bench_side *side) {
  const char **dumps = calloc(side->count + 1, sizeof *dumps);
  *out = NULL;
  if (dumps == NULL) return message_failed("out of memory");
  for (size_t i = 0; i < side->count; i++) dumps[i] = side->recordings[i].dump;
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
