/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record_entry.h - what the entries of an ETRecord are, by their names. Layer 2.
 */
#ifndef ETR_RECORD_ENTRY_H
#define ETR_RECORD_ENTRY_H

#include "base/base.h"

#define ETR_IDENTIFIER_ENTRY "ETRECORD_V0"
#define ETR_EDGE_ENTRY "edge_dialect_exported_program"
#define ETR_ATEN_ENTRY "exported_program"
#define ETR_EARLY_ENTRY "et_dialect_graph_module" /* of 2023: the graph nearest to the program */

/** The entry in which `pack` keeps a program. ExecuTorch 1.5's parse_etrecord passes over unknown entries that end so.
 */
#define ETR_RECORD_PTE_ENTRY "program_buffer_constants"

typedef enum etr_entry_kind { /* bits: several kinds are read together, in the record's order */
                              ETR_ENTRY_UNKNOWN = 1 << 0,
                              ETR_ENTRY_IDENTIFIER = 1 << 1,
                              ETR_ENTRY_WEIGHTS = 1 << 2, /* and example inputs: siblings of a program */
                              ETR_ENTRY_EDGE_PROGRAM = 1 << 3,
                              ETR_ENTRY_OTHER_PROGRAM = 1 << 4,
                              ETR_ENTRY_HANDLE_MAP = 1 << 5,
                              ETR_ENTRY_DELEGATE_MAP = 1 << 6,
                              ETR_ENTRY_OUTPUT_COUNTS = 1 << 7,
                              ETR_ENTRY_GRAPH_ID = 1 << 8,
                              ETR_ENTRY_REFERENCE_OUTPUTS = 1 << 9,
                              ETR_ENTRY_REPRESENTATIVE_INPUTS = 1 << 10,
                              ETR_ENTRY_PTE = 1 << 11,
                              ETR_ENTRY_PROGRAM = ETR_ENTRY_EDGE_PROGRAM | ETR_ENTRY_OTHER_PROGRAM,
} etr_entry_kind;

/** What an entry is, in a record whose Edge programs are called `edge_entry` or `edge_entry`/METHOD. */
etr_entry_kind etr_entry_kind_of(const char *name, const char *edge_entry);

/** The siblings of a program: X_state_dict, X_constants, X_example_inputs. */
typedef enum etr_sibling { ETR_STATE_DICT, ETR_CONSTANTS, ETR_EXAMPLE_INPUTS, ETR_SIBLINGS } etr_sibling;

/** The end of a sibling's name: "_state_dict". */
extern const char *const etr_sibling_suffixes[ETR_SIBLINGS];

/** The program's part of a sibling's name, and which sibling it is; empty if it is none. */
etr_slice etr_entry_program(etr_slice name, etr_sibling *sibling);

/** The name of the one entry of this kind; NULL of kinds that have several. Static. */
const char *etr_entry_name(etr_entry_kind kind);

/** What is lost where a record has no entry of this kind; "" if nothing is. Static. */
const char *etr_entry_loss(etr_entry_kind kind);

/** True of names that ExecuTorch refuses for the modules of a user: they contain one of the record's own. */
bool etr_entry_is_reserved(const char *module);

#endif
