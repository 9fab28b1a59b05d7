/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_earlier.c - finding the earlier benches of a new one in a history.
 */
#include "bench/base.h"
#include "command/flat_json.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 16384 };

static char command_line[] = "run it";
static bench_facts facts = {.host = "h", .device = "d", .command = command_line};
static const char *const methods[] = {"forward", "decode"};

/* A history to which lines are added; `benches` numbers the folders. */
typedef struct lines {
  char text[ROOM];
  size_t used, benches;
} lines;

static void add_line(lines *l, const char *text) {
  l->used += (size_t)snprintf(l->text + l->used, ROOM - l->used, "%s\n", text);
  cr_assert_lt(l->used, ROOM);
}

static void add_measure(lines *l, const char *host, const char *device, const char *command,
                        const char *kind, const char *measure, double p50) {
  char line[512];
  (void)snprintf(line, sizeof line,
                 "{\"name\": \"n\", \"run\": \"run-%02zu\", \"host\": \"%s\", \"device\": \"%s\", "
                 "\"command\": \"%s\", "
                 "%s\"measure\": \"%s\", \"unit\": \"ms\", \"p50\": %.12g}",
                 l->benches, host, device, command, kind, measure, p50);
  add_line(l, line);
}

/* Adds a bench of the same kind, with one method. */
static void add_bench(lines *l, double p50) {
  l->benches++;
  add_measure(l, "h", "d", "run it", "\"kind\": \"method\", ", "forward", p50);
  add_measure(l, "h", "d", "run it", "\"kind\": \"wall\", ", "wall time", 9);
}

static earlier_benches find(const lines *l) {
  earlier_benches found;
  cr_assert(earlier_find(&found, l->text, "n", &facts, methods, 2));
  return found;
}

static void expect_medians(const earlier_benches *found, size_t index, const char *method,
                           size_t count, const double *medians) {
  cr_assert_lt(index, found->history_count);
  const etr_bench_history *history = &found->histories[index];
  cr_expect_str_eq(history->method, method);
  cr_assert_eq(history->count, count);
  for (size_t i = 0; i < count; i++)
    cr_expect_eq(history->medians[i], medians[i]);
}

Test(earlier, an_empty_history_has_no_earlier_benches) {
  lines l = {.text = ""};
  earlier_benches found = find(&l);
  cr_expect(found.run[0] == '\0' && !found.is_alike && found.alike == 0 && found.others == 0);
  cr_expect(found.history_count == 0 && found.fewest == 0);
  earlier_clear(&found);
}

Test(earlier, earlier_benches_of_the_same_kind_are_found) {
  lines l = {.text = ""};
  for (size_t i = 1; i <= 9; i++)
    add_bench(&l, (double)i);
  earlier_benches found = find(&l);
  cr_expect_str_eq(found.run, "run-09");
  cr_expect(found.is_alike && found.alike == 9 && found.others == 0 && found.fewest == 9);
  cr_assert_eq(found.history_count, 1, "decode never ran");
  expect_medians(&found, 0, "forward", 9, (const double[]){1, 2, 3, 4, 5, 6, 7, 8, 9});
  earlier_clear(&found);
}

Test(earlier, other_benches_are_ignored) {
  static const char kind[] = "\"kind\": \"method\", ";
  lines l = {.text = ""};
  add_bench(&l, 1);
  l.benches++;
  add_measure(&l, "other", "d", "run it", kind, "forward", 2);
  l.benches++;
  add_measure(&l, "h", "other", "run it", kind, "forward", 3);
  l.benches++;
  add_measure(&l, "h", "d", "run it twice", kind, "forward", 4);
  add_bench(&l, 5);
  l.benches++;
  add_measure(&l, "h", "d", "run", kind, "forward", 6);
  earlier_benches found = find(&l);
  cr_expect_str_eq(found.run, "run-05", "not the last, which is of another command");
  cr_expect(found.is_alike && found.alike == 2 && found.others == 4 && found.fewest == 2);
  expect_medians(&found, 0, "forward", 2, (const double[]){1, 5});
  earlier_clear(&found);
}

Test(earlier, another_command_is_found_but_gives_no_history) {
  lines l = {.text = ""};
  l.benches++;
  add_measure(&l, "h", "d", "run", "", "forward", 1);
  l.benches++;
  add_measure(&l, "other", "d", "run it", "", "forward", 1);
  earlier_benches found = find(&l);
  cr_expect_str_eq(found.run, "run-01");
  cr_expect(!found.is_alike && found.alike == 0 && found.others == 2 && found.history_count == 0);
  earlier_clear(&found);
}

Test(earlier, damaged_lines_are_ignored) {
  lines l = {.text = ""};
  add_bench(&l, 1);
  add_line(&l, "{\"name\": \"n\", \"run\": \"run-01\", \"ho");
  add_line(&l, "null");
  add_line(&l, "{\"name\": \"n\", \"run\": \"../x\", \"host\": \"h\", \"device\": \"d\", "
               "\"command\": \"run it\"}");
  add_line(&l, "{\"name\": \"n\", \"host\": \"h\", \"device\": \"d\", \"command\": \"run it\", "
               "\"measure\": \"forward\"}");
  add_bench(&l, 0);
  add_bench(&l, -1);
  add_bench(&l, 2);
  earlier_benches found = find(&l);
  cr_expect_str_eq(found.run, "run-04");
  expect_medians(&found, 0, "forward", 2, (const double[]){1, 2});
  earlier_clear(&found);
}

Test(earlier, a_method_that_the_base_lacks_has_no_history) {
  lines l = {.text = ""};
  add_bench(&l, 1);
  add_measure(&l, "h", "d", "run it", "\"kind\": \"method\", ", "decode", 2);
  add_bench(&l, 3);
  earlier_benches found = find(&l);
  cr_assert_eq(found.history_count, 1);
  expect_medians(&found, 0, "forward", 2, (const double[]){1, 3});
  earlier_clear(&found);
}

Test(earlier, figures_named_like_a_method_are_ignored) {
  lines l = {.text = ""};
  add_bench(&l, 1);
  add_measure(&l, "h", "d", "run it", "\"kind\": \"runner\", ", "forward", 7);
  add_measure(&l, "h", "d", "run it", "\"kind\": \"runner\", ", "decode", 8);
  l.benches++;
  add_measure(&l, "h", "d", "run it", "", "forward", 2); /* written by an earlier version */
  add_measure(&l, "h", "d", "run it", "", "forward", 7);
  earlier_benches found = find(&l);
  cr_assert_eq(found.history_count, 1);
  expect_medians(&found, 0, "forward", 2, (const double[]){1, 2});
  earlier_clear(&found);
}

Test(earlier, texts_are_compared_as_written_in_lines) {
  char command[2048];
  memset(command, 'x', sizeof command - 1);
  memcpy(command, "say \"\x1b\" \\", 9);
  command[sizeof command - 1] = '\0';
  const bench_facts own = {.host = "h", .device = "d", .command = command};
  lines l = {.text = ""};
  flat_json line;
  FILE *out = fmemopen(l.text, ROOM, "w");
  cr_assert(out != NULL);
  flat_json_begin(&line, out);
  flat_json_add_text(&line, "name", "n");
  flat_json_add_text(&line, "run", "r");
  flat_json_add_text(&line, "host", "h");
  flat_json_add_text(&line, "device", "d");
  flat_json_add_text(&line, "command", command);
  flat_json_end(&line);
  cr_assert(fclose(out) == 0);
  earlier_benches found;
  cr_assert(earlier_find(&found, l.text, "n", &own, methods, 2));
  cr_expect(found.is_alike && found.alike == 1 && found.history_count == 0);
  earlier_clear(&found);
}
