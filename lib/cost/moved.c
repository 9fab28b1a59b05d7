/* SPDX-License-Identifier: BSD-3-Clause
 *
 * moved.c - memory traffic as the shapes have it: every tensor once, caches or not.
 */
#include "cost/moved.h"

#include "backends/operator.h"
#include "cost/formulas.h"
#include "formats/element.h"

/* ATen's views; those of the Edge dialect end in _copy. */
static bool is_view_of_memory(const char *target) {
  static const char *const views[] = {"view",    "permute", "transpose",        "t",      "select",    "slice",
                                      "expand",  "squeeze", "unsqueeze",        "detach", "alias",     "split",
                                      "chunk",   "unbind",  "split_with_sizes", "narrow", "diagonal",  "as_strided",
                                      "movedim", "view_as", "numpy_T",          "unfold", "expand_as", "lift_fresh"};
  return etr_operator_is_one_of(etr_operator_of_target(target), views, ETR_COUNT(views));
}

static bool gives_tensor(const etr_node *node) {
  for (size_t i = 0; i < node->output_count; i++)
    if (node->outputs[i].rank >= 0 || !node->outputs[i].dtype) return true;
  return false;
}

bool etr_moves_nothing(const etr_node *node) {
  static const char *const around[] = {"_operator.",      "operator.", "higher_order.",
                                       "executorch_prim", "builtins.", "math."};
  if (node->kind != ETR_NODE_OP || !gives_tensor(node)) return true;
  if (strncmp(node->target, "aten.", 5) == 0) return is_view_of_memory(node->target);
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

etr_amount etr_read_bytes(const etr_graph *graph, const etr_node *node, size_t place) {
  const etr_value *value = etr_input_of(graph, node, place);
  etr_slice op = etr_operator_of_target(node->target);
  if (!value) return etr_amount_unknown();
  etr_amount all = etr_bytes_of(value);
  if (place > 0 || node->output_count == 0) return all;
  if (is_packed(op)) return etr_amount_unknown();
  const etr_element *element = value->dtype ? etr_element_of_dtype(value->dtype) : NULL;
  if (!looks_up(op) || !element) return all;
  etr_amount part = etr_elements_of(&node->outputs[0]);
  etr_amount_multiply(&part, etr_amount_of(element->size));
  return part.is_unknown || all.is_unknown || part.count < all.count ? part : all;
}
