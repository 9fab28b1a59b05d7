/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_align.c - order-preserving alignment. Letters are classes; an unpaired upper-case letter
 * costs 6, a lower-case one nothing.
 */
#include "join/align.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static size_t make_items(etr_align_item *out, const char *text) {
  size_t count = 0;
  for (; *text; text++) {
    bool dear = *text >= 'A' && *text <= 'Z';
    out[count++] = (etr_align_item){(uint16_t)(dear ? *text : *text - 32), 0, dear ? 10 : 7,
                                    dear ? 6 : 0};
  }
  return count;
}

Test(align, equal_items_are_paired_in_order) {
  static const struct {
    const char *left, *right, *want; /* per left item: index of its partner, '-' for none; '?'
                                        follows if another is as good */
  } cases[] = {
      {"", "", ""},          {"ABC", "ABC", "012"},    {"ABC", "", "---"}, {"AC", "ABC", "02"},
      {"ABC", "AC", "0-1"},  {"ABAB", "ABAB", "0123"}, {"A", "AA", "1?"}, /* either would do */
      {"AB", "AAB", "1?2"},                                               /* A is open, B is not */
      {"A", "aA", "1"},     /* the item that must be paired */
      {"BA", "AB", "1?-?"}, /* crossing pairs: only one of the two is possible, and either is as
                               good */
      {"XAY", "BAC", "-1-"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_align_item left[8], right[8];
    etr_align_pair out[8];
    char got[17] = "", *at = got;
    etr_arena scratch = {0};
    size_t left_count = make_items(left, cases[i].left),
           right_count = make_items(right, cases[i].right);
    cr_assert(etr_align(out, left, left_count, right, right_count, &scratch));
    for (size_t k = 0; k < left_count; k++) {
      *at++ = out[k].partner == ETR_NONE ? '-' : (char)('0' + out[k].partner);
      if (out[k].is_unsure)
        *at++ = '?';
    }
    cr_expect_str_eq(got, cases[i].want, "%s with %s: got %s, want %s", cases[i].left,
                     cases[i].right, got, cases[i].want);
    etr_arena_clear(&scratch);
  }
}

Test(align, lists_that_are_too_long_are_refused) {
  etr_align_item *items = calloc(4096, sizeof *items);
  etr_align_pair *out = calloc(4096, sizeof *out);
  etr_arena scratch = {0};
  cr_expect_not(etr_align(out, items, 4096, items, 4096, &scratch));
  for (size_t i = 0; i < 4096; i++)
    cr_assert_eq(out[i].partner, ETR_NONE);
  etr_arena_clear(&scratch);
  free(items);
  free(out);
}

Test(align, what_all_pairings_agree_on) {
  static const struct {
    const char *left, *right, *want; /* per left item: the only index; '-': several, or none. '!':
                                        there is no pairing. Lower-case items may be left out */
  } cases[] = {
      {"", "", ""},          {"ABC", "ABC", "012"}, {"ABC", "AbBC", "023"}, {"AC", "ABC", "!"},
      {"AC", "AbC", "02"},   {"A", "aa", "-"},      {"AtB", "AB", "0-1"},   {"AtB", "AtB", "0-2"},
      {"AtB", "ATB", "012"}, {"AA", "AAA", "!"},    {"AAB", "aAAB", "123"}, {"XA", "A", "!"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_align_item left[8], right[8];
    uint32_t owners[8] = {0, 1, 2, 3, 4, 5, 6, 7}, only[8];
    etr_align_side a = {left, NULL, make_items(left, cases[i].left), 0};
    etr_align_side b = {right, owners, make_items(right, cases[i].right), 0};
    char got[9] = "", *at = got;
    etr_arena scratch = {0};
    bool has_pairing;
    cr_assert(etr_align_only(only, &has_pairing, &a, &b, &scratch));
    for (size_t k = 0; has_pairing && k < a.count; k++)
      *at++ = only[k] == ETR_NONE ? '-' : (char)('0' + only[k]);
    *at = '\0';
    cr_expect_str_eq(has_pairing ? got : "!", cases[i].want, "%s in %s: got '%s', want '%s'",
                     cases[i].left, cases[i].right, has_pairing ? got : "!", cases[i].want);
    etr_arena_clear(&scratch);
  }
}
