/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of a document as short texts, which are normalized, cut if they are long, and always JSON.
 */
#include "formats/json_excerpt.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the excerpt of a document's value, to be freed; NULL if the reader failed. */
static char *excerpt_of(etr_slice document) {
  etr_json_excerpt excerpt;
  etr_json *json = etr_json_open_memory(document, NULL);
  etr_json_excerpt_init(&excerpt);
  etr_json_excerpt_value(&excerpt, json);
  etr_json_end(json);
  bool failed = etr_json_failed(json);
  etr_json_close(json);
  return failed ? NULL : strndup(excerpt.writer.buffer, excerpt.writer.used);
}

static void expect_json(const char *text) {
  etr_json *json = etr_json_open_memory(etr_slice_of(text), NULL);
  etr_json_excerpt again;
  etr_json_excerpt_init(&again);
  etr_json_excerpt_value(&again, json); /* unlike etr_json_skip(), this checks everything */
  etr_json_end(json);
  cr_expect_not(etr_json_failed(json), "%s: %s", etr_json_message(json), text);
  etr_json_close(json);
}

Test(json_excerpt, values_keep_their_text) {
  static const char *const cases[][2] = {
      {"1", "1"},
      {"-0.50", "-0.50"},
      {"1e-05", "1e-05"},
      {"NaN", "\"NaN\""},
      {"Infinity", "\"Infinity\""},
      {"-Infinity", "\"-Infinity\""},
      {"true", "true"},
      {"false", "false"},
      {"null", "null"},
      {"\"\"", "\"\""},
      {"\"mean\"", "\"mean\""},
      {"\"\\u0041\\\"\\\\\\/\\n\\u0000\"", "\"A\\\"\\\\/\\n\\u0000\""},
      {"[]", "[]"},
      {"[ 1,2 ,\n3]", "[1, 2, 3]"},
      {"[[1],[NaN],[]]", "[[1], [\"NaN\"], []]"},
      {"{}", "{}"},
      {"{\"a\" :1,\"b\":{\"c\":[null]}}", "{\"a\": 1, \"b\": {\"c\": [null]}}"},
      {"[[[[[[[[[1]]]]]]]]]", "[[[[[[[[\"...\"]]]]]]]]"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char *text = excerpt_of(etr_slice_of(cases[i][0]));
    cr_assert_not_null(text, "%s", cases[i][0]);
    cr_expect_str_eq(text, cases[i][1], "%s: %s", cases[i][0], text);
    expect_json(text);
    free(text);
  }
}

Test(json_excerpt, damaged_values_are_refused) {
  static const char *const cases[] = {"",          "[1",   "[1,]",    "[1 2]",
                                      "{\"a\" 1}", "[01]", "\"\\x\"", "nul"};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char *text = excerpt_of(etr_slice_of(cases[i]));
    cr_expect_null(text, "%s: %s", cases[i], text);
    free(text);
  }
}

/* `count` times a piece between a head and a tail. */
static char *repeated(const char *head, const char *piece, size_t count, const char *tail) {
  size_t size = strlen(piece);
  char *text = malloc(strlen(head) + size * count + strlen(tail) + 1), *at = stpcpy(text, head);
  for (size_t i = 0; i < count; i++)
    at = stpcpy(at, piece);
  strcpy(at, tail);
  return text;
}

Test(json_excerpt, long_values_are_cut) {
  static const struct {
    const char *head, *piece;
    size_t count;
    const char *tail;
    size_t shortest, longest;
    const char *end; /* of the text */
  } cases[] = {
      {"[", "1, ", 80, "1]", 0, 256, "1, 1, 1]"},
      {"[", "1, ", 100000, "1]", 257, 280, ", 1, \"...\"]"},
      {"[", "1234567890, ", 30000, "1]", 257, 300, "0, \"...\"]"},
      {"[", "[1, [2]], ", 5000, "1]", 257, 300, "\"...\"]"},
      {"{", "\"a\": 1, ", 9000, "\"b\": 2}", 257, 300, ", \"...\": null}"},
      {"\"", "x", 200, "\"", 202, 202, "xxx\""},
      {"\"", "x", 201, "\"", 205, 205, "xxx...\""},
      {"\"", "\xC3\xA9", 120, "\"", 205, 205, "\xC3\xA9...\""},
      {"\"a", "\xC3\xA9", 120, "\"", 204, 204, "\xC3\xA9...\""},
      {"\"", "\\u0001", 300, "\"", 1205, 1205, "\\u0001...\""},
      {"\"", "\x80", 300, "\"", 5, 5, "\"...\""},
      {"\"", "0123456789", 100000, "\"", 5, 205, "...\""},
      {"[\"", "x", 300, "\", 1]", 200, 256, "...\", 1]"},
      {"{\"", "\\u0001", 300, "\": {\"b\": [1, 2]}}", 1200, 1300, "\": {\"...\": null}}"},
      {"", "[", 400, "", 0, 0, NULL},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char *document = repeated(cases[i].head, cases[i].piece, cases[i].count, cases[i].tail),
         *text = excerpt_of(etr_slice_of(document));
    if (cases[i].end) {
      cr_assert_not_null(text, "case %zu", i);
      size_t size = strlen(text);
      cr_expect(size >= cases[i].shortest && size <= cases[i].longest, "case %zu: %zu: %s", i, size,
                text);
      cr_expect(etr_slice_ends(etr_slice_of(text), etr_slice_of(cases[i].end)), "case %zu: %s", i,
                text);
      expect_json(text);
    } else
      cr_expect_null(text, "case %zu", i);
    free(document);
    free(text);
  }
}
