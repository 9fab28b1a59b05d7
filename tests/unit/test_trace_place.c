/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events on a time line: clocks that wrap, restart or differ, delegates that do not fit into their
 * calls, and lanes.
 */
#include "trace/trace_place.h"

#include <criterion/criterion.h>

enum { MOST = 40 };

/* One method in one dump; each run is a separate block of events with one sample. */
typedef struct timeline {
  etr_arena arena;
  etr_profile profile;
  etr_method method;
  etr_run runs[4];
  etr_block blocks[4];
  uint32_t run_numbers[4];
  etr_event events[MOST];
  uint64_t starts[MOST], durations[MOST];
  uint32_t sample_runs[MOST];
  size_t event_count;
  etr_placer placer;
} timeline;

static void add_run(timeline *t) {
  size_t run = t->profile.run_count++;
  t->run_numbers[run] = (uint32_t)run;
  t->runs[run] = (etr_run){.block = (uint32_t)run};
  t->blocks[run] = (etr_block){.name = "Execute",
                               .runs = &t->run_numbers[run],
                               .run_count = 1,
                               .events = &t->events[t->event_count]};
}

static void add_event(timeline *t, const char *name, int32_t instruction, etr_match match,
                      uint64_t start, uint64_t ticks) {
  size_t i = t->event_count++, run = t->profile.run_count - 1;
  t->starts[i] = start;
  t->durations[i] = ticks;
  t->sample_runs[i] = (uint32_t)run;
  t->events[i] = (etr_event){.name = name,
                             .instruction_id = instruction,
                             .match = match,
                             .starts = &t->starts[i],
                             .durations = &t->durations[i],
                             .sample_runs = &t->sample_runs[i],
                             .sample_count = 1};
  t->blocks[run].event_count++;
}

static void add_delegate_event(timeline *t, const char *backend, int32_t instruction,
                               uint64_t start, uint64_t ticks) {
  add_event(t, "op", instruction, ETR_MATCH_PAYLOAD, start, ticks);
  t->events[t->event_count - 1].delegate_id = "op";
  t->events[t->event_count - 1].backend = backend;
  t->events[t->event_count - 1].has_no_place = strcmp(backend, "XnnpackBackend") == 0;
  t->events[t->event_count - 1].is_in_sums = true;
}

static void add_execute(timeline *t, uint64_t start, uint64_t ticks) {
  add_event(t, "Method::execute", -1, ETR_MATCH_FRAMEWORK, start, ticks);
}
static void add_call(timeline *t, int32_t instruction, uint64_t start, uint64_t ticks) {
  add_event(t, "DELEGATE_CALL", instruction, ETR_MATCH_DELEGATE, start, ticks);
}

static void begin(timeline *t) {
  t->profile.ticks_per_second = 1e9;
  t->profile.runs = t->runs;
  t->profile.blocks = t->blocks;
  t->profile.block_count = t->profile.run_count;
  t->profile.methods = &t->method;
  t->profile.method_count = 1;
  t->profile.etdump_count = 1;
  etr_placer_init(&t->placer, &t->arena, &t->profile);
}

static const etr_span *span_of(const timeline *t, size_t event) {
  for (size_t i = 0; i < t->placer.spans.count; i++)
    if (t->placer.spans.data[i].event == event)
      return &t->placer.spans.data[i];
  cr_assert_fail("no event %zu", event);
  return NULL;
}

static void expect_span(const timeline *t, size_t event, uint64_t start, uint64_t end,
                        bool is_synthetic) {
  const etr_span *span = span_of(t, event);
  cr_expect(span->start == start && span->end == end,
            "event %zu: [%llu, %llu] instead of [%llu, %llu]", event,
            (unsigned long long)span->start, (unsigned long long)span->end,
            (unsigned long long)start, (unsigned long long)end);
  cr_expect_eq(span->is_synthetic, is_synthetic, "event %zu", event);
}

Test(trace_place, measured_events_keep_their_start) {
  timeline t = {0};
  add_run(&t);
  add_event(&t, "native_call_add.out", 0, ETR_MATCH_HANDLE, 1010, 20);
  add_event(&t, "OPERATOR_CALL", 0, ETR_MATCH_FRAMEWORK, 1010,
            20); /* equally long, and encloses it */
  add_execute(&t, 1000, 100);
  add_run(&t);
  add_execute(&t, 5000, 90);
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  expect_span(&t, 0, 10, 30, false);
  expect_span(&t, 2, 0, 100, false);
  cr_expect_eq(t.placer.spans.data[0].event, 2);
  cr_expect_eq(t.placer.spans.data[1].event, 1);
  cr_expect_eq(span_of(&t, 0)->lane, 0);
  cr_expect(etr_place_run(&t.placer, 1));
  expect_span(&t, 0, 4000, 4090, false);
  etr_arena_clear(&t.arena);
}

Test(trace_place, ticks_are_converted_without_breaking_nesting) {
  timeline t = {0};
  add_run(&t);
  add_event(&t, "native_call_add.out", 0, ETR_MATCH_HANDLE, 1, 2);
  add_execute(&t, 0, 3);
  begin(&t);
  t.profile.ticks_per_second = 3e9; /* a tick is a third of a nanosecond */
  cr_expect(etr_place_run(&t.placer, 0));
  expect_span(&t, 0, 0, 1, false);
  expect_span(&t, 1, 0, 1, false);
  etr_arena_clear(&t.arena);
}

Test(trace_place, nothing_begins_or_ends_with_an_event_without_duration) {
  timeline t = {0};
  add_run(&t);
  add_delegate_event(&t, "XnnpackBackend", 0, 1, 0);
  add_delegate_event(&t, "XnnpackBackend", 0, 2, 0);
  add_delegate_event(&t, "XnnpackBackend", 0, 3, 40);
  add_call(&t, 0, 100, 100);
  add_delegate_event(&t, "XnnpackBackend", 1, 1,
                     60); /* as long as their call: a little is cut off for the gap */
  add_delegate_event(&t, "XnnpackBackend", 1, 2, 0);
  add_delegate_event(&t, "XnnpackBackend", 1, 3, 40);
  add_call(&t, 1, 300, 100);
  add_execute(&t, 0, 1000);
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  expect_span(&t, 0, 101, 101, true);
  expect_span(&t, 1, 102, 102, true);
  expect_span(&t, 2, 103, 143, true);
  expect_span(&t, 4, 300, 359, true);
  expect_span(&t, 5, 360, 360, true);
  expect_span(&t, 6, 361, 400, true);
  cr_expect_eq(span_of(&t, 6)->scale, 0.98);
  etr_arena_clear(&t.arena);
}

Test(trace_place, events_of_delegates_are_placed_in_their_call) {
  timeline t = {0};
  add_run(&t);
  add_delegate_event(&t, "XnnpackBackend", 0, 120,
                     30); /* XNNPACK measures no starts: from the start of the call */
  add_call(&t, 0, 100, 100);
  add_delegate_event(&t, "OtherBackend", 1, 320, 30); /* inside */
  add_delegate_event(&t, "OtherBackend", 1, 7,
                     10); /* another clock: placed end to end, in the order of its starts */
  add_delegate_event(&t, "OtherBackend", 1, 5, 20);
  add_call(&t, 1, 300, 100);
  add_delegate_event(&t, "CycleBackend", 2, 90000, 3000); /* longer than the call */
  add_delegate_event(&t, "CycleBackend", 2, 93000, 1000);
  add_call(&t, 2, 500, 100);
  add_execute(&t, 0, 1000);
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  expect_span(&t, 0, 100, 130, true);
  expect_span(&t, 2, 320, 350, false);
  expect_span(&t, 4, 300, 320, true);
  expect_span(&t, 3, 320, 330, true);
  expect_span(&t, 6, 500, 575, true);
  expect_span(&t, 7, 575, 600, true);
  cr_expect_eq(span_of(&t, 6)->scale, 0.025);
  cr_expect_eq(span_of(&t, 6)->ticks, 3000, "what was recorded stays");
  cr_expect_eq(span_of(&t, 3)->scale, 1);
  etr_arena_clear(&t.arena);
}

static void set_counted(timeline *t, etr_event_unit unit, uint8_t wrapper, uint8_t inside) {
  etr_event *event = &t->events[t->event_count - 1];
  event->unit = unit;
  event->wrapper = wrapper;
  event->inside = inside;
  event->has_no_place = true;
  event->is_in_sums = false;
}

/* Totals and operators as an NPU's driver logs them: times of the call's parts, and cycles of the
 * operators. */
Test(trace_place, cycles_are_shares_of_the_wrapper_around_them) {
  static const struct {
    etr_event_unit unit;
    uint8_t wrapper, inside;
    uint64_t duration, start, end; /* end 0: it is not shown */
  } cases[] = {
      {ETR_EVENT_UNIT_TIME, 1, 0, 80, 100, 180},    {ETR_EVENT_UNIT_TIME, 2, 1, 40, 100, 140},
      {ETR_EVENT_UNIT_CYCLES, 2, 1, 400, 0, 0}, /* what the operators are parts of */
      {ETR_EVENT_UNIT_CYCLES, 0, 2, 100, 100, 110}, {ETR_EVENT_UNIT_CYCLES, 0, 2, 0, 111, 111},
      {ETR_EVENT_UNIT_CYCLES, 0, 2, 259, 112, 137}, {ETR_EVENT_UNIT_COUNT, 0, 0, 4, 0, 0},
  };
  timeline t = {0};
  add_run(&t);
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    add_delegate_event(&t, "CycleBackend", 0, 0, cases[i].duration);
    set_counted(&t, cases[i].unit, cases[i].wrapper, cases[i].inside);
  }
  add_call(&t, 0, 100, 100);
  add_delegate_event(&t, "CycleBackend", 1, 0,
                     100); /* operators without the total in cycles have no time */
  set_counted(&t, ETR_EVENT_UNIT_CYCLES, 0, 2);
  add_call(&t, 1, 300, 100);
  add_execute(&t, 0, 1000);
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  cr_expect_eq(t.placer.spans.count, 5 + 3);
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    if (cases[i].end > 0)
      expect_span(&t, i, cases[i].start, cases[i].end, true);
  cr_expect_eq(span_of(&t, 5)->ticks, 25, "a share is rounded down, as in the times of nodes");
  cr_expect_eq(span_of(&t, 5)->cycles, 259, "what was recorded stays");
  cr_expect_eq(span_of(&t, 5)->scale, 1);
  etr_arena_clear(&t.arena);
}

/* A submission whose times lie inside its call holds the dispatches that have no times. */
Test(trace_place, events_are_inside_a_wrapper_that_was_measured) {
  timeline t = {0};
  add_run(&t);
  add_delegate_event(&t, "OtherBackend", 0, 120, 60);
  t.events[0].wrapper = 1;
  add_delegate_event(&t, "OtherBackend", 0, 0, 30);
  t.events[1].inside = 1;
  t.events[1].has_no_place = true;
  add_call(&t, 0, 100, 100);
  add_execute(&t, 0, 1000);
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  expect_span(&t, 0, 120, 180, false);
  expect_span(&t, 1, 120, 150, true);
  etr_arena_clear(&t.arena);
}

Test(trace_place, an_event_in_a_call_without_time_has_no_length) {
  timeline t = {0};
  add_run(&t);
  add_delegate_event(&t, "XnnpackBackend", 0, 0, 1);
  add_call(&t, 0, 100, 0);
  add_execute(&t, 0, 1000);
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  expect_span(&t, 0, 100, 100, true);
  cr_expect_eq(span_of(&t, 0)->scale, 0);
  etr_arena_clear(&t.arena);
}

/* An instruction in a loop has separate events for each call. */
Test(trace_place, each_call_of_a_delegate_has_its_own_events) {
  timeline t = {0};
  static uint64_t call_starts[] = {100, 300}, call_ticks[] = {50, 50}, op_starts[] = {110, 310},
                  other_starts[] = {1, 2}, ticks[] = {7, 8};
  static uint32_t runs[] = {0, 0};
  add_run(&t);
  add_delegate_event(&t, "A", 0, 0, 0);
  add_delegate_event(&t, "A", 0, 0, 0);
  add_call(&t, 0, 0, 0);
  add_execute(&t, 0, 1000);
  const uint64_t *starts[] = {op_starts, other_starts, call_starts},
                 *lengths[] = {ticks, ticks, call_ticks};
  for (size_t i = 0; i < 3; i++) {
    t.events[i].starts = starts[i];
    t.events[i].durations = lengths[i];
    t.events[i].sample_runs = runs;
    t.events[i].sample_count = 2;
  }
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  cr_assert_eq(t.placer.spans.count, 7);
  static const uint64_t expected[][2] = {
      {110, 117}, {310, 318}, {100, 107}, {300, 308}}; /* the first operator, then the second */
  for (size_t i = 0; i < ETR_COUNT(expected); i++) {
    bool found = false;
    for (size_t k = 0; k < t.placer.spans.count; k++) {
      const etr_span *span = &t.placer.spans.data[k];
      found |= span->event == i / 2 && span->start == expected[i][0] && span->end == expected[i][1];
    }
    cr_expect(found, "no event %zu at %llu", i / 2, (unsigned long long)expected[i][0]);
  }
  etr_arena_clear(&t.arena);
}

Test(trace_place, a_counter_of_32_bits_wraps) {
  timeline t = {0};
  const uint64_t range = (uint64_t)1 << 32;
  add_run(&t);
  add_event(&t, "native_call_add.out", 0, ETR_MATCH_HANDLE, range - 60, 20);
  add_event(&t, "native_call_mul.out", 1, ETR_MATCH_HANDLE, 10, 20); /* after the counter wrapped */
  add_execute(&t, range - 100, 200);
  add_run(&t);
  add_execute(&t, 500, 100);
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  expect_span(&t, 0, 40, 60, false);
  expect_span(&t, 1, 110, 130, false);
  cr_expect(etr_place_run(&t.placer, 1));
  expect_span(&t, 0, 600, 700, false);
  etr_arena_clear(&t.arena);
}

/* Damage: a time that is 104 days off is put at the limit, in any run. */
Test(trace_place, impossible_times_are_put_at_the_limit) {
  enum { RUNS = 3 };
  static const uint64_t starts[RUNS][2] = {
      {(uint64_t)UINT32_MAX - 10, 5}, {5, 5}, {UINT64_MAX - 20, 50}};
  static const uint64_t wanted[RUNS] = {0, 16, 9000000000000000};
  timeline t = {0};
  for (size_t i = 0; i < RUNS; i++) {
    add_run(&t);
    add_execute(&t, starts[i][0], starts[i][1]);
  }
  begin(&t);
  for (uint32_t i = 0; i < RUNS; i++) {
    etr_place_run(&t.placer, i);
    const etr_span *span = span_of(&t, 0);
    cr_expect(span->start == wanted[i] && span->end == wanted[i] + starts[i][1], "run %u at %llu",
              i, (unsigned long long)span->start);
  }
  etr_arena_clear(&t.arena);
}

Test(trace_place, no_sum_of_times_wraps) {
  timeline t = {0};
  add_run(&t);
  add_event(&t, "native_call_add.out", 0, ETR_MATCH_HANDLE, UINT64_MAX - 5, 100);
  add_execute(&t, 0, 10);
  begin(&t);
  for (size_t i = 0; i < 3000; i++) {
    uint64_t before = t.placer.next_free_ns[0];
    t.placer.next_sample[0] = t.placer.next_sample[1] = 0;
    etr_place_run(&t.placer, 0);
    for (size_t k = 0; k < t.placer.spans.count; k++) {
      const etr_span *span = &t.placer.spans.data[k];
      cr_assert(before <= span->start && span->start <= span->end, "time %zu: from %llu", i,
                (unsigned long long)span->start);
    }
  }
  etr_arena_clear(&t.arena);
}

Test(trace_place, a_restarted_clock_continues_the_timeline) {
  timeline t = {0};
  add_run(&t);
  add_execute(&t, 1000, 100);
  add_run(&t);
  add_event(&t, "native_call_add.out", 0, ETR_MATCH_HANDLE, 15, 5);
  add_execute(&t, 10, 50);
  add_run(&t);
  add_execute(&t, 2000, 10);
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  cr_expect_not(etr_place_run(&t.placer, 1), "it was moved");
  expect_span(&t, 0, 105, 110, false);
  expect_span(&t, 1, 100, 150, false);
  cr_expect(etr_place_run(&t.placer, 2));
  expect_span(&t, 0, 1000, 1010, false);
  etr_arena_clear(&t.arena);
}

Test(trace_place, overlapping_events_have_lanes_of_their_own) {
  timeline t = {0};
  add_run(&t);
  for (uint64_t i = 0; i < ETR_TRACE_LANES + 2; i++)
    add_event(&t, "native_call_add.out", (int32_t)i, ETR_MATCH_HANDLE, i, 100 + i);
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  for (uint32_t i = 0; i < ETR_TRACE_LANES; i++)
    cr_expect_eq(span_of(&t, i)->lane, i);
  cr_expect_eq(span_of(&t, ETR_TRACE_LANES)->lane, ETR_NONE);
  etr_arena_clear(&t.arena);
}

/* Earlier runs may be skipped. */
Test(trace_place, a_later_run_starts_at_zero) {
  timeline t = {0};
  for (uint64_t run = 0; run < 3; run++) {
    add_run(&t);
    add_event(&t, "native_call_add.out", 0, ETR_MATCH_HANDLE, 1000 * run + 10, 5 + run);
    add_execute(&t, 1000 * run, 100);
  }
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 2));
  cr_assert_eq(t.placer.spans.count, 2);
  expect_span(&t, 0, 10, 17, false);
  etr_arena_clear(&t.arena);
}

Test(trace_place, one_run_of_a_block_can_be_placed) {
  static const uint32_t numbers[] = {0, 1, 2};
  static const uint64_t starts[] = {10, 1010, 1050, 2010}, durations[] = {1, 2, 3, 4};
  static const uint32_t sample_runs[] = {0, 1, 1, 2};
  timeline t = {0};
  for (int run = 0; run < 3; run++)
    add_run(&t);
  t.runs[1].block = t.runs[2].block = 0;
  t.blocks[0] = (etr_block){.runs = numbers, .run_count = 3, .events = t.events, .event_count = 1};
  t.events[0] = (etr_event){.name = "a",
                            .instruction_id = 0,
                            .starts = starts,
                            .durations = durations,
                            .sample_runs = sample_runs,
                            .sample_count = 4};
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 1));
  cr_assert_eq(t.placer.spans.count, 2);
  cr_expect(t.placer.spans.data[0].ticks == 2 && t.placer.spans.data[1].ticks == 3 &&
            t.placer.spans.data[1].start == 40);
  etr_arena_clear(&t.arena);
}

Test(trace_place, nested_events_have_levels) {
  static const struct {
    const char *backend; /* NULL: of no delegate */
    uint64_t start, ticks;
    uint32_t track, level;
  } events[] = {
      {NULL, 0, 1000, 0, 0},
      {NULL, 0, 0, 0, 1},
      {NULL, 10, 50, 0, 1},
      {NULL, 10, 20, 0, 2},
      {NULL, 30, 5, 0, 2}, /* inside, behind */
      {NULL, 40, 40, 0, 2},
      {NULL, 70, 5, 0, 3}, /* across an end */
      {"XnnpackBackend", 100, 0, 1, 0},
      {"XnnpackBackend", 100, 9, 1, 0},
      {"XnnpackBackend", 109, 1, 1, 0}, /* end to end */
      {"Other", 115, 50, 2, 0},
      {"Other", 120, 20, 2, 1},
  };
  timeline t = {0};
  etr_tracks tracks;
  add_run(&t);
  for (int32_t i = 0; i < (int32_t)ETR_COUNT(events); i++) {
    if (events[i].backend)
      add_delegate_event(&t, events[i].backend, 100 + i, events[i].start, events[i].ticks);
    else
      add_event(&t, "a", i, ETR_MATCH_HANDLE, events[i].start, events[i].ticks);
  }
  begin(&t);
  cr_expect(etr_place_run(&t.placer, 0));
  cr_assert(etr_place_levels(&t.placer, 0, &tracks, &t.arena));
  cr_assert_eq(tracks.count, 3);
  for (size_t i = 0; i < ETR_COUNT(events); i++) {
    const etr_span *span = span_of(&t, i);
    cr_expect(span->track == events[i].track && span->level == events[i].level,
              "event %zu: track %u, level %u", i, (unsigned)span->track, (unsigned)span->level);
  }
  cr_expect(!tracks.data[0].in_delegate && tracks.data[0].levels == 4);
  cr_expect(tracks.data[1].in_delegate && tracks.data[1].levels == 1 &&
            strcmp(tracks.data[1].backend, "XnnpackBackend") == 0);
  cr_expect(tracks.data[2].in_delegate && tracks.data[2].levels == 2);
  etr_arena_clear(&t.arena);
}

Test(trace_place, absurd_numbers_do_not_overflow) {
  timeline t = {0};
  add_run(&t);
  add_event(&t, "a", 0, ETR_MATCH_HANDLE, UINT64_MAX, UINT64_MAX);
  add_delegate_event(&t, "A", 1, UINT64_MAX, UINT64_MAX);
  add_call(&t, 1, UINT64_MAX - 5, UINT64_MAX);
  add_execute(&t, 0, UINT64_MAX);
  add_run(&t);
  add_delegate_event(&t, "A", 1, 0, 0); /* a delegate without a call */
  add_run(&t);
  begin(&t);
  for (uint32_t run = 0; run < 3; run++) {
    (void)etr_place_run(&t.placer, run);
    for (size_t i = 0; i < t.placer.spans.count; i++) {
      const etr_span *span = &t.placer.spans.data[i];
      cr_expect(span->start <= span->end && span->end < (uint64_t)1 << 60, "run %u", run);
    }
  }
  etr_arena_clear(&t.arena);
}
