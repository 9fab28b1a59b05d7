/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_frame.c - frames of tracebacks, files of libraries, and the model's line.
 */
#include "inputs/frame.h"

#include <criterion/criterion.h>

static etr_arena arena;
static etr_map strings;

static void begin(void) {
  etr_map_init(&strings, &arena);
}
static void end(void) {
  etr_arena_clear(&arena);
}
TestSuite(frame, .init = begin, .fini = end);

Test(frame, the_source_line_of_the_model_is_read) {
  static const struct {
    const char *trace, *file; /* NULL: none */
    int64_t line;
    const char *function, *code;
  } cases[] = {
      {"  File \"/m/model.py\", line 12, in forward\n    return self.fc(x)\n", "/m/model.py", 12,
       "forward", "return self.fc(x)"},
      {"  File \"a.py\", line 1, in f\n    g()\n  File \"b.py\", line 2, in g\n    h()", "b.py", 2,
       "g", "h()"},
      {"  File \"a.py\", line 1, in f\n    g()\n  File \"/x/site-packages/torch/nn/m.py\", line 2, "
       "in g\n    h()",
       "a.py", 1, "f", "g()"},
      {"  File \"/x/dist-packages/torch/nn/m.py\", line 2, in g\n    h()", NULL, 0, NULL, NULL},
      {"  File \"/x/site-packages/torchvision/m.py\", line 2, in g\n    h()",
       "/x/site-packages/torchvision/m.py", 2, "g", "h()"},
      {"  File \"a.py\", line 1, in f\n    g()\n  File \"<eval_with_key>.1\", line 2, in g\n    "
       "h()",
       "a.py", 1, "f", "g()"},
      {"  File \"a.py\", line 1, in f\n    g(x,\n      y)\n", "a.py", 1, "f", "g(x,"},
      {"  File \"a.py\", line 1, in f\n", "a.py", 1, "f", ""},
      {"  File \"a.py\", line 1", "a.py", 1, "", ""},
      {"Traceback:\n  File \"a.py\", line 3, in <module>\n    go()", "a.py", 3, "<module>", "go()"},
      {"File \"a.py\", line x, in f\n", NULL, 0, NULL, NULL},
      {"File \"a.py\n", NULL, 0, NULL, NULL},
      {"File \"", NULL, 0, NULL, NULL},
      {"no trace at all", NULL, 0, NULL, NULL},
      {"", NULL, 0, NULL, NULL},
      {"\n\n\n", NULL, 0, NULL, NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_source *source = etr_trace_read(&arena, &strings, etr_slice_of(cases[i].trace), NULL)
                                   .source;
    cr_expect_eq(source != NULL, cases[i].file != NULL, "%s", cases[i].trace);
    if (!source || !cases[i].file)
      continue;
    cr_expect_str_eq(source->file, cases[i].file, "case %zu", i);
    cr_expect_eq(source->line, cases[i].line, "case %zu", i);
    cr_expect_str_eq(source->function, cases[i].function, "case %zu", i);
    cr_expect_str_eq(source->code, cases[i].code, "case %zu: %s", i, source->code);
  }
}

Test(frame, all_frames_are_kept_innermost_first) {
  static const char trace[] = "Traceback:\n  File \"a.py\", line 1, in f\n    g(x,\n      y)\n"
                              "  File \"/x/site-packages/torch/m.py\", line 2, in g\n    h()\n"
                              "  File \"<eval_with_key>.1\", line 3, in h\n";
  etr_trace read = etr_trace_read(&arena, &strings, etr_slice_of(trace), NULL);
  cr_assert_eq(read.frame_count, 3);
  static const char *const files[] = {"<eval_with_key>.1", "/x/site-packages/torch/m.py", "a.py"};
  static const char *const codes[] = {"", "h()", "g(x,"};
  for (size_t i = 0; i < read.frame_count; i++) {
    cr_expect_str_eq(read.frames[i].file, files[i]);
    cr_expect_str_eq(read.frames[i].code, codes[i]);
    cr_expect_eq(read.frames[i].line, 3 - (int64_t)i);
  }
  cr_expect_eq(etr_trace_read(&arena, &strings, etr_slice_of("no trace"), NULL).frame_count, 0);
}

/* ---- Which frame is the model's ---- */

enum { MOST = 4 };

/* Frames are numbered from the outermost on, which is number 1. */
static const struct {
  const char *title, *files[MOST], *root;
  int line; /* 0: none */
} cases[] = {
    {"the innermost of the user", {"/m/a.py", "/m/b.py"}, NULL, 2},
    {"a wheel", {"/m/a.py", "/v/lib/python3.11/site-packages/torchao/quantization/q.py"}, NULL, 1},
    {"a wheel of ExecuTorch",
     {"/m/a.py", "/v/lib/python3.11/site-packages/executorch/backends/arm/p.py"},
     NULL,
     1},
    {"conda",
     {"/m/a.py", "/opt/conda/envs/e/lib/python3.12/site-packages/transformers/activations.py"},
     NULL,
     1},
    {"Debian", {"/m/a.py", "/usr/lib/python3/dist-packages/torch/functional.py"}, NULL, 1},
    {"Windows",
     {"C:\\m\\a.py", "C:\\v\\Lib\\site-packages\\torchao\\utils.py",
      "C:\\v\\Lib\\site-packages\\torch\\nn\\m.py"},
     NULL,
     1},
    {"an editable ExecuTorch", {"/m/a.py", "/home/u/executorch/exir/passes/p.py"}, NULL, 1},
    {"an editable ExecuTorch, through its links",
     {"/m/a.py", "/home/u/executorch/src/executorch/exir/p.py"},
     NULL,
     1},
    {"an editable torch", {"/m/a.py", "/home/u/pytorch/torch/nn/modules/linear.py"}, NULL, 1},
    {"an editable transformers",
     {"/m/a.py", "/home/u/transformers/src/transformers/models/llama/m.py"},
     NULL,
     1},
    {"an editable torchao", {"/m/a.py", "/home/u/ao/torchao/dtypes/d.py"}, NULL, 1},
    {"torchvision is a model",
     {"/m/a.py", "/v/site-packages/torchvision/models/resnet.py", "/v/site-packages/torch/nn/c.py"},
     NULL,
     2},
    {"timm is a model", {"/m/a.py", "/v/site-packages/timm/layers/mlp.py"}, NULL, 2},
    {"without a frame of the user: a model of transformers",
     {"/v/site-packages/transformers/models/bert/modeling_bert.py",
      "/v/site-packages/transformers/pytorch_utils.py"},
     NULL,
     1},
    {"without a frame of the user: a model of ExecuTorch",
     {"/v/site-packages/executorch/examples/models/llama/attention.py",
      "/v/site-packages/executorch/backends/p.py"},
     NULL,
     1},
    {"only libraries",
     {"/v/site-packages/executorch/exir/a.py", "/v/site-packages/torchao/b.py"},
     NULL,
     2},
    {"only torch", {"/v/site-packages/torch/nn/a.py", "<eval_with_key>.3"}, NULL, 0},
    {"a project called torch_stuff", {"/home/u/torch_stuff/nn/modules/a.py"}, NULL, 1},
    {"a project called executorch",
     {"/home/u/executorch/model.py", "/v/site-packages/torch/nn/a.py"},
     NULL,
     1},
    {"a project called torch", {"/home/u/torch/model.py", "/home/u/torch/models/b.py"}, NULL, 2},
    {"a project called transformers", {"/home/u/transformers/models/mine.py"}, NULL, 1},
    {"a project in site-packages called torch_models",
     {"/v/site-packages/torch_models/a.py"},
     NULL,
     1},
    {"an environment below ExecuTorch",
     {"/home/u/executorch/.venv/lib/python3.11/site-packages/mine/a.py"},
     NULL,
     1},
    {"an environment below ExecuTorch with torch",
     {"/m/a.py", "/home/u/executorch/.venv/lib/python3.11/site-packages/torch/nn/a.py"},
     NULL,
     1},
    {"a redacted record",
     {"f0.py", "executorch/backends/arm/_passes/p.py", "torch/nn/modules/linear.py"},
     NULL,
     1},
    {"root: a folder of the user", {"/m/net/a.py", "/m/lib/b.py"}, "/m/net", 1},
    {"root: the innermost below it", {"/m/net/a.py", "/m/net/b.py", "/m/lib/c.py"}, "/m/net/", 2},
    {"root: a library's model",
     {"/m/a.py", "/v/site-packages/transformers/models/l/m.py"},
     "transformers/models",
     2},
    {"root: torch itself",
     {"/m/a.py", "/v/site-packages/torch/nn/modules/transformer.py"},
     "torch/nn",
     2},
    {"root: no prefix of a name", {"/m/network/a.py", "/m/lib/b.py"}, "/m/net", 2},
    {"root: a folder of another machine",
     {"/m/a.py", "/v/site-packages/torchao/b.py"},
     "/nowhere",
     1},
    {"root: a file is no folder", {"/m/a.py", "/m/b.py"}, "/m/a.py", 2},
    {"root: all", {"/m/a.py", "/v/site-packages/torch/b.py"}, "/", 2},
    {"root: Windows", {"C:\\m\\net\\a.py", "C:\\m\\b.py"}, "C:/m/net", 1},
    {"root: empty", {"/m/a.py", "/m/b.py"}, "", 2},
};

Test(frame, the_model_s_line_is_outside_libraries_or_below_the_root) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *trace = "";
    for (int k = 0; k < MOST && cases[i].files[k]; k++)
      trace = etr_arena_format(&arena, "%s  File \"%s\", line %d, in f\n    c%d()\n", trace,
                               cases[i].files[k], k + 1, k + 1);
    const etr_source *source = etr_trace_read(&arena, &strings, etr_slice_of(trace), cases[i].root)
                                   .source;
    cr_expect_eq(source ? source->line : 0, cases[i].line, "%s: line %lld", cases[i].title,
                 source ? (long long)source->line : 0);
    if (source)
      cr_expect_str_eq(source->code, etr_arena_format(&arena, "c%d()", cases[i].line), "%s",
                       cases[i].title);
  }
}

Test(frame, a_library_s_path_begins_at_its_folder) {
  static const char *const paths[][2] = {
      {"/v/site-packages/torch/nn/a.py", "torch/nn/a.py"},
      {"C:\\v\\site-packages\\torchao\\a.py", "torchao\\a.py"},
      {"/home/u/executorch/.venv/site-packages/torch/a.py", "torch/a.py"},
      {"torch/nn/a.py", "torch/nn/a.py"},
      {"/torch/a.py", ""},
      {"/m/a.py", ""},
      {"torch", ""},
      {"", ""},
  };
  for (size_t i = 0; i < ETR_COUNT(paths); i++) {
    etr_slice path = etr_library_path(etr_slice_of(paths[i][0]));
    cr_expect(etr_slice_equal(path, etr_slice_of(paths[i][1])), "%s: %.*s", paths[i][0],
              (int)path.size, path.data);
  }
}
