/* SPDX-License-Identifier: BSD-3-Clause
 *
 * partners.c - joins the Edge graph of a record to the program of the reference.
 *
 * An ATen node is lowered to one or several Edge nodes, of which only the last has its value.
 * Quantization adds pairs of quantize and dequantize around operators: each stands for the operator
 * whose value it carries. A batch norm that was folded into a convolution left no node: the
 * convolution then has the value of the batch norm.
 *
 * A record has aten/METHOD of `forward` only. Without it the Edge graphs of both records are
 * joined, node by node.
 */
#include "accuracy/steps.h"

#include "etrecord_compare.h"

/* The graphs of one side: its Edge graph, and aten/METHOD. */
typedef struct program_side {
  const etr_graph *edge, *aten; /* aten: NULL if the record has none */
  etr_map last_of;      /* name of an ATen node -> last Edge node that was lowered from it */
  etr_map aten_by_name; /* name -> index in aten */
  uint32_t *readers;    /* per node of aten: its only reader, ETR_NONE, or SEVERAL */
} program_side;

static const uint32_t SEVERAL = ETR_NONE - 1;

typedef struct partner_finder {
  program_side own, other;
  uint32_t *paired; /* per node of own.edge: node of other.edge that etr_compare() pairs with it;
                       ETR_NONE: none */
  etr_arena *arena;
} partner_finder;

/* Returns the graph of a method in a module such as "edge" or "aten"; NULL if there is none. */
static const etr_graph *find_graph(const etr_profile *profile, const char *module,
                                   const char *method) {
  for (size_t i = 0; i < profile->graph_count; i++)
    if (strcmp(profile->graphs[i].module, module) == 0 &&
        strcmp(profile->graphs[i].method, method) == 0)
      return &profile->graphs[i];
  return NULL;
}

/* Sets side->readers to the only node that reads each ATen node: ETR_NONE for nodes without one,
 * SEVERAL for those with several. When out of memory, readers is NULL. */
static void index_readers(program_side *side, etr_arena *arena) {
  side->readers = etr_arena_alloc_array(arena, side->aten->node_count, sizeof *side->readers);
  if (!side->readers)
    return;
  for (size_t i = 0; i < side->aten->node_count; i++)
    side->readers[i] = ETR_NONE;
  for (uint32_t i = 0; i < side->aten->node_count; i++)
    for (size_t k = 0; k < side->aten->nodes[i].input_count; k++) {
      uint32_t *reader = &side->readers[side->aten->nodes[i].inputs[k].node];
      *reader = *reader == ETR_NONE || *reader == i ? i : SEVERAL;
    }
}

/* Indexes the graphs of a method in one record: its ATen nodes by name (aten_by_name), the last
 * Edge node that each was lowered to (last_of), and the only reader of each. `edge` is NULL if the
 * record lacks the method. When out of memory, the arena has failed. */
static void index_side(program_side *side, const etr_profile *profile, const etr_graph *edge,
                       etr_arena *arena) {
  side->edge = edge;
  side->aten = edge ? find_graph(profile, "aten", edge->method) : NULL;
  etr_map_init(&side->last_of, arena);
  etr_map_init(&side->aten_by_name, arena);
  for (uint32_t i = 0; edge && i < edge->node_count; i++)
    if (edge->nodes[i].kind == ETR_NODE_OP && edge->nodes[i].aten_node)
      etr_map_set(&side->last_of, etr_slice_of(edge->nodes[i].aten_node), i);
  for (uint32_t i = 0; side->aten && i < side->aten->node_count; i++)
    if (side->aten->nodes[i].subgraph == ETR_NONE)
      etr_map_set(&side->aten_by_name, etr_slice_of(side->aten->nodes[i].name), i);
  if (side->aten)
    index_readers(side, arena);
}

/* Returns the ATen node of a name; NULL if there is none, and for NULL. */
static const etr_node *aten_node_of_name(const program_side *side, const char *name) {
  uint32_t index = name ? etr_map_get(&side->aten_by_name, etr_slice_of(name)) : ETR_NONE;
  return index == ETR_NONE ? NULL : &side->aten->nodes[index];
}

/* Returns the name of the ATen node whose value an Edge node has; NULL if it only computes a part
 * of one: not the last node that the ATen node was lowered to, or one of several values, as of
 * unbind. */
static const char *aten_name_of(const program_side *side, uint32_t node) {
  const etr_node *edge = &side->edge->nodes[node], *aten = aten_node_of_name(side, edge->aten_node);
  if (!edge->aten_node || etr_map_get(&side->last_of, etr_slice_of(edge->aten_node)) != node)
    return NULL;
  return aten && aten->output_count > edge->output_count ? NULL : edge->aten_node;
}

/* ---- Quantized nodes ---- */

uint32_t etr_node_before_quantization(const etr_graph *graph, uint32_t node) {
  while (graph->nodes[node].kind == ETR_NODE_OP &&
         strstr(graph->nodes[node].target, "quantize_per_") && graph->nodes[node].input_count > 0 &&
         graph->nodes[node].inputs[0].node < node)
    node = graph->nodes[node].inputs[0].node;
  return node;
}

/* ---- Folded batch norms ---- */

/* Returns the node of the reference whose value a convolution has: the batch norm that is its only
 * reader, if the profile's own record no longer has it, because it was folded into the convolution;
 * otherwise the node itself. An index from SEVERAL on means several readers or none. */
static const etr_node *past_folded_batch_norm(const partner_finder *f, const etr_node *node) {
  if (!strstr(node->target, "conv") || !f->other.readers)
    return node;
  uint32_t index = f->other.readers[node - f->other.aten->nodes];
  const etr_node *reader = index >= SEVERAL ? NULL : &f->other.aten->nodes[index];
  bool is_folded = reader && strstr(reader->target, "batch_norm") &&
                   etr_map_get(&f->own.last_of, etr_slice_of(reader->name)) == ETR_NONE;
  return is_folded ? reader : node;
}

/* ---- Finding ---- */

static const char *module_path(const etr_graph *graph, const etr_node *node) {
  return node->module < graph->module_count ? graph->modules[node->module].path : "";
}

/* Returns the reference's ATen node of this name, unless the profile's record has a node of this
 * name that is another one: of another operator, or in another module. NULL if there is none. */
static const etr_node *node_of_same_name(const partner_finder *f, const char *name) {
  const etr_node *own = aten_node_of_name(&f->own, name),
                 *other = aten_node_of_name(&f->other, name);
  if (!other || !own)
    return other;
  bool is_same_operator = strcmp(own->target, other->target) == 0;
  bool is_same_module = strcmp(module_path(f->own.aten, own), module_path(f->other.aten, other)) ==
                        0;
  return is_same_operator && is_same_module ? other : NULL;
}

/* Returns the partner in the reference's Edge graph: the node `paired` with which etr_compare()
 * pairs a node; ETR_NONE: it has none. */
static etr_partner edge_partner(const partner_finder *f, uint32_t paired) {
  if (paired == ETR_NONE || f->other.edge->nodes[paired].kind != ETR_NODE_OP)
    return (etr_partner){.why = "the reference has no such node"};
  return (etr_partner){
      .graph = "edge", .node = f->other.edge->nodes[paired].name, .evidence = ETR_PARTNER_DIFF};
}

/* Returns the node of the reference that computes the same value as an Edge node, if the reference
 * is of another record: the node with which etr_compare() pairs it, or else the one of the same
 * name in the exported program. A quantized value is compared with that before quantization.
 * Without such a node the partner's `why` is the reason. */
static etr_partner find_partner_in_other_record(const partner_finder *f, uint32_t node) {
  uint32_t carried = etr_node_before_quantization(f->own.edge, node), paired = f->paired[carried];
  if (!f->other.edge)
    return (etr_partner){.why = "the record of the reference does not have its method"};
  if (!f->other.aten)
    return edge_partner(f, paired);
  const char *name = f->own.edge->nodes[carried].kind == ETR_NODE_OP
                         ? aten_name_of(&f->own, carried)
                         : NULL;
  if (!name && f->own.edge->nodes[carried].kind == ETR_NODE_OP)
    return (etr_partner){.why = "it is a part of an operator of the exported program"};
  if (!name)
    return (etr_partner){.why = "it is a copy of a weight or an input"};
  const etr_node *found = paired == ETR_NONE
                              ? NULL
                              : aten_node_of_name(&f->other, aten_name_of(&f->other, paired));
  etr_partner_evidence evidence = ETR_PARTNER_DIFF;
  if (!found) {
    found = node_of_same_name(f, name);
    evidence = ETR_PARTNER_NAME;
  }
  if (!found)
    return (etr_partner){.why = "the reference has no such node"};
  found = past_folded_batch_norm(f, found);
  return (etr_partner){"aten", found->name, found->name, evidence, NULL};
}

/* Fills f->paired with the pairs of Edge nodes that etr_compare() finds between the method in the
 * reference's record, which is the base, and in the profile, which is the newer side. Indexes the
 * reference's graphs in f->other. A method that was compared by events alone has no pairs of nodes.
 * Fails as etr_compare() does. */
static etr_status pair_edge_nodes(partner_finder *f, const etr_profile *profile, uint32_t method,
                                  const etr_profile *reference, etr_error *error) {
  etr_comparison *comparison;
  ETR_TRY(etr_compare(&comparison, reference, profile, NULL, error));
  for (size_t i = 0; i < comparison->method_count; i++) {
    const etr_method_pair *pair = &comparison->methods[i];
    if (pair->new_method != method || pair->base_method == ETR_NONE || pair->by_events)
      continue;
    uint32_t graph = reference->methods[pair->base_method].graph;
    index_side(&f->other, reference, graph == ETR_NONE ? NULL : &reference->graphs[graph],
               f->arena);
    for (size_t k = 0; f->other.edge && k < pair->pair_count; k++)
      if (pair->pairs[k].base_node < f->other.edge->node_count &&
          pair->pairs[k].new_node < f->own.edge->node_count)
        f->paired[pair->pairs[k].new_node] = pair->pairs[k].base_node;
  }
  etr_comparison_close(comparison);
  return ETR_OK;
}

/* If the reference was computed from the profile's own record, each operator is its own partner.
 * Otherwise fails also if the records cannot be compared. */
etr_status etr_partners_find(etr_partner **out, const etr_profile *profile, uint32_t method,
                             const etr_profile *reference, etr_arena *arena, etr_error *error) {
  etr_arena scratch = {0};
  partner_finder f = {.arena = &scratch};
  const etr_graph *edge = &profile->graphs[profile->methods[method].graph];
  etr_status status = ETR_OK;
  index_side(&f.own, profile, edge, &scratch);
  f.paired = etr_arena_alloc_array(&scratch, edge->node_count, sizeof *f.paired);
  *out = etr_arena_alloc_array(arena, edge->node_count, sizeof **out);
  for (size_t i = 0; f.paired && i < edge->node_count; i++)
    f.paired[i] = ETR_NONE;
  if (f.paired && reference != profile) {
    index_side(&f.other, reference, find_graph(reference, "edge", edge->method), &scratch);
    status = pair_edge_nodes(&f, profile, method, reference, error);
  }
  for (uint32_t i = 0; *out && f.paired && status == ETR_OK && i < edge->node_count; i++) {
    if (edge->nodes[i].kind != ETR_NODE_OP)
      continue;
    if (reference == profile)
      (*out)[i] = (etr_partner){"edge", edge->nodes[i].name, aten_name_of(&f.own, i),
                                ETR_PARTNER_SAME_GRAPH, NULL};
    else
      (*out)[i] = find_partner_in_other_record(&f, i);
  }
  if (etr_arena_failed(&scratch) || !*out)
    status = etr_fail_memory(error);
  etr_arena_clear(&scratch);
  return status;
}

/* A node that is only a part of an ATen node has no partner then. */
void etr_partners_replace_by_aten(etr_partner *partners, size_t count) {
  for (size_t i = 0; i < count; i++)
    partners[i] = partners[i].aten
                      ? (etr_partner){"aten", partners[i].aten, partners[i].aten, ETR_PARTNER_NAME,
                                      NULL}
                      : (etr_partner){.why = "it is a part of an operator of the exported program"};
}
