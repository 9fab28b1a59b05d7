/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot.h - writes a graph as DOT, for callers that already have its scopes. Layer 5.
 */
#ifndef ETR_DOT_H
#define ETR_DOT_H

#include "etrecord_tb.h"
#include "views/scope.h"

/** Writes a graph like etr_emit_dot(). scopes: the scopes of the graph. */
etr_status etr_dot_write(const etr_profile *profile, size_t graph, const etr_scopes *scopes,
                         const etr_dot_options *options, const etr_sink *sink, etr_error *error);

#endif
