/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_filter.c - chooses graphs and nodes.
 */
#include "output/node_filter.h"

#include "base/base.h"
#include "output/label.h"

bool etr_glob(const char *pattern, const char *text) {
  /* Behind the last '*' of the pattern, and the end of the text that this '*' matches so far. Where
   * the rest does not match, the '*' matches one character more; earlier ones need not change. */
  const char *star = NULL, *retry = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = ++pattern;
      retry = text;
    } else if (*pattern == '?' || *pattern == *text) {
      pattern++;
      text++;
    } else if (star) {
      pattern = star;
      text = ++retry;
    } else
      return false;
  }
  while (*pattern == '*')
    pattern++;
  return *pattern == '\0';
}

bool etr_filter_is_active(const etr_node_filter *filter) {
  return filter && (filter->module || filter->op || filter->backend);
}

char *etr_filter_text(etr_arena *arena, const etr_node_filter *filter) {
  if (!filter)
    return etr_arena_format(arena, "%s", "");
  const char *module = filter->module, *op = filter->op, *backend = filter->backend;
  return etr_arena_format(arena, "%s%s%s%s%s%s%s%s", module ? "module " : "", module ? module : "",
                          module && (op || backend) ? ", " : "", op ? "operators " : "",
                          op ? op : "", op && backend ? ", " : "", backend ? "backend " : "",
                          backend ? backend : "");
}

void etr_put_filter(etr_writer *writer, etr_arena *arena, const etr_node_filter *filter) {
  char *text = etr_filter_is_active(filter) ? etr_filter_text(arena, filter) : NULL;
  if (!text)
    return;
  etr_puts(writer, "only ");
  etr_put_sanitized(writer, text);
  etr_puts(writer, "\n");
}

bool etr_filter_takes_method(const etr_node_filter *filter, const etr_method *method) {
  if (!filter || !filter->method)
    return !method->computes_nothing;
  return strcmp(filter->method, method->name) == 0;
}

bool etr_filter_takes_block(const etr_node_filter *filter, const etr_profile *profile,
                            const etr_block *block) {
  if (block->run_count == 0)
    return false;
  if (!filter || !filter->method)
    return true;
  return block->method != ETR_NONE &&
         etr_filter_takes_method(filter, &profile->methods[block->method]);
}

/* Returns the backend of an event that is on no node: "cpu" for a kernel, the name for a delegate
 * whose backend is unknown, NULL for events of the runtime. */
static const char *backend_of_event(const etr_event *event) {
  if (event->kind == ETR_EVENT_KERNEL)
    return "cpu";
  if (event->backend)
    return event->backend;
  bool is_in_delegate = event->kind == ETR_EVENT_DELEGATE_CALL ||
                        event->kind == ETR_EVENT_DELEGATE_OPERATOR;
  return is_in_delegate ? ETR_UNKNOWN_BACKEND : NULL;
}

bool etr_filter_takes_event(const etr_node_filter *filter, const etr_profile *profile,
                            const etr_method *method, const etr_event *event) {
  if (!etr_filter_is_active(filter))
    return true;
  etr_node_filter left = *filter; /* without the operator if that is the event's own name */
  if (filter->op && etr_glob(filter->op, etr_label_kernel(event->name)))
    left.op = NULL;
  if (event->node_count && method && method->graph != ETR_NONE)
    return etr_filter_takes_node(&left, &profile->graphs[method->graph], event->nodes[0]);
  const char *backend = backend_of_event(event);
  bool is_backend = !left.backend || (backend && etr_glob(left.backend, backend));
  return !left.module && !left.op && is_backend;
}

size_t etr_count_nodes(const etr_profile *profile, const etr_node_filter *filter) {
  size_t count = 0;
  for (size_t i = 0; i < profile->graph_count; i++)
    if (etr_filter_takes_graph(filter, &profile->graphs[i]))
      for (size_t k = 0; k < profile->graphs[i].node_count; k++)
        count += etr_filter_takes_node(filter, &profile->graphs[i], k);
  return count;
}

size_t etr_count_events(const etr_profile *profile, const etr_node_filter *filter) {
  size_t count = 0;
  for (size_t i = 0; i < profile->block_count; i++) {
    const etr_block *block = &profile->blocks[i];
    const etr_method *method = block->method == ETR_NONE ? NULL : &profile->methods[block->method];
    if (!etr_filter_takes_block(filter, profile, block))
      continue;
    for (size_t k = 0; k < block->event_count; k++)
      count += etr_filter_takes_event(filter, profile, method, &block->events[k]);
  }
  return count;
}

bool etr_filter_takes_graph(const etr_node_filter *filter, const etr_graph *graph) {
  if (!filter)
    return true;
  return (!filter->method || strcmp(filter->method, graph->method) == 0) &&
         (!filter->graph_module || strcmp(filter->graph_module, graph->module) == 0);
}

/* Returns true if a node is in the wanted module, or in a module below it: "features.1" contains
 * "features.1.conv", but not "features.10". */
static bool is_in_module(const etr_graph *graph, const etr_node *node, const char *wanted) {
  size_t size = strlen(wanted);
  const char *path = graph->modules[node->module].path;
  return strncmp(path, wanted, size) == 0 && (size == 0 || path[size] == '\0' || path[size] == '.');
}

/* Returns true if a glob pattern matches an operator: its target, "aten.convolution.default", or
 * its short name, "convolution". */
static bool matches_operator(const char *pattern, const char *target) {
  enum { MOST_BYTES = 128 }; /* no operator of torch has a longer name */
  char name[MOST_BYTES];
  etr_slice label = etr_label_op(target);
  if (etr_glob(pattern, target))
    return true;
  if (label.size >= sizeof name)
    return false;
  memcpy(name, label.data, label.size);
  name[label.size] = '\0';
  return etr_glob(pattern, name);
}

bool etr_filter_takes_node(const etr_node_filter *filter, const etr_graph *graph, size_t index) {
  if (!filter)
    return true;
  const etr_node *node = &graph->nodes[index];
  if (filter->module && !is_in_module(graph, node, filter->module))
    return false;
  if (filter->op && !matches_operator(filter->op, node->target))
    return false;
  if (!filter->backend)
    return true;
  const char *backend = graph->times ? graph->times[index].backend : NULL;
  bool is_kernel = graph->times && !backend && graph->times[index].runs > 0;
  if (strcmp(filter->backend, "cpu") == 0)
    return is_kernel;
  return backend && etr_glob(filter->backend, backend);
}
