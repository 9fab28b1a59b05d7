/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_operators.c - writes a method's graph, column by column.
 */
#include "report/profile_doc.h"
#include "tables/node_fields.h"

/* ---- Columns ---- */

/* Writes the columns of the operators. */
static void put_operator_columns(etr_profile_doc *e, const etr_profile_operators *ops) {
  etr_node_row *rows = etr_arena_alloc_array(&e->arena, ops->count, sizeof *rows);
  for (size_t i = 0; rows && i < ops->count; i++) {
    rows[i] = etr_node_row_of(&e->arena, e->fields.profile, ops->graph, ops->nodes[i]);
    uint32_t carrier = rows[i].known->carried_by;
    rows[i].joined = &e->joined;
    rows[i].source = ops->source_of[i];
    rows[i].carrier = carrier == ETR_NONE ? ETR_NONE : ops->row_of[carrier];
  }
  etr_profile_put_columns(e, "operators", &etr_node_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(rows, rows ? ops->count : 0));
}

static const etr_field module_fields[] = {
    {"path", NULL, ETR_CELL_ITEM, ETR_IN_DOCUMENT, ETR_AT(etr_module, path), .type = "text"},
    {"type", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, ETR_AT(etr_module, type), .says = "class"},
    {"pattern", NULL, ETR_CELL_WORD, ETR_IN_DOCUMENT, ETR_AT(etr_module, pattern),
     .says = "the path with * for numbers that only count repetitions"},
    {"parent", NULL, ETR_CELL_COUNT, ETR_IN_DOCUMENT, ETR_AT(etr_module, parent)},
};
ETR_ROW_TYPE(module, module_fields);

void etr_profile_put_modules(etr_profile_doc *e, const etr_graph *graph) {
  etr_profile_put_columns(e, "modules", &etr_module_fields, ETR_IN_DOCUMENT,
                          ETR_ROWS(graph->modules, graph->module_count));
}

/* ---- The graph ---- */

/* Writes the bodies of control flow that the operators are in; most models have none. */
static void put_bodies(etr_profile_doc *e, const etr_profile_operators *ops) {
  etr_map seen;
  etr_map_init(&seen, &e->arena);
  etr_field_object(&e->fields, "bodies");
  for (size_t row = 0; row < ops->count; row++) {
    uint32_t subgraph = ops->graph->nodes[ops->nodes[row]].subgraph;
    const char *body = ops->compared->items[row].body;
    const char *path = subgraph == ETR_NONE ? "" : ops->graph->subgraphs[subgraph].path;
    if (body[0] == '\0' || etr_map_get(&seen, etr_slice_of(path)) != ETR_NONE)
      continue;
    etr_map_set(&seen, etr_slice_of(path), 1);
    etr_field_text(&e->fields, path, body);
  }
  etr_jw_end(e->fields.json);
}

/* Writes a source line, unless it was already written. Returns its number; ETR_NONE when out of
 * memory. by_place: line, function and file -> number. */
static uint32_t number_of_source(etr_profile_doc *e, etr_map *by_place, const etr_source *source) {
  etr_text *line_key = &e->joined;
  line_key->size = 0;
  etr_text_add(line_key, ETR_BYTES(source->line));
  etr_text_add(line_key, (etr_slice){source->function, strlen(source->function) + 1});
  bool good = etr_text_add(line_key, etr_slice_of(source->file));
  etr_map_slot *slot = good ? etr_map_at(by_place, (etr_slice){line_key->data, line_key->size})
                            : NULL;
  line_key->size = 0;
  if (!slot)
    return ETR_NONE;
  if (slot->value == ETR_NONE) {
    slot->value = (uint32_t)(by_place->count - 1);
    etr_jw_object(e->fields.json);
    etr_field_source(&e->fields, source);
    etr_jw_end(e->fields.json);
  }
  return slot->value;
}

/* Writes each source line once. Returns the number of each row's source line. */
static const uint32_t *put_sources(etr_profile_doc *e, const etr_profile_operators *ops) {
  uint32_t *source_of = etr_arena_alloc_array(&e->arena, ops->count, sizeof *source_of);
  etr_map by_place;
  etr_map_init(&by_place, &e->arena);
  etr_field_list(&e->fields, "sources");
  for (size_t row = 0; source_of && row < ops->count; row++) {
    const etr_source *source = ops->graph->nodes[ops->nodes[row]].source;
    source_of[row] = source ? number_of_source(e, &by_place, source) : ETR_NONE;
  }
  etr_jw_end(e->fields.json);
  return source_of;
}

const uint32_t *etr_profile_rows(size_t *count, etr_arena *arena, const etr_graph *graph) {
  uint32_t *row_of = etr_arena_alloc_array(arena, graph->node_count, sizeof *row_of);
  *count = 0;
  for (size_t i = 0; row_of && i < graph->node_count; i++)
    row_of[i] = graph->nodes[i].kind == ETR_NODE_OP ? (uint32_t)(*count)++ : ETR_NONE;
  return row_of;
}

bool etr_profile_list_operators(etr_profile_doc *e, etr_profile_operators *ops,
                                const etr_method *method, const etr_side_method *compared) {
  *ops = (etr_profile_operators){.compared = compared};
  if (method->graph == ETR_NONE)
    return true;
  const etr_graph *graph = &e->fields.profile->graphs[method->graph];
  uint32_t *nodes = etr_arena_alloc_array(&e->arena, graph->node_count, sizeof *nodes);
  *ops = (etr_profile_operators){.graph = graph, .nodes = nodes, .compared = compared};
  ops->row_of = etr_profile_rows(&ops->count, &e->arena, graph);
  if (!nodes || !ops->row_of)
    return false;
  for (uint32_t i = 0; i < graph->node_count; i++)
    if (ops->row_of[i] != ETR_NONE)
      nodes[ops->row_of[i]] = i;
  return true;
}

bool etr_profile_put_graph(etr_profile_doc *e, etr_profile_operators *ops) {
  const etr_fields *f = &e->fields;
  etr_jw_key(f->json, "graph");
  if (!ops->graph) {
    etr_jw_null(f->json);
    return true;
  }
  etr_jw_object(f->json);
  etr_field_text(f, "module", ops->graph->module);
  etr_field_text(f, "entry", ops->graph->entry);
  etr_profile_put_modules(e, ops->graph);
  ops->source_of = put_sources(e, ops);
  if (ops->source_of)
    put_operator_columns(e, ops);
  if (e->parts & ETR_PROFILE_COMPARED)
    put_bodies(e, ops);
  etr_jw_end(f->json);
  return ops->source_of != NULL;
}
