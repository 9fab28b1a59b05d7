/* SPDX-License-Identifier: BSD-3-Clause
 *
 * balance.c - the parts of a method's time.
 */
#include "views/balance.h"

#include "base/method_parts.h"
#include "output/table.h"

#include <string.h>

void etr_balance_list(const etr_method *method, etr_balance_part parts[ETR_BALANCE_PARTS]) {
  ETR_CHECK(etr_method_adds_up(method));
  uint64_t rest = method->delegate_only_ticks - method->inserted_ticks;
  const etr_balance_part list[ETR_BALANCE_PARTS] = {
      {"nodes", "on graph nodes", method->nodes_ticks, false},
      {"estimated", "  estimated", method->estimated_ticks, true},
      {"delegate_only", "delegates, beyond their nodes", method->delegate_only_ticks, false},
      {"inserted", "  inserted operators", method->inserted_ticks, true},
      {"rest_of_calls", "  rest of the calls", rest, true},
      {"framework", "framework, between operators", method->framework_ticks, false},
      {"unexplained", "unexplained", method->unexplained_ticks, false},
  };
  memcpy(parts, list, sizeof list);
}

bool etr_balance_tells(const etr_balance_part parts[ETR_BALANCE_PARTS], size_t index) {
  size_t whole = index;
  while (parts[whole].is_part_of_previous) whole--;
  return whole == index || parts[whole].ticks > 0;
}

const char *etr_balance_certainty(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  if (method->estimated_confidence == 0) return NULL;
  return etr_arena_format(arena, "average confidence of estimated times %.0f %%: %s",
                          100 * method->estimated_confidence,
                          profile->pte ? "operators were matched by order where the files do not tell them apart"
                                       : "operators were matched by order; the .pte would make it exact");
}

const char *etr_balance_measured(etr_arena *arena, const etr_method *method) {
  if (method->estimated_time_ticks == 0) return NULL;
  double share = (double)method->estimated_time_ticks / (double)method->nodes_ticks;
  return etr_arena_format(arena, "%.0f %% of the time on nodes is the backend's own estimate, not measured",
                          100 * share);
}

const char *etr_balance_note(etr_arena *arena, const etr_profile *profile, const etr_method *method, etr_unit unit) {
  etr_text text;
  etr_writer writer;
  if (method->clock_hidden_ticks == 0 || method->run_count == 0) return NULL;
  etr_text_begin(&text, arena, &writer);
  etr_puts(&writer, "up to ");
  etr_put_time(&writer, profile, (double)method->clock_hidden_ticks / (double)method->run_count, unit);
  etr_putf(&writer, " %s of the rest of the calls may be operator time", etr_unit_name(unit));
  etr_puts(&writer, " lost to the delegates' clock, which counts whole microseconds");
  return etr_text_end(&text, &writer);
}
