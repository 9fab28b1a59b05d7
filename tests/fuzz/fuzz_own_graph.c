/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz_own_graph.c - the graphs in delegates' payloads, read from any bytes by each backend that
 * has one.
 */
#include "backends/decoder.h"
#include "backends/xnnpack.h"

#include <stdlib.h>

static void check_ids(const etr_own_graph *graph, const uint32_t *ids, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (ids[i] >= graph->value_count)
      abort();
}

static void check_value(const etr_own_value *value) {
  volatile int64_t last = value->value.rank > 0 ? value->value.dims[value->value.rank - 1].size : 0;
  (void)last;
}

static void check(etr_own_graph_reader read, etr_slice bytes) {
  etr_arena arena = {0};
  etr_own_graph graph;
  if (!read(&graph, &arena, bytes) && (graph.count || graph.value_count))
    abort();
  for (size_t i = 0; i < graph.count; i++) {
    if (!graph.operators[i].name)
      abort();
    check_ids(&graph, graph.operators[i].reads, graph.operators[i].read_count);
    check_ids(&graph, graph.operators[i].writes, graph.operators[i].write_count);
  }
  for (size_t i = 0; i < graph.value_count; i++)
    check_value(&graph.values[i]);
  etr_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  etr_slice bytes = {(const char *)data, size};
  check(etr_vulkan.read_graph, bytes);
  check(etr_xnn_graph_read, bytes);
  if (etr_vulkan.payload_needed(bytes, size) > size)
    abort();
  return 0;
}
