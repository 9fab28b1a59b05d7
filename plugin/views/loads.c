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

/* Returns the typical time of runs of one ETDump, sorted, as etr_typical_run defines it: the mean
 * of their middle third. */
static double typical_time(const uint64_t *sorted, size_t count) {
  size_t left_out = count / 3;
  double sum = 0;
  for (size_t i = left_out; i < count - left_out; i++)
    sum += (double)sorted[i];
  return sum / (double)(count - 2 * left_out);
}

/* Lists all runs of a method, excluded ones, too, in their order, so that those of an ETDump follow
 * each other. */
static void list_runs(const etr_run **runs, const etr_profile *profile, const etr_method *method) {
  size_t counted = 0, skipped = 0;
  while (counted < method->run_count || skipped < method->skipped_run_count) {
    bool takes_counted = skipped == method->skipped_run_count ||
                         (counted < method->run_count &&
                          method->runs[counted] < method->skipped_runs[skipped]);
    uint32_t run = takes_counted ? method->runs[counted++] : method->skipped_runs[skipped++];
    *runs++ = &profile->runs[run];
  }
}

double etr_load_of(const etr_loads *loads, const etr_method *method) {
  bool is_known = loads->whole && loads->timed_methods == 1 && method->run_count;
  return is_known ? loads->whole->stats.typical : (double)NAN;
}

bool etr_first_run_of(etr_first_run *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method) {
  size_t all = method->run_count + method->skipped_run_count, dumps = profile->etdump_count;
  const etr_run **runs = etr_arena_alloc_array(arena, all, sizeof *runs);
  const etr_run **of_dump = etr_arena_alloc_array(arena, dumps, sizeof *of_dump);
  uint64_t *firsts = etr_arena_alloc_array(arena, dumps, sizeof *firsts);
  uint64_t *rest = etr_arena_alloc_array(arena, all, sizeof *rest);
  double *factors = etr_arena_alloc_array(arena, dumps, sizeof *factors);
  double *excesses = etr_arena_alloc_array(arena, dumps, sizeof *excesses);
  size_t first_count = 0, rest_count = 0, compared = 0;
  double sum = 0;
  if (etr_arena_failed(arena))
    return false;
  list_runs(runs, profile, method);
  for (size_t i = 0; i < all;) {
    const etr_run *first = runs[i++];
    uint64_t *others = &rest[rest_count];
    size_t count = 0;
    for (; i < all && runs[i]->dump == first->dump; i++)
      if (runs[i]->phase == first->phase)
        others[count++] = runs[i]->execute_ticks;
    if (first->phase != runs[0]->phase) /* runs of other phases do other work */
      continue;
    of_dump[first->dump] = first;
    firsts[first_count++] = first->execute_ticks;
    rest_count += count;
    if (!count)
      continue;
    (void)etr_stats_of(others, count); /* sorts them */
    double typical = typical_time(others, count), ticks = (double)first->execute_ticks;
    sum += typical;
    factors[compared] = typical > 0 ? ticks / typical : 0;
    excesses[compared++] = ticks - typical;
  }
  etr_sort(factors, compared, sizeof *factors, etr_by_double);
  etr_sort(excesses, compared, sizeof *excesses, etr_by_double);
  *out = (etr_first_run){
      .phase = all && method->run_phase_count ? method->run_phases[runs[0]->phase].name : "",
      .of_dump = of_dump,
      .firsts = etr_stats_of(firsts, first_count),
      .rest = etr_stats_of(rest, rest_count),
      .factor = sum > 0 ? etr_median_of_sorted(factors, compared) : (double)NAN,
      .excess = etr_median_of_sorted(excesses, compared)};
  out->firsts.typical = out->firsts.avg; /* the mean over ETDumps, as of all typical times */
  out->rest.typical = compared ? sum / (double)compared : 0;
  return true;
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
             profile->skip == ETR_SKIP_AUTO ? "warm-up " : "", etr_plural(excluded));
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
