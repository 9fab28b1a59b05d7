/* SPDX-License-Identifier: BSD-3-Clause
 *
 * table.c - writes columns and rows in each format.
 */
#include "output/table.h"
#include "output/label.h"

#include "base/natural.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Columns ---- */

/* Returns the ETR_IN_ bit of the fields that a format has. */
static unsigned medium_of_format(etr_table_format format) {
  if (format == ETR_TABLE_TEXT)
    return ETR_IN_TEXT;
  return format == ETR_TABLE_MARKDOWN ? ETR_IN_MARKDOWN : ETR_IN_DATA;
}

/* Returns false for a field of a statistic that does not rank in this profile: tables for people
 * leave it out. */
static bool is_field_of_table(const etr_table *table, const etr_field *field) {
  const etr_profile *profile = table->answer->profile;
  bool has_all_statistics = table->exact || (table->medium & ETR_IN_DATA);
  if (!field->stats || has_all_statistics)
    return true;
  return profile && field->stats & 1u << profile->statistic;
}

/* Returns the name of a column in all formats for programs: the key in JSON documents, or else the
 * title with '_' for blanks, "runs_as". */
static const char *plain_name(const etr_table *table, const etr_field *field) {
  if (field->key)
    return field->key;
  char *name = etr_arena_copy(&table->answer->arena, etr_slice_of(field->title));
  for (char *at = name; at && *at; at++)
    if (*at == ' ' || *at == '-')
      *at = '_';
  return name ? name : "";
}

/* Returns true if `name`, from --columns, means a field whose title or key is `word` (may be NULL):
 * in it, '_' may stand for a blank or '-' of the word. */
static bool is_called(const char *word, etr_slice name) {
  if (!word || strlen(word) != name.size)
    return false;
  for (size_t i = 0; i < name.size; i++)
    if (name.data[i] != word[i] && !(name.data[i] == '_' && (word[i] == ' ' || word[i] == '-')))
      return false;
  return true;
}

/* Returns the field with this title or key among those of tables and of this medium; NULL if there
 * is none. Several fields may have a name, such as one for people and one for programs: the first
 * that this table shows is taken, or else the last. */
static const etr_field *find_field(const etr_table *table, etr_slice name) {
  const etr_field *found = NULL;
  for (const etr_field *field = table->fields->first;
       field < table->fields->first + table->fields->count; field++) {
    if (!(field->in & (ETR_IN_TABLES | table->medium)) || !field->title)
      continue;
    if (!is_called(field->title, name) && !is_called(field->key, name))
      continue;
    if (!found || !(found->in & table->medium) || !is_field_of_table(table, found))
      found = field;
  }
  return found;
}

/* Sets found[0], and found[1] if there are two, to the columns that a name stands for: the column
 * of this name or, in a comparison, "base NAME" and "new NAME". Returns their number: 0, 1 or 2. */
static size_t find_fields(const etr_table *table, etr_slice name, const etr_field **found) {
  static const char *const sides[] = {"base", "new"};
  char text[64];
  found[0] = find_field(table, name);
  if (found[0] || name.size + sizeof "base " > sizeof text)
    return found[0] != NULL;
  for (size_t i = 0; i < ETR_COUNT(sides); i++) {
    int size = snprintf(text, sizeof text, "%s %.*s", sides[i], (int)name.size, name.data);
    found[i] = find_field(table, (etr_slice){text, (size_t)size});
    if (!found[i])
      return 0;
  }
  return ETR_COUNT(sides);
}

/* Returns true if --columns may name a field: those of the table for programs, also in tables for
 * people. */
static bool is_choosable_column(const etr_table *table, const etr_field *field) {
  unsigned media = table->exact ? table->medium : ETR_IN_DATA;
  return field->in & media && field->title;
}

/* Returns true if the name is that of a column with the names of rows, with which tables for people
 * always begin, so that --columns does not take it. */
static bool is_row_name_column(const etr_table *table, etr_slice name) {
  for (const etr_field *field = table->fields->first;
       field < table->fields->first + table->fields->count; field++)
    if (field->kind == ETR_CELL_NAME && is_called(field->title, name))
      return true;
  return false;
}

/* Refuses the answer because --columns names an unknown column; the message suggests the nearest
 * name and lists all. In tables for people the column of names cannot be chosen, as they always
 * begin with it: for its name the message says that instead. */
static void refuse_column(const etr_table *table, etr_slice name) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, &table->answer->arena, &writer);
  const char *near = NULL;
  for (const etr_field *field = table->fields->first;
       field < table->fields->first + table->fields->count; field++)
    if (is_choosable_column(table, field))
      near = etr_nearer_word(name.data, name.size, near, plain_name(table, field));
  etr_putf(&writer, "no column %.*s", (int)ETR_MIN(name.size, (size_t)80), name.data);
  if (!table->exact && is_row_name_column(table, name)) {
    etr_puts(&writer, " beside the names, with which text begins");
    near = NULL;
  }
  if (near)
    etr_putf(&writer, ": did you mean %s?", near);
  etr_puts(&writer, near ? " There are:" : "; there are:");
  for (const etr_field *field = table->fields->first;
       field < table->fields->first + table->fields->count; field++)
    if (is_choosable_column(table, field))
      etr_putf(&writer, " %s", plain_name(table, field));
  etr_answer_refuse(table->answer, etr_text_end(&text, &writer));
}

void etr_table_init(etr_table *table, etr_answer *answer, const etr_row_type *fields) {
  *table = (etr_table){.answer = answer,
                       .fields = fields,
                       .medium = medium_of_format(answer->options->format),
                       .exact = medium_of_format(answer->options->format) == ETR_IN_DATA,
                       .top = answer->options->top,
                       .time_digits = ETR_TIME_DIGITS};
}

void etr_table_choose_columns(etr_table *table) {
  const char *names = table->answer->options->columns;
  const etr_field **chosen = names ? etr_arena_alloc_array(&table->answer->arena, strlen(names) + 1,
                                                           sizeof *chosen)
                                   : NULL;
  size_t count = 0;
  for (const char *at = names; chosen && at; at = *at == ',' ? at + 1 : NULL) {
    etr_slice name = {at, strcspn(at, ",")};
    /* The array has room for two columns for each name of one letter and its comma. */
    size_t found = find_fields(table, name, chosen + count);
    if (found == 0 && table->exact && (is_called("record", name) || is_called("run", name))) {
      table->wants_origin = true;
    } else if (found == 0) {
      refuse_column(table, name);
      return;
    }
    count += found;
    at += name.size;
  }
  table->chosen = chosen;
  table->chosen_count = count;
}

/* Returns the fields that the table has without --columns, in an array of the answer's arena, and
 * sets *count to their number. Returns NULL when out of memory. */
static const etr_field **fields_of_medium(const etr_table *table, size_t *count) {
  const etr_field **list = etr_arena_alloc_array(&table->answer->arena, table->fields->count,
                                                 sizeof *list);
  *count = 0;
  for (size_t i = 0; list && i < table->fields->count; i++)
    if ((table->fields->first[i].in & table->medium) &&
        is_field_of_table(table, &table->fields->first[i]))
      list[(*count)++] = &table->fields->first[i];
  return list;
}

void etr_table_choose_columns_between(etr_table *table, size_t first, size_t last) {
  size_t count, usual;
  etr_table_choose_columns(table);
  if (!table->chosen)
    return;
  const etr_field **kept = fields_of_medium(table, &usual);
  const etr_field **all = etr_arena_alloc_array(&table->answer->arena,
                                                first + table->chosen_count + last, sizeof *all);
  if (!kept || !all || first + last > usual)
    return;
  for (count = 0; count < first; count++)
    all[count] = kept[count];
  for (size_t i = 0; i < table->chosen_count; i++)
    all[count++] = table->chosen[i];
  for (size_t i = usual - last; i < usual; i++)
    all[count++] = kept[i];
  table->chosen = all;
  table->chosen_count = count;
}

void etr_table_add_origin_columns(etr_table *table) {
  const etr_table_options *options = table->answer->options;
  etr_arena *arena = &table->answer->arena;
  bool has_chosen = options->columns && options->format != ETR_TABLE_JSON_LINES;
  if (medium_of_format(options->format) != ETR_IN_DATA)
    return;
  if (has_chosen && !table->wants_origin && !options->tag_count && options->stack == ETR_STACK_NONE)
    return;
  etr_tag *origin = etr_arena_alloc_array(arena, options->tag_count + 2, sizeof *origin);
  if (!origin)
    return;
  origin[0] = (etr_tag){"record", etr_label_record(arena, table->answer->profile)};
  origin[1] = (etr_tag){"run", etr_label_dump(arena, table->answer->profile)};
  size_t count = 2;
  for (size_t i = 0; i < options->tag_count; i++) {
    const etr_tag *tag = &options->tags[i];
    size_t index = 0; /* a tag called "record" or "run" replaces the name of the file */
    while (index < count && strcmp(origin[index].name, tag->name) != 0)
      index++;
    if (index >= 2 && (index < count || find_field(table, etr_slice_of(tag->name)))) {
      const char *why = etr_arena_format(arena, "tag %.80s: there is already a column of this name",
                                         tag->name);
      etr_answer_refuse(table->answer, why ? why : "");
    }
    origin[index] = *tag;
    count += index == count;
  }
  table->origin = origin;
  table->origin_count = count;
}

/* Returns true if a row to be shown has a text or a number other than 0 in a column. A time of 0
 * also counts if its clock has a known step, because it is shown as "<0.001". */
static bool has_any_value(const etr_table *table, const etr_field *field) {
  for (size_t i = 0; i < etr_table_shown_count(table); i++) {
    etr_cell cell = etr_field_cell(field, table->rows.data[i].row);
    bool has_number = !isnan(cell.number) && (cell.number != 0 || cell.step > 0);
    if (cell.text ? cell.text[0] != '\0' : has_number)
      return true;
  }
  return false;
}

/* Returns true if a field becomes a column of this table when the user named no columns. Tables for
 * programs, and Markdown unless it is to be published, show every field of their medium; others
 * leave out fields that say nothing of these rows, and some that are all zeros. */
static bool becomes_column(const etr_table *table, const etr_field *field) {
  if (!(field->in & table->medium) || !is_field_of_table(table, field))
    return false;
  unsigned full = table->is_to_publish ? ETR_IN_DATA : ETR_IN_FULL;
  if (table->exact || (table->medium & full))
    return true;
  return (!field->is_shown || field->is_shown(table->context)) &&
         (!field->hides_zeros || has_any_value(table, field));
}

/* Returns the title of a column in this table's format, with its unit if it has one. The first
 * column may have a title of the table's own; programs get the plain name. */
static const char *column_title(const etr_table *table, const etr_field *field, size_t column) {
  if (column == 0 && table->title)
    return table->title;
  const char *title = field->title;
  if (table->exact)
    return plain_name(table, field);
  bool is_plain_text = table->medium == ETR_IN_TEXT && !table->chosen;
  if (is_plain_text && field->heading)
    title = field->heading;
  if (!(field->unit_in & table->medium))
    return title;
  const char *with_unit = etr_arena_format(&table->answer->arena, "%s %s", title,
                                           etr_unit_name(table->answer->options->unit));
  return with_unit ? with_unit : "";
}

/* Returns the type of the Arrow column for cells of a kind. The kinds before ETR_CELL_COUNT are
 * texts, but for flags. */
static etr_arrow_type arrow_type_of(etr_cell_kind kind) {
  if (kind == ETR_CELL_FLAG)
    return ETR_ARROW_FLAG;
  if (kind == ETR_CELL_COUNT || kind == ETR_CELL_AMOUNT || kind == ETR_CELL_BYTES)
    return ETR_ARROW_WHOLE;
  return kind < ETR_CELL_COUNT ? ETR_ARROW_TEXT : ETR_ARROW_REAL;
}

/* Returns the Arrow type of a column; columns of the origin (record, run, tags) come first, and are
 * texts. */
static etr_arrow_type arrow_type(const etr_table *table, size_t column) {
  if (column < table->origin_count)
    return ETR_ARROW_TEXT;
  return arrow_type_of(table->columns[column - table->origin_count]->kind);
}

/* Writes a line of JSON that has the type of each column under the column's name, before the rows
 * of JSON Lines. */
static void put_type_line(const etr_table *table, const etr_column *columns) {
  static const char *const names[] = {[ETR_ARROW_TEXT] = "string",
                                      [ETR_ARROW_FLAG] = "bool",
                                      [ETR_ARROW_WHOLE] = "int64",
                                      [ETR_ARROW_REAL] = "double"};
  etr_jw json;
  etr_jw_init(&json, &table->answer->writer, ETR_JW_DOCUMENT);
  etr_jw_object(&json);
  for (size_t i = 0; i < table->origin_count + table->column_count; i++) {
    etr_jw_key(&json, columns[i].title);
    etr_jw_string(&json, names[arrow_type(table, i)]);
  }
  etr_jw_end(&json);
}

/* Escapes the keys of JSON rows, once for all rows. */
static void escape_json_keys(etr_table *table, const etr_column *columns) {
  etr_arena *arena = &table->answer->arena;
  table->keys = etr_arena_alloc_array(arena, table->column_count, sizeof *table->keys);
  for (size_t i = 0; table->keys && i < table->column_count; i++)
    table->keys[i] = etr_jw_prepare_key(arena, columns[i].title);
  if (!table->keys)
    table->column_count = 0; /* out of memory: the answer fails */
}

/* Chooses the columns of the table, which may depend on its rows, and gives them to the text
 * layout, to Arrow, or to the first line of JSON. When out of memory, the arena has failed. Columns
 * of numbers, whose kinds are those from ETR_CELL_COUNT on, are aligned right, and those of names
 * may be cut. */
static void choose_and_begin_columns(etr_table *table) {
  etr_arrow *arrow = table->answer->arrow;
  size_t max_count = table->chosen ? table->chosen_count : table->fields->count, count = 0;
  etr_column *columns = etr_arena_alloc_array(&table->answer->arena,
                                              table->origin_count + max_count, sizeof *columns);
  for (size_t i = 0; columns && i < table->origin_count; i++)
    columns[i] = (etr_column){.title = table->origin[i].name};
  table->columns = etr_arena_alloc_array(&table->answer->arena, max_count, sizeof *table->columns);
  for (size_t i = 0; columns && table->columns && i < max_count; i++) {
    const etr_field *field = table->chosen ? table->chosen[i] : &table->fields->first[i];
    if (!table->chosen && !becomes_column(table, field))
      continue;
    columns[table->origin_count + count] = (etr_column){column_title(table, field, count),
                                                        field->kind >= ETR_CELL_COUNT,
                                                        field->kind <= ETR_CELL_ITEM};
    table->columns[count++] = field;
  }
  table->column_count = count;
  etr_text_table_init(&table->laid_out, &table->answer->arena, columns,
                      table->origin_count + count);
  table->laid_out.without_head = table->answer->options->stack == ETR_STACK_NEXT;
  /* Narrow text hides columns in the order of `spare`, but none that the user chose. */
  for (unsigned spare = 1; spare <= count && !table->chosen; spare++)
    for (size_t i = 0; i < count; i++)
      if (table->columns[i]->spare == spare)
        etr_text_table_may_hide_column(&table->laid_out, i);
  for (size_t i = 0; arrow && columns && i < table->origin_count + count; i++)
    etr_arrow_add_column(arrow, columns[i].title, arrow_type(table, i));
  if (table->answer->options->typed && !arrow && columns && !table->laid_out.without_head)
    put_type_line(table, columns);
  if (columns && table->answer->options->format == ETR_TABLE_JSON_LINES)
    escape_json_keys(table, columns + table->origin_count);
}

/* ---- Rows ---- */

void etr_table_add_row(etr_table *table, const void *row, const char *key, double weight) {
  etr_table_row *added = etr_vec_push(&table->answer->arena, &table->rows);
  if (added)
    *added = (etr_table_row){row, key, weight, table->rows.count};
}

void etr_table_add_rows(etr_table *table, etr_rows rows) {
  for (size_t i = 0; i < rows.count; i++)
    etr_table_add_row(table, (const char *)rows.first + i * rows.size, "", 0);
}

/* Orders rows by key, then the largest weight first, then as they were added. */
static int by_key_and_weight(const void *a, const void *b) {
  const etr_table_row *x = a, *y = b;
  int compared = x->key == y->key ? 0 : etr_natural_compare(x->key, y->key);
  if (compared)
    return compared;
  if (x->weight != y->weight)
    return x->weight < y->weight ? 1 : -1;
  return x->sequence < y->sequence ? -1 : 1;
}

void etr_table_sort(etr_table *table) {
  etr_sort(table->rows.data, table->rows.count, sizeof *table->rows.data, by_key_and_weight);
}

size_t etr_table_shown_count(const etr_table *table) {
  return table->top ? ETR_MIN(table->top, table->rows.count) : table->rows.count;
}

/* Returns the decimals with which a time of this many ticks has the table's number of significant
 * digits, but no digit below a tenth of its clock's step (in ticks), which the clock cannot know.
 */
static int decimals_of_time(const etr_table *table, double ticks, double step) {
  const etr_profile *profile = table->answer->profile;
  etr_unit unit = table->answer->options->unit;
  double time = fabs(etr_ticks_to_unit(profile, ticks, unit));
  /* A clock counts whole ticks, or whole steps of its own. */
  double tenth = etr_ticks_to_unit(profile, fmax(step, 1), unit) / 10;
  int decimals = 0;
  while (time > 0) {
    bool has_digits = time >= pow(10, table->time_digits - 1 - decimals);
    bool is_below_clock = pow(10, -decimals - 1) < 0.99 * tenth; /* 0.99: rounding of pow() */
    if (has_digits || is_below_clock)
      break;
    decimals++;
  }
  return decimals;
}

/* Writes a time in the table's unit with the decimals of its column, or with its own if the table
 * has each_has_digits or the cell is `apart`. A time above 0 that would be rounded to 0 is written
 * as "<0.001"; with is_signed, a time above 0 gets "+". */
static void put_rounded_time(const etr_table *table, etr_writer *writer, etr_cell cell) {
  double time = etr_ticks_to_unit(table->answer->profile, cell.number,
                                  table->answer->options->unit);
  int decimals = table->time_decimals;
  if (table->each_has_digits)
    decimals = decimals_of_time(table, cell.number, cell.step);
  else if (cell.apart > 0)
    decimals = ETR_MIN(decimals, decimals_of_time(table, cell.apart, cell.step));
  double least = pow(10, -decimals);
  bool is_zero = fabs(time) < least / 2;
  if (is_zero && time > 0 && !cell.is_signed) {
    etr_puts(writer, "<");
    time = least;
  } else if (is_zero) {
    time = 0;
  } else if (cell.is_signed && time > 0) {
    etr_puts(writer, "+");
  }
  etr_put_fixed(writer, time, decimals);
}

/* Returns the decimals that give the longest time of the rows to be shown its significant digits.
 * All times of the table then have equally many decimals, so that parts add up to their sum. Cells
 * that are texts, count something else or are `apart` do not decide. */
static int find_time_decimals(const etr_table *table, size_t shown_count) {
  double longest = 0;
  for (size_t i = 0; i < shown_count; i++)
    for (size_t k = 0; k < table->column_count; k++) {
      if (table->columns[k]->kind != ETR_CELL_TIME)
        continue;
      etr_cell cell = etr_field_cell(table->columns[k], table->rows.data[i].row);
      bool decides = !cell.text && !cell.unit && !(cell.apart > 0);
      if (decides && fabs(cell.number) > longest)
        longest = fabs(cell.number);
    }
  if (!(longest > 0))
    return 0;
  return etr_time_decimals(table->answer->profile, longest, table->answer->options->unit,
                           table->time_digits);
}

/* Writes a number as its field's kind says: rounded and with units for people, with all digits for
 * programs. */
static void put_number(const etr_table *table, etr_writer *writer, const etr_field *field,
                       etr_cell cell) {
  /* For programs: so many decimals that rounded values still add up. */
  enum { TIME_DECIMALS = 9, SHARE_DECIMALS = 6 };
  const etr_profile *profile = table->answer->profile;
  etr_unit unit = table->answer->options->unit;
  bool is_large = field->kind == ETR_CELL_AMOUNT || field->kind == ETR_CELL_BYTES;
  if (field->kind == ETR_CELL_COUNT || (is_large && table->exact))
    etr_put_fixed(writer, cell.number, 0);
  else if (field->kind == ETR_CELL_AMOUNT)
    etr_put_amount(writer, cell.number);
  else if (field->kind == ETR_CELL_RATE && table->exact)
    etr_put_double(writer, cell.number);
  else if (field->kind == ETR_CELL_RATE)
    etr_put_significant(writer, cell.number);
  else if (field->kind == ETR_CELL_TIME && cell.unit && table->exact)
    etr_put_double(writer, cell.number);
  else if (field->kind == ETR_CELL_TIME && cell.unit)
    etr_putf(writer, "%.0f %s", cell.number, cell.unit);
  else if (field->kind == ETR_CELL_TIME && table->exact)
    etr_put_fixed(writer, etr_ticks_to_unit(profile, cell.number, unit), TIME_DECIMALS);
  else if (field->kind == ETR_CELL_TIME && fabs(cell.number) < cell.step)
    etr_put_below_clock_step(writer, profile, cell.step, unit);
  else if (field->kind == ETR_CELL_TIME)
    put_rounded_time(table, writer, cell);
  else if (field->kind == ETR_CELL_SHARE && table->exact)
    etr_put_fixed(writer, cell.number / cell.whole, SHARE_DECIMALS);
  else if (field->kind == ETR_CELL_SHARE)
    etr_put_share(writer, cell.number, cell.whole);
  else if (isinf(cell.number))
    etr_puts(writer, cell.number > 0 ? "inf" : "-inf");
  else if (cell.digits == ETR_ALL_DIGITS)
    etr_put_double(writer, cell.number);
  else if (cell.digits)
    etr_put_general(writer, cell.number, cell.digits);
  else
    etr_put_fixed(writer, cell.number, cell.decimals);
}

/* Returns the number of bytes in a cell: the exact integer if the field has one, or else the double
 * without its fraction, at most UINT64_MAX. */
static uint64_t whole_number(const etr_table *table, const etr_field *field, etr_cell cell,
                             const void *row) {
  etr_scalar value = etr_field_scalar(table->answer->profile, table->answer->options->unit, field,
                                      row);
  if (value.type == ETR_SCALAR_HUGE)
    return value.huge;
  if (value.type == ETR_SCALAR_WHOLE && value.whole >= 0)
    return (uint64_t)value.whole;
  return cell.number < 0x1p64 ? (uint64_t)cell.number : UINT64_MAX;
}

/* Returns the text of a cell as the table's format shows it; NULL for an empty cell: an unknown
 * value, or a share of nothing or of 0 %. The kinds before ETR_CELL_COUNT are texts. */
static const char *cell_text(const etr_table *table, const etr_field *field, etr_cell cell,
                             const void *row) {
  etr_text text;
  etr_writer writer;
  if (field->kind == ETR_CELL_UNIT && !isnan(cell.number))
    return cell.unit ? cell.unit : etr_unit_name(table->answer->options->unit);
  if (field->kind == ETR_CELL_ITEM && table->answer->options->format == ETR_TABLE_TEXT)
    return etr_arena_format(&table->answer->arena, "  %s", cell.text ? cell.text : "");
  if (field->kind == ETR_CELL_FLAG && !isnan(cell.number))
    return cell.number != 0 ? "true" : "false";
  if (field->kind < ETR_CELL_COUNT || cell.text || isnan(cell.number))
    return cell.text;
  if (field->kind == ETR_CELL_SHARE && !(cell.whole > 0))
    return NULL;
  if (field->kind == ETR_CELL_SHARE && cell.number == 0 && !table->exact)
    return NULL; /* "0.0 %" would say nothing */
  if (field->kind == ETR_CELL_BYTES) {
    uint64_t number = whole_number(table, field, cell, row);
    if (table->exact)
      return etr_arena_format(&table->answer->arena, "%" PRIu64, number);
    return etr_count_text(&table->answer->arena, number);
  }
  etr_text_begin(&text, &table->answer->arena, &writer);
  put_number(table, &writer, field, cell);
  if (field->kind == ETR_CELL_RATE && cell.unit && !table->exact)
    etr_putf(&writer, " %s", cell.unit);
  return etr_text_end(&text, &writer);
}

/* Returns the style of a cell: its own, or else "warm" for a share from 3 % and "hot" from 10 %. */
static etr_style cell_style(const etr_field *field, etr_cell cell) {
  const double warm = 0.03, hot = 0.10;
  double share = field->kind == ETR_CELL_SHARE && cell.whole > 0 && !cell.text
                     ? cell.number / cell.whole
                     : 0;
  if (cell.style != ETR_STYLE_PLAIN || cell.is_cold || !(share >= warm))
    return cell.style;
  return share >= hot ? ETR_STYLE_HOT : ETR_STYLE_WARM;
}

/* Returns the value of a row in a column; null if it is not of the column's Arrow type, such as a
 * text in place of a number ("infinite"). */
static etr_scalar typed_scalar(const etr_table *table, const etr_field *field, const void *row) {
  etr_scalar v = etr_field_scalar(table->answer->profile, table->answer->options->unit, field, row);
  etr_arrow_type type = arrow_type_of(field->kind);
  bool fits = (type == ETR_ARROW_TEXT) == (v.type == ETR_SCALAR_TEXT) &&
              (type != ETR_ARROW_WHOLE || v.type == ETR_SCALAR_WHOLE);
  return fits ? v : (etr_scalar){.type = ETR_SCALAR_NULL};
}

/* Writes a row as one line of JSON. If types were asked for, a value that is not of its column's
 * type is null. */
static void put_json_row(const etr_table *table, const void *row) {
  etr_jw json;
  const etr_fields fields = {table->answer->profile, table->answer->options->unit, &json};
  etr_jw_init(&json, &table->answer->writer, ETR_JW_DOCUMENT);
  etr_jw_object(&json);
  for (size_t i = 0; i < table->origin_count; i++)
    etr_field_text(&fields, table->origin[i].name, table->origin[i].value);
  for (size_t i = 0; i < table->column_count; i++) {
    etr_jw_ready_key(&json, table->keys[i]);
    etr_put_scalar(&json,
                   table->answer->options->typed
                       ? typed_scalar(table, table->columns[i], row)
                       : etr_field_scalar(fields.profile, fields.unit, table->columns[i], row));
  }
  etr_jw_end(&json);
}

/* Adds a row to Arrow's columns: first the values of the origin columns, which are the same in all
 * rows, then the row's own, null where one is not of its column's type. */
static void add_arrow_row(const etr_table *table, const void *row) {
  etr_arrow *arrow = table->answer->arrow;
  for (size_t i = 0; i < table->origin_count; i++)
    etr_arrow_add_value(arrow,
                        (etr_arrow_value){!table->origin[i].value, .text = table->origin[i].value});
  for (size_t i = 0; i < table->column_count; i++) {
    etr_scalar v = typed_scalar(table, table->columns[i], row);
    etr_arrow_add_value(arrow,
                        (etr_arrow_value){v.type == ETR_SCALAR_NULL, v.text, v.whole, v.real});
  }
}

/* Writes a row as JSON Lines or into Arrow's columns, or adds its cells to the text layout, which
 * is written when all rows are there. */
static void put_row(etr_table *table, const void *row) {
  if (table->answer->arrow) {
    add_arrow_row(table, row);
  } else if (table->answer->options->format == ETR_TABLE_JSON_LINES) {
    put_json_row(table, row);
  } else {
    for (size_t i = 0; i < table->origin_count; i++)
      etr_text_table_add_cell(&table->laid_out, table->origin[i].value);
    for (size_t i = 0; i < table->column_count; i++) {
      etr_cell cell = etr_field_cell(table->columns[i], row);
      etr_text_table_add_cell(&table->laid_out, cell_text(table, table->columns[i], cell, row));
      etr_text_table_style_last_cell(&table->laid_out, cell_style(table->columns[i], cell));
    }
  }
}

size_t etr_table_lay_out_rows(etr_table *table) {
  size_t shown = etr_table_shown_count(table), hidden = table->rows.count - shown + table->others;
  if (!table->columns)
    choose_and_begin_columns(table);
  if (!table->exact && table->columns)
    table->time_decimals = find_time_decimals(table, shown);
  for (size_t i = 0; i < shown; i++)
    put_row(table, table->rows.data[i].row);
  table->rows.count = 0;
  return hidden;
}

void etr_table_write(etr_table *table) {
  if (!table->columns)
    choose_and_begin_columns(table);
  if (etr_arena_failed(&table->answer->arena))
    table->answer->writer.status = ETR_ERROR_MEMORY;
  else if (table->answer->options->format != ETR_TABLE_JSON_LINES)
    etr_text_table_write(&table->laid_out, &table->answer->writer, table->answer->options->format,
                         etr_answer_width(table->answer));
  table->columns = NULL;
}

void etr_table_finish(etr_table *table) {
  etr_table_format format = table->answer->options->format;
  size_t hidden = etr_table_lay_out_rows(table);
  etr_table_write(table);
  if (format == ETR_TABLE_TEXT)
    etr_put_hidden_count(&table->answer->writer, hidden);
  if (format == ETR_TABLE_MARKDOWN && hidden)
    etr_putf(&table->answer->writer, "\n%zu more\n", hidden);
}
