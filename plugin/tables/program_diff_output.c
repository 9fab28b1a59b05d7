/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program_diff_output.c - two programs by bytes and structure: as JSON and as tables.
 */
#include "base/system.h"
#include "etrecord_compare.h"
#include "output/label.h"
#include "output/section.h"
#include "tables/summary_output.h"

enum { READ = ETR_IN_TEXT | ETR_IN_MARKDOWN, NAMED = READ | ETR_IN_JSON, DEFAULT_ROWS = 10 };

/* Returns the difference of two numbers as text: "+68,200", "-163,400" or "0". */
static etr_cell change_text(etr_arena *arena, uint64_t base, uint64_t newer) {
  const char *text = etr_count_text(arena, newer > base ? newer - base : base - newer);
  if (newer == base || !text)
    return etr_cell_text("0");
  return etr_cell_text(etr_arena_format(arena, "%s%s", newer > base ? "+" : "-", text));
}

/* ---- Bytes by content ---- */

typedef struct content_change {
  const char *content;
  uint64_t base, newer;
  etr_content kind;
  etr_arena *arena;
} content_change;

static etr_cell content_difference(const void *row) {
  const content_change *r = row;
  return change_text(r->arena, r->base, r->newer);
}

static etr_cell content_title(const void *row) {
  return etr_cell_text(etr_content_title(((const content_change *)row)->kind));
}

static const etr_field content_fields[] = {
    {NULL, "content", ETR_CELL_NAME, READ, .get = content_title},
    {"content", NULL, ETR_CELL_WORD, ETR_IN_JSON, ETR_AT(content_change, content),
     .type = "content"},
    {"base_bytes", "base bytes", ETR_CELL_BYTES, NAMED, ETR_AT(content_change, base)},
    {"new_bytes", "new bytes", ETR_CELL_BYTES, NAMED, ETR_AT(content_change, newer)},
    {NULL, "change", ETR_CELL_BYTES, READ, .get = content_difference},
};
ETR_ROW_TYPE(content_change, content_fields);

/* Lists how many bytes of each kind of content (graph, weights, delegates, ...) both programs have,
 * without kinds that neither has. When out of memory, the arena has failed. */
static etr_rows list_bytes_by_content(etr_arena *arena, const etr_program_diff *diff) {
  size_t count = ETR_CONTENT_PADDING + 1, kept_count = 0;
  const etr_program_memory *sides[] = {diff->base->program_memory, diff->newer->program_memory};
  content_change *rows = etr_arena_alloc_array(arena, count, sizeof *rows);
  for (size_t side = 0; rows && side < 2; side++)
    for (size_t i = 0; i < sides[side]->part_count; i++) {
      content_change *row = &rows[sides[side]->parts[i].kind];
      *(side == 0 ? &row->base : &row->newer) += sides[side]->parts[i].size_bytes;
    }
  for (size_t i = 0; rows && i < count; i++) {
    rows[i].kind = (etr_content)i;
    rows[i].content = etr_content_name((etr_content)i);
    rows[i].arena = arena;
    if (rows[i].base > 0 || rows[i].newer > 0)
      rows[kept_count++] = rows[i];
  }
  return ETR_ROWS(rows, kept_count);
}

/* ---- Structure ---- */

typedef struct structure_row {
  const etr_structure_change *change;
  etr_arena *arena;
} structure_row;

static etr_cell structure_kind(const void *row) {
  return etr_cell_text(etr_structure_kind_name(((const structure_row *)row)->change->kind));
}
static etr_cell structure_difference(const void *row) {
  const structure_row *r = row;
  return change_text(r->arena, r->change->base_count, r->change->new_count);
}

#define STRUCTURE(name) ETR_VIA(structure_row, change, etr_structure_change, name)

static const etr_field structure_fields[] = {
    {"method", "method", ETR_CELL_NAME, NAMED, STRUCTURE(method), .spare = 1},
    {"what", "what", ETR_CELL_WORD, NAMED, .get = structure_kind, .type = "structure_kind"},
    {"name", "name", ETR_CELL_NAME, NAMED, STRUCTURE(name), .blank_is_null = true,
     .says = ETR_SAYS("of the operator or backend"), .nullable = true},
    {"base_count", "base", ETR_CELL_BYTES, NAMED, STRUCTURE(base_count)},
    {"new_count", "new", ETR_CELL_BYTES, NAMED, STRUCTURE(new_count)},
    {NULL, "change", ETR_CELL_BYTES, READ, .get = structure_difference},
};
ETR_ROW_TYPE(structure_change, structure_fields);

/* Lists how often both programs have each operator, backend and the like: all of them
 * (is_complete), or only what differs. */
static etr_rows list_structure(etr_arena *arena, const etr_program_diff *diff, bool is_complete) {
  size_t kept_count = 0;
  structure_row *rows = etr_arena_alloc_array(arena, diff->structure_count, sizeof *rows);
  for (size_t i = 0; rows && i < diff->structure_count; i++)
    if (is_complete || diff->structure[i].base_count != diff->structure[i].new_count)
      rows[kept_count++] = (structure_row){&diff->structure[i], arena};
  return ETR_ROWS(rows, kept_count);
}

/* ---- Parts ---- */

typedef struct part_change {
  const etr_part_change *change;
  const etr_file_part *part; /* of the newer program if it has it */
  const char *method;
  etr_arena *arena;
} part_change;

static const part_change *as_part(const void *row) {
  return row;
}
static uint64_t part_bytes(const etr_file_part *part) {
  return part ? part->size_bytes : 0;
}

static etr_cell part_verdict(const void *row) {
  return etr_cell_text(etr_part_verdict_name(as_part(row)->change->verdict));
}
static etr_cell part_content(const void *row) {
  return etr_cell_text(etr_content_name(as_part(row)->part->kind));
}
static etr_cell base_bytes(const void *row) {
  return etr_cell_number((double)part_bytes(as_part(row)->change->base));
}
static etr_cell new_bytes(const void *row) {
  return etr_cell_number((double)part_bytes(as_part(row)->change->newer));
}
static bool has_base(const void *row) {
  return as_part(row)->change->base != NULL;
}
static bool has_newer(const void *row) {
  return as_part(row)->change->newer != NULL;
}
static etr_cell part_difference(const void *row) {
  const part_change *r = row;
  return change_text(r->arena, part_bytes(r->change->base), part_bytes(r->change->newer));
}
static const char *tensor_type(const part_change *row, const etr_file_part *part) {
  return part && part->tensor.dtype ? etr_label_shape(row->arena, &part->tensor) : "";
}
static etr_cell base_type(const void *row) {
  return etr_cell_text(tensor_type(row, as_part(row)->change->base));
}
static etr_cell new_type(const void *row) {
  return etr_cell_text(tensor_type(row, as_part(row)->change->newer));
}

/* Returns the type of a part's tensor, or both types if it changed, "f32[8] → i8[8]"; no cell
 * when out of memory. */
static etr_cell part_type(const void *row) {
  const part_change *part = row;
  const char *base = tensor_type(part, part->change->base),
             *newer = tensor_type(part, part->change->newer);
  if (!base || !newer)
    return etr_cell_none();
  bool is_one = !base[0] || !newer[0] || strcmp(base, newer) == 0;
  if (is_one)
    return etr_cell_text(newer[0] ? newer : base);
  return etr_cell_text(etr_arena_format(part->arena, "%s \xE2\x86\x92 %s", base, newer));
}

#define PART(name) ETR_VIA(part_change, part, etr_file_part, name)

static const etr_field part_fields[] = {
    {"verdict", "verdict", ETR_CELL_WORD, ETR_IN_ALL, .get = part_verdict,
     .says = ETR_SAYS("same: both programs have these bytes"), .type = "part_verdict"},
    {"content", "content", ETR_CELL_WORD, ETR_IN_ALL, .get = part_content, .type = "content"},
    {"name", "name", ETR_CELL_NAME, ETR_IN_ALL, PART(tensor.name),
     .says = ETR_SAYS("as in `info --sizes`"), .nullable = true},
    {"module", "module", ETR_CELL_NAME, ETR_IN_ALL, PART(module), .spare = 2, .nullable = true},
    {NULL, "type", ETR_CELL_WORD, READ, .get = part_type},
    {"base_type", "base type", ETR_CELL_WORD, ETR_IN_DATA | ETR_IN_JSON, .get = base_type,
     .blank_is_null = true, .nullable = true},
    {"new_type", "new type", ETR_CELL_WORD, ETR_IN_DATA | ETR_IN_JSON, .get = new_type,
     .blank_is_null = true, .nullable = true},
    {"backend", "backend", ETR_CELL_NAME, ETR_IN_ALL, PART(backend), .spare = 1, .nullable = true},
    {"method", "method", ETR_CELL_NAME, ETR_IN_DATA | ETR_IN_JSON, ETR_AT(part_change, method),
     .nullable = true},
    {"instruction", "instr", ETR_CELL_COUNT, ETR_IN_ALL, PART(instruction), .spare = 3,
     .nullable = true},
    {"base_bytes", "base bytes", ETR_CELL_BYTES, ETR_IN_ALL, .get = base_bytes, .has = has_base},
    {"new_bytes", "new bytes", ETR_CELL_BYTES, ETR_IN_ALL, .get = new_bytes, .has = has_newer},
    {NULL, "change", ETR_CELL_BYTES, READ, .get = part_difference},
};
ETR_ROW_TYPE(part_change, part_fields);

/* Lists the parts of both files (weights, delegates, ...): all (is_complete), or those that differ.
 */
static etr_rows list_parts(etr_arena *arena, const etr_program_diff *diff, bool is_complete) {
  size_t kept_count = 0;
  part_change *rows = etr_arena_alloc_array(arena, diff->part_count, sizeof *rows);
  for (size_t i = 0; rows && i < diff->part_count; i++) {
    const etr_part_change *change = &diff->parts[i];
    const etr_profile *owner = change->newer ? diff->newer : diff->base;
    const etr_file_part *part = change->newer ? change->newer : change->base;
    if (!is_complete && change->verdict == ETR_PART_SAME)
      continue;
    rows[kept_count++] = (part_change){
        change, part, part->method != ETR_NONE ? owner->methods[part->method].name : NULL, arena};
  }
  return ETR_ROWS(rows, kept_count);
}

/* ---- All ---- */

/* Returns how many bytes of data a program has in .ptd files. */
static uint64_t external_bytes(const etr_profile *profile) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < profile->weight_count; i++)
    bytes = etr_add_up_to_most(bytes, profile->weights[i].byte_count);
  return bytes;
}

/* Writes a key and an object with the file of one program and its sizes in bytes. */
static void put_side_object(const etr_fields *f, const char *key, const etr_profile *profile) {
  etr_field_begin_object(f, key);
  etr_field_text(f, "file", profile->pte);
  etr_field_text(f, "entry", profile->pte_entry);
  etr_field_count(f, "bytes", profile->program_memory->file_bytes);
  etr_field_count(f, "external_bytes", external_bytes(profile));
  etr_jw_end(f->json);
}

etr_status etr_emit_program_diff_json(const etr_program_diff *diff, const etr_sink *sink,
                                      etr_error *error) {
  etr_answer answer;
  /* NULL: no profile, as it is about two, and no filter. Below, true lists also what is equal. */
  etr_answer_begin_document(&answer, NULL, NULL, ETR_UNIT_MS, sink,
                            "program_diff/1"); /* it has no times */
  const etr_fields *f = &answer.fields;
  put_side_object(f, "base", diff->base);
  put_side_object(f, "new", diff->newer);
  etr_field_put_rows(f, "contents", &etr_content_change_fields,
                     list_bytes_by_content(&answer.arena, diff));
  etr_field_put_rows(f, "structure", &etr_structure_change_fields,
                     list_structure(&answer.arena, diff, true));
  etr_field_put_rows(f, "parts", &etr_part_change_fields, list_parts(&answer.arena, diff, true));
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&answer, true, error);
}

/* Writes the files, their bytes and the change: "before.pte → after.pte: 201,640 → 243,064
 * bytes (+20.5 %)"; then the same of .ptd files, if there are any. */
static void put_file_sizes(etr_answer *answer, const etr_program_diff *diff) {
  const etr_program_memory *base = diff->base->program_memory, *newer = diff->newer->program_memory;
  double change = base->file_bytes > 0 ? (double)newer->file_bytes / (double)base->file_bytes - 1
                                       : 0;
  etr_section_line(
      answer, ETR_STYLE_BOLD, 0,
      etr_arena_format(&answer->arena, "%s \xE2\x86\x92 %s: %s \xE2\x86\x92 %s bytes (%+.1f %%)",
                       diff->base->pte, diff->newer->pte,
                       etr_count_text(&answer->arena, base->file_bytes),
                       etr_count_text(&answer->arena, newer->file_bytes), 100 * change));
  uint64_t outside[] = {external_bytes(diff->base), external_bytes(diff->newer)};
  if (outside[0] || outside[1])
    etr_section_line(answer, ETR_STYLE_PLAIN, 0,
                     etr_arena_format(&answer->arena,
                                      "in .ptd files beside them: %s \xE2\x86\x92 %s bytes",
                                      etr_count_text(&answer->arena, outside[0]),
                                      etr_count_text(&answer->arena, outside[1])));
}

/* Writes how many parts of the two files are the same, and their bytes together: "62 of 64 parts
 * are the same: 190,056 bytes". */
static void put_equal_parts(etr_answer *answer, const etr_program_diff *diff) {
  size_t count = 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i < diff->part_count; i++) {
    if (diff->parts[i].verdict != ETR_PART_SAME)
      continue;
    count++;
    bytes += diff->parts[i].newer->size_bytes;
  }
  bool is_all = count == diff->part_count;
  etr_puts(&answer->writer, "\n");
  etr_section_line(answer, ETR_STYLE_PLAIN, 0,
                   etr_arena_format(&answer->arena, "%s%zu of %zu parts %s the same: %s bytes",
                                    is_all && count > 0 ? "All: " : "", count, diff->part_count,
                                    count == 1 ? "is" : "are",
                                    etr_count_text(&answer->arena, bytes)));
}

etr_status etr_emit_program_diff_tables(const etr_program_diff *diff,
                                        const etr_table_options *options, const etr_sink *sink,
                                        etr_error *error) {
  static const etr_table_options defaults = {.top = DEFAULT_ROWS};
  etr_answer answer;
  etr_answer_begin(&answer, diff->newer, NULL, options ? options : &defaults, sink);
  etr_table_format format = answer.options->format;
  if (format == ETR_TABLE_TEXT || format == ETR_TABLE_MARKDOWN) {
    put_file_sizes(&answer, diff);
    /* The first false of a list leaves out what is equal, and the last argument is true for all
     * rows and false for --top. */
    etr_section_titled_table(&answer, "what the bytes are", &etr_content_change_fields,
                             list_bytes_by_content(&answer.arena, diff), true);
    etr_section_titled_table(&answer, "structure that differs", &etr_structure_change_fields,
                             list_structure(&answer.arena, diff, false), false);
    etr_section_titled_table(&answer, "parts that differ", &etr_part_change_fields,
                             list_parts(&answer.arena, diff, false), false);
    put_equal_parts(&answer, diff);
  } else {
    etr_table table;
    etr_table_init(&table, &answer, &etr_part_change_fields);
    etr_table_add_rows(&table, list_parts(&answer.arena, diff, true));
    etr_table_finish(&table);
  }
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&answer, true, error);
}
