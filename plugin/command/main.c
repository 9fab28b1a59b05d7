/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c - the command etrecord-tb.
 */
#include "command/command.h"
#include "command/ending.h"
#include "command/option_table.h"
#include "command/output_file.h"
#include "command/sandbox.h"

#include <stdlib.h> /* defines __GLIBC__ */
#include <string.h>

#if defined __GLIBC__
#include <malloc.h>

/* Makes the allocator keep freed memory for later allocations, so that the system does not have to
 * clear pages again. This saves 2 to 3 % of the time of `write`. */
static void keep_memory(void) {
  enum { MiB = 1 << 20 };
  (void)mallopt(M_MMAP_THRESHOLD, 32 * MiB); /* the highest possible value */
  (void)mallopt(M_TRIM_THRESHOLD, 1024 * MiB);
  (void)mallopt(M_TOP_PAD, 64 * MiB);
}
#else
static void keep_memory(void) {
}
#endif

/* Opens the outputs that are files, before any input is read, and refuses those that would replace
 * an input. Not for `reference`, where Python opens the output. The many answers of --each are
 * printed into the file, or to the program that writes rows. */
static exit_status open_outputs(cli_settings *settings) {
  bool is_file = settings->output != NULL && strcmp(settings->output, "-") != 0;
  bool opens_output = is_file && settings->command->bit != FOR_REFERENCE;
  exit_status status = each_check(settings);
  if (status == EXIT_DONE)
    status = output_open(opens_output ? settings->output : NULL, settings->problems);
  const char *const inputs[] = {settings->reference, settings->devices, settings->each_from};
  for (size_t i = 0; status == EXIT_DONE && i < sizeof inputs / sizeof *inputs; i++)
    status = output_check_input(inputs[i]);
  if (status != EXIT_DONE || !opens_output || !each_is_wanted(settings))
    return status;
  output_keep_partial();
  if (writer_is_wanted(settings))
    return status;
  settings->output = NULL;
  return output_redirect_stdout();
}

/* Parses the command line, opens the outputs, does what needs rights, gives rights up, runs the
 * command, and puts the outputs in place. Returns the exit status. */
int main(int argc, char **argv) {
  static cli_settings settings; /* owns memory until the process ends */
  keep_memory();
  ending_prepare();
  exit_status status = option_parse(&settings, argc, argv);
  if (status != EXIT_DONE)
    return status;
  if (settings.version) {
    printf("etrecord-tb %s\nLicense: BSD-3-Clause. There is no warranty.\n", etr_version());
    return message_written(ETR_OK, NULL);
  }
  if (settings.help || settings.command->bit == FOR_HELP)
    return command_help(&settings);
  status = device_take(&settings);
  if (status == EXIT_DONE)
    status = open_outputs(&settings);
  if (status != EXIT_DONE)
    return status;
  status = writer_start(&settings);
  if (status == EXIT_DONE && settings.command->prepare)
    status = settings.command->prepare(&settings);
  if (status == EXIT_DONE)
    status = sandbox_enter(&settings);
  if (status == EXIT_DONE && settings.command->run)
    status = settings.command->run(&settings);
  else if (status == EXIT_DONE && !settings.command->prepare)
    status = command_run(&settings);
  status = output_finish(writer_finish(status));
  sandbox_leave();
  ending_raise();
  return status;
}
