/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scope.c - builds the tree of boxes: adds them, joins lists, shortens labels, and splits boxes
 * that are too full.
 */
#include "views/scope.h"

#include "output/label.h"

enum {
  ETR_TREE_TOP = 0, /* boxes[0] is the top level, which does not become a scope */
  ETR_TREE_MAX_DEPTH =
      32, /* what lies deeper stays in its last box, so that hostile stacks give no endless names */
};

/* A box of the picture of a graph, which contains nodes and other boxes. */
typedef struct etr_box {
  const char *label;
  const char *stem; /* of a bucket of consecutive things: "ops"; else NULL */
  uint32_t base;    /* of such a bucket: the number of the first thing in it */
  uint32_t parent;  /* parents precede their children */
  uint32_t depth;   /* ETR_TREE_TOP has 0 */
  uint32_t module;
  etr_scope_kind kind;
  bool dissolved;       /* its children are its parent's */
  uint32_t op_count;    /* operators inside, at any depth */
  uint32_t node_count;  /* nodes directly inside, without weights */
  uint32_t box_count;   /* boxes directly inside */
  uint32_t digit_count; /* number of children whose label is a number: members of a list */
} etr_box;

/* The boxes of a graph, each within another one. */
typedef struct etr_tree {
  etr_arena *arena;
  const etr_graph *graph;
  etr_vec(etr_box) boxes;
  uint32_t *of_node; /* box of each node; of weights only in the end */
  bool *is_guest;    /* as in etr_scopes */
} etr_tree;

/** Returns true for a weight or a state. They are drawn at their readers and are not counted as
 * children. */
static inline bool is_drawn_at_reader(const etr_node *node) {
  return node->kind >= ETR_NODE_PARAMETER;
}

/* Adds a box below another one. Returns its index or, when out of memory, that of the parent. */
static uint32_t add_box(etr_tree *tree, uint32_t parent, const char *label, etr_scope_kind kind) {
  etr_box *box = etr_vec_push(tree->arena, &tree->boxes);
  if (!box)
    return parent;
  *box = (etr_box){.label = label ? label : "", .parent = parent, .kind = kind, .module = ETR_NONE};
  uint32_t index = (uint32_t)(tree->boxes.count - 1);
  if (index != ETR_TREE_TOP)
    box->depth = tree->boxes.data[parent].depth + 1;
  return index;
}

/* Cuts long labels to an end that distinguishes siblings. Members of a list ("layers.0",
 * "layers.1") are cut at the same part. */
static void shorten_labels(etr_tree *tree);

/* Puts the children of overfull boxes into buckets. Counts are stale afterwards. */
static void fill_buckets(etr_tree *tree);

/* ---- From modules and nested graphs to a tree of boxes ---- */

enum {
  MAX_BOXES_ON_TOP = 30, /* dissolving goes on up to here */
  MAX_ON_TOP = 32,       /* boxes and nodes; more are put into buckets */
  MAX_JOINED = 32,       /* children of a box into which a list's members are joined */
  MAX_LOOSE_INPUTS = 4,  /* more get a box of their own */
  SMALL_BOX =
      4, /* nodes; a box this small is a leaf of the model and no root, however much it holds */
};

/* ---- Placing ---- */

/* The first step: every node gets the box of its module. */
typedef struct placement {
  etr_tree *tree;
  etr_map boxes; /* key: subgraph and module, or what else has a box */
  uint32_t
      *module; /* of each node: as recorded, or, of one that quantizing inserted, its neighbors' */
  uint32_t *shown;       /* of each module: itself, or the nearest ancestor that has a box */
  uint32_t *input_count; /* of each nested graph, shifted by one: 0 is the graph itself */
} placement;

enum { KEY_SELF = ETR_NONE, KEY_INPUTS = ETR_NONE - 1 };

/* What a box is of: a module of a nested graph, the nested graph itself (KEY_SELF), or its inputs
 * (KEY_INPUTS). */
typedef struct box_key {
  uint32_t subgraph, what;
} box_key;
ETR_NO_PADDING(box_key, 2 * sizeof(uint32_t));

/* Returns a module's path below that of its parent; "" if it adds nothing, the whole path if it
 * does not begin with the parent's. */
static const char *relative_path(const char *path, const char *parent) {
  size_t size = strlen(parent);
  if (size == 0 || strncmp(path, parent, size) != 0)
    return path;
  if (path[size] == '\0')
    return "";
  return path[size] == '.' ? path + size + 1 : path;
}

/* Returns the parent of a module; 0, the root, if the record names a later module, as in a circle.
 */
static uint32_t parent_module(const etr_graph *graph, uint32_t module) {
  return graph->modules[module].parent < module ? graph->modules[module].parent : 0;
}

/* Returns the module of a program that is the box of a delegate; ETR_NONE if there is none. */
static uint32_t module_of_delegate(const etr_graph *graph, uint32_t subgraph) {
  uint32_t module = subgraph + 1; /* after the root, each delegate has a module */
  if (subgraph >= graph->subgraph_count || module >= graph->module_count)
    return ETR_NONE;
  bool is_same = strcmp(graph->modules[module].path, graph->subgraphs[subgraph].path) == 0;
  return is_same ? module : ETR_NONE;
}

/* Sets p->shown: for each module, the one whose box shows it. That is itself or, for one without a
 * name of its own, too deep, or made for a delegate, what shows its parent. When out of memory, the
 * arena has failed. */
static void choose_shown_modules(placement *p) {
  const etr_graph *graph = p->tree->graph;
  uint32_t *depth = etr_arena_alloc_array(p->tree->arena, graph->module_count + 1, sizeof *depth);
  if (!depth)
    return;
  for (uint32_t i = 1; i < graph->module_count; i++) {
    uint32_t parent = parent_module(graph, i);
    depth[i] = depth[parent] + 1;
    bool adds_no_name = relative_path(graph->modules[i].path, graph->modules[parent].path)[0] ==
                        '\0';
    bool has_no_box = adds_no_name || depth[i] > ETR_TREE_MAX_DEPTH ||
                      module_of_delegate(graph, i - 1) != ETR_NONE;
    p->shown[i] = has_no_box ? p->shown[parent] : i;
  }
}

/* Adds a box for a key, and remembers it in p->boxes. At the largest depth none is added, and the
 * parent counts as the box. Returns the index of the box. */
static uint32_t add_keyed_box(placement *p, box_key key, uint32_t parent, const char *label,
                              etr_scope_kind kind) {
  uint32_t box = p->tree->boxes.data[parent].depth < ETR_TREE_MAX_DEPTH
                     ? add_box(p->tree, parent, label, kind)
                     : parent;
  etr_map_set(&p->boxes, ETR_BYTES(key), box);
  return box;
}

/* Returns the box of a nested graph, which is below the box of its owner. The owner precedes its
 * nested graph, so it has a box already. */
static uint32_t subgraph_box(placement *p, uint32_t subgraph) {
  const etr_graph *graph = p->tree->graph;
  if (subgraph >= graph->subgraph_count)
    return ETR_TREE_TOP;
  box_key key = {subgraph, KEY_SELF};
  uint32_t known_box = etr_map_get(&p->boxes, ETR_BYTES(key));
  if (known_box != ETR_NONE)
    return known_box;
  const etr_subgraph *nested = &graph->subgraphs[subgraph];
  /* The label begins with the part that distinguishes it from its siblings, because TensorBoard's
   * page cuts labels at a dozen characters. */
  const char *label = nested->name;
  if (!etr_is_program(graph))
    label = etr_arena_format(p->tree->arena, "%s.%s", label, graph->nodes[nested->owner].name);
  uint32_t box = add_keyed_box(p, key, p->tree->of_node[nested->owner], label, ETR_SCOPE_SUBGRAPH);
  p->tree->boxes.data[box].module = module_of_delegate(graph, subgraph);
  return box;
}

/* Returns the module of the node that owns a nested graph, as it is shown; 0 for the graph itself.
 * The box of the nested graph is in that module's, so boxes are added only for modules below it. */
static uint32_t outer_module(const placement *p, uint32_t subgraph) {
  const etr_graph *graph = p->tree->graph;
  return subgraph < graph->subgraph_count
             ? p->shown[graph->nodes[graph->subgraphs[subgraph].owner].module]
             : 0;
}

/* Returns the box of a shown module within a nested graph, which is added with those around it if
 * it is new. Recursion is bounded by ETR_TREE_MAX_DEPTH. */
static uint32_t module_box(placement *p, uint32_t subgraph, uint32_t module) {
  if (module == outer_module(p, subgraph))
    return subgraph_box(p, subgraph);
  box_key key = {subgraph, module};
  uint32_t known_box = etr_map_get(&p->boxes, ETR_BYTES(key));
  if (known_box != ETR_NONE)
    return known_box;
  const etr_graph *graph = p->tree->graph;
  uint32_t parent = p->shown[parent_module(graph, module)];
  uint32_t box = module_box(p, subgraph, parent);
  box = add_keyed_box(p, key, box,
                      relative_path(graph->modules[module].path, graph->modules[parent].path),
                      ETR_SCOPE_MODULE);
  if (p->tree->boxes.data[box].module == ETR_NONE)
    p->tree->boxes.data[box].module = module;
  return box;
}

/* Returns true if a shown module is that of the node that owns a nested graph, or below it. Module
 * 0 is the top of the model, where the search ends. */
static bool is_below_owner(const placement *p, uint32_t subgraph, uint32_t module) {
  uint32_t outer = outer_module(p, subgraph);
  while (module != outer && module != 0)
    module = p->shown[parent_module(p->tree->graph, module)];
  return module == outer;
}

/* Returns the box of a nested graph's inputs: one of their own if there are more than
 * MAX_LOOSE_INPUTS, else the box of the graph. Its stem is for buckets that it may be divided into.
 */
static uint32_t inputs_box(placement *p, uint32_t subgraph) {
  uint32_t parent = subgraph_box(p, subgraph);
  if (p->input_count[subgraph + 1] <= MAX_LOOSE_INPUTS)
    return parent;
  box_key key = {subgraph, KEY_INPUTS};
  uint32_t known_box = etr_map_get(&p->boxes, ETR_BYTES(key));
  if (known_box != ETR_NONE)
    return known_box;
  uint32_t box = add_keyed_box(p, key, parent, "inputs", ETR_SCOPE_BUCKET);
  if (box != parent)
    p->tree->boxes.data[box].stem = "inputs";
  return box;
}

/* Returns the box of a node that is no weight, which is added if it is new. */
static uint32_t place_node(placement *p, size_t index) {
  const etr_node *node = &p->tree->graph->nodes[index];
  uint32_t module = p->shown[p->module[index]];
  if (node->kind == ETR_NODE_INPUT)
    return inputs_box(p, node->subgraph);
  if (node->kind != ETR_NODE_OP || !is_below_owner(p, node->subgraph, module))
    return subgraph_box(p, node->subgraph);
  return module_box(p, node->subgraph, module);
}

/* ---- Nodes that quantizing inserted ---- */

static const char quantized[] = "quantized_decomposed.";

/* Returns true for a node that a compiler pass inserted and that therefore has no module. */
static bool is_inserted(const etr_node *node) {
  return node->kind == ETR_NODE_OP && node->module == 0 &&
         strncmp(node->target, quantized, sizeof quantized - 1) == 0;
}

static bool is_dequantizer(const etr_node *node) {
  return strncmp(node->target + sizeof quantized - 1, "dequantize", 10) == 0;
}

/* Returns the operator whose output a node quantizes; ETR_NONE if it quantizes an input or a
 * weight. */
static uint32_t quantized_operator(const etr_graph *graph, const etr_node *node) {
  if (node->input_count == 0 || graph->nodes[node->inputs[0].node].kind != ETR_NODE_OP)
    return ETR_NONE;
  return graph->nodes[node->inputs[0].node].subgraph == node->subgraph ? node->inputs[0].node
                                                                       : ETR_NONE;
}

enum { AMBIGUOUS = ETR_NONE - 1 };

/* Adds a node as a reader of its inputs. used_in: per node, the module of its readers so far,
 * ETR_NONE without any; AMBIGUOUS if they are in several modules, or in another graph. module: of
 * the reader. */
static void add_use(const etr_graph *graph, uint32_t *used_in, size_t reader, uint32_t module) {
  const etr_node *node = &graph->nodes[reader];
  for (size_t i = 0; i < node->input_count; i++) {
    uint32_t input = node->inputs[i].node;
    bool is_first_or_same = used_in[input] == ETR_NONE || used_in[input] == module;
    bool is_same_graph = graph->nodes[input].subgraph == node->subgraph;
    used_in[input] = is_same_graph && is_first_or_same ? module : AMBIGUOUS;
  }
}

/* Sets p->module: for each node, the module in whose box it is shown. That is its own; for a
 * dequantizer, the only module that uses its value; for a quantizer, that of the operator whose
 * output it quantizes, or of its readers if it quantizes an input or a weight. It goes backwards
 * first, because readers follow what they read. When out of memory, the arena has failed. */
static void find_shown_module_of_nodes(placement *p) {
  const etr_graph *graph = p->tree->graph;
  uint32_t *used_in = etr_arena_alloc_array(p->tree->arena, graph->node_count, sizeof *used_in);
  if (!used_in)
    return;
  for (size_t i = 0; i < graph->node_count; i++)
    used_in[i] = ETR_NONE;
  for (size_t i = graph->node_count; i-- > 0;) {
    const etr_node *node = &graph->nodes[i];
    p->module[i] = node->module;
    bool is_free = is_inserted(node) &&
                   (is_dequantizer(node) || quantized_operator(graph, node) == ETR_NONE);
    if (is_free && used_in[i] < AMBIGUOUS)
      p->module[i] = used_in[i];
    if (node->kind == ETR_NODE_OP && (is_free || !is_inserted(node)))
      add_use(graph, used_in, i, p->module[i]);
  }
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (!is_inserted(node) || is_dequantizer(node))
      continue;
    uint32_t producer = quantized_operator(graph, node);
    if (producer != ETR_NONE)
      p->module[i] = p->module[producer];
  }
}

/* Finds the box of each node, and which nodes are guests in the box of another module. Nodes of the
 * graph itself have the subgraph ETR_NONE, which plus one is 0, so their inputs are counted there.
 * When out of memory, the arena has failed. */
static void place_nodes(etr_tree *tree) {
  const etr_graph *graph = tree->graph;
  placement p = {.tree = tree};
  etr_map_init(&p.boxes, tree->arena);
  p.module = etr_arena_alloc_array(tree->arena, graph->node_count, sizeof *p.module);
  p.shown = etr_arena_alloc_array(tree->arena, graph->module_count + 1, sizeof *p.shown);
  p.input_count = etr_arena_alloc_array(tree->arena, graph->subgraph_count + 1,
                                        sizeof *p.input_count);
  if (etr_arena_failed(tree->arena))
    return;
  choose_shown_modules(&p);
  find_shown_module_of_nodes(&p);
  if (etr_arena_failed(tree->arena))
    return;
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind == ETR_NODE_INPUT)
      p.input_count[graph->nodes[i].subgraph + 1]++;
  for (size_t i = 0; i < graph->node_count && !etr_arena_failed(tree->arena); i++)
    if (!is_drawn_at_reader(&graph->nodes[i]))
      tree->of_node[i] = place_node(&p, i);
  for (size_t i = 0; i < graph->node_count; i++)
    tree->is_guest[i] = p.module[i] != graph->nodes[i].module;
}

/* Puts each weight into the box of the first node that reads it, or to the top if none does. */
static void place_weights(etr_tree *tree) {
  const etr_graph *graph = tree->graph;
  for (size_t i = 0; i < graph->node_count; i++)
    if (is_drawn_at_reader(&graph->nodes[i]))
      tree->of_node[i] = ETR_NONE;
  for (size_t i = 0; i < graph->node_count; i++) {
    if (is_drawn_at_reader(&graph->nodes[i]))
      continue;
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      uint32_t *box = &tree->of_node[graph->nodes[i].inputs[k].node];
      if (*box == ETR_NONE)
        *box = tree->of_node[i];
    }
  }
  for (size_t i = 0; i < graph->node_count; i++)
    if (tree->of_node[i] == ETR_NONE)
      tree->of_node[i] = ETR_TREE_TOP;
}

/* ---- The tree ---- */

/* Returns true for a label of digits alone. */
static bool is_number(const char *label) {
  return label[0] != '\0' && label[strspn(label, "0123456789")] == '\0';
}

/* Counts, for each box, the nodes and boxes directly in it, those of these boxes that are named
 * by a number, and its operators at any depth. Weights do not count. */
static void count_contents(etr_tree *tree) {
  etr_box *boxes = tree->boxes.data;
  for (size_t i = 0; i < tree->boxes.count; i++)
    boxes[i].op_count = boxes[i].node_count = boxes[i].box_count = boxes[i].digit_count = 0;
  for (size_t i = 0; i < tree->graph->node_count; i++) {
    if (is_drawn_at_reader(&tree->graph->nodes[i]))
      continue;
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

/* Returns the nearest box around a box that is not dissolved. */
static uint32_t undissolved_parent(const etr_tree *tree, uint32_t box) {
  do
    box = tree->boxes.data[box].parent;
  while (tree->boxes.data[box].dissolved);
  return box;
}

/* Marks a box as dissolved: what it contains then counts as content of the box around it. */
static void dissolve_box(etr_tree *tree, uint32_t index) {
  etr_box *box = &tree->boxes.data[index];
  etr_box *parent = &tree->boxes.data[undissolved_parent(tree, index)];
  box->dissolved = true;
  parent->box_count += box->box_count - 1;
  parent->node_count += box->node_count;
}

/* Returns true for a module that is one of several alike, such as "stages.2" or "layer3". */
static bool is_repeated(const etr_tree *tree, const etr_box *box) {
  if (box->module == ETR_NONE)
    return false;
  const etr_module *module = &tree->graph->modules[box->module];
  const char *name = strrchr(module->path, '.'), *pattern = strrchr(module->pattern, '.');
  return strcmp(name ? name : module->path, pattern ? pattern : module->pattern) != 0;
}

/* Returns true for a box without boxes that stays: a small one, and beside other boxes one whose
 * nodes would only be seen in buckets, such as a loop that is unrolled. */
static bool is_leaf(const etr_box *box, const etr_box *top) {
  uint32_t others = top->node_count + top->box_count - 1;
  bool fills_top = top->box_count > 1 && others + box->node_count > MAX_ON_TOP;
  return box->box_count == 0 && (box->node_count <= SMALL_BOX || fills_top);
}

/* Returns a box at the top that contains most of the operators and may be dissolved without filling
 * the top too much; ETR_TREE_TOP if there is none. One of several alike stays, to be compared with
 * the others. */
static uint32_t find_root(const etr_tree *tree) {
  const etr_box *top = &tree->boxes.data[ETR_TREE_TOP];
  for (uint32_t i = 1; i < tree->boxes.count; i++) {
    const etr_box *box = &tree->boxes.data[i];
    if (box->kind != ETR_SCOPE_MODULE || box->dissolved || box->op_count <= top->op_count / 2 ||
        is_repeated(tree, box))
      continue;
    if (!is_leaf(box, top) && undissolved_parent(tree, i) == ETR_TREE_TOP &&
        top->box_count + box->box_count - 1 <= MAX_BOXES_ON_TOP)
      return i;
  }
  return ETR_TREE_TOP;
}

/* ---- Settling ---- */

/* Makes a new list of boxes, without dissolved ones and with parents first. */
typedef struct rebuilding {
  etr_tree *tree;
  const etr_box *old;
  uint32_t *moved; /* new index of each old box; 0: not yet */
} rebuilding;

/* Returns the label of a box, preceded by those of dissolved boxes directly around it: "layers.0".
 * NULL when out of memory. */
static const char *dotted_label(const rebuilding *s, uint32_t box) {
  const char *label = s->old[box].label;
  for (uint32_t p = s->old[box].parent; s->old[p].dissolved && label; p = s->old[p].parent)
    label = etr_arena_format(s->tree->arena, "%s.%s", s->old[p].label, label);
  return label;
}

/* Adds a box to the new list after the boxes around it, unless it is dissolved. Returns its new
 * index; of a dissolved box that of its parent. Recursion is bounded by the tree's depth. */
static uint32_t rebuild_box(rebuilding *state, uint32_t box) {
  if (box == ETR_TREE_TOP || state->moved[box])
    return state->moved[box];
  uint32_t new_index = rebuild_box(state, state->old[box].parent);
  if (!state->old[box].dissolved) {
    new_index = add_box(state->tree, new_index, dotted_label(state, box), state->old[box].kind);
    etr_box *added = &state->tree->boxes.data[new_index];
    added->module = state->old[box].module;
    added->stem = state->old[box].stem;
    added->base = state->old[box].base;
  }
  state->moved[box] = new_index;
  return state->moved[box];
}

/* Removes dissolved and empty boxes, and puts the others in the order in which their nodes appear,
 * parents first. The counts of boxes are wrong afterwards. When out of memory, the arena has
 * failed.
 */
static void rebuild_boxes(etr_tree *tree) {
  rebuilding s = {.tree = tree, .old = tree->boxes.data};
  s.moved = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *s.moved);
  memset(&tree->boxes, 0, sizeof tree->boxes);
  add_box(tree, ETR_TREE_TOP, "", ETR_SCOPE_MODULE);
  for (size_t i = 0; i < tree->graph->node_count && !etr_arena_failed(tree->arena); i++)
    if (!is_drawn_at_reader(&tree->graph->nodes[i]))
      tree->of_node[i] = rebuild_box(&s, tree->of_node[i]);
}

/* ---- Export ---- */

/* Returns a label that is unique among those in the same parent: "label~2" for the second, or the
 * label itself when out of memory. suffixes: parent and label -> the last suffix that was given, or
 * ETR_NONE for an unused label. */
static const char *unique_label(etr_arena *arena, etr_map *suffixes, uint32_t parent,
                                const char *label) {
  etr_slice plain_key = etr_key_of(arena, parent, etr_slice_of(label)), key = plain_key;
  for (const char *tried = label; tried;) {
    if (etr_map_get(suffixes, key) == ETR_NONE) {
      etr_map_set(suffixes, key, 1);
      return tried;
    }
    uint32_t suffix = etr_map_get(suffixes, plain_key) + 1;
    etr_map_set(suffixes, plain_key, suffix);
    tried = etr_arena_format(arena, "%s~%u", label, (unsigned)suffix);
    if (tried)
      key = etr_key_of(arena, parent, etr_slice_of(tried));
  }
  return label;
}

/* Sets *out to the boxes of the tree as scopes, without the top, so that all indices become smaller
 * by one and that of the top ETR_NONE. Labels that siblings share get suffixes. When out of memory,
 * the arena has failed. */
static void export_tree(etr_scopes *out, etr_tree *tree) {
  etr_scope *scopes = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *scopes);
  etr_map suffixes;
  etr_map_init(&suffixes, tree->arena);
  for (size_t i = 1; i < tree->boxes.count && scopes; i++) {
    const etr_box *box = &tree->boxes.data[i];
    scopes[i - 1] = (etr_scope){
        .label = unique_label(tree->arena, &suffixes, box->parent, box->label),
        .parent = box->parent - 1, /* the top, 0, becomes ETR_NONE */
        .depth = box->depth - 1,
        .kind = box->kind,
        .module = box->module,
        .op_count = box->op_count};
  }
  for (size_t i = 0; i < tree->graph->node_count; i++)
    tree->of_node[i]--;
  *out = (etr_scopes){.list = scopes,
                      .count = tree->boxes.count - 1,
                      .of_node = tree->of_node,
                      .is_guest = tree->is_guest};
}

/* Dissolves the boxes of modules that only list others (nn.Sequential), so that they are joined to
 * their members: "conv" with "0" and "1" becomes "conv.0" and "conv.1". A box stays if the box
 * around it would get too full. */
static void dissolve_lists(etr_tree *tree) {
  for (uint32_t i = 1; i < tree->boxes.count; i++) {
    const etr_box *box = &tree->boxes.data[i];
    uint32_t parent = undissolved_parent(tree, i);
    const etr_box *parent_box = &tree->boxes.data[parent];
    bool is_list = box->kind == ETR_SCOPE_MODULE && box->node_count == 0 &&
                   box->digit_count == box->box_count && !is_number(box->label);
    size_t children = (size_t)parent_box->box_count + parent_box->node_count + box->box_count - 1;
    size_t most_children = parent == ETR_TREE_TOP ? MAX_BOXES_ON_TOP : MAX_JOINED;
    if (is_list && children <= most_children)
      dissolve_box(tree, i);
  }
}

/* Makes the scopes of a graph, step by step: places nodes, joins lists, dissolves what contains
 * nearly all, shortens labels, and divides full boxes into buckets if has_buckets is set. Returns
 * ETR_ERROR_MEMORY when out of memory. */
static etr_status build_scopes(etr_scopes *out, etr_arena *arena, const etr_graph *graph,
                               bool has_buckets) {
  *out = (etr_scopes){0};
  etr_tree tree = {.arena = arena, .graph = graph};
  tree.of_node = etr_arena_alloc_array(arena, graph->node_count + 1, sizeof *tree.of_node);
  tree.is_guest = etr_arena_alloc_array(arena, graph->node_count + 1, sizeof *tree.is_guest);
  add_box(&tree, ETR_TREE_TOP, "", ETR_SCOPE_MODULE);
  if (etr_arena_failed(arena))
    return ETR_ERROR_MEMORY;
  place_nodes(&tree);
  if (etr_arena_failed(arena))
    return ETR_ERROR_MEMORY;
  count_contents(&tree);
  dissolve_lists(&tree);
  for (uint32_t root = find_root(&tree); root != ETR_TREE_TOP; root = find_root(&tree))
    dissolve_box(&tree, root);
  rebuild_boxes(&tree);
  if (etr_arena_failed(arena))
    return ETR_ERROR_MEMORY;
  shorten_labels(&tree);
  if (has_buckets && !etr_arena_failed(arena))
    fill_buckets(&tree);
  if (etr_arena_failed(arena))
    return ETR_ERROR_MEMORY;
  count_contents(&tree);
  place_weights(&tree);
  export_tree(out, &tree);
  return etr_arena_failed(arena) ? ETR_ERROR_MEMORY : ETR_OK;
}

etr_status etr_scopes_build(etr_scopes *out, etr_arena *arena, const etr_graph *graph) {
  return build_scopes(out, arena, graph, true);
}

etr_status etr_scopes_build_to_fold(etr_scopes *out, etr_arena *arena, const etr_graph *graph) {
  return build_scopes(out, arena, graph, false);
}

/* ---- Labels that fit into a box ---- */

/* A label is the whole path if it fits, or else the shortest end of it that distinguishes siblings:
 * "layer_3" for "encoder.layers.encoder_layer_3". */

enum {
  LONGEST = 13,     /* characters of a label that TensorBoard's page shows */
  WHOLE = ETR_NONE, /* parts of a path that is not cut */
};

/* Shortens the labels of boxes. */
typedef struct shortening {
  etr_tree *tree;
  uint32_t *family; /* per box: its family, the first box that has the same parent and the same
                       label without the number at its end. A family is cut at the same part */
  uint32_t *parts;  /* of each family: how many parts of the path are kept */
  size_t *longest;  /* of each family: its longest label */
} shortening;

/* Returns the last parts of a dotted path, as many as part_count and one more for each part that is
 * only a number, which says nothing alone. The whole path for WHOLE, or if it has no more parts. */
static const char *last_parts(const char *label, uint32_t part_count) {
  if (part_count == WHOLE)
    return label;
  const char *start = label + strlen(label);
  while (start > label) {
    const char *end = start;
    for (start--; start > label && start[-1] != '.';)
      start--;
    bool is_number_part = start + strspn(start, "0123456789") >= end;
    if (!is_number_part && --part_count == 0)
      break;
    if (start > label)
      start--; /* the dot */
  }
  if (*start == '.')
    start++;
  return *start ? start : label; /* nothing but dots */
}

/* Sets the family of each box, which is the first box in the same parent whose label differs only
 * in the number at its end, and the family's number of parts to 1. When out of memory, the arena
 * has failed. */
static void find_families(shortening *s) {
  etr_map first_boxes;
  etr_map_init(&first_boxes, s->tree->arena);
  for (uint32_t i = 1; i < s->tree->boxes.count; i++) {
    const etr_box *box = &s->tree->boxes.data[i];
    size_t stem_size = strlen(box->label);
    while (stem_size > 0 && box->label[stem_size - 1] >= '0' && box->label[stem_size - 1] <= '9')
      stem_size--;
    etr_slice key = etr_key_of(s->tree->arena, box->parent, (etr_slice){box->label, stem_size});
    uint32_t first = etr_map_get(&first_boxes, key);
    s->family[i] = first == ETR_NONE ? i : first;
    if (first == ETR_NONE && !etr_map_set(&first_boxes, key, i))
      return;
    s->parts[i] = 1;
  }
}

/* Sets the length of the longest label of each family. */
static void find_longest_labels(shortening *s) {
  const etr_box *boxes = s->tree->boxes.data;
  memset(s->longest, 0, s->tree->boxes.count * sizeof *s->longest);
  for (size_t i = 1; i < s->tree->boxes.count; i++)
    s->longest[s->family[i]] = ETR_MAX(s->longest[s->family[i]], strlen(boxes[i].label));
}

/* Lengthens the labels of a family by one part. Families with whole paths are not lengthened,
 * because the count of their parts must not overflow. */
static void lengthen_labels(shortening *s, uint32_t family) {
  if (s->parts[family] != WHOLE)
    s->parts[family]++;
}

/* Returns true if the label of a box, as it is cut, is not the whole path. */
static bool can_be_longer(const shortening *s, uint32_t box) {
  const char *label = s->tree->boxes.data[box].label;
  return last_parts(label, s->parts[s->family[box]]) != label;
}

/* ---- Words ---- */

/* Returns the last words of a module's label, "layer_3" for "encoder_layer_3", whose number
 * TensorBoard's page would cut off; NULL if the labels of its family are short enough or do not end
 * in such words. */
static const char *last_words(const shortening *s, uint32_t box) {
  const char *label = s->tree->boxes.data[box].label, *start = NULL;
  size_t size = strlen(label), longest = s->longest[s->family[box]];
  if (s->tree->boxes.data[box].kind != ETR_SCOPE_MODULE || longest <= LONGEST || size == 0)
    return NULL;
  if (label[size - 1] < '0' || label[size - 1] > '9' || strchr(label, '.'))
    return NULL;
  for (const char *underscore = strchr(label, '_'); underscore;
       underscore = strchr(underscore + 1, '_')) {
    if (underscore[1 + strspn(underscore + 1, "0123456789_")] == '\0')
      break;
    start = underscore + 1;
    if (strlen(start) + (longest - size) <= LONGEST) /* the longest of the family fits, too */
      break;
  }
  return start;
}

enum { NO_FAMILY = ETR_NONE - 1 };

/* Adds a label that a box has, or could be cut to. known: parent and label -> the family that has
 * it, or NO_FAMILY if a label was added before: it is not unique then. */
static void add_label(shortening *s, etr_map *known, uint32_t box, const char *label) {
  etr_slice key = etr_key_of(s->tree->arena, s->tree->boxes.data[box].parent, etr_slice_of(label));
  uint32_t seen = etr_map_get(known, key);
  etr_map_set(known, key, seen == ETR_NONE ? s->family[box] : NO_FAMILY);
}

/* Cuts labels to their last words, "encoder_layer_3" to "layer_3", in all boxes of a family or in
 * none: in none if a cut label would be the label, whole or cut, of another box in the same parent.
 * When out of memory, the arena has failed. */
static void cut_to_last_words(shortening *s) {
  etr_box *boxes = s->tree->boxes.data;
  uint32_t count = (uint32_t)s->tree->boxes.count;
  bool *can_be_cut = etr_arena_alloc_array(s->tree->arena, count, sizeof *can_be_cut);
  etr_map families;
  etr_map_init(&families, s->tree->arena);
  if (!can_be_cut)
    return;
  find_longest_labels(s);
  for (uint32_t i = 1; i < count && !etr_arena_failed(s->tree->arena); i++) {
    const char *words = last_words(s, i);
    add_label(s, &families, i, boxes[i].label);
    if (words)
      add_label(s, &families, i, words);
    can_be_cut[s->family[i]] |= words != NULL;
  }
  for (uint32_t i = 1; i < count; i++) {
    const char *words = last_words(s, i);
    if (!words)
      continue;
    etr_slice key = etr_key_of(s->tree->arena, boxes[i].parent, etr_slice_of(words));
    if (etr_map_get(&families, key) == NO_FAMILY)
      can_be_cut[s->family[i]] = false;
  }
  for (uint32_t i = 1; i < count; i++) {
    const char *words = last_words(s, i);
    if (words && can_be_cut[s->family[i]])
      boxes[i].label = words;
  }
}

/* Lengthens the labels of families by one part if two boxes in the same parent would have the same
 * label, and one of them can be longer. Returns false if there are no such boxes. */
static bool lengthen_equal_labels(shortening *s) {
  bool is_any_longer = false;
  etr_map seen; /* parent and label -> the first box with it */
  etr_map_init(&seen, s->tree->arena);
  for (uint32_t i = 1; i < s->tree->boxes.count && !etr_arena_failed(s->tree->arena); i++) {
    const etr_box *box = &s->tree->boxes.data[i];
    const char *shown = box->label;
    if (box->kind == ETR_SCOPE_MODULE)
      shown = last_parts(box->label, s->parts[s->family[i]]);
    etr_slice key = etr_key_of(s->tree->arena, box->parent, etr_slice_of(shown));
    uint32_t other = etr_map_get(&seen, key);
    if (other == ETR_NONE)
      etr_map_set(&seen, key, i);
    if (other == ETR_NONE || (!can_be_longer(s, i) && !can_be_longer(s, other)))
      continue;
    lengthen_labels(s, s->family[i]);
    if (s->family[other] != s->family[i])
      lengthen_labels(s, s->family[other]);
    is_any_longer = true;
  }
  return is_any_longer;
}

/* Shortens the labels of modules to as few last parts as distinguish siblings, and then to their
 * last words. */
static void shorten_labels(etr_tree *tree) {
  enum { MOST_PASSES = 8 }; /* labels that are still equal then keep their paths */
  shortening s = {.tree = tree};
  s.family = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *s.family);
  s.parts = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *s.parts);
  s.longest = etr_arena_alloc_array(tree->arena, tree->boxes.count, sizeof *s.longest);
  if (etr_arena_failed(tree->arena))
    return;
  find_families(&s);
  find_longest_labels(&s);
  for (size_t i = 1; i < s.tree->boxes.count; i++)
    if (s.longest[s.family[i]] <= LONGEST)
      s.parts[s.family[i]] = WHOLE;
  bool growing = true;
  for (int pass = 0; growing && pass < MOST_PASSES && !etr_arena_failed(tree->arena); pass++)
    growing = lengthen_equal_labels(&s);
  for (uint32_t i = 1; i < tree->boxes.count && !growing; i++)
    if (tree->boxes.data[i].kind == ETR_SCOPE_MODULE)
      tree->boxes.data[i].label = last_parts(tree->boxes.data[i].label, s.parts[s.family[i]]);
  if (!etr_arena_failed(tree->arena))
    cut_to_last_words(&s);
}

/* ---- Boxes with too many children get buckets ---- */

/* Buckets are boxes of members of a list ("layers.0-15"), of nodes ("ops.0000-0063"), and, where
 * names do not help, of boxes ("modules.0000-0015"). A pass divides every overfull box once; a few
 * passes nest buckets as deep as it takes. */

enum {
  MAX_IN_BOX = 100,
  MAX_BUCKETS = 16, /* made of the nodes of one box, or of one sequence, in one pass; buckets that
                       are still too large are split again */
  NODES_PER_BUCKET = 64,
  NODES_PER_BUCKET_ON_TOP =
      8, /* a single box on top that holds most of a small model would be all that is seen of it */
  FEWEST_BUCKETS = 4, /* where that many are wanted, for the same reason */
  BOXES_PER_BUCKET = 8,
  SHORTEST_RUN = 3,
  MAX_PASSES = 16, /* each pass divides by more than ten: a bound for structs that break the
                      contract, not for graphs */
};

typedef enum step { STEP_NONE, STEP_NODES, STEP_RUNS, STEP_BOXES } step;

/* How one box is divided in this pass. */
typedef struct box_plan {
  step step;            /* what goes into buckets: its nodes, runs of list members, or boxes */
  uint32_t loose;       /* nodes directly inside that may go into buckets */
  uint32_t longest_run; /* of list members among the boxes inside */
  uint32_t buckets;     /* to be made of the nodes, or of the boxes */
  uint32_t seen;        /* nodes or boxes put into buckets so far */
  uint32_t bucket;      /* the one being filled */
} box_plan;

/* Siblings "layers.0", "layers.1", ..., which need not be adjacent. They are stored at the first
 * one. */
typedef struct list_run {
  uint32_t first;  /* of each box: the first member of its list */
  uint32_t length; /* number of members */
  uint32_t seen;   /* those put into buckets so far */
  uint32_t bucket; /* the one being filled */
} list_run;

/* One pass over all boxes. */
typedef struct pass {
  etr_tree *tree;
  size_t box_count; /* number of boxes without those that the pass adds */
  box_plan *plans;  /* of each box */
  list_run *runs;   /* of each box */
} pass;

/* Returns how many buckets so many children are put into, at most MAX_BUCKETS. */
static uint32_t count_buckets(uint32_t children, uint32_t per_bucket) {
  return ETR_MIN((children + per_bucket - 1) / per_bucket, (uint32_t)MAX_BUCKETS);
}

/* Returns true for nodes that may be put into a bucket. Inputs and the output stay where they are,
 * unless they are in a box of inputs. */
static bool is_loose(const etr_tree *tree, size_t node) {
  etr_node_kind kind = tree->graph->nodes[node].kind;
  return kind == ETR_NODE_OP ||
         (kind == ETR_NODE_INPUT && tree->boxes.data[tree->of_node[node]].kind == ETR_SCOPE_BUCKET);
}

/* Returns the length of a label without the number at its end. */
static size_t stem_length(const char *label) {
  size_t stem = strlen(label);
  while (stem > 0 && label[stem - 1] >= '0' && label[stem - 1] <= '9')
    stem--;
  return stem;
}

/* Returns the first of the boxes in the same parent whose labels differ only in the number at the
 * end; the box itself if it is the first one, or has no number. lists: parent and label without
 * number -> the first box. */
static uint32_t first_of_list(const etr_tree *tree, etr_map *lists, uint32_t index) {
  const etr_box *box = &tree->boxes.data[index];
  size_t stem = stem_length(box->label);
  if (box->kind != ETR_SCOPE_MODULE || box->label[stem] == '\0')
    return index;
  etr_slice key = etr_key_of(tree->arena, box->parent, (etr_slice){box->label, stem});
  uint32_t first = etr_map_get(lists, key);
  if (first == ETR_NONE)
    etr_map_set(lists, key, index);
  return first == ETR_NONE ? index : first;
}

/* Returns how a box is divided: its nodes, its runs of list members, or its boxes are put into
 * buckets; STEP_NONE if it has not too many children. Sets the number of buckets. Nodes go first if
 * enough buckets for them fit beside the other children. */
static step choose_step(const etr_box *box, box_plan *plan, bool is_top) {
  uint32_t limit = is_top ? MAX_ON_TOP : MAX_IN_BOX,
           other_count = box->node_count - plan->loose + box->box_count;
  if (plan->loose + other_count <= limit)
    return STEP_NONE;
  uint32_t wanted_buckets = count_buckets(plan->loose,
                                          is_top ? NODES_PER_BUCKET_ON_TOP : NODES_PER_BUCKET);
  uint32_t free_room = limit > other_count ? limit - other_count : 0;
  bool fits = free_room >= ETR_MIN(wanted_buckets, (uint32_t)FEWEST_BUCKETS);
  plan->buckets = fits ? ETR_MIN(wanted_buckets, free_room) : wanted_buckets;
  if (plan->loose > 1 && fits)
    return STEP_NODES;
  if (plan->longest_run >= SHORTEST_RUN)
    return STEP_RUNS;
  if (plan->loose > wanted_buckets)
    return STEP_NODES;
  plan->buckets = count_buckets(box->box_count, BOXES_PER_BUCKET);
  return box->box_count > 1 ? STEP_BOXES : STEP_NONE;
}

/* Sets the step of each box's plan: of a box with too many children, whether its nodes, its runs of
 * list members, or its boxes go into buckets; STEP_NONE for other boxes. It first counts the nodes
 * of each box that may go (`loose`). Returns false if no box has too many. */
static bool choose_steps(pass *p) {
  bool has_any = false;
  for (size_t i = 0; i < p->tree->graph->node_count; i++)
    if (!is_drawn_at_reader(&p->tree->graph->nodes[i]))
      p->plans[p->tree->of_node[i]].loose += is_loose(p->tree, i);
  for (size_t i = 0; i < p->box_count; i++) {
    p->plans[i].step = choose_step(&p->tree->boxes.data[i], &p->plans[i], i == ETR_TREE_TOP);
    has_any |= p->plans[i].step != STEP_NONE;
  }
  return has_any;
}

/* Returns the size of equal buckets: 65 children are put into 33 and 32, not 64 and 1. */
static uint32_t bucket_size(uint32_t children, uint32_t buckets) {
  return (children + buckets - 1) / buckets;
}

/* Returns the bucket for the next of child_count children of a box, which is added for the first
 * child in it, and is named "ops.0000-0063" with "ops" as stem. If the box is a bucket itself, its
 * stem is used, and numbers continue from its first. */
static uint32_t next_bucket(pass *p, uint32_t box, const char *stem, uint32_t child_count) {
  box_plan *plan = &p->plans[box];
  uint32_t size = bucket_size(child_count, plan->buckets), child = plan->seen++;
  if (child % size != 0)
    return plan->bucket;
  const etr_box *parent = &p->tree->boxes.data[box];
  uint32_t base = 0;
  if (parent->stem) {
    stem = parent->stem;
    base = parent->base;
  }
  unsigned first = base + child, last = base + ETR_MIN(child + size, child_count) - 1;
  plan->bucket = add_box(p->tree, box,
                         etr_arena_format(p->tree->arena, "%s.%04u-%04u", stem, first, last),
                         ETR_SCOPE_BUCKET);
  p->tree->boxes.data[plan->bucket].stem = stem;
  p->tree->boxes.data[plan->bucket].base = first;
  return plan->bucket;
}

/* Returns the bucket for the next member of a run, which is added for the first member in it. It is
 * named after its first member, "layers.0", and when the last one is in "layers.0-7". box: of the
 * member. */
static uint32_t next_run_bucket(pass *p, list_run *run, uint32_t box) {
  uint32_t size = bucket_size(run->length, count_buckets(run->length, BOXES_PER_BUCKET)),
           member_index = run->seen++;
  const char *label = p->tree->boxes.data[box].label;
  if (member_index % size == 0)
    run->bucket = add_box(p->tree, p->tree->boxes.data[box].parent, label, ETR_SCOPE_BUCKET);
  bool is_last = member_index % size == size - 1 || member_index == run->length - 1;
  if (is_last && member_index % size != 0) {
    etr_box *bucket = &p->tree->boxes.data[run->bucket];
    const char *range = etr_arena_format(p->tree->arena, "%s-%s", bucket->label,
                                         label + stem_length(label));
    if (range)
      bucket->label = range;
  }
  return run->bucket;
}

/* Sets the runs of list members of each box, and the longest run in each plan. */
static void find_runs(pass *p) {
  etr_map lists;
  etr_map_init(&lists, p->tree->arena);
  for (uint32_t i = 1; i < p->box_count; i++) {
    box_plan *around = &p->plans[p->tree->boxes.data[i].parent];
    p->runs[i].first = first_of_list(p->tree, &lists, i);
    uint32_t length = ++p->runs[p->runs[i].first].length;
    around->longest_run = ETR_MAX(around->longest_run, length);
  }
}

/* Makes buckets the parents of boxes where the plan of their parent wants that: STEP_RUNS puts
 * the members of long runs into buckets, STEP_BOXES all boxes, in their order, into buckets of
 * equal size ("modules.0000-0063"). The buckets are added at the end of the boxes. */
static void move_boxes(pass *p) {
  for (uint32_t member = 1; member < p->box_count; member++) {
    uint32_t parent = p->tree->boxes.data[member].parent, bucket = parent;
    list_run *run = &p->runs[p->runs[member].first];
    if (p->plans[parent].step == STEP_RUNS && run->length >= SHORTEST_RUN)
      bucket = next_run_bucket(p, run, member);
    if (p->plans[parent].step == STEP_BOXES)
      bucket = next_bucket(p, parent, "modules", p->tree->boxes.data[parent].box_count);
    p->tree->boxes.data[member].parent = bucket;
  }
}

/* Moves the nodes of boxes that have too many of them into buckets, named "ops.0000-0063". */
static void move_nodes(pass *p) {
  for (size_t node = 0; node < p->tree->graph->node_count; node++) {
    if (is_drawn_at_reader(&p->tree->graph->nodes[node]))
      continue;
    uint32_t box = p->tree->of_node[node];
    if (p->plans[box].step == STEP_NODES && is_loose(p->tree, node))
      p->tree->of_node[node] = next_bucket(p, box, "ops", p->plans[box].loose);
  }
}

/* Divides boxes with too many children into buckets, until none has, or after MAX_PASSES. When out
 * of memory, the arena has failed. */
static void fill_buckets(etr_tree *tree) {
  for (int pass_count = 0; pass_count < MAX_PASSES; pass_count++) {
    count_contents(tree);
    pass p = {.tree = tree, .box_count = tree->boxes.count};
    p.plans = etr_arena_alloc_array(tree->arena, p.box_count, sizeof *p.plans);
    p.runs = etr_arena_alloc_array(tree->arena, p.box_count, sizeof *p.runs);
    if (etr_arena_failed(tree->arena))
      return;
    find_runs(&p);
    if (!choose_steps(&p))
      return;
    move_boxes(&p);
    move_nodes(&p);
    rebuild_boxes(tree);
    if (etr_arena_failed(tree->arena))
      return;
  }
}
