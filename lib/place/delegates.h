/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegates.h - which node each operator inside a delegate is. Layer 3.
 */
#ifndef ETR_DELEGATES_H
#define ETR_DELEGATES_H

#include "place/decoded.h"
#include "place/placement.h"

/* ---- Which node each event of a method is ---- */

/**
 * Fills match, confidence, handles, nodes and backend of the events of the method's blocks that count, from what the
 * join knows of their instructions. What they lend lives in the arena. False: out of memory.
 */
bool etr_find_event_nodes(const etr_placement *placement, uint32_t method, const etr_blocks *blocks, etr_arena *arena,
                          etr_warnings *warnings);

/** So many operators of delegates are looked at for the rows of one method, in all blocks. */
#define ETR_DELEGATE_PLANS ((size_t)1 << 21)

/** What is kept over all rows of a method's delegates. */
typedef struct etr_delegate_reading {
  size_t plans_left; /* at first ETR_DELEGATE_PLANS; each call takes off what the delegate could run. Where it is spent,
                        rows are as those that nothing can tell: only a dump whose runs are thousands, all different,
                        gets there */
  double ticks_per_ns;
  etr_decoding decoding;
  etr_users users; /* of the method's graph; found when first needed */
} etr_delegate_reading;

/**
 * Gives the rows of one delegate in one block their nodes: rows [0, count) all have the instruction's id, in order; the
 * call itself may stand anywhere among them, and is left as it is. In this order, whatever can tell:
 *   - the record's delegate map, ids looked up exactly: ETR_MATCH_DELEGATE_MAP;
 *   - the payload in the .pte: events and its operators walked together, each operator's node as the data flow told:
 * ETR_MATCH_PAYLOAD;
 *   - what the backend is expected to make of the delegate's nodes, in their order: ETR_MATCH_ALIGNED.
 * Rows without a node are marked as inserted if a lowering inserts such operators, else they get ETR_MATCH_NONE: they
 * may compute, so that their time is unexplained. Sets handles, nodes, match and confidence, and with a .pte
 * payload_operator: without an Edge graph this, match and confidence alone, and what has no operator keeps its match.
 * False: out of memory.
 *
 * A backend with a decoder (decoder.h) says itself what leads from its events to nodes, what they are and what is in
 * sums; those without a node are the delegate's own.
 */
bool etr_delegate_rows(const etr_placement *placement, const etr_placed *instruction, etr_event *rows, size_t count,
                       etr_delegate_reading *reading, etr_arena *arena);

#endif
