/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_filter.c - choosing graphs and nodes.
 */
#include "node_filter.h"

#include "base.h"

bool etr_glob(const char *pattern, const char *text) {
  const char *star = NULL, *retry = NULL; /* the last '*', and where its text ends so far */
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
  while (*pattern == '*') pattern++;
  return *pattern == '\0';
}

bool etr_filter_takes_graph(const etr_node_filter *filter, const etr_graph *graph) {
  if (!filter) return true;
  return (!filter->method || strcmp(filter->method, graph->method) == 0) &&
         (!filter->graph_module || strcmp(filter->graph_module, graph->module) == 0);
}

static bool is_in_module(const etr_graph *graph, const etr_node *node, const char *wanted) {
  size_t size = strlen(wanted);
  const char *path = graph->modules[node->module].path;
  return strncmp(path, wanted, size) == 0 && (size == 0 || path[size] == '\0' || path[size] == '.');
}

bool etr_filter_takes_node(const etr_node_filter *filter, const etr_graph *graph, size_t index) {
  if (!filter) return true;
  const etr_node *node = &graph->nodes[index];
  if (filter->module && !is_in_module(graph, node, filter->module)) return false;
  if (filter->op && !etr_glob(filter->op, node->target)) return false;
  if (!filter->backend) return true;
  const char *backend = graph->times ? graph->times[index].backend : NULL;
  bool kernel = graph->times && !backend && graph->times[index].runs > 0;
  return strcmp(filter->backend, "cpu") == 0 ? kernel : backend && etr_glob(filter->backend, backend);
}
