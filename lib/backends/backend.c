/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backend.c - shapes that a backend and the graph have in common, and who reads a node.
 */
#include "backends/backend.h"

/* Spreads a number's bits (the finaliser of splitmix64), so that sums of them tell sets apart. */
static uint64_t spread(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t etr_shape_mark(const int64_t *sizes, size_t count) {
  uint64_t mark = 1;
  for (size_t i = 0; i < count; i++)
    if (sizes[i] != 1) mark += spread((uint64_t)sizes[i]);
  return mark ? mark : 1;
}

enum { MOST_DIMS = 64 }; /* that PyTorch has */

uint64_t etr_value_shape_mark(const etr_value *value) {
  uint64_t mark = 1;
  if (value->rank < 0 || value->rank > MOST_DIMS) return 0;
  for (int32_t i = 0; i < value->rank; i++) {
    if (value->dims[i].size == ETR_DIM_SYMBOLIC) return 0;
    if (value->dims[i].size != 1) mark += spread((uint64_t)value->dims[i].size);
  }
  return mark ? mark : 1;
}

bool etr_users_find(etr_users *out, const etr_graph *graph, etr_arena *arena) {
  size_t count = graph->node_count, uses = 0;
  for (size_t i = 0; i < count; i++) uses += graph->nodes[i].input_count;
  uint32_t *starts = etr_arena_alloc_array(arena, count + 2, sizeof *starts);
  uint32_t *list = etr_arena_alloc_array(arena, uses + 1, sizeof *list);
  uint32_t *last = etr_arena_alloc_array(arena, count + 1, sizeof *last); /* 1 + the last reader that was noted */
  if (!starts || !list || !last) return false;
  for (int is_filling = 0; is_filling <= 1; is_filling++) {
    for (uint32_t i = 0; i < count; i++)
      for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
        uint32_t producer = graph->nodes[i].inputs[k].node;
        if (last[producer] == i + 1) continue;
        last[producer] = i + 1;
        if (is_filling)
          list[starts[producer + 1]++] = i; /* ends where the next node's readers start */
        else
          starts[producer + 2]++;
      }
    for (size_t i = 0; !is_filling && i < count; i++) starts[i + 2] += starts[i + 1];
    memset(last, 0, (count + 1) * sizeof *last);
  }
  *out = (etr_users){starts, list};
  return true;
}
