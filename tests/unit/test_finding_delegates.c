/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Findings about delegate calls, on handmade profiles.
 */
#include "views/findings.h"

#include "tiny_profile.h"

#include <criterion/criterion.h>

/* Ticks of the two runs of a tiny profile. */
enum { EXECUTE = 5000000 };

/* Time of delegates and of the runtime, which findings about them are a part of. */
static const etr_part_time parts[] = {
    {.part = ETR_TIME_CALL_OVERHEAD, .backend = "SomeBackend", .ticks = EXECUTE},
    {.part = ETR_TIME_RUNTIME, .ticks = EXECUTE},
};

/* The times of a delegate in each of two runs, in ticks. */
typedef struct spent {
  uint64_t work, copy, wait, around;
} spent;

enum { MOST_CALLS = 10 };

/* Makes a profile of delegates that have a call and one operator with a node each. */
typedef struct calls {
  tiny tiny;
  etr_delegate delegates[MOST_CALLS];
  etr_event events[2 * MOST_CALLS];
  etr_time_slice time_slices[8 * MOST_CALLS];
  size_t time_slice_count;
  etr_block block;
} calls;

static void add_time_slice(calls *c, etr_time_slice time_slice) {
  if (time_slice.ticks == 0)
    return;
  for (time_slice.run = 0; time_slice.run < 2; time_slice.run++)
    c->time_slices[c->time_slice_count++] = time_slice;
}

/* Makes an event that takes equally long in two runs. */
static etr_event event_of(const char *delegate_id, int32_t instruction) {
  static const uint64_t ticks[] = {1000, 1000};
  static const uint32_t runs[] = {0, 1};
  return (etr_event){.name = delegate_id ? delegate_id : "DELEGATE_CALL",
                     .label = delegate_id ? delegate_id : "DELEGATE_CALL",
                     .kind = delegate_id ? ETR_EVENT_DELEGATE_OPERATOR : ETR_EVENT_DELEGATE_CALL,
                     .role = delegate_id ? ETR_ROLE_OPERATOR : ETR_ROLE_CONTAINER,
                     .is_in_sums = delegate_id != NULL,
                     .instruction_id = instruction,
                     .delegate_id = delegate_id,
                     .backend = "SomeBackend",
                     .match = ETR_MATCH_DELEGATE,
                     .durations = ticks,
                     .starts = ticks,
                     .sample_runs = runs,
                     .sample_count = 2,
                     .stats = {.count = 2, .typical = 1000, .p50 = 1000}};
}

/* Returns the finding of a kind, or NULL. */
static const etr_finding *find(calls *c, etr_finding_kind kind) {
  etr_findings found;
  const etr_finding *result = NULL;
  cr_assert(etr_findings_make(&found, &c->tiny.arena, &c->tiny.profile, &c->tiny.profile.methods[0],
                              ETR_UNIT_MS));
  for (size_t i = 0; i < found.count; i++)
    if (found.list[i].kind == kind)
      result = &found.list[i];
  return result;
}

static void set_totals(calls *c) {
  static const uint32_t blocks[] = {0};
  etr_method *method = &c->tiny.method;
  tiny_profile(&c->tiny);
  method->execute_ticks = EXECUTE;
  method->execute = (etr_stats){.count = 2,
                                .avg = EXECUTE / 2,
                                .min = 2000000,
                                .max = 3000000,
                                .p50 = 2500000,
                                .typical = 2500000};
  method->parts = parts;
  method->part_count = ETR_COUNT(parts);
  method->blocks = blocks;
  method->block_count = 1;
}

static const etr_finding *find_of_calls(calls *c, const spent *each, size_t count,
                                        etr_finding_kind kind) {
  uint32_t node = tiny_node(&c->tiny, ETR_NODE_OP, "linear", "aten.linear.default", 0);
  tiny_time(&c->tiny, node, 1000);
  for (size_t i = 0; i < count; i++) {
    etr_event *call = &c->events[2 * i], *operator_ = &c->events[2 * i + 1];
    int32_t instruction = 3 * (int32_t)i;
    *call = event_of(NULL, instruction);
    *operator_ = event_of("op", instruction);
    c->delegates[i] = (etr_delegate){.instruction_id = instruction, .backend = "SomeBackend"};
    add_time_slice(
        c, (etr_time_slice){
               .ticks = each->work, .event = operator_, .node = node, .part = ETR_TIME_OPERATORS});
    etr_time_slice own = {.event = call, .node = ETR_NONE, .part = ETR_TIME_CALL_OVERHEAD};
    own.phase = ETR_PHASE_COPY_IN;
    own.ticks = each->copy;
    add_time_slice(c, own);
    own.phase = ETR_PHASE_WAIT;
    own.ticks = each->wait;
    add_time_slice(c, own);
    own.phase = ETR_PHASE_OTHER;
    own.ticks = each->around;
    add_time_slice(c, own);
  }
  c->block = (etr_block){.name = "Execute",
                         .run_count = 2,
                         .method = 0,
                         .events = c->events,
                         .event_count = 2 * count};
  set_totals(c);
  c->tiny.method.time_slices = c->time_slices;
  c->tiny.method.time_slice_count = c->time_slice_count;
  c->tiny.method.delegates = c->delegates;
  c->tiny.method.delegate_count = count;
  c->tiny.profile.blocks = &c->block;
  c->tiny.profile.block_count = 1;
  return find(c, kind);
}

Test(finding_delegates, delegates_that_wait_are_found) {
  static const struct {
    spent each;
    size_t count;
    const char *title, *evidence; /* NULL: not found */
  } cases[] = {
      {{100000, 0, 150000, 0},
       2,
       "Shorten the waiting of 2 delegates of Some",
       "Of 0.500 ms in their calls, 0.300 ms are waiting."},
      {{100000, 150000, 0, 0},
       1,
       "Copy less into and out of delegate 0 of Some",
       "Of 0.250 ms in its call, 0.150 ms are copying in and out."},
      {{100000, 60000, 60000, 0},
       1,
       "Wait and copy less in delegate 0 of Some",
       "Of 0.220 ms in its call, 0.0600 ms are waiting and 0.0600 ms are copying in and out."},
      {{300000, 0, 30000, 0}, 1, NULL, NULL},  /* less than a tenth of the call */
      {{100000, 0, 0, 900000}, 1, NULL, NULL}, /* the phase is unknown */
      {{0, 0, 150000, 0}, 1, NULL, NULL},      /* the computing time is unknown */
      {{1000, 0, 15000, 0}, 1, NULL, NULL},    /* less than 1 % */
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    calls c = {0};
    const etr_finding *finding = find_of_calls(&c, &cases[i].each, cases[i].count,
                                               ETR_FINDING_WAITING);
    cr_expect_eq(finding != NULL, cases[i].title != NULL, "case %zu", i);
    if (finding && cases[i].title)
      cr_expect_str_eq(finding->title, cases[i].title);
    if (finding && cases[i].title)
      cr_expect_str_eq(finding->evidence, cases[i].evidence);
    if (finding)
      cr_expect_eq(finding->instruction_count, cases[i].count);
    tiny_clear(&c.tiny);
  }
}

Test(finding_delegates, many_small_calls_are_found) {
  static const struct {
    spent each;
    size_t count;
    bool found;
  } cases[] = {
      {{10000, 0, 0, 20000}, 8, true},
      {{10000, 5000, 5000, 10000}, 8, true},
      {{10000, 0, 0, 20000}, 7, false}, /* few */
      {{20000, 0, 0, 10000}, 8, false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    calls c = {0};
    const etr_finding *finding = find_of_calls(&c, &cases[i].each, cases[i].count,
                                               ETR_FINDING_SMALL_CALLS);
    cr_expect_eq(finding != NULL, cases[i].found, "case %zu", i);
    if (finding)
      cr_expect_float_eq(finding->cost, 160000, 1e-9);
    if (finding)
      cr_expect_str_eq(finding->title, "Put more operators into 8 Some calls");
    if (finding)
      cr_expect(
          strstr(finding->evidence, "0.160 ms (0.0200 ms per call), their operators 0.0800 ms"));
    tiny_clear(&c.tiny);
  }
}

Test(finding_delegates, operators_on_the_cpu_are_found) {
  static const struct {
    etr_compute_unit units[2]; /* of two operators */
    bool is_planned;
    const char *title; /* NULL: not found */
  } cases[] = {
      {{ETR_COMPUTE_UNIT_CPU, ETR_COMPUTE_UNIT_NPU},
       false,
       "Rewrite 1 operator of Some: it runs on the CPU, not the NPU"},
      {{ETR_COMPUTE_UNIT_CPU, ETR_COMPUTE_UNIT_GPU},
       true,
       "Rewrite 1 operator of Some: it is planned for the CPU, not the GPU"},
      {{ETR_COMPUTE_UNIT_CPU, ETR_COMPUTE_UNIT_CPU},
       false,
       NULL}, /* the backend is meant for the CPU */
      {{ETR_COMPUTE_UNIT_CPU, ETR_COMPUTE_UNIT_NONE}, false, NULL},
      {{ETR_COMPUTE_UNIT_GPU, ETR_COMPUTE_UNIT_NPU}, false, NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    calls c = {0};
    const spent each = {.work = 100000};
    find_of_calls(&c, &each, 2, ETR_FINDING_CPU_FALLBACK);
    for (size_t k = 0; k < c.time_slice_count; k++)
      c.time_slices[k].compute_unit = cases[i].units[k / 2];
    for (size_t k = 0; k < 4; k++)
      c.events[k].is_unit_planned = cases[i].is_planned;
    const etr_finding *finding = find(&c, ETR_FINDING_CPU_FALLBACK);
    cr_expect_eq(finding != NULL, cases[i].title != NULL, "case %zu", i);
    if (finding && cases[i].title)
      cr_expect_str_eq(etr_arena_format(&c.tiny.arena, "%s: %s", finding->title, finding->fact),
                       cases[i].title);
    if (finding)
      cr_expect_float_eq(finding->cost, 100000, 1e-9);
    if (finding)
      cr_expect(finding->node_count == 1 && finding->nodes[0] == 0);
    tiny_clear(&c.tiny);
  }
}
