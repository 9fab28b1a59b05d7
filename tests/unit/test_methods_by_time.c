/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of two equal methods ran, by the times of kernels: rates over simulated recordings, and the
 * cases in which nothing may be said.
 */
#include "random.h"
#include "runs/fit.h"

#include <criterion/criterion.h>
#include <math.h>

enum { RUNS = 40, SCALING = 20, CONSTANT = 12, KERNELS = SCALING + CONSTANT, RECORDINGS = 300 };

/* What disturbs a recording. */
typedef enum disturbance {
  QUIET,
  BURSTS,     /* a fifth of the runs takes twice to five times as long, all kernels alike */
  CONTENTION, /* a neighbor lengthens every other kernel of a fifth of the runs, each differently
               */
} disturbance;

typedef struct cell {
  const char *title;
  double cost_ratio;
  bool alone; /* only the cheaper method ran */
  disturbance disturbance;
} cell;

typedef struct recording {
  double us[RUNS * KERNELS], ratios[KERNELS];
  bool behind_load[RUNS], is_dearer[RUNS];
} recording;

/* Two prompts, each followed by nineteen steps. Behind each load a run is cold. */
static void make_recording(recording *r, const cell *c, uint64_t *seed) {
  double exponents[KERNELS], usual[KERNELS];
  for (size_t k = 0; k < KERNELS; k++) {
    bool scales = k < SCALING;
    r->ratios[k] = scales ? c->cost_ratio : 1;
    exponents[k] = scales ? .5 + .5 * random_real(seed) : 0;
    usual[k] = scales ? .3 + 2 * random_real(seed) : 1 + 3 * random_real(seed);
  }
  for (size_t i = 0; i < RUNS; i++) {
    r->behind_load[i] = i == 0 || i == 1;
    r->is_dearer[i] = !c->alone && (i == 0 || i == RUNS / 2);
    bool is_slow = c->disturbance != QUIET && random_real(seed) < .2;
    double factor = 2 + 3 * random_real(seed), cold = r->behind_load[i] ? 2 : 1;
    for (size_t k = 0; k < KERNELS; k++) {
      double us = usual[k] * (r->is_dearer[i] ? pow(c->cost_ratio, exponents[k]) : 1);
      bool is_hit = is_slow && (c->disturbance == BURSTS || k % 2);
      double own = c->disturbance == CONTENTION ? 1 + (factor - 1) * random_real(seed) : factor;
      r->us[i * KERNELS + k] = us * (is_hit ? own : 1) * cold * exp(.05 * random_normal(seed));
    }
  }
}

Test(methods_by_time, few_runs_are_on_a_wrong_method) {
  static const cell cells[] = {
      {"128 times the cost, quiet", 128, false, QUIET},
      {"128 times the cost, bursts", 128, false, BURSTS},
      {"128 times the cost, contention", 128, false, CONTENTION},
      {"8 times the cost, quiet", 8, false, QUIET},
      {"8 times the cost, bursts", 8, false, BURSTS},
      {"8 times the cost, contention", 8, false, CONTENTION},
      {"one method alone, quiet", 128, true, QUIET},
      {"one method alone, bursts", 128, true, BURSTS},
      {"one method alone, contention", 8, true, CONTENTION},
  };
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    uint64_t seed = 20261123;
    size_t wrong = 0, known = 0, called = 0;
    for (int n = 0; n < RECORDINGS; n++) {
      static recording r;
      etr_time_label labels[RUNS];
      etr_time_rule rule;
      make_recording(&r, &cells[i], &seed);
      const etr_kernel_times times = {RUNS,     KERNELS,       r.us,
                                      r.ratios, r.behind_load, cells[i].cost_ratio};
      cr_assert(etr_label_runs_by_times(labels, &rule, &times));
      called += rule != ETR_TIME_RULE_NONE;
      for (size_t k = 0; k < RUNS; k++) {
        known += labels[k] != ETR_TIME_LABEL_UNKNOWN;
        wrong += labels[k] == (r.is_dearer[k] ? ETR_TIME_LABEL_CHEAPER : ETR_TIME_LABEL_DEARER);
      }
    }
    const double runs = (double)RECORDINGS * RUNS;
    cr_expect_leq((double)wrong / runs, .03, "%s: %zu runs wrong", cells[i].title, wrong);
    if (cells[i].alone)
      cr_expect_leq((double)called / RECORDINGS, .03, "%s: called two in %zu of %d", cells[i].title,
                    called, RECORDINGS);
    else if (cells[i].cost_ratio > 100)
      cr_expect_geq((double)known / runs, .9, "%s: %zu of %g runs known", cells[i].title, known,
                    runs);
  }
}

/* Nothing is said where the rule lacks what it needs. */
Test(methods_by_time, too_little_to_tell) {
  static recording r;
  uint64_t seed = 7;
  const cell clear = {"", 128, false, QUIET};
  etr_time_label labels[RUNS];
  etr_time_rule rule;
  make_recording(&r, &clear, &seed);
  etr_kernel_times times = {RUNS, KERNELS, r.us, r.ratios, r.behind_load, 128};
  cr_assert(etr_label_runs_by_times(labels, &rule, &times));
  cr_expect_eq(rule, ETR_TIME_RULE_LOADS);
  cr_expect_eq(labels[0], ETR_TIME_LABEL_DEARER);
  cr_expect_eq(labels[RUNS / 2], ETR_TIME_LABEL_DEARER);
  cr_expect_eq(labels[1], ETR_TIME_LABEL_CHEAPER);
  times.cost_ratio = 5.9; /* the costs are too near to each other */
  cr_assert(etr_label_runs_by_times(labels, &rule, &times));
  cr_expect_eq(rule, ETR_TIME_RULE_NONE);
  cr_expect_eq(labels[0], ETR_TIME_LABEL_UNKNOWN);
  times.cost_ratio = 128;
  for (size_t k = SCALING; k + 2 < KERNELS; k++) /* only two kernels do not scale */
    r.ratios[k] = 128;
  cr_assert(etr_label_runs_by_times(labels, &rule, &times));
  cr_expect_eq(rule, ETR_TIME_RULE_NONE);
  times.run_count = 0;
  cr_assert(etr_label_runs_by_times(labels, &rule, &times));
  cr_expect_eq(rule, ETR_TIME_RULE_NONE);
}
