/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_fields.h - all that is told of a node, in every output: the nodes' JSON and tables, the summary's operators,
 * TensorBoard's page of operators, the dashboard's document. Layer 5.
 *
 * A column is added here, and nowhere else: its getter, and an entry in the list. The dashboard shows what web/model.js
 * reads of the document.
 */
#ifndef ETR_NODE_FIELDS_H
#define ETR_NODE_FIELDS_H

#include "tables/cost_fields.h"
#include "views/logged.h"

/** A node and what its cells are made of. */
typedef struct etr_node_row {
  etr_arena *arena; /* for texts that are made */
  const etr_profile *profile;
  const etr_graph *graph;
  const etr_node *node;
  const etr_method *method;       /* whose runs were timed; NULL */
  const etr_node_time *known;     /* how it runs; never NULL */
  const etr_node_time *time;      /* the same if it was timed, else one without times */
  const etr_logged_nodes *values; /* what was logged of the graph's nodes; JSON documents only */
  etr_cost_figures cost;          /* per inference; of one call where it was not timed */
  bool is_text;                   /* for people, with as little as tells */
  const double *summed_p50;       /* of all rows of its graph or table; read where rows have shares */

  /* The dashboard's document only: */
  etr_text *joined;         /* holds a text until the next one is made */
  uint32_t source, carrier; /* index of the source line, of the operator that carries its time; ETR_NONE */
} etr_node_row;

/** What the rows shown in a table have in common: the context of its table. */
typedef struct etr_node_columns {
  bool several_graphs;
  bool timed;             /* some ran */
  bool has_numbers;       /* some are instructions, whose names say nothing */
  bool some_cycles;       /* some backend counted cycles */
  bool some_units;        /* some compute unit is told */
  bool uneven;            /* some did not run once in each run */
  const char *only_match; /* how all of them were matched, if in one way; NULL */
} etr_node_columns;

enum { ETR_IN_OPERATORS = ETR_IN_OWN }; /* the operators in a summary */

/** The row of a node, by its index. */
etr_node_row etr_node_row_of(etr_arena *arena, const etr_profile *profile, const etr_graph *graph, size_t node);

/** Finds out what the rows that a table will show, etr_node_row each, have in common. */
etr_node_columns etr_node_columns_of(const etr_table *table);

#endif
