/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_xnnpack.c - lib/xnnpack.c on any bytes, as a delegate's payload with and without what events show, and as the name of an event or an operator.
 */
#include "xnnpack.h"

#include <stdlib.h>

static void check_payload(etr_slice payload, bool shows) {
  etr_arena arena = {0};
  etr_xnn_payload read;
  bool ok = etr_xnn_payload_read(&read, &arena, payload, (etr_xnn_shown){.lookups = shows, .squares = shows});
  if (!ok && read.count > 0) abort();
  for (size_t i = 0; i < read.count; i++)
    if (read.operators[i].class_ >= ETR_XNN_CLASSES || !etr_xnn_class_name(read.operators[i].class_)) abort();
  etr_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  etr_slice bytes = {(const char *)data, size};
  char name[64];
  check_payload(bytes, false);
  check_payload(bytes, true);
  size_t used = ETR_MIN(size, sizeof name - 1);
  memcpy(name, data, used);
  name[used] = '\0';
  if (etr_xnn_class_of_event(name) >= ETR_XNN_CLASSES || etr_xnn_class_of_operator(etr_slice_of(name)) >= ETR_XNN_CLASSES) abort();
  return 0;
}
