/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables: fitting a line, and escaping in each format.
 */
#include "output/text_table.h"

#include <criterion/criterion.h>
#include <math.h>

enum { COLUMNS = 3 };

static const etr_column columns[COLUMNS] = {
    {"name", false, true}, {"time", true, false}, {"runs as", false, true}};

/* The cells as a table, in the arena. */
static char *written(etr_arena *arena, const char *const cells[][COLUMNS], size_t rows,
                     etr_table_format format, size_t width) {
  etr_text_table table;
  etr_text text;
  etr_writer writer;
  etr_text_table_init(&table, arena, columns, COLUMNS);
  for (size_t i = 0; i < rows * COLUMNS; i++)
    etr_text_table_add_cell(&table, cells[i / COLUMNS][i % COLUMNS]);
  etr_text_begin(&text, arena, &writer);
  etr_text_table_write(&table, &writer, format, width);
  return etr_text_end(&text, &writer);
}

Test(table, cells_are_escaped_in_every_format) {
  static const struct {
    const char *row[COLUMNS];
    const char *text, *csv, *tsv, *markdown; /* NULL: not compared */
  } cases[] = {
      {{"conv", "0.5", "IGEMM"},
       "conv   0.5  IGEMM\n",
       "conv,0.5,IGEMM\r\n",
       "conv\t0.5\tIGEMM\n",
       "| conv | 0.5 | IGEMM |\n"},
      {{"conv", "", NULL}, "conv\n", "conv,,\r\n", "conv\t\t\n", "| conv |  |  |\n"},
      {{"", "", ""}, "\n", ",,\r\n", "\t\t\n", "|  |  |  |\n"},
      {{"", "1", ""}, "         1\n", ",1,\r\n", NULL, NULL},
      {{"a,b", "say \"x\"", "'"}, NULL, "\"a,b\",\"say \"\"x\"\"\",'\r\n", NULL, NULL},
      {{"=1+2", "-0.5", "-x"}, NULL, "\"'=1+2\",-0.5,\"'-x\"\r\n", "'=1+2\t-0.5\t'-x\n", NULL},
      {{"-5", "-", "5"}, NULL, "-5,\"'-\",5\r\n", "-5\t'-\t5\n", NULL},
      {{"@SUM(A1)", "+1", "="}, NULL, "\"'@SUM(A1)\",\"'+1\",\"'=\"\r\n", NULL, NULL},
      {{"a|b", "*", "<b>_x_`"}, NULL, NULL, NULL, "| a\\|b | \\* | &lt;b&gt;\\_x\\_\\` |\n"},
      {{"\x1b[31m", "\n", "\xC2\x9B!\x7F\t"},
       "?[31m     ?  ?!??\n",
       "?[31m,?,?!??\r\n",
       "?[31m\t?\t?!??\n",
       "| ?\\[31m | ? | ?\\!?? |\n"},
      {{"\xC3\xA9\xC3\xA9", "1", "\xE2\x82\xAC"},
       "\xC3\xA9\xC3\xA9       1  \xE2\x82\xAC\n",
       NULL,
       NULL,
       NULL},
  };
  static const char *const heads[] = {NULL, "name,time,runs as\r\n", "name\ttime\truns as\n",
                                      "| name | time | runs as |\n|---|---:|---|\n"};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const char *const expected[] = {cases[i].text, cases[i].csv, cases[i].tsv, cases[i].markdown};
    for (etr_table_format format = ETR_TABLE_TEXT; format <= ETR_TABLE_MARKDOWN; format++) {
      etr_arena arena = {0};
      const char *got = written(&arena, &cases[i].row, 1, format, 100);
      const char *head = heads[format];
      if (head)
        cr_expect(strncmp(got, head, strlen(head)) == 0, "%s", got);
      const char *body = head ? got + strlen(head) : strchr(got, '\n') + 1;
      if (expected[format])
        cr_expect_str_eq(body, expected[format], "case %zu, format %d: '%s'", i, (int)format, body);
      etr_arena_clear(&arena);
    }
  }
}

static size_t longest_line(const char *text) {
  size_t longest = 0, here = 0;
  for (; *text; text++) {
    if (*text == '\n')
      here = 0;
    else if (((unsigned char)*text & 0xC0) != 0x80)
      here++;
    longest = ETR_MAX(longest, here);
  }
  return longest;
}

Test(table, text_fits_its_width) {
  static const char *const cells[][COLUMNS] = {
      {"a_very_long_name_of_a_node_in_a_graph_that_nobody_would_give", "123.4567",
       "Convolution (NHWC, F32) IGEMM #3 and more of that"},
      {"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
       "\xC3\xA9\xC3\xA9\xC3"
       "\xA9\xC3\xA9\xC3\xA9",
       "1", "x"},
  };
  static const size_t widths[] = {30, 40, 60, 79, 100, 400};
  for (size_t i = 0; i < ETR_COUNT(widths); i++) {
    etr_arena arena = {0};
    const char *got = written(&arena, cells, ETR_COUNT(cells), ETR_TABLE_TEXT, widths[i]);
    cr_expect_leq(longest_line(got), widths[i], "%zu columns:\n%s", widths[i], got);
    cr_expect_str_eq(got, etr_arena_text(&arena, etr_slice_of(got)), "cut inside a character");
    etr_arena_clear(&arena);
  }
}

Test(table, names_are_cut_in_the_middle) {
  static const char *const cells[][COLUMNS] = {{"abcdefghijklmnopqrstuvwxyz", "1", "x"}};
  etr_arena arena = {0};
  cr_expect_str_eq(written(&arena, cells, 1, ETR_TABLE_TEXT, 30),
                   "name             time  runs as\nabcdefg\xE2\x80\xA6tuvwxyz     1  x\n");
  etr_arena_clear(&arena);
}

/* Checks the visible columns and the note about hidden ones. */
Test(table, columns_without_room_are_hidden) {
  static const char *const cells[][COLUMNS] = {{"abcdefghijklmnopqrstuvwxyz", "1", "one"},
                                               {"b", "2", "two"}};
  static const struct {
    size_t width;
    etr_table_format format;
    const char *text;
  } cases[] = {
      {60, ETR_TABLE_TEXT,
       "name                        time  runs as\nabcdefghijklmnopqrstuvwxyz     1  one\nb        "
       "                    "
       "  2  two\n"},
      {35, ETR_TABLE_TEXT,
       "name                  time  runs as\nabcdefghij\xE2\x80\xA6rstuvwxyz     1  one\nb         "
       "               2  "
       "two\n"},
      {34, ETR_TABLE_TEXT,
       "name                        time\nabcdefghijklmnopqrstuvwxyz     1\nb                      "
       "        2\nhidden: "
       "runs as; all: --width 0\n"},
      {24, ETR_TABLE_TEXT,
       "name\nabcdefghijkl\xE2\x80\xA6pqrstuvwxyz\nb\nhidden: time, runs as; all: --width 0\n"},
      {24, ETR_TABLE_CSV, "name,time,runs as\r\nabcdefghijklmnopqrstuvwxyz,1,one\r\nb,2,two\r\n"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_arena arena = {0};
    etr_text_table table;
    etr_text text;
    etr_writer writer;
    etr_text_table_init(&table, &arena, columns, COLUMNS);
    etr_text_table_may_hide_column(&table, 2);
    etr_text_table_may_hide_column(&table, 1);
    for (size_t k = 0; k < ETR_COUNT(cells) * COLUMNS; k++)
      etr_text_table_add_cell(&table, cells[k / COLUMNS][k % COLUMNS]);
    etr_text_begin(&text, &arena, &writer);
    etr_text_table_write(&table, &writer, cases[i].format, cases[i].width);
    const char *got = etr_text_end(&text, &writer);
    cr_expect_str_eq(got, cases[i].text, "%zu columns: %s", cases[i].width, got);
    etr_arena_clear(&arena);
  }
}

Test(table, out_of_memory_is_reported) {
  static const char *const cells[][COLUMNS] = {{"a", "b", "c"}};
  etr_arena broken = {.failed = true};
  etr_text_table table;
  etr_writer writer;
  etr_error error;
  etr_sink nowhere = {0};
  etr_text_table_init(&table, &broken, columns, COLUMNS);
  etr_text_table_add_cell(&table, cells[0][0]);
  etr_writer_init(&writer, &nowhere);
  etr_text_table_write(&table, &writer, ETR_TABLE_CSV, 0);
  cr_expect_eq(etr_writer_finish(&writer, &error), ETR_ERROR_MEMORY);
}
