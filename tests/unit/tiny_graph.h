/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tiny_graph.h - small graphs from texts.
 *
 * Nodes are joined by ';': "NAME TARGET", then in any order
 *   (a,b.1)     what it reads: nodes by name, ".1" for another output than the first
 *   #7          the debug handle
 *   [2x3]       an output; several for several. [i8:2x3] has a number type, [s], [b] and [t] are
 * symbolic, [?] no tensor. None: one, [2x3] of float32 key=value   an argument
 *   @0          it is in the delegate of that instruction
 *   *           a mark; each test defines its meaning
 *   ^3          in the body with this number; "^": in that with the number 0
 * TARGET is input, weight, output, or an operator: "add" is aten.add.default.
 */
#ifndef TINY_GRAPH_H
#define TINY_GRAPH_H

#include "base/arena.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tiny_graph {
  etr_graph graph;
  etr_node *nodes;      /* those of the graph */
  int32_t *delegate_of; /* per node; -1 */
  bool *marked;         /* per node */
  uint32_t *uses;       /* per node: how often its results are used */
} tiny_graph;

/* Returns the index of a node. */
static inline uint32_t tiny_node(const tiny_graph *g, const char *name) {
  for (uint32_t i = 0; i < g->graph.node_count; i++)
    if (strcmp(g->nodes[i].name, name) == 0)
      return i;
  cr_assert_fail("no node %s", name);
  return ETR_NONE;
}

static inline const char *tiny_name(const tiny_graph *g, uint32_t node) {
  return node == ETR_NONE ? "-" : g->nodes[node].name;
}

/* Returns the next piece up to one of the separators, NULL at the end. The text is overwritten. */
static inline char *tiny_piece(char **rest, const char *separators) {
  *rest += strspn(*rest, separators);
  if (!**rest)
    return NULL;
  char *piece = *rest;
  *rest += strcspn(piece, separators);
  if (**rest)
    *(*rest)++ = '\0';
  return piece;
}

static inline const char *tiny_dtype(const char *text) {
  static const struct {
    const char *excerpt, *dtype;
  } types[] = {
      {"i8", "int8"}, {"i64", "int64"}, {"f16", "float16"}, {"f32", "float32"}, {"bool", "bool"}};
  for (size_t i = 0; i < ETR_COUNT(types); i++)
    if (strcmp(types[i].excerpt, text) == 0)
      return types[i].dtype;
  return NULL;
}

static inline void tiny_output(etr_arena *arena, etr_value *value, char *text) {
  char *colon = strchr(text, ':'), *rest = colon ? colon + 1 : text;
  etr_dim *dims = etr_arena_alloc_array(arena, 8, sizeof *dims);
  if (colon)
    *colon = '\0';
  *value = (etr_value){.dtype = colon ? tiny_dtype(text) : "float32",
                       .dims = dims,
                       .rank = strchr(rest, '?') ? -1 : 0};
  for (char *size; value->rank >= 0 && (size = tiny_piece(&rest, "x"));) {
    bool is_symbolic = strchr("bst", *size) != NULL;
    dims[value->rank++] = (etr_dim){.size = is_symbolic ? ETR_DIM_SYMBOLIC : atoi(size),
                                    .symbol = is_symbolic ? size : NULL,
                                    .hint = -1};
  }
}

static inline void tiny_inputs(tiny_graph *g, etr_edge *edges, size_t *count, char *text) {
  for (char *name; (name = tiny_piece(&text, ","));) {
    char *dot = strchr(name, '.');
    if (dot)
      *dot = '\0';
    edges[(*count)++] = (etr_edge){tiny_node(g, name), dot ? (uint32_t)atoi(dot + 1) : 0};
  }
}

static inline const char *tiny_target(etr_arena *arena, const char *text) {
  return strchr(text, '.') ? text : etr_arena_format(arena, "aten.%s.default", text);
}

static inline void tiny_token(tiny_graph *g, etr_arena *arena, etr_node *node, char *token) {
  enum { MOST = 40 };
  char *close = strpbrk(token, ")]"), *equals = strchr(token, '=');
  uint32_t index = (uint32_t)(node - g->nodes);
  if (close)
    *close = '\0';
  if (!node->inputs)
    node->inputs = etr_arena_alloc_array(arena, MOST, sizeof *node->inputs);
  if (!node->outputs)
    node->outputs = etr_arena_alloc_array(arena, MOST, sizeof *node->outputs);
  if (!node->arguments)
    node->arguments = etr_arena_alloc_array(arena, 4, sizeof *node->arguments);
  if (*token == '(') {
    tiny_inputs(g, etr_for_foreign(node->inputs), &node->input_count, token + 1);
  } else if (*token == '[') {
    tiny_output(arena, etr_for_foreign(&node->outputs[node->output_count++]), token + 1);
  } else if (*token == '#') {
    node->debug_handle = (uint32_t)atoi(token + 1);
  } else if (*token == '@') {
    g->delegate_of[index] = atoi(token + 1);
  } else if (*token == '*') {
    g->marked[index] = true;
  } else if (*token == '^') {
    node->subgraph = (uint32_t)atoi(token + 1);
  } else {
    cr_assert_not_null(equals, "%s", token);
    *equals = '\0';
    ((etr_argument *)etr_for_foreign(node->arguments))[node->argument_count++] = (etr_argument){
        token, equals + 1};
  }
}

static inline void tiny_parse_node(tiny_graph *g, etr_arena *arena, char *text) {
  char outputs[] = "[2x3]", *name = tiny_piece(&text, " "), *target = tiny_piece(&text, " ");
  etr_node *node = &g->nodes[g->graph.node_count++];
  *node = (etr_node){.name = name, .subgraph = ETR_NONE};
  node->kind = strcmp(target, "input") == 0    ? ETR_NODE_INPUT
               : strcmp(target, "weight") == 0 ? ETR_NODE_PARAMETER
               : strcmp(target, "output") == 0 ? ETR_NODE_OUTPUT
                                               : ETR_NODE_OP;
  node->target = node->op_type = node->kind == ETR_NODE_OP ? tiny_target(arena, target) : name;
  for (char *token; (token = tiny_piece(&text, " "));)
    tiny_token(g, arena, node, token);
  if (!node->output_count && node->kind != ETR_NODE_OUTPUT)
    tiny_token(g, arena, node, outputs);
  for (size_t i = 0; i < node->output_count; i++)
    ((etr_value *)etr_for_foreign(node->outputs))[i].name = node->output_count == 1
                                                                ? name
                                                                : etr_arena_format(arena, "%s_%zu",
                                                                                   name, i);
  for (size_t i = 0; i < node->input_count; i++)
    g->uses[node->inputs[i].node]++;
}

static inline tiny_graph *tiny_graph_of(etr_arena *arena, const char *text) {
  static const etr_module root = {.path = "", .recorded = "", .type = "", .parent = ETR_NONE};
  static const etr_subgraph body = {
      .name = "true_graph_0", .path = "true_graph_0", .parent = ETR_NONE};
  tiny_graph *g = etr_arena_alloc(arena, sizeof *g);
  char *rest = etr_arena_copy(arena, etr_slice_of(text));
  size_t most = 1;
  for (const char *at = text; *at; at++)
    most += *at == ';';
  g->nodes = etr_arena_alloc_array(arena, most, sizeof *g->nodes);
  g->delegate_of = etr_arena_alloc_array(arena, most, sizeof *g->delegate_of);
  g->marked = etr_arena_alloc_array(arena, most, sizeof *g->marked);
  g->uses = etr_arena_alloc_array(arena, most, sizeof *g->uses);
  for (size_t i = 0; i < most; i++)
    g->delegate_of[i] = -1;
  g->graph = (etr_graph){
      .module = "edge", .modules = &root, .module_count = 1, .nodes = g->nodes, .subgraphs = &body};
  g->graph.subgraph_count = 1;
  for (char *piece; (piece = tiny_piece(&rest, ";"));)
    tiny_parse_node(g, arena, piece);
  return g;
}

/* Reads numbers that are joined by ','. */
static inline uint32_t *tiny_numbers(etr_arena *arena, const char *text, size_t *count) {
  char *rest = etr_arena_copy(arena, etr_slice_of(text));
  uint32_t *numbers = etr_arena_alloc_array(arena, strlen(text) / 2 + 1, sizeof *numbers);
  *count = 0;
  for (char *piece; (piece = tiny_piece(&rest, ","));)
    numbers[(*count)++] = (uint32_t)strtol(piece, NULL, 10);
  return numbers;
}

#endif
