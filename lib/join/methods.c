/* SPDX-License-Identifier: BSD-3-Clause
 *
 * methods.c - which method a block of runs is. No run of an ETDump says so: it is told by what ran.
 *
 * The method that fits best (fit.h) is the block's. Where several fit equally the order of loads may tell one run: the
 * one right behind a load, which is of the method that the load brought, if a single one of those that fit had not run
 * before. Such a run gets a block of its own. What is a tie then stays undecided.
 */
#include "methods.h"

#include "apart.h"
#include "fit.h"

enum { MOST_NAMES = 8 };

/* A run that the order of loads told. */
typedef struct told_run {
  uint32_t run, method;
} told_run;

/* What is known of a run while blocks are being decided. */
typedef struct run_state {
  bool tied;            /* its block fits several methods equally: their names are its rule, for now */
  uint32_t told_beside; /* of a tied run: one of its block that the order of loads told; ETR_NONE */
  uint32_t loads;       /* of methods */
} run_state;

typedef struct decider {
  etr_blocks *blocks;
  const etr_method_join *joins;
  size_t count;
  const etr_options *options;
  etr_warnings *warnings;
  etr_arena scratch;
  etr_fitter *fitter;
  etr_fit *fits;      /* of the block that is being looked at */
  run_state *runs;    /* of each run */
  etr_map first_runs; /* dump and method -> the first run of the dump that is known to be the method's */
  etr_vec(told_run) told;
} decider;

/* ---- What runs are of ---- */

typedef struct dump_method {
  uint32_t dump, method;
} dump_method;

static void note_run(decider *d, uint32_t run, uint32_t method) {
  dump_method key = {d->blocks->runs[run].dump, method};
  etr_map_slot *slot = etr_map_at(&d->first_runs, (etr_slice){(const char *)&key, sizeof key});
  if (slot && (slot->value == ETR_NONE || run < slot->value)) slot->value = run;
}

static bool ran_before(const decider *d, uint32_t method, uint32_t run) {
  dump_method key = {d->blocks->runs[run].dump, method};
  uint32_t first = etr_map_get(&d->first_runs, (etr_slice){(const char *)&key, sizeof key});
  return first != ETR_NONE && first < run;
}

static void set_method(decider *d, etr_block *block, uint32_t method, const char *rule) {
  block->method = method;
  block->method_rule = rule;
  for (size_t i = 0; i < block->run_count; i++) note_run(d, block->runs[i], method);
}

/* ---- One block ---- */

static size_t find_best(const decider *d, size_t *equals) {
  size_t best = 0;
  for (size_t i = 1; i < d->count; i++)
    if (etr_fit_compare(&d->fits[i], &d->fits[best], NULL) < 0) best = i;
  *equals = 0;
  for (size_t i = 0; i < d->count; i++) *equals += etr_fit_compare(&d->fits[i], &d->fits[best], NULL) == 0;
  return best;
}

/* What it took to tell the best from all others. */
static etr_fit_part decisive_part(const decider *d, size_t best) {
  etr_fit_part most = ETR_FIT_AGAINST, part;
  for (size_t i = 0; i < d->count; i++)
    if (i != best && etr_fit_compare(&d->fits[i], &d->fits[best], &part) != 0) most = ETR_MAX(most, part);
  return most;
}

static const char *rule_text(const decider *d, size_t best) {
  const etr_fit *fit = &d->fits[best];
  if (d->count == 1 && fit->exact) return "program: the only method";
  if (d->count == 1) return fit->against ? "only method, though some events disagree with the record" : "only method";
  if (fit->exact && decisive_part(d, best) == ETR_FIT_AGAINST)
    return "program: the only method with these instructions";
  if (fit->exact)
    return fit->missing ? "program: best fit of instructions, and of operators in delegates"
                        : "program: instructions, and operators in delegates";
  return fit->missing ? "best fit of instructions, operators and delegates" : "instructions, operators and delegates";
}

/* "encode, decode": those that fit as well as the best; of very many, the first few. */
static char *list_names(const decider *d, size_t best) {
  etr_arena *arena = d->warnings->arena;
  char *text = etr_arena_copy(arena, ETR_SLICE(""));
  for (size_t i = 0, listed = 0; text && i < d->count && listed <= MOST_NAMES; i++) {
    if (etr_fit_compare(&d->fits[i], &d->fits[best], NULL) != 0) continue;
    const char *name = listed == MOST_NAMES ? "..." : d->joins[i].name;
    text = etr_arena_format(arena, "%s%s%.*s", text, listed++ ? ", " : "", ETR_HEAD(name, 80));
  }
  return text;
}

static void refuse(decider *d, etr_block *block) {
  block->method_rule = "fits no method: another model's dump?";
  etr_warn(d->warnings, NULL, NULL, ETR_NO_OFFSET,
           "run %u (\"%s\") fits no method of this record: is the ETDump another model's? Its times stay without nodes",
           block->runs[0], block->name);
}

static void decide(decider *d, etr_block *block) {
  size_t equals;
  if (!etr_fitter_fit(d->fitter, block, d->fits)) return;
  size_t best = find_best(d, &equals);
  const etr_fit *fit = &d->fits[best];
  if (!etr_fit_is_any(fit)) {
    refuse(d, block);
  } else if (equals > 1) {
    const char *names = list_names(d, best);
    if (names) block->method_rule = names;
    for (size_t i = 0; i < block->run_count; i++) d->runs[block->runs[i]].tied = true;
  } else {
    set_method(d, block, (uint32_t)best, rule_text(d, best));
    if (fit->against && !fit->exact)
      etr_warn(d->warnings, NULL, NULL, ETR_NO_OFFSET, "run %u: %u of its events disagree with method %s of the record",
               block->runs[0], fit->against, d->joins[best].name);
  }
}

/* ---- Choices ---- */

static bool choose(decider *d, etr_block *block) {
  const char *method = etr_chosen_method(d->options, block->runs[0]);
  for (uint32_t i = 0; method && i < d->count; i++) {
    if (strcmp(d->joins[i].name, method) != 0) continue;
    set_method(d, block, i, "chosen by the user");
    return true;
  }
  return false;
}

static bool run_ran(const decider *d, size_t run) {
  return etr_block_ran(&d->blocks->blocks[d->blocks->runs[run].block]);
}

/* A choice for loads alone is a mistake in counting runs. */
static void warn_of_choices(decider *d) {
  for (size_t i = 0; d->options && i < d->options->choice_count; i++) {
    const etr_method_choice *choice = &d->options->choices[i];
    size_t last = ETR_MAX(choice->run, choice->last), run = choice->run;
    while (run <= last && run < d->blocks->run_count && !run_ran(d, run)) run++;
    if (run > last)
      etr_warn(d->warnings, NULL, NULL, ETR_NO_OFFSET, "no method ran in run %zu: that it is of %s decides nothing",
               choice->run, choice->method);
  }
}

/* ---- Order of loads ---- */

static void count_loads(decider *d) {
  for (size_t b = 0; b < d->blocks->block_count; b++) {
    const etr_block *block = &d->blocks->blocks[b];
    for (size_t i = 0; i < block->event_count; i++)
      for (size_t k = 0; etr_is_load(block->events[i].name) && k < block->events[i].sample_count; k++)
        d->runs[block->events[i].sample_runs[k]].loads++;
  }
}

/* Whether one method, and no other, was loaded between a run and the one before it in which something ran. */
static bool is_behind_one_load(const decider *d, uint32_t run) {
  uint32_t loads = d->runs[run].loads;
  for (; run > 0 && !run_ran(d, run - 1); run--) loads += d->runs[run - 1].loads;
  return loads == 1;
}

/* The method that the load right before a run brought: of those that fit, the only one that had not run before. */
static uint32_t method_loaded(const decider *d, size_t best, uint32_t run) {
  uint32_t found = ETR_NONE;
  for (uint32_t i = 0; i < d->count; i++) {
    if (etr_fit_compare(&d->fits[i], &d->fits[best], NULL) != 0 || ran_before(d, i, run)) continue;
    if (found != ETR_NONE) return ETR_NONE;
    found = i;
  }
  return found;
}

static bool tell(decider *d, const etr_block *block, uint32_t run, uint32_t method) {
  told_run *told = etr_vec_push(&d->scratch, &d->told);
  if (!told) return false;
  *told = (told_run){run, method};
  note_run(d, run, method);
  for (size_t i = 0; i < block->run_count; i++) d->runs[block->runs[i]].told_beside = run;
  return true;
}

/* Fits are found once more: keeping those of all ties would take methods times blocks of memory. */
static bool look_at_loads(decider *d, const etr_block *block) {
  size_t best = 0, equals = 0;
  for (size_t i = 0; i < block->run_count; i++) {
    uint32_t run = block->runs[i];
    if (!is_behind_one_load(d, run)) continue;
    if (equals == 0 && !etr_fitter_fit(d->fitter, block, d->fits)) return false;
    if (equals == 0) best = find_best(d, &equals);
    uint32_t method = method_loaded(d, best, run);
    if (method != ETR_NONE && !tell(d, block, run, method)) return false;
  }
  return true;
}

static bool tell_by_loads(decider *d) {
  count_loads(d);
  for (size_t i = 0; i < d->blocks->block_count; i++) {
    const etr_block *block = &d->blocks->blocks[i];
    if (d->runs[block->runs[0]].tied && !look_at_loads(d, block)) return false;
  }
  uint32_t *apart = etr_arena_alloc_array(&d->scratch, d->told.count, sizeof *apart);
  for (size_t i = 0; apart && i < d->told.count; i++) apart[i] = d->told.data[i].run;
  if (!apart || (d->told.count && !etr_blocks_set_apart(d->blocks, d->warnings->arena, apart, d->told.count)))
    return false;
  for (size_t i = 0; i < d->told.count; i++) {
    etr_block *block = &d->blocks->blocks[d->blocks->runs[apart[i]].block];
    set_method(d, block, d->told.data[i].method,
               "order of loads: of those that fit, the only one that had not run before");
    d->runs[apart[i]].tied = false;
  }
  return true;
}

/* ---- Ties ---- */

/* "3-8", "3-4, 7": of very many, the first few. first: the first of these. */
static const char *list_runs(etr_arena *arena, const etr_block *block, const char **first) {
  const char *text = "";
  for (size_t i = 0, end, listed = 0; text && i < block->run_count && listed <= MOST_NAMES; i = end, listed++) {
    for (end = i + 1; end < block->run_count && block->runs[end] == block->runs[end - 1] + 1;) end++;
    const char *runs = end - i == 1 ? etr_arena_format(arena, "%u", block->runs[i])
                                    : etr_arena_format(arena, "%u-%u", block->runs[i], block->runs[end - 1]);
    if (listed == MOST_NAMES) runs = "...";
    if (!runs) return NULL;
    if (listed == 0) *first = runs;
    text = etr_arena_format(arena, "%s%s%s", text, listed ? ", " : "", runs);
  }
  return text;
}

static void explain_tie(decider *d, etr_block *block) {
  etr_arena *arena = d->warnings->arena;
  const char *names = block->method_rule, *first = "", *runs = list_runs(arena, block, &first), *but = "";
  uint32_t told = d->runs[block->runs[0]].told_beside;
  if (told != ETR_NONE) but = etr_arena_format(arena, ", and the order of loads tells run %u alone", told);
  if (!runs || !but) return;
  const char *rule = etr_arena_format(arena, "tie: %s fit equally%s; decide with --map %s=METHOD", names, but, first);
  if (rule) block->method_rule = rule;
  etr_warn(d->warnings, NULL, NULL, ETR_NO_OFFSET, "run%s %s could be any of %s%s: decide with --map %s=METHOD",
           block->run_count == 1 ? "" : "s", runs, names, but, first);
}

/* ---- All ---- */

static void decide_block(decider *d, etr_block *block) {
  if (!etr_block_ran(block))
    block->method_rule = "no method ran in it";
  else if (d->count == 0)
    block->method_rule = "no ETRecord and no .pte: methods are not known";
  else if (!choose(d, block))
    decide(d, block);
}

static bool decide_all(decider *d) {
  d->fits = etr_arena_alloc_array(&d->scratch, d->count, sizeof *d->fits);
  d->runs = etr_arena_alloc_array(&d->scratch, d->blocks->run_count, sizeof *d->runs);
  d->fitter = etr_fitter_new(&d->scratch, d->joins, d->count);
  if (!d->fits || !d->runs || !d->fitter) return false;
  etr_map_init(&d->first_runs, &d->scratch);
  for (size_t i = 0; i < d->blocks->run_count; i++) d->runs[i].told_beside = ETR_NONE;
  for (size_t i = 0; i < d->blocks->block_count; i++) decide_block(d, &d->blocks->blocks[i]);
  warn_of_choices(d);
  if (!tell_by_loads(d)) return false;
  for (size_t i = 0; i < d->blocks->block_count; i++) {
    etr_block *block = &d->blocks->blocks[i];
    if (d->runs[block->runs[0]].tied) explain_tie(d, block);
  }
  return !etr_arena_failed(&d->scratch);
}

void etr_methods_decide(etr_blocks *blocks, const etr_method_join *joins, size_t join_count, const etr_options *options,
                        etr_warnings *warnings) {
  decider d = {.blocks = blocks, .joins = joins, .count = join_count, .options = options, .warnings = warnings};
  if (!decide_all(&d)) warnings->arena->failed = true;
  etr_arena_clear(&d.scratch);
}
