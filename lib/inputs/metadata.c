/* SPDX-License-Identifier: BSD-3-Clause
 *
 * metadata.c - stack traces, module stacks and ancestors of a node.
 */

#include "inputs/metadata.h"

#include "base/system.h"
#include "formats/element.h"
#include "formats/json.h"

#include <stdio.h>

/* ---- nn_module_stack ---- */

bool etr_module_tree_init(etr_module_tree *tree, etr_arena *arena) {
  *tree = (etr_module_tree){0};
  etr_map_init(&tree->by_child, arena);
  etr_module *root = etr_vec_push(arena, &tree->list);
  if (root)
    *root = (etr_module){
        .path = "",
        .recorded = "",
        .type = "",
        .parent = ETR_NONE,
    };
  return root != NULL;
}

/* Returns the index of the last such character in a text; the size of the text if there is none. */
static size_t find_last(etr_slice text, char wanted) {
  const char *at = etr_find_last(text.data, text.size, wanted);
  return at ? (size_t)(at - text.data) : text.size;
}

/* Turns a Python expression, as torch 2.6 writes in place of a module's path, into the path: after
 * "L['self']", ".blocks['a'].inners[0]" becomes blocks.a.inners.0. Returns NULL when out of memory.
 */
static const char *path_of_expression(etr_map *strings, etr_slice expression) {
  char *path = etr_arena_alloc(strings->arena, expression.size + 1);
  size_t size = 0;
  bool is_index = false;
  for (size_t i = 0; path && i < expression.size; i++) {
    char c = expression.data[i];
    is_index = c == '[' || (is_index && c != ']');
    if (c == ']' || (is_index && c == '\''))
      continue;
    if (c == '[')
      c = '.';
    if (size > 0 || c != '.')
      path[size++] = c;
  }
  return path ? etr_intern(strings, (etr_slice){path, size}) : NULL;
}

/* Returns the path of a module, such as "blocks.0", from what an nn_module_stack has for it.
 * Torch's placeholder for nodes that are in no module gives "". Returns NULL when out of memory. */
static const char *readable_module_path(etr_map *strings, etr_slice path) {
  if (etr_slice_is(path, "_empty_nn_module_stack_from_metadata_hook"))
    return "";
  size_t self_end = path.size;
  if (path.size > 3 && etr_slice_starts(path, ETR_SLICE("L['")))
    self_end = etr_slice_find(path, ']');
  if (self_end == path.size)
    return etr_intern(strings, path);
  return path_of_expression(strings, etr_slice_after(path, self_end + 1));
}

/* Returns the index of the module that "PATH,TYPE" names inside a parent, which is added if it is
 * new; 0, the root, when out of memory. A comma without a type is ignored. */
static uint32_t find_or_add_child_module(etr_module_tree *tree, etr_map *strings, uint32_t parent,
                                         etr_slice path_and_type) {
  size_t comma = find_last(path_and_type, ',');
  etr_slice path = etr_slice_before(path_and_type, comma);
  etr_slice type = etr_slice_after(path_and_type, comma + 1);
  const struct {
    const char *text;
    uint64_t parent;
  } key = {etr_intern(strings, type.size ? path_and_type : path), parent};
  ETR_NO_PADDING(key, sizeof(char *) + sizeof(uint64_t));
  etr_map_slot *slot = key.text ? etr_map_at(&tree->by_child, ETR_BYTES(key)) : NULL;
  if (!slot)
    return 0;
  if (slot->value != ETR_NONE)
    return slot->value;
  etr_module *module = etr_vec_push(strings->arena, &tree->list);
  if (!module)
    return 0;
  *module = (etr_module){
      .path = readable_module_path(strings, path),
      .recorded = etr_intern(strings, path),
      .type = etr_intern(strings, type),
      .parent = parent,
  };
  slot->value = (uint32_t)(tree->list.count - 1);
  return slot->value;
}

uint32_t etr_module_tree_add_child(etr_module_tree *tree, etr_map *strings, uint32_t parent,
                                   const etr_module *module) {
  const char *text = etr_arena_format(strings->arena, "%s,%s", etr_or_empty(module->recorded),
                                      etr_or_empty(module->type));
  return text ? find_or_add_child_module(tree, strings, parent, etr_slice_of(text)) : 0;
}

/* A level with an empty path is the model itself: it only gives the root its type. */
uint32_t etr_module_tree_add(etr_module_tree *tree, etr_map *strings, etr_slice stack) {
  uint32_t module = 0;
  for (etr_slice rest = stack; rest.size > 0;) {
    etr_slice level = etr_slice_before(rest, etr_slice_find(rest, ';'));
    rest = etr_slice_after(rest, level.size + 1);
    etr_slice path_and_type = etr_slice_after(level, etr_slice_find(level, ',') + 1);
    size_t comma = find_last(path_and_type, ',');
    if (comma > 0)
      module = find_or_add_child_module(tree, strings, module, path_and_type);
    else if (module == 0 && tree->list.data[0].type[0] == '\0')
      tree->list.data[0].type = etr_intern(strings, etr_slice_after(path_and_type, comma + 1));
  }
  return module;
}

/* ---- from_node ---- */

/* Returns the position of a text inside another, or the size of that if it is not there. */
static size_t find_text(etr_slice text, etr_slice wanted) {
  const char *at = etr_find_bytes(text.data, text.size, wanted.data, wanted.size);
  return at ? (size_t)(at - text.data) : text.size;
}

static bool contains_text(etr_slice text, etr_slice wanted) {
  return find_text(text, wanted) < text.size;
}

/* Reads a from_node list, nested towards the oldest ancestor, and returns the name of the ancestor
 * that is a node of this graph; NULL if there is none. The name precedes the graph id in each
 * object, as torch writes it. The JSON reader's limit of depth bounds the recursion. */
static const char *find_ancestor(etr_json *json, etr_map *strings, int64_t graph_id) {
  const char *found = NULL;
  etr_json_array(json);
  while (!found && etr_json_element(json)) {
    const char *name = NULL;
    etr_slice key;
    etr_json_object(json);
    while (!found && etr_json_key(json, &key)) {
      if (etr_slice_is(key, "name") && etr_json_peek(json) == ETR_JSON_STRING)
        name = etr_intern(strings, etr_json_string(json));
      else if (etr_slice_is(key, "graph_id") && etr_json_peek(json) == ETR_JSON_NUMBER)
        found = etr_json_int(json) == graph_id ? name : NULL;
      else if (etr_slice_is(key, "from_node") && etr_json_peek(json) == ETR_JSON_ARRAY)
        found = find_ancestor(json, strings, graph_id);
      else
        etr_json_skip(json);
    }
  }
  return found;
}

/* Returns NULL also when out of memory. */
const char *etr_ancestor_in_graph(etr_map *strings, etr_slice from_node, int64_t graph_id) {
  etr_json *json = etr_json_open_memory(from_node, NULL);
  if (!json)
    return NULL;
  const char *found = find_ancestor(json, strings, graph_id);
  etr_json_close(json);
  return found;
}

/* Reads a from_node list and returns the name of the oldest ancestor, the one nested most deeply in
 * its first element; NULL if the list has no names. */
static const char *find_oldest_ancestor(etr_json *json, etr_map *strings) {
  const char *oldest = NULL;
  etr_json_array(json);
  while (etr_json_element(json)) {
    const char *name = NULL, *older = NULL;
    etr_slice key;
    etr_json_object(json);
    while (etr_json_key(json, &key)) {
      if (etr_slice_is(key, "name") && etr_json_peek(json) == ETR_JSON_STRING)
        name = etr_intern(strings, etr_json_string(json));
      else if (etr_slice_is(key, "from_node") && etr_json_peek(json) == ETR_JSON_ARRAY)
        older = find_oldest_ancestor(json, strings);
      else
        etr_json_skip(json);
    }
    if (!oldest)
      oldest = older ? older : name;
  }
  return oldest;
}

/* Returns NULL also when out of memory. */
const char *etr_oldest_ancestor(etr_map *strings, etr_slice from_node) {
  etr_json *json = etr_json_open_memory(from_node, NULL);
  if (!json)
    return NULL;
  const char *oldest = find_oldest_ancestor(json, strings);
  etr_json_close(json);
  return oldest;
}

typedef struct region_search {
  etr_json *json;
  etr_map *strings;
  int64_t graph_id;
  etr_region_ancestor candidate; /* right before the innermost wrapper; no name: none so far */
  bool is_found;                 /* the wrapper, or what it comes from, is in the graph */
} region_search;

/* Reads a from_node list until the candidate is found. `later` is the node that comes from the
 * nodes of the list. Name and target precede the rest of each object, as torch writes it. The JSON
 * reader's limit of depth bounds the recursion. */
static void search_region(region_search *s, etr_region_ancestor later) {
  const etr_region_ancestor before = s->candidate;
  etr_json_array(s->json);
  while (!s->is_found && etr_json_element(s->json)) {
    etr_region_ancestor here = {0};
    etr_slice key;
    s->candidate = before;
    etr_json_object(s->json);
    while (!s->is_found && etr_json_key(s->json, &key)) {
      etr_json_type type = etr_json_peek(s->json);
      if (etr_slice_is(key, "name") && type == ETR_JSON_STRING)
        here.name = etr_intern(s->strings, etr_json_string(s->json));
      else if (etr_slice_is(key, "target") && type == ETR_JSON_STRING) {
        here.target = etr_intern(s->strings, etr_json_string(s->json));
        bool is_wrapper = here.target &&
                          etr_slice_starts(etr_slice_of(here.target), ETR_SLICE(ETR_REGION_TARGET));
        if (is_wrapper && !s->candidate.name)
          s->candidate = later;
      } else if (etr_slice_is(key, "graph_id") && type == ETR_JSON_NUMBER)
        s->is_found = etr_json_int(s->json) == s->graph_id && s->candidate.name;
      else if (etr_slice_is(key, "from_node") && type == ETR_JSON_ARRAY)
        search_region(s, here);
      else
        etr_json_skip(s->json);
    }
  }
}

/* Returns no ancestor also when out of memory. */
etr_region_ancestor etr_ancestor_in_region(etr_map *strings, etr_slice from_node,
                                           int64_t graph_id) {
  region_search search = {
      .json = etr_json_open_memory(from_node, NULL),
      .strings = strings,
      .graph_id = graph_id,
  };
  if (search.json)
    search_region(&search, (etr_region_ancestor){0});
  etr_json_close(search.json);
  return search.is_found ? search.candidate : (etr_region_ancestor){0};
}

bool etr_may_be_in_region(etr_slice from_node) {
  return contains_text(from_node, ETR_SLICE(ETR_REGION_TARGET));
}

static const char graph_id_key[] = "\\\"graph_id\\\": ";

const char *etr_escaped_graph_id(etr_arena *arena, int64_t graph_id) {
  return etr_arena_format(arena, "%s%lld,", graph_id_key, (long long)graph_id);
}

/* Searches for the graph's id in the text, and takes the name with which its object starts. Sets
 * *name to NULL if the id is nowhere in the text. Returns false where torch would write it
 * otherwise: the digits of the id without the key "graph_id" before them, no name at the start of
 * the object, or escapes in the name. */
bool etr_ancestor_in_escaped(const char **name, etr_map *strings, etr_slice escaped,
                             const char *escaped_graph_id) {
  static const char object_start[] = "{\\\"name\\\": \\\"";
  etr_slice key = etr_slice_of(escaped_graph_id);
  size_t id_position = find_text(escaped, key);
  *name = NULL;
  if (id_position == escaped.size)
    return !contains_text(
        escaped, (etr_slice){key.data + sizeof graph_id_key - 1, key.size - sizeof graph_id_key});
  size_t brace = find_last(etr_slice_before(escaped, id_position), '{');
  etr_slice object = etr_slice_after(etr_slice_before(escaped, id_position), brace);
  if (!etr_slice_starts(object, ETR_SLICE(object_start)))
    return false;
  etr_slice rest = etr_slice_after(object, sizeof object_start - 1);
  etr_slice found = etr_slice_before(rest, etr_slice_find(rest, '\\'));
  if (!etr_slice_starts(etr_slice_after(rest, found.size), ETR_SLICE("\\\",")))
    return false; /* the name itself has escapes */
  *name = etr_intern(strings, found);
  return true;
}

/* ---- Types and sizes of tensors ---- */

/* An expression is {as_expr: {expr_str: SYMBOL, hint: {as_int: SIZE}}}; its size becomes the hint.
 * An expression without a text has the symbol "?". Old files write the unused member of a union as
 * null. */
void etr_dim_read(etr_dim *dim, etr_map *strings, etr_json *json) {
  etr_slice key;
  if (etr_json_peek(json) == ETR_JSON_NUMBER) {
    dim->size = etr_json_int(json);
    return;
  }
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (etr_json_null(json))
      continue;
    if (etr_slice_is(key, "as_int")) {
      int64_t size = etr_json_int(json);
      *(dim->symbol ? &dim->hint : &dim->size) = size;
    } else if (etr_slice_is(key, "as_expr") || etr_slice_is(key, "hint")) {
      if (!dim->symbol)
        dim->symbol = "?";
      if (etr_json_peek(json) == ETR_JSON_OBJECT)
        etr_dim_read(dim, strings, json);
      else
        etr_json_skip(json);
    } else if (etr_slice_is(key, "expr_str")) {
      dim->symbol = etr_intern(strings, etr_json_string(json));
      dim->size = ETR_DIM_SYMBOLIC;
    } else
      etr_json_skip(json);
  }
}

/* Reads the list of a tensor's sizes into dims and rank of *meta. The rank stays unknown (-1) when
 * out of memory. */
static void read_sizes(const etr_tensor_metas *metas, etr_value *meta, etr_json *json) {
  etr_vec(etr_dim) dims = {0};
  etr_json_array(json);
  while (etr_json_element(json)) {
    etr_dim *dim = etr_vec_push(metas->scratch, &dims);
    if (!dim)
      return;
    *dim = (etr_dim){.size = ETR_DIM_SYMBOLIC, .hint = -1};
    etr_dim_read(dim, metas->strings, json);
  }
  etr_dim *sizes_copy = etr_arena_alloc_array(metas->strings->arena, dims.count,
                                              sizeof *sizes_copy);
  if (!sizes_copy || dims.count > INT32_MAX)
    return;
  if (dims.count)
    memcpy(sizes_copy, dims.data, dims.count * sizeof *sizes_copy);
  meta->dims = sizes_copy;
  meta->rank = (int32_t)dims.count;
}

/* Reads number type and sizes of a tensor's metadata into *meta. Once both are read, the rest of
 * the object is skipped unread: strides, device and so on are half of the text and not needed. */
static void read_tensor_meta(const etr_tensor_metas *metas, etr_value *meta, etr_json *json) {
  etr_slice key;
  bool has_dtype = false;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    if (has_dtype && meta->rank >= 0) {
      etr_json_skip(json);
      etr_json_leave(json);
      return;
    }
    if (etr_json_null(json))
      continue;
    if (etr_slice_is(key, "dtype")) {
      meta->dtype = etr_export_scalar_type_name(etr_json_int(json));
      has_dtype = true;
    } else if (etr_slice_is(key, "sizes"))
      read_sizes(metas, meta, json);
    else if (etr_slice_is(key, "meta"))
      read_tensor_meta(metas, meta, json); /* 2023: one level more */
    else
      etr_json_skip(json);
  }
}

void etr_tensor_metas_init(etr_tensor_metas *metas, etr_map *strings, etr_arena *scratch) {
  *metas = (etr_tensor_metas){.strings = strings, .scratch = scratch};
  etr_text_cache_init(&metas->known, scratch);
}

/* Tensors of one type and shape have the same text, so each text is parsed only once. */
void etr_tensor_metas_read(etr_tensor_metas *metas, etr_value *meta, etr_json *json) {
  bool is_known;
  const char *name = meta->name;
  uint32_t cache_index = etr_text_cache_next(&metas->known, json, &is_known);
  if (is_known) {
    *meta = metas->values.data[cache_index];
    meta->name = name;
    return;
  }
  read_tensor_meta(metas, meta, json);
  etr_value *slot = cache_index == ETR_NONE ? NULL : etr_vec_push(metas->scratch, &metas->values);
  if (slot)
    *slot = *meta;
}
