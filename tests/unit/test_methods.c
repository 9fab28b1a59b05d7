/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_methods.c - which method each run is of: by the order of loads, by choice, or not at all.
 */
#include "methods_case.h"

#define LOAD "Program::load_method 1"
#define ADD "native_call_add.out@0 4;Method::execute 5"
#define SIN "native_call_sin.out@0 4;Method::execute 5"

/* Two methods that are alike, and one that is not. */
#define TWINS                                                                                                          \
  {                                                                                                                    \
    {"encode", "a aten.add.Tensor 1", "0=1"}, {"decode", "a aten.add.Tensor 1", "0=1"}, {                              \
      "warm", "s aten.sin.default 1", "0=1"                                                                            \
    }                                                                                                                  \
  }
#define ENCODE_OR_BOTH                                                                                                 \
  {                                                                                                                    \
    {"encode", "a aten.add.Tensor 1;cond higher_order.cond 2;.s aten.sin.default 7", "0=1"}, {                         \
      "decode", "a aten.add.Tensor 1", "0=1"                                                                           \
    }                                                                                                                  \
  }
#define ENCODE "native_call_add.out@0 4;native_call_sin.out@1 4;Method::execute 9"

Test(methods, told_by_loads) {
  static const methods_case cases[] = {
      {"runs on both sides of a further load are never one block",
       TWINS,
       {NULL},
       {LOAD "|" ADD "|" ADD "|" LOAD "|" ADD},
       NULL,
       "-:0,3 ?:1,2 ?:4",
       "tie"},
      {"those behind the first load are, and those of another dump",
       TWINS,
       {NULL},
       {ADD "|" ADD, LOAD "|" ADD "|" LOAD "|" ADD},
       NULL,
       "?:0,1,3 -:2,4 ?:5",
       NULL},
      {"of one method they are one block",
       {{"encode", "a aten.add.Tensor 1", "0=1"}},
       {NULL},
       {LOAD "|" ADD "|" LOAD "|" ADD},
       NULL,
       "-:0,2 encode:1,3",
       NULL},
      {"a load tells the run right behind it, not those after",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE "|" LOAD "|" ADD "|" ADD "|" ADD},
       NULL,
       "-:0,2 encode:1 decode:3 ?:4,5",
       "the order of loads tells run 3 alone; decide with --map 4-5=METHOD"},
      {"nor one behind another run",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE "|" LOAD "|" ENCODE "|" ADD},
       NULL,
       "-:0,2 encode:1 encode:3 ?:4",
       "decide with --map 4=METHOD"},
      {"two loads in a run tell nothing",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE "|" LOAD ";" LOAD "|" ADD},
       NULL,
       "-:0,2 encode:1 ?:3",
       "tie"},
      {"nor do two runs of one load each",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE "|" LOAD "|" LOAD "|" ADD},
       NULL,
       "-:0,2,3 encode:1 ?:4",
       "tie"},
      {"nor a load that may bring either",
       {{"encode", "a aten.add.Tensor 1", "0=1"},
        {"decode", "a aten.add.Tensor 1", "0=1"},
        {"warm", "s aten.sin.default 1", "0=1"}},
       {NULL},
       {LOAD "|" SIN "|" LOAD "|" ADD},
       NULL,
       "-:0,2 warm:1 ?:3",
       "tie"},
      {"what a load told had run before the next one",
       ENCODE_OR_BOTH,
       {NULL},
       {ENCODE "|" LOAD "|" ADD "|" LOAD "|" ADD},
       NULL,
       "encode:0 -:1,3 decode:2 ?:4",
       "tie"},
      {"and what was chosen",
       {{"encode", "a aten.add.Tensor 1;cond higher_order.cond 2;.s aten.sin.default 7", "0=1"},
        {"decode", "a aten.add.Tensor 1;b aten.mul.Tensor 2", "0=1"},
        {"other", "a aten.add.Tensor 1;b aten.mul.Tensor 2", "0=1"}},
       {NULL},
       {ENCODE "|" LOAD "|" ADD "|" LOAD "|" ADD},
       "2=decode",
       "encode:0 -:1,3 decode:2 other:4",
       "order of loads"},
      {"what ran in another dump did not run before",
       ENCODE_OR_BOTH,
       {NULL},
       {LOAD "|" ENCODE, LOAD "|" ADD},
       NULL,
       "-:0,2 encode:1 ?:3",
       "tie"},
      {"each dump tells for itself",
       ENCODE_OR_BOTH,
       {NULL},
       {ENCODE "|" LOAD "|" ADD "|" ADD, ENCODE "|" LOAD "|" ADD "|" ADD},
       NULL,
       "encode:0,4 -:1,5 decode:2 ?:3,7 decode:6",
       NULL},
  };
  expect_methods(cases, ETR_COUNT(cases));
}

Test(methods, chosen) {
  static const methods_case cases[] = {
      {"one run alone, and what stays a tie",
       TWINS,
       {NULL},
       {ADD "|" ADD "|" ADD "|" ADD},
       "1=encode",
       "?:0,2,3 encode:1",
       "chosen by the user"},
      {"the others of its block are a tie still",
       TWINS,
       {NULL},
       {ADD "|" ADD "|" ADD "|" ADD},
       "0=encode",
       "encode:0 ?:1,2,3",
       "--map 1-3=METHOD"},
      {"a range, loads left out",
       TWINS,
       {NULL},
       {LOAD "|" ADD "|" LOAD "|" ADD},
       "0-3=decode",
       "-:0,2 decode:1 decode:3",
       NULL},
      {"the last choice of a run counts",
       TWINS,
       {NULL},
       {ADD "|" ADD "|" ADD},
       "0-2=decode 1=encode 2=decode",
       "decode:0,2 encode:1",
       NULL},
      {"a last run before the first is none",
       TWINS,
       {NULL},
       {ADD "|" ADD "|" ADD},
       "1-0=encode",
       "?:0,2 encode:1",
       NULL},
      {"what is chosen had run before a load",
       TWINS,
       {NULL},
       {ADD "|" LOAD "|" ADD "|" ADD},
       "0=decode",
       "decode:0 -:1 encode:2 ?:3",
       "tells run 2 alone"},
      {"against what ran", TWINS, {NULL}, {SIN}, "0=encode", "encode:0", "chosen by the user"},
  };
  expect_methods(cases, ETR_COUNT(cases));
}
