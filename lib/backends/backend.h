/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backend.h - what the join must know of one backend, behind one interface. Layer 2.
 *
 * A backend runs *operators*. Its events, the operators of its payload in the .pte and the graph's
 * nodes are compared by *class*: a number that the backend defines, 0 for none. A new backend is
 * one file that fills an etr_backend, and one row in backends.c.
 */
#ifndef ETR_BACKEND_H
#define ETR_BACKEND_H

#include "backends/own_graph.h"

/** Properties that all operators of a class share. */
typedef enum etr_class_trait {
  ETR_CLASS_COMPUTES = 1, /* work of the model: if it has no node, its time is unexplained and never
                             counts as inserted */
  ETR_CLASS_INSERTED = 2, /* a lowering may insert it: layout, conversions, copies */
  ETR_CLASS_FUSES = 4,    /* a node of this class may become part of another operator, or vanish */
  ETR_CLASS_COUNTS =
      8, /* each operator runs exactly once: none is split, dropped or fused into another */
  ETR_CLASS_VARIES = 16,   /* operators of other classes may run as this class */
  ETR_CLASS_REPLACED = 32, /* a lowering may replace a node of this class by an operator of its own,
                              so that the order alone never shows its node for certain */
} etr_class_trait;

enum { ETR_MOST_CLASSES = 64 }; /* classes of one backend */

/** A value that the operators of a payload read or write. */
typedef struct etr_payload_value {
  uint64_t shape;      /* etr_shape_hash() of its dimensions; 0: unknown */
  uint64_t rows_shape; /* etr_shape_hash() after all dimensions but the last were merged into one */
  int32_t argument;    /* index of the argument of the delegate's call that it is; -1: none */
  bool is_constant, is_quantized;
} etr_payload_value;

enum { ETR_OPERATOR_INPUTS = 5 };

/** An operator of a payload. */
typedef struct etr_payload_operator {
  uint16_t class_;
  uint16_t alternative; /* another class that its event may have, such as Square for x * x, or a
                           lookup for a unary operator; 0: none */
  uint16_t activation;  /* class of a second event that follows the first one, such as Clamp after a
                           binary operator; 0:  none */
  uint8_t input_count;
  uint32_t handle;                              /* Edge debug handle; 0: the lowering inserted it */
  uint32_t inputs[ETR_OPERATOR_INPUTS], output; /* indices into the payload's values; ETR_NONE if
                                                   the payload has an invalid one */
  uint32_t whole; /* value with the shape of the node's result: the output, unless later operators
                     complete it */
  uint32_t completes; /* earlier operator whose node this operator is a part of; ETR_NONE if there
                         is none */
  bool is_idle; /* the operator is a duplicate of another one, and the runtime drops this one of the
                   two */
} etr_payload_operator;

/** The operators of a delegate, as the .pte lists them. */
typedef struct etr_payload {
  const etr_payload_operator *operators; /* in the order in which they run */
  size_t count;
  const etr_payload_value *values;
  size_t value_count;
  uint32_t least_events[ETR_MOST_CLASSES], most_events[ETR_MOST_CLASSES]; /* by class */
} etr_payload;

/** Whether the payload keeps the debug handle of a node's operator. If not, the operator is
 * identified by what it reads. */
typedef enum etr_handle_loss {
  ETR_KEEPS_HANDLE,
  ETR_LOSES_HANDLE_UNLESS_FUSED, /* it has no handle if it runs by itself, but usually it is fused
                                    into another operator */
  ETR_LOSES_HANDLE,
} etr_handle_loss;

/** The users of each node, which are the nodes that read its results. The users of node i are
 * list[starts[i]] to list[starts[i + 1] - 1], each once, in the order of the graph. */
typedef struct etr_users {
  const uint32_t *starts, *list;
} etr_users;

/** Finds the users of all nodes of a graph. The graph's output counts as a user. Returns false when
 * out of memory. */
bool etr_users_find(etr_users *out, const etr_graph *graph, etr_arena *arena);

/** A graph, and which of its nodes are in one delegate. */
typedef struct etr_delegate_view {
  const etr_graph *graph;
  const uint32_t *uses;       /* per node: how many times its results are used */
  const int32_t *delegate_of; /* per node: instruction that calls its delegate; -1: none */
  int32_t instruction;
  etr_users users;
} etr_delegate_view;

/** What a node is expected to run as if there is no payload. */
typedef struct etr_expectation {
  uint16_t class_, alternative; /* as in etr_payload_operator; class 0: it does not run as an
                                   operator of its own */
  uint32_t node;  /* node that gets the time: another node if this one is fused into it */
  int16_t weight; /* score for finding its class among the events, see join/align.h */
  int16_t cost;   /* penalty for not finding it: 0 if the node may disappear */
  uint32_t count; /* number of operators that it becomes */
} etr_expectation;

/** The description of one backend. Its functions have no state. */
typedef struct etr_backend {
  const char *id;        /* "XnnpackBackend" */
  const char *label;     /* its name for people: "XNNPACK" */
  bool keeps_no_buffers; /* a delegate never contains a mutable buffer of the model: the program
                            copies new values into the buffer */
  bool stores_few_parameters; /* of quantized weights: scales of groups have 16 bits, and there are
                                 no zero points */
  bool has_no_places; /* the starts of its events are made up: only durations were measured */
  uint32_t
      clock_step_ns; /* step of the clock that times its events, in ns; 0: the clock of the dump */

  /** Returns the class of an event, by its delegate id. */
  uint16_t (*class_of_event)(const char *delegate_id);

  /** Returns the name of a class, for operators that no event names. Static. */
  const char *(*class_name)(uint16_t class_);

  /** Returns the etr_class_trait bits of a class. */
  unsigned (*traits)(uint16_t class_);

  /** Returns the class of the operator that a node becomes if it is not fused. */
  uint16_t (*class_of_node)(const etr_graph *graph, const etr_node *node);

  /** Returns whether the payload keeps the handle of a node's operator. uses: per node, how many
   * times its results are used. */
  etr_handle_loss (*loses_handle)(const etr_graph *graph, const uint32_t *uses,
                                  const etr_node *node);

  /** Returns what a node of a delegate is expected to run as. */
  etr_expectation (*expect)(const etr_delegate_view *delegate, uint32_t node);

  /** Returns what a node of a delegate can run as if nothing is assumed of what is fused, dropped
   * or replaced: a cost above 0 only for operators that always run exactly once. */
  etr_expectation (*allow)(const etr_delegate_view *delegate, uint32_t node);

  /** Returns true if a node and a user of its result, both in delegates, are always in the same
   * delegate. The producer may also be a weight. is_only_user: no other node uses the result. */
  bool (*keeps_together)(const etr_graph *graph, const etr_node *producer, const etr_node *user,
                         bool is_only_user);

  /** Returns true if the backend's partitioner can put a node into a delegate; other nodes stay
   * kernels. uses: per node, how many times its results are used. NULL: not known for this backend.
   */
  bool (*takes)(const etr_graph *graph, const uint32_t *uses, const etr_node *node);

  /** Returns why the backend's current partitioner leaves a node to kernels: one line for people
   * whose subject is the partitioner ("takes no empty tensors"), with what to write instead if that
   * is known. NULL if it takes the node. It is stricter than takes(), which must hold for records
   * of all versions. */
  const char *(*refuses)(const etr_graph *graph, const uint32_t *uses, const etr_node *node);

  /** Returns true if refuses() may return NULL for an operator of this name, which ran as a kernel
   * of this name: "mul", "mul.Scalar_out". NULL where refuses() is. */
  bool (*has_rule)(etr_slice op, const char *kernel);

  /**
   * Returns how many bytes read_payload() needs of a payload with `size` bytes, whose first
   * ETR_PAYLOAD_HEAD_BYTES are `head`. The rest are weights. Returns 0 if it is not a payload of
   * this backend.
   */
  uint64_t (*payload_needed)(etr_slice head, uint64_t size);

  /** Returns the version that a payload's first bytes say, in the arena; NULL if they say none. */
  const char *(*payload_version)(etr_arena *arena, etr_slice head);

  /** Reads a payload into the arena. Returns false, with *out empty, if it is damaged or not a
   * payload of this backend. */
  bool (*read_payload)(etr_payload *out, etr_arena *arena, etr_slice payload);

  /** Returns true if an event, by its delegate id, multiplied quantized numbers and the operator of
   * the payload does not, or the other way round. */
  bool (*is_of_other_type)(const etr_payload *payload, const etr_payload_operator *operator_,
                           const char *delegate_id);

  /** Reads the same payload as a backend graph that users see, operator by operator. */
  etr_own_graph_reader read_graph;
} etr_backend;

/**
 * Returns a hash of a shape that ignores the order of dimensions and dimensions of size 1, because
 * backends permute and squeeze. sizes: count entries. Never 0.
 */
uint64_t etr_shape_hash(const int64_t *sizes, size_t count);

/** Returns the hash of the shape of a value of a graph; 0 if its shape is unknown or symbolic. */
uint64_t etr_value_shape_hash(const etr_value *value);

#endif
