/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sizes_output.c - where the bytes of a program's file are: as JSON and as tables.
 */
#include <stdlib.h>

#include "base/natural.h"
#include "base/system.h"
#include "output/label.h"
#include "output/section.h"
#include "tables/summary_output.h"
#include "views/delegate_payload.h"

enum {
  READ = ETR_IN_TEXT | ETR_IN_MARKDOWN,
  NAMED = ETR_IN_TABLES | ETR_IN_JSON,
  DEFAULT_ROWS = 10
};

/* Returns true for parts with data of the model: constants of kernels, initial data of buffers, and
 * weights of delegates. */
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
/* Returns the size of the part as a share of the size of the whole file. */
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
     .says = ETR_SAYS("what the part holds"), .type = "content"},
    {"name", "name", ETR_CELL_NAME, ETR_IN_ALL, PART(tensor.name),
     .says = ETR_SAYS("of a weight, or in the delegate's graph; key of named data"),
     .nullable = true},
    {"module", "module", ETR_CELL_NAME, ETR_IN_ALL, PART(module),
     .says = ETR_SAYS(
         "of the weight, or of the node that reads it; \"\": the top level; null: not known"),
     .nullable = true},
    {"dtype", "dtype", ETR_CELL_WORD, ETR_IN_DATA | ETR_IN_JSON, PART(tensor.dtype),
     .nullable = true},
    {NULL, "type", ETR_CELL_WORD, READ, .get = part_type},
    {"shape", .in = ETR_IN_JSON, .put = put_shape, .type = "shape", .nullable = true},
    {"backend", "backend", ETR_CELL_NAME, ETR_IN_ALL, PART(backend),
     .says = ETR_SAYS("of the delegate"), .spare = 1, .nullable = true},
    {"method", "method", ETR_CELL_NAME, ETR_IN_DATA | ETR_IN_JSON, ETR_AT(part_row, method),
     .says = ETR_SAYS("the first that uses it"), .nullable = true},
    {"instruction", "instr", ETR_CELL_COUNT, ETR_IN_ALL, PART(instruction),
     .says = ETR_SAYS("the first that calls the delegate"), .spare = 2, .nullable = true},
    {"uses", "uses", ETR_CELL_COUNT, ETR_IN_DATA | ETR_IN_JSON, PART(uses),
     .says = ETR_SAYS(
         "tensors or delegates that share it; 0 where nothing refers to it by a name")},
    {"offset", "offset", ETR_CELL_COUNT, ETR_IN_DATA | ETR_IN_JSON, PART(offset_bytes),
     .says = ETR_SAYS("in the file")},
    {"bytes", "bytes", ETR_CELL_BYTES, ETR_IN_ALL, PART(size_bytes),
     .says = ETR_SAYS("without the parts inside it, so all add up to the file")},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = part_share},
};
ETR_ROW_TYPE(file_part, part_fields);

/* ---- Sums by content, and by module and type ---- */

typedef struct size_sum {
  etr_content kind;           /* of a sum by content */
  const char *content;        /* its name */
  const char *module, *dtype; /* of a sum of weights; module NULL: not known */
  uint64_t count, bytes;
  double whole;
} size_sum;

const char *etr_content_title(etr_content kind) {
  static const char *const titles[] = {
      [ETR_CONTENT_PROGRAM] = "program (graph, values, names)",
      [ETR_CONTENT_CONSTANT] = "constants of kernels",
      [ETR_CONTENT_MUTABLE] = "initial data of buffers",
      [ETR_CONTENT_WEIGHT] = "weights of delegates",
      [ETR_CONTENT_DELEGATE] = "delegates, without weights",
      [ETR_CONTENT_CLOSED] = "delegates, " ETR_CLOSED_FORMAT,
      [ETR_CONTENT_NAMED] = "named data of nobody known",
      [ETR_CONTENT_UNUSED] = "unused segments",
      [ETR_CONTENT_TESTS] = "tests around the program",
      [ETR_CONTENT_PADDING] = "padding",
  };
  return titles[kind];
}

static etr_cell sum_content(const void *row) {
  return etr_cell_text(etr_content_title(((const size_sum *)row)->kind));
}
static etr_cell sum_share(const void *row) {
  const size_sum *sum = row;
  return etr_cell_share((double)sum->bytes, sum->whole);
}
/* Returns the module of a sum of weights, or that it is not known, or the top level. */
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
    {"count", "parts", ETR_CELL_COUNT, NAMED, SUM(count), .says = ETR_SAYS("number of parts")},
    {"bytes", "bytes", ETR_CELL_BYTES, NAMED, SUM(bytes),
     .says = ETR_SAYS("all add up to the file")},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = sum_share},
};
ETR_ROW_TYPE(content_size, content_fields);

static const etr_field module_fields[] = {
    {NULL, "weights of", ETR_CELL_NAME, READ, .get = sum_module},
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, SUM(module),
     .says = ETR_SAYS("\"\": the top level; null: not known"), .nullable = true},
    {"dtype", "dtype", ETR_CELL_WORD, NAMED, SUM(dtype), .nullable = true},
    {"count", "tensors", ETR_CELL_COUNT, NAMED, SUM(count)},
    {"bytes", "bytes", ETR_CELL_BYTES, NAMED, SUM(bytes)},
    {NULL, "share", ETR_CELL_SHARE, READ, .get = sum_share},
};
ETR_ROW_TYPE(module_size, module_fields);

/* ---- Delegates ---- */

typedef struct delegate_size {
  const etr_delegate_payload *payload;
  const etr_profile *profile;
  etr_arena *arena;
} delegate_size;

static const delegate_size *as_delegate(const void *row) {
  return row;
}
static uint64_t delegate_bytes(const delegate_size *row) {
  return etr_add_up_to_most(row->payload->part->size_bytes, row->payload->weight_bytes);
}
static etr_cell delegate_total(const void *row) {
  return etr_cell_number((double)delegate_bytes(row));
}
static etr_cell delegate_share(const void *row) {
  const etr_program_memory *program = as_delegate(row)->profile->program_memory;
  return etr_cell_share((double)delegate_bytes(row), (double)program->file_bytes);
}
static bool has_known_weights(const void *row) {
  return !as_delegate(row)->payload->is_closed;
}
/* Returns the bytes of the weights in a delegate's payload, or "closed format, weights included" if
 * the payload cannot be read. */
static etr_cell delegate_weights(const void *row) {
  const etr_delegate_payload *payload = as_delegate(row)->payload;
  return payload->is_closed ? etr_cell_text(ETR_CLOSED_FORMAT)
                            : etr_cell_number((double)payload->weight_bytes);
}
/* Returns the first method that uses a delegate's payload; no text if none does. */
static etr_cell delegate_method(const void *row) {
  const etr_file_part *part = as_delegate(row)->payload->part;
  return etr_cell_text(
      part->method != ETR_NONE ? as_delegate(row)->profile->methods[part->method].name : NULL);
}

/* Returns which instructions of which methods call the delegate that has this payload: "forward 0",
 * "prefill 0 and 4, decode 0". Names the first six calls and counts the others; "(none)" without
 * any. */
static etr_cell delegate_calls(const void *row) {
  enum { LISTED = 6 };
  const delegate_size *delegate = row;
  const etr_file_part *part = delegate->payload->part;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, delegate->arena, &writer);
  for (size_t i = 0; i < part->call_count && i < LISTED; i++) {
    const etr_delegate_use *call = &part->calls[i];
    if (i > 0 && call[-1].method == call->method)
      etr_putf(&writer, " and %d", (int)call->instruction);
    else
      etr_putf(&writer, "%s%s %d", i ? ", " : "", delegate->profile->methods[call->method].name,
               (int)call->instruction);
  }
  if (part->call_count > LISTED)
    etr_putf(&writer, ", %zu more", part->call_count - LISTED);
  return etr_cell_text(part->call_count ? etr_text_end(&text, &writer) : "(none)");
}

typedef struct delegate_call {
  const char *method;
  int32_t instruction;
} delegate_call;

/* Lists the delegate calls that share a payload, by method and instruction. */
static etr_rows list_calls(const void *row) {
  const delegate_size *delegate = row;
  const etr_file_part *part = delegate->payload->part;
  delegate_call *rows = etr_arena_alloc_array(delegate->arena, part->call_count, sizeof *rows);
  for (size_t i = 0; rows && i < part->call_count; i++)
    rows[i] = (delegate_call){delegate->profile->methods[part->calls[i].method].name,
                              part->calls[i].instruction};
  return ETR_ROWS(rows, rows ? part->call_count : 0);
}

static const etr_field call_fields[] = {
    {"method", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(delegate_call, method)},
    {"instruction", NULL, ETR_CELL_COUNT, ETR_IN_JSON, ETR_AT(delegate_call, instruction)},
};
ETR_ROW_TYPE(delegate_call, call_fields);

#define PAYLOAD(name) ETR_VIA(delegate_size, payload, etr_delegate_payload, name)

static etr_cell delegate_backend(const void *row) {
  return etr_cell_text(as_delegate(row)->payload->part->backend);
}
static etr_cell delegate_format(const void *row) {
  return etr_cell_text(as_delegate(row)->payload->part->format);
}
static etr_cell delegate_instruction(const void *row) {
  int32_t instruction = as_delegate(row)->payload->part->instruction;
  return instruction >= 0 ? etr_cell_number(instruction) : etr_cell_none();
}
static etr_cell delegate_module(const void *row) {
  return etr_cell_text(as_delegate(row)->payload->part->module);
}
static etr_cell delegate_uses(const void *row) {
  return etr_cell_number((double)as_delegate(row)->payload->part->uses);
}
static etr_cell delegate_bytes_without_weights(const void *row) {
  return etr_cell_number((double)as_delegate(row)->payload->part->size_bytes);
}

static const etr_field delegate_fields[] = {
    {"backend", "delegate", ETR_CELL_NAME, NAMED, .get = delegate_backend},
    {"format", "format", ETR_CELL_NAME, NAMED, .get = delegate_format, .nullable = true,
     .says = ETR_SAYS(
         "what the program says about format, version and target: \"XN01\", \"VGF 0.5.0\", "
         "\"SoC model 57, HTP v75\"; null: nothing")},
    {"method", NULL, ETR_CELL_NAME, ETR_IN_JSON, .get = delegate_method, .nullable = true},
    {"instruction", NULL, ETR_CELL_COUNT, ETR_IN_JSON, .get = delegate_instruction,
     .says = ETR_SAYS("the first that calls it"), .nullable = true},
    {NULL, "called by", ETR_CELL_NAME, ETR_IN_TABLES, .get = delegate_calls},
    {"calls", NULL, ETR_CELL_LIST, ETR_IN_JSON, .rows = list_calls,
     .parts = &etr_delegate_call_fields, .type = "delegate_calls"},
    {"module", "module", ETR_CELL_NAME, NAMED, .get = delegate_module,
     .says = ETR_SAYS("the innermost that contains all of its nodes"), .spare = 2,
     .nullable = true},
    {"uses", "shared by", ETR_CELL_COUNT, ETR_IN_MARKDOWN | ETR_IN_JSON, .get = delegate_uses,
     .says = ETR_SAYS("delegates that share these bytes")},
    {"closed", NULL, ETR_CELL_FLAG, ETR_IN_JSON, PAYLOAD(is_closed),
     .says = ETR_SAYS("its format cannot be read here: its weights are included in the bytes")},
    {"graph_bytes", "without weights", ETR_CELL_BYTES, NAMED, .get = delegate_bytes_without_weights,
     .has = has_known_weights,
     .says = ETR_SAYS("processed bytes outside known weights; null: its format is closed"),
     .spare = 3, .nullable = true},
    {"weights", "weights", ETR_CELL_COUNT, NAMED, PAYLOAD(weight_count), .has = has_known_weights,
     .says = ETR_SAYS("tensors; null: its format is closed"), .spare = 1, .nullable = true},
    {NULL, "weight bytes", ETR_CELL_BYTES, ETR_IN_TABLES, .get = delegate_weights},
    {"weight_bytes", NULL, ETR_CELL_BYTES, ETR_IN_JSON, PAYLOAD(weight_bytes),
     .has = has_known_weights,
     .says = ETR_SAYS(
         "in its processed bytes and in named data; shared ones count for the first delegate; "
         "null: its format is closed, and they are part of `bytes`"),
     .nullable = true},
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

/* Lists the parts of the file in their order, each with the method that uses it and the bytes of
 * the file, of which it is a share. */
static etr_rows list_parts(sizes *s) {
  part_row *rows = etr_arena_alloc_array(&s->answer.arena, s->program->part_count, sizeof *rows);
  for (size_t i = 0; rows && i < s->program->part_count; i++) {
    const etr_file_part *part = &s->program->parts[i];
    rows[i] = (part_row){part, method_name(s->answer.profile, part->method), &s->answer.arena,
                         (double)s->program->file_bytes};
  }
  return ETR_ROWS(rows, rows ? s->program->part_count : 0);
}

/* Lists the bytes and the number of parts of the file by kind of content, without kinds that it
 * does not have, and with the bytes of the file, of which each is a share. When out of memory, the
 * arena has failed. */
static etr_rows sum_by_content(sizes *s) {
  size_t count = ETR_CONTENT_PADDING + 1, kept_count = 0;
  size_sum *rows = etr_arena_alloc_array(&s->answer.arena, count, sizeof *rows);
  for (size_t i = 0; rows && i < s->program->part_count; i++) {
    size_sum *row = &rows[s->program->parts[i].kind];
    row->count++;
    row->bytes += s->program->parts[i].size_bytes;
  }
  for (size_t i = 0; rows && i < count; i++) {
    rows[i].kind = (etr_content)i;
    rows[i].content = etr_content_name((etr_content)i);
    rows[i].whole = (double)s->program->file_bytes;
    if (rows[i].count > 0)
      rows[kept_count++] = rows[i];
  }
  return ETR_ROWS(rows, kept_count);
}

/* Orders sums by bytes, the largest first, then by module and type. */
static int by_bytes(const void *a, const void *b) {
  const size_sum *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? 1 : -1;
  int compared = etr_natural_compare(etr_or_empty(x->module), etr_or_empty(y->module));
  return compared ? compared : strcmp(etr_or_empty(x->dtype), etr_or_empty(y->dtype));
}

/* Returns the sum of a part's module and type, which is added if it is new; it is valid until the
 * next one is added. Returns NULL when out of memory. The key tells an unknown module from the top
 * level, which is "". */
static size_sum *find_or_add_sum(sizes *s, size_sums *sums, const etr_file_part *part) {
  const char *key = etr_arena_format(&s->answer.arena, "%s %d %s", etr_or_empty(part->tensor.dtype),
                                     part->module != NULL, etr_or_empty(part->module));
  etr_map_slot *slot = key ? etr_map_at(&sums->by_name, etr_slice_of(key)) : NULL;
  if (!slot || slot->value != ETR_NONE)
    return slot ? &sums->rows.data[slot->value] : NULL;
  size_sum *new_sum = etr_vec_push(&s->answer.arena, &sums->rows);
  if (!new_sum)
    return NULL;
  *new_sum = (size_sum){
      .module = part->module, .dtype = part->tensor.dtype, .whole = (double)s->program->file_bytes};
  slot->value = (uint32_t)(sums->rows.count - 1);
  return new_sum;
}

/* Returns the number and bytes of the weights by module and type, the most bytes first. When out of
 * memory, the arena has failed. */
static etr_rows sum_by_module(sizes *s) {
  size_sums sums = {0};
  etr_map_init(&sums.by_name, &s->answer.arena);
  for (size_t i = 0; i < s->program->part_count; i++) {
    const etr_file_part *part = &s->program->parts[i];
    size_sum *row = is_weight(part) ? find_or_add_sum(s, &sums, part) : NULL;
    if (!row)
      continue;
    row->count++;
    row->bytes += part->size_bytes;
  }
  if (sums.rows.count > 0)
    etr_sort(sums.rows.data, sums.rows.count, sizeof *sums.rows.data, by_bytes);
  return ETR_ROWS(sums.rows.data, sums.rows.count);
}

/* Orders delegates by bytes, the largest first, then as in the file. */
static int by_delegate_bytes(const void *a, const void *b) {
  uint64_t x = delegate_bytes(a), y = delegate_bytes(b);
  if (x != y)
    return x < y ? 1 : -1;
  const etr_file_part *first = as_delegate(a)->payload->part,
                      *second = as_delegate(b)->payload->part;
  return (first > second) - (first < second);
}

etr_rows etr_delegate_sizes_list(etr_arena *arena, const etr_profile *profile) {
  etr_delegate_payloads payloads = etr_delegate_payloads_make(arena, profile);
  delegate_size *rows = etr_arena_alloc_array(arena, payloads.count, sizeof *rows);
  for (size_t i = 0; rows && i < payloads.count; i++)
    rows[i] = (delegate_size){&payloads.list[i], profile, arena};
  if (rows && payloads.count)
    etr_sort(rows, payloads.count, sizeof *rows, by_delegate_bytes);
  return ETR_ROWS(rows, rows ? payloads.count : 0);
}

/* Fails with ETR_ERROR_CHOICE if no program was given. */
static etr_status require_program(const etr_profile *profile, etr_error *error) {
  if (profile->program_memory)
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_CHOICE, NULL, NULL, ETR_NO_OFFSET,
                  "no program: give the .pte whose sizes you want");
}

/* Makes the lists of all tables about the program's file. */
static void make_all_lists(sizes *s, const etr_profile *profile) {
  s->program = profile->program_memory;
  s->parts = list_parts(s);
  s->contents = sum_by_content(s);
  s->modules = sum_by_module(s);
  s->delegates = etr_delegate_sizes_list(&s->answer.arena, profile);
}

/* ---- All ---- */

etr_status etr_emit_sizes_json(const etr_profile *profile, etr_unit unit, const etr_sink *sink,
                               etr_error *error) {
  sizes s = {0};
  ETR_TRY(require_program(profile, error));
  /* NULL: no profile yet, since a document about one would name a unit of times, and no filter. */
  etr_answer_begin_document(&s.answer, NULL, NULL, unit, sink, "sizes/1"); /* it has no times */
  s.answer.profile = s.answer.fields.profile = profile;
  make_all_lists(&s, profile);
  const etr_fields *f = &s.answer.fields;
  etr_field_text(f, "file", profile->pte);
  etr_field_text(f, "entry", profile->pte_entry);
  etr_field_count(f, "bytes", s.program->file_bytes);
  etr_field_put_rows(f, "external_weights", &etr_external_weight_fields,
                     ETR_ROWS(profile->weights, profile->weight_count));
  etr_field_put_rows(f, "contents", &etr_content_size_fields, s.contents);
  etr_field_put_rows(f, "weights", &etr_module_size_fields, s.modules);
  etr_field_put_rows(f, "delegates", &etr_delegate_size_fields, s.delegates);
  etr_field_put_rows(f, "parts", &etr_file_part_fields, s.parts);
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&s.answer, true, error);
}

/* Writes the parts of the file: for people (is_report) the largest first, at most options.top; for
 * programs all of them in the order of the file, as rows of equal weight (0) stay in the order in
 * which they were added. */
static void write_parts(sizes *s, bool is_report) {
  etr_table table;
  etr_table_init(&table, &s->answer, &etr_file_part_fields);
  if (!is_report)
    etr_table_add_origin_columns(&table);
  const part_row *rows = s->parts.first;
  for (size_t i = 0; i < s->parts.count; i++)
    etr_table_add_row(&table, &rows[i], "", is_report ? (double)rows[i].part->size_bytes : 0);
  etr_table_sort(&table);
  etr_table_finish(&table);
}

/* Returns ", and 5,412 in 1 .ptd beside it" for data outside of the program; "" if there is none.
 */
static const char *external_text(sizes *s, const etr_profile *profile) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < profile->weight_count; i++)
    bytes = etr_add_up_to_most(bytes, profile->weights[i].byte_count);
  if (profile->weight_count == 0)
    return "";
  return etr_arena_format(&s->answer.arena, ", and %s in %zu .ptd beside it",
                          etr_count_text(&s->answer.arena, bytes), profile->weight_count);
}

etr_status etr_emit_sizes_tables(const etr_profile *profile, const etr_table_options *options,
                                 const etr_sink *sink, etr_error *error) {
  static const etr_table_options defaults = {.top = DEFAULT_ROWS};
  sizes s = {0};
  ETR_TRY(require_program(profile, error));
  etr_answer_begin(&s.answer, profile, NULL, options ? options : &defaults, sink);
  etr_table_format format = s.answer.options->format;
  bool is_report = format == ETR_TABLE_TEXT || format == ETR_TABLE_MARKDOWN;
  make_all_lists(&s, profile);
  if (is_report) {
    const char *bytes = etr_count_text(&s.answer.arena, s.program->file_bytes);
    etr_section_line(&s.answer, ETR_STYLE_BOLD, 0,
                     etr_arena_format(&s.answer.arena, "%s: %s bytes%s",
                                      etr_last_part(profile->pte), bytes ? bytes : "",
                                      etr_or_empty(external_text(&s, profile))));
    etr_section_titled_table(&s.answer, "what the bytes are", &etr_content_size_fields, s.contents,
                             true);
    etr_section_titled_table(&s.answer, "weights outside of the program",
                             &etr_external_weight_fields,
                             ETR_ROWS(profile->weights, profile->weight_count), true);
    etr_section_titled_table(&s.answer, "weights by module and type", &etr_module_size_fields,
                             s.modules, false);
    etr_section_titled_table(&s.answer, "delegates", &etr_delegate_size_fields, s.delegates, false);
    etr_puts(&s.answer.writer, "\n");
    etr_section_line(&s.answer, ETR_STYLE_BOLD, 0, "largest parts");
    if (format == ETR_TABLE_MARKDOWN)
      etr_puts(&s.answer.writer, "\n");
  }
  write_parts(&s, is_report);
  /* true: if memory ran out, the arena of the answer tells. */
  return etr_answer_end(&s.answer, true, error);
}
