/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace_format.h - what the formats of a trace have in common: which runs they show, and the names
 * of methods and events. Layer 5.
 */
#ifndef ETR_TRACE_FORMAT_H
#define ETR_TRACE_FORMAT_H

#include "etrecord_tb.h"
#include "trace/trace_place.h"

/** Returns true if a trace with these options shows a run: one of the method that they name, or any
 * run if they name none. */
bool etr_trace_shows(const etr_profile *profile, const etr_trace_options *options, uint32_t run);

/** Returns the name of a block's method: "forward", "load" or "unknown method". */
const char *etr_trace_method_name(const etr_profile *profile, const etr_block *block);

/** Returns the node of an event; NULL if it has none. */
const etr_node *etr_trace_node(const etr_profile *profile, const etr_block *block,
                               const etr_event *event);

/** Returns the path of the module of an event's node; "" if it is of no module, or has no node. */
const char *etr_trace_module(const etr_profile *profile, const etr_block *block,
                             const etr_event *event);

/** Writes the runs as stacks, for flame graphs, in the format of the options, which is not
 * Chrome's. Errors: ETR_ERROR_IO, ETR_ERROR_MEMORY. */
etr_status etr_trace_write_stacks(const etr_profile *profile, const etr_trace_options *options,
                                  const etr_sink *sink, etr_error *error);

#endif
