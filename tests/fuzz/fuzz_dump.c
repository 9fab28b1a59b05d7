/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_dump.c - lib/inputs/dump.c on any bytes: it ends soon, and what it returns can be walked
 * without a check.
 */
#include "inputs/dump.h"

#include <stdlib.h>

static void count_warning(void *context, uint64_t offset, const char *message) {
  (void)offset;
  *(size_t *)context += strlen(message);
}

static size_t walk(const etr_dump *dump) {
  size_t sum = 0;
  for (size_t r = 0; r < dump->run_count; r++) {
    const etr_dump_run *run = &dump->runs[r];
    sum += strlen(run->name);
    for (size_t i = 0; i < run->event_count; i++) {
      const etr_dump_event *event = &run->events[i];
      sum += strlen(event->name) + (event->delegate_id ? strlen(event->delegate_id) : 0);
      if (event->instruction_id < -1 || (event->delegate_id_is_int && !event->delegate_id))
        abort();
    }
  }
  for (size_t i = 0; i < dump->value_count; i++) {
    const etr_debug_value *value = &dump->values[i];
    if (value->run >= dump->run_count || value->node != ETR_NONE)
      abort();
    for (int32_t k = 0; k < value->rank; k++)
      sum += (size_t)value->sizes[k] + (value->strides ? (size_t)value->strides[k] : 0);
  }
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  etr_arena arena;
  etr_dump dump;
  etr_error error;
  size_t sum = 0;
  etr_map names;
  etr_arena_init(&arena);
  etr_map_init(&names, &arena);
  etr_error_clear(&error);
  etr_dump_shared shared = {
      .arena = &arena, .names = &names, .warn = count_warning, .context = &sum};
  etr_status status = etr_dump_read(&dump, &shared, (etr_slice){(const char *)data, size}, "fuzz",
                                    &error);
  if ((status == ETR_OK) != (error.message[0] == 0) ||
      (status != ETR_OK && error.offset > size + 8))
    abort();
  volatile size_t used = sum + walk(&dump);
  (void)used;
  etr_arena_clear(&arena);
  return 0;
}
