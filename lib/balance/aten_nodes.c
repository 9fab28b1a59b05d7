/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aten_nodes.c - pairing bodies, and the names in them.
 */
#include "balance/aten_nodes.h"

/* A place where names are unique: a subgraph of the ATen graph, or ETR_NONE, the graph itself. */
typedef uint32_t scope;
enum { NO_SCOPE = ETR_NONE - 1 };

typedef struct pairing {
  const etr_graph *edge, *aten;
  etr_arena *scratch;
  etr_map nodes;  /* scope and name -> ATen operator */
  etr_map bodies; /* owner and place among its bodies -> subgraph of the ATen graph */
  scope *scopes;  /* of each subgraph of the Edge graph */
} pairing;

/* ---- The ATen graph ---- */

static bool index_nodes(pairing *p) {
  for (uint32_t i = 0; i < p->aten->node_count; i++) {
    const etr_node *n = &p->aten->nodes[i];
    if (n->kind == ETR_NODE_OP) etr_map_set(&p->nodes, etr_key_of(p->scratch, n->subgraph, etr_slice_of(n->name)), i);
  }
  return !etr_arena_failed(p->scratch);
}

static etr_slice body_key(const uint32_t pair[2]) { return (etr_slice){(const char *)pair, 2 * sizeof *pair}; }

/* Numbers the bodies of each owner. */
static uint32_t *number_bodies(const etr_graph *graph, etr_arena *scratch) {
  uint32_t *places = etr_arena_alloc_array(scratch, graph->subgraph_count, sizeof *places);
  uint32_t *bodies = etr_arena_alloc_array(scratch, graph->node_count, sizeof *bodies);
  for (size_t i = 0; places && bodies && i < graph->subgraph_count; i++)
    if (graph->subgraphs[i].kind == ETR_SUBGRAPH_BODY) places[i] = bodies[graph->subgraphs[i].owner]++;
  return bodies ? places : NULL;
}

static bool index_bodies(pairing *p) {
  uint32_t *places = number_bodies(p->aten, p->scratch);
  for (uint32_t i = 0; places && i < p->aten->subgraph_count; i++) {
    const etr_subgraph *body = &p->aten->subgraphs[i];
    if (body->kind == ETR_SUBGRAPH_BODY) etr_map_set(&p->bodies, body_key((uint32_t[]){body->owner, places[i]}), i);
  }
  return places != NULL;
}

/* ---- The Edge graph ---- */

static scope scope_of(const pairing *p, uint32_t subgraph) {
  return subgraph == ETR_NONE ? ETR_NONE : p->scopes[subgraph];
}

static uint32_t find_node(const pairing *p, const etr_node *edge_node) {
  scope in = scope_of(p, edge_node->subgraph);
  if (!edge_node->aten_node || in == NO_SCOPE) return ETR_NONE;
  return etr_map_get(&p->nodes, etr_key_of(p->scratch, in, etr_slice_of(edge_node->aten_node)));
}

static bool pair_bodies(pairing *p) {
  uint32_t *places = number_bodies(p->edge, p->scratch);
  p->scopes = etr_arena_alloc_array(p->scratch, p->edge->subgraph_count, sizeof *p->scopes);
  for (size_t i = 0; places && p->scopes && i < p->edge->subgraph_count; i++) {
    const etr_subgraph *s = &p->edge->subgraphs[i];
    if (s->kind != ETR_SUBGRAPH_BODY) {
      p->scopes[i] = scope_of(p, s->parent);
      continue;
    }
    uint32_t owner = find_node(p, &p->edge->nodes[s->owner]);
    uint32_t body = owner == ETR_NONE ? ETR_NONE : etr_map_get(&p->bodies, body_key((uint32_t[]){owner, places[i]}));
    p->scopes[i] = body == ETR_NONE ? NO_SCOPE : body;
  }
  return places && p->scopes;
}

bool etr_find_aten_nodes(uint32_t *aten_of, const etr_graph *edge, const etr_graph *aten, etr_arena *scratch) {
  pairing p = {.edge = edge, .aten = aten, .scratch = scratch};
  etr_map_init(&p.nodes, scratch);
  etr_map_init(&p.bodies, scratch);
  if (!index_nodes(&p) || !index_bodies(&p) || !pair_bodies(&p)) return false;
  for (size_t i = 0; i < edge->node_count; i++) aten_of[i] = find_node(&p, &edge->nodes[i]);
  return !etr_arena_failed(scratch);
}
