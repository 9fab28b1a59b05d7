/* SPDX-License-Identifier: BSD-3-Clause
 *
 * debug_data.c - joins logged values to nodes and measures them.
 */
#include "accuracy/debug_data.h"

#include "inputs/graph_values.h"
#include "join/delegate_outputs.h"
#include "join/placement.h"
#include "join/program_graph.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Finding the output of its node that each logged value is ---- */

/* What a method's delegates return, computed when first needed. */
typedef struct delegate_results {
  etr_delegate_outputs outputs;
  bool is_known;
} delegate_results;

/* Logged values while their outputs are found. */
typedef struct joiner {
  etr_debug_value *values;
  size_t count;
  const etr_placement *placements;
  delegate_results *returned; /* per method */
  etr_arena *scratch;
} joiner;

/* Sets which output of its node a kernel's value is. A kernel logs all of its outputs each time it
 * runs, so that in a loop the outputs of later iterations follow in the same order: hence the
 * remainder. */
static void set_output_of_kernel_value(etr_debug_value *value, const etr_graph *graph) {
  size_t count = graph->nodes[value->node].output_count;
  if (count > 0)
    value->output = (uint32_t)(value->index % count);
}

/* Sets `output`, the index among the inputs of the graph's output node, of the `count` values that
 * a method returned in one run. The output node may begin with values that are written to buffers
 * and inputs, which the runtime does not return; these are counted unless the numbers are equal
 * without that. If the numbers agree in neither way, nothing is set. */
static void set_returned_outputs(etr_debug_value *first, size_t count, const etr_graph *graph) {
  size_t listed = graph->nodes[first->node].input_count,
         mutated = listed == count ? 0 : graph->mutation_count;
  if (listed != mutated + count)
    return;
  for (size_t i = 0; i < count; i++)
    first[i].output = (uint32_t)(mutated + i);
}

/* Returns true if two values were logged by the same event, so that they are all of its values. */
static bool is_of_same_event(const etr_debug_value *a, const etr_debug_value *b) {
  return a->run == b->run && a->instruction_id == b->instruction_id &&
         a->delegate_id == b->delegate_id && a->is_output == b->is_output;
}

/* Returns true if two values are of the same instruction in the same run. */
static bool is_of_same_instruction(const etr_debug_value *a, const etr_debug_value *b) {
  return a->run == b->run && a->instruction_id == b->instruction_id;
}

/* Returns true if the delegate whose call logged the values [first, end) also logged the results of
 * its operators, among the values of the same instruction before or after these: the call then
 * repeats some of the results, which must not count twice. */
static bool has_logged_operators(const joiner *j, size_t first, size_t end) {
  const etr_debug_value *values = j->values, *call = &values[first];
  for (size_t i = first; i-- > 0 && is_of_same_instruction(&values[i], call);)
    if (values[i].delegate_id && values[i].node != ETR_NONE)
      return true;
  for (size_t i = end; i < j->count && is_of_same_instruction(&values[i], call); i++)
    if (values[i].delegate_id && values[i].node != ETR_NONE)
      return true;
  return false;
}

/* Returns true if the outputs of a delegate can be the last `count` values that its call logged:
 * their number is that of the record's delegate map, if it has one, several are in a known order
 * (is_ordered), and each value may have the type and shape of its output. */
static bool results_fit_values(const etr_placement *placement, const etr_debug_value *last,
                               const etr_node_output *outputs, size_t count) {
  const etr_placed *instruction = etr_placed_instruction(placement, last->instruction_id);
  uint32_t recorded = instruction && instruction->map ? instruction->map->output_count : 0;
  if ((recorded && recorded != count) || (count > 1 && !placement->is_ordered))
    return false;
  for (size_t i = 0; i < count; i++)
    if (!etr_value_may_be(
            &last[i], &placement->method->graph->nodes[outputs[i].node].outputs[outputs[i].output]))
      return false;
  return true;
}

/* Sets node and output of those among the values [first, end), the arguments of a delegate call,
 * that the call returns: the last arguments of a call are its outputs. These are no longer marked
 * as arguments. Nothing is set, which is success, if the outputs are not known or do not fit the
 * values in number, type and shape. Returns false when out of memory. */
static bool set_outputs_of_call(joiner *j, size_t first, size_t end) {
  uint32_t method = j->values[first].method;
  delegate_results *results = &j->returned[method];
  size_t count;
  if (!results->is_known &&
      !etr_delegate_outputs_find(&results->outputs, &j->placements[method], j->scratch))
    return false;
  results->is_known = true;
  const etr_node_output *outputs = etr_outputs_of_delegate(
      &results->outputs, j->values[first].instruction_id, &count, j->scratch);
  etr_debug_value *last = &j->values[end - ETR_MIN(count, end - first)];
  if (!outputs || count > end - first ||
      !results_fit_values(&j->placements[method], last, outputs, count))
    return !etr_arena_failed(j->scratch);
  for (size_t i = 0; i < count; i++) {
    last[i].node = outputs[i].node;
    last[i].output = outputs[i].output;
    last[i].is_argument = false;
  }
  return true;
}

/* Sets which output of its node each of the values [first, end) is that one event logged: what a
 * method returned, what a kernel computed, or the arguments of a delegate call. The arguments stay
 * unknown if the delegate logged its operators' results, which they would repeat, and so do values
 * without a graph or node. Returns false when out of memory. */
static bool set_outputs_of_event(joiner *j, size_t first, size_t end) {
  etr_debug_value *values = j->values;
  const etr_graph *graph = values[first].method == ETR_NONE
                               ? NULL
                               : etr_graph_of_events(&j->placements[values[first].method]);
  if (!graph)
    return true;
  if (values[first].is_argument)
    return has_logged_operators(j, first, end) || set_outputs_of_call(j, first, end);
  if (values[first].node == ETR_NONE)
    return true;
  if (values[first].is_output)
    set_returned_outputs(&values[first], end - first, graph);
  else
    for (size_t i = first; i < end; i++)
      set_output_of_kernel_value(&values[i], graph);
  return true;
}

/* Fills `output` of values that have a node. An argument that a delegate call returns gets its node
 * and output and is no longer marked as an argument, unless the delegate also logged the results of
 * its operators, which the call then repeats. The values are sorted by run, then in the order in
 * which they were logged. Returns false when out of memory. */
static bool find_value_outputs(etr_debug_value *values, size_t count,
                               const etr_placement *placements, size_t method_count) {
  etr_arena scratch = {0};
  joiner j = {.values = values, .count = count, .placements = placements, .scratch = &scratch};
  j.returned = etr_arena_alloc_array(&scratch, method_count, sizeof *j.returned);
  bool good = j.returned != NULL;
  for (size_t first = 0, end; good && first < count; first = end) {
    for (end = first + 1; end < count && is_of_same_event(&values[first], &values[end]);)
      end++;
    good = set_outputs_of_event(&j, first, end);
  }
  etr_arena_clear(&scratch);
  return good;
}

/* ---- Collecting ---- */

/* The values of a single dump are not copied: out->values is then the dump's, which must outlive
 * it. Runs of several dumps are numbered through, so the runs of the dumps before are added to a
 * value's run. Also counts the dumps that logged tensors. */
bool etr_debug_collect(etr_debug_data *out, etr_arena *arena, const etr_dump *dumps,
                       size_t dump_count) {
  size_t count = 0;
  uint32_t first_run = 0;
  *out = (etr_debug_data){0};
  for (size_t i = 0; i < dump_count; i++) {
    count += dumps[i].value_count;
    out->dumps_with_tensors += etr_dump_has_tensors(&dumps[i]);
  }
  if (dump_count == 1) { /* the usual case: nothing to copy */
    out->values = dumps->values;
    out->count = count;
    return true;
  }
  out->values = etr_arena_alloc_array(arena, count, sizeof *out->values);
  for (size_t i = 0; out->values && i < dump_count; i++) {
    for (size_t k = 0; k < dumps[i].value_count; k++) {
      out->values[out->count] = dumps[i].values[k];
      out->values[out->count++].run += first_run;
    }
    first_run += (uint32_t)dumps[i].run_count;
  }
  return out->values != NULL;
}

/* ---- Joining ---- */

/* The key of the rows of one instruction and delegate id. Interned ids are compared as pointers. */
typedef struct row_key {
  const char *delegate_id;
  int32_t instruction_id;
  uint32_t block;
} row_key;
ETR_NO_PADDING(row_key, sizeof(char *) + 2 * sizeof(uint32_t));

/* The events of all blocks by instruction and delegate id. */
typedef struct row_index {
  etr_arena arena;
  etr_map node_of;     /* row_key -> node */
  etr_map is_delegate; /* row_key of delegate calls */
} row_index;

/* Indexes the events (rows) of each block by block, instruction and delegate id: node_of has their
 * first node, and is_delegate those that call a delegate. Events without an instruction (-1) are
 * left out, because logged values are found by instruction. Returns false when out of memory. */
static bool index_rows(row_index *index, const etr_blocks *blocks) {
  etr_map_init(&index->node_of, &index->arena);
  etr_map_init(&index->is_delegate, &index->arena);
  for (size_t b = 0; b < blocks->block_count; b++) {
    for (size_t i = 0; i < blocks->blocks[b].event_count; i++) {
      const etr_event *row = &blocks->blocks[b].events[i];
      const row_key key = {row->delegate_id, row->instruction_id, (uint32_t)b};
      etr_slice bytes = {(const char *)&key, sizeof key};
      if (row->instruction_id < 0)
        continue;
      if (row->kind == ETR_EVENT_DELEGATE_CALL)
        etr_map_set(&index->is_delegate, bytes, 1);
      else if (row->node_count > 0)
        etr_map_set(&index->node_of, bytes, row->nodes[0]);
    }
  }
  return !etr_arena_failed(&index->arena);
}

/* Returns the output node of a graph, whose inputs are what it returns; ETR_NONE if there is none.
 */
static uint32_t output_node(const etr_graph *graph) {
  for (size_t i = graph ? graph->node_count : 0; i > 0; i--)
    if (graph->nodes[i - 1].kind == ETR_NODE_OUTPUT && graph->nodes[i - 1].subgraph == ETR_NONE)
      return (uint32_t)(i - 1);
  return ETR_NONE;
}

/* A value is an argument if its instruction calls a delegate and no delegate operator logged it; a
 * value that the method returned has the graph's output node. */
bool etr_debug_join(etr_debug_data *data, const etr_blocks *blocks, const etr_placement *placements,
                    size_t method_count) {
  row_index index = {0};
  bool good = data->count == 0 || index_rows(&index, blocks);
  for (size_t i = 0; good && i < data->count; i++) {
    etr_debug_value *value = &data->values[i];
    uint32_t block = blocks->runs[value->run].block;
    value->method = blocks->blocks[block].method;
    value->output = ETR_NONE;
    const etr_placement *placement = value->method == ETR_NONE ? NULL : &placements[value->method];
    const row_key key = {value->delegate_id, value->instruction_id, block};
    etr_slice bytes = {(const char *)&key, sizeof key};
    if (value->is_output) {
      value->node = placement ? output_node(etr_graph_of_events(placement)) : ETR_NONE;
      continue;
    }
    if (value->instruction_id < 0)
      continue;
    const etr_placed *instruction = placement
                                        ? etr_placed_instruction(placement, value->instruction_id)
                                        : NULL;
    value->node = etr_map_get(&index.node_of, bytes);
    value->is_argument = !value->delegate_id &&
                         (etr_map_get(&index.is_delegate, bytes) != ETR_NONE ||
                          (instruction && instruction->is_delegate && value->node == ETR_NONE));
    /* A dump that has only debug events has no rows with nodes. */
    if (value->node == ETR_NONE && !value->delegate_id && instruction && instruction->is_kernel)
      value->node = instruction->node;
  }
  etr_arena_clear(&index.arena);
  return good && find_value_outputs(data->values, data->count, placements, method_count);
}

/* The node of a value that the method returns is the output node; its input leads to the origin. */
etr_edge etr_debug_value_origin(const etr_profile *profile, const etr_debug_value *value) {
  const etr_method *method = value->method == ETR_NONE ? NULL : &profile->methods[value->method];
  if (!method || method->graph == ETR_NONE || value->node == ETR_NONE || value->output == ETR_NONE)
    return (etr_edge){ETR_NONE, ETR_NONE};
  if (!value->is_output)
    return (etr_edge){value->node, value->output};
  return profile->graphs[method->graph].nodes[value->node].inputs[value->output];
}

/* ---- Measuring ---- */

/* Without strides in the file, the tensor is contiguous. */
bool etr_debug_view(etr_tensor_view *out, const etr_debug_value *value, const etr_seekable *file,
                    int64_t strides[ETR_MOST_RANK]) {
  const etr_element *element = etr_element_of_dtype(value->dtype);
  uint64_t stride = 1;
  if (!element || value->rank > ETR_MOST_RANK)
    return false;
  for (int32_t i = value->rank - 1; !value->strides && i >= 0; i--) {
    strides[i] = (int64_t)(stride & INT64_MAX);
    stride *= (uint64_t)value->sizes[i];
  }
  *out = (etr_tensor_view){.element = element,
                           .sizes = value->sizes,
                           .strides = value->strides ? value->strides : strides,
                           .rank = value->rank,
                           .offset = value->offset,
                           .file = file};
  return true;
}

/* Tensors that cannot be read, by reason. A warning names the first of each. */
typedef struct fault {
  const char *reason; /* static: compared as a pointer */
  size_t first, count;
} fault;

/* The debug buffer while tensors in it are measured. */
typedef struct measuring {
  etr_arena *arena;
  etr_seekable file;
  uint64_t budget; /* bytes that may still be read */
  etr_vec(fault) faults;
} measuring;

/* Counts a value that could not be measured under its reason, and keeps the index of the first
 * value for each reason. Reasons are static texts, so equal ones are the same pointer. */
static void record_fault(measuring *m, const char *reason, size_t value) {
  for (size_t i = 0; i < m->faults.count; i++)
    if (m->faults.data[i].reason == reason) {
      m->faults.data[i].count++;
      return;
    }
  fault *added = etr_vec_push(m->arena, &m->faults);
  if (added)
    *added = (fault){reason, value, 1};
}

/* Sets value->stats from the debug buffer, and takes the tensor's bytes from the budget, so that
 * damaged tensors that share bytes cannot take all time. Returns the reason why it cannot be read,
 * a static text; NULL on success, and when out of memory, which the arena shows. */
static const char *measure_value(measuring *m, etr_debug_value *value) {
  etr_tensor_view view;
  int64_t strides[ETR_MOST_RANK];
  if (!etr_debug_view(&view, value, &m->file, strides))
    return value->rank > ETR_MOST_RANK ? "it has too many dimensions"
                                       : "its number type is unknown";
  const char *reason = etr_tensor_fault(&view);
  if (reason)
    return reason;
  if (value->byte_size > m->budget)
    return "implausibly many tensors share its bytes";
  m->budget -= value->byte_size;
  etr_tensor_stats *stats = etr_arena_alloc(m->arena, sizeof *stats);
  if (!stats)
    return NULL;
  if (!etr_tensor_measure(stats, &view))
    return "the debug buffer cannot be read there";
  value->stats = stats;
  return NULL;
}

etr_status etr_debug_open(etr_seekable *out, const etr_profile *profile, etr_error *error) {
  const etr_bytes *held = &profile->debug_buffer_bytes;
  *out = etr_seekable_of((etr_slice){held->data, held->size});
  return held->data ? ETR_OK : etr_seekable_open(out, profile->debug_buffer, error);
}

/* Warns once for each reason why tensors could not be read, naming the first of them. */
static void warn_of_faults(const measuring *m, const etr_debug_data *data, const char *path,
                           etr_warnings *warnings) {
  for (size_t i = 0; i < m->faults.count; i++) {
    const fault *f = &m->faults.data[i];
    const etr_debug_value *value = &data->values[f->first];
    char more[64] = "";
    if (f->count > 1)
      snprintf(more, sizeof more, " (and %zu more)", f->count - 1);
    etr_warn(warnings, path, NULL, value->offset,
             "cannot read the %" PRIu64 "-byte tensor logged by instruction %" PRId32
             " of run %" PRIu32 ": %s%s%s",
             value->byte_size, value->instruction_id, value->run, f->reason, more,
             value->offset + value->byte_size > m->file.size
                 ? "; was the debug buffer copied completely?"
                 : "");
  }
}

etr_status etr_debug_measure(etr_debug_data *data, etr_arena *arena, const etr_profile *profile,
                             etr_warnings *warnings, etr_error *error) {
  measuring m = {.arena = arena};
  const char *path = profile->debug_buffer;
  ETR_TRY(etr_debug_open(&m.file, profile, error));
  m.budget = m.file.size <= UINT64_MAX / 4 ? m.file.size * 4 : UINT64_MAX;
  for (size_t i = 0; i < data->count && !etr_arena_failed(arena); i++) {
    if (data->values[i].kind != ETR_DEBUG_TENSOR)
      continue;
    const char *reason = measure_value(&m, &data->values[i]);
    if (reason)
      record_fault(&m, reason, i);
  }
  warn_of_faults(&m, data, path, warnings);
  etr_seekable_close(&m.file);
  return etr_arena_failed(arena) ? etr_fail_memory_of(error, path, NULL) : ETR_OK;
}

/* ---- NaN and infinities ---- */

/* Returns true if a measured tensor has NaN, or with `nan` unset, infinities. */
static bool has_not_finite(const etr_tensor_stats *stats, bool nan) {
  return stats && (nan ? stats->nan_count : stats->inf_count) > 0;
}

/* Writes where a logged value was computed, for a message: "aten_log_default", "an argument of the
 * delegate that instruction 3 calls" and so on. */
static void write_location(char *location, size_t size, const etr_debug_value *value,
                           const etr_profile *profile) {
  const etr_method *method = value->method == ETR_NONE ? NULL : &profile->methods[value->method];
  const etr_graph *graph = NULL;
  if (method && method->graph != ETR_NONE)
    graph = &profile->graphs[method->graph];
  if (value->is_output)
    snprintf(location, size, "output %" PRIu32 " of the method", value->index);
  else if (graph && value->node != ETR_NONE)
    snprintf(location, size, "node %s (instruction %" PRId32 ")", graph->nodes[value->node].name,
             value->instruction_id);
  else if (value->is_argument)
    snprintf(location, size,
             "argument %" PRIu32 " of the delegate that instruction %" PRId32 " calls",
             value->index, value->instruction_id);
  else if (value->delegate_id)
    snprintf(location, size, "%s (instruction %" PRId32 ")", value->delegate_id,
             value->instruction_id);
  else
    snprintf(location, size, "instruction %" PRId32, value->instruction_id);
}

/* Gives one warning if tensors have NaN (or, if `nan` is false, infinities): how many do, where the
 * first of them was computed, and how many of its elements are such. */
static void warn_of_not_finite(const etr_debug_data *data, bool nan, const etr_profile *profile,
                               etr_warnings *warnings) {
  const etr_debug_value *first = NULL;
  size_t tensors = 0;
  char location[256];
  for (size_t i = 0; i < data->count; i++) {
    if (!has_not_finite(data->values[i].stats, nan))
      continue;
    if (!first)
      first = &data->values[i];
    tensors++;
  }
  if (!first)
    return;
  write_location(location, sizeof location, first, profile);
  etr_warn(warnings, profile->debug_buffer, NULL, first->offset,
           "%s in %zu logged tensor%s, first in %s of run %" PRIu32 ": %" PRIu64 " of %" PRIu64
           " elements",
           nan ? "NaN" : "infinity", tensors, etr_plural(tensors), location, first->run,
           nan ? first->stats->nan_count : first->stats->inf_count, first->stats->element_count);
}

void etr_debug_warn_of_nan(const etr_debug_data *data, const etr_profile *profile,
                           etr_warnings *warnings) {
  warn_of_not_finite(data, true, profile, warnings);
  warn_of_not_finite(data, false, profile, warnings);
}
