/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile.c - reads the inputs, joins them, and lays the profile out.
 */
#include "attribute.h"
#include "blocks.h"
#include "debug_data.h"
#include "file.h"
#include "join.h"
#include "method_join.h"
#include "methods.h"
#include "reference.h"

#include <stdlib.h>

enum { DEFAULT_MAX_FILE_GIB = 1, DEFAULT_MAX_ENTRY_GIB = 16, DEFAULT_MAX_NODES = 2 << 20 };

/* The profile and what it lends from: one arena. */
typedef struct profile_box {
  etr_profile profile; /* first: an etr_profile * is a profile_box * */
  etr_arena arena;
} profile_box;

typedef struct loader {
  etr_profile *profile;
  etr_arena *arena;
  const etr_inputs *inputs;
  const etr_options *options;
  etr_warnings warnings;
  etr_map names; /* of events, over all dumps */
  etr_record record;
  etr_dump *dumps;
  etr_arena runs;    /* as the dumps have them: until the blocks are built */
  etr_file pte_file; /* payloads point into it: kept until the join is done */
  etr_pte pte;
  etr_blocks blocks;
  etr_vec(etr_method_join) joins;
  etr_map join_by_name;
  size_t edge_graph_count;
  etr_vec(etr_graph) programs; /* program/METHOD of each method of the .pte */
} loader;

static etr_status out_of_memory(etr_error *error) { return etr_fail(error, ETR_ERROR_MEMORY, NULL, NULL, ETR_NO_OFFSET, "out of memory"); }

static bool edge_only(const loader *l) { return l->options && l->options->edge_only; }

/* ---- Reading ---- */

typedef struct dump_place {
  loader *l;
  const char *path;
} dump_place;

static void warn_of_dump(void *context, uint64_t offset, const char *message) {
  const dump_place *place = context;
  etr_warn(&place->l->warnings, place->path, NULL, offset, "%s", message);
}

static etr_status read_dumps(loader *l, uint64_t max_bytes, etr_error *error) {
  l->dumps = etr_arena_alloc_array(l->arena, l->inputs->etdump_count, sizeof *l->dumps);
  const char **paths = etr_arena_alloc_array(l->arena, l->inputs->etdump_count, sizeof *paths);
  if (!l->dumps || !paths) return out_of_memory(error);
  for (size_t i = 0; i < l->inputs->etdump_count; i++) {
    etr_file file;
    dump_place place = {l, l->inputs->etdumps[i]};
    ETR_TRY(etr_file_read(&file, place.path, max_bytes, error));
    etr_status status = etr_dump_read(&l->dumps[i], &l->runs, &l->names, (etr_slice){(const char *)file.data, file.size}, place.path, warn_of_dump,
                                      &place, error);
    etr_file_clear(&file);
    ETR_TRY(status);
    paths[i] = etr_arena_copy(l->arena, etr_slice_of(place.path));
  }
  l->profile->etdumps = paths;
  l->profile->etdump_count = l->inputs->etdump_count;
  return ETR_OK;
}

static etr_status read_program(loader *l, uint64_t max_bytes, etr_error *error) {
  if (!l->inputs->pte) return ETR_OK;
  l->profile->pte = etr_arena_copy(l->arena, etr_slice_of(l->inputs->pte));
  return etr_pte_read_file(&l->pte, &l->pte_file, l->arena, l->inputs->pte, max_bytes, error);
}

static etr_status read_record(loader *l, uint64_t max_bytes, etr_error *error) {
  etr_record_limits limits = {
      .entry_bytes = max_bytes, .nodes = l->options && l->options->max_nodes ? l->options->max_nodes : DEFAULT_MAX_NODES, .edge_only = edge_only(l)};
  if (!l->inputs->etrecord) return ETR_OK;
  ETR_TRY(etr_record_read(&l->record, l->arena, l->inputs->etrecord, &limits, &l->warnings, error));
  l->profile->etrecord = etr_arena_copy(l->arena, etr_slice_of(l->inputs->etrecord));
  l->profile->export_graph_id = l->record.export_graph_id;
  l->profile->unknown_entries = l->record.unknown_entries;
  l->profile->unknown_entry_count = l->record.unknown_entry_count;
  l->profile->has_reference_outputs = l->record.has_reference_outputs;
  l->profile->has_representative_inputs = l->record.has_representative_inputs;
  return ETR_OK;
}

static etr_status read_inputs(loader *l, etr_error *error) {
  uint64_t limit = l->options ? l->options->max_entry_bytes : 0;
  uint64_t file_limit = limit ? limit : (uint64_t)DEFAULT_MAX_FILE_GIB << 30, entry_limit = limit ? limit : (uint64_t)DEFAULT_MAX_ENTRY_GIB << 30;
  if (!l->inputs->etrecord && l->inputs->etdump_count == 0)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET, "neither an ETRecord nor an ETDump was given");
  ETR_TRY(read_record(l, entry_limit, error));
  ETR_TRY(read_dumps(l, file_limit, error));
  return read_program(l, file_limit, error);
}

/* ---- Methods ---- */

static etr_method_join *join_of(loader *l, const char *name) {
  uint32_t known = etr_map_get(&l->join_by_name, etr_slice_of(name));
  if (known != ETR_NONE) return &l->joins.data[known];
  etr_method_join *added = etr_vec_push(l->arena, &l->joins);
  if (!added || !etr_map_set(&l->join_by_name, etr_slice_of(name), (uint32_t)(l->joins.count - 1))) return NULL;
  *added = (etr_method_join){.name = name};
  return added;
}

/* Every method that any input names, in the order of the maps, the Edge graphs, the .pte. */
static bool collect_methods(loader *l) {
  for (size_t i = 0; i < l->record.method_count; i++) {
    etr_method_join *join = join_of(l, l->record.methods[i].name);
    if (!join) return false;
    join->map = &l->record.methods[i];
  }
  for (size_t i = 0; i < l->record.graph_count; i++) {
    if (strcmp(l->record.graphs[i].module, "edge") != 0) continue;
    etr_method_join *join = join_of(l, l->record.graphs[i].method);
    if (!join) return false;
    join->graph = &l->record.graphs[i];
    l->edge_graph_count++;
  }
  for (size_t i = 0; i < l->pte.method_count; i++) {
    etr_method_join *join = join_of(l, l->pte.methods[i].name);
    if (!join) return false;
    join->program = &l->pte.methods[i];
  }
  return true;
}

/* A block that ran something of a method nobody knows: still a balance of its own. */
static bool add_unknown_methods(loader *l) {
  for (size_t i = 0; i < l->blocks.block_count; i++) {
    etr_block *block = &l->blocks.blocks[i];
    if (block->method != ETR_NONE || !etr_block_ran(block)) continue;
    etr_method_join *added = etr_vec_push(l->arena, &l->joins);
    if (!added) return false;
    *added = (etr_method_join){.name = ""};
    block->method = (uint32_t)(l->joins.count - 1);
  }
  return true;
}

static etr_status check_choices(const loader *l, etr_error *error) {
  for (size_t i = 0; l->options && i < l->options->choice_count; i++) {
    const etr_method_choice *choice = &l->options->choices[i];
    bool known = false;
    for (size_t k = 0; k < l->joins.count; k++) known |= strcmp(l->joins.data[k].name, choice->method) == 0;
    if (!known)
      return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET, "run %zu cannot be of method %s: there is no such method", choice->run,
                      choice->method);
    size_t last = ETR_MAX(choice->run, choice->last);
    if (last >= l->blocks.run_count)
      return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET, "there is no run %zu: the ETDumps have %zu",
                      last, l->blocks.run_count);
  }
  return ETR_OK;
}

/* ---- Joining ---- */

/* exported_program is the one program, or that of `forward`. */
static etr_graph *aten_graph_of(loader *l, const etr_method_join *join) {
  if (edge_only(l) || !join->graph || (l->edge_graph_count > 1 && strcmp(join->name, "forward") != 0)) return NULL;
  for (size_t i = 0; i < l->record.graph_count; i++)
    if (strcmp(l->record.graphs[i].module, "aten") == 0 && strcmp(l->record.graphs[i].entry, "exported_program") == 0) return &l->record.graphs[i];
  return NULL;
}

static void name_program(const loader *l, etr_graph *program, const char *method) {
  if (edge_only(l)) *program = (etr_graph){.dialect = "program", .schema_version = "", .profile_method = ETR_NONE};
  program->module = "program";
  program->method = method;
  program->entry = l->profile->pte;
}

static etr_status join_all(loader *l, etr_error *error) {
  if (!collect_methods(l)) return out_of_memory(error);
  if (etr_blocks_build(&l->blocks, l->arena, l->dumps, l->inputs->etdump_count, l->joins.count, l->options) != ETR_OK)
    return out_of_memory(error);
  etr_arena_clear(&l->runs);
  ETR_TRY(check_choices(l, error));
  etr_methods_decide(&l->blocks, l->joins.data, l->joins.count, l->options, &l->warnings);
  if (!add_unknown_methods(l)) return out_of_memory(error);
  etr_method *methods = etr_arena_alloc_array(l->arena, l->joins.count, sizeof *methods);
  if (!methods) return out_of_memory(error);
  for (uint32_t i = 0; i < l->joins.count; i++) {
    etr_method_join *join = &l->joins.data[i];
    methods[i] = (etr_method){.name = join->name, .graph = ETR_NONE};
    if (!etr_join_method(join, i, &l->blocks, l->arena)) return out_of_memory(error);
    etr_graph *program = join->program ? etr_vec_push(l->arena, &l->programs) : NULL;
    if (join->program && !program) return out_of_memory(error);
    etr_method_graphs graphs = {.edge = (etr_graph *)join->graph, .aten = aten_graph_of(l, join), .program = edge_only(l) ? NULL : program};
    if (!etr_attribute(&methods[i], &graphs, join, i, &l->blocks, l->arena, &l->warnings)) return out_of_memory(error);
    if (program) name_program(l, program, join->name);
  }
  l->profile->methods = methods;
  l->profile->method_count = l->joins.count;
  return ETR_OK;
}

/* ---- Laying out ---- */

enum { LAST_RANK = 4 };

/* The order in which entry points are shown. */
static int rank_of(const etr_graph *graph, const etr_method *methods) {
  static const char *const modules[] = {"edge", "program", "aten"};
  bool timed = graph->times && graph->profile_method != ETR_NONE && methods[graph->profile_method].nodes_ticks > 0;
  for (size_t i = 0; i < ETR_COUNT(modules); i++)
    if (strcmp(graph->module, modules[i]) == 0) return (int)i + (i > 0 || !timed);
  return (int)ETR_COUNT(modules) + 1;
}

static etr_status lay_out(loader *l, etr_error *error) {
  etr_profile *p = l->profile;
  size_t count = l->record.graph_count + l->programs.count;
  etr_graph *graphs = etr_arena_alloc_array(l->arena, count, sizeof *graphs);
  if (!graphs) return out_of_memory(error);
  for (int rank = 0; rank <= LAST_RANK; rank++)
    for (size_t i = 0; i < count; i++) {
      const etr_graph *graph = i < l->record.graph_count ? &l->record.graphs[i] : &l->programs.data[i - l->record.graph_count];
      if (rank_of(graph, p->methods) == rank) graphs[p->graph_count++] = *graph;
    }
  for (size_t i = 0; i < p->graph_count; i++)
    for (size_t k = 0; k < p->method_count; k++)
      if (strcmp(graphs[i].module, "edge") == 0 && strcmp(graphs[i].method, p->methods[k].name) == 0)
        ((etr_method *)p->methods)[k].graph = (uint32_t)i;
  p->graphs = graphs;
  p->runs = l->blocks.runs;
  p->run_count = l->blocks.run_count;
  p->blocks = l->blocks.blocks;
  p->block_count = l->blocks.block_count;
  p->ticks_per_second = l->blocks.ticks_per_second;
  return etr_arena_failed(l->arena) ? out_of_memory(error) : ETR_OK;
}

/* ---- Logged values ---- */

/* Of how many ETDumps tensors are. */
static size_t dumps_with_tensors(const loader *l) {
  size_t dumps = 0;
  for (size_t i = 0; i < l->inputs->etdump_count; i++) {
    bool any = false;
    for (size_t k = 0; k < l->dumps[i].value_count && !any; k++) any = l->dumps[i].values[k].kind == ETR_DEBUG_TENSOR;
    dumps += any;
  }
  return dumps;
}

static etr_status read_debug_data(loader *l, etr_error *error) {
  etr_debug_data data;
  const char *path = l->inputs->debug_buffer;
  ETR_TRY(etr_debug_collect(&data, l->arena, l->dumps, l->inputs->etdump_count) == ETR_OK ? ETR_OK : out_of_memory(error));
  if (!etr_debug_join(&data, &l->blocks, l->joins.data)) return out_of_memory(error);
  l->profile->debug_values = data.values;
  l->profile->debug_value_count = data.count;
  if (path && dumps_with_tensors(l) > 1)
    etr_warn(&l->warnings, path, NULL, ETR_NO_OFFSET,
             "several ETDumps logged tensors, and their offsets do not tell whose buffer this is: it is not read; "
             "choose one with --etdump");
  else if (path) {
    l->profile->debug_buffer = etr_arena_copy(l->arena, etr_slice_of(path));
    ETR_TRY(etr_debug_measure(&data, l->arena, path, &l->warnings, error));
    etr_debug_warn_of_nan(&data, path, l->profile, &l->warnings);
  }
  return ETR_OK;
}

static void hand_over_warnings(loader *l) {
  l->profile->warnings = l->warnings.list.data;
  l->profile->warning_count = l->warnings.list.count;
}

static etr_status load(loader *l, etr_error *error) {
  ETR_TRY(read_inputs(l, error));
  ETR_TRY(join_all(l, error));
  ETR_TRY(lay_out(l, error));
  ETR_TRY(read_debug_data(l, error));
  ETR_TRY(etr_reference_compare(l->profile, l->arena, &l->warnings, error));
  hand_over_warnings(l);
  return etr_arena_failed(l->arena) ? out_of_memory(error) : ETR_OK;
}

etr_status etr_profile_open(etr_profile **out, const etr_inputs *inputs, const etr_options *options, etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  profile_box *box = calloc(1, sizeof *box);
  if (!box) return out_of_memory(error);
  etr_arena_init(&box->arena);
  loader l = {.profile = &box->profile, .arena = &box->arena, .inputs = inputs, .options = options, .warnings = {.arena = &box->arena}};
  etr_map_init(&l.names, l.arena);
  etr_map_init(&l.join_by_name, l.arena);
  etr_status status = load(&l, error);
  etr_arena_clear(&l.runs);
  etr_file_clear(&l.pte_file);
  if (status == ETR_OK)
    *out = &box->profile;
  else
    etr_profile_close(&box->profile);
  return status;
}

void etr_profile_close(etr_profile *profile) {
  if (!profile) return;
  profile_box *box = (profile_box *)profile;
  etr_arena_clear(&box->arena);
  free(box);
}

double etr_ticks_to_ns(const etr_profile *profile, double ticks) { return ticks * (1e9 / profile->ticks_per_second); }
