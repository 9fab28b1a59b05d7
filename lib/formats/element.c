/* SPDX-License-Identifier: BSD-3-Clause
 *
 * element.c - bytes of tensors as doubles.
 */
#include "formats/element.h"

#include <math.h>

enum {
  UNSIGNED,
  SIGNED,
  BOOLEAN,
  IEEE,          /* the largest exponent is infinity and NaN */
  FINITE,        /* "fn": no infinity; NaN is all bits set but the sign */
  FINITE_UNZERO, /* "fnuz": neither infinity nor -0; NaN is what -0 would be, and the bias is one
                    larger */
};

/* The types of most tensors come first. */
static const etr_element elements[] = {
    {"float32", "FloatStorage", 4, IEEE, 8, 23},
    {"int64", "LongStorage", 8, SIGNED, 0, 0},
    {"bool", "BoolStorage", 1, BOOLEAN, 0, 0},
    {"uint8", "ByteStorage", 1, UNSIGNED, 0, 0},
    {"int8", "CharStorage", 1, SIGNED, 0, 0},
    {"int16", "ShortStorage", 2, SIGNED, 0, 0},
    {"int32", "IntStorage", 4, SIGNED, 0, 0},
    {"float16", "HalfStorage", 2, IEEE, 5, 10},
    {"float64", "DoubleStorage", 8, IEEE, 11, 52},
    {"bfloat16", "BFloat16Storage", 2, IEEE, 8, 7},
    {"uint16", NULL, 2, UNSIGNED, 0, 0},
    {"uint32", NULL, 4, UNSIGNED, 0, 0},
    {"uint64", NULL, 8, UNSIGNED, 0, 0},
    {"bits16", NULL, 2, UNSIGNED, 0, 0}, /* as ExecuTorch's Inspector reads it */
    {"qint8", NULL, 1, SIGNED, 0,
     0}, /* quantized numbers as they are stored: the scale is not in the file */
    {"quint8", NULL, 1, UNSIGNED, 0, 0},
    {"qint32", NULL, 4, SIGNED, 0, 0},
    {"float8_e5m2", NULL, 1, IEEE, 5, 2},
    {"float8_e4m3fn", NULL, 1, FINITE, 4, 3},
    {"float8_e5m2fnuz", NULL, 1, FINITE_UNZERO, 5, 2},
    {"float8_e4m3fnuz", NULL, 1, FINITE_UNZERO, 4, 3},
};

/* The numbers are those of torch's c10::ScalarType. */
const char *etr_scalar_type_name(uint8_t scalar_type) {
  static const char *const names[] = {
      "uint8",           "int8",
      "int16",           "int32",
      "int64",           "float16",
      "float32",         "float64",
      "complex32",       "complex64",
      "complex128",      "bool",
      "qint8",           "quint8",
      "qint32",          "bfloat16",
      "quint4x2",        "quint2x4",
      "bits1x8",         "bits2x4",
      "bits4x2",         "bits8",
      "bits16",          "float8_e5m2",
      "float8_e4m3fn",   "float8_e5m2fnuz",
      "float8_e4m3fnuz", "uint16",
      "uint32",          "uint64",
  };
  return scalar_type < ETR_COUNT(names) ? names[scalar_type] : NULL;
}

/* Numbers 14 to 16 are ExecuTorch's own (exir/serde/schema.py); from 28 on they are torch's. */
const char *etr_export_scalar_type_name(int64_t scalar_type) {
  static const char *const names[] = {
      NULL,      "uint8",    "int8",    "int16",       "int32",         "int64",
      "float16", "float32",  "float64", "complex32",   "complex64",     "complex128",
      "bool",    "bfloat16", "uint16",  "float8_e5m2", "float8_e4m3fn",
  };
  static const char *const late[] = {
      "uint16",          "float8_e4m3fn",  "float8_e5m2", "float8_e4m3fnuz",
      "float8_e5m2fnuz", "float8_e8m0fnu", "uint32",      "uint64",
  };
  if (scalar_type >= 0 && scalar_type < (int64_t)ETR_COUNT(names))
    return names[scalar_type];
  if (scalar_type >= 28 && scalar_type < 28 + (int64_t)ETR_COUNT(late))
    return late[scalar_type - 28];
  return NULL;
}

const etr_element *etr_element_of_dtype(const char *dtype) {
  for (size_t i = 0; dtype && i < ETR_COUNT(elements); i++)
    if (strcmp(elements[i].dtype, dtype) == 0)
      return &elements[i];
  return NULL;
}

/* Types that cannot be decoded are in a table of their own. */
uint8_t etr_dtype_bytes(const char *dtype) {
  static const struct {
    const char *dtype;
    uint8_t size;
  } not_decoded[] = {{"complex32", 4}, {"complex64", 8}, {"complex128", 16},
                     {"bits8", 1},     {"qcint8", 1},    {"qdint8", 1},
                     {"qpint8", 1},    {"qcint32", 4}}; /* XNNPACK's, from qcint8 on */
  const etr_element *element = etr_element_of_dtype(dtype);
  if (element)
    return element->size;
  for (size_t i = 0; dtype && i < ETR_COUNT(not_decoded); i++)
    if (strcmp(not_decoded[i].dtype, dtype) == 0)
      return not_decoded[i].size;
  return 0;
}

const etr_element *etr_element_of_storage(etr_slice storage) {
  for (size_t i = 0; i < ETR_COUNT(elements); i++)
    if (elements[i].storage && etr_slice_equal(storage, etr_slice_of(elements[i].storage)))
      return &elements[i];
  return NULL;
}

/* Returns the value of a floating-point number of any supported format, from its bits: mantissa in
 * the lowest, then exponent, then sign. A FINITE format has no infinity, and is NaN only where
 * exponent and mantissa are all ones. FINITE_UNZERO (torch's fnuz) has the bits of -0 as its NaN,
 * and a bias that is larger by one. */
static double decode_float(const etr_element *e, uint64_t bits) {
  uint64_t mantissa_mask = ((uint64_t)1 << e->mantissa_bits) - 1;
  uint64_t mantissa = bits & mantissa_mask;
  uint64_t largest = ((uint64_t)1 << e->exponent_bits) - 1;
  uint64_t exponent = bits >> e->mantissa_bits & largest;
  bool negative = bits >> (8u * e->size - 1);
  int bias = (int)(largest / 2) + (e->format == FINITE_UNZERO);
  int shift = e->mantissa_bits + bias;
  bool all_ones = mantissa == mantissa_mask;
  double value;
  if (e->format == IEEE && exponent == largest)
    value = mantissa ? NAN : INFINITY;
  else if ((e->format == FINITE && exponent == largest && all_ones) ||
           (e->format == FINITE_UNZERO && negative && !exponent && !mantissa))
    value = NAN;
  else if (exponent == 0) /* subnormal, or 0 */
    value = ldexp((double)mantissa, 1 - shift);
  else
    value = etr_double_of_bits((exponent + 1023 - (uint64_t)bias) << 52 |
                               mantissa << (52 - e->mantissa_bits));
  return negative ? -value : value;
}

/* Returns the value of a float32 from its bits. */
static double float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

void etr_element_decode(const etr_element *element, const uint8_t *bytes, size_t count,
                        double *into) {
  unsigned size = element->size;
  bool is_float = element->format >= IEEE;
  for (size_t i = 0; i < count; i++) {
    if (is_float && size == 4) /* most tensors are these */
      into[i] = float_of_bits((uint32_t)etr_load_le(bytes + i * 4, 4));
    else if (is_float && size == 8)
      into[i] = etr_double_of_bits(etr_load_le(bytes + i * 8, 8));
    else if (is_float)
      into[i] = decode_float(element, etr_load_le(bytes + i * size, size));
    else if (element->format == BOOLEAN)
      into[i] = bytes[i] != 0;
    else {
      uint64_t bits = etr_load_le(bytes + i * size, size);
      unsigned unused = 64 - 8u * element->size;
      int64_t with_sign = (int64_t)(bits << unused) >> unused;
      into[i] = element->format == SIGNED ? (double)with_sign : (double)bits;
    }
  }
}
