/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fixture.h - a profile of one of the fixtures.
 */
#ifndef ETR_TEST_FIXTURE_H
#define ETR_TEST_FIXTURE_H

#include "etrecord.h"

#include <criterion/criterion.h>
#include <stdio.h>

/** Opens the fixture folder `name`. debug_buffer, if not NULL, replaces the one in the folder.
 * Close the profile with etr_profile_close(). */
static inline etr_profile *open_fixture_with(const char *name, const char *debug_buffer) {
  char path[512];
  etr_inputs inputs;
  etr_error error = {.offset = ETR_NO_OFFSET};
  etr_profile *profile = NULL;
  const etr_inputs chosen = {.debug_buffer = debug_buffer};
  snprintf(path, sizeof path, FIXTURES "/%s", name);
  cr_assert_eq(etr_inputs_find(&inputs, path, &chosen, &error), ETR_OK, "%s: %s", name,
               error.message);
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK, "%s: %s", name,
               error.message);
  etr_inputs_clear(&inputs);
  return profile;
}

static inline etr_profile *open_fixture(const char *name) {
  return open_fixture_with(name, NULL);
}

/** Opens the ETRecord and the ETDump of the fixture folder `name`, without the .pte. */
static inline etr_profile *open_without_program(const char *name) {
  char record[512], dump[512];
  etr_error error = {.offset = ETR_NO_OFFSET};
  etr_profile *profile = NULL;
  snprintf(record, sizeof record, FIXTURES "/%s/etrecord.bin", name);
  snprintf(dump, sizeof dump, FIXTURES "/%s/etdump.etdp", name);
  const char *dumps[] = {dump};
  const etr_inputs inputs = {.etrecord = record, .etdumps = dumps, .etdump_count = 1};
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK, "%s: %s", name,
               error.message);
  return profile;
}

#endif
