/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fit.c - compares rows with methods, one by one, and delegates as a whole.
 */
#include "runs/fit.h"

#include "backends/backends.h"
#include "backends/operator.h"
#include "inputs/maps.h"
#include "inputs/program_values.h"

#include <stdlib.h>

/* A method, and the operators of its graph. */
typedef struct candidate {
  const etr_method_inputs *inputs;
  etr_handle_classes classes;
  const etr_backend
      *backend;  /* backend of its delegates; NULL if it has none or the backend is unknown */
  bool branches; /* some instructions run only in some inferences */
  bool is_partial;
  bool copies_updates; /* each buffer that it updates is written by a kernel, none by a delegate */
} candidate;

struct etr_fitter {
  etr_arena *arena;
  candidate *candidates;
  size_t count;
  etr_fit_index *index; /* index of the methods; NULL if there are few */
  etr_method_fit *fits; /* working memory for the fits of all methods */
  size_t budget;        /* rows, and handles of rows, that may still be compared with methods */
};

/* Fewer methods than INDEXED_FROM are compared one by one, without an index. No dump of a real
 * program needs as many comparisons as the default limit. */
enum { INDEXED_FROM = 16, DEFAULT_MAX_COMPARISONS = 1 << 25 };

/* A block while it is compared with the methods. */
typedef struct rows {
  const etr_block *block;
  int32_t *ids; /* instructions, ascending */
  size_t id_count;
} rows;

/* ---- Preparing ---- */

/* Returns true for a method whose instructions are not all known, so that an unknown kernel does
 * not contradict it: its graph has bodies of control flow, or it has no handle map, or an empty
 * one. */
static bool is_partial(const etr_method_inputs *inputs) {
  for (size_t i = 0; inputs->graph && i < inputs->graph->subgraph_count; i++)
    if (inputs->graph->subgraphs[i].kind == ETR_SUBGRAPH_BODY)
      return true;
  return !inputs->map || inputs->map->instruction_count == 0;
}

/* Returns true for a method with control flow, of which some instructions do not run each time. */
static bool has_branches(const etr_method_inputs *inputs) {
  const etr_graph *graph = inputs->graph;
  const etr_pte_method *program = inputs->program;
  for (size_t i = 0; graph && i < graph->subgraph_count; i++)
    if (graph->subgraphs[i].kind == ETR_SUBGRAPH_BODY)
      return true;
  for (size_t i = 0; program && i < program->instruction_count; i++)
    if (program->instructions[i].kind == ETR_INSTRUCTION_JUMP_FALSE)
      return true;
  return false;
}

/* Returns the backend of the first delegate that the record or the program names, because few
 * methods have two; NULL if there is none or it is unknown. */
static const etr_backend *find_backend(const etr_method_inputs *inputs) {
  const char *id = NULL;
  for (size_t i = 0; inputs->map && !id && i < inputs->map->instruction_count; i++)
    id = inputs->map->instructions[i].backend;
  if (!id && inputs->program && inputs->program->delegate_count)
    id = inputs->program->delegates[0].backend;
  return etr_backend_of(id);
}

/* Collects what is compared of a method: its backend, whether it branches, and the classes of
 * operators at its handles. copies_updates remains true if no delegate can contain a buffer that
 * the method updates, so that a copy must run for each. Returns false when out of memory. */
static bool prepare_candidate(candidate *c, etr_arena *arena, const etr_method_inputs *inputs) {
  *c = (candidate){.inputs = inputs,
                   .backend = find_backend(inputs),
                   .branches = has_branches(inputs),
                   .is_partial = is_partial(inputs),
                   .copies_updates = true};
  for (size_t i = 0; inputs->map && i < inputs->map->instruction_count; i++) {
    const etr_backend *backend = etr_backend_of(inputs->map->instructions[i].backend);
    c->copies_updates &= !inputs->map->instructions[i].is_delegate ||
                         (backend && backend->keeps_no_buffers);
  }
  return etr_handle_classes_of(&c->classes, arena, c->backend, inputs->graph);
}

/* Prepares all methods, with an index if there are many. Returns NULL when out of memory. */
etr_fitter *etr_fitter_new(etr_arena *arena, const etr_method_inputs *inputs, size_t count,
                           size_t max_comparisons) {
  etr_fitter *fitter = etr_arena_alloc(arena, sizeof *fitter);
  candidate *candidates = etr_arena_alloc_array(arena, count, sizeof *candidates);
  if (etr_arena_failed(arena))
    return NULL;
  *fitter = (etr_fitter){
      .arena = arena, .candidates = candidates, .count = count, .budget = max_comparisons};
  if (max_comparisons == 0)
    fitter->budget = DEFAULT_MAX_COMPARISONS;
  fitter->fits = etr_arena_alloc_array(arena, count, sizeof *fitter->fits);
  if (count >= INDEXED_FROM)
    fitter->index = etr_fit_index_new(arena, inputs, count);
  for (size_t i = 0; i < count; i++)
    if (!prepare_candidate(&candidates[i], arena, &inputs[i]))
      return NULL;
  return etr_arena_failed(arena) ? NULL : fitter;
}

/* ---- Comparing a row with a method ---- */

/* Returns true for the copy that gives a buffer or an input its new value. */
static bool is_update(etr_slice op) {
  return etr_slice_equal(op, ETR_SLICE("copy_"));
}

/* Returns true if a node with one of the map's handles has this operator. */
static bool has_operator_at_handles(const etr_method_inputs *inputs, const etr_map_instruction *map,
                                    etr_slice op) {
  uint32_t number = inputs->graph ? etr_map_get(&inputs->operators, op) : ETR_NONE;
  size_t count = 0;
  for (size_t i = 0; number != ETR_NONE && count == 0 && i < map->handle_count; i++)
    etr_node_index_find(&inputs->by_operator, map->handles[i], number, &count);
  return count > 0;
}

/* Returns true if an event can be of the instruction of the .pte that has its number. Events
 * without an instruction say nothing. The call of a delegate counts as in the delegate. */
static bool fits_program(const etr_pte_method *program, const etr_event *event) {
  if (event->instruction_id < 0)
    return true;
  const etr_instruction *instruction = etr_instruction_at(program, event->instruction_id);
  if (!instruction)
    return false;
  if (etr_event_is_in_delegate(event))
    return instruction->kind == ETR_INSTRUCTION_DELEGATE;
  if (strcmp(event->name, "JF_CALL") == 0)
    return instruction->kind == ETR_INSTRUCTION_JUMP_FALSE;
  if (strcmp(event->name, "MOVE_CALL") == 0)
    return instruction->kind == ETR_INSTRUCTION_MOVE;
  bool is_kernel = instruction->kind == ETR_INSTRUCTION_KERNEL;
  etr_slice op = etr_operator_of_event(event->name);
  if (op.size)
    return is_kernel && etr_slice_equal(op, etr_operator_of_kernel(instruction->op));
  return strcmp(event->name, "OPERATOR_CALL") != 0 || is_kernel;
}

/* Rates a kernel at an instruction that the handle map does not list, as rate_event_by_map() does.
 * Instructions inserted for views, symbolic sizes and custom operators log no operator. Of other
 * kernels only one in place can be inserted, such as index_put_, if the graph has a node of its
 * operator without the last "_". Copies are counted later. */
static int rate_inserted_kernel(const candidate *c, etr_slice op) {
  if (c->is_partial || op.size == 0 || is_update(op))
    return 0;
  if (!etr_operator_is_in_place(op))
    return -1;
  return etr_map_get(&c->inputs->operators, (etr_slice){op.data, op.size - 1}) == ETR_NONE ? -1 : 1;
}

/* Rates a kernel of a method whose graph was changed after the record was made, as
 * rate_event_by_map() does. The graph has each operator that runs, but its handles are of other
 * nodes, so the operator may be anywhere in it. */
static int rate_kernel_of_changed_graph(const candidate *c, etr_slice op) {
  if (op.size == 0)
    return 0;
  return etr_map_get(&c->inputs->operators, op) == ETR_NONE ? -1 : 1;
}

static bool is_changed(const candidate *c) {
  return c->inputs->graph && c->inputs->graph->is_changed;
}

/* Rates an event by the debug handle map, without the .pte: +1 is evidence for the method, -1
 * evidence against it, 0 is none. */
static int rate_event_by_map(const candidate *c, const etr_event *event) {
  const etr_map_method *of_method = c->inputs->map;
  const etr_map_instruction *map = etr_maps_find(of_method, event->instruction_id);
  if (event->kind == ETR_EVENT_FRAMEWORK)
    return 0;
  if (event->kind == ETR_EVENT_KERNEL && is_changed(c))
    return rate_kernel_of_changed_graph(c, etr_operator_of_event(event->name));
  if (!map)
    return event->kind == ETR_EVENT_KERNEL
               ? rate_inserted_kernel(c, etr_operator_of_event(event->name))
               : -1;
  if (event->kind == ETR_EVENT_DELEGATE_CALL)
    return map->is_delegate ? 1 : -1;
  if (event->kind == ETR_EVENT_DELEGATE_OPERATOR) {
    if (!map->is_delegate)
      return -1;
    return map->id_count ? etr_maps_find_id(map, event->delegate_id) != NULL : 0;
  }
  etr_slice op = etr_operator_of_event(event->name);
  if (op.size == 0 || !c->inputs->graph)
    return map->is_delegate ? -1 : 0;
  return has_operator_at_handles(c->inputs, map, op) ? 1 : -1;
}

/* ---- Comparing a delegate with a method ---- */

/* Counts the operators in the payload of the .pte. Returns false and zeroes *out if `payload` is
 * NULL, because there is none that the backend can read. */
static bool counts_of_payload(etr_delegate_counts *out, const etr_payload *payload) {
  *out = (etr_delegate_counts){0};
  if (!payload)
    return false;
  memcpy(out->least, payload->least_events, sizeof out->least);
  memcpy(out->most, payload->most_events, sizeof out->most);
  return true;
}

/* Counts the operators that a delegate contains, by its payload or by its handles. Returns false
 * if they are unknown. */
static bool count_delegate(etr_fitter *fitter, const candidate *c, const etr_map_instruction *map,
                           etr_slice payload, etr_delegate_counts *out) {
  if (payload.size)
    return counts_of_payload(out, etr_payloads_read(c->inputs->payloads, c->backend, payload));
  etr_arena scratch = {0};
  bool is_known = etr_delegate_counts_of_nodes(out, &c->classes, map, &scratch);
  if (etr_arena_failed(&scratch))
    etr_arena_fail(fitter->arena);
  etr_arena_clear(&scratch);
  return is_known;
}

/* Returns whether the number of operators of a class is known. It is not for operators that
 * lowering or the runtime inserts, or that replace others. */
static bool is_countable_class(const etr_backend *backend, uint16_t class_) {
  unsigned traits = backend->traits(class_);
  return (traits & ETR_CLASS_COMPUTES) && !(traits & ETR_CLASS_VARIES);
}

/* Compares how many operators of a class ran in a delegate with how many it can have (from `least`
 * to `most`), and adds the result to the fit. If a class is not countable, some may be missing. It
 * can have any number if it can have one, unless the .pte lists the operators (is_listed), and
 * those of this class are neither fused nor stand for others. */
static void compare_class(etr_fit *fit, unsigned traits, bool is_listed, uint32_t ran,
                          uint32_t least, uint32_t most) {
  bool is_countable = (traits & ETR_CLASS_COUNTS) != 0;
  bool is_bounded = is_countable || (is_listed && !(traits & (ETR_CLASS_FUSES | ETR_CLASS_VARIES)));
  uint32_t possible = is_bounded || most == 0 ? most : ran;
  fit->agreeing += ETR_MIN(ran, possible);
  fit->strange += ran - ETR_MIN(ran, possible);
  if (is_countable && ran < least)
    fit->missing += least - ran;
}

/* Counts how many operators of each class ran in a delegate call, whose rows are [first, end), into
 * `ran`: of countable classes, and of those that only a lowering inserts if the .pte lists them
 * (is_listed). Returns false if no row has a class (a class above 0). */
static bool count_classes_that_ran(const etr_backend *backend, bool is_listed, uint32_t *ran,
                                   const rows *r, size_t first, size_t end) {
  bool has_class = false;
  for (size_t i = first; i < end; i++) {
    if (r->block->events[i].kind != ETR_EVENT_DELEGATE_OPERATOR)
      continue;
    uint16_t class_ = backend->class_of_event(r->block->events[i].delegate_id);
    has_class |= class_ != 0;
    bool is_inserted = backend->traits(class_) == ETR_CLASS_INSERTED;
    if (is_countable_class(backend, class_) || (is_listed && is_inserted))
      ran[class_]++;
  }
  return has_class;
}

/* Compares the operators that a delegate call ran, whose rows are [first, end), with those of the
 * method's delegate at that instruction, class by class. Nothing is compared if the delegate is of
 * another backend than the method's first one, if the map lists its operators by their ids, which
 * are compared one by one instead, or if its operators are unknown. */
static void compare_delegate(etr_fitter *fitter, const candidate *c, etr_fit *fit, const rows *r,
                             size_t first, size_t end) {
  uint32_t ran[ETR_MOST_CLASSES] = {0};
  etr_delegate_counts has;
  int32_t instruction = r->block->events[first].instruction_id;
  etr_slice payload = etr_method_payload(c->inputs, instruction);
  const etr_map_instruction *map = etr_maps_find(c->inputs->map, instruction);
  bool is_other_backend = !c->backend ||
                          (map && (map->id_count ||
                                   (map->backend && strcmp(map->backend, c->backend->id) != 0)));
  bool is_listed = payload.size != 0; /* the .pte has each operator that runs */
  if (is_other_backend || !count_classes_that_ran(c->backend, is_listed, ran, r, first, end))
    return;
  if (!count_delegate(fitter, c, map, payload, &has))
    return;
  for (uint16_t i = 1; i < ETR_MOST_CLASSES; i++)
    compare_class(fit, c->backend->traits(i), is_listed, ran[i], has.least[i], has.most[i]);
}

/* ---- Comparing a block with a method ---- */

/* Returns the id of the i-th instruction of the program, or without a program of the handle map; -1
 * for a jump or another instruction that logs no event. */
static int32_t expected_id(const candidate *c, size_t i) {
  if (!c->inputs->program)
    return c->inputs->map->instructions[i].id;
  etr_instruction_kind kind = c->inputs->program->instructions[i].kind;
  return kind == ETR_INSTRUCTION_KERNEL || kind == ETR_INSTRUCTION_DELEGATE ? (int32_t)i : -1;
}

/* Counts the instructions of a method that should have a row in the block and have none; 0 for a
 * method that branches, of which any instruction may be missing. Both lists are ascending. */
static uint32_t count_missing_instructions(const candidate *c, const rows *r) {
  size_t count = c->inputs->program ? c->inputs->program->instruction_count : 0;
  uint32_t missing = 0;
  if (!c->inputs->program && c->inputs->map)
    count = c->inputs->map->instruction_count;
  for (size_t i = 0, k = 0; !c->branches && i < count; i++) {
    int32_t id = expected_id(c, i);
    while (k < r->id_count && r->ids[k] < id)
      k++;
    missing += id >= 0 && (k == r->id_count || r->ids[k] != id);
  }
  return missing;
}

/* Returns the cost of comparing a row with a method, in the unit of the fitter's budget: 1, and 1
 * for each handle that is looked up. */
static size_t comparison_cost(const candidate *c, const etr_event *event) {
  const etr_map_instruction *map = etr_maps_find(c->inputs->map, event->instruction_id);
  return 1 + (map ? map->handle_count : 0);
}

/* Compares the copies that ran at no instruction of the handle map with the buffers and inputs that
 * the method updates, each of which needs one copy. (The .pte lists these instructions itself.) */
static void compare_updates(const candidate *c, etr_fit *fit, const rows *r) {
  uint32_t updates = (uint32_t)ETR_MIN(c->inputs->graph->mutation_count, UINT32_MAX);
  uint32_t copies = 0, others = 0;
  for (size_t i = 0; i < r->block->event_count; i++) {
    const etr_event *event = &r->block->events[i];
    if (event->kind != ETR_EVENT_KERNEL || etr_maps_find(c->inputs->map, event->instruction_id))
      continue;
    bool is_copy = is_update(etr_operator_of_event(event->name));
    copies += is_copy;
    others += !is_copy; /* each may write any number of buffers */
  }
  uint32_t expected = ETR_MIN(copies, updates);
  fit->agreeing += expected;
  fit->against += copies - expected;
  if (c->copies_updates && others == 0)
    fit->missing += updates - expected;
}

/* Compares a block of runs, event by event (its rows) and delegate by delegate, with a method, by
 * the program's instructions if the .pte is known (exact), else by the handle map. Kernels of a
 * record without a graph are unchecked. Stops when more than `most_against` rows contradict the
 * method, because another one fits better. Returns false if the budget is spent. */
static bool compare_block(etr_fitter *fitter, const candidate *c, etr_fit *fit, const rows *r,
                          uint32_t most_against) {
  *fit = (etr_fit){.exact = c->inputs->program != NULL};
  for (size_t i = 0, end; i < r->block->event_count && fit->against <= most_against; i = end) {
    bool has_operators = false;
    end = etr_block_instruction_end(r->block, i);
    /* The rows of one instruction must fit into the budget. */
    size_t cost = (end - i) * comparison_cost(c, &r->block->events[i]);
    if (!etr_spend(&fitter->budget, cost))
      return false;
    for (size_t k = i; k < end; k++) {
      const etr_event *event = &r->block->events[k];
      int vote = rate_event_by_map(c, event);
      fit->agreeing += vote > 0;
      fit->against += fit->exact ? !fits_program(c->inputs->program, event) : vote < 0;
      fit->unchecked += !fit->exact && !c->inputs->graph && event->kind == ETR_EVENT_KERNEL;
      has_operators |= r->block->events[k].kind == ETR_EVENT_DELEGATE_OPERATOR;
    }
    if (has_operators)
      compare_delegate(fitter, c, fit, r, i, end);
  }
  if (fit->against > most_against)
    return true;
  fit->missing += count_missing_instructions(c, r);
  if (!fit->exact && !c->is_partial && c->inputs->graph && !is_changed(c))
    compare_updates(c, fit, r);
  return true;
}

/* Lists the instruction ids of a block, sorted. Returns false when out of memory. */
static bool prepare_rows(rows *r, etr_arena *scratch, const etr_block *block) {
  *r = (rows){.block = block};
  r->ids = etr_arena_alloc_array(scratch, block->event_count, sizeof *r->ids);
  if (!r->ids)
    return false;
  for (size_t i = 0; i < block->event_count; i++)
    r->ids[r->id_count++] = block->events[i].instruction_id;
  etr_sort(r->ids, r->id_count, sizeof *r->ids, etr_by_int);
  return true;
}

/* Compares the block with `count` methods, or with the first `count` of all if `methods` is NULL,
 * and sets out->best to the first one that fits best; what decides between two (NULL) does not
 * matter here. A method that more rows contradict than the best so far is not compared to the end.
 * Returns false if the budget is spent. */
static bool compare_with_methods(etr_fitter *fitter, const rows *r, const uint32_t *methods,
                                 size_t count, etr_fits *out) {
  uint32_t least_against = UINT32_MAX;
  *out = (etr_fits){.list = fitter->fits, .count = count};
  for (size_t i = 0; i < count; i++) {
    etr_method_fit *f = &out->list[i];
    f->method = methods ? methods[i] : (uint32_t)i;
    if (!compare_block(fitter, &fitter->candidates[f->method], &f->fit, r, least_against))
      return false;
    if (etr_fit_compare(&f->fit, &out->list[out->best].fit, NULL) < 0)
      out->best = i;
    least_against = ETR_MIN(least_against, f->fit.against);
  }
  return true;
}

/* With an index, the block is first compared with the methods that the index proposes, and with all
 * others only if each of these is contradicted by a row. */
bool etr_fitter_fit(etr_fitter *fitter, const etr_block *block, etr_fits *out) {
  etr_arena scratch = {0};
  rows r;
  size_t count = 0;
  bool good = prepare_rows(&r, &scratch, block);
  const uint32_t *methods = good && fitter->index
                                ? etr_fit_index_find(fitter->index, block, &scratch, &count)
                                : NULL;
  good = good && !etr_arena_failed(&scratch);
  bool found = good && count && compare_with_methods(fitter, &r, methods, count, out) &&
               out->list[out->best].fit.against == 0;
  if (good && !found)
    good = compare_with_methods(fitter, &r, NULL, fitter->count, out);
  if (etr_arena_failed(&scratch))
    etr_arena_fail(fitter->arena);
  etr_arena_clear(&scratch);
  return good && !etr_arena_failed(fitter->arena);
}

/* ---- Comparing ---- */

/* Compares part by part, the strongest evidence first; of each part the smaller number fits better.
 * If no part differs, returns 0 and sets *decided_by to ETR_FIT_PARTS. */
int etr_fit_compare(const etr_fit *a, const etr_fit *b, etr_fit_part *decided_by) {
  const uint32_t parts[ETR_FIT_PARTS][2] = {
      [ETR_FIT_AGAINST] = {a->against, b->against},
      [ETR_FIT_STRANGE] = {a->strange, b->strange},
      [ETR_FIT_MISSING] = {a->missing, b->missing},
      [ETR_FIT_UNCHECKED] = {a->unchecked, b->unchecked},
  };
  int part = 0;
  while (part < ETR_FIT_PARTS && parts[part][0] == parts[part][1])
    part++;
  if (decided_by)
    *decided_by = (etr_fit_part)part;
  if (part == ETR_FIT_PARTS)
    return 0;
  return parts[part][0] < parts[part][1] ? -1 : 1;
}

/* A program lists all instructions and what its delegates contain, so that any contradiction
 * excludes it; a handle map may lack some. */
bool etr_fit_is_any(const etr_fit *fit) {
  if (fit->exact && fit->against + fit->strange)
    return false;
  if (fit->against + fit->strange == 0)
    return fit->exact || fit->agreeing || fit->missing == 0;
  return fit->agreeing > fit->against + fit->strange;
}

/* ---- An index from each instruction id and what it runs to a list of methods ---- */

/* What an instruction runs if that is not the operator of a kernel. */
#define DELEGATE ETR_SLICE("\1")
#define ANYTHING ETR_SLICE("\2") /* the handle map lists it, but does not say what it runs */

/* A method that has the instruction of a key. */
typedef struct index_entry {
  uint32_t key, method;
} index_entry;

typedef etr_vec(index_entry) index_entries;

struct etr_fit_index {
  etr_map keys;              /* instruction id and what it runs -> number */
  uint32_t *methods;         /* sorted by key, then ascending */
  size_t *end;               /* per key: end of its methods */
  etr_vec(uint32_t) partial; /* methods that no kernel contradicts by its id */
};

/* An index while it is built. */
typedef struct index_builder {
  etr_fit_index *index;
  etr_arena *arena, scratch;
  index_entries entries;
} index_builder;

/* ---- Building ---- */

/* Adds to the index that instruction `id` of a method runs `what`: an operator, DELEGATE or
 * ANYTHING. When out of memory, an arena has failed. */
static void add_instruction_to_index(index_builder *b, uint32_t method, int32_t id,
                                     etr_slice what) {
  uint32_t key = etr_map_number(&b->index->keys, etr_key_of(&b->scratch, (uint32_t)id, what));
  index_entry *added = key == ETR_NONE ? NULL : etr_vec_push(&b->scratch, &b->entries);
  if (added)
    *added = (index_entry){key, method};
}

/* Adds the instructions of a method's program to the index: its delegates, and its kernels with
 * their operators. Jumps and moves have no row that could be compared. */
static void add_program_to_index(index_builder *b, uint32_t method, const etr_pte_method *program) {
  for (size_t i = 0; i < program->instruction_count && i <= INT32_MAX; i++) {
    const etr_instruction *instruction = &program->instructions[i];
    if (instruction->kind == ETR_INSTRUCTION_DELEGATE)
      add_instruction_to_index(b, method, (int32_t)i, DELEGATE);
    if (instruction->kind == ETR_INSTRUCTION_KERNEL)
      add_instruction_to_index(b, method, (int32_t)i, etr_operator_of_kernel(instruction->op));
  }
}

/* Adds the instructions of a method's handle map to the index. The map does not say which operator
 * runs, nor that a delegate is no kernel. A method whose map is partial is also listed as one that
 * any kernel fits. */
static void add_map_to_index(index_builder *b, uint32_t method, const etr_method_inputs *inputs) {
  for (size_t i = 0; inputs->map && i < inputs->map->instruction_count; i++) {
    const etr_map_instruction *instruction = &inputs->map->instructions[i];
    add_instruction_to_index(b, method, instruction->id, ANYTHING);
    if (instruction->is_delegate)
      add_instruction_to_index(b, method, instruction->id, DELEGATE);
  }
  uint32_t *partial = is_partial(inputs) ? etr_vec_push(b->arena, &b->index->partial) : NULL;
  if (partial)
    *partial = method;
}

/* Sorts the entries of the index by key, with a counting sort: index->end[k] becomes the end of the
 * methods of key k. Returns false when out of memory. */
static bool sort_entries_by_key(index_builder *b) {
  etr_fit_index *index = b->index;
  size_t *end = etr_arena_alloc_array(b->arena, index->keys.count + 1, sizeof *end);
  uint32_t *methods = etr_arena_alloc_array(b->arena, b->entries.count, sizeof *methods);
  if (etr_arena_failed(b->arena))
    return false;
  for (size_t i = 0; i < b->entries.count; i++)
    end[b->entries.data[i].key + 1]++;
  for (size_t i = 1; i <= index->keys.count; i++)
    end[i] += end[i - 1];
  for (size_t i = 0; i < b->entries.count; i++)
    methods[end[b->entries.data[i].key]++] = b->entries.data[i].method;
  index->end = end;
  index->methods = methods;
  return true;
}

/* Indexes the instructions of each method's program, or else of its map. Returns NULL when out of
 * memory. */
etr_fit_index *etr_fit_index_new(etr_arena *arena, const etr_method_inputs *inputs, size_t count) {
  index_builder b = {.arena = arena, .index = etr_arena_alloc(arena, sizeof *b.index)};
  if (!b.index)
    return NULL;
  etr_map_init(&b.index->keys, arena);
  for (uint32_t i = 0; i < count; i++)
    if (inputs[i].program)
      add_program_to_index(&b, i, inputs[i].program);
    else
      add_map_to_index(&b, i, &inputs[i]);
  bool good = sort_entries_by_key(&b) && !etr_arena_failed(&b.scratch) && !etr_arena_failed(arena);
  etr_arena_clear(&b.scratch);
  return good ? b.index : NULL;
}

/* ---- Finding ---- */

/* A list of methods, ascending. */
typedef struct method_list {
  const uint32_t *methods;
  size_t count;
} method_list;

/* The lists of methods that a row does not contradict. */
typedef struct row_methods {
  method_list lists[3];
  size_t count; /* methods in all lists */
} row_methods;

/* Returns the methods that have an operator, or a delegate, at an instruction; an empty list
 * if there are none. */
static method_list methods_with(const etr_fit_index *index, int32_t id, etr_slice what,
                                etr_arena *scratch) {
  uint32_t key = etr_map_get(&index->keys, etr_key_of(scratch, (uint32_t)id, what));
  if (key == ETR_NONE)
    return (method_list){0};
  size_t first = key ? index->end[key - 1] : 0;
  return (method_list){index->methods + first, index->end[key] - first};
}

/* Finds the methods that a row does not contradict: those that have its delegate or operator at the
 * instruction and, for an operator, those whose map does not say what the instruction runs, and
 * partial ones. Returns false if the row is no evidence, such as a kernel that works in place: a
 * handle map lists no instruction for it. */
static bool find_methods_of_row(const etr_fit_index *index, row_methods *out,
                                const etr_event *event, etr_arena *scratch) {
  etr_slice op = etr_operator_of_event(event->name);
  *out = (row_methods){0};
  if (etr_event_is_in_delegate(event)) {
    out->lists[0] = methods_with(index, event->instruction_id, DELEGATE, scratch);
  } else if (event->kind == ETR_EVENT_KERNEL && op.size && !etr_operator_is_in_place(op)) {
    out->lists[0] = methods_with(index, event->instruction_id, op, scratch);
    out->lists[1] = methods_with(index, event->instruction_id, ANYTHING, scratch);
    out->lists[2] = (method_list){index->partial.data, index->partial.count};
  } else
    return false;
  for (size_t i = 0; i < ETR_COUNT(out->lists); i++)
    out->count += out->lists[i].count;
  return event->instruction_id >= 0;
}

/* Merges the lists of the methods that a row does not contradict, ascending and each method once: a
 * partial method may be in two of them. Returns NULL when out of memory. */
static const uint32_t *merge_lists(const row_methods *c, etr_arena *scratch, size_t *count) {
  uint32_t *methods = etr_arena_alloc_array(scratch, c->count, sizeof *methods);
  size_t listed = 0;
  if (!methods)
    return NULL;
  for (size_t i = 0; i < ETR_COUNT(c->lists); i++)
    for (size_t k = 0; k < c->lists[i].count; k++)
      methods[listed++] = c->lists[i].methods[k];
  etr_sort(methods, listed, sizeof *methods, etr_by_number);
  *count = 0;
  for (size_t i = 0; i < listed; i++)
    if (i == 0 || methods[i] != methods[i - 1])
      methods[(*count)++] = methods[i];
  return methods;
}

/* The most selective row is the one with the fewest methods. */
const uint32_t *etr_fit_index_find(const etr_fit_index *index, const etr_block *block,
                                   etr_arena *scratch, size_t *count) {
  row_methods best = {0}, lists;
  bool has_evidence = false;
  for (size_t i = 0; i < block->event_count; i++) {
    if (!find_methods_of_row(index, &lists, &block->events[i], scratch) ||
        (has_evidence && lists.count >= best.count))
      continue;
    best = lists;
    has_evidence = true;
  }
  return has_evidence ? merge_lists(&best, scratch, count) : NULL;
}

/* ---- By the graph ---- */

static int by_handle_and_class(const void *a, const void *b) {
  const etr_handle_class *x = a, *y = b;
  if (x->handle != y->handle)
    return x->handle < y->handle ? -1 : 1;
  return (x->class_ > y->class_) - (x->class_ < y->class_);
}

/* Returns the class of operators that a node runs as, counted once; as sure unless it may be fused
 * into another operator, because then it does not run as one of its own. */
static etr_handle_class handle_class_of_node(const etr_backend *backend, const etr_graph *graph,
                                             const uint32_t *uses, const etr_node *node) {
  bool may_fuse = backend->loses_handle(graph, uses, node) == ETR_LOSES_HANDLE_UNLESS_FUSED;
  return (etr_handle_class){.handle = etr_debug_handle_of(graph, node),
                            .class_ = backend->class_of_node(graph, node),
                            .nodes = 1,
                            .sure = !may_fuse};
}

/* Lists the class of each node with a handle, sorts them and merges equal ones. */
bool etr_handle_classes_of(etr_handle_classes *out, etr_arena *arena, const etr_backend *backend,
                           const etr_graph *graph) {
  size_t node_count = graph && backend ? graph->node_count : 0;
  etr_arena scratch = {0};
  *out = (etr_handle_classes){.list = etr_arena_alloc_array(arena, node_count, sizeof *out->list)};
  const uint32_t *uses = node_count ? etr_count_uses(graph, &scratch) : NULL;
  for (size_t i = 0; out->list && uses && i < node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    if (n->kind == ETR_NODE_OP && etr_debug_handle_of(graph, n))
      out->list[out->count++] = handle_class_of_node(backend, graph, uses, n);
  }
  bool good = out->list && (uses || node_count == 0);
  etr_arena_clear(&scratch);
  if (!good)
    return false;
  etr_sort(out->list, out->count, sizeof *out->list, by_handle_and_class);
  /* Merges entries with equal handle and class. */
  size_t kept = 0;
  for (size_t i = 0; i < out->count; i++) {
    const etr_handle_class *c = &out->list[i];
    if (kept == 0 || by_handle_and_class(c, &out->list[kept - 1]) != 0) {
      out->list[kept++] = *c;
      continue;
    }
    out->list[kept - 1].nodes += c->nodes;
    out->list[kept - 1].sure += c->sure;
  }
  out->count = kept;
  return true;
}

/* Adds to the counts of a delegate the nodes of a handle that it lists `listed` times. If more
 * nodes have the handle, others of them are in other delegates: so of each class it has at most
 * `listed`, and at least those for which there are not enough nodes of other classes. */
static void add_counts_of_handle(etr_delegate_counts *out, const etr_handle_classes *nodes,
                                 uint32_t handle, uint32_t listed) {
  etr_handle_class wanted = {.handle = handle};
  size_t first = etr_lower_bound(&wanted, nodes->list, nodes->count, sizeof wanted,
                                 by_handle_and_class),
         end = first;
  uint32_t node_count = 0;
  for (; end < nodes->count && nodes->list[end].handle == handle; end++)
    node_count += nodes->list[end].nodes;
  for (size_t i = first; i < end; i++) {
    const etr_handle_class *c = &nodes->list[i];
    uint32_t other_count = node_count - c->sure,
             at_least = listed > other_count ? listed - other_count : 0;
    out->least[c->class_] += ETR_MIN(at_least, c->sure);
    out->most[c->class_] += ETR_MIN(listed, c->nodes);
  }
}

/* The map lists a handle once for each node of it in the delegate. */
bool etr_delegate_counts_of_nodes(etr_delegate_counts *out, const etr_handle_classes *nodes,
                                  const etr_map_instruction *map, etr_arena *scratch) {
  *out = (etr_delegate_counts){0};
  if (!map || map->handle_count == 0 || nodes->count == 0)
    return false;
  uint32_t *handles = etr_arena_alloc_array(scratch, map->handle_count, sizeof *handles);
  if (!handles)
    return false;
  memcpy(handles, map->handles, map->handle_count * sizeof *handles);
  etr_sort(handles, map->handle_count, sizeof *handles, etr_by_number);
  for (size_t i = 0, end; i < map->handle_count; i = end) {
    for (end = i + 1; end < map->handle_count && handles[end] == handles[i];)
      end++;
    add_counts_of_handle(out, nodes, handles[i], (uint32_t)(end - i));
  }
  return true;
}
