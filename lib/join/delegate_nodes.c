/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_nodes.c - dealing the nodes of a handle to the delegates that list it.
 */
#include "delegate_nodes.h"

#include "node_class.h"

#include <stdlib.h>

/* Looking for more nodes than this in all is left to no file: handles are then dealt in the graph's order. */
enum { MOST_LOOKED_AT = 16 << 20 };

enum { NO_HOLDER = 0, SHARED = -1 };

/* A node that an entry may stand for. */
typedef struct candidate {
  uint32_t node;
  etr_xnn_class class_;
  uint64_t elements;
  bool chosen;
} candidate;

typedef struct finder {
  etr_method_join *join;
  uint32_t method;
  const etr_blocks *blocks;
  bool *taken;
  etr_arena *arena, *scratch;
  int64_t *holder;       /* by the handle's first place in by_handle: 1 + the only instruction that lists it, NO_HOLDER or SHARED */
  size_t *skip;          /* of etr_join_next_free() */
  candidate *candidates; /* room for all; NULL where no handle is shared */
  size_t looked_at;
} finder;

/* An entry of a delegate's handle list. */
typedef struct entry {
  uint32_t handle, place;
} entry;

static bool is_delegate(const etr_join_instruction *instruction) { return instruction->is_delegate && instruction->map; }

static bool is_of_handle(const finder *f, size_t at, uint32_t handle) {
  return at < f->join->by_handle_count && f->join->by_handle[at].handle == handle;
}

/* ---- Handles that several delegates list ---- */

/* True if there are any. */
static bool find_holders(finder *f) {
  bool any = false;
  for (size_t i = 0; i < f->join->instructions.count; i++) {
    const etr_join_instruction *instruction = &f->join->instructions.data[i];
    for (size_t k = 0; is_delegate(instruction) && k < instruction->map->handle_count; k++) {
      size_t first = etr_join_first_of_handle(f->join, instruction->map->handles[k]);
      if (!is_of_handle(f, first, instruction->map->handles[k])) continue;
      int64_t *holder = &f->holder[first], mine = (int64_t)i + 1;
      if (*holder != NO_HOLDER && *holder != mine) *holder = SHARED, any = true;
      if (*holder == NO_HOLDER) *holder = mine;
    }
  }
  return any;
}

/* ---- Choosing ---- */

/* Nodes of the handle that nothing has taken, in the graph's order. */
static size_t list_candidates(finder *f, uint32_t handle) {
  size_t count = 0, first = etr_join_first_of_handle(f->join, handle);
  for (size_t at = first; is_of_handle(f, at, handle); at++, f->looked_at++) {
    uint32_t index = f->join->by_handle[at].node;
    const etr_node *node = &f->join->graph->nodes[index];
    if (f->taken[index]) continue;
    f->candidates[count++] = (candidate){.node = index, .class_ = etr_node_class(f->join->graph, node), .elements = etr_node_elements(node)};
  }
  return count;
}

/* The first of this class, of this size if there is one; NULL if there is none. elements: 0 if not known. */
static candidate *first_like(finder *f, size_t count, etr_xnn_class class_, uint64_t elements) {
  candidate *found = NULL;
  for (size_t i = 0; i < count; i++, f->looked_at++) {
    candidate *c = &f->candidates[i];
    if (c->chosen || c->class_ != class_) continue;
    if (elements == 0 || c->elements == elements) return c;
    if (!found) found = c;
  }
  return found;
}

/* Chooses up to `most`; gives how many. */
static size_t choose_by_payload(finder *f, size_t count, size_t most, const etr_xnn_payload *payload, uint32_t handle) {
  size_t chosen = 0;
  for (size_t i = 0; i < payload->count && chosen < most && f->looked_at <= MOST_LOOKED_AT; i++, f->looked_at++) {
    const etr_xnn_operator *o = &payload->operators[i];
    candidate *like = o->handle == handle && o->class_ != ETR_XNN_NONE ? first_like(f, count, o->class_, o->elements) : NULL;
    if (!like) continue;
    like->chosen = true;
    chosen++;
  }
  return chosen;
}

/* Likewise, where only the events tell: they have no handle, so each stands for one node of any. */
static size_t choose_by_events(finder *f, size_t count, size_t most, uint32_t events[ETR_XNN_CLASSES]) {
  size_t chosen = 0;
  for (size_t i = 0; i < count && chosen < most; i++) {
    candidate *c = &f->candidates[i];
    if (c->class_ == ETR_XNN_NONE || events[c->class_] == 0) continue;
    events[c->class_]--;
    c->chosen = true;
    chosen++;
  }
  return chosen;
}

/* What is left of a list: nodes that are fused or vanish. Then any, rather than none. */
static void choose_rest(finder *f, size_t count, size_t most) {
  for (int any = 0; any <= 1; any++) {
    for (size_t i = 0; i < count && most > 0; i++) {
      candidate *c = &f->candidates[i];
      if (c->chosen || (!any && etr_class_always_runs(c->class_))) continue;
      c->chosen = true;
      most--;
    }
  }
}

/* How many operators of each class the events say that a delegate ran. */
static void count_events(finder *f, uint32_t events[ETR_XNN_CLASSES], int32_t instruction) {
  for (size_t b = 0; b < f->blocks->block_count; b++) {
    const etr_block *block = &f->blocks->blocks[b];
    bool found = false;
    for (size_t i = 0; block->method == f->method && i < block->event_count && f->looked_at <= MOST_LOOKED_AT; i++, f->looked_at++) {
      const etr_event *e = &block->events[i];
      if (e->instruction_id != instruction || !e->delegate_id) continue;
      events[etr_xnn_class_of_event(e->delegate_id)]++;
      found = true;
    }
    if (found) return;
  }
}

/* ---- Dealing ---- */

/* The next nodes of a handle in the graph's order, for entries[0, count). */
static void deal_in_order(finder *f, const entry *entries, size_t count, uint32_t *nodes) {
  for (size_t i = 0; i < count; i++) {
    uint32_t node = etr_join_next_free(f->join, f->taken, f->skip, entries[i].handle);
    if (node == ETR_NONE) return;
    f->taken[node] = true;
    nodes[entries[i].place] = node;
  }
}

/* What a delegate runs. */
typedef struct contents {
  etr_xnn_payload payload;
  uint32_t events[ETR_XNN_CLASSES]; /* where there is no payload */
} contents;

/* Likewise of a handle that other delegates list, too. */
static void deal_fitting(finder *f, const entry *entries, size_t count, uint32_t *nodes, contents *runs) {
  size_t listed = list_candidates(f, entries[0].handle), dealt = 0;
  size_t chosen = runs->payload.count ? choose_by_payload(f, listed, count, &runs->payload, entries[0].handle)
                                      : choose_by_events(f, listed, count, runs->events);
  choose_rest(f, listed, count - chosen);
  for (size_t i = 0; i < listed; i++) {
    if (!f->candidates[i].chosen) continue;
    f->taken[f->candidates[i].node] = true;
    nodes[entries[dealt++].place] = f->candidates[i].node;
  }
}

static int by_handle(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->handle != y->handle) return x->handle < y->handle ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

/* Fills nodes, one for each entry of the delegate's list; ETR_NONE where none is left. */
static bool deal(finder *f, const etr_join_instruction *instruction, uint32_t *nodes) {
  size_t count = instruction->map->handle_count;
  contents runs = {0};
  entry *entries = etr_arena_alloc_array(f->scratch, count, sizeof *entries);
  if (!entries) return false;
  for (size_t i = 0; i < count; i++) entries[i] = (entry){instruction->map->handles[i], (uint32_t)i};
  for (size_t i = 0; i < count; i++) nodes[i] = ETR_NONE;
  qsort(entries, count, sizeof *entries, by_handle);
  if (f->candidates && !etr_xnn_payload_read(&runs.payload, f->scratch, etr_join_payload(f->join, instruction->id), (etr_xnn_shown){0}))
    count_events(f, runs.events, instruction->id);
  for (size_t i = 0, end; i < count; i = end) {
    size_t first = etr_join_first_of_handle(f->join, entries[i].handle);
    for (end = i + 1; end < count && entries[end].handle == entries[i].handle;) end++;
    if (!is_of_handle(f, first, entries[i].handle)) continue;
    if (f->holder[first] != SHARED || f->looked_at > MOST_LOOKED_AT)
      deal_in_order(f, &entries[i], end - i, nodes);
    else
      deal_fitting(f, &entries[i], end - i, nodes, &runs);
  }
  return true;
}

static bool keep(finder *f, const etr_join_instruction *instruction, const uint32_t *nodes) {
  for (size_t i = 0; i < instruction->map->handle_count; i++) {
    if (nodes[i] == ETR_NONE) continue;
    etr_delegate_node *added = etr_vec_push(f->arena, &f->join->delegate_nodes);
    if (!added) return false;
    *added = (etr_delegate_node){instruction->id, nodes[i]};
    f->join->node_delegate[nodes[i]] = instruction->id;
  }
  return true;
}

bool etr_find_delegate_nodes(etr_method_join *join, uint32_t method, const etr_blocks *blocks, bool *taken, etr_arena *arena, etr_arena *scratch) {
  finder f = {.join = join, .method = method, .blocks = blocks, .taken = taken, .arena = arena, .scratch = scratch};
  f.holder = etr_arena_alloc_array(scratch, join->by_handle_count, sizeof *f.holder);
  f.skip = etr_arena_alloc_array(scratch, join->by_handle_count, sizeof *f.skip);
  if (!f.holder || !f.skip) return false;
  if (find_holders(&f)) {
    f.candidates = etr_arena_alloc_array(scratch, join->by_handle_count, sizeof *f.candidates);
    if (!f.candidates) return false;
  }
  for (size_t i = 0; i < join->instructions.count; i++) {
    const etr_join_instruction *instruction = &join->instructions.data[i];
    if (!is_delegate(instruction) || instruction->map->handle_count == 0) continue;
    uint32_t *nodes = etr_arena_alloc_array(scratch, instruction->map->handle_count, sizeof *nodes);
    if (!nodes || !deal(&f, instruction, nodes) || !keep(&f, instruction, nodes)) return false;
  }
  return true;
}
