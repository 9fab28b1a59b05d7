/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_json.c - lib/formats/json.c: documents good and bad, read from memory and in small pieces,
 * and calls that fit them or not.
 */
#include "json_outcome.h"

#include <stdlib.h>

/* ---- Documents ---- */

typedef struct good_case {
  const char *document, *text;
} good_case;

static const good_case good_cases[] = {
    {"null", "<null>"},
    {" \t\r\n true \n", "T"},
    {"false", "F"},
    {"0", "0"},
    {"-0", "-0"},
    {"-12.5e+3", "-12500"},
    {"1E2", "100"},
    {"1e400", "inf"},
    {"1e-400", "0"},
    {"1e99999999999999999999", "inf"},
    {"0.000000000000000000000000000000000001e40", "10000"},
    {"[NaN,Infinity,-Infinity]", "[nan,inf,-inf,]"},
    {"\"\"", "<>"},
    {"\"plain\"", "<plain>"},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "<\"\\/\b\f\n\r\t>"},
    {"\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"", "<A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80>"},
    {"\"\\ud83d\"", "<\xEF\xBF\xBD>"},
    {"\"\\ud83d\\ud83d\\ude00x\"", "<\xEF\xBF\xBD\xF0\x9F\x98\x80x>"},
    {"\"\\ud83dxude00\"", "<\xEF\xBF\xBDxude00>"},
    {"\"\\ud83d\\n\\ude00\"", "<\xEF\xBF\xBD\n\xEF\xBF\xBD>"},
    {"\"tab\tand newline\nin a string\"", "<tab\tand newline\nin a string>"},
    {"\"\xFF\"", "<\xFF>"},
    {"[]", "[]"},
    {"{}", "{}"},
    {" [ ] ", "[]"},
    {"{ }", "{}"},
    {"[[],[[]],{}]", "[[],[[],],{},]"},
    {"{\"a\":1,\"b\":[true,null],\"a\":{\"\":\"]}\"}}", "{<a>1,<b>[T,<null>,],<a>{<><]}>,},}"},
    {"{ \"a\\n\" : 1 , \"b\" : [ 1 , 2 ] }", "{<a\n>1,<b>[1,2,],}"},
    {"[\"a long string without escapes of more than 16 bytes\",\"\\\"\",\"a long string with "
     "\\\"escapes\\\" of more "
     "than 16 bytes\"]",
     "[<a long string without escapes of more than 16 bytes>,<\">,<a long string with \"escapes\" "
     "of more than 16 "
     "bytes>,]"},
};

Test(json, reads_good_documents) {
  for (size_t i = 0; i < ETR_COUNT(good_cases); i++) {
    etr_slice document = etr_slice_of(good_cases[i].document);
    outcome read = read_alike(document, NULL), skipped = skip_memory(document, NULL);
    expect_message(&read, NULL, document.size, document.data);
    expect_message(&skipped, NULL, document.size, document.data);
    cr_expect_str_eq(read.text, good_cases[i].text);
  }
}

static const ending_case bad_cases[] = {
    {"", "unexpected end of document", 0},
    {"  ", "unexpected end of document", 2},
    {"]", "expected a value", 0},
    {"1 2", "unexpected text after the document", 2},
    {"nul", "expected a value", 0},
    {"nulx", "expected a value", 0},
    {" True", "expected a value", 1},
    {"trux", "expected a value", 0},
    {"Nan", "expected a value", 0},
    {"-Inf", "expected a value", 0},
    {"+1", "expected a value", 0},
    {".5", "expected a value", 0},
    {"-", "malformed number", 0},
    {"01", "malformed number", 0},
    {"-01", "malformed number", 0},
    {"1.", "malformed number", 0},
    {"1.e5", "malformed number", 0},
    {"1e", "malformed number", 0},
    {"[1e+]", "malformed number", 1},
    {"[1.2.3]", "malformed number", 1},
    {"[1-2]", "malformed number", 1},
    {"0x10", "unexpected text after the document", 1},
    {"\"abc", "unexpected end of document", 4},
    {"\"abc\\\"", "unexpected end of document", 6},
    {"\"a\\x\"", "bad escape in a string", 2},
    {"\"\\u12g4\"", "bad escape in a string", 1},
    {"\"\\u12", "bad escape in a string", 1},
    {"\"a\\", "bad escape in a string", 2},
    {"\"\\ud800\\u12\"", "bad escape in a string", 7},
    {"[", "unexpected end of document", 1},
    {"[1", "unexpected end of document", 2},
    {"[1,", "unexpected end of document", 3},
    {"[1,]", "expected a value", 3},
    {"[,1]", "expected a value", 1},
    {"[1 2]", "expected ',' or ']'", 3},
    {"[1}", "expected ',' or ']'", 2},
    {"{", "unexpected end of document", 1},
    {"{1:2}", "expected a key", 1},
    {"{\"a\"", "unexpected end of document", 4},
    {"{\"a\" 1}", "expected ':'", 5},
    {"{\"a\":", "unexpected end of document", 5},
    {"{\"a\":}", "expected a value", 5},
    {"{\"a\":1", "unexpected end of document", 6},
    {"{\"a\":1,}", "expected a key", 7},
    {"{\"a\":1 \"b\":2}", "expected ',' or '}'", 7},
    {"{\"a\":1]", "expected ',' or '}'", 6},
};

Test(json, refuses_bad_documents_at_their_offset) {
  for (size_t i = 0; i < ETR_COUNT(bad_cases); i++) {
    outcome read = read_alike(etr_slice_of(bad_cases[i].document), NULL);
    expect_message(&read, bad_cases[i].message, bad_cases[i].offset, bad_cases[i].document);
  }
}

static const ending_case bad_skips[] = {
    {"[[1,2}", "mismatched bracket", 5},
    {"{\"a\":[}", "mismatched bracket", 6},
    {"[\"]\"", "unexpected end of document", 4},
    {"[{\"a\":\"\\\"]}]", "unexpected end of document", 12},
    {"\"a\\", "unexpected end of document", 3},
    {"[]]", "unexpected text after the document", 2},
    {"1.", "malformed number", 0},
    {"nil", "expected a value", 0},
    {"", "unexpected end of document", 0},
};

Test(json, skipping_detects_damage) {
  for (size_t i = 0; i < ETR_COUNT(bad_skips); i++) {
    outcome skipped = skip_memory(etr_slice_of(bad_skips[i].document), NULL);
    expect_message(&skipped, bad_skips[i].message, bad_skips[i].offset, bad_skips[i].document);
  }
}

Test(json, every_truncation_is_refused) {
  static const char document[] = "{\"a\\u20ac\":[1,-2.5e3,NaN,\"\\ud83d\\ude00\"],\"b\":{\"c\":"
                                 "null,\"d\":false},\"e\":\"{\\\"f\\\":1}\"}";
  for (size_t size = 1; size < sizeof document - 1; size++) {
    char *cut = malloc(size); /* a separate block, so that a sanitizer detects reads behind it */
    memcpy(cut, document, size);
    cr_expect(read_alike((etr_slice){cut, size}, NULL).message, "%zu bytes", size);
    cr_expect(skip_memory((etr_slice){cut, size}, NULL).message, "%zu bytes", size);
    free(cut);
  }
}

Test(json, an_empty_slice_is_an_empty_document) {
  outcome read = read_memory((etr_slice){NULL, 0}, NULL);
  expect_message(&read, "unexpected end of document", 0, "NULL");
}

/* ---- Calls ---- */

typedef struct call_case {
  const char *document, *calls; /* one letter per call, see call() */
  const char *message;
  uint64_t offset;
} call_case;

static void call_value(etr_json *json, char letter) {
  switch (letter) {
  case 's':
    etr_json_string(json);
    break;
  case 'i':
    etr_json_int(json);
    break;
  case 'n':
    etr_json_number(json);
    break;
  case 'b':
    etr_json_bool(json);
    break;
  case '0':
    etr_json_null(json);
    break;
  case '.':
    etr_json_skip(json);
    break;
  case '<':
    etr_json_close(etr_json_open_string(json));
    break;
  default:
    cr_assert_fail("no such call: %c", letter);
  }
}

static void call(etr_json *json, char letter) {
  etr_slice key;
  switch (letter) {
  case 'o':
    etr_json_object(json);
    break;
  case 'k':
    etr_json_key(json, &key);
    break;
  case 'a':
    etr_json_array(json);
    break;
  case 'e':
    etr_json_element(json);
    break;
  case 'p':
    etr_json_peek(json);
    break;
  case '!':
    etr_json_fail(json, "senseless");
    break;
  case '$':
    etr_json_end(json);
    break;
  default:
    call_value(json, letter);
  }
}

static const call_case call_cases[] = {
    /* correct calls */
    {"[1,{\"a\":\"b\"}]", "aeieoksk e$", NULL, 13},
    {"[1,2]", "aepppie.e$", NULL, 5},
    {"[null,1]", "ae0e0ie$", NULL, 8},
    {"[\"x\",1]", "ae<eie$", NULL, 7},
    {"1", "0pi$", NULL, 1},
    {"1", "ip", NULL, 1},
    /* values of another type */
    {" 1", "o", "expected an object", 1},
    {" {}", "a", "expected an array", 1},
    {" 1", "s", "expected a string", 1},
    {" \"1\"", "i", "expected a number", 1},
    {" \"1\"", "n", "expected a number", 1},
    {" 1", "b", "expected a boolean", 1},
    {" 1", "<", "expected a string", 1},
    {"[ 1.5]", "aei", "expected an integer of 64 bits", 2},
    {"[1e3]", "aei", "expected an integer of 64 bits", 1},
    {"[NaN]", "aei", "expected an integer of 64 bits", 1},
    {"9223372036854775808", "i", "expected an integer of 64 bits", 0},
    /* calls out of turn */
    {"[1]", "k", "no element or key is next", 0},
    {"[1]", "ak", "no element or key is next", 1},
    {"{\"a\":1}", "oe", "no element or key is next", 1},
    {"{\"a\":1}", "okk", "no element or key is next", 4},
    {"[1]", "aee", "no element or key is next", 1},
    {"[1]", "aeiee", "no element or key is next", 3},
    {"[1]", "ai", "no value is next", 1},
    {"[1]", "aeip", "no value is next", 2},
    {"1 2", "ii", "expected a number", 1},
    {"1 2", "i.", "no value is next", 1},
    {"[1]", "a$", "a value is not read to its end", 1},
    {"[1]", "aei$", "a value is not read to its end", 2},
    {"[1]", "$", "a value is not read to its end", 0},
    /* the first error stays */
    {"[1,2]", "aei!es$", "senseless", 2},
    {"[x]", "ae.!aeoks<in0b$", "expected a value", 1},
};

Test(json, calls_must_fit_the_document_and_each_other) {
  for (size_t i = 0; i < ETR_COUNT(call_cases); i++) {
    const call_case *test = &call_cases[i];
    outcome out = {0};
    etr_json *json = etr_json_open_memory(etr_slice_of(test->document), NULL);
    for (const char *letter = test->calls; *letter; letter++)
      if (*letter != ' ')
        call(json, *letter);
    out.message = etr_json_message(json);
    out.offset = etr_json_offset(json);
    expect_message(&out, test->message, test->offset, test->calls);
    etr_json_close(json);
  }
}

Test(json, an_error_ends_all_values) {
  etr_slice key;
  source from = {ETR_SLICE("[1]"), 0, 1, SIZE_MAX};
  etr_json *json = etr_json_open(read_source, &from, NULL);
  etr_json_fail(json, "senseless");
  cr_expect_eq(etr_json_peek(json), ETR_JSON_END);
  cr_expect_not(etr_json_key(json, &key) || etr_json_element(json) || etr_json_bool(json) ||
                etr_json_null(json));
  cr_expect(key.size == 0 && etr_json_string(json).size == 0 && etr_json_int(json) == 0 &&
            etr_json_number(json) == 0);
  cr_expect_null(etr_json_open_string(json));
  etr_json_end(json);
  cr_expect_eq(from.at, 0, "the source is still read");
  cr_expect_not(etr_json_source_failed(json) || etr_json_out_of_memory(json));
  etr_json_close(json);
  etr_json_close(NULL);
}

Test(json, peek_returns_the_type) {
  static const etr_json_type types[] = {
      ETR_JSON_NULL,   ETR_JSON_BOOL,   ETR_JSON_BOOL,   ETR_JSON_NUMBER, ETR_JSON_NUMBER,
      ETR_JSON_NUMBER, ETR_JSON_STRING, ETR_JSON_STRING, ETR_JSON_ARRAY,  ETR_JSON_OBJECT};
  etr_json *json = etr_json_open_memory(
      ETR_SLICE("[null,true,false,0,-Infinity,NaN,\"\",\"\\n\",[[]],{\"a\":[]}]"), NULL);
  etr_json_array(json);
  for (size_t i = 0; i < ETR_COUNT(types); i++, etr_json_skip(json)) {
    cr_expect(etr_json_element(json));
    cr_expect_eq(etr_json_peek(json), types[i], "element %zu", i);
  }
  cr_expect_not(etr_json_element(json));
  cr_expect_eq(etr_json_peek(json), ETR_JSON_END);
  cr_expect_not(etr_json_failed(json));
  etr_json_close(json);
}

Test(json, numbers_are_exact) {
  static const struct {
    const char *text;
    double value;
  } cases[] = {{"0.1", 0.1},
               {"-1.7976931348623157e308", -1.7976931348623157e308},
               {"4.9406564584124654e-324", 4.9406564584124654e-324},
               {"123456789.123456789e-5", 123456789.123456789e-5},
               {"9007199254740993", 9007199254740993.0},
               {"1.0E+2", 100}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_json *json = etr_json_open_memory(etr_slice_of(cases[i].text), NULL);
    cr_expect_eq(etr_json_number(json), cases[i].value, "%s", cases[i].text);
    etr_json_close(json);
  }
  etr_json *json = etr_json_open_memory(ETR_SLICE("[9223372036854775807,-9223372036854775808]"),
                                        NULL);
  etr_json_array(json);
  cr_expect(etr_json_element(json) && etr_json_int(json) == INT64_MAX);
  cr_expect(etr_json_element(json) && etr_json_int(json) == INT64_MIN);
  etr_json_close(json);
}

/* ---- A real document
 * --------------------------------------------------------------------------------
 */

typedef struct census {
  size_t keys, strings;
} census;

static void count(census *sum, etr_json *json) {
  etr_slice key;
  switch (etr_json_peek(json)) {
  case ETR_JSON_OBJECT:
    for (etr_json_object(json); etr_json_key(json, &key); count(sum, json))
      sum->keys++;
    break;
  case ETR_JSON_ARRAY:
    for (etr_json_array(json); etr_json_element(json);)
      count(sum, json);
    break;
  case ETR_JSON_STRING:
    sum->strings++; /* fall through */
  default:
    etr_json_skip(json);
  }
}

static int64_t read_file(void *context, char *into, size_t size) {
  return (int64_t)fread(into, 1, ETR_MIN(size, 7), context);
}

Test(json, reads_a_real_document) {
  FILE *file = fopen(FIXTURES "/add_mul/truth.json", "rb");
  cr_assert_not_null(file);
  census sum = {0};
  etr_json *json = etr_json_open(read_file, file, NULL);
  count(&sum, json);
  etr_json_end(json);
  cr_expect_null(etr_json_message(json));
  cr_expect_eq(sum.keys, 2602);
  cr_expect_eq(sum.strings, 1568);
  etr_json_close(json);
  fclose(file);
}

/* ---- Shown raw, left early ---- */

Test(json, short_values_are_shown_raw) {
  static const struct {
    const char *document, *raw; /* NULL: not shown */
  } cases[] = {{"\"abc\"", "abc"}, {"\"\"", ""},    {"\"a\\\"b\"", "a\\\"b"}, {"\"\\\\\"", "\\\\"},
               {"7", NULL},        {"\"abc", NULL}, {"\"abc\\\"", NULL}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_slice raw = {0};
    etr_json *json = etr_json_open_memory(etr_slice_of(cases[i].document), NULL);
    bool shown = etr_json_peek_raw(json, &raw);
    cr_expect_eq(shown, cases[i].raw != NULL, "%s", cases[i].document);
    if (shown)
      cr_expect(etr_slice_equal(raw, etr_slice_of(cases[i].raw)), "%s", cases[i].document);
    etr_json_skip(json);
    if (shown)
      etr_json_end(json);
    cr_expect_eq(etr_json_failed(json), !shown && cases[i].document[0] == '"', "%s",
                 cases[i].document);
    etr_json_close(json);
  }
}

/* Documents as long as what may be shown, from a source that gives a few bytes at a time. */
Test(json, a_raw_value_may_move_the_window) {
  static const char tail[] = "\\\\\\\"}]\\\\\"]";
  enum { PLAIN = 200 };
  char document[PLAIN + sizeof tail] = "[\"";
  memset(document + 2, 'x', PLAIN - 2);
  memcpy(document + PLAIN, tail, sizeof tail);
  etr_slice raw, whole = etr_slice_of(document);
  FILE *file = fmemopen(document, whole.size, "rb");
  etr_json *json = etr_json_open(read_file, file, NULL);
  cr_assert(etr_json_peek_whole(json, &raw));
  cr_expect(etr_slice_equal(raw, whole));
  etr_json_array(json);
  cr_assert(etr_json_element(json) && etr_json_peek_raw(json, &raw));
  cr_expect(etr_slice_equal(raw, (etr_slice){document + 2, whole.size - 4}));
  etr_json_skip(json);
  cr_expect_not(etr_json_element(json));
  etr_json_end(json);
  cr_expect_not(etr_json_failed(json));
  etr_json_close(json);
  fclose(file);
}

Test(json, whole_containers_are_shown_raw) {
  static const struct {
    const char *document, *raw; /* NULL: not shown */
  } cases[] = {{"[]", "[]"},
               {" {\"a\": [1, {\"]\": \"\\\"}\"}]} ", "{\"a\": [1, {\"]\": \"\\\"}\"}]}"},
               {"7", NULL},
               {"\"[]\"", "\"[]\""},
               {"[\"a\\n\", \"b\\\\\"]", "[\"a\\n\", \"b\\\\\"]"},
               {"\"a\\\"]\" ", "\"a\\\"]\""},
               {"[", NULL},
               {"[\"]", NULL},
               {"[[1]", NULL}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    for (size_t piece = 1; piece < 8; piece++) {
      const char *document = cases[i].document;
      etr_slice raw = {0};
      source from = {etr_slice_of(document), 0, piece, SIZE_MAX};
      etr_json *json = etr_json_open(read_source, &from, NULL);
      bool shown = etr_json_peek_whole(json, &raw);
      cr_expect_eq(shown, cases[i].raw != NULL, "%s in pieces of %zu", document, piece);
      if (shown)
        cr_expect(etr_slice_equal(raw, etr_slice_of(cases[i].raw)), "%s", document);
      etr_json_skip(json);
      if (shown)
        etr_json_end(json);
      cr_expect_eq(etr_json_failed(json), !shown && document[0] == '[', "%s", document);
      etr_json_close(json);
    }
}

Test(json, leaving_skips_the_rest) {
  static const char document[] = "[{\"a\": 1, \"b\": [2, {\"c\": \"}\"}]}, [3, 4], 5]";
  etr_slice key;
  etr_json *json = etr_json_open_memory(ETR_SLICE(document), NULL);
  etr_json_array(json);
  cr_assert(etr_json_element(json));
  etr_json_object(json);
  cr_assert(etr_json_key(json, &key) && etr_json_int(json) == 1);
  etr_json_leave(json);
  cr_assert(etr_json_element(json));
  etr_json_array(json);
  etr_json_leave(json);
  cr_assert(etr_json_element(json));
  cr_expect_eq(etr_json_int(json), 5);
  cr_expect_not(etr_json_element(json));
  etr_json_end(json);
  cr_expect_not(etr_json_failed(json));
  etr_json_close(json);
}
