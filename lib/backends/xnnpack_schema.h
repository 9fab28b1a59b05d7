/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack_schema.h - fields of XNNPACK's payload, for what reads it. Layer 2.
 * Schema: executorch/backends/xnnpack/serialization/runtime_schema.fbs; header XH00: XNNHeader.cpp beside it.
 */
#ifndef ETR_XNNPACK_SCHEMA_H
#define ETR_XNNPACK_SCHEMA_H

#include "backends/xnnpack.h"
#include "formats/flatbuf.h"

enum { GRAPH_XNODES = 1, GRAPH_XVALUES, GRAPH_CONSTANT_BUFFERS = 6, GRAPH_CONSTANT_DATA = 8 };
enum { XNODE_TYPE, XNODE_VALUE, XNODE_HANDLE, XNODE_MIN_MAX, NO_HANDLE = 65535 };
enum { XVALUE_TYPE, XVALUE_VALUE, TYPE_QUANTIZED = 2, QUANTIZED_TENSOR = 0, MOST_DIMS = 64 };
enum { TENSOR_TYPE, TENSOR_DIMS = 2, TENSOR_CONSTANT, TENSOR_EXTERNAL, TENSOR_FLAGS, TENSOR_ID };
enum { TYPE_FP16 = 2, TYPE_INT32 = 12 }; /* XNNDatatype: what lies between is quantized */
enum { IS_EXTERNAL = 3 };                /* XNN_VALUE_FLAG_EXTERNAL_INPUT, _OUTPUT */

/** Where a Concatenate5 has its last input: behind the flags. */
enum { ETR_CONCATENATE5_INPUT = 7 };

/** Where an XNode has its first inputs, which stand side by side, and its output. */
typedef struct etr_xnode_type {
  const char *name; /* as in the schema, without XNN */
  uint16_t class_;
  uint8_t input, input_count, output;
} etr_xnode_type;

/** By XNodeUnion's type; NULL if it is not known. */
const etr_xnode_type *etr_xnode_type_of(uint8_t type);

/** Starts reading the graph of a payload. False: there is none. */
bool etr_xnn_payload_open(etr_fb *fb, etr_slice payload);

#endif
