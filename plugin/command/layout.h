/* SPDX-License-Identifier: BSD-3-Clause
 *
 * layout.h - makes pictures with Graphviz' program `dot`. Layer 6.
 *
 * It runs the program instead of linking libgvc. The library would slow down the start of every
 * command, and a program can be stopped, or crash, without harm.
 */
#ifndef ETR_LAYOUT_H
#define ETR_LAYOUT_H

#include "command/message.h"

/** Seconds until a warning suggests drawing less, and until `dot` is killed. */
typedef struct layout_patience {
  int silent_seconds, longest_seconds;
} layout_patience;

/** Writes the picture that `dot` makes of the DOT text from `emit`. format: "svg", "png". `dot`
 * runs without a shell, and its messages become warnings. Errors: ETR_ERROR_CHOICE if it is not
 * installed, fails or takes too long (the message says what to do) or if a temporary file cannot be
 * made or written, ETR_ERROR_IO (the sink refused), and what `emit` returns. Nothing goes to the
 * sink before the picture is complete. */
etr_status layout_write(const char *format, layout_patience patience, etr_emitter emit,
                        void *context, const etr_sink *sink, etr_error *error);

#endif
