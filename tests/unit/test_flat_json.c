/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_flat_json.c - JSON objects on one line: whole and damaged ones, and their members.
 */
#include "command/flat_json.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(flat_json, only_whole_objects_are_accepted) {
  static const char *const whole[] = {
      "{}", " {\"a\":1}", "{\"a\": {\"b\": [1, \"}\"]}, \"c\": null}", "{\"a\":\"\\\"}\"}\nx"};
  static const char *const others[] = {
      "",           "x",         "{",          "{\"a\"}",     "{\"a\":}",      "{\"a\":1",
      "{\"a\":1,}", "{a:1}",     "{\"a\":\"b", "{\"a\":\n1}", "{\"a\":[1}",    "[1]",
      "{,}",        "{\"a\":1]", "{\"a\" 1}",  "{\"a\":\"\\", "{\"a\":1,\"b\""};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    cr_expect(flat_json_is_object(whole[i]), "%s", whole[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    cr_expect_not(flat_json_is_object(others[i]), "%s", others[i]);
}

Test(flat_json, members_are_read_by_name) {
  const char line[] = "{\"ab\": 1, \"a\": -2.5e1, \"t\": \"x\\\"y\", \"n\": null, \"o\": {\"a\": "
                      "7}, \"i\": Infinity}\n{\"z\": 1}";
  double number;
  char text[4], small[3];
  cr_expect(flat_json_number(line, "a", &number) && number == -25);
  cr_expect(flat_json_text(line, "t", text, sizeof text));
  cr_expect_str_eq(text, "x\"y");
  cr_expect_not(flat_json_text(line, "t", small, sizeof small), "there is no room");
  cr_expect_not(flat_json_number(line, "t", &number));
  cr_expect_not(flat_json_number(line, "n", &number));
  cr_expect_not(flat_json_number(line, "i", &number));
  cr_expect_not(flat_json_number(line, "z", &number), "it is on the next line");
  cr_expect_not(flat_json_number("{\"a\": 1", "a", &number), "the object is cut");
  cr_expect(flat_json_has(line, "t") && flat_json_has(line, "n"));
  cr_expect_not(flat_json_has(line, "z"));
  for (const char *const *odd = (const char *const[]){"1e999", "0x10", "1x", "\"1\"", "-", NULL};
       *odd; odd++) {
    char object[32];
    (void)snprintf(object, sizeof object, "{\"a\":%s}", *odd);
    cr_expect_not(flat_json_number(object, "a", &number), "%s", *odd);
  }
}
