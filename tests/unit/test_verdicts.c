/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_verdicts.c - verdicts on several records against one: Holm's procedure on real recordings.
 */
#include "base/stats.h"
#include "etrecord_compare.h"
#include "open_fixture.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MOST = 4 };

/* Judges fixtures against turns_base, all together. */
static etr_verdicts *judge(const char *const *names, size_t count) {
  etr_profile *base = open_fixture("turns_base", NULL);
  etr_verdicts *verdicts;
  etr_error error;
  cr_assert_eq(etr_verdicts_open(&verdicts, NULL, &error), ETR_OK);
  for (size_t i = 0; i < count; i++) {
    etr_profile *newer = open_fixture(names[i], NULL);
    etr_comparison *comparison;
    size_t index;
    cr_assert_eq(etr_compare(&comparison, base, newer, NULL, &error), ETR_OK);
    cr_assert_eq(etr_verdicts_add(verdicts, comparison, 0, &index, &error), ETR_OK);
    cr_assert_eq(index, i);
    etr_comparison_close(comparison);
    etr_profile_close(newer); /* nothing of it may be needed any longer */
  }
  etr_profile_close(base);
  cr_assert_eq(etr_verdicts_judge(verdicts, &error), ETR_OK);
  return verdicts;
}

static double width(const etr_change *change) {
  return log1p(change->high) - log1p(change->low);
}

/* Returns true if the ratio of two intervals' widths is that of Student's t at 5 % / k and at 5 %,
 * with the degrees of freedom that Welch's test of five and five recordings can have. */
static bool is_ratio_of(double ratio, size_t k) {
  for (size_t freedom = 4; freedom <= 8; freedom++)
    if (fabs(ratio - etr_t_quantile(0.05 / (double)k, freedom) / etr_t_quantile(0.05, freedom)) <
        1e-6)
      return true;
  return false;
}

Test(verdicts, one_alone_is_as_in_diff) {
  const char *const names[] = {"turns_new"};
  etr_profile *base = open_fixture("turns_base", NULL), *newer = open_fixture("turns_new", NULL);
  etr_comparison *comparison;
  etr_error error;
  etr_verdicts *verdicts = judge(names, 1);
  const etr_change *found = etr_verdicts_change(verdicts, 0);
  cr_assert_eq(etr_compare(&comparison, base, newer, NULL, &error), ETR_OK);
  const etr_change *wanted = &comparison->methods[0].execute;
  cr_expect_eq(found->verdict, ETR_VERDICT_SLOWER);
  cr_expect_eq(found->verdict, wanted->verdict);
  cr_expect(found->low == wanted->low && found->high == wanted->high);
  cr_expect_eq(found->reason, wanted->reason);
  etr_comparison_close(comparison);
  etr_profile_close(base);
  etr_profile_close(newer);
  etr_verdicts_close(verdicts);
}

/* The surest of three is judged at 5 % / 3. The two that are left are judged at 5 % / 2, since one
 * is decided. */
Test(verdicts, several_are_corrected_step_by_step) {
  const char *const alone[] = {"turns_new"}, *const same[] = {"turns_same"},
                    *const all[] = {"turns_same", "turns_new", "turns_same"};
  etr_verdicts *of_new = judge(alone, 1), *of_same = judge(same, 1), *of_all = judge(all, 3);
  const etr_change *new_alone = etr_verdicts_change(of_new, 0),
                   *same_alone = etr_verdicts_change(of_same, 0);
  cr_expect_eq(etr_verdicts_change(of_all, 1)->verdict, ETR_VERDICT_SLOWER);
  cr_expect(is_ratio_of(width(etr_verdicts_change(of_all, 1)) / width(new_alone), 3));
  for (size_t i = 0; i < 3; i += 2) {
    const etr_change *change = etr_verdicts_change(of_all, i);
    cr_expect_eq(change->verdict, ETR_VERDICT_CANNOT_TELL);
    cr_expect(is_ratio_of(width(change) / width(same_alone), 2));
  }
  etr_verdicts_close(of_new);
  etr_verdicts_close(of_same);
  etr_verdicts_close(of_all);
}

/* What is obvious is not weakened by other records, and does not count against these. */
Test(verdicts, the_obvious_stays) {
  const char *const names[] = {"mv2_xnnpack", "mv2_portable"};
  etr_verdicts *verdicts = judge(names, 2);
  cr_expect_eq(etr_verdicts_change(verdicts, 1)->verdict, ETR_VERDICT_SLOWER);
  cr_expect(etr_verdicts_change(verdicts, 1)->is_obvious);
  cr_expect_eq(etr_verdicts_against_limit(verdicts, 1), ETR_LIMIT_ABOVE);
  etr_verdicts_close(verdicts);
}
