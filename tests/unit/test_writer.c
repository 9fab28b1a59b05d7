/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text writer: numbers, buffering, and a sink that refuses.
 */
#include "base/writer.h"

#include <criterion/criterion.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct fixture {
  etr_arena arena;
  etr_text text;
  etr_writer writer;
} fixture;

static void begin(fixture *f) {
  etr_arena_init(&f->arena);
  etr_text_begin(&f->text, &f->arena, &f->writer);
}

/* Ends the text and compares it. */
static void expect_text(fixture *f, const char *expected) {
  const char *text = etr_text_end(&f->text, &f->writer);
  cr_assert_not_null(text);
  cr_expect_str_eq(text, expected, "'%s', not '%s'", text, expected);
  etr_arena_clear(&f->arena);
}

static const struct {
  double value;
  const char *text;
} doubles[] = {
    {0, "0"},
    {-0.0, "-0"},
    {1, "1"},
    {-1234, "-1234"},
    {0.1, "0.1"},
    {0.1 + 0.2, "0.30000000000000004"},
    {1.0 / 3, "0.3333333333333333"},
    {100000, "100000"},
    {9007199254740993.0, "9007199254740992"},
    {1e22, "1e+22"},
    {1.5e-7, "1.5e-07"},
    {DBL_MAX, "1.7976931348623157e+308"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {5e-324, "5e-324"},
    {NAN, "null"},
    {INFINITY, "null"},
    {-INFINITY, "null"},
};

static void expect_doubles(void) {
  for (size_t i = 0; i < ETR_COUNT(doubles); i++) {
    fixture f;
    begin(&f);
    etr_put_double(&f.writer, doubles[i].value);
    expect_text(&f, doubles[i].text);
  }
}

Test(writer, doubles_are_short_and_json) {
  expect_doubles();
}

Test(writer, doubles_read_back) {
  uint64_t state = 42;
  for (int i = 0; i < 2000; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double value;
    memcpy(&value, &state, sizeof value);
    if (!isfinite(value))
      continue;
    fixture f;
    begin(&f);
    etr_put_double(&f.writer, value);
    cr_expect_eq(strtod(etr_text_end(&f.text, &f.writer), NULL), value, "%a", value);
    etr_arena_clear(&f.arena);
  }
}

/* Thousandths are written by a faster path, which gives the same text as printf; other numbers do
 * not use it. */
Test(writer, thousandths_are_as_printf_has_them) {
  uint64_t state = 7;
  for (int i = 0; i < 5000; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double thousandth = (double)(state >> (14 + state % 50)) / 1000;
    const double values[] = {thousandth, floor(thousandth), -thousandth};
    for (size_t k = 0; k < ETR_COUNT(values); k++) {
      char expected[64];
      fixture f;
      begin(&f);
      etr_put_double(&f.writer, values[k]);
      snprintf(expected, sizeof expected, "%.15g", values[k]);
      if (strtod(expected, NULL) != values[k])
        snprintf(expected, sizeof expected, "%.16g", values[k]);
      expect_text(&f, expected);
    }
    fixture f;
    begin(&f);
    etr_put_double(&f.writer, nextafter(thousandth, 1e300));
    cr_expect_eq(strtod(etr_text_end(&f.text, &f.writer), NULL), nextafter(thousandth, 1e300));
    etr_arena_clear(&f.arena);
  }
}

/* Numbers with up to nine decimals use a faster path, unless printf writes an exponent. */
Test(writer, few_digits_are_as_printf_has_them) {
  uint64_t state = 11;
  for (int i = 0; i < 5000; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double power = pow(10, (double)(i % 16)), value = (double)(state >> (48 + i % 13)) / power;
    char expected[64];
    fixture f;
    begin(&f);
    etr_put_double(&f.writer, value);
    snprintf(expected, sizeof expected, "%.15g", value);
    expect_text(&f, expected);
  }
}

Test(writer, whole_numbers_are_exact) {
  static const struct {
    int64_t value;
    const char *text;
  } cases[] = {{0, "0"},
               {7, "7"},
               {-7, "-7"},
               {INT64_MAX, "9223372036854775807"},
               {INT64_MIN, "-9223372036854775808"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    fixture f;
    begin(&f);
    etr_put_int(&f.writer, cases[i].value);
    expect_text(&f, cases[i].text);
  }
  fixture f;
  begin(&f);
  etr_put_uint(&f.writer, UINT64_MAX);
  expect_text(&f, "18446744073709551615");
}

Test(writer, decimals_are_fixed) {
  static const struct {
    double value;
    int decimals;
    const char *text;
  } cases[] = {
      {0.437, 3, "0.437"}, {0.4375, 3, "0.438"}, {12.3456, 1, "12.3"},
      {-2.5, 0, "-2"},     {7, 2, "7.00"},       {1e15, 0, "1000000000000000"},
      {0.1, -3, "0"},      {NAN, 2, "null"},     {1, 99, "1.00000000000000000"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    fixture f;
    begin(&f);
    etr_put_fixed(&f.writer, cases[i].value, cases[i].decimals);
    expect_text(&f, cases[i].text);
  }
}

Test(writer, numbers_have_three_digits) {
  static const struct {
    double value;
    const char *amount, *significant;
  } cases[] = {
      {0, "0", "0"},
      {7, "7", "7.00"},
      {0.0012345, "0", "0.00123"},
      {12.345, "12", "12.3"},
      {999.6, "1.00 k", "1000"},
      {4321, "4.32 k", "4321"},
      {8624000, "8.62 M", "8624000"},
      {1.5e18, "1.50 E", "1500000000000000000"},
      {2e21, "2000 E", "2000000000000000000000"},
      {NAN, "null", "null"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    fixture f;
    begin(&f);
    etr_put_amount(&f.writer, cases[i].value);
    expect_text(&f, cases[i].amount);
    begin(&f);
    etr_put_significant(&f.writer, cases[i].value);
    expect_text(&f, cases[i].significant);
  }
}

Test(writer, the_largest_double_fits) {
  fixture f;
  begin(&f);
  etr_put_fixed(&f.writer, -DBL_MAX, 17);
  const char *text = etr_text_end(&f.text, &f.writer);
  cr_expect_eq(strlen(text), 1 + 309 + 1 + 17);
  etr_arena_clear(&f.arena);
}

Test(writer, numbers_do_not_depend_on_the_locale) {
  static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                           "ps_AF.UTF-8"};
  size_t i = 0;
  while (i < ETR_COUNT(with_comma) && setlocale(LC_NUMERIC, with_comma[i]) == NULL)
    i++;
  if (i == ETR_COUNT(with_comma))
    cr_skip_test("no locale with a decimal comma is installed");
  expect_doubles();
  fixture f;
  begin(&f);
  etr_put_fixed(&f.writer, 1234.5, 2);
  expect_text(&f, "1234.50");
}

Test(writer, long_texts_are_written_completely) {
  static char filler[10000];
  memset(filler, 'x', sizeof filler - 1);
  fixture f;
  begin(&f);
  for (int i = 0; i < 3; i++) {
    etr_puts(&f.writer, "a");
    etr_put(&f.writer, etr_slice_of(filler));
    etr_putf(&f.writer, "%d%s%d", 1, filler, 2);
  }
  const char *text = etr_text_end(&f.text, &f.writer);
  cr_expect_eq(strlen(text), 3 * (1 + 9999 + 9999 + 2));
  cr_expect_eq(strncmp(text + 9998, "xx1xx", 5), 0);
  cr_expect_eq(strncmp(text + 19999, "x2ax", 4), 0);
  etr_arena_clear(&f.arena);
}

/* A disk with `room` bytes left. */
static bool small_disk(void *context, const void *data, size_t size) {
  (void)data;
  size_t *room = context;
  if (size > *room) {
    *room = 0;
    return false;
  }
  *room -= size;
  return true;
}

Test(writer, failure_is_remembered) {
  static const struct {
    size_t room, writes;
    etr_status status;
  } cases[] = {{100, 10, ETR_OK},
               {100, 11, ETR_ERROR_IO},
               {5000, 500, ETR_OK},
               {5000, 501, ETR_ERROR_IO},
               {0, 0, ETR_OK}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    size_t room = cases[i].room;
    etr_writer writer;
    etr_error error = {.message = ""};
    etr_writer_init(&writer, &(etr_sink){small_disk, &room});
    for (size_t k = 0; k < cases[i].writes; k++)
      etr_puts(&writer, "0123456789");
    cr_expect_eq(etr_writer_finish(&writer, &error), cases[i].status, "case %zu", i);
    cr_expect_eq(error.message[0] != '\0', cases[i].status != ETR_OK);
    if (cases[i].status == ETR_OK)
      continue;
    room = 1000000;
    etr_puts(&writer, "more");
    cr_expect_eq(etr_writer_finish(&writer, NULL), ETR_ERROR_IO);
    cr_expect_eq(room, 1000000, "case %zu: nothing is written after a failure", i);
  }
}
