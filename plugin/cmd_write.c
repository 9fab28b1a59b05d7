/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_write.c - `etrecord-tb write`: the main job.
 */
#include "command.h"

#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

typedef struct report {
  const etr_profile *profile;
} report;

static void print_file(void *context, const char *path, size_t graph, const char *kind) {
  const etr_graph *g = &((const report *)context)->profile->graphs[graph];
  printf("%-6s  ", kind);
  message_put_plain(stdout, g->module);
  putchar('/');
  message_put_plain(stdout, g->method);
  fputs("  ", stdout);
  message_put_plain(stdout, path);
  putchar('\n');
}

static double now(void) {
  struct timeval time;
  gettimeofday(&time, NULL);
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

exit_status command_write(const cli_settings *settings) {
  etr_profile *profile;
  etr_error error;
  char host[256] = "localhost";
  exit_status opened = command_open(&profile, settings);
  if (opened != EXIT_DONE) return opened;
  gethostname(host, sizeof host - 1);
  report context = {profile};
  etr_logdir_options options = {.logdir = settings->logdir,
                                .name = settings->name,
                                .wall_time = now(),
                                .host = host,
                                .pid = (long)getpid(),
                                .dot_depth = (int)settings->depth,
                                .hparams = settings->hparams,
                                .hparam_count = settings->hparam_count,
                                .on_file = print_file,
                                .context = &context};
  etr_status status = etr_write_logdir(profile, &options, &error);
  exit_status result = EXIT_DONE;
  if (status == ETR_OK)
    printf("tensorboard --logdir %s\n", settings->logdir ? settings->logdir : "runs");
  else
    result = message_error(&error);
  etr_profile_close(profile);
  return result == EXIT_DONE ? message_written(ETR_OK, NULL) : result;
}
