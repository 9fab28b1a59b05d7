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

#define PAGE ETR_DOCS "findings.md#"

const char *etr_finding_docs(etr_finding_kind kind) {
  static const char *const sections[] = {
      PAGE "fallback",     PAGE "not_delegated", PAGE "library",        PAGE "constants",
      PAGE "layout",       PAGE "copies",        PAGE "quantize_pairs", PAGE "batch_norm",
      PAGE "attention",    PAGE "output_layer",  PAGE "float_beside",   PAGE "calls",
      PAGE "outlier",      PAGE "first_run",     PAGE "load",           PAGE "drift",
      PAGE "waiting",      PAGE "cpu_fallback",  PAGE "small_calls",    PAGE "memory_bound",
      PAGE "slow_rate",    PAGE "above_peak",    PAGE "step",           PAGE "modes",
      PAGE "slow_runs",    PAGE "periodic",      PAGE "slow_operator",  PAGE "inaccurate",
      PAGE "cache_copies", PAGE "positions",     PAGE "merge",          PAGE "repeated_heads",
      PAGE "weights",      PAGE "embedding",     PAGE "softmax_check",  PAGE "split_depthwise",
      PAGE "quantize",     PAGE "delegate",      PAGE "more_per_call",  PAGE "profiler",
      PAGE "less_work"};
  return (size_t)kind < ETR_COUNT(sections) ? sections[kind] : "";
}

/* A section is called after its kind. */
const char *etr_finding_kind_name(etr_finding_kind kind) {
  const char *section = etr_finding_docs(kind);
  return section[0] ? section + strlen(PAGE) : "";
}

const char *etr_sureness_name(etr_sureness sureness) {
  static const char *const names[] = {"sure", "likely", "rule_of_thumb", "possible"};
  return (size_t)sureness < ETR_COUNT(names) ? names[sureness] : "";
}

const char *etr_sureness_text(etr_sureness sureness) {
  return sureness == ETR_RULE_OF_THUMB ? "rule of thumb" : etr_sureness_name(sureness);
}

const char *etr_effort_name(etr_effort effort) {
  static const char *const names[] = {"link_flag", "re_export", "change_model", "record_again"};
  return (size_t)effort < ETR_COUNT(names) ? names[effort] : "";
}

const char *etr_finding_effort_text(const etr_finding *finding) {
  static const char *const texts[] = {"link flag", "re-export", "change the model", "record again"};
  bool is_a_look = finding->kind == ETR_FINDING_PROFILER;
  if (finding->kind == ETR_FINDING_FIRST_RUN || finding->kind == ETR_FINDING_LOAD)
    return "change the app";
  if (finding->kind == ETR_FINDING_WAITING)
    return "change app or device settings";
  return !is_a_look && (size_t)finding->effort < ETR_COUNT(texts) ? texts[finding->effort] : "";
}

bool etr_finding_is_timing(etr_finding_kind kind) {
  switch (kind) {
  case ETR_FINDING_OUTLIER:
  case ETR_FINDING_DRIFT:
  case ETR_FINDING_STEP:
  case ETR_FINDING_MODES:
  case ETR_FINDING_SLOW_RUNS:
  case ETR_FINDING_PERIODIC:
  case ETR_FINDING_SLOW_OPERATOR:
    return true;
  default:
    return false;
  }
}

bool etr_finding_is_lever(etr_finding_kind kind) {
  return kind >= ETR_FINDING_QUANTIZE;
}

/* What the change of a finding takes. */
static etr_effort effort_of(const etr_finding *finding) {
  etr_finding_kind kind = finding->kind;
  if (finding->variant == ETR_VARIANT_EXPORT)
    return ETR_EFFORT_RE_EXPORT;
  if (finding->variant == ETR_VARIANT_LAYERS)
    return ETR_EFFORT_CHANGE_MODEL;
  if (finding->variant == ETR_VARIANT_SLOW_CALLS)
    return ETR_EFFORT_RECORD_AGAIN;
  switch (kind) {
  case ETR_FINDING_LIBRARY:
    return ETR_EFFORT_LINK_FLAG;
  case ETR_FINDING_NOT_DELEGATED:
  case ETR_FINDING_CONSTANTS:
  case ETR_FINDING_QUANTIZE_PAIRS:
  case ETR_FINDING_BATCH_NORM:
  case ETR_FINDING_FLOAT_BESIDE:
  case ETR_FINDING_INACCURATE:
  case ETR_FINDING_WEIGHTS:
  case ETR_FINDING_EMBEDDING:
  case ETR_FINDING_QUANTIZE:
  case ETR_FINDING_DELEGATE:
    return ETR_EFFORT_RE_EXPORT;
  case ETR_FINDING_ABOVE_PEAK:
  case ETR_FINDING_PROFILER:
    return ETR_EFFORT_RECORD_AGAIN;
  default:
    return etr_finding_is_timing(kind) ? ETR_EFFORT_RECORD_AGAIN : ETR_EFFORT_CHANGE_MODEL;
  }
}

/* ---- Whole runs ---- */

/* Adds a finding about ticks that were spent once. */
static etr_finding *add_once(etr_finder *finder, etr_finding_kind kind, double ticks) {
  etr_finding *added = etr_vec_push(finder->arena, &finder->found);
  if (added)
    *added = (etr_finding){.kind = kind,
                           .title = "",
                           .fact = "",
                           .evidence = "",
                           .caveat = "",
                           .cost = ticks,
                           .share = NAN,
                           .least = ticks,
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

/* Finds a first run that takes much longer than the others. */
static bool find_first_run(etr_finder *finder) {
  etr_first_run first;
  if (!etr_first_run_of(&first, finder->arena, finder->profile, finder->method))
    return false;
  double factor = etr_first_run_factor(&first);
  if (first.rest.count + 1 < ETR_FINDING_LEAST_RUNS || !(factor > 0))
    return true;
  if (factor < ETR_FINDING_FIRST_RUN_FACTOR || finder->method->starts_with_prompt)
    return true;
  etr_finding *added = add_once(finder, ETR_FINDING_FIRST_RUN, first.ticks - first.rest.typical);
  if (!added)
    return false;
  bool may_be_longer = finder->method->has_dynamic_inputs || finder->method->shared ||
                       finder->method->graph == ETR_NONE;
  added->title = may_be_longer ? "See why the first run takes longer"
                               : "Run one inference before it matters";
  added->fact = etr_arena_format(finder->arena, "%s%s%srun takes %s times as long%s", "the first ",
                                 first.phase, first.phase[0] ? " " : "",
                                 factor_text(finder, factor),
                                 may_be_longer ? ": a longer input, or warming up" : "");
  added->evidence = etr_arena_format(
      finder->arena, "The first run takes %s, %s times the typical one of the other %zu, %s.",
      etr_finder_time_of(finder, first.ticks), factor_text(finder, factor), first.rest.count,
      etr_finder_time_of(finder, first.rest.typical));
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
  double typical = finder->method->execute.typical;
  if (!loads.whole || typical <= 0)
    return true;
  double factor = loads.whole->stats.avg / typical;
  if (factor < ETR_FINDING_LOAD_FACTOR)
    return true;
  etr_finding *added = add_once(finder, ETR_FINDING_LOAD, loads.whole->stats.avg);
  if (!added)
    return false;
  added->title = "Load the program once and keep it";
  added->fact = etr_arena_format(finder->arena, "loading takes as long as %s inferences",
                                 factor_text(finder, factor));
  added->evidence = etr_arena_format(
      finder->arena, "%s takes %s, as long as %s inferences of %s.", loads.whole->name,
      etr_finder_time_of(finder, loads.whole->stats.avg), factor_text(finder, factor),
      etr_finder_time_of(finder, typical));
  etr_finding_judge(added, ETR_SURE, "for each load that is avoided");
  return true;
}

/* ---- The saving as a sentence ---- */

/* Two findings overlap if they are about the same node, or about the overhead of the same delegate.
 */
typedef struct overlap_marks {
  uint64_t *of_node, *of_delegate; /* bits of findings */
} overlap_marks;

enum { MOST_MARKED = 64 }; /* bits; later findings, which save least, are not compared */

/* Marks the nodes and calls of a finding, and returns the earlier findings that marked one of them.
 */
static uint64_t marks_of(const etr_finder *finder, overlap_marks *marks, const etr_finding *finding,
                         uint64_t bit) {
  uint64_t earlier = 0;
  for (size_t i = 0; i < finding->node_count; i++) {
    earlier |= marks->of_node[finding->nodes[i]];
    marks->of_node[finding->nodes[i]] |= bit;
  }
  for (size_t i = 0; i < finding->instruction_count; i++) {
    if (finding->kind == ETR_FINDING_LAYOUT)
      break; /* inserted operators are work, and not time around calls */
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

/* Finds which findings save time that earlier ones save, too. */
static bool find_overlaps(etr_finder *finder) {
  overlap_marks marks = {
      etr_arena_alloc_array(finder->arena, finder->graph ? finder->graph->node_count : 0,
                            sizeof(uint64_t)),
      etr_arena_alloc_array(finder->arena, finder->method->delegate_count, sizeof(uint64_t))};
  if (!marks.of_node || !marks.of_delegate)
    return false;
  for (size_t i = 0; i < ETR_MIN(finder->found.count, (size_t)MOST_MARKED); i++) {
    etr_finding *finding = &finder->found.data[i];
    bool is_counted = !finding->is_once && !isnan(finding->cost) &&
                      !etr_finding_is_timing(finding->kind);
    uint64_t earlier = is_counted ? marks_of(finder, &marks, finding, (uint64_t)1 << i) : 0;
    uint32_t *list = etr_arena_alloc_array(finder->arena, MOST_MARKED, sizeof *list);
    for (uint32_t k = 0; list && k < i; k++)
      if (earlier >> k & 1)
        list[finding->overlap_count++] = k;
    finding->overlaps = list;
  }
  return !etr_arena_failed(finder->arena);
}

bool etr_runs_differ_much(const etr_method *method) {
  const double much = 0.25; /* of the time: half of the distance from p10 to p90 */
  bool is_wide = etr_stats_spread(&method->execute, 0) > much * method->execute.typical;
  return method->mixed_phase_count < 2 && (method->noise.verdict == ETR_NOISE_TWO_MODES ||
                                           (is_wide && method->noise.verdict != ETR_NOISE_STEADY));
}

/* Returns true if interruptions are at least half of the time that a finding's operators took. */
static bool is_mostly_interrupted(const etr_finder *finder, const etr_finding *finding) {
  double typical = 0, usual = 0;
  for (size_t i = 0; i < finding->node_count; i++) {
    typical += finder->graph->times[finding->nodes[i]].typical;
    usual += finder->usual[finding->nodes[i]];
  }
  return typical > 0 && usual * 2 <= typical;
}

/* What rests on estimated times, or on runs that differ much, is not sure; and what most of the
 * time was not is no more than possible. */
static void doubt_times(const etr_finder *finder, etr_finding *finding) {
  bool is_about_model = !finding->is_once && !etr_finding_is_timing(finding->kind);
  if (is_about_model && is_mostly_interrupted(finder, finding))
    etr_finding_judge(finding, ETR_POSSIBLE,
                      "its operators were interrupted, which is not counted: measure again");
  if (finding->sureness == ETR_SURE && !finding->is_once && etr_runs_differ_much(finder->method))
    etr_finding_judge(finding, ETR_LIKELY, "the runs differ much: measure again");
  for (size_t i = 0; i < finding->node_count && finding->sureness == ETR_SURE; i++)
    if (finder->graph->times[finding->nodes[i]].is_estimated && !finding->is_once)
      etr_finding_judge(finding, ETR_LIKELY, "some of the times are estimates");
}

/* Writes what following a finding could save, and how sure that is. */
static void put_saving(const etr_finder *finder, etr_finding *finding) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  if (isnan(finding->cost)) {
    etr_putf(&writer, "It changes results, not times; %s", etr_sureness_text(finding->sureness));
  } else if (isnan(finding->potential)) {
    etr_putf(&writer, "What it could save is not known: a part of %s",
             etr_finder_time_of(finder, finding->cost));
  } else {
    const char *least = finding->least > 0 ? etr_finder_time_of(finder, finding->least) : "";
    bool has_least = finding->least > 0 &&
                     strcmp(least, etr_finder_time_of(finder, finding->potential)) != 0;
    if (has_least)
      etr_putf(&writer, "Could save %s to %s", least,
               etr_finder_time_of(finder, finding->potential));
    else
      etr_putf(&writer, "Could save %s%s", finding->least > 0 ? "" : "up to ",
               etr_finder_time_of(finder, finding->potential));
    if (finding->is_once)
      etr_puts(&writer, " once");
    if (!isnan(finding->potential_share)) {
      etr_puts(&writer, ", ");
      etr_put_share(&writer, finding->potential_share, 1);
      etr_puts(&writer, " of the time");
    }
  }
  if (!isnan(finding->cost))
    etr_putf(&writer, "; %s", etr_sureness_text(finding->sureness));
  etr_putf(&writer, "%s%s", finding->caveat[0] ? ": " : "", finding->caveat);
  for (size_t i = 0; i < finding->overlap_count; i++)
    etr_putf(&writer, "%s%u", i ? ", " : "; shares time with ", (unsigned)finding->overlaps[i] + 1);
  etr_puts(&writer, ".");
  finding->saving = etr_text_end(&text, &writer);
}

/* ---- All ---- */

/* The order of what findings are about: wrong results, the model, the measurement, time that was
 * spent once. */
static int class_of(const etr_finding *finding) {
  if (finding->kind == ETR_FINDING_INACCURATE)
    return 0;
  if (finding->is_once)
    return 3;
  return etr_finding_is_timing(finding->kind) ? 2 : 1;
}

/* The middle of the saving, with 0 for a least that is not known, times how sure it is. Where
 * nothing is known of the saving it counts as a tenth of the time that it is about, so that advice
 * on most of the time comes before what is known to save next to nothing. Of a lever it counts as a
 * fiftieth, since what was found to be wrong says more than "do less"; and as a twentieth if less
 * work of most of the time is needed, which is sure to save a part of it. */
static double rank_of(const etr_finding *finding) {
  bool is_most = finding->kind == ETR_FINDING_LESS_WORK && finding->share >= 0.5;
  const double of_lever = is_most ? 0.05 : 0.02;
  const double unknown = etr_finding_is_lever(finding->kind) ? of_lever : 0.1;
  static const double weights[] = {
      [ETR_SURE] = 1, [ETR_LIKELY] = 0.7, [ETR_RULE_OF_THUMB] = 0.5, [ETR_POSSIBLE] = 0.4};
  double low = isnan(finding->least) ? 0 : finding->least,
         high = isnan(finding->potential) ? 0 : finding->potential;
  double middle = (low + high) / 2;
  if (isnan(finding->potential) && !isnan(finding->cost))
    middle = unknown * finding->cost;
  return middle * weights[finding->sureness];
}

/* Orders findings by what they save, and then so that the order never depends on chance. */
static int by_saving(const void *a, const void *b) {
  const etr_finding *x = a, *y = b;
  if (class_of(x) != class_of(y))
    return class_of(x) - class_of(y);
  double rank_x = rank_of(x), rank_y = rank_of(y);
  if (rank_x != rank_y)
    return rank_x < rank_y ? 1 : -1;
  double high_x = isnan(x->potential) ? 0 : x->potential,
         high_y = isnan(y->potential) ? 0 : y->potential;
  if (high_x != high_y)
    return high_x < high_y ? 1 : -1;
  if (!isnan(x->cost) && !isnan(y->cost) && x->cost != y->cost)
    return x->cost < y->cost ? 1 : -1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return etr_natural_compare(x->title, y->title);
}

/* Cuts a text with long names at the last blank that leaves room for "...". */
static const char *shortened(const etr_finder *finder, const char *text, size_t most) {
  if (!text || strlen(text) <= most)
    return text;
  size_t size = most - 3, blank = size;
  while (blank > most / 2 && text[blank] != ' ')
    blank--;
  if (text[blank] == ' ') /* else one name is that long, and is cut */
    size = blank;
  while (((unsigned char)text[size] & 0xC0) == 0x80)
    size--;
  return etr_arena_format(finder->arena, "%.*s...", (int)size, text);
}

/* Finds all findings about a method. */
static bool find_everything(etr_finder *finder) {
  /* What to change depends on which method ran. */
  if (finder->method->shared)
    return find_first_run(finder) && find_load(finder) && etr_find_unsteady(finder);
  bool good = etr_finder_measure_delegates(finder);
  if (good && finder->graph)
    good = etr_finder_measure_calls(finder) && etr_finder_look_at_graph(finder) &&
           etr_find_partitions(finder) && etr_find_softmax_checks(finder) &&
           etr_find_constants(finder) && etr_find_copies(finder) && etr_find_patterns(finder) &&
           etr_find_wide_depthwise(finder) && etr_find_decoder(finder) &&
           etr_find_slow_calls(finder) && etr_find_outliers(finder) && etr_find_costs(finder) &&
           etr_find_inaccurate(finder);
  /* The lever comes before advice on timing, which is no reason to leave it out. */
  return good && etr_find_by_kernel(finder) && etr_find_layouts(finder) &&
         etr_find_delegates(finder) && etr_find_lever(finder) && find_first_run(finder) &&
         find_load(finder) && etr_find_unsteady(finder) && !etr_arena_failed(finder->arena);
}

/* Returns true if each operator of a finding is one of the other's, too. */
static bool is_within(const etr_finding *finding, const etr_finding *other) {
  size_t found = 0;
  for (size_t i = 0; i < finding->node_count; i++)
    for (size_t k = 0; k < other->node_count; k++)
      found += finding->nodes[i] == other->nodes[k];
  return finding->node_count > 0 && found == finding->node_count;
}

/* Returns true if another finding says the same more exactly: which copies cut the delegates apart;
 * which runs are slow, beside the operators that took long in one of them. */
static bool is_said_better(const etr_finder *finder, const etr_finding *finding) {
  const double nearly = 0.9; /* of what it could save */
  for (size_t i = 0; i < finder->found.count; i++) {
    const etr_finding *other = &finder->found.data[i];
    bool are_slow_runs = other->kind == ETR_FINDING_SLOW_RUNS ||
                         other->kind == ETR_FINDING_PERIODIC ||
                         other->kind == ETR_FINDING_SLOW_OPERATOR;
    if (finding->kind == ETR_FINDING_OUTLIER && are_slow_runs)
      return true;
    if (finding->kind == ETR_FINDING_FALLBACK && other->kind == ETR_FINDING_COPIES &&
        other->potential >= nearly * finding->potential && is_within(finding, other))
      return true;
  }
  return false;
}

/* Leaves out findings that another one says better. */
static void leave_out_said(etr_finder *finder) {
  size_t kept = 0;
  for (size_t i = 0; i < finder->found.count; i++) {
    etr_finding finding = finder->found.data[i];
    if (!is_said_better(finder, &finding))
      finder->found.data[kept++] = finding;
  }
  finder->found.count = kept;
}

/* ---- Measuring again ---- */

/* Returns true for advice on how to measure that leads to times without interruptions. */
static bool is_about_interruptions(etr_finding_kind kind) {
  return kind == ETR_FINDING_OUTLIER || kind == ETR_FINDING_SLOW_RUNS ||
         kind == ETR_FINDING_PERIODIC || kind == ETR_FINDING_SLOW_OPERATOR;
}

/* Returns the first finding about interruptions, or of any advice on how to measure; NULL if there
 * is none. */
static etr_finding *find_advice(etr_finder *finder, bool is_any) {
  for (size_t i = 0; i < finder->found.count; i++) {
    etr_finding_kind kind = finder->found.data[i].kind;
    if (is_any ? etr_finding_is_timing(kind) : is_about_interruptions(kind))
      return &finder->found.data[i];
  }
  return NULL;
}

/* Adds advice to measure again where no other finding has it. NULL when out of memory. */
static etr_finding *add_advice(etr_finder *finder, const char *fact, const char *evidence) {
  etr_finding *added = etr_vec_push(finder->arena, &finder->found);
  if (!added)
    return NULL;
  *added = (etr_finding){.kind = ETR_FINDING_SLOW_RUNS,
                         .title = "Measure again without other load",
                         .fact = fact,
                         .evidence = evidence,
                         .least = NAN,
                         .slope = NAN};
  etr_finding_judge(added, ETR_POSSIBLE,
                    "it is about the device and the measurement, not the model");
  return added;
}

/* Sets what measuring again may show, in ticks per inference. */
static void set_advice(const etr_finder *finder, etr_finding *finding, double ticks) {
  double typical = finder->method->execute.typical;
  finding->is_once = false;
  finding->cost = finding->potential = ticks;
  finding->share = finding->potential_share = ticks / typical;
}

/* Returns how many runs had an interruption. */
static size_t count_interrupted_runs(const etr_finder *finder) {
  const etr_method *method = finder->method;
  bool *is_interrupted = etr_arena_alloc_array(finder->arena, method->run_count,
                                               sizeof *is_interrupted);
  size_t count = 0;
  for (size_t i = 0; is_interrupted && i < method->time_slice_count; i++) {
    uint32_t run = method->time_slices[i].run;
    count += !is_interrupted[run] && finder->groups->interruptions.ticks[i] > 0;
    is_interrupted[run] |= finder->groups->interruptions.ticks[i] > 0;
  }
  return count;
}

/* Where interruptions are a part of the typical time, or runs differ much, there is advice to
 * measure again. It has the time that the sentence has of interruptions. False when out of memory.
 */
static bool advise_to_measure(etr_finder *finder) {
  double interrupted = finder->groups->interrupted;
  const etr_method *method = finder->method;
  if (interrupted > 0) {
    etr_finding *finding = find_advice(finder, false);
    if (!finding)
      finding = add_advice(finder, "",
                           "In these runs an operator takes at least twice its median, and most "
                           "others do not.");
    if (!finding)
      return false;
    set_advice(finder, finding, interrupted);
    finding->fact = etr_arena_format(
        finder->arena, "operators were interrupted in %zu of %zu runs, for %s of the typical run",
        count_interrupted_runs(finder), method->run_count, etr_finder_time_of(finder, interrupted));
    return finding->fact != NULL;
  }
  if (!etr_runs_differ_much(method) || find_advice(finder, true))
    return true;
  const char *evidence = etr_arena_format(finder->arena,
                                          "Most runs take %s to %s (10th and 90th percentile).",
                                          etr_finder_time_of(finder, method->execute.p10),
                                          etr_finder_time_of(finder, method->execute.p90));
  etr_finding *added = add_advice(finder, "the runs differ much", evidence);
  if (added)
    set_advice(finder, added, fmax(method->execute.typical - method->execute.p10, 0));
  return added != NULL;
}

bool etr_findings_make(etr_findings *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, etr_unit unit) {
  etr_finder finder = {.profile = profile, .method = method, .unit = unit, .arena = arena};
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  *out = (etr_findings){0};
  if (!etr_groups_make(&out->groups, arena, profile, method, NULL))
    return false;
  finder.groups = &out->groups;
  if (method->run_count == 0 || method->execute_ticks == 0)
    return true;
  if (graph && graph->times)
    finder.graph = graph;
  if (!etr_finder_measure_nodes(&finder) || !find_everything(&finder))
    return false;
  leave_out_said(&finder);
  if (!advise_to_measure(&finder))
    return false;
  for (size_t i = 0; i < finder.found.count; i++)
    doubt_times(&finder, &finder.found.data[i]);
  etr_sort(finder.found.data, finder.found.count, sizeof *finder.found.data, by_saving);
  if (!find_overlaps(&finder))
    return false;
  for (size_t i = 0; i < finder.found.count; i++) {
    finder.found.data[i].title = shortened(&finder, finder.found.data[i].title, ETR_TITLE_LONGEST);
    finder.found.data[i].fact = shortened(&finder, finder.found.data[i].fact, ETR_FACT_LONGEST);
    finder.found.data[i].effort = effort_of(&finder.found.data[i]);
    put_saving(&finder, &finder.found.data[i]);
  }
  bool is_any_large = false;
  for (size_t i = 0; i < finder.found.count; i++) {
    const etr_finding *found = &finder.found.data[i];
    bool is_known = !isnan(found->potential) || !etr_finding_is_lever(found->kind);
    double share = isnan(found->potential) ? found->share : found->potential_share;
    share *= method->execute.typical / etr_finder_whole(&finder);
    /* Of a backend that records no operators, nobody knows what its time is. */
    is_any_large |= found->kind == ETR_FINDING_PROFILER;
    is_any_large |= is_known && !etr_finding_is_timing(found->kind) && share >= ETR_FINDING_MUCH;
  }
  out->list = finder.found.data;
  out->count = finder.found.count;
  out->is_nothing_large = !is_any_large;
  out->delegates = finder.facts;
  return !etr_arena_failed(arena);
}
