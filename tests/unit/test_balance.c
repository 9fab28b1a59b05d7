/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_balance.c - if the parts of a method's time do not add up, a sanitizer build aborts; other
 * builds print what they have.
 */
#include "views/balance.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

#ifdef ETR_CHECKS
#define STOPS , .signal = SIGABRT
#else
#define STOPS
#endif

static void list(etr_method method) {
  const etr_profile profile = {0};
  etr_arena arena = {0};
  etr_balance balance;
  method.graph = ETR_NONE;
  cr_expect(etr_balance_make(&balance, &arena, &profile, &method));
  cr_expect_eq(balance.count, method.part_count);
  etr_arena_clear(&arena);
}

enum { OPERATORS, INSERTED, OVERHEAD, RUNTIME, UNEXPLAINED, PARTS };

static etr_part_time parts[PARTS] = {
    [OPERATORS] = {.part = ETR_TIME_OPERATORS, .ticks = 4},
    [INSERTED] = {.part = ETR_TIME_INSERTED, .backend = "XnnpackBackend", .ticks = 1},
    [OVERHEAD] = {.part = ETR_TIME_CALL_OVERHEAD,
                  .backend = "XnnpackBackend",
                  .ticks = 2,
                  .call_count = 3},
    [RUNTIME] = {.part = ETR_TIME_RUNTIME, .ticks = 2},
    [UNEXPLAINED] = {.part = ETR_TIME_UNEXPLAINED, .backend = "XnnpackBackend", .ticks = 1},
};

static const etr_method good = {.execute_ticks = 10,
                                .parts = parts,
                                .part_count = PARTS,
                                .estimated_ticks = 2,
                                .clock_hidden_ticks = 1};

Test(balance, parts_add_up_to_the_method) {
  list(good);
  list((etr_method){0});
}

/* Of a typical run of 100 ticks this part is estimated. */
static void expect_confidence_note(double estimated, bool is_expected) {
  etr_arena arena = {0};
  etr_profile profile = {0};
  etr_method method = {.graph = ETR_NONE,
                       .estimated_confidence = 0.5,
                       .estimated_typical = estimated,
                       .execute.typical = 100};
  const char *notes[ETR_BALANCE_MOST_NOTES];
  size_t count = etr_balance_notes(notes, &arena, &profile, &method), found = 0;
  for (size_t i = 0; i < count; i++)
    found += strstr(notes[i], "average confidence of estimated times is 50 %") != NULL;
  cr_expect_eq(found, is_expected, "%g of 100", estimated);
  etr_arena_clear(&arena);
}

Test(balance, confidence_is_told_where_a_hundredth_is_estimated) {
  expect_confidence_note(0.9, false);
  expect_confidence_note(1, true);
}

#define STOPS_WITH(title, change)                                                                  \
  Test(balance, title STOPS) {                                                                     \
    etr_method method = good;                                                                      \
    change;                                                                                        \
    list(method);                                                                                  \
  }

STOPS_WITH(a_part_is_missing, parts[RUNTIME].ticks = 1)
STOPS_WITH(a_part_is_too_much, parts[UNEXPLAINED].ticks = 2)
STOPS_WITH(only_a_wrapped_sum_adds_up,
           (parts[OPERATORS].ticks = UINT64_MAX - 1, parts[RUNTIME].ticks = 8))
STOPS_WITH(more_is_estimated_than_on_nodes, method.estimated_ticks = 5)
STOPS_WITH(a_clock_hides_more_than_the_rest, method.clock_hidden_ticks = 3)

/* What people read of each part. */
Test(balance, parts_are_called_what_they_are) {
  static const struct {
    etr_time_part part;
    const char *backend;
    size_t calls;
    bool names_backend;
    const char *text;
  } cases[] = {
      {ETR_TIME_OPERATORS, NULL, 0, false, "graph operators"},
      {ETR_TIME_UNPLACED, NULL, 0, true, "operators, on no node"},
      {ETR_TIME_UNPLACED, "QnnBackend", 0, true, "operators, on no node (QNN)"},
      {ETR_TIME_INSERTED, "XnnpackBackend", 0, false, "inserted copies"},
      {ETR_TIME_DELEGATE_PHASES, "VulkanBackend", 0, false,
       "in delegates: computing, waiting, copying"},
      {ETR_TIME_OPAQUE, "OpenvinoBackend", 3, false, "in OpenVINO (no operators recorded)"},
      {ETR_TIME_OPAQUE, "SomeBackend", 3, true, "in Some (no operators recorded)"},
      {ETR_TIME_OPAQUE, "unknown", 1, false, "in unknown delegates (no operators recorded)"},
      {ETR_TIME_CALL_OVERHEAD, "XnnpackBackend", 1, false, "calling 1 delegate"},
      {ETR_TIME_CALL_OVERHEAD, "XnnpackBackend", 2, true, "calling 2 delegates (XNNPACK)"},
      {ETR_TIME_RUNTIME, NULL, 0, false, "runtime, outside operators"},
      {ETR_TIME_UNEXPLAINED, NULL, 0, false, "unexplained"},
  };
  etr_arena arena = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_expect_str_eq(etr_balance_text(&arena, cases[i].part, cases[i].backend, cases[i].calls,
                                      cases[i].names_backend),
                     cases[i].text);
  etr_arena_clear(&arena);
}
