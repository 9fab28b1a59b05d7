/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c - the command etrecord-tb.
 */
#include "command/command.h"
#include "command/ending.h"
#include "command/flat_json.h"
#include "command/option_table.h"
#include "command/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h> /* defines __GLIBC__ */
#include <string.h>

/* ---- Peaks of devices, from a file that the user keeps ---- */

/* The file has a line for each device, a JSON object: {"device": "pixel8", "peak_flops": 1.2e11,
 * "peak_int_ops": 4.8e11, "peak_bandwidth": 5e10}. Each peak may be missing. Empty lines and lines that begin with '#'
 * are ignored. */

enum { LONGEST_LINE = 4096, LONGEST_NAME = 256 };

/* Sets *peak to the value of a key, if the line has the key and *peak is 0. Returns false if the value is not above 0.
 */
static bool take_peak(const char *line, const char *key, double *peak) {
  double value;
  if (!flat_json_number(line, key, &value)) return true;
  if (!(value > 0)) return false;
  if (*peak == 0) *peak = value;
  return true;
}

/* Reads the file up to the line of the device that --device names, and takes its peaks. */
static exit_status find_device(cli_settings *settings, FILE *file, const char *path) {
  char line[LONGEST_LINE], name[LONGEST_NAME];
  for (size_t number = 1; fgets(line, sizeof line, file); number++) {
    const char *first = line + strspn(line, " \t\r\n");
    if (*first == '\0' || *first == '#') continue;
    if (!flat_json_is_object(line))
      return message_failed("%s: line %zu is not a JSON object on one line: {\"device\": \"name\", \"peak_flops\": "
                            "1e11, \"peak_bandwidth\": 2e10}",
                            path, number);
    if (!flat_json_text(line, "device", name, sizeof name) || strcmp(name, settings->device) != 0) continue;
    if (take_peak(line, "peak_flops", &settings->peak_flops) &&
        take_peak(line, "peak_int_ops", &settings->peak_int_ops) &&
        take_peak(line, "peak_bandwidth", &settings->peak_bandwidth))
      return EXIT_DONE;
    return message_failed("%s: line %zu: peaks are numbers above 0", path, number);
  }
  return message_failed("%s has no device \"%s\": add a line {\"device\": \"%s\", \"peak_flops\": 1e11, "
                        "\"peak_bandwidth\": 2e10}",
                        path, settings->device, settings->device);
}

/* Looks up the device that --device names, in the file of --devices or in the user's own file, and takes the peaks that
 * no option sets. The user's own file is $XDG_CONFIG_HOME/etrecord-tb/devices.jsonl, by default in ~/.config. Does
 * nothing if no device is named. */
static exit_status take_device(cli_settings *settings) {
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  char own[PATH_MAX] = "";
  int size = 0;
  if (!settings->device && settings->devices)
    return message_usage(settings->command->name, "--devices needs --device: name one of the devices in the file");
  if (!settings->device) return EXIT_DONE;
  if (config && config[0] == '/')
    size = snprintf(own, sizeof own, "%s/etrecord-tb/devices.jsonl", config);
  else if (home && home[0])
    size = snprintf(own, sizeof own, "%s/.config/etrecord-tb/devices.jsonl", home);
  if (size < 0 || size >= PATH_MAX) own[0] = '\0';
  const char *path = settings->devices ? settings->devices : own;
  FILE *file = fopen(path, "r");
  if (!file) return message_failed("%s: %s: name the file of devices with --devices", path, strerror(errno));
  exit_status status = find_device(settings, file, path);
  (void)fclose(file);
  return status;
}

/* ---- The command etrecord-tb ---- */

#if defined __GLIBC__
#include <malloc.h>

/* Makes the allocator keep freed memory for later allocations, so that the system does not have to clear pages again.
 * This saves 2 to 3 % of the time of `write`. */
static void keep_memory(void) {
  enum { MiB = 1 << 20 };
  (void)mallopt(M_MMAP_THRESHOLD, 32 * MiB); /* the highest possible value */
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
  status = take_device(&settings);
  if (status == EXIT_DONE) status = each_prepare(&settings);
  if (status != EXIT_DONE) return status;
  if (settings.command->prepare) status = settings.command->prepare(&settings);
  if (status != EXIT_DONE) return status;
  sandbox_enter(&settings);
  status = (settings.command->run ? settings.command->run : command_run)(&settings);
  sandbox_leave();
  return status;
}
