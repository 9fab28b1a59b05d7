/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_explanation.c - what a change consists of, as a table and as JSON.
 */
#include "tables/diff_output.h"
#include "views/diff_view.h"

#include <math.h>

/* ---- A table ---- */

typedef struct table_row {
  etr_diff_output *of;
  const char *text;
  double base, newer;
  const etr_change *judged; /* NULL of sums */
} table_row;

static const table_row *as_row(const void *row) {
  return row;
}
static etr_cell base(const void *row) {
  return etr_cell_number(as_row(row)->base);
}
static etr_cell newer(const void *row) {
  return etr_cell_number(as_row(row)->newer);
}
static etr_cell change(const void *row) {
  return (etr_cell){.number = etr_known_time(as_row(row)->newer) -
                              etr_known_time(as_row(row)->base),
                    .is_signed = true};
}

static etr_cell percent(const void *row) {
  return etr_cell_text(as_row(row)->judged ? etr_diff_percent(as_row(row)->of, as_row(row)->judged)
                                           : "");
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
  etr_diff_output *of;
  const etr_method_pair *method;
  const etr_explanation *explanation;
  etr_table table;
} table;

static void put_line(table *t, const char *text, double base, double newer,
                     const etr_change *judged) {
  table_row *row = etr_arena_alloc_array(&t->of->answer.arena, 1, sizeof *row);
  if (!row || !text)
    return;
  *row = (table_row){t->of, text, base, newer, judged};
  etr_table_add(&t->table, row, "", 0);
}

/* These return the median of a row on a side, or NaN if the row has none. */
static double base_median(const etr_change *change) {
  return change->base_runs ? change->base_p50 : NAN;
}
static double new_median(const etr_change *change) {
  return change->new_runs ? change->new_p50 : NAN;
}

/* Adds a median to a sum. The sum stays NaN until one is known. */
static double added(double sum, double time) {
  return isnan(sum) ? time : sum + etr_known_time(time);
}

enum { EVERY_GROUP = INT32_MAX }; /* --top 0 */

/* Returns true if a group has a line of its own. The first `most` groups have, but not those whose
 * median is 0 on both sides: their time is below the clock's step, and says nothing. */
static bool has_line(const etr_explanation *e, size_t group, size_t most) {
  const etr_change *change = e->rows[group].change;
  bool is_zero = !(etr_known_time(base_median(change)) > 0) &&
                 !(etr_known_time(new_median(change)) > 0);
  return group < most && (most == EVERY_GROUP || !is_zero);
}

/* Adds up the medians of the groups that have no line among the first `most`, of one kind or of
 * all. Returns how many they are. */
static size_t sum_groups(const etr_explanation *e, size_t most, etr_explained_kind kind,
                         double *base, double *newer) {
  size_t count = 0;
  *base = *newer = NAN;
  for (size_t i = 0; i < e->groups; i++) {
    if (has_line(e, i, most) || (kind != ETR_EXPLAINED_KINDS && e->rows[i].kind != kind))
      continue;
    *base = added(*base, base_median(e->rows[i].change));
    *newer = added(*newer, new_median(e->rows[i].change));
    count++;
  }
  return count;
}

static void put_groups(table *t) {
  static const char *const more[] = {"on both sides", "only in the base", "only in the new record"};
  const etr_explanation *e = t->explanation;
  etr_arena *arena = &t->of->answer.arena;
  size_t top = t->of->answer.options->top, most = top ? top : EVERY_GROUP, lines = 0;
  double base, newer;
  sum_groups(e, 0, ETR_EXPLAINED_KINDS, &base, &newer);
  if (e->groups == 0)
    return;
  put_line(t, t->method->by_events ? "events" : "graph operators", base, newer, NULL);
  for (size_t i = 0; i < e->groups; i++) {
    const etr_node_group *group = e->rows[i].group;
    const char *key = group->key[0] ? group->key : "(top level)";
    if (!has_line(e, i, most))
      continue;
    put_line(t, etr_arena_format(arena, "  %s", key), base_median(&group->change),
             new_median(&group->change), &group->change);
    lines++;
  }
  for (etr_explained_kind kind = ETR_EXPLAINED_CHANGED; lines && kind <= ETR_EXPLAINED_NEW;
       kind++) {
    size_t count = sum_groups(e, most, kind, &base, &newer);
    if (count)
      put_line(t, etr_arena_format(arena, "  %zu more, %s", count, more[kind]), base, newer, NULL);
  }
}

/* Puts the parts that took time, and what is left of Method::execute. */
static void put_rest(table *t) {
  static const char *const texts[ETR_EXPLAINED_KINDS] = {
      [ETR_EXPLAINED_DELEGATES] = "delegate overhead (calls minus operators)",
      [ETR_EXPLAINED_FRAMEWORK] = "runtime, outside operators",
      [ETR_EXPLAINED_UNEXPLAINED] = "unexplained"};
  const etr_explanation *e = t->explanation;
  double base, newer;
  sum_groups(e, 0, ETR_EXPLAINED_KINDS, &base, &newer);
  for (size_t i = e->groups; i < e->count; i++) {
    const etr_explained *row = &e->rows[i];
    if (!texts[row->kind] || !row->change ||
        !(etr_known_time(row->base) > 0 || etr_known_time(row->newer) > 0))
      continue;
    base = added(base, base_median(row->change));
    newer = added(newer, new_median(row->change));
    put_line(t, texts[row->kind], base_median(row->change), new_median(row->change), row->change);
  }
  const etr_change *execute = &t->method->execute;
  put_line(t, t->method->by_events ? "outside of events" : "rest (medians do not add up)",
           execute->base_p50 - etr_known_time(base), execute->new_p50 - etr_known_time(newer),
           NULL);
}

void etr_diff_write_explanation(etr_diff_output *o, const etr_method_pair *method,
                                const etr_explanation *explanation) {
  const etr_change *execute = &method->execute;
  table t = {.of = o, .method = method, .explanation = explanation};
  etr_table_init(&t.table, &o->answer, ETR_FIELDS(fields));
  t.table.time_digits = ETR_DIFF_TIME_DIGITS;
  t.table.top = 0; /* rows have been chosen before they are added */
  t.table.title = "median per inference";
  put_groups(&t);
  put_rest(&t);
  put_line(&t, "Method::execute", execute->base_p50, execute->new_p50, execute);
  for (size_t i = explanation->groups; i < explanation->count; i++) {
    const etr_explained *load = &explanation->rows[i];
    if (load->kind != ETR_EXPLAINED_LOAD)
      continue;
    put_line(&t, "load, once", base_median(load->change), new_median(load->change), load->change);
    break;
  }
  etr_table_fill(&t.table);
  etr_table_write(&t.table);
}

/* ---- JSON: decimals that add up ---- */

/* A column of times that are rounded so that the written parts add up to the written whole exactly.
 */
typedef struct column {
  double scale; /* number of last digits in a unit */
  double exact; /* exact sum so far */
  double sum;   /* sum of the written numbers, in last digits: a whole number below 2^53 */
} column;

/* Returns a column with as many decimals as a double can hold together with the whole, 9 at most.
 */
static column column_of(double whole) {
  double scale = 1e9;
  while (scale > 1 && whole * scale > 1e14)
    scale /= 10;
  return (column){.scale = scale};
}

static double round_next(column *c, double part) {
  double before = c->sum;
  c->exact += etr_known_time(part);
  c->sum = round(c->exact * c->scale);
  return c->sum - before;
}

typedef struct document {
  etr_diff_output *of;
  column base, newer;
  double sums[ETR_EXPLAINED_KINDS]; /* changes, in last digits */
} document;

static double in_unit(const document *d, double ticks) {
  return etr_ticks_to_unit(d->of->comparison->newer, ticks, d->of->answer.fields.unit);
}

static void put_times(const document *d, double base, double newer) {
  const etr_fields *f = &d->of->answer.fields;
  etr_field_number(f, "base_avg", base / d->base.scale);
  etr_field_number(f, "new_avg", newer / d->base.scale);
  etr_field_number(f, "change_avg", (etr_known_time(newer) - etr_known_time(base)) / d->base.scale);
}

static void put_row(document *d, const etr_explained *row) {
  const etr_fields *f = &d->of->answer.fields;
  double base = round_next(&d->base, in_unit(d, row->base)),
         newer = round_next(&d->newer, in_unit(d, row->newer));
  d->sums[row->kind] += newer - base;
  etr_jw_object(f->json);
  etr_field_text(f, "kind", etr_explained_kind_name(row->kind));
  etr_field_text(f, "key", row->group ? row->group->key : NULL);
  etr_field_text(f, "verdict", row->change ? etr_verdict_name(row->change->verdict) : NULL);
  etr_field_ticks(f, "base_p50", row->change ? base_median(row->change) : NAN);
  etr_field_ticks(f, "new_p50", row->change ? new_median(row->change) : NAN);
  put_times(d, isnan(row->base) ? NAN : base, isnan(row->newer) ? NAN : newer);
  etr_jw_end(f->json);
}

static void put_sums(const document *d) {
  const etr_fields *f = &d->of->answer.fields;
  etr_field_object(f, "sums");
  for (etr_explained_kind kind = 0; kind < ETR_EXPLAINED_KINDS; kind++)
    etr_field_number(f, etr_explained_kind_name(kind), d->sums[kind] / d->base.scale);
  etr_jw_end(f->json);
}

void etr_diff_put_explanation(etr_diff_output *o, const etr_explanation *e) {
  static const char *const by[ETR_DIFF_SECTIONS] = {"node", "op", "module", "pattern", "backend"};
  const etr_fields *f = &o->answer.fields;
  document d = {.of = o};
  double most = 0;
  for (size_t i = 0; i < e->count; i++)
    most += fabs(etr_known_time(e->rows[i].base)) + fabs(etr_known_time(e->rows[i].newer));
  d.base = d.newer = column_of(in_unit(&d, most));
  etr_field_object(f, "explained");
  etr_field_text(f, "by", by[e->by]);
  etr_field_list(f, "rows");
  for (size_t i = 0; i < e->count; i++)
    put_row(&d, &e->rows[i]);
  etr_jw_end(f->json);
  put_sums(&d);
  put_times(&d, d.base.sum, d.newer.sum);
  etr_jw_end(f->json);
}
