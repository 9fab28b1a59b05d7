/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c - the command etrecord-tb.
 */
#include "command/command.h"
#include "command/ending.h"
#include "command/flat_json.h"
#include "command/option_table.h"
#include "command/output_file.h"
#include "command/sandbox.h"

#include <limits.h>
#include <stdlib.h> /* defines __GLIBC__ */
#include <string.h>

/* ---- Peaks of devices, from a file that the user keeps ---- */

/* The file has a line for each device, a JSON object: {"device": "pixel8", "peak_flops": 1.2e11,
 * "peak_int_ops": 4.8e11, "peak_bandwidth": 5e10}. Each peak may be missing. Empty lines and lines
 * that begin with '#' are ignored. */

enum { LONGEST_LINE = 4096, LONGEST_NAME = 256 };

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* Takes what a device's line says: the peaks and the rate of the clock, where they are 0 because no
 * option has set them, and the names of the processor's instructions, "" if there are none or they
 * are too long. Returns the key of a value that is not a number above 0; NULL if there is none. */
static const char *take_values(cli_settings *settings, const char *line) {
  static const char *const keys[] = {"peak_flops", "peak_int_ops", "peak_bandwidth",
                                     "ticks_per_second"};
  double *const values[] = {&settings->peak_flops, &settings->peak_int_ops,
                            &settings->peak_bandwidth, &settings->ticks_per_second},
                value;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (!flat_json_has(line, keys[i]))
      continue;
    if (!flat_json_number(line, keys[i], &value) || !(value > 0))
      return keys[i];
    if (*values[i] == 0)
      *values[i] = value;
  }
  if (!flat_json_text(line, "instructions", settings->instructions, sizeof settings->instructions))
    settings->instructions[0] = '\0';
  return NULL;
}

/* Reads a file of JSON lines up to that of the device that --device names, and takes its values
 * into the settings. Fails with a message if a line before it is no object, a value is wrong, or
 * there is no such device. */
static exit_status read_device(cli_settings *settings, FILE *file, const char *path) {
  char line[LONGEST_LINE], name[LONGEST_NAME];
  for (size_t line_number = 1; fgets(line, sizeof line, file); line_number++) {
    const char *text_start = line_number == 1 && strncmp(line, BYTE_ORDER_MARK, 3) == 0 ? line + 3
                                                                                        : line;
    const char *object = text_start + strspn(text_start, " \t\r\n");
    if (*object == '\0' || *object == '#')
      continue;
    if (!flat_json_is_object(object))
      return message_failed(
          "%s: line %zu is not a JSON object on one line: {\"device\": \"name\", \"peak_flops\": "
          "1e11, \"peak_bandwidth\": 2e10}",
          path, line_number);
    if (!flat_json_text(object, "device", name, sizeof name) || strcmp(name, settings->device) != 0)
      continue;
    const char *wrong_key = take_values(settings, object);
    if (wrong_key == NULL)
      return EXIT_DONE;
    return message_failed("%s: line %zu: %s is not a number above 0, such as 1e11", path,
                          line_number, wrong_key);
  }
  return message_failed(
      "%s has no device \"%s\": add a line {\"device\": \"%s\", \"peak_flops\": 1e11, "
      "\"peak_bandwidth\": 2e10}",
      path, settings->device, settings->device);
}

/* Looks up the device that --device names, in the file of --devices or in the user's own one, and
 * takes the values that no option sets. The user's is $XDG_CONFIG_HOME/etrecord-tb/devices.jsonl,
 * by default in ~/.config. Does nothing if no device is named. */
static exit_status take_device(cli_settings *settings) {
  const char *config = getenv("XDG_CONFIG_HOME");
  const char *home = getenv("HOME");
  char own_file[PATH_MAX] = "";
  int size = 0;
  if (!settings->device && settings->devices)
    return message_usage(settings->command->name,
                         "--devices needs --device: name one of the devices in the file");
  if (!settings->device)
    return EXIT_DONE;
  if (config && config[0] == '/')
    size = snprintf(own_file, sizeof own_file, "%s/etrecord-tb/devices.jsonl", config);
  else if (home && home[0])
    size = snprintf(own_file, sizeof own_file, "%s/.config/etrecord-tb/devices.jsonl", home);
  if (size < 0 || size >= PATH_MAX)
    own_file[0] = '\0';
  const char *path = settings->devices ? settings->devices : own_file;
  const char *reason;
  FILE *file = command_open_file(path, &reason);
  if (!file)
    return message_failed("%s: %s: name the file of devices with --devices", path, reason);
  exit_status status = read_device(settings, file, path);
  (void)fclose(file);
  return status;
}

/* ---- The command etrecord-tb ---- */

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
  status = take_device(&settings);
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
