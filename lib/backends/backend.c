/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backend.c - shapes that a backend and the graph have in common.
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
