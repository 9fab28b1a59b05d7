/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_tables.c - memory on one screen, or for an issue; for programs, a row for each tensor.
 */
#include "output/label.h"
#include "output/node_filter.h"
#include "tables/memory_fields.h"
#include "tables/memory_output.h"

#define DOT " \xC2\xB7 "

enum { DEFAULT_ROWS = 10 };

typedef struct memory_report {
  etr_answer answer;
  unsigned medium; /* of tables: ETR_IN_TEXT, ETR_IN_MARKDOWN or ETR_IN_PAGE */
} memory_report;

static bool is_text(const memory_report *r) { return r->medium == ETR_IN_TEXT; }

/* ---- Lines ---- */

static void put_line(memory_report *r, etr_style style, size_t indent, const char *text) {
  if (!text) return; /* out of memory, which shows on the arena */
  if (is_text(r)) {
    etr_put_wrapped(&r->answer.writer, style, text, indent, etr_answer_text_width(&r->answer));
    return;
  }
  etr_puts(&r->answer.writer, indent ? "- " : "");
  etr_put_markdown(&r->answer.writer, text);
  etr_puts(&r->answer.writer, "\n");
}

static void put_title(memory_report *r, const char *text) {
  if (!text) return; /* likewise */
  etr_puts(&r->answer.writer, "\n");
  if (!is_text(r)) etr_puts(&r->answer.writer, "**");
  etr_put_style(&r->answer.writer, ETR_STYLE_BOLD);
  if (is_text(r))
    etr_put_plain(&r->answer.writer, text);
  else
    etr_put_markdown(&r->answer.writer, text);
  etr_put_style(&r->answer.writer, ETR_STYLE_PLAIN);
  etr_puts(&r->answer.writer, is_text(r) ? "\n" : "**\n\n");
}

static void put_table(memory_report *r, const etr_row_type *columns, unsigned medium, etr_rows rows) {
  etr_sheet sheet;
  if (rows.count == 0) return;
  etr_sheet_init(&sheet, &r->answer, columns);
  sheet.medium = medium;
  etr_sheet_add_rows(&sheet, rows);
  etr_sheet_finish(&sheet);
}

/* A table below an empty line. */
static void put_part(memory_report *r, const etr_row_type *columns, etr_rows rows) {
  if (rows.count == 0) return;
  etr_puts(&r->answer.writer, "\n");
  put_table(r, columns, r->medium, rows);
}

/* ---- The plan ---- */

static const char *bytes(memory_report *r, uint64_t number) { return etr_bytes_text(&r->answer.arena, number); }

static const char *head_of(memory_report *r, const etr_method *method) {
  const etr_memory_plan *plan = method->memory;
  etr_arena *arena = &r->answer.arena;
  const char *record = etr_label_record(arena, r->answer.profile);
  if (!plan) return etr_arena_format(arena, "%s" DOT "%s" DOT "no program: give the .pte", record, method->name);
  return etr_arena_format(arena, "%s" DOT "%s" DOT "%s bytes planned, %s live at the peak", record, method->name,
                          bytes(r, plan->planned_bytes), bytes(r, plan->peak_bytes));
}

/* "live at the peak: instruction 9, aten.hardtanh.default in features.1.conv.0" */
static void put_peak(memory_report *r, const etr_method *method) {
  const etr_memory_plan *plan = method->memory;
  const etr_profile *profile = r->answer.profile;
  int32_t peak = plan->peak_instruction;
  if (peak < 0) return;
  const char *module = etr_memory_module(profile, method, plan->steps[peak].module);
  put_title(r, etr_arena_format(&r->answer.arena, "live at the peak: instruction %d of %zu, %s%s%s", (int)peak,
                                plan->instruction_count, etr_memory_step_op(profile, method, peak),
                                module[0] ? " in " : "", module));
  put_table(r, &etr_tensor_fields, r->medium == ETR_IN_PAGE ? ETR_IN_PAGE : ETR_IN_TEXT,
            etr_memory_live_rows(&r->answer.arena, profile, method, peak));
}

/* "2 inputs, 602,112 bytes; 1 output, 4,000 bytes" */
static void put_boundary(memory_report *r, const etr_memory_plan *plan) {
  uint64_t sums[2] = {0};
  size_t counts[2] = {0};
  for (size_t i = 0; i < plan->boundary_count; i++) {
    bool is_output = plan->boundary[i].role == ETR_TENSOR_OUTPUT;
    counts[is_output]++;
    sums[is_output] = etr_add_up_to_most(sums[is_output], plan->boundary[i].size_bytes);
  }
  put_line(r, ETR_STYLE_PLAIN, 0,
           etr_arena_format(&r->answer.arena, "%zu input%s, %s bytes" DOT "%zu output%s, %s bytes", counts[0],
                            counts[0] == 1 ? "" : "s", bytes(r, sums[0]), counts[1], counts[1] == 1 ? "" : "s",
                            bytes(r, sums[1])));
}

static void put_plan(memory_report *r, const etr_method *method) {
  put_boundary(r, method->memory);
  put_part(r, &etr_buffer_fields, etr_memory_buffer_parts(&r->answer.arena, method->memory));
  put_peak(r, method);
  put_part(r, &etr_blob_sum_fields, etr_memory_blob_sum_parts(&r->answer.arena, method->memory));
}

/* ---- What is in no plan ---- */

static bool put_weights(memory_report *r, const etr_method *method) {
  size_t count, sum_count;
  const etr_weight *weights = etr_weights_of(&count, &r->answer.arena, r->answer.profile, method);
  const etr_weight_sum *sums = weights ? etr_weight_sums_make(&sum_count, &r->answer.arena, weights, count) : NULL;
  if (sums) put_part(r, &etr_weight_sum_fields, etr_memory_sum_parts(&r->answer.arena, sums, sum_count));
  return sums != NULL;
}

static bool put_unknowns(memory_report *r, const etr_method *method) {
  size_t count = 0;
  if (!method->memory) return true;
  const etr_memory_unknown *list = etr_memory_unknowns_make(&count, &r->answer.arena, method->memory);
  if (list && count) put_title(r, "not in the program");
  for (size_t i = 0; list && i < count; i++) put_line(r, ETR_STYLE_PLAIN, 2, list[i].text);
  return list != NULL;
}

static bool put_findings(memory_report *r, const etr_method *method) {
  size_t count;
  const etr_memory_finding *list = etr_memory_findings_make(&count, &r->answer.arena, r->answer.profile, method);
  if (list && count) put_title(r, "findings");
  for (size_t i = 0; list && i < count; i++) {
    const char *line = etr_arena_format(&r->answer.arena, "%s: %s bytes", list[i].title, bytes(r, list[i].bytes));
    if (is_text(r)) {
      put_line(r, ETR_STYLE_PLAIN, 2, line);
      put_line(r, ETR_STYLE_DIM, 6, list[i].evidence);
    } else {
      put_line(r, ETR_STYLE_PLAIN, 2, etr_arena_format(&r->answer.arena, "%s. %s", line, list[i].evidence));
    }
  }
  return list != NULL;
}

/* ---- Methods and program ---- */

static bool put_method(memory_report *r, const etr_method *method, bool is_first) {
  const char *head = head_of(r, method);
  if (r->medium != ETR_IN_PAGE) {
    etr_puts(&r->answer.writer, is_first ? "" : "\n");
    if (r->medium == ETR_IN_MARKDOWN) etr_puts(&r->answer.writer, "### ");
    put_line(r, ETR_STYLE_BOLD, 0, head);
  }
  if (method->memory) put_plan(r, method);
  if (!put_weights(r, method)) return false;
  put_part(r, &etr_allocation_fields, etr_memory_allocation_parts(&r->answer.arena, r->answer.profile, method));
  return put_unknowns(r, method) && put_findings(r, method);
}

/* "program 32,104 bytes · 2 segments, 1,204,224 bytes" */
static bool put_program(memory_report *r) {
  const etr_program_memory *memory = r->answer.profile->program_memory;
  uint64_t segments = 0;
  size_t count;
  if (!memory) return true;
  for (size_t i = 0; i < memory->segment_count; i++)
    segments = etr_add_up_to_most(segments, memory->segments[i].size_bytes);
  put_title(r, etr_arena_format(&r->answer.arena, "the program: %s bytes" DOT "%zu segment%s, %s bytes",
                                bytes(r, memory->program_bytes), memory->segment_count,
                                memory->segment_count == 1 ? "" : "s", bytes(r, segments)));
  const etr_weight_sum *sums = etr_constant_sums_make(&count, &r->answer.arena, memory);
  if (sums) put_table(r, &etr_constant_sum_fields, r->medium, etr_memory_sum_parts(&r->answer.arena, sums, count));
  return sums != NULL;
}

static bool put_report(memory_report *r) {
  const etr_profile *profile = r->answer.profile;
  bool good = true, is_first = true;
  r->medium = r->answer.options->format == ETR_TABLE_TEXT ? ETR_IN_TEXT : ETR_IN_MARKDOWN;
  for (size_t i = 0; good && i < profile->method_count; i++) {
    if (!etr_filter_takes_method(r->answer.filter, &profile->methods[i])) continue;
    good = put_method(r, &profile->methods[i], is_first);
    is_first = false;
  }
  if (!good || !put_program(r)) return false;
  put_part(r, &etr_allocation_fields, etr_memory_allocation_parts(&r->answer.arena, profile, NULL));
  return true;
}

/* ---- For programs, and where columns are chosen ---- */

static bool put_tensors(memory_report *r) {
  const etr_profile *profile = r->answer.profile;
  etr_sheet sheet;
  etr_sheet_init(&sheet, &r->answer, &etr_tensor_fields);
  etr_sheet_choose(&sheet);
  for (size_t i = 0; i < profile->method_count; i++)
    if (profile->methods[i].memory && etr_filter_takes_method(r->answer.filter, &profile->methods[i]))
      etr_sheet_add_rows(&sheet, etr_memory_planned_rows(&r->answer.arena, profile, &profile->methods[i]));
  if (profile->program_memory) etr_sheet_add_rows(&sheet, etr_memory_constant_rows(&r->answer.arena, profile));
  etr_sheet_finish(&sheet);
  return true;
}

etr_status etr_emit_memory_tables(const etr_profile *profile, const etr_node_filter *filter,
                                  const etr_table_options *options, const etr_sink *sink, etr_error *error) {
  static const etr_table_options defaults = {.top = DEFAULT_ROWS};
  memory_report r = {0};
  etr_answer_begin(&r.answer, profile, filter, options ? options : &defaults, sink);
  etr_table_format format = r.answer.options->format;
  bool is_report = (format == ETR_TABLE_TEXT || format == ETR_TABLE_MARKDOWN) && !r.answer.options->columns;
  bool good = (is_report ? put_report : put_tensors)(&r);
  return etr_answer_end(&r.answer, good && !etr_arena_failed(&r.answer.arena), error);
}

/* ---- A page ---- */

etr_status etr_memory_page(const etr_profile *profile, const etr_method *method, const etr_table_options *options,
                           const etr_sink *sink, etr_error *error) {
  memory_report r = {.medium = ETR_IN_PAGE};
  etr_answer_begin(&r.answer, profile, NULL, options, sink);
  bool good = !method->memory || put_method(&r, method, true);
  return etr_answer_end(&r.answer, good && !etr_arena_failed(&r.answer.arena), error);
}
