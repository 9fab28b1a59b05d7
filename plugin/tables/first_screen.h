/* SPDX-License-Identifier: BSD-3-Clause
 *
 * first_screen.h - where a method's time goes and what to change, on one screen: for a terminal, as
 * Markdown, and for TensorBoard's text tab. Layer 5.
 */
#ifndef ETR_FIRST_SCREEN_H
#define ETR_FIRST_SCREEN_H

#include "output/answer.h"
#include "views/findings.h"
#include "views/headline.h"

/** Stands behind the first line of a method whose Edge program was changed (etr_graph.is_changed).
 */
#define ETR_CHANGED_PROGRAM                                                                        \
  "to_executorch() changed this Edge program, so times may be missing on its nodes: export it "    \
  "again"

/** The least share of the time of all rows for which a row is listed below the sum of its type,
 * here and on the page, which reads it in its document. */
#define ETR_LEAST_INSIDE 0.05

/** What is shown of a method. */
typedef struct etr_first_screen {
  const etr_method *method;
  const etr_findings *findings;
  etr_groups groups;
  etr_slice prefix; /* the deepest module that holds most of the time; names are relative to it */
  etr_headline headline;
  etr_unit unit;
  size_t most_findings, most_rows;
  bool is_part;    /* the rows are of chosen nodes */
  bool full_names; /* "aten.linear.default" instead of "linear" */
} etr_first_screen;

/** Makes the rows and the sentence. findings: of the method; empty ones of a summary that was made
 * without them will do. chosen: see etr_groups_make(). Returns false when out of memory. */
bool etr_first_screen_make(etr_first_screen *out, etr_answer *answer, const etr_method *method,
                           const etr_findings *findings, etr_unit unit, const bool *chosen);

/** Returns true if the terminal is too narrow for bars, and for sentences and reasons of one line.
 */
bool etr_first_screen_is_narrow(const etr_answer *answer);

/** Writes the sentence without the time, with bold shares in Markdown. names_method: text begins
 * with the method, since others are above it. */
void etr_first_screen_put_sentence(etr_answer *answer, const etr_first_screen *screen,
                                   bool names_method);

/** Writes two lines of boxes, as wide as their typical time: modules above, and below each module,
 * in the same columns, the operators in it; then a line of what runs where. Writes nothing in
 * Markdown, or if no time is known. */
void etr_first_screen_put_boxes(etr_answer *answer, const etr_first_screen *screen);

/** Writes what to change: two lines for each finding, or more where the screen is narrow, or a
 * table in Markdown; then how many findings are left out. If there is no room for the finding that
 * advises to measure again, it takes the place of the last one shown, unless the user gave a
 * number. Writes nothing if there are no findings. */
void etr_first_screen_put_findings(etr_answer *answer, const etr_first_screen *screen);

/** Writes the rows that add up to the whole time, with bars relative to the longest row, which is
 * the first, and how many rows are left out. Writes nothing if there are no rows, or when out of
 * memory. */
void etr_first_screen_put_rows(etr_answer *answer, const etr_first_screen *screen);

#endif
