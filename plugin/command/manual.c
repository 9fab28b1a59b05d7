/* SPDX-License-Identifier: BSD-3-Clause
 *
 * manual.c - run by the build: `make_manual FOLDER OUT VERSION DATE` writes the manual pages and, from
 * FOLDER/completion, the completions into the folder OUT.
 */
#include "command/manual.h"

#include <stdlib.h>
#include <string.h>

static FILE *open_in(const char *folder, const char *name, const char *ending, const char *mode) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
  bool fits = length > 0 && (size_t)length < sizeof path;
  FILE *file = fits ? fopen(path, mode) : NULL;
  if (!file) perror(path);
  return file;
}

static bool close_all_written(FILE *file) {
  bool written = !ferror(file);
  return fclose(file) == 0 && written;
}

static bool write_page(const char *folder, const char *out, const cli_command *command, const char *version,
                       const char *date) {
  char name[64];
  snprintf(name, sizeof name, "etrecord-tb%s%s", command ? "-" : "", command ? command->name : "");
  FILE *topics = open_in(folder, "manual", ".roff", "r"), *page = topics ? open_in(out, name, ".1", "w") : NULL;
  if (page) man_page_write(page, command, topics, version, date);
  if (topics) fclose(topics);
  return page && close_all_written(page);
}

static bool write_completion(const char *folder, const char *out, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/completion", folder);
  FILE *script = open_in(path, name, ".in", "r"), *file = script ? open_in(out, name, "", "w") : NULL;
  bool filled = file && completion_fill(file, script);
  if (script) fclose(script);
  return file && close_all_written(file) && filled;
}

int main(int argc, char **argv) {
  static const char *const completions[] = {"etrecord-tb.bash", "_etrecord-tb", "etrecord-tb.fish"};
  if (argc != 5) return EXIT_FAILURE;
  const char *folder = argv[1], *out = argv[2], *version = argv[3], *date = argv[4];
  bool done = write_page(folder, out, NULL, version, date);
  for (const cli_command *c = commands; c->name && done; c++) done = write_page(folder, out, c, version, date);
  for (size_t i = 0; i < 3 && done; i++) done = write_completion(folder, out, completions[i]);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
