/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegate_fields.h - all that is told of a delegate: tables and JSON of `delegation`, the dashboard's document.
 * Layer 5.
 */
#ifndef ETR_DELEGATE_FIELDS_H
#define ETR_DELEGATE_FIELDS_H

#include "output/sheet.h"
#include "views/delegation.h"

/** A delegate and what its cells are made of. */
typedef struct etr_delegate_cells {
  const etr_method *method;
  const etr_delegate_row *row;
  double runs; /* its times are divided by this; 1: they are totals */
} etr_delegate_cells;

/** What the delegates shown in a table tell: the context of its sheet. */
typedef struct etr_delegate_table {
  bool timed;
  bool phases[ETR_PHASES], units[ETR_COMPUTE_UNITS];
} etr_delegate_table;

/** The rows of a method's delegates that filter (NULL: all) takes. NULL when out of memory. */
const etr_delegate_cells *etr_delegate_cells_make(etr_arena *arena, const etr_profile *profile,
                                                  const etr_method *method, const etr_node_filter *filter, double runs,
                                                  size_t *count);

/** Adds what rows tell to a table's context, zeroed at first. */
void etr_delegate_table_add(etr_delegate_table *table, const etr_delegate_cells *cells, size_t count);

/** Whether any of its delegates tells a phase, or a compute unit. */
bool etr_delegate_table_tells(const etr_delegate_table *table);

#endif
