/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_maps.c - lib/inputs/maps.c on any bytes: the handle map, and behind a line of its own the
 * delegate map. Whatever comes out can be walked and found.
 */
#include "inputs/maps.h"

#include <stdlib.h>

static void read_map(etr_maps *maps, etr_slice text, void (*read)(etr_maps *maps, etr_json *json)) {
  etr_json *json = etr_json_open_memory(text, NULL);
  if (json)
    read(maps, json);
  etr_json_close(json);
}

/* Reads all that the lists promise. */
static uint64_t check_method(const etr_map_method *method) {
  uint64_t sum = 0;
  for (size_t i = 0; i < method->instruction_count; i++) {
    const etr_map_instruction *instruction = &method->instructions[i];
    if (i > 0 && instruction->id <= instruction[-1].id)
      abort();
    if (etr_maps_find(method, instruction->id) != instruction)
      abort();
    for (size_t k = 0; k < instruction->handle_count; k++)
      sum += instruction->handles[k];
    for (size_t k = 0; k < instruction->id_count; k++) {
      sum += strlen(instruction->ids[k].id);
      for (size_t n = 0; n < instruction->ids[k].handle_count; n++)
        sum += instruction->ids[k].handles[n];
    }
  }
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  etr_arena arena = {0};
  etr_map strings;
  size_t count = 0;
  const uint8_t *line_end = size ? memchr(data, '\n', size) : NULL;
  size_t first = line_end ? (size_t)(line_end - data) : size, second = line_end ? first + 1 : size;
  etr_map_init(&strings, &arena);
  etr_maps *maps = etr_maps_new(&strings, "only");
  if (!maps)
    return 0;
  read_map(maps, (etr_slice){(const char *)data, first}, etr_maps_read_handles);
  read_map(maps, (etr_slice){(const char *)data + second, size - second}, etr_maps_read_delegates);
  const etr_map_method *methods = etr_maps_finish(maps, &count);
  volatile uint64_t sum = 0; /* so that nothing is optimized away */
  for (size_t i = 0; i < count; i++)
    sum = sum + check_method(&methods[i]);
  etr_arena_clear(&arena);
  return 0;
}
