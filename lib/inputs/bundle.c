/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bundle.c - the parts of a BundledProgram.
 */
#include "inputs/bundle.h"

#define IDENTIFIER "BP08"

/* Fields, in the order of the schema. */
enum { BUNDLE_SUITES = 1, BUNDLE_PROGRAM };
enum { SUITE_METHOD, SUITE_CASES };

bool etr_bundle_is(etr_slice head) {
  return head.size >= 8 && memcmp(head.data + 4, IDENTIFIER, 4) == 0;
}

etr_status etr_bundle_check(const etr_bundle *bundle, const char *path, etr_error *error) {
  if (!etr_fb_failed(&bundle->fb))
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, bundle->fb.offset,
                  "damaged BundledProgram: %s", bundle->fb.message);
}

etr_status etr_bundle_open(etr_bundle *out, etr_slice bytes, const char *path, etr_error *error) {
  *out = (etr_bundle){0};
  if (!etr_bundle_is(bytes))
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, 0,
                    "not a BundledProgram: identifier " IDENTIFIER " is missing");
  etr_fb_init(&out->fb, bytes.data, bytes.size);
  etr_fb_at root = etr_fb_root(&out->fb);
  out->program = etr_fb_bytes(&out->fb, root, BUNDLE_PROGRAM);
  out->suites = etr_fb_vector(&out->fb, root, BUNDLE_SUITES, 4, &out->suite_count);
  return etr_bundle_check(out, path, error);
}

etr_bundle_suite etr_bundle_suite_at(etr_bundle *bundle, uint32_t index) {
  etr_bundle_suite suite;
  etr_fb_at table = etr_fb_table_at(&bundle->fb, bundle->suites, index);
  suite.method = etr_fb_string(&bundle->fb, table, SUITE_METHOD);
  suite.cases = etr_fb_vector(&bundle->fb, table, SUITE_CASES, 4, &suite.case_count);
  return suite;
}

etr_status etr_bundle_test_sets(etr_bundle *bundle, etr_arena *arena, const char *path,
                                const etr_test_set **sets, size_t *count, etr_error *error) {
  etr_vec(etr_test_set) found = {0};
  for (uint32_t i = 0; i < bundle->suite_count && !etr_fb_failed(&bundle->fb); i++) {
    const etr_bundle_suite suite = etr_bundle_suite_at(bundle, i);
    etr_test_set *set = etr_vec_push(arena, &found);
    if (set)
      *set = (etr_test_set){.method = etr_arena_text(arena, suite.method),
                            .count = suite.case_count};
  }
  *sets = found.data;
  *count = found.count;
  return etr_arena_failed(arena) ? etr_fail_memory(error) : etr_bundle_check(bundle, path, error);
}
