/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_runs.c - runs that differ from each other: a drift, a step, two modes, slow ones among
 * others.
 */
#include "base/stats.h"
#include "views/finder.h"
#include "views/finding_rules.h"
#include "views/steadiness.h"

#include <math.h>

/* Runs that are judged together: those of a phase, or all of a method without phases. */
typedef struct alike_runs {
  const char *name; /* of the phase; "" of a whole method */
  const uint32_t *runs;
  size_t count;
  const etr_stats *execute;
  const etr_noise *noise;
} alike_runs;

/* Adds a finding about the device or the measurement. All times are in ticks per inference: what it
 * costs, the typical time, and what that would be if all runs were like the fast ones. Returns NULL
 * when out of memory, or if there is no typical run. */
static etr_finding *add_measurement_finding(etr_finder *finder, etr_finding_kind kind, double cost,
                                            double typical, double typical_of_fast) {
  etr_finding *added = typical > 0 ? etr_vec_push(finder->arena, &finder->found) : NULL;
  if (!added)
    return NULL;
  *added = (etr_finding){.kind = kind,
                         .title = "",
                         .fact = "",
                         .least = NAN,
                         .evidence = "",
                         .cost = cost,
                         .share = fmin(cost / typical, 1),
                         .potential = fmax(typical - typical_of_fast, 0),
                         .potential_share = fmax(typical - typical_of_fast, 0) / typical,
                         .slope = NAN};
  etr_finding_set_sureness(added, ETR_POSSIBLE,
                           "it is about the device and the measurement, not the model");
  return added;
}

/* Returns what goes before the word "runs": "decode " for a phase, "long " for long runs, "" for a
 * whole method. */
static const char *runs_prefix(const etr_finder *finder, const alike_runs *r) {
  static const char runs[] = " runs";
  size_t length = strlen(r->name), end = sizeof runs - 1;
  if (length > end && strcmp(r->name + length - end, runs) == 0)
    length -= end;
  return length ? etr_arena_format(finder->arena, "%.*s ", (int)length, r->name) : "";
}

/* ---- Drift ---- */

/* Adds the finding that runs become slower or faster, on a fitted line from the first run of a
 * stretch to its last. It costs half of that change: by so much runs differ from the first one on
 * average. What could be saved is not known (NAN) if runs become faster. Returns false when out of
 * memory. */
static bool add_drift_finding(etr_finder *finder, const alike_runs *r) {
  double change = r->noise->start * r->noise->change;
  etr_finding *added = add_measurement_finding(finder, ETR_FINDING_DRIFT, fabs(change) / 2,
                                               r->execute->typical, r->noise->start);
  if (!added)
    return false;
  added->slope = change / (double)(r->noise->over_runs - 1);
  /* "decode runs get 22 % slower over 12 runs, and anew in each of 3 stretches" */
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  bool is_faster = change < 0;
  const char *advice = is_faster ? "Let the device warm up before measuring"
                                 : "Cool the device, or fix its clock";
  /* Slower in each stretch anew, or with a state that inferences write: the work may grow. It does
   * not if a method reads a known number of tokens, but their positions are not known to grow. */
  bool has_state = finder->graph && finder->graph->mutation_count > 0;
  const etr_throughput *tokens = finder->method->throughput;
  bool is_known = !has_state || !tokens || isnan(tokens->tokens_per_run) ||
                  finder->profile->cache_growth;
  if (is_known && !is_faster && (r->noise->stretches > 1 || has_state)) {
    advice = "Look at what grows from run to run";
    etr_finding_set_sureness(added, ETR_POSSIBLE, "the model may need to look at all of it");
  }
  added->title = advice;
  etr_putf(&writer, "%sruns %s ", runs_prefix(finder, r), r->noise->is_unsure ? "may get" : "get");
  if (is_faster)
    added->potential = added->potential_share = NAN;
  etr_put_change_of_time(&writer, r->noise->change);
  etr_putf(&writer, " over %zu runs", r->noise->over_runs);
  if (r->noise->stretches > 1)
    etr_putf(&writer, ", and anew in each of %zu stretches", r->noise->stretches);
  added->fact = etr_text_end(&text, &writer);
  added->evidence = etr_arena_format(
      finder->arena,
      "Method::execute goes from %s to %s%s, %s per run, on a line by least squares.",
      etr_finder_time_text(finder, r->noise->start),
      etr_finder_time_text(finder, r->noise->start + change),
      r->noise->stretches > 1 ? " in a row" : "", etr_finder_time_text(finder, added->slope));
  return true;
}

/* ---- Step ---- */

/* Returns the median time, in ticks, of the runs before the step or, without wants_before, from it
 * on; 0 if there are none. Sets *count to their number. */
static double median_on_one_side(const etr_finder *finder, const alike_runs *r, bool wants_before,
                                 size_t *count) {
  uint64_t *ticks = etr_arena_alloc_array(finder->arena, r->count, sizeof *ticks);
  *count = 0;
  for (size_t i = 0; ticks && i < r->count; i++)
    if ((r->runs[i] < r->noise->from_run) == wants_before)
      ticks[(*count)++] = finder->profile->runs[r->runs[i]].execute_ticks;
  return *count ? etr_stats_of(ticks, *count).p50 : 0;
}

/* Adds the finding that all runs from one on are slower or faster. Returns false when out of
 * memory. */
static bool add_step_finding(etr_finder *finder, const alike_runs *r) {
  size_t before_count, count;
  double median_before = median_on_one_side(finder, r, true, &before_count);
  double median_after = median_on_one_side(finder, r, false, &count);
  /* The slow side costs the difference in its runs only. */
  double slow_part = (double)(median_after > median_before ? count : before_count) /
                     (double)r->count;
  etr_finding *added = add_measurement_finding(
      finder, ETR_FINDING_STEP, fabs(median_after - median_before) * slow_part, r->execute->typical,
      fmin(median_before, median_after));
  etr_text text;
  etr_writer writer;
  if (!added)
    return false;
  etr_text_begin(&text, finder->arena, &writer);
  added->title = etr_arena_format(finder->arena, "Find what changed at run %u",
                                  (unsigned)r->noise->from_run);
  etr_putf(&writer, "%sruns %s ", runs_prefix(finder, r), r->noise->is_unsure ? "may be" : "are");
  etr_put_change_of_time(&writer, r->noise->change);
  etr_puts(&writer, " from there on");
  added->fact = etr_text_end(&text, &writer);
  added->evidence = etr_arena_format(
      finder->arena,
      "Of the %zu runs before it the median is %s, of the %zu from it on %s; averages mix both.",
      before_count, etr_finder_time_text(finder, median_before), count,
      etr_finder_time_text(finder, median_after));
  return true;
}

/* ---- Two modes ---- */

/* Adds the finding that runs are in two modes. It costs what the slow ones take longer, spread over
 * all runs. Returns false when out of memory. */
static bool add_modes_finding(etr_finder *finder, const alike_runs *r) {
  const etr_noise_mode *fast = &r->noise->modes[0], *slow = &r->noise->modes[1];
  double cost = (slow->p50 - fast->p50) * (double)slow->run_count /
                (double)ETR_MAX(r->noise->run_count, (size_t)1);
  etr_finding *added = add_measurement_finding(finder, ETR_FINDING_MODES, cost, r->execute->typical,
                                               fast->p50);
  if (!added)
    return false;
  added->title = "Fix the clock and the cores";
  /* The mode of fewer runs is the exception. */
  bool is_slow_usual = slow->run_count > fast->run_count;
  const etr_noise_mode *usual = is_slow_usual ? slow : fast, *rare = is_slow_usual ? fast : slow;
  added->fact = etr_arena_format(finder->arena, "%zu of %zu %sruns take %s, the others %s",
                                 rare->run_count, r->noise->run_count, runs_prefix(finder, r),
                                 etr_finder_time_text(finder, rare->p50),
                                 etr_finder_time_text(finder, usual->p50));
  const char *what = etr_noise_text(finder->arena, finder->profile, r->noise, r->execute,
                                    finder->unit);
  added->evidence = etr_arena_format(
      finder->arena, "Method::execute: %s. %s", what ? what : "",
      r->noise->in_stretches ? "A clock changes its speed, or something else runs for a while."
                             : "The modes take turns by chance, so that medians may be of either.");
  return true;
}

/* ---- Slow runs ---- */

/* Returns what follows a number as an ordinal: "st" for 1, 21, but "th" for 11. */
static const char *ordinal_ending(size_t number) {
  static const char *const endings[] = {"th", "st", "nd", "rd"};
  size_t last = number % 10;
  return last < ETR_COUNT(endings) && number / 10 % 10 != 1 ? endings[last] : "th";
}

/* Returns the title of the finding: it is always the same operator, or something else. */
static const char *title_of_slow_runs(const etr_slow_runs *slow) {
  return slow->kind == ETR_SLOW_RUNS_OPERATOR && slow->event ? "Find what interrupts one operator"
                                                             : "Measure again without other load";
}

/* Returns which runs are slow, and how much: "3 of 20 runs take 3.1-5.8 times as long as the
 * others"; if most are slow, "all but 2 of 10 runs take 1.8-2.8 times as long as these". NULL when
 * out of memory. */
static const char *fact_of_slow_runs(const etr_finder *finder, const etr_slow_runs *slow) {
  size_t count = finder->method->run_count;
  bool is_majority = !slow->period && slow->run_count * 2 > count;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  if (slow->runs_of_period == 1)
    etr_putf(&writer, "every %zu%s run takes ", slow->period, ordinal_ending(slow->period));
  else if (slow->period)
    etr_putf(&writer, "%zu of every %zu runs take ", slow->runs_of_period, slow->period);
  else if (is_majority) /* the fast runs are the exception */
    etr_putf(&writer, "all but %zu of %zu runs take ", count - slow->run_count, count);
  else
    etr_putf(&writer, "%zu of %zu runs take ", slow->run_count, count);
  etr_put_factors(&writer, slow->least / slow->usual, slow->most / slow->usual);
  etr_puts(&writer, " times as long");
  if (slow->kind != ETR_SLOW_RUNS_OPERATOR)
    etr_puts(&writer, is_majority ? " as these" : " as the others");
  else if (slow->event)
    etr_putf(&writer, ", by %s", slow->event->label);
  else
    etr_puts(&writer, ", by one operator at a time");
  return etr_text_end(&text, &writer);
}

/* Adds the finding that some runs are slow, if what they take longer, spread over all runs, is
 * ETR_FINDING_LEAST_SHARE of the typical time or more. Returns false when out of memory. */
static bool add_slow_runs_finding(etr_finder *finder) {
  static const etr_finding_kind kinds[] = {[ETR_SLOW_RUNS_ANY] = ETR_FINDING_SLOW_RUNS,
                                           [ETR_SLOW_RUNS_PERIODIC] = ETR_FINDING_PERIODIC,
                                           [ETR_SLOW_RUNS_OPERATOR] = ETR_FINDING_SLOW_OPERATOR};
  const etr_method *method = finder->method;
  const etr_slow_runs *slow = &method->slow_runs;
  double cost = (double)slow->excess_ticks / (double)method->run_count;
  if (slow->usual <= 0 || cost < ETR_FINDING_LEAST_SHARE * method->execute.typical)
    return true;
  etr_finding *added = add_measurement_finding(finder, kinds[slow->kind], cost,
                                               method->execute.typical, slow->usual);
  if (!added)
    return false;
  added->title = title_of_slow_runs(slow);
  added->fact = fact_of_slow_runs(finder, slow);
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_putf(&writer, "The median of Method::execute is %s in ",
           etr_finder_time_text(finder, slow->p50));
  /* "runs 3, 17, 25": a few of them. */
  enum { LISTED = 8 };
  for (size_t i = 0; i < slow->run_count && i < LISTED; i++)
    etr_putf(&writer, "%s%u", i ? ", " : "runs ", (unsigned)slow->runs[i]);
  if (slow->run_count > LISTED)
    etr_puts(&writer, ", ...");
  size_t others = method->run_count - slow->run_count;
  etr_putf(&writer, ", %s in the %s. ", etr_finder_time_text(finder, slow->usual),
           others == 1 ? "other one"
                       : etr_or_empty(etr_arena_format(finder->arena, "%zu others", others)));
  if (slow->event)
    etr_puts(&writer, "At least half of the extra time is in this operator.");
  else if (slow->kind == ETR_SLOW_RUNS_OPERATOR)
    etr_puts(&writer, "At least half of the extra time is in one operator, but not always the same "
                      "one: an interruption.");
  else
    etr_puts(&writer, method->interrupted > 0
                          ? "No single operator causes it: interruptions hit any."
                          : "No single operator causes it, nor do all take longer alike.");
  added->evidence = etr_text_end(&text, &writer);
  if (slow->event && finder->graph) {
    added->nodes = slow->event->nodes;
    added->node_count = slow->event->node_count;
  }
  return true;
}

/* ---- All ---- */

/* Adds the finding about a drift, a step or two modes, whichever the runs have. Returns false when
 * out of memory. */
static bool add_verdict_finding(etr_finder *finder, const alike_runs *r) {
  switch (r->noise->verdict) {
  case ETR_NOISE_DRIFT:
    return add_drift_finding(finder, r);
  case ETR_NOISE_STEP:
    return add_step_finding(finder, r);
  case ETR_NOISE_TWO_MODES:
    return add_modes_finding(finder, r);
  default:
    return true;
  }
}

/* Adds the findings about all runs together. Modes and steps say more than that some runs are slow
 * (ETR_SLOW_RUNS_ANY), and less than that these come in equal distances or by one operator, so only
 * one of the two is added then. Returns false when out of memory. */
static bool add_findings_of_all_runs(etr_finder *finder) {
  const etr_method *method = finder->method;
  const alike_runs all = {"", method->runs, method->run_count, &method->execute, &method->noise};
  etr_slow_runs_kind slow = method->slow_runs.kind;
  etr_noise_verdict verdict = method->noise.verdict;
  bool slow_runs_say_more = slow > ETR_SLOW_RUNS_ANY && verdict == ETR_NOISE_TWO_MODES;
  bool verdict_says_more = slow == ETR_SLOW_RUNS_ANY &&
                           (verdict == ETR_NOISE_TWO_MODES || verdict == ETR_NOISE_STEP);
  if (!slow_runs_say_more && !add_verdict_finding(finder, &all))
    return false;
  if (slow == ETR_SLOW_RUNS_NONE || verdict_says_more)
    return true;
  return add_slow_runs_finding(finder);
}

/* Adds the findings about runs that differ: of all runs or, if they have several phases, of those
 * of each phase. Returns false when out of memory. */
bool etr_add_run_findings(etr_finder *finder) {
  const etr_method *method = finder->method;
  if (method->execute.p50 <= 0)
    return true;
  if (method->mixed_phase_count < 2)
    return add_findings_of_all_runs(finder);
  for (size_t i = 0; i < method->run_phase_count; i++) {
    const etr_run_phase *phase = &method->run_phases[i];
    const alike_runs runs = {phase->name, phase->runs, phase->run_count, &phase->execute,
                             &phase->noise};
    if (phase->execute.p50 > 0 && !add_verdict_finding(finder, &runs))
      return false;
  }
  return true;
}
