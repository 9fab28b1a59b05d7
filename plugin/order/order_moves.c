/* SPDX-License-Identifier: BSD-3-Clause
 *
 * order_moves.c - finds the instructions that an order moves, and takes back moves that are not
 * needed.
 */
#include "order/order_moves.h"

enum {
  TRIES_OF_SIZE = 256,
  MOST_WORK = 1 << 25,
  PART_OF_GAIN = 5 /* bits: 1/32 of the bytes that an order saves is given up for fewer moves, of
                      those that are live and of those that are planned */
};

typedef struct mover {
  const etr_order_problem *p;
  uint32_t *order, *tried; /* the order, and an order that may replace it */
  uint32_t *place;         /* scratch of etr_order_is_valid() */
  bool *is_moved;          /* per step */
  uint64_t most;           /* most bytes that may be live */
  size_t work;             /* work that is left */
} mover;

/* ---- Instructions that keep their place ---- */

/* Returns the index of the first end that is not below a step. ends[i] is the smallest last step of
 * a rising list of i
 * + 1 steps. */
static uint32_t first_not_below(const uint32_t *ends, uint32_t count, uint32_t step) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (ends[middle] < step)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Marks the steps that are moved: all except those of the longest list of rising steps in the
 * order, which stay. */
static bool mark_moved(mover *m) {
  uint32_t *ends = etr_arena_alloc_array(m->p->arena, m->p->count, sizeof *ends),
           *before = etr_arena_alloc_array(m->p->arena, m->p->count, sizeof *before), count = 0;
  if (!ends || !before)
    return false;
  for (uint32_t i = 0; i < m->p->count; i++) {
    uint32_t step = m->order[i], at = first_not_below(ends, count, step);
    before[step] = at > 0 ? ends[at - 1] : ETR_NONE;
    ends[at] = step;
    count = ETR_MAX(count, at + 1);
    m->is_moved[step] = true;
  }
  for (uint32_t step = count ? ends[count - 1] : ETR_NONE; step != ETR_NONE; step = before[step])
    m->is_moved[step] = false;
  return true;
}

/* Returns the end of the move that starts at `at`: steps that follow each other both in the order
 * and in the program.
 */
static uint32_t end_of_move(const mover *m, uint32_t at) {
  uint32_t end = at + 1;
  while (end < m->p->count && m->is_moved[m->order[end]] && m->order[end] == m->order[end - 1] + 1)
    end++;
  return end;
}

/* ---- Moves that are not needed ---- */

/* Returns the last step before a move in the program, or the first one after it, that is not moved;
 * ETR_NONE if there is none. */
static uint32_t neighbour_of(const mover *m, uint32_t first, uint32_t last, bool before) {
  uint32_t step = before ? first : last;
  do
    step = before ? step - 1 : step + 1; /* ETR_NONE below 0 */
  while (step < m->p->count && m->is_moved[step]);
  return step < m->p->count ? step : ETR_NONE;
}

static uint32_t put_move(mover *m, uint32_t used, uint32_t first, uint32_t last) {
  for (uint32_t step = first; step <= last; step++)
    m->tried[used++] = step;
  return used;
}

/* Makes the order in which the steps of a move are next to a neighbour again. */
static void try_beside(mover *m, uint32_t at, uint32_t end, uint32_t neighbour, bool behind) {
  uint32_t first = m->order[at], last = m->order[end - 1], used = 0;
  if (behind && neighbour == ETR_NONE)
    used = put_move(m, used, first, last);
  for (uint32_t i = 0; i < m->p->count; i++) {
    if (i >= at && i < end)
      continue;
    bool is_neighbour = m->order[i] == neighbour;
    if (is_neighbour && !behind)
      used = put_move(m, used, first, last);
    m->tried[used++] = m->order[i];
    if (is_neighbour && behind)
      used = put_move(m, used, first, last);
  }
  if (!behind && neighbour == ETR_NONE)
    (void)put_move(m, used, first, last);
}

/* Takes a move back if the peak stays low. */
static bool take_back(mover *m, uint32_t at, uint32_t end) {
  uint32_t first = m->order[at], last = m->order[end - 1];
  for (int behind = 1; behind >= 0 && m->work >= m->p->size; behind--) {
    m->work -= m->p->size;
    try_beside(m, at, end, neighbour_of(m, first, last, behind), behind);
    if (!etr_order_is_valid(m->p, m->tried, m->place) ||
        etr_order_peak(m->p, m->tried, NULL) > m->most)
      continue;
    uint32_t *tried = m->tried;
    m->tried = m->order;
    m->order = tried;
    for (uint32_t step = first; step <= last; step++)
      m->is_moved[step] = false;
    return true;
  }
  return false;
}

/* Takes moves back until none of them can be taken back. */
static void take_back_all(mover *m) {
  for (bool again = true; again && m->work >= m->p->size;) {
    again = false;
    for (uint32_t at = 0; at < m->p->count;) {
      uint32_t end = end_of_move(m, at);
      bool is_back = m->is_moved[m->order[at]] && take_back(m, at, end);
      again |= is_back;
      at = is_back ? at : end; /* another move may be here now */
    }
  }
}

/* ---- The whole ---- */

static bool list_moves(const mover *m, etr_memory_order *out) {
  etr_vec(etr_order_move) moves = {0};
  for (uint32_t at = 0, end; at < m->p->count; at = end) {
    bool is_moved = m->is_moved[m->order[at]];
    end = is_moved ? end_of_move(m, at) : at + 1;
    etr_order_move *added = is_moved ? etr_vec_push(m->p->arena, &moves) : NULL;
    if (added)
      *added = (etr_order_move){.first = (int32_t)m->order[at],
                                .last = (int32_t)m->order[end - 1],
                                .after = at ? (int32_t)m->order[at - 1] : -1};
  }
  out->moves = moves.data;
  out->move_count = moves.count;
  return !etr_arena_failed(m->p->arena);
}

static bool describe(etr_memory_order *out, const etr_order_problem *p, const uint32_t *found,
                     uint64_t peak) {
  mover m = {.p = p, .most = peak + ((p->plan->peak_bytes - peak) >> PART_OF_GAIN)};
  m.work = ETR_MIN(p->size * TRIES_OF_SIZE, (size_t)MOST_WORK);
  m.order = etr_arena_alloc_array(p->arena, p->count, sizeof *m.order);
  m.tried = etr_arena_alloc_array(p->arena, p->count, sizeof *m.tried);
  m.place = etr_arena_alloc_array(p->arena, p->count, sizeof *m.place);
  m.is_moved = etr_arena_alloc_array(p->arena, p->count, sizeof *m.is_moved);
  if (etr_arena_failed(p->arena))
    return false;
  memcpy(m.order, found, p->count * sizeof *found);
  if (!etr_order_is_valid(p, m.order, m.place) || !mark_moved(&m))
    return false;
  take_back_all(&m);
  uint64_t planned = etr_order_planned_bytes(p, m.order),
           planned_of_found = etr_order_planned_bytes(p, found);
  uint64_t gain = p->plan->planned_bytes - ETR_MIN(planned_of_found, p->plan->planned_bytes);
  if (planned_of_found + (gain >> PART_OF_GAIN) < planned) {
    memcpy(m.order, found, p->count * sizeof *found);
    planned = planned_of_found;
    if (!mark_moved(&m))
      return false;
  }
  *out = (etr_memory_order){.steps = m.order,
                            .step_count = p->plan->instruction_count,
                            .peak_bytes = etr_order_peak(p, m.order, NULL),
                            .planned_bytes = planned};
  return list_moves(&m, out);
}

bool etr_memory_order_find(etr_memory_order *order, const etr_memory_plan *plan, etr_arena *arena) {
  etr_order_problem problem;
  uint64_t peak;
  *order = (etr_memory_order){0};
  if (!plan->has_needs || !etr_order_problem_init(&problem, plan, arena))
    return false;
  const uint32_t *found = etr_order_find(&problem, &peak);
  return found && describe(order, &problem, found, peak);
}
