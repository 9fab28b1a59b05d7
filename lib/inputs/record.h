/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record.h - an ETRecord as it is in the file: graphs and maps, nothing joined. Layer 2.
 */
#ifndef ETR_RECORD_H
#define ETR_RECORD_H

#include "base/budget.h"
#include "base/warnings.h"
#include "inputs/maps.h"
#include "inputs/record_entry.h"

typedef struct etr_record {
  etr_graph *graphs; /* in the record's order; times are not filled */
  size_t graph_count;
  const etr_map_method *methods; /* of both maps, in the order of debug_handle_map */
  size_t method_count;
  bool has_handle_map, has_delegate_map; /* that could be read */
  bool has_handle_map_entry, has_delegate_map_entry;
  const char *const *unknown_entries;
  size_t unknown_entry_count;
  bool has_reference_outputs, has_representative_inputs;
  const char *export_graph_id; /* NULL if absent */
  const char *pte_entry; /* the entry that holds the .pte: ETR_RECORD_PTE_ENTRY, or `program_buffer` as in 2023; NULL if
                            none does */
} etr_record;

/** What a record may hold at most, and what of it is wanted. */
typedef struct etr_record_limits {
  etr_budget *budget; /* may be NULL */
  bool edge_only;     /* as in etr_options */
  bool no_sources;    /* as in etr_program_scope */
} etr_record_limits;

/** Which entries that answers need a record does not have: bits of etr_entry_kind. */
unsigned etr_record_missing(const etr_record *record);

/** Warns of those that times are joined by, and of what is lost with each. */
void etr_record_warn_of_missing(const etr_record *record, const char *path, etr_warnings *warnings);

/** The error of a file that is no ETRecord: ETR_ERROR_FORMAT. */
etr_status etr_record_fail_identity(const char *path, etr_error *error);

/**
 * Reads an ETRecord. Everything returned lives in the arena.
 * A program or map that is damaged is left out with a warning, as long as at least one graph remains.
 * Errors: ETR_ERROR_IO, ETR_ERROR_FORMAT (no zip, no ETRECORD_V0, neither a readable graph nor a .pte; the first
 * damaged entry's place is the one given; or the budget is used up), ETR_ERROR_MEMORY.
 */
etr_status etr_record_read(etr_record *out, etr_arena *arena, const char *path, const etr_record_limits *limits,
                           etr_warnings *warnings, etr_error *error);

#endif
