/* SPDX-License-Identifier: BSD-3-Clause
 *
 * views.c - by operator.
 */
#include "views.h"

#include "operator.h"

bool etr_is_view(const etr_node *node) {
  static const char *const views[] = {
      "view_copy",         "view",    "squeeze_copy", "unsqueeze_copy",  "alias_copy",      "alias",
      "detach_copy",       "detach",  "clone",        "clone_dim_order", "lift_fresh_copy", "to_copy",
      "to_dim_order_copy", "reshape", "contiguous"};
  if (node->kind != ETR_NODE_OP || node->input_count == 0 || node->output_count != 1) return false;
  etr_slice op = etr_operator_of_target(node->target);
  for (size_t i = 0; i < ETR_COUNT(views); i++)
    if (views[i][0] == op.data[0] && etr_slice_equal(op, etr_slice_of(views[i]))) return true;
  return false;
}

bool etr_has_tensor(const etr_node *node) {
  for (size_t i = 0; i < node->output_count; i++)
    if (node->outputs[i].rank >= 0) return true;
  return false;
}
