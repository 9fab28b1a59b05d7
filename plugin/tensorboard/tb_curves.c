/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_curves.c - sums a method's time slices by inference, operator, backend and instruction; curves of planned memory.
 */
#include "tensorboard/tb_curves.h"

#include "base/natural.h"
#include "output/file_name.h"
#include "tensorboard/tb_names.h"

#include <stdlib.h>

/* curves per group; with "other" and all other curves this gives about 30 tags */
enum { MAX_OP_TYPES = 15, MAX_BACKENDS = 4 };

/* A key by which time slices are added up: an operator or a backend. */
typedef struct key_sum {
  const char *key;
  uint64_t ticks; /* sum over all runs */
  uint32_t place; /* number in the order of appearance */
} key_sum;

typedef struct builder {
  etr_arena *arena;
  const etr_profile *profile;
  const etr_method *method;
  size_t points, stride; /* number of points of curves over inferences; inferences per point */
  const char *suffix;    /* end of tags: "/METHOD" if there are several methods, otherwise "" */
  etr_map tags;
  etr_vec(etr_tb_curve) curves;
} builder;

static double micros(const builder *b, double ticks) { return etr_ticks_to_ns(b->profile, ticks) / 1e3; }

/* ---- Curves ---- */

/* Returns a unique tag made of group and name. */
static const char *new_tag(builder *b, const char *group, const char *name) {
  char room[ETR_TB_TEXT_ROOM];
  const char *clean = etr_tb_clean_text(room, etr_slice_of(name)).data;
  const char *tag = etr_arena_format(b->arena, "%s/%s%s", group, clean, b->suffix);
  for (unsigned i = 2; tag && etr_map_get(&b->tags, etr_slice_of(tag)) != ETR_NONE; i++)
    tag = etr_arena_format(b->arena, "%s/%s~%u%s", group, clean, i, b->suffix);
  if (tag) etr_map_set(&b->tags, etr_slice_of(tag), 1);
  return tag;
}

static void add_curve(builder *b, etr_tb_curve curve) {
  etr_tb_curve *added = curve.tag && curve.values ? etr_vec_push(b->arena, &b->curves) : NULL;
  if (added) *added = curve;
}

static void add_point(builder *b, const char *name, double ticks) {
  double *value = etr_arena_alloc(b->arena, sizeof *value);
  if (!value) return;
  *value = etr_ticks_to_ns(b->profile, ticks) / 1e6;
  add_curve(b, (etr_tb_curve){.tag = new_tag(b, "benchmark_ms", name), .values = value, .count = 1});
}

/* Adds a curve over the runs. ticks: time of each run, of which every n-th is shown. */
static void add_runs(builder *b, const char *group, const char *name, const uint64_t *ticks, bool is_distribution) {
  double *values = etr_arena_alloc_array(b->arena, b->points, sizeof *values);
  for (size_t i = 0; values && i < b->points; i++) values[i] = micros(b, (double)ticks[i * b->stride]);
  add_curve(b, (etr_tb_curve){.tag = new_tag(b, group, name),
                              .values = values,
                              .stride = (int64_t)b->stride,
                              .count = b->points,
                              .is_distribution = is_distribution});
}

/* ---- Sums by a key ---- */

typedef const char *(*key_of)(const builder *b, const etr_time_slice *time_slice);

static const char *op_of(const builder *b, const etr_time_slice *time_slice) {
  return time_slice->kind == ETR_TIME_SLICE_NODE && b->method->graph != ETR_NONE
             ? b->profile->graphs[b->method->graph].nodes[time_slice->node].target
             : NULL;
}

static const char *backend_of(const builder *b, const etr_time_slice *time_slice) {
  (void)b;
  if (time_slice->event->backend) return time_slice->event->backend;
  return time_slice->kind == ETR_TIME_SLICE_DELEGATE || time_slice->event->delegate_id ? "unknown" : NULL;
}

static int by_ticks(const void *x, const void *y) {
  const key_sum *a = x, *b = y;
  if (a->ticks != b->ticks) return a->ticks < b->ticks ? 1 : -1;
  return etr_natural_compare(a->key, b->key);
}

/* Sums by a key, largest first, and the key of each time slice. */
typedef struct sums_by_key {
  etr_vec(key_sum) list;
  uint32_t *place; /* per time slice: key_sum.place of its key; ETR_NONE: it has no key */
} sums_by_key;

/* Adds up time slices by a key. Returns false when out of memory. Time slices of a node are next to each other, so a
 * key is only looked up when it changes. */
static bool sum_by_key(builder *b, sums_by_key *sums, key_of key) {
  const char *before = NULL;
  uint32_t place = ETR_NONE;
  etr_map places;
  etr_map_init(&places, b->arena);
  *sums = (sums_by_key){.place = etr_arena_alloc_array(b->arena, b->method->time_slice_count, sizeof *sums->place)};
  for (size_t i = 0; i < b->method->time_slice_count && !etr_arena_failed(b->arena); i++) {
    const char *text = key(b, &b->method->time_slices[i]);
    if (text && text != before) place = etr_map_number(&places, etr_slice_of(before = text));
    if (text && place == sums->list.count) {
      key_sum *added = etr_vec_push(b->arena, &sums->list);
      if (added) *added = (key_sum){.key = text, .place = place};
    }
    sums->place[i] = text ? place : ETR_NONE;
    if (text && place < sums->list.count) sums->list.data[place].ticks += b->method->time_slices[i].ticks;
  }
  if (etr_arena_failed(b->arena)) return false;
  etr_sort(sums->list.data, sums->list.count, sizeof *sums->list.data, by_ticks);
  return true;
}

/* Returns the ticks per run of the `shown` largest keys, then of all others together: (shown + 1) rows of run_count. */
static uint64_t *sum_by_run(builder *b, const sums_by_key *sums, size_t shown) {
  size_t runs = b->method->run_count;
  uint64_t *ticks = etr_arena_alloc_array(b->arena, (shown + 1) * runs, sizeof *ticks);
  size_t *row_of = etr_arena_alloc_array(b->arena, sums->list.count, sizeof *row_of);
  for (size_t i = 0; row_of && i < sums->list.count; i++) row_of[sums->list.data[i].place] = ETR_MIN(i, shown);
  for (size_t i = 0; i < b->method->time_slice_count && ticks && row_of; i++) {
    const etr_time_slice *time_slice = &b->method->time_slices[i];
    if (sums->place[i] != ETR_NONE) ticks[row_of[sums->place[i]] * runs + time_slice->run] += time_slice->ticks;
  }
  return row_of ? ticks : NULL;
}

static void add_keys(builder *b, const char *group, key_of key, size_t most, bool is_distribution) {
  sums_by_key sums;
  if (!sum_by_key(b, &sums, key)) return;
  size_t count = sums.list.count, shown = count <= most + 1 ? count : most; /* "other" combines at least two */
  const uint64_t *ticks = sum_by_run(b, &sums, shown);
  if (!ticks) return;
  if (shown < count)
    add_runs(b, group, "other", ticks + shown * b->method->run_count,
             is_distribution); /* added first, so that the name is free */
  for (size_t i = 0; i < shown; i++)
    if (sums.list.data[i].ticks)
      add_runs(b, group, sums.list.data[i].key, ticks + i * b->method->run_count, is_distribution);
}

/* ---- Parts ---- */

static void add_part(builder *b, const char *name, const uint64_t *ticks) {
  bool any = false;
  for (size_t i = 0; i < b->method->run_count; i++) any |= ticks[i] > 0;
  if (any) add_runs(b, "parts_us", name, ticks, false);
}

static void add_parts(builder *b) {
  size_t runs = b->method->run_count;
  static const char *const names[] = {[ETR_TIME_SLICE_NODE] = "nodes",
                                      [ETR_TIME_SLICE_DELEGATE] = "delegate_only",
                                      [ETR_TIME_SLICE_UNEXPLAINED] = "unexplained"};
  uint64_t *ticks = etr_arena_alloc_array(b->arena, (ETR_COUNT(names) + 1) * runs, sizeof *ticks);
  if (!ticks) return;
  uint64_t *framework = ticks + ETR_COUNT(names) * runs;
  memcpy(framework, b->method->execute_per_run, runs * sizeof *framework);
  for (size_t i = 0; i < b->method->time_slice_count; i++) {
    const etr_time_slice *time_slice = &b->method->time_slices[i];
    ticks[time_slice->kind * runs + time_slice->run] += time_slice->ticks;
    ETR_CHECK(time_slice->ticks <= framework[time_slice->run]);
    framework[time_slice->run] -= time_slice->ticks;
  }
  for (size_t i = 0; i < ETR_COUNT(names); i++) add_part(b, names[i], ticks + i * runs);
  add_part(b, "framework", framework);
}

/* ---- Instructions ---- */

typedef struct instruction_time {
  int32_t id;
  uint64_t ticks;
} instruction_time;

static int by_id(const void *x, const void *y) {
  const instruction_time *a = x, *b = y;
  return (a->id > b->id) - (a->id < b->id);
}

/* Returns the time of each instruction over all runs, by its number. */
static instruction_time *sum_by_instruction(builder *b, size_t *count) {
  instruction_time *list = etr_arena_alloc_array(b->arena, b->method->time_slice_count, sizeof *list);
  size_t used = 0, kept = 0;
  for (size_t i = 0; i < b->method->time_slice_count && list; i++) {
    const etr_time_slice *time_slice = &b->method->time_slices[i];
    int32_t id = time_slice->event->instruction_id;
    if (id < 0) continue;
    if (used > 0 && list[used - 1].id == id) /* runs of a node are next to each other, so there is less to sort */
      list[used - 1].ticks += time_slice->ticks;
    else
      list[used++] = (instruction_time){id, time_slice->ticks};
  }
  if (used) etr_sort(list, used, sizeof *list, by_id);
  for (size_t i = 0; i < used; i++) {
    if (kept > 0 && list[kept - 1].id == list[i].id)
      list[kept - 1].ticks += list[i].ticks;
    else
      list[kept++] = list[i];
  }
  *count = kept;
  return list;
}

static void add_timeline(builder *b) {
  size_t count;
  const instruction_time *list = sum_by_instruction(b, &count);
  double *each = etr_arena_alloc_array(b->arena, count, sizeof *each),
         *sums = etr_arena_alloc_array(b->arena, count, sizeof *sums);
  int64_t *steps = etr_arena_alloc_array(b->arena, count, sizeof *steps);
  uint64_t so_far = 0;
  if (!each || !sums || !steps || count == 0) return;
  for (size_t i = 0; i < count; i++) {
    so_far += list[i].ticks;
    each[i] = micros(b, (double)list[i].ticks / (double)b->method->run_count);
    sums[i] = micros(b, (double)so_far / (double)b->method->run_count);
    steps[i] = list[i].id;
  }
  add_curve(b, (etr_tb_curve){.tag = new_tag(b, "timeline_us", "avg"), .values = each, .steps = steps, .count = count});
  add_curve(b, (etr_tb_curve){
                   .tag = new_tag(b, "timeline_us", "cumulative"), .values = sums, .steps = steps, .count = count});
}

/* Returns the end of a method's tags: "/METHOD" if the record has several methods, which share a run, otherwise "". '/'
 * in a name is encoded, so that it does not become part of a group. NULL when out of memory. */
static const char *tag_suffix(etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  if (profile->method_count <= 1) return "";
  const char *name = etr_file_name(arena, method->name);
  return name ? etr_arena_format(arena, "/%s", name) : NULL;
}

bool etr_tb_curves_build(etr_tb_curves *out, etr_arena *arena, const etr_profile *profile, const etr_method *method) {
  builder b = {.arena = arena, .profile = profile, .method = method};
  *out = (etr_tb_curves){0};
  if (method->run_count == 0) return true;
  b.stride = (method->run_count + ETR_TB_MAX_POINTS - 1) / ETR_TB_MAX_POINTS;
  b.points = (method->run_count + b.stride - 1) / b.stride;
  b.suffix = tag_suffix(arena, profile, method);
  if (!b.suffix) return false;
  etr_map_init(&b.tags, arena);
  add_point(&b, "avg", method->execute.avg);
  add_point(&b, "max", method->execute.max);
  add_point(&b, "min", method->execute.min);
  add_point(&b, "p50", method->execute.p50);
  add_point(&b, "p90", method->execute.p90);
  add_parts(&b);
  add_keys(&b, "op_type_us", op_of, MAX_OP_TYPES, true);
  add_keys(&b, "delegate_us", backend_of, MAX_BACKENDS, false);
  add_timeline(&b);
  *out = (etr_tb_curves){b.curves.data, b.curves.count};
  return !etr_arena_failed(arena);
}

/* ---- Planned memory ---- */

static void add_memory(builder *b, const char *name, const double *values, size_t count, size_t stride) {
  add_curve(b,
            (etr_tb_curve){
                .tag = new_tag(b, "memory_bytes", name), .values = values, .stride = (int64_t)stride, .count = count});
}

bool etr_tb_memory_curves_build(etr_tb_curves *out, etr_arena *arena, const etr_profile *profile,
                                const etr_method *method) {
  builder b = {.arena = arena, .profile = profile, .method = method};
  const etr_memory_plan *plan = method->memory;
  *out = (etr_tb_curves){0};
  if (!plan || plan->peak_instruction < 0) return true;
  b.suffix = tag_suffix(arena, profile, method);
  if (!b.suffix) return false;
  etr_map_init(&b.tags, arena);
  size_t stride = (plan->instruction_count + ETR_TB_MAX_POINTS - 1) / ETR_TB_MAX_POINTS;
  size_t count = stride ? (plan->instruction_count + stride - 1) / stride : 0;
  double *live = etr_arena_alloc_array(arena, count, sizeof *live),
         *sums = etr_arena_alloc_array(arena, 2, sizeof *sums);
  if (!live || !sums) return false;
  for (size_t i = 0; count && i < plan->instruction_count; i++)
    live[i / stride] = ETR_MAX(live[i / stride], (double)plan->live_bytes[i]);
  sums[0] = (double)plan->peak_bytes;
  sums[1] = (double)plan->planned_bytes;
  add_memory(&b, "live", live, count, stride);
  add_memory(&b, "peak", &sums[0], 1, 1);
  add_memory(&b, "planned", &sums[1], 1, 1);
  *out = (etr_tb_curves){b.curves.data, b.curves.count};
  return !etr_arena_failed(arena);
}
