/* SPDX-License-Identifier: BSD-3-Clause
 *
 * loads.c - loads and first runs.
 */
#include "views/loads.h"

#include "base/method_parts.h"
#include "base/stats.h"
#include "output/text_table.h"
#include "views/headline.h"

#include <math.h>

bool etr_loads_make(etr_loads *out, etr_arena *arena, const etr_profile *profile) {
  etr_vec(etr_load) list = {0};
  for (size_t i = 0; i < profile->block_count; i++) {
    const etr_block *block = &profile->blocks[i];
    for (size_t k = 0; block->method == ETR_NONE && k < block->event_count; k++) {
      etr_load *added = etr_vec_push(arena, &list);
      if (!added)
        return false;
      *added = (etr_load){block->name, block->events[k].name, block->events[k].stats,
                          &block->events[k] == profile->load};
    }
  }
  *out = (etr_loads){
      .list = list.data, .count = list.count, .timed_methods = etr_loaded_method_count(profile)};
  for (size_t i = 0; i < list.count; i++)
    if (list.data[i].is_whole)
      out->whole = &list.data[i];
  return true;
}

/* Returns the run of a method's first inference, which may be an excluded one; ETR_NONE without
 * runs. */
static uint32_t first_inference(const etr_method *method) {
  uint32_t first = method->run_count ? method->runs[0] : ETR_NONE;
  return method->skipped_run_count ? ETR_MIN(first, method->skipped_runs[0]) : first;
}

/* A run besides the first, and its ETDump. */
typedef struct rest_run {
  uint32_t dump, run;
  uint64_t ticks;
} rest_run;

/* Compares runs for qsort(): by ETDump, then the shortest first. */
static int by_dump_and_time(const void *a, const void *b) {
  const rest_run *x = a, *y = b;
  if (x->dump != y->dump)
    return x->dump < y->dump ? -1 : 1;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? -1 : 1;
  return (x->run > y->run) - (x->run < y->run);
}

/* Returns the typical time of runs in ticks, as etr_typical_run defines it: the mean over ETDumps
 * of the mean of the middle third of their runs, so that neither slow runs nor a long ETDump
 * decide. 0 without runs. Sorts the runs. */
static double typical_time(rest_run *runs, size_t count) {
  double sum = 0;
  size_t dumps = 0;
  if (count == 0)
    return 0;
  etr_sort(runs, count, sizeof *runs, by_dump_and_time);
  for (size_t first = 0, end; first < count; first = end, dumps++) {
    for (end = first; end < count && runs[end].dump == runs[first].dump;)
      end++;
    size_t left_out = (end - first) / 3;
    double dump_sum = 0;
    for (size_t i = first + left_out; i < end - left_out; i++)
      dump_sum += (double)runs[i].ticks;
    sum += dump_sum / (double)(end - first - 2 * left_out);
  }
  return sum / (double)dumps;
}

/* Adds those runs of a list that are of the first run's phase, without the first run itself, since
 * runs of other phases do other work. Returns the new number of runs. */
static size_t add_runs_of_phase(rest_run *runs, size_t count, const etr_profile *profile,
                                uint32_t first, const uint32_t *list, size_t list_count) {
  for (size_t i = 0; i < list_count; i++) {
    const etr_run *run = &profile->runs[list[i]];
    if (list[i] != first && run->phase == profile->runs[first].phase)
      runs[count++] = (rest_run){run->dump, list[i], run->execute_ticks};
  }
  return count;
}

double etr_load_of(const etr_loads *loads, const etr_method *method) {
  bool is_known = loads->whole && loads->timed_methods == 1 && method->run_count;
  return is_known ? loads->whole->stats.typical : (double)NAN;
}

bool etr_first_run_of(etr_first_run *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method) {
  uint32_t first = first_inference(method);
  size_t all = method->run_count + method->skipped_run_count;
  uint64_t *samples = etr_arena_alloc_array(arena, all, sizeof *samples);
  rest_run *rest = etr_arena_alloc_array(arena, all, sizeof *rest);
  *out = (etr_first_run){.phase = "", .run = first};
  if (!samples || !rest)
    return false;
  if (first == ETR_NONE)
    return true;
  size_t count = add_runs_of_phase(rest, 0, profile, first, method->runs, method->run_count);
  count = add_runs_of_phase(rest, count, profile, first, method->skipped_runs,
                            method->skipped_run_count);
  if (method->run_phase_count)
    out->phase = method->run_phases[profile->runs[first].phase].name;
  out->ticks = (double)profile->runs[first].execute_ticks;
  for (size_t i = 0; i < count; i++)
    samples[i] = rest[i].ticks;
  out->rest = etr_stats_of(samples, count);
  out->rest.typical = typical_time(rest, count);
  return true;
}

double etr_first_run_factor(const etr_first_run *first) {
  return first->rest.count && first->rest.typical > 0 ? first->ticks / first->rest.typical
                                                      : (double)NAN;
}

char *etr_excluded_runs_text(etr_answer *answer, const etr_method *method) {
  const etr_profile *profile = answer->profile;
  size_t excluded = method->skipped_run_count;
  double ticks = (double)method->skipped_ticks;
  etr_unit unit = etr_unit_of_single_time(profile, answer->options, ticks);
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &answer->arena, &writer);
  if (excluded) {
    etr_putf(&writer, "%zu %srun%s excluded (", excluded,
             profile->skip == ETR_SKIP_RANGE ? "" : "warm-up ", etr_plural(excluded));
    etr_put_time(&writer, profile, ticks, unit);
    etr_putf(&writer, " %s%s)", etr_unit_name(unit), excluded == 1 ? "" : " in all");
  }
  return etr_text_end(&text, &writer);
}

char *etr_runs_text(etr_answer *answer, const etr_method *method) {
  const char *excluded = etr_excluded_runs_text(answer, method);
  if (!excluded)
    return NULL;
  return etr_arena_format(&answer->arena, "%zu run%s%s%s", method->run_count,
                          etr_plural(method->run_count), excluded[0] ? "; " : "", excluded);
}

void etr_put_left_out(etr_answer *answer, const etr_method *method) {
  const char *runs = method->skipped_run_count ? etr_runs_text(answer, method) : NULL;
  if (runs)
    etr_putf(&answer->writer, "  %s\n", runs);
}
