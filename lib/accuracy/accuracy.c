/* SPDX-License-Identifier: BSD-3-Clause
 *
 * accuracy.c - compares logged values with a reference, and ranks them.
 */
#include "etrecord_accuracy.h"

#include "accuracy/numeric_gap.h"
#include "accuracy/reference.h"
#include "accuracy/reference_file.h"
#include "accuracy/steps.h"
#include "accuracy/taps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct accuracy_box {
  etr_accuracy accuracy;
  etr_arena arena;
} accuracy_box;

/* The comparison while it is made. */
typedef struct accuracy_maker {
  etr_accuracy *out;
  const etr_profile *profile;
  uint32_t method;        /* that is being compared */
  const etr_graph *graph; /* its graph */
  etr_arena *arena;
  etr_arena scratch;
  etr_reference_file reference; /* not open: there is none */
  etr_seekable buffer;
  bool has_buffer,
      has_local; /* has_local: the local values of the reference are of this recording */
  etr_warnings warnings;
  etr_partner *partners;     /* per node; NULL without a reference */
  etr_run_input *run_inputs; /* per run; NULL without a reference */
  double output;             /* SNR in dB of the method's worst output; NaN: none was compared */
  double ceiling;  /* SNR in dB above which values of the method count as exact: see drop_db */
  uint64_t budget; /* bytes of the debug buffer that may still be read */
  etr_vec(etr_value_accuracy) values;
  etr_map rows; /* row_key -> index into values */
  etr_taps taps;
  size_t unknown_taps; /* values that are not the tensor of the tapped node, and that taps.json does
                          not explain */
} accuracy_maker;

/* Identifies the value of a node in a run. */
typedef struct row_key {
  uint32_t run, node, output;
} row_key;
ETR_NO_PADDING(row_key, 3 * sizeof(uint32_t));

const char *etr_input_evidence_name(etr_input_evidence evidence) {
  static const char *const names[] = {"unknown", "bundled", "equal", "only", "order"};
  return names[evidence];
}

const char *etr_partner_evidence_name(etr_partner_evidence evidence) {
  static const char *const names[] = {"none", "same_graph", "diff", "name", "reference_outputs"};
  return names[evidence];
}

bool etr_gap_is_equal(const etr_numeric_gap *gap) {
  return gap->unlike == 0 && gap->snr_db > ETR_EQUAL_DB;
}

/* Returns true if the reference was computed from this record, not from another one of the same
 * model, so that its nodes are the same. */
static bool is_reference_of_record(const accuracy_maker *m) {
  return m->out->reference_record == m->profile;
}

/* ---- Listing the values ---- */

/* Returns true if a value has fewer dimensions than the tensor that a node computes, as statistics
 * have. */
static bool is_reduced(const etr_debug_value *value, const etr_node *node, uint32_t output) {
  return output < node->output_count && value->rank <= 1 &&
         node->outputs[output].rank > value->rank;
}

/* Sets *key to the run, node and output that computed a value. Returns false for values that are
 * not compared: scalars, tensors without elements, arguments of delegate calls, and those of
 * other methods or of unknown origin. */
static bool find_origin_of_value(const accuracy_maker *m, const etr_debug_value *value,
                                 row_key *key) {
  if (value->kind != ETR_DEBUG_TENSOR || value->byte_size == 0 || value->is_argument)
    return false;
  if (value->method != m->method || value->node == ETR_NONE || value->output == ETR_NONE)
    return false;
  const etr_edge origin = etr_debug_value_origin(m->profile, value);
  *key = (row_key){value->run, origin.node, origin.output};
  return m->graph->nodes[origin.node].kind == ETR_NODE_OP;
}

/* Returns what taps.json says about a value that the method returns; NULL if it is not listed
 * there. The graph's outputs begin with what is written to buffers, which the program does not
 * return. */
static const etr_tap_spec *tap_spec_of(const accuracy_maker *m, const etr_debug_value *value) {
  return etr_taps_find(&m->taps, value->output - (uint32_t)m->graph->mutation_count);
}

/* Adds a row for a value that a tap (intermediate_output_tap) computed as statistics of a tensor,
 * as taps.json says. Only outputs behind those of the exported program (from `first` on) are taps.
 * Returns false, and adds nothing, for any other value; counts it in unknown_taps if it has
 * fewer dimensions than its node's tensor, as statistics have. Returns true also when out of
 * memory. */
static bool add_row_of_statistics(accuracy_maker *m, const etr_debug_value *value,
                                  const row_key *origin) {
  size_t returned = etr_count_exported_outputs(m->profile, m->graph),
         first = m->graph->mutation_count + returned;
  if (!value->is_output || returned == 0 || value->output < first)
    return false;
  const etr_tap_spec *spec = tap_spec_of(m, value);
  if (!spec)
    m->unknown_taps += is_reduced(value, &m->graph->nodes[origin->node], origin->output);
  if (!spec || spec->field_count == 0)
    return false;
  etr_value_accuracy *row = etr_vec_push(m->arena, &m->values);
  if (!row)
    return true;
  *row = (etr_value_accuracy){.value = value,
                              .node = origin->node,
                              .output = origin->output,
                              .name = m->graph->nodes[origin->node].name,
                              .is_tap = true,
                              .input = ETR_NONE,
                              .computed_by = etr_node_before_quantization(m->graph, origin->node),
                              .aten_node = spec->node,
                              .drop_db = NAN,
                              .impact_snr_db = NAN,
                              .statistic_count = spec->field_count};
  return true;
}

/* Adds a row for a logged value. If the value has a row, because it was logged before in this run,
 * that row is marked as an output of the method if the method returns it, or gets the problem that
 * the same instruction computed it several times. Values of unknown origin have no row, and those
 * in the bodies of loops and branches are not compared. When out of memory, the arena has failed.
 */
static void add_row_of_value(accuracy_maker *m, const etr_debug_value *value) {
  row_key key;
  if (!find_origin_of_value(m, value, &key) || add_row_of_statistics(m, value, &key))
    return;
  uint32_t found = etr_map_get(&m->rows, ETR_BYTES(key));
  if (found != ETR_NONE) {
    etr_value_accuracy *row = &m->values.data[found];
    if (value->is_output)
      row->is_output = true; /* the method returns what an instruction logged before */
    else if (value->instruction_id == row->value->instruction_id &&
             value->delegate_id == row->value->delegate_id)
      row->problem = "it is computed several times in one run";
    return;
  }
  etr_value_accuracy *row = etr_vec_push(m->arena, &m->values);
  if (!row)
    return;
  const char *name = m->graph->nodes[key.node].name;
  *row = (etr_value_accuracy){
      .value = value,
      .node = key.node,
      .output = key.output,
      .name = key.output ? etr_arena_format(m->arena, "%s #%u", name, key.output) : name,
      .is_output = value->is_output,
      .input = ETR_NONE,
      .computed_by = etr_node_before_quantization(m->graph, key.node),
      .drop_db = NAN,
      .impact_snr_db = NAN};
  if (m->graph->nodes[key.node].subgraph != ETR_NONE &&
      m->graph->subgraphs[m->graph->nodes[key.node].subgraph].kind == ETR_SUBGRAPH_BODY)
    row->problem = "it is in the body of a loop or branch";
  etr_map_set(&m->rows, ETR_BYTES(key), (uint32_t)(m->values.count - 1));
}

/* Sets is_tap of the rows of the values that the method returns and the exported program does not,
 * which intermediate_output_tap has added behind its outputs: from index `first + returned` on,
 * since the outputs begin with the `first` ones that are written to buffers. An output of the
 * exported program may be the same value, and then it is no tap: so the second pass clears is_tap
 * of these. */
static void mark_tapped_values(accuracy_maker *m) {
  size_t returned = etr_count_exported_outputs(m->profile, m->graph),
         first = m->graph->mutation_count;
  for (int pass = 0; returned && pass < 2; pass++)
    for (size_t i = 0; i < m->profile->debug_value_count; i++) {
      const etr_debug_value *value = &m->profile->debug_values[i];
      row_key key;
      bool is_tap = value->is_output && value->output != ETR_NONE &&
                    value->output >= first + returned;
      if (!value->is_output || is_tap != (pass == 0) || !find_origin_of_value(m, value, &key))
        continue;
      uint32_t row = etr_map_get(&m->rows, ETR_BYTES(key));
      if (row != ETR_NONE)
        m->values.data[row].is_tap = is_tap;
    }
}

/* Returns how many values a method logged; 0 if it has no graph. */
static size_t count_logged(const accuracy_maker *m, uint32_t method) {
  size_t count = 0;
  for (size_t i = 0; i < m->profile->debug_value_count; i++)
    count += m->profile->debug_values[i].method == method;
  return m->profile->methods[method].graph == ETR_NONE ? 0 : count;
}

/* ---- Dequantizing ---- */

/* Reads a constant of the reference with `count` numbers, one for each channel, such as scales.
 * Returns NULL if it is missing, has another number of elements or cannot be read. */
static double *read_numbers_of_channels(accuracy_maker *m, const char *name, uint64_t count) {
  double piece[ETR_PIECE_ELEMENTS];
  etr_tensor_view view;
  etr_tensor_reader reader = {0};
  const char *problem = NULL;
  const etr_safetensor *tensor = m->reference.is_open ? etr_reference_constant(&m->reference, name)
                                                      : NULL;
  if (!tensor || !etr_reference_view(&view, &m->reference, tensor) ||
      tensor->byte_size != count * tensor->element->size || etr_tensor_fault(&view))
    return NULL;
  uint64_t number_count = 0;
  double *numbers = etr_arena_alloc_array(&m->scratch, (size_t)count, sizeof *numbers);
  if (numbers && etr_tensor_reader_open(&reader, &view, &problem) == ETR_OK && !problem)
    for (size_t got; (got = etr_tensor_reader_next(&reader, piece)) > 0; number_count += got)
      memcpy(numbers + number_count, piece, got * sizeof *piece);
  etr_tensor_reader_close(&reader);
  return number_count == count ? numbers : NULL;
}

/* Sets *out to a node's argument of this name. Returns false if there is none, or if it is no
 * finite number. */
static bool read_number_argument(const etr_node *node, const char *name, double *out) {
  const char *text = etr_node_argument(node, name);
  char *end = NULL;
  *out = text ? strtod(text, &end) : NAN;
  return text && end != text && isfinite(*out);
}

/* Returns the quantize node whose integers a node has: the node itself, or the one whose result it
 * only copies; NULL if there is none. */
static const etr_node *quantize_node_of(const etr_graph *graph, uint32_t node) {
  const etr_node *from = &graph->nodes[etr_graph_behind_copies(graph, node)];
  bool is_quantizer = from->kind == ETR_NODE_OP && strstr(from->target, ".quantize_per_");
  return is_quantizer ? from : NULL;
}

/* Finds scale and zero point of a quantized value. Those of the whole tensor are arguments of its
 * quantize node and are also set in the row. Those by channel are constants of the reference, and
 * the row's become NaN. The channels of a copy are unknown, since it may have moved them. Returns
 * false if they are unknown. */
static bool find_dequantization(accuracy_maker *m, etr_value_accuracy *row,
                                etr_dequantization *dequantization) {
  const etr_node *node = quantize_node_of(m->graph, row->node);
  double axis;
  *dequantization = (etr_dequantization){
      .scales = &row->scale, .zero_points = &row->zero_point, .channel_count = 1};
  if (!node)
    return false;
  if (read_number_argument(node, "scale", &row->scale) &&
      read_number_argument(node, "zero_point", &row->zero_point))
    return true;
  row->scale = row->zero_point = 0;
  if (!read_number_argument(node, "axis", &axis) || node != &m->graph->nodes[row->node] ||
      node->input_count < 3 || axis < 0 || axis >= row->value->rank)
    return false;
  dequantization->channel_count = (uint64_t)row->value->sizes[(int)axis];
  dequantization->channel_elements = 1;
  for (int32_t i = (int32_t)axis + 1; i < row->value->rank; i++)
    dequantization->channel_elements *= (uint64_t)row->value->sizes[i];
  dequantization->scales = read_numbers_of_channels(m, m->graph->nodes[node->inputs[1].node].name,
                                                    dequantization->channel_count);
  dequantization->zero_points = read_numbers_of_channels(
      m, m->graph->nodes[node->inputs[2].node].name, dequantization->channel_count);
  if (!dequantization->scales || !dequantization->zero_points)
    return false;
  row->scale = row->zero_point = NAN;
  return true;
}

static bool is_integer(const etr_element *element) {
  return strstr(element->dtype, "int") != NULL;
}

/* ---- Comparing ---- */

/* Fills the view of a logged tensor, whose bytes are taken from the budget, so that a small debug
 * buffer that many tensors share cannot take all time. Returns NULL on success, or the reason why
 * it cannot be read, for the user. */
static const char *view_logged_tensor(accuracy_maker *m, etr_tensor_view *view,
                                      const etr_debug_value *value,
                                      int64_t strides[ETR_MOST_RANK]) {
  if (!m->has_buffer)
    return "there is no debug buffer";
  if (!etr_debug_view(view, value, &m->buffer, strides))
    return "its type cannot be read";
  const char *fault = etr_tensor_fault(view);
  if (fault)
    return fault;
  if (value->byte_size > m->budget)
    return "implausibly many tensors share its bytes";
  m->budget -= value->byte_size;
  return NULL;
}

/* Both sides of a comparison. It must not move: sides point into it. */
typedef struct compared_pair {
  etr_tensor_view views[2];
  int64_t strides[ETR_MOST_RANK];
  etr_dequantization by[2];
  etr_gap_side wanted, got;
  bool has_steps; /* both sides store integers that a quantize node made */
} compared_pair;

/* Fills *pair with a logged value and its tensor in the reference, and with what dequantizes each
 * side. A logged integer of known scale is dequantized, and so is the reference's if it is an
 * integer, too, with the same scale. Integers of unknown scale, such as indices, are compared as
 * stored if both sides have integers. pair->has_steps says whether both sides have the integers of
 * a quantize node. Returns NULL on success, or the reason why they cannot be compared. */
static const char *pair_with_reference(accuracy_maker *m, compared_pair *pair,
                                       etr_value_accuracy *row, const etr_safetensor *wanted) {
  *pair = (compared_pair){.wanted = {&pair->views[0], &pair->by[0]},
                          .got = {&pair->views[1], &pair->by[1]}};
  const char *problem = view_logged_tensor(m, &pair->views[1], row->value, pair->strides);
  if (problem)
    return problem;
  if (!etr_reference_view(&pair->views[0], &m->reference, wanted))
    return "the type of its reference cannot be read";
  bool integers[2] = {is_integer(pair->views[0].element), is_integer(pair->views[1].element)};
  bool is_known = integers[1] && find_dequantization(m, row, &pair->by[1]);
  bool is_quantized = quantize_node_of(m->graph, row->node) != NULL;
  if (integers[1] && !integers[0] && !is_known)
    return "its scale is not known";
  if (!is_known)
    pair->by[1] = (etr_dequantization){0};
  if (is_known && integers[0])
    pair->by[0] = pair->by[1];
  pair->has_steps = integers[0] && integers[1] && is_quantized;
  return NULL;
}

/* Sets *gap to how far a value is from a tensor of the reference. Also sets the row's number of
 * elements that differ in quantization steps (steps_off) and the largest difference in steps, if
 * both are quantized; else both are 0. Returns NULL on success, or the reason why they cannot be
 * compared. When out of memory, the arena has failed. */
static const char *compare_with_reference(accuracy_maker *m, etr_value_accuracy *row,
                                          const etr_safetensor *wanted, etr_numeric_gap *gap) {
  compared_pair pair;
  etr_gap_steps steps;
  const char *problem = pair_with_reference(m, &pair, row, wanted);
  if (problem)
    return problem;
  if (etr_gap_measure_quantized(gap, &steps, &problem, &pair.wanted, &pair.got) != ETR_OK)
    etr_arena_fail(m->arena);
  row->is_integer = pair.has_steps;
  row->steps_off = pair.has_steps ? steps.differing : 0;
  row->most_steps = pair.has_steps ? steps.most : 0;
  return problem;
}

/* Orders gaps by method and run, as the profile has sorted them. */
static int by_method_and_run(const void *a, const void *b) {
  const etr_output_gap *x = a, *y = b;
  if (x->method != y->method)
    return x->method < y->method ? -1 : 1;
  return (x->run > y->run) - (x->run < y->run);
}

/* Copies to the row of an output its gap to the record's reference_outputs, which the profile has:
 * all that can be said without a reference. The rule by which the gap's set was chosen becomes the
 * evidence for the input, by its first word: "bundled", "order", or else the only set. Returns NULL
 * on success, or the reason why there is no gap. */
static const char *copy_output_gap(accuracy_maker *m, etr_value_accuracy *row) {
  const etr_output_gap *gaps = m->profile->output_gaps;
  const etr_output_gap wanted = {.method = row->value->method, .run = row->value->run};
  size_t i = etr_lower_bound(&wanted, gaps, m->profile->output_gap_count, sizeof *gaps,
                             by_method_and_run);
  for (; i < m->profile->output_gap_count && gaps[i].run == wanted.run &&
         gaps[i].method == wanted.method;
       i++) {
    const etr_output_gap *gap = &gaps[i];
    row_key key;
    if (!gap->value || !find_origin_of_value(m, gap->value, &key) || key.node != row->node ||
        key.output != row->output)
      continue;
    row->evidence = ETR_PARTNER_OUTPUT;
    row->reference_graph = "reference_outputs";
    row->input = gap->set;
    row->input_evidence = strncmp(gap->rule, "order", 5) == 0 ? ETR_INPUT_ORDER : ETR_INPUT_ONLY;
    if (strncmp(gap->rule, "bundled", 7) == 0)
      row->input_evidence = ETR_INPUT_BUNDLED;
    row->gap = gap->gap;
    return gap->problem;
  }
  return "there is no reference for it";
}

/* Finds the tensor in the reference that a tap computed statistics of, that of the tapped ATen node
 * (row->aten_node), and sets the row's node of the reference and the evidence for it. The reference
 * has it for the ATen graph, if it is of this record, or for the partner of the Edge node, if that
 * was lowered from the ATen node and so has its value. Returns NULL if it has neither. */
static const etr_safetensor *find_tapped_tensor(accuracy_maker *m, etr_value_accuracy *row) {
  const etr_partner *partner = &m->partners[row->node];
  const etr_reference_key aten_key = {"aten", row->aten_node, 0},
                          partner_key = {partner->graph, partner->node, row->output};
  const etr_safetensor *found = NULL;
  if (is_reference_of_record(m))
    found = etr_reference_find(&m->reference, row->input, &aten_key);
  row->reference_graph = found ? aten_key.graph : partner->graph;
  row->reference_node = found ? aten_key.node : partner->node;
  row->evidence = found ? ETR_PARTNER_SAME_GRAPH : partner->evidence;
  const char *aten = m->graph->nodes[row->node].aten_node;
  bool has_same_value = aten && partner->node && strcmp(aten, row->aten_node) == 0;
  if (!found && has_same_value)
    found = etr_reference_find(&m->reference, row->input, &partner_key);
  return found;
}

/* Compares the statistics that a tap computed with those of the tapped tensor in the reference, and
 * sets row->statistics. Returns the reason why the value itself is not compared, a text for the
 * user, which is never NULL: a value of which only statistics were logged has no SNR. */
static const char *compare_statistics(accuracy_maker *m, etr_value_accuracy *row) {
  const etr_tap_spec *spec = tap_spec_of(m, row->value);
  etr_tap_statistic *statistics = etr_tap_statistics_of(m->arena, spec);
  etr_tensor_view view;
  int64_t strides[ETR_MOST_RANK];
  const char *problem = view_logged_tensor(m, &view, row->value, strides);
  row->statistics = statistics;
  if (!statistics)
    return "out of memory";
  if (!problem)
    problem = etr_tap_set_values(statistics, row->statistic_count, &view);
  if (problem || !m->reference.is_open || !m->reference.method)
    return problem ? problem : "there is no reference";
  const etr_run_input *input = &m->run_inputs[row->value->run];
  row->input = input->input;
  row->input_evidence = input->evidence;
  if (input->input == ETR_NONE)
    return "the input of its run is not known";
  const etr_safetensor *wanted = find_tapped_tensor(m, row);
  if (!wanted)
    return "the reference does not have its value";
  if (!etr_reference_view(&view, &m->reference, wanted))
    return "the type of its reference cannot be read";
  problem = etr_tap_set_references(statistics, row->statistic_count, &view);
  return problem ? problem : "only statistics of it were logged";
}

/* Compares a value with its tensor in the reference and sets the row's gap, partner and input. If
 * there is a local value, which the reference computed from the values that the device logged
 * before, sets the row's gap to that, too (row->local). Returns NULL on success, or the reason why
 * the value cannot be compared, a text for the user. */
static const char *compare_value(accuracy_maker *m, etr_value_accuracy *row) {
  if (row->problem)
    return row->problem;
  if (row->statistic_count > 0)
    return compare_statistics(m, row);
  if (!m->reference.is_open)
    return row->is_output ? copy_output_gap(m, row) : "there is no reference";
  if (!m->reference.method)
    return "the reference does not have its method";
  const etr_partner *partner = &m->partners[row->node];
  const etr_run_input *input = &m->run_inputs[row->value->run];
  row->input = input->input;
  row->input_evidence = input->evidence;
  row->aten_node = partner->aten;
  if (!partner->node)
    return partner->why ? partner->why : "the reference has no such node";
  row->reference_graph = partner->graph;
  row->reference_node = partner->node;
  row->evidence = partner->evidence;
  if (input->input == ETR_NONE)
    return "the input of its run is not known";
  const etr_reference_key key = {partner->graph, partner->node, row->output};
  const etr_safetensor *wanted = etr_reference_find(&m->reference, input->input, &key);
  if (!wanted)
    return "the reference does not have its value";
  const char *problem = compare_with_reference(m, row, wanted, &row->gap);
  const etr_reference_key local = {"local", m->graph->nodes[row->node].name, row->output};
  wanted = m->has_local && !problem ? etr_reference_find(&m->reference, row->value->run, &local)
                                    : NULL;
  /* The row's steps are those of the gap to the reference: the local value's stay in a copy. */
  etr_value_accuracy local_row = *row;
  row->has_local = wanted && !compare_with_reference(m, &local_row, wanted, &row->local);
  return problem;
}

/* ---- Impact ---- */

/* Returns the impact of a value's error: the lowest SNR, in dB, among the method's outputs if the
 * error of its segment were the only one. For that, outputs that the reference has computed so,
 * "impact/NODE/OUTPUT" of this run, are compared with "output/OUTPUT" of the run's input, from
 * output 0 to the first that is missing. NaN if there are none. */
static double find_impact(accuracy_maker *m, const etr_value_accuracy *row) {
  double lowest = NAN;
  for (uint32_t i = 0; m->has_local; i++) {
    char numbered_name[1024], number[16];
    etr_tensor_view views[2];
    etr_numeric_gap gap;
    const char *problem;
    (void)snprintf(numbered_name, sizeof numbered_name, "%s/%u", m->graph->nodes[row->node].name,
                   i);
    (void)snprintf(number, sizeof number, "%u", i);
    const etr_reference_key changed = {"impact", numbered_name, 0}, usual = {"output", number, 0};
    const etr_safetensor *got = etr_reference_find(&m->reference, row->value->run, &changed);
    const etr_safetensor *wanted = got ? etr_reference_find(&m->reference, row->input, &usual)
                                       : NULL;
    if (!wanted)
      break;
    if (etr_reference_view(&views[0], &m->reference, wanted) &&
        etr_reference_view(&views[1], &m->reference, got) &&
        etr_gap_measure(&gap, &problem, &views[0], &views[1]) == ETR_OK && !problem)
      lowest = fmin(lowest, gap.snr_db);
  }
  return lowest;
}

/* ---- Segments and drops ---- */

/* Returns the SNR of a gap in dB, limited to ETR_EQUAL_DB in both directions so that infinite ones
 * can be subtracted. NaN, and numbers that are finite on one side only, count as the lowest. */
static double capped_snr(const etr_numeric_gap *gap) {
  if (gap->unlike > 0 || isnan(gap->snr_db))
    return -ETR_EQUAL_DB;
  return fmax(fmin(gap->snr_db, ETR_EQUAL_DB), -ETR_EQUAL_DB);
}

/* Sets m->output to the SNR of the method's worst output, in dB and at least 0 (NaN if none was
 * compared), and m->ceiling to the SNR from which on an error is too small to be the cause of that:
 * ETR_CAUSE_DB above it, but at most ETR_EQUAL_DB. drop_db in etrecord_accuracy.h says why. */
static void find_ceiling(accuracy_maker *m, const etr_value_accuracy *values, size_t count) {
  const etr_accuracy method = {.values = values, .value_count = count};
  const etr_value_accuracy *output = etr_accuracy_worst_output(&method);
  m->output = output ? fmax(capped_snr(&output->gap), 0) : NAN;
  m->ceiling = output ? fmin(m->output + ETR_CAUSE_DB, ETR_EQUAL_DB) : ETR_EQUAL_DB;
}

/* Returns the SNR of a value in dB, as it counts for drops: from 0 up to the ceiling, above which
 * an error cannot be the cause of the output's. */
static double counted_snr(const accuracy_maker *m, const etr_value_accuracy *value) {
  return fmin(fmax(capped_snr(&value->gap), 0), m->ceiling);
}

/* Returns true if a value is wrong: it has numbers that should be finite and are not, or its error
 * is larger than the value. */
static bool is_unsound(const etr_numeric_gap *gap) {
  return gap->broken > 0 || gap->snr_db < 0;
}

/* Returns true if a value's error is small beyond doubt. Between is_unsound() and this, values are
 * neither. */
static bool is_sound(const etr_numeric_gap *gap) {
  return etr_gap_is_equal(gap) || (gap->unlike == 0 && gap->snr_db >= ETR_SOUND_DB);
}

/* What is known of the values that a value depends on: the nearest compared ones. */
typedef struct read_values {
  double lowest; /* counted SNR in dB */
  bool are_equal, are_sound, has_broken, has_heir;
} read_values;

/* Adds one of the values that a value reads (the nearest compared ones that it depends on) to *all,
 * what is known of all of these: their lowest SNR, whether all are equal or sound, and whether one
 * has broken numbers or an error that comes from an origin. */
static void add_read_value(const accuracy_maker *m, read_values *all,
                           const etr_value_accuracy *value) {
  all->lowest = fmin(all->lowest, counted_snr(m, value));
  all->are_equal &= etr_gap_is_equal(&value->gap);
  all->are_sound &= is_sound(&value->gap);
  all->has_broken |= value->gap.broken > 0;
  all->has_heir |= value->is_origin || value->is_heir;
}

/* Sets the roles of a value in the error. A wrong (unsound) value is the origin, if all that it
 * reads is sound, or an heir, if it reads an origin or an heir. It breaks if it is the first with
 * numbers that are not finite. If its local value, computed from what the device really read, is
 * sound, the error comes from what it read, so it is no origin and does not break. */
static void set_role_in_error(etr_value_accuracy *row, const read_values *read) {
  bool is_inherited = row->has_local && is_sound(&row->local);
  row->is_unsound = is_unsound(&row->gap);
  row->is_origin = row->is_unsound && read->are_sound && !is_inherited;
  row->is_heir = row->is_unsound && !row->is_origin && read->has_heir;
  row->breaks = row->gap.broken > 0 && !read->has_broken && !row->is_heir && !is_inherited;
}

/* The first inexact values of a method: all that they read is equal. */
typedef struct first_errors {
  double lowest, second; /* SNR in dB of the node with the lowest, and of the other nodes */
  uint32_t node;         /* with the lowest */
} first_errors;

/* Adds the SNR, in dB, of a node that reads only values that equal the reference: keeps the lowest
 * SNR with its node, and in `second` the lowest SNR of all other nodes. A node has a value in each
 * run; these must not count as other nodes. */
static void record_first_error(first_errors *firsts, uint32_t node, double snr) {
  if (node == firsts->node) {
    firsts->lowest = fmin(firsts->lowest, snr);
  } else if (snr < firsts->lowest) {
    firsts->second = firsts->lowest;
    firsts->lowest = snr;
    firsts->node = node;
  } else {
    firsts->second = fmin(firsts->second, snr);
  }
}

/* Returns true if the error of a value whose inputs are all equal is more than the rounding that
 * every layer adds: its node is worse than all other such nodes by ETR_DROP_DB, and bad enough to
 * explain the output's error. Otherwise a backend that rounds everywhere would be blamed at its
 * first operator. It is false if the reference is of another record, whose program rounds
 * differently, because then any first operator would be blamed. */
static bool is_more_than_rounding(const accuracy_maker *m, const etr_value_accuracy *row,
                                  const first_errors *firsts) {
  static const double half_db = 3; /* so far below the output's, an error has half of its power */
  bool is_alone = row->node == firsts->node && firsts->second >= firsts->lowest + ETR_DROP_DB;
  bool is_cause = isnan(m->output) || capped_snr(&row->gap) <= m->output + half_db;
  return is_reference_of_record(m) && is_alone && is_cause;
}

/* Returns true if a value is worth naming to the user: it is an origin or breaks, its own operators
 * add an error (by its local value, if there is one), or its SNR drops, either to less than
 * ETR_SOUND_DB or by more than ETR_DROP_DB. An heir or an equal value never is. `firsts` is not
 * NULL if all that the value reads is equal: then a drop by more than ETR_DROP_DB counts only if it
 * is more than the rounding of any layer. */
static bool does_stand_out(const accuracy_maker *m, const etr_value_accuracy *row,
                           const first_errors *firsts) {
  double snr = capped_snr(&row->gap);
  if (row->is_origin || row->breaks)
    return true;
  if (row->is_heir || etr_gap_is_equal(&row->gap))
    return false;
  if (row->has_local)
    return !etr_gap_is_equal(&row->local);
  if (row->drop_db <= 0)
    return false;
  if (snr < ETR_SOUND_DB)
    return true;
  return row->drop_db > ETR_DROP_DB && (!firsts || is_more_than_rounding(m, row, firsts));
}

/* Sets the segment of a row's value (the operators between it and the nearest compared values that
 * it depends on, the sources), its drop (by how many dB its SNR is below the lowest of the sources,
 * or below the ceiling if there are none), and its role in the error. `outputs` has, per node, the
 * number of its outputs up to the last one with a row. Returns true if the value was compared and
 * all sources are equal. */
static bool set_segment_and_drop(accuracy_maker *m, etr_value_accuracy *row,
                                 const etr_value_segment *segment, const uint32_t *outputs) {
  read_values read = {.lowest = m->ceiling, .are_equal = true, .are_sound = true};
  row->segment = segment->nodes;
  row->segment_count = segment->node_count;
  if (row->problem || !m->reference.is_open)
    return false;
  for (size_t i = 0; i < segment->source_count; i++)
    for (uint32_t output = 0; output < outputs[segment->sources[i]]; output++) {
      const row_key key = {row->value->run, segment->sources[i], output};
      uint32_t source = etr_map_get(&m->rows, ETR_BYTES(key));
      if (source != ETR_NONE && !m->values.data[source].problem)
        add_read_value(m, &read, &m->values.data[source]);
    }
  row->drop_db = read.lowest - counted_snr(m, row);
  set_role_in_error(row, &read);
  return read.are_equal;
}

/* Returns true if an operator of the segment reads an input of the method. */
static bool reads_input_of_method(const accuracy_maker *m, const etr_value_segment *segment) {
  for (size_t i = 0; i < segment->node_count; i++) {
    const etr_node *node = &m->graph->nodes[segment->nodes[i]];
    for (size_t k = 0; k < node->input_count; k++)
      if (m->graph->nodes[node->inputs[k].node].kind == ETR_NODE_INPUT)
        return true;
  }
  return false;
}

/* Warns that the runs probably had other inputs than the reference, if neither an index in the
 * ETDump nor equal numbers confirm their inputs, and a value that differs from the reference almost
 * entirely is computed from an input of the method and from equal values only: the sum of its drop
 * and SNR, which is the lowest SNR of what it reads, is the ceiling. One warning is enough. */
static void warn_of_other_inputs(accuracy_maker *m, size_t first,
                                 const etr_value_segment *segments) {
  static const double alike_db =
      6; /* the rounding of a first layer, to few bits even, leaves more */
  for (size_t i = first; i < m->values.count; i++) {
    const etr_value_accuracy *row = &m->values.data[i];
    bool is_known = row->input_evidence == ETR_INPUT_BUNDLED ||
                    row->input_evidence == ETR_INPUT_EQUAL;
    if (row->problem || is_known || row->gap.snr_db >= alike_db)
      continue;
    if (row->drop_db + counted_snr(m, row) < m->ceiling ||
        !reads_input_of_method(m, &segments[row->node]))
      continue;
    etr_warn(&m->warnings, m->reference.path, NULL, ETR_NO_OFFSET,
             "%.100s of %.60s, computed from the inputs, has %.1f dB: the runs probably had other "
             "inputs than the "
             "reference. Make it with theirs: --inputs FILE",
             row->name, m->graph->method, row->gap.snr_db);
    return;
  }
}

/* Sets segments and drops of the rows from `first` on, in order of execution, so that what a value
 * reads is known before it. `outputs` has, per node, the number of its outputs up to the last one
 * with a row. Then sets which rows stand out: a value that reads only equal ones and differs itself
 * is a first error, and all first errors must be known for that. */
static void set_drops_of_method(accuracy_maker *m, size_t first, const etr_value_segment *segments,
                                const uint32_t *outputs) {
  size_t count = m->values.count - first;
  first_errors firsts = {INFINITY, INFINITY, ETR_NONE};
  bool *is_first = etr_arena_alloc_array(&m->scratch, count, sizeof *is_first);
  for (size_t i = 0; is_first && i < count; i++) {
    etr_value_accuracy *row = &m->values.data[first + i];
    is_first[i] = set_segment_and_drop(m, row, &segments[row->node], outputs);
    if (is_first[i] && !etr_gap_is_equal(&row->gap))
      record_first_error(&firsts, row->node, capped_snr(&row->gap));
  }
  for (size_t i = 0; is_first && i < count; i++) {
    etr_value_accuracy *row = &m->values.data[first + i];
    row->stands_out = does_stand_out(m, row, is_first[i] ? &firsts : NULL);
  }
}

/* Finds the segments of the rows from `first` on, which are those of the current method, and sets
 * their drops. Segments end at compared values. Without a reference no value is compared, so they
 * end at any logged value. If the graph is too entangled, some rows have no segment. Fails when out
 * of memory. */
static etr_status find_segments_and_drops(accuracy_maker *m, size_t first) {
  etr_value_segment *segments = NULL;
  uint8_t *is_compared = etr_arena_alloc_array(&m->scratch, m->graph->node_count,
                                               sizeof *is_compared);
  uint32_t *outputs = etr_arena_alloc_array(&m->scratch, m->graph->node_count, sizeof *outputs);
  if (etr_arena_failed(&m->scratch))
    return ETR_ERROR_MEMORY;
  for (size_t i = first; i < m->values.count; i++) {
    const etr_value_accuracy *row = &m->values.data[i];
    is_compared[row->node] |= !row->problem;
    outputs[row->node] = ETR_MAX(outputs[row->node], row->output + 1);
  }
  for (size_t i = first; i < m->values.count && !m->reference.is_open; i++)
    is_compared[m->values.data[i].node] = 1;
  if (!etr_segments_find(&segments, m->graph, is_compared, m->arena))
    etr_warn(&m->warnings, m->profile->etrecord, NULL, ETR_NO_OFFSET,
             "the graph is too entangled to list the operators between all logged values: some "
             "have no segment");
  if (segments)
    set_drops_of_method(m, first, segments, outputs);
  if (segments && m->reference.is_open)
    warn_of_other_inputs(m, first, segments);
  return segments ? ETR_OK : ETR_ERROR_MEMORY;
}

/* ---- Ranking ---- */

const etr_value_accuracy *etr_accuracy_worst_output(const etr_accuracy *accuracy) {
  const etr_value_accuracy *worst = NULL;
  for (size_t i = 0; i < accuracy->value_count; i++) {
    const etr_value_accuracy *value = &accuracy->values[i];
    if (!value->is_output || value->is_tap || value->problem)
      continue;
    if (!worst || etr_gap_worse(&value->gap, &worst->gap) > 0)
      worst = value;
  }
  return worst;
}

typedef enum suspicion_class { /* the most suspicious first */
                               IS_ORIGIN,
                               BREAKS,
                               HAS_SCORE,
                               IS_HEIR,
} suspicion_class;

/* A value, and by what it is ranked among the suspects for the error of the output. */
typedef struct ranked_value {
  suspicion_class of;
  double score; /* the larger, the more suspicious */
  double snr;   /* decides among equal scores, in dB */
  uint32_t index;
} ranked_value;

/* Orders values from the most suspicious to the least: by group, in the order of suspicion_class,
 * then by the higher score, then by the lower SNR in dB, then as in the list of values. */
static int by_suspicion(const void *a, const void *b) {
  const ranked_value *x = a, *y = b;
  if (x->of != y->of)
    return x->of < y->of ? -1 : 1;
  if (x->score != y->score)
    return x->score > y->score ? -1 : 1;
  if (x->snr != y->snr)
    return x->snr < y->snr ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

/* Returns the group in which a value is ranked: origins come first, then what breaks, then values
 * that only have a score. Heirs, whose error is another's, come last. */
static suspicion_class suspicion_of(const etr_value_accuracy *row) {
  if (row->is_origin)
    return IS_ORIGIN;
  if (row->breaks)
    return BREAKS;
  return row->is_heir ? IS_HEIR : HAS_SCORE;
}

/* Returns a number that is larger for a more suspicious value of the same group. For origins, that
 * is the negative node, because an earlier node is more suspicious. For other values it is the drop
 * in dB (without one, the negative SNR), or with `by_local` the negative SNR that the value's own
 * operators alone cause. */
static double suspicion_score_of(const etr_value_accuracy *row, bool by_local) {
  if (row->is_origin)
    return -(double)row->node; /* the order of execution */
  if (!by_local)
    return isnan(row->drop_db) ? -capped_snr(&row->gap) : row->drop_db;
  /* A segment adds no more than the error that its value has: what it read may not be what was
   * logged. */
  return row->has_local ? -fmax(capped_snr(&row->local), capped_snr(&row->gap)) : -ETR_EQUAL_DB;
}

/* Sets the values of `out`, the whole comparison or its part for one method, to the rows [first,
 * end), and out->ranked to the indices of those that were compared (relative to `first`), from the
 * most suspicious to the least. out->has_local becomes true if a value has a local value, by which
 * all are then scored. Returns false when out of memory. */
static bool rank_values(accuracy_maker *m, etr_accuracy *out, size_t first, size_t end) {
  ranked_value *list = etr_arena_alloc_array(&m->scratch, end - first, sizeof *list);
  uint32_t *ranked = etr_arena_alloc_array(m->arena, end - first, sizeof *ranked);
  if (!list || !ranked)
    return false;
  out->values = m->values.data + first;
  out->value_count = end - first;
  for (size_t i = 0; i < out->value_count; i++)
    out->has_local |= out->values[i].has_local;
  for (uint32_t i = 0; i < out->value_count; i++) {
    const etr_value_accuracy *row = &out->values[i];
    if (!row->problem)
      list[out->ranked_count++] = (ranked_value){
          suspicion_of(row), suspicion_score_of(row, out->has_local), capped_snr(&row->gap), i};
  }
  etr_sort(list, out->ranked_count, sizeof *list, by_suspicion);
  for (size_t i = 0; i < out->ranked_count; i++)
    ranked[i] = list[i].index;
  out->ranked = ranked;
  return true;
}

/* Ranks all values, and those of each method as a part, which only shares the values of the whole.
 * Rows of one method follow each other. Returns false when out of memory. */
static bool rank_all(accuracy_maker *m) {
  etr_vec(etr_accuracy) parts = {0};
  if (!rank_values(m, m->out, 0, m->values.count))
    return false;
  for (size_t first = 0, end; first < m->values.count; first = end) {
    uint32_t method = m->values.data[first].value->method;
    etr_accuracy *part = etr_vec_push(m->arena, &parts);
    for (end = first + 1; end < m->values.count && m->values.data[end].value->method == method;)
      end++;
    if (!part)
      return false;
    *part = (etr_accuracy){.profile = m->profile,
                           .reference = m->out->reference,
                           .reference_record = m->out->reference_record,
                           .method = method};
    if (etr_reference_choose_method(&m->reference, m->profile->methods[method].name))
      part->input_count = m->reference.method->input_count;
    memcpy(part->record_hash, m->out->record_hash, sizeof part->record_hash);
    memcpy(part->recording_hash, m->out->recording_hash, sizeof part->recording_hash);
    if (!rank_values(m, part, first, end))
      return false;
  }
  m->out->parts = parts.data;
  m->out->part_count = parts.count;
  return true;
}

const etr_accuracy *etr_accuracy_of_method(const etr_accuracy *accuracy, uint32_t method) {
  for (size_t i = 0; accuracy && i < accuracy->part_count; i++)
    if (accuracy->parts[i].method == method)
      return &accuracy->parts[i];
  return NULL;
}

/* ---- Distributions ---- */

/* Sets the spread of a compared value: histograms of its numbers, of the reference's and of their
 * differences. A value that is not in the reference ("" stands for that) or cannot be read again
 * gets none, without a warning. When out of memory, the arena has failed. */
static void set_spread_of_value(accuracy_maker *m, etr_value_accuracy *row) {
  compared_pair pair;
  const etr_reference_key key = {row->reference_graph, row->reference_node, row->output};
  const etr_safetensor *wanted = etr_reference_find(&m->reference, row->input, &key);
  etr_value_spread *spread = etr_arena_alloc_array(m->arena, 1, sizeof *spread);
  const char *problem = wanted ? pair_with_reference(m, &pair, row, wanted) : "";
  if (!spread || problem)
    return;
  if (etr_gap_spread(spread, &problem, &pair.wanted, &pair.got) != ETR_OK)
    etr_arena_fail(m->arena);
  if (!problem)
    row->spread = spread;
}

/* ---- Together ---- */

/* Opens the reference, if one is given, and finds which record it was computed from, by their
 * hashes: this one or options->reference_record. Fails with ETR_ERROR_CHOICE if it is of another
 * record; also if it cannot be read, or when out of memory. */
static etr_status open_reference(accuracy_maker *m, const etr_accuracy_options *options,
                                 etr_error *error) {
  const etr_profile *named_record = options->reference_record ? options->reference_record
                                                              : m->profile;
  char hash[17];
  if (!options->reference)
    return ETR_OK;
  const char *path = etr_arena_copy(m->arena,
                                    etr_slice_of(options->reference)); /* which results name, too */
  if (!path)
    return etr_fail_memory(error);
  ETR_TRY(etr_reference_open(&m->reference, m->arena, path, error));
  m->out->reference = path;
  for (size_t i = 0; i < m->reference.methods.count; i++)
    m->out->input_count = ETR_MAX(m->out->input_count, m->reference.methods.data[i].input_count);
  m->out->reference_record = m->profile;
  if (strcmp(m->reference.record, m->out->record_hash) == 0)
    return ETR_OK;
  m->out->reference_record = named_record;
  etr_record_hash(hash, named_record);
  if (strcmp(m->reference.record, hash) == 0)
    return ETR_OK;
  return etr_fail(
      error, ETR_ERROR_CHOICE, options->reference, NULL, ETR_NO_OFFSET,
      options->reference_record
          ? "a reference of another record than %.200s: name the record that it was made from"
          : "a reference of another record than %.200s: name its own record with "
            "--reference-record",
      named_record->etrecord ? named_record->etrecord : "this one");
}

/* Sets has_local if the reference has local values, which were computed from the values of a
 * recording, and this is that recording: reference.local is the hash of its record, a space and the
 * hash of the recording. Warns if only the record's hash is equal, because the local values are
 * then of another recording of it. */
static void check_local_values(accuracy_maker *m) {
  char own[2 * sizeof m->out->record_hash];
  (void)snprintf(own, sizeof own, "%s %s", m->out->record_hash, m->out->recording_hash);
  m->has_local = m->reference.is_open && strcmp(m->reference.local, own) == 0;
  if (m->reference.is_open && !m->has_local &&
      strncmp(m->reference.local, own, sizeof m->out->record_hash - 1) == 0)
    etr_warn(
        &m->warnings, m->reference.path, NULL, ETR_NO_OFFSET,
        "its local values are of another recording and are not used: make it again with --local");
}

/* Finds the partner of each node and the input of each run for the method that is compared, and
 * chooses it in the reference; does nothing without a reference. With `on_aten`, values are
 * compared with those of ATen nodes instead of Edge nodes, which only a reference of this record
 * allows. Fails if the records cannot be compared, or when out of memory. */
static etr_status prepare_reference(accuracy_maker *m, bool on_aten, etr_error *error) {
  if (!m->reference.is_open)
    return ETR_OK;
  const char *method = m->profile->methods[m->method].name;
  ETR_TRY(etr_partners_find(&m->partners, m->profile, m->method, m->out->reference_record,
                            &m->scratch, error));
  if (is_reference_of_record(m) && on_aten)
    etr_partners_replace_by_aten(m->partners, m->graph->node_count);
  if (!etr_reference_choose_method(&m->reference, method))
    etr_warn(&m->warnings, m->reference.path, NULL, ETR_NO_OFFSET,
             "it has no values of the method %.100s", method);
  if (etr_run_inputs_find(&m->run_inputs, m->profile, m->method, &m->reference,
                          m->has_buffer ? &m->buffer : NULL, &m->warnings) != ETR_OK)
    return etr_fail_memory(error);
  return ETR_OK;
}

/* Makes a method the current one: sets its graph, and finds the partners of its nodes in the
 * reference and the inputs of its runs. Fails as prepare_reference() does. */
static etr_status enter_method(accuracy_maker *m, uint32_t method,
                               const etr_accuracy_options *options, etr_error *error) {
  m->method = method;
  m->graph = &m->profile->graphs[m->profile->methods[method].graph];
  etr_map_init(&m->rows, &m->scratch);
  return prepare_reference(m, options->on_aten, error);
}

/* Adds and compares all values that a method logged, then looks for what explains their errors. An
 * error's ceiling must be known before the drops. Fails when out of memory, or if the reference
 * cannot be used. */
static etr_status compare_method(accuracy_maker *m, uint32_t method,
                                 const etr_accuracy_options *options, etr_error *error) {
  size_t first = m->values.count;
  ETR_TRY(enter_method(m, method, options, error));
  for (size_t i = 0; i < m->profile->debug_value_count; i++)
    add_row_of_value(m, &m->profile->debug_values[i]);
  mark_tapped_values(m);
  for (size_t i = first; i < m->values.count && !etr_arena_failed(m->arena); i++) {
    etr_value_accuracy *row = &m->values.data[i];
    row->problem = compare_value(m, row);
    if (!row->problem)
      row->impact_snr_db = find_impact(m, row);
  }
  find_ceiling(m, m->values.data + first, m->values.count - first);
  return find_segments_and_drops(m, first) == ETR_OK ? ETR_OK : etr_fail_memory(error);
}

/* Sets the spreads of the most suspicious values, at most options->spreads, if there is a
 * reference. Of each node and output only the run that is ranked first counts. Entering a value's
 * method again would repeat its warnings, so these are removed. Fails as enter_method() does. */
static etr_status set_spreads(accuracy_maker *m, const etr_accuracy_options *options,
                              etr_error *error) {
  size_t left = options->spreads, warning_count = m->warnings.list.count;
  etr_map seen;
  etr_map_init(&seen, &m->scratch);
  m->budget = m->buffer.size; /* of the bytes that are read again */
  for (size_t i = 0; m->reference.is_open && i < m->out->ranked_count && left > 0; i++) {
    etr_value_accuracy *row = &m->values.data[m->out->ranked[i]];
    const row_key key = {row->value->method, row->node, row->output};
    if (etr_map_count(&seen, ETR_BYTES(key)))
      continue;
    if (row->value->method != m->method)
      ETR_TRY(enter_method(m, row->value->method, options, error));
    m->warnings.list.count =
        warning_count; /* what there is to warn of was said when the values were compared */
    set_spread_of_value(m, row);
    left--;
  }
  return ETR_OK;
}

/* Warns of values that taps computed in a way that no taps.json describes. A taps.json without
 * specs is damaged, of which etr_taps_read() has warned. */
static void warn_of_unknown_taps(accuracy_maker *m) {
  bool is_damaged = m->profile->taps && m->taps.specs.count == 0; /* which was warned of */
  if (m->unknown_taps > 0 && !is_damaged)
    etr_warn(&m->warnings, m->profile->etrecord, NULL, ETR_NO_OFFSET,
             "taps returned %zu values that are not the tensors of the tapped nodes, but something "
             "computed from them. "
             "%s would tell what they are: a JSON list of the TapSpecs that "
             "tap_intermediate_outputs_ returned",
             m->unknown_taps,
             m->profile->taps ? "A complete taps.json" : "taps.json beside the record");
}

/* Compares every method that logged values, and ranks the values. out->method becomes the method
 * with the most values, which represents the record. At most eight times the size of the debug
 * buffer is read, which limits the reading of tensors that share bytes. Fails if reference or debug
 * buffer cannot be read, or when out of memory. */
static etr_status compare_all_methods(accuracy_maker *m, const etr_accuracy_options *options,
                                      etr_error *error) {
  size_t most_values = 0;
  etr_record_hash(m->out->record_hash, m->profile);
  etr_recording_hash(m->out->recording_hash, m->profile);
  ETR_TRY(open_reference(m, options, error));
  check_local_values(m);
  if (m->profile->taps)
    etr_taps_read(&m->taps, m->profile->taps, &m->warnings);
  if (m->profile->debug_buffer) {
    ETR_TRY(etr_debug_open(&m->buffer, m->profile, error));
    m->has_buffer = true;
    m->budget = m->buffer.size <= UINT64_MAX / 8 ? m->buffer.size * 8 : UINT64_MAX;
  }
  for (uint32_t i = 0; i < m->profile->method_count; i++) {
    size_t count = count_logged(m, i);
    if (count == 0)
      continue;
    if (count > most_values)
      m->out->method = i;
    most_values = ETR_MAX(most_values, count);
    ETR_TRY(compare_method(m, i, options, error));
  }
  warn_of_unknown_taps(m);
  return rank_all(m) ? set_spreads(m, options, error) : etr_fail_memory(error);
}

/* The scratch memory, the reference and the debug buffer are closed here, also on failure; what the
 * result points to is in the arena of its box. */
etr_status etr_accuracy_open(etr_accuracy **out, const etr_profile *profile,
                             const etr_accuracy_options *options, etr_error *error) {
  static const etr_accuracy_options defaults = {0};
  *out = NULL;
  etr_error_clear(error);
  accuracy_box *box = calloc(1, sizeof *box);
  if (!box)
    return etr_fail_memory(error);
  accuracy_maker m = {.out = &box->accuracy,
                      .profile = profile,
                      .arena = &box->arena,
                      .warnings = {.arena = &box->arena}};
  box->accuracy.profile = profile;
  box->accuracy.method = ETR_NONE;
  etr_status status = compare_all_methods(&m, options ? options : &defaults, error);
  if (status == ETR_OK && (etr_arena_failed(&box->arena) || etr_arena_failed(&m.scratch)))
    status = etr_fail_memory(error);
  box->accuracy.values = m.values.data;
  box->accuracy.value_count = m.values.count;
  box->accuracy.warnings = m.warnings.list.data;
  box->accuracy.warning_count = m.warnings.list.count;
  etr_reference_close(&m.reference);
  if (m.has_buffer)
    etr_seekable_close(&m.buffer);
  etr_arena_clear(&m.scratch);
  if (status == ETR_OK)
    *out = &box->accuracy;
  else
    etr_accuracy_close(&box->accuracy);
  return status;
}

void etr_accuracy_close(etr_accuracy *accuracy) {
  accuracy_box *box = (accuracy_box *)accuracy;
  if (box)
    etr_arena_clear(&box->arena);
  free(box);
}
