/* SPDX-License-Identifier: BSD-3-Clause
 *
 * DOT output: hostile names, the drawing of each element, and repeatability.
 */
#include "base/writer.h"
#include "etrecord_tb.h"
#include "tiny_profile.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool append(void *context, const void *data, size_t size) {
  etr_put(context, (etr_slice){data, size});
  return true;
}

static const char *emit(const etr_profile *profile, size_t graph, int depth, etr_arena *arena) {
  etr_text text;
  etr_writer writer;
  etr_error error;
  etr_text_begin(&text, arena, &writer);
  cr_assert_eq(etr_emit_dot(profile, graph, &(etr_dot_options){.depth = depth},
                            &(etr_sink){append, &writer}, &error),
               ETR_OK, "%s", error.message);
  return etr_text_end(&text, &writer);
}

static void expect_has(const char *dot, const char *part) {
  cr_expect_not_null(strstr(dot, part), "no %s in:\n%s", part, dot);
}
static void expect_lacks(const char *dot, const char *part) {
  cr_expect_null(strstr(dot, part), "%s in:\n%s", part, dot);
}

static size_t count_of(const char *dot, const char *part) {
  size_t count = 0;
  for (const char *at = strstr(dot, part); at != NULL; at = strstr(at + 1, part))
    count++;
  return count;
}

/* Returns the SVG that Graphviz draws, behind its warnings, if any; NULL if Graphviz is not
 * installed. */
static const char *rendered(const char *dot, etr_arena *arena) {
  if (system("dot -V 2>/dev/null") != 0)
    return NULL;
  char path[] = "/tmp/etrecord_dot_XXXXXX";
  int fd = mkstemp(path);
  cr_assert(fd >= 0);
  cr_assert_eq(write(fd, dot, strlen(dot)), (ssize_t)strlen(dot));
  cr_assert_eq(close(fd), 0);
  FILE *pipe = popen(etr_arena_format(arena, "dot -Tsvg %s 2>&1", path), "r");
  cr_assert_not_null(pipe);
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  char piece[4096];
  for (size_t size; (size = fread(piece, 1, sizeof piece, pipe)) > 0;)
    etr_put(&writer, (etr_slice){piece, size});
  const char *svg = etr_text_end(&text, &writer);
  cr_expect_eq(pclose(pipe), 0, "dot failed: %.300s\n%s", svg, dot);
  cr_expect_eq(unlink(path), 0);
  cr_expect_eq(strncmp(svg, "<?xml", 5), 0, "dot complains: %.300s", svg);
  return svg;
}

/* x -> linear (block.fc) -> relu (block) -> add -> mul -> sub -> output; linear and add were timed.
 */
static void small(tiny *t) {
  uint32_t block = tiny_module(t, 0, "block", "my.Block");
  uint32_t fc = tiny_module(t, block, "block.fc", "torch.nn.modules.linear.Linear");
  uint32_t x = tiny_node(t, ETR_NODE_INPUT, "x", "x", 0);
  uint32_t weight = tiny_node(t, ETR_NODE_PARAMETER, "p_block_fc_weight", "block.fc.weight", 0);
  uint32_t linear = tiny_node(t, ETR_NODE_OP, "aten_linear_default", "aten.linear.default", fc);
  uint32_t relu = tiny_node(t, ETR_NODE_OP, "aten_relu_default", "aten.relu.default", block);
  uint32_t add = tiny_node(t, ETR_NODE_OP, "aten_add_tensor", "aten.add.Tensor", 0);
  uint32_t mul = tiny_node(t, ETR_NODE_OP, "aten_mul_tensor", "aten.mul.Tensor", 0);
  uint32_t sub = tiny_node(t, ETR_NODE_OP, "aten_sub_tensor", "aten.sub.Tensor", 0);
  uint32_t output = tiny_node(t, ETR_NODE_OUTPUT, "output", "output", 0);
  tiny_input(t, linear, x, 0);
  tiny_input(t, linear, weight, 0);
  tiny_input(t, relu, linear, 0);
  tiny_input(t, add, relu, 0);
  tiny_input(t, add, relu, 0);
  tiny_input(t, mul, add, 0);
  tiny_input(t, sub, mul, 0);
  tiny_input(t, output, sub, 0);
  tiny_time(t, linear, 437000);
  tiny_time(t, add, 50000);
}

static const etr_profile *small_profile(tiny *t) {
  const etr_profile *profile = tiny_profile(t);
  t->method.execute.avg = 1000000;
  t->method.execute.typical = 1000000;
  return profile;
}

Test(dot, a_small_graph_is_drawn_completely) {
  tiny t = {0};
  small(&t);
  const char *dot = emit(small_profile(&t), 0, 0, &t.arena);
  static const char *const parts[] = {
      "digraph etrecord {",
      "<B>edge/forward</B>",
      "5 operators, 2 runs of 1.00 ms (typical run); on operators: 0.487 ms, 48.7 %",
      "label=\"linear\\nblock.fc\\nf32[1,16]\\n0.437 ms  43.7 %\"", /* the whole module fc */
      "label=\"add\\naten_add_tensor\\nf32[1,16]\\n50.0 us  5.0 %\"",
      "label=\"block  \xC2\xB7  Block\\l0.437 ms  43.7 %\\l\"",
      "\\nparameter: block.fc.weight f32[1,16]",
      "shape=ellipse",
      "n0 -> n2",
      "n2 -> n3",
      "n3 -> n4\t[penwidth=1.3]", /* one edge for both uses */
      "fillcolor=\"#ef6548\"",    /* the hottest */
  };
  for (size_t i = 0; i < ETR_COUNT(parts); i++)
    expect_has(dot, parts[i]);
  expect_lacks(dot, "n1 "); /* weights have no box */
  expect_lacks(dot, "XNNPACK");
  expect_lacks(dot, "~");
  expect_lacks(dot, "nslimit");
  cr_expect_eq(count_of(dot, " -> "), 6);
  cr_expect_eq(count_of(dot, "subgraph cluster_"), 1);
  rendered(dot, &t.arena);
  tiny_clear(&t);
}

Test(dot, estimates_and_delegates_are_marked) {
  tiny t = {0};
  small(&t);
  for (uint32_t i = 2; i <= 3; i++) {
    t.times.data[i].backend = "XnnpackBackend";
    t.times.data[i].delegate_instruction = 7;
  }
  t.times.data[2].match = ETR_MATCH_ALIGNED;
  t.times.data[2].is_estimated = true;
  const char *dot = emit(small_profile(&t), 0, 0, &t.arena);
  expect_has(dot, "\\n~0.437 ms  43.7 %  XNNPACK\"");
  expect_has(dot, "Block\\l~0.437 ms"); /* a module that contains an estimate is marked, too */
  expect_has(dot, "\\n50.0 us  5.0 %\"");
  expect_has(dot, "~ estimated");
  expect_has(dot, "XNNPACK (2)</TD>");
  expect_has(dot, "color=\"#0072b2\"");
  cr_expect_eq(count_of(dot, "penwidth=2"), 2);
  t.times.data[4].backend = "VulkanBackend";
  t.times.data[4].delegate_instruction = 9;
  dot = emit(small_profile(&t), 0, 0, &t.arena);
  expect_has(dot, "XNNPACK @7 (2)</TD>");
  expect_has(dot, "VULKAN @9 (1)</TD>");
  expect_has(dot, "5.0 %  VULKAN @9\"");
  tiny_clear(&t);
}

Test(dot, a_graph_without_times_says_so) {
  tiny t = {0};
  small(&t);
  t.times.count = 0;
  const char *dot = emit(tiny_profile(&t), 0, 0, &t.arena);
  expect_has(dot, "5 operators, no run times");
  expect_lacks(dot, " us");
  expect_lacks(dot, "not timed");
  rendered(dot, &t.arena);
  tiny_clear(&t);
}

Test(dot, lowered_modules_are_drawn_as_delegates) {
  tiny t = {0};
  uint32_t call = tiny_node(&t, ETR_NODE_OP, "executorch_call_delegate",
                            "higher_order.executorch_call_delegate", 0);
  uint32_t lowered = tiny_subgraph(&t, call, "lowered_module_0", ETR_SUBGRAPH_LOWERED);
  t.subgraphs.data[lowered].backend = "CoreMLBackend";
  for (int i = 0; i < 2; i++) {
    uint32_t relu = tiny_node(&t, ETR_NODE_OP, "aten_relu_default", "aten.relu.default", 0);
    t.nodes.data[relu].subgraph = lowered;
  }
  const char *dot = emit(tiny_profile(&t), 0, 0, &t.arena);
  expect_has(dot, "COREML (2)");
  expect_has(dot, "n0 -> n1\t[style=dashed]");
  expect_has(dot, "label=\"relu\\naten_relu_default\\nf32[1,16]\\nCOREML\"");
  tiny_clear(&t);
}

Test(dot, closed_modules_are_one_box) {
  tiny t = {0};
  uint32_t last = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
  uint32_t first_op = 0;
  for (int i = 0; i < 8; i++) {
    uint32_t layer = tiny_module(&t, 0, etr_arena_format(&t.arena, "layers.%d", i), "my.Layer");
    for (int k = 0; k < 20; k++) {
      uint32_t op = tiny_node(&t, ETR_NODE_OP, etr_arena_format(&t.arena, "mul_%zu", t.nodes.count),
                              "aten.mul.Tensor", layer);
      tiny_input(&t, op, last, 0);
      tiny_time(&t, op, 1000);
      last = op;
      if (first_op == 0)
        first_op = op;
    }
  }
  t.times.data[first_op].backend = "XnnpackBackend";
  const char *dot = emit(tiny_profile(&t), 0, 0, &t.arena); /* 160 operators are too many */
  expect_has(dot, "label=\"layers.0\\n20 operators\\n20.0 us  partly XNNPACK\"");
  expect_has(dot, "style=\"filled,rounded,dashed\"");
  expect_has(dot, "label=\"layers.7\\n20 operators\\n20.0 us\"");
  expect_has(dot, "a rounded box");
  cr_expect_eq(count_of(dot, " -> "), 8);
  expect_lacks(dot, "subgraph");
  dot = emit(tiny_profile(&t), 0, -1, &t.arena);
  cr_expect_eq(count_of(dot, " -> "), 160);
  cr_expect_eq(count_of(dot, "subgraph cluster_"), 8);
  tiny_clear(&t);
}

Test(dot, large_graphs_are_made_quick_to_lay_out) {
  tiny t = {0};
  for (int i = 0; i < 301; i++)
    tiny_node(&t, ETR_NODE_OP, "mul", "aten.mul.Tensor", 0);
  const char *dot = emit(tiny_profile(&t), 0, -1, &t.arena);
  expect_has(dot, "splines=polyline");
  expect_has(dot, "nslimit=1");
  tiny_clear(&t);
}

static const char *emit_part(const etr_profile *profile, etr_dot_options options,
                             etr_arena *arena) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  cr_assert_eq(etr_emit_dot(profile, 0, &options, &(etr_sink){append, &writer}, NULL), ETR_OK);
  return etr_text_end(&text, &writer);
}

Test(dot, top_nodes_are_numbered_and_others_summed_up) {
  tiny t = {0};
  small(&t);
  const char *dot = emit_part(small_profile(&t), (etr_dot_options){.top = 1}, &t.arena);
  expect_has(dot, "#1: the slowest node, 0.437 ms, 43.7 %; the rest in gray");
  expect_has(dot, "label=\"#1  linear\\nblock.fc");
  expect_has(dot, "label=\"3 operators\\nadd \xE2\x80\xA6 sub\\n50.0 us  5.0 %\"");
  expect_has(dot, "first: aten_add_tensor\\nlast: aten_sub_tensor");
  cr_expect_eq(count_of(dot, "fillcolor=\"#ef6548\""), 1);
  rendered(dot, &t.arena);
  tiny_clear(&t);
}

Test(dot, a_module_in_focus_is_drawn_with_its_neighbors) {
  tiny t = {0};
  small(&t);
  const char *dot = emit_part(small_profile(&t), (etr_dot_options){.focus = "block"}, &t.arena);
  expect_has(dot, "only module <B>block</B>");
  expect_has(dot, "label=\"block  \xC2\xB7  Block");
  expect_has(dot, "label=\"add"); /* reads the result of block */
  expect_lacks(dot, "label=\"mul");
  expect_has(dot, "label=\"x\\nf32"); /* or gives the input of block */
  rendered(dot, &t.arena);
  tiny_clear(&t);
}

/* Names with a meaning in DOT, HTML, XML or printf, each with the text that the SVG must show. */
static const char *const hostile[][2] = {
    {"say \"hi\"", "say &quot;hi&quot;"},
    {"back\\slash\\", "back\\slash\\"},
    {"\\N\\G\\l\\r\\T", "\\N\\G\\l\\r\\T"},
    {"<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"},
    {"<TABLE><TR><TD>x", "&lt;TABLE&gt;&lt;TR&gt;&lt;TD&gt;x"},
    {"&lt; &#65; & &amp;", "&amp;lt; &amp;#65; &amp; &amp;amp;"},
    {"\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80", "\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80"},
    {"a\x01z\x1F|\x7F.", "a z | ."},
    {"%s%n%d", "%s%n%d"},
    {"]; } digraph { a ->", "]; } digraph { a &#45;&gt;"},
    {"-->", "&#45;&#45;&gt;"},
    {"//* # ;", "//* # ;"},
};

static void build_hostile(tiny *t, const char *name) {
  *t = (tiny){0};
  uint32_t module = tiny_module(t, 0, name, name);
  uint32_t first = tiny_node(t, ETR_NODE_OP, name, name, module);
  uint32_t second = tiny_node(t, ETR_NODE_OP, name, name, module);
  uint32_t owned = tiny_subgraph(t, second, name, ETR_SUBGRAPH_BODY);
  for (int i = 0; i < 2; i++) {
    uint32_t input = tiny_node(t, ETR_NODE_INPUT, name, name, 0);
    t->nodes.data[input].subgraph = owned;
  }
  tiny_input(t, second, first, 0);
  static const etr_dim dims[] = {{.size = ETR_DIM_SYMBOLIC, .symbol = "\"\\<&>"}};
  etr_value *value = etr_arena_alloc(&t->arena, sizeof *value);
  *value = (etr_value){.name = name, .dtype = name, .dims = dims, .rank = 1};
  t->nodes.data[first].outputs = value;
  etr_source *source = etr_arena_alloc(&t->arena, sizeof *source);
  *source = (etr_source){.file = name, .line = 1, .function = name, .code = name};
  t->nodes.data[first].source = source;
  etr_node_time *time = tiny_time(t, first, 1000);
  time->backend = time->runs_as = name;
}

Test(dot, hostile_names_are_escaped) {
  for (size_t i = 0; i < ETR_COUNT(hostile); i++) {
    tiny t;
    build_hostile(&t, hostile[i][0]);
    (void)tiny_profile(&t);
    t.graph.module = t.graph.method = hostile[i][0];
    const char *dot = emit(&t.profile, 0, 0, &t.arena);
    cr_expect_eq(count_of(dot, "=<"), 1, "only the legend is HTML-like, not %s", hostile[i][0]);
    const char *svg = rendered(dot, &t.arena);
    if (svg != NULL)
      cr_expect_geq(count_of(svg, etr_arena_format(&t.arena, ">%s</text>", hostile[i][1])), 2,
                    "%s: %s", hostile[i][0], svg);
    tiny_clear(&t);
  }
}

Test(dot, a_line_end_in_a_name_is_shown_as_one) {
  tiny t;
  build_hostile(&t, "two\nlines");
  const char *dot = emit(tiny_profile(&t), 0, 0, &t.arena);
  expect_has(dot, "label=\"two\\nlines");
  rendered(dot, &t.arena);
  tiny_clear(&t);
}

Test(dot, long_names_are_cut_between_characters) {
  tiny t = {0};
  char name[400] = "";
  for (int i = 0; i < 100; i++)
    strncat(name, "\xE4\xB8\xAD", 4);
  uint32_t module = tiny_module(&t, 0, "m", "");
  tiny_node(&t, ETR_NODE_OP, name, "aten.mul.Tensor", module);
  tiny_node(&t, ETR_NODE_OP, name, "aten.mul.Tensor", module);
  const char *dot = emit(tiny_profile(&t), 0, 0, &t.arena);
  expect_has(dot, "label="
                  "\"mul\\n\xE4\xB8\xAD\xE4\xB8\xAD\xE4\xB8\xAD\xE4\xB8\xAD\xE4\xB8\xAD\xE4\xB8\xAD"
                  "\xE4\xB8\xAD\xE2\x80"
                  "\xA6\xE4\xB8\xAD");
  rendered(dot, &t.arena);
  tiny_clear(&t);
}

static bool full_disk(void *context, const void *data, size_t size) {
  (void)data;
  size_t *room = context;
  bool fits = size <= *room;
  *room -= fits ? size : 0;
  return fits;
}

Test(dot, a_refusing_sink_is_reported_and_leaves_nothing_behind) {
  tiny t = {0};
  for (int i = 0; i < 100; i++) {
    uint32_t layer = i % 25 == 0 ? tiny_module(&t, 0, etr_arena_format(&t.arena, "layer%d", i), "")
                                 : (uint32_t)t.modules.count - 1;
    tiny_node(&t, ETR_NODE_OP, "mul", "aten.mul.Tensor", layer);
  }
  const etr_profile *profile = tiny_profile(&t);
  const char *before = emit(profile, 0, 0, &t.arena);
  expect_has(before, "subgraph cluster_3");
  for (size_t room = 0; room < strlen(before); room += 1500) {
    size_t left = room;
    etr_error error = {.message = ""};
    cr_expect_eq(etr_emit_dot(profile, 0, NULL, &(etr_sink){full_disk, &left}, &error),
                 ETR_ERROR_IO);
    cr_expect_neq(error.message[0], '\0');
    cr_expect_str_eq(emit(profile, 0, 0, &t.arena), before);
  }
  tiny_clear(&t);
}

Test(dot, fixtures_are_drawn_repeatably) {
  static const char *const names[] = {
      "add_mul",     "control_flow", "llama_portable", "lowered_in_record",
      "mv2_xnnpack", "vit_xnnpack",  "vulkan"};
  for (size_t i = 0; i < ETR_COUNT(names); i++) {
    char path[512];
    (void)snprintf(path, sizeof path, FIXTURES "/%s", names[i]);
    etr_inputs inputs;
    etr_profile *profile;
    etr_error error;
    cr_assert_eq(etr_inputs_find(&inputs, path, NULL, &error), ETR_OK, "%s", error.message);
    cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK, "%s", error.message);
    etr_arena arena = {0};
    const char *dot = emit(profile, 0, 0, &arena);
    cr_expect_str_eq(emit(profile, 0, 0, &arena), dot, "%s: the same bytes again", names[i]);
    cr_expect_leq(count_of(dot, "\t\tn") + count_of(dot, "\tlabel=\""), 2 * 150, "%s", names[i]);
    rendered(dot, &arena);
    etr_arena_clear(&arena);
    etr_profile_close(profile);
    etr_inputs_clear(&inputs);
  }
}
