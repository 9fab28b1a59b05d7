/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_drift.c - runs that get slower or faster, one after the other: a cache that grows, a device that heats up.
 */
#include "views/finding_rules.h"

#include "base/trend.h"

#include <math.h>

static const double STILL_FASTER_Z = 2.58; /* of the second half, which has no warm-up in it: by chance one in 200 */

/* What drifts: the runs of a phase, or all of a method with one kind. */
typedef struct drifting {
  const char *name;
  const uint32_t *runs;
  size_t count;
  double median;
} drifting;

/* True if a run of another phase stands between two. */
static bool are_parted(const etr_profile *profile, const etr_run *first, const etr_run *second) {
  bool any = false;
  for (const etr_run *run = first + 1; run < second && !any; run++)
    any = profile->blocks[run->block].method == profile->blocks[first->block].method && run->phase != first->phase &&
          run->phase != ETR_NONE;
  return any;
}

/* Runs between which none of another kind stands are a segment, as the steps that follow a prompt; or, of the whole
 * series, all between two loads. */
static etr_trend_sample *samples_of(const etr_finder *finder, const drifting *d, bool whole_series,
                                    etr_arena *scratch) {
  const etr_run *runs = finder->profile->runs;
  etr_trend_sample *samples = etr_arena_alloc_array(scratch, d->count, sizeof *samples);
  uint32_t segment = 0;
  for (size_t i = 0; samples && i < d->count; i++) {
    const etr_run *run = &runs[d->runs[i]], *before = i ? &runs[d->runs[i - 1]] : run;
    segment += run->series != before->series || (!whole_series && are_parted(finder->profile, before, run));
    samples[i] = (etr_trend_sample){segment, (double)run->execute_ticks};
  }
  return samples;
}

static double change_of(const etr_trend *trend) { return trend->slope * (double)(trend->longest - 1); }

static bool is_drift(const etr_trend *trend, const drifting *d) {
  double change = fabs(change_of(trend));
  return fabs(trend->z) >= ETR_FINDING_DRIFT_Z && change >= ETR_FINDING_DRIFT_CHANGE * d->median &&
         change > trend->spread;
}

/* False when out of memory. What only gets faster at first is warm-up. */
static bool measure(etr_trend *out, bool *drifts, const etr_finder *finder, const drifting *d, bool whole_series) {
  etr_arena scratch = {0};
  etr_trend later;
  const etr_trend_sample *samples = samples_of(finder, d, whole_series, &scratch);
  bool good = samples && etr_trend_of(out, &scratch, samples, d->count, 0);
  *drifts = good && is_drift(out, d);
  if (*drifts && out->z < 0) {
    good = etr_trend_of(&later, &scratch, samples, d->count, 0.5);
    *drifts = good && later.z <= -STILL_FASTER_Z;
  }
  etr_arena_clear(&scratch);
  return good;
}

/* "0.8 %" of 0.008; with as many decimals as it takes to see something. */
static const char *percent_text(const etr_finder *finder, double part) {
  int decimals = 1;
  etr_text text;
  etr_writer writer;
  for (double least = 0.1; 100 * part < least && decimals < 6; least /= 10) decimals++;
  etr_text_begin(&text, finder->arena, &writer);
  etr_put_fixed(&writer, 100 * part, decimals);
  etr_puts(&writer, " %");
  const char *done = etr_text_end(&text, &writer);
  return done ? done : "";
}

/* "Method::execute: from 12.1000 ms to 14.9000 ms in a row, 0.0965 ms per run; z 5.2, and chance seldom has 3" */
static const char *evidence_of(const etr_finder *finder, const etr_trend *trend, bool in_a_row) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_putf(&writer, "Method::execute: from %s to %s%s, ", etr_finder_time_of(finder, trend->level),
           etr_finder_time_of(finder, trend->level + change_of(trend)), in_a_row ? " in a row" : "");
  etr_putf(&writer, "%s per run by Theil and Sen; by Mann and Kendall z = ", etr_finder_time_of(finder, trend->slope));
  etr_put_fixed(&writer, trend->z, 1);
  etr_puts(&writer, ", beyond 3.3 by chance once in 1000");
  return etr_text_end(&text, &writer);
}

/* "decode runs get slower: 0.8 % of their median per run, over 30 runs" */
static bool add_drift(etr_finder *finder, const etr_trend *trend, const drifting *d, bool whole_series) {
  etr_finding *added = etr_vec_push(finder->arena, &finder->found);
  if (!added) return false;
  *added = (etr_finding){.kind = ETR_FINDING_DRIFT, .cost = fabs(change_of(trend)) / 2, .slope = trend->slope};
  added->share = ETR_MIN(added->cost / d->median, 1);
  added->title = etr_arena_format(finder->arena, "%s%sruns get %s: %s of their median per run, over %zu runs", d->name,
                                  d->name[0] ? " " : "", trend->slope > 0 ? "slower" : "faster",
                                  percent_text(finder, fabs(trend->slope) / d->median), trend->longest);
  added->evidence = evidence_of(finder, trend, d->name[0] && !whole_series);
  return true;
}

static bool find_drift(etr_finder *finder, drifting d) {
  etr_trend trend;
  bool drifts = false;
  if (d.count < ETR_FINDING_DRIFT_RUNS || d.median <= 0) return true;
  for (int whole_series = 0; whole_series < 2 && !drifts; whole_series++) {
    if (!measure(&trend, &drifts, finder, &d, whole_series)) return false;
    if (drifts && !add_drift(finder, &trend, &d, whole_series)) return false;
  }
  return true;
}

bool etr_find_drifts(etr_finder *finder) {
  const etr_method *method = finder->method;
  if (method->run_phase_count == 0)
    return find_drift(finder, (drifting){"", method->runs, method->run_count, method->execute.p50});
  for (size_t i = 0; i < method->run_phase_count; i++) {
    const etr_run_phase *phase = &method->run_phases[i];
    if (!find_drift(finder, (drifting){phase->name, phase->runs, phase->run_count, phase->execute.p50})) return false;
  }
  return true;
}
