/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base.c - errors, slices, sorting, and the names of the public enumerations.
 */
#include "base/base.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

bool etr_slice_starts(etr_slice slice, etr_slice prefix) {
  return slice.size >= prefix.size && etr_slice_equal((etr_slice){slice.data, prefix.size}, prefix);
}

bool etr_slice_ends(etr_slice slice, etr_slice suffix) {
  return slice.size >= suffix.size &&
         etr_slice_equal((etr_slice){slice.data + (slice.size - suffix.size), suffix.size}, suffix);
}

/* A binary file that was copied as text has a carriage return before every line feed. */
bool etr_slice_is_text_copy(etr_slice bytes) {
  /* By chance only one line feed of 256 follows a carriage return, so that so many say enough. */
  enum { MIN_LINES = 8 };
  size_t lines = 0;
  for (size_t i = 0; i < bytes.size; i++) {
    if (bytes.data[i] != '\n')
      continue;
    if (i == 0 || bytes.data[i - 1] != '\r')
      return false;
    lines++;
  }
  return lines >= MIN_LINES;
}

bool etr_slice_to_int(etr_slice slice, int64_t *out) {
  size_t position = 0;
  bool negative = slice.size > 0 && slice.data[0] == '-';
  if (negative)
    position++;
  if (position == slice.size)
    return false;
  uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
  uint64_t value = 0;
  for (; position < slice.size; position++) {
    if (slice.data[position] < '0' || slice.data[position] > '9')
      return false;
    uint64_t digit = (uint64_t)(slice.data[position] - '0');
    if (value > (limit - digit) / 10)
      return false;
    value = value * 10 + digit;
  }
  *out = negative ? (int64_t)(0 - value) : (int64_t)value;
  return true;
}

/* Most lists are in order already, because files have them in order: they are only compared. */
void etr_sort(void *list, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  const char *item = list;
  size_t sorted = 1;
  while (sorted < count && compare(item + (sorted - 1) * size, item + sorted * size) <= 0)
    sorted++;
  if (sorted < count)
    qsort(list, count, size, compare);
}

int etr_by_int(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a;
  int32_t y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

int etr_by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Compares elements that start with a uint32_t, for sorting. */
int etr_by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a;
  uint32_t y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

int etr_by_two_numbers(const void *a, const void *b) {
  int compared = etr_by_number(a, b);
  return compared ? compared : etr_by_number((const uint32_t *)a + 1, (const uint32_t *)b + 1);
}

size_t etr_lower_bound(const void *wanted, const void *list, size_t count, size_t size,
                       int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare((const char *)list + middle * size, wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

size_t etr_find_int(int32_t wanted, const void *list, size_t count, size_t size) {
  const char *elements = list;
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (*(const int32_t *)(const void *)(elements + middle * size) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  bool is_there = low < count && *(const int32_t *)(const void *)(elements + low * size) == wanted;
  return is_there ? low : count;
}

#ifdef ETR_CHECKS
_Noreturn void etr_check_failed(const char *condition, const char *file, int line) {
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
  abort();
}
#endif

etr_status etr_fail_memory(etr_error *error) {
  return etr_fail_memory_of(error, NULL, NULL);
}

etr_status etr_fail_memory_of(etr_error *error, const char *file, const char *entry) {
  return etr_fail(error, ETR_ERROR_MEMORY, file, entry, ETR_NO_OFFSET, "out of memory");
}

etr_status etr_fail_sink(etr_error *error) {
  return etr_fail(error, ETR_ERROR_IO, NULL, NULL, ETR_NO_OFFSET, "cannot write the output");
}

void etr_error_clear(etr_error *error) {
  if (error)
    *error = (etr_error){.offset = ETR_NO_OFFSET};
}

etr_slice etr_slice_head(const char *text, size_t most) {
  size_t size = strnlen(text, most + 1);
  if (size <= most)
    return (etr_slice){text, size};
  return (etr_slice){text, etr_utf8_floor(text, most)};
}

/* Copies a text, NULL being empty, to `room` bytes with a NUL; a longer one is cut between
 * characters. */
static void copy_cut(char *into, size_t room, const char *text) {
  etr_slice head = etr_slice_head(text ? text : "", room - 1);
  memcpy(into, head.data, head.size);
  into[head.size] = '\0';
}

/* Texts that are too long are cut between characters. */
etr_status etr_fail(etr_error *error, etr_status status, const char *file, const char *entry,
                    uint64_t offset, const char *format, ...) {
  /* Longer than the error's, so that the last character that fits is complete. */
  char message[sizeof error->message + 4];
  if (!error)
    return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  copy_cut(error->message, sizeof error->message, message);
  copy_cut(error->file, sizeof error->file, file);
  copy_cut(error->entry, sizeof error->entry, entry);
  error->offset = offset;
  return status;
}

const char *etr_node_kind_name(etr_node_kind kind) {
  static const char *const names[] = {"op", "input", "output", "parameter", "buffer", "constant"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "op";
}

const char *etr_node_argument(const etr_node *node, const char *name) {
  for (size_t i = 0; i < node->argument_count; i++)
    if (strcmp(node->arguments[i].name, name) == 0)
      return node->arguments[i].value;
  return NULL;
}

const char *etr_match_name(etr_match match) {
  static const char *const names[] = {"none",      "handle",     "delegate_map", "payload",
                                      "order",     "aligned",    "delegate",     "name",
                                      "framework", "instruction"};
  return (size_t)match < ETR_COUNT(names) ? names[match] : "none";
}

const char *etr_event_role_name(etr_event_role role) {
  static const char *const names[] = {NULL, "operator", "container", "phase", "counter"};
  return (size_t)role < ETR_COUNT(names) ? names[role] : NULL;
}

const char *etr_compute_unit_name(etr_compute_unit unit) {
  static const char *const names[] = {NULL, "NPU", "GPU", "CPU"};
  return (size_t)unit < ETR_COUNT(names) ? names[unit] : NULL;
}

const char *etr_phase_name(etr_phase phase) {
  static const char *const names[] = {NULL, "copy_in", "compute", "wait", "copy_out", "other"};
  return (size_t)phase < ETR_COUNT(names) ? names[phase] : NULL;
}

const char *etr_event_unit_name(etr_event_unit unit) {
  static const char *const names[] = {"ns", "cycles", "count", "bytes"};
  return (size_t)unit < ETR_COUNT(names) ? names[unit] : "ns";
}

const char *etr_debug_kind_name(etr_debug_kind kind) {
  static const char *const names[] = {"none", "tensor", "int", "double", "bool"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "none";
}

const char *etr_statistic_name(etr_statistic statistic) {
  static const char *const names[] = {"typical", "avg", "p50"};
  return (size_t)statistic < ETR_COUNT(names) ? names[statistic] : "typical";
}

double etr_ticks_to_ns(const etr_profile *profile, double ticks) {
  return ticks * (1e9 / profile->ticks_per_second);
}
