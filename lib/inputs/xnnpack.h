/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack.h - what an XNNPACK delegate runs: the XNodes of its payload, and classes that payload, events and graph share. Layer 2.
 *
 * XNNPACK fills no delegate map. Its payload is a list of XNodes in execution order, most with the Edge debug handle they came from; its events are
 * called by operator type and running count, "Convolution (NHWC, F32) DWConv #3", in execution order as well. Classes make the two comparable.
 * Schema: executorch/backends/xnnpack/serialization/runtime_schema.fbs; header XH00: XNNHeader.cpp beside it.
 */
#ifndef ETR_XNNPACK_H
#define ETR_XNNPACK_H

#include "arena.h"

/** Kinds of operators that XNNPACK's events, XNodes and graph nodes have in common. Numbered from 1: 0 is no operator of XNNPACK. */
typedef enum etr_xnn_class {
  ETR_XNN_NONE,
  ETR_XNN_MATMUL, /* convolution, 1x1 convolution (reported as Fully Connected), linear */
  ETR_XNN_DWCONV,
  ETR_XNN_DECONV,
  ETR_XNN_BMM,
  ETR_XNN_ADD,
  ETR_XNN_MUL,
  ETR_XNN_SUB,
  ETR_XNN_DIV,
  ETR_XNN_MIN,
  ETR_XNN_MAX,
  ETR_XNN_PRELU,
  ETR_XNN_SOFTMAX,
  ETR_XNN_SIGMOID,
  ETR_XNN_TANH,
  ETR_XNN_GELU,
  ETR_XNN_HARDSWISH,
  ETR_XNN_CLAMP,
  ETR_XNN_FLOOR,
  ETR_XNN_CEIL,
  ETR_XNN_ROUND,
  ETR_XNN_NEG,
  ETR_XNN_SQUARE,
  ETR_XNN_ABS,
  ETR_XNN_SQRT,
  ETR_XNN_RSQRT,
  ETR_XNN_ELU,
  ETR_XNN_LEAKY_RELU,
  ETR_XNN_LOG,
  ETR_XNN_EXP,
  ETR_XNN_SIN,
  ETR_XNN_COS,
  ETR_XNN_CONVERT,
  ETR_XNN_COPY, /* copy and concatenation */
  ETR_XNN_RESHAPE,
  ETR_XNN_TRANSPOSE,
  ETR_XNN_SLICE,
  ETR_XNN_PAD,
  ETR_XNN_RESIZE,
  ETR_XNN_AVGPOOL,
  ETR_XNN_MAXPOOL,
  ETR_XNN_ARGMAXPOOL,
  ETR_XNN_MEAN,
  ETR_XNN_SDPA,
  ETR_XNN_LOOKUP, /* Convert, unary operator, Convert as one table: reported as "Invalid Unary Op" */
  ETR_XNN_CLASSES,
} etr_xnn_class;

/** "convolution or linear", "add", ...: what XNodes of a class are called where no event names them. Static. */
const char *etr_xnn_class_name(etr_xnn_class class_);

/** Class of an event by its delegate id; ETR_XNN_NONE if it is none of XNNPACK's. */
etr_xnn_class etr_xnn_class_of_event(const char *id);

/** Class of the operator that a graph node alone would become: "convolution" (the caller tells depthwise and transposed apart by the weight's
 *  shape), "view_copy", ...; ETR_XNN_NONE for what always becomes part of another (batch norm) or is unknown. op as operator.h normalises it. */
etr_xnn_class etr_xnn_class_of_operator(etr_slice op);

/** One operator that XNNPACK makes of the XNodes. */
typedef struct etr_xnn_operator {
  etr_xnn_class class_;
  uint32_t handle;   /* Edge debug handle; 0: the lowering inserted it */
  uint64_t elements; /* of its output; 0: not told */
} etr_xnn_operator;

typedef struct etr_xnn_payload {
  const etr_xnn_operator *operators; /* in execution order */
  size_t count;
} etr_xnn_payload;

/** What a delegate's events show that XNNPACK made of its XNodes; which it does depends on its version. */
typedef struct etr_xnn_shown {
  bool lookups; /* Convert, unary operator, Convert as one table */
  bool squares; /* a value multiplied by itself as Square */
} etr_xnn_shown;

/** So many first bytes tell where a payload's graph ends. */
#define ETR_XNN_HEAD_BYTES 30

/**
 * How many bytes of a payload of that size etr_xnn_payload_read() needs, as its first ETR_XNN_HEAD_BYTES tell: what lies behind are weights. 0 if it
 * is no payload of XNNPACK.
 */
uint64_t etr_xnn_payload_needed(etr_slice head, uint64_t size);

/**
 * Reads a delegate's payload and does what XNNPACK does to the XNodes: an activation on a binary operator becomes a Clamp of its own, two Clamps in a
 * row become one, and what the events show.
 * False, *out empty, if it is no payload of XNNPACK or is damaged: then there is nothing to learn from it.
 */
bool etr_xnn_payload_read(etr_xnn_payload *out, etr_arena *arena, etr_slice payload, etr_xnn_shown shown);

#endif
