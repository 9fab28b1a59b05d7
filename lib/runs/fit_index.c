/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fit_index.c - a list of methods for each instruction id and what it runs there.
 */
#include "runs/fit_index.h"

#include "backends/operator.h"

/* What an instruction runs, beside the operators of a program's kernels. */
#define DELEGATE ETR_SLICE("\1")
#define ANYTHING ETR_SLICE("\2") /* the handle map knows it, and does not say what it runs */

typedef struct entry {
  uint32_t key, method;
} entry;

typedef etr_vec(entry) entries;

struct etr_fit_index {
  etr_map keys;              /* instruction id and what it runs -> number */
  uint32_t *methods;         /* by key, ascending within each */
  size_t *end;               /* per key: where its methods end */
  etr_vec(uint32_t) partial; /* methods that no kernel speaks against by its id */
};

typedef struct builder {
  etr_fit_index *index;
  etr_arena *arena, scratch;
  entries entries;
} builder;

/* ---- Building ---- */

bool etr_fit_is_partial(const etr_method_inputs *inputs) {
  for (size_t i = 0; inputs->graph && i < inputs->graph->subgraph_count; i++)
    if (inputs->graph->subgraphs[i].kind == ETR_SUBGRAPH_BODY) return true;
  return !inputs->map || inputs->map->instruction_count == 0;
}

static void add(builder *b, uint32_t method, int32_t id, etr_slice what) {
  uint32_t key = etr_map_number(&b->index->keys, etr_key_of(&b->scratch, (uint32_t)id, what));
  entry *added = key == ETR_NONE ? NULL : etr_vec_push(&b->scratch, &b->entries);
  if (added) *added = (entry){key, method};
}

static void add_program(builder *b, uint32_t method, const etr_pte_method *program) {
  for (size_t i = 0; i < program->instruction_count && i <= INT32_MAX; i++) {
    const etr_instruction *instruction = &program->instructions[i];
    if (instruction->kind == ETR_INSTRUCTION_DELEGATE) add(b, method, (int32_t)i, DELEGATE);
    if (instruction->kind == ETR_INSTRUCTION_KERNEL)
      add(b, method, (int32_t)i, etr_operator_of_kernel(instruction->op));
  }
}

static void add_map(builder *b, uint32_t method, const etr_method_inputs *inputs) {
  for (size_t i = 0; inputs->map && i < inputs->map->instruction_count; i++) {
    const etr_map_instruction *instruction = &inputs->map->instructions[i];
    add(b, method, instruction->id, ANYTHING);
    if (instruction->is_delegate) add(b, method, instruction->id, DELEGATE);
  }
  uint32_t *partial = etr_fit_is_partial(inputs) ? etr_vec_push(b->arena, &b->index->partial) : NULL;
  if (partial) *partial = method;
}

static bool group(builder *b) {
  etr_fit_index *index = b->index;
  size_t *end = etr_arena_alloc_array(b->arena, index->keys.count + 1, sizeof *end);
  uint32_t *methods = etr_arena_alloc_array(b->arena, b->entries.count, sizeof *methods);
  if (!end || !methods) return false;
  for (size_t i = 0; i < b->entries.count; i++) end[b->entries.data[i].key + 1]++;
  for (size_t i = 1; i <= index->keys.count; i++) end[i] += end[i - 1];
  for (size_t i = 0; i < b->entries.count; i++) methods[end[b->entries.data[i].key]++] = b->entries.data[i].method;
  index->end = end;
  index->methods = methods;
  return true;
}

etr_fit_index *etr_fit_index_new(etr_arena *arena, const etr_method_inputs *inputs, size_t count) {
  builder b = {.arena = arena, .index = etr_arena_alloc(arena, sizeof *b.index)};
  if (!b.index) return NULL;
  etr_map_init(&b.index->keys, arena);
  for (uint32_t i = 0; i < count; i++) {
    if (inputs[i].program)
      add_program(&b, i, inputs[i].program);
    else
      add_map(&b, i, &inputs[i]);
  }
  bool good = group(&b) && !etr_arena_failed(&b.scratch) && !etr_arena_failed(arena);
  etr_arena_clear(&b.scratch);
  return good ? b.index : NULL;
}

/* ---- Finding ---- */

typedef struct range {
  const uint32_t *methods;
  size_t count;
} range;

/* Lists of methods that a row does not speak against. */
typedef struct choice {
  range lists[3];
  size_t count; /* of methods in all */
} choice;

static range range_of(const etr_fit_index *index, int32_t id, etr_slice what, etr_arena *scratch) {
  uint32_t key = etr_map_get(&index->keys, etr_key_of(scratch, (uint32_t)id, what));
  if (key == ETR_NONE) return (range){0};
  size_t first = key ? index->end[key - 1] : 0;
  return (range){index->methods + first, index->end[key] - first};
}

/* False: the row says nothing. What works in place is at no instruction of a handle map. */
static bool choose(const etr_fit_index *index, choice *out, const etr_event *e, etr_arena *scratch) {
  etr_slice op = etr_operator_of_event(e->name);
  *out = (choice){0};
  if (etr_event_is_in_delegate(e)) {
    out->lists[0] = range_of(index, e->instruction_id, DELEGATE, scratch);
  } else if (e->kind == ETR_EVENT_KERNEL && op.size && !etr_operator_is_in_place(op)) {
    out->lists[0] = range_of(index, e->instruction_id, op, scratch);
    out->lists[1] = range_of(index, e->instruction_id, ANYTHING, scratch);
    out->lists[2] = (range){index->partial.data, index->partial.count};
  } else
    return false;
  for (size_t i = 0; i < ETR_COUNT(out->lists); i++) out->count += out->lists[i].count;
  return e->instruction_id >= 0;
}

/* A partial method may be in two lists. */
static const uint32_t *merge(const choice *c, etr_arena *scratch, size_t *count) {
  uint32_t *methods = etr_arena_alloc_array(scratch, c->count, sizeof *methods);
  size_t all = 0;
  if (!methods) return NULL;
  for (size_t i = 0; i < ETR_COUNT(c->lists); i++)
    for (size_t k = 0; k < c->lists[i].count; k++) methods[all++] = c->lists[i].methods[k];
  etr_sort(methods, all, sizeof *methods, etr_by_number);
  *count = 0;
  for (size_t i = 0; i < all; i++)
    if (i == 0 || methods[i] != methods[i - 1]) methods[(*count)++] = methods[i];
  return methods;
}

const uint32_t *etr_fit_index_find(const etr_fit_index *index, const etr_block *block, etr_arena *scratch,
                                   size_t *count) {
  choice best = {0}, one;
  bool any = false;
  for (size_t i = 0; i < block->event_count; i++) {
    if (!choose(index, &one, &block->events[i], scratch) || (any && one.count >= best.count)) continue;
    best = one;
    any = true;
  }
  return any ? merge(&best, scratch, count) : NULL;
}
