/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_accuracy_joins.c - lib/accuracy: which node and input of a reference belong to a value, on
 * real records, and on copies of their profiles in which one fact is another one.
 */
#include "accuracy/steps.h"
#include "open_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define CHECKED "../check/accuracy/"
#define EXAMPLE "../../examples/accuracy/"

static const char *reference_of(const char *name) {
  static char path[512];
  snprintf(path, sizeof path, FIXTURES "/%s.safetensors", name);
  return path;
}

static etr_accuracy *open_accuracy(const etr_profile *profile,
                                   const etr_accuracy_options *options) {
  etr_accuracy *accuracy = NULL;
  etr_error error;
  cr_assert_eq(etr_accuracy_open(&accuracy, profile, options, &error), ETR_OK, "%s", error.message);
  return accuracy;
}

static const etr_value_accuracy *find(const etr_accuracy *accuracy, const char *name) {
  for (size_t i = 0; i < accuracy->value_count; i++)
    if (strcmp(accuracy->values[i].name, name) == 0)
      return &accuracy->values[i];
  cr_assert(false, "no value %s", name);
  return NULL;
}

/* ---- Real records ---- */

Test(accuracy_joins, real_records) {
  static const struct {
    const char *record, *reference, *of; /* of: NULL if the reference is of the record itself */
    bool on_aten;
    size_t values, compared;
    etr_input_evidence input;
    etr_partner_evidence partner; /* of the first value that was compared */
    const char *first;            /* the most suspicious one */
    double snr_db;                /* of the worst output; infinity: equal */
  } rows[] = {
      {CHECKED "convnet", CHECKED "convnet", NULL, false, 114, 114, ETR_INPUT_ORDER,
       ETR_PARTNER_SAME_GRAPH, NULL, INFINITY},
      {CHECKED "convnet", CHECKED "convnet", NULL, true, 114, 75, ETR_INPUT_ORDER, ETR_PARTNER_NAME,
       NULL, INFINITY},
      {CHECKED "convnet_int8", CHECKED "convnet", CHECKED "convnet", false, 18, 18, ETR_INPUT_EQUAL,
       ETR_PARTNER_DIFF, "quantized_decomposed_quantize_per_tensor_default_7", 40.1},
      {CHECKED "per_channel", CHECKED "per_channel", NULL, false, 15, 15, ETR_INPUT_ONLY,
       ETR_PARTNER_SAME_GRAPH, NULL, INFINITY},
      {CHECKED "tap", CHECKED "tap", NULL, false, 25, 25, ETR_INPUT_ONLY, ETR_PARTNER_SAME_GRAPH,
       NULL, INFINITY},
      {EXAMPLE "int8", CHECKED "int8", NULL, false, 105, 105, ETR_INPUT_ORDER,
       ETR_PARTNER_SAME_GRAPH, NULL, INFINITY},
      {EXAMPLE "int8", EXAMPLE "f32", EXAMPLE "f32", false, 105, 81, ETR_INPUT_ORDER,
       ETR_PARTNER_DIFF, "aten__softmax_default", 22.0},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_profile *profile = open_fixture(rows[i].record, NULL);
    etr_profile *of = rows[i].of ? open_fixture(rows[i].of, NULL) : NULL;
    etr_accuracy *accuracy = open_accuracy(
        profile, &(etr_accuracy_options){.reference = reference_of(rows[i].reference),
                                         .reference_record = of,
                                         .on_aten = rows[i].on_aten,
                                         .spreads = 4});
    const etr_value_accuracy *output = etr_accuracy_worst_output(accuracy);
    cr_expect(accuracy->value_count == rows[i].values && accuracy->ranked_count == rows[i].compared,
              "row %zu: %zu of %zu", i, accuracy->ranked_count, accuracy->value_count);
    const etr_value_accuracy *first = &accuracy->values[accuracy->ranked[0]];
    cr_expect(first->input_evidence == rows[i].input && first->evidence == rows[i].partner,
              "row %zu: %s, %s", i, etr_input_evidence_name(first->input_evidence),
              etr_partner_evidence_name(first->evidence));
    if (rows[i].first)
      cr_expect_str_eq(first->name, rows[i].first, "row %zu: %s", i, first->name);
    cr_assert(output, "row %zu", i);
    cr_expect(isinf(rows[i].snr_db) ? etr_gap_is_equal(&output->gap)
                                    : fabs(output->gap.snr_db - rows[i].snr_db) < 0.1,
              "row %zu: %g", i, output->gap.snr_db);
    cr_assert(first->spread, "row %zu", i);
    uint64_t counted = 0;
    for (size_t k = 0; k < ETR_SPREAD_BUCKETS; k++)
      counted += first->spread->value[k];
    cr_expect_eq(counted, first->gap.element_count, "row %zu", i);
    etr_accuracy_close(accuracy);
    etr_profile_close(of);
    etr_profile_close(profile);
  }
}

Test(accuracy_joins, a_reference_of_another_record_is_refused) {
  etr_profile *profile = open_fixture(EXAMPLE "int8", NULL),
              *other = open_fixture("add_mul_debug", NULL);
  const etr_profile *const of[] = {NULL, other};
  static const char *const says[] = {"name its own record with --reference-record",
                                     "name the record that it was made from"};
  for (size_t i = 0; i < ETR_COUNT(of); i++) {
    etr_accuracy *accuracy;
    etr_error error;
    const etr_accuracy_options options = {.reference = reference_of(EXAMPLE "f32"),
                                          .reference_record = of[i]};
    cr_expect_eq(etr_accuracy_open(&accuracy, profile, &options, &error), ETR_ERROR_CHOICE);
    cr_expect(!accuracy && strstr(error.message, says[i]), "%s", error.message);
  }
  etr_profile_close(other);
  etr_profile_close(profile);
}

/* ---- Profiles in which a fact is another one ---- */

/* A copy of a profile, of its methods, graphs, runs and logged values, and of the nodes of the
 * first method's graph. */
typedef struct altered {
  etr_arena arena;
  etr_profile *original, profile;
  etr_method *methods;
  etr_graph *graph;
  etr_node *nodes;
  etr_run *runs;
  etr_debug_value *values;
} altered;

static void *copy(altered *a, const void *data, size_t count, size_t size) {
  void *made = etr_arena_alloc_raw_array(&a->arena, count, size);
  cr_assert(made);
  return memcpy(made, data, count * size);
}

static void open_altered(altered *a, const char *name) {
  *a = (altered){.original = open_fixture(name, NULL)};
  a->profile = *a->original;
  etr_profile *p = &a->profile;
  p->methods = a->methods = copy(a, p->methods, p->method_count, sizeof *p->methods);
  etr_graph *graphs = copy(a, p->graphs, p->graph_count, sizeof *p->graphs);
  p->graphs = graphs;
  a->graph = &graphs[a->methods[0].graph];
  a->graph->nodes = a->nodes = copy(a, a->graph->nodes, a->graph->node_count, sizeof *a->nodes);
  p->runs = a->runs = copy(a, p->runs, p->run_count, sizeof *a->runs);
  p->debug_values = a->values = copy(a, p->debug_values, p->debug_value_count, sizeof *a->values);
}

static void close_altered(altered *a) {
  etr_arena_clear(&a->arena);
  etr_profile_close(a->original);
}

static void in_a_body(altered *a) {
  static const etr_subgraph body = {
      .name = "b", .path = "b", .kind = ETR_SUBGRAPH_BODY, .parent = ETR_NONE};
  a->graph->subgraphs = &body;
  a->graph->subgraph_count = 1;
  for (size_t i = 0; i < a->graph->node_count; i++)
    a->nodes[i].subgraph = 0;
}

static void in_one_run(altered *a) {
  for (size_t i = 0; i < a->profile.debug_value_count; i++)
    a->values[i].run = a->values[0].run;
}

static void without_buffer(altered *a) {
  a->profile.debug_buffer = NULL;
}

static void of_an_unknown_type(altered *a) {
  for (size_t i = 0; i < a->profile.debug_value_count; i++)
    a->values[i].dtype = "quint4x2";
}

static void without_scales(altered *a) {
  for (size_t i = 0; i < a->graph->node_count; i++)
    a->nodes[i].argument_count = 0;
}

static void unchanged(altered *a) {
  (void)a;
}

static void in_a_lowered_module(altered *a) {
  static const etr_subgraph lowered = {
      .name = "l", .path = "l", .kind = ETR_SUBGRAPH_LOWERED, .parent = ETR_NONE};
  in_a_body(a);
  a->graph->subgraphs = &lowered;
}

static void of_other_delegates(altered *a) {
  in_one_run(a);
  for (size_t i = 0; i < a->profile.debug_value_count; i++)
    a->values[i].instruction_id = (int32_t)i;
}

static void without_buffer_file(altered *a) {
  a->profile.debug_buffer = "/nonexistent/debug_buffer.bin";
}

/* Half of the values are scalars, or of unknown nodes. */
static void partly_known(altered *a) {
  for (size_t i = 0; i + 3 < a->profile.debug_value_count / 2; i += 4) {
    a->values[i].kind = ETR_DEBUG_INT;
    a->values[i + 1].node = ETR_NONE;
    a->values[i + 2].output = ETR_NONE;
    a->values[i + 3].byte_size = 0;
  }
}

static void of_huge_values(altered *a) {
  for (size_t i = 0; i < a->profile.debug_value_count; i++)
    a->values[i].byte_size = (uint64_t)1 << 50;
}

/* The nodes that quantize by channel name another axis, constants that the reference does not have,
 * or no axis. */
static void set_argument(altered *a, const char *name, const char *value) {
  for (size_t i = 0; i < a->graph->node_count; i++) {
    if (a->nodes[i].argument_count == 0)
      continue;
    etr_argument *arguments = copy(a, a->nodes[i].arguments, a->nodes[i].argument_count,
                                   sizeof *arguments);
    for (size_t k = 0; k < a->nodes[i].argument_count; k++)
      if (strcmp(arguments[k].name, name) == 0)
        arguments[k].value = value;
    a->nodes[i].arguments = arguments;
  }
}
static void along_no_axis(altered *a) {
  set_argument(a, "axis", "None");
}
static void along_axis_7(altered *a) {
  set_argument(a, "axis", "7");
}
static void along_axis_1(altered *a) {
  set_argument(a, "axis", "1");
} /* of another size than the list of scales */
static void with_infinite_scales(altered *a) {
  set_argument(a, "scale", "1e999");
}
static void with_other_constants(altered *a) {
  for (size_t i = 0; i < a->graph->node_count; i++)
    if (a->nodes[i].kind != ETR_NODE_OP)
      a->nodes[i].name = "other";
}

/* What quantized values become when nodes only copy them. */
static void through_copies(altered *a) {
  for (size_t i = 0; i < a->graph->node_count; i++)
    if (strcmp(a->nodes[i].name, "quantized_decomposed_quantize_per_tensor_default_1") == 0)
      a->nodes[i].target = "aten.view_copy.default";
}

/* Writes a copy of a reference that is of the altered record; *path is a template. */
static void write_fitting(char *path, const char *reference, const altered *a) {
  enum { DIGITS = 16 };
  char old[DIGITS + 1], new[DIGITS + 1];
  static char data[1 << 21];
  FILE *file = fopen(reference, "rb");
  cr_assert(file);
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  etr_record_hash(old, a->original);
  etr_record_hash(new, &a->profile);
  for (size_t i = 0; i + DIGITS < size; i++)
    if (memcmp(data + i, old, DIGITS) == 0)
      memcpy(data + i, new, DIGITS);
  int descriptor = mkstemp(path);
  cr_assert(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size);
  close(descriptor);
}

Test(accuracy_joins, a_value_that_cannot_be_compared_says_why) {
  static const struct {
    const char *record, *reference;
    void (*alter)(altered *a);
    const char *name, *problem; /* of a value; NULL: it was compared */
  } rows[] = {
      {EXAMPLE "f32", EXAMPLE "f32", unchanged, "aten__softmax_default", NULL},
      {EXAMPLE "f32", EXAMPLE "f32", in_a_body, "aten__softmax_default",
       "it is in the body of a loop or branch"},
      {EXAMPLE "f32", EXAMPLE "f32", in_one_run, "aten__softmax_default",
       "it is computed several times in one run"},
      {EXAMPLE "f32", EXAMPLE "f32", without_buffer, "aten__softmax_default",
       "there is no debug buffer"},
      {EXAMPLE "f32", EXAMPLE "f32", of_an_unknown_type, "aten__softmax_default",
       "its type cannot be read"},
      {EXAMPLE "f32", EXAMPLE "f32", in_a_lowered_module, "aten__softmax_default", NULL},
      {EXAMPLE "f32", EXAMPLE "f32", of_other_delegates, "aten__softmax_default", NULL},
      {EXAMPLE "f32", EXAMPLE "f32", partly_known, "aten__softmax_default", NULL},
      {EXAMPLE "f32", EXAMPLE "f32", of_huge_values, "aten__softmax_default",
       "implausibly many tensors share its bytes"},
      {CHECKED "per_channel", CHECKED "per_channel", unchanged,
       "quantized_decomposed_quantize_per_channel_default", NULL},
      {CHECKED "per_channel", CHECKED "per_channel", along_no_axis,
       "quantized_decomposed_quantize_per_channel_default", NULL},
      {CHECKED "per_channel", CHECKED "per_channel", along_axis_7,
       "quantized_decomposed_quantize_per_channel_default", NULL},
      {CHECKED "per_channel", CHECKED "per_channel", along_axis_1,
       "quantized_decomposed_quantize_per_channel_default", NULL},
      {CHECKED "per_channel", CHECKED "per_channel", with_other_constants,
       "quantized_decomposed_quantize_per_channel_default", NULL},
      {CHECKED "per_channel", CHECKED "per_channel", with_infinite_scales,
       "quantized_decomposed_quantize_per_tensor_default", NULL},
      {CHECKED "per_channel", CHECKED "per_channel", through_copies,
       "quantized_decomposed_quantize_per_tensor_default_1", NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    altered a;
    open_altered(&a, rows[i].record);
    char path[] = "/tmp/test_accuracy_joins-XXXXXX";
    rows[i].alter(&a);
    write_fitting(path, reference_of(rows[i].reference), &a);
    etr_accuracy *accuracy = open_accuracy(&a.profile, &(etr_accuracy_options){.reference = path});
    const char *problem = find(accuracy, rows[i].name)->problem;
    cr_expect_str_eq(problem ? problem : "", rows[i].problem ? rows[i].problem : "", "row %zu: %s",
                     i, problem);
    etr_accuracy_close(accuracy);
    unlink(path);
    close_altered(&a);
  }
}

Test(accuracy_joins, what_vanished_is_an_error) {
  altered a;
  etr_error error;
  etr_accuracy *accuracy;
  open_altered(&a, EXAMPLE "f32");
  without_buffer_file(&a);
  const etr_accuracy_options options = {.reference = reference_of(EXAMPLE "f32")};
  cr_expect_eq(etr_accuracy_open(&accuracy, &a.profile, &options, &error), ETR_ERROR_IO);
  cr_expect_null(accuracy);
  close_altered(&a);
}

Test(accuracy_joins, without_a_reference) {
  static const struct {
    const char *record;
    size_t values, compared;
  } rows[] = {{"bundled", 35, 0},
              {"bundled_update", 18, 6},
              {"debug_portable", 44, 0},
              {"debug_xnnpack", 22, 0},
              {"old_1_2_0_two_methods", 20, 4},
              {"prefill_decode", 650, 0},
              {"cpp_rich", 0, 0},
              {"add_mul", 0, 0},
              {EXAMPLE "f32", 102, 3},
              {CHECKED "convnet", 114, 3}};
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    etr_profile *profile = open_fixture(rows[i].record, NULL);
    etr_accuracy *accuracy = open_accuracy(profile, NULL);
    cr_expect(accuracy->value_count == rows[i].values && accuracy->ranked_count == rows[i].compared,
              "%s: %zu of %zu", rows[i].record, accuracy->ranked_count, accuracy->value_count);
    etr_accuracy_close(accuracy);
    etr_profile_close(profile);
  }
}

/* Integers of a record without scales cannot be compared with the floating-point numbers of another
 * one. */
Test(accuracy_joins, integers_need_a_scale) {
  altered a;
  etr_profile *of = open_fixture(CHECKED "convnet", NULL);
  open_altered(&a, CHECKED "convnet_int8");
  without_scales(&a);
  etr_accuracy *accuracy = open_accuracy(
      &a.profile, &(etr_accuracy_options){.reference = reference_of(CHECKED "convnet"),
                                          .reference_record = of,
                                          .spreads = 1});
  cr_expect_str_eq(find(accuracy, "quantized_decomposed_quantize_per_tensor_default_7")->problem,
                   "its scale is not known");
  etr_accuracy_close(accuracy);
  close_altered(&a);
  etr_profile_close(of);
}

Test(accuracy_joins, inputs_of_runs) {
  static const struct {
    int32_t bundled; /* of all runs */
    uint32_t input;  /* of the second run */
    etr_input_evidence evidence;
  } rows[] = {{-1, 1, ETR_INPUT_EQUAL},
              {0, 0, ETR_INPUT_BUNDLED},
              {2, 2, ETR_INPUT_BUNDLED},
              {3, 1, ETR_INPUT_EQUAL}};
  etr_profile *of = open_fixture(CHECKED "convnet", NULL);
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    altered a;
    open_altered(&a, CHECKED "convnet_int8");
    for (size_t k = 0; k < a.profile.run_count; k++)
      a.runs[k].bundled_input_index = rows[i].bundled;
    etr_accuracy *accuracy = open_accuracy(
        &a.profile, &(etr_accuracy_options){.reference = reference_of(CHECKED "convnet"),
                                            .reference_record = of});
    for (size_t k = 0; k < accuracy->value_count; k++)
      if (accuracy->values[k].value->run == accuracy->values[0].value->run + 1)
        cr_expect(accuracy->values[k].input == rows[i].input &&
                      accuracy->values[k].input_evidence == rows[i].evidence,
                  "row %zu: %u", i, accuracy->values[k].input);
    etr_accuracy_close(accuracy);
    close_altered(&a);
  }
  etr_profile_close(of);
}

/* Delegates logged the runs in another order than that of the reference's inputs. */
Test(accuracy_joins, inputs_are_found_by_their_values) {
  altered a;
  etr_profile *of = open_fixture(CHECKED "convnet", NULL);
  open_altered(&a, CHECKED "convnet_int8");
  size_t count = a.profile.debug_value_count, third = count / 3;
  for (size_t i = 0; i < third;
       i++) { /* the first run has the values of the last one, and the other way around */
    const etr_debug_value first = a.values[i], last = a.values[count - third + i];
    a.values[i] = last;
    a.values[i].run = first.run;
    a.values[count - third + i] = first;
    a.values[count - third + i].run = last.run;
  }
  etr_accuracy *accuracy = open_accuracy(
      &a.profile, &(etr_accuracy_options){.reference = reference_of(CHECKED "convnet"),
                                          .reference_record = of});
  cr_expect(accuracy->values[0].input == 2 &&
            accuracy->values[0].input_evidence == ETR_INPUT_EQUAL);
  cr_expect_eq(accuracy->values[accuracy->value_count - 1].input, 0);
  etr_accuracy_close(accuracy);
  close_altered(&a);
  etr_profile_close(of);
}

/* ---- Nodes ---- */

static const etr_partner *partner_of(const etr_partner *partners, const etr_graph *graph,
                                     const char *name) {
  for (size_t i = 0; i < graph->node_count; i++)
    if (strcmp(graph->nodes[i].name, name) == 0)
      return &partners[i];
  cr_assert(false, "no node %s", name);
  return NULL;
}

/* Takes the method's graph away, and the values that name its nodes. */
static void forget_graph(altered *of) {
  of->methods[0].graph = ETR_NONE;
  of->profile.debug_value_count = 0;
}

/* A convolution into which its batch norm was folded has the value of the batch norm. Nodes that a
 * comparison does not pair are joined by name. */
Test(accuracy_joins, nodes) {
  static const struct {
    const char *name, *found; /* found: NULL: no partner */
  } rows[] = {
      {"aten_convolution_default", "batch_norm"},
      {"aten_convolution_default_7", "conv2d_7"},
      {"aten_linear_default", "linear"},
      {"aten_add_tensor", "add"},
      {"quantized_decomposed_quantize_per_tensor_default_7", "add"},
      {"quantized_decomposed_dequantize_per_tensor_default_21", "linear"},
      {"quantized_decomposed_quantize_per_tensor_default", NULL}, /* of the input */
  };
  for (int by_name = 0; by_name < 2; by_name++) {
    altered of;
    etr_partner *partners;
    etr_error error;
    etr_arena arena = {0};
    etr_profile *profile = open_fixture(CHECKED "convnet_int8", NULL);
    open_altered(&of, CHECKED "convnet");
    if (by_name)
      forget_graph(&of);
    cr_assert_eq(etr_partners_find(&partners, profile, 0, &of.profile, &arena, &error), ETR_OK);
    for (size_t i = 0; i < ETR_COUNT(rows); i++) {
      const etr_partner *partner = partner_of(partners, &profile->graphs[profile->methods[0].graph],
                                              rows[i].name);
      cr_expect(rows[i].found ? partner->node && strcmp(partner->node, rows[i].found) == 0
                              : !partner->node,
                "%s: %s", rows[i].name, partner->node ? partner->node : "none");
      if (rows[i].found)
        cr_expect_eq(partner->evidence, by_name ? ETR_PARTNER_NAME : ETR_PARTNER_DIFF, "%s",
                     rows[i].name);
    }
    etr_arena_clear(&arena);
    close_altered(&of);
    etr_profile_close(profile);
  }
}

/* A name alone joins nothing: operator and module must be the same, too. */
Test(accuracy_joins, nodes_of_one_name) {
  for (int other = 0; other < 2; other++) {
    altered of;
    etr_partner *partners;
    etr_error error;
    etr_arena arena = {0};
    etr_profile *profile = open_fixture(CHECKED "convnet_int8", NULL);
    open_altered(&of, CHECKED "convnet");
    forget_graph(&of);
    etr_graph *graphs = copy(&of, of.profile.graphs, of.profile.graph_count, sizeof *graphs);
    for (size_t i = 0; i < of.profile.graph_count; i++) {
      if (strcmp(graphs[i].module, "aten") != 0)
        continue;
      etr_node *nodes = copy(&of, graphs[i].nodes, graphs[i].node_count, sizeof *nodes);
      for (size_t k = 0; k < graphs[i].node_count; k++) {
        if (other == 0)
          nodes[k].target = "aten.other.default";
        if (other == 1)
          nodes[k].module = 0;
      }
      graphs[i].nodes = nodes;
    }
    of.profile.graphs = graphs;
    cr_assert_eq(etr_partners_find(&partners, profile, 0, &of.profile, &arena, &error), ETR_OK);
    cr_expect_null(
        partner_of(partners, &profile->graphs[profile->methods[0].graph], "aten_linear_default")
            ->node);
    etr_arena_clear(&arena);
    close_altered(&of);
    etr_profile_close(profile);
  }
}

/* Without aten/METHOD on the side of the reference nothing can be joined. */
Test(accuracy_joins, no_program_of_the_reference) {
  etr_partner *partners;
  etr_error error;
  etr_arena arena = {0};
  etr_profile *profile = open_fixture(CHECKED "convnet_int8", NULL),
              *of = open_fixture(CHECKED "convnet", &(etr_options){.edge_only = true});
  cr_assert_eq(etr_partners_find(&partners, profile, 0, of, &arena, &error), ETR_OK);
  for (size_t i = 0; i < profile->graphs[profile->methods[0].graph].node_count; i++)
    cr_expect_null(partners[i].node);
  etr_arena_clear(&arena);
  etr_profile_close(of);
  etr_profile_close(profile);
}
