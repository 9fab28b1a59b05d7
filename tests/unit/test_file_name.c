/* SPDX-License-Identifier: BSD-3-Clause
 *
 * File names made from arbitrary names.
 */
#include "output/file_name.h"

#include <criterion/criterion.h>

Test(file_name, any_name_becomes_a_file_name) {
  static const char *const cases[][2] = {
      {"forward", "forward"},
      {"odd name: \xC3\xA9\"<&>", "odd name%3A \xC3\xA9%22%3C&%3E"},
      {"a.b", "a.b"},
      {"", "%"},
      {"%", "%25"},
      {".", "%2E"},
      {"..", "%2E%2E"},
      {"...", "%2E.%2E"},
      {".hidden", "%2Ehidden"},
      {"end.", "end%2E"},
      {"end ", "end%20"},
      {" start", " start"},
      {"../../x", "%2E.%2F..%2Fx"},
      {"/etc/passwd", "%2Fetc%2Fpasswd"},
      {"a\\b:c*d?e|f", "a%5Cb%3Ac%2Ad%3Fe%7Cf"},
      {"\x1b[31m\n\x7f", "%1B[31m%0A%7F"},
      {"\xC2\x9B"
       "31m",
       "%C2%9B31m"},
      {"\xE2\x80\xAEgnp", "%E2%80%AEgnp"},
      {"\xC2\xA0x", "\xC2\xA0x"},
      {"%2E", "%252E"},
  };
  etr_arena arena = {0};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *name = etr_file_name(&arena, cases[i][0]);
    cr_expect_str_eq(name, cases[i][1], "%s", name);
  }
  etr_arena_clear(&arena);
}

Test(file_name, long_names_are_cut_and_stay_different) {
  etr_arena arena = {0};
  char text[1001];
  static const char *const repeated[] = {"x", "\xC3\xA9", "/", "\xF0\x9F\x98\x80"};
  for (size_t i = 0; i < ETR_COUNT(repeated); i++) {
    size_t size = strlen(repeated[i]), used = 0;
    for (; used + size < sizeof text - 2; used += size)
      memcpy(text + used, repeated[i], size);
    memcpy(text + used, "a", 2);
    const char *a = etr_file_name(&arena, text);
    memcpy(text + used, "b", 2);
    const char *b = etr_file_name(&arena, text);
    cr_expect_leq(strlen(a), 180);
    cr_expect_str_neq(a, b);
    cr_expect_str_eq(a, etr_arena_text(&arena, etr_slice_of(a)), "not cut inside a character");
  }
  etr_arena_clear(&arena);
}
