/* SPDX-License-Identifier: BSD-3-Clause
 *
 * methods.c - which method a block of runs is. No run of an ETDump says so: it is told by what ran.
 *
 * Every row is held against each method. With the .pte a method fits exactly or not at all. Without it, a row speaks for a method (its
 * operator is at a node of the instruction's handles, its delegate id is in the delegate map) or against it (an unknown delegate, another
 * operator). The method with the fewest rows against it wins; then the one whose delegates hold what ran in them; then the one of whose instructions
 * the fewest are missing. Among equals the order of loads may tell: a method that was loaded before is not the one that a load brings. What is a tie
 * then stays undecided.
 */
#include "methods.h"

#include "maps.h"
#include "operator.h"
#include "row.h"

typedef struct fit {
  uint32_t against, agreeing; /* rows */
  uint32_t strange;           /* operators of a delegate that none of its nodes would become */
  uint32_t missing;           /* instructions of the map that no row has */
  bool exact;                 /* held against the .pte's instruction list */
} fit;

/* ---- Holding a row against a method ---- */

typedef struct handle_operators {
  etr_map set; /* "HANDLE OPERATOR" -> anything */
  bool has_bodies;
  const etr_backend *backend;
} handle_operators;

static etr_slice handle_key(char *text, size_t capacity, uint32_t handle, etr_slice op) {
  size_t size = 0;
  for (uint32_t rest = handle; size == 0 || rest; rest /= 10) text[size++] = (char)('0' + rest % 10);
  text[size++] = ' ';
  size_t copied = ETR_MIN(op.size, capacity - size);
  memcpy(text + size, op.data, copied);
  return (etr_slice){text, size + copied};
}

/* A backend's class of operators as a character that starts no operator's name. */
static char class_letter(uint16_t class_) { return (char)(1 + class_); }

/* The backend of the method's delegates: one with events by class is enough to tell. */
static const etr_backend *backend_of(const etr_method_join *join) {
  for (size_t i = 0; join->map && i < join->map->instruction_count; i++)
    if (join->map->instructions[i].backend) return etr_backend_of(join->map->instructions[i].backend);
  return NULL;
}

static void collect_operators(handle_operators *known, etr_arena *arena, const etr_method_join *join) {
  const etr_graph *graph = join->graph;
  char key[256];
  *known = (handle_operators){.backend = backend_of(join)};
  etr_map_init(&known->set, arena);
  for (size_t i = 0; graph && i < graph->node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    if (n->kind != ETR_NODE_OP || n->debug_handle == 0) continue;
    etr_slice op = etr_operator_of_target(n->target);
    char class_ = class_letter(known->backend ? known->backend->class_of_node(graph, n) : 0);
    etr_map_set(&known->set, handle_key(key, sizeof key, n->debug_handle, op), 1);
    etr_map_set(&known->set, handle_key(key, sizeof key, n->debug_handle, (etr_slice){&class_, 1}), 1);
  }
  for (size_t i = 0; graph && i < graph->subgraph_count; i++) known->has_bodies |= graph->subgraphs[i].kind == ETR_SUBGRAPH_BODY;
}

static bool operator_at_handles(const handle_operators *known, const etr_map_instruction *map, etr_slice op) {
  char key[256];
  for (size_t i = 0; i < map->handle_count; i++)
    if (etr_map_get(&known->set, handle_key(key, sizeof key, map->handles[i], op)) != ETR_NONE) return true;
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
  if (kind == ETR_ROW_DELEGATE_CALL || kind == ETR_ROW_DELEGATE_EVENT) return instruction->kind == ETR_INSTRUCTION_DELEGATE;
  if (strcmp(e->name, "JF_CALL") == 0) return instruction->kind == ETR_INSTRUCTION_JUMP_FALSE;
  if (strcmp(e->name, "MOVE_CALL") == 0) return instruction->kind == ETR_INSTRUCTION_MOVE;
  etr_slice op = etr_operator_of_event(e->name);
  if (op.size) return instruction->kind == ETR_INSTRUCTION_KERNEL && etr_slice_equal(op, etr_operator_of_kernel(instruction->op));
  return strcmp(e->name, "OPERATOR_CALL") != 0 || instruction->kind == ETR_INSTRUCTION_KERNEL;
}

/* Without it: +1 for, -1 against, 0 tells nothing. */
static int fits_map(const etr_method_join *join, const handle_operators *known, const etr_event *e, etr_row_kind kind) {
  const etr_map_instruction *map = etr_maps_find(join->map, e->instruction_id);
  if (kind == ETR_ROW_FRAMEWORK) return 0;
  if (!map) return kind == ETR_ROW_KERNEL && (known->has_bodies || join->map == NULL || join->map->instruction_count == 0) ? 0 : -1;
  if (kind == ETR_ROW_DELEGATE_CALL) return map->is_delegate ? 1 : -1;
  if (kind == ETR_ROW_DELEGATE_EVENT) return !map->is_delegate ? -1 : map->id_count == 0 ? 0 : has_delegate_id(map, e->delegate_id);
  etr_slice op = etr_operator_of_event(e->name);
  if (op.size == 0) return map->is_delegate ? -1 : 0;
  return operator_at_handles(known, map, op) ? 1 : -1;
}

/* Does one of the delegate's nodes become what ran there? +1 yes, -1 no, 0 cannot be told: no operator of XNNPACK, or one that lowering inserts. */
static int fits_delegate(const etr_method_join *join, const handle_operators *known, const etr_event *e) {
  const etr_map_instruction *map = etr_maps_find(join->map, e->instruction_id);
  uint16_t class_ = known->backend ? known->backend->class_of_event(e->delegate_id) : 0;
  if (!map || map->id_count || class_ == 0 || !(known->backend->traits(class_) & ETR_CLASS_COMPUTES)) return 0;
  char letter = class_letter(class_);
  return operator_at_handles(known, map, (etr_slice){&letter, 1}) ? 1 : -1;
}

static fit fit_of(const etr_block *block, const etr_method_join *join, const handle_operators *known, etr_arena *scratch) {
  fit result = {.exact = join->program != NULL};
  etr_map seen;
  etr_map_init(&seen, scratch);
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *e = &block->events[i];
    etr_row_kind kind = etr_row_kind_of(block, i);
    int vote = fits_map(join, known, e, kind);
    int inside = kind == ETR_ROW_DELEGATE_EVENT ? fits_delegate(join, known, e) : 0;
    result.agreeing += vote > 0 || inside > 0;
    result.strange += inside < 0;
    result.against += result.exact ? !fits_program(join->program, e, kind) : vote < 0;
    etr_map_set(&seen, (etr_slice){(const char *)&e->instruction_id, sizeof e->instruction_id}, 1);
  }
  for (size_t i = 0; !known->has_bodies && join->map && i < join->map->instruction_count; i++) {
    int32_t id = join->map->instructions[i].id;
    result.missing += etr_map_get(&seen, (etr_slice){(const char *)&id, sizeof id}) == ETR_NONE;
  }
  return result;
}

/* ---- Deciding ---- */

/* < 0: a fits better than b. */
static int compare_fits(const fit *a, const fit *b) {
  if (a->against != b->against) return a->against < b->against ? -1 : 1;
  if (a->strange != b->strange) return a->strange < b->strange ? -1 : 1;
  return (a->missing > b->missing) - (a->missing < b->missing);
}

/* A method that disagrees with as much as it agrees with is another model's. */
static bool fits_at_all(const fit *f) {
  if (f->exact && f->against) return false;
  return f->against + f->strange == 0 || f->agreeing > f->against + f->strange;
}

static const char *rule_text(const fit *best, size_t fitting) {
  if (best->exact) return fitting == 1 ? "program: the only method" : "program: the only method with these instructions";
  if (fitting == 1) return best->against ? "only method, though some events disagree with the record" : "only method";
  return best->missing ? "best fit of instructions, operators and delegates" : "instructions, operators and delegates";
}

enum { MOST_NAMES = 8 };

/* "encode, decode"; of very many, the first few. */
static char *list_names(etr_arena *arena, const etr_method_join *joins, const fit *fits, size_t count, const fit *best) {
  char *text = etr_arena_copy(arena, ETR_SLICE(""));
  for (size_t i = 0, listed = 0; text && i < count && listed <= MOST_NAMES; i++) {
    if (compare_fits(&fits[i], best) != 0) continue;
    const char *name = listed == MOST_NAMES ? "..." : joins[i].name;
    text = etr_arena_format(arena, "%s%s%.*s", text, listed++ ? ", " : "", ETR_HEAD(name, 80));
  }
  return text;
}

/* ---- Order of loads ---- */

/* Loads of methods in a run: Program::load_method. */
static size_t loads_in(const etr_block *block) {
  size_t loads = 0;
  for (size_t i = 0; i < block->event_count; i++)
    if (strcmp(block->events[i].name, "Program::load_method") == 0) loads += block->events[i].sample_count / ETR_MAX(block->run_count, 1);
  return loads;
}

static bool ran_before(const etr_blocks *blocks, uint32_t method, size_t run) {
  for (size_t i = 0; i < blocks->block_count; i++)
    if (blocks->blocks[i].method == method && blocks->blocks[i].run_count && blocks->blocks[i].runs[0] < run) return true;
  return false;
}

/* Of the methods that fit equally, the one that the load right before the block's first run brought: the only one that had not run before. */
static uint32_t told_by_load(const etr_blocks *blocks, const etr_block *block, const fit *fits, size_t count, const fit *best) {
  uint32_t told = ETR_NONE;
  size_t run = block->runs[0];
  if (run == 0 || loads_in(&blocks->blocks[blocks->runs[run - 1].block]) != 1) return ETR_NONE;
  for (uint32_t i = 0; i < count; i++) {
    if (compare_fits(&fits[i], best) != 0 || ran_before(blocks, i, run)) continue;
    if (told != ETR_NONE) return ETR_NONE;
    told = i;
  }
  return told;
}

/* ---- One block ---- */

static void decide_tie(const etr_blocks *blocks, etr_block *block, const etr_method_join *joins, const fit *fits, size_t count, const fit *best,
                       etr_warnings *warnings) {
  block->method = told_by_load(blocks, block, fits, count, best);
  block->method_rule = "order of loads: of those that fit, the only one that had not run before";
  if (block->method != ETR_NONE) return;
  const char *names = list_names(warnings->arena, joins, fits, count, best);
  if (!names) names = "";
  block->method_rule = etr_arena_format(warnings->arena, "tie: %s fit equally; decide with --map RUN=METHOD", names);
  etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET, "run %u could be any of %s: decide with --map %u=METHOD", block->runs[0], names, block->runs[0]);
}

static void decide(const etr_blocks *blocks, etr_block *block, const etr_method_join *joins, const handle_operators *known, size_t count,
                   etr_arena *scratch, etr_warnings *warnings) {
  fit *fits = etr_arena_alloc_array(scratch, count, sizeof *fits);
  if (!fits || block->run_count == 0) return;
  size_t best = 0, equals = 0;
  for (size_t i = 0; i < count; i++) {
    fits[i] = fit_of(block, &joins[i], &known[i], scratch);
    if (compare_fits(&fits[i], &fits[best]) < 0) best = i;
  }
  for (size_t i = 0; i < count; i++) equals += compare_fits(&fits[i], &fits[best]) == 0;
  if (!fits_at_all(&fits[best])) {
    block->method_rule = "fits no method: another model's dump?";
    etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET,
             "run %u (\"%s\") fits no method of this record: is the ETDump another model's? Its times stay without nodes", block->runs[0],
             block->name);
  } else if (equals > 1) {
    decide_tie(blocks, block, joins, fits, count, &fits[best], warnings);
  } else {
    block->method = (uint32_t)best;
    block->method_rule = rule_text(&fits[best], count);
    if (fits[best].against && !fits[best].exact)
      etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET, "run %u: %u of its events disagree with method %s of the record", block->runs[0],
               fits[best].against, joins[best].name);
  }
}

static bool choose(etr_block *block, const etr_method_join *joins, size_t count, const etr_options *options) {
  for (size_t i = 0; options && i < options->choice_count; i++) {
    if (block->run_count == 0 || options->choices[i].run != block->runs[0]) continue;
    for (size_t k = 0; k < count; k++) {
      if (strcmp(joins[k].name, options->choices[i].method) != 0) continue;
      block->method = (uint32_t)k;
      block->method_rule = "chosen by the user";
      return true;
    }
  }
  return false;
}

void etr_methods_decide(etr_blocks *blocks, const etr_method_join *joins, size_t join_count, const etr_options *options, etr_warnings *warnings) {
  etr_arena operators = {0};
  handle_operators *known = etr_arena_alloc_array(&operators, join_count, sizeof *known);
  for (size_t i = 0; known && i < join_count; i++) collect_operators(&known[i], &operators, &joins[i]);
  for (size_t i = 0; known && i < blocks->block_count; i++) {
    etr_block *block = &blocks->blocks[i];
    etr_arena scratch = {0};
    if (choose(block, joins, join_count, options)) continue;
    if (!etr_block_ran(block))
      block->method_rule = "no method ran in it";
    else if (join_count == 0)
      block->method_rule = "no ETRecord and no .pte: methods are not known";
    else
      decide(blocks, block, joins, known, join_count, &scratch, warnings);
    if (etr_arena_failed(&scratch)) warnings->arena->failed = true;
    etr_arena_clear(&scratch);
  }
  if (etr_arena_failed(&operators)) warnings->arena->failed = true;
  etr_arena_clear(&operators);
}
