/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scope_tree.c - from modules and nested graphs to a tree of boxes: place the nodes, join lists, dissolve roots,
 * shorten labels (scope_label.c), fill buckets (scope_bucket.c), export.
 */
#include "views/scope_tree.h"

#include "output/label.h"

enum {
  MAX_BOXES_ON_TOP = 30, /* dissolving goes on up to here */
  MAX_JOINED = 32,       /* children of a box into which a list's members are joined */
  MAX_LOOSE_INPUTS = 4,  /* more get a box of their own */
  SMALL_BOX = 4,         /* nodes; a box this small is a leaf of the model and no root, however much it holds */
};

/* ---- Placing ---- */

/* Where the nodes go at first. */
typedef struct placing {
  etr_tree *tree;
  etr_map boxes;         /* key: subgraph and module, or what else has a box */
  uint32_t *module;      /* of each node: as recorded, or, of one that quantizing inserted, its neighbours' */
  uint32_t *shown;       /* of each module: itself, or the nearest ancestor that has a box */
  uint32_t *input_count; /* of each nested graph, shifted by one: 0 is the graph itself */
} placing;

enum { KEY_SELF = ETR_NONE, KEY_INPUTS = ETR_NONE - 1 };

typedef struct box_key {
  uint32_t subgraph, what;
} box_key;
ETR_NO_PADDING(box_key, 2 * sizeof(uint32_t));

static etr_slice key_bytes(const box_key *key) { return (etr_slice){(const char *)key, sizeof *key}; }

/* A module's name below its parent; "" if it adds nothing. */
static const char *relative_path(const char *path, const char *parent) {
  size_t size = strlen(parent);
  if (size == 0 || strncmp(path, parent, size) != 0) return path;
  if (path[size] == '\0') return "";
  return path[size] == '.' ? path + size + 1 : path;
}

static uint32_t parent_module(const etr_graph *graph, uint32_t module) {
  return graph->modules[module].parent < module ? graph->modules[module].parent : 0;
}

/* In a program the module that a delegate's own box is; ETR_NONE: none. */
static uint32_t module_of_delegate(const etr_graph *graph, uint32_t subgraph) {
  if (subgraph >= graph->subgraph_count || subgraph + 1 >= graph->module_count) return ETR_NONE;
  return strcmp(graph->modules[subgraph + 1].path, graph->subgraphs[subgraph].path) ? ETR_NONE : subgraph + 1;
}

/* Decides which modules have boxes: not the root, none without a name of its own, none too deep. */
static void choose_modules(placing *p) {
  const etr_graph *graph = p->tree->graph;
  uint32_t *depth = etr_arena_alloc_array(p->tree->arena, graph->module_count + 1, sizeof *depth);
  if (!depth) return;
  for (uint32_t i = 1; i < graph->module_count; i++) {
    uint32_t parent = parent_module(graph, i);
    depth[i] = depth[parent] + 1;
    bool hollow = relative_path(graph->modules[i].path, graph->modules[parent].path)[0] == '\0';
    bool has_no_box = hollow || depth[i] > ETR_TREE_MAX_DEPTH || module_of_delegate(graph, i - 1) != ETR_NONE;
    p->shown[i] = has_no_box ? p->shown[parent] : i;
  }
}

static uint32_t add_known(placing *p, box_key key, uint32_t parent, const char *label, etr_scope_kind kind) {
  uint32_t box = p->tree->boxes.data[parent].depth < ETR_TREE_MAX_DEPTH ? etr_tree_add(p->tree, parent, label, kind)
                                                                        : parent;
  etr_map_set(&p->boxes, key_bytes(&key), box);
  return box;
}

/* The box of a nested graph, below its owner; the owner stands before its nested graph and has been placed. */
static uint32_t subgraph_box(placing *p, uint32_t subgraph) {
  const etr_graph *graph = p->tree->graph;
  if (subgraph >= graph->subgraph_count) return ETR_TREE_TOP;
  box_key key = {subgraph, KEY_SELF};
  uint32_t known = etr_map_get(&p->boxes, key_bytes(&key));
  if (known != ETR_NONE) return known;
  const etr_subgraph *sub = &graph->subgraphs[subgraph];
  /* What tells it from its siblings comes first: the page cuts labels at a dozen characters. */
  const char *label = sub->name;
  if (!etr_is_program(graph)) label = etr_arena_format(p->tree->arena, "%s.%s", label, graph->nodes[sub->owner].name);
  uint32_t box = add_known(p, key, p->tree->of_node[sub->owner], label, ETR_SCOPE_SUBGRAPH);
  p->tree->boxes.data[box].module = module_of_delegate(graph, subgraph);
  return box;
}

/* Modules up to this one are already told by where the graph is. */
static uint32_t outer_module(const placing *p, uint32_t subgraph) {
  const etr_graph *graph = p->tree->graph;
  return subgraph < graph->subgraph_count ? p->shown[graph->nodes[graph->subgraphs[subgraph].owner].module] : 0;
}

/* The box of a shown module within a graph. Recursion is bounded by ETR_TREE_MAX_DEPTH. */
static uint32_t module_box(placing *p, uint32_t subgraph, uint32_t module) {
  if (module == outer_module(p, subgraph)) return subgraph_box(p, subgraph);
  box_key key = {subgraph, module};
  uint32_t known = etr_map_get(&p->boxes, key_bytes(&key));
  if (known != ETR_NONE) return known;
  const etr_graph *graph = p->tree->graph;
  uint32_t parent = p->shown[parent_module(graph, module)];
  uint32_t box = module_box(p, subgraph, parent);
  box = add_known(p, key, box, relative_path(graph->modules[module].path, graph->modules[parent].path),
                  ETR_SCOPE_MODULE);
  if (p->tree->boxes.data[box].module == ETR_NONE) p->tree->boxes.data[box].module = module;
  return box;
}

static bool extends_owner(const placing *p, uint32_t subgraph, uint32_t module) {
  uint32_t outer = outer_module(p, subgraph);
  while (module != outer && module != 0) module = p->shown[parent_module(p->tree->graph, module)];
  return module == outer;
}

static uint32_t inputs_box(placing *p, uint32_t subgraph) {
  uint32_t parent = subgraph_box(p, subgraph);
  if (p->input_count[subgraph + 1] <= MAX_LOOSE_INPUTS) return parent;
  box_key key = {subgraph, KEY_INPUTS};
  uint32_t known = etr_map_get(&p->boxes, key_bytes(&key));
  if (known != ETR_NONE) return known;
  uint32_t box = add_known(p, key, parent, "inputs", ETR_SCOPE_BUCKET);
  if (box != parent) p->tree->boxes.data[box].stem = "inputs";
  return box;
}

static uint32_t place_node(placing *p, size_t index) {
  const etr_node *node = &p->tree->graph->nodes[index];
  uint32_t module = p->shown[p->module[index]];
  if (node->kind == ETR_NODE_INPUT) return inputs_box(p, node->subgraph);
  if (node->kind != ETR_NODE_OP || !extends_owner(p, node->subgraph, module)) return subgraph_box(p, node->subgraph);
  return module_box(p, node->subgraph, module);
}

/* ---- Nodes that quantizing inserted ---- */

static const char quantized[] = "quantized_decomposed.";

/* Inserted by a pass of the compiler, which knows no module. */
static bool is_inserted(const etr_node *node) {
  return node->kind == ETR_NODE_OP && node->module == 0 && strncmp(node->target, quantized, sizeof quantized - 1) == 0;
}

static bool is_dequantizer(const etr_node *node) {
  return strncmp(node->target + sizeof quantized - 1, "dequantize", 10) == 0;
}

/* The operator whose output is quantized; ETR_NONE if it is an input or a weight. */
static uint32_t quantized_operator(const etr_graph *graph, const etr_node *node) {
  if (node->input_count == 0 || graph->nodes[node->inputs[0].node].kind != ETR_NODE_OP) return ETR_NONE;
  return graph->nodes[node->inputs[0].node].subgraph == node->subgraph ? node->inputs[0].node : ETR_NONE;
}

/* Notes for a node's inputs that it uses them from within its module: ETR_NONE is nobody so far, AMBIGUOUS users in
 * several. */
enum { AMBIGUOUS = ETR_NONE - 1 };
static void note_use(const etr_graph *graph, uint32_t *used_in, size_t user, uint32_t module) {
  const etr_node *node = &graph->nodes[user];
  for (size_t k = 0; k < node->input_count; k++) {
    uint32_t *seen = &used_in[node->inputs[k].node];
    bool same = graph->nodes[node->inputs[k].node].subgraph == node->subgraph;
    *seen = same && (*seen == ETR_NONE || *seen == module) ? module : AMBIGUOUS;
  }
}

/* What a value is made from again goes with what uses it; what quantizes an operator's output, with the operator. */
static void find_modules(placing *p) {
  const etr_graph *graph = p->tree->graph;
  uint32_t *used_in = etr_arena_alloc_array(p->tree->arena, graph->node_count, sizeof *used_in);
  if (!used_in) return;
  for (size_t i = 0; i < graph->node_count; i++) used_in[i] = ETR_NONE;
  for (size_t i = graph->node_count; i-- > 0;) {
    const etr_node *node = &graph->nodes[i];
    p->module[i] = node->module;
    bool is_free = is_inserted(node) && (is_dequantizer(node) || quantized_operator(graph, node) == ETR_NONE);
    if (is_free && used_in[i] < AMBIGUOUS) p->module[i] = used_in[i];
    if (node->kind == ETR_NODE_OP && (is_free || !is_inserted(node))) note_use(graph, used_in, i, p->module[i]);
  }
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (!is_inserted(node) || is_dequantizer(node)) continue;
    uint32_t producer = quantized_operator(graph, node);
    if (producer != ETR_NONE) p->module[i] = p->module[producer];
  }
}

static void place_nodes(etr_tree *tree) {
  const etr_graph *graph = tree->graph;
  placing p = {.tree = tree};
  etr_map_init(&p.boxes, tree->arena);
  p.module = etr_arena_alloc_array(tree->arena, graph->node_count, sizeof *p.module);
  p.shown = etr_arena_alloc_array(tree->arena, graph->module_count + 1, sizeof *p.shown);
  p.input_count = etr_arena_alloc_array(tree->arena, graph->subgraph_count + 1, sizeof *p.input_count);
  if (etr_arena_failed(tree->arena)) return;
  choose_modules(&p);
  find_modules(&p);
  if (etr_arena_failed(tree->arena)) return;
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_INPUT) p.input_count[graph->nodes[i].subgraph + 1]++;
  for (size_t i = 0; i < graph->node_count && !etr_arena_failed(tree->arena); i++)
    if (!etr_node_is_weight(&graph->nodes[i])) tree->of_node[i] = place_node(&p, i);
  for (size_t i = 0; i < graph->node_count; i++) tree->is_guest[i] = p.module[i] != graph->nodes[i].module;
}

/* A weight goes where it is used first. */
static void place_weights(etr_tree *tree) {
  const etr_graph *graph = tree->graph;
  for (size_t i = 0; i < graph->node_count; i++)
    if (etr_node_is_weight(&graph->nodes[i])) tree->of_node[i] = ETR_NONE;
  for (size_t i = 0; i < graph->node_count; i++) {
    if (etr_node_is_weight(&graph->nodes[i])) continue;
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      uint32_t *box = &tree->of_node[graph->nodes[i].inputs[k].node];
      if (*box == ETR_NONE) *box = tree->of_node[i];
    }
  }
  for (size_t i = 0; i < graph->node_count; i++)
    if (tree->of_node[i] == ETR_NONE) tree->of_node[i] = ETR_TREE_TOP;
}

/* ---- The tree ---- */

uint32_t etr_tree_add(etr_tree *tree, uint32_t parent, const char *label, etr_scope_kind kind) {
  etr_box *box = etr_vec_push(tree->arena, &tree->boxes);
  if (!box) return parent;
  *box = (etr_box){.label = label ? label : "", .parent = parent, .kind = kind, .module = ETR_NONE};
  uint32_t index = (uint32_t)(tree->boxes.count - 1);
  if (index != ETR_TREE_TOP) box->depth = tree->boxes.data[parent].depth + 1;
  return index;
}

static bool is_number(const char *label) { return label[0] != '\0' && label[strspn(label, "0123456789")] == '\0'; }

void etr_tree_count(etr_tree *tree) {
  etr_box *boxes = tree->boxes.data;
  for (size_t i = 0; i < tree->boxes.count; i++)
    boxes[i].op_count = boxes[i].node_count = boxes[i].box_count = boxes[i].digit_count = 0;
  for (size_t i = 0; i < tree->graph->node_count; i++) {
    if (etr_node_is_weight(&tree->graph->nodes[i])) continue;
    boxes[tree->of_node[i]].node_count++;
    boxes[tree->of_node[i]].op_count += tree->graph->nodes[i].kind == ETR_NODE_OP;
  }
  for (size_t i = tree->boxes.count; i-- > 1;) {
    etr_box *parent = &boxes[boxes[i].parent];
    parent->op_count += boxes[i].op_count;
    parent->box_count++;
    parent->digit_count += is_number(boxes[i].label);
  }
}

/* ---- Dissolving ---- */

static uint32_t standing_parent(const etr_tree *tree, uint32_t box) {
  do box = tree->boxes.data[box].parent;
  while (tree->boxes.data[box].dissolved);
  return box;
}

static void dissolve(etr_tree *tree, uint32_t index) {
  etr_box *box = &tree->boxes.data[index], *parent = &tree->boxes.data[standing_parent(tree, index)];
  box->dissolved = true;
  parent->box_count += box->box_count - 1;
  parent->node_count += box->node_count;
}

/* A box on top that holds most of the operators, and may be dissolved; ETR_TREE_TOP if there is none. */
static uint32_t find_root(const etr_tree *tree) {
  const etr_box *top = &tree->boxes.data[ETR_TREE_TOP];
  for (uint32_t i = 1; i < tree->boxes.count; i++) {
    const etr_box *box = &tree->boxes.data[i];
    if (box->kind != ETR_SCOPE_MODULE || box->dissolved || box->op_count <= top->op_count / 2) continue;
    bool is_leaf = box->box_count == 0 && box->node_count <= SMALL_BOX;
    if (!is_leaf && standing_parent(tree, i) == ETR_TREE_TOP && top->box_count + box->box_count - 1 <= MAX_BOXES_ON_TOP)
      return i;
  }
  return ETR_TREE_TOP;
}

/* ---- Settling ---- */

typedef struct settling {
  etr_tree *tree;
  const etr_box *old;
  uint32_t *moved; /* new index of each old box; 0: not yet */
} settling;

/* A label, with those of the dissolved boxes around it in front. */
static const char *dotted_label(const settling *s, uint32_t box) {
  const char *label = s->old[box].label;
  for (uint32_t p = s->old[box].parent; s->old[p].dissolved && label; p = s->old[p].parent)
    label = etr_arena_format(s->tree->arena, "%s.%s", s->old[p].label, label);
  return label;
}

/* Recursion is bounded by the tree's depth. */
static uint32_t settle_box(settling *s, uint32_t box) {
  if (box == ETR_TREE_TOP || s->moved[box]) return s->moved[box];
  uint32_t at = settle_box(s, s->old[box].parent);
  if (!s->old[box].dissolved) {
    at = etr_tree_add(s->tree, at, dotted_label(s, box), s->old[box].kind);
    etr_box *added = &s->tree->boxes.data[at];
    added->module = s->old[box].module;
    added->stem = s->old[box].stem;
    added->base = s->old[box].base;
  }
  return s->moved[box] = at;
}

void etr_tree_settle(etr_tree *tree) {
  settling s = {.tree = tree, .old = tree->boxes.data};
  s.moved = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *s.moved);
  memset(&tree->boxes, 0, sizeof tree->boxes);
  etr_tree_add(tree, ETR_TREE_TOP, "", ETR_SCOPE_MODULE);
  for (size_t i = 0; i < tree->graph->node_count && !etr_arena_failed(tree->arena); i++)
    if (!etr_node_is_weight(&tree->graph->nodes[i])) tree->of_node[i] = settle_box(&s, tree->of_node[i]);
}

/* ---- Export ---- */

/* Makes a label unique among its siblings; the map holds the last suffix given for each. */
static const char *unique_label(etr_arena *arena, etr_map *taken, uint32_t parent, const char *label) {
  etr_slice first = etr_key_of(arena, parent, etr_slice_of(label)), key = first;
  for (const char *tried = label; tried;) {
    if (etr_map_get(taken, key) == ETR_NONE) {
      etr_map_set(taken, key, 1);
      return tried;
    }
    uint32_t suffix = etr_map_get(taken, first) + 1;
    etr_map_set(taken, first, suffix);
    tried = etr_arena_format(arena, "%s~%u", label, (unsigned)suffix);
    if (tried) key = etr_key_of(arena, parent, etr_slice_of(tried));
  }
  return label;
}

static void export_tree(etr_scopes *out, etr_tree *tree) {
  etr_scope *list = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *list);
  etr_map taken;
  etr_map_init(&taken, tree->arena);
  for (size_t i = 1; i < tree->boxes.count && list; i++) {
    const etr_box *box = &tree->boxes.data[i];
    list[i - 1] = (etr_scope){.label = unique_label(tree->arena, &taken, box->parent, box->label),
                              .parent = box->parent - 1, /* the top, 0, becomes ETR_NONE */
                              .depth = box->depth - 1,
                              .kind = box->kind,
                              .module = box->module,
                              .op_count = box->op_count};
  }
  for (size_t i = 0; i < tree->graph->node_count; i++) tree->of_node[i]--;
  *out = (etr_scopes){
      .list = list, .count = tree->boxes.count - 1, .of_node = tree->of_node, .is_guest = tree->is_guest};
}

static etr_status build(etr_scopes *out, etr_arena *arena, const etr_graph *graph, bool has_buckets) {
  *out = (etr_scopes){0};
  etr_tree tree = {.arena = arena, .graph = graph};
  tree.of_node = etr_arena_alloc_array(arena, graph->node_count + 1, sizeof *tree.of_node);
  tree.is_guest = etr_arena_alloc_array(arena, graph->node_count + 1, sizeof *tree.is_guest);
  etr_tree_add(&tree, ETR_TREE_TOP, "", ETR_SCOPE_MODULE);
  if (etr_arena_failed(arena)) return ETR_ERROR_MEMORY;
  place_nodes(&tree);
  if (etr_arena_failed(arena)) return ETR_ERROR_MEMORY;
  etr_tree_count(&tree);
  /* A module that only lists others (nn.Sequential) is joined to its members: "conv" with "0" and "1" becomes "conv.0"
   * and "conv.1". */
  for (uint32_t i = 1; i < tree.boxes.count; i++) {
    const etr_box *box = &tree.boxes.data[i];
    uint32_t parent = standing_parent(&tree, i);
    const etr_box *around = &tree.boxes.data[parent];
    bool is_list = box->kind == ETR_SCOPE_MODULE && box->node_count == 0 && box->digit_count == box->box_count &&
                   !is_number(box->label);
    size_t children = (size_t)around->box_count + around->node_count + box->box_count - 1;
    if (is_list && children <= (parent == ETR_TREE_TOP ? MAX_BOXES_ON_TOP : MAX_JOINED)) dissolve(&tree, i);
  }
  for (uint32_t root; (root = find_root(&tree)) != ETR_TREE_TOP;) dissolve(&tree, root);
  etr_tree_settle(&tree);
  if (etr_arena_failed(arena)) return ETR_ERROR_MEMORY;
  etr_tree_shorten(&tree);
  if (has_buckets && !etr_arena_failed(arena)) etr_tree_bucket(&tree);
  if (etr_arena_failed(arena)) return ETR_ERROR_MEMORY;
  etr_tree_count(&tree);
  place_weights(&tree);
  export_tree(out, &tree);
  return etr_arena_failed(arena) ? ETR_ERROR_MEMORY : ETR_OK;
}

etr_status etr_scopes_build(etr_scopes *out, etr_arena *arena, const etr_graph *graph) {
  return build(out, arena, graph, true);
}

etr_status etr_scopes_build_to_fold(etr_scopes *out, etr_arena *arena, const etr_graph *graph) {
  return build(out, arena, graph, false);
}
