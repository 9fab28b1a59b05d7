/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_accuracy.c - which operators make the outputs inexact, and what to do about them.
 */
#include "output/label.h"
#include "views/accuracy_view.h"
#include "views/finder.h"
#include "views/finding_rules.h"

#include <stdlib.h>

/* How many times the step of what an operator adds the step of its result is at least, for the
 * coarser step to be called a cause: 16 steps are 4 bits of 8. */
static const double coarse_factor = 16;

/* ---- A cause: a coarse step of quantization ---- */

/* A quantize node whose step is much coarser than that of a value that went into the result. */
typedef struct coarse_step {
  uint32_t quantizer, operator,
      input; /* nodes: it quantizes the result of the operator, which reads the input */
  double scale, input_scale, least, most; /* steps, and the range of the quantizer */
} coarse_step;

/* Reads a number among the arguments of a node. Returns false, with NaN or infinity, if there is
 * none of this name. */
static bool read_number_argument(const etr_node *node, const char *name, double *out) {
  const char *text = etr_node_argument(node, name);
  char *end = NULL;
  *out = text ? strtod(text, &end) : NAN;
  return end && end != text && isfinite(*out);
}

/* Returns true for operators whose result has the scale of all values that they read, so that
 * quantization steps before and after them can be compared. */
static bool keeps_scale(const etr_finder *finder, const etr_node *node) {
  static const char *const names[] = {"add",     "sub",     "cat",        "where",
                                      "maximum", "minimum", "masked_fill"};
  return etr_is_one_of(finder, node, names, ETR_COUNT(names));
}

/* Sets *coarsest to a quantize node if its step is much coarser than one of the steps that its
 * operator reads, and by a larger factor than that of the node found so far. Does nothing for other
 * nodes. */
static void update_coarsest(coarse_step *coarsest, const etr_finder *finder, uint32_t quantizer) {
  const etr_graph *graph = finder->graph;
  const etr_node *node = &graph->nodes[quantizer];
  coarse_step found = {.quantizer = quantizer};
  double zero_point, least, most;
  if (!strstr(node->target, ".quantize_per_tensor") || node->input_count == 0 ||
      !read_number_argument(node, "scale", &found.scale) ||
      !read_number_argument(node, "zero_point", &zero_point) ||
      !read_number_argument(node, "quant_min", &least) ||
      !read_number_argument(node, "quant_max", &most))
    return;
  found.operator = node->inputs[0].node;
  found.least = (least - zero_point) * found.scale;
  found.most = (most - zero_point) * found.scale;
  const etr_node *producer = &graph->nodes[found.operator];
  for (size_t i = 0; keeps_scale(finder, producer) && i < producer->input_count; i++) {
    const etr_node *input = &graph->nodes[producer->inputs[i].node];
    if (!strstr(input->target, "dequantize_per_tensor") ||
        !read_number_argument(input, "scale", &found.input_scale))
      continue;
    found.input = producer->inputs[i].node;
    bool is_coarser = coarsest->input_scale == 0 ||
                      found.scale * coarsest->input_scale > coarsest->scale * found.input_scale;
    if (found.input_scale > 0 && found.scale >= coarse_factor * found.input_scale && is_coarser)
      *coarsest = found;
  }
}

/* Finds the quantization that is coarsest compared with what it is made of, among the operators
 * that computed a value since the last one that was compared. Returns false if none is coarse. */
static bool find_coarse_step(coarse_step *out, const etr_finder *finder,
                             const etr_value_accuracy *value) {
  *out = (coarse_step){0};
  for (size_t i = 0; i < value->segment_count; i++)
    update_coarsest(out, finder, value->segment[i]);
  return out->input_scale > 0;
}

/* Returns a number with three significant digits, or in whole from 1000 on; "" when out of memory.
 */
static const char *number_text(etr_arena *arena, double number) {
  const char *text = etr_arena_format(arena, fabs(number) >= 1000 ? "%.0f" : "%.3g", number);
  return text ? text : "";
}

/* Returns a sentence that says in which steps a result is stored, and how much coarser they are
 * than those that it is made of. */
static const char *coarse_evidence(etr_finder *finder, const coarse_step *step) {
  const etr_node *nodes = finder->graph->nodes;
  /* People know the operator that computed the input, and not the quantize node behind it. */
  uint32_t source_node = nodes[step->input].inputs[0].node;
  while (strstr(nodes[source_node].target, "quantize_per_") && nodes[source_node].input_count)
    source_node = nodes[source_node].inputs[0].node;
  return etr_arena_format(
      finder->arena,
      " The result of %s is stored in steps of %s, for a range from %s to %s: %s times the step of "
      "%s, which it reads, so that smaller differences are lost.",
      etr_finder_node_name(finder, step->operator), number_text(finder->arena, step->scale),
      number_text(finder->arena, step->least), number_text(finder->arena, step->most),
      number_text(finder->arena, step->scale / step->input_scale),
      etr_finder_node_name(finder, source_node));
}

/* ---- The finding ---- */

/* Returns true if all stored integers differ by one step at most, as ties do that two machines
 * round differently: the differences of other values of a quantized program then follow from these.
 */
static bool is_rounding(const etr_accuracy *accuracy) {
  bool has_integers = false;
  for (size_t i = 0; i < accuracy->value_count; i++) {
    const etr_value_accuracy *value = &accuracy->values[i];
    if (value->problem || !value->is_integer)
      continue;
    if (value->most_steps > 1)
      return false;
    has_integers = true;
  }
  return has_integers;
}

/* Returns what to do about the most suspicious value: quantize a result more finely if it has a
 * coarse step, or else log more values if its segment is long, or else keep the value in floating
 * point or, against the own program, check its kernel. */
static const char *advice_on_value(etr_finder *finder, const etr_accuracy_row *row,
                                   const coarse_step *step) {
  etr_arena *arena = finder->arena;
  const char *location = etr_accuracy_place(row),
             *backend = finder->graph->times[row->value->computed_by].backend;
  if (step->input_scale > 0)
    return etr_arena_format(
        arena, "Quantize the result of %s over a smaller range, or keep it in floating point",
        etr_finder_node_name(finder, step->operator));
  if (etr_accuracy_is_vague(row->value))
    return etr_arena_format(arena,
                            "Lower without a partitioner, or in smaller parts: nothing says which "
                            "of %zu operators it is",
                            row->value->segment_count);
  if (row->accuracy->reference_record != row->accuracy->profile)
    return etr_arena_format(arena, "Keep %s in floating point, or quantize it more finely",
                            location);
  return etr_arena_format(arena, "Check how %s computes %s: it differs from the program",
                          backend ? backend : "the kernel", location);
}

/* Returns the title of the finding about the most suspicious value, by the same cases as
 * advice_on_value(): its step is coarse, its segment is long, the reference is another program, or
 * it is its own. */
static const char *finding_title(const etr_accuracy_row *row, const coarse_step *step) {
  if (step->input_scale > 0)
    return "Quantize one result more finely";
  if (etr_accuracy_is_vague(row->value))
    return "Find the layer that loses accuracy";
  if (row->accuracy->reference_record != row->accuracy->profile)
    return "Keep one layer in floating point";
  return "Check how one operator is computed";
}

/* Makes a finding be about the operators of a value's segment: those that computed it since the
 * last value that was compared. Returns false when out of memory. */
static bool set_segment_nodes(etr_finder *finder, etr_finding *finding,
                              const etr_value_accuracy *value) {
  bool *marked = etr_finder_node_flags(finder);
  for (size_t i = 0; marked && i < value->segment_count; i++)
    marked[value->segment[i]] = true;
  return marked && etr_finding_set_nodes(finder, finding, marked);
}

/* Adds the finding about the most suspicious value, if values were compared with a reference and
 * some output differs. Returns false when out of memory. */
bool etr_add_accuracy_findings(etr_finder *finder) {
  const etr_profile *profile = finder->profile;
  const etr_accuracy *accuracy = etr_accuracy_of_method(
      profile->accuracy, (uint32_t)(finder->method - profile->methods));
  etr_arena *arena = finder->arena;
  coarse_step step;
  uint32_t candidates[ETR_ACCURACY_CANDIDATES];
  if (!accuracy || !accuracy->reference || accuracy->ranked_count == 0)
    return true;
  const etr_value_accuracy *first = &accuracy->values[accuracy->ranked[0]];
  const etr_value_accuracy *output = etr_accuracy_worst_output(accuracy);
  if (etr_accuracy_candidates(candidates, accuracy) == 0)
    return true;
  if (output && etr_gap_is_equal(&output->gap))
    return true;
  /* Against its own program, a record may round differently. */
  bool is_own = accuracy->reference_record == accuracy->profile;
  if (is_own && is_rounding(accuracy))
    return true;
  etr_finding *added = etr_vec_push(arena, &finder->found);
  if (!added)
    return false;
  const etr_accuracy_row row = etr_accuracy_row_of(arena, accuracy, first);
  bool is_coarse = find_coarse_step(&step, finder, first);
  *added = (etr_finding){.kind = ETR_FINDING_INACCURATE,
                         .title = finding_title(&row, &step),
                         .fact = advice_on_value(finder, &row, &step),
                         .least = NAN,
                         .cost = NAN,
                         .share = NAN,
                         .potential = NAN,
                         .potential_share = NAN,
                         .slope = NAN};
  const char *verb = first->has_local ? "adds most of the error" : "has the largest drop";
  if (first->is_origin)
    verb = "is where it goes wrong";
  added->evidence = etr_arena_format(
      arena, "The output has %s %s. %s %s: it has %s, %s, in a segment of %zu operator%s.%s",
      output ? etr_accuracy_snr_text(arena, &output->gap) : "an unknown SNR",
      etr_accuracy_against(arena, accuracy), etr_accuracy_place(&row), verb,
      etr_accuracy_snr_text(arena, &first->gap), etr_accuracy_score(arena, first),
      first->segment_count, etr_plural(first->segment_count),
      is_coarse ? coarse_evidence(finder, &step) : "");
  bool is_clear = first->has_local || first->is_origin;
  etr_finding_set_sureness(
      added, is_clear ? ETR_LIKELY : ETR_POSSIBLE,
      is_clear ? "" : "the drop can name the wrong operator where every layer is inexact");
  return set_segment_nodes(finder, added, first) && added->title && added->evidence;
}
