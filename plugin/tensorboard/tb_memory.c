/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_memory.c - planned memory as curves.
 */
#include "tensorboard/tb_curves.h"

typedef struct builder {
  etr_arena *arena;
  const char *suffix;
  etr_vec(etr_tb_curve) curves;
} builder;

static void add_curve(builder *b, const char *name, const double *values, size_t count, size_t stride) {
  const char *tag = etr_arena_format(b->arena, "memory_bytes/%s%s", name, b->suffix);
  etr_tb_curve *added = tag && values ? etr_vec_push(b->arena, &b->curves) : NULL;
  if (added) *added = (etr_tb_curve){.tag = tag, .values = values, .stride = (int64_t)stride, .count = count};
}

static void add_point(builder *b, const char *name, uint64_t bytes) {
  double *value = etr_arena_alloc(b->arena, sizeof *value);
  if (value) *value = (double)bytes;
  add_curve(b, name, value, 1, 1);
}

static void add_live(builder *b, const etr_memory_plan *plan) {
  size_t stride = (plan->instruction_count + ETR_TB_MAX_POINTS - 1) / ETR_TB_MAX_POINTS;
  size_t count = stride ? (plan->instruction_count + stride - 1) / stride : 0;
  double *values = etr_arena_alloc_array(b->arena, count, sizeof *values);
  for (size_t i = 0; values && count && i < plan->instruction_count; i++)
    values[i / stride] = ETR_MAX(values[i / stride], (double)plan->live_bytes[i]);
  add_curve(b, "live", values, count, stride);
}

bool etr_tb_memory_curves_build(etr_tb_curves *out, etr_arena *arena, const etr_profile *profile,
                                const etr_method *method) {
  builder b = {.arena = arena};
  *out = (etr_tb_curves){0};
  if (!method->memory || method->memory->peak_instruction < 0) return true;
  b.suffix = etr_tb_tag_suffix(arena, profile, method);
  if (!b.suffix) return false;
  add_live(&b, method->memory);
  add_point(&b, "peak", method->memory->peak_bytes);
  add_point(&b, "planned", method->memory->planned_bytes);
  *out = (etr_tb_curves){b.curves.data, b.curves.count};
  return !etr_arena_failed(arena);
}
