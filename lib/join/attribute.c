/* SPDX-License-Identifier: BSD-3-Clause
 *
 * attribute.c - the balance: every tick of Method::execute goes to a node, a delegate, the framework, or is said to be
 * unexplained.
 *
 * Rows are turned into *portions*: ticks of one run on one node, or on none. Portions of a delegate that add up to more
 * than its call, or of a run that add up to more than its Method::execute, are scaled to shares of it, exactly, so that
 * sums hold to the tick.
 */
#include "attribute.h"

#include "aten_nodes.h"
#include "carriers.h"
#include "delegates.h"
#include "pte_graph.h"
#include "row.h"
#include "stats.h"

typedef struct portion {
  uint32_t node; /* ETR_NONE unless ETR_PORTION_NODE */
  uint32_t run;  /* place among the method's runs */
  uint64_t ticks;
  uint32_t row, block;
  etr_portion_kind kind;
  uint32_t operators; /* of what a delegate's call took beyond its events: how many of these it had in the run */
} portion;

typedef struct attributor {
  const etr_method_join *join;
  const etr_blocks *blocks;
  uint32_t method;
  etr_arena *arena; /* of the profile */
  etr_arena scratch;
  etr_warnings *warnings;
  uint32_t *run_place; /* per run of the profile: place among the method's runs */
  size_t run_count;
  uint64_t *execute;             /* per run of the method */
  uint64_t *call, *sum, *so_far; /* per run of the method: of what is looked at just now, a delegate's call or all */
  etr_vec(portion) portions;
  portion *spare; /* as long as portions, for sorting */
  etr_vec(etr_delegate) delegates;
  bool warned_shares;
  bool logs_kernels; /* by their names */
  size_t plans_left; /* of etr_delegate_rows() */
} attributor;

/* ---- Runs ---- */

static bool belongs(const attributor *a, const etr_block *block) {
  return block->method == a->method && block->event_count > 0 && a->blocks->runs[block->runs[0]].profile_events > 0;
}

/* Nothing is kept for a method without runs: a record may have as many methods as a dump has runs. */
static bool number_runs(attributor *a) {
  size_t count = 0, place = 0;
  for (size_t i = 0; i < a->blocks->block_count; i++)
    if (belongs(a, &a->blocks->blocks[i])) count += a->blocks->blocks[i].run_count;
  if (count == 0) return true;
  a->run_place = etr_arena_alloc_array(&a->scratch, a->blocks->run_count, sizeof *a->run_place);
  a->execute = etr_arena_alloc_array(a->arena, count, sizeof *a->execute);
  a->call = etr_arena_alloc_array(&a->scratch, count, sizeof *a->call);
  a->sum = etr_arena_alloc_array(&a->scratch, count, sizeof *a->sum);
  a->so_far = etr_arena_alloc_array(&a->scratch, count, sizeof *a->so_far);
  if (!a->run_place || !a->execute || !a->call || !a->sum || !a->so_far) return false;
  for (size_t i = 0; i < a->blocks->run_count; i++) {
    const etr_run *run = &a->blocks->runs[i];
    bool mine = belongs(a, &a->blocks->blocks[run->block]);
    a->run_place[i] = mine ? (uint32_t)place : ETR_NONE;
    if (mine) a->execute[place++] = run->execute_ticks;
  }
  a->run_count = place;
  return true;
}

/* ---- Rows ---- */

static void describe(etr_event *e, const etr_join_instruction *instruction, etr_row_kind kind) {
  const etr_map_instruction *map = instruction ? instruction->map : NULL;
  bool in_delegate = kind == ETR_ROW_DELEGATE_CALL || kind == ETR_ROW_DELEGATE_EVENT;
  e->match = in_delegate ? ETR_MATCH_DELEGATE : kind == ETR_ROW_KERNEL ? ETR_MATCH_NONE : ETR_MATCH_FRAMEWORK;
  if (in_delegate && instruction) e->backend = instruction->backend;
  if (!map || kind == ETR_ROW_DELEGATE_EVENT) return;
  e->handles = map->handles;
  e->handle_count = map->handle_count;
}

/* A kernel of the graph logs its name. What logs none though others do is the runtime's own: the loop of a map, of
 * which the handle map knows nothing, or arithmetic on sizes. */
static bool is_of_runtime(const attributor *a, const etr_event *e, const etr_join_instruction *instruction) {
  bool is_unknown = !instruction->map || instruction->map->handle_count == 0;
  if (instruction->is_prim || (is_unknown && etr_slice_is(instruction->op, "sym_size"))) return true;
  if (a->join->program || !a->join->graph || strcmp(e->name, "OPERATOR_CALL") != 0) return false;
  if (instruction->node == ETR_NONE) return is_unknown && a->logs_kernels;
  return strncmp(a->join->graph->nodes[instruction->node].target, "_operator.", 10) == 0;
}

static bool join_kernel(attributor *a, etr_event *e, const etr_join_instruction *instruction) {
  if (!instruction) return true;
  if (is_of_runtime(a, e, instruction)) e->match = ETR_MATCH_FRAMEWORK;
  if (instruction->node == ETR_NONE || e->match == ETR_MATCH_FRAMEWORK) return true;
  uint32_t *node = etr_arena_alloc(a->arena, sizeof *node);
  if (!node) return false;
  *node = instruction->node;
  e->nodes = node;
  e->node_count = 1;
  e->match = instruction->match;
  e->confidence = e->match == ETR_MATCH_ALIGNED ? 0.5 : 1;
  return true;
}

static bool join_rows(attributor *a, const etr_block *block) {
  for (size_t i = 0, end; i < block->event_count; i = end) {
    const etr_join_instruction *instruction = etr_join_find(a->join, block->events[i].instruction_id);
    end = etr_block_end_of_instruction(block, i);
    for (size_t k = i; k < end; k++) {
      etr_event *e = &etr_block_rows(block)[k];
      etr_row_kind kind = etr_row_kind_of(block, k);
      describe(e, instruction, kind);
      if (kind == ETR_ROW_KERNEL && !join_kernel(a, e, instruction)) return false;
    }
    if (!instruction || !block->events[i].delegate_id) continue;
    if (!etr_delegate_rows(a->join, instruction, &etr_block_rows(block)[i], end - i, &a->plans_left, a->arena))
      return false;
  }
  return true;
}

/* ---- Portions ---- */

static bool add_portions(attributor *a, uint32_t block_index, uint32_t row, etr_portion_kind without_node) {
  const etr_event *e = &a->blocks->blocks[block_index].events[row];
  for (size_t i = 0; i < e->sample_count; i++) {
    portion *p = etr_vec_push(&a->scratch, &a->portions);
    if (!p) return false;
    *p = (portion){.node = e->node_count ? e->nodes[0] : ETR_NONE,
                   .run = a->run_place[e->sample_runs[i]],
                   .ticks = e->durations[i],
                   .row = row,
                   .block = block_index,
                   .kind = e->node_count ? ETR_PORTION_NODE : without_node};
  }
  return true;
}

/* What the portions from `first` on add up to in each run that they are of. */
static void sum_runs(attributor *a, size_t first) {
  for (size_t i = first; i < a->portions.count; i++) a->sum[a->portions.data[i].run] = 0;
  for (size_t i = first; i < a->portions.count; i++) a->sum[a->portions.data[i].run] += a->portions.data[i].ticks;
}

/* Scales portions [first, end) of each run so that they add up to at most limit[run]. True if any were. Touches the
 * runs alone that they are of: there may be as many delegate calls as there are runs. */
static bool limit_portions(attributor *a, size_t first, const uint64_t *limit) {
  bool scaled = false;
  sum_runs(a, first);
  for (size_t i = first; i < a->portions.count; i++) a->so_far[a->portions.data[i].run] = 0;
  for (size_t i = first; i < a->portions.count; i++) {
    portion *p = &a->portions.data[i];
    uint64_t *so_far = &a->so_far[p->run], sum = a->sum[p->run];
    if (sum <= limit[p->run]) continue;
    uint64_t before = etr_scale(*so_far, limit[p->run], sum);
    *so_far += p->ticks;
    p->ticks = etr_scale(*so_far, limit[p->run], sum) - before;
    scaled = true;
  }
  return scaled;
}

/* A run whose Method::execute was not timed, or damaged, took at least what was timed inside it. */
static void complete_execute(attributor *a) {
  size_t completed = 0;
  if (a->run_count) memset(a->sum, 0, a->run_count * sizeof *a->sum);
  sum_runs(a, 0);
  for (size_t i = 0; i < a->run_count; i++) {
    if (a->execute[i] > 0 || a->sum[i] == 0) continue;
    a->execute[i] = a->sum[i];
    completed++;
  }
  if (completed)
    etr_warn(a->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: %zu of %zu runs have no time of Method::execute: their kernels and delegates stand for it, the "
             "framework's time is not known",
             a->join->name, completed, a->run_count);
}

/* Takes a delegate's events, the portions from `first` on, off what its call took in each run; counts them in so_far.
 */
static void take_events_off(attributor *a, size_t first, const etr_block *block) {
  for (size_t i = 0; i < block->run_count; i++) a->so_far[a->run_place[block->runs[i]]] = 0;
  for (size_t i = first; i < a->portions.count; i++) {
    uint32_t run = a->portions.data[i].run;
    a->call[run] -= ETR_MIN(a->call[run], a->portions.data[i].ticks);
    a->so_far[run]++;
  }
}

/* What a delegate's call took beyond its own events. */
static bool add_rest_of_call(attributor *a, size_t first, uint32_t block_index, uint32_t row) {
  const etr_block *block = &a->blocks->blocks[block_index];
  take_events_off(a, first, block);
  for (size_t i = 0; i < block->run_count; i++) {
    uint32_t run = a->run_place[block->runs[i]];
    uint64_t rest = a->call[run];
    portion *p = rest ? etr_vec_push(&a->scratch, &a->portions) : NULL;
    if (rest && !p) return false;
    if (p)
      *p = (portion){.node = ETR_NONE,
                     .run = run,
                     .ticks = rest,
                     .row = row,
                     .block = block_index,
                     .kind = ETR_PORTION_DELEGATE,
                     .operators = (uint32_t)ETR_MIN(a->so_far[run], UINT32_MAX)};
  }
  return true;
}

static int by_instruction(const void *x, const void *y) {
  int32_t a = ((const etr_delegate *)x)->instruction_id, b = ((const etr_delegate *)y)->instruction_id;
  return (a > b) - (a < b);
}

static void note_delegate(attributor *a, const etr_event *call) {
  uint64_t ticks = 0;
  for (size_t i = 0; i < call->sample_count; i++) ticks += call->durations[i];
  etr_delegate wanted = {.instruction_id = call->instruction_id};
  size_t at = etr_lower_bound(&wanted, a->delegates.data, a->delegates.count, sizeof wanted, by_instruction);
  if (at < a->delegates.count && a->delegates.data[at].instruction_id == call->instruction_id)
    a->delegates.data[at].call_ticks += ticks;
}

/* One delegate's call and events: rows [first, end) of a block have its instruction id. */
static bool add_delegate(attributor *a, uint32_t block_index, size_t first, size_t end) {
  const etr_block *block = &a->blocks->blocks[block_index];
  size_t first_portion = a->portions.count, call_row = end;
  for (size_t i = 0; i < block->run_count; i++) a->call[a->run_place[block->runs[i]]] = 0;
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    etr_portion_kind without_node = e->match == ETR_MATCH_NONE ? ETR_PORTION_UNEXPLAINED : ETR_PORTION_DELEGATE;
    if (e->delegate_id && !add_portions(a, block_index, (uint32_t)i, without_node)) return false;
    if (e->delegate_id || etr_row_kind_of(block, i) != ETR_ROW_DELEGATE_CALL) continue;
    call_row = i;
    note_delegate(a, e);
    for (size_t k = 0; k < e->sample_count; k++) a->call[a->run_place[e->sample_runs[k]]] += e->durations[k];
  }
  if (call_row == end) return true; /* the call itself was not timed */
  if (limit_portions(a, first_portion, a->call) && !a->warned_shares) {
    a->warned_shares = true;
    etr_warn(a->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: events inside delegate call %d (%s) add up to more than the call: nodes get their shares of the "
             "call's time",
             a->join->name, (int)block->events[call_row].instruction_id,
             block->events[call_row].backend ? block->events[call_row].backend : "unknown backend");
  }
  return add_rest_of_call(a, first_portion, block_index, (uint32_t)call_row);
}

static bool add_block(attributor *a, uint32_t block_index) {
  const etr_block *block = &a->blocks->blocks[block_index];
  for (size_t i = 0; i < block->event_count;) {
    etr_row_kind kind = etr_row_kind_of(block, i);
    size_t end = i + 1;
    if (kind == ETR_ROW_DELEGATE_CALL || kind == ETR_ROW_DELEGATE_EVENT) {
      end = etr_block_end_of_instruction(block, i);
      if (!add_delegate(a, block_index, i, end)) return false;
    } else if (kind == ETR_ROW_KERNEL && block->events[i].match != ETR_MATCH_FRAMEWORK &&
               !add_portions(a, block_index, (uint32_t)i, ETR_PORTION_UNEXPLAINED))
      return false;
    i = end;
  }
  return true;
}

/* ---- Times on nodes ---- */

static int by_run(const void *x, const void *y) {
  const portion *a = x, *b = y;
  if (a->run != b->run) return a->run < b->run ? -1 : 1;
  return (a->row > b->row) - (a->row < b->row);
}

/* By node, those without one last; of a node by run. Counting keeps the order in which portions were added, so runs
 * mostly are in order already. */
static bool sort_portions(attributor *a, size_t node_count) {
  size_t count = a->portions.count;
  size_t *end = etr_arena_alloc_array(&a->scratch, node_count + 2,
                                      sizeof *end); /* of each node's portions, one place later */
  if (!a->spare) a->spare = etr_arena_alloc_array(&a->scratch, count, sizeof *a->spare);
  if (!end || !a->spare) return false;
  portion *sorted = a->spare;
  for (size_t i = 0; i < count; i++) end[ETR_MIN(a->portions.data[i].node, node_count) + 1]++;
  for (size_t i = 1; i <= node_count + 1; i++) end[i] += end[i - 1];
  for (size_t i = 0; i < count; i++) sorted[end[ETR_MIN(a->portions.data[i].node, node_count)]++] = a->portions.data[i];
  for (size_t i = 0; i < node_count; i++) {
    size_t start = i ? end[i - 1] : 0;
    etr_sort(sorted + start, end[i] - start, sizeof *sorted, by_run);
  }
  a->spare = a->portions.data;
  a->portions.data = sorted;
  return true;
}

static uint64_t first_start_of_run(const etr_block *block, uint32_t run) {
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < block->event_count; i++)
    for (size_t k = 0; k < block->events[i].sample_count && block->events[i].sample_runs[k] == run; k++)
      first = ETR_MIN(first, block->events[i].starts[k]);
  return first;
}

/* portions [first, end) are one node's, by run; per_run has room for all runs. */
static void time_node(const attributor *a, etr_node_time *time, size_t first, size_t end, uint64_t *per_run,
                      const uint64_t *block_start) {
  const portion *p = &a->portions.data[first];
  const etr_event *e = &a->blocks->blocks[p->block].events[p->row];
  size_t runs = 0;
  *time = (etr_node_time){.match = e->match,
                          .confidence = e->confidence,
                          .runs_as = e->name,
                          .backend = e->backend,
                          .delegate_instruction = e->delegate_id || e->backend ? e->instruction_id : -1,
                          .carried_by = ETR_NONE};
  for (size_t i = first; i < end; i++) {
    const portion *q = &a->portions.data[i];
    if (i == first || q->run != a->portions.data[i - 1].run) per_run[runs++] = 0;
    per_run[runs - 1] += q->ticks;
    time->total_ticks += q->ticks;
    time->calls++;
  }
  uint64_t start = e->sample_count ? e->starts[0] : 0;
  time->first_start_ticks = start > block_start[p->block] ? start - block_start[p->block] : 0;
  time->runs = (uint32_t)runs;
  time->avg = (double)time->total_ticks / (double)a->run_count;
  time->per_run = etr_stats_of(per_run, runs);
}

/* The delegate that a node without time of its own is in. */
static etr_node_time untimed(const attributor *a, uint32_t edge_node) {
  int32_t delegate = edge_node == ETR_NONE ? -1 : a->join->node_delegate[edge_node];
  const etr_join_instruction *instruction = delegate < 0 ? NULL : etr_join_find(a->join, delegate);
  return (etr_node_time){.match = instruction ? ETR_MATCH_DELEGATE : ETR_MATCH_NONE,
                         .delegate_instruction = delegate,
                         .backend = instruction ? instruction->backend : NULL,
                         .carried_by = ETR_NONE};
}

/* In the graph of instructions, backend and delegate follow from the place. */
static etr_node_time untimed_instruction(const attributor *a, const etr_pte_graph *program, size_t node) {
  etr_node_time time = untimed(a, ETR_NONE);
  uint32_t subgraph = program->graph.nodes[node].subgraph;
  if (subgraph == ETR_NONE) return time;
  time.backend = program->graph.subgraphs[subgraph].backend;
  time.delegate_instruction = program->instructions.data[node];
  return time;
}

/* Adds each run's time. */
static bool keep_runs(const attributor *a, etr_node_time *time, size_t first, size_t end) {
  etr_run_ticks *runs = etr_arena_alloc_array(a->arena, time->runs, sizeof *runs), *last = runs;
  if (!runs) return false;
  for (size_t i = first; i < end; i++) {
    const portion *p = &a->portions.data[i];
    if (i > first && p->run != last->run) last++;
    last->run = p->run;
    last->ticks += p->ticks;
  }
  time->each_run = runs;
  return true;
}

/* Times of a graph from the portions, sorted by its nodes; each run's, too, if keeps_runs. */
static bool time_graph(attributor *a, etr_graph *graph, etr_node_time *times, bool keeps_runs) {
  uint64_t *per_run = etr_arena_alloc_array(&a->scratch, a->run_count, sizeof *per_run);
  uint64_t *block_start = etr_arena_alloc_array(&a->scratch, a->blocks->block_count, sizeof *block_start);
  if (!per_run || !block_start) return false;
  for (size_t i = 0; i < a->blocks->block_count; i++)
    if (belongs(a, &a->blocks->blocks[i]))
      block_start[i] = first_start_of_run(&a->blocks->blocks[i], a->blocks->blocks[i].runs[0]);
  if (!sort_portions(a, graph->node_count)) return false;
  for (size_t first = 0, end; first < a->portions.count; first = end) {
    uint32_t node = a->portions.data[first].node;
    for (end = first; end < a->portions.count && a->portions.data[end].node == node;) end++;
    if (node == ETR_NONE) continue;
    time_node(a, &times[node], first, end, per_run, block_start);
    if (keeps_runs && !keep_runs(a, &times[node], first, end)) return false;
  }
  graph->times = times;
  graph->profile_method = a->method;
  return true;
}

static bool time_edge_graph(attributor *a, etr_graph *graph) {
  etr_node_time *times = etr_arena_alloc_array(a->arena, graph->node_count, sizeof *times);
  for (uint32_t i = 0; times && i < graph->node_count; i++) times[i] = untimed(a, i);
  return times && time_graph(a, graph, times, true) &&
         etr_find_carriers(a->join, a->method, a->blocks, times, &a->scratch);
}

/* Through aten_node; what has no ATen node has no place there. Leaves the portions on ATen nodes. */
static bool time_aten_graph(attributor *a, const etr_graph *edge, etr_graph *aten) {
  etr_node_time *times = etr_arena_alloc_array(a->arena, aten->node_count, sizeof *times);
  uint32_t *aten_of = etr_arena_alloc_array(&a->scratch, edge->node_count, sizeof *aten_of);
  if (!times || !aten_of || !etr_find_aten_nodes(aten_of, edge, aten, &a->scratch)) return false;
  for (uint32_t i = 0; i < aten->node_count; i++) times[i] = untimed(a, ETR_NONE);
  for (uint32_t i = 0; i < edge->node_count; i++)
    if (aten_of[i] != ETR_NONE && times[aten_of[i]].delegate_instruction < 0) times[aten_of[i]] = untimed(a, i);
  for (size_t i = 0; i < a->portions.count; i++)
    if (a->portions.data[i].node != ETR_NONE) a->portions.data[i].node = aten_of[a->portions.data[i].node];
  return time_graph(a, aten, times, false);
}

/* Every portion is some instruction's, or some operator's in a delegate. */
static bool time_program_graph(attributor *a, etr_graph *out) {
  etr_pte_graph program;
  if (!etr_pte_graph_build(&program, a->join, a->method, a->blocks, a->arena)) return false;
  etr_node_time *times = etr_arena_alloc_array(a->arena, program.graph.node_count, sizeof *times);
  for (uint32_t i = 0; times && i < program.graph.node_count; i++) times[i] = untimed_instruction(a, &program, i);
  for (size_t i = 0; i < a->portions.count; i++) {
    portion *p = &a->portions.data[i];
    const etr_event *e = &a->blocks->blocks[p->block].events[p->row];
    p->node = etr_pte_graph_node(&program, e->instruction_id, e->delegate_id);
  }
  *out = program.graph;
  return times && time_graph(a, out, times, false);
}

/* ---- Totals ---- */

static bool list_delegates(attributor *a) {
  for (size_t i = 0; i < a->join->instructions.count; i++) {
    const etr_join_instruction *instruction = &a->join->instructions.data[i];
    if (!instruction->is_delegate) continue;
    etr_delegate *added = etr_vec_push(a->arena, &a->delegates);
    if (!added) return false;
    *added = (etr_delegate){.instruction_id = instruction->id,
                            .backend = instruction->backend ? instruction->backend : "",
                            .handle_count = instruction->map ? instruction->map->handle_count : 0};
  }
  return true;
}

/* What the delegate's lowering inserted; the call's own row is the rest. */
static void sum_up_delegate(const attributor *a, etr_method *out, const portion *p) {
  const etr_event *e = &a->blocks->blocks[p->block].events[p->row];
  out->delegate_only_ticks += p->ticks;
  if (e->is_inserted)
    out->inserted_ticks += p->ticks;
  else if (!e->delegate_id)
    out->clock_hidden_ticks += ETR_MIN(
        p->ticks, etr_backend_clock_hides(etr_backend_of(e->backend), p->operators, a->blocks->ticks_per_second));
}

static void sum_up(attributor *a, etr_method *out, uint64_t *sorted) {
  double sure = 0;
  out->run_count = a->run_count;
  out->execute_per_run = a->execute;
  for (size_t i = 0; i < a->run_count; i++) out->execute_ticks += a->execute[i];
  for (size_t i = 0; i < a->portions.count; i++) {
    const portion *p = &a->portions.data[i];
    bool estimated = p->kind == ETR_PORTION_NODE &&
                     a->blocks->blocks[p->block].events[p->row].match == ETR_MATCH_ALIGNED;
    if (p->kind == ETR_PORTION_NODE) out->nodes_ticks += p->ticks;
    if (p->kind == ETR_PORTION_DELEGATE) sum_up_delegate(a, out, p);
    if (p->kind == ETR_PORTION_UNEXPLAINED) out->unexplained_ticks += p->ticks;
    if (estimated) out->estimated_ticks += p->ticks;
    if (estimated) sure += (double)p->ticks * a->blocks->blocks[p->block].events[p->row].confidence;
  }
  out->estimated_confidence = out->estimated_ticks ? sure / (double)out->estimated_ticks : 0;
  uint64_t told = out->nodes_ticks + out->delegate_only_ticks + out->unexplained_ticks;
  out->framework_ticks = out->execute_ticks - told;
  if (a->run_count) memcpy(sorted, a->execute, a->run_count * sizeof *sorted);
  out->execute = etr_stats_of(sorted, a->run_count);
  out->delegates = a->delegates.data;
  out->delegate_count = a->delegates.count;
}

/* The portions for the profile, while they are on the Edge graph's nodes and in their order. */
static bool lend_portions(const attributor *a, etr_method *out) {
  etr_portion *portions = etr_arena_alloc_array(a->arena, a->portions.count, sizeof *portions);
  for (size_t i = 0; portions && i < a->portions.count; i++) {
    const portion *p = &a->portions.data[i];
    const etr_event *event = &a->blocks->blocks[p->block].events[p->row];
    portions[i] = (etr_portion){.ticks = p->ticks, .event = event, .run = p->run, .node = p->node, .kind = p->kind};
  }
  out->portions = portions;
  out->portion_count = a->portions.count;
  return portions != NULL;
}

/* Names the longest of what may compute inside delegates and has no node. */
static void warn_of_unexplained(const attributor *a) {
  const etr_event *longest = NULL;
  size_t count = 0;
  for (size_t i = 0; i < a->portions.count; i++) {
    const portion *p = &a->portions.data[i];
    const etr_event *e = &a->blocks->blocks[p->block].events[p->row];
    if (p->kind != ETR_PORTION_UNEXPLAINED || !e->delegate_id || (i && a->portions.data[i - 1].row == p->row)) continue;
    count++;
    if (!longest || e->stats.avg > longest->stats.avg) longest = e;
  }
  if (count)
    etr_warn(a->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: no node could be told for %zu operators inside delegates, the longest of them \"%.*s\" of call %d: "
             "their time is unexplained",
             a->join->name, count, ETR_HEAD(longest->name, 80), (int)longest->instruction_id);
}

static void warn_of_contradictions(const attributor *a) {
  size_t count = 0;
  for (size_t i = 0; i < a->join->instructions.count; i++) count += a->join->instructions.data[i].is_contradicted;
  if (count)
    etr_warn(a->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: %zu %s what no node with their handle and operator does: is the .pte another model's? Their times "
             "stay without nodes",
             a->join->name, count, count == 1 ? "kernel reads or writes" : "kernels read or write");
}

static bool attribute(attributor *a, etr_method *out, const etr_method_graphs *graphs) {
  for (size_t i = 0; i < a->join->instructions.count; i++) a->logs_kernels |= a->join->instructions.data[i].op.size > 0;
  if (!number_runs(a) || !list_delegates(a)) return false;
  for (uint32_t i = 0; i < a->blocks->block_count; i++)
    if (belongs(a, &a->blocks->blocks[i]) && (!join_rows(a, &a->blocks->blocks[i]) || !add_block(a, i))) return false;
  warn_of_contradictions(a);
  if (a->join->graph) warn_of_unexplained(a);
  complete_execute(a);
  if (limit_portions(a, 0, a->execute))
    etr_warn(a->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: kernels and delegates add up to more than Method::execute: times are shares of it", a->join->name);
  uint64_t *sorted = etr_arena_alloc_array(&a->scratch, a->run_count, sizeof *sorted);
  if (!sorted) return false;
  sum_up(a, out, sorted);
  if (graphs->edge && !time_edge_graph(a, graphs->edge)) return false;
  if (!lend_portions(a, out)) return false;
  if (graphs->edge && graphs->aten && !time_aten_graph(a, graphs->edge, graphs->aten)) return false;
  return !graphs->program || time_program_graph(a, graphs->program);
}

bool etr_attribute(etr_method *out, const etr_method_graphs *graphs, const etr_method_join *join, uint32_t method,
                   const etr_blocks *blocks, etr_arena *arena, etr_warnings *warnings) {
  attributor a = {.join = join,
                  .blocks = blocks,
                  .method = method,
                  .arena = arena,
                  .warnings = warnings,
                  .plans_left = ETR_DELEGATE_PLANS};
  bool good = attribute(&a, out, graphs);
  good = good && !etr_arena_failed(&a.scratch);
  etr_arena_clear(&a.scratch);
  return good;
}
