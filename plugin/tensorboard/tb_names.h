/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_names.h - makes names and other texts that TensorBoard's graph tab can show. Layer 5.
 *
 * The page makes its hierarchy from the names of nodes: '/' separates the boxes. The server sends a
 * graph as protobuf text and the page never undoes that format's escapes, so only printable ASCII
 * without quotes and backslashes arrives as it was written.
 */
#ifndef ETR_TB_NAMES_H
#define ETR_TB_NAMES_H

#include "views/scope.h"

/**
 * Returns one name for each node of the graph, in the arena; NULL when out of memory.
 *   - "layers.0/attn/softmax-aten__softmax_default_2": the boxes of scope.h, then the operator and
 * the node's own name; the page searches in names.
 *   - The page's search takes a regular expression, in which '.' also matches '/', so a module's
 * full path is found if the names of the boxes form it. Any other box has a name that ends in the
 * path: "layer_2-encoder.layers.encoder_layer_2".
 *   - A module with a single operator has no box. The operator is named after the module,
 * "layers.0/fc1-aten_linear_default", or "0_relu-aten_relu_default" if the module's name is only a
 * number.
 *   - A weight is "NAME/weight" with the name of the first node that uses it.
 *   - Names are unique, printable ASCII, and none is a box as well as a node.
 *   - No five siblings end in consecutive numbers only: the page would stack them.
 */
const char **etr_tb_names(etr_arena *arena, const etr_graph *graph, const etr_scopes *scopes);

enum {
  ETR_TB_TEXT_ROOM = 1004, /* of an attribute's text, with its NUL: TensorBoard may leave out
                              attributes above 1 KB */
  ETR_TB_NAME_ROOM = 256,  /* of one part of a name */
};

/** Returns a clean text for an attribute: the text itself if nothing has to be replaced. Otherwise
 * the clean text is written into `room`, which has ETR_TB_TEXT_ROOM bytes, with a NUL at the end,
 * and cut with "..." if it does not fit.
 */
etr_slice etr_tb_clean_text(char *room, etr_slice text);

/** Writes one part of a node's name, without '/' and ':', never empty. Returns its size in bytes
 * without the NUL; at most ETR_TB_NAME_ROOM bytes are written. */
size_t etr_tb_clean_name(char *to, etr_slice text);

/** Writes an operator: a clean name that the page does not take for a constant, a summary or a
 * no-op, which it would draw aside. */
size_t etr_tb_clean_op(char *to, etr_slice text);

#endif
