/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logged.h - tensors that runs logged, and how far outputs are from the record's reference.
 * Layer 4.
 */
#ifndef ETR_LOGGED_H
#define ETR_LOGGED_H

#include "output/fields.h"
#include "output/table.h"

/* ---- Values that the program logged ---- */

/* An ETDump and its debug buffer contain intermediate outputs of operators and delegates, and the
 * outputs of runs. Tables and documents show each value once for all runs, and the values of each
 * event. */

/** The same value (method, instruction, delegate id, index) in all runs that logged it. */
typedef struct etr_logged {
  const etr_debug_value *value; /* its value in the first of these runs */
  size_t run_count;
  bool varies;      /* true if its type or shape differs between runs */
  bool is_measured; /* true if `stats` is known */
  etr_tensor_stats
      stats; /* statistics over the elements of all runs; a scalar is a tensor of one element */
} etr_logged;

typedef struct etr_logged_list {
  etr_logged *rows;
  size_t count;
} etr_logged_list;

/** Lists all values, each once for all runs that logged it and with statistics over these, in the
 * order in which they were first logged. Returns false when out of memory. */
bool etr_logged_merge(etr_logged_list *out, etr_arena *arena, const etr_profile *profile);

/** The rows of one graph's nodes, sorted by node. The rows of a node start at
 * etr_logged_first_of(). */
typedef struct etr_logged_nodes {
  const etr_logged **rows;
  size_t count;
} etr_logged_nodes;

bool etr_logged_of_graph(etr_logged_nodes *out, etr_arena *arena, const etr_logged_list *list,
                         const etr_profile *profile, const etr_graph *graph);
size_t etr_logged_first_of(const etr_logged_nodes *nodes, uint32_t node);

/** The values of each event's row, as chains through the profile's debug_values. */
typedef struct etr_logged_rows {
  etr_map first;  /* block, instruction and delegate id -> first value */
  uint32_t *next; /* per value: the next value of the chain; ETR_NONE at the end */
} etr_logged_rows;

bool etr_logged_index_rows(etr_logged_rows *out, etr_arena *arena, const etr_profile *profile);
/** Returns the index in the profile's debug_values of the first value that an event of a block
 * logged, or that the runs of the block returned if `event` is NULL; ETR_NONE if there is none. An
 * event without an instruction logs none: -1 stands for what runs returned. */
uint32_t etr_logged_first(const etr_logged_rows *rows, const etr_profile *profile,
                          const etr_block *block, const etr_event *event);

/** Returns "output", "argument" or "result". Static. */
const char *etr_logged_role(const etr_debug_value *value);

/** Returns the graph of the value's node; NULL if it has no node. */
const etr_graph *etr_logged_graph(const etr_profile *profile, const etr_debug_value *value);

/** Returns the origin of a value for people: "aten_add_tensor", "aten_split_copy #1",
 * "XnnpackBackend, argument 3", "output 0". */
const char *etr_logged_origin(etr_arena *arena, const etr_profile *profile,
                              const etr_debug_value *value);

/** Returns a name and, unless its number is 0, the number: "aten_split_copy #1". Of a value that a
 * delegate's call logged, the number is that of the node's output; of others it is the index among
 * the values of the same event. NULL when out of memory. */
const char *etr_logged_numbered(etr_arena *arena, const etr_profile *profile,
                                const etr_debug_value *value, const char *name);

/** Returns the type of a value: "f32[2,4]", "int". */
const char *etr_logged_type(etr_arena *arena, const etr_debug_value *value);

/** Writes the keys of a value: index, role, node, output, kind, dtype, shape, value, and its
 * statistics, which are null if `stats` is NULL. node is the one that computed the value or, if
 * that is not known, the one that logged it. */
void etr_field_logged(const etr_fields *fields, etr_arena *arena, const etr_debug_value *value,
                      const etr_tensor_stats *stats);

/* ---- What a method returned beside the record's reference outputs ---- */

/** Writes a section of a text, a table with a row for each output: of all runs the one that is
 * furthest from its reference. All rows are shown, whatever the options say. Writes nothing if no
 * output was compared. */
void etr_put_output_gaps(etr_answer *answer, uint32_t method);

/** Writes the key output_gaps: a list of the outputs of all runs of a method, with the gap of each
 * from its reference, or the problem why it was not compared. */
void etr_field_output_gaps(const etr_fields *fields, uint32_t method);

/** Writes the keys of a gap: mse, l1, max_abs_error, snr_db, elements, left_out, unlike. They are
 * null if `gap` is NULL. */
void etr_field_gap(const etr_fields *fields, const etr_numeric_gap *gap);

enum { ETR_GAP_DIGITS = 4 }; /* significant digits of errors, for people */

/** Returns the signal-to-noise ratio, in dB, for people: "equal" if nothing differs, "reference is
 * 0" if there is no signal, or the number of NaN or infinities that differ, "3 NaN/inf". An empty
 * cell if `gap` is NULL: it is not known. */
etr_cell etr_gap_snr(etr_arena *arena, const etr_numeric_gap *gap);

#endif
