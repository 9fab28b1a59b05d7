/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_dump_place.c - which ETDump a recording left, and where it is moved.
 */
#define _DEFAULT_SOURCE /* mkdtemp(), usleep() */
#include "bench/dump_place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD_BYTES = 12, LARGE_BYTES = 100000 /* more than is copied at once */ };

static char folder[] = "/tmp/etrecord-tb-place-XXXXXX";
static const char *const runner[] = {"runner", NULL};

static void make_folder(void) {
  cr_assert(mkdtemp(folder) != NULL);
}

static void remove_folder(void) {
  char command[128];
  (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
  cr_assert(system(command) == 0);
}

static const char *path_of(const char *name) {
  static char paths[4][128];
  static size_t next;
  char *path = paths[next++ % 4];
  (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

/* Writes a file that begins like an ETDump, or not, and ends with its name. Files get different
 * times. */
static void write_file(const char *name, bool is_dump, size_t size) {
  FILE *file = fopen(path_of(name), "wb");
  cr_assert(file != NULL);
  (void)fprintf(file, "%8s%s", "", is_dump ? "ED00" : "PK00");
  for (size_t i = HEAD_BYTES; i < size; i++)
    (void)fputc((int)('a' + i % 23), file);
  (void)fputs(name, file);
  cr_assert(fclose(file) == 0);
  usleep(12000);
}

static void expect_content(const char *path, const char *name, size_t size) {
  char text[64] = "";
  FILE *file = fopen(path, "rb");
  cr_assert(file != NULL, "%s", path);
  for (size_t i = 0; i < size; i++) {
    int want = i < 8 ? ' ' : i < HEAD_BYTES ? "ED00"[i - 8] : (int)('a' + i % 23);
    cr_assert_eq(fgetc(file), want, "byte %zu of %s", i, path);
  }
  cr_expect(fgets(text, sizeof text, file) != NULL);
  cr_expect_str_eq(text, name);
  (void)fclose(file);
}

static void expect_taken(dump_place *place, const char *name) {
  etr_error error = {.message = ""};
  cr_assert_eq(dump_place_take(place, path_of("taken"), &error), ETR_OK, "%s: %s", name,
               error.message);
  expect_content(path_of("taken"), name, HEAD_BYTES);
  cr_expect(access(path_of(name), F_OK) != 0, "%s was moved", name);
  cr_assert(unlink(path_of("taken")) == 0);
}

static void expect_none(dump_place *place, const char *reason) {
  etr_error error = {.message = ""};
  cr_expect_eq(dump_place_take(place, path_of("taken"), &error), ETR_ERROR_IO);
  cr_expect(strstr(error.message, reason) != NULL, "%s", error.message);
}

Test(dump_place, the_newest_dump_of_a_folder_is_taken, .init = make_folder, .fini = remove_folder) {
  static const char *const names[] = {"m", "d", "x", "a", "s", "z", "k", "b"};
  dump_place place;
  etr_error error;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    write_file(names[i], true, HEAD_BYTES);
  dump_place_init(&place, runner, NULL, folder);
  cr_expect(!place.is_on_device);
  cr_assert_eq(dump_place_remember(&place, &error), ETR_OK);
  cr_expect_geq(place.seen_count, sizeof names / sizeof *names);
  expect_none(&place, "no new ETDump in the working directory or /tmp/etrecord-tb-place-");
  static const char *const newer[2][4] = {{"n-3", "n-1", "n-4", "n-2"},
                                          {"n-2", "n-4", "n-1", "n-3"}};
  for (size_t i = 0; i < 2; i++) { /* in whichever order a folder lists them */
    for (size_t k = 0; k < 4; k++)
      write_file(newer[i][k], true, HEAD_BYTES);
    write_file("no-dump", false, HEAD_BYTES);
    for (size_t k = 4; k-- > 0;)
      expect_taken(&place, newer[i][k]);
  }
  expect_none(&place, "no new ETDump");
  write_file("x", true, HEAD_BYTES); /* written again: the same size, another time */
  expect_taken(&place, "x");
  write_file("d", true, HEAD_BYTES);
  cr_assert_eq(dump_place_remember(&place, &error), ETR_OK);
  expect_none(&place, "no new ETDump");
  dump_place_clear(&place);
  cr_expect(place.seen == NULL && place.seen_count == 0);
}

Test(dump_place, a_named_dump_must_be_new, .init = make_folder, .fini = remove_folder) {
  dump_place place;
  etr_error error;
  char path[128];
  (void)snprintf(path, sizeof path, "%s", path_of("dump"));
  dump_place_init(&place, runner, path, folder);
  cr_assert_eq(dump_place_remember(&place, &error), ETR_OK);
  expect_none(&place, "there is no file");
  write_file("dump", true, HEAD_BYTES);
  expect_taken(&place, "dump");
  write_file("dump", true, HEAD_BYTES);
  cr_assert_eq(dump_place_remember(&place, &error), ETR_OK);
  expect_none(&place, "is from before the recording");
  write_file("dump", true, LARGE_BYTES);
  cr_assert_eq(dump_place_take(&place, path_of("taken"), &error), ETR_OK);
  expect_content(path_of("taken"), "dump", LARGE_BYTES);
  dump_place_clear(&place);
}

/* A link and what it points to belong to the runner. */
Test(dump_place, a_linked_dump_is_copied, .init = make_folder, .fini = remove_folder) {
  dump_place place;
  etr_error error = {.message = ""};
  char path[128];
  (void)snprintf(path, sizeof path, "%s", path_of("link"));
  dump_place_init(&place, runner, path, NULL);
  cr_assert_eq(dump_place_remember(&place, &error), ETR_OK);
  write_file("dump", true, LARGE_BYTES);
  cr_assert(symlink("dump", path) == 0);
  cr_assert_eq(dump_place_take(&place, path_of("taken"), &error), ETR_OK, "%s", error.message);
  expect_content(path_of("taken"), "dump", LARGE_BYTES);
  expect_content(path, "dump", LARGE_BYTES);
  cr_assert(unlink(path_of("taken")) == 0 && symlink("nowhere/at/all", path_of("taken")) == 0);
  cr_expect_eq(dump_place_take(&place, path_of("taken"), &error), ETR_ERROR_IO);
  cr_expect(strstr(error.message, "cannot move the ETDump") != NULL, "%s", error.message);
  dump_place_clear(&place);
}

Test(dump_place, dumps_are_known_by_their_head, .init = make_folder, .fini = remove_folder) {
  write_file("dump", true, HEAD_BYTES);
  write_file("zip", false, HEAD_BYTES);
  cr_expect(dump_place_is_dump(path_of("dump")));
  cr_expect(!dump_place_is_dump(path_of("zip")));
  cr_expect(!dump_place_is_dump(path_of("missing")));
  cr_assert(truncate(path_of("dump"), HEAD_BYTES) == 0);
  cr_expect(dump_place_is_dump(path_of("dump")));
  cr_assert(truncate(path_of("dump"), HEAD_BYTES - 1) == 0);
  cr_expect(!dump_place_is_dump(path_of("dump")));
}
