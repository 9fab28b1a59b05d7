/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pte_builder.h - what program/METHOD is made with. Layer 3.
 *
 * Functions that give a pointer or a bool say with NULL or false that there is no memory, or no budget, left.
 */
#ifndef ETR_PTE_BUILDER_H
#define ETR_PTE_BUILDER_H

#include "inputs/pte.h"
#include "method/uses.h"
#include "program/program_graph.h"

/* ---- What the kernels of a .pte are given besides tensors ---- */

/** What is known of a method's values. */
typedef struct etr_program_arguments {
  const etr_pte_method *program;
  etr_arena *arena;
  bool *is_computed;  /* per value: an instruction writes it, or the caller gives it */
  const char **texts; /* per value: as JSON, as far as it was asked for */
} etr_program_arguments;

/** False: out of memory. */
bool etr_program_arguments_init(etr_program_arguments *arguments, const etr_pte_method *program, etr_arena *arena,
                                etr_arena *scratch);

/** Gives a node the arguments of its kernel call: numbers, texts and lists of integers. What the program computes is
 * left out, null in lists. False: out of memory. */
bool etr_program_arguments_give(etr_program_arguments *arguments, etr_node *node, const etr_instruction *instruction);

/* ---- Which instruction of a .pte feeds which ---- */

/* A program's values are written and read by place in memory, so instructions are added in the order in which they
 * run: each reads what wrote its arguments last. What is filled lives in the arena. False always means out of memory.
 */

/** What wrote each value so far. */
typedef struct etr_links {
  const etr_pte_method *program;
  etr_arena *arena;
  etr_edge *writer; /* per value of the method: what wrote it last; node ETR_NONE: nothing yet */
  etr_storages storages;
  etr_uses uses;                             /* of the instruction added last */
  etr_vec(uint32_t) read_args, written_args; /* of the instruction added last: per input and per output of its node, the
                                                argument */
  etr_vec(int32_t) sources;                  /* values that were read and that nothing wrote, each once */
  bool *is_source;                           /* per value */
  bool *is_view;                             /* per value: it is read as a view of what was written */
  etr_vec(int32_t) reads;                    /* of the node added last: per input, the value */
  bool misses_input;                         /* of the node added last: it reads what no node gives */
} etr_links;

/** Nothing is written yet. The method has a program. */
bool etr_links_init(etr_links *links, const etr_method_inputs *method, etr_arena *arena);

/** Makes node `place` a source, which nothing writes: a constant, or a buffer that keeps its value between inferences.
 */
bool etr_links_add_source(etr_links *links, etr_node *node, uint32_t place, int32_t value);

/** Makes node `place` the input that a value of the method is. False also if there is no such value. */
bool etr_links_add_input(etr_links *links, etr_node *node, uint32_t place, int32_t value);

/** Fills inputs and outputs of node `place`: a kernel, a delegate or a move, which gives a value to another. */
bool etr_links_add(etr_links *links, etr_node *node, uint32_t place, int32_t instruction_id);

/** What the node added last sees its inputs as (etr_graph.views). False: out of memory. */
bool etr_links_views(etr_links *links, const etr_node *node, const etr_value **views);

/** Fills the inputs of the node that returns what the method does. */
bool etr_links_add_output(etr_links *links, etr_node *node);

/* ---- What program/METHOD is made with ---- */

enum { ETR_NO_INSTRUCTION = -1 };

typedef struct etr_pte_builder {
  etr_pte_graph *out;
  const etr_placement *placement;
  const etr_pte_method *program;
  uint32_t method;
  const etr_blocks *blocks;
  etr_arena *arena, *scratch;
  etr_vec(etr_node) nodes;
  etr_vec(etr_subgraph) subgraphs;
  etr_vec(etr_module) modules; /* of a graph that has none of an Edge graph: one for each delegate that has operators */
  etr_links links;
  etr_program_arguments arguments;
  etr_map kernels; /* name and overload of an operator -> place in targets */
  etr_vec(const char *) targets;
  const etr_event **timed; /* of delegates, by instruction, in the order of their blocks */
  size_t *end_of_timed;    /* per instruction: where its own end there */
} etr_pte_builder;

/** A node at the end of the graph: zeroed but for its kind, an operator in no subgraph, that works by its name. */
etr_node *etr_pte_push_node(etr_pte_builder *b, int32_t instruction_id);

/** The same, to be found by etr_pte_graph_node(). */
etr_node *etr_pte_add_node(etr_pte_builder *b, int32_t instruction_id, const char *delegate_id);

/** Makes the node stand for a node of the Edge graph. */
void etr_pte_take_edge_node(etr_pte_builder *b, etr_node *node, uint32_t edge_node);

/** The backend that an instruction calls: "unknown" if the program does not say. */
const char *etr_pte_backend_of(const etr_pte_builder *b, const etr_instruction *instruction);

/* ---- What is nested in a delegate's call, in program/METHOD ---- */

/**
 * Adds the nested graph of a call, whose node is the last one: the operators of its payload with the values that they
 * read and write; or, where no payload can be read and there is an Edge graph, the operators that its events name.
 * Where nothing is known of its inside, adds nothing. own: of its payload; NULL. False: no memory, or no budget, left.
 */
bool etr_pte_add_delegate(etr_pte_builder *b, int32_t instruction_id, const etr_own_graph *own);

#endif
