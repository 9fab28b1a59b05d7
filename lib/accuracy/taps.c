/* SPDX-License-Identifier: BSD-3-Clause
 *
 * taps.c - reads taps.json, and compares the statistics of taps with those of a reference.
 */
#include "accuracy/taps.h"

#include "base/file.h"
#include "formats/json.h"

#include <math.h>
#include <stdio.h>

enum { MOST_FILE_BYTES = 32 << 20, MOST_FIELDS = 256, MOST_TEXT_BYTES = 4096, MOST_DEPTH = 16 };

/* ---- Reading ---- */

/* Reads the names of the statistics that a tap computes into spec->fields. More than MOST_FIELDS
 * fail the reader. So does a lack of memory, which the arena then shows. */
static void read_field_names(etr_arena *arena, etr_json *json, etr_tap_spec *spec) {
  etr_vec(const char *) fields = {0};
  for (etr_json_array(json); etr_json_element(json);) {
    const char **field = fields.count < MOST_FIELDS ? etr_vec_push(arena, &fields) : NULL;
    if (!field) {
      etr_json_fail(json, "too many fields");
      return;
    }
    *field = etr_arena_text(arena, etr_json_string(json));
  }
  spec->fields = fields.data;
  spec->field_count = fields.count;
}

/* Reads one TapSpec and indexes it by the output that it describes. One without node or output,
 * or a second one for an output, fails the reader. */
static void read_tap_spec(etr_taps *taps, etr_arena *arena, etr_json *json) {
  etr_slice key;
  int64_t output = -1;
  etr_tap_spec spec = {0};
  for (etr_json_object(json); etr_json_key(json, &key);)
    if (etr_slice_is(key, "node_name"))
      spec.node = etr_arena_text(arena, etr_json_string(json));
    else if (etr_slice_is(key, "output_index"))
      output = etr_json_int(json);
    else if (etr_slice_is(key, "fields"))
      read_field_names(arena, json, &spec);
    else
      etr_json_skip(json);
  if (etr_json_failed(json))
    return;
  uint32_t index = (uint32_t)output;
  if (!spec.node || output < 0 || output >= ETR_NONE)
    etr_json_fail(json, "a tap without node_name or output_index");
  else if (etr_map_get(&taps->by_output, ETR_BYTES(index)) != ETR_NONE)
    etr_json_fail(json, "two taps have the same output_index");
  else if (etr_map_set(&taps->by_output, ETR_BYTES(index), (uint32_t)taps->specs.count)) {
    etr_tap_spec *slot = etr_vec_push(arena, &taps->specs);
    if (slot)
      *slot = spec;
  }
}

/* Warns that taps.json is not used, for a reason. */
static void warn_of_damage(etr_warnings *warnings, const char *path, const char *reason) {
  etr_warn(warnings, path, NULL, ETR_NO_OFFSET,
           "not used: %s; write it anew, as JSON, from the TapSpecs that tap_intermediate_outputs_ "
           "returned",
           reason);
}

/* A damaged document gives a warning and no specs. When out of memory, the arena of the warnings
 * has failed. */
void etr_taps_parse(etr_taps *out, etr_slice document, const char *path, etr_warnings *warnings) {
  const etr_json_limits limits = {.max_depth = MOST_DEPTH, .max_string_bytes = MOST_TEXT_BYTES};
  char reason[160];
  *out = (etr_taps){0};
  etr_map_init(&out->by_output, warnings->arena);
  etr_json *json = etr_json_open_memory(document, &limits);
  if (json) {
    for (etr_json_array(json); etr_json_element(json);)
      read_tap_spec(out, warnings->arena, json);
    etr_json_end(json);
    (void)snprintf(reason, sizeof reason, "%s (byte %llu)",
                   etr_json_message(json) ? etr_json_message(json) : "",
                   (unsigned long long)etr_json_offset(json));
    if (etr_json_failed(json)) {
      out->specs.count = 0;
      warn_of_damage(warnings, path, reason);
    }
  }
  if (!json || etr_json_out_of_memory(json))
    etr_arena_fail(warnings->arena);
  if (etr_arena_failed(warnings->arena))
    out->specs.count = 0;
  etr_json_close(json);
}

/* A file that cannot be read gives a warning and no specs, too. */
void etr_taps_read(etr_taps *out, const char *path, etr_warnings *warnings) {
  etr_file file;
  etr_error error;
  etr_error_clear(&error);
  *out = (etr_taps){0};
  if (!etr_file_is_regular(path)) {
    warn_of_damage(warnings, path, "it is no file");
    return;
  }
  if (etr_file_read(&file, path, MOST_FILE_BYTES, &error) != ETR_OK) {
    warn_of_damage(warnings, path, error.message);
    return;
  }
  etr_taps_parse(out, etr_file_bytes(&file), path, warnings);
  etr_file_clear(&file);
}

const etr_tap_spec *etr_taps_find(const etr_taps *taps, uint32_t output) {
  uint32_t found = taps->specs.count ? etr_map_get(&taps->by_output, ETR_BYTES(output)) : ETR_NONE;
  return found == ETR_NONE ? NULL : &taps->specs.data[found];
}

/* Value, reference and difference are NaN and nothing is compared yet (false). */
etr_tap_statistic *etr_tap_statistics_of(etr_arena *arena, const etr_tap_spec *spec) {
  etr_tap_statistic *statistics = etr_arena_alloc_array(arena, spec->field_count,
                                                        sizeof *statistics);
  for (size_t i = 0; statistics && i < spec->field_count; i++)
    statistics[i] = (etr_tap_statistic){spec->fields[i], NAN, NAN, NAN, false};
  return statistics;
}

/* ---- Computing ---- */

const char *etr_tap_set_values(etr_tap_statistic *statistics, size_t count,
                               const etr_tensor_view *view) {
  double piece[ETR_PIECE_ELEMENTS];
  etr_tensor_reader reader = {0};
  const char *problem = NULL;
  if (etr_tensor_reader_open(&reader, view, &problem) != ETR_OK)
    problem = "out of memory";
  if (!problem && reader.count != count)
    problem = "taps.json has another number of statistics";
  if (!problem && etr_tensor_reader_next(&reader, piece) != count)
    problem = "the debug buffer ends before it";
  for (size_t i = 0; !problem && i < count; i++)
    statistics[i].value = piece[i];
  etr_tensor_reader_close(&reader);
  return problem;
}

/* Sums over the elements of a tensor. NaN and infinities take part, as on the device. */
typedef struct element_sums {
  double count, least, most, sum, absolute, largest, squares, nans, infinities, zeros;
} element_sums;

/* Adds an element of a tensor to the sums from which all statistics are computed. A NaN makes
 * minimum, maximum and largest absolute value NaN for good, as torch does: no number is less or
 * more than NaN. */
static void add_element(element_sums *sums, double element) {
  double size = fabs(element);
  sums->least = isnan(element) || element < sums->least ? element : sums->least;
  sums->most = isnan(element) || element > sums->most ? element : sums->most;
  sums->largest = isnan(element) || size > sums->largest ? size : sums->largest;
  sums->count++;
  sums->sum += element;
  sums->absolute += size;
  sums->squares += element * element;
  sums->nans += isnan(element);
  sums->infinities += isinf(element);
  sums->zeros += element == 0;
}

/* A statistic, and the size that its differences are measured against. */
typedef struct computed_field {
  const char *name;
  double value, size;
} computed_field;

/* Sets the reference of a statistic, and its relative difference: the absolute one divided by
 * field->size. The difference is infinite if it cannot be computed, because a number is not finite
 * or the size is 0. */
static void set_reference_of_statistic(etr_tap_statistic *statistic, const computed_field *field) {
  double a = statistic->value, b = field->value;
  statistic->reference = b;
  statistic->is_compared = true;
  if (a == b || (isnan(a) && isnan(b)))
    statistic->difference = 0;
  else
    statistic->difference = isfinite(a) && isfinite(b) && field->size > 0
                                ? fabs(a - b) / field->size
                                : INFINITY;
}

/* Sets the references of a tap's statistics, by their names, from the sums over the reference's
 * elements. Statistics of unknown name get none. The third member of a field is the size that a
 * difference is divided by: the statistic itself, but for minimum, maximum, mean and standard
 * deviation the root mean square, because they may be 0 themselves, and for counts the number of
 * elements. */
static void set_references_by_name(etr_tap_statistic *statistics, size_t count,
                                   const element_sums *s) {
  double n = s->count, mean = s->sum / n, rms = sqrt(s->squares / n), l2 = sqrt(s->squares);
  const computed_field fields[] = {
      {"min", s->least, rms},
      {"max", s->most, rms},
      {"mean", mean, rms},
      {"std", sqrt(fabs(s->squares / n - mean * mean)), rms},
      {"abs_max", s->largest, s->largest},
      {"abs_mean", s->absolute / n, s->absolute / n},
      {"rms", rms, rms},
      {"l1_norm", s->absolute, s->absolute},
      {"l2_norm", l2, l2},
      {"nan_count", s->nans, n},
      {"inf_count", s->infinities, n},
      {"zero_count", s->zeros, n},
  };
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < ETR_COUNT(fields); k++)
      if (strcmp(statistics[i].name, fields[k].name) == 0)
        set_reference_of_statistic(&statistics[i], &fields[k]);
}

const char *etr_tap_set_references(etr_tap_statistic *statistics, size_t count,
                                   const etr_tensor_view *view) {
  double piece[ETR_PIECE_ELEMENTS];
  element_sums sums = {.least = INFINITY, .most = -INFINITY};
  etr_tensor_reader reader = {0};
  const char *problem = NULL;
  if (etr_tensor_reader_open(&reader, view, &problem) != ETR_OK)
    problem = "out of memory";
  for (size_t got; !problem && (got = etr_tensor_reader_next(&reader, piece)) > 0;)
    for (size_t i = 0; i < got; i++)
      add_element(&sums, piece[i]);
  if (!problem && (reader.at < reader.count || reader.count == 0))
    problem = "its reference cannot be read";
  etr_tensor_reader_close(&reader);
  if (!problem)
    set_references_by_name(statistics, count, &sums);
  return problem;
}
