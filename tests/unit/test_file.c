/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_file.c - lib/base/file.c: files of all sizes, and paths that are no files.
 */
#include "base/file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_file(char *path, size_t size) {
  int file = mkstemp(path);
  char *bytes = calloc(1, size + 1);
  cr_assert_eq(write(file, bytes, size), (ssize_t)size);
  close(file);
  free(bytes);
}

Test(file, a_limit_bounds_the_size) {
  static const struct {
    size_t size;
    uint64_t most;
    etr_status status;
  } cases[] = {
      {0, 0, ETR_OK},         {1, 0, ETR_ERROR_FORMAT},         {1, 1, ETR_OK},
      {70000, 70000, ETR_OK}, {70000, 69999, ETR_ERROR_FORMAT},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char path[] = "/tmp/etr_file_XXXXXX";
    etr_file file = {0};
    etr_error error;
    make_file(path, cases[i].size);
    cr_expect_eq(etr_file_read(&file, path, cases[i].most, &error), cases[i].status, "case %zu", i);
    if (cases[i].status == ETR_OK)
      cr_expect_eq(file.size, cases[i].size);
    else
      cr_expect(strstr(error.message, "--max-bytes") && strcmp(error.file, path) == 0,
                "case %zu: %s", i, error.message);
    etr_file_clear(&file);
    unlink(path);
  }
}

/* The size of a pipe is known only after reading it. */
Test(file, a_pipe_is_read_up_to_the_limit) {
  char path[] = "/tmp/etr_pipe_XXXXXX";
  for (uint64_t most = 99999; most <= 100000; most++) {
    etr_file file = {0};
    etr_error error;
    close(mkstemp(path));
    unlink(path);
    cr_assert_eq(mkfifo(path, 0600), 0);
    if (fork() == 0) {
      FILE *writer = fopen(path, "wb");
      for (int i = 0; i < 100000; i++)
        putc(0, writer);
      fclose(writer);
      _exit(0);
    }
    etr_status status = etr_file_read(&file, path, most, &error);
    cr_expect_eq(status, most < 100000 ? ETR_ERROR_FORMAT : ETR_OK);
    if (status == ETR_OK)
      cr_expect_eq(file.size, 100000);
    etr_file_clear(&file);
    unlink(path);
  }
}

Test(file, missing_files_and_folders_are_refused) {
  static const char *const paths[] = {"/nowhere/at/all", "/tmp"};
  for (size_t i = 0; i < ETR_COUNT(paths); i++) {
    etr_file file = {0};
    etr_seekable seekable;
    etr_error error;
    cr_expect_eq(etr_file_read(&file, paths[i], 100, &error), ETR_ERROR_IO);
    cr_expect_str_eq(error.file, paths[i]);
    cr_expect_eq(etr_seekable_open(&seekable, paths[i], &error), ETR_ERROR_IO);
    cr_expect_str_eq(error.file, paths[i]);
  }
  etr_seekable seekable;
  cr_expect_eq(etr_seekable_open(&seekable, "/dev/null", NULL), ETR_ERROR_IO,
               "it cannot be read again");
}

Test(file, reads_beyond_the_end_fail) {
  char path[] = "/tmp/etr_file_XXXXXX", bytes[16];
  etr_seekable file;
  etr_file part = {0};
  etr_error error;
  make_file(path, 10);
  cr_assert_eq(etr_seekable_open(&file, path, &error), ETR_OK);
  cr_expect_eq(file.size, 10);
  cr_expect(etr_seekable_read(&file, 4, bytes, 6) && etr_seekable_read(&file, 10, bytes, 0));
  cr_expect(!etr_seekable_read(&file, 4, bytes, 7) && !etr_seekable_read(&file, 11, bytes, 1));
  cr_expect_not(etr_seekable_read(&file, (uint64_t)INT64_MAX + 1, bytes, 1));
  cr_expect_eq(etr_seekable_load(&part, &file, 2, 8, path, &error), ETR_OK);
  etr_file_clear(&part);
  cr_expect_eq(etr_seekable_load(&part, &file, 3, 8, path, &error), ETR_ERROR_IO);
  cr_expect(error.offset == 3 && strstr(error.message, "shrank"), "%s", error.message);
  etr_seekable_close(&file);
  unlink(path);
}

Test(file, only_regular_files_are_accepted) {
  static const struct {
    const char *path;
    int reason; /* 0: it is regular */
  } cases[] = {{FIXTURES "/README.md", 0},
               {"/nowhere/at/all", ENOENT},
               {"/tmp", EISDIR},
               {"/dev/null", ESPIPE},
               {"-", ENOENT}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    errno = 0;
    FILE *file = etr_file_open_regular(cases[i].path);
    cr_expect(cases[i].reason ? !file && errno == cases[i].reason : file != NULL, "%s: %s",
              cases[i].path, strerror(errno));
    cr_expect_eq(etr_file_is_regular(cases[i].path), cases[i].reason == 0, "%s", cases[i].path);
    if (file)
      fclose(file);
  }
}
