/* SPDX-License-Identifier: BSD-3-Clause
 *
 * input.c - files that become shorter while they are read: input RECORD FOLDER [GROUPS]
 *
 * Each file of the record in turn is cut in front of reads from every place in the code. Whatever
 * it was read for, the process lives: it goes on with less, or says what is wrong with which file.
 * Emitters are in so many groups, by default one. What is left of a record that was cut while it
 * was opened goes to one of them, in turn.
 */
#include "emitters.h"
#include "fault.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t groups = 1;

enum { MAX_FILES = 16, PATH_BYTES = 1024, PARTS = 2 };

typedef struct file {
  char from[PATH_BYTES], to[PATH_BYTES];
  off_t size;
} file;

static bool copy(const file *f) {
  char buffer[65536];
  FILE *in = fopen(f->from, "rb"), *out = in ? fopen(f->to, "wb") : NULL;
  bool good = in && out;
  for (size_t got; good && (got = fread(buffer, 1, sizeof buffer, in)) > 0;)
    good = fwrite(buffer, 1, got, out) == got;
  if (in)
    fclose(in);
  return out && fclose(out) == 0 && good;
}

/* What a user has of a record: no truth beside it. */
static bool is_input(const char *name) {
  return strstr(name, ".bin") || strstr(name, ".etdp") || strstr(name, ".pte");
}

static size_t list(file *files, const char *record, const char *folder) {
  size_t count = 0;
  DIR *directory = opendir(record);
  for (const struct dirent *entry;
       directory && count < MAX_FILES && (entry = readdir(directory));) {
    struct stat status;
    file *f = &files[count];
    if (!is_input(entry->d_name) ||
        snprintf(f->from, PATH_BYTES, "%s/%s", record, entry->d_name) >= PATH_BYTES ||
        snprintf(f->to, PATH_BYTES, "%s/%s", folder, entry->d_name) >= PATH_BYTES ||
        stat(f->from, &status) != 0)
      continue;
    f->size = status.st_size;
    count += copy(f);
  }
  if (directory)
    closedir(directory);
  return count;
}

static bool swallow(void *context, const void *data, size_t size) {
  (void)data;
  *(size_t *)context += size;
  return true;
}

/* Reads the record and what outputs of a group read of it later; the group behind the last one has
 * none. NULL if all went as it should. */
static const char *read_record(const char *folder, size_t group) {
  etr_inputs inputs;
  etr_error error = {.offset = ETR_NO_OFFSET};
  etr_profile *profile = NULL;
  size_t written = 0;
  etr_status status = etr_inputs_find(&inputs, folder, NULL, &error);
  if (status == ETR_OK)
    status = etr_profile_open(&profile, &inputs, NULL, &error);
  etr_inputs_clear(&inputs);
  if (status != ETR_OK)
    return error.message[0] && !profile ? NULL : "failed without a message";
  for (size_t i = 0; emitters[i].name; i++)
    if (i % groups == group && !emitters[i].reads_record &&
        emitters[i].emit(profile, &(etr_sink){swallow, &written}, &error) != ETR_OK)
      status = ETR_ERROR_IO;
  etr_profile_close(profile);
  return status == ETR_OK ? NULL : "was opened, but not written";
}

typedef struct cuts {
  const char *folder;
  const file *file;
  off_t size;  /* to which the file is cut */
  size_t part; /* of the reads that stand for all */
  size_t reads, done;
} cuts;

/* Cuts the file in front of reads that stand for all and that no smaller group makes. Returns false
 * after the first that goes wrong. */
static bool sweep_group(cuts *c, size_t group, bool is_opening) {
  char name[PATH_BYTES + 32];
  size_t count;
  (void)snprintf(name, sizeof name, "%s cut to %ld bytes", c->file->to, (long)c->size);
  fault_watch(FAULT_SHRINK, name);
  const char *wrong = read_record(c->folder, is_opening ? groups : group);
  fault_plan(FAULT_NONE, 0, false);
  const long *numbers = fault_places(&count);
  for (size_t i = 0; i < count && !wrong; i++, c->reads++) {
    if (c->reads % PARTS != c->part)
      continue;
    fault_shrink(c->file->to, c->size);
    fault_plan(FAULT_SHRINK, numbers[i], false);
    wrong = read_record(c->folder, is_opening ? c->done % groups : group);
    fault_plan(FAULT_NONE, 0, false);
    c->done++;
    if (!copy(c->file))
      wrong = "cannot be restored";
    if (wrong)
      printf("%s in front of read %ld: %s\n", name, numbers[i], wrong);
  }
  return !wrong;
}

/* First the reads of opening, then those of each group of emitters. */
static bool sweep(cuts *c) {
  bool ok = sweep_group(c, 0, true);
  for (size_t group = 0; group < groups && ok; group++)
    ok = sweep_group(c, group, false);
  return ok && c->reads > 0;
}

int main(int argc, char **argv) {
  static file files[MAX_FILES];
  size_t checks = 0;
  int passed = 0, failed = 0;
  if (argc > 3)
    groups = strtoul(argv[3], NULL, 10);
  if (argc < 3 || groups == 0 || (mkdir(argv[2], 0777) != 0 && access(argv[2], W_OK) != 0))
    return 1;
  size_t count = list(files, argv[1], argv[2]);
  for (size_t i = 0; i < count; i++) {
    const off_t sizes[PARTS] = {files[i].size / 2, files[i].size - 1};
    for (size_t k = 0; k < PARTS; k++) {
      cuts c = {.folder = argv[2], .file = &files[i], .size = sizes[k], .part = k};
      *(sweep(&c) ? &passed : &failed) += 1;
      checks += c.done;
    }
  }
  for (size_t i = 0; i < count; i++)
    unlink(files[i].to);
  rmdir(argv[2]);
  printf("%zu cuts; %d passed, %d failed\n", checks, passed, failed);
  return failed > 0 || passed == 0;
}
