/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_log.c - serial logs and .ptd tables of any bytes: what is found in a log begins as an
 * ETDump, and all of it together is no more than the log.
 */
#include "inputs/dump.h"
#include "inputs/flat_tensor.h"
#include "inputs/serial_log.h"

#include <stdlib.h>

static void check_log(const etr_serial_log *log, size_t size) {
  size_t bytes = 0;
  if (log->dump_count > log->found || (log->dump_count < log->found && !log->problem))
    abort();
  for (size_t i = 0; i < log->dump_count; i++) {
    const etr_log_dump *dump = &log->dumps[i];
    if (!etr_dump_is(dump->bytes) || dump->number == 0 || dump->number > log->found ||
        dump->line == 0)
      abort();
    if (i > 0 && (dump->number <= dump[-1].number || dump->line < dump[-1].line))
      abort();
    bytes += dump->bytes.size + dump->debug_buffer.size;
  }
  if (bytes > size)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  etr_arena arena = {0};
  etr_serial_log log;
  etr_weights weights = {.file_size = size};
  etr_slice bytes = {(const char *)data, size};
  if (!etr_serial_log_read(&log, &arena, bytes))
    abort();
  check_log(&log, size);
  etr_arena_clear(&arena);
  etr_status status = etr_flat_tensor_count(&weights, bytes, "fuzz", NULL);
  if (status == ETR_OK &&
      (weights.byte_count > size || weights.tensor_count + weights.blob_count > size))
    abort();
  return 0;
}
