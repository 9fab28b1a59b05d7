/* SPDX-License-Identifier: BSD-3-Clause
 *
 * element.h - the number types of tensors, and the conversion of their bytes to doubles. Layer 1.
 *
 * A double represents every value of every type exactly, except for 64-bit integers, which are
 * rounded to 53 bits.
 */
#ifndef ETR_ELEMENT_H
#define ETR_ELEMENT_H

#include "base/base.h"

/** Returns torch's name of an ExecuTorch ScalarType (exir/_serialize/scalar_type.fbs), without
 * "torch.": "float32". NULL if there is none. Static. */
const char *etr_scalar_type_name(uint8_t scalar_type);

/** Returns torch's name of a torch.export ScalarType (torch/_export/serde/schema.py), which has
 * other numbers than ExecuTorch's. NULL if there is none. Static. */
const char *etr_export_scalar_type_name(int64_t scalar_type);

/** A number type that can be read. */
typedef struct etr_element {
  const char *dtype;   /* torch's name without "torch." */
  const char *storage; /* name of its storage class in an archive of torch.save: "FloatStorage";
                          NULL if it has no class of its own */
  uint8_t size;        /* bytes */
  uint8_t format;      /* used in element.c only */
  uint8_t exponent_bits, mantissa_bits;
} etr_element;

/** Returns the type with this name, such as "float32". NULL if it is unknown, complex, or packed
 * into parts of bytes. */
const etr_element *etr_element_of_dtype(const char *dtype);

/** Returns the type with this storage class in archives of torch.save, or NULL. */
const etr_element *etr_element_of_storage(etr_slice storage);

/** Returns the size of one element in bytes, also for complex numbers; 0 if the type is unknown or
 * packed into parts of bytes. */
uint8_t etr_dtype_bytes(const char *dtype);

/** Converts `count` little-endian numbers to doubles. bool becomes 0 or 1. */
void etr_element_decode(const etr_element *element, const uint8_t *bytes, size_t count,
                        double *into);

#endif
