/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegates.c - finds nodes by the delegate map, by the payload, or by alignment.
 */
#include "join/delegates.h"

#include "backends/backends.h"
#include "inputs/dump.h"
#include "inputs/maps.h"
#include "join/align.h"
#include "join/cost.h"
#include "join/decoded.h"

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
  bool can_plan;               /* there is budget left */
  etr_event_meaning *meanings; /* per row, if the backend has a decoder; else NULL */
  etr_arena *arena;            /* arena of the profile */
  etr_arena scratch;
} delegate;

static bool set_node(const delegate *d, etr_event *row, uint32_t node, etr_match match,
                     double confidence) {
  return etr_event_set_node(row, d->placement->method->graph,
                            (etr_event_node){node, match, confidence}, d->arena);
}

/* ---- By the record's delegate map ---- */

/* Maps each handle to the first node of the delegate with this handle that multiplies matrices, or
 * else the first node.
 */
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
    bool heavier = best->value == ETR_NONE || (etr_multiplies(graph->nodes[node].target) &&
                                               !etr_multiplies(graph->nodes[best->value].target));
    bool earlier = best->value != ETR_NONE && node < best->value &&
                   etr_multiplies(graph->nodes[node].target) ==
                       etr_multiplies(graph->nodes[best->value].target);
    if (heavier || earlier)
      best->value = node;
  }
  return true;
}

/* Returns the node to which the time of a row with several handles is attributed: the first that
 * multiplies matrices, or else the first that is in the delegate. Handles of nodes outside the
 * delegate are ignored, because Vulkan uses numbers of its own. */
static uint32_t carrier_of(const delegate *d, const etr_event *row) {
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
    uint32_t node = d->placement->method->graph &&
                            etr_spend(&d->reading->plans_left, row->handle_count)
                        ? carrier_of(d, row)
                        : ETR_NONE;
    if (node != ETR_NONE && !set_node(d, row, node, ETR_MATCH_DELEGATE_MAP, 1))
      return false;
  }
  return true;
}

/* ---- Pairing events with the operators that were expected ---- */

/* The operators that were expected, in order. */
typedef struct plan {
  etr_vec(etr_align_item) items;
  etr_vec(uint32_t) owners; /* for each item: index of an operator of the payload, or of a node */
} plan;

static bool add_item(delegate *d, plan *p, etr_align_item item, uint32_t owner) {
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

/* Pairs the events with the plan. `unplanned` is the cost of leaving out an event that a lowering
 * may have inserted, `missing` that of leaving out any other event. */
static etr_align_pair *align_plan(delegate *d, const plan *p, int16_t unplanned, int16_t missing) {
  etr_align_item *events = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *events);
  etr_align_pair *pairs = etr_arena_alloc_array(&d->scratch, d->row_count, sizeof *pairs);
  if (!events || !pairs)
    return NULL;
  for (size_t i = 0; i < d->row_count; i++)
    events[i] = (etr_align_item){.class_ = d->classes[i],
                                 .cost = is_inserted(d, i) ? unplanned : missing};
  etr_align(pairs, events, d->row_count, p->items.data, p->items.count, &d->scratch);
  return etr_arena_failed(&d->scratch) ? NULL : pairs;
}

/* ---- By the payload ---- */

/* Lists the operators of the payload. Leaving out an operator costs little, because the runtime
 * drops some. Leaving out an event costs more than leaving out all operators. */
static bool plan_payload(delegate *d, plan *p) {
  for (uint32_t i = 0; i < d->payload->count; i++) {
    const etr_payload_operator *o = &d->payload->operators[i];
    if (!add_item(d, p, (etr_align_item){o->class_, o->alternative, 1, o->is_idle ? 0 : 1}, i))
      return false;
    if (o->activation && !add_item(d, p, (etr_align_item){o->activation, 0, 1, 1}, i))
      return false;
  }
  return true;
}

enum { MISSING_EVENT = 100 };

/* Attributes a row to an operator of the payload, and to its node if there is an Edge graph. */
static bool set_operator(const delegate *d, etr_event *row, uint32_t operator_, bool is_unsure) {
  const etr_placed *known = d->instruction;
  uint32_t node = known->payload ? known->operator_nodes[operator_] : ETR_NONE;
  bool is_estimate = is_unsure || (known->payload && known->operator_by_order[operator_] &&
                                   !d->placement->is_ordered);
  etr_match match = is_estimate ? ETR_MATCH_ALIGNED : ETR_MATCH_PAYLOAD;
  row->payload_operator = operator_;
  row->is_operator_unsure = is_unsure;
  if (!d->placement->method->graph) {
    row->match = match;
    row->confidence = is_estimate ? 0.5 : 1;
  }
  return node == ETR_NONE || set_node(d, row, node, match, is_estimate ? 0.5 : 1);
}

static bool match_by_payload(delegate *d) {
  plan p = {0};
  etr_align_pair *pairs = plan_payload(d, &p) ? align_plan(d, &p, MISSING_EVENT, MISSING_EVENT)
                                              : NULL;
  for (size_t i = 0; pairs && i < d->row_count; i++) {
    if (pairs[i].partner == ETR_NONE)
      continue;
    if (!set_operator(d, d->rows[i], p.owners.data[pairs[i].partner], pairs[i].is_unsure))
      return false;
  }
  return pairs != NULL;
}

/* ---- By order alone ---- */

static bool plan_nodes(delegate *d, plan *p) {
  size_t count;
  const etr_delegate_node *nodes = etr_nodes_of_delegate(d->placement, d->instruction->id, &count);
  etr_users *users = &d->reading->users;
  if (!users->list && !etr_users_find(users, d->placement->method->graph, d->arena))
    return false;
  etr_delegate_view view = {d->placement->method->graph, d->placement->method->uses,
                            d->placement->node_delegate, d->instruction->id, *users};
  for (size_t i = 0; i < count; i++) {
    etr_expectation e = d->backend->expect(&view, nodes[i].node);
    for (uint32_t k = 0; e.class_ && k < e.count; k++)
      if (!add_item(d, p, (etr_align_item){e.class_, e.alternative, e.weight, e.cost}, e.node))
        return false;
  }
  return true;
}

/* Returns true if every event of the delegate was expected or may have been inserted by a lowering,
 * and every item that certainly runs has its event. */
static bool is_exact(const delegate *d, const plan *p, const etr_align_pair *pairs) {
  size_t missing = 0;
  for (size_t k = 0; k < p->items.count; k++)
    missing += p->items.data[k].cost > 0;
  for (size_t i = 0; i < d->row_count; i++) {
    if (pairs[i].partner == ETR_NONE && !is_inserted(d, i))
      return false;
    if (pairs[i].partner != ETR_NONE)
      missing -= p->items.data[pairs[i].partner].cost > 0;
  }
  return missing == 0;
}

/* Confidence in a node that was found without the payload: the share of events that were right on
 * 125 records; by time the shares are higher (tests/check/calibration.py repeats this on the
 * fixtures):
 *   - the order is that of the lowering, and the delegate's events are exactly those expected:
 * 6,357 of 6,357 were right. The difference to 1 allows for versions of XNNPACK that no record
 * covers;
 *   - the order is unknown, or the events differ from those expected: 202 of 218 were right. On
 * records whose lowering differs more it was 0.6;
 *   - two pairings are equally good, or an event had no partner and got a remaining one: 24 of 25
 * were right, where chance alone gives half. */
static const double AS_EXPECTED = 0.95, BY_ALIGNMENT = 0.6, BY_CHANCE = 0.5;

/* Pairs the remaining items of both sides, class by class, in order: if the order is unknown, an
 * event may have run before an item that the alignment has already passed. */
static bool pair_rest(delegate *d, const plan *p, const etr_align_pair *pairs) {
  size_t next[ETR_MOST_CLASSES] = {0};
  bool *is_taken = etr_arena_alloc_array(&d->scratch, p->items.count + 1, sizeof *is_taken);
  if (!is_taken)
    return false;
  for (size_t i = 0; i < d->row_count; i++)
    if (pairs[i].partner != ETR_NONE)
      is_taken[pairs[i].partner] = true;
  for (size_t i = 0; i < d->row_count; i++) {
    uint16_t class_ = d->classes[i];
    if (pairs[i].partner != ETR_NONE || class_ == 0 || class_ >= ETR_MOST_CLASSES)
      continue;
    size_t *at = &next[class_];
    while (*at < p->items.count &&
           (is_taken[*at] || p->items.data[*at].class_ != class_ || p->items.data[*at].cost == 0))
      ++*at;
    if (*at == p->items.count)
      continue;
    if (!set_node(d, d->rows[i], p->owners.data[(*at)++], ETR_MATCH_ALIGNED, BY_CHANCE))
      return false;
  }
  return true;
}

enum {
  INSERTED_EVENT = 1, /* small: an event that a lowering may have inserted is rather paired with a
                         node than left out */
  ODD_EVENT = 6,      /* as much as a node that certainly runs and has no event */
};

static bool match_by_order(delegate *d) {
  plan p = {0};
  etr_align_pair *pairs = plan_nodes(d, &p) ? align_plan(d, &p, INSERTED_EVENT, ODD_EVENT) : NULL;
  double confidence = d->placement->is_ordered && pairs && is_exact(d, &p, pairs) ? AS_EXPECTED
                                                                                  : BY_ALIGNMENT;
  for (size_t i = 0; pairs && i < d->row_count; i++) {
    if (pairs[i].partner == ETR_NONE)
      continue;
    if (!set_node(d, d->rows[i], p.owners.data[pairs[i].partner], ETR_MATCH_ALIGNED,
                  pairs[i].is_unsure ? BY_CHANCE : confidence))
      return false;
  }
  return pairs && pair_rest(d, &p, pairs);
}

/* ---- By class ---- */

/* Describes rows without a node: the lowering inserted them, or they are unexplained because they
 * may compute. */
static void describe_rest(const delegate *d) {
  for (size_t i = 0; i < d->row_count; i++) {
    etr_event *row = d->rows[i];
    row->is_inserted = row->node_count == 0 && d->classes && is_inserted(d, i);
    if (row->node_count == 0 && !row->is_inserted)
      row->match = ETR_MATCH_NONE;
  }
}

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

static size_t operators_of(const delegate *d) {
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

static bool match_decoded(delegate *d, const etr_decoder *decoder) {
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

static bool match_undecoded(delegate *d) {
  const etr_map_instruction *map = d->instruction->map;
  bool has_ids = map && map->id_count, has_nodes = map && d->placement->method->graph, good = true;
  if (has_ids)
    good = !d->can_plan || match_by_map(d);
  else if (d->backend && (has_nodes || (!d->placement->method->graph && d->payload)))
    good = match_by_class(d);
  if (good && has_nodes)
    describe_rest(d);
  return good;
}

/* Finds the backend and the decoder of a call's events. */
static void find_backend(delegate *d) {
  const etr_placed *instruction = d->instruction;
  d->backend = instruction->backend ? etr_backend_of(instruction->backend)
                                    : etr_backend_of_event(d->rows[0]->delegate_id);
  d->payload = instruction->payload;
  if (!d->payload && d->backend && d->placement->method->payloads)
    d->payload = etr_payloads_read(d->placement->method->payloads, d->backend,
                                   etr_method_payload(d->placement->method, instruction->id));
}

bool etr_delegate_rows(const etr_placement *placement, const etr_placed *instruction,
                       etr_event *rows, size_t count, etr_delegate_reading *reading,
                       etr_arena *arena) {
  delegate d = {
      .placement = placement, .instruction = instruction, .reading = reading, .arena = arena};
  bool good = collect_rows(&d, rows, count);
  const etr_decoder *decoder = etr_decoder_of(instruction->backend);
  if (good && d.row_count) {
    if (!decoder)
      find_backend(&d);
    d.can_plan = reading->plans_left > 0 && etr_spend(&reading->plans_left, operators_of(&d));
    good = decoder ? match_decoded(&d, decoder) : match_undecoded(&d);
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

/* Returns whether an event belongs to a delegate. Some backends log their events as the runtime
 * does. */
static bool is_of_delegate(const etr_event *e, const etr_placed *instruction) {
  const etr_decoder *decoder = instruction && instruction->is_delegate
                                   ? etr_decoder_of(instruction->backend)
                                   : NULL;
  return decoder && decoder->mark && e->kind == ETR_EVENT_FRAMEWORK &&
         strstr(e->name, decoder->mark);
}

/* Sets the role of an event. Events inside a delegate are operators unless the backend says
 * otherwise. */
static void describe_role(etr_event *e, const etr_placed *instruction) {
  const etr_backend *backend = instruction ? etr_backend_of(instruction->backend) : NULL;
  static const etr_event_role roles[] = {[ETR_EVENT_FRAMEWORK] = ETR_ROLE_NONE,
                                         [ETR_EVENT_KERNEL] = ETR_ROLE_OPERATOR,
                                         [ETR_EVENT_DELEGATE_CALL] = ETR_ROLE_CONTAINER,
                                         [ETR_EVENT_DELEGATE_OPERATOR] = ETR_ROLE_OPERATOR};
  e->role = roles[e->kind];
  e->is_in_sums = e->role == ETR_ROLE_OPERATOR;
  e->has_no_place = backend && backend->has_no_places && e->kind == ETR_EVENT_DELEGATE_OPERATOR;
}

static void describe_event(etr_event *e, const etr_placed *instruction) {
  const etr_map_instruction *map = instruction ? instruction->map : NULL;
  static const etr_match matches[] = {[ETR_EVENT_FRAMEWORK] = ETR_MATCH_FRAMEWORK,
                                      [ETR_EVENT_KERNEL] = ETR_MATCH_NONE,
                                      [ETR_EVENT_DELEGATE_CALL] = ETR_MATCH_DELEGATE,
                                      [ETR_EVENT_DELEGATE_OPERATOR] = ETR_MATCH_DELEGATE};
  e->payload_operator = ETR_NONE;
  if (is_of_delegate(e, instruction))
    e->kind = ETR_EVENT_DELEGATE_OPERATOR;
  e->match = matches[e->kind];
  describe_role(e, instruction);
  if (etr_event_is_in_delegate(e) && instruction)
    e->backend = instruction->backend;
  if (!map || e->kind == ETR_EVENT_DELEGATE_OPERATOR)
    return;
  e->handles = map->handles;
  e->handle_count = map->handle_count;
}

/* Returns whether a kernel belongs to the runtime itself. Kernels of the graph log their names; if
 * others do, a kernel without a name is the loop of a map, which the handle map does not contain,
 * or arithmetic on sizes. */
static bool is_of_runtime(const finder *f, const etr_event *e, const etr_placed *instruction) {
  bool is_unknown = !instruction->map || instruction->map->handle_count == 0;
  if (instruction->is_prim)
    return true;
  if (is_unknown && (f->placement->method->graph || !f->placement->method->program) &&
      etr_slice_is(instruction->op, "sym_size"))
    return true;
  if (f->placement->method->program || !f->placement->method->graph ||
      strcmp(e->name, "OPERATOR_CALL") != 0)
    return false;
  if (instruction->node == ETR_NONE)
    return is_unknown && f->logs_kernels;
  return strncmp(f->placement->method->graph->nodes[instruction->node].target, "_operator.", 10) ==
         0;
}

static bool join_kernel(finder *f, etr_event *e, const etr_placed *instruction) {
  if (!instruction)
    return true;
  if (is_of_runtime(f, e, instruction))
    e->match = ETR_MATCH_FRAMEWORK;
  if (instruction->node == ETR_NONE || e->match == ETR_MATCH_FRAMEWORK)
    return true;
  uint32_t *node = etr_arena_alloc(f->arena, sizeof *node);
  if (!node)
    return false;
  *node = instruction->node;
  e->nodes = node;
  e->node_count = 1;
  e->match = instruction->match;
  e->confidence = e->match == ETR_MATCH_ALIGNED ? 0.5 : 1;
  return true;
}

static bool join_block(finder *f, const etr_block *block, etr_event *rows) {
  for (size_t i = 0, end; i < block->event_count; i = end) {
    const etr_placed *instruction = etr_placed_instruction(f->placement,
                                                           block->events[i].instruction_id);
    end = etr_block_instruction_end(block, i);
    for (size_t k = i; k < end; k++) {
      etr_event *e = &rows[k];
      describe_event(e, instruction);
      if (e->kind == ETR_EVENT_KERNEL && !join_kernel(f, e, instruction))
        return false;
    }
    if (instruction &&
        !etr_delegate_rows(f->placement, instruction, &rows[i], end - i, &f->reading, f->arena))
      return false;
  }
  return true;
}

bool etr_find_event_nodes(const etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                          etr_arena *arena, etr_warnings *warnings) {
  finder f = {
      .placement = placement,
      .arena = arena,
      .reading = {.plans_left = ETR_DELEGATE_PLANS,
                  .ticks_per_ns = blocks->ticks_per_second / 1e9,
                  .decoding = {.samples = &blocks->samples, .ticks_left = ETR_DUMP_MOST_TICKS}}};
  size_t count;
  const uint32_t *mine = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < placement->instructions.count; i++)
    f.logs_kernels |= placement->instructions.data[i].op.size > 0;
  for (size_t i = 0; i < count; i++) {
    const etr_block *block = &blocks->blocks[mine[i]];
    if (etr_block_counts(blocks, block) && !join_block(&f, block, etr_block_rows(blocks, block)))
      return false;
  }
  if (f.reading.plans_left == 0)
    etr_warn(warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: too many runs with different events in delegates: what ran in some of them gets "
             "no node",
             etr_method_label(placement->method));
  etr_decoding_warn(&f.reading.decoding, etr_method_label(placement->method), warnings);
  return true;
}
