/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_utf8.c - the bytes that form a character, and the character that they form.
 */
#include "base/base.h"
#include "base/utf8.h"

#include <criterion/criterion.h>

Test(utf8, only_valid_characters_are_read) {
  static const struct {
    const char *text;
    size_t size; /* 0: none */
    uint32_t code;
  } cases[] = {
      {"a", 1, 'a'},
      {"\x7F", 1, 0x7F},
      {"\xC2\x80", 2, 0x80},
      {"\xDF\xBFx", 2, 0x7FF},
      {"\xE0\xA0\x80", 3, 0x800},
      {"\xED\x9F\xBF", 3, 0xD7FF},
      {"\xEF\xBF\xBF", 3, 0xFFFF},
      {"\xF0\x90\x80\x80", 4, 0x10000},
      {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
      {"\x80", 0, 0},             /* begins with a continuation byte */
      {"\xC1\xBF", 0, 0},         /* overlong */
      {"\xE0\x9F\xBF", 0, 0},     /* overlong */
      {"\xF0\x8F\xBF\xBF", 0, 0}, /* overlong */
      {"\xED\xA0\x80", 0, 0},     /* a surrogate */
      {"\xF4\x90\x80\x80", 0, 0}, /* beyond the last */
      {"\xF5\x80\x80\x80", 0, 0},
      {"\xC2", 0, 0}, /* cut short */
      {"\xE2\x82", 0, 0},
      {"\xC2x", 0, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    size_t size;
    cr_expect_eq(etr_utf8_size(cases[i].text, strlen(cases[i].text)), cases[i].size, "case %zu", i);
    if (cases[i].size == 0)
      continue;
    cr_expect_eq(etr_character_at(cases[i].text, &size), cases[i].code, "case %zu", i);
    cr_expect_eq(size, cases[i].size, "case %zu", i);
  }
}

Test(utf8, an_index_is_moved_to_the_start_of_its_character) {
  static const char text[] = "a\xC3\xA4\xE2\x82\xAC";
  static const size_t floors[] = {0, 1, 1, 3, 3, 3, 6};
  for (size_t i = 0; i < ETR_COUNT(floors); i++)
    cr_expect_eq(etr_utf8_floor(text, i), floors[i], "%zu", i);
}
