/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared_times.c - joins undecided runs to each method that they may be of, and compares the
 * results.
 *
 * A join fills in rows and a graph, so it works on a copy of the graph, and blocks are restored.
 */
#include "profile/shared_times.h"

#include "join/attribute.h"
#include "join/placement.h"
#include "join/pte_graph.h"

/* The blocks of a method, and what they are made of, one block after the other. */
typedef struct saved {
  etr_block *blocks;
  uint64_t *starts;
  uint32_t *runs;
  etr_event *rows;
  etr_samples samples;
} saved;

/* A join of the runs to one of their methods. */
typedef struct trial {
  etr_method_inputs inputs;
  etr_payloads payloads;
  etr_budget budget;
  etr_placement placement;
  etr_graph graph;
  etr_method method;
  etr_event *rows; /* as the join filled them in, one block after the other */
} trial;

typedef struct finder {
  const etr_blocks *blocks;
  uint32_t index;                /* of the method of undecided runs */
  const uint32_t *block_indices; /* its blocks */
  size_t count;
} finder;

/* ---- Saving blocks ---- */

static void copy(void *to, const void *from, size_t count, size_t size) {
  if (count)
    memcpy(to, from, count * size);
}

/* Copies the samples of an event (durations, starts, runs, metadata) from one list of samples to
 * another. `first_to` and `first_from` are the indices of its first sample in both. */
static void copy_samples(const etr_samples *to, size_t first_to, const etr_samples *from,
                         size_t first_from, const etr_event *row) {
  size_t count = row->sample_count;
  copy(to->durations + first_to, from->durations + first_from, count, sizeof *to->durations);
  copy(to->starts + first_to, from->starts + first_from, count, sizeof *to->starts);
  copy(to->runs + first_to, from->runs + first_from, count, sizeof *to->runs);
  if (row->metadata)
    copy(to->metadata + first_to, from->metadata + first_from, count, sizeof *to->metadata);
}

/* Allocates memory for a copy of the method's blocks, and of their runs, events and samples.
 * Returns false when out of memory. */
static bool allocate_copy_of_blocks(saved *out, const finder *f, etr_arena *arena) {
  size_t rows = 0, samples = 0, runs = 0;
  for (size_t i = 0; i < f->count; i++) {
    const etr_block *block = &f->blocks->blocks[f->block_indices[i]];
    rows += block->event_count;
    runs += block->run_count;
    for (size_t k = 0; k < block->event_count; k++)
      samples += block->events[k].sample_count;
  }
  *out = (saved){.blocks = etr_arena_alloc_array(arena, f->count, sizeof *out->blocks),
                 .starts = etr_arena_alloc_array(arena, f->count, sizeof *out->starts),
                 .runs = etr_arena_alloc_array(arena, runs, sizeof *out->runs),
                 .rows = etr_arena_alloc_array(arena, rows, sizeof *out->rows)};
  etr_samples *s = &out->samples;
  s->durations = etr_arena_alloc_array(arena, samples, sizeof *s->durations);
  s->starts = etr_arena_alloc_array(arena, samples, sizeof *s->starts);
  s->runs = etr_arena_alloc_array(arena, samples, sizeof *s->runs);
  s->metadata = etr_arena_alloc_array(arena, samples, sizeof *s->metadata);
  return !etr_arena_failed(arena);
}

/* Copies the method's blocks with their runs, events and samples, because a join changes them.
 * Returns false when out of memory. */
static bool save_blocks(saved *out, const finder *f, etr_arena *arena) {
  if (!allocate_copy_of_blocks(out, f, arena))
    return false;
  for (size_t i = 0, row = 0, sample = 0, run = 0; i < f->count; i++) {
    const etr_block *block = &f->blocks->blocks[f->block_indices[i]];
    out->blocks[i] = *block;
    out->starts[i] = f->blocks->starts[f->block_indices[i]];
    copy(out->runs + run, block->runs, block->run_count, sizeof *out->runs);
    run += block->run_count;
    for (size_t k = 0; k < block->event_count; k++) {
      const etr_event *event = &block->events[k];
      out->rows[row++] = *event;
      copy_samples(&out->samples, sample, &f->blocks->samples,
                   etr_samples_first(&f->blocks->samples, event), event);
      sample += event->sample_count;
    }
  }
  return true;
}

/* Undoes what a join changed in the method's blocks, runs, events and samples. */
static void restore_blocks(const saved *saved_blocks, const finder *f) {
  for (size_t i = 0, row = 0, sample = 0, run = 0; i < f->count; i++) {
    etr_block *block = &f->blocks->blocks[f->block_indices[i]];
    *block = saved_blocks->blocks[i];
    f->blocks->starts[f->block_indices[i]] = saved_blocks->starts[i];
    copy(f->blocks->run_lists + (block->runs - f->blocks->run_lists), saved_blocks->runs + run,
         block->run_count, sizeof *saved_blocks->runs);
    run += block->run_count;
    for (size_t k = 0; k < block->event_count; k++) {
      etr_event *event = &etr_block_rows(f->blocks, block)[k];
      *event = saved_blocks->rows[row++];
      copy_samples(&f->blocks->samples, etr_samples_first(&f->blocks->samples, event),
                   &saved_blocks->samples, sample, event);
      sample += event->sample_count;
    }
  }
}

/* Returns a copy of the events of the undecided runs' blocks, block by block, with the nodes that a
 * join gave them; NULL when out of memory. The list is the arena's; what the events point to is not
 * copied. */
static etr_event *copy_events(const finder *f, etr_arena *arena) {
  size_t count = 0, row = 0;
  for (size_t i = 0; i < f->count; i++)
    count += f->blocks->blocks[f->block_indices[i]].event_count;
  etr_event *rows = etr_arena_alloc_array(arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < f->count; i++) {
    const etr_block *block = &f->blocks->blocks[f->block_indices[i]];
    copy(rows + row, block->events, block->event_count, sizeof *rows);
    row += block->event_count;
  }
  return rows;
}

/* ---- A trial ---- */

/* Joins the undecided runs to one of the methods that they may be of, on copies of what a join
 * changes, and restores the blocks; the results are in *t, and its warnings are not shown. t->graph
 * is the only graph, with index 0. Sets *is_joined to false if the budget of nodes does not
 * suffice. Returns false when out of memory. */
static bool try_method(trial *t, const finder *f, const etr_method_inputs *method, etr_arena *arena,
                       bool *is_joined) {
  etr_warnings quiet = {.arena = arena};
  saved before;
  *t = (trial){.inputs = *method,
               .method = {.name = "", .blocks = f->block_indices, .block_count = f->count}};
  etr_payloads_init(&t->payloads, method->payloads ? method->payloads->known : NULL, arena);
  etr_budget_init(&t->budget);
  if (method->budget)
    t->budget = *method->budget;
  t->inputs.payloads = method->payloads ? &t->payloads : NULL;
  t->inputs.budget = &t->budget;
  t->placement.method = &t->inputs;
  if (method->graph) {
    t->graph = *method->graph;
    t->graph.times = NULL;
    t->graph.costs = NULL;
    t->inputs.graph = &t->graph;
  }
  if (!save_blocks(&before, f, arena))
    return false;
  const etr_method_graphs graphs = {.edge = method->graph ? &t->graph : NULL,
                                    .program = method->graph ? NULL : &t->graph};
  bool good = etr_place_method(&t->placement, f->index, f->blocks, arena, &quiet);
  if (good && !method->graph)
    good = etr_pte_graph_stand_in(&t->placement, f->index, f->blocks, arena);
  *is_joined = good &&
               etr_attribute(&t->method, &graphs, &t->placement, f->index, f->blocks, &quiet);
  t->method.graph = 0;
  t->rows = copy_events(f, arena);
  restore_blocks(&before, f);
  return !etr_arena_failed(arena);
}

/* ---- Comparing ---- */

/* Returns the path of the innermost module of a node that has a path; "" if none has. */
static const char *module_path_of(const etr_graph *graph, const etr_node *node) {
  uint32_t module = node->module;
  while (module != 0 && module < graph->module_count && !graph->modules[module].path[0])
    module = graph->modules[module].parent;
  return module < graph->module_count ? graph->modules[module].path : "";
}

/* Returns true if two joins of the undecided runs, each to one of the methods that they may be of
 * (its results are a trial), give an event nodes with the same operators, in modules of the same
 * path. `x` is the event as the join of `a` filled it in, `y` the same event of `b`. */
static bool is_joined_alike(const trial *a, const trial *b, const etr_event *x,
                            const etr_event *y) {
  if (x->node_count != y->node_count)
    return false;
  for (size_t i = 0; i < x->node_count; i++) {
    const etr_node *first = &a->graph.nodes[x->nodes[i]], *second = &b->graph.nodes[y->nodes[i]];
    if (strcmp(first->target, second->target) != 0)
      return false;
    if (strcmp(module_path_of(&a->graph, first), module_path_of(&b->graph, second)) != 0)
      return false;
  }
  return true;
}

/* Returns whether joins to two methods give each event the same operator in the same module, so
 * that it does not matter of which method the runs are. */
static bool joins_agree(const trial *a, const trial *b, const finder *f) {
  for (size_t i = 0, row = 0; i < f->count; i++)
    for (size_t k = 0; k < f->blocks->blocks[f->block_indices[i]].event_count; k++, row++)
      if (!is_joined_alike(a, b, &a->rows[row], &b->rows[row]))
        return false;
  return true;
}

/* ---- All ---- */

/* Joins the undecided runs to each method that they may be of. If all joins succeed and agree, sets
 * out->shared to the graph and the times of the first one; else leaves it as it is. Returns false
 * when out of memory. */
static bool find_shared_times(etr_method *out, const finder *f, const etr_method_inputs *methods,
                              etr_arena *arena, etr_arena *scratch) {
  const etr_block *block = &f->blocks->blocks[f->block_indices[0]];
  trial *first = etr_arena_alloc(arena, sizeof *first);
  trial *other = etr_arena_alloc(scratch, sizeof *other);
  bool is_joined;
  if (!first || !other || !try_method(first, f, &methods[block->candidates[0]], arena, &is_joined))
    return false;
  for (size_t i = 1; is_joined && i < block->candidate_count; i++) {
    if (!try_method(other, f, &methods[block->candidates[i]], scratch, &is_joined))
      return false;
    is_joined = is_joined && joins_agree(first, other, f);
  }
  etr_shared_times *shared = is_joined ? etr_arena_alloc(arena, sizeof *shared) : NULL;
  if (!shared)
    return !is_joined;
  *shared = (etr_shared_times){&first->graph, &first->method};
  out->shared = shared;
  return true;
}

/* Does nothing if the method is known, or nothing about it is. */
bool etr_shared_times_find(etr_method *out, uint32_t index, const etr_blocks *blocks,
                           const etr_method_inputs *methods, etr_arena *arena) {
  finder f = {.blocks = blocks, .index = index};
  f.block_indices = etr_blocks_of_method(blocks, index, &f.count);
  if (f.count == 0 || blocks->blocks[f.block_indices[0]].candidate_count < 2)
    return true;
  etr_arena scratch = {0};
  bool good = find_shared_times(out, &f, methods, arena, &scratch) && !etr_arena_failed(&scratch);
  etr_arena_clear(&scratch);
  return good;
}
