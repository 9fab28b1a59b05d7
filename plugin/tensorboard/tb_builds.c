/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_builds.c - takes the points of a build from the profile and from what `compare` shows of it.
 */
#include "tensorboard/tb_curves.h"
#include "tensorboard/tb_tags.h"
#include "views/record_set.h"

#include <math.h>

typedef struct builder {
  etr_arena *arena;
  const etr_profile *profile;
  const etr_record_set *set;    /* its last record is the build */
  const etr_set_record *record; /* the build */
  const char *suffix;           /* end of tags */
  etr_tb_tags tags;
  etr_tb_build_points *out;
} builder;

/* Adds the point of this build to the curve GROUP/NAME over builds, unless the value is unknown
 * (not finite). When out of memory, the arena has failed. */
static void add_point(builder *b, const char *group, const char *name, double value) {
  if (!isfinite(value))
    return;
  const char *tag = etr_tb_tag(&b->tags, group, name, b->suffix);
  etr_tb_build_point *added = tag ? etr_vec_push(b->arena, &b->out->list) : NULL;
  if (added)
    *added = (etr_tb_build_point){.tag = tag, .value = value};
}

/* Adds a text that says by how much a method surely got slower or faster than in the build before.
 * The words come from the change alone, so the profiles of the comparison are stand-ins. */
static void add_change_text(builder *b, const etr_set_method *method) {
  enum { ROOM = 512 };
  char words[ROOM];
  const etr_comparison comparison = {.base = b->set->first, .newer = b->set->first};
  etr_describe_change(words, sizeof words, &comparison, method->change);
  const char *tag = etr_tb_tag(&b->tags, ETR_TB_BUILDS_TEXT, "change", b->suffix);
  const char *text = etr_arena_format(b->arena, "%s than the build before", words);
  etr_tb_build_point *added = tag && text ? etr_vec_push(b->arena, &b->out->list) : NULL;
  if (added)
    *added = (etr_tb_build_point){.tag = tag, .text = text};
}

/* Returns a time of the set, which counts in ticks of its first record. */
static double millis(const builder *b, double ticks) {
  return etr_ticks_to_unit(b->set->first, ticks, ETR_UNIT_MS);
}

/* Adds the times of a method in ms and its tokens per second. If the method became slower or faster
 * than in the build before, a point with its typical time marks this on the curve of all builds,
 * and a text says by how much: a mark alone may be read as an amount. */
static void add_time_points(builder *b, const etr_set_method *method) {
  double typical = millis(b, method->typical);
  add_point(b, ETR_TB_BUILDS, "typical", typical);
  add_point(b, ETR_TB_BUILDS, "low", millis(b, method->figures.low));
  add_point(b, ETR_TB_BUILDS, "high", millis(b, method->figures.high));
  add_point(b, ETR_TB_BUILDS, "load", millis(b, method->figures.load));
  etr_verdict verdict = method->change ? method->change->verdict : ETR_VERDICT_UNTIMED;
  if (verdict == ETR_VERDICT_SLOWER || verdict == ETR_VERDICT_FASTER) {
    add_point(b, ETR_TB_BUILDS, verdict == ETR_VERDICT_SLOWER ? "slower" : "faster", typical);
    add_change_text(b, method);
  }
  if (method->figures.ms_per_token > 0)
    add_point(b, ETR_TB_BUILDS_TOKENS, "per_second", 1e3 / method->figures.ms_per_token);
}

/* Adds the typical time of each part of a method, in ms, over all backends. */
static void add_part_points(builder *b, const etr_method *method) {
  double sums[ETR_TIME_PARTS] = {0};
  for (size_t i = 0; i < method->part_count; i++)
    sums[method->parts[i].part] += method->parts[i].typical;
  for (etr_time_part part = 0; part < ETR_TIME_PARTS; part++)
    if (sums[part] > 0)
      add_point(b, ETR_TB_BUILDS_PARTS, etr_time_part_name(part),
                etr_ticks_to_unit(b->profile, sums[part], ETR_UNIT_MS));
}

typedef struct kernel_time {
  const char *name;
  double time; /* in ticks of the set */
} kernel_time;

/* Orders kernels by time, the longest first. */
static int by_time(const void *x, const void *y) {
  const kernel_time *a = x, *b = y;
  if (a->time != b->time)
    return a->time < b->time ? 1 : -1;
  return strcmp(a->name, b->name);
}

/* Adds the times in ms of those kernels of the method that take longest in the build. There are at
 * most ETR_TB_MOST_KERNELS of them. */
static void add_kernel_points(builder *b, const etr_set_method *method) {
  kernel_time *kernels = etr_arena_alloc_array(b->arena, b->set->rows.count, sizeof *kernels);
  size_t count = 0;
  size_t build = b->set->records.count - 1; /* the last record of the set */
  for (size_t i = 0; kernels && i < b->set->rows.count; i++) {
    const etr_set_row *row = &b->set->rows.data[i];
    double time = etr_set_row_time(row, build);
    if (time > 0 && strcmp(row->method, method->name) == 0)
      kernels[count++] = (kernel_time){row->name, time};
  }
  if (count > 0)
    etr_sort(kernels, count, sizeof *kernels, by_time);
  for (size_t i = 0; i < ETR_MIN(count, ETR_TB_MOST_KERNELS); i++)
    add_point(b, ETR_TB_BUILDS_KERNELS, kernels[i].name, millis(b, kernels[i].time));
}

/* Adds the points of all methods that ran, and the bytes of the program and of the memory that it
 * plans. The method of the profile that has the same name and ran gives the end of the tags and the
 * parts. */
static void add_all_points(builder *b) {
  const etr_profile *profile = b->profile;
  for (size_t i = 0; i < b->record->methods.count; i++) {
    const etr_set_method *method = &b->record->methods.data[i];
    if (method->runs == 0)
      continue;
    size_t method_index = 0;
    while (method_index < profile->method_count &&
           (profile->methods[method_index].run_count == 0 ||
            strcmp(profile->methods[method_index].name, method->name) != 0))
      method_index++;
    b->suffix = method_index < profile->method_count
                    ? etr_tb_suffix(b->arena, profile, &profile->methods[method_index])
                    : NULL;
    if (!b->suffix)
      continue;
    add_time_points(b, method);
    add_part_points(b, &profile->methods[method_index]);
    add_kernel_points(b, method);
  }
  b->suffix = "";
  add_point(b, ETR_TB_BUILDS_BYTES, "pte", b->record->pte_bytes);
  add_point(b, ETR_TB_BUILDS_BYTES, "planned", b->record->planned_bytes);
}

etr_status etr_tb_build_points_make(etr_tb_build_points *out, etr_arena *arena,
                                    const etr_profile *profile, const etr_profile *before,
                                    etr_error *error) {
  const etr_record_set_options options = {.by = ETR_RECORDS_BY_KERNEL};
  etr_record_set *set;
  *out = (etr_tb_build_points){0};
  etr_status status = etr_record_set_open(&set, &options, error);
  if (status == ETR_OK && before)
    status = etr_record_set_add(set, before, "before", "", error);
  if (status == ETR_OK)
    status = etr_record_set_add(set, profile, "build", "", error);
  if (status == ETR_OK)
    status = etr_record_set_finish(set, error);
  if (status == ETR_OK) {
    builder b = {.arena = arena,
                 .profile = profile,
                 .set = set,
                 .record = &set->records.data[set->records.count - 1],
                 .out = out};
    etr_tb_tags_init(&b.tags, arena);
    add_all_points(&b);
    if (etr_arena_failed(arena))
      status = etr_fail_memory(error);
  }
  etr_record_set_close(set);
  return status;
}
