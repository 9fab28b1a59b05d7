/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sizes_output.c - where the bytes of a program's file are: as JSON and as tables.
 */
#include <stdlib.h>

#include "base/natural.h"
#include "base/system.h"
#include "output/label.h"
#include "output/section.h"

enum { READ = ETR_IN_TEXT | ETR_IN_MARKDOWN, NAMED = READ | ETR_IN_JSON, DEFAULT_ROWS = 10 };

static bool is_weight(const etr_file_part *part) {
  return part->kind == ETR_CONTENT_CONSTANT || part->kind == ETR_CONTENT_MUTABLE ||
         part->kind == ETR_CONTENT_WEIGHT;
}

/* ---- Parts ---- */

typedef struct part_row {
  const etr_file_part *part;
  const char *method;
  etr_arena *arena;
  double whole; /* size of the file */
} part_row;

static const part_row *as_part(const void *row) {
  return row;
}

static etr_cell part_content(const void *row) {
  return etr_cell_text(etr_content_name(as_part(row)->part->kind));
}
static etr_cell part_share(const void *row) {
  return etr_cell_share((double)as_part(row)->part->size_bytes, as_part(row)->whole);
}
static etr_cell part_type(const void *row) {
  const part_row *r = row;
  return etr_cell_text(r->part->tensor.dtype ? etr_label_shape(r->arena, &r->part->tensor) : "");
}
static void put_shape(const etr_fields *f, const void *row) {
  etr_field_shape(f, &as_part(row)->part->tensor);
}

#define PART(name) ETR_VIA(part_row, part, etr_file_part, name)

static const etr_field part_fields[] = {
    {"content", "content", ETR_CELL_WORD, ETR_IN_ALL, .get = part_content,
     .says = "what the part holds", .type = "content"},
    {"name", "name", ETR_CELL_NAME, ETR_IN_ALL, PART(tensor.name),
     .says = "of a weight, or in the delegate's graph; key of named data", .nullable = true},
    {"module", "module", ETR_CELL_NAME, ETR_IN_ALL, PART(module),
     .says = "of the weight, or of the node that reads it; \"\": the top level; null: not known",
     .nullable = true},
    {"dtype", "dtype", ETR_CELL_WORD, ETR_IN_DATA | ETR_IN_JSON, PART(tensor.dtype),
     .nullable = true},
    {NULL, "type", ETR_CELL_WORD, READ, .get = part_type},
    {"shape", .in = ETR_IN_JSON, .put = put_shape, .type = "shape", .nullable = true},
    {"backend", "backend", ETR_CELL_NAME, ETR_IN_ALL, PART(backend), .says = "of the delegate",
     .spare = 1, .nullable = true},
    {"method", "method", ETR_CELL_NAME, ETR_IN_DATA | ETR_IN_JSON, ETR_AT(part_row, method),
     .says = "the first that uses it", .nullable = true},
    {"instruction", "instr", ETR_CELL_COUNT, ETR_IN_ALL, PART(instruction),
     .says = "the first that calls the delegate", .spare = 2, .nullable = true},
    {"uses", "uses", ETR_CELL_COUNT, ETR_IN_DATA | ETR_IN_JSON, PART(uses),
     .says = "tensors or delegates that share it; 0 where nothing refers to it by a name"},
    {"offset", "offset", ETR_CELL_COUNT, ETR_IN_DATA | ETR_IN_JSON, PART(offset_bytes),
     .says = "in the file"},
    {"bytes", "bytes", ETR_CELL_BYTES, ETR_IN_ALL, PART(size_bytes),
     .says = "without the parts inside it, so all add up to the file"},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = part_share},
};
ETR_ROW_TYPE(file_part, part_fields);

/* ---- Sums by content, and by module and type ---- */

typedef struct size_sum {
  const char *content;        /* of a sum by content */
  const char *module, *dtype; /* of a sum of weights; module NULL: not known */
  uint64_t count, bytes;
  double whole;
} size_sum;

static etr_cell sum_content(const void *row) {
  static const char *const names[] = {"program (graph, values, names)",
                                      "constants of kernels",
                                      "initial data of buffers",
                                      "weights of delegates",
                                      "delegates, without weights",
                                      "named data of nobody known",
                                      "unused segments",
                                      "tests around the program",
                                      "padding"};
  for (size_t i = 0; i < ETR_COUNT(names); i++)
    if (strcmp(((const size_sum *)row)->content, etr_content_name((etr_content)i)) == 0)
      return etr_cell_text(names[i]);
  return etr_cell_none();
}
static etr_cell sum_share(const void *row) {
  const size_sum *sum = row;
  return etr_cell_share((double)sum->bytes, sum->whole);
}
static etr_cell sum_module(const void *row) {
  const char *module = ((const size_sum *)row)->module;
  if (!module)
    return etr_cell_text("(not known)");
  return etr_cell_text(module[0] ? module : "(top level)");
}

#define SUM(name) ETR_AT(size_sum, name)

static const etr_field content_fields[] = {
    {NULL, "content", ETR_CELL_NAME, READ, .get = sum_content},
    {"content", NULL, ETR_CELL_WORD, ETR_IN_JSON, SUM(content), .type = "content"},
    {"count", "parts", ETR_CELL_COUNT, NAMED, SUM(count), .says = "number of parts"},
    {"bytes", "bytes", ETR_CELL_BYTES, NAMED, SUM(bytes), .says = "all add up to the file"},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = sum_share},
};
ETR_ROW_TYPE(content_size, content_fields);

static const etr_field module_fields[] = {
    {NULL, "weights of", ETR_CELL_NAME, READ, .get = sum_module},
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, SUM(module),
     .says = "\"\": the top level; null: not known", .nullable = true},
    {"dtype", "dtype", ETR_CELL_WORD, NAMED, SUM(dtype), .nullable = true},
    {"count", "tensors", ETR_CELL_COUNT, NAMED, SUM(count)},
    {"bytes", "bytes", ETR_CELL_BYTES, NAMED, SUM(bytes)},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = sum_share},
};
ETR_ROW_TYPE(module_size, module_fields);

/* ---- Delegates ---- */

typedef struct delegate_size {
  const etr_file_part *part;
  const char *method;
  uint64_t weight_count, weight_bytes;
  double whole;
} delegate_size;

static double delegate_bytes(const delegate_size *row) {
  return (double)(row->part->size_bytes + row->weight_bytes);
}
static etr_cell delegate_total(const void *row) {
  return etr_cell_number(delegate_bytes(row));
}
static etr_cell delegate_share(const void *row) {
  const delegate_size *r = row;
  return etr_cell_share(delegate_bytes(r), r->whole);
}

static const etr_field delegate_fields[] = {
    {"backend", "delegate", ETR_CELL_NAME, NAMED,
     ETR_VIA(delegate_size, part, etr_file_part, backend)},
    {"method", "method", ETR_CELL_NAME, NAMED, ETR_AT(delegate_size, method), .spare = 1,
     .nullable = true},
    {"instruction", "instr", ETR_CELL_COUNT, NAMED,
     ETR_VIA(delegate_size, part, etr_file_part, instruction), .says = "the first that calls it",
     .nullable = true},
    {"module", "module", ETR_CELL_NAME, NAMED, ETR_VIA(delegate_size, part, etr_file_part, module),
     .says = "the innermost that contains all of its nodes", .spare = 2, .nullable = true},
    {"uses", "shared by", ETR_CELL_COUNT, ETR_IN_MARKDOWN | ETR_IN_JSON,
     ETR_VIA(delegate_size, part, etr_file_part, uses), .says = "delegates that share these bytes"},
    {"graph_bytes", "without weights", ETR_CELL_BYTES, NAMED,
     ETR_VIA(delegate_size, part, etr_file_part, size_bytes),
     .says = "processed bytes outside known weights"},
    {"weights", "weights", ETR_CELL_COUNT, NAMED, ETR_AT(delegate_size, weight_count),
     .says = "tensors; 0 if the backend's format cannot be read"},
    {"weight_bytes", "weight bytes", ETR_CELL_BYTES, NAMED, ETR_AT(delegate_size, weight_bytes),
     .says = "in its processed bytes and in named data; shared ones count for the first delegate"},
    {"bytes", "bytes", ETR_CELL_BYTES, NAMED, .get = delegate_total},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = delegate_share},
};
ETR_ROW_TYPE(delegate_size, delegate_fields);

/* ---- Lists ---- */

typedef struct sizes {
  etr_answer answer;
  const etr_program_memory *program;
  etr_rows parts, contents, modules, delegates;
} sizes;

/* Sums by module and type. */
typedef struct size_sums {
  etr_map by_name;
  etr_vec(size_sum) rows;
} size_sums;

static const char *method_name(const etr_profile *profile, uint32_t method) {
  return method != ETR_NONE ? profile->methods[method].name : NULL;
}

static etr_rows list_parts(sizes *s) {
  part_row *rows = etr_arena_alloc_array(&s->answer.arena, s->program->part_count, sizeof *rows);
  for (size_t i = 0; rows && i < s->program->part_count; i++) {
    const etr_file_part *part = &s->program->parts[i];
    rows[i] = (part_row){part, method_name(s->answer.profile, part->method), &s->answer.arena,
                         (double)s->program->file_bytes};
  }
  return ETR_ROWS(rows, rows ? s->program->part_count : 0);
}

static etr_rows sum_contents(sizes *s) {
  size_t count = ETR_CONTENT_PADDING + 1, kept = 0;
  size_sum *rows = etr_arena_alloc_array(&s->answer.arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < s->program->part_count; i++) {
    size_sum *row = &rows[s->program->parts[i].kind];
    row->count++;
    row->bytes += s->program->parts[i].size_bytes;
  }
  for (size_t i = 0; rows && i < count; i++) {
    rows[i].content = etr_content_name((etr_content)i);
    rows[i].whole = (double)s->program->file_bytes;
    if (rows[i].count > 0)
      rows[kept++] = rows[i];
  }
  return ETR_ROWS(rows, kept);
}

static int by_bytes(const void *a, const void *b) {
  const size_sum *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  int order = etr_natural_compare(etr_or_empty(x->module), etr_or_empty(y->module));
  return order ? order : strcmp(etr_or_empty(x->dtype), etr_or_empty(y->dtype));
}

/* Returns the sum of a module and a type, which is added if it is new; NULL when out of memory. */
static size_sum *sum_of(sizes *s, size_sums *sums, const etr_file_part *part) {
  const char *key = etr_arena_format(&s->answer.arena, "%s %d %s", etr_or_empty(part->tensor.dtype),
                                     part->module != NULL, etr_or_empty(part->module));
  etr_map_slot *slot = key ? etr_map_at(&sums->by_name, etr_slice_of(key)) : NULL;
  if (!slot || slot->value != ETR_NONE)
    return slot ? &sums->rows.data[slot->value] : NULL;
  size_sum *added = etr_vec_push(&s->answer.arena, &sums->rows);
  if (!added)
    return NULL;
  *added = (size_sum){
      .module = part->module, .dtype = part->tensor.dtype, .whole = (double)s->program->file_bytes};
  slot->value = (uint32_t)(sums->rows.count - 1);
  return added;
}

static etr_rows sum_modules(sizes *s) {
  size_sums sums = {0};
  etr_map_init(&sums.by_name, &s->answer.arena);
  for (size_t i = 0; i < s->program->part_count; i++) {
    const etr_file_part *part = &s->program->parts[i];
    size_sum *row = is_weight(part) ? sum_of(s, &sums, part) : NULL;
    if (!row)
      continue;
    row->count++;
    row->bytes += part->size_bytes;
  }
  if (sums.rows.count > 0)
    etr_sort(sums.rows.data, sums.rows.count, sizeof *sums.rows.data, by_bytes);
  return ETR_ROWS(sums.rows.data, sums.rows.count);
}

static int by_total(const void *a, const void *b) {
  double x = delegate_bytes(a), y = delegate_bytes(b);
  if (x != y)
    return x < y ? 1 : -1;
  const delegate_size *first = a, *second = b;
  return (first->part > second->part) - (first->part < second->part);
}

static etr_rows list_delegates(sizes *s) {
  etr_vec(delegate_size) rows = {0};
  etr_map by_call;
  etr_map_init(&by_call, &s->answer.arena);
  for (int is_sum = 0; is_sum < 2;
       is_sum++) /* the delegates, then their weights, which may be before them */
    for (size_t i = 0; i < s->program->part_count; i++) {
      const etr_file_part *part = &s->program->parts[i];
      const uint32_t call[] = {part->method, (uint32_t)part->instruction};
      etr_slice key = {(const char *)call, sizeof call};
      if (part->kind == ETR_CONTENT_DELEGATE && !is_sum) {
        delegate_size *row = etr_vec_push(&s->answer.arena, &rows);
        if (!row)
          return (etr_rows){0};
        *row = (delegate_size){.part = part,
                               .method = method_name(s->answer.profile, part->method),
                               .whole = (double)s->program->file_bytes};
        etr_map_set(&by_call, key, (uint32_t)(rows.count - 1));
      }
      uint32_t owner = part->kind == ETR_CONTENT_WEIGHT && is_sum ? etr_map_get(&by_call, key)
                                                                  : ETR_NONE;
      if (owner == ETR_NONE)
        continue;
      rows.data[owner].weight_count++;
      rows.data[owner].weight_bytes += part->size_bytes;
    }
  if (rows.count > 0)
    etr_sort(rows.data, rows.count, sizeof *rows.data, by_total);
  return ETR_ROWS(rows.data, rows.count);
}

static etr_status check_program(const etr_profile *profile, etr_error *error) {
  if (profile->program_memory)
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                  "no program: give the .pte whose sizes you want");
}

/* Makes the lists. */
static void make_lists(sizes *s, const etr_profile *profile) {
  s->program = profile->program_memory;
  s->parts = list_parts(s);
  s->contents = sum_contents(s);
  s->modules = sum_modules(s);
  s->delegates = list_delegates(s);
}

/* ---- All ---- */

etr_status etr_emit_sizes_json(const etr_profile *profile, etr_unit unit, const etr_sink *sink,
                               etr_error *error) {
  sizes s = {0};
  ETR_TRY(check_program(profile, error));
  etr_answer_begin_document(&s.answer, NULL, NULL, unit, sink, "sizes/1"); /* it has no times */
  s.answer.profile = s.answer.fields.profile = profile;
  make_lists(&s, profile);
  const etr_fields *f = &s.answer.fields;
  etr_field_text(f, "file", profile->pte);
  etr_field_text(f, "entry", profile->pte_entry);
  etr_field_count(f, "bytes", s.program->file_bytes);
  etr_field_put_rows(f, "contents", &etr_content_size_fields, s.contents);
  etr_field_put_rows(f, "weights", &etr_module_size_fields, s.modules);
  etr_field_put_rows(f, "delegates", &etr_delegate_size_fields, s.delegates);
  etr_field_put_rows(f, "parts", &etr_file_part_fields, s.parts);
  return etr_answer_end(&s.answer, true, error);
}

/* Puts all parts, for programs, or the largest ones, for people. */
static void put_parts(sizes *s, bool is_report) {
  etr_table table;
  etr_table_init(&table, &s->answer, &etr_file_part_fields);
  if (!is_report)
    etr_table_say_origin(&table);
  const part_row *rows = s->parts.first;
  for (size_t i = 0; i < s->parts.count; i++)
    etr_table_add(&table, &rows[i], "", is_report ? (double)rows[i].part->size_bytes : 0);
  etr_table_sort(&table);
  etr_table_finish(&table);
}

etr_status etr_emit_sizes_tables(const etr_profile *profile, const etr_table_options *options,
                                 const etr_sink *sink, etr_error *error) {
  static const etr_table_options defaults = {.top = DEFAULT_ROWS};
  sizes s = {0};
  ETR_TRY(check_program(profile, error));
  etr_answer_begin(&s.answer, profile, NULL, options ? options : &defaults, sink);
  etr_table_format format = s.answer.options->format;
  bool is_report = format == ETR_TABLE_TEXT || format == ETR_TABLE_MARKDOWN;
  make_lists(&s, profile);
  if (is_report) {
    const char *bytes = etr_count_text(&s.answer.arena, s.program->file_bytes);
    etr_section_line(&s.answer, ETR_STYLE_BOLD, 0,
                     etr_arena_format(&s.answer.arena, "%s: %s bytes", etr_last_part(profile->pte),
                                      bytes ? bytes : ""));
    etr_section_titled(&s.answer, "what the bytes are", &etr_content_size_fields, s.contents, true);
    etr_section_titled(&s.answer, "weights by module and type", &etr_module_size_fields, s.modules,
                       false);
    etr_section_titled(&s.answer, "delegates", &etr_delegate_size_fields, s.delegates, false);
    etr_puts(&s.answer.writer, "\n");
    etr_section_line(&s.answer, ETR_STYLE_BOLD, 0, "largest parts");
    if (format == ETR_TABLE_MARKDOWN)
      etr_puts(&s.answer.writer, "\n");
  }
  put_parts(&s, is_report);
  return etr_answer_end(&s.answer, true, error);
}
