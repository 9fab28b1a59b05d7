/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_reference.c - lib/reference.c: which set of reference outputs a run is held against. The figures of a real record are checked with numpy in
 * tests/interop.
 */
#include "reference.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(reference, the_only_set) {
  etr_inputs inputs;
  etr_error error;
  etr_profile *profile;
  cr_assert_eq(etr_inputs_find(&inputs, FIXTURES "/bundled_update", NULL, &error), ETR_OK);
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK, "%s", error.message);
  cr_assert_eq(profile->output_gap_count, 6);
  for (size_t i = 0; i < 6; i++) {
    const etr_output_gap *gap = &profile->output_gaps[i];
    cr_expect(gap->run == 1 + i / 2 && gap->output == i % 2 && gap->set == 0 && !gap->problem, "%zu", i);
    cr_expect(gap->gap.element_count == (i % 2 ? 1 : 8) && gap->gap.snr_db > 140 && gap->gap.snr_db < 150 && gap->gap.unlike == 0, "%zu", i);
    cr_expect_str_eq(gap->rule, "the record's only set of reference outputs");
  }
  etr_profile_close(profile);
  inputs.debug_buffer = NULL;
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK);
  cr_assert_eq(profile->output_gap_count, 6);
  cr_expect_str_eq(profile->output_gaps[0].problem, "there is no debug buffer");
  etr_profile_close(profile);
  etr_inputs_clear(&inputs);
}

Test(reference, records_without) {
  static const char *const fixtures[] = {"add_mul_debug", "add_mul", "cpp_rich"};
  for (size_t i = 0; i < ETR_COUNT(fixtures); i++) {
    char path[256];
    etr_inputs inputs;
    etr_profile *profile;
    snprintf(path, sizeof path, FIXTURES "/%s", fixtures[i]);
    cr_assert_eq(etr_inputs_find(&inputs, path, NULL, NULL), ETR_OK);
    cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, NULL), ETR_OK);
    cr_expect_eq(profile->output_gap_count, 0, "%s", fixtures[i]);
    etr_profile_close(profile);
    etr_inputs_clear(&inputs);
  }
}
