/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The meaning of backends' events, written as "role phase unit key wrapper/inside flags", for names
 * that runtimes write and for names that nothing writes.
 */
#include "backends/decoder.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { MOST = 8 };

/* An event of a call: its name, or its number after '#'; the number of its handles in the delegate
 * map; its metadata.
 */
typedef struct event {
  const char *name;
  int handles; /* -1: not listed */
  etr_bytes metadata;
  const char *want;
} event;

typedef struct call {
  const char *backend;
  event events[MOST];
} call;

#define TEXT(text) {text, sizeof(text) - 1}
#define CODE(byte) {(const char[]){byte}, 1}

static const call calls[] = {
    {"EthosUBackend",
     {{"EthosUBackend::execute()", -1, {0}, "container - ns -"},
      {"+EthosUBackend::execute()NPU", -1, {0}, "phase compute ns - sums on NPU"},
      {"+EthosUBackend::execute()handles.input.memcpy()", -1, {0}, "phase copy_in ns - sums"},
      {"+EthosUBackend::execute()new", -1, {0}, "phase other ns - sums odd"},
      {"EthosUBackend::execute()NPU", -1, {0}, "container - ns - odd"},
      {"", -1, {0}, "container - ns - odd"}}},
    {"VgfBackend",
     {{"VGF_EXECUTE", -1, {0}, "container - ns -"},
      {"VGF_DISPATCH_AND_WAIT", -1, {0}, "container - ns -"},
      {"VGF_NEURAL_STATISTICS", -1, {0}, "phase other ns - sums"},
      {"VGF_COPY_OUTPUTS", -1, {0}, "phase copy_out ns - sums"},
      {"VGF_EXECUTE2", -1, {0}, "container - ns - odd"},
      {"#3", -1, {0}, "container - ns - odd"}}},
    {"CoreMLBackend",
     {{"x:conv", 1, {0}, "operator - ns map sums estimated"},
      {"x:ios17.cast", -1, {0}, "operator - ns - sums estimated"},
      {"#1", 1, {0}, "operator - ns - sums estimated odd"},
      {"y:conv", 1, TEXT("{\"supportedComputeUnits\":[\"NE\"],\"preferredComputeUnit\":\"NE\"}"),
       "operator - ns map sums estimated on planned NPU"},
      {"y:cast", 1, TEXT("{\"preferredComputeUnit\":\"CPU\"}"),
       "operator - ns map sums estimated on planned CPU"},
      {"y:relu", -1, TEXT("{\"preferredComputeUnit\":\"GPU\"}"),
       "operator - ns - sums estimated on planned GPU"},
      {"y:add", 1, TEXT("{\"preferredComputeUnit\":\"TPU\"}"),
       "operator - ns map sums estimated"}}},
    {"CoreMLBackend", /* costs are shares */
     {{"a:conv", 1, TEXT("{\"estimatedCost\": 0.5, \"outputNames\": [\"a\"]}"),
       "operator - ns map sums estimated"},
      {"b:conv", 1, TEXT("{\"estimatedCost\": NaN}"), "operator - ns - sums estimated odd"},
      {"c:conv", 1, TEXT("{\"estimatedCost\": 1.5}"), "operator - ns - sums estimated odd"},
      {"d:conv", 1, TEXT("{\"estimatedCost\": -0.5}"), "operator - ns - sums estimated odd"},
      {"e:conv", 1, TEXT("{\"estimatedCost\": 0.5"), "operator - ns - sums estimated odd"},
      {"f:conv", 1, TEXT("[]"), "operator - ns - sums estimated odd"},
      {"g:conv", 1, TEXT("{\"estimatedCost\": \"1\"}"), "operator - ns - sums estimated odd"},
      {"conv", 1, {0}, "operator - ns - sums estimated odd"}}},
    {"NeutronBackend", /* a code of two bytes; an id that is missing in the map */
     {{"#0", 1, TEXT("!!"), "operator - ns - sums odd"},
      {"#1", -1, CODE(33), "operator - ns - sums odd"},
      {"#-5", 1, CODE(33), "operator - ns - sums odd"},
      {"#3", -1, CODE(0), "container - ns -"}}},
    {"CoreMLBackend", /* metadata that nothing writes */
     {{"y:a", 1, TEXT("{\"preferredComputeUnit\":\"NE\"} {}"),
       "operator - ns - sums estimated odd"},
      {"y:b", 1, TEXT("{\"preferredComputeUnit\":7}"), "operator - ns map sums estimated"},
      {"y:c", 1, TEXT("\"NE\""), "operator - ns - sums estimated odd"},
      {"y:d", 1, TEXT("{\"preferredComputeUnit\":\"NE\""), "operator - ns - sums estimated odd"}}},
    {"NeutronBackend",
     {{"#0", 0, CODE(0), "operator - ns map sums on NPU"},
      {"#1", 2, CODE(33), "operator - ns map sums on NPU"},
      {"#2", 0, CODE(0), "container - ns -"},
      {"2", 1, CODE(0), "operator - ns - sums odd"}}},
    {"NeutronBackend", /* without a converter's log there is no map */
     {{"#0", -1, CODE(0), "operator - ns - sums on NPU"}, {"#1", -1, CODE(0), "container - ns -"}}},
    {"NeutronBackend", /* the last event is an operator, or has no metadata */
     {{"#0", 1, CODE(0), "operator - ns map sums on NPU"}}},
    {"NeutronBackend", {{"#0", 0, {0}, "operator - ns map sums on NPU"}}},
    {"QnnBackend",
     {{"aten_add_tensor:OpId_61 (cycles)",
       -1,
       {0},
       "operator - cycles aten_add_tensor estimated in 2"},
      {"aten_add_tensor:OpId_61", -1, {0}, "operator - cycles aten_add_tensor estimated in 2"},
      {"aten_add_tensor:OpId_61 (us)", -1, {0}, "operator - ns aten_add_tensor sums in 2 us"},
      {"Input OpId_2 (cycles)", -1, {0}, "phase copy_in cycles - in 2"},
      {"Output OpId_3 (cycles)", -1, {0}, "phase copy_out cycles - in 2"},
      {"Number of HVX threads used (count)", -1, {0}, "counter - count -"},
      {"DRAM read (bytes)", -1, {0}, "counter - bytes -"},
      {"Time for initial VTCM acquire (us)", -1, {0}, "phase wait ns - us"}}},
    {"QnnBackend",
     {{"QNN (execute) time (us)", -1, {0}, "container - ns - shell 1 wait us"},
      {"RPC (execute) time (us)", -1, {0}, "container - ns - us"},
      {"Accelerator (execute) time (us)",
       -1,
       {0},
       "phase compute ns - shell 2 compute in 1 us on NPU"},
      {"Accelerator (execute) time (cycles)", -1, {0}, "container - cycles - shell 2 compute in 1"},
      {"Accelerator (execute excluding wait) time (us)", -1, {0}, "container - ns - us"}}},
    {"QnnBackend", /* operators of an accelerator, which HTP's totals name */
     {{"Accelerator (execute) time (cycles)", -1, {0}, "container - cycles - shell 2 compute in 1"},
      {"a:OpId_1", -1, {0}, "operator - cycles a estimated in 2 on NPU"},
      {"Input OpId_2 (cycles)", -1, {0}, "phase copy_in cycles - in 2 on NPU"}}},
    {"QnnBackend", /* basic level */
     {{"RPC (execute) time (us)", -1, {0}, "container - ns - shell 1 wait us"}}},
    {"QnnBackend",
     {{":OpId_61 (cycles)", -1, {0}, "container - cycles - odd"},
      {"aten_add_tensor:OpId_", -1, {0}, "container - cycles - odd"},
      {"aten_add_tensor:OpId_6x (cycles)", -1, {0}, "container - cycles - odd"},
      {"aten_add_tensor:OpId_1 (furlongs)", -1, {0}, "container - cycles - odd"},
      {"a:OpId_1:OpId_2", -1, {0}, "operator - cycles a:OpId_1 estimated in 2"},
      {" (us)", -1, {0}, "container - ns - us odd"},
      {"#7", -1, {0}, "counter - cycles - odd"}}},
    {"QnnBackend", /* OpIds have 32 bits, and no sign */
     {{"aten_add_tensor:OpId_4294967295 (cycles)",
       -1,
       {0},
       "operator - cycles aten_add_tensor estimated in 2"},
      {"aten_add_tensor:OpId_4294967296 (cycles)", -1, {0}, "container - cycles - odd"},
      {"aten_add_tensor:OpId_99999999999999999999", -1, {0}, "container - cycles - odd"},
      {"aten_add_tensor:OpId_-1 (cycles)", -1, {0}, "container - cycles - odd"},
      {"Input OpId_NaN (cycles)", -1, {0}, "container - cycles - odd"},
      {"OpId_1", -1, {0}, "container - cycles - odd"}}},
    {"VulkanBackend",
     {{"ETVK_EXECUTE", -1, {0}, "container - ns -"},
      {"ETVK_COMPUTE_GRAPH_EXECUTE", -1, {0}, "container - ns - shell 1 wait"},
      {"ETVK_COPY_INPUTS", -1, {0}, "phase copy_in ns - sums"},
      {"{\"operator\": {\"name\": \"aten.add.Tensor\", \"delegate_node_id\": 13, \"args\": [1, "
       "[2]]}, \"kernel_name\": "
       "\"add\", \"operator_id\": 3, \"dispatch_id\": 4}",
       3,
       {0},
       "operator - ns aten.add.Tensor@13 sums in 1 on GPU"},
      {"{\"kernel_name\": \"nchw_to_image_texture3d_float_float\", \"operator_id\": 0, "
       "\"dispatch_id\": 0}",
       -1,
       {0},
       "phase copy_in ns - sums in 1 on GPU"},
      {"{\"operator\": {\"name\": \"aten.add.Tensor\", \"delegate_node_id\": 1}, \"kernel_name\": "
       "\"image_to_nchw_texture3d\"}",
       -1,
       {0},
       "phase copy_out ns - sums in 1 on GPU"},
      {"{Blit_Float_to_Half, \"dispatch_id\": 3}", -1, {0}, "operator - ns - sums in 1 on GPU"},
      {"ETVK_NEW", -1, {0}, "container - ns - odd"}}},
    {"VulkanBackend",
     {{"{", -1, {0}, "operator - ns - sums in 1 odd"},
      {"{}", -1, {0}, "operator - ns - sums in 1 odd"},
      {"{\"kernel_name\": 7}", -1, {0}, "operator - ns - sums in 1 odd"},
      {"{\"operator\": 1, \"kernel_name\": \"add\"}", -1, {0}, "operator - ns - sums in 1 odd"},
      {"{\"operator\": {\"name\": \"a.b\", \"delegate_node_id\": \"1\"}, \"kernel_name\": \"add\"}",
       -1,
       {0},
       "operator - ns - sums in 1 odd"},
      {"{\"operator\": {\"name\": \"a.b\", \"delegate_node_id\": -1}, \"kernel_name\": \"add\"}",
       -1,
       {0},
       "operator - ns - sums in 1 odd on GPU"},
      {"{\"kernel_name\": \"add\"} {}", -1, {0}, "operator - ns - sums in 1 odd"}}},
    {"VulkanBackend", /* numbers of 32 bits, and each key once */
     {{"{\"operator\": {\"name\": \"a.b\", \"delegate_node_id\": 4294967295}, \"kernel_name\": "
       "\"add\"}",
       -1,
       {0},
       "operator - ns a.b@4294967295 sums in 1 on GPU"},
      {"{\"operator\": {\"name\": \"a.b\", \"delegate_node_id\": 4294967296}, \"kernel_name\": "
       "\"add\"}",
       -1,
       {0},
       "operator - ns - sums in 1 odd on GPU"},
      {"{\"operator\": {\"name\": \"a.b\", \"delegate_node_id\": 1e99}, \"kernel_name\": \"add\"}",
       -1,
       {0},
       "operator - ns - sums in 1 odd"},
      {"{\"operator\": {\"name\": \"a.b\", \"delegate_node_id\": NaN}, \"kernel_name\": \"add\"}",
       -1,
       {0},
       "operator - ns - sums in 1 odd"},
      {"{\"operator\": {\"name\": \"a.b\", \"delegate_node_id\": 1, \"delegate_node_id\": 2}, "
       "\"kernel_name\": "
       "\"add\"}",
       -1,
       {0},
       "operator - ns - sums in 1 odd"},
      {"{\"kernel_name\": \"add\", \"kernel_name\": \"mul\"}",
       -1,
       {0},
       "operator - ns - sums in 1 odd"},
      {"{\"operator\": {\"name\": \"a.b\", \"delegate_node_id\": 1}, \"kernel_name\": \"ad",
       -1,
       {0},
       "operator - ns - sums in 1 odd"}}},
};

static const char *or_none(const char *text) {
  return text ? text : "-";
}

static void describe(const etr_event_meaning *m, char *out, size_t size) {
  FILE *file = fmemopen(out, size, "w");
  fprintf(file, "%s %s %s ", or_none(etr_event_role_name(m->role)),
          or_none(etr_phase_name(m->phase)), etr_event_unit_name(m->unit));
  switch (m->key) {
  case ETR_KEY_NONE:
    fprintf(file, "-");
    break;
  case ETR_KEY_MAP:
    fprintf(file, "map");
    break;
  case ETR_KEY_NODE:
    fprintf(file, "%.*s", (int)m->node.size, m->node.data);
    break;
  case ETR_KEY_OPERATOR:
    fprintf(file, "%s@%lld", m->operator_, (long long)m->operator_number);
    break;
  }
  if (m->wrapper)
    fprintf(file, " shell %d %s", m->wrapper, or_none(etr_phase_name(m->wrapper_phase)));
  fprintf(file, "%s%s", m->is_in_sums ? " sums" : "", m->is_estimated ? " estimated" : "");
  if (m->inside)
    fprintf(file, " in %d", m->inside);
  fprintf(file, "%s%s", m->step_ns == 1000 ? " us" : "", m->is_unexpected ? " odd" : "");
  if (m->compute_unit)
    fprintf(file, " on%s %s", m->is_unit_planned ? " planned" : "",
            etr_compute_unit_name(m->compute_unit));
  fclose(file);
}

Test(decoders, events_have_the_meaning_of_their_backend) {
  for (size_t c = 0; c < ETR_COUNT(calls); c++) {
    etr_arena arena = {0};
    etr_event_facts facts[MOST];
    etr_event_meaning meanings[MOST];
    size_t count = 0;
    for (; count < MOST && calls[c].events[count].name; count++) {
      const event *e = &calls[c].events[count];
      bool is_number = e->name[0] == '#';
      facts[count] = (etr_event_facts){.name = e->name + is_number,
                                       .is_number = is_number,
                                       .is_listed = e->handles >= 0,
                                       .handle_count = e->handles > 0 ? (size_t)e->handles : 0,
                                       .metadata = &e->metadata,
                                       .metadata_count = e->metadata.size > 0};
      meanings[count] = (etr_event_meaning){.role = ETR_ROLE_OPERATOR, .is_in_sums = true};
    }
    cr_assert(etr_decoder_of(calls[c].backend)->read(meanings, facts, count, &arena));
    for (size_t i = 0; i < count; i++) {
      char got[256] = "";
      describe(&meanings[i], got, sizeof got);
      cr_expect_str_eq(got, calls[c].events[i].want, "%s '%s': got '%s', want '%s'",
                       calls[c].backend, calls[c].events[i].name, got, calls[c].events[i].want);
    }
    etr_arena_clear(&arena);
  }
}

/* A unit on which runs disagree is unknown, because another load may have had another plan. */
Test(decoders, a_compute_unit_that_differs_between_runs_is_unknown) {
  static const etr_bytes ne = TEXT("{\"preferredComputeUnit\":\"NE\",\"estimatedCost\":0.5}"),
                         ne_too = TEXT("{\"estimatedCost\":0.5,\"preferredComputeUnit\":\"NE\"}"),
                         cpu = TEXT("{\"preferredComputeUnit\":\"CPU\"}");
  const struct {
    etr_bytes metadata[3];
    etr_compute_unit want;
  } cases[] = {{{ne, ne, ne_too}, ETR_COMPUTE_UNIT_NPU},
               {{ne, ne, cpu}, ETR_COMPUTE_UNIT_NONE},
               {{ne, {0}, ne}, ETR_COMPUTE_UNIT_NONE},
               {{{0}, ne, ne}, ETR_COMPUTE_UNIT_NONE}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const etr_event_facts facts = {
        .name = "x:conv", .metadata = cases[i].metadata, .metadata_count = 3};
    etr_event_meaning meaning = {.role = ETR_ROLE_OPERATOR, .is_in_sums = true};
    cr_assert(etr_decoder_of("CoreMLBackend")->read(&meaning, &facts, 1, &arena));
    cr_expect_eq(meaning.compute_unit, cases[i].want, "case %zu", i);
    cr_expect_eq(meaning.is_unit_planned, cases[i].want != ETR_COMPUTE_UNIT_NONE, "case %zu", i);
    etr_arena_clear(&arena);
  }
}

/* Metadata as VGFNeuralStatistics.cpp writes them. */
#define STATISTICS(version, available, reason, segments)                                           \
  TEXT("{\"schema\":\"executorch.vgf.neural_statistics\",\"schema_version\":" version              \
       ",\"api_available\":true,"                                                                  \
       "\"data_available\":" available ",\"available\":" available ",\"reason\":\"" reason         \
       "\",\"segments\":[" segments "]}")
#define BLOB(name, available, data)                                                                \
  "\"" name "\":{\"available\":" available                                                         \
  ",\"is_text\":false,\"vulkan_result\":0,\"size\":2,\"encoding\":\"base64\","                     \
  "\"reason\":\"\",\"data\":\"" data "\"}"
#define SEGMENT(database, info, memory) "{\"segment_id\":0," database "," info "," memory "}"
#define NO_BLOB(name) BLOB(name, "false", "")
#define EMPTY                                                                                      \
  SEGMENT(NO_BLOB("debug_database"), NO_BLOB("statistics_info"), NO_BLOB("statistics_memory"))
#define FILLED                                                                                     \
  SEGMENT(BLOB("debug_database", "true", "AQID"), BLOB("statistics_info", "true", "aW5mbw=="),     \
          BLOB("statistics_memory", "true", "3q0="))

Test(decoders, neural_statistics_have_a_note) {
  static const etr_bytes none = STATISTICS("1", "false", "no driver", EMPTY),
                         some = STATISTICS("1", "true", "", FILLED "," EMPTY);
  const struct {
    etr_bytes metadata[2];
    const char *want; /* NULL: no note */
  } cases[] = {
      {{none, none}, "no neural statistics: no driver"},
      {{some, some},
       "neural statistics of 1 of 2 segments: 3 bytes of debug database, 4 bytes of description, 2 "
       "bytes of counters"},
      {{none, some},
       "neural statistics of 1 of 2 segments: 3 bytes of debug database, 4 bytes of description, 2 "
       "bytes of counters "
       "(in 1 of 2 runs)"},
      {{some, {0}},
       "neural statistics of 1 of 2 segments: 3 bytes of debug database, 4 bytes of description, 2 "
       "bytes of counters"},
      {{STATISTICS("2", "true", "", FILLED)},
       "neural statistics of version 2 are not known, only version 1"},
      {{STATISTICS("1", "true", "",
                   SEGMENT(NO_BLOB("debug_database"), NO_BLOB("statistics_info"),
                           BLOB("statistics_memory", "true", "3q0")))},
       "neural statistics of 1 of 1 segment; some data is damaged: it is no base64"},
      {{TEXT("{\"schema\":\"executorch.vgf.neural_statistics\"}")},
       "neural statistics without a version cannot be read"},
      {{TEXT("{\"schema\":\"another\",\"schema_version\":1}")},
       "neural statistics cannot be read: the metadata are not what VGF writes"},
      {{TEXT("\x01")}, "neural statistics cannot be read: the metadata are not what VGF writes"},
      {{TEXT("{\"schema\":\"executorch.vgf.neural_statistics\",\"schema_version\":1,\"segments\":["
             "{")},
       "neural statistics cannot be read: the metadata are not what VGF writes"},
      {{{0}, {0}}, NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const etr_event_facts facts = {
        .name = "VGF_NEURAL_STATISTICS", .metadata = cases[i].metadata, .metadata_count = 2};
    etr_event_meaning meaning = {.role = ETR_ROLE_OPERATOR, .is_in_sums = true};
    cr_assert(etr_decoder_of("VgfBackend")->read(&meaning, &facts, 1, &arena));
    if (cases[i].want)
      cr_expect_str_eq(or_none(meaning.note), cases[i].want, "case %zu: %s", i,
                       or_none(meaning.note));
    else
      cr_expect_null(meaning.note, "case %zu", i);
    etr_arena_clear(&arena);
  }
}

Test(decoders, decoders_are_found_by_backend_id) {
  cr_expect_null(etr_decoder_of(NULL));
  cr_expect_null(etr_decoder_of("SomeBackend"));
  cr_expect_str_eq(etr_decoder_of("QnnBackend")->id, "QnnBackend");
}

/* Event names that only one backend writes identify it if the files do not. */
Test(decoders, unique_event_names_identify_the_backend) {
  static const char *const rows[][2] = {
      {"VGF_EXECUTE", "VgfBackend"},
      {"ETVK_COMPUTE_GRAPH_EXECUTE", "VulkanBackend"},
      {"EthosUBackend::execute()", "EthosUBackend"},
      {"+EthosUBackend::execute()NPU", "EthosUBackend"},
      {"aten_add_tensor:OpId_61 (cycles)", "QnnBackend"},
      {"aten_add_tensor:OpId_61", "QnnBackend"},
      {"Input OpId_2 (cycles)", "QnnBackend"},
      {"Accelerator (execute) time (cycles)", "QnnBackend"},
      {"RPC (execute) time (us)", "QnnBackend"},
      {"RPC (execute) time", NULL},
      {"Number of HVX threads used (count)", NULL},
      {"x:ios17.cast", NULL},
      {"0", NULL},
      {"Add (ND) #1", NULL},
      {"VGF_", NULL},
      {"ETVK", NULL},
      {"", NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    const etr_decoder *decoder = etr_decoder_of_event(rows[i][0]);
    const char *id = decoder ? decoder->id : "none", *want = rows[i][1] ? rows[i][1] : "none";
    cr_expect_str_eq(id, want, "%s: %s", rows[i][0], id);
  }
}

/* A delegate's graph and the record may name the same operator differently. */
Test(decoders, equal_operators_of_graph_and_record_have_one_kind) {
  static const char *const same[][2] = {
      {"et_vk.conv_with_clamp.default", "aten.convolution.default"},
      {"aten.linear.default", "aten.addmm.default"},
      {"et_vk.linear_q4gsw.default", "aten.mm.default"},
      {"aten.add.Tensor", "aten.add.Tensor"}};
  const etr_decoder *decoder = etr_decoder_of("VulkanBackend");
  for (size_t i = 0; i < ETR_COUNT(same); i++)
    cr_expect(etr_slice_equal(decoder->kind_of(same[i][0]), decoder->kind_of(same[i][1])), "%s",
              same[i][0]);
  cr_expect(
      !etr_slice_equal(decoder->kind_of("aten.add.Tensor"), decoder->kind_of("aten.mul.Tensor")));
}
