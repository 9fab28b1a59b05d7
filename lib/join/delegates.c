/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegates.c - delegate map, payload, alignment.
 */
#include "delegates.h"

#include "align.h"
#include "operator.h"

typedef struct delegate {
  const etr_method_join *join;
  const etr_join_instruction *instruction;
  const etr_backend *backend;
  etr_event *rows; /* the delegate's own events only */
  size_t row_count;
  uint16_t *classes; /* per row */
  etr_map carriers;  /* handle -> node of the delegate that carries its time; with a delegate map */
  bool can_plan;     /* there is budget left */
  etr_arena *arena;  /* of the profile */
  etr_arena scratch;
} delegate;

static bool set_node(const delegate *d, etr_event *row, uint32_t node, etr_match match, double confidence) {
  uint32_t *pair = etr_arena_alloc_array(d->arena, 2, sizeof *pair);
  if (!pair) return false;
  pair[0] = node;
  pair[1] = d->join->graph->nodes[node].debug_handle;
  row->nodes = pair;
  row->node_count = 1;
  row->match = match;
  row->confidence = confidence;
  if (match == ETR_MATCH_DELEGATE_MAP) return true; /* keeps the handles that the map gives */
  row->handles = &pair[1];
  row->handle_count = 1;
  return true;
}

/* ---- By the record's delegate map ---- */

/* Operators that carry the time of what is fused with them. */
static bool is_heavy(const etr_graph *graph, uint32_t node) {
  static const char *const heavy[] = {
      "convolution", "linear", "addmm", "mm", "bmm", "matmul", "scaled_dot_product_attention"};
  etr_slice op = etr_operator_of_target(graph->nodes[node].target);
  for (size_t i = 0; i < ETR_COUNT(heavy); i++)
    if (etr_slice_equal(op, etr_slice_of(heavy[i]))) return true;
  return false;
}

static etr_slice key_of(const uint32_t *handle) { return (etr_slice){(const char *)handle, sizeof *handle}; }

/* Of the delegate's nodes with each handle a heavy one, or the first. */
static bool note_carriers(delegate *d) {
  size_t count;
  const etr_graph *graph = d->join->graph;
  const etr_delegate_node *nodes = etr_join_nodes_of_delegate(d->join, d->instruction->id, &count);
  etr_map_init(&d->carriers, &d->scratch);
  for (size_t i = 0; i < count; i++) {
    uint32_t node = nodes[i].node;
    etr_map_slot *best = etr_map_at(&d->carriers, key_of(&graph->nodes[node].debug_handle));
    if (!best) return false;
    bool heavier = best->value == ETR_NONE || (is_heavy(graph, node) && !is_heavy(graph, best->value));
    bool earlier = best->value != ETR_NONE && node < best->value &&
                   is_heavy(graph, node) == is_heavy(graph, best->value);
    if (heavier || earlier) best->value = node;
  }
  return true;
}

/* Of several handles, the one with a heavy operator, else the first that the delegate has. Handles of other nodes are
 * not trusted: Vulkan numbers its own. */
static uint32_t carrier_of(const delegate *d, const etr_event *row) {
  uint32_t first = ETR_NONE;
  for (size_t i = 0; i < row->handle_count; i++) {
    uint32_t node = etr_map_get(&d->carriers, key_of(&row->handles[i]));
    if (node == ETR_NONE) continue;
    if (is_heavy(d->join->graph, node)) return node;
    if (first == ETR_NONE) first = node;
  }
  return first;
}

/* Of equal ids the first counts. */
static bool index_ids(delegate *d, etr_map *ids) {
  const etr_map_instruction *map = d->instruction->map;
  etr_map_init(ids, &d->scratch);
  for (size_t i = map->id_count; i-- > 0;)
    if (!etr_map_set(ids, etr_slice_of(map->ids[i].id), (uint32_t)i)) return false;
  return true;
}

static bool match_by_map(delegate *d) {
  etr_map ids;
  const etr_map_delegate_id *listed = d->instruction->map->ids;
  if (!index_ids(d, &ids) || (d->join->graph && !note_carriers(d))) return false;
  for (size_t i = 0; i < d->row_count; i++) {
    etr_event *row = &d->rows[i];
    uint32_t id = etr_map_get(&ids, etr_slice_of(row->delegate_id));
    if (id == ETR_NONE) continue;
    row->handles = listed[id].handles;
    row->handle_count = listed[id].handle_count;
    uint32_t node = d->join->graph ? carrier_of(d, row) : ETR_NONE;
    if (node != ETR_NONE && !set_node(d, row, node, ETR_MATCH_DELEGATE_MAP, 1)) return false;
  }
  return true;
}

/* ---- Pairing events with what was to run ---- */

/* What was to run, in order. */
typedef struct plan {
  etr_vec(etr_align_item) items;
  etr_vec(uint32_t) owners; /* of each item: an operator of the payload, or a node */
} plan;

static bool add_item(delegate *d, plan *p, etr_align_item item, uint32_t owner) {
  etr_align_item *added = etr_vec_push(&d->scratch, &p->items);
  uint32_t *slot = added ? etr_vec_push(&d->scratch, &p->owners) : NULL;
  if (!slot) return false;
  *added = item;
  *slot = owner;
  return true;
}

static bool is_inserted(const delegate *d, size_t row) {
  return (d->backend->traits(d->classes[row]) & ETR_CLASS_INSERTED) != 0;
}

/* unplanned: what leaving out an event costs that a lowering may have inserted. */
static etr_align_pair *walk(delegate *d, const plan *p, int16_t unplanned, int16_t missing) {
  etr_align_item *events = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *events);
  etr_align_pair *pairs = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *pairs);
  if (!events || !pairs) return NULL;
  for (size_t i = 0; i < d->row_count; i++)
    events[i] = (etr_align_item){.class_ = d->classes[i], .cost = is_inserted(d, i) ? unplanned : missing};
  etr_align(pairs, events, d->row_count, p->items.data, p->items.count, &d->scratch);
  return etr_arena_failed(&d->scratch) ? NULL : pairs;
}

/* ---- By the payload ---- */

/* Leaving out an operator costs little: the runtime drops some. Leaving out an event costs more than all of them. */
static bool plan_payload(delegate *d, plan *p) {
  const etr_payload *payload = d->instruction->payload;
  for (uint32_t i = 0; i < payload->count; i++) {
    const etr_payload_operator *o = &payload->operators[i];
    if (!add_item(d, p, (etr_align_item){o->class_, o->alternative, 1, o->is_idle ? 0 : 1}, i)) return false;
    if (o->activation && !add_item(d, p, (etr_align_item){o->activation, 0, 1, 1}, i)) return false;
  }
  return true;
}

enum { MISSING_EVENT = 100 };

static bool match_by_payload(delegate *d) {
  plan p = {0};
  const etr_join_instruction *known = d->instruction;
  etr_align_pair *pairs = plan_payload(d, &p) ? walk(d, &p, MISSING_EVENT, MISSING_EVENT) : NULL;
  for (size_t i = 0; pairs && i < d->row_count; i++) {
    uint32_t operator_ = pairs[i].partner == ETR_NONE ? ETR_NONE : p.owners.data[pairs[i].partner];
    uint32_t node = operator_ == ETR_NONE ? ETR_NONE : known->operator_nodes[operator_];
    if (node == ETR_NONE) continue;
    bool is_estimate = pairs[i].is_unsure || (known->operator_by_order[operator_] && !d->join->is_ordered);
    if (!set_node(d, &d->rows[i], node, is_estimate ? ETR_MATCH_ALIGNED : ETR_MATCH_PAYLOAD, is_estimate ? 0.5 : 1))
      return false;
  }
  return pairs != NULL;
}

/* ---- By order alone ---- */

static bool plan_nodes(delegate *d, plan *p) {
  size_t count;
  const etr_delegate_node *nodes = etr_join_nodes_of_delegate(d->join, d->instruction->id, &count);
  etr_delegate_view view = {d->join->graph, d->join->uses, d->join->node_delegate, d->instruction->id};
  for (size_t i = 0; i < count; i++) {
    etr_expectation e = d->backend->expect(&view, nodes[i].node);
    for (uint32_t k = 0; e.class_ && k < e.count; k++)
      if (!add_item(d, p, (etr_align_item){e.class_, e.alternative, e.weight, e.cost}, e.node)) return false;
  }
  return true;
}

/* Shares of such time that were right on 126 records of other models, rounded down. */
static double confidence_of(bool is_ordered, bool is_unsure) {
  if (is_unsure) return 0.5;
  return is_ordered ? 0.95 : 0.6;
}

static bool match_by_order(delegate *d) {
  plan p = {0};
  etr_align_pair *pairs = plan_nodes(d, &p) ? walk(d, &p, 1, 6) : NULL;
  for (size_t i = 0; pairs && i < d->row_count; i++) {
    if (pairs[i].partner == ETR_NONE) continue;
    double confidence = confidence_of(d->join->is_ordered, pairs[i].is_unsure);
    if (!set_node(d, &d->rows[i], p.owners.data[pairs[i].partner], ETR_MATCH_ALIGNED, confidence)) return false;
  }
  return pairs != NULL;
}

/* ---- All ---- */

/* What has no node was inserted by the lowering, or could not be told: it may compute. */
static void describe_rest(const delegate *d) {
  for (size_t i = 0; i < d->row_count; i++) {
    etr_event *row = &d->rows[i];
    row->is_inserted = row->node_count == 0 && d->classes && is_inserted(d, i);
    if (row->node_count == 0 && !row->is_inserted) row->match = ETR_MATCH_NONE;
  }
}

static bool match_by_class(delegate *d) {
  d->classes = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *d->classes);
  if (!d->classes) return false;
  for (size_t i = 0; i < d->row_count; i++) d->classes[i] = d->backend->class_of_event(d->rows[i].delegate_id);
  if (!d->can_plan) return true;
  return d->instruction->payload ? match_by_payload(d) : match_by_order(d);
}

static bool spend(const delegate *d, size_t *plans_left) {
  const etr_join_instruction *known = d->instruction;
  size_t nodes, planned = known->map->id_count + (known->payload ? known->payload->count : 0);
  etr_join_nodes_of_delegate(d->join, known->id, &nodes);
  bool enough = planned + nodes <= *plans_left;
  *plans_left = enough ? *plans_left - planned - nodes : 0;
  return enough;
}

bool etr_delegate_rows(const etr_method_join *join, const etr_join_instruction *instruction, etr_event *rows,
                       size_t count, size_t *plans_left, etr_arena *arena) {
  delegate d = {.join = join, .instruction = instruction, .rows = rows, .arena = arena};
  bool good = true;
  while (d.row_count < count && rows[d.row_count].delegate_id) d.row_count++; /* the call comes last */
  if (!instruction->map || d.row_count == 0) return true;
  d.backend = etr_backend_of(instruction->backend);
  if (!instruction->backend) d.backend = etr_backend_of_event(rows[0].delegate_id);
  d.can_plan = *plans_left > 0 && spend(&d, plans_left);
  if (instruction->map->id_count)
    good = !d.can_plan || match_by_map(&d);
  else if (d.backend && join->graph)
    good = match_by_class(&d);
  if (good && join->graph) describe_rest(&d);
  good = good && !etr_arena_failed(&d.scratch);
  etr_arena_clear(&d.scratch);
  return good;
}
