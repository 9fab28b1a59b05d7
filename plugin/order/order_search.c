/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_search.c - tries orders that run everything as late as possible, then searches with
 * backtracking for an order within a bound. The bound is halfway between the best known peak and
 * the peak that no order can be below.
 *
 * An instruction that fits and leaves no more bytes live than before runs at once, because later
 * instructions then have at least as much room. So only instructions that add live bytes are tried
 * one after the other. A set of instructions that led to no solution is not tried again.
 */
#include "order/order_problem.h"

enum {
  STEPS_PER_SIZE = 256,   /* steps of a whole search for each unit of etr_order_problem.size */
  LEAST_STEPS = 1 << 18,  /* least steps of a whole search */
  MOST_STEPS = 1 << 25,   /* most steps of a whole search */
  PARTS = 16,             /* one bound gets 1/16 of all steps */
  MOST_CHOICES = 8,       /* instructions that are tried at one position */
  MOST_SEEN_BITS = 14,    /* bits of the number of stored sets that led to no solution */
  LEAST_PART_OF_PEAK = 10 /* bits: a gain below 1/1024 of the peak is not searched for */
};

/* ---- As late as possible ---- */

typedef struct visit {
  uint32_t step, next; /* next: index of its next need to visit */
} visit;

typedef struct lazy {
  const etr_order_problem *p;
  uint32_t *order, used;
  bool *is_listed;
  visit *stack;
  bool from_last; /* needs are visited from the last one to the first */
} lazy;

static uint32_t need_at(const lazy *l, const visit *v) {
  const etr_memory_step *step = &l->p->plan->steps[v->step];
  return step->needs[l->from_last ? step->need_count - 1 - v->next : v->next];
}

/* Lists the needs of a step that are not listed yet, then the step. */
static void list_with_needs(lazy *l, uint32_t root) {
  size_t depth = 1;
  l->stack[0] = (visit){root, 0};
  while (depth > 0) {
    visit *v = &l->stack[depth - 1];
    if (v->next < l->p->plan->steps[v->step].need_count) {
      uint32_t needed = need_at(l, v);
      v->next++;
      if (!l->is_listed[needed])
        l->stack[depth++] = (visit){
            needed, 0}; /* a step needs only earlier steps, so the stack is large enough */
      continue;
    }
    if (!l->is_listed[v->step])
      l->order[l->used++] = v->step;
    l->is_listed[v->step] = true;
    depth--;
  }
}

static uint32_t *list_lazily(const etr_order_problem *p, bool from_last) {
  lazy l = {.p = p, .from_last = from_last};
  l.order = etr_arena_alloc_array(p->arena, p->count, sizeof *l.order);
  l.is_listed = etr_arena_alloc_array(p->arena, p->count, sizeof *l.is_listed);
  l.stack = etr_arena_alloc_array(p->arena, p->count, sizeof *l.stack);
  if (!l.order || !l.is_listed || !l.stack)
    return NULL;
  for (uint32_t i = 0; i < p->count; i++)
    if (p->then_start[i] == p->then_start[i + 1])
      list_with_needs(&l, i);
  return l.order;
}

/* ---- The search ---- */

typedef struct choice {
  uint32_t step;
  uint64_t more; /* bytes that remain live after it */
} choice;

typedef struct place {
  uint32_t choices[MOST_CHOICES];
  uint32_t count, next; /* index of the choice to try next; the one before it is running */
} place;

/* A ring of the instructions that could run now, with the latest ready ones first. */
typedef struct ring {
  uint32_t before, behind;
} ring;

typedef struct search {
  const etr_order_problem *p;
  place *places;
  uint32_t *order, depth;
  ring *ready;       /* per step; the last entry is the end of the ring */
  uint32_t *waiting; /* per step: number of needs that have not run */
  uint32_t *left;    /* per tensor: number of users that have not run */
  uint64_t live, bound;
  uint64_t hash; /* hash of the set of instructions that have run */
  uint64_t *seen;
  size_t seen_count;    /* a power of two */
  size_t steps, budget; /* steps spent; limit on them for this bound */
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

/* Computes the bytes that a step takes, and the bytes that it frees at its end. */
static void weigh(search *s, uint32_t step, uint64_t *taken, uint64_t *given) {
  const etr_memory_step *what = &s->p->plan->steps[step];
  *taken = *given = 0;
  s->steps += 1 + what->tensor_count;
  for (size_t k = 0; k < what->tensor_count; k++) {
    uint32_t index = what->tensors[k];
    const etr_planned_tensor *tensor = &s->p->plan->tensors[index];
    if (s->left[index] == s->p->users[index] && !etr_order_starts(tensor))
      *taken += tensor->size_bytes;
    if (s->left[index] == 1 && !tensor->is_kept)
      *given += tensor->size_bytes;
  }
}

static void run_step(search *s, uint32_t step) {
  uint64_t taken, given;
  weigh(s, step, &taken, &given);
  s->live = s->live + taken - given;
  s->hash ^= mix(step + 1);
  s->order[s->depth] = step;
  const etr_memory_step *what = &s->p->plan->steps[step];
  for (size_t k = 0; k < what->tensor_count; k++)
    s->left[what->tensors[k]]--;
  unlink_ready(s, step);
  s->steps += s->p->then_start[step + 1] - s->p->then_start[step];
  for (uint32_t k = s->p->then_start[step + 1]; k-- > s->p->then_start[step];)
    if (--s->waiting[s->p->then[k]] == 0)
      link_ready(s, s->p->then[k], s->p->count, s->ready[s->p->count].behind);
}

/* Undoes a step exactly, with the order of the ring. */
static void undo(search *s, uint32_t step) {
  uint64_t taken, given;
  for (uint32_t k = s->p->then_start[step]; k < s->p->then_start[step + 1]; k++)
    if (s->waiting[s->p->then[k]]++ == 0)
      unlink_ready(s, s->p->then[k]);
  link_ready(s, step, s->ready[step].before, s->ready[step].behind);
  const etr_memory_step *what = &s->p->plan->steps[step];
  for (size_t k = 0; k < what->tensor_count; k++)
    s->left[what->tensors[k]]++;
  weigh(s, step, &taken, &given);
  s->live = s->live - taken + given;
  s->hash ^= mix(step + 1);
}

/* Keeps the choices that leave the fewest bytes live, and the first ones of equal choices. */
static void keep_choice(choice *list, uint32_t *count, choice added) {
  uint32_t at = *count;
  while (at > 0 && list[at - 1].more > added.more)
    at--;
  if (at == MOST_CHOICES)
    return;
  *count = ETR_MIN(*count + 1, (uint32_t)MOST_CHOICES);
  for (uint32_t i = *count - 1; i > at; i--)
    list[i] = list[i - 1];
  list[at] = added;
}

static uint64_t *seen_slot(const search *s) {
  uint64_t key = mix(s->hash ^ s->bound);
  return &s->seen[key & (s->seen_count - 1)];
}

/* Finds the choices at this position: one instruction that adds no bytes, or else the ones that add
 * least. */
static void list_choices(search *s) {
  place *here = &s->places[s->depth];
  choice list[MOST_CHOICES];
  uint64_t taken, given;
  *here = (place){.count = 0};
  if (*seen_slot(s) == mix(s->hash ^ s->bound))
    return;
  for (uint32_t step = s->ready[s->p->count].behind; step != s->p->count;
       step = s->ready[step].behind) {
    weigh(s, step, &taken, &given);
    if (s->live + taken > s->bound)
      continue;
    if (taken <= given) {
      list[0].step = step;
      here->count = 1;
      break;
    }
    keep_choice(list, &here->count, (choice){step, taken - given});
  }
  for (uint32_t i = 0; i < here->count; i++)
    here->choices[i] = list[i].step;
}

/* Runs the next choice at this position. Returns false if there is none. */
static bool run_next_choice(search *s) {
  place *here = &s->places[s->depth];
  if (here->next == here->count)
    return false;
  run_step(s, here->choices[here->next++]);
  s->depth++;
  return true;
}

static void go_back(search *s) {
  s->depth--;
  undo(s, s->order[s->depth]);
}

/* Searches for an order within the bound. Returns true if one was found: s->order. */
static bool find_within(search *s) {
  size_t end = s->steps + s->budget;
  bool found = false;
  list_choices(s);
  while (s->steps < end) {
    if (run_next_choice(s)) {
      found = s->depth == s->p->count;
      if (found)
        break;
      list_choices(s);
      continue;
    }
    *seen_slot(s) = mix(s->hash ^ s->bound);
    if (s->depth == 0)
      break;
    go_back(s);
  }
  while (s->depth > 0)
    go_back(s);
  return found;
}

static bool init_search(search *s, const etr_order_problem *p) {
  size_t wanted = p->count, count = 1;
  while (count < 64 * wanted && count < (size_t)1 << MOST_SEEN_BITS)
    count *= 2;
  *s = (search){.p = p, .live = p->start_bytes, .seen_count = count};
  s->seen = etr_arena_alloc_array(p->arena, count, sizeof *s->seen);
  s->places = etr_arena_alloc_array(p->arena, p->count, sizeof *s->places);
  s->order = etr_arena_alloc_array(p->arena, p->count, sizeof *s->order);
  s->ready = etr_arena_alloc_array(p->arena, (size_t)p->count + 1, sizeof *s->ready);
  s->waiting = etr_arena_alloc_array(p->arena, p->count, sizeof *s->waiting);
  s->left = etr_arena_alloc_array(p->arena, p->plan->tensor_count, sizeof *s->left);
  if (etr_arena_failed(p->arena))
    return false;
  if (p->plan->tensor_count)
    memcpy(s->left, p->users, p->plan->tensor_count * sizeof *s->left);
  s->ready[p->count] = (ring){p->count, p->count};
  for (uint32_t i = 0; i < p->count; i++) {
    s->waiting[i] = (uint32_t)p->plan->steps[i].need_count;
    if (s->waiting[i] == 0)
      link_ready(s, i, s->ready[p->count].before, p->count);
  }
  s->budget = ETR_MIN(ETR_MAX(p->size * STEPS_PER_SIZE, (size_t)LEAST_STEPS), (size_t)MOST_STEPS) /
              PARTS;
  return true;
}

/* ---- The whole search ---- */

typedef struct best {
  uint32_t *order;
  uint64_t peak;
  bool is_found;
} best;

static void offer(best *b, const etr_order_problem *p, const uint32_t *order) {
  uint64_t peak = order ? etr_order_peak(p, order, NULL) : b->peak;
  if (peak >= b->peak)
    return;
  b->peak = peak;
  b->is_found = true;
  memcpy(b->order, order, p->count * sizeof *order);
}

/* Halves the interval between the best peak and the least possible one, until it is small or the
 * steps are spent. */
static bool narrow(best *b, const etr_order_problem *p) {
  search s;
  uint64_t least = p->least_peak;
  if (least >= b->peak)
    return true;
  if (!init_search(&s, p))
    return false;
  while (least < b->peak && b->peak - least > b->peak >> LEAST_PART_OF_PEAK &&
         s.steps < PARTS * s.budget) {
    s.bound = least + (b->peak - 1 - least) / 2;
    if (find_within(&s))
      offer(b, p, s.order);
    else
      least = s.bound + 1;
  }
  return true;
}

const uint32_t *etr_order_find(const etr_order_problem *p, uint64_t *peak) {
  best b = {.peak = p->plan->peak_bytes,
            .order = etr_arena_alloc_array(p->arena, p->count, sizeof *b.order)};
  if (!b.order || p->count < 2 || p->least_peak >= b.peak)
    return NULL;
  offer(&b, p, list_lazily(p, false));
  offer(&b, p, list_lazily(p, true));
  bool good = narrow(&b, p) && !etr_arena_failed(p->arena);
  *peak = b.peak;
  return good && b.is_found ? b.order : NULL;
}
