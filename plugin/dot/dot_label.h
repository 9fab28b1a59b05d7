/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_label.h - the texts in a DOT file: labels, tooltips, legend. Layer 4.
 *
 * All are escaped: whatever a record calls its nodes, nothing of it is taken for one of DOT's escape sequences, an
 * entity or a tag. (Only '"' is left for cgraph to escape.) They are in the view's arena, and NULL when out of memory.
 */
#ifndef ETR_DOT_LABEL_H
#define ETR_DOT_LABEL_H

#include "dot/dot_plan.h"
#include "output/writer.h"

/** What the texts are about. */
typedef struct etr_dot_view {
  const etr_profile *profile;
  const etr_graph *graph;
  const etr_method *method; /* whose times are on the graph; NULL if none */
  const etr_dot_plan *plan;
  etr_arena *arena;
} etr_dot_view;

char *etr_dot_box_label(const etr_dot_view *view, const etr_dot_box *box);
char *etr_dot_box_tooltip(const etr_dot_view *view, const etr_dot_box *box);
char *etr_dot_cluster_label(const etr_dot_view *view, uint32_t scope);
char *etr_dot_scope_tooltip(const etr_dot_view *view, uint32_t scope);

/** What the picture shows and what its colours mean, as an HTML-like label. */
char *etr_dot_legend(const etr_dot_view *view);

/** Share of the ramp of heat.h that stands for so many ticks; its square root, so that small times can still be told
 * from none. */
double etr_dot_heat(const etr_dot_plan *plan, double ticks);

/* ---- Pieces of these texts, escaped ---- */

/** Text as part of a plain label or tooltip. */
void etr_dot_put(etr_writer *writer, const char *text);

/** Likewise, with its middle left out if it is longer than so many bytes. */
void etr_dot_put_short(etr_writer *writer, etr_slice text, size_t longest);

/** Text as part of an HTML-like label. */
void etr_dot_put_html(etr_writer *writer, const char *text);

/** "~0.437 ms  12.3 %": a time per inference, "<1.00 us" if its clock cannot tell it, and its share of the method; '~'
 * where it is an estimate. */
void etr_dot_put_time(etr_writer *writer, const etr_dot_view *view, const etr_dot_sum *sum);

/** What shares are of: the method's average, or the sum of its nodes' medians; 0: not known. */
double etr_dot_whole(const etr_dot_view *view);

/** "12.3 %" */
void etr_dot_put_share(etr_writer *writer, double share);

/** "XNNPACK", and its number where there are several: "XNNPACK 3". Nothing in it has to be escaped. In the arena, or
 * static. */
const char *etr_dot_delegate_label(const etr_dot_view *view, size_t delegate);

#endif
