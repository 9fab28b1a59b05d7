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
#include "views/interruptions.h"
#include "views/kernels.h"
#include "views/loads.h"
#include "views/steadiness.h"

#include <math.h>
#include <stdlib.h>

#define PAGE ETR_DOCS "findings.md#"

const char *etr_finding_docs(etr_finding_kind kind) {
  static const char *const sections[] = {
      PAGE "fallback",      PAGE "not_delegated", PAGE "library",        PAGE "constants",
      PAGE "layout",        PAGE "copies",        PAGE "quantize_pairs", PAGE "batch_norm",
      PAGE "attention",     PAGE "output_layer",  PAGE "float_beside",   PAGE "calls",
      PAGE "outlier",       PAGE "first_run",     PAGE "load",           PAGE "drift",
      PAGE "waiting",       PAGE "cpu_fallback",  PAGE "small_calls",    PAGE "memory_bound",
      PAGE "slow_rate",     PAGE "above_peak",    PAGE "step",           PAGE "modes",
      PAGE "slow_runs",     PAGE "periodic",      PAGE "slow_operator",  PAGE "inaccurate",
      PAGE "cache_copies",  PAGE "positions",     PAGE "merge",          PAGE "repeated_heads",
      PAGE "weights",       PAGE "embedding",     PAGE "softmax_check",  PAGE "split_depthwise",
      PAGE "branches",      PAGE "rewrite",       PAGE "quantize",       PAGE "delegate",
      PAGE "more_per_call", PAGE "profiler",      PAGE "less_work"};
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
  static const char *const names[] = {"link_flag", "re_export", "change_model", "change_app",
                                      "record_again"};
  return (size_t)effort < ETR_COUNT(names) ? names[effort] : "";
}

const char *etr_finding_effort_text(const etr_finding *finding) {
  static const char *const texts[] = {"link flag", "re-export", "change the model",
                                      "change the app", "record again"};
  switch (finding->kind) {
  case ETR_FINDING_WAITING:
    return "change app or device settings";
  case ETR_FINDING_PROFILER:
    return ""; /* the answer is in the files at hand */
  default:
    return (size_t)finding->effort < ETR_COUNT(texts) ? texts[finding->effort] : "";
  }
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

/* Returns what it takes to do what a finding advises. The variant decides before the kind does:
 * it says that the advice is not the usual one of its kind. */
static etr_effort effort_of(const etr_finding *finding) {
  etr_finding_kind kind = finding->kind;
  if (finding->variant == ETR_VARIANT_EXPORT || finding->variant == ETR_VARIANT_8DA4W)
    return ETR_EFFORT_RE_EXPORT;
  bool are_pads = kind == ETR_FINDING_FLOAT_BESIDE && finding->variant == ETR_VARIANT_MOVES;
  if (finding->variant == ETR_VARIANT_LAYERS || are_pads)
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
  case ETR_FINDING_BRANCHES:
  case ETR_FINDING_FLOAT_BESIDE:
  case ETR_FINDING_INACCURATE:
  case ETR_FINDING_WEIGHTS:
  case ETR_FINDING_EMBEDDING:
  case ETR_FINDING_QUANTIZE:
  case ETR_FINDING_DELEGATE:
    return ETR_EFFORT_RE_EXPORT;
  case ETR_FINDING_FIRST_RUN:
  case ETR_FINDING_LOAD:
  case ETR_FINDING_WAITING:
    return ETR_EFFORT_CHANGE_APP;
  case ETR_FINDING_ABOVE_PEAK:
  case ETR_FINDING_PROFILER:
    return ETR_EFFORT_RECORD_AGAIN;
  default:
    return etr_finding_is_timing(kind) ? ETR_EFFORT_RECORD_AGAIN : ETR_EFFORT_CHANGE_MODEL;
  }
}

/* ---- Whole runs ---- */

/* Returns true if the runs may be of several methods: then they differ because methods do. */
static bool may_be_of_several_methods(const etr_finder *finder) {
  const etr_method *method = finder->method;
  bool found = false;
  for (size_t i = 0; i < method->block_count; i++)
    found |= finder->profile->blocks[method->blocks[i]].candidate_count > 0;
  return found;
}

/* Adds a finding about ticks that were spent once, such as by loading, all of which could be saved.
 * It has no share of an inference's time (NAN). Returns NULL when out of memory. */
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

/* Returns a factor as "1.8" or, from 10 on, in whole; "" when out of memory. */
static const char *factor_text(const etr_finder *finder, double factor) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_put_fixed(&writer, factor, factor < 10 ? 1 : 0);
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* Returns how many ticks an event took longer in first runs than usually: than its typical time or,
 * in a block of first runs alone, than usual_of_unknown. */
static double excess_of_first_runs(const etr_profile *profile, const etr_first_run *first,
                                   const etr_event *event, double usual_of_unknown) {
  double ticks = 0;
  size_t first_count = 0, count = event->sample_count + event->excluded_count;
  for (size_t k = 0; k < count; k++) {
    const etr_run *run = &profile->runs[event->sample_runs[k]];
    bool is_first = run == first->of_dump[run->dump];
    first_count += is_first;
    ticks += is_first ? (double)event->durations[k] : 0;
  }
  double usual = first_count < count ? event->stats.typical : usual_of_unknown;
  return ticks - usual * (double)first_count;
}

/* Returns the operator that took most of what the first runs took longer, or else of which backend
 * a call did: "full.out", "calling XNNPACK". NULL if none did. */
static const char *cause_of_first_run(const etr_finder *finder, const etr_first_run *first) {
  const etr_event *found = NULL;
  double longer = (first->firsts.avg - first->rest.typical) * (double)first->firsts.count;
  for (size_t i = 0; i < finder->method->block_count; i++) {
    const etr_block *block = &finder->profile->blocks[finder->method->blocks[i]];
    for (const etr_event *event = block->events; event < block->events + block->event_count;
         event++) {
      /* None of the other runs' events can take more than they do. */
      double excess = excess_of_first_runs(finder->profile, first, event, first->rest.typical);
      bool is_timed = event->kind >= ETR_EVENT_KERNEL && event->unit == ETR_EVENT_UNIT_TIME;
      bool is_most = excess * 2 > longer && event->stats.count;
      if (is_timed && is_most && (!found || found->kind == ETR_EVENT_DELEGATE_CALL))
        found = event;
    }
  }
  if (!found || found->kind != ETR_EVENT_DELEGATE_CALL)
    return found ? found->kernel : NULL;
  const char *backend = etr_finder_backend_name(finder, etr_or_empty(found->backend));
  return etr_arena_format(finder->arena, "calling %s", backend[0] ? backend : "a delegate");
}

/* Returns true if operators, and not only what is around them, were recorded, and took at most a
 * quarter of what the first runs took longer: a longer input would make them longer, too. */
static bool is_around_operators(const etr_finder *finder, const etr_first_run *first) {
  double usual = 0, excess = 0;
  double longer = (first->firsts.avg - first->rest.typical) * (double)first->firsts.count;
  for (size_t i = 0; i < finder->method->block_count; i++) {
    const etr_block *block = &finder->profile->blocks[finder->method->blocks[i]];
    for (const etr_event *event = block->events; event < block->events + block->event_count;
         event++) {
      bool is_operator = event->kind == ETR_EVENT_DELEGATE_OPERATOR && event->is_in_sums;
      if ((event->kind != ETR_EVENT_KERNEL && !is_operator) || event->unit != ETR_EVENT_UNIT_TIME)
        continue;
      usual += event->stats.typical * (double)event->sample_count;
      excess += excess_of_first_runs(finder->profile, first, event, 0);
    }
  }
  usual /= (double)ETR_MAX(finder->method->run_count, (size_t)1);
  return usual * 2 >= first->rest.typical && excess * 4 <= longer;
}

/* Adds the finding that the first run takes much longer than the others, if it does. A first run on
 * a prompt has more to do, so there is none then. Returns false when out of memory. */
static bool add_first_run_finding(etr_finder *finder) {
  etr_first_run first;
  if (!etr_first_run_of(&first, finder->arena, finder->profile, finder->method))
    return false;
  if (may_be_of_several_methods(finder))
    return true;
  if (first.firsts.count + first.rest.count < ETR_FINDING_LEAST_RUNS ||
      !(first.factor >= ETR_FINDING_FIRST_RUN_FACTOR) || finder->method->starts_with_prompt)
    return true;
  etr_finding *added = add_once(finder, ETR_FINDING_FIRST_RUN, first.excess);
  if (!added)
    return false;
  /* A longer input explains it, too, unless the graph shows that all inputs are equally long, or
   * the operators did not take longer. */
  bool may_be_longer = finder->method->shared ||
                       ((finder->method->has_dynamic_inputs || finder->method->graph == ETR_NONE) &&
                        !is_around_operators(finder, &first));
  added->title = may_be_longer ? "See why the first run takes longer"
                               : "Run one inference before it matters";
  const char *cause = cause_of_first_run(finder, &first);
  const char *factor = factor_text(finder, first.factor);
  bool is_one = first.firsts.count == 1;
  added->fact = etr_arena_format(finder->arena, "the first %s%s%s %s times as long%s%s%s",
                                 first.phase, first.phase[0] ? " " : "",
                                 is_one ? "run takes" : "runs take", factor,
                                 cause ? ", mostly in " : "", etr_or_empty(cause),
                                 may_be_longer ? ": a longer input, or warming up" : "");
  const char *ticks = etr_finder_time_text(finder, first.firsts.p50);
  added->evidence = is_one ? etr_arena_format(
                                 finder->arena,
                                 "The first run takes %s, %s times the typical one of the other "
                                 "%zu, %s.",
                                 ticks, factor, first.rest.count,
                                 etr_finder_time_text(finder, first.rest.typical))
                           : etr_arena_format(
                                 finder->arena,
                                 "The first runs of %zu recordings take %s, %s times the typical "
                                 "one of the others of the same recording (medians).",
                                 first.firsts.count, ticks, factor);
  if (may_be_longer)
    etr_finding_set_sureness(added, ETR_POSSIBLE,
                             "if its input was not longer; a debug buffer shows that");
  else
    etr_finding_set_sureness(added, ETR_LIKELY, "it moves the time to the start of the program");
  return true;
}

/* Returns true if another method of the profile ran. Looks at the methods after this one first, so
 * that asking for each of many methods takes linear time in all. */
static bool has_other_method_run(const etr_finder *finder) {
  const etr_profile *profile = finder->profile;
  size_t own_index = (size_t)(finder->method - profile->methods);
  for (size_t i = 1; i < profile->method_count; i++) {
    size_t other = (own_index + i) % profile->method_count;
    if (profile->methods[other].run_count)
      return true;
  }
  return false;
}

/* Adds the finding that loading takes as long as many inferences, if it does. If
 * several methods ran, it is not known which of them was loaded, and there is none. Returns false
 * when out of memory. */
static bool add_load_finding(etr_finder *finder) {
  etr_loads loads;
  if (has_other_method_run(finder))
    return true;
  if (!etr_loads_make(&loads, finder->arena, finder->profile))
    return false;
  double typical = finder->method->execute.typical;
  if (!loads.whole || typical <= 0)
    return true;
  double load_ticks = loads.whole->stats.typical;
  double factor = load_ticks / typical;
  if (factor < ETR_FINDING_LOAD_FACTOR)
    return true;
  etr_finding *added = add_once(finder, ETR_FINDING_LOAD, load_ticks);
  if (!added)
    return false;
  added->title = "Load the program once and keep it";
  added->fact = etr_arena_format(finder->arena, "loading takes as long as %s inferences",
                                 factor_text(finder, factor));
  added->evidence = etr_arena_format(finder->arena, "%s takes %s, as long as %s inferences of %s.",
                                     loads.whole->name, etr_finder_time_text(finder, load_ticks),
                                     factor_text(finder, factor),
                                     etr_finder_time_text(finder, typical));
  etr_finding_set_sureness(added, ETR_SURE, "for each load that is avoided");
  return true;
}

/* ---- The saving as a sentence ---- */

/* Two findings overlap if they are about the same node, or about the overhead of the same delegate.
 * For each node and delegate: a set of findings, of which bit i is the finding with index i. */
typedef struct overlap_marks {
  uint64_t *of_node, *of_delegate;
} overlap_marks;

enum { MOST_MARKED = 64 }; /* bits; later findings, which save least, are not compared */

/* Returns true if a finding that names the call of this delegate (an index) saves some of its
 * overhead, so that it overlaps others that do. Operators of its own (ETR_FINDING_LAYOUT,
 * ETR_FINDING_FLOAT_BESIDE) are work, and not overhead, and of waiting only copies are overhead. */
static bool is_about_overhead(const etr_finder *finder, const etr_finding *finding,
                              uint32_t delegate) {
  if (finding->kind == ETR_FINDING_LAYOUT || finding->kind == ETR_FINDING_FLOAT_BESIDE)
    return false;
  return finding->kind != ETR_FINDING_WAITING ||
         finder->delegates[delegate].ticks[ETR_SPENT_COPY] > 0;
}

/* Adds a finding to the sets of its nodes and delegates, and returns the set of earlier findings
 * that are in one of them, which are those that it overlaps. bit: of the finding. */
static uint64_t mark_overlaps(const etr_finder *finder, overlap_marks *marks,
                              const etr_finding *finding, uint64_t bit) {
  uint64_t earlier = 0;
  for (size_t i = 0; i < finding->node_count; i++) {
    uint64_t *of_node = &marks->of_node[finding->nodes[i]];
    earlier |= *of_node;
    *of_node |= bit;
  }
  for (size_t i = 0; i < finding->instruction_count; i++) {
    uint32_t delegate = etr_delegate_at(finder->method, finding->instructions[i]);
    if (delegate == ETR_NONE || !is_about_overhead(finder, finding, delegate))
      continue;
    earlier |= marks->of_delegate[delegate];
    marks->of_delegate[delegate] |= bit;
  }
  return earlier;
}

/* Sets, for each finding about time of every inference, the earlier findings that save some of the
 * same time. Findings behind the first MOST_MARKED have no bit, and so no overlaps. Returns false
 * when out of memory. */
static bool set_overlaps(etr_finder *finder) {
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
    uint64_t earlier = is_counted ? mark_overlaps(finder, &marks, finding, (uint64_t)1 << i) : 0;
    uint32_t *list = etr_arena_alloc_array(finder->arena, MOST_MARKED, sizeof *list);
    for (uint32_t k = 0; list && k < i; k++)
      if (earlier >> k & 1)
        list[finding->overlap_count++] = k;
    finding->overlaps = list;
  }
  return !etr_arena_failed(finder->arena);
}

/* Returns true if interruptions are at least half of the time that a finding's operators took. */
static bool is_mostly_interrupted(const etr_finder *finder, const etr_finding *finding) {
  double typical = 0, uninterrupted = 0;
  for (size_t i = 0; i < finding->node_count; i++) {
    typical += finder->graph->times[finding->nodes[i]].typical;
    uninterrupted += finder->uninterrupted[finding->nodes[i]];
  }
  return typical > 0 && uninterrupted * 2 <= typical;
}

/* Returns true if the runs are few and at least two thirds of the time that a finding's operators
 * take is missing in the fastest run of each: one slow run may then be all of it. */
static bool is_mostly_of_few_runs(const etr_finder *finder, const etr_finding *finding) {
  double typical = 0, least = 0;
  if (finder->method->noise.verdict != ETR_NOISE_FEW_RUNS)
    return false;
  for (size_t i = 0; i < finding->node_count; i++) {
    const etr_node_time *time = &finder->graph->times[finding->nodes[i]];
    typical += time->typical;
    least += time->runs > 0 ? time->per_run.min : 0;
  }
  return typical > 0 && least * 3 <= typical;
}

/* Returns the part, 0 to 1, of the time of a finding's operators that may be one interruption: what
 * the longest one takes beyond the median of those like it, of the same operator and shape. All, 1,
 * if these are fewer than three. */
static double part_beyond_equals(const etr_finder *finder, const etr_finding *finding) {
  enum { LEAST_EQUALS = 3 };
  double *ticks = etr_arena_alloc_array(finder->arena, finding->node_count, sizeof *ticks);
  double whole = 0;
  size_t count = 0;
  for (size_t i = 0; ticks && i < finding->node_count; i++) {
    uint32_t first = finding->nodes[0], node = finding->nodes[i]; /* the longest comes first */
    const etr_node *longest = &finder->graph->nodes[first], *other = &finder->graph->nodes[node];
    bool is_like = etr_slice_equal(finder->ops[first], finder->ops[node]) &&
                   longest->output_count && other->output_count &&
                   etr_finder_has_same_shape(longest->outputs, other->outputs);
    ticks[count] = (double)etr_finder_kernel_ticks(finder, node);
    whole += ticks[count];
    count += is_like;
  }
  if (count < LEAST_EQUALS)
    return whole > 0;
  return whole > 0 ? fmax(ticks[0] - ticks[count / 2], 0) / whole : 0;
}

/* Lowers how sure a finding is if its times are not: to likely if they are estimates or runs differ
 * much, to possible if the runs are too few for a median, or if most of the times was interruptions
 * or is not in each of few runs. Time that was spent once stays as it is, but for a first run: it
 * may be one that was interrupted. */
static void lower_sureness(const etr_finder *finder, etr_finding *finding) {
  bool is_about_model = !finding->is_once && !etr_finding_is_timing(finding->kind);
  /* In so few runs nothing but other operators shows what interruptions took. */
  bool has_no_median = is_about_model && finder->method->run_count < ETR_FINDING_LEAST_RUNS &&
                       finding->potential > 0;
  double sure_part = has_no_median ? 1 - part_beyond_equals(finder, finding) : 1;
  finding->least = sure_part > 0 ? finding->least * sure_part : NAN;
  if (is_about_model && is_mostly_interrupted(finder, finding))
    etr_finding_set_sureness(finding, ETR_POSSIBLE,
                             "its operators were interrupted, which is not counted: measure again");
  else if (is_about_model && is_mostly_of_few_runs(finder, finding))
    etr_finding_set_sureness(finding, ETR_POSSIBLE,
                             "most of it was in some of few runs only: measure again");
  else if (has_no_median)
    etr_finding_set_sureness(finding, ETR_POSSIBLE,
                             etr_arena_format(finder->arena,
                                              "%s%sin so few runs most may be interruptions",
                                              finding->caveat, finding->caveat[0] ? "; " : ""));
  if (finding->sureness < ETR_POSSIBLE && finding->kind == ETR_FINDING_FIRST_RUN &&
      etr_is_unsure(finder->groups, finder->method))
    etr_finding_set_sureness(finding, ETR_POSSIBLE, "the runs differ much: measure again");
  if (finding->sureness == ETR_SURE && !finding->is_once && etr_runs_differ_much(finder->method))
    etr_finding_set_sureness(finding, ETR_LIKELY, "the runs differ much: measure again");
  for (size_t i = 0; i < finding->node_count && finding->sureness == ETR_SURE; i++)
    if (finder->graph->times[finding->nodes[i]].is_estimated && !finding->is_once)
      etr_finding_set_sureness(finding, ETR_LIKELY, "some of the times are estimates");
}

/* Writes a range of saved time, and its share: "Could save 0.24 ms to 0.45 ms, 22.1 % of the
 * typical run". A least that reads like the most is not written. */
static void put_saved_range(etr_writer *writer, const etr_finder *finder,
                            const etr_finding *finding) {
  bool has_least = finding->least > 0;
  const char *least = has_least ? etr_finder_time_text(finder, finding->least) : "";
  const char *most = etr_finder_time_text(finder, finding->potential);
  if (has_least && strcmp(least, most) != 0)
    etr_putf(writer, "Could save %s to %s", least, most);
  else
    etr_putf(writer, "Could save %s%s", has_least ? "" : "up to ", most);
  if (finding->is_once)
    etr_puts(writer, " once");
  if (!isnan(finding->potential_share)) {
    etr_puts(writer, ", ");
    if (has_least && strcmp(least, most) != 0) {
      etr_put_share(writer, finding->least, finder->method->execute.typical);
      etr_puts(writer, " to ");
    }
    etr_put_share(writer, finding->potential_share, 1);
    etr_puts(writer, " of the typical run");
  }
}

/* Sets finding->saving: a sentence about what following the finding could save, how sure that is,
 * and which earlier findings save some of the same time. */
static void set_saving_sentence(const etr_finder *finder, etr_finding *finding) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  if (isnan(finding->cost)) {
    etr_putf(&writer, "It changes results, not times; %s", etr_sureness_text(finding->sureness));
  } else if (finding->cost == 0) {
    etr_puts(&writer, "It saves memory, not time");
  } else if (finding->saves_words) {
    etr_putf(&writer, "It brings %s, not a faster inference", finding->saves_words);
  } else if (isnan(finding->potential)) {
    etr_putf(&writer, "What it could save is not known: a part of %s",
             etr_finder_time_text(finder, finding->cost));
  } else {
    put_saved_range(&writer, finder, finding);
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

/* Returns the place of a finding's subject in the list of findings: 0 for wrong results, which
 * matter more than times; 1 for the model; 2 for the measurement; 3 for time that was spent once.
 */
static int subject_order(const etr_finding *finding) {
  if (finding->kind == ETR_FINDING_INACCURATE)
    return 0;
  if (finding->is_once)
    return 3;
  return etr_finding_is_timing(finding->kind) ? 2 : 1;
}

/* Returns the part of a finding's cost that counts as its saving if that is not known. A tenth, so
 * that advice on most of the time comes before what is known to save next to nothing. Of a lever
 * (a next step, though nothing is wrong) a fiftieth, since what was found to be wrong says more
 * than "do less"; a twentieth if less work of most of the time is needed, which is sure to save a
 * part of it. */
static double assumed_saving(const etr_finding *finding) {
  if (!etr_finding_is_lever(finding->kind))
    return 0.1;
  bool is_most = finding->kind == ETR_FINDING_LESS_WORK && finding->share >= 0.5;
  return is_most ? 0.05 : 0.02;
}

/* Returns what findings are ranked by, in ticks: the middle of the saving, with 0 for a least that
 * is not known (half of it if as likely as not it saves nothing), times how sure it is, as a number
 * from 0.4 to 1. */
static double expected_saving(const etr_finding *finding) {
  static const double weights[] = {
      [ETR_SURE] = 1, [ETR_LIKELY] = 0.7, [ETR_RULE_OF_THUMB] = 0.5, [ETR_POSSIBLE] = 0.4};
  double low = isnan(finding->least) ? 0 : finding->least;
  double high = isnan(finding->potential) ? 0 : finding->potential;
  double middle = (low + high) / 2;
  if (isnan(finding->potential) && !isnan(finding->cost))
    middle = assumed_saving(finding) * finding->cost;
  if (finding->may_save_nothing)
    middle /= 2;
  return middle * weights[finding->sureness];
}

/* Compares findings for qsort(): by subject, by what they save, and then by what they are about, so
 * that no order depends on chance. */
static int by_saving(const void *a, const void *b) {
  const etr_finding *x = a, *y = b;
  if (subject_order(x) != subject_order(y))
    return subject_order(x) - subject_order(y);
  double saving_x = expected_saving(x), saving_y = expected_saving(y);
  if (saving_x != saving_y)
    return saving_x < saving_y ? 1 : -1;
  double high_x = isnan(x->potential) ? 0 : x->potential;
  double high_y = isnan(y->potential) ? 0 : y->potential;
  if (high_x != high_y)
    return high_x < high_y ? 1 : -1;
  if (!isnan(x->cost) && !isnan(y->cost) && x->cost != y->cost)
    return x->cost < y->cost ? 1 : -1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return etr_natural_compare(x->title, y->title);
}

/* Returns a text, cut at the last blank that leaves room for "..." if it has more than `most`
 * bytes; NULL when out of memory. */
static const char *shorten_text(const etr_finder *finder, const char *text, size_t most) {
  if (!text || strlen(text) <= most)
    return text;
  size_t size = most - 3, blank = size;
  while (blank > most / 2 && text[blank] != ' ')
    blank--;
  if (text[blank] == ' ') /* else one name is that long, and is cut */
    size = blank;
  while (((unsigned char)text[size] & 0xC0) == 0x80) /* inside a character of UTF-8 */
    size--;
  return etr_arena_format(finder->arena, "%.*s...", (int)size, text);
}

/* Returns true if another finding says the same more exactly: which runs are slow, beside the
 * operators that took long in one of them. Nor is anything to be said about how runs differ if they
 * may be of several methods. */
static bool is_redundant(const etr_finder *finder, const etr_finding *finding) {
  if (etr_finding_is_timing(finding->kind) && may_be_of_several_methods(finder))
    return true;
  for (size_t i = 0; i < finder->found.count; i++) {
    const etr_finding *other = &finder->found.data[i];
    bool are_slow_runs = other->kind == ETR_FINDING_SLOW_RUNS ||
                         other->kind == ETR_FINDING_PERIODIC ||
                         other->kind == ETR_FINDING_SLOW_OPERATOR;
    if (finding->kind == ETR_FINDING_OUTLIER && are_slow_runs)
      return true;
  }
  return false;
}

/* Removes findings that are redundant. */
static void remove_redundant(etr_finder *finder) {
  size_t kept = 0;
  for (size_t i = 0; i < finder->found.count; i++) {
    etr_finding finding = finder->found.data[i];
    if (!is_redundant(finder, &finding))
      finder->found.data[kept++] = finding;
  }
  finder->found.count = kept;
}

typedef bool rule(etr_finder *finder);

/* Applies rules in this order, each of which adds its findings. Returns false when out of memory.
 */
static bool apply_rules(etr_finder *finder, rule *const *rules, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!rules[i](finder))
      return false;
  return !etr_arena_failed(finder->arena);
}

/* Adds all findings about a method, without an order. Returns false when out of memory. */
static bool add_all_findings(etr_finder *finder) {
  static rule *const of_runs[] = {add_first_run_finding, add_load_finding, etr_add_run_findings};
  /* The first finds out what the other rules read. */
  static rule *const of_graph[] = {
      etr_finder_classify_nodes,  etr_add_partition_findings, etr_add_softmax_check_findings,
      etr_add_constant_findings,  etr_add_copy_findings,      etr_add_pattern_findings,
      etr_add_depthwise_findings, etr_add_branch_findings,    etr_add_decoder_findings,
      etr_add_slow_call_findings, etr_add_outlier_findings,   etr_add_cost_findings,
      etr_add_accuracy_findings};
  /* The lever asks which findings there are. It comes before those about runs, because advice on
   * how to measure is no reason to leave it out. */
  static rule *const of_time[] = {etr_add_kernel_findings, etr_add_float_between_findings,
                                  etr_add_layout_findings, etr_add_delegate_findings,
                                  etr_add_lever_findings};
  /* Several methods share the runs: it is not known which ran, and so not what to change. */
  if (finder->method->shared)
    return apply_rules(finder, of_runs, ETR_COUNT(of_runs));
  if (!etr_finder_measure_delegates(finder))
    return false;
  if (finder->graph && !apply_rules(finder, of_graph, ETR_COUNT(of_graph)))
    return false;
  remove_redundant(finder); /* levers ask which findings remain */
  return apply_rules(finder, of_time, ETR_COUNT(of_time)) &&
         apply_rules(finder, of_runs, ETR_COUNT(of_runs));
}

/* ---- Measuring again ---- */

/* Returns true for a finding about runs or operators that something else on the device may have
 * interrupted. */
static bool is_about_interruptions(etr_finding_kind kind) {
  return kind == ETR_FINDING_OUTLIER || kind == ETR_FINDING_SLOW_RUNS ||
         kind == ETR_FINDING_PERIODIC || kind == ETR_FINDING_SLOW_OPERATOR;
}

/* Returns the first finding of which is_wanted says so for its kind; NULL if there is none. */
static etr_finding *find_by_kind(etr_finder *finder, bool (*is_wanted)(etr_finding_kind kind)) {
  for (size_t i = 0; i < finder->found.count; i++)
    if (is_wanted(finder->found.data[i].kind))
      return &finder->found.data[i];
  return NULL;
}

/* Adds a finding that advises to measure again; set_uncertain_ticks() sets its times. The two texts
 * are kept and not copied. Returns NULL when out of memory. */
static etr_finding *add_measure_again(etr_finder *finder, const char *fact, const char *evidence) {
  etr_finding *added = etr_vec_push(finder->arena, &finder->found);
  if (!added)
    return NULL;
  *added = (etr_finding){.kind = ETR_FINDING_SLOW_RUNS,
                         .title = "Measure again without other load",
                         .fact = fact,
                         .evidence = evidence,
                         .least = NAN,
                         .slope = NAN};
  etr_finding_set_sureness(added, ETR_POSSIBLE,
                           "it is about the device and the measurement, not the model");
  return added;
}

/* Sets the cost and the saving of a finding that advises to measure again: by how many ticks per
 * inference the time may be wrong. */
static void set_uncertain_ticks(const etr_finder *finder, etr_finding *finding, double ticks) {
  double typical = finder->method->execute.typical;
  finding->is_once = false;
  finding->cost = finding->potential = ticks;
  finding->share = finding->potential_share = ticks / typical;
}

/* Makes a finding advise to measure again without interruptions, which take so many ticks of the
 * typical run: the first finding about them, or else a new one. Returns false when out of memory.
 */
static bool advise_against_interruptions(etr_finder *finder, double interrupted_ticks) {
  etr_finding *finding = find_by_kind(finder, is_about_interruptions);
  if (!finding)
    finding = add_measure_again(finder, "",
                                "In these runs an operator takes at least twice what it takes "
                                "alone, and most others do not. Threads that wait for each other "
                                "look the same: try one.");
  if (!finding)
    return false;
  set_uncertain_ticks(finder, finding, interrupted_ticks);
  if (finder->method->are_medians_interrupted) /* usual times are of disturbed runs */
    finding->saves_words = etr_arena_format(finder->arena, "%s or more",
                                            etr_finder_time_text(finder, interrupted_ticks));
  finding->fact = etr_arena_format(
      finder->arena, "operators were interrupted in %zu of %zu runs, for %s of the typical run",
      etr_interruptions_count_runs(finder->arena, finder->method), finder->method->run_count,
      etr_finder_time_text(finder, interrupted_ticks));
  return finding->fact != NULL;
}

/* Sees to it that a finding advises to measure again if interruptions are a part of the typical
 * time, or if runs differ much. Returns false when out of memory. */
static bool advise_to_measure(etr_finder *finder) {
  const etr_method *method = finder->method;
  if (may_be_of_several_methods(finder))
    return true;
  if (finder->groups->interrupted > 0)
    return advise_against_interruptions(finder, finder->groups->interrupted);
  if (!etr_runs_differ_much(method) || find_by_kind(finder, etr_finding_is_timing))
    return true;
  const char *evidence = etr_arena_format(
      finder->arena,
      "The runs take %s to %s. To measure quietly, close other programs, let the device cool, fix "
      "its clock, and record at least 30 runs.",
      etr_finder_time_text(finder, method->execute.min),
      etr_finder_time_text(finder, method->execute.max));
  const char *spread = etr_spread_text(finder->arena, method);
  etr_finding *added = add_measure_again(finder, spread[0] ? spread : "the runs differ much",
                                         evidence);
  if (added)
    set_uncertain_ticks(finder, added, fmax(method->execute.typical - method->execute.p10, 0));
  return added != NULL;
}

/* Returns the index of the finding that advises to measure again, the first one about timing, if
 * interruptions or differing runs make the times unsure; else SIZE_MAX. */
static size_t find_advice(const etr_finder *finder) {
  bool is_unsure = etr_is_unsure(finder->groups, finder->method);
  for (size_t i = 0; is_unsure && i < finder->found.count; i++)
    if (etr_finding_is_timing(finder->found.data[i].kind))
      return i;
  return SIZE_MAX;
}

/* Sets what findings have in the end: texts of limited length, the effort, what they save. What
 * interruptions take is known, but not what differing runs do, and single slow runs are not in the
 * typical run. advice: as find_advice() has it. */
static void finish_findings(etr_finder *finder, size_t advice) {
  for (size_t i = 0; i < finder->found.count; i++) {
    etr_finding *finding = &finder->found.data[i];
    bool is_advice = i == advice && finder->groups->interrupted == 0;
    if (is_advice || (finding->is_once && finding->kind == ETR_FINDING_OUTLIER))
      finding->saves_words = "a surer time";
    finding->title = shorten_text(finder, finding->title, ETR_TITLE_LONGEST);
    finding->fact = shorten_text(finder, finding->fact, ETR_FACT_LONGEST);
    finding->effort = effort_of(finding);
    set_saving_sentence(finder, finding);
  }
}

/* Returns true if some change is known to save at least ETR_FINDING_MUCH of the time, or if a
 * backend records no operators, so that nobody knows what could be saved. */
static bool is_any_large(const etr_finder *finder) {
  for (size_t i = 0; i < finder->found.count; i++) {
    const etr_finding *found = &finder->found.data[i];
    if (found->kind == ETR_FINDING_PROFILER)
      return true;
    bool is_saving_known = !isnan(found->potential);
    if (etr_finding_is_timing(found->kind) ||
        (!is_saving_known && etr_finding_is_lever(found->kind)))
      continue;
    double share = is_saving_known ? found->potential_share : found->share;
    /* Of the time without interruptions, as the findings' thresholds are. */
    share *= finder->method->execute.typical / etr_finder_uninterrupted(finder);
    if (share >= ETR_FINDING_MUCH)
      return true;
  }
  return false;
}

/* Returns true if the time of a finding is clearly more than that of its rows: the calls around
 * kernels, which it includes and they do not, are at least a tenth of it. */
static bool is_any_call_included(const etr_finder *finder) {
  const double clearly = 0.1;
  for (size_t i = 0; finder->graph && i < finder->found.count; i++) {
    const etr_finding *found = &finder->found.data[i];
    uint64_t with_calls = 0, without = 0;
    for (size_t k = 0; k < found->node_count; k++) {
      with_calls += etr_finder_kernel_ticks(finder, found->nodes[k]);
      without += etr_finder_node_ticks(finder, found->nodes[k]);
    }
    if ((double)(with_calls - without) > clearly * (double)with_calls)
      return true;
  }
  return false;
}

const char *etr_findings_note(const etr_findings *findings) {
  if (!findings->is_nothing_large)
    return NULL;
  if (findings->count == 0)
    return "nothing stands out";
  for (size_t i = 0; i < findings->count; i++)
    if (etr_finding_is_timing(findings->list[i].kind))
      return "but for measuring again, no change above is known to save 10 % or more";
  return "no change above is known to save 10 % or more";
}

bool etr_findings_make(etr_findings *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, etr_unit unit) {
  etr_finder finder = {.profile = profile, .method = method, .unit = unit, .arena = arena};
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  *out = (etr_findings){.advice = SIZE_MAX};
  /* NULL: all of the time has a row, and not only that of some nodes. */
  if (!etr_groups_make(&out->groups, arena, profile, method, NULL))
    return false;
  finder.groups = &out->groups;
  if (method->run_count == 0 || method->execute_ticks == 0)
    return true;
  if (graph && graph->times)
    finder.graph = graph;
  if (!etr_finder_measure_nodes(&finder) || !add_all_findings(&finder))
    return false;
  remove_redundant(&finder);
  if (!advise_to_measure(&finder))
    return false;
  for (size_t i = 0; i < finder.found.count; i++)
    lower_sureness(&finder, &finder.found.data[i]);
  /* Overlaps name earlier findings, so the order comes first. */
  etr_sort(finder.found.data, finder.found.count, sizeof *finder.found.data, by_saving);
  if (!set_overlaps(&finder))
    return false;
  out->advice = find_advice(&finder);
  finish_findings(&finder, out->advice);
  out->list = finder.found.data;
  out->count = finder.found.count;
  out->is_nothing_large = !is_any_large(&finder);
  if (is_any_call_included(&finder))
    out->times_note = "times of changes include the calls around kernels, those of rows do not";
  out->delegates = finder.facts;
  return !etr_arena_failed(arena);
}
