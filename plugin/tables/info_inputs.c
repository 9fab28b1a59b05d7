/* SPDX-License-Identifier: BSD-3-Clause
 *
 * info_inputs.c - counts of what was logged, and of what lies around a program.
 */
#include "tables/info_inputs.h"

#include <inttypes.h>

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* ---- Logged values ---- */

etr_value_counts etr_value_counts_of(const etr_profile *profile) {
  etr_value_counts c = {0};
  for (size_t i = 0; i < profile->debug_value_count; i++) {
    const etr_debug_value *value = &profile->debug_values[i];
    c.tensors += value->kind == ETR_DEBUG_TENSOR;
    c.scalars += value->kind != ETR_DEBUG_TENSOR;
    c.outputs += value->is_output;
    c.read += value->stats != NULL;
    c.with_nan += value->stats && value->stats->nan_count > 0;
    c.with_inf += value->stats && value->stats->inf_count > 0;
    c.runs += i == 0 || value->run != value[-1].run;
  }
  return c;
}

static const etr_field logged_counts[] = {
    {"tensors", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_value_counts, tensors)},
    {"scalars", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_value_counts, scalars)},
    {"run_outputs", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_value_counts, outputs)},
    {"tensors_read", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_value_counts, read)},
    {"tensors_with_nan", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_value_counts, with_nan)},
    {"tensors_with_inf", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_value_counts, with_inf)},
};
ETR_ROW_TYPE(logged_count, logged_counts);

const char *etr_info_logged(etr_arena *arena, const etr_profile *profile) {
  const etr_value_counts c = etr_value_counts_of(profile);
  const char *numbers = "";
  if (profile->debug_value_count == 0) return NULL;
  if (c.read != c.tensors && profile->debug_buffer)
    numbers = etr_arena_format(arena, "; %zu of the tensors can be read", c.read);
  else if (c.read != c.tensors)
    numbers = "; without a debug buffer, tensor values are unknown";
  return etr_arena_format(arena, "%zu tensors, %zu scalars in %zu run%s%s", c.tensors, c.scalars, c.runs,
                          plural(c.runs), numbers ? numbers : "");
}

/* ---- Around a program ---- */

enum { EVERYWHERE = ETR_IN_TABLES | ETR_IN_JSON };

static const etr_field test_sets[] = {
    {"method", "method", ETR_CELL_NAME, EVERYWHERE, ETR_AT(etr_test_set, method)},
    {"count", "tests", ETR_CELL_COUNT, EVERYWHERE, ETR_AT(etr_test_set, count)},
};
ETR_ROW_TYPE(test_set, test_sets);

static const etr_field weights[] = {
    {"path", "file", ETR_CELL_NAME, EVERYWHERE, ETR_AT(etr_weights, path)},
    {"tensors", "tensors", ETR_CELL_COUNT, EVERYWHERE, ETR_AT(etr_weights, tensor_count)},
    {"blobs", "blobs", ETR_CELL_COUNT, EVERYWHERE, ETR_AT(etr_weights, blob_count),
     .says = "data of delegates, which only their backends can read"},
    {"bytes", "bytes", ETR_CELL_COUNT, EVERYWHERE, ETR_AT(etr_weights, byte_count), .says = "of all data"},
};
ETR_ROW_TYPE(external_weight, weights);

const char *etr_info_tests(etr_arena *arena, const etr_test_set *set) {
  return etr_arena_format(arena, "has %zu test%s of %s", set->count, plural(set->count), set->method);
}

const char *etr_info_weights(etr_arena *arena, const etr_weights *w) {
  const char *blobs = "";
  if (w->blob_count) blobs = etr_arena_format(arena, ", %zu blob%s of delegates", w->blob_count, plural(w->blob_count));
  return etr_arena_format(arena, "external weights: %zu tensor%s%s, %" PRIu64 " byte%s", w->tensor_count,
                          plural(w->tensor_count), blobs ? blobs : "", w->byte_count, plural(w->byte_count));
}
