/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opened_record.c - reads a record, its program and its weights, and indexes the nodes of its
 * methods.
 */
#include "profile/opened_record.h"

#include "base/file.h"
#include "formats/json.h"
#include "inputs/flat_tensor.h"
#include "inputs/held_buffers.h"
#include "inputs/program.h"
#include "inputs/program_values.h"
#include "join/cost.h"
#include "join/module_pattern.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { DEFAULT_MAX_FILE_GIB = 1 }; /* limit on a file that is read whole and kept in memory */

typedef struct reader {
  etr_opened_record *out;
  etr_arena *arena;
  const etr_inputs *inputs;
  const etr_options *options;
  etr_map method_by_name;
} reader;

/* Returns the limit on the size of the next file. */
static uint64_t most_bytes(const etr_opened_record *out) {
  return ETR_MIN(out->max_file_bytes, out->budget.left[ETR_BYTES]);
}

/* Reads the .pte inside the ETRecord. A damaged one is left out with a warning, like any other
 * entry, if the record has graphs; else it is an error, as lack of memory is. */
static etr_status read_own_program(reader *r, const etr_pte_limits *limits, etr_error *error) {
  etr_opened_record *out = r->out;
  etr_error failure;
  const char *record = r->inputs->etrecord, *entry = out->record.pte_entry;
  etr_status status = etr_pte_read_entry(&out->pte, r->arena, record, entry, limits, &failure);
  if (status == ETR_ERROR_FORMAT && out->record.graph_count > 0) {
    etr_warn(&out->warnings, record, entry, failure.offset, "%s; left out", failure.message);
    etr_file_clear(&out->pte.file);
    out->pte = (etr_pte){0};
    return ETR_OK;
  }
  if (status != ETR_OK && error)
    *error = failure;
  out->profile.pte = out->profile.etrecord;
  out->profile.pte_entry = entry;
  return status;
}

/* Reads the .pte that was given, or else the one in the ETRecord, if any. Fails if it cannot be
 * read, or when out of memory. */
static etr_status read_program(reader *r, etr_error *error) {
  etr_opened_record *out = r->out;
  const etr_pte_limits limits = {.max_bytes = most_bytes(out),
                                 .max_delegates = r->options->max_delegates};
  if (r->inputs->pte) {
    out->profile.pte = etr_arena_copy(r->arena, etr_slice_of(r->inputs->pte));
    ETR_TRY(etr_pte_read_file(&out->pte, r->arena, r->inputs->pte, &limits, error));
  } else if (out->record.pte_entry) {
    ETR_TRY(read_own_program(r, &limits, error));
  }
  etr_warn_of_cut_names(&out->warnings, out->profile.pte, out->profile.pte_entry, &out->pte.cut);
  out->profile.is_bundled = out->pte.is_bundled;
  out->profile.test_sets = out->pte.test_sets;
  out->profile.test_set_count = out->pte.test_set_count;
  return ETR_OK;
}

/* Reads the ETRecord, if there is one, as far as the options want it (Edge graphs alone, no
 * sources), and warns of what it lacks. Fails if it cannot be read, or when out of memory. */
static etr_status read_record(reader *r, etr_error *error) {
  etr_opened_record *out = r->out;
  etr_record_limits limits = {.budget = &out->budget,
                              .edge_only = out->edge_only,
                              .no_sources = (out->without & ETR_WITHOUT_SOURCES) != 0,
                              .source_root = r->options->source_root};
  if (!r->inputs->etrecord)
    return ETR_OK;
  ETR_TRY(
      etr_record_read(&out->record, r->arena, r->inputs->etrecord, &limits, &out->warnings, error));
  etr_record_warn_of_missing(&out->record, r->inputs->etrecord, &out->warnings);
  out->profile.etrecord = etr_arena_copy(r->arena, etr_slice_of(r->inputs->etrecord));
  out->profile.export_graph_id = out->record.export_graph_id;
  out->profile.unknown_entries = out->record.unknown_entries;
  out->profile.unknown_entry_count = out->record.unknown_entry_count;
  out->profile.has_reference_outputs = out->record.has_reference_outputs;
  out->profile.has_representative_inputs = out->record.has_representative_inputs;
  return ETR_OK;
}

/* Sets the pattern of each module of a graph, such as "layers.*.norm" for modules that repeat, in a
 * copy of the modules. Returns false when out of memory. */
static bool set_module_patterns(etr_graph *graph, etr_arena *arena) {
  etr_module *modules = etr_arena_alloc_array(arena, graph->module_count, sizeof *modules);
  etr_arena scratch;
  etr_map strings;
  if (!modules)
    return false;
  if (graph->module_count == 0)
    return true;
  memcpy(modules, graph->modules, graph->module_count * sizeof *modules);
  graph->modules = modules;
  etr_arena_init(&scratch);
  etr_map_init(&strings, arena);
  bool good = etr_module_patterns_set(modules, graph->module_count, &strings, &scratch);
  etr_arena_clear(&scratch);
  return good;
}

/* Sets how many bytes, nodes and events may be read: the limits of the options, or the defaults
 * where these are 0. */
static void set_budget(etr_opened_record *out, const etr_options *options) {
  out->max_file_bytes = options->max_bytes ? options->max_bytes
                                           : (uint64_t)DEFAULT_MAX_FILE_GIB << 30;
  etr_budget_set(&out->budget, ETR_BYTES, options->max_bytes);
  etr_budget_set(&out->budget, ETR_NODES, options->max_nodes);
  etr_budget_set(&out->budget, ETR_EVENTS, options->max_events);
}

/* ---- Methods ---- */

/* Returns the entry of a method by its name; adds one that has only the name if there is none yet.
 * NULL when out of memory. */
static etr_method_inputs *find_or_add_method(reader *r, const char *name) {
  uint32_t found = etr_map_get(&r->method_by_name, etr_slice_of(name));
  if (found != ETR_NONE)
    return &r->out->methods.data[found];
  etr_method_inputs *added = etr_vec_push(r->arena, &r->out->methods);
  if (!added ||
      !etr_map_set(&r->method_by_name, etr_slice_of(name), (uint32_t)(r->out->methods.count - 1)))
    return NULL;
  *added = (etr_method_inputs){.name = name};
  return added;
}

/* Lists every method that the .pte, the delegate maps or an Edge graph names, in this order, with
 * what each of them says about it. Indexes the nodes of their graphs, and finds out whether and why
 * the work of their runs varies, and how much they multiply per inference by the Edge graph.
 * Returns false when out of memory. */
static bool collect_methods(reader *r) {
  etr_opened_record *out = r->out;
  for (size_t i = 0; i < out->pte.method_count; i++) {
    etr_method_inputs *method = find_or_add_method(r, out->pte.methods[i].name);
    if (!method)
      return false;
    method->program = &out->pte.methods[i];
  }
  for (size_t i = 0; i < out->record.method_count; i++) {
    etr_method_inputs *method = find_or_add_method(r, out->record.methods[i].name);
    if (!method)
      return false;
    method->map = &out->record.methods[i];
  }
  for (size_t i = 0; i < out->record.graph_count; i++) {
    if (strcmp(out->record.graphs[i].module, "edge") != 0)
      continue;
    etr_method_inputs *method = find_or_add_method(r, out->record.graphs[i].method);
    if (!method)
      return false;
    method->graph = &out->record.graphs[i];
    out->edge_graph_count++;
  }
  for (size_t i = 0; i < out->methods.count; i++) {
    etr_method_inputs *method = &out->methods.data[i];
    if (!etr_method_index_nodes(method, r->arena))
      return false;
    method->varies = etr_method_work_varies(method);
    method->macs = method->graph ? etr_macs_of_graph(method->graph) : ETR_UNKNOWN;
  }
  return true;
}

/* Warns if the program and the ETRecord are of different exports: of all delegate calls of a
 * method, fewer than half are in both the program and the record's delegate map; or its graph and
 * the program differ. Calls in bodies of cond, map and scan count only if the map has them, because
 * it does not have to. Warns of one graph of which the program lacks operators. */
static void warn_of_other_program(etr_opened_record *out) {
  const char *lacks = NULL;
  for (size_t i = 0; i < out->methods.count && out->record.has_delegate_map; i++) {
    const etr_map_method *map = out->methods.data[i].map;
    const etr_pte_method *program = out->methods.data[i].program;
    const etr_graph *graph = out->methods.data[i].graph;
    size_t calls = 0, mapped = 0, shared = 0;
    const bool *is_in_body = map && program ? etr_pte_find_bodies(program, &out->arena) : NULL;
    for (size_t k = 0; map && k < map->instruction_count; k++)
      mapped += map->instructions[k].is_delegate;
    for (size_t k = 0; is_in_body && k < program->instruction_count; k++) {
      const etr_pte_delegate *delegate = etr_delegate_of(program, &program->instructions[k]);
      const etr_map_instruction *map_entry = delegate ? etr_maps_find(map, (int32_t)k) : NULL;
      calls += delegate && (map_entry || !is_in_body[k]);
      if (!map_entry || !map_entry->is_delegate)
        continue;
      shared += !map_entry->backend || strcmp(map_entry->backend, delegate->backend) == 0;
    }
    const char *unlike = graph && program ? etr_program_unlike(graph, program, &out->arena) : NULL;
    size_t in_either = calls + mapped - shared;
    if (program && 2 * shared < in_either)
      etr_warn(&out->warnings, out->profile.pte, out->profile.pte_entry, ETR_NO_OFFSET,
               "this program is of another export than the ETRecord: they agree on %zu of %zu "
               "delegate calls of method %s; give the .pte that was exported with the record",
               shared, in_either, program->name);
    else if (unlike)
      etr_warn(&out->warnings, out->profile.pte, out->profile.pte_entry, ETR_NO_OFFSET,
               "this program is of another export than the ETRecord: %s", unlike);
    else if (program && graph && !lacks)
      lacks = etr_program_lacks(graph, program, &out->arena);
  }
  if (lacks)
    etr_caution(&out->warnings, out->profile.etrecord, NULL, ETR_NO_OFFSET, "%s", lacks);
}

/* Warns about Edge graphs that were changed after they were lowered, so that their debug handles
 * prove nothing. */
static void warn_of_changed_programs(etr_opened_record *out) {
  for (size_t i = 0; i < out->methods.count; i++) {
    const etr_graph *graph = out->methods.data[i].graph;
    if (!graph || !graph->is_changed)
      continue;
    etr_caution(&out->warnings, out->profile.etrecord, graph->entry, ETR_NO_OFFSET,
                "%s. Until then kernels get the node that the program's order gives them, or none",
                ETR_CHANGED_PROGRAM);
  }
}

/* ---- Weights ---- */

/* Reads which external weights the .ptd files have. A file that cannot be read is left out with a
 * warning: no time and no node depends on it. Fails when out of memory. */
static etr_status read_weights(reader *r, etr_error *error) {
  etr_opened_record *out = r->out;
  size_t count = r->inputs->weight_count;
  etr_weights *weights = etr_arena_alloc_array(r->arena, count, sizeof *weights);
  out->profile.weights = weights;
  for (size_t i = 0; weights && i < count; i++) {
    const char *path = etr_arena_copy(r->arena, etr_slice_of(r->inputs->weights[i]));
    etr_error failure;
    if (!path)
      return etr_fail_memory(error);
    etr_weights *slot = &weights[out->profile.weight_count];
    if (etr_flat_tensor_read(slot, path, most_bytes(out), &failure) == ETR_OK)
      out->profile.weight_count++;
    else
      etr_warn(&out->warnings, path, NULL, failure.offset, "%s; left out", failure.message);
  }
  return weights ? ETR_OK : etr_fail_memory(error);
}

/* ---- Names of files ---- */

/* Kinds of files that have an ending of their own. */
typedef enum file_kind { FILE_ETRECORD, FILE_ETDUMP, FILE_PROGRAM, FILE_WEIGHTS } file_kind;

/* Warns if the ending of a file's name says another kind than its content, which counts. A path of
 * NULL is no file. */
static void warn_of_ending(etr_opened_record *out, const char *path, file_kind kind) {
  static const struct {
    const char *ending;
    file_kind kind;
  } endings[] = {{".etrecord", FILE_ETRECORD}, {".etdp", FILE_ETDUMP},  {".etdump", FILE_ETDUMP},
                 {".pte", FILE_PROGRAM},       {".bpte", FILE_PROGRAM}, {".ptd", FILE_WEIGHTS}};
  static const char *const names[] = {"an ETRecord", "an ETDump", "a program (.pte)",
                                      "external weights (.ptd)"};
  for (size_t i = 0; path && i < ETR_COUNT(endings); i++)
    if (endings[i].kind != kind &&
        etr_slice_ends(etr_slice_of(path), etr_slice_of(endings[i].ending)))
      etr_warn(&out->warnings, path, NULL, ETR_NO_OFFSET,
               "is named %s, but its content is %s: read as that", endings[i].ending, names[kind]);
}

/* Warns of each input file whose name ends like that of another kind of file. */
static void warn_of_endings(reader *r) {
  const etr_inputs *inputs = r->inputs;
  warn_of_ending(r->out, inputs->etrecord, FILE_ETRECORD);
  warn_of_ending(r->out, inputs->pte, FILE_PROGRAM);
  for (size_t i = 0; i < inputs->etdump_count; i++)
    warn_of_ending(r->out, inputs->etdumps[i], FILE_ETDUMP);
  for (size_t i = 0; i < inputs->weight_count; i++)
    warn_of_ending(r->out, inputs->weights[i], FILE_WEIGHTS);
}

/* ---- All ---- */

/* Reads all inputs but the ETDumps: record, weights and program, and lists the methods. Fails if
 * record or program cannot be read, or when out of memory. */
static etr_status read_inputs(reader *r, etr_error *error) {
  etr_opened_record *out = r->out;
  set_budget(out, r->options);
  for (size_t i = 0; i < r->inputs->passed_over_count; i++)
    etr_warn(&out->warnings, r->inputs->passed_over[i], NULL, ETR_NO_OFFSET,
             "a pipe, socket or device: not opened; name it explicitly to read it");
  for (size_t i = 0; i < r->inputs->repeated_count; i++)
    etr_warn(&out->warnings, r->inputs->repeated[i], NULL, ETR_NO_OFFSET,
             "has the same content as another file here: counted once");
  warn_of_endings(r);
  ETR_TRY(read_record(r, error));
  for (size_t i = 0; i < out->record.graph_count; i++)
    if (!set_module_patterns(&out->record.graphs[i], r->arena))
      return etr_fail_memory(error);
  out->known_payloads = etr_arena_alloc(r->arena, sizeof *out->known_payloads);
  out->kept = etr_arena_alloc(r->arena, sizeof *out->kept);
  ETR_TRY(read_weights(r, error));
  ETR_TRY(read_program(r, error));
  if (!collect_methods(r))
    return etr_fail_memory(error);
  warn_of_other_program(out);
  warn_of_changed_programs(out);
  return etr_arena_failed(r->arena) ? etr_fail_memory(error) : ETR_OK;
}

/* Searches no paths, only the buffers. What the caller chose (weights, references, taps) is kept,
 * also if finding does not take it over. */
etr_status etr_inputs_of_buffers(etr_inputs *out, const etr_inputs *given, etr_error *error) {
  ETR_TRY(etr_inputs_find_all(out, NULL, 0, given, error));
  if (given->weight_count > 0) {
    out->weights = given->weights;
    out->weight_count = given->weight_count;
  }
  if (given->reference_count > 0) {
    out->references = given->references;
    out->reference_count = given->reference_count;
  }
  if (given->taps)
    out->taps = given->taps;
  return ETR_OK;
}

/* Inputs in memory that were not looked at yet are told apart by their content first. */
etr_status etr_open_record(etr_opened_record **out, const etr_inputs *inputs,
                           const etr_options *options, etr_error *error) {
  static const etr_options defaults = {0};
  *out = NULL;
  etr_error_clear(error);
  if (etr_inputs_have_new_buffers(inputs)) {
    etr_inputs found;
    ETR_TRY(etr_inputs_of_buffers(&found, inputs, error));
    etr_status status = etr_open_record(out, &found, options, error);
    etr_inputs_clear(&found);
    return status;
  }
  etr_opened_record *opened = calloc(1, sizeof *opened);
  if (!opened)
    return etr_fail_memory(error);
  reader r = {.out = opened,
              .arena = &opened->arena,
              .inputs = inputs,
              .options = options ? options : &defaults};
  etr_arena_init(r.arena);
  opened->warnings.arena = r.arena;
  opened->edge_only = r.options->edge_only;
  opened->without = r.options->without;
  etr_map_init(&r.method_by_name, r.arena);
  etr_status status = etr_held_buffers_share(&opened->held, inputs->held, error);
  if (status == ETR_OK)
    status = read_inputs(&r, error);
  if (status == ETR_OK)
    *out = opened;
  else
    etr_close_record(opened);
  return status;
}

void etr_kept_payloads_free(etr_kept_payloads *kept) {
  if (kept)
    etr_arena_clear(&kept->arena);
  free(kept);
}

/* Also frees what its profiles kept in it for each other. */
void etr_close_record(etr_opened_record *opened) {
  if (!opened)
    return;
  if (opened->kept)
    etr_kept_clear(opened->kept);
  if (opened->known_payloads)
    etr_kept_payloads_free(atomic_load(&opened->known_payloads->first));
  etr_file_clear(&opened->pte.file);
  etr_held_buffers_release(opened->held);
  etr_arena_clear(&opened->arena);
  free(opened);
}

/* ---- record.json, which etrecord_tb.record() leaves beside a record ---- */

/* Returns true if a word is among words that are separated by blanks. */
static bool has_word(etr_slice words, const char *word) {
  size_t size = strlen(word);
  for (size_t i = 0, end; i < words.size; i = end + 1) {
    const char *blank = memchr(words.data + i, ' ', words.size - i);
    end = blank ? (size_t)(blank - words.data) : words.size;
    if (end - i == size && memcmp(words.data + i, word, size) == 0)
      return true;
  }
  return false;
}

/* Returns what a list of a processor's instructions, words separated by blanks, says of VNNI. Those
 * of x86-64 have AVX2 or more; with AVX VNNI, which has shorter registers, nothing is known. */
static etr_vnni vnni_among(etr_slice instructions) {
  if (has_word(instructions, "avx512_vnni")) /* only x86-64 has it */
    return ETR_VNNI_THERE;
  if (has_word(instructions, "avx_vnni"))
    return ETR_VNNI_UNKNOWN;
  if (has_word(instructions, "avx512f"))
    return ETR_VNNI_LACKING;
  return has_word(instructions, "avx2") ? ETR_VNNI_AVX2 : ETR_VNNI_UNKNOWN;
}

/* Returns the number that `count` digits of a text are, or -1 if some are no digits. */
static int digits_at(const char *text, size_t count) {
  int number = 0;
  for (size_t i = 0; i < count; i++) {
    if (text[i] < '0' || text[i] > '9')
      return -1;
    number = 10 * number + (text[i] - '0');
  }
  return number;
}

/* Returns the seconds since 1970 of a date such as "2026-11-30T13:26:10Z"; NaN if it is none. Days
 * are counted from 1 March, so that the day of a leap year is the last. */
static double seconds_of_date(etr_slice date) {
  static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
  enum { FIRST = 1970, DAYS_TO_1970 = 719468 };
  if (date.size != sizeof form - 1)
    return NAN;
  for (size_t i = 0; i < date.size; i++)
    if (form[i] != 'd' && form[i] != date.data[i])
      return NAN;
  int year = digits_at(date.data, 4), month = digits_at(date.data + 5, 2);
  int day = digits_at(date.data + 8, 2), hour = digits_at(date.data + 11, 2);
  int minute = digits_at(date.data + 14, 2), second = digits_at(date.data + 17, 2);
  if (year < FIRST || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 ||
      minute < 0 || minute > 59 || second < 0 || second > 60)
    return NAN;
  int from_march = (month + 9) % 12, full_years = month > 2 ? year : year - 1;
  int days = 365 * full_years + full_years / 4 - full_years / 100 + full_years / 400 +
             (153 * from_march + 2) / 5 + day - 1 - DAYS_TO_1970;
  return 86400.0 * days + 3600.0 * hour + 60.0 * minute + second;
}

/* Reads the names of methods, a JSON array, in the order in which they were run. There are none if
 * one is no text, or if there are too many. */
static void read_recorded_methods(etr_json *json, etr_recorded_runs *out, etr_arena *arena) {
  bool is_good = true;
  out->method_count = 0;
  etr_json_array(json);
  while (etr_json_element(json)) {
    is_good &= out->method_count < ETR_MOST_RECORDED && etr_json_peek(json) == ETR_JSON_STRING;
    const char *name = is_good ? etr_arena_copy(arena, etr_json_string(json)) : NULL;
    if (!is_good)
      etr_json_skip(json);
    else
      out->methods[out->method_count++] = etr_or_empty(name);
  }
  if (!is_good)
    out->method_count = 0;
}

/* Returns a JSON number of runs or threads; 0 if it is no such number. */
static uint32_t read_count(etr_json *json) {
  double number = etr_json_number(json);
  return number >= 1 && number <= UINT32_MAX && number == floor(number) ? (uint32_t)number : 0;
}

/* Reads the members "made_by", "on", "instructions", "time", "in_turns", "threads", "methods" and
 * "runs" of a JSON document. One that is no object, or cannot be read to its end, says nothing. */
static etr_record_facts facts_in_document(etr_slice document, etr_arena *arena) {
  etr_json *json = etr_json_open_memory(document, NULL);
  const etr_record_facts unknown = {.recorded_at = NAN};
  etr_record_facts found = unknown;
  bool is_elsewhere = false;
  if (!json)
    return found;
  if (etr_json_peek(json) == ETR_JSON_OBJECT) {
    etr_json_object(json);
    for (etr_slice key; etr_json_key(json, &key);) {
      etr_json_type type = etr_json_peek(json);
      bool is_text = type == ETR_JSON_STRING;
      if (is_text && etr_slice_equal(key, ETR_SLICE("instructions")))
        found.vnni = vnni_among(etr_json_string(json));
      else if (is_text && etr_slice_equal(key, ETR_SLICE("time")))
        found.recorded_at = seconds_of_date(etr_json_string(json));
      else if (is_text && etr_slice_equal(key, ETR_SLICE("made_by"))) /* in a Python package */
        found.has_optimized = etr_slice_equal(etr_json_string(json),
                                              ETR_SLICE("etrecord_tb.record"));
      else if (is_text && etr_slice_equal(key, ETR_SLICE("on"))) /* by a runner of the user's */
        is_elsewhere = etr_slice_equal(etr_json_string(json), ETR_SLICE("adb"));
      else if (type == ETR_JSON_BOOL && etr_slice_equal(key, ETR_SLICE("in_turns")))
        found.is_in_turns = etr_json_bool(json);
      else if (type == ETR_JSON_ARRAY && etr_slice_equal(key, ETR_SLICE("methods")))
        read_recorded_methods(json, &found.recorded, arena);
      else if (type == ETR_JSON_NUMBER && etr_slice_equal(key, ETR_SLICE("runs")))
        found.recorded.runs = read_count(json);
      else if (type == ETR_JSON_NUMBER && etr_slice_equal(key, ETR_SLICE("threads")))
        found.threads = read_count(json);
      else
        etr_json_skip(json);
    }
  }
  found.has_optimized &= !is_elsewhere;
  if (etr_json_failed(json))
    found = unknown;
  if (!found.recorded.runs)
    found.recorded.method_count = 0;
  etr_json_close(json);
  return found;
}

/* Nothing is known if no record.json lies beside inputs in memory, and one that cannot be read, or
 * whose path is too long, is ignored. */
static etr_record_facts facts_beside(const etr_inputs *inputs, etr_arena *arena) {
  enum { LONGEST_PATH = 4096, MOST_BYTES = 1 << 16 };
  const etr_record_facts unknown = {.recorded_at = NAN};
  char path[LONGEST_PATH];
  etr_error error;
  etr_file file;
  const char *beside = inputs->etdump_count ? inputs->etdumps[0] : inputs->etrecord;
  const char *slash = beside ? strrchr(beside, '/') : NULL;
  int folder = slash ? (int)(slash - beside + 1) : 0;
  int size = snprintf(path, sizeof path, "%.*srecord.json", folder, etr_or_empty(beside));
  if (!beside || inputs->buffer_count || size < 0 || size >= LONGEST_PATH)
    return unknown;
  if (!etr_file_is_regular(path) || etr_file_read(&file, path, MOST_BYTES, &error) != ETR_OK)
    return unknown;
  etr_record_facts facts = facts_in_document(etr_file_bytes(&file), arena);
  etr_file_clear(&file);
  for (size_t i = 1; i < inputs->etdump_count; i++) {
    const char *other = inputs->etdumps[i], *name = strrchr(other, '/');
    int length = name ? (int)(name - other + 1) : 0;
    if (length != folder || memcmp(other, beside, (size_t)folder) != 0)
      facts.recorded.method_count = 0;
  }
  return facts;
}

etr_record_facts etr_find_record_facts(const etr_inputs *inputs, const char *instructions,
                                       etr_arena *arena) {
  etr_record_facts facts = facts_beside(inputs, arena);
  if (instructions)
    facts.vnni = vnni_among(etr_slice_of(instructions));
  return facts;
}
