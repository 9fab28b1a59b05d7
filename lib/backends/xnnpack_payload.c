/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack_payload.c - XNNPACK's payload in a .pte: a FlatBuffer of XNodes and XValues.
 * Schema: executorch/backends/xnnpack/serialization/runtime_schema.fbs; header XH00: XNNHeader.cpp
 * beside it.
 */
#include "backends/xnnpack.h"
#include "formats/flatbuf.h"

#include <inttypes.h>
#include <math.h>

enum { GRAPH_XNODES = 1, GRAPH_XVALUES, GRAPH_CONSTANT_BUFFERS = 6, GRAPH_CONSTANT_DATA = 8 };
enum { XNODE_TYPE, XNODE_VALUE, XNODE_HANDLE, XNODE_MIN_MAX, NO_HANDLE = 65535 };
enum { XVALUE_TYPE, XVALUE_VALUE, TYPE_QUANTIZED = 2, QUANTIZED_TENSOR = 0, MOST_DIMS = 64 };
enum { TENSOR_TYPE, TENSOR_DIMS = 2, TENSOR_CONSTANT, TENSOR_EXTERNAL, TENSOR_FLAGS, TENSOR_ID };
enum { TYPE_FP16 = 2, TYPE_INT32 = 12 }; /* XNNDatatype: what lies between is quantized */
enum { IS_EXTERNAL = 3 };                /* XNN_VALUE_FLAG_EXTERNAL_INPUT, _OUTPUT */

/* The field of the last input of a Concatenate5, which follows the flags. */
enum { CONCATENATE5_INPUT = 7 };

/* The fields of an XNode for its first inputs, which are consecutive, and for its output. */
typedef struct xnode_type {
  const char *name; /* as in the schema, without XNN */
  uint16_t class_;
  uint8_t input, input_count, output;
} xnode_type;

/* Per type of XNodeUnion, in the order of the schema: the fields of its first inputs, which are
 * consecutive, and of its output. */
static const xnode_type node_types[] = {
    {"", ETR_XNN_NONE, 0, 0, 0},
    {"Add", ETR_XNN_ADD, 0, 2, 2},
    {"FullyConnected", ETR_XNN_MATMUL, 0, 2, 3}, /* the weight may be computed */
    {"Softmax", ETR_XNN_SOFTMAX, 0, 1, 1},
    {"Sigmoid", ETR_XNN_SIGMOID, 0, 1, 1},
    {"StaticTranspose", ETR_XNN_TRANSPOSE, 2, 1, 3},
    {"Clamp", ETR_XNN_CLAMP, 0, 1, 1},
    {"Conv2d", ETR_XNN_MATMUL, 15, 2, 18},
    {"Div", ETR_XNN_DIV, 0, 2, 2},
    {"StaticResizeBilinear2D", ETR_XNN_RESIZE, 2, 1, 3},
    {"StaticConstantPad", ETR_XNN_PAD, 3, 1, 4},
    {"AvgPooling2d", ETR_XNN_AVGPOOL, 10, 1, 11},
    {"Minimum", ETR_XNN_MIN, 0, 2, 2},
    {"DepthwiseConv2d", ETR_XNN_MATMUL, 15, 2, 18},
    {"MaxPooling2d", ETR_XNN_MAXPOOL, 10, 1, 11},
    {"Multiply", ETR_XNN_MUL, 0, 2, 2},
    {"Subtract", ETR_XNN_SUB, 0, 2, 2},
    {"Floor", ETR_XNN_FLOOR, 0, 1, 1},
    {"Convert", ETR_XNN_CONVERT, 0, 1, 1},
    {"GlobalAvgPooling2d", ETR_XNN_MEAN, 0, 1, 1},
    {"StaticReshape", ETR_XNN_RESHAPE, 2, 1, 3},
    {"ArgMaxPooling2d", ETR_XNN_ARGMAXPOOL, 6, 1, 7},
    {"SquareRoot", ETR_XNN_SQRT, 0, 1, 1},
    {"Ceiling", ETR_XNN_CEIL, 0, 1, 1},
    {"Hardswish", ETR_XNN_HARDSWISH, 0, 1, 1},
    {"LeakyReLU", ETR_XNN_LEAKY_RELU, 1, 1, 2},
    {"Maximum", ETR_XNN_MAX, 0, 2, 2},
    {"Negate", ETR_XNN_NEG, 0, 1, 1},
    {"Square", ETR_XNN_SQUARE, 0, 1, 1},
    {"ELU", ETR_XNN_ELU, 1, 1, 2},
    {"Abs", ETR_XNN_ABS, 0, 1, 1},
    {"PReLU", ETR_XNN_PRELU, 0, 2, 2},
    {"Concatenate2", ETR_XNN_COPY, 1, 2, 5},
    {"Concatenate3", ETR_XNN_COPY, 1, 3, 5},
    {"Concatenate4", ETR_XNN_COPY, 1, 4, 5},
    {"StaticSlice", ETR_XNN_SLICE, 3, 1, 4},
    {"ScaledDotProductAttention", ETR_XNN_SDPA, 0, 3, 5},
    {"BatchMatrixMultiply", ETR_XNN_BMM, 0, 2, 2},
    {"Concatenate5", ETR_XNN_COPY, 1, 4, 5}, /* the fifth input follows the flags */
    {"ConvTranspose2d", ETR_XNN_DECONV, 15, 2, 18},
    {"ReciprocalSquareRoot", ETR_XNN_RSQRT, 0, 1, 1},
    {"Log", ETR_XNN_LOG, 0, 1, 1},
    {"Gelu", ETR_XNN_GELU, 0, 1, 1},
    {"Tanh", ETR_XNN_TANH, 0, 1, 1},
    {"Exp", ETR_XNN_EXP, 0, 1, 1},
    {"Sin", ETR_XNN_SIN, 0, 1, 1},
    {"Copy", ETR_XNN_COPY, 0, 1, 1},
    {"Cos", ETR_XNN_COS, 0, 1, 1},
};

static const char magic[] = "XH00";

const char *etr_xnn_payload_version(etr_arena *arena, etr_slice head) {
  return etr_payload_identifier(arena, head, magic);
}

/* Returns how many of a payload's `size` bytes its graph takes: up to its end if there is a header,
 * all without one. Returns 0 if `head`, the first bytes, is of no XNNPACK payload: without a header
 * the FlatBuffer's identifier, "XN00" or "XN01", is at byte 4. */
uint64_t etr_xnn_payload_needed(etr_slice head, uint64_t size) {
  if (etr_payload_has_header(head, magic))
    return etr_payload_graph_end(head, size);
  return head.size >= 8 && memcmp(head.data + 4, "XN0", 3) == 0 ? size : 0;
}

/* Starts reading the graph of a payload. Returns false if it has none of a known format. */
static bool open_payload(etr_fb *fb, etr_slice payload) {
  etr_slice bytes = etr_payload_graph(payload, magic);
  if (bytes.size < 8)
    return false;
  etr_fb_init(fb, bytes.data, bytes.size);
  return etr_fb_has_identifier(fb, "XN00") || etr_fb_has_identifier(fb, "XN01");
}

static const xnode_type *type_of_xnode(uint8_t type) {
  return type && type < ETR_COUNT(node_types) ? &node_types[type] : NULL;
}

typedef struct payload_reader {
  etr_fb fb;
  etr_payload_operator *operators;
  etr_payload_value *values; /* by id */
  uint32_t operator_count, value_count;
} payload_reader;

/* ---- Values ---- */

/* Returns the hash of a value's shape after all dimensions but the last were merged into one, as
 * linear layers see it; 0 if the merged size exceeds 63 bits. Sizes of 0 are left out of the
 * product. */
static uint64_t rows_shape_hash(const int64_t *sizes, uint32_t rank) {
  int64_t rows[2] = {1, rank ? sizes[rank - 1] : 1};
  for (uint32_t i = 0; i + 1 < rank; i++)
    if (sizes[i] && __builtin_mul_overflow(rows[0], sizes[i], &rows[0]))
      return 0;
  return etr_shape_hash(rows, 2);
}

/* Reads what the join needs of an XValue table: hashes of its shape, which argument of the call it
 * is, and whether it is constant or quantized. A value with an impossible id or rank is ignored. */
static void read_value(payload_reader *r, etr_fb_at table) {
  int64_t sizes[MOST_DIMS];
  uint32_t rank;
  etr_fb_at tensor = etr_fb_table(&r->fb, table, XVALUE_VALUE);
  if (etr_fb_u8(&r->fb, table, XVALUE_TYPE, 0) == TYPE_QUANTIZED)
    tensor = etr_fb_table(&r->fb, tensor, QUANTIZED_TENSOR);
  uint32_t id = etr_fb_u32(&r->fb, tensor, TENSOR_ID, 0);
  etr_fb_at dims = etr_fb_vector(&r->fb, tensor, TENSOR_DIMS, 4, &rank);
  if (id >= r->value_count || rank > MOST_DIMS)
    return;
  for (uint32_t i = 0; i < rank; i++)
    sizes[i] = (uint32_t)etr_fb_i32_at(&r->fb, dims, i);
  uint8_t type = etr_fb_u8(&r->fb, tensor, TENSOR_TYPE, 0);
  uint32_t external = etr_fb_u32(&r->fb, tensor, TENSOR_EXTERNAL, 0);
  bool is_external = (etr_fb_u32(&r->fb, tensor, TENSOR_FLAGS, 0) & IS_EXTERNAL) &&
                     external <= INT32_MAX;
  r->values[id] = (etr_payload_value){
      .shape = etr_shape_hash(sizes, rank),
      .rows_shape = rows_shape_hash(sizes, rank),
      .argument = is_external ? (int32_t)external : -1,
      .is_constant = etr_fb_u32(&r->fb, tensor, TENSOR_CONSTANT, 0) != 0,
      .is_quantized = type > TYPE_FP16 && type < TYPE_INT32,
  };
}

/* Reads the values of the payload into r->values, whose index is their id. Ids may be slightly
 * larger than the number of values, so there is room for twice as many. Returns false if the
 * payload is damaged, or when out of memory. */
static bool read_values(payload_reader *r, etr_arena *arena) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(&r->fb, etr_fb_root(&r->fb), GRAPH_XVALUES, 4, &count);
  if (etr_fb_failed(&r->fb))
    return false;
  r->value_count = count * 2;
  r->values = etr_arena_alloc_array(arena, r->value_count, sizeof *r->values);
  for (uint32_t i = 0; r->values && i < r->value_count; i++)
    r->values[i].argument = -1;
  for (uint32_t i = 0; r->values && i < count && !etr_fb_failed(&r->fb); i++)
    read_value(r, etr_fb_table_at(&r->fb, vector, i));
  return r->values != NULL;
}

/* ---- XNodes ---- */

/* Reads the id of a value from a field of an XNode; ETR_NONE if it is invalid. */
static uint32_t read_value_id(payload_reader *r, etr_fb_at table, unsigned field) {
  uint32_t id = etr_fb_u32(&r->fb, table, field, 0);
  return id < r->value_count ? id : ETR_NONE;
}

/* Returns whether an XNode has limits for its result, {min, max}, of which one is not infinite: an
 * activation was fused into it. */
static bool has_activation(payload_reader *r, etr_fb_at limits) {
  return limits && (fabsf(etr_fb_f32(&r->fb, limits, 0, 0)) < 3e38f ||
                    fabsf(etr_fb_f32(&r->fb, limits, 1, 0)) < 3e38f);
}

/* Reads what the join needs of an XNode table: class, values that it reads and writes, debug
 * handle, and other classes that its events may have: Square for a product of a value with itself,
 * and a Clamp after a binary operator with limits. An operator of unknown type has only its handle.
 */
static etr_payload_operator read_payload_operator(payload_reader *r, etr_fb_at table) {
  uint8_t type = etr_fb_u8(&r->fb, table, XNODE_TYPE, 0);
  uint32_t handle = etr_fb_u32(&r->fb, table, XNODE_HANDLE, 0);
  etr_fb_at value = etr_fb_table(&r->fb, table, XNODE_VALUE);
  etr_fb_at limits = etr_fb_table(&r->fb, table, XNODE_MIN_MAX);
  etr_payload_operator o = {
      .handle = handle == NO_HANDLE ? 0 : handle,
      .output = ETR_NONE,
      .whole = ETR_NONE,
      .completes = ETR_NONE,
  };
  const xnode_type *xnode = type_of_xnode(type);
  if (!xnode)
    return o;
  o.class_ = xnode->class_;
  o.input_count = xnode->input_count;
  for (uint8_t i = 0; i < o.input_count; i++)
    o.inputs[i] = read_value_id(r, value, xnode->input + (unsigned)i);
  if (strcmp(xnode->name, "Concatenate5") == 0)
    o.inputs[o.input_count++] = read_value_id(r, value, CONCATENATE5_INPUT);
  o.whole = o.output = read_value_id(r, value, xnode->output);
  bool is_binary = etr_xnn_is_binary(o.class_);
  if (o.class_ == ETR_XNN_MUL && o.inputs[0] == o.inputs[1])
    o.alternative = ETR_XNN_SQUARE;
  if (is_binary && has_activation(r, limits))
    o.activation = ETR_XNN_CLAMP;
  return o;
}

/* ---- Lookups ---- */

/* Returns whether the second operator reads the result of the first as its first input. */
static bool feeds(const etr_payload_operator *a, const etr_payload_operator *b) {
  return a->output != ETR_NONE && b->input_count && a->output == b->inputs[0];
}

/* Returns true for an operator on one value. The runtime may run any chain of such operators
 * between 8-bit numbers as one table lookup. */
static bool may_be_part_of_lookup(const etr_payload_operator *operator_) {
  return operator_->class_ == ETR_XNN_CONVERT || etr_xnn_is_unary(operator_->class_) ||
         operator_->alternative == ETR_XNN_SQUARE;
}

/* Of a value: whether operators on one value compute it from 8-bit numbers, and whether a
 * conversion turns it into 8-bit numbers. */
typedef struct int8_reach {
  bool is_from_int8, becomes_int8;
} int8_reach;

/* Gives operators on one value between 8-bit numbers the alternative class Lookup: those whose
 * input is computed from 8-bit numbers, and whose result has 8 bits or is read by a Convert to 8
 * bits. Operators are in the order in which they run, so that one pass finds what is computed from
 * 8-bit numbers. Returns false when out of memory. */
static bool mark_lookups(payload_reader *r, etr_arena *arena) {
  int8_reach *values = etr_arena_alloc_array(arena, r->value_count, sizeof *values);
  if (!values)
    return false;
  for (uint32_t i = 0; i < r->value_count; i++)
    values[i].is_from_int8 = values[i].becomes_int8 = r->values[i].is_quantized;
  for (uint32_t i = 0; i < r->operator_count; i++) {
    const etr_payload_operator *operator_ = &r->operators[i];
    if (!may_be_part_of_lookup(operator_) || operator_->inputs[0] == ETR_NONE ||
        operator_->output == ETR_NONE)
      continue;
    values[operator_->output].is_from_int8 |= values[operator_->inputs[0]].is_from_int8;
    values[operator_->inputs[0]].becomes_int8 |= operator_->class_ == ETR_XNN_CONVERT &&
                                                 r->values[operator_->output].is_quantized;
  }
  for (uint32_t i = 0; i < r->operator_count; i++) {
    etr_payload_operator *operator_ = &r->operators[i];
    bool is_known = may_be_part_of_lookup(operator_) && operator_->class_ != ETR_XNN_CONVERT &&
                    operator_->inputs[0] != ETR_NONE && operator_->output != ETR_NONE;
    if (is_known && values[operator_->inputs[0]].is_from_int8 &&
        values[operator_->output].becomes_int8)
      operator_->alternative = ETR_XNN_LOOKUP;
  }
  return true;
}

/* Sets is_idle of operators that the runtime drops: the first of two reshapes in a row if nothing
 * else reads its result and it is no argument of the call, and the second of two Clamps in a row.
 * Returns false when out of memory. */
static bool mark_idle_operators(payload_reader *r, etr_arena *arena) {
  /* Per value: something other than a reshape reads it. */
  bool *is_read = etr_arena_alloc_array(arena, r->value_count, sizeof *is_read);
  for (uint32_t i = 0; is_read && i < r->operator_count; i++)
    for (uint8_t k = 0; k < r->operators[i].input_count; k++)
      if (r->operators[i].inputs[k] != ETR_NONE && r->operators[i].class_ != ETR_XNN_RESHAPE)
        is_read[r->operators[i].inputs[k]] = true;
  for (uint32_t i = 0; is_read && i < r->operator_count; i++) {
    etr_payload_operator *operator_ = &r->operators[i];
    if (operator_->output == ETR_NONE)
      continue;
    operator_->is_idle = operator_->class_ == ETR_XNN_RESHAPE && !is_read[operator_->output] &&
                         r->values[operator_->output].argument < 0;
    operator_->is_idle |= operator_->class_ == ETR_XNN_CLAMP && i > 0 &&
                          operator_[-1].class_ == ETR_XNN_CLAMP && feeds(operator_ - 1, operator_);
  }
  return is_read != NULL;
}

/* A concatenation of more values than one operator takes is several operators in a row, of which
 * only the first has a debug handle. Sets `completes` of the others to the first, and the whole
 * result of that. */
static void join_split_concatenations(payload_reader *r) {
  for (uint32_t i = 1, first = 0; i < r->operator_count; i++) {
    etr_payload_operator *operator_ = &r->operators[i];
    etr_payload_operator *previous = &r->operators[i - 1];
    bool continues_previous = operator_->class_ == ETR_XNN_COPY && operator_->input_count > 1 &&
                              operator_->handle == 0 && previous->class_ == ETR_XNN_COPY &&
                              feeds(previous, operator_);
    if (!continues_previous) {
      first = i;
      continue;
    }
    operator_->completes = first;
    r->operators[first].whole = operator_->output;
  }
}

/* Reads the operators and values of a payload that the join compares with events and nodes. Returns
 * false, with *out empty, if it is damaged or of another format, or when out of memory. */
bool etr_xnn_payload_read(etr_payload *out, etr_arena *arena, etr_slice payload) {
  payload_reader r = {.operator_count = 0};
  uint32_t count;
  *out = (etr_payload){0};
  if (!open_payload(&r.fb, payload))
    return false;
  etr_fb_at vector = etr_fb_vector(&r.fb, etr_fb_root(&r.fb), GRAPH_XNODES, 4, &count);
  if (etr_fb_failed(&r.fb) || !read_values(&r, arena))
    return false;
  r.operators = etr_arena_alloc_array(arena, count, sizeof *r.operators);
  for (uint32_t i = 0; r.operators && i < count && !etr_fb_failed(&r.fb); i++)
    r.operators[r.operator_count++] = read_payload_operator(&r, etr_fb_table_at(&r.fb, vector, i));
  if (etr_fb_failed(&r.fb) || etr_arena_failed(arena))
    return false;
  join_split_concatenations(&r);
  if (!mark_lookups(&r, arena) || !mark_idle_operators(&r, arena))
    return false;
  *out = (etr_payload){
      .operators = r.operators,
      .count = r.operator_count,
      .values = r.values,
      .value_count = r.value_count,
  };
  return true;
}

/* ---- XNodes and XValues as people see them: names, types, shapes, sizes of weights ---- */

enum { BUFFER_STORAGE = 0, MOST_READS = 8 };
enum {
  QUANTIZED_PARAMETERS = 1,
  BY_CHANNEL = 1,
  BY_GROUP = 4,
  CHANNEL_SCALES = 2,
  GROUP_SCALES = 4
};

typedef struct graph_reader {
  etr_fb fb;
  etr_arena *arena;
  etr_own_value *values; /* by id */
  uint32_t value_count;
  etr_slice payload;
  etr_fb_at constants, buffers;
  uint32_t constant_count, buffer_count;
} graph_reader;

/* ---- Values ---- */

/* Returns where the data of the constant with this index is: after the graph, in named data, or in
 * older payloads inside the graph. */
static etr_own_data data_of_constant(graph_reader *r, uint32_t index) {
  etr_own_data data = {.offset = ETR_UNKNOWN};
  if (index < r->constant_count) {
    etr_fb_at table = etr_fb_table_at(&r->fb, r->constants, index);
    data = etr_own_data_read(&r->fb, table, etr_payload_data_at(r->payload, magic), r->arena);
  } else if (index < r->buffer_count) {
    etr_slice bytes = etr_fb_bytes(&r->fb, etr_fb_table_at(&r->fb, r->buffers, index),
                                   BUFFER_STORAGE);
    data.bytes = bytes.size;
    if (bytes.size > 0)
      data.offset = (uint64_t)(bytes.data - r->payload.data);
  }
  return data;
}

/* Returns the index of the constant with the scales of a quantized tensor, which has one per
 * channel or per group; 0 if the scales are no constant. */
static uint32_t constant_of_scales(graph_reader *r, etr_fb_at outer) {
  uint8_t type = etr_fb_u8(&r->fb, outer, QUANTIZED_PARAMETERS, 0);
  etr_fb_at parameters = etr_fb_table(&r->fb, outer, QUANTIZED_PARAMETERS + 1);
  if (type != BY_CHANNEL && type != BY_GROUP)
    return 0;
  return etr_fb_u32(&r->fb, parameters, type == BY_CHANNEL ? CHANNEL_SCALES : GROUP_SCALES, 0);
}

/* Reads an XValue table as the backend graph shows it: number type, shape, which argument of the
 * call it is, and where the data and scales of a constant are. */
static void read_own_value(graph_reader *r, etr_fb_at table) {
  etr_fb_at tensor = etr_fb_table(&r->fb, table, XVALUE_VALUE);
  etr_fb_at outer = 0;
  if (etr_fb_u8(&r->fb, table, XVALUE_TYPE, 0) == TYPE_QUANTIZED) {
    outer = tensor;
    tensor = etr_fb_table(&r->fb, tensor, QUANTIZED_TENSOR);
  }
  uint32_t id = etr_fb_u32(&r->fb, tensor, TENSOR_ID, 0);
  uint32_t constant = etr_fb_u32(&r->fb, tensor, TENSOR_CONSTANT, 0);
  uint32_t external = etr_fb_u32(&r->fb, tensor, TENSOR_EXTERNAL, 0);
  bool is_external = (etr_fb_u32(&r->fb, tensor, TENSOR_FLAGS, 0) & IS_EXTERNAL) &&
                     external <= INT32_MAX;
  if (id >= r->value_count)
    return;
  etr_own_value *value = &r->values[id];
  /* torch's names; of what torch does not have XNNPACK's. */
  uint8_t type = etr_fb_u8(&r->fb, tensor, TENSOR_TYPE, 0);
  static const char *const names[] = {NULL,     "float32", "float16", "qint8",    "quint8",
                                      "qint32", "qcint8",  "qcint32", "qcint4",   "qdint8",
                                      "qbint4", "qpint8",  "int32",   "pfloat32", "bfloat16"};
  value->value.dtype = type < ETR_COUNT(names) ? names[type] : NULL;
  value->argument = is_external ? (int32_t)external : -1;
  value->is_constant = constant != 0;
  if (constant != 0)
    value->data = data_of_constant(r, constant);
  uint32_t scales = outer && constant != 0 ? constant_of_scales(r, outer) : 0;
  if (scales != 0)
    value->scales = data_of_constant(r, scales);
  uint32_t rank;
  etr_fb_at sizes = etr_fb_vector(&r->fb, tensor, TENSOR_DIMS, 4, &rank);
  etr_dim *dims = rank <= MOST_DIMS ? etr_arena_alloc_array(r->arena, rank, sizeof *dims) : NULL;
  value->value.rank = -1;
  if (!dims)
    return;
  for (uint32_t i = 0; i < rank; i++)
    dims[i] = (etr_dim){.size = (uint32_t)etr_fb_i32_at(&r->fb, sizes, i), .hint = -1};
  value->value.dims = dims;
  value->value.rank = (int32_t)rank;
}

/* Reads the values of the payload into r->values, whose index is their id. Ids may be slightly
 * larger than the number of values, so there is room for twice as many. Returns false if the
 * payload is damaged, or when out of memory. */
static bool read_own_values(graph_reader *r) {
  uint32_t count;
  etr_fb_at root = etr_fb_root(&r->fb);
  etr_fb_at vector = etr_fb_vector(&r->fb, root, GRAPH_XVALUES, 4, &count);
  r->constants = etr_fb_vector(&r->fb, root, GRAPH_CONSTANT_DATA, 4, &r->constant_count);
  r->buffers = etr_fb_vector(&r->fb, root, GRAPH_CONSTANT_BUFFERS, 4, &r->buffer_count);
  if (etr_fb_failed(&r->fb))
    return false;
  r->value_count = count * 2;
  r->values = etr_arena_alloc_array(r->arena, r->value_count, sizeof *r->values);
  for (uint32_t i = 0; r->values && i < r->value_count; i++)
    r->values[i] = (etr_own_value){.value.rank = -1, .argument = -1};
  for (uint32_t i = 0; r->values && i < count && !etr_fb_failed(&r->fb); i++)
    read_own_value(r, etr_fb_table_at(&r->fb, vector, i));
  return r->values != NULL;
}

/* ---- Operators ---- */

/* Appends the id of a value in a field of an XNode to a list, if it is valid. */
static void append_value_id(graph_reader *r, uint32_t *list, size_t *count, etr_fb_at node,
                            unsigned field) {
  uint32_t id = etr_fb_u32(&r->fb, node, field, 0);
  if (id < r->value_count)
    list[(*count)++] = id;
}

/* Returns the rule by which the multiplications of an operator are counted, from what
 * xnn_define_...() in XNNPACK's subgraph.h say each type computes. */
static etr_work work_of_type(const xnode_type *type) {
  static const struct {
    const char *name;
    etr_work work;
  } products[] = {
      {"Conv2d", ETR_WORK_CONVOLUTION},         {"DepthwiseConv2d", ETR_WORK_CONVOLUTION},
      {"ConvTranspose2d", ETR_WORK_TRANSPOSED}, {"FullyConnected", ETR_WORK_LINEAR},
      {"BatchMatrixMultiply", ETR_WORK_MATMUL}, {"ScaledDotProductAttention", ETR_WORK_ATTENTION}};
  for (size_t i = 0; i < ETR_COUNT(products); i++)
    if (strcmp(type->name, products[i].name) == 0)
      return products[i].work;
  return ETR_WORK_NO_PRODUCT;
}

/* Returns the text of two numbers, "[1, 1]"; NULL when out of memory. */
static const char *pair_text(etr_arena *arena, const uint32_t numbers[2]) {
  return etr_arena_format(arena, "[%" PRIu32 ", %" PRIu32 "]", numbers[0], numbers[1]);
}

/* Reads the arguments of a convolution. One that pads opposite sides differently has no "padding",
 * as ATen has none like it. Returns false when out of memory. */
static bool read_convolution(graph_reader *r, etr_own_operator *out, etr_fb_at node) {
  enum { TOP, RIGHT, BOTTOM, LEFT, STRIDE = 6, DILATION = 8, GROUPS = 12, MOST_ARGUMENTS = 4 };
  uint32_t fields[GROUPS + 1];
  etr_argument *list = etr_arena_alloc_array(r->arena, MOST_ARGUMENTS, sizeof *list);
  if (!list)
    return false;
  for (unsigned i = 0; i <= GROUPS; i++)
    fields[i] = etr_fb_u32(&r->fb, node, i, 0);
  out->arguments = list;
  list[out->argument_count++] = (etr_argument){"stride", pair_text(r->arena, &fields[STRIDE])};
  if (fields[TOP] == fields[BOTTOM] && fields[LEFT] == fields[RIGHT])
    list[out->argument_count++] = (etr_argument){
        "padding", pair_text(r->arena, (const uint32_t[]){fields[TOP], fields[LEFT]})};
  list[out->argument_count++] = (etr_argument){"dilation", pair_text(r->arena, &fields[DILATION])};
  list[out->argument_count++] = (etr_argument){
      "groups", etr_arena_format(r->arena, "%" PRIu32, fields[GROUPS])};
  return !etr_arena_failed(r->arena);
}

/* Reads an XNode table as the backend graph shows it: name, and ids of the values that it reads and
 * writes, which one of unknown type has not. Returns false when out of memory. */
static bool read_operator(graph_reader *r, etr_own_operator *out, etr_fb_at table) {
  uint32_t reads[MOST_READS], write;
  size_t write_count = 0;
  const xnode_type *type = type_of_xnode(etr_fb_u8(&r->fb, table, XNODE_TYPE, 0));
  etr_fb_at node = etr_fb_table(&r->fb, table, XNODE_VALUE);
  out->name = type ? type->name : "unknown";
  out->work = type ? work_of_type(type) : ETR_WORK_HIDDEN;
  if (!type)
    return true;
  /* Fields between the first input and the output are inputs too, such as a bias or a mask. A
   * concatenation leaves some of them empty. */
  size_t count = 0;
  bool is_cat = type->class_ == ETR_XNN_COPY;
  unsigned end = is_cat ? type->input + (unsigned)type->input_count : type->output;
  if (end <= type->input)
    end = type->input + (unsigned)type->input_count;
  for (unsigned field = type->input; field < end; field++)
    append_value_id(r, reads, &count, node, field);
  if (strcmp(type->name, "Concatenate5") == 0)
    append_value_id(r, reads, &count, node, CONCATENATE5_INPUT);
  out->read_count = count;
  append_value_id(r, &write, &write_count, node, type->output);
  uint32_t *ids = etr_arena_alloc_array(r->arena, out->read_count + write_count, sizeof *ids);
  if (!ids)
    return false;
  memcpy(ids, reads, out->read_count * sizeof *ids);
  if (write_count)
    ids[out->read_count] = write;
  out->reads = ids;
  out->writes = ids + out->read_count;
  out->write_count = write_count;
  bool is_convolution = out->work == ETR_WORK_CONVOLUTION || out->work == ETR_WORK_TRANSPOSED;
  return !is_convolution || read_convolution(r, out, node);
}

/* Operators are numbered from 1 in the order in which they run. */
bool etr_xnn_graph_read(etr_own_graph *out, etr_arena *arena, etr_slice payload) {
  graph_reader r = {.arena = arena, .payload = payload};
  uint32_t count;
  *out = (etr_own_graph){0};
  if (!open_payload(&r.fb, payload) || !read_own_values(&r))
    return false;
  etr_fb_at vector = etr_fb_vector(&r.fb, etr_fb_root(&r.fb), GRAPH_XNODES, 4, &count);
  etr_own_operator *operators = etr_fb_failed(&r.fb)
                                    ? NULL
                                    : etr_arena_alloc_array(arena, count, sizeof *operators);
  if (!operators)
    return false;
  for (uint32_t i = 0; i < count && !etr_fb_failed(&r.fb); i++) {
    operators[i].id = (int64_t)i + 1;
    if (!read_operator(&r, &operators[i], etr_fb_table_at(&r.fb, vector, i)))
      return false;
  }
  if (etr_fb_failed(&r.fb) || etr_arena_failed(arena))
    return false;
  *out = (etr_own_graph){
      .operators = operators,
      .count = count,
      .values = r.values,
      .value_count = r.value_count,
      .is_numbered = true,
  };
  return true;
}
