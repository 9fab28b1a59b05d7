/* SPDX-License-Identifier: BSD-3-Clause
 *
 * layout.h - pictures, by Graphviz' program `dot`. Layer 6.
 *
 * A program of its own, not libgvc: its libraries would be loaded at each start of every command, a layout that takes too long can be ended, and what
 * goes wrong in it ends nothing here.
 */
#ifndef ETR_LAYOUT_H
#define ETR_LAYOUT_H

#include "message.h"

/**
 * Writes what `dot` makes of the DOT text that `emit` gives. format: "svg", "png". `dot` runs without a shell; what it has to say becomes warnings.
 *
 * Errors: ETR_ERROR_CHOICE where it is not installed, fails or takes too long (the message says what to do), ETR_ERROR_IO (the sink refused), and
 * what `emit` returns. The sink gets nothing before the picture is complete.
 */
etr_status layout_write(const char *format, etr_emitter emit, void *context, const etr_sink *sink, etr_error *error);

#endif
