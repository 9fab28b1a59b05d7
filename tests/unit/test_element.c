/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_element.c - lib/formats/element.c: bytes of every number type.
 */
#include "formats/element.h"

#include <criterion/criterion.h>
#include <math.h>

Test(element, elements_of_every_type_are_decoded) {
  static const struct {
    const char *dtype;
    uint64_t bits;
    double value;
  } rows[] = {
      {"uint8", 0xFF, 255},
      {"int8", 0x80, -128},
      {"int16", 0xFFFE, -2},
      {"int32", 0x80000000, -2147483648.0},
      {"int64", 0xFFFFFFFFFFFFFFFF, -1},
      {"int64", 0x7FFFFFFFFFFFFFFF, 9223372036854775807.0},
      {"uint16", 0xFFFF, 65535},
      {"bits16", 0xFFFF, 65535},
      {"uint32", 0xFFFFFFFF, 4294967295.0},
      {"uint64", 0xFFFFFFFFFFFFFFFF, 18446744073709551615.0},
      {"bool", 0, 0},
      {"bool", 2, 1},
      {"qint8", 0xFF, -1},
      {"quint8", 0xFF, 255},
      {"qint32", 0xFFFFFFFF, -1},
      {"float16", 0x3C00, 1},
      {"float16", 0xC500, -5},
      {"float16", 0x7BFF, 65504},
      {"float16", 0x0001, 0x1p-24},
      {"float16", 0x7C00, INFINITY},
      {"float16", 0xFC00, -INFINITY},
      {"float16", 0x7E00, NAN},
      {"bfloat16", 0x3F80, 1},
      {"bfloat16", 0xC0A0, -5},
      {"bfloat16", 0x0001, 0x1p-133},
      {"bfloat16", 0x7F80, INFINITY},
      {"bfloat16", 0x7FC0, NAN},
      {"float32", 0x3FC00000, 1.5},
      {"float32", 0x00000001, 0x1p-149},
      {"float32", 0xFF800000, -INFINITY},
      {"float32", 0x7FC00000, NAN},
      {"float64", 0xBFF8000000000000, -1.5},
      {"float64", 0x7FF0000000000000, INFINITY},
      /* ml_dtypes' tables of the extreme values */
      {"float8_e5m2", 0x3C, 1},
      {"float8_e5m2", 0x7B, 57344},
      {"float8_e5m2", 0x01, 0x1p-16},
      {"float8_e5m2", 0x7C, INFINITY},
      {"float8_e5m2", 0x7F, NAN},
      {"float8_e4m3fn", 0x38, 1},
      {"float8_e4m3fn", 0x7E, 448},
      {"float8_e4m3fn", 0x01, 0x1p-9},
      {"float8_e4m3fn", 0x7F, NAN},
      {"float8_e4m3fn", 0xFF, NAN},
      {"float8_e5m2fnuz", 0x40, 1},
      {"float8_e5m2fnuz", 0x7F, 57344},
      {"float8_e5m2fnuz", 0x80, NAN},
      {"float8_e4m3fnuz", 0x40, 1},
      {"float8_e4m3fnuz", 0x7F, 240},
      {"float8_e4m3fnuz", 0x01, 0x1p-10},
      {"float8_e4m3fnuz", 0x80, NAN},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    const etr_element *element = etr_element_of_dtype(rows[i].dtype);
    uint8_t bytes[16];
    double values[2];
    cr_assert_not_null(element, "%s", rows[i].dtype);
    for (unsigned k = 0; k < 2u * element->size; k++)
      bytes[k] = (uint8_t)(rows[i].bits >> (8 * (k % element->size)));
    etr_element_decode(element, bytes, 2, values);
    for (int k = 0; k < 2; k++)
      cr_expect(isnan(rows[i].value) ? isnan(values[k]) : values[k] == rows[i].value, "%s %llx: %g",
                rows[i].dtype, (unsigned long long)rows[i].bits, values[k]);
  }
}

Test(element, every_type_has_a_name) {
  cr_expect_str_eq(etr_scalar_type_name(6), "float32");
  cr_expect_str_eq(etr_scalar_type_name(24), "float8_e4m3fn");
  cr_expect_str_eq(etr_scalar_type_name(29), "uint64");
  cr_expect_null(etr_scalar_type_name(30));
  cr_expect_null(etr_scalar_type_name(255));
  cr_expect_str_eq(etr_export_scalar_type_name(7), "float32");
  cr_expect_str_eq(etr_export_scalar_type_name(16), "float8_e4m3fn"); /* ExecuTorch's number */
  cr_expect_str_eq(etr_export_scalar_type_name(29), "float8_e4m3fn"); /* torch's */
  cr_expect_str_eq(etr_export_scalar_type_name(35), "uint64");
  for (int64_t i = -1; i <= 36; i++)
    cr_expect_eq(etr_export_scalar_type_name(i) == NULL, i <= 0 || (i > 16 && i < 28) || i > 35,
                 "%d", (int)i);
  cr_expect_null(etr_element_of_dtype("complex64"));
  cr_expect_null(etr_element_of_dtype("quint4x2"));
  cr_expect_null(etr_element_of_dtype(NULL));
  cr_expect_str_eq(etr_element_of_storage(ETR_SLICE("HalfStorage"))->dtype, "float16");
  cr_expect_null(etr_element_of_storage(ETR_SLICE("UntypedStorage")));
}
