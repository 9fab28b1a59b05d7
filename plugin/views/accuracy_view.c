/* SPDX-License-Identifier: BSD-3-Clause
 *
 * accuracy_view.c - words for the accuracy of values.
 */
#include "views/accuracy_view.h"

#include "output/label.h"
#include "views/logged.h"

#include <math.h>

/* Returns what a value is: a tap of the program, an output, or a value in between. */
static const char *role_of(const etr_value_accuracy *value) {
  if (value->is_tap)
    return "tap";
  return value->is_output ? "output" : "value";
}

/* Returns the name of a value for people: its own or, if a quantize node logged it for the operator
 * that computed it, the operator's with ", quantized" or ", dequantized". */
static const char *value_name(const etr_accuracy_row *row) {
  if (row->value->computed_by == row->value->node || row->node->kind != ETR_NODE_OP)
    return row->value->name;
  bool is_integer = !strstr(row->graph->nodes[row->value->node].target, "dequantize");
  return etr_arena_format(row->arena, "%s, %s", row->node->name,
                          is_integer ? "quantized" : "dequantized");
}

etr_accuracy_row etr_accuracy_row_of(etr_arena *arena, const etr_accuracy *accuracy,
                                     const etr_value_accuracy *value) {
  const etr_debug_value *logged = value->value;
  const etr_graph *graph = etr_logged_graph(accuracy->profile, logged);
  const etr_node *node = &graph->nodes[value->computed_by];
  etr_accuracy_row row = {.arena = arena,
                          .accuracy = accuracy,
                          .value = value,
                          .logged = logged,
                          .graph = graph,
                          .node = node,
                          .gap = value->problem ? NULL : &value->gap,
                          .local = value->has_local ? &value->local : NULL,
                          .method = accuracy->profile->methods[logged->method].name,
                          .module = graph->modules[node->module].path,
                          .role = role_of(value),
                          .input_evidence = etr_input_evidence_name(value->input_evidence),
                          .reference_evidence = etr_partner_evidence_name(value->evidence),
                          .backend = graph->times ? graph->times[value->node].backend : NULL};
  row.name = value_name(&row);
  return row;
}

/* The nodes of a graph while values are given to them. */
typedef struct node_values {
  const etr_accuracy *accuracy;
  const etr_graph *edge; /* the method's graph, of which the values are */
  bool is_edge;          /* the nodes are those of `edge` */
  etr_map by_name;       /* name -> index into nodes */
  etr_node_accuracy *nodes;
} node_values;

/* Returns the node of a value in the graph: the one that logged it or, with is_carried, the
 * operator for which a quantize node logged it; ETR_NONE if there is none. In the graph aten/METHOD
 * it is found by name; value->aten_node is the name in the record of the reference, so it is used
 * only if that is this record. */
static uint32_t node_of_value(const node_values *v, const etr_value_accuracy *value,
                              bool is_carried) {
  uint32_t node = is_carried ? value->computed_by : value->node;
  if (is_carried && node == value->node)
    return ETR_NONE;
  if (v->is_edge)
    return node;
  bool is_own = v->accuracy->reference_record == v->accuracy->profile && !is_carried;
  const char *name = is_own ? value->aten_node : v->edge->nodes[node].aten_node;
  return name && value->aten_node ? etr_map_get(&v->by_name, etr_slice_of(name)) : ETR_NONE;
}

/* Gives each node the most suspicious value that it logged, which is the first in the ranking, and
 * then operators that logged none the one that a quantize node logged for them. */
static void assign_values_to_nodes(const node_values *v) {
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < v->accuracy->ranked_count; i++) {
      const etr_value_accuracy *value = &v->accuracy->values[v->accuracy->ranked[i]];
      uint32_t node = node_of_value(v, value, pass == 1);
      if (node == ETR_NONE || v->nodes[node].gap)
        continue;
      v->nodes[node] = (etr_node_accuracy){.gap = &value->gap,
                                           .local = value->has_local ? &value->local : NULL,
                                           .drop_db = value->drop_db};
    }
}

const etr_accuracy *etr_accuracy_of_graph(const etr_profile *profile, const etr_graph *graph) {
  for (uint32_t i = 0; i < profile->method_count; i++)
    if (strcmp(profile->methods[i].name, graph->method) == 0)
      return etr_accuracy_of_method(profile->accuracy, i);
  return NULL;
}

const etr_node_accuracy *etr_accuracy_of_nodes(etr_arena *arena, const etr_profile *profile,
                                               const etr_graph *graph) {
  const etr_accuracy *accuracy = etr_accuracy_of_graph(profile, graph);
  if (!accuracy)
    return NULL;
  node_values v = {.accuracy = accuracy,
                   .edge = &profile->graphs[profile->methods[accuracy->method].graph]};
  v.is_edge = graph == v.edge;
  if (!v.is_edge &&
      (strcmp(graph->module, "aten") != 0 || strcmp(graph->method, v.edge->method) != 0))
    return NULL;
  etr_map_init(&v.by_name, arena);
  v.nodes = etr_arena_alloc_array(arena, graph->node_count, sizeof *v.nodes);
  for (uint32_t i = 0; v.nodes && i < graph->node_count; i++) {
    v.nodes[i].drop_db = NAN;
    if (graph->nodes[i].subgraph == ETR_NONE)
      etr_map_set(&v.by_name, etr_slice_of(graph->nodes[i].name), i);
  }
  if (v.nodes)
    assign_values_to_nodes(&v);
  return v.nodes;
}

/* Returns a number for a value's node and output, from 0 on in the order in which they first occur.
 * Returns ETR_NONE when out of memory. */
static uint32_t number_of_output(etr_map *numbers, const etr_value_accuracy *value) {
  const uint32_t key[] = {value->value->method, value->node, value->output};
  return etr_map_number(numbers, (etr_slice){(const char *)key, sizeof key});
}

/* Lists each node and output once, by its first value, and then replaces that by the one that comes
 * first in the ranking, which is the most suspicious. NULL when out of memory. */
const etr_value_accuracy *const *
etr_accuracy_worst_inputs(etr_arena *arena, const etr_accuracy *accuracy, size_t *count) {
  etr_map numbers;
  etr_map_init(&numbers, arena);
  const etr_value_accuracy **rows = etr_arena_alloc_array(arena, accuracy->value_count,
                                                          sizeof *rows);
  bool *is_final = etr_arena_alloc_array(arena, accuracy->value_count, sizeof *is_final);
  *count = 0;
  for (size_t i = 0; rows && is_final && i < accuracy->value_count; i++) {
    uint32_t number = number_of_output(&numbers, &accuracy->values[i]);
    if (number == *count) /* it is new */
      rows[(*count)++] = &accuracy->values[i];
  }
  for (size_t i = 0; rows && is_final && i < accuracy->ranked_count; i++) {
    const etr_value_accuracy *value = &accuracy->values[accuracy->ranked[i]];
    uint32_t number = number_of_output(&numbers, value);
    if (number >= *count || is_final[number])
      continue;
    rows[number] = value; /* the first in the ranking is the worst */
    is_final[number] = true;
  }
  return is_final && !etr_arena_failed(arena) ? rows : NULL;
}

double etr_accuracy_capped_snr(const etr_numeric_gap *gap) {
  if (isnan(gap->snr_db))
    return NAN;
  if (gap->unlike > 0)
    return -ETR_EQUAL_DB;
  return fmax(fmin(gap->snr_db, ETR_EQUAL_DB), -ETR_EQUAL_DB);
}

double etr_accuracy_heat(const etr_numeric_gap *gap) {
  double snr = etr_accuracy_capped_snr(gap);
  return isnan(snr) ? 1 : fmin(fmax(1 - snr / ETR_COOL_DB, 0), 1);
}

const char *etr_accuracy_of(etr_arena *arena, const etr_accuracy *accuracy) {
  if (!accuracy->reference)
    return "the record's reference outputs";
  if (accuracy->reference_record == accuracy->profile)
    return "this record's own program";
  return etr_arena_format(arena, "the program of %s",
                          etr_label_record(arena, accuracy->reference_record));
}

const char *etr_accuracy_against(etr_arena *arena, const etr_accuracy *accuracy) {
  const char *of = etr_accuracy_of(arena, accuracy),
             *slash = accuracy->reference ? strrchr(accuracy->reference, '/') : NULL;
  if (!accuracy->reference)
    return etr_arena_format(arena, "against %s", of);
  return etr_arena_format(arena, "against %s (%s)", of, slash ? slash + 1 : accuracy->reference);
}

const char *etr_accuracy_place(const etr_accuracy_row *row) {
  const char *module = row->graph->modules[row->node->module].path, *name = row->name;
  const char *in = module[0] ? etr_arena_format(row->arena, " in %s", module) : "";
  if (row->accuracy->part_count > 1)
    name = etr_arena_format(row->arena, "%s of %s", name, row->graph->method);
  if (!name || !in)
    return NULL;
  if (!row->node->source)
    return etr_arena_format(row->arena, "%s%s", name, in);
  const char *file = strrchr(row->node->source->file, '/');
  return etr_arena_format(row->arena, "%s%s (%s:%lld)", name, in,
                          file ? file + 1 : row->node->source->file,
                          (long long)row->node->source->line);
}

etr_cell etr_accuracy_snr(etr_arena *arena, const etr_numeric_gap *gap) {
  if (gap && etr_gap_is_equal(gap))
    return etr_cell_text("equal");
  return etr_gap_snr(arena, gap);
}

const char *etr_accuracy_snr_text(etr_arena *arena, const etr_numeric_gap *gap) {
  etr_cell cell = etr_accuracy_snr(arena, gap);
  return cell.text ? cell.text : etr_arena_format(arena, "%.1f dB", cell.number);
}

const char *etr_accuracy_score(etr_arena *arena, const etr_value_accuracy *value) {
  if (value->is_origin)
    return "all that it reads is right";
  if (value->gap.unlike > 0)
    return value->drop_db > 0 ? "what it reads has none" : "what it reads has some, too";
  if (!value->has_local)
    return etr_arena_format(arena, "%.1f dB below what it reads", value->drop_db);
  const char *local = etr_arena_format(arena, "local %s",
                                       etr_accuracy_snr_text(arena, &value->local));
  if (isnan(value->impact_snr_db))
    return local;
  if (value->impact_snr_db > ETR_EQUAL_DB)
    return etr_arena_format(arena, "%s, alone it leaves the output equal", local);
  return etr_arena_format(arena, "%s, alone it leaves the output %.1f dB", local,
                          value->impact_snr_db);
}

bool etr_accuracy_is_vague(const etr_value_accuracy *value) {
  enum { MANY_OPERATORS = 20 };
  return value->segment_count > MANY_OPERATORS && !value->is_origin;
}

bool etr_accuracy_is_suspicious(const etr_value_accuracy *value) {
  if (value->problem || etr_gap_is_equal(&value->gap))
    return false;
  if (value->is_origin || value->breaks)
    return true;
  if (value->has_local)
    return !etr_gap_is_equal(&value->local);
  return value->drop_db > 0;
}

const char *etr_accuracy_why_none(etr_arena *arena, const etr_accuracy *accuracy) {
  const etr_profile *profile = accuracy->profile;
  size_t logged = profile->debug_value_count, nameless = 0;
  if (accuracy->ranked_count > 0)
    return NULL;
  if (accuracy->value_count > 0)
    return "Nothing was compared.";
  if (logged == 0)
    return "The runs logged no values: record them with a debug buffer (docs/recording.md).";
  for (size_t i = 0; i < logged; i++) {
    uint32_t method = profile->debug_values[i].method;
    nameless += method == ETR_NONE || !profile->methods[method].name ||
                profile->methods[method].graph == ETR_NONE;
  }
  if (nameless > 0)
    return etr_arena_format(
        arena,
        "The runs logged %zu values, but the methods of runs are not known: --map "
        "RUN=METHOD names it.",
        logged);
  return etr_arena_format(arena,
                          "The runs logged %zu values, but none is known to be the result of an "
                          "operator of the Edge graph.",
                          logged);
}

size_t etr_accuracy_candidates(uint32_t out[ETR_ACCURACY_CANDIDATES],
                               const etr_accuracy *accuracy) {
  size_t count = 0;
  bool any = false;
  for (size_t i = 0; i < accuracy->value_count; i++)
    any |= !accuracy->values[i].problem && accuracy->values[i].stands_out;
  for (size_t i = 0; any && i < accuracy->ranked_count && count < ETR_ACCURACY_CANDIDATES; i++) {
    const etr_value_accuracy *value = &accuracy->values[accuracy->ranked[i]];
    bool is_new = etr_accuracy_is_suspicious(value);
    for (size_t k = 0; k < count; k++) {
      const etr_value_accuracy *other = &accuracy->values[out[k]];
      is_new &= other->value->method != value->value->method || other->node != value->node ||
                other->output != value->output;
    }
    if (is_new)
      out[count++] = accuracy->ranked[i];
  }
  return count;
}

const char *etr_accuracy_line(etr_arena *arena, const etr_accuracy *accuracy) {
  if (accuracy->ranked_count == 0)
    return NULL;
  const etr_value_accuracy *output = etr_accuracy_worst_output(accuracy);
  const etr_value_accuracy *first = &accuracy->values[accuracy->ranked[0]];
  const char *snr = output ? etr_accuracy_snr_text(arena, &output->gap) : "unknown";
  const char *end = etr_arena_format(arena, "output %s", snr);
  if (!accuracy->reference)
    return end;
  if (!etr_accuracy_is_suspicious(first))
    return etr_arena_format(arena, "%s; no value has an error of its own", end);
  uint32_t candidates[ETR_ACCURACY_CANDIDATES];
  if (etr_accuracy_candidates(candidates, accuracy) == 0)
    return etr_arena_format(arena, "%s; no layer stands out", end);
  const etr_accuracy_row row = etr_accuracy_row_of(arena, accuracy, first);
  if (first->is_origin)
    return etr_arena_format(arena, "%s; %s is where it goes wrong: it has %s, and %s", end,
                            etr_accuracy_place(&row), etr_accuracy_snr_text(arena, &first->gap),
                            etr_accuracy_score(arena, first));
  const char *place = etr_accuracy_place(&row);
  if (etr_accuracy_is_vague(first))
    place = etr_arena_format(arena, "one of the %zu operators up to %s", first->segment_count,
                             place);
  return etr_arena_format(arena, "%s; %s %s: it has %s", end, etr_or_empty(place),
                          first->has_local ? "adds most" : "drops most",
                          etr_accuracy_snr_text(arena, &first->gap));
}

etr_cell etr_accuracy_source(etr_arena *arena, const etr_source *source) {
  const char *slash = source ? strrchr(source->file, '/') : NULL;
  if (!source)
    return etr_cell_text(NULL);
  return etr_cell_text(etr_arena_format(arena, "%s:%lld", slash ? slash + 1 : source->file,
                                        (long long)source->line));
}

/* Returns the statistic of a tap that is farthest from the reference's; NULL if none was compared.
 * Differences are relative (see etr_tap_statistic), so that a mean and a count can be compared. */
static const etr_tap_statistic *worst_statistic(const etr_value_accuracy *value) {
  const etr_tap_statistic *worst = NULL;
  for (size_t i = 0; i < value->statistic_count; i++) {
    const etr_tap_statistic *statistic = &value->statistics[i];
    if (statistic->is_compared && (!worst || statistic->difference > worst->difference))
      worst = statistic;
  }
  return worst;
}

double etr_accuracy_tap_difference(const etr_value_accuracy *value) {
  const etr_tap_statistic *worst = worst_statistic(value);
  return worst ? worst->difference : NAN;
}

const char *etr_accuracy_tap_text(etr_arena *arena, const etr_value_accuracy *value) {
  const etr_tap_statistic *worst = worst_statistic(value);
  size_t compared = 0;
  for (size_t i = 0; i < value->statistic_count; i++)
    compared += value->statistics[i].is_compared;
  if (!worst)
    return value->problem;
  if (worst->difference <= ETR_EQUAL_STATISTICS)
    return etr_arena_format(arena, "%zu equal", compared);
  return etr_arena_format(arena, "%s: %.6g, reference %.6g", worst->name, worst->value,
                          worst->reference);
}
