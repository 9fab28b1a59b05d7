/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record_set.c - takes from one record after the other what a table of records shows, so that only
 * the first one stays open.
 */
#include "views/record_set.h"

#include "etrecord_accuracy.h"
#include "output/label.h"
#include "views/delegation.h"
#include "views/interruptions.h"
#include "views/kernels.h"
#include "views/memory_findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

etr_status etr_record_set_open(etr_record_set **out, const etr_record_set_options *options,
                               etr_error *error) {
  etr_error_clear(error);
  *out = calloc(1, sizeof **out);
  if (!*out)
    return etr_fail_memory(error);
  (*out)->options = *options;
  etr_map_init(&(*out)->row_of, &(*out)->arena);
  etr_status status = etr_verdicts_open(&(*out)->verdicts, &options->compare, error);
  if (status != ETR_OK) {
    etr_record_set_close(*out);
    *out = NULL;
  }
  return status;
}

void etr_record_set_close(etr_record_set *set) {
  if (!set)
    return;
  for (size_t i = 0; i < set->records.count; i++)
    etr_comparison_close(set->records.data[i].comparison);
  for (size_t i = 0; i < set->sides.count; i++)
    etr_side_close(set->sides.data[i]);
  etr_verdicts_close(set->verdicts);
  etr_arena_clear(&set->arena);
  free(set);
}

size_t etr_record_set_limits(const etr_record_set *set, etr_limit_answer answer) {
  size_t count = 0;
  for (size_t i = 0; i < set->records.count; i++)
    for (size_t k = 0; k < set->records.data[i].methods.count; k++) {
      const etr_set_method *method = &set->records.data[i].methods.data[k];
      count += method->change && method->change->base_runs && method->change->new_runs &&
               method->limit == answer;
    }
  return count;
}

const char *etr_record_set_note(const etr_record_set *set, size_t index) {
  return index < set->notes.count ? set->notes.data[index] : NULL;
}

/* ---- Notes ---- */

/* Adds a note; when out of memory, the arena of the set has failed. */
static void add_note(etr_record_set *set, const char *text) {
  const char **note = etr_vec_push(&set->arena, &set->notes);
  if (note)
    *note = text;
}

/* Adds a remark about a record, or none if `what`, its text, is NULL. name: of the record; kind: of
 * the remark, a pointer that remarks with other figures share. A text about several records, in the
 * same group, becomes one remark, so that 200 records do not get 200 lines. When out of memory, the
 * arena has failed. */
static void add_remark(etr_record_set *set, const char *name, const char *kind, const char *what,
                       uint64_t group) {
  etr_set_remark *remark = NULL;
  if (!what)
    return;
  for (size_t i = 0; i < set->remarks.count && !remark; i++) {
    etr_set_remark *existing = &set->remarks.data[i];
    if (existing->group == group && strcmp(existing->what, what) == 0)
      remark = existing;
  }
  if (!remark) {
    remark = etr_vec_push(&set->arena, &set->remarks);
    if (!remark)
      return;
    *remark = (etr_set_remark){.kind = kind, .what = what, .group = group};
  }
  if (remark->last == name) /* another method of the same record */
    return;
  remark->last = name;
  if (remark->count < ETR_NAMED_RECORDS)
    remark->names[remark->count] = name;
  remark->count++;
}

/* Remarks a text that is formatted like etr_arena_format()'s. The format is its kind. */
#define REMARK(set, name, format, ...)                                                             \
  add_remark(set, name, format, etr_arena_format(&(set)->arena, format, __VA_ARGS__), 0)

/* Turns the remarks into notes, those of one kind next to each other. Of each kind a few are
 * written, and how many more there are. */
static void write_notes(etr_record_set *set) {
  enum { MOST_OF_A_KIND = 5 };
  for (size_t i = 0; i < set->remarks.count; i++) {
    const char *kind = set->remarks.data[i].kind;
    bool is_new = true;
    size_t written = 0, left = 0;
    for (size_t k = 0; k < i; k++)
      is_new &= set->remarks.data[k].kind != kind;
    for (size_t k = i; k < set->remarks.count && is_new; k++) {
      const etr_set_remark *remark = &set->remarks.data[k];
      if (remark->kind != kind)
        continue;
      size_t shown = ETR_MIN(remark->count, ETR_NAMED_RECORDS);
      const char *names = written < MOST_OF_A_KIND
                              ? etr_arena_list(&set->arena, remark->names, shown, remark->count)
                              : NULL;
      if (names) {
        add_note(set, etr_arena_format(&set->arena, "%s: %s", names, remark->what));
        written++;
      } else {
        left += remark->count;
      }
    }
    if (left > 0)
      add_note(set,
               etr_arena_format(&set->arena, "%zu more: as the last, with other figures", left));
  }
}

/* Returns a copy of a text in the set's arena; NULL when out of memory. */
static const char *copy_text(etr_record_set *set, const char *text) {
  return etr_arena_text(&set->arena, etr_slice_of(text));
}

/* ---- One record ---- */

/* Adds a record to the set; what is not known of it yet is NaN. Returns NULL when out of memory. */
static etr_set_record *add_record(etr_record_set *set, const char *name, const char *path) {
  etr_set_record *record = etr_vec_push(&set->arena, &set->records);
  if (record)
    *record = (etr_set_record){.name = copy_text(set, name),
                               .path = copy_text(set, path),
                               .pte_bytes = NAN,
                               .planned_bytes = NAN};
  return record;
}

etr_status etr_record_set_add_problem(etr_record_set *set, const char *name, const char *path,
                                      const char *problem, etr_error *error) {
  etr_set_record *record = add_record(set, name, path);
  etr_error_clear(error);
  if (record)
    record->problem = copy_text(set, problem);
  return etr_arena_failed(&set->arena) ? etr_fail_memory(error) : ETR_OK;
}

/* Returns a hash (FNV-1a, eight bytes at once) to which the bits of one more number are added. */
static uint64_t add_to_hash(uint64_t hash, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return (hash ^ bits) * 0x100000001b3u;
}

/* Returns a hash of the times of all runs and items of a side; 0 if no method has runs. Two
 * recordings never took equally long in all of their parts, so records with the same hash are of
 * one recording. */
static uint64_t hash_times(const etr_side *side) {
  uint64_t hash = 0xcbf29ce484222325u;
  size_t count = 0;
  for (size_t i = 0; i < side->profile->method_count; i++) {
    const etr_method *method = &side->profile->methods[i];
    count += method->run_count;
    for (size_t k = 0; k < method->run_count; k++)
      hash = add_to_hash(hash, (double)method->execute_per_run[k]);
    for (size_t k = 0; k < side->methods[i].item_count; k++)
      hash = add_to_hash(hash, side->methods[i].items[k].time.total);
  }
  return count ? hash : 0;
}

double etr_pte_bytes(const etr_profile *profile) {
  return profile->program_memory ? (double)profile->program_memory->file_bytes : (double)NAN;
}

/* Returns a number, or NaN for what no time or count is: 0, a negative number or infinity. */
static double nan_unless_positive(double number) {
  return isfinite(number) && number > 0 ? number : (double)NAN;
}

/* ---- One method ---- */

/* Sets out->low and out->high, in ticks: the range of the recordings' typical times or, of one
 * recording, the 10th and 90th percentile of its runs; NaN for few runs. */
static void set_range(etr_side_figures *out, const etr_method *method,
                      const etr_side_recordings *recordings) {
  enum { LEAST_RUNS = 5 }; /* percentiles of fewer say nothing */
  out->low = out->high = NAN;
  if (recordings->count > 1) {
    for (size_t i = 0; i < recordings->count; i++) {
      out->low = fmin(out->low, recordings->typical[i]);
      out->high = fmax(out->high, recordings->typical[i]);
    }
  } else if (method->run_count >= LEAST_RUNS) {
    out->low = method->execute.p10;
    out->high = method->execute.p90;
  }
}

/* Returns the multiply-accumulates of a method; NaN if they are unknown. */
static double count_macs(const etr_profile *profile, const etr_method *method) {
  etr_cost_sum sum = {0};
  if (method->graph == ETR_NONE)
    return NAN;
  const etr_graph *graph = &profile->graphs[method->graph];
  for (size_t i = 0; i < graph->node_count; i++)
    etr_cost_add(&sum, profile, graph, i);
  return nan_unless_positive(etr_cost_macs(&sum));
}

/* Lowers the method's SNR to that of one more output, which has none if it is equal or if numbers
 * such as NaN differ. Outputs count as equal if this one is and none before had an SNR. */
static void add_output_gap(etr_set_method *out, const etr_numeric_gap *gap) {
  bool is_equal = etr_gap_is_equal(gap);
  double snr = gap->unlike || is_equal ? (double)NAN : gap->snr_db;
  out->are_outputs_equal = is_equal && isnan(out->output_snr_db);
  if (!is_equal)
    out->output_snr_db = fmin(out->output_snr_db, snr);
}

/* Adds how far the outputs of the last record are from the reference of the options to its methods,
 * if there is a reference. It was computed from the graphs of the first record (NULL: of the record
 * itself, if that is the first). profile: of the last record. */
static etr_status add_reference_gaps(etr_record_set *set, const etr_profile *profile,
                                     etr_error *error) {
  etr_set_record *record = &set->records.data[set->records.count - 1];
  const etr_accuracy_options options = {.reference = set->options.reference,
                                        .reference_record = profile == set->first ? NULL
                                                                                  : set->first};
  etr_accuracy *accuracy;
  if (!set->options.reference || profile->debug_value_count == 0)
    return ETR_OK;
  etr_status status = etr_accuracy_open(&accuracy, profile, &options, error);
  if (status != ETR_OK)
    return status;
  const etr_value_accuracy *worst = etr_accuracy_worst_output(accuracy);
  for (size_t i = 0; worst && i < record->methods.count; i++)
    if (strcmp(record->methods.data[i].name, profile->methods[accuracy->method].name) == 0)
      add_output_gap(&record->methods.data[i], &worst->gap);
  for (size_t i = 0; i < accuracy->warning_count; i++)
    REMARK(set, record->name, "%s", accuracy->warnings[i].message);
  etr_accuracy_close(accuracy);
  return ETR_OK;
}

/* Sets a method's output_snr_db to the lowest SNR of its outputs against those that the first
 * record logged, and are_outputs_equal. Outputs that could not be compared do not count. */
static void add_output_gaps(etr_set_method *out, const etr_method_pair *pair) {
  bool has_outputs = false, are_equal = true;
  for (size_t i = 0; i < pair->gap_count; i++) {
    const etr_value_gap *gap = &pair->gaps[i];
    if (gap->problem || !gap->newer->is_output)
      continue;
    has_outputs = true;
    are_equal &= etr_gap_is_equal(&gap->gap);
    add_output_gap(out, &gap->gap);
  }
  out->are_outputs_equal = has_outputs && are_equal;
}

bool etr_side_figures_of(etr_side_figures *out, etr_arena *scratch, const etr_profile *profile,
                         const etr_loads *loads, const etr_side *side, uint32_t index) {
  const etr_method *method = &profile->methods[index];
  etr_delegation delegation;
  etr_first_run first;
  set_range(out, method, &side->methods[index].recordings);
  /* NULL: all operators are counted. */
  if (!etr_delegation_make(&delegation, scratch, profile, method, NULL) ||
      !etr_delegated_time(&out->delegated_time, scratch, method) ||
      !etr_first_run_of(&first, scratch, profile, method))
    return false;
  double nodes = (double)(delegation.delegated_nodes + delegation.non_delegated_nodes);
  out->load = etr_load_of(loads, method);
  out->first_run = nan_unless_positive(first.firsts.p50);
  out->ms_per_token = method->throughput ? method->throughput->ms_per_token : (double)NAN;
  out->delegated_nodes = nodes > 0 ? (double)delegation.delegated_nodes / nodes : (double)NAN;
  out->macs = count_macs(profile, method);
  return true;
}

/* ---- Rows of --by ---- */

/* Adds a time, in ticks of the first record, to the row of a method and a name, in the column of
 * the last record; columns before it without a time get NaN. Returns false when out of memory. */
static bool add_row_time(etr_record_set *set, const char *method, const char *name, double time) {
  etr_arena *arena = &set->arena;
  const char *key = etr_arena_format(arena, "%s\n%s", method, name);
  uint32_t row_index = key ? etr_map_get(&set->row_of, etr_slice_of(key)) : ETR_NONE;
  if (!key)
    return false;
  if (row_index == ETR_NONE) {
    etr_set_row *added = etr_vec_push(arena, &set->rows);
    row_index = (uint32_t)set->rows.count - 1;
    if (!added || !etr_map_set(&set->row_of, etr_slice_of(key), row_index))
      return false;
    *added = (etr_set_row){.method = copy_text(set, method), .name = copy_text(set, name)};
  }
  etr_set_row *row = &set->rows.data[row_index];
  while (row->typical.count < set->records.count) {
    double *typical = etr_vec_push(arena, &row->typical);
    if (!typical)
      return false;
    *typical = NAN;
  }
  double *sum = &row->typical.data[set->records.count - 1];
  *sum = isnan(*sum) ? time : *sum + time;
  row->most = fmax(row->most, *sum);
  return true;
}

double etr_set_row_time(const etr_set_row *row, size_t record) {
  return record < row->typical.count ? row->typical.data[record] : (double)NAN;
}

/* Adds the times of a method's kernels to their rows. scale: ticks of the first record in a tick of
 * this one. Returns false when out of memory. */
static bool add_kernel_rows(etr_record_set *set, etr_arena *scratch, const etr_profile *profile,
                            const etr_method *method, double scale) {
  etr_kernels kernels;
  if (!etr_kernels_make(&kernels, scratch, profile, method))
    return false;
  for (size_t i = 0; i < kernels.count; i++) {
    const etr_kernel_row *row = &kernels.rows[i];
    const char *name = row->backend ? etr_arena_format(scratch, "%s (%s)", row->kernel,
                                                       etr_label_backend(scratch, row->backend))
                                    : row->kernel;
    if (!name || !add_row_time(set, method->name, name, kernels.stats[row->number].typical * scale))
      return false;
  }
  return true;
}

/* Adds the times of a method to the rows that the user wants: of kernels, operators, modules or
 * patterns; to none if records are shown alone. scale: as in add_kernel_rows(). Returns false when
 * out of memory. */
static bool add_rows(etr_record_set *set, etr_arena *scratch, const etr_side *side, uint32_t index,
                     double scale) {
  const etr_method *method = &side->profile->methods[index];
  const etr_side_method *side_method = &side->methods[index];
  const etr_side_sums *const sums[] = {[ETR_RECORDS_BY_OP] = &side_method->ops,
                                       [ETR_RECORDS_BY_MODULE] = &side_method->modules,
                                       [ETR_RECORDS_BY_PATTERN] = &side_method->patterns};
  if (set->options.by == ETR_RECORDS_ALONE || method->run_count == 0)
    return true;
  if (set->options.by == ETR_RECORDS_BY_KERNEL)
    return side->is_of_document || add_kernel_rows(set, scratch, side->profile, method, scale);
  const etr_side_sums *rows = sums[set->options.by];
  for (size_t i = 0; side_method->has_graph && i < rows->count; i++)
    if (rows->rows[i].timed > 0 &&
        !add_row_time(set, method->name, rows->rows[i].key, rows->rows[i].time.typical * scale))
      return false;
  return true;
}

/* ---- The comparison with the first record ---- */

/* Adds remarks on why a method should not be compared with that of the first record: it may be of
 * another model, or inputs or threads differ. Backends and number types differ on purpose, and are
 * not remarked. */
static void remark_differences(etr_record_set *set, const etr_method_pair *pair,
                               const char *record) {
  const char *first = set->records.data[0].name;
  if (pair->may_differ)
    REMARK(set, record, "looks like another model than %s: %zu of %zu timed nodes match", first,
           pair->timed_paired, pair->timed_nodes);
  for (size_t i = 0; i < pair->difference_count; i++) {
    const etr_difference *difference = &pair->differences[i];
    if (difference->kind == ETR_DIFFERS_INPUT)
      REMARK(set, record, "input %s is %s, and %s in %s", etr_or_empty(difference->name),
             difference->newer ? difference->newer : "missing",
             difference->base ? difference->base : "missing", first);
    if (difference->kind == ETR_DIFFERS_THREADS)
      REMARK(set, record, "threads: %s, and %s in %s", etr_or_empty(difference->newer),
             etr_or_empty(difference->base), first);
  }
}

/* Returns the method of a record with this name; NULL if it has none. */
static etr_set_method *find_method(const etr_set_record *record, const char *name) {
  for (size_t i = 0; i < record->methods.count; i++)
    if (strcmp(record->methods.data[i].name, name) == 0)
      return &record->methods.data[i];
  return NULL;
}

/* Adds the changes of the last record's methods to the verdicts, which are judged when all records
 * are there, and the differences of their inputs and outputs to the set. */
static etr_status add_changes(etr_record_set *set, etr_comparison *comparison, etr_error *error) {
  etr_set_record *record = &set->records.data[set->records.count - 1];
  etr_status status = ETR_OK;
  set->recording_noise = comparison->recording_noise;
  record->turns = comparison->turns;
  for (size_t i = 0; status == ETR_OK && i < comparison->method_count; i++) {
    const etr_method_pair *pair = &comparison->methods[i];
    if (pair->new_method == ETR_NONE || pair->base_method == ETR_NONE)
      continue;
    etr_set_method *method = find_method(record, comparison->newer->methods[pair->new_method].name);
    if (!method)
      continue;
    status = etr_verdicts_add(set->verdicts, comparison, i, &method->verdict, error);
    method->verdict++; /* 0 means that there is none */
    remark_differences(set, pair, record->name);
    if (!set->options.reference)
      add_output_gaps(method, pair);
  }
  return status;
}

/* Compares the last record with the first. If the two cannot be compared, that is a remark, and the
 * status is ETR_OK. */
static etr_status compare_last(etr_record_set *set, const etr_side *side, etr_error *error) {
  etr_set_record *record = &set->records.data[set->records.count - 1];
  etr_comparison *comparison;
  etr_status status = etr_compare_sides(&comparison, set->base, side, &set->options.compare, error);
  if (status == ETR_ERROR_CHOICE) { /* documents, of which only one has a graph */
    REMARK(set, record->name, "%s", error->message);
    etr_error_clear(error);
    return ETR_OK;
  }
  if (status != ETR_OK)
    return status;
  status = add_changes(set, comparison, error);
  if (set->options.keeps_comparisons)
    record->comparison = comparison;
  else
    etr_comparison_close(comparison);
  return status;
}

/* ---- Adding a record ---- */

/* Returns true if the set shows a method: it computes something, has the name of the options if
 * they have one, and ran, unless no method of the record did. */
static bool is_shown(const etr_record_set *set, const etr_profile *profile,
                     const etr_method *method) {
  size_t runs = 0;
  for (size_t i = 0; i < profile->method_count; i++)
    runs += profile->methods[i].run_count;
  if (method->computes_nothing || (runs > 0 && method->run_count == 0))
    return false;
  return !set->options.method || strcmp(method->name, set->options.method) == 0;
}

/* Adds the methods of the last record, with times in ticks of the first one. Returns false when out
 * of memory. */
static bool add_methods(etr_record_set *set, const etr_side *side, etr_arena *scratch) {
  const etr_profile *profile = side->profile;
  etr_set_record *record = &set->records.data[set->records.count - 1];
  double scale = set->first->ticks_per_second / profile->ticks_per_second;
  etr_loads loads = {0};
  if (!side->is_of_document && !etr_loads_make(&loads, scratch, profile))
    return false;
  for (uint32_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    etr_side_figures figures = side->methods[i].figures;
    if (!is_shown(set, profile, method))
      continue;
    if (!side->is_of_document && !etr_side_figures_of(&figures, scratch, profile, &loads, side, i))
      return false;
    figures.low *= scale;
    figures.high *= scale;
    figures.load *= scale;
    figures.first_run *= scale;
    bool has_times = method->run_count > 0;
    etr_set_method *added = etr_vec_push(&set->arena, &record->methods);
    if (!added || !add_rows(set, scratch, side, i, scale))
      return false;
    *added = (etr_set_method){.name = copy_text(set, method->name),
                              .typical = has_times ? side->methods[i].execute.typical * scale
                                                   : (double)NAN,
                              .figures = figures,
                              .output_snr_db = NAN,
                              .runs = method->run_count,
                              .recordings = side->methods[i].recordings.count};
  }
  return true;
}

/* Returns true if a method that ran has a graph, whose operators are rows. */
static bool has_graph(const etr_side *side) {
  for (size_t i = 0; i < side->profile->method_count; i++)
    if (side->profile->methods[i].run_count && side->methods[i].has_graph)
      return true;
  return false;
}

/* Adds what the table shows of the last record, by its side of a comparison, which the set closes:
 * at once, or in the end if it is the first record or comparisons are kept. profile: of the record,
 * or NULL: the side was made of a document, which has no logged values. */
static etr_status add_side(etr_record_set *set, etr_side *side, const etr_profile *profile,
                           etr_error *error) {
  etr_arena scratch = {0};
  etr_status status = ETR_OK;
  bool stays_open = !set->first || set->options.keeps_comparisons;
  etr_side **kept = stays_open ? etr_vec_push(&set->arena, &set->sides) : NULL;
  if (stays_open && !kept) {
    etr_side_close(side);
    return etr_fail_memory(error);
  }
  if (kept)
    *kept = side;
  if (!set->first) {
    set->first = side->profile;
    if (set->options.by == ETR_RECORDS_BY_OP && !has_graph(side) && profile)
      set->options.by = ETR_RECORDS_BY_KERNEL;
  }
  if (side->profile->takes_cycles_as_ns != set->first->takes_cycles_as_ns) {
    set->clocks_differ = true;
    REMARK(set, set->records.data[set->records.count - 1].name,
           "times cannot be compared with those of %s: the clock of one counts cycles, of which 1 "
           "is taken as 1 ns",
           set->records.data[0].name);
  }
  set->records.data[set->records.count - 1].content = hash_times(side);
  if (!add_methods(set, side, &scratch) || etr_arena_failed(&set->arena))
    status = etr_fail_memory(error);
  if (status == ETR_OK && profile)
    status = add_reference_gaps(set, profile, error);
  if (status == ETR_OK && set->base)
    status = compare_last(set, side, error);
  if (set->records.count == 1)
    set->base = side;
  etr_arena_clear(&scratch);
  if (!stays_open)
    etr_side_close(side);
  return status;
}

/* Remarks which methods of the last record had interrupted runs, whose times count as they are. */
static void note_interruptions(etr_record_set *set, const etr_profile *profile) {
  etr_arena scratch = {0};
  for (size_t i = 0; i < profile->method_count; i++) {
    const char *text = etr_interrupted_text(&scratch, profile, &profile->methods[i]);
    if (text)
      REMARK(set, set->records.data[set->records.count - 1].name, "runs of %s: %s",
             etr_label_method(profile->methods[i].name), text);
  }
  if (etr_arena_failed(&scratch))
    etr_arena_fail(&set->arena);
  etr_arena_clear(&scratch);
}

etr_status etr_record_set_add(etr_record_set *set, const etr_profile *profile, const char *name,
                              const char *path, etr_error *error) {
  etr_side *side;
  ETR_TRY(etr_side_open(&side, profile, error));
  etr_set_record *record = add_record(set, name, path);
  if (!record) {
    etr_side_close(side);
    return etr_fail_memory(error);
  }
  record->planned_bytes = etr_planned_bytes(profile);
  record->pte_bytes = etr_pte_bytes(profile);
  note_interruptions(set, profile);
  return add_side(set, side, profile, error);
}

etr_status etr_record_set_add_document(etr_record_set *set, const etr_document *document,
                                       etr_error *error) {
  etr_side *side;
  ETR_TRY(etr_side_read(&side, document->text, document->size, document->name, error));
  etr_set_record *record = add_record(set, etr_or_empty(document->name),
                                      etr_or_empty(document->name));
  if (!record) {
    etr_side_close(side);
    return etr_fail_memory(error);
  }
  record->planned_bytes = side->planned_bytes;
  record->pte_bytes = side->pte_bytes;
  return add_side(set, side, NULL, error);
}

/* ---- When all records are there ---- */

/* Adds remarks on methods that only a record or only the first record has, and on a record without
 * times. A method with a verdict was compared, so there is nothing to say. The two remarks without
 * figures are their own kind, in group 0, where the same text about several records is one remark.
 */
static void remark_methods(etr_record_set *set, const etr_set_record *record) {
  static const char no_times[] = "no times, since there is no ETDump with runs",
                    unknown[] = "it is not known which method ran, so it is compared with none";
  const etr_set_record *first = &set->records.data[0];
  size_t timed = 0;
  for (size_t i = 0; i < record->methods.count; i++) {
    const etr_set_method *method = &record->methods.data[i];
    timed += method->runs > 0;
    if (method->verdict || record == first || !set->base)
      continue;
    if (method->name[0])
      REMARK(set, record->name, "%s has no method %s", first->name, method->name);
    else
      add_remark(set, record->name, unknown, unknown, 0);
  }
  if (timed == 0)
    add_remark(set, record->name, no_times, no_times, 0);
  for (size_t i = 0; record != first && i < first->methods.count; i++)
    if (first->methods.count > 1 && !find_method(record, first->methods.data[i].name))
      REMARK(set, record->name, "no method %s", etr_label_method(first->methods.data[i].name));
}

/* Adds remarks on records whose times are all equal: they are the same recording. The hash of the
 * times is the group, so that records of one recording share a remark. */
static void remark_same_recordings(etr_record_set *set) {
  static const char what[] = "the same recordings, since all their times are equal";
  for (size_t i = 0; i < set->records.count; i++) {
    const etr_set_record *record = &set->records.data[i];
    size_t same_count = 0;
    for (size_t k = 0; k < set->records.count; k++)
      same_count += set->records.data[k].content == record->content;
    if (record->content && same_count > 1)
      add_remark(set, record->name, what, what, record->content);
  }
}

/* Adds remarks on a record if more than a tenth of its time is in no row, or in rows that the first
 * record (index 0) does not have. index: of the record. */
static void remark_time_outside_rows(etr_record_set *set, size_t index) {
  static const double MUCH = 0.1; /* of the record's time: less is not worth a remark */
  const etr_set_record *record = &set->records.data[index];
  double whole_time = 0, listed_time = 0, shared_time = 0;
  size_t timed = 0;
  for (size_t i = 0; i < record->methods.count; i++) {
    whole_time += record->methods.data[i].runs ? record->methods.data[i].typical : 0;
    timed += record->methods.data[i].runs > 0;
  }
  for (size_t i = 0; i < set->rows.count; i++) {
    double time = etr_set_row_time(&set->rows.data[i], index);
    listed_time += isnan(time) ? 0 : time;
    shared_time += isnan(time) || isnan(etr_set_row_time(&set->rows.data[i], 0)) ? 0 : time;
  }
  if (!(whole_time > 0))
    return;
  if (listed_time == 0)
    REMARK(set, record->name, "no rows: %s",
           set->options.by == ETR_RECORDS_BY_KERNEL ? "no kernels were recorded"
                                                    : "there is no graph, or no operator was "
                                                      "recorded");
  else if (1 - listed_time / whole_time > MUCH)
    REMARK(set, record->name,
           "%.0f %% of the time%s is in no row: calling delegates, delegates that record no "
           "operators, the runtime",
           100 * (1 - listed_time / whole_time), timed > 1 ? " of all methods" : "");
  if (index > 0 && set->base && listed_time > 0 && 1 - shared_time / listed_time > MUCH)
    REMARK(set, record->name, "%.0f %% of the time in rows is in rows that %s does not have",
           100 * (1 - shared_time / listed_time), set->records.data[0].name);
}

/* Compares rows for qsort(): by their longest time in any record, the longest first. */
static int by_longest_time(const void *a, const void *b) {
  const etr_set_row *x = a, *y = b;
  if (x->most != y->most)
    return x->most < y->most ? 1 : -1;
  return strcmp(x->name, y->name);
}

/* Gives the methods of a kept comparison the changes of the set, which judges all records together,
 * so that both say the same. They go into a copy, since a comparison's pairs are constant. */
static void set_verdicts_of_comparison(etr_record_set *set, const etr_set_record *record) {
  etr_comparison *comparison = record->comparison;
  etr_method_pair *pairs = etr_arena_alloc_array(&set->arena, comparison->method_count,
                                                 sizeof *pairs);
  for (size_t i = 0; pairs && i < comparison->method_count; i++) {
    pairs[i] = comparison->methods[i];
    if (pairs[i].new_method == ETR_NONE || pairs[i].base_method == ETR_NONE)
      continue;
    const char *name = comparison->newer->methods[pairs[i].new_method].name;
    const etr_set_method *method = find_method(record, name);
    if (method && method->change)
      pairs[i].execute = *method->change;
  }
  if (pairs)
    comparison->methods = pairs;
}

const etr_comparison *etr_record_set_comparison(const etr_record_set *set, size_t record) {
  return record < set->records.count ? set->records.data[record].comparison : NULL;
}

etr_status etr_record_set_finish(etr_record_set *set, etr_error *error) {
  etr_status status = etr_verdicts_judge(set->verdicts, error);
  if (status != ETR_OK)
    return status;
  if (set->records.count > 0 && !set->base)
    add_note(set,
             etr_arena_format(&set->arena,
                              "%s, the base of all verdicts, could not be read: there are none",
                              set->records.data[0].name));
  for (size_t i = 0; i < set->records.count; i++) {
    etr_set_record *record = &set->records.data[i];
    for (size_t k = 0; k < record->methods.count; k++) {
      etr_set_method *method = &record->methods.data[k];
      if (!method->verdict)
        continue;
      method->change = etr_verdicts_change(set->verdicts, method->verdict - 1);
      method->limit = etr_verdicts_against_limit(set->verdicts, method->verdict - 1);
    }
    if (record->comparison)
      set_verdicts_of_comparison(set, record);
    if (record->problem)
      continue;
    remark_methods(set, record);
    if (set->options.by != ETR_RECORDS_ALONE)
      remark_time_outside_rows(set, i);
  }
  remark_same_recordings(set);
  write_notes(set);
  etr_sort(set->rows.data, set->rows.count, sizeof *set->rows.data, by_longest_time);
  return etr_arena_failed(&set->arena) ? etr_fail_memory(error) : ETR_OK;
}
