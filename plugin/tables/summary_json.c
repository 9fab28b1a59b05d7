/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary_json.c - where each method's time goes, as JSON.
 */
#include "tables/summary_output.h"

#include "output/label.h"
#include "output/node_filter.h"
#include "output/statistics.h"
#include "tables/decoder_output.h"
#include "tables/finding_output.h"
#include "views/groups.h"
#include "views/headline.h"
#include "views/kernels.h"
#include "views/logged.h"
#include "views/phases.h"
#include "views/steadiness.h"

#include <math.h>

/* Returns the share of ticks over all runs in those of Method::execute, which is the share of the
 * averages; NaN if it did not run. */
static double share_of_average_time(const etr_method *method, uint64_t ticks) {
  return method->execute_ticks ? (double)ticks / (double)method->execute_ticks : NAN;
}

/* Returns the share of Method::execute that a time has, by the statistic that ranks. Medians do not
 * add up, so with medians it is that of typical times. NaN: it did not run. */
static double share_by_statistic(const etr_fields *f, const etr_method *method, uint64_t ticks,
                                 double typical) {
  if (etr_ranks_by(f->profile, ETR_STATISTIC_AVG))
    return share_of_average_time(method, ticks);
  return method->execute.typical > 0 ? typical / method->execute.typical : NAN;
}

void etr_summary_put_time(const etr_fields *f, const etr_method *method, uint64_t ticks,
                          double typical) {
  etr_field_ticks(f, "typical", typical);
  etr_field_ticks(f, "avg", etr_ticks_per_run(method, ticks));
  etr_field_number(f, "share", share_by_statistic(f, method, ticks, typical));
}

/* Returns true if some nodes were matched by an estimate. If a backend estimates times, their nodes
 * may still be certain. */
static bool has_estimated_nodes(const etr_method *method) {
  return method->estimated_confidence > 0;
}

/* Writes a sum as a JSON object. */
static void put_sum_object(const etr_fields *f, etr_sum sum) {
  etr_jw_object(f->json);
  etr_sum_put_members(f, &sum);
  etr_jw_end(f->json);
}

/* Writes a list, "by_op" and so on, with the sum of each operator, backend or source line. */
static void put_breakdown_list(const etr_fields *f, const etr_summary *s, etr_breakdown_by by) {
  etr_field_begin_list(f, etr_breakdown_name(by));
  for (size_t i = 0; i < s->by[by].count; i++)
    put_sum_object(f, etr_sum_of(s->method, by, &s->by[by], &s->by[by].rows[i]));
  etr_jw_end(f->json);
}

/* Writes "by_module": a list with the sum of each module's own nodes, and its totals. */
static void put_module_list(const etr_fields *f, const etr_summary *s) {
  etr_field_begin_list(f, etr_breakdown_name(ETR_BY_MODULE));
  for (size_t i = 0; i < s->modules.count; i++)
    put_sum_object(f, etr_sum_of_module(s, &s->modules.rows[i]));
  etr_jw_end(f->json);
}

void etr_summary_put_patterns(const etr_fields *f, const etr_method *method,
                              const etr_module_patterns *patterns) {
  etr_field_begin_list(f, etr_breakdown_name(ETR_BY_PATTERN));
  for (size_t i = 0; i < patterns->count; i++)
    put_sum_object(f, etr_sum_of_pattern(f->profile, method, &patterns->rows[i], true));
  etr_jw_end(f->json);
}

/* Writes "first_run": the time of the first run, its ratio to the typical time of the other runs of
 * its ETDump, and statistics of the others. Writes null if there is no other run. */
static void put_first_run_or_null(const etr_fields *f, const etr_summary *s) {
  etr_jw_key(f->json, "first_run");
  if (s->first_run.rest.count == 0) {
    etr_jw_null(f->json);
    return;
  }
  etr_jw_object(f->json);
  etr_field_ticks(f, "execute", s->first_run.firsts.p50);
  etr_field_number(f, "factor", s->first_run.factor);
  etr_field_begin_object(f, "rest");
  etr_field_stats(f, &s->first_run.rest);
  etr_jw_end(f->json);
  etr_jw_end(f->json);
}

/* Writes parts of delegates' time into a list that was begun, and ends it. name: key of the part,
 * "phase" or "compute_unit". */
static void put_delegate_parts_and_end(const etr_fields *f, const char *name,
                                       const etr_delegate_parts *parts, const etr_method *method) {
  for (size_t i = 0; i < parts->list.count; i++) {
    const etr_delegate_part *part = &parts->list.data[i];
    etr_jw_object(f->json);
    etr_field_text(f, "backend", part->backend);
    etr_field_text(f, name, part->name);
    etr_field_text(f, "text", part->text);
    etr_field_ticks(f, "typical", part->typical);
    etr_field_ticks(f, "avg", etr_ticks_per_run(method, part->ticks));
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

/* Writes "phases" and "compute_units" into an open object. Returns false when out of memory. */
static bool put_phases_and_units(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  etr_delegate_parts phases, units;
  if (!etr_delegate_phases_make(&phases, arena, method) ||
      !etr_compute_units_make(&units, arena, method))
    return false;
  etr_field_begin_list(f, "phases");
  put_delegate_parts_and_end(f, "phase", &phases, method);
  etr_field_begin_list(f, "compute_units");
  put_delegate_parts_and_end(f, "compute_unit", &units, method);
  return true;
}

/* Writes "parts": the parts of Method::execute, which add up to it. */
static void put_part_list(const etr_fields *f, const etr_method *method) {
  etr_field_begin_list(f, "parts");
  for (size_t i = 0; i < method->part_count; i++) {
    const etr_part_time *part = &method->parts[i];
    etr_jw_object(f->json);
    etr_field_text(f, "part", etr_time_part_name(part->part));
    etr_field_text(f, "backend", part->backend);
    etr_field_ticks(f, "typical", part->typical);
    etr_field_ticks(f, "avg", etr_ticks_per_run(method, part->ticks));
    etr_field_number(f, "share", share_by_statistic(f, method, part->ticks, part->typical));
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

/* Writes "by_kernel": the times of each kernel, and of each kind of operator in delegates. Returns
 * false when out of memory. */
static bool put_kernel_list(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  etr_kernels kernels;
  if (!etr_kernels_make(&kernels, arena, f->profile, method))
    return false;
  etr_field_begin_list(f, "by_kernel");
  for (size_t i = 0; i < kernels.count; i++) {
    const etr_kernel_row *row = &kernels.rows[i];
    const etr_stats *stats = &kernels.stats[row->number];
    const etr_sum sum = etr_sum_of_kernel(method, &kernels, row);
    etr_jw_object(f->json);
    etr_field_text(f, "kernel", row->kernel);
    etr_field_text(f, "backend", row->backend);
    etr_field_ticks(f, "typical", stats->typical);
    etr_field_ticks(f, "p50", stats->p50);
    etr_field_ticks(f, "p90", stats->p90);
    etr_field_ticks(f, "avg", etr_ticks_per_run(method, row->ticks));
    etr_field_number(f, "share", etr_sum_share(f->profile, &sum));
    etr_field_count(f, "count", row->event_count);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

/* Writes "filter": what the options --module, --op and --backend take to select some operators,
 * or null for what is on no node. */
static void put_node_filter(const etr_fields *f, const char *pattern, const char *op,
                            const char *backend, bool is_on_nodes) {
  etr_jw_key(f->json, "filter");
  if (!is_on_nodes) {
    etr_jw_null(f->json);
    return;
  }
  etr_jw_object(f->json);
  etr_field_text(f, "module", pattern && pattern[0] ? pattern : NULL);
  etr_field_text(f, "op", op);
  etr_field_text(f, "backend", backend ? backend : "cpu");
  etr_jw_end(f->json);
}

/* Writes a part of the headline, its shares of Method::execute (0 to 1; two, if a clock hides
 * something), and, with has_filter, the filter that shows its nodes, which are in any module
 * (NULL). */
static void put_headline_part(const etr_fields *f, const etr_headline_part *part, bool has_filter) {
  etr_jw_object(f->json);
  etr_field_text(f, "kind", etr_headline_kind_name(part->kind));
  etr_field_text(f, "op", part->op);
  etr_field_text(f, "dtype", part->dtype);
  etr_field_text(f, "backend", part->backend);
  etr_field_count(f, "count", part->count);
  etr_field_number(f, "low", part->low);
  etr_field_number(f, "high", part->high);
  bool is_on_nodes = part->has_graph || part->kind == ETR_HEADLINE_KERNELS;
  if (has_filter)
    put_node_filter(f, NULL, part->op, part->backend, is_on_nodes);
  etr_jw_end(f->json);
}

/* Writes a row of the first screen as an object: what it adds up, its times per inference, and,
 * with has_filter, the filter that shows its nodes. "estimated": some of its time is; "upper": its
 * time is an upper bound. */
static void put_first_screen_row(const etr_fields *f, const etr_groups *groups,
                                 const etr_group *group, bool has_filter) {
  etr_jw_object(f->json);
  etr_field_text(f, "part",
                 group->is_interruptions ? "interruptions" : etr_time_part_name(group->part));
  etr_field_text(f, "phase", etr_phase_name(group->phase));
  etr_field_text(f, "pattern", group->pattern);
  etr_field_text(f, "op", group->op);
  etr_field_text(f, "dtype", group->dtype);
  etr_field_text(f, "backend", group->backend);
  etr_field_count(f, "count", group->count);
  etr_field_ticks(f, "typical", group->stats.typical);
  etr_field_ticks(f, "min", group->stats.min);
  etr_field_ticks(f, "max", group->stats.max);
  etr_field_ticks(f, "each", group->count ? group->stats.typical / (double)group->count : NAN);
  etr_field_ticks(f, "largest", group->largest > 0 ? group->largest : NAN);
  etr_field_ticks(f, "interrupted", group->interrupted);
  etr_field_number(f, "share", groups->whole > 0 ? group->stats.typical / groups->whole : NAN);
  etr_field_flag(f, "estimated", etr_is_estimated(group->estimated, group->stats.typical));
  etr_field_flag(f, "upper", group->hidden > 0);
  if (has_filter)
    put_node_filter(f, group->pattern, group->op, group->backend, group->pattern != NULL);
  etr_jw_end(f->json);
}

/* Writes "modes": the two times of runs if the typical time is neither; else null. */
static void put_modes_or_null(const etr_fields *f, const etr_method *method) {
  etr_jw_key(f->json, "modes");
  if (!etr_is_between_modes(method)) {
    etr_jw_null(f->json);
    return;
  }
  etr_jw_array(f->json);
  for (size_t i = 0; i < ETR_COUNT(method->noise.modes); i++)
    etr_jw_double(f->json, etr_ticks_to_unit(f->profile, method->noise.modes[i].p50, f->unit));
  etr_jw_end(f->json);
}

bool etr_summary_put_first_screen(const etr_fields *f, etr_arena *arena, const etr_method *method,
                                  const etr_groups *groups, bool has_filters) {
  etr_headline headline;
  etr_unit unit = f->unit == ETR_UNIT_CYCLES ? f->unit : etr_unit_of_method(f->profile, method);
  if (!etr_headline_make(&headline, arena, f->profile, method, groups, unit))
    return false;
  etr_jw_key(f->json, "answer");
  if (headline.count) {
    etr_jw_object(f->json);
    etr_field_text(f, "text", headline.text);
    etr_field_number(f, "interrupted", headline.interrupted);
    etr_field_ticks(f, "usual", headline.usual);
    etr_field_flag(f, "measure_again", etr_is_unsure(groups, method));
    put_modes_or_null(f, method);
    etr_field_begin_list(f, "parts");
    for (size_t i = 0; i < headline.count; i++)
      put_headline_part(f, &headline.parts[i], has_filters);
    etr_jw_end(f->json);
    etr_jw_end(f->json);
  } else {
    etr_jw_null(f->json);
  }
  etr_field_begin_list(f, "groups");
  for (size_t i = 0; i < groups->count; i++)
    put_first_screen_row(f, groups, &groups->list[i], has_filters);
  etr_jw_end(f->json);
  return true;
}

/* Writes "accuracy": how far a method's values are from a reference; null if none were compared. */
static void put_accuracy_or_null(etr_answer *answer, const etr_method *method) {
  const etr_profile *profile = answer->profile;
  const etr_accuracy *accuracy = etr_accuracy_of_method(profile->accuracy,
                                                        (uint32_t)(method - profile->methods));
  etr_jw_key(&answer->json, "accuracy");
  if (!accuracy) {
    etr_jw_null(&answer->json);
    return;
  }
  etr_jw_object(&answer->json);
  etr_accuracy_put_head(&answer->fields, &answer->arena, accuracy);
  etr_jw_end(&answer->json);
}

/* Writes "odd_recordings": the ETDumps whose times differ so much from the others that typical
 * times leave them out, and by which part: 0.3 if they are 30 % slower than the others. */
static void put_odd_recordings(const etr_fields *f, const etr_method *method) {
  etr_field_begin_list(f, "odd_recordings");
  for (size_t i = 0; i < method->odd_recording_count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "file", f->profile->etdumps[method->odd_recordings[i].dump]);
    etr_field_number(f, "change", method->odd_recordings[i].change);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
}

/* Writes the summary of a method as an object: Method::execute, noise, the parts of its time, the
 * first screen, and lists by operator, module and so on, of the nodes that the filter takes. Times
 * are per run, and averages where the key names no statistic. Returns false when out of memory. The
 * statistics of Method::execute are null if it was not logged. */
static bool put_method_object(etr_answer *answer, const etr_method *method) {
  const etr_fields *f = &answer->fields;
  etr_summary s;
  if (!etr_summary_make(
          &s, &answer->arena, f->profile, method,
          (etr_summary_choice){answer->filter, f->unit, ETR_ORDER_TIME, ETR_SUMMARY_ALL}))
    return false;
  etr_jw_object(f->json);
  etr_field_method(f, method);
  static const etr_stats unknown = {0};
  etr_field_begin_object(f, "execute");
  etr_field_stats(f, method->is_execute_logged ? &method->execute : &unknown);
  etr_jw_end(f->json);
  put_odd_recordings(f, method);
  etr_field_method_rule(f, method);
  etr_field_put_noise(f, &answer->arena, method, f->unit);
  for (etr_broad_part part = 0; part < ETR_BROAD_PARTS; part++)
    etr_field_ticks(f, etr_broad_part_name(part),
                    etr_ticks_per_run(method, etr_broad_part_ticks(method, part)));
  etr_field_ticks(f, "estimated", etr_ticks_per_run(method, method->estimated_ticks));
  etr_field_ticks(f, "estimated_typical", method->estimated_typical);
  etr_field_number(f, "estimated_confidence",
                   has_estimated_nodes(method) ? method->estimated_confidence : NAN);
  etr_field_ticks(f, "clock_hidden", etr_ticks_per_run(method, method->clock_hidden_ticks));
  etr_field_ticks(f, "clock_hidden_typical", method->clock_hidden_typical);
  put_part_list(f, method);
  if (!etr_summary_put_first_screen(f, &answer->arena, method, &s.findings.groups, true))
    return false;
  etr_field_ticks(f, "filtered", etr_ticks_per_run(method, s.part_ticks));
  etr_field_ticks(f, "filtered_typical", s.part_typical);
  if (!put_phases_and_units(f, &answer->arena, method))
    return false;
  put_first_run_or_null(f, &s);
  put_breakdown_list(f, &s, ETR_BY_OP);
  put_module_list(f, &s);
  etr_summary_put_patterns(f, method, &s.patterns);
  put_breakdown_list(f, &s, ETR_BY_BACKEND);
  put_breakdown_list(f, &s, ETR_BY_SOURCE);
  if (!put_kernel_list(f, &answer->arena, method) ||
      !etr_decoder_put_method(f, &answer->arena, method))
    return false;
  etr_field_put_findings(answer, &s.findings, s.graph);
  etr_field_output_gaps(f, (uint32_t)(method - f->profile->methods));
  put_accuracy_or_null(answer, method);
  etr_jw_end(f->json);
  return true;
}

bool etr_summary_put_load_list(const etr_fields *f, etr_arena *arena) {
  etr_loads loads;
  if (!etr_loads_make(&loads, arena, f->profile))
    return false;
  etr_field_begin_list(f, "load");
  for (size_t i = 0; i < loads.count; i++) {
    etr_jw_object(f->json);
    etr_field_text(f, "event_block_name", loads.list[i].block);
    etr_field_text(f, "event_name", loads.list[i].name);
    etr_field_stats(f, &loads.list[i].stats);
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

etr_status etr_emit_summary_json(const etr_profile *profile, const etr_node_filter *filter,
                                 etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_answer answer;
  etr_answer_begin_ranked_document(&answer, profile, filter, unit, sink, "summary/1");
  etr_answer_put_filter(&answer);
  etr_field_effective_peaks(&answer.fields);
  /* Runs that may be of several methods get the operators that these share. */
  bool good = etr_summary_share(&answer.profile, &answer.arena);
  answer.fields.profile = answer.profile;
  good = good && etr_answer_put_methods(&answer, put_method_object) &&
         etr_summary_put_load_list(&answer.fields, &answer.arena) &&
         etr_decoder_put_profile(&answer.fields, &answer.arena);
  return etr_answer_end(&answer, good, error);
}
