/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack.h - XNNPACK as a backend. Layer 2.
 *
 * XNNPACK fills no delegate map. Its payload is a list of XNodes in the order in which they run.
 * Most of them have the debug handle of the Edge node that they came from. Its events are in the
 * same order and are named by operator type and a running number: "Convolution (NHWC, F32) DWConv
 * #3".
 */
#ifndef ETR_XNNPACK_H
#define ETR_XNNPACK_H

#include "backends/backend.h"

/** Classes of XNNPACK's operators. All convolutions are one class, because the runtime chooses the
 * kind of convolution by shape (a 1x1 convolution is a Fully Connected). */
typedef enum etr_xnn_class {
  ETR_XNN_NONE,
  ETR_XNN_MATMUL, /* any convolution except transposed ones; linear */
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
  ETR_XNN_LOOKUP,  /* Convert, unary operators and Convert in one table lookup, reported as "Invalid
                      Unary Op" */
  ETR_XNN_CLASSES, /* at most ETR_MOST_CLASSES */
} etr_xnn_class;

/** The row of backends.c. Events count whole microseconds (XNNExecutor's profiler,
 * xnn_profile_info_operator_timing).
 */
extern const etr_backend etr_xnnpack;

/** payload_version(), payload_needed() and read_payload() of etr_xnnpack; in xnnpack_payload.c. */
const char *etr_xnn_payload_version(etr_arena *arena, etr_slice head);
uint64_t etr_xnn_payload_needed(etr_slice head, uint64_t size);
bool etr_xnn_payload_read(etr_payload *out, etr_arena *arena, etr_slice payload);

/** read_graph() of etr_xnnpack: gives the operators that etr_xnn_payload_read() reads. Returns
 * false if the payload is damaged or of another format, or when out of memory. In
 * xnnpack_payload.c. */
bool etr_xnn_graph_read(etr_own_graph *out, etr_arena *arena, etr_slice payload);

/** takes() of etr_xnnpack: returns whether the partitioner of any version can put a node into a
 * delegate; in xnnpack_partition.c. */
bool etr_xnn_takes(const etr_graph *graph, const uint32_t *uses, const etr_node *node);

/** has_rule() of etr_xnnpack: returns whether the partitioner has a configuration for an operator
 * in the overload that a kernel's name says; in xnnpack_partition.c. */
bool etr_xnn_has_rule(etr_slice op, const char *kernel);

/** refuses() of etr_xnnpack: returns why the current partitioner leaves a node to kernels; NULL if
 * it takes it. In xnnpack_partition.c. */
const char *etr_xnn_refuses(const etr_graph *graph, const uint32_t *uses, const etr_node *node);

/** Softmaxes that are computed over another dimension than the last. */
typedef struct etr_misread {
  size_t count;
  uint32_t first; /* node of the first one; ETR_NONE: there is none */
} etr_misread;

/** Finds the softmaxes of a graph with times that XNNPACK computes over channels, because an
 * operator in the same delegate left them last in memory. Returns false when out of memory. In
 * xnnpack_layout.c. */
bool etr_xnn_find_misread(etr_misread *out, const etr_graph *graph, etr_arena *scratch);

/** class_of_node() of etr_xnnpack: returns the class of the operator that a node becomes if it is
 * not fused. In xnnpack_node.c, with the functions that say something of a class or an operator. */
uint16_t etr_xnn_class_of_node(const etr_graph *graph, const etr_node *node);

/** expect() of etr_xnnpack: returns what a node of a delegate is expected to run as without a
 * payload: the class of an operator, an alternative class (ETR_XNN_NONE: none), the node that gets
 * the time, and how much finding or missing the operator counts. In xnnpack_expect.c. */
etr_expectation etr_xnn_expect(const etr_delegate_view *delegate, uint32_t node);

/** allow() of etr_xnnpack: returns what a node of a delegate can run as, whatever is fused, dropped
 * or replaced; in xnnpack_expect.c. */
etr_expectation etr_xnn_allow(const etr_delegate_view *delegate, uint32_t node);

/** Returns true for "native_batch_norm" and its variants. */
bool etr_xnn_is_batch_norm(etr_slice op);

/** Return true for "quantize_per_tensor" and "dequantize_per_tensor" and their variants. */
bool etr_xnn_is_quantize(etr_slice op);
bool etr_xnn_is_dequantize(etr_slice op);

/** Returns true for a convolution, transposed or not, and for a linear layer. */
bool etr_xnn_is_convolution(uint16_t class_);

/** Returns true for a batch norm that is the only reader of a convolution or a linear layer: it is
 * folded into that layer. */
bool etr_xnn_follows_convolution(const etr_graph *graph, const uint32_t *uses,
                                 const etr_node *node);

/** Returns true for an element-wise operator on one value, which may become a table lookup. Softmax
 * is none, because it needs all elements. */
bool etr_xnn_is_unary(etr_xnn_class class_);

/** Returns true for the classes from Add to PReLU, whose activation runs as a separate Clamp. */
bool etr_xnn_is_binary(etr_xnn_class class_);

#endif
