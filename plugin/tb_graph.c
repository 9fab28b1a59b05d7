/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_graph.c - a graph as TensorFlow's GraphDef.
 */
#include "tb_graph.h"

#include "label.h"
#include "tb_text.h"
#include "writer.h"

#include <inttypes.h>

enum {
  GRAPH_NODE_FIELD = 1,  /* GraphDef.node */
  NODE_ATTR_FIELD = 5,   /* NodeDef.attr */
  ATTR_STRING_FIELD = 2, /* AttrValue.s */
  MAX_VALUES = 10,       /* inputs and outputs that are told in attributes; the edges are all there */
  MAX_ATTRS = 2 * MAX_VALUES + 20,
  LOOKAHEAD = 16, /* inputs, to find one from another node */
};

/* The node being packed; one for all of them. */
typedef struct packer {
  const etr_tb_view *view;
  etr_pieces *out;
  etr_arena *arena;
  size_t attr_size; /* of attrs: entries of NodeDef.attr that hold texts, packed */
  uint8_t attrs[MAX_ATTRS * (ETR_TB_TEXT_ROOM + 64)];
  etr_vec(char *) inputs;
  etr_vec(etr_edge) edges;
} packer;

/* protobuf-c's structs have no const; packing changes nothing. */
static char *mutable_text(const char *text) { return (char *)(uintptr_t)text; }

/* ---- Attributes: added in the order of their keys, so that the bytes are always the same ---- */

/* Texts that say nothing are left out. */
static void add_text(packer *p, const char *key, const char *text) {
  char clean[ETR_TB_TEXT_ROOM];
  if (!text || text[0] == '\0') return;
  etr_slice value = {clean, etr_tb_clean_text(clean, text)};
  uint8_t *end = etr_pieces_put_entry(p->attrs + p->attr_size, NODE_ATTR_FIELD, ATTR_STRING_FIELD, etr_slice_of(key), value);
  p->attr_size = (size_t)(end - p->attrs);
}

static void add_fixed(packer *p, const char *key, double value, int decimals) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, p->arena, &writer);
  etr_put_fixed(&writer, value, decimals);
  add_text(p, key, etr_text_end(&text, &writer));
}

static void add_micros(packer *p, const char *key, double ticks) { add_fixed(p, key, etr_ticks_to_ns(p->view->profile, ticks) / 1e3, 3); }

static void add_cluster(packer *p, size_t node) {
  const char *backend = etr_tb_backend(p->view->graph, node);
  if (!backend || p->view->graph->nodes[node].kind != ETR_NODE_OP) return;
  const etr_node_time *time = p->view->graph->times ? &p->view->graph->times[node] : NULL;
  if (time && time->delegate_instruction >= 0)
    add_text(p, "_XlaCluster", etr_arena_format(p->arena, "delegate %" PRId32 ": %s", time->delegate_instruction, backend));
  else
    add_text(p, "_XlaCluster", etr_arena_format(p->arena, "delegate: %s", backend));
}

static void add_inputs(packer *p, const etr_node *node) {
  static const char *const keys[MAX_VALUES] = {"in0", "in1", "in2", "in3", "in4", "in5", "in6", "in7", "in8", "in9"};
  for (size_t i = 0; i < node->input_count && i < MAX_VALUES; i++) {
    etr_edge edge = node->inputs[i];
    if (edge.output < p->view->graph->nodes[edge.node].output_count)
      add_text(p, keys[i], p->view->shape_labels[p->view->first_value[edge.node] + edge.output]);
  }
}

static void add_outputs(packer *p, size_t node) {
  static const char *const keys[MAX_VALUES] = {"out0", "out1", "out2", "out3", "out4", "out5", "out6", "out7", "out8", "out9"};
  for (size_t i = 0; i < p->view->graph->nodes[node].output_count && i < MAX_VALUES; i++)
    add_text(p, keys[i], p->view->shape_labels[p->view->first_value[node] + i]);
}

static void add_source(packer *p, const etr_source *source) {
  if (!source) return;
  const char *place = etr_label_source(p->arena, source);
  if (place && source->code[0] != '\0') place = etr_arena_format(p->arena, "%s: %s", place, source->code);
  add_text(p, "source", place);
}

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
  add_text(p, "match", time->match == ETR_MATCH_ALIGNED ? "aligned (estimated)" : etr_match_name(time->match));
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
  const etr_module *module = &p->view->graph->modules[node->module];
  const etr_node_time *time = etr_tb_time(p->view->graph, index);
  add_cluster(p, index);
  if (time) add_micros(p, "avg_us", time->avg);
  if (time) add_calls(p, time);
  add_carrier(p, index);
  if (node->debug_handle) add_text(p, "debug_handle", etr_arena_format(p->arena, "%" PRIu32, node->debug_handle));
  if (node->edge_node_count) add_edge_nodes(p, node);
  add_text(p, "fx_node", node->name);
  add_inputs(p, node);
  if (time) add_match(p, time);
  if (time) add_micros(p, "max_us", time->per_run.max);
  add_text(p, "module", module->path);
  add_text(p, "module_type", module->type);
  add_outputs(p, index);
  if (time) add_micros(p, "p50_us", time->per_run.p50);
  if (time) add_micros(p, "p90_us", time->per_run.p90);
  if (time) add_text(p, "runs_as", time->runs_as);
  add_source(p, node->source);
  if (node->kind == ETR_NODE_OP) add_text(p, "target", node->target);
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

static void add_input(packer *p, const char *name) {
  char **input = etr_vec_push(p->arena, &p->inputs);
  if (input) *input = mutable_text(name);
}

static void collect_inputs(packer *p, const etr_node *node) {
  p->inputs.count = p->edges.count = 0;
  for (size_t i = 0; i < node->input_count; i++) {
    etr_edge *edge = etr_vec_push(p->arena, &p->edges);
    if (edge) *edge = node->inputs[i];
  }
  spread_edges(p);
  for (size_t i = 0; i < p->edges.count; i++) {
    const char *name = p->view->names[p->edges.data[i].node];
    uint32_t output = p->edges.data[i].output;
    add_input(p, output == 0 ? name : etr_arena_format(p->arena, "%s:%" PRIu32, name, output));
  }
  /* A dotted edge shows which node a nested graph belongs to. */
  if (node->input_count == 0 && node->subgraph < p->view->graph->subgraph_count)
    add_input(p, etr_arena_format(p->arena, "^%s", p->view->names[p->view->graph->subgraphs[node->subgraph].owner]));
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
typedef struct shapes_attr {
  Tensorboard__AttrValue__ListValue list;
  Tensorboard__AttrValue value;
  Tensorboard__NodeDef__AttrEntry entry, *entries;
} shapes_attr;

static void add_shapes(const packer *p, size_t node, shapes_attr *attr, Tensorboard__NodeDef *def) {
  tensorboard__attr_value__list_value__init(&attr->list);
  attr->list.n_shape = p->view->graph->nodes[node].output_count;
  attr->list.shape = p->view->shapes + p->view->first_value[node];
  tensorboard__attr_value__init(&attr->value);
  attr->value.value_case = TENSORBOARD__ATTR_VALUE__VALUE_LIST;
  attr->value.list = &attr->list;
  tensorboard__node_def__attr_entry__init(&attr->entry);
  attr->entry.key = mutable_text("_output_shapes");
  attr->entry.value = &attr->value;
  attr->entries = &attr->entry;
  def->n_attr = 1;
  def->attr = &attr->entries;
}

static void pack_node(packer *p, size_t index) {
  const etr_node *node = &p->view->graph->nodes[index];
  char op[ETR_TB_NAME_ROOM];
  shapes_attr shapes;
  p->attr_size = 0;
  put_op(node, op);
  add_attrs(p, index);
  collect_inputs(p, node);
  if (etr_arena_failed(p->arena)) return;

  Tensorboard__NodeDef def = TENSORBOARD__NODE_DEF__INIT;
  uint32_t device = p->view->device_of_node[index];
  def.name = mutable_text(p->view->names[index]);
  def.op = op;
  if (device != ETR_NONE) def.device = mutable_text(p->view->devices[device]);
  def.n_input = p->inputs.count;
  def.input = p->inputs.data;
  add_shapes(p, index, &shapes, &def);
  etr_pieces_submessage(p->out, GRAPH_NODE_FIELD, &def.base, (etr_slice){(const char *)p->attrs, p->attr_size});
}

void etr_tb_graph_pack(etr_pieces *out, const etr_tb_view *view) {
  packer *p = etr_arena_alloc(view->arena, sizeof *p);
  if (!p) return;
  p->view = view;
  p->out = out;
  p->arena = view->arena;
  for (size_t i = 0; i < view->graph->node_count && !etr_arena_failed(p->arena); i++) pack_node(p, i);
}
