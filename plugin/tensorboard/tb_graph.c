/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_graph.c - a graph as TensorFlow's GraphDef.
 */
#include "tb_graph.h"

#include "label.h"
#include "packed.h"
#include "tb_text.h"
#include "writer.h"

#include <inttypes.h>

/* Field numbers of GraphDef, NodeDef and AttrValue. */
enum {
  GRAPH_NODE = 1,
  NODE_NAME = 1,
  NODE_OP = 2,
  NODE_INPUT = 3,
  NODE_DEVICE = 4,
  NODE_ATTR = 5,
  ATTR_LIST = 1,
  ATTR_STRING = 2,
  LIST_SHAPE = 7,
  ENTRY_KEY = 1, /* of a map */
  ENTRY_VALUE = 2,
};

enum {
  MAX_VALUES = 10, /* inputs and outputs that are told in attributes; the edges are all there */
  LOOKAHEAD = 16,  /* inputs, to find one from another node */
};

/* The node being packed; one for all of them. */
typedef struct packer {
  const etr_tb_view *view;
  etr_pieces *out;
  etr_arena *arena;
  etr_packed def;    /* its NodeDef */
  etr_packed shapes; /* of its outputs */
  etr_vec(etr_edge) edges;
  etr_vec(const etr_argument *) arguments;
  etr_map once; /* what many nodes share, by its address -> index in shared */
  etr_vec(etr_slice) shared;
  const char *cluster, *cluster_backend; /* of the node before that was delegated; NULL: none was */
  int32_t cluster_instruction;
} packer;

/* ---- Attributes: added in the order of their keys, so that the bytes are always the same ---- */

/* Texts that say nothing are left out. */
static void add_clean(packer *p, const char *key, etr_slice text) {
  if (text.size > 0) etr_packed_entry(&p->def, NODE_ATTR, ATTR_STRING, etr_slice_of(key), text);
}

static void add_text(packer *p, const char *key, const char *text) {
  char room[ETR_TB_TEXT_ROOM];
  if (text) add_clean(p, key, etr_tb_clean_text(room, etr_slice_of(text)));
}

/* Attributes that follow from something that many nodes have are packed for the first of them. */
static void add_shared(packer *p, const void *of, void (*add)(packer *p, const void *of)) {
  etr_slice key = {(const char *)&of, sizeof of};
  uint32_t known = etr_map_get(&p->once, key);
  if (known != ETR_NONE) {
    etr_packed_bytes(&p->def, p->shared.data[known]);
    return;
  }
  size_t start = p->def.size;
  add(p, of);
  etr_slice *packed = etr_vec_push(p->arena, &p->shared);
  if (packed && etr_map_set(&p->once, key, (uint32_t)(p->shared.count - 1))) *packed = etr_packed_copy(&p->def, start);
}

static void add_fixed(packer *p, const char *key, double value, int decimals) {
  char text[ETR_FIXED_ROOM];
  add_clean(p, key, (etr_slice){text, etr_format_fixed(text, value, decimals)});
}

static void add_micros(packer *p, const char *key, double ticks) { add_fixed(p, key, etr_ticks_to_ns(p->view->profile, ticks) / 1e3, 3); }

/* Neighbours are mostly in one delegate. */
static void add_cluster(packer *p, size_t node) {
  const char *backend = etr_tb_backend(p->view->graph, node);
  if (!backend || p->view->graph->nodes[node].kind != ETR_NODE_OP) return;
  const etr_node_time *time = p->view->graph->times ? &p->view->graph->times[node] : NULL;
  int32_t instruction = time ? time->delegate_instruction : -1;
  if (!p->cluster || p->cluster_backend != backend || p->cluster_instruction != instruction) {
    p->cluster = instruction >= 0 ? etr_arena_format(p->arena, "delegate %" PRId32 ": %s", instruction, backend)
                                  : etr_arena_format(p->arena, "delegate: %s", backend);
    p->cluster_backend = backend;
    p->cluster_instruction = instruction;
  }
  add_text(p, "_XlaCluster", p->cluster);
}

/* The page sorts attributes by key, too. */
static void sort_arguments(const etr_argument **sorted, const etr_node *node) {
  for (size_t i = 0; i < node->argument_count; i++) {
    size_t at = i;
    for (; at > 0 && strcmp(sorted[at - 1]->name, node->arguments[i].name) > 0; at--) sorted[at] = sorted[at - 1];
    sorted[at] = &node->arguments[i];
  }
}

static void add_arguments(packer *p, const etr_node *node) {
  static const char prefix[] = "arg.";
  char key[sizeof prefix + ETR_TB_NAME_ROOM], value[ETR_ARGUMENT_ROOM], room[ETR_TB_TEXT_ROOM];
  if (node->argument_count == 0) return;
  p->arguments.count = 0;
  for (size_t i = 0; i < node->argument_count; i++)
    if (!etr_vec_push(p->arena, &p->arguments)) return;
  sort_arguments(p->arguments.data, node);
  memcpy(key, prefix, sizeof prefix - 1);
  for (size_t i = 0; i < node->argument_count; i++) {
    (void)etr_tb_clean_name(key + sizeof prefix - 1, etr_slice_of(p->arguments.data[i]->name));
    etr_slice text = {value, etr_format_argument(value, p->arguments.data[i]->value)};
    add_clean(p, key, etr_tb_clean_text(room, text));
  }
}

static void add_inputs(packer *p, const etr_node *node) {
  static const char *const keys[MAX_VALUES] = {"in0", "in1", "in2", "in3", "in4", "in5", "in6", "in7", "in8", "in9"};
  for (size_t i = 0; i < node->input_count && i < MAX_VALUES; i++) {
    etr_edge edge = node->inputs[i];
    if (edge.output < p->view->graph->nodes[edge.node].output_count)
      add_clean(p, keys[i], p->view->shapes[p->view->first_value[edge.node] + edge.output]->label);
  }
}

static void add_outputs(packer *p, size_t node) {
  static const char *const keys[MAX_VALUES] = {"out0", "out1", "out2", "out3", "out4", "out5", "out6", "out7", "out8", "out9"};
  for (size_t i = 0; i < p->view->graph->nodes[node].output_count && i < MAX_VALUES; i++)
    add_clean(p, keys[i], p->view->shapes[p->view->first_value[node] + i]->label);
}

static void add_source(packer *p, const void *of) {
  const etr_source *source = of;
  const char *place = etr_label_source(p->arena, source);
  if (place && source->code[0] != '\0') place = etr_arena_format(p->arena, "%s: %s", place, source->code);
  add_text(p, "source", place);
}

static void add_module(packer *p, const void *of) {
  const etr_module *module = of;
  add_text(p, "module", module->path);
  add_text(p, "module_type", module->type);
}

static void add_target(packer *p, const void *target) { add_text(p, "target", target); }

/* How often it ran per inference. */
static void add_calls(packer *p, const etr_node_time *time) {
  uint32_t method = p->view->graph->profile_method;
  size_t runs = method < p->view->profile->method_count ? p->view->profile->methods[method].run_count : 0;
  if (runs > 0) add_fixed(p, "calls", (double)time->calls / (double)runs, time->calls % runs == 0 ? 0 : 2);
}

/* A node that was fused into another has no time of its own: where it is. */
static void add_carrier(packer *p, size_t index) {
  const etr_node_time *time = p->view->graph->times ? &p->view->graph->times[index] : NULL;
  if (time && time->runs == 0 && time->carried_by < p->view->graph->node_count) add_text(p, "carried_by", p->view->names[time->carried_by]);
}

static void add_match(packer *p, const etr_node_time *time) {
  if (time->match == ETR_MATCH_ALIGNED)
    add_text(p, "match", etr_arena_format(p->arena, "aligned (estimated, %.0f %% sure)", 100 * time->confidence));
  else
    add_text(p, "match", etr_match_name(time->match));
}

/* Appends what fits, and the end of the text. */
static size_t append(char *text, size_t used, const char *more) {
  size_t size = ETR_MIN(strlen(more), ETR_TB_TEXT_ROOM - 1 - used);
  memcpy(text + used, more, size);
  text[used + size] = '\0';
  return used + size;
}

/* The Edge nodes that an instruction of the program stands for. */
static void add_edge_nodes(packer *p, const etr_node *node) {
  char text[ETR_TB_TEXT_ROOM] = "";
  size_t used = 0;
  for (size_t i = 0; i < node->edge_node_count && used < ETR_TB_TEXT_ROOM - 1; i++) {
    used = append(text, used, i ? ", " : "");
    used = append(text, used, node->edge_nodes[i]);
  }
  add_text(p, "edge_nodes", text);
}

static void add_attrs(packer *p, size_t index) {
  const etr_node *node = &p->view->graph->nodes[index];
  const etr_node_time *time = etr_tb_time(p->view->graph, index);
  add_cluster(p, index);
  add_arguments(p, node);
  if (time) add_micros(p, "avg_us", time->avg);
  if (time) add_calls(p, time);
  add_carrier(p, index);
  if (node->debug_handle) add_fixed(p, "debug_handle", node->debug_handle, 0);
  if (node->edge_node_count) add_edge_nodes(p, node);
  add_text(p, "fx_node", node->name);
  add_inputs(p, node);
  if (time) add_match(p, time);
  if (time) add_micros(p, "max_us", time->per_run.max);
  add_shared(p, &p->view->graph->modules[node->module], add_module);
  add_outputs(p, index);
  if (time) add_micros(p, "p50_us", time->per_run.p50);
  if (time) add_micros(p, "p90_us", time->per_run.p90);
  if (time) add_text(p, "runs_as", time->runs_as);
  if (node->source) add_shared(p, node->source, add_source);
  if (node->kind == ETR_NODE_OP) add_shared(p, node->target, add_target);
  add_text(p, "weight", node->weight_name);
}

/* ---- Inputs ---- */

/* The page drops all but the first of neighbouring inputs from one node, so other nodes' inputs are put between them where there are any. */
static void spread_edges(packer *p) {
  etr_edge *edges = p->edges.data;
  size_t count = p->edges.count;
  for (size_t i = 1; i < count; i++) {
    size_t other = i;
    while (other < count && other < i + LOOKAHEAD && edges[other].node == edges[i - 1].node) other++;
    if (other == i || other == count || other == i + LOOKAHEAD) continue;
    etr_edge moved = edges[other];
    memmove(edges + i + 1, edges + i, (other - i) * sizeof *edges);
    edges[i] = moved;
  }
}

static void add_input(packer *p, const char *name) { etr_packed_field(&p->def, NODE_INPUT, etr_slice_of(name)); }

static void add_edges(packer *p, const etr_node *node) {
  p->edges.count = 0;
  for (size_t i = 0; i < node->input_count; i++) {
    etr_edge *edge = etr_vec_push(p->arena, &p->edges);
    if (!edge) return;
    *edge = node->inputs[i];
  }
  spread_edges(p);
  for (size_t i = 0; i < p->edges.count; i++) {
    const char *name = p->view->names[p->edges.data[i].node];
    uint32_t output = p->edges.data[i].output;
    if (output > 0) name = etr_arena_format(p->arena, "%s:%" PRIu32, name, output);
    if (name) add_input(p, name);
  }
  /* A dotted edge shows which node a nested graph belongs to. */
  if (node->input_count > 0 || node->subgraph >= p->view->graph->subgraph_count) return;
  const char *owner = etr_arena_format(p->arena, "^%s", p->view->names[p->view->graph->subgraphs[node->subgraph].owner]);
  if (owner) add_input(p, owner);
}

/* ---- Nodes ---- */

static void put_op(const etr_node *node, char *op) {
  const char *fixed = node->kind >= ETR_NODE_PARAMETER ? "Const" : node->kind == ETR_NODE_INPUT ? "Placeholder" : "Output";
  if (node->kind == ETR_NODE_OP)
    (void)etr_tb_clean_op(op, etr_label_op(node->target));
  else
    memcpy(op, fixed, strlen(fixed) + 1);
}

/* The one attribute that is no text. */
static void add_shapes(packer *p, size_t node) {
  static const char key[] = "_output_shapes";
  const etr_tb_shape *const *shapes = p->view->shapes + p->view->first_value[node];
  p->shapes.size = 0;
  for (size_t i = 0; i < p->view->graph->nodes[node].output_count; i++) etr_packed_field(&p->shapes, LIST_SHAPE, shapes[i]->packed);
  size_t value_size = etr_packed_field_size(ATTR_LIST, p->shapes.size), key_size = etr_packed_field_size(ENTRY_KEY, sizeof key - 1);
  etr_packed_header(&p->def, NODE_ATTR, key_size + etr_packed_field_size(ENTRY_VALUE, value_size));
  etr_packed_field(&p->def, ENTRY_KEY, ETR_SLICE(key));
  etr_packed_header(&p->def, ENTRY_VALUE, value_size);
  etr_packed_field(&p->def, ATTR_LIST, etr_packed_since(&p->shapes, 0));
}

static void pack_node(packer *p, size_t index) {
  const etr_node *node = &p->view->graph->nodes[index];
  uint32_t device = p->view->device_of_node[index];
  char op[ETR_TB_NAME_ROOM];
  put_op(node, op);
  p->def.size = 0;
  etr_packed_field(&p->def, NODE_NAME, etr_slice_of(p->view->names[index]));
  etr_packed_field(&p->def, NODE_OP, etr_slice_of(op));
  add_edges(p, node);
  if (device != ETR_NONE) etr_packed_field(&p->def, NODE_DEVICE, etr_slice_of(p->view->devices[device]));
  add_shapes(p, index);
  add_attrs(p, index);
  if (etr_arena_failed(p->arena)) return;
  const etr_slice def = etr_packed_since(&p->def, 0);
  etr_pieces_parts(p->out, GRAPH_NODE, &def, 1);
}

void etr_tb_graph_pack(etr_pieces *out, const etr_tb_view *view) {
  packer p = {.view = view, .out = out, .arena = out->arena, .def = {.arena = out->arena}, .shapes = {.arena = out->arena}};
  etr_map_init(&p.once, out->arena);
  for (size_t i = 0; i < view->graph->node_count && !etr_arena_failed(p.arena); i++) pack_node(&p, i);
}
