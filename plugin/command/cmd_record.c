/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_record.c - `etrecord-tb record`, which the Python package does.
 */
#include "command/command.h"
#include "command/python.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ARGUMENTS = 32, NUMBER_ROOM = 24 };

/* The words of --recipe and --on, in the order of their options. */
static const char *const recipes[] = {"xnnpack", "xnnpack-int8", "xnnpack-8da4w", "portable"};
static const char *const places[] = {"here", "adb"};

/* Appends an option with a whole number to the arguments, if the user gave that option. `room`
 * takes the text of the number, which the arguments point to. */
static void add_count(const char **arguments, size_t *count, const char *name, int64_t value,
                      bool is_given, char room[NUMBER_ROOM]) {
  (void)snprintf(room, NUMBER_ROOM, "%" PRId64, value);
  python_add_option(arguments, count, name, is_given ? room : NULL);
}

exit_status command_make_record(cli_settings *settings) {
  python_start python;
  const char *arguments[PYTHON_ARGUMENTS + MAX_ARGUMENTS];
  char numbers[3][NUMBER_ROOM];
  size_t count = PYTHON_ARGUMENTS;
  if (!settings->folder)
    return message_usage("record", "record needs the folder to make: -o DIR");
  python_prepare(&python, "recording", "`record` needs", "record");
  memcpy(arguments, python.arguments, sizeof python.arguments);
  python_add_option(arguments, &count, "--output", settings->folder);
  python_add_option(arguments, &count, "--recipe", recipes[settings->recipe]);
  python_add_option(arguments, &count, "--on", places[settings->record_on]);
  python_add_option(arguments, &count, "--runner", settings->runner);
  python_add_option(arguments, &count, "--device", settings->serial);
  add_count(arguments, &count, "--repeat", settings->repeat, settings->has_repeat, numbers[0]);
  add_count(arguments, &count, "--inferences", settings->inferences, settings->has_inferences,
            numbers[1]);
  add_count(arguments, &count, "--threads", settings->threads, settings->has_threads, numbers[2]);
  if (settings->logs_values)
    arguments[count++] = "--debug-buffer";
  if (settings->force)
    arguments[count++] = "--force";
  arguments[count++] = "--";
  arguments[count++] = settings->record;
  arguments[count] = NULL;
  return python_run(arguments, "record", stdout); /* its last line is the command to go on with */
}
