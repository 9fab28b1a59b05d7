/* SPDX-License-Identifier: BSD-3-Clause
 *
 * xnnpack_graph.c - XNodes and XValues as people see them: names, types, shapes, sizes of weights.
 */
#include "backends/xnnpack_schema.h"

enum { CONSTANT_SIZE = 1, BUFFER_STORAGE = 0, MOST_READS = 8 };

typedef struct graph_reader {
  etr_fb fb;
  etr_arena *arena;
  etr_own_value *values; /* by id */
  uint32_t value_count;
  etr_fb_at constants, buffers;
  uint32_t constant_count, buffer_count;
} graph_reader;

/* ---- Values ---- */

/* Constants lie behind the graph, or in it. */
static uint64_t constant_bytes(graph_reader *r, uint32_t index) {
  if (index < r->constant_count)
    return etr_fb_u64(&r->fb, etr_fb_table_at(&r->fb, r->constants, index), CONSTANT_SIZE, 0);
  if (index >= r->buffer_count) return 0;
  return etr_fb_bytes(&r->fb, etr_fb_table_at(&r->fb, r->buffers, index), BUFFER_STORAGE).size;
}

static void read_value(graph_reader *r, etr_fb_at table) {
  etr_fb_at tensor = etr_fb_table(&r->fb, table, XVALUE_VALUE);
  if (etr_fb_u8(&r->fb, table, XVALUE_TYPE, 0) == TYPE_QUANTIZED)
    tensor = etr_fb_table(&r->fb, tensor, QUANTIZED_TENSOR);
  uint32_t id = etr_fb_u32(&r->fb, tensor, TENSOR_ID, 0), constant = etr_fb_u32(&r->fb, tensor, TENSOR_CONSTANT, 0);
  uint32_t external = etr_fb_u32(&r->fb, tensor, TENSOR_EXTERNAL, 0);
  bool is_external = (etr_fb_u32(&r->fb, tensor, TENSOR_FLAGS, 0) & IS_EXTERNAL) && external <= INT32_MAX;
  if (id >= r->value_count) return;
  etr_own_value *value = &r->values[id];
  /* torch's names; of what torch does not have XNNPACK's. */
  uint8_t type = etr_fb_u8(&r->fb, tensor, TENSOR_TYPE, 0);
  static const char *const names[] = {NULL,     "float32", "float16", "qint8",    "quint8",
                                      "qint32", "qcint8",  "qcint32", "qcint4",   "qdint8",
                                      "qbint4", "qpint8",  "int32",   "pfloat32", "bfloat16"};
  value->value.dtype = type < ETR_COUNT(names) ? names[type] : NULL;
  value->argument = is_external ? (int32_t)external : -1;
  value->is_constant = constant != 0;
  if (value->is_constant) value->bytes = constant_bytes(r, constant);
  uint32_t rank;
  etr_fb_at sizes = etr_fb_vector(&r->fb, tensor, TENSOR_DIMS, 4, &rank);
  etr_dim *dims = rank <= MOST_DIMS ? etr_arena_alloc_array(r->arena, rank, sizeof *dims) : NULL;
  value->value.rank = -1;
  if (!dims) return;
  for (uint32_t i = 0; i < rank; i++)
    dims[i] = (etr_dim){.size = (uint32_t)etr_fb_i32_at(&r->fb, sizes, i), .hint = -1};
  value->value.dims = dims;
  value->value.rank = (int32_t)rank;
}

/* Ids are places in the list, or little more. */
static bool read_values(graph_reader *r) {
  uint32_t count;
  etr_fb_at root = etr_fb_root(&r->fb), vector = etr_fb_vector(&r->fb, root, GRAPH_XVALUES, 4, &count);
  r->constants = etr_fb_vector(&r->fb, root, GRAPH_CONSTANT_DATA, 4, &r->constant_count);
  r->buffers = etr_fb_vector(&r->fb, root, GRAPH_CONSTANT_BUFFERS, 4, &r->buffer_count);
  if (etr_fb_failed(&r->fb)) return false;
  r->value_count = count * 2;
  r->values = etr_arena_alloc_array(r->arena, r->value_count, sizeof *r->values);
  for (uint32_t i = 0; r->values && i < r->value_count; i++)
    r->values[i] = (etr_own_value){.value.rank = -1, .argument = -1};
  for (uint32_t i = 0; r->values && i < count && !etr_fb_failed(&r->fb); i++)
    read_value(r, etr_fb_table_at(&r->fb, vector, i));
  return r->values != NULL;
}

/* ---- Operators ---- */

static void add_id(graph_reader *r, uint32_t *list, size_t *count, etr_fb_at node, unsigned field) {
  uint32_t id = etr_fb_u32(&r->fb, node, field, 0);
  if (id < r->value_count) list[(*count)++] = id;
}

/* xnn_define_...() in XNNPACK's subgraph.h say what each computes. */
static etr_work work_of(const etr_xnode_type *type) {
  static const struct {
    const char *name;
    etr_work work;
  } products[] = {{"Conv2d", ETR_WORK_CONVOLUTION},         {"DepthwiseConv2d", ETR_WORK_CONVOLUTION},
                  {"ConvTranspose2d", ETR_WORK_TRANSPOSED}, {"FullyConnected", ETR_WORK_LINEAR},
                  {"BatchMatrixMultiply", ETR_WORK_MATMUL}, {"ScaledDotProductAttention", ETR_WORK_ATTENTION}};
  for (size_t i = 0; i < ETR_COUNT(products); i++)
    if (strcmp(type->name, products[i].name) == 0) return products[i].work;
  return ETR_WORK_NO_PRODUCT;
}

static bool read_operator(graph_reader *r, etr_own_operator *out, etr_fb_at table) {
  uint32_t reads[MOST_READS], write;
  size_t write_count = 0;
  const etr_xnode_type *type = etr_xnode_type_of(etr_fb_u8(&r->fb, table, XNODE_TYPE, 0));
  etr_fb_at node = etr_fb_table(&r->fb, table, XNODE_VALUE);
  out->name = type ? type->name : "unknown";
  out->work = type ? work_of(type) : ETR_WORK_HIDDEN;
  if (!type) return true;
  /* What stands between the first input and the output is read, too: a bias, a mask. A concatenation leaves places
   * empty.
   */
  size_t count = 0;
  bool is_cat = type->class_ == ETR_XNN_COPY;
  unsigned end = is_cat ? type->input + (unsigned)type->input_count : type->output;
  if (end <= type->input) end = type->input + (unsigned)type->input_count;
  for (unsigned field = type->input; field < end; field++) add_id(r, reads, &count, node, field);
  if (strcmp(type->name, "Concatenate5") == 0) add_id(r, reads, &count, node, ETR_CONCATENATE5_INPUT);
  out->read_count = count;
  add_id(r, &write, &write_count, node, type->output);
  uint32_t *ids = etr_arena_alloc_array(r->arena, out->read_count + write_count, sizeof *ids);
  if (!ids) return false;
  memcpy(ids, reads, out->read_count * sizeof *ids);
  if (write_count) ids[out->read_count] = write;
  out->reads = ids;
  out->writes = ids + out->read_count;
  out->write_count = write_count;
  return true;
}

bool etr_xnn_graph_read(etr_own_graph *out, etr_arena *arena, etr_slice payload) {
  graph_reader r = {.arena = arena};
  uint32_t count;
  *out = (etr_own_graph){0};
  if (!etr_xnn_payload_open(&r.fb, payload) || !read_values(&r)) return false;
  etr_fb_at vector = etr_fb_vector(&r.fb, etr_fb_root(&r.fb), GRAPH_XNODES, 4, &count);
  etr_own_operator *operators = etr_fb_failed(&r.fb) ? NULL : etr_arena_alloc_array(arena, count, sizeof *operators);
  if (!operators) return false;
  for (uint32_t i = 0; i < count && !etr_fb_failed(&r.fb); i++) {
    operators[i].id = (int64_t)i + 1;
    if (!read_operator(&r, &operators[i], etr_fb_table_at(&r.fb, vector, i))) return false;
  }
  if (etr_fb_failed(&r.fb) || etr_arena_failed(arena)) return false;
  *out = (etr_own_graph){.operators = operators, .count = count, .values = r.values, .value_count = r.value_count};
  return true;
}
