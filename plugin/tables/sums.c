/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sums.c - the columns of sums.
 */
#include "tables/sums.h"

#include "output/label.h"
#include "views/module_tree.h"

enum { BAR_WIDTH = 24 };

etr_sum etr_sum_make(const etr_method *method, uint64_t total_ticks, double typical) {
  return (etr_sum){
      .method = method,
      /* typical, average, median, which is not known here */
      .times = {typical, etr_ticks_per_run(method, total_ticks), NAN},
      .whole = {method->execute.typical, etr_ticks_per_run(method, method->execute_ticks), NAN},
      .instruction = -1};
}

etr_sum etr_sum_of(const etr_method *method, etr_breakdown_by by, const etr_breakdown *rows,
                   const etr_breakdown_row *row) {
  etr_sum sum = etr_sum_make(method, row->total_ticks, row->typical);
  sum.by = by;
  sum.key = row->key;
  sum.source = row->source;
  sum.estimated = etr_ticks_per_run(method, row->estimated_ticks);
  sum.nodes = row->node_count;
  sum.stats = &rows->stats[row->number];
  sum.whole.p50 = rows->summed_p50;
  sum.step = row->step;
  sum.cost = &row->cost;
  return sum;
}

etr_sum etr_sum_of_module(const etr_summary *s, const etr_module_row *row) {
  const etr_breakdown *own = &s->by[ETR_BY_MODULE];
  etr_sum sum = etr_sum_make(s->method, row->own_ticks, row->own_typical);
  etr_sum total = etr_sum_make(s->method, row->total_ticks, row->total_typical);
  total.times.p50 = row->total_p50;
  total.whole.p50 = s->modules.summed_p50;
  sum.by = ETR_BY_MODULE;
  sum.key = row->path;
  sum.module_type = row->type;
  sum.level = row->level;
  sum.estimated = etr_ticks_per_run(s->method, row->estimated_ticks);
  sum.nodes = row->own_count;
  sum.stats = row->number == ETR_NONE ? NULL : &own->stats[row->number];
  sum.whole.p50 = own->summed_p50;
  sum.cost = &row->own_cost;
  sum.total = total.times;
  sum.total_share = etr_sum_share(s->profile, &total);
  sum.total_nodes = row->node_count;
  sum.total_cost = &row->cost;
  return sum;
}

etr_sum etr_sum_of_pattern(const etr_profile *profile, const etr_method *method,
                           const etr_pattern_row *row, bool is_own) {
  const etr_sum total = etr_sum_make(method, row->total_ticks, row->total_typical);
  etr_sum sum = is_own ? etr_sum_make(method, row->own_ticks, row->own_typical) : total;
  sum.by = ETR_BY_PATTERN;
  sum.key = row->pattern;
  sum.module_type = row->type;
  sum.level = row->level;
  sum.nodes = is_own ? row->own_count : row->node_count;
  sum.estimated = etr_ticks_per_run(method, row->estimated_ticks);
  sum.own = etr_additive_ticks(profile, method, row->own_typical, row->own_ticks);
  sum.total = total.times;
  sum.total_share = etr_additive_time(profile, total.times.typical, total.times.avg) /
                    etr_additive_time(profile, total.whole.typical, total.whole.avg);
  sum.total_nodes = row->node_count;
  sum.total_cost = &row->cost;
  sum.modules = row->module_count;
  sum.median = row->median;
  sum.slowest = row->slowest;
  sum.slowest_ticks = row->slowest_time;
  sum.stats = row->stats;
  sum.cost = is_own ? &row->own_cost : &row->cost;
  return sum;
}

etr_sum etr_sum_of_kernel(const etr_method *method, const etr_kernels *kernels,
                          const etr_kernel_row *row) {
  const etr_stats *stats = &kernels->stats[row->number];
  etr_sum sum = etr_sum_make(method, row->ticks, stats->typical);
  sum.key = row->kernel;
  sum.backend = row->backend;
  sum.stats = stats;
  sum.whole.p50 = kernels->summed_p50;
  sum.step = row->step;
  sum.nodes = row->event_count;
  return sum;
}

static const etr_sum *as_row(const void *row) {
  return row;
}
static const etr_profile *profile_of(const void *row) {
  return as_row(row)->profile;
}

/* Returns the median that was given, as for sums of medians, or else that of the statistics; NaN if
 * neither is known. */
static double median(const etr_sum *sum) {
  if (!isnan(sum->times.p50))
    return sum->times.p50;
  return sum->stats && sum->stats->count > 0 ? sum->stats->p50 : NAN;
}

/* Returns the times of a sum, with its median. */
static etr_times times_of(const etr_sum *sum) {
  return (etr_times){sum->times.typical, sum->times.avg, median(sum)};
}

double etr_sum_ranking(const etr_profile *profile, const etr_sum *sum) {
  return etr_ranking_time(profile, times_of(sum));
}

double etr_sum_share(const etr_profile *profile, const etr_sum *sum) {
  double whole = etr_ranking_time(profile, sum->whole);
  return whole > 0 ? etr_sum_ranking(profile, sum) / whole : NAN;
}

/* Returns the time of a sum that may be added to others: the average or, because medians do not add
 * up, else the typical time. */
static double additive_time_of(const etr_sum *sum) {
  return etr_additive_time(sum->profile, sum->times.typical, sum->times.avg);
}

etr_cell etr_sum_additive_share(const etr_sum *sum) {
  return etr_cell_share(additive_time_of(sum),
                        etr_additive_time(sum->profile, sum->whole.typical, sum->whole.avg));
}

/* Returns the share of a sum in Method::execute; NaN if it is no part of that, as a load. */
static double share_of_whole(const etr_sum *sum) {
  etr_cell share = etr_sum_additive_share(sum);
  return share.whole > 0 ? share.number / share.whole : NAN;
}

/* ---- What it is of ---- */

/* Returns the text of a sum: its own, its key or source line, or a word in parentheses where that
 * is empty or unknown. */
static etr_cell name_text(const void *row) {
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

static etr_cell line(const void *row) {
  return as_row(row)->source ? etr_cell_number((double)as_row(row)->source->line) : etr_cell_none();
}
/* Writes the source line of a row, if it is one, in JSON, where the code follows the function. */
static void put_source(const etr_fields *f, const void *row) {
  if (as_row(row)->by == ETR_BY_SOURCE)
    etr_field_source(f, as_row(row)->source);
}

/* Writes "with_children": the times and costs of a module or pattern together with everything below
 * it; nothing for other sums. */
static void put_with_children(const etr_fields *f, const void *row) {
  const etr_sum *sum = as_row(row);
  if (!sum->total_cost)
    return;
  etr_field_begin_object(f, "with_children");
  etr_field_ticks(f, "typical", sum->total.typical);
  if (sum->by == ETR_BY_MODULE)
    etr_field_ticks(f, "p50", sum->total.p50);
  etr_field_ticks(f, "avg", sum->total.avg);
  etr_field_number(f, "share", sum->total_share);
  etr_field_count(f, "count", sum->total_nodes);
  etr_field_number(f, "macs", sum->total_cost->macs);
  etr_field_number(f, "bytes", sum->total_cost->bytes);
  etr_field_number(f, "gflops", sum->total_cost->gflops);
  etr_field_number(f, "gbs", sum->total_cost->gbs);
  etr_jw_end(f->json);
}

/* ---- Times ---- */

static etr_cell p50(const void *row) {
  return etr_cell_number(median(as_row(row)));
}
static double step(const void *row) {
  return as_row(row)->step;
}

/* Returns the time of the statistic that ranks. */
static etr_cell ranking_time(const void *row) {
  return etr_cell_number(etr_sum_ranking(profile_of(row), as_row(row)));
}

/* Returns the time of a pattern: that of its modules together, so the statistic must add up. */
static etr_cell additive_time(const void *row) {
  return etr_cell_number(additive_time_of(as_row(row)));
}

static etr_cell estimated_share(const void *row) {
  return (etr_cell){
      .number = as_row(row)->estimated, .whole = as_row(row)->times.avg, .style = ETR_STYLE_DIM};
}

/* Returns the share for people, by the statistic that ranks. For parts and patterns there is no sum
 * of medians to have a share of: they have the share of the time that adds up. */
static etr_cell share(const void *row) {
  const etr_sum *sum = row;
  double part = isnan(sum->whole.p50) ? share_of_whole(sum) : etr_sum_share(sum->profile, sum);
  return (etr_cell){.number = part, .whole = 1, .is_cold = sum->is_part};
}

static etr_cell exact_share(const void *row) {
  return (etr_cell){.number = etr_sum_share(profile_of(row), as_row(row)), .decimals = 6};
}

/* Returns a bar whose length is in proportion to the share, at most that of the whole. */
static etr_cell bar(const void *row) {
  const etr_sum *sum = as_row(row);
  double share = share_of_whole(sum);
  double drawn_share = share > 0 ? ETR_MIN(share, 1.0) : 0;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &sum->answer->arena, &writer);
  for (size_t i = (size_t)(drawn_share * (double)BAR_WIDTH + 0.5); i > 0; i--)
    etr_puts(&writer, "\xE2\x96\x88");
  return etr_cell_text(etr_text_end(&text, &writer));
}

static bool repeats(const void *row) {
  return as_row(row)->modules > 1;
}

/* Returns for how many modules a pattern stands, "×12"; "" if it is one. */
static etr_cell repetitions(const void *row) {
  const etr_sum *sum = as_row(row);
  return etr_cell_text(
      repeats(row) ? etr_arena_format(&sum->answer->arena, "\xC3\x97%zu", sum->modules) : "");
}

/* Returns which of the modules that a pattern stands for is the slowest, by the numbers in place of
 * '*': "3"; "" if the pattern has one module. */
static etr_cell slowest_module_numbers(const void *row) {
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
/* Returns true if a pattern's own nodes take another time than the pattern. */
static bool has_other_own(const void *row) {
  return as_row(row)->own > 0 && as_row(row)->own != additive_time_of(as_row(row));
}
static bool has_nodes(const void *row) {
  return as_row(row)->nodes > 0;
}
static bool varies(const void *row) {
  return as_row(row)->stats && as_row(row)->stats->count > 1;
}
static double spread_of(const etr_sum *sum) {
  return sum->stats ? etr_stats_spread(sum->stats, sum->step) : (double)NAN;
}
static etr_cell spread(const void *row) {
  return etr_cell_number(spread_of(as_row(row)));
}

/* Returns true if the sum is a row of a table for people; sums in documents have no answer. */
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

enum {
  LISTS = ETR_IN_TEXT | ETR_IN_EVENTS | ETR_IN_KERNELS | ETR_IN_RUNS | ETR_IN_LOADS,
  LISTS_WITH_SHARES = ETR_IN_TEXT | ETR_IN_EVENTS | ETR_IN_KERNELS,
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
#define OF_TYPICAL .stats = 1u << ETR_STATISTIC_TYPICAL
#define OF_AVG .stats = 1u << ETR_STATISTIC_AVG
#define OF_P50 .stats = 1u << ETR_STATISTIC_P50

#define SUM(name) ETR_AT(etr_sum, name)
#define METHOD(name) ETR_VIA(etr_sum, method, etr_method, name)
#define SOURCE(name) ETR_VIA(etr_sum, source, etr_source, name)
#define FIGURE(name) ETR_VIA(etr_sum, cost, etr_cost_figures, name)
#define TOTAL(name) ETR_VIA(etr_sum, total_cost, etr_cost_figures, name)
#define STATS(name) ETR_VIA(etr_sum, stats, etr_stats, name)

static const etr_field fields[] = {
    {NULL, "", ETR_CELL_ITEM, LISTS | TREES | ETR_IN_BALANCE, .get = name_text},
    {NULL, "method", ETR_CELL_NAME, ROWS, METHOD(name)},
    {"op", "op", ETR_CELL_NAME, OPS, SUM(key)},
    {"module", "module", ETR_CELL_NAME, MODULES, SUM(key)},
    {"backend", "backend", ETR_CELL_NAME, BACKENDS, SUM(key)},
    {"kernel", "kernel", ETR_CELL_NAME, ETR_BY_KERNEL, SUM(key)},
    {"backend", "backend", ETR_CELL_NAME, ETR_BY_KERNEL, SUM(backend), .nullable = true},
    {"", .in = ETR_IN_JSON, .put = put_source},
    {NULL, "file", ETR_CELL_NAME, LINES, SOURCE(file)},
    {NULL, "line", ETR_CELL_COUNT, LINES, .get = line},
    {NULL, "function", ETR_CELL_NAME, LINES, SOURCE(function)},
    {"pattern", "pattern", ETR_CELL_NAME, PATTERNS | ETR_IN_LINE_PATTERNS, SUM(key)},
    {"module_type", "module type", ETR_CELL_NAME, TOTALS, SUM(module_type), .blank_is_null = true},
    {"modules", "modules", ETR_CELL_COUNT, PATTERNS | ETR_IN_LINE_PATTERNS, SUM(modules)},
    {"level", "level", ETR_CELL_COUNT, MODULES, SUM(level)},
    {"typical", "typical", ETR_CELL_TIME, EVERY_RUN | LISTS | ETR_IN_LINE_PATTERNS,
     SUM(times.typical), .unit_in = LISTS, .step = step, OF_TYPICAL, .nullable = true,
     .says = ETR_SAYS("per inference in the typical run")},
    {"p50", "p50", ETR_CELL_TIME, EVERY_RUN | LISTS, .get = p50, .unit_in = LISTS, .step = step,
     OF_P50, .nullable = true},
    {"avg", "avg", ETR_CELL_TIME, EVERY_RUN | LISTS | ETR_IN_LINE_PATTERNS, SUM(times.avg),
     .unit_in = LISTS, .step = step, OF_AVG},
    {NULL, "typical", ETR_CELL_TIME, ETR_IN_BALANCE, SUM(times.typical), .unit_in = ETR_IN_BALANCE,
     .stats = 1u << ETR_STATISTIC_TYPICAL | 1u << ETR_STATISTIC_P50},
    {NULL, "avg", ETR_CELL_TIME, ETR_IN_BALANCE, SUM(times.avg), .unit_in = ETR_IN_BALANCE, OF_AVG},
    {NULL, "total", ETR_CELL_TIME, ETR_IN_MODULES, .get = ranking_time, .unit_in = ETR_IN_MODULES,
     .step = step},
    {NULL, "total", ETR_CELL_TIME, ETR_IN_PATTERNS, .get = additive_time,
     .unit_in = ETR_IN_PATTERNS},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ROWS},
    {"share", "share", ETR_CELL_NUMBER, ETR_IN_JSON | ROWS, .get = exact_share,
     .says = ETR_SAYS(
         "of Method::execute; with stat p50 of the sum of the p50 of all rows of this list"),
     .nullable = true},
    {NULL, "share", ETR_CELL_SHARE, LISTS_WITH_SHARES | TREES | ETR_IN_BALANCE, .get = share},
    {NULL, "", ETR_CELL_WORD, ETR_IN_BALANCE, .get = bar, .spare = 1},
    {NULL, "itself", ETR_CELL_TIME, ETR_IN_MODULES, SUM(own), .has = has_own,
     .unit_in = ETR_IN_MODULES, .step = step},
    {NULL, "itself", ETR_CELL_TIME, ETR_IN_PATTERNS, SUM(own), .has = has_other_own,
     .unit_in = ETR_IN_PATTERNS},
    {NULL, "modules", ETR_CELL_WORD, ETR_IN_PATTERNS, .get = repetitions},
    {NULL, "median", ETR_CELL_TIME, ETR_IN_PATTERNS, SUM(median), .has = repeats, .spare = 1},
    {NULL, "slowest", ETR_CELL_TIME, ETR_IN_PATTERNS, SUM(slowest_ticks), .has = repeats,
     .spare = 2},
    {NULL, "which", ETR_CELL_WORD, ETR_IN_PATTERNS, .get = slowest_module_numbers, .spare = 2},
    {"estimated", NULL, ETR_CELL_TIME, ETR_IN_JSON, SUM(estimated), .nullable = true,
     .says = ETR_SAYS("the part of avg that is estimated")},
    {"count", NULL, ETR_CELL_COUNT, ETR_IN_JSON, SUM(nodes)},
    {"p90", "p90", ETR_CELL_TIME, EVERY_RUN, STATS(p90), .has = has_stats},
    {NULL, "\xC2\xB1", ETR_CELL_TIME, ETR_IN_EVENTS | ETR_IN_KERNELS | ETR_IN_RUNS, .get = spread,
     .step = step, .hides_zeros = true},
    {NULL, "p50", ETR_CELL_TIME, ETR_IN_RUNS, .get = p50, .has = varies, .spare = 3,
     .stats = 1u << ETR_STATISTIC_TYPICAL | 1u << ETR_STATISTIC_AVG},
    {NULL, "min", ETR_CELL_TIME, ETR_IN_RUNS, STATS(min), .has = varies, .spare = 2},
    {NULL, "max", ETR_CELL_TIME, ETR_IN_RUNS, STATS(max), .has = varies},
    {NULL, "events", ETR_CELL_COUNT, ETR_IN_KERNELS, SUM(nodes)},
    {"count", "nodes", ETR_CELL_COUNT, ETR_IN_TEXT | ROWS | ETR_IN_MODULES, SUM(nodes),
     .has = has_nodes},
    {NULL, "estimated", ETR_CELL_SHARE, ETR_IN_TEXT, .get = estimated_share, .hides_zeros = true},
    {NULL, "code", ETR_CELL_NAME, ETR_IN_TEXT | LINES, SOURCE(code), .hides_zeros = true,
     .spare = 1},
    {NULL, "instruction", ETR_CELL_COUNT, ETR_IN_EVENTS, SUM(instruction)},
    ETR_COST_FIELDS(FIGURE, EVERY_RUN, EVERY_RUN, integers, part),
    {"level", "level", ETR_CELL_COUNT, PATTERNS, SUM(level)},
    {"", .in = ETR_IN_JSON, .put = put_with_children},
    {NULL, "total typical", ETR_CELL_TIME, TOTALS, SUM(total.typical), .nullable = true},
    {NULL, "total p50", ETR_CELL_TIME, MODULES, SUM(total.p50), .nullable = true},
    {NULL, "total avg", ETR_CELL_TIME, TOTALS, SUM(total.avg), .nullable = true},
    {NULL, "total share", ETR_CELL_NUMBER, TOTALS, SUM(total_share), .digits = ETR_ALL_DIGITS,
     .nullable = true},
    {NULL, "total count", ETR_CELL_COUNT, TOTALS, SUM(total_nodes)},
    {NULL, "total macs", ETR_CELL_RATE, TOTALS, TOTAL(macs), .nullable = true},
    {NULL, "total bytes", ETR_CELL_RATE, TOTALS, TOTAL(bytes), .nullable = true},
    {NULL, "total gflops", ETR_CELL_RATE, TOTALS, TOTAL(gflops), .nullable = true},
    {NULL, "total gbs", ETR_CELL_RATE, TOTALS, TOTAL(gbs), .nullable = true},
    {"median", "median", ETR_CELL_TIME, PATTERNS, SUM(median), .nullable = true},
    {"slowest", "slowest", ETR_CELL_NAME, PATTERNS, SUM(slowest)},
    {"slowest_total", "slowest total", ETR_CELL_TIME, PATTERNS, SUM(slowest_ticks)},
};
ETR_ROW_TYPE(sum, fields);

void etr_sum_put_members(const etr_fields *f, const etr_sum *sum) {
  unsigned keys = sum->by == ETR_BY_SOURCE ? 0 : (unsigned)ETR_BY_KEY << sum->by;
  etr_sum put = *sum;
  put.profile = f->profile;
  etr_field_put_members_in(f, &etr_sum_fields, ETR_IN_JSON | keys, &put);
}

/* ---- Tables ---- */

void etr_sum_table_init(etr_table *table, etr_answer *answer, unsigned medium, const char *title) {
  etr_table_init(table, answer, &etr_sum_fields);
  table->medium = medium;
  table->exact = (medium & ROWS) != 0;
  table->title = title;
}

etr_sum etr_sum_of_stats(double ticks, const etr_stats *stats) {
  return (etr_sum){.times = stats ? etr_times_of(stats) : (etr_times){ticks, ticks, ticks},
                   .stats = stats};
}

void etr_sum_table_add_row(etr_table *table, etr_sum sum) {
  etr_sum *added = etr_arena_alloc_array(&table->answer->arena, 1, sizeof *added);
  if (!added)
    return;
  *added = sum;
  added->answer = table->answer;
  added->profile = table->answer->profile;
  /* "", 0: rows stay in the order in which they are added. */
  etr_table_add_row(table, added, "", 0);
}

void etr_sum_table_add_breakdown(etr_table *table, const etr_method *method, etr_breakdown_by by,
                                 const etr_breakdown *rows) {
  for (size_t i = 0; i < rows->count; i++)
    etr_sum_table_add_row(table, etr_sum_of(method, by, rows, &rows->rows[i]));
}

void etr_sum_table_add_delegate_parts(etr_table *table, const etr_method *method,
                                      const etr_delegate_parts *parts) {
  for (size_t i = 0; i < parts->list.count; i++) {
    const etr_delegate_part *part = &parts->list.data[i];
    etr_sum sum = etr_sum_make(method, part->ticks, part->typical);
    sum.text = etr_arena_format(&table->answer->arena, "%s, %s",
                                part->backend ? part->backend : "unknown backend", part->text);
    sum.is_part = true;
    if (sum.text)
      etr_sum_table_add_row(table, sum);
  }
}

void etr_balance_add_rows(etr_table *table, const etr_method *method) {
  etr_balance balance;
  if (!etr_balance_make(&balance, &table->answer->arena, table->answer->profile, method))
    return;
  for (size_t i = 0; i < balance.count; i++) {
    const etr_part_time *time = balance.list[i].time;
    etr_sum sum = etr_sum_make(method, time->ticks, time->typical);
    double shown = etr_additive_time(table->answer->profile, sum.times.typical, sum.times.avg);
    /* A part of 0 ticks, too short for its clock, says nothing, but some row must remain. */
    if (shown == 0 && time->part != ETR_TIME_OPERATORS && balance.count > 1)
      continue;
    sum.text = balance.list[i].text;
    sum.is_part = true;
    etr_sum_table_add_row(table, sum);
  }
}
