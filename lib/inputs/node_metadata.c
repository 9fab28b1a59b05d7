/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_metadata.c - from the members of a node's metadata to what they mean.
 */
#include "inputs/node_metadata.h"

bool etr_node_metadata_init(etr_node_metadata *m, etr_map *strings, etr_arena *scratch, int64_t graph_id) {
  *m = (etr_node_metadata){.strings = strings,
                           .scratch = scratch,
                           .graph_id = graph_id,
                           .escaped_graph_id = etr_escaped_graph_id(scratch, graph_id)};
  etr_map_init(&m->traces, scratch);
  etr_map_init(&m->stacks, scratch);
  return m->escaped_graph_id && etr_module_tree_init(&m->modules, strings->arena);
}

static const etr_source *read_trace(etr_node_metadata *m, etr_json *json) {
  bool known;
  uint32_t number = etr_memo_next(&m->traces, json, &known);
  if (known) return m->sources.data[number];
  const etr_source *source = etr_source_of_trace(m->strings->arena, m->strings, etr_json_string(json));
  const etr_source **slot = number == ETR_NONE ? NULL : etr_vec_push(m->scratch, &m->sources);
  if (slot) *slot = source;
  return source;
}

static uint32_t read_module(etr_node_metadata *m, etr_json *json) {
  bool known;
  uint32_t number = etr_memo_next(&m->stacks, json, &known);
  if (known) return m->innermost.data[number];
  uint32_t module = etr_module_tree_add(&m->modules, m->strings, etr_json_string(json));
  uint32_t *slot = number == ETR_NONE ? NULL : etr_vec_push(m->scratch, &m->innermost);
  if (slot) *slot = module;
  return module;
}

/* "12", or "[12, 13]" as some passes leave it: the first counts. */
static uint32_t parse_handle(etr_slice text) {
  if (text.size && text.data[0] == '[') text = (etr_slice){text.data + 1, text.size - 1};
  size_t digits = 0;
  while (digits < text.size && text.data[digits] >= '0' && text.data[digits] <= '9') digits++;
  int64_t handle = 0;
  bool is_number = etr_slice_to_int((etr_slice){text.data, digits}, &handle);
  return is_number && handle < UINT32_MAX ? (uint32_t)handle : 0;
}

static const char *read_ancestor(etr_node_metadata *m, bool in_body, etr_json *json) {
  const char *name;
  etr_slice escaped;
  if (in_body) return etr_oldest_ancestor(m->strings, etr_json_string(json));
  if (etr_json_peek_raw(json, &escaped) && etr_ancestor_in_escaped(&name, m->strings, escaped, m->escaped_graph_id)) {
    etr_json_skip(json);
    return name;
  }
  return etr_ancestor_in_graph(m->strings, etr_json_string(json), m->graph_id);
}

void etr_node_metadata_read(etr_node_metadata *m, etr_node *node, bool in_body, etr_json *json) {
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    bool trace = etr_slice_is(key, "stack_trace"), stack = etr_slice_is(key, "nn_module_stack"),
         handle = etr_slice_is(key, "debug_handle"), ancestors = m->graph_id && etr_slice_is(key, "from_node");
    bool is_text = (trace || stack || handle || ancestors) && etr_json_peek(json) == ETR_JSON_STRING;
    if (!is_text)
      etr_json_skip(json);
    else if (trace)
      node->source = read_trace(m, json);
    else if (stack)
      node->module = read_module(m, json);
    else if (handle)
      node->debug_handle = parse_handle(etr_json_string(json));
    else
      node->aten_node = read_ancestor(m, in_body, json);
  }
}
