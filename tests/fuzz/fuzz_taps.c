/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_taps.c - lib/accuracy/taps.c on any bytes: what is read has names, and damage has one
 * warning.
 */
#include "accuracy/taps.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  etr_arena arena = {0};
  etr_warnings warnings = {.arena = &arena};
  etr_taps taps;
  etr_taps_parse(&taps, (etr_slice){(const char *)data, size}, "fuzz", &warnings);
  if (warnings.list.count > 1 || (warnings.list.count && taps.specs.count))
    abort();
  for (size_t i = 0; i < taps.specs.count; i++) {
    const etr_tap_statistic *statistics = etr_tap_statistics_of(&arena, &taps.specs.data[i]);
    if (!taps.specs.data[i].node)
      abort();
    for (size_t k = 0; statistics && k < taps.specs.data[i].field_count; k++)
      if (!statistics[k].name)
        abort();
  }
  etr_arena_clear(&arena);
  return 0;
}
