/* SPDX-License-Identifier: BSD-3-Clause
 *
 * attribute.c - the balance: every tick of Method::execute goes to a node, a delegate, the framework, or is said to be
 * unexplained.
 */
#include "balance/attribute.h"

#include "backends/backends.h"
#include "balance/node_times.h"
#include "base/stats.h"
#include "place/event_nodes.h"
#include "program/program_rows.h"
#include "runs/skipped.h"

/* ---- Totals ---- */

/* What the delegate's lowering inserted; the call's own row is the rest. */
static void sum_up_delegate(const etr_time *t, etr_method *out, const etr_time_portion *p) {
  const etr_event *e = p->event;
  out->delegate_only_ticks += p->ticks;
  if (e->is_inserted)
    out->inserted_ticks += p->ticks;
  else if (!e->delegate_id)
    out->clock_hidden_ticks += ETR_MIN(
        p->ticks, etr_backend_clock_hides(etr_backend_of(e->backend), p->operators, t->blocks->ticks_per_second));
}

static bool sum_up(const etr_time *t, etr_method *out) {
  uint64_t *sorted = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *sorted);
  double sure = 0;
  uint64_t aligned = 0;
  if (!sorted) return false;
  out->run_count = t->run_count;
  out->execute_per_run = t->execute;
  for (size_t i = 0; i < t->run_count; i++) out->execute_ticks += t->execute[i];
  for (size_t i = 0; i < t->portions.count; i++) {
    const etr_time_portion *p = &t->portions.data[i];
    bool is_aligned = p->kind == ETR_PORTION_NODE && p->event->match == ETR_MATCH_ALIGNED;
    bool is_estimated = p->kind == ETR_PORTION_NODE && p->event->is_estimated;
    if (p->kind == ETR_PORTION_NODE) out->nodes_ticks += p->ticks;
    if (p->kind == ETR_PORTION_DELEGATE) sum_up_delegate(t, out, p);
    if (p->kind == ETR_PORTION_UNEXPLAINED) out->unexplained_ticks += p->ticks;
    if (is_aligned || is_estimated) out->estimated_ticks += p->ticks;
    if (is_estimated) out->estimated_time_ticks += p->ticks;
    if (is_estimated && p->event->unit == ETR_EVENT_UNIT_CYCLES) out->shared_ticks += p->ticks;
    if (is_aligned) aligned += p->ticks, sure += (double)p->ticks * p->event->confidence;
  }
  out->estimated_confidence = aligned ? sure / (double)aligned : 0;
  uint64_t told = out->nodes_ticks + out->delegate_only_ticks + out->unexplained_ticks;
  ETR_CHECK(told <= out->execute_ticks);
  out->framework_ticks = out->execute_ticks - told;
  if (t->run_count) memcpy(sorted, t->execute, t->run_count * sizeof *sorted);
  out->execute = etr_stats_of(sorted, t->run_count);
  out->delegates = t->delegates.data;
  out->delegate_count = t->delegates.count;
  return true;
}

static void list_run(const etr_time *t, etr_method *out, uint32_t *runs, uint32_t *skipped, uint32_t run) {
  if (!t->blocks->runs[run].is_skipped) {
    runs[t->blocks->place_of_run[run]] = run;
    return;
  }
  skipped[out->skipped_run_count++] = run;
  out->skipped_ticks += t->blocks->runs[run].execute_ticks;
}

/* The runs that count, and those that do not. */
static bool list_runs(const etr_time *t, etr_method *out) {
  size_t count = 0;
  for (size_t i = 0; i < out->block_count; i++) count += t->blocks->blocks[out->blocks[i]].run_count;
  uint32_t *runs = etr_arena_alloc_array(t->arena, count, sizeof *runs);
  uint32_t *skipped = etr_arena_alloc_array(t->arena, count, sizeof *skipped);
  if (!runs || !skipped) return false;
  for (size_t i = 0; i < out->block_count; i++) {
    const etr_block *block = &t->blocks->blocks[out->blocks[i]];
    for (size_t k = 0; etr_block_counts(t->blocks, block) && k < block->run_count; k++)
      list_run(t, out, runs, skipped, block->runs[k]);
  }
  etr_sort(skipped, out->skipped_run_count, sizeof *skipped, etr_by_number);
  out->runs = runs;
  out->skipped_runs = skipped;
  return true;
}

/* The portions for the profile, while they are on the nodes of the method's graph and in their order. */
static bool lend_portions(const etr_time *t, etr_method *out) {
  etr_portion *portions = etr_arena_alloc_array(t->arena, t->portions.count, sizeof *portions);
  for (size_t i = 0; portions && i < t->portions.count; i++) {
    const etr_time_portion *p = &t->portions.data[i];
    const etr_event *event = p->event;
    portions[i] = (etr_portion){.ticks = p->ticks,
                                .event = event,
                                .run = p->run,
                                .node = p->node,
                                .kind = p->kind,
                                .phase = p->phase,
                                .compute_unit = p->compute_unit};
  }
  out->portions = portions;
  out->portion_count = t->portions.count;
  return portions != NULL;
}

/* Names the longest of what may compute inside delegates and has no node. */
static void warn_of_unexplained(const etr_time *t) {
  const etr_event *longest = NULL;
  size_t count = 0;
  for (size_t i = 0; i < t->portions.count; i++) {
    const etr_time_portion *p = &t->portions.data[i];
    const etr_event *e = p->event;
    if (p->kind != ETR_PORTION_UNEXPLAINED || !e->delegate_id || (i && t->portions.data[i - 1].event == e)) continue;
    count++;
    if (!longest || e->stats.avg > longest->stats.avg) longest = e;
  }
  if (count)
    etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: found no node for %zu operators inside delegates, the longest of them \"%.*s\" of call %d: their "
             "time is unexplained",
             etr_method_label(t->placement->method), count, ETR_HEAD(longest->name, 80), (int)longest->instruction_id);
}

static void warn_of_contradictions(const etr_time *t) {
  size_t count = 0;
  for (size_t i = 0; i < t->placement->instructions.count; i++)
    count += t->placement->instructions.data[i].is_contradicted;
  if (count)
    etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: %zu %s values that no node with their handle and operator does: is the .pte from another model? "
             "Their times get no node",
             etr_method_label(t->placement->method), count,
             count == 1 ? "kernel reads or writes" : "kernels read or write");
}

/* ---- All ---- */

static bool attribute(etr_time *t, etr_method *out, const etr_method_graphs *graphs) {
  if (!etr_find_event_nodes(t->placement, t->method, t->blocks, t->arena, t->warnings)) return false;
  if (!etr_program_rows(t->placement, t->method, t->blocks, t->arena)) return false;
  if (!list_runs(t, out) || !etr_skipped_drop(t->blocks, t->method, t->scratch) || !etr_time_cut(t)) return false;
  warn_of_contradictions(t);
  if (t->placement->method->graph) warn_of_unexplained(t);
  etr_time_limit(t);
  if (!sum_up(t, out)) return false;
  if (graphs->edge && !etr_time_edge_graph(t, graphs->edge)) return false;
  bool has_own = t->placement->program_graph && graphs->program;
  if (has_own && !etr_time_own_program(t, graphs->program)) return false;
  if (!lend_portions(t, out)) return false;
  if (graphs->edge && graphs->aten && !etr_time_aten_graph(t, graphs->edge, graphs->aten)) return false;
  return has_own || !graphs->program || etr_time_program_graph(t, graphs->program);
}

bool etr_attribute(etr_method *out, const etr_method_graphs *graphs, const etr_placement *placement, uint32_t method,
                   const etr_blocks *blocks, etr_arena *arena, etr_warnings *warnings) {
  etr_arena scratch = {0};
  etr_time t = {.placement = placement,
                .blocks = blocks,
                .method = method,
                .arena = arena,
                .scratch = &scratch,
                .warnings = warnings};
  bool good = attribute(&t, out, graphs) && !etr_arena_failed(&scratch);
  etr_arena_clear(&scratch);
  return good;
}
