/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Natural sort of names.
 */
#include "base/natural.h"

#include <criterion/criterion.h>
#include <stddef.h>

static int sign(int number) {
  return (number > 0) - (number < 0);
}

Test(natural, names_are_ordered_by_their_numbers) {
  static const char *const sorted[] = {"",
                                       "0",
                                       "1",
                                       "02",
                                       "2",
                                       "10",
                                       "a",
                                       "a_1",
                                       "a_1.weight",
                                       "a_02",
                                       "a_2",
                                       "a_10",
                                       "a_10_2",
                                       "a_10_10",
                                       "a_99999999999999999999999",
                                       "a_100000000000000000000000",
                                       "aten_add",
                                       "aten_add_tensor",
                                       "aten_add_tensor_2",
                                       "aten_add_tensor_10",
                                       "b",
                                       "\xC3\xA9"};
  size_t count = sizeof sorted / sizeof *sorted;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count; k++)
      cr_expect_eq(sign(etr_natural_compare(sorted[i], sorted[k])), (i > k) - (i < k),
                   "\"%s\", \"%s\"", sorted[i], sorted[k]);
}
