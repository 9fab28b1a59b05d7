/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_phases.c - distinguishes kinds of runs by the values that they logged, by their events or by
 * their operators' times.
 */
#include "runs/runs.h"

#include "base/stats.h"
#include "runs/fit.h"
#include "runs/inferences.h"
#include "runs/slow_runs.h"

#include <math.h>

enum {
  PHASES = ETR_COUNT(((etr_known_phases *)NULL)->names),
  MOST_KINDS = 4, /* kinds that sizes or events distinguish, before they are made two phases */
};

static const double LEAST_FACTOR =
    1.5; /* smallest ratio between the medians of phases that are worth distinguishing */
/* Chosen by measurement: causes that only slow runs down stay below one of these; prompts, and
 * branches that do other work, exceed both. With 2 instead of 2.5, one in ten records whose slow
 * runs affect operators unequally would have phases. */
static const double LEAST_ALIKE = .5, LEAST_WIDTH = 2.5;
/* A longer input stretches most of the work: 0.55 of the usual time and more in our records. A
 * neighbor that takes the memory away stretches some operators, all long runs alike: up to 0.33. */
static const double LEAST_REACH = .4;
/* If a single long run is compared with the first run of all, both may have cold caches, which
 * stretch the same operators: the largest width in our records is 4.2, while prompts have 13 and
 * more. */
static const double LEAST_WIDTH_OF_PAIR = 6;
static const double LEAST_GAP = 1.25; /* smallest ratio between long runs and others: a short prompt
                                         takes little longer than a step */
enum {
  GAPS_TRIED = 3,
  MOST_COMPARED = 16, /* more long runs add no information about a first run */
}; /* the widest gap may be between prompts, or below steps that were disturbed */

const char *etr_phase_rule_name(etr_phase_rule rule) {
  static const char *const names[] = {"sizes", "events", "times"};
  return (size_t)rule < ETR_COUNT(names) ? names[rule] : "";
}

/* ---- Properties of runs ---- */

/* What distinguishes the runs of a profile. */
typedef struct run_facts {
  const etr_blocks *blocks;
  double *bytes;  /* per run: size of the values that it logged */
  double *tokens; /* per run: tokens that it read, by these values; 0: not known */
  double *events; /* per block: blocks with the same events have the same number */
  etr_arena *scratch;
} run_facts;

/* Sums the bytes of the values that each run logged, into k->bytes. Returns false when out of
 * memory. */
static bool sum_logged_bytes(run_facts *k, const etr_dump *dumps) {
  size_t first_run = 0;
  k->bytes = etr_arena_alloc_array(k->scratch, k->blocks->run_count, sizeof *k->bytes);
  for (size_t i = 0; k->bytes && first_run < k->blocks->run_count;
       first_run += dumps[i++].run_count)
    for (size_t v = 0; v < dumps[i].value_count; v++)
      k->bytes[first_run + dumps[i].values[v].run] += (double)dumps[i].values[v].byte_size;
  return k->bytes != NULL;
}

/* Finds how many tokens each run read, by the first logged value that shows it, for k->tokens; 0 if
 * none does. Returns false when out of memory. */
static bool count_tokens_of_runs(run_facts *k, const etr_dump *dumps,
                                 const etr_method_inputs *inputs) {
  size_t first_run = 0;
  k->tokens = etr_arena_alloc_array(k->scratch, k->blocks->run_count, sizeof *k->tokens);
  for (size_t i = 0; k->tokens && inputs && first_run < k->blocks->run_count;
       first_run += dumps[i++].run_count)
    for (size_t v = 0; v < dumps[i].value_count; v++) {
      const etr_debug_value *value = &dumps[i].values[v];
      uint32_t method = k->blocks->blocks[k->blocks->runs[first_run + value->run].block].method;
      double *tokens = &k->tokens[first_run + value->run];
      if (method == ETR_NONE || *tokens > 0)
        continue;
      *tokens = (double)ETR_MAX(etr_logged_tokens(&inputs[method], value), 0);
    }
  return k->tokens != NULL;
}

/* Returns a hash of what identifies the events of a block, without their times. Interned texts are
 * identified by their pointers. */
static uint64_t hash_events(const etr_block *block) {
  uint64_t hash = block->event_count;
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *event = &block->events[i];
    const uint64_t parts[] = {(uintptr_t)event->name, (uintptr_t)event->delegate_id,
                              (uint32_t)event->instruction_id};
    for (size_t k = 0; k < ETR_COUNT(parts); k++) {
      hash = (hash ^ parts[k]) * 0x9E3779B97F4A7C15u; /* the golden ratio, which spreads numbers
                                                         that are close together */
      hash ^= hash >> 32;
    }
  }
  return hash;
}

/* Numbers the blocks so that blocks with the same events have the same number. Returns false when
 * out of memory. */
static bool number_blocks_by_events(run_facts *k) {
  etr_map numbers;
  etr_map_init(&numbers, k->scratch);
  k->events = etr_arena_alloc_array(k->scratch, k->blocks->block_count, sizeof *k->events);
  for (size_t i = 0; k->events && i < k->blocks->block_count; i++) {
    uint64_t hash = hash_events(&k->blocks->blocks[i]);
    k->events[i] = etr_map_number(&numbers, ETR_BYTES(hash));
  }
  return k->events != NULL && !etr_arena_failed(k->scratch);
}

/* ---- Kinds of a method's runs ---- */

/* A method's runs, and a value for each, by which they are distinguished: a kind is a range of
 * values. */
typedef struct method_runs {
  const run_facts *known;
  const etr_inference *list; /* sorted by series, then run */
  size_t count;
  double *values, *sorted; /* `count` entries */
  size_t kinds;
  double least[MOST_KINDS]; /* smallest value of each kind, ascending */
  bool *is_long;            /* `count` entries: runs of the kind that takes longest */
  bool failed;              /* out of memory */
} method_runs;

static double ticks_of(const method_runs *c, size_t i) {
  return (double)c->known->blocks->runs[c->list[i].run].execute_ticks;
}

/* Returns the kind of the i-th run: the last one whose smallest value is not above the run's. */
static size_t kind_of(const method_runs *c, size_t i) {
  size_t kind = c->kinds - 1;
  while (kind > 0 && c->values[i] < c->least[kind])
    kind--;
  return kind;
}

/* Makes each distinct value a kind of runs, with the value in c->least. Returns false if there are
 * fewer than two or more than MOST_KINDS, which is too many to be kinds. */
static bool make_kind_of_each_value(method_runs *c) {
  c->kinds = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (i > 0 && c->sorted[i] <= c->sorted[i - 1])
      continue;
    if (c->kinds++ < MOST_KINDS)
      c->least[c->kinds - 1] = c->sorted[i];
  }
  return c->kinds >= 2 && c->kinds <= MOST_KINDS;
}

/* Returns the spread of sorted values, as a ratio, without a tenth at either end, so that a single
 * outlier does not widen it. */
static double width_of(const double *sorted, size_t count) {
  size_t end = count / 10;
  return sorted[count - 1 - end] / sorted[end];
}

/* Returns the index after the widest gap between sorted values, and sets *gap to its width, a
 * factor; 0 if all values are equal. */
static size_t find_widest_gap(const method_runs *c, double *gap) {
  size_t index = 0;
  *gap = 1;
  for (size_t i = 1; i < c->count; i++) {
    double ratio = c->sorted[i] / c->sorted[i - 1];
    if (ratio <= *gap)
      continue;
    *gap = ratio;
    index = i;
  }
  return index;
}

/* Makes two kinds of the sorted values before and after a gap, with the smallest value of each in
 * c->least. Returns true if the values of each kind are spread less wide than the gap (both are
 * factors), so that the kinds are clear. */
static bool split_into_two_kinds(method_runs *c, size_t at, double gap) {
  c->kinds = 2;
  c->least[0] = c->sorted[0];
  c->least[1] = c->sorted[at];
  return width_of(c->sorted, at) < gap && width_of(c->sorted + at, c->count - at) < gap;
}

/* Distinguishes runs by how many bytes they logged: as two kinds with a gap between them, because
 * prompts have many sizes, but all are larger than a single step; otherwise each size is a kind.
 * Returns false if a run logged nothing, or if there are not several kinds. */
static bool distinguish_sizes(method_runs *c) {
  double gap;
  if (!(c->sorted[0] > 0))
    return false; /* a run that logged nothing */
  size_t split = find_widest_gap(c, &gap);
  return split > 0 && (split_into_two_kinds(c, split, gap) || make_kind_of_each_value(c));
}

/* ---- By times alone ---- */

/* Returns true if the i-th run is the first of its series. */
static bool starts_series(const method_runs *c, size_t i) {
  return i == 0 || c->list[i].series != c->list[i - 1].series;
}

/* Lists the long runs, or with `wants_long` unset the short ones, in `out`, and returns their
 * number. Long runs at the start of a series are left out: they may be warm-up, which makes the
 * same operators take longer each time. */
static size_t list_runs_of_length(const method_runs *c, const bool *is_long, bool wants_long,
                                  uint32_t *out) {
  size_t count = 0;
  bool in_leading_group = false;
  for (size_t i = 0; i < c->count; i++) {
    in_leading_group = is_long[i] && (starts_series(c, i) || in_leading_group);
    if (!in_leading_group && is_long[i] == wants_long)
      out[count++] = c->list[i].run;
  }
  return count;
}

/* Puts the first run of its series before the only listed long run, which is long_runs[0], to
 * compare both. Returns false if that first run is not long. */
static bool add_first_run_of_series(const method_runs *c, const bool *is_long,
                                    uint32_t *long_runs) {
  const etr_run *runs = c->known->blocks->runs;
  for (size_t i = 0; i < c->count; i++) {
    if (c->list[i].series != runs[long_runs[0]].series)
      continue;
    long_runs[1] = long_runs[0];
    long_runs[0] = c->list[i].run;
    return is_long[i];
  }
  return false;
}

/* Returns true if the long runs do other work than the short ones: operators take longer by
 * different factors, by the same ones in all long runs, and most of the time is in such operators.
 * A busy machine slows all operators alike, or others each time, or only some. A single long run is
 * compared with the first run. When out of memory, it sets c->failed. */
static bool do_other_work(method_runs *c, const etr_long_runs *runs) {
  etr_arena scratch = {0};
  uint32_t *long_runs = etr_arena_alloc_array(&scratch, c->count + 1, sizeof *long_runs);
  uint32_t *short_runs = etr_arena_alloc_array(&scratch, c->count, sizeof *short_runs);
  etr_operator_stretch stretch = {0};
  double least_width = LEAST_WIDTH;
  if (long_runs && short_runs) {
    size_t longs = list_runs_of_length(c, runs->is_long, true, long_runs);
    size_t shorts = list_runs_of_length(c, runs->is_long, false, short_runs);
    if (longs == 1 && add_first_run_of_series(c, runs->is_long, long_runs)) {
      longs = 2;
      least_width = LEAST_WIDTH_OF_PAIR;
    }
    if (longs > 1)
      c->failed |= !etr_operator_stretch_of(&stretch, c->known->blocks, long_runs, longs,
                                            short_runs, shorts);
  } else
    c->failed = true;
  etr_arena_clear(&scratch);
  return stretch.alike >= LEAST_ALIKE && stretch.width >= least_width &&
         stretch.reach >= LEAST_REACH;
}

/* Returns true if operators take longer in a run by the same factors as in one of the first long
 * runs. When out of memory, it sets c->failed. */
static bool is_like_a_long_run(method_runs *c, const bool *is_long, uint32_t run,
                               const uint32_t *shorts, size_t short_count) {
  for (size_t i = 0, compared = 0; i < c->count && compared < MOST_COMPARED; i++) {
    etr_operator_stretch stretch;
    const uint32_t pair[] = {ETR_MIN(run, c->list[i].run), ETR_MAX(run, c->list[i].run)};
    if (!is_long[i])
      continue;
    compared++;
    if (!etr_operator_stretch_of(&stretch, c->known->blocks, pair, ETR_COUNT(pair), shorts,
                                 short_count))
      c->failed = true;
    else if (stretch.alike >= LEAST_ALIKE)
      return true;
  }
  return false;
}

/* Marks the first runs of series that are prompts, but too short to be behind the gap, as long:
 * they take longer than the median of the short runs by LEAST_FACTOR, and on the same operators as
 * a long run. When out of memory, it sets c->failed. */
static void mark_short_prompts(method_runs *c, bool *is_long) {
  etr_arena scratch = {0};
  uint32_t *shorts = etr_arena_alloc_array(&scratch, c->count, sizeof *shorts);
  double *times = etr_arena_alloc_array(&scratch, c->count, sizeof *times);
  size_t short_count = 0;
  for (size_t i = 0; shorts && times && i < c->count; i++) {
    if (is_long[i] || starts_series(c, i))
      continue;
    times[short_count] = ticks_of(c, i);
    shorts[short_count++] = c->list[i].run;
  }
  c->failed |= !shorts || !times;
  if (!c->failed)
    etr_sort(times, short_count, sizeof *times, etr_by_double);
  double median = c->failed ? 0 : etr_median_of_sorted(times, short_count);
  for (size_t i = 0; short_count && !c->failed && i < c->count; i++) {
    bool may_be_prompt = starts_series(c, i) && !is_long[i];
    if (may_be_prompt && ticks_of(c, i) >= LEAST_FACTOR * median)
      is_long[i] = is_like_a_long_run(c, is_long, c->list[i].run, shorts, short_count);
  }
  etr_arena_clear(&scratch);
}

/* Returns the median time of the long runs, or with `wants_long` unset of the others, in ticks. */
static double median_of_length(method_runs *c, const bool *is_long, bool wants_long) {
  size_t count = 0;
  for (size_t i = 0; i < c->count; i++)
    if (is_long[i] == wants_long)
      c->sorted[count++] = ticks_of(c, i);
  etr_sort(c->sorted, count, sizeof *c->sorted, etr_by_double);
  return etr_median_of_sorted(c->sorted, count);
}

/* Marks the runs that take longer because they do other work, by their times alone: those above the
 * widest gap between times for which that is so, of the GAPS_TRIED widest gaps that are at least
 * LEAST_GAP. Returns false if there are none, or when out of memory, which sets c->failed. */
static bool mark_long_times(method_runs *c) {
  etr_gap gap = {LEAST_GAP, INFINITY};
  for (int tried = 0; tried < GAPS_TRIED && !c->failed; tried++) {
    etr_long_runs runs;
    c->failed = !etr_long_runs_of(&runs, &gap, c->known->blocks, c->list, c->count,
                                  c->known->scratch);
    if (c->failed || !runs.is_long)
      return false;
    bool is_much = median_of_length(c, runs.is_long, true) >=
                   LEAST_FACTOR * median_of_length(c, runs.is_long, false);
    if (!is_much || !do_other_work(c, &runs))
      continue;
    memcpy(c->is_long, runs.is_long, c->count * sizeof *c->is_long);
    mark_short_prompts(c, c->is_long);
    return !c->failed;
  }
  return false;
}

/* ---- The kinds ---- */

/* Returns true if all runs of a kind are the first of their series; these may have other events for
 * that reason alone. */
static bool has_only_first_runs(const method_runs *c, size_t kind) {
  for (size_t i = 1; i < c->count; i++)
    if (kind_of(c, i) == kind && c->list[i].series == c->list[i - 1].series)
      return false;
  return true;
}

/* Returns the median time of the runs of a kind, in ticks. */
static double median_of_kind(method_runs *c, size_t kind) {
  size_t count = 0;
  for (size_t i = 0; i < c->count; i++)
    if (kind_of(c, i) == kind)
      c->sorted[count++] = ticks_of(c, i);
  etr_sort(c->sorted, count, sizeof *c->sorted, etr_by_double);
  return etr_median_of_sorted(c->sorted, count);
}

/* Marks the runs of the kinds whose median time is LEAST_FACTOR times that of the shortest kind or
 * more as long: they do more work. Returns false if there are none. */
static bool mark_long_kinds(method_runs *c) {
  double medians[MOST_KINDS], least = INFINITY;
  bool has_long = false;
  for (size_t kind = 0; kind < c->kinds; kind++) {
    medians[kind] = median_of_kind(c, kind);
    least = ETR_MIN(least, medians[kind]);
  }
  for (size_t i = 0; i < c->count; i++) {
    double median = medians[kind_of(c, i)];
    c->is_long[i] = median > 0 && median >= LEAST_FACTOR * least;
    has_long |= c->is_long[i];
  }
  return has_long;
}

/* ---- Distinguishing runs ---- */

/* Distinguishes runs by their events. Returns false if there are not several kinds, or if a kind
 * has first runs of series only, whose events may be those of warm-up. */
static bool distinguish_events(method_runs *c) {
  bool is_distinct = make_kind_of_each_value(c);
  for (size_t kind = 0; is_distinct && kind < c->kinds; kind++)
    is_distinct = !has_only_first_runs(c, kind);
  return is_distinct;
}

/* Marks the runs that read more tokens than the run that read the fewest. Returns false if the
 * tokens are not known of all runs (0), or do not differ. */
static bool mark_more_tokens(method_runs *c) {
  double least = INFINITY;
  bool has_more = false;
  for (size_t i = 0; i < c->count; i++)
    least = ETR_MIN(least, c->known->tokens[c->list[i].run]);
  for (size_t i = 0; i < c->count; i++) {
    c->is_long[i] = c->known->tokens[c->list[i].run] > least;
    has_more |= c->is_long[i];
  }
  return has_more && least > 0;
}

/* Distinguishes the runs of a method by a rule: by the bytes that they logged, or by the numbers of
 * their blocks' events. Returns true if they are of several kinds, but not of too many. */
static bool distinguish_kinds(method_runs *c, etr_phase_rule rule) {
  for (size_t i = 0; i < c->count; i++) {
    uint32_t run = c->list[i].run;
    c->values[i] = rule == ETR_PHASE_BY_SIZES ? c->known->bytes[run]
                                              : c->known->events[c->known->blocks->runs[run].block];
    c->sorted[i] = c->values[i];
  }
  etr_sort(c->sorted, c->count, sizeof *c->sorted, etr_by_double);
  return rule == ETR_PHASE_BY_SIZES ? distinguish_sizes(c) : distinguish_events(c);
}

/* Returns true if the long runs are prompts of a language model (prefill), and the others steps
 * that read one token each (decode): by their numbers of tokens, or if these are not logged, by the
 * sizes of logged values, if long runs come first in each series and are fewer than the others. */
static bool is_prefill(const method_runs *c, etr_phase_rule rule) {
  etr_long_runs runs = {.is_long = c->is_long};
  size_t matching = 0;
  for (size_t i = 0; i < c->count; i++)
    matching += c->is_long[i] ? c->known->tokens[c->list[i].run] > 1
                              : c->known->tokens[c->list[i].run] == 1;
  if (matching == c->count)
    return true; /* all but the prompts read one token */
  etr_long_runs_count(&runs, c->list, c->count);
  return rule == ETR_PHASE_BY_SIZES && runs.leads && runs.long_count < runs.short_count;
}

/* Numbers the two phases in the order of their first runs, names them, and sets the phase of each
 * run. They are named by what language models do only if that is known. */
static void set_phases(etr_known_phases *phases, const method_runs *c, etr_phase_rule rule) {
  size_t long_phase = c->is_long[0] ? 0 : 1;
  bool is_known = is_prefill(c, rule);
  *phases = (etr_known_phases){.count = PHASES, .rule = rule};
  phases->names[long_phase] = is_known ? "prefill" : "long runs";
  phases->names[1 - long_phase] = is_known ? "decode" : "short runs";
  for (size_t i = 0; i < c->count; i++)
    c->known->blocks->runs[c->list[i].run].phase = (uint32_t)(c->is_long[i] ? long_phase
                                                                            : 1 - long_phase);
}

/* Finds the phases of a method's runs by the strongest rule that distinguishes them: numbers of
 * tokens, sizes of logged values, events, then times. Sets nothing if no rule does. */
static void find_phases(etr_known_phases *phases, method_runs *c) {
  static const etr_phase_rule rules[] = {ETR_PHASE_BY_SIZES, ETR_PHASE_BY_EVENTS};
  if (mark_more_tokens(c)) {
    set_phases(phases, c, ETR_PHASE_BY_SIZES);
    return;
  }
  for (size_t i = 0; i < ETR_COUNT(rules); i++)
    if (distinguish_kinds(c, rules[i]) && mark_long_kinds(c)) {
      set_phases(phases, c, rules[i]);
      return;
    }
  if (mark_long_times(c))
    set_phases(phases, c, ETR_PHASE_BY_TIMES);
}

/* Returns true if runs of a method can do different work. Runs that may be of several methods have
 * no phases: the methods may be what distinguishes them. */
static bool can_differ(const etr_method_inputs *inputs, uint32_t method) {
  etr_work_varies varies = inputs ? inputs[method].varies : ETR_WORK_IS_UNKNOWN;
  return varies != ETR_WORK_IS_THE_SAME && varies != ETR_WORK_OF_SEVERAL;
}

/* Finds the phases of each method whose runs can differ. Returns false when out of memory. */
static bool find_all_phases(etr_known_phases *phases, const run_facts *facts,
                            const etr_method_inputs *inputs) {
  size_t count;
  const etr_inference *list = etr_inferences_list(facts->blocks, facts->scratch, &count);
  method_runs c = {
      .known = facts,
      .values = etr_arena_alloc_array(facts->scratch, facts->blocks->run_count, sizeof *c.values),
      .sorted = etr_arena_alloc_array(facts->scratch, facts->blocks->run_count, sizeof *c.sorted),
      .is_long = etr_arena_alloc_array(facts->scratch, facts->blocks->run_count,
                                       sizeof *c.is_long)};
  if (!list || !c.values || !c.sorted || !c.is_long)
    return false;
  for (size_t i = 0, end; i < count; i = end) {
    end = etr_inferences_end_of_method(list, count, i);
    c.list = list + i;
    c.count = end - i;
    if (can_differ(inputs, list[i].method))
      find_phases(&phases[list[i].method], &c);
  }
  return !c.failed;
}

/* Collects what distinguishes runs, then finds the phases of each method. Returns NULL when out
 * of memory. */
etr_known_phases *etr_run_phases_find(const etr_blocks *blocks, const etr_dump *dumps,
                                      const etr_method_inputs *inputs, size_t method_count,
                                      etr_arena *arena) {
  etr_arena scratch = {0};
  run_facts facts = {.blocks = blocks, .scratch = &scratch};
  etr_known_phases *phases = etr_arena_alloc_array(arena, method_count, sizeof *phases);
  bool good = phases && etr_runs_number_series(blocks, &scratch) &&
              sum_logged_bytes(&facts, dumps) && count_tokens_of_runs(&facts, dumps, inputs) &&
              number_blocks_by_events(&facts) && find_all_phases(phases, &facts, inputs);
  etr_arena_clear(&scratch);
  return good ? phases : NULL;
}
