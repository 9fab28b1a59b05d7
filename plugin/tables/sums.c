/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sums.c - the columns of sums.
 */
#include "tables/sums.h"

#include "output/label.h"

enum { BAR_WIDTH = 24 };

etr_sum etr_sum_make(const etr_method *method, uint64_t total_ticks) {
  return (etr_sum){.method = method,
                   .ticks = etr_ticks_per_run(method, total_ticks),
                   .p50 = NAN,
                   .part = (double)total_ticks,
                   .whole = (double)method->execute_ticks,
                   .instruction = -1};
}

etr_sum etr_sum_of(const etr_method *method, etr_breakdown_by by, const etr_breakdown *rows,
                   const etr_breakdown_row *row) {
  etr_sum sum = etr_sum_make(method, row->total_ticks);
  sum.by = by;
  sum.key = row->key;
  sum.source = row->source;
  sum.estimated = (double)row->estimated_ticks;
  sum.nodes = row->node_count;
  sum.stats = &rows->stats[row->number];
  sum.summed_p50 = rows->summed_p50;
  sum.step = row->step;
  sum.cost = &row->cost;
  return sum;
}

etr_sum etr_sum_of_pattern(const etr_method *method, const etr_pattern_row *row, bool is_own) {
  etr_sum sum = etr_sum_make(method, is_own ? row->own_ticks : row->total_ticks);
  sum.by = ETR_BY_PATTERN;
  sum.key = row->pattern;
  sum.note = row->type;
  sum.nodes = is_own ? row->own_count : row->node_count;
  sum.estimated = (double)row->estimated_ticks;
  sum.own = etr_sum_make(method, row->own_ticks).ticks;
  sum.modules = row->module_count;
  sum.median = method->run_count ? row->median_ticks / (double)method->run_count : NAN;
  sum.slowest = row->slowest;
  sum.slowest_ticks = etr_sum_make(method, row->slowest_ticks).ticks;
  sum.stats = row->stats;
  sum.cost = is_own ? &row->own_cost : &row->cost;
  return sum;
}

static const etr_sum *as_row(const void *row) {
  return row;
}
static const etr_profile *profile_of(const void *row) {
  return as_row(row)->profile;
}

static double median(const etr_sum *sum) {
  if (!isnan(sum->p50))
    return sum->p50;
  return sum->stats && sum->stats->count > 0 ? sum->stats->p50 : NAN;
}

double etr_sum_ranking(const etr_profile *profile, const etr_sum *sum) {
  return etr_ranking(profile, sum->ticks, median(sum));
}

double etr_sum_share(const etr_profile *profile, const etr_sum *sum) {
  double part = etr_ranking(profile, sum->part, median(sum)),
         whole = etr_ranking(profile, sum->whole, sum->summed_p50);
  return whole > 0 ? part / whole : NAN;
}

/* ---- What it is of ---- */

static etr_cell text(const void *row) {
  const etr_sum *sum = as_row(row);
  if (sum->text)
    return etr_cell_text(sum->text);
  if ((sum->by == ETR_BY_MODULE || sum->by == ETR_BY_PATTERN) && !sum->key[0])
    return etr_cell_text("(top level)");
  if (sum->by != ETR_BY_SOURCE)
    return etr_cell_text(sum->key);
  return etr_cell_text(sum->source ? etr_label_source(&sum->answer->arena, sum->source)
                                   : "(not recorded)");
}

static etr_cell styled_text(const void *row) {
  etr_cell cell = text(row);
  cell.style = as_row(row)->style;
  return cell;
}

static etr_cell line(const void *row) {
  return as_row(row)->source ? etr_cell_number((double)as_row(row)->source->line) : etr_cell_none();
}

static void put_pattern(const etr_fields *f, const etr_sum *sum) {
  etr_field_text(f, "pattern", sum->key);
  etr_field_text(f, "module_type", sum->note[0] ? sum->note : NULL);
  etr_field_count(f, "modules", sum->modules);
}

/* Writes what the sum is summed over, in JSON. */
static void put_key(const etr_fields *f, const void *row) {
  switch (as_row(row)->by) {
  case ETR_BY_OP:
    etr_field_text(f, "op", as_row(row)->key);
    break;
  case ETR_BY_BACKEND:
    etr_field_text(f, "backend", as_row(row)->key);
    break;
  case ETR_BY_SOURCE:
    etr_field_source(f, as_row(row)->source);
    break;
  case ETR_BY_PATTERN:
    put_pattern(f, as_row(row));
    break;
  case ETR_BY_MODULE:
    break;
  }
}

/* ---- Times ---- */

static etr_cell avg(const void *row) {
  return (etr_cell){.number = as_row(row)->ticks, .style = as_row(row)->style};
}
static etr_cell p50(const void *row) {
  return etr_cell_number(median(as_row(row)));
}
static double step(const void *row) {
  return as_row(row)->step;
}

static etr_cell ranking(const void *row) {
  return (etr_cell){.number = etr_sum_ranking(profile_of(row), as_row(row)),
                    .style = as_row(row)->style};
}

static etr_cell not_ranking(const void *row) {
  return etr_cell_number(etr_not_ranking(profile_of(row), as_row(row)->ticks, median(as_row(row))));
}

static etr_cell estimated(const void *row) {
  return etr_cell_number(as_row(row)->method->run_count
                             ? as_row(row)->estimated / (double)as_row(row)->method->run_count
                             : NAN);
}

static etr_cell estimated_share(const void *row) {
  return (etr_cell){
      .number = as_row(row)->estimated, .whole = as_row(row)->part, .style = ETR_STYLE_DIM};
}

static etr_cell share(const void *row) {
  return etr_cell_share(etr_sum_share(profile_of(row), as_row(row)), 1);
}

static etr_cell share_of_balance(const void *row) {
  return etr_cell_share(as_row(row)->part, as_row(row)->whole);
}

/* Returns the share as a cell that is not coloured by heat, for parts of a balance. */
static etr_cell plain_share(const void *row) {
  return (etr_cell){.number = as_row(row)->part,
                    .whole = as_row(row)->whole,
                    .style = as_row(row)->style,
                    .is_cold = true};
}

static etr_cell exact(double share) {
  return (etr_cell){.number = share, .decimals = 6};
}
static etr_cell exact_share(const void *row) {
  return exact(etr_sum_share(profile_of(row), as_row(row)));
}
static etr_cell share_of_execute(const void *row) {
  return exact(as_row(row)->whole > 0 ? as_row(row)->part / as_row(row)->whole : NAN);
}

static etr_cell bar(const void *row) {
  const etr_sum *sum = as_row(row);
  double part = sum->whole > 0 && sum->has_bar ? ETR_MAX(ETR_MIN(sum->part / sum->whole, 1.0), 0)
                                               : 0;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &sum->answer->arena, &writer);
  for (size_t i = (size_t)(part * (double)BAR_WIDTH + 0.5); i > 0; i--)
    etr_puts(&writer, "\xE2\x96\x88");
  return etr_cell_text(etr_text_end(&text, &writer));
}

static bool repeats(const void *row) {
  return as_row(row)->modules > 1;
}

static etr_cell repetitions(const void *row) {
  const etr_sum *sum = as_row(row);
  return etr_cell_text(
      repeats(row) ? etr_arena_format(&sum->answer->arena, "\xC3\x97%zu", sum->modules) : "");
}

static etr_cell which(const void *row) {
  const etr_sum *sum = as_row(row);
  return etr_cell_text(
      repeats(row) ? etr_pattern_numbers(&sum->answer->arena, sum->key, sum->slowest) : "");
}

static bool has_stats(const void *row) {
  return as_row(row)->stats && as_row(row)->stats->count > 0;
}
static bool has_own(const void *row) {
  return as_row(row)->own > 0 && as_row(row)->own != etr_sum_ranking(profile_of(row), as_row(row));
}
/* Returns true if a pattern's own nodes take another average time than the pattern. Patterns rank
 * by averages. */
static bool has_own_average(const void *row) {
  return as_row(row)->own > 0 && as_row(row)->own != as_row(row)->ticks;
}
/* Returns true if the share is one of Method::execute, which parts of a balance have whatever
 * statistic ranks. */
static bool is_of_execute(const void *row) {
  return !etr_ranks_by_p50(profile_of(row)) || as_row(row)->summed_p50 == 0;
}
static bool has_nodes(const void *row) {
  return as_row(row)->nodes > 0;
}
static bool varies(const void *row) {
  return as_row(row)->stats && as_row(row)->stats->count > 1;
}
static bool jitters(const void *row) {
  return varies(row) && as_row(row)->stats->p50 > 0;
}
static etr_cell jitter(const void *row) {
  return (etr_cell){.number = as_row(row)->stats->p90 / as_row(row)->stats->p50, .decimals = 1};
}

static bool is_for_people(const etr_sum *sum) {
  if (!sum->answer)
    return false;
  etr_table_format format = sum->answer->options->format;
  return format == ETR_TABLE_TEXT || format == ETR_TABLE_MARKDOWN;
}
static etr_cell part(const void *row) {
  return etr_cost_part(as_row(row)->cost, is_for_people(as_row(row)));
}
static const char *integers(const void *row) {
  return etr_cost_integers(as_row(row)->cost);
}

/* ---- Fields ---- */

static bool tells_estimated(const void *context) {
  const etr_table *table = context;
  for (size_t i = 0; i < table->rows.count; i++)
    if (as_row(table->rows.data[i].row)->estimated > 0)
      return true;
  return false;
}

static bool tells_code(const void *context) {
  const etr_table *table = context;
  return table->rows.count && as_row(table->rows.data[0].row)->by == ETR_BY_SOURCE;
}

enum {
  LISTS = ETR_IN_TEXT | ETR_IN_EVENTS | ETR_IN_RUNS | ETR_IN_LOADS,
  PROGRAMS = ETR_IN_DATA | ETR_IN_ROWS,
  EXACT = ETR_IN_DATA | ETR_IN_JSON,
  EVERY_RUN = PROGRAMS | ETR_IN_JSON,
  TREES = ETR_IN_MODULES | ETR_IN_PATTERNS,
  PATTERN_ROWS = ETR_IN_PATTERN_ROWS,
  LINES = ETR_IN_DATA | ETR_IN_LINE_PATTERNS,
  COSTS = EVERY_RUN | ETR_IN_PATTERN_ROWS,
};

#define SUM(name) ETR_AT(etr_sum, name)
#define METHOD(name) ETR_VIA(etr_sum, method, etr_method, name)
#define SOURCE(name) ETR_VIA(etr_sum, source, etr_source, name)
#define FIGURE(name) ETR_VIA(etr_sum, cost, etr_cost_figures, name)
#define STATS(name) ETR_VIA(etr_sum, stats, etr_stats, name)

static const etr_field fields[] = {
    {NULL, "", ETR_CELL_ITEM, ETR_IN_TEXT | ETR_IN_EVENTS | TREES | ETR_IN_RUNS | ETR_IN_LOADS,
     .get = text},
    {NULL, "", ETR_CELL_ITEM, ETR_IN_BALANCE, .get = styled_text},
    {"", .in = ETR_IN_JSON, .put = put_key},
    {NULL, "method", ETR_CELL_NAME, PROGRAMS | PATTERN_ROWS | LINES, METHOD(name)},
    {NULL, "section", ETR_CELL_WORD, ETR_IN_ROWS, SUM(section)},
    {NULL, "key", ETR_CELL_NAME, ETR_IN_ROWS, SUM(key)},
    {NULL, "file", ETR_CELL_NAME, LINES, SOURCE(file)},
    {NULL, "line", ETR_CELL_COUNT, LINES, .get = line},
    {NULL, "function", ETR_CELL_NAME, LINES, SOURCE(function)},
    {NULL, "pattern", ETR_CELL_NAME, PATTERN_ROWS | ETR_IN_LINE_PATTERNS, SUM(key)},
    {NULL, "module type", ETR_CELL_NAME, PATTERN_ROWS, SUM(note)},
    {NULL, "modules", ETR_CELL_COUNT, PATTERN_ROWS | ETR_IN_LINE_PATTERNS, SUM(modules)},
    {"avg", NULL, ETR_CELL_TIME, ETR_IN_JSON, .get = avg},
    {NULL, "avg", ETR_CELL_TIME, PROGRAMS | LISTS, .get = ranking, .p50_title = "p50",
     .unit_in = LISTS | TREES, .step = step},
    {NULL, "avg", ETR_CELL_TIME, ETR_IN_BALANCE | ETR_IN_LINE_PATTERNS, .get = avg,
     .unit_in = ETR_IN_BALANCE},
    {NULL, "total", ETR_CELL_TIME, ETR_IN_MODULES, .get = ranking, .p50_title = "total p50",
     .unit_in = ETR_IN_MODULES, .step = step},
    {NULL, "total", ETR_CELL_TIME, ETR_IN_PATTERNS | PATTERN_ROWS, SUM(ticks),
     .unit_in = ETR_IN_PATTERNS},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = PROGRAMS | PATTERN_ROWS | ETR_IN_LINE_PATTERNS},
    {"share", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, .get = exact_share,
     .says = "with stat avg of Method::execute, with p50 of the sum of the p50 of all rows of this "
             "list",
     .nullable = true},
    {NULL, "share", ETR_CELL_NUMBER, ETR_IN_DATA, .get = exact_share, .p50_title = ETR_P50_SHARE},
    {NULL, "share", ETR_CELL_NUMBER, ETR_IN_ROWS, .get = share_of_execute, .has = is_of_execute},
    {NULL, ETR_P50_SHARE, ETR_CELL_NUMBER, ETR_IN_ROWS, .get = exact_share, .p50_only = true},
    {NULL, "share", ETR_CELL_NUMBER, PATTERN_ROWS | ETR_IN_LINE_PATTERNS, .get = share_of_execute},
    {NULL, "share", ETR_CELL_SHARE, ETR_IN_TEXT | ETR_IN_EVENTS | ETR_IN_MODULES, .get = share,
     .p50_title = ETR_P50_SHARE},
    {NULL, "share", ETR_CELL_SHARE, ETR_IN_PATTERNS, .get = share_of_balance},
    {NULL, "share", ETR_CELL_SHARE, ETR_IN_BALANCE, .get = plain_share},
    {NULL, "", ETR_CELL_WORD, ETR_IN_BALANCE, .get = bar, .spare = 1},
    {NULL, "own", ETR_CELL_TIME, ETR_IN_MODULES, SUM(own), .has = has_own, .p50_title = "own p50",
     .unit_in = ETR_IN_MODULES, .step = step},
    {NULL, "own", ETR_CELL_TIME, ETR_IN_PATTERNS, SUM(own), .has = has_own_average,
     .unit_in = ETR_IN_PATTERNS},
    {NULL, "own", ETR_CELL_TIME, PATTERN_ROWS, SUM(own)},
    {NULL, "modules", ETR_CELL_WORD, ETR_IN_PATTERNS, .get = repetitions},
    {NULL, "median", ETR_CELL_TIME, ETR_IN_PATTERNS, SUM(median), .has = repeats, .spare = 1},
    {NULL, "slowest", ETR_CELL_TIME, ETR_IN_PATTERNS, SUM(slowest_ticks), .has = repeats,
     .spare = 2},
    {NULL, "which", ETR_CELL_WORD, ETR_IN_PATTERNS, .get = which, .spare = 2},
    {NULL, "median", ETR_CELL_TIME, PATTERN_ROWS, SUM(median)},
    {NULL, "slowest", ETR_CELL_NAME, PATTERN_ROWS, SUM(slowest)},
    {NULL, "slowest total", ETR_CELL_TIME, PATTERN_ROWS, SUM(slowest_ticks)},
    {"estimated", NULL, ETR_CELL_TIME, ETR_IN_JSON, .get = estimated},
    {"count", NULL, ETR_CELL_COUNT, ETR_IN_JSON, SUM(nodes)},
    {"p50", NULL, ETR_CELL_TIME, ETR_IN_JSON, .get = p50, .nullable = true},
    {NULL, "p50", ETR_CELL_TIME, PROGRAMS, .get = not_ranking, .p50_title = "avg"},
    {"p90", "p90", ETR_CELL_TIME, EVERY_RUN, STATS(p90), .has = has_stats},
    {NULL, "p50", ETR_CELL_TIME, ETR_IN_RUNS, .get = not_ranking, .has = varies, .p50_title = "avg",
     .spare = 3},
    {NULL, "p90", ETR_CELL_TIME, ETR_IN_RUNS, STATS(p90), .has = varies},
    {NULL, "min", ETR_CELL_TIME, ETR_IN_RUNS, STATS(min), .has = varies, .spare = 2},
    {NULL, "max", ETR_CELL_TIME, ETR_IN_RUNS, STATS(max), .has = varies},
    {NULL, "p90/p50", ETR_CELL_NUMBER, ETR_IN_EVENTS, .get = jitter, .has = jitters},
    {NULL, "p90/p50", ETR_CELL_NUMBER, ETR_IN_RUNS, .get = jitter, .has = jitters, .spare = 1},
    {"count", "nodes", ETR_CELL_COUNT,
     ETR_IN_TEXT | PROGRAMS | ETR_IN_MODULES | PATTERN_ROWS | ETR_IN_LINE_PATTERNS, SUM(nodes),
     .has = has_nodes},
    {NULL, "note", ETR_CELL_NAME, ETR_IN_ROWS, SUM(note)},
    {NULL, "estimated", ETR_CELL_SHARE, ETR_IN_TEXT, .get = estimated_share,
     .tells = tells_estimated},
    {NULL, "code", ETR_CELL_NAME, ETR_IN_TEXT | LINES, SOURCE(code), .tells = tells_code,
     .spare = 1},
    {NULL, "instruction", ETR_CELL_COUNT, ETR_IN_EVENTS, SUM(instruction)},
    ETR_COST_FIELDS(FIGURE, COSTS, COSTS, integers, part),
};
ETR_ROW_TYPE(sum, fields);

void etr_sum_put(const etr_fields *f, const etr_sum *sum) {
  etr_sum put = *sum;
  put.profile = f->profile;
  etr_field_put_all(f, &etr_sum_fields, &put);
}

/* ---- Sheets ---- */

void etr_sum_table_init(etr_table *table, etr_answer *answer, unsigned medium, const char *title) {
  etr_table_init(table, answer, &etr_sum_fields);
  table->medium = medium;
  table->exact = (medium & (PROGRAMS | PATTERN_ROWS | ETR_IN_LINE_PATTERNS)) != 0;
  table->title = title;
  table->context = table;
}

etr_sum etr_sum_of_stats(double ticks, const etr_stats *stats) {
  return (etr_sum){.ticks = ticks, .p50 = stats ? stats->p50 : ticks, .stats = stats};
}

void etr_sum_table_add(etr_table *table, etr_sum sum) {
  etr_sum *added = etr_arena_alloc_array(&table->answer->arena, 1, sizeof *added);
  if (!added)
    return;
  *added = sum;
  added->answer = table->answer;
  added->profile = table->answer->profile;
  etr_table_add(table, added, "", 0);
}

void etr_sum_table_add_all(etr_table *table, const etr_method *method, etr_breakdown_by by,
                           const etr_breakdown *rows) {
  for (size_t i = 0; i < rows->count; i++)
    etr_sum_table_add(table, etr_sum_of(method, by, rows, &rows->rows[i]));
}

void etr_sum_table_add_parts(etr_table *table, const etr_method *method,
                             const etr_delegate_parts *parts) {
  for (size_t i = 0; i < parts->list.count; i++) {
    const etr_delegate_part *part = &parts->list.data[i];
    etr_sum sum = etr_sum_make(method, part->ticks);
    sum.text = etr_arena_format(&table->answer->arena, "%s, %s",
                                part->backend ? part->backend : "unknown backend", part->text);
    sum.has_bar = true;
    if (sum.text)
      etr_sum_table_add(table, sum);
  }
}

const char *etr_balance_title(const etr_profile *profile) {
  return etr_ranks_by_p50(profile) ? "where the time goes, on average" : "where the time goes";
}

void etr_balance_add(etr_table *table, const etr_method *method) {
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_balance_list(method, parts);
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++) {
    etr_sum sum = etr_sum_make(method, parts[i].ticks);
    if (!etr_balance_tells(parts, i))
      continue;
    sum.text = parts[i].text;
    if (parts[i].is_part_of_previous && table->answer->options->format == ETR_TABLE_MARKDOWN)
      sum.text = etr_arena_format(&table->answer->arena, "..%s",
                                  parts[i].text + strspn(parts[i].text, " "));
    sum.has_bar = !parts[i].is_part_of_previous;
    sum.style = parts[i].is_part_of_previous ? ETR_STYLE_DIM : ETR_STYLE_PLAIN;
    etr_sum_table_add(table, sum);
  }
}
