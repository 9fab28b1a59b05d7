/* SPDX-License-Identifier: BSD-3-Clause
 *
 * join.c - looking things up in a method join.
 */
#include "join.h"

#include <stdlib.h>

static int by_id(const void *a, const void *b) {
  int32_t x = ((const etr_join_instruction *)a)->id, y = ((const etr_join_instruction *)b)->id;
  return (x > y) - (x < y);
}

etr_join_instruction *etr_join_find(const etr_method_join *join, int32_t id) {
  etr_join_instruction wanted = {.id = id};
  return join->instructions.count
             ? bsearch(&wanted, join->instructions.data, join->instructions.count, sizeof wanted, by_id)
             : NULL;
}

static int by_handle(const void *a, const void *b) {
  const etr_handle_node *x = a, *y = b;
  if (x->handle != y->handle) return x->handle < y->handle ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

size_t etr_join_first_of_handle(const etr_method_join *join, uint32_t handle) {
  etr_handle_node wanted = {handle, 0};
  return etr_lower_bound(&wanted, join->by_handle, join->by_handle_count, sizeof *join->by_handle, by_handle);
}

uint32_t etr_join_next_free(const etr_method_join *join, const bool *taken, size_t *skip, uint32_t handle) {
  size_t first = etr_join_first_of_handle(join, handle), end = join->by_handle_count;
  if (first == end) return ETR_NONE;
  for (size_t at = first + skip[first]; at < end && join->by_handle[at].handle == handle; at++, skip[first]++)
    if (!taken[join->by_handle[at].node]) return join->by_handle[at].node;
  return ETR_NONE;
}

etr_slice etr_join_payload(const etr_method_join *join, int32_t instruction_id) {
  const etr_pte_method *program = join->program;
  if (!program || instruction_id < 0 || (size_t)instruction_id >= program->instruction_count) return (etr_slice){0};
  int32_t index = program->instructions[instruction_id].delegate;
  return index >= 0 && (size_t)index < program->delegate_count ? program->delegates[index].payload : (etr_slice){0};
}

static int by_instruction(const void *a, const void *b) {
  int32_t x = ((const etr_delegate_node *)a)->instruction_id, y = ((const etr_delegate_node *)b)->instruction_id;
  return (x > y) - (x < y);
}

const etr_delegate_node *etr_join_nodes_of_delegate(const etr_method_join *join, int32_t instruction_id,
                                                    size_t *count) {
  const etr_delegate_node *list = join->delegate_nodes.data, wanted = {.instruction_id = instruction_id};
  size_t first = etr_lower_bound(&wanted, list, join->delegate_nodes.count, sizeof *list, by_instruction);
  for (*count = 0;
       first + *count < join->delegate_nodes.count && list[first + *count].instruction_id == instruction_id;)
    (*count)++;
  return *count ? &list[first] : NULL;
}
