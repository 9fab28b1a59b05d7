/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot.h - a graph as DOT, for who has its scopes already. Layer 5.
 */
#ifndef ETR_DOT_H
#define ETR_DOT_H

#include "etrecord_tb.h"
#include "views/scope.h"

/** As etr_emit_dot(); scopes: the graph's. */
etr_status etr_dot_write(const etr_profile *profile, size_t graph, const etr_scopes *scopes,
                         const etr_dot_options *options, const etr_sink *sink, etr_error *error);

#endif
