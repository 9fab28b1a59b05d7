/* SPDX-License-Identifier: BSD-3-Clause
 *
 * align.c - Needleman-Wunsch alignment, traced back along both outermost best paths: where they
 * agree, all best pairings do; and the cells that any pairing can pass.
 */
#include "join/align.h"

typedef struct aligner {
  const etr_align_item *left, *right;
  size_t left_count, right_count;
  int32_t *best; /* best[i][j]: greatest score of the first i and j items */
} aligner;

static int32_t *cell(const aligner *a, size_t i, size_t j) {
  return &a->best[i * (a->right_count + 1) + j];
}

static bool are_paired(const etr_align_item *left, const etr_align_item *right) {
  return left->class_ != 0 && (left->class_ == right->class_ || left->class_ == right->alternative);
}

/* Returns whether a table of cells would be larger than is computed. */
static bool is_too_large(size_t left_count, size_t right_count) {
  return left_count >= ETR_ALIGN_MAX_CELLS ||
         left_count + 1 > ETR_ALIGN_MAX_CELLS / (right_count + 1);
}

static bool pairs(const aligner *a, size_t i, size_t j) {
  return are_paired(&a->left[i], &a->right[j]);
}

/* Traces one best pairing back from the end and fills `partners`: per left item, the index of its
 * right item, or ETR_NONE. If several steps explain the score of a cell, prefer_right takes the
 * first possible of: drop the right item, pair both, drop the left item. Otherwise it tries them
 * in the reverse order. So the two calls yield the earliest and the latest partner of each item. */
static void trace_path(const aligner *a, uint32_t *partners, bool prefer_right) {
  size_t i = a->left_count, j = a->right_count;
  for (size_t k = 0; k < a->left_count; k++)
    partners[k] = ETR_NONE;
  while (i > 0 || j > 0) {
    bool skip_left = i > 0 && *cell(a, i, j) == *cell(a, i - 1, j) - a->left[i - 1].cost;
    bool skip_right = j > 0 && *cell(a, i, j) == *cell(a, i, j - 1) - a->right[j - 1].cost;
    bool pair = i > 0 && j > 0 && pairs(a, i - 1, j - 1) &&
                *cell(a, i, j) == *cell(a, i - 1, j - 1) + a->right[j - 1].weight;
    bool takes_right = prefer_right ? skip_right : !skip_left && !pair;
    bool takes_both = pair && (prefer_right || !skip_left);
    if (takes_right) {
      j--;
    } else if (takes_both) {
      i--;
      j--;
      partners[i] = (uint32_t)j;
    } else {
      i--;
    }
  }
}

/* Returns whether both sides have the same number of items and equal classes, so that pairing them
 * in order is the only pairing that leaves nothing out. Each pair must also score more than 0, or
 * else leaving out its two items may be as good. */
static bool are_alike(const aligner *a) {
  if (a->left_count != a->right_count)
    return false;
  for (size_t i = 0; i < a->left_count; i++)
    if (!pairs(a, i, i) || a->right[i].weight <= 0)
      return false;
  return true;
}

/* Fills a table of the best scores (Needleman-Wunsch), then traces the two extreme best pairings
 * through it: the result is the one with the latest partners, and an item that the other pairs
 * differently is unsure. Two sequences of equal classes are paired without the table. */
bool etr_align(etr_align_pair *out, const etr_align_item *left, size_t left_count,
               const etr_align_item *right, size_t right_count, etr_arena *scratch) {
  aligner a = {left, right, left_count, right_count, NULL};
  bool alike = are_alike(&a);
  for (size_t i = 0; i < left_count; i++)
    out[i] = (etr_align_pair){.partner = alike ? (uint32_t)i : ETR_NONE};
  if (alike)
    return true;
  if (is_too_large(left_count, right_count))
    return false;
  a.best = etr_arena_alloc_array(scratch, (left_count + 1) * (right_count + 1), sizeof *a.best);
  uint32_t *early = etr_arena_alloc_array(scratch, left_count, sizeof *early),
           *late = etr_arena_alloc_array(scratch, left_count, sizeof *late);
  if (etr_arena_failed(scratch))
    return false;
  /* Each cell holds the greatest score of the items before it. */
  for (size_t j = 1; j <= a.right_count; j++)
    *cell(&a, 0, j) = *cell(&a, 0, j - 1) - a.right[j - 1].cost;
  for (size_t i = 1; i <= a.left_count; i++) {
    *cell(&a, i, 0) = *cell(&a, i - 1, 0) - a.left[i - 1].cost;
    for (size_t j = 1; j <= a.right_count; j++) {
      int32_t value = ETR_MAX(*cell(&a, i - 1, j) - a.left[i - 1].cost,
                              *cell(&a, i, j - 1) - a.right[j - 1].cost);
      if (pairs(&a, i - 1, j - 1))
        value = ETR_MAX(value, *cell(&a, i - 1, j - 1) + a.right[j - 1].weight);
      *cell(&a, i, j) = value;
    }
  }
  trace_path(&a, early, true);
  trace_path(&a, late, false);
  for (size_t i = 0; i < left_count; i++)
    out[i] = (etr_align_pair){late[i], early[i] != late[i]};
  return true;
}

/* ---- All pairings ---- */

/* Cell (i, j) of the table is the state in which the first i left and the first j right items are
 * paired or left out. A step from a cell leaves out an item or pairs two. The flags say that
 * steps lead to the cell from the start, (0, 0), and from the cell to the end, where no item is
 * left. */
typedef enum reach { FROM_START = 1, TO_END = 2 } reach;

/* The part [first, end) of a row of the table that contains all cells which are reached from the
 * start. */
typedef struct stretch {
  size_t first, end;
} stretch;

typedef struct pairings {
  const etr_align_side *left, *right;
  uint8_t *cells;   /* bits of `reach` */
  stretch *reached; /* per row: most pairings stay near the diagonal */
} pairings;

static uint8_t *cell_of(const pairings *w, size_t i, size_t j) {
  return &w->cells[i * (w->right->count + 1) + j];
}

static bool may_leave_out(const etr_align_side *side, size_t i) {
  return side->items[i].cost <= side->optional_cost;
}

static bool may_pair(const pairings *w, size_t i, size_t j) {
  return are_paired(&w->left->items[i], &w->right->items[j]);
}

/* Returns whether a step leads to cell (i, j) from a cell that is reached from the start: the last
 * left item or the last right item is left out, or both are paired. */
static bool is_reached_from_start(const pairings *w, size_t i, size_t j) {
  if (i == 0 && j == 0)
    return true;
  if (i && may_leave_out(w->left, i - 1) && *cell_of(w, i - 1, j) & FROM_START)
    return true;
  if (j && *cell_of(w, i, j - 1) & FROM_START && may_leave_out(w->right, j - 1))
    return true;
  return i && j && *cell_of(w, i - 1, j - 1) & FROM_START && may_pair(w, i - 1, j - 1);
}

/* Marks the cells of row i that are reached from the start. None is left of the first one of the
 * row above. Right of the last one of that row, a cell is reached only from its left neighbor, so
 * the first that is not reached ends the row. */
static void mark_row_from_start(pairings *w, size_t i) {
  const stretch above = i ? w->reached[i - 1] : (stretch){0, 1};
  stretch *row = &w->reached[i];
  *row = (stretch){above.first, above.first};
  for (size_t j = above.first; j <= w->right->count; j++) {
    if (is_reached_from_start(w, i, j)) {
      *cell_of(w, i, j) = FROM_START;
      row->first = row->end == above.first ? j : row->first;
      row->end = j + 1;
    } else if (j > above.end)
      break;
  }
}

/* Returns whether steps lead from cell (i, j) to the end, where no item is left: the next left item
 * or the next right item is left out, or both are paired. */
static bool leads_to_end(const pairings *w, size_t i, size_t j) {
  if (i == w->left->count && j == w->right->count)
    return true;
  if (i < w->left->count && *cell_of(w, i + 1, j) & TO_END && may_leave_out(w->left, i))
    return true;
  if (j < w->right->count && *cell_of(w, i, j + 1) & TO_END && may_leave_out(w->right, j))
    return true;
  return i < w->left->count && j < w->right->count && *cell_of(w, i + 1, j + 1) & TO_END &&
         may_pair(w, i, j);
}

/* Returns the owner (what a right item stands for, such as a node) with which all allowed pairings
 * pair the i-th left item; ETR_NONE if there are several, or if the item may be left out. */
static uint32_t only_owner(const pairings *w, size_t i) {
  uint32_t only = ETR_NONE;
  for (size_t j = w->reached[i].first; j < w->reached[i].end; j++) {
    if (!(*cell_of(w, i, j) & FROM_START))
      continue;
    if (*cell_of(w, i + 1, j) & TO_END && may_leave_out(w->left, i))
      return ETR_NONE;
    bool has_right = j < w->right->count;
    bool is_paired = has_right && *cell_of(w, i + 1, j + 1) & TO_END && may_pair(w, i, j);
    if (!is_paired)
      continue;
    if (only != ETR_NONE && only != w->right->owners[j])
      return ETR_NONE;
    only = w->right->owners[j];
  }
  return only;
}

/* Marks the cells of a table (left by right items) that allowed pairings pass, first from the start
 * and then from the end. Sides whose table would be too large are treated as without a pairing. */
bool etr_align_only(uint32_t *only, bool *has_pairing, const etr_align_side *left,
                    const etr_align_side *right, etr_arena *scratch) {
  pairings w = {.left = left, .right = right};
  *has_pairing = false;
  for (size_t i = 0; i < left->count; i++)
    only[i] = ETR_NONE;
  if (is_too_large(left->count, right->count))
    return true;
  w.cells = etr_arena_alloc_array(scratch, (left->count + 1) * (right->count + 1), sizeof *w.cells);
  w.reached = etr_arena_alloc_array(scratch, left->count + 1, sizeof *w.reached);
  if (etr_arena_failed(scratch))
    return false;
  for (size_t i = 0; i <= left->count; i++)
    mark_row_from_start(&w, i);
  for (size_t i = left->count + 1; i-- > 0;)
    for (size_t j = w.reached[i].end; j-- > w.reached[i].first;)
      if (*cell_of(&w, i, j) & FROM_START && leads_to_end(&w, i, j))
        *cell_of(&w, i, j) |= TO_END;
  *has_pairing = (*cell_of(&w, 0, 0) & TO_END) != 0;
  for (size_t i = 0; *has_pairing && i < left->count; i++)
    only[i] = only_owner(&w, i);
  return true;
}
