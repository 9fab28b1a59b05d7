/* SPDX-License-Identifier: BSD-3-Clause
 *
 * open_fixture.h - the profile of a record, or of a file, of tests/fixtures.
 */
#ifndef OPEN_FIXTURE_H
#define OPEN_FIXTURE_H

#include "etrecord.h"

#include <criterion/criterion.h>
#include <stdio.h>

static inline etr_profile *open_fixture(const char *name, const etr_options *options) {
  char path[512];
  etr_inputs inputs;
  etr_error error;
  etr_profile *profile = NULL;
  snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
  cr_assert_eq(etr_inputs_find(&inputs, path, NULL, &error), ETR_OK, "%s", error.message);
  cr_assert_eq(etr_profile_open(&profile, &inputs, options, &error), ETR_OK, "%s", error.message);
  etr_inputs_clear(&inputs);
  return profile;
}

#endif
