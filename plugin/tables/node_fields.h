/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_fields.h - the columns of nodes in every output: the JSON and tables of `nodes`, the
 * operators of a summary, TensorBoard's page of operators, the dashboard's document. Layer 5.
 *
 * A new column is added here and nowhere else: a getter, and an entry in the list. The dashboard
 * shows the columns that web/model.js reads from the document.
 */
#ifndef ETR_NODE_FIELDS_H
#define ETR_NODE_FIELDS_H

#include "tables/cost_fields.h"
#include "views/accuracy_view.h"
#include "views/logged.h"

/** A node and everything from which its cells are made. */
typedef struct etr_node_row {
  etr_arena *arena; /* for texts that are composed */
  const etr_profile *profile;
  const etr_graph *graph;
  const etr_node *node;
  const etr_module *module;
  const etr_source *in_source; /* its source line; NULL: not known */
  const etr_method *method;    /* the method whose runs were timed; may be NULL */
  const etr_node_time *known;  /* how it runs; never NULL */
  const etr_node_time
      *time; /* the same as `known` if the node was timed, or else times that are all unknown */
  const etr_logged_nodes
      *values; /* values that the graph's nodes logged; only for JSON documents */
  const etr_node_accuracy *accuracy; /* NULL: its values were not compared */
  const char *kind, *match;
  const char *subgraph;     /* path; NULL: it is in none */
  const char *carried_by;   /* name of the node that carries its time; NULL: none */
  etr_cost_figures cost;    /* cost per inference, or of one call if the node was not timed */
  bool is_text;             /* for people, who read a short form */
  const double *summed_p50; /* sum of the medians of all rows of its graph or table; only used if
                               rows have shares */

  /* The dashboard's document only: */
  etr_text *joined;         /* holds a text until the next one is made */
  uint32_t source, carrier; /* indices of the source line, and of the operator into which it was
                               fused; ETR_NONE if there is none */
} etr_node_row;

/** What the rows of a table have in common. It is the context of the table. */
typedef struct etr_node_columns {
  bool several_graphs;
  bool timed;         /* some nodes ran */
  bool has_numbers;   /* some nodes are instructions, whose names say nothing */
  bool some_accuracy; /* the values of some nodes were compared with a reference */
  bool uneven;        /* some nodes did not run exactly once in each run */
  const char
      *only_match; /* how all nodes were matched, if all were matched in the same way; else NULL */
} etr_node_columns;

enum { ETR_IN_OPERATORS = ETR_IN_OWN }; /* the operators in a summary */

/** Appends the types and shapes of a node's outputs to a text: "f32[1,8], i64[1]". Returns false
 * when out of memory. */
bool etr_node_append_output_shapes(etr_text *text, const etr_node *node);

/** Returns the row of a node, given by its index. Its `known` is what is known of the node's time,
 * and `time` has the same if the node ran, or else no time at all. */
etr_node_row etr_node_row_make(etr_arena *arena, const etr_profile *profile, const etr_graph *graph,
                               size_t node);

/** Finds out what the rows that a table will show have in common, which decides which columns and
 * lines people get. The rows are etr_node_row. With no timed rows, `timed` is false and only_match
 * NULL. */
etr_node_columns etr_node_columns_find(const etr_table *table);

#endif
