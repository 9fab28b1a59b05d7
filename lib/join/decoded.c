/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoded.c - sets the roles and nodes of events from what their decoder says.
 */
#include "join/decoded.h"

#include "backends/operator.h"
#include "inputs/maps.h"
#include "join/align.h"

/* ---- Facts ---- */

/* Collects what the decoder of a backend may know about an event: its name, its entry in the
 * delegate map, and its metadata. */
static etr_event_facts event_facts_of(const etr_decoded *d, const etr_event *row) {
  const etr_map_instruction *map = d->instruction->map;
  const etr_map_delegate_id *listed = map && row->delegate_id
                                          ? etr_maps_find_id(map, row->delegate_id)
                                          : NULL;
  return (etr_event_facts){.name = row->delegate_id ? row->delegate_id : row->name,
                           .is_number = row->delegate_id_is_int,
                           .is_listed = listed != NULL,
                           .handle_count = listed ? listed->handle_count : 0,
                           .metadata = row->metadata,
                           .metadata_count = row->metadata ? row->sample_count : 0};
}

/* ---- Roles ---- */

/* Converts an event's durations and their statistics from a backend's own unit to ticks; `factor`
 * is the ticks of one unit. If the ticks of all events would exceed their limit, the event becomes
 * a counter and counts as odd, as a file with such times is damaged. */
static void convert_durations(etr_event *row, etr_event_meaning *meaning, double factor,
                              etr_decoding *decoding) {
  const double MOST_TICKS = 9e18; /* of an excluded run, whose ticks have no limit together */
  uint64_t *durations = decoding->samples->durations + etr_samples_first(decoding->samples, row);
  double sum = row->stats.avg * (double)row->stats.count * factor;
  if (sum > (double)decoding->ticks_left) {
    *meaning = (etr_event_meaning){.role = ETR_ROLE_COUNTER,
                                   .unit = ETR_EVENT_UNIT_COUNT,
                                   .has_no_place = true,
                                   .is_unexpected = true};
    return;
  }
  decoding->ticks_left -= (uint64_t)sum;
  for (size_t i = 0; i < row->sample_count + row->excluded_count; i++)
    durations[i] = (uint64_t)ETR_MIN((double)durations[i] * factor + 0.5, MOST_TICKS);
  double *stats[] = {&row->stats.avg, &row->stats.min, &row->stats.max,
                     &row->stats.p10, &row->stats.p50, &row->stats.p90};
  for (size_t i = 0; i < ETR_COUNT(stats); i++)
    *stats[i] *= factor;
}

/* Counts an event that is not what its backend is known to write, by decoder, for a warning that
 * names the first one. Returns false when out of memory. */
static bool count_odd_event(etr_decoding *decoding, const etr_decoder *decoder, const char *name,
                            etr_arena *arena) {
  for (size_t i = 0; i < decoding->odd.count; i++) {
    if (decoding->odd.data[i].decoder != decoder)
      continue;
    decoding->odd.data[i].count++;
    return true;
  }
  etr_odd_events *added = etr_vec_push(arena, &decoding->odd);
  if (added)
    *added = (etr_odd_events){decoder, 1, name};
  return added != NULL;
}

/* Copies what the decoder says of an event to it. An odd event, which is not what the backend is
 * known to write, gets no node. */
static void set_meaning(const etr_decoded *d, etr_event *row, etr_event_meaning *meaning) {
  const char *label = meaning->label ? etr_arena_text(d->arena, etr_slice_of(meaning->label))
                                     : NULL;
  if (label)
    row->label = label;
  if (meaning->kernel.size)
    row->kernel = etr_arena_text(d->arena, meaning->kernel);
  row->note = meaning->note ? etr_arena_text(d->arena, etr_slice_of(meaning->note)) : NULL;
  row->role = meaning->role;
  row->phase = meaning->phase;
  row->unit = meaning->unit;
  row->is_in_sums = meaning->is_in_sums && meaning->unit == ETR_EVENT_UNIT_TIME;
  row->is_estimated = meaning->is_estimated;
  row->has_no_place = meaning->has_no_place;
  row->wrapper = meaning->wrapper;
  row->inside = meaning->inside;
  row->wrapper_phase = meaning->wrapper_phase;
  row->compute_unit = meaning->compute_unit;
  row->is_unit_planned = meaning->is_unit_planned;
  if (meaning->is_unexpected)
    meaning->key = ETR_KEY_NONE;
}

/* Has the decoder interpret all events of the call together, because their meaning can depend on
 * each other. An event of which it says nothing is an operator that counts in sums. Durations that
 * count steps of step_ns become ticks. */
bool etr_decoded_read(etr_decoded *d, etr_decoding *decoding) {
  etr_event_facts *facts = etr_arena_alloc_array(d->scratch, d->count, sizeof *facts);
  d->meanings = etr_arena_alloc_array(d->scratch, d->count, sizeof *d->meanings);
  if (etr_arena_failed(d->scratch))
    return false;
  for (size_t i = 0; i < d->count; i++) {
    facts[i] = event_facts_of(d, d->rows[i]);
    d->meanings[i] = (etr_event_meaning){.role = ETR_ROLE_OPERATOR, .is_in_sums = true};
  }
  if (!d->decoder->read(d->meanings, facts, d->count, d->scratch))
    return false;
  for (size_t i = 0; i < d->count; i++) {
    etr_event_meaning *meaning = &d->meanings[i];
    if (meaning->step_ns)
      convert_durations(d->rows[i], meaning, meaning->step_ns * d->ticks_per_ns, decoding);
    set_meaning(d, d->rows[i], meaning);
    if (meaning->is_unexpected && !count_odd_event(decoding, d->decoder, facts[i].name, d->arena))
      return false;
  }
  return true;
}

/* Warns once for each decoder of events that are not what its backend writes. */
void etr_decoding_warn(const etr_decoding *decoding, const char *method, etr_warnings *warnings) {
  for (size_t i = 0; i < decoding->odd.count; i++) {
    const etr_odd_events *odd = &decoding->odd.data[i];
    etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: %zu event%s of %s not what this backend is known to write, the first of them "
             "\"%.*s\": given no node",
             method, odd->count, odd->count == 1 ? " is" : "s are", odd->decoder->id,
             ETR_HEAD(odd->first, 80));
  }
}

/* ---- By the node's name ---- */

/* Gives each event that names a node the delegate's node of this name. If several events have the
 * name of a node, only the first belongs to it, because a lowering reuses the name for operators
 * that it inserts. Returns false when out of memory. */
static bool join_by_name(const etr_decoded *d) {
  size_t count;
  const etr_graph *graph = d->placement->method->graph;
  const etr_delegate_node *nodes = etr_nodes_of_delegate(d->placement, d->instruction->id, &count);
  etr_map by_name;
  etr_map_init(&by_name, d->scratch);
  for (size_t i = 0; i < count; i++)
    if (!etr_map_set(&by_name, etr_slice_of(graph->nodes[nodes[i].node].name), nodes[i].node))
      return false;
  for (size_t i = 0; i < d->count; i++) {
    if (d->meanings[i].key != ETR_KEY_NODE)
      continue;
    uint32_t node = etr_map_get(&by_name, d->meanings[i].node);
    if (node == ETR_NONE)
      continue;
    const etr_event_node found = {node, ETR_MATCH_NAME, 1};
    if (!etr_map_set(&by_name, d->meanings[i].node, ETR_NONE) ||
        !etr_event_set_node(d->rows[i], graph, found, d->arena))
      return false;
  }
  return true;
}

/* ---- By the delegate's own operators ---- */

/* An operator of the delegate's graph. */
typedef struct own_operator {
  int64_t position;
  uint32_t
      number; /* index in the payload's graph; without one, index of the first row that names it */
  uint32_t node;
  const char *name;
  bool is_unsure;
} own_operator;

typedef etr_vec(own_operator) own_operators;

/* Orders operators of a delegate by their position in its list, then by index. */
static int by_position(const void *a, const void *b) {
  const own_operator *x = a, *y = b;
  if (x->position != y->position)
    return x->position < y->position ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Adds an operator of the delegate that has no node yet. When out of memory, the scratch arena has
 * failed. */
static void add_own_operator(const etr_decoded *d, own_operators *list, int64_t position,
                             uint32_t number, const char *name) {
  own_operator *added = etr_vec_push(d->scratch, list);
  if (added)
    *added = (own_operator){.position = position, .number = number, .node = ETR_NONE, .name = name};
}

/* Lists the delegate's operators by position, each once: all operators of the payload, or without
 * a payload those that rows name. Returns false when out of memory. */
static bool list_operators(const etr_decoded *d, own_operators *list) {
  size_t kept = 0;
  const etr_own_graph *own = d->own;
  for (uint32_t i = 0; own && i < own->count; i++)
    add_own_operator(d, list, own->operators[i].id, i, own->operators[i].name);
  for (uint32_t i = 0; !own && i < d->count; i++)
    if (d->meanings[i].key == ETR_KEY_OPERATOR)
      add_own_operator(d, list, d->meanings[i].operator_number, i, d->meanings[i].operator_);
  if (list->count)
    etr_sort(list->data, list->count, sizeof *list->data, by_position);
  for (size_t i = 0; i < list->count; i++)
    if (kept == 0 || list->data[kept - 1].position != list->data[i].position)
      list->data[kept++] = list->data[i];
  list->count = kept;
  return !etr_arena_failed(d->scratch);
}

/* Returns a number for the kind of an operator or node, by the name of its operator. Numbers start
 * at 1; 0 is a kind beyond the last number, which is aligned with nothing. */
static uint16_t class_of(const etr_decoded *d, etr_map *kinds, const char *target) {
  uint32_t number = etr_map_number(kinds, d->decoder->kind_of(target));
  return number < UINT16_MAX ? (uint16_t)(number + 1) : 0;
}

/* Sets the nodes of the delegate's operators: aligns both in order, by kind. A pair scores 1 and an
 * operator without a node costs 1, but leaving out a node costs nothing, because it may be part of
 * another node's operator. Returns false when out of memory. */
static bool align_operators_with_nodes(const etr_decoded *d, own_operators *list) {
  size_t count;
  const etr_delegate_node *nodes = etr_nodes_of_delegate(d->placement, d->instruction->id, &count);
  etr_align_item *operators = etr_arena_alloc_array(d->scratch, list->count, sizeof *operators);
  etr_align_item *nodes_of_call = etr_arena_alloc_array(d->scratch, count, sizeof *nodes_of_call);
  etr_align_pair *pairs = etr_arena_alloc_array(d->scratch, list->count, sizeof *pairs);
  etr_map kinds;
  etr_map_init(&kinds, d->scratch);
  if (etr_arena_failed(d->scratch))
    return false;
  for (size_t i = 0; i < list->count; i++)
    operators[i] = (etr_align_item){class_of(d, &kinds, list->data[i].name), 0, 1, 1};
  for (size_t i = 0; i < count; i++)
    nodes_of_call[i] = (etr_align_item){
        class_of(d, &kinds, d->placement->method->graph->nodes[nodes[i].node].target), 0, 1, 0};
  etr_align(pairs, operators, list->count, nodes_of_call, count, d->scratch);
  for (size_t i = 0; i < list->count; i++) {
    if (pairs[i].partner == ETR_NONE)
      continue;
    list->data[i].node = nodes[pairs[i].partner].node;
    list->data[i].is_unsure = pairs[i].is_unsure;
  }
  return !etr_arena_failed(d->scratch);
}

/* Sets which operator of the payload an event is, and its node if the operator has one: an estimate
 * by order, of which at best 95 % are taken to be right, and half if several nodes fit. Returns
 * false when out of memory. */
static bool set_operator(const etr_decoded *d, etr_event *row, const own_operator *operator) {
  if (d->own)
    row->payload_operator = operator->number;
  if (d->own && !d->placement->method->graph) {
    row->match = ETR_MATCH_PAYLOAD;
    row->confidence = 1;
  }
  const etr_event_node node = {operator->node, ETR_MATCH_ALIGNED, operator->is_unsure ? 0.5 : 0.95};
  return operator->node == ETR_NONE ||
         etr_event_set_node(row, d->placement->method->graph, node, d->arena);
}

/* Sets the operators and nodes of events that name an operator of the payload by position and
 * name. Returns false when out of memory. */
static bool join_by_operator(const etr_decoded *d) {
  own_operators list = {0};
  if (!list_operators(d, &list) ||
      (d->placement->method->graph && !align_operators_with_nodes(d, &list)))
    return false;
  for (size_t i = 0; i < d->count; i++) {
    if (d->meanings[i].key != ETR_KEY_OPERATOR)
      continue;
    const own_operator wanted = {.position = d->meanings[i].operator_number};
    size_t index = etr_lower_bound(&wanted, list.data, list.count, sizeof wanted, by_position);
    const own_operator *found = index < list.count ? &list.data[index] : NULL;
    bool is_same = found && found->position == wanted.position &&
                   strcmp(found->name, d->meanings[i].operator_) == 0;
    if (is_same && !set_operator(d, d->rows[i], found))
      return false;
  }
  return true;
}

/* ---- All ---- */

/* Finds nodes by each kind of key that the decoder gave any event: the name of a node, or the
 * position and name of an operator of the payload. Operators lead to nothing if there is neither an
 * Edge graph nor a payload. */
bool etr_decoded_join(etr_decoded *d) {
  bool has_key[ETR_KEY_OPERATOR + 1] = {false};
  for (size_t i = 0; i < d->count; i++)
    has_key[d->meanings[i].key] = true;
  if (has_key[ETR_KEY_NODE] && d->placement->method->graph && !join_by_name(d))
    return false;
  if (has_key[ETR_KEY_OPERATOR] && d->placement->method->payloads)
    d->own = etr_method_own_graph(d->placement->method, d->instruction->id);
  bool is_in_graph = d->placement->method->graph || d->own;
  return !has_key[ETR_KEY_OPERATOR] || !is_in_graph || join_by_operator(d);
}

/* ---- Giving an event its node ---- */

/* The event then has this node only. */
bool etr_event_set_node(etr_event *event, const etr_graph *graph, etr_event_node found,
                        etr_arena *arena) {
  uint32_t *node_and_handle = etr_arena_alloc_array(arena, 2, sizeof *node_and_handle);
  if (!node_and_handle)
    return false;
  node_and_handle[0] = found.node;
  node_and_handle[1] = graph->nodes[found.node].debug_handle;
  event->nodes = node_and_handle;
  event->node_count = 1;
  event->match = found.match;
  event->confidence = found.confidence;
  if (found.match == ETR_MATCH_DELEGATE_MAP)
    return true;
  event->handles = &node_and_handle[1];
  event->handle_count = 1;
  return true;
}
