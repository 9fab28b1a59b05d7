/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary.c - gathering what is known of a method's time.
 */
#include "views/summary.h"

#include "base/natural.h"
#include "output/node_filter.h"
#include "output/ranking.h"
#include "views/run_stats.h"
#include "views/timed_node.h"

#include <stdlib.h>

const char *etr_breakdown_name(etr_breakdown_by by) {
  static const char *const names[] = {"by_op", "by_module", "by_pattern", "by_backend",
                                      "by_source"};
  return names[by];
}

/* Sets summary->nodes to the timed nodes that are wanted (a flag for each node), by time or by
 * operator, and adds up their time over all runs (part_ticks) and in the typical run
 * (part_typical), and their medians (summed_p50). Returns false when out of memory. */
static bool list_wanted_nodes(etr_summary *summary, etr_arena *arena, const bool *wanted,
                              etr_node_order order) {
  size_t all_count = summary->graph ? summary->graph->node_count : 0, count = 0;
  etr_timed_node *timed_nodes = etr_arena_alloc_array(arena, all_count, sizeof *timed_nodes);
  uint32_t *nodes = etr_arena_alloc_array(arena, all_count, sizeof *nodes);
  if (etr_arena_failed(arena))
    return false;
  for (uint32_t i = 0; i < all_count; i++) {
    const etr_node_time *time = &summary->graph->times[i];
    if (!wanted[i] || time->runs == 0)
      continue;
    timed_nodes[count++] = (etr_timed_node){
        .ticks = etr_ranking_time(summary->profile, etr_times_of_node(time)),
        .node = i,
        .op = summary->graph->nodes[i].target};
    summary->part_ticks += time->total_ticks;
    summary->part_typical += time->typical;
    summary->summed_p50 += time->per_run.p50;
  }
  etr_sort(timed_nodes, count, sizeof *timed_nodes,
           order == ETR_ORDER_NAME ? etr_timed_node_by_op : etr_timed_node_order);
  for (size_t i = 0; i < count; i++)
    nodes[i] = timed_nodes[i].node;
  summary->nodes = nodes;
  summary->node_count = count;
  return true;
}

/* Removes findings that are about no wanted node (a flag for each). Returns false when out of
 * memory. */
static bool keep_wanted_findings(etr_summary *summary, etr_arena *arena, const bool *wanted) {
  etr_finding *kept = etr_arena_alloc_array(arena, summary->findings.count, sizeof *kept);
  size_t count = 0;
  if (!kept)
    return false;
  for (size_t i = 0; i < summary->findings.count; i++) {
    const etr_finding *finding = &summary->findings.list[i];
    bool is_about = false;
    for (size_t k = 0; k < finding->node_count; k++)
      is_about |= wanted[finding->nodes[k]];
    if (is_about)
      kept[count++] = *finding;
  }
  summary->findings.list = kept;
  summary->findings.count = count;
  summary->findings.advice = SIZE_MAX;
  return true;
}

/* Returns a method of runs of which it is not known which of several methods ran: with the graph of
 * what all these have in common, whose index is `graph`, and with what is known of the runs. */
static etr_method join_shared_method(const etr_method *method, uint32_t graph) {
  etr_method joined = *method->shared->method;
  joined.name = method->name;
  joined.graph = graph;
  joined.shared = method->shared;
  joined.has_dynamic_inputs = method->has_dynamic_inputs;
  joined.starts_with_prompt = method->starts_with_prompt;
  joined.noise = method->noise;
  joined.slow_runs = method->slow_runs;
  joined.run_phases = method->run_phases;
  joined.run_phase_count = method->run_phase_count;
  joined.mixed_phase_count = method->mixed_phase_count;
  return joined;
}

bool etr_summary_share(const etr_profile **profile, etr_arena *arena) {
  const etr_profile *from = *profile;
  size_t count = 0, graph_count = from->graph_count;
  for (size_t i = 0; i < from->method_count; i++)
    count += from->methods[i].shared != NULL;
  if (count == 0)
    return true;
  etr_profile *made = etr_arena_alloc(arena, sizeof *made);
  etr_graph *graphs = etr_arena_alloc_array(arena, graph_count + count, sizeof *graphs);
  etr_method *methods = etr_arena_alloc_array(arena, from->method_count, sizeof *methods);
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < graph_count; i++)
    graphs[i] = from->graphs[i];
  for (size_t i = 0; i < from->method_count; i++) {
    methods[i] = from->methods[i];
    if (!methods[i].shared)
      continue;
    graphs[graph_count] = *methods[i].shared->graph;
    methods[i] = join_shared_method(&from->methods[i], (uint32_t)graph_count++);
  }
  *made = *from;
  made->graphs = graphs;
  made->graph_count = graph_count;
  made->methods = methods;
  *profile = made;
  return true;
}

bool etr_summary_make(etr_summary *out, etr_arena *arena, const etr_profile *profile,
                      const etr_method *method, etr_summary_choice choice) {
  const etr_graph *graph = method->graph == ETR_NONE ? NULL : &profile->graphs[method->graph];
  *out = (etr_summary){.profile = profile,
                       .method = method,
                       .graph = graph && graph->times ? graph : NULL,
                       .is_part = etr_filter_is_active(choice.filter)};
  /* A flag for each node that the filter takes. */
  bool *wanted = etr_arena_alloc_array(arena, out->graph ? out->graph->node_count : 0,
                                       sizeof *wanted);
  for (size_t i = 0; wanted && out->graph && i < out->graph->node_count; i++)
    wanted[i] = etr_filter_takes_node(choice.filter, out->graph, i);
  if (!wanted || !list_wanted_nodes(out, arena, wanted, choice.order))
    return false;
  if (!etr_breakdowns_make(out->by, choice.parts, arena, profile, method, wanted))
    return false;
  for (etr_breakdown_by by = ETR_BY_OP; choice.order == ETR_ORDER_NAME && by <= ETR_BY_SOURCE; by++)
    etr_breakdown_sort_by_key(&out->by[by]);
  bool modules = choice.parts & 1u << ETR_BY_MODULE,
       patterns = modules && choice.parts & 1u << ETR_BY_PATTERN;
  if (modules &&
      !etr_module_tree_make(&out->modules, arena, profile, method, &out->by[ETR_BY_MODULE]))
    return false;
  if (patterns &&
      !etr_module_patterns_make(&out->patterns, arena, profile, &out->modules,
                                &out->by[ETR_BY_PATTERN], choice.order == ETR_ORDER_NAME))
    return false;
  if (!etr_first_run_of(&out->first_run, arena, profile, method))
    return false;
  if (!(choice.parts & ETR_SUMMARY_FINDINGS))
    return true;
  return etr_findings_make(&out->findings, arena, profile, method, choice.unit) &&
         (!out->is_part || keep_wanted_findings(out, arena, wanted));
}

/* ---- Rows by file ---- */

/* Compares pointers to rows for qsort(): by file and line. Rows of nodes whose source was not
 * recorded come after all files. */
static int by_file_and_line(const void *a, const void *b) {
  const etr_source *x = (*(const etr_breakdown_row *const *)a)->source;
  const etr_source *y = (*(const etr_breakdown_row *const *)b)->source;
  if (!x || !y)
    return !x - !y;
  int compared = strcmp(x->file, y->file);
  return compared ? compared : (x->line > y->line) - (x->line < y->line);
}

/* Compares files for qsort(): by path; what has no source comes last. */
static int by_path(const void *a, const void *b) {
  const etr_source_lines *x = a, *y = b;
  if (!x->path || !y->path)
    return !x->path - !y->path;
  return etr_natural_compare(x->path, y->path);
}

/* Compares files for qsort(): by weight, the largest first. */
static int by_weight(const void *a, const void *b) {
  const etr_source_lines *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  return by_path(a, b);
}

static bool is_same_file(const etr_breakdown_row *a, const etr_breakdown_row *b) {
  return a->source && b->source ? strcmp(a->source->file, b->source->file) == 0
                                : a->source == b->source;
}

/* Sets the sum of the medians of each file's lines, that of all files, and the weight that files
 * are ranked by. */
static void weigh_files(etr_source_lines *files, size_t count, const etr_summary *s) {
  const etr_breakdown *by = &s->by[ETR_BY_SOURCE];
  for (size_t i = 0; i < count; i++) {
    files[i].summed_p50 = by->summed_p50;
    for (size_t k = 0; by->stats && k < files[i].count; k++)
      files[i].p50 += by->stats[files[i].rows[k]->number].p50;
    const etr_times times = {files[i].typical, etr_ticks_per_run(s->method, files[i].total_ticks),
                             files[i].p50};
    files[i].weight = etr_ranking_time(s->profile, times);
  }
}

const etr_source_lines *etr_source_lines_make(size_t *count, etr_arena *arena,
                                              const etr_summary *summary, bool paths_first) {
  const etr_breakdown *by = &summary->by[ETR_BY_SOURCE];
  const etr_breakdown_row **rows = etr_arena_alloc_array(arena, by->count, sizeof *rows);
  const etr_source **sources = etr_arena_alloc_array(arena, by->count, sizeof *sources);
  etr_source_lines *files = etr_arena_alloc_array(arena, by->count, sizeof *files);
  *count = 0;
  if (etr_arena_failed(arena))
    return NULL;
  for (size_t i = 0; i < by->count; i++)
    rows[i] = &by->rows[i];
  etr_sort(rows, by->count, sizeof *rows, by_file_and_line);
  for (size_t i = 0; i < by->count; i++) {
    sources[i] = rows[i]->source;
    if (i == 0 || !is_same_file(rows[i - 1], rows[i]))
      files[(*count)++] = (etr_source_lines){
          .path = sources[i] ? sources[i]->file : NULL, .rows = &rows[i], .sources = &sources[i]};
    etr_source_lines *file = &files[*count - 1];
    file->count++;
    file->total_ticks += rows[i]->total_ticks;
    file->typical += rows[i]->typical;
    file->node_count += rows[i]->node_count;
  }
  weigh_files(files, *count, summary);
  etr_sort(files, *count, sizeof *files, paths_first ? by_path : by_weight);
  return files;
}

/* ---- Nodes by source line and pattern ---- */

/* A node that was timed. */
typedef struct timed {
  const char *pattern, *path; /* of its module */
  uint32_t line;
  uint64_t ticks;
  double typical;
} timed;

/* Orders nodes by line, then by the pattern and the path of their module. */
static int by_module(const void *a, const void *b) {
  const timed *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  int compared = strcmp(x->pattern, y->pattern);
  return compared ? compared : strcmp(x->path, y->path);
}

/* Orders patterns by line, then by time, the longest first, then by name. */
static int by_time(const void *a, const void *b) {
  const etr_line_pattern *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  if (x->typical != y->typical)
    return x->typical < y->typical ? 1 : -1;
  if (x->total_ticks != y->total_ticks)
    return x->total_ticks < y->total_ticks ? 1 : -1;
  return strcmp(x->pattern, y->pattern);
}

/* Returns the timed nodes of a summary, sorted by line and module; NULL when out of memory. */
static timed *list_timed(etr_arena *arena, const etr_summary *s) {
  timed *list = etr_arena_alloc_array(arena, s->node_count, sizeof *list);
  if (!list)
    return NULL;
  for (size_t i = 0; i < s->node_count; i++) {
    uint32_t node = s->nodes[i];
    const etr_node_time *time = &s->graph->times[node];
    uint32_t module_index = etr_counted_module(s->graph, s->graph->nodes[node].module);
    const etr_module *module = &s->graph->modules[module_index];
    list[i] = (timed){.pattern = module->pattern,
                      .path = module->path,
                      .line = s->by[ETR_BY_SOURCE].row_of_node[node],
                      .ticks = time->total_ticks,
                      .typical = time->typical};
  }
  etr_sort(list, s->node_count, sizeof *list, by_module);
  return list;
}

bool etr_line_patterns_make(etr_line_patterns *out, etr_arena *arena, const etr_summary *summary) {
  size_t lines = summary->by[ETR_BY_SOURCE].count, nodes = summary->node_count;
  const timed *list = list_timed(arena, summary);
  etr_line_pattern *rows = etr_arena_alloc_array(arena, nodes, sizeof *rows);
  size_t *first = etr_arena_alloc_array(arena, lines + 1, sizeof *first);
  if (!list || !rows || !first)
    return false;
  /* Adjacent nodes of the same line and pattern are added up. */
  size_t count = 0;
  for (size_t i = 0; i < nodes; i++) {
    bool is_same = i > 0 && list[i].line == list[i - 1].line &&
                   strcmp(list[i].pattern, list[i - 1].pattern) == 0;
    if (!is_same)
      rows[count++] = (etr_line_pattern){.pattern = list[i].pattern, .line = list[i].line};
    etr_line_pattern *row = &rows[count - 1];
    row->module_count += !is_same || strcmp(list[i].path, list[i - 1].path) != 0;
    row->total_ticks += list[i].ticks;
    row->typical += list[i].typical;
    row->node_count++;
  }
  etr_sort(rows, count, sizeof *rows, by_time);
  /* Where the rows of a line end is where those of the next one begin. */
  for (size_t i = 0; i < count; i++)
    first[rows[i].line + 1] = i + 1;
  for (size_t line = 1; line <= lines; line++)
    first[line] = ETR_MAX(first[line], first[line - 1]);
  *out = (etr_line_patterns){rows, first};
  return true;
}
