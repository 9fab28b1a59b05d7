/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_xnnpack.c - classes of events and nodes, and the operators that XNNPACK is expected to run
 * for a node.
 */
#include "backends/xnnpack.h"
#include "tiny_graph.h"

Test(xnnpack, events_have_the_class_of_their_operator) {
  static const struct {
    const char *id;
    uint16_t class_;
  } cases[] = {
      {"Convolution (NHWC, F32) IGEMM #1", ETR_XNN_MATMUL},
      {"Convolution (NHWC, F32) DWConv #12", ETR_XNN_MATMUL},
      {"Convolution (NHWC, QC8) GEMM #1", ETR_XNN_MATMUL},
      {"Fully Connected (NC, F32) GEMM #1", ETR_XNN_MATMUL},
      {"Dynamic Fully Connected (NC, F32) #1", ETR_XNN_MATMUL},
      {"Deconvolution (NHWC, F32) Subconv #1", ETR_XNN_DECONV},
      {"Batch Matrix Multiply (NC, F32) #1", ETR_XNN_BMM},
      {"Multiply (ND) #1", ETR_XNN_MUL},
      {"Square Root (NC, F32) #1", ETR_XNN_SQRT}, /* longest first */
      {"Square (NC) #1", ETR_XNN_SQUARE},
      {"Reciprocal Square Root (NC) #1", ETR_XNN_RSQRT},
      {"Abs (NC) #1", ETR_XNN_ABS},
      {"Absolute Value (NC) #1", ETR_XNN_ABS},
      {"Max Pooling (NHWC, F32) #1", ETR_XNN_MAXPOOL},
      {"Maximum (ND) #1", ETR_XNN_MAX},
      {"ArgMax Pooling (NHWC) #1", ETR_XNN_ARGMAXPOOL},
      {"Average Pooling (NHWC) #1", ETR_XNN_AVGPOOL},
      {"Convert (NC, F32, QS8) #1", ETR_XNN_CONVERT},
      {"Constant Pad (ND) #1", ETR_XNN_PAD},
      {"Copy (NC, X32) #1", ETR_XNN_COPY},
      {"Concatenate (X32) #1", ETR_XNN_COPY},
      {"Cos (NC) #1", ETR_XNN_COS},
      {"Transpose (ND, X32) #1", ETR_XNN_TRANSPOSE},
      {"Invalid Unary Op #1", ETR_XNN_LOOKUP},
      {"Leaky ReLU (NC) #1", ETR_XNN_LEAKY_RELU},
      {"ELU (NC) #1", ETR_XNN_ELU},
      {"Con", ETR_XNN_NONE},
      {"", ETR_XNN_NONE},
      {"7", ETR_XNN_NONE},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    cr_expect_eq(etr_xnnpack.class_of_event(cases[i].id), cases[i].class_, "%s: %u", cases[i].id,
                 etr_xnnpack.class_of_event(cases[i].id));
}

/* A layer is quantized if its weight is; other operators' names do not have all types. */
Test(xnnpack, layers_of_another_type_are_told_by_their_weight) {
  static const etr_payload_value values[] = {{.is_quantized = false}, {.is_quantized = true}};
  static const struct {
    const char *id;
    uint16_t class_;
    uint32_t weight;
    bool is_other;
  } cases[] = {
      {"Fully Connected (NC, F32) GEMM #1", ETR_XNN_MATMUL, 0, false},
      {"Fully Connected (NC, F32) GEMM #1", ETR_XNN_MATMUL, 1, true},
      {"Fully Connected (NC, QS8, QC8W) GEMM #1", ETR_XNN_MATMUL, 0, true},
      {"Fully Connected (NC, F32, QC4W) GEMM #1", ETR_XNN_MATMUL, 1, false},
      {"Convolution (NHWC, QC8) DWConv #1", ETR_XNN_MATMUL, 1, false},
      {"Fully Connected", ETR_XNN_MATMUL, 1, false},
      {"Fully Connected (NC, F32) GEMM #1", ETR_XNN_MATMUL, ETR_NONE, false},
      {"Add (ND) #1", ETR_XNN_ADD, 1, false},
  };
  const etr_payload payload = {.values = values, .value_count = ETR_COUNT(values)};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_payload_operator operator_ = {
        .class_ = cases[i].class_, .input_count = 2, .inputs = {0, cases[i].weight}};
    cr_expect_eq(etr_xnnpack.is_of_other_type(&payload, &operator_, cases[i].id), cases[i].is_other,
                 "case %zu: %s", i, cases[i].id);
  }
}

/* The name of an operator in events has its class. */
Test(xnnpack, names_have_the_class_of_their_operator) {
  for (uint16_t c = ETR_XNN_DECONV; c < ETR_XNN_CLASSES; c++)
    cr_expect_eq(etr_xnnpack.class_of_event(etr_xnnpack.class_name(c)), c, "%u: %s", c,
                 etr_xnnpack.class_name(c));
  cr_expect_str_eq(etr_xnnpack.class_name(ETR_XNN_MATMUL), "Convolution or Fully Connected");
  cr_expect_str_eq(etr_xnnpack.class_name(ETR_XNN_NONE), "Operator");
}

Test(xnnpack, nodes_have_the_classes_that_may_run_them) {
  static const struct {
    const char *node; /* "n", which may read x and the weights w, [8x4x3x3], and v, [4x8x3x3] */
    uint16_t class_;
  } cases[] = {
      {"n convolution (x,w) [1x8x5x5]",
       ETR_XNN_MATMUL}, /* the weight's first dimension is the output's channels */
      {"n convolution (x,v) [1x8x5x5]", ETR_XNN_DECONV},
      {"n convolution (x,v) [1x8x5x5] transposed=false", ETR_XNN_MATMUL},
      {"n convolution (x,w) [1x8x5x5] transposed=true", ETR_XNN_DECONV},
      {"n convolution (x,v) [?]", ETR_XNN_MATMUL},
      {"n convolution (x)", ETR_XNN_MATMUL},
      {"n linear (x,w)", ETR_XNN_MATMUL},
      {"n addmm (w,x,w)", ETR_XNN_MATMUL},
      {"n bmm (x,x)", ETR_XNN_BMM},
      {"n aten._native_batch_norm_legit_no_training.default (x) [2] [1] [1]", ETR_XNN_MATMUL},
      {"n pow (x) exponent=2", ETR_XNN_SQUARE},
      {"n pow (x) exponent=2.0", ETR_XNN_SQUARE},
      {"n pow (x) exponent=3", ETR_XNN_NONE},
      {"n pow (x)", ETR_XNN_SQUARE}, /* in records without arguments */
      {"n relu (x)", ETR_XNN_CLAMP},
      {"n aten._softmax.default (x)", ETR_XNN_SOFTMAX},
      {"n quantize_per_tensor (x)", ETR_XNN_CONVERT},
      {"n cat (x,x)", ETR_XNN_COPY},
      {"n embedding (x)", ETR_XNN_NONE},
      {"n expand_copy (x)", ETR_XNN_NONE}, /* no node of its graph is one */
      {"n input", ETR_XNN_NONE},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const tiny_graph *g = tiny_graph_of(
        &arena, etr_arena_format(&arena, "x input;w weight [8x4x3x3];v weight [4x8x3x3];%s",
                                 cases[i].node));
    uint16_t got = etr_xnnpack.class_of_node(&g->graph, &g->nodes[3]);
    cr_expect_eq(got, cases[i].class_, "%s: %u", cases[i].node, got);
    etr_arena_clear(&arena);
  }
}

Test(xnnpack, classes_have_traits) {
  enum {
    C = ETR_CLASS_COMPUTES,
    I = ETR_CLASS_INSERTED,
    F = ETR_CLASS_FUSES,
    N = ETR_CLASS_COUNTS,
    V = ETR_CLASS_VARIES
  };
  static const struct {
    uint16_t class_;
    unsigned traits;
    bool is_unary, is_binary;
  } cases[] = {
      {ETR_XNN_NONE, 0, false, false},
      {ETR_XNN_MATMUL, C | N, false, false},
      {ETR_XNN_ADD, C, false, true},
      {ETR_XNN_PRELU, C, false, true},
      {ETR_XNN_SOFTMAX, C | N, false, false},
      {ETR_XNN_SIGMOID, C, true, false},
      {ETR_XNN_COS, C, true, false},
      {ETR_XNN_BMM, C | N, false, false},
      {ETR_XNN_CLAMP, C | F, true, false},
      {ETR_XNN_CONVERT, I | F | ETR_CLASS_REPLACED, false, false},
      {ETR_XNN_COPY, I | F, false, false},
      {ETR_XNN_RESHAPE, I | F, false, false},
      {ETR_XNN_TRANSPOSE, I, false, false},
      {ETR_XNN_LOOKUP, C | V, false, false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    cr_expect_eq(etr_xnnpack.traits(cases[i].class_), cases[i].traits, "%u", cases[i].class_);
    cr_expect_eq(etr_xnn_is_unary(cases[i].class_), cases[i].is_unary, "%u", cases[i].class_);
    cr_expect_eq(etr_xnn_is_binary(cases[i].class_), cases[i].is_binary, "%u", cases[i].class_);
  }
}

/* A layer on quantized values: d, c, q; and a reader of its weight. */
#define LAYER                                                                                      \
  "x input;w weight;d dequantize_per_tensor (x) @0;v dequantize_per_channel (w,w) @0;c linear "    \
  "(d,v) @0;"                                                                                      \
  "q quantize_per_tensor (c) @0;"

/* The expectation of node n; `of` is the node that has its time. A node with cost 0 may vanish. */
Test(xnnpack, a_node_is_expected_to_run_as_its_class) {
  static const struct {
    const char *title, *nodes;
    uint16_t class_, alternative;
    const char *of;
    bool may_vanish;
    uint32_t count;
  } cases[] = {
      {"what computes has to run", "x input;n sigmoid (x) @0", ETR_XNN_SIGMOID, 0, "n", false, 1},
      {"what is no operator of XNNPACK", "x input;n embedding (x) @0", 0, 0, "n", true, 0},
      /* FuseActivationPass */
      {"relu behind a convolution is part of it", "x input;c convolution (x) @0;n relu (c) @0", 0,
       0, "n", true, 0},
      {"through a batch norm",
       "x input;c linear (x) @0;b native_batch_norm (c) @0;n hardtanh (b) @0", 0, 0, "n", true, 0},
      {"behind a binary operator it is its", "x input;a add (x,x) @0;n relu (a) @0", ETR_XNN_CLAMP,
       0, "a", false, 1},
      {"not behind a division", "x input;a div (x,x) @0;n relu (a) @0", ETR_XNN_CLAMP, 0, "n",
       false, 1},
      {"nor if something else reads the sum",
       "x input;a add (x,x) @0;s sigmoid (a) @0;n relu (a) @0", ETR_XNN_CLAMP, 0, "n", false, 1},
      {"or the convolution", "x input;c convolution (x) @0;s sigmoid (c) @0;n relu (c) @0",
       ETR_XNN_CLAMP, 0, "n", false, 1},
      {"or it is a result", "x input;c convolution (x) @0;n relu (c) @0;o output (c)",
       ETR_XNN_CLAMP, 0, "n", false, 1},
      {"nor a clamp", "x input;a add (x,x) @0;n clamp (a) @0", ETR_XNN_CLAMP, 0, "n", false, 1},
      {"which the runtime makes part of a layer", "x input;c convolution (x) @0;n clamp (c) @0", 0,
       0, "n", true, 0},
      {"or of a pooling", "x input;p max_pool2d (x) @0;n relu (p) @0", 0, 0, "n", true, 0},
      {"and two Clamps one", "x input;a clamp (x) @0;n clamp (a) @0", 0, 0, "n", true, 0},
      {"past quantization that is part of both",
       LAYER "e dequantize_per_tensor (q) @0;n relu (e) @0;o quantize_per_tensor (n) @0", 0, 0, "n",
       true, 0},
      {"not past what something else reads",
       LAYER "e dequantize_per_tensor (q) @0;f dequantize_per_tensor (q) @0;n relu (e) @0;o "
             "quantize_per_tensor (n) @0",
       ETR_XNN_CLAMP, ETR_XNN_LOOKUP, "n", false, 1},
      {"a Clamp behind anything else is its own", "x input;s sigmoid (x) @0;n relu (s) @0",
       ETR_XNN_CLAMP, 0, "n", false, 1},
      {"a convolution outside the delegate takes nothing in",
       "x input;c convolution (x);n relu (c) @0", ETR_XNN_CLAMP, 0, "n", false, 1},
      {"nor does another delegate's", "x input;c convolution (x) @1;n relu (c) @0", ETR_XNN_CLAMP,
       0, "n", false, 1},
      /* FuseBatchNormPass */
      {"a batch norm behind a convolution is folded",
       "x input;c convolution (x) @0;n native_batch_norm (c) @0", 0, 0, "n", true, 0},
      {"not if something else reads the convolution",
       "x input;c convolution (x) @0;s sigmoid (c) @0;n native_batch_norm (c) @0", ETR_XNN_MATMUL,
       0, "n", false, 1},
      {"nor if it is not in the delegate", "x input;c convolution (x);n native_batch_norm (c) @0",
       ETR_XNN_MATMUL, 0, "n", false, 1},
      {"nor behind another batch norm",
       "x input;c convolution (x) @0;b native_batch_norm (c) @0;n native_batch_norm (b) @0",
       ETR_XNN_MATMUL, 0, "n", false, 1},
      {"nor behind an activation", "x input;r relu (x) @0;n native_batch_norm (r) @0",
       ETR_XNN_MATMUL, 0, "n", false, 1},
      /* lookups */
      {"int8 around a unary operator: maybe a lookup",
       "x input;d dequantize_per_tensor (x) @0;n tanh (d) @0;q quantize_per_tensor (n) @0",
       ETR_XNN_TANH, ETR_XNN_LOOKUP, "n", false, 1},
      {"around two: the last one's",
       "x input;d dequantize_per_tensor (x) @0;s sqrt (d) @0;n rsqrt (s) @0;q quantize_per_tensor "
       "(n) @0",
       ETR_XNN_RSQRT, ETR_XNN_LOOKUP, "n", false, 1},
      {"not the first one's",
       "x input;d dequantize_per_tensor (x) @0;n sqrt (d) @0;r rsqrt (n) @0;q quantize_per_tensor "
       "(r) @0",
       ETR_XNN_SQRT, 0, "n", true, 1},
      {"which may then be without its conversion",
       "x input;n dequantize_per_tensor (x) @0;t tanh (n) @0;q quantize_per_tensor (t) @0",
       ETR_XNN_CONVERT, 0, "n", true, 1},
      {"before or behind",
       "x input;d dequantize_per_tensor (x) @0;t tanh (d) @0;n quantize_per_tensor (t) @0",
       ETR_XNN_CONVERT, 0, "n", true, 1},
      {"not where the result stays float", "x input;d dequantize_per_tensor (x) @0;n tanh (d) @0",
       ETR_XNN_TANH, 0, "n", false, 1},
      {"never Softmax, which needs all values",
       "x input;d dequantize_per_tensor (x) @0;n softmax (d) @0;q quantize_per_tensor (n) @0",
       ETR_XNN_SOFTMAX, 0, "n", false, 1},
      {"a value times itself: maybe a square", "x input;n mul (x,x) @0", ETR_XNN_MUL,
       ETR_XNN_SQUARE, "n", false, 1},
      {"two results of one node are not one value", "x input;p split (x) [2] [2];n mul (p,p.1) @0",
       ETR_XNN_MUL, 0, "n", false, 1},
      /* DecomposeConcatenate */
      {"four values in one concatenation", "x input;n cat (x,x,x,x) @0", ETR_XNN_COPY, 0, "n",
       false, 1},
      {"five", "x input;n cat (x,x,x,x,x) @0", ETR_XNN_COPY, 0, "n", false, 1},
      {"six", "x input;n cat (x,x,x,x,x,x) @0", ETR_XNN_COPY, 0, "n", false, 2},
      {"nine", "x input;n cat (x,x,x,x,x,x,x,x,x) @0", ETR_XNN_COPY, 0, "n", false, 2},
      {"ten", "x input;n cat (x,x,x,x,x,x,x,x,x,x) @0", ETR_XNN_COPY, 0, "n", false, 3},
      /* layout */
      {"a copy may vanish", "x input;n clone (x) @0", ETR_XNN_COPY, 0, "n", true, 1},
      {"into another layout too", "x input;n _to_dim_order_copy (x) @0", ETR_XNN_TRANSPOSE, 0, "n",
       true, 1},
      {"and a squeeze", "x input;n squeeze_copy (x) @0", ETR_XNN_RESHAPE, 0, "n", true, 1},
      {"a view not", "x input;n view_copy (x) @0", ETR_XNN_RESHAPE, 0, "n", false, 1},
      {"unless another follows", "x input;n view_copy (x) @0;v view_copy (n) @0", ETR_XNN_RESHAPE,
       0, "n", true, 1},
      {"or it leads to a product of matrices", "x input;w weight;n view_copy (x) @0;m mm (n,w) @0",
       ETR_XNN_RESHAPE, 0, "n", true, 1},
      {"or from one", "x input;w weight;m mm (x,w) @0;n view_copy (m) @0", ETR_XNN_RESHAPE, 0, "n",
       true, 1},
      {"nor a transpose", "x input;n permute_copy (x) @0", ETR_XNN_TRANSPOSE, 0, "n", false, 1},
      /* weights */
      {"a layer takes its weight as it was",
       "x input;w weight;n permute_copy (w) @0;m addmm (x,x,n) @0", 0, 0, "n", true, 0},
      {"not for its bias", "x input;w weight;n permute_copy (w) @0;m addmm (n,x,x) @0",
       ETR_XNN_TRANSPOSE, 0, "n", false, 1},
      {"nor if something else reads it too",
       "x input;w weight;n permute_copy (w) @0;m mm (x,n) @0;s neg (n) @0", ETR_XNN_TRANSPOSE, 0,
       "n", false, 1},
      {"nor if the layer is not in the delegate",
       "x input;w weight;n permute_copy (w) @0;m mm (x,n)", ETR_XNN_TRANSPOSE, 0, "n", false, 1},
      {"nor a linear layer that was one before",
       "x input;w weight;n permute_copy (w) @0;c linear (x,n) @0", ETR_XNN_TRANSPOSE, 0, "n", false,
       1},
      {"nor bmm, which takes no weight", "x input;w weight;n permute_copy (w) @0;m bmm (x,n) @0",
       ETR_XNN_TRANSPOSE, 0, "n", false, 1},
      {"what computes with a weight runs", "w weight;n sigmoid (w) @0", ETR_XNN_SIGMOID, 0, "n",
       false, 1},
      /* quantized patterns */
      {"values that become int8", "x input;n quantize_per_tensor (x) @0", ETR_XNN_CONVERT, 0, "n",
       false, 1},
      {"for a layer: that alone runs", LAYER "n quantize_per_tensor (x) @0", ETR_XNN_CONVERT, 0,
       "n", false, 1},
      {"not what the layer reads",
       "x input;w weight;n dequantize_per_tensor (x) @0;v dequantize_per_channel (w,w) "
       "@0;c linear (n,v) @0;q quantize_per_tensor (c) @0",
       0, 0, "n", true, 0},
      {"nor its weight",
       "x input;w weight;d dequantize_per_tensor (x) @0;n dequantize_per_channel (w,w) @0;c linear "
       "(d,n) @0;q quantize_per_tensor (c) @0",
       0, 0, "n", true, 0},
      {"transposed for a product of matrices",
       "x input;w weight;d dequantize_per_tensor (x) @0;n "
       "dequantize_per_tensor (w) @0;p permute_copy (n) @0;c addmm (d,d,p) @0;q "
       "quantize_per_tensor (c) @0",
       0, 0, "n", true, 0},
      {"nor what it writes",
       "x input;w weight;d dequantize_per_tensor (x) @0;v dequantize_per_channel (w,w) @0;c "
       "linear (d,v) @0;n quantize_per_tensor (c) @0",
       0, 0, "n", true, 0},
      {"behind an activation",
       "x input;w weight;d dequantize_per_tensor (x) @0;v dequantize_per_channel (w,w) @0;c "
       "linear (d,v) @0;h hardtanh (c) @0;n quantize_per_tensor (h) @0",
       0, 0, "n", true, 0},
      {"what a padding of a layer reads",
       "x input;w weight;n dequantize_per_tensor (x) @0;p constant_pad_nd (n) @0;v "
       "dequantize_per_channel (w,w) @0;c convolution (p,v) @0;q quantize_per_tensor (c) @0",
       0, 0, "n", true, 0},
      {"a layer in float reads float",
       "x input;w weight;n dequantize_per_tensor (x) @0;c linear (n,w) @0", ETR_XNN_CONVERT, 0, "n",
       false, 1},
      {"and writes it", "x input;w weight;c linear (x,w) @0;n quantize_per_tensor (c) @0",
       ETR_XNN_CONVERT, 0, "n", false, 1},
      {"values that are float again", LAYER "n dequantize_per_tensor (q) @0;o output (n)",
       ETR_XNN_CONVERT, 0, "n", false, 1},
      {"a sum of int8",
       "x input;n dequantize_per_tensor (x) @0;a add (n,n) @0;r relu (a) @0;q quantize_per_tensor "
       "(r) "
       "@0",
       0, 0, "n", true, 0},
      {"not with float",
       "x input;n dequantize_per_tensor (x) @0;a add (n,x) @0;q quantize_per_tensor (a) @0",
       ETR_XNN_CONVERT, 0, "n", false, 1},
      {"nor to float", "x input;n dequantize_per_tensor (x) @0;a add (n,n) @0", ETR_XNN_CONVERT, 0,
       "n", false, 1},
      {"nor if something else reads the sum",
       "x input;n dequantize_per_tensor (x) @0;a add (n,n) @0;q quantize_per_tensor (a) @0;s neg "
       "(a) @0",
       ETR_XNN_CONVERT, 0, "n", false, 1},
      {"nor one that runs elsewhere",
       "x input;d dequantize_per_tensor (x) @0;a mean (d);n quantize_per_tensor (a) @0",
       ETR_XNN_CONVERT, 0, "n", false, 1},
      {"an activation is only fused into a sum",
       "x input;n dequantize_per_tensor (x) @0;a mul (n,x) @0;r relu (a) @0;q quantize_per_tensor "
       "(r) @0",
       ETR_XNN_CONVERT, 0, "n", false, 1},
      {"a division is none of int8",
       "x input;n dequantize_per_tensor (x) @0;a div (n,n) @0;q quantize_per_tensor (a) "
       "@0",
       ETR_XNN_CONVERT, 0, "n", false, 1},
      {"a scale that is computed: maybe part of the layer",
       "x input;n quantize_per_tensor (x,x,x) @0", ETR_XNN_CONVERT, 0, "n", true, 1},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const tiny_graph *g = tiny_graph_of(&arena, cases[i].nodes);
    etr_delegate_view view = {.graph = &g->graph, .uses = g->uses, .delegate_of = g->delegate_of};
    cr_assert(etr_users_find(&view.users, &g->graph, &arena));
    etr_expectation e = etr_xnnpack.expect(&view, tiny_node(g, "n"));
    cr_expect(e.class_ == cases[i].class_ && e.alternative == cases[i].alternative, "%s: %u, %u",
              cases[i].title, e.class_, e.alternative);
    cr_expect_str_eq(tiny_name(g, e.node), cases[i].of, "%s: of %s", cases[i].title,
                     tiny_name(g, e.node));
    cr_expect_eq(e.cost == 0, cases[i].may_vanish, "%s: costs %d", cases[i].title, e.cost);
    cr_expect_eq(e.count, cases[i].count, "%s: %u of them", cases[i].title, e.count);
    cr_expect_eq(e.weight > 0, e.class_ != 0, "%s: weighs %d", cases[i].title, e.weight);
    etr_arena_clear(&arena);
  }
}

/* "p" and "n", which reads it. */
Test(xnnpack, nodes_that_fuse_are_kept_together) {
  static const struct {
    const char *title, *nodes;
    bool if_only, if_not_only;
  } cases[] = {
      {"operators", "x input;p sigmoid (x);n neg (p)", false, false},
      {"what is quantized next, if nothing else reads it",
       "x input;p sigmoid (x);n quantize_per_tensor (p)", true, false},
      {"an activation that may be fused", "x input;p convolution (x);n relu (p)", true, false},
      {"of a binary operator", "x input;p sub (x,x);n hardtanh (p)", true, false},
      {"not of a division", "x input;p div (x,x);n relu (p)", false, false},
      {"nor of dynamic quantization",
       "x input;d dequantize_per_tensor (x,x);p linear (d);n relu (p)", false, false},
      {"what quantized values are computed for", "x input;p dequantize_per_tensor (x);n add (p,p)",
       true, true},
      {"not to quantize them again",
       "x input;p dequantize_per_tensor (x);n quantize_per_tensor (p)", false, false},
      {"nor from one dequantization to the next",
       "x input;p dequantize_per_tensor (x);n dequantize_per_tensor (p)", false, false},
      {"a computed scale", "x input;p choose_qparams (x) [1] [1];n quantize_per_tensor (x,p)", true,
       true},
      {"and what it quantized", "x input;p quantize_per_tensor (x);n dequantize_per_tensor (p,x)",
       true, true},
      {"not what a constant scale did",
       "x input;p quantize_per_tensor (x);n dequantize_per_tensor (p)", false, false},
      {"a convolution's weight", "p weight;n convolution (p,p)", true, true},
      {"not a batch norm's", "p weight;n native_batch_norm (p,p)", false, false},
      {"nor another operator's", "p weight;n add (p,p)", false, false},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const tiny_graph *g = tiny_graph_of(&arena, cases[i].nodes);
    const etr_node *p = &g->nodes[tiny_node(g, "p")], *n = &g->nodes[tiny_node(g, "n")];
    cr_expect_eq(etr_xnnpack.keeps_together(&g->graph, p, n, true), cases[i].if_only, "%s",
                 cases[i].title);
    cr_expect_eq(etr_xnnpack.keeps_together(&g->graph, p, n, false), cases[i].if_not_only,
                 "%s, read elsewhere", cases[i].title);
    etr_arena_clear(&arena);
  }
}

/* The case is about the last node. */
Test(xnnpack, rewritten_nodes_lose_their_handle) {
  static const struct {
    const char *nodes;
    etr_handle_loss want;
  } cases[] = {
      {"x input;n linear (x)", ETR_KEEPS_HANDLE},
      {"x input;n addmm (x,x)", ETR_LOSES_HANDLE},
      {"x input;n mm (x,x)", ETR_LOSES_HANDLE},
      {"x input;n bmm (x,x)", ETR_KEEPS_HANDLE},
      {"x input;n native_batch_norm (x)", ETR_LOSES_HANDLE},
      {"x input;c convolution (x);n native_batch_norm (c)", ETR_LOSES_HANDLE_UNLESS_FUSED},
      {"x input;c convolution (x);s neg (c);n native_batch_norm (c)", ETR_LOSES_HANDLE},
      {"x input;c add (x,x);n native_batch_norm (c)", ETR_LOSES_HANDLE},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const tiny_graph *g = tiny_graph_of(&arena, cases[i].nodes);
    etr_handle_loss got = etr_xnnpack.loses_handle(&g->graph, g->uses,
                                                   &g->nodes[g->graph.node_count - 1]);
    cr_expect_eq(got, cases[i].want, "%s: %d", cases[i].nodes, (int)got);
    etr_arena_clear(&arena);
  }
}
