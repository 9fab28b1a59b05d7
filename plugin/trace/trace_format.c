/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace_format.c - which runs a trace shows, and the names of methods and events.
 */
#include "trace/trace_format.h"

bool etr_trace_shows(const etr_profile *profile, const etr_trace_options *options, uint32_t run) {
  uint32_t method = profile->blocks[profile->runs[run].block].method;
  if (options->method == NULL)
    return true;
  return method != ETR_NONE && strcmp(profile->methods[method].name, options->method) == 0;
}

const char *etr_trace_method_name(const etr_profile *profile, const etr_block *block) {
  if (block->method == ETR_NONE)
    return "load";
  const char *name = profile->methods[block->method].name;
  return name[0] != '\0' ? name : "unknown method";
}

static const etr_graph *graph_of(const etr_profile *profile, const etr_block *block) {
  return &profile->graphs[profile->methods[block->method].graph];
}

const etr_node *etr_trace_node(const etr_profile *profile, const etr_block *block,
                               const etr_event *event) {
  return event->node_count > 0 ? &graph_of(profile, block)->nodes[event->nodes[0]] : NULL;
}

const char *etr_trace_module(const etr_profile *profile, const etr_block *block,
                             const etr_event *event) {
  const etr_node *node = etr_trace_node(profile, block, event);
  return node != NULL ? graph_of(profile, block)->modules[node->module].path : "";
}
