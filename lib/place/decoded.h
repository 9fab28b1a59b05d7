/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoded.h - events of a delegate whose backend says what they mean (decoder.h). Layer 3.
 */
#ifndef ETR_DECODED_H
#define ETR_DECODED_H

#include "backends/decoder.h"
#include "base/arena.h"
#include "place/placement.h"

/* ---- Giving an event its node ---- */

/** A node, and how it was found. */
typedef struct etr_event_node {
  uint32_t node;
  etr_match match;
  double confidence;
} etr_event_node;

/** Makes an event's time that of a node of a graph, and its handles the node's; those of a delegate map stay. False:
 * out of memory. */
bool etr_event_set_node(etr_event *event, const etr_graph *graph, etr_event_node found, etr_arena *arena);

/** Events of one backend that are not what it writes. */
typedef struct etr_odd_events {
  const etr_decoder *decoder;
  size_t count;
  const char *first;
} etr_odd_events;

/** What is kept over all delegates of a method while their events are read. Zeroed but for ticks_left. */
typedef struct etr_decoding {
  uint64_t ticks_left; /* that durations in larger steps than ticks may take: at first ETR_DUMP_MOST_TICKS */
  etr_vec(etr_odd_events) odd;
} etr_decoding;

/** The rows of one delegate's call in one block. */
typedef struct etr_decoded {
  const etr_placement *placement;
  const etr_placed *instruction;
  const etr_decoder *decoder;
  etr_event **rows;
  size_t count;
  double ticks_per_ns;
  etr_event_meaning *meanings; /* of each row */
  const etr_own_graph *own;    /* of the payload in the .pte; NULL: there is none, or none that can be read */
  etr_arena *arena;            /* of the profile */
  etr_arena *scratch;
} etr_decoded;

/** Has the decoder read the rows, and gives each its role, phase, measure and what goes with them. False: out of
 * memory. */
bool etr_decoded_read(etr_decoded *decoded, etr_decoding *decoding);

/** Tells which operators of the payload rows are, and gives them their nodes of the Edge graph, if there is one: by
 * name, or by the order of the delegate's own operators, which the payload has, or else rows name; those of the
 * delegate map are left. A row without a node keeps its match, unless the payload has its operator and there is no Edge
 * graph. False: out of memory. */
bool etr_decoded_join(etr_decoded *decoded);

/** Warns of odd events, once for each backend. */
void etr_decoding_warn(const etr_decoding *decoding, const char *method, etr_warnings *warnings);

#endif
