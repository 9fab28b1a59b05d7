/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fit.c - holding rows against methods, one by one, and delegates as a whole.
 */
#include "fit.h"

#include "delegate_counts.h"
#include "maps.h"
#include "operator.h"
#include "row.h"

#include <stdlib.h>

/* A method, and what its graph has. */
typedef struct candidate {
  const etr_method_join *join;
  etr_map operators; /* "HANDLE OPERATOR" -> anything */
  etr_handle_classes classes;
  const etr_backend *backend; /* of its delegates; NULL if it has none, or nothing is known of it */
  bool has_bodies;
} candidate;

typedef struct payload_counts {
  etr_delegate_counts counts;
  bool known;
} payload_counts;

struct etr_fitter {
  etr_arena *arena;
  candidate *candidates;
  size_t count;
  etr_map payloads; /* place in the .pte -> place in counts */
  etr_vec(payload_counts) counts;
};

/* A block while it is held against the methods. */
typedef struct rows {
  const etr_block *block;
  etr_row_kind *kinds;
  int32_t *ids; /* instructions, ascending */
  size_t id_count;
} rows;

/* ---- Preparing ---- */

static etr_slice handle_key(char *text, size_t capacity, uint32_t handle, etr_slice op) {
  size_t size = 0;
  for (uint32_t rest = handle; size == 0 || rest; rest /= 10) text[size++] = (char)('0' + rest % 10);
  text[size++] = ' ';
  size_t copied = ETR_MIN(op.size, capacity - size);
  memcpy(text + size, op.data, copied);
  return (etr_slice){text, size + copied};
}

/* The backend of the first delegate that is named, as the record has it, or the program: few methods have two. */
static const etr_backend *backend_of(const etr_method_join *join) {
  const char *id = NULL;
  for (size_t i = 0; join->map && !id && i < join->map->instruction_count; i++) id = join->map->instructions[i].backend;
  if (!id && join->program && join->program->delegate_count) id = join->program->delegates[0].backend;
  return etr_backend_of(id);
}

static bool prepare(candidate *c, etr_arena *arena, const etr_method_join *join) {
  char key[256];
  const etr_graph *graph = join->graph;
  *c = (candidate){.join = join};
  etr_map_init(&c->operators, arena);
  for (size_t i = 0; graph && i < graph->node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    if (n->kind != ETR_NODE_OP || n->debug_handle == 0) continue;
    etr_map_set(&c->operators, handle_key(key, sizeof key, n->debug_handle, etr_operator_of_target(n->target)), 1);
  }
  for (size_t i = 0; graph && i < graph->subgraph_count; i++)
    c->has_bodies |= graph->subgraphs[i].kind == ETR_SUBGRAPH_BODY;
  c->backend = backend_of(join);
  return etr_handle_classes_of(&c->classes, arena, c->backend, graph);
}

etr_fitter *etr_fitter_new(etr_arena *arena, const etr_method_join *joins, size_t count) {
  etr_fitter *fitter = etr_arena_alloc(arena, sizeof *fitter);
  candidate *candidates = etr_arena_alloc_array(arena, count, sizeof *candidates);
  if (!fitter || !candidates) return NULL;
  *fitter = (etr_fitter){.arena = arena, .candidates = candidates, .count = count};
  etr_map_init(&fitter->payloads, arena);
  for (size_t i = 0; i < count; i++)
    if (!prepare(&candidates[i], arena, &joins[i])) return NULL;
  return etr_arena_failed(arena) ? NULL : fitter;
}

/* ---- Holding a row against a method ---- */

static bool operator_at_handles(const candidate *c, const etr_map_instruction *map, etr_slice op) {
  char key[256];
  for (size_t i = 0; i < map->handle_count; i++)
    if (etr_map_get(&c->operators, handle_key(key, sizeof key, map->handles[i], op)) != ETR_NONE) return true;
  return false;
}

static bool has_delegate_id(const etr_map_instruction *map, const char *id) {
  for (size_t i = 0; i < map->id_count; i++)
    if (strcmp(map->ids[i].id, id) == 0) return true;
  return false;
}

/* With the .pte: is this what the instruction does? */
static bool fits_program(const etr_pte_method *program, const etr_event *e, etr_row_kind kind) {
  if (e->instruction_id < 0) return true;
  if ((size_t)e->instruction_id >= program->instruction_count) return false;
  const etr_instruction *instruction = &program->instructions[e->instruction_id];
  if (kind == ETR_ROW_DELEGATE_CALL || kind == ETR_ROW_DELEGATE_EVENT)
    return instruction->kind == ETR_INSTRUCTION_DELEGATE;
  if (strcmp(e->name, "JF_CALL") == 0) return instruction->kind == ETR_INSTRUCTION_JUMP_FALSE;
  if (strcmp(e->name, "MOVE_CALL") == 0) return instruction->kind == ETR_INSTRUCTION_MOVE;
  bool kernel = instruction->kind == ETR_INSTRUCTION_KERNEL;
  etr_slice op = etr_operator_of_event(e->name);
  if (op.size) return kernel && etr_slice_equal(op, etr_operator_of_kernel(instruction->op));
  return strcmp(e->name, "OPERATOR_CALL") != 0 || kernel;
}

/* Without it: +1 for, -1 against, 0 tells nothing. */
static int fits_map(const candidate *c, const etr_event *e, etr_row_kind kind) {
  const etr_map_method *of_method = c->join->map;
  const etr_map_instruction *map = etr_maps_find(of_method, e->instruction_id);
  bool is_partial = c->has_bodies || !of_method || of_method->instruction_count == 0;
  if (kind == ETR_ROW_FRAMEWORK) return 0;
  if (!map) return kind == ETR_ROW_KERNEL && is_partial ? 0 : -1;
  if (kind == ETR_ROW_DELEGATE_CALL) return map->is_delegate ? 1 : -1;
  if (kind == ETR_ROW_DELEGATE_EVENT) {
    if (!map->is_delegate) return -1;
    return map->id_count ? has_delegate_id(map, e->delegate_id) : 0;
  }
  etr_slice op = etr_operator_of_event(e->name);
  if (op.size == 0) return map->is_delegate ? -1 : 0;
  return operator_at_handles(c, map, op) ? 1 : -1;
}

static void hold_row(const candidate *c, etr_fit *fit, const etr_event *e, etr_row_kind kind) {
  int vote = fits_map(c, e, kind);
  fit->agreeing += vote > 0;
  fit->against += fit->exact ? !fits_program(c->join->program, e, kind) : vote < 0;
}

/* ---- Holding a delegate against a method ---- */

/* Delegates may share a payload: each is read once. */
static bool count_payload(etr_fitter *fitter, const candidate *c, etr_slice payload, etr_delegate_counts *out) {
  etr_map_slot *slot = etr_map_at(&fitter->payloads, (etr_slice){(const char *)&payload, sizeof payload});
  if (!slot) return false;
  if (slot->value == ETR_NONE) {
    payload_counts *added = etr_vec_push(fitter->arena, &fitter->counts);
    if (!added) return false;
    added->known = etr_delegate_counts_of_payload(&added->counts, c->backend, payload);
    slot->value = (uint32_t)(fitter->counts.count - 1);
  }
  *out = fitter->counts.data[slot->value].counts;
  return fitter->counts.data[slot->value].known;
}

/* What a delegate holds. False if that is not known. Payloads are read where there are methods to tell apart. */
static bool count_delegate(etr_fitter *fitter, const candidate *c, const etr_map_instruction *map, int32_t instruction,
                           etr_delegate_counts *out) {
  etr_slice payload = fitter->count > 1 ? etr_join_payload(c->join, instruction) : (etr_slice){0};
  if (payload.size) return count_payload(fitter, c, payload, out);
  etr_arena scratch = {0};
  bool known = etr_delegate_counts_of_nodes(out, &c->classes, map, &scratch);
  if (etr_arena_failed(&scratch)) fitter->arena->failed = true;
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
    if (r->kinds[i] != ETR_ROW_DELEGATE_EVENT) continue;
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
  const etr_map_instruction *map = etr_maps_find(c->join->map, instruction);
  bool others = !c->backend || (map && (map->id_count || (map->backend && strcmp(map->backend, c->backend->id) != 0)));
  if (others || !count_rows(c->backend, ran, r, first, end)) return;
  if (!count_delegate(fitter, c, map, instruction, &has)) return;
  for (uint16_t i = 1; i < ETR_MOST_CLASSES; i++)
    compare_class(fit, (c->backend->traits(i) & ETR_CLASS_COUNTS) != 0, ran[i], has.least[i], has.most[i]);
}

/* ---- Holding a block against a method ---- */

/* Instructions of the map that no row has. Both lists are ascending. */
static uint32_t count_missing(const candidate *c, const rows *r) {
  const etr_map_method *map = c->has_bodies ? NULL : c->join->map;
  uint32_t missing = 0;
  for (size_t i = 0, k = 0; map && i < map->instruction_count; i++) {
    while (k < r->id_count && r->ids[k] < map->instructions[i].id) k++;
    missing += k == r->id_count || r->ids[k] != map->instructions[i].id;
  }
  return missing;
}

static void hold_block(etr_fitter *fitter, const candidate *c, etr_fit *fit, const rows *r) {
  *fit = (etr_fit){.exact = c->join->program != NULL, .missing = count_missing(c, r)};
  for (size_t i = 0, end; i < r->block->event_count; i = end) {
    bool any = false;
    end = etr_block_end_of_instruction(r->block, i);
    for (size_t k = i; k < end; k++) {
      hold_row(c, fit, &r->block->events[k], r->kinds[k]);
      any |= r->kinds[k] == ETR_ROW_DELEGATE_EVENT;
    }
    if (any) hold_delegate(fitter, c, fit, r, i, end);
  }
}

static int by_id(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static bool look(rows *r, etr_arena *scratch, const etr_block *block) {
  *r = (rows){.block = block};
  r->kinds = etr_arena_alloc_array(scratch, block->event_count, sizeof *r->kinds);
  r->ids = etr_arena_alloc_array(scratch, block->event_count, sizeof *r->ids);
  if (!r->kinds || !r->ids) return false;
  for (size_t i = 0; i < block->event_count; i++) {
    r->kinds[i] = etr_row_kind_of(block, i);
    r->ids[r->id_count++] = block->events[i].instruction_id;
  }
  etr_sort(r->ids, r->id_count, sizeof *r->ids, by_id);
  return true;
}

bool etr_fitter_fit(etr_fitter *fitter, const etr_block *block, etr_fit *fits) {
  etr_arena scratch = {0};
  rows r;
  bool good = look(&r, &scratch, block);
  for (size_t i = 0; good && i < fitter->count; i++) hold_block(fitter, &fitter->candidates[i], &fits[i], &r);
  etr_arena_clear(&scratch);
  return good && !etr_arena_failed(fitter->arena);
}

/* ---- Comparing ---- */

int etr_fit_compare(const etr_fit *a, const etr_fit *b, etr_fit_part *decided_by) {
  const uint32_t parts[ETR_FIT_PARTS][2] = {
      [ETR_FIT_AGAINST] = {a->against, b->against},
      [ETR_FIT_STRANGE] = {a->strange, b->strange},
      [ETR_FIT_MISSING] = {a->missing, b->missing},
  };
  int part = 0;
  while (part < ETR_FIT_PARTS && parts[part][0] == parts[part][1]) part++;
  if (decided_by) *decided_by = (etr_fit_part)part;
  if (part == ETR_FIT_PARTS) return 0;
  return parts[part][0] < parts[part][1] ? -1 : 1;
}

bool etr_fit_is_any(const etr_fit *fit) {
  if (fit->exact && fit->against) return false;
  return fit->against + fit->strange == 0 || fit->agreeing > fit->against + fit->strange;
}
