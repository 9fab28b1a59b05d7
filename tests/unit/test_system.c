/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that differ between systems.
 */
#include "base/system.h"

#include "base/base.h"
#include "tensorboard/tfrecord.h"

#include <criterion/criterion.h>

Test(system, the_last_index_of_a_byte_is_found) {
  const struct {
    etr_slice text;
    char wanted;
    int place; /* -1: not found */
  } cases[] = {{ETR_SLICE("a/b/c"), '/', 3}, {ETR_SLICE("/"), '/', 0}, {ETR_SLICE("abc"), '/', -1},
               {{"/", 0}, '/', -1},          {{NULL, 0}, '/', -1},     {ETR_SLICE("a\0b"), 0, 1}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *found = etr_find_last(cases[i].text.data, cases[i].text.size, cases[i].wanted);
    cr_expect_eq(found ? (int)(found - cases[i].text.data) : -1, cases[i].place, "case %zu", i);
  }
}

/* A backslash may be part of a name here. */
Test(system, the_last_part_of_a_path_is_found) {
  const char *const cases[][2] = {{"a/b/c", "c"}, {"/c", "c"}, {"c", "c"},
                                  {"a/", ""},     {"", ""},    {"a/b\\c", "b\\c"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    cr_expect_str_eq(etr_last_part(cases[i][0]), cases[i][1]);
}

Test(system, the_first_index_of_bytes_is_found) {
  const struct {
    etr_slice text, wanted;
    int place;
  } cases[] = {{ETR_SLICE("a-packages/b-packages/"), ETR_SLICE("-packages/"), 1},
               {ETR_SLICE("-pack"), ETR_SLICE("-packages/"), -1},
               {ETR_SLICE("x\0yz"), ETR_SLICE("yz"), 2},
               {{NULL, 0}, ETR_SLICE("x"), -1}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *found = etr_find_bytes(cases[i].text.data, cases[i].text.size, cases[i].wanted.data,
                                       cases[i].wanted.size);
    cr_expect_eq(found ? (int)(found - cases[i].text.data) : -1, cases[i].place, "case %zu", i);
  }
}

Test(system, random_bytes_differ) {
  unsigned char one[32] = {0}, other[32] = {0};
  cr_assert(etr_random(one, sizeof one) && etr_random(other, sizeof other));
  cr_expect(memcmp(one, other, sizeof one) != 0);
}

/* All instructions of this processor give the same checksum, at every length and alignment. */
Test(system, all_checksum_instructions_agree) {
  unsigned char bytes[64];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(i * 37 + 11);
  for (size_t from = 0; from < 9; from++)
    for (size_t size = 0; size <= sizeof bytes - from; size++)
      cr_expect_eq(etr_crc32c(from ? 0x12345678 : 0, bytes + from, size),
                   etr_crc32c_portable(from ? 0x12345678 : 0, bytes + from, size), "%zu from %zu",
                   size, from);
}
