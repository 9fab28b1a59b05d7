/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_balance.c - if the parts of a method's time do not add up, a sanitizer build aborts; other
 * builds print what they have.
 */
#include "views/balance.h"

#include <criterion/criterion.h>
#include <signal.h>

#ifdef ETR_CHECKS
#define STOPS , .signal = SIGABRT
#else
#define STOPS
#endif

static void list(etr_method method) {
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_balance_list(&method, parts);
}

static const etr_method good = {.execute_ticks = 10,
                                .nodes_ticks = 4,
                                .delegate_only_ticks = 3,
                                .framework_ticks = 2,
                                .unexplained_ticks = 1,
                                .estimated_ticks = 2,
                                .inserted_ticks = 1,
                                .clock_hidden_ticks = 1};

Test(balance, parts_add_up_to_the_method) {
  list(good);
  list((etr_method){0});
}

#define STOPS_WITH(title, change)                                                                  \
  Test(balance, title STOPS) {                                                                     \
    etr_method method = good;                                                                      \
    change;                                                                                        \
    list(method);                                                                                  \
  }

STOPS_WITH(a_part_is_missing, method.framework_ticks = 1)
STOPS_WITH(a_part_is_too_much, method.unexplained_ticks = 2)
STOPS_WITH(only_a_wrapped_sum_adds_up,
           (method.nodes_ticks = UINT64_MAX - 1, method.framework_ticks = 8))
STOPS_WITH(more_is_estimated_than_on_nodes, method.estimated_ticks = 5)
STOPS_WITH(more_is_inserted_than_in_delegates, method.inserted_ticks = 4)
STOPS_WITH(a_clock_hides_more_than_the_rest, method.clock_hidden_ticks = 3)
