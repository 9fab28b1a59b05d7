/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compare_side.c - listing what is to be compared.
 */
#include "compare_side.h"

#include "blocks.h"

/* The runs of an event, as they come. */
typedef etr_vec(etr_run_ticks) event_runs;

typedef struct lister {
  const etr_profile *profile;
  const etr_method *method;
  uint32_t method_index;
  etr_map *numbers;
  etr_arena *arena;
  etr_map clocks; /* backend, "" for kernels -> index into divisors */
  etr_vec(uint64_t) divisors;
  etr_vec(etr_side_item) items;
  etr_vec(event_runs) runs; /* of each item that is an event */
  etr_vec(etr_pairing_item) keys;
} lister;

/* ---- Numbers for texts ---- */

static uint32_t number_of_bytes(lister *l, const void *bytes, size_t size) {
  etr_slice key = {bytes, size};
  uint32_t known = etr_map_get(l->numbers, key);
  if (known != ETR_NONE) return known;
  known = (uint32_t)l->numbers->count + 1;
  etr_map_set(l->numbers, key, known);
  return known;
}

static uint32_t number_of(lister *l, const char *text) { return number_of_bytes(l, text, strlen(text) + 1); }

/* Type and dimensions of all outputs, one number for each chain of them. */
static uint32_t number_of_shape(lister *l, const etr_node *node) {
  int64_t link[3] = {0}; /* the number so far, what comes next */
  for (size_t i = 0; i < node->output_count; i++) {
    const etr_value *value = &node->outputs[i];
    link[1] = value->rank;
    link[2] = value->dtype ? number_of(l, value->dtype) : 0;
    link[0] = number_of_bytes(l, link, sizeof link);
    for (int32_t k = 0; k < value->rank; k++) {
      link[1] = value->dims[k].size;
      link[2] = value->dims[k].symbol ? number_of(l, value->dims[k].symbol) : 0;
      link[0] = number_of_bytes(l, link, sizeof link);
    }
  }
  return (uint32_t)link[0];
}

/* The body of control flow that a node is in: what was lowered stands where its delegate is called. */
static const char *place_of(const etr_graph *graph, const etr_node *node) {
  uint32_t subgraph = node->subgraph;
  while (subgraph != ETR_NONE && graph->subgraphs[subgraph].kind == ETR_SUBGRAPH_LOWERED) subgraph = graph->subgraphs[subgraph].parent;
  return subgraph == ETR_NONE ? "" : graph->subgraphs[subgraph].path;
}

/* ---- Steps of the clocks ---- */

/* NULL of a kernel. */
static const char *backend_of(const etr_event *e) {
  if (!e->delegate_id && e->match != ETR_MATCH_DELEGATE) return NULL;
  return e->backend ? e->backend : "delegate";
}

/* Operators inside a delegate are timed by its backend, all else by the runtime. */
static const char *clock_of(const etr_event *e) { return e->delegate_id ? backend_of(e) : ""; }

static bool note_clock(lister *l, const etr_event *e) {
  etr_slice key = etr_slice_of(clock_of(e));
  uint32_t known = etr_map_get(&l->clocks, key);
  if (known == ETR_NONE) {
    uint64_t *added = etr_vec_push(l->arena, &l->divisors);
    known = (uint32_t)(l->divisors.count - 1);
    if (!added || !etr_map_set(&l->clocks, key, known)) return false;
  }
  for (size_t i = 0; i < e->sample_count; i++) l->divisors.data[known] = etr_noise_divisor(e->durations[i], l->divisors.data[known]);
  return true;
}

static double step_of_clock(const lister *l, const char *clock) {
  uint32_t known = etr_map_get(&l->clocks, etr_slice_of(clock));
  return known == ETR_NONE ? 1 : etr_noise_step(l->divisors.data[known]);
}

static bool note_clocks(lister *l) {
  for (size_t i = 0; i < l->profile->block_count; i++) {
    const etr_block *block = &l->profile->blocks[i];
    for (size_t k = 0; block->method == l->method_index && k < block->event_count; k++)
      if (block->events[k].match != ETR_MATCH_FRAMEWORK && !note_clock(l, &block->events[k])) return false;
  }
  return true;
}

/* ---- Nodes ---- */

static const etr_graph *graph_of(const etr_profile *profile, uint32_t method) {
  uint32_t graph = method == ETR_NONE ? ETR_NONE : profile->methods[method].graph;
  return graph == ETR_NONE ? NULL : &profile->graphs[graph];
}

bool etr_side_has_graph(const etr_profile *profile, uint32_t method) { return graph_of(profile, method) != NULL; }

static bool list_nodes(lister *l, const etr_graph *graph) {
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    const etr_node_time *time = graph->times ? &graph->times[i] : NULL;
    if (node->kind != ETR_NODE_OP) continue;
    etr_side_item *item = etr_vec_push(l->arena, &l->items);
    etr_pairing_item *key = etr_vec_push(l->arena, &l->keys);
    if (!item || !key) return false;
    *item = (etr_side_item){
        .node = i, .name = node->name, .op = node->target, .module = graph->modules[node->module].path, .backend = time ? time->backend : NULL};
    if (time && time->runs) {
      item->each_run = time->each_run;
      item->total = time->total_ticks;
      item->runs = time->runs;
      item->step = step_of_clock(l, time->backend ? time->backend : "") * (double)time->calls / time->runs;
    }
    *key = (etr_pairing_item){.name = number_of(l, item->name),
                              .op = number_of(l, item->op),
                              .module = number_of(l, item->module),
                              .shape = number_of_shape(l, node),
                              .place = number_of(l, place_of(graph, node))};
  }
  return true;
}

/* ---- Events ---- */

/* The item of an event, the same for all blocks that have it; its place, ETR_NONE when out of memory. */
static uint32_t item_of_event(lister *l, etr_map *index, const etr_event *e) {
  const char *inside = e->delegate_id && strcmp(e->delegate_id, e->name) != 0 ? e->delegate_id : NULL;
  char *id = etr_arena_format(l->arena, "%s (%d%s%s)", e->name, (int)e->instruction_id, inside ? "/" : "", inside ? inside : "");
  uint32_t known = id ? etr_map_get(index, etr_slice_of(id)) : ETR_NONE;
  if (known != ETR_NONE) return known;
  etr_side_item *item = etr_vec_push(l->arena, &l->items);
  etr_pairing_item *key = etr_vec_push(l->arena, &l->keys);
  event_runs *runs = etr_vec_push(l->arena, &l->runs);
  known = (uint32_t)(l->items.count - 1);
  if (!id || !item || !key || !runs || !etr_map_set(index, etr_slice_of(id), known)) return ETR_NONE;
  *item = (etr_side_item){.node = ETR_NONE, .name = id, .op = e->name, .module = "", .backend = backend_of(e), .step = step_of_clock(l, clock_of(e))};
  *key = (etr_pairing_item){.name = number_of(l, id), .op = number_of(l, e->name)};
  return known;
}

static bool add_event(lister *l, etr_map *index, const etr_event *e, const uint32_t *run_place) {
  uint32_t place = item_of_event(l, index, e);
  if (place == ETR_NONE) return false;
  event_runs *runs = &l->runs.data[place];
  for (size_t i = 0; i < e->sample_count; i++) {
    uint32_t run = run_place[e->sample_runs[i]];
    if (run == ETR_NONE) continue;
    if (runs->count == 0 || runs->data[runs->count - 1].run != run) {
      etr_run_ticks *added = etr_vec_push(l->arena, runs);
      if (!added) return false;
      added->run = run;
    }
    runs->data[runs->count - 1].ticks += e->durations[i];
    l->items.data[place].total += e->durations[i];
  }
  return true;
}

/* True if rows [first, end) of one instruction hold a delegate's own events that add up to no more than its call: they then stand for it. */
static bool inside_stands_for_call(const etr_block *block, size_t first, size_t end) {
  uint64_t inside = 0, call = 0;
  bool any_inside = false, any_call = false;
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    bool is_inside = e->delegate_id != NULL, is_call = !is_inside && e->match == ETR_MATCH_DELEGATE;
    any_inside |= is_inside;
    any_call |= is_call;
    for (size_t k = 0; (is_inside || is_call) && k < e->sample_count; k++) *(is_inside ? &inside : &call) += e->durations[k];
  }
  return any_inside && (!any_call || inside <= call);
}

static bool list_block(lister *l, etr_map *index, const etr_block *block, const uint32_t *run_place) {
  for (size_t i = 0, end; i < block->event_count; i = end) {
    end = etr_block_end_of_instruction(block, i);
    bool takes_inside = inside_stands_for_call(block, i, end);
    for (size_t k = i; k < end; k++) {
      const etr_event *e = &block->events[k];
      bool in_delegate = e->delegate_id || e->match == ETR_MATCH_DELEGATE;
      bool listed = e->match != ETR_MATCH_FRAMEWORK && (!in_delegate || takes_inside == (e->delegate_id != NULL));
      if (listed && !add_event(l, index, e, run_place)) return false;
    }
  }
  return true;
}

static bool list_events(lister *l) {
  etr_map index;
  uint32_t *run_place = etr_arena_alloc_array(l->arena, l->profile->run_count, sizeof *run_place), runs = 0;
  etr_map_init(&index, l->arena);
  if (!run_place) return false;
  for (size_t i = 0; i < l->profile->run_count; i++) {
    const etr_run *run = &l->profile->runs[i];
    bool mine = l->profile->blocks[run->block].method == l->method_index && run->profile_events > 0 && runs < l->method->run_count;
    run_place[i] = mine ? runs++ : ETR_NONE;
  }
  for (size_t i = 0; i < l->profile->block_count; i++)
    if (l->profile->blocks[i].method == l->method_index && !list_block(l, &index, &l->profile->blocks[i], run_place)) return false;
  for (size_t i = 0; i < l->items.count; i++) {
    l->items.data[i].each_run = l->runs.data[i].data;
    l->items.data[i].runs = l->runs.data[i].count;
  }
  return true;
}

/* ---- Together ---- */

bool etr_side_make(etr_side *out, const etr_profile *profile, uint32_t method, bool by_events, etr_map *numbers, etr_arena *arena) {
  *out = (etr_side){0};
  if (method == ETR_NONE) return true;
  lister l = {.profile = profile, .method = &profile->methods[method], .method_index = method, .numbers = numbers, .arena = arena};
  etr_map_init(&l.clocks, arena);
  const etr_graph *graph = graph_of(profile, method);
  bool good = note_clocks(&l) && (by_events ? list_events(&l) : !graph || list_nodes(&l, graph));
  *out = (etr_side){.items = l.items.data, .keys = l.keys.data, .count = l.items.count, .run_count = l.method->run_count};
  return good && !etr_arena_failed(arena);
}
