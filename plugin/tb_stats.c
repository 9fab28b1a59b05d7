/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_stats.c - times on a graph as TensorFlow's RunMetadata.
 */
#include "tb_stats.h"

#include <math.h>

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

/* ---- Messages ---- */

/* Every output has to have a shape, be it an empty one, and no size in it may be 0: the page's script would stop. */
static void add_outputs(etr_tb_stats *all, Tensorboard__NodeExecStats *stats, const etr_node *node, etr_tb_shape **shapes) {
  etr_arena *arena = all->view->arena;
  Tensorboard__NodeOutput *outputs = etr_arena_alloc_array(arena, node->output_count, sizeof *outputs);
  Tensorboard__TensorDescription *descriptions = etr_arena_alloc_array(arena, node->output_count, sizeof *descriptions);
  stats->output = etr_arena_alloc_array(arena, node->output_count, sizeof(void *));
  if (etr_arena_failed(arena)) return;
  for (size_t i = 0; i < node->output_count; i++) {
    tensorboard__node_output__init(&outputs[i]);
    tensorboard__tensor_description__init(&descriptions[i]);
    descriptions[i].shape = value_bytes(&node->outputs[i]) > 0 ? shapes[i] : &all->no_shape;
    outputs[i].slot = (int32_t)i;
    outputs[i].tensor_description = &descriptions[i];
    stats->output[i] = &outputs[i];
  }
  stats->n_output = node->output_count;
}

static void add_memory(etr_arena *arena, Tensorboard__NodeExecStats *stats, const etr_node *node) {
  int64_t bytes = 0;
  for (size_t i = 0; i < node->output_count; i++) {
    int64_t more = value_bytes(&node->outputs[i]);
    bytes += ETR_MIN(more, INT64_MAX - bytes);
  }
  Tensorboard__AllocatorMemoryUsed *memory = bytes > 0 ? etr_arena_alloc(arena, sizeof *memory) : NULL;
  stats->memory = memory ? etr_arena_alloc(arena, sizeof *stats->memory) : NULL;
  if (!stats->memory) return;
  tensorboard__allocator_memory_used__init(memory);
  memory->total_bytes = bytes;
  stats->memory[0] = memory;
  stats->n_memory = 1;
}

static bool is_timed(const etr_tb_view *view, size_t node) { return etr_tb_time(view->graph, node) && view->device_of_node[node] != ETR_NONE; }

static void add_node(etr_tb_stats *stats, size_t node) {
  const etr_tb_view *view = stats->view;
  Tensorboard__NodeExecStats *added = &stats->nodes[stats->count];
  tensorboard__node_exec_stats__init(added);
  added->node_name = (char *)(uintptr_t)view->names[node];
  add_outputs(stats, added, &view->graph->nodes[node], view->shapes + view->first_value[node]);
  add_memory(view->arena, added, &view->graph->nodes[node]);
  stats->graph_nodes[stats->count++] = (uint32_t)node;
}

/* Each device's list of nodes. */
static void fill_devices(etr_tb_stats *stats) {
  const etr_tb_view *view = stats->view;
  size_t *counts = etr_arena_alloc_array(view->arena, view->device_count, sizeof *counts);
  stats->devices = etr_arena_alloc_array(view->arena, view->device_count, sizeof *stats->devices);
  stats->device_list = etr_arena_alloc_array(view->arena, view->device_count, sizeof(void *));
  if (etr_arena_failed(view->arena)) return;
  for (size_t i = 0; i < stats->count; i++) counts[view->device_of_node[stats->graph_nodes[i]]]++;
  for (size_t i = 0; i < view->device_count; i++) {
    Tensorboard__DeviceStepStats *device = stats->device_list[i] = &stats->devices[i];
    tensorboard__device_step_stats__init(device);
    device->device = (char *)(uintptr_t)view->devices[i];
    device->node_stats = etr_arena_alloc_array(view->arena, counts[i], sizeof(void *));
    if (!device->node_stats) return;
  }
  for (size_t i = 0; i < stats->count; i++) {
    Tensorboard__DeviceStepStats *device = &stats->devices[view->device_of_node[stats->graph_nodes[i]]];
    device->node_stats[device->n_node_stats++] = &stats->nodes[i];
  }
}

void etr_tb_stats_build(etr_tb_stats *out, const etr_tb_view *view) {
  *out = (etr_tb_stats){.view = view, .no_shape = TENSORBOARD__TENSOR_SHAPE_PROTO__INIT};
  size_t count = 0;
  for (size_t i = 0; i < view->graph->node_count; i++) count += is_timed(view, i);
  out->nodes = etr_arena_alloc_array(view->arena, count, sizeof *out->nodes);
  out->graph_nodes = etr_arena_alloc_array(view->arena, count, sizeof *out->graph_nodes);
  for (size_t i = 0; i < view->graph->node_count && !etr_arena_failed(view->arena); i++)
    if (is_timed(view, i)) add_node(out, i);
  if (!etr_arena_failed(view->arena)) fill_devices(out);
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

static const etr_node_time *time_of(const etr_tb_stats *stats, size_t i) { return &stats->view->graph->times[stats->graph_nodes[i]]; }

/* Gives every box a stretch as long as all that is in it, boxes inside first, and lays its nodes into that. */
static void pack_starts(etr_tb_stats *stats) {
  const etr_scopes *scopes = &stats->view->scopes;
  int64_t *length = etr_arena_alloc_array(stats->view->arena, scopes->count, sizeof *length);
  int64_t *next = etr_arena_alloc_array(stats->view->arena, scopes->count, sizeof *next);
  if (!length || !next) return;
  int64_t next_on_top = 1;
  for (size_t i = 0; i < stats->count; i++) {
    uint32_t scope = scopes->of_node[stats->graph_nodes[i]];
    if (scope != ETR_NONE) length[scope] += stats->nodes[i].all_end_rel_micros;
  }
  for (size_t i = scopes->count; i-- > 0;)
    if (scopes->list[i].parent != ETR_NONE) length[scopes->list[i].parent] += length[i];
  for (size_t i = 0; i < scopes->count; i++) {
    int64_t *around = scopes->list[i].parent == ETR_NONE ? &next_on_top : &next[scopes->list[i].parent];
    next[i] = *around;
    *around += length[i];
  }
  for (size_t i = 0; i < stats->count; i++) {
    uint32_t scope = scopes->of_node[stats->graph_nodes[i]];
    int64_t *start = scope == ETR_NONE ? &next_on_top : &next[scope];
    stats->nodes[i].all_start_micros = *start;
    *start += stats->nodes[i].all_end_rel_micros;
  }
}

void etr_tb_stats_pack(etr_pieces *out, etr_tb_stats *stats, etr_tb_statistic statistic) {
  const etr_profile *profile = stats->view->profile;
  for (size_t i = 0; i < stats->count; i++) {
    const etr_node_time *time = time_of(stats, i);
    stats->nodes[i].all_end_rel_micros = whole_micros(profile, ticks_of(time, statistic));
    /* Shapes are the same in every tag: the first has them. */
    stats->nodes[i].n_output = statistic == ETR_TB_AVG ? stats->view->graph->nodes[stats->graph_nodes[i]].output_count : 0;
    if (statistic == ETR_TB_TIMELINE) stats->nodes[i].all_start_micros = whole_micros(profile, (double)time->first_start_ticks);
  }
  if (statistic != ETR_TB_TIMELINE) pack_starts(stats);
  Tensorboard__StepStats steps = TENSORBOARD__STEP_STATS__INIT;
  Tensorboard__RunMetadata metadata = TENSORBOARD__RUN_METADATA__INIT;
  steps.n_dev_stats = stats->view->device_count;
  steps.dev_stats = stats->device_list;
  metadata.step_stats = &steps;
  if (!etr_arena_failed(stats->view->arena)) etr_pieces_message(out, &metadata.base);
}
