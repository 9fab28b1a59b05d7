/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_choice.c - chooses the nodes in focus with their neighbors, and the nodes that take most
 * time.
 */
#include "dot/dot_plan.h"

#include "output/node_filter.h"
#include "output/ranking.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t etr_dot_lowered_around(const etr_graph *graph, uint32_t subgraph) {
  while (subgraph < graph->subgraph_count &&
         graph->subgraphs[subgraph].kind != ETR_SUBGRAPH_LOWERED) {
    uint32_t parent = graph->subgraphs[subgraph].parent;
    subgraph = parent < subgraph ? parent : ETR_NONE;
  }
  return subgraph < graph->subgraph_count ? subgraph : ETR_NONE;
}

/* ---- Focus ---- */

/* Returns how many modules are around a module: the number of dots in its path. */
static size_t depth_of(const char *path) {
  size_t depth = 0;
  for (; *path != '\0'; path++)
    depth += *path == '.';
  return depth;
}

/* Names of modules, as many as fit. */
typedef struct module_names {
  char text[256];
  size_t used;
  bool all; /* all names fitted */
} module_names;

/* Returns the paths of modules that contain `part`, each after a blank, outer modules first, as
 * many as there is room for in a message. Module 0 is the root. */
static module_names list_module_names(const etr_graph *graph, const char *part) {
  enum { LISTED_LEVELS = 8 }; /* of modules; what lies deeper is not listed */
  module_names names = {.all = true};
  for (size_t depth = 0; depth < LISTED_LEVELS; depth++) {
    for (size_t i = 1; i < graph->module_count; i++) {
      const char *path = graph->modules[i].path;
      if (path[0] == '\0' || depth_of(path) != depth || !strstr(path, part))
        continue;
      size_t size = strlen(path) + 1;
      names.all &= names.used + size < sizeof names.text;
      if (names.used + size < sizeof names.text)
        names.used += (size_t)snprintf(names.text + names.used, sizeof names.text - names.used,
                                       " %s", path);
    }
  }
  return names;
}

/* Fails because no node is in the module in focus. The message lists modules whose path contains
 * its name, because a picture shows only the end of a path, or else all. */
static etr_status fail_unknown_module(const etr_graph *graph, const char *focus, etr_error *error) {
  module_names names = list_module_names(graph, focus);
  if (names.used == 0)
    names = list_module_names(graph, "");
  if (names.used == 0)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET, "%s/%s has no modules",
                    graph->module, graph->method);
  return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                  "%s/%s has no node in module %.*s; there are:%s%s", graph->module, graph->method,
                  ETR_HEAD(focus, 80), names.text, names.all ? "" : " ...");
}

/* Sets choice->focused: of the operators of the module in focus, or of all nodes without one. Sets
 * choice->drawn of these and of their neighbors, which make their inputs or read their outputs.
 * Fails if no operator is in the module. */
static etr_status choose_focus(etr_dot_choice *choice, const etr_graph *graph, etr_error *error) {
  const etr_node_filter filter = {.module = choice->focus};
  bool is_any_chosen = false;
  for (size_t i = 0; i < graph->node_count; i++) {
    bool is_chosen = choice->focus == NULL || (graph->nodes[i].kind == ETR_NODE_OP &&
                                               etr_filter_takes_node(&filter, graph, i));
    choice->focused[i] = choice->drawn[i] = is_chosen;
    is_any_chosen |= is_chosen;
  }
  if (choice->focus == NULL)
    return ETR_OK;
  if (!is_any_chosen)
    return fail_unknown_module(graph, choice->focus, error);
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_node *node = &graph->nodes[i];
    size_t input_count = node->input_count + node->other_input_count;
    for (size_t k = 0; k < input_count; k++) {
      uint32_t producer = node->inputs[k].node;
      if (choice->focused[i] || choice->focused[producer])
        choice->drawn[i] = choice->drawn[producer] = true;
    }
  }
  return ETR_OK;
}

/* ---- Top ---- */

typedef struct timed_node {
  double ticks;
  uint32_t node;
} timed_node;

/* Compares nodes for qsort(): by time, the longest first, then in the order of the graph. */
static int by_ticks(const void *a, const void *b) {
  const timed_node *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks > y->ticks ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

/* Gives the `top` slowest nodes in focus a rank, from 1 on, and sets choice->top_ticks to the sum
 * of their times per inference, in ticks. Fails if no node in focus was timed. */
static etr_status choose_top(etr_dot_choice *choice, etr_arena *arena, const etr_profile *profile,
                             const etr_graph *graph, size_t top, etr_error *error) {
  timed_node *timed_nodes = etr_arena_alloc_array(arena, graph->node_count, sizeof *timed_nodes);
  size_t count = 0;
  for (size_t i = 0; timed_nodes != NULL && graph->times != NULL && i < graph->node_count; i++) {
    const etr_node_time *time = &graph->times[i];
    if (choice->focused[i] && time->runs > 0)
      timed_nodes[count++] = (timed_node){etr_ranking_time(profile, etr_times_of_node(time)),
                                          (uint32_t)i};
  }
  if (timed_nodes == NULL)
    return ETR_ERROR_MEMORY;
  const char *focus = choice->focus != NULL ? choice->focus : "";
  if (count == 0)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                    "no node of %s/%s%s%.*s was timed: there is nothing to rank", graph->module,
                    graph->method, focus[0] != '\0' ? " in " : "", ETR_HEAD(focus, 80));
  etr_sort(timed_nodes, count, sizeof *timed_nodes, by_ticks);
  choice->top = ETR_MIN(top, count);
  for (size_t i = 0; i < choice->top; i++) {
    choice->rank[timed_nodes[i].node] = (uint32_t)i + 1;
    choice->top_ticks += timed_nodes[i].ticks;
  }
  return ETR_OK;
}

etr_status etr_dot_choose(etr_dot_choice *out, etr_arena *arena, const etr_profile *profile,
                          const etr_graph *graph, const etr_dot_options *options,
                          etr_error *error) {
  *out = (etr_dot_choice){.focus = options != NULL ? options->focus : NULL};
  out->focused = etr_arena_alloc_array(arena, graph->node_count, sizeof *out->focused);
  out->drawn = etr_arena_alloc_array(arena, graph->node_count, sizeof *out->drawn);
  out->rank = etr_arena_alloc_array(arena, graph->node_count, sizeof *out->rank);
  if (etr_arena_failed(arena))
    return ETR_ERROR_MEMORY;
  ETR_TRY(choose_focus(out, graph, error));
  if (options != NULL && options->top > 0)
    ETR_TRY(choose_top(out, arena, profile, graph, options->top, error));
  for (size_t i = 0; i < graph->node_count; i++)
    out->drawn[i] &= graph->nodes[i].kind < ETR_NODE_PARAMETER;
  return ETR_OK;
}
