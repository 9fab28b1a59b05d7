/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoder.h - the interface of what gives the events of one backend their meaning. Layer 2.
 *
 * For an event inside a delegate, the format has neither its unit nor its clock, and does not say
 * whether it is an operator or encloses other events. Only its backend knows. A new decoder is one
 * file that fills an etr_decoder, and one row in backends.c; no other file names a backend. Without
 * a decoder every event is an operator that took time.
 */
#ifndef ETR_DECODER_H
#define ETR_DECODER_H

#include "backends/own_graph.h"

/** What the files say about an event. */
typedef struct etr_event_facts {
  const char *name;          /* its delegate id, or its name if it has none */
  bool is_number;            /* the file stores its id as a number */
  bool is_listed;            /* the delegate map contains the id */
  size_t handle_count;       /* number of handles that the delegate map has for the id */
  const etr_bytes *metadata; /* metadata of each occurrence */
  size_t metadata_count;     /* 0: it has none */
} etr_event_facts;

/** What leads from an event to its node. */
typedef enum etr_event_key {
  ETR_KEY_NONE,     /* nothing: the event has no node */
  ETR_KEY_MAP,      /* the delegate map, by the id of the event */
  ETR_KEY_NODE,     /* the name of the node */
  ETR_KEY_OPERATOR, /* an operator of the backend graph */
} etr_event_key;

/** The meaning of an event. Before read() is called, role and is_in_sums are those of an operator
 * that took time, and all other members are 0. */
typedef struct etr_event_meaning {
  etr_event_role role;
  etr_phase phase;
  etr_event_unit unit;
  bool is_in_sums, is_estimated, has_no_place; /* as in etr_event */
  etr_compute_unit compute_unit;               /* as in etr_event */
  bool is_unit_planned;                        /* as in etr_event */
  bool is_unexpected;      /* the backend does not write such an event: it gets no node, and a
                       warning says so */
  uint8_t wrapper, inside; /* as in etr_event; at most ETR_MOST_WRAPPERS */
  etr_phase wrapper_phase;
  uint32_t step_ns; /* unit of its durations, in ns; 0: a tick */
  etr_event_key key;
  etr_slice node;        /* for ETR_KEY_NODE: the name of the node; borrowed from the facts */
  const char *operator_; /* for ETR_KEY_OPERATOR: its name in the backend graph,
                            "aten.linear.default"; in the scratch arena */
  const char *label;     /* text shown instead of the name, in the scratch arena; NULL: the name */
  etr_slice kernel;      /* as in etr_event, where the label does not begin with it; borrowed from
                            the facts, or in the scratch arena. Empty: the label's */
  const char *note;      /* as in etr_event, in the scratch arena */
  int64_t operator_number; /* for ETR_KEY_OPERATOR: number of the operator. Events with the same
                    number belong to one operator; operators run in ascending order */
} etr_event_meaning;

/** The deepest nesting of wrappers. The outermost wrapper has depth 1. */
enum { ETR_MOST_WRAPPERS = 2 };

/** The decoder of one backend. Its functions have no state. */
typedef struct etr_decoder {
  const char *id;    /* id of the backend */
  const char *label; /* its name for people */
  const char *mark; /* an event without an id is the backend's if its name contains this text; NULL:
                       no such events */
  bool counts_cycles; /* its runners' clocks count cycles of the processor, not ns */

  /** Returns true for an id or a name that no other backend writes. It identifies the backend if
   * the files do not name it. NULL: none of its events identifies it. */
  bool (*is_own)(const char *name);

  /** Returns true if only this backend writes the events of a call, whose ids alone say nothing. It
   * identifies the backend if the files do not name it. NULL: no call identifies it. */
  bool (*is_own_call)(const etr_event_facts *events, size_t count);

  /** Fills the meanings of the events of one call. out: count entries, initialized as
   * etr_event_meaning says. Returns false when out of memory. */
  bool (*read)(etr_event_meaning *out, const etr_event_facts *events, size_t count,
               etr_arena *scratch);

  /** Returns the part of a target that an operator of the backend graph shares with the nodes that
   * it may belong to. Used with ETR_KEY_OPERATOR only. */
  etr_slice (*kind_of)(const char *target);

  /** As payload_needed() and read_graph() of backend.h, if the .pte contains a backend graph; NULL
   * if it contains nothing that can be read. `operator_number` of an event's meaning is the id of
   * an operator of that graph. */
  uint64_t (*payload_needed)(etr_slice head, uint64_t size);
  etr_own_graph_reader read_graph;

  /** As in backend.h; NULL if its payloads say no version. */
  const char *(*payload_version)(etr_arena *arena, etr_slice head);

  /** Returns the version of the model that is written further behind in a payload, in the arena, or
   * that it is not written where it can be read. NULL: its payloads have no such version. */
  const char *(*model_version)(etr_arena *arena, const etr_payload_source *source);
} etr_decoder;

/** The meaning of an event name, for decoders that know all names of their events. */
typedef struct etr_known_event {
  const char *name;
  etr_event_role role;
  etr_phase phase;
  etr_compute_unit compute_unit;
} etr_known_event;

/** Returns the event with this name; NULL if there is none. */
const etr_known_event *etr_known_event_find(const etr_known_event *list, size_t count,
                                            const char *name);

/** Fills a meaning from a known event. Phases are part of sums; containers are not. */
void etr_known_event_fill(etr_event_meaning *out, const etr_known_event *event);

/** Returns the decoder of the backend with this id; NULL if there is none, or if id is NULL. */
const etr_decoder *etr_decoder_of(const char *id);

/** Returns the decoder of the backend that an event's id or name identifies, because only this
 * backend writes it; NULL if several may. */
const etr_decoder *etr_decoder_of_event(const char *name);

/** Returns the decoder of the backend that the events of a call identify, because only this backend
 * writes them so; NULL if several may. */
const etr_decoder *etr_decoder_of_call(const etr_event_facts *events, size_t count);

/** The decoders, each in the file of its name; backends.c lists them. */
extern const etr_decoder etr_coreml, etr_ethosu, etr_neutron, etr_qnn, etr_vgf, etr_vulkan;

#endif
