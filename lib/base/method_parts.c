/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method_parts.c - the parts of a method's time beside the whole.
 */
#include "base/method_parts.h"

bool etr_method_adds_up(const etr_method *m) {
  uint64_t left = m->execute_ticks;
  const uint64_t parts[] = {m->nodes_ticks, m->delegate_only_ticks, m->framework_ticks,
                            m->unexplained_ticks};
  for (size_t i = 0; i < ETR_COUNT(parts); i++) {
    if (parts[i] > left)
      return false;
    left -= parts[i];
  }
  return left == 0 && m->estimated_ticks <= m->nodes_ticks &&
         m->inserted_ticks <= m->delegate_only_ticks &&
         m->clock_hidden_ticks <= m->delegate_only_ticks - m->inserted_ticks;
}
