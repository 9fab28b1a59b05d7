/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_lists.c - the events of a summary, and its modules.
 */
#include "output/label.h"
#include "tables/summary_output.h"
#include "views/run_stats.h"

#include <stdlib.h>

enum { TREE_ROWS = 40 };

/* ---- Events, where there is no graph ---- */

/* An event and its time over all runs. */
typedef struct timed_event {
  const etr_event *event;
  uint64_t ticks;
  etr_stats stats; /* over runs */
  double weight;   /* what it ranks by */
} timed_event;

static int by_weight(const void *a, const void *b) {
  const timed_event *x = a, *y = b;
  if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
  return (x->event > y->event) - (x->event < y->event);
}

/* Kernels, operators inside delegates, and calls of delegates that tell nothing of their inside. Framework events
 * contain these. */
static bool is_own_time(const etr_block *block, size_t row) {
  const etr_event *e = &block->events[row];
  bool is_inside = e->kind == ETR_EVENT_DELEGATE_OPERATOR;
  if (e->match == ETR_MATCH_FRAMEWORK || (is_inside && !e->is_in_sums)) return false;
  return e->delegate_id || row == 0 || !block->events[row - 1].delegate_id ||
         block->events[row - 1].instruction_id != e->instruction_id;
}

typedef struct timed_events {
  etr_vec(timed_event) list;
  etr_map places; /* of events, by their addresses */
} timed_events;

static bool add_event(etr_report *r, timed_events *events, const etr_event *event) {
  timed_event *added = etr_vec_push(&r->answer.arena, &events->list);
  if (!added) return false;
  added->event = event;
  return etr_map_set(&events->places, (etr_slice){(const char *)&event, sizeof event},
                     (uint32_t)(events->list.count - 1));
}

/* What events have in the balance: inside a delegate, this may be a share of what was recorded. */
static bool add_portions(etr_report *r, timed_events *events, const etr_method *method) {
  uint32_t *place_of = etr_arena_alloc_array(&r->answer.arena, method->portion_count, sizeof *place_of);
  for (size_t i = 0; place_of && i < method->portion_count; i++) {
    const etr_portion *portion = &method->portions[i];
    place_of[i] = etr_map_get(&events->places, (etr_slice){(const char *)&portion->event, sizeof portion->event});
    if (place_of[i] != ETR_NONE) events->list.data[place_of[i]].ticks += portion->ticks;
  }
  const etr_stats *stats = place_of ? etr_run_stats(&r->answer.arena, method, place_of, events->list.count) : NULL;
  for (size_t i = 0; stats && i < events->list.count; i++) {
    timed_event *timed = &events->list.data[i];
    timed->stats = stats[i];
    timed->weight = etr_ranking(r->answer.profile, (double)timed->ticks, stats[i].p50);
  }
  return stats != NULL;
}

static bool list_events(etr_report *r, timed_events *events, const etr_method *method) {
  etr_map_init(&events->places, &r->answer.arena);
  for (size_t i = 0; i < method->block_count; i++) {
    const etr_block *block = &r->answer.profile->blocks[method->blocks[i]];
    for (size_t k = 0; k < block->event_count; k++)
      if (is_own_time(block, k) && !add_event(r, events, &block->events[k])) return false;
  }
  if (!add_portions(r, events, method)) return false;
  if (events->list.count) qsort(events->list.data, events->list.count, sizeof *events->list.data, by_weight);
  return true;
}

void etr_report_events(etr_report *r, const etr_summary *s) {
  timed_events events = {0};
  etr_sheet sheet;
  double summed_p50 = 0;
  if (!list_events(r, &events, s->method)) return;
  etr_sum_sheet_init(&sheet, &r->answer, ETR_IN_EVENTS, "events");
  for (size_t i = 0; i < events.list.count; i++) summed_p50 += events.list.data[i].stats.p50;
  for (size_t i = 0; i < events.list.count; i++) {
    const timed_event *timed = &events.list.data[i];
    const etr_event *event = timed->event;
    etr_sum sum = etr_sum_make(s->method, timed->ticks);
    sum.text = etr_label_kernel(event->label);
    sum.stats = &event->stats;
    sum.p50 = timed->stats.p50;
    sum.summed_p50 = summed_p50;
    if (event->kind == ETR_EVENT_DELEGATE_OPERATOR)
      sum.step = etr_clock_step(r->answer.profile, event->backend, event->delegate_id);
    sum.instruction = event->instruction_id;
    etr_sum_sheet_add(&sheet, sum);
  }
  etr_report_put(r, &sheet);
}

/* ---- By module ---- */

/* What is not shown of the modules directly below each one. */
typedef struct left_out {
  size_t shown, count;
  uint64_t ticks;
  double p50; /* the sum of theirs */
} left_out;

static const char *below(const etr_module_tree *tree, const etr_module_row *row) {
  const char *parent = row->parent == ETR_NONE ? "" : tree->rows[row->parent].path;
  size_t size = strlen(parent);
  bool is_below = size > 0 && strncmp(row->path, parent, size) == 0 && row->path[size] == '.';
  return is_below ? row->path + size + 1 : row->path;
}

/* A module's name, or what stands for several of one level. */
static void add_module(etr_report *r, etr_sheet *sheet, uint32_t level, const char *name, etr_sum sum) {
  static const char dots[] = "........................", blanks[] = "                        ";
  size_t size = ETR_MIN(2 * (size_t)(level - 1), sizeof blanks - 1);
  sum.text = etr_arena_format(&r->answer.arena, "%.*s%s", (int)size, r->markdown ? dots : blanks, name);
  etr_sum_sheet_add(sheet, sum);
}

static etr_sum sum_of(const etr_summary *s, const etr_module_row *row) {
  const etr_breakdown *by = &s->by[ETR_BY_MODULE];
  const etr_stats *own = row->number == ETR_NONE ? NULL : &by->stats[row->number];
  etr_sum sum = etr_sum_make(s->method, row->total_ticks);
  sum.own = etr_ranking(s->profile, etr_sum_make(s->method, row->own_ticks).ticks, own ? own->p50 : 0);
  sum.nodes = row->node_count;
  sum.p50 = row->total_p50;
  sum.summed_p50 = s->modules.summed_p50;
  sum.step = row->step;
  sum.cost = &row->cost;
  return sum;
}

/* Adds up what is not shown below each module. NULL when out of memory. */
static left_out *count_left_out(etr_arena *arena, const etr_module_tree *tree, const bool *shown) {
  left_out *left = etr_arena_alloc_array(arena, tree->count, sizeof *left);
  for (size_t i = 1; left && i < tree->count; i++) {
    left_out *l = &left[tree->rows[i].parent];
    if (shown[i]) l->shown++;
    if (!shown[i]) l->count++, l->ticks += tree->rows[i].total_ticks, l->p50 += tree->rows[i].total_p50;
  }
  return left;
}

void etr_report_modules(etr_report *r, const etr_summary *s) {
  const etr_module_tree *tree = &s->modules;
  size_t depth = r->answer.options->depth > 0 ? (size_t)r->answer.options->depth : 0, most = r->answer.options->top;
  if (depth && most) most = ETR_MAX(most, (size_t)TREE_ROWS);
  const bool *shown = etr_module_tree_choose(tree, &r->answer.arena, depth, most);
  left_out *left = shown ? count_left_out(&r->answer.arena, tree, shown) : NULL;
  etr_sheet sheet;
  if (!left) return;
  etr_sum_sheet_init(&sheet, &r->answer, ETR_IN_MODULES, "by module");
  etr_sheet_choose_between(&sheet, 1, 0);
  sheet.top = 0;
  for (size_t i = 1; i < tree->count; i++) {
    const etr_module_row *row = &tree->rows[i];
    left_out *l = &left[row->parent];
    bool is_last = l->shown && l->count == 1; /* it takes the line that would stand for it */
    if (shown[i] || is_last) {
      if (!shown[i]) l->count = 0;
      add_module(r, &sheet, row->level, below(tree, row), sum_of(s, row));
    } else if (l->shown && l->count) { /* they have less time than those shown, and so come behind them */
      const char *more = etr_arena_format(&r->answer.arena, "%zu more", l->count);
      etr_sum sum = etr_sum_make(s->method, l->ticks);
      sum.p50 = l->p50;
      sum.summed_p50 = s->modules.summed_p50;
      add_module(r, &sheet, row->level, more, sum);
      l->count = 0;
    }
  }
  if (tree->count && tree->rows[0].own_count) {
    etr_sum sum = sum_of(s, &tree->rows[0]);
    sum.ticks = etr_sum_make(s->method, tree->rows[0].own_ticks).ticks;
    sum.part = (double)tree->rows[0].own_ticks;
    sum.p50 = s->by[ETR_BY_MODULE].stats[tree->rows[0].number].p50;
    sum.own = 0;
    sum.cost = &tree->rows[0].own_cost;
    sum.nodes = tree->rows[0].own_count;
    add_module(r, &sheet, 1, "(the model itself)", sum);
  }
  etr_report_put(r, &sheet);
}

/* ---- By pattern ---- */

/* The model itself has all there is; what it has of its own comes last. */
void etr_report_patterns(etr_report *r, const etr_summary *s) {
  const etr_module_patterns *patterns = &s->patterns;
  int depth = r->answer.options->depth;
  etr_sheet sheet;
  etr_sum_sheet_init(&sheet, &r->answer, ETR_IN_PATTERNS, "by pattern");
  etr_sheet_choose_between(&sheet, 1, 0);
  for (size_t i = 0; i < patterns->count; i++) {
    const etr_pattern_row *row = &patterns->rows[i];
    if (row->level > 0 && (depth <= 0 || row->level <= (uint32_t)depth))
      etr_sum_sheet_add(&sheet, etr_sum_of_pattern(s->method, row, false));
  }
  if (patterns->count && patterns->rows[0].own_count)
    etr_sum_sheet_add(&sheet, etr_sum_of_pattern(s->method, &patterns->rows[0], true));
  etr_report_put(r, &sheet);
}
