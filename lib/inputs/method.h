/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method.h - the inputs that describe one method, and the nodes of its graph by debug handle.
 * Layer 2.
 */
#ifndef ETR_METHOD_H
#define ETR_METHOD_H

#include "backends/backends.h"
#include "base/arena.h"
#include "base/budget.h"
#include "base/kept.h"
#include "inputs/pte.h"
#include "inputs/record.h"

/* ---- Nodes by debug handle and kind, where the caller defines the kinds (operators, or a
 * backend's classes) ---- */

/** A node with its handle and kind. */
typedef struct etr_node_slot {
  uint32_t handle, kind, node;
} etr_node_slot;

/** An index of nodes. The caller fills the slots, then sorts them. */
typedef struct etr_node_index {
  etr_node_slot *slots; /* sorted by handle, kind, node after etr_node_index_sort() */
  size_t count;
} etr_node_index;

/** Sorts the slots of the index by handle, kind and node, for etr_node_index_find(). */
void etr_node_index_sort(etr_node_index *index);

/** Returns the index of the first slot with a handle and kind, and sets *count to the number of
 * such slots, which follow each other. */
size_t etr_node_index_find(const etr_node_index *index, uint32_t handle, uint32_t kind,
                           size_t *count);

/** A node and its debug handle. */
typedef struct etr_handle_node {
  uint32_t handle, node;
} etr_handle_node;

/** Whether all inferences of a method do the same work, by what the files say of its inputs. */
typedef enum etr_work_varies {
  ETR_WORK_IS_UNKNOWN,    /* there is neither a graph nor a program */
  ETR_WORK_IS_THE_SAME,   /* all shapes are static, and nothing branches on data */
  ETR_WORK_HAS_BRANCHES,  /* shapes are static, but it branches on data */
  ETR_WORK_FOLLOWS_INPUT, /* a shape is dynamic */
  ETR_WORK_OF_SEVERAL,    /* its runs may be of several methods */
} etr_work_varies;

/** The inputs that describe one method, before they are joined. */
typedef struct etr_method_inputs {
  const char *name;
  const etr_map_method *map;     /* NULL if the record's maps do not name it */
  const etr_graph *graph;        /* its Edge graph; NULL if there is none */
  const etr_pte_method *program; /* NULL without a .pte */
  etr_payloads *payloads;        /* payloads of the .pte, for all methods; NULL without a .pte */
  etr_budget *budget;            /* budget of the profile; may be NULL */
  etr_kept *kept;                /* what is the same in all ETDumps of the record that are placed
                                    alike; NULL: only one is joined */
  uint32_t *uses;                /* per node of the graph: how often its results are used */
  const etr_handle_node
      *by_handle; /* operators of the graph, without delegate calls, sorted by handle, then index.
                     Of a changed graph (etr_graph.is_changed) only those in delegates' modules: the
                     others have handles of other nodes */
  size_t by_handle_count;
  etr_work_varies varies;
  uint64_t macs; /* multiply-accumulates of one inference; ETR_UNKNOWN if they do not follow from
                    shapes. Symbolic sizes count as their examples */
  etr_map operators; /* normalized operator -> number; those of a changed graph, too */
  etr_node_index
      by_operator; /* the same nodes, sorted by handle and the number of their operator */
} etr_method_inputs;

/** Returns the name of the method for messages, which say if it is unknown. */
static inline const char *etr_method_label(const etr_method_inputs *method) {
  return method->name && method->name[0] ? method->name : "method not known";
}

/** Returns the debug handle of a node as the record's maps mean it; 0 if it has none. In a changed
 * graph (etr_graph.is_changed) only nodes in delegates' modules have one. */
uint32_t etr_debug_handle_of(const etr_graph *graph, const etr_node *node);

/** Fills uses, by_handle, operators and by_operator from the graph, in the arena. Does nothing
 * without a graph. Returns false when out of memory. */
bool etr_method_index_nodes(etr_method_inputs *method, etr_arena *arena);

/** Returns whether all inferences of a method do the same work, by its graph and its program:
 * whether their work depends on sizes of the input, on branches, or on neither. */
etr_work_varies etr_method_work_varies(const etr_method_inputs *method);

/** Returns the index in by_handle of the first node of a handle, or of the next larger handle if it
 * has no node. */
size_t etr_method_first_of_handle(const etr_method_inputs *method, uint32_t handle);

/** Returns whether several nodes have the handle. */
bool etr_method_shares_handle(const etr_method_inputs *method, uint32_t handle);

/**
 * Returns the first node of a handle that is not taken; ETR_NONE if none is left. `skip` has
 * by_handle_count entries, initially 0, in which the function keeps the number of taken nodes of
 * each handle.
 */
uint32_t etr_method_next_free(const etr_method_inputs *method, const bool *is_taken, size_t *skip,
                              uint32_t handle);

/** Returns for each node of a graph how often its results are used. Returns NULL when out of
 * memory. */
uint32_t *etr_count_uses(const etr_graph *graph, etr_arena *arena);

/** Returns the bytes that the .pte passes to the delegate of an instruction; empty without a .pte.
 */
etr_slice etr_method_payload(const etr_method_inputs *method, int32_t instruction_id);

/** Returns the backend graph in the payload of the delegate of an instruction; NULL if none can be
 * read, or when out of memory (the payloads' arena failed). */
const etr_own_graph *etr_method_own_graph(const etr_method_inputs *method, int32_t instruction_id);

/** Returns why an Edge graph and the program of its method are not of one export: one of them alone
 * has quantized numbers. NULL if not, or if a payload cannot be read. Static. */
const char *etr_program_unlike(const etr_graph *graph, const etr_pte_method *program,
                               etr_arena *arena);

/** Returns which operators of an Edge graph surely are in no kernel and no delegate of its program;
 * NULL if there are none, or when out of memory. */
const char *etr_program_lacks(const etr_graph *graph, const etr_pte_method *program,
                              etr_arena *arena);

/** Warns about payloads that could not be read, once for each backend, and once about the delegates
 * whose operators are not shown (payloads->hidden is their number), because they share large
 * payloads with others. */
void etr_payloads_warn(const etr_payloads *payloads, const char *path, etr_warnings *warnings);

#endif
