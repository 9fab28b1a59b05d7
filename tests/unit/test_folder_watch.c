/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_folder_watch.c - new files in a folder, detected by inotify or by polling.
 */
#define _DEFAULT_SOURCE /* mkdtemp() */
#include "bench/folder_watch.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/etrecord-tb-watch-XXXXXX";

static void path_of(char path[128], const char *name) {
  (void)snprintf(path, 128, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text) {
  char path[128];
  path_of(path, name);
  FILE *file = fopen(path, "w");
  cr_assert(file != NULL);
  cr_assert(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void move(const char *from, const char *to) {
  char old[128], new[128];
  path_of(old, from);
  path_of(new, to);
  cr_assert(rename(old, new) == 0);
}

static void expect_file(folder_watch *watch, const char *expected) {
  char name[NAME_MAX + 1] = "";
  folder_event what = folder_watch_next(watch, name);
  cr_expect_eq(what, FOLDER_FILE);
  cr_expect_str_eq(name, expected);
}

ParameterizedTestParameters(folder_watch, new_files_are_reported_once) {
  static bool ways[] = {true, false};
  return cr_make_param_array(bool, ways, 2);
}

ParameterizedTest(bool *use_inotify, folder_watch, new_files_are_reported_once, .timeout = 60) {
  folder_watch *watch = calloc(1, sizeof *watch);
  char name[NAME_MAX + 1];
  (void)signal(SIGINT, SIG_DFL); /* a process that a shell starts in the background ignores it */
  cr_assert(mkdtemp(folder) != NULL);
  write_file("there", "before");
  cr_assert(folder_watch_begin(watch, folder, *use_inotify, 0.01));
  write_file("a", "1");
  expect_file(watch, "a");
  write_file(".hidden", "2");
  move(".hidden", "b");
  expect_file(watch, "b");
  write_file("a", "another");
  expect_file(watch, "a");
  (void)raise(SIGINT); /* the signal is pending until the next file is requested */
  cr_expect_eq(folder_watch_next(watch, name), FOLDER_ENDED);
  folder_watch_end(watch);
  free(watch);
  for (const char *const *file = (const char *const[]){"a", "b", "there", NULL}; *file; file++) {
    char path[128];
    path_of(path, *file);
    (void)unlink(path);
  }
  cr_expect(rmdir(folder) == 0);
}

ParameterizedTestParameters(folder_watch, a_removed_folder_ends_the_watch) {
  static bool ways[] = {true, false};
  return cr_make_param_array(bool, ways, 2);
}

ParameterizedTest(bool *use_inotify, folder_watch, a_removed_folder_ends_the_watch, .timeout = 60) {
  folder_watch *watch = calloc(1, sizeof *watch);
  char name[NAME_MAX + 1];
  cr_assert(mkdtemp(folder) != NULL);
  cr_assert(folder_watch_begin(watch, folder, *use_inotify, 0.01));
  cr_assert(rmdir(folder) == 0);
  cr_expect_eq(folder_watch_next(watch, name), FOLDER_GONE);
  folder_watch_end(watch);
  cr_expect_not(folder_watch_begin(watch, folder, *use_inotify, 0.01));
  free(watch);
}
