/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opened_record.h - a record as it was read, before any ETDump is joined to it. Layer 3.
 */
#ifndef ETR_OPENED_RECORD_H
#define ETR_OPENED_RECORD_H

#include "base/file.h"
#include "inputs/method.h"
#include "join/cost.h"

/** What etr_open_record() read. Joining only reads it, so that several threads can join ETDumps at
 * once. */
struct etr_opened_record {
  etr_arena arena;
  etr_profile profile; /* the members that do not depend on ETDumps; the others are zero */
  bool edge_only;      /* from the options */
  unsigned without;    /* from the options */
  uint64_t max_file_bytes;
  etr_budget budget; /* what reading left of it: each profile starts with a copy */
  etr_warnings warnings;
  etr_record record;
  etr_pte pte;
  etr_vec(etr_method_inputs) methods; /* every method that the record, its Edge graphs or the .pte
                                         name, in this order; without payloads and budget */
  size_t edge_graph_count;
  etr_known_costs *known_costs; /* of each graph of the record; joining adds to it */
};

/** Returns true if the processor on which the inputs were recorded has AVX-512 VNNI: by the
 * instructions given, or else by those of record.json beside the ETDump, or the ETRecord. A file of
 * that name that says nothing of it is ignored. */
bool etr_has_vnni(const etr_inputs *inputs, const char *instructions);

#endif
