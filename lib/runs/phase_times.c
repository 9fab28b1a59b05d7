/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phase_times.c - measures the runs of each phase, and all runs relative to the median of their
 * phase.
 */
#include "base/stats.h"
#include "runs/noise_verdict.h"
#include "runs/runs.h"
#include "runs/slow_runs.h"
#include "runs/typical.h"

/* ---- Measuring ---- */

/* A method while its phases are measured. */
typedef struct measuring {
  const etr_method *method;
  const etr_blocks *blocks;
  etr_arena *scratch;
  uint64_t *ticks;                /* working memory for the method's runs */
  uint32_t *recordings, *indices; /* of the runs of a phase: its ETDump, and index in the method */
  etr_noise_sample *samples;
  double *ratios; /* of the runs of all phases: time by the median of the phase */
  size_t ratio_count;
} measuring;

/* Allocates what measuring the phases needs. Returns false when out of memory. */
static bool begin_measuring(measuring *out, const etr_method *method, const etr_blocks *blocks,
                            etr_arena *scratch) {
  *out = (measuring){
      .method = method,
      .blocks = blocks,
      .scratch = scratch,
      .ticks = etr_arena_alloc_array(scratch, method->run_count, sizeof *out->ticks),
      .recordings = etr_arena_alloc_array(scratch, method->run_count, sizeof *out->recordings),
      .indices = etr_arena_alloc_array(scratch, method->run_count, sizeof *out->indices),
      .samples = etr_arena_alloc_array(scratch, method->run_count, sizeof *out->samples),
      .ratios = etr_arena_alloc_array(scratch, method->run_count, sizeof *out->ratios)};
  return !etr_arena_failed(scratch);
}

/* Returns true if a run of another phase or method is between two runs of a method, which are
 * indices into the profile's runs. Loads do not count. */
static bool are_interrupted(const etr_blocks *blocks, uint32_t first, uint32_t second) {
  const etr_run *runs = blocks->runs;
  uint32_t method = blocks->blocks[runs[first].block].method;
  for (uint32_t i = first + 1; i < second; i++) {
    const etr_block *block = &blocks->blocks[runs[i].block];
    if (block->method == ETR_NONE)
      continue;
    if (block->method != method || runs[i].phase != runs[first].phase)
      return true;
  }
  return false;
}

/* Lists the runs of a phase, or all runs if it is ETR_NONE, in `runs` and in the working memory,
 * and returns their number. A new stretch starts where a run of another phase or method came
 * between two runs. */
static size_t list_runs_of_phase(measuring *m, uint32_t phase, uint32_t *runs) {
  size_t count = 0;
  for (uint32_t i = 0; i < m->method->run_count; i++) {
    uint32_t run = m->method->runs[i];
    if (phase != ETR_NONE && m->blocks->runs[run].phase != phase)
      continue;
    m->samples[count] = (etr_noise_sample){
        .ticks = m->method->execute_per_run[i], .run = run, .series = m->blocks->runs[run].series};
    m->ticks[count] = m->method->execute_per_run[i];
    m->recordings[count] = m->blocks->runs[run].dump;
    m->indices[count] = i;
    runs[count++] = run;
  }
  for (size_t i = 1; i < count; i++)
    m->samples[i].stretch = m->samples[i - 1].stretch +
                            are_interrupted(m->blocks, runs[i - 1], runs[i]);
  return count;
}

/* Measures the runs of a phase, or all runs if it is ETR_NONE: statistics in ticks, typical time
 * without odd recordings (false) and noise. Adds the time of each run, relative to the median, to
 * m->ratios. Lists the runs in `runs`. Returns false when out of memory. */
static bool measure_phase(measuring *m, uint32_t phase, etr_run_phase *out, uint32_t *runs,
                          etr_arena *arena) {
  size_t count = list_runs_of_phase(m, phase, runs);
  out->run_count = count;
  out->runs = runs;
  etr_typical_choice choice;
  const etr_typical_runs typical = {m->ticks, m->recordings, m->indices, count,
                                    m->method->run_count};
  if (!etr_typical_choose(&choice, &typical, ETR_TYPICAL_NOT_ODD, arena))
    return false;
  out->execute = etr_stats_of(m->ticks, out->run_count); /* this sorts the ticks */
  out->execute.typical = choice.ticks;
  out->typical = choice.typical;
  for (size_t i = 0; i < out->run_count; i++)
    m->ratios[m->ratio_count++] = out->execute.p50 > 0
                                      ? (double)m->samples[i].ticks / out->execute.p50
                                      : 0;
  return etr_noise_of(&out->noise, m->scratch, m->samples, m->ticks, out->run_count);
}

/* ---- Whether the first run is a prompt ---- */

/* A later run that takes this many times the median may be another prompt. */
static const double LONG_FACTOR = 1.5;
/* The least correlation of two runs' stretches that shows other work: see run_phases.c. */
static const double LEAST_ALIKE = .5;
enum { MOST_COMPARED = 16 }; /* more long runs add no information */

/* Sets *alike to whether the method's run `later` takes longer than usual on the same operators as
 * its first run, in proportion, which is so if both read longer inputs. All other runs show what is
 * usual. Returns false when out of memory. */
static bool compare_with_first_run(const measuring *m, uint32_t later, bool *alike) {
  const etr_method *method = m->method;
  size_t others = 0;
  const uint32_t pair[] = {method->runs[0], method->runs[later]};
  for (uint32_t i = 1; i < method->run_count; i++)
    if (i != later)
      m->indices[others++] = method->runs[i];
  etr_operator_stretch stretch;
  if (!etr_operator_stretch_of(&stretch, m->blocks, pair, ETR_COUNT(pair), m->indices, others))
    return false;
  *alike = stretch.alike >= LEAST_ALIKE;
  return true;
}

/* Sets starts_with_prompt of a method with dynamic inputs if its first run read a longer input, so
 * that it is no warm-up: if it is in the phase of long runs, or without phases, if a later long run
 * takes longer on the same operators. Returns false when out of memory. */
static bool find_whether_prompt_is_first(etr_method *method, measuring *m,
                                         const etr_known_phases *phases) {
  if (!method->has_dynamic_inputs || method->run_count < 3)
    return true;
  if (phases->count) {
    const char *name = phases->names[m->blocks->runs[method->runs[0]].phase];
    method->starts_with_prompt = strcmp(name, "prefill") == 0 || strcmp(name, "long runs") == 0;
    return true;
  }
  double least = LONG_FACTOR * method->execute.p50;
  if ((double)method->execute_per_run[0] < least)
    return true;
  size_t compared = 0;
  for (uint32_t i = 1; i < method->run_count && compared < MOST_COMPARED; i++) {
    if ((double)method->execute_per_run[i] < least)
      continue;
    compared++;
    if (!compare_with_first_run(m, i, &method->starts_with_prompt))
      return false;
    if (method->starts_with_prompt)
      return true;
  }
  return true;
}

/* ---- All ---- */

/* Returns the noise of a method: that of its only phase with runs, or of several phases the spread
 * of times relative to the median of their phase. Then trends are not judged, because runs of
 * different phases have no common level. */
static etr_noise noise_of_method(const etr_method *method, measuring *m,
                                 const etr_run_phase *phases, size_t count) {
  size_t only = 0;
  if (method->mixed_phase_count > 1)
    return etr_noise_of_parts(m->ratios, m->ratio_count);
  while (only + 1 < count && phases[only].run_count == 0)
    only++;
  return phases[only].noise;
}

/* Without known phases, all runs are measured as one phase, which is not listed in the method. */
bool etr_phases_measure(etr_method *method, const etr_known_phases *known_phases,
                        const etr_blocks *blocks, etr_arena *arena) {
  etr_arena scratch = {0};
  measuring m;
  size_t count = known_phases->count ? known_phases->count : 1;
  etr_run_phase *phases = etr_arena_alloc_array(arena, count, sizeof *phases);
  bool good = phases && begin_measuring(&m, method, blocks, &scratch);
  for (uint32_t i = 0; good && i < count; i++) {
    uint32_t *runs = etr_arena_alloc_array(arena, method->run_count, sizeof *runs);
    phases[i] = (etr_run_phase){.name = known_phases->count ? known_phases->names[i] : "",
                                .told_by = known_phases->rule};
    good = runs && measure_phase(&m, known_phases->count ? i : ETR_NONE, &phases[i], runs, arena);
  }
  for (size_t i = 0; good && i < known_phases->count; i++)
    method->mixed_phase_count += phases[i].run_count > 0;
  if (good)
    method->noise = noise_of_method(method, &m, phases, count);
  if (good && known_phases->count == 0)
    good = etr_slow_runs_find(&method->slow_runs, method, blocks, arena);
  good = good && find_whether_prompt_is_first(method, &m, known_phases);
  method->run_phases = phases;
  method->run_phase_count = known_phases->count;
  etr_arena_clear(&scratch);
  return good;
}
