/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_graph.c - findings that need the graph: operators between delegates, repeated copies.
 */
#include "output/label.h"
#include "views/breakdown.h"
#include "views/finding_rules.h"

/* ---- Kernels between two delegates of a backend ---- */

/* A set of backends by number; a method has few. */
typedef uint64_t backends;

enum { MOST_BACKENDS = 64 };

typedef struct between {
  const etr_finder *finder;
  const char *names[MOST_BACKENDS];
  size_t name_count;
  uint32_t *delegate; /* per node: index into method->delegates of the one it is in or calls; ETR_NONE */
  backends *before,
      *behind; /* per node that is in no delegate: backends whose delegates it depends on, and that depend on it */
} between;

static uint32_t delegate_of(const etr_method *method, int32_t instruction) {
  const etr_delegate wanted = {.instruction_id = instruction};
  size_t at = etr_lower_bound(&wanted, method->delegates, method->delegate_count, sizeof wanted, etr_by_int);
  return at < method->delegate_count && method->delegates[at].instruction_id == instruction ? (uint32_t)at : ETR_NONE;
}

/* Nodes in delegates; where the record was saved after lowering, the calls that hold them, too. */
static void note_delegates(between *b) {
  const etr_graph *graph = b->finder->graph;
  for (size_t i = 0; i < graph->node_count; i++) b->delegate[i] = ETR_NONE;
  for (size_t i = 0; i < graph->node_count; i++) {
    if (graph->times[i].delegate_instruction < 0) continue;
    uint32_t subgraph = graph->nodes[i].subgraph;
    b->delegate[i] = delegate_of(b->finder->method, graph->times[i].delegate_instruction);
    if (subgraph != ETR_NONE && graph->subgraphs[subgraph].kind == ETR_SUBGRAPH_LOWERED)
      b->delegate[graph->subgraphs[subgraph].owner] = b->delegate[i];
  }
}

static backends backend_bit(between *b, uint32_t delegate) {
  const char *name = b->finder->method->delegates[delegate].backend;
  size_t i = 0;
  while (i < b->name_count && strcmp(b->names[i], name) != 0) i++;
  if (i == MOST_BACKENDS) return 0;
  if (i == b->name_count) b->names[b->name_count++] = name;
  return (backends)1 << i;
}

static backends reached(between *b, uint32_t node, const backends *flags) {
  return b->delegate[node] != ETR_NONE ? backend_bit(b, b->delegate[node]) : flags[node];
}

static bool is_between(const between *b, uint32_t node, backends backend) {
  return b->delegate[node] == ETR_NONE && b->finder->graph->nodes[node].kind == ETR_NODE_OP &&
         (b->before[node] & b->behind[node] & backend);
}

/* What the delegates next to the marked nodes take outside of their own nodes; *count tells how many there are. */
static uint64_t ticks_around(const between *b, const bool *marked, bool *around, uint64_t *on_nodes, size_t *count) {
  const etr_graph *graph = b->finder->graph;
  uint64_t ticks = 0;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    uint32_t user = b->delegate[i];
    if (user != ETR_NONE) on_nodes[user] += graph->times[i].total_ticks;
    for (size_t k = 0; k < graph->nodes[i].input_count; k++) {
      uint32_t input = graph->nodes[i].inputs[k].node;
      if (user != ETR_NONE && marked[input]) around[user] = true;
      if (marked[i] && b->delegate[input] != ETR_NONE) around[b->delegate[input]] = true;
    }
  }
  *count = 0;
  for (size_t i = 0; i < b->finder->method->delegate_count; i++) {
    uint64_t call = b->finder->method->delegates[i].call_ticks;
    if (!around[i]) continue;
    *count += 1;
    ticks += call - ETR_MIN(call, on_nodes[i]);
  }
  return ticks;
}

static bool add_fallback(between *b, size_t backend) {
  etr_finder *finder = (etr_finder *)(uintptr_t)b->finder;
  const etr_graph *graph = finder->graph;
  bool *marked = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *marked);
  bool *around = etr_arena_alloc_array(finder->arena, finder->method->delegate_count, sizeof *around);
  uint64_t *on_nodes = etr_arena_alloc_array(finder->arena, finder->method->delegate_count, sizeof *on_nodes);
  uint64_t kernels = 0, calls = 0;
  if (!marked || !around || !on_nodes) return false;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    marked[i] = is_between(b, i, (backends)1 << backend);
    kernels += marked[i] ? etr_finder_node_ticks(finder, i) : 0;
    calls += marked[i] ? finder->call_ticks[i] : 0;
  }
  etr_finding *added = etr_finder_add(finder, ETR_FINDING_FALLBACK, kernels);
  if (!added) return true;
  size_t count;
  uint64_t rest = ticks_around(b, marked, around, on_nodes, &count);
  if (!etr_finder_list_nodes(finder, added, marked)) return false;
  added->title = etr_arena_format(finder->arena, "%zu operator%s between delegates of %s", added->node_count,
                                  added->node_count == 1 ? " runs as a kernel" : "s run as kernels", b->names[backend]);
  added->evidence = etr_arena_format(
      finder->arena,
      "could save up to %s if %s ran these operators and %zu delegates became one: %s kernels + %s kernel calls + %s "
      "delegate overhead. The operators: %s. Whether %s can run them is not recorded",
      etr_finder_time(finder, kernels + calls + rest), b->names[backend], count, etr_finder_time(finder, kernels),
      etr_finder_time(finder, calls), etr_finder_time(finder, rest), etr_finder_by_operator(finder, marked),
      b->names[backend]);
  return true;
}

bool etr_find_fallbacks(etr_finder *finder) {
  between b = {.finder = finder};
  size_t count = finder->graph->node_count;
  b.delegate = etr_arena_alloc_array(finder->arena, count, sizeof *b.delegate);
  b.before = etr_arena_alloc_array(finder->arena, count, sizeof *b.before);
  b.behind = etr_arena_alloc_array(finder->arena, count, sizeof *b.behind);
  if (!b.delegate || !b.before || !b.behind) return false;
  note_delegates(&b);
  /* One pass forwards and one backwards: nodes stand in execution order. */
  const etr_graph *graph = b.finder->graph;
  for (uint32_t i = 0; i < graph->node_count; i++)
    for (size_t k = 0; b.delegate[i] == ETR_NONE && k < graph->nodes[i].input_count; k++)
      b.before[i] |= reached(&b, graph->nodes[i].inputs[k].node, b.before);
  for (uint32_t i = (uint32_t)graph->node_count; i-- > 0;)
    for (size_t k = 0; k < graph->nodes[i].input_count; k++)
      b.behind[graph->nodes[i].inputs[k].node] |= reached(&b, i, b.behind);
  for (size_t i = 0; i < b.name_count; i++)
    if (!add_fallback(&b, i)) return false;
  return true;
}

/* ---- Copies ---- */

/* What repeated copies have in common that is worth knowing. */
typedef struct copies {
  size_t of_weights, of_copies, casts;
} copies;

static const char *dtype_of(const etr_graph *graph, const etr_edge *edge) {
  const etr_node *node = &graph->nodes[edge->node];
  return edge->output < node->output_count ? node->outputs[edge->output].dtype : NULL;
}

static bool is_weight(const etr_node *node) {
  return node->kind == ETR_NODE_PARAMETER || node->kind == ETR_NODE_CONSTANT;
}

/* A size that the inputs decide makes another result of the same weight. */
static bool only_of_weights(const etr_graph *graph, const etr_node *node) {
  for (size_t i = 0; i < node->input_count; i++)
    if (!is_weight(&graph->nodes[node->inputs[i].node])) return false;
  return node->input_count > 0;
}

static bool add_copies(etr_finder *finder, const etr_breakdown *rows, const etr_breakdown_row *row) {
  const etr_graph *graph = finder->graph;
  uint64_t ticks = 0;
  copies c = {0};
  bool *marked = row->node_count > 1 ? etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *marked) : NULL;
  if (!marked) return row->node_count <= 1;
  for (uint32_t i = 0; i < graph->node_count; i++) {
    marked[i] = rows->row_of_node[i] == row->number;
    if (!marked[i]) continue;
    ticks += etr_finder_node_ticks(finder, i);
    const etr_node *node = &graph->nodes[i];
    if (node->input_count == 0) continue;
    const etr_node *source = &graph->nodes[node->inputs[0].node];
    const char *from = dtype_of(graph, &node->inputs[0]), *to = node->output_count ? node->outputs[0].dtype : NULL;
    c.of_weights += only_of_weights(graph, node);
    c.of_copies += source->kind == ETR_NODE_OP && strcmp(source->target, node->target) == 0;
    c.casts += from && to && strcmp(from, to) != 0;
  }
  etr_finding *added = etr_finder_add(finder, ETR_FINDING_COPIES, ticks);
  if (!added) return true;
  if (!etr_finder_list_nodes(finder, added, marked)) return false;
  added->title = etr_arena_format(finder->arena, "%zu %s move or convert data", row->node_count, row->key);
  etr_text text;
  etr_writer writer;
  const char *longest = etr_label_node(finder->arena, finder->graph, added->nodes[0]);
  etr_text_begin(&text, finder->arena, &writer);
  etr_putf(&writer, "longest: %s %s", longest ? longest : "",
           etr_finder_time(finder, etr_finder_node_ticks(finder, added->nodes[0])));
  if (c.of_weights)
    etr_putf(&writer, "; %zu on a parameter or constant, with the same result in every run", c.of_weights);
  if (c.of_copies) etr_putf(&writer, "; %zu on another one's result", c.of_copies);
  if (c.casts) etr_putf(&writer, "; %zu to another data type", c.casts);
  /* "; together they read and write 4.03 MB" */
  etr_cost_sum sum = {0};
  for (size_t i = 0; i < added->node_count; i++) etr_cost_add(&sum, finder->profile, finder->graph, added->nodes[i]);
  if (etr_cost_bytes(&sum) > 0) {
    etr_puts(&writer, "; together they read and write ");
    etr_put_amount(&writer, etr_cost_bytes(&sum));
    etr_puts(&writer, etr_cost_bytes(&sum) < 999.5 ? " bytes" : "B");
  }
  added->evidence = etr_text_end(&text, &writer);
  return true;
}

bool etr_find_copies(etr_finder *finder) {
  const etr_graph *graph = finder->graph;
  etr_breakdown rows;
  bool *marked = etr_arena_alloc_array(finder->arena, graph->node_count, sizeof *marked);
  if (!marked) return false;
  for (size_t i = 0; i < graph->node_count; i++)
    marked[i] = graph->times[i].runs > 0 && etr_node_only_copies(&graph->nodes[i]);
  if (!etr_breakdown_make(&rows, finder->arena, finder->profile, finder->method, ETR_BY_OP, marked)) return false;
  for (size_t i = 0; i < rows.count; i++)
    if (!add_copies(finder, &rows, &rows.rows[i])) return false;
  return true;
}
