/* SPDX-License-Identifier: BSD-3-Clause
 *
 * argument_names.c - a row for each operator, after aten/src/ATen/native/native_functions.yaml.
 */
#include "backends/argument_names.h"

enum { MOST = 9 };

typedef struct row {
  const char *op;
  const char *names[MOST]; /* NULL: it is a tensor */
} row;

static const row rows[] = {
    {"convolution", {NULL, NULL, NULL, "stride", "padding", "dilation", "transposed", "output_padding", "groups"}},
    {"add", {NULL, "other", "alpha"}},
    {"sub", {NULL, "other", "alpha"}},
    {"mul", {NULL, "other"}},
    {"div", {NULL, "other", "rounding_mode"}},
    {"pow", {"self", "exponent"}},
    {"addmm", {NULL, NULL, NULL, "beta", "alpha"}},
    {"softmax", {NULL, "dim", "half_to_float"}},
    {"log_softmax", {NULL, "dim", "half_to_float"}},
    {"hardtanh", {NULL, "min_val", "max_val"}},
    {"clamp", {NULL, "min", "max"}},
    {"gelu", {NULL, "approximate"}},
    {"leaky_relu", {NULL, "negative_slope"}},
    {"elu", {NULL, "alpha", "scale", "input_scale"}},
    {"mean", {NULL, "dim", "keepdim", "dtype"}},
    {"sum", {NULL, "dim", "keepdim", "dtype"}},
    {"amax", {NULL, "dim", "keepdim"}},
    {"amin", {NULL, "dim", "keepdim"}},
    {"argmax", {NULL, "dim", "keepdim"}},
    {"max_pool2d_with_indices", {NULL, "kernel_size", "stride", "padding", "dilation", "ceil_mode"}},
    {"avg_pool2d", {NULL, "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"}},
    {"native_batch_norm_legit_no_training", {NULL, NULL, NULL, NULL, NULL, "momentum", "eps"}},
    {"native_layer_norm", {NULL, "normalized_shape", NULL, NULL, "eps"}},
    {"native_group_norm", {NULL, NULL, NULL, "N", "C", "HxW", "group", "eps"}},
    {"embedding", {NULL, NULL, "padding_idx", "scale_grad_by_freq", "sparse"}},
    {"cat", {NULL, "dim"}},
    {"full", {"size", "fill_value"}},
    {"constant_pad_nd", {NULL, "pad", "value"}},
    {"view_copy", {NULL, "size"}},
    {"expand_copy", {NULL, "size", "implicit"}},
    {"permute_copy", {NULL, "dims"}},
    {"transpose_copy", {NULL, "dim0", "dim1"}},
    {"select_copy", {NULL, "dim", "index"}},
    {"slice_copy", {NULL, "dim", "start", "end", "step"}},
    {"squeeze_copy", {NULL, "dim"}},
    {"unsqueeze_copy", {NULL, "dim"}},
    {"split_with_sizes_copy", {NULL, "split_sizes", "dim"}},
    {"quantize_per_tensor", {NULL, "scale", "zero_point", "quant_min", "quant_max", "dtype"}},
    {"dequantize_per_tensor", {NULL, "scale", "zero_point", "quant_min", "quant_max", "dtype"}},
};

const char *etr_argument_name(etr_slice op, size_t place) {
  for (size_t i = 0; place < MOST && i < ETR_COUNT(rows); i++)
    if (op.size && rows[i].op[0] == op.data[0] && etr_slice_equal(op, etr_slice_of(rows[i].op)))
      return rows[i].names[place];
  return NULL;
}
