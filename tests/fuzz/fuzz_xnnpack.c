/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_xnnpack.c - the backends on any bytes: as a delegate's payload, and as the name of an event.
 */
#include "backends/backends.h"
#include "backends/xnnpack.h"

#include <stdlib.h>

static void check_value(const etr_payload *payload, uint32_t value) {
  if (value != ETR_NONE && value >= payload->value_count)
    abort();
}

static void check_operator(const etr_payload *payload, size_t index) {
  const etr_payload_operator *o = &payload->operators[index];
  if (o->class_ >= ETR_XNN_CLASSES || o->alternative >= ETR_XNN_CLASSES ||
      !etr_xnnpack.class_name(o->class_))
    abort();
  if (o->input_count > ETR_OPERATOR_INPUTS || (o->completes != ETR_NONE && o->completes >= index))
    abort();
  for (uint8_t i = 0; i < o->input_count; i++)
    check_value(payload, o->inputs[i]);
  check_value(payload, o->output);
  check_value(payload, o->whole);
}

static void check_payload(etr_slice bytes) {
  etr_arena arena = {0};
  etr_payload payload;
  bool ok = etr_xnnpack.read_payload(&payload, &arena, bytes);
  if (!ok && payload.count > 0)
    abort();
  for (size_t i = 0; i < payload.count; i++)
    check_operator(&payload, i);
  etr_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char name[64];
  check_payload((etr_slice){(const char *)data, size});
  if (etr_backend_payload_needed((etr_slice){(const char *)data, size}, size) > size)
    abort();
  size_t used = ETR_MIN(size, sizeof name - 1);
  memcpy(name, data, used);
  name[used] = '\0';
  if (etr_xnnpack.class_of_event(name) >= ETR_XNN_CLASSES)
    abort();
  return 0;
}
