/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tensors in a .ptd.
 */
#include "inputs/flat_tensor.h"

#include "base/file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_BYTES ((uint64_t)1 << 30)

static const char weights[] = FIXTURES "/external_weights/weights.ptd";

static etr_status read_one(etr_weights *out, const char *path, uint64_t max_bytes,
                           etr_error *error) {
  *out = (etr_weights){0};
  return etr_flat_tensor_read(out, path, max_bytes, error);
}

Test(flat_tensor, tensors_and_their_bytes_are_counted) {
  etr_weights out;
  etr_error error;
  cr_assert_eq(read_one(&out, weights, MAX_BYTES, &error), ETR_OK, "%s", error.message);
  cr_expect(out.tensor_count == 5 && out.blob_count == 0 && out.byte_count == 216, "%zu, %zu",
            out.tensor_count, (size_t)out.byte_count);
}

Test(flat_tensor, invalid_files_are_refused) {
  static const struct {
    const char *path, *message;
    uint64_t limit;
  } rows[] = {
      {FIXTURES "/add_mul/model.pte", "not a .ptd: the identifier FT01 is missing", MAX_BYTES},
      {FIXTURES "/hostile/empty_file.etdp", "not a .ptd: the identifier FT01 is missing",
       MAX_BYTES},
      {weights, "its table is more than the bytes left to read; raise this limit with --max-bytes",
       100},
      {FIXTURES "/no_such_file", "cannot open: No such file or directory", MAX_BYTES},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_weights out;
    etr_error error;
    cr_expect_neq(read_one(&out, rows[i].path, rows[i].limit, &error), ETR_OK);
    cr_expect_str_eq(error.message, rows[i].message);
  }
}

/* Whichever byte is changed, reading ends and counts at most the bytes of the file. */
Test(flat_tensor, any_changed_byte_is_refused_or_read) {
  char path[] = "/tmp/test_flat_tensor-XXXXXX";
  etr_file file;
  cr_assert_eq(etr_file_read(&file, weights, MAX_BYTES, NULL), ETR_OK);
  int descriptor = mkstemp(path);
  cr_assert(descriptor >= 0);
  for (size_t i = 0; i < file.size; i++) {
    etr_weights out;
    file.data[i] ^= 0xff;
    cr_assert_eq(pwrite(descriptor, file.data, file.size, 0), (ssize_t)file.size);
    read_one(&out, path, MAX_BYTES, NULL);
    cr_expect(out.byte_count <= file.size && out.tensor_count + out.blob_count <= file.size,
              "byte %zu", i);
    file.data[i] ^= 0xff;
  }
  close(descriptor);
  unlink(path);
  etr_file_clear(&file);
}
