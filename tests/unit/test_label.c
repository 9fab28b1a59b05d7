/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Short texts for pictures.
 */
#include "output/answer.h"
#include "output/label.h"

#include <criterion/criterion.h>
#include <stdio.h>

static etr_arena arena;

static void clear(void) {
  etr_arena_clear(&arena);
}

TestSuite(label, .fini = clear);

static void expect_text(const char *text, const char *expected) {
  cr_assert_not_null(text);
  cr_expect_str_eq(text, expected, "'%s', not '%s'", text, expected);
}

Test(label, a_shape_has_type_and_sizes) {
  static const etr_dim dims[] = {{.size = 1},
                                 {.size = ETR_DIM_SYMBOLIC, .symbol = "2*s77"},
                                 {.size = 256},
                                 {.size = ETR_DIM_SYMBOLIC}};
  static const struct {
    etr_value value;
    const char *label;
  } cases[] = {
      {{.dtype = "float32", .dims = dims, .rank = 3}, "f32[1,2*s77,256]"},
      {{.dtype = "bfloat16", .dims = dims, .rank = 4}, "bf16[1,2*s77,256,?]"},
      {{.dtype = "int64", .dims = NULL, .rank = 0}, "i64[]"},
      {{.dtype = "bool", .dims = dims, .rank = 1}, "bool[1]"},
      {{.dtype = "float8_e4m3fn", .dims = dims, .rank = 1}, "float8_e4m3fn[1]"},
      {{.dtype = "int", .rank = -1}, "int"},
      {{.dtype = NULL, .dims = dims, .rank = 1}, "[1]"},
      {{.dtype = NULL, .rank = -1}, ""},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_text(etr_label_shape(&arena, &cases[i].value), cases[i].label);
}

/* Texts that are too long are cut between characters. */
Test(label, a_long_shape_is_cut) {
  char symbol[601] = "";
  for (size_t i = 0; i < 300; i++)
    memcpy(symbol + 2 * i, "\xC3\xA9", 3);
  const etr_dim dim = {.size = ETR_DIM_SYMBOLIC, .symbol = symbol};
  char *text = etr_label_shape(&arena, &(etr_value){.dtype = "int16", .dims = &dim, .rank = 1});
  cr_assert_not_null(text);
  cr_expect_arr_eq(text, "i16[\xC3\xA9", 6);
  cr_expect_eq(strlen(text), 4 + 2 * 253 + 1, "cut inside a character");
}

Test(label, an_argument_is_written_as_name_and_value) {
  static const char *const cases[][2] = {
      {"1e-05", "1e-05"}, {"[1, \"s77\"]", "[1, s77]"},     {"\"float32\"", "float32"},
      {"\"\"", ""},       {"{\"a\": \"\\n\"}", "{a: \\n}"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char text[ETR_ARGUMENT_ROOM + 1];
    text[etr_format_argument(text, cases[i][0])] = '\0';
    expect_text(text, cases[i][1]);
  }
}

/* Texts that are too long are cut between characters. */
Test(label, a_long_argument_is_cut) {
  char value[3 * ETR_ARGUMENT_ROOM], text[ETR_ARGUMENT_ROOM];
  value[0] = 'a';
  for (size_t i = 1; i + 2 < sizeof value; i += 2)
    memcpy(value + i, "\xC3\xA9", 3);
  size_t size = etr_format_argument(text, value);
  cr_expect_eq(size, ETR_ARGUMENT_ROOM - 1);
  cr_expect_eq(text[size - 1], '\xA9');
}

Test(label, an_operator_has_its_short_name) {
  static const char *const cases[][2] = {
      {"aten.linear.default", "linear"},
      {"aten._softmax.default", "softmax"},
      {"quantized_decomposed.quantize_per_tensor.default", "quantize_per_tensor"},
      {"higher_order.cond", "cond"},
      {"_operator.add", "add"},
      {"aten::add.out", "add"},
      {"getitem", "getitem"},
      {"", ""},
      {"aten.", "aten."},
      {"...", "..."},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_text(etr_arena_copy(&arena, etr_label_op(cases[i][0])), cases[i][1]);
}

Test(label, a_source_line_has_file_and_line) {
  static const struct {
    etr_source source;
    const char *label;
  } cases[] = {
      {{.file = "/home/me/modeling.py", .line = 42, .function = "forward", .code = ""},
       "modeling.py:42 in forward"},
      {{.file = "C:\\models\\vit.py", .line = 7, .function = "", .code = ""}, "vit.py:7"},
      {{.file = "<eval>", .line = -1, .function = "f", .code = ""}, "<eval>:-1 in f"},
      {{.file = "dir/", .line = 1, .function = "", .code = ""}, "dir/:1"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_text(etr_label_source(&arena, &cases[i].source), cases[i].label);
  expect_text(etr_label_source(&arena, NULL), "");
}

Test(label, a_device_is_named_after_its_backend) {
  static const char *const cases[][2] = {
      {NULL, "CPU"},
      {"XnnpackBackend", "XNNPACK"},
      {"CoreMLBackend", "COREML"},
      {"VulkanBackend", "VULKAN"},
      {"Backend", "BACKEND"},
      {"my-npu_2", "MY-NPU_2"},
      {"a:b/c \xC3\xA9", "A_B_C___"},
      {"", ""},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_text(etr_label_device(&arena, cases[i][0]), cases[i][1]);
}

Test(label, a_time_has_three_digits) {
  static const struct {
    double ns;
    const char *label;
  } cases[] = {
      {0, "0 us"},         {437, "0.437 us"},    {4370, "4.37 us"},    {43700, "43.7 us"},
      {99999, "100.0 us"}, {437000, "0.437 ms"}, {4370000, "4.37 ms"}, {2.5e9, "2500 ms"},
      {12.34e9, "12.3 s"}, {1e13, "10000 s"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    expect_text(etr_label_ticks(&arena, &(etr_profile){.ticks_per_second = 1e9}, cases[i].ns),
                cases[i].label);
}

/* A clock that counts cycles gives no times unless its rate is known. */
Test(label, cycles_without_a_rate_are_no_times) {
  const etr_profile unknown = {.ticks_per_second = 1e9, .takes_cycles_as_ns = true};
  const etr_profile known = {.ticks_per_second = 400e6};
  const etr_table_options chosen = {.unit = ETR_UNIT_MS, .has_unit = true};
  const etr_table_options decided = etr_answer_options(&unknown, NULL);
  const etr_table_options rows = {.format = ETR_TABLE_CSV};
  expect_text(etr_label_ticks(&arena, &unknown, 128356), "128356 cycles");
  expect_text(etr_label_ticks(&arena, &known, 128356), "0.321 ms");
  cr_assert_eq(decided.unit, ETR_UNIT_CYCLES);
  cr_assert_eq(etr_answer_options(&unknown, &chosen).unit, ETR_UNIT_MS);
  cr_assert_eq(etr_answer_options(&unknown, &rows).unit, ETR_UNIT_MS);
  cr_assert_eq(etr_answer_options(&known, NULL).unit, ETR_UNIT_MS);
  cr_assert_str_eq(etr_label_clock_note(&unknown, &decided), ETR_CYCLES_HAVE_NO_RATE);
  cr_assert_neq(strstr(etr_label_clock_note(&unknown, &chosen), "1 tick is taken as 1 ns"), NULL);
  cr_assert_eq(etr_label_clock_note(&known, &decided), NULL);
}

/* Lowered nodes use the names of the graph around them; bodies have their own names. */
Test(label, a_node_has_the_name_of_its_graph) {
  static const etr_subgraph subgraphs[] = {
      {.path = "true_graph_0", .kind = ETR_SUBGRAPH_BODY, .parent = ETR_NONE},
      {.path = "true_graph_0/lowered_module_0", .kind = ETR_SUBGRAPH_LOWERED, .parent = 0},
      {.path = "lowered_module_1", .kind = ETR_SUBGRAPH_LOWERED, .parent = ETR_NONE}};
  static const etr_node nodes[] = {{.name = "sin", .subgraph = ETR_NONE},
                                   {.name = "sin", .subgraph = 0},
                                   {.name = "sin", .subgraph = 1},
                                   {.name = "sin", .subgraph = 2}};
  static const etr_graph graph = {
      .nodes = nodes, .node_count = 4, .subgraphs = subgraphs, .subgraph_count = 3};
  static const char *const labels[] = {"sin", "true_graph_0/sin",
                                       "true_graph_0/lowered_module_0/sin", "sin"};
  for (uint32_t i = 0; i < 4; i++)
    expect_text(etr_label_node(&arena, &graph, i), labels[i]);
}

/* Without a record, a method is named after what holds its recordings: a file, or their folder. */
Test(label, a_method_is_named_after_its_recordings) {
  static const struct {
    const char *first, *second; /* ETDumps of the method's two runs */
    const char *label;
  } cases[] = {
      {"none/pixel/a.etdp", "none/pixel/b.etdp", "pixel"},
      {"none/pixel/a.etdp", "none/pixel/a.etdp", "a.etdp"},
      {"none/pixel/./a.etdp", "none/pixel/./b.etdp", "a.etdp"}, /* no such folder */
      {"none/pixel/../a.etdp", "none/pixel/../b.etdp", "a.etdp"},
  };
  static const uint32_t runs[] = {0, 1};
  const etr_method method = {.name = "", .runs = runs, .run_count = ETR_COUNT(runs)};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *const dumps[] = {cases[i].first, cases[i].second};
    bool is_one = strcmp(cases[i].first, cases[i].second) == 0;
    const etr_run dump_of[] = {{.dump = 0}, {.dump = is_one ? 0 : 1}};
    const etr_profile profile = {.etdumps = dumps, .etdump_count = 2, .runs = dump_of};
    expect_text(etr_label_recordings(&arena, &profile, &method), cases[i].label);
  }
}

/* A folder of `bench` has its name from the folder around it, and its time. */
Test(label, a_record_is_named_after_its_folder) {
  static const char *const cases[][2] = {
      {"runs/net/2026-11-22_13-40-05", "net 13:40"},
      {"runs/net/2026-11-22_13-40-05_2/", "net 13:40"},
      {"2026-11-22_13-40-05", "2026-11-22_13-40-05"},
      {"net/2026-11-22", "2026-11-22"},
      {"net/2026-11-22_13-40-05/base", "base"},
      {"runs/net/", "net"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const etr_profile profile = {.folder = cases[i][0]};
    expect_text(etr_label_record(&arena, &profile), cases[i][1]);
  }
}
