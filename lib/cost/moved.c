/* SPDX-License-Identifier: BSD-3-Clause
 *
 * moved.c - memory traffic as the shapes have it: every tensor once, caches or not.
 */
#include "cost/moved.h"

#include "backends/operator.h"
#include "cost/formulas.h"
#include "formats/element.h"

static bool gives_tensor(const etr_node *node) {
  for (size_t i = 0; i < node->output_count; i++)
    if (node->outputs[i].rank >= 0 || !node->outputs[i].dtype) return true;
  return false;
}

/* In place: the place among inputs of what they put there; ETR_NONE of operators that write all of their output.
 * index_put copies all of it. */
static uint32_t place_of_part(const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  if (etr_slice_is(op, "et_copy_index")) return 0;
  return etr_slice_is(op, "index_put_") && node->input_count > 1 ? (uint32_t)node->input_count - 1 : ETR_NONE;
}

static bool replaces_part(const etr_node *node) { return place_of_part(node) != ETR_NONE; }

/* The first input is only written to. */
static bool only_writes_first(const etr_node *node) {
  static const char *const ops[] = {"index_put_", "copy_"};
  return etr_operator_is_one_of(etr_operator_of_target(node->target), ops, ETR_COUNT(ops));
}

bool etr_moves_nothing(const etr_graph *graph, const etr_node *node) {
  static const char *const around[] = {"_operator.",      "operator.", "higher_order.",
                                       "executorch_prim", "builtins.", "math."};
  if (etr_work_of(graph, node) == ETR_WORK_ELSEWHERE) return true;
  if (etr_work_of(graph, node) != ETR_WORK_BY_NAME || replaces_part(node)) return false;
  if (node->kind != ETR_NODE_OP || !gives_tensor(node)) return true;
  if (strncmp(node->target, "aten.", 5) == 0) return etr_operator_shares_memory(etr_operator_of_target(node->target));
  for (size_t i = 0; i < ETR_COUNT(around); i++)
    if (strncmp(node->target, around[i], strlen(around[i])) == 0) return true;
  return strchr(node->target, '.') == NULL;
}

/* Packs several numbers into a byte, which the type does not say. */
static bool is_packed(etr_slice op) {
  static const char *const packed[] = {"embedding_4bit", "embedding_2bit"};
  return etr_operator_is_one_of(op, packed, ETR_COUNT(packed));
}

static bool looks_up(etr_slice op) {
  static const char *const lookups[] = {"embedding",  "index",       "index_select", "gather", "embedding_byte",
                                        "slice_copy", "select_copy", "narrow_copy",  "take"};
  return etr_operator_is_one_of(op, lookups, ETR_COUNT(lookups));
}

/* Of a delegate's constants the program tells: some are packed. */
static etr_amount stored_bytes(const etr_graph *graph, const etr_edge *edge, const etr_value *value) {
  const etr_node *producer = &graph->nodes[edge->node];
  const char *told = producer->kind == ETR_NODE_CONSTANT ? etr_node_argument(producer, "bytes") : NULL;
  int64_t bytes;
  return told && etr_slice_to_int(etr_slice_of(told), &bytes) ? etr_amount_of((uint64_t)bytes) : etr_bytes_of(value);
}

etr_amount etr_read_bytes(const etr_graph *graph, const etr_node *node, size_t place) {
  const etr_value *value = etr_input_of(graph, node, place);
  etr_slice op = etr_operator_of_target(node->target);
  if (!value) return etr_amount_unknown();
  if (place == 0 && only_writes_first(node)) return etr_amount_of(0);
  etr_amount all = stored_bytes(graph, &node->inputs[place], value);
  if (place > 0 || node->output_count == 0) return all;
  if (is_packed(op)) return etr_amount_unknown();
  const etr_element *element = value->dtype ? etr_element_of_dtype(value->dtype) : NULL;
  if (!looks_up(op) || !element) return all;
  etr_amount part = etr_elements_of(&node->outputs[0]);
  etr_amount_multiply(&part, etr_amount_of(element->size));
  return part.is_unknown || all.is_unknown || part.count < all.count ? part : all;
}

etr_amount etr_written_bytes(const etr_graph *graph, const etr_node *node, size_t output) {
  uint32_t part = place_of_part(node);
  return part == ETR_NONE ? etr_bytes_of(&node->outputs[output]) : etr_read_bytes(graph, node, part);
}
