/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack.h - XNNPACK as a backend. Layer 2.
 *
 * XNNPACK fills no delegate map. Its payload is a list of XNodes in the order in which they run, most with the Edge
 * debug handle they came from; its events are named by operator type and running count, "Convolution (NHWC, F32) DWConv
 * #3", in the same order.
 */
#ifndef ETR_XNNPACK_H
#define ETR_XNNPACK_H

#include "backends/backend.h"

/** Operators of XNNPACK. The runtime picks a kind of convolution by shape (a 1x1 one is a Fully Connected), so that all
 * are one class. */
typedef enum etr_xnn_class {
  ETR_XNN_NONE,
  ETR_XNN_MATMUL, /* convolution of any kind but transposed, linear */
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
  ETR_XNN_SQRT,
  ETR_XNN_SQUARE,
  ETR_XNN_ABS,
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
  ETR_XNN_LOOKUP,  /* Convert, unary operators, Convert as one table: reported as "Invalid Unary Op" */
  ETR_XNN_CLASSES, /* at most ETR_MOST_CLASSES */
} etr_xnn_class;

/** The row of backends.c. Events count whole microseconds (XNNExecutor's profiler, xnn_profile_info_operator_timing).
 */
extern const etr_backend etr_xnnpack;

/** etr_xnnpack's payload_needed() and read_payload(); xnnpack_payload.c. */
uint64_t etr_xnn_payload_needed(etr_slice head, uint64_t size);
bool etr_xnn_payload_read(etr_payload *out, etr_arena *arena, etr_slice payload);

/** etr_xnnpack's read_graph(): operator by operator what etr_xnn_payload_read() reads; xnnpack_payload.c. */
bool etr_xnn_graph_read(etr_own_graph *out, etr_arena *arena, etr_slice payload);

/** etr_xnnpack's takes(); xnnpack_partition.c. */
bool etr_xnn_takes(const etr_graph *graph, const uint32_t *uses, const etr_node *node);

/** etr_xnnpack's class_of_node(). */
uint16_t etr_xnn_class_of_node(const etr_graph *graph, const etr_node *node);

/** etr_xnnpack's expect(); xnnpack_expect.c. */
etr_expectation etr_xnn_expect(const etr_delegate_view *delegate, uint32_t node);

/** True of "native_batch_norm" and its variants. */
bool etr_xnn_is_batch_norm(etr_slice op);

bool etr_xnn_is_quantize(etr_slice op);
bool etr_xnn_is_dequantize(etr_slice op);

/** A convolution, transposed or not, or a linear layer. */
bool etr_xnn_is_convolution(uint16_t class_);

/** True of a batch norm behind a convolution or a linear layer that nothing else reads: it is folded into it. */
bool etr_xnn_follows_convolution(const etr_graph *graph, const uint32_t *uses, const etr_node *node);

/** An operator on one value, element by element, which may become a lookup: not Softmax, which needs them all. */
bool etr_xnn_is_unary(etr_xnn_class class_);

/** Add to PReLU: an activation on them runs as a Clamp of its own. */
bool etr_xnn_is_binary(etr_xnn_class class_);

#endif
