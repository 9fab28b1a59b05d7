/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method.h - what the inputs say of one method, and its graph's nodes by debug handle. Layer 3.
 */
#ifndef ETR_METHOD_H
#define ETR_METHOD_H

#include "backends/backends.h"
#include "base/arena.h"
#include "base/budget.h"
#include "inputs/pte.h"
#include "inputs/record.h"

/* ---- Nodes by debug handle and kind: what a kind is, is the caller's (an operator, a backend's class) ---- */

/** A node with its handle and kind. */
typedef struct etr_node_slot {
  uint32_t handle, kind, node;
} etr_node_slot;

/** The caller fills the slots, then sorts. */
typedef struct etr_node_index {
  etr_node_slot *slots; /* sorted by handle, kind, node, once etr_node_index_sort() was called */
  size_t count;
} etr_node_index;

/** Sorts what was put into it. */
void etr_node_index_sort(etr_node_index *index);

/** Place of the first node of a handle and kind; *count of them stand there. */
size_t etr_node_index_find(const etr_node_index *index, uint32_t handle, uint32_t kind, size_t *count);

/** The first slot of a handle and kind whose node is not before `node`; NULL if there is none. */
const etr_node_slot *etr_node_index_next(const etr_node_index *index, uint32_t handle, uint32_t kind, uint32_t node);

/** A node and its debug handle. */
typedef struct etr_handle_node {
  uint32_t handle, node;
} etr_handle_node;

/** What is known of one method before anything is joined. */
typedef struct etr_method_inputs {
  const char *name;
  const etr_map_method *map;        /* NULL if the record's maps do not name it */
  const etr_graph *graph;           /* its Edge graph; NULL if there is none */
  const etr_pte_method *program;    /* NULL without a .pte */
  etr_payloads *payloads;           /* of the .pte: of all methods. NULL without one */
  etr_budget *budget;               /* of the profile; may be NULL */
  uint32_t *uses;                   /* per node of the graph: how often its results are used */
  const etr_handle_node *by_handle; /* operators of the graph by handle, then index; no calls of delegates */
  size_t by_handle_count;
  etr_map operators;          /* normalised operator -> number */
  etr_node_index by_operator; /* the same nodes by handle and number of their operator */
} etr_method_inputs;

/** What messages call the method: its name, or that it is not known. */
static inline const char *etr_method_label(const etr_method_inputs *method) {
  return method->name && method->name[0] ? method->name : "method not known";
}

/** Fills what follows from the graph alone: uses, by_handle, operators and by_operator. They live in the arena. Without
 * a graph there is nothing to fill. False: out of memory. */
bool etr_method_index_nodes(etr_method_inputs *method, etr_arena *arena);

/** Index in by_handle of the first node of a handle, or of the next handle's where it has none. */
size_t etr_method_first_of_handle(const etr_method_inputs *method, uint32_t handle);

/** Whether several nodes have the handle. */
bool etr_method_shares_handle(const etr_method_inputs *method, uint32_t handle);

/**
 * The first node of a handle that is not taken; ETR_NONE if none is left. skip: by_handle_count entries, at first 0, in
 * which it remembers how many of a handle's nodes are taken.
 */
uint32_t etr_method_next_free(const etr_method_inputs *method, const bool *taken, size_t *skip, uint32_t handle);

/** Per node of a graph, how often its results are used. NULL when out of memory. */
uint32_t *etr_count_uses(const etr_graph *graph, etr_arena *arena);

/** What the .pte gives the delegate of an instruction; empty without one. */
etr_slice etr_method_payload(const etr_method_inputs *method, int32_t instruction_id);

/** The graph in there; NULL if none can be read, or when out of memory (the payloads' arena failed). */
const etr_own_graph *etr_method_own_graph(const etr_method_inputs *method, int32_t instruction_id);

/** Warns of payloads that could not be read, once for each backend, and of graphs that are not shown. */
void etr_payloads_warn(const etr_payloads *payloads, const char *path, etr_warnings *warnings);

#endif
