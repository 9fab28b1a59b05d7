/* SPDX-License-Identifier: BSD-3-Clause
 *
 * operator.c - operator names without namespace, overload and leading underscores.
 */
#include "backends/operator.h"

/* Returns a name without the underscores at its start, which ATen gives to internal operators. */
static etr_slice without_underscores(etr_slice name) {
  while (name.size > 1 && name.data[0] == '_')
    name = (etr_slice){name.data + 1, name.size - 1};
  return name;
}

/* Returns a name up to the dot before its overload, without leading underscores. */
static etr_slice without_overload(const char *name) {
  const char *dot = strchr(name, '.');
  return without_underscores(dot ? (etr_slice){name, (size_t)(dot - name)} : etr_slice_of(name));
}

etr_slice etr_operator_of_target(const char *target) {
  const char *dot = strchr(target, '.');
  return without_overload(dot ? dot + 1 : target);
}

etr_slice etr_operator_of_kernel(const char *kernel_name) {
  const char *colons = strstr(kernel_name, "::");
  return without_overload(colons ? colons + 2 : kernel_name);
}

etr_slice etr_operator_of_event(const char *event_name) {
  static const char prefix[] = "native_call_";
  if (strncmp(event_name, prefix, sizeof prefix - 1) != 0)
    return (etr_slice){0};
  return etr_operator_of_kernel(event_name + sizeof prefix - 1);
}

bool etr_operator_is_in_place(etr_slice op) {
  return etr_slice_ends(op, ETR_SLICE("_")) &&
         !etr_slice_ends(op, ETR_SLICE("__")); /* "__and__" returns a new tensor */
}

/* Returns whether an operator has this name. Compares byte by byte, because most names differ
 * early. */
static inline bool is_named(etr_slice op, const char *name) {
  size_t i = 0;
  while (i < op.size && name[i] == op.data[i])
    i++;
  return i == op.size && name[i] == '\0';
}

bool etr_operator_is_one_of(etr_slice op, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (is_named(op, names[i]))
      return true;
  return false;
}

/* A binary search that compares up to the first different byte, as most names differ early. */
const void *etr_operator_row(etr_slice op, const void *rows, size_t count, size_t size) {
  for (size_t low = 0, high = count; low < high;) {
    size_t middle = low + (high - low) / 2;
    size_t i = 0;
    const char *row = (const char *)rows + middle * size, *name;
    memcpy(&name, row, sizeof name);
    while (i < op.size && name[i] == op.data[i])
      i++;
    if (i == op.size && name[i] == '\0')
      return row;
    if (i == op.size || (unsigned char)op.data[i] < (unsigned char)name[i])
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

/* Properties of operators that compute nothing. */
enum {
  VIEW = 1,   /* etr_operator_is_view() */
  SHARES = 2, /* etr_operator_shares_memory() */
  COPIES = 4, /* etr_operator_only_copies(); and so do all that ATen and the Edge dialect name
                 "..._copy" */
};

typedef struct view_row {
  const char *op;
  int traits; /* VIEW, SHARES, COPIES */
} view_row;

/* Sorted by name. */
static const view_row views[] = {{"alias", VIEW | SHARES},
                                 {"alias_copy", VIEW},
                                 {"as_strided", SHARES},
                                 {"chunk", SHARES},
                                 {"clone", VIEW | COPIES},
                                 {"clone_dim_order", VIEW | COPIES},
                                 {"contiguous", VIEW | COPIES},
                                 {"copy", COPIES},
                                 {"detach", VIEW | SHARES},
                                 {"detach_copy", VIEW},
                                 {"diagonal", SHARES},
                                 {"expand", SHARES},
                                 {"expand_as", SHARES},
                                 {"lift_fresh", SHARES},
                                 {"lift_fresh_copy", VIEW},
                                 {"movedim", SHARES},
                                 {"narrow", SHARES},
                                 {"numpy_T", SHARES},
                                 {"permute", SHARES | COPIES},
                                 {"reshape", VIEW},
                                 {"select", SHARES},
                                 {"slice", SHARES},
                                 {"split", SHARES},
                                 {"split_with_sizes", SHARES},
                                 {"squeeze", SHARES},
                                 {"squeeze_copy", VIEW},
                                 {"t", SHARES | COPIES},
                                 {"to_copy", VIEW},
                                 {"to_dim_order_copy", VIEW},
                                 {"transpose", SHARES | COPIES},
                                 {"unbind", SHARES},
                                 {"unfold", SHARES},
                                 {"unsqueeze", SHARES},
                                 {"unsqueeze_copy", VIEW},
                                 {"view", VIEW | SHARES},
                                 {"view_as", SHARES},
                                 {"view_copy", VIEW}};

static int view_traits_of(etr_slice op) {
  const view_row *found = etr_operator_row(op, views, ETR_COUNT(views), sizeof *views);
  return found ? found->traits : 0;
}

bool etr_operator_is_view(etr_slice op) {
  return (view_traits_of(op) & VIEW) != 0;
}

bool etr_operator_shares_memory(etr_slice op) {
  return (view_traits_of(op) & SHARES) != 0;
}

bool etr_operator_only_copies_named(etr_slice op) {
  return etr_slice_ends(op, ETR_SLICE("_copy")) || (view_traits_of(op) & COPIES) != 0;
}

bool etr_operator_only_copies(const char *target) {
  return etr_operator_only_copies_named(etr_operator_of_target(target));
}

bool etr_operator_only_moves(const char *target) {
  etr_slice op = etr_operator_of_target(target);
  return etr_operator_only_copies_named(op) || etr_slice_starts(op, ETR_SLICE("quantize_")) ||
         etr_slice_starts(op, ETR_SLICE("dequantize_"));
}

/* ---- Random operators ---- */

/* The operators that torch 2.15 tags as nondeterministic_seeded, without leading underscores. */
static const char *const random_operators[] = {
    "alpha_dropout",
    "bernoulli",
    "bernoulli_",
    "cauchy",
    "cauchy_",
    "cudnn_rnn",
    "dropout",
    "efficient_attention_forward",
    "exponential",
    "exponential_",
    "flash_attention_forward",
    "flash_attention_forward_no_dropout_inplace",
    "fused_dropout",
    "geometric",
    "geometric_",
    "gru",
    "log_normal",
    "log_normal_",
    "lstm",
    "miopen_rnn",
    "multinomial",
    "native_dropout",
    "normal",
    "normal_",
    "normal_functional",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "rnn_relu",
    "rnn_tanh",
    "rrelu_with_noise",
    "rrelu_with_noise_",
    "rrelu_with_noise_functional",
    "scaled_dot_product_attention_math_for_mps",
    "scaled_dot_product_cudnn_attention",
    "scaled_dot_product_efficient_attention",
    "scaled_dot_product_flash_attention",
    "scaled_dot_product_flash_attention_for_cpu",
    "scaled_dot_product_fused_attention_overrideable",
    "standard_gamma",
    "uniform",
    "uniform_",
};

bool etr_operator_draws(const char *target) {
  return etr_operator_is_one_of(etr_operator_of_target(target), random_operators,
                                ETR_COUNT(random_operators));
}

/* ---- A row for each operator, after aten/src/ATen/native/native_functions.yaml ---- */

enum { MOST_ARGUMENTS = 9 };

typedef struct argument_row {
  const char *op;
  const char *names[MOST_ARGUMENTS]; /* NULL: it is a tensor */
} argument_row;

/* Sorted by name. */
static const argument_row argument_rows[] = {
    {"add", {NULL, "other", "alpha"}},
    {"addmm", {NULL, NULL, NULL, "beta", "alpha"}},
    {"amax", {NULL, "dim", "keepdim"}},
    {"amin", {NULL, "dim", "keepdim"}},
    {"argmax", {NULL, "dim", "keepdim"}},
    {"avg_pool2d",
     {NULL, "kernel_size", "stride", "padding", "ceil_mode", "count_include_pad",
      "divisor_override"}},
    {"cat", {NULL, "dim"}},
    {"clamp", {NULL, "min", "max"}},
    {"constant_pad_nd", {NULL, "pad", "value"}},
    {"convolution",
     {NULL, NULL, NULL, "stride", "padding", "dilation", "transposed", "output_padding", "groups"}},
    {"dequantize_per_tensor", {NULL, "scale", "zero_point", "quant_min", "quant_max", "dtype"}},
    {"div", {NULL, "other", "rounding_mode"}},
    {"elu", {NULL, "alpha", "scale", "input_scale"}},
    {"embedding", {NULL, NULL, "padding_idx", "scale_grad_by_freq", "sparse"}},
    {"expand_copy", {NULL, "size", "implicit"}},
    {"full", {"size", "fill_value"}},
    {"gelu", {NULL, "approximate"}},
    {"hardtanh", {NULL, "min_val", "max_val"}},
    {"leaky_relu", {NULL, "negative_slope"}},
    {"log_softmax", {NULL, "dim", "half_to_float"}},
    {"max_pool2d_with_indices",
     {NULL, "kernel_size", "stride", "padding", "dilation", "ceil_mode"}},
    {"mean", {NULL, "dim", "keepdim", "dtype"}},
    {"mul", {NULL, "other"}},
    {"native_batch_norm_legit_no_training", {NULL, NULL, NULL, NULL, NULL, "momentum", "eps"}},
    {"native_group_norm", {NULL, NULL, NULL, "N", "C", "HxW", "group", "eps"}},
    {"native_layer_norm", {NULL, "normalized_shape", NULL, NULL, "eps"}},
    {"permute_copy", {NULL, "dims"}},
    {"pow", {"self", "exponent"}},
    {"quantize_per_tensor", {NULL, "scale", "zero_point", "quant_min", "quant_max", "dtype"}},
    {"select_copy", {NULL, "dim", "index"}},
    {"slice_copy", {NULL, "dim", "start", "end", "step"}},
    {"softmax", {NULL, "dim", "half_to_float"}},
    {"split_with_sizes_copy", {NULL, "split_sizes", "dim"}},
    {"squeeze_copy", {NULL, "dim"}},
    {"sub", {NULL, "other", "alpha"}},
    {"sum", {NULL, "dim", "keepdim", "dtype"}},
    {"transpose_copy", {NULL, "dim0", "dim1"}},
    {"unsqueeze_copy", {NULL, "dim"}},
    {"view_copy", {NULL, "size"}},
};

const char *etr_argument_name(etr_slice op, size_t index) {
  const argument_row *found = index < MOST_ARGUMENTS
                                  ? etr_operator_row(op, argument_rows, ETR_COUNT(argument_rows),
                                                     sizeof *argument_rows)
                                  : NULL;
  return found ? found->names[index] : NULL;
}
