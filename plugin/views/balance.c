/* SPDX-License-Identifier: BSD-3-Clause
 *
 * balance.c - the parts of a method's time.
 */
#include "balance.h"

#include <string.h>

void etr_balance_list(const etr_method *method, etr_balance_part parts[ETR_BALANCE_PARTS]) {
  const etr_balance_part list[ETR_BALANCE_PARTS] = {{"nodes", "on graph nodes", method->nodes_ticks, false},
                                                    {"estimated", "  of it estimated", method->estimated_ticks, true},
                                                    {"delegate_only", "delegates' own: layout, copies, calls", method->delegate_only_ticks, false},
                                                    {"framework", "framework, between operators", method->framework_ticks, false},
                                                    {"unexplained", "unexplained", method->unexplained_ticks, false}};
  memcpy(parts, list, sizeof list);
}
