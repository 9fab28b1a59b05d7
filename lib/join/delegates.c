/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegates.c - finds nodes by the delegate map, by the payload, or by alignment.
 */
#include "join/delegates.h"

#include "backends/backends.h"
#include "backends/operator.h"
#include "base/writer.h"
#include "inputs/dump.h"
#include "inputs/maps.h"
#include "join/align.h"
#include "join/cost.h"
#include "join/decoded.h"

/* A node of a delegate. The handle's bits are a signed number, for etr_by_int(). */
typedef struct handle_entry {
  int32_t handle;
  uint32_t node;
  uint16_t class_;
} handle_entry;

typedef struct delegate {
  const etr_placement *placement;
  const etr_placed *instruction;
  const etr_backend *backend;
  const etr_payload *payload; /* NULL: none can be read */
  etr_event **rows;           /* the delegate's own events only */
  size_t row_count;
  uint16_t *classes; /* per row */
  etr_map carriers;  /* handle -> node of the delegate to which its time is attributed; only with a
                        delegate map */
  etr_delegate_reading *reading;
  etr_vec(handle_entry) by_handle; /* the delegate's nodes, by handle; filled when first needed */
  bool can_plan;                   /* there is budget left */
  etr_event_meaning *meanings;     /* per row, if the backend has a decoder; else NULL */
  etr_arena *arena;                /* arena of the profile */
  etr_arena scratch;
} delegate;

/* Sets the only node of an event of the delegate, how it was found, and how sure that is (0 to 1).
 * Returns false when out of memory. */
static bool set_event_node(const delegate *d, etr_event *row, uint32_t node, etr_match match,
                           double confidence) {
  return etr_event_set_node(row, d->placement->method->graph,
                            (etr_event_node){node, match, confidence}, d->arena);
}

/* ---- By the record's delegate map ---- */

/* Fills d->carriers: per debug handle, the node that gets the time of an event with this handle. Of
 * the delegate's nodes with the handle it is the first that multiplies matrices, because that takes
 * most of the time, or else the first. Returns false when out of memory. */
static bool index_carriers(delegate *d) {
  size_t count;
  const etr_graph *graph = d->placement->method->graph;
  const etr_delegate_node *nodes = etr_nodes_of_delegate(d->placement, d->instruction->id, &count);
  etr_map_init(&d->carriers, &d->scratch);
  for (size_t i = 0; i < count; i++) {
    uint32_t node = nodes[i].node;
    etr_map_slot *best = etr_map_at(&d->carriers, ETR_BYTES(graph->nodes[node].debug_handle));
    if (!best)
      return false;
    if (best->value == ETR_NONE) {
      best->value = node;
      continue;
    }
    bool multiplies = etr_multiplies(graph->nodes[node].target);
    bool best_multiplies = etr_multiplies(graph->nodes[best->value].target);
    bool is_heavier = multiplies && !best_multiplies;
    bool is_earlier = multiplies == best_multiplies && node < best->value;
    if (is_heavier || is_earlier)
      best->value = node;
  }
  return true;
}

/* Returns the node that gets the time of an event with several handles: the first that multiplies
 * matrices, or else the first that is in the delegate; ETR_NONE if none is. Handles of nodes
 * outside the delegate are ignored, because Vulkan uses numbers of its own. */
static uint32_t find_carrier_of_event(const delegate *d, const etr_event *row) {
  uint32_t first = ETR_NONE;
  for (size_t i = 0; i < row->handle_count; i++) {
    uint32_t node = etr_map_get(&d->carriers, ETR_BYTES(row->handles[i]));
    if (node == ETR_NONE)
      continue;
    if (etr_multiplies(d->placement->method->graph->nodes[node].target))
      return node;
    if (first == ETR_NONE)
      first = node;
  }
  return first;
}

/* Sets the handles, and the node, of events that the record's delegate map lists. Beyond the limit
 * of work for all delegates of the method, events get no node. Returns false when out of memory. */
static bool match_by_map(delegate *d) {
  if (d->placement->method->graph && !index_carriers(d))
    return false;
  for (size_t i = 0; i < d->row_count; i++) {
    etr_event *row = d->rows[i];
    if (d->meanings && d->meanings[i].key != ETR_KEY_MAP)
      continue;
    const etr_map_delegate_id *listed = etr_maps_find_id(d->instruction->map, row->delegate_id);
    if (!listed)
      continue;
    row->handles = listed->handles;
    row->handle_count = listed->handle_count;
    bool can_have_node = d->placement->method->graph &&
                         etr_spend(&d->reading->plans_left, row->handle_count);
    uint32_t node = can_have_node ? find_carrier_of_event(d, row) : ETR_NONE;
    if (node != ETR_NONE && !set_event_node(d, row, node, ETR_MATCH_DELEGATE_MAP, 1))
      return false;
  }
  return true;
}

/* ---- Pairing events with the operators that were expected ---- */

/* The operators that were expected, in order. */
typedef struct expected_operators {
  etr_vec(etr_align_item) items;
  etr_vec(uint32_t) owners; /* for each item: index of an operator of the payload, or of a node */
} expected_operators;

/* Adds an expected operator to the list that events are aligned with, and its owner: the node, or
 * the operator of the payload, that it is. Returns false when out of memory. */
static bool add_expected_operator(delegate *d, expected_operators *p, etr_align_item item,
                                  uint32_t owner) {
  etr_align_item *added = etr_vec_push(&d->scratch, &p->items);
  uint32_t *slot = added ? etr_vec_push(&d->scratch, &p->owners) : NULL;
  if (!slot)
    return false;
  *added = item;
  *slot = owner;
  return true;
}

static bool is_inserted(const delegate *d, size_t row) {
  return (d->backend->traits(d->classes[row]) & ETR_CLASS_INSERTED) != 0;
}

/* Makes the left side of an alignment: the events of the delegate. `inserted_cost` is the cost of
 * leaving an event unpaired that a lowering may have inserted, `other_cost` that of any other.
 * Returns NULL when out of memory. */
static etr_align_item *list_events(delegate *d, int16_t inserted_cost, int16_t other_cost) {
  etr_align_item *events = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *events);
  for (size_t i = 0; events && i < d->row_count; i++)
    events[i] = (etr_align_item){.class_ = d->classes[i],
                                 .cost = is_inserted(d, i) ? inserted_cost : other_cost};
  return events;
}

/* Aligns the events of the delegate with the operators that were expected; the costs are those of
 * list_events(). Returns the pair of each event; NULL when out of memory. */
static etr_align_pair *align_events(delegate *d, const expected_operators *p, int16_t inserted_cost,
                                    int16_t other_cost) {
  etr_align_item *events = list_events(d, inserted_cost, other_cost);
  etr_align_pair *pairs = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *pairs);
  if (!events || !pairs)
    return NULL;
  etr_align(pairs, events, d->row_count, p->items.data, p->items.count, &d->scratch);
  return etr_arena_failed(&d->scratch) ? NULL : pairs;
}

/* ---- Equal nodes: those that the handle lists do not distinguish ---- */

/* Returns whether data flows from one node to a later one. The graph lists producers first, so
 * nodes after `to` are not visited. A search that takes too long, or runs out of memory, finds no
 * path. */
static bool has_path(delegate *d, uint32_t from, uint32_t to) {
  etr_users *users = &d->reading->users;
  if (!users->list && !etr_users_find(users, d->placement->method->graph, d->arena))
    return false;
  etr_vec(uint32_t) waiting = {0};
  etr_arena scratch = {0};
  etr_map seen;
  bool found = false;
  etr_map_init(&seen, &scratch);
  uint32_t *first = etr_vec_push(&scratch, &waiting);
  if (first)
    *first = from;
  while (waiting.count && !found && !etr_arena_failed(&scratch)) {
    uint32_t node = waiting.data[--waiting.count];
    size_t count = users->starts[node + 1] - users->starts[node];
    if (!etr_spend(&d->reading->steps_left, 1 + count))
      break;
    for (size_t i = 0; i < count && !found; i++) {
      uint32_t user = users->list[users->starts[node] + i];
      etr_map_slot *slot = user < to ? etr_map_at(&seen, ETR_BYTES(user)) : NULL;
      found = user == to;
      if (!slot || slot->value != ETR_NONE)
        continue;
      slot->value = 1;
      uint32_t *added = etr_vec_push(&scratch, &waiting);
      if (added)
        *added = user;
    }
  }
  etr_arena_clear(&scratch);
  return found;
}

/* Returns whether data flow says which of two nodes runs first. */
static bool are_ordered_by_data(delegate *d, uint32_t a, uint32_t b) {
  return has_path(d, ETR_MIN(a, b), ETR_MAX(a, b));
}

/* Fills d->by_handle: the nodes of the delegate with their classes, sorted by debug handle. Returns
 * false when out of memory. */
static bool list_nodes_by_handle(delegate *d) {
  const etr_graph *graph = d->placement->method->graph;
  size_t count;
  const etr_delegate_node *nodes = etr_nodes_of_delegate(d->placement, d->instruction->id, &count);
  for (size_t i = 0; i < count; i++) {
    const etr_node *node = &graph->nodes[nodes[i].node];
    handle_entry *added = etr_vec_push(&d->scratch, &d->by_handle);
    if (!added)
      return false;
    *added = (handle_entry){(int32_t)node->debug_handle, nodes[i].node,
                            d->backend->class_of_node(graph, node)};
  }
  etr_sort(d->by_handle.data, d->by_handle.count, sizeof *d->by_handle.data, etr_by_int);
  return true;
}

/* Returns whether another node of the delegate has the handle and the class of a node (or any
 * class, if `of_any_class` is set), and data flow does not say which of both runs first. If this
 * takes too long to find out, it returns true. */
static bool has_equal_node(delegate *d, uint32_t node, bool of_any_class) {
  const etr_graph *graph = d->placement->method->graph;
  int32_t handle = (int32_t)graph->nodes[node].debug_handle;
  if (d->by_handle.count == 0 && !list_nodes_by_handle(d))
    return true;
  const handle_entry *list = d->by_handle.data;
  size_t count = d->by_handle.count, first = etr_find_int(handle, list, count, sizeof *list);
  uint16_t class_ = d->backend->class_of_node(graph, &graph->nodes[node]);
  for (size_t i = first; i < count && list[i].handle == handle; i++) {
    if (!etr_spend(&d->reading->steps_left, 1))
      return true;
    bool is_alike = of_any_class || list[i].class_ == class_;
    if (list[i].node != node && is_alike && !are_ordered_by_data(d, node, list[i].node))
      return true;
  }
  return false;
}

/* Returns whether it is certain which nodes the delegate has: this is proven, or the delegate has
 * all nodes of its handles. If this takes too long to find out, it is not. */
static bool are_nodes_known(delegate *d) {
  const etr_method_inputs *method = d->placement->method;
  size_t count;
  const etr_delegate_node *nodes = etr_nodes_of_delegate(d->placement, d->instruction->id, &count);
  for (size_t i = 0; !d->placement->is_proven && i < count; i++) {
    uint32_t handle = method->graph->nodes[nodes[i].node].debug_handle;
    size_t k = etr_method_first_of_handle(method, handle);
    if (k == method->by_handle_count || method->by_handle[k].handle != handle)
      return false;
    for (; k < method->by_handle_count && method->by_handle[k].handle == handle; k++) {
      uint32_t node = method->by_handle[k].node;
      if (!etr_spend(&d->reading->steps_left, 1))
        return false;
      if (d->placement->node_delegate[node] != d->instruction->id)
        return false;
    }
  }
  return true;
}

/* Returns whether it is certain which nodes the delegate has and in which order they run: this is
 * proven, or data flow orders those of each handle, of whatever class. The handles of a changed
 * graph prove nothing. */
static bool is_node_order_known(delegate *d) {
  size_t count;
  const etr_delegate_node *nodes = etr_nodes_of_delegate(d->placement, d->instruction->id, &count);
  if (d->placement->method->graph->is_changed || !are_nodes_known(d))
    return false;
  for (size_t i = 0; !d->placement->is_proven && i < count; i++)
    if (has_equal_node(d, nodes[i].node, true))
      return false;
  return true;
}

/* ---- By the payload ---- */

/* Lists the operators of the payload as those that are expected to run, in order. An operator may
 * run as its class or an alternative, and a fused activation as an event of its own. Leaving out an
 * operator costs 1, because the runtime drops some, or nothing if it does no work. Returns false
 * when out of memory. */
static bool expect_payload_operators(delegate *d, expected_operators *p) {
  for (uint32_t i = 0; i < d->payload->count; i++) {
    const etr_payload_operator *operator_ = &d->payload->operators[i];
    const etr_align_item item = {.class_ = operator_->class_,
                                 .alternative = operator_->alternative,
                                 .weight = 1,
                                 .cost = operator_->is_idle ? 0 : 1};
    const etr_align_item activation = {.class_ = operator_->activation, .weight = 1, .cost = 1};
    if (!add_expected_operator(d, p, item, i))
      return false;
    if (operator_->activation && !add_expected_operator(d, p, activation, i))
      return false;
  }
  return true;
}

/* The cost of an event without an operator of the payload: an event is left out only if very many
 * operators would be instead. */
enum { MISSING_EVENT = 100 };

/* Returns whether the order in which the delegate runs its nodes decides for certain between a node
 * and others of its class that match an operator equally well. */
static bool is_in_known_order(delegate *d, uint32_t node) {
  return d->placement->is_ordered || (are_nodes_known(d) && !has_equal_node(d, node, false));
}

/* Sets which operator of the payload an event is, and its node if there is an Edge graph. The node
 * is an estimate if the alignment allows other operators, or if only an order that is not known
 * chose it among equal nodes. Returns false when out of memory. */
static bool set_payload_operator(delegate *d, etr_event *row, uint32_t operator_, bool is_unsure) {
  const etr_placed *placed = d->instruction;
  uint32_t node = placed->payload ? placed->operator_nodes[operator_] : ETR_NONE;
  bool is_by_order = node != ETR_NONE && placed->operator_by_order[operator_];
  bool is_estimate = is_unsure || (is_by_order && !is_in_known_order(d, node));
  etr_match match = is_estimate ? ETR_MATCH_ALIGNED : ETR_MATCH_PAYLOAD;
  row->payload_operator = operator_;
  row->is_operator_unsure = is_unsure;
  if (!d->placement->method->graph) {
    row->match = match;
    row->confidence = is_estimate ? 0.5 : 1;
  }
  return node == ETR_NONE || set_event_node(d, row, node, match, is_estimate ? 0.5 : 1);
}

/* Sets the operators of events by aligning them with those of the payload. An event of any class is
 * left out only if very many operators would be instead (MISSING_EVENT), because the payload has
 * them all; or if it computed in another type, as that of another export. Returns false when out of
 * memory. */
static bool match_by_payload(delegate *d) {
  expected_operators p = {0};
  if (!expect_payload_operators(d, &p))
    return false;
  etr_align_pair *pairs = align_events(d, &p, MISSING_EVENT, MISSING_EVENT);
  for (size_t i = 0; pairs && i < d->row_count; i++) {
    if (pairs[i].partner == ETR_NONE)
      continue;
    uint32_t operator_ = p.owners.data[pairs[i].partner];
    bool is_other = d->backend->is_of_other_type(d->payload, &d->payload->operators[operator_],
                                                 d->rows[i]->delegate_id);
    d->reading->has_other_types |= is_other;
    if (!is_other && !set_payload_operator(d, d->rows[i], operator_, pairs[i].is_unsure))
      return false;
  }
  return pairs != NULL;
}

/* ---- By order alone ---- */

enum {
  INSERTED_EVENT = 1, /* small: an event that a lowering may have inserted is rather paired with a
                         node than left out */
  ODD_EVENT = 6,      /* as much as a node that certainly runs and has no event */
};

/* Lists the operators that the delegate's nodes should run as, in the order of the nodes. `runs_as`
 * is a function of the backend: expect() says as what a node usually runs, allow() as what it can
 * run at all. Returns false when out of memory. */
static bool expect_node_operators(delegate *d, expected_operators *p,
                                  etr_expectation (*runs_as)(const etr_delegate_view *, uint32_t)) {
  size_t count;
  const etr_delegate_node *nodes = etr_nodes_of_delegate(d->placement, d->instruction->id, &count);
  etr_users *users = &d->reading->users;
  if (!users->list && !etr_users_find(users, d->placement->method->graph, d->arena))
    return false;
  etr_delegate_view view = {d->placement->method->graph, d->placement->method->uses,
                            d->placement->node_delegate, d->instruction->id, *users};
  for (size_t i = 0; i < count; i++) {
    etr_expectation expectation = runs_as(&view, nodes[i].node);
    for (uint32_t k = 0; expectation.class_ && k < expectation.count; k++)
      if (!add_expected_operator(d, p,
                                 (etr_align_item){expectation.class_, expectation.alternative,
                                                  expectation.weight, expectation.cost},
                                 expectation.node))
        return false;
  }
  return true;
}

/* ---- What is certain ---- */

/* A node is certain if it is the only one in all alignments of the delegate's events and nodes that
 * are possible at all. Of 157 records none of 8,323 certain events were wrong:
 *   - 5,490 if nothing is assumed of what is fused or dropped;
 *   - 1,821 more if everything runs as expected. The difference to 1 allows for versions of XNNPACK
 *     that no record covers;
 *   - 1,012 of the latter have an equal node, which the proven order distinguishes. */
static const double IN_ANY_CASE = 1, AS_EXPECTED = 0.95;

/* Confidence in a node that is not certain (tests/check/calibration.py repeats this on the
 * fixtures): the order is not known (238 of 238 that compute were right); several alignments
 * are possible (95 % of 182, by time 74 %); a conversion may have been replaced, although it is
 * not where the lowering is known to do that (197 of 197 in nine records, but of two versions
 * only); the events are not those expected. Where two pairings are equally good, chance alone
 * gives half, and so it is with layout in an unknown order (34 of 64 on four records). */
static const double UNORDERED = 0.9, REPLACED = 0.9, BY_ALIGNMENT = 0.6, BY_CHANCE = 0.5;

/* Returns whether the graph is of a version of ExecuTorch whose delegates were seen to run their
 * nodes in the order of the handle lists: 0.6 to 1.5. */
static bool is_of_known_version(const etr_graph *graph) {
  const char *version = graph->schema_version;
  return version && (strcmp(version, "5.3") == 0 || strcmp(version, "5.4") == 0);
}

/* What all alignments of a delegate's events with its nodes have in common. */
typedef struct certain_nodes {
  bool is_order_known;   /* the order in which the delegate runs its nodes is certain */
  bool is_as_expected;   /* the events can be aligned so that all nodes run as expected */
  uint32_t *expected;    /* per event: its node in all these alignments; ETR_NONE: several */
  uint32_t *in_any_case; /* per event: its node in all alignments that are possible at all, if
                            nothing is assumed of what is fused or dropped; ETR_NONE: several */
} certain_nodes;

/* Finds the nodes that all alignments give the events: alignments in which all nodes run as
 * expected, and those that are possible at all. An alignment may leave out events that a lowering
 * may have inserted (a cost of INSERTED_EVENT), and nodes that cost nothing. Returns false when out
 * of memory. */
static bool find_certain_nodes(delegate *d, certain_nodes *out,
                               const expected_operators *expected) {
  expected_operators allowed = {0};
  bool has_pairing;
  etr_align_item *events = list_events(d, INSERTED_EVENT, ODD_EVENT);
  out->expected = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *out->expected);
  out->in_any_case = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *out->in_any_case);
  if (!events || !out->expected || !out->in_any_case)
    return false;
  out->is_order_known = is_node_order_known(d);
  if (!expect_node_operators(d, &allowed, d->backend->allow))
    return false;
  etr_align_side rows = {events, NULL, d->row_count, INSERTED_EVENT};
  etr_align_side as_expected = {expected->items.data, expected->owners.data, expected->items.count,
                                0};
  etr_align_side in_any_case = {allowed.items.data, allowed.owners.data, allowed.items.count, 0};
  return etr_align_only(out->expected, &out->is_as_expected, &rows, &as_expected, &d->scratch) &&
         etr_align_only(out->in_any_case, &has_pairing, &rows, &in_any_case, &d->scratch);
}

/* Sets the node of an event if all alignments give it this node, so that no estimate is needed, and
 * *is_set to whether it did. If another node of the delegate has the same handle and class, only
 * the proven order says which it is. The confidence is higher if no alignment that is possible at
 * all, in a version of ExecuTorch whose order is known, gives another node. Returns false when out
 * of memory. */
static bool set_certain_node(delegate *d, const certain_nodes *certain, size_t row, bool *is_set) {
  uint32_t sure = certain->in_any_case[row];
  uint32_t node = sure != ETR_NONE ? sure : certain->expected[row];
  *is_set = false;
  if (!certain->is_order_known || !certain->is_as_expected || node == ETR_NONE)
    return true;
  /* The lowering may have made the event's operator itself: its order shows no node. */
  if (d->backend->traits(d->classes[row]) & ETR_CLASS_REPLACED)
    return true;
  bool has_equal = has_equal_node(d, node, false);
  bool is_by_proof = d->placement->is_proven && certain->expected[row] == node;
  if (has_equal && !is_by_proof)
    return true;
  bool is_sure = sure != ETR_NONE && !has_equal && is_of_known_version(d->placement->method->graph);
  double confidence = is_sure ? IN_ANY_CASE : AS_EXPECTED;
  *is_set = true;
  return set_event_node(d, d->rows[row], node, ETR_MATCH_ORDER, confidence);
}

/* Returns how sure the node of an aligned event is, as a measured share of right ones, by what
 * could have gone otherwise. `is_unsure`: another alignment with the same score gives another node.
 */
static double confidence_of_aligned(const delegate *d, const certain_nodes *certain, size_t row,
                                    bool is_unsure) {
  if (!certain->is_order_known && certain->is_as_expected)
    return is_inserted(d, row) ? BY_CHANCE : UNORDERED;
  if (is_unsure && !is_inserted(d, row))
    return BY_CHANCE;
  bool is_replaced = d->backend->traits(d->classes[row]) & ETR_CLASS_REPLACED;
  return certain->is_as_expected && is_replaced ? REPLACED : BY_ALIGNMENT;
}

/* Returns whether an event is a copy that a lowering made in place of a dequantization, and not
 * this node: it comes behind an inserted change of layout. Of 51 such events in four records none
 * was the node's. */
static bool is_copy_instead_of(const delegate *d, size_t row, uint32_t node) {
  const char *target = d->placement->method->graph->nodes[node].target;
  if (row == 0 || !etr_slice_starts(etr_operator_of_target(target), ETR_SLICE("dequantize")))
    return false;
  bool is_behind_inserted = d->rows[row - 1]->node_count == 0 && is_inserted(d, row - 1);
  return is_behind_inserted && d->backend->traits(d->classes[row]) & ETR_CLASS_REPLACED &&
         !(d->backend->traits(d->classes[row - 1]) & ETR_CLASS_REPLACED);
}

/* Returns whether an expected operator is of this class, has no event yet, and should have run: one
 * that costs nothing to leave out may never run. */
static bool may_remain(const expected_operators *p, const bool *is_taken, size_t index,
                       uint16_t class_) {
  const etr_align_item *item = &p->items.data[index];
  return !is_taken[index] && item->class_ == class_ && item->cost != 0;
}

/* Gives events that the alignment left without a partner the remaining expected operators of their
 * class, in order: if the order is unknown, an event may have run before an operator that the
 * alignment has already passed. Returns false when out of memory. */
static bool pair_remaining_events(delegate *d, const expected_operators *p,
                                  const etr_align_pair *pairs) {
  size_t next[ETR_MOST_CLASSES] = {0};
  bool *is_taken = etr_arena_alloc_array(&d->scratch, p->items.count + 1, sizeof *is_taken);
  if (!is_taken)
    return false;
  for (size_t i = 0; i < d->row_count; i++)
    if (pairs[i].partner != ETR_NONE)
      is_taken[pairs[i].partner] = true;
  for (size_t i = 0; i < d->row_count; i++) {
    uint16_t class_ = d->classes[i];
    if (d->rows[i]->node_count || pairs[i].partner != ETR_NONE)
      continue;
    if (class_ == 0 || class_ >= ETR_MOST_CLASSES)
      continue;
    size_t *item = &next[class_];
    while (*item < p->items.count && !may_remain(p, is_taken, *item, class_))
      ++*item;
    if (*item == p->items.count)
      continue;
    uint32_t node = p->owners.data[*item];
    ++*item;
    if (!set_event_node(d, d->rows[i], node, ETR_MATCH_ALIGNED, BY_CHANCE))
      return false;
  }
  return true;
}

/* Sets the nodes of events by aligning them with the operators that the nodes are expected to run
 * as; an event whose node is certain gets that one, and a copy that replaced the aligned node gets
 * none. Events without a partner then get what is left of their class. Returns false when out of
 * memory. */
static bool align_events_with_nodes(delegate *d) {
  expected_operators p = {0};
  certain_nodes certain = {0};
  etr_align_pair *pairs = expect_node_operators(d, &p, d->backend->expect)
                              ? align_events(d, &p, INSERTED_EVENT, ODD_EVENT)
                              : NULL;
  if (!pairs || !find_certain_nodes(d, &certain, &p))
    return false;
  for (size_t i = 0; i < d->row_count; i++) {
    bool is_set;
    if (!set_certain_node(d, &certain, i, &is_set))
      return false;
    uint32_t partner = pairs[i].partner;
    uint32_t node = partner == ETR_NONE ? ETR_NONE : p.owners.data[partner];
    if (is_set || node == ETR_NONE || is_copy_instead_of(d, i, node))
      continue;
    double confidence = confidence_of_aligned(d, &certain, i, pairs[i].is_unsure);
    if (!set_event_node(d, d->rows[i], node, ETR_MATCH_ALIGNED, confidence))
      return false;
  }
  return pair_remaining_events(d, &p, pairs);
}

/* ---- By order, once for all ETDumps whose events are alike ---- */

/* The nodes of a delegate's rows; ETR_NONE: it has none. */
typedef struct kept_nodes {
  size_t steps; /* that it took to find them */
  etr_event_node rows[];
} kept_nodes;

/* Returns an address that identifies, among the results that are kept for other ETDumps, the
 * assignment of all nodes of the graph to delegates: equal assignments have the same address, so
 * that keys contain it instead of a number for each node. NULL if nothing more can be kept. */
static const void *find_key_of_placement(delegate *d) {
  const etr_method_inputs *method = d->placement->method;
  etr_delegate_reading *reading = d->reading;
  if (reading->placement)
    return reading->placement;
  etr_text key = {.arena = &d->scratch};
  etr_text_add(&key, ETR_SLICE("placement"));
  etr_text_add(&key, ETR_BYTES(method->graph->nodes));
  etr_text_add(&key, (etr_slice){(const char *)d->placement->node_delegate,
                                 method->graph->node_count * sizeof(int32_t)});
  if (etr_arena_failed(&d->scratch))
    return NULL;
  etr_slice whole = {key.data, key.size};
  reading->placement = etr_kept_find(method->kept, whole);
  if (reading->placement)
    return reading->placement;
  etr_kept_entry *entry = etr_kept_start(method->kept, whole);
  if (entry && etr_kept_add(method->kept, entry, entry))
    reading->placement = entry;
  return reading->placement;
}

/* Returns the key by which the nodes of a delegate's events are kept for other ETDumps. It has all
 * that these depend on: the classes of the events, the nodes of the delegate, and which delegates
 * run the other nodes. */
static etr_slice key_of_events(delegate *d) {
  const etr_placement *p = d->placement;
  size_t count;
  const etr_delegate_node *nodes = etr_nodes_of_delegate(p, d->instruction->id, &count);
  const struct {
    const void *placement;
    const etr_backend *backend;
    size_t rows, nodes;
    int32_t instruction_id;
    uint32_t is_proven;
  } head = {d->reading->placement, d->backend,  d->row_count, count,
            d->instruction->id,    p->is_proven};
  ETR_NO_PADDING(head, 2 * sizeof(void *) + 2 * sizeof(size_t) + 2 * sizeof(uint32_t));
  etr_text key = {.arena = &d->scratch};
  etr_text_add(&key, ETR_SLICE("rows"));
  etr_text_add(&key, ETR_BYTES(head));
  etr_text_add(&key, (etr_slice){(const char *)d->classes, d->row_count * sizeof *d->classes});
  etr_text_add(&key, (etr_slice){(const char *)nodes, count * sizeof *nodes});
  return (etr_slice){key.data, key.size};
}

/* Sets the nodes that were found for equal events of another ETDump. Spends as many steps as
 * finding them took, so that limits are reached as without it. Returns false when out of memory. */
static bool set_kept_nodes(delegate *d, const kept_nodes *kept) {
  etr_spend(&d->reading->steps_left, kept->steps);
  for (size_t i = 0; i < d->row_count; i++) {
    const etr_event_node *found = &kept->rows[i];
    if (found->node == ETR_NONE)
      continue;
    if (!set_event_node(d, d->rows[i], found->node, found->match, found->confidence))
      return false;
  }
  return true;
}

/* Keeps the nodes of the delegate's events for other ETDumps, unless a limit was reached while they
 * were found, or memory is missing. `steps`: what finding them took. */
static void keep_nodes(const delegate *d, etr_kept_entry *entry, size_t steps) {
  kept_nodes *kept = etr_arena_alloc(&entry->arena,
                                     sizeof *kept + d->row_count * sizeof kept->rows[0]);
  if (!kept || d->reading->steps_left == 0) {
    etr_kept_drop(entry);
    return;
  }
  kept->steps = steps;
  for (size_t i = 0; i < d->row_count; i++) {
    const etr_event *row = d->rows[i];
    kept->rows[i] = (etr_event_node){row->node_count ? row->nodes[0] : ETR_NONE, row->match,
                                     row->confidence};
  }
  etr_kept_add(d->placement->method->kept, entry, kept);
}

/* Sets the nodes of events by order alone. Uses what was found for equal events of another ETDump,
 * if it was kept and as many steps are left as finding it took. Returns false when out of memory.
 */
static bool match_by_order(delegate *d) {
  etr_kept *all = d->placement->method->kept;
  if (!all || !find_key_of_placement(d))
    return align_events_with_nodes(d);
  etr_slice key = key_of_events(d);
  const kept_nodes *kept = etr_arena_failed(&d->scratch) ? NULL : etr_kept_find(all, key);
  if (kept && kept->steps < d->reading->steps_left)
    return set_kept_nodes(d, kept);
  size_t before = d->reading->steps_left;
  if (!align_events_with_nodes(d))
    return false;
  etr_kept_entry *entry = kept ? NULL : etr_kept_start(all, key);
  if (entry)
    keep_nodes(d, entry, before - d->reading->steps_left);
  return true;
}

/* ---- By class ---- */

/* Marks events without a node as inserted by the lowering, if it inserts operators of their class.
 * All others have no match: they may compute, so their time is unexplained. */
static void mark_inserted_events(const delegate *d) {
  for (size_t i = 0; i < d->row_count; i++) {
    etr_event *row = d->rows[i];
    row->is_inserted = row->node_count == 0 && d->classes && is_inserted(d, i);
    if (row->node_count == 0 && !row->is_inserted)
      row->match = ETR_MATCH_NONE;
  }
}

/* Sets the nodes of events whose names say only which kind of operator ran: by the operators of the
 * payload, or else by the order of the delegate's nodes. Order is not tried where data flow read
 * the payload, which then says all, or if there is no Edge graph. Returns false when out of memory.
 */
static bool match_by_class(delegate *d) {
  d->classes = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *d->classes);
  if (!d->classes)
    return false;
  for (size_t i = 0; i < d->row_count; i++)
    d->classes[i] = d->backend->class_of_event(d->rows[i]->delegate_id);
  if (!d->can_plan)
    return true;
  if (d->payload && !match_by_payload(d))
    return false;
  return d->instruction->payload || !d->placement->method->graph || match_by_order(d);
}

/* Returns how many operators the delegate could run, which is what aligning its events costs. */
static size_t count_possible_operators(const delegate *d) {
  size_t nodes;
  etr_nodes_of_delegate(d->placement, d->instruction->id, &nodes);
  return nodes + (d->payload ? d->payload->count : 0);
}

/* Collects the delegate's own events. The row of the call may be anywhere among them: after them if
 * it is timed once, or before an event that only a later iteration of a loop ran. Returns false
 * when out of memory. */
static bool collect_rows(delegate *d, etr_event *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    d->row_count += rows[i].kind == ETR_EVENT_DELEGATE_OPERATOR;
  if (d->row_count == 0)
    return true;
  d->rows = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *d->rows);
  for (size_t i = 0, taken = 0; d->rows && i < count; i++)
    if (rows[i].kind == ETR_EVENT_DELEGATE_OPERATOR)
      d->rows[taken++] = &rows[i];
  return d->rows != NULL;
}

/* ---- By what the backend says ---- */

/* Sets the meaning and nodes of events that the backend's decoder understands, also by the
 * delegate map. Returns false when out of memory. */
static bool match_by_decoder(delegate *d, const etr_decoder *decoder) {
  etr_decoded decoded = {.placement = d->placement,
                         .instruction = d->instruction,
                         .decoder = decoder,
                         .rows = d->rows,
                         .count = d->row_count,
                         .ticks_per_ns = d->reading->ticks_per_ns,
                         .arena = d->arena,
                         .scratch = &d->scratch};
  if (!etr_decoded_read(&decoded, &d->reading->decoding))
    return false;
  d->meanings = decoded.meanings;
  if (d->can_plan && !etr_decoded_join(&decoded))
    return false;
  if (d->instruction->map && d->can_plan && !match_by_map(d))
    return false;
  /* Rows without a node are the delegate's own work: if there is a graph, the lowering inserted
   * them; without a graph they computed. */
  for (size_t i = 0; i < d->row_count; i++) {
    etr_event *row = d->rows[i];
    bool is_own = row->role == ETR_ROLE_OPERATOR && row->node_count == 0;
    row->is_inserted = is_own && row->is_in_sums && d->placement->method->graph;
    if (is_own)
      row->phase = d->placement->method->graph ? ETR_PHASE_OTHER : ETR_PHASE_COMPUTE;
  }
  return true;
}

/* ---- All ---- */

/* Sets the nodes of events whose backend has no decoder: by the delegate map, or else by the kind
 * of operator that their names say, for which there must be nodes to find (a map and an Edge graph)
 * or, without a graph, a payload. Returns false when out of memory. */
static bool match_without_decoder(delegate *d) {
  const etr_map_instruction *map = d->instruction->map;
  bool has_ids = map && map->id_count;
  bool has_nodes = map && d->placement->method->graph;
  bool has_only_payload = !d->placement->method->graph && d->payload;
  bool good = true;
  if (has_ids)
    good = !d->can_plan || match_by_map(d);
  else if (d->backend && (has_nodes || has_only_payload))
    good = match_by_class(d);
  if (good && has_nodes)
    mark_inserted_events(d);
  return good;
}

/* Finds the backend of a call's events, by the program or by the first event's name, and reads the
 * payload, unless it was read before. Both stay NULL if unknown. */
static void find_backend_and_payload(delegate *d) {
  const etr_placed *instruction = d->instruction;
  d->backend = instruction->backend ? etr_backend_of(instruction->backend)
                                    : etr_backend_of_event(d->rows[0]->delegate_id);
  d->payload = instruction->payload;
  if (!d->payload && d->backend && d->placement->method->payloads)
    d->payload = etr_payloads_read(d->placement->method->payloads, d->backend,
                                   etr_method_payload(d->placement->method, instruction->id));
}

/* Uses the backend's decoder if there is one, else map, payload or class of the events. Once the
 * limit of operators is reached, events get no more nodes. */
bool etr_delegate_rows(const etr_placement *placement, const etr_placed *instruction,
                       etr_event *rows, size_t count, etr_delegate_reading *reading,
                       etr_arena *arena) {
  delegate d = {
      .placement = placement, .instruction = instruction, .reading = reading, .arena = arena};
  bool good = collect_rows(&d, rows, count);
  const etr_decoder *decoder = etr_decoder_of(instruction->backend);
  if (good && d.row_count) {
    if (!decoder)
      find_backend_and_payload(&d);
    d.can_plan = reading->plans_left > 0 &&
                 etr_spend(&reading->plans_left, count_possible_operators(&d));
    good = decoder ? match_by_decoder(&d, decoder) : match_without_decoder(&d);
  }
  good = good && !etr_arena_failed(&d.scratch);
  etr_arena_clear(&d.scratch);
  return good;
}

/* ---- Kernels by their instruction; operators in delegates by delegates.c ---- */

typedef struct finder {
  const etr_placement *placement;
  etr_arena *arena;
  bool logs_kernels; /* kernels log events with their names */
  etr_delegate_reading reading;
} finder;

/* Returns whether a delegate logged the event although it looks like one of the runtime: the events
 * of some backends show this by a mark in their names. */
static bool is_logged_by_delegate(const etr_event *event, const etr_placed *instruction) {
  const etr_decoder *decoder = instruction && instruction->is_delegate
                                   ? etr_decoder_of(instruction->backend)
                                   : NULL;
  return decoder && decoder->mark && event->kind == ETR_EVENT_FRAMEWORK &&
         strstr(event->name, decoder->mark);
}

/* Sets the role of an event by its kind, and whether its time counts in sums. Some backends time
 * operators out of their order, which then have no place in the timeline. */
static void set_role(etr_event *event, const etr_placed *instruction) {
  const etr_backend *backend = instruction ? etr_backend_of(instruction->backend) : NULL;
  static const etr_event_role roles[] = {[ETR_EVENT_FRAMEWORK] = ETR_ROLE_NONE,
                                         [ETR_EVENT_KERNEL] = ETR_ROLE_OPERATOR,
                                         [ETR_EVENT_DELEGATE_CALL] = ETR_ROLE_CONTAINER,
                                         [ETR_EVENT_DELEGATE_OPERATOR] = ETR_ROLE_OPERATOR};
  event->role = roles[event->kind];
  event->is_in_sums = event->role == ETR_ROLE_OPERATOR;
  event->has_no_place = backend && backend->has_no_places &&
                        event->kind == ETR_EVENT_DELEGATE_OPERATOR;
}

/* Sets the kind, role, backend, match and handles of an event as far as its instruction says them.
 * It still has no node. An operator in a delegate gets no handles yet, because its instruction has
 * those of all nodes of the delegate. */
static void describe_event(etr_event *event, const etr_placed *instruction) {
  const etr_map_instruction *map = instruction ? instruction->map : NULL;
  static const etr_match matches[] = {[ETR_EVENT_FRAMEWORK] = ETR_MATCH_FRAMEWORK,
                                      [ETR_EVENT_KERNEL] = ETR_MATCH_NONE,
                                      [ETR_EVENT_DELEGATE_CALL] = ETR_MATCH_DELEGATE,
                                      [ETR_EVENT_DELEGATE_OPERATOR] = ETR_MATCH_DELEGATE};
  event->payload_operator = ETR_NONE;
  if (is_logged_by_delegate(event, instruction))
    event->kind = ETR_EVENT_DELEGATE_OPERATOR;
  event->match = matches[event->kind];
  set_role(event, instruction);
  if (etr_event_is_in_delegate(event) && instruction)
    event->backend = instruction->backend;
  if (!map || event->kind == ETR_EVENT_DELEGATE_OPERATOR)
    return;
  event->handles = map->handles;
  event->handle_count = map->handle_count;
}

/* Returns whether a kernel belongs to the runtime itself: one of executorch_prim, or of the loop
 * around a body, or a sym_size without a handle. If no program says what a kernel is, one that logs
 * no name is such a kernel, too: if it has no handle while kernels of the graph log their names, or
 * if its node is arithmetic on sizes (_operator). */
static bool is_of_runtime(const finder *f, const etr_event *event, const etr_placed *instruction) {
  bool is_unknown = !instruction->map || instruction->map->handle_count == 0;
  if (instruction->is_prim || instruction->is_of_loop)
    return true;
  const etr_graph *graph = f->placement->method->graph;
  bool has_program = f->placement->method->program != NULL;
  if (is_unknown && (graph || !has_program) && etr_slice_is(instruction->op, "sym_size"))
    return true;
  if (has_program || !graph || strcmp(event->name, "OPERATOR_CALL") != 0)
    return false;
  if (instruction->node == ETR_NONE)
    return is_unknown && f->logs_kernels;
  return strncmp(graph->nodes[instruction->node].target, "_operator.", 10) == 0;
}

/* Sets the node of a kernel's event, if its instruction has one; what the runtime itself does has
 * none. A node that was only found by alignment is as likely right as not, hence a confidence of
 * 0.5. Returns false when out of memory. */
static bool set_node_of_kernel_event(finder *f, etr_event *event, const etr_placed *instruction) {
  if (!instruction)
    return true;
  if (is_of_runtime(f, event, instruction))
    event->match = ETR_MATCH_FRAMEWORK;
  if (instruction->node == ETR_NONE || event->match == ETR_MATCH_FRAMEWORK)
    return true;
  uint32_t *node = etr_arena_alloc(f->arena, sizeof *node);
  if (!node)
    return false;
  *node = instruction->node;
  event->nodes = node;
  event->node_count = 1;
  event->match = instruction->match;
  event->confidence = event->match == ETR_MATCH_ALIGNED ? 0.5 : 1;
  return true;
}

/* ---- Names of kernels ---- */

/* Cuts a separator and the number behind it off the end of a name: " #12" of XNNPACK's operators,
 * ":OpId_7" of QNN's. A name without both, or of nothing else, is returned as it is. */
static etr_slice without_number(etr_slice name, etr_slice separator) {
  etr_slice cut = name;
  while (cut.size && cut.data[cut.size - 1] >= '0' && cut.data[cut.size - 1] <= '9')
    cut.size--;
  if (cut.size == name.size || !etr_slice_ends(cut, separator))
    return name;
  cut.size -= separator.size;
  return cut.size ? cut : name;
}

/* Returns the name of a kernel, or of an operator in a delegate, without the number that its
 * backend gave this one, so that all calls of one kernel have one name. A kernel without a name of
 * its own has that of its operator, if the program says it. */
static etr_slice kernel_name_of(const etr_event *event, const etr_placed *instruction) {
  static const char prefix[] = "native_call_";
  etr_slice name = etr_slice_of(event->label);
  if (event->kind == ETR_EVENT_KERNEL && etr_slice_starts(name, etr_slice_of(prefix)))
    return etr_slice_of(event->label + sizeof prefix - 1);
  if (event->kind == ETR_EVENT_KERNEL)
    return instruction && instruction->op.size ? instruction->op : name;
  etr_slice cut = without_number(name, ETR_SLICE(":OpId_"));
  if (cut.size < name.size)
    return without_number(cut, ETR_SLICE("_")); /* QNN's operators have the names of nodes */
  return without_number(name, ETR_SLICE(" #"));
}

/* Sets the kernel of an event (the name of the code that ran), unless its backend has named it.
 * Shares the memory of the label if the name is its end. Returns false when out of memory. */
static bool name_kernel(finder *f, etr_event *event, const etr_placed *instruction) {
  if (event->role != ETR_ROLE_OPERATOR || event->kernel || !event->label)
    return true;
  etr_slice name = kernel_name_of(event, instruction);
  etr_slice label = etr_slice_of(event->label);
  bool is_end = name.data >= label.data && name.data + name.size == label.data + label.size;
  event->kernel = is_end ? name.data : etr_arena_text(f->arena, name);
  return event->kernel != NULL;
}

/* What the starts of a delegate's operators are. */
typedef enum start_kind { STARTS_UNKNOWN, STARTS_MEASURED, STARTS_MADE_UP } start_kind;

/* Returns what the starts of the operators of one instruction are, by one run. They are made up if
 * the durations fill the time from the first start to the last end: where only durations were
 * measured, each start is the end of another operator, and clocks that measure starts leave gaps.
 * Fewer than two operators with a duration say nothing. */
static start_kind find_start_kind(const etr_event *rows, size_t count) {
  uint64_t first_start = UINT64_MAX, last_end = 0, sum = 0;
  size_t timed = 0;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].kind != ETR_EVENT_DELEGATE_OPERATOR || rows[i].sample_count == 0)
      continue;
    uint64_t start = rows[i].starts[0], duration = rows[i].durations[0];
    first_start = ETR_MIN(first_start, start);
    last_end = ETR_MAX(last_end, etr_add_up_to_most(start, duration));
    sum = etr_add_up_to_most(sum, duration);
    timed += duration > 0;
  }
  if (timed < 2)
    return STARTS_UNKNOWN;
  return last_end - first_start == sum ? STARTS_MADE_UP : STARTS_MEASURED;
}

/* Returns true if nothing says which backend an event's instruction calls, if any. */
static bool has_unknown_backend(const finder *f, const etr_event *event) {
  const etr_placed *instruction = etr_placed_instruction(f->placement, event->instruction_id);
  return !instruction || !instruction->backend;
}

/* Marks operators in delegates of unknown backends as without a place if their starts are made up.
 * A delegate that says nothing of its starts is taken to be like the block's others. */
static void mark_made_up_starts(const finder *f, const etr_block *block, etr_event *rows) {
  size_t kinds[STARTS_MADE_UP + 1] = {0};
  for (size_t i = 0, end; i < block->event_count; i = end) {
    end = etr_block_instruction_end(block, i);
    if (has_unknown_backend(f, &rows[i]))
      kinds[find_start_kind(&rows[i], end - i)]++;
  }
  if (kinds[STARTS_MADE_UP] == 0)
    return;
  for (size_t i = 0, end; i < block->event_count; i = end) {
    end = etr_block_instruction_end(block, i);
    if (!has_unknown_backend(f, &rows[i]))
      continue;
    start_kind kind = find_start_kind(&rows[i], end - i);
    bool is_like_others = kind == STARTS_UNKNOWN && kinds[STARTS_MEASURED] == 0;
    bool is_made_up = kind == STARTS_MADE_UP || is_like_others;
    for (size_t k = i; is_made_up && k < end; k++)
      rows[k].has_no_place |= rows[k].kind == ETR_EVENT_DELEGATE_OPERATOR;
  }
}

/* Describes the events of a block and finds their nodes, one instruction after the other. Names
 * kernels last, because a decoder may have named some. Returns false when out of memory. */
static bool assign_nodes_of_block(finder *f, const etr_block *block, etr_event *rows) {
  for (size_t i = 0, end; i < block->event_count; i = end) {
    const etr_placed *instruction = etr_placed_instruction(f->placement,
                                                           block->events[i].instruction_id);
    end = etr_block_instruction_end(block, i);
    for (size_t k = i; k < end; k++) {
      etr_event *event = &rows[k];
      describe_event(event, instruction);
      if (event->kind == ETR_EVENT_KERNEL && !set_node_of_kernel_event(f, event, instruction))
        return false;
    }
    if (instruction &&
        !etr_delegate_rows(f->placement, instruction, &rows[i], end - i, &f->reading, f->arena))
      return false;
    for (size_t k = i; k < end; k++)
      if (!name_kernel(f, &rows[k], instruction))
        return false;
  }
  mark_made_up_starts(f, block, rows);
  return true;
}

/* All blocks of the method share one limit of work, and a warning says that it was reached. */
bool etr_assign_event_nodes(const etr_placement *placement, uint32_t method,
                            const etr_blocks *blocks, etr_arena *arena, etr_warnings *warnings) {
  finder f = {
      .placement = placement,
      .arena = arena,
      .reading = {.plans_left = ETR_DELEGATE_PLANS,
                  .steps_left = ETR_DELEGATE_STEPS,
                  .ticks_per_ns = blocks->ticks_per_second / 1e9,
                  .decoding = {.samples = &blocks->samples, .ticks_left = ETR_DUMP_MOST_TICKS}}};
  size_t count;
  const uint32_t *block_indices = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < placement->instructions.count; i++)
    f.logs_kernels |= placement->instructions.data[i].op.size > 0;
  for (size_t i = 0; i < count; i++) {
    const etr_block *block = &blocks->blocks[block_indices[i]];
    if (!etr_block_counts(blocks, block))
      continue;
    if (!assign_nodes_of_block(&f, block, etr_block_rows(blocks, block)))
      return false;
  }
  if (f.reading.plans_left == 0)
    etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: too many runs with different events in delegates: what ran in some of them gets "
             "no node",
             etr_method_label(placement->method));
  if (f.reading.has_other_types)
    etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: the ETDump is of another export than the program: layers in delegates computed "
             "in other types of numbers, and their time is on no node",
             etr_method_label(placement->method));
  etr_decoding_warn(&f.reading.decoding, etr_method_label(placement->method), warnings);
  return true;
}
