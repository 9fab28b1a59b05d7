/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_size.c - products of sizes.
 */
#include "memory/value_size.h"

#include "formats/element.h"

/* Multiplies *bytes by the size of a dimension, unless that is beyond 64 bits. */
static bool scale(uint64_t *bytes, int64_t size) {
  if (size < 0 || (size > 0 && *bytes > UINT64_MAX / (uint64_t)size)) return false;
  *bytes *= (uint64_t)size;
  return true;
}

bool etr_pte_value_bytes(const etr_pte_value *value, uint64_t *bytes) {
  uint64_t product = etr_dtype_bytes(value->dtype);
  bool good = product > 0;
  for (int32_t i = 0; good && i < value->rank; i++) good = scale(&product, value->sizes[i]);
  *bytes = good ? product : 0;
  return good;
}

bool etr_value_bytes(const etr_value *value, uint64_t *bytes) {
  uint64_t product = etr_dtype_bytes(value->dtype);
  if (product == 0 || value->rank < 0) return false;
  for (int32_t i = 0; i < value->rank; i++) {
    const etr_dim *dim = &value->dims[i];
    if (!scale(&product, dim->size == ETR_DIM_SYMBOLIC ? dim->hint : dim->size)) return false;
  }
  *bytes = product;
  return true;
}
