/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_delegates.c - findings about delegates' calls: what waits and copies, what fell back to the CPU, and many
 * calls that do little.
 */
#include "base/stats.h"
#include "views/finding_rules.h"
#include "views/phases.h"
#include "views/run_stats.h"

#include <stdlib.h>

/* ---- What calls take ---- */

/* What a delegate's time is spent on. */
typedef enum spending { WORK, COPY, WAIT, AROUND, SPENDINGS } spending;

/* Operators compute, on nodes or not. */
static spending spending_of(const etr_time_slice *time_slice) {
  if (time_slice->kind != ETR_TIME_SLICE_DELEGATE || time_slice->event->role == ETR_ROLE_OPERATOR) return WORK;
  switch (time_slice->phase) {
  case ETR_PHASE_COMPUTE: return WORK;
  case ETR_PHASE_COPY_IN:
  case ETR_PHASE_COPY_OUT: return COPY;
  case ETR_PHASE_WAIT: return WAIT;
  default: return AROUND;
  }
}

/* A delegate of the method: medians, as often as it ran. */
typedef struct call {
  const etr_delegate *delegate;
  uint64_t ticks[SPENDINGS];
  uint64_t hidden; /* of the time around its operators, what their clock may hide */
  size_t operators, calls;
} call;

static call *call_of(call *calls, const etr_method *method, int32_t instruction_id) {
  const etr_delegate wanted = {.instruction_id = instruction_id};
  size_t at = etr_lower_bound(&wanted, method->delegates, method->delegate_count, sizeof wanted, etr_by_int);
  return at < method->delegate_count && method->delegates[at].instruction_id == instruction_id ? &calls[at] : NULL;
}

static void count_event(const etr_finder *finder, call *of, const etr_event *event) {
  if (event->kind == ETR_EVENT_DELEGATE_CALL) of->calls += event->sample_count;
  if (event->kind != ETR_EVENT_DELEGATE_OPERATOR) return;
  of->operators++;
  if (event->role == ETR_ROLE_OPERATOR)
    of->hidden += (uint64_t)(etr_clock_step(finder->profile, event->backend, event->delegate_id) / 2 *
                             (double)event->sample_count);
}

static void count_events(const etr_finder *finder, call *calls) {
  for (size_t b = 0; b < finder->method->block_count; b++) {
    const etr_block *block = &finder->profile->blocks[finder->method->blocks[b]];
    for (size_t i = 0; i < block->event_count; i++) {
      call *of = call_of(calls, finder->method, block->events[i].instruction_id);
      if (of) count_event(finder, of, &block->events[i]);
    }
  }
}

/* NULL when out of memory. */
static call *measure_calls(const etr_finder *finder) {
  const etr_method *method = finder->method;
  call *calls = etr_arena_alloc_array(finder->arena, method->delegate_count, sizeof *calls);
  uint32_t *group_of = etr_arena_alloc_array(finder->arena, method->time_slice_count, sizeof *group_of);
  if (!calls || !group_of) return NULL;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *time_slice = &method->time_slices[i];
    call *of = etr_time_slice_is_in_delegate(time_slice) ? call_of(calls, method, time_slice->event->instruction_id)
                                                         : NULL;
    group_of[i] = of ? (uint32_t)((size_t)(of - calls) * SPENDINGS + spending_of(time_slice)) : ETR_NONE;
  }
  const etr_stats *stats = etr_run_stats(finder->arena, method, group_of, method->delegate_count * SPENDINGS);
  for (size_t i = 0; stats && i < method->delegate_count; i++) {
    calls[i].delegate = &method->delegates[i];
    for (size_t s = 0; s < SPENDINGS; s++)
      calls[i].ticks[s] = etr_finder_usual(&stats[i * SPENDINGS + s], stats[i * SPENDINGS + s].count);
  }
  if (stats) count_events(finder, calls);
  return stats ? calls : NULL;
}

/* ---- A rule about some of a backend's delegates ---- */

typedef bool (*call_test)(const call *of);

/* Delegates of one backend that a rule is about. */
typedef struct chosen {
  const char *backend;
  uint64_t ticks[SPENDINGS];
  uint64_t hidden;
  size_t calls;
  etr_vec(int32_t) instructions;
} chosen;

static bool choose(chosen *out, const etr_finder *finder, const call *calls, size_t first, call_test test) {
  const char *backend = calls[first].delegate->backend;
  *out = (chosen){.backend = backend};
  for (size_t i = first; i < finder->method->delegate_count; i++) {
    if (strcmp(calls[i].delegate->backend, backend) != 0 || !test(&calls[i])) continue;
    for (size_t s = 0; s < SPENDINGS; s++) out->ticks[s] += calls[i].ticks[s];
    out->hidden += calls[i].hidden;
    out->calls += calls[i].calls;
    int32_t *added = etr_vec_push(finder->arena, &out->instructions);
    if (!added) return false;
    *added = calls[i].delegate->instruction_id;
  }
  return true;
}

static bool is_first_of_backend(const call *calls, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (strcmp(calls[i].delegate->backend, calls[at].delegate->backend) == 0) return false;
  return true;
}

static const char *name_of(const chosen *of) { return of->backend[0] ? of->backend : "an unknown backend"; }

/* "delegate 0 of QnnBackend", "2 delegates of QnnBackend" */
static const char *whose(const etr_finder *finder, const chosen *of) {
  size_t count = of->instructions.count;
  const char *text = count == 1 ? etr_arena_format(finder->arena, "delegate %d of %s", (int)of->instructions.data[0],
                                                   name_of(of))
                                : etr_arena_format(finder->arena, "%zu delegates of %s", count, name_of(of));
  return text ? text : "";
}

static void tell(etr_finding *finding, const chosen *of, const char *title, const char *evidence) {
  finding->title = title;
  finding->evidence = evidence;
  finding->instructions = of->instructions.data;
  finding->instruction_count = of->instructions.count;
}

/* ---- Delegates that wait or copy ---- */

static bool waits(const call *of) { return of->ticks[WORK] > 0 && of->ticks[COPY] + of->ticks[WAIT] > of->ticks[WORK]; }

static const char *waiting_verb(const chosen *of) {
  bool one = of->instructions.count == 1;
  if (of->ticks[COPY] == 0) return one ? "waits" : "wait";
  if (of->ticks[WAIT] == 0) return one ? "copies" : "copy";
  return one ? "waits and copies" : "wait and copy";
}

static const char *waiting_evidence(const etr_finder *finder, const chosen *of) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  if (of->ticks[WAIT]) etr_putf(&writer, "waiting %s, ", etr_finder_time(finder, of->ticks[WAIT]));
  if (of->ticks[COPY]) etr_putf(&writer, "copying in and out %s, ", etr_finder_time(finder, of->ticks[COPY]));
  etr_putf(&writer, "computing %s", etr_finder_time(finder, of->ticks[WORK]));
  return etr_text_end(&text, &writer);
}

static bool add_waiting(etr_finder *finder, const chosen *of) {
  bool one = of->instructions.count == 1;
  etr_finding *added = etr_finder_add(finder, ETR_FINDING_WAITING, of->ticks[COPY] + of->ticks[WAIT]);
  if (!added) return true;
  tell(added, of,
       etr_arena_format(finder->arena, "%s %s longer than %s", whose(finder, of), waiting_verb(of),
                        one ? "it computes" : "they compute"),
       waiting_evidence(finder, of));
  return true;
}

/* ---- Many calls that do little ---- */

/* Its events tell what of it is work. */
static bool is_small(const call *of) {
  uint64_t around = of->ticks[COPY] + of->ticks[WAIT] + of->ticks[AROUND];
  return of->operators > 0 && around > of->hidden && around - of->hidden > of->ticks[WORK] + of->hidden;
}

static const char *small_evidence(const etr_finder *finder, const chosen *of, uint64_t around) {
  return etr_arena_format(finder->arena, "overhead %s (%s per call), operators %s%s", etr_finder_time(finder, around),
                          etr_finder_time_of(finder, (double)around / (double)of->calls), of->hidden ? "at most " : "",
                          etr_finder_time(finder, of->ticks[WORK] + of->hidden));
}

static bool add_small_calls(etr_finder *finder, const chosen *of) {
  uint64_t around = of->ticks[COPY] + of->ticks[WAIT] + of->ticks[AROUND] - of->hidden;
  size_t runs = finder->method->run_count;
  if (of->calls < ETR_FINDING_LEAST_SMALL_CALLS * runs) return true;
  etr_finding *added = etr_finder_add(finder, ETR_FINDING_SMALL_CALLS, around);
  if (!added) return true;
  tell(added, of,
       etr_arena_format(finder->arena, "%zu delegate calls of %s spend more time on overhead than on operators",
                        of->calls / runs, name_of(of)),
       small_evidence(finder, of, around));
  return true;
}

/* ---- Operators that fell back to the CPU ---- */

typedef struct fallen {
  const char *name, *backend;
  uint64_t ticks;
  bool is_planned;
} fallen;

typedef struct fallen_list {
  etr_map index; /* "INSTRUCTION NAME" -> place in list: another block may have it, too */
  etr_vec(fallen) list;
} fallen_list;

static bool fell(const etr_time_slice *time_slice, const char *backend) {
  return etr_time_slice_is_in_delegate(time_slice) && time_slice->event->role == ETR_ROLE_OPERATOR &&
         time_slice->compute_unit == ETR_COMPUTE_UNIT_CPU && time_slice->event->backend &&
         strcmp(time_slice->event->backend, backend) == 0;
}

static int by_ticks(const void *a, const void *b) {
  const fallen *x = a, *y = b;
  if (x->ticks != y->ticks) return x->ticks < y->ticks ? 1 : -1;
  return strcmp(x->name, y->name);
}

/* Groups time slices of what fell back in 0. False when out of memory. */
static bool find_fallen(const etr_finder *finder, fallen_list *of, const char *backend, uint32_t *group_of,
                        bool *marked) {
  const etr_method *method = finder->method;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *time_slice = &method->time_slices[i];
    group_of[i] = fell(time_slice, backend) ? 0 : ETR_NONE;
    if (group_of[i] == ETR_NONE) continue;
    /* Operators of an instruction with the same name are one entry. */
    const etr_event *event = time_slice->event;
    char *key = etr_arena_format(finder->arena, "%d %s", (int)event->instruction_id, event->name);
    etr_map_slot *slot = key ? etr_map_at(&of->index, etr_slice_of(key)) : NULL;
    if (!slot) return false;
    if (slot->value == ETR_NONE) {
      fallen *added = etr_vec_push(finder->arena, &of->list);
      if (!added) return false;
      *added = (fallen){.name = event->label, .backend = event->backend, .is_planned = event->is_unit_planned};
      slot->value = (uint32_t)(of->list.count - 1);
    }
    of->list.data[slot->value].ticks += time_slice->ticks;
    if (time_slice->node != ETR_NONE) marked[time_slice->node] = true;
  }
  etr_sort(of->list.data, of->list.count, sizeof *of->list.data, by_ticks);
  return true;
}

/* units: of the others. */
static bool add_cpu_fallback(etr_finder *finder, const char *backend, unsigned units) {
  const etr_method *method = finder->method;
  fallen_list of = {0};
  size_t node_count = finder->graph ? finder->graph->node_count : 0;
  uint32_t *group_of = etr_arena_alloc_array(finder->arena, method->time_slice_count, sizeof *group_of);
  bool *marked = etr_arena_alloc_array(finder->arena, node_count, sizeof *marked);
  etr_map_init(&of.index, finder->arena);
  if (!group_of || !marked || !find_fallen(finder, &of, backend, group_of, marked)) return false;
  const etr_stats *stats = etr_run_stats(finder->arena, method, group_of, 1);
  if (!stats) return false;
  etr_finding *added = etr_finder_add(finder, ETR_FINDING_CPU_FALLBACK, etr_finder_usual(&stats[0], stats[0].count));
  if (!added) return true;
  static const char *const verbs[2][2] = {{"run on", "runs on"}, {"are planned for", "is planned for"}};
  const char *others = etr_compute_units_text(finder->arena, units);
  bool is_planned = of.list.data[0].is_planned, one = of.list.count == 1;
  added->title = etr_arena_format(finder->arena, "%zu operator%s of %s %s the CPU, others %s %s", of.list.count,
                                  one ? "" : "s", backend, verbs[is_planned][one], is_planned ? "for" : "on",
                                  others ? others : "");
  enum { LISTED = 3 };
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_puts(&writer, "longest, on average: ");
  for (size_t i = 0; i < of.list.count && i < LISTED; i++)
    etr_putf(&writer, "%s%s %s", i ? ", " : "", of.list.data[i].name, etr_finder_time(finder, of.list.data[i].ticks));
  if (of.list.data[0].is_planned) etr_puts(&writer, "; that is the backend's plan, where they ran is not recorded");
  added->evidence = etr_text_end(&text, &writer);
  return !finder->graph || etr_finder_list_nodes(finder, added, marked);
}

static bool find_cpu_fallback(etr_finder *finder, const char *backend) {
  const unsigned cpu = 1u << ETR_COMPUTE_UNIT_CPU;
  const unsigned faster = 1u << ETR_COMPUTE_UNIT_NPU | 1u << ETR_COMPUTE_UNIT_GPU;
  /* The units that operators of this backend ran on. */
  unsigned units = 0;
  for (size_t i = 0; i < finder->method->time_slice_count; i++) {
    const etr_time_slice *time_slice = &finder->method->time_slices[i];
    bool is_mine = etr_time_slice_is_in_delegate(time_slice) && time_slice->event->backend &&
                   strcmp(time_slice->event->backend, backend) == 0;
    if (is_mine && time_slice->event->role == ETR_ROLE_OPERATOR) units |= 1u << time_slice->compute_unit;
  }
  return !(units & cpu) || !(units & faster) || add_cpu_fallback(finder, backend, units & faster);
}

/* ---- All ---- */

static bool find_of_backend(etr_finder *finder, const call *calls, size_t first) {
  chosen waiting, small;
  if (!choose(&waiting, finder, calls, first, waits) || !choose(&small, finder, calls, first, is_small)) return false;
  if (waiting.instructions.count && !add_waiting(finder, &waiting)) return false;
  if (small.instructions.count && !add_small_calls(finder, &small)) return false;
  return find_cpu_fallback(finder, calls[first].delegate->backend);
}

/* Of many backends, which no model has, the first. */
bool etr_find_delegates(etr_finder *finder) {
  enum { MOST_BACKENDS = 64 };
  const call *calls = measure_calls(finder);
  for (size_t i = 0, looked = 0; calls && i < finder->method->delegate_count && looked < MOST_BACKENDS; i++) {
    if (!is_first_of_backend(calls, i)) continue;
    if (!find_of_backend(finder, calls, i)) return false;
    looked++;
  }
  return calls != NULL;
}
