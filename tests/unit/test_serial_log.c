/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ETDumps as base64 in logs: text around them and between their lines, and the errors of dumps that
 * are not whole.
 */
#include "inputs/serial_log.h"

#include "base/base64.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* The 40 bytes of an ETDump that logs check; they begin with its size. */
static const char whole[] = "\x24\0\0\0\x14\0\0\0ED00abcdefghijklmnopqrstuvwxyz!?";
enum { SIZE = 40 };

/* In a text, @D is replaced by its base64, 56 characters, and @AB by B hexadecimal groups of 4 of
 * it from group A on.
 */
static etr_slice expand(etr_arena *arena, const char *row) {
  static const char hex[] = "0123456789abcdef";
  char digits[57] = "";
  const char *text = "";
  etr_base64_encode(digits, (etr_slice){whole, SIZE});
  for (; *row && text; row++) {
    if (*row != '@') {
      text = etr_arena_format(arena, "%s%c", text, *row);
    } else if (*++row == 'D') {
      text = etr_arena_format(arena, "%s%s", text, digits);
    } else {
      int from = (int)(strchr(hex, row[0]) - hex), count = (int)(strchr(hex, row[1]) - hex);
      text = etr_arena_format(arena, "%s%.*s", text, 4 * count, digits + 4 * from);
      row++;
    }
  }
  return etr_slice_of(text);
}

Test(serial_log, dumps_in_logs_are_found) {
  static const struct {
    const char *text;
    size_t dumps, line; /* where the first starts */
  } rows[] = {
      {"boot\necho \"@D\" | base64 -d >etdump.bin\n", 1, 2},
      {"boot\r\necho \"@D\" | base64 -d >etdump.bin\r\n", 1, 2},
      {"@D", 1, 1},
      {"ETDump: @D done", 1, 1},
      {"\x1b[32mecho \"@D\" | base64 -d\x1b[0m", 1, 1},
      {"\x1b[1;32m@D\x1b[0m", 1, 1},
      {"[00:01] echo \"@D\"\n", 1, 1},
      {"#[RUN THIS]\nbase64 -i -d <<<\"\\\n@D\\\n\" >etdump.bin\n", 1, 3},
      {"x\n@05\n@55\n@a4\ndone\n", 1, 2},
      {"@07\n@77\ndone\n", 1, 1}, /* a line of the same length that is also base64; the size shows
                                     that it is not part of the dump */
      {"[00:01] @07\n[00:02] @77\n[00:03] done\n", 1, 1},
      {"[ 9.1] @07\n[10.2] @77\n[10.3] done\n", 1, 1},
      {"[00:01] echo \"@07\n[00:02] @77\" | base64\n", 1, 1},
      {"echo \"@05\n@55\n@a4\" | base64\n", 1, 1},
      {"echo \"@05\r\r\n@55\r\r\n@a4\" | base64\n", 1, 1},
      {"echo \"@D\"\nreset\necho \"@D\"\n", 2, 1},
      {"@D\n@D\n", 2, 1},
      {"echo \"@D", 1, 1}, /* only the closing quote is missing */
      {"nothing\nhere", 0, 0},
      {"echo \"hello\" | base64 -d >debug_buffer.bin", 0, 0},
      {"", 0, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_arena arena = {0};
    etr_serial_log log;
    cr_assert(etr_serial_log_read(&log, &arena, expand(&arena, rows[i].text)));
    cr_expect(log.dump_count == rows[i].dumps && log.found == rows[i].dumps, "row %zu: %zu", i,
              log.dump_count);
    cr_expect_null(log.problem, "row %zu: %s", i, log.problem);
    for (size_t k = 0; k < log.dump_count; k++) {
      cr_expect(log.dumps[k].bytes.size == SIZE &&
                    memcmp(log.dumps[k].bytes.data, whole, SIZE) == 0,
                "row %zu", i);
      cr_expect(log.dumps[k].number == k + 1 && log.dumps[k].debug_buffer.size == 0, "row %zu", i);
    }
    if (log.dump_count)
      cr_expect_eq(log.dumps[0].line, rows[i].line, "row %zu", i);
    etr_arena_clear(&arena);
  }
}

Test(serial_log, incomplete_dumps_are_reported) {
  static const struct {
    const char *text;
    size_t dumps;
    const char *problem;
  } rows[] = {
      {"x\necho \"@07", 0,
       "line 2: the ETDump in base64 is cut off on line 2, after 21 of 40 bytes"},
      {"x\n@07\n@73", 0, "line 2: the ETDump in base64 is cut off on line 3, after 30 of 40 bytes"},
      {"@07\n[warning] low voltage\n@77\n", 0,
       "line 1: the ETDump in base64 is broken off or damaged on line 1, after 21 of 40 bytes"},
      {"echo \"@07\nI interrupt\n@77\"\n", 0,
       "line 1: the ETDump in base64 is broken off or damaged on line 1, after 21 of 40 bytes"},
      {"echo \"@07@86\" | base64\n", 0,
       "line 1: the ETDump in base64 is broken off or damaged on line 1, after 39 of 40 bytes"},
      {"@D\nreset\n@07", 1,
       "line 3: the ETDump in base64 is cut off on line 3, after 21 of 40 bytes"},
      {"@07\nreset!\n@D", 1,
       "line 1: the ETDump in base64 is broken off or damaged on line 1, after 21 of 40 bytes"},
      {"x\n#[RUN THIS]\n# Writing debug_buffer.bin [base64]\necho \"AAAA", 0,
       "line 2: an ETDump is announced, but the log is cut off before it"},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    char want[256];
    etr_arena arena = {0};
    etr_serial_log log;
    snprintf(want, sizeof want, "%s; capture the log again, to its end", rows[i].problem);
    cr_assert(etr_serial_log_read(&log, &arena, expand(&arena, rows[i].text)));
    cr_expect_eq(log.dump_count, rows[i].dumps, "row %zu", i);
    cr_expect(log.problem && strcmp(log.problem, want) == 0, "row %zu: %s", i, log.problem);
    etr_arena_clear(&arena);
  }
}

/* A debug buffer belongs to the ETDump that follows it. */
Test(serial_log, a_debug_buffer_belongs_to_the_next_dump) {
  static const struct {
    const char *text, *first, *second, *lost;
  } rows[] = {
      {"echo \"Zm9v\" | base64 -d >debug_buffer.bin\necho \"@D\" | base64 -d >etdump.bin\necho "
       "\"@D\"",
       "foo", "", NULL},
      {"echo \"@D\"\necho \"Zm9v\" | base64 -d > debug_buffer.bin\r\necho \"@D\"", "", "foo", NULL},
      {"echo \"@D\"\necho \"Zm\n9v\" | base64 -d >debug_buffer.bin\necho \"@D\"", "", "foo", NULL},
      {"echo \"@D\"\necho \"Zm9v\" | base64 -d >other.bin\necho \"@D\"", "", "", NULL},
      {"echo \"Zm9\" | base64 -d >debug_buffer.bin\necho \"@D\" x\necho \"@D\"", "", "",
       "line 1: the debug buffer in base64 is damaged: logged values are unknown; capture the log "
       "again, to its end"},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_arena arena = {0};
    etr_serial_log log;
    cr_assert(etr_serial_log_read(&log, &arena, expand(&arena, rows[i].text)));
    cr_assert_eq(log.dump_count, 2, "row %zu: %s", i, log.problem);
    cr_expect(etr_slice_equal(log.dumps[0].debug_buffer, etr_slice_of(rows[i].first)), "row %zu",
              i);
    cr_expect(etr_slice_equal(log.dumps[1].debug_buffer, etr_slice_of(rows[i].second)), "row %zu",
              i);
    cr_expect(rows[i].lost ? log.lost_buffer && strcmp(log.lost_buffer, rows[i].lost) == 0
                           : !log.lost_buffer,
              "row %zu: %s", i, log.lost_buffer);
    etr_arena_clear(&arena);
  }
}

Test(serial_log, logs_are_recognized_by_content) {
  static const struct {
    const char *path;
    bool is_log;
  } rows[] = {
      {"serial_log/arm.log", true},
      {"serial_log/stamped.log", true},
      {"serial_log/cut.log", true},
      {"serial_log/announced.log", true},
      {"add_mul/etdump.etdp", false},
      {"add_mul/model.pte", false},
      {"add_mul/truth.json", false},
      {"no_such_file", false},
      {"add_mul", false},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    char path[512];
    snprintf(path, sizeof path, FIXTURES "/%s", rows[i].path);
    cr_expect_eq(etr_serial_log_is(path), rows[i].is_log, "%s", rows[i].path);
  }
}
