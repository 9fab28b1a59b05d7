/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_names.c - names of nodes for TensorBoard's graph tab.
 */
#include "tb_names.h"

#include "label.h"
#include "tb_text.h"

enum {
  STACKED_FROM = 5, /* siblings called x1, x2, ... that the page draws as one */
  MAX_NUMBER = 20,  /* digits of a list's member */
};

typedef struct naming {
  etr_arena *arena;
  const etr_graph *graph;
  const etr_scopes *scopes;
  const char **box_paths; /* of each scope */
  uint32_t *folded;       /* of each scope: the outermost one that its only operator stands for; ETR_NONE */
  uint32_t *first_user;   /* of each weight; ETR_NONE */
  etr_map taken;          /* names of boxes and nodes; value: the last number given to others that wanted it */
  etr_map series;         /* box and leaf without its number: how many siblings are called so */
  const char **names;
} naming;

/* ---- Unique names ---- */

static const char *join(etr_arena *arena, const char *path, const char *leaf) {
  size_t size = strlen(path), leaf_size = strlen(leaf);
  char *name = etr_arena_alloc(arena, size + leaf_size + 2);
  if (!name) return "";
  memcpy(name, path, size);
  if (size > 0) name[size++] = '/';
  memcpy(name + size, leaf, leaf_size + 1);
  return name;
}

/* path/leaf, or path/leaf_1_ and so on: the '_' at the end keeps the page from stacking them. */
static const char *take(naming *n, const char *path, const char *leaf) {
  const char *wanted = join(n->arena, path, leaf), *name = wanted;
  while (etr_map_get(&n->taken, etr_slice_of(name)) != ETR_NONE && !etr_arena_failed(n->arena)) {
    uint32_t number = etr_map_get(&n->taken, etr_slice_of(wanted)) + 1;
    etr_map_set(&n->taken, etr_slice_of(wanted), number);
    name = etr_arena_format(n->arena, "%s_%u_", wanted, (unsigned)number);
    if (!name) return "";
  }
  etr_map_set(&n->taken, etr_slice_of(name), 0);
  return name;
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

/* What a node is called in its box, before it is made unique. True if it is the name of a box that it stands for. */
static bool leaf_of(const naming *n, size_t node, char *leaf) {
  uint32_t folded = folded_into(n, node);
  const etr_node *from = &n->graph->nodes[node];
  size_t size = 0;
  if (folded != ETR_NONE) {
    size = etr_tb_clean_name(leaf, etr_slice_of(n->scopes->list[folded].label));
    if (leaf[strspn(leaf, "0123456789")] != '\0') return true;
    size = ETR_MIN(size, (size_t)MAX_NUMBER); /* a list's member: "0" alone says nothing, so "0_convolution" */
    leaf[size++] = '_';
  }
  char name[ETR_TB_NAME_ROOM];
  size_t name_size = etr_tb_clean_name(name, from->kind == ETR_NODE_OP ? operator_label(n, node) : etr_slice_of(from->name));
  name_size = ETR_MIN(name_size, ETR_TB_NAME_ROOM - 1 - size);
  memcpy(leaf + size, name, name_size);
  leaf[size + name_size] = '\0';
  return false;
}

/* Counter of the siblings that a leaf would be stacked with; empty if it would not: the page stacks by "no digits, then a number". */
static etr_slice series_key(const naming *n, size_t node, const char *leaf) {
  size_t stem = strcspn(leaf, "0123456789");
  if (leaf[stem] == '\0' || leaf[stem + strspn(leaf + stem, "0123456789")] != '\0') return (etr_slice){0};
  return etr_key_of(n->arena, box_of(n, node), (etr_slice){leaf, stem});
}

static void count_series(naming *n) {
  char leaf[ETR_TB_NAME_ROOM];
  for (size_t i = 0; i < n->graph->node_count; i++) {
    if (n->graph->nodes[i].kind >= ETR_NODE_PARAMETER) continue;
    (void)leaf_of(n, i, leaf);
    etr_slice key = series_key(n, i, leaf);
    if (!key.size) continue;
    uint32_t before = etr_map_get(&n->series, key);
    etr_map_set(&n->series, key, before == ETR_NONE ? 1 : before + 1);
  }
}

static const char *name_node(naming *n, size_t node) {
  char leaf[ETR_TB_NAME_ROOM + 1];
  bool is_box = leaf_of(n, node, leaf);
  etr_slice key = series_key(n, node, leaf);
  bool stacked = key.size && etr_map_get(&n->series, key) >= STACKED_FROM;
  if (is_box && !stacked) return n->box_paths[folded_into(n, node)]; /* the box took this name already */
  if (stacked) memcpy(leaf + strlen(leaf), "_", sizeof "_");
  return take(n, box_path(n, box_of(n, node)), leaf);
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
  naming n = {.arena = arena, .graph = graph, .scopes = scopes};
  etr_map_init(&n.taken, arena);
  etr_map_init(&n.series, arena);
  n.box_paths = etr_arena_alloc_array(arena, scopes->count, sizeof *n.box_paths);
  n.folded = etr_arena_alloc_array(arena, scopes->count, sizeof *n.folded);
  n.first_user = etr_arena_alloc_array(arena, graph->node_count, sizeof *n.first_user);
  n.names = etr_arena_alloc_array(arena, graph->node_count, sizeof *n.names);
  if (etr_arena_failed(arena)) return NULL;
  name_boxes(&n);
  fold_boxes(&n);
  if (etr_arena_failed(arena)) return NULL;
  count_series(&n);
  find_users(&n);
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind < ETR_NODE_PARAMETER) n.names[i] = name_node(&n, i);
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind >= ETR_NODE_PARAMETER) n.names[i] = name_weight(&n, i);
  return etr_arena_failed(arena) ? NULL : n.names;
}
