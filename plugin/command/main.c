/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c - the command etrecord-tb.
 */
#include "help.h"
#include "option_table.h"

#include <limits.h>
#include <signal.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* The process is short: what is freed is soon used again, and giving it back to the system in between costs more than all else that malloc() does. */
static void keep_memory(void) {
#ifdef __GLIBC__
  (void)mallopt(M_TRIM_THRESHOLD, INT_MAX);
  (void)mallopt(M_TOP_PAD, 1 << 20);
  (void)mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the highest there is: large blocks, too */
#endif
}

int main(int argc, char **argv) {
  cli_settings settings;
  keep_memory();
  signal(SIGPIPE, SIG_IGN); /* a closed pipe shows as an error of write */
  exit_status status = option_parse(&settings, argc, argv);
  if (status != EXIT_DONE) return status;
  if (settings.version) {
    printf("etrecord-tb %s\nLicence: BSD-3-Clause. There is no warranty.\n", etr_version());
    return message_written(ETR_OK, NULL);
  }
  if (settings.help) {
    help_print(stdout, settings.command);
    return message_written(ETR_OK, NULL);
  }
  return settings.command->run(&settings);
}
