/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_own_graph.c - graphs in payloads: those of fixtures, handmade ones, and damaged ones.
 */
#include "backends/backends.h"
#include "backends/decoder.h"
#include "backends/xnnpack.h"
#include "inputs/pte.h"
#include "tiny_xnnpack.h"

#include <inttypes.h>

/* ---- As text ---- */

static const char *ids_text(etr_arena *arena, const uint32_t *ids, size_t count) {
  const char *text = "";
  for (size_t i = 0; i < count; i++)
    text = etr_arena_format(arena, "%s%s%u", text, i ? "," : "", ids[i]);
  return text;
}

/* "NAME#ID(reads)>writes". */
static const char *operator_text(etr_arena *arena, const etr_own_operator *o) {
  return etr_arena_format(arena, "%s#%" PRId64 "(%s)>%s", o->name, o->id,
                          ids_text(arena, o->reads, o->read_count),
                          ids_text(arena, o->writes, o->write_count));
}

/* Writes " const 64", or " scales 8", and "inside" or how the key of named data begins. */
static const char *data_text(etr_arena *arena, const char *what, const etr_own_data *data) {
  const char *place = data->key ? data->key : data->offset == ETR_UNKNOWN ? NULL : "inside";
  return etr_arena_format(arena, " %s %" PRIu64 "%s%.8s", what, data->bytes, place ? " " : "",
                          place ? place : "");
}

/* Writes "float32[1,8]" with its argument number, or with its data. */
static const char *value_text(etr_arena *arena, const etr_own_value *v) {
  const char *text = etr_arena_format(arena, "%s[", v->value.dtype ? v->value.dtype : "-");
  for (int32_t i = 0; i < v->value.rank; i++)
    text = etr_arena_format(arena, "%s%s%" PRId64, text, i ? "," : "", v->value.dims[i].size);
  if (v->value.rank < 0)
    text = etr_arena_format(arena, "%s?", text);
  text = etr_arena_format(arena, "%s]", text);
  if (v->argument >= 0)
    text = etr_arena_format(arena, "%s argument %d", text, v->argument);
  if (v->is_constant)
    text = etr_arena_format(arena, "%s%s", text, data_text(arena, "const", &v->data));
  if (v->scales.bytes > 0)
    text = etr_arena_format(arena, "%s%s", text, data_text(arena, "scales", &v->scales));
  return text;
}

/* Writes the operators, then the values that they name, ordered by id. */
static const char *graph_text(etr_arena *arena, const etr_own_graph *graph) {
  const char *text = "";
  bool *is_named = etr_arena_alloc_array(arena, graph->value_count, sizeof *is_named);
  for (size_t i = 0; i < graph->count; i++) {
    const etr_own_operator *o = &graph->operators[i];
    for (size_t k = 0; k < o->read_count; k++)
      is_named[o->reads[k]] = true;
    for (size_t k = 0; k < o->write_count; k++)
      is_named[o->writes[k]] = true;
    text = etr_arena_format(arena, "%s%s\n", text, operator_text(arena, o));
  }
  for (size_t i = 0; i < graph->value_count; i++)
    if (is_named[i])
      text = etr_arena_format(arena, "%s%zu %s\n", text, i, value_text(arena, &graph->values[i]));
  return text;
}

/* ---- Fixtures ---- */

/* Returns a delegate's payload in the first method with delegates, cut behind its graph. */
static etr_slice payload_of(const char *fixture, size_t delegate, etr_arena *arena,
                            etr_file *file) {
  char path[512];
  etr_pte pte;
  etr_error error;
  const etr_pte_limits limits = {.max_bytes = UINT32_MAX};
  snprintf(path, sizeof path, FIXTURES "/%s/model.pte", fixture);
  cr_assert_eq(etr_pte_read_file(&pte, arena, path, &limits, &error), ETR_OK, "%s", error.message);
  *file = pte.file;
  const etr_pte_method *method = pte.methods;
  while (method->delegate_count == 0)
    method++;
  cr_assert_lt(delegate, method->delegate_count);
  return method->delegates[delegate].payload;
}

Test(own_graph, payloads_of_fixtures_are_read) {
  const struct {
    const char *fixture;
    size_t delegate;
    etr_own_graph_reader read;
    const char *want;
  } cases[] = {
      {"b_vulkan", 1, etr_vulkan.read_graph,
       "aten.linear.default#0(2,0,1)>3\n"
       "0 float32[10,8] const 320 c713395a\n1 float32[10] const 40 1bf8c5de\n2 float32[1,8] "
       "argument 0\n3 "
       "float32[1,10] argument 1\n"},
      {"multi_method", 0, etr_xnn_graph_read,
       "FullyConnected#1(0,1,2)>3\nFullyConnected#2(3,4,5)>6\nTanh#3(6)>7\n"
       "0 float32[2,8] argument 0\n1 float32[16,8] const 512 2bffd432\n2 float32[16] const 64 "
       "5068d04c\n3 "
       "float32[2,16]\n"
       "4 float32[8,16] const 512 ad4d0d10\n5 float32[8] const 32 7d886aad\n6 float32[2,8]\n7 "
       "float32[2,8] argument "
       "1\n"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_own_graph graph;
    etr_file file;
    etr_slice payload = payload_of(cases[i].fixture, cases[i].delegate, &arena, &file);
    cr_assert(cases[i].read(&graph, &arena, payload), "%s", cases[i].fixture);
    cr_expect_str_eq(graph_text(&arena, &graph), cases[i].want, "%s: %s", cases[i].fixture,
                     graph_text(&arena, &graph));
    etr_file_clear(&file);
    etr_arena_clear(&arena);
  }
}

/* The work of an operator decides its cost. */
Test(own_graph, operators_have_the_work_of_their_payload) {
  const struct {
    const char *fixture;
    size_t delegate;
    etr_own_graph_reader read;
    const char *name;
    etr_work work;
  } cases[] = {
      {"mv2_xnnpack", 0, etr_xnn_graph_read, "Conv2d", ETR_WORK_CONVOLUTION},
      {"mv2_xnnpack", 0, etr_xnn_graph_read, "DepthwiseConv2d", ETR_WORK_CONVOLUTION},
      {"mv2_xnnpack", 0, etr_xnn_graph_read, "FullyConnected", ETR_WORK_LINEAR},
      {"mv2_xnnpack", 0, etr_xnn_graph_read, "Add", ETR_WORK_NO_PRODUCT},
      {"unet_xnnpack", 1, etr_xnn_graph_read, "ConvTranspose2d", ETR_WORK_TRANSPOSED},
      {"vulkan", 0, etr_vulkan.read_graph, "et_vk.conv_with_clamp.default",
       ETR_WORK_CONVOLUTION_FIRST},
      {"b_vulkan", 0, etr_vulkan.read_graph, "aten.convolution.default",
       ETR_WORK_CONVOLUTION_FIRST},
      {"b_vulkan", 0, etr_vulkan.read_graph, "aten.relu.default", ETR_WORK_BY_NAME},
      /* torch.nn.ConvTranspose2d(2, 3, 2), exported by ExecuTorch 1.5.1 */
      {"../unit/files/vulkan_transposed", 0, etr_vulkan.read_graph, "aten.convolution.default",
       ETR_WORK_TRANSPOSED_FIRST},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_own_graph graph;
    etr_file file;
    size_t found = 0;
    cr_assert(cases[i].read(&graph, &arena,
                            payload_of(cases[i].fixture, cases[i].delegate, &arena, &file)));
    for (size_t k = 0; k < graph.count; k++) {
      if (strcmp(graph.operators[k].name, cases[i].name) != 0)
        continue;
      cr_expect_eq(graph.operators[k].work, cases[i].work, "%s: %s", cases[i].fixture,
                   cases[i].name);
      found++;
    }
    cr_expect_gt(found, 0, "%s: %s", cases[i].fixture, cases[i].name);
    etr_file_clear(&file);
    etr_arena_clear(&arena);
  }
}

/* Each backend reads only its own payloads, and only the part that contains the graph. */
Test(own_graph, each_backend_reads_its_own_payloads) {
  etr_arena arena = {0};
  etr_own_graph graph;
  etr_file file;
  etr_slice payload = payload_of("b_vulkan", 0, &arena, &file);
  cr_expect_eq(etr_own_graph_reader_of("VulkanBackend"), etr_vulkan.read_graph);
  cr_expect_eq(etr_own_graph_reader_of("XnnpackBackend"), etr_xnn_graph_read);
  cr_expect_null(etr_own_graph_reader_of("QnnBackend"));
  cr_expect_null(etr_own_graph_reader_of("unheard of"));
  cr_expect_null(etr_own_graph_reader_of(NULL));
  cr_expect_not(etr_xnn_graph_read(&graph, &arena, payload));
  cr_expect_eq(etr_backend_payload_needed(payload, 1 << 20), payload.size);
  cr_expect(etr_vulkan.read_graph(&graph, &arena, payload));
  cr_expect_not(etr_vulkan.read_graph(&graph, &arena, (etr_slice){payload.data, payload.size - 1}));
  cr_expect_not(etr_vulkan.read_graph(&graph, &arena, (etr_slice){0}));
  etr_file_clear(&file);
  etr_arena_clear(&arena);
}

/* ---- By hand ---- */

Test(own_graph, xnodes_become_operators) {
  const struct {
    const char *title, *values, *xnodes, *want; /* operators alone, joined by a blank */
  } cases[] = {
      {"a bias comes after the weights", "2;3;4;5;", "Conv2d(0,1,2)>3", "Conv2d#1(0,1,2)>3"},
      {"there may be none", "2;3;4;", "FullyConnected(0,1,4294967295)>2",
       "FullyConnected#1(0,1)>2"},
      {"one input", "2;3;", "Sigmoid(0)>1", "Sigmoid#1(0)>1"},
      {"a concatenation leaves places empty", "2;3;4;", "Concatenate2(0,1)>2",
       "Concatenate2#1(0,1)>2"},
      {"values that do not exist", "2;", "Sigmoid(7)>9", "Sigmoid#1()>"},
      {"a type that is not known", "2;", "Unheard(0)>0", "unknown#1()>"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_own_graph graph;
    const char *got = "";
    cr_assert(
        etr_xnn_graph_read(&graph, &arena, tiny_xnnpack(&arena, cases[i].values, cases[i].xnodes)));
    for (size_t k = 0; k < graph.count; k++)
      got = etr_arena_format(&arena, "%s%s%s", got, k ? " " : "",
                             operator_text(&arena, &graph.operators[k]));
    cr_expect_str_eq(got, cases[i].want, "%s: %s", cases[i].title, got);
    etr_arena_clear(&arena);
  }
}

Test(own_graph, constants_have_data_and_scales) {
  const struct {
    const char *values; /* the first is read, the second written */
    bool has_named_data;
    const char *want; /* of the first */
  } cases[] = {
      {"2x3;3", false, "float32[2,3]"},
      {"2x3 const;3", false, "float32[2,3] const 16 inside"},
      {"4 const;3", true, "float32[4] const 16 weights"},
      {"4 q const;3", true, "qint8[4] const 16 weights"},
      {"4 Q const;3", false, "qint8[4] const 16 inside"},
      {"4 Q const channels;3", false, "qint8[4] const 16 inside scales 8 inside"},
      {"4 Q const channels;3", true, "qint8[4] const 16 weights scales 8 scales"},
      {"4 Q const groups;3", true, "qint8[4] const 16 weights scales 8 scales"},
      {"4 Q groups;3", true, "qint8[4]"},
      {"4 lost;3", false, "float32[4] const 0"},
      {"4 lost;3", true, "float32[4] const 0"},
      {"- in0;3", false, "float32[] argument 0"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_own_graph graph;
    etr_slice payload = tiny_xnnpack_of(&arena, cases[i].values, "Sigmoid(0)>1",
                                        cases[i].has_named_data);
    cr_assert(etr_xnn_graph_read(&graph, &arena, payload));
    const etr_own_value *value = &graph.values[0];
    const char *got = value_text(&arena, value);
    cr_expect_str_eq(got, cases[i].want, "%s: %s", cases[i].values, got);
    if (value->scales.bytes > 0 && value->scales.offset != ETR_UNKNOWN) {
      cr_expect_eq(etr_load_le(payload.data + value->data.offset - 4, 4), value->data.bytes);
      cr_expect_eq(etr_load_le(payload.data + value->scales.offset - 4, 4), value->scales.bytes);
    }
    etr_arena_clear(&arena);
  }
}

/* ---- Damage ---- */

static void expect_valid(const etr_own_graph *graph, size_t at) {
  for (size_t i = 0; i < graph->count; i++) {
    const etr_own_operator *o = &graph->operators[i];
    cr_assert_not_null(o->name);
    for (size_t k = 0; k < o->read_count; k++)
      cr_assert_lt(o->reads[k], graph->value_count, "byte %zu", at);
    for (size_t k = 0; k < o->write_count; k++)
      cr_assert_lt(o->writes[k], graph->value_count, "byte %zu", at);
  }
}

/* Reads a copy of exactly that size, so that a sanitizer detects reads past it. */
static void read_damaged(etr_own_graph_reader read, etr_slice whole, size_t size, size_t at,
                         char with) {
  etr_arena arena = {0};
  etr_own_graph graph;
  char *bytes = malloc(size ? size : 1);
  if (size)
    memcpy(bytes, whole.data, size);
  if (at < size)
    bytes[at] = (char)(bytes[at] ^ with);
  bool good = read(&graph, &arena, (etr_slice){bytes, size});
  cr_expect(good || (graph.count == 0 && graph.value_count == 0), "byte %zu of %zu", at, size);
  if (good)
    expect_valid(&graph, at);
  free(bytes);
  etr_arena_clear(&arena);
}

/* A payload that is cut short or has a changed byte is refused or read; operators that are read
 * name existing values.
 */
Test(own_graph, damaged_payloads_are_refused_or_read) {
  const struct {
    const char *fixture;
    etr_own_graph_reader read;
  } cases[] = {{"b_vulkan", etr_vulkan.read_graph}, {"multi_method", etr_xnn_graph_read}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_file file;
    etr_slice whole = payload_of(cases[i].fixture, 0, &arena, &file);
    for (size_t at = 0; at < whole.size; at++) {
      read_damaged(cases[i].read, whole, at, SIZE_MAX, 0);
      read_damaged(cases[i].read, whole, whole.size, at, 0x55);
      read_damaged(cases[i].read, whole, whole.size, at, (char)0xff);
    }
    etr_file_clear(&file);
    etr_arena_clear(&arena);
  }
}
