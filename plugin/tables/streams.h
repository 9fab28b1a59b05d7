/* SPDX-License-Identifier: BSD-3-Clause
 *
 * streams.h - tables whose rows programs can read as columns in memory instead of text. Layer 5.
 */
#ifndef ETR_STREAMS_H
#define ETR_STREAMS_H

#include "output/arrow.h"

/** Where a table is written: to the sink or, if `arrow` is set, into columns in memory. */
typedef struct etr_table_target {
  const etr_sink *sink;
  etr_arrow *arrow;
} etr_table_target;

/** Write the tables of etr_emit_events_table() and etr_emit_nodes_table() to a target. Errors: those of these
 * functions. */
etr_status etr_write_events(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                            etr_table_target target, etr_error *error);
etr_status etr_write_nodes(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                           etr_table_target target, etr_error *error);

#endif
