/* SPDX-License-Identifier: BSD-3-Clause
 *
 * carriers.c - finds fused nodes, and pairs Edge nodes with ATen nodes.
 */
#include "join/attribute.h"

#include "backends/backends.h"

typedef struct finder {
  const etr_placement *placement;
  etr_node_time *times;
  uint64_t *left_over; /* per instruction: the classes of its events without a node, one bit each */
  bool *has_operator;  /* per node: its delegate's payload has an operator for it */
} finder;

/* ---- Evidence of a fusion ---- */

static uint64_t bit_of(uint16_t class_) {
  return class_ && class_ < ETR_MOST_CLASSES ? (uint64_t)1 << class_ : 0;
}

/* Records, per delegate call, the classes (kinds of operators) of its events that have no node. */
static void record_left_over(const finder *f, const etr_block *block) {
  for (size_t i = 0; i < block->event_count; i++) {
    const etr_event *event = &block->events[i];
    if (!event->delegate_id || event->node_count)
      continue;
    const etr_placed *instruction = etr_placed_instruction(f->placement, event->instruction_id);
    const etr_backend *backend = instruction ? etr_backend_of(instruction->backend) : NULL;
    if (backend)
      f->left_over[instruction - f->placement->instructions.data] |= bit_of(
          backend->class_of_event(event->delegate_id));
  }
}

/* Returns true if a node ran inside a delegate but as no operator of its own: the payload has none
 * for it; without a payload, no event of the node's class is left without a node. Events of an
 * unknown backend have no classes, so its nodes all count as fused. */
static bool is_fused(const finder *f, uint32_t node) {
  const etr_placed *instruction = etr_placed_instruction(f->placement,
                                                         f->placement->node_delegate[node]);
  const etr_backend *backend = instruction ? etr_backend_of(instruction->backend) : NULL;
  if (!instruction || f->has_operator[node])
    return false;
  if (instruction->payload || !backend)
    return true;
  uint16_t class_ = backend->class_of_node(f->placement->method->graph,
                                           &f->placement->method->graph->nodes[node]);
  return !(f->left_over[instruction - f->placement->instructions.data] & bit_of(class_));
}

/* ---- Finding the node into which another was fused ---- */

static bool is_unassigned(const finder *f, uint32_t node) {
  return f->placement->node_delegate[node] >= 0 && f->times[node].runs == 0 &&
         f->times[node].carried_by == ETR_NONE;
}

/* Returns the node whose time includes that of `other`, a neighbor of `node`: itself if it was
 * timed, or else the node that it was fused into. ETR_NONE if that is unknown, or if `other` is not
 * in the delegate of `node`, because only one delegate can fuse them. */
static uint32_t find_carrier_through(const finder *f, uint32_t node, uint32_t other) {
  if (f->placement->node_delegate[other] != f->placement->node_delegate[node])
    return ETR_NONE;
  return f->times[other].runs ? other : f->times[other].carried_by;
}

static void find_carrier(const finder *f, uint32_t node, uint32_t other) {
  if (is_unassigned(f, node) && is_fused(f, node))
    f->times[node].carried_by = find_carrier_through(f, node, other);
}

/* Looks along the first producers of each fused node first, then along its first users. */
bool etr_find_carriers(const etr_placement *placement, uint32_t method, const etr_blocks *blocks,
                       etr_node_time *times, etr_arena *scratch) {
  const etr_graph *graph = placement->method->graph;
  finder f = {.placement = placement, .times = times};
  uint32_t *first_user = etr_arena_alloc_array(scratch, graph->node_count, sizeof *first_user);
  f.left_over = etr_arena_alloc_array(scratch, placement->instructions.count, sizeof *f.left_over);
  f.has_operator = etr_arena_alloc_array(scratch, graph->node_count, sizeof *f.has_operator);
  if (etr_arena_failed(scratch))
    return false;
  size_t count;
  const uint32_t *block_indices = etr_blocks_of_method(blocks, method, &count);
  for (size_t i = 0; i < count; i++)
    record_left_over(&f, &blocks->blocks[block_indices[i]]);
  for (size_t i = 0; i < f.placement->instructions.count; i++) {
    const etr_placed *instruction = &f.placement->instructions.data[i];
    for (size_t k = 0; instruction->payload && k < instruction->payload->count; k++)
      if (instruction->operator_nodes[k] != ETR_NONE)
        f.has_operator[instruction->operator_nodes[k]] = true;
  }
  /* Producers come before their users, so one forward pass follows every chain of producers, and
   * one backward pass every chain of users. */
  for (uint32_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    first_user[i] = ETR_NONE;
    for (size_t k = 0; k < node->input_count; k++) {
      uint32_t producer = node->inputs[k].node;
      if (producer < i && first_user[producer] == ETR_NONE)
        first_user[producer] = i;
    }
    if (node->input_count)
      find_carrier(&f, i, node->inputs[0].node);
  }
  for (uint32_t i = (uint32_t)graph->node_count; i-- > 0;)
    if (first_user[i] != ETR_NONE)
      find_carrier(&f, i, first_user[i]);
  return true;
}

/* ---- Pairing bodies, and the names in them ---- */

/* A scope, in which names are unique: a subgraph of the ATen graph, or ETR_NONE, the graph itself.
 */
typedef uint32_t scope;
enum { NO_SCOPE = ETR_NONE - 1 };

typedef struct pairing {
  const etr_graph *edge, *aten;
  etr_arena *scratch;
  etr_map nodes;  /* scope and name -> ATen operator */
  etr_map bodies; /* owner and index among its bodies -> subgraph of the ATen graph */
  scope *scopes;  /* scope of each subgraph of the Edge graph */
} pairing;

/* ---- The ATen graph ---- */

/* Indexes the operators of the ATen graph by name and scope, which is the subgraph in which the
 * name is unique. Returns false when out of memory. */
static bool index_aten_nodes(pairing *p) {
  for (uint32_t i = 0; i < p->aten->node_count; i++) {
    const etr_node *n = &p->aten->nodes[i];
    if (n->kind == ETR_NODE_OP)
      etr_map_set(&p->nodes, etr_key_of(p->scratch, n->subgraph, etr_slice_of(n->name)), i);
  }
  return !etr_arena_failed(p->scratch);
}

static etr_slice body_key(const uint32_t pair[2]) {
  return (etr_slice){(const char *)pair, 2 * sizeof *pair};
}

/* Returns for each body its number among the bodies of its owner; NULL when out of memory. */
static uint32_t *number_bodies(const etr_graph *graph, etr_arena *scratch) {
  uint32_t *numbers = etr_arena_alloc_array(scratch, graph->subgraph_count, sizeof *numbers);
  uint32_t *bodies = etr_arena_alloc_array(scratch, graph->node_count, sizeof *bodies);
  for (size_t i = 0; numbers && bodies && i < graph->subgraph_count; i++)
    if (graph->subgraphs[i].kind == ETR_SUBGRAPH_BODY)
      numbers[i] = bodies[graph->subgraphs[i].owner]++;
  return bodies ? numbers : NULL;
}

/* Indexes the bodies of cond, map and scan of the ATen graph, by the node that owns them and their
 * number among its bodies. Returns false when out of memory. */
static bool index_aten_bodies(pairing *p) {
  uint32_t *numbers = number_bodies(p->aten, p->scratch);
  for (uint32_t i = 0; numbers && i < p->aten->subgraph_count; i++) {
    const etr_subgraph *body = &p->aten->subgraphs[i];
    if (body->kind == ETR_SUBGRAPH_BODY)
      etr_map_set(&p->bodies, body_key((uint32_t[]){body->owner, numbers[i]}), i);
  }
  return numbers != NULL;
}

/* ---- The Edge graph ---- */

static scope scope_of(const pairing *p, uint32_t subgraph) {
  return subgraph == ETR_NONE ? ETR_NONE : p->scopes[subgraph];
}

/* Returns the ATen operator that an Edge node was made from; ETR_NONE if the record does not say
 * it, or if the ATen graph lacks it. */
static uint32_t find_aten_node(const pairing *p, const etr_node *edge_node) {
  scope in = scope_of(p, edge_node->subgraph);
  if (!edge_node->aten_node || in == NO_SCOPE)
    return ETR_NONE;
  return etr_map_get(&p->nodes, etr_key_of(p->scratch, in, etr_slice_of(edge_node->aten_node)));
}

/* Finds for each subgraph of the Edge graph the subgraph of the ATen graph that has the same names:
 * a body's is the body of the same number of the owner's ATen node; NO_SCOPE if there is none.
 * Returns false when out of memory. */
static bool pair_bodies(pairing *p) {
  uint32_t *numbers = number_bodies(p->edge, p->scratch);
  p->scopes = etr_arena_alloc_array(p->scratch, p->edge->subgraph_count, sizeof *p->scopes);
  for (size_t i = 0; numbers && p->scopes && i < p->edge->subgraph_count; i++) {
    const etr_subgraph *s = &p->edge->subgraphs[i];
    if (s->kind != ETR_SUBGRAPH_BODY) {
      p->scopes[i] = scope_of(p, s->parent);
      continue;
    }
    uint32_t owner = find_aten_node(p, &p->edge->nodes[s->owner]);
    uint32_t body = owner == ETR_NONE
                        ? ETR_NONE
                        : etr_map_get(&p->bodies, body_key((uint32_t[]){owner, numbers[i]}));
    p->scopes[i] = body == ETR_NONE ? NO_SCOPE : body;
  }
  return numbers && p->scopes;
}

/* Indexes the ATen graph by name and scope, then looks up the name that each Edge node has. */
bool etr_find_aten_nodes(uint32_t *aten_of, const etr_graph *edge, const etr_graph *aten) {
  etr_arena scratch = {0};
  pairing p = {.edge = edge, .aten = aten, .scratch = &scratch};
  etr_map_init(&p.nodes, &scratch);
  etr_map_init(&p.bodies, &scratch);
  bool good = index_aten_nodes(&p) && index_aten_bodies(&p) && pair_bodies(&p);
  for (size_t i = 0; good && i < edge->node_count; i++)
    aten_of[i] = find_aten_node(&p, &edge->nodes[i]);
  good = good && !etr_arena_failed(&scratch);
  etr_arena_clear(&scratch);
  return good;
}
