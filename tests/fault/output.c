/* SPDX-License-Identifier: BSD-3-Clause
 *
 * output.c - every write made to fail in turn, and the process killed in front of each: output
 * RECORD FOLDER [STEP]
 *
 * With a step only the first one fails and each so many behind it.
 * A sink that refuses ends an emitter with ETR_ERROR_IO. etr_write_logdir() and etr_write_file()
 * leave under each final name what was there before or the whole new file, and nothing else; what
 * they leave when the process is killed, the next call removes.
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

static long step = 1;

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
  return name && strncmp(name + 1, ".etrecord-tb.", strlen(".etrecord-tb.")) == 0;
}

static void list(listing *out, const char *folder) {
  DIR *directory = opendir(folder);
  for (const struct dirent *entry; directory && (entry = readdir(directory));) {
    char path[PATH_BYTES];
    struct stat status;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path ||
        stat(path, &status) != 0 || out->count == MAX_FILES)
      abort();
    if (S_ISDIR(status.st_mode)) {
      list(out, path);
      continue;
    }
    strcpy(out->files[out->count].path, path); /* NOLINT: as large as the source */
    out->files[out->count++].size = status.st_size;
  }
  if (directory)
    closedir(directory);
}

static void remove_all(const char *folder) {
  DIR *directory = opendir(folder);
  for (const struct dirent *entry; directory && (entry = readdir(directory));) {
    char path[PATH_BYTES];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
      abort();
    if (unlink(path) != 0)
      remove_all(path);
  }
  if (directory)
    closedir(directory);
  rmdir(folder);
}

/* ---- Writing with a fault ---- */

#define BEFORE "what was there before"

typedef etr_status (*writer)(const etr_profile *profile, const char *folder, etr_error *error);

/* Something that writes below a folder, and what is there after it went well. */
typedef struct target {
  const char *name;
  writer write;
  bool is_file, exists; /* one file in a folder that is there; one that it replaces */
  const etr_profile *profile;
  const char *folder;
  listing whole;
} target;

static etr_status write_record(const etr_profile *profile, const char *folder, etr_error *error) {
  etr_logdir_options options = {
      .logdir = folder, .name = "record", .wall_time = 1, .host = "host", .pid = 1};
  return etr_write_logdir(profile, &options, error);
}

static etr_status emit_report(void *profile, const etr_sink *sink, etr_error *error) {
  return etr_emit_report(profile, ETR_UNIT_MS, sink, error);
}

static void name_report(char *path, const char *folder) {
  if (snprintf(path, PATH_BYTES, "%s/report.html", folder) >= PATH_BYTES)
    abort();
}

static etr_status write_report(const etr_profile *profile, const char *folder, etr_error *error) {
  char path[PATH_BYTES];
  name_report(path, folder);
  return etr_write_file(path, emit_report, (void *)(uintptr_t)profile, error);
}

static void prepare(const target *t) {
  char path[PATH_BYTES];
  remove_all(t->folder);
  if (t->is_file && mkdir(t->folder, 0777) != 0)
    abort();
  if (!t->exists)
    return;
  name_report(path, t->folder);
  FILE *file = fopen(path, "wb");
  if (!file || fputs(BEFORE, file) < 0 || fclose(file) != 0)
    abort();
}

/* Every file under a final name must be whole, or the one before. Temporary ones may be there only
 * after a kill. */
static const char *fault_in(const target *t, bool was_killed) {
  listing seen = {0};
  size_t finals = 0;
  list(&seen, t->folder);
  for (size_t i = 0; i < seen.count; i++) {
    bool temporary = is_temporary(seen.files[i].path),
         known = t->exists && seen.files[i].size == (off_t)strlen(BEFORE);
    for (size_t k = 0; k < t->whole.count; k++)
      known |= strcmp(seen.files[i].path, t->whole.files[k].path) == 0 &&
               seen.files[i].size == t->whole.files[k].size;
    if (temporary && !was_killed)
      return "a temporary file is left";
    if (!temporary && !known)
      return "a file is half-written";
    finals += !temporary;
  }
  return t->exists && finals == 0 ? "what was there is gone" : NULL;
}

/* Gives what is wrong, NULL if nothing; *happened tells whether there was such a call at all. */
static const char *write_with(fault_kind kind, long number, const target *t, bool *happened) {
  etr_error error = {.offset = ETR_NO_OFFSET};
  fault_plan(kind, number, true);
  etr_status status = t->write(t->profile, t->folder, &error);
  *happened = fault_happened();
  fault_plan(FAULT_NONE, 0, false);
  if (!*happened)
    return status == ETR_OK ? NULL : "failed without a fault";
  if (status != ETR_ERROR_IO || !error.message[0] || !error.file[0])
    return "no error that names a file";
  return fault_in(t, false);
}

/* Of what a killed process left no temporary file stays; of run folders, all that it wrote stays or
 * is replaced. */
static const char *write_again(const target *t) {
  listing seen = {0};
  if (t->write(t->profile, t->folder, NULL) != ETR_OK)
    return "cannot be written again";
  list(&seen, t->folder);
  for (size_t i = 0; i < seen.count; i++)
    if (is_temporary(seen.files[i].path))
      return "a temporary file of the killed process is left";
  return NULL;
}

static const char *write_killed(long number, const target *t, bool *happened) {
  int status;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    etr_error error;
    fault_plan(FAULT_KILL, number, false);
    _exit(t->write(t->profile, t->folder, &error) == ETR_OK ? 0 : 1);
  }
  if (child < 0 || waitpid(child, &status, 0) != child)
    return "cannot fork";
  *happened = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (!*happened)
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? NULL : "failed without being killed";
  const char *wrong = fault_in(t, true);
  return wrong ? wrong : write_again(t);
}

static bool sweep_calls(const char *name, fault_kind kind, const target *t, size_t *checks) {
  bool happened = true;
  for (long number = 0; happened; number += step, ++*checks) {
    prepare(t);
    const char *wrong = kind == FAULT_KILL ? write_killed(number, t, &happened)
                                           : write_with(kind, number, t, &happened);
    if (!wrong)
      continue;
    printf("%s: %s %ld: %s\n", t->name, name, number, wrong);
    return false;
  }
  return true;
}

/* Each kind of call in turn. Gives how many failed. */
static int sweep_target(target *t, int *done, size_t *checks) {
  static const struct {
    const char *name;
    fault_kind kind;
  } calls[] = {{"write", FAULT_WRITE},   {"fsync", FAULT_FSYNC},   {"open", FAULT_OPEN},
               {"close", FAULT_CLOSE},   {"rename", FAULT_RENAME}, {"mkdir", FAULT_MKDIR},
               {"killed at", FAULT_KILL}};
  int failed = 0;
  prepare(t);
  if (t->write(t->profile, t->folder, NULL) != ETR_OK)
    return 1;
  list(&t->whole, t->folder);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++, ++*done)
    failed += !sweep_calls(calls[i].name, calls[i].kind, t, checks);
  remove_all(t->folder);
  return failed;
}

/* ---- Sinks that refuse ---- */

static bool take_some(void *context, const void *data, size_t size) {
  (void)data;
  (void)size;
  return (*(long *)context)-- > 0;
}

static bool sweep_sink(const named_emitter *what, const etr_profile *profile, size_t *checks) {
  for (long number = 0;; number += step, ++*checks) {
    long left = number;
    etr_error error = {.offset = ETR_NO_OFFSET};
    etr_status status = what->emit(profile, &(etr_sink){take_some, &left}, &error);
    if (status == ETR_OK && left >= 0)
      return true;
    if (status == ETR_ERROR_IO && error.message[0])
      continue;
    printf("%s: write %ld refused: status %d, \"%s\"\n", what->name, number, (int)status,
           error.message);
    return false;
  }
}

static etr_profile *open_record(const char *record) {
  etr_profile *profile = NULL;
  etr_inputs inputs;
  etr_error error;
  if (etr_inputs_find(&inputs, record, NULL, &error) != ETR_OK ||
      etr_profile_open(&profile, &inputs, NULL, &error) != ETR_OK)
    puts(error.message);
  etr_inputs_clear(&inputs);
  return profile;
}

int main(int argc, char **argv) {
  size_t checks = 0;
  int failed = 0, done = 0;
  etr_profile *profile = argc > 2 ? open_record(argv[1]) : NULL;
  if (argc > 3)
    step = strtol(argv[3], NULL, 10);
  if (!profile || step < 1)
    return 1;
  target targets[] = {
      {.name = "run folders", .write = write_record, .profile = profile, .folder = argv[2]},
      {.name = "a new file",
       .write = write_report,
       .is_file = true,
       .profile = profile,
       .folder = argv[2]},
      {.name = "a file replaced",
       .write = write_report,
       .is_file = true,
       .exists = true,
       .profile = profile,
       .folder = argv[2]}};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
    failed += sweep_target(&targets[i], &done, &checks);
  for (const named_emitter *what = emitters; what->name; what++, done++)
    failed += !sweep_sink(what, profile, &checks);
  etr_profile_close(profile);
  printf("%zu faults; %d passed, %d failed\n", checks, done - failed, failed);
  return failed > 0;
}
