/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bundle.h - a BundledProgram (.bpte): a program and the tests for its methods. Layer 2. Schema:
 * executorch/devtools/bundled_program/schema/bundled_program_schema.fbs.
 */
#ifndef ETR_BUNDLE_H
#define ETR_BUNDLE_H

#include "base/arena.h"
#include "formats/flatbuf.h"

typedef struct etr_bundle {
  etr_fb fb;         /* records failures */
  etr_slice program; /* the .pte; empty if there is none */
  etr_fb_at suites;
  uint32_t suite_count;
} etr_bundle;

/** The tests of one method. */
typedef struct etr_bundle_suite {
  etr_slice method;
  etr_fb_at cases; /* a vector of BundledMethodTestCase */
  uint32_t case_count;
} etr_bundle_suite;

/** Returns true if a file that starts with these bytes is a BundledProgram. */
bool etr_bundle_is(etr_slice head);

/** Opens a BundledProgram in memory, which must outlive it. Errors: ETR_ERROR_FORMAT (no identifier
 * BP08; damaged, with the offset). */
etr_status etr_bundle_open(etr_bundle *out, etr_slice bytes, const char *path, etr_error *error);

/** Returns the tests of a method: its name, and the table of its test cases with their number.
 * index < suite_count. Damage shows in etr_bundle_check(). */
etr_bundle_suite etr_bundle_suite_at(etr_bundle *bundle, uint32_t index);

/** Returns ETR_OK, or ETR_ERROR_FORMAT if damage was found since it was opened. */
etr_status etr_bundle_check(const etr_bundle *bundle, const char *path, etr_error *error);

/** Lists the methods that have tests, and how many test cases each has: sets *sets to an array of
 * *count in the arena. Errors: those of etr_bundle_check(), ETR_ERROR_MEMORY. */
etr_status etr_bundle_test_sets(etr_bundle *bundle, etr_arena *arena, const char *path,
                                const etr_test_set **sets, size_t *count, etr_error *error);

#endif
