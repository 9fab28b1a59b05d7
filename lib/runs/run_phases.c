/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_phases.c - kinds of runs, known by what they logged, by their events or by their operators' times.
 */
#include "runs/run_phases.h"

#include "base/stats.h"
#include "runs/inferences.h"
#include "runs/slow_runs.h"

#include <math.h>

enum { MOST_PHASES = ETR_COUNT(((etr_known_phases *)NULL)->names) };

static const double LEAST_FACTOR = 1.5; /* between medians of phases that are worth telling apart */
/* Measured: whatever slows runs down stays below one or the other; prompts, and branches that do other work, exceed
 * both. With 2 instead of 2.5, one in ten records whose slow runs hit operators unequally would have phases. */
static const double LEAST_ALIKE = .5, LEAST_WIDTH = 2.5;
/* Where a single long run is compared with the first one of all, both may have cold caches, which stretch the same
 * operators: by 4.2 in the widest of our records, while prompts have 13 and more. */
static const double LEAST_WIDTH_OF_PAIR = 6;
static const double LEAST_GAP = 1.25; /* between long runs and others: a short prompt takes little longer than a step */
enum { GAPS_TRIED = 3 };              /* the widest may be between prompts, or below steps that were disturbed */

const char *etr_phase_rule_name(etr_phase_rule rule) {
  static const char *const names[] = {"sizes", "events", "times"};
  return (size_t)rule < ETR_COUNT(names) ? names[rule] : "";
}

/* ---- What is known of runs ---- */

/* All runs of a profile. */
typedef struct known_runs {
  const etr_blocks *blocks;
  double *bytes;  /* per run: of the values that it logged */
  double *events; /* per block: blocks with the same events have the same number */
  etr_arena *scratch;
} known_runs;

static bool count_bytes(known_runs *k, const etr_dump *dumps) {
  size_t first_run = 0;
  k->bytes = etr_arena_alloc_array(k->scratch, k->blocks->run_count, sizeof *k->bytes);
  for (size_t i = 0; k->bytes && first_run < k->blocks->run_count; first_run += dumps[i++].run_count)
    for (size_t v = 0; v < dumps[i].value_count; v++)
      k->bytes[first_run + dumps[i].values[v].run] += (double)dumps[i].values[v].byte_size;
  return k->bytes != NULL;
}

static bool number_events(known_runs *k) {
  etr_map numbers;
  etr_map_init(&numbers, k->scratch);
  k->events = etr_arena_alloc_array(k->scratch, k->blocks->block_count, sizeof *k->events);
  for (size_t i = 0; k->events && i < k->blocks->block_count; i++) {
    /* Of what tells the events of a block; interned texts are told by their pointers. */
    const etr_block *block = &k->blocks->blocks[i];
    uint64_t hash = block->event_count;
    for (size_t j = 0; j < block->event_count; j++) {
      const etr_event *event = &block->events[j];
      const uint64_t parts[] = {(uintptr_t)event->name, (uintptr_t)event->delegate_id, (uint32_t)event->instruction_id};
      for (size_t m = 0; m < ETR_COUNT(parts); m++) {
        hash = (hash ^ parts[m]) * 0x9E3779B97F4A7C15u; /* the golden ratio: spreads what is close together */
        hash ^= hash >> 32;
      }
    }
    k->events[i] = etr_map_number(&numbers, (etr_slice){(const char *)&hash, sizeof hash});
  }
  return k->events != NULL && !etr_arena_failed(k->scratch);
}

/* ---- Kinds of a method's runs ---- */

/* A method's runs and a number for each, by which they are told apart. */
typedef struct candidates {
  const known_runs *known;
  const etr_inference *list; /* by series, of a series by run */
  size_t count;
  double *values, *sorted; /* `count` entries */
  size_t kinds;
  double least[MOST_PHASES]; /* the smallest value of each, ascending */
  bool *is_long;             /* `count` entries: runs of the kind that takes longest */
  bool failed;               /* out of memory */
} candidates;

static double ticks_of(const candidates *c, size_t i) {
  return (double)c->known->blocks->runs[c->list[i].run].execute_ticks;
}

static size_t kind_of(const candidates *c, size_t i) {
  size_t kind = c->kinds - 1;
  while (kind > 0 && c->values[i] < c->least[kind]) kind--;
  return kind;
}

/* A kind for each value. */
static bool tell_values_apart(candidates *c) {
  c->kinds = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (i > 0 && c->sorted[i] <= c->sorted[i - 1]) continue;
    if (c->kinds++ < MOST_PHASES) c->least[c->kinds - 1] = c->sorted[i];
  }
  return c->kinds >= 2 && c->kinds <= MOST_PHASES;
}

/* How far apart sorted values are, but for a tenth at either end: one that stands out does not make them wide. */
static double width_of(const double *sorted, size_t count) {
  size_t end = count / 10;
  return sorted[count - 1 - end] / sorted[end];
}

/* The place of the widest gap between sorted values; 0: all are the same. */
static size_t widest_gap(const candidates *c, double *gap) {
  size_t at = 0;
  *gap = 1;
  for (size_t i = 1; i < c->count; i++) {
    double ratio = c->sorted[i] / c->sorted[i - 1];
    if (ratio <= *gap) continue;
    *gap = ratio;
    at = i;
  }
  return at;
}

/* Two kinds, the greater from sorted[at] on, if each is closer together than they are apart. */
static bool split_at(candidates *c, size_t at, double gap) {
  c->kinds = 2;
  c->least[0] = c->sorted[0];
  c->least[1] = c->sorted[at];
  return width_of(c->sorted, at) < gap && width_of(c->sorted + at, c->count - at) < gap;
}

/* Prompts are of many sizes, but all are larger than a single step. */
static bool tell_sizes_apart(candidates *c) {
  double gap;
  if (!(c->sorted[0] > 0)) return false; /* a run that logged nothing */
  size_t at = widest_gap(c, &gap);
  return at > 0 && (split_at(c, at, gap) || tell_values_apart(c));
}

/* ---- By times alone ---- */

/* Runs that are long, or short, but not those that lead their series: these may warm up, which stretches the same
 * operators each time. */
static size_t list_inner(const candidates *c, const bool *is_long, bool wants_long, uint32_t *list) {
  size_t count = 0;
  bool in_leading_group = false;
  for (size_t i = 0; i < c->count; i++) {
    bool starts = i == 0 || c->list[i].series != c->list[i - 1].series;
    in_leading_group = is_long[i] && (starts || in_leading_group);
    if (!in_leading_group && is_long[i] == wants_long) list[count++] = c->list[i].run;
  }
  return count;
}

/* A single inner long run is compared with the one that leads its series. False: that is none. */
static bool add_leading(const candidates *c, const bool *is_long, uint32_t *inner) {
  const etr_run *runs = c->known->blocks->runs;
  for (size_t i = 0; i < c->count; i++) {
    if (c->list[i].series != runs[inner[0]].series) continue;
    inner[1] = inner[0];
    inner[0] = c->list[i].run;
    return is_long[i];
  }
  return false;
}

/* Long runs do other work if they stretch operators unlike each other, and each of them alike. */
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
      c->failed |= !etr_operator_stretch_of(&stretch, c->known->blocks, long_runs, longs, short_runs, shorts);
  } else
    c->failed = true;
  etr_arena_clear(&scratch);
  return stretch.alike >= LEAST_ALIKE && stretch.width >= least_width;
}

static bool tell_times_apart(candidates *c) {
  etr_gap gap = {LEAST_GAP, INFINITY};
  for (int tried = 0; tried < GAPS_TRIED && !c->failed; tried++) {
    etr_long_runs runs;
    c->failed = !etr_long_runs_of(&runs, &gap, c->known->blocks, c->list, c->count, c->known->scratch);
    if (c->failed || !runs.is_long) return false;
    if (!do_other_work(c, &runs)) continue;
    /* Two kinds: short runs, and long ones from the shortest of these on. */
    c->kinds = 2;
    c->least[0] = c->sorted[0];
    c->least[1] = INFINITY;
    for (size_t i = 0; i < c->count; i++)
      if (runs.is_long[i]) c->least[1] = ETR_MIN(c->least[1], ticks_of(c, i));
    return !c->failed;
  }
  return false;
}

/* ---- The kinds ---- */

/* A run that is first in its series may have other events because it is. */
static bool is_only_first(const candidates *c, size_t kind) {
  for (size_t i = 1; i < c->count; i++)
    if (kind_of(c, i) == kind && c->list[i].series == c->list[i - 1].series) return false;
  return true;
}

/* The kind whose runs take longest; MOST_PHASES if no kind takes much longer than another. */
static size_t longest_kind(candidates *c) {
  double least = INFINITY, most = 0;
  size_t longest = 0;
  for (size_t kind = 0; kind < c->kinds; kind++) {
    /* A kind's median. */
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
      if (kind_of(c, i) == kind) c->sorted[count++] = ticks_of(c, i);
    etr_sort(c->sorted, count, sizeof *c->sorted, etr_by_double);
    double median = etr_median_of_sorted(c->sorted, count);
    if (median > most) longest = kind;
    most = ETR_MAX(most, median);
    least = ETR_MIN(least, median);
  }
  return most > 0 && most >= LEAST_FACTOR * least ? longest : MOST_PHASES;
}

/* ---- Telling ---- */

/* Events that only runs have that are first in their series are those of warm-up. */
static bool tell_events_apart(candidates *c) {
  bool tells = tell_values_apart(c);
  for (size_t kind = 0; tells && kind < c->kinds; kind++) tells = !is_only_first(c, kind);
  return tells;
}

static bool tells(candidates *c, etr_phase_rule rule) {
  for (size_t i = 0; i < c->count; i++) {
    uint32_t run = c->list[i].run;
    switch (rule) {
    case ETR_PHASE_BY_SIZES: c->values[i] = c->known->bytes[run]; break;
    case ETR_PHASE_BY_EVENTS: c->values[i] = c->known->events[c->known->blocks->runs[run].block]; break;
    case ETR_PHASE_BY_TIMES: c->values[i] = ticks_of(c, i); break;
    }
    c->sorted[i] = c->values[i];
  }
  etr_sort(c->sorted, c->count, sizeof *c->sorted, etr_by_double);
  switch (rule) {
  case ETR_PHASE_BY_SIZES: return tell_sizes_apart(c);
  case ETR_PHASE_BY_EVENTS: return tell_events_apart(c);
  default: return tell_times_apart(c);
  }
}

/* Prompts come first, and fewer than steps do. By times alone they also have to come one at a time, or equally many,
 * and two steps at least behind each: less is a pattern of other things. */
static bool is_prefill(const candidates *c, etr_phase_rule rule, const etr_long_runs *runs) {
  bool in_order = c->kinds == 2 && runs->leads && runs->long_count < runs->short_count;
  bool is_regular = runs->shortest == runs->longest && (runs->distances == 0 || runs->least_between > 1);
  return in_order && rule != ETR_PHASE_BY_EVENTS && (rule == ETR_PHASE_BY_SIZES || is_regular);
}

static void tell(etr_known_phases *told, candidates *c) {
  static const etr_phase_rule rules[] = {ETR_PHASE_BY_SIZES, ETR_PHASE_BY_EVENTS, ETR_PHASE_BY_TIMES};
  size_t phase_of[MOST_PHASES];
  for (size_t i = 0; i < ETR_COUNT(rules); i++) {
    size_t longest = tells(c, rules[i]) ? longest_kind(c) : MOST_PHASES;
    if (longest == MOST_PHASES) continue;
    *told = (etr_known_phases){.count = c->kinds, .rule = rules[i]};
    /* Numbers the kinds in the order of their first runs. */
    size_t next = 0;
    for (size_t kind = 0; kind < c->kinds; kind++) phase_of[kind] = MOST_PHASES;
    for (size_t k = 0; k < c->count; k++) {
      size_t *phase = &phase_of[kind_of(c, k)];
      if (*phase == MOST_PHASES) *phase = next++;
      c->known->blocks->runs[c->list[k].run].phase = (uint32_t)*phase;
    }
    static const char *const numbered[MOST_PHASES] = {"phase 1", "phase 2", "phase 3", "phase 4"};
    static const char *const kinds[] = {"kind 1", "kind 2"};
    etr_long_runs runs = {.is_long = c->is_long};
    for (size_t j = 0; j < c->count; j++) c->is_long[j] = kind_of(c, j) == longest;
    etr_long_runs_count(&runs, c->list, c->count);
    for (size_t j = 0; j < told->count; j++) told->names[j] = (told->rule == ETR_PHASE_BY_TIMES ? kinds : numbered)[j];
    if (is_prefill(c, told->rule, &runs)) {
      told->names[phase_of[longest]] = "prefill";
      told->names[phase_of[1 - longest]] = "decode";
    }
    return;
  }
}

static bool tell_all(etr_known_phases *told, const known_runs *known) {
  size_t count;
  const etr_inference *list = etr_inferences_list(known->blocks, known->scratch, &count);
  candidates c = {.known = known,
                  .values = etr_arena_alloc_array(known->scratch, known->blocks->run_count, sizeof *c.values),
                  .sorted = etr_arena_alloc_array(known->scratch, known->blocks->run_count, sizeof *c.sorted),
                  .is_long = etr_arena_alloc_array(known->scratch, known->blocks->run_count, sizeof *c.is_long)};
  if (!list || !c.values || !c.sorted || !c.is_long) return false;
  for (size_t i = 0, end; i < count; i = end) {
    end = etr_inferences_end_of_method(list, count, i);
    c.list = list + i;
    c.count = end - i;
    tell(&told[list[i].method], &c);
  }
  return !c.failed;
}

etr_known_phases *etr_run_phases_find(const etr_blocks *blocks, const etr_dump *dumps, size_t method_count,
                                     etr_arena *arena) {
  etr_arena scratch = {0};
  known_runs known = {.blocks = blocks, .scratch = &scratch};
  etr_known_phases *told = etr_arena_alloc_array(arena, method_count, sizeof *told);
  bool good = told && etr_runs_number_series(blocks, &scratch) && count_bytes(&known, dumps) && number_events(&known) &&
              tell_all(told, &known);
  etr_arena_clear(&scratch);
  return good ? told : NULL;
}
