/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_time_slices.c - the time slices of records add up to the times of methods, runs and nodes,
 * to the tick, for any times in the dump.
 */
#include "inputs/dump.h"

#include "base/method_parts.h"
#include "fixture.h"
#include "tiny_flatbuf.h"
#include "views/balance.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t sum_of_part(const etr_method *m, etr_time_part part) {
  uint64_t sum = 0;
  for (size_t i = 0; i < m->time_slice_count; i++)
    sum += m->time_slices[i].part == part ? m->time_slices[i].ticks : 0;
  return sum;
}

static void expect_balance(const char *fixture, const etr_method *m) {
  uint64_t execute = 0;
  for (size_t i = 0; i < m->run_count; i++)
    execute += m->execute_per_run[i];
  cr_expect_eq(execute, m->execute_ticks, "%s: runs", fixture);
  uint64_t parts = 0;
  double typical = 0;
  for (size_t i = 0; i < m->part_count; i++) {
    parts += m->parts[i].ticks;
    typical += m->parts[i].typical;
    cr_expect_geq(m->parts[i].typical, 0, "%s: part %zu", fixture, i);
  }
  cr_expect_eq(parts, execute, "%s: parts", fixture);
  cr_expect_float_eq(typical, m->execute.typical, 1e-9 * typical, "%s: typical", fixture);
  cr_expect_leq(m->estimated_ticks, etr_broad_part_ticks(m, ETR_BROAD_NODES), "%s: estimated",
                fixture);
  for (uint32_t run = 0; run < m->run_count; run++) {
    uint64_t left = m->execute_per_run[run];
    for (size_t i = 0; i < etr_slice_count(m); i++) {
      if (m->time_slices[i].run != run)
        continue;
      cr_assert_leq(m->time_slices[i].ticks, left, "%s: run %u", fixture, (unsigned)run);
      left -= m->time_slices[i].ticks;
    }
    cr_expect_eq(left, 0, "%s: run %u", fixture, (unsigned)run);
  }
}

static void expect_order(const etr_method *m) {
  for (size_t i = 1; i < m->time_slice_count; i++) {
    const etr_time_slice *before = &m->time_slices[i - 1], *p = &m->time_slices[i];
    cr_expect(before->node < p->node ||
                  (before->node == p->node && (p->node == ETR_NONE || before->run <= p->run)),
              "slice %zu", i);
  }
}

static void expect_sums(const char *fixture, const etr_profile *profile, const etr_method *m) {
  for (etr_time_part part = 0; part < ETR_TIME_PARTS; part++)
    cr_expect(part == ETR_TIME_RUNTIME || sum_of_part(m, part) == etr_method_part_ticks(m, part),
              "%s: %s", fixture, etr_time_part_name(part));
  cr_expect_leq(m->clock_hidden_ticks, etr_method_part_ticks(m, ETR_TIME_CALL_OVERHEAD),
                "%s: hidden by clocks", fixture);
  size_t at = 0;
  for (uint32_t node = 0; m->graph != ETR_NONE && node < profile->graphs[m->graph].node_count;
       node++) {
    uint64_t sum = 0;
    for (; at < m->time_slice_count && m->time_slices[at].node == node; at++) {
      cr_expect_lt(m->time_slices[at].run, m->run_count);
      cr_expect_not_null(m->time_slices[at].event);
      sum += m->time_slices[at].ticks;
    }
    cr_expect_eq(sum, profile->graphs[m->graph].times[node].total_ticks, "%s: node %u", fixture,
                 (unsigned)node);
  }
  for (; at < m->time_slice_count; at++)
    cr_expect_eq(m->time_slices[at].node, ETR_NONE);
}

Test(time_slices, time_slices_add_up_to_the_method) {
  static const char *const fixtures[] = {"add_mul",
                                         "control_flow",
                                         "control_flow_map",
                                         "cpp_rich",
                                         "extra_modules",
                                         "multi_method",
                                         "mv2_xnnpack",
                                         "quantized_xnnpack",
                                         "llama_xnnpack",
                                         "lowered_in_record",
                                         "masked_attention",
                                         "p_gates",
                                         "constant_method",
                                         "twin_methods",
                                         "lstm_xnnpack",
                                         "hostile/too_long_once",
                                         "hostile/too_long_each_run",
                                         "hostile/ends_before_start"};
  for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
    etr_profile *profile = open_fixture(fixtures[i]);
    size_t time_slices = 0;
    for (size_t k = 0; k < profile->method_count; k++) {
      expect_balance(fixtures[i], &profile->methods[k]);
      expect_order(&profile->methods[k]);
      expect_sums(fixtures[i], profile, &profile->methods[k]);
      time_slices += profile->methods[k].time_slice_count;
    }
    cr_expect_gt(time_slices, 0, "%s", fixtures[i]);
    etr_profile_close(profile);
  }
}

/* ---- Several dumps, each with the maximum number of ticks
 * ------------------------------------------------------------------------- */

enum { MOST_DUMPS = 2048 }; /* UINT64_MAX / ETR_DUMP_MOST_TICKS + 1 */

/* Writes an ETDump of one event. Dumps that start at different times are different recordings. */
static void write_long_dump(const char *path, uint64_t start) {
  uint8_t bytes[512] = {0};
  tiny_fb fb = {bytes, sizeof bytes, 0};
  tiny_start(&fb, "ED00");
  uint32_t dump = tiny_table(&fb, (uint16_t[]){0, 4}, 2, 8), runs = tiny_vector(&fb, 1, 4);
  uint32_t run = tiny_table(&fb, (uint16_t[]){0, 0, 0, 4}, 4, 8), events = tiny_vector(&fb, 1, 4);
  uint32_t event = tiny_table(&fb, (uint16_t[]){4}, 1, 8);
  uint32_t profile = tiny_table(&fb, (uint16_t[]){4, 0, 0, 0, 0, 0, 16, 8}, 8, 24),
           name = tiny_string(&fb, "Method::execute");
  tiny_point(&fb, 0, dump);
  tiny_point(&fb, dump + 4, runs);
  tiny_point(&fb, runs + 4, run);
  tiny_point(&fb, run + 4, events);
  tiny_point(&fb, events + 4, event);
  tiny_point(&fb, event + 4, profile);
  tiny_point(&fb, profile + 4, name);
  tiny_set(&fb, profile + 8, 8, start + ETR_DUMP_MOST_TICKS);
  tiny_set(&fb, profile + 16, 8, start);
  FILE *file = fopen(path, "wb");
  cr_assert(file && fwrite(bytes, 1, fb.size, file) == fb.size && fclose(file) == 0);
}

Test(time_slices, no_sum_over_dumps_wraps) {
  char folder[] = "/tmp/test_time_slices.XXXXXX";
  static char paths[MOST_DUMPS][64];
  const char *dumps[MOST_DUMPS];
  etr_profile *profile;
  etr_error error;
  cr_assert_not_null(mkdtemp(folder));
  for (size_t i = 0; i < MOST_DUMPS; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/%zu.etdp", folder, i);
    write_long_dump(paths[i], i + 1);
    dumps[i] = paths[i];
  }
  etr_inputs inputs = {.etdumps = dumps, .etdump_count = MOST_DUMPS};
  cr_expect_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_ERROR_FORMAT);
  cr_expect(strstr(error.message, "too many ticks to count") &&
                strcmp(error.file, dumps[MOST_DUMPS - 1]) == 0,
            "%s: %s", error.file, error.message);
  inputs.etdump_count = MOST_DUMPS - 1;
  cr_expect_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK, "%s", error.message);
  uint64_t ticks = 0;
  for (size_t i = 0; i < profile->run_count; i++)
    ticks += profile->runs[i].execute_ticks;
  cr_expect_eq(ticks, (MOST_DUMPS - 1) * ETR_DUMP_MOST_TICKS);
  etr_profile_close(profile);
  for (size_t i = 0; i < MOST_DUMPS; i++)
    remove(paths[i]);
  rmdir(folder);
}
