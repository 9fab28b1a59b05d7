/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times for TensorBoard's graph tab, and the event file around them.
 */
#include "tensorboard/pack.h"
#include "tensorboard/tb_stats.h"
#include "tensorboard/tfrecord.h"
#include "tiny_profile.h"

#include <criterion/criterion.h>
#include <math.h>

/* ---- One statistic, decoded again ---- */

typedef struct span {
  int64_t first, last, sum;
} span;

static Tensorboard__RunMetadata *build(tiny *t, etr_tb_statistic statistic) {
  etr_scopes scopes;
  etr_tb_view view;
  etr_tb_stats stats;
  etr_packer packer = {.arena = &t->arena};
  const etr_profile *profile = tiny_profile(t);
  cr_assert_eq(etr_scopes_build(&scopes, &t->arena, &profile->graphs[0]), ETR_OK);
  cr_assert_eq(etr_tb_view_build(&view, &t->arena, profile, &profile->graphs[0], &scopes), ETR_OK);
  etr_tb_stats_build(&stats, &view);
  etr_tb_stats_pack(&packer, &stats, statistic);
  etr_slice bytes = etr_packed(&packer);
  Tensorboard__RunMetadata *metadata = tensorboard__run_metadata__unpack(
      NULL, bytes.size, (const uint8_t *)bytes.data);
  cr_assert_not_null(metadata);
  return metadata;
}

static const Tensorboard__NodeExecStats *find(const Tensorboard__RunMetadata *metadata,
                                              const char *name) {
  for (size_t d = 0; d < metadata->step_stats->n_dev_stats; d++)
    for (size_t i = 0; i < metadata->step_stats->dev_stats[d]->n_node_stats; i++)
      if (strcmp(metadata->step_stats->dev_stats[d]->node_stats[i]->node_name, name) == 0)
        return metadata->step_stats->dev_stats[d]->node_stats[i];
  return NULL;
}

static span span_of(const Tensorboard__RunMetadata *metadata, const char *prefix) {
  span found = {.first = INT64_MAX};
  for (size_t d = 0; d < metadata->step_stats->n_dev_stats; d++)
    for (size_t i = 0; i < metadata->step_stats->dev_stats[d]->n_node_stats; i++) {
      const Tensorboard__NodeExecStats *node = metadata->step_stats->dev_stats[d]->node_stats[i];
      if (strncmp(node->node_name, prefix, strlen(prefix)) != 0)
        continue;
      found.first = ETR_MIN(found.first, node->all_start_micros);
      found.last = ETR_MAX(found.last, node->all_start_micros + node->all_end_rel_micros);
      found.sum += node->all_end_rel_micros;
    }
  return found;
}

/* a: { fc: { linear }, norm: { mean, div }, add }, b: { mul, mul }, loose nodes, nodes that never
 * ran; execution alternates between them. */
static void build_model(tiny *t) {
  uint32_t a = tiny_module(t, 0, "a", ""), fc = tiny_module(t, a, "a.fc", ""),
           norm = tiny_module(t, a, "a.norm", ""), b = tiny_module(t, 0, "b", "");
  const struct {
    const char *target;
    uint32_t module;
    uint64_t ticks;
  } nodes[] = {{"aten.add.Tensor", a, 12400},      {"aten.mul.Tensor", b, 100},
               {"aten.mean.dim", norm, 3500},      {"aten.loose.out", 0, 7000},
               {"aten.linear.default", fc, 20600}, {"aten.div.Tensor", norm, 800},
               {"aten.mul.Tensor", b, 0}};
  for (size_t i = 0; i < ETR_COUNT(nodes); i++) {
    uint32_t node = tiny_node(t, ETR_NODE_OP, "node", nodes[i].target, nodes[i].module);
    etr_node_time *time = tiny_time(t, node, nodes[i].ticks);
    time->per_run.p50 = 2 * time->avg;
    time->per_run.p90 = 3 * time->avg;
    time->per_run.max = 4 * time->avg;
    if (i % 2)
      time->backend = "XnnpackBackend";
  }
  tiny_node(t, ETR_NODE_OP, "never", "aten.never.out", 0);
}

/* Checks that the exact sum of a box's nodes is its span within 2 us. */
Test(tb_stats, spans_are_sums) {
  static const struct {
    const char *box;
    double micros;
  } boxes[] = {{"", 44.4}, {"a/", 37.3}, {"a/norm/", 4.3}, {"a/fc", 20.6}, {"b/", 0.1}};
  static const double factors[] = {
      [ETR_TB_TYPICAL] = 1, [ETR_TB_AVG] = 1, [ETR_TB_P50] = 2, [ETR_TB_P90] = 3, [ETR_TB_MAX] = 4};
  for (int s = ETR_TB_TYPICAL; s < ETR_TB_TIMELINE; s++) {
    tiny t = {0};
    build_model(&t);
    Tensorboard__RunMetadata *metadata = build(&t, (etr_tb_statistic)s);
    for (size_t i = 0; i < ETR_COUNT(boxes); i++) {
      span found = span_of(metadata, boxes[i].box);
      double wanted = boxes[i].micros * factors[s];
      cr_expect_geq(found.first, 1);
      cr_expect_leq(fabs((double)(found.last - found.first) - wanted), 2, "'%s' of %s: %g",
                    boxes[i].box, etr_tb_statistic_tag((etr_tb_statistic)s), wanted);
    }
    tensorboard__run_metadata__free_unpacked(metadata, NULL);
    tiny_clear(&t);
  }
}

/* Boxes of a thousand operators that take almost nothing are as short as their sum. */
Test(tb_stats, many_short_nodes_are_not_a_microsecond_each) {
  tiny t = {0};
  uint32_t module = tiny_module(&t, 0, "m", "");
  for (int i = 0; i < 1000; i++)
    tiny_time(&t, tiny_node(&t, ETR_NODE_OP, "op", "aten.op.out", module), 30);
  Tensorboard__RunMetadata *metadata = build(&t, ETR_TB_AVG);
  span all = span_of(metadata, "");
  cr_expect_leq(labs((long)(all.last - all.first) - 30), 2, "%ld us", (long)(all.last - all.first));
  tensorboard__run_metadata__free_unpacked(metadata, NULL);
  tiny_clear(&t);
}

Test(tb_stats, every_statistic_has_its_lengths) {
  static const struct {
    etr_tb_statistic statistic;
    const char *name;
    int64_t micros;
  } cases[] = {{ETR_TB_AVG, "a/add-node", 12},      {ETR_TB_AVG, "a/fc-node", 21},
               {ETR_TB_AVG, "a/norm/mean-node", 4}, {ETR_TB_AVG, "b/mul-node", 1},
               {ETR_TB_AVG, "b/mul-node_1_", 1},    {ETR_TB_P50, "a/add-node", 25},
               {ETR_TB_P90, "a/add-node", 37},      {ETR_TB_MAX, "a/add-node", 50},
               {ETR_TB_TIMELINE, "a/add-node", 12}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny t = {0};
    build_model(&t);
    Tensorboard__RunMetadata *metadata = build(&t, cases[i].statistic);
    const Tensorboard__NodeExecStats *node = find(metadata, cases[i].name);
    cr_assert_not_null(node, "%s", cases[i].name);
    cr_expect_leq(labs((long)(node->all_end_rel_micros - cases[i].micros)), 1, "%s: %ld",
                  cases[i].name, (long)node->all_end_rel_micros);
    cr_expect_null(find(metadata, "never"));
    tensorboard__run_metadata__free_unpacked(metadata, NULL);
    tiny_clear(&t);
  }
}

Test(tb_stats, the_timeline_has_a_row_per_device) {
  tiny t = {0};
  build_model(&t);
  Tensorboard__RunMetadata *metadata = build(&t, ETR_TB_TIMELINE);
  cr_assert_eq(metadata->step_stats->n_dev_stats, 2);
  cr_expect_str_eq(metadata->step_stats->dev_stats[0]->device, "/device:CPU:0");
  cr_expect_str_eq(metadata->step_stats->dev_stats[1]->device, "/device:XNNPACK:0");
  cr_expect_eq(metadata->step_stats->dev_stats[0]->n_node_stats, 4);
  cr_expect_eq(metadata->step_stats->dev_stats[1]->n_node_stats, 3);
  cr_expect_eq(find(metadata, "a/add-node")->all_start_micros, 1, "0 would not be written");
  cr_expect_eq(find(metadata, "a/norm/div-node")->all_start_micros, 5);
  tensorboard__run_metadata__free_unpacked(metadata, NULL);
  tiny_clear(&t);
}

/* Every output has a shape without zeros; memory is the bytes of outputs of known size. */
Test(tb_stats, outputs_have_shapes_and_bytes) {
  static const etr_dim plain[] = {{.size = 2, .hint = -1}, {.size = 3, .hint = -1}},
                       empty[] = {{.size = 0, .hint = -1}};
  static const etr_dim symbolic[] = {{.size = ETR_DIM_SYMBOLIC, .symbol = "s0", .hint = 4}},
                       huge[] = {{.size = INT64_MAX, .hint = -1}, {.size = INT64_MAX, .hint = -1}};
  static const etr_value values[] = {
      {.name = "a", .dtype = "float32", .dims = plain, .rank = 2},
      {.name = "b", .dtype = "float32", .dims = empty, .rank = 1},
      {.name = "c", .dtype = "int64", .dims = symbolic, .rank = 1},
      {.name = "d", .dtype = "int", .rank = -1},
      {.name = "e", .dtype = "int64", .rank = 0},
      {.name = "f", .dtype = "int64", .dims = huge, .rank = 2},
      {.name = "g", .dtype = "float8_e4m3fn", .dims = plain, .rank = 2}};
  static const size_t dims[] = {2, 0, 0, 0, 0, 0, 2};
  tiny t = {0};
  uint32_t node = tiny_node(&t, ETR_NODE_OP, "op", "aten.op.out", 0);
  t.nodes.data[node].outputs = values;
  t.nodes.data[node].output_count = ETR_COUNT(values);
  tiny_time(&t, node, 1);
  Tensorboard__RunMetadata *metadata = build(&t, ETR_TB_TYPICAL);
  const Tensorboard__NodeExecStats *stats = find(metadata, "op");
  cr_assert_eq(stats->n_output, ETR_COUNT(values));
  for (size_t i = 0; i < stats->n_output; i++) {
    cr_expect_eq(stats->output[i]->slot, i);
    cr_assert_not_null(stats->output[i]->tensor_description->shape);
    cr_expect_eq(stats->output[i]->tensor_description->shape->n_dim, dims[i], "output %zu", i);
  }
  cr_assert_eq(stats->n_memory, 1);
  cr_expect_eq(stats->memory[0]->total_bytes, 24 + 8 + 6);
  tensorboard__run_metadata__free_unpacked(metadata, NULL);
  tiny_clear(&t);
}

Test(tb_stats, hostile_times_do_not_overflow) {
  tiny t = {0};
  for (int i = 0; i < 50; i++)
    tiny_time(&t, tiny_node(&t, ETR_NODE_OP, "op", "aten.op.out", 0), UINT64_MAX / 2)
        ->typical = i % 2 ? INFINITY : NAN;
  Tensorboard__RunMetadata *metadata = build(&t, ETR_TB_AVG);
  span all = span_of(metadata, "");
  cr_expect(all.first == 1 && all.sum > 0 && all.last > all.first);
  tensorboard__run_metadata__free_unpacked(metadata, NULL);
  tiny_clear(&t);
}

/* ---- The event file ---- */

typedef struct file {
  uint8_t bytes[65536];
  size_t size, limit;
} file;

static bool append(void *context, const void *data, size_t size) {
  file *f = context;
  if (size > f->limit - f->size)
    return false;
  memcpy(f->bytes + f->size, data, size);
  f->size += size;
  return true;
}

static uint32_t number_at(const uint8_t *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Returns the next record as an event; NULL at the end. */
static Tensorboard__Event *next_event(const file *f, size_t *at) {
  if (*at == f->size)
    return NULL;
  size_t size = number_at(f->bytes + *at);
  cr_assert_leq(*at + 16 + size, f->size);
  cr_expect_eq(number_at(f->bytes + *at + 12 + size),
               etr_crc32c_masked(etr_crc32c(0, f->bytes + *at + 12, size)));
  Tensorboard__Event *event = tensorboard__event__unpack(NULL, size, f->bytes + *at + 12);
  cr_assert_not_null(event);
  *at += 16 + size;
  return event;
}

static const char *describe_value(etr_arena *arena, const Tensorboard__Summary__Value *value,
                                  int64_t step) {
  const char *plugin = value->metadata ? value->metadata->plugin_data->plugin_name : "";
  if (value->value_case == TENSORBOARD__SUMMARY__VALUE__VALUE_SIMPLE_VALUE)
    return etr_arena_format(arena, "%s %d %s %d", value->tag, (int)step, plugin,
                            (int)(1000 * value->simple_value));
  if (strcmp(plugin, "text") == 0)
    return etr_arena_format(arena, "%s %s %.9s", value->tag, plugin,
                            (const char *)value->tensor->string_val[0].data);
  return value->tag;
}

/* Describes an event in one word. */
static const char *describe_event(etr_arena *arena, const Tensorboard__Event *event) {
  switch (event->what_case) {
  case TENSORBOARD__EVENT__WHAT_FILE_VERSION:
    return event->file_version;
  case TENSORBOARD__EVENT__WHAT_SESSION_LOG:
    return event->session_log->status == TENSORBOARD__SESSION_LOG__SESSION_STATUS__START ? "start"
                                                                                         : "log";
  case TENSORBOARD__EVENT__WHAT_GRAPH_DEF:
    return event->graph_def.len > 100 ? "graph" : "small graph";
  case TENSORBOARD__EVENT__WHAT_TAGGED_RUN_METADATA:
    return etr_arena_format(arena, "%s", event->tagged_run_metadata->tag);
  case TENSORBOARD__EVENT__WHAT_SUMMARY:
    return describe_value(arena, event->summary->value[0], event->step);
  default:
    return "nothing";
  }
}

static void expect_events(tiny *t, const char *const *expected) {
  static const etr_time_slice slices[] = {
      {.ticks = 2000000, .run = 0, .node = ETR_NONE, .part = ETR_TIME_RUNTIME},
      {.ticks = 3000000, .run = 1, .node = ETR_NONE, .part = ETR_TIME_RUNTIME}};
  file f = {.limit = sizeof f.bytes};
  const etr_profile *profile = tiny_profile(t);
  t->method.time_slices = slices;
  t->method.runtime_slice_count = ETR_COUNT(slices);
  cr_assert_eq(etr_emit_events(profile, 0, &(etr_events_options){.wall_time = 1.5},
                               &(etr_sink){append, &f}, NULL),
               ETR_OK);
  size_t at = 0, count = 0;
  for (Tensorboard__Event *event; (event = next_event(&f, &at)) != NULL; count++) {
    cr_assert_not_null(expected[count], "one too many: %s", describe_event(&t->arena, event));
    cr_expect_str_eq(describe_event(&t->arena, event), expected[count]);
    cr_expect_eq(event->wall_time, 1.5);
    tensorboard__event__free_unpacked(event, NULL);
  }
  cr_expect_null(expected[count]);
}

Test(tb_event, a_timed_graph_has_its_events) {
  tiny t = {0};
  build_model(&t);
  expect_events(&t, (const char *const[]){"brain.Event:2",
                                          "start",
                                          "start",
                                          "graph",
                                          "profile/typical",
                                          "profile/avg",
                                          "profile/p50",
                                          "profile/p90",
                                          "profile/max",
                                          "profile/timeline",
                                          "1_inference_ms/measured 0 scalars 2000",
                                          "1_inference_ms/measured 1  3000",
                                          "2_parts_ms/runtime 0 scalars 2000",
                                          "2_parts_ms/runtime 1  3000",
                                          "custom_scalars__config__",
                                          "1_summary text ## 0.etdp",
                                          "~metrics/typical_ms 0 scalars 0",
                                          "~metrics/p90_ms 0 scalars 0",
                                          "~metrics/uninterrupted_ms 0 scalars 0",
                                          "_hparams_/experiment",
                                          "_hparams_/session_start_info",
                                          "_hparams_/session_end_info",
                                          "etrecord_head",
                                          "etrecord",
                                          NULL});
  tiny_clear(&t);
}

/* Returns the page of the text tab. */
static const char *text_of(tiny *t) {
  file f = {.limit = sizeof f.bytes};
  size_t at = 0;
  const char *text = "";
  cr_assert_eq(
      etr_emit_events(&t->profile, 0, &(etr_events_options){0}, &(etr_sink){append, &f}, NULL),
      ETR_OK);
  for (Tensorboard__Event *event; (event = next_event(&f, &at)) != NULL;) {
    Tensorboard__Summary__Value *value = event->what_case == TENSORBOARD__EVENT__WHAT_SUMMARY
                                             ? event->summary->value[0]
                                             : NULL;
    if (value && strcmp(value->tag, "1_summary") == 0)
      text = etr_arena_format(&t->arena, "%.*s", (int)value->tensor->string_val[0].len,
                              (const char *)value->tensor->string_val[0].data);
    tensorboard__event__free_unpacked(event, NULL);
  }
  return text;
}

/* The page's numbers are without interruptions, those of GRAPHS are not; and a command has the same
 * numbers only with the same --map. */
Test(tb_event, the_text_says_where_numbers_differ) {
  for (int differs = 0; differs <= 1; differs++) {
    tiny t = {0};
    build_model(&t);
    tiny_profile(&t);
    etr_block block = t.profile.blocks[0];
    block.method_rule = differs ? "--map says so" : "instructions";
    t.profile.blocks = &block;
    t.method.interrupted = differs ? .26 : 0;
    const char *text = text_of(&t);
    cr_expect_neq(*text, '\0');
    cr_expect_eq(strstr(text, "*Compute time*, with interruptions, 26 % of the typical run.") !=
                     NULL,
                 differs);
    cr_expect_eq(strstr(text, "with the same `--map`") != NULL, differs);
    tiny_clear(&t);
  }
}

Test(tb_event, a_graph_without_times_has_no_profiles) {
  tiny t = {0};
  tiny_node(&t, ETR_NODE_OP, "add", "aten.add.Tensor", 0);
  tiny_node(&t, ETR_NODE_OUTPUT, "output", "output", 0);
  expect_events(&t, (const char *const[]){"brain.Event:2", "start", "start", "graph",
                                          "etrecord_head", "etrecord", NULL});
  tiny_clear(&t);
}

/* Writing twice gives the same bytes, and a sink that is full at any point is an error. */
Test(tb_event, output_is_repeatable_and_a_full_sink_is_an_error) {
  tiny t = {0};
  build_model(&t);
  file first = {.limit = sizeof first.bytes}, second = {.limit = sizeof second.bytes};
  const etr_profile *profile = tiny_profile(&t);
  cr_assert_eq(etr_emit_events(profile, 0, NULL, &(etr_sink){append, &first}, NULL), ETR_OK);
  cr_assert_eq(etr_emit_events(profile, 0, NULL, &(etr_sink){append, &second}, NULL), ETR_OK);
  cr_expect(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0);
  for (size_t limit = 0; limit < first.size; limit += 97) {
    file full = {.limit = limit};
    etr_error error = {0};
    cr_expect_eq(etr_emit_events(profile, 0, NULL, &(etr_sink){append, &full}, &error),
                 ETR_ERROR_IO, "%zu bytes", limit);
    cr_expect_neq(error.message[0], '\0');
  }
  tiny_clear(&t);
}
