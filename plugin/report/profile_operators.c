/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_operators.c - writes a method's graph, column by column.
 */
#include "report/profile_doc.h"
#include "tables/node_fields.h"

/* ---- Columns ---- */

/* Writes the columns of the operators; no rows when out of memory, which the document reports at
 * its end. */
static void put_operator_columns(etr_profile_doc *doc, const etr_profile_operators *ops) {
  etr_node_row *rows = etr_arena_alloc_array(&doc->arena, ops->count, sizeof *rows);
  for (size_t i = 0; rows && i < ops->count; i++) {
    etr_node_row row = etr_node_row_make(&doc->arena, doc->fields.profile, ops->graph,
                                         ops->nodes[i]);
    uint32_t fusing_node = row.known->carried_by;
    row.joined = &doc->joined;
    row.source = ops->source_of[i];
    row.carrier = fusing_node == ETR_NONE ? ETR_NONE : ops->row_of[fusing_node];
    rows[i] = row;
  }
  etr_profile_put_columns(doc, "operators", &etr_node_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(rows, rows ? ops->count : 0));
}

static const etr_field module_fields[] = {
    {"path", NULL, ETR_CELL_ITEM, ETR_IN_DOCUMENT, ETR_AT(etr_module, path), .type = "text"},
    {"type", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, ETR_AT(etr_module, type),
     .says = ETR_SAYS("class")},
    {"pattern", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, ETR_AT(etr_module, pattern),
     .says = ETR_SAYS("the path with * for numbers that only count repetitions")},
    {"parent", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(etr_module, parent)},
};
ETR_ROW_TYPE(module, module_fields);

void etr_profile_put_modules(etr_profile_doc *doc, const etr_graph *graph) {
  etr_profile_put_columns(doc, "modules", &etr_module_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(graph->modules, graph->module_count));
}

/* ---- The graph ---- */

/* Writes "bodies": for the path of each subgraph that operators are in, which body of a
 * control-flow operator it is. Most models have none. */
static void put_bodies(etr_profile_doc *doc, const etr_profile_operators *ops) {
  etr_map seen;
  etr_map_init(&seen, &doc->arena);
  etr_field_begin_object(&doc->fields, "bodies");
  for (size_t row = 0; row < ops->count; row++) {
    uint32_t subgraph = ops->graph->nodes[ops->nodes[row]].subgraph;
    const char *body = ops->compared->items[row].body;
    const char *path = subgraph == ETR_NONE ? "" : ops->graph->subgraphs[subgraph].path;
    if (body[0] == '\0' || etr_map_get(&seen, etr_slice_of(path)) != ETR_NONE)
      continue;
    etr_map_set(&seen, etr_slice_of(path), 1);
    etr_field_text(&doc->fields, path, body);
  }
  etr_jw_end(doc->fields.json);
}

/* Returns the number of a source line, and writes the line if it is new. numbers: line, function
 * and file as bytes -> number. Returns ETR_NONE when out of memory. */
static uint32_t number_source(etr_profile_doc *doc, etr_map *numbers, const etr_source *source) {
  etr_text *line_key = &doc->joined;
  line_key->size = 0;
  etr_text_add(line_key, ETR_BYTES(source->line));
  etr_text_add(line_key, (etr_slice){source->function, strlen(source->function) + 1});
  bool is_added = etr_text_add(line_key, etr_slice_of(source->file));
  etr_map_slot *slot = is_added ? etr_map_at(numbers, (etr_slice){line_key->data, line_key->size})
                                : NULL;
  line_key->size = 0;
  if (!slot)
    return ETR_NONE;
  if (slot->value == ETR_NONE) {
    slot->value = (uint32_t)(numbers->count - 1);
    etr_jw_object(doc->fields.json);
    etr_field_source(&doc->fields, source);
    etr_jw_end(doc->fields.json);
  }
  return slot->value;
}

/* Writes each source line once. Returns per operator the number of its source line, ETR_NONE if it
 * has none; NULL when out of memory. */
static const uint32_t *put_sources(etr_profile_doc *doc, const etr_profile_operators *ops) {
  uint32_t *source_of = etr_arena_alloc_array(&doc->arena, ops->count, sizeof *source_of);
  etr_map numbers;
  etr_map_init(&numbers, &doc->arena);
  etr_field_begin_list(&doc->fields, "sources");
  for (size_t row = 0; source_of && row < ops->count; row++) {
    const etr_source *source = ops->graph->nodes[ops->nodes[row]].source;
    source_of[row] = source ? number_source(doc, &numbers, source) : ETR_NONE;
  }
  etr_jw_end(doc->fields.json);
  return source_of;
}

const uint32_t *etr_profile_rows(size_t *count, etr_arena *arena, const etr_graph *graph) {
  uint32_t *row_of = etr_arena_alloc_array(arena, graph->node_count, sizeof *row_of);
  *count = 0;
  for (size_t i = 0; row_of && i < graph->node_count; i++)
    row_of[i] = graph->nodes[i].kind == ETR_NODE_OP ? (uint32_t)(*count)++ : ETR_NONE;
  return row_of;
}

bool etr_profile_list_operators(etr_profile_doc *doc, etr_profile_operators *ops,
                                const etr_method *method, const etr_side_method *compared) {
  *ops = (etr_profile_operators){.compared = compared};
  if (method->graph == ETR_NONE)
    return true;
  const etr_graph *graph = &doc->fields.profile->graphs[method->graph];
  uint32_t *nodes = etr_arena_alloc_array(&doc->arena, graph->node_count, sizeof *nodes);
  *ops = (etr_profile_operators){.graph = graph, .nodes = nodes, .compared = compared};
  ops->row_of = etr_profile_rows(&ops->count, &doc->arena, graph);
  if (!nodes || !ops->row_of)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (ops->row_of[i] != ETR_NONE)
      nodes[ops->row_of[i]] = i;
  return true;
}

bool etr_profile_put_graph(etr_profile_doc *doc, etr_profile_operators *ops) {
  const etr_fields *f = &doc->fields;
  etr_jw_key(f->json, "graph");
  if (!ops->graph) {
    etr_jw_null(f->json);
    return true;
  }
  etr_jw_object(f->json);
  etr_field_text(f, "module", ops->graph->module);
  etr_field_text(f, "entry", ops->graph->entry);
  etr_profile_put_modules(doc, ops->graph);
  ops->source_of = put_sources(doc, ops);
  if (ops->source_of)
    put_operator_columns(doc, ops);
  if (doc->parts & ETR_PROFILE_COMPARED)
    put_bodies(doc, ops);
  etr_jw_end(f->json);
  return ops->source_of != NULL;
}
