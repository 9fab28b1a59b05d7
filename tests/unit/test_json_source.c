/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_json_source.c - lib/formats/json.c with documents from different sources: inside strings of
 * other documents, endless, failing; and the limits.
 */
#include "json_outcome.h"

#include <stdlib.h>

/* ---- Documents inside strings
 * --------------------------------------------------------------------------------
 */

/* {"a":"<middle>","z":3}, middle: {"b":"<inner>","y":2}, inner: {"c":[1,"\"\u20ac"],"x":9} */
static const char nested[] = "{\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"c\\\\\\\":[1,"
                             "\\\\\\\"\\\\\\\\\\\\\\\"\\\\\\\\u20ac\\\\\\\"],\\\\\\\"x\\\\\\\":9}"
                             "\\\",\\\"y\\\":2}\",\"z\":3}";

static etr_json *open_member(etr_json *json, const char *name) {
  etr_slice key;
  etr_json_object(json);
  cr_expect(etr_json_key(json, &key) && etr_slice_equal(key, etr_slice_of(name)), "%s", name);
  etr_json *inner = etr_json_open_string(json);
  cr_assert_not_null(inner);
  return inner;
}

static void expect_last_int(etr_json *json, const char *name, int64_t value) {
  etr_slice key;
  cr_expect(etr_json_key(json, &key) && etr_slice_equal(key, etr_slice_of(name)), "%s", name);
  cr_expect_eq(etr_json_int(json), value);
  cr_expect_not(etr_json_key(json, &key));
  etr_json_end(json);
  cr_expect_null(etr_json_message(json));
}

/** Reads a part of the innermost document before closing it: 0 nothing, 1 its bracket, 2 skipped, 3
 * everything. */
static void read_nested(etr_json *outer, int how_far) {
  outcome out = {0};
  etr_json *middle = open_member(outer, "a"), *inner = open_member(middle, "b");
  if (how_far == 1)
    etr_json_object(inner);
  if (how_far == 2)
    etr_json_skip(inner);
  if (how_far == 3)
    put_value(&out, inner);
  cr_expect_str_eq(out.text, how_far == 3 ? "{<c>[1,<\"\xE2\x82\xAC>,],<x>9,}" : "");
  cr_expect_null(etr_json_message(inner));
  cr_expect_eq(etr_json_offset(inner), how_far == 1 ? 1 : how_far > 1 ? 26 : 0);
  etr_json_close(inner);
  expect_last_int(middle, "y", 2);
  etr_json_close(middle);
  expect_last_int(outer, "z", 3);
  etr_json_close(outer);
}

Test(json, documents_in_strings_in_documents) {
  for (int how_far = 0; how_far <= 3; how_far++) {
    read_nested(etr_json_open_memory(ETR_SLICE(nested), NULL), how_far);
    for (size_t piece = 1; piece <= 7; piece++) {
      source from = {ETR_SLICE(nested), 0, piece, SIZE_MAX};
      read_nested(etr_json_open(read_source, &from, NULL), how_far);
    }
  }
}

Test(json, an_inner_error_leaves_the_outer_reader_alone) {
  etr_json *json = etr_json_open_memory(ETR_SLICE("[\"[1,\\n x]\",2]"), NULL);
  etr_json_array(json);
  etr_json_element(json);
  etr_json *inner = etr_json_open_string(json);
  outcome out = {0};
  put_value(&out, inner);
  out = finish(&out, inner);
  expect_message(&out, "expected a value", 5, "inner");
  cr_expect(etr_json_element(json) && etr_json_int(json) == 2);
  cr_expect_not(etr_json_element(json));
  cr_expect_not(etr_json_failed(json));
  etr_json_close(json);
}

static const ending_case broken_strings[] = {
    {"[\"[1,2", "unexpected end of document", 6},
    {"[\"[1,2\\", "bad escape in a string", 6},
    {"[\"[1,\\x2]\",3]", "bad escape in a string", 5},
};

Test(json, an_outer_error_ends_the_inner_reader) {
  for (size_t i = 0; i < ETR_COUNT(broken_strings); i++) {
    etr_json *json = etr_json_open_memory(etr_slice_of(broken_strings[i].document), NULL);
    etr_json_array(json);
    etr_json_element(json);
    etr_json *inner = etr_json_open_string(json);
    etr_json_skip(inner);
    cr_expect(etr_json_failed(inner) && etr_json_source_failed(inner));
    etr_json_close(inner);
    outcome out = {.message = etr_json_message(json), .offset = etr_json_offset(json)};
    expect_message(&out, broken_strings[i].message, broken_strings[i].offset,
                   broken_strings[i].document);
    etr_json_close(json);
  }
}

/* ---- Limits and sources
 * --------------------------------------------------------------------------------
 */

/** Gives `head`, then `filler` bytes of base64, then `tail`. */
typedef struct generator {
  etr_slice head, tail;
  uint64_t filler;
} generator;

static size_t give(etr_slice *from, char *into, size_t size) {
  size_t got = ETR_MIN(size, from->size);
  memcpy(into, from->data, got);
  *from = (etr_slice){from->data + got, from->size - got};
  return got;
}

static int64_t generate(void *context, char *into, size_t size) {
  generator *from = context;
  if (from->head.size > 0)
    return (int64_t)give(&from->head, into, size);
  if (from->filler == 0)
    return (int64_t)give(&from->tail, into, size);
  size_t got = (size_t)ETR_MIN((uint64_t)size, from->filler);
  memset(into, 'A', got);
  from->filler -= got;
  return (int64_t)got;
}

Test(json, a_giant_string_is_skipped_at_two_levels) {
  enum { giant = 300 * 1000 * 1000 };
  generator from = {ETR_SLICE("[\"{\\\"weights\\\":\\\""), ETR_SLICE("\\\",\\\"n\\\":5}\",7]"),
                    giant};
  etr_json *json = etr_json_open(generate, &from, &(etr_json_limits){.max_string_bytes = 100});
  etr_slice key;
  etr_json_array(json);
  etr_json_element(json);
  etr_json *inner = etr_json_open_string(json);
  etr_json_object(inner);
  cr_expect(etr_json_key(inner, &key) && etr_slice_is(key, "weights"));
  etr_json_skip(inner);
  cr_expect_eq(etr_json_offset(inner), giant + 13);
  expect_last_int(inner, "n", 5);
  etr_json_close(inner);
  cr_expect(etr_json_element(json) && etr_json_int(json) == 7);
  cr_expect_not(etr_json_element(json) || etr_json_failed(json));
  etr_json_close(json);
}

Test(json, strings_have_a_limit) {
  static const ending_case cases[] = {
      {"[\"12345678\"]", NULL, 12},
      {"[\"1234\\u20ac8\"]", NULL, 15},
      {"[ \"123456789\"]", "string too long", 2},
      {"[\"12345678\\n\"]", "string too long", 1},
      {"[\"1234567\\u20ac\"]", "string too long", 1},
      {"[\"12345678\\x\"]", "bad escape in a string", 10},
      {"[\"123456789\\x\"]", "string too long", 1},
      {"[\"123456789", "string too long", 1},
      {"{\"123456789\":1}", "string too long", 1},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    outcome out = read_alike(etr_slice_of(cases[i].document),
                             &(etr_json_limits){.max_string_bytes = 8});
    expect_message(&out, cases[i].message, cases[i].offset, cases[i].document);
  }
}

Test(json, strings_across_windows_come_whole) {
  enum { size = 200 * 1000 };
  generator from = {ETR_SLICE("[\"\\n"), ETR_SLICE("\\u20ac\"]"), size};
  etr_json *json = etr_json_open(generate, &from, NULL);
  etr_json_array(json);
  etr_json_element(json);
  etr_slice string = etr_json_string(json);
  cr_assert_eq(string.size, size + 4);
  cr_expect(string.data[0] == '\n' && string.data[1] == 'A' && string.data[size] == 'A');
  cr_expect_eq(memcmp(string.data + size + 1, "\xE2\x82\xAC", 3), 0);
  cr_expect_not(etr_json_element(json) || etr_json_failed(json));
  etr_json_close(json);
}

Test(json, nesting_has_a_limit) {
  enum { size = 100000 };
  char *brackets = malloc(size);
  memset(brackets, '[', size);
  etr_slice document = {brackets, size};
  const struct {
    uint32_t max_depth;
    uint64_t offset;
  } cases[] = {{0, 512}, {1, 1}, {600, 600}, {99999, 99999}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_json_limits limits = {.max_depth = cases[i].max_depth};
    outcome read = {0}, skipped = skip_memory(document, &limits);
    etr_json *json = etr_json_open_memory(document, &limits);
    while (!etr_json_failed(json)) {
      etr_json_array(json);
      etr_json_element(json);
    }
    read = finish(&read, json);
    expect_message(&read, "nested too deeply", cases[i].offset, "read");
    expect_message(&skipped, "nested too deeply", cases[i].offset, "skipped");
  }
  outcome out = skip_memory(document, &(etr_json_limits){.max_depth = size});
  expect_message(&out, "unexpected end of document", size, "deep enough");
  free(brackets);
}

Test(json, numbers_have_a_limit) {
  static const struct {
    size_t digits;
    const char *message;
  } cases[] = {{400, NULL}, {401, "number too long"}, {70000, "number too long"}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char *text = malloc(cases[i].digits + 1);
    memset(text, '1', cases[i].digits);
    outcome out = read_alike((etr_slice){text, cases[i].digits}, NULL);
    expect_message(&out, cases[i].message, cases[i].message ? 0 : cases[i].digits, "number");
    free(text);
  }
}

static int64_t give_too_much(void *context, char *into, size_t size) {
  (void)context;
  memset(into, ' ', size);
  return (int64_t)size + 1;
}

Test(json, a_failing_source_is_not_a_bad_document) {
  static const char document[] = "{\"a\":[1,\"\\u20ac\"],\"b\":null}";
  for (size_t failing_at = 0; failing_at < sizeof document - 1; failing_at++) {
    outcome out = {0};
    source from = {ETR_SLICE(document), 0, 3, failing_at};
    etr_json *json = etr_json_open(read_source, &from, NULL);
    put_value(&out, json);
    cr_expect(etr_json_source_failed(json));
    out = finish(&out, json);
    expect_message(&out, "the document cannot be read on", failing_at, "failing source");
  }
  outcome out = {0};
  etr_json *json = etr_json_open(give_too_much, NULL, NULL);
  etr_json_skip(json);
  cr_expect(etr_json_source_failed(json));
  out = finish(&out, json);
  expect_message(&out, "the document cannot be read on", 0, "source that lies");
}
