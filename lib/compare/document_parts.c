/* SPDX-License-Identifier: BSD-3-Clause
 *
 * document_parts.c - reading the dashboard's document.
 */
#include "compare/document_parts.h"

#include <math.h>
#include <stddef.h>

static const char OTHER[] = "not an etrecord-tb/profile/1 document";

static const char *const columns[ETR_DOC_COLUMNS] = {"name",    "op",        "module", "source", "subgraph",
                                                     "outputs", "backend",   "calls",  "ran_in", "total",
                                                     "p50",     "deviation", "step"};

/* ---- Values ---- */

void etr_doc_fail(etr_doc_reader *r, const char *problem) {
  if (!r->problem) r->problem = problem;
}

static bool has_element(etr_doc_reader *r) { return !r->problem && etr_json_element(r->json); }

static double read_number(etr_doc_reader *r) { return etr_json_null(r->json) ? NAN : etr_json_number(r->json); }

/* What reads a value into a place: a const char *, a size_t, a list. */
static void read_text(etr_doc_reader *r, void *into) {
  *(const char **)into = etr_json_null(r->json) ? "" : etr_arena_text(&r->box->arena, etr_json_string(r->json));
}

static void read_count(etr_doc_reader *r, void *into) { *(size_t *)into = etr_doc_count(r, read_number(r)); }

static void read_time(etr_doc_reader *r, void *into) { *(double *)into = read_number(r); }

static void read_numbers(etr_doc_reader *r, void *into) {
  etr_json_array(r->json);
  while (has_element(r)) {
    double *added = etr_vec_push(&r->scratch, (etr_doc_numbers *)into), number = read_number(r);
    if (added) *added = number;
  }
}

static void read_strings(etr_doc_reader *r, void *into) {
  etr_json_array(r->json);
  while (has_element(r)) {
    const char *text, **added = etr_vec_push(&r->scratch, (etr_doc_strings *)into);
    read_text(r, &text);
    if (added) *added = text;
  }
}

/* A key of an object that is read, what reads its value, and where to. */
typedef struct field {
  const char *key;
  void (*read)(etr_doc_reader *r, void *into);
  size_t offset; /* in what the object becomes */
} field;

/* Passes over all other keys. */
static void read_fields(etr_doc_reader *r, void *of, const field *fields, size_t count) {
  etr_slice key;
  etr_json_object(r->json);
  while (!r->problem && etr_json_key(r->json, &key)) {
    size_t at = 0;
    while (at < count && !etr_slice_equal(key, etr_slice_of(fields[at].key))) at++;
    if (at < count)
      fields[at].read(r, (char *)of + fields[at].offset);
    else
      etr_json_skip(r->json);
  }
}

/* Times are written to the picosecond, and are halves and quarters of ticks at most: so they are found again, to the
 * last bit. */
double etr_doc_ticks(const etr_doc_reader *r, double ns) {
  return isnan(ns) || !(r->profile->ticks_per_second > 0) ? 0 : round(ns * r->profile->ticks_per_second / 1e9 * 4) / 4;
}

/* A count of things; more than fit into memory are none. */
size_t etr_doc_count(etr_doc_reader *r, double number) {
  if (number >= 0 && number < UINT32_MAX) return (size_t)number;
  etr_doc_fail(r, "a count is not a whole number");
  return 0;
}

/* ---- A method ---- */

static void read_columns(etr_doc_reader *r, etr_doc_method *m) {
  field fields[ETR_DOC_COLUMNS];
  for (size_t i = 0; i < ETR_DOC_COLUMNS; i++)
    fields[i] = (field){columns[i], read_numbers, offsetof(etr_doc_method, columns) + i * sizeof *m->columns};
  if (m->has_graph) fields[ETR_DOC_NAME] = (field){"name", read_strings, offsetof(etr_doc_method, names)};
  m->has_items = true;
  read_fields(r, m, fields, ETR_COUNT(fields));
}

static void read_operators(etr_doc_reader *r, void *method) { read_columns(r, method); }

static void read_events(etr_doc_reader *r, void *method) {
  etr_doc_method *m = method;
  if (etr_json_peek(r->json) == ETR_JSON_OBJECT && !m->has_graph)
    read_columns(r, m);
  else
    etr_json_skip(r->json);
}

static void read_bodies(etr_doc_reader *r, void *method) {
  etr_doc_method *m = method;
  etr_slice key;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    const char *subgraph = etr_arena_text(&r->scratch, key), *body, **added = etr_vec_push(&r->scratch, &m->bodies);
    read_text(r, &body);
    if (!subgraph || !added || !etr_map_set(&m->body_of, etr_slice_of(subgraph), (uint32_t)m->bodies.count - 1)) return;
    *added = body;
  }
}

static void read_module_paths(etr_doc_reader *r, void *method) {
  static const field fields[] = {{"path", read_strings, offsetof(etr_doc_method, modules)},
                                 {"pattern", read_numbers, offsetof(etr_doc_method, patterns)}};
  read_fields(r, method, fields, ETR_COUNT(fields));
}

static void read_sources(etr_doc_reader *r, void *method) {
  static const field fields[] = {{"function", read_text, offsetof(etr_doc_source, function)},
                                 {"code", read_text, offsetof(etr_doc_source, code)}};
  etr_json_array(r->json);
  while (has_element(r)) {
    etr_doc_source *added = etr_vec_push(&r->scratch, &((etr_doc_method *)method)->sources);
    if (!added) return;
    *added = (etr_doc_source){"", ""};
    read_fields(r, added, fields, ETR_COUNT(fields));
  }
}

static void read_graph(etr_doc_reader *r, void *method) {
  static const field fields[] = {{"modules", read_module_paths, 0},
                                 {"sources", read_sources, 0},
                                 {"operators", read_operators, 0},
                                 {"bodies", read_bodies, 0}};
  if (etr_json_null(r->json)) return;
  ((etr_doc_method *)method)->has_graph = true;
  read_fields(r, method, fields, ETR_COUNT(fields));
}

#define VARIATION(within)                                                                                              \
  {"low", read_numbers, (within) + offsetof(etr_doc_variation, low)},                                                  \
      {"high", read_numbers, (within) + offsetof(etr_doc_variation, high)},                                            \
      {"recordings", read_numbers, (within) + offsetof(etr_doc_variation, recordings)},                                \
      {"offset", read_numbers, (within) + offsetof(etr_doc_variation, offset)}, {                                      \
    "spread", read_numbers, (within) + offsetof(etr_doc_variation, spread)                                             \
  }

static void read_variation(etr_doc_reader *r, void *variation) {
  static const field fields[] = {VARIATION(0)};
  read_fields(r, variation, fields, ETR_COUNT(fields));
}

static void read_sums_of(etr_doc_reader *r, void *sums) {
  static const field fields[] = {{"p50", read_numbers, offsetof(etr_doc_sums, p50)},
                                 {"deviation", read_numbers, offsetof(etr_doc_sums, deviation)},
                                 {"runs", read_numbers, offsetof(etr_doc_sums, runs)},
                                 {"total", read_numbers, offsetof(etr_doc_sums, total)},
                                 VARIATION(offsetof(etr_doc_sums, vary))};
  read_fields(r, sums, fields, ETR_COUNT(fields));
}

static void read_sums(etr_doc_reader *r, void *method) {
  etr_doc_method *m = method;
  static const field fields[] = {{"op", read_sums_of, ETR_SIDE_OP * sizeof *m->sums},
                                 {"module", read_sums_of, ETR_SIDE_MODULE * sizeof *m->sums},
                                 {"pattern", read_sums_of, ETR_SIDE_PATTERN * sizeof *m->sums},
                                 {"backend", read_sums_of, ETR_SIDE_BACKEND * sizeof *m->sums}};
  m->has_sums = true;
  read_fields(r, m->sums, fields, ETR_COUNT(fields));
}

static void read_clocks(etr_doc_reader *r, void *method) {
  etr_doc_method *m = method;
  etr_slice key;
  etr_json_object(r->json);
  while (etr_json_key(r->json, &key)) {
    const char **backend = etr_vec_push(&r->scratch, &m->clocks);
    if (backend) *backend = etr_arena_text(&r->box->arena, key);
    double *step = etr_vec_push(&r->scratch, &m->steps), number = read_number(r);
    if (step) *step = number;
  }
}

static void read_producers(etr_doc_reader *r, void *method) {
  static const field fields[] = {{"count", read_numbers, offsetof(etr_doc_method, producer_counts)},
                                 {"operator", read_numbers, offsetof(etr_doc_method, producers)}};
  read_fields(r, method, fields, ETR_COUNT(fields));
}

static void read_called_with(etr_doc_reader *r, void *method) {
  static const field fields[] = {{"name", read_strings, offsetof(etr_doc_method, input_names)},
                                 {"type", read_strings, offsetof(etr_doc_method, input_types)}};
  read_fields(r, method, fields, ETR_COUNT(fields));
}

/* Where a part of the balance is. NULL: it is the rest of another. */
static uint64_t *part_of(etr_method *method, const char *name) {
  const struct {
    const char *name;
    uint64_t *ticks;
  } parts[] = {{"nodes", &method->nodes_ticks},
               {"estimated", &method->estimated_ticks},
               {"delegate_only", &method->delegate_only_ticks},
               {"inserted", &method->inserted_ticks},
               {"framework", &method->framework_ticks},
               {"unexplained", &method->unexplained_ticks}};
  for (size_t i = 0; i < ETR_COUNT(parts); i++)
    if (strcmp(parts[i].name, name) == 0) return parts[i].ticks;
  return NULL;
}

uint64_t etr_doc_whole_ticks(const etr_doc_reader *r, double ns) {
  double ticks = etr_doc_ticks(r, ns);
  return ticks >= 0 && ticks < 1.8e19 ? (uint64_t)ticks : 0;
}

typedef struct part {
  const char *name;
  double total;
} part;

static void read_balance(etr_doc_reader *r, void *method) {
  static const field fields[] = {{"part", read_text, offsetof(part, name)},
                                 {"total", read_time, offsetof(part, total)}};
  etr_json_array(r->json);
  while (has_element(r)) {
    part p = {.name = ""};
    read_fields(r, &p, fields, ETR_COUNT(fields));
    uint64_t *ticks = p.name ? part_of(&((etr_doc_method *)method)->method, p.name) : NULL;
    if (ticks) *ticks = etr_doc_whole_ticks(r, p.total);
  }
}

static etr_noise_verdict verdict_of(const char *name) {
  int verdict = ETR_NOISE_DRIFT;
  while (verdict > ETR_NOISE_FEW_RUNS && (!name || strcmp(etr_noise_verdict_name(verdict), name) != 0)) verdict--;
  return (etr_noise_verdict)verdict;
}

static void read_flag(etr_doc_reader *r, void *into) { *(bool *)into = etr_json_bool(r->json); }

/* Times become ticks. */
static void read_ticks(etr_doc_reader *r, void *into) { *(double *)into = etr_doc_ticks(r, read_number(r)); }

/* A number that may be null: 0 then. */
static void read_if_any(etr_doc_reader *r, void *into) {
  double number = read_number(r);
  *(double *)into = isnan(number) ? 0 : number;
}

static void read_mode_runs(etr_doc_reader *r, void *modes) {
  size_t count;
  etr_json_array(r->json);
  for (size_t i = 0; has_element(r); i++) {
    read_count(r, &count);
    if (i < ETR_COUNT(((etr_noise *)NULL)->modes)) ((etr_noise_mode *)modes)[i].run_count = count;
  }
}

static void read_mode_medians(etr_doc_reader *r, void *modes) {
  double ticks;
  etr_json_array(r->json);
  for (size_t i = 0; has_element(r); i++) {
    read_ticks(r, &ticks);
    if (i < ETR_COUNT(((etr_noise *)NULL)->modes)) ((etr_noise_mode *)modes)[i].p50 = ticks;
  }
}

/* Documents written by older versions have the first three. */
static void read_noise(etr_doc_reader *r, void *noise) {
  struct judged {
    etr_noise noise;
    double from_run, over_runs, stretches;
    const char *verdict;
  } judged = {.noise.cv = NAN, .from_run = NAN};
  static const field fields[] = {{"cv", read_time, offsetof(struct judged, noise.cv)},
                                 {"outliers", read_count, offsetof(struct judged, noise.outliers)},
                                 {"verdict", read_text, offsetof(struct judged, verdict)},
                                 {"runs", read_count, offsetof(struct judged, noise.run_count)},
                                 {"least_outlier", read_if_any, offsetof(struct judged, noise.least_outlier)},
                                 {"most_outlier", read_if_any, offsetof(struct judged, noise.most_outlier)},
                                 {"mode_runs", read_mode_runs, offsetof(struct judged, noise.modes)},
                                 {"mode_p50", read_mode_medians, offsetof(struct judged, noise.modes)},
                                 {"in_stretches", read_flag, offsetof(struct judged, noise.in_stretches)},
                                 {"change", read_if_any, offsetof(struct judged, noise.change)},
                                 {"from_run", read_time, offsetof(struct judged, from_run)},
                                 {"over_runs", read_if_any, offsetof(struct judged, over_runs)},
                                 {"stretches", read_if_any, offsetof(struct judged, stretches)},
                                 {"start", read_ticks, offsetof(struct judged, noise.start)},
                                 {"unsure", read_flag, offsetof(struct judged, noise.is_unsure)}};
  read_fields(r, &judged, fields, ETR_COUNT(fields));
  judged.noise.verdict = verdict_of(judged.verdict);
  judged.noise.from_run = isnan(judged.from_run) ? ETR_NONE : (uint32_t)etr_doc_count(r, judged.from_run);
  judged.noise.over_runs = etr_doc_count(r, judged.over_runs);
  judged.noise.stretches = etr_doc_count(r, judged.stretches);
  *(etr_noise *)noise = judged.noise;
}

/* Names and noise of the phases; their times and runs are not part of a comparison. */
static void read_phases(etr_doc_reader *r, void *method) {
  static const field fields[] = {{"phase", read_text, offsetof(etr_run_phase, name)},
                                 {"noise", read_noise, offsetof(etr_run_phase, noise)}};
  etr_vec(etr_run_phase) phases = {0};
  etr_method *m = &((etr_doc_method *)method)->method;
  etr_json_array(r->json);
  while (has_element(r)) {
    etr_run_phase *added = etr_vec_push(&r->box->arena, &phases);
    if (!added) return;
    added->name = "";
    read_fields(r, added, fields, ETR_COUNT(fields));
  }
  m->run_phases = phases.data;
  m->run_phase_count = m->mixed_phase_count = phases.count;
}

static void read_methods(etr_doc_reader *r, void *reader) {
  static const field fields[] = {{"method", read_text, offsetof(etr_doc_method, method.name)},
                                 {"runs", read_count, offsetof(etr_doc_method, method.run_count)},
                                 {"execute_per_run", read_numbers, offsetof(etr_doc_method, execute_per_run)},
                                 {"recordings", read_numbers, offsetof(etr_doc_method, recordings)},
                                 {"runs_vary", read_variation, offsetof(etr_doc_method, vary)},
                                 {"noise", read_noise, offsetof(etr_doc_method, method.noise)},
                                 {"phases_of_runs", read_phases, 0},
                                 {"balance", read_balance, 0},
                                 {"graph", read_graph, 0},
                                 {"events", read_events, 0},
                                 {"sums", read_sums, 0},
                                 {"parts", read_sums_of, offsetof(etr_doc_method, parts)},
                                 {"clocks", read_clocks, 0},
                                 {"skipped_runs", read_count, offsetof(etr_doc_method, method.skipped_run_count)},
                                 {"producers", read_producers, 0},
                                 {"called_with", read_called_with, 0},
                                 {"dtypes", read_text, offsetof(etr_doc_method, dtypes)},
                                 {"weights", read_numbers, offsetof(etr_doc_method, weights)},
                                 {"operator_weights", read_numbers, offsetof(etr_doc_method, operator_weights)}};
  (void)reader;
  etr_json_array(r->json);
  while (has_element(r)) {
    etr_doc_method *m = etr_vec_push(&r->scratch, &r->methods);
    if (!m) return;
    m->method = (etr_method){.name = "", .graph = ETR_NONE, .noise.cv = NAN};
    etr_map_init(&m->body_of, &r->scratch);
    read_fields(r, m, fields, ETR_COUNT(fields));
  }
}

/* ---- The document ---- */

static void read_loads(etr_doc_reader *r, void *reader) {
  static const field fields[] = {{"event_name", read_text, offsetof(etr_doc_load, name)},
                                 {"runs", read_time, offsetof(etr_doc_load, runs)},
                                 {"total", read_time, offsetof(etr_doc_load, total)},
                                 {"p50", read_time, offsetof(etr_doc_load, p50)},
                                 {"deviation", read_time, offsetof(etr_doc_load, deviation)},
                                 {"low", read_time, offsetof(etr_doc_load, low)},
                                 {"high", read_time, offsetof(etr_doc_load, high)},
                                 {"recordings", read_time, offsetof(etr_doc_load, recordings)},
                                 {"offset", read_time, offsetof(etr_doc_load, offset)},
                                 {"spread", read_time, offsetof(etr_doc_load, spread)}};
  (void)reader;
  etr_json_array(r->json);
  while (has_element(r)) {
    etr_doc_load *load = etr_vec_push(&r->scratch, &r->loads);
    if (!load) return;
    *load = (etr_doc_load){.name = "", .runs = NAN, .total = NAN, .p50 = NAN, .deviation = NAN, .low = NAN};
    read_fields(r, load, fields, ETR_COUNT(fields));
  }
}

static void read_schema(etr_doc_reader *r, void *reader) {
  (void)reader;
  etr_slice schema = etr_json_string(r->json);
  if (!etr_slice_is(schema, "etrecord-tb/profile/1")) etr_doc_fail(r, OTHER);
}

/* The clock comes before what it times. */
static void read_clock(etr_doc_reader *r, void *reader) {
  (void)reader;
  r->profile->ticks_per_second = etr_json_number(r->json);
  if (!(r->profile->ticks_per_second > 0) || isinf(r->profile->ticks_per_second))
    etr_doc_fail(r, "ticks_per_second is not above 0");
}

static void read_inputs(etr_doc_reader *r, void *reader) {
  etr_doc_strings inputs = {0};
  (void)reader;
  read_strings(r, &inputs);
  if (inputs.count > 0) r->profile->etrecord = inputs.data[0];
}

void etr_doc_read(etr_doc_reader *r) {
  static const field fields[] = {
      {"schema", read_schema, 0},    {"ticks_per_second", read_clock, 0},
      {"inputs", read_inputs, 0},    {"methods", read_methods, 0},
      {"load_times", read_loads, 0}, {"texts", read_strings, offsetof(etr_doc_reader, texts)}};
  read_fields(r, r, fields, ETR_COUNT(fields));
  if (!r->problem) etr_json_end(r->json);
  if (!(r->profile->ticks_per_second > 0)) etr_doc_fail(r, OTHER);
}
