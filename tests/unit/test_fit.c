/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_fit.c - methods with the same instructions, distinguished by the operators in their
 * delegates or the buffers that they update, or not distinguished.
 */
#include "methods_case.h"
#include "runs/fit.h"

#define LINEAR(k) "Fully Connected (NC, F32) GEMM #" k "#0 2;"
#define CALL "DELEGATE_CALL@0 9;Method::execute 10"

/* The delegates of the two methods list the same handles. */
#define ALIKE                                                                                      \
  {{"small", "l aten.linear.default 1;m aten.linear.default 2",                                    \
    "0: XnnpackBackend of handles 1,2"},                                                           \
   {"big", "l aten.linear.default 1;m aten.linear.default 2", "0: XnnpackBackend of handles 1,2"}}

Test(fit, payloads_identify_the_method) {
  static const methods_case cases[] = {
      {"one operator or two, both ways",
       ALIKE,
       {"FullyConnected", "FullyConnected FullyConnected"},
       {LINEAR("1") CALL "|" LINEAR("1") LINEAR("2") CALL},
       NO_CHOICE,
       "small: 0; big: 1",
       NULL},
      {"the runtime dropped one: the payload with the fewest more",
       ALIKE,
       {"FullyConnected FullyConnected FullyConnected FullyConnected",
        "FullyConnected FullyConnected FullyConnected"},
       {LINEAR("1") LINEAR("2") CALL},
       NO_CHOICE,
       "big: 0",
       NULL},
      {"more than a payload has is against it, fewer are not",
       ALIKE,
       {"FullyConnected FullyConnected FullyConnected FullyConnected", "FullyConnected"},
       {LINEAR("1") LINEAR("2") CALL},
       NO_CHOICE,
       "small: 0",
       NULL},
      {"equal payloads",
       ALIKE,
       {"FullyConnected FullyConnected", "FullyConnected FullyConnected"},
       {LINEAR("1") LINEAR("2") CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie: small, big fit equally"},
      {"a delegate that logs nothing of its own",
       ALIKE,
       {"FullyConnected", "FullyConnected FullyConnected"},
       {CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
      {"a depthwise convolution is one, whatever the runtime calls it",
       ALIKE,
       {"Conv2d Conv2d", "DepthwiseConv2d Conv2d Conv2d"},
       {"Convolution (NHWC, F32) IGEMM #1#0 2;Fully Connected (NC, F32) GEMM #1#0 2;Convolution "
        "(NHWC, F32) DWConv "
        "#1#0 2;" CALL},
       NO_CHOICE,
       "big: 0",
       NULL},
      {"a lookup may become any number of XNodes, and conversions may be added or removed",
       ALIKE,
       {"FullyConnected Convert Sigmoid Convert",
        "FullyConnected Convert Sigmoid Sigmoid Convert Convert"},
       {LINEAR("1") "Invalid Unary Op #1#0 2;Convert (NC, F32) #1#0 2;" CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
      {"of lookups no payload has any",
       ALIKE,
       {"FullyConnected Convert Sigmoid Convert", "FullyConnected"},
       {LINEAR(
           "1") "Invalid Unary Op #1#0 2;Invalid Unary Op #2#0 2;Invalid Unary Op #3#0 2;" CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
      {"of conversions a payload may have none",
       ALIKE,
       {"FullyConnected Convert", "FullyConnected"},
       {LINEAR("1") "Convert (NC, F32) #1#0 2;" CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
      {"more activations than a payload has",
       ALIKE,
       {"FullyConnected Sigmoid", "FullyConnected Sigmoid Sigmoid"},
       {LINEAR("1") "Sigmoid (NC, F32) #1#0 2;Sigmoid (NC, F32) #2#0 2;" CALL},
       NO_CHOICE,
       "big: 0",
       NULL},
      {"more transposes than a payload has",
       ALIKE,
       {"FullyConnected StaticTranspose", "FullyConnected StaticTranspose StaticTranspose"},
       {LINEAR("1") "Transpose (ND, X32) #1#0 2;Transpose (ND, X32) #2#0 2;" CALL},
       NO_CHOICE,
       "big: 0",
       NULL},
      {"fewer activations than a payload has decide nothing",
       ALIKE,
       {"FullyConnected Sigmoid Sigmoid", "FullyConnected Sigmoid Sigmoid Sigmoid"},
       {LINEAR("1") "Sigmoid (NC, F32) #1#0 2;" CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
      {"an operator that a payload has none of",
       ALIKE,
       {"FullyConnected", "FullyConnected Sigmoid"},
       {LINEAR("1") "Sigmoid (NC, F32) #1#0 2;" CALL},
       NO_CHOICE,
       "big: 0",
       NULL},
      {"a payload of another backend decides nothing",
       ALIKE,
       {"none", "FullyConnected FullyConnected"},
       {LINEAR("1") LINEAR("2") CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
  };
  expect_methods(cases, ETR_COUNT(cases));
}

Test(fit, delegated_nodes_identify_the_method) {
  static const methods_case cases[] = {
      {"one node or two, both ways",
       {{"small", "l aten.linear.default 1", "0: XnnpackBackend of handle 1"},
        {"big", "l aten.linear.default 1;m aten.mm.default 2", "0: XnnpackBackend of handles 1,2"}},
       {NULL},
       {LINEAR("1") CALL "|" LINEAR("1") LINEAR("2") CALL},
       NO_CHOICE,
       "small: 0; big: 1",
       "operators and delegates"},
      {"others may hold the second node of a handle: not one too few",
       {{"small", "l aten.linear.default 1;a aten.add.Tensor 1", "0: XnnpackBackend of handle 1"},
        {"big", "l aten.linear.default 1;m aten.linear.default 1",
         "0: XnnpackBackend of handle 1"}},
       {NULL},
       {LINEAR("1") CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
      {"nor is it missed, where another node of the handle ran",
       {{"two", "l aten.linear.default 1;a aten.add.Tensor 1", "0: XnnpackBackend of handle 1"},
        {"one", "a aten.add.Tensor 1", "0: XnnpackBackend of handle 1"}},
       {NULL},
       {"Add (ND) #1#0 2;" CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
      {"nor one too many",
       {{"small", "l aten.linear.default 1;a aten.linear.default 1;b aten.add.Tensor 1",
         "0: XnnpackBackend of handle 1"},
        {"big", "l aten.linear.default 1;m aten.linear.default 1",
         "0: XnnpackBackend of handles 1,1"}},
       {NULL},
       {LINEAR("1") LINEAR("2") CALL},
       NO_CHOICE,
       "big: 0",
       NULL},
      {"a batch norm may run as a convolution",
       {{"plain", "c aten.convolution.default 1", "0: XnnpackBackend of handle 1"},
        {"normed",
         "c aten.convolution.default 1;b aten._native_batch_norm_legit_no_training.default 2",
         "0: XnnpackBackend of handles 1,2"}},
       {NULL},
       {"Convolution (NHWC, F32) IGEMM #1#0 2;Convolution (NHWC, F32) DWConv #1#0 2;" CALL},
       NO_CHOICE,
       "normed: 0",
       NULL},
      {"or not",
       {{"plain", "c aten.convolution.default 1", "0: XnnpackBackend of handle 1"},
        {"normed",
         "c aten.convolution.default 1;b aten._native_batch_norm_legit_no_training.default 2",
         "0: XnnpackBackend of handles 1,2"}},
       {NULL},
       {"Convolution (NHWC, F32) IGEMM #1#0 2;" CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
      {"operators of another backend may have the same names: their number decides nothing",
       {{"small", "l aten.linear.default 1", "0: SomeBackend of handle 1"},
        {"big", "l aten.linear.default 1;m aten.mm.default 2", "0: SomeBackend of handles 1,2"}},
       {NULL},
       {LINEAR("1") CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
  };
  expect_methods(cases, ETR_COUNT(cases));
}

#define ADD "native_call_add.out@0 4;"
#define COPY(id) "native_call_copy_@" id " 4;"
#define END "Method::execute 20"

Test(fit, buffer_updates_identify_the_method) {
  static const methods_case cases[] = {
      {"copies into buffers, which have no node, both ways",
       {{"pure", "a aten.add.Tensor 1", "0: handle 1"},
        {"cache", "a aten.add.Tensor 1;=2", "0: handle 1"}},
       {NULL},
       {ADD END "|" ADD COPY("1") COPY("2") END},
       NO_CHOICE,
       "pure: 0; cache: 1",
       "instructions, operators and delegates fit"},
      {"more copies than buffers are against a method",
       {{"one", "a aten.add.Tensor 1;=1", "0: handle 1"},
        {"three", "a aten.add.Tensor 1;=3", "0: handle 1"}},
       {NULL},
       {ADD COPY("1") COPY("2") END},
       NO_CHOICE,
       "three: 0",
       "fit best"},
      {"an update in place is no missing copy",
       {{"other", "a aten.add.Tensor 1", "0: handle 1"},
        {"cache", "a aten.add.Tensor 1;i aten.index_put.default 2;=1", "0: handle 1"}},
       {NULL},
       {ADD "native_call_index_put_@1 4;" END},
       NO_CHOICE,
       "cache: 0",
       "instructions, operators and delegates fit"},
      {"a custom operator, which logs no kernel, may update any number",
       {{"pure", "a aten.add.Tensor 1", "0: handle 1"},
        {"cache", "a aten.add.Tensor 1;=2", "0: handle 1"}},
       {NULL},
       {ADD "OPERATOR_CALL@1 4;" END},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
      {"a delegate of XNNPACK holds no buffer",
       {{"pure", "l aten.linear.default 1", "0: XnnpackBackend of handle 1"},
        {"cache", "l aten.linear.default 1;=1", "0: XnnpackBackend of handle 1"}},
       {NULL},
       {LINEAR("1") CALL},
       NO_CHOICE,
       "pure: 0",
       NULL},
      {"others may",
       {{"pure", "l aten.linear.default 1", "0: SomeBackend of handle 1"},
        {"cache", "l aten.linear.default 1;=1", "0: SomeBackend of handle 1"}},
       {NULL},
       {CALL},
       NO_CHOICE,
       "unknown: 0",
       "tie"},
  };
  expect_methods(cases, ETR_COUNT(cases));
}

Test(fit, instructions_identify_a_method_without_graph) {
  static const methods_case cases[] = {
      {"by the numbers of its instructions",
       {{"known", "l aten.linear.default 1", "0: XnnpackBackend of handle 1"},
        {"unknown", NULL, "0: handle 1; 1: handle 2"}},
       {NULL},
       {CALL "|" ADD "native_call_mul.out@1 4;" END},
       NO_CHOICE,
       "known: 0; unknown: 1",
       "no graph of this method"},
      {"a graph with these operators is better evidence",
       {{"known", "a aten.add.Tensor 1", "0: handle 1"}, {"unknown", NULL, "0: handle 1"}},
       {NULL},
       {ADD END},
       NO_CHOICE,
       "known: 0",
       "instructions, operators and delegates fit"},
      {"not where one is missing",
       {{"unknown", NULL, "0: handle 1; 1: handle 2"}},
       {NULL},
       {ADD END},
       NO_CHOICE,
       "unknown: 0",
       "fits no method"},
      {"nor where there is one more",
       {{"unknown", NULL, "0: handle 1"}},
       {NULL},
       {ADD COPY("1") "native_call_mul.out@2 4;" END},
       NO_CHOICE,
       "unknown: 0",
       "fits no method"},
  };
  expect_methods(cases, ETR_COUNT(cases));
}

/* The dump of another model has operators that match no node. */
Test(fit, contradictions_warn) {
  static const struct {
    const char *nodes, *map, *events;
    uint32_t disagreeing;
  } cases[] = {
      {"a aten.add.Tensor 1;=1", "0: handle 1", ADD COPY("1") END, 0},
      {"a aten.add.Tensor 1", "0: handle 1", ADD COPY("1") COPY("2") END, 2},
      {"a aten.add.Tensor 1", "0: handle 1", ADD "native_call_index_put_@1 4;" END, 1},
      {"a aten.add.Tensor 1", "0: handle 1", ADD "native_call_mul.out@1 4;" END, 1},
      {"a aten.add.Tensor 1", "0: handle 1", ADD "OPERATOR_CALL@1 4;" END, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_map names;
    etr_blocks blocks;
    etr_fits fits;
    const method_text text = {"m", cases[i].nodes, cases[i].map};
    etr_map_init(&names, &arena);
    etr_method_inputs join = {
        .name = "m", .graph = make_graph(&arena, cases[i].nodes), .map = make_map(&arena, &text)};
    etr_dump dump = make_dump(&arena, &names, cases[i].events);
    cr_assert(etr_method_index_nodes(&join, &arena));
    cr_assert_eq(etr_blocks_build(&blocks, &arena, &dump, 1, 1, NULL), ETR_OK);
    etr_fitter *fitter = etr_fitter_new(&arena, &join, 1, 0);
    cr_assert(fitter && etr_fitter_fit(fitter, &blocks.blocks[0], &fits));
    cr_expect_eq(fits.list->fit.against, cases[i].disagreeing, "%s: %u", cases[i].events,
                 fits.list->fit.against);
    etr_arena_clear(&arena);
  }
}

/* Compares the rows of a run with programs: an instruction that did not run counts as missing,
 * unless the method branches. */
Test(fit, instructions_that_did_not_run_are_counted) {
  static const struct {
    etr_instruction_kind
        kind; /* kind of the second of three instructions; the others are kernels */
    uint32_t missing;
  } cases[] = {{ETR_INSTRUCTION_KERNEL, 2},
               {ETR_INSTRUCTION_DELEGATE, 2},
               {ETR_INSTRUCTION_FREE, 1},
               {ETR_INSTRUCTION_JUMP_FALSE, 0}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_map names;
    etr_blocks blocks;
    etr_fits fits;
    etr_instruction list[3] = {{.kind = ETR_INSTRUCTION_KERNEL, .op = "aten::add"},
                               {.kind = cases[i].kind, .op = "aten::add"},
                               {.kind = ETR_INSTRUCTION_KERNEL, .op = "aten::copy_"}};
    etr_pte_method program = {.instructions = list, .instruction_count = ETR_COUNT(list)};
    etr_method_inputs join = {.name = "m", .program = &program};
    etr_map_init(&names, &arena);
    etr_dump dump = make_dump(&arena, &names, ADD END);
    cr_assert_eq(etr_blocks_build(&blocks, &arena, &dump, 1, 1, NULL), ETR_OK);
    etr_fitter *fitter = etr_fitter_new(&arena, &join, 1, 0);
    cr_assert(fitter && etr_fitter_fit(fitter, &blocks.blocks[0], &fits));
    cr_expect_eq(fits.list->fit.missing, cases[i].missing, "case %zu: %u", i,
                 fits.list->fit.missing);
    etr_arena_clear(&arena);
  }
}
