/* SPDX-License-Identifier: BSD-3-Clause
 *
 * profile.c - joins ETDumps to an opened record, and fills the profile.
 */
#include "accuracy/debug_data.h"
#include "accuracy/reference.h"
#include "backends/xnnpack.h"
#include "inputs/held_buffers.h"
#include "inputs/serial_log.h"
#include "join/attribute.h"
#include "join/cost.h"
#include "join/placement.h"
#include "join/pte_graph.h"
#include "memory/memory_plan.h"
#include "profile/opened_record.h"
#include "profile/shared_times.h"
#include "profile/throughput.h"
#include "runs/runs.h"
#include "runs/typical.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The profile, and the arena in which all that it points to lives, apart from the record. */
typedef struct profile_box {
  etr_profile profile; /* must be first, so that an etr_profile * is a profile_box */
  etr_arena arena;
  etr_opened_record
      *own; /* the record, if etr_profile_open() opened it; NULL: the caller owns it */
  etr_held_buffers *held;  /* buffers that ETDumps were read from; NULL: none */
  etr_kept_payloads *kept; /* what was read of the .pte; NULL: the record keeps it */
} profile_box;

typedef struct loader {
  etr_profile *profile;
  etr_arena *arena;
  const etr_inputs *inputs;
  const etr_options *options;
  const etr_opened_record *opened;
  etr_record_facts facts;
  etr_warnings warnings;
  etr_budget budget;
  etr_map names;     /* names of events, interned over all dumps */
  etr_record record; /* the record's graphs here are copies, which get the times of this profile */
  etr_dump_files dumps;
  etr_arena runs; /* runs as in the dumps; freed when the blocks are built */
  etr_payloads payloads;
  etr_blocks blocks;
  etr_vec(etr_method_inputs) methods;
  etr_placement *placements;   /* one for each method */
  etr_method *built;           /* the profile's methods, while they are filled in */
  etr_graph *graphs;           /* the profile's graphs, while they are filled in */
  etr_vec(etr_graph) programs; /* program/METHOD of each method of the .pte */
} loader;

/* ---- Reading ---- */

/* Starts the profile with what was read of the record, its warnings included. Its graphs and
 * methods are copied, since this profile fills in times, payloads and a budget of its own. Returns
 * false when out of memory. */
static bool copy_record(loader *l) {
  const etr_opened_record *opened = l->opened;
  *l->profile = opened->profile;
  l->record = opened->record;
  l->budget = opened->budget;
  size_t graph_count = l->record.graph_count;
  etr_graph *graphs = etr_arena_alloc_array(l->arena, graph_count, sizeof *graphs);
  if (!graphs)
    return false;
  if (graph_count)
    memcpy(graphs, opened->record.graphs, graph_count * sizeof *graphs);
  l->record.graphs = graphs;
  for (size_t i = 0; i < opened->methods.count; i++) {
    etr_method_inputs *method = etr_vec_push(l->arena, &l->methods);
    if (!method)
      return false;
    *method = opened->methods.data[i];
    method->kept = opened->kept;
    if (method->graph)
      method->graph = &graphs[method->graph - opened->record.graphs];
    if (!method->program)
      continue;
    method->payloads = &l->payloads;
    method->budget = &l->budget;
  }
  for (size_t i = 0; i < opened->warnings.list.count; i++) {
    etr_warning *warning = etr_vec_push(l->arena, &l->warnings.list);
    if (!warning)
      return false;
    *warning = opened->warnings.list.data[i];
  }
  return true;
}

/* Reads all ETDumps of the inputs, also those in logs. Fails if one cannot be read, or when out of
 * memory. */
static etr_status read_dumps(loader *l, etr_error *error) {
  l->dumps = (etr_dump_files){.arena = l->arena,
                              .runs = &l->runs,
                              .names = &l->names,
                              .budget = &l->budget,
                              .max_file_bytes = l->opened->max_file_bytes,
                              .logs = l->inputs->logs,
                              .warnings = &l->warnings};
  ETR_TRY(etr_dump_files_read(&l->dumps, l->inputs->etdumps, l->inputs->etdump_count, error));
  l->profile->etdumps = l->dumps.paths.data;
  l->profile->etdump_count = l->dumps.paths.count;
  return ETR_OK;
}

/* ---- Methods ---- */

/* Counts the methods that can have run: those with a graph or instructions. One that only returns a
 * constant has neither. */
static size_t count_running_methods(const loader *l) {
  size_t count = 0;
  for (size_t i = 0; i < l->methods.count; i++) {
    const etr_method_inputs *method = &l->methods.data[i];
    count += method->graph || (method->map && method->map->instruction_count) ||
             (method->program && method->program->instruction_count);
  }
  return count;
}

/* Returns the method without a name that was added for an earlier block with the same candidates
 * (methods that the block's runs may be of), so that both share it; ETR_NONE if there is none. Such
 * methods have indices from `first` on. */
static uint32_t find_unknown_method(const loader *l, const etr_block *block, size_t first) {
  for (size_t i = 0; block->candidate_count && i < l->blocks.block_count; i++) {
    const etr_block *other = &l->blocks.blocks[i];
    if (other == block)
      return ETR_NONE;
    bool is_same = other->method != ETR_NONE && other->method >= first &&
                   other->candidate_count == block->candidate_count &&
                   memcmp(other->candidates, block->candidates,
                          block->candidate_count * sizeof *block->candidates) == 0;
    if (is_same)
      return other->method;
  }
  return ETR_NONE;
}

/* Gives blocks whose method is not known a method without a name: one for all blocks that may be of
 * the same methods, and one for each block for which not even that is known. So the parts of the
 * time of each add up. Returns false when out of memory. */
static bool add_unknown_methods(loader *l) {
  size_t first = l->methods.count;
  for (size_t i = 0; i < l->blocks.block_count; i++) {
    etr_block *block = &l->blocks.blocks[i];
    if (block->method != ETR_NONE || !etr_block_has_instructions(block))
      continue;
    block->method = find_unknown_method(l, block, first);
    if (block->method != ETR_NONE)
      continue;
    etr_method_inputs *added = etr_vec_push(l->arena, &l->methods);
    if (!added)
      return false;
    *added = (etr_method_inputs){.name = ""};
    if (block->candidate_count)
      added->varies = ETR_WORK_OF_SEVERAL;
    block->method = (uint32_t)(l->methods.count - 1);
  }
  return true;
}

/* Counts the multiply-accumulates of methods without an Edge graph, if there are several: runs can
 * be told apart by their times then. Returns false when out of memory. */
static bool count_macs_of_programs(const loader *l) {
  size_t programs = 0;
  for (size_t i = 0; i < l->methods.count; i++)
    programs += l->methods.data[i].program != NULL;
  for (size_t i = 0; programs > 1 && l->dumps.dumps.count && i < l->methods.count; i++) {
    etr_method_inputs *method = &l->methods.data[i];
    if (method->program && !method->graph && !etr_pte_count_macs(method))
      return false;
  }
  return true;
}

/* ---- Joining ---- */

/* Returns the ATen graph of a method; NULL if there is none. A record has one, its entry
 * exported_program, which is of its only method, or of `forward`. */
static etr_graph *aten_graph_of(loader *l, const etr_method_inputs *method) {
  bool is_other = l->opened->edge_graph_count > 1 && strcmp(method->name, "forward") != 0;
  if (l->opened->edge_only || !method->graph || is_other)
    return NULL;
  for (size_t i = 0; i < l->record.graph_count; i++)
    if (strcmp(l->record.graphs[i].module, "aten") == 0 &&
        strcmp(l->record.graphs[i].entry, "exported_program") == 0)
      return &l->record.graphs[i];
  return NULL;
}

/* Sets module, method and entry of the graph of a program's method, program/METHOD. If only Edge
 * graphs are wanted it was not built, and is an empty graph. */
static void name_program_graph(const loader *l, etr_graph *program, const char *method) {
  if (l->opened->edge_only && !program->nodes)
    *program = (etr_graph){.dialect = "program", .schema_version = "", .profile_method = ETR_NONE};
  program->module = "program";
  program->method = method;
  program->entry = l->profile->pte_entry ? l->profile->pte_entry : l->profile->pte;
}

/* Returns the error of a join that failed: a format error if the budget of nodes is spent, or else
 * that memory is. */
static etr_status fail_to_join(const loader *l, etr_error *error) {
  if (!etr_budget_refused(&l->budget))
    return etr_fail_memory(error);
  return etr_fail(error, ETR_ERROR_FORMAT, l->profile->pte, NULL, ETR_NO_OFFSET, "%s",
                  l->budget.message);
}

/* Returns true if a method has instructions, so that there is something to show as a graph. */
static bool has_program_graph(const etr_method_inputs *method) {
  return method->program && method->program->instruction_count > 0;
}

/* Joins one method: finds the nodes of its instructions and events, makes the graph of its program,
 * and fills the times of its graphs and its totals in `out`. If only Edge graphs are wanted, the
 * graph of the program is made only where events have no other. Fails when out of memory, or if the
 * budget of nodes is spent. */
static etr_status join_method(loader *l, etr_method *out, uint32_t index, etr_error *error) {
  etr_placement *placement = &l->placements[index];
  const etr_method_inputs *method = placement->method;
  bool good = etr_place_method(placement, index, &l->blocks, l->arena, &l->warnings);
  if (good && !method->graph)
    good = etr_pte_graph_stand_in(placement, index, &l->blocks, l->arena);
  if (!good)
    return fail_to_join(l, error);
  out->ambiguous_node_count = placement->ambiguous;
  bool is_shown = has_program_graph(method);
  etr_graph *program = is_shown ? etr_vec_push(l->arena, &l->programs) : NULL;
  out->computes_nothing = method->program && !is_shown;
  if (is_shown && !program)
    return etr_fail_memory(error);
  etr_method_graphs graphs = {
      .edge = method->graph ? &l->record.graphs[method->graph - l->record.graphs] : NULL,
      .aten = aten_graph_of(l, method),
      .program = l->opened->edge_only && !placement->program_graph ? NULL : program};
  if (!etr_attribute(out, &graphs, placement, index, &l->blocks, &l->warnings))
    return fail_to_join(l, error);
  if (program)
    name_program_graph(l, program, method->name);
  return ETR_OK;
}

/* Groups the runs of all ETDumps into blocks, finds the method and phase of each, excludes warm-up,
 * and joins the events of each method with nodes. Fails as join_method() does, or if the options
 * choose what does not exist. */
static etr_status join_runs(loader *l, etr_error *error) {
  if (etr_blocks_build(&l->blocks, l->arena, l->dumps.dumps.data, l->dumps.dumps.count,
                       count_running_methods(l), l->options) != ETR_OK)
    return etr_fail_memory(error);
  etr_arena_clear(&l->runs);
  if (!count_macs_of_programs(l))
    return etr_fail_memory(error);
  ETR_TRY(etr_choices_check(l->options, &l->blocks, l->methods.data, l->methods.count, error));
  l->blocks.recorded = &l->facts.recorded;
  etr_methods_decide(&l->blocks, l->methods.data, l->methods.count, l->dumps.dumps.data, l->options,
                     &l->warnings);
  const etr_known_phases *phases = NULL;
  if (add_unknown_methods(l))
    phases = etr_run_phases_find(&l->blocks, l->dumps.dumps.data, l->methods.data, l->methods.count,
                                 l->arena);
  if (!phases || !etr_skipped_find(&l->blocks, l->methods.data, l->options) ||
      !etr_blocks_group(&l->blocks, l->methods.count, l->arena))
    return etr_fail_memory(error);
  etr_method *methods = etr_arena_alloc_array(l->arena, l->methods.count, sizeof *methods);
  l->placements = etr_arena_alloc_array(l->arena, l->methods.count, sizeof *l->placements);
  if (etr_arena_failed(l->arena))
    return etr_fail_memory(error);
  for (uint32_t i = 0; i < l->methods.count; i++) {
    const etr_method_inputs *inputs = &l->methods.data[i];
    methods[i] = (etr_method){.name = inputs->name,
                              .graph = ETR_NONE,
                              .has_dynamic_inputs = inputs->varies == ETR_WORK_FOLLOWS_INPUT};
    methods[i].blocks = etr_blocks_of_method(&l->blocks, i, &methods[i].block_count);
    l->placements[i].method = inputs;
    if (!etr_shared_times_find(&methods[i], i, &l->blocks, l->methods.data, l->arena))
      return etr_fail_memory(error);
    ETR_TRY(join_method(l, &methods[i], i, error));
    if (!etr_phases_measure(&methods[i], &phases[i], &l->blocks, l->arena))
      return etr_fail_memory(error);
    if (!(l->opened->without & ETR_WITHOUT_INTERRUPTIONS) &&
        !etr_interruptions_find(&methods[i], l->blocks.ticks_per_second, l->arena))
      return etr_fail_memory(error);
  }
  if (!etr_typical_events(&l->blocks, methods))
    return etr_fail_memory(error);
  etr_payloads_warn(&l->payloads, l->profile->pte, &l->warnings);
  l->profile->methods = l->built = methods;
  l->profile->method_count = l->methods.count;
  return ETR_OK;
}

/* ---- Filling the profile ---- */

/* Where an entry point is shown: by the kind of its graph, then by module, then in the order of the
 * program. */
typedef struct ranked_entry {
  int rank;        /* of the kind of graph */
  uint32_t module; /* index of the first graph of its module */
  uint32_t method; /* index of its method in that order; ETR_NONE comes last */
  uint32_t index;  /* among the record's graphs, and then the program's */
} ranked_entry;

/* Returns a number by which graphs are sorted for display: 0 for an Edge graph with times on its
 * operators, 1 for an Edge graph without, 2 for graphs of programs, 3 for ATen graphs, and 4 for
 * others. */
static int display_rank_of(const etr_graph *graph, const etr_method *methods) {
  static const char *const modules[] = {"edge", "program", "aten"};
  bool is_timed = graph->times && graph->profile_method != ETR_NONE &&
                  etr_method_part_ticks(&methods[graph->profile_method], ETR_TIME_OPERATORS) > 0;
  for (size_t i = 0; i < ETR_COUNT(modules); i++)
    if (strcmp(graph->module, modules[i]) == 0)
      return (int)i + (i > 0 || !is_timed);
  return (int)ETR_COUNT(modules) + 1;
}

/* Returns one of the record's graphs, or, after these, of the program's. */
static const etr_graph *graph_at(const loader *l, size_t index) {
  return index < l->record.graph_count ? &l->record.graphs[index]
                                       : &l->programs.data[index - l->record.graph_count];
}

/* Maps the name of each method to its index; of methods with the same name, the first counts.
 * Returns false when out of memory. */
static bool number_methods(etr_map *out, const loader *l) {
  for (uint32_t i = 0; i < l->methods.count; i++) {
    etr_slice name = etr_slice_of(l->methods.data[i].name);
    if (etr_map_get(out, name) == ETR_NONE && !etr_map_set(out, name, i))
      return false;
  }
  return true;
}

/* Fills `ranked` with what each graph is sorted by for display. The entries of a record may be in
 * any order, so graphs are sorted by the order of methods in the program; extra modules, which the
 * caller of the export added, keep the order of their first graphs. Returns false when out of
 * memory. */
static bool rank_graphs(const loader *l, ranked_entry *ranked, size_t count) {
  etr_arena scratch = {0};
  etr_map methods, modules;
  etr_map_init(&methods, &scratch);
  etr_map_init(&modules, &scratch);
  bool good = number_methods(&methods, l);
  for (size_t i = 0; good && i < count; i++) {
    const etr_graph *graph = graph_at(l, i);
    etr_slice module = etr_slice_of(graph->module);
    uint32_t first = etr_map_get(&modules, module);
    if (first == ETR_NONE) {
      first = (uint32_t)i;
      good = etr_map_set(&modules, module, first);
    }
    ranked[i] = (ranked_entry){.rank = display_rank_of(graph, l->profile->methods),
                               .module = first,
                               .method = etr_map_get(&methods, etr_slice_of(graph->method)),
                               .index = (uint32_t)i};
  }
  etr_arena_clear(&scratch);
  return good;
}

/* Orders graphs as they are shown: by kind (rank), module, method, and then as in the record. */
static int by_display_order(const void *a, const void *b) {
  const ranked_entry *x = a, *y = b;
  if (x->rank != y->rank)
    return (x->rank > y->rank) - (x->rank < y->rank);
  if (x->module != y->module)
    return (x->module > y->module) - (x->module < y->module);
  if (x->method != y->method)
    return (x->method > y->method) - (x->method < y->method);
  return (x->index > y->index) - (x->index < y->index);
}

/* Sets each method's index of the graph to whose nodes its events were joined. `display_index` has
 * the index at which each graph is shown: first those of the record, then those of the program, of
 * which only some methods have one. */
static void set_graphs_of_methods(const loader *l, const uint32_t *display_index) {
  etr_method *methods = l->built;
  size_t program = l->record.graph_count;
  for (size_t i = 0; i < l->profile->method_count; i++) {
    const etr_method_inputs *method = &l->methods.data[i];
    if (method->graph)
      methods[i].graph = display_index[method->graph - l->record.graphs];
    else if (l->placements[i].program_graph)
      methods[i].graph = display_index[program];
    program += has_program_graph(method);
  }
}

/* Fills the profile with its graphs, in the order in which they are shown, and with its runs,
 * blocks and chosen options. Cycles were taken as ns if a tick is 1 ns and there are events whose
 * runners read a clock that counts cycles. Fails when out of memory. */
static etr_status fill_graphs_and_runs(loader *l, etr_error *error) {
  etr_profile *p = l->profile;
  size_t count = l->record.graph_count + l->programs.count;
  etr_graph *graphs = etr_arena_alloc_array(l->arena, count, sizeof *graphs);
  uint32_t *display_index = etr_arena_alloc_array(l->arena, count, sizeof *display_index);
  ranked_entry *ranked = etr_arena_alloc_array(l->arena, count, sizeof *ranked);
  if (etr_arena_failed(l->arena) || !rank_graphs(l, ranked, count))
    return etr_fail_memory(error);
  if (count)
    etr_sort(ranked, count, sizeof *ranked, by_display_order);
  for (size_t i = 0; i < count; i++) {
    display_index[ranked[i].index] = (uint32_t)i;
    graphs[i] = *graph_at(l, ranked[i].index);
  }
  p->graph_count = count;
  set_graphs_of_methods(l, display_index);
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
  p->takes_cycles_as_ns = p->ticks_per_second == 1e9 &&
                          etr_events_count_cycles(p->blocks, p->block_count);
  return etr_arena_failed(l->arena) ? etr_fail_memory(error) : ETR_OK;
}

/* ---- Lines that only call a model of a library ---- */

static bool is_same_line(const etr_source *a, const etr_source *b) {
  return a && b && a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Returns how much a node counts when source lines are compared: its time in ticks (`by_time`), or
 * else 1; 0 if it is no operator. */
static uint64_t weight_of(const etr_graph *graph, size_t node, bool by_time) {
  if (graph->nodes[node].kind != ETR_NODE_OP)
    return 0;
  return by_time ? graph->times[node].total_ticks : 1;
}

/* Returns whether a graph's operators took any time. */
static bool took_time(const etr_graph *graph) {
  uint64_t total = 0;
  for (size_t i = 0; graph->times && i < graph->node_count; i++)
    total += weight_of(graph, i, true);
  return total > 0;
}

/* Returns the line of the user's code that only wraps a model of a library: nodes with it are 90 %
 * or more of a graph, by time or number, and have a line in a library, too. NULL if there is none.
 * The first pass finds the only line that can have more than half, as in Boyer and Moore's majority
 * vote: weights of other lines cancel its own. The second pass sums its weight. */
static const etr_source *find_wrapping_line(const etr_graph *graph, bool by_time) {
  const etr_source *line = NULL;
  uint64_t lead_of_line = 0; /* weight of the line that others have not canceled */
  uint64_t weight_of_line = 0, whole_weight = 0;
  bool leads_into_library = false;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_source *source = graph->nodes[i].source;
    uint64_t weight = weight_of(graph, i, by_time);
    if (is_same_line(source, line)) {
      lead_of_line += weight;
    } else if (weight <= lead_of_line) {
      lead_of_line -= weight;
    } else {
      line = source;
      lead_of_line = weight - lead_of_line;
    }
  }
  for (size_t i = 0; i < graph->node_count; i++) {
    uint64_t weight = weight_of(graph, i, by_time);
    whole_weight += weight;
    if (!is_same_line(graph->nodes[i].source, line))
      continue;
    weight_of_line += weight;
    leads_into_library = leads_into_library || graph->nodes[i].source->library_line;
  }
  bool has_90_percent = weight_of_line / 9 >= whole_weight - weight_of_line;
  return leads_into_library && has_90_percent ? line : NULL;
}

/* Replaces the source of the nodes that have the wrapper's line by their line in the library, in a
 * copy of the graph's nodes: the record's nodes stay as they are, since other profiles read them,
 * too. Returns false when out of memory. */
static bool replace_wrapping_line(etr_graph *graph, const etr_source *wrapper, etr_arena *arena) {
  etr_node *nodes = NULL;
  for (size_t i = 0; i < graph->node_count; i++) {
    const etr_source *source = graph->nodes[i].source;
    if (!is_same_line(source, wrapper) || !source->library_line)
      continue;
    if (!nodes) {
      nodes = etr_arena_alloc_array(arena, graph->node_count, sizeof *nodes);
      if (!nodes)
        return false;
      memcpy(nodes, graph->nodes, graph->node_count * sizeof *nodes);
    }
    nodes[i].source = source->library_line;
  }
  if (nodes) {
    graph->nodes = nodes;
    graph->wrapper = wrapper;
  }
  return true;
}

/* Looks for a line of the user's code that only wraps a model of a library, and replaces it in
 * all graphs by the lines in the library. If some graphs have times, only those are searched, by
 * time; else all, by number of operators. Returns false when out of memory. */
static bool replace_wrapping_lines(const loader *l) {
  bool by_time = false;
  for (size_t i = 0; i < l->profile->graph_count; i++)
    by_time = by_time || took_time(&l->graphs[i]);
  for (size_t i = 0; i < l->profile->graph_count; i++) {
    const etr_graph *graph = &l->graphs[i];
    const etr_source *wrapper = took_time(graph) == by_time ? find_wrapping_line(graph, by_time)
                                                            : NULL;
    for (size_t k = 0; wrapper && k < l->profile->graph_count; k++)
      if (!replace_wrapping_line(&l->graphs[k], wrapper, l->arena))
        return false;
  }
  return true;
}

/* ---- Logged values ---- */

/* Sets the debug buffer of the profile, which has the bytes of logged tensors: the file that was
 * given, or else the one in the log of an ETDump, if any. Fails if a log was given as a debug
 * buffer.
 */
static etr_status find_debug_buffer(loader *l, etr_error *error) {
  const char *given = l->inputs->debug_buffer;
  const etr_slice *held = &l->dumps.debug_buffer;
  if (given && etr_serial_log_is(given))
    return etr_fail(error, ETR_ERROR_CHOICE, given, NULL, ETR_NO_OFFSET,
                    "a log: give it as an ETDump, with which its debug buffer is read");
  l->profile->debug_buffer = l->dumps.debug_buffer_path;
  l->profile->debug_buffer_bytes = (etr_bytes){held->data, held->size};
  if (!given)
    return ETR_OK;
  l->profile->debug_buffer = etr_arena_copy(l->arena, etr_slice_of(given));
  l->profile->debug_buffer_bytes = (etr_bytes){0};
  return ETR_OK;
}

/* Marks the methods of which runs that count logged values of instructions. Outputs alone do not
 * count: they are logged after the last instruction. */
static void mark_methods_that_log(loader *l) {
  for (size_t i = 0; i < l->profile->debug_value_count; i++) {
    const etr_debug_value *value = &l->profile->debug_values[i];
    if (value->method != ETR_NONE && value->instruction_id >= 0 &&
        !l->blocks.runs[value->run].is_skipped)
      l->built[value->method].logs_values = true;
  }
}

/* Lists the tensors and numbers that runs logged, and computes statistics of the tensors from the
 * debug buffer, if it is known to which ETDump the buffer belongs. Fails if the buffer cannot be
 * read, or when out of memory. */
static etr_status read_debug_data(loader *l, etr_error *error) {
  etr_debug_data data;
  if (!etr_debug_collect(&data, l->arena, l->dumps.dumps.data, l->dumps.dumps.count) ||
      !etr_debug_join(&data, &l->blocks, l->placements, l->methods.count))
    return etr_fail_memory(error);
  l->profile->debug_values = data.values;
  l->profile->debug_value_count = data.count;
  mark_methods_that_log(l);
  if (l->inputs->taps)
    l->profile->taps = etr_arena_copy(l->arena, etr_slice_of(l->inputs->taps));
  ETR_TRY(find_debug_buffer(l, error));
  if (!l->profile->debug_buffer)
    return ETR_OK;
  if (data.dumps_with_tensors > 1) {
    etr_warn(&l->warnings, l->profile->debug_buffer, NULL, ETR_NO_OFFSET,
             "several ETDumps logged tensors, and their offsets do not show which one this buffer "
             "belongs to: not read; choose one with --etdump");
    l->profile->debug_buffer = NULL;
    return ETR_OK;
  }
  ETR_TRY(etr_debug_measure(&data, l->arena, l->profile, &l->warnings, error));
  etr_debug_warn_of_nan(&data, l->profile, &l->warnings);
  return ETR_OK;
}

/* Warns of methods whose outputs are wrong because XNNPACK computes a softmax over channels.
 * Returns false when out of memory. */
static bool warn_of_misread_softmaxes(loader *l) {
  etr_arena scratch = {0};
  bool good = true;
  for (size_t i = 0; good && i < l->profile->method_count; i++) {
    const etr_method *method = &l->profile->methods[i];
    etr_misread misread;
    if (method->graph == ETR_NONE)
      continue;
    const etr_graph *graph = &l->profile->graphs[method->graph];
    good = etr_xnn_find_misread(&misread, graph, &scratch);
    if (!good || misread.count == 0)
      continue;
    etr_caution(&l->warnings, l->profile->etrecord, NULL, ETR_NO_OFFSET,
                "%s: outputs are probably wrong: XNNPACK computes %zu softmax%s (first %s) over "
                "channels, not over the last dimension, behind a convolution in one delegate "
                "(ExecuTorch 1.5.1): give it three dimensions, and compare outputs "
                "(docs/findings.md#wrong-softmax)",
                method->name, misread.count, misread.count == 1 ? "" : "es",
                graph->nodes[misread.first].name);
  }
  etr_arena_clear(&scratch);
  return good;
}

/* Makes a profile of the opened record and the ETDumps, in steps that build on each other; memory
 * plans and costs are left out if the options say so. Returns the error of the first step that
 * fails. */
static etr_status load_profile(loader *l, etr_error *error) {
  unsigned without = l->opened->without;
  ETR_TRY(etr_choices_check_clock(l->options, error));
  if (!copy_record(l))
    return etr_fail_memory(error);
  ETR_TRY(read_dumps(l, error));
  ETR_TRY(join_runs(l, error));
  if (!(without & ETR_WITHOUT_MEMORY) &&
      !etr_memory_plan_all(l->profile, l->built, l->placements, &l->opened->pte, &l->warnings,
                           l->arena))
    return etr_fail_memory(error);
  ETR_TRY(fill_graphs_and_runs(l, error));
  if (!warn_of_misread_softmaxes(l))
    return etr_fail_memory(error);
  const etr_cost_job costs = {.profile = l->profile,
                              .graphs = l->graphs,
                              .kept = l->opened->kept,
                              .arena = l->arena,
                              .warnings = &l->warnings};
  if (!(without & ETR_WITHOUT_COSTS) && !etr_costs_find(&costs))
    return etr_fail_memory(error);
  if (!replace_wrapping_lines(l))
    return etr_fail_memory(error);
  ETR_TRY(read_debug_data(l, error));
  if (!etr_throughput_fill(l->profile, l->blocks.runs, l->built, l->arena))
    return etr_fail_memory(error);
  ETR_TRY(etr_reference_compare(l->profile, l->arena, &l->warnings, error));
  etr_warn_of_taps(l->profile, &l->warnings);
  l->profile->warnings = l->warnings.list.data;
  l->profile->warning_count = l->warnings.list.count;
  return etr_arena_failed(l->arena) ? etr_fail_memory(error) : ETR_OK;
}

/* ---- What is read of the .pte, by the first join alone ---- */

/* Starts reading payloads of delegates with those that earlier profiles of the record have read; if
 * this is the first one, allocates memory for them that can outlive the profile. Returns false when
 * out of memory. */
static bool begin_payloads(profile_box *box, etr_payloads *payloads,
                           const etr_opened_record *opened) {
  const etr_kept_payloads *kept = atomic_load(&opened->known_payloads->first);
  if (!kept) {
    box->kept = calloc(1, sizeof *box->kept);
    if (!box->kept)
      return false;
    etr_arena_init(&box->kept->arena);
  }
  etr_payloads_init(payloads, kept ? &kept->payloads : NULL,
                    kept ? &box->arena : &box->kept->arena);
  return true;
}

/* Gives the payloads that this profile has read to the record, for later profiles. If another
 * thread was faster they stay this profile's, which frees them. */
static void keep_payloads(profile_box *box, const etr_payloads *payloads,
                          const etr_opened_record *opened) {
  etr_kept_payloads *none = NULL;
  if (!box->kept)
    return;
  box->kept->payloads = *payloads;
  if (atomic_compare_exchange_strong(&opened->known_payloads->first, &none, box->kept))
    box->kept = NULL;
}

/* On failure all is freed and *out is NULL. */
etr_status etr_join_dumps(etr_profile **out, const etr_opened_record *opened,
                          const etr_inputs *dumps, const etr_options *options, etr_error *error) {
  static const etr_options defaults = {0};
  *out = NULL;
  etr_error_clear(error);
  if (etr_inputs_have_new_buffers(dumps)) {
    etr_inputs found;
    ETR_TRY(etr_inputs_of_buffers(&found, dumps, error));
    etr_status status = etr_join_dumps(out, opened, &found, options, error);
    etr_inputs_clear(&found);
    return status;
  }
  profile_box *box = calloc(1, sizeof *box);
  if (!box)
    return etr_fail_memory(error);
  etr_arena_init(&box->arena);
  loader l = {.profile = &box->profile,
              .arena = &box->arena,
              .inputs = dumps,
              .options = options ? options : &defaults,
              .opened = opened,
              .warnings = {.arena = &box->arena}};
  etr_map_init(&l.names, l.arena);
  if (!begin_payloads(box, &l.payloads, opened)) {
    etr_profile_close(&box->profile);
    return etr_fail_memory(error);
  }
  etr_status status = etr_held_buffers_share(&box->held, dumps->held, error);
  l.facts = etr_find_record_facts(dumps, l.options->instructions, l.arena);
  if (status == ETR_OK)
    status = load_profile(&l, error);
  etr_arena_clear(&l.runs);
  if (status == ETR_OK && etr_arena_failed(l.payloads.arena))
    status = etr_fail_memory(error);
  if (status == ETR_OK) {
    if (dumps->folder)
      box->profile.folder = etr_arena_copy(&box->arena, etr_slice_of(dumps->folder));
    box->profile.vnni = l.facts.vnni;
    box->profile.recorded_at = l.facts.recorded_at;
    box->profile.threads = l.facts.threads;
    box->profile.is_in_turns = l.facts.is_in_turns;
    box->profile.has_optimized_kernels = l.facts.has_optimized;
    keep_payloads(box, &l.payloads, opened);
  }
  if (status == ETR_OK)
    *out = &box->profile;
  else
    etr_profile_close(&box->profile);
  return status;
}

/* The profile owns the record that it opens. Nothing is kept in it for other profiles (kept is
 * NULL), and the bytes of the .pte are freed, because no later join reads them. */
etr_status etr_profile_open(etr_profile **out, const etr_inputs *inputs, const etr_options *options,
                            etr_error *error) {
  etr_opened_record *opened;
  *out = NULL;
  etr_error_clear(error);
  if (etr_inputs_have_new_buffers(inputs)) {
    etr_inputs found;
    ETR_TRY(etr_inputs_of_buffers(&found, inputs, error));
    etr_status status = etr_profile_open(out, &found, options, error);
    etr_inputs_clear(&found);
    return status;
  }
  if (!inputs->etrecord && inputs->etdump_count == 0 && !inputs->pte)
    return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                    "neither an ETRecord nor an ETDump nor a .pte was given");
  ETR_TRY(etr_open_record(&opened, inputs, options, error));
  opened->kept = NULL;
  etr_status status = etr_join_dumps(out, opened, inputs, options, error);
  if (status == ETR_OK) {
    ((profile_box *)*out)->own = opened;
    etr_file_clear(&opened->pte.file);
  } else {
    etr_close_record(opened);
  }
  return status;
}

/* Also closes the record, if etr_profile_open() opened it. */
void etr_profile_close(etr_profile *profile) {
  profile_box *box = (profile_box *)profile;
  if (!box)
    return;
  etr_close_record(box->own);
  etr_held_buffers_release(box->held);
  etr_kept_payloads_free(box->kept);
  etr_arena_clear(&box->arena);
  free(box);
}
