/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_fields.c - the columns of changes.
 */
#include "tables/diff_output.h"

#include "output/label.h"
#include "tables/cost_fields.h"

#include <math.h>

typedef struct change_row {
  etr_diff_output *output;
  const etr_method_pair *method; /* NULL: of none */
  const char *name;
  const etr_diff_row *row;                      /* NULL: of a method itself, or a part of it */
  const etr_part_changes_row *part;             /* NULL: of no part */
  const etr_change *change;                     /* NULL: of a part that was not judged */
  const etr_cost_figures *base_cost, *new_cost; /* NULL: not known */
} change_row;

static const change_row *as_row(const void *row) {
  return row;
}

static bool has_base(const void *row) {
  return as_row(row)->change->base_runs > 0;
}
static bool has_new(const void *row) {
  return as_row(row)->change->new_runs > 0;
}
static bool has_both(const void *row) {
  return has_base(row) && has_new(row);
}
static bool has_either(const void *row) {
  return has_base(row) || has_new(row);
}
static bool is_judged(const void *row) {
  return as_row(row)->change != NULL;
}
static bool has_relative(const void *row) {
  return is_judged(row) && !isnan(as_row(row)->change->relative);
}
static bool has_interval(const void *row) {
  return is_judged(row) && etr_diff_has_interval(as_row(row)->change);
}
static bool has_pair(const void *row) {
  return as_row(row)->row && as_row(row)->row->pair;
}

static etr_cell op(const void *row) {
  return etr_cell_text(as_row(row)->row->pair->op);
}
static etr_cell kernel_backend(const void *row) {
  return etr_cell_text(as_row(row)->row->group->backend);
}
static etr_cell rule(const void *row) {
  return etr_cell_text(etr_pair_rule_name(as_row(row)->row->pair->rule));
}
static etr_cell change_typical(const void *row) {
  return etr_cell_number(etr_diff_typical(as_row(row)->change));
}
static etr_cell change_avg(const void *row) {
  return etr_cell_number(etr_diff_average(as_row(row)->change));
}
static etr_cell change_p50(const void *row) {
  return etr_cell_number(etr_diff_median(as_row(row)->change));
}
static etr_cell verdict(const void *row) {
  return etr_cell_text(etr_verdict_name(as_row(row)->change->verdict));
}
static etr_cell reason(const void *row) {
  return etr_cell_text(etr_reason_name(as_row(row)->change->reason));
}
static etr_cell cause(const void *row) {
  return etr_cell_text(etr_cause_name(as_row(row)->change->cause));
}
/* Writes "assumes": what the verdict of a change assumes about the recordings. */
static void put_assumes(const etr_fields *f, const void *row) {
  unsigned assumes = as_row(row)->change->assumes;
  etr_field_begin_list(f, "assumes");
  if (assumes & ETR_ASSUMES_IN_TURNS)
    etr_jw_string(f->json, "in_turns");
  if (assumes & ETR_ASSUMES_RECORDING_NOISE)
    etr_jw_string(f->json, "recording_noise");
  etr_jw_end(f->json);
}
/* Writes the odd recordings of one side ("base" or "new") into a list that was begun, each with its
 * file and by which part its time differs from the others of its side: 0.3 if it is 30 % slower. */
static void put_odd_recordings_of_side(const etr_fields *f, const char *side,
                                       const etr_side_odd *odd_recordings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "side", side);
    etr_field_text(f, "file", odd_recordings[i].file);
    etr_field_number(f, "change", odd_recordings[i].change);
    etr_jw_end(f->json);
  }
}
/* Writes "odd_recordings": the recordings of both sides that differ so much from the others that
 * typical times leave them out. */
static void put_odd_recordings(const etr_fields *f, const void *row) {
  const etr_change *change = as_row(row)->change;
  etr_field_begin_list(f, "odd_recordings");
  put_odd_recordings_of_side(f, "base", change->base_odd, change->base_odd_count);
  put_odd_recordings_of_side(f, "new", change->new_odd, change->new_odd_count);
  etr_jw_end(f->json);
}
static bool has_recordings_needed(const void *row) {
  return as_row(row)->change->recordings_needed > 0;
}

/* Rounds a relative change or a bound to four significant digits: nobody reads more, and C
 * libraries differ in the last ones. */
static double rounded(double part) {
  double scale = 1e4;
  while (fabs(part) * scale < 1e3 && scale < 1e12)
    scale *= 10;
  return isfinite(part) ? round(part * scale) / scale : part;
}
static etr_cell relative(const void *row) {
  return etr_cell_number(rounded(as_row(row)->change->relative));
}
static etr_cell low(const void *row) {
  return etr_cell_number(rounded(as_row(row)->change->low));
}
static etr_cell high(const void *row) {
  return etr_cell_number(rounded(as_row(row)->change->high));
}

/* Writes "interval": both bounds of a change relative to the base, 0.1 for 10 % slower; null if
 * there is no interval. */
static void put_interval(const etr_fields *f, const void *row) {
  const etr_change *change = as_row(row)->change;
  if (!has_interval(row)) {
    etr_field_text(f, "interval", NULL);
    return;
  }
  etr_field_begin_list(f, "interval");
  etr_jw_double(f->json, rounded(change->low));
  etr_jw_double(f->json, rounded(change->high));
  etr_jw_end(f->json);
}

static const char *base_integers(const void *row) {
  return etr_cost_integers(as_row(row)->base_cost);
}
static const char *new_integers(const void *row) {
  return etr_cost_integers(as_row(row)->new_cost);
}

/* ---- For people ---- */

static etr_cell signed_typical(const void *row) {
  return (etr_cell){.number = etr_diff_typical(as_row(row)->change), .is_signed = true};
}
static etr_cell percent(const void *row) {
  return etr_cell_text(etr_diff_percent(as_row(row)->output, as_row(row)->change));
}
static etr_cell between(const void *row) {
  return etr_cell_text(etr_diff_interval_text(as_row(row)->output, as_row(row)->change));
}

/* Returns why a row was timed on one side only: "fused" if the newer side has its node fused into
 * another one, whose time includes it, "unfused" if the base has; or else the word for its verdict.
 * The node is looked up on the side that did not time it. */
static const char *one_side_text(const void *each) {
  const change_row *row = each;
  bool in_base = has_base(each);
  const etr_node_pair *pair = row->row ? row->row->pair : NULL;
  const etr_profile *profile = in_base ? row->output->comparison->newer
                                       : row->output->comparison->base;
  uint32_t index = in_base ? row->method->new_method : row->method->base_method, node = ETR_NONE;
  if (pair)
    node = in_base ? pair->new_node : pair->base_node;
  if (node == ETR_NONE || index == ETR_NONE || profile->methods[index].graph == ETR_NONE)
    return etr_diff_verdict_word(row->change);
  const etr_graph *graph = &profile->graphs[profile->methods[index].graph];
  if (!graph->times || graph->times[node].carried_by == ETR_NONE)
    return etr_diff_verdict_word(row->change);
  return in_base ? "fused" : "unfused";
}

const char *etr_diff_verdict_word(const etr_change *change) {
  switch (change->verdict) {
  case ETR_VERDICT_UNTIMED:
    return change->new_runs ? "timed" : "untimed";
  case ETR_VERDICT_CANNOT_TELL:
    return "cannot tell";
  case ETR_VERDICT_LIKELY_EQUAL:
    return "likely equal";
  case ETR_VERDICT_LIKELY_FASTER:
    return "likely faster";
  case ETR_VERDICT_LIKELY_SLOWER:
    return "likely slower";
  default:
    return etr_verdict_name(change->verdict);
  }
}

/* Returns the word for the verdict of a change: hot if it is slower, dim if nothing is known to
 * have changed. */
static etr_cell verdict_text(const void *row) {
  const char *word = etr_diff_verdict_word(as_row(row)->change);
  switch (as_row(row)->change->verdict) {
  case ETR_VERDICT_UNTIMED:
    return etr_cell_text(has_either(row) ? one_side_text(row) : word);
  case ETR_VERDICT_EQUAL:
  case ETR_VERDICT_LIKELY_EQUAL:
  case ETR_VERDICT_CANNOT_TELL:
    return (etr_cell){.text = word, .style = ETR_STYLE_DIM};
  case ETR_VERDICT_SLOWER:
    return (etr_cell){.text = word, .style = ETR_STYLE_HOT};
  default:
    return etr_cell_text(word);
  }
}

/* Returns "CPU → XNNPACK" for a node that was timed where it did not run in the base; "" for
 * others.
 */
static etr_cell moved_text(const void *each) {
  const change_row *row = each;
  const etr_node_pair *pair = has_both(each) && has_pair(each) ? row->row->pair : NULL;
  if (!pair)
    return etr_cell_text("");
  etr_arena *arena = &row->output->answer.arena;
  const char *base = pair->base_backend ? etr_label_backend(arena, pair->base_backend) : "CPU",
             *newer = pair->new_backend ? etr_label_backend(arena, pair->new_backend) : "CPU";
  bool has_moved = base && newer && strcmp(base, newer) != 0;
  return etr_cell_text(
      etr_or_empty(has_moved ? etr_arena_format(arena, "%s \xE2\x86\x92 %s", base, newer) : ""));
}

/* Returns the step of the clock that timed a node in the base, below which a time cannot be
 * distinguished from 0, in ticks of the newer side's clock; 0 if there is no node. */
static double base_step(const void *row) {
  const etr_comparison *c = as_row(row)->output->comparison;
  /* NULL: the backend alone tells the clock, and without one it is that of kernels. */
  return has_pair(row)
             ? etr_clock_step(c->base, as_row(row)->row->pair->base_backend, NULL) * c->base_scale
             : 0;
}
static double new_step(const void *row) {
  const etr_comparison *c = as_row(row)->output->comparison;
  return has_pair(row) ? etr_clock_step(c->newer, as_row(row)->row->pair->new_backend, NULL) : 0;
}

/* ---- Fields ---- */

enum {
  ROWS = ETR_IN_DATA | ETR_DIFF_METHODS,
  EXACT = ROWS | ETR_IN_JSON,
  NODES = ETR_IN_OWN,
  SUMS = ETR_IN_OWN << 1,
  BOTH = NODES | SUMS,
  BY_NODE = ETR_DIFF_BY_SECTION << ETR_DIFF_SECTION_NODES,
  BY_OP = ETR_DIFF_BY_SECTION << ETR_DIFF_SECTION_OPS,
  BY_MODULE = ETR_DIFF_BY_SECTION << ETR_DIFF_SECTION_MODULES,
  BY_PATTERN = ETR_DIFF_BY_SECTION << ETR_DIFF_SECTION_PATTERNS,
  BY_BACKEND = ETR_DIFF_BY_SECTION << ETR_DIFF_SECTION_BACKENDS,
  BY_SOURCE = ETR_DIFF_BY_SECTION << ETR_DIFF_SECTION_SOURCES,
  BY_KERNEL = ETR_DIFF_BY_SECTION << ETR_DIFF_SECTION_KERNELS,
};

#define ROW(name) ETR_VIA(change_row, row, etr_diff_row, name)
#define CHANGE(name) ETR_VIA(change_row, change, etr_change, name)
#define BASE(name) ETR_VIA(change_row, base_cost, etr_cost_figures, name)
#define NEW(name) ETR_VIA(change_row, new_cost, etr_cost_figures, name)

/* How large a change is. */
#define SIZE_FIELDS                                                                                \
  {"relative_change",                                                                              \
   "relative_change",                                                                              \
   ETR_CELL_RATE,                                                                                  \
   EXACT,                                                                                          \
   .get = relative,                                                                                \
   .has = has_relative,                                                                            \
   .says = ETR_SAYS(                                                                               \
       "new_typical / base_typical - 1: 0.041 for 4.1 % slower; null unless timed on both "        \
       "sides")},                                                                                  \
  {                                                                                                \
    "interval", .in = ETR_IN_JSON, .put = put_interval,                                            \
        .says =                                                                                    \
            "lower and upper bound of relative_change, at 95 % for execute and load, at the "      \
            "level "                                                                               \
            "of their family for "                                                                 \
            "rows; null in it: no upper bound. null: not timed on both sides, obvious, or reason " \
            "is few_runs or clock",                                                                \
        .type = "interval", .nullable = true                                                       \
  }
/* What is said of it. */
#define VERDICT_FIELDS                                                                             \
  {"verdict",                                                                                      \
   "verdict",                                                                                      \
   ETR_CELL_WORD,                                                                                  \
   EXACT,                                                                                          \
   .get = verdict,                                                                                 \
   .says = ETR_SAYS(                                                                               \
       "slower or faster: the interval excludes 0, or all runs of one side are at least 4 "        \
       "times as long as all of the other; equal: it is within the limit; likely_...: if "         \
       "what it assumes is true; untimed: not timed on both sides"),                               \
   .type = "verdict"},                                                                             \
      {"reason",         "reason",                                                                 \
       ETR_CELL_WORD,    EXACT,                                                                    \
       .get = reason,    .says = ETR_SAYS("why the data do not surely decide; null if they do"),   \
       .type = "reason", .nullable = true},                                                        \
      {"cause",         NULL,                                                                      \
       ETR_CELL_WORD,   ETR_IN_JSON,                                                               \
       .get = cause,    .says = "of execute: what is seen in the runs that explains why",          \
       .type = "cause", .nullable = true},                                                         \
      {"assumes", .in = ETR_IN_JSON, .put = put_assumes,                                           \
       .says = ETR_SAYS(                                                                           \
           "what the interval assumes: that the recordings were taken in turns; by how much "      \
           "recordings of one program differ"),                                                    \
       .type = "assumptions"},                                                                     \
      {"odd_recordings", .in = ETR_IN_JSON, .put = put_odd_recordings,                             \
       .says =                                                                                     \
           "of execute: recordings that differ from the others of their side, of five or more; "   \
           "they are left out of typical times, not of the verdict",                               \
       .type = "odd_recordings_of_sides"},                                                         \
      {"recordings_needed",                                                                        \
       NULL,                                                                                       \
       ETR_CELL_COUNT,                                                                             \
       ETR_IN_JSON,                                                                                \
       CHANGE(recordings_needed),                                                                  \
       .has = has_recordings_needed,                                                               \
       .says =                                                                                     \
           "for execute and load: how many recordings on each side, in all, would decide whether " \
           "it changed, or whether it is above the limit, in 4 of 5 cases; null: it is decided, "  \
           "not known, or more than 50"}

static const etr_field fields[] = {
    {NULL, "method", ETR_CELL_NAME, ROWS, ETR_VIA(change_row, method, etr_method_pair, name)},
    {NULL, "node", ETR_CELL_NAME, BY_NODE, ROW(name)},
    {NULL, "op", ETR_CELL_NAME, BY_NODE, .get = op},
    {NULL, "module", ETR_CELL_NAME, BY_NODE, ROW(module)},
    {NULL, "rule", ETR_CELL_WORD, BY_NODE, .get = rule},
    {NULL, "op", ETR_CELL_NAME, BY_OP, ROW(name)},
    {NULL, "module", ETR_CELL_NAME, BY_MODULE, ROW(name)},
    {NULL, "pattern", ETR_CELL_NAME, BY_PATTERN, ROW(name)},
    {NULL, "backend", ETR_CELL_NAME, BY_BACKEND, ROW(name)},
    {NULL, "source", ETR_CELL_NAME, BY_SOURCE, ROW(name)},
    {NULL, "kernel", ETR_CELL_NAME, BY_KERNEL, ROW(name)},
    {NULL, "backend", ETR_CELL_NAME, BY_KERNEL, .get = kernel_backend},
    {"base_typical", "base_typical", ETR_CELL_TIME, EXACT, CHANGE(base_typical), .has = has_base,
     .says = ETR_SAYS("in the typical run; null on a side that did not time it")},
    {"new_typical", "new_typical", ETR_CELL_TIME, EXACT, CHANGE(new_typical), .has = has_new},
    {"change_typical", NULL, ETR_CELL_TIME, ETR_IN_JSON, .get = change_typical, .has = has_either,
     .says = ETR_SAYS(
         "typical times add up, a side that did not time it counting nothing; see methods")},
    {"base_avg", "base_avg", ETR_CELL_TIME, EXACT, CHANGE(base_avg), .has = has_base,
     .says = ETR_SAYS("per inference; null on a side that did not time it")},
    {"new_avg", "new_avg", ETR_CELL_TIME, EXACT, CHANGE(new_avg), .has = has_new},
    {"change_avg", NULL, ETR_CELL_TIME, ETR_IN_JSON, .get = change_avg, .has = has_either,
     .says = ETR_SAYS("averages add up like typical times")},
    {"base_p50", "base_p50", ETR_CELL_TIME, EXACT, CHANGE(base_p50), .has = has_base,
     .says = ETR_SAYS("median over base_runs; medians do not add up")},
    {"new_p50", "new_p50", ETR_CELL_TIME, EXACT, CHANGE(new_p50), .has = has_new},
    {"change_p50", NULL, ETR_CELL_TIME, ETR_IN_JSON, .get = change_p50, .has = has_both},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ROWS},
    SIZE_FIELDS,
    {NULL, "low", ETR_CELL_RATE, ROWS, .get = low, .has = has_interval},
    {NULL, "high", ETR_CELL_RATE, ROWS, .get = high, .has = has_interval},
    {"base_runs", NULL, ETR_CELL_COUNT, ETR_IN_JSON, CHANGE(base_runs)},
    {"new_runs", NULL, ETR_CELL_COUNT, ETR_IN_JSON, CHANGE(new_runs)},
    {"base_recordings", NULL, ETR_CELL_COUNT, ETR_IN_JSON, CHANGE(base_recordings),
     .says = ETR_SAYS("ETDumps that base_runs are of")},
    {"new_recordings", NULL, ETR_CELL_COUNT, ETR_IN_JSON, CHANGE(new_recordings)},
    VERDICT_FIELDS,
    ETR_DIFF_COST_FIELDS(BASE, NEW, ETR_IN_DATA, base_integers, new_integers),

    {NULL, "", ETR_CELL_NAME, BOTH, ETR_AT(change_row, name)},
    {NULL, "module", ETR_CELL_NAME, NODES, ROW(module), .hides_zeros = true},
    {NULL, "base", ETR_CELL_TIME, BOTH, CHANGE(base_typical), .has = has_base, .step = base_step,
     .unit_in = BOTH},
    {NULL, "new", ETR_CELL_TIME, BOTH, CHANGE(new_typical), .has = has_new, .step = new_step,
     .unit_in = BOTH},
    {NULL, "change", ETR_CELL_TIME, BOTH, .get = signed_typical, .has = has_either, .spare = 2},
    {NULL, "%", ETR_CELL_NUMBER, BOTH, .get = percent},
    {NULL, "between", ETR_CELL_NUMBER, BOTH, .get = between, .hides_zeros = true,
     .spare = 1}, /* the verdict says whether it holds 0 */
    {NULL, "", ETR_CELL_WORD, BOTH, .get = verdict_text},
    {NULL, "runs on", ETR_CELL_WORD, NODES, .get = moved_text, .hides_zeros = true, .spare = 3},
};
ETR_ROW_TYPE(change, fields);

void etr_diff_put_change(const etr_fields *f, const etr_change *change) {
  etr_field_put_members(f, &etr_change_fields, &(change_row){.change = change});
}

void etr_diff_put_verdict(const etr_fields *f, const etr_change *change) {
  static const etr_field list[] = {SIZE_FIELDS, VERDICT_FIELDS};
  etr_field_put_members(f, ETR_FIELDS(list), &(change_row){.change = change});
}

/* ---- Parts ---- */

static etr_cell part_name(const void *row) {
  return etr_cell_text(etr_time_part_name(as_row(row)->part->part));
}
static etr_cell part_typical(const void *row) {
  const etr_part_changes_row *part = as_row(row)->part;
  return etr_cell_number(part->new_typical - part->base_typical);
}
static etr_cell part_avg(const void *row) {
  const etr_part_changes_row *part = as_row(row)->part;
  return etr_cell_number(part->new_avg - part->base_avg);
}

#define PART(name) ETR_VIA(change_row, part, etr_part_changes_row, name)

enum { IN_PARTS = ETR_IN_DATA | ETR_IN_JSON };

static const etr_field part_fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_DATA,
     ETR_VIA(change_row, method, etr_method_pair, name)},
    {"part", "part", ETR_CELL_WORD, IN_PARTS, .get = part_name, .type = "part"},
    {"backend", "backend", ETR_CELL_NAME, IN_PARTS, PART(backend), .nullable = true},
    {"text", NULL, ETR_CELL_NAME, ETR_IN_JSON, PART(text), .says = ETR_SAYS("for people")},
    {"base_typical", "base typical", ETR_CELL_TIME, IN_PARTS, PART(base_typical)},
    {"new_typical", "new typical", ETR_CELL_TIME, IN_PARTS, PART(new_typical)},
    {"change_typical", "change typical", ETR_CELL_TIME, IN_PARTS, .get = part_typical},
    {"base_avg", "base avg", ETR_CELL_TIME, IN_PARTS, PART(base_avg)},
    {"new_avg", "new avg", ETR_CELL_TIME, IN_PARTS, PART(new_avg)},
    {"change_avg", "change avg", ETR_CELL_TIME, IN_PARTS, .get = part_avg},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_DATA},
    {"relative_change", "relative change", ETR_CELL_RATE, IN_PARTS, .get = relative,
     .has = has_relative, .says = ETR_SAYS("as of a change, and so are the next members")},
    {NULL, "low", ETR_CELL_RATE, ETR_IN_DATA, .get = low, .has = has_interval},
    {NULL, "high", ETR_CELL_RATE, ETR_IN_DATA, .get = high, .has = has_interval},
    {"interval", .in = ETR_IN_JSON, .put = put_interval, .type = "interval", .nullable = true},
    {"verdict", "verdict", ETR_CELL_WORD, IN_PARTS, .get = verdict, .has = is_judged,
     .type = "verdict", .nullable = true,
     .says = ETR_SAYS("null: a document of an older version does not say")},
    {"reason", "reason", ETR_CELL_WORD, IN_PARTS, .get = reason, .has = is_judged, .type = "reason",
     .nullable = true},
};
ETR_ROW_TYPE(balance_change, part_fields);

bool etr_part_rows_make(etr_rows *out, etr_diff_output *o, const etr_method_pair *method) {
  etr_part_changes parts;
  if (!etr_part_changes_make(&parts, &o->answer.arena, o->comparison, method))
    return false;
  change_row *rows = etr_arena_alloc_array(&o->answer.arena, parts.count, sizeof *rows);
  for (size_t i = 0; rows && i < parts.count; i++)
    rows[i] = (change_row){
        .output = o, .method = method, .part = &parts.rows[i], .change = parts.rows[i].change};
  *out = ETR_ROWS(rows, parts.count);
  return rows != NULL;
}

/* ---- Tables ---- */

/* Adds a copy of a row to the table, with the costs of its etr_diff_row if it has one. */
static void add_change_row(etr_table *table, change_row row) {
  change_row *added = etr_arena_alloc_array(&table->answer->arena, 1, sizeof *added);
  if (!added)
    return;
  *added = row;
  added->base_cost = row.row ? row.row->base_cost : NULL;
  added->new_cost = row.row ? row.row->new_cost : NULL;
  /* "", 0: rows stay in the order in which they are added. */
  etr_table_add_row(table, added, "", 0);
}

/* Begins a table of changes without a limit of rows, because its rows are chosen before they are
 * added. */
static void init_change_table(etr_table *table, etr_diff_output *o) {
  etr_table_init(table, &o->answer, &etr_change_fields);
  table->time_digits = ETR_DIFF_TIME_DIGITS;
  table->top = 0; /* rows have been chosen before they are added */
}

void etr_diff_table_init(etr_table *table, etr_diff_output *o, etr_diff_section section) {
  init_change_table(table, o);
  /* What is not for programs keeps the medium of its format, only to check --columns. */
  if (table->exact && section < ETR_DIFF_SECTIONS)
    table->medium = (unsigned)ETR_IN_DATA | (unsigned)ETR_DIFF_BY_SECTION << section;
  else if (table->exact)
    table->medium = ETR_DIFF_METHODS;
  etr_table_choose_columns(table);
}

void etr_diff_table_add_change(etr_table *table, etr_diff_output *o, const etr_method_pair *method,
                               const etr_diff_row *row, const etr_change *change) {
  add_change_row(table, (change_row){.output = o, .method = method, .row = row, .change = change});
}

size_t etr_diff_write_section(etr_diff_output *o, const etr_method_pair *method,
                              const etr_diff_rows *rows, etr_diff_section section) {
  size_t top = o->answer.options->top,
         shown_count = top ? ETR_MIN(rows->news_count, top) : rows->count;
  etr_table table;
  init_change_table(&table, o);
  table.medium = section == ETR_DIFF_SECTION_NODES ? NODES : SUMS;
  table.title = etr_diff_section_names[section].title;
  etr_table_choose_columns_between(&table, 1, 0);
  for (size_t i = 0; i < shown_count; i++) {
    const etr_diff_row *row = &rows->rows[i];
    const char *name = row->group ? etr_diff_group_text(o, row->group) : row->name;
    add_change_row(
        &table,
        (change_row){
            .output = o, .method = method, .name = name, .row = row, .change = row->change});
  }
  etr_table_lay_out_rows(&table);
  etr_table_write(&table);
  return shown_count;
}
