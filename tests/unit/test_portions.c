/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_portions.c - the portions of real records add up to what methods and nodes say, to the tick.
 */
#include "etrecord.h"

#include "fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>

static uint64_t sum_of_kind(const etr_method *m, etr_portion_kind kind) {
  uint64_t sum = 0;
  for (size_t i = 0; i < m->portion_count; i++) sum += m->portions[i].kind == kind ? m->portions[i].ticks : 0;
  return sum;
}

/* Of the portions without node, those of events inside delegates. */
static uint64_t sum_of_inserted(const etr_method *m) {
  uint64_t sum = 0;
  for (size_t i = 0; i < m->portion_count; i++) {
    const etr_portion *p = &m->portions[i];
    if (p->kind == ETR_PORTION_DELEGATE && p->event->delegate_id) sum += p->ticks;
  }
  return sum;
}

static void expect_order(const etr_method *m) {
  for (size_t i = 1; i < m->portion_count; i++) {
    const etr_portion *before = &m->portions[i - 1], *p = &m->portions[i];
    cr_expect(before->node < p->node || (before->node == p->node && (p->node == ETR_NONE || before->run <= p->run)), "portion %zu", i);
  }
}

static void expect_sums(const char *fixture, const etr_profile *profile, const etr_method *m) {
  cr_expect_eq(sum_of_kind(m, ETR_PORTION_NODE), m->nodes_ticks, "%s: nodes", fixture);
  cr_expect_eq(sum_of_kind(m, ETR_PORTION_DELEGATE), m->delegate_only_ticks, "%s: delegates", fixture);
  cr_expect_eq(sum_of_inserted(m), m->inserted_ticks, "%s: inserted", fixture);
  cr_expect_leq(m->clock_hidden_ticks, m->delegate_only_ticks - m->inserted_ticks, "%s: hidden by clocks", fixture);
  cr_expect_eq(sum_of_kind(m, ETR_PORTION_UNEXPLAINED), m->unexplained_ticks, "%s: unexplained", fixture);
  size_t at = 0;
  for (uint32_t node = 0; m->graph != ETR_NONE && node < profile->graphs[m->graph].node_count; node++) {
    uint64_t sum = 0;
    for (; at < m->portion_count && m->portions[at].node == node; at++) {
      cr_expect_lt(m->portions[at].run, m->run_count);
      cr_expect_not_null(m->portions[at].event);
      sum += m->portions[at].ticks;
    }
    cr_expect_eq(sum, profile->graphs[m->graph].times[node].total_ticks, "%s: node %u", fixture, (unsigned)node);
  }
  for (; at < m->portion_count; at++) cr_expect_eq(m->portions[at].node, ETR_NONE);
}

Test(portions, add_up) {
  static const char *const fixtures[] = {"add_mul",      "control_flow",      "control_flow_map", "cpp_rich",          "extra_modules",
                                         "multi_method", "lowered_in_record", "mv2_xnnpack",      "quantized_xnnpack", "llama_xnnpack"};
  for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
    etr_profile *profile = open_fixture(fixtures[i]);
    size_t portions = 0;
    for (size_t k = 0; k < profile->method_count; k++) {
      expect_order(&profile->methods[k]);
      expect_sums(fixtures[i], profile, &profile->methods[k]);
      portions += profile->methods[k].portion_count;
    }
    cr_expect_gt(portions, 0, "%s", fixtures[i]);
    etr_profile_close(profile);
  }
}
