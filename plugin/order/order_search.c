/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_search.c - first orders that run everything as late as possible, then a search that goes back where it exceeds
 * a bound. The bound is halfway between what is known to do and what none can be below.
 *
 * An instruction that leaves no more behind than it found, and that has room, runs at once: whatever comes later has at
 * least as much room for it. So only those that add to what is live are tried one after the other; a set of
 * instructions that led nowhere is not tried again.
 */
#include "order/order_search.h"

enum {
  STEPS_PER_SIZE = 256,   /* of a whole search */
  LEAST_STEPS = 1 << 18,  /* likewise */
  MOST_STEPS = 1 << 25,   /* likewise */
  PARTS = 16,             /* of all steps one bound gets this part */
  MOST_CHOICES = 8,       /* instructions that are tried at one place */
  MOST_SEEN_BITS = 14,    /* of the sets that led nowhere */
  LEAST_PART_OF_PEAK = 10 /* bits: a smaller gain is not looked for */
};

/* ---- As late as possible ---- */

typedef struct visit {
  uint32_t step, next; /* its next need to look at */
} visit;

typedef struct lazy {
  const etr_order_problem *p;
  uint32_t *order, used;
  bool *is_listed;
  visit *stack;
  bool from_last; /* needs are looked at from the last one on */
} lazy;

static uint32_t need_at(const lazy *l, const visit *v) {
  const etr_memory_step *step = &l->p->plan->steps[v->step];
  return step->needs[l->from_last ? step->need_count - 1 - v->next : v->next];
}

/* Lists what a step needs and is not listed, then the step. */
static void list_with_needs(lazy *l, uint32_t root) {
  size_t depth = 1;
  l->stack[0] = (visit){root, 0};
  while (depth > 0) {
    visit *v = &l->stack[depth - 1];
    if (v->next < l->p->plan->steps[v->step].need_count) {
      uint32_t needed = need_at(l, v);
      v->next++;
      if (!l->is_listed[needed]) l->stack[depth++] = (visit){needed, 0}; /* each needs only earlier ones */
      continue;
    }
    if (!l->is_listed[v->step]) l->order[l->used++] = v->step;
    l->is_listed[v->step] = true;
    depth--;
  }
}

static uint32_t *list_lazily(const etr_order_problem *p, bool from_last) {
  lazy l = {.p = p, .from_last = from_last};
  l.order = etr_arena_alloc_array(p->arena, p->count, sizeof *l.order);
  l.is_listed = etr_arena_alloc_array(p->arena, p->count, sizeof *l.is_listed);
  l.stack = etr_arena_alloc_array(p->arena, p->count, sizeof *l.stack);
  if (!l.order || !l.is_listed || !l.stack) return NULL;
  for (uint32_t i = 0; i < p->count; i++)
    if (p->then_start[i] == p->then_start[i + 1]) list_with_needs(&l, i);
  return l.order;
}

/* ---- The search ---- */

typedef struct choice {
  uint32_t step;
  uint64_t more; /* bytes that stay live behind it */
} choice;

typedef struct place {
  uint32_t choices[MOST_CHOICES];
  uint32_t count, next; /* the choice to try next: the one before runs here */
} place;

/* Instructions that could run now are in a ring, those that became ready last in front. */
typedef struct ring {
  uint32_t before, behind;
} ring;

typedef struct search {
  const etr_order_problem *p;
  place *places;
  uint32_t *order, depth;
  ring *ready;       /* per step; the last entry is the ring's end */
  uint32_t *waiting; /* per step: needs that have not run */
  uint32_t *left;    /* per tensor: users that have not run */
  uint64_t live, bound;
  uint64_t hash; /* of what has run */
  uint64_t *seen;
  size_t seen_count;    /* a power of two */
  size_t steps, budget; /* spent; of this bound */
} search;

static uint64_t mix(uint64_t number) { /* splitmix64 */
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

static void link_ready(search *s, uint32_t step, uint32_t before, uint32_t behind) {
  s->ready[step] = (ring){before, behind};
  s->ready[before].behind = s->ready[behind].before = step;
}

static void unlink_ready(search *s, uint32_t step) {
  s->ready[s->ready[step].before].behind = s->ready[step].behind;
  s->ready[s->ready[step].behind].before = s->ready[step].before;
}

/* What a step takes, and what it gives back behind it. */
static void weigh(search *s, uint32_t step, uint64_t *taken, uint64_t *given) {
  const etr_memory_step *what = &s->p->plan->steps[step];
  *taken = *given = 0;
  s->steps += 1 + what->tensor_count;
  for (size_t k = 0; k < what->tensor_count; k++) {
    uint32_t index = what->tensors[k];
    const etr_planned_tensor *tensor = &s->p->plan->tensors[index];
    if (s->left[index] == s->p->users[index] && !etr_order_starts(tensor)) *taken += tensor->size_bytes;
    if (s->left[index] == 1 && !tensor->is_kept) *given += tensor->size_bytes;
  }
}

static void run(search *s, uint32_t step) {
  uint64_t taken, given;
  weigh(s, step, &taken, &given);
  s->live = s->live + taken - given;
  s->hash ^= mix(step + 1);
  s->order[s->depth] = step;
  const etr_memory_step *what = &s->p->plan->steps[step];
  for (size_t k = 0; k < what->tensor_count; k++) s->left[what->tensors[k]]--;
  unlink_ready(s, step);
  s->steps += s->p->then_start[step + 1] - s->p->then_start[step];
  for (uint32_t k = s->p->then_start[step + 1]; k-- > s->p->then_start[step];)
    if (--s->waiting[s->p->then[k]] == 0) link_ready(s, s->p->then[k], s->p->count, s->ready[s->p->count].behind);
}

/* Exactly back: the ring as well. */
static void undo(search *s, uint32_t step) {
  uint64_t taken, given;
  for (uint32_t k = s->p->then_start[step]; k < s->p->then_start[step + 1]; k++)
    if (s->waiting[s->p->then[k]]++ == 0) unlink_ready(s, s->p->then[k]);
  link_ready(s, step, s->ready[step].before, s->ready[step].behind);
  const etr_memory_step *what = &s->p->plan->steps[step];
  for (size_t k = 0; k < what->tensor_count; k++) s->left[what->tensors[k]]++;
  weigh(s, step, &taken, &given);
  s->live = s->live - taken + given;
  s->hash ^= mix(step + 1);
}

/* Keeps the choices that leave least behind, the first of equal ones. */
static void keep_choice(choice *list, uint32_t *count, choice added) {
  uint32_t at = *count;
  while (at > 0 && list[at - 1].more > added.more) at--;
  if (at == MOST_CHOICES) return;
  *count = ETR_MIN(*count + 1, (uint32_t)MOST_CHOICES);
  for (uint32_t i = *count - 1; i > at; i--) list[i] = list[i - 1];
  list[at] = added;
}

static uint64_t *seen_slot(const search *s) {
  uint64_t key = mix(s->hash ^ s->bound);
  return &s->seen[key & (s->seen_count - 1)];
}

/* What is tried at this place: one instruction that costs nothing, else those that cost least. */
static void choose(search *s) {
  place *here = &s->places[s->depth];
  choice list[MOST_CHOICES];
  uint64_t taken, given;
  *here = (place){.count = 0};
  if (*seen_slot(s) == mix(s->hash ^ s->bound)) return;
  for (uint32_t step = s->ready[s->p->count].behind; step != s->p->count; step = s->ready[step].behind) {
    weigh(s, step, &taken, &given);
    if (s->live + taken > s->bound) continue;
    if (taken <= given) {
      list[0].step = step;
      here->count = 1;
      break;
    }
    keep_choice(list, &here->count, (choice){step, taken - given});
  }
  for (uint32_t i = 0; i < here->count; i++) here->choices[i] = list[i].step;
}

/* Runs the next choice here. False: there is none. */
static bool advance(search *s) {
  place *here = &s->places[s->depth];
  if (here->next == here->count) return false;
  run(s, here->choices[here->next++]);
  s->depth++;
  return true;
}

static void go_back(search *s) {
  s->depth--;
  undo(s, s->order[s->depth]);
}

/* Whether an order is found that stays within the bound: s->order. */
static bool find_within(search *s) {
  size_t end = s->steps + s->budget;
  bool found = false;
  choose(s);
  while (s->steps < end) {
    if (advance(s)) {
      found = s->depth == s->p->count;
      if (found) break;
      choose(s);
      continue;
    }
    *seen_slot(s) = mix(s->hash ^ s->bound);
    if (s->depth == 0) break;
    go_back(s);
  }
  while (s->depth > 0) go_back(s);
  return found;
}

static bool init(search *s, const etr_order_problem *p) {
  size_t wanted = p->count, count = 1;
  while (count < 64 * wanted && count < (size_t)1 << MOST_SEEN_BITS) count *= 2;
  *s = (search){.p = p, .live = p->start_bytes, .seen_count = count};
  s->seen = etr_arena_alloc_array(p->arena, count, sizeof *s->seen);
  s->places = etr_arena_alloc_array(p->arena, p->count, sizeof *s->places);
  s->order = etr_arena_alloc_array(p->arena, p->count, sizeof *s->order);
  s->ready = etr_arena_alloc_array(p->arena, (size_t)p->count + 1, sizeof *s->ready);
  s->waiting = etr_arena_alloc_array(p->arena, p->count, sizeof *s->waiting);
  s->left = etr_arena_alloc_array(p->arena, p->plan->tensor_count, sizeof *s->left);
  if (etr_arena_failed(p->arena)) return false;
  if (p->plan->tensor_count) memcpy(s->left, p->users, p->plan->tensor_count * sizeof *s->left);
  s->ready[p->count] = (ring){p->count, p->count};
  for (uint32_t i = 0; i < p->count; i++) {
    s->waiting[i] = (uint32_t)p->plan->steps[i].need_count;
    if (s->waiting[i] == 0) link_ready(s, i, s->ready[p->count].before, p->count);
  }
  s->budget = ETR_MIN(ETR_MAX(p->size * STEPS_PER_SIZE, (size_t)LEAST_STEPS), (size_t)MOST_STEPS) / PARTS;
  return true;
}

/* ---- All ---- */

typedef struct best {
  uint32_t *order;
  uint64_t peak;
  bool is_found;
} best;

static void offer(best *b, const etr_order_problem *p, const uint32_t *order) {
  uint64_t peak = order ? etr_order_peak(p, order, NULL) : b->peak;
  if (peak >= b->peak) return;
  b->peak = peak;
  b->is_found = true;
  memcpy(b->order, order, p->count * sizeof *order);
}

/* Halves what lies between the best order and what none can be below, until little is left, or the steps are spent. */
static bool narrow(best *b, const etr_order_problem *p) {
  search s;
  uint64_t least = p->least_peak;
  if (least >= b->peak) return true;
  if (!init(&s, p)) return false;
  while (least < b->peak && b->peak - least > b->peak >> LEAST_PART_OF_PEAK && s.steps < PARTS * s.budget) {
    s.bound = least + (b->peak - 1 - least) / 2;
    if (find_within(&s))
      offer(b, p, s.order);
    else
      least = s.bound + 1;
  }
  return true;
}

const uint32_t *etr_order_find(const etr_order_problem *p, uint64_t *peak) {
  best b = {.peak = p->plan->peak_bytes, .order = etr_arena_alloc_array(p->arena, p->count, sizeof *b.order)};
  if (!b.order || p->count < 2 || p->least_peak >= b.peak) return NULL;
  offer(&b, p, list_lazily(p, false));
  offer(&b, p, list_lazily(p, true));
  bool good = narrow(&b, p) && !etr_arena_failed(p->arena);
  *peak = b.peak;
  return good && b.is_found ? b.order : NULL;
}
