/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_tb_hparams.c - the types and values of facts that a user gives, and the facts of a record.
 */
#include "open_fixture.h"
#include "tensorboard/tb_summary.h"
#include "tensorboard/tb_view.h"
#include "tiny_profile.h"

#include <criterion/criterion.h>

/* Returns the session of the event that a record with these facts begins with. */
static Tensorboard__HParamsPluginData *start_session(tiny *t, const etr_tag *given, size_t count) {
  etr_tb_summary event;
  etr_tb_session_start(&event, &t->arena, 0, tiny_profile(t), given, count);
  const ProtobufCBinaryData content = event.plugin.content;
  Tensorboard__HParamsPluginData *data = tensorboard__hparams_plugin_data__unpack(NULL, content.len,
                                                                                  content.data);
  cr_assert(data && data->session_start_info);
  return data;
}

static const Tensorboard__Value *find_hparam(const Tensorboard__SessionStartInfo *session,
                                             const char *name) {
  for (size_t i = 0; i < session->n_hparams; i++)
    if (strcmp(session->hparams[i]->key, name) == 0)
      return session->hparams[i]->value;
  return NULL;
}

/* Plain decimal numbers and the words true and false have a type of their own; everything else is
 * text. Of two facts of one name the last one counts. */
Test(tb_hparams, a_given_fact_has_its_type) {
  static const etr_tag given[] = {
      {"yes", "true"},   {"no", "false"},         {"upper", "True"},     {"threads", "4"},
      {"rate", "-2.5"},  {"exponent", "1234e56"}, {"text", "4 threads"}, {"twice", "false"},
      {"twice", "true"}, {"commit", "222"},       {"device", "7"}};
  tiny t = {0};
  tiny_time(&t, tiny_node(&t, ETR_NODE_OP, "add", "aten.add.Tensor", 0), 100);
  Tensorboard__HParamsPluginData *data = start_session(&t, given, ETR_COUNT(given));
  const Tensorboard__SessionStartInfo *session = data->session_start_info;
  static const struct {
    const char *name;
    bool flag;
  } flags[] = {{"yes", true}, {"no", false}, {"twice", true}};
  for (size_t i = 0; i < ETR_COUNT(flags); i++) {
    const Tensorboard__Value *value = find_hparam(session, flags[i].name);
    cr_assert(value && value->kind_case == TENSORBOARD__VALUE__KIND_BOOL_VALUE, "%s",
              flags[i].name);
    cr_expect_eq(value->bool_value, flags[i].flag, "%s", flags[i].name);
  }
  static const struct {
    const char *name;
    double number;
  } numbers[] = {{"threads", 4}, {"rate", -2.5}};
  for (size_t i = 0; i < ETR_COUNT(numbers); i++) {
    const Tensorboard__Value *value = find_hparam(session, numbers[i].name);
    cr_assert(value && value->kind_case == TENSORBOARD__VALUE__KIND_NUMBER_VALUE, "%s",
              numbers[i].name);
    cr_expect_eq(value->number_value, numbers[i].number, "%s", numbers[i].name);
  }
  static const char *const texts[][2] = {{"upper", "True"},
                                         {"exponent", "1234e56"},
                                         {"text", "4 threads"},
                                         {"commit", "222"},
                                         {"device", "7"}};
  for (size_t i = 0; i < ETR_COUNT(texts); i++) {
    const Tensorboard__Value *value = find_hparam(session, texts[i][0]);
    cr_assert(value && value->kind_case == TENSORBOARD__VALUE__KIND_STRING_VALUE, "%s",
              texts[i][0]);
    cr_expect_str_eq(value->string_value, texts[i][1]);
  }
  tensorboard__hparams_plugin_data__free_unpacked(data, NULL);
  tiny_clear(&t);
}

/* A label of three bytes is one of an input, not the end of the list, which is for long lists. */
Test(tb_hparams, inputs_are_listed_up_to_a_length) {
  static const char *const expected[] = {
      "f32 i64", "f32 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 i64 "
                 "i64 i64 i64 i64 i64 ..."};
  static const size_t counts[] = {2, 40};
  for (size_t i = 0; i < ETR_COUNT(counts); i++) {
    tiny t = {0};
    etr_value number = {.name = "x", .dtype = "float32", .rank = -1};
    etr_value index = {.name = "i", .dtype = "int64", .rank = -1};
    for (size_t k = 0; k < counts[i]; k++) {
      uint32_t input = tiny_node(&t, ETR_NODE_INPUT, "x", "x", 0);
      t.nodes.data[input].outputs = k == 0 ? &number : &index;
      t.nodes.data[input].output_count = 1;
    }
    tiny_time(&t, tiny_node(&t, ETR_NODE_OP, "add", "aten.add.Tensor", 0), 100);
    Tensorboard__HParamsPluginData *data = start_session(&t, NULL, 0);
    const Tensorboard__Value *value = find_hparam(data->session_start_info, "inputs");
    cr_assert(value);
    cr_expect_str_eq(value->string_value, expected[i], "%s", value->string_value);
    tensorboard__hparams_plugin_data__free_unpacked(data, NULL);
    tiny_clear(&t);
  }
}

/* TensorBoard takes the columns from any one of the records: each has a text in all of them. */
Test(tb_hparams, a_record_without_a_graph_has_the_columns_of_others) {
  static const struct {
    const char *path, *backend, *quantization, *inputs;
  } cases[] = {
      {"mv2_xnnpack", "XNNPACK", "none", "f32[1,3,96,96]"},
      {"mv2_xnnpack/etdump.etdp", "UNKNOWN", "unknown", "unknown"},
      {"mv2_portable/etdump.etdp", "CPU", "unknown", "unknown"},
      {"b_ethosu/etdump.etdp", "ETHOSU, CPU", "unknown", "unknown"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_tb_summary event;
    etr_profile *profile = open_fixture(cases[i].path, NULL);
    etr_tb_session_start(&event, &arena, 0, profile, NULL, 0);
    const ProtobufCBinaryData content = event.plugin.content;
    Tensorboard__HParamsPluginData *data = tensorboard__hparams_plugin_data__unpack(
        NULL, content.len, content.data);
    cr_assert(data && data->session_start_info, "%s", cases[i].path);
    const char *const names[][2] = {{"backend", cases[i].backend},
                                    {"quantization", cases[i].quantization},
                                    {"inputs", cases[i].inputs}};
    for (size_t k = 0; k < ETR_COUNT(names); k++) {
      const Tensorboard__Value *value = find_hparam(data->session_start_info, names[k][0]);
      cr_assert(value, "%s: %s", cases[i].path, names[k][0]);
      cr_expect_str_eq(value->string_value, names[k][1], "%s: %s", cases[i].path, names[k][0]);
    }
    tensorboard__hparams_plugin_data__free_unpacked(data, NULL);
    etr_profile_close(profile);
    etr_arena_clear(&arena);
  }
}
