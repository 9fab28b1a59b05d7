/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_inputs.c - finds which input of the reference each run had: by the index in the ETDump, by
 * the arguments that delegates logged, or by the order of the runs.
 */
#include "accuracy/steps.h"

#include "accuracy/debug_data.h"
#include "accuracy/numeric_gap.h"

#include <stdio.h>

enum {
  MOST_ARGUMENTS = 64,       /* arguments of a method that are looked for among logged ones */
  MOST_COMPARISONS = 1 << 14 /* logged arguments that are compared with arguments of inputs; more
                                runs go by order */
};

/* What is needed to find the inputs of a method's runs. */
typedef struct input_finder {
  const etr_profile *profile;
  const etr_reference_file *reference;
  const etr_seekable *buffer; /* NULL: none */
  uint32_t method;
  etr_run_input *runs;
  size_t comparisons_left;
} input_finder;

/* Returns true if a logged tensor has the type, the rank and exactly the numbers of an argument of
 * an input. False also if one cannot be read, or when out of memory: the input is then found by the
 * order of runs. */
static bool is_equal_to_argument(const input_finder *f, const etr_debug_value *value,
                                 const etr_safetensor *argument) {
  etr_tensor_view wanted, got;
  int64_t strides[ETR_MOST_RANK];
  etr_numeric_gap gap;
  const char *problem;
  if (!etr_reference_view(&wanted, f->reference, argument) ||
      !etr_debug_view(&got, value, f->buffer, strides))
    return false;
  if (wanted.rank != got.rank || strcmp(wanted.element->dtype, got.element->dtype) != 0 ||
      etr_tensor_fault(&got) || etr_tensor_fault(&wanted) ||
      etr_gap_measure(&gap, &problem, &wanted, &got) != ETR_OK || problem)
    return false;
  return gap.element_count > 0 && gap.unlike == 0 && gap.max_abs_error == 0;
}

/* Returns true if a logged value equals one of the method's arguments in an input of the
 * reference; false also once too many were compared. */
static bool does_input_have_value(input_finder *f, const etr_debug_value *value, uint32_t input) {
  char number[16];
  for (unsigned i = 0; i < MOST_ARGUMENTS; i++) {
    (void)snprintf(number, sizeof number, "%u", i);
    const etr_safetensor *argument = etr_reference_find(f->reference, input,
                                                        &(etr_reference_key){"input", number, 0});
    if (!argument)
      return false;
    if (argument->byte_size != value->byte_size)
      continue;
    if (!etr_spend(&f->comparisons_left, 1))
      return false;
    if (is_equal_to_argument(f, value, argument))
      return true;
  }
  return false;
}

/* Returns the input of the reference that a run had, by an argument that a delegate logged: if a
 * delegate reads an input of the method directly, that argument has the same numbers as the input.
 * Debug values [first, end) are the run's. The input `expected` (by the order of runs) is tried
 * first, which saves comparisons. Returns ETR_NONE if no input has such an argument. */
static uint32_t find_input_with_argument(input_finder *f, uint32_t expected, size_t first,
                                         size_t end) {
  for (size_t i = first; i < end && f->comparisons_left > 0; i++) {
    const etr_debug_value *value = &f->profile->debug_values[i];
    if (!value->is_argument || value->kind != ETR_DEBUG_TENSOR || value->byte_size == 0)
      continue;
    if (expected < f->reference->method->input_count && does_input_have_value(f, value, expected))
      return expected;
    for (uint32_t input = 0; input < f->reference->method->input_count; input++)
      if (input != expected && does_input_have_value(f, value, input))
        return input;
  }
  return ETR_NONE;
}

/* Returns the input of the reference that a run had, by the strongest evidence there is: the index
 * in the ETDump, there being one input only, equal numbers, the order of runs. The run's debug
 * values are [first, end), and `run_number` is its number among the runs that logged values. */
static etr_run_input choose_input_of_run(input_finder *f, uint32_t run, uint32_t run_number,
                                         size_t first, size_t end) {
  int32_t bundled = f->profile->runs[run].bundled_input_index;
  if (bundled >= 0 && (size_t)bundled < f->reference->method->input_count)
    return (etr_run_input){(uint32_t)bundled, ETR_INPUT_BUNDLED};
  if (f->reference->method->input_count == 1)
    return (etr_run_input){0, ETR_INPUT_ONLY};
  uint32_t equal = f->buffer ? find_input_with_argument(f, run_number, first, end) : ETR_NONE;
  if (equal != ETR_NONE)
    return (etr_run_input){equal, ETR_INPUT_EQUAL};
  if (run_number < f->reference->method->input_count)
    return (etr_run_input){run_number, ETR_INPUT_ORDER};
  return (etr_run_input){ETR_NONE, ETR_INPUT_UNKNOWN};
}

/* How many runs logged values, and of how many the input was found in a doubtful way; repeated: it
 * is the only input, and not the first run. */
typedef struct input_counts {
  size_t runs, by_order, unknown, repeated;
} input_counts;

/* Sets f->runs[run] to the input of each run of the method that logged values, which are sorted by
 * run. Returns how many runs there are, of unknown input, by order only, or with the one input
 * after a run that had it, too (repeated). */
static input_counts find_run_inputs(input_finder *f) {
  input_counts counts = {0};
  for (size_t first = 0, end; first < f->profile->debug_value_count; first = end) {
    const etr_debug_value *values = f->profile->debug_values;
    uint32_t run = values[first].run;
    for (end = first + 1; end < f->profile->debug_value_count && values[end].run == run;)
      end++;
    if (values[first].method != f->method)
      continue;
    f->runs[run] = choose_input_of_run(f, run, (uint32_t)counts.runs++, first, end);
    counts.by_order += f->runs[run].evidence == ETR_INPUT_ORDER;
    counts.unknown += f->runs[run].evidence == ETR_INPUT_UNKNOWN;
    counts.repeated += f->runs[run].evidence == ETR_INPUT_ONLY && counts.runs > 1;
  }
  return counts;
}

/* Gives one warning if operators draw random numbers: those in the method's graph, or else custom
 * ones that torch tagged as random when the reference was made (the text method->random). It names
 * the first and says how many more there are; dropout means an export in training mode. */
static void warn_of_random_operators(const etr_graph *graph, const etr_reference_file *reference,
                                     etr_warnings *warnings) {
  const etr_node *first = NULL;
  size_t count = 0;
  for (size_t i = 0; i < graph->node_count; i++) {
    if (!etr_node_draws(&graph->nodes[i]))
      continue;
    count++;
    if (!first)
      first = &graph->nodes[i];
  }
  if (!first && !reference->method->random[0])
    return;
  bool is_dropout = first && strstr(first->target, "dropout");
  char others[32] = "";
  if (count > 1)
    (void)snprintf(others, sizeof others, " and %zu more", count - 1);
  etr_warn(warnings, reference->path, NULL, ETR_NO_OFFSET,
           "the model draws random numbers (%.200s%s): values that depend on them differ for that "
           "reason alone%s",
           first ? first->name : reference->method->random, others,
           is_dropout ? ". It was exported in training mode: call model.eval() before the export"
                      : "");
}

/* Warns of runs whose input is unknown or was found by order alone, if there are fewer runs than
 * inputs. Also warns of models that keep state between runs, because their values depend on the
 * inputs of the runs before. */
static void warn_of_doubtful_inputs(const input_counts *counts, const etr_reference_file *reference,
                                    etr_warnings *warnings) {
  const char *path = reference->path;
  const etr_reference_method *method = reference->method;
  if (counts->unknown)
    etr_warn(warnings, path, NULL, ETR_NO_OFFSET,
             "it has %zu inputs, but %zu runs logged values: the inputs of %zu runs are unknown, "
             "and these are not "
             "compared. Name all inputs when you make the reference: --inputs FILE",
             method->input_count, counts->runs, counts->unknown);
  if (counts->by_order && counts->runs < method->input_count)
    etr_warn(warnings, path, NULL, ETR_NO_OFFSET,
             "it has %zu inputs, but %zu runs logged values: runs are compared with the first "
             "inputs, in order",
             method->input_count, counts->runs);
  if (method->state[0] && counts->repeated)
    etr_warn(warnings, path, NULL, ETR_NO_OFFSET,
             "the model keeps state (%.200s), and %zu runs are compared with the one input: only "
             "the first run started "
             "from the same state. Make the reference with one input for each run, in order",
             method->state, counts->runs);
  else if (method->state[0])
    etr_warn(warnings, path, NULL, ETR_NO_OFFSET,
             "the model keeps state (%.200s): values agree only if the runs had the inputs of the "
             "reference in its "
             "order, from a freshly loaded program on",
             method->state);
}

/* Without a debug buffer, logged arguments are not compared. */
etr_status etr_run_inputs_find(etr_run_input **out, const etr_profile *profile, uint32_t method,
                               const etr_reference_file *reference,
                               const etr_seekable *debug_buffer, etr_warnings *warnings) {
  *out = etr_arena_alloc_array(warnings->arena, profile->run_count, sizeof **out);
  if (!*out)
    return ETR_ERROR_MEMORY;
  for (size_t i = 0; i < profile->run_count; i++)
    (*out)[i].input = ETR_NONE;
  input_finder f = {profile, reference, debug_buffer, method, *out, MOST_COMPARISONS};
  if (!reference->method)
    return ETR_OK;
  input_counts counts = find_run_inputs(&f);
  warn_of_doubtful_inputs(&counts, reference, warnings);
  warn_of_random_operators(&profile->graphs[profile->methods[method].graph], reference, warnings);
  return ETR_OK;
}
