/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logged.c - merges logged values, and lists gaps of outputs.
 */
#include "views/logged.h"

#include "output/label.h"
#include "views/delegation.h"

#include <math.h>
#include <stdlib.h>

/* ---- Over runs ---- */

/* Returns the statistics of a single number; its minimum, maximum and mean are NAN if it is not
 * finite. */
static etr_tensor_stats make_scalar_stats(const etr_debug_value *value) {
  double number = value->kind == ETR_DEBUG_DOUBLE ? value->double_value : (double)value->int_value;
  double finite = isfinite(number) ? number : NAN;
  return (etr_tensor_stats){.element_count = 1,
                            .nan_count = isnan(number),
                            .inf_count = isinf(number) != 0,
                            .zero_count = number == 0,
                            .min = finite,
                            .max = finite,
                            .mean = finite};
}

/* Returns the number of elements that are neither NaN nor infinite. */
static uint64_t finite_count(const etr_tensor_stats *stats) {
  return stats->element_count - stats->nan_count - stats->inf_count;
}

/* Adds other statistics to those in `into`; means weigh as many elements as are finite. NAN means
 * that no element is finite, or that the mean could not be computed. */
static void merge_stats(etr_tensor_stats *into, const etr_tensor_stats *other) {
  double own_count = (double)finite_count(into), other_count = (double)finite_count(other);
  if (own_count == 0)
    into->mean = other->mean;
  else if (other_count > 0)
    into->mean += (other->mean - into->mean) * (other_count / (own_count + other_count));
  into->min = fmin(into->min, other->min);
  into->max = fmax(into->max, other->max);
  into->element_count += other->element_count;
  into->nan_count += other->nan_count;
  into->inf_count += other->inf_count;
  into->zero_count += other->zero_count;
}

/* Returns true if two values have the same kind, number type and shape. */
static bool has_same_type(const etr_debug_value *a, const etr_debug_value *b) {
  if (a->kind != b->kind || a->rank != b->rank ||
      strcmp(a->dtype ? a->dtype : "", b->dtype ? b->dtype : "") != 0)
    return false;
  return a->rank == 0 || memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof *a->sizes) == 0;
}

bool etr_logged_merge(etr_logged_list *out, etr_arena *arena, const etr_profile *profile) {
  etr_vec(etr_logged) rows = {0};
  etr_map seen;
  etr_map_init(&seen, arena);
  for (size_t i = 0; i < profile->debug_value_count; i++) {
    const etr_debug_value *value = &profile->debug_values[i];
    const struct {
      const char *delegate_id; /* equal ids are the same pointer */
      uint32_t method, index;
      int32_t instruction_id, is_output;
    } key = {value->delegate_id, value->method, value->index, value->instruction_id,
             value->is_output};
    ETR_NO_PADDING(key, sizeof(char *) + 4 * sizeof(uint32_t));
    etr_slice bytes = {(const char *)&key, sizeof key};
    uint32_t index = etr_map_get(&seen, bytes);
    if (index == ETR_NONE) {
      index = (uint32_t)rows.count;
      etr_logged *added = etr_vec_push(arena, &rows);
      if (!added || !etr_map_set(&seen, bytes, index))
        return false;
      added->value = value;
    }
    etr_logged *row = &rows.data[index];
    etr_tensor_stats scalar = make_scalar_stats(value);
    const etr_tensor_stats *stats = value->kind == ETR_DEBUG_TENSOR ? value->stats : &scalar;
    if (value->kind == ETR_DEBUG_NONE)
      stats = NULL;
    row->run_count++;
    row->varies |= !has_same_type(row->value, value);
    if (stats && row->is_measured)
      merge_stats(&row->stats, stats);
    if (stats && !row->is_measured)
      row->stats = *stats;
    row->is_measured |= stats != NULL;
  }
  *out = (etr_logged_list){rows.data, rows.count};
  return true;
}

/* ---- By node ---- */

/* Compares pointers to rows for qsort(): by node, then by their order in the list. */
static int by_node(const void *a, const void *b) {
  const etr_logged *x = *(const etr_logged *const *)a, *y = *(const etr_logged *const *)b;
  if (x->value->node != y->value->node)
    return x->value->node < y->value->node ? -1 : 1;
  return (x > y) - (x < y);
}

/* Lists the logged values of the nodes of one graph, sorted by node. Returns false when out of
 * memory. */
bool etr_logged_of_graph(etr_logged_nodes *out, etr_arena *arena, const etr_logged_list *list,
                         const etr_profile *profile, const etr_graph *graph) {
  *out = (etr_logged_nodes){etr_arena_alloc_array(arena, list->count, sizeof *out->rows), 0};
  for (size_t i = 0; out->rows && i < list->count; i++) {
    const etr_debug_value *value = list->rows[i].value;
    uint32_t own = value->method == ETR_NONE ? ETR_NONE : profile->methods[value->method].graph;
    if (value->node != ETR_NONE && own != ETR_NONE && &profile->graphs[own] == graph)
      out->rows[out->count++] = &list->rows[i];
  }
  etr_sort(out->rows, out->count, sizeof *out->rows, by_node);
  return out->rows != NULL;
}

/* Compares a row's node with a node, for etr_lower_bound(). */
static int before_node(const void *row, const void *node) {
  uint32_t x = (*(const etr_logged *const *)row)->value->node, y = *(const uint32_t *)node;
  return (x > y) - (x < y);
}

/* Returns the index of the first row of a node; without any, where it would be. */
size_t etr_logged_first_of(const etr_logged_nodes *nodes, uint32_t node) {
  return etr_lower_bound(&node, nodes->rows, nodes->count, sizeof *nodes->rows, before_node);
}

/* ---- By event ---- */

/* What identifies an event's row in a block; the outputs of runs have instruction -1. */
typedef struct row_key {
  const char *delegate_id;
  uint32_t block;
  int32_t instruction_id;
} row_key;
ETR_NO_PADDING(row_key, sizeof(char *) + 2 * sizeof(uint32_t));

/* Chains the logged values of each event of a block, and the outputs of its runs, by
 * etr_logged_rows.next, so that each chain is in the order of the values. It goes backwards,
 * because each value is put before the chain so far. Returns false when out of memory. */
bool etr_logged_index_rows(etr_logged_rows *out, etr_arena *arena, const etr_profile *profile) {
  etr_map_init(&out->first, arena);
  out->next = etr_arena_alloc_array(arena, profile->debug_value_count, sizeof *out->next);
  for (size_t i = profile->debug_value_count; out->next && i-- > 0;) {
    const etr_debug_value *value = &profile->debug_values[i];
    out->next[i] = ETR_NONE;
    if (!value->is_output && value->instruction_id < 0)
      continue;
    const row_key key = {value->is_output ? NULL : value->delegate_id,
                         profile->runs[value->run].block,
                         value->is_output ? -1 : value->instruction_id};
    out->next[i] = etr_map_get(&out->first, ETR_BYTES(key));
    etr_map_set(&out->first, ETR_BYTES(key), (uint32_t)i);
  }
  return !etr_arena_failed(arena);
}

uint32_t etr_logged_first(const etr_logged_rows *rows, const etr_profile *profile,
                          const etr_block *block, const etr_event *event) {
  const row_key key = {event ? event->delegate_id : NULL, (uint32_t)(block - profile->blocks),
                       event ? event->instruction_id : -1};
  return event && event->instruction_id < 0 ? ETR_NONE : etr_map_get(&rows->first, ETR_BYTES(key));
}

/* ---- Showing ---- */

const char *etr_logged_role(const etr_debug_value *value) {
  if (value->is_output)
    return "output";
  return value->is_argument ? "argument" : "result";
}

const etr_graph *etr_logged_graph(const etr_profile *profile, const etr_debug_value *value) {
  const etr_method *method = value->method == ETR_NONE ? NULL : &profile->methods[value->method];
  return method && method->graph != ETR_NONE ? &profile->graphs[method->graph] : NULL;
}

/* Returns the delegate whose call logged the value; NULL if none did. */
static const etr_delegate *calling_delegate(const etr_profile *profile,
                                            const etr_debug_value *value) {
  const etr_method *method = value->method == ETR_NONE ? NULL : &profile->methods[value->method];
  if (!method || value->delegate_id) /* an operator inside a delegate logged it */
    return NULL;
  uint32_t delegate = etr_delegate_at(method, value->instruction_id);
  return delegate == ETR_NONE ? NULL : &method->delegates[delegate];
}

const char *etr_logged_numbered(etr_arena *arena, const etr_profile *profile,
                                const etr_debug_value *value, const char *name) {
  bool by_output = value->output != ETR_NONE && calling_delegate(profile, value);
  /* The index of a kernel that runs again goes on from its last one. */
  uint32_t number = by_output ? value->output : value->index;
  return number && name ? etr_arena_format(arena, "%s #%u", name, number) : name;
}

/* Returns the backend of the delegate whose call logged the value; "delegate" if it is not known.
 */
static const char *backend_of(const etr_profile *profile, const etr_debug_value *value) {
  const etr_delegate *delegate = calling_delegate(profile, value);
  return delegate && delegate->backend[0] ? delegate->backend : "delegate";
}

const char *etr_logged_origin(etr_arena *arena, const etr_profile *profile,
                              const etr_debug_value *value) {
  const etr_graph *graph = etr_logged_graph(profile, value);
  if (value->is_output)
    return etr_arena_format(arena, "output %u", value->index);
  if (value->is_argument)
    return etr_arena_format(arena, "%s, argument %u", backend_of(profile, value), value->index);
  const char *name = value->delegate_id ? value->delegate_id : value->name;
  if (graph && value->node != ETR_NONE)
    name = etr_label_node(arena, graph, value->node);
  if (name && !name[0])
    name = etr_arena_format(arena, "instruction %d", (int)value->instruction_id);
  return etr_logged_numbered(arena, profile, value, name);
}

const char *etr_logged_type(etr_arena *arena, const etr_debug_value *value) {
  enum { MOST_DIMS = 16 };
  if (value->kind != ETR_DEBUG_TENSOR)
    return etr_debug_kind_name(value->kind);
  etr_dim dims[MOST_DIMS];
  for (int32_t i = 0; i < value->rank && i < MOST_DIMS; i++)
    dims[i] = (etr_dim){.size = value->sizes[i], .hint = -1};
  etr_value shape = {
      .name = "", .dtype = value->dtype, .dims = dims, .rank = ETR_MIN(value->rank, MOST_DIMS)};
  return etr_label_shape(arena, &shape);
}

/* Writes the shape of a logged value; null if it is no tensor. */
static void put_shape(const etr_fields *fields, const etr_debug_value *value) {
  etr_jw_key(fields->json, "shape");
  if (value->kind != ETR_DEBUG_TENSOR) {
    etr_jw_null(fields->json);
    return;
  }
  etr_jw_array(fields->json);
  for (int32_t i = 0; i < value->rank; i++)
    etr_jw_int(fields->json, value->sizes[i]);
  etr_jw_end(fields->json);
}

void etr_field_logged(const etr_fields *fields, etr_arena *arena, const etr_debug_value *value,
                      const etr_tensor_stats *stats) {
  static const char *const keys[] = {"min", "max", "mean", "elements", "zeros", "nan", "inf"};
  etr_field_count(fields, "index", value->index);
  etr_field_text(fields, "role", etr_logged_role(value));
  etr_edge origin = etr_debug_value_origin(fields->profile, value);
  const etr_graph *graph = etr_logged_graph(fields->profile, value);
  uint32_t node = origin.node == ETR_NONE && !value->is_output ? value->node : origin.node;
  etr_field_text(fields, "node",
                 graph && node != ETR_NONE ? etr_label_node(arena, graph, node) : NULL);
  etr_jw_key(fields->json, "output");
  if (origin.output == ETR_NONE)
    etr_jw_null(fields->json);
  else
    etr_jw_uint(fields->json, origin.output);
  etr_field_text(fields, "kind", etr_debug_kind_name(value->kind));
  etr_field_text(fields, "dtype", value->dtype);
  put_shape(fields, value);
  etr_jw_key(fields->json, "value");
  switch (value->kind) {
  case ETR_DEBUG_INT:
    etr_jw_int(fields->json, value->int_value);
    break;
  case ETR_DEBUG_DOUBLE:
    etr_jw_double(fields->json, value->double_value);
    break;
  case ETR_DEBUG_BOOL:
    etr_jw_bool(fields->json, value->int_value != 0);
    break;
  default:
    etr_jw_null(fields->json);
  }
  if (!stats) {
    for (size_t i = 0; i < ETR_COUNT(keys); i++)
      etr_field_text(fields, keys[i], NULL);
    return;
  }
  const double numbers[] = {stats->min, stats->max, stats->mean};
  const uint64_t counts[] = {stats->element_count, stats->zero_count, stats->nan_count,
                             stats->inf_count};
  for (size_t i = 0; i < ETR_COUNT(numbers); i++)
    etr_field_number(fields, keys[i], numbers[i]);
  for (size_t i = 0; i < ETR_COUNT(counts); i++)
    etr_field_count(fields, keys[ETR_COUNT(numbers) + i], counts[i]);
}

/* ---- Outputs against their reference ---- */

etr_cell etr_gap_snr(etr_arena *arena, const etr_numeric_gap *gap) {
  if (!gap)
    return etr_cell_none();
  if (gap->unlike)
    return etr_cell_text(etr_arena_format(arena, "%llu NaN/inf", (unsigned long long)gap->unlike));
  if (isinf(gap->snr_db))
    return etr_cell_text(gap->snr_db > 0 ? "equal" : "reference is 0");
  return (etr_cell){.number = gap->snr_db, .decimals = 1};
}

/* Returns true if a gap is worse than another. An output that could not be compared is worse than
 * any that was. */
static bool is_worse(const etr_output_gap *a, const etr_output_gap *b) {
  if (a->problem || b->problem)
    return a->problem && !b->problem;
  return etr_gap_worse(&a->gap, &b->gap) > 0;
}

/* Compares gaps by method, for etr_lower_bound(). */
static int by_gap_method(const void *a, const void *b) {
  uint32_t x = ((const etr_output_gap *)a)->method, y = ((const etr_output_gap *)b)->method;
  return (x > y) - (x < y);
}

/* Returns the comparisons of a method's outputs, which are sorted by method, and sets *count; NULL
 * if there are none. */
static const etr_output_gap *find_output_gaps(const etr_profile *profile, uint32_t method,
                                              size_t *count) {
  const etr_output_gap *list = profile->output_gaps, wanted = {.method = method};
  size_t first = etr_lower_bound(&wanted, list, profile->output_gap_count, sizeof *list,
                                 by_gap_method);
  size_t end = first;
  while (end < profile->output_gap_count && list[end].method == method)
    end++;
  *count = end - first;
  return *count ? &list[first] : NULL;
}

/* The worst run of an output, and how many runs have it. */
typedef struct worst_run {
  etr_arena *arena;
  const etr_output_gap *gap;
  const etr_numeric_gap *numbers; /* NULL: not compared */
  size_t runs;
} worst_run;

/* Returns for each output the worst gap that any run of the method has, and how many runs have one,
 * and sets *count to the number of outputs; NULL if no run has one, or when out of memory. */
static worst_run *find_worst_runs(etr_arena *arena, const etr_output_gap *gaps, size_t gap_count,
                                  size_t *count) {
  *count = 0;
  for (size_t i = 0; i < gap_count; i++)
    *count = ETR_MAX(*count, (size_t)gaps[i].output + 1);
  worst_run *worst = etr_arena_alloc_array(arena, *count, sizeof *worst);
  for (size_t i = 0; worst && i < gap_count; i++) {
    worst_run *output = &worst[gaps[i].output];
    output->arena = arena;
    output->runs++;
    if (!output->gap || is_worse(&gaps[i], output->gap))
      output->gap = &gaps[i];
    output->numbers = output->gap->problem ? NULL : &output->gap->gap;
  }
  return worst;
}

static etr_cell worst_type(const void *row) {
  const worst_run *worst = row;
  return etr_cell_text(worst->gap->value ? etr_logged_type(worst->arena, worst->gap->value) : "");
}

static etr_cell worst_snr(const void *row) {
  return etr_gap_snr(((const worst_run *)row)->arena, ((const worst_run *)row)->numbers);
}

#define GAP(name) ETR_VIA(worst_run, gap, etr_output_gap, name)
#define NUMBER(name) ETR_VIA(worst_run, numbers, etr_numeric_gap, name), .digits = ETR_GAP_DIGITS

static const etr_field worst_fields[] = {
    {NULL, "output", ETR_CELL_COUNT, ETR_IN_TEXT, GAP(output)},
    {NULL, "type", ETR_CELL_NAME, ETR_IN_TEXT, .get = worst_type},
    {NULL, "SNR dB", ETR_CELL_NUMBER, ETR_IN_TEXT, .get = worst_snr},
    {NULL, "MSE", ETR_CELL_NUMBER, ETR_IN_TEXT, NUMBER(mse), .spare = 2},
    {NULL, "L1", ETR_CELL_NUMBER, ETR_IN_TEXT, NUMBER(l1), .spare = 1},
    {NULL, "max error", ETR_CELL_NUMBER, ETR_IN_TEXT, NUMBER(max_abs_error)},
    {NULL, "of run", ETR_CELL_COUNT, ETR_IN_TEXT, GAP(run)},
    {NULL, "", ETR_CELL_NAME, ETR_IN_TEXT, GAP(problem)},
};

void etr_put_output_gaps(etr_answer *answer, uint32_t method) {
  etr_table table;
  size_t gap_count, count;
  const etr_output_gap *gaps = find_output_gaps(answer->profile, method, &gap_count);
  const worst_run *outputs = gaps ? find_worst_runs(&answer->arena, gaps, gap_count, &count) : NULL;
  if (!outputs)
    return;
  const char *title = etr_arena_format(
      &answer->arena,
      "outputs against the record's reference outputs \xC2\xB7 worst of %zu run%s (%s)",
      outputs->runs, etr_plural(outputs->runs), outputs->gap->rule);
  etr_puts(&answer->writer, "\n");
  if (title)
    etr_put_wrapped(&answer->writer, ETR_STYLE_PLAIN, title, 0, etr_answer_text_width(answer));
  etr_table_init(&table, answer, ETR_FIELDS(worst_fields));
  table.top = 0;
  etr_table_add_rows(&table, ETR_ROWS(outputs, count));
  etr_table_lay_out_rows(&table);
  etr_table_write(&table);
}

/* The member is a pointer, which is NULL if nothing was compared. */
#define COMPARED(name) ETR_MEMBER_OF(etr_numeric_gap, name, 0)

static const etr_field gap_fields[] = {
    {"mse", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, COMPARED(mse), .nullable = true},
    {"l1", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, COMPARED(l1), .nullable = true},
    {"max_abs_error", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, COMPARED(max_abs_error),
     .nullable = true},
    {"snr_db", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, COMPARED(snr_db),
     .says = ETR_SAYS("also null if there is no difference, or the reference is all 0"),
     .nullable = true},
    {"elements", NULL, ETR_CELL_COUNT, ETR_IN_JSON, COMPARED(element_count), .nullable = true},
    {"left_out", NULL, ETR_CELL_COUNT, ETR_IN_JSON, COMPARED(left_out),
     .says = ETR_SAYS("pairs that contain NaN or infinity"), .nullable = true},
    {"unlike", NULL, ETR_CELL_COUNT, ETR_IN_JSON, COMPARED(unlike),
     .says = ETR_SAYS("those that differ"), .nullable = true},
};
ETR_ROW_TYPE(numeric_gap, gap_fields);

void etr_field_gap(const etr_fields *fields, const etr_numeric_gap *gap) {
  etr_field_put_members(fields, &etr_numeric_gap_fields, &gap);
}

void etr_field_output_gaps(const etr_fields *fields, uint32_t method) {
  size_t count;
  const etr_output_gap *gaps = find_output_gaps(fields->profile, method, &count);
  etr_field_begin_list(fields, "output_gaps");
  for (size_t i = 0; i < count; i++) {
    const etr_output_gap *gap = &gaps[i];
    etr_jw_object(fields->json);
    etr_field_count(fields, "run", gap->run);
    etr_field_count(fields, "output", gap->output);
    etr_field_count(fields, "set", gap->set);
    etr_field_text(fields, "rule", gap->rule);
    etr_field_text(fields, "problem", gap->problem);
    etr_field_gap(fields, gap->problem ? NULL : &gap->gap);
    etr_jw_end(fields->json);
  }
  etr_jw_end(fields->json);
}
