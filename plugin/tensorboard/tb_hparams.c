/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_hparams.c - writes the experiment and the session of the hparams plugin as TensorFlow's
 * events.
 */
#include "base/method_parts.h"
#include "base/number.h"
#include "base/writer.h"
#include "output/label.h"
#include "tensorboard/pack.h"
#include "tensorboard/tb_summary.h"
#include "tensorboard/tb_tags.h"
#include "tensorboard/tb_view.h"
#include "views/delegation.h"
#include "views/loads.h"

#include <math.h>
#include <stdlib.h>

typedef Tensorboard__SessionStartInfo__HparamsEntry hparam_entry;

/* The hyperparameters of a record, which are the cells of its row in the HParams table. */
typedef struct hparam_list {
  etr_arena *arena;
  etr_vec(hparam_entry *) list;
} hparam_list;

/* ---- Values ---- */

/* Adds a hyperparameter and returns its value, which the caller fills. Returns NULL if there is
 * already one of this name, or when out of memory. */
static Tensorboard__Value *add_hparam(hparam_list *f, const char *name) {
  for (size_t i = 0; i < f->list.count; i++)
    if (strcmp(f->list.data[i]->key, name) == 0)
      return NULL;
  hparam_entry *entry = etr_arena_alloc(f->arena, sizeof *entry);
  Tensorboard__Value *value = etr_arena_alloc(f->arena, sizeof *value);
  hparam_entry **slot = entry && value ? etr_vec_push(f->arena, &f->list) : NULL;
  if (!slot)
    return NULL;
  tensorboard__session_start_info__hparams_entry__init(entry);
  tensorboard__value__init(value);
  entry->key = etr_for_foreign(name);
  entry->value = value;
  *slot = entry;
  return value;
}

/* Adds a hyperparameter that is a number, unless there is one of this name. */
static void add_number_hparam(hparam_list *f, const char *name, double number) {
  Tensorboard__Value *value = add_hparam(f, name);
  if (!value)
    return;
  value->kind_case = TENSORBOARD__VALUE__KIND_NUMBER_VALUE;
  value->number_value = number;
}

/* Adds a hyperparameter that is true or false, unless there is one of this name. */
static void add_bool_hparam(hparam_list *f, const char *name, bool flag) {
  Tensorboard__Value *value = add_hparam(f, name);
  if (!value)
    return;
  value->kind_case = TENSORBOARD__VALUE__KIND_BOOL_VALUE;
  value->bool_value = flag;
}

/* Adds a hyperparameter that is a text, unless there is one of this name. */
static void add_text_hparam(hparam_list *f, const char *name, const char *text) {
  Tensorboard__Value *value = add_hparam(f, name);
  if (!value)
    return;
  value->kind_case = TENSORBOARD__VALUE__KIND_STRING_VALUE;
  value->string_value = etr_for_foreign(text);
}

/* ---- Facts of the profile ---- */

const etr_method *etr_tb_main_method(const etr_profile *profile) {
  const etr_method *longest = NULL;
  for (uint32_t i = 0; i < profile->method_count; i++)
    if (etr_tb_shows_method(profile, i) &&
        (!longest || profile->methods[i].execute_ticks > longest->execute_ticks))
      longest = &profile->methods[i];
  return longest;
}

/* A list such as "XNNPACK, CPU", each entry once. */
typedef struct list {
  etr_text text;
  etr_map known;
} list;

static void list_init(list *l, etr_arena *arena) {
  l->text = (etr_text){.arena = arena};
  etr_map_init(&l->known, arena);
}

/* Adds a name to a list that is separated by commas, unless it is empty or in the list. */
static void add_once(list *names, const char *name) {
  if (!name || !name[0] || etr_map_get(&names->known, etr_slice_of(name)) != ETR_NONE)
    return;
  if (names->known.count)
    (void)etr_text_add(&names->text, ETR_SLICE(", "));
  (void)etr_text_add(&names->text, etr_slice_of(name));
  etr_map_set(&names->known, etr_slice_of(name), 1);
}

static const char *end_list(list *l) {
  (void)etr_text_add(&l->text, (etr_slice){"", 1});
  return l->text.data ? l->text.data : "";
}

/* Returns the integer type that a node quantizes to or dequantizes from, "int4" for values from -8
 * on; NULL if it does neither, or the type is unknown. */
static const char *quantized_type(const etr_graph *graph, const etr_node *node) {
  static const char library[] = "quantized_decomposed.";
  const char *operator_name = node->target + sizeof library - 1;
  const etr_value *quantized_value = NULL;
  if (node->kind != ETR_NODE_OP || strncmp(node->target, library, sizeof library - 1) != 0)
    return NULL;
  for (size_t i = 0; i < node->argument_count; i++) /* four bits are stored in bytes */
    if (strcmp(node->arguments[i].name, "quant_min") == 0 &&
        strcmp(node->arguments[i].value, "-8") == 0)
      return "int4";
  if (strncmp(operator_name, "dequantize", 10) == 0 && node->input_count > 0) {
    const etr_node *source = &graph->nodes[node->inputs[0].node];
    if (node->inputs[0].output < source->output_count)
      quantized_value = &source->outputs[node->inputs[0].output];
  } else if (strncmp(operator_name, "quantize", 8) == 0 && node->output_count > 0) {
    quantized_value = &node->outputs[0];
  }
  return quantized_value ? quantized_value->dtype : NULL;
}

/* Returns the types that the graph quantizes to, as "int8, int4". Without any, returns "none", with
 * the type of most operators in parentheses unless that is float32. NULL if no type is known, or
 * when out of memory. */
static const char *quantization(etr_arena *arena, const etr_graph *graph) {
  static const char *const types[] = {"float32", "float16", "bfloat16", "float64"};
  size_t counts[ETR_COUNT(types)] = {0}, most_frequent = 0;
  list quantized;
  bool is_typed = false;
  list_init(&quantized, arena);
  for (size_t node_index = 0; node_index < graph->node_count; node_index++) {
    const etr_node *node = &graph->nodes[node_index];
    const char *dtype = node->kind == ETR_NODE_OP && node->output_count > 0 ? node->outputs[0].dtype
                                                                            : NULL;
    add_once(&quantized, quantized_type(graph, node));
    is_typed |= dtype != NULL;
    for (size_t type = 0; dtype && type < ETR_COUNT(types); type++)
      counts[type] += strcmp(dtype, types[type]) == 0;
  }
  if (quantized.known.count)
    return end_list(&quantized);
  for (size_t type = 1; type < ETR_COUNT(types); type++)
    if (counts[type] > counts[most_frequent])
      most_frequent = type;
  if (!is_typed)
    return NULL;
  return most_frequent == 0 ? "none" : etr_arena_format(arena, "none (%s)", types[most_frequent]);
}

/* Returns the shapes of the graph's inputs, "f32[1,3,96,96]", separated by blanks. After 100 bytes
 * "..." ends the text, since it is a cell of a table. NULL when out of memory. */
static const char *list_input_shapes(etr_arena *arena, const etr_graph *graph) {
  enum { MOST_BYTES = 100 };
  etr_text text = {.arena = arena};
  char shape[ETR_SHAPE_ROOM];
  bool is_cut = false;
  for (size_t i = 0; !is_cut && i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    if (node->kind != ETR_NODE_INPUT || node->output_count == 0 || node->subgraph != ETR_NONE)
      continue;
    const etr_slice label = {shape, etr_format_shape(shape, &node->outputs[0])};
    is_cut = text.size + label.size > MOST_BYTES;
    if (text.size > 0)
      (void)etr_text_add(&text, ETR_SLICE(" "));
    (void)etr_text_add(&text, is_cut ? ETR_SLICE("...") : label);
  }
  (void)etr_text_add(&text, (etr_slice){"", 1});
  return text.data;
}

/* Lists what a method ran on: the backends of its delegates, then the CPU if a kernel was timed. An
 * ETDump alone has no list of delegates, so there the backends of its times are listed. Without a
 * backend (NULL) the label is that of the CPU. */
static void add_backends(list *backends, etr_arena *arena, const etr_method *method,
                         const etr_graph *graph) {
  bool has_kernel = false;
  for (size_t i = 0; i < method->delegate_count; i++)
    add_once(backends, etr_label_device(arena, method->delegates[i].backend));
  for (size_t i = 0; graph && i < graph->node_count; i++)
    has_kernel |= etr_tb_time(graph, i) && !graph->times[i].backend &&
                  graph->nodes[i].kind == ETR_NODE_OP;
  for (size_t i = 0; !graph && i < method->time_slice_count; i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    const char *backend = etr_time_slice_backend(slice);
    if (backend)
      add_once(backends, etr_label_device(arena, backend));
    has_kernel |= !backend && etr_time_slice_is_work(slice);
  }
  if (has_kernel)
    add_once(backends, etr_label_device(arena, NULL));
}

/* Adds what the record says about its main method: its name if there are several, its backends,
 * quantization and inputs. The last three have a text for every record, "unknown" if need be, since
 * TensorBoard takes its columns from any one record. */
static void add_record_hparams(hparam_list *f, const etr_profile *profile) {
  const etr_method *method = etr_tb_main_method(profile);
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  list backends;
  list_init(&backends, f->arena);
  if (etr_tb_has_several_methods(profile))
    add_text_hparam(f, "method", method->name);
  add_backends(&backends, f->arena, method, graph);
  const char *backend = end_list(&backends);
  const char *quantized = graph ? quantization(f->arena, graph) : NULL;
  const char *input_shapes = graph ? list_input_shapes(f->arena, graph) : NULL;
  add_text_hparam(f, "backend", backend[0] ? backend : "unknown");
  add_text_hparam(f, "quantization", quantized ? quantized : "unknown");
  add_text_hparam(f, "inputs", input_shapes && input_shapes[0] ? input_shapes : "unknown");
}

/* ---- Metrics ---- */

static double peak_of(const etr_profile *profile) {
  const etr_memory_plan *plan = etr_tb_main_method(profile)->memory;
  return plan && plan->peak_instruction >= 0 ? (double)plan->peak_bytes / 1e6 : (double)NAN;
}

bool etr_tb_metrics_make(double out[ETR_TB_METRIC_COUNT], etr_arena *arena,
                         const etr_profile *profile) {
  const etr_method *method = etr_tb_main_method(profile);
  double delegated;
  etr_loads loads;
  if (!etr_loads_make(&loads, arena, profile) || !etr_delegated_time(&delegated, arena, method))
    return false;
  out[0] = etr_ticks_to_unit(profile, method->execute.typical, ETR_UNIT_MS);
  out[1] = etr_ticks_to_unit(profile, method->execute.p90, ETR_UNIT_MS);
  out[2] = loads.whole ? etr_ticks_to_unit(profile, loads.whole->stats.typical, ETR_UNIT_MS)
                       : (double)NAN;
  out[3] = peak_of(profile);
  out[4] = 100 * delegated;
  out[5] = etr_ticks_to_unit(profile, etr_uninterrupted_ticks(method), ETR_UNIT_MS);
  return true;
}

/* In the order of the columns. */
static const struct {
  const char *tag, *title;
} metrics[ETR_TB_METRIC_COUNT] = {{ETR_TB_METRICS "/typical_ms", "typical ms"},
                                  {ETR_TB_METRICS "/p90_ms", "p90 ms"},
                                  {ETR_TB_METRICS "/load_ms", "load ms"},
                                  {ETR_TB_METRICS "/peak_mb", "peak MB"},
                                  {ETR_TB_METRICS "/delegated_percent", "delegated %"},
                                  {ETR_TB_METRICS "/uninterrupted_ms", "uninterrupted ms"}};

const char *etr_tb_metric_tag(size_t metric) {
  return metrics[metric].tag;
}

/* ---- The experiment ---- */

/* Columns with a meaning of their own, for records that know them: parallel coordinates draw no
 * line for a record without a value in a column that is shown. TensorBoard sorts columns by
 * `differs`, then by name, and shows the first five. */
static const struct {
  const char *name, *description;
  Tensorboard__HParamType type;
  bool comes_first;
} columns[] = {
    {"backend", "Backends of the delegates, and CPU if operators run as kernels.",
     TENSORBOARD__HPARAM_TYPE__DATA_TYPE_STRING, true},
    {"commit", "Given with --hparam commit=NAME; `bench` adds it by itself.",
     TENSORBOARD__HPARAM_TYPE__DATA_TYPE_STRING, false},
    {"device", "Given with --hparam device=NAME; `bench` adds it by itself.",
     TENSORBOARD__HPARAM_TYPE__DATA_TYPE_STRING, true},
    {"inputs", "Types and shapes of the inputs of the graph.",
     TENSORBOARD__HPARAM_TYPE__DATA_TYPE_STRING, true},
    {"method",
     "The method that the metrics are about, if the record has several: the one that takes "
     "longest.",
     TENSORBOARD__HPARAM_TYPE__DATA_TYPE_STRING, false},
    {"quantization", "Types of quantized values in the graph; none: there are none.",
     TENSORBOARD__HPARAM_TYPE__DATA_TYPE_STRING, true},
    {"threads", "Given with --hparam threads=N.", TENSORBOARD__HPARAM_TYPE__DATA_TYPE_FLOAT64,
     true},
};

/* Adds a column of this name, without a type yet, to the experiment. When out of memory, the arena
 * has failed. */
static void add_column(etr_arena *arena, Tensorboard__Experiment *experiment, const char *name) {
  Tensorboard__HParamInfo *info = etr_arena_alloc(arena, sizeof *info);
  if (!info)
    return;
  tensorboard__hparam_info__init(info);
  info->name = etr_for_foreign(name);
  experiment->hparam_infos[experiment->n_hparam_infos++] = info;
}

/* Returns the type of a column from that of its value: a number, a flag, or else a text. */
static Tensorboard__HParamType column_type(const Tensorboard__Value *value) {
  switch (value->kind_case) {
  case TENSORBOARD__VALUE__KIND_NUMBER_VALUE:
    return TENSORBOARD__HPARAM_TYPE__DATA_TYPE_FLOAT64;
  case TENSORBOARD__VALUE__KIND_BOOL_VALUE:
    return TENSORBOARD__HPARAM_TYPE__DATA_TYPE_BOOL;
  default:
    return TENSORBOARD__HPARAM_TYPE__DATA_TYPE_STRING;
  }
}

/* Adds a column for each hyperparameter of the user whose name is not that of a known column. */
static void add_own_columns(etr_arena *arena, Tensorboard__Experiment *experiment,
                            const hparam_list *f) {
  for (size_t i = 0; i < f->list.count; i++) {
    const hparam_entry *entry = f->list.data[i];
    size_t column = 0;
    while (column < ETR_COUNT(columns) && strcmp(columns[column].name, entry->key) != 0)
      column++;
    if (column < ETR_COUNT(columns))
      continue;
    add_column(arena, experiment, entry->key);
    if (etr_arena_failed(arena))
      return;
    experiment->hparam_infos[experiment->n_hparam_infos - 1]->type = column_type(entry->value);
  }
}

/* Returns true if the record has a hyperparameter of this name. */
static bool has_hparam(const hparam_list *f, const char *name) {
  size_t i = 0;
  while (i < f->list.count && strcmp(f->list.data[i]->key, name) != 0)
    i++;
  return i < f->list.count;
}

/* Adds the known columns for which the record has a hyperparameter, then those of the user's own
 * ones. When out of memory, the arena has failed. Columns that come first are marked as differing
 * among records, because TensorBoard sorts by that. */
static void add_columns(etr_arena *arena, Tensorboard__Experiment *experiment,
                        const hparam_list *f) {
  experiment->hparam_infos = etr_arena_alloc_array(arena, ETR_COUNT(columns) + f->list.count,
                                                   sizeof *experiment->hparam_infos);
  for (size_t i = 0; experiment->hparam_infos && i < ETR_COUNT(columns); i++) {
    if (!has_hparam(f, columns[i].name))
      continue;
    add_column(arena, experiment, columns[i].name);
    if (etr_arena_failed(arena))
      return;
    Tensorboard__HParamInfo *info = experiment->hparam_infos[experiment->n_hparam_infos - 1];
    info->type = columns[i].type;
    info->differs = columns[i].comes_first;
    info->description = etr_for_foreign(columns[i].description);
  }
  if (experiment->hparam_infos)
    add_own_columns(arena, experiment, f);
}

/* Adds the metrics that all records have. When out of memory, the arena has failed. */
static void add_metrics(etr_arena *arena, Tensorboard__Experiment *experiment) {
  Tensorboard__MetricInfo *infos = etr_arena_alloc_array(arena, ETR_TB_METRIC_COUNT, sizeof *infos);
  Tensorboard__MetricName *names = etr_arena_alloc_array(arena, ETR_TB_METRIC_COUNT, sizeof *names);
  experiment->metric_infos = etr_arena_alloc_array(arena, ETR_TB_METRIC_COUNT,
                                                   sizeof *experiment->metric_infos);
  if (etr_arena_failed(arena))
    return;
  for (size_t i = 0; i < ETR_TB_METRIC_COUNT; i++) {
    tensorboard__metric_info__init(&infos[i]);
    tensorboard__metric_name__init(&names[i]);
    names[i].tag = etr_for_foreign(metrics[i].tag);
    infos[i].name = &names[i];
    infos[i].display_name = etr_for_foreign(metrics[i].title);
    infos[i].description = etr_for_foreign(etr_tb_description(metrics[i].tag));
    experiment->metric_infos[experiment->n_metric_infos++] = &infos[i];
  }
}

/* ---- Hyperparameters of the user ---- */

/* Returns true if a value is a number: a plain decimal one, as 4 or -2.5. With an exponent it is a
 * text, since the digits of a commit may look like that (1234e56), and so is every value of a known
 * column of texts. */
static bool is_number_hparam(const char *name, etr_slice value) {
  for (size_t i = 0; i < ETR_COUNT(columns); i++)
    if (strcmp(columns[i].name, name) == 0 &&
        columns[i].type == TENSORBOARD__HPARAM_TYPE__DATA_TYPE_STRING)
      return false;
  return value.size <= ETR_MOST_NUMBER_BYTES && etr_is_number(value) &&
         strcspn(value.data, "eE") >= value.size;
}

/* Adds a hyperparameter of --hparam: as a number if it is a finite one, as a flag if it is "true"
 * or "false", else as a text. */
static void add_user_hparam(hparam_list *f, const etr_tag *given) {
  const char *name = etr_arena_text(f->arena, etr_slice_of(given->name));
  const char *text = etr_arena_text(f->arena, etr_slice_of(given->value));
  if (etr_arena_failed(f->arena))
    return;
  etr_slice value = etr_slice_of(text);
  double number = is_number_hparam(name, value) ? etr_number_to_double(value) : (double)NAN;
  if (isfinite(number))
    add_number_hparam(f, name, number);
  else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
    add_bool_hparam(f, name, text[0] == 't');
  else
    add_text_hparam(f, name, text);
}

/* ---- Events ---- */

static int by_name(const void *x, const void *y) {
  return strcmp((*(hparam_entry *const *)x)->key, (*(hparam_entry *const *)y)->key);
}

/* Fills an event of the hparams plugin. TensorBoard reads only the plugin's content; the tensor
 * must exist, and is empty. */
static void fill_event(etr_tb_summary *event, etr_arena *arena, double wall_time, const char *tag,
                       const Tensorboard__HParamsPluginData *data) {
  etr_packer packer = {.arena = arena};
  etr_pack(&packer, &data->base);
  etr_slice content = etr_packed(&packer);
  etr_tb_summary_init(event, wall_time, tag, 0, "hparams",
                      TENSORBOARD__DATA_CLASS__DATA_CLASS_TENSOR);
  event->plugin.content = (ProtobufCBinaryData){content.size, etr_for_foreign(content.data)};
  event->shape.n_dim = 1;
  event->tensor.dtype = TENSORBOARD__DATA_TYPE__DT_FLOAT;
}

/* Returns all hyperparameters, sorted by name: the user's, of which the last one of a name counts,
 * then the record's. Returns none when out of memory. */
static hparam_list gather_hparams(etr_arena *arena, const etr_profile *profile,
                                  const etr_tag *given, size_t given_count) {
  hparam_list gathered = {.arena = arena};
  for (size_t i = given_count; i > 0; i--)
    add_user_hparam(&gathered, &given[i - 1]); /* from the last: a name that exists is not added */
  add_record_hparams(&gathered, profile);
  etr_sort(gathered.list.data, gathered.list.count, sizeof *gathered.list.data, by_name);
  if (etr_arena_failed(arena))
    gathered.list.count = 0;
  return gathered;
}

void etr_tb_experiment(etr_tb_summary *event, etr_arena *arena, double wall_time,
                       const etr_profile *profile, const etr_tag *given, size_t given_count) {
  Tensorboard__Experiment experiment = TENSORBOARD__EXPERIMENT__INIT;
  Tensorboard__HParamsPluginData data = TENSORBOARD__HPARAMS_PLUGIN_DATA__INIT;
  const hparam_list f = gather_hparams(arena, profile, given, given_count);
  add_columns(arena, &experiment, &f);
  add_metrics(arena, &experiment);
  data.data_case = TENSORBOARD__HPARAMS_PLUGIN_DATA__DATA_EXPERIMENT;
  data.experiment = &experiment;
  fill_event(event, arena, wall_time, "_hparams_/experiment", &data);
}

void etr_tb_session_start(etr_tb_summary *session, etr_arena *arena, double wall_time,
                          const etr_profile *profile, const etr_tag *given, size_t given_count) {
  const hparam_list f = gather_hparams(arena, profile, given, given_count);
  Tensorboard__SessionStartInfo info = TENSORBOARD__SESSION_START_INFO__INIT;
  Tensorboard__HParamsPluginData data = TENSORBOARD__HPARAMS_PLUGIN_DATA__INIT;
  info.n_hparams = f.list.count;
  info.hparams = f.list.data;
  info.start_time_secs = wall_time;
  data.data_case = TENSORBOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO;
  data.session_start_info = &info;
  fill_event(session, arena, wall_time, "_hparams_/session_start_info", &data);
}

void etr_tb_session_end(etr_tb_summary *session, etr_arena *arena, double wall_time) {
  Tensorboard__SessionEndInfo info = TENSORBOARD__SESSION_END_INFO__INIT;
  Tensorboard__HParamsPluginData data = TENSORBOARD__HPARAMS_PLUGIN_DATA__INIT;
  info.status = TENSORBOARD__STATUS__STATUS_SUCCESS;
  info.end_time_secs = wall_time;
  data.data_case = TENSORBOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_END_INFO;
  data.session_end_info = &info;
  fill_event(session, arena, wall_time, "_hparams_/session_end_info", &data);
}
