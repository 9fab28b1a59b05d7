/* SPDX-License-Identifier: BSD-3-Clause
 *
 * links.h - which instruction of a .pte reads the results of which, as edges of the nodes of
 * program/METHOD. Layer 3.
 *
 * A program's values are written and read by location in memory, and jumps join and repeat
 * instructions. So all writes are found first, and then the instructions are added in order: each
 * reads from the instructions whose writes of its arguments reach it. The results live in the
 * arena. The functions return false when out of memory.
 */
#ifndef ETR_LINKS_H
#define ETR_LINKS_H

#include "inputs/method.h"
#include "inputs/uses.h"

/** A producer of a node that is not among its inputs. */
typedef struct etr_other {
  uint32_t reader, write; /* write: index in the writes; ETR_NONE: `edge` is the producer */
  uint32_t input;         /* index of the input that it may replace; ETR_NONE */
  etr_edge edge;
} etr_other;

typedef struct etr_links {
  const etr_pte_method *program;
  etr_arena *arena, *scratch;
  etr_reaching reaching;
  etr_edge *written_as;  /* per write: the output of its node; node ETR_NONE: none */
  uint32_t *last_reader; /* per write: the last reader that has it among its others */
  etr_edge *at_start;    /* per value: the node of the input or source; node ETR_NONE: none */
  int32_t *known_since;  /* per value: the first instruction that reads or writes it; -1: it is an
                            input */
  int32_t *written_at;   /* per value: the last instruction so far that writes it; -1: none */
  int32_t *viewed; /* per value: the value whose location it was first read at, as a view of it; -1:
                      none */
  etr_storages storages;
  etr_uses uses;
  etr_vec(etr_use) followed; /* uses of the instruction added last that become edges */
  etr_vec(uint32_t) read_args, written_args; /* for the instruction added last: per input and per
                                                output of its node, the index of the argument */
  etr_vec(etr_write) all_reads;              /* value and reader */
  etr_vec(int32_t) sources; /* values that were read and that nothing wrote, each once */
  bool *is_source;          /* per value */
  etr_vec(int32_t) reads;   /* for the node added last: per input, the value; or, if it is read as a
                               view, -1 minus the value */
  etr_vec(etr_other) others; /* sorted by reader */
  bool misses_input;         /* the node added last reads a value that no node computes */
} etr_links;

/** Starts with no value written. The method must have a program. Returns false when out of memory.
 */
bool etr_links_init(etr_links *l, const etr_method_inputs *method, etr_arena *arena,
                    etr_arena *scratch);

/** Finds all writes, and the values that are read and that nothing writes (`sources`). The inputs
 * of the method must have been added. Returns false when out of memory. */
bool etr_links_find_writes(etr_links *l, const etr_method_inputs *method);

/** Makes node `node_index` the input of the method with this value. Returns false if there is no
 * such value, or when out of memory. */
bool etr_links_add_input(etr_links *l, etr_node *node, uint32_t node_index, int32_t index);

/** Makes node `node_index` a source, which nothing writes: a constant, or a buffer that keeps its
 * value between inferences. Returns false when out of memory. */
bool etr_links_add_source(etr_links *l, etr_node *node, uint32_t node_index, int32_t index);

/** Fills inputs and outputs of node `node_index`, which is the instruction `id`. Returns false when
 * out of memory. */
bool etr_links_add_instruction(etr_links *l, etr_node *node, uint32_t node_index, int32_t id);

/** Fills the inputs of node `node_index`, the output of the method, with the values that the method
 * returns. Returns false when out of memory. */
bool etr_links_add_method_results(etr_links *l, etr_node *node, uint32_t node_index);

/** Gives each node the other producers from which it may read because of jumps. All nodes must have
 * their outputs. Returns false when out of memory. */
bool etr_links_set_other_producers(const etr_links *l, etr_node *nodes);

/** Stores the shapes in which the node added last sees its inputs (etr_graph.views). Returns false
 * when out of memory. */
bool etr_links_find_views(etr_links *l, const etr_node *node, const etr_value **views);

#endif
