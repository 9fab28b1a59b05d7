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

etr_sum etr_sum_of_module(const etr_summary *s, const etr_module_row *row) {
  const etr_breakdown *own = &s->by[ETR_BY_MODULE];
  etr_sum sum = etr_sum_make(s->method, row->own_ticks);
  etr_sum total = etr_sum_make(s->method, row->total_ticks);
  total.p50 = row->total_p50;
  total.summed_p50 = s->modules.summed_p50;
  sum.by = ETR_BY_MODULE;
  sum.key = row->path;
  sum.module_type = row->type;
  sum.level = row->level;
  sum.estimated = (double)row->estimated_ticks;
  sum.nodes = row->own_count;
  sum.stats = row->number == ETR_NONE ? NULL : &own->stats[row->number];
  sum.summed_p50 = own->summed_p50;
  sum.cost = &row->own_cost;
  sum.total = total.ticks;
  sum.total_p50 = total.p50;
  sum.total_share = etr_sum_share(s->profile, &total);
  sum.total_nodes = row->node_count;
  sum.total_cost = &row->cost;
  return sum;
}

etr_sum etr_sum_of_pattern(const etr_method *method, const etr_pattern_row *row, bool is_own) {
  etr_sum sum = etr_sum_make(method, is_own ? row->own_ticks : row->total_ticks);
  sum.by = ETR_BY_PATTERN;
  sum.key = row->pattern;
  sum.module_type = row->type;
  sum.level = row->level;
  sum.nodes = is_own ? row->own_count : row->node_count;
  sum.estimated = (double)row->estimated_ticks;
  sum.own = etr_ticks_per_run(method, row->own_ticks);
  sum.total = etr_ticks_per_run(method, row->total_ticks);
  sum.total_share = (double)row->total_ticks / sum.whole;
  sum.total_nodes = row->node_count;
  sum.total_cost = &row->cost;
  sum.modules = row->module_count;
  sum.median = method->run_count ? row->median_ticks / (double)method->run_count : NAN;
  sum.slowest = row->slowest;
  sum.slowest_ticks = etr_ticks_per_run(method, row->slowest_ticks);
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
/* Writes the source line of a row, if it is one, in JSON, where the code follows the function. */
static void put_source(const etr_fields *f, const void *row) {
  if (as_row(row)->by == ETR_BY_SOURCE)
    etr_field_source(f, as_row(row)->source);
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

/* Returns the time of the statistic that ranks. */
static etr_cell ranking(const void *row) {
  return etr_cell_number(etr_sum_ranking(profile_of(row), as_row(row)));
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

static etr_cell exact_share(const void *row) {
  return (etr_cell){.number = etr_sum_share(profile_of(row), as_row(row)), .decimals = 6};
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
  TREES = ETR_IN_MODULES | ETR_IN_PATTERNS,
  EVERY_RUN = ETR_IN_DATA | ETR_IN_JSON,
  ROWS = ETR_IN_DATA | ETR_IN_LINE_PATTERNS,
  OPS = ETR_BY_KEY << ETR_BY_OP,
  MODULES = ETR_BY_KEY << ETR_BY_MODULE,
  PATTERNS = ETR_BY_KEY << ETR_BY_PATTERN,
  BACKENDS = ETR_BY_KEY << ETR_BY_BACKEND,
  SOURCES = ETR_BY_KEY << ETR_BY_SOURCE,
  LINES = SOURCES | ETR_IN_LINE_PATTERNS,
  TOTALS = MODULES | PATTERNS,
};

/* Tables for people have one column of times, of the statistic that ranks. */
#define OF_AVG .stats = 1u << ETR_STATISTIC_AVG
#define OF_P50 .stats = 1u << ETR_STATISTIC_P50

#define SUM(name) ETR_AT(etr_sum, name)
#define METHOD(name) ETR_VIA(etr_sum, method, etr_method, name)
#define SOURCE(name) ETR_VIA(etr_sum, source, etr_source, name)
#define FIGURE(name) ETR_VIA(etr_sum, cost, etr_cost_figures, name)
#define TOTAL(name) ETR_VIA(etr_sum, total_cost, etr_cost_figures, name)
#define STATS(name) ETR_VIA(etr_sum, stats, etr_stats, name)

static const etr_field fields[] = {
    {NULL, "", ETR_CELL_ITEM, ETR_IN_TEXT | ETR_IN_EVENTS | TREES | ETR_IN_RUNS | ETR_IN_LOADS,
     .get = text},
    {NULL, "", ETR_CELL_ITEM, ETR_IN_BALANCE, .get = styled_text},
    {NULL, "method", ETR_CELL_NAME, ROWS, METHOD(name)},
    {"op", "op", ETR_CELL_NAME, OPS, SUM(key)},
    {"module", "module", ETR_CELL_NAME, MODULES, SUM(key)},
    {"backend", "backend", ETR_CELL_NAME, BACKENDS, SUM(key)},
    {"", .in = ETR_IN_JSON, .put = put_source},
    {NULL, "file", ETR_CELL_NAME, LINES, SOURCE(file)},
    {NULL, "line", ETR_CELL_COUNT, LINES, .get = line},
    {NULL, "function", ETR_CELL_NAME, LINES, SOURCE(function)},
    {"pattern", "pattern", ETR_CELL_NAME, PATTERNS | ETR_IN_LINE_PATTERNS, SUM(key)},
    {"module_type", "module type", ETR_CELL_NAME, TOTALS, SUM(module_type), .blank_is_null = true},
    {"modules", "modules", ETR_CELL_COUNT, PATTERNS | ETR_IN_LINE_PATTERNS, SUM(modules)},
    {"level", "level", ETR_CELL_COUNT, MODULES, SUM(level)},
    {"avg", "avg", ETR_CELL_TIME, EVERY_RUN, SUM(ticks)},
    {NULL, "avg", ETR_CELL_TIME, LISTS & ~ETR_IN_RUNS, SUM(ticks), .unit_in = LISTS, .step = step,
     OF_AVG},
    {NULL, "p50", ETR_CELL_TIME, LISTS & ~ETR_IN_RUNS, .get = p50, .unit_in = LISTS, .step = step,
     OF_P50},
    {NULL, "avg", ETR_CELL_TIME, ETR_IN_RUNS | ETR_IN_LINE_PATTERNS, SUM(ticks),
     .unit_in = ETR_IN_RUNS, .step = step},
    {NULL, "avg", ETR_CELL_TIME, ETR_IN_BALANCE, .get = avg, .unit_in = ETR_IN_BALANCE},
    {NULL, "total", ETR_CELL_TIME, ETR_IN_MODULES, .get = ranking, .unit_in = ETR_IN_MODULES,
     .step = step},
    {NULL, "total", ETR_CELL_TIME, ETR_IN_PATTERNS, SUM(ticks), .unit_in = ETR_IN_PATTERNS},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ROWS},
    {"share", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, .get = exact_share,
     .says = "with stat avg of Method::execute, with p50 of the sum of the p50 of all rows of this "
             "list",
     .nullable = true},
    {NULL, "share", ETR_CELL_NUMBER, ROWS, .get = exact_share},
    {NULL, "share", ETR_CELL_SHARE, ETR_IN_TEXT | ETR_IN_EVENTS | ETR_IN_MODULES, .get = share},
    {NULL, "share", ETR_CELL_SHARE, ETR_IN_PATTERNS, .get = share_of_balance},
    {NULL, "share", ETR_CELL_SHARE, ETR_IN_BALANCE, .get = plain_share},
    {NULL, "", ETR_CELL_WORD, ETR_IN_BALANCE, .get = bar, .spare = 1},
    {NULL, "own", ETR_CELL_TIME, ETR_IN_MODULES, SUM(own), .has = has_own,
     .unit_in = ETR_IN_MODULES, .step = step},
    {NULL, "own", ETR_CELL_TIME, ETR_IN_PATTERNS, SUM(own), .has = has_own_average,
     .unit_in = ETR_IN_PATTERNS},
    {NULL, "modules", ETR_CELL_WORD, ETR_IN_PATTERNS, .get = repetitions},
    {NULL, "median", ETR_CELL_TIME, ETR_IN_PATTERNS, SUM(median), .has = repeats, .spare = 1},
    {NULL, "slowest", ETR_CELL_TIME, ETR_IN_PATTERNS, SUM(slowest_ticks), .has = repeats,
     .spare = 2},
    {NULL, "which", ETR_CELL_WORD, ETR_IN_PATTERNS, .get = which, .spare = 2},
    {"estimated", NULL, ETR_CELL_TIME, ETR_IN_JSON, .get = estimated},
    {"count", NULL, ETR_CELL_COUNT, ETR_IN_JSON, SUM(nodes)},
    {"p50", "p50", ETR_CELL_TIME, EVERY_RUN, .get = p50, .nullable = true},
    {"p90", "p90", ETR_CELL_TIME, EVERY_RUN, STATS(p90), .has = has_stats},
    {NULL, "p50", ETR_CELL_TIME, ETR_IN_RUNS, .get = p50, .has = varies, .spare = 3},
    {NULL, "p90", ETR_CELL_TIME, ETR_IN_RUNS, STATS(p90), .has = varies},
    {NULL, "min", ETR_CELL_TIME, ETR_IN_RUNS, STATS(min), .has = varies, .spare = 2},
    {NULL, "max", ETR_CELL_TIME, ETR_IN_RUNS, STATS(max), .has = varies},
    {NULL, "p90/p50", ETR_CELL_NUMBER, ETR_IN_EVENTS, .get = jitter, .has = jitters},
    {NULL, "p90/p50", ETR_CELL_NUMBER, ETR_IN_RUNS, .get = jitter, .has = jitters, .spare = 1},
    {"count", "nodes", ETR_CELL_COUNT, ETR_IN_TEXT | ROWS | ETR_IN_MODULES, SUM(nodes),
     .has = has_nodes},
    {NULL, "estimated", ETR_CELL_SHARE, ETR_IN_TEXT, .get = estimated_share,
     .tells = tells_estimated},
    {NULL, "code", ETR_CELL_NAME, ETR_IN_TEXT | LINES, SOURCE(code), .tells = tells_code,
     .spare = 1},
    {NULL, "instruction", ETR_CELL_COUNT, ETR_IN_EVENTS, SUM(instruction)},
    ETR_COST_FIELDS(FIGURE, EVERY_RUN, EVERY_RUN, integers, part),
    {"level", "level", ETR_CELL_COUNT, PATTERNS, SUM(level)},
    {"total", "total", ETR_CELL_TIME, TOTALS, SUM(total)},
    {"total_p50", "total p50", ETR_CELL_TIME, MODULES, SUM(total_p50), .nullable = true},
    {"total_share", "total share", ETR_CELL_NUMBER, TOTALS, SUM(total_share),
     .digits = ETR_ALL_DIGITS, .nullable = true},
    {"total_count", "total count", ETR_CELL_COUNT, TOTALS, SUM(total_nodes)},
    {"total_macs", "total macs", ETR_CELL_RATE, TOTALS, TOTAL(macs), .nullable = true},
    {"total_bytes", "total bytes", ETR_CELL_RATE, TOTALS, TOTAL(bytes), .nullable = true},
    {"total_gflops", "total gflops", ETR_CELL_RATE, TOTALS, TOTAL(gflops), .nullable = true},
    {"total_gbs", "total gbs", ETR_CELL_RATE, TOTALS, TOTAL(gbs), .nullable = true},
    {"median", "median", ETR_CELL_TIME, PATTERNS, SUM(median), .nullable = true},
    {"slowest", "slowest", ETR_CELL_NAME, PATTERNS, SUM(slowest)},
    {"slowest_total", "slowest total", ETR_CELL_TIME, PATTERNS, SUM(slowest_ticks)},
};
ETR_ROW_TYPE(sum, fields);

void etr_sum_put(const etr_fields *f, const etr_sum *sum) {
  unsigned keys = sum->by == ETR_BY_SOURCE ? 0 : (unsigned)ETR_BY_KEY << sum->by;
  etr_sum put = *sum;
  put.profile = f->profile;
  etr_field_put_medium(f, &etr_sum_fields, ETR_IN_JSON | keys, &put);
}

/* ---- Sheets ---- */

void etr_sum_table_init(etr_table *table, etr_answer *answer, unsigned medium, const char *title) {
  etr_table_init(table, answer, &etr_sum_fields);
  table->medium = medium;
  table->exact = (medium & ROWS) != 0;
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
