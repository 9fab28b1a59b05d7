/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack.c - XNodes, and the classes of XNodes, events and graph operators.
 */
#include "xnnpack.h"

#include "flatbuf.h"

#include <math.h>

/* ---- Classes ---- */

/* Names of events start with the operator's. Where one prefix contains another, the longer stands first. */
static const struct {
  const char *prefix;
  etr_xnn_class class_;
} event_prefixes[] = {
    {"Convolution", ETR_XNN_MATMUL},
    {"Fully Connected", ETR_XNN_MATMUL},
    {"Dynamic Fully Connected", ETR_XNN_MATMUL},
    {"Deconvolution", ETR_XNN_DECONV},
    {"Batch Matrix Multiply", ETR_XNN_BMM},
    {"Add", ETR_XNN_ADD},
    {"Multiply", ETR_XNN_MUL},
    {"Subtract", ETR_XNN_SUB},
    {"Divide", ETR_XNN_DIV},
    {"Minimum", ETR_XNN_MIN},
    {"Maximum", ETR_XNN_MAX},
    {"PReLU", ETR_XNN_PRELU},
    {"Softmax", ETR_XNN_SOFTMAX},
    {"Sigmoid", ETR_XNN_SIGMOID},
    {"TanH", ETR_XNN_TANH},
    {"Tanh", ETR_XNN_TANH},
    {"Approx GELU", ETR_XNN_GELU},
    {"GELU", ETR_XNN_GELU},
    {"Gelu", ETR_XNN_GELU},
    {"HardSwish", ETR_XNN_HARDSWISH},
    {"Hardswish", ETR_XNN_HARDSWISH},
    {"Clamp", ETR_XNN_CLAMP},
    {"Floor", ETR_XNN_FLOOR},
    {"Ceiling", ETR_XNN_CEIL},
    {"Bankers", ETR_XNN_ROUND},
    {"Negate", ETR_XNN_NEG},
    {"Square Root", ETR_XNN_SQRT},
    {"Square", ETR_XNN_SQUARE},
    {"Absolute", ETR_XNN_ABS},
    {"Abs", ETR_XNN_ABS},
    {"Reciprocal Square Root", ETR_XNN_RSQRT},
    {"ELU", ETR_XNN_ELU},
    {"Leaky ReLU", ETR_XNN_LEAKY_RELU},
    {"LeakyReLU", ETR_XNN_LEAKY_RELU},
    {"Log", ETR_XNN_LOG},
    {"Exp", ETR_XNN_EXP},
    {"Sin", ETR_XNN_SIN},
    {"Cos", ETR_XNN_COS},
    {"Convert", ETR_XNN_CONVERT},
    {"Copy", ETR_XNN_COPY},
    {"Concatenate", ETR_XNN_COPY},
    {"Static Reshape", ETR_XNN_RESHAPE},
    {"Reshape", ETR_XNN_RESHAPE},
    {"Transpose", ETR_XNN_TRANSPOSE},
    {"Static Slice", ETR_XNN_SLICE},
    {"Slice", ETR_XNN_SLICE},
    {"Constant Pad", ETR_XNN_PAD},
    {"Resize Bilinear", ETR_XNN_RESIZE},
    {"Average Pooling", ETR_XNN_AVGPOOL},
    {"Max Pooling", ETR_XNN_MAXPOOL},
    {"ArgMax Pooling", ETR_XNN_ARGMAXPOOL},
    {"Global Average Pooling", ETR_XNN_MEAN},
    {"Mean", ETR_XNN_MEAN},
    {"Sum", ETR_XNN_MEAN},
    {"Scaled Dot Product Attention", ETR_XNN_SDPA},
    {"Invalid Unary Op", ETR_XNN_LOOKUP},
};

const char *etr_xnn_class_name(etr_xnn_class class_) {
  if (class_ == ETR_XNN_DWCONV) return "Convolution DWConv";
  if (class_ == ETR_XNN_MATMUL) return "Convolution or Fully Connected";
  for (size_t i = 0; i < ETR_COUNT(event_prefixes); i++)
    if (event_prefixes[i].class_ == class_) return event_prefixes[i].prefix;
  return "Operator";
}

etr_xnn_class etr_xnn_class_of_event(const char *id) {
  etr_slice name = etr_slice_of(id);
  for (size_t i = 0; i < ETR_COUNT(event_prefixes); i++) {
    if (event_prefixes[i].prefix[0] != id[0] || !etr_slice_starts(name, etr_slice_of(event_prefixes[i].prefix))) continue;
    return i == 0 && strstr(id, "DWConv") ? ETR_XNN_DWCONV : event_prefixes[i].class_;
  }
  return ETR_XNN_NONE;
}

static const struct {
  const char *op;
  etr_xnn_class class_;
} operators[] = {
    {"convolution", ETR_XNN_MATMUL},
    {"linear", ETR_XNN_MATMUL},
    {"addmm", ETR_XNN_MATMUL},
    {"mm", ETR_XNN_MATMUL},
    {"bmm", ETR_XNN_BMM},
    {"matmul", ETR_XNN_BMM},
    {"add", ETR_XNN_ADD},
    {"mul", ETR_XNN_MUL},
    {"sub", ETR_XNN_SUB},
    {"div", ETR_XNN_DIV},
    {"minimum", ETR_XNN_MIN},
    {"maximum", ETR_XNN_MAX},
    {"prelu", ETR_XNN_PRELU},
    {"softmax", ETR_XNN_SOFTMAX},
    {"sigmoid", ETR_XNN_SIGMOID},
    {"tanh", ETR_XNN_TANH},
    {"gelu", ETR_XNN_GELU},
    {"hardswish", ETR_XNN_HARDSWISH},
    {"relu", ETR_XNN_CLAMP},
    {"hardtanh", ETR_XNN_CLAMP},
    {"clamp", ETR_XNN_CLAMP},
    {"relu6", ETR_XNN_CLAMP},
    {"floor", ETR_XNN_FLOOR},
    {"ceil", ETR_XNN_CEIL},
    {"round", ETR_XNN_ROUND},
    {"neg", ETR_XNN_NEG},
    {"pow", ETR_XNN_SQUARE},
    {"square", ETR_XNN_SQUARE},
    {"abs", ETR_XNN_ABS},
    {"sqrt", ETR_XNN_SQRT},
    {"rsqrt", ETR_XNN_RSQRT},
    {"elu", ETR_XNN_ELU},
    {"leaky_relu", ETR_XNN_LEAKY_RELU},
    {"log", ETR_XNN_LOG},
    {"exp", ETR_XNN_EXP},
    {"sin", ETR_XNN_SIN},
    {"cos", ETR_XNN_COS},
    {"quantize_per_tensor", ETR_XNN_CONVERT},
    {"dequantize_per_tensor", ETR_XNN_CONVERT},
    {"to_copy", ETR_XNN_CONVERT},
    {"to_dim_order_copy", ETR_XNN_CONVERT},
    {"quantize_per_token", ETR_XNN_CONVERT},
    {"cat", ETR_XNN_COPY},
    {"clone", ETR_XNN_COPY},
    {"clone_dim_order", ETR_XNN_COPY},
    {"view_copy", ETR_XNN_RESHAPE},
    {"view", ETR_XNN_RESHAPE},
    {"unsqueeze_copy", ETR_XNN_RESHAPE},
    {"squeeze_copy", ETR_XNN_RESHAPE},
    {"reshape", ETR_XNN_RESHAPE},
    {"expand_copy", ETR_XNN_RESHAPE},
    {"permute_copy", ETR_XNN_TRANSPOSE},
    {"t_copy", ETR_XNN_TRANSPOSE},
    {"transpose_copy", ETR_XNN_TRANSPOSE},
    {"slice_copy", ETR_XNN_SLICE},
    {"constant_pad_nd", ETR_XNN_PAD},
    {"upsample_bilinear2d", ETR_XNN_RESIZE},
    {"avg_pool2d", ETR_XNN_AVGPOOL},
    {"max_pool2d", ETR_XNN_MAXPOOL},
    {"max_pool2d_with_indices", ETR_XNN_MAXPOOL},
    {"mean", ETR_XNN_MEAN},
    {"sum", ETR_XNN_MEAN},
    {"scaled_dot_product_attention", ETR_XNN_SDPA},
};

etr_xnn_class etr_xnn_class_of_operator(etr_slice op) {
  for (size_t i = 0; op.size && i < ETR_COUNT(operators); i++)
    if (operators[i].op[0] == op.data[0] && etr_slice_equal(op, etr_slice_of(operators[i].op))) return operators[i].class_;
  return ETR_XNN_NONE;
}

/* By XNodeUnion's type, in the order of the schema; which field holds the output (the inputs come first). */
static const struct {
  etr_xnn_class class_;
  uint8_t input, output; /* field numbers */
} node_types[] = {
    {ETR_XNN_NONE, 0, 0},       {ETR_XNN_ADD, 0, 2}, /* XNNAdd */
    {ETR_XNN_MATMUL, 0, 3},                          /* XNNFullyConnected */
    {ETR_XNN_SOFTMAX, 0, 1},                         /* XNNSoftmax */
    {ETR_XNN_SIGMOID, 0, 1},                         /* XNNSigmoid */
    {ETR_XNN_TRANSPOSE, 2, 3},                       /* XNNStaticTranspose */
    {ETR_XNN_CLAMP, 0, 1},                           /* XNNClamp */
    {ETR_XNN_MATMUL, 15, 18},                        /* XNNConv2d */
    {ETR_XNN_DIV, 0, 2},                             /* XNNDiv */
    {ETR_XNN_RESIZE, 2, 3},                          /* XNNStaticResizeBilinear2D */
    {ETR_XNN_PAD, 3, 4},                             /* XNNStaticConstantPad */
    {ETR_XNN_AVGPOOL, 10, 11},                       /* XNNAvgPooling2d */
    {ETR_XNN_MIN, 0, 2},                             /* XNNMinimum */
    {ETR_XNN_DWCONV, 15, 18},                        /* XNNDepthwiseConv2d */
    {ETR_XNN_MAXPOOL, 10, 11},                       /* XNNMaxPooling2d */
    {ETR_XNN_MUL, 0, 2},                             /* XNNMultiply */
    {ETR_XNN_SUB, 0, 2},                             /* XNNSubtract */
    {ETR_XNN_FLOOR, 0, 1},                           /* XNNFloor */
    {ETR_XNN_CONVERT, 0, 1},                         /* XNNConvert */
    {ETR_XNN_MEAN, 0, 1},                            /* XNNGlobalAvgPooling2d */
    {ETR_XNN_RESHAPE, 2, 3},                         /* XNNStaticReshape */
    {ETR_XNN_ARGMAXPOOL, 6, 7},                      /* XNNArgMaxPooling2d */
    {ETR_XNN_SQRT, 0, 1},                            /* XNNSquareRoot */
    {ETR_XNN_CEIL, 0, 1},                            /* XNNCeiling */
    {ETR_XNN_HARDSWISH, 0, 1},                       /* XNNHardswish */
    {ETR_XNN_LEAKY_RELU, 1, 2},                      /* XNNLeakyReLU */
    {ETR_XNN_MAX, 0, 2},                             /* XNNMaximum */
    {ETR_XNN_NEG, 0, 1},                             /* XNNNegate */
    {ETR_XNN_SQUARE, 0, 1},                          /* XNNSquare */
    {ETR_XNN_ELU, 1, 2},                             /* XNNELU */
    {ETR_XNN_ABS, 0, 1},                             /* XNNAbs */
    {ETR_XNN_PRELU, 0, 2},                           /* XNNPReLU */
    {ETR_XNN_COPY, 1, 5},                            /* XNNConcatenate2 */
    {ETR_XNN_COPY, 1, 5},                            /* XNNConcatenate3 */
    {ETR_XNN_COPY, 1, 5},                            /* XNNConcatenate4 */
    {ETR_XNN_SLICE, 3, 4},                           /* XNNStaticSlice */
    {ETR_XNN_SDPA, 0, 5},                            /* XNNScaledDotProductAttention */
    {ETR_XNN_BMM, 0, 2},                             /* XNNBatchMatrixMultiply */
    {ETR_XNN_COPY, 1, 5},                            /* XNNConcatenate5 */
    {ETR_XNN_DECONV, 15, 18},                        /* XNNConvTranspose2d */
    {ETR_XNN_RSQRT, 0, 1},                           /* XNNReciprocalSquareRoot */
    {ETR_XNN_LOG, 0, 1},                             /* XNNLog */
    {ETR_XNN_GELU, 0, 1},                            /* XNNGelu */
    {ETR_XNN_TANH, 0, 1},                            /* XNNTanh */
    {ETR_XNN_EXP, 0, 1},                             /* XNNExp */
    {ETR_XNN_SIN, 0, 1},                             /* XNNSin */
    {ETR_XNN_COPY, 0, 1},                            /* XNNCopy */
    {ETR_XNN_COS, 0, 1},                             /* XNNCos */
};

/* ---- Payload ---- */

enum { GRAPH_XNODES = 1, GRAPH_XVALUES, XNODE_TYPE = 0, XNODE_VALUE, XNODE_HANDLE, XNODE_MIN_MAX, NO_HANDLE = 65535, NO_VALUE = -1 };
enum { XVALUE_TYPE, XVALUE_VALUE, XVALUE_QUANTIZED = 2, QUANTIZED_TENSOR = 0, TENSOR_DIMS = 2, TENSOR_ID = 6, MOST_DIMS = 64, BINARY_SECOND = 1 };

enum { HEADER_GRAPH_OFFSET = 10, HEADER_GRAPH_SIZE = 14 }; /* of XH00, which stands at byte 4 */

typedef struct xnode {
  etr_xnn_class class_;
  uint32_t handle;
  int64_t input, output;             /* value ids */
  uint64_t elements;                 /* of the output */
  bool has_activation, is_of_itself; /* both inputs are the same */
} xnode;

/* How many elements each value has, by its id; 0: not told. */
typedef struct value_sizes {
  uint64_t *elements;
  size_t count;
} value_sizes;

/* Behind an XH00 header the graph lies at an offset; older payloads are the graph itself. */
static bool has_header(etr_slice payload) { return payload.size >= ETR_XNN_HEAD_BYTES && memcmp(payload.data + 4, "XH00", 4) == 0; }

static uint32_t load_u32(const char *at) {
  const uint8_t *p = (const uint8_t *)at;
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static etr_slice graph_bytes(etr_slice payload) {
  if (!has_header(payload)) return payload;
  uint32_t offset = load_u32(payload.data + HEADER_GRAPH_OFFSET), size = load_u32(payload.data + HEADER_GRAPH_SIZE);
  if (offset > payload.size || size > payload.size - offset) return (etr_slice){0};
  return (etr_slice){payload.data + offset, size};
}

uint64_t etr_xnn_payload_needed(etr_slice head, uint64_t size) {
  if (has_header(head)) return ETR_MIN(size, (uint64_t)load_u32(head.data + HEADER_GRAPH_OFFSET) + load_u32(head.data + HEADER_GRAPH_SIZE));
  return head.size >= 8 && memcmp(head.data + 4, "XN0", 3) == 0 ? size : 0;
}

static bool is_binary(etr_xnn_class c) { return c >= ETR_XNN_ADD && c <= ETR_XNN_PRELU; }

static xnode read_xnode(etr_fb *fb, etr_fb_at table) {
  uint8_t type = etr_fb_u8(fb, table, XNODE_TYPE, 0);
  uint32_t handle = etr_fb_u32(fb, table, XNODE_HANDLE, 0);
  etr_fb_at value = etr_fb_table(fb, table, XNODE_VALUE), limits = etr_fb_table(fb, table, XNODE_MIN_MAX);
  xnode node = {.handle = handle == NO_HANDLE ? 0 : handle, .input = NO_VALUE, .output = NO_VALUE};
  if (type > 0 && type < ETR_COUNT(node_types)) {
    node.class_ = node_types[type].class_;
    node.input = etr_fb_u32(fb, value, node_types[type].input, 0);
    node.output = etr_fb_u32(fb, value, node_types[type].output, 0);
    node.is_of_itself = is_binary(node.class_) && etr_fb_u32(fb, value, BINARY_SECOND, 0) == node.input;
  }
  if (limits) node.has_activation = fabsf(etr_fb_f32(fb, limits, 0, 0)) < 3e38f || fabsf(etr_fb_f32(fb, limits, 1, 0)) < 3e38f;
  return node;
}

static void read_xvalue(etr_fb *fb, etr_fb_at table, value_sizes *sizes) {
  etr_fb_at tensor = etr_fb_table(fb, table, XVALUE_VALUE);
  if (etr_fb_u8(fb, table, XVALUE_TYPE, 0) == XVALUE_QUANTIZED) tensor = etr_fb_table(fb, tensor, QUANTIZED_TENSOR);
  uint32_t rank, id = etr_fb_u32(fb, tensor, TENSOR_ID, 0);
  etr_fb_at dims = etr_fb_vector(fb, tensor, TENSOR_DIMS, 4, &rank);
  if (id >= sizes->count || rank > MOST_DIMS) return;
  uint64_t elements = 1;
  for (uint32_t i = 0; i < rank; i++) elements *= (uint32_t)etr_fb_i32_at(fb, dims, i);
  sizes->elements[id] = elements;
}

/* Ids are places in the list, or little more. */
static bool read_value_sizes(value_sizes *out, etr_fb *fb, etr_arena *arena) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, etr_fb_root(fb), GRAPH_XVALUES, 4, &count);
  if (etr_fb_failed(fb)) return false;
  *out = (value_sizes){etr_arena_alloc_array(arena, (size_t)count * 2, sizeof *out->elements), (size_t)count * 2};
  for (uint32_t i = 0; out->elements && i < count && !etr_fb_failed(fb); i++) read_xvalue(fb, etr_fb_table_at(fb, vector, i), out);
  return out->elements != NULL;
}

static bool is_unary(etr_xnn_class c) { return c >= ETR_XNN_SIGMOID && c <= ETR_XNN_COS && c != ETR_XNN_SOFTMAX; }

static bool feeds(const xnode *a, const xnode *b) { return a->output != NO_VALUE && a->output == b->input; }

typedef etr_vec(etr_xnn_operator) operator_list;

static void push(operator_list *list, etr_arena *arena, etr_xnn_class class_, const xnode *from) {
  etr_xnn_operator *added = etr_vec_push(arena, list);
  if (added) *added = (etr_xnn_operator){class_, from->handle, from->elements};
}

/* Makes operators of the XNodes from i on; gives how many XNodes that took. */
static size_t make_operators(operator_list *list, etr_arena *arena, const xnode *nodes, size_t left, etr_xnn_shown shown) {
  const xnode *n = nodes;
  if (shown.lookups && left >= 3 && n[0].class_ == ETR_XNN_CONVERT && n[2].class_ == ETR_XNN_CONVERT && is_unary(n[1].class_) && feeds(n, n + 1) &&
      feeds(n + 1, n + 2)) {
    push(list, arena, ETR_XNN_LOOKUP, &n[1]);
    return 3;
  }
  if (left >= 2 && n[0].class_ == ETR_XNN_CLAMP && n[1].class_ == ETR_XNN_CLAMP && feeds(n, n + 1)) {
    push(list, arena, ETR_XNN_CLAMP, n);
    return 2;
  }
  push(list, arena, n->class_ == ETR_XNN_MUL && n->is_of_itself && shown.squares ? ETR_XNN_SQUARE : n->class_, n);
  if (is_binary(n->class_) && n->has_activation) push(list, arena, ETR_XNN_CLAMP, n);
  return 1;
}

bool etr_xnn_payload_read(etr_xnn_payload *out, etr_arena *arena, etr_slice payload, etr_xnn_shown shown) {
  etr_slice bytes = graph_bytes(payload);
  etr_fb fb;
  uint32_t count;
  *out = (etr_xnn_payload){0};
  if (bytes.size < 8) return false;
  etr_fb_init(&fb, bytes.data, bytes.size);
  if (!etr_fb_has_identifier(&fb, "XN00") && !etr_fb_has_identifier(&fb, "XN01")) return false;
  etr_fb_at vector = etr_fb_vector(&fb, etr_fb_root(&fb), GRAPH_XNODES, 4, &count);
  value_sizes sizes;
  xnode *nodes = etr_fb_failed(&fb) ? NULL : etr_arena_alloc_array(arena, count, sizeof *nodes);
  if (!nodes || !read_value_sizes(&sizes, &fb, arena)) return false;
  for (uint32_t i = 0; i < count && !etr_fb_failed(&fb); i++) {
    nodes[i] = read_xnode(&fb, etr_fb_table_at(&fb, vector, i));
    if (nodes[i].output >= 0 && (uint64_t)nodes[i].output < sizes.count) nodes[i].elements = sizes.elements[nodes[i].output];
  }
  if (etr_fb_failed(&fb)) return false;
  operator_list list = {0};
  for (size_t i = 0; i < count;) i += make_operators(&list, arena, &nodes[i], count - i, shown);
  *out = (etr_xnn_payload){list.data, list.count};
  return !etr_arena_failed(arena);
}
