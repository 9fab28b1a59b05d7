/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_output.c - writes findings.
 */
#include "tables/finding_output.h"

#include "output/label.h"
#include "output/plain_text.h"
#include "output/section.h"

/* Writes a finding for people: its title and fact, then its evidence, saving, effort and where the
 * documents say how to do it. */
static void put_finding_text(etr_answer *answer, const etr_finding *finding, size_t number) {
  const char *effort = etr_finding_effort_text(finding);
  etr_section_finding(answer,
                      etr_arena_format(&answer->arena, "%zu. %s%s%s", number, finding->title,
                                       finding->fact[0] ? ": " : "", finding->fact),
                      etr_arena_format(&answer->arena, "%s %s %s%s%sHow: %s", finding->evidence,
                                       finding->saving, effort[0] ? "Effort: " : "", effort,
                                       effort[0] ? ". " : "", etr_finding_docs(finding->kind)));
}

void etr_findings_put_list(etr_answer *answer, const etr_findings *findings, const char *heading) {
  size_t shown = answer->options->findings ? answer->options->findings : ETR_FINDINGS_SHOWN;
  if (findings->count == 0)
    return;
  etr_puts(&answer->writer, "\n");
  etr_put_style(&answer->writer, ETR_STYLE_BOLD);
  etr_putf(&answer->writer, "%s (typical times; savings may overlap)", heading);
  etr_put_style(&answer->writer, ETR_STYLE_PLAIN);
  etr_puts(&answer->writer, etr_section_is_markdown(answer) ? "\n\n" : "\n");
  for (size_t i = 0; i < findings->count && i < shown; i++)
    put_finding_text(answer, &findings->list[i], i + 1);
  if (findings->count > shown)
    etr_putf(&answer->writer, "%zu more: --findings 0\n", findings->count - shown);
}

/* Writes lines of code below a comment with their title, indented in text. */
static void put_code_lines(etr_answer *answer, const char *title, const char *code) {
  const char *indent = etr_section_is_markdown(answer) ? "" : "      ";
  etr_putf(&answer->writer, "%s# %s\n", indent, title);
  for (const char *line = code; line;) {
    const char *line_end = strchr(line, '\n');
    size_t size = line_end ? (size_t)(line_end - line) : strlen(line);
    etr_putf(&answer->writer, "%s%.*s\n", indent, (int)size, line);
    line = line_end ? line_end + 1 : NULL;
  }
}

/* Writes the code before and after the change, in Markdown as a block of Python. */
static void put_code_block(etr_answer *answer, const etr_finding_code *code) {
  bool is_markdown = etr_section_is_markdown(answer);
  etr_puts(&answer->writer, is_markdown ? "\n```python\n" : "\n");
  put_code_lines(answer, "before", code->before);
  put_code_lines(answer, "after", code->after);
  etr_puts(&answer->writer, is_markdown ? "```\n" : "");
}

/* Writes the command that compares the outputs of the changed program with those of this record,
 * for a change that may cost accuracy. Writes nothing without an ETRecord, which has the program
 * that is the reference. */
static void put_comparison(etr_answer *answer, const etr_finding *finding) {
  const char *etrecord = answer->profile->etrecord, *typed = answer->options->record;
  bool is_markdown = etr_section_is_markdown(answer);
  const char *indent = is_markdown ? "" : "      ";
  if (finding->kind != ETR_FINDING_QUANTIZE || !etrecord)
    return;
  etr_putf(&answer->writer,
           "%s%s# what it costs in accuracy, if the folder quantized has a record of the new "
           "program\n%s# with a debug buffer\n",
           is_markdown ? "\n```bash\n" : "\n", indent, indent);
  etr_putf(&answer->writer, "%setrecord-tb accuracy quantized --reference-record ", indent);
  etr_put_sanitized(&answer->writer, typed && !strchr(typed, ' ') ? typed : etrecord);
  etr_puts(&answer->writer, is_markdown ? "\n```\n" : "\n");
}

bool etr_findings_explain(etr_answer *answer, const etr_findings *findings, size_t number) {
  bool is_all = number == SIZE_MAX;
  if (!is_all && (number == 0 || number > findings->count))
    return false;
  for (size_t i = is_all ? 0 : number - 1; i < (is_all ? findings->count : number); i++) {
    const etr_finding_code *code = etr_finding_code_of(&findings->list[i]);
    etr_puts(&answer->writer, "\n");
    put_finding_text(answer, &findings->list[i], i + 1);
    if (code)
      put_code_block(answer, code);
    put_comparison(answer, &findings->list[i]);
  }
  return true;
}

/* A finding as a row. */
typedef struct finding_row {
  const etr_method *method;
  const etr_finding *finding;
} finding_row;

static const etr_finding *finding_of(const void *row) {
  return ((const finding_row *)row)->finding;
}
static etr_cell kind(const void *row) {
  return etr_cell_text(etr_finding_kind_name(finding_of(row)->kind));
}
static etr_cell effort(const void *row) {
  return etr_cell_text(etr_effort_name(finding_of(row)->effort));
}
/* Returns what the finding takes to do: "change the model"; "" if it only asks to look at
 * something, for which nothing is changed or recorded. */
static etr_cell effort_text(const void *row) {
  return etr_cell_text(etr_finding_effort_text(finding_of(row)));
}
static etr_cell sureness(const void *row) {
  return etr_cell_text(etr_sureness_name(finding_of(row)->sureness));
}

static etr_cell docs(const void *row) {
  return etr_cell_text(etr_finding_docs(finding_of(row)->kind));
}

#define FINDING(name) ETR_VIA(finding_row, finding, etr_finding, name)

/* ETR_IN_DOCUMENT has what the dashboard shows. */
enum {
  ROWS = ETR_IN_DATA | ETR_IN_JSON,
  EVERY = ROWS | ETR_IN_DOCUMENT,
};

static const etr_field finding_fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_DATA, ETR_VIA(finding_row, method, etr_method, name)},
    {"kind", "kind", ETR_CELL_WORD, ROWS, .get = kind},
    {"title", "title", ETR_CELL_NAME, EVERY, FINDING(title), .says = ETR_SAYS("what to change")},
    {"fact", "fact", ETR_CELL_NAME, EVERY, FINDING(fact), .says = ETR_SAYS("the reason, in short")},
    {"evidence", "evidence", ETR_CELL_NAME, EVERY, FINDING(evidence),
     .says = ETR_SAYS("why, in sentences")},
    {"saving", "saving", ETR_CELL_NAME, EVERY, FINDING(saving),
     .says = ETR_SAYS("saving, certainty and caveat as a sentence")},
    {NULL, "saves low", ETR_CELL_TIME, ETR_IN_DATA, FINDING(least), .nullable = true,
     .says = ETR_SAYS("the least that it saves; null: nothing is known of the least")},
    {NULL, "saves high", ETR_CELL_TIME, ETR_IN_DATA, FINDING(potential), .nullable = true,
     .says = ETR_SAYS(
         "the most that it could save, per inference, or once if `saves_once`; null: not known")},
    {"certainty", "certainty", ETR_CELL_WORD, EVERY, .get = sureness},
    {"effort", "effort", ETR_CELL_WORD, EVERY, .get = effort, .says = ETR_SAYS("what it takes")},
    {"effort_text", NULL, ETR_CELL_NAME, ETR_IN_JSON | ETR_IN_DOCUMENT, .get = effort_text,
     .blank_is_null = true, .nullable = true,
     .says = ETR_SAYS(
         "what it takes, in words; null: nothing, it is about looking at what is there")},
    {"docs", NULL, ETR_CELL_NAME, ETR_IN_JSON | ETR_IN_DOCUMENT, .get = docs,
     .says = ETR_SAYS("address of the section that says how, such as docs/findings.md#quantize")},
    {"caveat", "caveat", ETR_CELL_NAME, ROWS, FINDING(caveat), .blank_is_null = true,
     .nullable = true},
    {"cost", "cost", ETR_CELL_TIME, EVERY, FINDING(cost), .nullable = true,
     .says = ETR_SAYS("the time that it is about")},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_DATA},
    {"share", "share", ETR_CELL_RATE, EVERY, FINDING(share), .nullable = true,
     .says = ETR_SAYS(
         "cost as a part of the typical Method::execute, at most 1: what slow runs take "
         "longer, spread over all runs, may be more than a typical run takes")},
    {NULL, "saves once", ETR_CELL_FLAG, ETR_IN_DATA, FINDING(is_once),
     .says = ETR_SAYS("it is about time that is spent once, not in each inference")},
    {"slope", NULL, ETR_CELL_TIME, ETR_IN_JSON, FINDING(slope)},
    {NULL, "nodes", ETR_CELL_BYTES, ETR_IN_DATA, FINDING(node_count)},
};
ETR_ROW_TYPE(finding, finding_fields);

/* Writes "code": the code before and after the change that a finding advises; null if the documents
 * have none. */
static void put_code_or_null(const etr_fields *f, const etr_finding *finding) {
  const etr_finding_code *code = etr_finding_code_of(finding);
  etr_jw_key(f->json, "code");
  if (!code) {
    etr_jw_null(f->json);
    return;
  }
  etr_jw_object(f->json);
  etr_field_text(f, "before", code->before);
  etr_field_text(f, "after", code->after);
  etr_jw_end(f->json);
}

void etr_finding_put_members(const etr_fields *f, const etr_finding *finding, bool all) {
  etr_field_put_members_in(f, &etr_finding_fields, all ? ETR_IN_JSON : ETR_IN_DOCUMENT,
                           &(finding_row){NULL, finding});
  etr_field_begin_object(f, "saves");
  etr_field_ticks(f, "low", finding->least);
  etr_field_ticks(f, "high", finding->potential);
  etr_field_flag(f, "once", finding->is_once);
  etr_field_text(f, "words", finding->saves_words);
  etr_jw_end(f->json);
  put_code_or_null(f, finding);
  etr_field_begin_list(f, "shares_with");
  for (size_t i = 0; i < finding->overlap_count; i++)
    etr_jw_int(f->json, finding->overlaps[i]);
  etr_jw_end(f->json);
}

void etr_findings_add_rows(etr_table *table, const etr_method *method,
                           const etr_findings *findings) {
  finding_row *rows = etr_arena_alloc_array(&table->answer->arena, findings->count, sizeof *rows);
  for (size_t i = 0; rows && i < findings->count; i++)
    rows[i] = (finding_row){method, &findings->list[i]};
  etr_table_add_rows(table, ETR_ROWS(rows, findings->count));
}

/* Writes "filter": an object with what --op and --backend take to select the finding's nodes in any
 * module (NULL), or null if they are of several operators. The backend is null if it differs among
 * the nodes, or if all run as kernels. */
static void put_node_filter(etr_answer *answer, const etr_finding *finding,
                            const etr_graph *graph) {
  const etr_fields *f = &answer->fields;
  bool has_one_op = finding->node_count > 0;
  for (size_t i = 1; has_one_op && i < finding->node_count; i++)
    has_one_op = strcmp(graph->nodes[finding->nodes[i]].target,
                        graph->nodes[finding->nodes[0]].target) == 0;
  etr_jw_key(f->json, "filter");
  if (!has_one_op) {
    etr_jw_null(f->json);
    return;
  }
  const char *backend = graph->times[finding->nodes[0]].backend;
  for (size_t i = 1; i < finding->node_count; i++) {
    const char *other_backend = graph->times[finding->nodes[i]].backend;
    if (strcmp(etr_or_empty(other_backend), etr_or_empty(backend)) != 0)
      backend = NULL;
  }
  etr_jw_object(f->json);
  etr_field_text(f, "module", NULL);
  etr_field_text(f, "op", graph->nodes[finding->nodes[0]].target);
  etr_field_text(f, "backend", backend);
  etr_jw_end(f->json);
}

/* Writes a finding as an object with all that it says (true), the nodes and instructions that it is
 * about, and the filter that selects these nodes. */
static void put_finding_object(etr_answer *answer, const etr_finding *finding,
                               const etr_graph *graph) {
  const etr_fields *f = &answer->fields;
  etr_jw_object(f->json);
  etr_finding_put_members(f, finding, true);
  etr_field_begin_list(f, "nodes");
  for (size_t i = 0; i < finding->node_count; i++)
    etr_jw_string(f->json, etr_label_node(&answer->arena, graph, finding->nodes[i]));
  etr_jw_end(f->json);
  etr_field_begin_list(f, "instructions");
  for (size_t i = 0; i < finding->instruction_count; i++)
    etr_jw_int(f->json, finding->instructions[i]);
  etr_jw_end(f->json);
  put_node_filter(answer, finding, graph);
  etr_jw_end(f->json);
}

void etr_field_put_findings(etr_answer *answer, const etr_findings *findings,
                            const etr_graph *graph) {
  etr_field_begin_list(&answer->fields, "findings");
  for (size_t i = 0; i < findings->count; i++)
    put_finding_object(answer, &findings->list[i], graph);
  etr_jw_end(answer->fields.json);
}
