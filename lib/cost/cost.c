/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.c - each node's cost; of fused ones together, what crosses their boundary.
 */
#include "cost/cost.h"

#include "backends/operator.h"
#include "cost/amount.h"
#include "cost/formulas.h"
#include "cost/rates.h"
#include "formats/element.h"

#include <stdio.h>

/* ---- How many bytes an operator reads and writes ---- */

static bool gives_tensor(const etr_node *node) {
  for (size_t i = 0; i < node->output_count; i++)
    if (node->outputs[i].rank >= 0 || !node->outputs[i].dtype) return true;
  return false;
}

/* In place: the place among inputs of what they put there; ETR_NONE of operators that write all of their output.
 * index_put copies all of it. */
static uint32_t place_of_part(const etr_node *node) {
  etr_slice op = etr_operator_of_target(node->target);
  if (etr_slice_is(op, "et_copy_index")) return 0;
  return etr_slice_is(op, "index_put_") && node->input_count > 1 ? (uint32_t)node->input_count - 1 : ETR_NONE;
}

/* The first input is only written to. */
static bool only_writes_first(const etr_node *node) {
  static const char *const ops[] = {"index_put_", "copy_"};
  return etr_operator_is_one_of(etr_operator_of_target(node->target), ops, ETR_COUNT(ops));
}

/* True of what touches no tensor: a view of one (aten.view, not aten.view_copy), a number, a choice among outputs,
 * control flow and calls of delegates, whose own nodes do. */
static bool moves_nothing(const etr_graph *graph, const etr_node *node) {
  static const char *const around[] = {"_operator.",      "operator.", "higher_order.",
                                       "executorch_prim", "builtins.", "math."};
  if (etr_work_of(graph, node) == ETR_WORK_ELSEWHERE) return true;
  if (etr_work_of(graph, node) != ETR_WORK_BY_NAME || place_of_part(node) != ETR_NONE) return false;
  if (node->kind != ETR_NODE_OP || !gives_tensor(node)) return true;
  if (strncmp(node->target, "aten.", 5) == 0) return etr_operator_shares_memory(etr_operator_of_target(node->target));
  for (size_t i = 0; i < ETR_COUNT(around); i++)
    if (strncmp(node->target, around[i], strlen(around[i])) == 0) return true;
  return strchr(node->target, '.') == NULL;
}

/* Packs several numbers into a byte, which the type does not say. */
static bool is_packed(etr_slice op) {
  static const char *const packed[] = {"embedding_4bit", "embedding_2bit"};
  return etr_operator_is_one_of(op, packed, ETR_COUNT(packed));
}

static bool looks_up(etr_slice op) {
  static const char *const lookups[] = {"embedding",  "index",       "index_select", "gather", "embedding_byte",
                                        "slice_copy", "select_copy", "narrow_copy",  "take"};
  return etr_operator_is_one_of(op, lookups, ETR_COUNT(lookups));
}

/* Bytes that one call reads of its input at a place: all of it, but for operators that look up parts of their first
 * one (embedding, slice), which read as much as they give, and those that replace parts of it, which read none. */
static etr_amount etr_read_bytes(const etr_graph *graph, const etr_node *node, size_t place) {
  const etr_value *value = etr_input_of(graph, node, place);
  etr_slice op = etr_operator_of_target(node->target);
  if (!value) return etr_amount_unknown();
  if (place == 0 && only_writes_first(node)) return etr_amount_of(0);
  /* Of a delegate's constants the program tells: some are packed. */
  const etr_node *producer = &graph->nodes[node->inputs[place].node];
  const char *told = producer->kind == ETR_NODE_CONSTANT ? etr_node_argument(producer, "bytes") : NULL;
  int64_t bytes;
  etr_amount all = told && etr_slice_to_int(etr_slice_of(told), &bytes) ? etr_amount_of((uint64_t)bytes)
                                                                        : etr_bytes_of(value);
  if (place > 0 || node->output_count == 0) return all;
  if (is_packed(op)) return etr_amount_unknown();
  const etr_element *element = value->dtype ? etr_element_of_dtype(value->dtype) : NULL;
  if (!looks_up(op) || !element) return all;
  etr_amount part = etr_elements_of(&node->outputs[0]);
  etr_amount_multiply(&part, etr_amount_of(element->size));
  return part.is_unknown || all.is_unknown || part.count < all.count ? part : all;
}

/* Bytes that one call writes of an output: all of it, but for operators that replace parts of what they are given. */
static etr_amount etr_written_bytes(const etr_graph *graph, const etr_node *node, size_t output) {
  uint32_t part = place_of_part(node);
  return part == ETR_NONE ? etr_bytes_of(&node->outputs[output]) : etr_read_bytes(graph, node, part);
}

/* ---- Each node's cost; of fused ones together, what crosses their boundary ---- */

/* What is being added up for one group: a node that carries others, and these; or a node alone. */
typedef struct tally {
  etr_amount macs, read, weights, written;
  bool is_integer;
} tally;

typedef struct finder {
  etr_graph *graph;
  uint32_t *first_value; /* per node: number of its first output */
  bool *is_used_outside; /* per value: by a node of another group */
  uint32_t *seen_by;     /* per value: the group that read it last */
  tally *tallies;        /* per node */
  size_t overflow_count;
  bool has_jumps;
  uint32_t first_overflow; /* a node */
} finder;

/* The node whose group a node is in. */
static uint32_t leader_of(const etr_graph *graph, uint32_t node) {
  uint32_t carrier = graph->times ? graph->times[node].carried_by : ETR_NONE;
  return carrier == ETR_NONE ? node : carrier;
}

static uint32_t value_of(const finder *f, const etr_edge *edge) { return f->first_value[edge->node] + edge->output; }

static bool is_value(const finder *f, const etr_edge *edge) {
  return edge->output < f->graph->nodes[edge->node].output_count;
}

/* What is read in fact: a dequantization that was fused into one of its users is done by each of them. */
static const etr_edge *read_by(const finder *f, const etr_edge *edge) {
  const etr_node *producer = &f->graph->nodes[edge->node];
  bool is_fused = leader_of(f->graph, edge->node) != edge->node && producer->input_count > 0;
  bool is_shared = is_fused && etr_slice_starts(etr_operator_of_target(producer->target), ETR_SLICE("dequantize_"));
  return is_shared && producer->inputs[0].node < edge->node ? &producer->inputs[0] : edge;
}

/* ---- Integers ---- */

static bool is_integer_type(const char *dtype) {
  static const char *const starts[] = {"int", "uint", "bool", "qint", "quint", "qcint", "qdint", "qpint", "qbint"};
  for (size_t i = 0; dtype && i < ETR_COUNT(starts); i++)
    if (strncmp(dtype, starts[i], strlen(starts[i])) == 0) return true;
  return false;
}

/* Whether a factor is made of integers: itself, or behind what its group fuses into the product, a few
 * operators away. */
static bool is_integer_factor(const finder *f, uint32_t leader, uint32_t user, size_t place) {
  enum { FARTHEST = 16 };
  for (int steps = 0; steps < FARTHEST; steps++) {
    const etr_edge *edge = read_by(f, &f->graph->nodes[user].inputs[place]);
    const etr_node *producer = &f->graph->nodes[edge->node];
    if (!is_value(f, edge)) return false;
    if (is_integer_type(producer->outputs[edge->output].dtype)) return true;
    if (edge->node >= user || leader_of(f->graph, edge->node) != leader || producer->input_count == 0) return false;
    if (!etr_operator_only_moves(producer->target)) return false;
    user = edge->node;
    place = 0;
  }
  return false;
}

static bool is_integer(const finder *f, uint32_t leader, uint32_t node, const etr_factors *factors) {
  return factors->are_known && is_integer_factor(f, leader, node, factors->first) &&
         is_integer_factor(f, leader, node, factors->second);
}

/* ---- Adding up ---- */

static bool is_weight(const etr_node *node) {
  return node->kind == ETR_NODE_PARAMETER || node->kind == ETR_NODE_BUFFER || node->kind == ETR_NODE_CONSTANT;
}

static void add_node(finder *f, uint32_t node, bool is_alone) {
  uint32_t leader = leader_of(f->graph, node);
  if (f->graph->nodes[node].kind != ETR_NODE_OP) return;
  etr_factors factors;
  tally *sum = &f->tallies[leader];
  etr_amount macs = etr_macs_of(f->graph, &f->graph->nodes[node], &factors);
  if (macs.is_unknown || macs.count) sum->is_integer = is_integer(f, leader, node, &factors);
  etr_amount_add(&sum->macs, macs);
  if (is_alone && moves_nothing(f->graph, &f->graph->nodes[node])) return;
  if (etr_work_of(f->graph, &f->graph->nodes[node]) == ETR_WORK_HIDDEN)
    f->tallies[leader].read.is_unknown = f->tallies[leader].written.is_unknown = true;
  /* Each value that comes from outside counts once, however often the group reads it. */
  const etr_node *user = &f->graph->nodes[node];
  for (size_t i = 0; i < user->input_count; i++) {
    const etr_edge *edge = read_by(f, &user->inputs[i]);
    if (!is_value(f, edge) || leader_of(f->graph, edge->node) == leader) continue;
    if (f->seen_by[value_of(f, edge)] == leader) continue;
    f->seen_by[value_of(f, edge)] = leader;
    etr_amount bytes = edge == &user->inputs[i] ? etr_read_bytes(f->graph, user, i)
                                                : etr_bytes_of(&f->graph->nodes[edge->node].outputs[edge->output]);
    etr_amount_add(&f->tallies[leader].read, bytes);
    if (is_weight(&f->graph->nodes[edge->node])) etr_amount_add(&f->tallies[leader].weights, bytes);
  }
  /* What a node of a larger group gives to that group alone stays inside. */
  const etr_node *producer = &f->graph->nodes[node];
  for (size_t i = 0; i < producer->output_count; i++)
    if (is_alone || f->is_used_outside[f->first_value[node] + i])
      etr_amount_add(&f->tallies[leader].written, etr_written_bytes(f->graph, producer, i));
}

/* ---- Groups ---- */

static void mark_used_outside(finder *f) {
  for (uint32_t i = 0; i < f->graph->node_count; i++) {
    const etr_node *user = &f->graph->nodes[i];
    for (size_t k = 0; k < user->input_count; k++) {
      const etr_edge *edge = read_by(f, &user->inputs[k]);
      if (is_value(f, edge) && leader_of(f->graph, i) != leader_of(f->graph, edge->node))
        f->is_used_outside[value_of(f, edge)] = true;
    }
  }
}

/* Nodes of one group behind each other, so that seen_by holds. */
static bool add_all(finder *f, etr_arena *scratch) {
  size_t count = f->graph->node_count;
  uint32_t *members = etr_arena_alloc_array(scratch, count, sizeof *members);
  size_t *end = etr_arena_alloc_array(scratch, count + 1, sizeof *end); /* of each leader's members, one place later */
  if (!members || !end) return false;
  for (uint32_t i = 0; i < count; i++) end[leader_of(f->graph, i) + 1]++;
  for (size_t i = 1; i <= count; i++) end[i] += end[i - 1];
  for (uint32_t i = 0; i < count; i++) members[end[leader_of(f->graph, i)]++] = i;
  for (size_t leader = 0, first = 0; leader < count; first = end[leader++])
    for (size_t i = first; i < end[leader]; i++) add_node(f, members[i], end[leader] - first == 1);
  return true;
}

/* ---- How often ---- */

static bool is_in_body(const etr_graph *graph, uint32_t subgraph) {
  for (; subgraph != ETR_NONE; subgraph = graph->subgraphs[subgraph].parent)
    if (graph->subgraphs[subgraph].kind == ETR_SUBGRAPH_BODY) return true;
  return false;
}

/* In a program, bodies are instructions that jumps lead around or back to. */
static bool has_jumps(const etr_graph *graph) {
  for (size_t i = 0; graph->works && i < graph->node_count; i++)
    if (strcmp(graph->nodes[i].target, "control.jump_false") == 0) return true;
  return false;
}

/* Outside of bodies a node runs once in a run, as one operator of its delegate or as several. In a body, each event of
 * a kernel is one call; of a delegate's operators nothing tells how many make up one, but where one event of a run
 * does. */
static uint64_t executions_of(const finder *f, uint32_t node) {
  const etr_graph *graph = f->graph;
  const etr_node_time *time = graph->times ? &graph->times[node] : NULL;
  if (!time || time->runs == 0) return 0;
  if (!f->has_jumps && !is_in_body(graph, graph->nodes[node].subgraph)) return time->runs;
  if (f->has_jumps && time->calls == time->runs) return time->runs;
  return time->delegate_instruction < 0 ? time->calls : ETR_UNKNOWN;
}

/* ---- All ---- */

static bool take(finder *f, uint32_t node, etr_cost *out) {
  const tally *sum = &f->tallies[node];
  bool overflows = sum->macs.overflows || sum->read.overflows || sum->written.overflows;
  *out = (etr_cost){.macs = etr_amount_count(&sum->macs),
                    .read_bytes = etr_amount_count(&sum->read),
                    .weight_bytes = etr_amount_count(&sum->weights),
                    .written_bytes = etr_amount_count(&sum->written),
                    .executions = executions_of(f, node),
                    .is_integer = sum->is_integer,
                    .from_hints = sum->macs.from_hints || sum->read.from_hints || sum->written.from_hints};
  return overflows;
}

static void warn_of_overflows(const finder *f, const char *file, etr_warnings *warnings) {
  if (!f->overflow_count) return;
  size_t others = f->overflow_count - 1;
  char more[64] = "";
  if (others) snprintf(more, sizeof more, " and %zu other node%s", others, others == 1 ? "" : "s");
  etr_warn(warnings, file, f->graph->entry, ETR_NO_OFFSET,
           "%s%s: sizes whose product is 2^63 or more: what is computed and moved here is not counted",
           f->graph->nodes[f->first_overflow].name, more);
}

static bool start(finder *f, etr_arena *scratch) {
  size_t count = f->graph->node_count, values = 0;
  f->first_value = etr_arena_alloc_array(scratch, count, sizeof *f->first_value);
  f->tallies = etr_arena_alloc_array(scratch, count, sizeof *f->tallies);
  for (size_t i = 0; f->first_value && i < count; i++) {
    f->first_value[i] = (uint32_t)values;
    values += f->graph->nodes[i].output_count;
  }
  f->is_used_outside = etr_arena_alloc_array(scratch, values, sizeof *f->is_used_outside);
  f->seen_by = etr_arena_alloc_array(scratch, values, sizeof *f->seen_by);
  if (etr_arena_failed(scratch)) return false;
  for (size_t i = 0; i < values; i++) f->seen_by[i] = ETR_NONE;
  return true;
}

bool etr_costs_find(etr_profile *profile, etr_arena *arena, etr_warnings *warnings) {
  for (size_t i = 0; i < profile->graph_count; i++) {
    etr_graph *graph = etr_unconst(&profile->graphs[i]);
    etr_arena scratch = {0};
    finder f = {.graph = graph, .has_jumps = has_jumps(graph)};
    etr_cost *costs = etr_arena_alloc_array(arena, graph->node_count, sizeof *costs);
    bool good = costs && start(&f, &scratch);
    if (good) mark_used_outside(&f);
    good = good && add_all(&f, &scratch);
    for (uint32_t k = 0; good && k < graph->node_count; k++) {
      if (!take(&f, k, &costs[k]) || f.overflow_count++) continue;
      f.first_overflow = k;
    }
    if (good) warn_of_overflows(&f, graph->works ? profile->pte : profile->etrecord, warnings);
    if (good) graph->costs = costs;
    etr_arena_clear(&scratch);
    if (!good) return false;
  }
  etr_roofs_find(profile);
  return true;
}
