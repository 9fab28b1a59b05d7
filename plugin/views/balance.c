/* SPDX-License-Identifier: BSD-3-Clause
 *
 * balance.c - the parts of a method's time.
 */
#include "views/balance.h"

#include "base/method_parts.h"
#include "output/label.h"
#include "output/text_table.h"
#include "views/groups.h"

/* ---- Parts ---- */

const char *etr_balance_text(etr_arena *arena, etr_time_part part, const char *backend,
                             size_t call_count, bool names_backend) {
  static const char *const texts[ETR_TIME_PARTS] = {
      [ETR_TIME_OPERATORS] = "graph operators",
      [ETR_TIME_UNPLACED] = "operators, on no node",
      [ETR_TIME_INSERTED] = "inserted copies",
      [ETR_TIME_DELEGATE_PHASES] = "in delegates: computing, waiting, copying",
      [ETR_TIME_OPAQUE] = "",
      [ETR_TIME_CALL_OVERHEAD] = "",
      [ETR_TIME_RUNTIME] = "runtime, outside operators",
      [ETR_TIME_UNEXPLAINED] = "unexplained"};
  const char *name = backend ? etr_label_backend(arena, backend) : NULL, *text = texts[part];
  if (backend && !name)
    return NULL;
  if (part == ETR_TIME_OPAQUE)
    return etr_arena_format(arena, "in %s (no operators recorded)",
                            strcmp(backend, ETR_UNKNOWN_BACKEND) == 0 ? "unknown delegates" : name);
  if (part == ETR_TIME_CALL_OVERHEAD)
    text = etr_arena_format(arena, "calling %zu delegate%s", call_count, etr_plural(call_count));
  if (!text || !name || !names_backend)
    return text;
  bool is_known = strcmp(backend, ETR_UNKNOWN_BACKEND) != 0;
  return etr_arena_format(arena, "%s (%s)", text, is_known ? name : "in delegates");
}

/* Returns true if another backend of the method has the same part, so that its text must name the
 * backend. */
static bool is_shared(const etr_method *method, const etr_part_time *part) {
  for (size_t i = 0; i < method->part_count; i++)
    if (method->parts[i].part == part->part && &method->parts[i] != part)
      return true;
  return false;
}

bool etr_balance_make(etr_balance *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *all_runs) {
  const etr_method *method = etr_times_of_method(profile, all_runs).method;
  etr_balance_part *list = etr_arena_alloc_array(arena, method->part_count, sizeof *list);
  ETR_CHECK(etr_method_adds_up(method));
  *out = (etr_balance){list, method->part_count};
  for (size_t i = 0; list && i < method->part_count; i++) {
    const etr_part_time *part = &method->parts[i];
    list[i].time = part;
    list[i].text = etr_balance_text(arena, part->part, part->backend, part->call_count,
                                    is_shared(method, part));
  }
  return !etr_arena_failed(arena);
}

etr_broad_part etr_broad_part_of(const etr_part_time *part) {
  if (part->part == ETR_TIME_OPERATORS)
    return ETR_BROAD_NODES;
  if (part->part == ETR_TIME_RUNTIME)
    return ETR_BROAD_FRAMEWORK;
  bool is_unexplained = part->part == ETR_TIME_UNEXPLAINED || !part->backend;
  return is_unexplained ? ETR_BROAD_UNEXPLAINED : ETR_BROAD_DELEGATES;
}

uint64_t etr_broad_part_ticks(const etr_method *method, etr_broad_part part) {
  uint64_t ticks = 0;
  for (size_t i = 0; i < method->part_count; i++)
    if (etr_broad_part_of(&method->parts[i]) == part)
      ticks += method->parts[i].ticks;
  return ticks;
}

const char *etr_broad_part_name(etr_broad_part part) {
  static const char *const names[ETR_BROAD_PARTS] = {"nodes", "delegate_only", "framework",
                                                     "unexplained"};
  return names[part];
}

/* ---- Notes ---- */

/* Returns a note on how sure estimated times are on average; NULL if there are none, or too few to
 * mark the typical run as estimated. */
static const char *certainty_note(etr_arena *arena, const etr_profile *profile,
                                  const etr_method *method) {
  if (method->estimated_confidence == 0 ||
      !etr_is_estimated(method->estimated_typical, method->execute.typical))
    return NULL;
  return etr_arena_format(arena, "the average confidence of estimated times is %.0f %%: %s",
                          100 * method->estimated_confidence,
                          profile->pte
                              ? "operators that the files do not distinguish were matched by order"
                              : "operators were matched by order; the .pte would make it exact");
}

/* Returns a note on a part of the time on nodes (ticks over all runs), with its share and what it
 * is; NULL if the part is 0. */
static const char *part_note(etr_arena *arena, const etr_method *method, uint64_t ticks,
                             const char *description) {
  if (ticks == 0)
    return NULL;
  return etr_arena_format(
      arena, "%.0f %% of the time of graph operators is %s",
      100 * (double)ticks / (double)etr_method_part_ticks(method, ETR_TIME_OPERATORS), description);
}

/* Returns which file would show modules and source lines; NULL if they are there, or if there is an
 * ETRecord of which a warning says why it was not joined. */
static const char *layers_note(const etr_profile *profile, const etr_graph *graph) {
  bool is_program = graph && etr_is_program(graph);
  if (profile->etrecord)
    return is_program ? "no modules and no source lines: the ETRecord has no graph of this method"
                      : NULL;
  if (!graph)
    return "no layers: an ETDump has no graph. Ask for its .pte (operators, shapes), the ETRecord "
           "(modules, source lines) of the same export, or export the model again; and for the "
           "device and its threads";
  if (is_program)
    return "no modules and no source lines: only an ETRecord has them "
           "(generate_etrecord=True at the export)";
  return NULL;
}

/* Returns true if some events name a compute unit that the backend planned, and not one that it
 * used. */
static bool has_plans(const etr_method *method) {
  for (size_t i = 0; i < method->time_slice_count; i++)
    if (method->time_slices[i].event->is_unit_planned)
      return true;
  return false;
}

/* Returns a note if the only run is the first one. A run that was chosen, or that follows excluded
 * ones, need not be. NULL if there are more. */
static const char *cold_run_note(const etr_profile *profile, const etr_method *method) {
  bool is_first = method->run_count == 1 && !method->skipped_run_count &&
                  profile->skip != ETR_SKIP_RANGE;
  return is_first ? "the only run is the first one, and all times are those of a cold run: record "
                    "20 runs"
                  : NULL;
}

/* Returns a note on what logging of values is part of; NULL if the runs logged none. */
static const char *logging_note(const etr_method *method) {
  return method->run_count && method->logs_values
             ? "the runs logged values, which takes an unknown part of calling delegates and of "
               "the runtime: for times, run without a debug buffer"
             : NULL;
}

size_t etr_balance_cautions(const char *out[ETR_BALANCE_MOST_CAUTIONS], const etr_profile *profile,
                            const etr_method *method) {
  const char *notes[ETR_BALANCE_MOST_CAUTIONS] = {cold_run_note(profile, method),
                                                  logging_note(method)};
  size_t count = 0;
  for (size_t i = 0; i < ETR_BALANCE_MOST_CAUTIONS; i++)
    if (notes[i])
      out[count++] = notes[i];
  return count;
}

size_t etr_balance_notes(const char *out[ETR_BALANCE_MOST_NOTES], etr_arena *arena,
                         const etr_profile *profile, const etr_method *method) {
  const etr_shared_times times = etr_times_of_method(profile, method);
  const etr_method *timed = times.method;
  const char *notes[] = {
      certainty_note(arena, profile, timed),
      part_note(arena, timed, timed->estimated_time_ticks - timed->shared_ticks,
                "the backend's own estimate, not measured"),
      part_note(arena, timed, timed->shared_ticks,
                "estimated: the backend records the cycles of each operator, and a time only for "
                "all of them together"),
      has_plans(timed) ? "compute units are those that the backend planned for; where operators "
                         "ran is not recorded"
                       : NULL,
      layers_note(profile, times.graph)};
  size_t count = etr_balance_cautions(out, profile, method);
  for (size_t i = 0; i < ETR_COUNT(notes); i++)
    if (notes[i])
      out[count++] = notes[i];
  return count;
}

const char *etr_balance_note(etr_arena *arena, const etr_profile *profile, const etr_method *method,
                             etr_unit unit) {
  etr_text text;
  etr_writer writer;
  if (method->clock_hidden_ticks == 0 || method->run_count == 0 || method->logs_values)
    return NULL;
  etr_text_begin(&text, arena, &writer);
  etr_puts(&writer, "up to ");
  etr_put_time(&writer, profile, (double)method->clock_hidden_ticks / (double)method->run_count,
               unit);
  etr_putf(&writer,
           " %s of calling delegates may be time of operators, because the delegates' clock counts "
           "whole microseconds",
           etr_unit_name(unit));
  return etr_text_end(&text, &writer);
}
