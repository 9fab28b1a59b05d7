/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.h - a program as torch.export serializes it, read into a graph. Layer 2.
 * Format: torch/_export/serde/schema.py, schema versions 5.3 and 5.4, and the older one of 2023 (version 1).
 */
#ifndef ETR_PROGRAM_H
#define ETR_PROGRAM_H

#include "base/arena.h"
#include "base/budget.h"
#include "formats/json.h"

/** What of a program is wanted. */
typedef struct etr_program_scope {
  int64_t graph_id; /* the record's export_graph_id, in which ancestors are looked for; 0: in none */
  bool no_sources;  /* nodes have no source line: stack traces are passed over */
} etr_program_scope;

/**
 * Reads one program document into *out: nodes, modules, subgraphs, dialect and schema_version; module, method, entry
 * and times are the caller's. `strings` interns every text, so that programs of one record share them, and gives the
 * arena that all lives in. Its nodes, nested graphs included, are taken from the budget, which may be NULL.
 *
 * ETR_ERROR_FORMAT and ETR_ERROR_MEMORY are told by the status alone: the caller knows the file and asks `json` for
 * place and reason.
 */
etr_status etr_program_read(etr_graph *out, etr_map *strings, etr_json *json, etr_program_scope scope,
                            etr_budget *budget);

#endif
