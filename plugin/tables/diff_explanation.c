/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_explanation.c - what a change consists of, as a table that adds up.
 */
#include "tables/diff_output.h"
#include "views/diff_view.h"
#include "views/interruptions.h"

#include <math.h>

/* ---- A table ---- */

typedef struct table_row {
  etr_diff_output *output;
  const char *text;
  double base, newer;
  const etr_change *judged; /* NULL of sums */
  double apart; /* of a time that is no part of Method::execute: the longer of both; else 0 */
} table_row;

static const table_row *as_row(const void *row) {
  return row;
}
static etr_cell base(const void *row) {
  return (etr_cell){.number = as_row(row)->base, .apart = as_row(row)->apart};
}
static etr_cell newer(const void *row) {
  return (etr_cell){.number = as_row(row)->newer, .apart = as_row(row)->apart};
}
/* Returns the change of a line's time; a side that did not time it counts as 0. A line that is no
 * part of the sum has digits by its own size (apart). */
static etr_cell change(const void *row) {
  return (etr_cell){.number = etr_known_time(as_row(row)->newer) -
                              etr_known_time(as_row(row)->base),
                    .is_signed = true,
                    .apart = as_row(row)->apart};
}

static etr_cell percent(const void *row) {
  return etr_cell_text(
      as_row(row)->judged ? etr_diff_percent(as_row(row)->output, as_row(row)->judged) : "");
}
static etr_cell verdict(const void *row) {
  return etr_cell_text(as_row(row)->judged ? etr_diff_verdict_word(as_row(row)->judged) : "");
}

static const etr_field fields[] = {
    {NULL, "", ETR_CELL_NAME, ETR_IN_TABLES, ETR_AT(table_row, text)},
    {NULL, "base", ETR_CELL_TIME, ETR_IN_TABLES, .get = base, .unit_in = ETR_IN_TABLES},
    {NULL, "new", ETR_CELL_TIME, ETR_IN_TABLES, .get = newer, .unit_in = ETR_IN_TABLES},
    {NULL, "change", ETR_CELL_TIME, ETR_IN_TABLES, .get = change},
    {NULL, "%", ETR_CELL_NUMBER, ETR_IN_TABLES, .get = percent},
    {NULL, "", ETR_CELL_WORD, ETR_IN_TABLES, .get = verdict},
};

typedef struct table {
  etr_diff_output *output;
  const etr_method_pair *method;
  const etr_node_groups *groups; /* what the operators are divided by */
  etr_table table;
} table;

/* Adds a line to the table, with times in ticks (NaN: not timed on that side). change: the one with
 * a verdict; NULL: the line has none. apart: a time, in ticks, by whose size the digits of this
 * line are chosen, because it is no part of the sum; 0 for a part of Method::execute. */
static void add_table_line(table *explanation, const char *text, double base, double newer,
                           const etr_change *change, double apart) {
  table_row *row = etr_arena_alloc_array(&explanation->output->answer.arena, 1, sizeof *row);
  if (!row || !text)
    return;
  *row = (table_row){explanation->output, text, base, newer, change, apart};
  /* "", 0: rows stay in the order in which they are added. */
  etr_table_add_row(&explanation->table, row, "", 0);
}

/* Adds a line about Method::execute or a part of it. */
static void add_part_line(table *t, const char *text, double base, double newer,
                          const etr_change *judged) {
  add_table_line(t, text, base, newer, judged, 0);
}

/* These return the time of a row on a side, or NaN if the row has none. */
static double base_time(const etr_change *change) {
  return change->base_runs ? change->base_typical : NAN;
}
static double new_time(const etr_change *change) {
  return change->new_runs ? change->new_typical : NAN;
}

/* Returns a sum with a time added; an unknown time (NaN) adds nothing. The sum is NaN until one
 * time is known. */
static double sum_of_known(double sum, double time) {
  return isnan(sum) ? time : sum + etr_known_time(time);
}

enum { EVERY_GROUP = INT32_MAX }; /* limit of --top 0, which shows also groups without time */

/* On which sides a group is. */
typedef enum side_kind { ON_BOTH, GONE, NEW, KINDS } side_kind;

/* Returns on which sides a group is, by its verdict. */
static side_kind side_kind_of(const etr_change *change) {
  if (change->verdict == ETR_VERDICT_GONE)
    return GONE;
  return change->verdict == ETR_VERDICT_NEW ? NEW : ON_BOTH;
}

/* Returns true if a group has a line of its own. The first `most` groups have, but not those whose
 * time is 0 on both sides: it is below the clock's step, and says nothing. With EVERY_GROUP these
 * have lines, too. */
static bool has_own_line(const table *t, size_t group, size_t most) {
  const etr_change *change = &t->groups->rows[group].change;
  bool is_zero = !(etr_known_time(base_time(change)) > 0) &&
                 !(etr_known_time(new_time(change)) > 0);
  return group < most && (most == EVERY_GROUP || !is_zero);
}

/* Adds up the groups of a kind, or of all kinds (KINDS), that have no line among the first
 * `line_limit`. Sets both times to NAN if there are none. Returns their number. */
static size_t sum_hidden_groups(const table *t, size_t line_limit, side_kind wanted, double *base,
                                double *newer) {
  size_t count = 0;
  *base = *newer = NAN;
  for (size_t i = 0; i < t->groups->count; i++) {
    const etr_change *change = &t->groups->rows[i].change;
    if (has_own_line(t, i, line_limit) || (wanted != KINDS && side_kind_of(change) != wanted))
      continue;
    *base = sum_of_known(*base, base_time(change));
    *newer = sum_of_known(*newer, new_time(change));
    count++;
  }
  return count;
}

/* Adds a line with the sum of all groups, one for each of the first groups (at most --top; 0: all),
 * and one for the sum of the others on both sides, only in the base, and only in the new record,
 * but not these if no group has a line. The last argument of add_part_line() is the change with a
 * verdict: sums have none. */
static void add_group_lines(table *t, const char *title) {
  static const char *const kind_words[] = {"on both sides", "only in the base",
                                           "only in the new record"};
  etr_arena *arena = &t->output->answer.arena;
  size_t top = t->output->answer.options->top, line_limit = top ? top : EVERY_GROUP, lines = 0;
  double base, newer;
  if (t->groups->count == 0)
    return;
  sum_hidden_groups(t, 0, KINDS, &base, &newer);
  add_part_line(t, title, base, newer, NULL);
  for (size_t i = 0; i < t->groups->count; i++) {
    const etr_node_group *group = &t->groups->rows[i];
    if (!has_own_line(t, i, line_limit))
      continue;
    add_part_line(t, etr_arena_format(arena, "  %s", etr_diff_group_text(t->output, group)),
                  base_time(&group->change), new_time(&group->change), &group->change);
    lines++;
  }
  for (side_kind hidden = ON_BOTH; lines && hidden < KINDS; hidden++) {
    size_t count = sum_hidden_groups(t, line_limit, hidden, &base, &newer);
    if (count)
      add_part_line(t, etr_arena_format(arena, "  %zu more, %s", count, kind_words[hidden]), base,
                    newer, NULL);
  }
}

/* Returns true for the parts of Method::execute whose time the lines of the groups already show:
 * graph operators and, in groups by kernel or event, also operators on no node and inserted ones.
 */
static bool is_divided(etr_time_part part, etr_diff_section section, bool by_events) {
  bool has_all_operators = section == ETR_DIFF_SECTION_KERNELS || by_events;
  if (part == ETR_TIME_UNPLACED || part == ETR_TIME_INSERTED)
    return has_all_operators;
  return part == ETR_TIME_OPERATORS;
}

/* Adds the lines of the groups and of the other parts, which together add up to Method::execute.
 * Returns false when out of memory. */
static bool add_all_lines(table *t, etr_diff_section section) {
  bool has_all_operators = section == ETR_DIFF_SECTION_KERNELS || t->method->by_events;
  etr_part_changes parts;
  if (!etr_part_changes_make(&parts, &t->output->answer.arena, t->output->comparison, t->method))
    return false;
  add_group_lines(t, has_all_operators ? "kernels and operators" : "graph operators");
  for (size_t i = 0; i < parts.count; i++) {
    const etr_part_changes_row *row = &parts.rows[i];
    if (!is_divided(row->part, section, t->method->by_events))
      add_part_line(t, row->text, row->base_typical, row->new_typical, row->change);
  }
  return true;
}

bool etr_diff_write_explanation(etr_diff_output *o, const etr_method_pair *method) {
  const etr_change *execute = &method->execute, *load = etr_diff_load(o->comparison);
  etr_diff_section section = etr_diff_first_section(o->filter, method);
  table t = {.output = o, .method = method, .groups = etr_diff_groups(method, section)};
  etr_table_init(&t.table, &o->answer, ETR_FIELDS(fields));
  t.table.time_digits = ETR_DIFF_TIME_DIGITS;
  t.table.top = 0; /* rows have been chosen before they are added */
  bool is_interrupted = etr_diff_interrupted_share(o, method, false) > 0 ||
                        etr_diff_interrupted_share(o, method, true) > 0;
  t.table.title = is_interrupted ? "typical run" ETR_WITH_INTERRUPTIONS : "typical run";
  if (!add_all_lines(&t, section))
    return false;
  add_part_line(&t, "Method::execute", execute->base_typical, execute->new_typical, execute);
  if (load)
    add_table_line(&t, "load, once", base_time(load), new_time(load), load,
                   fmax(etr_known_time(base_time(load)), etr_known_time(new_time(load))));
  etr_table_lay_out_rows(&t.table);
  etr_table_write(&t.table);
  return true;
}
