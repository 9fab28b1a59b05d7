/* SPDX-License-Identifier: BSD-3-Clause
 *
 * methods_case.h - cases of a dump as text, the methods that it may belong to, and the expected
 * method of each run.
 */
#ifndef ETR_TEST_METHODS_CASE_H
#define ETR_TEST_METHODS_CASE_H

#include "join_text.h"
#include "runs/runs.h"
#include "tiny_flatbuf.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct methods_case {
  const char *title;
  method_text methods[3];
  const char *payloads[3]; /* of instruction 0, a delegate: types of its XNodes, joined by ' '; ""
                              without instruction; NULL: no .pte */
  const char *events[2];   /* of each dump */
  etr_method_choice choices[4]; /* ended by one without a method */
  const char *want; /* "METHOD: RUN,RUN" of each block, joined by ';'; METHOD is "none" where
                       nothing ran, as in a load, and "unknown" if the files do not say */
  const char *rule; /* part of the last block's rule; NULL: any rule */
} methods_case;

#define NO_CHOICE {{0, NULL, 0}}

enum { MOST_METHODS = 3 };

/* Returns the number of a type in XNodeUnion
 * (executorch/backends/xnnpack/serialization/schema.fbs). */
static inline uint32_t xnode_type(const char *name) {
  static const struct {
    const char *name;
    uint32_t number;
  } types[] = {{"FullyConnected", 2}, {"Sigmoid", 4},          {"StaticTranspose", 5},
               {"Conv2d", 7},         {"DepthwiseConv2d", 13}, {"Convert", 18}};
  for (size_t i = 0; i < ETR_COUNT(types); i++)
    if (strcmp(types[i].name, name) == 0)
      return types[i].number;
  cr_assert_fail("no XNode %s", name);
  return 0;
}

/* Makes an XNNGraph that contains only nodes of these types; "none" makes bytes that are no payload
 * of XNNPACK. */
static inline etr_slice make_payload(etr_arena *arena, const char *types) {
  tiny_fb fb = {.bytes = etr_arena_alloc(arena, 4096), .capacity = 4096};
  uint32_t count = 0, numbers[MAX_ITEMS];
  char *rest;
  if (strcmp(types, "none") == 0)
    return etr_slice_of("some other backend's");
  for (char *piece = first_piece(arena, types, " ", &rest); piece; piece = next_piece(&rest, " "))
    numbers[count++] = xnode_type(piece);
  tiny_start(&fb, "XN01");
  uint32_t root = tiny_table(&fb, (const uint16_t[]){0, 4, 8}, 3, 12),
           nodes = tiny_vector(&fb, count, 4), values = tiny_vector(&fb, 0, 4);
  tiny_point(&fb, 0, root);
  tiny_point(&fb, root + 4, nodes);
  tiny_point(&fb, root + 8, values);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t node = tiny_table(&fb, (const uint16_t[]){8, 4}, 2, 12),
             value = tiny_table(&fb, NULL, 0, 4);
    tiny_set(&fb, node + 8, 1, numbers[i]);
    tiny_point(&fb, node + 4, value);
    tiny_point(&fb, nodes + 4 + 4 * i, node);
  }
  return (etr_slice){(const char *)fb.bytes, fb.size};
}

static inline const etr_pte_method *make_program(etr_arena *arena, const char *types) {
  static const etr_instruction call = {.kind = ETR_INSTRUCTION_DELEGATE, .delegate = 0};
  etr_pte_method *method = etr_arena_alloc(arena, sizeof *method);
  etr_pte_delegate *delegate = etr_arena_alloc(arena, sizeof *delegate);
  *delegate = (etr_pte_delegate){.backend = "XnnpackBackend",
                                 .payload = make_payload(arena, types)};
  if (types[0] == '\0')
    return method;
  *method = (etr_pte_method){
      .instructions = &call, .instruction_count = 1, .delegates = delegate, .delegate_count = 1};
  return method;
}

static inline void describe_methods(char *out, size_t size, const etr_blocks *blocks,
                                    const etr_method_inputs *inputs) {
  size_t used = 0;
  for (size_t i = 0; i < blocks->block_count; i++) {
    const etr_block *block = &blocks->blocks[i];
    const char *undecided = etr_block_has_instructions(block) ? "unknown" : "none";
    used += (size_t)snprintf(out + used, size - used, "%s%s: ", i ? "; " : "",
                             block->method == ETR_NONE ? undecided : inputs[block->method].name);
    for (size_t k = 0; k < block->run_count; k++) {
      used += (size_t)snprintf(out + used, size - used, "%s%u", k ? "," : "", block->runs[k]);
      cr_expect_eq(blocks->runs[block->runs[k]].block, i);
    }
  }
}

static inline void run_methods_case(const methods_case *c, char *out, size_t size) {
  etr_arena arena = {0};
  etr_map names;
  etr_blocks blocks;
  etr_options options = {.choices = c->choices};
  etr_warnings warnings = {.arena = &arena};
  etr_method_inputs inputs[MOST_METHODS] = {{0}};
  etr_payloads payloads;
  etr_dump dumps[2];
  size_t count = 0, dump_count = 0;
  etr_map_init(&names, &arena);
  etr_payloads_init(&payloads, NULL, &arena);
  for (; dump_count < 2 && c->events[dump_count]; dump_count++)
    dumps[dump_count] = make_dump(&arena, &names, c->events[dump_count]);
  for (; count < MOST_METHODS && c->methods[count].name; count++) {
    const method_text *m = &c->methods[count];
    inputs[count] = (etr_method_inputs){.name = m->name,
                                        .graph = m->nodes ? make_graph(&arena, m->nodes) : NULL,
                                        .map = make_map(&arena, m),
                                        .payloads = &payloads};
    cr_assert(etr_method_index_nodes(&inputs[count], &arena));
    if (c->payloads[count])
      inputs[count].program = make_program(&arena, c->payloads[count]);
    inputs[count].varies = etr_method_work_varies(&inputs[count]);
  }
  while (options.choice_count < ETR_COUNT(c->choices) && c->choices[options.choice_count].method)
    options.choice_count++;
  cr_assert_eq(etr_blocks_build(&blocks, &arena, dumps, dump_count, count, &options), ETR_OK);
  etr_methods_decide(&blocks, inputs, count, dumps, &options, &warnings);
  describe_methods(out, size, &blocks, inputs);
  const char *rule = blocks.blocks[blocks.block_count - 1].method_rule;
  if (c->rule)
    cr_expect(strstr(rule, c->rule), "%s: \"%s\" is not in \"%s\"", c->title, c->rule, rule);
  etr_arena_clear(&arena);
}

static inline void expect_methods(const methods_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char got[1024] = "";
    run_methods_case(&cases[i], got, sizeof got);
    cr_expect_str_eq(got, cases[i].want, "%s:\n  got  %s\n  want %s", cases[i].title, got,
                     cases[i].want);
  }
}

#endif
