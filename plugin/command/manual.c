/* SPDX-License-Identifier: BSD-3-Clause
 *
 * manual.c - writes what goes with an installed command: manual SCRIPTS OUT VERSION DATE puts the manual pages, and the completions of the folder
 * SCRIPTS with their last ending (.in) cut off, into the folder OUT. Run by the build.
 */
#include "completion.h"
#include "man_page.h"

#include <stdlib.h>
#include <string.h>

static FILE *open_in(const char *folder, const char *name, const char *ending, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
  FILE *file = fopen(path, mode);
  if (!file) perror(path);
  return file;
}

static bool close_all_written(FILE *file) {
  bool written = !ferror(file);
  return fclose(file) == 0 && written;
}

static bool write_page(const char *folder, const cli_command *command, const char *version, const char *date) {
  char name[64];
  snprintf(name, sizeof name, "etrecord-tb%s%s", command ? "-" : "", command ? command->name : "");
  FILE *out = open_in(folder, name, ".1", "w");
  if (!out) return false;
  man_page_write(out, command, version, date);
  return close_all_written(out);
}

static bool write_completion(const char *scripts, const char *folder, const char *name) {
  FILE *script = open_in(scripts, name, ".in", "r"), *out = script ? open_in(folder, name, "", "w") : NULL;
  bool filled = out && completion_fill(out, script);
  if (script) fclose(script);
  return out && close_all_written(out) && filled;
}

int main(int argc, char **argv) {
  if (argc != 5) return EXIT_FAILURE;
  const char *scripts = argv[1], *out = argv[2], *version = argv[3], *date = argv[4];
  bool done = write_page(out, NULL, version, date);
  for (const cli_command *c = commands; c->name && done; c++) done = write_page(out, c, version, date);
  static const char *const completions[] = {"etrecord-tb.bash", "_etrecord-tb", "etrecord-tb.fish"};
  for (size_t i = 0; i < 3 && done; i++) done = write_completion(scripts, out, completions[i]);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
