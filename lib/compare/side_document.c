/* SPDX-License-Identifier: BSD-3-Clause
 *
 * side_document.c - one side of a comparison, from the document that the dashboard shows.
 */
#include "base/method_parts.h"
#include "base/stats.h"
#include "compare/compare_side.h"
#include "compare/noise.h"
#include "formats/json.h"

#include <math.h>
#include <stddef.h>

/* ---- The parts of the dashboard's document that a comparison needs, unchanged ---- */

/* The document refers to texts by their index in a list at its end. So its columns are first read
 * unchanged; what they mean is looked up at the end. */

/* Columns, in which NAN or "" replaces null. They live until the reader's scratch is cleared; texts
 * live as long as the side. A column of one value has it for all rows, and an empty one has no
 * values: see number_at(). */
typedef etr_vec(double) doc_numbers;
typedef etr_vec(const char *) doc_strings;

/* Columns of operators, and of events. */
typedef enum doc_column {
  ETR_DOC_NAME,
  ETR_DOC_OP,
  ETR_DOC_MODULE,
  ETR_DOC_SOURCE,
  ETR_DOC_SUBGRAPH,
  ETR_DOC_OUTPUTS,
  ETR_DOC_BACKEND,
  ETR_DOC_CALLS,
  ETR_DOC_RAN_IN,
  ETR_DOC_TOTAL,
  ETR_DOC_TYPICAL,
  ETR_DOC_P50,
  ETR_DOC_STEP,
  ETR_DOC_COLUMNS
} doc_column;

/* The variation of times, as columns of items or sums. */
typedef struct doc_variation {
  doc_numbers low, high;
  doc_numbers recordings, offset, spread; /* empty if there is one recording */
} doc_variation;

/* Times of sums, in the order of their first items. */
typedef struct doc_sums {
  doc_variation vary;
  doc_numbers typical, p50;
} doc_sums;

/* A source line of a graph. */
typedef struct doc_source {
  const char *function, *code;
} doc_source;

/* A method as it is in the document. */
typedef struct doc_method {
  etr_method method;
  doc_numbers execute_per_run;
  doc_numbers recordings; /* how many runs each has */
  doc_strings files;      /* of each recording */
  doc_numbers first;      /* first runs, with warm-up */
  doc_variation vary;     /* of operators or events */
  bool has_graph, has_items, has_sums;
  double item_count, module_count, input_count; /* numbers of rows; NAN: missing */
  doc_strings names, modules;                   /* of operators; paths */
  doc_numbers patterns;                         /* of each module */
  doc_numbers columns[ETR_DOC_COLUMNS];
  doc_strings bodies; /* paths */
  etr_map body_of;    /* path of a subgraph -> index in bodies */
  etr_vec(doc_source) sources;
  doc_numbers producer_counts, producers; /* of each operator; of all */
  doc_strings input_names, input_types;   /* of what it is called with */
  doc_numbers weights;                    /* shapes */
  doc_numbers operator_weights;           /* of each operator */
  const char *dtypes;                     /* NULL: missing */
  etr_side_figures figures;               /* times in ticks */
  doc_sums sums[ETR_SIDE_BY], parts;      /* parts: in the order of the balance */
  doc_strings clocks;                     /* backends */
  doc_numbers steps;                      /* of the clocks */
} doc_method;

/* A load event; NAN where the document has null. */
typedef struct doc_load {
  const char *name;
  double runs, total, typical, p50, low, high; /* the times in nanoseconds */
  double recordings, offset, spread;
} doc_load;

/* The document as it was read: times are in nanoseconds, and texts are indices into `texts`. */
typedef struct doc_reader {
  etr_json *json;
  etr_side_box *box;
  etr_arena scratch;
  etr_profile *profile;
  etr_vec(doc_method) methods;
  etr_vec(doc_load) loads;
  doc_strings texts;
  size_t most_rows;    /* more rows than this do not fit into the document */
  const char *problem; /* what is wrong with the JSON that was read; NULL if nothing is */
} doc_reader;

enum { LEAST_BYTES_OF_A_ROW = 8 }; /* in all columns together, a name for example */

static const char OTHER[] = "not an etrecord-tb/profile/1 document";
static const char LACKS[] = "it lacks what a comparison needs: write the record again";
static const char UNEVEN[] = "its columns differ in length";

static const char *const columns[ETR_DOC_COLUMNS] = {
    "name",  "op",     "module", "source",  "subgraph", "outputs", "backend",
    "calls", "ran_in", "total",  "typical", "p50",      "step"};

/* ---- Values ---- */

/* Notes what is wrong, unless something else was noted before. */
static void doc_fail(doc_reader *r, const char *problem) {
  if (!r->problem)
    r->problem = problem;
}

/* Steps to the next element of the current array; false after the last, or after a failure. */
static bool next_element(doc_reader *r) {
  return !r->problem && etr_json_element(r->json);
}

/* Reads a number; null is NaN. */
static double read_number(doc_reader *r) {
  return etr_json_null(r->json) ? NAN : etr_json_number(r->json);
}

/* The functions below read the next value of the document into a member of a struct; their type is
 * that of field.read. Failures are noted in the reader. */

/* Reads a text into a const char *; null is "". */
static void read_text(doc_reader *r, void *into) {
  *(const char **)into = etr_json_null(r->json)
                             ? ""
                             : etr_arena_text(&r->box->arena, etr_json_string(r->json));
}

/* Returns a number as a count. If it is not one, notes a problem and returns 0. */
static size_t doc_count(doc_reader *r, double number) {
  if (number >= 0 && number < UINT32_MAX)
    return (size_t)number;
  doc_fail(r, "a count is not a whole number");
  return 0;
}

static void read_count(doc_reader *r, void *into) {
  *(size_t *)into = doc_count(r, read_number(r));
}

/* Reads a number into a double, without a conversion; null is NaN. */
static void read_double(doc_reader *r, void *into) {
  *(double *)into = read_number(r);
}

/* Appends an array of numbers to `into`, a doc_numbers; null is NaN. */
static void read_numbers(doc_reader *r, void *into) {
  etr_json_array(r->json);
  while (next_element(r)) {
    double *added = etr_vec_push(&r->scratch, (doc_numbers *)into), number = read_number(r);
    if (added)
      *added = number;
  }
}

/* Appends an array of texts to `into`, a doc_strings; null is "". */
static void read_strings(doc_reader *r, void *into) {
  etr_json_array(r->json);
  while (next_element(r)) {
    const char *text, **added = etr_vec_push(&r->scratch, (doc_strings *)into);
    read_text(r, &text);
    if (added)
      *added = text;
  }
}

/* Reads a column of numbers: an array, or the one value that all rows have. */
static void read_number_column(doc_reader *r, void *into) {
  if (etr_json_peek(r->json) == ETR_JSON_ARRAY) {
    read_numbers(r, into);
    return;
  }
  double *added = etr_vec_push(&r->scratch, (doc_numbers *)into), number = read_number(r);
  if (added)
    *added = number;
}

/* Reads a column of texts: an array, or one text that is true of all rows. */
static void read_text_column(doc_reader *r, void *into) {
  if (etr_json_peek(r->json) == ETR_JSON_ARRAY) {
    read_strings(r, into);
    return;
  }
  const char *text, **added = etr_vec_push(&r->scratch, (doc_strings *)into);
  read_text(r, &text);
  if (added)
    *added = text;
}

/* Returns the index of a row's value in a column of `length` values: 0 if one value is that of all
 * rows. */
static size_t index_of_value(size_t length, size_t row) {
  return length == 1 ? 0 : row;
}

static double number_at(const doc_numbers *column, size_t row) {
  return column->count == 0 ? NAN : column->data[index_of_value(column->count, row)];
}

static const char *string_at(const doc_strings *column, size_t row) {
  return column->count == 0 ? NULL : column->data[index_of_value(column->count, row)];
}

/* Returns the number of rows of a table, which the document states. Fails the reader, and returns
 * 0, if a document of this size cannot have so many rows, or if a column of the table, which has
 * `length` values, has another number of them. A single value stands for all rows. */
static size_t checked_row_count(doc_reader *r, double stated, size_t length) {
  size_t count = doc_count(r, stated);
  if (count > r->most_rows || (length > 1 && length != count))
    doc_fail(r, UNEVEN);
  return r->problem ? 0 : count;
}

/* A key of a JSON object, the function that reads its value, and the member that it fills. */
typedef struct field {
  const char *key;
  void (*read)(doc_reader *r, void *into);
  size_t offset; /* of the member, in the struct that read_fields() gets */
} field;

/* Reads an object: the value of each known key into the member of `into` that the key's field
 * names. Other keys are passed over. */
static void read_fields(doc_reader *r, void *into, const field *fields, size_t count) {
  etr_slice key;
  etr_json_object(r->json);
  while (!r->problem && etr_json_key(r->json, &key)) {
    size_t index = 0;
    while (index < count && !etr_slice_equal(key, etr_slice_of(fields[index].key)))
      index++;
    if (index < count)
      fields[index].read(r, (char *)into + fields[index].offset);
    else
      etr_json_skip(r->json);
  }
}

/* Returns a time of the document, in nanoseconds, as ticks; 0 for NaN, which replaces null. The
 * document has picoseconds, and the times of a profile are whole, half or quarter ticks: rounding
 * to quarters restores them exactly. */
static double doc_ticks(const doc_reader *r, double ns) {
  const double ticks_per_ns = r->profile->ticks_per_second /
                              1e9; /* mostly 1, which keeps large times exact */
  return isnan(ns) || !(ticks_per_ns > 0) ? 0 : round(ns * ticks_per_ns * 4) / 4;
}

/* Returns a typical time of the document, in nanoseconds, as ticks; 0 for NaN. It is a mean, which
 * may be any fraction of a tick, so it is not rounded. */
static double typical_ticks(const doc_reader *r, double ns) {
  return isnan(ns) || !(ns > 0) ? 0 : ns * r->profile->ticks_per_second / 1e9;
}

/* ---- A method ---- */

/* Reads the columns of a method's operators or events. All columns are numbers, some of which are
 * indices of texts, except the names of operators, which are texts. */
static void read_columns(doc_reader *r, doc_method *m) {
  field fields[ETR_DOC_COLUMNS + 1];
  for (size_t i = 0; i < ETR_DOC_COLUMNS; i++)
    fields[i] = (field){columns[i], read_number_column,
                        offsetof(doc_method, columns) + i * sizeof *m->columns};
  if (m->has_graph)
    fields[ETR_DOC_NAME] = (field){"name", read_text_column, offsetof(doc_method, names)};
  fields[ETR_DOC_COLUMNS] = (field){"count", read_double, offsetof(doc_method, item_count)};
  m->has_items = true;
  read_fields(r, m, fields, ETR_COUNT(fields));
}

static void read_operators(doc_reader *r, void *method) {
  read_columns(r, method);
}

/* Reads the columns of a method's events, unless the method has a graph, whose operators are read
 * instead. */
static void read_events(doc_reader *r, void *method) {
  doc_method *m = method;
  if (etr_json_peek(r->json) == ETR_JSON_OBJECT && !m->has_graph)
    read_columns(r, m);
  else
    etr_json_skip(r->json);
}

/* Reads an object of texts: each key is the path of a subgraph, and its value the path of the body
 * of control flow that the subgraph is in. Fills `bodies`, and body_of with their indices. When out
 * of memory, the scratch arena has failed. */
static void read_bodies(doc_reader *r, void *method) {
  doc_method *m = method;
  etr_slice key;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    const char *subgraph = etr_arena_text(&r->scratch, key), *body,
               **added = etr_vec_push(&r->scratch, &m->bodies);
    read_text(r, &body);
    if (!subgraph || !added ||
        !etr_map_set(&m->body_of, etr_slice_of(subgraph), (uint32_t)m->bodies.count - 1))
      return;
    *added = body;
  }
}

/* Reads the modules of a graph: their number, and the path and the pattern of each. */
static void read_modules(doc_reader *r, void *method) {
  static const field fields[] = {{"count", read_double, offsetof(doc_method, module_count)},
                                 {"path", read_text_column, offsetof(doc_method, modules)},
                                 {"pattern", read_number_column, offsetof(doc_method, patterns)}};
  read_fields(r, method, fields, ETR_COUNT(fields));
}

/* Reads the source lines that operators refer to. */
static void read_sources(doc_reader *r, void *method) {
  static const field fields[] = {{"function", read_text, offsetof(doc_source, function)},
                                 {"code", read_text, offsetof(doc_source, code)}};
  etr_json_array(r->json);
  while (next_element(r)) {
    doc_source *added = etr_vec_push(&r->scratch, &((doc_method *)method)->sources);
    if (!added)
      return;
    *added = (doc_source){"", ""};
    read_fields(r, added, fields, ETR_COUNT(fields));
  }
}

/* Reads the graph of a method; null: the method has none. */
static void read_graph(doc_reader *r, void *method) {
  static const field fields[] = {{"modules", read_modules, 0},
                                 {"sources", read_sources, 0},
                                 {"operators", read_operators, 0},
                                 {"bodies", read_bodies, 0}};
  if (etr_json_null(r->json))
    return;
  ((doc_method *)method)->has_graph = true;
  read_fields(r, method, fields, ETR_COUNT(fields));
}

#define VARIATION(within)                                                                          \
  {"low", read_number_column, (within) + offsetof(doc_variation, low)},                            \
      {"high", read_number_column, (within) + offsetof(doc_variation, high)},                      \
      {"recordings", read_number_column, (within) + offsetof(doc_variation, recordings)},          \
      {"offset", read_number_column, (within) + offsetof(doc_variation, offset)}, {                \
    "spread", read_number_column, (within) + offsetof(doc_variation, spread)                       \
  }

static void read_variation(doc_reader *r, void *variation) {
  static const field fields[] = {VARIATION(0)};
  read_fields(r, variation, fields, ETR_COUNT(fields));
}

/* Reads the times of sums by one kind of key, such as the operator, as columns. */
static void read_sums_by_key(doc_reader *r, void *sums) {
  static const field fields[] = {{"p50", read_number_column, offsetof(doc_sums, p50)},
                                 {"typical", read_number_column, offsetof(doc_sums, typical)},
                                 VARIATION(offsetof(doc_sums, vary))};
  read_fields(r, sums, fields, ETR_COUNT(fields));
}

/* Reads the sums of a method: for each kind of key, such as the operator, columns with a row for
 * each sum. Sums by source line are not in the document. */
static void read_sums(doc_reader *r, void *method) {
  doc_method *m = method;
  static const field fields[] = {
      {"op", read_sums_by_key, ETR_SIDE_OP * sizeof *m->sums},
      {"module", read_sums_by_key, ETR_SIDE_MODULE * sizeof *m->sums},
      {"pattern", read_sums_by_key, ETR_SIDE_PATTERN * sizeof *m->sums},
      {"backend", read_sums_by_key, ETR_SIDE_BACKEND * sizeof *m->sums},
      {"pattern_op", read_sums_by_key, ETR_SIDE_PATTERN_OP * sizeof *m->sums},
      {"module_tree", read_sums_by_key, ETR_SIDE_MODULE_TREE * sizeof *m->sums},
      {"pattern_tree", read_sums_by_key, ETR_SIDE_PATTERN_TREE * sizeof *m->sums}};
  m->has_sums = true;
  read_fields(r, m->sums, fields, ETR_COUNT(fields));
}

/* Reads an object with the step of each backend's clock, in nanoseconds; the key "" stands for the
 * runtime's clock. */
static void read_clocks(doc_reader *r, void *method) {
  doc_method *m = method;
  etr_slice key;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    const char **backend = etr_vec_push(&r->scratch, &m->clocks);
    if (backend)
      *backend = etr_arena_text(&r->box->arena, key);
    double *step = etr_vec_push(&r->scratch, &m->steps), number = read_number(r);
    if (step)
      *step = number;
  }
}

/* Reads how many producers each operator has, and the list of the producers of all operators. */
static void read_producers(doc_reader *r, void *method) {
  static const field fields[] = {{"count", read_numbers, offsetof(doc_method, producer_counts)},
                                 {"operator", read_numbers, offsetof(doc_method, producers)}};
  read_fields(r, method, fields, ETR_COUNT(fields));
}

/* Reads the inputs of a method: their number, and the name and the type of each. */
static void read_inputs_of_method(doc_reader *r, void *method) {
  static const field fields[] = {{"count", read_double, offsetof(doc_method, input_count)},
                                 {"name", read_text_column, offsetof(doc_method, input_names)},
                                 {"type", read_text_column, offsetof(doc_method, input_types)}};
  read_fields(r, method, fields, ETR_COUNT(fields));
}

/* Returns ticks as a whole number; 0 if that is not possible. */
static uint64_t whole_ticks(double ticks) {
  return ticks >= 0 && ticks < 1.8e19 ? (uint64_t)ticks : 0;
}

/* Reads a time in nanoseconds as ticks. */
static void read_ticks(doc_reader *r, void *into) {
  *(double *)into = doc_ticks(r, read_number(r));
}

static void read_typical(doc_reader *r, void *into) {
  *(double *)into = typical_ticks(r, read_number(r));
}

/* Reads a number from 0 on into a double; anything else, such as null, is NaN (unknown). */
static void read_figure(doc_reader *r, void *into) {
  double number = read_number(r);
  *(double *)into = number >= 0 && isfinite(number) ? number : (double)NAN;
}

/* Reads a time in nanoseconds, from 0 on, as ticks; anything else is NaN (unknown). */
static void read_figure_time(doc_reader *r, void *into) {
  read_figure(r, into);
  *(double *)into *= r->profile->ticks_per_second / 1e9;
}

/* Reads the figures of a method that a summary shows: its range, first run, tokens, delegation and
 * work. Times become ticks, except ms_per_token; what is unknown is NaN. */
static void read_figures(doc_reader *r, void *figures) {
  static const field fields[] = {
      {"low", read_figure_time, offsetof(etr_side_figures, low)},
      {"high", read_figure_time, offsetof(etr_side_figures, high)},
      {"load", read_figure_time, offsetof(etr_side_figures, load)},
      {"first_run", read_figure_time, offsetof(etr_side_figures, first_run)},
      {"ms_per_token", read_figure, offsetof(etr_side_figures, ms_per_token)},
      {"delegated_nodes", read_figure, offsetof(etr_side_figures, delegated_nodes)},
      {"delegated_time", read_figure, offsetof(etr_side_figures, delegated_time)},
      {"macs", read_figure, offsetof(etr_side_figures, macs)}};
  read_fields(r, figures, fields, ETR_COUNT(fields));
}

/* A part of a method's time. */
typedef struct doc_part {
  const char *name, *backend;
  double total, typical; /* ticks */
  size_t delegates;
} doc_part;

/* Returns the part of a method's time that has this name in documents; ETR_TIME_PARTS if none. */
static etr_time_part part_of_name(const char *name) {
  etr_time_part part = ETR_TIME_OPERATORS;
  while (part < ETR_TIME_PARTS && strcmp(etr_time_part_name(part), etr_or_empty(name)) != 0)
    part++;
  return part;
}

/* Reads how the time of a method is divided; parts of unknown name are skipped. */
static void read_parts(doc_reader *r, void *method_read) {
  static const field fields[] = {{"part", read_text, offsetof(doc_part, name)},
                                 {"backend", read_text, offsetof(doc_part, backend)},
                                 {"total", read_ticks, offsetof(doc_part, total)},
                                 {"typical", read_typical, offsetof(doc_part, typical)},
                                 {"delegates", read_count, offsetof(doc_part, delegates)}};
  etr_method *method = &((doc_method *)method_read)->method;
  etr_vec(etr_part_time) parts = {0};
  etr_json_array(r->json);
  while (next_element(r)) {
    doc_part part = {.name = ""};
    read_fields(r, &part, fields, ETR_COUNT(fields));
    etr_time_part found = part_of_name(part.name);
    etr_part_time *added = found < ETR_TIME_PARTS ? etr_vec_push(&r->box->arena, &parts) : NULL;
    if (added)
      *added = (etr_part_time){.part = found,
                               .backend = part.backend && part.backend[0] ? part.backend : NULL,
                               .ticks = whole_ticks(part.total),
                               .typical = part.typical,
                               .call_count = part.delegates};
  }
  method->parts = parts.data;
  method->part_count = parts.count;
}

static void read_flag(doc_reader *r, void *into) {
  *(bool *)into = etr_json_bool(r->json);
}

/* Reads a number into a double; null is 0. */
static void read_double_or_zero(doc_reader *r, void *into) {
  double number = read_number(r);
  *(double *)into = isnan(number) ? 0 : number;
}

/* Reads the number of runs of each mode into an array of etr_noise_mode that is as long as that of
 * etr_noise. Further ones are left out: no writer has more. */
static void read_mode_runs(doc_reader *r, void *modes) {
  size_t count;
  etr_json_array(r->json);
  for (size_t i = 0; next_element(r); i++) {
    read_count(r, &count);
    if (i < ETR_COUNT(((etr_noise *)NULL)->modes))
      ((etr_noise_mode *)modes)[i].run_count = count;
  }
}

/* Reads the median of each mode, in ticks, into an array of etr_noise_mode, as read_mode_runs()
 * does with the numbers of runs. */
static void read_mode_medians(doc_reader *r, void *modes) {
  double ticks;
  etr_json_array(r->json);
  for (size_t i = 0; next_element(r); i++) {
    read_ticks(r, &ticks);
    if (i < ETR_COUNT(((etr_noise *)NULL)->modes))
      ((etr_noise_mode *)modes)[i].p50 = ticks;
  }
}

/* Returns the verdict of a name; the first one, "few runs", for an unknown name or NULL. */
static etr_noise_verdict noise_verdict_of_name(const char *name) {
  int verdict = ETR_NOISE_DRIFT; /* the last one */
  while (verdict > ETR_NOISE_FEW_RUNS &&
         (!name || strcmp(etr_noise_verdict_name(verdict), name) != 0))
    verdict--;
  return (etr_noise_verdict)verdict;
}

/* Reads the noise of a method or of a phase. Numbers of runs that may be null are read as doubles
 * first, in which null is NaN or 0. Times become ticks. */
static void read_noise(doc_reader *r, void *noise) {
  struct judged {
    etr_noise noise;
    double from_run, over_runs, stretches;
    const char *verdict;
  } judged = {.noise.cv = NAN, .from_run = NAN};
  static const field fields[] = {
      {"cv", read_double, offsetof(struct judged, noise.cv)},
      {"outliers", read_count, offsetof(struct judged, noise.outliers)},
      {"verdict", read_text, offsetof(struct judged, verdict)},
      {"runs", read_count, offsetof(struct judged, noise.run_count)},
      {"least_outlier", read_double_or_zero, offsetof(struct judged, noise.least_outlier)},
      {"most_outlier", read_double_or_zero, offsetof(struct judged, noise.most_outlier)},
      {"mode_runs", read_mode_runs, offsetof(struct judged, noise.modes)},
      {"mode_p50", read_mode_medians, offsetof(struct judged, noise.modes)},
      {"in_stretches", read_flag, offsetof(struct judged, noise.in_stretches)},
      {"change", read_double_or_zero, offsetof(struct judged, noise.change)},
      {"from_run", read_double, offsetof(struct judged, from_run)},
      {"over_runs", read_double_or_zero, offsetof(struct judged, over_runs)},
      {"stretches", read_double_or_zero, offsetof(struct judged, stretches)},
      {"start", read_ticks, offsetof(struct judged, noise.start)},
      {"unsure", read_flag, offsetof(struct judged, noise.is_unsure)}};
  read_fields(r, &judged, fields, ETR_COUNT(fields));
  judged.noise.verdict = noise_verdict_of_name(judged.verdict);
  judged.noise.from_run = isnan(judged.from_run) ? ETR_NONE
                                                 : (uint32_t)doc_count(r, judged.from_run);
  judged.noise.over_runs = doc_count(r, judged.over_runs);
  judged.noise.stretches = doc_count(r, judged.stretches);
  *(etr_noise *)noise = judged.noise;
}

/* Reads how many tokens a run of a language model reads and how fast; a method without tokens has
 * null. */
static void read_throughput(doc_reader *r, void *method) {
  static const field fields[] = {
      {"tokens_per_run", read_double, offsetof(etr_throughput, tokens_per_run)},
      {"tokens_per_second", read_double, offsetof(etr_throughput, tokens_per_second)},
      {"ms_per_token", read_double, offsetof(etr_throughput, ms_per_token)},
      {"why", read_text, offsetof(etr_throughput, why)}};
  if (etr_json_null(r->json))
    return;
  etr_throughput *read = etr_arena_alloc(&r->box->arena, sizeof *read);
  if (!read)
    return;
  *read = (etr_throughput){NAN, NAN, NAN, NAN, NAN, NULL};
  read_fields(r, read, fields, ETR_COUNT(fields));
  ((doc_method *)method)->method.throughput = read;
}

/* Reads the names and noise of the phases, and sets their numbers (mixed_phase_count too, because a
 * document lists no phase without runs). Their times and runs are not compared. */
static void read_phases(doc_reader *r, void *method) {
  static const field fields[] = {{"phase", read_text, offsetof(etr_run_phase, name)},
                                 {"noise", read_noise, offsetof(etr_run_phase, noise)}};
  etr_vec(etr_run_phase) phases = {0};
  etr_method *m = &((doc_method *)method)->method;
  etr_json_array(r->json);
  while (next_element(r)) {
    etr_run_phase *added = etr_vec_push(&r->box->arena, &phases);
    if (!added)
      return;
    added->name = "";
    read_fields(r, added, fields, ETR_COUNT(fields));
  }
  m->run_phases = phases.data;
  m->run_phase_count = m->mixed_phase_count = phases.count;
}

/* Reads which part of the typical time is interruptions; null of a method without times. */
static void read_answer(doc_reader *r, void *interrupted) {
  static const field fields[] = {{"interrupted", read_double_or_zero, 0}};
  if (!etr_json_null(r->json))
    read_fields(r, interrupted, fields, ETR_COUNT(fields));
}

/* Reads the methods of the document. What a method lacks stays empty or NaN; make_method() decides
 * whether it is needed. */
static void read_methods(doc_reader *r, void *reader) {
  static const field fields[] = {
      {"method", read_text, offsetof(doc_method, method.name)},
      {"runs", read_count, offsetof(doc_method, method.run_count)},
      {"execute_per_run", read_numbers, offsetof(doc_method, execute_per_run)},
      {"recordings", read_numbers, offsetof(doc_method, recordings)},
      {"recording_files", read_strings, offsetof(doc_method, files)},
      {"first_runs", read_numbers, offsetof(doc_method, first)},
      {"runs_vary", read_variation, offsetof(doc_method, vary)},
      {"part_sums", read_sums_by_key, offsetof(doc_method, parts)},
      {"noise", read_noise, offsetof(doc_method, method.noise)},
      {"answer", read_answer, offsetof(doc_method, method.interrupted)},
      {"phases_of_runs", read_phases, 0},
      {"throughput", read_throughput, 0},
      {"balance", read_parts, 0},
      {"graph", read_graph, 0},
      {"events", read_events, 0},
      {"sums", read_sums, 0},
      {"figures", read_figures, offsetof(doc_method, figures)},
      {"clocks", read_clocks, 0},
      {"skipped_runs", read_count, offsetof(doc_method, method.skipped_run_count)},
      {"producers", read_producers, 0},
      {"called_with", read_inputs_of_method, 0},
      {"dtypes", read_text, offsetof(doc_method, dtypes)},
      {"weights", read_numbers, offsetof(doc_method, weights)},
      {"operator_weights", read_numbers, offsetof(doc_method, operator_weights)}};
  (void)reader;
  etr_json_array(r->json);
  while (next_element(r)) {
    doc_method *m = etr_vec_push(&r->scratch, &r->methods);
    if (!m)
      return;
    m->method = (etr_method){.name = "", .graph = ETR_NONE, .noise.cv = NAN};
    m->item_count = m->module_count = m->input_count = NAN;
    m->figures = (etr_side_figures){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    etr_map_init(&m->body_of, &r->scratch);
    read_fields(r, m, fields, ETR_COUNT(fields));
  }
}

/* ---- The document ---- */

/* Reads the times of loads, in nanoseconds: of events outside of inferences, by name. NaN stands
 * for null. */
static void read_loads(doc_reader *r, void *reader) {
  static const field fields[] = {{"event_name", read_text, offsetof(doc_load, name)},
                                 {"runs", read_double, offsetof(doc_load, runs)},
                                 {"total", read_double, offsetof(doc_load, total)},
                                 {"typical", read_double, offsetof(doc_load, typical)},
                                 {"p50", read_double, offsetof(doc_load, p50)},
                                 {"low", read_double, offsetof(doc_load, low)},
                                 {"high", read_double, offsetof(doc_load, high)},
                                 {"recordings", read_double, offsetof(doc_load, recordings)},
                                 {"offset", read_double, offsetof(doc_load, offset)},
                                 {"spread", read_double, offsetof(doc_load, spread)}};
  (void)reader;
  etr_json_array(r->json);
  while (next_element(r)) {
    doc_load *load = etr_vec_push(&r->scratch, &r->loads);
    if (!load)
      return;
    *load = (doc_load){
        .name = "", .runs = NAN, .total = NAN, .typical = NAN, .p50 = NAN, .low = NAN};
    read_fields(r, load, fields, ETR_COUNT(fields));
  }
}

/* Fails the reader if the document is of another schema or version. */
static void read_schema(doc_reader *r, void *reader) {
  (void)reader;
  etr_slice schema = etr_json_string(r->json);
  if (!etr_slice_is(schema, "etrecord-tb/profile/1"))
    doc_fail(r, OTHER);
}

/* Reads the clock, which precedes the times in the document. */
static void read_clock(doc_reader *r, void *reader) {
  (void)reader;
  r->profile->ticks_per_second = etr_json_number(r->json);
  if (!(r->profile->ticks_per_second > 0) || isinf(r->profile->ticks_per_second))
    doc_fail(r, "ticks_per_second is not above 0");
}

static void read_pte_bytes(doc_reader *r, void *reader) {
  (void)reader;
  read_figure(r, &r->box->side.pte_bytes);
}

static void read_planned_bytes(doc_reader *r, void *reader) {
  (void)reader;
  read_figure(r, &r->box->side.planned_bytes);
}

static void read_recorded_at(doc_reader *r, void *reader) {
  (void)reader;
  r->profile->recorded_at = read_number(r);
}

static void read_threads(doc_reader *r, void *reader) {
  (void)reader;
  double threads = read_number(r);
  r->profile->threads = threads >= 1 && threads <= UINT32_MAX ? (uint32_t)threads : 0;
}

static void read_in_turns(doc_reader *r, void *reader) {
  (void)reader;
  r->profile->is_in_turns = etr_json_bool(r->json);
}

/* Reads the paths of the input files. The first one, the record, names the side in outputs;
 * ETDumps follow. */
static void read_paths_of_inputs(doc_reader *r, void *reader) {
  doc_strings inputs = {0};
  (void)reader;
  read_strings(r, &inputs);
  if (inputs.count > 0)
    r->profile->etrecord = inputs.data[0];
  if (inputs.count > 1)
    r->box->side.first_dump = inputs.data[1];
}

/* ---- One side of a comparison, from the document that the dashboard shows ---- */

/* Returns the text that a row of a column refers to; NULL for -1 and for indices beyond the list of
 * texts. */
static const char *text_at(const doc_strings *list, const doc_numbers *indices, size_t at) {
  double index = number_at(indices, at);
  return index >= 0 && index < (double)list->count ? list->data[(size_t)index] : NULL;
}

/* Returns the path of the body of control flow that a subgraph is in; "" if it is in none. */
static const char *body_of(const doc_method *m, const char *subgraph) {
  uint32_t found = subgraph ? etr_map_get(&m->body_of, etr_slice_of(subgraph)) : ETR_NONE;
  return found == ETR_NONE ? "" : etr_or_empty(m->bodies.data[found]);
}

/* Returns the step of a backend's clock, in ticks; NULL is the runtime's clock. It is 1 if the
 * document does not say. */
static double step_of_clock(const doc_reader *r, const doc_method *m, const char *backend) {
  for (size_t i = 0; i < m->clocks.count; i++)
    if (strcmp(m->clocks.data[i], etr_or_empty(backend)) == 0)
      return doc_ticks(r, m->steps.data[i]);
  return 1;
}

/* Returns the step of an item's time per run, in ticks: events state it, while for operators it is
 * the clock's step, once for each call in a run. The document has the calls per run of the method,
 * and the operator may have run in some of them only. */
static double item_step(const doc_reader *r, const doc_method *m, const etr_side_item *item,
                        size_t row) {
  if (!m->has_graph)
    return doc_ticks(r, number_at(&m->columns[ETR_DOC_STEP], row));
  double calls = round(number_at(&m->columns[ETR_DOC_CALLS], row) * (double)m->method.run_count);
  return step_of_clock(r, m, item->backend) * calls / (double)item->time.runs;
}

/* ---- How times vary ---- */

/* Returns true if a column fits a table of `count` rows: it has a value for each row, one for all
 * rows, or none. */
static bool fits_rows(const doc_numbers *column, size_t count) {
  return column->count == count || column->count <= 1;
}

/* Returns true if the columns of ranges fit `count` rows, and with several recordings those of
 * their spread, too: a single recording has none. Otherwise fails the reader. */
static bool check_variation(doc_reader *r, const doc_method *m, const doc_variation *v,
                            size_t count) {
  bool several = m->recordings.count > 1;
  bool good = fits_rows(&v->low, count) && fits_rows(&v->high, count);
  good = good && (!several || (fits_rows(&v->recordings, count) && fits_rows(&v->offset, count) &&
                               fits_rows(&v->spread, count)));
  if (!good)
    doc_fail(r, UNEVEN);
  return good;
}

/* Fails the reader if a time contradicts itself. Times are below 2^64 ticks, so the logarithms of
 * their ratios (offset, spread) are below 50. An offset or spread of NaN is allowed: it stands for
 * a recording without time. */
static void fail_if_contradictory(doc_reader *r, const etr_side_time *time,
                                  size_t most_recordings) {
  static const double most_logarithm = 50;
  bool good = time->low >= 0 && time->low <= time->high && time->p50 >= 0 && time->typical >= 0 &&
              time->step > 0;
  good = good && time->recordings > 0 && time->recordings <= ETR_MIN(time->runs, most_recordings);
  good = good && !(fabs(time->offset) > most_logarithm) &&
         !(time->spread < 0 || time->spread > most_logarithm);
  if (!good)
    doc_fail(r, "its times contradict each other");
}

/* Sets the range of a time from a row and, if there are several recordings, how much they
 * differ. */
static void set_variation(doc_reader *r, const doc_method *m, etr_side_time *time,
                          const doc_variation *v, size_t row) {
  time->low = doc_ticks(r, number_at(&v->low, row));
  time->high = doc_ticks(r, number_at(&v->high, row));
  time->recordings = 1;
  if (m->recordings.count > 1) {
    time->recordings = doc_count(r, number_at(&v->recordings, row));
    time->offset = number_at(&v->offset, row);
    time->spread = number_at(&v->spread, row);
  }
  fail_if_contradictory(r, time, ETR_MAX(m->recordings.count, (size_t)1));
}

/* ---- Items ---- */

/* Sets the time of an item, in ticks, from a row of the columns, which are in nanoseconds; an item
 * that never ran has none. Fails the reader if the item ran in more runs than the method has. */
static void set_item_time(doc_reader *r, const doc_method *m, etr_side_item *item, size_t row) {
  size_t runs = doc_count(r, number_at(&m->columns[ETR_DOC_RAN_IN], row));
  if (runs > m->method.run_count)
    doc_fail(r, "an operator ran in more runs than there are");
  if (runs == 0)
    return;
  item->time = (etr_side_time){
      .total = doc_ticks(r, number_at(&m->columns[ETR_DOC_TOTAL], row)),
      .runs = runs,
      .typical = typical_ticks(r, number_at(&m->columns[ETR_DOC_TYPICAL], row)),
      .p50 = doc_ticks(r, number_at(&m->columns[ETR_DOC_P50], row))};
  item->time.step = item_step(r, m, item, row);
  etr_side_time_set_steady(&item->time);
  set_variation(r, m, &item->time, &m->vary, row);
}

/* Sets the function and code of the source line of an item from its row, if the document has
 * them. */
static void set_source(const doc_method *m, etr_side_item *item, size_t row) {
  double line = number_at(&m->columns[ETR_DOC_SOURCE], row);
  if (!(line >= 0) || line >= (double)m->sources.count)
    return;
  const doc_source *source = &m->sources.data[(size_t)line];
  if (!etr_or_empty(source->code)[0])
    return;
  item->function = etr_or_empty(source->function);
  item->code = source->code;
}

/* Fills an item from a row of the columns. The node of an operator is the index of its row, because
 * a document has no other nodes. */
static void fill_item(doc_reader *r, const doc_method *m, etr_side_item *item, size_t row) {
  const doc_numbers *columns_read = m->columns;
  *item = (etr_side_item){
      .node = ETR_NONE,
      .name = etr_or_empty(m->has_graph ? string_at(&m->names, row)
                                        : text_at(&r->texts, &columns_read[ETR_DOC_NAME], row)),
      .op = etr_or_empty(text_at(&r->texts, &columns_read[ETR_DOC_OP], row)),
      .module = "",
      .pattern = "",
      .body = "",
      .backend = text_at(&r->texts, &columns_read[ETR_DOC_BACKEND], row)};
  if (m->has_graph) {
    item->node = (uint32_t)row;
    double module = number_at(&columns_read[ETR_DOC_MODULE], row);
    if (module >= 0 && module < m->module_count) {
      item->module = etr_or_empty(string_at(&m->modules, (size_t)module));
      item->pattern = etr_or_empty(text_at(&r->texts, &m->patterns, (size_t)module));
    }
    item->body = body_of(m, text_at(&r->texts, &columns_read[ETR_DOC_SUBGRAPH], row));
    item->shape = etr_or_empty(text_at(&r->texts, &columns_read[ETR_DOC_OUTPUTS], row));
    set_source(m, item, row);
  }
  set_item_time(r, m, item, row);
}

/* Which columns a method with a graph needs, and which one without. */
static const bool of_operators[ETR_DOC_COLUMNS] = {
    [ETR_DOC_OP] = true,       [ETR_DOC_MODULE] = true,  [ETR_DOC_SOURCE] = true,
    [ETR_DOC_SUBGRAPH] = true, [ETR_DOC_OUTPUTS] = true, [ETR_DOC_BACKEND] = true,
    [ETR_DOC_CALLS] = true,    [ETR_DOC_RAN_IN] = true,  [ETR_DOC_TOTAL] = true,
    [ETR_DOC_TYPICAL] = true,  [ETR_DOC_P50] = true};
static const bool of_events[ETR_DOC_COLUMNS] = {[ETR_DOC_NAME] = true,    [ETR_DOC_OP] = true,
                                                [ETR_DOC_BACKEND] = true, [ETR_DOC_RAN_IN] = true,
                                                [ETR_DOC_TOTAL] = true,   [ETR_DOC_TYPICAL] = true,
                                                [ETR_DOC_P50] = true,     [ETR_DOC_STEP] = true};

/* Returns true if all columns of a method's items fit `count` rows; otherwise fails the reader. A
 * method that did not run has no times, whose ranges could fit. */
static bool check_columns(doc_reader *r, const doc_method *m, size_t count) {
  const bool *is_needed = m->has_graph ? of_operators : of_events;
  for (size_t i = 0; i < ETR_DOC_COLUMNS; i++)
    if (is_needed[i] && !fits_rows(&m->columns[i], count)) {
      doc_fail(r, UNEVEN);
      return false;
    }
  return m->method.run_count == 0 || check_variation(r, m, &m->vary, count);
}

/* Sets the time of a sum from a row of the document's sums, in ticks. Its key, its number of nodes
 * and the total and step of its time are known from the grouping. A sum without timed nodes has no
 * time. */
static void set_sum_time(doc_reader *r, const doc_method *m, etr_side_sum *sum,
                         const doc_sums *from, size_t row) {
  if (sum->timed == 0)
    return;
  sum->time.runs = m->method.run_count;
  sum->time.typical = typical_ticks(r, number_at(&from->typical, row));
  sum->time.p50 = doc_ticks(r, number_at(&from->p50, row));
  set_variation(r, m, &sum->time, &from->vary, row);
}

/* Sets the times of the parts of a method, which are in the order of the balance, if the document
 * has them: older ones do not. Returns false when out of memory. */
static bool set_parts(doc_reader *r, const doc_method *m, etr_side_method *out) {
  size_t count = m->method.part_count;
  const doc_sums *from = &m->parts;
  if (from->typical.count == 0 || !check_variation(r, m, &from->vary, count))
    return true;
  if (!fits_rows(&from->p50, count) || !fits_rows(&from->typical, count))
    doc_fail(r, UNEVEN);
  etr_side_sum *rows = etr_arena_alloc_array(&r->box->arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < count; i++) {
    const etr_part_time *part = &m->method.parts[i];
    rows[i] = (etr_side_sum){
        .key = etr_time_part_name(part->part),
        .backend = part->backend,
        .timed = 1,
        .time = {.total = (double)part->ticks, .step = step_of_clock(r, m, part->backend)}};
    set_sum_time(r, m, &rows[i], from, i);
  }
  out->parts = (etr_side_sums){rows, rows ? count : 0};
  return rows != NULL;
}

/* Groups the items by a key, such as the operator, and sets the times of the groups from the
 * document, which has them in the order in which the keys first appear. (Medians of sums cannot be
 * computed from medians of items.) Keys of graphs, such as the module, are passed over for a method
 * that has only events. Sums that do not fit fail the reader. Returns false when out of memory. */
static bool set_sums_by(doc_reader *r, const doc_method *m, etr_side_method *out, etr_side_by by) {
  const doc_sums *from = &m->sums[by];
  etr_side_groups groups;
  if (!m->has_graph && etr_side_by_is_of_graphs(by))
    return true;
  if (!etr_side_group(&groups, out->items, out->item_count, by, &r->box->arena, &r->scratch))
    return false;
  if (!fits_rows(&from->p50, groups.count) || !fits_rows(&from->typical, groups.count))
    doc_fail(r, "its sums do not match its operators");
  if (!r->problem)
    check_variation(r, m, &from->vary, groups.count);
  for (size_t i = 0; !r->problem && i < groups.count; i++)
    set_sum_time(r, m, &groups.rows[i], from, i);
  *etr_side_sums_of(out, by) = (etr_side_sums){groups.rows, groups.count};
  return true;
}

static void fail_producers(doc_reader *r) {
  doc_fail(r, "its producers do not match its operators");
}

/* Returns the item that producer `index` of the document's list is, which the item `user`
 * reads; ETR_NONE for -1, an input of the method. Fails the reader unless it precedes its user. */
static uint32_t producer_at(doc_reader *r, const doc_method *m, size_t index, size_t user) {
  double producer = m->producers.data[index];
  if (producer < 0)
    return ETR_NONE;
  if (producer < (double)user)
    return (uint32_t)producer;
  fail_producers(r);
  return ETR_NONE;
}

/* Sets the producers of each item: the items that it reads. The document has how many each item
 * has, and one list of all; if these do not fit, the reader fails. Returns false when out of
 * memory. */
static bool set_producers(doc_reader *r, const doc_method *m, etr_side_item *items, size_t count) {
  uint32_t *producers = etr_arena_alloc_array(&r->box->arena, m->producers.count,
                                              sizeof *producers);
  size_t used = 0;
  if (!producers)
    return false;
  if (m->producer_counts.count != count)
    doc_fail(r, m->producer_counts.count ? UNEVEN : LACKS);
  for (size_t i = 0; !r->problem && i < count; i++) {
    size_t count_of_item = doc_count(r, m->producer_counts.data[i]);
    if (count_of_item > m->producers.count - used)
      fail_producers(r);
    items[i].producers = producers + used;
    for (size_t k = 0; !r->problem && k < count_of_item; k++, used++)
      producers[used] = producer_at(r, m, used, i);
    items[i].producer_count = r->problem ? 0 : count_of_item;
  }
  if (!r->problem && used != m->producers.count)
    fail_producers(r);
  return true;
}

/* Sets the shape of the weight that each operator reads; NULL if it reads none. Fails the reader if
 * the document does not have as many weights as operators, or has none, as older documents. */
static void set_operator_weights(doc_reader *r, const doc_method *m, etr_side_item *items,
                                 size_t count) {
  if (m->operator_weights.count != count)
    doc_fail(r, m->operator_weights.count ? UNEVEN : LACKS);
  for (size_t i = 0; !r->problem && i < count; i++)
    items[i].weight = text_at(&r->texts, &m->operator_weights, i);
}

/* Sets inputs, number types and weights of the graph, which show whether two models are the same.
 * Columns that are missing or do not fit fail the reader. Returns false when out of memory. */
static bool set_model_facts(doc_reader *r, const doc_method *m, etr_side_method *out) {
  size_t input_count = checked_row_count(r, m->input_count, m->input_names.count);
  etr_side_input *inputs = etr_arena_alloc_array(&r->box->arena, input_count, sizeof *inputs);
  const char **weights = etr_arena_alloc_array(&r->box->arena, m->weights.count, sizeof *weights);
  if (etr_arena_failed(&r->box->arena))
    return false;
  if (!m->dtypes)
    doc_fail(r, LACKS);
  if (m->input_types.count > 1 && m->input_types.count != input_count)
    doc_fail(r, UNEVEN);
  for (size_t i = 0; !r->problem && i < input_count; i++)
    inputs[i] = (etr_side_input){etr_or_empty(string_at(&m->input_names, i)),
                                 etr_or_empty(string_at(&m->input_types, i))};
  for (size_t i = 0; i < m->weights.count; i++)
    weights[i] = etr_or_empty(text_at(&r->texts, &m->weights, i));
  out->inputs = inputs;
  out->input_count = input_count;
  out->weights = weights;
  out->weight_count = m->weights.count;
  out->dtypes = etr_or_empty(m->dtypes);
  return true;
}

/* Sets the recording of each run from the number of runs of each recording. Fails the reader if
 * these do not add up to `count` runs. */
static void number_recordings_of_runs(doc_reader *r, uint32_t *recording_of,
                                      const doc_numbers *recordings, size_t count) {
  size_t run = 0;
  for (uint32_t i = 0; !r->problem && i < recordings->count; i++) {
    size_t of_recording = doc_count(r, recordings->data[i]);
    if (of_recording > count - run || of_recording == 0)
      doc_fail(r, "its recordings do not match its runs");
    for (size_t k = 0; !r->problem && k < of_recording; k++)
      recording_of[run++] = i;
  }
  if (run != count)
    doc_fail(r, "its recordings do not match its runs");
}

/* Computes the time of Method::execute, and the times of its recordings and first runs, from the
 * ticks of each run. Recordings that do not fit the runs fail the reader. Returns false when out of
 * memory, but true if the reader failed. */
static bool set_execute_time(doc_reader *r, const doc_method *m, const uint64_t *ticks,
                             etr_side_method *out) {
  size_t count = m->method.run_count, most_first = ETR_COUNT(out->recordings.first);
  uint32_t *recording_of = etr_arena_alloc_array(&r->scratch, count, sizeof *recording_of);
  if (!recording_of)
    return false;
  number_recordings_of_runs(r, recording_of, &m->recordings, count);
  etr_side_runs runs;
  if (r->problem)
    return true;
  out->recordings.first_count = ETR_MIN(m->first.count, most_first + 1);
  for (size_t i = 0; i < ETR_MIN(m->first.count, most_first); i++)
    out->recordings.first[i] = doc_ticks(r, m->first.data[i]);
  return etr_side_runs_of(&runs, ticks, recording_of, count, &r->scratch) &&
         etr_side_time_of_ticks(&out->execute, ticks, &runs, etr_noise_step_of(ticks, count),
                                &r->scratch) &&
         etr_side_recordings_of(&out->recordings, &runs, m->files.data, m->files.count,
                                &r->box->arena);
}

/* Sets the ticks of each run of a method and their sum. Fails the reader if the document does not
 * have the times of all runs. Returns false when out of memory. */
static bool set_run_times(doc_reader *r, const doc_method *m, etr_method *method,
                          etr_side_method *out) {
  size_t count = m->execute_per_run.count;
  uint64_t *ticks = etr_arena_alloc_array(&r->box->arena, count, sizeof *ticks);
  if (count != m->method.run_count)
    doc_fail(r, "it lacks the times of the runs");
  for (size_t i = 0; ticks && i < count; i++) {
    ticks[i] = whole_ticks(doc_ticks(r, m->execute_per_run.data[i]));
    method->execute_ticks = etr_add_up_to_most(method->execute_ticks, ticks[i]);
  }
  method->execute_per_run = ticks;
  uint64_t *sorted = etr_arena_alloc_array(&r->scratch, count, sizeof *sorted);
  if (!ticks || !sorted || (!r->problem && !set_execute_time(r, m, ticks, out)))
    return false;
  if (count)
    memcpy(sorted, ticks, count * sizeof *sorted);
  method->execute = etr_stats_of(sorted, count);
  method->execute.typical = out->execute.typical;
  return true;
}

/* Makes a method and what is compared of it from what was read. Fails the reader if something is
 * missing or does not agree; *out is incomplete then. Returns false when out of memory. */
static bool make_method(doc_reader *r, doc_method *m, etr_method *method, etr_side_method *out) {
  *method = m->method;
  *out = (etr_side_method){.has_graph = m->has_graph, .dtypes = "", .figures = m->figures};
  if (!m->has_sums || !m->has_items)
    doc_fail(r, LACKS);
  if (m->has_graph &&
      !fits_rows(&m->patterns, checked_row_count(r, m->module_count, m->modules.count)))
    doc_fail(r, UNEVEN);
  if (r->problem)
    return true;
  if (!set_run_times(r, m, method, out))
    return false;
  if (!etr_method_adds_up(method))
    doc_fail(r, "its balance does not add up");
  size_t name_count = m->has_graph ? m->names.count : m->columns[ETR_DOC_NAME].count;
  size_t count = checked_row_count(r, m->item_count, name_count);
  etr_side_item *items = etr_arena_alloc_array(&r->box->arena, count, sizeof *items);
  if (!items)
    return false;
  if (!check_columns(r, m, count))
    return true;
  for (size_t i = 0; i < count; i++)
    fill_item(r, m, &items[i], i);
  out->items = items;
  out->item_count = count;
  bool good = !m->has_graph || (set_producers(r, m, items, count) && set_model_facts(r, m, out));
  if (m->has_graph)
    set_operator_weights(r, m, items, count);
  good = good && set_parts(r, m, out);
  for (int by = 0; good && !r->problem && by < ETR_SIDE_BY; by++)
    good = set_sums_by(r, m, out, by);
  return good;
}

/* Makes all methods of the side. Returns false when out of memory. */
static bool make_side_methods(doc_reader *r) {
  etr_method *methods = etr_arena_alloc_array(&r->box->arena, r->methods.count, sizeof *methods);
  etr_side_method *sides = etr_arena_alloc_array(&r->box->arena, r->methods.count, sizeof *sides);
  bool good = methods && sides;
  for (size_t i = 0; good && i < r->methods.count; i++)
    good = make_method(r, &r->methods.data[i], &methods[i], &sides[i]);
  r->profile->methods = methods;
  r->profile->method_count = r->methods.count;
  r->box->side.methods = sides;
  return good;
}

/* Makes the loads of the side, with times in ticks; loads that were not timed are left out. The
 * document does not have the step of their clock, which counts as one tick. Returns false when out
 * of memory. */
static bool make_side_loads(doc_reader *r) {
  etr_side_load *loads = etr_arena_alloc_array(&r->box->arena, r->loads.count, sizeof *loads);
  size_t count = 0; /* loads that were timed */
  for (size_t i = 0; loads && i < r->loads.count; i++) {
    const doc_load *load = &r->loads.data[i];
    if (doc_count(r, load->runs) == 0)
      continue;
    etr_side_load *made = &loads[count++];
    made->name = etr_or_empty(load->name);
    made->time = (etr_side_time){.total = doc_ticks(r, load->total),
                                 .runs = doc_count(r, load->runs),
                                 .typical = typical_ticks(r, load->typical),
                                 .p50 = doc_ticks(r, load->p50),
                                 .low = doc_ticks(r, load->low),
                                 .high = doc_ticks(r, load->high),
                                 .offset = load->offset,
                                 .spread = load->spread,
                                 .step = 1};
    made->time.recordings = doc_count(r, load->recordings);
    fail_if_contradictory(r, &made->time, made->time.runs);
  }
  r->box->side.loads = loads;
  r->box->side.load_count = count;
  return loads != NULL;
}

/* Lists as many recordings as the method with the most has. When their files were written is
 * unknown. Returns false when out of memory. */
static bool make_side_clockings(doc_reader *r) {
  size_t count = 0;
  for (size_t i = 0; i < r->methods.count; i++)
    count = ETR_MAX(count, r->methods.data[i].recordings.count);
  etr_side_clocking *list = etr_arena_alloc_array(&r->box->arena, count, sizeof *list);
  for (size_t i = 0; list && i < count; i++)
    list[i] = (etr_side_clocking){.written = NAN, .length = NAN};
  r->box->side.clockings = list;
  r->box->side.clocking_count = count;
  return list != NULL;
}

/* ---- Together ---- */

/* Sets the error that explains why the document cannot be used, and returns its status. */
static etr_status fail_document(const doc_reader *r, const char *name, etr_error *error) {
  bool out_of_memory = etr_json_out_of_memory(r->json) || etr_arena_failed(&r->scratch) ||
                       etr_arena_failed(&r->box->arena);
  const char *file = name ? name : "the document";
  if (out_of_memory)
    return etr_fail_memory(error);
  if (etr_json_failed(r->json))
    return etr_fail(error, ETR_ERROR_FORMAT, file, NULL, etr_json_offset(r->json), "%s",
                    etr_json_message(r->json));
  return etr_fail(error, ETR_ERROR_FORMAT, file, NULL, ETR_NO_OFFSET, "%s", r->problem);
}

/* Reads the whole document unchanged into the reader. Failures are the JSON reader's, the arenas',
 * and r->problem. */
static void read_document(doc_reader *r) {
  static const field fields[] = {
      {"schema", read_schema, 0},           {"ticks_per_second", read_clock, 0},
      {"inputs", read_paths_of_inputs, 0},  {"methods", read_methods, 0},
      {"load_times", read_loads, 0},        {"texts", read_strings, offsetof(doc_reader, texts)},
      {"pte_bytes", read_pte_bytes, 0},     {"planned_bytes", read_planned_bytes, 0},
      {"recorded_at", read_recorded_at, 0}, {"in_turns", read_in_turns, 0},
      {"threads", read_threads, 0}};
  read_fields(r, r, fields, ETR_COUNT(fields));
  if (!r->problem)
    etr_json_end(r->json);
  if (!(r->profile->ticks_per_second > 0))
    doc_fail(r, OTHER);
}

/* Reads the document, then makes methods and loads of it. Fails if it is damaged or contradicts
 * itself, or when out of memory; *out is NULL then. */
etr_status etr_side_read(etr_side **out, const char *document, size_t size, const char *name,
                         etr_error *error) {
  *out = NULL;
  etr_error_clear(error);
  doc_reader r = {.json = etr_json_open_memory((etr_slice){document, size}, NULL),
                  .box = etr_side_box_new(error),
                  .most_rows = size / LEAST_BYTES_OF_A_ROW};
  etr_status status = ETR_ERROR_MEMORY;
  if (r.json && r.box) {
    r.profile = etr_arena_alloc(&r.box->arena, sizeof *r.profile);
    r.box->side.profile = r.profile;
    r.box->side.is_of_document = true;
    r.box->side.pte_bytes = r.box->side.planned_bytes = NAN;
    if (r.profile) {
      r.profile->recorded_at = NAN;
      read_document(&r);
    }
    bool is_read = r.profile && !etr_json_failed(r.json) && !r.problem &&
                   !etr_arena_failed(&r.scratch) && !etr_arena_failed(&r.box->arena);
    bool good = is_read && make_side_methods(&r) && make_side_loads(&r) &&
                make_side_clockings(&r) && !r.problem;
    status = good ? ETR_OK : fail_document(&r, name, error);
  } else if (r.box)
    (void)etr_fail_memory(error);
  etr_json_close(r.json);
  etr_arena_clear(&r.scratch);
  if (status == ETR_OK)
    *out = &r.box->side;
  else if (r.box)
    etr_side_close(&r.box->side);
  return status;
}
