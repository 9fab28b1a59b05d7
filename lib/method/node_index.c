/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_index.c - a sorted list.
 */
#include "method/node_index.h"

static int by_kind(const void *a, const void *b) {
  const etr_node_slot *x = a, *y = b;
  if (x->handle != y->handle) return x->handle < y->handle ? -1 : 1;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

void etr_node_index_sort(etr_node_index *index) { etr_sort(index->slots, index->count, sizeof *index->slots, by_kind); }

size_t etr_node_index_find(const etr_node_index *index, uint32_t handle, uint32_t kind, size_t *count) {
  etr_node_slot wanted = {handle, kind, 0};
  size_t first = etr_lower_bound(&wanted, index->slots, index->count, sizeof *index->slots, by_kind), end = first;
  wanted.node = UINT32_MAX;
  if (first < index->count && index->slots[first].handle == handle && index->slots[first].kind == kind)
    end = etr_lower_bound(&wanted, index->slots, index->count, sizeof *index->slots, by_kind);
  *count = end - first;
  return first;
}

const etr_node_slot *etr_node_index_next(const etr_node_index *index, uint32_t handle, uint32_t kind, uint32_t node) {
  etr_node_slot wanted = {handle, kind, node};
  size_t at = etr_lower_bound(&wanted, index->slots, index->count, sizeof *index->slots, by_kind);
  return at < index->count && index->slots[at].handle == handle && index->slots[at].kind == kind ? &index->slots[at]
                                                                                                 : NULL;
}
