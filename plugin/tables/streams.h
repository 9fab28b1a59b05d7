/* SPDX-License-Identifier: BSD-3-Clause
 *
 * streams.h - tables of which a program may have the rows instead of the text. Layer 5.
 */
#ifndef ETR_STREAMS_H
#define ETR_STREAMS_H

#include "output/arrow.h"

/** Where a table goes: out through the sink or, if there is one, into columns. */
typedef struct etr_table_target {
  const etr_sink *sink;
  etr_arrow *arrow;
} etr_table_target;

/** Each writes a table, as etr_emit_events_table() and etr_emit_nodes_table() do. */
etr_status etr_write_events(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                            etr_table_target target, etr_error *error);
etr_status etr_write_nodes(const etr_profile *profile, const etr_node_filter *filter, const etr_table_options *options,
                           etr_table_target target, etr_error *error);

#endif
