/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_rules.c - rules about planned tensors, and all findings together.
 */
#include "views/memory_rules.h"

#include "output/writer.h"

const char *etr_memory_finding_kind_name(etr_memory_finding_kind kind) {
  static const char *const names[] = {"peak",  "one_operator", "fragmentation", "in_place",
                                      "order", "waiting",      "stored_twice",  "float_beside_int8"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "";
}

/* ---- What rules share ---- */

etr_memory_finding *etr_memory_finder_add(etr_memory_finder *f, etr_memory_finding_kind kind, uint64_t bytes,
                                          uint64_t of) {
  bool counts = bytes >= ETR_MEMORY_LEAST_BYTES && (double)bytes >= ETR_MEMORY_LEAST_SHARE * (double)of;
  etr_memory_finding *added = counts ? etr_vec_push(f->arena, &f->found) : NULL;
  if (added)
    *added = (etr_memory_finding){.kind = kind, .title = "", .evidence = "", .bytes = bytes, .instruction = -1};
  return added;
}

static const char *bytes_of(const etr_memory_finder *f, uint64_t bytes) { return etr_bytes_text(f->arena, bytes); }

/* "instruction 9, aten.hardtanh.default" */
static const char *step_text(const etr_memory_finder *f, int32_t instruction) {
  const char *text = etr_arena_format(f->arena, "instruction %d, %.*s", (int)instruction,
                                      ETR_HEAD(etr_memory_step_op(f->profile, f->method, instruction), 128));
  return text ? text : "";
}

/* Adds "NAME 1,024" to a list. */
static void name_tensor(const etr_memory_finder *f, etr_writer *writer, size_t place,
                        const etr_planned_tensor *tensor) {
  enum { LISTED = 4 };
  if (place < LISTED)
    etr_putf(writer, "%s%.*s %s", place ? ", " : "", ETR_HEAD(tensor->tensor.name, 96),
             bytes_of(f, tensor->size_bytes));
  else if (place == LISTED)
    etr_puts(writer, ", ...");
}

/* ---- The peak ---- */

static void find_peak(etr_memory_finder *f) {
  size_t count, taken = 0;
  uint64_t bytes = 0;
  etr_text text;
  etr_writer writer;
  const uint32_t *live = etr_live_tensors_make(&count, f->arena, f->plan, f->plan->peak_instruction);
  etr_text_begin(&text, f->arena, &writer);
  for (; live && taken < count && (double)bytes < ETR_MEMORY_PEAK_SHARE * (double)f->plan->peak_bytes; taken++) {
    const etr_planned_tensor *tensor = &f->plan->tensors[live[taken]];
    name_tensor(f, &writer, taken, tensor);
    bytes += tensor->size_bytes;
  }
  const char *names = etr_text_end(&text, &writer);
  if (taken > ETR_MEMORY_PEAK_TENSORS) return;
  etr_memory_finding *added = etr_memory_finder_add(f, ETR_MEMORY_PEAK, bytes, f->plan->peak_bytes);
  if (!added) return;
  added->title = etr_arena_format(f->arena, "%zu of %zu live tensors set%s the peak", taken, count,
                                  taken == 1 ? "s" : "");
  added->evidence = etr_arena_format(f->arena, "%s: %s", step_text(f, f->plan->peak_instruction), names ? names : "");
  added->instruction = f->plan->peak_instruction;
}

static void find_one_operator(etr_memory_finder *f) {
  if (f->plan->instruction_count < 2) return;
  /* The most that is live at any instruction but one. */
  uint64_t rest = 0;
  for (size_t i = 0; i < f->plan->instruction_count; i++)
    if ((int32_t)i != f->plan->peak_instruction) rest = ETR_MAX(rest, f->plan->live_bytes[i]);
  etr_memory_finding *added = etr_memory_finder_add(f, ETR_MEMORY_ONE_OPERATOR, f->plan->peak_bytes - rest,
                                                    f->plan->peak_bytes);
  if (!added) return;
  added->title = "one operator alone causes the peak";
  added->evidence = etr_arena_format(f->arena, "%s: %s bytes are live; at no other instruction more than %s",
                                     step_text(f, f->plan->peak_instruction), bytes_of(f, f->plan->peak_bytes),
                                     bytes_of(f, rest));
  added->instruction = f->plan->peak_instruction;
}

static void find_fragmentation(etr_memory_finder *f) {
  uint64_t peaks = 0;
  for (size_t i = 0; i < f->plan->buffer_count; i++) peaks += f->plan->buffers[i].peak_bytes;
  if (peaks >= f->plan->planned_bytes) return;
  etr_memory_finding *added = etr_memory_finder_add(f, ETR_MEMORY_FRAGMENTATION, f->plan->planned_bytes - peaks,
                                                    f->plan->planned_bytes);
  if (!added) return;
  added->title = "planned, but never live at once (gaps between tensors, padding)";
  added->evidence = etr_arena_format(f->arena, "%s bytes are planned, at most %s are live",
                                     bytes_of(f, f->plan->planned_bytes), bytes_of(f, peaks));
}

/* Made before the peak and last needed behind it. */
static bool waits(const etr_memory_finder *f, const etr_planned_tensor *tensor) {
  int32_t peak = f->plan->peak_instruction;
  return tensor->role == ETR_TENSOR_ACTIVATION && etr_tensor_is_live(tensor, peak) &&
         tensor->first_instruction < peak && tensor->last_instruction > peak;
}

static void find_waiting(etr_memory_finder *f) {
  uint64_t bytes = 0;
  size_t count = 0;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, f->arena, &writer);
  for (size_t i = 0; i < f->plan->tensor_count; i++) {
    const etr_planned_tensor *tensor = &f->plan->tensors[i];
    if (!waits(f, tensor)) continue;
    name_tensor(f, &writer, count++, tensor);
    bytes += tensor->size_bytes;
  }
  const char *names = etr_text_end(&text, &writer);
  etr_memory_finding *added = etr_memory_finder_add(f, ETR_MEMORY_WAITING, bytes, f->plan->peak_bytes);
  if (!added) return;
  added->title = etr_arena_format(f->arena, "%zu tensor%s made before the peak %s needed behind it", count,
                                  count == 1 ? "" : "s", count == 1 ? "is" : "are");
  added->evidence = etr_arena_format(f->arena, "%s; another order, or computing %s again, could spare at most that",
                                     names ? names : "", count == 1 ? "it" : "them");
  added->instruction = f->plan->peak_instruction;
}

/* ---- All ---- */

static int by_bytes(const void *a, const void *b) {
  const etr_memory_finding *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
  return (x->kind > y->kind) - (x->kind < y->kind);
}

const etr_memory_finding *etr_memory_findings_make(size_t *count, etr_arena *arena, const etr_profile *profile,
                                                   const etr_method *method) {
  static const etr_memory_finding none = {.title = "", .evidence = ""};
  etr_memory_finder f = {.profile = profile, .method = method, .plan = method->memory, .arena = arena};
  *count = 0;
  if (f.plan && f.plan->peak_instruction >= 0) {
    find_peak(&f);
    find_one_operator(&f);
    find_fragmentation(&f);
    find_waiting(&f);
    etr_memory_find_in_place(&f);
    etr_memory_find_order(&f);
  }
  etr_memory_find_stored_twice(&f);
  etr_memory_find_float_beside(&f);
  if (etr_arena_failed(arena)) return NULL;
  etr_sort(f.found.data, f.found.count, sizeof *f.found.data, by_bytes);
  *count = f.found.count;
  return *count ? f.found.data : &none;
}
