/* SPDX-License-Identifier: BSD-3-Clause
 *
 * phase_times.c - each phase's runs by themselves, all of them in parts of their phase's median.
 */
#include "join/phase_times.h"

#include "base/noise_verdict.h"
#include "base/stats.h"

#include <stdio.h>

/* ---- Measuring ---- */

typedef struct measuring {
  const etr_method *method;
  const etr_blocks *blocks;
  uint64_t *ticks; /* room for the method's runs */
  double *ratios, *own;
  size_t ratio_count;
} measuring;

static bool begin(measuring *m, const etr_method *method, const etr_blocks *blocks, etr_arena *scratch) {
  *m = (measuring){.method = method,
                   .blocks = blocks,
                   .ticks = etr_arena_alloc_array(scratch, method->run_count, sizeof *m->ticks),
                   .ratios = etr_arena_alloc_array(scratch, method->run_count, sizeof *m->ratios),
                   .own = etr_arena_alloc_array(scratch, method->run_count, sizeof *m->own)};
  return m->ticks && m->ratios && m->own;
}

/* A phase's runs; all where that is ETR_NONE. */
static void measure(measuring *m, uint32_t phase, etr_run_phase *out, uint32_t *runs) {
  for (size_t i = 0; i < m->method->run_count; i++) {
    uint32_t run = m->method->runs[i];
    if (phase != ETR_NONE && m->blocks->runs[run].phase != phase) continue;
    m->ticks[out->run_count] = m->method->execute_per_run[i];
    runs[out->run_count++] = run;
  }
  out->runs = runs;
  out->execute = etr_stats_of(m->ticks, out->run_count);
  for (size_t i = 0; i < out->run_count; i++)
    m->own[i] = out->execute.p50 > 0 ? (double)m->ticks[i] / out->execute.p50 : 0;
  if (out->run_count) memcpy(m->ratios + m->ratio_count, m->own, out->run_count * sizeof *m->own);
  m->ratio_count += out->run_count;
  out->noise = etr_noise_of(m->own, out->run_count);
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

bool etr_phases_measure(etr_method *method, const etr_phases_told *told, const etr_blocks *blocks, etr_arena *arena,
                        etr_warnings *warnings) {
  etr_arena scratch = {0};
  measuring m;
  size_t count = told->count ? told->count : 1;
  etr_run_phase *phases = etr_arena_alloc_array(arena, count, sizeof *phases);
  bool good = phases && begin(&m, method, blocks, &scratch);
  for (uint32_t i = 0; good && i < count; i++) {
    uint32_t *runs = etr_arena_alloc_array(arena, method->run_count, sizeof *runs);
    phases[i] = (etr_run_phase){.name = told->count ? told->names[i] : "", .told_by = told->rule};
    good = runs != NULL;
    if (good) measure(&m, told->count ? i : ETR_NONE, &phases[i], runs);
  }
  for (size_t i = 0; good && i < told->count; i++) method->mixed_phase_count += phases[i].run_count > 0;
  if (good) method->noise = etr_noise_of(m.ratios, m.ratio_count);
  method->run_phases = phases;
  method->run_phase_count = told->count;
  etr_arena_clear(&scratch);
  if (good && method->mixed_phase_count > 1) warn_of_mixture(method, warnings);
  return good;
}
