/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_text.h - puts a record's names and times into DOT, escaped. Only for dot_label.c and dot_legend.c. Layer 4.
 */
#ifndef ETR_DOT_TEXT_H
#define ETR_DOT_TEXT_H

#include "dot_label.h"
#include "writer.h"

/** Text as part of a plain label or tooltip. */
void etr_dot_put(etr_writer *writer, const char *text);

/** Likewise, with its middle left out if it is longer than so many bytes. */
void etr_dot_put_short(etr_writer *writer, etr_slice text, size_t longest);

/** Text as part of an HTML-like label. */
void etr_dot_put_html(etr_writer *writer, const char *text);

/** "~0.437 ms  12.3 %": a time per inference and its share of the method; '~' where it is an estimate. */
void etr_dot_put_time(etr_writer *writer, const etr_dot_view *view, const etr_dot_sum *sum);

/** "12.3 %" */
void etr_dot_put_share(etr_writer *writer, double share);

/** "XNNPACK", and its number where there are several: "XNNPACK 3". Nothing in it has to be escaped. In the arena, or static. */
const char *etr_dot_delegate_label(const etr_dot_view *view, size_t delegate);

#endif
