/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation.c - counting delegated nodes.
 */
#include "views/delegation.h"

#include "base/method_parts.h"
#include "base/natural.h"
#include "base/writer.h"
#include "output/label.h"
#include "output/node_filter.h"
#include "output/ranking.h"
#include "views/run_stats.h"

#include <math.h>
#include <stdlib.h>

/* Compares rows for qsort(): by operator type, in natural sort. */
static int by_op_type(const void *a, const void *b) {
  return etr_natural_compare(((const etr_delegation_row *)a)->op_type,
                             ((const etr_delegation_row *)b)->op_type);
}

/* Returns the operator type in a node's name: "aten_add_tensor" for "aten_add_tensor_12". */
static etr_slice op_type_of(const char *name) {
  size_t size = strlen(name), end = size;
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
    end--;
  return (etr_slice){name, end > 1 && end < size && name[end - 1] == '_' ? end - 1 : size};
}

/* Returns true for an operator that is not the call of a delegate. */
static bool is_operator_or_kernel(const etr_node *node) {
  return node->kind == ETR_NODE_OP &&
         strcmp(node->target, "higher_order.executorch_call_delegate") != 0;
}

/* Returns a flag for each node: it is counted. Operators are, and in a program the instructions
 * that compute. The call of a delegate is not if its operators are known. NULL when out of memory.
 */
static const bool *flag_operators(etr_arena *arena, const etr_graph *graph) {
  bool *flags = etr_arena_alloc_array(arena, graph->node_count, sizeof *flags);
  for (size_t i = 0; flags && i < graph->node_count; i++)
    flags[i] = is_operator_or_kernel(&graph->nodes[i]) &&
               strncmp(graph->nodes[i].target, "control.", 8) != 0;
  for (size_t i = 0; flags && etr_is_program(graph) && i < graph->subgraph_count; i++)
    flags[graph->subgraphs[i].owner] = false;
  return flags;
}

/* Returns the operator type under which a node is counted: that in its name, because nodes of an
 * Edge graph are named after their operators; the operator itself for a node of a program. */
static etr_slice counted_type(const etr_graph *graph, size_t node) {
  const etr_node *counted = &graph->nodes[node];
  return etr_is_program(graph) ? etr_slice_of(counted->target) : op_type_of(counted->name);
}

/* Counts nodes by operator type. */
typedef struct counting {
  etr_arena *arena;
  etr_vec(etr_delegation_row) rows;
  etr_map index;      /* by operator type */
  uint32_t *group_of; /* per node: twice the number of its row, plus one if it is not delegated;
                         ETR_NONE: not counted */
} counting;

/* Returns the row of an operator type, which is added if it is new; NULL when out of memory. */
static etr_delegation_row *find_or_add_type(counting *c, etr_slice op_type) {
  uint32_t index = etr_map_get(&c->index, op_type);
  if (index != ETR_NONE)
    return &c->rows.data[index];
  etr_delegation_row *new_row = etr_vec_push(c->arena, &c->rows);
  if (!new_row || !etr_map_set(&c->index, op_type, (uint32_t)(c->rows.count - 1)))
    return NULL;
  new_row->op_type = etr_arena_copy(c->arena, op_type);
  return new_row;
}

/* Sets the medians of each row, and the weight that it is ranked by. The delegated nodes of row i
 * are group 2 * i, the others group 2 * i + 1. Returns false when out of memory. */
static bool weigh_rows(counting *c, const etr_profile *profile, const etr_method *method) {
  const etr_stats *stats = etr_run_stats_of_nodes(c->arena, method, c->group_of, 2 * c->rows.count);
  for (size_t i = 0; stats && i < c->rows.count; i++) {
    etr_delegation_row *row = &c->rows.data[i];
    row->delegated.p50 = stats[2 * i].p50;
    row->rest.p50 = stats[2 * i + 1].p50;
    const etr_times both = {row->delegated.typical + row->rest.typical,
                            (double)(row->delegated.ticks + row->rest.ticks),
                            row->delegated.p50 + row->rest.p50};
    row->weight = etr_ranking_time(profile, both);
  }
  return stats != NULL;
}

/* Returns the node as which a node is counted: itself or, in a body of control flow, the node that
 * contains the outermost body. */
static size_t counted_node(const etr_graph *graph, size_t node) {
  size_t counted = node;
  for (uint32_t s = graph->nodes[node].subgraph; s != ETR_NONE; s = graph->subgraphs[s].parent)
    if (graph->subgraphs[s].kind == ETR_SUBGRAPH_BODY)
      counted = graph->subgraphs[s].owner;
  return counted;
}

bool etr_delegation_make(etr_delegation *out, etr_arena *arena, const etr_profile *profile,
                         const etr_method *method, const etr_node_filter *filter) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  counting c = {.arena = arena};
  c.group_of = etr_arena_alloc_array(arena, graph ? graph->node_count : 0, sizeof *c.group_of);
  const bool *is_counted = graph ? flag_operators(arena, graph) : NULL;
  if (!c.group_of || (graph && !is_counted))
    return false;
  *out = (etr_delegation){.subgraphs = method->delegate_count};
  etr_map_init(&c.index, arena);
  for (size_t i = 0; graph && graph->times && i < graph->node_count; i++) {
    size_t counted = counted_node(graph, i);
    c.group_of[i] = ETR_NONE;
    if (counted >= graph->node_count || !is_counted[counted] ||
        !etr_filter_takes_node(filter, graph, counted))
      continue;
    etr_delegation_row *row = find_or_add_type(&c, counted_type(graph, counted));
    if (!row)
      return false;
    bool delegated = graph->times[i].delegate_instruction >= 0;
    etr_delegation_side *side = delegated ? &row->delegated : &row->rest;
    c.group_of[i] = 2 * (uint32_t)(row - c.rows.data) + !delegated;
    const etr_node_time *time = &graph->times[i];
    side->ticks += time->total_ticks;
    side->typical += time->typical;
    side->timed |= time->runs > 0;
    if (time->runs > 0)
      side->step = ETR_MAX(side->step, etr_clock_step(profile, time->backend, NULL));
    if (counted != i) /* only its time counts */
      continue;
    side->nodes++;
    out->delegated_nodes += delegated;
    out->non_delegated_nodes += !delegated;
  }
  if (etr_arena_failed(arena) || !weigh_rows(&c, profile, method))
    return false;
  etr_sort(c.rows.data, c.rows.count, sizeof *c.rows.data, by_op_type);
  out->rows = c.rows.data;
  out->count = c.rows.count;
  return true;
}

bool etr_delegated_time(double *out, etr_arena *arena, const etr_method *method) {
  uint32_t *group_of = etr_arena_alloc_array(arena, method->time_slice_count, sizeof *group_of);
  double interrupted = 0;
  *out = NAN;
  if (!group_of)
    return false;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    bool is_delegated = etr_time_slice_backend(&method->time_slices[i]) != NULL;
    group_of[i] = is_delegated ? 0 : ETR_NONE;
    interrupted += is_delegated ? etr_slice_interrupted(method, i) : 0;
  }
  const etr_stats *stats = etr_run_stats(arena, method, group_of, 1);
  double whole = etr_uninterrupted_ticks(method);
  if (stats && whole > 0)
    *out = fmax(stats->typical - interrupted, 0) / whole;
  return stats != NULL;
}

uint32_t etr_delegate_at(const etr_method *method, int32_t instruction_id) {
  size_t index = etr_find_int(instruction_id, method->delegates, method->delegate_count,
                              sizeof *method->delegates);
  return index < method->delegate_count ? (uint32_t)index : ETR_NONE;
}

/* Returns the row of the delegate that an instruction calls; NULL if it calls none. */
static etr_delegate_row *row_of_delegate(etr_delegate_row *rows, const etr_method *method,
                                         int32_t instruction_id) {
  uint32_t delegate = etr_delegate_at(method, instruction_id);
  return delegate == ETR_NONE ? NULL : &rows[delegate];
}

/* Adds the weighted ticks of a time slice to the row of its delegate: to the whole call, by compute
 * unit, and as time of operators on nodes or on none or, outside operators, by phase. graph: of the
 * method; NULL if it has none. */
static void add_time_slice(etr_delegate_row *row, const etr_time_slice *time_slice, double ticks,
                           const etr_graph *graph) {
  row->is_timed = true;
  row->call += ticks;
  row->units[time_slice->compute_unit] += ticks;
  if (time_slice->part == ETR_TIME_UNPLACED || time_slice->part == ETR_TIME_INSERTED)
    row->off_nodes += ticks;
  else if (time_slice->part != ETR_TIME_OPERATORS)
    row->phases[time_slice->phase] += ticks;
  else
    row->on_nodes += ticks;
  if (graph && time_slice->node != ETR_NONE && graph->times[time_slice->node].is_estimated)
    row->estimated += ticks;
}

/* Divides sums of weighted ticks of a row, but for `typical`, by the sum of the weights. */
static void divide_times(etr_delegate_row *row, double divisor) {
  row->call /= divisor;
  row->on_nodes /= divisor;
  row->estimated /= divisor;
  row->off_nodes /= divisor;
  for (size_t i = 0; i < ETR_PHASES; i++)
    row->phases[i] /= divisor;
  for (size_t i = 0; i < ETR_COMPUTE_UNITS; i++)
    row->units[i] /= divisor;
}

/* Adds each time slice of the method's delegates to their rows, as ticks per inference. It divides
 * sums, not each slice, so that whole numbers stay exact. */
static void add_time_slices(etr_delegate_row *rows, const etr_method *method,
                            const etr_graph *graph, bool is_average) {
  const etr_typical_run *typical = &method->typical;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    etr_delegate_row *row = etr_time_slice_is_in_delegate(slice)
                                ? row_of_delegate(rows, method, slice->event->instruction_id)
                                : NULL;
    if (!row)
      continue;
    double ticks = (double)slice->ticks, in_typical = typical->weights[slice->run] * ticks;
    row->typical += in_typical;
    add_time_slice(row, slice, is_average ? ticks : in_typical, graph);
  }
  for (size_t i = 0; i < method->delegate_count && method->run_count; i++) {
    rows[i].typical /= typical->divisor;
    divide_times(&rows[i], is_average ? (double)method->run_count : typical->divisor);
  }
}

/* Keeps the rows of which the filter takes a node; all without an active filter. is_selected: per
 * row, whether it takes one. Returns their number. */
static size_t keep_selected(etr_delegate_row *rows, size_t count, const bool *is_selected,
                            const etr_node_filter *filter) {
  size_t kept_count = 0;
  if (!etr_filter_is_active(filter))
    return count;
  for (size_t i = 0; i < count; i++)
    if (is_selected[i])
      rows[kept_count++] = rows[i];
  return kept_count;
}

/* Counts the operators of a graph in the rows of their delegates, and marks in `is_selected` the
 * delegates with an operator that the filter takes. */
static void add_nodes(etr_delegate_row *rows, bool *is_selected, const etr_method *method,
                      const etr_graph *graph, const etr_node_filter *filter) {
  for (size_t i = 0; graph->times && i < graph->node_count; i++) {
    if (graph->nodes[i].kind != ETR_NODE_OP)
      continue;
    etr_delegate_row *row = row_of_delegate(rows, method, graph->times[i].delegate_instruction);
    if (!row)
      continue;
    row->nodes++;
    is_selected[row - rows] |= etr_filter_takes_node(filter, graph, i);
  }
}

const etr_delegate_row *etr_delegate_rows_make(etr_arena *arena, const etr_profile *profile,
                                               const etr_method *method,
                                               const etr_node_filter *filter, bool is_average,
                                               size_t *count) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  etr_delegate_row *rows = etr_arena_alloc_array(arena, method->delegate_count, sizeof *rows);
  bool *is_selected = etr_arena_alloc_array(arena, method->delegate_count, sizeof *is_selected);
  if (etr_arena_failed(arena))
    return NULL;
  for (size_t i = 0; i < method->delegate_count; i++)
    rows[i].delegate = &method->delegates[i];
  if (graph)
    add_nodes(rows, is_selected, method, graph, filter);
  add_time_slices(rows, method, graph, is_average);
  *count = keep_selected(rows, method->delegate_count, is_selected, filter);
  return rows;
}

/* Lists the backends of a method with their number of delegates, in the order of its calls, and
 * sets *count. Returns NULL when out of memory. */
static const etr_backend_use *list_backends(etr_arena *arena, const etr_method *method,
                                            size_t *count) {
  etr_arena scratch = {0}; /* there may be many methods */
  etr_map numbers;
  etr_vec(etr_backend_use) uses = {0};
  etr_map_init(&numbers, &scratch);
  for (size_t i = 0; i < method->delegate_count; i++) {
    const char *name = method->delegates[i].backend;
    etr_map_slot *slot = etr_map_at(&numbers, etr_slice_of(name));
    etr_backend_use *added = slot && slot->value == ETR_NONE ? etr_vec_push(arena, &uses) : NULL;
    if (added)
      *added = (etr_backend_use){.name = name};
    if (added)
      slot->value = (uint32_t)(uses.count - 1);
    if (slot && slot->value != ETR_NONE)
      uses.data[slot->value].delegates++;
  }
  if (etr_arena_failed(&scratch))
    etr_arena_fail(arena);
  etr_arena_clear(&scratch);
  *count = uses.count;
  return etr_arena_failed(arena) ? NULL : uses.data;
}

const char *etr_backends_text(etr_arena *arena, const etr_method *method) {
  etr_text text;
  etr_writer writer;
  size_t count;
  const etr_backend_use *uses = list_backends(arena, method, &count);
  etr_text_begin(&text, arena, &writer);
  for (size_t i = 0; uses && i < count; i++) {
    etr_putf(&writer, "%s%zu ", i ? ", " : "", uses[i].delegates);
    if (uses[i].name[0])
      etr_puts(&writer, uses[i].name);
    else
      etr_putf(&writer, "delegate%s of unknown backend", etr_plural(uses[i].delegates));
  }
  return etr_text_end(&text, &writer);
}

/* ---- What a delegate contains ---- */

/* How often each name was counted, while that goes on. */
typedef struct name_counts {
  etr_map index; /* of names in `list` */
  etr_vec(etr_name_count) list;
} name_counts;

/* Compares names for qsort(): by count, the most frequent first, then in natural sort. */
static int by_count(const void *a, const void *b) {
  const etr_name_count *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return etr_natural_compare(x->name, y->name);
}

/* Counts a name in a list of names. A new name gets the number of its place at the end of the list.
 * Returns false when out of memory. */
static bool count_name(name_counts *counts, etr_arena *arena, const char *name) {
  uint32_t number = etr_map_number(&counts->index, etr_slice_of(name));
  bool is_new = number == counts->list.count;
  etr_name_count *added = is_new ? etr_vec_push(arena, &counts->list) : NULL;
  if (number == ETR_NONE || (is_new && !added))
    return false;
  if (added)
    *added = (etr_name_count){.name = name};
  counts->list.data[number].count++;
  return true;
}

/* The delegates of a method, and what is in which of them. */
typedef struct delegate_search {
  etr_arena *arena, *scratch;
  const etr_profile *profile;
  const etr_method *method;
  const etr_graph *graph;       /* NULL: its nodes are not known */
  etr_map by_instruction;       /* the first delegate that an instruction calls */
  bool *was_called;             /* per delegate: time of it was recorded */
  bool *has_operators;          /* per delegate: an operator in it was recorded */
  uint32_t *nodes, *first_node; /* operators by delegate, and where those of each begin */
  uint32_t *counted_for;        /* per module: 1 + the delegate that counted it last */
} delegate_search;

/* Returns the first delegate that an instruction calls; ETR_NONE if it calls none. */
static uint32_t delegate_of_instruction(const delegate_search *s, int32_t instruction) {
  return etr_map_get(&s->by_instruction, ETR_BYTES(instruction));
}

/* Sets s->by_instruction, and allocates the flags of delegates. It goes backwards, so that of
 * several delegates of one instruction the first one stays. Returns false when out of memory. */
static bool index_delegates(delegate_search *s) {
  size_t count = s->method->delegate_count;
  etr_map_init(&s->by_instruction, s->scratch);
  s->was_called = etr_arena_alloc_array(s->scratch, count, sizeof *s->was_called);
  s->has_operators = etr_arena_alloc_array(s->scratch, count, sizeof *s->has_operators);
  for (size_t i = count; i > 0; i--) {
    int32_t instruction = s->method->delegates[i - 1].instruction_id;
    if (!etr_map_set(&s->by_instruction, ETR_BYTES(instruction), (uint32_t)(i - 1)))
      return false;
  }
  return s->was_called && s->has_operators;
}

/* Sets was_called and has_operators of delegates of which time, or an operator, was recorded. */
static void mark_called(const delegate_search *s) {
  for (size_t i = 0; i < s->method->time_slice_count; i++) {
    const etr_time_slice *slice = &s->method->time_slices[i];
    uint32_t called = etr_time_slice_is_in_delegate(slice)
                          ? delegate_of_instruction(s, slice->event->instruction_id)
                          : ETR_NONE;
    if (called == ETR_NONE)
      continue;
    s->was_called[called] = true;
    s->has_operators[called] |= slice->event->role == ETR_ROLE_OPERATOR;
  }
}

/* Returns the delegate that an operator of the graph runs in; ETR_NONE for all other nodes. */
static uint32_t delegate_of_node(const delegate_search *s, size_t node) {
  return s->graph->nodes[node].kind == ETR_NODE_OP
             ? delegate_of_instruction(s, s->graph->times[node].delegate_instruction)
             : ETR_NONE;
}

/* Sets s->nodes to the operators of each delegate, in the order of the graph: those of delegate i
 * are nodes[first_node[i]] to nodes[first_node[i + 1] - 1]. Also allocates s->counted_for, all 0.
 * Returns false when out of memory. */
static bool list_nodes_by_delegate(delegate_search *s) {
  size_t count = s->method->delegate_count, node_count = s->graph->node_count;
  s->nodes = etr_arena_alloc_array(s->scratch, node_count, sizeof *s->nodes);
  s->first_node = etr_arena_alloc_array(s->scratch, count + 2, sizeof *s->first_node);
  s->counted_for = etr_arena_alloc_array(s->scratch, s->graph->module_count,
                                         sizeof *s->counted_for);
  if (!s->nodes || !s->first_node || !s->counted_for)
    return false;
  /* Counts two indices ahead, so that filling moves each first_node to where it belongs. */
  for (size_t i = 0; i < node_count; i++) {
    uint32_t delegate = delegate_of_node(s, i);
    if (delegate != ETR_NONE)
      s->first_node[delegate + 2]++;
  }
  for (size_t i = 1; i < count + 2; i++)
    s->first_node[i] += s->first_node[i - 1];
  for (uint32_t i = 0; i < node_count; i++) {
    uint32_t delegate = delegate_of_node(s, i);
    if (delegate != ETR_NONE)
      s->nodes[s->first_node[delegate + 1]++] = i;
  }
  return true;
}

/* Counts the modules and operators in a delegate, the most frequent first, and sums its
 * multiply-accumulates. s->counted_for lets each module count once, however many operators it has
 * here. Returns false when out of memory. */
static bool count_contents(etr_delegate_contents *out, const delegate_search *s,
                           uint32_t delegate) {
  const etr_graph *graph = s->graph;
  name_counts modules = {0}, ops = {0};
  etr_cost_sum costs = {0};
  etr_map_init(&modules.index, s->scratch);
  etr_map_init(&ops.index, s->scratch);
  for (uint32_t i = s->first_node[delegate]; i < s->first_node[delegate + 1]; i++) {
    const etr_node *node = &graph->nodes[s->nodes[i]];
    if (s->counted_for[node->module] != delegate + 1 &&
        !count_name(&modules, s->arena, graph->modules[node->module].pattern))
      return false;
    s->counted_for[node->module] = delegate + 1;
    if (!count_name(&ops, s->arena, node->target))
      return false;
    etr_cost_add(&costs, s->profile, graph, s->nodes[i]);
  }
  if (ops.list.count == 0)
    return true;
  etr_sort(modules.list.data, modules.list.count, sizeof *modules.list.data, by_count);
  etr_sort(ops.list.data, ops.list.count, sizeof *ops.list.data, by_count);
  out->modules = modules.list.data;
  out->module_count = modules.list.count;
  out->ops = ops.list.data;
  out->op_count = ops.list.count;
  out->macs = graph->costs ? etr_cost_macs(&costs) : NAN;
  return true;
}

/* Sets the contents of all delegates. Delegates that one instruction calls are counted as one, and
 * have the same contents. Returns false when out of memory. */
static bool fill_contents(delegate_search *s, etr_delegate_contents *contents) {
  size_t count = s->method->delegate_count;
  for (size_t i = 0; i < count; i++)
    contents[i] = (etr_delegate_contents){.macs = NAN};
  if (!index_delegates(s))
    return false;
  mark_called(s);
  if (s->graph && !list_nodes_by_delegate(s))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t first = delegate_of_instruction(s, s->method->delegates[i].instruction_id);
    contents[i].is_opaque = s->was_called[i] && !s->has_operators[i];
    if (s->graph && first == i && !count_contents(&contents[i], s, i))
      return false;
    if (first < i) /* another delegate of the same instruction */
      contents[i] = contents[first];
  }
  return true;
}

/* Returns what each of method->delegates contains, in their order, in the arena; without a graph
 * that has times, only is_opaque. NULL when out of memory, which the arena then says, too. */
const etr_delegate_contents *
etr_delegate_contents_make(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  etr_arena scratch = {0};
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  delegate_search s = {.arena = arena,
                       .scratch = &scratch,
                       .profile = profile,
                       .method = method,
                       .graph = graph && graph->times ? graph : NULL};
  etr_delegate_contents *contents = etr_arena_alloc_array(arena, method->delegate_count,
                                                          sizeof *contents);
  bool good = contents && fill_contents(&s, contents);
  if (!good)
    etr_arena_fail(arena);
  etr_arena_clear(&scratch);
  return good ? contents : NULL;
}
