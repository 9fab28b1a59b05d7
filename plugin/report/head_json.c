/* SPDX-License-Identifier: BSD-3-Clause
 *
 * head_json.c - writes the few figures of a record that a list of records shows in one row.
 */
#include "output/fields.h"
#include "output/statistics.h"
#include "report/profile_doc.h"
#include "views/delegation.h"
#include "views/kernels.h"

#include <math.h>

/* Writes the hparams as an object. Of several with one name only the last is written. */
static void put_hparams(const etr_fields *f, const etr_tag *hparams, size_t count) {
  etr_field_begin_object(f, "hparams");
  for (size_t i = 0; i < count; i++) {
    bool is_replaced = false;
    for (size_t later = i + 1; later < count; later++)
      is_replaced |= strcmp(hparams[later].name, hparams[i].name) == 0;
    if (!is_replaced)
      etr_field_text(f, hparams[i].name, hparams[i].value);
  }
  etr_jw_end(f->json);
}

/* Writes the kernels that ran, in alphabetical order, each name once. Returns false when out of
 * memory. */
static bool put_kernels(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  etr_kernels kernels;
  if (!etr_kernels_make(&kernels, arena, f->profile, method))
    return false;
  const char **names = etr_arena_alloc_array(arena, kernels.count, sizeof *names);
  if (!names)
    return false;
  for (size_t i = 0; i < kernels.count; i++)
    names[i] = kernels.rows[i].kernel;
  etr_sort(names, kernels.count, sizeof *names, etr_by_text);
  for (size_t i = 0; i < kernels.count; i++)
    if (i == 0 || strcmp(names[i - 1], names[i]) != 0)
      etr_jw_string(f->json, names[i]);
  return true;
}

/* Returns true for a class that torch puts in place of a model's own: of a graph, as quantizing
 * makes it, or around one that is exported again. */
static bool is_of_torch(const char *type) {
  static const char graph[] = "torch.fx.", wrapper[] = "torch.export.";
  return strncmp(type, graph, sizeof graph - 1) == 0 ||
         strncmp(type, wrapper, sizeof wrapper - 1) == 0;
}

/* Writes what identifies a model independently of its lowering: its type and the modules directly
 * inside it. The type alone is not enough, as of wrappers; one that torch put in its place is not
 * written. Where neither is recorded, as in an ETDump or a program alone, the kernels that ran tell
 * models apart. Returns false when out of memory. */
static bool put_model(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &f->profile->graphs[method->graph];
  const etr_module *root = graph && graph->module_count ? &graph->modules[0] : NULL;
  bool is_class = root && root->type[0] && !is_of_torch(root->type), has_parts = is_class;
  etr_field_text(f, "model", is_class ? root->type : NULL);
  etr_field_begin_list(f, "parts");
  for (size_t i = 1; root && root->type[0] && i < graph->module_count; i++)
    if (graph->modules[i].parent == 0) {
      etr_jw_string(f->json, graph->modules[i].path);
      has_parts = true;
    }
  bool has_memory = has_parts || put_kernels(f, arena, method);
  etr_jw_end(f->json);
  return has_memory;
}

/* Writes the figures of a method: its model, the times of its runs, and the share of its time that
 * is delegated. Returns false when out of memory. */
static bool put_method(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  double delegated;
  if (!etr_delegated_time(&delegated, arena, method))
    return false;
  etr_jw_object(f->json);
  etr_field_method(f, method);
  if (!put_model(f, arena, method))
    return false;
  etr_field_begin_object(f, "execute");
  etr_field_stats(f, &method->execute);
  etr_jw_end(f->json);
  etr_field_number(f, "delegated_time_share", delegated); /* NaN where nothing was timed */
  etr_jw_end(f->json);
  return true;
}

etr_status etr_head_write(const etr_profile *profile, const etr_head_facts *facts,
                          const etr_sink *sink, etr_error *error) {
  etr_writer writer;
  etr_jw json;
  etr_arena arena = {0};
  bool has_memory = true;
  const etr_fields f = {profile, ETR_UNIT_NS, &json};
  etr_error_clear(error);
  etr_writer_init(&writer, sink);
  etr_jw_init(&json, &writer, ETR_JW_DOCUMENT);
  etr_jw_object(&json);
  etr_profile_put_schema(&f, "etrecord-tb/head/1");
  etr_field_number(&f, "recorded", facts->recorded > 0 ? facts->recorded : (double)NAN);
  etr_field_number(&f, "step", facts->has_step ? (double)facts->step : (double)NAN);
  put_hparams(&f, facts->hparams, facts->hparam_count);
  etr_field_begin_list(&f, "methods");
  for (size_t i = 0; i < profile->method_count && has_memory; i++)
    if (etr_profile_shows(&profile->methods[i]))
      has_memory = put_method(&f, &arena, &profile->methods[i]);
  etr_jw_end(&json);
  etr_jw_end(&json);
  etr_arena_clear(&arena);
  etr_status status = etr_writer_finish(&writer, error);
  return has_memory ? status : etr_fail_memory(error);
}
