/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logged.h - tensors that a run logged, and how far they are from those of a reference. Layer 4.
 */
#ifndef ETR_LOGGED_H
#define ETR_LOGGED_H

#include "output/fields.h"
#include "output/table.h"

/* ---- Values that the program logged ---- */

/* intermediate outputs of operators and delegates, and the outputs of runs, as the ETDump and its debug buffer have
 * them. Tables and documents show one row for the same value of all runs, and the values of each event. */

/** The same value (method, instruction, delegate id, index) in all runs that logged it. */
typedef struct etr_logged {
  const etr_debug_value *value; /* of the first of these runs */
  size_t run_count;
  bool varies;            /* in another run it had another type or shape */
  bool is_measured;       /* there are statistics */
  etr_tensor_stats stats; /* over the elements of all runs; a scalar is a tensor of one element */
} etr_logged;

typedef struct etr_logged_list {
  etr_logged *rows;
  size_t count;
} etr_logged_list;

/** All values, in the order in which they were first logged. False: out of memory. */
bool etr_logged_merge(etr_logged_list *out, etr_arena *arena, const etr_profile *profile);

/** The rows of one graph's nodes, sorted by node; a node's are those from etr_logged_first_of() on. */
typedef struct etr_logged_nodes {
  const etr_logged **rows;
  size_t count;
} etr_logged_nodes;

bool etr_logged_of_graph(etr_logged_nodes *out, etr_arena *arena, const etr_logged_list *list,
                         const etr_profile *profile, const etr_graph *graph);
size_t etr_logged_first_of(const etr_logged_nodes *nodes, uint32_t node);

/** Values of each event's row: chains through the profile's debug_values. */
typedef struct etr_logged_rows {
  etr_map first;  /* of block, instruction and delegate id -> value */
  uint32_t *next; /* of each value; ETR_NONE at the end */
} etr_logged_rows;

bool etr_logged_index_rows(etr_logged_rows *out, etr_arena *arena, const etr_profile *profile);
/** The first value that an event of a block logged, or (event NULL) that its runs returned; ETR_NONE. */
uint32_t etr_logged_first(const etr_logged_rows *rows, const etr_profile *profile, const etr_block *block,
                          const etr_event *event);

/** "output", "argument" or "result". Static. */
const char *etr_logged_role(const etr_debug_value *value);

/** The graph that its node is in; NULL if there is none. */
const etr_graph *etr_logged_graph(const etr_profile *profile, const etr_debug_value *value);

/** "aten_add_tensor", "aten_split_copy #1", "XnnpackBackend, argument 3", "output 0". */
const char *etr_logged_origin(etr_arena *arena, const etr_profile *profile, const etr_debug_value *value);

/** A name, and which of several values of that name it is, if it is not the first: "aten_split_copy #1". */
const char *etr_logged_numbered(etr_arena *arena, const etr_profile *profile, const etr_debug_value *value,
                                const char *name);

/** "f32[2,4]", "int". */
const char *etr_logged_type(etr_arena *arena, const etr_debug_value *value);

/** Writes the keys of a value: index, role, node, output, kind, dtype, shape, value, and its statistics (NULL: nulls).
 */
void etr_field_logged(const etr_fields *fields, etr_arena *arena, const etr_debug_value *value,
                      const etr_tensor_stats *stats);

/* ---- What a method returned beside the record's reference outputs ---- */

/** Writes a section of a text: for each output the run that is furthest from its reference. Nothing if none was
 * compared. */
void etr_put_output_gaps(etr_answer *answer, uint32_t method);

/** Writes the key output_gaps: a list of all runs' outputs. */
void etr_field_output_gaps(const etr_fields *fields, uint32_t method);

/** Writes the keys of a gap: mse, l1, max_abs_error, snr_db, elements, left_out, unlike. NULL: nulls. */
void etr_field_gap(const etr_fields *fields, const etr_numeric_gap *gap);

enum { ETR_GAP_DIGITS = 4 }; /* of errors, for people */

/** The signal-to-noise ratio for people: "equal" where nothing differs, or how many NaN or infinities differ. gap may
 * be NULL: not known. */
etr_cell etr_gap_snr(etr_arena *arena, const etr_numeric_gap *gap);

#endif
