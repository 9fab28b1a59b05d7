/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_plan.c - decides which boxes, clusters and edges a picture of a graph has.
 */
#include "dot/dot_plan.h"

#include "output/ranking.h"

#include <stdlib.h>

enum {
  BOXES_AT_EASE = 150,  /* boxes that can still be read, and that dot lays out in a second */
  BOXES_ON_A_PAGE = 40, /* boxes that fit a page of a document */
  MOST_LEVELS = 64,     /* cgraph and dot recurse once per level; no model comes near */
};

/* Makes the plan of a picture. */
typedef struct planner {
  etr_dot_plan *plan;
  etr_arena *arena;
  const etr_profile *profile;
  const etr_graph *graph;
  etr_dot_sum *node_sums;  /* one per node */
  etr_dot_sum *scope_sums; /* one per scope */
  uint32_t *cluster_of;    /* one per scope, see etr_dot_plan */
  uint32_t *closed_around; /* one per scope: the outermost closed scope around or at it; ETR_NONE */
  bool *is_opened; /* one per scope: it is opened for its own sake; without --depth these are blocks
                  that repeat, and the scopes around them */
  uint32_t *level; /* one per scope: number of scopes around it that are completely in focus */
  uint32_t *box_of_scope; /* index of the box of a closed scope, once there is one */
  uint32_t *box_of_node;  /* ETR_NONE: not drawn */
  etr_vec(etr_dot_box) boxes;
  etr_vec(etr_dot_edge) edges;
  etr_vec(etr_dot_delegate) delegates;
} planner;

/* Returns a list in which each element is ETR_NONE; NULL when out of memory. */
static uint32_t *alloc_none(etr_arena *arena, size_t count) {
  uint32_t *list = etr_arena_alloc_array(arena, count, sizeof *list);
  if (list != NULL)
    memset(list, 0xFF, count * sizeof *list);
  return list;
}

/* ---- Sums ---- */

/* Sets the gap of a sum to another one if that is worse: the lowest SNR is shown. */
static void keep_worse_gap(etr_dot_sum *sum, const etr_numeric_gap *gap) {
  if (gap != NULL && (sum->gap == NULL || etr_gap_worse(gap, sum->gap) > 0))
    sum->gap = gap;
}

/* Adds the sum of a node or scope, `other`, to `sum`: times in ticks per inference, counts of
 * nodes, the coarsest clock step, and the worst gap. Of several delegates, the first stays. */
static void add_sum(etr_dot_sum *sum, const etr_dot_sum *other) {
  sum->ticks += other->ticks;
  sum->step = ETR_MAX(sum->step, other->step);
  sum->drawn += other->drawn;
  sum->focused += other->focused;
  sum->ranked += other->ranked;
  sum->ops += other->ops;
  sum->guests += other->guests;
  sum->guest_ticks += other->guest_ticks;
  sum->delegated += other->delegated;
  sum->several_delegates |= other->several_delegates ||
                            (sum->delegate != ETR_NONE && other->delegate != ETR_NONE &&
                             sum->delegate != other->delegate);
  if (sum->delegate == ETR_NONE)
    sum->delegate = other->delegate;
  sum->timed |= other->timed;
  sum->estimated |= other->estimated;
  keep_worse_gap(sum, other->gap);
}

/* Returns the index of the delegate that a node ran in or, if nothing was timed, of the lowered
 * module that contains it; it is added if it is new. numbers: backend and instruction, or lowered
 * subgraph -> index. Returns ETR_NONE if there is none, or when out of memory. */
static uint32_t find_or_add_delegate(planner *p, etr_map *numbers, uint32_t index) {
  const etr_node *node = &p->graph->nodes[index];
  const etr_node_time *time = p->graph->times != NULL ? &p->graph->times[index] : NULL;
  uint32_t lowered = etr_dot_lowered_around(p->graph, node->subgraph);
  etr_dot_delegate delegate = {.instruction = -1};
  etr_slice key = {0};
  if (time != NULL && time->backend != NULL) {
    delegate.backend = time->backend;
    delegate.instruction = time->delegate_instruction;
    key = etr_key_of(p->arena, (uint32_t)time->delegate_instruction, etr_slice_of(time->backend));
  } else if (lowered != ETR_NONE) {
    const char *backend = p->graph->subgraphs[lowered].backend;
    delegate.backend = backend != NULL ? backend : "delegate";
    key = etr_key_of(p->arena, lowered, (etr_slice){"", 1}); /* no backend has a NUL in its name */
  }
  if (key.size == 0)
    return ETR_NONE;
  uint32_t number = etr_map_get(numbers, key);
  if (number != ETR_NONE)
    return number;
  etr_dot_delegate *added = etr_vec_push(p->arena, &p->delegates);
  if (added == NULL)
    return ETR_NONE;
  *added = delegate;
  uint32_t added_number = (uint32_t)p->delegates.count - 1;
  return etr_map_set(numbers, key, added_number) ? added_number : ETR_NONE;
}

/* Sets the sum of a node alone: its time per inference by the statistic that ranks, what it is,
 * whether it is drawn, and its delegate, to whose sum it is added. */
static void set_node_sum(planner *p, etr_map *delegate_numbers, uint32_t index) {
  const etr_node *node = &p->graph->nodes[index];
  etr_dot_sum *sum = &p->node_sums[index];
  const etr_dot_choice *choice = &p->plan->choice;
  bool is_weight = node->kind >= ETR_NODE_PARAMETER; /* weights are not drawn */
  *sum = (etr_dot_sum){.drawn = !is_weight && etr_dot_stand_in(&p->plan->fold, index) == index,
                       .focused = !is_weight && choice->focused[index],
                       .ranked = choice->rank[index] > 0,
                       .ops = node->kind == ETR_NODE_OP,
                       .guests = p->plan->scopes.is_guest[index],
                       .delegate = ETR_NONE,
                       .gap = p->plan->accuracy != NULL ? p->plan->accuracy[index].gap : NULL};
  if (p->graph->times != NULL && p->graph->times[index].runs > 0) {
    const etr_node_time *time = &p->graph->times[index];
    sum->ticks = etr_ranking_time(p->profile, etr_times_of_node(time));
    sum->step = etr_clock_step(p->profile, time->backend, NULL);
    sum->guest_ticks = sum->guests ? sum->ticks : 0;
    sum->timed = true;
    sum->estimated = time->is_estimated;
  }
  if (node->kind != ETR_NODE_OP)
    return;
  sum->delegate = find_or_add_delegate(p, delegate_numbers, index);
  if (sum->delegate == ETR_NONE)
    return;
  sum->delegated = 1;
  p->delegates.data[sum->delegate].ops++;
  p->delegates.data[sum->delegate].ticks += sum->ticks;
}

/* Sets the sums of all nodes, of each scope at any depth, and of the graph. The time of a node that
 * is not drawn is added to that of the equal node that is drawn for it. When out of memory, the
 * arena has failed. */
static void sum_scopes(planner *p) {
  const etr_scopes *scopes = &p->plan->scopes;
  etr_map delegate_numbers;
  etr_map_init(&delegate_numbers, p->arena);
  for (size_t i = 0; i < scopes->count; i++)
    p->scope_sums[i].delegate = ETR_NONE;
  p->plan->total.delegate = ETR_NONE;
  for (uint32_t i = 0; i < p->graph->node_count; i++) {
    set_node_sum(p, &delegate_numbers, i);
    if (etr_arena_failed(p->arena))
      return;
    add_sum(&p->plan->total, &p->node_sums[i]);
  }
  /* The total, above, counts each node once, so times move between nodes only now. */
  for (uint32_t i = 0; i < p->graph->node_count; i++) {
    uint32_t stand_in = etr_dot_stand_in(&p->plan->fold, i);
    p->plan->folded += stand_in != i && p->graph->nodes[i].kind == ETR_NODE_OP;
    if (stand_in == i)
      continue;
    etr_dot_sum *shown = &p->node_sums[stand_in];
    etr_dot_sum *folded = &p->node_sums[i]; /* of a node that is not drawn */
    shown->ticks += folded->ticks;
    shown->guest_ticks += folded->guest_ticks;
    shown->timed |= folded->timed;
    shown->estimated |= folded->estimated;
    keep_worse_gap(shown, folded->gap);
    shown->several_delegates |= folded->delegate != shown->delegate;
    folded->ticks = folded->guest_ticks = 0;
  }
  for (uint32_t i = 0; i < p->graph->node_count; i++)
    if (scopes->of_node[i] != ETR_NONE)
      add_sum(&p->scope_sums[scopes->of_node[i]], &p->node_sums[i]);
  for (size_t i = scopes->count; i-- > 0;) { /* children come after their parents */
    if (scopes->list[i].parent != ETR_NONE)
      add_sum(&p->scope_sums[scopes->list[i].parent], &p->scope_sums[i]);
  }
}

/* ---- Levels ---- */

/* Returns true if all drawn nodes of a scope are in focus. */
static bool is_in_focus(const etr_dot_sum *sum) {
  return sum->focused == sum->drawn;
}

/* Sets the level of each scope, from 0 for the outermost ones that are completely in focus, and
 * plan->deepest to the number of levels. Scopes around these are always open and have level 0, too.
 * Parents come before their children. */
static void number_levels(planner *p) {
  for (uint32_t i = 0; i < p->plan->scopes.count; i++) {
    uint32_t parent = p->plan->scopes.list[i].parent;
    bool is_inner = parent != ETR_NONE && is_in_focus(&p->scope_sums[parent]);
    p->level[i] = is_inner ? p->level[parent] + 1 : 0;
    if (is_in_focus(&p->scope_sums[i]))
      p->plan->deepest = ETR_MAX(p->plan->deepest, p->level[i] + 1);
  }
}

/* Returns how many levels of scopes can be open so that there are at most `max_boxes` boxes: one
 * for each node in focus in open scopes, and one for each drawn scope directly below them. 0 when
 * out of memory, which the arena shows. */
static uint32_t count_levels_that_fit(planner *p, size_t max_boxes) {
  const etr_scopes *scopes = &p->plan->scopes;
  uint32_t deepest = p->plan->deepest;
  size_t *node_counts = etr_arena_alloc_array(p->arena, (size_t)deepest + 1, sizeof *node_counts);
  size_t *closed_counts = etr_arena_alloc_array(p->arena, (size_t)deepest + 1,
                                                sizeof *closed_counts);
  if (node_counts == NULL || closed_counts == NULL)
    return 0;
  for (size_t i = 0; i < p->graph->node_count; i++) {
    uint32_t scope = scopes->of_node[i];
    bool is_around = scope == ETR_NONE || !is_in_focus(&p->scope_sums[scope]);
    node_counts[is_around ? 0 : p->level[scope] + 1] += p->node_sums[i].focused;
  }
  for (size_t i = 0; i < scopes->count; i++) {
    if (is_in_focus(&p->scope_sums[i]))
      closed_counts[p->level[i]] += p->scope_sums[i].drawn > 0;
  }
  uint32_t levels = 0;
  size_t open_node_count = node_counts[0];
  while (levels < deepest &&
         open_node_count + node_counts[levels + 1] + closed_counts[levels + 1] <= max_boxes)
    open_node_count += node_counts[++levels];
  return levels;
}

/* Returns how many levels of modules are opened: as many as the user wants (all if depth is
 * negative or a top is chosen), all of a small graph, or as many as can be read. A picture that
 * folds is for an overview, so its boxes are to fit a page, also of a small graph. */
static uint32_t choose_levels(planner *p, const etr_dot_options *options) {
  int depth = options != NULL ? options->depth : 0;
  const etr_dot_choice *choice = &p->plan->choice;
  uint32_t max_levels = ETR_MIN(p->plan->deepest, (uint32_t)MOST_LEVELS);
  if (depth > 0)
    return ETR_MIN((uint32_t)depth, max_levels);
  bool folds = p->plan->fold.stand_in != NULL;
  if (depth < 0 || choice->top > 0 || (!folds && p->plan->total.ops <= BOXES_AT_EASE))
    return max_levels;
  uint32_t min_levels = choice->focus != NULL ? 1 : 0; /* what is in focus is opened */
  return ETR_MIN(
      ETR_MAX(count_levels_that_fit(p, folds ? BOXES_ON_A_PAGE : BOXES_AT_EASE), min_levels),
      max_levels);
}

/* Sets is_opened: of all scopes or, if blocks that repeat are drawn once and the user chose
 * nothing, only of these and of the scopes around them, because they are what the picture is to
 * show. */
static void choose_opened_scopes(planner *p, const etr_dot_options *options) {
  const etr_dot_choice *choice = &p->plan->choice;
  bool opens_all = p->plan->folded == 0 || choice->focus != NULL || choice->top > 0 ||
                   options->depth != 0;
  for (size_t i = p->plan->scopes.count; i-- > 0;) { /* children come after their parents */
    uint32_t parent = p->plan->scopes.list[i].parent;
    p->is_opened[i] |= opens_all || etr_dot_copies(&p->plan->fold, (uint32_t)i) > 1;
    if (p->is_opened[i] && parent != ETR_NONE)
      p->is_opened[parent] = true;
  }
}

/* ---- Boxes ---- */

/* Adds a box to the plan. It is context, drawn in gray, if none of its nodes is in focus or, with a
 * top, it is not in that; other boxes count for plan->hottest. Returns its index, or ETR_NONE when
 * out of memory. */
static uint32_t add_box(planner *p, etr_dot_box box) {
  const etr_dot_choice *choice = &p->plan->choice;
  etr_dot_box *added = etr_vec_push(p->arena, &p->boxes);
  if (added == NULL)
    return ETR_NONE;
  box.last = box.node;
  box.is_context = box.sum.focused == 0 || (choice->top > 0 && box.rank == 0);
  *added = box;
  if (!box.is_context)
    p->plan->hottest = ETR_MAX(p->plan->hottest, box.sum.ticks);
  return (uint32_t)p->boxes.count - 1;
}

/* Sets, for each scope, the cluster that its nodes are drawn in, and the outermost closed scope
 * whose box is drawn instead of them; ETR_NONE if there is none. A scope with one drawn node is
 * neither, since a frame around one box says nothing. Parents come before their children. */
static void find_clusters(planner *p) {
  for (uint32_t i = 0; i < p->plan->scopes.count; i++) {
    const etr_scope *scope = &p->plan->scopes.list[i];
    uint32_t cluster = scope->parent != ETR_NONE ? p->cluster_of[scope->parent] : ETR_NONE;
    uint32_t closed = scope->parent != ETR_NONE ? p->closed_around[scope->parent] : ETR_NONE;
    const etr_dot_sum *sum = &p->scope_sums[i];
    bool has_focused = sum->focused > 0 && (p->plan->choice.top == 0 || sum->ranked > 0);
    bool is_frame_of_one = sum->drawn <= 1;
    bool is_open = p->is_opened[i] && has_focused &&
                   (!is_in_focus(sum) || p->level[i] < p->plan->levels);
    p->cluster_of[i] = is_open && !is_frame_of_one ? i : cluster;
    p->closed_around[i] = closed == ETR_NONE && !is_open && !is_frame_of_one ? i : closed;
  }
}

/* Returns true for an operator in focus but not in the top, which shares a box with such operators
 * before it. */
static bool is_not_in_top(const planner *p, uint32_t node) {
  const etr_dot_choice *choice = &p->plan->choice;
  return choice->top > 0 && choice->rank[node] == 0 && choice->focused[node] &&
         p->graph->nodes[node].kind == ETR_NODE_OP;
}

/* Returns the index of the box of a node: that of the closed scope around it; the box before it, if
 * a top was asked for and both are operators that are not in it; or a new one. previous_index: the
 * box of the node before; ETR_NONE for the first node. ETR_NONE when out of memory. */
static uint32_t box_for_node(planner *p, uint32_t node, uint32_t previous_index) {
  uint32_t scope = p->plan->scopes.of_node[node];
  uint32_t closed = scope == ETR_NONE ? ETR_NONE : p->closed_around[scope];
  uint32_t cluster = scope == ETR_NONE ? ETR_NONE : p->cluster_of[scope];
  etr_dot_box *previous = previous_index == ETR_NONE ? NULL : &p->boxes.data[previous_index];
  if (closed == ETR_NONE && previous != NULL && previous->node != ETR_NONE &&
      previous->cluster == cluster && is_not_in_top(p, previous->node) && is_not_in_top(p, node)) {
    previous->last = node;
    add_sum(&previous->sum, &p->node_sums[node]);
    return previous_index;
  }
  if (closed == ETR_NONE)
    return add_box(p, (etr_dot_box){.node = node,
                                    .scope = scope,
                                    .cluster = cluster,
                                    .rank = p->plan->choice.rank[node],
                                    .sum = p->node_sums[node]});
  if (p->box_of_scope[closed] == ETR_NONE) {
    p->plan->has_closed = true;
    p->box_of_scope[closed] = add_box(p, (etr_dot_box){.node = ETR_NONE,
                                                       .scope = closed,
                                                       .cluster = p->cluster_of[closed],
                                                       .sum = p->scope_sums[closed]});
  }
  return p->box_of_scope[closed];
}

/* Adds the boxes of all nodes that are drawn, and sets box_of_node. A node that is not drawn,
 * because an equal one is drawn for it, has the box of that one. */
static void make_boxes(planner *p) {
  uint32_t previous_index = ETR_NONE;
  for (uint32_t i = 0; i < p->graph->node_count; i++) {
    if (p->plan->choice.drawn[i])
      p->box_of_node[i] = previous_index = box_for_node(p, i, previous_index);
  }
  for (uint32_t i = 0; i < p->graph->node_count; i++)
    p->box_of_node[i] = p->box_of_node[etr_dot_stand_in(&p->plan->fold, i)];
}

/* ---- Edges ---- */

/* Compares keys of edges for qsort(): by tail, then by head. */
static int compare_keys(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

typedef etr_vec(uint64_t) edge_keys;

/* Adds the key of an edge between two boxes, unless one of them is ETR_NONE: tail, then head, so
 * that sorting puts equal edges next to each other. When out of memory, the arena has failed. */
static void add_edge_key(planner *p, edge_keys *keys, uint32_t tail, uint32_t head) {
  if (tail == ETR_NONE || head == ETR_NONE)
    return;
  uint64_t *key = etr_vec_push(p->arena, keys);
  if (key != NULL)
    *key = (uint64_t)tail << 32 | head;
}

/* Adds the key of an edge from the box of each node that owns a nested graph to the box of the
 * first drawn node of that graph, if it is another box. */
static void add_nested_edges(planner *p, edge_keys *keys) {
  bool *is_linked = etr_arena_alloc_array(p->arena, p->graph->subgraph_count, sizeof *is_linked);
  for (size_t i = 0; is_linked != NULL && i < p->graph->node_count; i++) {
    uint32_t subgraph = p->graph->nodes[i].subgraph;
    if (subgraph == ETR_NONE || is_linked[subgraph] || p->box_of_node[i] == ETR_NONE)
      continue;
    is_linked[subgraph] = true;
    uint32_t tail = p->box_of_node[p->graph->subgraphs[subgraph].owner];
    if (tail != p->box_of_node[i])
      add_edge_key(p, keys, tail, p->box_of_node[i]);
  }
}

/* Adds an edge to the plan for all equal keys together. model: what these edges have in common; its
 * `uses` is added for each key. Sorts the keys. When out of memory, the arena has failed. */
static void merge_edges(planner *p, edge_keys *keys, etr_dot_edge model) {
  etr_sort(keys->data, keys->count, sizeof *keys->data, compare_keys);
  for (size_t i = 0; i < keys->count; i++) {
    if (i == 0 || keys->data[i] != keys->data[i - 1]) {
      etr_dot_edge *edge = etr_vec_push(p->arena, &p->edges);
      if (edge == NULL)
        return;
      *edge = (etr_dot_edge){.tail = (uint32_t)(keys->data[i] >> 32),
                             .head = (uint32_t)keys->data[i],
                             .is_next = model.is_next,
                             .is_loop = model.is_loop};
    }
    p->edges.data[p->edges.count - 1].uses += model.uses;
  }
}

/* Adds the edges between boxes of which one is in focus: data flow, then into the next equal block,
 * then back to the start of a loop, then into nested graphs. No box has an edge to itself: of equal
 * blocks in one box, its name says how many there are. When out of memory, the arena has failed. */
static void make_edges(planner *p) {
  const bool *focused = p->plan->choice.focused;
  const etr_dot_fold *fold = &p->plan->fold;
  edge_keys data = {0}, next = {0}, loops = {0}, nested = {0};
  for (uint32_t reader = 0; reader < p->graph->node_count; reader++) {
    const etr_node *node = &p->graph->nodes[reader];
    size_t input_count = node->input_count + node->other_input_count;
    for (size_t i = 0; i < input_count; i++) {
      uint32_t producer = node->inputs[i].node;
      uint32_t tail = p->box_of_node[producer], head = p->box_of_node[reader];
      if (!focused[etr_dot_stand_in(fold, producer)] && !focused[etr_dot_stand_in(fold, reader)])
        continue;
      if (tail == head)
        continue;
      bool is_next = etr_dot_fold_is_next(fold, &p->plan->scopes, producer, reader);
      /* What is read before it is made goes into the next pass. */
      edge_keys *others = producer > reader ? &loops : &data;
      add_edge_key(p, is_next ? &next : others, tail, head);
    }
  }
  add_nested_edges(p, &nested);
  if (etr_arena_failed(p->arena))
    return;
  merge_edges(p, &data, (etr_dot_edge){.uses = 1});
  merge_edges(p, &next, (etr_dot_edge){.uses = 1, .is_next = true});
  merge_edges(p, &loops, (etr_dot_edge){.uses = 1, .is_loop = true});
  p->plan->has_loops = loops.count > 0;
  merge_edges(p, &nested, (etr_dot_edge){.uses = 0});
}

/* ---- The whole plan ---- */

etr_status etr_dot_plan_build(etr_dot_plan *out, etr_arena *arena, const etr_profile *profile,
                              const etr_graph *graph, const etr_dot_options *options,
                              etr_error *error) {
  *out = (etr_dot_plan){.scopes = out->scopes};
  planner p = {.plan = out, .arena = arena, .profile = profile, .graph = graph};
  size_t nodes = graph->node_count;
  out->accuracy = etr_accuracy_of_nodes(arena, profile, graph);
  out->by_accuracy = options != NULL && options->by_accuracy;
  ETR_TRY(etr_dot_choose(&out->choice, arena, profile, graph, options, error));
  if (options != NULL && options->fold &&
      !etr_dot_fold_make(&out->fold, arena, profile, graph, &out->scopes, &out->choice))
    return ETR_ERROR_MEMORY;
  size_t scopes = out->scopes.count;
  p.node_sums = etr_arena_alloc_array(arena, nodes, sizeof *p.node_sums);
  p.scope_sums = etr_arena_alloc_array(arena, scopes, sizeof *p.scope_sums);
  p.box_of_node = alloc_none(arena, nodes);
  p.box_of_scope = alloc_none(arena, scopes);
  p.cluster_of = alloc_none(arena, scopes);
  p.level = alloc_none(arena, scopes);
  p.is_opened = etr_arena_alloc_array(arena, scopes, sizeof *p.is_opened);
  p.closed_around = alloc_none(arena, scopes);
  if (etr_arena_failed(arena))
    return ETR_ERROR_MEMORY;
  sum_scopes(&p);
  if (etr_arena_failed(arena))
    return ETR_ERROR_MEMORY;
  if (out->by_accuracy && out->total.gap == NULL)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                    "no value of %s/%s was compared with a reference: give one with --reference "
                    "FILE, for a record with a "
                    "debug buffer",
                    graph->module, graph->method);
  number_levels(&p);
  out->levels = choose_levels(&p, options);
  choose_opened_scopes(&p, options);
  find_clusters(&p);
  make_boxes(&p);
  make_edges(&p);
  out->scope_sums = p.scope_sums;
  out->cluster_of = p.cluster_of;
  out->boxes = p.boxes.data;
  out->box_count = p.boxes.count;
  out->edges = p.edges.data;
  out->edge_count = p.edges.count;
  out->delegates = p.delegates.data;
  out->delegate_count = p.delegates.count;
  return etr_arena_failed(arena) ? ETR_ERROR_MEMORY : ETR_OK;
}
