/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_bodies.c - the node of each kernel in a body of cond or map, found by the numbers of the
 * instructions that ran.
 *
 *   nodes    a graph as in tiny_graph.h. A marked node is run by another instruction
 *   bodies   owners of the bodies with the numbers 0, 1, ..., joined by ' '; NULL: there are none,
 *            and to_executorch() changed the graph
 *   rows     what the dump shows of the instructions 0, 1, ..., joined by ' ':
 *              sin     a kernel that the handle map does not name
 *              gt=1    a kernel that the handle map gives the handle 1
 *              prim    a call whose kernel logged no name
 *              call    a delegate's call; "call=1" is one that the map names
 *              jump, move
 *              .       no row
 *              @20     no rows up to instruction 20, which the next word is of
 *   program  the instructions of a .pte in the same words, all of them; "sin:4" is a kernel whose
 * result is [4]. NULL: there is no .pte want     "INSTRUCTION:NODE" of the kernels that found a
 * node, joined by ' '; '~' behind it marks an estimate. A '!' at the end: one warning was given
 */
#include "tiny_graph.h"

#include "join/placement.h"

typedef struct body_case {
  const char *title, *nodes, *bodies, *rows, *program, *want;
} body_case;

enum { MOST_ROWS = 300, MOST_BODIES = 160, MOST_VALUES = 64 };

/* ---- Making a method and its events ---- */

typedef struct scene {
  etr_arena arena;
  tiny_graph *g;
  etr_method_inputs method;
  etr_placement placement;
  etr_warnings warnings;
  etr_event *events;
  size_t event_count;
  etr_map_instruction *map;
  size_t map_count;
  bool *taken;
} scene;

static void make_bodies(scene *s, const char *text) {
  etr_subgraph *list = etr_arena_alloc_array(&s->arena, MOST_BODIES, sizeof *list);
  char *rest = etr_arena_copy(&s->arena, etr_slice_of(text));
  s->g->graph.subgraphs = list;
  s->g->graph.subgraph_count = 0;
  for (char *owner; (owner = tiny_piece(&rest, " "));)
    list[s->g->graph.subgraph_count++] = (etr_subgraph){.name = "body",
                                                        .kind = ETR_SUBGRAPH_BODY,
                                                        .parent = ETR_NONE,
                                                        .owner = tiny_node(s->g, owner)};
}

static void add_event(scene *s, const char *name, etr_event_kind kind, int32_t id) {
  cr_assert_lt(s->event_count, 2 * MOST_ROWS);
  s->events[s->event_count++] = (etr_event){.name = name, .kind = kind, .instruction_id = id};
}

static void add_row(scene *s, char *word, int32_t id) {
  char *equals = strchr(word, '=');
  bool is_call = strncmp(word, "call", 4) == 0;
  if (equals) {
    etr_map_instruction *added = &s->map[s->map_count++];
    *equals = '\0';
    *added = (etr_map_instruction){
        .id = id, .is_delegate = is_call, .backend = is_call ? "XnnpackBackend" : NULL};
    added->handles = tiny_numbers(&s->arena, equals + 1, &added->handle_count);
  }
  if (strcmp(word, "jump") == 0) {
    add_event(s, "JF_CALL", ETR_EVENT_FRAMEWORK, id);
  } else if (strcmp(word, "move") == 0) {
    add_event(s, "MOVE_CALL", ETR_EVENT_FRAMEWORK, id);
  } else if (is_call) {
    add_event(s, "DELEGATE_CALL", ETR_EVENT_DELEGATE_CALL, id);
  } else if (strcmp(word, "prim") == 0) {
    add_event(s, "OPERATOR_CALL", ETR_EVENT_KERNEL, id);
  } else {
    add_event(s, etr_arena_format(&s->arena, "native_call_%s.out", word), ETR_EVENT_KERNEL, id);
    add_event(s, "OPERATOR_CALL", ETR_EVENT_FRAMEWORK, id);
  }
}

static void make_rows(scene *s, const char *text) {
  char *rest = etr_arena_copy(&s->arena, etr_slice_of(text));
  int32_t id = 0;
  s->events = etr_arena_alloc_array(&s->arena, 2 * MOST_ROWS, sizeof *s->events);
  s->map = etr_arena_alloc_array(&s->arena, MOST_ROWS, sizeof *s->map);
  for (char *word; (word = tiny_piece(&rest, " "));) {
    if (*word == '@') {
      id = atoi(word + 1);
      continue;
    }
    if (*word != '.')
      add_row(s, word, id);
    id++;
  }
}

static void parse_instruction(scene *s, etr_pte_method *program, etr_instruction *out, char *word) {
  char *colon = strchr(word, ':');
  *out = (etr_instruction){.kind = ETR_INSTRUCTION_KERNEL, .delegate = -1};
  if (colon)
    *colon = '\0';
  if (strcmp(word, "jump") == 0)
    out->kind = ETR_INSTRUCTION_JUMP_FALSE;
  if (strcmp(word, "move") == 0)
    out->kind = ETR_INSTRUCTION_MOVE;
  if (strcmp(word, "free") == 0)
    out->kind = ETR_INSTRUCTION_FREE;
  if (strcmp(word, "call") == 0)
    out->kind = ETR_INSTRUCTION_DELEGATE;
  if (out->kind == ETR_INSTRUCTION_KERNEL)
    out->op = strcmp(word, "prim") == 0 ? "executorch_prim::add"
                                        : etr_arena_format(&s->arena, "aten::%s", word);
  if (!colon)
    return;
  int32_t *size = etr_arena_alloc(&s->arena, sizeof *size),
          *argument = etr_arena_alloc(&s->arena, sizeof *argument);
  *size = atoi(colon + 1);
  *argument = (int32_t)program->value_count;
  ((etr_pte_value *)etr_for_foreign(program->values))[program->value_count++] = (etr_pte_value){
      .kind = ETR_PTE_VALUE_TENSOR, .dtype = "float32", .sizes = size, .rank = 1};
  out->args = argument;
  out->arg_count = 1;
}

static const etr_pte_method *make_program(scene *s, const char *text) {
  etr_pte_method *program = etr_arena_alloc(&s->arena, sizeof *program);
  etr_instruction *list = etr_arena_alloc_array(&s->arena, MOST_ROWS, sizeof *list);
  char *rest = etr_arena_copy(&s->arena, etr_slice_of(text));
  *program = (etr_pte_method){
      .instructions = list,
      .values = etr_arena_alloc_array(&s->arena, MOST_VALUES, sizeof *program->values)};
  for (char *word; (word = tiny_piece(&rest, " "));)
    parse_instruction(s, program, &list[program->instruction_count++], word);
  return program;
}

static void make_scene(scene *s, const body_case *c) {
  *s = (scene){.warnings = {0}};
  s->warnings.arena = &s->arena;
  s->g = tiny_graph_of(&s->arena, c->nodes);
  s->g->graph.is_changed = c->bodies == NULL;
  make_bodies(s, c->bodies ? c->bodies : "");
  make_rows(s, c->rows);
  etr_map_method *map = etr_arena_alloc(&s->arena, sizeof *map);
  *map = (etr_map_method){
      .name = "forward", .instructions = s->map, .instruction_count = s->map_count};
  s->method = (etr_method_inputs){
      .name = "forward", .graph = &s->g->graph, .map = s->map_count ? map : NULL};
  if (c->program)
    s->method.program = make_program(s, c->program);
  s->placement = (etr_placement){.method = &s->method};
  s->taken = s->g->marked;
  cr_assert(etr_method_index_nodes(&s->method, &s->arena));
}

/* ---- Results ---- */

static const char *describe(scene *s) {
  const char *text = "";
  for (size_t i = 0; i < s->placement.instructions.count; i++) {
    const etr_placed *instruction = &s->placement.instructions.data[i];
    if (instruction->node == ETR_NONE)
      continue;
    bool is_estimate = instruction->match == ETR_MATCH_ALIGNED;
    cr_expect(is_estimate ||
              instruction->match == (s->g->graph.is_changed ? ETR_MATCH_ORDER : ETR_MATCH_HANDLE));
    cr_expect(s->taken[instruction->node]);
    text = etr_arena_format(&s->arena, "%s%s%d:%s%s", text, *text ? " " : "", (int)instruction->id,
                            tiny_name(s->g, instruction->node), is_estimate ? "~" : "");
  }
  return s->warnings.list.count ? etr_arena_format(&s->arena, "%s%s!", text, *text ? " " : "")
                                : text;
}

static void expect_case(const body_case *c) {
  scene s;
  make_scene(&s, c);
  etr_arena scratch = {0};
  uint32_t run = 0;
  etr_block block = {.name = "Execute",
                     .runs = &run,
                     .run_count = 1,
                     .events = s.events,
                     .event_count = s.event_count};
  etr_run only = {.name = "Execute", .profile_events = 1};
  etr_blocks blocks = {.runs = &only, .run_count = 1, .blocks = &block, .block_count = 1};
  cr_assert(etr_blocks_group(&blocks, 1, &s.arena));
  cr_assert(etr_instructions_collect(&s.placement, 0, &blocks, &s.arena, &scratch), "%s", c->title);
  cr_assert(etr_place_bodies(&s.placement, 0, &blocks, s.taken, &s.warnings, &scratch), "%s",
            c->title);
  const char *got = describe(&s);
  cr_expect_str_eq(got, c->want, "%s:\n  got  '%s'\n  want '%s'", c->title, got, c->want);
  etr_arena_clear(&scratch);
  etr_arena_clear(&s.arena);
}

static void expect_cases(const body_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++)
    expect_case(&cases[i]);
}

/* ---- cond ---- */

/* Each branch has an operator of its own, and both have a "sin". */
#define COND "x input;g gt (x) #1;c higher_order.cond (g);e abs (c) #2;"
#define SHORT_AND_LONG COND "a sin (x) ^0;b sin (x) ^1;d sin (b) ^1"
#define SAME COND "a sin (x) ^0;b cos (a) ^0;d sin (x) ^1;f cos (d) ^1"
#define TWO COND "a sin (x) ^0;b sin (x) ^1;k higher_order.cond (g);f sin (x) ^2;h sin (x) ^3"
#define NESTED                                                                                     \
  COND "p higher_order.cond (x) ^0;q higher_order.cond (x) ^1;a sin (x) ^2;b sin (x) ^3;d sin "    \
       "(x) ^4;f sin (x) ^5"

Test(bodies, operators_of_a_cond_are_assigned_to_the_branch_that_ran) {
  static const body_case cases[] = {
      {"the first branch ran", COND "a sin (x) ^0;b cos (a) ^0;d neg (x) ^1", "c c",
       "gt=1 jump sin cos move jump . . abs=2", NULL, "2:a 3:b"},
      {"the second ran: the numbers between were not seen",
       COND "a sin (x) ^0;b cos (a) ^0;d neg (x) ^1", "c c", "gt=1 jump . . . . neg move abs=2",
       NULL, "6:d"},
      {"both ran, in different runs", SAME, "c c", "gt=1 jump sin cos move jump sin cos move abs=2",
       NULL, "2:a 3:b 6:d 7:f"},
      {"the same operator in both: instruction numbers decide", SHORT_AND_LONG, "c c",
       "gt=1 jump sin move jump . . . abs=2", NULL, "2:a"},
      {"the same operator in both, the second ran", SHORT_AND_LONG, "c c",
       "gt=1 jump . . . sin sin move abs=2", NULL, "5:b 6:d"},
      {"what was logged of the first only in part", SHORT_AND_LONG, "c c",
       "gt=1 jump . . . . sin move abs=2", NULL, "6:d"},
      {"a cond that is the last of the graph", SAME, "c c", "gt=1 jump . . . . sin cos", NULL,
       "6:d 7:f"},
      {"what moves the results was seen, no jump", SAME, "c c", "gt=1 . sin cos move . . . . abs=2",
       NULL, "2:a 3:b"},
      {"a cond that may be anywhere: the first of what is possible", SAME, "c c",
       "gt=1 . . . . . sin cos", NULL, "6:a~ 7:b~"},
      {"the room behind it says which", SAME, "c c", "gt=1 . . . . . sin cos . abs=2", NULL,
       "6:d 7:f"},
      {"the room before it says which", SAME, "c c", "gt=1 . sin cos . . . . . abs=2", NULL,
       "2:a 3:b"},
      {"what moves the results ends the body", COND "a sin (x) ^0;b sin (x) ^1;d neg (b) ^1", "c c",
       "gt=1 . . . . . sin move . . . . abs=2", NULL, "6:a"},
      {"two results, and so two moves",
       "x input;g gt (x) #1;c higher_order.cond (g) [2] [2];e abs (c) #2;a sin (x) ^0;b sin (x) ^1",
       "c c", "gt=1 jump . . . jump sin move move abs=2", NULL, "6:b"},
      {"two results, but one move",
       "x input;g gt (x) #1;c higher_order.cond (g) [2] [2];a sin (x) ^0;b sin (x) ^1", "c c",
       "gt=1 jump . . jump sin move abs=2", NULL, ""},
      {"an empty body", COND "b sin (x) ^1", "c c", "gt=1 jump . . sin move abs=2", NULL, "4:b"},
      {"one behind the other, first and second", TWO, "c c k k",
       "gt=1 jump sin move jump . . jump . . . sin move abs=2", NULL, "2:a 11:h"},
      {"one behind the other, second and first", TWO, "c c k k",
       "gt=1 jump . . . sin move jump sin move jump . . abs=2", NULL, "5:b 8:f"},
      {"one behind the other, a kernel between", TWO, "c c k k",
       "gt=1 jump . . . sin move abs=2 jump sin move jump . . gt=1", NULL, "5:b 9:f"},
      {"nested: first, first", NESTED, "c c p p q q",
       "gt=1 jump jump sin move jump . . move jump . . . . . . . abs=2", NULL, "3:a"},
      {"nested: first, second", NESTED, "c c p p q q",
       "gt=1 jump jump . . . sin move move jump . . . . . . . abs=2", NULL, "6:b"},
      {"nested: second, first", NESTED, "c c p p q q",
       "gt=1 jump . . . . . . . . jump sin move jump . . move abs=2", NULL, "11:d"},
      {"nested: second, second", NESTED, "c c p p q q",
       "gt=1 jump . . . . . . . . jump . . . sin move move abs=2", NULL, "14:f"},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* Nodes without an instruction, and instructions without a node. */
Test(bodies, views_and_delegates_in_bodies_are_assigned) {
  static const body_case cases[] = {
      {"a view without an instruction", COND "v view_copy (x) ^0;a sin (v) ^0;b sin (x) ^1", "c c",
       "gt=1 jump sin move jump . . abs=2", NULL, "2:a"},
      {"a view with one", COND "v view_copy (x) ^0;a sin (v) ^0;b sin (x) ^1", "c c",
       "gt=1 jump view_copy sin move jump . . abs=2", NULL, "2:v 3:a"},
      {"a view that the runtime makes itself, without a name",
       COND "v view_copy (x) ^0;a sin (v) ^0;b sin (x) ^1", "c c",
       "gt=1 jump prim sin move jump . . abs=2", NULL, "3:a"},
      {"a view that may have one or not: the second branch is found either way",
       COND "v view_copy (x) ^0;a sin (v) ^0;b sin (x) ^1", "c c",
       "gt=1 jump . . . . sin move abs=2", NULL, "6:b"},
      {"no kernel but a view may lack its instruction",
       COND "a neg (x) ^0;b sin (a) ^0;d cos (x) ^1", "c c", "gt=1 jump sin move jump . . abs=2",
       NULL, ""},
      {"a number", COND "n sym_size (x) ^0 [?];a sin (x) ^0;b sin (x) ^1", "c c",
       "gt=1 jump sin move jump . . abs=2", NULL, "2:a"},
      {"a delegate's call in a body", COND "a sin (x) ^0;m mm (a) ^0;b cos (m) ^0;d neg (x) ^1",
       "c c", "gt=1 jump sin call cos move jump . . abs=2", NULL, "2:a 4:b"},
      {"a delegate's call in the second body",
       COND "a sin (x) ^0;d neg (x) ^1;m mm (d) ^1;f cos (m) ^1", "c c",
       "gt=1 jump . . jump neg call cos move abs=2", NULL, "5:d 7:f"},
      {"a call that the map names is of no body", COND "a sin (x) ^0;m mm (a) ^0;b sin (x) ^1",
       "c c", "gt=1 call=1 jump . . . . sin move call=1 abs=2", NULL, "7:b"},
      {"a call in a body that did not run", COND "a sin (x) ^0;d neg (x) ^1;f cos (d) ^1", "c c",
       "gt=1 jump . . move jump call neg cos move abs=2", NULL, "7:d 8:f"},
      {"a call that the map names is in no body, though others are",
       COND "a sin (x) ^0;b cos (a) ^0;d neg (x) ^1", "c c",
       "gt=1 jump sin call=1 cos move jump call . abs=2", NULL, ""},
      {"calls that the map names leave no node of a body out",
       COND "a sin (x) ^0;b cos (a) ^0;d neg (x) ^1", "c c",
       "gt=1 call=1 jump cos move jump . . abs=2", NULL, ""},
      {"a call that the map names is in no body", COND "a sin (x) ^0;b cos (a) ^0;d neg (x) ^1",
       "c c", "gt=1 jump sin call=1 cos move jump . . abs=2", NULL, ""},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* ---- Graphs that to_executorch() changed ---- */

#define CHANGED                                                                                    \
  "x input;m memory.alloc;a sin (x) #2;n memory.alloc;b cos (a) #1;v memory.view (b) #1;d sin (v)"

Test(bodies, a_changed_graph_goes_by_the_order_of_instructions) {
  static const body_case cases[] = {
      {"handles are of other nodes", CHANGED, NULL, "sin=1 cos=2 sin=3", NULL, "0:a 1:b 2:d"},
      {"the same from the program", CHANGED, NULL, "sin=1 cos=2 sin=3", "sin cos sin",
       "0:a 1:b 2:d"},
      {"a view that runs", CHANGED, NULL, "sin=1 cos=2 prim=2 sin=3", NULL, "0:a 1:b 3:d"},
      {"an instruction that logs nothing", CHANGED, NULL, "sin=1 cos=2 . sin=3", NULL,
       "0:a 1:b 3:d"},
      {"a kernel that the graph does not have", CHANGED, NULL, "sin=1 tan=2 sin=3", NULL, ""},
      {"a kernel too many", CHANGED, NULL, "sin=1 cos=2 sin=3 sin=4", NULL, ""},
      {"a kernel too few", CHANGED, NULL, "sin=1 cos=2", NULL, ""},
      {"calls of delegates",
       "x input;a sin (x) #1;c higher_order.executorch_call_delegate (a) #2;b sin (c) #3", NULL,
       "sin=5 call=7 sin=9", NULL, "0:a 2:b"},
      {"a call that did not run",
       "x input;a sin (x) #1;c higher_order.executorch_call_delegate (a) #2;b sin (c) #3", NULL,
       "sin=5 sin=9", NULL, ""},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* ---- map ---- */

#define MAP "x input;k abs (x) #1;c higher_order.map_impl (k);e abs (c) #2;"

Test(bodies, operators_of_a_map_are_assigned_to_its_body) {
  static const body_case cases[] = {
      {"what the loop adds has no node", MAP "a sin (x) ^0;b cos (a) ^0", "c",
       "abs=1 prim select_copy sin cos prim prim prim jump prim abs=2", NULL, "3:a 4:b"},
      {"the loop's kernel that takes a slice has the name of one of the body's",
       MAP "a select_copy (x) ^0;b cos (a) ^0", "c",
       "abs=1 prim select_copy select_copy cos prim prim prim jump prim abs=2", NULL, "3:a 4:b"},
      {"the body's kernel is another", MAP "a sin (x) ^0", "c",
       "abs=1 prim select_copy tan prim prim prim jump prim abs=2", NULL, ""},
      {"a map followed by a cond",
       MAP "a sin (x) ^0;h higher_order.cond (c);d sin (x) ^1;f sin (x) ^2", "c h h",
       "abs=1 prim select_copy sin prim prim prim jump prim gt=2 jump . . . sin move abs=2", NULL,
       "3:a 14:f"},
      {"a map by another name", "x input;c higher_order.map (x);a sin (x) ^0", "c",
       "abs=1 prim select_copy sin prim prim prim jump prim abs=2", NULL, "3:a"},
      {"a cond in a map", MAP "h higher_order.cond (x) ^0;d sin (x) ^1;f sin (x) ^2", "c h h",
       "abs=1 prim select_copy jump sin move jump sin move prim prim prim jump prim abs=2", NULL,
       "4:d 7:f"},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* ---- Contradictions between maps and dump ---- */

/* A program also lists kernels that did not run. */
Test(bodies, operators_are_assigned_with_the_program) {
  static const body_case cases[] = {
      {"jumps without an event", SAME, "c c", "gt=1 . . . . . sin cos",
       "gt jump sin cos move jump sin cos move", "2:a 3:b 6:d 7:f"},
      {"the same rows, more instructions before the cond", SAME, "c c", "gt=1 . . . . . sin cos",
       "gt free free free free jump sin cos move jump sin cos move", "6:a 7:b 10:d 11:f"},
      {"moves without an event", SHORT_AND_LONG, "c c", "gt=1 . . . . . sin",
       "gt jump sin move jump sin sin move", "2:a 5:b 6:d"},
      {"by the shape of the result", COND "a sin (x) ^0 [3];b sin (x) ^1 [4]", "c c",
       "gt=1 . . . . sin", "gt jump sin:3 move jump sin:4 move abs", "2:a 5:b"},
      {"a result that no node has", COND "a sin (x) ^0 [3];b sin (x) ^1 [4]", "c c",
       "gt=1 jump sin move jump", "gt jump sin:5 move jump sin:4 move abs", ""},
      {"operators of the runtime, which the program names",
       "x input;k abs (x) #1;c higher_order.map_impl (k);a add (x) ^0", "c",
       "abs=1 prim select_copy add prim prim", "abs prim select_copy add prim prim prim jump prim",
       "3:a"},
      {"calls that the program has and the map does not",
       COND "a sin (x) ^0;m mm (a) ^0;b cos (m) ^0;d neg (x) ^1", "c c",
       "gt=1 jump sin call cos move", "gt jump sin call cos move jump neg move", "2:a 4:b 7:d"},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* Without a handle map nothing says where a graph starts or ends, so its nodes are estimates. The
 * jumps of a cond say so. */
Test(bodies, jumps_delimit_bodies_without_a_handle_map) {
  static const body_case cases[] = {
      {"a graph without bodies", "x input;a sin (x);b cos (a)", "", "sin cos", NULL, "0:a 1:b"},
      {"the nodes around a cond, too",
       "x input;g gt (x);c higher_order.cond (g);a sin (x) ^0;b sin (x) ^1;e abs (c)", "c c",
       "gt jump . . jump sin move abs", NULL, "0:g 5:b 7:e"},
      {"the nodes around a map",
       "x input;k abs (x);c higher_order.map_impl (k);a sin (x) ^0;e neg (c)", "c",
       "abs prim select_copy sin prim prim prim jump prim neg", NULL, "0:k 3:a 9:e"},
      {"nothing ran", "x input;a sin (x);b cos (a)", "", "", NULL, ""},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

Test(bodies, contradictory_instructions_assign_nothing) {
  static const body_case cases[] = {
      {"a kernel of the map in a body", COND "a sin (x) ^0;b cos (a) ^0;d neg (x) ^1", "c c",
       "gt=1 jump sin=2 cos move jump . . abs=2", NULL, ""},
      {"a kernel in place of a jump", COND "a sin (x) ^0;b cos (x) ^1", "c c",
       "gt=1 tan sin move jump . . abs=2", NULL, ""},
      {"an operator that no body has", COND "a sin (x) ^0;b cos (x) ^1", "c c",
       "gt=1 jump tan move jump . . abs=2", NULL, ""},
      {"a jump too many", COND "a sin (x) ^0;b cos (x) ^1", "c c",
       "gt=1 jump jump jump sin move move abs=2", NULL, ""},
      {"a kernel too many", COND "a sin (x) ^0;b cos (x) ^1", "c c",
       "gt=1 jump sin sin move jump . . abs=2", NULL, ""},
      {"the node runs elsewhere", COND "a sin (x) ^0 *;b cos (x) ^1", "c c",
       "gt=1 jump sin move jump cos move abs=2", NULL, "5:b"},
      {"no bodies, but a map", "x input;a sin (x) #1;b cos (a)", "", "sin=1 cos", NULL, ""},
      {"a loop whose instructions are not known: a while",
       COND "w higher_order.while_loop (x);a sin (x) ^0;b cos (x) ^1", "w w",
       "gt=1 cos jump sin jump abs=2", NULL, "!"},
      {"a cond with one body", COND "a sin (x) ^0", "c", "gt=1 jump sin move abs=2", NULL, "!"},
      {"kernels that log no names", COND "a sin (x) ^0;b cos (x) ^1", "c c",
       "prim=1 jump prim move jump . . prim=2", NULL, ""},
      {"one that logs no name among others that do", COND "a sin (x) ^0;b cos (a) ^0;d neg (x) ^1",
       "c c", "gt=1 jump prim cos move jump . . abs=2", NULL, ""},
      {"a cond of another namespace", "x input;c custom.cond (x);a sin (x) ^0;b cos (x) ^1", "c c",
       "gt=1 jump sin move jump cos move", NULL, ""},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* ---- Limits ---- */

/* Instructions are considered up to number 2^20. */
Test(bodies, instructions_beyond_the_limit_are_ignored) {
  static const body_case cases[] = {
      {"as many as fit", COND "a sin (x) ^0;b sin (a) ^0;l cos (x) ^1", "c c",
       "gt=1 jump sin sin move jump @1048575 abs=2", NULL, "2:a 3:b"},
      {"one more", COND "a sin (x) ^0;b sin (a) ^0;l cos (x) ^1", "c c",
       "gt=1 jump sin sin move jump @1048576 abs=2", NULL, "!"},
  };
  expect_cases(cases, ETR_COUNT(cases));
}

/* Each cond is in the first body of the one around it; the innermost contains a kernel. */
static body_case make_nest(etr_arena *arena, int depth) {
  body_case c = {.title = etr_arena_format(arena, "%d conds in each other", depth),
                 .nodes = "x input",
                 .want = ""};
  const char *jumps = "", *ends = "";
  c.bodies = "";
  for (int i = 0; i < depth; i++) {
    const char *body = i ? etr_arena_format(arena, " ^%d", 2 * (i - 1)) : "";
    c.nodes = etr_arena_format(arena, "%s;c%d higher_order.cond (x)%s", c.nodes, i, body);
    c.bodies = etr_arena_format(arena, "%s c%d c%d", c.bodies, i, i);
    jumps = etr_arena_format(arena, "%s jump", jumps);
    ends = etr_arena_format(arena, "%s move jump .", ends);
  }
  c.nodes = etr_arena_format(arena, "%s;a sin (x) ^%d;e abs (x) #1", c.nodes, 2 * (depth - 1));
  c.rows = etr_arena_format(arena, "%s sin%s abs=1", jumps, ends);
  return c;
}

Test(bodies, deeply_nested_bodies_are_assigned) {
  etr_arena arena = {0};
  body_case deepest = make_nest(&arena, 65);
  deepest.want = "65:a";
  expect_case(&deepest);
  etr_arena_clear(&arena);
}
