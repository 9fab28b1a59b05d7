/* SPDX-License-Identifier: BSD-3-Clause
 *
 * accuracy_output.c - which values differ from a reference: as a document, as tables, several
 * records side by side.
 */
#include "tables/summary_output.h"

#include "output/label.h"
#include "output/node_filter.h"
#include "output/section.h"
#include "views/accuracy_view.h"
#include "views/logged.h"

#include <stdlib.h>

/* ---- Measures ---- */

/* A gap in a document; the row is a pointer to it, NULL if nothing was compared. */
#define OF_GAP(name) ETR_MEMBER_OF(etr_numeric_gap, name, 0)

static const etr_numeric_gap *gap_of(const void *row) {
  return *(const etr_numeric_gap *const *)row;
}
static bool has_gap(const void *row) {
  return gap_of(row) != NULL;
}
static etr_cell is_equal(const void *row) {
  return etr_cell_number(etr_gap_is_equal(gap_of(row)));
}

static const etr_field measure_fields[] = {
    {"snr_db", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, OF_GAP(snr_db),
     .says = ETR_SAYS("10 * log10(mean of reference^2 / mse); also null if nothing differs, or the "
                      "reference is all 0"),
     .nullable = true},
    {"equal", NULL, ETR_CELL_FLAG, ETR_IN_JSON, .get = is_equal, .has = has_gap,
     .says = ETR_SAYS("nothing differs, or snr_db is above 100")},
    {"psnr_db", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, OF_GAP(psnr_db),
     .says = ETR_SAYS("10 * log10(largest reference^2 / mse)"), .nullable = true},
    {"mse", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, OF_GAP(mse),
     .says = ETR_SAYS("mean of squared differences"), .nullable = true},
    {"l1", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, OF_GAP(l1),
     .says = ETR_SAYS("sum of absolute differences"), .nullable = true},
    {"cosine", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, OF_GAP(cosine), .nullable = true},
    {"max_abs", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, OF_GAP(max_abs_error),
     .says = ETR_SAYS("largest absolute difference"), .nullable = true},
    {"rel_l2", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, OF_GAP(rel_l2),
     .says = ETR_SAYS("sqrt(mse / mean of reference^2)"), .nullable = true},
    {"bias", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, OF_GAP(bias),
     .says = ETR_SAYS("mean of value - reference"), .nullable = true},
    {"elements", NULL, ETR_CELL_COUNT, ETR_IN_JSON, OF_GAP(element_count), .nullable = true},
    {"left_out", NULL, ETR_CELL_COUNT, ETR_IN_JSON, OF_GAP(left_out),
     .says = ETR_SAYS(
         "elements that are NaN or infinite on either side, which the measures leave out"),
     .nullable = true},
    {"nonfinite", NULL, ETR_CELL_COUNT, ETR_IN_JSON, OF_GAP(unlike),
     .says = ETR_SAYS("those that differ from the reference"), .nullable = true},
};
ETR_ROW_TYPE(accuracy_measures, measure_fields);

/* ---- Statistics ---- */

static bool is_known(const void *row) {
  return ((const etr_tap_statistic *)row)->is_compared;
}

static const etr_field statistic_fields[] = {
    {"name", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(etr_tap_statistic, name),
     .says = ETR_SAYS("as in taps.json")},
    {"value", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, ETR_AT(etr_tap_statistic, value),
     .says = ETR_SAYS("of the device"), .nullable = true},
    {"reference", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, ETR_AT(etr_tap_statistic, reference),
     .has = is_known, .says = ETR_SAYS("of the reference's complete tensor"), .nullable = true},
    {"difference", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, ETR_AT(etr_tap_statistic, difference),
     .has = is_known,
     .says = ETR_SAYS(
         "absolute, divided by the reference; min, max, mean and std: by its rms; counts: by "
         "the number of "
         "elements. Also null if it is infinite"),
     .nullable = true},
};
ETR_ROW_TYPE(tap_statistic, statistic_fields);

/* ---- A value ---- */

typedef struct accuracy_output {
  etr_answer answer;
  const etr_accuracy *accuracy;
  const etr_accuracy_choice *choice;
  etr_accuracy_row *rows;
  size_t *ranks; /* per row: its place by suspicion, however the rows are sorted */
  size_t count;
  bool has_stored_integers; /* some row is of stored integers */
} accuracy_output;

static const etr_accuracy_row *as_row(const void *row) {
  return row;
}
static const etr_value_accuracy *value_of(const void *row) {
  return as_row(row)->value;
}
static bool is_compared(const void *row) {
  return as_row(row)->gap != NULL;
}

static etr_cell source(const void *row) {
  return etr_accuracy_source(as_row(row)->arena, as_row(row)->node->source);
}
static etr_cell type(const void *row) {
  return etr_cell_text(etr_logged_type(as_row(row)->arena, value_of(row)->value));
}

/* Writes a key and an array of a tensor's sizes or strides; an empty array if they are not known.
 */
static void put_integer_list(const etr_fields *f, const char *key, const int64_t *sizes,
                             const void *row) {
  etr_field_begin_list(f, key);
  for (int32_t i = 0; sizes && i < value_of(row)->value->rank; i++)
    etr_jw_int(f->json, sizes[i]);
  etr_jw_end(f->json);
}
static void put_shape(const etr_fields *f, const void *row) {
  put_integer_list(f, "shape", value_of(row)->value->sizes, row);
}
static void put_strides(const etr_fields *f, const void *row) {
  put_integer_list(f, "strides", value_of(row)->value->strides, row);
}
/* Writes "segment": the names of the operators between the nearest compared values before this one
 * and this one. Any of them may have caused the difference. */
static void put_segment(const etr_fields *f, const void *row) {
  etr_field_begin_list(f, "segment");
  for (size_t i = 0; i < value_of(row)->segment_count; i++)
    etr_jw_string(f->json, as_row(row)->graph->nodes[value_of(row)->segment[i]].name);
  etr_jw_end(f->json);
}

/* Splits the position of the element that differs most from the reference, counted in row-major
 * order, into one index for each dimension, at most 32. Returns the number of indices, which are
 * all 0 if nothing was compared. */
static size_t find_largest_difference(int64_t indices[32], const void *row) {
  const etr_debug_value *value = value_of(row)->value;
  uint64_t rest = is_compared(row) ? value_of(row)->gap.max_at : 0;
  /* The last dimension varies fastest. */
  for (int32_t i = value->rank; i-- > 0;) {
    uint64_t size = value->sizes[i] > 0 ? (uint64_t)value->sizes[i] : 1;
    if (i < 32)
      indices[i] = (int64_t)(rest % size);
    rest /= size;
  }
  return value->rank > 32 ? 32 : (size_t)value->rank;
}
static bool has_difference(const void *row) {
  return is_compared(row) && value_of(row)->gap.max_abs_error > 0;
}
/* Writes the indices of the element that differs most; an empty list if no element differs. */
static void put_max_at(const etr_fields *f, const void *row) {
  int64_t indices[32];
  size_t rank = find_largest_difference(indices, row);
  etr_field_begin_list(f, "max_at");
  for (size_t i = 0; has_difference(row) && i < rank; i++)
    etr_jw_int(f->json, indices[i]);
  etr_jw_end(f->json);
}
/* Returns the indices of the element that differs most, such as "0,3,1"; empty if no element
 * differs. */
static etr_cell max_at(const void *row) {
  int64_t indices[32];
  size_t rank = find_largest_difference(indices, row);
  const char *text = "";
  for (size_t i = 0; has_difference(row) && text && i < rank; i++)
    text = etr_arena_format(as_row(row)->arena, "%s%s%lld", text, i ? "," : "",
                            (long long)indices[i]);
  return etr_cell_text(text);
}

static void put_measures(const etr_fields *f, const void *row) {
  etr_field_put_members(f, &etr_accuracy_measures_fields, &as_row(row)->gap);
}
static etr_rows local_rows(const void *row) {
  return (etr_rows){&as_row(row)->local, as_row(row)->local != NULL, sizeof as_row(row)->local};
}
static bool has_stored_integers(const void *row) {
  return is_compared(row) && value_of(row)->is_integer;
}
static etr_cell different_integers_share(const void *row) {
  return etr_cell_share((double)value_of(row)->steps_off, (double)value_of(row)->gap.element_count);
}
static bool has_scale(const void *row) {
  return value_of(row)->scale != 0;
}
static bool has_offset(const void *row) {
  return value_of(row)->value->byte_size > 0;
}
static etr_rows statistic_rows(const void *row) {
  const etr_value_accuracy *value = value_of(row);
  return (etr_rows){value->statistics, value->statistic_count, sizeof *value->statistics};
}
static bool has_statistics(const void *row) {
  return value_of(row)->statistic_count > 0;
}
static etr_cell tap_difference(const void *row) {
  return etr_cell_number(etr_accuracy_tap_difference(value_of(row)));
}
/* Returns the largest difference of a tap's statistics from the reference's as a percentage,
 * relative to the reference's (see etr_tap_statistic): "equal" up to 0.001 %, "infinite", or no
 * cell if it is unknown. */
static etr_cell tap_percent(const void *row) {
  double difference = etr_accuracy_tap_difference(value_of(row));
  if (isnan(difference))
    return etr_cell_none();
  if (difference <= ETR_EQUAL_STATISTICS)
    return etr_cell_text("equal");
  return etr_cell_text(isinf(difference)
                           ? "infinite"
                           : etr_arena_format(as_row(row)->arena, "%.3g %%", 100 * difference));
}
static etr_cell tap_text(const void *row) {
  return etr_cell_text(
      has_statistics(row) ? etr_accuracy_tap_text(as_row(row)->arena, value_of(row)) : NULL);
}
static etr_cell snr(const void *row) {
  return etr_accuracy_snr(as_row(row)->arena, as_row(row)->gap);
}
static etr_cell local_snr(const void *row) {
  return as_row(row)->local ? etr_accuracy_snr(as_row(row)->arena, as_row(row)->local)
                            : etr_cell_none();
}
/* Returns by how many dB the SNR drops at this value against the values that it depends on. */
static etr_cell drop(const void *row) {
  double number = is_compared(row) ? value_of(row)->drop_db : NAN;
  return (etr_cell){.number = fabs(number) < 0.05 ? 0 : number, .decimals = 1}; /* not -0.0 */
}
static bool shows_drop(const void *context) {
  return ((const accuracy_output *)context)->accuracy->reference != NULL;
}
static bool shows_method(const void *context) {
  return ((const accuracy_output *)context)->accuracy->part_count > 1;
}
#define VALUE(name) ETR_VIA(etr_accuracy_row, value, etr_value_accuracy, name)
#define LOGGED(name) ETR_VIA(etr_accuracy_row, logged, etr_debug_value, name)
#define NODE(name) ETR_VIA(etr_accuracy_row, node, etr_node, name)
#define GAP(name) ETR_VIA(etr_accuracy_row, gap, etr_numeric_gap, name)
#define LOCAL(name) ETR_VIA(etr_accuracy_row, local, etr_numeric_gap, name)

enum { PEOPLE = ETR_IN_TEXT | ETR_IN_MARKDOWN, EXACT = ETR_IN_DATA | ETR_IN_JSON };

static const etr_field fields[] = {
    {NULL, "node", ETR_CELL_NAME, PEOPLE, ETR_AT(etr_accuracy_row, name)},
    {"node", "node", ETR_CELL_NAME, EXACT, VALUE(name),
     .says = ETR_SAYS("with the number of its output, if not the first")},
    {"module", "module", ETR_CELL_NAME, ETR_IN_ALL, ETR_AT(etr_accuracy_row, module),
     .hides_zeros = true, .spare = 3},
    {"computed_by", "computed_by", ETR_CELL_NAME, EXACT, NODE(name),
     .says = ETR_SAYS(
         "the node, or for quantize and dequantize nodes the operator whose value they carry; "
         "module, op and "
         "source are its own")},
    {"op", "op", ETR_CELL_NAME, EXACT, NODE(target)},
    {"source", "source", ETR_CELL_WORD, ETR_IN_ALL, .get = source,
     .says = ETR_SAYS("file and line"), .nullable = true, .spare = 4},
    {"backend", "backend", ETR_CELL_WORD, EXACT, ETR_AT(etr_accuracy_row, backend),
     .says = ETR_SAYS("null: a kernel"), .nullable = true},
    {NULL, "type", ETR_CELL_WORD, PEOPLE, .get = type, .spare = 1},
    {NULL, "method", ETR_CELL_NAME, PEOPLE, ETR_AT(etr_accuracy_row, method),
     .is_shown = shows_method},
    {"method", "method", ETR_CELL_NAME, EXACT, ETR_AT(etr_accuracy_row, method)},
    {"run", "run", ETR_CELL_COUNT, EXACT, LOGGED(run)},
    {"input", "input", ETR_CELL_COUNT, ETR_IN_ALL, VALUE(input),
     .says = ETR_SAYS("input of the reference"), .nullable = true, .hides_zeros = true},
    {"input_evidence", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(etr_accuracy_row, input_evidence),
     .says = ETR_SAYS("why the run has this input"), .type = "input_evidence"},
    {"instruction", "instruction", ETR_CELL_COUNT, EXACT, LOGGED(instruction_id), .nullable = true},
    {"index", "index", ETR_CELL_COUNT, EXACT, LOGGED(index),
     .says = ETR_SAYS("among the values of the instruction")},
    {"output", "output", ETR_CELL_COUNT, EXACT, VALUE(output),
     .says = ETR_SAYS("which of the node's outputs")},
    {"role", "role", ETR_CELL_WORD, EXACT, ETR_AT(etr_accuracy_row, role),
     .says = ETR_SAYS(
         "output: the method returns it; tap: only because of intermediate_output_tap")},
    {"tap", NULL, ETR_CELL_FLAG, ETR_IN_JSON, VALUE(is_tap)},
    {"segment", NULL, ETR_CELL_LIST, ETR_IN_JSON, .put = put_segment, .type = "texts",
     .says = ETR_SAYS("operators since the nearest compared values, the last one is the node")},
    {"segment_size", "segment_size", ETR_CELL_COUNT, ETR_IN_DATA, VALUE(segment_count)},
    {"reference_graph", NULL, ETR_CELL_WORD, ETR_IN_JSON, VALUE(reference_graph), .nullable = true},
    {"reference_node", "reference_node", ETR_CELL_NAME, EXACT, VALUE(reference_node),
     .nullable = true},
    {"reference_evidence", NULL, ETR_CELL_WORD, ETR_IN_JSON,
     ETR_AT(etr_accuracy_row, reference_evidence), .type = "partner_evidence"},
    {"aten_node", NULL, ETR_CELL_NAME, ETR_IN_JSON, VALUE(aten_node),
     .says = ETR_SAYS("node of the reference's aten/METHOD with this value"), .nullable = true},
    {"dtype", "dtype", ETR_CELL_WORD, EXACT, LOGGED(dtype), .nullable = true},
    {"shape", NULL, ETR_CELL_LIST, ETR_IN_JSON, .put = put_shape, .type = "wholes"},
    {"strides", NULL, ETR_CELL_LIST, ETR_IN_JSON, .put = put_strides, .type = "wholes",
     .says = ETR_SAYS("in elements")},
    {"offset", NULL, ETR_CELL_COUNT, ETR_IN_JSON, LOGGED(offset), .has = has_offset,
     .says = ETR_SAYS("of the tensor in the debug buffer, in bytes")},
    {NULL, "snr_db", ETR_CELL_NUMBER, ETR_IN_DATA, GAP(snr_db), .digits = ETR_ALL_DIGITS},
    {NULL, "drop_db", ETR_CELL_NUMBER, ETR_IN_DATA, .get = drop, .says = ETR_SAYS("see JSON")},
    {NULL, "local_snr_db", ETR_CELL_NUMBER, ETR_IN_DATA, LOCAL(snr_db), .digits = ETR_ALL_DIGITS},
    {NULL, "psnr_db", ETR_CELL_NUMBER, ETR_IN_DATA, GAP(psnr_db), .digits = ETR_ALL_DIGITS},
    {NULL, "mse", ETR_CELL_NUMBER, ETR_IN_DATA, GAP(mse), .digits = ETR_ALL_DIGITS},
    {NULL, "l1", ETR_CELL_NUMBER, ETR_IN_DATA, GAP(l1), .digits = ETR_ALL_DIGITS},
    {NULL, "cosine", ETR_CELL_NUMBER, ETR_IN_DATA, GAP(cosine), .digits = ETR_ALL_DIGITS},
    {NULL, "max_abs", ETR_CELL_NUMBER, ETR_IN_DATA, GAP(max_abs_error), .digits = ETR_ALL_DIGITS},
    {NULL, "SNR dB", ETR_CELL_NUMBER, PEOPLE, .get = snr},
    {NULL, "drop dB", ETR_CELL_NUMBER, PEOPLE, .get = drop, .is_shown = shows_drop},
    {NULL, "local dB", ETR_CELL_NUMBER, PEOPLE, .get = local_snr, .hides_zeros = true},
    {NULL, "max error", ETR_CELL_NUMBER, PEOPLE, GAP(max_abs_error), .digits = ETR_GAP_DIGITS,
     .spare = 5},
    {NULL, "at", ETR_CELL_WORD, PEOPLE | ETR_IN_DATA, .get = max_at, .spare = 2},
    {"max_at", NULL, ETR_CELL_LIST, ETR_IN_JSON, .put = put_max_at, .type = "wholes",
     .says = ETR_SAYS(
         "indices of the element with the largest difference; empty if there is none")},
    {"", .in = ETR_IN_JSON, .put = put_measures, .type = "accuracy_measures"},
    {"origin", NULL, ETR_CELL_FLAG, ETR_IN_JSON, VALUE(is_origin),
     .says = ETR_SAYS(
         "nothing of the reference is left, although all compared values that it depends on "
         "are sound")},
    {"stands_out", NULL, ETR_CELL_FLAG, ETR_IN_JSON, VALUE(stands_out),
     .says = ETR_SAYS("it is worth naming; if no value does, there are no candidates")},
    {"drop_db", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, VALUE(drop_db), .has = is_compared,
     .says = ETR_SAYS(
         "lowest SNR of the nearest compared values that the node depends on, minus its own; "
         "each counts as at "
         "least 0 and at most 20 above that of the worst output")},
    {"local", NULL, ETR_CELL_OBJECT, ETR_IN_JSON, .rows = local_rows,
     .parts = &etr_accuracy_measures_fields, .type = "accuracy_measures", .nullable = true,
     .says = ETR_SAYS(
         "against what the reference computes from the values that the device logged before")},
    {"impact_snr_db", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, VALUE(impact_snr_db),
     .says = ETR_SAYS("SNR of the outputs if this segment's error were the only one"),
     .nullable = true},
    {"steps_off", "steps off", ETR_CELL_SHARE, ETR_IN_ALL, .get = different_integers_share,
     .has = has_stored_integers, .says = ETR_SAYS("share of the stored integers that differ"),
     .hides_zeros = true, .spare = 6},
    {"most_steps", "most_steps", ETR_CELL_NUMBER, EXACT, VALUE(most_steps),
     .has = has_stored_integers, .says = ETR_SAYS("largest difference of the stored integers"),
     .digits = ETR_ALL_DIGITS},
    {"scale", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, VALUE(scale), .has = has_scale,
     .says = ETR_SAYS("with which it was dequantized; null also if each channel has its own"),
     .nullable = true},
    {"zero_point", NULL, ETR_CELL_NUMBER, ETR_IN_JSON, VALUE(zero_point), .has = has_scale,
     .nullable = true},
    {"statistics", NULL, ETR_CELL_LIST, ETR_IN_JSON, .rows = statistic_rows,
     .parts = &etr_tap_statistic_fields, .type = "tap_statistics",
     .says = ETR_SAYS("what a tap returned instead of the tensor; there is no SNR of them")},
    {"statistics_difference", "statistics_difference", ETR_CELL_NUMBER, EXACT,
     .get = tap_difference, .has = has_statistics,
     .says = ETR_SAYS("the largest of the statistics' differences, 0.01 is 1 %"), .nullable = true,
     .digits = ETR_ALL_DIGITS},
    {"statistics_text", "statistics_text", ETR_CELL_NAME, EXACT, .get = tap_text,
     .says = ETR_SAYS("the statistic with this difference"), .nullable = true},
    {"problem", "problem", ETR_CELL_NAME, EXACT, VALUE(problem),
     .says = ETR_SAYS("why it was not compared"), .nullable = true},
};
ETR_ROW_TYPE(value_accuracy, fields);

static const etr_field tap_fields[] = {
    {NULL, "node", ETR_CELL_NAME, PEOPLE, ETR_AT(etr_accuracy_row, name)},
    {NULL, "role", ETR_CELL_WORD, PEOPLE, ETR_AT(etr_accuracy_row, role)},
    {NULL, "statistics", ETR_CELL_COUNT, PEOPLE, VALUE(statistic_count)},
    {NULL, "largest difference", ETR_CELL_NUMBER, PEOPLE, .get = tap_percent},
    {NULL, "in", ETR_CELL_NAME, PEOPLE, .get = tap_text},
};
ETR_ROW_TYPE(accuracy_tap, tap_fields);

/* ---- Choosing and sorting rows ---- */

typedef struct sorted_row {
  etr_accuracy_row row;
  double key; /* the smallest first */
  size_t rank;
} sorted_row;

/* Orders rows by key, the smallest first; rows of equal keys by suspicion. */
static int by_key(const void *a, const void *b) {
  const sorted_row *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Returns true if a value is of the chosen input (if one is chosen) and its node passes the filter
 * by module, operator and backend. */
static bool is_chosen(const accuracy_output *o, const etr_value_accuracy *value) {
  const etr_graph *graph = etr_logged_graph(o->accuracy->profile, value->value);
  if (o->choice->has_input && value->input != o->choice->input)
    return false;
  return etr_filter_takes_node(o->answer.filter, graph, value->node);
}

/* Returns the SNR in dB. Wrong NaNs or infinities are worse than any SNR. */
static double snr_key(const etr_numeric_gap *gap) {
  return gap->unlike ? -INFINITY : gap->snr_db;
}

/* Returns the number by which a value is sorted in the chosen order, the smallest first: an SNR,
 * the drop of the SNR negated (largest drop first), the index in the order of execution, or else
 * `rank`, by suspicion. INFINITY puts values without one last. */
static double sort_key(const accuracy_output *o, const etr_value_accuracy *value, size_t rank) {
  switch (o->choice->order) {
  case ETR_ACCURACY_BY_LOCAL:
    return value->has_local ? snr_key(&value->local) : INFINITY;
  case ETR_ACCURACY_BY_DROP:
    return isnan(value->drop_db) ? INFINITY : -value->drop_db;
  case ETR_ACCURACY_BY_SNR:
    return snr_key(&value->gap);
  case ETR_ACCURACY_BY_EXECUTION:
    return (double)(value - o->accuracy->values);
  default:
    return (double)rank;
  }
}

/* Sets o->rows to the chosen values that were compared, in the chosen order, o->ranks to their
 * ranks by suspicion (0: the most suspicious), and o->has_stored_integers. A node's output has a
 * value for each input and run: with worst_only, only its most suspicious one is taken, which comes
 * first, and later ones are found in seen_inputs. Returns false when out of memory. */
static bool choose_rows(accuracy_output *o, bool worst_only) {
  const etr_accuracy *accuracy = o->accuracy;
  etr_arena *arena = &o->answer.arena;
  sorted_row *sorted = etr_arena_alloc_array(arena, accuracy->ranked_count, sizeof *sorted);
  o->rows = etr_arena_alloc_array(arena, accuracy->ranked_count, sizeof *o->rows);
  o->ranks = etr_arena_alloc_array(arena, accuracy->ranked_count, sizeof *o->ranks);
  size_t count = 0;
  etr_map seen_inputs;
  etr_map_init(&seen_inputs, arena);
  if (etr_arena_failed(arena))
    return false;
  for (size_t i = 0; i < accuracy->ranked_count; i++) { /* the most suspicious value first */
    const etr_value_accuracy *value = &accuracy->values[accuracy->ranked[i]];
    const uint32_t key[] = {value->value->method, value->node, value->output};
    if (!is_chosen(o, value))
      continue;
    if (worst_only && etr_map_count(&seen_inputs, (etr_slice){(const char *)key, sizeof key}))
      continue;
    sorted[count++] = (sorted_row){etr_accuracy_row_of(arena, accuracy, value),
                                   sort_key(o, value, i), i};
  }
  etr_sort(sorted, count, sizeof *sorted, by_key);
  for (size_t i = 0; i < count; i++) {
    o->rows[i] = sorted[i].row;
    o->ranks[i] = sorted[i].rank;
    o->has_stored_integers |= sorted[i].row.value->is_integer;
  }
  o->count = count;
  return true;
}

/* ---- Groups ---- */

typedef struct accuracy_group {
  const char *key;
  size_t values;
  const etr_accuracy_row *worst, *first; /* by SNR, and by suspicion */
  size_t rank;                           /* place of `first` by suspicion */
} accuracy_group;

static const accuracy_group *as_group(const void *row) {
  return row;
}
static etr_cell group_snr(const void *row) {
  return snr(as_group(row)->worst);
}
static etr_cell group_drop(const void *row) {
  return drop(as_group(row)->first);
}
static etr_cell group_local(const void *row) {
  return local_snr(as_group(row)->first);
}
static etr_cell group_exact(const void *row) {
  return etr_cell_number(as_group(row)->worst->value->gap.snr_db);
}

static const etr_field group_fields[] = {
    {"key", "", ETR_CELL_NAME, ETR_IN_TABLES, ETR_AT(accuracy_group, key)},
    {NULL, "values", ETR_CELL_COUNT, ETR_IN_TABLES, ETR_AT(accuracy_group, values)},
    {NULL, "lowest SNR dB", ETR_CELL_NUMBER, PEOPLE, .get = group_snr},
    {"lowest_snr_db", "lowest_snr_db", ETR_CELL_NUMBER, ETR_IN_DATA, .get = group_exact,
     .digits = ETR_ALL_DIGITS},
    {NULL, "most suspicious", ETR_CELL_NAME, ETR_IN_TABLES,
     ETR_VIA(accuracy_group, first, etr_accuracy_row, name)},
    {NULL, "its drop dB", ETR_CELL_NUMBER, PEOPLE, .get = group_drop},
    {NULL, "its local dB", ETR_CELL_NUMBER, PEOPLE, .get = group_local, .hides_zeros = true},
};
ETR_ROW_TYPE(accuracy_group, group_fields);

/* Returns the key of a value's group, by what the user chose: operator, source line, backend or
 * module. NULL when out of memory. */
static const char *group_key(const accuracy_output *o, const etr_accuracy_row *row) {
  const char *key = NULL;
  switch (o->choice->by) {
  case ETR_ACCURACY_OF_OP:
    return row->node->target;
  case ETR_ACCURACY_OF_SOURCE:
    key = source(row).text;
    return key ? key : "(not recorded)";
  case ETR_ACCURACY_OF_BACKEND:
    return row->backend ? row->backend : "cpu";
  default:
    return row->module[0] ? row->module : "(top level)";
  }
}

/* Adds to the table a row for each group, with its number of values, the one with the lowest SNR
 * and the most suspicious one. Groups are in the order of their first value. Returns false when out
 * of memory. */
static bool put_groups(accuracy_output *o, etr_table *table) {
  etr_arena *arena = &o->answer.arena;
  accuracy_group *groups = etr_arena_alloc_array(arena, o->count, sizeof *groups);
  size_t count = 0;
  etr_map numbers;
  etr_map_init(&numbers, arena);
  for (size_t i = 0; groups && i < o->count; i++) {
    const etr_accuracy_row *row = &o->rows[i];
    const char *key = group_key(o, row);
    uint32_t group = key ? etr_map_number(&numbers, etr_slice_of(key)) : ETR_NONE;
    if (group == ETR_NONE)
      return false;
    if (group == count) /* a new key has the next number */
      groups[count++] = (accuracy_group){key, 0, row, row, o->ranks[i]};
    groups[group].values++;
    if (o->ranks[i] < groups[group].rank) {
      groups[group].rank = o->ranks[i];
      groups[group].first = row;
    }
    if (etr_gap_worse(row->gap, groups[group].worst->gap) > 0)
      groups[group].worst = row;
  }
  etr_table_add_rows(table, ETR_ROWS(groups, groups ? count : 0));
  return groups != NULL;
}

/* ---- For people ---- */

/* Returns how a command line names the record: the folder of its ETRecord if the debug buffer is
 * directly in it, too, or else the ETRecord; "RECORD" without one. NULL when out of memory. */
static const char *record_text(accuracy_output *o) {
  const etr_profile *profile = o->accuracy->profile;
  const char *slash = profile->etrecord ? strrchr(profile->etrecord, '/') : NULL;
  if (!profile->etrecord)
    return "RECORD";
  size_t size = slash ? (size_t)(slash - profile->etrecord) : 0;
  bool is_folder = slash && size > 0 && profile->debug_buffer &&
                   strncmp(profile->debug_buffer, profile->etrecord, size + 1) == 0 &&
                   !strchr(profile->debug_buffer + size + 1, '/');
  return is_folder ? etr_arena_format(&o->answer.arena, "%.*s", (int)size, profile->etrecord)
                   : profile->etrecord;
}

/* Writes which commands compare the values inside the model, on lines that are not wrapped, so that
 * they can be copied. */
static void put_how_to_compare_all(accuracy_output *o) {
  const char *record = record_text(o);
  etr_section_line(&o->answer, ETR_STYLE_PLAIN, 0,
                   "Only outputs are compared. These commands compare all values:");
  etr_putf(&o->answer.writer, "%s    etrecord-tb reference %s -o ref.safetensors\n",
           etr_section_is_markdown(&o->answer) ? "\n" : "", record);
  etr_putf(&o->answer.writer, "    etrecord-tb accuracy %s --reference ref.safetensors\n", record);
}

/* Returns the different reasons why values were not compared, each with its number of values: "not
 * compared: no reference (3), ...". Returns NULL if all were compared, without a reference from a
 * file, and when out of memory. */
static const char *problem_text(accuracy_output *o) {
  const char *text = NULL;
  etr_arena *arena = &o->answer.arena;
  const etr_accuracy *accuracy = o->accuracy;
  etr_vec(const char *) reasons = {0};
  for (size_t i = 0; accuracy->reference && i < accuracy->value_count; i++) {
    size_t count = 0, reason = 0;
    if (!accuracy->values[i].problem)
      continue;
    while (reason < reasons.count && strcmp(reasons.data[reason], accuracy->values[i].problem) != 0)
      reason++;
    if (reason < reasons.count)
      continue;
    const char **added = etr_vec_push(arena, &reasons);
    if (!added)
      return NULL;
    *added = accuracy->values[i].problem;
    for (size_t other = i; other < accuracy->value_count; other++)
      count += accuracy->values[other].problem &&
               strcmp(accuracy->values[other].problem, accuracy->values[i].problem) == 0;
    text = etr_arena_format(arena, "%s%s%s (%zu)", text ? text : "not compared: ", text ? ", " : "",
                            accuracy->values[i].problem, count);
  }
  return text;
}

/* Returns the largest difference of integers that were stored, in steps of their quantization; 0 if
 * there are none, or all are equal. */
static double find_most_steps(const etr_accuracy *accuracy) {
  double most_steps = 0;
  for (size_t i = 0; i < accuracy->value_count; i++)
    if (!accuracy->values[i].problem && accuracy->values[i].is_integer)
      most_steps = fmax(most_steps, accuracy->values[i].most_steps);
  return most_steps;
}

/* Writes what the ranking of suspicious values cannot know, and what to do about it. first: the
 * most suspicious value; NULL if none stands out. */
static void put_ranking_caveats(accuracy_output *o, const etr_value_accuracy *first) {
  const etr_accuracy *accuracy = o->accuracy;
  const char *lines[4] = {0};
  size_t count = 0;
  /* The reference was computed by the same program, only on the host. */
  bool is_own_program = accuracy->reference_record == accuracy->profile;
  bool is_rounding = first && is_own_program && find_most_steps(accuracy) == 1;
  bool has_no_outlier = !first && accuracy->ranked_count > 0 &&
                        etr_accuracy_is_suspicious(&accuracy->values[accuracy->ranked[0]]);
  if (is_rounding)
    lines[count++] = "Stored integers differ by one step at most: device and host round ties "
                     "differently, which is no "
                     "defect.";
  if (has_no_outlier)
    lines[count++] = "No layer stands out: run --local, which measures what each segment adds. "
                     "`etrecord-tb accuracy RECORD --reference-record FLOAT` does all of it.";
  if (is_own_program && o->has_stored_integers)
    lines[count++] = "This program is quantized itself. What quantization costs is seen against "
                     "the float model: "
                     "--reference-record.";
  if (first && !accuracy->has_local && !first->is_origin)
    lines[count++] =
        "Ranked by the drop of SNR, which can name the wrong node where every layer is inexact; "
        "`etrecord-tb reference --local` measures what each segment adds.";
  if (first && !is_rounding && etr_accuracy_is_vague(first))
    lines[count++] = "Backends log no values inside their delegates. Lower without a partitioner, "
                     "or in smaller parts, "
                     "to see which operator it is.";
  for (size_t i = 0; i < count; i++)
    etr_section_line(&o->answer, ETR_STYLE_PLAIN, 0, lines[i]);
}

/* Writes a numbered list of the most suspicious values, each with its SNR for its worst input, its
 * score and the number of operators that may be the cause; then what the ranking cannot know. */
static void put_most_suspicious(accuracy_output *o) {
  const etr_accuracy *accuracy = o->accuracy;
  etr_arena *arena = &o->answer.arena;
  uint32_t candidates[ETR_ACCURACY_CANDIDATES];
  size_t candidate_count = etr_accuracy_candidates(candidates, accuracy);
  if (candidate_count > 0)
    etr_section_line(&o->answer, ETR_STYLE_PLAIN, 0, "Most suspicious, worst input each:");
  for (size_t i = 0; i < candidate_count; i++) {
    const etr_value_accuracy *value = &accuracy->values[candidates[i]];
    const etr_accuracy_row row = etr_accuracy_row_of(arena, accuracy, value);
    const char *snr = etr_accuracy_snr_text(arena, &value->gap);
    const char *score = etr_accuracy_score(arena, value);
    const char *operators = value->segment_count > 1
                                ? etr_arena_format(arena, " (by one of %zu operators)",
                                                   value->segment_count)
                                : "";
    etr_section_numbered(
        &o->answer, i + 1,
        etr_arena_format(arena, "%s: %s, %s%s", etr_accuracy_place(&row), snr, score, operators));
  }
  if (candidate_count > 0)
    etr_section_end_list(&o->answer);
  put_ranking_caveats(o, candidate_count ? &accuracy->values[candidates[0]] : NULL);
}

/* ---- Runs ---- */

/* Returns the sizes of a value as text: "[1,8]". */
static const char *sizes_text(etr_arena *arena, const etr_debug_value *value) {
  const char *text = "[";
  for (int32_t i = 0; text && i < value->rank; i++)
    text = etr_arena_format(arena, "%s%s%lld", text, i ? "," : "", (long long)value->sizes[i]);
  return text ? etr_arena_format(arena, "%s]", text) : NULL;
}

static bool same_sizes(const etr_debug_value *a, const etr_debug_value *b) {
  return a->rank == b->rank &&
         (a->rank <= 0 || memcmp(a->sizes, b->sizes, (size_t)a->rank * sizeof *a->sizes) == 0);
}

/* Returns which runs logged values of other shapes than the first run of their method, with one
 * value of each as an example, and names at most four runs; NULL if none did, or when out of
 * memory. Values are ordered by run, so the first value of a node's output is of the first run. */
static const char *other_shapes_text(accuracy_output *o) {
  enum { MOST_RUNS = 4 };
  const etr_accuracy *accuracy = o->accuracy;
  etr_arena *arena = &o->answer.arena;
  etr_map first_values;
  const char *text = NULL;
  size_t run_count = 0;
  uint32_t last_run = ETR_NONE;
  etr_map_init(&first_values, arena);
  for (uint32_t i = 0; i < accuracy->value_count; i++) {
    const etr_value_accuracy *value = &accuracy->values[i];
    const uint32_t key[] = {value->value->method, value->node, value->output};
    etr_slice bytes = {(const char *)key, sizeof key};
    uint32_t first_value = etr_map_get(&first_values, bytes);
    if (first_value == ETR_NONE) {
      etr_map_set(&first_values, bytes, i);
      continue;
    }
    const etr_debug_value *first = accuracy->values[first_value].value;
    if (value->value->run == last_run || same_sizes(value->value, first))
      continue;
    last_run = value->value->run;
    if (++run_count <= MOST_RUNS)
      text = etr_arena_format(arena, "%s%srun %u logged other shapes than run %u (%s: %s, not %s)",
                              text ? text : "", text ? "; " : "", last_run, first->run, value->name,
                              sizes_text(arena, value->value), sizes_text(arena, first));
  }
  if (run_count > MOST_RUNS)
    text = etr_arena_format(arena, "%s; so did %zu more runs", text, run_count - MOST_RUNS);
  return text;
}

/* Counts the runs that logged values. Values are ordered by run. */
static size_t count_runs(const etr_accuracy *a) {
  size_t runs = 0;
  for (size_t i = 0; i < a->value_count; i++)
    runs += i == 0 || a->values[i].value->run != a->values[i - 1].value->run;
  return runs;
}

/* Returns the SNR of each run's worst output, "output of each run: run 1: 22.9 dB, run 3: 24.1 dB".
 * Returns NULL if there is one run, or all have the same text. Values are ordered by run; each turn
 * of the loop takes those of one run. */
static const char *run_outputs_text(accuracy_output *o) {
  enum { MOST_RUNS = 8 };
  const etr_accuracy *accuracy = o->accuracy;
  etr_arena *arena = &o->answer.arena;
  const char *text = NULL, *first_snr = NULL;
  size_t run_count = 0;
  bool differs = false;
  for (size_t i = 0, run_end; i < accuracy->value_count; i = run_end) {
    etr_accuracy run = {.values = accuracy->values + i};
    for (run_end = i; run_end < accuracy->value_count &&
                      accuracy->values[run_end].value->run == accuracy->values[i].value->run;)
      run_end++;
    run.value_count = run_end - i;
    const etr_value_accuracy *output = etr_accuracy_worst_output(&run);
    if (!output)
      continue;
    const char *snr = etr_accuracy_snr_text(arena, &output->gap);
    first_snr = first_snr ? first_snr : snr;
    differs |= snr && first_snr && strcmp(snr, first_snr) != 0;
    if (++run_count <= MOST_RUNS)
      text = etr_arena_format(arena, "%srun %u: %s",
                              text ? etr_arena_format(arena, "%s, ", text) : "", output->value->run,
                              snr);
  }
  if (run_count > MOST_RUNS)
    text = etr_arena_format(arena, "%s, and %zu more runs", text, run_count - MOST_RUNS);
  return differs ? etr_arena_format(arena, "output of each run: %s", text) : NULL;
}

/* Writes the lines above the table: what was compared, the worst output, why values were not
 * compared, and what is suspicious. If nothing was logged, only why. */
static void put_overall_result(accuracy_output *o) {
  const etr_accuracy *accuracy = o->accuracy;
  etr_arena *arena = &o->answer.arena;
  size_t run_count = count_runs(accuracy);
  if (accuracy->value_count == 0) {
    etr_section_line(&o->answer, ETR_STYLE_PLAIN, 0, etr_accuracy_why_none(arena, accuracy));
    return;
  }
  etr_section_line(&o->answer, ETR_STYLE_BOLD, 0,
                   etr_arena_format(arena, "%zu of %zu values in %zu run%s compared with %s",
                                    accuracy->ranked_count, accuracy->value_count, run_count,
                                    etr_plural(run_count), etr_accuracy_of(arena, accuracy)));
  etr_section_line(&o->answer, ETR_STYLE_PLAIN, 0, etr_accuracy_line(arena, accuracy));
  etr_section_line(&o->answer, ETR_STYLE_PLAIN, 0, run_outputs_text(o));
  etr_section_line(&o->answer, ETR_STYLE_PLAIN, 0, problem_text(o));
  etr_section_line(&o->answer, ETR_STYLE_PLAIN, 0, other_shapes_text(o));
  /* Without a reference from a file, only outputs were compared, with what the record has. */
  if (accuracy->reference)
    put_most_suspicious(o);
  else
    put_how_to_compare_all(o);
}

static etr_accuracy_choice no_choice;

/* Sets what is written. choice: which rows in which order; NULL: all, by suspicion. */
static void init_output(accuracy_output *o, const etr_accuracy *accuracy,
                        const etr_accuracy_choice *choice) {
  o->accuracy = accuracy;
  o->choice = choice ? choice : &no_choice;
}

/* Writes the table of taps that returned statistics, in the order of execution, at most options.top
 * rows (false); nothing if there are none. A tap is a node that the export added to return an
 * intermediate value, or statistics of it, such as its mean. */
static void put_taps(accuracy_output *o) {
  const etr_accuracy *accuracy = o->accuracy;
  size_t count = 0;
  etr_accuracy_row *rows = etr_arena_alloc_array(&o->answer.arena, accuracy->value_count,
                                                 sizeof *rows);
  for (size_t i = 0; rows && i < accuracy->value_count; i++)
    if (accuracy->values[i].statistic_count > 0 && is_chosen(o, &accuracy->values[i]))
      rows[count++] = etr_accuracy_row_of(&o->answer.arena, accuracy, &accuracy->values[i]);
  etr_section_titled_table(
      &o->answer,
      accuracy->reference
          ? "Statistics that taps returned, against those of the reference's tensors"
          : "Statistics that taps returned",
      &etr_accuracy_tap_fields, ETR_ROWS(rows, count), false);
}

/* Adds to the table the chosen values that were not compared, each with its reason. */
static void add_uncompared_rows(accuracy_output *o, etr_table *table) {
  const etr_accuracy *accuracy = o->accuracy;
  size_t uncompared_count = accuracy->value_count - accuracy->ranked_count;
  etr_accuracy_row *rows = etr_arena_alloc_array(&o->answer.arena, uncompared_count, sizeof *rows);
  size_t count = 0;
  for (size_t i = 0; rows && i < accuracy->value_count; i++)
    if (accuracy->values[i].problem && is_chosen(o, &accuracy->values[i]))
      rows[count++] = etr_accuracy_row_of(&o->answer.arena, accuracy, &accuracy->values[i]);
  etr_table_add_rows(table, ETR_ROWS(rows, count));
}

etr_status etr_emit_accuracy_table(const etr_accuracy *accuracy, const etr_node_filter *filter,
                                   const etr_accuracy_choice *choice,
                                   const etr_table_options *options, const etr_sink *sink,
                                   etr_error *error) {
  accuracy_output o = {0};
  etr_table table;
  etr_answer_begin(&o.answer, accuracy->profile, filter, options, sink);
  init_output(&o, accuracy, choice);
  bool is_for_people = o.answer.options->format == ETR_TABLE_TEXT ||
                       o.answer.options->format == ETR_TABLE_MARKDOWN;
  bool good = choose_rows(&o, is_for_people);
  etr_table_init(&table, &o.answer,
                 o.choice->by ? &etr_accuracy_group_fields : &etr_value_accuracy_fields);
  table.context = &o;
  if (is_for_people)
    put_overall_result(&o);
  if (is_for_people && o.count)
    etr_puts(&o.answer.writer, "\n");
  etr_table_choose_columns(&table);
  if (good && o.choice->by)
    good = put_groups(&o, &table);
  else if (good)
    etr_table_add_rows(&table, ETR_ROWS(o.rows, o.count));
  if (!is_for_people && good && !o.choice->by)
    add_uncompared_rows(&o, &table);
  if (o.count || !is_for_people)
    etr_table_finish(&table);
  if (is_for_people && !o.choice->by)
    put_taps(&o);
  return etr_answer_end(&o.answer, good, error);
}

/* ---- The document ---- */

/* Writes "candidates": the indices, in the list "values", of the most suspicious values. */
static void put_candidate_indices(const accuracy_output *o) {
  uint32_t candidates[ETR_ACCURACY_CANDIDATES];
  size_t count = etr_accuracy_candidates(candidates, o->accuracy);
  etr_field_begin_list(&o->answer.fields, "candidates");
  for (size_t i = 0; i < count; i++)
    etr_jw_uint(o->answer.fields.json, candidates[i]);
  etr_jw_end(o->answer.fields.json);
}

void etr_accuracy_put_facts(const etr_fields *f, const etr_accuracy *accuracy) {
  const etr_value_accuracy *output = etr_accuracy_worst_output(accuracy);
  etr_field_flag(f, "own_program", accuracy->reference_record == accuracy->profile);
  etr_field_count(f, "inputs", accuracy->input_count);
  etr_field_number(f, "output_snr_db", output ? output->gap.snr_db : NAN);
  etr_field_text(f, "ranked_by", accuracy->has_local ? "local" : "drop");
}

void etr_accuracy_put_head(const etr_fields *f, etr_arena *arena, const etr_accuracy *accuracy) {
  etr_field_text(f, "reference", accuracy->reference);
  etr_field_text(f, "reference_of", etr_accuracy_of(arena, accuracy));
  etr_accuracy_put_facts(f, accuracy);
  const char *line = etr_accuracy_line(arena, accuracy);
  etr_field_text(f, "text", line ? line : etr_accuracy_why_none(arena, accuracy));
}

/* Writes the warnings of the comparison, and those of the record, which can be why values differ.
 */
static void put_warnings(const etr_fields *f, etr_arena *arena, const etr_accuracy *accuracy) {
  size_t own_count = accuracy->warning_count, count = own_count + accuracy->profile->warning_count;
  etr_warning *all = etr_arena_alloc_array(arena, count, sizeof *all);
  for (size_t i = 0; all && i < count; i++)
    all[i] = i < own_count ? accuracy->warnings[i] : accuracy->profile->warnings[i - own_count];
  etr_field_put_rows(f, "warnings", &etr_warning_fields, ETR_ROWS(all, all ? count : 0));
}

etr_status etr_emit_accuracy_json(const etr_accuracy *accuracy, const etr_sink *sink,
                                  etr_error *error) {
  accuracy_output o = {0};
  /* NULL: the document has no times, and takes no filter. */
  etr_answer_begin_document(&o.answer, NULL, NULL, ETR_UNIT_MS, sink, "accuracy/1");
  const etr_fields *f = &o.answer.fields;
  init_output(&o, accuracy, NULL);
  etr_field_text(f, "record", accuracy->profile->etrecord);
  etr_field_text(f, "record_hash", accuracy->record_hash);
  etr_field_text(f, "recording_hash", accuracy->recording_hash);
  etr_field_text(f, "debug_buffer", accuracy->profile->debug_buffer);
  etr_accuracy_put_head(f, &o.answer.arena, accuracy);
  put_candidate_indices(&o);
  etr_accuracy_row *rows = etr_arena_alloc_array(&o.answer.arena, accuracy->value_count,
                                                 sizeof *rows);
  for (size_t i = 0; rows && i < accuracy->value_count; i++)
    rows[i] = etr_accuracy_row_of(&o.answer.arena, accuracy, &accuracy->values[i]);
  etr_field_put_rows(f, "values", &etr_value_accuracy_fields,
                     ETR_ROWS(rows, rows ? accuracy->value_count : 0));
  put_warnings(f, &o.answer.arena, accuracy);
  return etr_answer_end(&o.answer, rows != NULL, error);
}
