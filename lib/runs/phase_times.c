/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phase_times.c - each phase's runs by themselves, all of them in parts of their phase's median.
 */
#include "base/noise_verdict.h"
#include "base/stats.h"
#include "runs/runs.h"
#include "runs/slow_runs.h"

#include <stdio.h>

/* ---- Measuring ---- */

typedef struct measuring {
  const etr_method *method;
  const etr_blocks *blocks;
  etr_arena *scratch;
  uint64_t *ticks; /* room for the method's runs */
  etr_noise_sample *samples;
  double *ratios;
  size_t ratio_count;
} measuring;

static bool begin(measuring *m, const etr_method *method, const etr_blocks *blocks, etr_arena *scratch) {
  *m = (measuring){.method = method,
                   .blocks = blocks,
                   .scratch = scratch,
                   .ticks = etr_arena_alloc_array(scratch, method->run_count, sizeof *m->ticks),
                   .samples = etr_arena_alloc_array(scratch, method->run_count, sizeof *m->samples),
                   .ratios = etr_arena_alloc_array(scratch, method->run_count, sizeof *m->ratios)};
  return !etr_arena_failed(scratch);
}

/* True if a run of another phase, or of another method, is between two runs of a method. */
static bool are_parted(const etr_blocks *blocks, uint32_t first, uint32_t second) {
  const etr_run *runs = blocks->runs;
  uint32_t method = blocks->blocks[runs[first].block].method;
  for (uint32_t i = first + 1; i < second; i++) {
    const etr_block *block = &blocks->blocks[runs[i].block];
    if (block->method == ETR_NONE) continue;
    if (block->method != method || runs[i].phase != runs[first].phase) return true;
  }
  return false;
}

static bool measure(measuring *m, uint32_t phase, etr_run_phase *out, uint32_t *runs) {
  /* A phase's runs; all where that is ETR_NONE. */
  size_t count = 0;
  for (size_t i = 0; i < m->method->run_count; i++) {
    uint32_t run = m->method->runs[i];
    if (phase != ETR_NONE && m->blocks->runs[run].phase != phase) continue;
    m->samples[count] = (etr_noise_sample){
        .ticks = m->method->execute_per_run[i], .run = run, .series = m->blocks->runs[run].series};
    m->ticks[count] = m->method->execute_per_run[i];
    runs[count++] = run;
  }
  for (size_t i = 1; i < count; i++)
    m->samples[i].stretch = m->samples[i - 1].stretch + are_parted(m->blocks, runs[i - 1], runs[i]);
  out->run_count = count;
  out->runs = runs;
  out->execute = etr_stats_of(m->ticks, out->run_count); /* sorts them */
  for (size_t i = 0; i < out->run_count; i++)
    m->ratios[m->ratio_count++] = out->execute.p50 > 0 ? (double)m->samples[i].ticks / out->execute.p50 : 0;
  return etr_noise_of(&out->noise, m->scratch, m->samples, m->ticks, out->run_count);
}

/* ---- Warning ---- */

static void warn_of_mixture(const etr_method *method, etr_warnings *warnings) {
  char list[128] = "";
  for (size_t i = 0, used = 0; i < method->run_phase_count; i++) {
    const etr_run_phase *phase = &method->run_phases[i];
    if (phase->run_count)
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%zu %s", used ? ", " : "", phase->run_count,
                               phase->name);
  }
  etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET, "averages of method %s mix runs of different kinds: %s%s",
           method->name[0] ? method->name : "(unknown)", list,
           method->run_phases->told_by == ETR_PHASE_BY_TIMES ? " (estimated)" : "");
}

/* ---- All ---- */

/* Runs of several phases have no order of their own; those of one have. */
static etr_noise noise_of(const etr_method *method, measuring *m, const etr_run_phase *phases, size_t count) {
  size_t only = 0;
  if (method->mixed_phase_count > 1) return etr_noise_of_parts(m->ratios, m->ratio_count);
  while (only + 1 < count && phases[only].run_count == 0) only++;
  return phases[only].noise;
}

bool etr_phases_measure(etr_method *method, const etr_known_phases *told, const etr_blocks *blocks, etr_arena *arena,
                        etr_warnings *warnings) {
  etr_arena scratch = {0};
  measuring m;
  size_t count = told->count ? told->count : 1;
  etr_run_phase *phases = etr_arena_alloc_array(arena, count, sizeof *phases);
  bool good = phases && begin(&m, method, blocks, &scratch);
  for (uint32_t i = 0; good && i < count; i++) {
    uint32_t *runs = etr_arena_alloc_array(arena, method->run_count, sizeof *runs);
    phases[i] = (etr_run_phase){.name = told->count ? told->names[i] : "", .told_by = told->rule};
    good = runs && measure(&m, told->count ? i : ETR_NONE, &phases[i], runs);
  }
  for (size_t i = 0; good && i < told->count; i++) method->mixed_phase_count += phases[i].run_count > 0;
  if (good) method->noise = noise_of(method, &m, phases, count);
  if (good && told->count == 0) good = etr_slow_runs_find(&method->slow_runs, method, blocks, arena);
  method->run_phases = phases;
  method->run_phase_count = told->count;
  etr_arena_clear(&scratch);
  if (good && method->mixed_phase_count > 1) warn_of_mixture(method, warnings);
  return good;
}
