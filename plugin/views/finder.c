/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finder.c - what the rules of findings share: times of nodes, texts, and new findings.
 */
#include "views/finder.h"

#include "base/method_parts.h"
#include "base/natural.h"
#include "output/label.h"
#include "output/text_table.h"

uint64_t etr_finder_over_runs(const etr_finder *finder, double typical) {
  return (uint64_t)(typical * (double)finder->method->run_count + 0.5);
}

double etr_finder_uninterrupted(const etr_finder *finder) {
  double typical = finder->method->execute.typical;
  double uninterrupted = etr_uninterrupted_ticks(finder->method);
  return uninterrupted > 0 ? uninterrupted : typical;
}

/* Returns what Method::execute takes over all runs, in ticks, if each run is like the typical one,
 * or what it took if there is no typical one. */
static uint64_t execute_ticks_over_runs(const etr_finder *finder) {
  uint64_t ticks = etr_finder_over_runs(finder, finder->method->execute.typical);
  return ticks ? ticks : finder->method->execute_ticks;
}

etr_finding *etr_finder_add_if_large(etr_finder *finder, etr_finding_kind kind, uint64_t cost,
                                     double potential) {
  double whole = (double)execute_ticks_over_runs(finder);
  double runs = (double)finder->method->run_count;
  double share = ETR_MIN((double)cost, whole) / whole;
  double saved = isnan(potential) ? NAN : ETR_MIN(potential, whole) / whole;
  double uninterrupted = etr_finder_uninterrupted(finder) * runs; /* 0 without a typical run */
  double least = ETR_FINDING_LEAST_SHARE * (uninterrupted > 0 ? uninterrupted / whole : 1);
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

void etr_finding_set_sureness(etr_finding *finding, etr_sureness sureness, const char *caveat) {
  finding->sureness = sureness;
  finding->caveat = caveat ? caveat : "";
}

void etr_finding_set_least_saving(const etr_finder *finder, etr_finding *finding, double ticks) {
  double least = ticks / (double)finder->method->run_count;
  finding->least = least > 0 ? ETR_MIN(least, finding->potential) : NAN;
}

bool etr_finder_has_kind(const etr_finder *finder, etr_finding_kind kind) {
  for (size_t i = 0; i < finder->found.count; i++)
    if (finder->found.data[i].kind == kind)
      return true;
  return false;
}

int64_t etr_layer_rows(const etr_node *layer) {
  int64_t rows = 1;
  const etr_value *result = layer->output_count ? &layer->outputs[0] : NULL;
  if (!result || result->rank <= 0)
    return 0;
  for (int32_t i = 0; i + 1 < result->rank; i++) {
    int64_t size = result->dims[i].size;
    if (size <= 0 || rows > INT32_MAX / size) /* symbolic, or too large */
      return 0;
    rows *= size;
  }
  return rows;
}

/* Returns a value that a node reads; NULL if it reads none at this place. */
static const etr_value *input_of(const etr_graph *graph, const etr_node *node, size_t index) {
  const etr_edge *edge = index < node->input_count ? &node->inputs[index] : NULL;
  const etr_node *source = edge ? &graph->nodes[edge->node] : NULL;
  return source && edge->output < source->output_count ? &source->outputs[edge->output] : NULL;
}

const etr_value *etr_finder_first_input(const etr_graph *graph, const etr_node *node) {
  return input_of(graph, node, 0);
}

bool etr_layer_has_groups(const etr_finder *finder, uint32_t layer) {
  enum { GROUP = 32 }; /* of 8da4w in XNNPACK's recipe */
  const etr_value *input = input_of(finder->graph, &finder->graph->nodes[layer],
                                    etr_slice_is(finder->ops[layer], "addmm") ? 1 : 0);
  int64_t size = input && input->rank > 0 ? input->dims[input->rank - 1].size : 0;
  return size < 0 || size % GROUP == 0; /* or not known */
}

bool etr_finder_has_same_shape(const etr_value *a, const etr_value *b) {
  if (a->rank < 0 || a->rank != b->rank)
    return false;
  for (int32_t i = 0; i < a->rank; i++)
    if (a->dims[i].size != b->dims[i].size || a->dims[i].size == ETR_DIM_SYMBOLIC)
      return false;
  return true;
}

bool etr_finder_changes_nothing(const etr_finder *finder, const etr_node *node) {
  static const char *const aliases[] = {"alias", "alias_copy", "detach_copy"};
  static const char *const names[] = {"expand_copy", "slice_copy", "view_copy", "clone"};
  if (etr_is_one_of(finder, node, aliases, ETR_COUNT(aliases)))
    return true; /* whatever its shape, which an ETDump alone lacks */
  const etr_value *from = etr_finder_first_input(finder->graph, node);
  const etr_value *to = node->output_count ? &node->outputs[0] : NULL;
  if (!from || !to || !etr_finder_has_same_shape(from, to))
    return false;
  bool has_same_type = from->dtype && to->dtype && strcmp(from->dtype, to->dtype) == 0;
  return has_same_type && etr_is_one_of(finder, node, names, ETR_COUNT(names));
}

const etr_value *etr_finder_convolution_weight(const etr_finder *finder, const etr_node *node) {
  uint32_t maker = node->input_count > 1 ? node->inputs[1].node : ETR_NONE;
  const etr_node *weight = maker != ETR_NONE ? &finder->graph->nodes[maker] : NULL;
  return weight && weight->output_count ? &weight->outputs[0] : NULL;
}

/* XNNPACK's weights have the shape (1, height, width, filters), Edge's (filters, 1, height, width),
 * without a height for a signal. */
bool etr_finder_depthwise_filters(const etr_finder *finder, const etr_node *node,
                                  etr_filters *filters) {
  const etr_value *weight = etr_finder_convolution_weight(finder, node);
  bool is_of_program = etr_is_program(finder->graph);
  bool is_of_payload = is_of_program && strcmp(node->target, "DepthwiseConv2d") == 0;
  if (!weight || weight->rank < (is_of_payload ? 4 : 3) || (is_of_program && !is_of_payload))
    return false;
  const etr_dim *dims = weight->dims;
  if (is_of_payload)
    *filters = (etr_filters){dims[3].size, dims[1].size, dims[2].size};
  else
    *filters = (etr_filters){dims[0].size, weight->rank > 3 ? dims[2].size : 1,
                             dims[weight->rank - 1].size};
  return (is_of_payload || dims[1].size == 1) && filters->count > 1;
}

bool etr_finder_is_depthwise(const etr_finder *finder, const etr_node *node) {
  etr_filters filters;
  return etr_finder_depthwise_filters(finder, node, &filters);
}

const char *etr_finder_module_class(const etr_finder *finder, uint32_t node) {
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

const char *etr_finder_backend_name(const etr_finder *finder, const char *backend) {
  return etr_or_empty(etr_label_backend(finder->arena, backend));
}

const char *etr_finder_time_text(const etr_finder *finder, double ticks) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, finder->arena, &writer);
  etr_put_time(&writer, finder->profile, ticks, finder->unit);
  etr_putf(&writer, " %s", etr_unit_name(finder->unit));
  return etr_or_empty(etr_text_end(&text, &writer));
}

const char *etr_finder_amount_text(const etr_finder *finder, double figure, const char *unit) {
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

const char *etr_finder_time_per_run(const etr_finder *finder, uint64_t ticks) {
  return etr_finder_time_text(finder, (double)ticks / (double)finder->method->run_count);
}

bool etr_finder_measure_nodes(etr_finder *finder) {
  const etr_method *method = finder->method;
  size_t node_count = finder->graph ? finder->graph->node_count : 0;
  double *own = etr_arena_alloc_array(finder->arena, node_count, sizeof *own);
  double *calls = etr_arena_alloc_array(finder->arena, node_count, sizeof *calls);
  if (!own || !calls)
    return false;
  for (size_t i = 0; i < node_count; i++)
    own[i] = finder->graph->times[i].typical;
  for (size_t i = 0; finder->graph && i < etr_slice_count(method); i++) {
    const etr_time_slice *slice = &method->time_slices[i];
    if (slice->node == ETR_NONE)
      continue;
    if (slice->part == ETR_TIME_RUNTIME)
      calls[slice->node] += etr_slice_uninterrupted(method, i);
    else
      own[slice->node] = fmax(own[slice->node] - etr_slice_interrupted(method, i), 0);
  }
  finder->uninterrupted = own;
  finder->calls = calls;
  return true;
}

uint64_t etr_finder_node_ticks(const etr_finder *finder, uint32_t node) {
  return etr_finder_over_runs(finder, finder->uninterrupted[node]);
}

bool etr_event_ticks_make(etr_event_ticks *out, const etr_finder *finder) {
  const etr_method *method = finder->method;
  *out = (etr_event_ticks){0};
  etr_map_init(&out->numbers, finder->arena);
  for (size_t i = 0; i < method->time_slice_count; i++) {
    const etr_event *event = method->time_slices[i].event;
    uint32_t number = etr_map_number(&out->numbers, ETR_BYTES(event));
    if (number == ETR_NONE)
      return false;
    if (number == out->typical.count) {
      double *added = etr_vec_push(finder->arena, &out->typical);
      if (!added)
        return false;
      *added = 0;
    }
    out->typical.data[number] += etr_slice_uninterrupted(method, i);
  }
  return true;
}

uint64_t etr_event_ticks_of(const etr_event_ticks *ticks, const etr_finder *finder,
                            const etr_event *event) {
  uint32_t number = etr_map_get(&ticks->numbers, ETR_BYTES(event));
  double typical = number == ETR_NONE ? 0 : ticks->typical.data[number];
  return etr_finder_over_runs(finder, fmax(typical, 0));
}

uint64_t etr_finder_kernel_ticks(const etr_finder *finder, uint32_t node) {
  return etr_finder_over_runs(finder, finder->uninterrupted[node] + finder->calls[node]);
}

uint64_t etr_finder_marked_ticks(const etr_finder *finder, const bool *marked) {
  uint64_t ticks = 0;
  for (uint32_t i = 0; i < finder->graph->node_count; i++)
    if (marked[i])
      ticks += etr_finder_kernel_ticks(finder, i);
  return ticks;
}

bool *etr_finder_node_flags(const etr_finder *finder) {
  return etr_arena_alloc_array(finder->arena, finder->graph->node_count, sizeof(bool));
}

double etr_finder_ns_per_run(const etr_finder *finder, uint64_t ticks) {
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

bool etr_finding_set_nodes(const etr_finder *finder, etr_finding *finding, const bool *marked) {
  uint32_t *nodes = etr_arena_alloc_array(finder->arena, finder->timed_count, sizeof *nodes);
  for (size_t i = 0; nodes && i < finder->timed_count; i++)
    if (marked[finder->by_time[i]])
      nodes[finding->node_count++] = finder->by_time[i];
  finding->nodes = nodes;
  return nodes != NULL;
}

/* Compares rows for qsort(): by time, the longest first, then by operator. */
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
  uint64_t *ticks_of_row = etr_arena_alloc_array(finder->arena, rows->count, sizeof *ticks_of_row);
  if (!ticks_of_row)
    return false;
  for (uint32_t i = 0; i < finder->graph->node_count; i++)
    if (rows->row_of_node[i] != ETR_NONE)
      ticks_of_row[rows->row_of_node[i]] += with_calls ? etr_finder_kernel_ticks(finder, i)
                                                       : etr_finder_node_ticks(finder, i);
  for (size_t i = 0; i < rows->count; i++)
    rows->rows[i].total_ticks = ticks_of_row[rows->rows[i].number];
  etr_sort(rows->rows, rows->count, sizeof *rows->rows, by_total);
  return true;
}

const char *etr_finder_operators_text(const etr_finder *finder, const bool *marked,
                                      bool with_calls) {
  enum { LISTED = 4 };
  etr_breakdown rows;
  etr_text text;
  etr_writer writer;
  if (!etr_finder_sum_by_operator(finder, &rows, marked, with_calls))
    return "";
  etr_text_begin(&text, finder->arena, &writer);
  for (size_t i = 0; i < rows.count && i < LISTED; i++) {
    const etr_breakdown_row *row = &rows.rows[i];
    etr_putf(&writer, "%s%zu %s %s", i ? ", " : "", row->node_count, row->key,
             etr_finder_time_per_run(finder, row->total_ticks));
  }
  if (rows.count > LISTED)
    etr_putf(&writer, ", %zu other kind%s", rows.count - LISTED, etr_plural(rows.count - LISTED));
  return etr_or_empty(etr_text_end(&text, &writer));
}
