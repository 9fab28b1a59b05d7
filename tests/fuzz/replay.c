/* SPDX-License-Identifier: BSD-3-Clause
 *
 * replay.c - runs a fuzz target once on each file given, and on each file of the folders given: no
 * libFuzzer needed. Behind --every N a folder has every N-th of its files read, by name.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replayed;

static void replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  uint8_t *data = NULL;
  size_t size = 0, got;
  if (!file)
    return;
  do {
    uint8_t *grown = realloc(data, size + 65536);
    if (!grown)
      abort();
    data = grown;
    got = fread(data + size, 1, 65536, file);
    size += got;
  } while (got > 0);
  fclose(file);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  replayed++;
}

static int is_shown(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static void replay_folder(const char *folder, struct dirent **entries, int count, int every) {
  for (int i = 0; i < count; i++) {
    char path[4096];
    if (i % every == 0 &&
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path)
      replay_file(path);
    free(entries[i]);
  }
  free(entries);
}

int main(int argc, char **argv) {
  int every = 1;
  for (int i = 1; i < argc; i++) {
    struct dirent **entries;
    if (i + 2 < argc && strcmp(argv[i], "--every") == 0) {
      every = atoi(argv[i + 1]) > 1 ? atoi(argv[i + 1]) : 1;
      i += 2;
    }
    int count = scandir(argv[i], &entries, is_shown, alphasort);
    if (count < 0)
      replay_file(argv[i]);
    else
      replay_folder(argv[i], entries, count, every);
    every = 1;
  }
  printf("%zu passed, 0 failed\n", replayed);
  return replayed == 0;
}
