/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_table.c - one list of fields in every format: cells of each kind, requested columns, order
 * and number of rows.
 */
#include "output/table.h"

#include <criterion/criterion.h>

typedef struct row {
  const char *name;
  double ticks;
} row;

static const row rows[] = {{"b", 1500000}, {"a", 500000}, {"c", 1500000}, {"none", NAN}};

static const row *at(const void *each) {
  return each;
}
static etr_cell name(const void *each) {
  return etr_cell_text(at(each)->name);
}
static etr_cell ticks(const void *each) {
  return etr_cell_number(at(each)->ticks);
}
static etr_cell part(const void *each) {
  return etr_cell_share(at(each)->ticks, 3000000);
}
static etr_cell ratio(const void *each) {
  return (etr_cell){.number = at(each)->ticks / 1e6, .decimals = 1};
}
static void put_both(const etr_fields *f, const void *each) {
  etr_field_text(f, "both", at(each)->name);
}
static bool is_shown_never(const void *context) {
  return context != NULL;
}

static const etr_field fields[] = {
    {"id", "the name", ETR_CELL_NAME, ETR_IN_ALL, .get = name, .heading = "name"},
    {"both", .in = ETR_IN_JSON, .put = put_both},
    {"time", "time", ETR_CELL_TIME, ETR_IN_ALL, .get = ticks,
     .unit_in = ETR_IN_TEXT | ETR_IN_MARKDOWN},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_DATA},
    {NULL, "share", ETR_CELL_SHARE, ETR_IN_TABLES, .get = part},
    {"ratio", "ratio", ETR_CELL_NUMBER, ETR_IN_ALL, .get = ratio, .is_shown = is_shown_never},
    {NULL, "ns", ETR_CELL_COUNT, ETR_IN_DATA, .get = ticks},
};

static const etr_profile profile = {.ticks_per_second = 1e9};

/* Writes the rows in a format. *status is that of the answer, and its message is in *error. */
static const char *written(etr_arena *arena, const etr_table_options *options, etr_status *status,
                           etr_error *error) {
  etr_text text;
  etr_writer writer;
  etr_answer answer;
  etr_table table;
  etr_text_begin(&text, arena, &writer);
  etr_answer_begin(&answer, &profile, NULL, options, &writer.sink);
  etr_table_init(&table, &answer, ETR_FIELDS(fields));
  etr_table_choose_columns(&table);
  for (size_t i = 0; i < ETR_COUNT(rows); i++)
    etr_table_add_row(&table, &rows[i], options->order == ETR_ORDER_NAME ? rows[i].name : "",
                      isnan(rows[i].ticks) ? 0 : rows[i].ticks);
  if (options->order != ETR_ORDER_GRAPH)
    etr_table_sort(&table);
  size_t shown = etr_table_shown_count(&table), hidden = etr_table_lay_out_rows(&table);
  cr_expect_eq(shown + hidden, ETR_COUNT(rows));
  etr_table_write(&table);
  *status = etr_answer_end(&answer, true, error);
  return etr_text_end(&text, &writer);
}

Test(table, rows_have_the_same_cells_in_every_format) {
  static const struct {
    etr_table_options options;
    const char *text;
  } cases[] = {
      {{.order = ETR_ORDER_GRAPH},
       "name  time ms   share\nb        1.50  50.0 %\na        0.50  16.7 %\nc        1.50  50.0 "
       "%\nnone\n"},
      {{.order = ETR_ORDER_NAME, .top = 2, .unit = ETR_UNIT_NS},
       "name  time ns   share\na      500000  16.7 %\nb     1500000  50.0 %\n"},
      {{.format = ETR_TABLE_MARKDOWN, .order = ETR_ORDER_GRAPH, .top = 1},
       "| the name | time ms | share | ratio |\n|---|---:|---:|---:|\n| b | 1.50 | 50.0 % | 1.5 "
       "|\n"},
      {{.format = ETR_TABLE_CSV, .top = 2},
       "id,time,unit,share,ratio,ns\r\nb,1.500000000,ms,0.500000,1.5,1500000\r\nc,1.500000000,ms,0."
       "500000,1.5,"
       "1500000\r\n"},
      {{.format = ETR_TABLE_JSON_LINES, .order = ETR_ORDER_GRAPH, .top = 1},
       "{\"id\":\"b\",\"time\":1.5,\"unit\":\"ms\",\"share\":0.5,\"ratio\":1.5,\"ns\":1500000}\n"},
      {{.order = ETR_ORDER_GRAPH, .top = 1, .columns = "ns,ratio,the_name"},
       "     ns  ratio  the name\n1500000    1.5  b\n"},
      {{.format = ETR_TABLE_TSV, .order = ETR_ORDER_GRAPH, .top = 1, .columns = "unit,id,unit"},
       "unit\tid\tunit\nms\tb\tms\n"},
      {{.format = ETR_TABLE_JSON_LINES, .order = ETR_ORDER_GRAPH, .columns = "time"},
       "{\"time\":1.5}\n{\"time\":0.5}\n{\"time\":1.5}\n{\"time\":null}\n"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_status status;
    const char *got = written(&arena, &cases[i].options, &status, NULL);
    cr_expect_eq(status, ETR_OK);
    cr_expect_str_eq(got, cases[i].text, "case %zu:\n%s", i, got);
    etr_arena_clear(&arena);
  }
}

Test(table, an_unknown_column_is_refused) {
  static const char *const names[] = {"time,ids", "", "time,", "key", "the-name"};
  for (size_t i = 0; i < ETR_COUNT(names); i++) {
    etr_arena arena = {0};
    etr_status status;
    etr_error error;
    const char *got = written(&arena, &(etr_table_options){.columns = names[i]}, &status, &error);
    cr_expect_eq(status, ETR_ERROR_OPTION);
    cr_expect_str_eq(got, "", "nothing is written");
    cr_expect_not_null(strstr(error.message, "here are: id time unit share ratio ns"), "%s",
                       error.message);
    etr_arena_clear(&arena);
  }
}

Test(table, a_row_becomes_an_object) {
  etr_arena arena = {0};
  etr_text text;
  etr_writer writer;
  etr_answer answer;
  etr_text_begin(&text, &arena, &writer);
  etr_answer_begin_document(&answer, &profile, NULL, ETR_UNIT_US, &writer.sink, "test/1");
  etr_field_put_members(&answer.fields, ETR_FIELDS(fields), &rows[1]);
  cr_expect_eq(etr_answer_end(&answer, true, NULL), ETR_OK);
  cr_expect_str_eq(
      etr_text_end(&text, &writer),
      "{\"schema\":\"etrecord-tb/test/"
      "1\",\"time_unit\":\"us\",\"id\":\"a\",\"both\":\"a\",\"time\":500,\"ratio\":0.5}\n");
  etr_arena_clear(&arena);
}

/* ---- Kinds of cells ---- */

typedef struct parts {
  const char *name;
  uint64_t ticks;
  uint32_t place;
  int32_t instruction;
  bool flag;
} parts;

typedef struct whole {
  const parts *of;
  double number, part;
} whole;

static const parts some = {"some", 1234567, 7, 3, true}, unknown = {"", 0, ETR_NONE, -1, false};

static bool has_part(const void *each) {
  return ((const whole *)each)->part > 0;
}
static etr_cell heat(const void *each) {
  return etr_cell_share(((const whole *)each)->part, 100);
}
static etr_cell cold(const void *each) {
  return (etr_cell){.number = ((const whole *)each)->part, .whole = 100, .is_cold = true};
}

/* Writes a table of some fields and one row, in a format. */
static const char *one_row(etr_arena *arena, const etr_field *list, size_t count, const void *shown,
                           const etr_table_options *options) {
  etr_text text;
  etr_writer writer;
  etr_answer answer;
  etr_table table;
  etr_text_begin(&text, arena, &writer);
  etr_answer_begin(&answer, &profile, NULL, options, &writer.sink);
  etr_table_init(&table, &answer, &(etr_row_type){NULL, list, count});
  table.title = "first";
  etr_table_add_row(&table, shown, "", 0);
  etr_table_lay_out_rows(&table);
  etr_table_write(&table);
  cr_expect_eq(etr_answer_end(&answer, true, NULL), ETR_OK);
  return etr_text_end(&text, &writer);
}

Test(table, members_of_nested_structs_are_read) {
  static const etr_field list[] = {
      {"name", "name", ETR_CELL_ITEM, ETR_IN_ALL, ETR_VIA(whole, of, parts, name),
       .blank_is_null = true},
      {"ticks", "ticks", ETR_CELL_COUNT, ETR_IN_ALL, ETR_VIA(whole, of, parts, ticks)},
      {"place", "place", ETR_CELL_COUNT, ETR_IN_ALL, ETR_VIA(whole, of, parts, place)},
      {"instruction", "instruction", ETR_CELL_COUNT, ETR_IN_ALL,
       ETR_VIA(whole, of, parts, instruction)},
      {"flag", NULL, ETR_CELL_FLAG, ETR_IN_JSON, ETR_VIA(whole, of, parts, flag)},
      {"number", "number", ETR_CELL_NUMBER, ETR_IN_ALL, ETR_AT(whole, number), .digits = 3,
       .has = has_part},
  };
  static const whole wholes[] = {{&some, -1.23456, 1}, {&unknown, 5, 0}, {NULL, NAN, 1}};
  static const char *const texts[] = {
      "first     ticks  place  instruction  number\n  some  1234567      7            3   -1.23\n",
      "first  ticks  place  instruction  number\n           0\n",
      "first  ticks  place  instruction  number\n  \n"};
  etr_arena arena = {0};
  etr_text text;
  etr_writer writer;
  etr_answer answer;
  for (size_t i = 0; i < ETR_COUNT(wholes); i++) {
    const char *got = one_row(&arena, list, ETR_COUNT(list), &wholes[i], &(etr_table_options){0});
    cr_expect_str_eq(got, texts[i], "case %zu:\n%s", i, got);
  }
  etr_text_begin(&text, &arena, &writer);
  etr_answer_begin_document(&answer, &profile, NULL, ETR_UNIT_US, &writer.sink, "test/1");
  etr_field_put_rows(&answer.fields, "rows", ETR_FIELDS(list), ETR_ROWS(wholes, 2));
  cr_expect_eq(etr_answer_end(&answer, true, NULL), ETR_OK);
  cr_expect_str_eq(etr_text_end(&text, &writer),
                   "{\"schema\":\"etrecord-tb/test/1\",\"time_unit\":\"us\",\"rows\":[\n"
                   "{\"name\":\"some\",\"ticks\":1234567,\"place\":7,\"instruction\":3,\"flag\":"
                   "true,\"number\":-1.23456},\n"
                   "{\"name\":null,\"ticks\":0,\"place\":null,\"instruction\":null,\"flag\":false,"
                   "\"number\":null}\n]}\n");
  etr_arena_clear(&arena);
}

/* All times of a table end at the same place: the longest has three digits, and what would be 0 is
 * below the last. */
Test(table, times_have_the_decimals_of_the_longest) {
  static const etr_field list[] = {
      {NULL, "time", ETR_CELL_TIME, ETR_IN_TABLES, ETR_AT(parts, ticks)}};
  static const struct {
    uint64_t longest, other; /* ticks, which are nanoseconds */
    const char *text;
  } cases[] = {
      {82435500, 1234567, "time\n82.4\n 1.2\n"},  {1234567, 82435500, "time\n 1.2\n82.4\n"},
      {493200, 4321, " time\n0.493\n0.004\n"},    {493200, 321, "  time\n 0.493\n<0.001\n"},
      {1234567890, 400000, "time\n1235\n  <1\n"}, {48300, 0, "  time\n0.0483\n0.0000\n"},
      {100, 0, "  time\n0.0001\n0.0000\n"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    const parts two[] = {{.ticks = cases[i].longest}, {.ticks = cases[i].other}};
    etr_text text;
    etr_writer writer;
    etr_answer answer;
    etr_table table;
    etr_text_begin(&text, &arena, &writer);
    etr_answer_begin(&answer, &profile, NULL, &(etr_table_options){.unit = ETR_UNIT_MS},
                     &writer.sink);
    etr_table_init(&table, &answer, ETR_FIELDS(list));
    etr_table_add_rows(&table, ETR_ROWS(two, ETR_COUNT(two)));
    etr_table_finish(&table);
    cr_expect_eq(etr_answer_end(&answer, true, NULL), ETR_OK);
    cr_expect_str_eq(etr_text_end(&text, &writer), cases[i].text, "case %zu", i);
    etr_arena_clear(&arena);
  }
}

Test(table, times_are_converted_to_the_unit) {
  static const etr_field list[] = {
      {NULL, "time", ETR_CELL_TIME, ETR_IN_TABLES, ETR_AT(parts, ticks)}};
  static const char *const texts[] = {[ETR_UNIT_MS] = "first\n 1.23\n",
                                      [ETR_UNIT_NS] = "  first\n1234567\n",
                                      [ETR_UNIT_US] = "first\n 1235\n",
                                      [ETR_UNIT_S] = "  first\n0.00123\n",
                                      [ETR_UNIT_CYCLES] = "  first\n1234567\n"};
  etr_arena arena = {0};
  for (etr_unit unit = ETR_UNIT_MS; unit <= ETR_UNIT_CYCLES; unit++)
    cr_expect_str_eq(one_row(&arena, list, 1, &some, &(etr_table_options){.unit = unit}),
                     texts[unit]);
  cr_expect_str_eq(one_row(&arena, list, 1, &some, &(etr_table_options){.format = ETR_TABLE_CSV}),
                   "first\r\n1.234567000\r\n");
  etr_arena_clear(&arena);
}

Test(table, a_share_of_nothing_is_blank_for_people) {
  static const etr_field list[] = {
      {NULL, "share", ETR_CELL_SHARE, ETR_IN_TABLES | ETR_IN_DATA, .get = cold}};
  static const whole none = {.part = 0};
  etr_arena arena = {0};
  cr_expect_null(strchr(one_row(&arena, list, 1, &none, NULL), '%'));
  cr_expect_not_null(strstr(
      one_row(&arena, list, 1, &none, &(etr_table_options){.format = ETR_TABLE_CSV}), "0.000000"));
  etr_arena_clear(&arena);
}

Test(table, shares_are_colored_by_size) {
  static const etr_field list[] = {{NULL, "", ETR_CELL_SHARE, ETR_IN_TABLES, .get = heat},
                                   {NULL, "", ETR_CELL_SHARE, ETR_IN_TABLES, .get = cold}};
  static const struct {
    double part;
    const char *line;
  } cases[] = {
      {200, "\033[31m200.0 %\033[0m  200.0 %\n"},
      {10, "\033[31m10.0 %\033[0m  10.0 %\n"},
      {9.9, "\033[33m9.9 %\033[0m  9.9 %\n"},
      {3, "\033[33m3.0 %\033[0m  3.0 %\n"},
      {1, "1.0 %  1.0 %\n"},
      {0.1, "0.1 %  0.1 %\n"},
  };
  etr_arena arena = {0};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const whole shown = {.part = cases[i].part};
    const char *got = one_row(&arena, list, 2, &shown, &(etr_table_options){.color = true});
    cr_expect_not_null(strstr(got, cases[i].line), "case %zu: %s", i, got);
  }
  etr_arena_clear(&arena);
}
