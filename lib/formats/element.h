/* SPDX-License-Identifier: BSD-3-Clause
 *
 * element.h - the number types of tensors, and their bytes as doubles. Layer 1.
 *
 * A double holds every value of every type but the 64-bit integers, which are rounded to 53 bits.
 */
#ifndef ETR_ELEMENT_H
#define ETR_ELEMENT_H

#include "base/base.h"

/** torch's name of ExecuTorch's ScalarType (exir/_serialize/scalar_type.fbs) without "torch.": "float32"; NULL if there
 * is none. Static. */
const char *etr_scalar_type_name(uint8_t scalar_type);

/** The same of torch.export's ScalarType (torch/_export/serde/schema.py), whose numbers are others. */
const char *etr_export_scalar_type_name(int64_t scalar_type);

/** A number type that can be read. */
typedef struct etr_element {
  const char *dtype;   /* torch's name without "torch." */
  const char *storage; /* its class in an archive of torch.save: "FloatStorage"; NULL if it has none of its own */
  uint8_t size;        /* bytes */
  uint8_t format;      /* element.c's */
  uint8_t exponent_bits, mantissa_bits;
} etr_element;

/** The type with this name, or NULL: complex numbers, and what is packed into parts of bytes. */
const etr_element *etr_element_of_dtype(const char *dtype);

/** The type whose storages torch.save calls so, or NULL. */
const etr_element *etr_element_of_storage(etr_slice storage);

/** Bytes of one element; 0: the type is unknown, or packed into parts of bytes. Complex numbers have some, too. */
uint8_t etr_dtype_bytes(const char *dtype);

/** Reads `count` little-endian numbers. bool gives 0 or 1. */
void etr_element_decode(const etr_element *element, const uint8_t *bytes, size_t count, double *into);

#endif
