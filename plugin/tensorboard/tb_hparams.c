/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_hparams.c - sessions as TensorFlow's events.
 */
#include "tb_hparams.h"

#include "delegation.h"
#include "json_text.h"

#include <math.h>
#include <stdlib.h>

typedef Tensorboard__SessionStartInfo__HparamsEntry hparam_entry;

/* The facts so far. */
typedef struct facts {
  etr_arena *arena;
  etr_vec(hparam_entry *) list;
} facts;

/* ---- Values ---- */

/* A fact's value, to be filled; NULL if there is one of this name already. */
static Tensorboard__Value *add_fact(facts *f, const char *name) {
  for (size_t i = 0; i < f->list.count; i++)
    if (strcmp(f->list.data[i]->key, name) == 0) return NULL;
  hparam_entry *entry = etr_arena_alloc(f->arena, sizeof *entry);
  Tensorboard__Value *value = etr_arena_alloc(f->arena, sizeof *value);
  hparam_entry **slot = entry && value ? etr_vec_push(f->arena, &f->list) : NULL;
  if (!slot) return NULL;
  tensorboard__session_start_info__hparams_entry__init(entry);
  tensorboard__value__init(value);
  entry->key = (char *)(uintptr_t)name;
  entry->value = value;
  *slot = entry;
  return value;
}

static void add_number(facts *f, const char *name, double number) {
  Tensorboard__Value *value = add_fact(f, name);
  if (!value) return;
  value->kind_case = TENSORBOARD__VALUE__KIND_NUMBER_VALUE;
  value->number_value = number;
}

static void add_flag(facts *f, const char *name, bool flag) {
  Tensorboard__Value *value = add_fact(f, name);
  if (!value) return;
  value->kind_case = TENSORBOARD__VALUE__KIND_BOOL_VALUE;
  value->bool_value = flag;
}

static void add_text(facts *f, const char *name, const char *text) {
  Tensorboard__Value *value = add_fact(f, name);
  if (!value) return;
  value->kind_case = TENSORBOARD__VALUE__KIND_STRING_VALUE;
  value->string_value = (char *)(uintptr_t)text;
}

/* ---- What is given ---- */

static void add_given(facts *f, const etr_hparam *given) {
  const char *name = etr_arena_text(f->arena, etr_slice_of(given->name)), *text = etr_arena_text(f->arena, etr_slice_of(given->value));
  if (!name || !text) return;
  etr_slice value = etr_slice_of(text);
  double number = value.size <= ETR_JSON_MAX_NUMBER && etr_json_is_number(value) ? etr_json_to_double(value) : (double)NAN;
  if (isfinite(number))
    add_number(f, name, number);
  else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
    add_flag(f, name, text[0] == 't');
  else
    add_text(f, name, text);
}

/* ---- What the profile tells ---- */

/* "XnnpackBackend, cpu": each backend once, in the order of the calls. */
static const char *backends_of(facts *f, const etr_method *method, bool runs_kernels) {
  const char *text = "";
  etr_map known;
  etr_map_init(&known, f->arena);
  for (size_t i = 0; i < method->delegate_count && text; i++) {
    const char *backend = method->delegates[i].backend;
    if (!backend[0] || etr_map_get(&known, etr_slice_of(backend)) != ETR_NONE) continue;
    etr_map_set(&known, etr_slice_of(backend), 1);
    text = etr_arena_format(f->arena, "%s%s%s", text, text[0] ? ", " : "", backend);
  }
  return runs_kernels && text ? etr_arena_format(f->arena, "%s%scpu", text, text[0] ? ", " : "") : text;
}

/* Quantized operators say so; where no operator's types are told, nothing can be. */
static bool is_quantized(const etr_graph *graph, bool *is_known) {
  static const char library[] = "quantized_decomposed.";
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_OP) continue;
    *is_known |= node->output_count > 0 && node->outputs[0].dtype != NULL;
    if (strncmp(node->target, library, sizeof library - 1) == 0) return *is_known = true;
  }
  return false;
}

/* The floating-point type that most operators give; NULL if none does. */
static const char *float_type(const etr_graph *graph) {
  static const char *const types[] = {"float32", "float16", "bfloat16", "float64"};
  size_t counts[ETR_COUNT(types)] = {0}, most = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    for (size_t k = 0; k < ETR_COUNT(types) && graph->nodes[i].kind == ETR_NODE_OP; k++)
      counts[k] += graph->nodes[i].output_count && graph->nodes[i].outputs[0].dtype && strcmp(graph->nodes[i].outputs[0].dtype, types[k]) == 0;
  for (size_t k = 1; k < ETR_COUNT(types); k++)
    if (counts[k] > counts[most]) most = k;
  return counts[most] ? types[most] : NULL;
}

/* Few: TensorBoard shows the first five columns by itself, and those that the user gave should be among them. */
static void add_graph_facts(facts *f, const etr_profile *profile, const etr_method *method) {
  const etr_graph *graph = &profile->graphs[method->graph];
  etr_delegation delegation;
  bool is_known = false, quantized = is_quantized(graph, &is_known);
  if (!etr_delegation_make(&delegation, f->arena, profile, method, NULL)) return;
  size_t nodes = delegation.delegated_nodes + delegation.non_delegated_nodes;
  add_text(f, "backends", backends_of(f, method, delegation.non_delegated_nodes > 0));
  if (nodes) add_number(f, "delegated_share", (double)delegation.delegated_nodes / (double)nodes);
  if (float_type(graph)) add_text(f, "dtype", float_type(graph));
  if (is_known) add_flag(f, "quantized", quantized);
}

/* ---- Events ---- */

static int by_name(const void *x, const void *y) { return strcmp((*(hparam_entry *const *)x)->key, (*(hparam_entry *const *)y)->key); }

/* TensorBoard looks at the plugin's content only; the tensor has to be there, and is empty. */
static void fill(etr_tb_session *session, etr_arena *arena, double wall_time, const char *tag, const Tensorboard__HParamsPluginData *data) {
  size_t size = tensorboard__hparams_plugin_data__get_packed_size(data);
  uint8_t *content = etr_arena_alloc(arena, size);
  etr_tb_summary_init(&session->summary, wall_time, tag, 0, "hparams", TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  if (content) session->summary.plugin.content = (ProtobufCBinaryData){tensorboard__hparams_plugin_data__pack(data, content), content};
  tensorboard__tensor_shape_proto__dim__init(&session->dim);
  session->dims = &session->dim;
  session->summary.shape.n_dim = 1;
  session->summary.shape.dim = &session->dims;
  session->summary.tensor.dtype = TENSORBOARD__DATA_TYPE__DT_FLOAT;
}

void etr_tb_session_start(etr_tb_session *session, etr_arena *arena, double wall_time, const etr_profile *profile, const etr_method *method,
                          const etr_hparam *given, size_t given_count) {
  facts f = {.arena = arena};
  Tensorboard__SessionStartInfo info = TENSORBOARD__SESSION_START_INFO__INIT;
  Tensorboard__HParamsPluginData data = TENSORBOARD__HPARAMS_PLUGIN_DATA__INIT;
  for (size_t i = given_count; i > 0; i--) add_given(&f, &given[i - 1]); /* the last of a name counts */
  add_text(&f, "method", method->name);
  if (method->graph != ETR_NONE) add_graph_facts(&f, profile, method);
  if (f.list.count) qsort(f.list.data, f.list.count, sizeof *f.list.data, by_name);
  info.n_hparams = etr_arena_failed(arena) ? 0 : f.list.count;
  info.hparams = f.list.data;
  info.start_time_secs = wall_time;
  data.data_case = TENSORBOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO;
  data.session_start_info = &info;
  fill(session, arena, wall_time, "_hparams_/session_start_info", &data);
}

void etr_tb_session_end(etr_tb_session *session, etr_arena *arena, double wall_time) {
  Tensorboard__SessionEndInfo info = TENSORBOARD__SESSION_END_INFO__INIT;
  Tensorboard__HParamsPluginData data = TENSORBOARD__HPARAMS_PLUGIN_DATA__INIT;
  info.status = TENSORBOARD__STATUS__STATUS_SUCCESS;
  info.end_time_secs = wall_time;
  data.data_case = TENSORBOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_END_INFO;
  data.session_end_info = &info;
  fill(session, arena, wall_time, "_hparams_/session_end_info", &data);
}
