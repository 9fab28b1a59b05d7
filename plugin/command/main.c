/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c - the command etrecord-tb.
 */
#include "command/command.h"
#include "command/device.h"
#include "command/ending.h"
#include "command/help.h"
#include "command/option.h"
#include "command/sandbox.h"

#include <stdlib.h> /* tells whether this is glibc */

#if defined __GLIBC__
#include <malloc.h>

/* What is freed serves for what comes next, instead of pages that the system has to clear again: 2 to 3 % of write. */
static void keep_memory(void) {
  enum { MiB = 1 << 20 };
  (void)mallopt(M_MMAP_THRESHOLD, 32 * MiB); /* the highest there is */
  (void)mallopt(M_TRIM_THRESHOLD, 1024 * MiB);
  (void)mallopt(M_TOP_PAD, 64 * MiB);
}
#else
static void keep_memory(void) {}
#endif

int main(int argc, char **argv) {
  cli_settings settings;
  keep_memory();
  ending_prepare();
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
  status = device_take(&settings);
  if (status != EXIT_DONE) return status;
  if (settings.command->prepare) status = settings.command->prepare(&settings);
  if (status != EXIT_DONE) return status;
  sandbox_enter(&settings);
  status = (settings.command->run ? settings.command->run : command_run)(&settings);
  sandbox_leave();
  return status;
}
