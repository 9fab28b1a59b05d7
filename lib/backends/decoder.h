/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoder.h - what the events of one backend mean, behind one interface. Layer 2.
 *
 * The format says of an event inside a delegate neither its unit nor its clock, nor whether it is an operator or wraps
 * others. Only its backend knows. A new one is one file that fills an etr_decoder, and one row in backends.c; nothing
 * else names a backend. Without a decoder every event is an operator that took time.
 */
#ifndef ETR_DECODER_H
#define ETR_DECODER_H

#include "backends/own_graph.h"

/** What the files tell of an event. */
typedef struct etr_event_facts {
  const char *name;          /* its id, or its name where it has none */
  bool is_number;            /* the file holds its id as a number */
  bool is_listed;            /* the delegate map has the id */
  size_t handle_count;       /* of the delegate map */
  const etr_bytes *metadata; /* of each occurrence */
  size_t metadata_count;     /* 0: it has none */
} etr_event_facts;

/** What leads from an event to its node. */
typedef enum etr_event_key {
  ETR_KEY_NONE,     /* nothing: it is of no node */
  ETR_KEY_MAP,      /* the delegate map, by its id */
  ETR_KEY_NODE,     /* the node's name */
  ETR_KEY_OPERATOR, /* an operator of the delegate's own graph */
} etr_event_key;

/** What an event means. Zeroed but for role and is_in_sums, which are those of an operator that took time. */
typedef struct etr_event_meaning {
  etr_event_role role;
  etr_phase phase;
  etr_event_unit unit;
  bool is_in_sums, is_estimated, has_no_place; /* as in etr_event */
  etr_compute_unit compute_unit;               /* likewise */
  bool is_unit_planned;                        /* likewise */
  bool is_odd;                                 /* not what the backend writes: it stays unjoined, with a warning */
  uint8_t wrapper, inside;                     /* likewise as in etr_event; at most ETR_MOST_WRAPPERS */
  etr_phase wrapper_phase;
  uint32_t step_ns; /* what one step of its durations is, in ns; 0: a tick */
  etr_event_key key;
  etr_slice node;        /* of ETR_KEY_NODE; lent from the facts */
  const char *operator_; /* of ETR_KEY_OPERATOR, in the scratch arena: what the delegate's graph calls it:
                            "aten.linear.default" */
  const char *label;     /* what people read instead of the name, in the scratch arena; NULL: the name */
  int64_t place;         /* of ETR_KEY_OPERATOR: those with one place are one operator; they run in this order */
} etr_event_meaning;

/** Wrappers nest this deep: 1 is the outermost. */
enum { ETR_MOST_WRAPPERS = 2 };

/** The decoder of one backend: functions without state. */
typedef struct etr_decoder {
  const char *id;   /* the delegate's */
  const char *mark; /* events without an id whose name contains this are the delegate's; NULL: none are */

  /** True for an id, or a name, that no other backend writes: it tells the backend where the files do not. NULL: none
   * of its events does. */
  bool (*is_own)(const char *name);

  /** Tells what the events of one call mean. out: count entries, each as described there. False: out of memory. */
  bool (*read)(etr_event_meaning *out, const etr_event_facts *events, size_t count, etr_arena *scratch);

  /** What an operator of the delegate's graph and the targets of nodes that it may be have in common. Only with
   * ETR_KEY_OPERATOR. */
  etr_slice (*kind_of)(const char *target);

  /** payload_needed() and read_graph() of backend.h, where the .pte holds the delegate's graph; NULL: it holds nothing
   * that can be read. `place` of a meaning is an operator's id there. */
  uint64_t (*payload_needed)(etr_slice head, uint64_t size);
  etr_own_graph_reader read_graph;
} etr_decoder;

/** An event by its name, for decoders that know all of theirs by heart. */
typedef struct etr_known_event {
  const char *name;
  etr_event_role role;
  etr_phase phase;
  etr_compute_unit compute_unit;
} etr_known_event;

/** The event with this name; NULL if there is none. */
const etr_known_event *etr_known_event_find(const etr_known_event *list, size_t count, const char *name);

/** Fills a meaning from a known event: phases are in sums, containers not. */
void etr_known_event_tell(etr_event_meaning *out, const etr_known_event *event);

/** payload_needed() of whichever decoder knows the payload; 0 if none does. */
uint64_t etr_decoder_payload_needed(etr_slice head, uint64_t size);

/** The decoder of the backend with this id; NULL if there is none, or id is NULL. */
const etr_decoder *etr_decoder_of(const char *id);

/** The decoder of the one backend that writes such an id or name; NULL if it may be another's. */
const etr_decoder *etr_decoder_of_event(const char *name);

/** One for each backend, in the file of its name; backends.c lists them. */
extern const etr_decoder etr_coreml, etr_ethosu, etr_neutron, etr_qnn, etr_vgf, etr_vulkan;

#endif
