/* SPDX-License-Identifier: BSD-3-Clause
 *
 * vulkan.c - Vulkan as a backend.
 *
 * The host's steps have fixed names. A dispatch of a shader has JSON for an id, which names the
 * operator of the delegate's graph; it is timed by the GPU's clock, so its duration counts, but its
 * start does not.
 *
 * The payload in a .pte is a FlatBuffer of operator calls and values. Schema:
 * executorch/backends/vulkan/serialization/schema.fbs; header VH00 and the order of arguments:
 * vulkan_graph_serialize.py and vulkan_graph_builder.py beside it.
 */
#include "backends/decoder.h"
#include "backends/operator.h"
#include "formats/flatbuf.h"
#include "formats/json.h"

/* ---- The payload ---- */

static const char magic[] = "VH00", identifier[] = "VK00";

enum { GRAPH_CHAIN = 1, GRAPH_VALUES, GRAPH_INPUTS, GRAPH_OUTPUTS, GRAPH_CONSTANTS };
enum { CALL_NODE_ID, CALL_NAME, CALL_ARGS };
enum { VALUE_TYPE, VALUE_VALUE };
enum {
  TYPE_BOOL = 4,
  TYPE_TENSOR,
  TYPE_VALUE_LIST = 9,
  TYPE_SYM_INT = 11
}; /* GraphTypes, from 1 */
enum { TENSOR_DTYPE, TENSOR_DIMS, TENSOR_CONSTANT };
enum { LIST_ITEMS };
enum { TRANSPOSED_ARG = 6, BOOL_VALUE = 0 };
enum { MOST_DIMS = 64 };

typedef etr_vec(uint32_t) id_list;

typedef struct graph_reader {
  etr_fb fb;
  etr_arena *arena;
  etr_fb_at value_tables, constants;
  uint64_t data_at; /* of the constants, in the payload */
  uint32_t value_count, constant_count;
  etr_own_value *values;
  uint8_t *types; /* of values: GraphTypes */
  id_list ids;    /* of the operator looked at: what it reads, then what it writes */
} graph_reader;

/* ---- Values ---- */

/* Returns torch's name of a number type of Vulkan's graphs; NULL if it is unknown. */
static const char *dtype_name(uint8_t type) {
  static const char *const names[] = {"bool",    "uint8",   "int8",    "int32",
                                      "float16", "float32", "float64", "int64"};
  return type < ETR_COUNT(names) ? names[type] : NULL;
}

/* Reads the value of the graph with this index: its GraphTypes type, and for a tensor number type,
 * shape and where the data of a constant is. A number is shown as a value of type "int" without a
 * shape. */
static void read_value(graph_reader *r, uint32_t index) {
  etr_fb_at entry = etr_fb_table_at(&r->fb, r->value_tables, index);
  etr_own_value *value = &r->values[index];
  *value = (etr_own_value){.value.rank = -1, .argument = -1};
  r->types[index] = etr_fb_u8(&r->fb, entry, VALUE_TYPE, 0);
  if (r->types[index] == TYPE_TENSOR) {
    etr_fb_at tensor = etr_fb_table(&r->fb, entry, VALUE_VALUE);
    int32_t constant = etr_fb_i32(&r->fb, tensor, TENSOR_CONSTANT, 0);
    value->value.dtype = dtype_name(etr_fb_u8(&r->fb, tensor, TENSOR_DTYPE, 0));
    uint32_t rank;
    etr_fb_at sizes = etr_fb_vector(&r->fb, tensor, TENSOR_DIMS, 4, &rank);
    etr_dim *dims = rank <= MOST_DIMS ? etr_arena_alloc_array(r->arena, rank, sizeof *dims) : NULL;
    if (dims) {
      for (uint32_t i = 0; i < rank; i++)
        dims[i] = (etr_dim){.size = (uint32_t)etr_fb_i32_at(&r->fb, sizes, i), .hint = -1};
      value->value.dims = dims;
      value->value.rank = (int32_t)rank;
    }
    value->is_constant = constant >= 0;
    if (constant >= 0 && (uint32_t)constant < r->constant_count) {
      etr_fb_at table = etr_fb_table_at(&r->fb, r->constants, (uint32_t)constant);
      value->data = etr_own_data_read(&r->fb, table, r->data_at, r->arena);
    }
  }
  if (r->types[index] == TYPE_SYM_INT)
    value->value.dtype = "int";
}

/* Gives the values in a field of the graph, its inputs or its outputs, the numbers of the delegate
 * call's arguments, from first_number on. A value that has a number already keeps it. Sets *count
 * to how many values the field has. */
static void number_arguments(graph_reader *r, unsigned field, uint32_t first_number,
                             uint32_t *count) {
  etr_fb_at vector = etr_fb_vector(&r->fb, etr_fb_root(&r->fb), field, 4, count);
  for (uint32_t i = 0; i < *count; i++) {
    uint32_t id = (uint32_t)etr_fb_i32_at(&r->fb, vector, i);
    if (id < r->value_count && r->values[id].argument < 0)
      r->values[id].argument = (int32_t)(first_number + i);
  }
}

/* Reads all values of the graph, and which arguments of the call they are: inputs first, then
 * outputs. Returns false if the payload is damaged, or when out of memory. */
static bool read_values(graph_reader *r) {
  uint32_t input_count, output_count;
  etr_fb_at root = etr_fb_root(&r->fb);
  r->value_tables = etr_fb_vector(&r->fb, root, GRAPH_VALUES, 4, &r->value_count);
  r->constants = etr_fb_vector(&r->fb, root, GRAPH_CONSTANTS, 4, &r->constant_count);
  if (etr_fb_failed(&r->fb))
    return false;
  r->values = etr_arena_alloc_array(r->arena, r->value_count, sizeof *r->values);
  r->types = etr_arena_alloc_array(r->arena, r->value_count, sizeof *r->types);
  if (etr_arena_failed(r->arena))
    return false;
  for (uint32_t i = 0; i < r->value_count && !etr_fb_failed(&r->fb); i++)
    read_value(r, i);
  number_arguments(r, GRAPH_INPUTS, 0, &input_count);
  number_arguments(r, GRAPH_OUTPUTS, input_count, &output_count);
  return !etr_fb_failed(&r->fb);
}

/* ---- What is read and written ---- */

/* Returns whether a value is shown in the graph: a tensor or a symbolic number, no constant
 * argument. */
static bool is_shown_value(const graph_reader *r, uint32_t id) {
  return id < r->value_count && (r->types[id] == TYPE_TENSOR || r->types[id] == TYPE_SYM_INT);
}

/* Appends a value to what the operator reads or writes, if it is one that is shown. Returns false
 * when out of memory. */
static bool append_shown_value(graph_reader *r, uint32_t id) {
  uint32_t *added = is_shown_value(r, id) ? etr_vec_push(r->arena, &r->ids) : NULL;
  if (added)
    *added = id;
  return added || !is_shown_value(r, id);
}

/* Appends the values of the list with this index to what the operator reads or writes. Returns
 * false when out of memory. */
static bool append_shown_values_of_list(graph_reader *r, uint32_t id) {
  uint32_t count;
  etr_fb_at entry = etr_fb_table_at(&r->fb, r->value_tables, id);
  etr_fb_at list = etr_fb_table(&r->fb, entry, VALUE_VALUE);
  etr_fb_at items = etr_fb_vector(&r->fb, list, LIST_ITEMS, 4, &count);
  for (uint32_t i = 0; i < count; i++)
    if (!append_shown_value(r, (uint32_t)etr_fb_i32_at(&r->fb, items, i)))
      return false;
  return true;
}

/* ---- Work ---- */

typedef struct known_work {
  const char *name; /* of an operator of et_vk, without overload */
  etr_work work;
} known_work;

/* From backends/vulkan/custom_ops_lib.py. The costs of operators that are missing here are unknown:
 * integer convolutions have padded weights, and a table of packed numbers is read only in part. */
static const known_work known_works[] = {
    {"prepack", ETR_WORK_NO_PRODUCT},
    {"rms_norm", ETR_WORK_NO_PRODUCT},
    {"apply_rotary_emb", ETR_WORK_NO_PRODUCT},
    {"apply_rotary_emb_hf", ETR_WORK_NO_PRODUCT},
    {"apply_rotary_emb_interleaved", ETR_WORK_NO_PRODUCT},
    {"grid_priors", ETR_WORK_NO_PRODUCT},
    {"q8ta_add", ETR_WORK_NO_PRODUCT},
    {"q8ta_relu", ETR_WORK_NO_PRODUCT},
    {"q8ta_pixel_shuffle", ETR_WORK_NO_PRODUCT},
    {"select_as_symint", ETR_WORK_ELSEWHERE},
    {"linear_qcs4w", ETR_WORK_LINEAR},
    {"linear_q4gsw", ETR_WORK_LINEAR},
    {"linear_dq8ca_q4gsw", ETR_WORK_LINEAR},
    {"linear_q8ta_q8csw", ETR_WORK_LINEAR},
    {"q8ta_linear", ETR_WORK_LINEAR},
    {"q8ta_linear_gemv", ETR_WORK_LINEAR},
};

/* Returns the rule by which the multiplications of an operator are counted: by the name if it is
 * ATen's, from the table if it is Vulkan's own. ETR_WORK_HIDDEN if they cannot be. */
static etr_work work_of_operator(graph_reader *r, const char *name, etr_fb_at call) {
  etr_slice op = etr_operator_of_target(name);
  if (etr_slice_is(op, "convolution") || etr_slice_is(op, "conv_with_clamp")) {
    /* The seventh argument says whether a convolution is transposed, as in ATen. */
    uint32_t count;
    etr_fb_at args = etr_fb_vector(&r->fb, call, CALL_ARGS, 4, &count);
    uint32_t id = count > TRANSPOSED_ARG ? (uint32_t)etr_fb_i32_at(&r->fb, args, TRANSPOSED_ARG)
                                         : ETR_NONE;
    if (id >= r->value_count || r->types[id] != TYPE_BOOL)
      return ETR_WORK_HIDDEN;
    etr_fb_at value = etr_fb_table(&r->fb, etr_fb_table_at(&r->fb, r->value_tables, id),
                                   VALUE_VALUE);
    return etr_fb_u8(&r->fb, value, BOOL_VALUE, 0) ? ETR_WORK_TRANSPOSED_FIRST
                                                   : ETR_WORK_CONVOLUTION_FIRST;
  }
  if (strncmp(name, "et_vk.", 6) != 0)
    return ETR_WORK_BY_NAME;
  for (size_t i = 0; i < ETR_COUNT(known_works); i++)
    if (etr_slice_equal(op, etr_slice_of(known_works[i].name)))
      return known_works[i].work;
  return ETR_WORK_HIDDEN;
}

/* ---- Operators ---- */

/* Reads an operator call of the graph. Its last argument is what it writes, the others what it
 * reads; each may be a list. Returns false when out of memory. */
static bool read_operator(graph_reader *r, etr_own_operator *out, etr_fb_at call) {
  etr_slice name = etr_fb_string(&r->fb, call, CALL_NAME);
  out->id = etr_fb_u32(&r->fb, call, CALL_NODE_ID, 0);
  out->name = etr_arena_text(r->arena, name);
  if (!out->name)
    return false;
  out->work = work_of_operator(r, out->name, call);
  uint32_t count;
  etr_fb_at args = etr_fb_vector(&r->fb, call, CALL_ARGS, 4, &count);
  r->ids.count = 0;
  for (uint32_t i = 0; i < count && !etr_fb_failed(&r->fb); i++) {
    uint32_t id = (uint32_t)etr_fb_i32_at(&r->fb, args, i);
    if (i + 1 == count)
      out->read_count = r->ids.count;
    bool is_list = id < r->value_count && r->types[id] == TYPE_VALUE_LIST;
    if (!(is_list ? append_shown_values_of_list(r, id) : append_shown_value(r, id)))
      return false;
  }
  uint32_t *ids = etr_arena_alloc_array(r->arena, r->ids.count, sizeof *ids);
  if (!ids)
    return false;
  if (r->ids.count)
    memcpy(ids, r->ids.data, r->ids.count * sizeof *ids);
  out->reads = ids;
  out->writes = ids + out->read_count;
  out->write_count = r->ids.count - out->read_count;
  return true;
}

/* Reads the graph of a Vulkan payload (etr_own_graph_reader). Returns false if it is damaged or of
 * another format, or when out of memory. */
static bool read_payload_graph(etr_own_graph *out, etr_arena *arena, etr_slice payload) {
  graph_reader r = {.arena = arena, .data_at = etr_payload_data_at(payload, magic)};
  uint32_t count;
  etr_slice bytes = etr_payload_graph(payload, magic);
  *out = (etr_own_graph){0};
  if (bytes.size < 8)
    return false;
  etr_fb_init(&r.fb, bytes.data, bytes.size);
  if (!etr_fb_has_identifier(&r.fb, identifier) || !read_values(&r))
    return false;
  etr_fb_at chain = etr_fb_vector(&r.fb, etr_fb_root(&r.fb), GRAPH_CHAIN, 4, &count);
  etr_own_operator *operators = etr_fb_failed(&r.fb)
                                    ? NULL
                                    : etr_arena_alloc_array(arena, count, sizeof *operators);
  if (!operators)
    return false;
  for (uint32_t i = 0; i < count && !etr_fb_failed(&r.fb); i++)
    if (!read_operator(&r, &operators[i], etr_fb_table_at(&r.fb, chain, i)))
      return false;
  if (etr_fb_failed(&r.fb) || etr_arena_failed(arena))
    return false;
  *out = (etr_own_graph){
      .operators = operators,
      .count = count,
      .values = r.values,
      .value_count = r.value_count,
  };
  return true;
}

static const char *payload_version(etr_arena *arena, etr_slice head) {
  return etr_payload_identifier(arena, head, magic);
}

/* Returns how many of a payload's `size` bytes its graph takes: up to its end if there is a header,
 * all without one. Returns 0 if `head`, the first bytes, is of no Vulkan payload. */
static uint64_t payload_needed(etr_slice head, uint64_t size) {
  if (etr_payload_has_header(head, magic))
    return etr_payload_graph_end(head, size);
  return head.size >= 8 && memcmp(head.data + 4, identifier, 4) == 0 ? size : 0;
}

/* ---- Steps ---- */

static const char submission[] = "ETVK_COMPUTE_GRAPH_EXECUTE";

static const etr_known_event known_events[] = {
    {"ETVK_EXECUTE", .role = ETR_ROLE_CONTAINER},
    {submission, .role = ETR_ROLE_CONTAINER},
    {"ETVK_COPY_INPUTS", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_COPY_IN},
    {"ETVK_RESIZE", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_OTHER},
    {"ETVK_COPY_OUTPUTS", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_COPY_OUT},
};

enum { IN_SUBMISSION = 1 };

/* Gives a step of the host its meaning. The submission encloses the dispatches; the part of its
 * time that none of them took was spent waiting for the GPU. */
static void interpret_host_step(etr_event_meaning *out, const etr_known_event *event) {
  etr_known_event_fill(out, event);
  if (event->name != submission)
    return;
  out->wrapper = IN_SUBMISSION;
  out->wrapper_phase = ETR_PHASE_WAIT;
}

/* ---- Dispatches ---- */

typedef struct dispatch {
  const char *kernel, *operator_; /* NULL: not known */
  int64_t node_id;                /* -1: not known */
  bool has_duplicate;             /* a name or an id is there twice, so that neither counts */
} dispatch;

/* Reads a text into *text, in the arena. If *text was read before, out->has_duplicate is set. */
static void read_text_once(etr_json *json, dispatch *out, const char **text, etr_arena *scratch) {
  etr_slice read = etr_json_string(json);
  out->has_duplicate |= *text != NULL;
  *text = etr_arena_copy(scratch, read);
}

/* Reads which operator a dispatch belongs to, {name, delegate_node_id}: its name and number in the
 * graph (-1 if it has more than 32 bits). A member that appears twice sets has_duplicate. */
static void read_operator_of_dispatch(etr_json *json, dispatch *out, etr_arena *scratch) {
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key))
    if (etr_slice_is(key, "name"))
      read_text_once(json, out, &out->operator_, scratch);
    else if (etr_slice_is(key, "delegate_node_id")) {
      /* A number of 32 bits. */
      int64_t id = etr_json_int(json);
      out->has_duplicate |= out->node_id >= 0;
      out->node_id = id <= UINT32_MAX ? id : -1;
    } else
      etr_json_skip(json);
}

/* Reads the JSON that is the name of a dispatch, {kernel_name, operator, ...}. Returns false if it
 * is not JSON, if it has no kernel or a member twice, or when out of memory, which fails the arena.
 */
static bool read_dispatch_json(dispatch *out, const char *text, etr_arena *scratch) {
  etr_slice key;
  *out = (dispatch){.node_id = -1};
  etr_json *json = etr_json_open_memory(etr_slice_of(text), NULL);
  if (!json) {
    etr_arena_fail(scratch);
    return false;
  }
  etr_json_object(json);
  while (etr_json_key(json, &key))
    if (etr_slice_is(key, "kernel_name"))
      read_text_once(json, out, &out->kernel, scratch);
    else if (etr_slice_is(key, "operator"))
      read_operator_of_dispatch(json, out, scratch);
    else
      etr_json_skip(json);
  etr_json_end(json);
  bool good = !etr_json_failed(json) && out->kernel && !out->has_duplicate;
  if (etr_json_out_of_memory(json))
    etr_arena_fail(scratch);
  etr_json_close(json);
  return good;
}

/* Returns the phase of a kernel that copies between the host's layout (NCHW) and the device's, or
 * ETR_PHASE_NONE for other kernels. Such a copy belongs to no operator, although its event names
 * the last one before it. */
static etr_phase staging_phase(const char *kernel) {
  if (strncmp(kernel, "nchw_to_", 8) == 0)
    return ETR_PHASE_COPY_IN;
  return strstr(kernel, "_to_nchw") ? ETR_PHASE_COPY_OUT : ETR_PHASE_NONE;
}

/* Returns true for a blit, which writes its name without quotes or key: {Blit_Float_to_Half,
 * "dispatch_id": 3}. */
static bool is_blit(const char *text) {
  return strncmp(text, "{Blit", 5) == 0 && strstr(text, ", \"dispatch_id\": ") != NULL;
}

/* Gives a dispatch its meaning by the JSON that is its name: a copy between layouts, which is a
 * phase, or a kernel of an operator of the backend graph. A blit, and a kernel whose operator is
 * not named, get no key that leads to a node. The GPU's clock times the dispatch, so that its start
 * means nothing. */
static void interpret_dispatch(etr_event_meaning *out, const char *text, etr_arena *scratch) {
  dispatch dispatched;
  out->inside = IN_SUBMISSION;
  out->has_no_place = true;
  if (is_blit(text)) {
    out->compute_unit = ETR_COMPUTE_UNIT_GPU;
    return;
  }
  if (!read_dispatch_json(&dispatched, text, scratch)) {
    out->is_unexpected = true;
    return;
  }
  out->label = dispatched.kernel;
  out->compute_unit = ETR_COMPUTE_UNIT_GPU;
  out->phase = staging_phase(dispatched.kernel);
  if (out->phase) {
    out->role = ETR_ROLE_PHASE;
    return;
  }
  if (!dispatched.operator_)
    return;
  out->is_unexpected = dispatched.node_id < 0;
  if (out->is_unexpected)
    return;
  out->key = ETR_KEY_OPERATOR;
  out->operator_ = dispatched.operator_;
  out->kernel = etr_slice_of(dispatched.operator_);
  out->operator_number = dispatched.node_id;
}

/* ---- Operators ---- */

/* Returns the kind of a target's operator, by which operators of the backend graph and nodes of the
 * Edge graph are compared: its name, or "linear" or "convolution" for the several names of these.
 */
static etr_slice operator_family_of(const char *target) {
  etr_slice op = etr_operator_of_target(target);
  if (etr_slice_is(op, "addmm") || etr_slice_is(op, "mm") ||
      etr_slice_starts(op, ETR_SLICE("linear")))
    return ETR_SLICE("linear");
  if (etr_slice_starts(op, ETR_SLICE("conv_")) || etr_slice_starts(op, ETR_SLICE("conv2d")) ||
      etr_slice_starts(op, ETR_SLICE("conv1d")))
    return ETR_SLICE("convolution");
  return op;
}

/* ---- All ---- */

/* Gives an event its meaning: a step of the host by its fixed name, or a dispatch, whose name is
 * JSON. What encloses any other event is not known, so that its time is in no sum. */
static void interpret_event(etr_event_meaning *out, const etr_event_facts *event,
                            etr_arena *scratch) {
  const etr_known_event *step = etr_known_event_find(known_events, ETR_COUNT(known_events),
                                                     event->name);
  if (step)
    interpret_host_step(out, step);
  else if (event->name[0] == '{')
    interpret_dispatch(out, event->name, scratch);
  else {
    out->role = ETR_ROLE_CONTAINER;
    out->is_in_sums = false;
    out->is_unexpected = true;
  }
}

/* Gives each event of a call its meaning. Returns false when out of memory. */
static bool interpret_events(etr_event_meaning *out, const etr_event_facts *events, size_t count,
                             etr_arena *scratch) {
  for (size_t i = 0; i < count; i++)
    interpret_event(&out[i], &events[i], scratch);
  return !etr_arena_failed(scratch);
}

/* Returns true for the name of a step of the host, which only Vulkan writes, several in each call.
 */
static bool is_own(const char *name) {
  return etr_known_event_find(known_events, ETR_COUNT(known_events), name) != NULL;
}

const etr_decoder etr_vulkan = {
    .id = "VulkanBackend",
    .label = "Vulkan",
    .is_own = is_own,
    .read = interpret_events,
    .kind_of = operator_family_of,
    .payload_needed = payload_needed,
    .payload_version = payload_version,
    .read_graph = read_payload_graph,
};
