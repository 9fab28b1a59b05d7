/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_graph.c - packs a graph as TensorFlow's GraphDef.
 */
#include "base/writer.h"
#include "output/label.h"
#include "tensorboard/tb_names.h"
#include "tensorboard/tb_view.h"
#include "views/accuracy_view.h"
#include "views/cost_figures.h"
#include "views/phases.h"

#include <inttypes.h>
#include <math.h>

enum {
  MAX_VALUES = 10, /* inputs and outputs that attributes list; edges exist for all */
  LOOKAHEAD = 16,  /* inputs that are searched for one of another node */
};

/* The node that is being packed. Nodes are packed one after the other, from the last. */
typedef struct packer {
  const etr_tb_view *view;
  const etr_node_accuracy *accuracy; /* per node; NULL: no values were compared */
  etr_arena *arena;
  etr_packer *out;
  const ProtobufCFieldDescriptor *node, *name, *op, *input, *device,
      *attr;                                           /* fields of GraphDef and NodeDef */
  const ProtobufCFieldDescriptor *text, *list, *shape; /* fields of AttrValue and ListValue */
  etr_vec(const char *) inputs;
  etr_vec(etr_edge) edges;
  etr_vec(const etr_argument *) arguments;
  etr_map index_of_shared;   /* address of data that many nodes share -> index in shared */
  etr_vec(etr_slice) shared; /* packed attributes that follow from these data */
} packer;

/* ---- Attributes ----
 *
 * They are sorted by key, so that the bytes are always the same. Packing runs backwards, so the
 * last one is added first. */

/* Adds a text that is already clean, unless it is empty. */
static void add_clean_text(packer *p, const char *key, etr_slice text) {
  if (text.size > 0)
    etr_pack_text_entry(p->out, p->attr, etr_slice_of(key), p->text, text);
}

/* Adds an attribute with a text, in which characters that the page cannot show are replaced. Adds
 * nothing for NULL or "". */
static void add_text(packer *p, const char *key, const char *text) {
  char room[ETR_TB_TEXT_ROOM];
  if (text)
    add_clean_text(p, key, etr_tb_clean_text(room, etr_slice_of(text)));
}

static void add_decimal(packer *p, const char *key, double value, int decimals) {
  char text[ETR_FIXED_ROOM];
  add_clean_text(p, key, (etr_slice){text, etr_format_fixed(text, value, decimals)});
}

static void add_micros(packer *p, const char *key, double ticks) {
  add_decimal(p, key, etr_ticks_to_ns(p->view->profile, ticks) / 1e3, 3);
}

/* Adds the delegate that an operator runs in, "delegate 3: XnnpackBackend", as the attribute by
 * which TensorBoard can color the graph (XLA Cluster). Adds nothing for other nodes. */
static void add_delegate(packer *p, size_t node) {
  const char *backend = etr_tb_backend(p->view->graph, node);
  if (!backend || p->view->graph->nodes[node].kind != ETR_NODE_OP)
    return;
  const etr_node_time *time = p->view->graph->times ? &p->view->graph->times[node] : NULL;
  int32_t instruction = time ? time->delegate_instruction : -1;
  add_text(p, "_XlaCluster",
           instruction >= 0
               ? etr_arena_format(p->arena, "delegate %" PRId32 ": %s", instruction, backend)
               : etr_arena_format(p->arena, "delegate: %s", backend));
}

static int by_name(const void *x, const void *y) {
  return strcmp((*(const etr_argument *const *)x)->name, (*(const etr_argument *const *)y)->name);
}

/* Adds the arguments of a node as attributes "arg.NAME", packed from the last name to the first so
 * that they are sorted. */
static void add_arguments(packer *p, const etr_node *node) {
  static const char prefix[] = "arg.";
  char key[sizeof prefix + ETR_TB_NAME_ROOM], value[ETR_ARGUMENT_ROOM], room[ETR_TB_TEXT_ROOM];
  p->arguments.count = 0;
  for (size_t i = 0; i < node->argument_count; i++) {
    const etr_argument **argument = etr_vec_push(p->arena, &p->arguments);
    if (!argument)
      return;
    *argument = &node->arguments[i];
  }
  etr_sort(p->arguments.data, p->arguments.count, sizeof *p->arguments.data, by_name);
  memcpy(key, prefix, sizeof prefix - 1);
  for (size_t i = p->arguments.count; i-- > 0;) {
    (void)etr_tb_clean_name(key + sizeof prefix - 1, etr_slice_of(p->arguments.data[i]->name));
    etr_slice text = {value, etr_format_argument(value, p->arguments.data[i]->value)};
    add_clean_text(p, key, etr_tb_clean_text(room, text));
  }
}

/* Adds the shapes of a node's first ten inputs as attributes "in0" to "in9". */
static void add_inputs(packer *p, const etr_node *node) {
  static const char *const keys[MAX_VALUES] = {"in0", "in1", "in2", "in3", "in4",
                                               "in5", "in6", "in7", "in8", "in9"};
  const etr_tb_view *view = p->view;
  for (size_t i = ETR_MIN(node->input_count, (size_t)MAX_VALUES); i-- > 0;) {
    etr_edge edge = node->inputs[i];
    size_t value = view->first_value[edge.node] + edge.output;
    if (edge.output < view->graph->nodes[edge.node].output_count)
      add_clean_text(p, keys[i], view->shapes[value]->label);
  }
}

/* Adds the shapes of a node's first ten outputs as attributes "out0" to "out9". */
static void add_outputs(packer *p, size_t node) {
  static const char *const keys[MAX_VALUES] = {"out0", "out1", "out2", "out3", "out4",
                                               "out5", "out6", "out7", "out8", "out9"};
  etr_tb_shape *const *shapes = p->view->shapes + p->view->first_value[node];
  size_t count = ETR_MIN(p->view->graph->nodes[node].output_count, (size_t)MAX_VALUES);
  for (size_t i = count; i-- > 0;)
    add_clean_text(p, keys[i], shapes[i]->label);
}

/* Adds the attributes that follow from data that many nodes share, such as a module, by calling
 * `add`. They are packed once, for the first of these nodes, and copied for the others. */
static void add_shared(packer *p, const void *shared_data,
                       void (*add)(packer *p, const void *shared_data)) {
  const etr_slice key = {(const char *)&shared_data, sizeof shared_data};
  uint32_t attribute_index = etr_map_get(&p->index_of_shared, key);
  if (attribute_index != ETR_NONE) {
    etr_pack_copy(p->out, p->shared.data[attribute_index]);
    return;
  }
  size_t size_before = etr_packed_size(p->out);
  add(p, shared_data);
  etr_slice packed = {p->out->start, etr_packed_size(p->out) - size_before};
  etr_slice *added = etr_vec_push(p->arena, &p->shared);
  const char *kept = added ? etr_arena_copy(p->arena, packed) : NULL;
  if (!kept || !etr_map_set(&p->index_of_shared, key, (uint32_t)p->shared.count - 1))
    return;
  *added = (etr_slice){kept, packed.size};
}

/* Adds the location and the code of a source line. It is an add_shared() function. */
static void add_source(packer *p, const void *shared_source) {
  const etr_source *source = shared_source;
  const char *location = etr_label_source(p->arena, source);
  if (location && source->code[0] != '\0')
    location = etr_arena_format(p->arena, "%s: %s", location, source->code);
  add_text(p, "source", location);
}

static void add_target(packer *p, const void *target) {
  add_text(p, "target", target);
}

/* Adds the class and the path of the module that a node belongs to. It is an add_shared() function.
 */
static void add_module(packer *p, const void *of) {
  const etr_module *module = of;
  add_text(p, "module_type", module->type);
  add_text(p, "module", module->path);
}

static const etr_method *method_of(const packer *p) {
  uint32_t method = p->view->graph->profile_method;
  return method < p->view->profile->method_count ? &p->view->profile->methods[method] : NULL;
}

/* Adds what the backend recorded about a node beside its time: its cycles per inference and the
 * compute units that it ran on, as far as they are known. */
static void add_backend_facts(packer *p, const etr_node_time *time) {
  double cycles = etr_cycles_of(method_of(p), time);
  if (!isnan(cycles))
    add_decimal(p, "cycles", cycles, 0);
  add_text(p, "compute_unit", etr_compute_units_text(p->arena, time->compute_units));
}

/* Adds those costs of a node that are above 0; an addition, for example, has no
 * multiply-accumulates. What an operator without a formula costs is added as "unknown".
 * Multiply-accumulates and bytes are per inference. */
static void add_cost(packer *p, size_t index) {
  const etr_cost_figures cost = etr_cost_figures_of_node(p->view->profile, p->view->graph, index);
  if (cost.macs > 0)
    add_decimal(p, "cost.macs", cost.macs, 0);
  if (isnan(cost.macs) && cost.unknown > 0)
    add_text(p, "cost.macs", "unknown");
  if (cost.intensity > 0)
    add_decimal(p, "cost.intensity", cost.intensity, 3);
  if (cost.gflops > 0)
    add_decimal(p, "cost.gflops", cost.gflops, 3);
  if (cost.gbs > 0)
    add_decimal(p, "cost.gbs", cost.gbs, 3);
  if (cost.bytes > 0)
    add_decimal(p, "cost.bytes", cost.bytes, 0);
  if (isnan(cost.bytes) && cost.unknown > 0)
    add_text(p, "cost.bytes", "unknown");
}

/* Adds how the time of a node was identified, and how sure that is if it was estimated. */
static void add_match(packer *p, const etr_node_time *time) {
  if (time->match == ETR_MATCH_ALIGNED)
    add_text(p, "match",
             etr_arena_format(p->arena, "aligned (estimated, confidence %.0f %%)",
                              100 * time->confidence));
  else
    add_text(p, "match",
             time->is_estimated
                 ? etr_arena_format(p->arena, "%s (time estimated)", etr_match_name(time->match))
                 : etr_match_name(time->match));
}

/* Appends as much of `more` as fits into ETR_TB_TEXT_ROOM bytes, with a NUL at the end. Returns the
 * new size. */
static size_t append_cut(char *text, size_t used, const char *more) {
  size_t size = ETR_MIN(strlen(more), ETR_TB_TEXT_ROOM - 1 - used);
  memcpy(text + used, more, size);
  text[used + size] = '\0';
  return used + size;
}

/* Adds the names of the Edge nodes that an instruction of the program was made from, separated by
 * commas, as far as there is room. */
static void add_edge_nodes(packer *p, const etr_node *node) {
  char text[ETR_TB_TEXT_ROOM] = "";
  size_t used = 0;
  for (size_t i = 0; i < node->edge_node_count && used < ETR_TB_TEXT_ROOM - 1; i++) {
    used = append_cut(text, used, i ? ", " : "");
    used = append_cut(text, used, node->edge_nodes[i]);
  }
  add_text(p, "edge_nodes", text);
}

/* Adds the shapes of a node's outputs, the only attribute that is not a text. */
static void add_shapes(packer *p, size_t node) {
  etr_tb_shape *const *shapes = p->view->shapes + p->view->first_value[node];
  size_t size_before = etr_packed_size(p->out);
  for (size_t i = p->view->graph->nodes[node].output_count; i-- > 0;)
    etr_pack_bytes(p->out, p->shape, shapes[i]->packed);
  etr_pack_nested(p->out, p->list, size_before);
  etr_pack_entry(p->out, p->attr, ETR_SLICE("_output_shapes"), size_before);
}

/* Adds the SNR of the worst value of a node and that of its own step, in dB, or the text for an
 * exact or incomparable one, and by how much the SNR drops there. Adds nothing for a node whose
 * values were not compared. */
static void add_accuracy(packer *p, size_t index) {
  const etr_node_accuracy *accuracy = p->accuracy ? &p->accuracy[index] : NULL;
  if (!accuracy || !accuracy->gap)
    return;
  const etr_numeric_gap *gaps[] = {accuracy->gap, accuracy->local};
  static const char *const keys[] = {"accuracy.snr_db", "accuracy.local_snr_db"};
  for (size_t i = 0; i < ETR_COUNT(gaps); i++) {
    etr_cell cell = gaps[i] ? etr_accuracy_snr(p->arena, gaps[i]) : etr_cell_none();
    if (cell.text)
      add_text(p, keys[i], cell.text);
    if (gaps[i] && !cell.text)
      add_decimal(p, keys[i], cell.number, 3);
  }
  if (!isnan(accuracy->drop_db))
    add_decimal(p, "accuracy.drop_db", accuracy->drop_db, 3);
}

/* Adds the attributes of a node from the last key to the first, because packing goes backwards and
 * they are sorted. `time` is NULL for a node that never ran, and `known` also has what is known of
 * such a node, as of one that was fused into another. */
static void add_attributes(packer *p, size_t index) {
  const etr_node *node = &p->view->graph->nodes[index];
  const etr_node_time *time = etr_tb_time(p->view->graph, index);
  const etr_node_time *known = p->view->graph->times ? &p->view->graph->times[index] : NULL;
  add_text(p, "weight", node->weight_name);
  if (time)
    add_micros(p, "typical_us", time->typical);
  if (node->kind == ETR_NODE_OP)
    add_shared(p, node->target, add_target);
  if (node->source)
    add_shared(p, node->source, add_source);
  if (time)
    add_text(p, "runs_as", time->runs_as);
  if (time)
    add_micros(p, "p90_us", time->per_run.p90);
  if (time)
    add_micros(p, "p50_us", time->per_run.p50);
  add_outputs(p, index);
  add_shared(p, &p->view->graph->modules[node->module], add_module);
  if (time)
    add_micros(p, "max_us", time->per_run.max);
  if (time)
    add_match(p, time);
  add_inputs(p, node);
  add_text(p, "fx_node", node->name);
  if (node->edge_node_count)
    add_edge_nodes(p, node);
  if (node->debug_handle)
    add_decimal(p, "debug_handle", node->debug_handle, 0);
  if (known)
    add_backend_facts(p, known);
  add_cost(p, index);
  bool is_fused = known && known->runs == 0 && known->carried_by < p->view->graph->node_count;
  if (is_fused)
    add_text(p, "carried_by", p->view->names[known->carried_by]);
  size_t runs = method_of(p) ? method_of(p)->run_count : 0;
  if (time && runs > 0)
    add_decimal(p, "calls", (double)time->calls / (double)runs, time->calls % runs == 0 ? 0 : 2);
  if (time)
    add_micros(p, "avg_us", time->avg);
  add_arguments(p, node);
  add_accuracy(p, index);
  add_delegate(p, index);
  add_shapes(p, index);
}

/* ---- Inputs ---- */

/* Appends an input to the list of pack_node(). NULL, when out of memory, is passed over. */
static void append_input(packer *p, const char *name) {
  const char **slot = name ? etr_vec_push(p->arena, &p->inputs) : NULL;
  if (slot)
    *slot = name;
}

/* Reorders edges so that two from one node do not follow each other, as far as one from another
 * node is among the next LOOKAHEAD: the page keeps only the first of consecutive inputs from one
 * node. */
static void separate_equal_inputs(etr_edge *edges, size_t count) {
  for (size_t i = 1; i < count; i++) {
    size_t other = i;
    size_t end = ETR_MIN(count, i + LOOKAHEAD);
    while (other < end && edges[other].node == edges[i - 1].node)
      other++;
    if (other == i || other == end)
      continue;
    etr_edge moved_edge = edges[other];
    memmove(edges + i + 1, edges + i, (other - i) * sizeof *edges);
    edges[i] = moved_edge;
  }
}

/* Sets p->inputs to the texts of the inputs of a node, "NAME" or "NAME:OUTPUT", for pack_node(). A
 * node of a nested graph without inputs gets a dotted edge ("^NAME") from the node that owns the
 * graph, which shows where it belongs. */
static void find_inputs(packer *p, const etr_node *node) {
  const etr_graph *graph = p->view->graph;
  p->edges.count = p->inputs.count = 0;
  for (size_t i = 0; i < node->input_count + node->other_input_count; i++) {
    etr_edge *edge = etr_vec_push(p->arena, &p->edges);
    if (!edge)
      return;
    *edge = node->inputs[i];
  }
  separate_equal_inputs(p->edges.data, p->edges.count);
  for (size_t i = 0; i < p->edges.count; i++) {
    etr_edge edge = p->edges.data[i];
    const char *name = p->view->names[edge.node];
    if (edge.output > 0)
      name = etr_arena_format(p->arena, "%s:%" PRIu32, name, edge.output);
    append_input(p, name);
  }
  if (p->edges.count > 0 || node->subgraph >= graph->subgraph_count)
    return;
  uint32_t owner = graph->subgraphs[node->subgraph].owner;
  append_input(p, etr_arena_format(p->arena, "^%s", p->view->names[owner]));
}

/* ---- Nodes ---- */

/* Packs a node in front of the packed data, and so from its last field to its first. When out of
 * memory the arena has failed. The page draws a node by its op: that of an operator, "Const" for a
 * weight, and other words for the graph's inputs and outputs. */
static void pack_node(packer *p, size_t index) {
  const etr_node *node = &p->view->graph->nodes[index];
  uint32_t device = p->view->device_of_node[index];
  size_t size_before = etr_packed_size(p->out);
  char op[ETR_TB_NAME_ROOM];
  add_attributes(p, index);
  if (node->kind == ETR_NODE_OP)
    (void)etr_tb_clean_op(op, etr_label_op(node->target));
  else if (node->kind >= ETR_NODE_PARAMETER)
    strcpy(op, "Const");
  else
    strcpy(op, node->kind == ETR_NODE_INPUT ? "Placeholder" : "Output");
  find_inputs(p, node);
  if (etr_arena_failed(p->arena))
    return;
  if (device != ETR_NONE)
    etr_pack_bytes(p->out, p->device, etr_slice_of(p->view->devices[device]));
  for (size_t i = p->inputs.count; i-- > 0;)
    etr_pack_bytes(p->out, p->input, etr_slice_of(p->inputs.data[i]));
  etr_pack_bytes(p->out, p->op, etr_slice_of(op));
  etr_pack_bytes(p->out, p->name, etr_slice_of(p->view->names[index]));
  etr_pack_nested(p->out, p->node, size_before);
}

void etr_tb_graph_pack(etr_packer *out, const etr_tb_view *view) {
  packer p = {.view = view,
              .arena = out->arena,
              .out = out,
              .node = etr_pack_field(tensorboard__graph_def, "node"),
              .name = etr_pack_field(tensorboard__node_def, "name"),
              .op = etr_pack_field(tensorboard__node_def, "op"),
              .input = etr_pack_field(tensorboard__node_def, "input"),
              .device = etr_pack_field(tensorboard__node_def, "device"),
              .attr = etr_pack_field(tensorboard__node_def, "attr"),
              .text = etr_pack_field(tensorboard__attr_value, "s"),
              .list = etr_pack_field(tensorboard__attr_value, "list"),
              .shape = etr_pack_field(tensorboard__attr_value__list_value, "shape")};
  etr_map_init(&p.index_of_shared, p.arena);
  p.accuracy = etr_accuracy_of_nodes(p.arena, view->profile, view->graph);
  for (size_t i = view->graph->node_count; i-- > 0 && !etr_arena_failed(p.arena);)
    pack_node(&p, i);
}
