/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure.c - statistics of a profile are taken over; those of a runner's own figures are made here.
 */
#include "bench/measure.h"

#include "etrecord_tb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bench_measure *add_measure(bench_measures *measures, size_t count) {
  bench_measure *more = realloc(measures->list, (measures->count + 1) * sizeof *more);
  if (more == NULL) return NULL;
  measures->list = more;
  more += measures->count;
  *more = (bench_measure){.values = calloc(count, sizeof *more->values)};
  if (more->values == NULL) return NULL;
  measures->count++;
  return more;
}

static double ms(const etr_profile *profile, double ticks) { return etr_ticks_to_unit(profile, ticks, ETR_UNIT_MS); }

const char *bench_kind_name(measure_kind kind) {
  static const char *const names[] = {"method", "runner", "wall"};
  return names[kind];
}

const char *bench_method_name(const char *method) { return method[0] != '\0' ? method : "unknown method"; }

bool bench_measures_add_methods(bench_measures *measures, const etr_profile *profile) {
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (method->run_count == 0) continue;
    bench_measure *added = add_measure(measures, method->run_count);
    if (added == NULL) return false;
    added->name = bench_method_name(method->name);
    added->unit = "ms";
    added->count = method->run_count;
    for (size_t k = 0; k < added->count; k++) added->values[k] = ms(profile, (double)method->execute_per_run[k]);
    added->p50 = ms(profile, method->execute.p50);
    added->avg = ms(profile, method->execute.avg);
    added->min = ms(profile, method->execute.min);
    added->max = ms(profile, method->execute.max);
  }
  return true;
}

static int by_size(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static bool set_statistics(bench_measure *measure) {
  size_t count = measure->count;
  double *sorted = calloc(count, sizeof *sorted), sum = 0;
  if (sorted == NULL) return false;
  memcpy(sorted, measure->values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_size);
  for (size_t i = 0; i < count; i++) sum += sorted[i];
  measure->min = sorted[0];
  measure->max = sorted[count - 1];
  measure->avg = sum / (double)count;
  measure->p50 = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  free(sorted);
  return true;
}

bool bench_measures_add(bench_measures *measures, measure_kind kind, const char *name, const char *unit,
                        const double *values, size_t count) {
  size_t known = 0;
  for (size_t i = 0; i < count; i++) known += (size_t)(isfinite(values[i]) != 0);
  if (known == 0) return true;
  bench_measure *added = add_measure(measures, known);
  if (added == NULL) return false;
  added->kind = kind;
  added->name = name;
  added->unit = unit;
  for (size_t i = 0; i < count; i++)
    if (isfinite(values[i])) added->values[added->count++] = values[i];
  return set_statistics(added);
}

void bench_measures_clear(bench_measures *measures) {
  for (size_t i = 0; i < measures->count; i++) free(measures->list[i].values);
  free(measures->list);
  *measures = (bench_measures){0};
}
