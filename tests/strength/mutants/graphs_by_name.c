/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graphs_by_name.c - puts a mistake back, so that a test can see that mutants find it: two Edge
 * programs of a record may have one name, and a method takes the last graph of its name for its
 * own, whose nodes are not those that its events point to. Linked with --wrap=etr_profile_open.
 */
#include "base/base.h"

#include <string.h>

etr_status __real_etr_profile_open(etr_profile **out, const etr_inputs *inputs,
                                   const etr_options *options, etr_error *error);
etr_status __wrap_etr_profile_open(etr_profile **out, const etr_inputs *inputs,
                                   const etr_options *options, etr_error *error);

static void take_graph_by_name(const etr_profile *profile, etr_method *method) {
  for (uint32_t i = 0; i < profile->graph_count; i++)
    if (strcmp(profile->graphs[i].module, "edge") == 0 &&
        strcmp(profile->graphs[i].method, method->name) == 0)
      method->graph = i;
}

etr_status __wrap_etr_profile_open(etr_profile **out, const etr_inputs *inputs,
                                   const etr_options *options, etr_error *error) {
  etr_status status = __real_etr_profile_open(out, inputs, options, error);
  if (status != ETR_OK)
    return status;
  for (size_t i = 0; i < (*out)->graph_count; i++)
    if (strcmp((*out)->graphs[i].module, "edge~2") == 0)
      ((etr_graph *)etr_for_foreign((*out)->graphs))[i].module = "edge";
  for (size_t i = 0; i < (*out)->method_count; i++)
    take_graph_by_name(*out, etr_for_foreign(&(*out)->methods[i]));
  return status;
}
