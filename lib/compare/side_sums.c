/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side_sums.c - items of a side by what they have in common.
 */
#include "compare/compare_side.h"

#include <math.h>

/* What an item is added up to; NULL: to none, as it is not known where an item without time runs. */
static const char *key_of(const etr_side_item *item, etr_side_by by) {
  if (by == ETR_SIDE_OP) return item->op;
  if (by == ETR_SIDE_MODULE) return item->module;
  if (by == ETR_SIDE_PATTERN) return item->pattern;
  if (item->time.runs == 0) return NULL;
  return item->backend ? item->backend : "cpu";
}

etr_side_sums *etr_side_sums_of(etr_side_method *method, etr_side_by by) {
  etr_side_sums *const sums[ETR_SIDE_BY] = {&method->ops, &method->modules, &method->patterns, &method->backends};
  return sums[by];
}

typedef etr_vec(etr_side_sum) sum_rows;

/* The number of a group; ETR_NONE when out of memory. */
static uint32_t group_of_key(sum_rows *rows, etr_map *index, const char *key, etr_arena *arena) {
  uint32_t known = etr_map_get(index, etr_slice_of(key));
  if (known != ETR_NONE) return known;
  etr_side_sum *added = etr_vec_push(arena, rows);
  known = (uint32_t)(rows->count - 1);
  if (!added || !etr_map_set(index, etr_slice_of(key), known)) return ETR_NONE;
  added->key = key;
  return known;
}

static void add_item(etr_side_sum *to, const etr_side_item *item) {
  if (item->time.runs == 0) return;
  to->timed++;
  to->time.total += item->time.total;
  to->time.step += item->time.step * item->time.step;
}

bool etr_side_group(etr_side_groups *out, const etr_side_item *items, size_t count, etr_side_by by, etr_arena *arena,
                    etr_arena *scratch) {
  sum_rows rows = {0};
  etr_map index;
  *out = (etr_side_groups){.group_of = etr_arena_alloc_array(scratch, count, sizeof *out->group_of)};
  if (!out->group_of) return false;
  etr_map_init(&index, scratch);
  for (size_t i = 0; i < count; i++) {
    const char *key = key_of(&items[i], by);
    out->group_of[i] = key ? group_of_key(&rows, &index, key, arena) : ETR_NONE;
    if (key && out->group_of[i] == ETR_NONE) return false;
    if (key) add_item(&rows.data[out->group_of[i]], &items[i]);
  }
  for (size_t i = 0; i < rows.count; i++) rows.data[i].time.step = sqrt(rows.data[i].time.step);
  out->rows = rows.data;
  out->count = rows.count;
  return true;
}
