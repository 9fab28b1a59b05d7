/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_curves.c - sums a method's time slices by inference, operator, backend and instruction; curves
 * of planned memory.
 */
#include "tensorboard/tb_curves.h"
#include "views/phases.h"

#include "base/natural.h"
#include "base/stats.h"
#include "output/file_name.h"
#include "tensorboard/tb_tags.h"
#include "views/accuracy_view.h"
#include "views/run_stats.h"

#include <math.h>
#include <stdlib.h>

enum {
  MAX_OP_TYPES = 10, /* curves per group; the others are added up */
  MAX_BACKENDS = 4,
  MOST_BLOCKS = 20,
  LEAST_OF_BLOCK = 10, /* inferences, of which a histogram can have a shape */
};

/* A part has a curve if it takes this long in some inference, or this share of it. TensorBoard's
 * axes cannot show less. */
static const double least_ms = 0.001, least_fraction = 0.01;

/* A key by which time slices are added up: an operator or a backend. */
typedef struct key_sum {
  const char *key;
  uint64_t ticks;  /* sum over all runs */
  uint32_t number; /* number in the order of appearance */
} key_sum;

typedef struct builder {
  etr_arena *arena;
  const etr_profile *profile;
  const etr_method *method;
  size_t points, stride; /* number of points of curves over inferences; inferences per point */
  const int64_t *steps;  /* of these points */
  const char *suffix;    /* end of tags */
  etr_tb_tags tags;
  etr_vec(etr_tb_curve) curves;
} builder;

static double millis(const etr_profile *profile, double ticks) {
  return etr_ticks_to_ns(profile, ticks) / 1e6;
}

/* ---- Curves ---- */

/* Adds a curve under the unique tag GROUP/NAME, unless it is empty or its memory ran out.
 * TensorBoard shows the curves of a group below each other. */
static void add_curve(builder *b, const char *group, const char *name, etr_tb_curve curve) {
  if (curve.values == NULL || curve.steps == NULL || curve.count == 0)
    return;
  curve.tag = etr_tb_tag(&b->tags, group, name, b->suffix);
  etr_tb_curve *added = curve.tag ? etr_vec_push(b->arena, &b->curves) : NULL;
  if (added)
    *added = curve;
}

/* Returns true if a part takes enough of at least one inference to have a curve: least_ms, or
 * least_fraction of it. ticks: its time in each inference. */
static bool is_worth_showing(const builder *b, const uint64_t *ticks) {
  for (size_t i = 0; i < b->method->run_count; i++)
    if (millis(b->profile, (double)ticks[i]) >= least_ms ||
        (ticks[i] > 0 &&
         (double)ticks[i] >= least_fraction * (double)b->method->execute_per_run[i]))
      return true;
  return false;
}

/* Adds a curve over the inferences, in ms. ticks: the time of each inference, of which every
 * stride-th becomes a point. */
static void add_run_curve(builder *b, const char *group, const char *name, const uint64_t *ticks) {
  double *values = etr_arena_alloc_array(b->arena, b->points, sizeof *values);
  for (size_t i = 0; values && i < b->points; i++)
    values[i] = millis(b->profile, (double)ticks[i * b->stride]);
  add_curve(b, group, name,
            (etr_tb_curve){.values = values, .steps = b->steps, .count = b->points});
}

/* ---- Inferences ---- */

/* Returns for each listed run of a method its number among all of its runs, those in `others`
 * (warm-up) included, as the step of its point. Both lists are sorted. NULL when out of memory. */
static int64_t *number_runs(etr_arena *arena, const uint32_t *runs, size_t count,
                            const uint32_t *others, size_t other_count) {
  int64_t *numbers = etr_arena_alloc_array(arena, count, sizeof *numbers);
  for (size_t i = 0, other = 0; numbers && i < count; i++) {
    while (other < other_count && others[other] < runs[i])
      other++;
    numbers[i] = (int64_t)(i + other);
  }
  return numbers;
}

static size_t stride_of(size_t count) {
  return (count + ETR_TB_MAX_POINTS - 1) / ETR_TB_MAX_POINTS;
}

/* Keeps every stride-th element of a list, in place. `points` is how many are kept. */
static int64_t *thin_out(int64_t *list, size_t points, size_t stride) {
  for (size_t i = 0; list && i < points; i++)
    list[i] = list[i * stride];
  return list;
}

/* Adds a curve of a single point, at step 0. */
static void add_point_curve(builder *b, const char *group, const char *name, double value) {
  static const int64_t steps[] = {0};
  double *values = etr_arena_alloc(b->arena, sizeof *values);
  if (!values)
    return;
  *values = value;
  add_curve(b, group, name, (etr_tb_curve){.values = values, .steps = steps, .count = 1});
}

/* Adds the time to the first token in ms, if this method reads the prompt: the time of that run,
 * and with the load, if the load is known. */
static void add_first_token(builder *b) {
  const etr_first_token *first = b->profile->first_token;
  if (!first || b->method != &b->profile->methods[first->method])
    return;
  add_point_curve(b, ETR_TB_TOKENS, "first_ms", millis(b->profile, first->ticks));
  if (isfinite(first->with_load))
    add_point_curve(b, ETR_TB_TOKENS, "first_with_load_ms", millis(b->profile, first->with_load));
}

/* Adds the curves of tokens per second and of milliseconds per token over the inferences, unless
 * the tokens or the time of a run are unknown. */
static void add_token_curves(builder *b) {
  double *per_second = etr_arena_alloc_array(b->arena, b->points, sizeof *per_second);
  double *per_token = etr_arena_alloc_array(b->arena, b->points, sizeof *per_token);
  if (!b->method->throughput || !per_second || !per_token)
    return;
  for (size_t i = 0; i < b->points; i++) {
    double ms = millis(b->profile, (double)b->method->execute_per_run[i * b->stride]);
    double count = (double)b->profile->runs[b->method->runs[i * b->stride]].token_count;
    if (count <= 0 || ms <= 0)
      return;
    per_second[i] = count / ms * 1e3;
    per_token[i] = ms / count;
  }
  add_curve(b, ETR_TB_TOKENS, "per_second",
            (etr_tb_curve){.values = per_second, .steps = b->steps, .count = b->points});
  add_curve(b, ETR_TB_TOKENS, "ms_per_token",
            (etr_tb_curve){.values = per_token, .steps = b->steps, .count = b->points});
}

/* Adds the curve of the times of the runs that are excluded as warm-up, in ms, at their numbers
 * among all runs, so that it continues into the curve of the counted runs. */
static void add_warmup_curve(builder *b) {
  const etr_method *method = b->method;
  double *values = etr_arena_alloc_array(b->arena, method->skipped_run_count, sizeof *values);
  int64_t *steps = number_runs(b->arena, method->skipped_runs, method->skipped_run_count,
                               method->runs, method->run_count);
  size_t stride = stride_of(method->skipped_run_count), count = 0;
  for (size_t i = 0; values && steps && i < method->skipped_run_count; i += stride) {
    steps[count] = steps[i];
    values[count++] = millis(b->profile,
                             (double)b->profile->runs[method->skipped_runs[i]].execute_ticks);
  }
  add_curve(b, ETR_TB_INFERENCE, "warmup",
            (etr_tb_curve){.values = values, .steps = steps, .count = count});
}

/* Chooses which inferences become points, every stride-th one, so that curves of many runs stay
 * small; and their steps (x coordinates). Returns false when out of memory. */
static bool choose_points(builder *b) {
  const etr_method *method = b->method;
  b->stride = stride_of(method->run_count);
  b->points = (method->run_count + b->stride - 1) / b->stride;
  b->steps = thin_out(number_runs(b->arena, method->runs, method->run_count, method->skipped_runs,
                                  method->skipped_run_count),
                      b->points, b->stride);
  return b->steps != NULL;
}

/* ---- Sums by a key ---- */

typedef const char *(*key_of)(const builder *b, const etr_time_slice *time_slice);

/* Returns the operator of the node that a time slice is on, the key of op_type curves; NULL if it
 * is on no node. */
static const char *operator_of(const builder *b, const etr_time_slice *time_slice) {
  return time_slice->part == ETR_TIME_OPERATORS && b->method->graph != ETR_NONE
             ? b->profile->graphs[b->method->graph].nodes[time_slice->node].target
             : NULL;
}

/* Returns the backend of a time slice, the key of delegate curves; NULL for time outside delegates.
 */
static const char *backend_of(const builder *b, const etr_time_slice *time_slice) {
  (void)b;
  if (time_slice->event->backend)
    return time_slice->event->backend;
  return etr_time_slice_is_in_delegate(time_slice) ? ETR_UNKNOWN_BACKEND : NULL;
}

/* Orders keys by time, the longest first. */
static int by_ticks(const void *x, const void *y) {
  const key_sum *a = x, *b = y;
  if (a->ticks != b->ticks)
    return a->ticks < b->ticks ? 1 : -1;
  return etr_natural_compare(a->key, b->key);
}

/* Sums by a key, largest first, and the key of each time slice. */
typedef struct sums_by_key {
  etr_vec(key_sum) list;
  uint32_t *number; /* per time slice: key_sum.number of its key; ETR_NONE: it has no key */
} sums_by_key;

/* Adds up the ticks of time slices, over all runs, by a key such as the operator, and sorts the
 * sums, the largest first. sums->number becomes the number of the key of each slice, ETR_NONE if it
 * has none. Slices of a node are next to each other, so a key is only looked up when it changes.
 * Returns false when out of memory. */
static bool sum_by_key(builder *b, sums_by_key *sums, key_of key) {
  const char *last_text = NULL;
  uint32_t number = ETR_NONE;
  etr_map numbers;
  etr_map_init(&numbers, b->arena);
  *sums = (sums_by_key){
      .number = etr_arena_alloc_array(b->arena, b->method->time_slice_count, sizeof *sums->number)};
  for (size_t i = 0; i < b->method->time_slice_count && !etr_arena_failed(b->arena); i++) {
    const char *text = key(b, &b->method->time_slices[i]);
    if (text && text != last_text)
      number = etr_map_number(&numbers, etr_slice_of(last_text = text));
    if (text && number == sums->list.count) {
      key_sum *added = etr_vec_push(b->arena, &sums->list);
      if (added)
        *added = (key_sum){.key = text, .number = number};
    }
    sums->number[i] = text ? number : ETR_NONE;
    if (text && number < sums->list.count)
      sums->list.data[number].ticks += b->method->time_slices[i].ticks;
  }
  if (etr_arena_failed(b->arena))
    return false;
  etr_sort(sums->list.data, sums->list.count, sizeof *sums->list.data, by_ticks);
  return true;
}

/* Returns the ticks per run of the `shown_count` largest keys, then of all others together:
 * (shown_count + 1) rows of run_count. NULL when out of memory. */
static uint64_t *sum_by_run(builder *b, const sums_by_key *sums, size_t shown_count) {
  const etr_method *method = b->method;
  size_t runs = method->run_count;
  uint64_t *ticks = etr_arena_alloc_array(b->arena, (shown_count + 1) * runs, sizeof *ticks);
  /* per number of a key: its row, which is the last one for all that are not shown */
  size_t *row_of = etr_arena_alloc_array(b->arena, sums->list.count, sizeof *row_of);
  if (!ticks || !row_of)
    return NULL;
  for (size_t i = 0; i < sums->list.count; i++) {
    uint32_t number = sums->list.data[i].number;
    row_of[number] = ETR_MIN(i, shown_count);
  }
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_time_slice *time_slice = &method->time_slices[i];
    uint32_t number = sums->number[i];
    if (number == ETR_NONE)
      continue;
    uint64_t *row = ticks + row_of[number] * runs;
    row[time_slice->run] += time_slice->ticks;
  }
  return ticks;
}

/* Adds a curve over the inferences for each of the largest keys, and one for all others together if
 * there are more than max_curves + 1. */
static void add_curves_by_key(builder *b, const char *group, key_of key, size_t max_curves) {
  sums_by_key sums;
  if (!sum_by_key(b, &sums, key))
    return;
  size_t count = sums.list.count,
         shown_count = count <= max_curves + 1 ? count
                                               : max_curves; /* "other" combines at least two */
  const uint64_t *ticks = sum_by_run(b, &sums, shown_count);
  if (!ticks)
    return;
  /* This is the first curve, since no key has taken the name "other" yet. */
  if (shown_count < count)
    add_run_curve(b, group, "other", ticks + shown_count * b->method->run_count);
  for (size_t i = 0; i < shown_count; i++)
    if (sums.list.data[i].ticks > 0)
      add_run_curve(b, group, sums.list.data[i].key, ticks + i * b->method->run_count);
}

/* ---- Parts ---- */

/* Adds a curve for each part of the time of an inference (operators, delegate calls, ...) that is
 * worth showing. */
static void add_part_curves(builder *b) {
  size_t runs = b->method->run_count;
  const uint64_t *ticks = etr_run_parts(b->arena, b->method);
  for (etr_time_part part = 0; ticks && part < ETR_TIME_PARTS; part++)
    if (is_worth_showing(b, ticks + part * runs))
      add_run_curve(b, ETR_TB_PARTS, etr_time_part_name(part), ticks + part * runs);
}

/* ---- Instructions ---- */

typedef struct instruction_time {
  int32_t id;
  double ticks; /* in the typical run */
} instruction_time;

static int by_id(const void *x, const void *y) {
  const instruction_time *a = x, *b = y;
  return (a->id > b->id) - (a->id < b->id);
}

/* Returns the time of each instruction of the program in the typical run, in ticks, sorted by
 * instruction, and sets *count. The typical run is a weighted mean of runs. NULL when out of
 * memory. */
static instruction_time *sum_by_instruction(builder *b, size_t *count) {
  instruction_time *times = etr_arena_alloc_array(b->arena, b->method->time_slice_count,
                                                  sizeof *times);
  size_t used = 0, kept = 0;
  for (size_t i = 0; i < b->method->time_slice_count && times; i++) {
    const etr_time_slice *time_slice = &b->method->time_slices[i];
    int32_t id = time_slice->event->instruction_id;
    double ticks = b->method->typical.weights[time_slice->run] * (double)time_slice->ticks /
                   b->method->typical.divisor;
    if (id < 0)
      continue;
    /* The slices of a node are next to each other, so adding them up here leaves less to sort. */
    if (used > 0 && times[used - 1].id == id)
      times[used - 1].ticks += ticks;
    else
      times[used++] = (instruction_time){id, ticks};
  }
  if (used)
    etr_sort(times, used, sizeof *times, by_id);
  for (size_t i = 0; i < used; i++) {
    if (kept > 0 && times[kept - 1].id == times[i].id)
      times[kept - 1].ticks += times[i].ticks;
    else
      times[kept++] = times[i];
  }
  *count = kept;
  return times;
}

/* Adds the time of each instruction in the typical run, and their cumulative sum, in ms, if there
 * are at least two. */
static void add_timeline_curves(builder *b) {
  size_t count = 0;
  const instruction_time *instructions = sum_by_instruction(b, &count);
  double *times = etr_arena_alloc_array(b->arena, count, sizeof *times);
  double *sums = etr_arena_alloc_array(b->arena, count, sizeof *sums);
  int64_t *steps = etr_arena_alloc_array(b->arena, count, sizeof *steps);
  double sum_ticks = 0;
  if (!times || !sums || !steps || count < 2)
    return;
  for (size_t i = 0; i < count; i++) {
    sum_ticks += instructions[i].ticks;
    times[i] = millis(b->profile, instructions[i].ticks);
    sums[i] = millis(b->profile, sum_ticks);
    steps[i] = instructions[i].id;
  }
  add_curve(b, ETR_TB_TIMELINE_GROUP, "typical",
            (etr_tb_curve){.values = times, .steps = steps, .count = count});
  add_curve(b, ETR_TB_TIMELINE_GROUP, "cumulative",
            (etr_tb_curve){.values = sums, .steps = steps, .count = count});
}

/* ---- Planned memory ---- */

/* Adds the live and the planned bytes at each instruction. If there are many instructions, a point
 * is the largest value up to the next point. There are none without a plan, for a plan in which
 * nothing is live at any instruction, or for a single instruction. */
static void add_memory_curves(builder *b) {
  const etr_memory_plan *plan = b->method->memory;
  if (!plan || plan->peak_instruction < 0 || plan->instruction_count < 2)
    return;
  size_t stride = stride_of(plan->instruction_count);
  size_t count = (plan->instruction_count + stride - 1) / stride;
  double *live = etr_arena_alloc_array(b->arena, count, sizeof *live);
  double *planned = etr_arena_alloc_array(b->arena, count, sizeof *planned);
  int64_t *steps = etr_arena_alloc_array(b->arena, count, sizeof *steps);
  if (etr_arena_failed(b->arena))
    return;
  for (size_t i = 0; i < plan->instruction_count; i++)
    live[i / stride] = ETR_MAX(live[i / stride], (double)plan->live_bytes[i]);
  for (size_t i = 0; i < count; i++) {
    planned[i] = (double)plan->planned_bytes;
    steps[i] = (int64_t)(i * stride);
  }
  add_curve(b, ETR_TB_MEMORY, "live",
            (etr_tb_curve){.values = live, .steps = steps, .count = count});
  add_curve(b, ETR_TB_MEMORY, "planned",
            (etr_tb_curve){.values = planned, .steps = steps, .count = count});
}

/* ---- Accuracy ---- */

/* Returns the comparison of a method's values; NULL if there is none. */
static const etr_accuracy *accuracy_of(const etr_profile *profile, const etr_method *method) {
  return etr_accuracy_of_method(profile->accuracy, (uint32_t)(method - profile->methods));
}

/* Adds two curves in dB over the values in the order of execution: the SNR of each value, and its
 * local SNR, to which only the step from the logged values before it contributes. A value that was
 * not compared has no point, and a curve has at least two. */
static void add_accuracy_curves(builder *b) {
  const etr_accuracy *accuracy = accuracy_of(b->profile, b->method);
  size_t count, point_counts[2] = {0};
  if (!accuracy)
    return;
  const etr_value_accuracy *const *rows = etr_accuracy_worst_inputs(b->arena, accuracy, &count);
  size_t stride = stride_of(count);
  for (size_t kind = 0; rows && kind < 2; kind++) {
    double *values = etr_arena_alloc_array(b->arena, count, sizeof *values);
    int64_t *steps = etr_arena_alloc_array(b->arena, count, sizeof *steps);
    for (size_t i = 0; values && steps && i < count; i += stride) {
      const etr_numeric_gap *gap = kind == 0 ? &rows[i]->gap : &rows[i]->local;
      if (rows[i]->problem || (kind == 1 && !rows[i]->has_local))
        continue;
      double snr = etr_accuracy_capped_snr(gap);
      if (isnan(snr))
        continue;
      values[point_counts[kind]] = snr;
      steps[point_counts[kind]++] = (int64_t)i;
    }
    add_curve(b, ETR_TB_ACCURACY, kind == 0 ? "snr" : "local",
              (etr_tb_curve){.values = values,
                             .steps = steps,
                             .count = point_counts[kind] > 1 ? point_counts[kind] : 0});
  }
}

/* '/' in a name is encoded. */
const char *etr_tb_suffix(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  if (!etr_tb_has_several_methods(profile))
    return "";
  const char *name = etr_file_name(arena, method->name);
  return name ? etr_arena_format(arena, "/%s", name) : NULL;
}

size_t etr_tb_errors_build(etr_tb_error out[ETR_TB_MOST_ERRORS], etr_arena *arena,
                           const etr_profile *profile, const etr_method *method) {
  const etr_accuracy *accuracy = accuracy_of(profile, method);
  const char *suffix = etr_tb_suffix(arena, profile, method);
  etr_tb_tags tags;
  size_t count = 0;
  etr_tb_tags_init(&tags, arena);
  for (size_t i = 0; accuracy && suffix && i < accuracy->ranked_count && count < ETR_TB_MOST_ERRORS;
       i++) {
    const etr_value_accuracy *value = &accuracy->values[accuracy->ranked[i]];
    const etr_value_spread *spread = value->spread;
    if (!spread || !etr_accuracy_is_suspicious(value))
      continue;
    etr_tb_error *error = &out[count++];
    bool has_width = spread->most_error > spread->least_error;
    const etr_accuracy_row row = etr_accuracy_row_of(arena, accuracy, value);
    const char *name = row.name;
    *error = (etr_tb_error){.tag = name ? etr_tb_tag(&tags, ETR_TB_ERROR_SPREAD, name, suffix)
                                        : NULL};
    error->spread = (etr_tb_spread){.least = spread->least_error,
                                    .most = spread->most_error,
                                    .buckets = has_width ? ETR_SPREAD_BUCKETS : 1};
    for (size_t k = 0; k < ETR_SPREAD_BUCKETS; k++)
      error->spread.counts[has_width ? k : 0] += (double)spread->errors[k];
    if (!error->tag)
      return 0;
  }
  return count;
}

/* ---- All curves of a method ---- */

bool etr_tb_curves_build(etr_tb_curves *out, etr_arena *arena, const etr_profile *profile,
                         const etr_method *method) {
  builder b = {.arena = arena, .profile = profile, .method = method};
  *out = (etr_tb_curves){0};
  b.suffix = etr_tb_suffix(arena, profile, method);
  etr_tb_tags_init(&b.tags, arena);
  if (!b.suffix)
    return false;
  if (etr_tb_shows_method(profile, (uint32_t)(method - profile->methods)) && choose_points(&b)) {
    add_run_curve(&b, ETR_TB_INFERENCE, "measured", method->execute_per_run);
    add_warmup_curve(&b);
    add_first_token(&b);
    add_token_curves(&b);
    add_part_curves(&b);
    add_curves_by_key(&b, ETR_TB_DELEGATE, backend_of, MAX_BACKENDS);
    add_curves_by_key(&b, ETR_TB_OP_TYPE, operator_of, MAX_OP_TYPES);
    add_timeline_curves(&b);
  }
  add_memory_curves(&b);
  add_accuracy_curves(&b);
  *out = (etr_tb_curves){b.curves.data, b.curves.count};
  return !etr_arena_failed(arena);
}

/* ---- Distributions ---- */

double etr_tb_clock_tick(const etr_profile *profile, const etr_method *method) {
  uint64_t step = 0;
  for (size_t i = 0; i < method->run_count; i++)
    step = etr_common_divisor(step, method->execute_per_run[i]);
  return millis(profile, (double)step);
}

void etr_tb_spread_of(etr_tb_spread *out, const double *values, size_t count, double tick) {
  *out = (etr_tb_spread){.least = values[0], .most = values[0], .buckets = 1};
  for (size_t i = 1; i < count; i++) {
    out->least = ETR_MIN(out->least, values[i]);
    out->most = ETR_MAX(out->most, values[i]);
  }
  double width = out->most - out->least;
  double steps = tick > 0 ? floor(width / tick + 0.5) : ETR_TB_BUCKETS;
  if (width > 0 && steps > 1)
    out->buckets = steps < ETR_TB_BUCKETS ? (size_t)steps : ETR_TB_BUCKETS;
  for (size_t i = 0; i < count; i++) {
    double position = width > 0 ? (values[i] - out->least) / width * (double)out->buckets : 0;
    out->counts[position < (double)out->buckets ? (size_t)position : out->buckets - 1]++;
  }
}

bool etr_tb_blocks_build(etr_tb_blocks *out, etr_arena *arena, const etr_profile *profile,
                         const etr_method *method) {
  const char *suffix = etr_tb_suffix(arena, profile, method);
  size_t count = method->run_count;
  size_t blocks = ETR_MIN(count / LEAST_OF_BLOCK, (size_t)MOST_BLOCKS);
  *out = (etr_tb_blocks){.count = count, .blocks = blocks > 1 ? blocks : 0};
  if (!suffix || out->blocks == 0)
    return suffix != NULL;
  double *values = etr_arena_alloc_array(arena, count, sizeof *values);
  for (size_t i = 0; values && i < count; i++)
    values[i] = millis(profile, (double)method->execute_per_run[i]);
  out->values = values;
  out->steps = number_runs(arena, method->runs, count, method->skipped_runs,
                           method->skipped_run_count);
  out->tag = etr_arena_format(arena, ETR_TB_INFERENCE_SPREAD "/measured%s", suffix);
  return values && out->steps && out->tag;
}
