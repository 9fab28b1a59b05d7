/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Source lines: a file is shown only if it contains the recorded code, and lines add up.
 */
#include "base/file.h"
#include "views/balance.h"
#include "views/summary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char text[] = "import torch\n\ndef f(x):\n\treturn x + 1\r\n    y = 2  \n\xFFlast";

/* Makes a folder with a/model.py and a pipe, a/pipe.py. */
typedef struct disk {
  char folder[64], file[128], pipe[128];
} disk;

static void make(disk *d) {
  snprintf(d->folder, sizeof d->folder, "/tmp/etr_source_XXXXXX");
  cr_assert_not_null(mkdtemp(d->folder));
  snprintf(d->file, sizeof d->file, "%s/a", d->folder);
  cr_assert_eq(mkdir(d->file, 0700), 0);
  snprintf(d->file, sizeof d->file, "%s/a/model.py", d->folder);
  snprintf(d->pipe, sizeof d->pipe, "%s/a/pipe.py", d->folder);
  FILE *file = fopen(d->file, "wb");
  cr_assert(file && fwrite(text, 1, sizeof text - 1, file) == sizeof text - 1);
  fclose(file);
  cr_assert_eq(mkfifo(d->pipe, 0600), 0);
}

static void clear(const disk *d) {
  char folder[80];
  unlink(d->file);
  unlink(d->pipe);
  snprintf(folder, sizeof folder, "%s/a", d->folder);
  rmdir(folder);
  rmdir(d->folder);
}

Test(source, files_with_the_recorded_code_are_found) {
  static const struct {
    int64_t line;
    const char *code;
    etr_source_state state;
  } cases[] = {
      {4, "return x + 1", ETR_SOURCE_FOUND},
      {1, "import torch", ETR_SOURCE_FOUND},
      {5, "y = 2", ETR_SOURCE_FOUND},
      {6, "\xEF\xBF\xBDlast", ETR_SOURCE_FOUND},
      {4, "return x", ETR_SOURCE_DIFFERENT},
      {3, "return x + 1", ETR_SOURCE_DIFFERENT}, /* a line was added later */
      {7, "", ETR_SOURCE_DIFFERENT},             /* nothing identifies the file */
      {4, "", ETR_SOURCE_DIFFERENT},
      {7, "return x + 1", ETR_SOURCE_DIFFERENT},
      {0, "return x + 1", ETR_SOURCE_DIFFERENT},
      {-1, "return x + 1", ETR_SOURCE_DIFFERENT},
      {INT64_MAX, "return x + 1", ETR_SOURCE_DIFFERENT},
  };
  disk d;
  etr_arena arena = {0};
  make(&d);
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_source first = {.file = d.file,
                              .line = cases[i].line,
                              .code = cases[i].code,
                              .function = ""},
                     *lines[] = {&first};
    etr_source_file file;
    cr_expect_eq(etr_source_file_read(&file, &arena, d.file, NULL, lines, 1), cases[i].state,
                 "case %zu", i);
    if (cases[i].state == ETR_SOURCE_FOUND)
      cr_expect_eq(file.line_count, 6);
    if (cases[i].state == ETR_SOURCE_FOUND)
      cr_expect_str_eq(file.lines[3], "    return x + 1");
  }
  etr_arena_clear(&arena);
  clear(&d);
}

Test(source, every_recorded_line_must_agree) {
  const etr_source good = {.line = 4, .code = "return x + 1"}, none = {.line = 5, .code = ""},
                   bad = {.line = 5, .code = "y = 3"};
  const etr_source *both[] = {&good, &none}, *wrong[] = {&good, &bad};
  disk d;
  etr_arena arena = {0};
  etr_source_file file;
  make(&d);
  cr_expect_eq(etr_source_file_read(&file, &arena, d.file, NULL, both, 2), ETR_SOURCE_FOUND);
  cr_expect_eq(etr_source_file_read(&file, &arena, d.file, NULL, wrong, 2), ETR_SOURCE_DIFFERENT);
  etr_arena_clear(&arena);
  clear(&d);
}

Test(source, moved_files_are_found) {
  static const struct {
    const char *path;
    etr_source_state state;
  } cases[] = {
      {"a/model.py", ETR_SOURCE_FOUND},
      {"/a/model.py", ETR_SOURCE_FOUND},
      {"/home/me/a/model.py", ETR_SOURCE_FOUND},
      {"//x//a//model.py", ETR_SOURCE_FOUND},
      {"/model.py", ETR_SOURCE_ABSENT},
      {"/a/other.py", ETR_SOURCE_ABSENT},
      {"/x/../a/model.py", ETR_SOURCE_ABSENT},
      {"..", ETR_SOURCE_ABSENT},
      {"/a/pipe.py", ETR_SOURCE_ABSENT},
      {"a", ETR_SOURCE_ABSENT},
      {"", ETR_SOURCE_ABSENT},
      {"-", ETR_SOURCE_ABSENT},
  };
  const etr_source line = {.line = 4, .code = "return x + 1"}, *lines[] = {&line};
  disk d;
  etr_arena arena = {0};
  etr_source_file file;
  make(&d);
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    cr_expect_eq(etr_source_file_read(&file, &arena, cases[i].path, d.folder, lines, 1),
                 cases[i].state, "%s", cases[i].path);
  etr_arena_clear(&arena);
  clear(&d);
}

Test(source, only_regular_files_are_read) {
  static const char *const paths[] = {"/dev/zero", "/dev/stdin",   "-", "/proc/self/environ", "/",
                                      "",          "/no/such/file"};
  const etr_source line = {.line = 1, .code = "x"}, *lines[] = {&line};
  etr_arena arena = {0};
  etr_source_file file;
  for (size_t i = 0; i < ETR_COUNT(paths); i++)
    cr_expect_eq(etr_source_file_read(&file, &arena, paths[i], NULL, lines, 1), ETR_SOURCE_ABSENT,
                 "%s", paths[i]);
  etr_arena_clear(&arena);
}

Test(source, files_are_ordered_by_time_or_name) {
  static const etr_source a = {.file = "a.py", .line = 3}, b = {.file = "b.py", .line = 2},
                          first_of_b = {.file = "b.py", .line = 1}, c = {.file = "c.py", .line = 9};
  etr_breakdown_row rows[] = {
      {.source = &a, .total_ticks = 5, .typical = 5},
      {.source = &c, .total_ticks = 11, .typical = 11},
      {.source = &b, .total_ticks = 10, .typical = 10, .node_count = 2},
      {.source = NULL, .total_ticks = 7, .typical = 7},
      {.source = &first_of_b, .total_ticks = 1, .typical = 1, .node_count = 1}};
  static const char *const orders[][4] = {{"b.py", "c.py", NULL, "a.py"},
                                          {"a.py", "b.py", "c.py", NULL}};
  const etr_profile profile = {0};
  const etr_method method = {0};
  etr_summary summary = {.profile = &profile, .method = &method};
  for (uint32_t i = 0; i < ETR_COUNT(rows); i++)
    rows[i].number = i;
  summary.by[ETR_BY_SOURCE].rows = rows;
  summary.by[ETR_BY_SOURCE].count = ETR_COUNT(rows);
  for (int paths_first = 0; paths_first < 2; paths_first++) {
    etr_arena arena = {0};
    size_t count;
    const etr_source_lines *files = etr_source_lines_make(&count, &arena, &summary, paths_first);
    cr_assert_eq(count, 4);
    for (size_t i = 0; i < count; i++) {
      const char *path = orders[paths_first][i];
      cr_expect(path ? files[i].path && strcmp(files[i].path, path) == 0 : !files[i].path,
                "%d: file %zu", paths_first, i);
      if (!path || *path != 'b')
        continue;
      cr_expect_eq(files[i].total_ticks, 11);
      cr_expect_eq(files[i].node_count, 3);
      cr_expect_eq(files[i].sources[0], &first_of_b);
    }
    etr_arena_clear(&arena);
  }
}

Test(source, lines_add_up_to_the_files) {
  static const char *const records[] = {"mv2_xnnpack",  "vit_xnnpack", "llama_portable",
                                        "multi_method", "cpp_rich",    "old_0_6_add_mul"};
  for (size_t i = 0; i < ETR_COUNT(records); i++) {
    etr_inputs inputs;
    etr_profile *profile;
    etr_arena arena = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/%s", FIXTURES, records[i]);
    cr_assert_eq(etr_inputs_find(&inputs, path, NULL, NULL), ETR_OK);
    cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, NULL), ETR_OK);
    for (size_t m = 0; m < profile->method_count; m++) {
      etr_summary s;
      size_t count;
      uint64_t files = 0, lines = 0;
      cr_assert(etr_summary_make(
          &s, &arena, profile, &profile->methods[m],
          (etr_summary_choice){NULL, ETR_UNIT_MS, ETR_ORDER_TIME, ETR_SUMMARY_ALL}));
      const etr_source_lines *list = etr_source_lines_make(&count, &arena, &s, false);
      cr_assert_not_null(list);
      for (size_t f = 0; f < count; f++) {
        if (f > 0)
          cr_expect_geq(list[f - 1].total_ticks, list[f].total_ticks);
        files += list[f].total_ticks;
        for (size_t k = 0; k < list[f].count; k++) {
          lines += list[f].rows[k]->total_ticks;
          if (list[f].path)
            cr_expect_str_eq(list[f].sources[k]->file, list[f].path);
          if (list[f].path && k > 0)
            cr_expect_lt(list[f].sources[k - 1]->line, list[f].sources[k]->line);
        }
      }
      cr_expect_eq(files, etr_broad_part_ticks(&profile->methods[m], ETR_BROAD_NODES), "%s",
                   records[i]);
      cr_expect_eq(lines, etr_broad_part_ticks(&profile->methods[m], ETR_BROAD_NODES), "%s",
                   records[i]);
    }
    etr_profile_close(profile);
    etr_inputs_clear(&inputs);
    etr_arena_clear(&arena);
  }
}
