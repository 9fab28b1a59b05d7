/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegates.c - delegate map, payload, alignment.
 */
#include "delegates.h"

#include "align.h"
#include "node_class.h"
#include "operator.h"

typedef struct delegate {
  const etr_method_join *join;
  const etr_join_instruction *instruction;
  etr_event *rows; /* the delegate's own events only */
  size_t row_count;
  etr_xnn_shown shown;
  etr_arena *arena; /* of the profile */
  etr_arena scratch;
} delegate;

static bool set_node(const delegate *d, etr_event *row, uint32_t node, etr_match match) {
  uint32_t *pair = etr_arena_alloc_array(d->arena, 2, sizeof *pair);
  if (!pair) return false;
  pair[0] = node;
  pair[1] = d->join->graph->nodes[node].debug_handle;
  row->nodes = pair;
  row->node_count = 1;
  row->match = match;
  if (match == ETR_MATCH_DELEGATE_MAP) return true; /* keeps the handles that the map gives */
  row->handles = &pair[1];
  row->handle_count = 1;
  return true;
}

/* Class of a node, as the events show what becomes of it. */
static etr_xnn_class class_of(const delegate *d, uint32_t index) {
  const etr_node *node = &d->join->graph->nodes[index];
  etr_xnn_class class_ = etr_node_class(d->join->graph, node);
  bool is_square = class_ == ETR_XNN_MUL && d->shown.squares && node->input_count == 2 && node->inputs[0].node == node->inputs[1].node &&
                   node->inputs[0].output == node->inputs[1].output;
  return is_square ? ETR_XNN_SQUARE : class_;
}

/* ---- By the record's delegate map ---- */

/* Operators that carry the time of what is fused with them. */
static bool is_heavy(const etr_graph *graph, uint32_t node) {
  etr_xnn_class class_ = etr_node_class(graph, &graph->nodes[node]);
  return (class_ >= ETR_XNN_MATMUL && class_ <= ETR_XNN_BMM) || class_ == ETR_XNN_SDPA;
}

/* Which of several operators with the same handle and class one is, and which of those with as many elements as well. */
typedef struct repeat {
  uint32_t of_class, of_size;
} repeat;

/* Takes a node until the k-th is there. */
static void take_nth(uint32_t *found, uint32_t node, uint32_t k, uint32_t *seen) {
  if ((*seen)++ <= k) *found = node;
}

/* Of the delegate's nodes with the operator's handle, the one of its class and size, or of its class, or a heavy one, or the first; ETR_NONE if the
 * delegate has none. */
static uint32_t node_of_handle(const delegate *d, const etr_xnn_operator *o, repeat k) {
  const etr_method_join *join = d->join;
  uint32_t of_size = ETR_NONE, of_class = ETR_NONE, heavy = ETR_NONE, first = ETR_NONE;
  repeat seen = {0};
  for (size_t i = etr_join_first_of_handle(join, o->handle); i < join->by_handle_count && join->by_handle[i].handle == o->handle; i++) {
    uint32_t node = join->by_handle[i].node;
    if (join->node_delegate[node] != d->instruction->id) continue;
    if (first == ETR_NONE) first = node;
    if (heavy == ETR_NONE && is_heavy(join->graph, node)) heavy = node;
    if (o->class_ == ETR_XNN_NONE || class_of(d, node) != o->class_) continue;
    take_nth(&of_class, node, k.of_class, &seen.of_class);
    if (o->elements && etr_node_elements(&join->graph->nodes[node]) == o->elements) take_nth(&of_size, node, k.of_size, &seen.of_size);
  }
  return of_size != ETR_NONE ? of_size : of_class != ETR_NONE ? of_class : heavy != ETR_NONE ? heavy : first;
}

/* Of several handles, the one with a heavy operator, else the first that the delegate has. Handles of other nodes are not trusted: Vulkan numbers
 * its own. */
static uint32_t carrier_of(const delegate *d, const etr_event *row) {
  uint32_t first = ETR_NONE;
  for (size_t i = 0; i < row->handle_count; i++) {
    uint32_t node = node_of_handle(d, &(etr_xnn_operator){.handle = row->handles[i]}, (repeat){0});
    if (node == ETR_NONE) continue;
    if (is_heavy(d->join->graph, node)) return node;
    if (first == ETR_NONE) first = node;
  }
  return first;
}

static bool match_by_map(delegate *d) {
  const etr_map_instruction *map = d->instruction->map;
  for (size_t i = 0; i < d->row_count; i++) {
    etr_event *row = &d->rows[i];
    for (size_t k = 0; k < map->id_count; k++) {
      if (strcmp(map->ids[k].id, row->delegate_id) != 0) continue;
      row->handles = map->ids[k].handles;
      row->handle_count = map->ids[k].handle_count;
      uint32_t node = d->join->graph ? carrier_of(d, row) : ETR_NONE;
      if (node != ETR_NONE && !set_node(d, row, node, ETR_MATCH_DELEGATE_MAP)) return false;
      break;
    }
  }
  return true;
}

/* ---- Pairing events with operators ---- */

/* Where a class has as many events as operators, the k-th is the k-th; otherwise an alignment says which, if it can. */
static bool pair(delegate *d, const etr_align_item *events, const etr_align_item *operators, size_t operator_count, uint32_t *pairs) {
  size_t event_counts[ETR_XNN_CLASSES] = {0}, counts[ETR_XNN_CLASSES] = {0}, seen[ETR_XNN_CLASSES] = {0}, start[ETR_XNN_CLASSES + 1] = {0};
  uint32_t *places = etr_arena_alloc_array(&d->scratch, operator_count, sizeof *places); /* operators by class, in order */
  uint32_t *aligned = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *aligned);
  if (!places || !aligned) return false;
  bool equal = true;
  for (size_t i = 0; i < d->row_count; i++) event_counts[events[i].class_]++;
  for (size_t i = 0; i < operator_count; i++) counts[operators[i].class_]++;
  for (size_t c = 1; c < ETR_XNN_CLASSES; c++) {
    start[c + 1] = start[c] + counts[c];
    equal &= event_counts[c] == 0 || event_counts[c] == counts[c];
  }
  for (size_t i = 0; i < operator_count; i++)
    if (operators[i].class_ != ETR_XNN_NONE) places[start[operators[i].class_] + seen[operators[i].class_]++] = (uint32_t)i;
  if (!equal) etr_align(aligned, events, d->row_count, operators, operator_count, &d->scratch);
  memset(seen, 0, sizeof seen);
  for (size_t i = 0; i < d->row_count; i++) {
    uint16_t c = events[i].class_;
    pairs[i] = c == ETR_XNN_NONE ? ETR_NONE : event_counts[c] == counts[c] ? places[start[c] + seen[c]++] : aligned[i];
  }
  return !etr_arena_failed(&d->scratch);
}

/* ---- By the payload ---- */

static bool pair_with_payload(delegate *d, const etr_xnn_payload *payload, const etr_xnn_class *classes, uint32_t *pairs) {
  etr_align_item *events = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *events),
                 *operators = etr_arena_alloc_array(&d->scratch, payload->count, sizeof *operators);
  if (!events || !operators) return false;
  for (size_t i = 0; i < d->row_count; i++) events[i] = (etr_align_item){(uint16_t)classes[i], 1, 0};
  for (size_t i = 0; i < payload->count; i++) operators[i] = (etr_align_item){(uint16_t)payload->operators[i].class_, 1, 0};
  return pair(d, events, operators, payload->count, pairs);
}

/* Counts up what was seen with this key before. */
static uint32_t count_up(etr_map *seen, const uint64_t key[3]) {
  etr_slice bytes = {(const char *)key, 3 * sizeof *key};
  uint32_t known = etr_map_get(seen, bytes), count = known == ETR_NONE ? 0 : known;
  etr_map_set(seen, bytes, count + 1);
  return count;
}

static bool match_by_payload(delegate *d, const etr_xnn_payload *payload, const etr_xnn_class *classes) {
  uint32_t *pairs = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *pairs);
  repeat *repeats = etr_arena_alloc_array(&d->scratch, payload->count, sizeof *repeats);
  etr_map seen;
  etr_map_init(&seen, &d->scratch);
  if (!pairs || !repeats || !pair_with_payload(d, payload, classes, pairs)) return false;
  for (size_t i = 0; i < payload->count; i++) {
    const etr_xnn_operator *o = &payload->operators[i];
    repeats[i].of_class = count_up(&seen, (uint64_t[]){o->handle, o->class_, UINT64_MAX});
    repeats[i].of_size = count_up(&seen, (uint64_t[]){o->handle, o->class_, o->elements});
  }
  for (size_t i = 0; i < d->row_count; i++) {
    const etr_xnn_operator *o = pairs[i] == ETR_NONE ? NULL : &payload->operators[pairs[i]];
    uint32_t node = o && o->handle ? node_of_handle(d, o, repeats[pairs[i]]) : ETR_NONE;
    if (node != ETR_NONE && !set_node(d, &d->rows[i], node, ETR_MATCH_PAYLOAD)) return false;
  }
  return true;
}

/* ---- By order alone ---- */

static bool is_in_delegate(const delegate *d, uint32_t node) { return d->join->node_delegate[node] == d->instruction->id; }

/* The operator whose result an activation works on, batch norms passed over; ETR_NONE if it lies outside the delegate. */
static uint32_t activated_node(const delegate *d, const etr_node *node) {
  const etr_graph *graph = d->join->graph;
  for (int steps = 0; node->input_count && steps < 4; steps++) {
    uint32_t producer = node->inputs[0].node;
    if (!is_in_delegate(d, producer)) return ETR_NONE;
    node = &graph->nodes[producer];
    if (etr_node_class(graph, node) != ETR_XNN_NONE && etr_node_class(graph, node) != ETR_XNN_CONVERT) return producer;
  }
  return ETR_NONE;
}

typedef struct expected {
  etr_vec(etr_align_item) items;
  etr_vec(uint32_t) nodes; /* of each item */
} expected;

static bool expect(delegate *d, expected *e, etr_xnn_class class_, uint32_t node, int16_t weight, int16_t cost) {
  etr_align_item *item = etr_vec_push(&d->scratch, &e->items);
  uint32_t *slot = item ? etr_vec_push(&d->scratch, &e->nodes) : NULL;
  if (!slot) return false;
  *item = (etr_align_item){(uint16_t)class_, weight, cost};
  *slot = node;
  return true;
}

/* What XNNPACK is expected to make of one node. What may fall away (views, quantization) costs nothing to leave out. */
static bool expect_node(delegate *d, expected *e, uint32_t node) {
  const etr_graph *graph = d->join->graph;
  etr_slice op = etr_operator_of_target(graph->nodes[node].target);
  etr_xnn_class class_ = class_of(d, node);
  switch (class_) {
  case ETR_XNN_NONE: return true;
  case ETR_XNN_CLAMP: {
    uint32_t source = activated_node(d, &graph->nodes[node]);
    etr_xnn_class activated = source == ETR_NONE ? ETR_XNN_NONE : etr_node_class(graph, &graph->nodes[source]);
    if (activated >= ETR_XNN_MATMUL && activated <= ETR_XNN_DECONV) return true; /* fused */
    bool binary = activated >= ETR_XNN_ADD && activated <= ETR_XNN_PRELU;        /* runs as a Clamp in the binary operator's name */
    return expect(d, e, class_, binary ? source : node, 8, 3);
  }
  case ETR_XNN_CONVERT: return expect(d, e, class_, node, 6, 0);
  case ETR_XNN_COPY: return etr_slice_is(op, "cat") ? expect(d, e, class_, node, 10, 6) : expect(d, e, class_, node, 7, 0);
  case ETR_XNN_RESHAPE: {
    bool view = etr_slice_is(op, "view_copy") || etr_slice_is(op, "view");
    return expect(d, e, class_, node, view ? 9 : 7, view ? 1 : 0);
  }
  case ETR_XNN_TRANSPOSE: return expect(d, e, class_, node, 9, 2);
  default: return expect(d, e, class_, node, 10, 6);
  }
}

static bool match_by_order(delegate *d, const etr_xnn_class *classes) {
  expected e;
  size_t node_count;
  const etr_delegate_node *nodes = etr_join_nodes_of_delegate(d->join, d->instruction->id, &node_count);
  memset(&e, 0, sizeof e);
  for (size_t i = 0; i < node_count; i++)
    if (!expect_node(d, &e, nodes[i].node)) return false;
  uint32_t *pairs = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *pairs);
  etr_align_item *events = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *events);
  if (!pairs || !events) return false;
  for (size_t i = 0; i < d->row_count; i++) {
    bool may_be_inserted = classes[i] == ETR_XNN_TRANSPOSE || classes[i] == ETR_XNN_CONVERT || classes[i] == ETR_XNN_COPY;
    events[i] = (etr_align_item){(uint16_t)classes[i], 0, may_be_inserted ? 1 : 6};
  }
  if (!pair(d, events, e.items.data, e.items.count, pairs)) return false;
  for (size_t i = 0; i < d->row_count; i++)
    if (pairs[i] != ETR_NONE && !set_node(d, &d->rows[i], e.nodes.data[pairs[i]], ETR_MATCH_ALIGNED)) return false;
  return !etr_arena_failed(&d->scratch);
}

/* ---- All ---- */

static bool match_by_class(delegate *d) {
  etr_xnn_class *classes = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *classes);
  etr_xnn_payload payload;
  bool any = false;
  if (!classes) return false;
  for (size_t i = 0; i < d->row_count; i++) {
    classes[i] = etr_xnn_class_of_event(d->rows[i].delegate_id);
    any |= classes[i] != ETR_XNN_NONE;
    d->shown.lookups |= classes[i] == ETR_XNN_LOOKUP;
    d->shown.squares |= classes[i] == ETR_XNN_SQUARE;
  }
  if (!any || !d->join->graph) return true;
  if (etr_xnn_payload_read(&payload, &d->scratch, etr_join_payload(d->join, d->instruction->id), d->shown))
    return match_by_payload(d, &payload, classes);
  return match_by_order(d, classes);
}

bool etr_delegate_rows(const etr_method_join *join, const etr_join_instruction *instruction, etr_event *rows, size_t count, etr_arena *arena) {
  delegate d = {.join = join, .instruction = instruction, .rows = rows, .arena = arena};
  while (d.row_count < count && rows[d.row_count].delegate_id) d.row_count++; /* the call comes last */
  if (!instruction->map || d.row_count == 0) return true;
  bool good = instruction->map->id_count ? match_by_map(&d) : match_by_class(&d);
  good = good && !etr_arena_failed(&d.scratch);
  etr_arena_clear(&d.scratch);
  return good;
}
