/* SPDX-License-Identifier: BSD-3-Clause
 *
 * balance.c - the parts of a method's time.
 */
#include "views/balance.h"

#include "base/method_parts.h"
#include "output/text_table.h"

#include <string.h>

void etr_balance_list(const etr_method *method, etr_balance_part parts[ETR_BALANCE_PARTS]) {
  ETR_CHECK(etr_method_adds_up(method));
  uint64_t rest = method->delegate_only_ticks - method->inserted_ticks;
  const etr_balance_part list[ETR_BALANCE_PARTS] = {
      {"nodes", "graph operators", method->nodes_ticks, false},
      {"estimated", "  estimated", method->estimated_ticks, true},
      {"delegate_only", "delegate overhead (calls minus operators)", method->delegate_only_ticks,
       false},
      {"inserted", "  inserted operators", method->inserted_ticks, true},
      {"rest_of_calls", "  call overhead", rest, true},
      {"framework", "runtime, outside operators", method->framework_ticks, false},
      {"unexplained", "unexplained", method->unexplained_ticks, false},
  };
  memcpy(parts, list, sizeof list);
}

bool etr_balance_tells(const etr_balance_part parts[ETR_BALANCE_PARTS], size_t index) {
  bool is_rest_alone = strcmp(parts[index].name, "rest_of_calls") == 0 &&
                       parts[index - 1].ticks == 0;
  uint64_t all = 0;
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++)
    all += parts[i].ticks;
  return (parts[index].ticks > 0 && !is_rest_alone) || (all == 0 && index == 0);
}

bool etr_balance_is_whole(const etr_balance_part parts[ETR_BALANCE_PARTS], size_t index) {
  return strcmp(parts[index].name, "delegate_only") != 0 &&
         strcmp(parts[index].name, "estimated") != 0;
}

/* ---- Notes ---- */

static const char *certainty(etr_arena *arena, const etr_profile *profile,
                             const etr_method *method) {
  if (method->estimated_confidence == 0)
    return NULL;
  return etr_arena_format(arena, "the average confidence of estimated times is %.0f %%: %s",
                          100 * method->estimated_confidence,
                          profile->pte
                              ? "operators that the files do not distinguish were matched by order"
                              : "operators were matched by order; the .pte would make it exact");
}

/* Returns a note on a part of the time on nodes; `what` says what the part is. */
static const char *part_note(etr_arena *arena, const etr_method *method, uint64_t ticks,
                             const char *what) {
  if (ticks == 0)
    return NULL;
  return etr_arena_format(arena, "%.0f %% of the time on nodes is %s",
                          100 * (double)ticks / (double)method->nodes_ticks, what);
}

static bool has_plans(const etr_method *method) {
  for (size_t i = 0; i < method->time_slice_count; i++)
    if (method->time_slices[i].event->is_unit_planned)
      return true;
  return false;
}

size_t etr_balance_notes(const char *out[ETR_BALANCE_MOST_NOTES], etr_arena *arena,
                         const etr_profile *profile, const etr_method *method) {
  const char *notes[ETR_BALANCE_MOST_NOTES] = {
      certainty(arena, profile, method),
      part_note(arena, method, method->estimated_time_ticks - method->shared_ticks,
                "the backend's own estimate, not measured"),
      part_note(arena, method, method->shared_ticks,
                "an estimate: delegates measured their operators in cycles, and the time of all of "
                "them together"),
      has_plans(method) ? "compute units are those that the backend planned for; where operators "
                          "ran is not recorded"
                        : NULL};
  size_t count = 0;
  for (size_t i = 0; i < ETR_BALANCE_MOST_NOTES; i++)
    if (notes[i])
      out[count++] = notes[i];
  return count;
}

const char *etr_balance_note(etr_arena *arena, const etr_profile *profile, const etr_method *method,
                             etr_unit unit) {
  etr_text text;
  etr_writer writer;
  if (method->clock_hidden_ticks == 0 || method->run_count == 0)
    return NULL;
  etr_text_begin(&text, arena, &writer);
  etr_puts(&writer, "up to ");
  etr_put_time(&writer, profile, (double)method->clock_hidden_ticks / (double)method->run_count,
               unit);
  etr_putf(&writer,
           " %s of the call overhead may be operator time, because the delegates' clock counts "
           "whole microseconds",
           etr_unit_name(unit));
  return etr_text_end(&text, &writer);
}
