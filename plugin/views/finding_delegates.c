/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_delegates.c - findings about delegates' calls: what waits and copies, what fell back
 * to the CPU, and many calls that do little.
 */
#include "base/method_parts.h"
#include "base/stats.h"
#include "views/delegation.h"
#include "views/finder.h"
#include "views/finding_rules.h"
#include "views/phases.h"
#include "views/run_stats.h"

#include <stdlib.h>

/* ---- What calls take ---- */

/* Returns what a delegate's time slice is spent on: work if an operator took it, whether that has a
 * node or not; or else what its phase says. */
static etr_spending spending_of_slice(const etr_time_slice *time_slice) {
  if (time_slice->part == ETR_TIME_OPERATORS || time_slice->event->role == ETR_ROLE_OPERATOR)
    return ETR_SPENT_WORK;
  switch (time_slice->phase) {
  case ETR_PHASE_COMPUTE:
    return ETR_SPENT_WORK;
  case ETR_PHASE_COPY_IN:
  case ETR_PHASE_COPY_OUT:
    return ETR_SPENT_COPY;
  case ETR_PHASE_WAIT:
    return ETR_SPENT_WAIT;
  default:
    return ETR_SPENT_AROUND;
  }
}

/* Returns the spending of the delegate that an instruction calls; NULL if it calls none. calls: of
 * each of the method's delegates. */
static etr_delegate_spending *spending_of_instruction(etr_delegate_spending *calls,
                                                      const etr_method *method,
                                                      int32_t instruction_id) {
  uint32_t delegate = etr_delegate_at(method, instruction_id);
  return delegate == ETR_NONE ? NULL : &calls[delegate];
}

/* Counts an event as a call of its delegate, or as an operator. A clock that counts whole steps
 * hides half a step of each operator on average, which is added to the hidden ticks. */
static void count_event(const etr_finder *finder, etr_delegate_spending *spending,
                        const etr_event *event) {
  if (event->kind == ETR_EVENT_DELEGATE_CALL)
    spending->calls += event->sample_count;
  if (event->kind != ETR_EVENT_DELEGATE_OPERATOR)
    return;
  spending->operators++;
  double step = etr_clock_step(finder->profile, event->backend, event->delegate_id);
  if (event->role == ETR_ROLE_OPERATOR)
    spending->hidden += (uint64_t)(step / 2 * (double)event->sample_count);
}

/* Counts the calls and operators of each delegate, in all blocks of the method, and adds up what a
 * coarse clock hides of the operators. */
static void count_events(const etr_finder *finder, etr_delegate_spending *calls) {
  for (size_t block_index = 0; block_index < finder->method->block_count; block_index++) {
    const etr_block *block = &finder->profile->blocks[finder->method->blocks[block_index]];
    for (size_t i = 0; i < block->event_count; i++) {
      etr_delegate_spending *spending = spending_of_instruction(calls, finder->method,
                                                                block->events[i].instruction_id);
      if (spending)
        count_event(finder, spending, &block->events[i]);
    }
  }
}

bool etr_finder_measure_delegates(etr_finder *finder) {
  const etr_method *method = finder->method;
  etr_delegate_spending *calls = etr_arena_alloc_array(finder->arena, method->delegate_count,
                                                       sizeof *calls);
  uint32_t *group_of = etr_arena_alloc_array(finder->arena, method->time_slice_count,
                                             sizeof *group_of);
  if (!calls || !group_of)
    return false;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    etr_delegate_spending *of = etr_time_slice_is_in_delegate(slice)
                                    ? spending_of_instruction(calls, method,
                                                              slice->event->instruction_id)
                                    : NULL;
    group_of[i] = of ? (uint32_t)((size_t)(of - calls) * ETR_SPENDINGS + spending_of_slice(slice))
                     : ETR_NONE;
  }
  size_t group_count = method->delegate_count * ETR_SPENDINGS;
  const etr_stats *stats = etr_run_stats(finder->arena, method, group_of, group_count);
  double *interrupted = etr_arena_alloc_array(finder->arena, group_count, sizeof *interrupted);
  if (!interrupted)
    return false;
  for (size_t i = 0; i < method->time_slice_count; i++)
    if (group_of[i] != ETR_NONE)
      interrupted[group_of[i]] += etr_slice_interrupted(method, i);
  for (size_t i = 0; stats && i < method->delegate_count; i++) {
    calls[i].delegate = &method->delegates[i];
    for (size_t s = 0; s < ETR_SPENDINGS; s++) {
      size_t group = i * ETR_SPENDINGS + s;
      double ticks = fmax(stats[group].typical - interrupted[group], 0);
      calls[i].ticks[s] = etr_finder_over_runs(finder, ticks);
    }
  }
  if (stats)
    count_events(finder, calls);
  for (size_t i = 0; method->logs_values && i < method->delegate_count; i++)
    calls[i].hidden = calls[i].ticks[ETR_SPENT_AROUND];
  finder->delegates = calls;
  return stats != NULL;
}

/* ---- A rule about some of a backend's delegates ---- */

typedef bool (*call_test)(const etr_delegate_spending *spent);

/* Delegates of one backend that a rule is about, and the sums of what they spend. */
typedef struct chosen {
  const char *backend;
  uint64_t ticks[ETR_SPENDINGS]; /* over all runs */
  uint64_t hidden;               /* see etr_delegate_spending */
  size_t calls;                  /* over all runs */
  etr_vec(int32_t) instructions; /* that call them */
} chosen;

/* Chooses the delegates, from `first` on, that are of its backend and pass a test, and sums what
 * they spend. Returns false when out of memory. */
static bool choose_calls(chosen *out, const etr_finder *finder, size_t first, call_test test) {
  const etr_delegate_spending *calls = finder->delegates;
  const char *backend = calls[first].delegate->backend;
  *out = (chosen){.backend = backend};
  for (size_t i = first; i < finder->method->delegate_count; i++) {
    if (strcmp(calls[i].delegate->backend, backend) != 0 || !test(&calls[i]))
      continue;
    for (size_t s = 0; s < ETR_SPENDINGS; s++)
      out->ticks[s] += calls[i].ticks[s];
    out->hidden += calls[i].hidden;
    out->calls += calls[i].calls;
    int32_t *added = etr_vec_push(finder->arena, &out->instructions);
    if (!added)
      return false;
    *added = calls[i].delegate->instruction_id;
  }
  return true;
}

/* Returns true if no delegate before this one is of its backend. */
static bool is_first_call_of_backend(const etr_delegate_spending *calls, size_t delegate) {
  for (size_t i = 0; i < delegate; i++)
    if (strcmp(calls[i].delegate->backend, calls[delegate].delegate->backend) == 0)
      return false;
  return true;
}

static const char *backend_name(const chosen *calls) {
  return calls->backend[0] ? calls->backend : "an unknown backend";
}

/* Returns which delegates were chosen: "delegate 0 of QnnBackend", "2 delegates of QnnBackend". */
static const char *delegates_text(const etr_finder *finder, const chosen *calls) {
  size_t count = calls->instructions.count;
  const char *text = count == 1
                         ? etr_arena_format(finder->arena, "delegate %d of %s",
                                            (int)calls->instructions.data[0],
                                            etr_finder_backend_name(finder, backend_name(calls)))
                         : etr_arena_format(finder->arena, "%zu delegates of %s", count,
                                            etr_finder_backend_name(finder, backend_name(calls)));
  return text ? text : "";
}

/* Sets the texts of a finding, and makes it be about the instructions of the chosen calls. */
static void describe_calls(etr_finding *finding, const chosen *calls, const char *title,
                           const char *fact) {
  finding->title = title;
  finding->fact = fact;
  finding->instructions = calls->instructions.data;
  finding->instruction_count = calls->instructions.count;
}

/* ---- Delegates that wait or copy ---- */

/* Returns all ticks of a delegate: the sum over what they are spent on. */
static uint64_t sum_ticks(const uint64_t *ticks) {
  uint64_t sum = 0;
  for (size_t i = 0; i < ETR_SPENDINGS; i++)
    sum += ticks[i];
  return sum;
}

/* Returns true if copying and waiting are a large part of a delegate's time. If no work is
 * recorded, the backend may compute while the call waits, and it returns false. */
static bool is_waiting(const etr_delegate_spending *spent) {
  uint64_t lost = spent->ticks[ETR_SPENT_COPY] + spent->ticks[ETR_SPENT_WAIT];
  return lost > 0 && spent->ticks[ETR_SPENT_WORK] > 0 &&
         (double)lost >= ETR_FINDING_WAITING_PART * (double)sum_ticks(spent->ticks);
}

/* Returns the title of the finding that calls wait, copy, or both; NULL when out of memory. */
static const char *waiting_title(const etr_finder *finder, const chosen *calls) {
  const char *title = calls->ticks[ETR_SPENT_COPY] ? "Wait and copy less in %s"
                                                   : "Shorten the waiting of %s";
  if (calls->ticks[ETR_SPENT_WAIT] == 0)
    title = "Copy less into and out of %s";
  return etr_arena_format(finder->arena, title, delegates_text(finder, calls));
}

/* Adds the finding that the chosen calls wait or copy, if that takes long enough. How much of it
 * could be saved is not known (NAN). Returns false when out of memory. */
static bool add_waiting_finding(etr_finder *finder, const chosen *calls) {
  uint64_t waiting = calls->ticks[ETR_SPENT_WAIT], copying = calls->ticks[ETR_SPENT_COPY],
           all_ticks = sum_ticks(calls->ticks);
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_WAITING, waiting + copying, NAN);
  etr_text text;
  etr_writer writer;
  if (!added)
    return !etr_arena_failed(finder->arena);
  etr_text_begin(&text, finder->arena, &writer);
  etr_putf(&writer, "Of %s in %s, ", etr_finder_time_per_run(finder, all_ticks),
           calls->instructions.count == 1 ? "its call" : "their calls");
  if (waiting)
    etr_putf(&writer, "%s are waiting%s", etr_finder_time_per_run(finder, waiting),
             copying ? " and " : "");
  if (copying)
    etr_putf(&writer, "%s are copying in and out", etr_finder_time_per_run(finder, copying));
  etr_puts(&writer, ".");
  describe_calls(added, calls, waiting_title(finder, calls),
                 waiting ? "more work in each call, or a faster power mode"
                         : "keep data there between calls");
  added->evidence = etr_text_end(&text, &writer);
  etr_finding_set_sureness(added, ETR_POSSIBLE, "the record does not say what it waits for");
  if (!waiting)
    etr_finding_set_sureness(added, ETR_POSSIBLE, "some copies are needed");
  return true;
}

/* ---- Many calls that do little ---- */

/* Returns true if a delegate takes longer around its operators than for them, even if all of what a
 * coarse clock hides is operator time. Returns false if its operators are not recorded. */
static bool does_little(const etr_delegate_spending *spent) {
  uint64_t around = spent->ticks[ETR_SPENT_COPY] + spent->ticks[ETR_SPENT_WAIT] +
                    spent->ticks[ETR_SPENT_AROUND];
  return spent->operators > 0 && around > spent->hidden &&
         around - spent->hidden > spent->ticks[ETR_SPENT_WORK] + spent->hidden;
}

/* Returns true if another finding proposes to merge the first of these delegates, which saves the
 * same overhead. */
static bool has_merge_finding(const etr_finder *finder, const chosen *calls) {
  for (size_t i = 0; i < finder->found.count; i++) {
    const etr_finding *found = &finder->found.data[i];
    for (size_t k = 0; found->kind == ETR_FINDING_FALLBACK && k < found->instruction_count; k++)
      if (found->instructions[k] == calls->instructions.data[0])
        return true;
  }
  return false;
}

/* Adds the finding that the chosen calls take longer than what they compute, if there are enough
 * in each inference and no other finding merges them. Hidden time may be that of operators, so it
 * is not counted as time of the calls. What can be saved is not known (NAN). Returns false when out
 * of memory. */
static bool add_small_calls_finding(etr_finder *finder, const chosen *calls) {
  uint64_t around_ticks = sum_ticks(calls->ticks) - calls->ticks[ETR_SPENT_WORK] - calls->hidden;
  size_t runs = finder->method->run_count;
  if (calls->calls < ETR_FINDING_LEAST_SMALL_CALLS * runs || has_merge_finding(finder, calls))
    return true;
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_SMALL_CALLS, around_ticks, NAN);
  if (!added)
    return !etr_arena_failed(finder->arena);
  describe_calls(
      added, calls,
      etr_arena_format(finder->arena, "Put more operators into %zu %s calls", calls->calls / runs,
                       calls->backend[0] ? etr_finder_backend_name(finder, calls->backend)
                                         : "delegate"),
      "calling them takes longer than their operators");
  added->evidence = etr_arena_format(
      finder->arena,
      "Calling them takes %s (%s per call), their operators %s%s. The record does not show which "
      "operators cut them apart.",
      etr_finder_time_per_run(finder, around_ticks),
      etr_finder_time_text(finder, (double)around_ticks / (double)calls->calls),
      calls->hidden ? "at most " : "",
      etr_finder_time_per_run(finder, calls->ticks[ETR_SPENT_WORK] + calls->hidden));
  etr_finding_set_sureness(added, ETR_POSSIBLE, "each call that remains still takes some");
  return true;
}

/* ---- Operators that fell back to the CPU ---- */

/* An operator that a backend ran on the CPU. */
typedef struct fallen {
  const char *name, *backend;
  uint64_t ticks;  /* over all runs */
  bool is_planned; /* the backend says where it means to run it, and not where it ran */
} fallen;

typedef struct fallen_list {
  etr_map index; /* "INSTRUCTION NAME" -> index in list: another block may have it, too */
  etr_vec(fallen) list;
} fallen_list;

/* Returns true if a time slice is of an operator that a backend ran on the CPU. */
static bool fell_back(const etr_time_slice *time_slice, const char *backend) {
  return etr_time_slice_is_in_delegate(time_slice) &&
         time_slice->event->role == ETR_ROLE_OPERATOR &&
         time_slice->compute_unit == ETR_COMPUTE_UNIT_CPU && time_slice->event->backend &&
         strcmp(time_slice->event->backend, backend) == 0;
}

/* Compares operators for qsort(): by time, the longest first, then by name. */
static int by_fallen_ticks(const void *a, const void *b) {
  const fallen *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? 1 : -1;
  return strcmp(x->name, y->name);
}

/* Lists the operators of a backend that fell back to the CPU, marks their nodes, and sets entry_of
 * of each of their time slices to the operator's index. Returns false when out of memory. */
static bool list_fallen(const etr_finder *finder, fallen_list *fallen_ones, const char *backend,
                        uint32_t *entry_of, bool *marked) {
  const etr_method *method = finder->method;
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *time_slice = &method->time_slices[i];
    entry_of[i] = ETR_NONE;
    if (!fell_back(time_slice, backend))
      continue;
    /* Operators of an instruction with the same name are one entry. */
    const etr_event *event = time_slice->event;
    char *key = etr_arena_format(finder->arena, "%d %s", (int)event->instruction_id, event->name);
    etr_map_slot *slot = key ? etr_map_at(&fallen_ones->index, etr_slice_of(key)) : NULL;
    if (!slot)
      return false;
    if (slot->value == ETR_NONE) {
      fallen *added = etr_vec_push(finder->arena, &fallen_ones->list);
      if (!added)
        return false;
      *added = (fallen){
          .name = event->label, .backend = event->backend, .is_planned = event->is_unit_planned};
      slot->value = (uint32_t)(fallen_ones->list.count - 1);
    }
    entry_of[i] = slot->value;
    if (time_slice->node != ETR_NONE)
      marked[time_slice->node] = true;
  }
  return true;
}

/* Sets the time of each operator that fell back, sorts them by it, and sets *sum to the time of all
 * of them, over all runs. The typical run of all is not the sum of their typical runs, so they are
 * measured again as one group; entry_of is changed for that. Returns false when out of memory. */
static bool measure_fallen(const etr_finder *finder, fallen_list *fallen_ones, uint32_t *entry_of,
                           uint64_t *sum) {
  const etr_stats *stats = etr_run_stats(finder->arena, finder->method, entry_of,
                                         fallen_ones->list.count);
  if (!stats)
    return false;
  for (size_t i = 0; i < fallen_ones->list.count; i++)
    fallen_ones->list.data[i].ticks = etr_finder_over_runs(finder, stats[i].typical);
  etr_sort(fallen_ones->list.data, fallen_ones->list.count, sizeof *fallen_ones->list.data,
           by_fallen_ticks);
  for (size_t i = 0; i < finder->method->time_slice_count; i++)
    entry_of[i] = entry_of[i] == ETR_NONE ? ETR_NONE : 0;
  stats = etr_run_stats(finder->arena, finder->method, entry_of, 1);
  if (stats)
    *sum = etr_finder_over_runs(finder, stats[0].typical);
  return stats != NULL;
}

/* Adds the finding about the operators of a backend that ran on the CPU. What it saves is not known
 * (NAN): the other unit still has to compute them. units: a bit for each faster unit that its other
 * operators ran on. Returns false when out of memory. */
static bool add_cpu_fallback_finding(etr_finder *finder, const char *backend, unsigned units) {
  const etr_method *method = finder->method;
  fallen_list found = {0};
  size_t node_count = finder->graph ? finder->graph->node_count : 0;
  uint32_t *entry_of = etr_arena_alloc_array(finder->arena, method->time_slice_count,
                                             sizeof *entry_of);
  bool *marked = etr_arena_alloc_array(finder->arena, node_count, sizeof *marked);
  uint64_t ticks;
  etr_map_init(&found.index, finder->arena);
  if (!entry_of || !marked || !list_fallen(finder, &found, backend, entry_of, marked))
    return false;
  if (!measure_fallen(finder, &found, entry_of, &ticks))
    return false;
  etr_finding *added = etr_finder_add_if_large(finder, ETR_FINDING_CPU_FALLBACK, ticks, NAN);
  if (!added)
    return !etr_arena_failed(finder->arena);
  static const char *const verbs[2][2] = {{"run on", "runs on"},
                                          {"are planned for", "is planned for"}};
  const char *others = etr_compute_units_text(finder->arena, units);
  bool is_planned = found.list.data[0].is_planned, one = found.list.count == 1;
  added->title = etr_arena_format(finder->arena, "Rewrite %zu operator%s of %s", found.list.count,
                                  one ? "" : "s", etr_finder_backend_name(finder, backend));
  added->fact = etr_arena_format(finder->arena, "%s %s the CPU, not the %s", one ? "it" : "they",
                                 verbs[is_planned][one], others ? others : "");
  enum { LISTED = 3 };
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_putf(&writer, "%s %s; longest: ", etr_they_take(found.list.count),
           etr_finder_time_per_run(finder, ticks));
  for (size_t i = 0; i < found.list.count && i < LISTED; i++)
    etr_putf(&writer, "%s%s %s", i ? ", " : "", found.list.data[i].name,
             etr_finder_time_per_run(finder, found.list.data[i].ticks));
  etr_puts(&writer, found.list.count > LISTED ? ", and others." : ".");
  etr_finding_set_sureness(added, is_planned ? ETR_POSSIBLE : ETR_LIKELY,
                           is_planned ? "that is the backend's plan, where they ran is not recorded"
                                      : "the other unit still has to compute them");
  added->evidence = etr_text_end(&text, &writer);
  return !finder->graph || etr_finding_set_nodes(finder, added, marked);
}

/* Looks for operators of a backend that ran on the CPU while others ran on a faster unit, and adds
 * the finding about them if there are any. Returns false when out of memory. */
static bool check_cpu_fallback(etr_finder *finder, const char *backend) {
  const unsigned cpu = 1u << ETR_COMPUTE_UNIT_CPU;
  const unsigned faster = 1u << ETR_COMPUTE_UNIT_NPU | 1u << ETR_COMPUTE_UNIT_GPU;
  /* The units that operators of this backend ran on. */
  unsigned units = 0;
  for (size_t i = 0; i < finder->method->time_slice_count; i++) {
    const etr_time_slice *time_slice = &finder->method->time_slices[i];
    bool is_of_backend = etr_time_slice_is_in_delegate(time_slice) && time_slice->event->backend &&
                         strcmp(time_slice->event->backend, backend) == 0;
    if (is_of_backend && time_slice->event->role == ETR_ROLE_OPERATOR)
      units |= 1u << time_slice->compute_unit;
  }
  if (!(units & cpu) || !(units & faster))
    return true;
  return add_cpu_fallback_finding(finder, backend, units & faster);
}

/* ---- All ---- */

/* Adds the findings about the calls of one backend. first: its first delegate. Returns false when
 * out of memory. */
static bool add_backend_findings(etr_finder *finder, size_t first) {
  chosen waiting, small;
  if (!choose_calls(&waiting, finder, first, is_waiting) ||
      !choose_calls(&small, finder, first, does_little))
    return false;
  if (waiting.instructions.count && !add_waiting_finding(finder, &waiting))
    return false;
  if (small.instructions.count && !add_small_calls_finding(finder, &small))
    return false;
  return check_cpu_fallback(finder, finder->delegates[first].delegate->backend);
}

/* Adds the findings about delegates' calls, backend by backend. Returns false when out of memory.
 */
bool etr_add_delegate_findings(etr_finder *finder) {
  enum { MOST_BACKENDS = 64 }; /* more than any model has */
  for (size_t i = 0, looked = 0; i < finder->method->delegate_count && looked < MOST_BACKENDS;
       i++) {
    if (!is_first_call_of_backend(finder->delegates, i))
      continue;
    if (!add_backend_findings(finder, i))
      return false;
    looked++;
  }
  return true;
}
