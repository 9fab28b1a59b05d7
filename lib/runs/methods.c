/* SPDX-License-Identifier: BSD-3-Clause
 *
 * methods.c - decides the method of each block of runs. An ETDump does not name it: it is inferred
 * from what ran.
 *
 * A block has the method that fits best (fit.h). If several fit equally, the order of loads may
 * identify the method of one run: a run directly after a load has the loaded method, if only one of
 * the fitting methods had not run before. Such a run is moved into a separate block. Remaining ties
 * stay undecided.
 */
#include "runs/blocks.h"
#include "runs/fit.h"
#include "runs/runs.h"

enum { MOST_NAMES = 8 };

/* State of a run while the methods of blocks are decided. */
typedef struct run_state {
  bool executed; /* a method was executed, even if it had no instructions */
  bool tied;     /* its block fits several methods equally: their names are its rule, for now */
  uint32_t separated_run; /* for a tied run: a run of its block whose method the order of loads
                             identified; ETR_NONE */
  uint32_t loads;         /* number of methods loaded in the run */
} run_state;

/* The decision from the rows of a block. */
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
  etr_map first_runs; /* dump and method -> first run of the dump with this method */
  etr_vec(uint32_t) separated,
      separated_methods; /* runs whose method the order of loads identified, and the methods */
} decider;

/* ---- What runs are, and of which method ---- */

/* Records the methods that an event loaded. A run has each row of its block, even if a row has no
 * time. */
static void record_loads(decider *d, const etr_block *block, const etr_event *e) {
  if (!etr_is_load(e->name))
    return;
  for (size_t i = 0; i < e->sample_count; i++)
    d->runs[e->sample_runs[i]].loads++;
  for (size_t i = 0; i < block->run_count; i++)
    d->runs[block->runs[i]].loads = ETR_MAX(d->runs[block->runs[i]].loads, 1);
}

typedef struct dump_method {
  uint32_t dump, method;
} dump_method;
ETR_NO_PADDING(dump_method, 2 * sizeof(uint32_t));

static void record_run(decider *d, uint32_t run, uint32_t method) {
  dump_method key = {d->blocks->runs[run].dump, method};
  etr_map_slot *slot = etr_map_at(&d->first_runs, ETR_BYTES(key));
  if (slot && (slot->value == ETR_NONE || run < slot->value))
    slot->value = run;
}

static bool ran_before(const decider *d, uint32_t method, uint32_t run) {
  dump_method key = {d->blocks->runs[run].dump, method};
  uint32_t first = etr_map_get(&d->first_runs, ETR_BYTES(key));
  return first != ETR_NONE && first < run;
}

static void set_method(decider *d, etr_block *block, uint32_t method, const char *rule) {
  block->method = method;
  block->method_rule = rule;
  for (size_t i = 0; i < block->run_count; i++)
    record_run(d, block->runs[i], method);
}

/* ---- One block ---- */

static const etr_fit *best_fit(const decider *d) {
  return &d->fits.list[d->fits.best].fit;
}

static bool is_best(const decider *d, size_t index) {
  return etr_fit_compare(&d->fits.list[index].fit, best_fit(d), NULL) == 0;
}

static size_t count_best(const decider *d) {
  size_t count = 0;
  for (size_t i = 0; i < d->fits.count; i++)
    count += is_best(d, i);
  return count;
}

/* Returns the last part of the fits that was needed to distinguish the best fit from all others. */
static etr_fit_part decisive_part(const decider *d) {
  etr_fit_part most = ETR_FIT_AGAINST, part;
  for (size_t i = 0; i < d->fits.count; i++)
    if (etr_fit_compare(&d->fits.list[i].fit, best_fit(d), &part) != 0)
      most = ETR_MAX(most, part);
  return most;
}

static const char *rule_text(const decider *d) {
  const etr_fit *fit = best_fit(d);
  if (d->count == 1 && fit->exact)
    return "the program has no other method";
  if (fit->unchecked)
    return "the instruction numbers fit; the record has no graph of this method to check more";
  if (d->count == 1)
    return fit->against ? "the record has no other method; some events disagree"
                        : "the record has no other method";
  if (fit->exact && decisive_part(d) == ETR_FIT_AGAINST)
    return "no other method of the program has these instructions";
  if (fit->exact)
    return fit->missing ? "the program's instructions and the operators in delegates fit best"
                        : "the program's instructions and the operators in delegates fit";
  return fit->missing ? "instructions, operators and delegates fit best"
                      : "instructions, operators and delegates fit";
}

/* Returns the names of the first methods with the best fit: "encode, decode". */
static char *list_names(const decider *d) {
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

/* ---- What fits rows ---- */

/* The part of a row that is compared with methods; hashed as bytes. */
typedef struct row_key {
  const char *name, *delegate_id;
  int32_t instruction_id;
  etr_event_kind kind;
} row_key;
ETR_NO_PADDING(row_key, 2 * sizeof(char *) + sizeof(int32_t) + sizeof(etr_event_kind));

static verdict find_verdict(decider *d, const etr_block *block) {
  if (!etr_fitter_fit(d->fitter, block, &d->fits))
    return (verdict){.kind = VERDICT_OPEN};
  const etr_fit *fit = best_fit(d);
  uint32_t best = d->fits.list[d->fits.best].method;
  if (!etr_fit_is_any(fit))
    return (verdict){.kind = VERDICT_NONE};
  if (count_best(d) > 1)
    return (verdict){.kind = VERDICT_TIE, .rule = list_names(d)};
  return (verdict){.kind = VERDICT_METHOD,
                   .method = best,
                   .rule = rule_text(d),
                   .disagreeing = fit->exact ? 0 : fit->against};
}

/* Returns the verdict on a block, from a cache, because many blocks between different loads have
 * the same rows. Returns NULL when out of memory. */
static const verdict *verdict_of(decider *d, const etr_block *block) {
  etr_arena scratch = {0};
  size_t size = block->event_count * sizeof(row_key);
  row_key *rows = etr_arena_alloc(&scratch, size);
  for (size_t i = 0; rows && i < block->event_count; i++) {
    const etr_event *e = &block->events[i];
    rows[i] = (row_key){e->name, e->delegate_id, e->instruction_id, e->kind};
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

static void record_tie(decider *d, etr_block *block, const char *names) {
  if (names)
    block->method_rule = names;
  for (size_t i = 0; i < block->run_count; i++)
    d->runs[block->runs[i]].tied = true;
}

static void accept_method(decider *d, etr_block *block, const verdict *v) {
  set_method(d, block, v->method, v->rule);
  if (v->disagreeing)
    etr_warn(d->warnings, NULL, NULL, ETR_NO_OFFSET,
             "run %u: %u of its events disagree with method %s of the record", block->runs[0],
             v->disagreeing, d->inputs[v->method].name);
}

static void decide_by_rows(decider *d, etr_block *block) {
  const verdict *v = verdict_of(d, block);
  if (!v)
    return;
  switch (v->kind) {
  case VERDICT_METHOD:
    accept_method(d, block, v);
    break;
  case VERDICT_TIE:
    record_tie(d, block, v->rule);
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

/* Returns whether exactly one method was loaded between a run and the last execution before it. */
static bool is_behind_one_load(const decider *d, uint32_t run) {
  uint32_t loads = d->runs[run].loads;
  for (; run > 0 && !d->runs[run - 1].executed; run--)
    loads += d->runs[run - 1].loads;
  return loads == 1;
}

/* Returns the method that was loaded directly before a run: the only fitting method that had not
 * run before; ETR_NONE if there are none or several. */
static uint32_t method_loaded(const decider *d, uint32_t run) {
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

static bool separate_run(decider *d, const etr_block *block, uint32_t run, uint32_t method) {
  uint32_t *separated = etr_vec_push(&d->scratch, &d->separated),
           *of = etr_vec_push(&d->scratch, &d->separated_methods);
  if (!separated || !of)
    return false;
  *separated = run;
  *of = method;
  record_run(d, run, method);
  for (size_t i = 0; i < block->run_count; i++)
    d->runs[block->runs[i]].separated_run = run;
  return true;
}

/* Checks the runs of a tied block. The fits are computed again, because keeping those of all ties
 * would take memory for methods times blocks. */
static bool check_loads(decider *d, const etr_block *block) {
  bool is_fitted = false;
  for (size_t i = 0; i < block->run_count; i++) {
    uint32_t run = block->runs[i];
    if (!is_behind_one_load(d, run))
      continue;
    if (!is_fitted && !etr_fitter_fit(d->fitter, block, &d->fits))
      return !etr_arena_failed(&d->scratch);
    is_fitted = true;
    uint32_t method = method_loaded(d, run);
    if (method != ETR_NONE && !separate_run(d, block, run, method))
      return false;
  }
  return true;
}

static bool decide_by_loads(decider *d) {
  for (size_t i = 0; i < d->blocks->block_count; i++) {
    const etr_block *block = &d->blocks->blocks[i];
    if (d->runs[block->runs[0]].tied && !check_loads(d, block))
      return false;
  }
  const uint32_t *separated = d->separated.data;
  if (d->separated.count &&
      !etr_blocks_set_apart(d->blocks, d->warnings->arena, separated, d->separated.count))
    return false;
  for (size_t i = 0; i < d->separated.count; i++) {
    etr_block *block = &d->blocks->blocks[d->blocks->runs[separated[i]].block];
    set_method(d, block, d->separated_methods.data[i], "the other candidates had run before");
    d->runs[separated[i]].tied = false;
  }
  return true;
}

/* ---- Ties ---- */

/* Returns the runs of a block as text: "3-8", "3-4, 7", at most MOST_NAMES ranges. Sets *first to
 * the first range. */
static const char *list_runs(etr_arena *arena, const etr_block *block, const char **first) {
  const char *text = "";
  for (size_t i = 0, end, listed = 0; text && i < block->run_count && listed <= MOST_NAMES;
       i = end, listed++) {
    for (end = i + 1; end < block->run_count && block->runs[end] == block->runs[end - 1] + 1;)
      end++;
    const char *runs = end - i == 1
                           ? etr_arena_format(arena, "%u", block->runs[i])
                           : etr_arena_format(arena, "%u-%u", block->runs[i], block->runs[end - 1]);
    if (listed == MOST_NAMES)
      runs = "...";
    if (!runs)
      return NULL;
    if (listed == 0)
      *first = runs;
    text = etr_arena_format(arena, "%s%s%s", text, listed ? ", " : "", runs);
  }
  return text;
}

/* Returns whether there is a program. It lists what handle maps lack: instructions without a node,
 * and the operators inside delegates. */
static bool has_program(const decider *d) {
  for (size_t i = 0; i < d->count; i++)
    if (d->inputs[i].program)
      return true;
  return false;
}

static void explain_tie(decider *d, etr_block *block) {
  etr_arena *arena = d->warnings->arena;
  const char *names = block->method_rule, *first = "", *runs = list_runs(arena, block, &first),
             *but = "";
  uint32_t separated = d->runs[block->runs[0]].separated_run;
  if (separated != ETR_NONE)
    but = etr_arena_format(arena, "; the order of loads decides run %u alone", separated);
  if (!runs || !but)
    return;
  const char *rule = etr_arena_format(arena, "tie: %s fit equally%s; decide with --map %s=METHOD",
                                      names, but, first);
  if (rule)
    block->method_rule = rule;
  etr_warn(d->warnings, NULL, NULL, ETR_NO_OFFSET,
           "run%s %s could be any of %s%s%s: %s --map %s=METHOD (an ETDump for each method makes "
           "that easy)",
           etr_plural(block->run_count), runs, names,
           has_program(d) ? ", which the .pte does not distinguish" : "", but,
           has_program(d) ? "decide with"
                          : "give the .pte, which may distinguish them, or decide with",
           first);
}

/* ---- All ---- */

/* Decides the method of a block without rows. A method that only returns a constant has no
 * instructions and leaves no rows. */
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

static void decide_block(decider *d, etr_block *block) {
  block->method_rule = "no method ran";
  if (!etr_block_executed(block) || (d->count && choose_by_option(d, block)))
    return;
  if (!etr_block_ran(block))
    decide_without_rows(d, block);
  else if (d->count == 0)
    block->method_rule = "no ETRecord and no .pte: methods are unknown";
  else
    decide_by_rows(d, block);
}

static size_t count_dumps(const etr_blocks *blocks) {
  return blocks->run_count ? (size_t)blocks->runs[blocks->run_count - 1].dump + 1 : 0;
}

static bool decide_all(decider *d) {
  d->runs = etr_arena_alloc_array(&d->scratch, d->blocks->run_count, sizeof *d->runs);
  d->logs_instructions = etr_arena_alloc_array(&d->scratch, count_dumps(d->blocks),
                                               sizeof *d->logs_instructions);
  d->fitter = etr_fitter_new(&d->scratch, d->inputs, d->count,
                             d->options ? d->options->max_comparisons : 0);
  if (!d->runs || !d->logs_instructions || !d->fitter)
    return false;
  etr_map_init(&d->first_runs, &d->scratch);
  etr_map_init(&d->verdict_of, &d->scratch);
  /* Records which runs executed a method, and how many methods were loaded in each run. */
  for (size_t b = 0; b < d->blocks->block_count; b++) {
    const etr_block *block = &d->blocks->blocks[b];
    run_state state = {.separated_run = ETR_NONE, .executed = etr_block_executed(block)};
    for (size_t i = 0; i < block->run_count; i++) {
      d->runs[block->runs[i]] = state;
      d->logs_instructions[d->blocks->runs[block->runs[i]].dump] |= etr_block_ran(block);
    }
    for (size_t i = 0; i < block->event_count; i++)
      record_loads(d, block, &block->events[i]);
  }
  for (size_t i = 0; i < d->blocks->block_count; i++)
    decide_block(d, &d->blocks->blocks[i]);
  /* A choice for loads alone is a mistake in counting runs. */
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
  if (!decide_by_loads(d))
    return false;
  for (size_t i = 0; i < d->blocks->block_count; i++) {
    etr_block *block = &d->blocks->blocks[i];
    if (d->runs[block->runs[0]].tied)
      explain_tie(d, block);
  }
  return !etr_arena_failed(&d->scratch);
}

void etr_methods_decide(etr_blocks *blocks, const etr_method_inputs *inputs, size_t method_count,
                        const etr_options *options, etr_warnings *warnings) {
  decider d = {.blocks = blocks,
               .inputs = inputs,
               .count = method_count,
               .options = options,
               .warnings = warnings};
  if (!decide_all(&d))
    etr_arena_fail(warnings->arena);
  etr_arena_clear(&d.scratch);
}
