/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_budget.c - lib/base/budget.c: what is left of a budget, and the error when it is spent.
 */
#include "base/budget.h"

#include <criterion/criterion.h>

Test(budget, a_budget_gives_what_is_left) {
  etr_budget budget = {0};
  etr_budget_set(&budget, ETR_NODES, 10);
  etr_budget_set(&budget, ETR_BYTES, UINT64_MAX);
  cr_expect_null(etr_budget_take(&budget, ETR_NODES, 4));
  cr_expect_null(etr_budget_take(&budget, ETR_BYTES, UINT64_MAX));
  cr_expect_null(etr_budget_take(&budget, ETR_NODES, 6));
  cr_expect_null(etr_budget_take(&budget, ETR_NODES, 0));
  cr_expect_not(etr_budget_refused(&budget));
}

Test(budget, an_error_names_the_option) {
  static const char *const messages[] = {
      [ETR_BYTES] = "more than 7 bytes; raise this limit with --max-bytes",
      [ETR_NODES] = "more than 7 nodes; raise this limit with --max-nodes",
      [ETR_EVENTS] = "more than 7 events; raise this limit with --max-events",
  };
  for (etr_resource i = 0; i < ETR_RESOURCES; i++) {
    etr_budget budget = {0};
    etr_budget_set(&budget, i, 7);
    cr_expect_null(etr_budget_take(&budget, i, 5));
    cr_expect_str_eq(etr_budget_take(&budget, i, 3), messages[i]);
    cr_expect(etr_budget_refused(&budget));
    cr_expect_null(etr_budget_take(&budget, i, 2), "what was refused was not taken");
  }
}

Test(budget, a_missing_budget_is_unlimited) {
  cr_expect_null(etr_budget_take(NULL, ETR_EVENTS, UINT64_MAX));
  cr_expect_not(etr_budget_refused(NULL));
}
