/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backend.h - what the join must know of one backend, behind one interface. Layer 2.
 *
 * A backend runs *operators*. Its events, the operators of its payload in the .pte and the graph's nodes are compared
 * by *class*: a number of the backend's own, 0 for none. A new backend is one file that fills an etr_backend, and one
 * row in backends.c.
 */
#ifndef ETR_BACKEND_H
#define ETR_BACKEND_H

#include "backends/own_graph.h"

/** What is so of every operator of a class. */
typedef enum etr_class_trait {
  ETR_CLASS_COMPUTES = 1, /* the model's own work: without a node its time is unexplained, never layout */
  ETR_CLASS_INSERTED = 2, /* a lowering may insert it: layout, conversions, copies */
  ETR_CLASS_FUSES = 4,    /* a node of this class may become part of another operator, or vanish */
  ETR_CLASS_COUNTS = 8,   /* as many run as there are: none is split, dropped or made part of another */
  ETR_CLASS_VARIES = 16,  /* what operators of other classes may run as */
} etr_class_trait;

enum { ETR_MOST_CLASSES = 64 }; /* of a backend */

/** A value that operators of a payload read or write. */
typedef struct etr_payload_value {
  uint64_t shape;      /* etr_shape_mark() of its dimensions; 0: unknown */
  uint64_t rows_shape; /* the same with all dimensions but the last as one */
  int32_t argument;    /* which argument of the delegate's call it is; -1: none */
  bool is_constant, is_quantized;
} etr_payload_value;

enum { ETR_OPERATOR_INPUTS = 5 };

/** An operator of a payload. */
typedef struct etr_payload_operator {
  uint16_t class_;
  uint16_t alternative; /* another class its event may have (x * x as Square, a unary operator as a lookup); 0: none */
  uint16_t activation;  /* class of a second event behind the first: a binary operator's Clamp; 0: none */
  uint8_t input_count;
  uint32_t handle;                              /* Edge debug handle; 0: the lowering inserted it */
  uint32_t inputs[ETR_OPERATOR_INPUTS], output; /* indices into the payload's values, ETR_NONE where senseless */
  uint32_t whole; /* value that has the shape of the node's result: the output, but where later operators complete it */
  uint32_t completes; /* operator before it whose node it is part of; ETR_NONE */
  bool is_idle;       /* another like it stands beside it: of the two the runtime drops this one */
} etr_payload_operator;

/** What a delegate runs, as the .pte has it. */
typedef struct etr_payload {
  const etr_payload_operator *operators; /* in the order in which they run */
  size_t count;
  const etr_payload_value *values;
  size_t value_count;
  uint32_t class_counts[ETR_MOST_CLASSES]; /* operators of each class */
} etr_payload;

/** Whether the operator that a node becomes has no handle in a payload, so that only what it reads tells. */
typedef enum etr_handle_loss {
  ETR_KEEPS_HANDLE,
  ETR_LOSES_HANDLE_UNLESS_FUSED, /* where it runs at all: mostly it is part of another operator */
  ETR_LOSES_HANDLE,
} etr_handle_loss;

/** Which nodes read a node's results: those of node i are list[starts[i]] up to list[starts[i + 1]], each once, in the
 * graph's order. */
typedef struct etr_users {
  const uint32_t *starts, *list;
} etr_users;

/** Finds the readers of all nodes of a graph, its output among them. False: out of memory. */
bool etr_users_find(etr_users *out, const etr_graph *graph, etr_arena *arena);

/** The nodes of a graph that one delegate holds. */
typedef struct etr_delegate_view {
  const etr_graph *graph;
  const uint32_t *uses;       /* per node: how often its results are used */
  const int32_t *delegate_of; /* per node: instruction of its delegate, -1: none */
  int32_t instruction;
  etr_users users;
} etr_delegate_view;

/** What a node is expected to run as, where there is no payload to tell. */
typedef struct etr_expectation {
  uint16_t class_, alternative; /* 0: it runs as nothing of its own; as in etr_payload_operator */
  uint32_t node;                /* whose time it is: another's, where it runs as part of that one */
  int16_t weight;               /* what it is worth to find it among the events */
  int16_t cost;                 /* of not finding it: 0 where it may well vanish */
  uint32_t count;               /* how many operators it becomes */
} etr_expectation;

/** One backend: its name and what it knows, functions without state. */
typedef struct etr_backend {
  const char *id;         /* "XnnpackBackend" */
  bool keeps_no_buffers;  /* a delegate never holds a buffer of the model: the program copies new values into it */
  bool has_no_places;     /* its events' starts are made up: only what they took was measured */
  uint32_t clock_step_ns; /* its events' times are whole multiples of this; 0: as fine as the dump's clock */

  /** Class of an event by its delegate id. */
  uint16_t (*class_of_event)(const char *delegate_id);

  /** What operators of a class are called where no event names them. Static. */
  const char *(*class_name)(uint16_t class_);

  /** The etr_class_trait of a class, or'ed. */
  unsigned (*traits)(uint16_t class_);

  /** Class of the operator that a node alone would become. */
  uint16_t (*class_of_node)(const etr_graph *graph, const etr_node *node);

  /** Whether a node's operator has a handle. uses: per node, how often its results are used. */
  etr_handle_loss (*loses_handle)(const etr_graph *graph, const uint32_t *uses, const etr_node *node);

  /** What a node of a delegate is expected to run as. */
  etr_expectation (*expect)(const etr_delegate_view *delegate, uint32_t node);

  /** Whether a node and one that uses its result, both delegated, are always in one delegate; or a weight and the node
   * that it belongs to. is_only_user: nothing else uses it. */
  bool (*keeps_together)(const etr_graph *graph, const etr_node *producer, const etr_node *user, bool is_only_user);

  /** Whether the backend's partitioner can take a node into a delegate: what it cannot stays a kernel. uses: per node,
   * how often its results are used. NULL: nothing is known. */
  bool (*takes)(const etr_graph *graph, const uint32_t *uses, const etr_node *node);

  /**
   * How many bytes of a payload of this size read_payload() needs, by its first ETR_PAYLOAD_HEAD_BYTES: what lies
   * behind them are weights. 0: it is no payload of this backend.
   */
  uint64_t (*payload_needed)(etr_slice head, uint64_t size);

  /** Reads a payload. False, *out empty, if it is not this backend's or damaged: then there is nothing to learn from
   * it. */
  bool (*read_payload)(etr_payload *out, etr_arena *arena, etr_slice payload);

  /** Reads the same payload as a graph for people, operator by operator. */
  etr_own_graph_reader read_graph;
} etr_backend;

/**
 * A mark that shapes have in common which differ only in the order of their dimensions, or in dimensions of 1: backends
 * permute, and squeeze. sizes: count entries. Never 0.
 */
uint64_t etr_shape_mark(const int64_t *sizes, size_t count);

/** The mark of a value of a graph; 0 if its shape is not known, or symbolic. */
uint64_t etr_value_shape_mark(const etr_value *value);

#endif
