/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_contents.c - counts a delegate's modules and operators.
 */
#include "views/delegate_contents.h"

#include "base/natural.h"
#include "views/phases.h"

#include <math.h>

/* Finds the entry of a key in a list, which is added if it is new. Returns ETR_NONE when out of
 * memory; *is_new: its list has no such entry yet. */
static uint32_t place_of(etr_map *places, const char *key, size_t count, bool *is_new) {
  etr_map_slot *slot = etr_map_at(places, etr_slice_of(key));
  *is_new = slot && slot->value == ETR_NONE;
  if (*is_new)
    slot->value = (uint32_t)count;
  return slot ? slot->value : ETR_NONE;
}

static int by_module_count(const void *a, const void *b) {
  const etr_delegate_module *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return etr_natural_compare(x->pattern, y->pattern);
}

static int by_op_count(const void *a, const void *b) {
  const etr_delegate_op *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return etr_natural_compare(x->op, y->op);
}

/* The lists while they are filled. */
typedef struct contents_lists {
  etr_arena *arena;
  etr_map module_places, op_places;
  etr_vec(etr_delegate_module) modules;
  etr_vec(etr_delegate_op) ops;
  bool *is_counted; /* per module of the graph */
} contents_lists;

static bool add_module(contents_lists *lists, const etr_graph *graph, uint32_t module) {
  const char *pattern = graph->modules[module].pattern;
  bool is_new;
  if (lists->is_counted[module])
    return true;
  lists->is_counted[module] = true;
  uint32_t at = place_of(&lists->module_places, pattern, lists->modules.count, &is_new);
  etr_delegate_module *added = is_new ? etr_vec_push(lists->arena, &lists->modules) : NULL;
  if (at == ETR_NONE || (is_new && !added))
    return false;
  if (added)
    *added = (etr_delegate_module){.pattern = pattern};
  lists->modules.data[at].count++;
  return true;
}

static bool add_op(contents_lists *lists, const char *op) {
  bool is_new;
  uint32_t at = place_of(&lists->op_places, op, lists->ops.count, &is_new);
  etr_delegate_op *added = is_new ? etr_vec_push(lists->arena, &lists->ops) : NULL;
  if (at == ETR_NONE || (is_new && !added))
    return false;
  if (added)
    *added = (etr_delegate_op){.op = op};
  lists->ops.data[at].count++;
  return true;
}

static bool add_nodes(etr_delegate_contents *out, etr_arena *arena, const etr_profile *profile,
                      const etr_graph *graph, const etr_delegate *delegate) {
  contents_lists lists = {
      .arena = arena,
      .is_counted = etr_arena_alloc_array(arena, graph->module_count, sizeof *lists.is_counted)};
  etr_cost_sum costs = {0};
  if (!lists.is_counted)
    return false;
  etr_map_init(&lists.module_places, arena);
  etr_map_init(&lists.op_places, arena);
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_OP ||
        graph->times[i].delegate_instruction != delegate->instruction_id)
      continue;
    if (!add_module(&lists, graph, node->module) || !add_op(&lists, node->target))
      return false;
    etr_cost_add(&costs, profile, graph, i);
  }
  if (lists.ops.count == 0)
    return true;
  etr_sort(lists.modules.data, lists.modules.count, sizeof *lists.modules.data, by_module_count);
  etr_sort(lists.ops.data, lists.ops.count, sizeof *lists.ops.data, by_op_count);
  out->modules = lists.modules.data;
  out->module_count = lists.modules.count;
  out->ops = lists.ops.data;
  out->op_count = lists.ops.count;
  out->macs = graph->costs ? etr_cost_macs(&costs) : NAN;
  return true;
}

/* Returns the time of the delegate's calls in the typical run; NaN if they were not timed. */
static double typical_of(const etr_profile *profile, const etr_method *method,
                         const etr_delegate *delegate) {
  double sum = NAN;
  for (size_t b = 0; b < method->block_count; b++) {
    const etr_block *block = &profile->blocks[method->blocks[b]];
    for (size_t i = 0; i < block->event_count; i++) {
      const etr_event *event = &block->events[i];
      if (event->kind == ETR_EVENT_DELEGATE_CALL &&
          event->instruction_id == delegate->instruction_id && event->stats.count)
        sum = (isnan(sum) ? 0 : sum) + event->stats.typical;
    }
  }
  return sum;
}

/* Returns true if time of the delegate was recorded, but no operator in it. */
static bool is_opaque(const etr_method *method, const etr_delegate *delegate) {
  bool was_called = false;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    if (!etr_time_slice_is_in_delegate(slice) ||
        slice->event->instruction_id != delegate->instruction_id)
      continue;
    if (slice->event->role == ETR_ROLE_OPERATOR)
      return false;
    was_called = true;
  }
  return was_called;
}

bool etr_delegate_contents_make(etr_delegate_contents *out, etr_arena *arena,
                                const etr_profile *profile, const etr_method *method,
                                const etr_delegate *delegate) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  *out = (etr_delegate_contents){.macs = NAN,
                                 .typical = typical_of(profile, method, delegate),
                                 .is_opaque = is_opaque(method, delegate)};
  return !graph || !graph->times || add_nodes(out, arena, profile, graph, delegate);
}
