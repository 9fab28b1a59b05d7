/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fit.c - holding rows against methods, one by one, and delegates as a whole.
 */
#include "runs/fit.h"

#include "backends/backends.h"
#include "backends/operator.h"
#include "inputs/maps.h"
#include "method/program_values.h"
#include "runs/delegate_counts.h"
#include "runs/fit_index.h"

/* A method, and what its graph has. */
typedef struct candidate {
  const etr_method_inputs *inputs;
  etr_handle_classes classes;
  const etr_backend *backend; /* of its delegates; NULL if it has none, or nothing is known of it */
  bool branches;              /* some instructions run in some inferences only */
  bool is_partial;
  bool copies_updates; /* each buffer that it updates is written by a kernel, none inside a delegate */
} candidate;

struct etr_fitter {
  etr_arena *arena;
  candidate *candidates;
  size_t count;
  etr_fit_index *index; /* of many methods; NULL of few */
  etr_method_fit *fits; /* room for all */
  size_t budget;        /* of rows, and of their handles, that may still be held against a method */
};

/* Of fewer methods than this each is looked at. No dump of a real program needs as many comparisons. */
enum { INDEXED_FROM = 16, DEFAULT_MAX_COMPARISONS = 1 << 25 };

/* A block while it is held against the methods. */
typedef struct rows {
  const etr_block *block;
  int32_t *ids; /* instructions, ascending */
  size_t id_count;
} rows;

/* ---- Preparing ---- */

/* The backend of the first delegate that is named, as the record has it, or the program: few methods have two. */
static const etr_backend *backend_of(const etr_method_inputs *inputs) {
  const char *id = NULL;
  for (size_t i = 0; inputs->map && !id && i < inputs->map->instruction_count; i++)
    id = inputs->map->instructions[i].backend;
  if (!id && inputs->program && inputs->program->delegate_count) id = inputs->program->delegates[0].backend;
  return etr_backend_of(id);
}

static bool prepare(candidate *c, etr_arena *arena, const etr_method_inputs *inputs) {
  const etr_graph *graph = inputs->graph;
  *c = (candidate){.inputs = inputs, .copies_updates = true};
  for (size_t i = 0; graph && i < graph->subgraph_count; i++)
    c->branches |= graph->subgraphs[i].kind == ETR_SUBGRAPH_BODY;
  for (size_t i = 0; inputs->program && i < inputs->program->instruction_count; i++)
    c->branches |= inputs->program->instructions[i].kind == ETR_INSTRUCTION_JUMP_FALSE;
  c->is_partial = etr_fit_is_partial(inputs);
  c->backend = backend_of(inputs);
  for (size_t i = 0; inputs->map && i < inputs->map->instruction_count; i++) {
    const etr_backend *backend = etr_backend_of(inputs->map->instructions[i].backend);
    c->copies_updates &= !inputs->map->instructions[i].is_delegate || (backend && backend->keeps_no_buffers);
  }
  return etr_handle_classes_of(&c->classes, arena, c->backend, graph);
}

etr_fitter *etr_fitter_new(etr_arena *arena, const etr_method_inputs *inputs, size_t count, size_t max_comparisons) {
  etr_fitter *fitter = etr_arena_alloc(arena, sizeof *fitter);
  candidate *candidates = etr_arena_alloc_array(arena, count, sizeof *candidates);
  if (!fitter || !candidates) return NULL;
  *fitter = (etr_fitter){.arena = arena, .candidates = candidates, .count = count, .budget = max_comparisons};
  if (max_comparisons == 0) fitter->budget = DEFAULT_MAX_COMPARISONS;
  fitter->fits = etr_arena_alloc_array(arena, count, sizeof *fitter->fits);
  if (count >= INDEXED_FROM) fitter->index = etr_fit_index_new(arena, inputs, count);
  for (size_t i = 0; i < count; i++)
    if (!prepare(&candidates[i], arena, &inputs[i])) return NULL;
  return etr_arena_failed(arena) ? NULL : fitter;
}

/* ---- Holding a row against a method ---- */

/* True of the copy that gives a buffer or an input its new value. */
static bool is_update(etr_slice op) { return etr_slice_equal(op, ETR_SLICE("copy_")); }

static bool operator_at_handles(const etr_method_inputs *inputs, const etr_map_instruction *map, etr_slice op) {
  uint32_t number = inputs->graph ? etr_map_get(&inputs->operators, op) : ETR_NONE;
  size_t count = 0;
  for (size_t i = 0; number != ETR_NONE && count == 0 && i < map->handle_count; i++)
    etr_node_index_find(&inputs->by_operator, map->handles[i], number, &count);
  return count > 0;
}

/* With the .pte: is this what the instruction does? */
static bool fits_program(const etr_pte_method *program, const etr_event *e) {
  if (e->instruction_id < 0) return true;
  const etr_instruction *instruction = etr_instruction_at(program, e->instruction_id);
  if (!instruction) return false;
  if (etr_event_is_in_delegate(e)) return instruction->kind == ETR_INSTRUCTION_DELEGATE;
  if (strcmp(e->name, "JF_CALL") == 0) return instruction->kind == ETR_INSTRUCTION_JUMP_FALSE;
  if (strcmp(e->name, "MOVE_CALL") == 0) return instruction->kind == ETR_INSTRUCTION_MOVE;
  bool kernel = instruction->kind == ETR_INSTRUCTION_KERNEL;
  etr_slice op = etr_operator_of_event(e->name);
  if (op.size) return kernel && etr_slice_equal(op, etr_operator_of_kernel(instruction->op));
  return strcmp(e->name, "OPERATOR_CALL") != 0 || kernel;
}

/* A kernel at an instruction that the handle map does not list. Instructions inserted for views, symbolic sizes and
 * custom operators log no operator; index_put_ takes the place of a node index_put. Copies are counted later. */
static int fits_inserted(const candidate *c, etr_slice op) {
  if (c->is_partial || op.size == 0 || is_update(op)) return 0;
  if (!etr_operator_is_in_place(op)) return -1;
  return etr_map_get(&c->inputs->operators, (etr_slice){op.data, op.size - 1}) == ETR_NONE ? -1 : 1;
}

/* Without it: +1 for, -1 against, 0 says nothing. */
static int fits_map(const candidate *c, const etr_event *e) {
  const etr_map_method *of_method = c->inputs->map;
  const etr_map_instruction *map = etr_maps_find(of_method, e->instruction_id);
  if (e->kind == ETR_EVENT_FRAMEWORK) return 0;
  if (!map) return e->kind == ETR_EVENT_KERNEL ? fits_inserted(c, etr_operator_of_event(e->name)) : -1;
  if (e->kind == ETR_EVENT_DELEGATE_CALL) return map->is_delegate ? 1 : -1;
  if (e->kind == ETR_EVENT_DELEGATE_OPERATOR) {
    if (!map->is_delegate) return -1;
    return map->id_count ? etr_maps_find_id(map, e->delegate_id) != NULL : 0;
  }
  etr_slice op = etr_operator_of_event(e->name);
  if (op.size == 0 || !c->inputs->graph) return map->is_delegate ? -1 : 0;
  return operator_at_handles(c->inputs, map, op) ? 1 : -1;
}

static void hold_row(const candidate *c, etr_fit *fit, const etr_event *e) {
  int vote = fits_map(c, e);
  fit->agreeing += vote > 0;
  fit->against += fit->exact ? !fits_program(c->inputs->program, e) : vote < 0;
  fit->unchecked += !fit->exact && !c->inputs->graph && e->kind == ETR_EVENT_KERNEL;
}

/* ---- Holding a delegate against a method ---- */

/* What a delegate holds. False if that is not known. Payloads are read where there are methods to tell apart. */
static bool count_delegate(etr_fitter *fitter, const candidate *c, const etr_map_instruction *map, int32_t instruction,
                           etr_delegate_counts *out) {
  etr_slice bytes = fitter->count > 1 ? etr_method_payload(c->inputs, instruction) : (etr_slice){0};
  if (bytes.size) return etr_delegate_counts_of_payload(out, etr_payloads_read(c->inputs->payloads, c->backend, bytes));
  etr_arena scratch = {0};
  bool known = etr_delegate_counts_of_nodes(out, &c->classes, map, &scratch);
  if (etr_arena_failed(&scratch)) etr_arena_fail(fitter->arena);
  etr_arena_clear(&scratch);
  return known;
}

/* Operators that lowering or the runtime inserts, and those that stand for others, tell nothing. */
static bool tells(const etr_backend *backend, uint16_t class_) {
  unsigned traits = backend->traits(class_);
  return (traits & ETR_CLASS_COMPUTES) && !(traits & ETR_CLASS_VARIES);
}

static void compare_class(etr_fit *fit, bool is_countable, uint32_t ran, uint32_t least, uint32_t most) {
  uint32_t possible = is_countable || most == 0 ? most : ran;
  fit->agreeing += ETR_MIN(ran, possible);
  fit->strange += ran - ETR_MIN(ran, possible);
  if (is_countable && ran < least) fit->missing += least - ran;
}

/* How often each class ran in a delegate, whose rows are [first, end). False: the backend logged nothing. */
static bool count_rows(const etr_backend *backend, uint32_t *ran, const rows *r, size_t first, size_t end) {
  bool any = false;
  for (size_t i = first; i < end; i++) {
    if (r->block->events[i].kind != ETR_EVENT_DELEGATE_OPERATOR) continue;
    uint16_t class_ = backend->class_of_event(r->block->events[i].delegate_id);
    any |= class_ != 0;
    if (tells(backend, class_)) ran[class_]++;
  }
  return any;
}

static void hold_delegate(etr_fitter *fitter, const candidate *c, etr_fit *fit, const rows *r, size_t first,
                          size_t end) {
  uint32_t ran[ETR_MOST_CLASSES] = {0};
  etr_delegate_counts has;
  int32_t instruction = r->block->events[first].instruction_id;
  const etr_map_instruction *map = etr_maps_find(c->inputs->map, instruction);
  bool others = !c->backend || (map && (map->id_count || (map->backend && strcmp(map->backend, c->backend->id) != 0)));
  if (others || !count_rows(c->backend, ran, r, first, end)) return;
  if (!count_delegate(fitter, c, map, instruction, &has)) return;
  for (uint16_t i = 1; i < ETR_MOST_CLASSES; i++)
    compare_class(fit, (c->backend->traits(i) & ETR_CLASS_COUNTS) != 0, ran[i], has.least[i], has.most[i]);
}

/* ---- Holding a block against a method ---- */

/* Id of the i-th instruction of the program, or else of the map; -1: it leaves no row. */
static int32_t expected_id(const candidate *c, size_t i) {
  if (!c->inputs->program) return c->inputs->map->instructions[i].id;
  etr_instruction_kind kind = c->inputs->program->instructions[i].kind;
  return kind == ETR_INSTRUCTION_KERNEL || kind == ETR_INSTRUCTION_DELEGATE ? (int32_t)i : -1;
}

/* Instructions that no row has. Both lists are ascending. */
static uint32_t count_missing(const candidate *c, const rows *r) {
  size_t count = c->inputs->program ? c->inputs->program->instruction_count : 0;
  uint32_t missing = 0;
  if (!c->inputs->program && c->inputs->map) count = c->inputs->map->instruction_count;
  for (size_t i = 0, k = 0; !c->branches && i < count; i++) {
    int32_t id = expected_id(c, i);
    while (k < r->id_count && r->ids[k] < id) k++;
    missing += id >= 0 && (k == r->id_count || r->ids[k] != id);
  }
  return missing;
}

/* Compares the copies that ran with the buffers and inputs that the method updates, without the .pte. */
static void compare_updates(const candidate *c, etr_fit *fit, const rows *r) {
  uint32_t copies = 0, others = 0;
  if (fit->exact || c->is_partial || !c->inputs->graph) return;
  uint32_t updates = (uint32_t)ETR_MIN(c->inputs->graph->mutation_count, UINT32_MAX);
  for (size_t i = 0; i < r->block->event_count; i++) {
    const etr_event *e = &r->block->events[i];
    if (e->kind != ETR_EVENT_KERNEL || etr_maps_find(c->inputs->map, e->instruction_id)) continue;
    bool is_copy = is_update(etr_operator_of_event(e->name));
    copies += is_copy;
    others += !is_copy; /* may each write any number of buffers */
  }
  fit->agreeing += ETR_MIN(copies, updates);
  fit->against += copies - ETR_MIN(copies, updates);
  if (c->copies_updates && others == 0) fit->missing += updates - ETR_MIN(copies, updates);
}

/* What it costs to hold a row against a method. */
static size_t cost_of(const candidate *c, const etr_event *e) {
  const etr_map_instruction *map = etr_maps_find(c->inputs->map, e->instruction_id);
  return 1 + (map ? map->handle_count : 0);
}

/* Whether there is budget for the rows of one instruction. */
static bool spend(etr_fitter *fitter, const candidate *c, const rows *r, size_t first, size_t end) {
  size_t cost = (end - first) * cost_of(c, &r->block->events[first]);
  bool enough = cost <= fitter->budget;
  fitter->budget = enough ? fitter->budget - cost : 0;
  return enough;
}

/* Stops where more than `most` rows are against the method. False: the budget is spent. */
static bool hold_block(etr_fitter *fitter, const candidate *c, etr_fit *fit, const rows *r, uint32_t most) {
  *fit = (etr_fit){.exact = c->inputs->program != NULL};
  for (size_t i = 0, end; i < r->block->event_count && fit->against <= most; i = end) {
    bool any = false;
    end = etr_block_instruction_end(r->block, i);
    if (!spend(fitter, c, r, i, end)) return false;
    for (size_t k = i; k < end; k++) {
      hold_row(c, fit, &r->block->events[k]);
      any |= r->block->events[k].kind == ETR_EVENT_DELEGATE_OPERATOR;
    }
    if (any) hold_delegate(fitter, c, fit, r, i, end);
  }
  if (fit->against > most) return true;
  fit->missing += count_missing(c, r);
  compare_updates(c, fit, r);
  return true;
}

static bool look(rows *r, etr_arena *scratch, const etr_block *block) {
  *r = (rows){.block = block};
  r->ids = etr_arena_alloc_array(scratch, block->event_count, sizeof *r->ids);
  if (!r->ids) return false;
  for (size_t i = 0; i < block->event_count; i++) r->ids[r->id_count++] = block->events[i].instruction_id;
  etr_sort(r->ids, r->id_count, sizeof *r->ids, etr_by_int);
  return true;
}

/* Holds the block against these methods, or all. */
static bool hold_all(etr_fitter *fitter, const rows *r, const uint32_t *methods, size_t count, etr_fits *out) {
  uint32_t most = UINT32_MAX;
  *out = (etr_fits){.list = fitter->fits, .count = count};
  for (size_t i = 0; i < count; i++) {
    etr_method_fit *f = &out->list[i];
    f->method = methods ? methods[i] : (uint32_t)i;
    if (!hold_block(fitter, &fitter->candidates[f->method], &f->fit, r, most)) return false;
    if (etr_fit_compare(&f->fit, &out->list[out->best].fit, NULL) < 0) out->best = i;
    most = ETR_MIN(most, f->fit.against);
  }
  return true;
}

bool etr_fitter_fit(etr_fitter *fitter, const etr_block *block, etr_fits *out) {
  etr_arena scratch = {0};
  rows r;
  size_t count = 0;
  bool good = look(&r, &scratch, block);
  const uint32_t *methods = good && fitter->index ? etr_fit_index_find(fitter->index, block, &scratch, &count) : NULL;
  good = good && !etr_arena_failed(&scratch);
  bool found = good && count && hold_all(fitter, &r, methods, count, out) && out->list[out->best].fit.against == 0;
  if (good && !found) good = hold_all(fitter, &r, NULL, fitter->count, out);
  if (etr_arena_failed(&scratch)) etr_arena_fail(fitter->arena);
  etr_arena_clear(&scratch);
  return good && !etr_arena_failed(fitter->arena);
}

/* ---- Comparing ---- */

int etr_fit_compare(const etr_fit *a, const etr_fit *b, etr_fit_part *decided_by) {
  const uint32_t parts[ETR_FIT_PARTS][2] = {
      [ETR_FIT_AGAINST] = {a->against, b->against},
      [ETR_FIT_STRANGE] = {a->strange, b->strange},
      [ETR_FIT_MISSING] = {a->missing, b->missing},
      [ETR_FIT_UNCHECKED] = {a->unchecked, b->unchecked},
  };
  int part = 0;
  while (part < ETR_FIT_PARTS && parts[part][0] == parts[part][1]) part++;
  if (decided_by) *decided_by = (etr_fit_part)part;
  if (part == ETR_FIT_PARTS) return 0;
  return parts[part][0] < parts[part][1] ? -1 : 1;
}

bool etr_fit_is_any(const etr_fit *fit) {
  if (fit->exact && fit->against) return false;
  if (fit->against + fit->strange == 0) return fit->exact || fit->agreeing || fit->missing == 0;
  return fit->agreeing > fit->against + fit->strange;
}
