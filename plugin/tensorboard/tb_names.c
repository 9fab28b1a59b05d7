/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_names.c - makes names of nodes, and other texts, for TensorBoard's graph tab.
 */
#include "tensorboard/tb_names.h"

#include "base/utf8.h"
#include "base/writer.h"
#include "output/label.h"

enum {
  STACKED_FROM = 5, /* so many siblings named x1, x2, ... are drawn as one by the page */
};

/* ---- Clean texts ---- */

static const char ellipsis[] = "...";

static bool is_plain(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\';
}

/* Returns what replaces the character at the start of a text, the character itself if it is plain,
 * and sets *length to the bytes that it takes there. Nothing after the end of the text is read,
 * even if it is not valid UTF-8. */
static etr_slice plain_character(const char *start, size_t left_bytes, size_t *length) {
  unsigned char first_byte = (unsigned char)*start;
  *length = 1;
  while (first_byte >= 0x80 && *length < left_bytes && etr_utf8_continues(start[*length]))
    ++*length;
  if (first_byte == '"' || first_byte == '\'')
    return ETR_SLICE("`");
  if (first_byte == '\\')
    return ETR_SLICE("/");
  if (first_byte == '\n')
    return ETR_SLICE(" | ");
  if (is_plain(*start))
    return (etr_slice){start, 1};
  if (first_byte < 0x80)
    return ETR_SLICE(" ");
  etr_slice character = {start, *length};
  if (etr_slice_is(character, "\xC2\xB5") || etr_slice_is(character, "\xCE\xBC"))
    return ETR_SLICE("u"); /* the two micro signs */
  return ETR_SLICE("?");
}

static bool has(etr_slice text, char c) {
  return memchr(text.data, c, text.size) != NULL;
}

/* Returns true if a text needs no replacement, as most do not. The loop always reads the whole
 * text, so that the compiler can test many characters at once. */
static bool is_all_plain(etr_slice text) {
  unsigned char others = 0;
  for (size_t i = 0; i < text.size; i++)
    others |= (unsigned char)((text.data[i] < ' ') | (text.data[i] > '~'));
  return !others && !has(text, '"') && !has(text, '\'') && !has(text, '\\');
}

etr_slice etr_tb_clean_text(char *room, etr_slice text) {
  const size_t most = ETR_TB_TEXT_ROOM - sizeof ellipsis;
  size_t size = 0;
  if (text.size <= most && is_all_plain(text))
    return text;
  for (size_t at = 0, length; at < text.size; at += length) {
    etr_slice clean = plain_character(text.data + at, text.size - at, &length);
    if (clean.size > most - size) {
      memcpy(room + size, ellipsis, sizeof ellipsis);
      return (etr_slice){room, size + sizeof ellipsis - 1};
    }
    memcpy(room + size, clean.data, clean.size);
    size += clean.size;
  }
  room[size] = '\0';
  return (etr_slice){room, size};
}

/* Returns true for letters, digits, and _ - . , ( ) [ ]. The page finds the colors of a box by a
 * CSS selector that it makes from the name, and escapes only some of the characters with a meaning
 * there. The tables have a bit for each ASCII character. */
static bool is_name_character(char c) {
  static const uint64_t allowed[] = {0x03FF730000000000, 0x07FFFFFEAFFFFFFE};
  unsigned char byte = (unsigned char)c;
  return byte < 0x80 && (allowed[byte / 64] >> byte % 64 & 1);
}

size_t etr_tb_clean_name(char *to, etr_slice text) {
  static const char library[] = "__function_library__"; /* a prefix with a meaning to the page */
  size_t size = 0;
  for (size_t i = 0; i < text.size && size < ETR_TB_NAME_ROOM - 1; i++)
    if (i == 0 || !etr_utf8_continues(text.data[i]))
      to[size++] = is_name_character(text.data[i]) ? text.data[i] : '_';
  if (size == 0)
    to[size++] = '_';
  to[size] = '\0';
  if (strncmp(to, library, sizeof library - 1) == 0)
    to[0] = '-';
  return size;
}

size_t etr_tb_clean_op(char *to, etr_slice text) {
  static const char summary[] = "Summary";
  size_t size = etr_tb_clean_name(to, text), end = sizeof summary - 1;
  for (char *c; (c = strstr(to, "Const")) != NULL;)
    *c = 'c';
  if (size >= end && strcmp(to + size - end, summary) == 0)
    to[size - end] = 's';
  if (strcmp(to, "NoOp") == 0)
    to[0] = 'n';
  return size;
}

/* ---- Names ---- */

/* The name of a node in its box, before it is made unique. */
typedef struct node_leaf {
  char *text;      /* with room for one more byte */
  uint32_t series; /* index into series_sizes: the siblings that the page would stack it with;
                      ETR_NONE: its name does not end in a number, so it is not stacked */
  bool is_box;     /* the name is that of a box that the node replaces */
} node_leaf;

typedef struct naming {
  etr_arena *arena;
  const etr_graph *graph;
  const etr_scopes *scopes;
  const char **box_names; /* per scope: its part of the paths */
  const char **box_paths; /* per scope */
  uint32_t
      *replaced_box; /* per scope: the outermost scope that its only operator replaces; ETR_NONE */
  uint32_t *first_user; /* per weight: the first node that uses it; ETR_NONE */
  node_leaf *leaves;    /* per node that is not a weight */
  etr_map taken;  /* names of boxes and nodes -> the last number that was appended to the name */
  etr_map series; /* box and leaf without its number -> index into series_sizes */
  etr_vec(uint32_t) series_sizes;
  etr_text candidate; /* a name being looked for */
  const char **names;
} naming;

/* ---- Unique names ---- */

static etr_slice candidate_name(const naming *n) {
  return (etr_slice){n->candidate.data, n->candidate.size};
}

/* Returns the candidate name with the next free number after `number`, "name_1_" and so on, and
 * marks it as taken. The number is kept with the name, so that the next search begins behind it.
 * The '_' at the end keeps the page from stacking the nodes. Returns "" when out of memory. */
static const char *reserve_numbered_name(naming *n, uint32_t number) {
  const size_t base = n->candidate.size;
  etr_map_slot *slot;
  do {
    char digits[ETR_UINT_ROOM];
    n->candidate.size = base;
    etr_text_add(&n->candidate, ETR_SLICE("_"));
    etr_text_add(&n->candidate, (etr_slice){digits, etr_format_uint(digits, ++number)});
    slot = etr_text_add(&n->candidate, ETR_SLICE("_")) ? etr_map_at(&n->taken, candidate_name(n))
                                                       : NULL;
  } while (slot && slot->value != ETR_NONE);
  if (!slot)
    return "";
  const char *name = slot->key;
  slot->value = 0;
  etr_map_set(&n->taken, (etr_slice){n->candidate.data, base}, number);
  return name;
}

/* Returns the name path/leaf, or leaf if the path is empty, with a number if it is taken, and marks
 * it as taken. Returns "" when out of memory. n->taken has for each name the last number that was
 * appended to it, 0 at first. */
static const char *reserve_name(naming *n, const char *path, const char *leaf) {
  n->candidate.size = 0;
  etr_text_add(&n->candidate, etr_slice_of(path));
  if (path[0])
    etr_text_add(&n->candidate, ETR_SLICE("/"));
  etr_map_slot *slot = etr_text_add(&n->candidate, etr_slice_of(leaf))
                           ? etr_map_at(&n->taken, candidate_name(n))
                           : NULL;
  if (!slot)
    return "";
  if (slot->value != ETR_NONE)
    return reserve_numbered_name(n, slot->value);
  slot->value = 0;
  return slot->key;
}

/* ---- Boxes ---- */

static const char *box_path(const naming *n, uint32_t scope) {
  return scope == ETR_NONE ? "" : n->box_paths[scope];
}

/* Names each box of the drawing, a module or a layer. The page searches paths, so the label alone
 * is enough if the labels of the boxes down to it form its module's path. Other boxes are named
 * "label-path", of which the page shows the beginning and finds the end. box_names has these names,
 * and box_paths the whole paths. */
static void name_boxes(naming *n) {
  for (size_t i = 0; i < n->scopes->count; i++) {
    const etr_scope *scope = &n->scopes->list[i];
    const etr_scope *enclosing = scope->parent == ETR_NONE ? NULL : &n->scopes->list[scope->parent];
    const char *path = etr_scope_name(scope, n->graph);
    const char *name = scope->label;
    char encoded_name[ETR_TB_NAME_ROOM];
    bool reads_as_path = strcmp(scope->label, path) == 0;
    if (!reads_as_path && enclosing && enclosing->module != ETR_NONE) {
      const char *enclosing_path = etr_scope_name(enclosing, n->graph);
      size_t size = strlen(enclosing_path);
      reads_as_path = strncmp(path, enclosing_path, size) == 0 && path[size] == '.' &&
                      strcmp(path + size + 1, name) == 0;
    }
    if (!reads_as_path)
      name = etr_arena_format(n->arena, "%s-%s", scope->label, path);
    size_t size = name ? etr_tb_clean_name(encoded_name, etr_slice_of(name)) : 0;
    n->box_names[i] = name ? etr_arena_copy(n->arena, (etr_slice){encoded_name, size}) : NULL;
    if (!n->box_names[i])
      return;
    n->box_paths[i] = reserve_name(n, box_path(n, scope->parent), n->box_names[i]);
  }
}

/* Finds the boxes that are not drawn, because a single operator takes their place: a module's box
 * that holds one operator and nothing else at any depth, weights aside. In n->replaced_box each box
 * inside it, itself included, gets the outermost such box, and other boxes get ETR_NONE. */
static void find_replaced_boxes(naming *n) {
  uint32_t *node_counts = etr_arena_alloc_array(n->arena, n->scopes->count, sizeof *node_counts);
  if (!node_counts)
    return;
  for (size_t i = 0; i < n->graph->node_count; i++)
    if (n->scopes->of_node[i] != ETR_NONE && n->graph->nodes[i].kind < ETR_NODE_PARAMETER)
      node_counts[n->scopes->of_node[i]]++;
  for (size_t i = n->scopes->count; i-- > 0;)
    if (n->scopes->list[i].parent != ETR_NONE)
      node_counts[n->scopes->list[i].parent] += node_counts[i];
  for (size_t i = 0; i < n->scopes->count; i++) {
    const etr_scope *scope = &n->scopes->list[i];
    bool holds_one_operator = scope->kind == ETR_SCOPE_MODULE && scope->op_count == 1 &&
                              node_counts[i] == 1;
    uint32_t enclosing_folded = scope->parent == ETR_NONE ? ETR_NONE
                                                          : n->replaced_box[scope->parent];
    n->replaced_box[i] = enclosing_folded == ETR_NONE && holds_one_operator ? (uint32_t)i
                                                                            : enclosing_folded;
  }
}

/* ---- Nodes ---- */

static uint32_t box_replaced_by(const naming *n, size_t node) {
  uint32_t scope = n->scopes->of_node[node];
  return scope == ETR_NONE ? ETR_NONE : n->replaced_box[scope];
}

/* Returns the box that a node is drawn in. */
static uint32_t box_of(const naming *n, size_t node) {
  uint32_t replaced_box = box_replaced_by(n, node);
  return replaced_box == ETR_NONE ? n->scopes->of_node[node] : n->scopes->list[replaced_box].parent;
}

/* Returns the short label of an operator; for a delegate's call in a program, "3_XNNPACK_delegate"
 * with the instruction and the backend. */
static etr_slice operator_label(const naming *n, size_t node) {
  static const char call_prefix[] = "delegate.";
  const char *target = n->graph->nodes[node].target;
  if (strncmp(target, call_prefix, sizeof call_prefix - 1) != 0 || !n->graph->times)
    return etr_label_op(target);
  const char *device = etr_label_device(n->arena, target + sizeof call_prefix - 1);
  const char *label = device ? etr_arena_format(n->arena, "%d_%s_delegate",
                                                (int)n->graph->times[node].delegate_instruction,
                                                device)
                             : NULL;
  return label ? etr_slice_of(label) : etr_label_op(target);
}

/* A name that is made of clean parts, as far as there is room. */
typedef struct leaf_text {
  char *to; /* ETR_TB_NAME_ROOM bytes */
  size_t size;
} leaf_text;

/* Appends a separator and a cleaned part to the text of a leaf, cut to the room that is left.
 * Appends nothing if the separator does not fit. */
static void append_part(leaf_text *text, const char *separator, etr_slice part) {
  char clean[ETR_TB_NAME_ROOM];
  size_t size = etr_tb_clean_name(clean, part);
  size_t room = ETR_TB_NAME_ROOM - 1 - text->size;
  size_t separator_size = strlen(separator);
  if (separator_size > room)
    return;
  memcpy(text->to + text->size, separator, separator_size);
  size = ETR_MIN(size, room - separator_size);
  memcpy(text->to + text->size + separator_size, clean, size);
  text->size += separator_size + size;
  text->to[text->size] = '\0';
}

/* Writes the last part of a node's name. For an operator it begins with what the page shows, the
 * label or, if it replaces a module's box, the module; the node's own name follows, which people
 * search for, unless that begins with the same text. Returns true if the name is that of the box
 * that the node replaces. */
static bool write_leaf(const naming *n, size_t node, char *leaf) {
  const etr_node *graph_node = &n->graph->nodes[node];
  leaf_text text = {.to = leaf};
  uint32_t replaced_box = box_replaced_by(n, node);
  if (graph_node->kind != ETR_NODE_OP) {
    append_part(&text, "", etr_slice_of(graph_node->name));
    return false;
  }
  etr_slice label = operator_label(n, node);
  etr_slice name = etr_slice_of(graph_node->name);
  bool is_module = replaced_box != ETR_NONE;
  if (is_module) {
    const char *box = n->box_names[replaced_box];
    append_part(&text, "", etr_slice_of(box));
    if (box[strspn(box, "0123456789")] == '\0')
      append_part(&text, "_", label); /* "0", a member of a list, would say too little */
    label = etr_slice_of(leaf);
  }
  if (strncmp(graph_node->name, label.data, label.size) != 0) {
    if (!is_module)
      append_part(&text, "", label);
    append_part(&text, "-", name);
    return false;
  }
  text.size = 0;
  append_part(&text, "", name);
  return is_module && strcmp(leaf, n->box_names[replaced_box]) == 0;
}

/* Returns the number of the series of a node: the nodes of its box whose names differ only in a
 * final number. The page would stack a long series, as it does with copies. Returns ETR_NONE if the
 * text does not end in a number, or when out of memory. */
static uint32_t find_series(naming *n, size_t node, const char *text) {
  size_t stem_size = strcspn(text, "0123456789");
  const char *number = text + stem_size;
  bool ends_in_number = number[0] != '\0' && number[strspn(number, "0123456789")] == '\0';
  if (!ends_in_number)
    return ETR_NONE;
  etr_slice key = etr_key_of(n->arena, box_of(n, node), (etr_slice){text, stem_size});
  etr_map_slot *slot = key.size ? etr_map_at(&n->series, key) : NULL;
  if (slot && slot->value == ETR_NONE && etr_vec_push(n->arena, &n->series_sizes))
    slot->value = (uint32_t)n->series_sizes.count - 1;
  return slot ? slot->value : ETR_NONE;
}

/* Finds the last part of each node's name and its series, and counts the nodes of each series.
 * Names are made unique only later, since the numbers that this appends form no series. Weights are
 * left out. Each text has room for the '_' that name_node() may append. */
static void find_leaves(naming *n) {
  char text[ETR_TB_NAME_ROOM];
  for (size_t i = 0; i < n->graph->node_count && !etr_arena_failed(n->arena); i++) {
    if (n->graph->nodes[i].kind >= ETR_NODE_PARAMETER)
      continue;
    node_leaf *leaf = &n->leaves[i];
    leaf->is_box = write_leaf(n, i, text);
    leaf->series = find_series(n, i, text);
    if (leaf->series != ETR_NONE)
      n->series_sizes.data[leaf->series]++;
    size_t size = strlen(text) + 1;
    leaf->text = etr_arena_alloc_raw(n->arena, size + 1);
    if (leaf->text)
      memcpy(leaf->text, text, size);
  }
}

/* Returns the name of a node, which is that of its box if it replaces the box. A node that the page
 * would stack gets a '_' at the end, so that it is shown by itself. */
static const char *name_node(naming *n, size_t node) {
  const node_leaf *leaf = &n->leaves[node];
  bool is_stacked = leaf->series != ETR_NONE && n->series_sizes.data[leaf->series] >= STACKED_FROM;
  if (leaf->is_box && !is_stacked)
    return n->box_paths[box_replaced_by(n, node)]; /* the box already has this name */
  if (is_stacked)
    memcpy(leaf->text + strlen(leaf->text), "_", sizeof "_");
  return reserve_name(n, box_path(n, box_of(n, node)), leaf->text);
}

/* ---- Weights ---- */

/* Sets n->first_user to the first node that reads each node's value; ETR_NONE if none does. */
static void find_first_users(naming *n) {
  for (size_t i = 0; i < n->graph->node_count; i++)
    n->first_user[i] = ETR_NONE;
  for (size_t i = 0; i < n->graph->node_count; i++) {
    const etr_node *node = &n->graph->nodes[i];
    for (size_t k = 0; k < node->input_count; k++)
      if (n->first_user[node->inputs[k].node] == ETR_NONE)
        n->first_user[node->inputs[k].node] = (uint32_t)i;
  }
}

/* Returns the name of a weight: "USER/weight", so that the page shows it inside its first user, or
 * its own name at the top if it has none. */
static const char *name_weight(naming *n, size_t node) {
  char leaf[ETR_TB_NAME_ROOM];
  const char *name = n->graph->nodes[node].weight_name ? n->graph->nodes[node].weight_name
                                                       : n->graph->nodes[node].name;
  uint32_t user = n->first_user[node];
  const char *last_dot = strrchr(name, '.');
  (void)etr_tb_clean_name(leaf, etr_slice_of(user != ETR_NONE && last_dot ? last_dot + 1 : name));
  return reserve_name(n, user == ETR_NONE ? "" : n->names[user], leaf);
}

const char **etr_tb_names(etr_arena *arena, const etr_graph *graph, const etr_scopes *scopes) {
  naming n = {.arena = arena, .graph = graph, .scopes = scopes, .candidate = {.arena = arena}};
  etr_map_init(&n.taken, arena);
  etr_map_init(&n.series, arena);
  n.box_names = etr_arena_alloc_array(arena, scopes->count, sizeof *n.box_names);
  n.box_paths = etr_arena_alloc_array(arena, scopes->count, sizeof *n.box_paths);
  n.replaced_box = etr_arena_alloc_array(arena, scopes->count, sizeof *n.replaced_box);
  n.first_user = etr_arena_alloc_array(arena, graph->node_count, sizeof *n.first_user);
  n.leaves = etr_arena_alloc_array(arena, graph->node_count, sizeof *n.leaves);
  n.names = etr_arena_alloc_array(arena, graph->node_count, sizeof *n.names);
  if (etr_arena_failed(arena))
    return NULL;
  name_boxes(&n);
  find_replaced_boxes(&n);
  if (etr_arena_failed(arena))
    return NULL;
  find_leaves(&n);
  find_first_users(&n);
  if (etr_arena_failed(arena))
    return NULL;
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind < ETR_NODE_PARAMETER)
      n.names[i] = name_node(&n, i);
  for (size_t i = 0; i < graph->node_count; i++)
    if (graph->nodes[i].kind >= ETR_NODE_PARAMETER)
      n.names[i] = name_weight(&n, i);
  return etr_arena_failed(arena) ? NULL : n.names;
}
