/* SPDX-License-Identifier: BSD-3-Clause
 *
 * findings.c - applies all rules, among them those about whole runs, and ranks what they
 * found.
 */
#include "views/findings.h"

#include "base/natural.h"
#include "base/stats.h"
#include "output/label.h"
#include "output/text_table.h"
#include "views/balance.h"
#include "views/delegation.h"
#include "views/finder.h"
#include "views/finding_rules.h"
#include "views/kernels.h"
#include "views/loads.h"

#include <math.h>
#include <stdlib.h>

const char *etr_finding_kind_name(etr_finding_kind kind) {
  static const char *const names[] = {
      "fallback",     "not_delegated",  "library",      "constants",    "layout",
      "copies",       "quantize_pairs", "batch_norm",   "attention",    "output_layer",
      "float_beside", "calls",          "outlier",      "first_run",    "load",
      "drift",        "waiting",        "cpu_fallback", "small_calls",  "memory_bound",
      "slow_rate",    "above_peak",     "step",         "modes",        "slow_runs",
      "periodic",     "slow_operator",  "inaccurate",   "cache_copies", "positions",
      "nothing"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "";
}

const char *etr_sureness_name(etr_sureness sureness) {
  static const char *const names[] = {"sure", "likely", "possible"};
  return (size_t)sureness < ETR_COUNT(names) ? names[sureness] : "";
}

/* ---- Whole runs ---- */

/* Adds a finding about ticks that were spent once. */
static etr_finding *add_once(etr_finder *finder, etr_finding_kind kind, double ticks) {
  etr_finding *added = etr_vec_push(finder->arena, &finder->found);
  if (added)
    *added = (etr_finding){.kind = kind,
                           .title = "",
                           .evidence = "",
                           .caveat = "",
                           .cost = ticks,
                           .share = NAN,
                           .potential = ticks,
                           .potential_share = NAN,
                           .is_once = true,
                           .slope = NAN};
  return added;
}

static const char *factor_text(const etr_finder *finder, double factor) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_put_fixed(&writer, factor, factor < 10 ? 1 : 0);
  return etr_or_empty(etr_text_end(&text, &writer));
}

static bool find_first_run(etr_finder *finder) {
  etr_first_run first;
  if (!etr_first_run_of(&first, finder->arena, finder->profile, finder->method))
    return false;
  if (first.rest.count + 1 < ETR_FINDING_LEAST_RUNS || first.rest.p50 <= 0)
    return true;
  double factor = first.ticks / first.rest.p50;
  if (factor < ETR_FINDING_FIRST_RUN_FACTOR || finder->method->starts_with_prompt)
    return true;
  etr_finding *added = add_once(finder, ETR_FINDING_FIRST_RUN, first.ticks - first.rest.p50);
  if (!added)
    return false;
  bool may_be_longer = finder->method->has_dynamic_inputs || finder->method->graph == ETR_NONE;
  added->title = "See what the first run is: longer input or first run";
  if (!may_be_longer)
    added->title = etr_arena_format(
        finder->arena, "Run one inference before it matters: the first %s%srun is slower",
        first.phase, first.phase[0] ? " " : "");
  added->evidence = etr_arena_format(
      finder->arena, "The first run takes %s, %s times the median of the other %zu, %s.",
      etr_finder_time_of(finder, first.ticks), factor_text(finder, factor), first.rest.count,
      etr_finder_time_of(finder, first.rest.p50));
  if (may_be_longer)
    etr_finding_judge(added, ETR_POSSIBLE,
                      "if its input was not longer; a debug buffer shows that");
  else
    etr_finding_judge(added, ETR_LIKELY, "it moves the time to the start of the program");
  return true;
}

/* Which method was loaded is not known if several methods ran. */
static bool find_load(etr_finder *finder) {
  etr_loads loads;
  /* Starts at the method, so that all methods together look at each but once or twice. */
  const etr_profile *profile = finder->profile;
  size_t mine = (size_t)(finder->method - profile->methods);
  for (size_t i = 1; i < profile->method_count; i++)
    if (profile->methods[(mine + i) % profile->method_count].run_count)
      return true;
  if (!etr_loads_make(&loads, finder->arena, finder->profile))
    return false;
  if (!loads.whole || finder->method->execute.p50 <= 0)
    return true;
  double factor = loads.whole->stats.avg / finder->method->execute.p50;
  if (factor < ETR_FINDING_LOAD_FACTOR)
    return true;
  etr_finding *added = add_once(finder, ETR_FINDING_LOAD, loads.whole->stats.avg);
  if (!added)
    return false;
  added->title = "Load the program once and keep it: loading takes as long as many inferences";
  added->evidence = etr_arena_format(
      finder->arena, "%s takes %s, as long as %s inferences of %s.", loads.whole->name,
      etr_finder_time_of(finder, loads.whole->stats.avg), factor_text(finder, factor),
      etr_finder_time_of(finder, finder->method->execute.p50));
  etr_finding_judge(added, ETR_SURE, "for each load that is avoided");
  return true;
}

/* ---- When nothing stands out ---- */

/* What to try on the operators that take most of the time. */
static const char *next_step(const etr_finder *finder, const etr_breakdown *rows,
                             const etr_breakdown_row *row) {
  if (strncmp(row->key, "delegate.", 9) == 0)
    return "`delegation`, which lists what each call contains";
  etr_cost_sum costs = {0};
  bool is_delegated = true;
  for (uint32_t i = 0; i < finder->graph->node_count; i++) {
    if (rows->row_of_node[i] != row->number)
      continue;
    etr_cost_add(&costs, finder->profile, finder->graph, i);
    is_delegated &= !finder->is_kernel[i];
  }
  bool is_product = costs.macs > 0, is_integer = costs.integer_macs > 0;
  if (is_product && is_integer)
    return "a smaller input, fewer channels, or a faster backend";
  if (is_product && !is_delegated)
    return "delegate or quantise them, or use a smaller input";
  if (is_product)
    return "quantise them, or use a smaller input";
  return is_delegated ? "fewer or smaller ones"
                      : "fewer or smaller ones, or a delegate that fuses them";
}

/* where: "52 aten.convolution.default", after "62.1 % is in". */
static etr_finding *add_nothing(etr_finder *finder, uint64_t ticks, const char *where,
                                const char *next) {
  double share = ETR_MIN((double)ticks / (double)etr_finder_whole_ticks(finder), 1);
  etr_finding *added = etr_finder_add(finder, ETR_FINDING_NOTHING, ticks, NAN);
  etr_text text;
  etr_writer writer;
  if (!added)
    return NULL;
  etr_text_begin(&text, finder->arena, &writer);
  etr_puts(&writer, "Nothing structural stands out: ");
  etr_put_share(&writer, share, 1);
  etr_putf(&writer, " is in %s; next: %s", where, next);
  added->title = etr_text_end(&text, &writer);
  added->evidence = etr_arena_format(finder->arena, "That is %s of %s.",
                                     etr_finder_time(finder, ticks),
                                     etr_finder_time(finder, etr_finder_whole_ticks(finder)));
  etr_finding_judge(added, ETR_POSSIBLE, NULL);
  return added;
}

/* Adds that most of the time is in the operators of one type. */
static bool add_dominant(etr_finder *finder, const etr_breakdown *rows) {
  const etr_breakdown_row *row = &rows->rows[0];
  const char *where = etr_arena_format(finder->arena, "%zu %s", row->node_count, row->key);
  bool *marked = etr_arena_alloc_array(finder->arena, finder->graph->node_count, sizeof *marked);
  if (!where || !marked)
    return false;
  etr_finding *added = add_nothing(finder, row->total_ticks, where, next_step(finder, rows, row));
  for (uint32_t i = 0; i < finder->graph->node_count; i++)
    marked[i] = rows->row_of_node[i] == row->number;
  return added ? etr_finder_list_nodes(finder, added, marked) : !etr_arena_failed(finder->arena);
}

/* Says which kernel takes most of the time of a method without a graph, and which file would show
 * its layers. Returns false when out of memory. *is_said: the kernels take most of the time. */
static bool find_kernel(etr_finder *finder, double scale, bool *is_said) {
  etr_kernels kernels;
  double sum = 0;
  if (!etr_kernels_make(&kernels, finder->arena, finder->profile, finder->method))
    return false;
  for (size_t i = 0; i < kernels.count; i++)
    sum += scale * (double)kernels.rows[i].ticks;
  *is_said = sum * 2 > (double)etr_finder_whole_ticks(finder);
  if (!*is_said)
    return true;
  const etr_kernel_row *row = &kernels.rows[0];
  const char *where = etr_arena_format(finder->arena, "%zu %s", row->event_count, row->kernel);
  if (where)
    add_nothing(finder, (uint64_t)(scale * (double)row->ticks), where,
                "add the ETRecord or the .pte, to see the layers");
  return !etr_arena_failed(finder->arena);
}

/* Says where most of the time is if no finding could save much: in an operator type, in what
 * delegates do outside of known nodes, or in the runtime. */
static bool find_nothing(etr_finder *finder) {
  etr_breakdown rows = {0};
  for (size_t i = 0; i < finder->found.count; i++)
    if (finder->found.data[i].potential_share >= ETR_FINDING_MUCH)
      return true;
  if (finder->graph && !etr_finder_sum_by_operator(finder, &rows, NULL, false))
    return false;
  /* The time of the runtime and of delegates is known as a sum over runs: it is scaled to the
   * median run. */
  double scale = (double)etr_finder_whole_ticks(finder) / (double)finder->method->execute_ticks;
  uint64_t runtime = (uint64_t)(scale *
                                (double)etr_broad_part_ticks(finder->method, ETR_BROAD_FRAMEWORK)),
           inside = (uint64_t)(scale *
                               (double)etr_broad_part_ticks(finder->method, ETR_BROAD_DELEGATES)),
           most = rows.count ? rows.rows[0].total_ticks : 0;
  bool is_said = false;
  if (!finder->graph && !find_kernel(finder, scale, &is_said))
    return false;
  if (is_said)
    return true;
  if (rows.count && most >= runtime && most >= inside)
    return add_dominant(finder, &rows);
  etr_delegates_time largest;
  if (!etr_find_time_of_delegates(finder, &largest))
    return false;
  if (inside >= runtime && inside)
    add_nothing(finder, (uint64_t)(scale * (double)largest.ticks), largest.where, largest.next);
  else if (runtime)
    add_nothing(finder, runtime, "the runtime, outside of operators",
                "fewer and larger operators: each call of one takes time");
  return !etr_arena_failed(finder->arena);
}

/* ---- The saving as a sentence ---- */

/* Two findings overlap if they are about the same node, or about the overhead of the same delegate.
 */
typedef struct overlap_marks {
  uint64_t *of_node, *of_delegate; /* bits of findings */
} overlap_marks;

enum { MOST_MARKED = 64 }; /* bits; later findings, which save least, are not compared */

static uint64_t marks_of(const etr_finder *finder, overlap_marks *marks, const etr_finding *finding,
                         uint64_t bit) {
  uint64_t earlier = 0;
  for (size_t i = 0; i < finding->node_count; i++) {
    earlier |= marks->of_node[finding->nodes[i]];
    marks->of_node[finding->nodes[i]] |= bit;
  }
  for (size_t i = 0; i < finding->instruction_count; i++) {
    if (finding->kind == ETR_FINDING_LAYOUT)
      break; /* inserted operators are work, not overhead */
    uint32_t at = etr_delegate_at(finder->method, finding->instructions[i]);
    if (at == ETR_NONE)
      continue;
    if (finding->kind == ETR_FINDING_WAITING && finder->delegates[at].ticks[ETR_SPENT_COPY] == 0)
      continue;
    earlier |= marks->of_delegate[at];
    marks->of_delegate[at] |= bit;
  }
  return earlier;
}

static bool find_overlaps(etr_finder *finder) {
  overlap_marks marks = {
      etr_arena_alloc_array(finder->arena, finder->graph ? finder->graph->node_count : 0,
                            sizeof(uint64_t)),
      etr_arena_alloc_array(finder->arena, finder->method->delegate_count, sizeof(uint64_t))};
  if (!marks.of_node || !marks.of_delegate)
    return false;
  for (size_t i = 0; i < ETR_MIN(finder->found.count, (size_t)MOST_MARKED); i++) {
    etr_finding *finding = &finder->found.data[i];
    bool is_counted = finding->kind != ETR_FINDING_NOTHING && !finding->is_once &&
                      !isnan(finding->potential);
    uint64_t earlier = is_counted ? marks_of(finder, &marks, finding, (uint64_t)1 << i) : 0;
    uint32_t *list = etr_arena_alloc_array(finder->arena, MOST_MARKED, sizeof *list);
    for (uint32_t k = 0; list && k < i; k++)
      if (earlier >> k & 1)
        list[finding->overlap_count++] = k;
    finding->overlaps = list;
  }
  return !etr_arena_failed(finder->arena);
}

/* What rests on estimated times is not sure. */
static void doubt_estimates(const etr_finder *finder, etr_finding *finding) {
  for (size_t i = 0; i < finding->node_count && finding->sureness == ETR_SURE; i++)
    if (finder->graph->times[finding->nodes[i]].is_estimated && !finding->is_once)
      etr_finding_judge(finding, ETR_LIKELY, "some of the times are estimates");
}

static void put_saving(const etr_finder *finder, etr_finding *finding) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  if (isnan(finding->cost)) {
    etr_putf(&writer, "It changes results, not times; %s", etr_sureness_name(finding->sureness));
  } else if (isnan(finding->potential)) {
    etr_puts(&writer, "What it could save is not known");
  } else {
    etr_putf(&writer, "Could save up to %s", etr_finder_time_of(finder, finding->potential));
    if (finding->is_once)
      etr_puts(&writer, " once");
    if (!isnan(finding->potential_share)) {
      etr_puts(&writer, ", ");
      etr_put_share(&writer, finding->potential_share, 1);
      etr_puts(&writer, " of the time");
    }
  }
  if (!isnan(finding->potential))
    etr_putf(&writer, "; %s", etr_sureness_name(finding->sureness));
  etr_putf(&writer, "%s%s", finding->caveat[0] ? ": " : "", finding->caveat);
  for (size_t i = 0; i < finding->overlap_count; i++)
    etr_putf(&writer, "%s%u", i ? ", " : "; shares time with ", (unsigned)finding->overlaps[i] + 1);
  etr_puts(&writer, ".");
  finding->saving = etr_text_end(&text, &writer);
}

/* ---- All ---- */

/* Wrong results come first, then known savings per inference, then what was spent once, then
 * unknown savings. That nothing stands out comes before all findings that save little. */
static double rank_of(const etr_finding *finding) {
  if (finding->kind == ETR_FINDING_INACCURATE)
    return INFINITY;
  if (finding->kind == ETR_FINDING_NOTHING)
    return ETR_FINDING_MUCH;
  if (finding->is_once)
    return 0;
  return isnan(finding->potential_share) ? -1 : finding->potential_share;
}

static int by_saving(const void *a, const void *b) {
  const etr_finding *x = a, *y = b;
  double rank_x = rank_of(x), rank_y = rank_of(y);
  if (rank_x != rank_y)
    return rank_x < rank_y ? 1 : -1;
  if (rank_x < 0 && x->share != y->share)
    return x->share < y->share ? 1 : -1;
  if (x->is_once && x->cost != y->cost)
    return x->cost < y->cost ? 1 : -1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return etr_natural_compare(x->title, y->title);
}

static bool find_all(etr_finder *finder) {
  bool good = etr_finder_measure_delegates(finder);
  if (good && finder->graph)
    good = etr_finder_measure_calls(finder) && etr_finder_look_at_graph(finder) &&
           etr_find_partitions(finder) && etr_find_constants(finder) && etr_find_copies(finder) &&
           etr_find_patterns(finder) && etr_find_decoder(finder) && etr_find_slow_calls(finder) &&
           etr_find_outliers(finder) && etr_find_costs(finder) && etr_find_inaccurate(finder);
  return good && etr_find_by_kernel(finder) && etr_find_layouts(finder) &&
         etr_find_delegates(finder) && find_first_run(finder) && find_load(finder) &&
         etr_find_unsteady(finder) && find_nothing(finder) && !etr_arena_failed(finder->arena);
}

bool etr_findings_make(etr_findings *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, etr_unit unit) {
  etr_finder finder = {.profile = profile, .method = method, .unit = unit, .arena = arena};
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  *out = (etr_findings){0};
  if (method->run_count == 0 || method->execute_ticks == 0)
    return true;
  if (graph && graph->times)
    finder.graph = graph;
  if (!find_all(&finder))
    return false;
  etr_sort(finder.found.data, finder.found.count, sizeof *finder.found.data, by_saving);
  if (!find_overlaps(&finder))
    return false;
  for (size_t i = 0; i < finder.found.count; i++) {
    doubt_estimates(&finder, &finder.found.data[i]);
    put_saving(&finder, &finder.found.data[i]);
  }
  *out = (etr_findings){finder.found.data, finder.found.count, finder.facts};
  return !etr_arena_failed(arena);
}
