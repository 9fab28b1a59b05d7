/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_stats.c - packs times on a graph as TensorFlow's RunMetadata.
 */
#include "tensorboard/tb_stats.h"

#include <math.h>

/* The largest time, eleven days in microseconds. It keeps sums of hostile times within int64. */
static const double max_micros = 1e12;

const char *etr_tb_statistic_tag(etr_tb_statistic statistic) {
  static const char *const tags[ETR_TB_STATISTIC_COUNT] = {"profile/typical", "profile/avg",
                                                           "profile/p50",     "profile/p90",
                                                           "profile/max",     "profile/timeline"};
  return tags[statistic];
}

/* ---- Sizes of outputs ---- */

/* Returns the bytes of a value. 0 if its dtype or shape is unknown, symbolic, empty or so large
 * that a sum could overflow: the page cannot use any of these. */
static int64_t value_bytes(const etr_value *value) {
  static const struct {
    const char *dtype;
    int64_t bytes;
  } sizes[] = {
      {"float32", 4}, {"int64", 8},     {"bool", 1},      {"int8", 1},
      {"uint8", 1},   {"float16", 2},   {"bfloat16", 2},  {"int32", 4},
      {"float64", 8}, {"int16", 2},     {"uint16", 2},    {"uint32", 4},
      {"uint64", 8},  {"complex32", 4}, {"complex64", 8}, {"complex128", 16},
  };
  const char *dtype = value->rank < 0 ? NULL : value->dtype;
  size_t size_index = 0;
  while (dtype && size_index < ETR_COUNT(sizes) && strcmp(sizes[size_index].dtype, dtype) != 0)
    size_index++;
  int64_t bytes = dtype && size_index < ETR_COUNT(sizes) ? sizes[size_index].bytes : 0;
  if (dtype && strncmp(dtype, "float8", 6) == 0)
    bytes = 1;
  for (int32_t i = 0; i < value->rank; i++) {
    int64_t size = value->dims[i].size;
    bytes = size < 1 || bytes > INT32_MAX * (int64_t)65536 / size ? 0 : bytes * size;
  }
  return bytes;
}

static bool is_timed(const etr_tb_view *view, size_t node) {
  return etr_tb_time(view->graph, node) && view->device_of_node[node] != ETR_NONE;
}

/* Groups the timed nodes by device, in their order within each device, by counting. device_end
 * becomes the index in by_device where each group ends. When out of memory, the arena has failed.
 */
static void group_by_device(etr_tb_stats *stats, etr_arena *arena) {
  const etr_tb_view *view = stats->view;
  stats->by_device = etr_arena_alloc_array(arena, stats->count, sizeof *stats->by_device);
  stats->device_end = etr_arena_alloc_array(arena, view->device_count, sizeof *stats->device_end);
  if (etr_arena_failed(arena))
    return;
  for (size_t i = 0; i < stats->count; i++) {
    uint32_t device = view->device_of_node[stats->nodes[i].node];
    stats->device_end[device]++; /* at first, the number of its nodes */
  }
  for (uint32_t i = 1; i < view->device_count; i++)
    stats->device_end[i] += stats->device_end[i - 1];
  size_t *next_index = etr_arena_alloc_array(arena, view->device_count, sizeof *next_index);
  for (uint32_t i = 1; i < view->device_count && next_index; i++)
    next_index[i] = stats->device_end[i - 1];
  for (size_t i = 0; i < stats->count && next_index; i++) {
    uint32_t device = view->device_of_node[stats->nodes[i].node];
    stats->by_device[next_index[device]++] = (uint32_t)i;
  }
}

void etr_tb_stats_build(etr_tb_stats *out, const etr_tb_view *view) {
  const etr_graph *graph = view->graph;
  size_t count = 0;
  *out = (etr_tb_stats){.view = view};
  for (size_t i = 0; i < graph->node_count; i++)
    count += is_timed(view, i);
  out->nodes = etr_arena_alloc_array(view->arena, count, sizeof *out->nodes);
  for (size_t i = 0; i < graph->node_count && out->nodes; i++) {
    if (!is_timed(view, i))
      continue;
    etr_tb_timed *added = &out->nodes[out->count++];
    *added = (etr_tb_timed){.node = (uint32_t)i};
    for (size_t k = 0; k < graph->nodes[i].output_count; k++)
      added->memory_bytes += ETR_MIN(value_bytes(&graph->nodes[i].outputs[k]),
                                     INT64_MAX - added->memory_bytes);
  }
  group_by_device(out, view->arena);
}

/* ---- Times ---- */

static double micros(const etr_profile *profile, double ticks) {
  double time = etr_ticks_to_ns(profile, ticks) / 1e3;
  return time > 0 ? ETR_MIN(time, max_micros) : 0;
}

/* Places a time that begins at the exact time `start`. It is at least 1 us long, because the page
 * drops a time of 0. */
static void set_start_and_length(etr_tb_timed *timed, double start) {
  timed->start_micros = llround(start);
  timed->length_micros = ETR_MAX(llround(start + timed->micros) - timed->start_micros, 1);
}

/* Sets the starts of all nodes, in microseconds: every box gets an interval as long as the sum of
 * its contents, with inner boxes first. Sums are exact and only ends are rounded, so a box, whose
 * time the page takes from its first start to its last end, is right within 2 us however many nodes
 * it has. */
static void lay_out_starts(etr_tb_stats *stats) {
  etr_arena *arena = stats->view->arena;
  const etr_scopes *scopes = &stats->view->scopes;
  double *lengths = etr_arena_alloc_array(arena, scopes->count, sizeof *lengths);
  double *next_starts = etr_arena_alloc_array(arena, scopes->count, sizeof *next_starts);
  if (etr_arena_failed(arena))
    return;
  double next_top_start = 1;
  for (size_t i = 0; i < stats->count; i++) {
    uint32_t scope = scopes->of_node[stats->nodes[i].node];
    if (scope != ETR_NONE)
      lengths[scope] += stats->nodes[i].micros;
  }
  for (size_t i = scopes->count; i-- > 0;)
    if (scopes->list[i].parent != ETR_NONE)
      lengths[scopes->list[i].parent] += lengths[i];
  for (size_t i = 0; i < scopes->count; i++) {
    double *outer_start = scopes->list[i].parent == ETR_NONE ? &next_top_start
                                                             : &next_starts[scopes->list[i].parent];
    next_starts[i] = *outer_start;
    *outer_start += lengths[i];
  }
  for (size_t i = 0; i < stats->count; i++) {
    uint32_t scope = scopes->of_node[stats->nodes[i].node];
    double *start = scope == ETR_NONE ? &next_top_start : &next_starts[scope];
    set_start_and_length(&stats->nodes[i], *start);
    *start += stats->nodes[i].micros;
  }
}

/* Sets the times of all nodes, in microseconds per inference, to a statistic, and when they start:
 * as measured for the timeline, else laid out by their boxes. The timeline has averages over the
 * runs in which a node ran. */
static void set_times(etr_tb_stats *stats, etr_tb_statistic statistic) {
  const etr_profile *profile = stats->view->profile;
  for (size_t i = 0; i < stats->count; i++) {
    etr_tb_timed *timed = &stats->nodes[i];
    const etr_node_time *time = &stats->view->graph->times[timed->node];
    const double ticks_by_statistic[ETR_TB_STATISTIC_COUNT] = {
        time->typical,     time->avg,         time->per_run.p50,
        time->per_run.p90, time->per_run.max, time->per_run.avg};
    timed->micros = micros(profile, ticks_by_statistic[statistic]);
    if (statistic == ETR_TB_TIMELINE)
      set_start_and_length(timed, ETR_MAX(micros(profile, (double)time->first_start_ticks), 1));
  }
  if (statistic != ETR_TB_TIMELINE)
    lay_out_starts(stats);
}

/* ---- Packing: from the last field of a message to the first ---- */

typedef struct stats_packer {
  etr_packer *out;
  const etr_tb_view *view;
  const ProtobufCFieldDescriptor *name, *start, *length, *memory,
      *output;                                                   /* fields of NodeExecStats */
  const ProtobufCFieldDescriptor *total, *slot, *tensor, *shape; /* fields of the messages in it */
  const ProtobufCFieldDescriptor *device, *node_stats,
      *dev_stats; /* fields of the messages around it */
} stats_packer;

/* Packs the nodes of a device, from the last to the first, and their outputs if with_outputs is
 * set. Every output must have a shape, even an empty one, and no size in it may be 0: otherwise the
 * page's script would stop. */
static void pack_device(const stats_packer *p, const etr_tb_stats *stats, uint32_t device,
                        bool with_outputs) {
  for (size_t i = stats->device_end[device], first = device ? stats->device_end[device - 1] : 0;
       i-- > first;) {
    const etr_tb_timed *timed = &stats->nodes[stats->by_device[i]];
    const etr_node *node = &p->view->graph->nodes[timed->node];
    etr_tb_shape *const *shapes = p->view->shapes + p->view->first_value[timed->node];
    size_t size_before_node = etr_packed_size(p->out);
    for (size_t k = with_outputs ? node->output_count : 0; k-- > 0;) {
      size_t size_before_output = etr_packed_size(p->out);
      etr_pack_bytes(p->out, p->shape,
                     value_bytes(&node->outputs[k]) > 0 ? shapes[k]->packed : (etr_slice){0});
      etr_pack_nested(p->out, p->tensor, size_before_output);
      etr_pack_int(p->out, p->slot, (int32_t)k);
      etr_pack_nested(p->out, p->output, size_before_output);
    }
    if (timed->memory_bytes != 0) {
      size_t size_before_memory = etr_packed_size(p->out);
      etr_pack_int(p->out, p->total, timed->memory_bytes);
      etr_pack_nested(p->out, p->memory, size_before_memory);
    }
    etr_pack_int(p->out, p->length, timed->length_micros);
    etr_pack_int(p->out, p->start, timed->start_micros);
    etr_pack_bytes(p->out, p->name, etr_slice_of(p->view->names[timed->node]));
    etr_pack_nested(p->out, p->node_stats, size_before_node);
  }
  etr_pack_bytes(p->out, p->device, etr_slice_of(p->view->devices[device]));
}

void etr_tb_stats_pack(etr_packer *out, etr_tb_stats *stats, etr_tb_statistic statistic) {
  const stats_packer p = {
      .out = out,
      .view = stats->view,
      .name = etr_pack_field(tensorboard__node_exec_stats, "node_name"),
      .start = etr_pack_field(tensorboard__node_exec_stats, "all_start_micros"),
      .length = etr_pack_field(tensorboard__node_exec_stats, "all_end_rel_micros"),
      .memory = etr_pack_field(tensorboard__node_exec_stats, "memory"),
      .output = etr_pack_field(tensorboard__node_exec_stats, "output"),
      .total = etr_pack_field(tensorboard__allocator_memory_used, "total_bytes"),
      .slot = etr_pack_field(tensorboard__node_output, "slot"),
      .tensor = etr_pack_field(tensorboard__node_output, "tensor_description"),
      .shape = etr_pack_field(tensorboard__tensor_description, "shape"),
      .device = etr_pack_field(tensorboard__device_step_stats, "device"),
      .node_stats = etr_pack_field(tensorboard__device_step_stats, "node_stats"),
      .dev_stats = etr_pack_field(tensorboard__step_stats, "dev_stats")};
  size_t size_before = etr_packed_size(out);
  set_times(stats, statistic);
  if (etr_arena_failed(stats->view->arena))
    return;
  for (uint32_t device = stats->view->device_count; device-- > 0;) {
    size_t size_before_device = etr_packed_size(out);
    /* Only the first statistic has the outputs with their shapes, which are the same in all. */
    pack_device(&p, stats, device, statistic == ETR_TB_TYPICAL);
    etr_pack_nested(out, p.dev_stats, size_before_device);
  }
  etr_pack_nested(out, etr_pack_field(tensorboard__run_metadata, "step_stats"), size_before);
}
