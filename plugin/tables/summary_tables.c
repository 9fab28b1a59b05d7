/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_tables.c - where each method's time goes, on one screen, or for an issue; for programs,
 * one table of what they choose.
 */
#include "output/label.h"
#include "output/node_filter.h"
#include "output/section.h"
#include "tables/decoder_output.h"
#include "tables/finding_output.h"
#include "tables/first_screen.h"
#include "tables/node_fields.h"
#include "tables/summary_output.h"
#include "tables/sums.h"
#include "views/accuracy_view.h"
#include "views/interruptions.h"
#include "views/logged.h"
#include "views/method_rule.h"
#include "views/module_tree.h"
#include "views/phases.h"
#include "views/run_stats.h"
#include "views/steadiness.h"
#include "views/throughput.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is being written for people: lines and tables below each other, as text or Markdown. */
typedef struct report {
  etr_answer answer;
  etr_loads loads;
  bool markdown;
  bool any;                  /* something was written */
  const etr_method *longest; /* the method that has the screen; NULL: none was timed */
  bool is_each;              /* each method is written whole; else one has a screen */
  bool lines_before;         /* other methods have a line before the one with the screen */
  size_t lines;              /* written on the screen so far */
  etr_table_options options; /* as they were given, with the unit of the method's screen */
  etr_unit given_unit;
} report;

/* Returns the breakdown of a choice, which is not ETR_SUM_BY_ALL. */
static etr_breakdown_by breakdown_of(etr_sum_by only) {
  return (etr_breakdown_by)((int)only - (int)ETR_SUM_BY_OP);
}

enum { DEFAULT_ROWS = 10, TREE_ROWS = 40 };

/* Titles of the first columns, by etr_breakdown_by. */
static const char *const breakdown_titles[] = {"by operator", "by module", "by pattern",
                                               "by backend", "by source line"};

#define DOT " \xC2\xB7 "
#define TIMES "\xC3\x97"

/* Writes an empty line, the rows of a table, and the number of rows that are not shown. Writes
 * nothing if there are no rows. */
static void put_table(report *r, etr_table *table) {
  if (table->rows.count == 0)
    return;
  etr_puts(&r->answer.writer, "\n");
  etr_table_finish(table);
}

/* ---- Events, where there is no graph ---- */

/* An event and its time over all runs of the method. */
typedef struct timed_event {
  const etr_event *event;
  uint64_t ticks;
  etr_stats stats; /* statistics over the runs */
  double weight;   /* events are ranked by this */
} timed_event;

/* Orders events by the time that ranks, the longest first. */
static int by_ranking_time(const void *a, const void *b) {
  const timed_event *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  return (x->event > y->event) - (x->event < y->event);
}

/* Returns true for events whose time no other listed event contains: kernels, operators inside
 * delegates, and calls of delegates that recorded no operators. A call follows the operators inside
 * it (the row before has a delegate id and the same instruction). The runtime's events contain all
 * of these and are not listed. */
static bool is_listed_event(const etr_block *block, size_t row) {
  const etr_event *e = &block->events[row];
  bool is_inside = e->kind == ETR_EVENT_DELEGATE_OPERATOR;
  if (e->match == ETR_MATCH_FRAMEWORK || (is_inside && !e->is_in_sums))
    return false;
  if (e->delegate_id || row == 0)
    return true;
  const etr_event *before = &block->events[row - 1];
  bool is_call_with_operators = before->delegate_id && before->instruction_id == e->instruction_id;
  return !is_call_with_operators;
}

typedef struct timed_events {
  etr_vec(timed_event) list;
  etr_map event_indices; /* address of an event -> index in the list */
} timed_events;

/* Adds an event without time to the list, so that add_time_slices() finds it by its address.
 * Returns false when out of memory. */
static bool add_listed_event(report *r, timed_events *events, const etr_event *event) {
  timed_event *added = etr_vec_push(&r->answer.arena, &events->list);
  if (!added)
    return false;
  added->event = event;
  return etr_map_set(&events->event_indices, ETR_BYTES(event), (uint32_t)(events->list.count - 1));
}

/* Sets the ticks (of all runs), statistics and ranking weights of the listed events to their time
 * slices, which add up to Method::execute. Inside a delegate, these may be less than what was
 * recorded. Returns false when out of memory. */
static bool add_time_slices(report *r, timed_events *events, const etr_method *method) {
  uint32_t *slice_events = etr_arena_alloc_array(&r->answer.arena, method->time_slice_count,
                                                 sizeof *slice_events);
  for (size_t i = 0; slice_events && i < method->time_slice_count; i++) {
    const etr_time_slice *time_slice = &method->time_slices[i];
    slice_events[i] = etr_map_get(&events->event_indices, ETR_BYTES(time_slice->event));
    if (slice_events[i] != ETR_NONE)
      events->list.data[slice_events[i]].ticks += time_slice->ticks;
  }
  const etr_stats *stats = slice_events ? etr_run_stats(&r->answer.arena, method, slice_events,
                                                        events->list.count)
                                        : NULL;
  for (size_t i = 0; stats && i < events->list.count; i++) {
    timed_event *timed = &events->list.data[i];
    timed->stats = stats[i];
    timed->weight = etr_ranking_time(
        r->answer.profile,
        (etr_times){stats[i].typical, etr_ticks_per_run(method, timed->ticks), stats[i].p50});
  }
  return stats != NULL;
}

/* Lists the events that took time in a method without a graph, by the time that ranks, the longest
 * first. All are listed before their times are added, because slices are given to listed events.
 * Returns false when out of memory. */
static bool list_timed_events(report *r, timed_events *events, const etr_method *method) {
  etr_map_init(&events->event_indices, &r->answer.arena);
  for (size_t i = 0; i < method->block_count; i++) {
    const etr_block *block = &r->answer.profile->blocks[method->blocks[i]];
    for (size_t k = 0; k < block->event_count; k++)
      if (is_listed_event(block, k) && !add_listed_event(r, events, &block->events[k]))
        return false;
  }
  if (!add_time_slices(r, events, method))
    return false;
  if (events->list.count)
    qsort(events->list.data, events->list.count, sizeof *events->list.data, by_ranking_time);
  return true;
}

/* Writes the table of events of a method without a graph, the longest first, with shares of
 * Method::execute, or of the sum of all medians if medians rank. When out of memory, it writes
 * nothing, and the arena has failed. */
static void write_event_table(report *r, const etr_summary *s) {
  timed_events events = {0};
  etr_table table;
  double summed_p50 = 0;
  if (!list_timed_events(r, &events, s->method))
    return;
  etr_sum_table_init(&table, &r->answer, ETR_IN_EVENTS, "events");
  for (size_t i = 0; i < events.list.count; i++)
    summed_p50 += events.list.data[i].stats.p50;
  for (size_t i = 0; i < events.list.count; i++) {
    const timed_event *timed = &events.list.data[i];
    const etr_event *event = timed->event;
    etr_sum sum = etr_sum_make(s->method, timed->ticks, timed->stats.typical);
    sum.text = etr_label_kernel(event->label);
    sum.stats = &timed->stats;
    sum.whole.p50 = summed_p50;
    if (event->kind == ETR_EVENT_DELEGATE_OPERATOR)
      sum.step = etr_clock_step(r->answer.profile, event->backend, event->delegate_id);
    sum.instruction = event->instruction_id;
    etr_sum_table_add_row(&table, sum);
  }
  put_table(r, &table);
}

/* ---- By kernel ---- */

/* Writes the table of kernels, with the backend before the name of an operator in a delegate.
 * --columns does not replace the first column, the names. When out of memory, it writes nothing,
 * and the arena has failed. */
static void write_kernel_table(report *r, const etr_summary *s) {
  etr_kernels kernels;
  etr_table table;
  if (!etr_kernels_make(&kernels, &r->answer.arena, r->answer.profile, s->method))
    return;
  etr_sum_table_init(&table, &r->answer, ETR_IN_KERNELS, "by kernel");
  etr_table_choose_columns_between(&table, 1, 0);
  for (size_t i = 0; i < kernels.count; i++) {
    const etr_kernel_row *row = &kernels.rows[i];
    etr_sum sum = etr_sum_of_kernel(s->method, &kernels, row);
    bool names_backend = row->backend && strcmp(row->backend, ETR_UNKNOWN_BACKEND) != 0;
    sum.text = names_backend ? etr_arena_format(&r->answer.arena, "%s, %s", row->backend,
                                                etr_label_kernel(row->kernel))
                             : etr_label_kernel(row->kernel);
    etr_sum_table_add_row(&table, sum);
  }
  put_table(r, &table);
}

/* ---- By module: a tree ---- */

/* Returns the path of a module below its parent: "conv.0" for "features.conv.0" in "features". */
static const char *name_below_parent(const etr_module_tree *tree, const etr_module_row *row) {
  const char *parent = row->parent == ETR_NONE ? "" : tree->rows[row->parent].path;
  size_t size = strlen(parent);
  bool is_below = size > 0 && strncmp(row->path, parent, size) == 0 && row->path[size] == '.';
  return is_below ? row->path + size + 1 : row->path;
}

/* Adds a module's row, whose name is indented by two characters for each level below the first: by
 * dots in Markdown, which drops blanks. */
static void add_module_row(report *r, etr_table *table, uint32_t level, const char *name,
                           etr_sum sum) {
  static const char dots[] = "........................", blanks[] = "                        ";
  size_t size = ETR_MIN(2 * (size_t)(level - 1), sizeof blanks - 1);
  sum.text = etr_arena_format(&r->answer.arena, "%.*s%s", (int)size, r->markdown ? dots : blanks,
                              name);
  etr_sum_table_add_row(table, sum);
}

/* Returns the sum of a module with everything inside it: its times in ticks per run, nodes and
 * costs. sum.own is the time of the module's own nodes, by the statistic that ranks. */
static etr_sum sum_with_children(const etr_summary *s, const etr_module_row *row) {
  const etr_breakdown *by = &s->by[ETR_BY_MODULE];
  const etr_stats *own = row->number == ETR_NONE ? NULL : &by->stats[row->number];
  etr_sum sum = etr_sum_make(s->method, row->total_ticks, row->total_typical);
  sum.own = etr_ranking_time(s->profile, (etr_times){row->own_typical,
                                                     etr_ticks_per_run(s->method, row->own_ticks),
                                                     own ? own->p50 : 0});
  sum.nodes = row->node_count;
  sum.times.p50 = row->total_p50;
  sum.whole.p50 = s->modules.summed_p50;
  sum.step = row->step;
  sum.cost = &row->cost;
  return sum;
}

/* Writes the modules as a tree, to the depth that --depth says, or without it as deep as it takes
 * to show --top rows. With both there may be TREE_ROWS rows, even if --top says fewer. The top
 * level, which contains everything, is no row: only the time of its own nodes is, as the last one.
 * A tree of one row says no more than the balance, and is written only if the user asked for it.
 * --columns does not replace the first column, the names. */
static void write_module_tree(report *r, const etr_summary *s) {
  const etr_module_tree *tree = &s->modules;
  size_t depth = r->answer.options->depth > 0 ? (size_t)r->answer.options->depth : 0,
         most = r->answer.options->top;
  if (depth && most)
    most = ETR_MAX(most, (size_t)TREE_ROWS);
  const bool *shown = etr_module_tree_choose(tree, &r->answer.arena, depth, most);
  etr_table table;
  if (!shown)
    return;
  etr_sum_table_init(&table, &r->answer, ETR_IN_MODULES, breakdown_titles[ETR_BY_MODULE]);
  etr_table_choose_columns_between(&table, 1, 0);
  table.top = 0;
  for (size_t i = 1; i < tree->count; i++) {
    const etr_module_row *row = &tree->rows[i];
    if (shown[i])
      add_module_row(r, &table, row->level, name_below_parent(tree, row),
                     sum_with_children(s, row));
    else if (!depth || row->level <= depth)
      table.others++;
  }
  if (tree->count && tree->rows[0].own_count) {
    etr_sum sum = sum_with_children(s, &tree->rows[0]);
    sum.times = (etr_times){tree->rows[0].own_typical,
                            etr_ticks_per_run(s->method, tree->rows[0].own_ticks),
                            s->by[ETR_BY_MODULE].stats[tree->rows[0].number].p50};
    sum.own = 0;
    sum.cost = &tree->rows[0].own_cost;
    sum.nodes = tree->rows[0].own_count;
    add_module_row(r, &table, 1, "(top level)", sum);
  }
  if ((table.rows.count < 2 || s->part_ticks == 0) && !r->answer.options->by)
    return;
  put_table(r, &table);
}

/* ---- By pattern ---- */

/* Writes the table of patterns of modules with everything inside them (false), without the top
 * level, which contains everything, but with its own nodes (true) as the last row. --columns does
 * not replace the first column, the names. */
static void write_pattern_table(report *r, const etr_summary *s) {
  const etr_module_patterns *patterns = &s->patterns;
  int depth = r->answer.options->depth;
  etr_table table;
  etr_sum_table_init(&table, &r->answer, ETR_IN_PATTERNS, breakdown_titles[ETR_BY_PATTERN]);
  etr_table_choose_columns_between(&table, 1, 0);
  for (size_t i = 0; i < patterns->count; i++) {
    const etr_pattern_row *row = &patterns->rows[i];
    if (row->level > 0 && (depth <= 0 || row->level <= (uint32_t)depth))
      etr_sum_table_add_row(&table, etr_sum_of_pattern(s->profile, s->method, row, false));
  }
  if (patterns->count && patterns->rows[0].own_count)
    etr_sum_table_add_row(&table,
                          etr_sum_of_pattern(s->profile, s->method, &patterns->rows[0], true));
  put_table(r, &table);
}

/* ---- Head ---- */

/* Writes the heading of a method. An empty line comes before it if another heading (r->any) and its
 * tables precede it. */
static void put_heading(report *r, const char *text) {
  if (r->any && (r->is_each || r->markdown))
    etr_puts(&r->answer.writer, "\n");
  r->any = true;
  if (r->markdown)
    etr_puts(&r->answer.writer, "### ");
  etr_section_line(&r->answer, ETR_STYLE_BOLD, 0, text);
}

/* Writes a time with the unit of the method's screen: "0.402 ms". */
static void put_time(const report *r, etr_writer *writer, double ticks) {
  etr_put_time(writer, r->answer.profile, ticks, r->answer.options->unit);
  etr_putf(writer, " %s", etr_unit_name(r->answer.options->unit));
}

/* Writes the time of a load, in the unit that suits it, as it is no part of an inference. */
static void put_load_time(const report *r, etr_writer *writer, double ticks) {
  etr_unit unit = etr_unit_of_single_time(r->answer.profile, &r->options, ticks);
  etr_put_time(writer, r->answer.profile, ticks, unit);
  etr_putf(writer, " %s", etr_unit_name(unit));
}

/* Returns false if the ETDumps may be of several programs, whose loads have no common median. */
static bool is_one_program(const report *r) {
  const etr_profile *profile = r->answer.profile;
  return profile->etrecord || profile->pte || profile->etdump_count == 1;
}

/* Returns true if the first line has the least and the most of the runs: they differ much, and it
 * has no spread and no modes that say so. */
static bool has_range(const etr_method *method) {
  return etr_runs_differ_much(method) && !etr_has_spread(method) && !etr_is_between_modes(method);
}

/* Returns what the runs are like, as far as it is known and not usual: "1 tick is taken as 1 ns:
 * ... · 2 warm-up runs excluded (2.12 ms in all) · first run 3.5× the others · steady (cv
 * 1.2 %) · loading takes 1.59 ms". NULL when out of memory. */
static const char *run_conditions_text(report *r, const etr_summary *s) {
  const char *excluded = etr_excluded_runs_text(&r->answer, s->method);
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &r->answer.arena, &writer);
  const char *clock = etr_label_clock_note(r->answer.profile, r->answer.options);
  if (clock)
    etr_putf(&writer, "%s" DOT, clock);
  if (excluded && excluded[0])
    etr_putf(&writer, "%s" DOT, excluded);
  double factor = s->first_run.factor;
  /* A first run that is faster warmed up nothing, and one that was excluded has its time there. */
  bool says_first = factor >= 1.05 && !s->method->skipped_run_count;
  if (says_first) {
    etr_putf(&writer, "first run%s ", etr_plural(s->first_run.firsts.count));
    etr_put_fixed(&writer, factor, factor < 10 ? 1 : 0); /* "2.9" of 2.88, "29" of 28.8 */
    etr_puts(&writer, TIMES " the others" DOT);
  }
  etr_puts(&writer, etr_or_empty(etr_variation_text(&r->answer.arena, r->answer.profile, s->method,
                                                    r->answer.options->unit)));
  double spread = etr_spread_factor(s->method);
  says_first &= s->method->noise.verdict == ETR_NOISE_FEW_RUNS; /* it is why they differ */
  if (spread > 0 && !says_first && !has_range(s->method))
    etr_putf(&writer, ", slowest %.*f" TIMES " the fastest", spread < 9.95 ? 1 : 0, spread);
  const char *recordings = etr_recordings_text(&r->answer.arena, r->answer.profile, s->method,
                                               r->answer.options->unit);
  if (recordings && recordings[0])
    etr_putf(&writer, DOT "%s", recordings);
  bool is_only = r->loads.timed_methods == 1;
  bool is_shown = is_only || (!r->is_each && s->method == r->longest && is_one_program(r));
  if (r->loads.whole && is_shown) {
    etr_puts(&writer, DOT "loading takes ");
    put_load_time(r, &writer, r->loads.whole->stats.typical);
  }
  return etr_text_end(&text, &writer);
}

/* Writes "accuracy against the program of f32 (f32.safetensors): output 22.0 dB; ..."; nothing if
 * the method's values were not compared. */
static void put_accuracy(report *r, const etr_summary *s) {
  const etr_profile *profile = r->answer.profile;
  const etr_accuracy *accuracy = etr_accuracy_of_method(profile->accuracy,
                                                        (uint32_t)(s->method - profile->methods));
  if (!accuracy)
    return;
  const char *line = etr_accuracy_line(&r->answer.arena, accuracy);
  etr_section_line(&r->answer, ETR_STYLE_PLAIN, r->markdown ? 0 : 2,
                   etr_arena_format(&r->answer.arena, "accuracy %s: %s",
                                    etr_accuracy_against(&r->answer.arena, accuracy),
                                    line ? line : "no value was compared"));
}

static void put_line(report *r, const char *text) {
  if (text)
    etr_section_line(&r->answer, ETR_STYLE_PLAIN, r->markdown ? 0 : 2, text);
}

/* Writes the least and the most of some runs without their unit, "2.39 – 4.52", behind a text. */
static void put_least_and_most(const report *r, etr_writer *w, const char *text,
                               const etr_stats *stats) {
  etr_unit unit = r->answer.options->unit;
  etr_puts(w, text);
  etr_put_time(w, r->answer.profile, stats->min, unit);
  etr_puts(w, " \xE2\x80\x93 ");
  etr_put_time(w, r->answer.profile, stats->max, unit);
}

/* Writes the least and the most of the runs that read a prompt, " (0.177 – 0.724 by run)", where
 * they are few and far apart. */
static void put_prompt_times(report *r, etr_writer *w, const etr_first_token *first) {
  const etr_method *maker = &r->answer.profile->methods[first->method];
  const etr_stats *prompts = first->phase == ETR_NONE ? &maker->execute
                                                      : &maker->run_phases[first->phase].execute;
  if (!etr_are_few_far_apart(prompts->count, prompts->min, prompts->max))
    return;
  put_least_and_most(r, w, " (", prompts);
  etr_puts(w, " by run)");
}

/* Writes "time to first token 7.30 ms · with loading 17.5 ms", and the method that makes it if it
 * is not this one. Times are in ms, as in other lines about tokens. */
static void put_first_token(report *r, const etr_method *method, const etr_first_token *first) {
  const etr_method *maker = &r->answer.profile->methods[first->method];
  etr_unit unit = r->options.unit;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &r->answer.arena, &writer);
  r->options.unit = ETR_UNIT_MS; /* as the lines about tokens */
  etr_puts(&writer, "time to first token ");
  put_time(r, &writer, first->ticks);
  put_prompt_times(r, &writer, first);
  if (maker->interrupted > 0)
    etr_puts(&writer, ETR_WITH_INTERRUPTIONS);
  if (maker != method)
    etr_putf(&writer, " (%s)", etr_label_method(maker->name));
  if (first->with_load > 0) {
    size_t methods = r->loads.timed_methods; /* each is loaded */
    etr_puts(&writer, DOT "with loading ");
    if (methods > 1)
      etr_putf(&writer, "%zu methods ", methods);
    put_time(r, &writer, first->with_load);
  }
  r->options.unit = unit;
  put_line(r, etr_text_end(&text, &writer));
}

/* Writes "1 token a run: 0.472 ms per token, 2,120 tokens/s", or a line for each phase if the runs
 * have several (prompts and single tokens). Then writes what the first token takes: below the
 * method that makes it or, if only this method has a screen, here. Nothing for models that read no
 * tokens. */
static void put_token_times(report *r, const etr_summary *s) {
  const etr_method *method = s->method;
  etr_arena *arena = &r->answer.arena;
  const etr_first_token *first = r->answer.profile->first_token;
  bool has_phases = method->mixed_phase_count > 1 && method->throughput && !method->throughput->why;
  if (!has_phases)
    put_line(r, etr_throughput_text(arena, method->throughput, &method->execute, method));
  for (size_t i = 0; has_phases && i < method->run_phase_count; i++) {
    const etr_run_phase *phase = &method->run_phases[i];
    const char *text = etr_throughput_text(arena, phase->throughput, &phase->execute, NULL);
    if (text && phase->run_count)
      put_line(r, etr_arena_format(arena, "%s: %s", phase->name, text));
  }
  bool is_line = !r->is_each && !r->markdown; /* the other method has no line about tokens */
  if (first && (is_line || &r->answer.profile->methods[first->method] == method))
    put_first_token(r, method, first);
}

/* Writes how the time of a token grows with its position in the cache; nothing if it is not known,
 * or known of another method. */
static void put_cache_growth(report *r, const etr_summary *s) {
  const etr_cache_growth *growth = r->answer.profile->cache_growth;
  if (!growth || &r->answer.profile->methods[growth->method] != s->method)
    return;
  const char *text = etr_cache_growth_text(&r->answer.arena, growth);
  const char *curve = etr_cache_growth_line(&r->answer.arena, growth);
  if (text && curve)
    text = etr_arena_format(&r->answer.arena, "%s, %s", text, curve);
  put_line(r, text);
}

/* Writes the first line, with the typical time and its spread: "mobilenet_v2, forward: 0.402 ms ±
 * 0.060 per inference (typical of 8 runs)", which ends in "; measure again)" if the runs differ
 * much, or if interruptions took a part of their time (is_interrupted). If no run takes the typical
 * time, since runs take one of two, both are given with their numbers of runs. is_brief: it is the
 * only line of the method, "0.402 ms (typical of 3 runs; measure again)". */
static void put_first_line(report *r, const etr_summary *s, bool is_interrupted, bool is_brief) {
  const etr_profile *profile = r->answer.profile;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &r->answer.arena, &writer);
  etr_putf(&writer, "%s, %s: ", etr_label_recordings(&r->answer.arena, profile, s->method),
           etr_label_method(s->method->name));
  etr_put_execute(&writer, profile, s->method, r->answer.options->unit);
  etr_puts(&writer, is_brief ? " (" : " per inference (");
  if (etr_is_between_modes(s->method)) {
    const etr_noise *noise = &s->method->noise;
    etr_putf(&writer, "%zu and %zu of %zu runs, typical ", noise->modes[0].run_count,
             noise->modes[1].run_count, noise->run_count);
    etr_put_time(&writer, profile, s->method->execute.typical, r->answer.options->unit);
    etr_putf(&writer, " %s", etr_unit_name(r->answer.options->unit));
  } else if (s->method->run_count > 1)
    etr_putf(&writer, "%s of %zu runs", etr_statistic_word(profile), s->method->run_count);
  else
    etr_puts(&writer, "one run");
  if (has_range(s->method) && !is_brief)
    put_least_and_most(r, &writer, ", ", &s->method->execute);
  bool is_unsure = etr_runs_differ_much(s->method) || is_interrupted;
  etr_puts(&writer, is_unsure ? "; measure again)" : ")");
  const char *head = etr_text_end(&text, &writer);
  if (!head)
    return;
  put_heading(r, head);
  if (r->markdown)
    etr_puts(&r->answer.writer, "\n");
}

/* Writes the lines below the first one: what the runs are like, why they are of this method, what
 * tokens take, and the accuracy. */
static void put_run_conditions(report *r, const etr_summary *s) {
  if (r->markdown)
    etr_puts(&r->answer.writer, "\n");
  etr_section_line(&r->answer, ETR_STYLE_PLAIN, r->markdown ? 0 : 2, run_conditions_text(r, s));
  put_line(r, etr_method_rule_text(&r->answer.arena, r->answer.profile, s->method));
  put_token_times(r, s);
  put_cache_growth(r, s);
  put_accuracy(r, s);
}

/* ---- Where the time goes ---- */

/* Writes a dim line; in Markdown a paragraph. Nothing for NULL. */
static void put_note(report *r, const char *note) {
  if (note && r->markdown)
    etr_puts(&r->answer.writer, "\n");
  etr_section_line(&r->answer, ETR_STYLE_DIM, r->markdown ? 0 : 2, note);
}

/* Writes the balance: a table of the parts that add up to Method::execute, and notes on it. */
static void write_balance(report *r, const etr_summary *s) {
  etr_table table;
  etr_sum_table_init(&table, &r->answer, ETR_IN_BALANCE, "where the time goes");
  table.top = 0;
  etr_balance_add_rows(&table, s->method);
  put_table(r, &table);
  const char *notes[ETR_BALANCE_MOST_NOTES];
  size_t count = etr_balance_notes(notes, &r->answer.arena, r->answer.profile, s->method);
  for (size_t i = 0; i < count; i++)
    put_note(r, notes[i]);
  put_note(
      r, etr_balance_note(&r->answer.arena, r->answer.profile, s->method, r->answer.options->unit));
}

/* Adds a row for a time that is no share of anything: of loads, or of some runs of a method. stats:
 * its statistics; NULL: it was taken once, and is `ticks`. */
static void add_time_row(etr_table *table, const char *text, double ticks, const etr_stats *stats) {
  etr_sum sum = etr_sum_of_stats(ticks, stats);
  sum.text = text;
  etr_sum_table_add_row(table, sum);
}

/* Writes a table of the phases of the runs, such as prompts and single tokens, and how they were
 * distinguished; nothing if the runs have one phase. */
static void write_run_phases(report *r, const etr_summary *s) {
  static const char *const notes[] = {
      "phases differ in the sizes of the values that the runs logged",
      "phases differ in the events of the runs",
      "phases are an estimate: longer runs stretch some operators more than others, as longer "
      "inputs and memory contention do"};
  const etr_method *method = s->method;
  etr_table table;
  if (method->mixed_phase_count < 2)
    return;
  etr_sum_table_init(&table, &r->answer, ETR_IN_RUNS, "phases of the runs");
  table.top = 0;
  for (size_t i = 0; i < method->run_phase_count; i++) {
    const etr_run_phase *phase = &method->run_phases[i];
    if (phase->run_count)
      add_time_row(&table,
                   etr_arena_format(&r->answer.arena, "%s, %zu run%s", phase->name,
                                    phase->run_count, etr_plural(phase->run_count)),
                   phase->execute.avg, &phase->execute);
  }
  put_table(r, &table);
  put_note(r, etr_arena_format(&r->answer.arena, "%s; all other times are of all of these runs",
                               notes[method->run_phases[0].told_by]));
  const char *text = etr_steadiness_text(&r->answer.arena, r->answer.profile, method,
                                         r->answer.options->unit);
  if (text && text[0])
    put_note(r, text);
}

/* Writes a table of the parts of delegates' time, by phase or compute unit; nothing if no backend
 * recorded any, because it would only repeat the balance. */
static void write_delegate_parts(report *r, const etr_method *method, const char *title,
                                 const etr_delegate_parts *parts) {
  etr_table table;
  if (!parts->is_informative)
    return;
  etr_sum_table_init(&table, &r->answer, ETR_IN_BALANCE, title);
  table.top = 0;
  etr_sum_table_add_delegate_parts(&table, method, parts);
  put_table(r, &table);
}

/* Writes which nodes a filter selects, how much time they take in a run, and their share in
 * Method::execute: "only module features.1: 3 nodes, 61.8 us, 15.4 %"; nothing without a filter.
 * Times are typical ones, or averages if averages rank. */
static void put_selected_part(report *r, const etr_summary *s) {
  etr_text text;
  etr_writer writer;
  double whole = etr_execute_time(r->answer.profile, s->method);
  double part = etr_additive_ticks(r->answer.profile, s->method, s->part_typical, s->part_ticks);
  if (!s->is_part)
    return;
  etr_text_begin(&text, &r->answer.arena, &writer);
  etr_putf(&writer, "only %s: %zu node%s, ",
           etr_or_empty(etr_filter_text(&r->answer.arena, r->answer.filter)), s->node_count,
           etr_plural(s->node_count));
  put_time(r, &writer, part);
  if (whole > 0)
    etr_puts(&writer, ", ");
  if (whole > 0)
    etr_put_percent(&writer, part / whole);
  etr_section_line(&r->answer, ETR_STYLE_PLAIN, 0, etr_text_end(&text, &writer));
}

/* ---- Lists ---- */

/* Writes the table of a method's operators, the longest first, at most options.top. Rows are made
 * only for those, and table.others counts the rest. --columns does not replace the first column,
 * the names. */
static void write_operator_table(report *r, const etr_summary *s) {
  etr_table table;
  etr_table_init(&table, &r->answer, &etr_node_fields);
  size_t shown = table.top ? ETR_MIN(table.top, s->node_count) : s->node_count;
  etr_node_row *rows = etr_arena_alloc_raw_array(&r->answer.arena, shown, sizeof *rows);
  table.medium = ETR_IN_OPERATORS;
  etr_table_choose_columns_between(&table, 1, 0);
  for (size_t i = 0; rows && i < shown; i++) {
    rows[i] = etr_node_row_make(&r->answer.arena, s->profile, s->graph, s->nodes[i]);
    rows[i].is_text = true;
    rows[i].summed_p50 = &s->summed_p50;
  }
  etr_table_add_rows(&table, ETR_ROWS(rows, rows ? shown : 0));
  table.others = s->node_count - shown;
  put_table(r, &table);
}

/* Returns the index of the longest part of the balance that is not added yet and takes at least
 * `next`, the ticks of the next row of the breakdown; balance->count if there is none. Graph
 * operators are no such part: the rows divide them. */
static size_t find_longest_part(const etr_summary *s, const etr_balance *balance,
                                const bool *is_added, double next) {
  size_t found = balance->count;
  double longest = 0;
  for (size_t i = 0; i < balance->count; i++) {
    const etr_part_time *part = balance->list[i].time;
    double time = etr_additive_ticks(s->profile, s->method, part->typical, part->ticks);
    if (is_added[i] || part->part == ETR_TIME_OPERATORS || time <= longest || time < next)
      continue;
    longest = time;
    found = i;
  }
  return found;
}

/* Adds the rows of a breakdown of graph operators, which are sorted by time, and among them the
 * other parts of the balance, the longest first, so that all rows add up to Method::execute. */
static void add_breakdown_with_parts(report *r, etr_table *table, const etr_summary *s,
                                     etr_breakdown_by by) {
  const etr_breakdown *rows = &s->by[by];
  etr_balance balance;
  if (!etr_balance_make(&balance, &r->answer.arena, r->answer.profile, s->method))
    return;
  bool *is_added = etr_arena_alloc_array(&r->answer.arena, balance.count, sizeof *is_added);
  for (size_t i = 0; is_added && i <= rows->count; i++) {
    const etr_breakdown_row *row = i < rows->count ? &rows->rows[i] : NULL;
    double next = row ? etr_additive_ticks(s->profile, s->method, row->typical, row->total_ticks)
                      : 0;
    for (size_t at = find_longest_part(s, &balance, is_added, next); at < balance.count;
         at = find_longest_part(s, &balance, is_added, next)) {
      etr_sum sum = etr_sum_make(s->method, balance.list[at].time->ticks,
                                 balance.list[at].time->typical);
      sum.text = balance.list[at].text;
      sum.is_part = true;
      is_added[at] = true;
      etr_sum_table_add_row(table, sum);
    }
    if (row)
      etr_sum_table_add_row(table, etr_sum_of(s->method, by, rows, row));
  }
}

/* Writes a table of the time by operator, backend or source line. One of a single row, or without
 * any measurable time, says no more than the balance, and is written only if it was asked for.
 * --columns does not replace the first column, which has the names of the rows. If it was asked
 * for, of all nodes, the other parts of Method::execute are among its rows, but not among medians,
 * which do not add up. */
static void write_breakdown(report *r, const etr_summary *s, etr_breakdown_by by) {
  etr_table table;
  if ((s->by[by].count < 2 || s->part_ticks == 0) && !r->answer.options->by)
    return;
  const char *title = breakdown_titles[by];
  if (by == ETR_BY_SOURCE && s->graph && s->graph->wrapper)
    title = etr_arena_format(&r->answer.arena, "%s, behind %s", title,
                             etr_label_source(&r->answer.arena, s->graph->wrapper));
  etr_sum_table_init(&table, &r->answer, ETR_IN_TEXT, title);
  etr_table_choose_columns_between(&table, 1, 0);
  if (r->answer.options->by && !s->is_part && !etr_ranks_by(s->profile, ETR_STATISTIC_P50))
    add_breakdown_with_parts(r, &table, s, by);
  else
    etr_sum_table_add_breakdown(&table, s->method, by, &s->by[by]);
  put_table(r, &table);
}

/* Writes a table with Method::execute of all runs, of the first runs and of the others of their
 * phase, for people; nothing if there are no others. A first run alone has no statistics (NULL).
 * The row of all runs is left out if it would have as many as the others. */
static void write_first_run_table(report *r, const etr_summary *s) {
  const etr_method *method = s->method;
  const etr_stats *all = &method->execute, *rest = &s->first_run.rest,
                  *firsts = &s->first_run.firsts;
  const char *phase = s->first_run.phase,
             *counted = method->skipped_run_count ? "%zu without warm-up" : "all %zu";
  etr_arena *arena = &r->answer.arena;
  etr_table table;
  if (rest->count == 0)
    return;
  etr_sum_table_init(&table, &r->answer, ETR_IN_RUNS, "runs");
  table.top = 0;
  /* The median has the usual digits, and the first run, which is often ten times as long, as many
   * decimals. */
  if (rest->p50 > 0 && firsts->p50 > rest->p50)
    table.time_digits += (int)(floor(log10(firsts->p50)) - floor(log10(rest->p50)));
  if (all->count != rest->count)
    add_time_row(&table, etr_arena_format(arena, counted, method->run_count), all->avg, all);
  bool is_one = firsts->count == 1;
  add_time_row(&table,
               is_one ? etr_arena_format(arena, "the first of %zu",
                                         method->run_count + method->skipped_run_count)
                      : etr_arena_format(arena, "the first of %zu recordings", firsts->count),
               firsts->avg, is_one ? NULL : firsts);
  add_time_row(&table,
               etr_arena_format(arena, "%zu after the first%s%s", rest->count,
                                phase[0] ? ", only " : "", phase),
               rest->avg, rest);
  put_table(r, &table);
}

/* Writes the table of the events that load the program and its methods, without those inside the
 * whole load that take nearly as long and so say nothing new. A single event is a line instead, or
 * nothing if there is one method, whose first lines have it. */
static void write_loads(report *r) {
  etr_table table;
  etr_sum_table_init(&table, &r->answer, ETR_IN_LOADS, "loading");
  table.top = 0;
  for (size_t i = 0; i < r->loads.count; i++)
    if (&r->loads.list[i] == r->loads.whole ||
        !etr_load_is_whole(r->loads.list[i].stats.typical, r->loads.whole->stats.typical))
      add_time_row(&table, r->loads.list[i].name, 0, &r->loads.list[i].stats);
  if (table.rows.count > 1)
    put_table(r, &table);
  if (table.rows.count > 1 || !r->loads.whole || r->loads.timed_methods == 1 || !is_one_program(r))
    return;
  etr_puts(&r->answer.writer, "\nloading takes ");
  put_load_time(r, &r->answer.writer, r->loads.whole->stats.typical);
  etr_puts(&r->answer.writer, "\n");
}

/* ---- Methods ---- */

static bool write_layer_kinds(report *r, const etr_method *method);

/* Writes the tables of a method that --all shows. Without a graph the first are of kernels and
 * events. A program's graph has no table by source line. Loads are here if only one method was
 * timed, else behind all methods. */
static void write_all_tables(report *r, const etr_summary *s) {
  if (!s->graph) {
    write_kernel_table(r, s);
    write_event_table(r, s);
  }
  write_operator_table(r, s);
  write_breakdown(r, s, ETR_BY_OP);
  write_module_tree(r, s);
  write_breakdown(r, s, ETR_BY_BACKEND);
  if (!s->graph || !etr_is_program(s->graph))
    write_breakdown(r, s, ETR_BY_SOURCE);
  write_layer_kinds(r, s->method);
  write_first_run_table(r, s);
  if (r->loads.timed_methods == 1)
    write_loads(r);
  if (!r->markdown)
    etr_put_output_gaps(&r->answer, (uint32_t)(s->method - r->answer.profile->methods));
}

/* Returns the parts of a summary (bits by etr_breakdown_by, and findings) that must be made for
 * what the options ask for. Operators always are, because they say how many nodes have symbolic
 * sizes. The choices from ETR_SUM_BY_KERNEL on need no other breakdown. */
static unsigned needed_parts_of_summary(const report *r) {
  const unsigned patterns = 1u << ETR_BY_PATTERN, modules = 1u << ETR_BY_MODULE,
                 operators = 1u << ETR_BY_OP;
  etr_sum_by only = r->answer.options->by;
  if (!only)
    return ETR_SUMMARY_ALL & ~patterns;
  if (only == ETR_SUM_BY_PATTERN)
    return operators | modules | patterns;
  if (only == ETR_SUM_BY_FINDING)
    return operators | ETR_SUMMARY_FINDINGS;
  if (only >= ETR_SUM_BY_KERNEL)
    return operators;
  return operators | 1u << breakdown_of(only);
}

/* ---- The first screen ---- */

enum {
  SCREEN_LINES = 32,
  NARROW_LINES = 36, /* of a screen on which reasons and sentences take two lines */
  LEAST_ROWS = 4,
  LEAST_FINDINGS = 2
};

/* Chooses the unit of a method's screen and tables, unless the user did. */
static void choose_unit(report *r, const etr_method *method) {
  if (!r->options.has_unit && r->options.unit == ETR_UNIT_MS)
    r->options.unit = etr_unit_of_method(r->answer.profile, method);
}

/* Returns the phases of the runs with the typical time of their runs, "long runs: 3 runs of 41.2
 * ms; short runs: 49 runs of 1.02 ms; the times above are of all of these runs"; NULL for runs of
 * one kind, or when out of memory. */
static const char *phases_note(report *r, const etr_method *method) {
  etr_text text;
  etr_writer writer;
  if (method->mixed_phase_count < 2)
    return NULL;
  etr_text_begin(&text, &r->answer.arena, &writer);
  for (size_t i = 0; i < method->run_phase_count; i++) {
    const etr_run_phase *phase = &method->run_phases[i];
    if (phase->run_count == 0)
      continue;
    etr_putf(&writer, "%s%s: %zu run%s of ", i ? "; " : "", phase->name, phase->run_count,
             etr_plural(phase->run_count));
    put_time(r, &writer, phase->execute.typical);
  }
  if (method->run_phases[0].told_by == ETR_PHASE_BY_TIMES)
    etr_puts(&writer, " (longer inputs, or memory contention)");
  etr_puts(&writer, "; the times above are of all of these runs");
  return etr_text_end(&text, &writer);
}

/* Sets the first elements of `out`, which has room for ETR_BALANCE_MOST_NOTES + 5, to the screen's
 * last lines: what limits its numbers, which phases its runs have, and whether there is much to
 * gain, and that the runs are too few if no finding advises to measure again. With a filter, notes
 * on the whole method are left out. Returns their number. */
static size_t list_last_notes(const char **out, report *r, const etr_summary *s) {
  enum { MOST = ETR_BALANCE_MOST_NOTES };
  etr_arena *arena = &r->answer.arena;
  size_t count = etr_balance_notes(out, arena, r->answer.profile, s->method);
  const char *phases = phases_note(r, s->method);
  if (phases)
    out[count++] = phases;
  const char *clock = etr_balance_note(arena, r->answer.profile, s->method, r->options.unit);
  if (clock && clock[0] && !s->is_part)
    out[count++] = clock;
  const char *limit = etr_findings_note(&s->findings);
  if (limit && !s->is_part)
    out[count++] = limit;
  if (s->findings.times_note && !s->is_part)
    out[count++] = s->findings.times_note;
  bool are_few = s->method->noise.verdict == ETR_NOISE_FEW_RUNS;
  if (are_few && s->findings.advice == SIZE_MAX && !s->is_part)
    out[count++] = etr_arena_format(arena,
                                    "few runs: record %d or more, so that noise can be judged",
                                    ETR_NOISE_LEAST_TO_JUDGE);
  return count;
}

/* Output that is held back until its lines are counted. */
typedef struct held_output {
  etr_text text;
  etr_writer writer; /* the answer's own */
} held_output;

/* Keeps what is written from here on in memory, so that its lines can be counted first. */
static void hold_back_output(report *r, held_output *h) {
  h->writer = r->answer.writer;
  etr_text_begin(&h->text, &r->answer.arena, &r->answer.writer);
  etr_writer_look(&r->answer.writer, h->writer.ascii, h->writer.color);
}

/* Ends hold_back_output(). Returns what was kept, and adds its lines to r->lines. */
static const char *end_holding_back(report *r, held_output *h) {
  const char *text = etr_or_empty(etr_text_end(&h->text, &r->answer.writer));
  r->answer.writer = h->writer;
  for (const char *at = strchr(text, '\n'); at; at = strchr(at + 1, '\n'))
    r->lines++;
  return text;
}

/* Ends hold_back_output() and writes what was kept. */
static void write_held_output(report *r, held_output *h) {
  const char *text = end_holding_back(r, h);
  etr_puts(&r->answer.writer, text);
}

/* Writes the screen's last lines: what limits its numbers and, in text, which options say more. */
static void put_last_lines(report *r, const etr_summary *s) {
  const char *notes[ETR_BALANCE_MOST_NOTES + 5];
  size_t count = list_last_notes(notes, r, s);
  if (count || (!r->markdown && s->findings.count))
    etr_puts(&r->answer.writer, "\n");
  for (size_t i = 0; i < count; i++)
    etr_section_line(&r->answer, ETR_STYLE_DIM, 0, notes[i]);
  if (r->markdown || s->findings.count == 0)
    return;
  etr_section_line(&r->answer, ETR_STYLE_DIM, 0,
                   "why: --explain 1" DOT "all tables: --all" DOT "in color: etrecord-tb report");
}

/* Writes as many findings as leave room for LEAST_ROWS rows on the screen, but LEAST_FINDINGS at
 * least, or as many as the options say. Sets screen->most_rows to the rows that then have room,
 * unless --top is not its default. For that it counts the screen's last lines, which it returns, to
 * be written behind the rows. */
static const char *put_findings_that_fit(report *r, const etr_summary *s,
                                         etr_first_screen *screen) {
  enum { AROUND_ROWS = 3 }; /* a blank line, the head, and how many more there are */
  size_t given_count = r->options.findings, before = r->lines;
  bool is_narrow = etr_first_screen_is_narrow(&r->answer);
  size_t most = is_narrow ? NARROW_LINES : SCREEN_LINES;
  const char *text = "", *last = "";
  screen->most_findings = ETR_MIN(given_count ? given_count : ETR_FINDINGS_SHOWN,
                                  s->findings.count);
  /* One finding less in each turn, until the rows have enough room. */
  for (bool fits = false; !fits; screen->most_findings -= !fits) {
    held_output h;
    r->lines = before;
    hold_back_output(r, &h);
    etr_first_screen_put_findings(&r->answer, screen);
    text = end_holding_back(r, &h);
    size_t with_findings = r->lines;
    hold_back_output(r, &h);
    put_last_lines(r, s);
    last = end_holding_back(r, &h);
    size_t around = r->lines + AROUND_ROWS, rows = around < most ? most - around : 0;
    r->lines = with_findings;
    screen->most_rows = r->options.top;
    if (r->options.top == DEFAULT_ROWS && !r->markdown)
      screen->most_rows = ETR_MAX(ETR_MIN(rows, (size_t)DEFAULT_ROWS), (size_t)LEAST_ROWS);
    fits = given_count || r->markdown || r->options.all || rows >= LEAST_ROWS ||
           screen->most_findings <= LEAST_FINDINGS;
  }
  etr_puts(&r->answer.writer, text);
  return last;
}

/* Returns a flag for each node of the graph: whether the filter selects it; NULL without a filter,
 * or when out of memory. */
static const bool *chosen_nodes(report *r, const etr_summary *s) {
  if (!s->is_part)
    return NULL;
  bool *chosen = etr_arena_alloc_array(&r->answer.arena, s->graph ? s->graph->node_count : 0,
                                       sizeof *chosen);
  for (size_t i = 0; chosen && i < s->node_count; i++)
    chosen[s->nodes[i]] = true;
  return chosen;
}

/* Writes the boxes, the findings, the rows and the notes of a method, which have SCREEN_LINES lines
 * with its head. The boxes are held back only until their lines are counted, and
 * put_findings_that_fit() makes the last lines, as it must count them. Returns false when out of
 * memory. */
static bool write_screen(report *r, const etr_summary *s) {
  etr_first_screen screen;
  held_output h;
  if (!etr_first_screen_make(&screen, &r->answer, s->method, &s->findings, r->options.unit,
                             chosen_nodes(r, s)))
    return false;
  screen.full_names = r->options.full_names;
  hold_back_output(r, &h);
  etr_first_screen_put_boxes(&r->answer, &screen);
  write_held_output(r, &h);
  const char *last = put_findings_that_fit(r, s, &screen);
  etr_first_screen_put_rows(&r->answer, &screen);
  etr_puts(&r->answer.writer, last);
  return true;
}

/* Writes the tables of a method that --by asks for, or all of them if --by is not given (--all).
 * ETR_SUM_BY_KERNEL is the first choice after those that are a breakdown. Returns false when out of
 * memory. */
static bool write_tables(report *r, const etr_summary *s) {
  const etr_table_options *options = r->answer.options;
  etr_delegate_parts phases, units;
  if (!etr_delegate_phases_make(&phases, &r->answer.arena, s->method) ||
      !etr_compute_units_make(&units, &r->answer.arena, s->method))
    return false;
  if (!options->by)
    write_run_phases(r, s);
  if (!options->by || options->by == ETR_SUM_BY_PART)
    write_balance(r, s);
  if (!options->by) {
    write_delegate_parts(r, s->method, "in delegates, on no node, by phase", &phases);
    write_delegate_parts(r, s->method, "delegate time by compute unit", &units);
  }
  if (!options->by)
    write_all_tables(r, s);
  else if (options->by == ETR_SUM_BY_MODULE)
    write_module_tree(r, s);
  else if (options->by == ETR_SUM_BY_PATTERN)
    write_pattern_table(r, s);
  else if (options->by == ETR_SUM_BY_FINDING)
    etr_findings_put_list(&r->answer, &s->findings, "what to change");
  else if (options->by == ETR_SUM_BY_KERNEL)
    write_kernel_table(r, s);
  else if (options->by == ETR_SUM_BY_LAYER_KIND)
    return write_layer_kinds(r, s->method);
  else if (options->by < ETR_SUM_BY_KERNEL)
    write_breakdown(r, s, breakdown_of(options->by));
  return true;
}

/* Writes that the times of the tables that follow contain interruptions, if they do. */
static void put_interruptions_note(report *r, const etr_summary *s) {
  etr_medians medians = r->options.by <= ETR_SUM_BY_KERNEL ? ETR_MEDIANS_OF_SUMS
                                                           : ETR_MEDIANS_OF_NOTHING;
  put_line(r, etr_interruptions_note(&r->answer.arena, r->answer.profile, s->method, medians));
}

/* Writes the head of a method's screen: its time, the sentence that says where it goes, and what
 * its runs are like. The latter comes first if the clock counts cycles, so that ticks may be no
 * times. The sentence is about all nodes, and begins with the method if lines of other methods are
 * above it. Returns false when out of memory. The screen made here is of all nodes (NULL). */
static bool write_screen_head(report *r, const etr_summary *s) {
  etr_first_screen screen;
  if (!etr_first_screen_make(&screen, &r->answer, s->method, &s->findings, r->options.unit, NULL))
    return false;
  bool has_clock = etr_label_clock(r->answer.profile, r->options.unit) != NULL;
  put_first_line(r, s, screen.headline.interrupted > 0, false);
  if (s->graph && s->graph->is_changed)
    put_line(r, ETR_CHANGED_PROGRAM);
  if (has_clock)
    put_run_conditions(r, s);
  if (!r->options.by && r->answer.profile->statistic != ETR_STATISTIC_TYPICAL)
    put_line(r, etr_arena_format(&r->answer.arena, "below is the typical run, %s; by %s: %s",
                                 screen.headline.time, etr_statistic_word(r->answer.profile),
                                 r->options.all ? "the tables behind it" : "--all, --by"));
  if (s->is_part)
    put_selected_part(r, s);
  else if (!r->options.by)
    etr_first_screen_put_sentence(&r->answer, &screen, !r->is_each && r->lines_before);
  if (!has_clock)
    put_run_conditions(r, s);
  if (r->options.by && r->options.by != ETR_SUM_BY_FINDING) /* the screen has a row of them */
    put_interruptions_note(r, s);
  if (r->answer.profile->statistic == ETR_STATISTIC_P50 &&
      (r->options.by == ETR_SUM_BY_PART || r->options.by == ETR_SUM_BY_LAYER_KIND))
    put_line(r, ETR_NO_MEDIANS);
  return true;
}

/* Writes a method: with is_whole its screen and the tables that the options ask for; else only its
 * first line, or in Markdown its head. With --explain it writes findings instead of screen and
 * tables. The head is held back only until its lines are counted in r->lines, which the lists of
 * the screen leave room for, and is then written to the answer. Returns false when out of memory.
 */
static bool write_method(report *r, const etr_method *method, bool is_whole) {
  etr_summary s;
  double hinted = 0;
  held_output h;
  r->options.unit = r->given_unit;
  choose_unit(r, method);
  const etr_table_options *options = &r->options;
  if (!etr_summary_make(&s, &r->answer.arena, r->answer.profile, method,
                        (etr_summary_choice){r->answer.filter, options->unit, options->order,
                                             needed_parts_of_summary(r)}))
    return false;
  hold_back_output(r, &h);
  bool is_head = is_whole || r->markdown;
  if (!is_head)
    put_first_line(r, &s, false, true);
  bool good = !is_head || write_screen_head(r, &s);
  write_held_output(r, &h);
  if (options->explain) {
    if (!etr_findings_explain(&r->answer, &s.findings, options->explain))
      etr_answer_refuse(&r->answer,
                        etr_arena_format(&r->answer.arena, "--explain %zu: there are %zu findings",
                                         options->explain, s.findings.count));
    return good;
  }
  if (!is_whole || !good)
    return good;
  if (!options->by && !write_screen(r, &s))
    return false;
  if (options->all && !options->by)
    put_interruptions_note(r, &s);
  if ((options->by || options->all) && !write_tables(r, &s))
    return false;
  for (size_t i = 0; i < s.by[ETR_BY_OP].count; i++)
    hinted += s.by[ETR_BY_OP].rows[i].cost.hinted;
  etr_put_cost_notes(&r->answer, hinted);
  return true;
}

enum { MAX_STRETCHES = 5 }; /* of numbers that are listed */

/* Returns that no run of a method counts, and which it has if others were chosen: "none of its runs
 * (1-20, 22-41, 43-62) is chosen; loads have numbers, too". NULL when out of memory. */
static const char *excluded_text(report *r, const etr_method *method) {
  const uint32_t *runs = method->skipped_runs;
  size_t count = method->skipped_run_count, i = 0, stretches = 0;
  etr_text text;
  etr_writer writer;
  if (r->answer.profile->skip != ETR_SKIP_RANGE)
    return "all of its runs are excluded";
  etr_text_begin(&text, &r->answer.arena, &writer);
  etr_puts(&writer, "none of its runs (");
  for (; i < count && stretches < MAX_STRETCHES; stretches++) {
    uint32_t first = runs[i++];
    while (i < count && runs[i] == runs[i - 1] + 1)
      i++;
    etr_putf(&writer, "%s%" PRIu32, stretches ? ", " : "", first);
    if (runs[i - 1] > first)
      etr_putf(&writer, "-%" PRIu32, runs[i - 1]);
  }
  etr_puts(&writer, i < count ? ", ..." : "");
  etr_puts(&writer, ") is chosen; loads have numbers, too");
  return etr_text_end(&text, &writer);
}

/* Writes the heading of a method that was not timed: why, and how many operators and delegates it
 * has. The heading is held back only until its lines are counted in r->lines, as lines of other
 * methods take room from the screen. */
static void put_untimed_method(report *r, const etr_method *method) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL
                                                     : &r->answer.profile->graphs[method->graph];
  size_t operators = 0;
  bool any_inference = false;
  for (size_t i = 0; i < r->answer.profile->method_count; i++)
    any_inference |= r->answer.profile->methods[i].run_count > 0 ||
                     r->answer.profile->methods[i].skipped_run_count > 0;
  const char *why = "there is no ETDump";
  if (r->answer.profile->run_count)
    why = any_inference ? "no run is known to have executed it" : "no inference was recorded";
  if (method->skipped_run_count)
    why = excluded_text(r, method);
  for (size_t i = 0; graph && i < graph->node_count; i++)
    operators += graph->nodes[i].kind == ETR_NODE_OP;
  held_output h;
  hold_back_output(r, &h);
  put_heading(r, etr_arena_format(
                     &r->answer.arena, "%s, %s: not timed: %s (%zu operator%s, %zu delegate%s)",
                     etr_label_record(&r->answer.arena, r->answer.profile),
                     etr_label_method(method->name), why, operators, etr_plural(operators),
                     method->delegate_count, etr_plural(method->delegate_count)));
  write_held_output(r, &h);
}

/* Writes that the ETDumps have only loads, as of a program that failed before its first inference,
 * and the typical time of the load that contains the others, if there is one. */
static void put_only_loads(report *r) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &r->answer.arena, &writer);
  etr_putf(&writer, "%s: not timed: no inference was recorded",
           etr_label_record(&r->answer.arena, r->answer.profile));
  if (r->loads.whole) {
    etr_puts(&writer, "; loading takes ");
    put_load_time(r, &writer, r->loads.whole->stats.typical);
  }
  const char *line = etr_text_end(&text, &writer);
  if (line)
    put_heading(r, line);
}

/* Returns the method that takes most, of those that the filter takes, in all of its runs; NULL if
 * none was timed. */
static const etr_method *longest_method(const report *r) {
  const etr_method *longest = NULL;
  for (size_t i = 0; i < r->answer.profile->method_count; i++) {
    const etr_method *method = &r->answer.profile->methods[i];
    bool is_shown = etr_filter_takes_method(r->answer.filter, method) && method->run_count > 0;
    if (is_shown && (!longest || method->execute_ticks > longest->execute_ticks))
      longest = method;
  }
  return longest;
}

static bool is_chosen(const report *r, const etr_method *method) {
  return etr_filter_takes_method(r->answer.filter, method);
}

/* Writes the methods beside `longest`, which has the screen: a line for each, at most eight, or
 * with r->is_each all methods whole; then those that were not timed. What is written is counted in
 * r->lines, because it takes lines from the screen. Returns false when out of memory. */
static bool write_other_methods(report *r, const etr_method *longest) {
  enum { MOST = 8 }; /* lines of a screen that other methods may take */
  const etr_profile *profile = r->answer.profile;
  size_t shown = 0, left_out = 0;
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (!is_chosen(r, method) || method->run_count == 0 || (!r->is_each && method == longest))
      continue;
    bool has_room = r->is_each || r->markdown || shown++ < MOST;
    left_out += !has_room;
    if (has_room && !write_method(r, method, r->is_each))
      return false;
  }
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    if (!is_chosen(r, method) || method->run_count)
      continue;
    bool has_room = r->is_each || r->markdown || !longest || shown++ < MOST;
    left_out += !has_room;
    if (has_room)
      put_untimed_method(r, method);
  }
  held_output h;
  hold_back_output(r, &h);
  if (left_out)
    etr_putf(&r->answer.writer, "%zu more methods: --by method\n", left_out);
  write_held_output(r, &h);
  return true;
}

/* Writes the methods that the filter takes, for people. The longest comes last, so that its screen
 * (true) is what remains on the terminal. With --explain it is the only one, because the numbers of
 * findings are those of its screen. Returns false when out of memory. With --all, loads follow all
 * methods, unless a single method was timed, which has them. */
static bool write_methods(report *r) {
  if (!etr_loads_make(&r->loads, &r->answer.arena, r->answer.profile))
    return false;
  const etr_method *longest = longest_method(r);
  r->longest = longest;
  r->is_each = r->options.by || r->options.all;
  if (r->answer.profile->method_count == 0 && r->answer.profile->run_count > 0)
    put_only_loads(r);
  /* The numbers of findings are those of the screen. */
  if (!r->options.explain && !write_other_methods(r, longest))
    return false;
  r->lines_before = r->any;
  if (longest && (!r->is_each || r->options.explain) && !write_method(r, longest, true))
    return false;
  if (r->loads.timed_methods != 1 && r->options.all)
    write_loads(r);
  return true;
}

/* ---- Tables of one kind of rows ---- */

/* A method as a row: its runs, and what its loads and its first run took. */
typedef struct method_row {
  const etr_method *method;
  double load; /* ticks; NaN if it is not known which method was loaded */
  double first_run;
} method_row;

static bool has_runs(const void *row) {
  return ((const method_row *)row)->method->run_count > 0;
}

#define METHOD(name) ETR_VIA(method_row, method, etr_method, name)

static const etr_field method_fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_TABLES, METHOD(name)},
    {NULL, "runs", ETR_CELL_BYTES, ETR_IN_TABLES, METHOD(run_count)},
    {"skipped_runs", "excluded runs", ETR_CELL_BYTES, ETR_IN_TABLES, METHOD(skipped_run_count)},
    {NULL, "typical", ETR_CELL_TIME, ETR_IN_TABLES, METHOD(execute.typical), .has = has_runs,
     .unit_in = ETR_IN_TEXT},
    {NULL, "p50", ETR_CELL_TIME, ETR_IN_TABLES, METHOD(execute.p50), .has = has_runs},
    {NULL, "avg", ETR_CELL_TIME, ETR_IN_TABLES, METHOD(execute.avg), .has = has_runs},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_FULL},
    {NULL, "load", ETR_CELL_TIME, ETR_IN_TABLES, ETR_AT(method_row, load), .nullable = true,
     .says = ETR_SAYS("null: no load was recorded, or it is not known which method it was for")},
    {NULL, "first run", ETR_CELL_TIME, ETR_IN_TABLES, ETR_AT(method_row, first_run),
     .nullable = true},
};
ETR_ROW_TYPE(method_sum, method_fields);

/* Adds a row for each method that the filter takes: its runs and times, and the ticks of its load
 * and of its first run, which are NaN if they are not known. Returns false when out of memory. */
static bool add_method_rows(report *r, etr_table *table) {
  const etr_profile *profile = r->answer.profile;
  method_row *rows = etr_arena_alloc_array(&r->answer.arena, profile->method_count, sizeof *rows);
  size_t count = 0;
  for (size_t i = 0; rows && i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    etr_first_run first;
    if (!etr_filter_takes_method(r->answer.filter, method))
      continue;
    if (!etr_first_run_of(&first, &r->answer.arena, profile, method))
      return false;
    rows[count++] = (method_row){method, etr_load_of(&r->loads, method),
                                 first.firsts.p50 > 0 ? first.firsts.p50 : NAN};
  }
  etr_table_add_rows(table, ETR_ROWS(rows, count));
  return rows != NULL;
}

/* A part of a method's time as a row. */
typedef struct part_row {
  const etr_method *method;
  const etr_part_time *part;
  etr_sum sum;
} part_row;

static etr_cell part_name(const void *row) {
  return etr_cell_text(etr_time_part_name(((const part_row *)row)->part->part));
}
/* Returns the time of the part as a share of Method::execute: of the averages of both if
 * averages rank, else of their typical times. */
static etr_cell part_share(const void *row) {
  return etr_sum_additive_share(&((const part_row *)row)->sum);
}

static const etr_field part_fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_FULL, ETR_VIA(part_row, method, etr_method, name)},
    {NULL, "part", ETR_CELL_WORD, ETR_IN_FULL, .get = part_name},
    {NULL, "backend", ETR_CELL_NAME, ETR_IN_FULL, ETR_VIA(part_row, part, etr_part_time, backend),
     .nullable = true},
    {NULL, "typical", ETR_CELL_TIME, ETR_IN_FULL, ETR_AT(part_row, sum.times.typical)},
    {NULL, "avg", ETR_CELL_TIME, ETR_IN_FULL, ETR_AT(part_row, sum.times.avg)},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_FULL},
    {NULL, "share", ETR_CELL_SHARE, ETR_IN_FULL, .get = part_share, .nullable = true,
     .says = ETR_SAYS("of Method::execute")},
};
ETR_ROW_TYPE(method_part, part_fields);

/* Adds the parts of which Method::execute consists. */
static void add_part_rows(etr_table *table, const etr_method *method) {
  part_row *rows = etr_arena_alloc_array(&table->answer->arena, method->part_count, sizeof *rows);
  for (size_t i = 0; rows && i < method->part_count; i++) {
    const etr_part_time *part = &method->parts[i];
    rows[i] = (part_row){method, part, etr_sum_make(method, part->ticks, part->typical)};
    rows[i].sum.profile = table->answer->profile;
    /* "", 0: rows stay in the order in which they are added. */
    etr_table_add_row(table, &rows[i], "", 0);
  }
}

/* Writes that so many ticks of a typical run are of no kind of layer: "calls of delegates, copies
 * and the runtime take the other 0.223 ms". Nothing below a hundredth of the run. */
static void put_time_of_no_kind(report *r, const etr_method *method, double rest) {
  etr_text text;
  etr_writer writer;
  if (!(rest >= 0.01 * method->execute.typical))
    return;
  etr_text_begin(&text, &r->answer.arena, &writer);
  etr_puts(&writer, "calls of delegates, copies and the runtime take the other ");
  put_time(r, &writer, rest);
  put_note(r, etr_text_end(&text, &writer));
}

/* Writes the table of the kinds of layers of a decoder, for people; if there are none and the user
 * asked for them, why. Returns false when out of memory. */
static bool write_layer_kinds(report *r, const etr_method *method) {
  etr_table table;
  etr_table_init(&table, &r->answer, &etr_layer_kind_fields);
  table.top = 0;
  bool good = etr_layer_kinds_add_rows(&table, method);
  if (good && table.rows.count) {
    double rest = etr_layer_kinds_rest(&table, method);
    put_table(r, &table);
    put_time_of_no_kind(r, method, rest);
  } else if (good && r->options.by)
    put_note(r, "no decoder: it reads no tokens, or has no attention");
  return good;
}

/* Adds a row for each kernel, and each kind of operator in delegates, that ran. Returns false when
 * out of memory. */
static bool add_kernel_rows(etr_table *table, const etr_method *method) {
  etr_kernels kernels;
  if (!etr_kernels_make(&kernels, &table->answer->arena, table->answer->profile, method))
    return false;
  for (size_t i = 0; i < kernels.count; i++)
    etr_sum_table_add_row(table, etr_sum_of_kernel(method, &kernels, &kernels.rows[i]));
  return true;
}

/* Returns the breakdown that --by names; kinds of rows that are no breakdown have the columns of
 * operators. */
static etr_breakdown_by breakdown_of_table(etr_sum_by by) {
  return by < ETR_SUM_BY_KERNEL ? breakdown_of(by) : ETR_BY_OP;
}

/* Adds the rows of a method, of the kind that --by names, to the table, and lays them out. Adds
 * nothing for a method that did not run. Rows of modules and patterns are of their own nodes
 * (true), with totals in columns of their own. *s must live as long as the table. Returns false
 * when out of memory. */
static bool add_rows_of_method(report *r, etr_table *table, etr_summary *s,
                               const etr_method *method) {
  const etr_table_options *options = r->answer.options;
  etr_sum_by by = options->by;
  unsigned parts = by == ETR_SUM_BY_FINDING ? ETR_SUMMARY_FINDINGS : needed_parts_of_summary(r);
  if (method->run_count == 0)
    return true;
  if (!etr_summary_make(
          s, &r->answer.arena, r->answer.profile, method,
          (etr_summary_choice){r->answer.filter, options->unit, options->order, parts}))
    return false;
  bool good = true;
  if (by == ETR_SUM_BY_FINDING)
    etr_findings_add_rows(table, method, &s->findings);
  else if (by == ETR_SUM_BY_PART)
    add_part_rows(table, method);
  else if (by == ETR_SUM_BY_KERNEL)
    good = add_kernel_rows(table, method);
  else if (by == ETR_SUM_BY_LAYER_KIND)
    good = etr_layer_kinds_add_rows(table, method);
  else if (by == ETR_SUM_BY_MODULE)
    for (size_t i = 0; i < s->modules.count; i++)
      etr_sum_table_add_row(table, etr_sum_of_module(s, &s->modules.rows[i]));
  else if (by == ETR_SUM_BY_PATTERN)
    for (size_t i = 0; i < s->patterns.count; i++)
      etr_sum_table_add_row(table,
                            etr_sum_of_pattern(s->profile, method, &s->patterns.rows[i], true));
  else
    etr_sum_table_add_breakdown(table, method, breakdown_of_table(by),
                                &s->by[breakdown_of_table(by)]);
  etr_table_lay_out_rows(table);
  return good;
}

/* Writes the one table of all methods that --by names. --top is a number of rows of each method.
 * Without --by, operators are the rows. A table of sums has no title of its own (NULL). Returns
 * false when out of memory; for columns that do not exist the answer was refused, and
 * etr_answer_end() fails. */
static bool write_one_table(report *r) {
  const etr_profile *profile = r->answer.profile;
  etr_sum_by by = r->answer.options->by;
  etr_summary *summaries = etr_arena_alloc_array(&r->answer.arena, profile->method_count,
                                                 sizeof *summaries);
  etr_table table;
  if (!summaries || !etr_loads_make(&r->loads, &r->answer.arena, profile))
    return false;
  if (by == ETR_SUM_BY_METHOD)
    etr_table_init(&table, &r->answer, &etr_method_sum_fields);
  else if (by == ETR_SUM_BY_PART)
    etr_table_init(&table, &r->answer, &etr_method_part_fields);
  else if (by == ETR_SUM_BY_FINDING)
    etr_table_init(&table, &r->answer, &etr_finding_fields);
  else if (by == ETR_SUM_BY_LAYER_KIND)
    etr_table_init(&table, &r->answer, &etr_layer_kind_fields);
  else
    etr_sum_table_init(&table, &r->answer,
                       by == ETR_SUM_BY_KERNEL ? (unsigned)ETR_IN_DATA | ETR_BY_KERNEL
                                               : etr_sum_medium(breakdown_of_table(by)),
                       NULL);
  etr_table_choose_columns(&table);
  etr_table_add_origin_columns(&table);
  if (r->answer.problem)
    return true;
  bool good = true;
  for (size_t i = 0; good && by != ETR_SUM_BY_METHOD && i < profile->method_count; i++)
    if (etr_filter_takes_method(r->answer.filter, &profile->methods[i]))
      good = add_rows_of_method(r, &table, &summaries[i], &profile->methods[i]);
  if (by == ETR_SUM_BY_METHOD)
    good = add_method_rows(r, &table);
  etr_table_finish(&table);
  return good;
}

etr_status etr_emit_summary_tables(const etr_profile *profile, const etr_node_filter *filter,
                                   const etr_table_options *options, const etr_sink *sink,
                                   etr_error *error) {
  static const etr_table_options defaults = {.top = DEFAULT_ROWS};
  report r = {0};
  r.options = etr_answer_options(profile, options ? options : &defaults);
  r.given_unit = r.options.unit;
  /* Without a graph, kernels are the operators that are known. */
  if (r.options.by == ETR_SUM_BY_OP && profile->graph_count == 0)
    r.options.by = ETR_SUM_BY_KERNEL;
  etr_answer_begin(&r.answer, profile, filter, &r.options, sink);
  if (r.answer.options->by == ETR_SUM_BY_PATTERN)
    etr_answer_refuse_patterns(&r.answer);
  r.markdown = r.answer.options->format == ETR_TABLE_MARKDOWN;
  bool is_for_people = r.markdown || r.answer.options->format == ETR_TABLE_TEXT;
  etr_sum_by by = r.answer.options->by;
  if (!is_for_people && !by)
    etr_answer_refuse(&r.answer, "a summary has several tables: choose one by op, module, pattern, "
                                 "backend, source, kernel, method, part, finding or layer_kind");
  /* Parts and findings have columns only if some are chosen. */
  bool is_table = !is_for_people || by == ETR_SUM_BY_METHOD ||
                  (by > ETR_SUM_BY_METHOD && r.answer.options->columns);
  bool good = etr_summary_share(&r.answer.profile, &r.answer.arena) &&
              (is_table ? write_one_table : write_methods)(&r);
  return etr_answer_end(&r.answer, good, error);
}
