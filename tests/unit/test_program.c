/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs: each small document and the graph that it must give, written as text.
 */
#include "inputs/program.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct reading {
  etr_arena arena;
  etr_map strings;
  etr_graph graph;
  etr_status status;
} reading;

static void read_program(reading *r, const char *document) {
  *r = (reading){0};
  etr_map_init(&r->strings, &r->arena);
  etr_json *json = etr_json_open_memory(etr_slice_of(document), NULL);
  r->status = etr_program_read(&r->graph, &r->strings, json, (etr_program_scope){.graph_id = 7},
                               NULL);
  etr_json_close(json);
}

static size_t put_value(char *out, size_t size, const etr_value *value) {
  size_t used = (size_t)snprintf(out, size, "%s", value->dtype ? value->dtype : "?");
  if (value->rank < 0)
    return used;
  used += (size_t)snprintf(out + used, size - used, "[");
  for (int32_t i = 0; i < value->rank; i++) {
    const etr_dim *dim = &value->dims[i];
    if (dim->symbol)
      used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "," : "", dim->symbol);
    else
      used += (size_t)snprintf(out + used, size - used, "%s%lld", i ? "," : "",
                               (long long)dim->size);
  }
  return used + (size_t)snprintf(out + used, size - used, "]");
}

/* "SUBGRAPH/NAME:TARGET(INPUTS)->OUTPUTS" for each node except inputs, which are "KIND
 * NAME=WEIGHT". */
static void describe(const etr_graph *graph, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *n = &graph->nodes[i];
    used += (size_t)snprintf(out + used, size - used, "%s", i ? " " : "");
    if (n->subgraph != ETR_NONE)
      used += (size_t)snprintf(out + used, size - used, "%s/", graph->subgraphs[n->subgraph].path);
    if (n->kind != ETR_NODE_OP && n->kind != ETR_NODE_OUTPUT) {
      used += (size_t)snprintf(out + used, size - used, "%s:%s", etr_node_kind_name(n->kind),
                               n->name);
      if (n->weight_name)
        used += (size_t)snprintf(out + used, size - used, "=%s", n->weight_name);
      continue;
    }
    used += (size_t)snprintf(out + used, size - used, n->kind == ETR_NODE_OP ? "%s:%s(" : "%s(",
                             n->name, n->target);
    for (size_t k = 0; k < n->input_count; k++)
      used += (size_t)snprintf(out + used, size - used, "%s%s.%u", k ? "," : "",
                               graph->nodes[n->inputs[k].node].name, n->inputs[k].output);
    used += (size_t)snprintf(out + used, size - used, ")");
    for (size_t k = 0; k < n->output_count; k++) {
      used += (size_t)snprintf(out + used, size - used, "%s", k ? "," : "->");
      used += put_value(out + used, size - used, &n->outputs[k]);
    }
    if (n->debug_handle)
      used += (size_t)snprintf(out + used, size - used, "#%u", n->debug_handle);
  }
}

#define PROGRAM(graph, more)                                                                       \
  "{\"graph_module\": {\"graph\": {" graph "}" more                                                \
  "}, \"schema_version\": {\"major\": 5, \"minor\": 4}}"
#define ADD "\"target\": \"torch.ops.aten.add.Tensor\""
#define TENSOR(name) "{\"as_tensor\": {\"name\": \"" name "\"}}"
#define ARG(name) "{\"name\": \"self\", \"arg\": " TENSOR(name) "}"

static const struct {
  const char *document, *expected;
} graphs[] = {
    {PROGRAM("", ""), "output()"},
    {PROGRAM("\"inputs\": [" TENSOR("x") "], \"nodes\": [], \"outputs\": [" TENSOR("x") "]", ""),
     "input:x output(x.0)"},
    {PROGRAM("\"inputs\": [" TENSOR(
                 "x") "], \"nodes\": [{\"name\": \"add\", " ADD
                      ", \"inputs\": [" ARG("x") ", " ARG("x") "], \"outputs\": [" TENSOR(
                          "y") "], \"metadata\": {\"debug_handle\": \"12\"}}], \"outputs\": "
                               "[" TENSOR("y") "], \"tensor_values\": {\"y\": {\"dtype\": 7, "
                                               "\"sizes\": "
                                               "[{\"as_int\": 2}, {\"as_expr\": {\"expr_str\": "
                                               "\"2*s77\", \"hint\": {\"as_int\": 8}}}]}}",
             ""),
     "input:x add:aten.add.Tensor(x.0,x.0)->float32[2,2*s77]#12 output(add.0)"},
    /* 0.6 stores no names, so a node is named after its first output. Uses of undefined values are
       dropped. */
    {PROGRAM("\"nodes\": [{" ADD
             ", \"inputs\": [" ARG("gone") "], \"outputs\": [" TENSOR("y") "]}]",
             ""),
     "y:aten.add.Tensor()->? output()"},
    /* tensors before nodes, two outputs, the second one used */
    {PROGRAM("\"tensor_values\": {\"b\": {\"dtype\": 12, \"sizes\": []}}, \"nodes\": [{\"name\": "
             "\"s\", \"target\": "
             "\"torch.ops.aten.split.Tensor\", \"inputs\": [], "
             "\"outputs\": [{\"as_tensors\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}]}, {\"name\": "
             "\"r\", " ADD ", \"inputs\": [" ARG("b") "], \"outputs\": []}]",
             ""),
     "s:aten.split.Tensor()->?,bool[] r:aten.add.Tensor(s.1) output()"},
    /* what the inputs are */
    {PROGRAM("\"inputs\": [" TENSOR("p_w") ", " TENSOR("b_m") ", " TENSOR("c_k") ", " TENSOR(
                 "x") "], \"nodes\": []",
             ", \"signature\": {\"input_specs\": [{\"parameter\": {\"arg\": {\"name\": \"p_w\"}, "
             "\"parameter_name\": "
             "\"fc.weight\"}}, {\"buffer\": "
             "{\"arg\": "
             "{\"name\": \"b_m\"}, \"buffer_name\": \"mean\", \"persistent\": true}}, "
             "{\"tensor_constant\": {\"arg\": "
             "{\"name\": \"c_k\"}, "
             "\"tensor_constant_name\": \"k\"}}, {\"user_input\": {\"arg\": " TENSOR("x") "}}]}"),
     "parameter:p_w=fc.weight buffer:b_m=mean constant:c_k=k input:x output()"},
    /* specs in another order, of an unknown input, and of an input that is listed twice: the last
       one counts */
    {PROGRAM("\"inputs\": [" TENSOR("a") ", " TENSOR("b") ", " TENSOR("c") "], \"nodes\": []",
             ", \"signature\": {\"input_specs\": [{\"buffer\": {\"arg\": {\"name\": \"c\"}, "
             "\"buffer_name\": \"third\"}}, "
             "{\"parameter\": {\"arg\": {\"name\": \"none\"}, \"parameter_name\": \"lost\"}}, "
             "{\"parameter\": {\"arg\": {\"name\": \"a\"}, \"parameter_name\": \"first\"}}, "
             "{\"parameter\": {\"arg\": {\"name\": \"c\"}, \"parameter_name\": \"again\"}}]}"),
     "parameter:a=first input:b parameter:c=again output()"},
    /* a body has its own names */
    /* clang-format off */
    {PROGRAM(
         "\"inputs\": [" TENSOR("x") "], "
         "\"nodes\": [{\"name\": \"cond\", \"target\": \"torch.ops.higher_order.cond\", "
         "\"inputs\": [{\"name\": \"t\", \"arg\": "
         "{\"as_graph\": {\"name\": \"true_graph_0\", \"graph\": {"
         "\"inputs\": [" TENSOR("x") "], "
         "\"nodes\": [{\"name\": \"n\", " ADD ", "
         "\"inputs\": [" ARG("x") "], \"outputs\": [" TENSOR("n") "]}], "
         "\"outputs\": [" TENSOR("n") "]}}}}, " ARG("x") "], "
         "\"outputs\": [" TENSOR("c") "]}]",
         ""),
     "input:x cond:higher_order.cond(x.0)->? true_graph_0/input:x "
     "true_graph_0/n:aten.add.Tensor(x.0)->? "
     "true_graph_0/output(n.0) output()"},
    /* clang-format on */
    /* the target of a wrapper is the operator that it wraps; others have no such argument */
    {PROGRAM("\"nodes\": [{\"name\": \"w\", \"target\": "
             "\"torch.ops.higher_order.auto_functionalized_v2\", \"inputs\": [{\"name\": \"\", "
             "\"arg\": {\"as_operator\": \"torch.ops.llama.update_cache.default\"}}], "
             "\"outputs\": []}, {\"name\": \"n\", " ADD ", \"inputs\": [{\"name\": \"a\", "
             "\"arg\": {\"as_operator\": \"torch.ops.aten.mul.Tensor\"}}], \"outputs\": []}]",
             ""),
     "w:llama.update_cache.default() n:aten.add.Tensor() output()"},
    /* members of a later version, unused members of an old one */
    {PROGRAM("\"later\": [1, {\"a\": null}], \"nodes\": [{\"later\": 1, \"name\": \"n\", " ADD
             ", \"inputs\": [{\"name\": \"a\", \"arg\": {\"as_none\": true, "
             "\"as_later\": {\"x\": [1e999, -Infinity, NaN]}}}], \"outputs\": [{\"as_tensor\": "
             "null}]}]",
             ""),
     "n:aten.add.Tensor() output()"},
    {PROGRAM("\"nodes\": [{\"name\": \"n\", \"target\": \"_operator.mul\", \"inputs\": [], "
             "\"outputs\": "
             "[{\"as_sym_int\": {\"as_name\": \"i\"}}], "
             "\"metadata\": {\"debug_handle\": \"[3, 4]\"}}], "
             "\"sym_int_values\": {\"i\": {}}",
             ""),
     "n:_operator.mul()->int#3 output()"},
    /* all other data of a node */
    {PROGRAM("\"nodes\": [{\"name\": \"n\", " ADD
             ", \"inputs\": [{\"name\": \"dtype\", \"arg\": {\"as_scalar_type\": 7}}, "
             "{\"name\": \"f\", \"arg\": {\"as_memory_format\": 1}}, {\"name\": \"l\", \"arg\": "
             "{\"as_layout\": 7}}, "
             "{\"name\": \"d\", \"arg\": {\"as_device\": {\"type\": \"cuda\", \"index\": 1}}}, "
             "{\"name\": \"i\", \"arg\": {\"as_ints\": [1, 2]}}, {\"name\": \"s\", \"arg\": "
             "{\"as_sym_ints\": "
             "[{\"as_int\": 3}, "
             "{\"as_name\": \"q\"}]}}, {\"name\": \"t\", \"arg\": {\"as_string\": \"text\"}}], "
             "\"outputs\": [" TENSOR("y") "], \"metadata\": "
                                          "{\"stack_trace\": \"File \\\"m.py\\\", line 3, in "
                                          "forward\\n    x + 1\", \"nn_module_stack\": "
                                          "\"a,b,M\", \"debug_handle\": \"9\"}}], "
                                          "\"tensor_values\": {\"y\": {\"dtype\": 7, \"sizes\": "
                                          "[{\"as_expr\": {\"expr_str\": \"s0\", "
                                          "\"hint\": {\"as_int\": 8}}}]}}, "
                                          "\"sym_int_values\": {\"i\": {}}, \"sym_bool_values\": "
                                          "{\"b\": {}}, \"sym_float_values\": "
                                          "{\"f\": {}}",
             ""),
     "n:aten.add.Tensor()->float32[s0]#9 output()"},
};

Test(program, graphs_of_all_versions_are_read) {
  for (size_t i = 0; i < ETR_COUNT(graphs); i++) {
    reading r;
    char text[2048];
    read_program(&r, graphs[i].document);
    cr_expect_eq(r.status, ETR_OK, "case %zu", i);
    if (r.status == ETR_OK) {
      describe(&r.graph, text, sizeof text);
      cr_expect_str_eq(text, graphs[i].expected, "case %zu: %s", i, text);
      cr_expect_str_eq(r.graph.schema_version, "5.4");
    }
    etr_arena_clear(&r.arena);
  }
}

/* Describes a document. */
static void describe_document(const char *document, char *out, size_t size) {
  reading r;
  read_program(&r, document);
  size_t used = (size_t)snprintf(out, size, "%d ", (int)r.status);
  if (r.status == ETR_OK) {
    used += (size_t)snprintf(out + used, size - used, "%s ",
                             r.graph.schema_version ? r.graph.schema_version : "");
    describe(&r.graph, out + used, size - used);
  }
  etr_arena_clear(&r.arena);
}

/* Returns the end of the next key; NULL if there is none. */
static const char *next_key(const char *document) {
  const char *end = strstr(document, "\":");
  return end && end[-1] != '\\' ? end : NULL;
}

/* A key with the length and the beginning of a known key is unknown nevertheless. */
Test(program, unknown_keys_are_skipped) {
  size_t count = 0;
  for (size_t i = 0; i < ETR_COUNT(graphs); i++) {
    const char *document = graphs[i].document;
    for (const char *end = next_key(document); end; end = next_key(end + 1), count++) {
      char changed[4096], like[2048], unlike[2048];
      int before = (int)(end - document);
      snprintf(changed, sizeof changed, "%.*s~%s", before - 1, document, end);
      describe_document(changed, like, sizeof like);
      snprintf(changed, sizeof changed, "%.*s~~%s", before, document, end);
      describe_document(changed, unlike, sizeof unlike);
      cr_expect_str_eq(like, unlike, "case %zu, key at %d:\n  %s\n  %s", i, before, like, unlike);
    }
  }
  cr_expect_gt(count, 150);
}

Test(program, a_numeric_version_is_read) {
  char text[256];
  describe_document("{\"graph_module\": {\"graph\": {}}, \"schema_version\": 8}", text,
                    sizeof text);
  cr_expect_str_eq(text, "0 8 output()");
}

Test(program, updates_of_buffers_and_inputs_are_counted) {
  reading r;
  read_program(
      &r, PROGRAM("\"nodes\": []",
                  ", \"signature\": {\"output_specs\": [{\"buffer_mutation\": {\"arg\": {\"name\": "
                  "\"a\"}, \"buffer_name\": \"k\"}}, {\"user_input_mutation\": {}}, "
                  "{\"user_output\": {\"arg\": " TENSOR("x") "}}]}"));
  cr_expect_eq(r.status, ETR_OK);
  cr_expect_eq(r.graph.mutation_count, 2);
  etr_arena_clear(&r.arena);
}

Test(program, a_symbol_may_have_no_largest_size) {
  reading r;
  read_program(&r, "{\"range_constraints\":{\"s72\":{\"min_val\":2,\"max_val\":Infinity},"
                   "\"s1\":{\"min_val\":null,\"max_val\":16},\"s2\":{\"max_val\":\"int_oo\"}},"
                   "\"graph_module\":{\"graph\":{\"nodes\":[]}}}");
  cr_assert_eq(r.status, ETR_OK);
  cr_assert_eq(r.graph.range_count, 3);
  cr_expect_str_eq(r.graph.ranges[0].symbol, "s72");
  cr_expect(r.graph.ranges[0].least == 2 && r.graph.ranges[0].largest == INT64_MAX);
  cr_expect(r.graph.ranges[1].least == INT64_MIN && r.graph.ranges[1].largest == 16);
  cr_expect(r.graph.ranges[2].largest == INT64_MAX);
  etr_arena_clear(&r.arena);
}

Test(program, damaged_documents_are_refused) {
  static const char *const cases[] = {
      "",
      "[]",
      "{}",
      "null",
      "{\"graph_module\": {}}",
      "{\"graph_module\": {\"graph\": []}}",
      "{\"graph_module\": {\"graph\": {\"nodes\": {}}}}",
      "{\"graph_module\": {\"graph\": {\"nodes\": [7]}}}",
      "{\"graph_module\": {\"graph\": {\"nodes\": [{\"inputs\": 1}]}}}",
      "{\"graph_module\": {\"graph\": {\"nodes\": [{\"outputs\": [" TENSOR(
          "a") "], \"outputs\": []}]}}}",
      "{\"graph_module\": {\"graph\": {}}} x",
      "{\"graph_module\": {\"graph\": {}"};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading r;
    read_program(&r, cases[i]);
    cr_expect_eq(r.status, ETR_ERROR_FORMAT, "%s", cases[i]);
    etr_arena_clear(&r.arena);
  }
}

Test(program, the_dialect_is_recognized) {
  static const char *const cases[][2] = {
      {"executorch.exir.dialects.edge.ops.aten.add.Tensor", "edge"},
      {"torch.ops.aten.add.Tensor", "aten"},
      {"_operator.add", ""},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading r;
    char document[512];
    snprintf(document, sizeof document,
             PROGRAM("\"nodes\": [{\"target\": \"%s\", \"inputs\": [], \"outputs\": []}]", ""),
             cases[i][0]);
    read_program(&r, document);
    cr_expect_eq(r.status, ETR_OK);
    cr_expect_str_eq(r.graph.dialect, cases[i][1], "%s", cases[i][0]);
    etr_arena_clear(&r.arena);
  }
}
