/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record.h - an ETRecord as it is in the file: graphs and maps, nothing joined. Layer 2.
 */
#ifndef ETR_RECORD_H
#define ETR_RECORD_H

#include "arena.h"

/** What debug_handle_map and delegate_map say about one instruction. */
typedef struct etr_map_instruction {
  int32_t id;
  const uint32_t *handles; /* debug_handle_map: duplicates kept */
  size_t handle_count;
  bool is_delegate;                      /* delegate_map has it */
  const char *backend;                   /* delegate_map's "name"; NULL if it is no delegate */
  const struct etr_map_delegate_id *ids; /* delegate_map's ids, in the file's order */
  size_t id_count;
} etr_map_instruction;

typedef struct etr_map_delegate_id {
  const char *id;
  const uint32_t *handles;
  size_t handle_count;
} etr_map_delegate_id;

typedef struct etr_map_method {
  const char *name;
  const etr_map_instruction *instructions; /* by ascending id */
  size_t instruction_count;
} etr_map_method;

typedef struct etr_record {
  etr_graph *graphs; /* in the record's order; times are not filled */
  size_t graph_count;
  const etr_map_method *methods; /* of both maps, in the order of debug_handle_map */
  size_t method_count;
  bool has_handle_map, has_delegate_map;
  const char *const *unknown_entries;
  size_t unknown_entry_count;
  bool has_reference_outputs, has_representative_inputs;
  const char *export_graph_id; /* NULL if absent */
} etr_record;

/** What a record may hold at most, and what of it is wanted. */
typedef struct etr_record_limits {
  uint64_t entry_bytes; /* of one entry, decompressed */
  uint32_t nodes;       /* of one graph */
  bool edge_only;       /* as in etr_options */
} etr_record_limits;

/** Collects warnings into the arena; the profile takes them over. */
typedef struct etr_warnings {
  etr_arena *arena;
  etr_vec(etr_warning) list;
} etr_warnings;

void etr_warn(etr_warnings *warnings, const char *file, const char *entry, uint64_t offset, const char *format, ...) ETR_PRINTF(5, 6);

/**
 * Reads an ETRecord. Everything returned lives in the arena.
 * A program or map that is damaged is left out with a warning, as long as at least one graph remains.
 * Errors: ETR_ERROR_IO, ETR_ERROR_FORMAT (no zip, no ETRECORD_V0, no readable graph; the first damaged entry's place is the one given),
 * ETR_ERROR_MEMORY.
 */
etr_status etr_record_read(etr_record *out, etr_arena *arena, const char *path, const etr_record_limits *limits, etr_warnings *warnings,
                           etr_error *error);

#endif
