/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_hparams.c - writes sessions of the hparams plugin as TensorFlow's events.
 */
#include "base/number.h"
#include "output/writer.h"
#include "tensorboard/pack.h"
#include "tensorboard/tb_view.h"
#include "views/delegation.h"

#include <math.h>
#include <stdlib.h>

typedef Tensorboard__SessionStartInfo__HparamsEntry hparam_entry;

/* The facts that were added so far. */
typedef struct facts {
  etr_arena *arena;
  etr_vec(hparam_entry *) list;
} facts;

/* ---- Values ---- */

/* Adds a fact and returns its value, to be filled; NULL if there is already a fact of this name. */
static Tensorboard__Value *add_fact(facts *f, const char *name) {
  for (size_t i = 0; i < f->list.count; i++)
    if (strcmp(f->list.data[i]->key, name) == 0) return NULL;
  hparam_entry *entry = etr_arena_alloc(f->arena, sizeof *entry);
  Tensorboard__Value *value = etr_arena_alloc(f->arena, sizeof *value);
  hparam_entry **slot = entry && value ? etr_vec_push(f->arena, &f->list) : NULL;
  if (!slot) return NULL;
  tensorboard__session_start_info__hparams_entry__init(entry);
  tensorboard__value__init(value);
  entry->key = etr_for_foreign(name);
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
  value->string_value = etr_for_foreign(text);
}

/* ---- Given facts ---- */

static void add_given(facts *f, const etr_tag *given) {
  const char *name = etr_arena_text(f->arena, etr_slice_of(given->name)),
             *text = etr_arena_text(f->arena, etr_slice_of(given->value));
  if (!name || !text) return;
  etr_slice value = etr_slice_of(text);
  double number = value.size <= ETR_MOST_NUMBER_BYTES && etr_is_number(value) ? etr_number_to_double(value)
                                                                              : (double)NAN;
  if (isfinite(number))
    add_number(f, name, number);
  else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
    add_flag(f, name, text[0] == 't');
  else
    add_text(f, name, text);
}

/* ---- Facts of the profile ---- */

/* Facts about all methods that ran, which share one row of the table. */
typedef struct gathered {
  facts *facts;
  etr_map backends; /* each backend once, in the order of the calls */
  etr_map methods;
  etr_text backend_list, method_list;
  size_t delegated, nodes;
  bool is_typed, is_quantized; /* the type of some operator is known; there are quantized operators */
  size_t float_counts[4];
} gathered;

static const char *const float_types[] = {"float32", "float16", "bfloat16", "float64"};

/* Adds a name to a list such as "XnnpackBackend, cpu", unless it is already in it. */
static void list_once(etr_text *list, etr_map *known, const char *name) {
  if (!name[0] || etr_map_get(known, etr_slice_of(name)) != ETR_NONE) return;
  if (known->count) (void)etr_text_add(list, ETR_SLICE(", "));
  (void)etr_text_add(list, etr_slice_of(name));
  etr_map_set(known, etr_slice_of(name), 1);
}

static const char *listed(etr_text *list) {
  (void)etr_text_add(list, (etr_slice){"", 1});
  return list->data ? list->data : "";
}

static bool gather_method(gathered *g, const etr_profile *profile, const etr_method *method) {
  static const char library[] = "quantized_decomposed.";
  etr_delegation delegation;
  list_once(&g->method_list, &g->methods, method->name);
  if (method->graph == ETR_NONE) return true;
  if (!etr_delegation_make(&delegation, g->facts->arena, profile, method, NULL)) return false;
  g->delegated += delegation.delegated_nodes;
  g->nodes += delegation.delegated_nodes + delegation.non_delegated_nodes;
  for (size_t i = 0; i < method->delegate_count; i++)
    list_once(&g->backend_list, &g->backends, method->delegates[i].backend);
  const etr_graph *graph = &profile->graphs[method->graph];
  for (size_t i = 0; i < graph->node_count; i++) { /* counts types of outputs; the most frequent one is shown */
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_OP) continue;
    g->is_quantized |= strncmp(node->target, library, sizeof library - 1) == 0;
    const char *dtype = node->output_count > 0 ? node->outputs[0].dtype : NULL;
    g->is_typed |= dtype != NULL;
    for (size_t k = 0; dtype && k < ETR_COUNT(float_types); k++)
      g->float_counts[k] += strcmp(dtype, float_types[k]) == 0;
  }
  return true;
}

/* Adds few facts, because TensorBoard initially shows only five columns, and the user's own should be among them. */
static void add_record_facts(facts *f, const etr_profile *profile) {
  gathered g = {.facts = f, .backend_list = {.arena = f->arena}, .method_list = {.arena = f->arena}};
  bool has_graph = false;
  etr_map_init(&g.backends, f->arena);
  etr_map_init(&g.methods, f->arena);
  for (uint32_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (!etr_tb_shows_method(profile, i)) continue;
    has_graph |= method->graph != ETR_NONE;
    if (!gather_method(&g, profile, method)) return;
  }
  add_text(f, "method", listed(&g.method_list));
  if (!has_graph) return;
  if (g.nodes > g.delegated) list_once(&g.backend_list, &g.backends, "cpu");
  add_text(f, "backends", listed(&g.backend_list));
  if (g.nodes) add_number(f, "delegated_share", (double)g.delegated / (double)g.nodes);
  size_t most = 0;
  for (size_t k = 1; k < ETR_COUNT(float_types); k++)
    if (g.float_counts[k] > g.float_counts[most]) most = k;
  if (g.float_counts[most]) add_text(f, "dtype", float_types[most]);
  if (g.is_typed || g.is_quantized) add_flag(f, "quantized", g.is_quantized);
}

/* ---- Events ---- */

static int by_name(const void *x, const void *y) {
  return strcmp((*(hparam_entry *const *)x)->key, (*(hparam_entry *const *)y)->key);
}

/* Fills an event of the hparams plugin. TensorBoard reads only the plugin's content; the tensor must exist, and is
 * empty. */
static void fill(etr_tb_summary *session, etr_arena *arena, double wall_time, const char *tag,
                 const Tensorboard__HParamsPluginData *data) {
  etr_packer packer = {.arena = arena};
  etr_pack(&packer, &data->base);
  etr_slice content = etr_packed(&packer);
  etr_tb_summary_init(session, wall_time, tag, 0, "hparams", TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  session->plugin.content = (ProtobufCBinaryData){content.size, etr_for_foreign(content.data)};
  session->shape.n_dim = 1;
  session->tensor.dtype = TENSORBOARD__DATA_TYPE__DT_FLOAT;
}

void etr_tb_session_start(etr_tb_summary *session, etr_arena *arena, double wall_time, const etr_profile *profile,
                          const etr_tag *given, size_t given_count) {
  facts f = {.arena = arena};
  Tensorboard__SessionStartInfo info = TENSORBOARD__SESSION_START_INFO__INIT;
  Tensorboard__HParamsPluginData data = TENSORBOARD__HPARAMS_PLUGIN_DATA__INIT;
  for (size_t i = given_count; i > 0; i--) add_given(&f, &given[i - 1]); /* the last one of a name counts */
  add_record_facts(&f, profile);
  etr_sort(f.list.data, f.list.count, sizeof *f.list.data, by_name);
  info.n_hparams = etr_arena_failed(arena) ? 0 : f.list.count;
  info.hparams = f.list.data;
  info.start_time_secs = wall_time;
  data.data_case = TENSORBOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO;
  data.session_start_info = &info;
  fill(session, arena, wall_time, "_hparams_/session_start_info", &data);
}

void etr_tb_session_end(etr_tb_summary *session, etr_arena *arena, double wall_time) {
  Tensorboard__SessionEndInfo info = TENSORBOARD__SESSION_END_INFO__INIT;
  Tensorboard__HParamsPluginData data = TENSORBOARD__HPARAMS_PLUGIN_DATA__INIT;
  info.status = TENSORBOARD__STATUS__STATUS_SUCCESS;
  info.end_time_secs = wall_time;
  data.data_case = TENSORBOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_END_INFO;
  data.session_end_info = &info;
  fill(session, arena, wall_time, "_hparams_/session_end_info", &data);
}
