/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_phases.c - distinguishes kinds of runs by the values that they logged, by their events or by
 * their operators' times.
 */
#include "runs/runs.h"

#include "base/stats.h"
#include "runs/inferences.h"
#include "runs/slow_runs.h"

#include <math.h>

enum { MOST_PHASES = ETR_COUNT(((etr_known_phases *)NULL)->names) };

static const double LEAST_FACTOR =
    1.5; /* smallest ratio between the medians of phases that are worth distinguishing */
/* Chosen by measurement: causes that only slow runs down stay below one of these; prompts, and
 * branches that do other work, exceed both. With 2 instead of 2.5, one in ten records whose slow
 * runs affect operators unequally would have phases. */
static const double LEAST_ALIKE = .5, LEAST_WIDTH = 2.5;
/* If a single long run is compared with the first run of all, both may have cold caches, which
 * stretch the same operators: the largest width in our records is 4.2, while prompts have 13 and
 * more. */
static const double LEAST_WIDTH_OF_PAIR = 6;
static const double LEAST_GAP = 1.25; /* smallest ratio between long runs and others: a short prompt
                                         takes little longer than a step */
enum {
  GAPS_TRIED = 3
}; /* the widest gap may be between prompts, or below steps that were disturbed */

const char *etr_phase_rule_name(etr_phase_rule rule) {
  static const char *const names[] = {"sizes", "events", "times"};
  return (size_t)rule < ETR_COUNT(names) ? names[rule] : "";
}

/* ---- Properties of runs ---- */

/* All runs of a profile. */
typedef struct known_runs {
  const etr_blocks *blocks;
  double *bytes;  /* per run: size of the values that it logged */
  double *events; /* per block: blocks with the same events have the same number */
  etr_arena *scratch;
} known_runs;

static bool count_bytes(known_runs *k, const etr_dump *dumps) {
  size_t first_run = 0;
  k->bytes = etr_arena_alloc_array(k->scratch, k->blocks->run_count, sizeof *k->bytes);
  for (size_t i = 0; k->bytes && first_run < k->blocks->run_count;
       first_run += dumps[i++].run_count)
    for (size_t v = 0; v < dumps[i].value_count; v++)
      k->bytes[first_run + dumps[i].values[v].run] += (double)dumps[i].values[v].byte_size;
  return k->bytes != NULL;
}

static bool number_events(known_runs *k) {
  etr_map numbers;
  etr_map_init(&numbers, k->scratch);
  k->events = etr_arena_alloc_array(k->scratch, k->blocks->block_count, sizeof *k->events);
  for (size_t i = 0; k->events && i < k->blocks->block_count; i++) {
    /* Hashes what identifies the events of a block. Interned texts are identified by their
     * pointers. */
    const etr_block *block = &k->blocks->blocks[i];
    uint64_t hash = block->event_count;
    for (size_t j = 0; j < block->event_count; j++) {
      const etr_event *event = &block->events[j];
      const uint64_t parts[] = {(uintptr_t)event->name, (uintptr_t)event->delegate_id,
                                (uint32_t)event->instruction_id};
      for (size_t m = 0; m < ETR_COUNT(parts); m++) {
        hash = (hash ^ parts[m]) * 0x9E3779B97F4A7C15u; /* the golden ratio, which spreads numbers
                                                           that are close together */
        hash ^= hash >> 32;
      }
    }
    k->events[i] = etr_map_number(&numbers, ETR_BYTES(hash));
  }
  return k->events != NULL && !etr_arena_failed(k->scratch);
}

/* ---- Kinds of a method's runs ---- */

/* A method's runs, and a value for each, by which they are distinguished. */
typedef struct candidates {
  const known_runs *known;
  const etr_inference *list; /* sorted by series, then run */
  size_t count;
  double *values, *sorted; /* `count` entries */
  size_t kinds;
  double least[MOST_PHASES]; /* smallest value of each kind, ascending */
  bool *is_long;             /* `count` entries: runs of the kind that takes longest */
  bool failed;               /* out of memory */
} candidates;

static double ticks_of(const candidates *c, size_t i) {
  return (double)c->known->blocks->runs[c->list[i].run].execute_ticks;
}

static size_t kind_of(const candidates *c, size_t i) {
  size_t kind = c->kinds - 1;
  while (kind > 0 && c->values[i] < c->least[kind])
    kind--;
  return kind;
}

/* Makes each distinct value a kind. Returns false if there are fewer than two or more than
 * MOST_PHASES. */
static bool distinguish_values(candidates *c) {
  c->kinds = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (i > 0 && c->sorted[i] <= c->sorted[i - 1])
      continue;
    if (c->kinds++ < MOST_PHASES)
      c->least[c->kinds - 1] = c->sorted[i];
  }
  return c->kinds >= 2 && c->kinds <= MOST_PHASES;
}

/* Returns the spread of sorted values, as a ratio, without a tenth at either end, so that a single
 * outlier does not widen it. */
static double width_of(const double *sorted, size_t count) {
  size_t end = count / 10;
  return sorted[count - 1 - end] / sorted[end];
}

/* Returns the index after the widest gap between sorted values; 0: all values are equal. */
static size_t widest_gap(const candidates *c, double *gap) {
  size_t at = 0;
  *gap = 1;
  for (size_t i = 1; i < c->count; i++) {
    double ratio = c->sorted[i] / c->sorted[i - 1];
    if (ratio <= *gap)
      continue;
    *gap = ratio;
    at = i;
  }
  return at;
}

/* Splits the sorted values at `at` into two kinds. Returns whether each kind is more compact than
 * the gap between them.
 */
static bool split_at(candidates *c, size_t at, double gap) {
  c->kinds = 2;
  c->least[0] = c->sorted[0];
  c->least[1] = c->sorted[at];
  return width_of(c->sorted, at) < gap && width_of(c->sorted + at, c->count - at) < gap;
}

/* Distinguishes runs by the sizes of their values. Prompts have many sizes, but all are larger than
 * a single step. */
static bool distinguish_sizes(candidates *c) {
  double gap;
  if (!(c->sorted[0] > 0))
    return false; /* a run that logged nothing */
  size_t at = widest_gap(c, &gap);
  return at > 0 && (split_at(c, at, gap) || distinguish_values(c));
}

/* ---- By times alone ---- */

/* Lists the long runs, or the short ones, without the first run of each series, which may be
 * warm-up: that stretches the same operators each time. */
static size_t list_inner(const candidates *c, const bool *is_long, bool wants_long,
                         uint32_t *list) {
  size_t count = 0;
  bool in_leading_group = false;
  for (size_t i = 0; i < c->count; i++) {
    bool starts = i == 0 || c->list[i].series != c->list[i - 1].series;
    in_leading_group = is_long[i] && (starts || in_leading_group);
    if (!in_leading_group && is_long[i] == wants_long)
      list[count++] = c->list[i].run;
  }
  return count;
}

/* Adds the first run of its series to a single long run, to compare both. Returns false if the
 * first run is not long.
 */
static bool add_leading(const candidates *c, const bool *is_long, uint32_t *inner) {
  const etr_run *runs = c->known->blocks->runs;
  for (size_t i = 0; i < c->count; i++) {
    if (c->list[i].series != runs[inner[0]].series)
      continue;
    inner[1] = inner[0];
    inner[0] = c->list[i].run;
    return is_long[i];
  }
  return false;
}

/* Returns whether long runs do other work: they stretch operators by different factors, which are
 * similar in all long runs. */
static bool do_other_work(candidates *c, const etr_long_runs *runs) {
  etr_arena scratch = {0};
  uint32_t *long_runs = etr_arena_alloc_array(&scratch, c->count + 1, sizeof *long_runs);
  uint32_t *short_runs = etr_arena_alloc_array(&scratch, c->count, sizeof *short_runs);
  etr_operator_stretch stretch = {0};
  double least_width = LEAST_WIDTH;
  if (long_runs && short_runs) {
    size_t longs = list_inner(c, runs->is_long, true, long_runs);
    size_t shorts = list_inner(c, runs->is_long, false, short_runs);
    if (longs == 1 && add_leading(c, runs->is_long, long_runs)) {
      longs = 2;
      least_width = LEAST_WIDTH_OF_PAIR;
    }
    if (longs > 1)
      c->failed |= !etr_operator_stretch_of(&stretch, c->known->blocks, long_runs, longs,
                                            short_runs, shorts);
  } else
    c->failed = true;
  etr_arena_clear(&scratch);
  return stretch.alike >= LEAST_ALIKE && stretch.width >= least_width;
}

static bool distinguish_times(candidates *c) {
  etr_gap gap = {LEAST_GAP, INFINITY};
  for (int tried = 0; tried < GAPS_TRIED && !c->failed; tried++) {
    etr_long_runs runs;
    c->failed = !etr_long_runs_of(&runs, &gap, c->known->blocks, c->list, c->count,
                                  c->known->scratch);
    if (c->failed || !runs.is_long)
      return false;
    if (!do_other_work(c, &runs))
      continue;
    /* Makes two kinds: short runs, and long runs from the shortest of these on. */
    c->kinds = 2;
    c->least[0] = c->sorted[0];
    c->least[1] = INFINITY;
    for (size_t i = 0; i < c->count; i++)
      if (runs.is_long[i])
        c->least[1] = ETR_MIN(c->least[1], ticks_of(c, i));
    return !c->failed;
  }
  return false;
}

/* ---- The kinds ---- */

/* Returns whether all runs of a kind are the first of their series; these may have other events for
 * that reason alone.
 */
static bool is_only_first(const candidates *c, size_t kind) {
  for (size_t i = 1; i < c->count; i++)
    if (kind_of(c, i) == kind && c->list[i].series == c->list[i - 1].series)
      return false;
  return true;
}

/* Returns the kind whose runs take longest; MOST_PHASES if no kind takes much longer than another.
 */
static size_t longest_kind(candidates *c) {
  double least = INFINITY, most = 0;
  size_t longest = 0;
  for (size_t kind = 0; kind < c->kinds; kind++) {
    /* Finds the median of a kind. */
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
      if (kind_of(c, i) == kind)
        c->sorted[count++] = ticks_of(c, i);
    etr_sort(c->sorted, count, sizeof *c->sorted, etr_by_double);
    double median = etr_median_of_sorted(c->sorted, count);
    if (median > most)
      longest = kind;
    most = ETR_MAX(most, median);
    least = ETR_MIN(least, median);
  }
  return most > 0 && most >= LEAST_FACTOR * least ? longest : MOST_PHASES;
}

/* ---- Distinguishing runs ---- */

/* Distinguishes runs by their events. Events that occur only in the first runs of series are those
 * of warm-up. */
static bool distinguish_events(candidates *c) {
  bool is_distinct = distinguish_values(c);
  for (size_t kind = 0; is_distinct && kind < c->kinds; kind++)
    is_distinct = !is_only_first(c, kind);
  return is_distinct;
}

static bool distinguish_kinds(candidates *c, etr_phase_rule rule) {
  for (size_t i = 0; i < c->count; i++) {
    uint32_t run = c->list[i].run;
    switch (rule) {
    case ETR_PHASE_BY_SIZES:
      c->values[i] = c->known->bytes[run];
      break;
    case ETR_PHASE_BY_EVENTS:
      c->values[i] = c->known->events[c->known->blocks->runs[run].block];
      break;
    case ETR_PHASE_BY_TIMES:
      c->values[i] = ticks_of(c, i);
      break;
    }
    c->sorted[i] = c->values[i];
  }
  etr_sort(c->sorted, c->count, sizeof *c->sorted, etr_by_double);
  switch (rule) {
  case ETR_PHASE_BY_SIZES:
    return distinguish_sizes(c);
  case ETR_PHASE_BY_EVENTS:
    return distinguish_events(c);
  default:
    return distinguish_times(c);
  }
}

/* Returns whether the long runs are prompts: they come first, and are fewer than steps. If only
 * times distinguish them, groups of prompts must also have equal lengths, and at least two steps
 * must follow each group: otherwise the pattern may have other causes. */
static bool is_prefill(const candidates *c, etr_phase_rule rule, const etr_long_runs *runs) {
  bool in_order = c->kinds == 2 && runs->leads && runs->long_count < runs->short_count;
  bool is_regular = runs->shortest == runs->longest &&
                    (runs->distances == 0 || runs->least_between > 1);
  return in_order && rule != ETR_PHASE_BY_EVENTS && (rule == ETR_PHASE_BY_SIZES || is_regular);
}

static void find_phases(etr_known_phases *phases, candidates *c) {
  static const etr_phase_rule rules[] = {ETR_PHASE_BY_SIZES, ETR_PHASE_BY_EVENTS,
                                         ETR_PHASE_BY_TIMES};
  size_t phase_of[MOST_PHASES];
  for (size_t i = 0; i < ETR_COUNT(rules); i++) {
    size_t longest = distinguish_kinds(c, rules[i]) ? longest_kind(c) : MOST_PHASES;
    if (longest == MOST_PHASES)
      continue;
    *phases = (etr_known_phases){.count = c->kinds, .rule = rules[i]};
    /* Numbers the kinds in the order of their first runs. */
    size_t next = 0;
    for (size_t kind = 0; kind < c->kinds; kind++)
      phase_of[kind] = MOST_PHASES;
    for (size_t k = 0; k < c->count; k++) {
      size_t *phase = &phase_of[kind_of(c, k)];
      if (*phase == MOST_PHASES)
        *phase = next++;
      c->known->blocks->runs[c->list[k].run].phase = (uint32_t)*phase;
    }
    static const char *const numbered[MOST_PHASES] = {"phase 1", "phase 2", "phase 3", "phase 4"};
    static const char *const kinds[] = {"kind 1", "kind 2"};
    etr_long_runs runs = {.is_long = c->is_long};
    for (size_t j = 0; j < c->count; j++)
      c->is_long[j] = kind_of(c, j) == longest;
    etr_long_runs_count(&runs, c->list, c->count);
    for (size_t j = 0; j < phases->count; j++)
      phases->names[j] = (phases->rule == ETR_PHASE_BY_TIMES ? kinds : numbered)[j];
    if (is_prefill(c, phases->rule, &runs)) {
      phases->names[phase_of[longest]] = "prefill";
      phases->names[phase_of[1 - longest]] = "decode";
    }
    return;
  }
}

static bool find_all_phases(etr_known_phases *phases, const known_runs *known) {
  size_t count;
  const etr_inference *list = etr_inferences_list(known->blocks, known->scratch, &count);
  candidates c = {
      .known = known,
      .values = etr_arena_alloc_array(known->scratch, known->blocks->run_count, sizeof *c.values),
      .sorted = etr_arena_alloc_array(known->scratch, known->blocks->run_count, sizeof *c.sorted),
      .is_long = etr_arena_alloc_array(known->scratch, known->blocks->run_count,
                                       sizeof *c.is_long)};
  if (!list || !c.values || !c.sorted || !c.is_long)
    return false;
  for (size_t i = 0, end; i < count; i = end) {
    end = etr_inferences_end_of_method(list, count, i);
    c.list = list + i;
    c.count = end - i;
    find_phases(&phases[list[i].method], &c);
  }
  return !c.failed;
}

etr_known_phases *etr_run_phases_find(const etr_blocks *blocks, const etr_dump *dumps,
                                      size_t method_count, etr_arena *arena) {
  etr_arena scratch = {0};
  known_runs known = {.blocks = blocks, .scratch = &scratch};
  etr_known_phases *phases = etr_arena_alloc_array(arena, method_count, sizeof *phases);
  bool good = phases && etr_runs_number_series(blocks, &scratch) && count_bytes(&known, dumps) &&
              number_events(&known) && find_all_phases(phases, &known);
  etr_arena_clear(&scratch);
  return good ? phases : NULL;
}
