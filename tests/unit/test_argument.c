/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arguments of nodes, in programs of today, in programs of 2023, and in damaged ones.
 */
#include "inputs/argument.h"
#include "inputs/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct reading {
  etr_arena arena;
  etr_map strings;
  etr_graph graph;
  etr_status status;
} reading;

static const char program_head[] = "{\"graph_module\": {\"graph\": {\"nodes\": [{\"name\": \"n\", "
                                   "\"target\": \"torch.ops.aten.op.default\", "
                                   "\"inputs\": [",
                  program_middle[] = "], \"outputs\": []}], ",
                  program_tail[] = "\"outputs\": []}}}";

/* Reads a graph of one node with these inputs and further members. */
static void read_inputs(reading *r, const char *inputs, const char *members) {
  size_t room = sizeof program_head + strlen(inputs) + sizeof program_middle + strlen(members) +
                sizeof program_tail;
  char *document = malloc(room);
  snprintf(document, room, "%s%s%s%s%s", program_head, inputs, program_middle, members,
           program_tail);
  *r = (reading){0};
  etr_map_init(&r->strings, &r->arena);
  etr_json *json = etr_json_open_memory(etr_slice_of(document), NULL);
  r->status = etr_program_read(&r->graph, &r->strings, json, (etr_program_scope){0}, NULL);
  etr_json_close(json);
  free(document);
}

/* "NAME=VALUE NAME=VALUE" */
static void describe(const etr_node *node, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < node->argument_count && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%s=%s", i ? " " : "",
                             node->arguments[i].name, node->arguments[i].value);
}

#define ARG(name, value) "{\"name\": \"" name "\", \"arg\": {" value "}}"
#define CUT "\"...\""
#define SYMBOLS                                                                                    \
  "\"sym_int_values\": {\"s\": {\"as_expr\": {\"expr_str\": \"2*s77\", \"hint\": {\"as_int\": "    \
  "8}}}, \"five\": "                                                                               \
  "{\"as_int\": 5}, \"odd\": 7}, "                                                                 \
  "\"sym_float_values\": {\"f\": {\"as_expr\": {\"expr_str\": \"s77/2\", \"hint\": "               \
  "{\"as_float\": 1.5}}}}, "                                                                       \
  "\"sym_bool_values\": {\"b\": {\"as_expr\": {\"expr_str\": \"s77 > 2\", \"hint\": "              \
  "{\"as_bool\": true}}}}, "

Test(argument, values_are_read) {
  static const char *const cases[][2] = {
      {"", ""},
      {ARG("dim", "\"as_int\": -1"), "dim=-1"},
      {ARG("stride", "\"as_ints\": [1,2]") ", " ARG("transposed", "\"as_bool\": false") ", " ARG(
           "groups", "\"as_int\": 1"),
       "stride=[1, 2] transposed=false groups=1"},
      {ARG("eps", "\"as_float\": 1e-05") ", " ARG("factors", "\"as_floats\": [2.0, Infinity]"),
       "eps=1e-05 factors=[2.0, \"Infinity\"]"},
      {ARG("min", "\"as_float\": -Infinity") ", " ARG("max", "\"as_float\": NaN"),
       "min=\"-Infinity\" max=\"NaN\""},
      {ARG("mode", "\"as_string\": \"bi\\\"linear\"") ", " ARG("names",
                                                               "\"as_strings\": [\"a\", \"b\"]"),
       "mode=\"bi\\\"linear\" names=[\"a\", \"b\"]"},
      {ARG("flags", "\"as_bools\": [true, false]"), "flags=[true, false]"},
      {ARG("dtype", "\"as_scalar_type\": 7") ", " ARG("layout", "\"as_layout\": 7") ", " ARG(
           "memory_format", "\"as_memory_format\": 4"),
       "dtype=\"float32\" layout=\"strided\" memory_format=\"preserve_format\""},
      {ARG("dtype", "\"as_scalar_type\": 16"), "dtype=\"float8_e4m3fn\""},
      {ARG("device", "\"as_device\": {\"type\": \"cpu\"}"), "device=\"cpu\""},
      {ARG("device", "\"as_device\": {\"type\": \"cuda\", \"index\": 1}"), "device=\"cuda:1\""},
      {ARG("op", "\"as_operator\": \"torch.ops.aten.add.Tensor\""),
       "op=\"torch.ops.aten.add.Tensor\""},
      {ARG("alpha", "\"as_complex\": {\"real\": 1.0, \"imag\": 2.0}"),
       "alpha={\"real\": 1.0, \"imag\": 2.0}"},
      /* not arguments: tensors, None, unused members of 2023, values without a name */
      {ARG("self", "\"as_tensor\": {\"name\": \"x\"}") ", " ARG(
           "bias", "\"as_none\": true") ", " ARG("out", "\"as_none\": []"),
       ""},
      {ARG("dim", "\"as_none\": null, \"as_tensor\": null, \"as_int\": 3, \"as_ints\": null, "
                  "\"as_sym_int\": null"),
       "dim=3"},
      {"{\"name\": \"\", \"arg\": {\"as_int\": 1}}, {\"arg\": {\"as_int\": 2}}, {\"name\": 7, "
       "\"arg\": {\"as_int\": "
       "3}}",
       ""},
      /* symbolic numbers: the expression, or the name if there is no expression */
      {ARG("n", "\"as_sym_int\": {\"as_name\": \"s\"}"), "n=\"2*s77\""},
      {ARG("n", "\"as_sym_int\": {\"as_int\": 4}"), "n=4"},
      {ARG("n", "\"as_sym_int\": {\"as_name\": \"five\", \"as_int\": null}"), "n=5"},
      {ARG("n", "\"as_sym_int\": {\"as_name\": \"odd\"}") ", " ARG(
           "m", "\"as_sym_int\": {\"as_name\": \"gone\"}"),
       "n=\"odd\" m=\"gone\""},
      {ARG("size", "\"as_sym_ints\": [{\"as_int\": 1}, {\"as_name\": \"s\"}, {\"as_int\": -1}]"),
       "size=[1, \"2*s77\", -1]"},
      {ARG("f", "\"as_sym_float\": {\"as_name\": \"f\"}") ", " ARG(
           "b", "\"as_sym_bools\": [{\"as_name\": \"b\"}, {\"as_bool\": true}]"),
       "f=\"s77/2\" b=[\"s77 > 2\", true]"},
      /* hostile: several values or names (the first counts), types that contradict the member,
         members of another version */
      {ARG("dim", "\"as_int\": 1, \"as_float\": 2.5") ", " ARG("dim", "\"as_int\": 3"), "dim=1"},
      {ARG("a", "\"as_int\": \"x\"") ", " ARG("b", "\"as_ints\": 1") ", " ARG(
           "c", "\"as_bool\": [1]") ", " ARG("d", "\"as_float\": {\"e\": 1}"),
       "a=\"x\" b=1 c=[1] d={\"e\": 1}"},
      {ARG("a", "\"as_scalar_type\": 99") ", " ARG("b", "\"as_layout\": -1") ", " ARG(
           "c", "\"as_memory_format\": 1.5") ", " ARG("d", "\"as_layout\": \"x\""),
       "a=99 b=-1 c=1.5 d=\"x\""},
      {ARG("a", "\"as_scalar_type\": 99999999999999999999999"), "a=99999999999999999999999"},
      {ARG("a", "\"as_device\": \"cpu\"") ", " ARG(
           "b", "\"as_device\": {\"type\": 7, \"index\": -1}") ", " ARG("c", "\"as_device\": "
                                                                             "{\"index\": 1e9}"),
       "a=\"cpu\" b=\"?\" c=\"?\""},
      {ARG("a", "\"as_later\": {\"x\": [1e999]}"), "a={\"x\": [1e999]}"},
      {ARG("a", "\"as_sym_int\": 7") ", " ARG("b", "\"as_sym_int\": \"s\"") ", " ARG(
           "c", "\"as_sym_ints\": [7, [], {}, {\"as_name\": 1}]"),
       "b=\"s\" c=[7, [], \"\", 1]"},
      {ARG("a", "\"as_ints\": [[[[[[[[[[[1]]]]]]]]]]]"), "a=[[[[[[[[" CUT "]]]]]]]]"},
      {ARG("<b>&\\u202e", "\"as_string\": \"\\u0000</script>\\ud800\""),
       "<b>&\xE2\x80\xAE=\"\\u0000</script>\xEF\xBF\xBD\""},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading r;
    char text[1024];
    read_inputs(&r, cases[i][0], SYMBOLS);
    cr_assert_eq(r.status, ETR_OK, "%s", cases[i][0]);
    describe(&r.graph.nodes[0], text, sizeof text);
    cr_expect_str_eq(text, cases[i][1], "%s: %s", cases[i][0], text);
    etr_arena_clear(&r.arena);
  }
}

Test(argument, symbolic_numbers_are_used_values, .description = "an argument and an edge") {
  reading r;
  read_inputs(&r, ARG("n", "\"as_sym_int\": {\"as_name\": \"s\"}"),
              SYMBOLS "\"inputs\": [{\"as_sym_int\": {\"as_name\": \"s\"}}], ");
  cr_assert_eq(r.status, ETR_OK);
  cr_expect_eq(r.graph.nodes[0].input_count, 1);
  cr_expect_str_eq(etr_node_argument(&r.graph.nodes[0], "n"), "\"2*s77\"");
  etr_arena_clear(&r.arena);
}

Test(argument, arguments_are_found_by_name) {
  reading r;
  read_inputs(&r, ARG("dim", "\"as_int\": 1") ", " ARG("keepdim", "\"as_bool\": true"), "");
  cr_expect_str_eq(etr_node_argument(&r.graph.nodes[0], "keepdim"), "true");
  cr_expect_null(etr_node_argument(&r.graph.nodes[0], "keep"));
  cr_expect_null(etr_node_argument(&r.graph.nodes[1], "dim"));
  etr_arena_clear(&r.arena);
}

/* A program repeats the same text thousands of times. */
Test(argument, equal_texts_are_stored_once) {
  reading r;
  read_inputs(&r,
              ARG("stride", "\"as_ints\": [1, 1]") ", " ARG(
                  "padding", "\"as_ints\": [1, 1]") ", " ARG("x", "\"as_ints\": [1,1]"),
              "");
  const etr_argument *arguments = r.graph.nodes[0].arguments;
  cr_assert_eq(r.graph.nodes[0].argument_count, 3);
  cr_expect_eq(arguments[0].value, arguments[1].value);
  cr_expect_eq(arguments[0].value, arguments[2].value);
  etr_arena_clear(&r.arena);
}

/* Each graph has its own symbols, and the contents of a body are not arguments of its owner. */
Test(argument, bodies_have_arguments_of_their_own) {
  reading r;
  read_inputs(
      &r,
      ARG("before", "\"as_sym_int\": {\"as_name\": \"s\"}") ", " ARG(
          "body",
          "\"as_graph\": {\"name\": \"body\", \"graph\": {\"nodes\": [{\"name\": \"inner\", "
          "\"target\": \"t\", "
          "\"inputs\": [" ARG(
              "inner",
              "\"as_sym_int\": {\"as_name\": \"s\"}") "], \"outputs\": []}], \"sym_int_values\": "
                                                      "{\"s\": "
                                                      "{\"as_int\": 9}}}}") ", " ARG("after",
                                                                                     "\"as_int\": "
                                                                                     "2"),
      SYMBOLS);
  char text[256];
  cr_assert_eq(r.status, ETR_OK);
  describe(&r.graph.nodes[0], text, sizeof text);
  cr_expect_str_eq(text, "before=\"2*s77\" after=2");
  describe(&r.graph.nodes[1], text, sizeof text);
  cr_expect_str_eq(text, "inner=9");
  etr_arena_clear(&r.arena);
}

/* Keeping so many arguments would take too much memory and time. */
Test(argument, too_many_arguments_are_dropped) {
  enum { COUNT = 20000, EACH = 64 };
  char *inputs = malloc((size_t)COUNT * EACH), *at = inputs;
  for (int i = 0; i < COUNT; i++)
    at += sprintf(at, "%s" ARG("a%d", "\"as_int\": %d"), i ? ", " : "", i, i);
  reading r;
  read_inputs(&r, inputs, "");
  free(inputs);
  cr_assert_eq(r.status, ETR_OK);
  cr_assert_eq(r.graph.nodes[0].argument_count, ETR_MOST_ARGUMENTS);
  cr_expect_str_eq(r.graph.nodes[0].arguments[ETR_MOST_ARGUMENTS - 1].value, "63");
  etr_arena_clear(&r.arena);
}

Test(argument, long_lists_are_cut) {
  enum { COUNT = 100000 };
  char *inputs = malloc(COUNT * 3 + 128),
       *at = inputs + sprintf(inputs, "{\"name\": \"x\", \"arg\": {\"as_ints\": [1");
  for (int i = 0; i < COUNT; i++)
    at = stpcpy(at, ", 1");
  strcpy(at, "]}}, " ARG("y", "\"as_int\": 2"));
  reading r;
  read_inputs(&r, inputs, "");
  free(inputs);
  cr_assert_eq(r.status, ETR_OK);
  const char *value = etr_node_argument(&r.graph.nodes[0], "x");
  cr_expect(strlen(value) < 300 && etr_slice_ends(etr_slice_of(value), ETR_SLICE(", 1, " CUT "]")),
            "%s", value);
  cr_expect_str_eq(etr_node_argument(&r.graph.nodes[0], "y"), "2");
  etr_arena_clear(&r.arena);
}

Test(argument, damaged_arguments_are_refused) {
  static const char *const cases[] = {
      ARG("a", "\"as_ints\": [1 2]"),
      ARG("a", "\"as_int\": 1x"),
      ARG("a", "\"as_string\": \"\\x\""),
      ARG("a", "\"as_ints\": [1}"),
      ARG("a", "\"as_sym_ints\": [{\"as_int\": 1]}"),
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading r;
    read_inputs(&r, cases[i], "");
    cr_expect_eq(r.status, ETR_ERROR_FORMAT, "%s", cases[i]);
    etr_arena_clear(&r.arena);
  }
}
