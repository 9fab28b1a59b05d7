/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opened_record.h - a record as it was read, before any ETDump is joined to it. Layer 3.
 */
#ifndef ETR_OPENED_RECORD_H
#define ETR_OPENED_RECORD_H

#include "base/file.h"
#include "inputs/method.h"
#include "join/cost.h"
#include "runs/blocks.h"

/** Payloads of the .pte and their memory. */
typedef struct etr_kept_payloads {
  etr_arena arena;
  etr_payloads payloads;
} etr_kept_payloads;

/** What the first join reads of the .pte and the next ones look up; NULL: nothing yet. Several
 * threads may use it. */
typedef struct etr_known_payloads {
  _Atomic(etr_kept_payloads *) first;
} etr_known_payloads;

/** Frees payloads. NULL is allowed. */
void etr_kept_payloads_free(etr_kept_payloads *kept);

/** What etr_open_record() read. Joining only reads it, so that several threads can join ETDumps at
 * once. */
struct etr_opened_record {
  etr_arena arena;
  etr_profile profile; /* the members that do not depend on ETDumps; the others are zero */
  bool edge_only;      /* from the options */
  unsigned without;    /* from the options */
  uint64_t max_file_bytes;
  etr_held_buffers *held; /* buffers that the record was read from; NULL: none */
  etr_budget budget;      /* what reading left of it: each profile starts with a copy */
  etr_warnings warnings;
  etr_record record;
  etr_pte pte;
  etr_vec(etr_method_inputs) methods; /* every method that the record, its Edge graphs or the .pte
                                         name, in this order; without payloads and budget */
  size_t edge_graph_count;
  etr_known_payloads *known_payloads;
  etr_kept *kept; /* see etr_method_inputs.kept */
};

/** What record.json says of a recording. */
typedef struct etr_record_facts {
  etr_vnni vnni;
  double recorded_at; /* in seconds since 1970; NaN: unknown */
  uint32_t threads;   /* 0: unknown */
  bool is_in_turns;   /* see etr_profile.is_in_turns */
  bool has_optimized; /* see etr_profile.has_optimized_kernels */
  etr_recorded_runs recorded;
} etr_record_facts;

/** Returns what record.json beside the ETDumps, or the ETRecord, says, with names in the arena. Of
 * the processor's instructions, those given come first. A file of that name that says nothing is
 * ignored, and what it says of runs, too, if ETDumps are in several folders. */
etr_record_facts etr_find_record_facts(const etr_inputs *inputs, const char *instructions,
                                       etr_arena *arena);

/** Finds out which kind of input each buffer in memory is that the caller put into `given`, as
 * etr_inputs_find() does for files. Clear *out with etr_inputs_clear(). Errors: those of
 * etr_inputs_find_all(). */
etr_status etr_inputs_of_buffers(etr_inputs *out, const etr_inputs *given, etr_error *error);

/** Returns true if etr_inputs_of_buffers() has to find what buffers are. */
static inline bool etr_inputs_have_new_buffers(const etr_inputs *inputs) {
  return inputs->buffer_count > 0 && !inputs->held;
}

#endif
