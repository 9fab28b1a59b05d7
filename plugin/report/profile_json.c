/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile_json.c - writes the data of the dashboard and the report as one compact JSON document.
 */
#include "base/method_parts.h"
#include "base/stats.h"
#include "base/system.h"
#include "output/label.h"
#include "output/statistics.h"
#include "report/profile_doc.h"
#include "tables/decoder_output.h"
#include "tables/finding_output.h"
#include "tables/first_screen.h"
#include "tables/summary_output.h"
#include "views/balance.h"
#include "views/delegation.h"
#include "views/headline.h"
#include "views/method_rule.h"
#include "views/module_tree.h"
#include "views/steadiness.h"

#include <stdlib.h>

/* Writes the last folder and the name of a path: they identify the file and do not reveal where it
 * is on the owner's disk. */
static void put_path(const etr_fields *f, const char *path) {
  const char *shown_path = path;
  int slashes = 0;
  for (const char *end = path + strlen(path); end > path && slashes < 2; end--)
    if (etr_is_slash(end[-1]) && ++slashes == 2)
      shown_path = end;
  etr_jw_string(f->json, shown_path);
}

/* Writes the files that the profile was read from. A program in the ETRecord is no file of its own.
 */
static void put_inputs(const etr_fields *f) {
  const etr_profile *profile = f->profile;
  etr_field_begin_list(f, "inputs");
  if (profile->etrecord)
    put_path(f, profile->etrecord);
  for (size_t i = 0; i < profile->etdump_count; i++)
    put_path(f, profile->etdumps[i]);
  if (profile->pte && !profile->pte_entry)
    put_path(f, profile->pte);
  etr_jw_end(f->json);
}

/* Writes each warning as an object of the list that was begun, with its file, entry and message,
 * and whether it is a caution, which the page shows above the times. */
static void put_warning_list(const etr_fields *f, const etr_warning *warnings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    etr_jw_object(f->json);
    etr_jw_key(f->json, "file");
    put_path(f, warnings[i].file);
    etr_field_text(f, "entry", warnings[i].entry);
    etr_field_text(f, "message", warnings[i].message);
    etr_field_flag(f, "is_caution", warnings[i].is_caution);
    etr_jw_end(f->json);
  }
}

/* Writes all warnings: first a note about a clock that counts cycles, in which the page shows them,
 * then those of the profile and of its accuracy. */
static void put_warnings(const etr_fields *f) {
  const etr_accuracy *accuracy = f->profile->accuracy;
  etr_field_begin_list(f, "warnings");
  const etr_warning clock = {"", "", ETR_NO_OFFSET,
                             f->profile->takes_cycles_as_ns ? ETR_CYCLES_HAVE_NO_RATE : NULL, true};
  put_warning_list(f, &clock, clock.message != NULL);
  put_warning_list(f, f->profile->warnings, f->profile->warning_count);
  if (accuracy)
    put_warning_list(f, accuracy->warnings, accuracy->warning_count);
  etr_jw_end(f->json);
}

static etr_cell part_name(const void *row) {
  return etr_cell_text(etr_time_part_name(((const etr_balance_part *)row)->time->part));
}

#define PART(kind, name)                                                                           \
  NULL, kind, ETR_IN_JSON, ETR_VIA(etr_balance_part, time, etr_part_time, name)

static const etr_field balance_fields[] = {
    {"part", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = part_name, .type = "part"},
    {"backend", PART(ETR_CELL_NAME, backend), .nullable = true},
    {"text", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_balance_part, text)},
    {"total", PART(ETR_CELL_TIME, ticks), .says = ETR_SAYS("over all runs")},
    {"typical", PART(ETR_CELL_TIME, typical)},
    {"delegates", PART(ETR_CELL_COUNT, call_count),
     .says = ETR_SAYS("that are called; 0 for other parts")},
};
ETR_ROW_TYPE(balance, balance_fields);

/* Writes how the time of a method is divided into parts, how much of it the coarse clock of a
 * backend hides, in total over its runs and typically per inference, and notes about this. Returns
 * false when out of memory. */
static bool put_balance(etr_profile_doc *doc, const etr_method *method) {
  const etr_fields *f = &doc->fields;
  const char *notes[ETR_BALANCE_MOST_NOTES], *cautions[ETR_BALANCE_MOST_CAUTIONS];
  etr_balance balance;
  const etr_method *timed = etr_times_of_method(f->profile, method).method;
  if (!etr_balance_make(&balance, &doc->arena, f->profile, method))
    return false;
  etr_field_put_rows(f, "balance", &etr_balance_fields, ETR_ROWS(balance.list, balance.count));
  etr_field_ticks(f, "clock_hidden", (double)timed->clock_hidden_ticks);
  etr_field_ticks(f, "clock_hidden_typical", timed->clock_hidden_typical);
  etr_field_flag(f, "logs_values", timed->logs_values);
  size_t caution_count = etr_balance_cautions(cautions, f->profile, method);
  etr_field_texts(f, "cautions", cautions, caution_count);
  /* Cautions are the first of all notes. */
  size_t note_count = etr_balance_notes(notes, &doc->arena, f->profile, method);
  etr_field_texts(f, "notes", notes + caution_count, note_count - caution_count);
  return true;
}

/* Sets is_about for the row of each operator that a finding is about: those that it names, or else
 * all in the delegates that it names by their instructions, which are ascending. */
static void mark_finding_operators(bool *is_about, const etr_profile_operators *ops,
                                   const etr_finding *finding) {
  const etr_node_time *times = ops->graph ? ops->graph->times : NULL;
  for (size_t i = 0; i < finding->node_count; i++)
    if (ops->row_of[finding->nodes[i]] != ETR_NONE)
      is_about[ops->row_of[finding->nodes[i]]] = true;
  if (!times || finding->node_count || !finding->instruction_count)
    return;
  for (size_t row = 0; row < ops->count; row++)
    is_about[row] = bsearch(&times[ops->nodes[row]].delegate_instruction, finding->instructions,
                            finding->instruction_count, sizeof *finding->instructions, etr_by_int);
}

/* Writes the rows of the operators that a finding is about, each as the difference to the one
 * before it. Returns false when out of memory. */
static bool put_operator_steps(etr_profile_doc *doc, const etr_profile_operators *ops,
                               const etr_finding *finding) {
  bool *is_about = etr_arena_alloc_array(&doc->arena, ops->count, sizeof *is_about);
  if (!is_about)
    return false;
  mark_finding_operators(is_about, ops, finding);
  etr_field_begin_list(&doc->fields, "operator_steps");
  for (size_t row = 0, last_row = 0; row < ops->count; row++) {
    if (!is_about[row])
      continue;
    etr_jw_uint(doc->fields.json, row - last_row);
    last_row = row;
  }
  etr_jw_end(doc->fields.json);
  return true;
}

/* Writes the findings about a method: of each what the dashboard shows, not all that is known
 * (false), and the operators that it is about. Then writes the note below them. Returns false when
 * out of memory. */
static bool put_findings(etr_profile_doc *doc, const etr_findings *findings,
                         const etr_profile_operators *ops) {
  const etr_fields *f = &doc->fields;
  etr_field_begin_list(f, "findings");
  for (size_t i = 0; i < findings->count; i++) {
    const etr_finding *finding = &findings->list[i];
    etr_jw_object(f->json);
    etr_finding_put_members(f, finding, false);
    if (!put_operator_steps(doc, ops, finding))
      return false;
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  etr_field_text(f, "findings_note", etr_findings_note(findings));
  etr_field_text(f, "findings_times_note", findings->times_note);
  return true;
}

/* Sets *out to the findings about a method: those that the caller of etr_profile_write() made, or
 * new ones. Returns false when out of memory. */
static bool make_findings(etr_profile_doc *doc, etr_findings *out, const etr_method *method) {
  bool is_known = doc->known && doc->known->method == method;
  if (is_known)
    *out = doc->known->findings;
  return is_known || etr_findings_make(out, &doc->arena, doc->fields.profile, method,
                                       etr_unit_of_method(doc->fields.profile, method));
}

/* ---- Parts of a method ---- */

typedef struct part {
  etr_profile_part part;
  const char *name;
  bool (*put)(etr_profile_doc *doc, const etr_method *method, const etr_profile_operators *ops);
} part;

static const part parts[] = {
    {ETR_PROFILE_TIMELINE, "timeline", etr_profile_put_timeline},
    {ETR_PROFILE_GRAPHS, "graphs", etr_profile_put_graphs},
    {ETR_PROFILE_MEMORY, "memory", etr_profile_put_memory},
    {ETR_PROFILE_ACCURACY, "accuracy", etr_profile_put_accuracy},
    {ETR_PROFILE_RUNS, "per_run", etr_profile_put_runs},
};

/* Returns how to write a part that is an object of a method, such as the timeline. NULL for parts
 * that are not. */
static const part *find_part(etr_profile_part part_bit) {
  for (size_t i = 0; i < ETR_COUNT(parts); i++)
    if (parts[i].part == part_bit)
      return &parts[i];
  return NULL;
}

const char *etr_profile_part_name(etr_profile_part wanted) {
  const part *found = find_part(wanted);
  return found ? found->name : NULL;
}

bool etr_profile_has_part(const etr_profile *profile, const etr_method *method,
                          etr_profile_part wanted) {
  if (wanted == ETR_PROFILE_MEMORY)
    return method->memory != NULL;
  if (wanted == ETR_PROFILE_ACCURACY)
    return etr_accuracy_of_method(profile->accuracy, (uint32_t)(method - profile->methods)) != NULL;
  if (wanted == ETR_PROFILE_GRAPHS)
    return method->graph != ETR_NONE;
  if (wanted == ETR_PROFILE_RUNS && method->graph == ETR_NONE)
    return false;
  return find_part(wanted) && method->run_count > 0;
}

/* Writes the parts of a method's section that were asked for; a part that the method does not have
 * is null. Returns false when out of memory. */
static bool put_parts(etr_profile_doc *doc, const etr_method *method,
                      const etr_profile_operators *ops) {
  bool is_good = true;
  for (size_t i = 0; is_good && i < ETR_COUNT(parts); i++) {
    if (!(doc->parts & parts[i].part))
      continue;
    etr_jw_key(doc->fields.json, parts[i].name);
    if (etr_profile_has_part(doc->fields.profile, method, parts[i].part))
      is_good = parts[i].put(doc, method, ops);
    else
      etr_jw_null(doc->fields.json);
  }
  return is_good;
}

/* ---- Methods ---- */

/* Writes the times of a method's runs, in nanoseconds: statistics per run, the total of all runs,
 * the time of each, the numbers of the runs among those of the profile, the first ones after loads,
 * and the one nearest to typical. */
static void put_run_times(etr_profile_doc *doc, const etr_method *method) {
  const etr_fields *f = &doc->fields;
  etr_field_begin_object(f, "execute");
  etr_field_stats(f, &method->execute);
  etr_field_ticks(f, "total", (double)method->execute_ticks);
  etr_jw_end(f->json);
  etr_field_begin_list(f, "execute_per_run");
  for (size_t i = 0; i < method->run_count; i++)
    etr_profile_put_ns(doc, (double)method->execute_per_run[i]);
  etr_jw_end(f->json);
  etr_field_begin_list(f, "run_numbers");
  for (size_t i = 0; i < method->run_count; i++)
    etr_jw_uint(f->json, method->runs[i]);
  etr_jw_end(f->json);
  etr_field_begin_list(f, "runs_after_load");
  for (size_t i = 0; i < method->run_count; i++)
    if (etr_profile_is_first_run(f->profile, method, i))
      etr_jw_uint(f->json, i);
  etr_jw_end(f->json);
  uint32_t nearest;
  if (etr_profile_nearest_run(&nearest, &doc->arena, f->profile, method))
    etr_field_number(f, "nearest_run", method->run_count ? (double)nearest : NAN);
}

/* Writes "variation": how much the runs vary, before it what recordings take that differ much, and
 * whether to measure again. */
static void put_variation(etr_profile_doc *doc, const etr_method *method,
                          const etr_groups *groups) {
  const etr_profile *profile = doc->fields.profile;
  const char *recordings = etr_or_empty(
      etr_recordings_text(&doc->arena, profile, method, ETR_UNIT_MS));
  const char *variation = etr_variation_text(&doc->arena, profile, method, ETR_UNIT_MS);
  etr_field_text(&doc->fields, "variation",
                 etr_arena_format(&doc->arena, "%s%s%s%s", recordings,
                                  recordings[0] ? " \xC2\xB7 " : "", etr_or_empty(variation),
                                  etr_is_unsure(groups, method) ? ": measure again" : ""));
}

/* Writes everything about a method, and those of its parts that were asked for. "skipped" is the
 * time of excluded runs, such as warm-up. Delegates are all listed (no filter: NULL), with times
 * of the typical run (false: no averages). compared: the method's data for comparisons, never NULL.
 * Returns false when out of memory. */
static bool put_method(etr_profile_doc *doc, const etr_method *method,
                       const etr_side_method *compared) {
  const etr_fields *f = &doc->fields;
  etr_profile_operators ops;
  etr_findings findings;
  etr_module_patterns patterns;
  etr_jw_object(f->json);
  etr_field_method(f, method);
  etr_field_ticks(f, "skipped", (double)method->skipped_ticks);
  put_run_times(doc, method);
  etr_field_put_noise(f, &doc->arena, method, ETR_UNIT_MS);
  etr_field_text(f, "method_note", etr_method_rule_text(&doc->arena, f->profile, method));
  bool is_good = make_findings(doc, &findings, method);
  if (is_good)
    put_variation(doc, method, &findings.groups);
  is_good = is_good && put_balance(doc, method) &&
            etr_summary_put_first_screen(f, &doc->arena, method, &findings.groups, false) &&
            etr_decoder_put_method(f, &doc->arena, method) &&
            etr_delegates_put_list(f, &doc->arena, method, NULL, false);
  is_good = is_good && etr_profile_list_operators(doc, &ops, method, compared) &&
            etr_profile_put_graph(doc, &ops);
  is_good = is_good && etr_module_patterns_of(&patterns, &doc->arena, f->profile, method);
  if (is_good)
    etr_summary_put_patterns(f, method, &patterns);
  etr_profile_put_clocks(doc, method, compared);
  if (doc->parts & ETR_PROFILE_COMPARED)
    is_good = is_good && etr_profile_put_side(doc, method, compared);
  etr_jw_key(f->json, "delegation");
  is_good = is_good && etr_delegation_put_object(f, &doc->arena, method) &&
            put_findings(doc, &findings, &ops) &&
            etr_profile_put_delegates(doc, method, &ops, findings.delegates) &&
            put_parts(doc, method, &ops);
  etr_jw_end(f->json);
  return is_good;
}

bool etr_profile_shows(const etr_method *method) {
  return !method->computes_nothing && (method->graph != ETR_NONE || method->run_count > 0);
}

/* ---- Documents ---- */

void etr_profile_put_schema(const etr_fields *f, const char *schema) {
  etr_field_text(f, "schema", schema);
  etr_field_text(f, "time_unit", etr_unit_name(f->unit));
  etr_field_text(f, "version", etr_version());
  etr_field_number(f, "ticks_per_second", f->profile->ticks_per_second);
}

/* Begins a document, which close_document() ends. `json` and `writer` are the caller's and must
 * live as long. */
static void open_document(etr_profile_doc *doc, etr_jw *json, etr_writer *writer,
                          const etr_profile *profile, const etr_sink *sink) {
  doc->fields = (etr_fields){profile, ETR_UNIT_NS, json};
  etr_map_init(&doc->texts, &doc->arena);
  etr_placer_init(&doc->placer, &doc->arena, profile);
  doc->joined.arena = &doc->arena;
  etr_writer_init(writer, sink);
  etr_jw_init(json, writer, ETR_JW_DOCUMENT);
  etr_jw_object(json);
}

/* Writes the texts to which indices refer, ends the document and frees everything. Returns
 * ETR_ERROR_MEMORY if is_good is false: the document is then incomplete. */
static etr_status close_document(etr_profile_doc *doc, bool is_good, etr_error *error) {
  etr_writer *writer = doc->fields.json->writer;
  etr_field_texts(&doc->fields, "texts", doc->list.data, doc->list.count);
  etr_jw_end(doc->fields.json);
  if (!is_good || etr_arena_failed(&doc->arena) || doc->placer.failed)
    writer->status = ETR_ERROR_MEMORY;
  etr_arena_clear(&doc->arena);
  etr_side_close(doc->side);
  return etr_writer_finish(writer, error);
}

etr_status etr_profile_write(const etr_profile *profile, unsigned wanted,
                             const etr_method_findings *known, const etr_sink *sink,
                             etr_error *error) {
  etr_writer writer;
  etr_jw json;
  etr_profile_doc doc = {.parts = wanted, .known = known};
  const etr_fields *f = &doc.fields;
  bool good = true;
  etr_error_clear(error);
  ETR_TRY((wanted & ETR_PROFILE_COMPARED ? etr_side_open : etr_side_open_clocks)(&doc.side, profile,
                                                                                 error));
  open_document(&doc, &json, &writer, profile, sink);
  etr_profile_put_schema(f, "etrecord-tb/profile/1");
  if (f->profile->takes_cycles_as_ns)
    etr_field_text(f, "shown_unit", etr_unit_name(ETR_UNIT_CYCLES));
  etr_field_text(f, "record", etr_label_record(&doc.arena, profile));
  put_inputs(f);
  etr_field_effective_peaks(f);
  etr_field_begin_list(f, "methods");
  for (size_t i = 0; good && i < profile->method_count; i++)
    if (etr_profile_shows(&profile->methods[i]))
      good = put_method(&doc, &profile->methods[i], &doc.side->methods[i]);
  etr_jw_end(&json);
  good = good && etr_summary_put_load_list(f, &doc.arena) && etr_decoder_put_profile(f, &doc.arena);
  if (wanted & ETR_PROFILE_COMPARED)
    etr_profile_put_record(&doc);
  etr_field_number(f, "least_inside", ETR_LEAST_INSIDE);
  put_warnings(f);
  return close_document(&doc, good, error);
}

etr_status etr_profile_write_section(const etr_profile *profile, const etr_method *method,
                                     etr_profile_part wanted, const etr_sink *sink,
                                     etr_error *error) {
  etr_writer writer;
  etr_jw json;
  etr_profile_doc doc = {.parts = wanted};
  etr_profile_operators ops;
  etr_error_clear(error);
  open_document(&doc, &json, &writer, profile, sink);
  bool good = etr_profile_list_operators(&doc, &ops, method, NULL) && put_parts(&doc, method, &ops);
  return close_document(&doc, good, error);
}

etr_status etr_emit_profile_json(const etr_profile *profile, const etr_sink *sink,
                                 etr_error *error) {
  return etr_profile_write(profile, ETR_PROFILE_ALL, NULL, sink, error);
}
