/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_methods.c - the method of each run, found by the order of loads, chosen with --map, or
 * unknown.
 */
#include "methods_case.h"

#define LOAD "Program::load_method 1"
#define ADD "native_call_add.out@0 4;Method::execute 5"
#define SIN "native_call_sin.out@0 4;Method::execute 5"

/* Two equal methods and a different one. */
#define TWINS                                                                                      \
  {{"encode", "a aten.add.Tensor 1", "0: handle 1"},                                               \
   {"decode", "a aten.add.Tensor 1", "0: handle 1"},                                               \
   {"warm", "s aten.sin.default 1", "0: handle 1"}}
#define ENCODE_OR_BOTH                                                                             \
  {{"encode", "a aten.add.Tensor 1;cond higher_order.cond 2;.s aten.sin.default 7",                \
    "0: handle 1"},                                                                                \
   {"decode", "a aten.add.Tensor 1", "0: handle 1"}}
#define ENCODE "native_call_add.out@0 4;native_call_sin.out@1 4;Method::execute 9"
#define EIGHT(TEXT) TEXT TEXT TEXT TEXT TEXT TEXT TEXT TEXT

Test(methods, loads_separate_methods) {
  static const methods_case cases[] = {
      {"a message has the first eight ranges of runs, and where the others are",
       TWINS,
       {NULL},
       {EIGHT(LOAD "|" ADD "|") LOAD "|" ADD},
       NO_CHOICE,
       "none: 0,2,4,6,8,10,12,14,16; unknown: 1; unknown: 3; unknown: 5; unknown: 7; unknown: 9; "
       "unknown: 11; unknown: 13; unknown: 15; unknown: 17",
       "--map 15=METHOD ... (\"runs\" of events --format json has all)"},
      {"runs on both sides of a further load are never one block",
       TWINS,
       {NULL},
       {LOAD "|" ADD "|" ADD "|" LOAD "|" ADD},
       NO_CHOICE,
       "none: 0,3; unknown: 1,2; unknown: 4",
       "tie"},
      {"those behind the first load are, and those of another dump",
       TWINS,
       {NULL},
       {ADD "|" ADD, LOAD "|" ADD "|" LOAD "|" ADD},
       NO_CHOICE,
       "unknown: 0,1,3; none: 2,4; unknown: 5",
       NULL},
      {"of one method they are one block",
       {{"encode", "a aten.add.Tensor 1", "0: handle 1"}},
       {NULL},
       {LOAD "|" ADD "|" LOAD "|" ADD},
       NO_CHOICE,
       "none: 0,2; encode: 1,3",
       NULL},
      {"a load identifies only the run right behind it",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE "|" LOAD "|" ADD "|" ADD "|" ADD},
       NO_CHOICE,
       "none: 0,2; encode: 1; decode: 3; unknown: 4,5",
       "the order of loads decides run 3 alone; decide with --map 4-5=METHOD"},
      {"so does a load without a time",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE "|Program::load_method ?|" ADD "|" ADD "|" ADD},
       NO_CHOICE,
       "none: 0,2; encode: 1; decode: 3; unknown: 4,5",
       "the order of loads decides run 3 alone; decide with --map 4-5=METHOD"},
      {"nor one behind another run",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE "|" LOAD "|" ENCODE "|" ADD},
       NO_CHOICE,
       "none: 0,2; encode: 1; encode: 3; unknown: 4",
       "decide with --map 4=METHOD"},
      {"two loads in a run decide nothing",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE "|" LOAD ";" LOAD "|" ADD},
       NO_CHOICE,
       "none: 0,2; encode: 1; unknown: 3",
       "tie"},
      {"nor do two runs of one load each",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE "|" LOAD "|" LOAD "|" ADD},
       NO_CHOICE,
       "none: 0,2,3; encode: 1; unknown: 4",
       "tie"},
      {"nor a load of what has nothing to run",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE "|" LOAD "|Method::execute 1|" ADD},
       NO_CHOICE,
       "none: 0,2; encode: 1; none: 3; unknown: 4",
       "tie"},
      {"nor a load that may bring either",
       {{"encode", "a aten.add.Tensor 1", "0: handle 1"},
        {"decode", "a aten.add.Tensor 1", "0: handle 1"},
        {"warm", "s aten.sin.default 1", "0: handle 1"}},
       {NULL},
       {LOAD "|" SIN "|" LOAD "|" ADD},
       NO_CHOICE,
       "none: 0,2; warm: 1; unknown: 3",
       "tie"},
      {"the method of a load ran before the next load",
       ENCODE_OR_BOTH,
       {NULL},
       {ENCODE "|" LOAD "|" ADD "|" LOAD "|" ADD},
       NO_CHOICE,
       "encode: 0; none: 1,3; decode: 2; unknown: 4",
       "tie"},
      {"and what was chosen",
       {{"encode", "a aten.add.Tensor 1;cond higher_order.cond 2;.s aten.sin.default 7",
         "0: handle 1"},
        {"decode", "a aten.add.Tensor 1;b aten.mul.Tensor 2", "0: handle 1"},
        {"other", "a aten.add.Tensor 1;b aten.mul.Tensor 2", "0: handle 1"}},
       {NULL},
       {ENCODE "|" LOAD "|" ADD "|" LOAD "|" ADD},
       {{.run = 2, .method = "decode"}},
       "encode: 0; none: 1,3; decode: 2; other: 4",
       "other candidates had run"},
      {"what ran in another dump did not run before",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE, LOAD "|" ADD},
       NO_CHOICE,
       "none: 0,2; encode: 1; unknown: 3",
       "tie"},
      {"each dump is judged separately",
       ENCODE_OR_BOTH,
       {NULL},
       {ENCODE "|" LOAD "|" ADD "|" ADD, ENCODE "|" LOAD "|" ADD "|" ADD},
       NO_CHOICE,
       "encode: 0,4; none: 1,5; decode: 2,6; unknown: 3,7",
       NULL},
  };
  expect_methods(cases, ETR_COUNT(cases));
}

Test(methods, methods_without_instructions_are_identified) {
  static const methods_case cases[] = {
      {"a method that only returns a constant",
       {{"forward", "l aten.linear.default 1", "0: XnnpackBackend of handle 1"},
        {"get_dim", "", ""}},
       {"FullyConnected", ""},
       {"DELEGATE_CALL@0 9;Method::execute 10|Method::execute 1"},
       NO_CHOICE,
       "forward: 0; get_dim: 1",
       "is without instructions"},
      {"one of two that do",
       {{"forward", "l aten.linear.default 1", "0: XnnpackBackend of handle 1"},
        {"get_dim", "", ""},
        {"get_size", "", ""}},
       {"FullyConnected", "", ""},
       {"DELEGATE_CALL@0 9;Method::execute 10|Method::execute 1"},
       NO_CHOICE,
       "forward: 0; none: 1",
       "no method ran"},
      {"where it is chosen",
       {{"forward", "l aten.linear.default 1", "0: XnnpackBackend of handle 1"},
        {"get_dim", "", ""},
        {"get_size", "", ""}},
       {"FullyConnected", "", ""},
       {"DELEGATE_CALL@0 9;Method::execute 10|Method::execute 1|Method::execute 1"},
       {{.run = 2, .method = "get_size"}},
       "forward: 0; none: 1; get_size: 2",
       "--map says so"},
      {"where no instructions are logged it may be any",
       {{"forward", "l aten.linear.default 1", "0: XnnpackBackend of handle 1"},
        {"get_dim", "", ""}},
       {"FullyConnected", ""},
       {"Method::execute 10|Method::execute 1"},
       NO_CHOICE,
       "none: 0,1",
       "no method ran"},
  };
  expect_methods(cases, ETR_COUNT(cases));
}

/* The sigmoid distinguishes encode from decode, but an encode that does not run it looks like
 * decode. */
#define LONGER(CONTROL)                                                                            \
  {{"encode", "l aten.linear.default 1;s aten.sigmoid.default 1;a aten.add.Tensor 2" CONTROL,      \
    "0: XnnpackBackend of handle 1;1: handle 2"},                                                  \
   {"decode", "l aten.linear.default 1;a aten.add.Tensor 2",                                       \
    "0: XnnpackBackend of handle 1;1: handle 2"}}
#define SHORT_CALL "Fully Connected (NC, F32) GEMM #1#0 9;DELEGATE_CALL@0 9;"
#define SHORT SHORT_CALL "native_call_add.out@1 1;Method::execute 10"
#define LONG                                                                                       \
  "Fully Connected (NC, F32) GEMM #1#0 9;Sigmoid (NC, F32) #1#0 9;DELEGATE_CALL@0 "                \
  "9;native_call_add.out@1 1;Method::execute 10"

Test(methods, rows_of_other_runs_decide) {
  static const methods_case cases[] = {
      {"encode has a row more where it is known",
       LONGER(""),
       {NULL},
       {LONG "|" SHORT "|" SHORT},
       NO_CHOICE,
       "encode: 0; decode: 1,2",
       "the runs of the other candidates have other events"},
      {"no run of encode is known",
       LONGER(""),
       {NULL},
       {SHORT "|" SHORT},
       NO_CHOICE,
       "unknown: 0,1",
       "tie"},
      {"encode is known in another dump, which another runtime may have written",
       LONGER(""),
       {NULL},
       {LONG, SHORT},
       NO_CHOICE,
       "encode: 0; unknown: 1",
       "tie"},
      {"encode branches, so it may run other operators each time",
       LONGER(";cond higher_order.cond 3;.n aten.sin.default 4"),
       {NULL},
       {LONG "|" SHORT},
       NO_CHOICE,
       "encode: 0; unknown: 1",
       "tie"},
      {"the run was cut short",
       LONGER(""),
       {NULL},
       {LONG "|" SHORT_CALL "Method::execute 10"},
       NO_CHOICE,
       "encode: 0; unknown: 1",
       "tie"},
  };
  expect_methods(cases, ETR_COUNT(cases));
}

Test(methods, chosen_methods_take_precedence) {
  static const methods_case cases[] = {
      {"one run alone, and what stays a tie",
       TWINS,
       {NULL},
       {ADD "|" ADD "|" ADD "|" ADD},
       {{.run = 1, .method = "encode"}},
       "unknown: 0,2,3; encode: 1",
       "--map says so"},
      {"the others of its block are a tie still",
       TWINS,
       {NULL},
       {ADD "|" ADD "|" ADD "|" ADD},
       {{.run = 0, .method = "encode"}},
       "encode: 0; unknown: 1,2,3",
       "--map 1-3=METHOD"},
      {"a range without loads",
       TWINS,
       {NULL},
       {LOAD "|" ADD "|" LOAD "|" ADD},
       {{.run = 0, .last = 3, .method = "decode"}},
       "none: 0,2; decode: 1; decode: 3",
       NULL},
      {"the last choice of a run counts",
       TWINS,
       {NULL},
       {ADD "|" ADD "|" ADD},
       {{.run = 0, .last = 2, .method = "decode"},
        {.run = 1, .method = "encode"},
        {.run = 2, .method = "decode"}},
       "decode: 0,2; encode: 1",
       NULL},
      {"a last run before the first is none",
       TWINS,
       {NULL},
       {ADD "|" ADD "|" ADD},
       {{.run = 1, .method = "encode"}},
       "unknown: 0,2; encode: 1",
       NULL},
      {"what is chosen had run before a load",
       TWINS,
       {NULL},
       {ADD "|" LOAD "|" ADD "|" ADD},
       {{.run = 0, .method = "decode"}},
       "decode: 0; none: 1; encode: 2; unknown: 3",
       "decides run 2 alone"},
      {"against what ran",
       TWINS,
       {NULL},
       {SIN},
       {{.run = 0, .method = "encode"}},
       "encode: 0",
       "--map says so"},
  };
  expect_methods(cases, ETR_COUNT(cases));
}
