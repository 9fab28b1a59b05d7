/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Choices of the caller that do not fit the inputs.
 */
#include "runs/runs.h"

#include <criterion/criterion.h>

Test(choices, of_runs_that_count) {
  static const struct {
    size_t first, last;
    const char *message; /* NULL: accepted */
  } cases[] = {
      {0, 2, NULL},
      {2, 2, NULL},
      {0, 3, "no run 3: the ETDumps have 3"},
      {1, 0, "the range of runs that count is inverted: 1 to 0"},
      {SIZE_MAX, 2, "the range of runs that count is inverted"},
  };
  const etr_blocks blocks = {.run_count = 3};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    etr_error error = {.message = ""};
    const etr_options options = {
        .skip = ETR_SKIP_RANGE, .first_run = cases[i].first, .last_run = cases[i].last};
    etr_status status = etr_choices_check(&options, &blocks, NULL, 0, &error);
    cr_expect_eq(status, cases[i].message ? ETR_ERROR_CHOICE : ETR_OK, "case %zu", i);
    if (cases[i].message)
      cr_expect(strstr(error.message, cases[i].message), "case %zu: %s", i, error.message);
  }
}
