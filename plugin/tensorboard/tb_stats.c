/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_stats.c - times on a graph as TensorFlow's RunMetadata.
 */
#include "tb_stats.h"

#include "packed.h"

#include <math.h>

/* Field numbers of RunMetadata, StepStats, DeviceStepStats, NodeExecStats, AllocatorMemoryUsed, NodeOutput and TensorDescription (step_stats.proto,
 * config.proto, tensor_description.proto). */
enum {
  RUN_STEP_STATS = 1,
  STEP_DEVICE = 1,
  DEVICE_NAME = 1,
  DEVICE_NODE_STATS = 2,
  STATS_NAME = 1,
  STATS_START = 2,
  STATS_LENGTH = 5,
  STATS_MEMORY = 6,
  STATS_OUTPUT = 7,
  MEMORY_TOTAL = 2,
  OUTPUT_SLOT = 1,
  OUTPUT_TENSOR = 3,
  TENSOR_SHAPE = 2,
};

/* Eleven days; keeps sums of hostile times within int64. */
static const double max_micros = 1e12;

const char *etr_tb_statistic_tag(etr_tb_statistic statistic) {
  static const char *const tags[ETR_TB_STATISTIC_COUNT] = {"profile/avg", "profile/p50", "profile/p90", "profile/max", "profile/timeline"};
  return tags[statistic];
}

/* ---- Sizes of outputs ---- */

static int64_t element_bytes(const char *dtype) {
  static const struct {
    const char *dtype;
    int64_t bytes;
  } sizes[] = {
      {"float32", 4}, {"int64", 8}, {"bool", 1},   {"int8", 1},   {"uint8", 1},  {"float16", 2},   {"bfloat16", 2},  {"int32", 4},
      {"float64", 8}, {"int16", 2}, {"uint16", 2}, {"uint32", 4}, {"uint64", 8}, {"complex32", 4}, {"complex64", 8}, {"complex128", 16},
  };
  for (size_t i = 0; dtype && i < ETR_COUNT(sizes); i++)
    if (strcmp(sizes[i].dtype, dtype) == 0) return sizes[i].bytes;
  return dtype && strncmp(dtype, "float8", 6) == 0 ? 1 : 0;
}

/* 0 where the shape is not known, symbolic, or empty: the page has no use for either. */
static int64_t value_bytes(const etr_value *value) {
  int64_t bytes = value->rank < 0 ? 0 : element_bytes(value->dtype);
  for (int32_t i = 0; i < value->rank; i++) {
    int64_t size = value->dims[i].size;
    bytes = size < 1 || bytes > INT32_MAX * (int64_t)65536 / size ? 0 : bytes * size;
  }
  return bytes;
}

/* ---- Nodes ---- */

static int64_t memory_of(const etr_node *node) {
  int64_t bytes = 0;
  for (size_t i = 0; i < node->output_count; i++) {
    int64_t more = value_bytes(&node->outputs[i]);
    bytes += ETR_MIN(more, INT64_MAX - bytes);
  }
  return bytes;
}

static etr_slice pack_fixed(etr_packed *packed, const char *name, const etr_node *node) {
  int64_t bytes = memory_of(node);
  packed->size = 0;
  etr_packed_field(packed, STATS_NAME, etr_slice_of(name));
  if (bytes > 0) {
    uint8_t memory[ETR_PACKED_HEADER_ROOM];
    etr_packed_field(packed, STATS_MEMORY, (etr_slice){(char *)memory, (size_t)(etr_packed_put_int(memory, MEMORY_TOTAL, bytes) - memory)});
  }
  return etr_packed_copy(packed, 0);
}

/* Every output has to have a shape, be it an empty one, and no size in it may be 0: the page's script would stop. */
static etr_slice pack_outputs(etr_packed *packed, const etr_node *node, const etr_tb_shape *const *shapes) {
  packed->size = 0;
  for (size_t i = 0; i < node->output_count; i++) {
    uint8_t slot[ETR_PACKED_HEADER_ROOM];
    etr_slice shape = value_bytes(&node->outputs[i]) > 0 ? shapes[i]->packed : (etr_slice){0};
    size_t tensor_size = etr_packed_field_size(TENSOR_SHAPE, shape.size),
           slot_size = i ? (size_t)(etr_packed_put_int(slot, OUTPUT_SLOT, (int32_t)i) - slot) : 0;
    etr_packed_header(packed, STATS_OUTPUT, slot_size + etr_packed_field_size(OUTPUT_TENSOR, tensor_size));
    etr_packed_bytes(packed, (etr_slice){(char *)slot, slot_size});
    etr_packed_header(packed, OUTPUT_TENSOR, tensor_size);
    etr_packed_field(packed, TENSOR_SHAPE, shape);
  }
  return etr_packed_copy(packed, 0);
}

static bool is_timed(const etr_tb_view *view, size_t node) { return etr_tb_time(view->graph, node) && view->device_of_node[node] != ETR_NONE; }

void etr_tb_stats_build(etr_tb_stats *out, const etr_tb_view *view) {
  *out = (etr_tb_stats){.view = view};
  etr_packed packed = {.arena = view->arena};
  size_t count = 0;
  for (size_t i = 0; i < view->graph->node_count; i++) count += is_timed(view, i);
  out->nodes = etr_arena_alloc_array(view->arena, count, sizeof *out->nodes);
  for (size_t i = 0; i < view->graph->node_count && !etr_arena_failed(view->arena); i++) {
    const etr_node *node = &view->graph->nodes[i];
    if (!is_timed(view, i)) continue;
    out->nodes[out->count++] = (etr_tb_timed){.node = (uint32_t)i,
                                              .fixed = pack_fixed(&packed, view->names[i], node),
                                              .outputs = pack_outputs(&packed, node, view->shapes + view->first_value[i])};
  }
}

/* ---- Times ---- */

/* The page drops a time of 0, and the text that it gets leaves out a 0. */
static int64_t whole_micros(const etr_profile *profile, double ticks) {
  double micros = etr_ticks_to_ns(profile, ticks) / 1e3;
  if (!(micros > 1)) return 1;
  return (int64_t)llround(ETR_MIN(micros, max_micros));
}

static double ticks_of(const etr_node_time *time, etr_tb_statistic statistic) {
  switch (statistic) {
  case ETR_TB_P50: return time->per_run.p50;
  case ETR_TB_P90: return time->per_run.p90;
  case ETR_TB_MAX: return time->per_run.max;
  case ETR_TB_TIMELINE: return time->per_run.avg;
  default: return time->avg;
  }
}

/* Gives every box a stretch as long as all that is in it, boxes inside first, and lays its nodes into that. */
static void pack_starts(etr_tb_stats *stats, etr_arena *arena) {
  const etr_scopes *scopes = &stats->view->scopes;
  int64_t *length = etr_arena_alloc_array(arena, scopes->count, sizeof *length);
  int64_t *next = etr_arena_alloc_array(arena, scopes->count, sizeof *next);
  if (!length || !next) return;
  int64_t next_on_top = 1;
  for (size_t i = 0; i < stats->count; i++) {
    uint32_t scope = scopes->of_node[stats->nodes[i].node];
    if (scope != ETR_NONE) length[scope] += stats->nodes[i].length;
  }
  for (size_t i = scopes->count; i-- > 0;)
    if (scopes->list[i].parent != ETR_NONE) length[scopes->list[i].parent] += length[i];
  for (size_t i = 0; i < scopes->count; i++) {
    int64_t *around = scopes->list[i].parent == ETR_NONE ? &next_on_top : &next[scopes->list[i].parent];
    next[i] = *around;
    *around += length[i];
  }
  for (size_t i = 0; i < stats->count; i++) {
    uint32_t scope = scopes->of_node[stats->nodes[i].node];
    int64_t *start = scope == ETR_NONE ? &next_on_top : &next[scope];
    stats->nodes[i].start = *start;
    *start += stats->nodes[i].length;
  }
}

static void set_times(etr_tb_stats *stats, etr_arena *arena, etr_tb_statistic statistic) {
  const etr_profile *profile = stats->view->profile;
  for (size_t i = 0; i < stats->count; i++) {
    const etr_node_time *time = &stats->view->graph->times[stats->nodes[i].node];
    stats->nodes[i].length = whole_micros(profile, ticks_of(time, statistic));
    if (statistic == ETR_TB_TIMELINE) stats->nodes[i].start = whole_micros(profile, (double)time->first_start_ticks);
  }
  if (statistic != ETR_TB_TIMELINE) pack_starts(stats, arena);
}

static void append_node(etr_pieces *out, const etr_tb_timed *timed, bool with_outputs) {
  uint8_t times[2 * ETR_PACKED_HEADER_ROOM], *end = etr_packed_put_int(times, STATS_START, timed->start);
  end = etr_packed_put_int(end, STATS_LENGTH, timed->length);
  const etr_slice parts[] = {timed->fixed, {(const char *)times, (size_t)(end - times)}, with_outputs ? timed->outputs : (etr_slice){0}};
  etr_pieces_parts(out, DEVICE_NODE_STATS, parts, ETR_COUNT(parts));
}

void etr_tb_stats_pack(etr_pieces *out, etr_tb_stats *stats, etr_tb_statistic statistic) {
  const etr_tb_view *view = stats->view;
  etr_pieces steps = {.arena = out->arena};
  set_times(stats, out->arena, statistic);
  for (uint32_t device = 0; device < view->device_count; device++) {
    etr_pieces nodes = {.arena = out->arena};
    etr_slice name = etr_slice_of(view->devices[device]);
    etr_pieces_field(&nodes, DEVICE_NAME, name.size);
    etr_pieces_bytes(&nodes, name);
    for (size_t i = 0; i < stats->count; i++) /* shapes are the same in every statistic: the first has them */
      if (view->device_of_node[stats->nodes[i].node] == device) append_node(&nodes, &stats->nodes[i], statistic == ETR_TB_AVG);
    etr_pieces_field(&steps, STEP_DEVICE, nodes.size);
    etr_pieces_append(&steps, &nodes);
  }
  etr_pieces_field(out, RUN_STEP_STATS, steps.size);
  etr_pieces_append(out, &steps);
}
