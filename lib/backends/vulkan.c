/* SPDX-License-Identifier: BSD-3-Clause
 *
 * vulkan.c - steps by their names, dispatches by the JSON in theirs.
 */
#include "backends/vulkan.h"

#include "backends/operator.h"
#include "formats/json.h"

/* ---- Steps ---- */

static const char submission[] = "ETVK_COMPUTE_GRAPH_EXECUTE";

static const etr_known_event known[] = {
    {"ETVK_EXECUTE", .role = ETR_ROLE_CONTAINER},
    {submission, .role = ETR_ROLE_CONTAINER},
    {"ETVK_COPY_INPUTS", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_COPY_IN},
    {"ETVK_RESIZE", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_OTHER},
    {"ETVK_COPY_OUTPUTS", .role = ETR_ROLE_PHASE, .phase = ETR_PHASE_COPY_OUT},
};

enum { IN_SUBMISSION = 1 };

/* What submitting took beyond the shaders was spent waiting for them. */
static void read_step(etr_event_meaning *out, const etr_known_event *event) {
  etr_known_event_tell(out, event);
  if (event->name != submission) return;
  out->shell = IN_SUBMISSION;
  out->shell_phase = ETR_PHASE_WAIT;
}

/* ---- Dispatches ---- */

typedef struct dispatch {
  const char *kernel, *operator_; /* NULL: not told */
  int64_t node_id;                /* -1: not told */
  bool says_twice;                /* a name or an id is there twice, so that neither counts */
} dispatch;

static void read_text(etr_json *json, dispatch *out, const char **text, etr_arena *scratch) {
  etr_slice read = etr_json_string(json);
  out->says_twice |= *text != NULL;
  *text = etr_arena_copy(scratch, read);
}

static void read_operator(etr_json *json, dispatch *out, etr_arena *scratch) {
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key))
    if (etr_slice_is(key, "name"))
      read_text(json, out, &out->operator_, scratch);
    else if (etr_slice_is(key, "delegate_node_id")) {
      /* A number of 32 bits. */
      int64_t id = etr_json_int(json);
      out->says_twice |= out->node_id >= 0;
      out->node_id = id <= UINT32_MAX ? id : -1;
    } else
      etr_json_skip(json);
}

/* False: it is no JSON, or lacks its kernel. */
static bool read_json(dispatch *out, const char *text, etr_arena *scratch) {
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
      read_text(json, out, &out->kernel, scratch);
    else if (etr_slice_is(key, "operator"))
      read_operator(json, out, scratch);
    else
      etr_json_skip(json);
  etr_json_end(json);
  bool good = !etr_json_failed(json) && out->kernel && !out->says_twice;
  if (etr_json_out_of_memory(json)) etr_arena_fail(scratch);
  etr_json_close(json);
  return good;
}

/* A copy between the host's layout and the device's, whatever operator it claims to be of: that is the last one that
 * was current. */
static etr_phase staging_phase(const char *kernel) {
  if (strncmp(kernel, "nchw_to_", 8) == 0) return ETR_PHASE_COPY_IN;
  return strstr(kernel, "_to_nchw") ? ETR_PHASE_COPY_OUT : ETR_PHASE_NONE;
}

/* A blit writes its name without quotes or key: {Blit_Float_to_Half, "dispatch_id": 3}. */
static bool is_blit(const char *text) {
  return strncmp(text, "{Blit", 5) == 0 && strstr(text, ", \"dispatch_id\": ") != NULL;
}

static void read_dispatch(etr_event_meaning *out, const char *text, etr_arena *scratch) {
  dispatch read;
  out->inside = IN_SUBMISSION;
  out->has_no_place = true;
  if (is_blit(text)) {
    out->compute_unit = ETR_COMPUTE_UNIT_GPU;
    return;
  }
  if (!read_json(&read, text, scratch)) {
    out->is_odd = true;
    return;
  }
  out->label = read.kernel;
  out->compute_unit = ETR_COMPUTE_UNIT_GPU;
  out->phase = staging_phase(read.kernel);
  if (out->phase) {
    out->role = ETR_ROLE_PHASE;
    return;
  }
  if (!read.operator_) return;
  out->is_odd = read.node_id < 0;
  if (out->is_odd) return;
  out->key = ETR_KEY_OPERATOR;
  out->operator_ = read.operator_;
  out->place = read.node_id;
}

/* ---- Operators ---- */

/* What a node's operator and those that it may become have in common. */
static etr_slice kind_of(const char *target) {
  etr_slice op = etr_operator_of_target(target);
  if (etr_slice_is(op, "addmm") || etr_slice_is(op, "mm") || etr_slice_starts(op, ETR_SLICE("linear")))
    return ETR_SLICE("linear");
  if (etr_slice_starts(op, ETR_SLICE("conv_")) || etr_slice_starts(op, ETR_SLICE("conv2d")) ||
      etr_slice_starts(op, ETR_SLICE("conv1d")))
    return ETR_SLICE("convolution");
  return op;
}

/* ---- All ---- */

/* Where another name nests cannot be told, so that it is in no sum. */
static void read_event(etr_event_meaning *out, const etr_event_facts *event, etr_arena *scratch) {
  const etr_known_event *step = etr_known_event_find(known, ETR_COUNT(known), event->name);
  if (step)
    read_step(out, step);
  else if (event->name[0] == '{')
    read_dispatch(out, event->name, scratch);
  else {
    out->role = ETR_ROLE_CONTAINER;
    out->is_in_sums = false;
    out->is_odd = true;
  }
}

static bool read(etr_event_meaning *out, const etr_event_facts *events, size_t count, etr_arena *scratch) {
  for (size_t i = 0; i < count; i++) read_event(&out[i], &events[i], scratch);
  return !etr_arena_failed(scratch);
}

/* Each call has one of the steps around its dispatches. */
static bool is_own(const char *name) { return etr_known_event_find(known, ETR_COUNT(known), name) != NULL; }

const etr_decoder etr_vulkan = {.id = "VulkanBackend",
                                .is_own = is_own,
                                .read = read,
                                .kind_of = kind_of,
                                .payload_needed = etr_vulkan_payload_needed,
                                .read_graph = etr_vulkan_graph_read};
