/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.h - reads a program that torch.export serialized into a graph. Layer 2. Format:
 * torch/_export/serde/schema.py, schema versions 5.3 and 5.4, and the older one of 2023 (version
 * 1).
 */
#ifndef ETR_PROGRAM_H
#define ETR_PROGRAM_H

#include "base/arena.h"
#include "base/budget.h"
#include "formats/json.h"
#include "inputs/regions.h"

/** Which parts of a program to read. */
typedef struct etr_program_scope {
  int64_t graph_id;  /* the record's export_graph_id, in which ancestors are searched; 0: they are
                        not searched */
  bool no_ancestors; /* leave etr_node.aten_node NULL */
  etr_region_nodes *regions; /* gets the nodes that come from regions of that graph; NULL: they are
                                not searched */
  bool no_sources;           /* skip stack traces, so that nodes have no source line */
  const char *source_root;   /* etr_options.source_root */
} etr_program_scope;

/** Why times cannot be joined to a changed graph (etr_graph.is_changed) by its debug handles, and
 * what to do. */
#define ETR_CHANGED_PROGRAM                                                                        \
  "to_executorch() changed this Edge program, so its debug handles belong to other nodes: export " \
  "again with generate_etrecord=True, or give generate_etrecord() a copy.deepcopy() of the Edge "  \
  "program that was made before to_executorch()"

/**
 * Reads one program document into *out: nodes, modules, subgraphs, dialect and schema_version;
 * module, method, entry and times are the caller's. `strings` interns every text, so that programs
 * of one record share them, and gives the arena that all lives in. Its nodes, including nested
 * graphs, are taken from the budget, which may be NULL.
 *
 * Errors: ETR_ERROR_FORMAT and ETR_ERROR_MEMORY, by the status only. The caller knows the file and
 * gets the offset and the reason from `json`.
 */
etr_status etr_program_read(etr_graph *out, etr_map *strings, etr_json *json,
                            etr_program_scope scope, etr_budget *budget);

#endif
