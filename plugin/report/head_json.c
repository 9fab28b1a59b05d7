/* SPDX-License-Identifier: BSD-3-Clause
 *
 * head_json.c - writes the few figures of a record that a list of records shows in one row.
 */
#include "output/fields.h"
#include "output/statistics.h"
#include "report/profile_doc.h"
#include "views/delegation.h"

#include <math.h>

/* Writes the hparams as an object. Of several with one name only the last is written. */
static void put_hparams(const etr_fields *f, const etr_tag *hparams, size_t count) {
  etr_field_object(f, "hparams");
  for (size_t i = 0; i < count; i++) {
    bool is_replaced = false;
    for (size_t later = i + 1; later < count; later++)
      is_replaced |= strcmp(hparams[later].name, hparams[i].name) == 0;
    if (!is_replaced)
      etr_field_text(f, hparams[i].name, hparams[i].value);
  }
  etr_jw_end(f->json);
}

/* Writes what identifies a model independently of its lowering: its type and the modules directly
 * inside it. The type alone is not enough for wrappers such as those that torch.export puts around
 * quantized models. */
static void put_model(const etr_fields *f, const etr_graph *graph) {
  const etr_module *root = graph && graph->module_count ? &graph->modules[0] : NULL;
  etr_field_text(f, "model", root && root->type[0] ? root->type : NULL);
  etr_field_list(f, "parts");
  for (size_t i = 1; root && i < graph->module_count; i++)
    if (graph->modules[i].parent == 0)
      etr_jw_string(f->json, graph->modules[i].path);
  etr_jw_end(f->json);
}

/* Writes the figures of a method: its model, the times of its runs, and the share of its time that
 * is delegated. Returns false when out of memory. */
static bool put_method(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  double delegated;
  if (!etr_delegated_time(&delegated, arena, method))
    return false;
  etr_jw_object(f->json);
  etr_field_method(f, method);
  put_model(f, method->graph == ETR_NONE ? NULL : &f->profile->graphs[method->graph]);
  etr_field_object(f, "execute");
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
  etr_field_list(&f, "methods");
  for (size_t i = 0; i < profile->method_count && has_memory; i++)
    if (etr_profile_shows(&profile->methods[i]))
      has_memory = put_method(&f, &arena, &profile->methods[i]);
  etr_jw_end(&json);
  etr_jw_end(&json);
  etr_arena_clear(&arena);
  etr_status status = etr_writer_finish(&writer, error);
  return has_memory ? status : etr_fail_memory(error);
}
