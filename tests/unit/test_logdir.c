/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing run folders: where files go, that they are replaced, and that failure leaves nothing.
 */
#include "tiny_profile.h"

#include "etrecord_tb.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/test_logdir.XXXXXX";
static etr_graph graphs[4];
static tiny t;
static etr_profile profile;

/* Makes a profile with an entry point for each "MODULE/METHOD". */
static void make_profile(const char *const names[][2], size_t count) {
  static const etr_value output = {.name = "y", .rank = -1};
  uint32_t x = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0),
           y = tiny_node(&t, ETR_NODE_OP, "y", "aten.add.Tensor", 0);
  t.nodes.data[y].outputs = &output;
  tiny_input(&t, y, x, 0);
  profile = *tiny_profile(&t);
  for (size_t i = 0; i < count; i++) {
    graphs[i] = profile.graphs[0];
    graphs[i].module = names[i][0];
    graphs[i].method = names[i][1];
  }
  profile.graphs = graphs;
  profile.graph_count = count;
}

static void setup(void) {
  cr_assert_not_null(mkdtemp(folder));
}

static void teardown(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_expect_eq(system(command), 0);
  tiny_clear(&t);
}

TestSuite(logdir, .init = setup, .fini = teardown);

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(etr_arena *arena, const char *path, const char *relative, char **found,
                 size_t *count) {
  DIR *directory = opendir(path);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    char *child = etr_arena_format(arena, "%s/%s", path, entry->d_name),
         *name = etr_arena_format(arena, "%s%s%s", relative, *relative ? "/" : "", entry->d_name);
    struct stat status;
    if (child && stat(child, &status) == 0 && S_ISDIR(status.st_mode))
      list(arena, child, name, found, count);
    else
      found[(*count)++] = status.st_size > 0 ? name : etr_arena_format(arena, "%s(empty)", name);
  }
  if (directory)
    closedir(directory);
}

/* Lists all files below the folder, sorted and joined by ' '; empty files are marked. */
static void expect_files(const char *expected) {
  etr_arena arena = {0};
  char *found[64], *text = "";
  size_t count = 0;
  list(&arena, folder, "", found, &count);
  if (count)
    qsort(found, count, sizeof *found, by_text);
  for (size_t i = 0; i < count; i++)
    text = etr_arena_format(&arena, "%s%s%s", text, i ? " " : "", found[i]);
  cr_expect_str_eq(text, expected, "files are %s", text);
  etr_arena_clear(&arena);
}

static void put_file(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  fclose(file);
}

static void put_folder(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  cr_assert_eq(mkdir(path, 0700), 0);
}

static etr_status write_profile(double wall_time, etr_error *error) {
  etr_logdir_options options = {.logdir = folder,
                                .name = "n",
                                .wall_time = wall_time,
                                .host = "h",
                                .pid = 1,
                                .graphs = "all"};
  return etr_write_logdir(&profile, &options, error);
}

Test(logdir, every_entry_point_has_its_files) {
  static const char *const names[][2] = {
      {"edge", "encode"}, {"edge", "decode"}, {"aten", "forward"}, {"../..", "a/b"}};
  make_profile(names, 4);
  cr_expect_eq(write_profile(7, NULL), ETR_OK);
  expect_files("n/.etrecord-tb n/1_edge/decode/events.out.tfevents.0000000007.h.1.0 "
               "n/1_edge/encode/events.out.tfevents.0000000007.h.1.0 "
               "n/2_aten/forward/events.out.tfevents.0000000007.h.1.0 "
               "n/3_%2E.%2F.%2E/a%2Fb/events.out.tfevents.0000000007.h.1.0 "
               "n/dot/%2E.%2F.%2E/a%2Fb.dot n/dot/aten/forward.dot n/dot/edge/decode.dot "
               "n/dot/edge/encode.dot");
}

Test(logdir, a_record_is_one_run) {
  static const char *const names[][2] = {
      {"edge", "encode"}, {"edge", "decode"}, {"aten", "forward"}};
  static const struct {
    const char *graphs, *drawn;
  } cases[] = {{NULL, "n/dot/aten/forward.dot n/dot/edge/decode.dot n/dot/edge/encode.dot"},
               {"aten", "n/dot/aten/forward.dot"},
               {"edge,aten", "n/dot/aten/forward.dot n/dot/edge/decode.dot n/dot/edge/encode.dot"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char expected[256];
    make_profile(names, 3);
    const etr_logdir_options options = {.logdir = folder,
                                        .name = "n",
                                        .wall_time = 7,
                                        .host = "h",
                                        .pid = 1,
                                        .graphs = cases[i].graphs};
    cr_expect_eq(etr_write_logdir(&profile, &options, NULL), ETR_OK);
    snprintf(expected, sizeof expected, "n/.etrecord-tb %s n/events.out.tfevents.0000000007.h.1.0",
             cases[i].drawn);
    expect_files(expected);
    teardown();
    t = (tiny){0};
    cr_assert_eq(mkdir(folder, 0700), 0);
  }
}

Test(logdir, a_graph_without_operators_is_not_drawn) {
  static const char *const names[][2] = {{"edge", "forward"}, {"program", "forward"}};
  make_profile(names, 2);
  graphs[1].node_count = 1; /* the input */
  cr_expect_eq(write_profile(7, NULL), ETR_OK);
  expect_files("n/.etrecord-tb n/1_edge/forward/events.out.tfevents.0000000007.h.1.0 "
               "n/2_program/forward/events.out.tfevents.0000000007.h.1.0 n/dot/edge/forward.dot");
}

Test(logdir, equal_folder_names_are_made_unique) {
  static const char *const names[][2] = {{"m", "f"}, {"m", "f"}};
  make_profile(names, 2);
  cr_expect_eq(write_profile(7, NULL), ETR_OK);
  expect_files("n/.etrecord-tb n/1_m/2_f/events.out.tfevents.0000000007.h.1.0 "
               "n/1_m/f/events.out.tfevents.0000000007.h.1.0 n/dot/m/2_f.dot n/dot/m/f.dot");
}

Test(logdir, a_second_write_replaces_the_first) {
  static const char *const names[][2] = {{"edge", "forward"}, {"aten", "forward"}};
  static const char *const fewer[][2] = {{"aten", "forward"}};
  make_profile(names, 2);
  cr_expect_eq(write_profile(7, NULL), ETR_OK);
  cr_expect_eq(write_profile(8, NULL), ETR_OK);
  expect_files("n/.etrecord-tb n/1_edge/forward/events.out.tfevents.0000000007.h.1.0(empty) "
               "n/1_edge/forward/events.out.tfevents.0000000008.h.1.0 "
               "n/2_aten/forward/events.out.tfevents.0000000007.h.1.0(empty) "
               "n/2_aten/forward/events.out.tfevents.0000000008.h.1.0 "
               "n/dot/aten/forward.dot n/dot/edge/forward.dot");
  make_profile(fewer, 1);
  cr_expect_eq(write_profile(9, NULL), ETR_OK);
  expect_files(
      "n/.etrecord-tb n/1_aten/forward/events.out.tfevents.0000000009.h.1.0 n/dot/aten/forward.dot "
      "n/dot/edge/forward.dot");
}

/* In the same second, and after the clock was set back, the newest file of a run has the last name.
 */
Test(logdir, new_files_come_last) {
  static const char *const names[][2] = {{"m", "f"}};
  make_profile(names, 1);
  for (int i = 0; i < 3; i++)
    cr_expect_eq(write_profile(7 - i, NULL), ETR_OK);
  expect_files("n/.etrecord-tb n/1_m/f/events.out.tfevents.0000000007.h.1.0(empty) "
               "n/1_m/f/events.out.tfevents.0000000008.h.1.0(empty) "
               "n/1_m/f/events.out.tfevents.0000000009.h.1.0 n/dot/m/f.dot");
}

static size_t count_files(void) {
  etr_arena arena = {0};
  char *found[64];
  size_t count = 0;
  list(&arena, folder, "", found, &count);
  etr_arena_clear(&arena);
  return count;
}

Test(logdir, emptied_files_do_not_pile_up) {
  static const char *const names[][2] = {{"m", "f"}, {"m", "f"}};
  size_t before = 0;
  make_profile(names, 2);
  for (int i = 0; i < 20; i++) {
    cr_expect_eq(write_profile(7, NULL), ETR_OK);
    if (i < 10)
      before = count_files();
  }
  cr_expect_eq(count_files(), before);
}

Test(logdir, files_of_others_stay) {
  static const char *const names[][2] = {{"edge", "forward"}};
  make_profile(names, 1);
  put_folder("n");
  put_folder("n/9_old");
  put_folder("n/9_old/forward");
  put_folder("n/mine");
  put_file("n/9_old/forward/events.out.tfevents.1.h.1.0");
  put_file("n/9_old/notes");
  put_file("n/mine/events.out.tfevents.1.h.1.0");
  cr_expect_eq(write_profile(7, NULL), ETR_OK);
  cr_expect_eq(write_profile(8, NULL), ETR_OK);
  expect_files("n/.etrecord-tb n/1_edge/forward/events.out.tfevents.0000000007.h.1.0(empty) "
               "n/1_edge/forward/events.out.tfevents.0000000008.h.1.0 "
               "n/9_old/forward/events.out.tfevents.1.h.1.0(empty) n/9_old/notes(empty) "
               "n/dot/edge/forward.dot "
               "n/mine/events.out.tfevents.1.h.1.0(empty)");
}

/* A list that names files of others, or files outside of the folder. */
Test(logdir, hostile_lists_remove_nothing_else) {
  static const char *const lines[] = {"../theirs", "/etc/passwd", "a//b", "./a",
                                      "a/..",      "a/",          "",     "a"};
  static const char *const names[][2] = {{"edge", "forward"}};
  make_profile(names, 1);
  for (size_t i = 0; i < ETR_COUNT(lines); i++) {
    char path[256];
    etr_error error;
    bool is_path = strcmp(lines[i], "a") == 0;
    cr_expect_eq(write_profile(7, NULL), ETR_OK);
    snprintf(path, sizeof path, "%s/n/.etrecord-tb", folder);
    FILE *file = fopen(path, "a");
    cr_assert_not_null(file);
    fprintf(file, "%s\n", lines[i]);
    fclose(file);
    cr_expect_eq(write_profile(8, &error), is_path ? ETR_OK : ETR_ERROR_FORMAT, "%s", lines[i]);
    teardown();
    t = (tiny){0};
    make_profile(names, 1);
    cr_assert_eq(mkdir(folder, 0700), 0);
  }
}

/* Two processes with the same number, as in two containers, write repeatedly. Each write succeeds,
 * and exactly one file of the run is not empty. */
Test(logdir, two_writers_leave_one_file) {
  enum { ROUNDS = 20 };
  static const char *const names[][2] = {{"m", "f"}};
  make_profile(names, 1);
  pid_t children[2];
  for (size_t i = 0; i < 2; i++) {
    children[i] = fork();
    cr_assert_geq(children[i], 0);
    if (children[i] > 0)
      continue;
    bool good = true;
    for (int k = 0; k < ROUNDS; k++)
      good = good && write_profile(7, NULL) == ETR_OK;
    _exit(good ? 0 : 1);
  }
  for (size_t i = 0; i < 2; i++) {
    int status;
    cr_assert_eq(waitpid(children[i], &status, 0), children[i]);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  expect_files("n/.etrecord-tb n/1_m/f/events.out.tfevents.0000000039.h.1.0(empty) "
               "n/1_m/f/events.out.tfevents.0000000040.h.1.0(empty) "
               "n/1_m/f/events.out.tfevents.0000000041.h.1.0(empty) "
               "n/1_m/f/events.out.tfevents.0000000042.h.1.0(empty) "
               "n/1_m/f/events.out.tfevents.0000000043.h.1.0(empty) "
               "n/1_m/f/events.out.tfevents.0000000044.h.1.0(empty) "
               "n/1_m/f/events.out.tfevents.0000000045.h.1.0(empty) "
               "n/1_m/f/events.out.tfevents.0000000046.h.1.0 n/dot/m/f.dot");
}

static bool write_and_discard(int rounds) {
  etr_logdir *logdir;
  etr_logdir_options options = {.logdir = folder, .name = "n", .wall_time = 7};
  for (int i = 0; i < rounds; i++) {
    etr_error error;
    if (etr_logdir_begin(&logdir, &options, &error) != ETR_OK ||
        etr_logdir_add(logdir, &profile, NULL, &error) != ETR_OK) {
      fprintf(stderr, "round %d: %s: %s\n", i, error.file, error.message);
      return false;
    }
    etr_logdir_discard(logdir);
  }
  return true;
}

/* A writer that fails removes the folder that it created, while another one waits for it. */
Test(logdir, failing_writers_leave_nothing) {
  enum { ROUNDS = 100 };
  static const char *const names[][2] = {{"m", "f"}};
  int status;
  make_profile(names, 1);
  pid_t child = fork();
  cr_assert_geq(child, 0);
  bool good = write_and_discard(ROUNDS);
  if (child == 0)
    _exit(good ? 0 : 1);
  cr_expect(good);
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  cr_expect_eq(rmdir(folder), 0, "something is left");
  cr_assert_eq(mkdir(folder, 0700), 0);
}

/* An obstacle at each step makes the write fail. New files are removed, and existing ones are
 * unchanged. */
Test(logdir, a_failure_leaves_everything_as_it_was) {
  static const struct {
    const char *folders[4], *file, *left, *message;
  } cases[] = {
      {{NULL}, "n", "n(empty)", "cannot open this folder: Not a directory"},
      {{"n"}, "n/1_edge", "n/1_edge(empty)", "cannot write this file: Not a directory"},
      {{"n"}, "n/dot", "n/dot(empty)", "cannot write this file: Not a directory"},
      {{"n", "n/1_edge"},
       "n/1_edge/forward",
       "n/1_edge/forward(empty)",
       "cannot write this file: Not a directory"},
      {{"n", "n/dot", "n/dot/edge", "n/dot/edge/forward.dot"},
       "n/dot/edge/forward.dot/x",
       "n/dot/edge/forward.dot/x(empty)",
       "Is a directory"},
      {{"n", "n/dot", "n/dot/edge"},
       "n/dot/edge/forward.dot",
       "n/dot/edge/forward.dot(empty)",
       "not written by etrecord-tb"},
  };
  static const char *const names[][2] = {{"edge", "forward"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_error error;
    make_profile(names, 1);
    for (size_t k = 0; k < 4 && cases[i].folders[k]; k++)
      put_folder(cases[i].folders[k]);
    put_file(cases[i].file);
    cr_expect_eq(write_profile(7, &error), ETR_ERROR_IO, "case %zu", i);
    cr_expect_not_null(strstr(error.message, cases[i].message), "case %zu: %s", i, error.message);
    cr_expect_str_not_empty(error.file);
    expect_files(cases[i].left);
    teardown();
    t = (tiny){0};
    cr_assert_eq(mkdir(folder, 0700), 0);
  }
}

Test(logdir, nothing_to_write_is_an_error) {
  etr_error error;
  profile = (etr_profile){.ticks_per_second = 1e9};
  cr_expect_eq(write_profile(7, &error), ETR_ERROR_CHOICE);
  expect_files("");
}

typedef struct reports {
  size_t count;
  char paths[8][256];
} reports;

static void note(void *context, const char *path, const char *entry_point, const char *kind) {
  reports *seen = context;
  cr_assert_lt(seen->count, 8);
  snprintf(seen->paths[seen->count++], sizeof seen->paths[0], "%s %s %s", kind, entry_point,
           path + strlen(folder));
}

Test(logdir, each_written_file_is_reported) {
  static const char *const names[][2] = {{"edge", "forward"}};
  reports seen = {0};
  make_profile(names, 1);
  etr_logdir_options options = {
      .logdir = folder, .name = "n", .wall_time = 7, .on_file = note, .context = &seen};
  cr_expect_eq(etr_write_logdir(&profile, &options, NULL), ETR_OK);
  cr_assert_eq(seen.count, 2);
  cr_expect_str_eq(seen.paths[0],
                   "events edge/forward /n/events.out.tfevents.0000000007.localhost.0.0");
  cr_expect_str_eq(seen.paths[1], "dot edge/forward /n/dot/edge/forward.dot");
}
