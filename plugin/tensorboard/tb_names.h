/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_names.h - names and other texts as TensorBoard's graph tab can show them. Layer 5.
 *
 * The page makes its hierarchy from the names of nodes: '/' separates the boxes. The server sends a graph as protobuf
 * text and the page never undoes that format's escapes, so only printable ASCII without quotes and backslashes arrives
 * as it was written.
 */
#ifndef ETR_TB_NAMES_H
#define ETR_TB_NAMES_H

#include "views/scope.h"

/**
 * One name for each node of the graph, in the arena; NULL when out of memory.
 *   - "layers.0/attn/softmax-aten__softmax_default_2": the boxes of scope.h, then the operator and the node's own name;
 *     the page searches in names.
 *   - The page's search takes a regular expression, in which '.' is '/', too: a module's full path is found where boxes
 *     read like it. A box that is called otherwise ends in it: "layer_2-encoder.layers.encoder_layer_2".
 *   - A module that holds a single operator is no box: the operator is called like it,
 * "layers.0/fc1-aten_linear_default", or "0_relu-aten_relu_default" if that is only a number.
 *   - A weight is "NAME/weight" with the name of the first node that uses it.
 *   - Names are unique, printable ASCII, and none is a box as well as a node.
 *   - No five siblings end in consecutive numbers only: the page would stack them.
 */
const char **etr_tb_names(etr_arena *arena, const etr_graph *graph, const etr_scopes *scopes);

enum {
  ETR_TB_TEXT_ROOM = 1004, /* of an attribute's text, with its NUL: TensorBoard may leave out attributes above 1 KB */
  ETR_TB_NAME_ROOM = 256,  /* of one part of a name */
};

/** An attribute's text: the text itself if nothing in it has to be replaced. Otherwise it is written into `room`, which
 * has ETR_TB_TEXT_ROOM bytes, with a NUL at its end; cut with "..." if it does not fit. */
etr_slice etr_tb_clean_text(char *room, etr_slice text);

/** Writes one part of a node's name: without '/' and ':', never empty. Returns its size without the NUL; at most
 * ETR_TB_NAME_ROOM is written. */
size_t etr_tb_clean_name(char *to, etr_slice text);

/** Writes an operator: a clean name that the page does not take for a constant, a summary or a no-op, which it would
 * draw aside. */
size_t etr_tb_clean_op(char *to, etr_slice text);

#endif
