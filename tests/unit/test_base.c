/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slices, integers, errors, and the names of enumerations.
 */
#include "base/base.h"

#include <criterion/criterion.h>

Test(base, only_integers_are_parsed) {
  static const struct {
    const char *text;
    bool good;
    int64_t value;
  } cases[] = {
      {"0", true, 0},
      {"-0", true, 0},
      {"17", true, 17},
      {"007", true, 7},
      {"-42", true, -42},
      {"9223372036854775807", true, INT64_MAX},
      {"-9223372036854775808", true, INT64_MIN},
      {"9223372036854775808", false, 0},
      {"-9223372036854775809", false, 0},
      {"99999999999999999999999", false, 0},
      {"", false, 0},
      {"-", false, 0},
      {"+1", false, 0},
      {" 1", false, 0},
      {"1 ", false, 0},
      {"1.0", false, 0},
      {"0x10", false, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    int64_t value = 12345;
    bool good = etr_slice_to_int(etr_slice_of(cases[i].text), &value);
    cr_expect_eq(good, cases[i].good, "\"%s\"", cases[i].text);
    cr_expect_eq(value, cases[i].good ? cases[i].value : 12345, "\"%s\" is %lld", cases[i].text,
                 (long long)value);
  }
}

Test(base, sums_end_at_the_largest_number) {
  static const uint64_t cases[][3] = {{0, 0, 0},
                                      {1, 2, 3},
                                      {UINT64_MAX, 0, UINT64_MAX},
                                      {UINT64_MAX - 1, 1, UINT64_MAX},
                                      {UINT64_MAX - 1, 2, UINT64_MAX},
                                      {UINT64_MAX, UINT64_MAX, UINT64_MAX}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    cr_expect_eq(etr_add_up_to_most(cases[i][0], cases[i][1]), cases[i][2], "case %zu", i);
    cr_expect_eq(etr_add_up_to_most(cases[i][1], cases[i][0]), cases[i][2], "case %zu", i);
  }
}

Test(base, equality_compares_the_slice_only) {
  int64_t value;
  cr_expect(etr_slice_to_int((etr_slice){"1234", 2}, &value));
  cr_expect_eq(value, 12);
}

Test(base, prefixes_and_suffixes_are_found) {
  static const struct {
    const char *text, *part;
    bool starts, ends;
  } cases[] = {
      {"abc", "", true, true},    {"abc", "abc", true, true}, {"abc", "ab", true, false},
      {"abc", "bc", false, true}, {"abc", "b", false, false}, {"abc", "abcd", false, false},
      {"", "", true, true},       {"", "a", false, false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_slice text = etr_slice_of(cases[i].text), part = etr_slice_of(cases[i].part);
    cr_expect_eq(etr_slice_starts(text, part), cases[i].starts, "%s %s", cases[i].text,
                 cases[i].part);
    cr_expect_eq(etr_slice_ends(text, part), cases[i].ends, "%s %s", cases[i].text, cases[i].part);
  }
}

Test(base, a_cut_slice_ends_between_characters) {
  static const struct {
    const char *text;
    size_t most, size;
  } cases[] = {{"", 3, 0},
               {"abc", 3, 3},
               {"abcd", 3, 3},
               {"a\xC3\xA9", 2, 1},
               {"a\xC3\xA9", 3, 3},
               {"\xC3\xA9", 1, 0},
               {"abc", 0, 0},
               {"\xF0\x9F\x98\x80!", 3, 0},
               {"\xF0\x9F\x98\x80!", 4, 4}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    cr_expect_eq(etr_slice_head(cases[i].text, cases[i].most).size, cases[i].size, "case %zu", i);
}

Test(base, failing_fills_the_error) {
  etr_error error;
  etr_error_clear(&error);
  cr_expect_str_empty(error.message);
  cr_expect_eq(error.offset, ETR_NO_OFFSET);
  cr_expect_eq(etr_fail(&error, ETR_ERROR_FORMAT, "file", NULL, 7, "%d of %s", 3, "them"),
               ETR_ERROR_FORMAT);
  cr_expect_str_eq(error.message, "3 of them");
  cr_expect_str_eq(error.file, "file");
  cr_expect_str_eq(error.entry, "");
  cr_expect_eq(error.offset, 7);
}

Test(base, an_error_is_cut_not_overrun) {
  char long_text[2000];
  etr_error error;
  memset(long_text, 'x', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = '\0';
  etr_fail(&error, ETR_ERROR_IO, long_text, long_text, 0, "%s", long_text);
  cr_expect_eq(strlen(error.message), sizeof error.message - 1);
  cr_expect_eq(strlen(error.file), sizeof error.file - 1);
  cr_expect_eq(strlen(error.entry), sizeof error.entry - 1);
}

static int by_tens(const void *a, const void *b) {
  return *(const int *)a / 10 - *(const int *)b / 10;
}

Test(base, sorting_is_stable) {
  static const struct {
    int list[5], sorted[5];
    size_t count;
  } cases[] = {
      {{10, 21, 20, 30, 44}, {10, 21, 20, 30, 44}, 5}, /* already in order */
      {{10, 30, 20, 40, 50}, {10, 20, 30, 40, 50}, 5},
      {{20, 30, 40, 50, 10}, {10, 20, 30, 40, 50}, 5},
      {{20, 10, 7}, {10, 20, 7}, 2},
      {{20, 10}, {20, 10}, 1},
      {{20, 10}, {20, 10}, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    int list[5];
    memcpy(list, cases[i].list, sizeof list);
    etr_sort(list, cases[i].count, sizeof *list, by_tens);
    cr_expect_arr_eq(list, cases[i].sorted, sizeof list, "case %zu", i);
  }
  etr_sort(NULL, 0, 1, by_tens);
}

Test(base, an_error_may_be_null) {
  etr_error_clear(NULL);
  cr_expect_eq(etr_fail(NULL, ETR_ERROR_IO, NULL, NULL, 0, "nobody reads this"), ETR_ERROR_IO);
}

Test(base, every_enumerator_has_a_name) {
  cr_expect_str_eq(etr_node_kind_name(ETR_NODE_OP), "op");
  cr_expect_str_eq(etr_node_kind_name(ETR_NODE_CONSTANT), "constant");
  cr_expect_str_eq(etr_match_name(ETR_MATCH_NONE), "none");
  cr_expect_str_eq(etr_match_name(ETR_MATCH_DELEGATE_MAP), "delegate_map");
  cr_expect_str_eq(etr_match_name(ETR_MATCH_FRAMEWORK), "framework");
}
