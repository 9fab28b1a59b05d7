/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_view.c - finds names, devices and shapes of a graph.
 */
#include "tensorboard/tb_view.h"

#include "base/writer.h"
#include "output/label.h"
#include "tensorboard/pack.h"
#include "tensorboard/tb_names.h"
#include "views/phases.h"

/* ---- Shapes ---- */

/* The different shapes of a graph. Thousands of outputs have a few dozen shapes. */
typedef struct shape_list {
  etr_arena *arena;
  etr_packer packer; /* packs one shape after the other */
  const ProtobufCFieldDescriptor *dim, *size, *unknown_rank;
  etr_text key;
  etr_map known; /* type and dimensions, as bytes in memory -> index */
  etr_vec(etr_tb_shape *) all;
} shape_list;

/* Packs a shape as TensorFlow's TensorShapeProto, from its last dimension to its first. A negative
 * rank is unknown. The data are NULL when out of memory. */
static etr_slice pack_shape(shape_list *list, const etr_value *value) {
  etr_packer_reset(&list->packer);
  etr_pack_int(&list->packer, list->unknown_rank, value->rank < 0);
  for (size_t i = value->rank > 0 ? (size_t)value->rank : 0; i-- > 0;) {
    int64_t size = value->dims[i].size;
    size_t size_before = etr_packed_size(&list->packer);
    /* -1 is shown as "?". */
    etr_pack_int(&list->packer, list->size, size == ETR_DIM_SYMBOLIC ? -1 : size);
    etr_pack_nested(&list->packer, list->dim, size_before);
  }
  etr_slice packed = etr_packed(&list->packer);
  return (etr_slice){etr_arena_copy(list->arena, packed), packed.size};
}

/* Returns the packed shape and the label of a value, which equal values share; NULL when out of
 * memory. Texts are compared by address, so equal texts at two addresses only cost a second entry.
 * */
static etr_tb_shape *share_shape(shape_list *list, const etr_value *value) {
  size_t rank = value->rank > 0 ? (size_t)value->rank : 0;
  list->key.size = 0;
  etr_text_add(&list->key, ETR_BYTES(value->dtype));
  etr_text_add(&list->key, ETR_BYTES(value->rank));
  etr_text_add(&list->key, (etr_slice){(const char *)value->dims, rank * sizeof *value->dims});
  etr_slice key = {list->key.data, list->key.size};
  uint32_t index = etr_map_get(&list->known, key);
  if (index != ETR_NONE)
    return list->all.data[index];
  etr_tb_shape *shape = etr_arena_alloc(list->arena, sizeof *shape);
  etr_tb_shape **added = etr_vec_push(list->arena, &list->all);
  if (!shape || !added || !etr_map_set(&list->known, key, (uint32_t)(list->all.count - 1)))
    return NULL;
  char text[ETR_SHAPE_ROOM], room[ETR_TB_TEXT_ROOM];
  etr_slice label = etr_tb_clean_text(room, (etr_slice){text, etr_format_shape(text, value)});
  *shape = (etr_tb_shape){pack_shape(list, value),
                          {etr_arena_copy(list->arena, label), label.size}};
  *added = shape;
  return *added;
}

/* Finds the packed shape and the label of each output of each node. When out of memory, the arena
 * has failed. view->first_value has for each node the index of its first output in view->shapes. */
static void find_shapes(etr_tb_view *view) {
  shape_list list = {
      .arena = view->arena,
      .packer = {.arena = view->arena},
      .dim = etr_pack_field(tensorboard__tensor_shape_proto, "dim"),
      .size = etr_pack_field(tensorboard__tensor_shape_proto__dim, "size"),
      .unknown_rank = etr_pack_field(tensorboard__tensor_shape_proto, "unknown_rank"),
      .key = {.arena = view->arena}};
  size_t count = 0;
  etr_map_init(&list.known, view->arena);
  for (size_t i = 0; i < view->graph->node_count; i++)
    count += view->graph->nodes[i].output_count;
  view->first_value = etr_arena_alloc_array(view->arena, view->graph->node_count,
                                            sizeof *view->first_value);
  view->shapes = etr_arena_alloc_array(view->arena, count, sizeof *view->shapes);
  if (etr_arena_failed(view->arena))
    return;
  count = 0;
  for (size_t i = 0; i < view->graph->node_count; i++) {
    view->first_value[i] = count;
    for (size_t output = 0; output < view->graph->nodes[i].output_count; output++)
      view->shapes[count++] = share_shape(&list, &view->graph->nodes[i].outputs[output]);
  }
}

/* ---- Devices ---- */

const char *etr_tb_backend(const etr_graph *graph, size_t node) {
  if (graph->times && graph->times[node].backend)
    return graph->times[node].backend;
  uint32_t subgraph = graph->nodes[node].subgraph;
  while (subgraph < graph->subgraph_count && !graph->subgraphs[subgraph].backend) {
    uint32_t parent = graph->subgraphs[subgraph].parent;
    subgraph = parent < subgraph ? parent : ETR_NONE;
  }
  return subgraph < graph->subgraph_count ? graph->subgraphs[subgraph].backend : NULL;
}

/* Returns the name of a device: "/device:COREML-GPU+CPU:0", with the compute units if they are
 * known. The page lists only devices that end in ":NAME:NUMBER". NULL when out of memory. A backend
 * without a label is called DELEGATE. */
static const char *name_device(etr_arena *arena, const char *backend, unsigned units) {
  const char *label = etr_label_device(arena, backend);
  const char *name = label && label[0] ? label : "DELEGATE";
  const char *separator = "-";
  if (!label)
    return NULL;
  name = etr_arena_format(arena, "/device:%.64s", name);
  for (etr_compute_unit unit = ETR_COMPUTE_UNIT_NPU;
       name && backend && unit <= ETR_COMPUTE_UNIT_CPU; unit++) {
    if (!(units >> unit & 1))
      continue;
    name = etr_arena_format(arena, "%s%s%s", name, separator, etr_compute_unit_name(unit));
    separator = "+";
  }
  return name ? etr_arena_format(arena, "%s:0", name) : NULL;
}

/* The devices of a graph, each listed once: different backends may have the same label. */
typedef struct device_list {
  etr_arena *arena;
  etr_vec(const char *) names;
  etr_map by_name;
  etr_map by_backend[1 << ETR_COMPUTE_UNITS]; /* by a set of compute units, then by backend ("" is a
                                                 kernel) */
} device_list;

/* Returns the index of the device of a backend and the set of compute units that it used; a new one
 * is added, unless another set has the same name. ETR_NONE when out of memory. */
static uint32_t number_device(device_list *list, const char *backend, unsigned units) {
  etr_map *devices = &list->by_backend[units % (1 << ETR_COMPUTE_UNITS)];
  etr_slice key = etr_slice_of(backend ? backend : "");
  uint32_t device = etr_map_get(devices, key);
  if (device != ETR_NONE)
    return device;
  const char *name = name_device(list->arena, backend, units);
  device = name ? etr_map_get(&list->by_name, etr_slice_of(name)) : ETR_NONE;
  const char **added = name && device == ETR_NONE ? etr_vec_push(list->arena, &list->names) : NULL;
  if (added) {
    *added = name;
    device = (uint32_t)list->names.count - 1;
    etr_map_set(&list->by_name, etr_slice_of(name), device);
  }
  etr_map_set(devices, key, device);
  return device;
}

/* Finds the device of each operator that ran or is in a delegate; ETR_NONE for other nodes. When
 * out of memory, the arena has failed. view->devices has the names of the devices, and
 * view->device_of_node indices into them. */
static void find_devices(etr_tb_view *view) {
  const etr_graph *graph = view->graph;
  device_list list = {.arena = view->arena};
  etr_map_init(&list.by_name, view->arena);
  for (size_t i = 0; i < ETR_COUNT(list.by_backend); i++)
    etr_map_init(&list.by_backend[i], view->arena);
  view->device_of_node = etr_arena_alloc_array(view->arena, graph->node_count,
                                               sizeof *view->device_of_node);
  for (size_t i = 0; i < graph->node_count && !etr_arena_failed(view->arena); i++) {
    const char *backend = etr_tb_backend(graph, i);
    bool has_device = graph->nodes[i].kind == ETR_NODE_OP && (backend || etr_tb_time(graph, i));
    unsigned units = graph->times ? graph->times[i].compute_units : 0;
    view->device_of_node[i] = has_device ? number_device(&list, backend, units) : ETR_NONE;
  }
  view->devices = list.names.data;
  view->device_count = (uint32_t)list.names.count;
}

etr_status etr_tb_view_build(etr_tb_view *out, etr_arena *arena, const etr_profile *profile,
                             const etr_graph *graph, const etr_scopes *scopes) {
  *out = (etr_tb_view){.arena = arena, .profile = profile, .graph = graph, .scopes = *scopes};
  out->names = etr_tb_names(arena, graph, &out->scopes);
  find_shapes(out);
  find_devices(out);
  return etr_arena_failed(arena) ? ETR_ERROR_MEMORY : ETR_OK;
}
