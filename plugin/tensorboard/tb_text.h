/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_text.h - text as TensorBoard's graph tab can show it. Layer 5.
 *
 * The server sends a graph as protobuf text and the page never undoes that format's escapes, so that only printable ASCII without quotes and
 * backslashes arrives as it was written.
 */
#ifndef ETR_TB_TEXT_H
#define ETR_TB_TEXT_H

#include "base.h"

enum {
  ETR_TB_TEXT_ROOM = 1004, /* of an attribute's text, with its NUL: TensorBoard may leave out attributes above 1 KB */
  ETR_TB_NAME_ROOM = 100,  /* of one part of a name */
};

/**
 * An attribute's text: nearly always `text` itself, otherwise what was made of it in `room`, which has ETR_TB_TEXT_ROOM bytes, ended with a NUL; cut
 * with "..." if it does not fit there.
 */
etr_slice etr_tb_clean_text(char *room, etr_slice text);

/** Writes one part of a node's name: without '/' and ':', never empty. Returns its size without the NUL; at most ETR_TB_NAME_ROOM is written. */
size_t etr_tb_clean_name(char *to, etr_slice text);

/** Writes an operator: a clean name that the page does not take for a constant, a summary or a no-op, which it would draw aside. */
size_t etr_tb_clean_op(char *to, etr_slice text);

#endif
