/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels.c - grouping by the first handle that has the operator.
 */
#include "place/kernels.h"

static size_t range_of(const etr_method_inputs *method, const etr_placed *kernel, size_t *count) {
  uint32_t op = etr_map_get(&method->operators, kernel->op);
  *count = 0;
  for (size_t i = 0; op != ETR_NONE && i < kernel->map->handle_count; i++) {
    size_t first = etr_node_index_find(&method->by_operator, kernel->map->handles[i], op, count);
    if (*count) return first;
  }
  return 0;
}

bool etr_kernel_groups_find(etr_kernel_groups *out, const etr_placement *placement, etr_arena *arena) {
  const etr_method_inputs *method = placement->method;
  /* 1 + the index of the group whose nodes start there */
  uint32_t *group_of = etr_arena_alloc_array(arena, method->by_operator.count, sizeof *group_of);
  if (!group_of) return false;
  for (uint32_t i = 0; i < placement->instructions.count; i++) {
    const etr_placed *kernel = &placement->instructions.data[i];
    size_t count = 0, first = 0;
    if (kernel->is_kernel && kernel->map && kernel->op.size && !kernel->is_prim)
      first = range_of(method, kernel, &count);
    if (count == 0) continue;
    if (!group_of[first]) {
      etr_kernel_group *added = etr_vec_push(arena, out);
      if (!added) return false;
      *added = (etr_kernel_group){.first = first, .node_count = count};
      group_of[first] = (uint32_t)out->count;
    }
    uint32_t *slot = etr_vec_push(arena, &out->data[group_of[first] - 1].kernels);
    if (!slot) return false;
    *slot = i;
  }
  return true;
}
