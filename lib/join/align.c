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

/* Traces one best path back from the end. Among equal paths, prefer_right selects the one that
 * leaves left items unpaired as early as possible; otherwise as late as possible. */
static void trace_path(const aligner *a, uint32_t *partners, bool prefer_right) {
  size_t i = a->left_count, j = a->right_count;
  for (size_t k = 0; k < a->left_count; k++)
    partners[k] = ETR_NONE;
  while (i > 0 || j > 0) {
    bool skip_left = i > 0 && *cell(a, i, j) == *cell(a, i - 1, j) - a->left[i - 1].cost;
    bool skip_right = j > 0 && *cell(a, i, j) == *cell(a, i, j - 1) - a->right[j - 1].cost;
    bool pair = i > 0 && j > 0 && pairs(a, i - 1, j - 1) &&
                *cell(a, i, j) == *cell(a, i - 1, j - 1) + a->right[j - 1].weight;
    if (prefer_right ? skip_right : !skip_left && !pair) {
      j--;
    } else if (pair && (prefer_right || !skip_left)) {
      partners[--i] = (uint32_t)--j;
    } else
      i--;
  }
}

/* Returns whether both sides have the same number of items and equal classes, so that pairing them
 * in order is the only pairing that leaves nothing out. */
static bool are_alike(const aligner *a) {
  if (a->left_count != a->right_count)
    return false;
  for (size_t i = 0; i < a->left_count; i++)
    if (!pairs(a, i, i) || a->right[i].weight <= 0)
      return false;
  return true;
}

/* Fills a table of the best scores, then traces the two extreme best paths through it: an item
 * that they pair differently is ambiguous. Returns false if the table would be too large, or when
 * out of memory. */
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

/* How a cell is reached: by pairings of the items before it, and of those behind it. */
typedef enum reach { FROM_START = 1, TO_END = 2 } reach;

/* The cells of a row of the table among which are all that a path from the start reaches: those
 * before `end`, from `first` on. */
typedef struct stretch {
  size_t first, end;
} stretch;

typedef struct walker {
  const etr_align_side *left, *right;
  uint8_t *cells;   /* bits of `reach` */
  stretch *reached; /* per row: most pairings stay near the diagonal */
} walker;

static uint8_t *cell_of(const walker *w, size_t i, size_t j) {
  return &w->cells[i * (w->right->count + 1) + j];
}

static bool may_leave(const etr_align_side *side, size_t i) {
  return side->items[i].cost <= side->leaves;
}

static bool may_pair(const walker *w, size_t i, size_t j) {
  return are_paired(&w->left->items[i], &w->right->items[j]);
}

/* Returns whether a path from the start leads to a cell of the table. */
static bool is_reached_from_start(const walker *w, size_t i, size_t j) {
  if (i == 0 && j == 0)
    return true;
  if (i && may_leave(w->left, i - 1) && *cell_of(w, i - 1, j) & FROM_START)
    return true;
  if (j && *cell_of(w, i, j - 1) & FROM_START && may_leave(w->right, j - 1))
    return true;
  return i && j && *cell_of(w, i - 1, j - 1) & FROM_START && may_pair(w, i - 1, j - 1);
}

/* Marks the cells of a row to which a path from the start leads: none is before the first of the
 * row above, and behind the last of that row each follows one that is reached. */
static void reach_row(walker *w, size_t i) {
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

/* Returns whether a path from a cell that is reached from the start leads to the end. */
static bool leads_to_end(const walker *w, size_t i, size_t j) {
  if (i == w->left->count && j == w->right->count)
    return true;
  if (i < w->left->count && *cell_of(w, i + 1, j) & TO_END && may_leave(w->left, i))
    return true;
  if (j < w->right->count && *cell_of(w, i, j + 1) & TO_END && may_leave(w->right, j))
    return true;
  return i < w->left->count && j < w->right->count && *cell_of(w, i + 1, j + 1) & TO_END &&
         may_pair(w, i, j);
}

/* Returns the owner with which every path pairs the i-th left item; ETR_NONE if paths pair it
 * with several owners, or if it may stay unpaired. */
static uint32_t only_owner(const walker *w, size_t i) {
  uint32_t only = ETR_NONE;
  for (size_t j = w->reached[i].first; j < w->reached[i].end; j++) {
    if (!(*cell_of(w, i, j) & FROM_START))
      continue;
    if (*cell_of(w, i + 1, j) & TO_END && may_leave(w->left, i))
      return ETR_NONE;
    bool is_paired = j < w->right->count && *cell_of(w, i + 1, j + 1) & TO_END && may_pair(w, i, j);
    if (!is_paired)
      continue;
    if (only != ETR_NONE && only != w->right->owners[j])
      return ETR_NONE;
    only = w->right->owners[j];
  }
  return only;
}

/* Marks the cells that are on paths from start to end, and takes the owner on which all of these
 * paths agree. Sides that are too large have no walk. Returns false when out of memory. */
bool etr_align_only(uint32_t *only, bool *has_walk, const etr_align_side *left,
                    const etr_align_side *right, etr_arena *scratch) {
  walker w = {.left = left, .right = right};
  *has_walk = false;
  for (size_t i = 0; i < left->count; i++)
    only[i] = ETR_NONE;
  if (is_too_large(left->count, right->count))
    return true;
  w.cells = etr_arena_alloc_array(scratch, (left->count + 1) * (right->count + 1), sizeof *w.cells);
  w.reached = etr_arena_alloc_array(scratch, left->count + 1, sizeof *w.reached);
  if (etr_arena_failed(scratch))
    return false;
  for (size_t i = 0; i <= left->count; i++)
    reach_row(&w, i);
  for (size_t i = left->count + 1; i-- > 0;)
    for (size_t j = w.reached[i].end; j-- > w.reached[i].first;)
      if (*cell_of(&w, i, j) & FROM_START && leads_to_end(&w, i, j))
        *cell_of(&w, i, j) |= TO_END;
  *has_walk = (*cell_of(&w, 0, 0) & TO_END) != 0;
  for (size_t i = 0; *has_walk && i < left->count; i++)
    only[i] = only_owner(&w, i);
  return true;
}
