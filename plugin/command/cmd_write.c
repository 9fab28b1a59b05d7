/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_write.c - `etrecord-tb write`: the main job.
 */
#include "command.h"
#include "dump_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void print_file(void *context, const char *path, const char *entry_point, const char *kind) {
  (void)context;
  printf("%-6s  ", kind);
  message_put_plain(stdout, entry_point);
  fputs("  ", stdout);
  message_put_plain(stdout, path);
  putchar('\n');
}

static double now(void) {
  struct timeval time;
  gettimeofday(&time, NULL);
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* What is being written: a profile for each ETDump, one after the other. */
typedef struct writing {
  const cli_settings *settings;
  const etr_inputs *inputs;
  etr_logdir *logdir;
  dump_name *names;                    /* of the ETDumps; NULL if there is at most one */
  etr_method_choice choices[MAX_LIST]; /* of the ETDump's runs */
  size_t first_run;                    /* of the ETDump, in the order of all */
} writing;

/* Choices count the runs of all ETDumps, as `info` shows them: gives how many are those of one, with its own numbers. */
static size_t own_choices(writing *w, const etr_profile *all, size_t dump) {
  size_t count = 0, runs = 0;
  for (size_t i = 0; all && i < all->run_count; i++) runs += all->runs[i].dump == dump;
  for (size_t i = 0; i < w->settings->map_count; i++) {
    const etr_method_choice *choice = &w->settings->choices[i];
    if (all && (choice->run < w->first_run || choice->run - w->first_run >= runs)) continue;
    w->choices[count++] = (etr_method_choice){.run = choice->run - w->first_run, .method = choice->method};
  }
  w->first_run += runs;
  return count;
}

static exit_status write_one(writing *w, const etr_profile *all, size_t dump) {
  etr_error error;
  etr_profile *profile;
  etr_inputs inputs = *w->inputs;
  if (w->names) {
    inputs.etdumps += dump;
    inputs.etdump_count = 1;
    inputs.debug_buffer = NULL; /* of which of them it is cannot be told */
  }
  etr_options reading = command_reading_options(w->settings);
  reading.choices = w->choices;
  reading.choice_count = own_choices(w, all, dump);
  if (etr_profile_open(&profile, &inputs, &reading, &error) != ETR_OK) return message_error(&error);
  message_warnings(profile);
  etr_status status = etr_logdir_add(w->logdir, profile, w->names ? w->names[dump].text : NULL, &error);
  etr_profile_close(profile);
  return status == ETR_OK ? EXIT_DONE : message_error(&error);
}

/* All ETDumps at once, for choices to be made among their runs. */
static exit_status open_all(etr_profile **out, const writing *w) {
  etr_error error;
  const etr_options reading = command_reading_options(w->settings);
  return etr_profile_open(out, w->inputs, &reading, &error) == ETR_OK ? EXIT_DONE : message_error(&error);
}

static exit_status write_each(writing *w) {
  size_t count = w->inputs->etdump_count;
  etr_profile *all = NULL;
  exit_status result = EXIT_DONE;
  if (count <= 1) return write_one(w, NULL, 0);
  w->names = calloc(count, sizeof *w->names);
  if (!w->names) return message_error(&(etr_error){.message = "out of memory", .offset = ETR_NO_OFFSET});
  for (size_t i = 0; i < count; i++) w->names[i].path = w->inputs->etdumps[i];
  dump_names_fill(w->names, count);
  if (w->settings->map_count > 0) result = open_all(&all, w);
  for (size_t i = 0; result == EXIT_DONE && i < count; i++) result = write_one(w, all, i);
  etr_profile_close(all);
  free(w->names);
  return result;
}

static exit_status write_logdir(writing *w, const etr_logdir_options *options) {
  etr_error error;
  if (etr_logdir_begin(&w->logdir, options, &error) != ETR_OK) return message_error(&error);
  exit_status result = write_each(w);
  if (result != EXIT_DONE)
    etr_logdir_discard(w->logdir);
  else if (etr_logdir_finish(w->logdir, &error) != ETR_OK)
    result = message_error(&error);
  return result;
}

exit_status command_write(const cli_settings *settings) {
  etr_inputs inputs;
  char host[256] = "localhost";
  exit_status result = command_find(&inputs, settings);
  if (result != EXIT_DONE) return result;
  gethostname(host, sizeof host - 1);
  writing w = {.settings = settings, .inputs = &inputs};
  const etr_logdir_options options = {.logdir = settings->logdir,
                                      .name = settings->name,
                                      .wall_time = now(),
                                      .host = host,
                                      .pid = (long)getpid(),
                                      .dot_depth = (int)settings->depth,
                                      .hparams = settings->hparams,
                                      .hparam_count = settings->hparam_count,
                                      .on_file = print_file};
  result = write_logdir(&w, &options);
  if (settings->record) etr_inputs_clear(&inputs);
  if (result != EXIT_DONE) return result;
  printf("tensorboard --logdir %s\n", settings->logdir ? settings->logdir : "runs");
  return message_written(ETR_OK, NULL);
}
