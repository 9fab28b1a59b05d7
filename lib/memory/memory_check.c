/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_check.c - places, sizes, overlaps.
 */
#include "memory/memory_check.h"

#include "memory/value_size.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_WARNINGS = 8 };

/* "forward: tensor "x" (instruction 5)" */
enum { SUBJECT_BYTES = 256 };

static const char *subject_of(const etr_memory_check *check, const etr_planned_tensor *tensor, char *room) {
  snprintf(room, SUBJECT_BYTES, "%.*s: tensor \"%.*s\" (instruction %d)", ETR_HEAD(check->method, 64),
           ETR_HEAD(tensor->tensor.name, 96), (int)tensor->first_instruction);
  return room;
}

/* True if one more warning is shown. */
static bool takes_warning(etr_memory_check *check) { return check->warned++ < MOST_WARNINGS; }

static void warn(etr_memory_check *check, const etr_planned_tensor *tensor, const char *what) {
  char room[SUBJECT_BYTES];
  if (takes_warning(check))
    etr_warn(check->source->warnings, check->source->file, check->source->entry, ETR_NO_OFFSET,
             "%s %s; it is in no sum of the memory plan. The .pte is damaged: export it again",
             subject_of(check, tensor, room), what);
}

/* ---- Places ---- */

static void check_place(etr_memory_check *check, etr_planned_tensor *tensor) {
  char what[SUBJECT_BYTES];
  const etr_pte_buffers *buffers = &check->program->buffers;
  uint64_t bytes;
  tensor->is_misplaced = true;
  if (!etr_pte_value_bytes(&check->program->values[tensor->value], &bytes)) {
    warn(check, tensor, "has sizes or a number type that give no number of bytes");
    return;
  }
  if (tensor->buffer >= buffers->count) {
    snprintf(what, sizeof what, "is planned into buffer %" PRIu32 ", but there are %zu", tensor->buffer,
             buffers->count ? buffers->count - 1 : 0);
    warn(check, tensor, what);
    return;
  }
  uint64_t size = buffers->sizes[tensor->buffer] > 0 ? (uint64_t)buffers->sizes[tensor->buffer] : 0;
  tensor->is_misplaced = tensor->offset_bytes > size || bytes > size - tensor->offset_bytes;
  if (!tensor->is_misplaced) return;
  snprintf(what, sizeof what,
           "takes %" PRIu64 " bytes from offset %" PRIu64 " on, beyond buffer %" PRIu32 " of %" PRId64, bytes,
           tensor->offset_bytes, tensor->buffer, buffers->sizes[tensor->buffer]);
  warn(check, tensor, what);
}

void etr_memory_check_places(etr_memory_check *check, etr_planned_tensor *tensors, size_t count) {
  for (size_t i = 0; i < count; i++) check_place(check, &tensors[i]);
}

/* ---- Overlaps ---- */

static bool has_own_memory(const etr_planned_tensor *tensor) {
  return tensor->view_of == ETR_NONE && !tensor->is_misplaced && tensor->size_bytes > 0;
}

static bool overlap(const etr_planned_tensor *a, const etr_planned_tensor *b) {
  return a->buffer == b->buffer && a->offset_bytes < b->offset_bytes + b->size_bytes &&
         b->offset_bytes < a->offset_bytes + a->size_bytes;
}

static void warn_of_overlap(etr_memory_check *check, const etr_planned_tensor *earlier,
                            const etr_planned_tensor *later) {
  char room[SUBJECT_BYTES];
  if (takes_warning(check))
    etr_warn(check->source->warnings, check->source->file, check->source->entry, ETR_NO_OFFSET,
             "%s shares memory of buffer %" PRIu32 " with \"%.*s\", which is needed until instruction %d; both count",
             subject_of(check, later, room), later->buffer, ETR_HEAD(earlier->tensor.name, 96),
             (int)earlier->last_instruction);
}

static int by_first_use(const void *a, const void *b) {
  const etr_planned_tensor *const *x = a, *const *y = b;
  if ((*x)->first_instruction != (*y)->first_instruction)
    return (*x)->first_instruction < (*y)->first_instruction ? -1 : 1;
  return (*x > *y) - (*x < *y);
}

/* Holds a tensor against those that are live when it comes, and drops those that are not. Returns how many are left. */
static size_t compare_with_live(etr_memory_check *check, const etr_planned_tensor **live, size_t count,
                                const etr_planned_tensor *tensor) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (live[i]->last_instruction < tensor->first_instruction) continue;
    if (overlap(live[i], tensor)) warn_of_overlap(check, live[i], tensor);
    live[kept++] = live[i];
  }
  return kept;
}

bool etr_memory_check_overlaps(etr_memory_check *check, const etr_planned_tensor *tensors, size_t count,
                               etr_arena *scratch) {
  enum { MOST_COMPARISONS = 1 << 26 };
  const etr_planned_tensor **list = etr_arena_alloc_array(scratch, count, sizeof *list),
                           **live = etr_arena_alloc_array(scratch, count, sizeof *live);
  size_t listed = 0, live_count = 0, left = MOST_COMPARISONS;
  if (!list || !live) return false;
  for (size_t i = 0; i < count; i++)
    if (has_own_memory(&tensors[i])) list[listed++] = &tensors[i];
  etr_sort(list, listed, sizeof *list, by_first_use);
  for (size_t i = 0; i < listed; i++) {
    check->is_cut = left <= live_count;
    if (check->is_cut) break;
    left -= live_count;
    live_count = compare_with_live(check, live, live_count, list[i]);
    live[live_count++] = list[i];
  }
  return true;
}

void etr_memory_check_end(etr_memory_check *check) {
  if (check->warned > MOST_WARNINGS)
    etr_warn(check->source->warnings, check->source->file, check->source->entry, ETR_NO_OFFSET,
             "%.*s: %zu more contradictions in the memory plan", ETR_HEAD(check->method, 64),
             check->warned - MOST_WARNINGS);
}
