/* SPDX-License-Identifier: BSD-3-Clause
 *
 * amount.c - sizes multiplied and added up.
 */
#include "cost/amount.h"

#include "formats/element.h"

/* Counts are kept below 2^63, so that ETR_UNKNOWN is none of them and a sum of two does not wrap. */
static void take_marks(etr_amount *amount, const etr_amount *other) {
  amount->is_unknown |= other->is_unknown;
  amount->from_hints |= other->from_hints;
  amount->overflows |= other->overflows;
}

static void set(etr_amount *amount, uint64_t count, bool overflows) {
  amount->count = count;
  if (!overflows && count <= INT64_MAX) return;
  amount->is_unknown = amount->overflows = true;
  amount->count = 0;
}

void etr_amount_add(etr_amount *amount, etr_amount other) {
  take_marks(amount, &other);
  if (!amount->is_unknown) set(amount, amount->count + other.count, false);
}

void etr_amount_multiply(etr_amount *amount, etr_amount other) {
  take_marks(amount, &other);
  if (amount->is_unknown) return;
  bool overflows = other.count && amount->count > UINT64_MAX / other.count;
  set(amount, overflows ? 0 : amount->count * other.count, overflows);
}

etr_amount etr_amount_of_dim(const etr_dim *dim) {
  if (dim->size >= 0) return etr_amount_of((uint64_t)dim->size);
  if (dim->hint < 0) return etr_amount_unknown();
  return (etr_amount){.count = (uint64_t)dim->hint, .from_hints = true};
}

void etr_amount_multiply_dims(etr_amount *amount, const etr_value *value, int32_t from, int32_t to) {
  if (from < 0 || to > value->rank || value->is_bound) amount->is_unknown = true;
  for (int32_t i = from; i >= 0 && i < to && i < value->rank; i++)
    etr_amount_multiply(amount, etr_amount_of_dim(&value->dims[i]));
}

etr_amount etr_elements_of(const etr_value *value) {
  etr_amount elements = etr_amount_of(1);
  if (value->rank < 0) return etr_amount_unknown();
  etr_amount_multiply_dims(&elements, value, 0, value->rank);
  return elements;
}

/* A symbolic number is in no memory that counts. */
static bool is_number(const etr_value *value) {
  static const char *const types[] = {"int", "bool", "float"};
  for (size_t i = 0; value->rank < 0 && value->dtype && i < ETR_COUNT(types); i++)
    if (strcmp(value->dtype, types[i]) == 0) return true;
  return false;
}

etr_amount etr_bytes_of(const etr_value *value) {
  if (is_number(value)) return etr_amount_of(0);
  uint8_t size = etr_dtype_bytes(value->dtype);
  etr_amount bytes = etr_elements_of(value);
  etr_amount_multiply(&bytes, size ? etr_amount_of(size) : etr_amount_unknown());
  return bytes;
}
