/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_table.h - the values of one graph while its program is read. Layer 2.
 *
 * Shapes stand behind the nodes in the document, and nested graphs have names of their own. So uses and definitions are
 * noted by a value's index in the table of its graph, and resolved to nodes when the graph ends.
 */
#ifndef ETR_VALUE_TABLE_H
#define ETR_VALUE_TABLE_H

#include "inputs/tensor_meta.h"

/** A value of a graph. */
typedef struct etr_table_value {
  uint32_t node, output;  /* that defines it; ETR_NONE while unknown */
  etr_value meta;         /* its name, and its shape once that is read */
  const char *expression; /* of a symbolic number; NULL if none is told */
} etr_table_value;

typedef struct etr_value_table {
  etr_arena *scratch;
  etr_tensor_metas *metas;
  etr_map by_name; /* -> index in values */
  etr_vec(etr_table_value) values;
} etr_value_table;

/** Indices of values. */
typedef etr_vec(uint32_t) etr_value_list;

/** An empty table in `scratch`. `metas` reads shapes, and tells where names are interned. */
void etr_value_table_init(etr_value_table *table, etr_tensor_metas *metas, etr_arena *scratch);

/** Reads an argument of any form, one value, a list, a list of unions or null, and adds the values that it names, in
 * the document's order, to the list, which lives in the table's scratch. */
void etr_value_table_collect(etr_value_table *table, etr_value_list *list, etr_json *json);

/** Reads tensor_values, {NAME: shape}, or, where `symbolic_type` is "int", "bool" or "float", the sym_*_values of that
 * type, {NAME: expression}. */
void etr_value_table_read_shapes(etr_value_table *table, const char *symbolic_type, etr_json *json);

/** The expression of a symbolic number; NULL if none is told. An etr_symbol_of; the context is the table. */
const char *etr_value_table_expression(void *table, etr_slice name);

#endif
