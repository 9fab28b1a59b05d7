/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What backends' events mean, each as "role phase unit key shell/inside flags": names as the runtimes write them, and
 * names as nothing does.
 */
#include "backends/decoder.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { MOST = 8 };

/* An event of a call: its name, as a number after '#'; listed in the delegate map with so many handles; metadata. */
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

#define CODE(byte)                                                                                                     \
  { (const char[]){byte}, 1 }

static const call calls[] = {
    {"EthosUBackend",
     {{"EthosUBackend::execute()", -1, {0}, "container - ns -"},
      {"+EthosUBackend::execute()NPU", -1, {0}, "phase compute ns - sums"},
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
      {"#1", 1, {0}, "operator - ns - sums estimated odd"}}},
    {"NeutronBackend",
     {{"#0", 0, CODE(0), "operator - ns map sums"},
      {"#1", 2, CODE(33), "operator - ns map sums"},
      {"#2", 0, CODE(0), "container - ns -"},
      {"2", 1, CODE(0), "operator - ns - sums odd"}}},
    {"NeutronBackend", /* without a converter's log there is no map */
     {{"#0", -1, CODE(0), "operator - ns - sums"}, {"#1", -1, CODE(0), "container - ns -"}}},
    {"NeutronBackend", /* the last one has work to do, or says nothing of itself */
     {{"#0", 1, CODE(0), "operator - ns map sums"}}},
    {"NeutronBackend", {{"#0", 0, {0}, "operator - ns map sums"}}},
    {"QnnBackend",
     {{"aten_add_tensor:OpId_61 (cycles)", -1, {0}, "operator - cycles aten_add_tensor in 2"},
      {"aten_add_tensor:OpId_61", -1, {0}, "operator - cycles aten_add_tensor in 2"},
      {"aten_add_tensor:OpId_61 (us)", -1, {0}, "operator - ns aten_add_tensor sums in 2 us"},
      {"Input OpId_2 (cycles)", -1, {0}, "phase copy_in cycles - in 2"},
      {"Output OpId_3 (cycles)", -1, {0}, "phase copy_out cycles - in 2"},
      {"Number of HVX threads used (count)", -1, {0}, "counter - count -"},
      {"DRAM read (bytes)", -1, {0}, "counter - bytes -"},
      {"Time for initial VTCM acquire (us)", -1, {0}, "phase wait ns - us"}}},
    {"QnnBackend",
     {{"QNN (execute) time (us)", -1, {0}, "container - ns - shell 1 wait us"},
      {"RPC (execute) time (us)", -1, {0}, "container - ns - us"},
      {"Accelerator (execute) time (us)", -1, {0}, "phase compute ns - shell 2 compute in 1 us"},
      {"Accelerator (execute) time (cycles)", -1, {0}, "container - cycles -"},
      {"Accelerator (execute excluding wait) time (us)", -1, {0}, "container - ns - us"}}},
    {"QnnBackend", /* basic level */
     {{"RPC (execute) time (us)", -1, {0}, "container - ns - shell 1 wait us"}}},
    {"QnnBackend",
     {{":OpId_61 (cycles)", -1, {0}, "container - cycles - odd"},
      {"aten_add_tensor:OpId_", -1, {0}, "container - cycles - odd"},
      {"aten_add_tensor:OpId_6x (cycles)", -1, {0}, "container - cycles - odd"},
      {"aten_add_tensor:OpId_1 (furlongs)", -1, {0}, "container - cycles - odd"},
      {"a:OpId_1:OpId_2", -1, {0}, "operator - cycles a:OpId_1 in 2"},
      {" (us)", -1, {0}, "container - ns - us odd"},
      {"#7", -1, {0}, "counter - cycles - odd"}}},
    {"VulkanBackend",
     {{"ETVK_EXECUTE", -1, {0}, "container - ns -"},
      {"ETVK_COMPUTE_GRAPH_EXECUTE", -1, {0}, "container - ns - shell 1 wait"},
      {"ETVK_COPY_INPUTS", -1, {0}, "phase copy_in ns - sums"},
      {"{\"operator\": {\"name\": \"aten.add.Tensor\", \"delegate_node_id\": 13, \"args\": [1, [2]]}, \"kernel_name\": "
       "\"add\", \"operator_id\": 3, \"dispatch_id\": 4}",
       3,
       {0},
       "operator - ns aten.add.Tensor@13 sums in 1"},
      {"{\"kernel_name\": \"nchw_to_image_texture3d_float_float\", \"operator_id\": 0, \"dispatch_id\": 0}",
       -1,
       {0},
       "phase copy_in ns - sums in 1"},
      {"{\"operator\": {\"name\": \"aten.add.Tensor\", \"delegate_node_id\": 1}, \"kernel_name\": "
       "\"image_to_nchw_texture3d\"}",
       -1,
       {0},
       "phase copy_out ns - sums in 1"},
      {"{Blit_Float_to_Half, \"dispatch_id\": 3}", -1, {0}, "operator - ns - sums in 1"},
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
       "operator - ns - sums in 1"},
      {"{\"kernel_name\": \"add\"} {}", -1, {0}, "operator - ns - sums in 1 odd"}}},
};

static const char *or_none(const char *text) { return text ? text : "-"; }

static void describe(const etr_event_meaning *m, char *out, size_t size) {
  FILE *file = fmemopen(out, size, "w");
  fprintf(file, "%s %s %s ", or_none(etr_event_role_name(m->role)), or_none(etr_phase_name(m->phase)),
          etr_event_unit_name(m->unit));
  switch (m->key) {
  case ETR_KEY_NONE: fprintf(file, "-"); break;
  case ETR_KEY_MAP: fprintf(file, "map"); break;
  case ETR_KEY_NODE: fprintf(file, "%.*s", (int)m->node.size, m->node.data); break;
  case ETR_KEY_OPERATOR: fprintf(file, "%s@%d", m->operator_, (int)m->place); break;
  }
  if (m->shell) fprintf(file, " shell %d %s", m->shell, or_none(etr_phase_name(m->shell_phase)));
  fprintf(file, "%s%s", m->is_in_sums ? " sums" : "", m->is_estimated ? " estimated" : "");
  if (m->inside) fprintf(file, " in %d", m->inside);
  fprintf(file, "%s%s", m->step_ns == 1000 ? " us" : "", m->is_odd ? " odd" : "");
  if (m->compute_unit)
    fprintf(file, " on%s %s", m->is_unit_planned ? " planned" : "", etr_compute_unit_name(m->compute_unit));
  fclose(file);
}

Test(decoders, meanings) {
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
      cr_expect_str_eq(got, calls[c].events[i].want, "%s '%s': got '%s', want '%s'", calls[c].backend,
                       calls[c].events[i].name, got, calls[c].events[i].want);
    }
    etr_arena_clear(&arena);
  }
}

Test(decoders, are_found_by_id) {
  cr_expect_null(etr_decoder_of(NULL));
  cr_expect_null(etr_decoder_of("SomeBackend"));
  cr_expect_str_eq(etr_decoder_of("QnnBackend")->id, "QnnBackend");
}

/* What a delegate's graph and the record call one operator. */
Test(decoders, kinds) {
  static const char *const same[][2] = {{"et_vk.conv_with_clamp.default", "aten.convolution.default"},
                                        {"aten.linear.default", "aten.addmm.default"},
                                        {"et_vk.linear_q4gsw.default", "aten.mm.default"},
                                        {"aten.add.Tensor", "aten.add.Tensor"}};
  const etr_decoder *decoder = etr_decoder_of("VulkanBackend");
  for (size_t i = 0; i < ETR_COUNT(same); i++)
    cr_expect(etr_slice_equal(decoder->kind_of(same[i][0]), decoder->kind_of(same[i][1])), "%s", same[i][0]);
  cr_expect(!etr_slice_equal(decoder->kind_of("aten.add.Tensor"), decoder->kind_of("aten.mul.Tensor")));
}
