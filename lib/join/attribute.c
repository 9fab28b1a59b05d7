/* SPDX-License-Identifier: BSD-3-Clause
 *
 * attribute.c - cuts the rows of runs into time slices, and computes the times of nodes from
 * them.
 */
#include "join/attribute.h"

#include "backends/backends.h"
#include "base/stats.h"
#include "inputs/program_values.h"
#include "join/delegates.h"
#include "join/placement.h"
#include "join/program_graph.h"
#include "join/pte_graph.h"
#include "runs/runs.h"

/* ---- Turning rows into time slices: ticks of one run on one node, or on none ---- */

#define NOT_TIMED                                                                                  \
  UINT64_MAX /* time of a call that was not timed, which does not limit its events */

/* ---- Runs and delegates ---- */

static const etr_block *block_at(const etr_time *t, size_t index) {
  return &t->blocks->blocks[t->block_indices[index]];
}

/* Finds the blocks of the method, allocates the sums that are kept for each of its included runs,
 * and reads the ticks of Method::execute and the ETDump of each. Nothing is allocated for a method
 * without runs, because a record may have as many methods as a dump has runs. Returns false when
 * out of memory. */
static bool list_runs(etr_time *t) {
  t->block_indices = etr_blocks_of_method(t->blocks, t->method, &t->block_count);
  for (size_t i = 0; i < t->block_count; i++)
    if (etr_block_counts(t->blocks, block_at(t, i)))
      t->run_count += block_at(t, i)->run_count;
  if (t->run_count == 0)
    return true;
  t->execute_ticks = etr_arena_alloc_array(t->arena, t->run_count, sizeof *t->execute_ticks);
  t->recordings = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->recordings);
  t->call_ticks = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->call_ticks);
  t->sum_ticks = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->sum_ticks);
  t->so_far = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->so_far);
  t->wrapper_cycles = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->wrapper_cycles);
  t->inside_cycles = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *t->inside_cycles);
  for (size_t depth = 0; depth <= ETR_MOST_WRAPPERS; depth++) {
    t->wrapper_ticks[depth] = etr_arena_alloc_array(t->scratch, t->run_count,
                                                    sizeof *t->wrapper_ticks[depth]);
    t->inside_ticks[depth] = etr_arena_alloc_array(t->scratch, t->run_count,
                                                   sizeof *t->inside_ticks[depth]);
    if (etr_arena_failed(t->scratch))
      return false;
  }
  if (!t->execute_ticks || !t->recordings || !t->call_ticks || !t->sum_ticks || !t->so_far ||
      !t->wrapper_cycles || !t->inside_cycles)
    return false;
  for (size_t i = 0; i < t->block_count; i++) {
    const etr_block *block = block_at(t, i);
    if (!etr_block_counts(t->blocks, block))
      continue;
    for (size_t k = 0; k < block->run_count; k++) {
      const etr_run *run = &t->blocks->runs[block->runs[k]];
      uint32_t index = t->blocks->index_of_run[block->runs[k]];
      t->execute_ticks[index] = run->execute_ticks;
      t->recordings[index] = run->dump;
    }
  }
  return true;
}

/* Lists the delegate calls of the method by instruction; an unknown backend is "". Returns false
 * when out of memory. */
static bool list_delegates(etr_time *t) {
  for (size_t i = 0; i < t->placement->instructions.count; i++) {
    const etr_placed *instruction = &t->placement->instructions.data[i];
    if (!instruction->is_delegate)
      continue;
    etr_delegate *added = etr_vec_push(t->arena, &t->delegates);
    if (!added)
      return false;
    *added = (etr_delegate){.instruction_id = instruction->id,
                            .backend = instruction->backend ? instruction->backend : "",
                            .handle_count = instruction->map ? instruction->map->handle_count : 0};
  }
  return true;
}

/* ---- Time slices ---- */

/* Returns the part of the method's time to which an event belongs that has a node or is inside a
 * delegate. Without a node, an operator was either inserted by the lowering, or its node is not
 * known (ETR_TIME_UNPLACED). */
static etr_time_part part_of_event(const etr_event *event) {
  if (event->node_count)
    return ETR_TIME_OPERATORS;
  if (event->role == ETR_ROLE_PHASE)
    return ETR_TIME_DELEGATE_PHASES;
  if (event->role != ETR_ROLE_OPERATOR)
    return ETR_TIME_UNEXPLAINED;
  return event->is_inserted ? ETR_TIME_INSERTED : ETR_TIME_UNPLACED;
}

/* Makes the time slice of one sample of an event, which is its duration in one run, in ticks. */
static etr_time_slice_of time_slice_of(const etr_time *t, const etr_event *event, size_t sample) {
  return (etr_time_slice_of){.node = event->node_count ? event->nodes[0] : ETR_NONE,
                             .run = t->blocks->index_of_run[event->sample_runs[sample]],
                             .ticks = event->durations[sample],
                             .event = event,
                             .part = part_of_event(event),
                             .phase = event->phase ? event->phase : ETR_PHASE_OTHER,
                             .compute_unit = event->compute_unit};
}

/* Adds a time slice for each sample of an event. Returns false when out of memory. */
static bool add_time_slices(etr_time *t, const etr_event *event) {
  for (size_t i = 0; i < event->sample_count; i++) {
    etr_time_slice_of *slice = etr_vec_push(t->scratch, &t->time_slices);
    if (!slice)
      return false;
    *slice = time_slice_of(t, event, i);
  }
  return true;
}

/* Sets t->sum_ticks[run] to the ticks of the time slices from `first` on, for each run that they
 * have. */
static void sum_slices_per_run(etr_time *t, size_t first) {
  for (size_t i = first; i < t->time_slices.count; i++)
    t->sum_ticks[t->time_slices.data[i].run] = 0;
  for (size_t i = first; i < t->time_slices.count; i++) {
    const etr_time_slice_of *slice = &t->time_slices.data[i];
    t->sum_ticks[slice->run] += slice->ticks;
  }
}

/* Scales the time slices from `first` on in each run so that they add up to at most limit[run]
 * ticks. It scales the sum before and after each slice, so that rounding does not add up. Returns
 * true if any were scaled. Visits only the runs of these time slices, because there may be as many
 * delegate calls as runs. */
static bool limit_time_slices(etr_time *t, size_t first, const uint64_t *limit) {
  bool scaled = false;
  sum_slices_per_run(t, first);
  for (size_t i = first; i < t->time_slices.count; i++)
    t->so_far[t->time_slices.data[i].run] = 0;
  for (size_t i = first; i < t->time_slices.count; i++) {
    etr_time_slice_of *slice = &t->time_slices.data[i];
    uint64_t *so_far = &t->so_far[slice->run], sum = t->sum_ticks[slice->run];
    if (sum <= limit[slice->run])
      continue;
    uint64_t before = etr_scale(*so_far, limit[slice->run], sum);
    *so_far += slice->ticks;
    slice->ticks = etr_scale(*so_far, limit[slice->run], sum) - before;
    scaled = true;
  }
  return scaled;
}

/* Adds, for each run of the block, a time slice with the ticks of a delegate call
 * (t->call_ticks[run]) that the events inside it, the time slices from `first` on, do not explain.
 * It counts as `part` of the method's time. Its `operators` is the number of operators in the run,
 * whose times a coarse clock may have rounded down into this rest. Returns false when out of
 * memory. */
static bool add_rest_of_call(etr_time *t, size_t first, const etr_block *block,
                             const etr_event *call, etr_time_part part) {
  /* so_far[run] counts the events of operators. */
  for (size_t i = 0; i < block->run_count; i++) {
    uint32_t run = t->blocks->index_of_run[block->runs[i]];
    t->so_far[run] = 0;
    if (t->call_ticks[run] == NOT_TIMED)
      t->call_ticks[run] = 0;
  }
  for (size_t i = first; i < t->time_slices.count; i++) {
    const etr_time_slice_of *slice = &t->time_slices.data[i];
    uint32_t run = slice->run;
    t->call_ticks[run] -= ETR_MIN(t->call_ticks[run], slice->ticks);
    t->so_far[run] += slice->event->kind == ETR_EVENT_DELEGATE_OPERATOR;
  }
  for (size_t i = 0; i < block->run_count; i++) {
    uint32_t run = t->blocks->index_of_run[block->runs[i]];
    uint64_t rest = t->call_ticks[run];
    etr_time_slice_of *slice = rest ? etr_vec_push(t->scratch, &t->time_slices) : NULL;
    if (rest && !slice)
      return false;
    if (slice)
      *slice = (etr_time_slice_of){.node = ETR_NONE,
                                   .run = run,
                                   .ticks = rest,
                                   .event = call,
                                   .part = part,
                                   .phase = ETR_PHASE_OTHER,
                                   .operators = (uint32_t)ETR_MIN(t->so_far[run], UINT32_MAX)};
  }
  return true;
}

/* ---- Wrappers ---- */

/* Returns whether the event is a wrapper (it encloses other events of a delegate call) of this
 * depth, and has a time. */
static bool is_wrapper(const etr_event *event, size_t depth) {
  return event->wrapper == depth && event->unit == ETR_EVENT_UNIT_TIME;
}

/* Returns the first wrapper of this depth in a delegate call, which has the rows [first, end) of a
 * block; NULL if it has none. */
static const etr_event *find_wrapper(const etr_block *block, size_t first, size_t end,
                                     size_t depth) {
  for (size_t i = first; i < end; i++)
    if (is_wrapper(&block->events[i], depth))
      return &block->events[i];
  return NULL;
}

/* Returns whether any of the rows [first, end) of a delegate call is a wrapper: it encloses other
 * rows, and has a time. */
static bool has_wrappers(const etr_block *block, size_t first, size_t end) {
  for (size_t depth = 1; depth <= ETR_MOST_WRAPPERS; depth++)
    if (find_wrapper(block, first, end, depth))
      return true;
  return false;
}

/* Warns once for each method that a delegate's operators take longer than what contains them. */
static void warn_of_wrappers(etr_time *t, const etr_event *call) {
  if (t->warned_wrappers)
    return;
  t->warned_wrappers = true;
  etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
           "%s: operators of delegate call %d (%s) take longer than what contains them: they are "
           "timed by another clock",
           etr_method_label(t->placement->method), (int)call->instruction_id,
           call->backend ? call->backend : "unknown backend");
}

/* Adds a time slice for the ticks that a wrapper took beyond the events inside it, on the node of
 * `owner`: the wrapper itself, or the call if the wrapper has no node. Adds none for 0 ticks.
 * Returns false when out of memory. */
static bool add_own_time(etr_time *t, const etr_event *owner, uint32_t run, uint64_t ticks,
                         const etr_event *wrapper) {
  etr_time_slice_of *slice = ticks ? etr_vec_push(t->scratch, &t->time_slices) : NULL;
  if (slice)
    *slice = (etr_time_slice_of){.node = owner->node_count ? owner->nodes[0] : ETR_NONE,
                                 .run = run,
                                 .ticks = ticks,
                                 .event = owner,
                                 .part = owner->node_count ? ETR_TIME_OPERATORS
                                                           : ETR_TIME_DELEGATE_PHASES,
                                 .phase = wrapper->wrapper_phase,
                                 .compute_unit = wrapper->compute_unit};
  return slice || !ticks;
}

/* ---- Shares of a wrapper's time, by cycles ---- */

/* Returns whether the event is the wrapper of this depth, or directly inside it, and counts cycles
 * instead of time. */
static bool counts_cycles_in(const etr_event *event, size_t wrapper) {
  return event->unit == ETR_EVENT_UNIT_CYCLES &&
         (event->wrapper ? event->wrapper == wrapper : event->inside == wrapper);
}

/* Adds a time slice for an operator in each run: the share of the wrapper's ticks that corresponds
 * to the operator's cycles. Operators that together count more cycles than the wrapper, because
 * they overlap, share all of its time. Returns false when out of memory. */
static bool add_cycle_share(etr_time *t, const etr_event *event, size_t wrapper) {
  for (size_t k = 0; k < event->sample_count; k++) {
    uint32_t run = t->blocks->index_of_run[event->sample_runs[k]];
    uint64_t whole = ETR_MAX(t->wrapper_cycles[run], t->inside_cycles[run]);
    if (t->wrapper_cycles[run] == 0 || t->wrapper_ticks[wrapper][run] == 0)
      continue;
    etr_time_slice_of *slice = etr_vec_push(t->scratch, &t->time_slices);
    if (!slice)
      return false;
    *slice = time_slice_of(t, event, k);
    slice->ticks = etr_scale(event->durations[k], t->wrapper_ticks[wrapper][run], whole);
    slice->phase = ETR_PHASE_COMPUTE;
    t->inside_ticks[wrapper][run] += slice->ticks;
  }
  return true;
}

/* Adds a share of a wrapper's time to each operator in it that counts cycles instead of time. An
 * operator without a node gets none: its time stays with the delegate. If there is no graph at all,
 * each operator gets one; with only a program's graph none does, because all are on the node of the
 * call, whose time is measured. Returns false when out of memory. */
static bool add_cycle_shares(etr_time *t, const etr_block *block, size_t first, size_t end,
                             size_t wrapper) {
  /* Cycles are summed per run: those of the wrapper, and those of the events inside it. */
  bool wrapper_has_cycles = false;
  for (size_t i = 0; i < block->run_count; i++) {
    uint32_t run = t->blocks->index_of_run[block->runs[i]];
    t->wrapper_cycles[run] = t->inside_cycles[run] = 0;
  }
  for (size_t i = first; i < end; i++) {
    const etr_event *event = &block->events[i];
    if (!counts_cycles_in(event, wrapper))
      continue;
    wrapper_has_cycles |= event->wrapper > 0;
    uint64_t *sums = event->wrapper ? t->wrapper_cycles : t->inside_cycles;
    for (size_t k = 0; k < event->sample_count; k++)
      sums[t->blocks->index_of_run[event->sample_runs[k]]] += event->durations[k];
  }
  if (!wrapper_has_cycles)
    return true;
  for (size_t i = first; i < end; i++) {
    const etr_event *event = &block->events[i];
    bool is_operator = event->role == ETR_ROLE_OPERATOR && counts_cycles_in(event, wrapper);
    bool is_shared = t->placement->method->graph ? event->node_count > 0
                                                 : !t->placement->program_graph;
    if (is_operator && is_shared && !add_cycle_share(t, event, wrapper))
      return false;
  }
  return true;
}

/* ---- Own times of wrappers ---- */

/* Adds time slices for what the wrappers of a delegate call took beyond the events inside them,
 * from the innermost depth to the outermost. Returns false when out of memory. */
static bool add_own_times_of_wrappers(etr_time *t, const etr_block *block, const etr_event *call,
                                      size_t first, size_t end) {
  if (!has_wrappers(block, first, end))
    return true;
  for (size_t depth = 0; depth <= ETR_MOST_WRAPPERS; depth++)
    for (size_t i = 0; i < block->run_count; i++) {
      uint32_t run = t->blocks->index_of_run[block->runs[i]];
      t->wrapper_ticks[depth][run] = t->inside_ticks[depth][run] = 0;
    }
  /* Sums, in each run, the time of each wrapper and of the events directly inside it. */
  for (size_t i = first; i < end; i++) {
    const etr_event *event = &block->events[i];
    for (size_t k = 0; k < event->sample_count; k++) {
      uint32_t run = t->blocks->index_of_run[event->sample_runs[k]];
      if (event->wrapper && is_wrapper(event, event->wrapper))
        t->wrapper_ticks[event->wrapper][run] += event->durations[k];
      if (event->inside && event->is_in_sums && !event->wrapper)
        t->inside_ticks[event->inside][run] += event->durations[k];
    }
  }
  for (size_t depth = ETR_MOST_WRAPPERS; depth > 0; depth--) {
    const etr_event *wrapper = find_wrapper(block, first, end, depth),
                    *owner = wrapper && wrapper->node_count ? wrapper : call;
    if (wrapper && !add_cycle_shares(t, block, first, end, depth))
      return false;
    for (size_t i = 0; i < block->run_count; i++) {
      uint32_t run = t->blocks->index_of_run[block->runs[i]];
      uint64_t whole = t->wrapper_ticks[depth][run], inside = t->inside_ticks[depth][run];
      if (whole && inside > whole)
        warn_of_wrappers(t, call);
      /* A wrapper's own time in a run. The events inside it count for the wrapper around it; a
       * wrapper that was not recorded has no time of its own. */
      t->inside_ticks[depth - 1][run] += ETR_MAX(whole, inside);
      uint64_t own = whole > inside ? whole - inside : 0;
      if (wrapper && !add_own_time(t, owner, run, own, wrapper))
        return false;
    }
  }
  return true;
}

/* ---- Calls ---- */

/* Warns, once for each method, that the events inside a delegate call add up to more than the call,
 * so that their times were scaled to fit. For an unknown backend the reason is that some events
 * contain others, and it is not known which ones do. */
static void warn_of_scaled_events(etr_time *t, const etr_event *call) {
  if (t->warned_shares)
    return;
  t->warned_shares = true;
  if (call->backend)
    etr_caution(t->warnings, NULL, NULL, ETR_NO_OFFSET,
                "%s: events inside delegate call %d (%s) add up to more than the call: their times "
                "are scaled to fit",
                etr_method_label(t->placement->method), (int)call->instruction_id, call->backend);
  else
    etr_caution(t->warnings, NULL, NULL, ETR_NO_OFFSET,
                "events inside delegate calls contain others: which ones is not known without the "
                ".pte or the ETRecord, so their times are shares of the call");
}

/* Returns whether any of the events of a delegate call shows how a part of the call's time was
 * spent: it is a time, and counts in sums or encloses such events. Counters and cycles are no time.
 */
static bool has_time_inside(const etr_event *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (rows[i].kind == ETR_EVENT_DELEGATE_OPERATOR && rows[i].unit == ETR_EVENT_UNIT_TIME &&
        (rows[i].is_in_sums || rows[i].wrapper))
      return true;
  return false;
}

/* Returns the entry of a part of the method's time, of one backend; adds it if there is none yet.
 * NULL when out of memory. */
static etr_part_time *find_or_add_part(etr_time *t, etr_time_part part, const char *backend) {
  for (size_t i = 0; i < t->parts.count; i++) {
    etr_part_time *entry = &t->parts.data[i];
    if (entry->part == part && strcmp(etr_or_empty(entry->backend), etr_or_empty(backend)) == 0)
      return entry;
  }
  etr_part_time *added = etr_vec_push(t->arena, &t->parts);
  if (added)
    *added = (etr_part_time){.part = part, .backend = backend};
  return added;
}

/* Returns the backend of an event in a delegate. */
static const char *backend_of_delegate(const etr_event *event) {
  return event->backend ? event->backend : ETR_UNKNOWN_BACKEND;
}

/* Counts a delegate call in the call_count of this part, once per instruction however often it ran.
 * Returns false when out of memory. */
static bool count_delegate_once(etr_time *t, etr_time_part part, const etr_event *call) {
  const int32_t key[] = {(int32_t)part, call->instruction_id};
  etr_map_slot *slot = etr_map_at(&t->counted_calls, ETR_BYTES(key));
  if (!slot)
    return false;
  if (slot->value != ETR_NONE)
    return true;
  slot->value = 0;
  etr_part_time *entry = find_or_add_part(t, part, backend_of_delegate(call));
  if (entry)
    entry->call_count++;
  return entry != NULL;
}

/* Adds the ticks of the call's samples, one for each of its runs, to t->call_ticks[run]. */
static void sum_call(etr_time *t, const etr_event *call) {
  for (size_t k = 0; k < call->sample_count; k++) {
    uint64_t *ticks = &t->call_ticks[t->blocks->index_of_run[call->sample_runs[k]]];
    *ticks = call->durations[k] + (*ticks == NOT_TIMED ? 0 : *ticks);
  }
}

/* Adds the time slices of one delegate: rows [first, end) of a block, which have its instruction
 * id. The time of the call that these events do not explain is overhead, or opaque if none of them
 * has a time. If the call itself was not timed, its events keep their times, and there is no rest.
 * Returns false when out of memory. */
static bool add_slices_of_delegate(etr_time *t, const etr_block *block, size_t first, size_t end) {
  const etr_event *call = NULL;
  size_t first_time_slice = t->time_slices.count;
  for (size_t i = 0; i < block->run_count; i++)
    t->call_ticks[t->blocks->index_of_run[block->runs[i]]] = NOT_TIMED;
  for (size_t i = first; i < end; i++) {
    const etr_event *event = &block->events[i];
    if (event->kind == ETR_EVENT_DELEGATE_OPERATOR && event->is_in_sums &&
        !add_time_slices(t, event))
      return false;
    if (event->kind != ETR_EVENT_DELEGATE_CALL)
      continue;
    call = event;
    sum_call(t, event);
  }
  if (!call)
    return true; /* the call itself was not timed */
  if (!add_own_times_of_wrappers(t, block, call, first, end))
    return false;
  if (limit_time_slices(t, first_time_slice, t->call_ticks))
    warn_of_scaled_events(t, call);
  bool has_times = has_time_inside(&block->events[first], end - first);
  etr_time_part rest = has_times ? ETR_TIME_CALL_OVERHEAD : ETR_TIME_OPAQUE;
  return count_delegate_once(t, rest, call) &&
         add_rest_of_call(t, first_time_slice, block, call, rest);
}

/* Adds the time slices of a block, in which the rows of one instruction follow each other: all rows
 * of a delegate together, kernels one by one. Kernels of the runtime itself get none, so that their
 * time stays in the runtime's part. Returns false when out of memory. */
static bool add_slices_of_block(etr_time *t, const etr_block *block) {
  for (size_t i = 0, end; i < block->event_count; i = end) {
    const etr_event *event = &block->events[i];
    end = i + 1;
    if (etr_event_is_in_delegate(event)) {
      end = etr_block_instruction_end(block, i);
      if (!add_slices_of_delegate(t, block, i, end))
        return false;
    } else if (event->kind == ETR_EVENT_KERNEL && event->match != ETR_MATCH_FRAMEWORK &&
               !add_time_slices(t, event))
      return false;
  }
  return true;
}

/* Cuts the events of the method's included runs into time slices: ticks of one event in one run.
 * The events must have their nodes already. Also lists the runs and delegates. Returns false when
 * out of memory. */
static bool cut_time_slices(etr_time *t) {
  if (!list_runs(t) || !list_delegates(t))
    return false;
  for (size_t i = 0; i < t->block_count; i++)
    if (etr_block_counts(t->blocks, block_at(t, i)) && !add_slices_of_block(t, block_at(t, i)))
      return false;
  return true;
}

/* ---- Order ---- */

/* Orders time slices by run, then by event, whose address may be compared because the events of one
 * run are in one array, in order of execution. */
static int by_run(const void *x, const void *y) {
  const etr_time_slice_of *a = x, *b = y;
  if (a->run != b->run)
    return a->run < b->run ? -1 : 1;
  return (a->event > b->event) - (a->event < b->event);
}

/* Sorts the time slices of the method by node, then by run; slices without a node (ETR_NONE) come
 * last. It is a counting sort by node, which keeps the order in which slices were added, so that
 * the runs of a node are mostly in order already. Returns false when out of memory. */
static bool sort_time_slices(etr_time *t, size_t node_count) {
  size_t count = t->time_slices.count;
  size_t *end = etr_arena_alloc_array(
      t->scratch, node_count + 2,
      sizeof *end); /* end of each node's time slices, at the index of the next node */
  if (!t->spare)
    t->spare = etr_arena_alloc_raw_array(t->scratch, count, sizeof *t->spare);
  if (etr_arena_failed(t->scratch))
    return false;
  etr_time_slice_of *slices = t->time_slices.data, *sorted = t->spare;
  for (size_t i = 0; i < count; i++)
    end[ETR_MIN(slices[i].node, node_count) + 1]++;
  for (size_t i = 1; i <= node_count + 1; i++)
    end[i] += end[i - 1];
  for (size_t i = 0; i < count; i++)
    sorted[end[ETR_MIN(slices[i].node, node_count)]++] = slices[i];
  for (size_t i = 0; i < node_count; i++) {
    size_t start = i ? end[i - 1] : 0;
    etr_sort(sorted + start, end[i] - start, sizeof *sorted, by_run);
  }
  t->spare = slices;
  t->time_slices.data = sorted;
  return true;
}

/* ---- The nodes of events in the program's graph, if there is no Edge graph ---- */

/* Makes a node the event's only one. An event with a node does not count as inserted by the
 * lowering. Returns false when out of memory. */
static bool set_only_node(etr_event *row, uint32_t node, etr_arena *arena) {
  uint32_t *nodes = etr_arena_alloc(arena, sizeof *nodes);
  if (!nodes)
    return false;
  *nodes = node;
  row->nodes = nodes;
  row->node_count = 1;
  row->is_inserted = false;
  return true;
}

/* Sets the event's node to the one of its instruction in the program's graph; without such a node
 * the event stays as it is. Returns false when out of memory. */
static bool set_instruction_node(const etr_pte_graph *program, etr_event *row, etr_arena *arena) {
  uint32_t node = etr_pte_graph_node(program, row->instruction_id, NULL);
  if (node == ETR_NONE)
    return true;
  row->match = ETR_MATCH_INSTRUCTION;
  row->confidence = 1;
  return set_only_node(row, node, arena);
}

/* Sets the node of an event inside a delegate in the program's graph: its operator in the payload,
 * or the node of the call if the payload cannot be read. An operator on a node of its own is in no
 * phase of the delegate. Phases and containers get no node. Returns false when out of memory. */
static bool set_operator_node(const etr_pte_graph *program, etr_event *row, etr_arena *arena) {
  uint32_t node = etr_pte_graph_operator(program, row->instruction_id, row->payload_operator);
  if (node != ETR_NONE) {
    row->phase = ETR_PHASE_NONE;
    return set_only_node(row, node, arena);
  }
  bool is_operator = row->is_in_sums && row->role == ETR_ROLE_OPERATOR;
  bool has_operators = etr_pte_graph_has_operators(program, row->instruction_id);
  if (has_operators || !is_operator)
    return true;
  return set_instruction_node(program, row, arena);
}

/* Sets the nodes, in the program's graph, of the events of one instruction in one block. Returns
 * false when out of memory. */
static bool set_row_nodes(const etr_pte_graph *program, etr_event *rows, size_t count,
                          etr_arena *arena) {
  bool good = true;
  for (size_t i = 0; good && i < count; i++) {
    etr_event *row = &rows[i];
    if (row->kind == ETR_EVENT_DELEGATE_OPERATOR)
      good = set_operator_node(program, row, arena);
    if (row->kind == ETR_EVENT_KERNEL && row->match != ETR_MATCH_FRAMEWORK)
      good = set_instruction_node(program, row, arena);
  }
  return good;
}

/* Sets the nodes of the events of a method to nodes of the program's graph, which the placement has
 * if there is no Edge graph. A kernel gets the node of its instruction, and an event in a delegate
 * that of its operator in the payload (etr_event.payload_operator). For a delegate whose payload
 * cannot be read, the node of the call gets the time of operators. Phases, and calls without events
 * inside, are parts of their own and get no node. Returns false when out of memory. */
static bool set_program_nodes(const etr_placement *placement, uint32_t method,
                              const etr_blocks *blocks, etr_arena *arena) {
  size_t count;
  const uint32_t *block_indices = etr_blocks_of_method(blocks, method, &count);
  for (size_t b = 0; placement->program_graph && b < count; b++) {
    const etr_block *block = &blocks->blocks[block_indices[b]];
    for (size_t i = 0, end; etr_block_counts(blocks, block) && i < block->event_count; i = end) {
      end = etr_block_instruction_end(block, i);
      if (!set_row_nodes(placement->program_graph, &etr_block_rows(blocks, block)[i], end - i,
                         arena))
        return false;
    }
  }
  return true;
}

/* ---- The times of a graph's nodes, from the time slices of its method ---- */

/* Each function fills `times` and profile_method of a graph, and leaves the time slices sorted by
 * its nodes. It returns false when out of memory or, for the program's graph, if the budget of the
 * profile is spent. */

static bool is_longer(const etr_stats *x, const etr_stats *y) {
  return x->p50 > y->p50 || (x->p50 == y->p50 && x->avg > y->avg);
}

/* Returns the event with the longest median time (then mean) in a run, among the time slices
 * [first, end) of one node, which may have run as several operators (a layout change, then a
 * convolution). */
static const etr_event *longest_event(const etr_time *t, size_t first, size_t end) {
  const etr_event *longest = t->time_slices.data[first].event;
  for (size_t i = first + 1; i < end; i++) {
    const etr_event *event = t->time_slices.data[i].event;
    if (event != longest && is_longer(&event->stats, &longest->stats))
      longest = event;
  }
  return longest;
}

/* Returns the lowest instruction id of the time slices [first, end); -1 if none has one. */
static int32_t first_instruction(const etr_time *t, size_t first, size_t end) {
  int32_t least = -1;
  for (size_t i = first; i < end; i++) {
    int32_t id = t->time_slices.data[i].event->instruction_id;
    if (id >= 0 && (least < 0 || id < least))
      least = id;
  }
  return least;
}

/* Returns whether the event belongs to a delegate call to whose node the time of its events is
 * attributed, because the operators inside have no nodes. */
static bool is_of_call(const etr_event *event) {
  return event->kind == ETR_EVENT_DELEGATE_OPERATOR && event->match == ETR_MATCH_INSTRUCTION;
}

/* Sets how certain a node is that has the events of one instruction. In the graph of instructions
 * the number of the instruction, or of the operator in the payload, identifies it; an operator that
 * several alignments allow is as likely as not. */
static void set_match(etr_node_time *out, const etr_event *event, bool in_program) {
  bool is_operator = in_program && event->payload_operator != ETR_NONE;
  bool is_kernel = in_program && event->kind == ETR_EVENT_KERNEL;
  out->match = is_kernel ? ETR_MATCH_INSTRUCTION : event->match;
  out->confidence = is_kernel ? 1 : event->confidence;
  if (is_operator) {
    out->match = event->is_operator_unsure ? ETR_MATCH_ALIGNED : ETR_MATCH_PAYLOAD;
    out->confidence = event->is_operator_unsure ? 0.5 : 1;
  }
  out->is_estimated = event->is_estimated || out->match == ETR_MATCH_ALIGNED;
}

/* Computes the times of one node, in ticks, from its time slices [first, end), sorted by run. Its
 * name and match are those of its longest event. Its start counts from the first event of the block
 * with its first run. per_run is working memory for all runs. `in_program` says that the node is of
 * the graph of instructions. */
static void time_node(const etr_time *t, etr_node_time *out, size_t first, size_t end,
                      uint64_t *per_run, bool in_program) {
  const etr_event *event = longest_event(t, first, end),
                  *earliest = t->time_slices.data[first].event;
  size_t runs = 0;
  *out = (etr_node_time){
      .runs_as = is_of_call(event) ? "DELEGATE_CALL" : event->label,
      .backend = event->backend,
      .delegate_instruction = event->delegate_id || event->backend ? event->instruction_id : -1,
      .instruction = first_instruction(t, first, end),
      .carried_by = ETR_NONE};
  set_match(out, event, in_program);
  for (size_t i = first; i < end; i++) {
    const etr_time_slice_of *slice = &t->time_slices.data[i];
    if (i == first || slice->run != t->time_slices.data[i - 1].run)
      per_run[runs++] = 0;
    per_run[runs - 1] += slice->ticks;
    out->total_ticks += slice->ticks;
    out->typical = etr_typical_add(out->typical, &t->typical.typical, slice->run, slice->ticks);
    /* The node of a delegate call has several events per call, of which one is counted. */
    out->calls += !is_of_call(event) || slice->event == event;
  }
  uint64_t start = t->blocks->starts[t->blocks->runs[earliest->sample_runs[0]].block];
  out->first_start_ticks = earliest->starts[0] > start ? earliest->starts[0] - start : 0;
  out->runs = (uint32_t)runs;
  out->avg = (double)out->total_ticks / (double)t->run_count;
  out->per_run = etr_stats_of(per_run, runs);
  out->typical = etr_typical_of(out->typical, &t->typical.typical);
  out->per_run.typical = out->typical;
}

/* Returns what is stored for an Edge node that took no time: the delegate that contains it. Without
 * a node (ETR_NONE) there is no delegate. */
static etr_node_time untimed_entry(const etr_time *t, uint32_t edge_node) {
  int32_t delegate = edge_node == ETR_NONE ? -1 : t->placement->node_delegate[edge_node];
  const etr_placed *instruction = delegate < 0 ? NULL
                                               : etr_placed_instruction(t->placement, delegate);
  return (etr_node_time){.match = instruction ? ETR_MATCH_DELEGATE : ETR_MATCH_NONE,
                         .delegate_instruction = delegate,
                         .instruction = delegate,
                         .backend = instruction ? instruction->backend : NULL,
                         .carried_by = ETR_NONE};
}

/* Returns what is stored for a node of the graph of instructions that took no time: its
 * instruction, and the delegate and backend that this instruction calls, if any. */
static etr_node_time untimed_instruction(const etr_time *t, const etr_pte_graph *program,
                                         size_t node) {
  etr_node_time time = untimed_entry(t, ETR_NONE);
  time.instruction = program->instructions.data[node];
  const etr_pte_method *method = t->placement->method->program;
  const etr_pte_delegate *delegate = etr_delegate_of(method,
                                                     etr_instruction_at(method, time.instruction));
  if (!delegate)
    return time;
  time.backend = delegate->backend;
  time.delegate_instruction = time.instruction;
  return time;
}

/* Stores the ticks of each run of a node, out->each_run. Its time slices [first, end) are sorted by
 * run. Returns false when out of memory. */
static bool store_ticks_per_run(const etr_time *t, etr_node_time *out, size_t first, size_t end) {
  etr_run_ticks *runs = etr_arena_alloc_array(t->arena, out->runs, sizeof *runs), *last = runs;
  if (!runs)
    return false;
  for (size_t i = first; i < end; i++) {
    const etr_time_slice_of *slice = &t->time_slices.data[i];
    if (i > first && slice->run != last->run)
      last++;
    last->run = slice->run;
    last->ticks += slice->ticks;
  }
  out->each_run = runs;
  return true;
}

/* Flags of time_graph(): store the time of each run; the graph is that of the instructions. */
enum { KEEPS_RUNS = 1, IN_PROGRAM = 2 };

/* Fills the times of a graph's nodes from the method's time slices, whose nodes are of this graph,
 * and sorts the slices by node. Slices without a node are left out. `flags`: KEEPS_RUNS stores the
 * time of each run, too; IN_PROGRAM says that the graph is that of the instructions. Returns false
 * when out of memory. */
static bool time_graph(etr_time *t, etr_graph *graph, etr_node_time *times, unsigned flags) {
  uint64_t *per_run = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *per_run);
  if (!per_run || !sort_time_slices(t, graph->node_count))
    return false;
  for (size_t first = 0, end; first < t->time_slices.count; first = end) {
    uint32_t node = t->time_slices.data[first].node;
    for (end = first; end < t->time_slices.count && t->time_slices.data[end].node == node;)
      end++;
    if (node == ETR_NONE)
      continue;
    time_node(t, &times[node], first, end, per_run, flags & IN_PROGRAM);
    if ((flags & KEEPS_RUNS) && !store_ticks_per_run(t, &times[node], first, end))
      return false;
  }
  graph->times = times;
  graph->profile_method = t->method;
  return true;
}

/* Records that an instruction runs a node, whether it was timed or not. A node keeps the lowest of
 * its instructions. */
static void record_lowest_instruction(etr_node_time *times, uint32_t node, int32_t instruction) {
  if (node == ETR_NONE || instruction < 0)
    return;
  if (times[node].instruction < 0 || instruction < times[node].instruction)
    times[node].instruction = instruction;
}

/* Adds the compute unit of an event to its node's set of units (a bit for each). If the event is an
 * operator that counts cycles instead of ticks, also adds its cycles in all runs to the node's
 * total_cycles. */
static void record_unit_and_cycles(etr_node_time *time, const etr_event *event) {
  if (event->compute_unit)
    time->compute_units |= 1u << event->compute_unit;
  if (event->unit != ETR_EVENT_UNIT_CYCLES || event->role != ETR_ROLE_OPERATOR)
    return;
  time->has_cycles = true;
  for (size_t i = 0; i < event->sample_count; i++)
    time->total_cycles += event->durations[i];
}

/* Returns the node of an event's operator in a delegate: the operator of the payload that it is, or
 * else the node that was made for the event's name. ETR_NONE if there is neither. */
static uint32_t program_operator(const etr_pte_graph *program, const etr_event *event) {
  uint32_t node = etr_pte_graph_operator(program, event->instruction_id, event->payload_operator);
  return node == ETR_NONE ? etr_pte_graph_node(program, event->instruction_id, event->delegate_id)
                          : node;
}

/* Returns the node of an event in `program`, the graph of instructions, where only events of
 * delegates have one here: kernels record no unit and no cycles. If `program` is NULL, returns the
 * node that the event has already, in the method's graph. ETR_NONE if it has none. */
static uint32_t node_of_event(const etr_pte_graph *program, const etr_event *event) {
  if (program)
    return event->delegate_id ? program_operator(program, event) : ETR_NONE;
  return event->node_count ? event->nodes[0] : ETR_NONE;
}

/* Adds to the entry of each node in `times` the compute units of its events, and the cycles that
 * they counted in all included runs. It visits the events, because those that count cycles have no
 * time and so no time slice; events without a sample in an included run are passed over. `program`:
 * as in node_of_event(). */
static void record_units_and_cycles(const etr_time *t, etr_node_time *times,
                                    const etr_pte_graph *program) {
  for (size_t i = 0; i < t->block_count; i++) {
    const etr_block *block = block_at(t, i);
    for (size_t k = 0; k < block->event_count; k++) {
      const etr_event *event = &block->events[k];
      uint32_t node = event->sample_count ? node_of_event(program, event) : ETR_NONE;
      if (node != ETR_NONE)
        record_unit_and_cycles(&times[node], event);
    }
  }
}

/* Adds the compute units and cycles of an Edge node to those of the ATen node that it came from. */
static void add_units_and_cycles(etr_node_time *time, const etr_node_time *edge) {
  time->compute_units |= edge->compute_units;
  time->has_cycles |= edge->has_cycles;
  time->total_cycles += edge->total_cycles;
}

/* Times the Edge graph, whose nodes the time slices have: stores the time of each run, and finds
 * the nodes into which others were fused. Returns false when out of memory. */
static bool time_edge_graph(etr_time *t, etr_graph *graph) {
  etr_node_time *times = etr_arena_alloc_array(t->arena, graph->node_count, sizeof *times);
  for (uint32_t i = 0; times && i < graph->node_count; i++)
    times[i] = untimed_entry(t, i);
  if (!times || !time_graph(t, graph, times, KEEPS_RUNS))
    return false;
  const etr_placed *instructions = t->placement->instructions.data;
  for (size_t i = 0; i < t->placement->instructions.count; i++)
    record_lowest_instruction(times, instructions[i].node, instructions[i].id);
  record_units_and_cycles(t, times, NULL);
  return etr_find_carriers(t->placement, t->method, t->blocks, times, t->scratch);
}

/* Times the ATen graph: each Edge node gives its time to the ATen node that it came from, if that
 * is known. An ATen node without a time shows the delegate of the first of its Edge nodes that is
 * in one. Changes the nodes of the time slices to ATen nodes, so call it after the Edge graph is
 * timed. Returns false when out of memory. */
static bool time_aten_graph(etr_time *t, const etr_graph *edge, etr_graph *aten) {
  etr_node_time *times = etr_arena_alloc_array(t->arena, aten->node_count, sizeof *times);
  uint32_t *aten_of = etr_arena_alloc_array(t->scratch, edge->node_count, sizeof *aten_of);
  if (!times || !aten_of || !etr_find_aten_nodes(aten_of, edge, aten))
    return false;
  for (uint32_t i = 0; i < aten->node_count; i++)
    times[i] = untimed_entry(t, ETR_NONE);
  for (uint32_t i = 0; i < edge->node_count; i++)
    if (aten_of[i] != ETR_NONE && times[aten_of[i]].delegate_instruction < 0)
      times[aten_of[i]] = untimed_entry(t, i);
  for (size_t i = 0; i < t->time_slices.count; i++) {
    uint32_t *node = &t->time_slices.data[i].node;
    if (*node != ETR_NONE)
      *node = aten_of[*node];
  }
  if (!time_graph(t, aten, times, 0))
    return false;
  for (uint32_t i = 0; edge->times && i < edge->node_count; i++) {
    record_lowest_instruction(times, aten_of[i], edge->times[i].instruction);
    if (aten_of[i] != ETR_NONE)
      add_units_and_cycles(&times[aten_of[i]], &edge->times[i]);
  }
  return true;
}

/* Makes `out` the graph of a method's instructions with times. `events_have_nodes` says that the
 * nodes of events are of this graph, which is so if there is no Edge graph: only then is the time
 * of each run stored, too. Returns false when out of memory. */
static bool time_instruction_graph(etr_time *t, const etr_pte_graph *program, etr_graph *out,
                                   bool events_have_nodes) {
  etr_node_time *times = etr_arena_alloc_array(t->arena, program->graph.node_count, sizeof *times);
  for (uint32_t i = 0; times && i < program->graph.node_count; i++)
    times[i] = untimed_instruction(t, program, i);
  *out = program->graph;
  if (program->is_cut)
    etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: the program has too long lists of tensors, or too many jumps: its graph lacks "
             "some edges",
             etr_method_label(t->placement->method));
  unsigned flags = events_have_nodes ? KEEPS_RUNS | IN_PROGRAM : IN_PROGRAM;
  if (!times || !time_graph(t, out, times, flags))
    return false;
  record_units_and_cycles(t, times, events_have_nodes ? NULL : program);
  return true;
}

/* Returns the innermost known node of an event: that of its operator, or else of its instruction.
 */
static uint32_t program_node(const etr_pte_graph *program, const etr_event *event) {
  uint32_t node = program_operator(program, event);
  return node == ETR_NONE ? etr_pte_graph_node(program, event->instruction_id, NULL) : node;
}

/* Builds and times the graph of the method's instructions, beside an Edge graph whose nodes the
 * events have. It changes the nodes of the time slices to nodes of this graph: the operator in the
 * delegate, or else the instruction. Returns false when out of memory. */
static bool time_program_graph(etr_time *t, etr_graph *out) {
  etr_pte_graph program;
  if (!etr_pte_graph_build(&program, t->placement, t->method, t->blocks, t->arena, t->scratch))
    return false;
  for (size_t i = 0; i < t->time_slices.count; i++)
    t->time_slices.data[i].node = program_node(&program, t->time_slices.data[i].event);
  return time_instruction_graph(t, &program, out, false);
}

/* ---- Totals ---- */

/* Returns the backend whose part of the method's time a slice belongs to; NULL for operators on
 * nodes and for what runs outside delegates. */
static const char *backend_of_part(const etr_time_slice_of *slice) {
  if (slice->part == ETR_TIME_OPERATORS || !etr_event_is_in_delegate(slice->event))
    return NULL;
  return backend_of_delegate(slice->event);
}

/* Adds each time slice to the entry in t->parts of its part and backend: its ticks in all runs, and
 * its weighted share of the typical run. Slices of one entry mostly follow each other, so the last
 * entry is tried first. Returns false when out of memory. */
static bool sum_up_parts(etr_time *t) {
  etr_part_time *last = NULL;
  for (size_t i = 0; i < t->time_slices.count; i++) {
    const etr_time_slice_of *slice = &t->time_slices.data[i];
    const char *backend = backend_of_part(slice);
    if (!last || last->part != slice->part || last->backend != backend)
      last = find_or_add_part(t, slice->part, backend);
    if (!last)
      return false;
    last->ticks += slice->ticks;
    last->typical = etr_typical_add(last->typical, &t->typical.typical, slice->run, slice->ticks);
  }
  return true;
}

/* Orders the parts of a method's time by their kind, then by the name of the backend. */
static int by_part(const void *a, const void *b) {
  const etr_part_time *x = a, *y = b;
  if (x->part != y->part)
    return x->part < y->part ? -1 : 1;
  return strcmp(etr_or_empty(x->backend), etr_or_empty(y->backend));
}

/* Lists the parts of the method's time that are more than 0 ticks, and the runtime's, which is the
 * rest of Method::execute: all parts add up to it exactly. Times of the typical run are weighted
 * sums until etr_typical_of() divides them. Returns false when out of memory. */
static bool list_parts(etr_time *t, etr_method *out) {
  uint64_t attributed = 0;
  double typical = 0;
  size_t kept = 0;
  if (!sum_up_parts(t))
    return false;
  for (size_t i = 0; i < t->parts.count; i++) {
    etr_part_time *part = &t->parts.data[i];
    attributed += part->ticks;
    typical += part->typical;
    part->typical = etr_typical_of(part->typical, &t->typical.typical);
    if (part->ticks)
      t->parts.data[kept++] = *part;
  }
  t->parts.count = kept;
  ETR_CHECK(attributed <= out->execute_ticks);
  if (attributed < out->execute_ticks) {
    double whole = t->typical.ticks * t->typical.typical.divisor;
    etr_part_time *runtime = find_or_add_part(t, ETR_TIME_RUNTIME, NULL);
    if (!runtime)
      return false;
    runtime->ticks = out->execute_ticks - attributed;
    runtime->typical = etr_typical_of(ETR_MAX(whole - typical, 0), &t->typical.typical);
  }
  etr_sort(t->parts.data, t->parts.count, sizeof *t->parts.data, by_part);
  out->parts = t->parts.data;
  out->part_count = t->parts.count;
  return true;
}

/* Returns the backend of a delegate call. If no program or map says it, it is the one that writes
 * such names as the events of the call have; NULL if no event's name identifies it. */
static const etr_backend *backend_of_call(const etr_time *t, const etr_event *call) {
  const etr_event *first = t->blocks->rows, *end = first + t->blocks->row_count, *event = call;
  const etr_backend *backend = etr_backend_of(call->backend);
  if (backend)
    return backend;
  while (event > first && event[-1].instruction_id == call->instruction_id)
    event--;
  for (; !backend && event < end && event->instruction_id == call->instruction_id; event++)
    backend = event->delegate_id ? etr_backend_of_event(event->delegate_id) : NULL;
  return backend;
}

/* Adds to the method's totals the ticks of a call's overhead that operators may have taken: a
 * coarse clock of the backend rounds the time of each operator down. */
static void sum_up_hidden_by_clock(const etr_time *t, etr_method *out,
                                   const etr_time_slice_of *slice) {
  const etr_backend *backend = backend_of_call(t, slice->event);
  uint64_t most = etr_backend_clock_hides(backend, slice->operators, t->blocks->ticks_per_second);
  uint64_t hidden = ETR_MIN(slice->ticks, most);
  out->clock_hidden_ticks += hidden;
  out->clock_hidden_typical = etr_typical_add(out->clock_hidden_typical, &t->typical.typical,
                                              slice->run, hidden);
}

/* Adds the ticks of an operator to the method's estimated_ticks if its node is an estimate, because
 * only order showed it (ETR_MATCH_ALIGNED), or if its time is one. Estimated times also count in
 * estimated_time_ticks, and those of them that are shares of a wrapper's time, by cycles, in
 * shared_ticks. Returns true if the node is an estimate. */
static bool sum_up_estimated(const etr_time *t, etr_method *out, const etr_time_slice_of *slice) {
  bool is_aligned = slice->event->match == ETR_MATCH_ALIGNED;
  if (!is_aligned && !slice->event->is_estimated)
    return false;
  out->estimated_ticks += slice->ticks;
  out->estimated_typical = etr_typical_add(out->estimated_typical, &t->typical.typical, slice->run,
                                           slice->ticks);
  if (slice->event->is_estimated)
    out->estimated_time_ticks += slice->ticks;
  if (slice->event->is_estimated && slice->event->unit == ETR_EVENT_UNIT_CYCLES)
    out->shared_ticks += slice->ticks;
  return is_aligned;
}

/* Fills the totals of a method: its time per run and in all, how much of it is estimated or hidden
 * by coarse clocks, its delegates, and the parts that add up to it. The confidence is the mean of
 * that in estimated nodes, weighted by their ticks. Returns false when out of memory. */
static bool sum_up_method(etr_time *t, etr_method *out) {
  uint64_t *sorted = etr_arena_alloc_array(t->scratch, t->run_count, sizeof *sorted);
  double confidence_sum = 0;
  uint64_t aligned = 0;
  if (!sorted)
    return false;
  out->run_count = t->run_count;
  out->execute_per_run = t->execute_ticks;
  for (size_t i = 0; i < t->run_count; i++)
    out->execute_ticks += t->execute_ticks[i];
  for (size_t i = 0; i < t->time_slices.count; i++) {
    const etr_time_slice_of *slice = &t->time_slices.data[i];
    if (slice->part == ETR_TIME_CALL_OVERHEAD)
      sum_up_hidden_by_clock(t, out, slice);
    if (slice->part == ETR_TIME_OPERATORS && sum_up_estimated(t, out, slice)) {
      aligned += slice->ticks;
      confidence_sum += (double)slice->ticks * slice->event->confidence;
    }
  }
  out->estimated_typical = etr_typical_of(out->estimated_typical, &t->typical.typical);
  out->clock_hidden_typical = etr_typical_of(out->clock_hidden_typical, &t->typical.typical);
  out->estimated_confidence = aligned ? confidence_sum / (double)aligned : 0;
  if (t->run_count)
    memcpy(sorted, t->execute_ticks, t->run_count * sizeof *sorted);
  out->execute = etr_stats_of(sorted, t->run_count);
  out->execute.typical = t->typical.ticks;
  out->typical = t->typical.typical;
  out->odd_recordings = t->typical.odd;
  out->odd_recording_count = t->typical.odd_count;
  out->delegates = t->delegates.data;
  out->delegate_count = t->delegates.count;
  return list_parts(t, out);
}

/* Puts a run into the list of runs that count, at its index among them, or into the list of those
 * that are excluded, whose ticks it sums. */
static void list_run(const etr_time *t, etr_method *out, uint32_t *runs, uint32_t *skipped,
                     uint32_t run) {
  if (!t->blocks->runs[run].is_skipped) {
    runs[t->blocks->index_of_run[run]] = run;
    return;
  }
  skipped[out->skipped_run_count++] = run;
  out->skipped_ticks += t->blocks->runs[run].execute_ticks;
}

/* Stores the included and the excluded runs in the method, both ascending. Blocks without an event
 * that took time are in neither. Returns false when out of memory. */
static bool store_run_lists(const etr_time *t, etr_method *out) {
  size_t count = 0;
  for (size_t i = 0; i < out->block_count; i++)
    count += t->blocks->blocks[out->blocks[i]].run_count;
  uint32_t *runs = etr_arena_alloc_array(t->arena, count, sizeof *runs);
  uint32_t *skipped = etr_arena_alloc_array(t->arena, count, sizeof *skipped);
  if (etr_arena_failed(t->arena))
    return false;
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

typedef etr_vec(etr_time_slice) slice_list;

/* Lists a time slice of the runtime, and takes its ticks from what is left of its run in
 * t->call_ticks. Returns false when out of memory. */
static bool list_runtime_slice(etr_time *t, slice_list *list, etr_time_slice slice) {
  etr_time_slice *added = etr_vec_push(t->scratch, list);
  if (!added)
    return false;
  t->call_ticks[slice.run] -= slice.ticks;
  slice.part = ETR_TIME_RUNTIME;
  *added = slice;
  return true;
}

/* Lists, for each run, what the runtime took to call the kernel of one instruction, which has the
 * rows [first, end) of a block, at most what is left of the run. Does nothing if an instruction has
 * not both, since then it is not known what calling takes. Returns false when out of memory. */
static bool list_calls(etr_time *t, slice_list *list, const etr_block *block, size_t first,
                       size_t end) {
  const etr_event *call = NULL, *kernel = NULL;
  size_t kernels = 0;
  for (size_t i = first; i < end; i++) {
    const etr_event *event = &block->events[i];
    bool is_call = event->kind == ETR_EVENT_FRAMEWORK && strcmp(event->name, "OPERATOR_CALL") == 0;
    bool is_kernel = event->kind == ETR_EVENT_KERNEL;
    call = is_call ? event : call;
    kernel = is_kernel ? event : kernel;
    kernels += is_kernel;
  }
  if (!call || kernels != 1 || call->sample_count != kernel->sample_count)
    return true;
  for (size_t i = 0; i < call->sample_count; i++) {
    etr_time_slice slice = {.event = call,
                            .run = t->blocks->index_of_run[call->sample_runs[i]],
                            .node = kernel->node_count ? kernel->nodes[0] : ETR_NONE};
    uint64_t around = call->durations[i] - ETR_MIN(call->durations[i], kernel->durations[i]);
    slice.ticks = ETR_MIN(around, t->call_ticks[slice.run]);
    if (!list_runtime_slice(t, list, slice))
      return false;
  }
  return true;
}

/* Lists the time slices of the runtime: of its calls of kernels, and what else it took in each run,
 * without an event. Returns false when out of memory. */
static bool list_runtime(etr_time *t, slice_list *list) {
  for (size_t i = 0; i < t->run_count; i++)
    t->call_ticks[i] = t->execute_ticks[i];
  for (size_t i = 0; i < t->time_slices.count; i++)
    t->call_ticks[t->time_slices.data[i].run] -= t->time_slices.data[i].ticks;
  for (size_t k = 0; k < t->block_count; k++) {
    const etr_block *block = block_at(t, k);
    for (size_t i = 0, end; etr_block_counts(t->blocks, block) && i < block->event_count; i = end) {
      end = etr_block_instruction_end(block, i);
      if (!list_calls(t, list, block, i, end))
        return false;
    }
  }
  for (uint32_t run = 0; run < t->run_count; run++) {
    const etr_time_slice slice = {.ticks = t->call_ticks[run], .run = run, .node = ETR_NONE};
    if (!list_runtime_slice(t, list, slice))
      return false;
  }
  return true;
}

/* Copies the time slices to the profile, and behind them those of the runtime. They must be sorted
 * by the nodes of the method's graph at this time. Returns false when out of memory. */
static bool store_time_slices(etr_time *t, etr_method *out) {
  slice_list runtime = {0};
  size_t count = t->time_slices.count;
  if (!list_runtime(t, &runtime))
    return false;
  etr_time_slice *time_slices = etr_arena_alloc_raw_array(t->arena, count + runtime.count,
                                                          sizeof *time_slices);
  for (size_t i = 0; time_slices && i < count; i++) {
    const etr_time_slice_of *slice = &t->time_slices.data[i];
    time_slices[i] = (etr_time_slice){.ticks = slice->ticks,
                                      .event = slice->event,
                                      .run = slice->run,
                                      .node = slice->node,
                                      .part = slice->part,
                                      .phase = slice->phase,
                                      .compute_unit = slice->compute_unit};
  }
  if (time_slices && runtime.count)
    memcpy(time_slices + count, runtime.data, runtime.count * sizeof *time_slices);
  out->time_slices = time_slices;
  out->time_slice_count = count;
  out->runtime_slice_count = runtime.count;
  return time_slices != NULL;
}

/* Warns of the number of operators inside delegates for which no node was found, and names the
 * longest. An event has several time slices, one after the other, and counts once. */
static void warn_of_unplaced_operators(const etr_time *t) {
  const etr_event *longest = NULL;
  size_t count = 0;
  for (size_t i = 0; i < t->time_slices.count; i++) {
    const etr_time_slice_of *slice = &t->time_slices.data[i];
    const etr_event *event = slice->event;
    bool is_counted = i && t->time_slices.data[i - 1].event == event;
    if (slice->part != ETR_TIME_UNPLACED || !event->delegate_id || is_counted)
      continue;
    count++;
    if (!longest || event->stats.avg > longest->stats.avg)
      longest = event;
  }
  if (count)
    etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: found no node for %zu operators inside delegates, the longest of them \"%.*s\" "
             "of call %d: their time is on no node. Is the ETDump of this model?",
             etr_method_label(t->placement->method), count, ETR_HEAD(longest->name, 80),
             (int)longest->instruction_id);
}

/* ---- All ---- */

/* Warns of kernels that read or write other values than every node with their handle and operator.
 */
static void warn_of_contradicted_kernels(const etr_time *t) {
  size_t count = 0;
  for (size_t i = 0; i < t->placement->instructions.count; i++)
    count += t->placement->instructions.data[i].is_contradicted;
  if (count)
    etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: %zu %s values that no node with their handle and operator does: is the .pte from "
             "another model? Their times get no node",
             etr_method_label(t->placement->method), count,
             count == 1 ? "kernel reads or writes" : "kernels read or write");
}

/* Gives runs whose Method::execute is missing or damaged the time that was measured inside it,
 * which is the least that they took, and warns. Returns the number of these runs. */
static size_t complete_execute_times(etr_time *t) {
  size_t completed = 0;
  if (t->run_count)
    memset(t->sum_ticks, 0, t->run_count * sizeof *t->sum_ticks);
  sum_slices_per_run(t, 0);
  for (size_t i = 0; i < t->run_count; i++) {
    if (t->execute_ticks[i] > 0 || t->sum_ticks[i] == 0)
      continue;
    t->execute_ticks[i] = t->sum_ticks[i];
    completed++;
  }
  if (completed) {
    etr_caution(
        t->warnings, NULL, NULL, ETR_NO_OFFSET,
        "%s: %zu of %zu runs lack the time of Method::execute: the sum of their kernels and "
        "delegates replaces it, and framework time is unknown",
        etr_method_label(t->placement->method), completed, t->run_count);
  }
  return completed;
}

/* Attributes the time of a method to nodes, and sums it. The steps build on each other: the time
 * slices are stored while they have the nodes of the method's graph, before other graphs are timed.
 * The typical run is chosen among all included runs, without recordings whose times are odd.
 * Returns false when out of memory. */
static bool attribute_method(etr_time *t, etr_method *out, const etr_method_graphs *graphs) {
  if (!etr_assign_event_nodes(t->placement, t->method, t->blocks, t->arena, t->warnings))
    return false;
  if (!set_program_nodes(t->placement, t->method, t->blocks, t->arena))
    return false;
  if (!store_run_lists(t, out) || !etr_skipped_drop(t->blocks, t->method) || !cut_time_slices(t))
    return false;
  warn_of_contradicted_kernels(t);
  if (t->placement->method->graph)
    warn_of_unplaced_operators(t);
  size_t completed = complete_execute_times(t);
  out->is_execute_logged = completed < t->run_count;
  const etr_typical_runs runs = {t->execute_ticks, t->recordings, NULL, t->run_count, t->run_count};
  if (!etr_typical_choose(&t->typical, &runs, ETR_TYPICAL_NOT_ODD, t->arena))
    return false;
  if (limit_time_slices(t, 0, t->execute_ticks))
    etr_warn(t->warnings, NULL, NULL, ETR_NO_OFFSET,
             "%s: kernels and delegates add up to more than Method::execute: their times are "
             "scaled to fit",
             etr_method_label(t->placement->method));
  if (!sum_up_method(t, out))
    return false;
  if (graphs->edge && !time_edge_graph(t, graphs->edge))
    return false;
  bool has_own = t->placement->program_graph && graphs->program;
  if (has_own && !time_instruction_graph(t, t->placement->program_graph, graphs->program, true))
    return false;
  if (!store_time_slices(t, out))
    return false;
  if (graphs->edge && graphs->aten && !time_aten_graph(t, graphs->edge, graphs->aten))
    return false;
  return has_own || !graphs->program || time_program_graph(t, graphs->program);
}

/* Uses working memory that it frees before it returns. */
bool etr_attribute(etr_method *out, const etr_method_graphs *graphs, const etr_placement *placement,
                   uint32_t method, const etr_blocks *blocks, etr_warnings *warnings) {
  etr_arena scratch = {0};
  etr_time t = {.placement = placement,
                .blocks = blocks,
                .method = method,
                .arena = warnings->arena,
                .scratch = &scratch,
                .warnings = warnings};
  etr_map_init(&t.counted_calls, &scratch);
  bool good = attribute_method(&t, out, graphs) && !etr_arena_failed(&scratch);
  etr_arena_clear(&scratch);
  return good;
}
