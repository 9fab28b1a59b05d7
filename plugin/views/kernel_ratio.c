/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernel_ratio.c - looks ratios up in the table that tests/bench/levers.py writes.
 */
#include "views/kernel_ratio.h"

/** XNNPACK's ratio to the kernels on the CPU for an operator. */
typedef struct delegate_ratio {
  const char *op; /* without namespace and overload */
  etr_ratio ratio;
} delegate_ratio;

/* tests/bench/levers.py writes the lines between these marks. */
/* clang-format off */
/* Where they were measured. */
#define MEASURED_ON "AMD EPYC and Intel Xeon, x86-64 with AVX-512 VNNI"
#define MEASURED_ON_AVX2 "AMD EPYC, x86-64 with AVX2"
#define MEASURED_WITH "ExecuTorch 1.5.1"

/* How many times as fast as float32 layers are in other types, in XNNPACK, with VNNI. */
static const etr_type_ratio type_ratios[] = {
    {ETR_RATIO_LINEAR_ROW, "int8", 2.5, 9},
    {ETR_RATIO_LINEAR_ROW, "8da4w", 3.6, 15.5},
    {ETR_RATIO_LINEAR_ROW, "fp16", 0.97, 4.3},
    {ETR_RATIO_LINEAR, "int8", 2.2, 5.1},
    {ETR_RATIO_LINEAR, "8da4w", 1.5, 3},
    {ETR_RATIO_LINEAR, "fp16", 0.7, 1.55},
    {ETR_RATIO_CONVOLUTION, "int8", 2.3, 4.6},
    {ETR_RATIO_CONVOLUTION, "fp16", 0.58, 1.1},
    {ETR_RATIO_DEPTHWISE, "int8", 0.44, 1.2},
    {ETR_RATIO_DEPTHWISE, "fp16", 0.17, 0.44},
};

/* The same on x86-64 without AVX-512. */
static const etr_type_ratio type_ratios_avx2[] = {
    {ETR_RATIO_LINEAR_ROW, "int8", 3.5, 5.8},
    {ETR_RATIO_LINEAR_ROW, "8da4w", 1.3, 2.3},
    {ETR_RATIO_LINEAR_ROW, "fp16", 0.93, 1.6},
    {ETR_RATIO_LINEAR, "int8", 0.93, 1.9},
    {ETR_RATIO_LINEAR, "8da4w", 0.55, 0.64},
    {ETR_RATIO_LINEAR, "fp16", 0.53, 1.1},
    {ETR_RATIO_CONVOLUTION, "int8", 2.4, 3.3},
    {ETR_RATIO_CONVOLUTION, "fp16", 1.3, 1.5},
    {ETR_RATIO_FLAT, "int8", 0.56, 2},
    {ETR_RATIO_FLAT, "fp16", 0.54, 1.4},
    {ETR_RATIO_DEPTHWISE, "int8", 0.6, 0.85},
    {ETR_RATIO_DEPTHWISE, "fp16", 0.24, 0.4},
};

/* How many times as fast XNNPACK is as the kernels on the CPU. */
static const delegate_ratio delegate_ratios[] = {
    {"convolution", {46, 520}},
    {"addmm", {37, 360}},
    {"mm", {5.5, 43}},
    {"bmm", {2.4, 4.4}},
    {"gelu", {15, 35}},
    {"softmax", {10, 14}},
    {"sigmoid", {8, 11}},
    {"tanh", {73, 83}},
    {"hardtanh", {1.2, 7.9}},
    {"relu", {1, 1.7}},
    {"mean", {3.3, 9.2}},
    {"add", {1.4, 2.7}},
    {"sub", {0.7, 2.6}},
    {"mul", {1.9, 3.2}},
    {"div", {1.9, 2.4}},
    {"rsqrt", {6.2, 17}},
    {"exp", {7.7, 9.8}},
    {"permute_copy", {5.9, 27}},
    {"cat", {0.9, 1.1}},
    {"max_pool2d_with_indices", {40, 130}},
};
/* clang-format on */

/* The same of a transposed convolution of 2 x 2 with a group for each channel. */
static const etr_ratio grouped_transposed_ratio = {1.0 / 3, 1.0 / 3};

const etr_type_ratio *etr_type_of(etr_vnni vnni, etr_ratio_layer layer, size_t index) {
  bool has_own = vnni == ETR_VNNI_AVX2;
  const etr_type_ratio *ratios = has_own ? type_ratios_avx2 : type_ratios;
  size_t count = has_own ? ETR_COUNT(type_ratios_avx2) : ETR_COUNT(type_ratios), seen = 0;
  for (size_t i = 0; i < count; i++) {
    if (ratios[i].layer != layer)
      continue;
    if (seen++ == index)
      return &ratios[i];
  }
  return NULL;
}

const etr_type_ratio *etr_type_named(etr_vnni vnni, etr_ratio_layer layer, const char *name) {
  const etr_type_ratio *type;
  for (size_t i = 0; (type = etr_type_of(vnni, layer, i)) != NULL; i++)
    if (strcmp(type->type, name) == 0)
      return type;
  return NULL;
}

const etr_type_ratio *etr_best_type(etr_vnni vnni, etr_ratio_layer layer) {
  const etr_type_ratio *best = NULL, *type;
  for (size_t i = 0; (type = etr_type_of(vnni, layer, i)) != NULL; i++)
    if (type->low > 1 && (!best || type->low > best->low))
      best = type;
  return best;
}

/* Returns true for a transposed convolution in groups, of which the ratio of convolutions is not
 * true. */
static bool is_grouped_transposed(const etr_node *node) {
  const char *transposed = etr_node_argument(node, "transposed"),
             *groups = etr_node_argument(node, "groups");
  return transposed && strcmp(transposed, "true") == 0 && groups && strcmp(groups, "1") != 0;
}

bool etr_ratio_of_delegate(etr_ratio *out, etr_slice op, const etr_node *node) {
  /* One kernel has several names: operators in other dialects. */
  static const char *const aliases[][2] = {
      {"linear", "addmm"}, {"matmul", "bmm"}, {"max_pool2d", "max_pool2d_with_indices"}};
  for (size_t i = 0; i < ETR_COUNT(aliases); i++)
    if (etr_slice_equal(op, etr_slice_of(aliases[i][0])))
      op = etr_slice_of(aliases[i][1]);
  if (node && is_grouped_transposed(node)) {
    *out = grouped_transposed_ratio;
    return true;
  }
  for (size_t i = 0; i < ETR_COUNT(delegate_ratios); i++) {
    if (!etr_slice_equal(op, etr_slice_of(delegate_ratios[i].op)))
      continue;
    *out = delegate_ratios[i].ratio;
    return true;
  }
  *out = (etr_ratio){1, 1};
  return false;
}

double etr_saved_at(double ratio) {
  return ratio > 1 ? 1 - 1 / ratio : 0;
}

const char *etr_type_source(etr_vnni vnni) {
  return vnni == ETR_VNNI_AVX2 ? MEASURED_ON_AVX2 ", " MEASURED_WITH
                               : MEASURED_ON ", " MEASURED_WITH;
}

const char *etr_ratio_source(void) {
  return MEASURED_ON ", " MEASURED_WITH;
}
