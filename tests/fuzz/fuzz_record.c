/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_record.c - any bytes as an ETRecord: the zip, and the documents in it. The profile that
 * comes out can be walked, and every emitter ends well.
 */
#include "scratch.h"
#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = scratch_file("record", data, size);
  etr_profile *profile = NULL;
  etr_error error = {.offset = ETR_NO_OFFSET};
  etr_status status = etr_profile_open(&profile, &(etr_inputs){.etrecord = path}, NULL, &error);
  if ((status == ETR_OK) != (profile != NULL) || (status != ETR_OK && !error.message[0]))
    abort();
  if (profile)
    walk_profile(profile);
  etr_profile_close(profile);
  return 0;
}
