/* SPDX-License-Identifier: BSD-3-Clause
 *
 * interruptions.c - what is said of times that contain interruptions.
 */
#include "views/interruptions.h"

#include "base/method_parts.h"
#include "output/label.h"
#include "output/text_table.h"
#include "views/headline.h"

const char *etr_interruptions_note(etr_arena *arena, const etr_profile *profile,
                                   const etr_method *method, etr_medians medians) {
  etr_text text;
  etr_writer writer;
  if (profile->statistic == ETR_STATISTIC_AVG || !method->interruptions)
    return NULL;
  bool are_medians_without = medians == ETR_MEDIANS_OF_NODES && !method->are_medians_interrupted;
  if (medians == ETR_MEDIANS_OF_SUMS)
    are_medians_without = etr_interruptions_count_runs(arena, method) * 2 < method->run_count;
  if (are_medians_without && profile->statistic == ETR_STATISTIC_P50)
    return NULL;
  etr_text_begin(&text, arena, &writer);
  etr_putf(&writer,
           "these times contain interruptions, %.0f %% of the typical run: measure again%s",
           100 * method->interrupted, are_medians_without ? ", or choose --stat p50" : "");
  return etr_text_end(&text, &writer);
}

size_t etr_interruptions_count_runs(etr_arena *arena, const etr_method *method) {
  bool *is_interrupted = etr_arena_alloc_array(arena, method->run_count, sizeof *is_interrupted);
  size_t count = 0;
  for (size_t i = 0; is_interrupted && method->interruptions && i < etr_slice_count(method); i++) {
    bool *run = &is_interrupted[method->time_slices[i].run];
    bool is_new = method->interruptions[i] > 0 && !*run;
    *run |= is_new;
    count += is_new;
  }
  return count;
}

const char *etr_interrupted_text(etr_arena *arena, const etr_profile *profile,
                                 const etr_method *method) {
  etr_unit unit = etr_unit_of_method(profile, method);
  etr_text text;
  etr_writer writer;
  if (!(method->interrupted > 0))
    return NULL;
  etr_text_begin(&text, arena, &writer);
  etr_putf(&writer, "%.0f %% is interruptions: ", 100 * method->interrupted);
  etr_put_uninterrupted(&writer, profile, method, unit, ETR_TIME_DIGITS);
  etr_putf(&writer, " %s per inference without", etr_unit_name(unit));
  return etr_text_end(&text, &writer);
}
