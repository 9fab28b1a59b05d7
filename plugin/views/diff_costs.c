/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_costs.c - costs of nodes by their pairs, of sums by their keys.
 */
#include "views/diff_costs.h"

#include "views/breakdown.h"

/* One side of a method. */
typedef struct side {
  const etr_profile *profile;
  const etr_method *method;
  const etr_graph *graph; /* NULL: nothing is known */
  bool is_newer;
} side;

static side side_of(const etr_comparison *c, const etr_method_pair *pair, bool is_newer) {
  side s = {.profile = is_newer ? c->newer : c->base, .is_newer = is_newer};
  uint32_t index = is_newer ? pair->new_method : pair->base_method;
  if (!s.profile || index == ETR_NONE) return s;
  s.method = &s.profile->methods[index];
  if (s.method->graph != ETR_NONE) s.graph = &s.profile->graphs[s.method->graph];
  return s;
}

static void set(const side *s, etr_diff_row *row, const etr_cost_figures *cost) {
  *(s->is_newer ? &row->new_cost : &row->base_cost) = cost;
}

static bool add_of_nodes(const side *s, etr_diff_row *rows, size_t count, etr_arena *arena) {
  etr_cost_figures *costs = etr_arena_alloc_array(arena, count, sizeof *costs);
  for (size_t i = 0; costs && i < count; i++) {
    uint32_t node = s->is_newer ? rows[i].pair->new_node : rows[i].pair->base_node;
    if (node == ETR_NONE) continue;
    costs[i] = etr_cost_figures_of_node(s->profile, s->graph, node);
    set(s, &rows[i], &costs[i]);
  }
  return costs != NULL;
}

static bool add_of_sums(const side *s, etr_diff_row *rows, size_t count, etr_arena *arena, etr_breakdown_by by) {
  etr_breakdown sums;
  etr_map places;
  etr_map_init(&places, arena);
  if (!etr_breakdown_make(&sums, arena, s->profile, s->method, by, NULL)) return false;
  for (uint32_t i = 0; i < sums.count; i++)
    if (!etr_map_set(&places, etr_slice_of(sums.rows[i].key), i)) return false;
  for (size_t i = 0; i < count; i++) {
    uint32_t place = etr_map_get(&places, etr_slice_of(rows[i].name));
    if (place != ETR_NONE) set(s, &rows[i], &sums.rows[place].cost);
  }
  return true;
}

bool etr_diff_costs_add(etr_diff_rows *rows, etr_arena *arena, const etr_comparison *comparison,
                        const etr_method_pair *method, etr_diff_section section) {
  static const etr_breakdown_by by[ETR_DIFF_SECTIONS] = {[ETR_DIFF_SECTION_OPS] = ETR_BY_OP,
                                                         [ETR_DIFF_SECTION_MODULES] = ETR_BY_MODULE,
                                                         [ETR_DIFF_SECTION_PATTERNS] = ETR_BY_PATTERN,
                                                         [ETR_DIFF_SECTION_BACKENDS] = ETR_BY_BACKEND};
  etr_diff_row *list = rows->rows;
  bool good = true;
  for (int newer = 0; good && newer < 2; newer++) {
    const side s = side_of(comparison, method, newer);
    if (!s.graph || !s.graph->costs || method->by_events) continue;
    good = section == ETR_DIFF_SECTION_NODES ? add_of_nodes(&s, list, rows->count, arena)
                                             : add_of_sums(&s, list, rows->count, arena, by[section]);
  }
  return good;
}
