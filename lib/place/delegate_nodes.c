/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_nodes.c - dealing the nodes of a handle to the delegates that list it.
 */
#include "place/delegate_nodes.h"

#include "backends/backends.h"

#include <stdlib.h>

/* Looking for more nodes than this in all is left to no file: handles are then dealt in the graph's order. */
enum { MOST_LOOKED_AT = 4 << 20 };

enum { NO_HOLDER = 0, SHARED = -1 };

/* A node that an entry may stand for. */
typedef struct candidate {
  uint32_t node;
  uint16_t class_;
  bool chosen;
} candidate;

typedef struct finder {
  etr_placement *placement;
  uint32_t method;
  const etr_blocks *blocks;
  bool *taken;
  etr_arena *arena, *scratch;
  int64_t *holder;            /* by the handle's first place in by_handle: 1 + the only instruction that lists it,
                                 NO_HOLDER or SHARED */
  size_t *skip;               /* of etr_method_next_free() */
  int32_t *owner;             /* per node: the delegate whose payload has an operator for it, -1 */
  candidate *candidates;      /* room for all */
  const etr_backend *classed; /* whose classes are remembered: of the first that is asked for */
  uint16_t *classes;          /* per node: 1 + its class; 0: not asked for yet */
  const etr_block **block_of; /* per instruction: the first block that has events of its delegate; NULL */
  size_t *row_of;             /* likewise: where its rows start there */
  size_t looked_at;
  bool any_shared; /* some handle is listed by several delegates */
} finder;

/* An entry of a delegate's handle list. */
typedef struct entry {
  uint32_t handle, place;
} entry;

static bool is_delegate(const etr_placed *instruction) { return instruction->is_delegate && instruction->map; }

static bool is_of_handle(const finder *f, size_t at, uint32_t handle) {
  return at < f->placement->method->by_handle_count && f->placement->method->by_handle[at].handle == handle;
}

/* ---- Handles that several delegates list ---- */

/* True if there are any. */
static bool find_holders(finder *f) {
  bool any = false;
  for (size_t i = 0; i < f->placement->instructions.count; i++) {
    const etr_placed *instruction = &f->placement->instructions.data[i];
    for (size_t k = 0; is_delegate(instruction) && k < instruction->map->handle_count; k++) {
      size_t first = etr_method_first_of_handle(f->placement->method, instruction->map->handles[k]);
      if (!is_of_handle(f, first, instruction->map->handles[k])) continue;
      int64_t *holder = &f->holder[first], mine = (int64_t)i + 1;
      if (*holder != NO_HOLDER && *holder != mine) *holder = SHARED, any = true;
      if (*holder == NO_HOLDER) *holder = mine;
    }
  }
  return any;
}

/* ---- Choosing ---- */

/* Nodes of a handle are looked at for each delegate that lists it. */
static uint16_t class_of(finder *f, const etr_backend *backend, uint32_t node) {
  const etr_graph *graph = f->placement->method->graph;
  if (!f->classed) f->classed = backend;
  if (!backend || backend != f->classed) return backend ? backend->class_of_node(graph, &graph->nodes[node]) : 0;
  if (!f->classes[node]) f->classes[node] = (uint16_t)(1 + backend->class_of_node(graph, &graph->nodes[node]));
  return (uint16_t)(f->classes[node] - 1);
}

/* Nodes of the handle that nothing else has taken, in the graph's order. */
static size_t list_candidates(finder *f, const etr_placed *instruction, uint32_t handle) {
  const etr_backend *backend = etr_backend_of(instruction->backend);
  size_t count = 0, first = etr_method_first_of_handle(f->placement->method, handle);
  for (size_t at = first; is_of_handle(f, at, handle); at++, f->looked_at++) {
    uint32_t node = f->placement->method->by_handle[at].node;
    if (f->taken[node] && f->owner[node] != instruction->id) continue;
    f->candidates[count++] = (candidate){.node = node, .class_ = class_of(f, backend, node)};
  }
  return count;
}

/* Those that the payload has operators for; gives how many. */
static size_t choose_by_payload(finder *f, size_t count, size_t most, int32_t instruction) {
  size_t chosen = 0;
  for (size_t i = 0; i < count && chosen < most; i++) {
    f->candidates[i].chosen = f->owner[f->candidates[i].node] == instruction;
    chosen += f->candidates[i].chosen;
  }
  return chosen;
}

/* Events have no handle, so each may be a node of any handle. */
static size_t choose_by_events(finder *f, size_t count, size_t most, uint32_t *events) {
  size_t chosen = 0;
  for (size_t i = 0; i < count && chosen < most; i++) {
    candidate *c = &f->candidates[i];
    if (c->class_ == 0 || c->class_ >= ETR_MOST_CLASSES || events[c->class_] == 0) continue;
    events[c->class_]--;
    c->chosen = true;
    chosen++;
  }
  return chosen;
}

/* For the rest of a list: nodes that are fused or vanish; then any node, rather than none. */
static void choose_rest(finder *f, const etr_backend *backend, size_t count, size_t most) {
  for (int any = 0; any <= 1; any++) {
    for (size_t i = 0; i < count && most > 0; i++) {
      candidate *c = &f->candidates[i];
      bool runs = backend && c->class_ && !(backend->traits(c->class_) & ETR_CLASS_FUSES);
      if (c->chosen || (!any && runs)) continue;
      c->chosen = true;
      most--;
    }
  }
}

/* Where each delegate's events stand. */
static bool find_events(finder *f) {
  const etr_placement *placement = f->placement;
  f->block_of = etr_arena_alloc_array(f->scratch, placement->instructions.count, sizeof *f->block_of);
  f->row_of = etr_arena_alloc_array(f->scratch, placement->instructions.count, sizeof *f->row_of);
  size_t count;
  const uint32_t *mine = etr_blocks_of_method(f->blocks, f->method, &count);
  for (size_t b = 0; f->block_of && f->row_of && b < count; b++) {
    const etr_block *block = &f->blocks->blocks[mine[b]];
    for (size_t i = 0, end; i < block->event_count; i = end) {
      bool any = false;
      end = etr_block_instruction_end(block, i);
      for (size_t k = i; k < end; k++) any |= block->events[k].delegate_id != NULL;
      const etr_placed *instruction = any ? etr_placed_instruction(placement, block->events[i].instruction_id) : NULL;
      if (!instruction || f->block_of[instruction - placement->instructions.data]) continue;
      f->block_of[instruction - placement->instructions.data] = block;
      f->row_of[instruction - placement->instructions.data] = i;
    }
  }
  return f->block_of && f->row_of;
}

/* How many operators of each class the events say that a delegate ran. */
static void count_events(const finder *f, uint32_t *events, const etr_placed *instruction) {
  const etr_backend *backend = etr_backend_of(instruction->backend);
  const etr_block *block = f->block_of[instruction - f->placement->instructions.data];
  size_t first = f->row_of[instruction - f->placement->instructions.data];
  size_t end = backend && block ? etr_block_instruction_end(block, first) : first;
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    uint16_t class_ = e->delegate_id ? backend->class_of_event(e->delegate_id) : 0;
    if (e->delegate_id && class_ < ETR_MOST_CLASSES) events[class_]++;
  }
}

/* ---- Dealing ---- */

/* The next nodes of a handle in the graph's order, for entries[0, count). */
static void deal_in_order(finder *f, const entry *entries, size_t count, uint32_t *nodes) {
  for (size_t i = 0; i < count; i++) {
    uint32_t node = etr_method_next_free(f->placement->method, f->taken, f->skip, entries[i].handle);
    if (node == ETR_NONE) return;
    f->taken[node] = true;
    nodes[entries[i].place] = node;
  }
}

/* Likewise of a handle that other delegates list, too, or of which a payload tells more. */
static void deal_fitting(finder *f, const etr_placed *instruction, const entry *entries, size_t count, uint32_t *nodes,
                         uint32_t *events) {
  size_t listed = list_candidates(f, instruction, entries[0].handle), dealt = 0;
  size_t chosen = instruction->payload ? choose_by_payload(f, listed, count, instruction->id)
                                       : choose_by_events(f, listed, count, events);
  choose_rest(f, etr_backend_of(instruction->backend), listed, count - chosen);
  for (size_t i = 0; i < listed; i++) {
    if (!f->candidates[i].chosen) continue;
    f->taken[f->candidates[i].node] = true;
    nodes[entries[dealt++].place] = f->candidates[i].node;
  }
}

/* Fills nodes, one for each entry of the delegate's list; ETR_NONE where none is left. */
static bool deal(finder *f, const etr_placed *instruction, uint32_t *nodes) {
  size_t count = instruction->map->handle_count;
  uint32_t events[ETR_MOST_CLASSES] = {0};
  entry *entries = etr_arena_alloc_array(f->scratch, count, sizeof *entries);
  if (!entries) return false;
  for (size_t i = 0; i < count; i++) entries[i] = (entry){instruction->map->handles[i], (uint32_t)i};
  for (size_t i = 0; i < count; i++) nodes[i] = ETR_NONE;
  qsort(entries, count, sizeof *entries, etr_by_two_numbers);
  if (f->any_shared && !instruction->payload) count_events(f, events, instruction);
  for (size_t i = 0, end; i < count; i = end) {
    size_t first = etr_method_first_of_handle(f->placement->method, entries[i].handle);
    for (end = i + 1; end < count && entries[end].handle == entries[i].handle;) end++;
    if (!is_of_handle(f, first, entries[i].handle)) continue;
    if (instruction->map->handle_count > 1 && is_of_handle(f, first + 1, entries[i].handle))
      f->placement->is_ordered = false;
    bool fitting = (f->holder[first] == SHARED || instruction->payload) && f->looked_at <= MOST_LOOKED_AT;
    if (fitting)
      deal_fitting(f, instruction, &entries[i], end - i, nodes, events);
    else
      deal_in_order(f, &entries[i], end - i, nodes);
  }
  return true;
}

static bool keep_node(finder *f, int32_t instruction, uint32_t node) {
  etr_delegate_node *added = etr_vec_push(f->arena, &f->placement->delegate_nodes);
  if (!added) return false;
  *added = (etr_delegate_node){instruction, node};
  f->placement->node_delegate[node] = instruction;
  return true;
}

static bool note_owners(finder *f) {
  f->owner = etr_arena_alloc_array(f->scratch, f->placement->method->graph->node_count, sizeof *f->owner);
  for (size_t i = 0; f->owner && i < f->placement->method->graph->node_count; i++) f->owner[i] = -1;
  for (size_t i = 0; f->owner && i < f->placement->instructions.count; i++) {
    const etr_placed *instruction = &f->placement->instructions.data[i];
    for (size_t k = 0; instruction->payload && k < instruction->payload->count; k++)
      if (instruction->operator_nodes[k] != ETR_NONE) f->owner[instruction->operator_nodes[k]] = instruction->id;
  }
  return f->owner != NULL;
}

static bool deal_all(finder *f) {
  etr_placement *placement = f->placement;
  f->holder = etr_arena_alloc_array(f->scratch, placement->method->by_handle_count, sizeof *f->holder);
  f->skip = etr_arena_alloc_array(f->scratch, placement->method->by_handle_count, sizeof *f->skip);
  f->candidates = etr_arena_alloc_array(f->scratch, placement->method->by_handle_count, sizeof *f->candidates);
  f->classes = etr_arena_alloc_array(f->scratch, placement->method->graph->node_count, sizeof *f->classes);
  if (!f->classes || !f->holder || !f->skip || !f->candidates || !note_owners(f)) return false;
  f->any_shared = find_holders(f);
  if (f->any_shared && !find_events(f)) return false;
  for (size_t i = 0; i < placement->instructions.count; i++) {
    const etr_placed *instruction = &placement->instructions.data[i];
    if (!is_delegate(instruction) || instruction->map->handle_count == 0) continue;
    uint32_t *nodes = etr_arena_alloc_array(f->scratch, instruction->map->handle_count, sizeof *nodes);
    if (!nodes || !deal(f, instruction, nodes)) return false;
    for (size_t k = 0; k < instruction->map->handle_count; k++)
      if (nodes[k] != ETR_NONE && !keep_node(f, instruction->id, nodes[k])) return false;
  }
  return true;
}

/* ---- In the order of the lowering ---- */

typedef struct placed {
  int32_t instruction;
  uint32_t rank, node;
} placed;

static int by_place(const void *a, const void *b) {
  const placed *x = a, *y = b;
  if (x->instruction != y->instruction) return x->instruction < y->instruction ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool take_order(finder *f, const etr_lowering *order) {
  size_t node_count = f->placement->method->graph->node_count, count = 0;
  placed *list = etr_arena_alloc_array(f->scratch, node_count, sizeof *list);
  if (!list) return false;
  for (uint32_t i = 0; i < node_count; i++)
    if (order->delegate_of[i] >= 0) list[count++] = (placed){order->delegate_of[i], order->rank[i], i};
  etr_sort(list, count, sizeof *list, by_place);
  for (size_t i = 0; i < count; i++)
    if (!keep_node(f, list[i].instruction, list[i].node)) return false;
  return true;
}

bool etr_find_delegate_nodes(etr_placement *placement, const etr_roles *roles, const etr_lowering *order,
                             uint32_t method, const etr_blocks *blocks, bool *taken, etr_arena *arena,
                             etr_arena *scratch) {
  finder f = {
      .placement = placement, .method = method, .blocks = blocks, .taken = taken, .arena = arena, .scratch = scratch};
  placement->is_ordered = true;
  if (order->is_proven) return take_order(&f, order);
  for (size_t i = 0; roles->is_consistent && i < placement->method->graph->node_count; i++)
    taken[i] |= !roles->is_delegated[i];
  return deal_all(&f);
}
