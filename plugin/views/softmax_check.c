/* SPDX-License-Identifier: BSD-3-Clause
 *
 * softmax_check.c - finds softmaxes with a check for rows that a mask hides whole. torch decomposes
 * scaled_dot_product_attention into where(logical_not(any(logical_not(eq(x, -inf)))), 0,
 * softmax(x)), whose operators but the softmax no partitioner takes.
 */
#include "views/softmax_check.h"

/* Returns the node that made an input of a node, behind copies; ETR_NONE if there is none, or if
 * the graph has it later, which would allow circles. */
static uint32_t source_of_input(const etr_graph *graph, uint32_t node, size_t index) {
  const etr_node *reader = &graph->nodes[node];
  if (index >= reader->input_count || reader->inputs[index].node >= node)
    return ETR_NONE;
  return etr_graph_behind_copies(graph, reader->inputs[index].node);
}

/* Returns true if a node, which may be ETR_NONE, is an operator of this name. */
static bool is_op(const etr_finder *finder, uint32_t node, const char *name) {
  return node != ETR_NONE && etr_is_operator(finder, &finder->graph->nodes[node], name);
}

/* Returns the softmax that a `where` reads; ETR_NONE if it reads none. */
static uint32_t softmax_before_where(const etr_finder *finder, uint32_t where) {
  for (size_t i = 1; i < finder->graph->nodes[where].input_count; i++) {
    uint32_t source = source_of_input(finder->graph, where, i);
    if (is_op(finder, source, "softmax") || is_op(finder, source, "_softmax"))
      return source;
  }
  return ETR_NONE;
}

/* Marks the operators that scale the factors of the product that made the scores, if they are
 * kernels: scaled_dot_product_attention multiplies both factors by a number. scores: the node that
 * the softmax reads. */
static void mark_scaling(const etr_finder *finder, uint32_t scores, bool *marked) {
  enum { STEPS = 8 }; /* a mask or two and a scale lie between product and softmax */
  static const char *const between[] = {"add", "mul", "div"};
  static const char *const products[] = {"bmm", "matmul", "mm"};
  const etr_graph *graph = finder->graph;
  uint32_t visited = scores;
  for (int i = 0; i < STEPS && visited != ETR_NONE; i++) {
    if (!etr_is_one_of(finder, &graph->nodes[visited], between, ETR_COUNT(between)))
      break;
    visited = source_of_input(graph, visited, 0);
  }
  if (visited == ETR_NONE ||
      !etr_is_one_of(finder, &graph->nodes[visited], products, ETR_COUNT(products)))
    return;
  for (size_t i = 0; i < 2; i++) {
    uint32_t factor = source_of_input(graph, visited, i);
    /* A mul that reads one node multiplies by a number. */
    bool is_scaled = is_op(finder, factor, "mul") && graph->nodes[factor].input_count == 1;
    if (is_scaled && finder->is_kernel[factor])
      marked[factor] = true;
  }
}

/* Marks the operators of the check for rows that are masked whole, which ends in a `where`, and the
 * scaling of its scores. Returns false, with nothing marked, if this `where` ends none: its first
 * input must be logical_not(any(logical_not(eq(scores)))), and another the softmax of the scores.
 */
static bool mark_check(const etr_finder *finder, uint32_t where, bool *marked) {
  static const char *const chain[] = {"logical_not", "any", "logical_not", "eq"};
  const etr_graph *graph = finder->graph;
  uint32_t path[ETR_COUNT(chain)], softmax = softmax_before_where(finder, where), visited = where;
  for (size_t i = 0; i < ETR_COUNT(chain); i++) {
    path[i] = visited = source_of_input(graph, visited, 0);
    if (!is_op(finder, visited, chain[i]))
      return false;
  }
  uint32_t scores = source_of_input(graph, visited, 0);
  if (softmax == ETR_NONE || scores == ETR_NONE || source_of_input(graph, softmax, 0) != scores)
    return false;
  marked[where] = true;
  for (size_t i = 0; i < ETR_COUNT(chain); i++)
    marked[path[i]] = true;
  for (size_t i = 1; i < graph->nodes[where].input_count; i++) {
    uint32_t zeros = graph->nodes[where].inputs[i].node;
    if (is_op(finder, zeros, "full_like") || is_op(finder, zeros, "zeros_like"))
      marked[zeros] = true;
  }
  mark_scaling(finder, scores, marked);
  return true;
}

size_t etr_mark_softmax_checks(const etr_finder *finder, bool *marked) {
  size_t count = 0;
  for (uint32_t i = 0; i < finder->graph->node_count; i++)
    if (finder->is_kernel[i] && is_op(finder, i, "where"))
      count += mark_check(finder, i, marked);
  for (uint32_t i = 0; i < finder->graph->node_count; i++)
    marked[i] &= finder->is_kernel[i] && !finder->is_constant[i];
  return count;
}
