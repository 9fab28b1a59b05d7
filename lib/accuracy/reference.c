/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reference.c - pairs sets of reference outputs with runs, and compares them.
 */
#include "accuracy/reference.h"

#include "accuracy/numeric_gap.h"
#include "inputs/torch_archive.h"

#define ENTRY "reference_outputs"

/* The comparison of logged outputs with the record's reference outputs. */
typedef struct comparer {
  etr_profile *profile;
  etr_arena *arena;
  etr_arena scratch; /* freed when all is compared */
  etr_map sets_of;   /* name of a method -> its index among the root's items */
  etr_map compacted; /* sets without empty lists, as pointers */
  etr_warnings *warnings;
  etr_torch_archive archive;
  etr_seekable buffer; /* the debug buffer */
  bool out_of_memory;
  etr_vec(etr_output_gap) gaps;
} comparer;

/* The outputs that one run logged: the outputs among debug_values from `first` on. */
typedef struct run_outputs {
  uint32_t run, method;
  size_t first, count;
} run_outputs;

/* ---- One output ---- */

/* Sets *out to a pickled number, or to 0 or 1 for a bool. Returns false, without setting *out, for
 * any other kind. */
static bool number_of_pickled(const etr_pickle_value *value, double *out) {
  if (value->kind == ETR_PICKLE_FLOAT)
    *out = value->real;
  if (value->kind == ETR_PICKLE_INT || value->kind == ETR_PICKLE_BOOL)
    *out = (double)value->number;
  return value->kind == ETR_PICKLE_FLOAT || value->kind == ETR_PICKLE_INT ||
         value->kind == ETR_PICKLE_BOOL;
}

/* Sets *out to the gap between a logged number (int, double, bool) and a pickled one, as if both
 * were tensors of one element. Returns NULL on success, or the reason why it is impossible, for the
 * user: one of them is no number. The caller has excluded that both are tensors. */
static const char *compare_pickled_number(etr_numeric_gap *out, const etr_pickle_value *reference,
                                          const etr_debug_value *value) {
  etr_gap_sum sum = {0};
  double wanted,
      got = value->kind == ETR_DEBUG_DOUBLE ? value->double_value : (double)value->int_value;
  if (value->kind == ETR_DEBUG_NONE || !number_of_pickled(reference, &wanted))
    return "one is no number";
  etr_gap_add(&sum, &wanted, &got, 1);
  *out = etr_gap_of(&sum);
  return NULL;
}

/* Sets *out to the gap between a logged tensor and one of the reference outputs. Returns NULL on
 * success, or the reason why they cannot be compared, for the user. Sets out_of_memory when out of
 * memory. */
static const char *compare_pickled_tensor(comparer *c, etr_numeric_gap *out,
                                          const etr_pickle_value *reference,
                                          const etr_debug_value *value) {
  etr_tensor_view wanted, got;
  int64_t strides[ETR_MOST_RANK];
  etr_error error;
  if (!value->stats)
    return c->profile->debug_buffer ? "its numbers cannot be read" : "there is no debug buffer";
  if (!etr_debug_view(&got, value, &c->buffer, strides))
    return "its numbers cannot be read";
  const char *problem = NULL;
  etr_status status = etr_torch_view(&wanted, &c->archive, reference, &error);
  if (status == ETR_OK)
    status = etr_gap_measure(out, &problem, &wanted, &got);
  else
    problem = etr_arena_copy(c->arena, etr_slice_of(error.message));
  c->out_of_memory |= status == ETR_ERROR_MEMORY;
  return problem;
}

/* ---- One run ---- */

/* Returns a list of a run's logged outputs by their index, in the scratch arena; NULL for indices
 * that were not logged. Of outputs with the same index the first one counts. The list has one entry
 * more than the run logged outputs, because the first output that is missing is reported. Returns
 * NULL when out of memory. */
static const etr_debug_value **index_outputs(const comparer *c, const run_outputs *run,
                                             etr_arena *scratch) {
  const etr_profile *p = c->profile;
  const etr_debug_value **outputs = etr_arena_alloc_array(scratch, run->count + 1, sizeof *outputs);
  for (size_t i = run->first;
       outputs && i < p->debug_value_count && p->debug_values[i].run == run->run; i++) {
    const etr_debug_value *value = &p->debug_values[i];
    if (value->is_output && value->index <= run->count && !outputs[value->index])
      outputs[value->index] = value;
  }
  return outputs;
}

/* Adds the gap of a run's output number *output to a reference value, and increments *output.
 * `outputs` has the run's logged values by output; NULL there means that it was not logged, which
 * becomes the gap's problem. `run_gap` has what all gaps of the run have in common. When out of
 * memory, the arena has failed, or c->out_of_memory is set. */
static void add_gap_of_output(comparer *c, const etr_output_gap *run_gap,
                              const etr_debug_value *const *outputs,
                              const etr_pickle_value *reference, uint32_t *output) {
  etr_output_gap *gap = etr_vec_push(c->arena, &c->gaps);
  if (!gap)
    return;
  *gap = *run_gap;
  gap->output = (*output)++;
  gap->value = outputs[gap->output];
  bool is_tensor = reference->kind == ETR_PICKLE_TENSOR;
  if (!gap->value)
    gap->problem = "the run logged fewer outputs than the reference has";
  else if (is_tensor && gap->value->kind == ETR_DEBUG_TENSOR)
    gap->problem = compare_pickled_tensor(c, &gap->gap, reference, gap->value);
  else
    gap->problem = is_tensor || gap->value->kind == ETR_DEBUG_TENSOR
                       ? "one is a tensor, the other is not"
                       : compare_pickled_number(&gap->gap, reference, gap->value);
}

/* Returns true for the outputs that a run logged, and for one more: only the first output that was
 * not logged is reported. */
static bool is_reported_output(const run_outputs *run, uint32_t output) {
  return output <= run->count;
}

/* Removes the empty lists from a set of outputs, because an empty list has no logged value with
 * which it could be paired. c->compacted has the sets for which this was done before, for an
 * earlier run: a damaged record may have very many empty lists, and many runs. */
static void remove_empty_lists(comparer *c, etr_pickle_value *list) {
  etr_map_slot *slot = etr_map_at(&c->compacted, ETR_BYTES(list));
  if (!slot || slot->value != ETR_NONE || list->kind != ETR_PICKLE_LIST)
    return;
  size_t kept = 0;
  slot->value = 1;
  for (size_t i = 0; i < list->items.count; i++) {
    etr_pickle_value *item = list->items.data[i];
    if (item->kind != ETR_PICKLE_LIST || item->items.count)
      list->items.data[kept++] = item;
  }
  list->items.count = kept;
}

/* Adds the gaps of a run's outputs to a set of reference outputs, which is a list of outputs, or
 * one output. An output that is itself a list of tensors was logged tensor by tensor, so each of
 * its tensors counts as an output. Outputs beyond the first one that the run did not log are left
 * out. */
static void compare_run_with_set(comparer *c, const etr_output_gap *run_gap, const run_outputs *run,
                                 etr_pickle_value *set) {
  uint32_t output = 0;
  etr_arena scratch = {0};
  const etr_debug_value *const *outputs = index_outputs(c, run, &scratch);
  c->out_of_memory |= !outputs;
  remove_empty_lists(c, set);
  if (outputs && set->kind != ETR_PICKLE_LIST)
    add_gap_of_output(c, run_gap, outputs, set, &output);
  for (size_t i = 0; outputs && set->kind == ETR_PICKLE_LIST && i < set->items.count &&
                     is_reported_output(run, output);
       i++) {
    const etr_pickle_value *item = set->items.data[i];
    if (item->kind != ETR_PICKLE_LIST)
      add_gap_of_output(c, run_gap, outputs, item, &output);
    for (size_t k = 0;
         item->kind == ETR_PICKLE_LIST && k < item->items.count && is_reported_output(run, output);
         k++)
      add_gap_of_output(c, run_gap, outputs, item->items.data[k], &output);
  }
  etr_arena_clear(&scratch);
}

/* ---- One method ---- */

typedef etr_vec(run_outputs) runs_with_outputs;

/* Orders runs by method, then by their index. */
static int by_method(const void *a, const void *b) {
  const run_outputs *x = a, *y = b;
  if (x->method != y->method)
    return x->method < y->method ? -1 : 1;
  return (x->run > y->run) - (x->run < y->run);
}

/* Lists the runs that logged outputs, sorted by method, then by run: of each, the index of its
 * first output among the debug values, which are sorted by run, and the number of outputs. Returns
 * false when out of memory, which the scratch arena shows. */
static bool list_runs_with_outputs(comparer *c, runs_with_outputs *out) {
  for (size_t i = 0; i < c->profile->debug_value_count; i++) {
    const etr_debug_value *value = &c->profile->debug_values[i];
    if (!value->is_output || value->method == ETR_NONE)
      continue;
    if (out->count == 0 || out->data[out->count - 1].run != value->run) {
      run_outputs *added = etr_vec_push(&c->scratch, out);
      if (!added)
        return false;
      *added = (run_outputs){.run = value->run, .method = value->method, .first = i};
    }
    out->data[out->count - 1].count++;
  }
  etr_sort(out->data, out->count, sizeof *out->data, by_method);
  return true;
}

/* Sets gap->set to the set of reference outputs that belongs to a run, and gap->rule to the rule by
 * which it was chosen. The run is number `run_number` of the `run_count` runs of its method that
 * logged outputs. Returns false if the set is unknown. */
static bool choose_set_of_run(const comparer *c, etr_output_gap *gap, size_t run_number,
                              size_t run_count, size_t set_count) {
  int32_t index = c->profile->runs[gap->run].bundled_input_index;
  if (index >= 0 && (size_t)index < set_count) {
    gap->rule = "bundled input index";
    gap->set = (uint32_t)index;
    return true;
  }
  gap->rule = set_count == 1 ? "the record's only set of reference outputs"
                             : "order: as many sets as runs";
  gap->set = set_count == 1 ? 0 : (uint32_t)run_number;
  return set_count == 1 || set_count == run_count;
}

/* Compares the runs of a method with its sets of reference outputs, or warns if it is unknown which
 * set belongs to which run. */
static void compare_method(comparer *c, uint32_t method, const run_outputs *runs, size_t count,
                           const etr_pickle_value *sets) {
  for (size_t i = 0; i < count && sets->items.count; i++) {
    etr_output_gap gap = {.method = method, .run = runs[i].run};
    if (choose_set_of_run(c, &gap, i, count, sets->items.count))
      compare_run_with_set(c, &gap, &runs[i], sets->items.data[gap.set]);
    else {
      etr_warn(c->warnings, c->profile->etrecord, ENTRY, ETR_NO_OFFSET,
               "method %s has %zu sets of reference outputs, but %zu runs logged outputs: which "
               "belong together is "
               "unknown, so they are not compared",
               c->profile->methods[method].name, sets->items.count, count);
      return;
    }
  }
}

/* Compares the runs of each method that has sets of reference outputs: the record's entry is a dict
 * from names of methods to lists of sets. Methods without such a list are passed over, and a root
 * that is no dict gives a warning. The gaps are added to c->gaps. */
static void compare_methods(comparer *c) {
  runs_with_outputs runs = {0};
  const etr_pickle_value *root = c->archive.root;
  if (root->kind != ETR_PICKLE_DICT) {
    etr_warn(c->warnings, c->profile->etrecord, ENTRY, ETR_NO_OFFSET,
             "not a map from methods to sets of outputs: outputs are not compared");
    return;
  }
  /* If names are equal, the last one counts, as in Python. */
  etr_map_init(&c->sets_of, &c->scratch);
  for (size_t i = 0; i + 1 < root->items.count; i += 2)
    if (root->items.data[i]->kind == ETR_PICKLE_STRING)
      etr_map_set(&c->sets_of, root->items.data[i]->text, (uint32_t)i + 1);
  etr_map_init(&c->compacted, &c->scratch);
  if (!list_runs_with_outputs(c, &runs))
    return;
  for (size_t i = 0, end; i < runs.count && !etr_arena_failed(c->arena); i = end) {
    uint32_t method = runs.data[i].method,
             sets_index = etr_map_get(&c->sets_of, etr_slice_of(c->profile->methods[method].name));
    for (end = i + 1; end < runs.count && runs.data[end].method == method;)
      end++;
    const etr_pickle_value *sets = sets_index == ETR_NONE ? NULL : root->items.data[sets_index];
    if (sets && sets->kind == ETR_PICKLE_LIST)
      compare_method(c, method, &runs.data[i], end - i, sets);
  }
}

/* ---- The entry ---- */

/* Reads the entry reference_outputs of the ETRecord. Fails if it is missing or damaged, or when out
 * of memory. */
static etr_status read_reference_entry(etr_file *out, const char *path, etr_error *error) {
  etr_archive *record;
  ETR_TRY(etr_archive_open(&record, path, error));
  size_t index = etr_archive_find(record, ENTRY);
  etr_status status = index == SIZE_MAX
                          ? etr_fail(error, ETR_ERROR_FORMAT, path, ENTRY, ETR_NO_OFFSET,
                                     "the entry is missing")
                          : etr_archive_read(out, record, index, ETR_MOST_TORCH_BYTES, error);
  etr_archive_close(record);
  return status;
}

/* Compares the runs with the reference outputs in these bytes of an entry, which torch.save wrote.
 * Fails if they are damaged or the debug buffer cannot be opened, or when out of memory. */
static etr_status compare_with_entry(comparer *c, etr_slice bytes, etr_error *error) {
  ETR_TRY(etr_torch_open(&c->archive, bytes, c->profile->etrecord, ENTRY, error));
  etr_status status = c->profile->debug_buffer ? etr_debug_open(&c->buffer, c->profile, error)
                                               : ETR_OK;
  if (status == ETR_OK)
    compare_methods(c);
  c->out_of_memory |= etr_arena_failed(&c->scratch);
  etr_arena_clear(&c->scratch);
  if (c->out_of_memory)
    status = etr_fail_memory_of(error, c->profile->etrecord, ENTRY);
  if (status == ETR_OK && c->profile->debug_buffer)
    etr_seekable_close(&c->buffer);
  etr_torch_close(&c->archive);
  return status;
}

/* Does nothing unless outputs were logged and the record has reference outputs. Damaged ones give a
 * warning and count as success, because everything else of the profile can be used. */
etr_status etr_reference_compare(etr_profile *profile, etr_arena *arena, etr_warnings *warnings,
                                 etr_error *error) {
  comparer c = {.profile = profile, .arena = arena, .warnings = warnings};
  bool has_outputs = false;
  etr_file file = {0};
  etr_error failure = {.offset = ETR_NO_OFFSET};
  for (size_t i = 0; i < profile->debug_value_count && !has_outputs; i++)
    has_outputs = profile->debug_values[i].is_output;
  if (!has_outputs || !profile->has_reference_outputs)
    return ETR_OK;
  etr_status status = read_reference_entry(&file, profile->etrecord, &failure);
  if (status == ETR_OK) {
    status = compare_with_entry(&c, etr_file_bytes(&file), &failure);
    etr_file_clear(&file);
  }
  profile->output_gaps = c.gaps.data;
  profile->output_gap_count = c.gaps.count;
  if (status == ETR_ERROR_FORMAT) {
    etr_warn(warnings, failure.file, failure.entry, failure.offset,
             "%s; the outputs are not compared with it", failure.message);
    return ETR_OK;
  }
  if (status != ETR_OK && error)
    *error = failure;
  return status;
}

/* ---- Taps ---- */

/* Returns how many values the program of a graph returns, without those that it writes to buffers
 * and inputs; 0 if the graph does not end with an output node. */
static size_t count_returned_values(const etr_graph *graph) {
  const etr_node *last = graph->node_count ? &graph->nodes[graph->node_count - 1] : NULL;
  if (!last || last->kind != ETR_NODE_OUTPUT)
    return 0;
  return last->input_count - ETR_MIN(graph->mutation_count, last->input_count);
}

size_t etr_count_exported_outputs(const etr_profile *profile, const etr_graph *edge) {
  for (size_t i = 0; i < profile->graph_count; i++) {
    const etr_graph *graph = &profile->graphs[i];
    if (strcmp(graph->module, "aten") == 0 && strcmp(graph->method, edge->method) == 0)
      return count_returned_values(graph);
  }
  return 0;
}

/* Warns if a method returns more than its exported program, because then intermediate_output_tap
 * has added outputs. */
static void warn_of_tapped_method(const etr_profile *profile, const etr_method *method,
                                  etr_warnings *warnings) {
  const etr_graph *edge = &profile->graphs[method->graph];
  size_t exported = strcmp(edge->module, "edge") == 0 ? etr_count_exported_outputs(profile, edge)
                                                      : 0;
  if (exported > 0 && count_returned_values(edge) > exported)
    etr_warn(warnings, profile->etrecord, NULL, ETR_NO_OFFSET,
             "%.100s is tapped (intermediate_output_tap): it returns %zu values more than the "
             "exported program, and "
             "operators around them are not fused. Its times mean nothing: measure the program "
             "without taps",
             method->name, count_returned_values(edge) - exported);
}

void etr_warn_of_taps(const etr_profile *profile, etr_warnings *warnings) {
  bool has_exported = false; /* a record with many methods rarely has their exported programs */
  for (size_t i = 0; i < profile->graph_count && !has_exported; i++)
    has_exported = strcmp(profile->graphs[i].module, "aten") == 0;
  for (size_t i = 0; i < profile->method_count && has_exported; i++)
    if (profile->methods[i].graph != ETR_NONE)
      warn_of_tapped_method(profile, &profile->methods[i], warnings);
}
