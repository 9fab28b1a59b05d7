/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records that are written from parts, by a program that calls the library.
 */
#include "etrecord_file.h"

#include <criterion/criterion.h>

static bool drop(void *context, const void *data, size_t size) {
  (void)data;
  *(size_t *)context += size;
  return true;
}

/* Packs the record of a fixture with so many parts that are the same BundledProgram. */
static etr_status pack_bundles(size_t count, size_t *written, etr_error *error) {
  const etr_part bundle = {.kind = ETR_PART_BUNDLED, .path = FIXTURES "/../records/tested.bpte"};
  const etr_part parts[] = {bundle, bundle};
  const etr_pack_options options = {.record = FIXTURES "/add_mul/etrecord.bin"};
  const etr_sink sink = {drop, written};
  return etr_record_pack(parts, count, &options, &sink, error);
}

Test(record_parts, a_second_bundled_program_is_refused) {
  size_t written = 0;
  etr_error error;
  cr_expect_eq(pack_bundles(1, &written, &error), ETR_OK);
  cr_expect_gt(written, 1000);
  written = 0;
  cr_expect_eq(pack_bundles(2, &written, &error), ETR_ERROR_CHOICE);
  cr_expect_str_eq(error.message, "a BundledProgram is given already");
  cr_expect_eq(written, 0);
}
