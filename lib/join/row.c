/* SPDX-License-Identifier: BSD-3-Clause
 *
 * row.c - by name, and by what stands beside it.
 */
#include "row.h"

#include "operator.h"

/* What the runtime does for itself, with sizes and in loops: no kernel of the graph. */
static bool is_prim(const char *event_name) { return strncmp(event_name, "native_call_executorch_prim::", 29) == 0; }

etr_row_kind etr_row_kind_of(const etr_block *block, size_t row) {
  const etr_event *e = &block->events[row];
  if (e->delegate_id) return ETR_ROW_DELEGATE_EVENT;
  if (e->instruction_id < 0 || e->sample_count == 0 || is_prim(e->name)) return ETR_ROW_FRAMEWORK;
  if (strcmp(e->name, "DELEGATE_CALL") == 0) return ETR_ROW_DELEGATE_CALL;
  if (etr_operator_of_event(e->name).size) return ETR_ROW_KERNEL;
  if (strcmp(e->name, "OPERATOR_CALL") != 0) return ETR_ROW_FRAMEWORK;
  for (size_t i = row; i > 0 && block->events[i - 1].instruction_id == e->instruction_id; i--)
    if (etr_operator_of_event(block->events[i - 1].name).size) return ETR_ROW_FRAMEWORK;
  for (size_t i = row + 1; i < block->event_count && block->events[i].instruction_id == e->instruction_id; i++)
    if (etr_operator_of_event(block->events[i].name).size) return ETR_ROW_FRAMEWORK;
  return ETR_ROW_KERNEL;
}
