/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoded.h - reads the events of delegates whose backend has a decoder (decoder.h). Layer 3.
 */
#ifndef ETR_DECODED_H
#define ETR_DECODED_H

#include "backends/decoder.h"
#include "base/arena.h"
#include "join/placement.h"
#include "runs/blocks.h"

/* ---- Giving an event its node ---- */

/** A node, and how it was found. */
typedef struct etr_event_node {
  uint32_t node;
  etr_match match;
  double confidence;
} etr_event_node;

/** Attributes an event's time to a node of a graph and sets the event's handles to the node's;
 * handles from a delegate map are kept. Returns false when out of memory. */
bool etr_event_set_node(etr_event *event, const etr_graph *graph, etr_event_node found,
                        etr_arena *arena);

/** Events of one backend that do not have the form that it writes. */
typedef struct etr_odd_events {
  const etr_decoder *decoder;
  size_t count;
  const char *first; /* name of the first such event */
} etr_odd_events;

/** State shared by all delegates of a method while their events are read. The caller zeroes it and
 * sets the first two members. */
typedef struct etr_decoding {
  const etr_samples *samples; /* the samples of which those of the rows are parts */
  uint64_t ticks_left;        /* ticks that durations in coarser units may still take; at first
                                 ETR_DUMP_MOST_TICKS */
  etr_vec(etr_odd_events) odd;
} etr_decoding;

/** The rows of one delegate call in one block. */
typedef struct etr_decoded {
  const etr_placement *placement;
  const etr_placed *instruction;
  const etr_decoder *decoder;
  etr_event **rows;
  size_t count;
  double ticks_per_ns;
  etr_event_meaning *meanings; /* one for each row */
  const etr_own_graph
      *own; /* the graph in the payload of the .pte; NULL: there is none, or it cannot be read */
  etr_arena *arena; /* arena of the profile */
  etr_arena *scratch;
} etr_decoded;

/** Reads the rows with the decoder and sets role, phase, unit and related members of each. Returns
 * false when out of memory. */
bool etr_decoded_read(etr_decoded *decoded, etr_decoding *decoding);

/** Finds the operators of the payload that the rows are, and their nodes in the Edge graph, if
 * there is one: by name, or by the order of the delegate's own operators, which the payload or else
 * the rows list. Nodes from the delegate map are kept. A row without a node keeps its match, unless
 * the payload has its operator and there is no Edge graph. Returns false when out of memory. */
bool etr_decoded_join(etr_decoded *decoded);

/** Warns about odd events, once for each backend. */
void etr_decoding_warn(const etr_decoding *decoding, const char *method, etr_warnings *warnings);

#endif
