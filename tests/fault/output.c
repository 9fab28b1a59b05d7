/* SPDX-License-Identifier: BSD-3-Clause
 *
 * output.c - every write made to fail in turn, and the process killed in front of each: output RECORD FOLDER
 *
 * A sink that refuses ends an emitter with ETR_ERROR_IO. etr_write_logdir() leaves under each final name what was there before or the whole new file,
 * and, unless it was killed, nothing else.
 */
#include "emitters.h"
#include "fault.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_FILES = 64, PATH_BYTES = 1024 };

/* ---- What lies in a folder ---- */

typedef struct listing {
  size_t count;
  struct {
    char path[PATH_BYTES];
    off_t size;
  } files[MAX_FILES];
} listing;

static bool is_temporary(const char *path) {
  const char *name = strrchr(path, '/');
  return name && name[1] == '.';
}

static void list(listing *out, const char *folder) {
  DIR *directory = opendir(folder);
  for (const struct dirent *entry; directory && (entry = readdir(directory));) {
    char path[PATH_BYTES];
    struct stat status;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path || stat(path, &status) != 0 || out->count == MAX_FILES)
      abort();
    if (S_ISDIR(status.st_mode)) {
      list(out, path);
      continue;
    }
    strcpy(out->files[out->count].path, path); /* NOLINT: as large as the source */
    out->files[out->count++].size = status.st_size;
  }
  if (directory) closedir(directory);
}

static void remove_all(const char *folder) {
  DIR *directory = opendir(folder);
  for (const struct dirent *entry; directory && (entry = readdir(directory));) {
    char path[PATH_BYTES];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path) abort();
    if (unlink(path) != 0) remove_all(path);
  }
  if (directory) closedir(directory);
  rmdir(folder);
}

/* ---- Writing with a fault ---- */

static etr_status write_record(const etr_profile *profile, const char *folder, etr_error *error) {
  etr_logdir_options options = {.logdir = folder, .name = "record", .wall_time = 1, .host = "host", .pid = 1};
  *error = (etr_error){.offset = ETR_NO_OFFSET};
  return etr_write_logdir(profile, &options, error);
}

/* Every file under a final name must be whole. Temporary ones may be there only after a kill. */
static const char *fault_in(const listing *seen, const listing *whole, bool was_killed) {
  for (size_t i = 0; i < seen->count; i++) {
    bool known = false;
    for (size_t k = 0; k < whole->count; k++)
      known |= strcmp(seen->files[i].path, whole->files[k].path) == 0 && seen->files[i].size == whole->files[k].size;
    if (is_temporary(seen->files[i].path) && !was_killed) return "a temporary file is left";
    if (!is_temporary(seen->files[i].path) && !known) return "a file is half-written";
  }
  return NULL;
}

/* Gives what is wrong, NULL if nothing; *happened tells whether there was such a call at all. */
static const char *write_with(fault_kind kind, long number, const etr_profile *profile, const char *folder, const listing *whole, bool *happened) {
  etr_error error;
  listing seen = {0};
  fault_plan(kind, number, true);
  etr_status status = write_record(profile, folder, &error);
  *happened = fault_happened();
  fault_plan(FAULT_NONE, 0, false);
  list(&seen, folder);
  if (!*happened) return status == ETR_OK ? NULL : "failed without a fault";
  if (status != ETR_ERROR_IO || !error.message[0] || !error.file[0]) return "no error that names a file";
  return fault_in(&seen, whole, false);
}

static const char *write_killed(long number, const etr_profile *profile, const char *folder, const listing *whole, bool *happened) {
  int status;
  listing seen = {0};
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    etr_error error;
    fault_plan(FAULT_KILL, number, false);
    _exit(write_record(profile, folder, &error) == ETR_OK ? 0 : 1);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) return "cannot fork";
  *happened = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (!*happened) return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? NULL : "failed without being killed";
  list(&seen, folder);
  return fault_in(&seen, whole, true);
}

static bool sweep_calls(const char *name, fault_kind kind, const etr_profile *profile, const char *folder, const listing *whole, size_t *checks) {
  bool happened = true;
  for (long number = 0; happened; number++, ++*checks) {
    remove_all(folder);
    const char *wrong = kind == FAULT_KILL ? write_killed(number, profile, folder, whole, &happened)
                                           : write_with(kind, number, profile, folder, whole, &happened);
    if (!wrong) continue;
    printf("%s %ld: %s\n", name, number, wrong);
    return false;
  }
  return true;
}

/* ---- Sinks that refuse ---- */

static bool take_some(void *context, const void *data, size_t size) {
  (void)data;
  (void)size;
  return (*(long *)context)-- > 0;
}

static bool sweep_sink(const named_emitter *what, const etr_profile *profile, size_t *checks) {
  for (long number = 0;; number++, ++*checks) {
    long left = number;
    etr_error error = {.offset = ETR_NO_OFFSET};
    etr_status status = what->emit(profile, &(etr_sink){take_some, &left}, &error);
    if (status == ETR_OK && left >= 0) return true;
    if (status == ETR_ERROR_IO && error.message[0]) continue;
    printf("%s: write %ld refused: status %d, \"%s\"\n", what->name, number, (int)status, error.message);
    return false;
  }
}

static etr_profile *open_record(const char *record) {
  etr_profile *profile = NULL;
  etr_inputs inputs;
  etr_error error;
  if (etr_inputs_find(&inputs, record, NULL, &error) != ETR_OK || etr_profile_open(&profile, &inputs, NULL, &error) != ETR_OK) puts(error.message);
  etr_inputs_clear(&inputs);
  return profile;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    fault_kind kind;
  } calls[] = {{"write", FAULT_WRITE},   {"open", FAULT_OPEN},   {"close", FAULT_CLOSE},
               {"rename", FAULT_RENAME}, {"mkdir", FAULT_MKDIR}, {"killed at", FAULT_KILL}};
  size_t checks = 0;
  int failed = 0, done = 0;
  etr_error error;
  listing whole = {0};
  etr_profile *profile = argc == 3 ? open_record(argv[1]) : NULL;
  if (!profile) return 1;
  remove_all(argv[2]);
  if (write_record(profile, argv[2], &error) != ETR_OK) return 1;
  list(&whole, argv[2]);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++, done++)
    failed += !sweep_calls(calls[i].name, calls[i].kind, profile, argv[2], &whole, &checks);
  for (const named_emitter *what = emitters; what->name; what++, done++) failed += !sweep_sink(what, profile, &checks);
  remove_all(argv[2]);
  etr_profile_close(profile);
  printf("%zu faults; %d passed, %d failed\n", checks, done - failed, failed);
  return failed > 0;
}
