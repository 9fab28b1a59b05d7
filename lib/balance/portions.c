/* SPDX-License-Identifier: BSD-3-Clause
 *
 * portions.c - rows turned into portions: ticks of one run on one node, or on none.
 */
#include "balance/attribute.h"
#include "base/stats.h"

#define NOT_TIMED UINT64_MAX /* what a call took: its events are limited by nothing */

/* ---- Runs and delegates ---- */

static const etr_block *block_at(const etr_time *t, size_t place) { return &t->blocks->blocks[t->mine[place]]; }

/* Nothing is kept for a method without runs: a record may have as many methods as a dump has runs. */
static bool list_runs(etr_time *t) {
  t->mine = etr_blocks_of_method(t->blocks, t->method, &t->block_count);
  for (size_t i = 0; i < t->block_count; i++)
    if (etr_block_counts(t->blocks, block_at(t, i))) t->run_count += block_at(t, i)->run_count;
  if (t->run_count == 0) return true;
  t->execute = etr_arena_alloc_array(t->arena, t->run_count, sizeof *t->execute);
  t->call = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->call);
  t->sum = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->sum);
  t->so_far = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->so_far);
  t->cycles = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->cycles);
  t->inside_cycles = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->inside_cycles);
  for (size_t s = 0; s <= ETR_MOST_SHELLS; s++) {
    t->shells[s] = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->shells[s]);
    t->insides[s] = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->insides[s]);
    if (!t->shells[s] || !t->insides[s]) return false;
  }
  if (!t->execute || !t->call || !t->sum || !t->so_far || !t->cycles || !t->inside_cycles) return false;
  for (size_t i = 0; i < t->block_count; i++)
    for (size_t k = 0; etr_block_counts(t->blocks, block_at(t, i)) && k < block_at(t, i)->run_count; k++) {
      uint32_t run = block_at(t, i)->runs[k];
      t->execute[t->blocks->place_of_run[run]] = t->blocks->runs[run].execute_ticks;
    }
  return true;
}

static bool list_delegates(etr_time *t) {
  for (size_t i = 0; i < t->placement->instructions.count; i++) {
    const etr_placed *instruction = &t->placement->instructions.data[i];
    if (!instruction->is_delegate) continue;
    etr_delegate *added = etr_vec_push(t->arena, &t->delegates);
    if (!added) return false;
    *added = (etr_delegate){.instruction_id = instruction->id,
                            .backend = instruction->backend ? instruction->backend : "",
                            .handle_count = instruction->map ? instruction->map->handle_count : 0};
  }
  return true;
}

/* ---- Portions ---- */

static etr_time_portion portion_of(const etr_time *t, const etr_event *e, size_t sample,
                                   etr_portion_kind without_node) {
  return (etr_time_portion){.node = e->node_count ? e->nodes[0] : ETR_NONE,
                            .run = t->blocks->place_of_run[e->sample_runs[sample]],
                            .ticks = e->durations[sample],
                            .event = e,
                            .kind = e->node_count ? ETR_PORTION_NODE : without_node,
                            .phase = e->phase ? e->phase : ETR_PHASE_OTHER,
                            .compute_unit = e->compute_unit};
}

static bool add_portions(etr_time *t, const etr_event *e, etr_portion_kind without_node) {
  for (size_t i = 0; i < e->sample_count; i++) {
    etr_time_portion *p = etr_vec_push(t->scratch, &t->portions);
    if (!p) return false;
    *p = portion_of(t, e, i, without_node);
  }
  return true;
}

/* What the portions from `first` on add up to in each run that they are of. */
static void sum_runs(etr_time *t, size_t first) {
  for (size_t i = first; i < t->portions.count; i++) t->sum[t->portions.data[i].run] = 0;
  for (size_t i = first; i < t->portions.count; i++) t->sum[t->portions.data[i].run] += t->portions.data[i].ticks;
}

/* Scales portions [first, end) of each run so that they add up to at most limit[run]. True if any were. Touches the
 * runs alone that they are of: there may be as many delegate calls as there are runs. */
static bool limit_portions(etr_time *t, size_t first, const uint64_t *limit) {
  bool scaled = false;
  sum_runs(t, first);
  for (size_t i = first; i < t->portions.count; i++) t->so_far[t->portions.data[i].run] = 0;
  for (size_t i = first; i < t->portions.count; i++) {
    etr_time_portion *p = &t->portions.data[i];
    uint64_t *so_far = &t->so_far[p->run], sum = t->sum[p->run];
    if (sum <= limit[p->run]) continue;
    uint64_t before = etr_scale(*so_far, limit[p->run], sum);
    *so_far += p->ticks;
    p->ticks = etr_scale(*so_far, limit[p->run], sum) - before;
    scaled = true;
  }
  return scaled;
}

/* What a delegate's call took beyond its own events. */
static bool add_rest_of_call(etr_time *t, size_t first, const etr_block *block, const etr_event *call) {
  /* Takes a delegate's events, the portions from `first` on, off what its call took in each run; counts them in so_far.
   */
  for (size_t i = 0; i < block->run_count; i++) {
    uint32_t run = t->blocks->place_of_run[block->runs[i]];
    t->so_far[run] = 0;
    if (t->call[run] == NOT_TIMED) t->call[run] = 0;
  }
  for (size_t i = first; i < t->portions.count; i++) {
    uint32_t run = t->portions.data[i].run;
    t->call[run] -= ETR_MIN(t->call[run], t->portions.data[i].ticks);
    t->so_far[run] += t->portions.data[i].event->kind == ETR_EVENT_DELEGATE_OPERATOR;
  }
  for (size_t i = 0; i < block->run_count; i++) {
    uint32_t run = t->blocks->place_of_run[block->runs[i]];
    uint64_t rest = t->call[run];
    etr_time_portion *p = rest ? etr_vec_push(t->scratch, &t->portions) : NULL;
    if (rest && !p) return false;
    if (p)
      *p = (etr_time_portion){.node = call->node_count ? call->nodes[0] : ETR_NONE,
                              .run = run,
                              .ticks = rest,
                              .event = call,
                              .kind = call->node_count ? ETR_PORTION_NODE : ETR_PORTION_DELEGATE,
                              .phase = ETR_PHASE_OTHER,
                              .operators = (uint32_t)ETR_MIN(t->so_far[run], UINT32_MAX)};
  }
  return true;
}

/* ---- Shells ---- */

/* A shell, whose time is known. */
static bool is_shell(const etr_event *e, size_t shell) { return e->shell == shell && e->unit == ETR_EVENT_UNIT_TIME; }

/* NULL: the call has none. */
static const etr_event *find_shell(const etr_block *block, size_t first, size_t end, size_t shell) {
  for (size_t i = first; i < end; i++)
    if (is_shell(&block->events[i], shell)) return &block->events[i];
  return NULL;
}

static bool has_shells(const etr_block *block, size_t first, size_t end) {
  for (size_t s = 1; s <= ETR_MOST_SHELLS; s++)
    if (find_shell(block, first, end, s)) return true;
  return false;
}

static void warn_of_shells(etr_time *t, const etr_event *call) {
  if (t->warned_shells) return;
  t->warned_shells = true;
  etr_warn(
      t->warnings, NULL, NULL, ETR_NO_OFFSET,
      "%s: operators of delegate call %d (%s) take longer than what contains them: they are timed by another clock",
      etr_method_label(t->placement->method), (int)call->instruction_id,
      call->backend ? call->backend : "unknown backend");
}

static bool add_own_time(etr_time *t, const etr_event *of, uint32_t run, uint64_t ticks, const etr_event *shell) {
  etr_time_portion *p = ticks ? etr_vec_push(t->scratch, &t->portions) : NULL;
  if (p)
    *p = (etr_time_portion){.node = of->node_count ? of->nodes[0] : ETR_NONE,
                            .run = run,
                            .ticks = ticks,
                            .event = of,
                            .kind = of->node_count ? ETR_PORTION_NODE : ETR_PORTION_DELEGATE,
                            .phase = shell->shell_phase,
                            .compute_unit = shell->compute_unit};
  return p || !ticks;
}

/* ---- Shares of a shell's time, by cycles ---- */

static bool is_in_cycles(const etr_event *e, size_t shell) {
  return e->unit == ETR_EVENT_UNIT_CYCLES && (e->shell ? e->shell == shell : e->inside == shell);
}

/* An operator's share in each run: what the shell's time is for so many of its cycles. Operators that count more than
 * the shell, as they overlap, share all of its time. */
static bool add_share(etr_time *t, const etr_event *e, size_t shell) {
  for (size_t k = 0; k < e->sample_count; k++) {
    uint32_t run = t->blocks->place_of_run[e->sample_runs[k]];
    uint64_t whole = ETR_MAX(t->cycles[run], t->inside_cycles[run]);
    if (t->cycles[run] == 0 || t->shells[shell][run] == 0) continue;
    etr_time_portion *p = etr_vec_push(t->scratch, &t->portions);
    if (!p) return false;
    *p = portion_of(t, e, k, ETR_PORTION_DELEGATE);
    p->ticks = etr_scale(e->durations[k], t->shells[shell][run], whole);
    p->phase = ETR_PHASE_COMPUTE;
    t->insides[shell][run] += p->ticks;
  }
  return true;
}

/* Operators without a node are the delegate's own: their time stays in its sums. Without a graph none has one; in a
 * program all are the call's, whose time is measured. */
static bool add_shares(etr_time *t, const etr_block *block, size_t first, size_t end, size_t shell) {
  /* True if some of it is the shell's own. */
  bool any = false;
  for (size_t i = 0; i < block->run_count; i++) {
    uint32_t run = t->blocks->place_of_run[block->runs[i]];
    t->cycles[run] = t->inside_cycles[run] = 0;
  }
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    if (!is_in_cycles(e, shell)) continue;
    any |= e->shell > 0;
    uint64_t *sums = e->shell ? t->cycles : t->inside_cycles;
    for (size_t k = 0; k < e->sample_count; k++) sums[t->blocks->place_of_run[e->sample_runs[k]]] += e->durations[k];
  }
  if (!any) return true;
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    bool is_told = t->placement->method->graph ? e->node_count > 0 : !t->placement->program_graph;
    if (e->role == ETR_ROLE_OPERATOR && is_in_cycles(e, shell) && is_told && !add_share(t, e, shell)) return false;
  }
  return true;
}

/* ---- Own times of shells ---- */

/* What the shells of a call took beyond what lies in them. */
static bool add_shells(etr_time *t, const etr_block *block, const etr_event *call, size_t first, size_t end) {
  if (!has_shells(block, first, end)) return true;
  for (size_t s = 0; s <= ETR_MOST_SHELLS; s++)
    for (size_t i = 0; i < block->run_count; i++) {
      uint32_t run = t->blocks->place_of_run[block->runs[i]];
      t->shells[s][run] = t->insides[s][run] = 0;
    }
  /* What shells took in each run, and what lies directly in each. */
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    for (size_t k = 0; k < e->sample_count; k++) {
      uint32_t run = t->blocks->place_of_run[e->sample_runs[k]];
      if (e->shell && is_shell(e, e->shell)) t->shells[e->shell][run] += e->durations[k];
      if (e->inside && e->is_in_sums && !e->shell) t->insides[e->inside][run] += e->durations[k];
    }
  }
  for (size_t s = ETR_MOST_SHELLS; s > 0; s--) {
    const etr_event *shell = find_shell(block, first, end, s), *of = shell && shell->node_count ? shell : call;
    if (shell && !add_shares(t, block, first, end, s)) return false;
    for (size_t i = 0; i < block->run_count; i++) {
      uint32_t run = t->blocks->place_of_run[block->runs[i]];
      if (t->shells[s][run] && t->insides[s][run] > t->shells[s][run]) warn_of_shells(t, call);
      /* A shell's own time in a run. What it holds counts for the shell around it; one that was not recorded holds
       * nothing of its own. */
      uint64_t whole = t->shells[s][run], inside = t->insides[s][run];
      t->insides[s - 1][run] += ETR_MAX(whole, inside);
      uint64_t own = whole > inside ? whole - inside : 0;
      if (shell && !add_own_time(t, of, run, own, shell)) return false;
    }
  }
  return true;
}

/* ---- Calls ---- */

static void add_call(etr_time *t, uint32_t run, uint64_t ticks) {
  t->call[run] = ticks + (t->call[run] == NOT_TIMED ? 0 : t->call[run]);
}

/* Of a backend that is not known, nothing tells which events contain others. */
static void warn_of_shares(etr_time *t, const etr_event *call) {
  if (t->warned_shares) return;
  t->warned_shares = true;
  if (call->backend)
    etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: events inside delegate call %d (%s) add up to more than the call: their times are scaled to fit",
             etr_method_label(t->placement->method), (int)call->instruction_id, call->backend);
  else
    etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
             "events inside delegate calls contain others: which ones cannot be told without the .pte or the ETRecord, "
             "so that their times are shares of the call");
}

/* One delegate's call and events: rows [first, end) of a block have its instruction id. */
static bool add_delegate(etr_time *t, const etr_block *block, size_t first, size_t end) {
  const etr_event *call = NULL;
  size_t first_portion = t->portions.count;
  for (size_t i = 0; i < block->run_count; i++) t->call[t->blocks->place_of_run[block->runs[i]]] = NOT_TIMED;
  for (size_t i = first; i < end; i++) {
    const etr_event *e = &block->events[i];
    etr_portion_kind without_node = e->match == ETR_MATCH_NONE ? ETR_PORTION_UNEXPLAINED : ETR_PORTION_DELEGATE;
    if (e->kind == ETR_EVENT_DELEGATE_OPERATOR && e->is_in_sums && !add_portions(t, e, without_node)) return false;
    if (e->kind != ETR_EVENT_DELEGATE_CALL) continue;
    call = e;
    uint64_t ticks = 0;
    for (size_t j = 0; j < e->sample_count; j++) ticks += e->durations[j];
    etr_delegate wanted = {.instruction_id = e->instruction_id};
    size_t at = etr_lower_bound(&wanted, t->delegates.data, t->delegates.count, sizeof wanted, etr_by_int);
    if (at < t->delegates.count && t->delegates.data[at].instruction_id == e->instruction_id)
      t->delegates.data[at].call_ticks += ticks;
    for (size_t k = 0; k < e->sample_count; k++)
      add_call(t, t->blocks->place_of_run[e->sample_runs[k]], e->durations[k]);
  }
  if (!call) return true; /* the call itself was not timed */
  if (!add_shells(t, block, call, first, end)) return false;
  if (limit_portions(t, first_portion, t->call)) warn_of_shares(t, call);
  return add_rest_of_call(t, first_portion, block, call);
}

static bool add_block(etr_time *t, const etr_block *block) {
  for (size_t i = 0, end; i < block->event_count; i = end) {
    const etr_event *e = &block->events[i];
    end = i + 1;
    if (etr_event_is_in_delegate(e)) {
      end = etr_block_instruction_end(block, i);
      if (!add_delegate(t, block, i, end)) return false;
    } else if (e->kind == ETR_EVENT_KERNEL && e->match != ETR_MATCH_FRAMEWORK &&
               !add_portions(t, e, ETR_PORTION_UNEXPLAINED))
      return false;
  }
  return true;
}

bool etr_time_cut(etr_time *t) {
  if (!list_runs(t) || !list_delegates(t)) return false;
  for (size_t i = 0; i < t->block_count; i++)
    if (etr_block_counts(t->blocks, block_at(t, i)) && !add_block(t, block_at(t, i))) return false;
  return true;
}

void etr_time_limit(etr_time *t) {
  /* A run whose Method::execute was not timed, or damaged, took at least what was timed inside it. */
  size_t completed = 0;
  if (t->run_count) memset(t->sum, 0, t->run_count * sizeof *t->sum);
  sum_runs(t, 0);
  for (size_t i = 0; i < t->run_count; i++) {
    if (t->execute[i] > 0 || t->sum[i] == 0) continue;
    t->execute[i] = t->sum[i];
    completed++;
  }
  if (completed)
    etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: %zu of %zu runs lack the time of Method::execute: the sum of their kernels and delegates replaces "
             "it, and framework time is unknown",
             etr_method_label(t->placement->method), completed, t->run_count);
  if (limit_portions(t, 0, t->execute))
    etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: kernels and delegates add up to more than Method::execute: their times are scaled to fit",
             etr_method_label(t->placement->method));
}

/* ---- Order ---- */

/* Events of one run are of one block, and stand there in order. */
static int by_run(const void *x, const void *y) {
  const etr_time_portion *a = x, *b = y;
  if (a->run != b->run) return a->run < b->run ? -1 : 1;
  return (a->event > b->event) - (a->event < b->event);
}

/* Counting keeps the order in which portions were added, so runs
 * mostly are in order already. */
bool etr_time_sort(etr_time *t, size_t node_count) {
  size_t count = t->portions.count;
  size_t *end = etr_arena_alloc_array(t->scratch, node_count + 2,
                                      sizeof *end); /* of each node's portions, one place later */
  if (!t->spare) t->spare = etr_arena_alloc_array(t->scratch, count, sizeof *t->spare);
  if (!end || !t->spare) return false;
  etr_time_portion *sorted = t->spare;
  for (size_t i = 0; i < count; i++) end[ETR_MIN(t->portions.data[i].node, node_count) + 1]++;
  for (size_t i = 1; i <= node_count + 1; i++) end[i] += end[i - 1];
  for (size_t i = 0; i < count; i++) sorted[end[ETR_MIN(t->portions.data[i].node, node_count)]++] = t->portions.data[i];
  for (size_t i = 0; i < node_count; i++) {
    size_t start = i ? end[i - 1] : 0;
    etr_sort(sorted + start, end[i] - start, sizeof *sorted, by_run);
  }
  t->spare = t->portions.data;
  t->portions.data = sorted;
  return true;
}
