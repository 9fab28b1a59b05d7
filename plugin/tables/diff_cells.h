/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_cells.h - what the text and the Markdown of a comparison have in common: words, cells, whole tables. Layer 5.
 */
#ifndef ETR_DIFF_CELLS_H
#define ETR_DIFF_CELLS_H

#include "diff_rows.h"
#include "table.h"

/** What is written, and how. */
typedef struct etr_diff_output {
  const etr_comparison *comparison;
  const etr_diff_filter *filter; /* may be NULL */
  const etr_table_options *options;
  etr_arena arena;
  etr_writer writer;
} etr_diff_output;

/** "+0.0123" with the unit's decimals; no sign where all digits are 0. This and the other texts are in the arena, "" when out of memory. */
const char *etr_diff_signed_time(etr_diff_output *o, double ticks);
/** "+12.3 %" of the base; "" without a base. */
const char *etr_diff_percent(etr_diff_output *o, const etr_change *change);
/** "12.3 % slower", "within noise", "only in the base", ...: of a method. */
const char *etr_diff_verdict_text(etr_diff_output *o, const etr_change *execute);
/** "26.6621 -> 0.4066 ms, noise +-4.0649", as far as the sides have them. */
const char *etr_diff_medians_text(etr_diff_output *o, const etr_change *change);

/** "51 faster, 13 within noise, 88 timed on one side only". */
const char *etr_diff_counts_text(etr_diff_output *o, const etr_diff_rows *rows);
/** "216 of 219 timed nodes of both sides line up"; a plain warning where these may be different models. */
const char *etr_diff_lined_up_text(etr_diff_output *o, const etr_method_pair *method);
/** What medians, averages and noise are: the legend under tables. */
const char *etr_diff_legend(void);

/** Title of a section: "node", "new node", "operator". */
const char *etr_diff_section_title(etr_diff_section section);
/** True if there is something to show. */
bool etr_diff_has_rows(const etr_diff_output *o, const etr_diff_rows *rows);
/** Writes a section's rows: the news, at most options.top; all rows where that is 0. Gives how many. */
size_t etr_diff_write_section(etr_diff_output *o, const etr_method_pair *method, const etr_diff_rows *rows, etr_diff_section section,
                              etr_table_format format);
/** Writes the averages of the parts of Method::execute on both sides. */
void etr_diff_write_balance(etr_diff_output *o, const etr_method_pair *method, etr_table_format format);
/** How the first `shown` rows and the rest add up to the change of Method::execute's average, in one line. */
const char *etr_diff_adds_up_text(etr_diff_output *o, const etr_method_pair *method, const etr_diff_rows *rows, size_t shown);

/** Writes everything as Markdown that fits a comment of a pull request. False when out of memory. */
bool etr_diff_markdown(etr_diff_output *o);

#endif
