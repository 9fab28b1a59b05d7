/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device.c - what is known of a device that --device names.
 */
#include "command/command.h"

#include "command/flat_json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Instructions of processors ---- */

/* Returns true for a word of this size that names instructions which kernels of int8 and float16
 * use. The Python package keeps the same ones in record.json (recording.py). */
static bool matters_for_speed(const char *word, size_t size) {
  static const char *const names[] = {"avx2",        "avx_vnni", "avx512f", "avx512_vnni",
                                      "avx512_fp16", "amx_int8", "asimdhp", "asimddp",
                                      "i8mm",        "sve",      "sme"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == size && memcmp(names[i], word, size) == 0)
      return true;
  return false;
}

/* Puts into the settings which instructions of a text matter for speed, words between blanks. */
static void take_instructions(cli_settings *settings, const char *text) {
  static const char blanks[] = " \t\n";
  char *const kept = settings->instructions;
  kept[0] = '\0';
  for (size_t size; *(text += strspn(text, blanks)) != '\0'; text += size) {
    size = strcspn(text, blanks);
    size_t used = strlen(kept), room = sizeof settings->instructions - used;
    if (matters_for_speed(text, size) && size + 2 < room)
      (void)snprintf(kept + used, room, "%s%.*s", used ? " " : "", (int)size, text);
  }
}

/* ---- Peaks of devices, from a file that the user keeps ---- */

/* The file has a line for each device, a JSON object: {"device": "pixel8", "peak_flops": 1.2e11,
 * "peak_int_ops": 4.8e11, "peak_bandwidth": 5e10}. Each peak may be missing. Empty lines and lines
 * that begin with '#' are ignored. */

enum { LONGEST_LINE = 4096, LONGEST_NAME = 256 };

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define THIS_MACHINE "here"

/* Takes what a device's line says: the peaks and the rate of the clock, where they are 0 because no
 * option has set them, and the processor's instructions. Returns the key of a value that is not a
 * number above 0; NULL if there is none. */
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
  char instructions[LONGEST_LINE];
  if (flat_json_text(line, "instructions", instructions, sizeof instructions))
    take_instructions(settings, instructions);
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

/* ---- This machine ---- */

/* Takes the instructions of this machine's processor. Warns if the system does not name them. */
static void take_this_machine(cli_settings *settings) {
  FILE *file = fopen("/proc/cpuinfo", "r"); /* of Linux */
  char *line = NULL;
  size_t room = 0;
  while (file && !settings->instructions[0] && getline(&line, &room, file) > 0)
    if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0)
      take_instructions(settings, line);
  free(line);
  if (file)
    (void)fclose(file);
  if (!settings->instructions[0])
    message_warning("--device " THIS_MACHINE ": this system does not name its processor's "
                    "instructions: name the device in a file, with \"instructions\"");
}

/* ---- The named device ---- */

exit_status device_take(cli_settings *settings) {
  const char *config = getenv("XDG_CONFIG_HOME");
  const char *home = getenv("HOME");
  char own_file[PATH_MAX] = "";
  int size = 0;
  if (!settings->device && settings->devices)
    return message_usage(settings->command->name,
                         "--devices needs --device: name one of the devices in the file");
  if (!settings->device)
    return EXIT_DONE;
  if (!settings->devices && strcmp(settings->device, THIS_MACHINE) == 0) {
    take_this_machine(settings);
    return EXIT_DONE;
  }
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
