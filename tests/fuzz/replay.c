/* SPDX-License-Identifier: BSD-3-Clause
 *
 * replay.c - runs a fuzz target once on each file given, and on each file of the folders given: no
 * libFuzzer needed.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    DIR *folder = opendir(argv[i]);
    if (!folder)
      replay_file(argv[i]);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
      char path[4096];
      if (entry->d_name[0] != '.' &&
          snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name) < (int)sizeof path)
        replay_file(path);
    }
    if (folder)
      closedir(folder);
  }
  printf("%zu passed, 0 failed\n", replayed);
  return replayed == 0;
}
