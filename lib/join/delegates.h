/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegates.h - finds the node of each event, in particular of operators inside delegates. Layer 3.
 */
#ifndef ETR_DELEGATES_H
#define ETR_DELEGATES_H

#include "join/decoded.h"
#include "join/placement.h"

/* ---- Which node each event of a method is ---- */

/**
 * Fills match, confidence, handles, nodes and backend of the events in the method's included blocks
 * from what the placement knows about their instructions. What the events point to lives in the
 * arena. Returns false when out of memory.
 */
bool etr_assign_event_nodes(const etr_placement *placement, uint32_t method,
                            const etr_blocks *blocks, etr_arena *arena, etr_warnings *warnings);

/** Limit on the operators of delegates that are compared with the rows of one method, over all
 * blocks. */
#define ETR_DELEGATE_PLANS ((size_t)1 << 21)

/** Limit on the steps of all searches for paths between the nodes of delegates of one method. */
#define ETR_DELEGATE_STEPS ((size_t)1 << 22)

/** State shared by all rows of a method's delegates. */
typedef struct etr_delegate_reading {
  size_t plans_left; /* initially ETR_DELEGATE_PLANS; each call subtracts the operators that the
                        delegate could run. When none are left, rows stay without a node. Only a
                        dump with thousands of runs, all different, gets there */
  size_t steps_left; /* initially ETR_DELEGATE_STEPS. When none are left, fewer nodes are certain */
  bool has_other_types; /* some event computed in another type than the payload says */
  double ticks_per_ns;
  const void *placement; /* stands for which delegate runs each node of the graph, among what is
                            kept for other ETDumps; found when first needed */
  etr_decoding decoding;
  etr_users users; /* users of the values of the method's graph; found when first needed */
} etr_delegate_reading;

/**
 * Finds the nodes of the rows of one delegate in one block. Rows [0, count) all have the
 * instruction's id, in order; the row of the call itself may be anywhere among them and is not
 * changed. The first of these sources that identifies a node is used:
 *   - the record's delegate map, ids looked up exactly: ETR_MATCH_DELEGATE_MAP;
 *   - the payload in the .pte: events are aligned with its operators, whose nodes data_flow.h
 * found: ETR_MATCH_PAYLOAD;
 *   - the operators that the backend is expected to make of the delegate's nodes, in their order:
 * ETR_MATCH_ORDER where only one node is possible, else ETR_MATCH_ALIGNED. Rows without a node are
 * marked as inserted if a lowering inserts such operators. Otherwise they get ETR_MATCH_NONE: they
 * may compute, so their time is unexplained. Sets handles, nodes, match and confidence, and
 * payload_operator if there is a .pte. Without an Edge graph it sets only payload_operator, match
 * and confidence, and rows without an operator keep their match. Returns false when out of memory.
 *
 * For a backend with a decoder (decoder.h) the decoder determines what the events are, which nodes
 * they have and which count in sums; rows without a node are the delegate's own work.
 */
bool etr_delegate_rows(const etr_placement *placement, const etr_placed *instruction,
                       etr_event *rows, size_t count, etr_delegate_reading *reading,
                       etr_arena *arena);

#endif
