/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_facts.c - writes what a bench keeps of a method for the curves over benches.
 */
#include "base/json_writer.h"
#include "tensorboard/tb_curves.h"
#include "views/breakdown.h"
#include "views/loads.h"

enum { MOST_OP_TYPES = 30 };

static double millis(const etr_profile *profile, double ticks) {
  return etr_ticks_to_unit(profile, ticks, ETR_UNIT_MS);
}

static void put_number(etr_jw *json, const char *key, double number) {
  etr_jw_key(json, key);
  etr_jw_double(json, number);
}

static bool put_counts(etr_jw *json, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method) {
  double *values = etr_arena_alloc_array(arena, method->run_count, sizeof *values);
  etr_tb_spread spread;
  if (!values)
    return false;
  for (size_t i = 0; i < method->run_count; i++)
    values[i] = millis(profile, (double)method->execute_per_run[i]);
  etr_tb_spread_of(&spread, values, method->run_count, etr_tb_clock_tick(profile, method));
  etr_jw_key(json, "counts");
  etr_jw_array(json);
  for (size_t i = 0; i < spread.buckets; i++)
    etr_jw_uint(json, (uint64_t)spread.counts[i]);
  etr_jw_end(json);
  return true;
}

static bool put_op_types(etr_jw *json, etr_arena *arena, const etr_profile *profile,
                         const etr_method *method) {
  etr_breakdown rows;
  if (!etr_breakdown_make(&rows, arena, profile, method, ETR_BY_OP, NULL))
    return false;
  etr_jw_key(json, "op_types");
  etr_jw_object(json);
  for (size_t i = 0; i < ETR_MIN(rows.count, (size_t)MOST_OP_TYPES) && rows.rows[i].total_ticks > 0;
       i++)
    put_number(json, rows.rows[i].key,
               millis(profile, (double)rows.rows[i].total_ticks) / (double)method->run_count);
  etr_jw_end(json);
  return true;
}

etr_status etr_emit_bench_facts(const etr_profile *profile, uint32_t index, const etr_sink *sink,
                                etr_error *error) {
  const etr_method *method = &profile->methods[index];
  etr_arena arena = {0};
  etr_writer writer;
  etr_loads loads;
  etr_jw json;
  etr_error_clear(error);
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer, ETR_JW_DOCUMENT);
  etr_jw_object(&json);
  put_number(&json, "p10", millis(profile, method->execute.p10));
  put_number(&json, "p90", millis(profile, method->execute.p90));
  if (etr_loads_make(&loads, &arena, profile) && loads.whole)
    put_number(&json, "load_ms", millis(profile, loads.whole->stats.p50));
  if (!put_counts(&json, &arena, profile, method) || !put_op_types(&json, &arena, profile, method))
    etr_arena_fail(&arena);
  etr_jw_end(&json);
  return etr_writer_finish_with(&writer, &arena, error);
}
