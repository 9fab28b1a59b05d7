/* SPDX-License-Identifier: BSD-3-Clause
 *
 * delegation_output.c - what is delegated: as JSON, as tables, as a page.
 */
#include "output/label.h"
#include "tables/summary_output.h"

#include "output/node_filter.h"
#include "output/section.h"
#include "views/delegate_payload.h"
#include "views/delegation.h"
#include "views/interruptions.h"
#include "views/loads.h"

/* ---- Delegates: tables and JSON of `delegation`, the dashboard's document ---- */

enum { READ = ETR_IN_TEXT | ETR_IN_MARKDOWN };

/* A delegate and what its cells are made of. */
typedef struct delegate_cells {
  const etr_method *method;
  const etr_delegate *delegate;
  const etr_delegate_row *row;
  etr_arena *arena;
  etr_delegate_contents contents;
  const etr_delegate_payload *payload; /* NULL: not known */
} delegate_cells;

static const delegate_cells *as_delegate(const void *row) {
  return row;
}

/* ---- Fields ---- */

static bool is_timed(const void *row) {
  return as_delegate(row)->row->is_timed;
}
static bool has_payload(const void *row) {
  return as_delegate(row)->payload != NULL;
}
static bool has_known_weights(const void *row) {
  return has_payload(row) && !as_delegate(row)->payload->is_closed;
}
/* Returns the bytes that the program passes to a delegate, weights included; no cell if there is no
 * program. */
static etr_cell payload_bytes(const void *row) {
  const etr_delegate_payload *payload = as_delegate(row)->payload;
  return payload ? etr_cell_number((double)(payload->part->size_bytes + payload->weight_bytes))
                 : etr_cell_none();
}
/* Returns the bytes of a delegate's weights, or "closed format, weights included" if its payload
 * cannot be read; no cell if there is no program. */
static etr_cell weight_bytes_or_format(const void *row) {
  const etr_delegate_payload *payload = as_delegate(row)->payload;
  if (!payload)
    return etr_cell_none();
  return payload->is_closed ? etr_cell_text(ETR_CLOSED_FORMAT)
                            : etr_cell_number((double)payload->weight_bytes);
}

/* Returns the name of a delegate's backend, as --backend takes it. */
static etr_cell backend_text(const void *row) {
  const char *name = as_delegate(row)->delegate->backend;
  return etr_cell_text(name[0] ? name : ETR_UNKNOWN_BACKEND);
}

static bool has_opaque_delegate(const void *context) {
  return *(const bool *)context;
}

/* Returns the patterns of the modules in a delegate with their numbers, as "4 blocks.*.conv, head":
 * the first three, and how many more there are. */
static etr_cell modules_text(const void *row) {
  enum { LISTED = 3 };
  const etr_delegate_contents *contents = &as_delegate(row)->contents;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, as_delegate(row)->arena, &writer);
  for (size_t i = 0; i < contents->module_count && i < LISTED; i++) {
    const char *pattern = contents->modules[i].name;
    etr_puts(&writer, i ? ", " : "");
    if (contents->modules[i].count > 1)
      etr_putf(&writer, "%zu ", contents->modules[i].count);
    etr_puts(&writer, pattern[0] ? pattern : "(top level)");
  }
  if (contents->module_count > LISTED)
    etr_putf(&writer, ", %zu more", contents->module_count - LISTED);
  return etr_cell_text(etr_text_end(&text, &writer));
}
/* Returns the most frequent operators of a delegate, each with its number, and how many more kinds
 * there are. */
static etr_cell ops_text(const void *row) {
  enum { LISTED = 4 };
  const etr_delegate_contents *contents = &as_delegate(row)->contents;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, as_delegate(row)->arena, &writer);
  for (size_t i = 0; i < contents->op_count && i < LISTED; i++) {
    etr_slice op = etr_label_op(contents->ops[i].name);
    etr_putf(&writer, "%s%zu %.*s", i ? ", " : "", contents->ops[i].count, (int)op.size, op.data);
  }
  if (contents->op_count > LISTED)
    etr_putf(&writer, ", %zu more kinds", contents->op_count - LISTED);
  return etr_cell_text(etr_text_end(&text, &writer));
}

static const etr_field delegate_module_fields[] = {
    {"pattern", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_name_count, name),
     .says = ETR_SAYS("modules that repeat have '*' for their numbers; \"\": the top level")},
    {"count", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_name_count, count)},
};
ETR_ROW_TYPE(delegate_module, delegate_module_fields);

static const etr_field delegate_op_fields[] = {
    {"op", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(etr_name_count, name)},
    {"count", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(etr_name_count, count)},
};
ETR_ROW_TYPE(delegate_op, delegate_op_fields);

#define DELEGATE(name) ETR_VIA(delegate_cells, delegate, etr_delegate, name)
#define ROW(name) ETR_VIA(delegate_cells, row, etr_delegate_row, name)
#define TIME(key, title, name, says_what)                                                          \
  {key,                                                                                            \
   title,                                                                                          \
   ETR_CELL_TIME,                                                                                  \
   ETR_IN_ALL,                                                                                     \
   ROW(name),                                                                                      \
   .has = is_timed,                                                                                \
   .hides_zeros = true,                                                                            \
   .says = says_what,                                                                              \
   .nullable = true}

static const etr_field delegate_fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_FULL, ETR_VIA(delegate_cells, method, etr_method, name)},
    {"instruction", "delegate", ETR_CELL_COUNT, ETR_IN_ALL, DELEGATE(instruction_id),
     .says = ETR_SAYS("instruction of its call")},
    {NULL, "backend", ETR_CELL_NAME, ETR_IN_TABLES, .get = backend_text},
    {"backend", NULL, ETR_CELL_NAME, ETR_IN_JSON, DELEGATE(backend)},
    {"handles", NULL, ETR_CELL_COUNT, ETR_IN_JSON, DELEGATE(handle_count),
     .says = ETR_SAYS("entries in the debug handle map")},
    {"nodes", "nodes", ETR_CELL_COUNT, ETR_IN_ALL, ROW(nodes), .spare = 1,
     .says = ETR_SAYS("operators of the graph that run in it")},
    TIME("call", "call", call,
         "the whole call: on_nodes, off_nodes and its own time by phase add up to it; in the "
         "typical run, with --stat avg averages"),
    {"typical", NULL, ETR_CELL_TIME, ETR_IN_JSON, ROW(typical), .has = is_timed, .nullable = true,
     .says = ETR_SAYS("the whole call in the typical run; null: not timed")},
    TIME("on_nodes", "on nodes", on_nodes, "the part of it that is on its nodes"),
    {"estimated", "estimated", ETR_CELL_TIME, ETR_IN_DATA | ETR_IN_JSON, ROW(estimated),
     .has = is_timed, .says = ETR_SAYS("the part of on_nodes that is estimated"), .nullable = true},
    TIME("off_nodes", "on no node", off_nodes,
         "the part of it in operators on no node, and in inserted copies"),
    TIME("copy_in", "copying in", phases[ETR_PHASE_COPY_IN], "its own time, by phase"),
    TIME("compute", "computing", phases[ETR_PHASE_COMPUTE], NULL),
    TIME("wait", "waiting", phases[ETR_PHASE_WAIT], NULL),
    TIME("copy_out", "copying out", phases[ETR_PHASE_COPY_OUT], NULL),
    TIME("other", "other", phases[ETR_PHASE_OTHER], NULL),
    TIME("npu", "NPU", units[ETR_COMPUTE_UNIT_NPU],
         "by compute unit, on nodes or not; the rest of the call is not recorded"),
    TIME("gpu", "GPU", units[ETR_COMPUTE_UNIT_GPU], NULL),
    TIME("cpu", "CPU", units[ETR_COMPUTE_UNIT_CPU], NULL),
    {"macs", "macs", ETR_CELL_AMOUNT, ETR_IN_ALL, ETR_AT(delegate_cells, contents.macs),
     .is_shown = has_opaque_delegate, .nullable = true,
     .says = ETR_SAYS(
         "multiply-accumulates per inference; null: not known of all operators in it")},
    {NULL, "operators", ETR_CELL_NAME, ETR_IN_TABLES, .get = ops_text,
     .is_shown = has_opaque_delegate,
     .says = ETR_SAYS("what it contains, by the graph of the ETRecord")},
    {NULL, "modules", ETR_CELL_NAME, ETR_IN_TABLES, .get = modules_text,
     .is_shown = has_opaque_delegate},
    {"modules", NULL, ETR_CELL_LIST, ETR_IN_JSON, .parts = &etr_delegate_module_fields,
     .type = "delegate_modules",
     ETR_ARRAY_AT(delegate_cells, contents.modules, contents.module_count)},
    {"op_types", NULL, ETR_CELL_LIST, ETR_IN_JSON, .parts = &etr_delegate_op_fields,
     .type = "delegate_ops", ETR_ARRAY_AT(delegate_cells, contents.ops, contents.op_count)},
    {"payload_bytes", "bytes", ETR_CELL_BYTES, ETR_IN_ALL, .get = payload_bytes, .has = has_payload,
     .hides_zeros = true, .nullable = true,
     .says = ETR_SAYS(
         "that the program passes to it, weights included; null: there is no program")},
    {NULL, "weight bytes", ETR_CELL_BYTES, READ, .get = weight_bytes_or_format,
     .hides_zeros = true},
    {"weight_bytes", "weight bytes", ETR_CELL_BYTES, ETR_IN_DATA | ETR_IN_JSON,
     ETR_VIA(delegate_cells, payload, etr_delegate_payload, weight_bytes), .has = has_known_weights,
     .nullable = true,
     .says = ETR_SAYS("null: not known, as in a closed format, whose bytes include them")},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_FULL},
};
ETR_ROW_TYPE(delegate, delegate_fields);

/* ---- Rows ---- */

/* Makes the cells of each delegate of a method that the filter selects (NULL: all), and sets
 * *count. is_average: as for etr_delegate_rows_make(). Returns NULL when out of memory. */
static const delegate_cells *list_delegate_cells(etr_arena *arena, const etr_profile *profile,
                                                 const etr_method *method,
                                                 const etr_node_filter *filter, bool is_average,
                                                 size_t *count) {
  const etr_delegate_row *rows = etr_delegate_rows_make(arena, profile, method, filter, is_average,
                                                        count);
  delegate_cells *cells = rows ? etr_arena_alloc_array(arena, *count, sizeof *cells) : NULL;
  const etr_delegate_payloads payloads = etr_delegate_payloads_make(arena, profile);
  const etr_delegate_contents *contents = etr_delegate_contents_make(arena, profile, method);
  if (!contents)
    return NULL;
  for (size_t i = 0; cells && i < *count; i++) {
    cells[i] = (delegate_cells){method, rows[i].delegate, &rows[i], .arena = arena};
    cells[i].payload = etr_delegate_payload_of(&payloads, profile, method,
                                               rows[i].delegate->instruction_id);
    cells[i].contents = contents[rows[i].delegate - method->delegates];
  }
  return cells;
}

/* ---- What is delegated: as JSON, as tables, as a page ---- */

/* An operator type of a method, in JSON; in tables, its nodes on one side. */
typedef struct delegation_row {
  const etr_method *method;
  const etr_delegation_row *counts;
  const etr_delegation_side *side;
  const char *name; /* of the side */
  double avg;       /* of the side */
  double delegated_avg, rest_avg;
} delegation_row;

static const delegation_row *as_row(const void *row) {
  return row;
}

/* ---- Cells ---- */

/* Returns true if the method ran and a node of this operator was timed on the side, delegated or
 * not. */
static bool is_timed_side(const void *row, const etr_delegation_side *side) {
  return as_row(row)->method->run_count && side->timed;
}
static bool has_delegated(const void *row) {
  return is_timed_side(row, &as_row(row)->counts->delegated);
}
static bool has_rest(const void *row) {
  return is_timed_side(row, &as_row(row)->counts->rest);
}
static bool has_time(const void *row) {
  return is_timed_side(row, as_row(row)->side);
}
static double step(const void *row) {
  return as_row(row)->side->step;
}

#define COUNTS(name) ETR_VIA(delegation_row, counts, etr_delegation_row, name)
#define SIDE(name) ETR_VIA(delegation_row, side, etr_delegation_side, name)

static const etr_field fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_FULL, ETR_VIA(delegation_row, method, etr_method, name)},
    {"op_type", "operator", ETR_CELL_NAME, ETR_IN_ALL, COUNTS(op_type)},
    {NULL, "side", ETR_CELL_WORD, ETR_IN_TABLES, ETR_AT(delegation_row, name)},
    {NULL, "nodes", ETR_CELL_BYTES, ETR_IN_TABLES, SIDE(nodes)},
    {NULL, "typical", ETR_CELL_TIME, ETR_IN_TABLES, SIDE(typical), .has = has_time, .step = step,
     .stats = 1u << ETR_STATISTIC_TYPICAL},
    {NULL, "p50", ETR_CELL_TIME, ETR_IN_TABLES, SIDE(p50), .has = has_time, .step = step,
     .stats = 1u << ETR_STATISTIC_P50},
    {NULL, "avg", ETR_CELL_TIME, ETR_IN_TABLES, ETR_AT(delegation_row, avg), .has = has_time,
     .step = step, .stats = 1u << ETR_STATISTIC_AVG},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_FULL},
    {"delegated", NULL, ETR_CELL_COUNT, ETR_IN_JSON, COUNTS(delegated.nodes)},
    {"non_delegated", NULL, ETR_CELL_COUNT, ETR_IN_JSON, COUNTS(rest.nodes)},
    {"delegated_typical", NULL, ETR_CELL_TIME, ETR_IN_JSON, COUNTS(delegated.typical),
     .has = has_delegated},
    {"non_delegated_typical", NULL, ETR_CELL_TIME, ETR_IN_JSON, COUNTS(rest.typical),
     .has = has_rest},
    {"delegated_avg", NULL, ETR_CELL_TIME, ETR_IN_JSON, ETR_AT(delegation_row, delegated_avg),
     .has = has_delegated},
    {"non_delegated_avg", NULL, ETR_CELL_TIME, ETR_IN_JSON, ETR_AT(delegation_row, rest_avg),
     .has = has_rest},
    {"delegated_p50", NULL, ETR_CELL_TIME, ETR_IN_JSON, COUNTS(delegated.p50),
     .has = has_delegated},
    {"non_delegated_p50", NULL, ETR_CELL_TIME, ETR_IN_JSON, COUNTS(rest.p50), .has = has_rest},
};
ETR_ROW_TYPE(operator_delegation, fields);

/* ---- JSON ---- */

/* Writes into an open object the counts of a method's nodes that are delegated and that are not
 * (null if no graph says which nodes there are), and a list with the counts and times of each
 * operator. Returns false when out of memory. */
static bool put_operator_counts(const etr_fields *f, etr_arena *arena, const etr_method *method,
                                const etr_node_filter *filter) {
  etr_delegation delegation;
  if (!etr_delegation_make(&delegation, arena, f->profile, method, filter))
    return false;
  etr_field_text(f, "method", method->name);
  etr_field_runs(f, method);
  etr_field_count(f, "delegated_subgraphs", delegation.subgraphs);
  bool has_nodes = method->graph != ETR_NONE;
  etr_field_number(f, "delegated_nodes", has_nodes ? (double)delegation.delegated_nodes : NAN);
  etr_field_number(f, "non_delegated_nodes",
                   has_nodes ? (double)delegation.non_delegated_nodes : NAN);
  etr_field_count(f, "ambiguous", method->ambiguous_node_count);
  etr_field_begin_list(f, "operators");
  for (size_t i = 0; i < delegation.count; i++) {
    const etr_delegation_row *counts = &delegation.rows[i];
    etr_jw_object(f->json);
    etr_field_put_members(
        f, &etr_operator_delegation_fields,
        &(delegation_row){.method = method,
                          .counts = counts,
                          .delegated_avg = etr_ticks_per_run(method, counts->delegated.ticks),
                          .rest_avg = etr_ticks_per_run(method, counts->rest.ticks)});
    etr_jw_end(f->json);
  }
  etr_jw_end(f->json);
  return true;
}

bool etr_delegation_put_object(const etr_fields *f, etr_arena *arena, const etr_method *method) {
  etr_jw_object(f->json);
  /* NULL: all nodes count. */
  bool good = put_operator_counts(f, arena, method, NULL);
  etr_jw_end(f->json);
  return good;
}

bool etr_delegates_put_list(const etr_fields *f, etr_arena *arena, const etr_method *method,
                            const etr_node_filter *filter, bool is_average) {
  size_t count = 0;
  const delegate_cells *cells = list_delegate_cells(arena, f->profile, method, filter, is_average,
                                                    &count);
  etr_field_put_rows(f, "delegates", &etr_delegate_fields, ETR_ROWS(cells, count));
  return cells != NULL;
}

static bool ranks_averages(const etr_answer *answer) {
  return etr_ranks_by(answer->profile, ETR_STATISTIC_AVG);
}

/* Writes the operators and delegates of a method as a JSON object; nothing for a method without a
 * graph that did not run, of which nothing is known. Returns false when out of memory. */
static bool put_delegation_object(etr_answer *answer, const etr_method *method) {
  const etr_fields *f = &answer->fields;
  if (method->graph == ETR_NONE && method->run_count == 0)
    return true;
  etr_jw_object(f->json);
  bool is_good = put_operator_counts(f, &answer->arena, method, answer->filter) &&
                 etr_delegates_put_list(f, &answer->arena, method, answer->filter,
                                        ranks_averages(answer));
  etr_jw_end(f->json);
  return is_good;
}

etr_status etr_emit_delegation_json(const etr_profile *profile, const etr_node_filter *filter,
                                    etr_unit unit, const etr_sink *sink, etr_error *error) {
  etr_answer answer;
  etr_answer_begin_ranked_document(&answer, profile, filter, unit, sink, "delegation/1");
  bool good = etr_answer_put_methods(&answer, put_delegation_object);
  return etr_answer_end(&answer, good, error);
}

/* ---- Tables ---- */

/* Adds the operator types of a method to the table, one row for their delegated nodes and one for
 * the others, if there are any: by time if the options say so, or else by operator type. Sets *out.
 * Returns false when out of memory. */
static bool add_operator_rows(etr_table *table, etr_delegation *out, const etr_method *method) {
  etr_answer *answer = table->answer;
  if (!etr_delegation_make(out, &answer->arena, answer->profile, method, answer->filter))
    return false;
  delegation_row *rows = etr_arena_alloc_array(&answer->arena, 2 * out->count, sizeof *rows);
  for (size_t i = 0; rows && i < 2 * out->count; i++) { /* even: delegated; odd: not */
    const etr_delegation_row *counts = &out->rows[i / 2];
    const etr_delegation_side *side = i % 2 ? &counts->rest : &counts->delegated;
    double avg = etr_ticks_per_run(method, side->ticks);
    double time = etr_ranking_time(answer->profile, (etr_times){side->typical, avg, side->p50});
    rows[i] = (delegation_row){method, counts, side, i % 2 ? "non_delegated" : "delegated",
                               .avg = avg};
    if (side->nodes)
      etr_table_add_row(table, &rows[i], "", side->timed ? time : 0);
  }
  if (answer->options->order == ETR_ORDER_TIME)
    etr_table_sort(table);
  return rows != NULL;
}

/* Returns how many of the nodes are delegated: "35 of 42 nodes are delegated, in 4 subgraphs",
 * "none of 2,767 nodes is delegated". */
static const char *delegated_text(etr_arena *arena, const etr_delegation *delegation) {
  size_t nodes = delegation->delegated_nodes + delegation->non_delegated_nodes;
  const char *node_text = etr_count_text(arena, nodes);
  if (nodes == 0)
    return "no node is selected";
  if (delegation->delegated_nodes == 0)
    return etr_arena_format(arena, "none of %s node%s is delegated", node_text, etr_plural(nodes));
  return etr_arena_format(arena, "%s of %s node%s %s delegated, in %zu subgraph%s",
                          etr_count_text(arena, delegation->delegated_nodes), node_text,
                          etr_plural(nodes), delegation->delegated_nodes == 1 ? "is" : "are",
                          delegation->subgraphs, etr_plural(delegation->subgraphs));
}

/* Writes the lines above a method's table of operators: how much is delegated, the unit, how many
 * nodes are uncertain, how many runs were excluded, and the filter. */
static void put_operators_title(etr_answer *answer, const etr_method *method,
                                const etr_delegation *delegation) {
  bool is_timed = method->run_count > 0;
  etr_section_line(answer, ETR_STYLE_PLAIN, 0,
                   etr_arena_format(&answer->arena, "%s: %s%s%s", method->name,
                                    delegated_text(&answer->arena, delegation),
                                    is_timed ? "; times are in " : "",
                                    is_timed ? etr_unit_name(answer->options->unit) : ""));
  if (method->ambiguous_node_count)
    etr_section_line(
        answer, ETR_STYLE_PLAIN, 0,
        etr_arena_format(&answer->arena,
                         "%zu nodes could be on the other side, because their debug handles do not "
                         "identify which of them the delegates took",
                         method->ambiguous_node_count));
  etr_put_left_out(answer, method);
  if (method->run_count) {
    etr_section_clock_note(answer, answer->profile, 2);
    etr_section_line(
        answer, ETR_STYLE_PLAIN, 2,
        etr_interruptions_note(&answer->arena, answer->profile, method, ETR_MEDIANS_OF_SUMS));
  }
  etr_put_filter(&answer->writer, &answer->arena, answer->filter);
}

/* ---- Each delegate ---- */

/* Writes above a table of delegates that its times are no medians, if these rank. */
static void put_no_medians(etr_answer *answer, const etr_method *method) {
  bool is_timed = method->run_count && method->delegate_count;
  if (is_timed && etr_ranks_by(answer->profile, ETR_STATISTIC_P50))
    etr_section_line(answer, ETR_STYLE_PLAIN, 2, ETR_NO_MEDIANS);
}

/* Writes the lines above a method's table of delegates: its backends, the unit, how many runs were
 * excluded, and what its clock and interruptions limit. */
static void put_delegates_title(etr_answer *answer, const etr_method *method) {
  const char *backends = etr_backends_text(&answer->arena, method);
  const char *times_are = ranks_averages(answer) ? "; times are averages in " : "; times are in ";
  bool is_timed = method->run_count && method->delegate_count;
  etr_section_line(answer, ETR_STYLE_PLAIN, 0,
                   etr_arena_format(&answer->arena, "%s: %s%s%s", etr_label_method(method->name),
                                    method->delegate_count ? backends : "no delegates",
                                    is_timed ? times_are : "",
                                    is_timed ? etr_unit_name(answer->options->unit) : ""));
  etr_put_left_out(answer, method);
  put_no_medians(answer, method);
  if (method->run_count) {
    etr_section_clock_note(answer, answer->profile, 2);
    etr_section_line(
        answer, ETR_STYLE_PLAIN, 2,
        etr_interruptions_note(&answer->arena, answer->profile, method, ETR_MEDIANS_OF_NOTHING));
  }
}

typedef struct delegates {
  bool has_opaque; /* some delegate recorded no operators, so that only its contents are known */
  bool is_closed;  /* some delegate's payload cannot be read, because its format is closed */
  bool has_phases; /* some delegate recorded times by phase or compute unit */
  etr_table table;
} delegates;

/* Begins a table of delegates in the answer's arena. Returns NULL when out of memory. */
static delegates *begin_delegates_table(etr_answer *answer) {
  delegates *begun = etr_arena_alloc_array(&answer->arena, 1, sizeof *begun);
  if (!begun)
    return NULL;
  etr_table_init(&begun->table, answer, &etr_delegate_fields);
  etr_table_add_origin_columns(&begun->table);
  begun->table.context = &begun->has_opaque;
  return begun;
}

/* Adds a row for each of the method's delegates that the filter selects, and sets the flags of the
 * table, which decide whether and with which columns it is shown. Returns false when out of memory.
 */
static bool add_delegate_rows(delegates *into, const etr_method *method) {
  const etr_answer *answer = into->table.answer;
  size_t count = 0;
  const delegate_cells *cells = list_delegate_cells(&into->table.answer->arena, answer->profile,
                                                    method, answer->filter, ranks_averages(answer),
                                                    &count);
  if (!cells)
    return false;
  for (size_t i = 0; i < count; i++) {
    into->is_closed |= cells[i].payload && cells[i].payload->is_closed;
    into->has_opaque |= cells[i].contents.is_opaque && cells[i].contents.op_count > 0;
    for (size_t phase = ETR_PHASE_COPY_IN; phase < ETR_PHASE_OTHER; phase++)
      into->has_phases |= cells[i].row->phases[phase] > 0;
    for (size_t unit = ETR_COMPUTE_UNIT_NPU; unit < ETR_COMPUTE_UNITS; unit++)
      into->has_phases |= cells[i].row->units[unit] > 0;
  }
  etr_table_add_rows(&into->table, ETR_ROWS(cells, count));
  return true;
}

/* Writes the delegates below the table of operators, but only if that table leaves something out:
 * times by phase or compute unit, a payload of a closed format, or a delegate that recorded no
 * operators, so that the time of its call is all there is. Returns false when out of memory. */
static bool put_informative_delegates(etr_answer *answer, const etr_method *method,
                                      unsigned medium) {
  delegates *shown = begin_delegates_table(answer);
  if (!shown || !add_delegate_rows(shown, method))
    return false;
  if (!shown->has_opaque && !shown->has_phases && !shown->is_closed)
    return true;
  shown->table.medium = medium;
  etr_puts(&answer->writer, "\n");
  put_no_medians(answer, method);
  etr_table_finish(&shown->table);
  return true;
}

/* Writes the delegates of all methods: in text a table for each method, below its title, in other
 * formats one for all, with the origin columns. Returns false when out of memory. */
static bool write_delegate_tables(etr_answer *answer) {
  delegates *shown = NULL;
  for (size_t i = 0; i < answer->profile->method_count; i++) {
    const etr_method *method = &answer->profile->methods[i];
    bool is_text = answer->options->format == ETR_TABLE_TEXT, follows_table = shown != NULL;
    if (!etr_filter_takes_method(answer->filter, method))
      continue;
    if (!shown || is_text)
      shown = begin_delegates_table(answer);
    if (!shown)
      return false;
    etr_table_choose_columns(&shown->table);
    if (!add_delegate_rows(shown, method))
      return false;
    if (!is_text)
      continue;
    if (follows_table)
      etr_puts(&answer->writer, "\n");
    put_delegates_title(answer, method);
    etr_put_filter(&answer->writer, &answer->arena, answer->filter);
    if (shown->table.rows.count)
      etr_table_finish(&shown->table);
  }
  if (shown && !etr_table_is_text(&shown->table))
    etr_table_finish(&shown->table);
  return true;
}

/* ---- Tables ---- */

/* Writes the delegates of a method without a graph, which are all that is known of its delegation.
 * Returns false when out of memory. */
static bool write_method_without_graph(etr_answer *answer, const etr_method *method) {
  delegates *shown = begin_delegates_table(answer);
  if (!shown || !add_delegate_rows(shown, method))
    return false;
  put_delegates_title(answer, method);
  if (!shown->table.rows.count)
    return true;
  etr_section_line(answer, ETR_STYLE_PLAIN, 2,
                   "which operators run in them is not known, because an ETDump has no graph: add "
                   "the .pte or the ETRecord; `events` lists what they logged");
  etr_table_finish(&shown->table);
  return true;
}

/* Writes which operators of a method are delegated: in text its own table, and its delegates unless
 * the user chose rows or columns; in other formats rows of the table that all methods share.
 * Returns false when out of memory. */
static bool write_method_operators(etr_table *table, const etr_method *method) {
  const etr_table_options *options = table->answer->options;
  etr_delegation delegation;
  bool follows_table = table->laid_out.cells.count > 0;
  if (!add_operator_rows(table, &delegation, method))
    return false;
  if (!etr_table_is_text(table)) {
    etr_table_lay_out_rows(table);
    return true;
  }
  if (follows_table)
    etr_puts(&table->answer->writer, "\n");
  put_operators_title(table->answer, method, &delegation);
  if (delegation.count)
    etr_table_finish(table);
  return options->by || options->columns ||
         put_informative_delegates(table->answer, method, ETR_IN_TEXT);
}

/* Writes which operators run in delegates, for all methods with a graph that the filter takes; for
 * people, unless rows or columns were chosen, also the delegates of methods without one. Returns
 * false when out of memory. */
static bool write_operator_tables(etr_answer *answer) {
  etr_table table;
  bool is_good = true;
  etr_table_init(&table, answer, &etr_operator_delegation_fields);
  etr_table_choose_columns(&table);
  etr_table_add_origin_columns(&table);
  bool is_for_people = etr_table_is_text(&table) && !answer->options->by &&
                       !answer->options->columns;
  for (size_t i = 0; is_good && i < answer->profile->method_count; i++) {
    const etr_method *method = &answer->profile->methods[i];
    if (!etr_filter_takes_method(answer->filter, method))
      continue;
    if (method->graph != ETR_NONE)
      is_good = write_method_operators(&table, method);
    else if (is_for_people)
      is_good = write_method_without_graph(answer, method);
  }
  if (!etr_table_is_text(&table))
    etr_table_write(&table);
  return is_good;
}

etr_status etr_emit_delegation_tables(const etr_profile *profile, const etr_node_filter *filter,
                                      const etr_table_options *options, const etr_sink *sink,
                                      etr_error *error) {
  etr_answer answer;
  etr_answer_begin(&answer, profile, filter, options, sink);
  bool good = answer.options->by_delegate ? write_delegate_tables(&answer)
                                          : write_operator_tables(&answer);
  return etr_answer_end(&answer, good, error);
}
