/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record.h - reads the graphs and maps of an ETRecord, without joining anything. Layer 2.
 */
#ifndef ETR_RECORD_H
#define ETR_RECORD_H

#include "base/budget.h"
#include "base/warnings.h"
#include "inputs/maps.h"

/* ---- What the entries of an ETRecord are, by their names ---- */

#define ETR_IDENTIFIER_ENTRY "ETRECORD_V0"
#define ETR_EDGE_ENTRY "edge_dialect_exported_program"
#define ETR_TRANSFORMED_ENTRY "edge_after_transform" /* the same after `transform_passes` */
#define ETR_ATEN_ENTRY "exported_program"
#define ETR_EARLY_ENTRY                                                                            \
  "et_dialect_graph_module" /* in records of 2023: the graph nearest to the program */

/** The entry in which `pack` stores a program. ExecuTorch 1.5's parse_etrecord() skips unknown
 * entries with this ending.
 */
#define ETR_RECORD_PTE_ENTRY "program_buffer_constants"

typedef enum etr_entry_kind { /* bits, so that several kinds can be read together, in the record's
                                 order */
                              ETR_ENTRY_UNKNOWN = 1 << 0,
                              ETR_ENTRY_IDENTIFIER = 1 << 1,
                              ETR_ENTRY_WEIGHTS = 1 << 2, /* weights, constants and example inputs:
                                                             siblings of a program */
                              ETR_ENTRY_EDGE_PROGRAM = 1 << 3,
                              ETR_ENTRY_OTHER_PROGRAM = 1 << 4,
                              ETR_ENTRY_HANDLE_MAP = 1 << 5,
                              ETR_ENTRY_DELEGATE_MAP = 1 << 6,
                              ETR_ENTRY_OUTPUT_COUNTS = 1 << 7,
                              ETR_ENTRY_GRAPH_ID = 1 << 8,
                              ETR_ENTRY_REFERENCE_OUTPUTS = 1 << 9,
                              ETR_ENTRY_REPRESENTATIVE_INPUTS = 1 << 10,
                              ETR_ENTRY_PTE = 1 << 11,
                              ETR_ENTRY_DELEGATE_INFO = 1 << 12, /* what backends say of their
                                                                    delegates; seldom there */
                              ETR_ENTRY_PROGRAM = ETR_ENTRY_EDGE_PROGRAM | ETR_ENTRY_OTHER_PROGRAM,
} etr_entry_kind;

/** Returns the kind of an entry, in a record whose Edge programs are called `edge_entry` or
 * `edge_entry`/METHOD. */
etr_entry_kind etr_entry_kind_of(const char *name, const char *edge_entry);

/** The siblings of a program X: X_state_dict, X_constants, X_example_inputs. */
typedef enum etr_sibling {
  ETR_STATE_DICT,
  ETR_CONSTANTS,
  ETR_EXAMPLE_INPUTS,
  ETR_SIBLINGS
} etr_sibling;

/** The endings of siblings' names: "_state_dict". */
extern const char *const etr_sibling_suffixes[ETR_SIBLINGS];

/** Returns the name of the program that a sibling belongs to, and sets *sibling to its kind. Empty
 * if the entry is not a sibling. */
etr_slice etr_entry_program(etr_slice name, etr_sibling *sibling);

/** Returns the name of the only entry of this kind; NULL for kinds with several entries. Static. */
const char *etr_entry_name(etr_entry_kind kind);

/** Returns what is lost if a record has no entry of this kind; "" if nothing is lost. Static. */
const char *etr_entry_loss(etr_entry_kind kind);

/** Returns true for names of modules that ExecuTorch refuses, because they contain the name of a
 * fixed entry. */
bool etr_entry_is_reserved(const char *module);

typedef struct etr_record {
  etr_graph *graphs; /* in the record's order; times are not filled */
  size_t graph_count;
  const etr_map_method *methods; /* methods of both maps, in the order of debug_handle_map */
  size_t method_count;
  bool has_handle_map, has_delegate_map; /* the map is there and could be read */
  bool has_handle_map_entry, has_delegate_map_entry;
  const char *const *unknown_entries;
  size_t unknown_entry_count;
  bool has_reference_outputs, has_representative_inputs;
  const char *export_graph_id; /* NULL if absent */
  const char *pte_entry; /* entry that contains the .pte: ETR_RECORD_PTE_ENTRY, or `program_buffer`
                            in records of 2023; NULL if there is none */
} etr_record;

/** How much of a record is read at most, and which parts. */
typedef struct etr_record_limits {
  etr_budget *budget; /* may be NULL */
  bool edge_only;     /* as in etr_options */
  bool no_sources;    /* as in etr_program_scope */
  const char *source_root;
} etr_record_limits;

/** Returns the entries that answers need and that the record does not have, as bits of
 * etr_entry_kind. */
unsigned etr_record_missing(const etr_record *record);

/** Warns of missing entries by which times are joined, and says what is lost with each. */
void etr_record_warn_of_missing(const etr_record *record, const char *path, etr_warnings *warnings);

/** Fills the error for a file that is not an ETRecord, and returns ETR_ERROR_FORMAT. */
etr_status etr_record_fail_identity(const char *path, etr_error *error);

/**
 * Reads an ETRecord. Everything that is returned lives in the arena. A damaged program or map is
 * left out with a warning, as long as at least one graph remains. Errors: ETR_ERROR_IO;
 * ETR_ERROR_FORMAT (not a zip, no ETRECORD_V0, neither a readable graph nor a .pte, or the budget
 * is used up; the error names the first damaged entry); ETR_ERROR_MEMORY.
 */
etr_status etr_record_read(etr_record *out, etr_arena *arena, const char *path,
                           const etr_record_limits *limits, etr_warnings *warnings,
                           etr_error *error);

#endif
