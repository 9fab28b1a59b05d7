/* SPDX-License-Identifier: BSD-3-Clause
 *
 * links.h - which instruction of a .pte feeds which. Layer 3.
 *
 * A program's values are written and read by place in memory, so instructions are added in the order in which they run:
 * each reads what wrote its arguments last. What is filled lives in the arena. False always means out of memory.
 */
#ifndef ETR_LINKS_H
#define ETR_LINKS_H

#include "method/uses.h"

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

#endif
