/* SPDX-License-Identifier: BSD-3-Clause
 *
 * amount.h - products of sizes that may be unknown, an example, or too large to count. Layer 3.
 */
#ifndef ETR_AMOUNT_H
#define ETR_AMOUNT_H

#include "base/base.h"

/** A number that remembers how it came about: unknown stays unknown, whatever it is multiplied by or added to. */
typedef struct etr_amount {
  uint64_t count;
  bool is_unknown; /* a size is not known */
  bool from_hints; /* a size is the example that the export recorded */
  bool overflows;  /* it is beyond 2^63, and unknown for that */
} etr_amount;

static inline etr_amount etr_amount_of(uint64_t count) { return (etr_amount){.count = count}; }
static inline etr_amount etr_amount_unknown(void) { return (etr_amount){.is_unknown = true}; }

/** The count; ETR_UNKNOWN if it is not known. */
static inline uint64_t etr_amount_count(const etr_amount *amount) {
  return amount->is_unknown ? ETR_UNKNOWN : amount->count;
}

void etr_amount_add(etr_amount *amount, etr_amount other);
void etr_amount_multiply(etr_amount *amount, etr_amount other);

/** The size of a dimension, or its hint. Unknown: a symbolic one without. */
etr_amount etr_amount_of_dim(const etr_dim *dim);

/** Multiplies by the sizes of dimensions [from, to) of a tensor; unknown if it does not have them, or they are the most
 * that there can be. */
void etr_amount_multiply_dims(etr_amount *amount, const etr_value *value, int32_t from, int32_t to);

/** How many elements a tensor has, and how many bytes they take. */
etr_amount etr_elements_of(const etr_value *value);
etr_amount etr_bytes_of(const etr_value *value);

#endif
