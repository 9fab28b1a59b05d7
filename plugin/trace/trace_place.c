/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace_place.c - places the events of a run on a time line: collects them, unwraps counters, puts
 * events of delegates into their calls, and finds lanes.
 */
#include "trace/trace_place.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

#define COUNTER_RANGE ((uint64_t)1 << 32) /* ticks after which a 32-bit counter wraps */

void etr_placer_init(etr_placer *placer, etr_arena *arena, const etr_profile *profile) {
  *placer = (etr_placer){.profile = profile, .arena = arena};
  size_t dumps = 1, events = 0;
  for (size_t i = 0; i < profile->run_count; i++)
    dumps = ETR_MAX(dumps, (size_t)profile->runs[i].dump + 1);
  placer->first_event = etr_arena_alloc_array(arena, profile->block_count,
                                              sizeof *placer->first_event);
  for (size_t i = 0; placer->first_event != NULL && i < profile->block_count; i++) {
    placer->first_event[i] = events;
    events += profile->blocks[i].event_count;
  }
  placer->event_count = events;
  placer->next_sample = etr_arena_alloc_array(arena, events, sizeof *placer->next_sample);
  placer->process_count = dumps * (profile->method_count + 1);
  placer->next_free_ns = etr_arena_alloc_array(arena, placer->process_count,
                                               sizeof *placer->next_free_ns);
  placer->has_begun = etr_arena_alloc_array(arena, dumps, sizeof *placer->has_begun);
  placer->first_start = etr_arena_alloc_array(arena, dumps, sizeof *placer->first_start);
  placer->wrapped_ticks = etr_arena_alloc_array(arena, dumps, sizeof *placer->wrapped_ticks);
  placer->last_start = etr_arena_alloc_array(arena, dumps, sizeof *placer->last_start);
}

size_t etr_placer_process(const etr_placer *placer, uint32_t run) {
  const etr_run *recorded_run = &placer->profile->runs[run];
  uint32_t method = placer->profile->blocks[recorded_run->block].method;
  size_t methods = placer->profile->method_count;
  return (size_t)recorded_run->dump * (methods + 1) + (method == ETR_NONE ? methods : method);
}

/* ---- Collecting ---- */

enum { DEEPEST = 2 }; /* the deepest wrapper: ETR_MOST_WRAPPERS of the decoders */

/* Returns the depth of a wrapper, or of the wrapper that an event is in; 0 if it is directly in its
 * call. */
static size_t depth_of(const etr_event *event) {
  return ETR_MIN(event->wrapper ? event->wrapper : event->inside, (size_t)DEEPEST);
}

static const etr_event *event_of(const etr_placer *p, const etr_block *block, size_t span) {
  return &block->events[p->spans.data[span].event];
}

bool etr_is_placed(const etr_event *event) {
  if (event->unit == ETR_EVENT_UNIT_CYCLES)
    return event->wrapper > 0 || event->inside > 0;
  return event->unit == ETR_EVENT_UNIT_TIME &&
         (!event->has_no_place || event->is_in_sums || event->wrapper > 0);
}

/* What the events of one instruction say about the wrappers of one depth. */
typedef struct wrapper_sums {
  uint64_t ticks, cycles; /* of the wrappers */
  uint64_t inside_cycles; /* of the events in them */
} wrapper_sums;

/* Adds the duration of an event to the sums of its nesting depth: the ticks or cycles of wrappers,
 * or the cycles of events inside them. The ticks of other events are their own times and are not
 * summed. */
static void add_to_sums(wrapper_sums *sums, const etr_event *event, uint64_t duration) {
  wrapper_sums *depth_sums = &sums[depth_of(event)];
  uint64_t *sum = event->wrapper ? &depth_sums->ticks : NULL;
  if (event->unit == ETR_EVENT_UNIT_CYCLES)
    sum = event->wrapper ? &depth_sums->cycles : &depth_sums->inside_cycles;
  if (sum != NULL)
    *sum = etr_add_up_to_most(*sum, duration);
}

/* Turns the duration of a span from cycles into ticks: the part of its wrapper's ticks that
 * corresponds to its cycles. Does nothing for a duration in ticks. Returns false for an event that
 * cannot be drawn: a wrapper in cycles, or an event whose wrapper has no ticks or no cycles. */
static bool convert_cycles(etr_span *span, const etr_event *event, const wrapper_sums *sums) {
  const wrapper_sums *depth_sums = &sums[depth_of(event)];
  if (event->unit != ETR_EVENT_UNIT_CYCLES)
    return true;
  if (event->wrapper || depth_sums->ticks == 0 || depth_sums->cycles == 0)
    return false;
  span->cycles = span->ticks;
  /* Events inside may count more cycles than their wrappers, and must not get more time. */
  uint64_t all_cycles = ETR_MAX(depth_sums->cycles, depth_sums->inside_cycles);
  span->ticks = etr_scale(span->cycles, depth_sums->ticks, all_cycles);
  return true;
}

/* Turns spans in cycles into ticks, and removes those that cannot be drawn. Wrappers and the events
 * in them are of one instruction, whose spans are next to each other. */
static void convert_all_cycles(etr_placer *p, const etr_block *block) {
  size_t kept_count = 0;
  for (size_t first = 0, end; first < p->spans.count; first = end) {
    wrapper_sums sums[DEEPEST + 1] = {0};
    int32_t instruction = event_of(p, block, first)->instruction_id;
    for (end = first;
         end < p->spans.count && event_of(p, block, end)->instruction_id == instruction; end++)
      add_to_sums(sums, event_of(p, block, end), p->spans.data[end].ticks);
    for (size_t i = first; i < end; i++) {
      etr_span span = p->spans.data[i];
      if (convert_cycles(&span, &block->events[span.event], sums))
        p->spans.data[kept_count++] = span;
    }
  }
  p->spans.count = kept_count;
}

/* Lists the spans of a run, one for each sample of an event that is drawn, in the order of the
 * events. Each event's samples are read on from those of the run before, so runs must come in
 * ascending order. */
static void list_spans(etr_placer *p, uint32_t run) {
  const etr_block *block = &p->profile->blocks[p->profile->runs[run].block];
  size_t *next_sample = p->next_sample + p->first_event[p->profile->runs[run].block];
  p->spans.count = 0;
  for (uint32_t i = 0; i < block->event_count; i++) {
    const etr_event *event = &block->events[i];
    if (!etr_is_placed(event))
      continue;
    while (next_sample[i] < event->sample_count && event->sample_runs[next_sample[i]] < run)
      next_sample[i]++;
    for (; next_sample[i] < event->sample_count && event->sample_runs[next_sample[i]] == run;
         next_sample[i]++) {
      etr_span *span = etr_vec_push(p->arena, &p->spans);
      if (span == NULL)
        return;
      *span = (etr_span){.event = i,
                         .ticks = event->durations[next_sample[i]],
                         .in_delegate = event->delegate_id ||
                                        event->kind == ETR_EVENT_DELEGATE_OPERATOR,
                         .scale = 1,
                         .recorded_start = event->starts[next_sample[i]],
                         .call = ETR_NONE};
    }
  }
  convert_all_cycles(p, block);
}

/* ---- The clock ---- */

static uint64_t end_of(const etr_span *span) {
  return etr_add_up_to_most(span->recorded_start, span->ticks);
}

/* Repairs a run in which a 32-bit counter wrapped: the longest event that reaches beyond the
 * counter's range contains the wrap. Other events that would be inside that event if they were one
 * range later are moved by that range. */
static void unwrap_within_run(etr_placer *p) {
  const etr_span *wrapping = NULL;
  for (size_t i = 0; i < p->spans.count; i++) {
    const etr_span *span = &p->spans.data[i];
    if (span->in_delegate)
      continue;
    if (span->recorded_start >= COUNTER_RANGE)
      return;
    if (end_of(span) >= COUNTER_RANGE && (wrapping == NULL || span->ticks > wrapping->ticks))
      wrapping = span;
  }
  if (wrapping == NULL)
    return;
  uint64_t start = wrapping->recorded_start, end = end_of(wrapping);
  for (size_t i = 0; i < p->spans.count; i++) {
    etr_span *span = &p->spans.data[i];
    if (!span->in_delegate && span->recorded_start < start && end_of(span) <= end - COUNTER_RANGE)
      span->recorded_start += COUNTER_RANGE;
  }
}

/* Returns the recorded tick at which the run began: the start of its first event outside delegates,
 * whose clock may be another one, or of its first event at all if it has no others. */
static uint64_t find_run_start(const etr_placer *p) {
  uint64_t own_start = UINT64_MAX, any_start = UINT64_MAX;
  for (size_t i = 0; i < p->spans.count; i++) {
    const etr_span *span = &p->spans.data[i];
    any_start = ETR_MIN(any_start, span->recorded_start);
    if (!span->in_delegate)
      own_start = ETR_MIN(own_start, span->recorded_start);
  }
  return own_start != UINT64_MAX ? own_start : any_start;
}

/* Converts ticks to whole nanoseconds, at most 104 days, so that sums do not overflow. */
static uint64_t nanoseconds(const etr_placer *p, uint64_t ticks) {
  double ns = etr_ticks_to_ns(p->profile, (double)ticks);
  return ns < 9e15 ? (uint64_t)llround(ns) : (uint64_t)9e15;
}

/* Returns the start of a run in nanoseconds since the first run of its ETDump began. If the 32-bit
 * counter of the clock wrapped since the run before, adds its range to this and all later starts.
 */
static uint64_t start_in_trace(etr_placer *p, uint32_t dump, uint64_t start) {
  if (!p->has_begun[dump]) {
    p->has_begun[dump] = true;
    p->first_start[dump] = p->last_start[dump] = start;
  }
  bool has_wrapped = p->last_start[dump] < COUNTER_RANGE && start < p->last_start[dump] &&
                     p->last_start[dump] - start > COUNTER_RANGE / 2;
  if (has_wrapped)
    p->wrapped_ticks[dump] += COUNTER_RANGE;
  p->last_start[dump] = start;
  uint64_t ticks = etr_add_up_to_most(start, p->wrapped_ticks[dump]);
  return ticks >= p->first_start[dump] ? nanoseconds(p, ticks - p->first_start[dump]) : 0;
}

/* ---- Delegates ---- */

/* Returns the index of the call that a delegate's event belongs to: the one in whose time it
 * begins. If there is none, its clock is another one: then the first of ten samples belongs to the
 * first tenth of the calls, and so on. calls: indices of the spans of one instruction's calls. */
static uint32_t find_call(const etr_placer *p, const uint32_t *calls, size_t call_count,
                          const etr_span *span, size_t sample_index, size_t sample_count) {
  for (size_t low = 0, high = call_count; low < high;) { /* calls do not overlap */
    size_t middle = low + (high - low) / 2;
    const etr_span *call = &p->spans.data[calls[middle]];
    if (span->recorded_start < call->recorded_start)
      high = middle;
    else if (span->recorded_start > end_of(call))
      low = middle + 1;
    else
      return calls[middle];
  }
  return calls[sample_index * call_count / sample_count];
}

/* Sets the call of each event of a delegate, as an index of a span. Spans are still in the order of
 * events, where events of one instruction are next to each other. When out of memory, the scratch
 * arena has failed. */
static void find_calls(etr_placer *p, const etr_block *block) {
  uint32_t *calls = etr_arena_alloc_array(&p->scratch, p->spans.count, sizeof *calls);
  for (size_t first = 0, end; calls != NULL && first < p->spans.count; first = end) {
    int32_t instruction = block->events[p->spans.data[first].event].instruction_id;
    size_t call_count = 0;
    for (end = first; end < p->spans.count &&
                      block->events[p->spans.data[end].event].instruction_id == instruction;
         end++) {
      const etr_span *span = &p->spans.data[end];
      if (!span->in_delegate && block->events[span->event].match == ETR_MATCH_DELEGATE)
        calls[call_count++] = (uint32_t)end;
    }
    for (size_t event_first = first, event_end; call_count > 0 && event_first < end;
         event_first = event_end) {
      for (event_end = event_first;
           event_end < end && p->spans.data[event_end].event == p->spans.data[event_first].event;)
        event_end++;
      for (size_t sample = event_first; sample < event_end && p->spans.data[sample].in_delegate;
           sample++)
        p->spans.data[sample].call = find_call(p, calls, call_count, &p->spans.data[sample],
                                               sample - event_first, event_end - event_first);
    }
  }
}

static bool lies_inside(const etr_span *span, const etr_span *call) {
  return span->recorded_start >= call->recorded_start && end_of(span) <= end_of(call);
}

/* Moves events of a delegate from their call into the wrapper of this depth in that call, such as
 * dispatches into their submission. A wrapper counts if it was measured inside its call, or if it
 * was laid out there. Sets span->enclosing of these events. */
static void nest_in_wrappers(etr_placer *p, const etr_block *block, size_t depth) {
  /* Per call: index of its wrapper, plus one. */
  uint32_t *wrappers = etr_arena_alloc_array(&p->scratch, p->spans.count, sizeof *wrappers);
  for (size_t i = 0; wrappers != NULL && i < p->spans.count; i++) {
    const etr_span *span = &p->spans.data[i];
    const etr_event *event = &block->events[span->event];
    if (span->call == ETR_NONE || event->wrapper != depth)
      continue;
    if (event->has_no_place || lies_inside(span, &p->spans.data[span->call]))
      wrappers[span->call] = (uint32_t)i + 1;
  }
  for (size_t i = 0; wrappers != NULL && i < p->spans.count; i++) {
    etr_span *span = &p->spans.data[i];
    bool is_inside = span->call != ETR_NONE && block->events[span->event].inside >= depth;
    if (is_inside && wrappers[span->call] > 0)
      span->enclosing = wrappers[span->call] - 1;
  }
}

/* An event of a delegate that is outside its call, or whose start was not measured. They are sorted
 * by the event around them, then by the order of recording. */
typedef struct unplaced {
  uint32_t enclosing, span; /* indices of spans */
  uint64_t recorded_start;
} unplaced;

/* Orders events by the event that encloses them, then by recorded start, then as they were listed.
 */
static int by_enclosing(const void *a, const void *b) {
  const unplaced *x = a, *y = b;
  if (x->enclosing != y->enclosing)
    return x->enclosing < y->enclosing ? -1 : 1;
  if (x->recorded_start != y->recorded_start)
    return x->recorded_start < y->recorded_start ? -1 : 1;
  return (x->span > y->span) - (x->span < y->span);
}

/* Returns the nanoseconds that are left free before an event: 1 if it or the one before it has no
 * duration, else 0. Viewers put what begins at the same time inside each other, and confuse it with
 * what ends at that time. */
static uint64_t gap_ns_before(const etr_placer *p, const unplaced *unplaced_spans, size_t i) {
  bool is_point = p->spans.data[unplaced_spans[i].span].ticks == 0;
  bool was_point = i > 0 && p->spans.data[unplaced_spans[i - 1].span].ticks == 0;
  return is_point || was_point;
}

/* Places events of a delegate without a usable start one after the other inside the event that
 * encloses them. The events keep their relative lengths, and are scaled down if together they are
 * longer than the enclosing event, of which their `scale` tells. If there is room, 1 ns is left
 * free around events without duration. Sets start and end of each, in nanoseconds. */
static void lay_out_unplaced(etr_placer *p, const unplaced *unplaced_spans, size_t count) {
  const etr_span *enclosing = &p->spans.data[unplaced_spans[0].enclosing];
  double sum_ticks = 0, ticks_before = 0;
  uint64_t length = enclosing->end - enclosing->start;
  uint64_t gaps_ns = p->spans.data[unplaced_spans[count - 1].span].ticks == 0;
  for (size_t i = 0; i < count; i++) {
    sum_ticks += (double)p->spans.data[unplaced_spans[i].span].ticks;
    gaps_ns += gap_ns_before(p, unplaced_spans, i);
  }
  bool has_gaps = gaps_ns < length;
  double usable_ns = (double)(length -
                              (has_gaps ? gaps_ns : 0)); /* nanoseconds outside the gaps_ns */
  double usable_ticks = length ? (double)enclosing->ticks * (usable_ns / (double)length)
                               : 0; /* the same in ticks */
  double ns_per_tick = ETR_MAX(sum_ticks, usable_ticks) > 0
                           ? usable_ns / ETR_MAX(sum_ticks, usable_ticks)
                           : 0;
  uint64_t position = enclosing->start;
  for (size_t i = 0; i < count; i++) {
    etr_span *span = &p->spans.data[unplaced_spans[i].span];
    position += has_gaps ? gap_ns_before(p, unplaced_spans, i) : 0;
    span->start = position + (uint64_t)ETR_MIN(floor(ticks_before * ns_per_tick + 0.5), usable_ns);
    ticks_before += (double)span->ticks;
    span->end = position + (uint64_t)ETR_MIN(floor(ticks_before * ns_per_tick + 0.5), usable_ns);
    span->is_synthetic = true;
    span->scale = enclosing->scale *
                  (sum_ticks > usable_ticks && sum_ticks > 0 ? usable_ticks / sum_ticks : 1);
  }
}

/* Lays out the events of a nesting depth whose recorded start is not inside their call: it is
 * unknown, or of another clock. The events that enclose them must have their place already. */
static void place_events_of_depth(etr_placer *p, const etr_block *block, size_t depth) {
  unplaced *unplaced_spans = etr_arena_alloc_array(&p->scratch, p->spans.count,
                                                   sizeof *unplaced_spans);
  size_t count = 0;
  for (size_t i = 0; unplaced_spans != NULL && i < p->spans.count; i++) {
    const etr_span *span = &p->spans.data[i];
    const etr_event *event = &block->events[span->event];
    if (span->call == ETR_NONE || ETR_MIN(event->inside, (size_t)DEEPEST) != depth)
      continue;
    if (event->has_no_place || !lies_inside(span, &p->spans.data[span->call]))
      unplaced_spans[count++] = (unplaced){span->enclosing, (uint32_t)i, span->recorded_start};
  }
  etr_sort(unplaced_spans, count, sizeof *unplaced_spans, by_enclosing);
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first;
         end < count && unplaced_spans[end].enclosing == unplaced_spans[first].enclosing;)
      end++;
    lay_out_unplaced(p, unplaced_spans + first, end - first);
  }
}

/* Places the events of delegates inside their calls: first in wrappers, where there are some, then
 * from outside to inside. */
static void place_delegates(etr_placer *p, const etr_block *block) {
  find_calls(p, block);
  for (size_t i = 0; i < p->spans.count; i++)
    p->spans.data[i].enclosing = p->spans.data[i].call;
  for (size_t depth = 1; depth <= DEEPEST; depth++)
    nest_in_wrappers(p, block, depth);
  for (size_t depth = 0; depth <= DEEPEST; depth++)
    place_events_of_depth(p, block, depth);
}

/* ---- On the time line ---- */

/* Places events where they were measured. run_start: recorded start of the run, in ticks.
 * run_start_ns: where it begins in the trace. An event that starts before the run, and so by
 * another clock, begins with the run and is marked as synthetic, without a measured start. */
static void place_by_measured_starts(etr_placer *p, const etr_block *block, uint64_t run_start,
                                     uint64_t run_start_ns) {
  for (size_t i = 0; i < p->spans.count; i++) {
    etr_span *span = &p->spans.data[i];
    bool is_before_run = span->recorded_start < run_start;
    uint64_t since_start = is_before_run ? 0 : span->recorded_start - run_start;
    span->start = etr_add_up_to_most(run_start_ns, nanoseconds(p, since_start));
    span->end = etr_add_up_to_most(run_start_ns,
                                   nanoseconds(p, etr_add_up_to_most(since_start, span->ticks)));
    span->is_synthetic = is_before_run || block->events[span->event].has_no_place;
  }
}

/* Orders spans by start, then the longest first because it contains the others, then the last of
 * the dump first: a dump is sorted by ends, so there the outer event follows the inner one. */
static int by_start(const void *a, const void *b) {
  const etr_span *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return (x->event < y->event) - (x->event > y->event);
}

/* ---- Tracks ---- */

/* An index that finds the number of a track. */
typedef struct track_index {
  etr_tracks *tracks;
  etr_arena *arena;
  uint32_t unnamed[2]; /* numbers of the tracks without a backend: outside delegates and inside */
  etr_map by_backend;  /* name of the backend -> number */
} track_index;

/* Returns an empty index of the tracks in a list: of each backend, of delegates without a name, and
 * of what is outside delegates. */
static track_index begin_track_index(etr_tracks *tracks, etr_arena *arena) {
  track_index index = {.tracks = tracks, .arena = arena, .unnamed = {ETR_NONE, ETR_NONE}};
  etr_map_init(&index.by_backend, arena);
  return index;
}

/* Returns the number of the track for a backend, or for what is not in a delegate; it is added if
 * it is new. Returns ETR_NONE when out of memory. */
static uint32_t number_track(track_index *index, bool in_delegate, const char *backend) {
  uint32_t *number = &index->unnamed[in_delegate];
  if (in_delegate && backend != NULL) {
    etr_map_slot *slot = etr_map_at(&index->by_backend, etr_slice_of(backend));
    number = slot != NULL ? &slot->value : NULL;
  }
  if (number == NULL || *number != ETR_NONE)
    return number != NULL ? *number : ETR_NONE;
  etr_track *added = etr_vec_push(index->arena, index->tracks);
  if (added == NULL)
    return ETR_NONE;
  *added = (etr_track){.in_delegate = in_delegate, .backend = in_delegate ? backend : NULL};
  *number = (uint32_t)index->tracks->count - 1;
  return *number;
}

/* ---- Lanes ---- */

/* The events that are open in a lane, innermost last. */
typedef struct lane {
  etr_vec(uint64_t) ends;
} lane;

/* Sets the lane of each span of one track, in which viewers draw it: the first one in which it
 * overlaps no other span, unless it is inside it. ETR_NONE if none of the lanes has room. by_start:
 * indices of the spans, sorted by start. */
static void assign_lanes(etr_placer *p, uint32_t *by_start, size_t count) {
  lane lanes[ETR_TRACE_LANES] = {0};
  for (size_t i = 0; i < count; i++) {
    etr_span *span = &p->spans.data[by_start[i]];
    size_t open_count = 0;
    for (span->lane = 0; span->lane < ETR_TRACE_LANES;
         span->lane++) { /* the first lane that the span fits into */
      const lane *lane_tried = &lanes[span->lane];
      open_count = lane_tried->ends.count;
      while (open_count > 0 && lane_tried->ends.data[open_count - 1] <= span->start)
        open_count--;
      if (open_count == 0 || lane_tried->ends.data[open_count - 1] >= span->end)
        break;
    }
    if (span->lane == ETR_TRACE_LANES) {
      span->lane = ETR_NONE;
      continue;
    }
    lanes[span->lane].ends.count = open_count;
    uint64_t *end = etr_vec_push(&p->scratch, &lanes[span->lane].ends);
    if (end != NULL)
      *end = span->end;
  }
}

typedef struct tracked {
  uint32_t track; /* twice its number, plus 1 if starts are synthetic */
  uint32_t span;
} tracked;

/* Orders spans by track, and keeps their order within a track. */
static int by_track(const void *a, const void *b) {
  const tracked *x = a, *y = b;
  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  return (x->span > y->span) - (x->span < y->span);
}

/* Assigns lanes to the spans of each track by itself. Synthetic spans of a delegate are a track of
 * their own, since their starts say nothing about overlaps. */
static void assign_lanes_by_track(etr_placer *p, const etr_block *block) {
  tracked *tracked_spans = etr_arena_alloc_array(&p->scratch, p->spans.count,
                                                 sizeof *tracked_spans);
  uint32_t *by_start = etr_arena_alloc_array(&p->scratch, p->spans.count, sizeof *by_start);
  etr_tracks tracks = {0};
  track_index index = begin_track_index(&tracks, &p->scratch);
  if (tracked_spans == NULL || by_start == NULL)
    return;
  for (size_t i = 0; i < p->spans.count; i++) {
    const etr_span *span = &p->spans.data[i];
    uint32_t track = number_track(&index, span->in_delegate, block->events[span->event].backend);
    tracked_spans[i] = (tracked){2 * track + (span->in_delegate && span->is_synthetic),
                                 (uint32_t)i};
  }
  etr_sort(tracked_spans, p->spans.count, sizeof *tracked_spans, by_track);
  for (size_t i = 0; i < p->spans.count; i++)
    by_start[i] = tracked_spans[i].span;
  for (size_t first = 0, end; first < p->spans.count; first = end) {
    for (end = first;
         end < p->spans.count && tracked_spans[end].track == tracked_spans[first].track;)
      end++;
    assign_lanes(p, by_start + first, end - first);
  }
}

bool etr_place_levels(etr_placer *p, uint32_t run, etr_tracks *tracks, etr_arena *arena) {
  const etr_block *block = &p->profile->blocks[p->profile->runs[run].block];
  track_index index = begin_track_index(tracks, arena);
  *tracks = (etr_tracks){0};
  bool has_own_track = false; /* a track outside delegates, which comes first */
  for (size_t i = 0; i < p->spans.count; i++)
    has_own_track |= !p->spans.data[i].in_delegate;
  /* false, NULL: outside delegates, and so without a backend. */
  if (has_own_track && number_track(&index, false, NULL) == ETR_NONE)
    return false;
  for (size_t i = 0; i < p->spans.count; i++) {
    etr_span *span = &p->spans.data[i];
    span->track = number_track(&index, span->in_delegate, block->events[span->event].backend);
    if (span->track == ETR_NONE)
      return false;
    etr_track *track = &tracks->data[span->track];
    /* The level is below all spans that have not ended. A synthetic span without duration is next
     * to a span that begins at the same time, not inside it. */
    bool is_point = span->is_synthetic && span->end == span->start;
    while (track->ends.count > 0 && track->ends.data[track->ends.count - 1] <= span->start)
      track->ends.count--;
    span->level = is_point ? 0 : (uint32_t)track->ends.count;
    uint64_t *end = is_point ? NULL : etr_vec_push(arena, &track->ends);
    if (end != NULL)
      *end = span->end;
    track->levels = ETR_MAX(track->levels, span->level + 1);
  }
  return !etr_arena_failed(arena);
}

/* ---- The public functions ---- */

bool etr_place_run(etr_placer *p, uint32_t run) {
  const etr_run *recorded_run = &p->profile->runs[run];
  const etr_block *block = &p->profile->blocks[recorded_run->block];
  list_spans(p, run);
  if (p->spans.count == 0 || etr_arena_failed(p->arena))
    return true;
  etr_arena_init(&p->scratch);
  unwrap_within_run(p);
  uint64_t start = find_run_start(p);
  uint64_t measured = start_in_trace(p, recorded_run->dump, start);
  uint64_t *next_free_ns = &p->next_free_ns[etr_placer_process(p, run)];
  place_by_measured_starts(p, block, start, ETR_MAX(measured, *next_free_ns));
  place_delegates(p, block);
  etr_sort(p->spans.data, p->spans.count, sizeof *p->spans.data, by_start);
  assign_lanes_by_track(p, block);
  p->failed |= etr_arena_failed(&p->scratch);
  etr_arena_clear(&p->scratch);
  bool in_place = measured >= *next_free_ns;
  for (size_t i = 0; i < p->spans.count; i++)
    *next_free_ns = ETR_MAX(*next_free_ns, p->spans.data[i].end);
  return in_place;
}
