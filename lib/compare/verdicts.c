/* SPDX-License-Identifier: BSD-3-Clause
 *
 * verdicts.c - verdicts on one method of several profiles against the same base, corrected for
 * their number.
 */
#include "compare/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A change, and what it is judged by. */
typedef struct verdict_case {
  const char *method; /* name in the base: changes of equal names are judged together */
  etr_execute_case of;
  etr_side_recordings sides[2]; /* of the base and of the newer profile */
  etr_change change;
  etr_turns turns;
  bool is_one_program;
  bool is_timed_twice, is_decided;
} verdict_case;

struct etr_verdicts {
  etr_arena arena;
  etr_compare_options options;
  etr_vec(verdict_case *) cases;
};

/* Makes an empty collection of verdicts. Fails when out of memory. */
etr_status etr_verdicts_open(etr_verdicts **out, const etr_compare_options *options,
                             etr_error *error) {
  etr_error_clear(error);
  *out = calloc(1, sizeof **out);
  if (!*out)
    return etr_fail_memory(error);
  if (options)
    (*out)->options = *options;
  return ETR_OK;
}

void etr_verdicts_close(etr_verdicts *verdicts) {
  if (!verdicts)
    return;
  etr_arena_clear(&verdicts->arena);
  free(verdicts);
}

/* ---- Adding changes ---- */

/* Copies odd recordings with the names of their files into an arena, which has failed when out of
 * memory. */
static const etr_side_odd *copy_odd(etr_arena *arena, const etr_side_odd *list, size_t count) {
  etr_side_odd *copy = etr_arena_alloc_array(arena, count, sizeof *copy);
  for (size_t i = 0; copy && i < count; i++)
    copy[i] = (etr_side_odd){etr_arena_text(arena, etr_slice_of(list[i].file)), list[i].change};
  return copy;
}

/* Copies the times of recordings into an arena, which has failed when out of memory. */
static etr_side_recordings copy_recordings(etr_arena *arena, const etr_side_recordings *source) {
  etr_side_recordings copy = *source;
  double *typical = etr_arena_alloc_array(arena, source->count, sizeof *typical);
  if (typical && source->count)
    memcpy(typical, source->typical, source->count * sizeof *typical);
  copy.typical = typical;
  copy.odd = copy_odd(arena, source->odd, source->odd_count);
  return copy;
}

/* Adds a copy of what a method of a comparison was judged by, so that the comparison can be closed,
 * and sets *index to its number, by which the caller asks for the verdict. A change that is not
 * timed on both sides (test.change is NULL) is never judged again. Fails when out of memory. */
etr_status etr_verdicts_add(etr_verdicts *verdicts, const etr_comparison *comparison, size_t method,
                            size_t *index, etr_error *error) {
  etr_arena *arena = &verdicts->arena;
  const etr_method_pair *pair = &comparison->methods[method];
  verdict_case *added = etr_arena_alloc(arena, sizeof *added);
  verdict_case **slot = etr_vec_push(arena, &verdicts->cases);
  etr_error_clear(error);
  if (etr_arena_failed(arena))
    return etr_fail_memory(error);
  *slot = added;
  *index = verdicts->cases.count - 1;
  uint32_t in_base = pair->base_method;
  const char *name = in_base == ETR_NONE ? "" : comparison->base->methods[in_base].name;
  *added = (verdict_case){.method = etr_arena_text(arena, etr_slice_of(name)),
                          .of = etr_execute_cases(comparison)[method],
                          .change = pair->execute,
                          .turns = comparison->turns,
                          .is_one_program = comparison->is_one_program};
  added->is_timed_twice = added->of.test.change != NULL;
  if (added->is_timed_twice) {
    added->sides[0] = copy_recordings(arena, added->of.test.base_recordings);
    added->sides[1] = copy_recordings(arena, added->of.test.new_recordings);
    added->of.test.base_recordings = &added->sides[0];
    added->of.test.new_recordings = &added->sides[1];
    added->of.test.change = &added->change;
  }
  added->change.base_odd = copy_odd(arena, pair->execute.base_odd, pair->execute.base_odd_count);
  added->change.new_odd = copy_odd(arena, pair->execute.new_odd, pair->execute.new_odd_count);
  return etr_arena_failed(arena) ? etr_fail_memory(error) : ETR_OK;
}

/* ---- Judging ---- */

static bool says_slower_or_faster(etr_verdict verdict) {
  return verdict >= ETR_VERDICT_LIKELY_FASTER;
}

/* Judges the changes of a method that are not decided yet, of which there are `open_count`, each at
 * that part of the level. Decided is what turns out slower or faster; *decided is set to the number
 * of those that are decided now. Earlier verdicts on the undecided ones are replaced. Returns false
 * when out of memory. */
static bool judge_undecided(etr_verdicts *v, const char *method, size_t open_count,
                            size_t *decided) {
  etr_arena scratch = {0};
  bool good = true;
  *decided = 0;
  for (size_t i = 0; good && i < v->cases.count; i++) {
    verdict_case *c = v->cases.data[i];
    const etr_noise_rules rules = {.options = &v->options,
                                   .turns = c->turns,
                                   .is_one_program = c->is_one_program,
                                   .scratch = &scratch,
                                   .level = ETR_NOISE_LEVEL / (double)open_count};
    if (!c->is_timed_twice || c->is_decided || strcmp(c->method, method) != 0)
      continue;
    c->change.recordings_needed = 0;
    good = etr_noise_judge(&c->of.test, &rules);
    c->change.cause = etr_cause_named(c->of.seen, c->change.reason);
    c->is_decided = says_slower_or_faster(c->change.verdict);
    *decided += c->is_decided;
  }
  etr_arena_clear(&scratch);
  return good;
}

/* Judges the changes of a method in several profiles by Holm's procedure, so that the chance of
 * any wrong "slower" or "faster" is 5 % in all: at 5 % divided by the number of changes that are
 * not decided yet, again until no further one is decided. Returns false when out of memory. */
static bool judge_method(etr_verdicts *v, const char *method) {
  size_t open = 0, decided = 1;
  for (size_t i = 0; i < v->cases.count; i++)
    open += v->cases.data[i]->is_timed_twice && strcmp(v->cases.data[i]->method, method) == 0;
  while (open > 0 && decided > 0) {
    if (!judge_undecided(v, method, open, &decided))
      return false;
    open -= decided;
  }
  return true;
}

/* Judges all changes that were added: those of one method name together, when the first of them is
 * met. A further call judges all of them anew. Fails when out of memory. */
etr_status etr_verdicts_judge(etr_verdicts *verdicts, etr_error *error) {
  etr_error_clear(error);
  for (size_t i = 0; i < verdicts->cases.count; i++)
    verdicts->cases.data[i]->is_decided = false;
  for (size_t i = 0; i < verdicts->cases.count; i++) {
    const char *method = verdicts->cases.data[i]->method;
    bool is_first = true;
    for (size_t k = 0; k < i; k++)
      is_first &= strcmp(verdicts->cases.data[k]->method, method) != 0;
    if (is_first && !judge_method(verdicts, method))
      return etr_fail_memory(error);
  }
  return ETR_OK;
}

const etr_change *etr_verdicts_change(const etr_verdicts *verdicts, size_t index) {
  return &verdicts->cases.data[index]->change;
}

etr_limit_answer etr_verdicts_against_limit(const etr_verdicts *verdicts, size_t index) {
  const verdict_case *c = verdicts->cases.data[index];
  return etr_limit_answer_of(fmax(verdicts->options.limit, 0), c->turns, &c->change);
}
