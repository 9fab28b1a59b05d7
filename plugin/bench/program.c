/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.c - reads a runner's arguments as ExecuTorch's own runners do (gflags: one dash or two, "=" or a blank).
 */
#include "bench/program.h"

#include "base/system.h"

#include <stdlib.h>
#include <string.h>

static const char *const dump_options[] = {"etdump_path", "etdump-path", "etdump"};

/* How many arguments the dump's option takes at this place, with its value: 0, 1 or 2. */
static size_t dump_option(const char *const *at, const char **value) {
  const char *text = at[0];
  if (text[0] != '-') return 0;
  text += strspn(text, "-");
  for (size_t i = 0; i < sizeof dump_options / sizeof *dump_options; i++) {
    size_t size = strlen(dump_options[i]);
    if (strncmp(text, dump_options[i], size) != 0) continue;
    if (text[size] == '=') *value = text + size + 1;
    if (text[size] == '=') return 1;
    if (text[size] == '\0' && at[1] != NULL) *value = at[1];
    if (text[size] == '\0' && at[1] != NULL) return 2;
  }
  return 0;
}

const char *program_dump_path(const char *const *arguments) {
  const char *value = NULL;
  for (; *arguments != NULL; arguments++)
    if (dump_option(arguments, &value) > 0) return value;
  return NULL;
}

const char **program_without_dump(const char *const *arguments) {
  size_t count = 0, used = 0;
  const char *value;
  while (arguments[count] != NULL) count++;
  const char **out = program_dump_path(arguments) != NULL ? calloc(count + 1, sizeof *out) : NULL;
  for (size_t i = 0; out != NULL && i < count;) {
    size_t taken = dump_option(arguments + i, &value);
    if (taken == 0) out[used++] = arguments[i];
    i += taken > 0 ? taken : 1;
  }
  return out;
}

bool program_is_adb(const char *const *arguments) {
  const char *name = etr_last_part(arguments[0]);
  return strcmp(name, "adb") == 0 || strcmp(name, "adb.exe") == 0;
}

void program_adb(const char *out[MOST_ADB_ARGUMENTS + 1], const char *const *arguments, const char *const *more) {
  size_t used = 0, shell = 0;
  while (arguments[shell] != NULL && strcmp(arguments[shell], "shell") != 0) shell++;
  if (arguments[shell] == NULL) shell = 1;
  for (size_t i = 0; i < shell && used < MOST_ADB_ARGUMENTS; i++) out[used++] = arguments[i];
  for (; *more != NULL && used < MOST_ADB_ARGUMENTS; more++) out[used++] = *more;
  out[used] = NULL;
}
