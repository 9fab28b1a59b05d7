/* SPDX-License-Identifier: BSD-3-Clause
 *
 * methods.c - decides the method of each block of runs. An ETDump does not name it: it is inferred
 * from what ran.
 *
 * A block has the method that fits best (fit.h). If several fit equally, each of its runs is
 * decided on its own, by the first of these that can: the order in which record.json says that
 * methods ran; the sizes of values that it logged; the order of loads, because a run directly after
 * a load has the loaded method, if only one of the fitting methods had not run before; the times of
 * its kernels. Runs of different methods are moved into separate blocks. Remaining ties stay
 * undecided.
 */
#include "runs/blocks.h"
#include "runs/fit.h"
#include "runs/runs.h"

enum { MOST_NAMES = 8 }; /* of methods, or ranges of runs, in one message */

/* State of a run while the methods of blocks are decided. */
typedef struct run_state {
  bool executed; /* a method was executed, even if it had no instructions */
  bool tied;     /* its block fits several methods equally: their names are its rule, for now */
  bool by_load;  /* the order of loads decided it */
  bool is_contradicted;   /* times contradict the order of loads */
  uint32_t separated_run; /* for a tied run: a run of its block whose method the order of loads
                             identified; ETR_NONE */
  uint32_t loads;         /* number of methods loaded in the run */
  uint32_t verdict;       /* for a tied run: index in verdicts; ETR_NONE */
} run_state;

/* Which method a block is of, by its rows. */
typedef enum verdict_kind {
  VERDICT_METHOD,
  VERDICT_TIE,  /* several methods fit equally; `rule` lists their names */
  VERDICT_NONE, /* no method fits: the block is probably from another model */
  VERDICT_OPEN, /* not compared: the limit on comparisons was reached */
} verdict_kind;

typedef struct verdict {
  verdict_kind kind;
  uint32_t method, disagreeing; /* disagreeing: number of rows that contradict the method */
  const char *rule;
  const uint32_t *candidates; /* of a tie: the methods, ascending */
  size_t candidate_count;
  bool is_complete; /* no row contradicts the best method, and none is missing */
} verdict;

typedef struct decider {
  etr_blocks *blocks;
  const etr_method_inputs *inputs;
  size_t count;
  const etr_options *options;
  etr_warnings *warnings;
  etr_arena scratch;
  etr_fitter *fitter;
  etr_fits fits;           /* fits of the current block */
  run_state *runs;         /* one for each run */
  bool *logs_instructions; /* one for each dump */
  bool gave_up;            /* the limit on comparisons was reached, and a warning said so */
  etr_map verdict_of;      /* rows -> index in verdicts */
  etr_vec(verdict) verdicts;
  etr_map first_runs;    /* dump and method -> first run of the dump with this method */
  etr_map by_rows;       /* the same of methods that all rows of a run fit best */
  const etr_dump *dumps; /* NULL: nothing is known of logged values */
  uint32_t *groups;      /* per run: 0, or 1 + the method that was found for it on its own */
  bool any_found;        /* a run has a group since the last etr_blocks_divide() */
} decider;

/* ---- What runs are, and of which method ---- */

/* Counts the methods that an event loaded in each run of its block. A run has each row of its
 * block, even if the row has no time for it: then it counts as one load. */
static void count_loads(decider *d, const etr_block *block, const etr_event *event) {
  if (!etr_is_load(event->name))
    return;
  for (size_t i = 0; i < event->sample_count; i++)
    d->runs[event->sample_runs[i]].loads++;
  for (size_t i = 0; i < block->run_count; i++)
    d->runs[block->runs[i]].loads = ETR_MAX(d->runs[block->runs[i]].loads, 1);
}

typedef struct dump_method {
  uint32_t dump, method;
} dump_method;
ETR_NO_PADDING(dump_method, 2 * sizeof(uint32_t));

/* Records in a map that a run is of a method, so that the first such run of its dump is known. */
static void record_method_of_run(const decider *d, etr_map *map, uint32_t run, uint32_t method) {
  dump_method key = {d->blocks->runs[run].dump, method};
  etr_map_slot *slot = etr_map_at(map, ETR_BYTES(key));
  if (slot && (slot->value == ETR_NONE || run < slot->value))
    slot->value = run;
}

/* Returns true if an earlier run of the same dump is known to be of the method. */
static bool ran_before(const decider *d, uint32_t method, uint32_t run) {
  dump_method key = {d->blocks->runs[run].dump, method};
  uint32_t first = etr_map_get(&d->first_runs, ETR_BYTES(key));
  return first != ETR_NONE && first < run;
}

/* Sets the method of a block and of its runs; `rule` says in words how it was decided. */
static void set_method(decider *d, etr_block *block, uint32_t method, const char *rule) {
  block->method = method;
  block->method_rule = rule;
  for (size_t i = 0; i < block->run_count; i++)
    record_method_of_run(d, &d->first_runs, block->runs[i], method);
}

/* ---- One block ---- */

static const etr_fit *best_fit(const decider *d) {
  return &d->fits.list[d->fits.best].fit;
}

/* Returns true if a fit of the current block is as good as the best one. */
static bool is_best(const decider *d, size_t index) {
  return etr_fit_compare(&d->fits.list[index].fit, best_fit(d), NULL) == 0;
}

/* Returns how many methods fit the current block as well as the best one; more than one is a tie.
 */
static size_t count_best(const decider *d) {
  size_t count = 0;
  for (size_t i = 0; i < d->fits.count; i++)
    count += is_best(d, i);
  return count;
}

/* Returns the last part of the fits, in the order of their strength, that was needed to distinguish
 * the best fit from a worse one. ETR_FIT_AGAINST, the first part, means that each worse fit is
 * contradicted by more rows. It is also returned if no fit is worse. */
static etr_fit_part last_decisive_part(const decider *d) {
  etr_fit_part last = ETR_FIT_AGAINST, part;
  for (size_t i = 0; i < d->fits.count; i++)
    if (etr_fit_compare(&d->fits.list[i].fit, best_fit(d), &part) != 0)
      last = ETR_MAX(last, part);
  return last;
}

/* Returns in words, for block.method_rule, by what the best method of the current block was
 * recognized. If rows that contradict each other method (ETR_FIT_AGAINST) were enough, only this
 * one has the instructions. */
static const char *explain_rule(const decider *d) {
  const etr_fit *fit = best_fit(d);
  if (d->count == 1 && fit->exact)
    return "the program has no other method";
  if (fit->unchecked)
    return "the instruction numbers fit; the record has no graph of this method to check more";
  if (d->count == 1)
    return fit->against ? "the record has no other method; some events disagree"
                        : "the record has no other method";
  if (fit->exact && last_decisive_part(d) == ETR_FIT_AGAINST)
    return "no other method of the program has these instructions";
  if (fit->exact)
    return fit->missing ? "the program's instructions and the operators in delegates fit best"
                        : "the program's instructions and the operators in delegates fit";
  return fit->missing ? "instructions, operators and delegates fit best"
                      : "instructions, operators and delegates fit";
}

/* Returns the names of the first methods with the best fit, "encode, decode"; NULL when out of
 * memory. */
static char *list_names_of_best(const decider *d) {
  etr_arena *arena = d->warnings->arena;
  char *text = etr_arena_copy(arena, ETR_SLICE(""));
  for (size_t i = 0, listed = 0; text && i < d->fits.count && listed <= MOST_NAMES; i++) {
    if (!is_best(d, i))
      continue;
    const char *name = listed == MOST_NAMES ? "..." : d->inputs[d->fits.list[i].method].name;
    text = etr_arena_format(arena, "%s%s%.*s", text, listed++ ? ", " : "", ETR_HEAD(name, 80));
  }
  return text;
}

/* Returns the methods with the best fit to the current block as indices into the inputs, ascending.
 * The list lives as long as the blocks. Returns NULL when out of memory. */
static const uint32_t *list_best_methods(const decider *d) {
  uint32_t *list = etr_arena_alloc_array(d->warnings->arena, count_best(d), sizeof *list);
  for (size_t i = 0, listed = 0; list && i < d->fits.count; i++)
    if (is_best(d, i))
      list[listed++] = d->fits.list[i].method;
  return list;
}

/* ---- Verdicts ---- */

/* The part of a row that is compared with methods; hashed as bytes. */
typedef struct row_key {
  const char *name, *delegate_id;
  int32_t instruction_id;
  etr_event_kind kind;
} row_key;
ETR_NO_PADDING(row_key, 2 * sizeof(char *) + sizeof(int32_t) + sizeof(etr_event_kind));

/* Compares a block with all methods and returns which it can be of: one, several that fit equally,
 * none, or open because there was too much to compare. */
static verdict find_verdict(decider *d, const etr_block *block) {
  if (!etr_fitter_fit(d->fitter, block, &d->fits))
    return (verdict){.kind = VERDICT_OPEN};
  const etr_fit *fit = best_fit(d);
  uint32_t best = d->fits.list[d->fits.best].method;
  if (!etr_fit_is_any(fit))
    return (verdict){.kind = VERDICT_NONE};
  bool is_complete = fit->against == 0 && fit->strange == 0 && fit->missing == 0;
  if (count_best(d) > 1)
    return (verdict){.kind = VERDICT_TIE,
                     .is_complete = is_complete,
                     .rule = list_names_of_best(d),
                     .candidates = list_best_methods(d),
                     .candidate_count = count_best(d)};
  return (verdict){.kind = VERDICT_METHOD,
                   .is_complete = is_complete,
                   .method = best,
                   .rule = explain_rule(d),
                   .disagreeing = fit->exact ? 0 : fit->against + fit->strange};
}

/* Returns the verdict on a block, from a cache, because many blocks between different loads have
 * the same rows. Returns NULL when out of memory. */
static const verdict *find_or_add_verdict(decider *d, const etr_block *block) {
  etr_arena scratch = {0};
  size_t size = block->event_count * sizeof(row_key);
  row_key *rows = etr_arena_alloc(&scratch, size);
  for (size_t i = 0; rows && i < block->event_count; i++) {
    const etr_event *event = &block->events[i];
    rows[i] = (row_key){event->name, event->delegate_id, event->instruction_id, event->kind};
  }
  etr_map_slot *slot = rows ? etr_map_at(&d->verdict_of, (etr_slice){(const char *)rows, size})
                            : NULL;
  etr_arena_clear(&scratch);
  if (!slot)
    return NULL;
  if (slot->value == ETR_NONE) {
    verdict *added = etr_vec_push(&d->scratch, &d->verdicts);
    if (!added)
      return NULL;
    *added = find_verdict(d, block);
    slot->value = (uint32_t)d->verdicts.count - 1;
  }
  return &d->verdicts.data[slot->value];
}

/* ---- Deciding ---- */

/* Leaves a block without a method because it fits none, with a warning, and counts its runs as
 * foreign. */
static void reject_block(decider *d, etr_block *block) {
  block->method_rule = "fits no method: another model's dump?";
  d->blocks->foreign_run_count += block->run_count;
  etr_warn(d->warnings, NULL, NULL, ETR_NO_OFFSET,
           "run %u (\"%s\") fits no method of this record: is the ETDump from another model? Its "
           "times get no node",
           block->runs[0], block->name);
}

/* Leaves a block undecided. Only one warning is given for all such blocks. */
static void leave_open(decider *d, etr_block *block) {
  block->method_rule = "undecided: too many runs and methods to compare";
  if (!d->gave_up)
    etr_warn(d->warnings, NULL, NULL, ETR_NO_OFFSET,
             "too many runs and methods to compare: run %u and others get no method; raise this "
             "limit with "
             "--max-comparisons, or decide with --map RUN=METHOD",
             block->runs[0]);
  d->gave_up = true;
}

/* Marks the runs of a block as tied, because several methods fit them equally well. Its rule is the
 * list of these methods until the tie is decided or explained. */
static void record_tie(decider *d, etr_block *block, const verdict *v) {
  if (v->rule)
    block->method_rule = v->rule;
  for (size_t i = 0; i < block->run_count; i++) {
    d->runs[block->runs[i]].tied = true;
    d->runs[block->runs[i]].verdict = (uint32_t)(v - d->verdicts.data);
  }
}

/* Sets the method of a block, with a warning if some of its events disagree. */
static void accept_method(decider *d, etr_block *block, const verdict *v) {
  set_method(d, block, v->method, v->rule);
  for (size_t i = 0; v->is_complete && i < block->run_count; i++)
    record_method_of_run(d, &d->by_rows, block->runs[i], v->method);
  if (v->disagreeing)
    etr_warn(d->warnings, NULL, NULL, ETR_NO_OFFSET,
             "run %u: %u of its events disagree with method %s of the record", block->runs[0],
             v->disagreeing, d->inputs[v->method].name);
}

/* Decides the method of a block by its events, or records why that is impossible. When out of
 * memory, nothing is decided and the scratch arena has failed. */
static void decide_by_rows(decider *d, etr_block *block) {
  const verdict *v = find_or_add_verdict(d, block);
  if (!v)
    return;
  switch (v->kind) {
  case VERDICT_METHOD:
    accept_method(d, block, v);
    break;
  case VERDICT_TIE:
    record_tie(d, block, v);
    break;
  case VERDICT_NONE:
    reject_block(d, block);
    break;
  case VERDICT_OPEN:
    leave_open(d, block);
    break;
  }
}

/* ---- Choices ---- */

/* Sets the method that the user chose for a block. Returns false if none was chosen. */
static bool choose_by_option(decider *d, etr_block *block) {
  const char *method = etr_chosen_method(d->options, block->runs[0]);
  for (uint32_t i = 0; method && i < d->count; i++) {
    if (strcmp(d->inputs[i].name, method) != 0)
      continue;
    set_method(d, block, i, "--map says so");
    return true;
  }
  return false;
}

/* ---- Order of loads ---- */

/* Returns how many methods were loaded in a run and since the last run before it that executed
 * one. */
static uint32_t count_loads_before(const decider *d, uint32_t run) {
  uint32_t loads = d->runs[run].loads;
  for (; run > 0 && !d->runs[run - 1].executed; run--)
    loads += d->runs[run - 1].loads;
  return loads;
}

/* Returns the method that was loaded directly before a run: the only one of the best methods that
 * had not run before in its dump; ETR_NONE if there are none or several. */
static uint32_t method_loaded_before(const decider *d, uint32_t run) {
  uint32_t found = ETR_NONE;
  for (size_t i = 0; i < d->fits.count; i++) {
    if (!is_best(d, i) || ran_before(d, d->fits.list[i].method, run))
      continue;
    if (found != ETR_NONE)
      return ETR_NONE;
    found = d->fits.list[i].method;
  }
  return found;
}

/* Decides the method of a single run of a tied block, and keeps it in d->groups (plus 1, as 0 is
 * none). The run is moved into a block of its own by separate_found_runs(), which must be called
 * once all such runs are known. */
static void decide_run(decider *d, uint32_t run, uint32_t method) {
  d->groups[run] = method + 1;
  d->any_found = true;
  record_method_of_run(d, &d->first_runs, run, method);
}

/* Moves the runs that decide_run() has decided into separate blocks, one for each method, which get
 * the method and the rule. Runs whose method was taken back get a block without a method. Returns
 * false when out of memory. */
static bool separate_found_runs(decider *d, const char *rule) {
  if (!d->any_found)
    return true;
  if (!etr_blocks_divide(d->blocks, d->warnings->arena, d->groups))
    return false;
  for (size_t i = 0; i < d->blocks->block_count; i++) {
    etr_block *block = &d->blocks->blocks[i];
    uint32_t group = d->groups[block->runs[0]];
    if (group == 0 || !d->runs[block->runs[0]].tied)
      continue;
    if (group == ETR_NONE) { /* its method was taken back */
      block->method = ETR_NONE;
      continue;
    }
    set_method(d, block, group - 1, rule);
    for (size_t k = 0; k < block->run_count; k++)
      d->runs[block->runs[k]].tied = false;
  }
  d->any_found = false;
  return true;
}

/* Decides those runs of a tied block before which exactly one method was loaded: they are of the
 * loaded method, if only one of the best methods had not run before. The fits are computed again,
 * because keeping those of all ties would take memory for methods times blocks. If the limit on
 * comparisons is reached, the runs stay tied, which is no failure. Returns false when out of
 * memory. */
static bool find_methods_by_loads(decider *d, const etr_block *block) {
  bool is_fitted = false;
  for (size_t i = 0; i < block->run_count; i++) {
    uint32_t run = block->runs[i];
    if (count_loads_before(d, run) != 1)
      continue;
    if (!is_fitted && !etr_fitter_fit(d->fitter, block, &d->fits))
      return !etr_arena_failed(&d->scratch);
    is_fitted = true;
    uint32_t method = method_loaded_before(d, run);
    if (method == ETR_NONE)
      continue;
    decide_run(d, run, method);
    d->runs[run].by_load = true;
    for (size_t k = 0; k < block->run_count; k++)
      d->runs[block->runs[k]].separated_run = run;
  }
  return true;
}

/* Decides tied runs directly after loads by the order of loads. Returns false when out of memory.
 */
static bool decide_by_loads(decider *d) {
  for (size_t i = 0; i < d->blocks->block_count; i++) {
    const etr_block *block = &d->blocks->blocks[i];
    if (d->runs[block->runs[0]].tied && !find_methods_by_loads(d, block))
      return false;
  }
  return separate_found_runs(d, "the other candidates had run before");
}

/* ---- What record.json says ---- */

/* Sets in `order` the index of each method that was recorded. Returns false if one has no inputs,
 * or if nothing is known. */
static bool find_recorded_methods(const decider *d, uint32_t order[ETR_MOST_RECORDED]) {
  const etr_recorded_runs *recorded = d->blocks->recorded;
  for (size_t i = 0; recorded && i < recorded->method_count; i++) {
    order[i] = ETR_NONE;
    for (uint32_t k = 0; k < d->count && order[i] == ETR_NONE; k++)
      if (strcmp(d->inputs[k].name, recorded->methods[i]) == 0)
        order[i] = k;
    if (order[i] == ETR_NONE)
      return false;
  }
  return recorded && recorded->method_count > 0;
}

/* Returns true if a run may be of a method: what is known of it so far does not say otherwise. */
static bool may_be(const decider *d, uint32_t run, uint32_t method) {
  if (!d->runs[run].tied)
    return d->blocks->blocks[d->blocks->runs[run].block].method == method;
  const verdict *tie = &d->verdicts.data[d->runs[run].verdict];
  for (size_t i = 0; tie->candidates && i < tie->candidate_count; i++)
    if (tie->candidates[i] == method)
      return true;
  return false;
}

/* Decides the tied runs [first, end) of one dump as record.json says, if these are as many as it
 * says, and each of them may be of the method that it says. */
static void decide_dump_as_recorded(decider *d, const uint32_t *order, size_t first, size_t end) {
  const etr_recorded_runs *recorded = d->blocks->recorded;
  uint64_t wanted = (uint64_t)recorded->method_count * recorded->runs, seen = 0;
  for (size_t run = first; run < end; run++) {
    if (!d->runs[run].executed)
      continue;
    if (seen == wanted || !may_be(d, (uint32_t)run, order[seen / recorded->runs]))
      return;
    seen++;
  }
  if (seen != wanted)
    return;
  seen = 0;
  for (size_t run = first; run < end; run++) {
    if (d->runs[run].tied)
      decide_run(d, (uint32_t)run, order[seen / recorded->runs]);
    seen += d->runs[run].executed;
  }
}

/* Returns what record.json says in words: "each ETDump has 20 runs of prefill, then 20 of decode".
 * NULL when out of memory. */
static const char *text_of_recorded(const decider *d) {
  const etr_recorded_runs *recorded = d->blocks->recorded;
  const char *text = etr_arena_format(d->warnings->arena, "each ETDump has %u run%s",
                                      recorded->runs, etr_plural(recorded->runs));
  for (size_t i = 0; text && i < recorded->method_count; i++) {
    const char *gap = i ? etr_arena_format(d->warnings->arena, ", then %u", recorded->runs) : "";
    text = etr_arena_format(d->warnings->arena, "%s%s of %.*s", text, etr_or_empty(gap),
                            ETR_HEAD(recorded->methods[i], 80));
  }
  return text;
}

/* Decides tied runs by the order in which record.json says that methods ran. Returns false when out
 * of memory. */
static bool decide_as_recorded(decider *d) {
  static const char rule[] = "known by record.json";
  uint32_t order[ETR_MOST_RECORDED];
  const etr_blocks *blocks = d->blocks;
  if (!find_recorded_methods(d, order))
    return true;
  for (size_t first = 0, end; first < blocks->run_count; first = end) {
    for (end = first;
         end < blocks->run_count && blocks->runs[end].dump == blocks->runs[first].dump;)
      end++;
    decide_dump_as_recorded(d, order, first, end);
  }
  const char *evidence = d->any_found ? text_of_recorded(d) : "";
  if (!evidence || !separate_found_runs(d, rule))
    return false;
  for (size_t i = 0; i < blocks->block_count; i++)
    if (blocks->blocks[i].method_rule == rule)
      d->blocks->blocks[i].method_evidence = evidence;
  return true;
}

/* ---- Rows of other runs ---- */

/* Returns the only one of a tie's candidates that a run of this dump can be of. One is left out if
 * it always does the same work and has runs in the dump, known by their rows: all of its runs there
 * have these rows. ETR_NONE if several are left, or none. */
static uint32_t find_candidate_of_other_rows(const decider *d, const verdict *tie, uint32_t dump) {
  uint32_t found = ETR_NONE;
  for (size_t i = 0; i < tie->candidate_count; i++) {
    dump_method key = {dump, tie->candidates[i]};
    if (d->inputs[key.method].varies == ETR_WORK_IS_THE_SAME &&
        etr_map_get(&d->by_rows, ETR_BYTES(key)) != ETR_NONE)
      continue;
    if (found != ETR_NONE)
      return ETR_NONE;
    found = key.method;
  }
  return found;
}

/* Decides tied runs by the rows of other runs. A run whose rows all fit several methods may be one
 * of them with an operator less that a backend does not always run, such as XNNPACK's slices.
 * Returns false when out of memory. */
static bool decide_by_other_rows(decider *d) {
  for (uint32_t run = 0; run < d->blocks->run_count; run++) {
    if (!d->runs[run].tied)
      continue;
    const verdict *tie = &d->verdicts.data[d->runs[run].verdict];
    if (!tie->is_complete || !tie->candidates) /* out of memory, which the arena remembers */
      continue;
    uint32_t method = find_candidate_of_other_rows(d, tie, d->blocks->runs[run].dump);
    if (method != ETR_NONE)
      decide_run(d, run, method);
  }
  return separate_found_runs(d, "the runs of the other candidates have other events");
}

/* ---- Sizes of logged values ---- */

/* The values that a run logged. */
typedef struct logged_values {
  const etr_debug_value *list;
  size_t count;
} logged_values;

/* Lists the logged values of each run. Values of a dump are sorted by run. Returns NULL when out
 * of memory. */
static logged_values *list_logged_values(const decider *d, etr_arena *scratch) {
  logged_values *values = etr_arena_alloc_array(scratch, d->blocks->run_count, sizeof *values);
  uint32_t first_run = 0;
  for (size_t i = 0; values && first_run < d->blocks->run_count; i++) {
    const etr_dump *dump = &d->dumps[i];
    for (size_t v = 0; v < dump->value_count; v++) {
      logged_values *of_run = &values[first_run + dump->values[v].run];
      if (of_run->count == 0)
        of_run->list = &dump->values[v];
      of_run->count++;
    }
    first_run += (uint32_t)dump->run_count;
  }
  return values;
}

/* Returns the only one of the best methods that no logged value of a run contradicts by its size,
 * if a value agrees with it; ETR_NONE if there are none or several. */
static uint32_t find_method_by_sizes(const decider *d, const logged_values *values) {
  uint32_t found = ETR_NONE;
  for (size_t i = 0; i < d->fits.count; i++) {
    size_t agreeing = 0, contradicting = 0;
    for (size_t v = 0; is_best(d, i) && contradicting == 0 && v < values->count; v++) {
      const etr_method_inputs *method = &d->inputs[d->fits.list[i].method];
      etr_size_vote vote = etr_logged_size_vote(method, &values->list[v]);
      agreeing += vote == ETR_SIZE_AGREES;
      contradicting += vote == ETR_SIZE_CONTRADICTS;
    }
    if (!is_best(d, i) || contradicting > 0)
      continue;
    if (agreeing == 0 || found != ETR_NONE)
      return ETR_NONE;
    found = d->fits.list[i].method;
  }
  return found;
}

/* Decides tied runs by the sizes of the values that they logged, run by run. A block stays tied if
 * the limit on comparisons is reached, which is no failure. Returns false when out of memory. */
static bool decide_by_sizes(decider *d) {
  etr_arena scratch = {0};
  const logged_values *values = d->dumps ? list_logged_values(d, &scratch) : NULL;
  bool good = values || !d->dumps;
  for (size_t i = 0; good && values && i < d->blocks->block_count; i++) {
    const etr_block *block = &d->blocks->blocks[i];
    bool is_fitted = false;
    for (size_t k = 0; d->runs[block->runs[0]].tied && k < block->run_count; k++) {
      uint32_t run = block->runs[k];
      if (values[run].count == 0)
        continue;
      if (!is_fitted && !etr_fitter_fit(d->fitter, block, &d->fits))
        break;
      is_fitted = true;
      uint32_t method = find_method_by_sizes(d, &values[run]);
      if (method != ETR_NONE)
        decide_run(d, run, method);
    }
  }
  etr_arena_clear(&scratch);
  return good && !etr_arena_failed(&d->scratch) &&
         separate_found_runs(d, "the sizes of the logged values fit no other method");
}

/* ---- Times ---- */

/* The runs of one dump that may be of the same two methods. */
typedef struct tied_runs {
  uint32_t *runs;
  bool *behind_load;
  etr_time_label *labels;
  size_t count;
} tied_runs;

/* Sets pair[0] and pair[1] to the two methods that fit a block best; the first one computes more
 * (multiply-accumulates). Returns false if there are not two, if their costs are not known, or when
 * out of memory. */
static bool find_two_best_methods(decider *d, const etr_block *block,
                                  const etr_method_inputs *pair[2]) {
  size_t count = 0;
  if (!etr_fitter_fit(d->fitter, block, &d->fits) || count_best(d) != 2)
    return false;
  for (size_t i = 0; i < d->fits.count; i++)
    if (is_best(d, i))
      pair[count++] = &d->inputs[d->fits.list[i].method];
  if (pair[0]->macs < pair[1]->macs) {
    const etr_method_inputs *cheaper = pair[0];
    pair[0] = pair[1];
    pair[1] = cheaper;
  }
  return pair[0]->macs != ETR_UNKNOWN && pair[1]->macs > 0;
}

/* Takes back the method that the order of loads gave a run, because its times contradict: the run
 * is tied again, and separate_found_runs() moves it into a block without a method. */
static void take_back_method(decider *d, uint32_t run) {
  d->runs[run].is_contradicted = d->runs[run].tied = true;
  d->groups[run] = ETR_NONE;
  d->any_found = true;
}

/* Decides the runs that times have labeled: they are of pair[0], the dearer method, or of pair[1].
 * The method is taken back from a run to which the order of loads gave the other one; d->groups has
 * 1 + the method that was found for a run. */
static void decide_labeled_runs(decider *d, const tied_runs *tied,
                                const etr_method_inputs *const pair[2]) {
  for (size_t i = 0; i < tied->count; i++) {
    uint32_t run = tied->runs[i];
    if (tied->labels[i] == ETR_TIME_LABEL_UNKNOWN)
      continue;
    const etr_method_inputs *method = pair[tied->labels[i] == ETR_TIME_LABEL_DEARER ? 0 : 1];
    uint32_t index = (uint32_t)(method - d->inputs);
    if (d->runs[run].tied)
      decide_run(d, run, index);
    else if (d->groups[run] != index + 1)
      take_back_method(d, run);
  }
}

/* Sets the rule and the evidence, in words, of the blocks whose method times decided, but not of
 * runs that the order of loads decided. The evidence names the ratio of the multiply-accumulates of
 * both methods. */
static void explain_decision_by_times(decider *d, const tied_runs *tied, etr_time_rule rule,
                                      const etr_method_inputs *const pair[2]) {
  double ratio = (double)pair[0]->macs / (double)pair[1]->macs;
  const char *evidence = etr_arena_format(
      d->warnings->arena, "%.*s multiplies %.3g times as many numbers as %.*s",
      ETR_HEAD(pair[0]->name, 80), ratio, ETR_HEAD(pair[1]->name, 80));
  for (size_t i = 0; i < tied->count; i++) {
    etr_block *block = &d->blocks->blocks[d->blocks->runs[tied->runs[i]].block];
    if (d->runs[tied->runs[i]].by_load || block->method == ETR_NONE)
      continue;
    block->method_rule = etr_time_rule_name(rule);
    if (evidence)
      block->method_evidence = evidence;
  }
}

/* Decides tied runs of one dump by their times, if exactly two methods fit them and their times are
 * clearly in two groups; otherwise they stay tied, which is no failure. Returns false when out of
 * memory. */
static bool decide_dump_by_times(decider *d, tied_runs *tied) {
  const etr_method_inputs *pair[2];
  etr_time_rule rule;
  const etr_block *block = &d->blocks->blocks[d->blocks->runs[tied->runs[0]].block];
  if (!find_two_best_methods(d, block, pair))
    return !etr_arena_failed(&d->scratch);
  const etr_time_question question = {.blocks = d->blocks,
                                      .dearer = pair[0],
                                      .cheaper = pair[1],
                                      .runs = tied->runs,
                                      .behind_load = tied->behind_load,
                                      .run_count = tied->count};
  if (!etr_methods_by_time(tied->labels, &rule, &question))
    return false;
  if (rule == ETR_TIME_RULE_NONE)
    return true;
  decide_labeled_runs(d, tied, pair);
  if (!separate_found_runs(d, etr_time_rule_name(rule)))
    return false;
  explain_decision_by_times(d, tied, rule, pair);
  return true;
}

/* Lists the runs [first, end) of a dump that have this verdict and are tied, and those that the
 * order of loads decided, which times can confirm or contradict. */
static void list_runs_with_verdict(const decider *d, tied_runs *tied, uint32_t verdict_index,
                                   size_t first, size_t end) {
  tied->count = 0;
  for (size_t run = first; run < end; run++) {
    const run_state *state = &d->runs[run];
    if (state->verdict != verdict_index || !(state->tied || state->by_load))
      continue;
    tied->behind_load[tied->count] = count_loads_before(d, (uint32_t)run) > 0;
    tied->runs[tied->count++] = (uint32_t)run;
  }
}

/* Decides tied runs by their times: the runs of one dump and one verdict together, because times of
 * different dumps may be of different machines. Returns false when out of memory. */
static bool decide_by_times(decider *d) {
  etr_arena scratch = {0};
  size_t count = d->blocks->run_count, start = 0, end = 0;
  tied_runs tied = {.runs = etr_arena_alloc_array(&scratch, count, sizeof *tied.runs),
                    .behind_load = etr_arena_alloc_array(&scratch, count, sizeof *tied.behind_load),
                    .labels = etr_arena_alloc_array(&scratch, count, sizeof *tied.labels)};
  /* Per verdict: 1 + the last dump whose runs with it were looked at. */
  uint32_t *dump_seen = etr_arena_alloc_array(&scratch, d->verdicts.count, sizeof *dump_seen);
  bool good = tied.runs && tied.behind_load && tied.labels && dump_seen;
  for (size_t run = 0; good && run < count; run++) {
    if (run == end) /* the next dump */
      for (start = run; end < count && d->blocks->runs[end].dump == d->blocks->runs[run].dump;)
        end++;
    uint32_t index = d->runs[run].verdict, dump = d->blocks->runs[run].dump + 1;
    if (!d->runs[run].tied || dump_seen[index] == dump)
      continue;
    dump_seen[index] = dump;
    list_runs_with_verdict(d, &tied, index, start, end);
    good = decide_dump_by_times(d, &tied);
  }
  etr_arena_clear(&scratch);
  return good;
}

/* ---- Ties ---- */

/* Runs as text. */
typedef struct run_texts {
  const char *runs; /* "3-8", "3-4, 7", at most MOST_NAMES ranges */
  const char *maps; /* the options that decide them: "--map 3-4=METHOD --map 7=METHOD" */
} run_texts;

/* Returns the number of a run in messages. */
static uint32_t number_of_run(const decider *d, uint32_t run) {
  return run + (d->options ? (uint32_t)d->options->run_offset : 0);
}

/* Returns runs, which are ascending, as text for messages, "3, 5-7", and as options, "--map
 * 3=METHOD --map 5-7=METHOD". Members are NULL when out of memory. */
static run_texts text_of_runs(etr_arena *arena, const uint32_t *list, size_t count) {
  run_texts text = {"", ""};
  for (size_t i = 0, end, listed = 0; text.runs && text.maps && i < count; i = end, listed++) {
    for (end = i + 1; end < count && list[end] == list[end - 1] + 1;)
      end++;
    const char *gap = listed ? ", " : "", *blank = listed ? " " : "";
    if (listed == MOST_NAMES) {
      text.runs = etr_arena_format(arena, "%s, ...", text.runs);
      text.maps = etr_arena_format(arena, "%s ... (\"runs\" of events --format json has all)",
                                   text.maps);
      break;
    }
    const char *range = end - i == 1 ? etr_arena_format(arena, "%u", list[i])
                                     : etr_arena_format(arena, "%u-%u", list[i], list[end - 1]);
    if (!range)
      return (run_texts){0};
    text.runs = etr_arena_format(arena, "%s%s%s", text.runs, gap, range);
    text.maps = etr_arena_format(arena, "%s%s--map %s=METHOD", text.maps, blank, range);
  }
  return text;
}

/* Returns true if the .pte was given. It lists what handle maps lack: instructions without a node,
 * and the operators inside delegates. */
static bool has_program(const decider *d) {
  for (size_t i = 0; i < d->count; i++)
    if (d->inputs[i].program)
      return true;
  return false;
}

/* Returns what the order of loads says about a block of tied runs, as the end of a message; "" if
 * it says nothing. */
static const char *text_about_loads(decider *d, const etr_block *block) {
  const run_state *state = &d->runs[block->runs[0]];
  if (state->is_contradicted)
    return "; the order of loads and the times contradict each other";
  if (state->separated_run == ETR_NONE)
    return "";
  const char *text = etr_arena_format(d->warnings->arena,
                                      "; the order of loads decides run %u alone",
                                      number_of_run(d, state->separated_run));
  return text ? text : "";
}

/* Lists all runs that have the verdict of this index and are still tied, as text. Its members are
 * NULL when out of memory. */
static run_texts text_of_tied_runs(decider *d, uint32_t index) {
  uint32_t *list = etr_arena_alloc_array(&d->scratch, d->blocks->run_count, sizeof *list);
  size_t count = 0;
  for (uint32_t i = 0; list && i < d->blocks->run_count; i++)
    if (d->runs[i].tied && d->runs[i].verdict == index)
      list[count++] = number_of_run(d, i);
  return text_of_runs(d->warnings->arena, list, count);
}

/* Sets the candidates of a tied block, and its rule: which methods fit equally, and with which
 * options the user can decide. */
static void explain_tie(decider *d, etr_block *block, const run_texts *text) {
  const verdict *tie = &d->verdicts.data[d->runs[block->runs[0]].verdict];
  block->candidates = tie->candidates;
  block->candidate_count = tie->candidate_count;
  const char *rule = etr_arena_format(d->warnings->arena, "tie: %s fit equally%s; decide with %s",
                                      tie->rule, text_about_loads(d, block), text->maps);
  if (rule)
    block->method_rule = rule;
}

/* Warns of all runs that have the verdict of a block's runs. */
static void warn_of_tie(decider *d, const etr_block *block, const run_texts *text) {
  etr_warn(
      d->warnings, NULL, NULL, ETR_NO_OFFSET,
      "run%s %s could be any of %s%s%s: %s %s (%san ETDump for each method makes that easy)",
      etr_plural(strpbrk(text->runs, ",-") ? 2 : 1), text->runs,
      d->verdicts.data[d->runs[block->runs[0]].verdict].rule,
      has_program(d) ? ", which the .pte does not distinguish" : "", text_about_loads(d, block),
      has_program(d) ? "decide with" : "give the .pte, which may distinguish them, or decide with",
      text->maps, strchr(text->runs, '-') ? "split a range that has runs of several; " : "");
}

/* Sets the rules of all blocks that are still tied, and warns once for all that have one verdict.
 * Returns false when out of memory. */
static bool explain_ties(decider *d) {
  run_texts *texts = etr_arena_alloc_array(&d->scratch, d->verdicts.count, sizeof *texts);
  for (size_t i = 0; texts && i < d->blocks->block_count; i++) {
    etr_block *block = &d->blocks->blocks[i];
    const run_state *state = &d->runs[block->runs[0]];
    if (!state->tied)
      continue;
    run_texts *text = &texts[state->verdict];
    bool is_new = !text->runs;
    if (is_new)
      *text = text_of_tied_runs(d, state->verdict);
    if (!text->runs || !text->maps)
      return false;
    explain_tie(d, block, text);
    if (is_new && !(d->options && d->options->without & ETR_WITHOUT_TIES))
      warn_of_tie(d, block, text);
  }
  return texts != NULL;
}

/* ---- All ---- */

/* Gives a block without rows the only method of the program without instructions: one that only
 * returns a constant leaves no rows. Where the dump logs no instructions at all, a block without
 * rows says nothing, and stays undecided. */
static void decide_without_rows(decider *d, etr_block *block) {
  uint32_t found = ETR_NONE;
  for (uint32_t i = 0; i < d->count; i++) {
    if (!d->inputs[i].program || d->inputs[i].program->instruction_count)
      continue;
    if (found != ETR_NONE)
      return;
    found = i;
  }
  if (found != ETR_NONE && d->logs_instructions[d->blocks->runs[block->runs[0]].dump])
    set_method(d, block, found, "no other method of the program is without instructions");
}

/* Decides the method of a block in which a method ran: what the user chose, or what its events
 * show. The rule says how, or why it has none. */
static void decide_block(decider *d, etr_block *block) {
  block->method_rule = "no method ran";
  if (!etr_block_executed(block) || (d->count && choose_by_option(d, block)))
    return;
  if (!etr_block_has_instructions(block))
    decide_without_rows(d, block);
  else if (d->count == 0)
    block->method_rule = "no ETRecord and no .pte: methods are unknown";
  else
    decide_by_rows(d, block);
}

/* Returns the number of dumps up to that of the last run. */
static size_t count_dumps(const etr_blocks *blocks) {
  return blocks->run_count ? (size_t)blocks->runs[blocks->run_count - 1].dump + 1 : 0;
}

/* Records for each run whether it executed a method and how many methods were loaded in it, and for
 * each dump whether it logs instructions. No run has a verdict yet, and none was separated by
 * loads. */
static void record_runs(decider *d) {
  for (size_t b = 0; b < d->blocks->block_count; b++) {
    const etr_block *block = &d->blocks->blocks[b];
    bool has_instructions = etr_block_has_instructions(block);
    run_state state = {
        .separated_run = ETR_NONE, .verdict = ETR_NONE, .executed = etr_block_executed(block)};
    for (size_t i = 0; i < block->run_count; i++) {
      uint32_t run = block->runs[i];
      d->runs[run] = state;
      d->logs_instructions[d->blocks->runs[run].dump] |= has_instructions;
    }
    for (size_t i = 0; i < block->event_count; i++)
      count_loads(d, block, &block->events[i]);
  }
}

/* Warns of choices of the user for runs in which no method ran, such as loads: the user probably
 * miscounted the runs. */
static void warn_of_idle_choices(const decider *d) {
  for (size_t i = 0; d->options && i < d->options->choice_count; i++) {
    const etr_method_choice *choice = &d->options->choices[i];
    size_t last = ETR_MAX(choice->run, choice->last), run = choice->run;
    while (run <= last && run < d->blocks->run_count && !d->runs[run].executed)
      run++;
    if (run > last)
      etr_warn(d->warnings, NULL, NULL, ETR_NO_OFFSET,
               "no method ran in run %zu: mapping it to %s has no effect", choice->run,
               choice->method);
  }
}

/* Decides the methods of all runs: by events first, then by record.json, sizes, loads and times for
 * those that are tied. Without options, the default limits the comparisons (0). Returns false when
 * out of memory. */
static bool decide_methods(decider *d) {
  d->runs = etr_arena_alloc_array(&d->scratch, d->blocks->run_count, sizeof *d->runs);
  d->logs_instructions = etr_arena_alloc_array(&d->scratch, count_dumps(d->blocks),
                                               sizeof *d->logs_instructions);
  d->groups = etr_arena_alloc_array(&d->scratch, d->blocks->run_count, sizeof *d->groups);
  d->fitter = etr_fitter_new(&d->scratch, d->inputs, d->count,
                             d->options ? d->options->max_comparisons : 0);
  if (!d->runs || !d->logs_instructions || !d->groups || !d->fitter)
    return false;
  etr_map_init(&d->first_runs, &d->scratch);
  etr_map_init(&d->by_rows, &d->scratch);
  etr_map_init(&d->verdict_of, &d->scratch);
  record_runs(d);
  for (size_t i = 0; i < d->blocks->block_count; i++)
    decide_block(d, &d->blocks->blocks[i]);
  warn_of_idle_choices(d);
  if (!decide_as_recorded(d) || !decide_by_other_rows(d) || !decide_by_sizes(d) ||
      !decide_by_loads(d) || !decide_by_times(d))
    return false;
  return explain_ties(d) && !etr_arena_failed(&d->scratch);
}

/* Decides the methods with memory of its own; if that is not enough, the arena of the warnings
 * fails. */
void etr_methods_decide(etr_blocks *blocks, const etr_method_inputs *inputs, size_t method_count,
                        const etr_dump *dumps, const etr_options *options, etr_warnings *warnings) {
  decider d = {.blocks = blocks,
               .dumps = dumps,
               .inputs = inputs,
               .count = method_count,
               .options = options,
               .warnings = warnings};
  if (!decide_methods(&d))
    etr_arena_fail(warnings->arena);
  etr_arena_clear(&d.scratch);
}
