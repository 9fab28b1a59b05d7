/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile.c - reads the inputs, joins them, and fills the profile.
 */
#include "balance/attribute.h"
#include "base/file.h"
#include "cost/cost.h"
#include "inputs/flat_tensor.h"
#include "inputs/serial_log.h"
#include "memory/memory_plan.h"
#include "place/placement.h"
#include "program/pte_graph.h"
#include "runs/runs.h"
#include "values/debug_data.h"
#include "values/reference.h"

#include <stdlib.h>

enum { DEFAULT_MAX_FILE_GIB = 1 }; /* limit on a file that is read whole and kept in memory */

/* The profile, and the arena in which all that it points to lives. */
typedef struct profile_box {
  etr_profile profile; /* must be first, so that an etr_profile * is a profile_box */
  etr_arena arena;
} profile_box;

typedef struct loader {
  etr_profile *profile;
  etr_arena *arena;
  const etr_inputs *inputs;
  const etr_options *options;
  etr_warnings warnings;
  etr_budget budget;
  uint64_t max_file_bytes;
  etr_map names; /* names of events, interned over all dumps */
  etr_record record;
  etr_dump_files dumps;
  etr_arena runs; /* runs as in the dumps; freed when the blocks are built */
  etr_pte pte;
  etr_payloads payloads;
  etr_blocks blocks;
  etr_vec(etr_method_inputs) methods;
  etr_placement *placements; /* one for each method */
  etr_method *built;         /* the profile's methods, while they are filled in */
  etr_graph *graphs;         /* the profile's graphs, while they are filled in */
  etr_map method_by_name;
  size_t edge_graph_count;
  etr_vec(etr_graph) programs; /* program/METHOD of each method of the .pte */
} loader;

/* ---- Reading ---- */

/* Returns the limit on the size of the next file. */
static uint64_t most_bytes(const loader *l) { return ETR_MIN(l->max_file_bytes, l->budget.left[ETR_BYTES]); }

static etr_status read_dumps(loader *l, etr_error *error) {
  l->dumps = (etr_dump_files){.arena = l->arena,
                              .runs = &l->runs,
                              .names = &l->names,
                              .budget = &l->budget,
                              .max_file_bytes = l->max_file_bytes,
                              .logs = l->inputs->logs,
                              .warnings = &l->warnings};
  ETR_TRY(etr_dump_files_read(&l->dumps, l->inputs->etdumps, l->inputs->etdump_count, error));
  l->profile->etdumps = l->dumps.paths.data;
  l->profile->etdump_count = l->dumps.paths.count;
  return ETR_OK;
}

/* Reads the program in the record, if no other is given. A damaged program is left out, like any other entry. */
static etr_status read_own_program(loader *l, const etr_pte_limits *limits, etr_error *error) {
  etr_error failure;
  const char *record = l->inputs->etrecord, *entry = l->record.pte_entry;
  etr_status status = etr_pte_read_entry(&l->pte, l->arena, record, entry, limits, &failure);
  if (status == ETR_ERROR_FORMAT && l->record.graph_count > 0) {
    etr_warn(&l->warnings, record, entry, failure.offset, "%s; left out", failure.message);
    etr_file_clear(&l->pte.file);
    l->pte = (etr_pte){0};
    return ETR_OK;
  }
  if (status != ETR_OK && error) *error = failure;
  l->profile->pte = l->profile->etrecord;
  l->profile->pte_entry = entry;
  return status;
}

static etr_status read_program(loader *l, etr_error *error) {
  const etr_pte_limits limits = {.max_bytes = most_bytes(l), .max_delegates = l->options->max_delegates};
  if (l->inputs->pte) {
    l->profile->pte = etr_arena_copy(l->arena, etr_slice_of(l->inputs->pte));
    ETR_TRY(etr_pte_read_file(&l->pte, l->arena, l->inputs->pte, &limits, error));
  } else if (l->record.pte_entry) {
    ETR_TRY(read_own_program(l, &limits, error));
  }
  etr_warn_of_cut_names(&l->warnings, l->profile->pte, l->profile->pte_entry, &l->pte.cut);
  l->profile->is_bundled = l->pte.is_bundled;
  l->profile->test_sets = l->pte.test_sets;
  l->profile->test_set_count = l->pte.test_set_count;
  return ETR_OK;
}

static bool wants(const loader *l, etr_without part) { return !(l->options->without & (unsigned)part); }

static etr_status read_record(loader *l, etr_error *error) {
  etr_record_limits limits = {
      .budget = &l->budget, .edge_only = l->options->edge_only, .no_sources = !wants(l, ETR_WITHOUT_SOURCES)};
  if (!l->inputs->etrecord) return ETR_OK;
  ETR_TRY(etr_record_read(&l->record, l->arena, l->inputs->etrecord, &limits, &l->warnings, error));
  etr_record_warn_of_missing(&l->record, l->inputs->etrecord, &l->warnings);
  l->profile->etrecord = etr_arena_copy(l->arena, etr_slice_of(l->inputs->etrecord));
  l->profile->export_graph_id = l->record.export_graph_id;
  l->profile->unknown_entries = l->record.unknown_entries;
  l->profile->unknown_entry_count = l->record.unknown_entry_count;
  l->profile->has_reference_outputs = l->record.has_reference_outputs;
  l->profile->has_representative_inputs = l->record.has_representative_inputs;
  return ETR_OK;
}

static void set_budget(loader *l) {
  const etr_options *o = l->options;
  l->max_file_bytes = o->max_bytes ? o->max_bytes : (uint64_t)DEFAULT_MAX_FILE_GIB << 30;
  etr_budget_set(&l->budget, ETR_BYTES, o->max_bytes);
  etr_budget_set(&l->budget, ETR_NODES, o->max_nodes);
  etr_budget_set(&l->budget, ETR_EVENTS, o->max_events);
}

static etr_status read_inputs(loader *l, etr_error *error) {
  if (!l->inputs->etrecord && l->inputs->etdump_count == 0 && !l->inputs->pte)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                    "neither an ETRecord nor an ETDump nor a .pte was given");
  for (size_t i = 0; i < l->inputs->passed_over_count; i++)
    etr_warn(&l->warnings, l->inputs->passed_over[i], NULL, ETR_NO_OFFSET,
             "a pipe, socket or device: not opened; name it explicitly to read it");
  ETR_TRY(read_record(l, error));
  ETR_TRY(read_dumps(l, error));
  l->profile->weight_count = l->inputs->weight_count;
  ETR_TRY(etr_flat_tensors_read(&l->profile->weights, l->arena, l->inputs->weights, l->inputs->weight_count,
                                most_bytes(l), error));
  return read_program(l, error);
}

/* ---- Methods ---- */

static etr_method_inputs *method_of(loader *l, const char *name) {
  uint32_t known = etr_map_get(&l->method_by_name, etr_slice_of(name));
  if (known != ETR_NONE) return &l->methods.data[known];
  etr_method_inputs *added = etr_vec_push(l->arena, &l->methods);
  if (!added || !etr_map_set(&l->method_by_name, etr_slice_of(name), (uint32_t)(l->methods.count - 1))) return NULL;
  *added = (etr_method_inputs){.name = name};
  return added;
}

/* Lists every method that any input names, in the order of the maps, the Edge graphs, the .pte. */
static bool collect_methods(loader *l) {
  for (size_t i = 0; i < l->record.method_count; i++) {
    etr_method_inputs *method = method_of(l, l->record.methods[i].name);
    if (!method) return false;
    method->map = &l->record.methods[i];
  }
  for (size_t i = 0; i < l->record.graph_count; i++) {
    if (strcmp(l->record.graphs[i].module, "edge") != 0) continue;
    etr_method_inputs *method = method_of(l, l->record.graphs[i].method);
    if (!method) return false;
    method->graph = &l->record.graphs[i];
    l->edge_graph_count++;
  }
  for (size_t i = 0; i < l->pte.method_count; i++) {
    etr_method_inputs *method = method_of(l, l->pte.methods[i].name);
    if (!method) return false;
    method->program = &l->pte.methods[i];
    method->payloads = &l->payloads;
    method->budget = &l->budget;
  }
  return true;
}

/* Counts the methods that run something. A method that only returns a constant has no instructions. */
static size_t count_running_methods(const loader *l) {
  size_t count = 0;
  for (size_t i = 0; i < l->methods.count; i++) {
    const etr_method_inputs *method = &l->methods.data[i];
    count += method->graph || (method->map && method->map->instruction_count) ||
             (method->program && method->program->instruction_count);
  }
  return count;
}

/* Adds a method for each block of an unknown method, which has a balance of its own. */
static bool add_unknown_methods(loader *l) {
  for (size_t i = 0; i < l->blocks.block_count; i++) {
    etr_block *block = &l->blocks.blocks[i];
    if (block->method != ETR_NONE || !etr_block_ran(block)) continue;
    etr_method_inputs *added = etr_vec_push(l->arena, &l->methods);
    if (!added) return false;
    *added = (etr_method_inputs){.name = ""};
    block->method = (uint32_t)(l->methods.count - 1);
  }
  return true;
}

/* ---- Joining ---- */

/* The entry exported_program is the only program, or the program of `forward`. */
static etr_graph *aten_graph_of(loader *l, const etr_method_inputs *method) {
  if (l->options->edge_only || !method->graph || (l->edge_graph_count > 1 && strcmp(method->name, "forward") != 0))
    return NULL;
  for (size_t i = 0; i < l->record.graph_count; i++)
    if (strcmp(l->record.graphs[i].module, "aten") == 0 && strcmp(l->record.graphs[i].entry, "exported_program") == 0)
      return &l->record.graphs[i];
  return NULL;
}

static void name_program(const loader *l, etr_graph *program, const char *method) {
  if (l->options->edge_only && !program->nodes)
    *program = (etr_graph){.dialect = "program", .schema_version = "", .profile_method = ETR_NONE};
  program->module = "program";
  program->method = method;
  program->entry = l->profile->pte_entry ? l->profile->pte_entry : l->profile->pte;
}

static etr_status fail_to_join(const loader *l, etr_error *error) {
  if (!etr_budget_refused(&l->budget)) return etr_fail_memory(error);
  return etr_fail(error, ETR_ERROR_FORMAT, l->profile->pte, NULL, ETR_NO_OFFSET, "%s", l->budget.message);
}

/* Finds the nodes of a method's instructions and the times of its nodes. */
static etr_status join_method(loader *l, etr_method *out, uint32_t index, etr_error *error) {
  etr_placement *placement = &l->placements[index];
  const etr_method_inputs *method = placement->method;
  bool good = etr_place_method(placement, index, &l->blocks, l->arena, &l->warnings);
  if (good && !method->graph) good = etr_pte_graph_stand_in(placement, index, &l->blocks, l->arena);
  if (!good) return fail_to_join(l, error);
  out->ambiguous_node_count = placement->ambiguous;
  etr_graph *program = method->program ? etr_vec_push(l->arena, &l->programs) : NULL;
  if (method->program && !program) return etr_fail_memory(error);
  etr_method_graphs graphs = {.edge = method->graph ? &l->record.graphs[method->graph - l->record.graphs] : NULL,
                              .aten = aten_graph_of(l, method),
                              .program = l->options->edge_only && !placement->program_graph ? NULL : program};
  if (!etr_attribute(out, &graphs, placement, index, &l->blocks, &l->warnings)) return fail_to_join(l, error);
  if (program) name_program(l, program, method->name);
  return ETR_OK;
}

static etr_status join_all(loader *l, etr_error *error) {
  if (!collect_methods(l)) return etr_fail_memory(error);
  for (size_t i = 0; i < l->methods.count; i++)
    if (!etr_method_index_nodes(&l->methods.data[i], l->arena)) return etr_fail_memory(error);
  if (etr_blocks_build(&l->blocks, l->arena, l->dumps.dumps.data, l->dumps.dumps.count, count_running_methods(l),
                       l->options) != ETR_OK)
    return etr_fail_memory(error);
  etr_arena_clear(&l->runs);
  ETR_TRY(etr_choices_check(l->options, &l->blocks, l->methods.data, l->methods.count, error));
  etr_methods_decide(&l->blocks, l->methods.data, l->methods.count, l->options, &l->warnings);
  const etr_known_phases *phases = NULL;
  if (add_unknown_methods(l)) phases = etr_run_phases_find(&l->blocks, l->dumps.dumps.data, l->methods.count, l->arena);
  if (!phases || !etr_skipped_find(&l->blocks, l->options) || !etr_blocks_group(&l->blocks, l->methods.count, l->arena))
    return etr_fail_memory(error);
  etr_method *methods = etr_arena_alloc_array(l->arena, l->methods.count, sizeof *methods);
  l->placements = etr_arena_alloc_array(l->arena, l->methods.count, sizeof *l->placements);
  if (!methods || !l->placements) return etr_fail_memory(error);
  for (uint32_t i = 0; i < l->methods.count; i++) {
    methods[i] = (etr_method){.name = l->methods.data[i].name, .graph = ETR_NONE};
    methods[i].blocks = etr_blocks_of_method(&l->blocks, i, &methods[i].block_count);
    l->placements[i].method = &l->methods.data[i];
    ETR_TRY(join_method(l, &methods[i], i, error));
    if (!etr_phases_measure(&methods[i], &phases[i], &l->blocks, l->arena, &l->warnings)) return etr_fail_memory(error);
  }
  etr_payloads_warn(&l->payloads, l->profile->pte, &l->warnings);
  l->profile->methods = l->built = methods;
  l->profile->method_count = l->methods.count;
  return ETR_OK;
}

/* ---- Filling the profile ---- */

enum { LAST_RANK = 4 };

/* Returns the rank of an entry point in the order in which they are shown. */
static int rank_of(const etr_graph *graph, const etr_method *methods) {
  static const char *const modules[] = {"edge", "program", "aten"};
  bool timed = graph->times && graph->profile_method != ETR_NONE && methods[graph->profile_method].nodes_ticks > 0;
  for (size_t i = 0; i < ETR_COUNT(modules); i++)
    if (strcmp(graph->module, modules[i]) == 0) return (int)i + (i > 0 || !timed);
  return (int)ETR_COUNT(modules) + 1;
}

/* Sets the graph of each method to the one to which it was joined, whatever others are called. `places` has the index
 * at which each graph of the record, and then of the program, is shown. */
static void point_to_graphs(const loader *l, const uint32_t *places) {
  etr_method *methods = l->built;
  size_t program = l->record.graph_count;
  for (size_t i = 0; i < l->profile->method_count; i++) {
    const etr_method_inputs *method = &l->methods.data[i];
    if (method->graph)
      methods[i].graph = places[method->graph - l->record.graphs];
    else if (l->placements[i].program_graph)
      methods[i].graph = places[program];
    program += method->program != NULL;
  }
}

static etr_status lay_out(loader *l, etr_error *error) {
  etr_profile *p = l->profile;
  size_t count = l->record.graph_count + l->programs.count;
  etr_graph *graphs = etr_arena_alloc_array(l->arena, count, sizeof *graphs);
  uint32_t *places = etr_arena_alloc_array(l->arena, count, sizeof *places);
  if (!graphs || !places) return etr_fail_memory(error);
  for (int rank = 0; rank <= LAST_RANK; rank++)
    for (size_t i = 0; i < count; i++) {
      const etr_graph *graph = i < l->record.graph_count ? &l->record.graphs[i]
                                                         : &l->programs.data[i - l->record.graph_count];
      if (rank_of(graph, p->methods) != rank) continue;
      places[i] = (uint32_t)p->graph_count;
      graphs[p->graph_count++] = *graph;
    }
  point_to_graphs(l, places);
  p->graphs = l->graphs = graphs;
  p->runs = l->blocks.runs;
  p->run_count = l->blocks.run_count;
  p->skip = l->options->skip;
  p->statistic = l->options->statistic;
  p->peaks = l->options->peaks;
  p->blocks = l->blocks.blocks;
  p->block_count = l->blocks.block_count;
  p->foreign_run_count = l->blocks.foreign_run_count;
  p->ticks_per_second = l->blocks.ticks_per_second;
  return etr_arena_failed(l->arena) ? etr_fail_memory(error) : ETR_OK;
}

/* ---- Logged values ---- */

/* Returns the debug buffer that was given, or the one in the log of an ETDump. */
static etr_status find_debug_buffer(loader *l, etr_error *error) {
  const char *given = l->inputs->debug_buffer;
  const etr_slice *held = &l->dumps.debug_buffer;
  if (given && etr_serial_log_is(given))
    return etr_fail(error, ETR_ERROR_CHOICE, given, NULL, ETR_NO_OFFSET,
                    "a log: give it as an ETDump, with which its debug buffer is read");
  l->profile->debug_buffer = l->dumps.debug_buffer_path;
  l->profile->debug_buffer_bytes = (etr_bytes){held->data, held->size};
  if (!given) return ETR_OK;
  l->profile->debug_buffer = etr_arena_copy(l->arena, etr_slice_of(given));
  l->profile->debug_buffer_bytes = (etr_bytes){0};
  return ETR_OK;
}

static etr_status read_debug_data(loader *l, etr_error *error) {
  etr_debug_data data;
  if (!etr_debug_collect(&data, l->arena, l->dumps.dumps.data, l->dumps.dumps.count) ||
      !etr_debug_join(&data, &l->blocks, l->placements, l->methods.count))
    return etr_fail_memory(error);
  l->profile->debug_values = data.values;
  l->profile->debug_value_count = data.count;
  ETR_TRY(find_debug_buffer(l, error));
  if (!l->profile->debug_buffer) return ETR_OK;
  if (data.dumps_with_tensors > 1) {
    etr_warn(&l->warnings, l->profile->debug_buffer, NULL, ETR_NO_OFFSET,
             "several ETDumps logged tensors, and their offsets do not show which one this buffer belongs to: not "
             "read; choose one with --etdump");
    l->profile->debug_buffer = NULL;
    return ETR_OK;
  }
  ETR_TRY(etr_debug_measure(&data, l->arena, l->profile, &l->warnings, error));
  etr_debug_warn_of_nan(&data, l->profile, &l->warnings);
  return ETR_OK;
}

static etr_status load(loader *l, etr_error *error) {
  ETR_TRY(etr_choices_check_clock(l->options, error));
  set_budget(l);
  ETR_TRY(read_inputs(l, error));
  ETR_TRY(join_all(l, error));
  if (wants(l, ETR_WITHOUT_MEMORY) &&
      !etr_memory_plan_all(l->profile, l->built, l->placements, &l->pte, &l->warnings, l->arena))
    return etr_fail_memory(error);
  ETR_TRY(lay_out(l, error));
  if (wants(l, ETR_WITHOUT_COSTS) && !etr_costs_find(l->profile, l->graphs, l->arena, &l->warnings))
    return etr_fail_memory(error);
  ETR_TRY(read_debug_data(l, error));
  ETR_TRY(etr_reference_compare(l->profile, l->arena, &l->warnings, error));
  l->profile->warnings = l->warnings.list.data;
  l->profile->warning_count = l->warnings.list.count;
  return etr_arena_failed(l->arena) ? etr_fail_memory(error) : ETR_OK;
}

etr_status etr_profile_open(etr_profile **out, const etr_inputs *inputs, const etr_options *options, etr_error *error) {
  static const etr_options defaults = {0};
  *out = NULL;
  etr_error_clear(error);
  profile_box *box = calloc(1, sizeof *box);
  if (!box) return etr_fail_memory(error);
  etr_arena_init(&box->arena);
  loader l = {.profile = &box->profile,
              .arena = &box->arena,
              .inputs = inputs,
              .options = options ? options : &defaults,
              .warnings = {.arena = &box->arena}};
  etr_map_init(&l.names, l.arena);
  etr_map_init(&l.method_by_name, l.arena);
  etr_payloads_init(&l.payloads, l.arena);
  etr_status status = load(&l, error);
  etr_arena_clear(&l.runs);
  etr_file_clear(&l.pte.file);
  if (status == ETR_OK)
    *out = &box->profile;
  else
    etr_profile_close(&box->profile);
  return status;
}

void etr_profile_close(etr_profile *profile) {
  profile_box *box = (profile_box *)profile;
  if (box) etr_arena_clear(&box->arena);
  free(box);
}
