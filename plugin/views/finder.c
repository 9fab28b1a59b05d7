/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finder.c - what the rules of findings share: times of nodes, texts, and new findings.
 */
#include "views/finder.h"

#include "base/natural.h"
#include "output/label.h"
#include "output/text_table.h"

uint64_t etr_finder_usual(const etr_finder *finder, double typical) {
  return (uint64_t)(typical * (double)finder->method->run_count + 0.5);
}

double etr_finder_whole(const etr_finder *finder) {
  double typical = finder->method->execute.typical,
         usual = typical - finder->groups->interruptions.whole;
  return usual > 0 ? usual : typical;
}

/* The same of Method::execute, over all runs. */
static uint64_t whole_ticks_of(const etr_finder *finder) {
  uint64_t usual = etr_finder_usual(finder, finder->method->execute.typical);
  return usual ? usual : finder->method->execute_ticks;
}

etr_finding *etr_finder_add(etr_finder *finder, etr_finding_kind kind, uint64_t cost,
                            double potential) {
  double whole = (double)whole_ticks_of(finder), runs = (double)finder->method->run_count;
  double share = ETR_MIN((double)cost, whole) / whole, saved = ETR_MIN(potential, whole) / whole;
  if (isnan(potential))
    saved = NAN;
  double usual = etr_finder_whole(finder) * runs; /* 0 without a typical run */
  double least = ETR_FINDING_LEAST_SHARE * (usual > 0 ? usual / whole : 1);
  if (!((isnan(saved) ? share : saved) >= least))
    return NULL;
  etr_finding *added = etr_vec_push(finder->arena, &finder->found);
  if (added)
    *added = (etr_finding){.kind = kind,
                           .title = "",
                           .fact = "",
                           .evidence = "",
                           .caveat = "",
                           .cost = share * whole / runs,
                           .share = share,
                           .least = NAN,
                           .potential = saved * whole / runs,
                           .potential_share = saved,
                           .slope = NAN};
  return added;
}

void etr_finding_judge(etr_finding *finding, etr_sureness sureness, const char *caveat) {
  finding->sureness = sureness;
  finding->caveat = caveat ? caveat : "";
}

void etr_finding_save_at_least(const etr_finder *finder, etr_finding *finding, double ticks) {
  double least = ticks / (double)finder->method->run_count;
  finding->least = least > 0 ? ETR_MIN(least, finding->potential) : NAN;
}

int64_t etr_layer_rows(const etr_node *layer) {
  int64_t rows = 1;
  const etr_value *out = layer->output_count ? &layer->outputs[0] : NULL;
  for (int32_t i = 0; out && i + 1 < out->rank; i++) {
    if (out->dims[i].size <= 0 || rows > INT32_MAX / out->dims[i].size)
      return 0;
    rows *= out->dims[i].size;
  }
  return out && out->rank > 0 ? rows : 0;
}

/* Returns the value that a node reads first; NULL if it reads none. */
static const etr_value *first_input_of(const etr_graph *graph, const etr_node *node) {
  const etr_edge *edge = node->input_count ? &node->inputs[0] : NULL;
  const etr_node *source = edge ? &graph->nodes[edge->node] : NULL;
  return source && edge->output < source->output_count ? &source->outputs[edge->output] : NULL;
}

/* Returns true if two values have the same known shape. */
static bool has_same_shape(const etr_value *a, const etr_value *b) {
  if (a->rank < 0 || a->rank != b->rank)
    return false;
  for (int32_t i = 0; i < a->rank; i++)
    if (a->dims[i].size != b->dims[i].size || a->dims[i].size == ETR_DIM_SYMBOLIC)
      return false;
  return true;
}

bool etr_finder_changes_nothing(const etr_finder *finder, const etr_node *node) {
  static const char *const names[] = {"expand_copy", "slice_copy", "view_copy",
                                      "clone",       "alias",      "alias_copy"};
  const etr_value *from = first_input_of(finder->graph, node);
  const etr_value *to = node->output_count ? &node->outputs[0] : NULL;
  if (!from || !to || !has_same_shape(from, to) || !from->dtype || !to->dtype ||
      strcmp(from->dtype, to->dtype) != 0)
    return false;
  return etr_is_one_of(finder, node, names, ETR_COUNT(names));
}

const etr_value *etr_finder_depthwise_weight(const etr_finder *finder, const etr_node *node) {
  const etr_node *weight = node->input_count > 1 ? &finder->graph->nodes[node->inputs[1].node]
                                                 : NULL;
  const etr_value *value = weight && weight->output_count ? &weight->outputs[0] : NULL;
  bool is_one_channel = !etr_is_program(finder->graph) && value && value->rank >= 3 &&
                        value->dims[1].size == 1 && value->dims[0].size > 1;
  return is_one_channel ? value : NULL;
}

const char *etr_finder_class(const etr_finder *finder, uint32_t node) {
  uint32_t module = etr_counted_module(finder->graph, finder->graph->nodes[node].module);
  const char *type = etr_or_empty(finder->graph->modules[module].type);
  const char *dot = strrchr(type, '.');
  return dot ? dot + 1 : type;
}

bool etr_is_recurrent(const char *name) {
  static const char *const names[] = {"LSTM", "GRU", "RNN"};
  for (size_t i = 0; i < ETR_COUNT(names); i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

const char *etr_finder_short_op(const etr_finder *finder, const char *target) {
  return etr_or_empty(etr_arena_copy(finder->arena, etr_label_op(target)));
}

const char *etr_finder_backend(const etr_finder *finder, const char *backend) {
  return etr_or_empty(etr_label_backend(finder->arena, backend));
}

const char *etr_finder_time_of(const etr_finder *finder, double ticks) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_put_time(&writer, finder->profile, ticks, finder->unit);
  etr_putf(&writer, " %s", etr_unit_name(finder->unit));
  return etr_or_empty(etr_text_end(&text, &writer));
}

const char *etr_finder_amount(const etr_finder *finder, double figure, const char *unit) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  if (figure < 999.5) {
    etr_put_significant(&writer, figure);
    etr_puts(&writer, " ");
  } else {
    etr_put_amount(&writer, figure); /* "90.5 G" */
  }
  etr_puts(&writer, unit);
  return etr_or_empty(etr_text_end(&text, &writer));
}

const char *etr_finder_time(const etr_finder *finder, uint64_t ticks) {
  return etr_finder_time_of(finder, (double)ticks / (double)finder->method->run_count);
}

bool etr_finder_measure_nodes(etr_finder *finder) {
  if (!finder->graph)
    return true;
  finder->usual = etr_interruptions_usual_nodes(&finder->groups->interruptions, finder->arena,
                                                finder->method, finder->graph);
  return finder->usual != NULL;
}

uint64_t etr_finder_node_ticks(const etr_finder *finder, uint32_t node) {
  return etr_finder_usual(finder, finder->usual[node]);
}

uint64_t etr_finder_kernel_ticks(const etr_finder *finder, uint32_t node) {
  return etr_finder_node_ticks(finder, node) + finder->call_ticks[node];
}

double etr_finder_ns(const etr_finder *finder, uint64_t ticks) {
  return etr_ticks_to_ns(finder->profile, (double)ticks / (double)finder->method->run_count);
}

const char *etr_finder_node_name(const etr_finder *finder, uint32_t node) {
  return etr_or_empty(etr_label_node(finder->arena, finder->graph, node));
}

bool etr_is_one_of(const etr_finder *finder, const etr_node *node, const char *const *names,
                   size_t count) {
  etr_slice op = finder->ops[node - finder->graph->nodes];
  for (size_t i = 0; op.size && i < count; i++) /* the first letter decides nearly always */
    if (names[i][0] == op.data[0] && etr_slice_equal(op, etr_slice_of(names[i])))
      return true;
  return false;
}

bool etr_finder_list_nodes(const etr_finder *finder, etr_finding *finding, const bool *marked) {
  uint32_t *nodes = etr_arena_alloc_array(finder->arena, finder->timed_count, sizeof *nodes);
  for (size_t i = 0; nodes && i < finder->timed_count; i++)
    if (marked[finder->by_time[i]])
      nodes[finding->node_count++] = finder->by_time[i];
  finding->nodes = nodes;
  return nodes != NULL;
}

static int by_total(const void *a, const void *b) {
  const etr_breakdown_row *x = a, *y = b;
  if (x->total_ticks != y->total_ticks)
    return x->total_ticks < y->total_ticks ? 1 : -1;
  return etr_natural_compare(x->key, y->key);
}

bool etr_finder_sum_by_operator(const etr_finder *finder, etr_breakdown *rows, const bool *marked,
                                bool with_calls) {
  etr_breakdown by[ETR_BREAKDOWNS];
  if (!etr_breakdowns_make(by, 1u << ETR_BY_OP | ETR_BREAKDOWN_OF_TICKS, finder->arena,
                           finder->profile, finder->method, marked))
    return false;
  *rows = by[ETR_BY_OP];
  uint64_t *usual = etr_arena_alloc_array(finder->arena, rows->count, sizeof *usual);
  for (uint32_t i = 0; usual && i < finder->graph->node_count; i++)
    if (rows->row_of_node[i] != ETR_NONE)
      usual[rows->row_of_node[i]] += with_calls ? etr_finder_kernel_ticks(finder, i)
                                                : etr_finder_node_ticks(finder, i);
  for (size_t i = 0; usual && i < rows->count; i++)
    rows->rows[i].total_ticks = usual[rows->rows[i].number];
  etr_sort(rows->rows, rows->count, sizeof *rows->rows, by_total);
  return usual != NULL;
}

const char *etr_finder_by_operator(const etr_finder *finder, const bool *marked, bool with_calls) {
  enum { LISTED = 4 };
  etr_breakdown rows;
  etr_text text;
  etr_writer writer;
  if (!etr_finder_sum_by_operator(finder, &rows, marked, with_calls))
    return "";
  etr_text_begin(&text, finder->arena, &writer);
  for (size_t i = 0; i < rows.count && i < LISTED; i++)
    etr_putf(&writer, "%s%zu %s %s", i ? ", " : "", rows.rows[i].node_count, rows.rows[i].key,
             etr_finder_time(finder, rows.rows[i].total_ticks));
  if (rows.count > LISTED)
    etr_putf(&writer, ", %zu other kind%s", rows.count - LISTED, etr_plural(rows.count - LISTED));
  return etr_or_empty(etr_text_end(&text, &writer));
}
