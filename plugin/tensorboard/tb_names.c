/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_names.c - names of nodes for TensorBoard's graph tab.
 */
#include "tb_names.h"

#include "label.h"
#include "tb_text.h"
#include "writer.h"

enum {
  STACKED_FROM = 5, /* siblings called x1, x2, ... that the page draws as one */
  MAX_NUMBER = 20,  /* digits of a list's member */
};

/* What a node is called in its box, before it is made unique. */
typedef struct node_leaf {
  char *text;      /* with room for one more byte */
  uint32_t series; /* of siblings that it would be stacked with, an index into series_sizes; ETR_NONE: the page stacks only what ends in a number */
  bool is_box;     /* the name of a box that it stands for */
} node_leaf;

typedef struct naming {
  etr_arena *arena;
  const etr_graph *graph;
  const etr_scopes *scopes;
  const char **box_paths; /* of each scope */
  uint32_t *folded;       /* of each scope: the outermost one that its only operator stands for; ETR_NONE */
  uint32_t *first_user;   /* of each weight; ETR_NONE */
  node_leaf *leaves;      /* of each node that is no weight */
  etr_map taken;          /* names of boxes and nodes; value: the last number given to others that wanted it */
  etr_map series;         /* box and leaf without its number -> index into series_sizes */
  etr_vec(uint32_t) series_sizes;
  etr_text wanted; /* a name being looked for */
  const char **names;
} naming;

/* ---- Unique names ---- */

static etr_slice wanted_name(const naming *n) { return (etr_slice){n->wanted.data, n->wanted.size}; }

/* Takes another name where this one is taken: "name_1_" and so on; the '_' at the end keeps the page from stacking them. "" when out of memory. */
static const char *take_numbered(naming *n, uint32_t number) {
  const size_t base = n->wanted.size;
  etr_map_slot *slot;
  do {
    char digits[ETR_UINT_ROOM];
    n->wanted.size = base;
    etr_text_add(&n->wanted, ETR_SLICE("_"));
    etr_text_add(&n->wanted, (etr_slice){digits, etr_format_uint(digits, ++number)});
    slot = etr_text_add(&n->wanted, ETR_SLICE("_")) ? etr_map_at(&n->taken, wanted_name(n)) : NULL;
  } while (slot && slot->value != ETR_NONE);
  if (!slot) return "";
  const char *name = slot->key;
  slot->value = 0;
  etr_map_set(&n->taken, (etr_slice){n->wanted.data, base}, number);
  return name;
}

/* path/leaf, made unique. "" when out of memory. */
static const char *take(naming *n, const char *path, const char *leaf) {
  n->wanted.size = 0;
  etr_text_add(&n->wanted, etr_slice_of(path));
  if (path[0]) etr_text_add(&n->wanted, ETR_SLICE("/"));
  etr_map_slot *slot = etr_text_add(&n->wanted, etr_slice_of(leaf)) ? etr_map_at(&n->taken, wanted_name(n)) : NULL;
  if (!slot) return "";
  if (slot->value != ETR_NONE) return take_numbered(n, slot->value);
  slot->value = 0;
  return slot->key;
}

/* ---- Boxes ---- */

static const char *box_path(const naming *n, uint32_t scope) { return scope == ETR_NONE ? "" : n->box_paths[scope]; }

static void name_boxes(naming *n) {
  char label[ETR_TB_NAME_ROOM];
  for (size_t i = 0; i < n->scopes->count; i++) {
    const etr_scope *scope = &n->scopes->list[i];
    (void)etr_tb_clean_name(label, etr_slice_of(scope->label));
    n->box_paths[i] = take(n, box_path(n, scope->parent), label);
  }
}

/* How many nodes each box holds at any depth, weights aside. */
static uint32_t *count_inside(const naming *n) {
  uint32_t *inside = etr_arena_alloc_array(n->arena, n->scopes->count, sizeof *inside);
  if (!inside) return NULL;
  for (size_t i = 0; i < n->graph->node_count; i++)
    if (n->scopes->of_node[i] != ETR_NONE && n->graph->nodes[i].kind < ETR_NODE_PARAMETER) inside[n->scopes->of_node[i]]++;
  for (size_t i = n->scopes->count; i-- > 0;)
    if (n->scopes->list[i].parent != ETR_NONE) inside[n->scopes->list[i].parent] += inside[i];
  return inside;
}

static void fold_boxes(naming *n) {
  const uint32_t *inside = count_inside(n);
  for (size_t i = 0; i < n->scopes->count && inside; i++) {
    const etr_scope *scope = &n->scopes->list[i];
    bool only_one = scope->kind == ETR_SCOPE_MODULE && scope->op_count == 1 && inside[i] == 1;
    uint32_t outer = scope->parent == ETR_NONE ? ETR_NONE : n->folded[scope->parent];
    n->folded[i] = outer != ETR_NONE ? outer : only_one ? (uint32_t)i : ETR_NONE;
  }
}

/* ---- Nodes ---- */

static uint32_t folded_into(const naming *n, size_t node) {
  uint32_t scope = n->scopes->of_node[node];
  return scope == ETR_NONE ? ETR_NONE : n->folded[scope];
}

/* The box that a node is drawn in. */
static uint32_t box_of(const naming *n, size_t node) {
  uint32_t folded = folded_into(n, node);
  return folded == ETR_NONE ? n->scopes->of_node[node] : n->scopes->list[folded].parent;
}

/* What an operator is called; a delegate's call in the program by its instruction and its backend. */
static etr_slice operator_label(const naming *n, size_t node) {
  static const char call[] = "delegate.";
  const char *target = n->graph->nodes[node].target;
  if (strncmp(target, call, sizeof call - 1) != 0 || !n->graph->times) return etr_label_op(target);
  const char *device = etr_label_device(n->arena, target + sizeof call - 1);
  const char *label = device ? etr_arena_format(n->arena, "%d_%s_delegate", (int)n->graph->times[node].delegate_instruction, device) : NULL;
  return label ? etr_slice_of(label) : etr_label_op(target);
}

/* Writes what a node is called in its box. True if it is the name of a box that it stands for. */
static bool put_leaf(const naming *n, size_t node, char *to) {
  uint32_t folded = folded_into(n, node);
  const etr_node *from = &n->graph->nodes[node];
  size_t size = 0;
  if (folded != ETR_NONE) {
    size = etr_tb_clean_name(to, etr_slice_of(n->scopes->list[folded].label));
    if (to[strspn(to, "0123456789")] != '\0') return true;
    size = ETR_MIN(size, (size_t)MAX_NUMBER); /* a list's member: "0" alone says nothing, so "0_convolution" */
    to[size++] = '_';
  }
  char name[ETR_TB_NAME_ROOM];
  size_t name_size = etr_tb_clean_name(name, from->kind == ETR_NODE_OP ? operator_label(n, node) : etr_slice_of(from->name));
  name_size = ETR_MIN(name_size, ETR_TB_NAME_ROOM - 1 - size);
  memcpy(to + size, name, name_size);
  to[size + name_size] = '\0';
  return false;
}

/* The series of a leaf: the page stacks by "no digits, then a number". ETR_NONE if it would not be stacked, or when out of memory. */
static uint32_t series_of(naming *n, size_t node, const char *text) {
  size_t stem = strcspn(text, "0123456789");
  if (text[stem] == '\0' || text[stem + strspn(text + stem, "0123456789")] != '\0') return ETR_NONE;
  etr_slice key = etr_key_of(n->arena, box_of(n, node), (etr_slice){text, stem});
  etr_map_slot *slot = key.size ? etr_map_at(&n->series, key) : NULL;
  if (slot && slot->value == ETR_NONE && etr_vec_push(n->arena, &n->series_sizes)) slot->value = (uint32_t)n->series_sizes.count - 1;
  return slot ? slot->value : ETR_NONE;
}

static void find_leaves(naming *n) {
  char text[ETR_TB_NAME_ROOM];
  for (size_t i = 0; i < n->graph->node_count && !etr_arena_failed(n->arena); i++) {
    if (n->graph->nodes[i].kind >= ETR_NODE_PARAMETER) continue;
    node_leaf *l = &n->leaves[i];
    l->is_box = put_leaf(n, i, text);
    l->series = series_of(n, i, text);
    if (l->series != ETR_NONE) n->series_sizes.data[l->series]++;
    size_t size = strlen(text) + 1;
    l->text = etr_arena_alloc_raw(n->arena, size + 1);
    if (l->text) memcpy(l->text, text, size);
  }
}

static const char *name_node(naming *n, size_t node) {
  const node_leaf *l = &n->leaves[node];
  bool stacked = l->series != ETR_NONE && n->series_sizes.data[l->series] >= STACKED_FROM;
  if (l->is_box && !stacked) return n->box_paths[folded_into(n, node)]; /* the box took this name already */
  if (stacked) memcpy(l->text + strlen(l->text), "_", sizeof "_");
  return take(n, box_path(n, box_of(n, node)), l->text);
}

/* ---- Weights ---- */

static void find_users(naming *n) {
  for (size_t i = 0; i < n->graph->node_count; i++) n->first_user[i] = ETR_NONE;
  for (size_t i = 0; i < n->graph->node_count; i++) {
    const etr_node *node = &n->graph->nodes[i];
    for (size_t k = 0; k < node->input_count; k++)
      if (n->first_user[node->inputs[k].node] == ETR_NONE) n->first_user[node->inputs[k].node] = (uint32_t)i;
  }
}

static const char *name_weight(naming *n, size_t node) {
  char leaf[ETR_TB_NAME_ROOM];
  const char *name = n->graph->nodes[node].weight_name ? n->graph->nodes[node].weight_name : n->graph->nodes[node].name;
  uint32_t user = n->first_user[node];
  const char *last = strrchr(name, '.');
  (void)etr_tb_clean_name(leaf, etr_slice_of(user != ETR_NONE && last ? last + 1 : name));
  return take(n, user == ETR_NONE ? "" : n->names[user], leaf);
}

const char **etr_tb_names(etr_arena *arena, const etr_graph *graph, const etr_scopes *scopes) {
  naming n = {.arena = arena, .graph = graph, .scopes = scopes, .wanted = {.arena = arena}};
  etr_map_init(&n.taken, arena);
  etr_map_init(&n.series, arena);
  n.box_paths = etr_arena_alloc_array(arena, scopes->count, sizeof *n.box_paths);
  n.folded = etr_arena_alloc_array(arena, scopes->count, sizeof *n.folded);
  n.first_user = etr_arena_alloc_array(arena, graph->node_count, sizeof *n.first_user);
  n.leaves = etr_arena_alloc_array(arena, graph->node_count, sizeof *n.leaves);
  n.names = etr_arena_alloc_array(arena, graph->node_count, sizeof *n.names);
  if (etr_arena_failed(arena)) return NULL;
  name_boxes(&n);
  fold_boxes(&n);
  if (etr_arena_failed(arena)) return NULL;
  find_leaves(&n);
  find_users(&n);
  if (etr_arena_failed(arena)) return NULL;
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind < ETR_NODE_PARAMETER) n.names[i] = name_node(&n, i);
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind >= ETR_NODE_PARAMETER) n.names[i] = name_weight(&n, i);
  return etr_arena_failed(arena) ? NULL : n.names;
}
