/* SPDX-License-Identifier: BSD-3-Clause
 *
 * moved.h - how many bytes an operator reads and writes. Layer 3.
 */
#ifndef ETR_MOVED_H
#define ETR_MOVED_H

#include "cost/amount.h"

/** True of what touches no tensor: a view of one (aten.view, not aten.view_copy), a number, a choice among outputs,
 * control flow and calls of delegates, whose own nodes do. */
bool etr_moves_nothing(const etr_graph *graph, const etr_node *node);

/** Bytes that one call reads of its input at a place: all of it, but for operators that look up parts of their first
 * one (embedding, slice), which read as much as they give, and those that replace parts of it, which read none. */
etr_amount etr_read_bytes(const etr_graph *graph, const etr_node *node, size_t place);

/** Bytes that one call writes of an output: all of it, but for operators that replace parts of what they are given. */
etr_amount etr_written_bytes(const etr_graph *graph, const etr_node *node, size_t output);

#endif
