/* SPDX-License-Identifier: BSD-3-Clause
 *
 * JSON output: commas, lines, escapes.
 */
#include "base/json_writer.h"

#include <criterion/criterion.h>
#include <math.h>

typedef struct fixture {
  etr_arena arena;
  etr_text text;
  etr_writer writer;
  etr_jw json;
} fixture;

static void begin(fixture *f) {
  etr_arena_init(&f->arena);
  etr_text_begin(&f->text, &f->arena, &f->writer);
  etr_jw_init(&f->json, &f->writer, ETR_JW_DOCUMENT);
}

static void expect_text(fixture *f, const char *expected) {
  const char *text = etr_text_end(&f->text, &f->writer);
  cr_assert_not_null(text);
  cr_expect_str_eq(text, expected, "'%s', not '%s'", text, expected);
  etr_arena_clear(&f->arena);
}

Test(json_writer, nested_values_are_separated) {
  fixture f;
  begin(&f);
  etr_jw_object(&f.json);
  etr_jw_key(&f.json, "schema");
  etr_jw_string(&f.json, "s/1");
  etr_jw_key(&f.json, "empty");
  etr_jw_array(&f.json);
  etr_jw_end(&f.json);
  etr_jw_key(&f.json, "none");
  etr_jw_object(&f.json);
  etr_jw_end(&f.json);
  etr_jw_key(&f.json, "shape");
  etr_jw_array(&f.json);
  etr_jw_int(&f.json, -1);
  etr_jw_int(&f.json, 16);
  etr_jw_end(&f.json);
  etr_jw_key(&f.json, "rows");
  etr_jw_array(&f.json);
  for (uint64_t i = 0; i < 2; i++) {
    etr_jw_object(&f.json);
    etr_jw_key(&f.json, "n");
    etr_jw_uint(&f.json, UINT64_MAX - i);
    etr_jw_key(&f.json, "x");
    etr_jw_double(&f.json, 0.5);
    etr_jw_end(&f.json);
  }
  etr_jw_end(&f.json);
  etr_jw_key(&f.json, "lists");
  etr_jw_array(&f.json);
  etr_jw_array(&f.json);
  etr_jw_end(&f.json);
  etr_jw_array(&f.json);
  etr_jw_null(&f.json);
  etr_jw_end(&f.json);
  etr_jw_end(&f.json);
  etr_jw_key(&f.json, "yes");
  etr_jw_bool(&f.json, true);
  etr_jw_key(&f.json, "no");
  etr_jw_bool(&f.json, false);
  etr_jw_end(&f.json);
  expect_text(&f, "{\"schema\":\"s/1\",\"empty\":[],\"none\":{},\"shape\":[-1,16],\"rows\":[\n"
                  "{\"n\":18446744073709551615,\"x\":0.5},\n"
                  "{\"n\":18446744073709551614,\"x\":0.5}\n"
                  "],\"lists\":[[],[null]],\"yes\":true,\"no\":false}\n");
}

/* What json.dumps() of Python 3 writes, with ensure_ascii=False and without. */
Test(json_writer, python_s_forms_are_kept) {
  static const struct {
    etr_jw_form form;
    const char *text;
  } cases[] = {
      {ETR_JW_PYTHON, "{\"a\": [1, {}], \"b\": \"<\xC3\xA9\xF0\x9F\x99\x82\x7f\xff\\n\"}"},
      {ETR_JW_PYTHON_ASCII, "{\"a\": [1, {}], \"b\": \"<\\u00e9\\ud83d\\ude42\\u007f\xff\\n\"}"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    fixture f;
    begin(&f);
    etr_jw_init(&f.json, &f.writer, cases[i].form);
    etr_jw_object(&f.json);
    etr_jw_key(&f.json, "a");
    etr_jw_array(&f.json);
    etr_jw_raw(&f.json, ETR_SLICE("1"));
    etr_jw_object(&f.json);
    etr_jw_end(&f.json);
    etr_jw_end(&f.json);
    etr_jw_key_slice(&f.json, ETR_SLICE("b"));
    etr_jw_string_begin(&f.json);
    etr_jw_string_piece(&f.json, ETR_SLICE("<\xC3\xA9"));
    etr_jw_string_piece(&f.json, ETR_SLICE("\xF0\x9F\x99\x82\x7f\xff\n"));
    etr_jw_string_end(&f.json);
    etr_jw_end(&f.json);
    expect_text(&f, cases[i].text);
  }
}

Test(json_writer, strings_are_escaped) {
  static const struct {
    const char *text, *json;
  } cases[] = {
      {NULL, "null"},
      {"", "\"\""},
      {"plain / 'text'", "\"plain / 'text'\""},
      {"\"\\\b\f\n\r\t", "\"\\\"\\\\\\b\\f\\n\\r\\t\""},
      {"\x01\x1F\x7F", "\"\\u0001\\u001f\\u007f\""},
      {"</script>", "\"\\u003c/script>\""},
      {"\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80", "\"\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80\""},
      {"\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA", "\"\xE2\x80\xA7\\u2028\\u2029\\u202a\""},
      {"\xD8\x9C\xE2\x81\xA6\xF3\xA0\x81\x81",
       "\"\\u061c\\u2066\\udb40\\udc41\""}, /* change the text direction; are invisible */
      {"a\xFFz", "\"a\\ufffdz\""},
      {"\xC3", "\"\\ufffd\""},                                  /* cut off */
      {"\xC3(", "\"\\ufffd(\""},                                /* not continued */
      {"\xC0\x80", "\"\\ufffd\\ufffd\""},                       /* overlong */
      {"\xE0\x9F\xBF", "\"\\ufffd\\ufffd\\ufffd\""},            /* overlong */
      {"\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* a surrogate */
      {"\xF0\x8F\xBF\xBF", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* overlong */
      {"\xF4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* beyond U+10FFFF */
      {"\xF4\x8F\xBF\xBF", "\"\xF4\x8F\xBF\xBF\""},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    fixture f;
    begin(&f);
    etr_jw_string(&f.json, cases[i].text);
    expect_text(&f, etr_arena_format(&f.arena, "%s\n", cases[i].json));
  }
}

Test(json_writer, keys_are_escaped_and_slices_may_hold_nul) {
  fixture f;
  begin(&f);
  etr_jw_object(&f.json);
  etr_jw_key(&f.json, "a\"b");
  etr_jw_slice(&f.json, (etr_slice){"x\0y", 3});
  etr_jw_end(&f.json);
  expect_text(&f, "{\"a\\\"b\":\"x\\u0000y\"}\n");
}

Test(json_writer, raw_json_is_written_unchanged) {
  fixture f;
  begin(&f);
  etr_jw_object(&f.json);
  etr_jw_key(&f.json, "a");
  etr_jw_json(&f.json, "[1, {\"b\\n\": \"\\\"</script>\"}]");
  etr_jw_key(&f.json, "c");
  etr_jw_json(&f.json, "\"\x7F\xE2\x80\xAA\xC3\xA9\xFF\"");
  etr_jw_end(&f.json);
  expect_text(
      &f,
      "{\"a\":[1, {\"b\\n\": \"\\\"\\u003c/script>\"}],\"c\":\"\\u007f\\u202a\xC3\xA9\\ufffd\"}\n");
}

Test(json_writer, nan_and_infinity_are_null) {
  fixture f;
  begin(&f);
  etr_jw_array(&f.json);
  etr_jw_double(&f.json, NAN);
  etr_jw_double(&f.json, -INFINITY);
  etr_jw_int(&f.json, INT64_MIN);
  etr_jw_end(&f.json);
  expect_text(&f, "[null,null,-9223372036854775808]\n");
}

Test(json_writer, too_deep_is_a_failure_not_a_crash) {
  fixture f;
  begin(&f);
  for (int i = 0; i < 2 * ETR_JW_MAX_DEPTH; i++)
    etr_jw_array(&f.json);
  for (int i = 0; i < 3 * ETR_JW_MAX_DEPTH; i++)
    etr_jw_end(&f.json);
  cr_expect_neq(etr_writer_finish(&f.writer, NULL), ETR_OK);
  etr_arena_clear(&f.arena);
}
