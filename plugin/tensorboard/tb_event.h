/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_event.h - the event file of one entry point, for who has its graph's scopes already. Layer 5.
 */
#ifndef ETR_TB_EVENT_H
#define ETR_TB_EVENT_H

#include "etrecord_tb.h"
#include "views/scope.h"

/** As etr_emit_events(); scopes: the graph's. tells_record: with what is told of the whole record, which belongs into
 * one of its files. */
etr_status etr_tb_events_write(const etr_profile *profile, size_t graph, const etr_scopes *scopes, bool tells_record,
                               const etr_events_options *options, const etr_sink *sink, etr_error *error);

#endif
